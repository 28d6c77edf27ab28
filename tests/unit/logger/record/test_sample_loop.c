/* Samples that the sampler cannot make: lost, counted, reported, and no reason
 * to end. */
#include "logger/record/sample_loop.h"

#include "format/time/time_text.h"
#include "tests/support/logs.h"
#include "tests/support/support.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const struct pl_command pl_cmd_record;

/* What becomes of the samples, in order; those after them are made. */
static const enum pl_status fates[] = { PL_OK,        PL_NOMEM,
                                        PL_NOMEM,     PL_OK,
                                        PL_TOO_LARGE, PL_TOO_LARGE,
                                        PL_TOO_LARGE, PL_NOMEM };
enum { NUM_FATES = sizeof fates / sizeof *fates, NUM_SAMPLES = 4 };
static size_t num_read;

enum pl_status __real_pl_sampler_read(struct pl_sampler *s,
                                      const struct pl_tick *tick,
                                      const struct pl_logger_stats *stats,
                                      struct pl_buf *block);
enum pl_status __wrap_pl_sampler_read(struct pl_sampler *s,
                                      const struct pl_tick *tick,
                                      const struct pl_logger_stats *stats,
                                      struct pl_buf *block);
enum pl_status __wrap_pl_sampler_read(struct pl_sampler *s,
                                      const struct pl_tick *tick,
                                      const struct pl_logger_stats *stats,
                                      struct pl_buf *block)
{
    enum pl_status fate = num_read < NUM_FATES ? fates[num_read] : PL_OK;

    num_read++;
    return fate ? fate : __real_pl_sampler_read(s, tick, stats, block);
}

/* How many samples had been read when pages were unmapped. */
static size_t unmapped_at[NUM_FATES], num_unmapped;

void __wrap_pl_start_pages_unmap(void);
void __wrap_pl_start_pages_unmap(void)
{
    ck_assert_uint_lt(num_unmapped, NUM_FATES);
    unmapped_at[num_unmapped++] = num_read;
}

#define STEP (-3 * PL_NS_PER_SEC)
static bool has_step; /* before the first sample that is not made */

bool __real_pl_ticks_due(struct pl_ticks *t, const struct pl_tick *now,
                         struct pl_wake *out);
bool __wrap_pl_ticks_due(struct pl_ticks *t, const struct pl_tick *now,
                         struct pl_wake *out);
bool __wrap_pl_ticks_due(struct pl_ticks *t, const struct pl_tick *now,
                         struct pl_wake *out)
{
    bool due = __real_pl_ticks_due(t, now, out);

    if (due && has_step && num_read == 1)
        out->step_ns = STEP;
    return due;
}

/* Record with what is said in the file 'said'. */
static enum pl_end_reason record(struct pl_sample_loop *r, const char *log,
                                 const char *said,
                                 struct pl_write_queue_report *final)
{
    struct pl_counter_path_list choice = { 0 };
    const struct pl_sampler_options options = { .choice = &choice,
                                                .interval_ns =
                                                    10 * PL_NS_PER_MS };
    struct pl_record_options p = { .path = log,
                                   .interval_ns = 10 * PL_NS_PER_MS,
                                   .count = NUM_SAMPLES };
    enum pl_status trouble;
    enum pl_end_reason reason;
    const char *why;
    int before = dup(STDERR_FILENO);
    FILE *to = fopen(said, "w");

    ck_assert_int_eq(pl_counter_path_list_add(&choice, "\\System\\*", &why),
                     PL_OK);
    ck_assert_int_eq(pl_sampler_open(&r->sampler, &options, &why), PL_OK);
    pl_notify_open(&r->notify);
    ck_assert_int_eq(
        pl_write_queue_start(&r->spool, log_open(log, &log_options), NULL),
        PL_OK);
    ck_assert_ptr_nonnull(to);
    dup2(fileno(to), STDERR_FILENO);
    reason = pl_sample_loop_run(r, &p, &trouble);
    dup2(before, STDERR_FILENO);
    fclose(to);
    ck_assert_int_eq(trouble, PL_OK);
    pl_write_queue_stop(r->spool, reason, final);
    pl_notify_close(&r->notify);
    pl_sample_loop_release(r);
    pl_sampler_close(r->sampler);
    pl_counter_path_list_release(&choice);
    return reason;
}

START_TEST(a_sample_that_cannot_be_made_is_lost_and_no_more)
{
    const char *log = path_in(temp_dir(), "log.plog");
    const char *said = path_in(temp_dir(), "said");
    static const char want[] =
        "perflog: record: there is too little memory for samples; sampling "
        "goes on, lost samples are counted\n"
        "perflog: record: samples can be made again\n"
        "perflog: record: samples are larger than 64 MiB and are lost; choose "
        "less with -c\n"
        "perflog: record: there is too little memory for samples; sampling "
        "goes on, lost samples are counted\n"
        "perflog: record: samples can be made again\n";
    struct pl_gaps gaps[PL_NUM_GAP_CAUSES];
    struct pl_write_queue_report final;
    struct pl_sample_loop r = { 0 };
    struct log l = { 0 };
    uint8_t *text;
    size_t n;

    unsetenv("NOTIFY_SOCKET");
    ck_assert_int_eq(record(&r, log, said, &final), PL_END_ASKED);
    ck_assert_uint_eq(final.stats.samples, NUM_SAMPLES);
    ck_assert_uint_eq(r.not_made, 6);
    ck_assert_uint_eq(pl_sample_loop_num_lost(&r, &final.stats), 6);
    log_gaps(log, gaps);
    ck_assert_uint_eq(gaps[PL_GAP_TOO_LARGE].count, 3);
    ck_assert_int_eq(gaps[PL_GAP_DISK_ERROR].error, ENOMEM);
    text = read_file(said, &n);
    ck_assert_uint_eq(n, sizeof want - 1);
    ck_assert_mem_eq(text, want, n);
    free(text);
    log_release(&l);
}
END_TEST

/* The first sample after a step says so, also where others were lost. */
START_TEST(a_step_of_the_clock_is_reported_though_its_sample_is_lost)
{
    const char *log = path_in(temp_dir(), "log.plog");
    struct pl_write_queue_report final;
    struct pl_sample_loop r = { 0 };
    unsigned samples = 0, notes = 0;
    struct pl_reader *reader;
    struct pl_item item;

    unsetenv("NOTIFY_SOCKET");
    has_step = true;
    record(&r, log, path_in(temp_dir(), "said"), &final);
    ck_assert_int_eq(pl_reader_open(&reader, log, NULL), PL_OK);
    while (!pl_reader_next(reader, &item)) {
        if (item.kind == PL_ITEM_SAMPLE)
            ck_assert_int_eq(!(item.record.flags & PL_FLAG_CLOCK_STEPPED),
                             ++samples != 2);
        notes +=
            item.kind == PL_ITEM_NOTE && item.note.kind == PL_NOTE_CLOCK_STEP;
    }
    pl_reader_close(reader);
    ck_assert_uint_eq(samples, NUM_SAMPLES);
    ck_assert_uint_eq(notes, 1);
}
END_TEST

/* Before the first sample, and when what is done for the first time has been done. */
START_TEST(what_only_the_start_needed_is_unmapped_three_times)
{
    static const size_t want[] = { 0, 1, 3 };
    struct pl_write_queue_report final;
    struct pl_sample_loop r = { 0 };

    unsetenv("NOTIFY_SOCKET");
    record(&r, path_in(temp_dir(), "log.plog"), path_in(temp_dir(), "said"),
           &final);
    ck_assert_uint_eq(num_unmapped, sizeof want / sizeof *want);
    ck_assert_mem_eq(unmapped_at, want, sizeof want);
}
END_TEST

START_TEST(what_could_not_be_made_is_not_said_to_be_unwritten)
{
    char *log = strdup(path_in(temp_dir(), "log.plog"));
    char *said = strdup(path_in(temp_dir(), "said"));
    char *argv[] = { "record", "-i",          "10ms", "-n", "4",
                     "-c",     "\\System\\*", log,    NULL };
    uint8_t *text;
    size_t n;

    unsetenv("NOTIFY_SOCKET");
    ck_assert_ptr_nonnull(freopen(said, "w", stderr));
    ck_assert_int_eq(pl_cmd_record.run(&pl_cmd_record, 8, argv),
                     PL_EXIT_DAMAGED);
    fflush(stderr);
    text = read_file(said, &n);
    text = realloc(text, n + 1);
    text[n] = 0;
    ck_assert_ptr_nonnull(
        strstr((char *)text, ": 6 samples could not be made\n"));
    ck_assert_ptr_null(strstr((char *)text, "could not be written"));
    free(text);
    free(said);
    free(log);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("sample_loop");

    tcase_add_test(t, a_sample_that_cannot_be_made_is_lost_and_no_more);
    tcase_add_test(t,
                   a_step_of_the_clock_is_reported_though_its_sample_is_lost);
    tcase_add_test(t, what_only_the_start_needed_is_unmapped_three_times);
    tcase_add_test(t, what_could_not_be_made_is_not_said_to_be_unwritten);
    return run_suite("sample_loop", (TCase *[]){ t, NULL });
}
