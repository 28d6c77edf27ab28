/* Headers: the documented bytes, every flipped bit, the search for them. */
#include "format/record/record.h"

#include "format/base/cursor.h"
#include "tests/support/support.h"

#include <stdlib.h>
#include <string.h>

/* The record worked out byte by byte at the end of FORMAT.md. */
static const uint8_t example[] = {
    0x89, 0x50, 0x4C, 0x31, 0x6E, 0x6F, 0x74, 0x65, /* magic, "note" */
    0xEF, 0xCD, 0xAB, 0x89, 0x67, 0x45, 0x23, 0x01, /* session */
    0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, /* seq, ref ... flags */
    0x00, 0xCA, 0x9A, 0x3B, 0x00, 0x00, 0x00, 0x00, /* utc_ns: 1 s */
    0x00, 0x94, 0x35, 0x77, 0x00, 0x00, 0x00, 0x00, /* boot_ns: 2 s */
    0x06, 0x00, 0x00, 0x00, 0x06, 0x00, 0x00, 0x00, /* lengths */
    0x57, 0x59, 0xC4, 0xB7, 0x32, 0x57, 0x2C, 0x41, /* raw_hash */
    0xF6, 0xE7, 0xFC, 0x84, 0x15, 0xC7, 0xE8, 0x20, /* payload_hash */
    0xDE, 0x3B, 0x0F, 0xFF, 0x9E, 0x8E, 0x85, 0xA9, /* header_hash */
    0x04, 0x00, 0x00, 0x00, 0x68, 0x69, 0x00, 0x00, /* kind 4, "hi", pad */
};

static const struct pl_record sample = {
    .type = PL_SMPL,
    .session = UINT64_C(0xF0E1D2C3B4A59687),
    .seq = 0x10213243,
    .ref = 0x5465,
    .codec = 3,
    .flags = PL_FLAG_MISSED,
    .utc_ns = -5,
    .boot_ns = INT64_C(0x0102030405060708),
    .stored_len = PL_MAX_PAYLOAD,
    .raw_len = PL_MAX_PAYLOAD - 1,
    .raw_hash = UINT64_C(0x1122334455667788),
    .payload_hash = UINT64_C(0x99AABBCCDDEEFF00),
};

static void check_equal(const struct pl_record *a, const struct pl_record *b)
{
    ck_assert_uint_eq(a->type, b->type);
    ck_assert_uint_eq(a->session, b->session);
    ck_assert_uint_eq(a->seq, b->seq);
    ck_assert_uint_eq(a->ref, b->ref);
    ck_assert_uint_eq(a->codec, b->codec);
    ck_assert_uint_eq(a->flags, b->flags);
    ck_assert_int_eq(a->utc_ns, b->utc_ns);
    ck_assert_int_eq(a->boot_ns, b->boot_ns);
    ck_assert_uint_eq(a->stored_len, b->stored_len);
    ck_assert_uint_eq(a->raw_len, b->raw_len);
    ck_assert_uint_eq(a->raw_hash, b->raw_hash);
    ck_assert_uint_eq(a->payload_hash, b->payload_hash);
}

/* Make the hash of a header that a test has changed right again. */
static void seal(uint8_t *header)
{
    pl_put_le64(header + 64, pl_hash(header, 64, 0));
}

START_TEST(a_header_comes_back_as_it_was_put)
{
    uint8_t bytes[PL_RECORD_LEN];
    struct pl_record got;

    pl_record_put(&sample, bytes);
    ck_assert_int_eq(pl_record_get(&got, bytes), PL_OK);
    check_equal(&got, &sample);
}
END_TEST

START_TEST(the_documented_example_is_a_record)
{
    const uint8_t *payload = example + PL_RECORD_LEN;
    uint8_t bytes[PL_RECORD_LEN];
    struct pl_record r;

    ck_assert_int_eq(pl_record_get(&r, example), PL_OK);
    ck_assert_uint_eq(r.type, PL_NOTE);
    ck_assert_uint_eq(r.session, UINT64_C(0x0123456789ABCDEF));
    ck_assert_uint_eq(r.seq, 2);
    ck_assert_int_eq(r.utc_ns, 1000000000);
    ck_assert_int_eq(r.boot_ns, 2000000000);
    ck_assert_uint_eq(r.stored_len, 6);
    ck_assert_uint_eq(r.raw_len, 6);
    ck_assert_uint_eq(r.raw_hash, pl_hash(payload, 6, r.session));
    ck_assert_uint_eq(pl_padded_len(6), sizeof example - PL_RECORD_LEN);
    ck_assert_uint_eq(r.payload_hash, pl_hash(payload, 8, r.session));
    pl_record_put(&r, bytes);
    ck_assert_mem_eq(bytes, example, sizeof bytes);
}
END_TEST

START_TEST(every_flipped_bit_is_noticed)
{
    uint8_t bytes[PL_RECORD_LEN];
    struct pl_record r;

    pl_record_put(&sample, bytes);
    for (size_t bit = 0; bit < 8 * sizeof bytes; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        ck_assert_msg(pl_record_get(&r, bytes) == PL_CORRUPT, "bit %zu", bit);
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    ck_assert_int_eq(pl_record_get(&r, bytes), PL_OK);
}
END_TEST

static const struct {
    const char *what;
    size_t at;
    uint32_t value;
    enum pl_status want;
} sealed[] = {
    { "stored_len at its cap", 40, PL_MAX_PAYLOAD, PL_OK },
    { "stored_len over its cap", 40, PL_MAX_PAYLOAD + 1, PL_CORRUPT },
    { "raw_len at its cap", 44, PL_MAX_PAYLOAD, PL_OK },
    { "raw_len over its cap", 44, PL_MAX_PAYLOAD + 1, PL_CORRUPT },
    { "all bits of stored_len", 40, UINT32_MAX, PL_CORRUPT },
    { "all bits of raw_len", 44, UINT32_MAX, PL_CORRUPT },
    { "major version 2", 0, 0x324C5089, PL_UNSUPPORTED },
    { "major version 0", 0, 0x304C5089, PL_UNSUPPORTED },
    { "major version 9", 0, 0x394C5089, PL_UNSUPPORTED },
    { "before the digits", 0, 0x2F4C5089, PL_CORRUPT },
    { "behind the digits", 0, 0x3A4C5089, PL_CORRUPT },
    { "first magic byte without its top bit", 0, 0x314C5009, PL_CORRUPT },
    { "second magic byte", 0, 0x314C7089, PL_CORRUPT },
    { "third magic byte", 0, 0x316C5089, PL_CORRUPT },
};

START_TEST(a_right_hash_does_not_excuse)
{
    uint8_t bytes[PL_RECORD_LEN];
    struct pl_record r;

    pl_record_put(&sample, bytes);
    pl_put_le32(bytes + sealed[_i].at, sealed[_i].value);
    seal(bytes);
    ck_assert_msg(pl_record_get(&r, bytes) == sealed[_i].want, "%s",
                  sealed[_i].what);
}
END_TEST

START_TEST(session_0_is_no_session)
{
    struct pl_record r = sample;
    uint8_t bytes[PL_RECORD_LEN];

    r.session = 0;
    pl_record_put(&r, bytes);
    ck_assert_int_eq(pl_record_get(&r, bytes), PL_CORRUPT);
}
END_TEST

START_TEST(another_major_version_needs_the_right_hash_too)
{
    uint8_t bytes[PL_RECORD_LEN];
    struct pl_record r;

    pl_record_put(&sample, bytes);
    bytes[3] = '2';
    ck_assert_int_eq(pl_record_get(&r, bytes), PL_CORRUPT);
}
END_TEST

START_TEST(a_header_is_found_at_every_offset)
{
    uint8_t bytes[200 + PL_RECORD_LEN];
    struct pl_record r;

    for (size_t at = 0; at <= 200; at++) {
        size_t n = at + PL_RECORD_LEN;
        uint8_t *p;

        memset(bytes, 0x89, sizeof bytes); /* every byte might be a magic */
        pl_record_put(&sample, bytes + at);
        p = exact_copy(bytes, n);
        memset(&r, 0, sizeof r);
        ck_assert_uint_eq(pl_record_search(p, n, 0, &r), at);
        check_equal(&r, &sample);
        ck_assert_uint_eq(pl_record_search(p, n, at, &r), at);
        ck_assert_uint_eq(pl_record_search(p, n, at + 1, &r), n);
        free(p);
    }
}
END_TEST

START_TEST(a_header_cut_by_the_end_is_none)
{
    uint8_t bytes[8 + PL_RECORD_LEN] = { 0 };
    struct pl_record r;

    pl_record_put(&sample, bytes + 8);
    for (size_t n = 0; n < sizeof bytes; n++) {
        uint8_t *p = exact_copy(bytes, n);

        for (size_t from = 0; from <= n; from++)
            ck_assert_uint_eq(pl_record_search(p, n, from, &r), n);
        free(p);
    }
}
END_TEST

START_TEST(the_search_passes_over_headers_that_do_not_hold)
{
    uint8_t bytes[3 * PL_RECORD_LEN + 1];
    struct pl_record r;

    memset(bytes, 0, sizeof bytes);
    pl_record_put(&sample, bytes);
    bytes[20] ^= 1;
    pl_record_put(&sample, bytes + PL_RECORD_LEN);
    pl_put_le32(bytes + PL_RECORD_LEN + 44, PL_MAX_PAYLOAD + 1);
    seal(bytes + PL_RECORD_LEN);
    pl_record_put(&sample, bytes + 2 * PL_RECORD_LEN);
    ck_assert_uint_eq(pl_record_search(bytes, sizeof bytes, 0, &r),
                      2 * PL_RECORD_LEN);
}
END_TEST

START_TEST(the_search_stops_at_another_major_version)
{
    uint8_t bytes[9 + PL_RECORD_LEN] = { 0 };
    struct pl_record r;

    pl_record_put(&sample, bytes + 9);
    bytes[9 + 3] = '7';
    seal(bytes + 9);
    memset(&r, 0xFF, sizeof r);
    ck_assert_uint_eq(pl_record_search(bytes, sizeof bytes, 0, &r), 9);
    ck_assert_uint_eq(r.type, 0); /* nobody knows what its fields mean */
}
END_TEST

START_TEST(a_search_from_behind_the_end_finds_nothing)
{
    uint8_t bytes[PL_RECORD_LEN];
    struct pl_record r;

    pl_record_put(&sample, bytes);
    ck_assert_uint_eq(pl_record_search(bytes, sizeof bytes, 1000, &r),
                      sizeof bytes);
}
END_TEST

START_TEST(payloads_are_padded_to_eight)
{
    ck_assert_uint_eq(pl_padded_len(0), 0);
    ck_assert_uint_eq(pl_padded_len(1), 8);
    ck_assert_uint_eq(pl_padded_len(8), 8);
    ck_assert_uint_eq(pl_padded_len(9), 16);
    ck_assert_uint_eq(pl_padded_len(UINT32_MAX), UINT64_C(1) << 32);
}
END_TEST

START_TEST(the_case_of_its_first_letter_makes_a_type_critical)
{
    ck_assert(pl_type_is_critical(PL_SESS));
    ck_assert(pl_type_is_critical(PL_TITL));
    ck_assert(pl_type_is_critical(PL_SMPL));
    ck_assert(pl_type_is_critical(PL_TYPE('X', 'x', 'x', 'x')));
    ck_assert(!pl_type_is_critical(PL_INDX));
    ck_assert(!pl_type_is_critical(PL_ENDS));
    ck_assert(!pl_type_is_critical(PL_GAPS));
    ck_assert(!pl_type_is_critical(PL_NOTE));
    ck_assert(!pl_type_is_critical(PL_TYPE('x', 'X', 'X', 'X')));
}
END_TEST

/* XXH3 of nothing, from the library's own documentation of test values. */
START_TEST(the_hash_is_xxh3_and_its_seed_counts)
{
    ck_assert_uint_eq(pl_hash("", 0, 0), UINT64_C(0x2D06800538D394C2));
    ck_assert_uint_ne(pl_hash("abc", 3, 0), pl_hash("abc", 3, 1));
    ck_assert_uint_ne(pl_hash("abc", 3, 0), pl_hash("abd", 3, 0));
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("record");

    tcase_add_test(t, a_header_comes_back_as_it_was_put);
    tcase_add_test(t, the_documented_example_is_a_record);
    tcase_add_test(t, every_flipped_bit_is_noticed);
    tcase_add_loop_test(t, a_right_hash_does_not_excuse, 0,
                        sizeof sealed / sizeof *sealed);
    tcase_add_test(t, session_0_is_no_session);
    tcase_add_test(t, another_major_version_needs_the_right_hash_too);
    tcase_add_test(t, a_header_is_found_at_every_offset);
    tcase_add_test(t, a_header_cut_by_the_end_is_none);
    tcase_add_test(t, the_search_passes_over_headers_that_do_not_hold);
    tcase_add_test(t, the_search_stops_at_another_major_version);
    tcase_add_test(t, a_search_from_behind_the_end_finds_nothing);
    tcase_add_test(t, payloads_are_padded_to_eight);
    tcase_add_test(t, the_case_of_its_first_letter_makes_a_type_critical);
    tcase_add_test(t, the_hash_is_xxh3_and_its_seed_counts);
    return run_suite("record", (TCase *[]){ t, NULL });
}
