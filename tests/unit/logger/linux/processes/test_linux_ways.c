/*
 * Both ways of reading processes side by side over a busy machine: what BPF
 * says must lie between what /proc says before and after; of I/O, in the sample
 * after that, as the report of a thread that ends while /proc is read comes
 * with the next sample (own_io.h).  Needs what BPF
 * needs (root, a kernel that tells its types); says so and is skipped else.
 *
 * test_linux_ways [ROUNDS]: fewer suffice where an emulator is slow.
 * test_linux_ways --in-namespace: in a pid namespace of its own.
 */
#include "format/base/utf.h"
#include "logger/linux/processes/bpf/program.h"
#include "tests/support/population.h"
#include "tests/support/sample.h"
#include "tests/support/support.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_COUNTERS = 48, NAME_LEN = 64, WALKS_A_ROUND = 16, READS = 300 };
#define TICK UINT64_C(100000) /* 10 ms in 100 ns */

enum check {
    GROWS,  /* at least as before, at most as after */
    TIMES,  /* the same, but /proc rounds two parts down to ticks */
    OWN,    /* as GROWS, but left out where children did some of it */
    BELOW,  /* the same, where it cannot be reported whether they did */
    STEADY, /* equal, where it was equal before and after, if quiet */
    FIXED,  /* the same for every process */
};

static const struct counter {
    const char *name;
    enum check check;
} counters[] = {
    { "% Processor Time", TIMES },
    { "Page Faults/sec", GROWS },
    { "Major Page Faults/sec", GROWS },
    { "% Guest Time", TIMES },
    { "% Reaped Children Time", TIMES },
    { "IO Read Operations/sec", BELOW },
    { "IO Write Operations/sec", BELOW },
    { "IO Data Operations/sec", BELOW },
    { "IO Read Bytes/sec", OWN },
    { "IO Write Bytes/sec", OWN },
    { "IO Data Bytes/sec", OWN },
    { "Storage Read Bytes/sec", OWN },
    { "Storage Write Bytes/sec", OWN },
    { "Cancelled Write Bytes/sec", BELOW },
    { "Virtual Bytes", STEADY },
    { "Virtual Bytes Peak", STEADY },
    { "Working Set", STEADY },
    { "Working Set - Private", STEADY },
    { "Working Set Peak", STEADY },
    { "Shared Resident Bytes", STEADY },
    { "Private Bytes", STEADY },
    { "Page File Bytes", STEADY },
    { "Page Table Bytes", STEADY },
    { "Locked Bytes", STEADY },
    { "Thread Count", STEADY },
    { "Handle Count", STEADY },
    { "State", STEADY },
    { "Voluntary Switches/sec", STEADY },
    { "Involuntary Switches/sec", STEADY },
    { "% Run Queue Wait Time", STEADY },
    { "Priority Base", FIXED },
    { "OOM Score Adjustment", FIXED },
    { "Creating Process ID", STEADY },
    { "User ID", STEADY },
    { "Control Group ID", STEADY },
};

enum { NUM_COUNTERS = sizeof counters / sizeof *counters, NUM_OTHERS = 6 };

/* ---- a sample as a table ------------------------------------------------------ */

struct row {
    uint64_t pid, started;
    bool
        inherited; /* I/O of children that it reaped, or of threads before us */
    uint64_t v[NUM_COUNTERS];
    bool has[NUM_COUNTERS];
    char name[NAME_LEN];
};

struct table {
    struct row *rows;
    size_t num, cap;
    size_t ended;  /* left out: those that ended, or are about to leave */
    uint64_t boot; /* what starts are counted from, a matter of the sampler */
};

static void add_row(struct table *t, const struct pl_object *o,
                    const struct pl_instance *in,
                    struct pl_counter_def *const defs[], const bool *has)
{
    struct pl_buf name = { 0 };
    struct row *r;
    uint64_t any;

    if (t->num == t->cap) {
        t->cap = t->cap ? 2 * t->cap : 256;
        t->rows = realloc(t->rows, t->cap * sizeof *t->rows);
        ck_assert_ptr_nonnull(t->rows);
    }
    r = &t->rows[t->num++];
    pl_utf16_to_utf8(&name, in->name, in->name_len, false);
    snprintf(r->name, sizeof r->name, "%.*s", (int)name.len, (char *)name.p);
    pl_buf_release(&name);
    ck_assert(pl_counter_get(o, in, defs[NUM_COUNTERS], &r->pid));
    ck_assert(pl_counter_get(o, in, defs[NUM_COUNTERS + 1], &r->started));
    r->started -= t->boot;
    r->started -= r->started % TICK; /* as /proc has it */
    r->inherited = false;
    for (size_t i = NUM_COUNTERS + 3; i < NUM_COUNTERS + NUM_OTHERS; i++)
        r->inherited = r->inherited ||
                       (has[i] && pl_counter_get(o, in, defs[i], &any) && any);
    for (size_t i = 0; i < NUM_COUNTERS; i++) {
        r->has[i] = has[i];
        if (has[i])
            ck_assert(pl_counter_get(o, in, defs[i], &r->v[i]));
    }
}

static void tabulate(struct sample *s, struct table *t)
{
    static const char *const others[NUM_OTHERS] = {
        "ID Process",
        "Elapsed Time",
        "State",
        "Reaped Children IO Data Bytes/sec",
        "Reaped Children Storage Read Bytes/sec",
        "Reaped Children Storage Write Bytes/sec",
    };
    struct pl_counter_def room[NUM_COUNTERS + NUM_OTHERS];
    struct pl_counter_def *defs[NUM_COUNTERS + NUM_OTHERS];
    bool has[NUM_COUNTERS + NUM_OTHERS];
    struct pl_instance in;
    struct pl_object o;
    uint64_t state;

    sample_take(s);
    for (size_t i = 0; i < NUM_COUNTERS + NUM_OTHERS; i++) {
        const char *name =
            i < NUM_COUNTERS ? counters[i].name : others[i - NUM_COUNTERS];

        defs[i] = &room[i];
        has[i] = sample_counter(s, "Process", name, false, defs[i]);
    }
    ck_assert(sample_object(s, "Process", &o));
    t->num = t->ended = 0;
    t->boot = value_of(s, "System", NULL, "System Up Time");
    while (pl_instance_next(&o, &in) == PL_OK) {
        ck_assert(pl_counter_get(&o, &in, defs[NUM_COUNTERS + 2], &state));
        if (state == 'X') {
            t->ended++;
            continue;
        }
        add_row(t, &o, &in, defs, has);
        if (t->num > 1) /* ascending */
            ck_assert_uint_lt(t->rows[t->num - 2].pid, t->rows[t->num - 1].pid);
    }
    ck_assert_uint_gt(t->num, 0);
}

static int by_pid(const void *a, const void *b)
{
    const struct row *x = a, *y = b;

    return x->pid < y->pid ? -1 : x->pid > y->pid;
}

/* The same process in another sample; NULL if it is not there. */
static const struct row *find(const struct table *t, const struct row *like)
{
    const struct row *r = bsearch(like, t->rows, t->num, sizeof *r, by_pid);

    return r && r->started == like->started ? r : NULL;
}

/* ---- comparing ------------------------------------------------------------------- */

struct tally {
    size_t rows, values;
};

static bool is_of_io(enum check check)
{
    return check == OWN || check == BELOW;
}

/* 'd': the sample after 'c'; NULL: the process has ended. */
static void compare(const struct row *a, const struct row *b,
                    const struct row *c, const struct row *d, bool quiet,
                    struct tally *tally)
{
    /* Each way has another rest of what was there before it began to look. */
    bool is_mixed = !d || a->inherited || b->inherited || d->inherited;

    tally->rows++;
    for (size_t i = 0; i < NUM_COUNTERS; i++) {
        uint64_t slack = counters[i].check == TIMES ? 2 * TICK : 0;
        bool equal = counters[i].check == FIXED ||
                     (counters[i].check == STEADY && quiet);
        const struct row *after = d && is_of_io(counters[i].check) ? d : c;

        if (!a->has[i] || !b->has[i] ||
            (is_mixed && is_of_io(counters[i].check)))
            continue;
        if (equal ? a->v[i] != c->v[i] : counters[i].check >= STEADY)
            continue;
        tally->values++;
        ck_assert_msg((counters[i].check == BELOW || a->v[i] <= b->v[i]) &&
                          b->v[i] <= after->v[i] + slack,
                      "%s:%llu %s: /proc %llu, BPF %llu, /proc %llu", b->name,
                      (unsigned long long)b->pid, counters[i].name,
                      (unsigned long long)a->v[i], (unsigned long long)b->v[i],
                      (unsigned long long)after->v[i]);
    }
}

/* Same instances, but for those that came or went between two readings. */
static void compare_tables(const struct population *p, const struct table *a,
                           const struct table *b, const struct table *c,
                           const struct table *d, struct tally *tally)
{
    for (size_t i = 0; i < a->num; i++) {
        const struct row *first = &a->rows[i], *last = find(c, first);
        const struct row *middle = find(b, first);
        bool quiet;

        /* Kernels of some virtual machines hide their first process. */
        if (!last || (!middle && first->pid == 1))
            continue;
        ck_assert_msg(middle != NULL, "%s is missing", first->name);
        quiet = population_is_quiet(p, (pid_t)first->pid);
        if (quiet) /* others may call exec, and call it again */
            ck_assert_str_eq(middle->name, first->name);
        compare(first, middle, last, find(d, first), quiet, tally);
    }
    for (size_t i = 0; i < b->num; i++)
        if (!find(a, &b->rows[i]) && !find(c, &b->rows[i]))
            ck_assert_msg(b->rows[i].pid != 0, "a process without a number");
}

static unsigned rounds = 12;

/* ---- tests ------------------------------------------------------------------------ */

static struct sample by_proc, by_bpf;
static struct population population;

static void open_both(const char *const *paths)
{
    const char *why = NULL;

    ck_assert_msg(sample_open_way(&by_bpf, PL_PROCESSES_BPF, paths, &why) ==
                      PL_OK,
                  "%s", why);
    ck_assert_int_eq(sample_open_way(&by_proc, PL_PROCESSES_PROC, paths, &why),
                     PL_OK);
}

static void close_both(void)
{
    sample_close(&by_bpf);
    sample_close(&by_proc);
}

/* "+Process\NAME" for each, so that costly ones are there too. */
static const char *const *all_paths(void)
{
    static char texts[NUM_COUNTERS][NAME_LEN];
    static const char *paths[NUM_COUNTERS + 3] = { "System", "Process" };

    for (size_t i = 0; i < NUM_COUNTERS; i++) {
        snprintf(texts[i], sizeof texts[i], "Process\\%s", counters[i].name);
        paths[i + 2] = texts[i];
    }
    return paths;
}

/* Left out where a counter needs what this kernel lacks. */
static const char *const *paths_here(void)
{
    static const char *here[NUM_COUNTERS + 3];
    const char *const *all = all_paths();
    size_t n = 0;

    for (size_t i = 0; all[i]; i++) {
        const char *one[] = { all[i], NULL }, *why = NULL;
        bool has =
            sample_open_way(&by_proc, PL_PROCESSES_PROC, one, &why) == PL_OK;

        if (has)
            here[n++] = all[i];
        sample_close(&by_proc);
    }
    return here;
}

START_TEST(both_ways_say_the_same)
{
    struct table a = { 0 }, b = { 0 }, c = { 0 }, d = { 0 };
    struct tally tally = { 0 };

    population_start(&population);
    open_both(paths_here());
    tabulate(&by_proc, &a);
    for (unsigned i = 0; i < rounds; i++) {
        struct table t = a;

        tabulate(&by_bpf, &b);
        tabulate(&by_proc, &c);
        tabulate(&by_proc, &d);
        compare_tables(&population, &a, &b, &c, &d, &tally);
        a = d;
        d = t;
        usleep(20000);
    }
    /* The quiet ones alone have about thirty values each. */
    ck_assert_uint_ge(tally.rows,
                      rounds * (POPULATION_QUIET + POPULATION_BUSY));
    ck_assert_uint_ge(tally.values, rounds * POPULATION_QUIET * 25);
    free(a.rows);
    free(b.rows);
    free(c.rows);
    free(d.rows);
    close_both();
    population_end(&population);
}
END_TEST

/* A sum over threads, live and ended, may never fall. */
START_TEST(sums_never_fall_while_threads_end)
{
    static const char *const paths[] = { "System", "Process", NULL };
    struct table a = { 0 }, b = { 0 };
    const char *why = NULL;
    uint64_t num;

    population_start(&population);
    ck_assert_int_eq(sample_open_way(&by_bpf, PL_PROCESSES_BPF, paths, &why),
                     PL_OK);
    tabulate(&by_bpf, &a);
    for (unsigned i = 0; i < rounds * WALKS_A_ROUND; i++) {
        struct table t = a;

        tabulate(&by_bpf, &b);
        num = value_of(&by_bpf, "System", NULL, "Processes");
        ck_assert_uint_ge(num, b.num); /* one walk for both */
        ck_assert_uint_le(num, b.num + b.ended);
        for (size_t k = 0; k < b.num; k++) {
            const struct row *now = &b.rows[k], *before = find(&a, now);

            for (size_t n = 0; before && n < NUM_COUNTERS; n++)
                if (now->has[n] && counters[n].check <= TIMES)
                    ck_assert_msg(before->v[n] <= now->v[n],
                                  "%s: %s fell from %llu to %llu", now->name,
                                  counters[n].name,
                                  (unsigned long long)before->v[n],
                                  (unsigned long long)now->v[n]);
        }
        a = b;
        b = t;
    }
    free(a.rows);
    free(b.rows);
    sample_close(&by_bpf);
    population_end(&population);
}
END_TEST

/* ---- a process without a main thread ------------------------------------------ */

static uint64_t open_files(void)
{
    uint64_t n = 0;

    for (int fd = 0; fd < (int)sysconf(_SC_OPEN_MAX); fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

static char state_of(pid_t pid)
{
    char path[64], state = 0;
    FILE *f;

    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    f = fopen(path, "r");
    ck_assert_ptr_nonnull(f);
    ck_assert_int_eq(fscanf(f, "%*d (%*[^)]) %c", &state), 1);
    fclose(f);
    return state;
}

static uint64_t of_process(struct sample *s, pid_t pid, const char *counter)
{
    struct pl_counter_def id, def;
    struct pl_instance in;
    struct pl_object o;
    uint64_t v = 0;

    ck_assert(sample_object(s, "Process", &o));
    ck_assert(sample_counter(s, "Process", "ID Process", false, &id));
    ck_assert(sample_counter(s, "Process", counter, false, &def));
    while (pl_instance_next(&o, &in) == PL_OK)
        if (pl_counter_get(&o, &in, &id, &v) && v == (uint64_t)pid) {
            ck_assert(pl_counter_get(&o, &in, &def, &v));
            return v;
        }
    ck_abort_msg("process %d is missing", (int)pid);
}

static void check_held(struct sample *s, pid_t pid, uint64_t files)
{
    uint64_t resident;

    sample_take(s);
    resident = of_process(s, pid, "Working Set");
    ck_assert_uint_ge(resident, POPULATION_BYTES);
    ck_assert_uint_ge(of_process(s, pid, "Private Bytes"), POPULATION_BYTES);
    ck_assert_uint_ge(of_process(s, pid, "Working Set Peak"), resident);
    ck_assert_uint_gt(of_process(s, pid, "Virtual Bytes"), resident);
    ck_assert_uint_eq(of_process(s, pid, "Handle Count"), files);
    ck_assert_uint_eq(of_process(s, pid, "Thread Count"), 2);
    ck_assert_uint_eq(of_process(s, pid, "Data Flags"), 0);
}

/* Those that go on have its memory and files. */
START_TEST(a_process_outlives_its_main_thread)
{
    static const char *const paths[] = {
        "Process",
        "Process\\Handle Count",
        "Process\\Working Set Peak",
        NULL,
    };
    uint64_t files;
    char answer;
    int ends[2];
    pid_t pid;

    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    open_both(paths);
    files = open_files() + POPULATION_FILES;
    pid = population_two_threads(ends[1]);
    ck_assert_int_eq(read(ends[0], &answer, 1), 1);
    for (int i = 0; i < 3; i++) { /* descriptors are kept */
        check_held(&by_proc, pid, files);
        check_held(&by_bpf, pid, files);
        ck_assert_uint_eq(of_process(&by_proc, pid, "Virtual Bytes"),
                          of_process(&by_bpf, pid, "Virtual Bytes"));
        if (!i)
            ck_assert_int_eq(write(ends[0], "", 1), 1);
        while (state_of(pid) != 'Z')
            usleep(1000);
    }
    close(ends[0]);
    close(ends[1]);
    kill(pid, SIGKILL);
    ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
    close_both();
}
END_TEST

/* ---- threads ------------------------------------------------------------------------ */

static void *read_often(void *file)
{
    char byte;

    for (int i = 0; i < READS; i++)
        if (pread(*(int *)file, &byte, 1, 0) != 1)
            _exit(1);
    return NULL;
}

/* A process that starts a thread for each byte, and answers when it has ended. */
static pid_t start_threads_on_request(int requests)
{
    pid_t pid = fork();
    int file = open("/proc/self/exe", O_RDONLY);
    pthread_t thread;
    char byte;

    ck_assert_int_ge(pid, 0);
    while (!pid)
        if (read(requests, &byte, 1) != 1 ||
            pthread_create(&thread, NULL, read_often, &file) ||
            pthread_join(thread, NULL) || write(requests, &byte, 1) != 1)
            _exit(1);
    close(file);
    return pid;
}

/* No sample has the thread, and the kernel's report of its end has none of its
 * calls (taskstats.h). */
START_TEST(calls_of_a_thread_that_came_and_went)
{
    static const char *const paths[] = { "Process", NULL };
    static const char calls[] = "IO Read Operations/sec";
    uint64_t bpf = 0, proc = 0;
    char byte = 0;
    int ends[2];
    pid_t pid;

    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    pid = start_threads_on_request(ends[1]);
    open_both(paths);
    for (int i = 0; i < 4; i++) {
        sample_take(&by_proc);
        sample_take(&by_bpf);
        ck_assert_uint_ge(of_process(&by_bpf, pid, calls), bpf);
        if (has_counter(&by_proc, "Process", "Exits/sec"))
            ck_assert_uint_ge(of_process(&by_proc, pid, calls), proc);
        bpf = of_process(&by_bpf, pid, calls) + READS;
        proc = of_process(&by_proc, pid, calls) + READS;
        ck_assert_int_eq(write(ends[0], &byte, 1), 1);
        ck_assert_int_eq(read(ends[0], &byte, 1), 1);
    }
    kill(pid, SIGKILL);
    ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
    close(ends[0]);
    close(ends[1]);
    close_both();
}
END_TEST

static size_t count_threads(struct sample *s, pid_t pid, uint64_t *run_time,
                            uint32_t *parents)
{
    struct pl_counter_def id, time;
    struct pl_instance in;
    struct pl_object o;
    uint64_t v;
    size_t n = 0;

    ck_assert(sample_counter(s, "Thread", "ID Process", false, &id));
    ck_assert(sample_counter(s, "Thread", "% Processor Time", false, &time));
    ck_assert(sample_object(s, "Thread", &o));
    *run_time = 0;
    while (pl_instance_next(&o, &in) == PL_OK) {
        ck_assert_uint_eq(in.parent_object, 230);
        ck_assert(pl_counter_get(&o, &in, &id, &v));
        if (v != (uint64_t)pid)
            continue;
        if (n++)
            ck_assert_uint_eq(*parents, in.parent_instance);
        *parents = in.parent_instance;
        ck_assert(pl_counter_get(&o, &in, &time, &v));
        *run_time += v;
    }
    return n;
}

/* The number of the process at a position of the list. */
static uint64_t process_at(struct sample *s, uint32_t position)
{
    struct pl_counter_def id;
    struct pl_instance in;
    struct pl_object o;
    uint64_t v = 0;

    ck_assert(sample_counter(s, "Process", "ID Process", false, &id));
    ck_assert(sample_object(s, "Process", &o));
    for (uint32_t i = 0; i <= position; i++)
        ck_assert_int_eq(pl_instance_next(&o, &in), PL_OK);
    ck_assert(pl_counter_get(&o, &in, &id, &v));
    return v;
}

START_TEST(threads_belong_to_their_processes)
{
    static const char *const paths[] = { "Thread", NULL };

    population_start(&population);
    open_both(paths);
    sample_take(&by_proc);
    sample_take(&by_bpf);
    for (unsigned i = 0; i < POPULATION_QUIET; i++) {
        pid_t pid = population.quiet[i];
        uint64_t proc_time, bpf_time;
        uint32_t proc_parent = 0, bpf_parent = 0;
        size_t want = i % 3 == 1 ? i + 1 : 1;

        ck_assert_uint_eq(
            count_threads(&by_proc, pid, &proc_time, &proc_parent), want);
        ck_assert_uint_eq(count_threads(&by_bpf, pid, &bpf_time, &bpf_parent),
                          want);
        ck_assert_uint_eq(proc_time, bpf_time); /* both in ns */
        ck_assert_uint_eq(process_at(&by_proc, proc_parent), (uint64_t)pid);
        ck_assert_uint_eq(process_at(&by_bpf, bpf_parent), (uint64_t)pid);
    }
    /* The parents are there to be named, not for their counters. */
    ck_assert(!has_counter(&by_bpf, "Process", "Working Set"));
    ck_assert(!has_counter(&by_proc, "Process", "Working Set"));
    close_both();
    population_end(&population);
}
END_TEST

/* Instructions that the kernel followed when it verified the programs that this process
 * holds. */
static unsigned long verified(void)
{
    DIR *all = opendir("/proc/self/fdinfo");
    const struct dirent *e;
    unsigned long sum = 0, n;

    ck_assert_ptr_nonnull(all);
    while ((e = readdir(all)) != NULL) {
        char path[300], line[200];
        FILE *f;

        snprintf(path, sizeof path, "/proc/self/fdinfo/%s", e->d_name);
        f = fopen(path, "r");
        while (f && fgets(line, sizeof line, f))
            if (sscanf(line, "verified_insns: %lu", &n) == 1)
                sum += n;
        if (f)
            fclose(f);
    }
    closedir(all);
    return sum;
}

/* A kernel that lacks nothing takes the form of the program that loads quickly.  Most of
 * the time is the verifier's, by instruction. */
START_TEST(the_quick_form_is_loaded)
{
#ifdef OTHER_KERNEL
    const bool is_usual = false;
#else
    const bool is_usual = true;
#endif
    /* 6,200 by Linux 6.18; 9,600 by 6.1, which follows what is behind the choice of a
     * ring once for each. */
    enum { FEW = 12000 };
    struct pl_task_program *p = NULL;
    unsigned long before = verified(), after;
    const char *why = NULL;

    ck_assert_int_eq(pl_task_program_open(&p, &why), PL_OK);
    ck_assert_msg(!why, "%s", why);
    after = verified();
    ck_assert(pl_task_program_is_quick(p) == is_usual);
    ck_assert_uint_gt(after, before);
    if (is_usual)
        ck_assert_uint_lt(after - before, FEW);
    pl_task_program_close(p);
}
END_TEST

int main(int argc, char **argv)
{
    TCase *t = tcase_create("ways");
    int status = sample_without_bpf("linux_ways");

    if (status)
        return status;
    if (argc > 1 && !strcmp(argv[1], "--in-namespace")) {
        execlp("unshare", "unshare", "-pf", "--mount-proc", "--kill-child",
               argv[0], (char *)NULL);
        perror("unshare");
        return 1;
    }
    if (argc > 1)
        rounds = (unsigned)strtoul(argv[1], NULL, 10);
    tcase_add_test(t, the_quick_form_is_loaded);
    tcase_add_test(t, both_ways_say_the_same);
    tcase_add_test(t, sums_never_fall_while_threads_end);
    tcase_add_test(t, a_process_outlives_its_main_thread);
    tcase_add_test(t, calls_of_a_thread_that_came_and_went);
    tcase_add_test(t, threads_belong_to_their_processes);
    return run_suite("linux_ways", (TCase *const[]){ t, NULL });
}
