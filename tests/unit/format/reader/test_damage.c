/* Logs cut, flipped, torn and appended to: what comes back is true, complete
 * up to the chunk that was hit, and never silent about damage.  The sizes for
 * a release: tests/crash/damage.c. */
#include "tests/support/hurt.h"

#include "format/record/record.h"
#include "tests/support/support.h"

#include <stdio.h>

enum { RANDOM_CASES = 3000 };

static void make(struct log *l, enum log_shape shape)
{
    log_make(l, path_in(temp_dir(), log_shape_name(shape)), shape, 1);
}

static void check(const char *what, enum log_shape shape, const struct toll *t)
{
    ck_assert_msg(toll_is_clean(t), "%s: %s: %s", what, log_shape_name(shape),
                  t->first);
    ck_assert_uint_gt(t->tried, 0);
    printf("%s: %s: %llu\n", what, log_shape_name(shape),
           (unsigned long long)t->tried);
}

static const enum log_shape cut_shapes[] = { LOG_SMALL, LOG_BIG, LOG_CHURN,
                                             LOG_SESSIONS, LOG_IDENTITIES };

START_TEST(a_cut_anywhere_costs_only_what_is_behind_it)
{
    struct log l;
    struct toll t = { 0 };

    make(&l, cut_shapes[_i]);
    hurt_cuts(&l, &t);
    check("cut", cut_shapes[_i], &t);
    log_release(&l);
}
END_TEST

START_TEST(an_empty_file_is_said_to_be_one)
{
    struct scratch file;
    struct reading g = { 0 };
    struct log none = { 0 };

    scratch_open(&file, "empty");
    ck_assert_int_eq(read_whole(file.path, &none, &g), PL_TRUNCATED);
    reading_release(&g);
    scratch_close(&file);
}
END_TEST

static const enum log_shape flip_shapes[] = { LOG_SMALL, LOG_SESSIONS,
                                              LOG_TITLES, LOG_IDENTITIES };

START_TEST(every_flipped_bit_is_noticed_and_costs_a_chunk_at_most)
{
    struct log l;
    struct toll t = { 0 };

    make(&l, flip_shapes[_i]);
    hurt_bits(&l, runs_in_full() ? 8 : 2, &t);
    check("flip", flip_shapes[_i], &t);
    log_release(&l);
}
END_TEST

START_TEST(flips_in_indexes_and_repeats_cost_nothing)
{
    struct log l;
    struct toll t = { 0 };

    make(&l, LOG_CHUNKS);
    ck_assert_ptr_nonnull(log_find(&l, PL_INDX, 2));
    ck_assert_ptr_nonnull(log_find(&l, PL_SESS, 1));
    ck_assert_ptr_nonnull(log_find(&l, PL_TITL, 1));
    hurt_hints(&l, 41, &t);
    check("flip outside of samples", LOG_CHUNKS, &t);
    log_release(&l);
}
END_TEST

static const enum log_shape random_shapes[] = { LOG_SMALL, LOG_CHURN,
                                                LOG_SESSIONS, LOG_CHUNKS,
                                                LOG_IDENTITIES };

START_TEST(chunks_that_random_damage_leaves_alone_come_back)
{
    struct log l;
    struct toll t = { 0 };

    make(&l, random_shapes[_i]);
    hurt_at_random(&l, 1, RANDOM_CASES / 4, &t);
    check("random damage", random_shapes[_i], &t);
    log_release(&l);
}
END_TEST

START_TEST(a_log_can_be_continued_after_any_cut)
{
    struct toll t = { 0 };

    hurt_and_append(LOG_SMALL, 1, 1, &t);
    check("append", LOG_SMALL, &t);
}
END_TEST

/* ---- killed, and killed again ---------------------------------------------------- */

/* A torn record, zeros at least as many as a fence has, the first bytes of the
 * next run, and zeros behind it. */
static size_t tear_and_zero(const struct log *l, struct scratch *file,
                            size_t torn, size_t zeros, size_t again,
                            size_t behind)
{
    const struct pl_record session = { .type = PL_SESS, .session = 4711 };
    struct pl_buf b = { 0 };
    uint8_t header[PL_RECORD_LEN];
    size_t at;

    pl_record_put(&session, header);
    pl_buf_bytes(&b, l->bytes, torn);
    pl_buf_zeros(&b, zeros + (torn % 8 ? 16 - torn % 8 : 0));
    at = b.len;
    pl_buf_bytes(&b, header, again);
    pl_buf_zeros(&b, behind);
    ck_assert(!b.oom);
    scratch_set(file, b.p, b.len);
    pl_buf_release(&b);
    return at;
}

/* The same with the fence a recorder leaves. */
static size_t tear_twice(const struct log *l, struct scratch *file, size_t torn,
                         size_t again)
{
    return tear_and_zero(l, file, torn, 0, again, 0);
}

/* Is the record 'w' whole where the other run begins, or ends, or is that all
 * that is there?  Then it may as well be damaged. */
static bool is_doubtful(const struct whole_record *w, size_t torn, size_t at,
                        size_t again)
{
    size_t end = w->at + w->len;

    return torn > w->at + PL_RECORD_LEN && (end == at || end == at + again);
}

/* The power fails in a record, and again in the first bytes of the next run. */
START_TEST(two_power_cuts_leave_no_damage)
{
    static const size_t zeros[] = { 8, 64, 5000 }, behind[] = { 0, 3, 900 };
    struct log l;
    struct scratch file;
    struct reading g = { 0 };
    const struct whole_record *w;

    make(&l, LOG_SMALL);
    scratch_open(&file, "power");
    w = &l.records[l.num_records - 3];
    for (size_t torn = w->at; torn < w->at + w->len; torn += 3)
        for (size_t again = 1; again < PL_RECORD_LEN; again += 5)
            for (size_t i = 0; i < 9; i++) {
                size_t n = zeros[i / 3], at;

                at = tear_and_zero(&l, &file, torn, n, again, behind[i % 3]);
                ck_assert_int_eq(read_whole(file.path, &l, &g), PL_END);
                if (g.wrong || g.twice ||
                    (reading_alarms(&g) && n > PL_RECORD_LEN &&
                     !is_doubtful(w, torn, at, again)))
                    ck_abort_msg("torn at %zu of %zu, %zu zeros, after %zu, "
                                 "%zu zeros",
                                 torn - w->at, (size_t)w->len, n, again,
                                 behind[i % 3]);
            }
    reading_release(&g);
    scratch_close(&file);
    log_release(&l);
}
END_TEST

START_TEST(a_run_killed_at_once_hides_no_damage_and_is_none)
{
    struct log l;
    struct scratch file;
    struct reading g = { 0 };
    const struct whole_record *w;
    size_t num = 0;

    make(&l, LOG_SMALL);
    scratch_open(&file, "twice");
    w = &l.records[l.num_records - 3]; /* the last sample */
    ck_assert_uint_eq(w->record.type, PL_SMPL);
    for (size_t torn = w->at + 1; torn <= w->at + w->len; torn++)
        for (size_t again = 1; again < PL_RECORD_LEN; again++) {
            size_t at = tear_twice(&l, &file, torn, again);

            ck_assert_int_eq(read_whole(file.path, &l, &g), PL_END);
            if (g.wrong || g.twice ||
                (reading_alarms(&g) && !is_doubtful(w, torn, at, again)))
                ck_abort_msg("torn at %zu of %zu, then after %zu", torn - w->at,
                             (size_t)w->len, again);
            num++;
        }
    /* The record is whole: a flip in it is never taken for a tear. */
    for (size_t again = 1; again < PL_RECORD_LEN; again++) {
        tear_twice(&l, &file, w->at + w->len, again);
        for (size_t at = w->at; at < w->at + w->len; at++) {
            scratch_poke(&file, at, l.bytes[at] ^ 4);
            read_whole(file.path, &l, &g);
            if (g.wrong || !reading_alarms(&g))
                ck_abort_msg("byte %zu, then a run of %zu bytes", at, again);
            scratch_poke(&file, at, l.bytes[at]);
            num++;
        }
    }
    printf("killed twice: %zu\n", num);
    reading_release(&g);
    scratch_close(&file);
    log_release(&l);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("damage");

    tcase_add_loop_test(t, a_cut_anywhere_costs_only_what_is_behind_it, 0,
                        sizeof cut_shapes / sizeof *cut_shapes);
    tcase_add_test(t, an_empty_file_is_said_to_be_one);
    tcase_add_loop_test(t,
                        every_flipped_bit_is_noticed_and_costs_a_chunk_at_most,
                        0, sizeof flip_shapes / sizeof *flip_shapes);
    tcase_add_test(t, flips_in_indexes_and_repeats_cost_nothing);
    tcase_add_loop_test(t, chunks_that_random_damage_leaves_alone_come_back, 0,
                        sizeof random_shapes / sizeof *random_shapes);
    tcase_add_test(t, a_log_can_be_continued_after_any_cut);
    tcase_add_test(t, a_run_killed_at_once_hides_no_damage_and_is_none);
    tcase_add_test(t, two_power_cuts_leave_no_damage);
    return run_suite("damage", (TCase *[]){ t, NULL });
}
