/* A sample for which there is no memory: each of its allocations fails once.
 * The samples after it are as if it had not been: of a saved tree, and of the
 * machine that runs the test, whose processes come and go meanwhile. */
#include "format/payload/process_identity.h"
#include "tests/support/faults.h"
#include "tests/support/proc_tree.h"
#include "tests/support/sample.h"
#include "tests/support/support.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct sample sample;

/* False: the sample is lost. */
static bool take_failing(const struct fault *f)
{
    enum pl_status s;

    pl_sampler_clocks(&sample.tick);
    faults_set(f, 1);
    faults_on();
    s = pl_sampler_read(sample.sampler, &sample.tick, &sample.stats,
                        &sample.block);
    faults_off();
    ck_assert(!s || s == PL_NOMEM);
    ck_assert(!s || faults_hit());
    return !s;
}

/* The titles, and the length of the block, of the sample after it. */
static size_t take_next(struct pl_buf *titles)
{
    uint32_t generation;

    sample_take(&sample);
    pl_buf_clear(titles);
    pl_titles_write(pl_sampler_titles(sample.sampler, &generation), titles);
    ck_assert(!titles->oom);
    return sample.block.len;
}

START_TEST(a_sample_without_memory_harms_no_later_one)
{
    struct fault f = { CALL_ALLOC, 1, 0, ENOMEM };
    struct pl_buf titles = { 0 }, want_titles = { 0 };
    size_t want;
    uint32_t calls;

    sample_open_tree(&sample);
    take_failing(&f); /* none fails */
    calls = faults_counted(CALL_ALLOC);
    want = take_next(&want_titles);
    sample_close(&sample);
    for (f.num = 1; f.first <= calls; f.first++) {
        const char *why;

        ck_assert_int_eq(sample_open(&sample, temp_dir(), NULL, &why), PL_OK);
        take_failing(&f);
        ck_assert_uint_eq(faults_hit(), 1);
        ck_assert_uint_eq(take_next(&titles), want);
        ck_assert_uint_eq(titles.len, want_titles.len);
        ck_assert_mem_eq(titles.p, want_titles.p, titles.len);
        sample_close(&sample);
    }
    ck_assert_uint_gt(calls, 100);
    printf("linux_no_memory: %u allocations of a sample\n", calls);
    pl_buf_release(&titles);
    pl_buf_release(&want_titles);
}
END_TEST

/* ---- of this machine ------------------------------------------------------ */

/* Of the allocations, which are mostly the same by both ways, every second or,
 * as a program takes long to load, every eleventh fails; in the gate fewer. */
static const struct {
    enum pl_process_way way;
    uint32_t step, step_of_gate;
} ways[] = { { PL_PROCESSES_PROC, 2, 5 }, { PL_PROCESSES_BPF, 11, 23 } };

/* A process that lives until it is killed. */
static pid_t begin_one(void)
{
    pid_t pid = fork();

    ck_assert_int_ge(pid, 0);
    while (!pid)
        pause();
    return pid;
}

static void end_one(pid_t pid)
{
    ck_assert_int_eq(kill(pid, SIGKILL), 0);
    ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}

/* How often the last block says of the process that it was killed; -1: the ends
 * of processes are not seen here. */
static int64_t ends_of(pid_t pid)
{
    char name[64];
    uint64_t n;

    if (!has_counter(&sample, "Process", "Killed By Signal/sec"))
        return -1;
    snprintf(name, sizeof name, "test_linux_no_m:%d", (int)pid);
    return sample_value(&sample, "Process", name, "Killed By Signal/sec", false,
                        &n)
               ? (int64_t)n
               : 0;
}

/* Samples until all that comes late is there: by the kernel's leave, so that on a
 * busy machine time must pass between them. */
enum { MOST = 3000, AT_ONCE = 3, PAUSE_US = 10000 };

static void take_next_of(int i)
{
    if (i >= AT_ONCE)
        usleep(PAUSE_US);
    sample_take(&sample);
}

static struct sample other; /* which has no faults */

static int32_t num_of(const struct sample *s, const char *object)
{
    struct pl_object o;

    return sample_object(s, object, &o) ? o.num_instances : -1;
}

/* The lists that sources keep between samples are as the other sampler's, though
 * others make and remove groups meanwhile. */
static void check_lists(void)
{
    bool agree = false;

    for (int i = 0; i < MOST && !agree; i++) {
        take_next_of(i);
        sample_take(&other);
        agree =
            num_of(&sample, "LogicalDisk") == num_of(&other, "LogicalDisk") &&
            num_of(&sample, "Control Group") == num_of(&other, "Control Group");
    }
    ck_assert(agree);
}

/* Whether the identity was recorded; takes those that wait. */
static bool has_identity(pid_t pid)
{
    struct pl_buf *all = pl_sampler_identities(sample.sampler);
    struct pl_cur c = pl_cur_of(all->p, all->len);
    struct pl_process_identity p;
    bool found = false;

    while (pl_process_identity_next(&c, &p) == PL_OK)
        found |= p.pid == (uint64_t)pid;
    pl_buf_clear(all);
    return found;
}

/* What the samples have of one process that stays, and one that ends. */
struct seen {
    int64_t ends; /* samples that show it to end; below 0: ends are not seen */
    bool is_known;
};

static void look(struct seen *seen, pid_t stays, pid_t ends)
{
    seen->ends += ends_of(ends);
    seen->is_known |= has_identity(stays);
}

/* An end that is not shown is counted as lost.  On a busy machine the kernel reports
 * it samples later. */
static bool is_all_there(const struct seen *seen)
{
    return seen->is_known &&
           (seen->ends ||
            value_of(&sample, "Performance Logger", NULL, "Exits Lost"));
}

/* Samples, of which the first or the second has a fault, after one process has
 * begun and another ended.  False: it was not met. */
static bool run(enum pl_process_way way, unsigned failing,
                const struct fault *f)
{
    pid_t ends = begin_one(), stays;
    struct seen seen = { 0 };
    const char *why;

    ck_assert_int_eq(sample_open_way(&sample, way, NULL, &why), PL_OK);
    for (unsigned i = 1; i < failing; i++)
        sample_take(&sample);
    stays = begin_one();
    end_one(ends);
    if (take_failing(f))
        look(&seen, stays, ends);
    for (int i = 0; i < AT_ONCE || (!is_all_there(&seen) && i < MOST); i++) {
        take_next_of(i);
        look(&seen, stays, ends);
    }
    ck_assert(is_all_there(&seen));
    check_lists();
    end_one(stays);
    sample_close(&sample);
    return faults_hit();
}

START_TEST(a_sample_of_this_machine_is_lost_alone)
{
    enum pl_process_way way = ways[_i].way;
    uint32_t step = runs_in_full() ? ways[_i].step : ways[_i].step_of_gate;
    const char *why;

    if (sample_open_way(&sample, way, NULL, &why)) {
        printf("skipped, as there is no BPF: %s\n", why);
        return;
    }
    sample_close(&sample);
    ck_assert_int_eq(sample_open_way(&other, PL_PROCESSES_PROC, NULL, &why),
                     PL_OK);
    for (unsigned failing = 1; failing <= 2; failing++) {
        struct fault f = { CALL_ALLOC, 1, 1, ENOMEM };

        while (run(way, failing, &f))
            f.first += step;
        ck_assert_uint_gt(f.first, 10);
        printf("linux_no_memory: %u allocations of sample %u\n", f.first - 1,
               failing);
    }
    sample_close(&other);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("linux_no_memory");

    tcase_add_test(t, a_sample_without_memory_harms_no_later_one);
    tcase_set_timeout(t, 600);
    tcase_add_loop_test(t, a_sample_of_this_machine_is_lost_alone, 0, 2);
    return run_suite("linux_no_memory", (TCase *[]){ t, NULL });
}
