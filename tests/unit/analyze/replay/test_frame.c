/*
 * Samples known to consist of what the one before did, beside the same samples
 * taken apart anew: whatever changes in a block and however wrong it is, both
 * are the same, and so are the rows made of them.
 */
#include "analyze/replay/row_values.h"
#include "analyze/replay/sample_view.h"

#include "format/block/winperf.h"
#include "tests/support/made_blocks.h"
#include "tests/support/support.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 3000, MAX_FLIPS = 3, MAX_POINTS = 64, NEAR = 64 };
enum { PROCESS = 230, TYPES = 1000, CHILD = 1400 };
enum { TOTAL_LEN_AT = 20, PARENT_AT = 4, NAME_LEN_AT = 20, SLACK = 8 };

/* Zeros in the last object and behind it. */
static void add_slack(struct pl_buf *b)
{
    struct pl_block block;
    struct pl_object o, last = { 0 };

    ck_assert_int_eq(pl_block_parse(&block, b->p, b->len), PL_OK);
    while (!pl_object_next(&block, &o))
        last = o;
    pl_put_le32(b->p + last.at, (uint32_t)last.len + SLACK);
    ck_assert_ptr_nonnull(pl_buf_zeros(b, 2 * SLACK));
    pl_put_le32(b->p + TOTAL_LEN_AT, (uint32_t)b->len);
}

static const struct {
    const char *what;
    const char *choice; /* NULL: everything */
    bool parents;       /* instances of CHILD have some */
    void (*turn)(struct pl_buf *block);
} variants[] = {
    { "all, without parents", NULL, false, NULL },
    { "all, with parents", NULL, true, NULL },
    { "children of an object that nobody looks into", "\\Object 1400(*)\\*",
      true, NULL },
    { "one object of four", "\\Object 230(*)\\*", false, NULL },
    { "totals alone", "\\Object 1000(_Total)\\*", false, NULL },
    { "of 1992", NULL, false, block_to_revision_0 },
    { "big-endian", NULL, false, block_to_big_endian },
    { "with slack", NULL, false, add_slack },
};

static uint64_t state;

static unsigned below(size_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)((state >> 11) % n);
}

/* ---- blocks ------------------------------------------------------------------- */

struct machine {
    unsigned step;
    bool exchanged; /* the first two processes, since some sample */
    uint32_t total; /* an instance of that object is _Total; 0: none is */
    struct {
        size_t at;
        uint8_t bits;
    } flips[MAX_FLIPS];
    size_t num_flips;
    size_t points[MAX_POINTS]; /* where objects and instances begin */
    size_t num_points;
};

static void note_point(struct machine *m, size_t at)
{
    ck_assert_uint_lt(m->num_points, MAX_POINTS);
    m->points[m->num_points++] = at;
}

/* Call the instance at 'at', whose name is longer than that, _Total. */
static void call_total(uint8_t *at)
{
    static const char total[] = "_Total";

    pl_put_le32(at + NAME_LEN_AT, 2 * (sizeof total - 1));
    for (size_t i = 0; total[i]; i++)
        pl_put_le16(at + PL_SIZEOF_INSTANCE + 2 * i, (uint16_t)total[i]);
}

/* Parents cut off where they are not wanted; processes that stay the same. */
static void arrange(struct machine *m, struct pl_buf *b, bool parents)
{
    struct pl_block block;
    struct pl_object o;
    struct pl_instance i;

    m->num_points = 0;
    ck_assert_int_eq(pl_block_parse(&block, b->p, b->len), PL_OK);
    while (!pl_object_next(&block, &o)) {
        note_point(m, o.at);
        for (unsigned k = 0; !pl_instance_next(&o, &i); k++) {
            const uint8_t *start = i.definition ? i.definition : i.block;
            uint8_t *values = b->p + (i.block - b->p);

            note_point(m, (size_t)(start - b->p));
            if (o.title_index == CHILD && !parents)
                pl_put_le32(b->p + (i.definition - b->p) + PARENT_AT, 0);
            if (o.title_index == m->total && k == (m->total == TYPES ? 2 : 0))
                call_total(b->p + (i.definition - b->p));
            if (o.title_index == PROCESS) {
                pl_put_le32(values + 8, 100 + (m->exchanged && k < 2 ? !k : k));
                pl_put_le64(values + 16, 7);
            }
        }
    }
}

static void flip_somewhere(struct machine *m, size_t len)
{
    size_t n = m->num_flips < MAX_FLIPS ? m->num_flips++ : below(MAX_FLIPS);
    size_t at = below(len);

    if (!below(12))
        at = len - 1 - below(2 * SLACK);
    else if (below(3))
        at = m->points[below(m->num_points)] + below(NEAR);
    m->flips[n].at = at < len ? at : 0;
    m->flips[n].bits = (uint8_t)(1 << below(8));
}

/* The next block: mostly as the one before but for clocks and values. */
static void next_block(struct machine *m, struct pl_buf *b, size_t variant)
{
    m->step += 2; /* odd ones have a process less */
    made_block(b, m->step);
    m->exchanged ^= !below(9);
    if (!below(25))
        m->total = m->total ? 0 : below(2) ? TYPES : CHILD;
    arrange(m, b, variants[variant].parents);
    if (variants[variant].turn)
        variants[variant].turn(b);
    if (!below(8))
        flip_somewhere(m, b->len);
    if (!below(20))
        m->num_flips = 0;
    for (size_t i = 0; i < m->num_flips; i++)
        if (m->flips[i].at < b->len)
            b->p[m->flips[i].at] ^= m->flips[i].bits;
}

/* ---- one side ------------------------------------------------------------------ */

struct side {
    struct pl_registry registry;
    struct pl_counter_path_list paths;
    struct pl_titles *titles;
    struct pl_sample_view samples;
    struct pl_row_values pairing;
    struct pl_buf blocks[3];
    size_t last, before; /* of them: the last block, and the one before it */
};

static void begin(struct side *s, const char *choice)
{
    const char *bad;

    *s = (struct side){ .last = 0, .before = 1 };
    if (choice)
        ck_assert_int_eq(pl_counter_path_list_add(&s->paths, choice, &bad),
                         PL_OK);
    ck_assert_int_eq(pl_titles_new(&s->titles), PL_OK);
    s->samples.registry = &s->registry;
    s->samples.choice.paths = &s->paths;
    s->samples.titles = s->titles;
    s->samples.host = pl_registry_host(&s->registry, pl_text_of("host"), 1);
    s->pairing.want_absent = true;
}

static void end(struct side *s)
{
    pl_row_values_release(&s->pairing);
    pl_sample_view_release(&s->samples);
    pl_titles_free(s->titles);
    pl_registry_release(&s->registry);
    pl_counter_path_list_release(&s->paths);
    for (size_t i = 0; i < 3; i++)
        pl_buf_release(&s->blocks[i]);
}

/* Without printf(), which would take half of the test's time. */
static void report(struct pl_buf *out, const char *what, uint64_t number)
{
    char text[18];
    size_t at = sizeof text;

    do
        text[--at] = "0123456789abcdef"[number & 15];
    while (number >>= 4);
    text[--at] = ' ';
    pl_buf_bytes(out, " ", 1);
    pl_buf_string(out, what);
    pl_buf_bytes(out, text + at, sizeof text - at);
}

static void report_name(struct pl_buf *out, const struct pl_group *g)
{
    const char *name = g->instance ? g->instance : "-";

    report(out, "\ngroup of", g->object->rank);
    pl_buf_string(out, name);
}

static void report_sample(struct pl_buf *out, struct side *s)
{
    const struct pl_sample *now = pl_sample_view_now(&s->samples);

    report(out, "malformed", s->samples.malformed);
    report(out, "time", (uint64_t)now->block.perf_time);
    for (size_t k = 0; k < now->num_objects; k++) {
        const struct pl_sampled_object *o = &now->objects[k];

        report(out, "\nobject", o->view.title_index);
        report(out, "time", (uint64_t)o->view.perf_time);
        report(out, "freq", (uint64_t)o->view.perf_freq);
        for (size_t n = 0; n < o->num; n++) {
            const struct pl_sampled_instance *i = &now->instances[o->first + n];

            report_name(out, i->group);
            report(out, "at", (size_t)(i->view.block - now->block.bytes));
            report(out, "len", i->view.block_len);
            for (size_t j = 0; o->plan->num_identity && j < PL_MAX_IDENTITY;
                 j++)
                report(out, "identity", i->identity[j]);
        }
    }
}

/* A _Total that the sample brings is nobody else's. */
static void check_total(struct side *s, size_t i)
{
    const struct pl_cell_at *c = &s->pairing.cells[i];
    const uint64_t row = pl_sample_view_now(&s->samples)->row;

    if (!c->group->is_total || c->group->place.row != row)
        return;
    for (size_t k = 0; k < i; k++)
        if (s->pairing.cells[k].group == c->group &&
            s->pairing.cells[k].slot == c->slot)
            ck_abort_msg("two cells are %s", c->group->instance);
}

static void report_row(struct pl_buf *out, struct side *s)
{
    ck_assert_int_eq(pl_row_values_row(&s->pairing, &s->samples), PL_OK);
    for (size_t i = 0; i < s->pairing.num_cells; i++) {
        const struct pl_cell_at *c = &s->pairing.cells[i];

        check_total(s, i);
        report_name(out, c->group);
        report(out, "slot", c->slot);
        report(out, "paired", c->paired);
        report(out, "cell", c->value.cell);
        report(out, "kind", c->value.kind);
        if (c->value.kind != PL_VALUE_TEXT && c->value.kind != PL_VALUE_NONE)
            report(out, "bits", c->value.integer);
    }
}

/*
 * Take the block, which lies where the one before the last lay or 'elsewhere',
 * and tell all that is known of the sample and of its row.
 */
static void take(struct side *s, const struct pl_buf *block, bool elsewhere,
                 enum pl_cell why, struct pl_buf *out)
{
    size_t at = elsewhere ? 3 - s->last - s->before : s->before;
    struct pl_buf *mine = &s->blocks[at];

    s->before = s->last;
    s->last = at;
    pl_buf_clear(mine);
    pl_buf_bytes(mine, block->p, block->len);
    pl_buf_clear(out);
    ck_assert_int_eq(pl_sample_view_read(&s->samples, mine), PL_OK);
    report_sample(out, s);
    s->pairing.why_unpaired = why;
    report_row(out, s);
    ck_assert(!out->oom && !mine->oom);
}

static void check_same(const char *what, unsigned round, const struct pl_buf *a,
                       const struct pl_buf *b)
{
    const size_t n = a->len < b->len ? a->len : b->len;
    size_t i = 0;

    if (a->len == b->len && !memcmp(a->p, b->p, n))
        return;
    while (i < n && a->p[i] == b->p[i])
        i++;
    i = i > 60 ? i - 60 : 0;
    ck_abort_msg("%s, round %u: ...%.*s instead of %.*s", what, round,
                 (int)(a->len - i < 120 ? a->len - i : 120), (char *)a->p + i,
                 (int)(b->len - i < 120 ? b->len - i : 120), (char *)b->p + i);
}

static void change_titles(struct side *s, const struct pl_buf *titles)
{
    ck_assert_int_eq(pl_titles_parse(s->titles, titles->p, titles->len), PL_OK);
    s->samples.titles_version++;
}

/* The same titles, but that two objects have one name. */
static void one_name(const struct pl_buf *titles, struct pl_buf *out)
{
    struct pl_titles *t;

    ck_assert_int_eq(pl_titles_new(&t), PL_OK);
    ck_assert_int_eq(pl_titles_parse(t, titles->p, titles->len), PL_OK);
    pl_titles_set(t, CHILD, PL_TITLE_NAME, PL_LANGUAGE_ENGLISH,
                  pl_text_of("Object 1000"));
    pl_titles_write(t, out);
    pl_titles_free(t);
}

START_TEST(block_that_is_not_walked_again_is_what_it_was)
{
    struct machine m = { 0 };
    struct side quick, slow;
    struct pl_buf block = { 0 }, titles = { 0 }, a = { 0 }, b = { 0 };
    struct pl_buf none = { 0 }, alike = { 0 };

    state = 0x9E3779B97F4A7C15 + (uint64_t)_i;
    made_titles(&titles);
    one_name(&titles, &alike);
    begin(&quick, variants[_i].choice);
    begin(&slow, variants[_i].choice);
    slow.pairing.want_steps = true; /* then counters are looked at singly */
    change_titles(&quick, &titles);
    change_titles(&slow, &titles);
    for (unsigned round = 0; round < ROUNDS; round++) {
        enum pl_cell why = below(30) ? PL_CELL_GOOD : PL_CELL_GAP;

        next_block(&m, &block, (size_t)_i);
        if (!variants[_i].choice && !below(60)) {
            const struct pl_buf *sets[] = { &titles, &none, &alike };
            const struct pl_buf *t = sets[below(3)];

            change_titles(&quick, t);
            change_titles(&slow, t);
        }
        take(&quick, &block, !below(40), why, &a);
        take(&slow, &block, true, why, &b);
        check_same(variants[_i].what, round, &a, &b);
    }
    /* Only samples that were taken apart got a number of their own. */
    ck_assert_uint_eq(slow.registry.row, ROUNDS);
    if (!variants[_i].parents)
        ck_assert_uint_lt(quick.registry.row, ROUNDS * 4 / 5);
    end(&quick);
    end(&slow);
    pl_buf_release(&block);
    pl_buf_release(&titles);
    pl_buf_release(&alike);
    pl_buf_release(&a);
    pl_buf_release(&b);
}
END_TEST

/* ---- values -------------------------------------------------------------------- */

/* Something else as the value of a counter, or as the clock of an object. */
static void disturb(struct pl_buf *b)
{
    const uint64_t odd[] = { 0, UINT64_MAX, UINT64_MAX / 2 + 1, below(5000) };
    const unsigned object = below(4), which = below(3), nth = below(50);
    const uint64_t value = odd[below(4)];
    struct pl_block block;
    struct pl_object o;
    struct pl_instance i;
    struct pl_counter_def c;

    ck_assert_int_eq(pl_block_parse(&block, b->p, b->len), PL_OK);
    for (unsigned k = 0; k <= object; k++)
        ck_assert_int_eq(pl_object_next(&block, &o), PL_OK);
    if (!nth) {
        pl_put_le64(b->p + o.at + PL_SIZEOF_OBJECT_REV0, value);
        return;
    }
    for (unsigned k = 0; k <= which; k++)
        if (pl_instance_next(&o, &i))
            return;
    for (unsigned k = 0; k < nth; k++)
        if (pl_counter_next(&o, &c))
            return;
    if (c.size == 8)
        pl_put_le64(b->p + (i.block - b->p) + c.offset, value);
    else
        pl_put_le32(b->p + (i.block - b->p) + c.offset, (uint32_t)value);
}

/* Nothing about a block whose numbers have to be turned is ever quick. */
START_TEST(quick_values_are_those_of_a_big_endian_block)
{
    struct machine m = { 0 };
    struct side quick, slow;
    struct pl_buf block = { 0 }, titles = { 0 }, a = { 0 }, b = { 0 };

    state = 0x2545F4914F6CDD1D + (uint64_t)_i;
    made_titles(&titles);
    begin(&quick, variants[_i].choice);
    begin(&slow, variants[_i].choice);
    change_titles(&quick, &titles);
    change_titles(&slow, &titles);
    for (unsigned round = 0; round < ROUNDS; round++) {
        made_block(&block, m.step += 2);
        arrange(&m, &block, true);
        while (below(3))
            disturb(&block);
        take(&quick, &block, false, PL_CELL_GOOD, &a);
        block_to_big_endian(&block);
        take(&slow, &block, false, PL_CELL_GOOD, &b);
        check_same(variants[_i].what, round, &a, &b);
    }
    end(&quick);
    end(&slow);
    pl_buf_release(&block);
    pl_buf_release(&titles);
    pl_buf_release(&a);
    pl_buf_release(&b);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("frame");
    TCase *const tcases[] = { t, NULL };

    tcase_add_loop_test(t, block_that_is_not_walked_again_is_what_it_was, 0,
                        sizeof variants / sizeof *variants);
    tcase_add_loop_test(t, quick_values_are_those_of_a_big_endian_block, 0, 5);
    return run_suite("frame", tcases);
}
