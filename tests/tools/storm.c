/*
 * Processes of known work that come and go, for tests/cli/test_ends.py.
 *
 *     storm NAME N SHORT_US LONG_US [A_SECOND [BYTES FOLDER]]
 *
 * N processes, a few at a time, half of which use the processor for SHORT_US
 * and half for LONG_US; they are called NAME-0 to NAME-3, and end in one of
 * three ways.  With A_SECOND no more than that many are started in a second;
 * with BYTES each writes so many to a file of its own in FOLDER, and has them
 * stored.  For each that ended prints its name, its number, its status as
 * wait() has it, and the nanoseconds of processor time that the kernel charged.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { AT_A_TIME = 4, NUM_NAMES = 4, MAX_RUNNING = 64 };

static struct {
    pid_t pid;
    int name;
} running[MAX_RUNNING];

struct work {
    long us[2]; /* of every other one */
    long a_second;
    size_t bytes;
    const char *folder;
};

static void use_processor(long us)
{
    struct timespec t;

    do
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    while (t.tv_sec * 1000000 + t.tv_nsec / 1000 < us);
}

static void write_file(const struct work *w)
{
    char path[4096], block[4096] = "storm";
    int file;

    snprintf(path, sizeof path, "%s/%d", w->folder, (int)getpid());
    file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    for (size_t done = 0; done < w->bytes; done += sizeof block)
        if (write(file, block, sizeof block) != sizeof block)
            _exit(EXIT_FAILURE);
    if (fsync(file))
        _exit(EXIT_FAILURE);
}

/* Of every 10: 7 well, 2 with an error, 1 by a signal. */
static void end(long i)
{
    if (i % 10 == 9)
        kill(getpid(), SIGKILL);
    _exit(i % 10 >= 7 ? 7 : 0);
}

/* The instant at which process 'i' may be started. */
static void wait_for_turn(const struct work *w, long i)
{
    static struct timespec first;
    struct timespec t;
    int64_t ns;

    if (!w->a_second)
        return;
    if (!i)
        clock_gettime(CLOCK_MONOTONIC, &first);
    ns = first.tv_nsec + (int64_t)i * 1000000000 / w->a_second;
    t.tv_sec = first.tv_sec + ns / 1000000000;
    t.tv_nsec = ns % 1000000000;
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

static void start(const char *prefix, long i, int slot, const struct work *w)
{
    char name[16];

    running[slot].name = (int)(i % NUM_NAMES);
    running[slot].pid = fork();
    if (running[slot].pid < 0)
        exit(EXIT_FAILURE);
    if (running[slot].pid)
        return;
    snprintf(name, sizeof name, "%s-%ld", prefix, i % NUM_NAMES);
    prctl(PR_SET_NAME, name);
    use_processor(w->us[i % 2]);
    if (w->bytes)
        write_file(w);
    end(i);
}

/* Wait for one, and say what became of it; returns its place. */
static int reap(const char *prefix)
{
    struct rusage used;
    int status, slot = 0;
    pid_t pid = wait4(-1, &status, 0, &used);

    if (pid < 0)
        exit(EXIT_FAILURE);
    while (running[slot].pid != pid)
        slot++;
    printf(
        "%s-%d %d %d %jd\n", prefix, running[slot].name, (int)pid, status,
        ((intmax_t)used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000000 +
            ((intmax_t)used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1000);
    return slot;
}

int main(int argc, char **argv)
{
    const char *name = argc > 4 ? argv[1] : "";
    long n = argc > 4 ? atol(argv[2]) : 0;
    const struct work w = {
        .us = { argc > 4 ? atol(argv[3]) : 0, argc > 4 ? atol(argv[4]) : 0 },
        .a_second = argc > 5 ? atol(argv[5]) : 0,
        .bytes = argc > 7 ? (size_t)atol(argv[6]) : 0,
        .folder = argc > 7 ? argv[7] : ".",
    };

    for (long i = 0; i < n; i++) {
        int slot = i < AT_A_TIME ? (int)i : reap(name);

        wait_for_turn(&w, i);
        start(name, i, slot, &w);
    }
    for (long i = 0; i < n && i < AT_A_TIME; i++)
        reap(name);
    return n ? EXIT_SUCCESS : EXIT_FAILURE;
}
