/* Of a segment that cannot be looked into it is not known who writes it. */
#include "format/base/file.h"
#include "format/log/segment.h"
#include "tests/support/faults.h"
#include "tests/support/logs.h"
#include "tests/support/support.h"

#include <errno.h>
#include <unistd.h>

START_TEST(what_cannot_be_opened_or_locked_is_not_deleted)
{
    static const char *const names[] = { "a-20261122T160509Z-000.plog",
                                         "a-20261122T160509Z-001.plog",
                                         "a-20261122T160509Z-001.plog.packing",
                                         "a-20261122T160509Z-002.plog" };
    static const struct fault all[] = { { CALL_OPEN, 1, UINT32_MAX, EMFILE },
                                        { CALL_LOCK, 1, UINT32_MAX, ENOLCK },
                                        { CALL_LOCK, 1, UINT32_MAX, EINTR } };
    static const struct pl_segments_kept one = { .num = 1 };

    ck_assert_int_eq(chdir(temp_dir()), 0);
    for (size_t i = 0; i < 4; i++)
        write_file(names[i], "x", 1);
    faults_set(&all[_i], 1);
    faults_on();
    pl_segment_drop_old("a.plog", names[3], &one);
    pl_segment_drop_parts("a.plog");
    faults_off();
    ck_assert_uint_eq(faults_hit(), 3);
    for (size_t i = 0; i < 4; i++)
        ck_assert(pl_path_exists(names[i]));
    faults_set(NULL, 0);
    pl_segment_drop_old("a.plog", names[3], &one);
    ck_assert(pl_path_exists(names[3]));
    for (size_t i = 0; i < 3; i++)
        ck_assert(!pl_path_exists(names[i]));
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("segment_faults");

    tcase_add_loop_test(t, what_cannot_be_opened_or_locked_is_not_deleted, 0,
                        3);
    return run_suite("segment_faults", (TCase *[]){ t, NULL });
}
