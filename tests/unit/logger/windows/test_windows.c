/* The recorder of Windows over a registry that answers as a test sets. */
#include "format/block/winperf.h"
#include "logger/sampler.h"
#include "logger/windows/query_value.h"
#include "logger/windows/self.h"
#include "logger/windows/suspend.h"
#include "tests/support/fake_registry.h"
#include "tests/support/support.h"
#include "tests/support/windows_machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUM(table) (sizeof(table) / sizeof *(table))

/* ---- values of any size --------------------------------------------------------- */

static const struct {
    size_t size;
    enum fake_manner manner;
    enum pl_status want;
    unsigned asked;
} sizes[] = {
    { 0, FAKE_HONEST, PL_OK, 1 },
    { PL_FETCH_LEAST - 1, FAKE_HONEST, PL_OK, 1 },
    { PL_FETCH_LEAST, FAKE_HONEST, PL_OK, 2 }, /* it may have been cut */
    { PL_FETCH_LEAST, FAKE_CUTS, PL_OK, 2 },
    { PL_FETCH_LEAST + 1, FAKE_ZEROES_LEN, PL_OK, 2 },
    { 5 * PL_FETCH_LEAST, FAKE_CUTS, PL_OK, 4 },
    { 1 << 20, FAKE_ZEROES_LEN, PL_OK, 6 },
    { PL_FETCH_MOST, FAKE_HONEST, PL_OK, 11 },
    { PL_FETCH_MOST + 1, FAKE_HONEST, PL_TOO_LARGE, 11 },
    { PL_FETCH_MOST + 1, FAKE_CUTS, PL_TOO_LARGE, 11 },
    { 1, FAKE_BRAGS, PL_CORRUPT, 1 },
};

START_TEST(a_value_of_any_size_comes_whole_or_not_at_all)
{
    size_t n = sizes[_i].size;
    uint8_t *bytes = calloc(1, n + 1);
    struct pl_buf out = { 0 };
    struct fake_value *v;
    uint32_t error;

    ck_assert_ptr_nonnull(bytes);
    fake_start();
    if (n)
        bytes[0] = bytes[n - 1] = 0xA5;
    v = fake_set(NULL, "Global", bytes, n);
    v->manner = sizes[_i].manner;
    ck_assert_int_eq(pl_query_value(&fake.base, NULL, "Global", &out, &error),
                     sizes[_i].want);
    ck_assert_uint_eq(v->asked, sizes[_i].asked);
    if (!sizes[_i].want) {
        ck_assert_uint_eq(out.len, n);
        ck_assert(!n || !memcmp(out.p, bytes, n));
    }
    pl_buf_release(&out);
    free(bytes);
}
END_TEST

START_TEST(room_once_found_serves_again)
{
    struct pl_buf out = { 0 };
    uint32_t error;
    char *bytes = calloc(1, 1 << 20);
    struct fake_value *v;

    fake_start();
    v = fake_set("009", "Counter", bytes, 1 << 20);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(
            pl_query_value(&fake.base, "009", "Counter", &out, &error), PL_OK);
    ck_assert_uint_eq(v->asked, 6 + 2);
    v->error = 5;
    ck_assert_int_eq(pl_query_value(&fake.base, "009", "Counter", &out, &error),
                     PL_IO);
    ck_assert_uint_eq(error, 5);
    pl_buf_release(&out);
    free(bytes);
}
END_TEST

START_TEST(objects_come_as_they_are_with_ours_behind)
{
    struct pl_block b;

    win_start();
    win_open_and_sample();
    ck_assert_str_eq(win_objects(), "2 230 232 21700");
    ck_assert_ptr_null(pl_sampler_trouble(win.sampler));
    pl_block_parse(&b, win.out.p, win.out.len);
    ck_assert_int_eq(memcmp(win.out.p + b.header_len,
                            win.block.p + b.header_len,
                            win.block.len - b.header_len),
                     0);
    ck_assert_int_eq(b.perf_time, 77);
    pl_sampler_close(win.sampler);
    win.sampler = NULL;
    ck_assert_uint_eq(fake.opened, 1);
    ck_assert_uint_eq(fake.closed, 1);
}
END_TEST

START_TEST(titles_are_those_of_what_is_in_the_blocks)
{
    const struct pl_titles *t;
    uint32_t before, after;

    win_start();
    win_open_and_sample();
    t = pl_sampler_titles(win.sampler, &before);
    ck_assert(win_has_text(pl_titles_name(t, SYSTEM), "System"));
    ck_assert(win_has_text(pl_titles_help(t, SYSTEM + 1), "The system."));
    ck_assert(win_has_text(pl_titles_name(t, COUNTER), "% Processor Time"));
    ck_assert(
        win_has_text(pl_titles_name(t, PL_SELF_FIRST), "Performance Logger"));
    ck_assert_uint_eq(pl_titles_name(t, JOB).n, 0);
    win_sample();
    pl_sampler_titles(win.sampler, &after);
    ck_assert_uint_eq(before, after);

    pl_buf_clear(&win.block);
    win_put_block();
    win_put_object(JOB, 0, 0);
    pl_put_block_close(&win.block, 0, 4, SYSTEM);
    fake_set(NULL, "Global", win.block.p, win.block.len);
    win_sample();
    t = pl_sampler_titles(win.sampler, &after);
    ck_assert_uint_ne(before, after);
    ck_assert(win_has_text(pl_titles_name(t, JOB), "Job Object"));
}
END_TEST

/* ---- choosing ---------------------------------------------------------------------- */

static const struct {
    const char *paths[2];
    bool all;
    const char *asked[2]; /* values */
    const char *wanted;   /* objects of the sample, without ours */
} choices[] = {
    { { NULL }, false, { "Global", NULL }, "2 230 232" },
    { { NULL }, true, { "Global", "Costly" }, "2 230 232 1500" },
    { { "System" }, false, { "2", NULL }, "2" },
    { { "Performance Logger" }, false, { NULL }, "" },
    { { "Performance Logger", "System" }, false, { "2", NULL }, "2" },
    { { "process", "System" }, false, { "230 2", NULL }, "2 230" },
    { { "\\Thread(*)\\*" }, false, { "232", NULL }, "230 232" },
    { { "+Job Object" }, false, { "Global", "1500" }, "2 230 232 1500" },
    { { "\\S*\\*" }, false, { "Global", NULL }, "2" },
    { { "\\J*\\*" }, true, { "Global", "Costly" }, "1500" },
    { { "\\*\\% Processor*" }, false, { "Global", NULL }, "2 230 232" },
};

/* Windows answers with more than it was asked for: all there is. */
START_TEST(paths_become_values_and_choose_objects)
{
    struct pl_sampler_options options = { .all = choices[_i].all };
    struct pl_buf costly = { 0 };
    char want[64];
    const char *why;

    win_start();
    for (int i = 0; i < 2 && choices[_i].paths[i]; i++)
        win_choose(choices[_i].paths[i]);
    pl_buf_bytes(&costly, win.block.p, win.block.len);
    pl_buf_clear(&win.block);
    win_put_block();
    win_put_object(JOB, 0, 0);
    pl_put_block_close(&win.block, 0, 4, SYSTEM);
    for (int i = 0; i < 2 && choices[_i].asked[i]; i++)
        if (i || strcmp(choices[_i].asked[i], "Global") != 0)
            fake_set(NULL, choices[_i].asked[i], win.block.p, win.block.len);
    fake_set(NULL, "Global", costly.p, costly.len);
    ck_assert_int_eq(win_open(&options, &why), PL_OK);
    win_sample();
    snprintf(want, sizeof want, "%s%s21700", choices[_i].wanted,
             *choices[_i].wanted ? " " : "");
    ck_assert_str_eq(win_objects(), want);
    ck_assert_ptr_null(pl_sampler_trouble(win.sampler));
    pl_buf_release(&costly);
}
END_TEST

/* A block of a Process with counters, each 100 times its title's index; a base
 * is 7.  Behind it what else the machine has. */
static void put_counters(const uint32_t *titles, size_t num)
{
    const struct pl_block_stamp stamp = { .perf_freq = 1000 };
    const struct pl_object object = { .title_index = PROCESS,
                                      .help_index = PROCESS + 1 };
    uint8_t *p;
    size_t at;

    pl_buf_clear(&win.block);
    pl_put_block(&win.block, &stamp, (const uint8_t *)"P\0C\0", 4);
    at = pl_put_object(&win.block, &object);
    for (uint32_t i = 0; i < num; i++) {
        bool base = i && titles[i] == titles[i - 1];
        const struct pl_counter_def counter = {
            .title_index = titles[i],
            .help_index = titles[i] + 1,
            .type = base ? PERF_RAW_BASE : PERF_RAW_FRACTION,
            .size = 4,
            .offset = 4 + 4 * i,
        };

        pl_put_counter(&win.block, &counter);
    }
    pl_put_definitions_close(&win.block, at, (uint32_t)num);
    pl_put_instance(&win.block, 0, 0, (const uint8_t *)"a\0", 2);
    p = pl_put_counter_block(&win.block, (uint32_t)(4 + 4 * num + 7) & ~7u);
    for (size_t i = 0; i < num; i++)
        pl_put_le32(p + 4 + 4 * i,
                    i && titles[i] == titles[i - 1] ? 7 : 100 * titles[i]);
    pl_put_object_close(&win.block, at, 1);
    win_put_object(SYSTEM, 0, 0);
    pl_put_block_close(&win.block, 0, 2, SYSTEM);
}

/* "6=600 6=7 784=78400", of the sample's only instance of Process. */
static const char *counters(void)
{
    static char text[256];
    struct pl_block b;
    struct pl_object o, values;
    struct pl_counter_def c;
    struct pl_instance i;

    ck_assert_int_eq(pl_block_parse(&b, win.out.p, win.out.len), PL_OK);
    *text = 0;
    while (!pl_object_next(&b, &o) && o.title_index != PROCESS)
        continue;
    values = o;
    ck_assert_uint_eq(o.title_index, PROCESS);
    ck_assert_int_eq(pl_instance_next(&values, &i), PL_OK);
    while (!pl_counter_next(&o, &c))
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%u=%u",
                 *text ? " " : "", c.title_index,
                 pl_get_le32(i.block + c.offset));
    return text;
}

static const struct {
    const char *path, *counters, *objects;
} counter_choices[] = {
    { "\\Process(*)\\% Processor Time", "6=600 6=7 684=68400 784=78400",
      "230 21700" },
    { "\\Process(*)\\System", "2=200 684=68400 784=78400", "230 21700" },
    { "\\Process(*)\\*", "2=200 6=600 6=7 684=68400 784=78400 8=800",
      "230 21700" },
    { "Process", "2=200 6=600 6=7 684=68400 784=78400 8=800", "230 21700" },
    { "\\*\\Sys*", "2=200 684=68400 784=78400", "230 21700" },
    { "+\\Process(*)\\System", "2=200 6=600 6=7 684=68400 784=78400 8=800",
      "230 2 21700" },
};

/* With the base that it needs, and with what tells one process from the next. */
START_TEST(a_counter_that_is_named_comes_without_the_others)
{
    static const uint32_t titles[] = { 2, 6, 6, 684, 784, 8 };

    win_start();
    win_choose(counter_choices[_i].path);
    put_counters(titles, sizeof titles / sizeof *titles);
    fake_set(NULL, "Global", win.block.p, win.block.len);
    fake_set(NULL, "230", win.block.p, win.block.len);
    win_open_and_sample();
    ck_assert_str_eq(counters(), counter_choices[_i].counters);
    ck_assert_str_eq(win_objects(), counter_choices[_i].objects);
    ck_assert_ptr_null(pl_sampler_trouble(win.sampler));
}
END_TEST

static const struct {
    const char *path;
    struct pl_sampler_options options;
    enum pl_status want;
    const char *why;
} refusals[] = {
    { "Nothing", { 0 }, PL_USAGE, "Nothing" },
    { "\\System\\No Such Counter", { 0 }, PL_USAGE, "No Such Counter" },
    { "\\N*\\*", { 0 }, PL_USAGE, "\\N*\\*" },
    { "\\*\\Nothing", { 0 }, PL_USAGE, "\\*\\Nothing" },
    { "+Performance Logger Source", { 0 }, PL_UNSUPPORTED, "--forecast" },
    { NULL, { .language = "12" }, PL_UNSUPPORTED, "007" },
    { NULL, { .language = "../00C" }, PL_UNSUPPORTED, "007" },
    { NULL, { .language = "00D" }, PL_UNSUPPORTED, "language 00D" },
    { NULL, { .host = "\\\\NOWHERE" }, PL_IO, "nobody" },
};

START_TEST(what_cannot_be_had_is_refused_with_a_reason)
{
    struct pl_sampler_options options = refusals[_i].options;
    const char *why;

    win_start();
    fake_set(NULL, "2", win.block.p, win.block.len);
    if (refusals[_i].path)
        win_choose(refusals[_i].path);
    ck_assert_int_eq(win_open(&options, &why), refusals[_i].want);
    ck_assert_ptr_nonnull(why);
    ck_assert_msg(strstr(why, refusals[_i].why) != NULL, "%s", why);
    ck_assert_uint_eq(fake.closed, fake.opened);
}
END_TEST

START_TEST(a_machine_without_names_is_refused)
{
    struct pl_sampler_options options = { 0 };
    const char *why;

    win_start();
    fake.values[0].error = 2;
    ck_assert_int_eq(win_open(&options, &why), PL_IO);
    ck_assert_ptr_nonnull(strstr(why, "lodctr"));
    /* Perflib's own folder serves as well. */
    fake_set("009", "Counter", win.names.p, win.names.len);
    ck_assert_int_eq(win_open(&options, &why), PL_OK);
}
END_TEST

static bool holds(const struct pl_buf *b, const char *text)
{
    size_t n = strlen(text);

    for (size_t at = 0; at + n <= b->len; at++)
        if (!memcmp(b->p + at, text, n))
            return true;
    return false;
}

START_TEST(names_in_two_languages)
{
    struct pl_sampler_options options = { .language = "00C",
                                          .host = "\\\\THERE" };
    struct pl_session session = { 0 };
    const struct pl_titles *t;
    uint32_t generation;
    const char *why;
    struct pl_buf written = { 0 };

    win_start();
    win_choose("Processus");
    fake_set(NULL, "230", win.block.p, win.block.len);
    ck_assert_int_eq(win_open(&options, &why), PL_OK);
    win_sample();
    ck_assert_str_eq(win_objects(), "230 21700");
    t = pl_sampler_titles(win.sampler, &generation);
    ck_assert(win_has_text(pl_titles_name(t, PROCESS), "Process"));
    pl_titles_write(t, &written);
    ck_assert(holds(&written, "Processus"));
    pl_sampler_describe(win.sampler, &session);
    ck_assert(win_has_text(session.host, "THERE"));
    ck_assert(win_has_text(session.provider, "little windows"));
    pl_buf_release(&written);
}
END_TEST

/* ---- sleep ------------------------------------------------------------------------------ */

START_TEST(sleep_is_what_one_clock_counts_only)
{
    const int64_t ms = 1000000;
    struct pl_suspend s = { 0 };

    ck_assert_int_eq(pl_suspend_update(&s, 1000 * ms, 1000 * ms), 0);
    ck_assert_int_eq(pl_suspend_update(&s, 1016 * ms, 1000 * ms), 0);
    ck_assert_int_eq(pl_suspend_update(&s, 61016 * ms, 1010 * ms), 60006 * ms);
    ck_assert_int_eq(pl_suspend_update(&s, 61016 * ms, 1026 * ms), 60006 * ms);
}
END_TEST

int main(void)
{
    TCase *fetch = tcase_create("fetch"), *record = tcase_create("record");

    tcase_add_loop_test(fetch, a_value_of_any_size_comes_whole_or_not_at_all, 0,
                        NUM(sizes));
    tcase_add_test(fetch, room_once_found_serves_again);
    tcase_add_test(record, objects_come_as_they_are_with_ours_behind);
    tcase_add_test(record, titles_are_those_of_what_is_in_the_blocks);
    tcase_add_loop_test(record,
                        a_counter_that_is_named_comes_without_the_others, 0,
                        NUM(counter_choices));
    tcase_add_loop_test(record, paths_become_values_and_choose_objects, 0,
                        NUM(choices));
    tcase_add_loop_test(record, what_cannot_be_had_is_refused_with_a_reason, 0,
                        NUM(refusals));
    tcase_add_test(record, a_machine_without_names_is_refused);
    tcase_add_test(record, names_in_two_languages);
    tcase_add_test(record, sleep_is_what_one_clock_counts_only);
    return run_suite("windows", (TCase *[]){ fetch, record, NULL });
}
