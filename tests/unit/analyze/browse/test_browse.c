/* What keys do to the state of a screen, without a terminal. */
#include "analyze/browse/browse.h"

#include "analyze/browse/history.h"
#include "format/base/file.h"
#include "format/time/time_text.h"
#include "format/block/titles.h"
#include "format/block/winperf.h"
#include "format/writer/writer.h"
#include "tests/support/long_machine.h"
#include "tests/support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define START (INT64_C(1795219200) * PL_NS_PER_SEC)
#define SECOND PL_NS_PER_SEC

enum { SAMPLES = 600 };

static struct pl_browse *b;

/* ---- the clock by which work is cut into pieces ---------------------------- */

static int64_t now_ns, each_ns; /* 0: the clock is that of the system */

int64_t __real_pl_clock_steady(void);
int64_t __wrap_pl_clock_steady(void);

int64_t __wrap_pl_clock_steady(void)
{
    return each_ns ? (now_ns += each_ns) : __real_pl_clock_steady();
}

/* ---- logs ------------------------------------------------------------------- */

static struct pl_writer *open_log(const char *path, int64_t interval_ns)
{
    const struct pl_writer_options options = {
        .session = { .host = pl_text_of("made"),
                     .interval_ns = (uint64_t)interval_ns,
                     .provider = pl_text_of(PL_PROVIDER_LINUX) },
        .sync_ns = PL_SYNC_NEVER,
        .is_copy = true,
        .begun_utc_ns = START,
        .begun_boot_ns = SECOND,
    };
    struct pl_writer *w;
    const char *why;

    ck_assert_int_eq(pl_writer_open(&w, path, &options, &why), PL_OK);
    return w;
}

static void make_log(const char *path)
{
    struct long_machine m = { .random = 7,
                              .processors = 2,
                              .disks = 2,
                              .interfaces = 1,
                              .processes = 20,
                              .churn = 1,
                              .utc_ns = START,
                              .boot_ns = SECOND };
    struct pl_buf block = { 0 }, titles = { 0 };
    struct pl_writer *w = open_log(path, SECOND);

    long_machine_titles(&titles);
    pl_writer_titles(w, &titles);
    long_machine_start(&m);
    for (int i = 0; i < SAMPLES; i++) {
        const struct pl_sample_stamp stamp = { m.utc_ns, m.boot_ns, 0 };

        long_machine_block(&m, &block);
        ck_assert_int_eq(pl_writer_sample(w, &stamp, &block), PL_OK);
        long_machine_run(&m, SECOND);
    }
    ck_assert_int_eq(pl_writer_close(w, PL_END_ASKED, NULL), PL_OK);
    long_machine_stop(&m);
    pl_buf_release(&block);
    pl_buf_release(&titles);
}

enum { PROCESSOR = 238, PROCESSOR_TIME = 6 };

static void put_busy_titles(struct pl_writer *w)
{
    struct pl_buf payload = { 0 };
    struct pl_titles *t;

    ck_assert_int_eq(pl_titles_new(&t), PL_OK);
    pl_titles_set(t, PROCESSOR, PL_TITLE_NAME, PL_LANGUAGE_ENGLISH,
                  pl_text_of("Processor"));
    pl_titles_set(t, PROCESSOR_TIME, PL_TITLE_NAME, PL_LANGUAGE_ENGLISH,
                  pl_text_of("% Processor Time"));
    pl_titles_write(t, &payload);
    pl_titles_free(t);
    pl_writer_titles(w, &payload);
    pl_buf_release(&payload);
}

/* 'since' is the time since the first sample, 'busy' how much of it was used. */
static void put_busy_block(struct pl_buf *out, int64_t since_ns,
                           int64_t busy_ns)
{
    const struct pl_block_stamp stamp = {
        .utc_ns = START + since_ns,
        .perf_time = since_ns / 100,
        .perf_freq = PL_FREQ_100NS,
        .perf_time_100ns = PL_FILETIME_OF_1970 + (START + since_ns) / 100,
    };
    const struct pl_object head = { .title_index = PROCESSOR,
                                    .perf_time = since_ns / 100,
                                    .perf_freq = PL_FREQ_100NS };
    const struct pl_counter_def counter = { .title_index = PROCESSOR_TIME,
                                            .type = PERF_100NSEC_TIMER,
                                            .size = 8,
                                            .offset = 8 };
    size_t block, object;
    uint8_t *p;

    pl_buf_clear(out);
    block = pl_put_block(out, &stamp, NULL, 0);
    object = pl_put_object(out, &head);
    pl_put_counter(out, &counter);
    pl_put_definitions_close(out, object, 1);
    pl_put_instance_called(out, 0, 0, PERF_NO_UNIQUE_ID, pl_text_of("_Total"));
    p = pl_put_counter_block(out, 16);
    ck_assert_ptr_nonnull(p);
    pl_put_le64(p + 8, (uint64_t)(busy_ns / 100));
    pl_put_object_close(out, object, 1);
    pl_put_block_close(out, block, 1, PROCESSOR);
}

/* Processors alone; 'busy' is reported by the sample that ends an interval. */
static void make_busy_log(const char *path, int64_t interval_ns, int samples,
                          int (*busy_percent)(int sample))
{
    struct pl_writer *w = open_log(path, interval_ns);
    struct pl_buf block = { 0 };
    int64_t busy_ns = 0;

    put_busy_titles(w);
    for (int i = 0; i < samples; i++) {
        const int64_t since_ns = i * interval_ns;
        const struct pl_sample_stamp stamp = { START + since_ns,
                                               SECOND + since_ns, 0 };

        busy_ns += interval_ns / 100 * busy_percent(i);
        put_busy_block(&block, since_ns, busy_ns);
        ck_assert_int_eq(pl_writer_sample(w, &stamp, &block), PL_OK);
    }
    ck_assert_int_eq(pl_writer_close(w, PL_END_ASKED, NULL), PL_OK);
    pl_buf_release(&block);
}

/* ---- keys ------------------------------------------------------------------- */

static char *log_path(void)
{
    return (char *)path_in(temp_dir(), "log.plog");
}

static void browse(char *path)
{
    static char *operands[1];
    struct pl_browse_plan plan = {
        .command = "replay", .operands = operands, .num = 1, .tz = PL_TZ_USUAL
    };

    operands[0] = path;
    ck_assert_int_eq(pl_browse_open(&b, &plan), PL_EXIT_GOOD);
}

static void begin(void)
{
    char *path = log_path();

    make_log(path);
    browse(path);
}

static void end(void)
{
    each_ns = 0;
    ck_assert_int_eq(pl_browse_close(b), PL_EXIT_GOOD);
}

/* Seconds since the log's beginning. */
static int64_t at(void)
{
    return (pl_browse_time(b) - START) / SECOND;
}

static void press(uint32_t key)
{
    ck_assert_int_eq(pl_browse_key(b, key), PL_BROWSE_CHANGED);
}

static void type(const char *text)
{
    for (; *text; text++)
        press((uint8_t)*text);
    press(PL_KEY_ENTER);
}

/* Do all work; how often did that change something? */
static int work(void)
{
    int changes = 0;

    while (!pl_browse_wait_ms(b))
        changes += pl_browse_work(b) == PL_BROWSE_CHANGED;
    return changes;
}

static void check_status(const char *text)
{
    struct pl_browse_lines l = { .lines = 24, .columns = 80 };

    ck_assert_int_eq(pl_browse_put(b, &l), PL_OK);
    pl_buf_u8(&l.status, 0);
    ck_assert_msg(strstr((const char *)l.status.p, text) != NULL, "%s",
                  (const char *)l.status.p);
    pl_buf_release(&l.text);
    pl_buf_release(&l.status);
}

/* ---- tests ----------------------------------------------------------------- */

START_TEST(keys_move)
{
    ck_assert_int_eq(at(), SAMPLES - 1);
    press(PL_KEY_LEFT);
    ck_assert_int_eq(at(), SAMPLES - 2);
    press(PL_KEY_PAGE_UP);
    ck_assert_int_eq(at(), SAMPLES - 62);
    press(PL_KEY_HOME);
    ck_assert_int_eq(at(), 0);
    press(PL_KEY_PAGE_DOWN);
    ck_assert_int_eq(at(), 60);
    press(PL_KEY_RIGHT);
    ck_assert_int_eq(at(), 61);
    press('t');
    type("+2m");
    ck_assert_int_eq(at(), 181);
    press(PL_KEY_END);
    ck_assert_int_eq(at(), SAMPLES - 1);
    ck_assert_int_eq(pl_browse_wait_ms(b), 0); /* the spark lines */
}
END_TEST

/* Each step forward is the same as going there. */
START_TEST(steps_and_jumps_show_the_same)
{
    struct pl_browse_lines step = { .lines = 24, .columns = 80, .utf8 = true };
    struct pl_browse_lines jump = step;

    press(PL_KEY_HOME);
    for (int i = 0; i < 70; i++)
        press(PL_KEY_RIGHT);
    work();
    ck_assert_int_eq(pl_browse_put(b, &step), PL_OK);
    press(PL_KEY_END);
    press('t');
    type("@1795219270");
    work();
    ck_assert_int_eq(at(), 70);
    ck_assert_int_eq(pl_browse_put(b, &jump), PL_OK);
    ck_assert_uint_eq(step.text.len, jump.text.len);
    ck_assert_mem_eq(step.text.p, jump.text.p, jump.text.len);
    ck_assert_uint_gt(jump.text.len, 400);
    pl_buf_release(&step.text);
    pl_buf_release(&step.status);
    pl_buf_release(&jump.text);
    pl_buf_release(&jump.status);
}
END_TEST

START_TEST(keys_without_meaning_change_nothing)
{
    work();
    ck_assert_int_eq(pl_browse_key(b, 'Z'), PL_BROWSE_REFUSED);
    ck_assert_int_eq(pl_browse_key(b, 0), PL_BROWSE_REFUSED);
    ck_assert_int_eq(pl_browse_key(b, PL_KEY_UP), PL_BROWSE_SAME);
    ck_assert_int_eq(pl_browse_wait_ms(b), -1);
    ck_assert_int_eq(at(), SAMPLES - 1);
    ck_assert_int_eq(pl_browse_key(b, 'q'), PL_BROWSE_QUIT);
}
END_TEST

/* However fast keys come, the log is looked at twice a second. */
START_TEST(keys_do_not_put_off_looking)
{
    int left;

    each_ns = PL_NS_PER_MS;
    press(PL_KEY_END); /* looks */
    press('f');
    work();
    left = pl_browse_wait_ms(b);
    ck_assert_int_gt(left, 100);
    ck_assert_int_le(left, 500);
    now_ns += 100 * PL_NS_PER_MS;
    ck_assert_int_eq(pl_browse_key(b, PL_KEY_UP), PL_BROWSE_SAME);
    ck_assert_int_le(pl_browse_wait_ms(b), left - 100);
    now_ns += 400 * PL_NS_PER_MS;
    ck_assert_int_eq(pl_browse_key(b, PL_KEY_UP), PL_BROWSE_SAME);
    ck_assert_int_eq(pl_browse_wait_ms(b), 0);
    ck_assert_int_eq(pl_browse_work(b), PL_BROWSE_SAME);
    ck_assert_int_gt(pl_browse_wait_ms(b), 400);
}
END_TEST

START_TEST(prompts_take_any_character_but_controls)
{
    press('/');
    ck_assert_int_eq(pl_browse_key(b, 7), PL_BROWSE_REFUSED);
    for (int i = 0; i < 39; i++)
        press(0x6F22); /* three bytes each */
    ck_assert_int_eq(pl_browse_key(b, 0x6F22), PL_BROWSE_REFUSED);
    press(PL_KEY_BACKSPACE);
    press('q'); /* is text here */
    press(PL_KEY_ESCAPE);
    ck_assert_int_eq(pl_browse_key(b, 'q'), PL_BROWSE_QUIT);
}
END_TEST

/* A search ends with the key that comes while it goes on. */
START_TEST(a_search_can_be_left)
{
    work();
    each_ns = 4 * PL_NS_PER_MS; /* so that a piece is a few samples */
    press('N');
    press(PL_KEY_LEFT);
    work();
    ck_assert_int_eq(at(), SAMPLES - 2);
    press('N');
    work();
    ck_assert_int_lt(at(), SAMPLES - 2);
}
END_TEST

START_TEST(a_counter_that_no_process_has_sorts_nothing)
{
    press('s');
    type("Threads Lost");
    check_status("'Threads Lost': no process has such a counter");
    press('s');
    type("Thread Count");
    check_status("processes by Thread Count");
}
END_TEST

/* ---- peaks and spark lines -------------------------------------------------- */

static int middle_percent;

static int busy_in_the_middle(int sample)
{
    return sample == SAMPLES / 2 ? middle_percent : 40;
}

/* What is greatest is a peak if it is half as much again as usual. */
START_TEST(the_greatest_value_may_be_usual)
{
    char *path = log_path();

    middle_percent = _i;
    make_busy_log(path, SECOND, SAMPLES, busy_in_the_middle);
    browse(path);
    press(PL_KEY_HOME);
    pl_browse_key(b, 'n');
    work();
    ck_assert_int_eq(at(), _i >= 60 ? SAMPLES / 2 : 0);
    check_status(_i >= 60 ? "peak: processors busy"
                          : "no peak, gap or event follows");
    end();
}
END_TEST

enum { MANY = 20100, LONE = 5000, BUSY = 9010, BUSIEST = 9031, CALM = 9050 };

static int busy_in_one_minute(int sample)
{
    if (sample == LONE || sample == BUSIEST)
        return 95;
    return sample >= BUSY && sample < CALM ? 80 : 10;
}

/* Minutes are compared, and the worst second of the worst one is shown. */
START_TEST(long_logs_are_searched_by_key_samples)
{
    char *path = log_path();

    make_busy_log(path, SECOND, MANY, busy_in_one_minute);
    browse(path);
    press(PL_KEY_HOME);
    pl_browse_key(b, 'n');
    work();
    ck_assert_int_eq(at(), BUSIEST);
    check_status("peak: processors busy 56.9 %, usually 10.0 %");
    press('n');
    ck_assert_int_eq(at(), BUSIEST);
    check_status("no peak, gap or event follows");
    press(PL_KEY_END);
    press('N');
    ck_assert_int_eq(at(), BUSIEST);
    press('N');
    ck_assert_int_eq(at(), BUSIEST);
    /* A minute in which one is has its worst second before or behind one. */
    press('t');
    type("+4s");
    press('n');
    check_status("no peak, gap or event follows");
    ck_assert_int_eq(at(), BUSIEST + 4);
    press('N');
    ck_assert_int_eq(at(), BUSIEST);
    press(PL_KEY_LEFT);
    press('N');
    ck_assert_int_eq(at(), BUSIEST - 1);
    press('n');
    ck_assert_int_eq(at(), BUSIEST);
    end();
}
END_TEST

enum { TENTHS = 6100 };

static int busy_at_first(int tenth)
{
    return tenth >= 150 && tenth < 160 ? 90 : 10;
}

/* However many samples a second there are, all of a spark line is kept. */
START_TEST(spark_lines_of_short_intervals_are_whole)
{
    char *path = log_path();
    struct pl_host_logs logs;
    struct pl_page_reader page;
    struct pl_history h = { 0 };
    float values[PL_SPARKS];
    const char *bad;

    make_busy_log(path, SECOND / 10, TENTHS, busy_at_first);
    ck_assert_int_eq(pl_host_logs_open(&logs, &path, 1, &bad), PL_OK);
    ck_assert_int_eq(pl_page_reader_open(&page, logs.logs, NULL, 0), PL_OK);
    ck_assert_int_eq(pl_page_reader_last(&page), PL_OK);
    ck_assert_int_eq(pl_history_show(&h, &page, false), PL_OK);
    while (h.reading)
        ck_assert_int_eq(pl_history_read(&h), PL_OK);
    pl_history_values(&h, page.time_ns, PL_MOMENT_PROCESSOR, PL_SPARKS, values);
    ck_assert_float_eq_tol(values[0], 90, 0.01F);
    for (size_t i = 1; i < PL_SPARKS; i++)
        ck_assert_float_eq_tol(values[i], 10, 0.01F);
    pl_history_clear(&h);
    pl_page_reader_close(&page);
    pl_host_logs_release(&logs);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("browse"), *busy = tcase_create("busy");

    tcase_set_timeout(t, 300);
    tcase_add_checked_fixture(t, begin, end);
    tcase_add_test(t, keys_move);
    tcase_add_test(t, steps_and_jumps_show_the_same);
    tcase_add_test(t, keys_without_meaning_change_nothing);
    tcase_add_test(t, keys_do_not_put_off_looking);
    tcase_add_test(t, prompts_take_any_character_but_controls);
    tcase_add_test(t, a_search_can_be_left);
    tcase_add_test(t, a_counter_that_no_process_has_sorts_nothing);
    tcase_set_timeout(busy, 300);
    tcase_add_loop_test(busy, the_greatest_value_may_be_usual, 58, 63);
    tcase_add_test(busy, long_logs_are_searched_by_key_samples);
    tcase_add_test(busy, spark_lines_of_short_intervals_are_whole);
    return run_suite("browse", (TCase *[]){ t, busy, NULL });
}
