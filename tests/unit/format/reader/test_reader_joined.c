/* Logs one after the other, of which parts may come twice. */
#include "tests/support/item_kinds.h"

#include "format/record/record.h"
#include "tests/support/logs.h"
#include "tests/support/support.h"

#include <string.h>

#define NUM(table) (sizeof(table) / sizeof *(table))

/* ---- logs joined -------------------------------------------------------------- */

struct joined {
    struct log a, b, both;
};

static void join_start(struct joined *j)
{
    const char *path = path_in(temp_dir(), "a");

    log_make(&j->a, path, LOG_SMALL, 1);
    path = path_in(temp_dir(), "b");
    log_make(&j->b, path, LOG_CHURN, 2);
}

static void join_stop(struct joined *j)
{
    log_release(&j->a);
    log_release(&j->b);
}

static void put_log(struct pl_buf *out, const struct log *l)
{
    pl_buf_bytes(out, l->bytes, l->len);
}

/* Read 'b' twice, once for the truth of each log. */
static void check_joined(struct pl_buf *b, const struct joined *j,
                         size_t num_duplicates)
{
    const char *path = path_in(temp_dir(), "joined");
    struct reading g = { 0 };
    struct pl_reader *r;
    struct pl_item item;

    write_file(path, b->p, b->len);
    ck_assert_int_eq(read_whole(path, &j->a, &g), PL_END);
    ck_assert_uint_eq(g.num_samples, j->a.num_samples);
    ck_assert_uint_eq(g.twice + reading_alarms(&g), 0);
    ck_assert_int_eq(read_whole(path, &j->b, &g), PL_END);
    ck_assert_uint_eq(g.num_samples, j->b.num_samples);
    ck_assert_uint_eq(g.twice + reading_alarms(&g), 0);
    ck_assert_uint_eq(g.kinds[PL_ITEM_SAMPLE],
                      j->a.num_samples + j->b.num_samples);
    ck_assert_int_eq(pl_reader_open(&r, path, NULL), PL_OK);
    while (!pl_reader_next(r, &item))
        ;
    ck_assert_uint_eq(pl_reader_duplicates(r), num_duplicates);
    pl_reader_close(r);
    reading_release(&g);
    pl_buf_clear(b);
}

START_TEST(joined_logs_are_a_log_and_what_comes_twice_is_once_reported)
{
    struct pl_buf b = { 0 };
    struct joined j;
    size_t cut;

    join_start(&j);
    put_log(&b, &j.a);
    put_log(&b, &j.b);
    check_joined(&b, &j, 0);
    put_log(&b, &j.a);
    put_log(&b, &j.a);
    put_log(&b, &j.b);
    put_log(&b, &j.a);
    put_log(&b, &j.b);
    check_joined(&b, &j, 2 * j.a.num_records + j.b.num_records);
    /* A copy made while the log grew, and the whole of it later. */
    for (size_t i = 1; i < j.a.num_records; i++) {
        cut = j.a.records[i].at;
        pl_buf_bytes(&b, j.a.bytes, cut);
        put_log(&b, &j.a);
        put_log(&b, &j.b);
        check_joined(&b, &j, i);
    }
    pl_buf_release(&b);
    join_stop(&j);
}
END_TEST

/* Back in a session after another one: its facts and names are those. */
START_TEST(who_recorded_is_told_again_when_a_session_goes_on)
{
    struct pl_buf b = { 0 };
    struct joined j;
    struct pl_reader *r;
    struct pl_item item;
    uint64_t reported = 0;
    size_t num_titles = 0;
    const char *path;

    join_start(&j);
    pl_buf_bytes(&b, j.a.bytes, j.a.samples[3].at);
    put_log(&b, &j.b);
    put_log(&b, &j.a);
    path = path_in(temp_dir(), "joined");
    write_file(path, b.p, b.len);
    ck_assert_int_eq(pl_reader_open(&r, path, NULL), PL_OK);
    while (!pl_reader_next(r, &item)) {
        if (item.kind == PL_ITEM_SESSION)
            reported = item.record.session;
        num_titles += item.kind == PL_ITEM_TITLES;
        if (item.kind != PL_ITEM_SAMPLE)
            continue;
        ck_assert_uint_eq(reported, item.record.session);
        ck_assert(pl_reader_has_session(r));
        ck_assert_uint_gt(pl_titles_name(pl_reader_titles(r), 230).n, 0);
    }
    ck_assert_uint_eq(num_titles, 3);
    pl_reader_close(r);
    pl_buf_release(&b);
    join_stop(&j);
}
END_TEST

/* The first key after the first chunk. */
static const struct sample *second_key(const struct log *l)
{
    const struct sample *s = l->samples + 1;

    while (!s->is_key)
        s++;
    return s;
}

/* Which samples of a session have blocks in an outline: the second one of each,
 * but not where a session goes on after another one. */
START_TEST(an_outline_has_the_second_sample_of_each_session_once)
{
    static const char *const wanted[] = { "11", "110", "10" };
    const char *path = path_in(temp_dir(), "a");
    struct pl_buf b = { 0 };
    struct joined j;
    struct pl_reader *r;
    struct pl_item item;
    uint64_t session = 0;
    size_t part = 0, at = 0;

    log_make(&j.a, path, LOG_CHUNKS, 1);
    path = path_in(temp_dir(), "b");
    log_make(&j.b, path, LOG_CHUNKS, 2);
    pl_buf_bytes(&b, j.a.bytes, j.a.samples[1].end);
    put_log(&b, &j.b);
    pl_buf_bytes(&b, j.a.bytes + second_key(&j.a)->at,
                 j.a.len - second_key(&j.a)->at);
    path = path_in(temp_dir(), "joined");
    write_file(path, b.p, b.len);
    ck_assert_int_eq(pl_reader_open(&r, path, NULL), PL_OK);
    pl_reader_outline(r);
    while (!pl_reader_next(r, &item)) {
        if (item.kind != PL_ITEM_SAMPLE)
            continue;
        if (session && item.record.session != session) {
            ck_assert_uint_ge(at, strlen(wanted[part++]));
            at = 0;
        }
        session = item.record.session;
        ck_assert_uint_lt(part, NUM(wanted));
        if (at < strlen(wanted[part]))
            ck_assert_msg((item.block != NULL) == (wanted[part][at] == '1'),
                          "sample %zu of part %zu", at, part);
        at++;
    }
    ck_assert_uint_eq(part, NUM(wanted) - 1);
    pl_reader_close(r);
    pl_buf_release(&b);
    join_stop(&j);
}
END_TEST

/* Segments of one session: a pair across the seam, a hole between files. */
START_TEST(a_session_goes_on_in_the_next_file)
{
    struct pl_buf b = { 0 };
    struct pl_item item;
    struct pl_reader *r;
    const char *first = path_in(temp_dir(), "first");
    const char *second = path_in(temp_dir(), "second");
    const char *third = path_in(temp_dir(), "third");
    uint32_t hole = 0;
    size_t num = 0;

    craft_session(&b, 7, 0);
    craft_sample(&b, 7, 1, 100);
    write_file(first, b.p, b.len);
    pl_buf_clear(&b);
    craft_session(&b, 7, 2);
    craft_sample(&b, 7, 3, 100);
    write_file(second, b.p, b.len);
    pl_buf_clear(&b);
    craft_session(&b, 7, 9);
    craft_sample(&b, 7, 10, 100);
    write_file(third, b.p, b.len);
    ck_assert_int_eq(pl_reader_open(&r, first, NULL), PL_OK);
    for (int i = 0; i < 3; i++) {
        while (!pl_reader_next(r, &item)) {
            num += item.kind == PL_ITEM_SAMPLE;
            ck_assert(item.kind != PL_ITEM_DAMAGED);
            if (item.kind != PL_ITEM_HOLE)
                continue;
            ck_assert(item.between_files);
            hole += item.count;
        }
        if (i == 0)
            ck_assert_int_eq(pl_reader_continue(r, second), PL_OK);
        if (i == 1)
            ck_assert_int_eq(pl_reader_continue(r, third), PL_OK);
    }
    ck_assert_uint_eq(num, 3);
    ck_assert_uint_eq(hole, 5);
    ck_assert_int_eq(pl_reader_continue(r, "/nonexistent"), PL_IO);
    ck_assert_int_eq(pl_reader_next(r, &item), PL_END);
    pl_reader_close(r);
    pl_buf_release(&b);
}
END_TEST

/* A folder sorted wrongly still gives everything. */
START_TEST(segments_in_the_wrong_order_lose_nothing)
{
    struct pl_buf b = { 0 };

    craft_session(&b, 7, 2);
    craft_sample(&b, 7, 3, 100);
    craft_session(&b, 7, 0);
    craft_sample(&b, 7, 1, 100);
    craft_sample(&b, 7, 4, 100);
    check_kinds("later half first", &b, "sSDoSDS");
    pl_buf_release(&b);
}
END_TEST

START_TEST(a_session_that_goes_on_with_a_repeat_is_all_reported_the_same)
{
    struct pl_buf b = { 0 };

    craft_session(&b, 7, 0);
    craft_sample(&b, 7, 1, 100);
    craft_session(&b, 8, 0);
    craft_sample(&b, 8, 1, 100);
    craft_session(&b, 7, 0);
    craft_session(&b, 7, 2);
    craft_sample(&b, 7, 3, 100);
    check_kinds("repeat", &b, "sSsSsoS");
    pl_buf_release(&b);
}
END_TEST

/* Its record is proven, and makes no sense: who recorded is not known. */
START_TEST(a_session_whose_record_is_bad_is_told_before_its_samples)
{
    struct pl_buf b = { 0 };

    craft(&b, (struct pl_record){ .type = PL_SESS, .session = 7 }, "nonsense",
          8);
    craft_sample(&b, 7, 1, 100);
    craft_sample(&b, 7, 2, 100);
    check_kinds("a bad session", &b, "DsSS");
    pl_buf_release(&b);
}
END_TEST

START_TEST(records_in_any_order_are_read_once_each)
{
    static const uint32_t order[] = { 9, 5, 6, 2, 8, 7, 5, 3, 1, 4, 9, 10 };
    struct pl_buf b = { 0 };

    craft_session(&b, 7, 0);
    for (size_t i = 0; i < NUM(order); i++)
        craft_sample(&b, 7, order[i], 100);
    check_kinds("any order", &b, "sHSDSSDSDSDSDSDSDSDS");
    pl_buf_release(&b);
}
END_TEST

int main(void)
{
    TCase *whole = tcase_create("whole");

    tcase_add_test(whole,
                   joined_logs_are_a_log_and_what_comes_twice_is_once_reported);
    tcase_add_test(whole, who_recorded_is_told_again_when_a_session_goes_on);
    tcase_add_test(whole,
                   an_outline_has_the_second_sample_of_each_session_once);
    tcase_add_test(whole, a_session_goes_on_in_the_next_file);
    tcase_add_test(whole, segments_in_the_wrong_order_lose_nothing);
    tcase_add_test(
        whole, a_session_that_goes_on_with_a_repeat_is_all_reported_the_same);
    tcase_add_test(whole,
                   a_session_whose_record_is_bad_is_told_before_its_samples);
    tcase_add_test(whole, records_in_any_order_are_read_once_each);
    return run_suite("reader_joined", (TCase *[]){ whole, NULL });
}
