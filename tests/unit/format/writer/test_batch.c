/* Records put together for one write: numbers, lengths, hashes, padding. */
#include "format/writer/record_batch.h"

#include "tests/support/support.h"

#include <string.h>

enum { SESSION = 42 };

/* The record at *at of the batch, proven; *at moves behind it. */
static struct pl_record next(const struct pl_record_batch *b, size_t *at)
{
    const uint8_t *p = b->bytes.p + *at;
    struct pl_record r;
    size_t padded;

    ck_assert_int_eq(pl_record_get(&r, p), PL_OK);
    padded = pl_padded_len(r.stored_len);
    ck_assert_uint_eq(pl_hash(p + PL_RECORD_LEN, padded, r.session),
                      r.payload_hash);
    for (size_t i = r.stored_len; i < padded; i++)
        ck_assert_uint_eq(p[PL_RECORD_LEN + i], 0);
    *at += PL_RECORD_LEN + padded;
    return r;
}

static void put(struct pl_record_batch *b, const char *payload)
{
    pl_buf_string(pl_record_batch_payload(b), payload);
    pl_record_batch_plain(b, PL_NOTE, 5, 6);
}

START_TEST(records_stand_in_a_row_and_are_numbered)
{
    static const char *const payloads[] = { "abc", "", "12345678",
                                            "123456789" };
    struct pl_record_batch b = { 0 };
    size_t at = 0;

    pl_record_batch_begin(&b, SESSION, 100);
    ck_assert_uint_eq(pl_record_batch_seq(&b), 100);
    for (uint32_t i = 0; i < 4; i++) {
        put(&b, payloads[i]);
        ck_assert_uint_eq(pl_record_batch_seq(&b), 101 + i);
    }
    for (uint32_t i = 0; i < 4; i++) {
        size_t n = strlen(payloads[i]);
        struct pl_record r = next(&b, &at);

        ck_assert_uint_eq(r.seq, 100 + i);
        ck_assert_uint_eq(r.session, SESSION);
        ck_assert_uint_eq(r.type, PL_NOTE);
        ck_assert_uint_eq(r.stored_len, n);
        ck_assert_uint_eq(r.raw_len, n);
        ck_assert_uint_eq(r.raw_hash, pl_hash(payloads[i], n, SESSION));
        ck_assert_int_eq(r.utc_ns, 5);
        ck_assert_int_eq(r.boot_ns, 6);
    }
    ck_assert_uint_eq(at, b.bytes.len);
    pl_record_batch_release(&b);
}
END_TEST

START_TEST(a_new_batch_holds_nothing_of_the_one_before)
{
    struct pl_record_batch b = { 0 };
    size_t at = 0;

    pl_record_batch_begin(&b, SESSION, 0);
    put(&b, "old");
    pl_record_batch_begin(&b, SESSION + 1, 9);
    put(&b, "new");
    ck_assert_uint_eq(b.num, 1);
    ck_assert_uint_eq(next(&b, &at).seq, 9);
    ck_assert_uint_eq(at, b.bytes.len);
    pl_record_batch_release(&b);
}
END_TEST

START_TEST(what_was_coded_elsewhere_keeps_its_own_length_and_hash)
{
    struct pl_record coded = { .type = PL_SMPL,
                               .raw_len = 1000,
                               .raw_hash = 7 };
    struct pl_buf payload = { 0 };
    struct pl_record_batch b = { 0 };
    struct pl_record r;
    size_t at = 0;

    pl_buf_bytes(&payload, "coded", 5);
    pl_record_batch_begin(&b, SESSION, 3);
    pl_record_batch_coded(&b, coded, &payload);
    r = next(&b, &at);
    ck_assert_uint_eq(r.raw_len, 1000);
    ck_assert_uint_eq(r.raw_hash, 7);
    ck_assert_uint_eq(r.stored_len, 5);
    payload.oom = true; /* it is not whole */
    pl_record_batch_coded(&b, coded, &payload);
    ck_assert(b.bytes.oom);
    ck_assert_uint_eq(b.num, 1);
    pl_buf_release(&payload);
    pl_record_batch_release(&b);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("batch");

    tcase_add_test(t, records_stand_in_a_row_and_are_numbered);
    tcase_add_test(t, a_new_batch_holds_nothing_of_the_one_before);
    tcase_add_test(t, what_was_coded_elsewhere_keeps_its_own_length_and_hash);
    return run_suite("batch", (TCase *[]){ t, NULL });
}
