/*
 * Performance Monitor's logs (.blg) cut, overwritten and hurt where their
 * lengths and counts are: reading ends, takes bounded memory, and gives no
 * value that was not there.
 */
#include "analyze/foreign/foreign.h"
#include "format/base/codepage.h"
#include "format/block/winperf.h"
#include "tests/support/logs.h"
#include "tests/support/made_blg.h"
#include "tests/support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum {
    CUTS = 300,
    OVERWRITES = 10000,
    MOST_VALUES = 8192,
    MOST_ITEMS = 100000, /* far more than these logs have */
    MOST_BLOCK = 1 << 20,
};

/* A counter's value, or that it is flagged, by all it is known under. */
struct value {
    int64_t utc_ns;
    char name[96];
    uint64_t number;
};

struct values {
    struct value all[MOST_VALUES];
    size_t num;
    uint64_t damaged, samples, items;
};

static struct values truth, found;

/* ---- reading ---------------------------------------------------------------------- */

static void keep_value(struct values *v, int64_t utc_ns, const char *object,
                       const char *instance, const char *counter,
                       uint64_t number)
{
    struct value *one = &v->all[v->num];

    if (v->num == MOST_VALUES || !*object || !*counter)
        return; /* without titles nobody knows what it is */
    one->utc_ns = utc_ns;
    snprintf(one->name, sizeof one->name, "%s(%s)\\%s", object, instance,
             counter);
    one->number = number;
    v->num++;
}

/* The text of a title, or "". */
static const char *title(const struct pl_titles *t, uint32_t index)
{
    static char texts[2][48];
    static size_t next;
    struct pl_text name = pl_titles_name(t, index);

    next = !next;
    snprintf(texts[next], sizeof texts[next], "%.*s", (int)name.n,
             name.n ? name.p : "");
    return texts[next];
}

static bool is_flagged(const struct pl_titles *t, const struct pl_object *o,
                       const struct pl_instance *i,
                       const struct pl_counter_def *c)
{
    const struct pl_object_facts f = pl_titles_facts(t, o->title_index);
    uint8_t bit = pl_counter_facts_of(&f, c->title_index).flag_bit;
    struct pl_object walk = *o;
    struct pl_counter_def def;
    uint64_t flags;

    walk.counters = pl_cur_of(o->definitions, o->definitions_len);
    walk.counters_seen = 0;
    while (bit < 64 && f.flags_counter && !pl_counter_next(&walk, &def))
        if (def.title_index == f.flags_counter &&
            pl_counter_get(o, i, &def, &flags))
            return flags >> bit & 1;
    return false;
}

static void keep_object(struct values *v, int64_t utc_ns,
                        const struct pl_titles *t, const struct pl_object *o)
{
    struct pl_object walk = *o;
    struct pl_counter_def defs[16];
    struct pl_instance i;
    struct pl_buf name = { 0 };
    struct pl_codepages pages = { 0 };
    size_t num = 0;

    while (num < 16 && !pl_counter_next(&walk, &defs[num]))
        num++;
    while (!pl_instance_next(&walk, &i)) {
        pl_buf_clear(&name);
        pl_instance_name(&pages, &name, o, &i);
        pl_buf_u8(&name, 0);
        for (size_t k = 0; k < num; k++) {
            uint64_t number;

            if (!pl_type_is_base(defs[k].type) &&
                defs[k].type != PERF_COUNTER_NODATA &&
                pl_counter_get(o, &i, &defs[k], &number) &&
                !is_flagged(t, o, &i, &defs[k]))
                keep_value(v, utc_ns, title(t, o->title_index),
                           (const char *)name.p, title(t, defs[k].title_index),
                           number);
        }
    }
    pl_buf_release(&name);
    pl_codepages_release(&pages);
}

static void keep_sample(struct values *v, const struct pl_item *item,
                        const struct pl_titles *t)
{
    struct pl_block b;
    struct pl_object o;

    ck_assert_ptr_nonnull(item->block);
    ck_assert_uint_lt(item->block->len, MOST_BLOCK);
    v->samples++;
    if (pl_block_parse(&b, item->block->p, item->block->len))
        return;
    while (!pl_object_next(&b, &o))
        keep_object(v, item->record.utc_ns, t, &o);
}

/* Read the log as commands do, host by host. */
static enum pl_status read_log(const char *path, struct values *v)
{
    struct pl_foreign_file *f;
    enum pl_status s = pl_foreign_look(&f, path);

    v->num = 0;
    v->damaged = v->samples = v->items = 0;
    if (s || !f)
        return s ? s : PL_NOT_A_LOG;
    for (size_t host = 0; host < f->num_hosts; host++) {
        struct pl_reader *r = NULL;
        struct pl_item item;

        ck_assert_int_eq(pl_foreign_read(&r, f, host, NULL), PL_OK);
        while (!(s = pl_reader_next(r, &item))) {
            ck_assert_uint_lt(v->items++, MOST_ITEMS);
            v->damaged +=
                item.kind == PL_ITEM_DAMAGED || item.kind == PL_ITEM_HOLE;
            if (item.kind == PL_ITEM_SAMPLE)
                keep_sample(v, &item, pl_reader_titles(r));
        }
        ck_assert_int_eq(s, PL_END);
        pl_reader_close(r);
    }
    pl_foreign_drop(f);
    return PL_OK;
}

static bool is_same(const struct value *a, const struct value *b)
{
    return a->utc_ns == b->utc_ns && a->number == b->number &&
           !strcmp(a->name, b->name);
}

/* Most stand in the order they had. */
static bool is_true(const struct value *v, size_t *at)
{
    for (size_t i = 0; i < truth.num; i++, ++*at)
        if (is_same(&truth.all[*at % truth.num], v))
            return true;
    return false;
}

static void check_truth(const char *what, size_t at)
{
    size_t place = 0;

    for (size_t i = 0; i < found.num; i++)
        ck_assert_msg(is_true(&found.all[i], &place),
                      "%s %zu: %s = %llu at %lld", what, at, found.all[i].name,
                      (unsigned long long)found.all[i].number,
                      (long long)found.all[i].utc_ns);
}

static const char *scratch(void)
{
    static char path[256];

    if (!*path)
        snprintf(path, sizeof path, "%s", path_in(temp_dir(), "a.blg"));
    return path;
}

static void begin(struct made_blg *m, int kind)
{
    made_blg(m, (enum made_blg_kind)kind);
    write_file(scratch(), m->file.p, m->file.len);
    ck_assert_int_eq(read_log(scratch(), &truth), PL_OK);
    ck_assert_uint_eq(truth.damaged, 0);
    ck_assert_uint_eq(truth.samples, MADE_BLG_SAMPLES);
    ck_assert_uint_eq(truth.num,
                      MADE_BLG_SAMPLES * (kind == MADE_BLG_ITEMS ? 8 : 2));
}

/* ---- hurting ------------------------------------------------------------------------ */

START_TEST(a_cut_costs_what_is_behind_it)
{
    struct made_blg m;

    begin(&m, _i);
    for (size_t i = 0; i < CUTS; i++) {
        size_t n = m.file.len * i / CUTS;

        write_file(scratch(), m.file.p, n);
        if (!read_log(scratch(), &found))
            check_truth("cut at", n);
    }
    made_blg_release(&m);
}
END_TEST

START_TEST(a_wrong_length_or_count_makes_no_value)
{
    static const uint32_t wrong[] = { 0, 1, 8, 1000, 0x80000000, 0xFFFFFFFF };
    struct made_blg m;
    uint64_t random = 7, lost = 0;

    begin(&m, _i);
    ck_assert_uint_gt(m.num_places, 100);
    for (size_t i = 0; i < m.num_places; i++) {
        size_t at = m.places[i].at, size = m.places[i].size;
        uint8_t was[4];

        memcpy(was, m.file.p + at, size);
        for (size_t k = 0; k < sizeof wrong / sizeof *wrong + 2; k++) {
            uint32_t v = k < sizeof wrong / sizeof *wrong
                             ? wrong[k]
                             : was[0] + (uint32_t)random_next(&random) % 16 - 8;

            for (size_t b = 0; b < size; b++)
                m.file.p[at + b] = (uint8_t)(v >> 8 * b);
            write_file(scratch(), m.file.p, m.file.len);
            if (!read_log(scratch(), &found))
                check_truth("length at", at);
            lost += found.num < truth.num;
        }
        memcpy(m.file.p + at, was, size);
    }
    ck_assert_uint_gt(lost, 100); /* it did hurt */
    made_blg_release(&m);
}
END_TEST

START_TEST(random_bytes_are_survived)
{
    struct made_blg m;
    uint64_t random = 11 + (uint64_t)_i;
    size_t reported = 0;
    size_t num = OVERWRITES / (runs_in_full() ? 1u : 4u) / NUM_MADE_BLG;
    struct rusage use;

    begin(&m, _i);
    for (size_t i = 0; i < num; i++) {
        size_t n = 1 + random_next(&random) % 8;
        size_t at = random_next(&random) % (m.file.len - n);
        uint8_t was[8];

        memcpy(was, m.file.p + at, n);
        for (size_t k = 0; k < n; k++)
            m.file.p[at + k] = (uint8_t)random_next(&random);
        write_file(scratch(), m.file.p, m.file.len);
        reported += read_log(scratch(), &found) || found.damaged;
        memcpy(m.file.p + at, was, n);
    }
    ck_assert_uint_gt(reported, num / 20);
    ck_assert_int_eq(getrusage(RUSAGE_SELF, &use), 0);
    ck_assert_int_lt(use.ru_maxrss,
                     512 << 10); /* KiB; most is the sanitizer's */
    made_blg_release(&m);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("damage");
    TCase *const tcases[] = { t, NULL };

    tcase_add_loop_test(t, a_cut_costs_what_is_behind_it, 0, NUM_MADE_BLG);
    tcase_add_loop_test(t, a_wrong_length_or_count_makes_no_value, 0,
                        NUM_MADE_BLG);
    tcase_add_loop_test(t, random_bytes_are_survived, 0, NUM_MADE_BLG);
    return run_suite("blg damage", tcases);
}
