/* What segments are called, and what is none. */
#include "format/writer/segment.h"

#include "format/time/time_text.h"
#include "format/writer/writer.h"
#include "tests/support/logs.h"
#include "tests/support/support.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* 2026-11-22 16:05:09 UTC */
#define MOMENT (INT64_C(1795363509) * PL_NS_PER_SEC)

static const struct {
    const char *path;
    uint32_t number;
    const char *segment;
} names[] = {
    { "a.plog", 0, "a-20261122T160509Z-000.plog" },
    { "/x.plog/a", 12, "/x.plog/a-20261122T160509Z-012.plog" },
    { "a-b.plog", 1234, "a-b-20261122T160509Z-1234.plog" },
    { "a.plogs", 1, "a.plogs-20261122T160509Z-001.plog" },
    { ".plog", 1, ".plog-20261122T160509Z-001.plog" },
    { "/x/.plog", 1, "/x/.plog-20261122T160509Z-001.plog" },
};

START_TEST(segments_are_called_after_their_log_time_and_number)
{
    char *path = pl_segment_path(names[_i].path, MOMENT, names[_i].number);
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    uint64_t number;
    size_t stem;

    ck_assert_str_eq(path, names[_i].segment);
    ck_assert(pl_segment_parse(name, &stem, &number));
    ck_assert_uint_eq(number, names[_i].number);
    ck_assert_uint_eq(stem, strlen(name) - strlen(strstr(name, "-2026")));
    free(path);
}
END_TEST

static const char *const others[] = {
    "a.plog",
    "a-20261122T160509Z-000.plo",
    "a-20261122T160509Z-00.plog",
    "a-20261122T160509Z-.plog",
    "a-20261122T160509Z-0x0.plog",
    "a-20261122T160509Z-00:.plog",
    "a-20261122T160509Z-00/.plog",
    "a-20261122T160509-000.plog",
    "a-20261122T160509z-000.plog",
    "a-20261122 160509Z-000.plog",
    "a-2026112XT160509Z-000.plog",
    "a-20261122T16050XZ-000.plog",
    "a_20261122T160509Z-000.plog",
    "20261122T160509Z-000.plog",
    "-000.plog",
    "-",
    "",
};

START_TEST(other_names_are_no_segments)
{
    uint64_t number;
    size_t stem;

    ck_assert(!pl_segment_parse(others[_i], &stem, &number));
    ck_assert(!pl_segment_matches("a", others[_i]));
}
END_TEST

START_TEST(a_segment_is_of_one_log)
{
    static const char name[] = "ab-20261122T160509Z-000.plog";

    ck_assert(pl_segment_matches("ab", name));
    ck_assert(!pl_segment_matches("a", name));
    ck_assert(!pl_segment_matches("abc", name));
    ck_assert(!pl_segment_matches("xb", name));
}
END_TEST

START_TEST(who_writes_is_seen_without_naming_the_folder)
{
    struct pl_writer *w;

    ck_assert_int_eq(chdir(temp_dir()), 0);
    ck_assert(!pl_segment_is_written("a.plog", NULL));
    w = log_open("a-20261122T160509Z-000.plog", &log_options);
    ck_assert(pl_segment_is_written("a.plog", NULL));
    ck_assert(!pl_segment_is_written("a.plog", "a-20261122T160509Z-000.plog"));
    ck_assert(!pl_segment_is_written("b.plog", NULL));
    log_close(w, NULL);
    ck_assert(!pl_segment_is_written("a.plog", NULL));
    w = log_open("a.plog", &log_options);
    ck_assert(pl_segment_is_written("a.plog", NULL));
    ck_assert(!pl_segment_is_written("a.plog", "a.plog"));
    log_close(w, NULL);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("segment");

    tcase_add_loop_test(t, segments_are_called_after_their_log_time_and_number,
                        0, sizeof names / sizeof *names);
    tcase_add_loop_test(t, other_names_are_no_segments, 0,
                        sizeof others / sizeof *others);
    tcase_add_test(t, a_segment_is_of_one_log);
    tcase_add_test(t, who_writes_is_seen_without_naming_the_folder);
    return run_suite("segment", (TCase *[]){ t, NULL });
}
