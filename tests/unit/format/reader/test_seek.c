/* Seeking by time: what comes is what would have come without, whether the
 * indexes are whole, damaged, lying or not there. */
#include "tests/support/seeker.h"

#include "format/base/cursor.h"
#include "format/time/time_text.h"
#include "format/reader/reader_state.h"
#include "format/record/record.h"
#include "tests/support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECOND PL_NS_PER_SEC

/* ---- tests ----------------------------------------------------------------- */

START_TEST(a_seek_gives_what_reading_all_gives_and_reads_less)
{
    const char *path = path_in(temp_dir(), "log");
    struct seeker s;
    struct log l;

    log_make(&l, path, LOG_CHUNKS, 1);
    seek_start(&s, &l, path);
    check_all(&s, 7);
    for (size_t i = 0; i < l.num_samples; i++)
        if (l.samples[i].chunk % 64 == 0) /* the first behind an index */
            check_seek(&s, l.samples[i].utc_ns);
    ck_assert_uint_gt(s.num_shorter, 60);
    printf("seek: %zu of %zu samples, %zu seeks read less\n", s.all.num,
           l.num_samples, s.num_shorter);
    seek_stop(&s);
    log_release(&l);
}
END_TEST

/* Between two indexes, reading begins with a key near what is wanted. */
START_TEST(a_seek_decodes_no_more_than_two_chunks_before_what_is_wanted)
{
    const char *path = path_in(temp_dir(), "log");
    struct seeker s;
    struct log l;
    size_t num = 0;

    log_make(&l, path, LOG_CHUNKS, 1);
    seek_start(&s, &l, path);
    for (size_t i = 0; i < l.num_samples; i += 3) {
        check_seek(&s, l.samples[i].utc_ns);
        if (l.samples[i].chunk <= 64)
            continue; /* before the first index */
        ck_assert_uint_ge(l.samples[s.some.numbers[0]].chunk + 1,
                          l.samples[i].chunk);
        num++;
    }
    ck_assert_uint_gt(num, 60);
    seek_stop(&s);
    log_release(&l);
}
END_TEST

START_TEST(logs_without_indexes_are_sought_by_their_headers)
{
    const char *path = path_in(temp_dir(), "log");
    struct seeker s;
    struct log l;

    log_make(&l, path, (enum log_shape)_i, 1);
    seek_start(&s, &l, path);
    check_all(&s, 1);
    seek_stop(&s);
    log_release(&l);
}
END_TEST

/* A log that was never closed: the tail has no index. */
START_TEST(a_cut_log_is_sought_by_the_indexes_it_has)
{
    const char *path = path_in(temp_dir(), "log");
    struct scratch file;
    struct seeker s;
    struct log l;

    log_make(&l, path, LOG_CHUNKS, 1);
    scratch_open(&file, "cut");
    scratch_set(&file, l.bytes, l.len);
    for (size_t i = l.num_records; i-- > 0; i -= i % 41) {
        scratch_cut(&file, l.records[i].at + 50);
        seek_start(&s, &l, file.path);
        check_all(&s, 170);
        seek_stop(&s);
    }
    scratch_close(&file);
    log_release(&l);
}
END_TEST

/* One byte of each 8 in what seeking relies upon. */
START_TEST(damaged_indexes_and_repeats_cost_nothing)
{
    const char *path = path_in(temp_dir(), "log");
    struct scratch file;
    struct seeker s;
    struct log l;
    size_t num = 0;

    log_make(&l, path, LOG_CHUNKS, 1);
    scratch_open(&file, "damaged");
    scratch_set(&file, l.bytes, l.len);
    for (size_t i = 1; i < l.num_records; i++) {
        const struct whole_record *w = &l.records[i];

        if (w->record.type == PL_SMPL)
            continue;
        for (size_t at = w->at; at < w->at + w->len; at += 89) {
            scratch_poke(&file, at, l.bytes[at] ^ 0x20);
            seek_start(&s, &l, file.path);
            check_all(&s, 300);
            seek_stop(&s);
            scratch_poke(&file, at, l.bytes[at]);
            num++;
        }
    }
    printf("seek: %zu damaged bytes\n", num);
    scratch_close(&file);
    log_release(&l);
}
END_TEST

/* A key's damage shows when the index is checked. */
START_TEST(damaged_samples_are_left_out_with_and_without_seeking)
{
    const char *path = path_in(temp_dir(), "log");
    struct scratch file;
    struct seeker s;
    struct log l;

    log_make(&l, path, LOG_CHUNKS, 1);
    scratch_open(&file, "damaged");
    scratch_set(&file, l.bytes, l.len);
    for (size_t i = 0; i < l.num_samples; i += 29) {
        scratch_poke(&file, l.samples[i].at + 80, 0xAA);
        seek_start(&s, &l, file.path);
        check_all(&s, 200);
        seek_stop(&s);
        scratch_poke(&file, l.samples[i].at + 80,
                     l.bytes[l.samples[i].at + 80]);
    }
    scratch_close(&file);
    log_release(&l);
}
END_TEST

/* Reading cannot begin with a damaged key: what is wanted is before it. */
START_TEST(a_damaged_key_between_indexes_hides_nothing)
{
    const char *path = path_in(temp_dir(), "log");
    struct scratch file;
    struct seeker s;
    struct log l;
    size_t num = 0;

    log_make(&l, path, LOG_CHUNKS, 1);
    scratch_open(&file, "damaged");
    scratch_set(&file, l.bytes, l.len);
    for (size_t i = 0; i + 2 < l.num_samples; i++) {
        const uint64_t at = l.samples[i].at + 80;

        if (!l.samples[i].is_key || l.samples[i].chunk % 5)
            continue;
        scratch_poke(&file, at, l.bytes[at] ^ 0x55);
        seek_start(&s, &l, file.path);
        for (size_t k = i; k < i + 3; k++)
            check_seek(&s, l.samples[k].utc_ns);
        seek_stop(&s);
        scratch_poke(&file, at, l.bytes[at]);
        num++;
    }
    ck_assert_uint_gt(num, 20);
    scratch_close(&file);
    log_release(&l);
}
END_TEST

/* ---- lies ------------------------------------------------------------------ */

enum { LIES = 150 };

/* Put a lie into field 'at' of the payload, and hashes that fit it. */
static void forge(const struct log *l, struct scratch *file,
                  const struct whole_record *w, size_t at, uint64_t value)
{
    struct pl_buf b = { 0 };
    struct pl_record r = w->record;

    pl_buf_bytes(&b, l->bytes + w->at, w->len);
    pl_buf_set_u64(&b, PL_RECORD_LEN + at, value);
    r.raw_hash = pl_hash(b.p + PL_RECORD_LEN, r.stored_len, r.session);
    r.payload_hash =
        pl_hash(b.p + PL_RECORD_LEN, w->len - PL_RECORD_LEN, r.session);
    pl_record_put(&r, b.p);
    scratch_write(file, w->at, b.p, b.len);
    pl_buf_release(&b);
}

static uint64_t lie(const struct log *l, uint64_t *random, uint64_t truth)
{
    const struct sample *s = &l->samples[random_next(random) % l->num_samples];

    switch (random_next(random) % 8) {
    case 0:
        return 0;
    case 1:
        return truth + 8;
    case 2:
        return truth - 8;
    case 3:
        return s->at;
    case 4:
        return (uint64_t)s->utc_ns;
    case 5:
        return random_next(random);
    case 6:
        return INT64_MAX;
    default:
        return l->records[random_next(random) % l->num_records].at;
    }
}

START_TEST(lying_indexes_hide_nothing)
{
    const char *path = path_in(temp_dir(), "log");
    struct scratch file;
    struct seeker s;
    struct log l;
    uint64_t random = 99;

    log_make(&l, path, LOG_CHUNKS, 1);
    scratch_open(&file, "lies");
    for (size_t i = 0; i < LIES; i++) {
        scratch_set(&file, l.bytes, l.len);
        for (size_t k = 0; k <= i % 3; k++) {
            const struct whole_record *w =
                log_find(&l, PL_INDX, random_next(&random) % 3);
            size_t at =
                random_next(&random) %
                    (random_next(&random) % 2 ? 64 : w->record.stored_len - 7) &
                ~(size_t)7;
            uint64_t truth = pl_get_le64(l.bytes + w->at + PL_RECORD_LEN + at);

            forge(&l, &file, w, at, lie(&l, &random, truth));
        }
        seek_start(&s, &l, file.path);
        check_all(&s, 200);
        seek_stop(&s);
    }
    printf("seek: %d lying indexes, nothing hidden\n", LIES);
    scratch_close(&file);
    log_release(&l);
}
END_TEST

/* Every chunk of an index claims to be older than it is. */
START_TEST(an_index_that_is_all_lies_about_time_hides_nothing)
{
    const char *path = path_in(temp_dir(), "log");
    struct scratch file;
    struct seeker s;
    struct log l;

    log_make(&l, path, LOG_CHUNKS, 1);
    for (size_t i = 0; i < 3; i++) {
        const struct whole_record *w = log_find(&l, PL_INDX, i);

        for (size_t at = 24; at + 40 <= w->record.stored_len; at += 40) {
            pl_put_le64(l.bytes + w->at + PL_RECORD_LEN + at + 8, 0);
            pl_put_le64(l.bytes + w->at + PL_RECORD_LEN + at + 16, 1);
        }
    }
    scratch_open(&file, "lies");
    scratch_set(&file, l.bytes, l.len);
    for (size_t i = 0; i < 3; i++)
        forge(&l, &file, log_find(&l, PL_INDX, i), 16,
              pl_get_le64(l.bytes + log_find(&l, PL_INDX, i)->at +
                          PL_RECORD_LEN + 16));
    seek_start(&s, &l, file.path);
    check_all(&s, 11);
    seek_stop(&s);
    scratch_close(&file);
    log_release(&l);
}
END_TEST

/* Where a chain of indexes leads back to itself there is no end of it. */
START_TEST(an_index_that_leads_nowhere_is_no_trap)
{
    const char *path = path_in(temp_dir(), "log");
    struct scratch file;
    struct seeker s;
    struct log l;

    log_make(&l, path, LOG_CHUNKS, 1);
    scratch_open(&file, "lies");
    for (size_t from = 0; from < 3; from++)
        for (size_t to = 0; to < 3; to++) {
            scratch_set(&file, l.bytes, l.len);
            forge(&l, &file, log_find(&l, PL_INDX, from), 8,
                  log_find(&l, PL_INDX, to)->at);
            seek_start(&s, &l, file.path);
            check_all(&s, 200);
            seek_stop(&s);
        }
    scratch_close(&file);
    log_release(&l);
}
END_TEST

/* What a record says of the payload behind its header. */
static void put_header(uint8_t *p, uint32_t type, uint64_t session,
                       uint32_t seq, size_t len)
{
    uint64_t hash = pl_hash(p + PL_RECORD_LEN, len, session);
    const struct pl_record r = { .type = type,
                                 .session = session,
                                 .seq = seq,
                                 .stored_len = (uint32_t)len,
                                 .raw_len = (uint32_t)len,
                                 .raw_hash = hash,
                                 .payload_hash = hash };

    pl_record_put(&r, p);
}

/* Each index has all that comes after it as its payload: a chain of them has
 * hundreds of times as many bytes as the file. */
START_TEST(indexes_inside_each_other_cost_no_more_than_others)
{
    enum { NUM = 1000, KEY = PL_RECORD_LEN + 32, UNIT = 240 };
    const char *path = path_in(temp_dir(), "log");
    struct pl_buf b = { 0 };
    struct pl_reader *r;
    struct log l;

    log_make(&l, path, LOG_SMALL, 1);
    pl_buf_bytes(&b, l.bytes, l.len);
    ck_assert_ptr_nonnull(pl_buf_zeros(&b, NUM * UNIT));
    for (uint32_t k = NUM; k-- > 0;) {
        uint64_t at = l.len + k * UNIT, index_at = at + KEY;
        uint64_t session = l.records[0].record.session;
        uint8_t *p = b.p + index_at + PL_RECORD_LEN;
        size_t len = b.len - index_at - PL_RECORD_LEN;

        put_header(b.p + at, PL_SMPL, session, 1000 + k, KEY - PL_RECORD_LEN);
        pl_put_le64(p, index_at);
        pl_put_le64(p + 8, k ? index_at - UNIT : 0);
        pl_put_le32(p + 16, (uint32_t)(len - 24) / 40);
        pl_put_le64(p + 24, at);
        pl_put_le64(p + 24 + 16, INT64_MAX); /* not older than anything */
        pl_put_le32(p + 24 + 32, 1000 + k);
        put_header(b.p + index_at, PL_INDX, session, 5000 + k, len);
    }
    write_file(path, b.p, b.len);
    ck_assert_int_eq(pl_reader_open(&r, path, NULL), PL_OK);
    ck_assert_int_eq(pl_reader_seek(r, l.samples[1].utc_ns), PL_OK);
    ck_assert_uint_gt(r->sought, b.len); /* it looked into them */
    ck_assert_uint_lt(r->sought, 6 * b.len + (1 << 20));
    pl_reader_close(r);
    pl_buf_release(&b);
    log_release(&l);
}
END_TEST

/* ---- clocks that are set -------------------------------------------------------- */

/* Of a log as it was recorded, and packed. */
START_TEST(clock_steps_hide_nothing)
{
    const char *path = path_in(temp_dir(), "log");
    struct pl_writer *w = log_open(path, &log_options);
    struct log l = { 0 };
    struct machine m;
    uint64_t random = 7;
    struct seeker s;

    machine_start(&m, 3, 1);
    for (int i = 0; i < 60; i++) {
        int64_t most = 20000;

        log_add(&l, w, &m, 100 * SECOND, 10);
        m.utc_ns += ((int64_t)(random_next(&random) % 40000) - most) * SECOND;
    }
    ck_assert_int_eq(pl_writer_close(w, PL_END_ASKED, NULL), PL_OK);
    log_load(&l, path);
    ck_assert_ptr_nonnull(log_find(&l, PL_INDX, 2));
    if (_i)
        log_pack(&l, path);
    seek_start(&s, &l, path);
    check_all(&s, 9);
    printf("seek: clock steps, %zu seeks read less\n", s.num_shorter);
    seek_stop(&s);
    machine_stop(&m);
    log_release(&l);
}
END_TEST

START_TEST(joined_logs_are_sought_as_well)
{
    const char *path = path_in(temp_dir(), "log");
    struct scratch file;
    struct seeker s;
    struct log l, other;

    log_make(&l, path, LOG_CHUNKS, 1);
    log_make(&other, path_in(temp_dir(), "other"), LOG_SMALL, 2);
    scratch_open(&file, "joined");
    scratch_set(&file, l.bytes, l.len);
    scratch_write(&file, l.len, l.bytes, l.len);
    seek_start(&s, &l, file.path);
    check_all(&s, 50);
    seek_stop(&s);
    scratch_close(&file);
    log_release(&l);
    log_release(&other);
}
END_TEST

/* ---- what may still come --------------------------------------------------- */

/* Is any sample from the 'n'th on of a time from 'first' to 'last'? */
static void check_between(struct pl_reader *r, const struct log *l, size_t n,
                          int64_t first, int64_t last, bool exactly)
{
    bool none = true, reported;

    for (size_t k = n; k < l->num_samples && none; k++)
        none = l->samples[k].utc_ns < first || l->samples[k].utc_ns > last;
    reported = pl_reader_none_between(r, first, last, NULL);
    ck_assert(none || !reported);
    ck_assert(!exactly || none == reported);
}

/*
 * After every 'step'th sample: is any from there on as old as others are, or
 * of just that time?
 */
static void check_none(const struct log *l, const char *path, size_t step,
                       bool exactly)
{
    struct pl_reader *r;
    struct pl_item item;
    size_t n = 0;

    ck_assert_int_eq(pl_reader_open(&r, path, NULL), PL_OK);
    while (!pl_reader_next(r, &item)) {
        if (item.kind != PL_ITEM_SAMPLE || ++n % step)
            continue;
        for (size_t i = 0; i < l->num_samples; i += step / 2) {
            const int64_t at = l->samples[i].utc_ns;

            check_between(r, l, n, INT64_MIN, at - 1, exactly);
            check_between(r, l, n, at, at, exactly);
        }
        for (size_t i = n; i < l->num_samples && i < n + 2; i++)
            check_between(r, l, n, l->samples[i].utc_ns, l->samples[i].utc_ns,
                          exactly);
    }
    ck_assert_uint_eq(n, l->num_samples);
    pl_reader_close(r);
}

START_TEST(what_is_still_to_come_is_told_by_indexes_and_headers)
{
    const char *path = path_in(temp_dir(), "log");
    struct log l;

    log_make(&l, path, LOG_CHUNKS, 1);
    check_none(&l, path, 25, true); /* within chunks, too */
    log_release(&l);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("seek");

    tcase_add_test(t, a_seek_gives_what_reading_all_gives_and_reads_less);
    tcase_add_test(
        t, a_seek_decodes_no_more_than_two_chunks_before_what_is_wanted);
    tcase_add_loop_test(t, logs_without_indexes_are_sought_by_their_headers, 0,
                        LOG_CHUNKS);
    tcase_add_test(t, a_cut_log_is_sought_by_the_indexes_it_has);
    tcase_add_test(t, damaged_indexes_and_repeats_cost_nothing);
    tcase_add_test(t, damaged_samples_are_left_out_with_and_without_seeking);
    tcase_add_test(t, a_damaged_key_between_indexes_hides_nothing);
    tcase_add_test(t, lying_indexes_hide_nothing);
    tcase_add_test(t, an_index_that_is_all_lies_about_time_hides_nothing);
    tcase_add_test(t, an_index_that_leads_nowhere_is_no_trap);
    tcase_add_test(t, indexes_inside_each_other_cost_no_more_than_others);
    tcase_add_loop_test(t, clock_steps_hide_nothing, 0, 2);
    tcase_add_test(t, what_is_still_to_come_is_told_by_indexes_and_headers);
    tcase_add_test(t, joined_logs_are_sought_as_well);
    return run_suite("seek", (TCase *[]){ t, NULL });
}
