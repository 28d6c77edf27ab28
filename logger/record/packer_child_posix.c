/* The packing child as a process of POSIX. */
#include "logger/record/packer_child.h"

#include "format/cli/message.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct pl_packer_child {
    pid_t pid;
};

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
static int spawn(pid_t *pid, char **argv)
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
            error =
                posix_spawn(pid, "/proc/self/exe", &files, &how, argv, environ);
        posix_spawn_file_actions_destroy(&files);
    }
    posix_spawnattr_destroy(&how);
    return error;
}

int pl_packer_child_start(struct pl_packer_child **out, char **argv)
{
    struct pl_packer_child *c = calloc(1, sizeof *c);
    int error = c ? spawn(&c->pid, argv) : ENOMEM;

    if (error) {
        free(c);
        c = NULL;
    }
    *out = c;
    return error;
}

static enum pl_packer_end_kind kind_of(int status)
{
    if (WIFEXITED(status))
        return WEXITSTATUS(status) == PL_EXIT_FAILED ? PL_PACKER_FAILED
                                                     : PL_PACKER_DONE;
    return WTERMSIG(status) == SIGTERM || WTERMSIG(status) == SIGINT
               ? PL_PACKER_STOPPED
               : PL_PACKER_KILLED;
}

bool pl_packer_child_has_ended(struct pl_packer_child *c,
                               enum pl_packer_end_kind *end)
{
    int status;
    pid_t ended = waitpid(c->pid, &status, WNOHANG);

    if (!ended)
        return false;
    /* Others may have waited for it. */
    *end = ended > 0 ? kind_of(status) : PL_PACKER_UNKNOWN;
    free(c);
    return true;
}

/* On a busy machine what is idle gets no time, not even to end.  Without the right
 * to do this it stays as it is. */
static void be_idle_no_more(pid_t pid)
{
    const struct sched_param none = { 0 };

    sched_setscheduler(pid, SCHED_OTHER, &none);
    setpriority(PRIO_PROCESS, (id_t)pid, 0);
}

/* One that was stopped would keep its segment, and this program's standard error,
 * for good. */
void pl_packer_child_stop(struct pl_packer_child *c)
{
    be_idle_no_more(c->pid);
    kill(c->pid, SIGTERM);
    kill(c->pid, SIGCONT);
}

/* Killed, it would leave its file behind. */
void pl_packer_child_leave(struct pl_packer_child *c)
{
    free(c);
}
