/*
 * A population that is never the same for long, for tests/cli/test_churn.py,
 * test_ends.py and test_own_io.py.
 *
 *     churn crowd N   N processes that do nothing
 *     churn storm     processes that end as soon as they begin, without end
 *     churn reuse     one process number, had by one process after another
 *     churn again N   likewise N processes, one soon after another, which
 *                     write; then the number and the bytes are printed
 *     churn exec      a process that becomes another program all the time
 *     churn share F   a process of two threads; for each byte that it reads, a child
 *                     that shares its memory, and but for the first one writes a
 *                     megabyte to the file F; then a line is printed
 *
 * Prints "ready" and goes on until its standard input ends; all it started
 * ends with it.  Exit status 77: not to be had here.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SKIP = 77, MEGABYTE = 1 << 20, TICK_US = 10000 };

static void say(const char *text)
{
    if (write(STDOUT_FILENO, text, strlen(text)) < 0)
        _exit(EXIT_FAILURE);
}

/* After 'ms', or at once when the standard input ends: false. */
static bool goes_on(int ms)
{
    struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };

    return poll(&p, 1, ms) == 0;
}

/* A child; 'wanted' is its number if that is not 0. */
static pid_t start(pid_t wanted)
{
    struct clone_args args = {
        .exit_signal = SIGCHLD,
        .set_tid = wanted ? (uintptr_t)&wanted : 0,
        .set_tid_size = wanted ? 1 : 0,
    };
    pid_t pid = (pid_t)syscall(SYS_clone3, &args, sizeof args);

    if (!pid)
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    return pid;
}

static int crowd(long n)
{
    for (long i = 0; i < n; i++) {
        pid_t pid = start(0);

        if (pid < 0)
            return SKIP;
        while (!pid)
            pause();
    }
    say("ready\n");
    goes_on(-1);
    return EXIT_SUCCESS;
}

static int storm(void)
{
    say("ready\n");
    while (goes_on(0)) {
        pid_t pid = start(0);

        if (!pid)
            _exit(0);
        if (pid > 0)
            waitpid(pid, NULL, 0);
    }
    return EXIT_SUCCESS;
}

/* The 22nd word of its own stat: when it was started, in ticks. */
static unsigned long long own_start(void)
{
    char text[1024] = "", *p;
    int fd = open("/proc/self/stat", O_RDONLY);

    if (fd < 0 || read(fd, text, sizeof text - 1) < 0)
        _exit(EXIT_FAILURE);
    p = strrchr(text, ')');
    for (int i = 2; i < 22 && p; i++)
        p = strchr(p + 1, ' ');
    return p ? strtoull(p, NULL, 10) : 0;
}

/* Says who it is and does nothing else. */
static void be_poor(void)
{
    char text[64];

    snprintf(text, sizeof text, "poor %d %llu\n", (int)getpid(), own_start());
    say(text);
    for (;;)
        pause();
}

/* Writes and burns as fast as it can. */
static void be_rich(void)
{
    static char nothing[MEGABYTE];
    int fd = open("/dev/null", O_WRONLY);

    while (write(fd, nothing, sizeof nothing) == sizeof nothing)
        ;
    _exit(EXIT_FAILURE);
}

static int reuse(void)
{
    pid_t pid = start(0), again;

    while (!pid)
        pause();
    say("ready\n");
    for (unsigned i = 0; goes_on(3 + (int)(i % 5) * 20); i++) {
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        usleep(2 * TICK_US); /* two of one number never begin together */
        again = start(pid);
        if (again < 0 && errno == EPERM)
            return SKIP;
        if (again < 0)
            return EXIT_FAILURE;
        if (!again && i % 2)
            be_rich();
        if (!again)
            be_poor();
    }
    kill(pid, SIGKILL);
    return EXIT_SUCCESS;
}

/* Lives for about that long. */
static void be_brief(int file, size_t bytes, unsigned us)
{
    static char nothing[MEGABYTE];

    if (write(file, nothing, bytes) != (ssize_t)bytes)
        _exit(EXIT_FAILURE);
    usleep(us);
    _exit(EXIT_SUCCESS);
}

static int again(long n)
{
    int file = open("/dev/null", O_WRONLY), status = 0;
    pid_t number = start(0);
    char text[64];
    size_t bytes, all = 0;

    if (!number)
        _exit(EXIT_SUCCESS);
    waitpid(number, NULL, 0);
    for (long i = 0; i < n; i++) {
        pid_t pid = start(number);

        if (pid < 0)
            return errno == EPERM ? SKIP : EXIT_FAILURE;
        bytes = (size_t)(i % 7 + 1) * 1024; /* taskstats counts those */
        if (!pid)
            be_brief(file, bytes, (unsigned)(i % 5) * 1000);
        all += bytes;
        if (waitpid(pid, &status, 0) != pid || status)
            return EXIT_FAILURE;
        usleep(TICK_US / 2);
    }
    snprintf(text, sizeof text, "again %d %zu\n", (int)number, all);
    say(text);
    return EXIT_SUCCESS;
}

static void *wait_for_end(void *nothing)
{
    pause();
    return nothing;
}

/* The memory is there: the children have no page faults. */
static int share(const char *path)
{
    static char bytes[MEGABYTE];
    int file = open(path, O_WRONLY | O_CREAT, 0600), status;
    pthread_t other;
    char byte;

    memset(bytes, 1, sizeof bytes);
    if (file < 0 || pthread_create(&other, NULL, wait_for_end, NULL))
        return EXIT_FAILURE;
    say("ready\n");
    for (size_t n = 0; read(STDIN_FILENO, &byte, 1) == 1; n = sizeof bytes) {
        pid_t pid = vfork();

        if (!pid)
            _exit(n && write(file, bytes, n) != (ssize_t)n);
        if (waitpid(pid, &status, 0) != pid || status)
            return EXIT_FAILURE;
        say("done\n");
    }
    return EXIT_SUCCESS;
}

/* By two names: that of the file, and that of the link to it. */
static int exec(char **argv)
{
    bool linked = argv[2] && !strcmp(argv[2], "linked");
    char word[] = "exec", next[] = "linked", back[] = "back";
    char *args[] = { argv[0], word, linked ? back : next, NULL };

    if (!argv[2])
        say("ready\n");
    if (!goes_on(30))
        return EXIT_SUCCESS;
    execv(linked ? argv[0] : "/proc/self/exe", args);
    return EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    if (argc > 2 && !strcmp(argv[1], "crowd"))
        return crowd(strtol(argv[2], NULL, 10));
    if (argc > 1 && !strcmp(argv[1], "storm"))
        return storm();
    if (argc > 1 && !strcmp(argv[1], "reuse"))
        return reuse();
    if (argc > 2 && !strcmp(argv[1], "again"))
        return again(strtol(argv[2], NULL, 10));
    if (argc > 1 && !strcmp(argv[1], "exec"))
        return exec(argv);
    if (argc > 2 && !strcmp(argv[1], "share"))
        return share(argv[2]);
    fprintf(stderr, "churn crowd N|storm|reuse|again N|exec|share F\n");
    return EXIT_FAILURE;
}
