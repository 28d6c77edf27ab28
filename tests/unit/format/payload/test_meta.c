/* SESS, gaps, note, indx and ends: documented bytes, round trips, every
 * prefix, what a newer writer may add. */
#include "format/payload/payloads.h"

#include "format/base/cursor.h"
#include "tests/support/support.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NUM(table) (sizeof(table) / sizeof *(table))

/* ---- SESS ---------------------------------------------------------------- */

static const uint8_t sha256[PL_SHA256_LEN] = "0123456789abcdef0123456789ABCDE";

static struct pl_session full_session(void)
{
    return (struct pl_session){
        .host = pl_text_of("host"),
        .machine_hash = UINT64_C(0x1122334455667788),
        .boot_id = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 },
        .os = pl_text_of("Linux 6.1"),
        .architecture = pl_text_of("x86_64"),
        .num_cpus = 64,
        .page_size = 4096,
        .clock_ticks = 100,
        .interval_ns = 1000000000,
        .tool = pl_text_of("perflog 0.1.0"),
        .minor = 3,
        .provider = pl_text_of("little linux"),
        .zone_minutes = -210,
        .zone = pl_text_of("America/St_Johns"),
        .command_line = pl_text_of("perflog record"),
        .sync = pl_text_of("10s"),
        .perf_freq = 1000000000,
        .perf_source = pl_text_of("CLOCK_MONOTONIC"),
        .previous = pl_text_of("x-20261121T073502Z-000.plog"),
        .repeat = true,
        .sha256 = sha256,
        .source = pl_text_of("block.bin"),
        .titles_made_up = true,
        .process_path = pl_text_of("proc"),
        .root = UINT64_C(0x8877665544332211),
        .place = UINT64_C(0x123456789A),
        .process_reason = pl_text_of("not permitted"),
    };
}

static void check_text(struct pl_text got, struct pl_text want)
{
    ck_assert_msg(pl_text_equal(got, want), "\"%.*s\", not \"%.*s\"",
                  (int)got.n, got.p, (int)want.n, want.p);
}

static void check_session(const struct pl_session *got,
                          const struct pl_session *want)
{
    check_text(got->host, want->host);
    ck_assert_uint_eq(got->machine_hash, want->machine_hash);
    ck_assert_mem_eq(got->boot_id, want->boot_id, PL_BOOT_ID_LEN);
    check_text(got->os, want->os);
    check_text(got->architecture, want->architecture);
    ck_assert_uint_eq(got->num_cpus, want->num_cpus);
    ck_assert_uint_eq(got->page_size, want->page_size);
    ck_assert_uint_eq(got->clock_ticks, want->clock_ticks);
    ck_assert_uint_eq(got->interval_ns, want->interval_ns);
    check_text(got->tool, want->tool);
    ck_assert_uint_eq(got->minor, want->minor);
    check_text(got->provider, want->provider);
    ck_assert_int_eq(got->zone_minutes, want->zone_minutes);
    check_text(got->zone, want->zone);
    check_text(got->command_line, want->command_line);
    check_text(got->sync, want->sync);
    ck_assert_uint_eq(got->perf_freq, want->perf_freq);
    check_text(got->perf_source, want->perf_source);
    check_text(got->previous, want->previous);
    ck_assert(got->repeat == want->repeat);
    ck_assert(!got->sha256 == !want->sha256);
    if (want->sha256)
        ck_assert_mem_eq(got->sha256, want->sha256, PL_SHA256_LEN);
    check_text(got->source, want->source);
    ck_assert(got->titles_made_up == want->titles_made_up);
    check_text(got->process_path, want->process_path);
    ck_assert_uint_eq(got->root, want->root);
    ck_assert_uint_eq(got->place, want->place);
    check_text(got->process_reason, want->process_reason);
}

START_TEST(a_session_comes_back_as_it_was_written)
{
    struct pl_session want = full_session(), got;
    struct pl_buf b = { 0 };
    uint8_t *p;

    pl_session_write(&want, &b);
    p = exact_copy(b.p, b.len);
    ck_assert_int_eq(pl_session_parse(&got, p, b.len), PL_OK);
    check_session(&got, &want);
    free(p);
    pl_buf_release(&b);
}
END_TEST

START_TEST(tags_ascend_and_know_no_17)
{
    struct pl_session s = full_session();
    struct pl_buf b = { 0 };
    struct pl_cur c;
    unsigned expected = 1;

    pl_session_write(&s, &b);
    c = pl_cur_of(b.p, b.len);
    while (c.left) {
        ck_assert_uint_eq(pl_cur_u16(&c), expected);
        ck_assert_uint_eq(pl_cur_u16(&c), 0);
        pl_cur_take(&c, pl_cur_u32(&c));
        expected += expected == 16 ? 2 : expected == 22 ? 3 : 1;
    }
    ck_assert(!c.bad);
    ck_assert_uint_eq(expected, 27);
    pl_buf_release(&b);
}
END_TEST

START_TEST(what_is_not_known_is_left_out)
{
    struct pl_session none = { 0 }, got;
    struct pl_buf b = { 0 };

    pl_session_write(&none, &b);
    /* The zone's offset alone: 0 is an offset. */
    ck_assert_uint_eq(b.len, 12);
    ck_assert_mem_eq(b.p, "\x0D\0\0\0\4\0\0\0\0\0\0\0", 12);
    ck_assert_int_eq(pl_session_parse(&got, b.p, b.len), PL_OK);
    check_session(&got, &none);
    ck_assert_int_eq(pl_session_parse(&got, NULL, 0), PL_OK);
    check_session(&got, &none);
    pl_buf_release(&b);
}
END_TEST

START_TEST(a_session_cut_inside_a_tag_is_refused)
{
    struct pl_session s = full_session(), got;
    struct pl_buf b = { 0 };
    size_t tag_end = 0;

    pl_session_write(&s, &b);
    for (size_t n = 0; n <= b.len; n++) {
        uint8_t *p = exact_copy(b.p, n);
        bool whole = n == tag_end;

        if (whole && n < b.len)
            tag_end += 8 + pl_get_le32(b.p + n + 4);
        ck_assert_msg(pl_session_parse(&got, p, n) ==
                          (whole ? PL_OK : PL_CORRUPT),
                      "%zu bytes", n);
        free(p);
    }
    pl_buf_release(&b);
}
END_TEST

START_TEST(no_flipped_bit_of_a_session_reaches_outside)
{
    struct pl_session s = full_session(), got;
    struct pl_buf b = { 0 };

    pl_session_write(&s, &b);
    for (size_t bit = 0; bit < 8 * b.len; bit++) {
        uint8_t *p = exact_copy(b.p, b.len);
        size_t sum = 0;

        p[bit / 8] ^= (uint8_t)(1 << bit % 8);
        if (pl_session_parse(&got, p, b.len) == PL_OK) {
            struct pl_text texts[] = { got.host, got.zone, got.source,
                                       got.perf_source, got.previous };

            for (size_t i = 0; i < NUM(texts); i++)
                for (size_t k = 0; k < texts[i].n; k++)
                    sum += (uint8_t)texts[i].p[k];
            for (size_t i = 0; got.sha256 && i < PL_SHA256_LEN; i++)
                sum += got.sha256[i];
        }
        ck_assert_uint_lt(sum, 1 << 20);
        free(p);
    }
    pl_buf_release(&b);
}
END_TEST

static void put_tag(struct pl_buf *b, unsigned tag, unsigned flags,
                    const void *p, size_t n)
{
    pl_buf_u16(b, (uint16_t)tag);
    pl_buf_u16(b, (uint16_t)flags);
    pl_buf_u32(b, (uint32_t)n);
    pl_buf_bytes(b, p, n);
}

static const struct {
    const char *what;
    unsigned tag, flags;
    enum pl_status want;
} tags[] = {
    { "unknown", 23, 0, PL_OK },
    { "unknown, with other flags", 23, 0x7FFF, PL_OK },
    { "unknown and critical", 23, 0x8000, PL_UNSUPPORTED },
    { "the dropped one", 17, 0, PL_OK },
    { "the dropped one, critical", 17, 0x8000, PL_UNSUPPORTED },
    { "0, critical", 0, 0x8000, PL_UNSUPPORTED },
    { "65535, critical", 65535, 0x8000, PL_UNSUPPORTED },
    { "known and critical", 15, 0x8000, PL_OK },
};

START_TEST(a_tag_this_program_does_not_know)
{
    struct pl_session s;
    struct pl_buf b = { 0 };

    put_tag(&b, tags[_i].tag, tags[_i].flags, "abc", 3);
    put_tag(&b, 1, 0, "host", 4);
    ck_assert_msg(pl_session_parse(&s, b.p, b.len) == tags[_i].want, "%s",
                  tags[_i].what);
    if (!tags[_i].want)
        check_text(s.host, pl_text_of("host")); /* read on behind it */
    pl_buf_release(&b);
}
END_TEST

/* Numbers that are too short leave their field as if the tag were absent. */
static const struct {
    unsigned tag;
    size_t least; /* bytes that make it known */
} widths[] = {
    { 2, 8 },  { 3, 16 }, { 6, 4 },  { 7, 4 },   { 8, 4 },   { 9, 8 },
    { 11, 4 }, { 13, 4 }, { 16, 8 }, { 20, 32 }, { 25, 16 },
};

START_TEST(a_value_that_is_too_short_is_unknown_a_longer_one_is_read)
{
    struct pl_session none = { 0 }, s;
    uint8_t ones[40];

    memset(ones, 1, sizeof ones);
    for (size_t n = 0; n < 40; n++) {
        struct pl_buf b = { 0 };
        uint8_t *p;

        put_tag(&b, widths[_i].tag, 0, ones, n);
        p = exact_copy(b.p, b.len);
        ck_assert_int_eq(pl_session_parse(&s, p, b.len), PL_OK);
        if (n < widths[_i].least)
            check_session(&s, &none);
        else
            ck_assert(s.machine_hash || s.boot_id[15] || s.num_cpus ||
                      s.page_size || s.clock_ticks || s.interval_ns ||
                      s.minor || s.zone_minutes || s.perf_freq || s.sha256 ||
                      s.root);
        free(p);
        pl_buf_release(&b);
    }
}
END_TEST

/* ---- gaps, note, ends ---------------------------------------------------- */

static const uint8_t gaps_bytes[] = {
    1, 0, 0, 0, 0, 0, 0, 0, 0xFE, 255, 255, 255, 255, 255, 255, 255,
    3, 0, 0, 0, 0, 0, 0, 0, 4,    0,   0,   0,   0,   0,   0,   128,
    5, 0, 0, 0, 8, 0, 0, 0, 28,   0,   0,   0,   0,   0,   0,   0,
};

START_TEST(gaps_have_the_documented_bytes)
{
    struct pl_gaps g = { .utc_first = 1,
                         .utc_last = -2,
                         .boot_first = 3,
                         .boot_last = 4 + (UINT64_C(1) << 63),
                         .count = 5,
                         .cause = PL_GAP_RING_FULL,
                         .error = 28 };
    struct pl_gaps got;
    struct pl_buf b = { 0 };

    pl_gaps_write(&g, &b);
    ck_assert_uint_eq(b.len, sizeof gaps_bytes);
    ck_assert_mem_eq(b.p, gaps_bytes, b.len);
    ck_assert_int_eq(pl_gaps_parse(&got, gaps_bytes, sizeof gaps_bytes), PL_OK);
    ck_assert_int_eq(got.utc_first, g.utc_first);
    ck_assert_int_eq(got.utc_last, g.utc_last);
    ck_assert_uint_eq(got.boot_first, g.boot_first);
    ck_assert_uint_eq(got.boot_last, g.boot_last);
    ck_assert_uint_eq(got.count, g.count);
    ck_assert_uint_eq(got.cause, g.cause);
    ck_assert_int_eq(got.error, g.error);
    pl_buf_release(&b);
}
END_TEST

static const uint8_t ends_bytes[] = {
    1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0, 10, 0, 0, 0, 3, 0, 0, 0, 5, 0, 0, 0,
};

START_TEST(ends_has_the_documented_bytes)
{
    struct pl_ends e = { .last_index = UINT64_C(0x0807060504030201),
                         .samples = 9,
                         .missed = 10,
                         .reason = PL_END_ROTATED,
                         .error = 5 };
    struct pl_ends got;
    struct pl_buf b = { 0 };

    pl_ends_write(&e, &b);
    ck_assert_uint_eq(b.len, sizeof ends_bytes);
    ck_assert_mem_eq(b.p, ends_bytes, b.len);
    ck_assert_int_eq(pl_ends_parse(&got, b.p, b.len), PL_OK);
    ck_assert_uint_eq(got.last_index, e.last_index);
    ck_assert_uint_eq(got.samples, 9);
    ck_assert_uint_eq(got.missed, 10);
    ck_assert_uint_eq(got.reason, 3);
    ck_assert_uint_eq(got.error, 5);
    pl_buf_release(&b);
}
END_TEST

START_TEST(a_note_has_the_documented_bytes)
{
    struct pl_note n = { PL_NOTE_TEXT, pl_text_of("hi") }, got;
    struct pl_buf b = { 0 };

    pl_note_write(&n, &b);
    ck_assert_uint_eq(b.len, 6);
    ck_assert_mem_eq(b.p, "\4\0\0\0hi", 6);
    ck_assert_int_eq(pl_note_parse(&got, b.p, b.len), PL_OK);
    ck_assert_uint_eq(got.kind, 4);
    check_text(got.text, n.text);
    ck_assert_int_eq(pl_note_parse(&got, b.p, 4), PL_OK); /* no text */
    ck_assert_uint_eq(got.text.n, 0);
    pl_buf_release(&b);
}
END_TEST

START_TEST(short_payloads_are_refused_and_longer_ones_read)
{
    uint8_t bytes[64] = { 0 };
    struct pl_gaps g;
    struct pl_ends e;
    struct pl_note note;

    for (size_t n = 0; n <= sizeof bytes; n++) {
        uint8_t *p = exact_copy(bytes, n);

        ck_assert_int_eq(pl_gaps_parse(&g, p, n), n < 48 ? PL_CORRUPT : PL_OK);
        ck_assert_int_eq(pl_ends_parse(&e, p, n), n < 24 ? PL_CORRUPT : PL_OK);
        ck_assert_int_eq(pl_note_parse(&note, p, n),
                         n < 4 ? PL_CORRUPT : PL_OK);
        free(p);
    }
}
END_TEST

START_TEST(lack_of_memory_is_no_error_of_the_disk)
{
    struct pl_gaps g = { .cause = PL_GAP_DISK_ERROR, .error = ENOMEM };

    ck_assert_uint_eq(pl_gap_shown_cause(&g), PL_GAP_NO_MEMORY);
    g.error = EIO;
    ck_assert_uint_eq(pl_gap_shown_cause(&g), PL_GAP_DISK_ERROR);
    g = (struct pl_gaps){ .cause = PL_GAP_SYNC_FAILED, .error = ENOMEM };
    ck_assert_uint_eq(pl_gap_shown_cause(&g), PL_GAP_SYNC_FAILED);
    for (uint32_t i = 0; i < 3; i++) { /* of a newer perflog */
        g.cause = PL_NUM_GAP_CAUSES + i;
        ck_assert_uint_eq(pl_gap_shown_cause(&g), 0);
    }
}
END_TEST

START_TEST(every_cause_has_its_own_text)
{
    const char *unknown = pl_gap_cause_text(0);

    ck_assert_str_eq(pl_gap_cause_text(PL_NUM_SHOWN_CAUSES), unknown);
    ck_assert_str_eq(pl_gap_cause_text(UINT32_MAX), unknown);
    for (uint32_t i = 1; i < PL_NUM_SHOWN_CAUSES; i++) {
        ck_assert_str_ne(pl_gap_cause_text(i), unknown);
        for (uint32_t k = 1; k < i; k++)
            ck_assert_str_ne(pl_gap_cause_text(i), pl_gap_cause_text(k));
    }
}
END_TEST

/* ---- indx ---------------------------------------------------------------- */

static const struct pl_chunk chunks[] = {
    { 0x1000, -5, 6, 7, 8, 60 },
    { UINT64_C(0x123456789A), INT64_MAX, INT64_MIN, UINT64_MAX, UINT32_MAX, 1 },
};

START_TEST(an_index_comes_back_as_it_was_written)
{
    struct pl_buf b = { 0 };
    struct pl_index x;

    pl_index_write(0x222, 0x111, chunks, NUM(chunks), &b);
    ck_assert_uint_eq(b.len, 24 + 40 * NUM(chunks));
    ck_assert_uint_eq(pl_get_le64(b.p), 0x222);
    ck_assert_uint_eq(pl_get_le64(b.p + 8), 0x111);
    ck_assert_uint_eq(pl_get_le64(b.p + 24), 0x1000);
    ck_assert_uint_eq(pl_get_le32(b.p + 24 + 36), 60);
    ck_assert_int_eq(pl_index_parse(&x, b.p, b.len), PL_OK);
    ck_assert_uint_eq(x.self, 0x222);
    ck_assert_uint_eq(x.prev, 0x111);
    ck_assert_uint_eq(x.num_chunks, NUM(chunks));
    for (uint32_t i = 0; i < NUM(chunks); i++) {
        struct pl_chunk c = pl_index_chunk(&x, i);

        ck_assert_uint_eq(c.offset, chunks[i].offset);
        ck_assert_int_eq(c.utc_first, chunks[i].utc_first);
        ck_assert_int_eq(c.utc_last, chunks[i].utc_last);
        ck_assert_uint_eq(c.boot_first, chunks[i].boot_first);
        ck_assert_uint_eq(c.key_seq, chunks[i].key_seq);
        ck_assert_uint_eq(c.samples, chunks[i].samples);
    }
    pl_buf_release(&b);
}
END_TEST

START_TEST(an_index_of_nothing_is_one)
{
    struct pl_buf b = { 0 };
    struct pl_index x;

    pl_index_write(8, 0, NULL, 0, &b);
    ck_assert_uint_eq(b.len, 24);
    ck_assert_int_eq(pl_index_parse(&x, b.p, b.len), PL_OK);
    ck_assert_uint_eq(x.num_chunks, 0);
    pl_buf_release(&b);
}
END_TEST

START_TEST(an_index_must_add_up)
{
    static const uint32_t counts[] = { 0, 1, 3, UINT32_MAX,
                                       0x66666668 }; /* x 40 wraps to 64 */
    struct pl_buf b = { 0 };
    struct pl_index x;

    pl_index_write(1, 2, chunks, NUM(chunks), &b);
    for (size_t n = 0; n < b.len; n++) {
        uint8_t *p = exact_copy(b.p, n);

        ck_assert_int_eq(pl_index_parse(&x, p, n), PL_CORRUPT);
        free(p);
    }
    for (size_t i = 0; i < NUM(counts); i++) {
        pl_buf_set_u32(&b, 16, counts[i]);
        ck_assert_int_eq(pl_index_parse(&x, b.p, b.len), PL_CORRUPT);
    }
    pl_buf_set_u32(&b, 16, NUM(chunks));
    pl_buf_u8(&b, 0); /* one byte too many */
    ck_assert_int_eq(pl_index_parse(&x, b.p, b.len), PL_CORRUPT);
    pl_buf_release(&b);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("meta");

    tcase_add_test(t, a_session_comes_back_as_it_was_written);
    tcase_add_test(t, tags_ascend_and_know_no_17);
    tcase_add_test(t, what_is_not_known_is_left_out);
    tcase_add_test(t, a_session_cut_inside_a_tag_is_refused);
    tcase_add_test(t, no_flipped_bit_of_a_session_reaches_outside);
    tcase_add_loop_test(t, a_tag_this_program_does_not_know, 0, NUM(tags));
    tcase_add_loop_test(
        t, a_value_that_is_too_short_is_unknown_a_longer_one_is_read, 0,
        NUM(widths));
    tcase_add_test(t, gaps_have_the_documented_bytes);
    tcase_add_test(t, ends_has_the_documented_bytes);
    tcase_add_test(t, a_note_has_the_documented_bytes);
    tcase_add_test(t, short_payloads_are_refused_and_longer_ones_read);
    tcase_add_test(t, every_cause_has_its_own_text);
    tcase_add_test(t, lack_of_memory_is_no_error_of_the_disk);
    tcase_add_test(t, an_index_comes_back_as_it_was_written);
    tcase_add_test(t, an_index_of_nothing_is_one);
    tcase_add_test(t, an_index_must_add_up);
    return run_suite("meta", (TCase *[]){ t, NULL });
}
