/* Processes for samplers to look at. */
#include "tests/support/population.h"

#include "tests/support/support.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    MIB = 1 << 20,
    LOWEST =
        19, /* nice: beside the sampler, on another processor, not instead of it */
};

static void nap_ms(long ms)
{
    struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

    nanosleep(&t, NULL);
}

/* ---- quiet ones ------------------------------------------------------------- */

static void *sleep_for_ever(void *arg)
{
    (void)arg;
    for (;;)
        pause();
    return NULL;
}

static void touch(size_t n)
{
    char *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                   -1, 0);

    if (p != MAP_FAILED)
        memset(p, 1, n);
}

static void read_and_write(unsigned times)
{
    char b[100] = { 0 };
    int in = open("/proc/self/exe", O_RDONLY),
        out = open("/dev/null", O_WRONLY);

    for (unsigned i = 0; i < times; i++)
        if (read(in, b, sizeof b) < 0 || write(out, b, sizeof b / 2) < 0)
            break;
}

static void start_threads(unsigned n)
{
    pthread_t t;

    for (unsigned i = 0; i < n; i++)
        pthread_create(&t, NULL, sleep_for_ever, NULL);
    nap_ms(20); /* until they sleep */
}

/* Each is different in its own way. */
static void be_quiet(unsigned i, int ready)
{
    char name[16];

    snprintf(name, sizeof name, "quiet %u) (x", i);
    prctl(PR_SET_NAME, name);
    touch((size_t)(i + 1) * MIB / 2);
    read_and_write(100 * (i + 1));
    if (i % 3 == 1)
        start_threads(i);
    if (i == 2 && setpriority(PRIO_PROCESS, 0, 7))
        _exit(1);
    if (i == 5 && !geteuid() && setresuid(65534, 65534, 65534))
        _exit(1);
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* which that switched off */
    if (i == 6 && !geteuid())
        sched_setscheduler(0, SCHED_FIFO,
                           &(struct sched_param){ .sched_priority = 7 });
    if (i == 8)
        mlock(name, sizeof name);
    if (write(ready, "", 1) != 1)
        _exit(1);
    close(ready);
    if (i == 4) /* its leader is a zombie, the threads live on */
        pthread_exit(NULL);
    if (i == 11) /* not reaped: a zombie */
        _exit(0);
    sleep_for_ever(NULL);
}

/* ---- busy ones --------------------------------------------------------------- */

static void burn(void)
{
    for (volatile unsigned long n = 0;; n++)
        if (n % 200000 == 0)
            nap_ms(1);
}

static void allocate(void)
{
    for (;;) {
        void *p = mmap(NULL, 4 * MIB, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

        if (p != MAP_FAILED)
            munmap(p, 4 * MIB);
        nap_ms(2);
    }
}

static void fork_and_exit(void)
{
    for (;;) {
        pid_t pid = fork();

        if (!pid)
            _exit(0);
        nap_ms(1);
        waitpid(pid, NULL, 0);
    }
}

static void fork_and_exec(void)
{
    for (;;) {
        pid_t pid = fork();

        if (!pid) {
            execl("/bin/true", "true", (char *)NULL);
            _exit(1);
        }
        waitpid(pid, NULL, 0);
        nap_ms(2);
    }
}

/* The same process, another program, again and again. */
static void exec_itself(void)
{
    execl("/bin/sh", "sh", "-c", "sleep 0.01; exec sh -c \"$0\" \"$0\"",
          "sleep 0.01; exec sh -c \"$0\" \"$0\"", (char *)NULL);
}

static void *work_a_little(void *arg)
{
    volatile unsigned n = 0;

    while (n < 20000)
        n++;
    return arg;
}

static void start_and_join(void)
{
    enum { AT_ONCE = 8 };

    for (;;) {
        pthread_t t[AT_ONCE];
        unsigned n = 0;

        while (n < AT_ONCE && !pthread_create(&t[n], NULL, work_a_little, NULL))
            n++;
        while (n)
            pthread_join(t[--n], NULL);
        nap_ms(1);
    }
}

static void read_always(void)
{
    for (;;) {
        read_and_write(50);
        closefrom(3);
        nap_ms(1);
    }
}

static void (*const busy[POPULATION_BUSY])(void) = {
    burn,        allocate,       fork_and_exit, fork_and_exec,
    exec_itself, start_and_join, read_always,
};

/* ---- all ------------------------------------------------------------------------ */

static pid_t start(void (*work)(void), unsigned i, int ready)
{
    pid_t pid = fork();

    if (pid)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpgid(0, 0);
    if (work) {
        close(ready);
        setpriority(PRIO_PROCESS, 0, LOWEST);
        work();
    } else {
        be_quiet(i, ready);
    }
    _exit(1);
}

void population_start(struct population *p)
{
    int ready[2];
    char c;

    ck_assert_int_eq(pipe(ready), 0);
    for (unsigned i = 0; i < POPULATION_QUIET; i++)
        p->quiet[i] = start(NULL, i, ready[1]);
    for (unsigned i = 0; i < POPULATION_BUSY; i++)
        p->busy[i] = start(busy[i], i, ready[1]);
    close(ready[1]);
    for (unsigned i = 0; i < POPULATION_QUIET; i++)
        ck_assert_int_eq(read(ready[0], &c, 1), 1);
    close(ready[0]);
    nap_ms(100);
}

static void end(pid_t pid)
{
    kill(-pid, SIGKILL);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

void population_end(struct population *p)
{
    for (unsigned i = 0; i < POPULATION_QUIET; i++)
        end(p->quiet[i]);
    for (unsigned i = 0; i < POPULATION_BUSY; i++)
        end(p->busy[i]);
}

bool population_is_quiet(const struct population *p, pid_t pid)
{
    for (unsigned i = 0; i < POPULATION_QUIET; i++)
        if (p->quiet[i] == pid)
            return true;
    return false;
}

/* ---- one that outlives its main thread -------------------------------------------- */

static void *be_second(void *to)
{
    if (write(*(const int *)to, "", 1) != 1)
        _exit(EXIT_FAILURE);
    return sleep_for_ever(NULL);
}

pid_t population_two_threads(int to)
{
    pthread_t second;
    pid_t pid = fork();
    char answer;

    if (pid)
        return pid;
    for (int i = 0; i < POPULATION_FILES; i++)
        if (dup(to) < 0)
            _exit(EXIT_FAILURE);
    touch(POPULATION_BYTES);
    if (!pthread_create(&second, NULL, be_second, &to) &&
        read(to, &answer, 1) == 1)
        syscall(SYS_exit, 0); /* of this thread */
    _exit(EXIT_FAILURE);
}
