/* Logs newer than this program. */
#include "tests/support/item_kinds.h"

#include "format/time/time_text.h"
#include "format/record/record.h"
#include "tests/support/logs.h"
#include "tests/support/support.h"

#define NUM(table) (sizeof(table) / sizeof *(table))

#define SECOND PL_NS_PER_SEC

/* ---- newer than this program --------------------------------------------------------- */

#define XTRA PL_TYPE('X', 'T', 'R', 'A')
#define xtra PL_TYPE('x', 't', 'r', 'a')

/* clang-format off */
static const struct {
    const char *what;
    struct pl_record record; /* between samples 1 and 3 of session A */
    const char *kinds;       /* of A; then session B with a sample */
} newer[] = {
    { "codec 4", { .type = PL_SMPL, .codec = 4 }, "sSNSsS" },
    { "codec 255", { .type = PL_SMPL, .codec = 255 }, "sSNSsS" },
    { "flag bit 4", { .type = PL_SMPL, .flags = 0x10 }, "sSNSsS" },
    { "flag bit 7", { .type = PL_SMPL, .flags = 0x80 }, "sSNSsS" },
    { "flag bits 2 and 3", { .type = PL_SMPL, .flags = 0x0C }, "sSSSsS" },
    { "titles in codec 9", { .type = PL_TITL, .codec = 9 }, "sSNSsS" },
    { "titles as a delta", { .type = PL_TITL, .codec = 2 }, "sSNSsS" },
    { "identities as a delta", { .type = PL_IDEN, .codec = 3 }, "sSNSsS" },
    { "an unknown critical type", { .type = XTRA }, "sSNsS" },
    { "an unknown ancillary type", { .type = xtra }, "sSoSsS" },
    { "the same in an unknown codec", { .type = xtra, .codec = 9 }, "sSoSsS" },
    { "a session in an unknown codec", { .type = PL_SESS, .codec = 9 }, "sSNsS" },
    { "gaps in an unknown codec", { .type = PL_GAPS, .codec = 9 }, "sSNSsS" },
    { "an index in codec 1", { .type = PL_INDX, .codec = 1 }, "sSNSsS" },
};
/* clang-format on */

START_TEST(newer_things_are_left_out_and_said)
{
    struct pl_record r = newer[_i].record;
    struct pl_buf b = { 0 };

    craft_session(&b, A, 0);
    craft_sample(&b, A, 1, 16);
    r.session = A;
    r.seq = 2;
    craft(&b, r, "0123456789abcdef", 16);
    craft_sample(&b, A, 3, 16);
    craft_session(&b, B, 0);
    craft_sample(&b, B, 1, 16);
    check_kinds(newer[_i].what, &b, newer[_i].kinds);
    pl_buf_release(&b);
}
END_TEST

/* SESS with tag 1000 and 'flags'. */
static void put_tagged(struct pl_buf *b, uint16_t flags)
{
    struct pl_buf payload = { 0 };

    pl_buf_u16(&payload, 1000);
    pl_buf_u16(&payload, flags);
    pl_buf_u32(&payload, 0);
    craft(b, (struct pl_record){ .type = PL_SESS, .session = A }, payload.p,
          payload.len);
    pl_buf_release(&payload);
}

START_TEST(a_critical_tag_hides_its_session_alone)
{
    struct pl_buf b = { 0 };

    put_tagged(&b, 0x8000);
    craft_sample(&b, A, 1, 16);
    craft_session(&b, B, 0);
    craft_sample(&b, B, 1, 16);
    check_kinds("critical", &b, "NsS");
    put_tagged(&b, 0x7fff);
    craft_sample(&b, A, 1, 16);
    check_kinds("not critical", &b, "sS");
    pl_buf_release(&b);
}
END_TEST

START_TEST(what_depends_on_a_newer_sample_is_unreachable)
{
    struct pl_record r = {
        .type = PL_SMPL, .session = A, .seq = 2, .codec = 4
    };
    struct pl_buf b = { 0 };

    craft_session(&b, A, 0);
    craft_sample(&b, A, 1, 16);
    craft(&b, r, "0123456789abcdef", 16);
    r.seq = 3;
    r.ref = 1;
    r.codec = PL_CODEC_DELTA;
    craft(&b, r, "0123456789abcdef", 16);
    check_kinds("delta to codec 4", &b, "sSNU");
    pl_buf_release(&b);
}
END_TEST

/* Make the record at 'at' one of major version 2. */
static void make_newer(struct pl_buf *b, size_t at)
{
    uint64_t hash;

    b->p[at + 3] = '2';
    hash = pl_hash(b->p + at, 64, 0);
    pl_buf_set_u64(b, at + 64, hash);
}

START_TEST(another_major_version_is_said_and_passed_over)
{
    const char *path = path_in(temp_dir(), "newer");
    struct pl_buf b = { 0 };
    struct pl_reader *r;
    size_t at;

    craft_session(&b, A, 0);
    at = b.len;
    craft_session(&b, B, 0);
    make_newer(&b, at);
    craft_sample(&b, A, 1, 16);
    check_kinds("in between", &b, "sNS");
    craft_session(&b, A, 0);
    make_newer(&b, 0);
    write_file(path, b.p, b.len);
    ck_assert_int_eq(pl_reader_open(&r, path, NULL), PL_UNSUPPORTED);
    pl_buf_release(&b);
}
END_TEST

START_TEST(unknown_causes_and_kinds_are_handed_on)
{
    struct pl_gaps gaps = { .count = 1, .cause = 99 };
    struct pl_note note = { 99, pl_text_of("what") };
    struct pl_buf b = { 0 }, payload = { 0 };

    craft_session(&b, A, 0);
    pl_gaps_write(&gaps, &payload);
    craft(&b, (struct pl_record){ .type = PL_GAPS, .session = A, .seq = 1 },
          payload.p, payload.len);
    pl_buf_clear(&payload);
    pl_note_write(&note, &payload);
    craft(&b, (struct pl_record){ .type = PL_NOTE, .session = A, .seq = 2 },
          payload.p, payload.len);
    check_kinds("unknown numbers", &b, "sgn");
    pl_buf_release(&payload);
    pl_buf_release(&b);
}
END_TEST

int main(void)
{
    TCase *new = tcase_create("newer");

    tcase_add_loop_test(new, newer_things_are_left_out_and_said, 0, NUM(newer));
    tcase_add_test(new, a_critical_tag_hides_its_session_alone);
    tcase_add_test(new, what_depends_on_a_newer_sample_is_unreachable);
    tcase_add_test(new, another_major_version_is_said_and_passed_over);
    tcase_add_test(new, unknown_causes_and_kinds_are_handed_on);
    return run_suite("reader_newer", (TCase *[]){ new, NULL });
}
