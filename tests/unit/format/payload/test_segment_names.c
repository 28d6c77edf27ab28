/* Names of a segment: what the blocks made of them name, beside what the samples
 * name, for every kind of block; and blocks that cannot be used. */
#include "format/payload/stated_names.h"
#include "format/payload/stated_part.h"

#include "format/base/codepage.h"
#include "format/block/winperf.h"
#include "format/payload/payloads.h"
#include "tests/support/made_blocks.h"
#include "tests/support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1024, STEPS = 12, TITLES_AT = 80, ENDS_AT = 8000, SESSION = 7 };

/* Texts, each with how often it is in a sample at most. */
struct texts {
    char *list[MOST];
    unsigned most[MOST], now[MOST];
    size_t num;
};

static void release(struct texts *t)
{
    for (size_t i = 0; i < t->num; i++)
        free(t->list[i]);
    t->num = 0;
}

static void note(struct texts *t, const char *text)
{
    size_t i = 0;

    while (i < t->num && strcmp(t->list[i], text) != 0)
        i++;
    if (i == t->num) {
        ck_assert_uint_lt(i, MOST);
        t->list[t->num] = strdup(text);
        t->most[i] = t->now[i] = 0;
        t->num++;
    }
    if (++t->now[i] > t->most[i])
        t->most[i] = t->now[i];
}

/* The name of an instance, and of its parent, each as the block spells it. */
static void spell(const struct pl_block *b, const struct pl_object *o,
                  const struct pl_instance *i, struct pl_buf *out)
{
    struct pl_codepages pages = { 0 };
    struct pl_block walk = *b;
    struct pl_object parent;
    struct pl_instance p = { 0 };

    walk.rest = pl_cur_of(b->bytes + b->header_len, b->len - b->header_len);
    walk.objects_seen = 0;
    while (i->parent_object && !pl_object_next(&walk, &parent))
        if (parent.title_index == i->parent_object) {
            for (uint32_t k = 0; k <= i->parent_instance; k++)
                ck_assert_int_eq(pl_instance_next(&parent, &p), PL_OK);
            pl_instance_name(&pages, out, &parent, &p);
            break;
        }
    pl_buf_u8(out, '/');
    pl_instance_name(&pages, out, o, i);
    pl_codepages_release(&pages);
}

/* Note what a block names, with the definitions of each object's counters. */
static void note_block(struct texts *t, const uint8_t *p, size_t n)
{
    struct pl_misfit misfit;
    struct pl_block b;
    struct pl_object o;
    struct pl_instance i;

    ck_assert_msg(pl_block_check(p, n, &misfit), "%s", misfit.reason);
    memset(t->now, 0, sizeof t->now);
    ck_assert_int_eq(pl_block_parse(&b, p, n), PL_OK);
    while (!pl_object_next(&b, &o)) {
        struct pl_buf line = { 0 };
        char title[64];
        size_t len;

        len = (size_t)snprintf(
            title, sizeof title, "%u (%016llx) ", o.title_index,
            (unsigned long long)pl_hash(o.definitions, o.definitions_len, 0));
        note(t, title);
        while (!pl_instance_next(&o, &i)) {
            pl_buf_clear(&line);
            pl_buf_bytes(&line, title, len);
            if (i.name)
                spell(&b, &o, &i, &line);
            pl_buf_u8(&line, 0);
            note(t, (const char *)line.p);
        }
        pl_buf_release(&line);
    }
}

/* What the content's blocks name; returns how many blocks it has. */
static unsigned note_content(struct texts *t, const struct pl_buf *content)
{
    struct pl_stated_names names;
    struct pl_cur block;
    unsigned num = 0;

    ck_assert_int_eq(pl_stated_names_parse(&names, content), PL_OK);
    ck_assert_uint_eq(names.titles_at, TITLES_AT);
    ck_assert_uint_eq(names.ends_at, ENDS_AT);
    for (; !pl_stated_names_block(&names, &block); num++)
        note_block(t, block.p, block.left);
    ck_assert_uint_eq(names.blocks.left, 0);
    return num;
}

static void check_same(const struct texts *a, const struct texts *b)
{
    ck_assert_uint_eq(a->num, b->num);
    for (size_t i = 0; i < a->num; i++) {
        size_t k = 0;

        while (k < b->num && strcmp(a->list[i], b->list[k]) != 0)
            k++;
        ck_assert_msg(k < b->num, "'%s' is missing", a->list[i]);
        ck_assert_msg(a->most[i] == b->most[k], "'%s' %u times, not %u",
                      a->list[i], b->most[k], a->most[i]);
    }
}

/* Nothing is called anything here. */
static const struct pl_titles *titles(void)
{
    static struct pl_titles *none;

    if (!none)
        ck_assert_int_eq(pl_titles_new(&none), PL_OK);
    return none;
}

static struct pl_segment_names *begun(void)
{
    struct pl_segment_names *n;

    ck_assert_int_eq(pl_segment_names_new(&n), PL_OK);
    pl_segment_names_titles(n, TITLES_AT, titles());
    return n;
}

static void add(struct pl_segment_names *n, const struct pl_buf *block)
{
    ck_assert_int_eq(pl_segment_names_add(n, block, titles()), PL_OK);
}

/* The content; empty if nothing is kept. */
static void finish(struct pl_segment_names *n, struct pl_buf *content)
{
    pl_buf_clear(content);
    ck_assert_int_eq(pl_segment_names_content(n, ENDS_AT, content), PL_OK);
}

static void as_it_is(struct pl_buf *block)
{
    (void)block;
}

/* Steps of a machine whose blocks were changed so. */
static void check_machine(void (*change)(struct pl_buf *block))
{
    struct texts of_samples = { .num = 0 }, of_names = { .num = 0 };
    struct pl_segment_names *n = begun();
    struct pl_buf block = { 0 }, content = { 0 };

    for (unsigned step = 0; step < STEPS; step++) {
        made_block(&block, step);
        change(&block);
        note_block(&of_samples, block.p, block.len);
        add(n, &block);
    }
    finish(n, &content);
    ck_assert_uint_gt(content.len, 0);
    ck_assert_uint_eq(note_content(&of_names, &content), 1);
    check_same(&of_samples, &of_names);
    release(&of_samples);
    release(&of_names);
    pl_segment_names_free(n);
    pl_buf_release(&block);
    pl_buf_release(&content);
}

START_TEST(blocks_of_every_kind_are_named_completely)
{
    check_machine(as_it_is);
    check_machine(block_to_big_endian);
    check_machine(block_to_revision_0);
}
END_TEST

/* ---- what is put into an ends ---------------------------------------------- */

/* An ends with names of a machine; 'content' is what they unpack to. */
static void make_ends(struct pl_buf *ends, struct pl_buf *content)
{
    const struct pl_ends fields = { .samples = STEPS, .reason = 1 };
    struct pl_segment_names *n = begun();
    struct pl_buf block = { 0 };

    for (unsigned step = 0; step < STEPS; step++) {
        made_block(&block, step);
        add(n, &block);
    }
    finish(n, content);
    pl_ends_write(&fields, ends);
    ck_assert_uint_eq(ends->len, PL_ENDS_LEN);
    ck_assert_int_eq(pl_stated_part_put(content, SESSION, ends), PL_OK);
    pl_stated_end(ends);
    pl_segment_names_free(n);
    pl_buf_release(&block);
}

START_TEST(an_ends_gives_them_back)
{
    struct pl_buf ends = { 0 }, content = { 0 }, back = { 0 };
    struct pl_named_object o;
    struct pl_decoder *d;
    struct pl_stated_names names;
    unsigned objects = 0;

    make_ends(&ends, &content);
    ck_assert_uint_eq(ends.len % PL_STATED_TRAILER, 0);
    ck_assert_uint_eq(pl_get_le64(ends.p + ends.len - PL_STATED_TRAILER),
                      ends.len);
    ck_assert_int_eq(pl_decoder_new(&d), PL_OK);
    ck_assert_int_eq(
        pl_stated_names_unpack(d, SESSION, ends.p, ends.len, &back), PL_OK);
    ck_assert_uint_eq(back.len, content.len);
    ck_assert_mem_eq(back.p, content.p, content.len);
    ck_assert_int_eq(pl_stated_names_parse(&names, &back), PL_OK);
    ck_assert_uint_eq(names.samples, STEPS);
    for (; !pl_stated_names_object(&names, &o); objects++) {
        ck_assert_uint_gt(o.samples, 0);
        ck_assert_uint_le(o.samples, STEPS);
    }
    ck_assert_uint_gt(objects, 3);
    pl_decoder_free(d);
    pl_buf_release(&ends);
    pl_buf_release(&content);
    pl_buf_release(&back);
}
END_TEST

/* Each in memory of its own length, so that a sanitizer sees a read beyond. */
START_TEST(no_prefix_and_no_changed_byte_gives_anything_else)
{
    struct pl_buf ends = { 0 }, content = { 0 }, back = { 0 };
    struct pl_decoder *d;

    make_ends(&ends, &content);
    ck_assert_int_eq(pl_decoder_new(&d), PL_OK);
    for (size_t n = 0; n < ends.len; n++) {
        uint8_t *part = malloc(n + 1);
        enum pl_status s;

        memcpy(part, ends.p, n);
        s = pl_stated_names_unpack(d, SESSION, part, n, &back);
        ck_assert(
            s == PL_END || s == PL_CORRUPT ||
            (back.len == content.len && !memcmp(back.p, content.p, back.len)));
        free(part);
    }
    for (size_t at = PL_ENDS_LEN; at < ends.len; at++) {
        enum pl_status s;

        ends.p[at] ^= 0x41;
        s = pl_stated_names_unpack(d, SESSION, ends.p, ends.len, &back);
        ck_assert(s == PL_CORRUPT || (back.len == content.len &&
                                      !memcmp(back.p, content.p, back.len)));
        ends.p[at] ^= 0x41;
    }
    ck_assert_int_eq(
        pl_stated_names_unpack(d, SESSION + 1, ends.p, ends.len, &back),
        PL_CORRUPT);
    pl_decoder_free(d);
    pl_buf_release(&ends);
    pl_buf_release(&content);
    pl_buf_release(&back);
}
END_TEST

/* ---- what is not kept ------------------------------------------------------- */

START_TEST(nothing_is_kept_beside_a_block_that_cannot_be_read)
{
    struct pl_buf block = { 0 }, part = { 0 }, content = { 0 };

    made_block(&block, 0);
    for (size_t n = 0; n < block.len; n += 8) {
        struct pl_segment_names *names = begun();

        add(names, &block);
        pl_buf_clear(&part);
        pl_buf_bytes(&part, block.p, n);
        add(names, &part);
        add(names, &block);
        finish(names, &content);
        ck_assert_uint_eq(content.len, 0);
        pl_segment_names_free(names);
    }
    pl_buf_release(&block);
    pl_buf_release(&part);
    pl_buf_release(&content);
}
END_TEST

START_TEST(nothing_is_kept_of_both_byte_orders)
{
    struct pl_segment_names *n = begun();
    struct pl_buf block = { 0 }, content = { 0 };

    made_block(&block, 0);
    add(n, &block);
    block_to_big_endian(&block);
    add(n, &block);
    finish(n, &content);
    ck_assert_uint_eq(content.len, 0);
    /* Another segment begins with nothing that was wrong in this one. */
    pl_segment_names_begin(n);
    pl_segment_names_titles(n, TITLES_AT, titles());
    add(n, &block);
    finish(n, &content);
    ck_assert_uint_gt(content.len, 0);
    pl_segment_names_free(n);
    pl_buf_release(&block);
    pl_buf_release(&content);
}
END_TEST

START_TEST(without_titles_or_samples_there_are_none)
{
    struct pl_segment_names *n;
    struct pl_buf block = { 0 }, content = { 0 };

    ck_assert_int_eq(pl_segment_names_new(&n), PL_OK);
    made_block(&block, 0);
    add(n, &block);
    finish(n, &content);
    ck_assert_uint_eq(content.len, 0);
    pl_segment_names_begin(n);
    pl_segment_names_titles(n, TITLES_AT, titles());
    finish(n, &content);
    ck_assert_uint_eq(content.len, 0);
    pl_segment_names_free(n);
    pl_buf_release(&block);
    pl_buf_release(&content);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("segment names");

    tcase_add_test(t, blocks_of_every_kind_are_named_completely);
    tcase_add_test(t, an_ends_gives_them_back);
    tcase_add_test(t, no_prefix_and_no_changed_byte_gives_anything_else);
    tcase_add_test(t, nothing_is_kept_beside_a_block_that_cannot_be_read);
    tcase_add_test(t, nothing_is_kept_of_both_byte_orders);
    tcase_add_test(t, without_titles_or_samples_there_are_none);
    return run_suite("segment names", (TCase *[]){ t, NULL });
}
