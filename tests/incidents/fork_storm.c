/*
 * A process starts others, which end at once, until its standard input ends:
 * never more than one at a time, and for two minutes at most.
 */
#include <poll.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int is_over(void)
{
    struct pollfd in = { .fd = 0, .events = POLLIN };

    return poll(&in, 1, 0) != 0;
}

int main(void)
{
    FILE *comm = fopen("/proc/self/comm", "w");

    if (comm) {
        fputs("forker", comm);
        fclose(comm);
    }
    puts("under way");
    fflush(stdout);
    alarm(120);
    while (!is_over()) {
        pid_t child = fork();

        if (!child)
            _exit(0);
        if (child < 0)
            return 1;
        waitpid(child, NULL, 0);
    }
    return 0;
}
