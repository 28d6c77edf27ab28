/*
 * A process that cannot go on: its child was made by vfork() and neither ends
 * nor runs a program until the standard input has ended; two minutes at most.
 */
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    FILE *comm = fopen("/proc/self/comm", "w");

    if (comm) {
        fputs("hanger", comm);
        fclose(comm);
    }
    puts("under way");
    fflush(stdout);
    if (!vfork()) {
        struct pollfd in = { .fd = 0, .events = POLLIN };

        poll(&in, 1, 120000);
        _exit(0);
    }
    return 0;
}
