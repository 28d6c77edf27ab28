/* Of a segment that cannot be looked into it is not known who writes it. */
#include "format/base/file.h"
#include "format/writer/segment.h"
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

/* Whatever there is no memory for: what is to be kept stays. */
START_TEST(without_memory_nothing_more_is_deleted)
{
    static const struct pl_segments_kept kept = { .num = 1,
                                                  .most = 2,
                                                  .bytes = UINT64_MAX };
    static const char *const names[] = { "a-20261122T160509Z-000.plog",
                                         "a-20261122T160509Z-001.plog",
                                         "a-20261122T160509Z-002.plog" };
    uint32_t hit = 1;

    ck_assert_int_eq(chdir(temp_dir()), 0);
    for (uint32_t i = 1; hit; i++) {
        struct fault f = { CALL_ALLOC, i, 1, 0 };

        for (size_t k = 0; k < 3; k++)
            write_file(names[k], "x", 1);
        faults_set(&f, 1);
        faults_on();
        pl_segment_drop_old("a.plog", names[2], &kept);
        faults_off();
        hit = faults_hit();
        ck_assert(pl_path_exists(names[2]) && pl_path_exists(names[1]));
    }
    ck_assert(!pl_path_exists(names[0]));
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("segment_faults");

    tcase_add_loop_test(t, what_cannot_be_opened_or_locked_is_not_deleted, 0,
                        3);
    tcase_add_test(t, without_memory_nothing_more_is_deleted);
    return run_suite("segment_faults", (TCase *[]){ t, NULL });
}
