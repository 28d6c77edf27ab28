/* Pagers of POSIX systems. */
#include "format/cli/pager.h"

#include "format/cli/message.h"
#include "format/cli/process_init.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LONGEST_PATH = 4096 };

static pid_t running; /* 0: no pager runs */

/* True if the first word of 'command' is a program that can be started. */
static bool can_start(const char *command)
{
    const char *folders = getenv("PATH");
    size_t n = strcspn(command, " \t");
    char path[LONGEST_PATH];

    if (memchr(command, '/', n) || !folders)
        return true; /* the shell will say what is wrong */
    while (*folders) {
        size_t len = strcspn(folders, ":");
        int all = snprintf(path, sizeof path, "%.*s/%.*s", (int)len, folders,
                           (int)n, command);

        if (all > 0 && (size_t)all < sizeof path && !access(path, X_OK))
            return true;
        folders += len + (folders[len] == ':');
    }
    return false;
}

/* In the new process.  FRX: end if it fits, keep colours and the screen. */
static void become_pager(const char *command, const int ends[2])
{
    signal(SIGPIPE, SIG_DFL);
    setenv("LESS", "FRX", 0);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    close(ends[1]);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

bool pl_pager_start(void)
{
    const char *command = getenv("PAGER");
    int ends[2];

    if (!command)
        command = "less";
    if (!*command || !strcmp(command, "cat") || !pl_is_terminal(stdout) ||
        !can_start(command) || !pl_flush_stdout() || pipe(ends))
        return false;
    running = fork();
    if (!running)
        become_pager(command, ends);
    if (running > 0) {
        dup2(ends[1], STDOUT_FILENO);
        pl_process_ignore_pipes();
        /* These keys are the pager's. */
        signal(SIGINT, SIG_IGN);
        signal(SIGQUIT, SIG_IGN);
    }
    close(ends[0]);
    close(ends[1]);
    return running > 0;
}

void pl_pager_end(void)
{
    int nowhere;

    if (running <= 0)
        return;
    fflush(stdout);
    /* The pager's input ends, and what it did not take goes nowhere. */
    nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0) {
        dup2(nowhere, STDOUT_FILENO);
        close(nowhere);
    } else {
        close(STDOUT_FILENO);
    }
    clearerr(stdout);
    while (waitpid(running, NULL, 0) < 0 && errno == EINTR)
        ;
    running = 0;
}
