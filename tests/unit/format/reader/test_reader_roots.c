/* Records of other files, such as disk blocks that were used before. */
#include "tests/support/item_kinds.h"

#include "format/record/record.h"
#include "tests/support/logs.h"
#include "tests/support/support.h"

#define NUM(table) (sizeof(table) / sizeof *(table))

/* ---- records of other files -------------------------------------------------------- */

/* What of a file is put together: records, or bytes that are none. */
struct part {
    enum { END, SESSION, OLDER, REPEAT, UNROOTED, SAMPLE, NOISE } what;
    uint64_t session;
    uint32_t seq; /* NOISE: how many bytes */
    uint64_t root;
    int64_t place; /* of its file's beginning in this one; not where it is.
                      SAMPLE: its length, 0 for the usual one */
};

enum { X = 0x3333, Y = 0x4444, FAR = 1 << 20 };

static void craft_rooted(struct pl_buf *b, const struct part *x)
{
    struct pl_session s = { .host = pl_text_of("craft"),
                            .repeat = x->what == REPEAT,
                            .root = x->root,
                            .place = (uint64_t)((int64_t)b->len - x->place) };
    struct pl_buf payload = { 0 };

    pl_session_write(&s, &payload);
    craft(b,
          (struct pl_record){ .type = PL_SESS,
                              .session = x->session,
                              .seq = x->seq,
                              .utc_ns = x->what == OLDER ? -1 : 0 },
          payload.p, payload.len);
    pl_buf_release(&payload);
}

static void craft_part(struct pl_buf *b, const struct part *x)
{
    switch (x->what) {
    case SAMPLE:
        craft_sample(b, x->session, x->seq,
                     x->place ? (size_t)x->place - PL_RECORD_LEN : LEN);
        break;
    case NOISE:
        for (uint32_t i = 0; i < x->seq; i++)
            pl_buf_u8(b, 'x');
        break;
    case UNROOTED:
        craft_session(b, x->session, x->seq);
        break;
    default:
        craft_rooted(b, x);
    }
}

/* A log of session A with one sample takes 128 + 272 bytes. */
#define LOG_A                                                                  \
    { SESSION, A, 0, A, 0 },                                                   \
    {                                                                          \
        SAMPLE, A, 1, 0, 0                                                     \
    }
#define CHILD_OF_A pl_session_child(A, UINT64_C(0x77777777) << 24)

START_TEST(records_belong_to_the_file_in_which_they_were_written)
{
    const uint64_t child = CHILD_OF_A;
    const int64_t end_of_a = 128 + 272;
    const struct {
        const char *what, *kinds;
        struct part parts[8];
    } rows[] = {
        { "samples of nobody knows whom",
          "sSDDS",
          { LOG_A,
            { SAMPLE, X, 7, 0, 0 },
            { SAMPLE, X, 8, 0, 0 },
            { SAMPLE, A, 2, 0, 0 } } },
        { "a later session without its SESS",
          "sSsSS",
          { LOG_A, { SAMPLE, child, 7, 0, 0 }, { SAMPLE, child, 8, 0, 0 } } },
        { "a later session",
          "sSsSS",
          { LOG_A,
            { SESSION, child, 0, A, 0 },
            { SAMPLE, child, 1, 0, 0 },
            { SAMPLE, child, 2, 0, 0 } } },
        { "a log joined to it",
          "sSsS",
          { LOG_A, { SESSION, X, 0, X, end_of_a }, { SAMPLE, X, 1, 0, 0 } } },
        { "an older log joined to it",
          "sSsS",
          { LOG_A, { OLDER, X, 0, X, end_of_a }, { SAMPLE, X, 1, 0, 0 } } },
        { "an older log joined behind bytes that are no record",
          "sSDsS",
          { LOG_A,
            { NOISE, 0, 4096 - 400 + 8, 0, 0 },
            { OLDER, X, 0, X, 4096 + 8 },
            { SAMPLE, X, 1, 0, 0 } } },
        { "an older log joined to one that ends with a block",
          "sSSsS",
          { LOG_A,
            { SAMPLE, A, 2, 0, 4096 - 400 },
            { OLDER, X, 0, X, 4096 },
            { SAMPLE, X, 1, 0, 0 } } },
        { "a newer log joined where a block begins",
          "sSDsS",
          { LOG_A,
            { NOISE, 0, 4096 - 400, 0, 0 },
            { SESSION, X, 0, X, 4096 },
            { SAMPLE, X, 1, 0, 0 } } },
        { "a deleted log with its first block",
          "sSDDDDS",
          { LOG_A,
            { NOISE, 0, 4096 - 400, 0, 0 },
            { OLDER, X, 0, X, 4096 },
            { SAMPLE, X, 1, 0, 0 },
            { OLDER, X, 2, X, 4096 },
            { SAMPLE, A, 2, 0, 0 } } },
        { "a deleted log's blocks, then all of it joined",
          "sSDDsSS",
          { LOG_A,
            { REPEAT, X, 8, X, end_of_a - 1 },
            { SAMPLE, X, 9, 0, 0 },
            { SESSION, X, 0, X, end_of_a + 128 + 272 },
            { SAMPLE, X, 1, 0, 0 },
            { SAMPLE, X, 2, 0, 0 } } },
        { "the same, and its blocks once more",
          "sSDsSDS",
          { LOG_A,
            { REPEAT, X, 8, X, end_of_a - 1 },
            { SESSION, X, 7, X, end_of_a + 128 },
            { SAMPLE, X, 8, 0, 0 },
            { SAMPLE, X, 6, 0, 0 },
            { SAMPLE, X, 9, 0, 0 } } },
        { "one joined that lost its SESS",
          "sSDsSS",
          { LOG_A,
            { NOISE, 0, 104, 0, 0 },
            { SAMPLE, X, 1, 0, 0 },
            { SAMPLE, X, 2, 0, 0 } } },
        { "a second record behind a block's beginning",
          "sSDDDD",
          { LOG_A,
            { NOISE, 0, 4096 - 400 + 8, 0, 0 },
            { SAMPLE, X, 1, 0, 0 },
            { SAMPLE, X, 2, 0, 0 },
            { SAMPLE, X, 3, 0, 0 } } },
        { "one joined that lost its beginning, up to a repeat",
          "sSDDsS",
          { LOG_A,
            { NOISE, 0, 500, 0, 0 },
            { SAMPLE, X, 7, 0, 0 },
            { REPEAT, X, 8, X, end_of_a },
            { SAMPLE, X, 9, 0, 0 } } },
        { "a repeat of another file",
          "sSDDS",
          { LOG_A,
            { REPEAT, X, 8, X, end_of_a - 1 },
            { SAMPLE, X, 9, 0, 0 },
            { SAMPLE, A, 2, 0, 0 } } },
        { "a later session of another file",
          "sSDDS",
          { LOG_A,
            { SESSION, X, 0, Y, -FAR },
            { SAMPLE, X, 7, 0, 0 },
            { SAMPLE, A, 2, 0, 0 } } },
        { "a later session of another file, its second record",
          "sSDDS",
          { LOG_A,
            { SESSION, X, 0, Y, -FAR },
            { SAMPLE, X, 1, 0, 0 },
            { SAMPLE, A, 2, 0, 0 } } },
        { "a session of an older perflog",
          "sSsSS",
          { LOG_A,
            { UNROOTED, X, 0, 0, 0 },
            { SAMPLE, X, 1, 0, 0 },
            { SAMPLE, X, 2, 0, 0 } } },
        { "nothing shows what the file is",
          "sSsS",
          { { SAMPLE, A, 5, 0, 0 }, { SAMPLE, X, 7, 0, 0 } } },
        { "a file of an older perflog",
          "sSsSDsS",
          { { UNROOTED, A, 0, 0, 0 },
            { SAMPLE, A, 1, 0, 0 },
            { SESSION, child, 0, A, 0 },
            { SAMPLE, child, 1, 0, 0 },
            { SAMPLE, X, 7, 0, 0 },
            { SAMPLE, A, 2, 0, 0 } } },
        { "a segment, and an older one's sample",
          "sSDS",
          { { SESSION, A, 100, A, 0 },
            { SAMPLE, A, 101, 0, 0 },
            { SAMPLE, A, 50, 0, 0 },
            { SAMPLE, A, 102, 0, 0 } } },
        { "segments joined in another order",
          "sSDoSDS",
          { { SESSION, A, 100, A, 0 },
            { SAMPLE, A, 101, 0, 0 },
            { SESSION, A, 50, A, end_of_a },
            { SAMPLE, A, 51, 0, 0 },
            { SAMPLE, A, 102, 0, 0 } } },
    };
    struct pl_buf b = { 0 };

    for (size_t i = 0; i < NUM(rows); i++) {
        for (const struct part *x = rows[i].parts; x->what; x++)
            craft_part(&b, x);
        check_kinds(rows[i].what, &b, rows[i].kinds);
    }
    pl_buf_release(&b);
}
END_TEST

/* A child that only one bit in its id makes another's. */
START_TEST(nearly_all_ids_descend_from_no_other)
{
    uint64_t id = CHILD_OF_A, hits = 0;

    ck_assert(pl_session_descends(id, A) && pl_session_descends(A, A));
    for (int bit = 0; bit < 64; bit++)
        hits += pl_session_descends(id ^ UINT64_C(1) << bit, A);
    for (uint64_t root = 1; root < 10000; root++)
        hits += root != A && pl_session_descends(id, root);
    ck_assert_uint_eq(hits, 0);
}
END_TEST

int main(void)
{
    TCase *hand = tcase_create("by hand");

    tcase_add_test(hand, records_belong_to_the_file_in_which_they_were_written);
    tcase_add_test(hand, nearly_all_ids_descend_from_no_other);
    return run_suite("reader_roots", (TCase *[]){ hand, NULL });
}
