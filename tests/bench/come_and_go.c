/*
 * Processes that come and go, for recorders.py: come_and_go A_SECOND LIFE_US
 * starts that many a second, which sleep for LIFE_US and end, until it gets
 * SIGTERM; then prints how many it has started.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t is_over;

static void end(int number)
{
    (void)number;
    is_over = 1;
}

int main(int argc, char **argv)
{
    const long a_second = argc == 3 ? atol(argv[1]) : 0;
    const useconds_t life_us = argc == 3 ? (useconds_t)atol(argv[2]) : 0;
    long started = 0;
    struct timespec due;

    if (a_second <= 0)
        return EXIT_FAILURE;
    signal(SIGTERM, end);
    signal(SIGCHLD, SIG_IGN); /* the kernel reaps them */
    clock_gettime(CLOCK_MONOTONIC, &due);
    while (!is_over) {
        pid_t child = fork();

        if (!child) {
            usleep(life_us);
            _exit(0);
        }
        started += child > 0;
        due.tv_nsec += 1000000000 / a_second;
        due.tv_sec += due.tv_nsec / 1000000000;
        due.tv_nsec %= 1000000000;
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
    }
    printf("%ld\n", started);
    return EXIT_SUCCESS;
}
