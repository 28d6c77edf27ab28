/*
 * Processes that sleep: nothing is read of them that only they change, and
 * nothing they did is missed.
 */
#include "tests/support/sample.h"
#include "tests/support/support.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BYTES = 1000, CANNOT = 9, KEPT = 8 };

/* Writes BYTES when asked to, and answers when it has. */
struct writer {
    pid_t pid;
    int ask, written;
};

static void be_writer(int ask, int written)
{
    int sink = open("/dev/null", O_WRONLY);
    char bytes[BYTES] = { 0 }, c;

    while (read(ask, &c, 1) == 1)
        if (write(sink, bytes, sizeof bytes) != BYTES ||
            write(written, &c, 1) != 1)
            break;
    _exit(0);
}

static void start(struct writer *w)
{
    int ask[2], written[2];

    ck_assert_int_eq(pipe(ask), 0);
    ck_assert_int_eq(pipe(written), 0);
    w->pid = fork();
    ck_assert_int_ge(w->pid, 0);
    if (!w->pid) {
        close(ask[1]);
        be_writer(ask[0], written[1]);
    }
    close(ask[0]);
    close(written[1]);
    w->ask = ask[1];
    w->written = written[0];
}

static void end(struct writer *w)
{
    close(w->ask);
    close(w->written);
    waitpid(w->pid, NULL, 0);
}

static bool is_asleep(pid_t pid)
{
    char path[64], text[256];
    const char *state;
    FILE *f;

    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    f = fopen(path, "r");
    ck_assert_ptr_nonnull(f);
    state = fgets(text, sizeof text, f) ? strrchr(text, ')') : NULL;
    fclose(f);
    return state && state[2] == 'S';
}

/* It has written once more, and waits to be asked again. */
static void let_write(const struct writer *w)
{
    char c = 0;

    ck_assert_int_eq(write(w->ask, &c, 1), 1);
    ck_assert_int_eq(read(w->written, &c, 1), 1);
    while (!is_asleep(w->pid))
        usleep(1000);
}

/* A sampler over /proc that records what 'w' writes. */
static void open_sample(struct sample *s, const struct writer *w)
{
    static const char counter[] = "IO Write Bytes/sec";
    char path[128];
    const char *const paths[] = { path, NULL };
    const char *why = NULL;

    snprintf(path, sizeof path, "\\Process(*:%d)\\%s", (int)w->pid, counter);
    ck_assert_msg(sample_open_way(s, PL_PROCESSES_PROC, paths, &why) == PL_OK,
                  "%s", why);
}

static uint64_t written(const struct sample *s)
{
    struct pl_counter_def def;
    struct pl_instance in;
    struct pl_object o;
    uint64_t v;

    ck_assert(sample_counter(s, "Process", "IO Write Bytes/sec", false, &def));
    ck_assert(sample_object(s, "Process", &o));
    ck_assert_int_eq(pl_instance_next(&o, &in), PL_OK);
    ck_assert(pl_counter_get(&o, &in, &def, &v));
    return v;
}

static uint64_t calls(const struct sample *s)
{
    return value_of(s, "Performance Logger", NULL, "System Calls/sec");
}

START_TEST(what_is_written_between_samples_is_seen)
{
    struct writer w;
    struct sample s;
    uint64_t before;

    start(&w);
    let_write(&w);
    open_sample(&s, &w);
    sample_take(&s);
    before = written(&s);
    for (unsigned i = 0; i < 20; i++) {
        sample_take(&s);
        ck_assert_uint_eq(written(&s), before);
        let_write(&w);
        sample_take(&s);
        before += BYTES + 1; /* and the byte that says so */
        ck_assert_uint_eq(written(&s), before);
    }
    sample_close(&s);
    end(&w);
}
END_TEST

/* How many calls a sample takes more if 'w' wrote before it. */
static int64_t calls_more(struct sample *s, const struct writer *w)
{
    uint64_t at[3];

    sample_take(s); /* reads it, as it is the first or it has written */
    sample_take(s);
    at[0] = calls(s);
    sample_take(s);
    at[1] = calls(s);
    let_write(w);
    sample_take(s);
    at[2] = calls(s);
    return (int64_t)(at[2] - at[1]) - (int64_t)(at[1] - at[0]);
}

/* Whether this process holds /proc/PID/NAME of 'w' open, beside the files of
 * however many processes there are. */
static bool is_held(const struct writer *w, const char *name)
{
    DIR *files = opendir("/proc/self/fd");
    const struct dirent *file;
    char want[64], link[64];
    bool found = false;

    ck_assert_ptr_nonnull(files);
    snprintf(want, sizeof want, "/proc/%d/%s", (int)w->pid, name);
    while (!found && (file = readdir(files))) {
        ssize_t n = readlinkat(dirfd(files), file->d_name, link, sizeof link);

        found = n == (ssize_t)strlen(want) && !memcmp(link, want, (size_t)n);
    }
    closedir(files);
    return found;
}

START_TEST(the_io_of_who_sleeps_is_not_held_open)
{
    struct writer w;
    struct sample s;
    char io[32];

    start(&w);
    snprintf(io, sizeof io, "task/%d/io", (int)w.pid);
    let_write(&w);
    open_sample(&s, &w);
    sample_take(&s);
    sample_take(&s);
    ck_assert(is_held(&w, "stat"));
    ck_assert(!is_held(&w, io)); /* it has slept since it was found */
    let_write(&w);
    for (unsigned i = 0; i < KEPT; i++) {
        sample_take(&s);
        ck_assert(is_held(&w, io)); /* it may run again */
    }
    sample_take(&s);
    ck_assert(!is_held(&w, io));
    ck_assert(is_held(&w, "stat"));
    ck_assert(!is_held(&w, "io")); /* nobody's child was reaped */
    sample_close(&s);
    end(&w);
}
END_TEST

/* ---- alone, so that each call is of one's own ------------------------------- */

/* Fork the first process of a pid namespace; -1: only root can. */
static long fork_namespace(uint64_t more_flags)
{
    struct {
        uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, rest[6];
    } args = { .flags = CLONE_NEWPID | more_flags, .exit_signal = SIGCHLD };

    return syscall(SYS_clone3, &args, sizeof args);
}

/* What it found: 0, or that namespaces are not to be had here. */
static void wait_for_namespace(long pid)
{
    int status;

    if (pid > 0)
        ck_assert_int_eq(waitpid((pid_t)pid, &status, 0), pid);
    if (pid < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == CANNOT)) {
        printf("quiet_processes: no namespace to be had here\n");
        return;
    }
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 0);
}

static int alone(void)
{
    struct writer w;
    struct sample s;

    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
        mount("proc", "/proc", "proc", 0, NULL))
        return CANNOT;
    start(&w);
    let_write(&w);
    open_sample(&s, &w);
    sample_take(&s);
    let_write(&w); /* now its files are held open */
    for (unsigned i = 0; i < 5; i++)
        if (calls_more(&s, &w) != 1)
            return 1;
    return 0;
}

START_TEST(one_file_less_is_read_of_who_slept)
{
    long pid = fork_namespace(CLONE_NEWNS);

    if (!pid)
        _exit(alone());
    wait_for_namespace(pid);
}
END_TEST

/* ---- a /proc that is not ours ---------------------------------------------- */

static bool choose_next_number(pid_t pid)
{
    FILE *f = fopen("/proc/sys/kernel/ns_last_pid", "w");
    bool good = f && fprintf(f, "%d", (int)pid - 1) > 0;

    return f && !fclose(f) && good;
}

static void sleep_for_ever(void)
{
    for (;;)
        pause();
}

/* The first process of a pid namespace, under the /proc of the one above. */
static int in_a_namespace(const struct writer *w)
{
    uint64_t before;
    struct sample s;
    pid_t namesake;

    if (!choose_next_number(w->pid))
        return CANNOT;
    namesake = fork();
    if (!namesake)
        sleep_for_ever();
    if (namesake != w->pid)
        return CANNOT;
    open_sample(&s, w);
    sample_take(&s);
    before = written(&s);
    let_write(w);
    sample_take(&s);
    return written(&s) != before + BYTES + 1;
}

START_TEST(nobody_is_taken_for_a_namesake)
{
    struct writer w;
    long pid;

    start(&w);
    let_write(&w);
    pid = fork_namespace(0);
    if (!pid)
        _exit(in_a_namespace(&w));
    wait_for_namespace(pid);
    end(&w);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("all");

    tcase_add_test(tc, what_is_written_between_samples_is_seen);
    tcase_add_test(tc, the_io_of_who_sleeps_is_not_held_open);
    tcase_add_test(tc, one_file_less_is_read_of_who_slept);
    tcase_add_test(tc, nobody_is_taken_for_a_namesake);
    return run_suite("quiet_processes", (TCase *const[]){ tc, NULL });
}
