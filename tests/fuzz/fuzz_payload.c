/*
 * The payloads beside samples: what parses is written again and reads the
 * same.  Input: a byte that chooses which, then the payload.
 */
#include "format/base/cursor.h"
#include "format/payload/identity_set.h"
#include "format/payload/payloads.h"
#include "format/block/titles.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

struct bytes {
    const uint8_t *p;
    size_t n;
};

static void check_text(struct bytes in, struct pl_text t)
{
    const uint8_t *p = (const uint8_t *)t.p;

    if (t.n)
        fuzz_check(p >= in.p && t.n <= in.n &&
                   (size_t)(p - in.p) <= in.n - t.n);
}

static void check_session(struct bytes in)
{
    struct pl_session s, again;
    struct pl_buf out = { 0 }, twice = { 0 };

    if (!pl_session_parse(&s, in.p, in.n)) {
        const struct pl_text texts[] = {
            s.host,           s.os,       s.architecture, s.tool,
            s.provider,       s.zone,     s.command_line, s.sync,
            s.perf_source,    s.previous, s.source,       s.process_path,
            s.process_reason,
        };

        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
            check_text(in, texts[i]);
        pl_session_write(&s, &out);
        fuzz_check(!pl_session_parse(&again, out.p, out.len));
        pl_session_write(&again, &twice);
        fuzz_check(out.len == twice.len &&
                   (!out.len || !memcmp(out.p, twice.p, out.len)));
    }
    pl_buf_release(&out);
    pl_buf_release(&twice);
}

static void check_gaps(struct bytes in)
{
    struct pl_gaps g;
    struct pl_buf out = { 0 };

    if (!pl_gaps_parse(&g, in.p, in.n)) {
        fuzz_check(pl_gap_cause_text(g.cause));
        pl_gaps_write(&g, &out);
        fuzz_check(out.len <= in.n && !memcmp(out.p, in.p, out.len - 4));
    }
    pl_buf_release(&out);
}

static void check_note(struct bytes in)
{
    struct pl_note note;
    struct pl_buf out = { 0 };

    if (!pl_note_parse(&note, in.p, in.n)) {
        check_text(in, note.text);
        pl_note_write(&note, &out);
        fuzz_check(out.len <= in.n && !memcmp(out.p, in.p, 2));
    }
    pl_buf_release(&out);
}

static void check_ends(struct bytes in)
{
    struct pl_ends e;
    struct pl_buf out = { 0 };

    if (!pl_ends_parse(&e, in.p, in.n)) {
        pl_ends_write(&e, &out);
        fuzz_check(out.len <= in.n && !memcmp(out.p, in.p, out.len));
    }
    pl_buf_release(&out);
}

static void check_index(struct bytes in)
{
    struct pl_index x;

    if (pl_index_parse(&x, in.p, in.n))
        return;
    for (uint32_t i = 0; i < x.num_chunks; i++) {
        struct pl_chunk c = pl_index_chunk(&x, i);
        struct pl_buf out = { 0 };

        pl_index_write(x.self, x.prev, &c, 1, &out);
        fuzz_check(out.len <= in.n);
        pl_buf_release(&out);
    }
}

static void use_title(const struct pl_titles *t, uint32_t index)
{
    const struct pl_object_facts f = pl_titles_facts(t, index);
    struct pl_birth_facts b;

    fuzz_check(f.num_identity <= PL_MAX_IDENTITY);
    fuzz_check(pl_titles_name(t, index).n <= FUZZ_MAX_PART);
    fuzz_check(pl_titles_help(t, index).n <= FUZZ_MAX_PART);
    for (size_t i = 0; i < f.num_counters; i++) {
        const uint8_t *at = f.stored + 6 * i;

        fuzz_check(!i || pl_get_le32(at - 6) <= pl_get_le32(at));
        fuzz_check(pl_counter_facts_of(&f, pl_get_le32(at)).index ==
                   pl_get_le32(at));
    }
    pl_titles_left_out(t, index);
    if (pl_titles_birth(t, index, &b))
        for (size_t i = 0; i < b.num_zeros; i++)
            fuzz_check(pl_starts_at_zero(&b, pl_get_le32(b.stored + 4 * i)));
}

/* What was understood of a damaged payload is written and read again, too. */
static void check_titles(struct bytes in)
{
    struct pl_buf out = { 0 }, twice = { 0 };
    struct pl_titles *t;

    if (pl_titles_new(&t))
        abort();
    pl_titles_parse(t, in.p, in.n);
    pl_titles_write(t, &out);
    for (uint32_t i = 0; i < 300; i++)
        use_title(t, i);
    fuzz_check(!pl_titles_parse(t, out.p, out.len));
    pl_titles_write(t, &twice);
    fuzz_check(out.len == twice.len &&
               (!out.len || !memcmp(out.p, twice.p, out.len)));
    pl_titles_free(t);
    pl_buf_release(&out);
    pl_buf_release(&twice);
}

/* What was understood is found, and written as it was read. */
static void check_identities(struct bytes in)
{
    struct pl_buf out = { 0 }, twice = { 0 };
    struct pl_identity_set *s, *again;
    struct pl_process_identity one, found;
    struct pl_cur c;
    uint64_t version;

    if (pl_identity_set_new(&s) || pl_identity_set_new(&again))
        abort();
    pl_identity_set_add(s, in.p, in.n);
    pl_identity_set_write(s, 0, &out);
    fuzz_check(out.len <= in.n && !pl_identity_set_add(again, out.p, out.len));
    pl_identity_set_write(again, 0, &twice);
    fuzz_check(out.len == twice.len &&
               (!out.len || !memcmp(out.p, twice.p, out.len)));
    c = pl_cur_of(out.p, out.len);
    while (!pl_process_identity_next(&c, &one)) {
        check_text((struct bytes){ out.p, out.len }, one.user_name);
        fuzz_check(
            pl_identity_set_find(s, one.pid, one.start, &found, &version) &&
            version <= pl_identity_set_version(s));
    }
    pl_identity_set_free(s);
    pl_identity_set_free(again);
    pl_buf_release(&out);
    pl_buf_release(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
    static void (*const checks[])(struct bytes) = {
        check_session, check_gaps,   check_note,       check_ends,
        check_index,   check_titles, check_identities,
    };
    struct fuzz_input in = { p, n };
    size_t which = fuzz_byte(&in) % (sizeof checks / sizeof *checks);
    uint8_t *copy = fuzz_rest(&in, &n);

    checks[which]((struct bytes){ copy, n });
    free(copy);
    return 0;
}
