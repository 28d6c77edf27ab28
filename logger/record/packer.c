/* Decides when segments are packed. */
#include "logger/record/packer.h"

#include "format/base/file.h"
#include "format/cli/message.h"
#include "format/writer/segment.h"
#include "logger/record/packer_child.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Of a log that is continued so many of its newest segments are looked at;
 * those that are packed already cost a few reads. */
enum { MOST_SEGMENTS = 64, NUM_OPTIONS = 8 };
/* After failures so many segments are begun before it is tried again, twice as
 * many each time. */
enum { LONGEST_PAUSE = 64 };
#define MOST_MEMORY "512M"
#define LONGEST_WAIT_MS 2000
#define PAUSE_MS 10

struct pl_packer {
    const char *path;  /* of the log */
    uint32_t segments; /* begun when it was looked last */
    /* The newest that are to be packed.  What cannot be packed for a reason of
     * its own is tried once. */
    uint32_t pending, given; /* 'given': those of them that the child has */
    bool is_due;             /* enough segments have been begun since */
    uint32_t pause, passed;  /* so many are enough; begun since */
    struct pl_packer_child *child; /* NULL: none */
    bool has_failed;               /* which is reported once */
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
        error = pl_packer_child_start(&p->child, argv);
    errno = error;
    if (error)
        say_failed(p, pl_status_text(PL_IO));
    while (n)
        free(paths[--n]);
}

/* What is left to do: nothing, but all if it was ended or found no room. */
static void take_end(struct pl_packer *p, enum pl_packer_end_kind end)
{
    if (end == PL_PACKER_KILLED)
        say_failed(p, "the program that packs them was killed");
    if (end == PL_PACKER_DONE) {
        p->pending -= p->given;
        p->pause = 0;
    } else if (end != PL_PACKER_UNKNOWN) {
        p->pause = p->pause ? 2 * p->pause : 1;
        if (p->pause > LONGEST_PAUSE)
            p->pause = LONGEST_PAUSE;
    }
}

/* True if no child is running any more. */
static bool has_ended(struct pl_packer *p)
{
    enum pl_packer_end_kind end;

    if (p->child && pl_packer_child_has_ended(p->child, &end)) {
        take_end(p, end);
        p->child = NULL;
    }
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
        pl_packer_child_stop(p->child);
    for (int ms = 0; !has_ended(p) && ms < LONGEST_WAIT_MS; ms += PAUSE_MS)
        pl_sleep((uint64_t)PAUSE_MS * 1000000);
    if (!has_ended(p))
        pl_packer_child_leave(p->child);
    free(p);
}
