/* A sample for which there is no memory: each of its allocations fails once.
 * The samples after it are as if it had not been. */
#include "tests/support/faults.h"
#include "tests/support/proc_tree.h"
#include "tests/support/sample.h"
#include "tests/support/support.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static struct sample sample;

static void take_failing(const struct fault *f)
{
    pl_sampler_clocks(&sample.tick);
    faults_set(f, 1);
    faults_on();
    if (pl_sampler_read(sample.sampler, &sample.tick, &sample.stats,
                        &sample.block))
        ck_assert_uint_gt(faults_hit(), 0);
    faults_off();
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

int main(void)
{
    TCase *t = tcase_create("linux_no_memory");

    tcase_add_test(t, a_sample_without_memory_harms_no_later_one);
    return run_suite("linux_no_memory", (TCase *[]){ t, NULL });
}
