/* What identifies processes: its bytes, and the set of those that are alive. */
#include "format/payload/identity_set.h"

#include "format/block/winperf.h"
#include "tests/support/support.h"

#include <stdlib.h>
#include <string.h>

static const struct pl_process_identity full = {
    .pid = 4711,
    .start = UINT64_C(134398740680123680),
    .command_line = { "sh\0-c\0a b", 9 },
    .is_cut = true,
    .executable = { "/bin/sh", 7 },
    .has_user = true,
    .user = 1000,
    .user_name = { "ann", 3 },
    .control_group = { "/a.slice", 8 },
    .parent = 12,
    .parent_start = 34,
    .parent_name = { "init:12", 7 },
};

/* The entry of 'full', from FORMAT.md alone. */
static const char golden[] = "\x56\0\0\0\x67\x12\0\0\0\0\0\0"
                             "\x20\xa5\x7f\x4c\xf1\x7a\xdd\x01"
                             "\x01\x09sh\0-c\0a b\x02\0\x04\x07/bin/sh\x06\x03"
                             "ann\x07\x08/a.slice\x09\x07init:12"
                             "\x05\x04\xe8\x03\0\0"
                             "\x08\x10\x0c\0\0\0\0\0\0\0\x22\0\0\0\0\0\0\0";

static void check_text(struct pl_text a, struct pl_text b)
{
    ck_assert(pl_text_equal(a, b));
}

START_TEST(an_entry_has_the_bytes_of_the_format)
{
    struct pl_buf b = { 0 };
    struct pl_process_identity p;
    struct pl_cur c;

    pl_process_identity_write(&full, &b);
    ck_assert_uint_eq(b.len, sizeof golden - 1);
    ck_assert_mem_eq(b.p, golden, b.len);
    c = pl_cur_of(b.p, b.len);
    ck_assert_int_eq(pl_process_identity_next(&c, &p), PL_OK);
    ck_assert_uint_eq(p.pid, full.pid);
    ck_assert_uint_eq(p.start, full.start);
    check_text(p.command_line, full.command_line);
    ck_assert(p.is_cut && !p.is_left_out && p.has_user);
    check_text(p.executable, full.executable);
    ck_assert_uint_eq(p.user, 1000);
    check_text(p.user_name, full.user_name);
    check_text(p.control_group, full.control_group);
    ck_assert_uint_eq(p.parent, 12);
    ck_assert_uint_eq(p.parent_start, 34);
    check_text(p.parent_name, full.parent_name);
    ck_assert_int_eq(pl_process_identity_next(&c, &p), PL_END);
    pl_buf_release(&b);
}
END_TEST

START_TEST(unknown_tags_and_short_numbers_are_passed_over)
{
    static const char bytes[] = "\x1d\0\0\0"
                                "\x01\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0"
                                "\xc8\x02zz\x05\x02\x01\x01\x04\x01/\x03\0";
    struct pl_cur c = pl_cur_of(bytes, sizeof bytes - 1);
    struct pl_process_identity p;

    ck_assert_int_eq(pl_process_identity_next(&c, &p), PL_OK);
    ck_assert(!p.has_user && p.is_left_out);
    check_text(p.executable, pl_text_of("/"));
    ck_assert_int_eq(pl_process_identity_next(&c, &p), PL_END);
}
END_TEST

START_TEST(texts_are_cut_at_their_limits)
{
    static char text[3 * PL_MAX_COMMAND_LINE];
    struct pl_process_identity p = { .pid = 1 };
    struct pl_buf b = { 0 };
    struct pl_cur c;

    memset(text, 'x', sizeof text);
    p.command_line = p.executable = (struct pl_text){ text, sizeof text };
    pl_process_identity_write(&p, &b);
    c = pl_cur_of(b.p, b.len);
    ck_assert_int_eq(pl_process_identity_next(&c, &p), PL_OK);
    ck_assert_uint_eq(p.command_line.n, PL_MAX_COMMAND_LINE);
    ck_assert_uint_eq(p.executable.n, PL_MAX_IDENTITY_TEXT);
    ck_assert(p.is_cut);
    pl_buf_release(&b);
}
END_TEST

START_TEST(a_command_line_is_shown_in_one_line)
{
    struct pl_buf b = { 0 };

    pl_command_line_text(&b, &full);
    ck_assert_uint_eq(b.len, 12);
    ck_assert_mem_eq(b.p, "sh -c a b...", 12);
    pl_buf_release(&b);
}
END_TEST

/* Every prefix, and every byte changed: what is intact is there. */
START_TEST(damaged_payloads_are_read_as_far_as_they_go)
{
    const size_t n = sizeof golden - 1;

    for (size_t cut = 0; cut <= 2 * n; cut++) {
        struct pl_identity_set *s;
        struct pl_buf b = { 0 };
        struct pl_process_identity p = full;
        uint64_t version;
        uint8_t *copy;

        pl_process_identity_write(&p, &b);
        p.pid++;
        pl_process_identity_write(&p, &b);
        copy = exact_copy(b.p, cut);
        ck_assert_int_eq(pl_identity_set_new(&s), PL_OK);
        ck_assert_int_eq(pl_identity_set_add(s, copy, cut),
                         cut % n ? PL_CORRUPT : PL_OK);
        ck_assert_uint_eq(pl_identity_set_version(s), cut / n);
        ck_assert_int_eq(
            pl_identity_set_find(s, full.pid, full.start, &p, &version),
            cut >= n);
        for (size_t i = 0; i < cut; i++) {
            copy[i] ^= 0xFF;
            pl_identity_set_add(s, copy, cut);
            copy[i] ^= 0xFF;
        }
        pl_identity_set_free(s);
        free(copy);
        pl_buf_release(&b);
    }
}
END_TEST

/* ---- the set -------------------------------------------------------------- */

static void put(struct pl_identity_set *s, uint64_t pid, uint64_t start,
                const char *executable)
{
    const struct pl_process_identity p = {
        .pid = pid, .start = start, .executable = pl_text_of(executable)
    };
    struct pl_buf b = { 0 };

    pl_process_identity_write(&p, &b);
    ck_assert_int_eq(pl_identity_set_add(s, b.p, b.len), PL_OK);
    pl_buf_release(&b);
}

static bool has(const struct pl_identity_set *s, uint64_t pid, uint64_t start,
                const char *executable)
{
    struct pl_process_identity p;
    uint64_t version;

    return pl_identity_set_find(s, pid, start, &p, &version) &&
           pl_text_equal(p.executable, pl_text_of(executable));
}

/* The pids of what pl_identity_set_write gives. */
static size_t pids(const struct pl_identity_set *s, uint64_t since,
                   uint64_t *list)
{
    struct pl_process_identity p;
    struct pl_buf b = { 0 };
    struct pl_cur c;
    size_t n = 0;

    pl_identity_set_write(s, since, &b);
    c = pl_cur_of(b.p, b.len);
    while (!pl_process_identity_next(&c, &p))
        list[n++] = p.pid;
    pl_buf_release(&b);
    return n;
}

START_TEST(a_later_entry_replaces_and_a_repeat_changes_nothing)
{
    struct pl_identity_set *s;
    uint64_t list[8];

    ck_assert_int_eq(pl_identity_set_new(&s), PL_OK);
    put(s, 1, 10, "a");
    put(s, 2, 10, "b");
    put(s, 1, 11, "c"); /* its number was used again */
    put(s, 2, 10, "b");
    ck_assert_uint_eq(pl_identity_set_version(s), 3);
    put(s, 1, 10, "d");
    ck_assert_uint_eq(pl_identity_set_version(s), 4);
    ck_assert(has(s, 1, 10, "d") && has(s, 1, 11, "c") && has(s, 2, 10, "b"));
    ck_assert(!has(s, 2, 11, "b"));
    ck_assert_uint_eq(pids(s, 0, list), 3);
    ck_assert(list[0] == 2 && list[1] == 1 && list[2] == 1);
    ck_assert_uint_eq(pids(s, 3, list), 1);
    ck_assert_uint_eq(pids(s, 4, list), 0);
    pl_identity_set_clear(s);
    ck_assert_uint_eq(pids(s, 0, list), 0);
    put(s, 9, 9, "e");
    ck_assert_uint_eq(pl_identity_set_version(s), 5);
    pl_identity_set_free(s);
}
END_TEST

START_TEST(nothing_is_known_of_no_set)
{
    struct pl_buf b = { 0 };

    ck_assert_uint_eq(pl_identity_set_version(NULL), 0);
    ck_assert(!has(NULL, 1, 1, ""));
    pl_identity_set_write(NULL, 0, &b);
    pl_identity_set_keep_live(NULL, NULL, 0);
    pl_identity_set_limit(NULL, NULL, 0);
    ck_assert_uint_eq(b.len, 0);
    pl_identity_set_free(NULL);
}
END_TEST

/* A block of Process with these pids, all started at 'start'. */
static void make_block(struct pl_buf *b, uint32_t title, uint32_t first,
                       uint32_t num, uint64_t start)
{
    static const struct pl_block_stamp stamp = { 0 };
    static const struct pl_counter_def defs[] = {
        { .title_index = PL_TITLE_PID, .size = 4, .offset = 8 },
        { .title_index = PL_TITLE_STARTED, .size = 8, .offset = 16 },
    };
    const struct pl_object o = { .title_index = title };
    size_t block, object;

    pl_buf_clear(b);
    block = pl_put_block(b, &stamp, NULL, 0);
    object = pl_put_object(b, &o);
    pl_put_counter(b, &defs[0]);
    pl_put_counter(b, &defs[1]);
    pl_put_definitions_close(b, object, 2);
    for (uint32_t i = 0; i < num; i++) {
        uint8_t *p;

        pl_put_instance_called(b, 0, 0, -1, pl_text_of("x"));
        p = pl_put_counter_block(b, 24);
        pl_put_le32(p + 8, first + i);
        pl_put_le64(p + 16, start);
    }
    pl_put_object_close(b, object, (int32_t)num);
    pl_put_block_close(b, block, 1, 230);
    ck_assert(!b->oom);
}

START_TEST(processes_that_the_block_lacks_are_dropped)
{
    struct pl_identity_set *s;
    struct pl_buf b = { 0 };
    uint64_t list[8];

    ck_assert_int_eq(pl_identity_set_new(&s), PL_OK);
    put(s, 5, 7, "a");
    put(s, 6, 7, "b");
    put(s, 6, 8, "c");
    put(s, 7, 7, "d");
    make_block(&b, PL_TITLE_PROCESS, 6, 2, 7);
    pl_identity_set_keep_live(s, b.p, b.len - 8); /* malformed: no change */
    ck_assert_uint_eq(pids(s, 0, list), 4);
    pl_identity_set_limit(s, b.p, b.len); /* few: no need */
    ck_assert_uint_eq(pids(s, 0, list), 4);
    pl_identity_set_keep_live(s, b.p, b.len);
    ck_assert_uint_eq(pids(s, 0, list), 2);
    ck_assert(has(s, 6, 7, "b") && has(s, 7, 7, "d"));
    make_block(&b, 232, 6, 2, 7); /* Thread */
    pl_identity_set_keep_live(s, b.p, b.len);
    ck_assert_uint_eq(pids(s, 0, list), 0);
    pl_identity_set_free(s);
    pl_buf_release(&b);
}
END_TEST

/* Where most of the room is taken by what is alive, too, processes that ended
 * make room for those that begin. */
START_TEST(what_ended_makes_room_however_much_is_alive)
{
    static char text[PL_MAX_IDENTITY_TEXT + 1];
    enum { LIVE = PL_MAX_IDENTITY_BYTES / 4 * 3 / PL_MAX_IDENTITY_TEXT };
    struct pl_identity_set *s;
    struct pl_buf b = { 0 };

    memset(text, 'x', sizeof text - 1);
    make_block(&b, PL_TITLE_PROCESS, 0, LIVE, 7);
    ck_assert_int_eq(pl_identity_set_new(&s), PL_OK);
    for (uint64_t i = 0; i < LIVE; i++)
        put(s, i, 7, text);
    for (uint64_t i = 0; i < 2 * LIVE; i++) {
        put(s, i, 8, text); /* ended */
        pl_identity_set_limit(s, b.p, b.len);
    }
    put(s, LIVE, 7, text);
    ck_assert(has(s, 0, 7, text) && has(s, LIVE, 7, text));
    pl_identity_set_free(s);
    pl_buf_release(&b);
}
END_TEST

START_TEST(the_set_is_bounded_by_what_is_alive_and_by_bytes)
{
    static char text[PL_MAX_IDENTITY_TEXT + 1];
    enum { MANY = 2 * PL_MAX_IDENTITY_BYTES / PL_MAX_IDENTITY_TEXT };
    struct pl_identity_set *s;
    struct pl_buf b = { 0 }, out = { 0 };

    memset(text, 'x', sizeof text - 1);
    make_block(&b, PL_TITLE_PROCESS, 0, 3, 7);
    ck_assert_int_eq(pl_identity_set_new(&s), PL_OK);
    for (uint64_t i = 0; i < MANY; i++) {
        put(s, i, 7, text);
        pl_identity_set_limit(s, b.p, b.len);
    }
    pl_identity_set_write(s, 0, &out);
    ck_assert_uint_lt(out.len, 2 << 20);
    ck_assert(has(s, 0, 7, text) && has(s, 2, 7, text));
    pl_buf_clear(&out);
    for (uint64_t i = 0; i < MANY; i++)
        put(s, i, 8, text);
    pl_identity_set_write(s, 0, &out);
    ck_assert_uint_le(out.len, PL_MAX_IDENTITY_BYTES);
    ck_assert_uint_gt(out.len, PL_MAX_IDENTITY_BYTES / 2);
    pl_identity_set_free(s);
    pl_buf_release(&b);
    pl_buf_release(&out);
}
END_TEST

int main(void)
{
    TCase *entries = tcase_create("entries"), *set = tcase_create("set");
    TCase *const cases[] = { entries, set, NULL };

    tcase_add_test(entries, an_entry_has_the_bytes_of_the_format);
    tcase_add_test(entries, unknown_tags_and_short_numbers_are_passed_over);
    tcase_add_test(entries, texts_are_cut_at_their_limits);
    tcase_add_test(entries, a_command_line_is_shown_in_one_line);
    tcase_add_test(entries, damaged_payloads_are_read_as_far_as_they_go);
    tcase_add_test(set, a_later_entry_replaces_and_a_repeat_changes_nothing);
    tcase_add_test(set, nothing_is_known_of_no_set);
    tcase_add_test(set, processes_that_the_block_lacks_are_dropped);
    tcase_add_test(set, the_set_is_bounded_by_what_is_alive_and_by_bytes);
    tcase_add_test(set, what_ended_makes_room_however_much_is_alive);
    return run_suite("identity_set", cases);
}
