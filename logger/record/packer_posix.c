/* Packs segments in a child process. */
#include "logger/record/packer.h"

#include "format/base/file.h"
#include "format/cli/message.h"
#include "format/log/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* Of a log that is continued so many of its newest segments are looked at;
 * those that are packed already cost a few reads. */
enum { MOST_SEGMENTS = 64, NUM_OPTIONS = 8 };
/* After failures so many segments are begun before it is tried again, twice as
 * many each time. */
enum { LONGEST_PAUSE = 64 };
#define MOST_MEMORY "512M"
#define LONGEST_WAIT_MS 2000
#define PAUSE_MS 10

extern char **environ;

struct pl_packer {
    const char *path;  /* of the log */
    uint32_t segments; /* begun when it was looked last */
    /* The newest that are to be packed.  What cannot be packed for a reason of
     * its own is tried once. */
    uint32_t pending, given; /* 'given': those of them that the child has */
    bool is_due;             /* enough segments have been begun since */
    uint32_t pause, passed;  /* so many are enough; begun since */
    pid_t child;             /* 0: none */
    bool has_failed;         /* which is reported once */
};

enum pl_status pl_packer_new(struct pl_packer **out, const char *path)
{
    struct pl_packer *p = calloc(1, sizeof *p);

    if (!p)
        return PL_NOMEM;
    p->path = path;
    p->pending = MOST_SEGMENTS;
    *out = p;
    return PL_OK;
}

/* The recorder's threads block signals, or ignore them; the child does not. */
static int prepare(posix_spawnattr_t *how, posix_spawn_file_actions_t *files)
{
    sigset_t none, all;
    int error;

    sigemptyset(&none);
    sigfillset(&all);
    error = posix_spawnattr_setsigmask(how, &none);
    if (!error)
        error = posix_spawnattr_setsigdefault(how, &all);
    if (!error)
        error = posix_spawnattr_setflags(how, POSIX_SPAWN_SETSIGMASK |
                                                  POSIX_SPAWN_SETSIGDEF);
    if (!error)
        error = posix_spawn_file_actions_addopen(files, STDIN_FILENO,
                                                 "/dev/null", O_RDONLY, 0);
    if (!error)
        error = posix_spawn_file_actions_addopen(files, STDOUT_FILENO,
                                                 "/dev/null", O_WRONLY, 0);
    return error;
}

/* Returns 0 or the error.  The memory of this process is not copied. */
static int spawn(struct pl_packer *p, char **argv)
{
    posix_spawnattr_t how;
    posix_spawn_file_actions_t files;
    int error = posix_spawnattr_init(&how);

    if (error)
        return error;
    error = posix_spawn_file_actions_init(&files);
    if (!error) {
        error = prepare(&how, &files);
        if (!error)
            error = posix_spawn(&p->child, "/proc/self/exe", &files, &how, argv,
                                environ);
        posix_spawn_file_actions_destroy(&files);
    }
    posix_spawnattr_destroy(&how);
    return error;
}

static void say_failed(struct pl_packer *p, const char *why)
{
    if (!p->has_failed)
        pl_say("record: segments are not packed: %s", why);
    p->has_failed = true;
}

static void pack(struct pl_packer *p, const struct pl_writer_stats *stats,
                 const char *current)
{
    char keep[24];
    char *argv[NUM_OPTIONS + MOST_SEGMENTS + 2] = {
        "perflog",   "pack",       "--quiet", "--idle", "--max-memory",
        MOST_MEMORY, "--min-free", keep,      "--",
    };
    char **paths = argv + NUM_OPTIONS + 1;
    uint32_t most = p->pending < MOST_SEGMENTS ? p->pending : MOST_SEGMENTS;
    size_t n = pl_segment_others(p->path, current, most, paths);
    int error = 0;

    p->given = p->pending;
    p->is_due = false;
    p->passed = 0;
    snprintf(keep, sizeof keep, "%" PRIu64, stats->kept_free);
    if (n)
        error = spawn(p, argv);
    if (error)
        p->child = 0;
    errno = error;
    if (error)
        say_failed(p, pl_status_text(PL_IO));
    while (n)
        free(paths[--n]);
}

/* What is left to do: nothing, but all if it was ended or found no room. */
static void take_end(struct pl_packer *p, int status)
{
    if (WIFSIGNALED(status) && WTERMSIG(status) != SIGTERM &&
        WTERMSIG(status) != SIGINT)
        say_failed(p, "the program that packs them was killed");
    if (WIFEXITED(status) && WEXITSTATUS(status) != PL_EXIT_FAILED) {
        p->pending -= p->given;
        p->pause = 0;
    } else {
        p->pause = p->pause ? 2 * p->pause : 1;
        if (p->pause > LONGEST_PAUSE)
            p->pause = LONGEST_PAUSE;
    }
}

/* True if no child is running any more. */
static bool has_ended(struct pl_packer *p)
{
    int status;
    pid_t ended = p->child ? waitpid(p->child, &status, WNOHANG) : 0;

    if (ended > 0)
        take_end(p, status);
    if (ended)
        p->child = 0; /* also if others have waited for it */
    return !p->child;
}

void pl_packer_look(struct pl_packer *p, const struct pl_writer_stats *stats,
                    const char *current)
{
    PL_KEEP_ERRNO;

    if (stats->segments != p->segments) {
        p->pending += stats->segments - p->segments;
        p->passed += stats->segments - p->segments;
        p->segments = stats->segments;
        p->is_due = true;
    }
    if (has_ended(p) && p->is_due && p->passed >= p->pause)
        pack(p, stats, current);
}

void pl_packer_end(struct pl_packer *p)
{
    if (!p)
        return;
    if (!has_ended(p))
        kill(p->child, SIGTERM);
    for (int ms = 0; !has_ended(p) && ms < LONGEST_WAIT_MS; ms += PAUSE_MS)
        pl_sleep((uint64_t)PAUSE_MS * 1000000);
    if (!has_ended(p))
        kill(p->child, SIGKILL);
    free(p);
}
