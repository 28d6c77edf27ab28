/* Columns, and their encoding. */
#include "analyze/parquet/column.h"

#include "analyze/parquet/delta.h"
#include "analyze/parquet/hybrid.h"
#include "format/base/array.h"
#include "format/base/cursor.h"
#include "format/base/file.h"
#include "format/base/utf.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_ENTRIES = 1 << 15, /* of a dictionary of numbers */
    LONGEST_RANGE = 64,     /* texts longer than that state no range */
    LEAST_SLOTS = 64,
};

/* ---- values -------------------------------------------------------------- */

/* From the first null on, each row has a byte. */
static bool note_nulls(struct pl_parquet_column *c, size_t row)
{
    if (row >= c->cap_rows &&
        !pl_array_reserve((void **)&c->present, &c->cap_rows, row + 1, 1))
        return false;
    if (!c->has_nulls)
        memset(c->present, 1, c->rows);
    c->has_nulls = true;
    memset(c->present + c->rows, 0, row - c->rows);
    c->present[row] = 1;
    return true;
}

/* 'row' has a value, and those between it and the last one have none. */
static bool mark_row(struct pl_parquet_column *c, size_t row)
{
    if ((c->has_nulls || row != c->rows) && !note_nulls(c, row))
        return false;
    c->rows = row + 1;
    return true;
}

static bool is_present(const struct pl_parquet_column *c, size_t row)
{
    return row < c->rows && (!c->has_nulls || c->present[row]);
}

bool pl_parquet_put_slowly(struct pl_parquet_column *c, size_t row,
                           uint64_t bits)
{
    if (!pl_array_grow((void **)&c->values, &c->cap, c->num, sizeof *c->values))
        return false;
    c->values[c->num++] = bits;
    return mark_row(c, row);
}

/* ---- texts --------------------------------------------------------------- */

static struct pl_text text_at(const struct pl_parquet_texts *t, size_t number)
{
    const uint8_t *p = t->bytes.p + t->starts[number];

    return (struct pl_text){ (const char *)p + 4, pl_get_le32(p) };
}

/* FNV-1a from a random start: texts of others are not chosen to collide. */
static uint64_t hash_text(const struct pl_parquet_texts *t, struct pl_text text)
{
    uint64_t h = t->seed;

    for (size_t i = 0; i < text.n; i++)
        h = (h ^ (uint8_t)text.p[i]) * UINT64_C(0x100000001b3);
    return h ^ h >> 32;
}

/* The slot that holds 'text', or the free one that is to. */
static uint32_t *slot_of(const struct pl_parquet_texts *t, struct pl_text text)
{
    size_t mask = t->num_slots - 1;

    for (size_t i = (size_t)hash_text(t, text) & mask;; i = (i + 1) & mask)
        if (!t->slots[i] || pl_text_equal(text_at(t, t->slots[i] - 1), text))
            return &t->slots[i];
}

static bool grow_slots(struct pl_parquet_texts *t)
{
    size_t num = t->num_slots ? 2 * t->num_slots : LEAST_SLOTS;
    uint32_t *slots = calloc(num, sizeof *slots);

    if (!slots)
        return false;
    if (!t->seed)
        t->seed = pl_random();
    free(t->slots);
    t->slots = slots;
    t->num_slots = num;
    for (size_t i = 0; i < t->num; i++)
        *slot_of(t, text_at(t, i)) = (uint32_t)i + 1;
    return true;
}

/* The number of 'text', which it gets now if it is new. */
static bool number_text(struct pl_parquet_texts *t, struct pl_text text,
                        uint64_t *number)
{
    uint32_t *slot;

    if (2 * t->num >= t->num_slots && !grow_slots(t))
        return false;
    slot = slot_of(t, text);
    if (!*slot) {
        if (!pl_array_grow((void **)&t->starts, &t->cap, t->num,
                           sizeof *t->starts))
            return false;
        t->starts[t->num++] = t->bytes.len;
        pl_buf_u32(&t->bytes, (uint32_t)text.n);
        pl_buf_bytes(&t->bytes, text.p, text.n);
        *slot = (uint32_t)t->num;
    }
    *number = *slot - 1;
    return !t->bytes.oom && !t->valid.oom;
}

bool pl_parquet_put_text(struct pl_parquet_column *c, size_t row,
                         struct pl_text text, size_t like)
{
    uint64_t number;

    if (is_present(c, like) &&
        pl_text_equal(text_at(&c->texts, c->values[like]), text))
        number = c->values[like];
    else if (!number_text(&c->texts, pl_utf8_valid(&c->texts.valid, text),
                          &number))
        return false;
    /* Unlike numbers, numbers of texts stand at their rows. */
    if (!pl_array_reserve((void **)&c->values, &c->cap, row + 1,
                          sizeof *c->values))
        return false;
    c->values[row] = number;
    c->num++;
    return mark_row(c, row);
}

/* ---- a dictionary of numbers --------------------------------------------- */

struct entries {
    uint32_t *slots; /* numbers of entries from 1, by hash; 0: free */
    uint64_t *values;
    uint32_t num, most;
    uint64_t factor;   /* of the hash: odd and random, as texts' seed is */
    unsigned bits;     /* of the number of slots: twice 'most' or more */
    uint32_t *numbers; /* of each value */
};

/* For 'num' values.  False: no memory; release them in any case. */
static bool begin_entries(struct entries *e, size_t num)
{
    size_t most = num / 8 + 8; /* with more, zstd does better without it */

    *e = (struct entries){ .most = most < MOST_ENTRIES ? (uint32_t)most
                                                       : MOST_ENTRIES };
    e->factor = pl_random() | 1;
    while (UINT32_C(1) << e->bits <= 2 * e->most)
        e->bits++;
    e->slots = calloc((size_t)1 << e->bits, sizeof *e->slots);
    e->values = malloc(((size_t)e->most + 1) * sizeof *e->values);
    e->numbers = malloc(num * sizeof *e->numbers);
    return e->slots && e->values && e->numbers;
}

/* The number of an entry, which is made if needed. */
static uint32_t number_value(struct entries *e, uint64_t v)
{
    size_t i = (size_t)((v * e->factor) >> (64 - e->bits));
    size_t mask = ((size_t)1 << e->bits) - 1;

    while (e->slots[i] && e->values[e->slots[i] - 1] != v)
        i = (i + 1) & mask;
    if (!e->slots[i]) {
        e->values[e->num++] = v;
        e->slots[i] = e->num;
    }
    return e->slots[i] - 1;
}

/* False: there are too many different values. */
static bool number_values(struct entries *e, const uint64_t *v, size_t num)
{
    for (size_t i = 0; i < num; i++) {
        e->numbers[i] =
            i && v[i] == v[i - 1] ? e->numbers[i - 1] : number_value(e, v[i]);
        if (e->num > e->most)
            return false;
    }
    return true;
}

static void release_entries(struct entries *e)
{
    free(e->slots);
    free(e->values);
    free(e->numbers);
}

/* ---- ranges -------------------------------------------------------------- */

static bool is_less(enum pl_parquet_type type, uint64_t a, uint64_t b)
{
    double x, y;

    if (type == PL_PARQUET_COUNT)
        return a < b;
    if (type == PL_PARQUET_TIME)
        return (int64_t)a < (int64_t)b;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    return x < y;
}

static void state_range(struct pl_parquet_pages *to, enum pl_parquet_type type,
                        const uint64_t *v, size_t num)
{
    uint64_t least = v[0], greatest = v[0];

    for (size_t i = 1; i < num; i++) {
        if (is_less(type, v[i], least))
            least = v[i];
        if (is_less(type, greatest, v[i]))
            greatest = v[i];
    }
    pl_buf_u64(&to->least, least);
    pl_buf_u64(&to->greatest, greatest);
    to->has_range = true;
}

static bool is_text_less(struct pl_text a, struct pl_text b)
{
    return pl_text_compare(a, b) < 0;
}

static void state_text_range(struct pl_parquet_pages *to,
                             const struct pl_parquet_texts *t)
{
    struct pl_text least = text_at(t, 0), greatest = least;

    for (size_t i = 1; i < t->num; i++) {
        struct pl_text text = text_at(t, i);

        if (is_text_less(text, least))
            least = text;
        if (is_text_less(greatest, text))
            greatest = text;
    }
    if (least.n > LONGEST_RANGE || greatest.n > LONGEST_RANGE)
        return;
    pl_buf_bytes(&to->least, least.p, least.n);
    pl_buf_bytes(&to->greatest, greatest.p, greatest.n);
    to->has_range = true;
}

/* ---- pages --------------------------------------------------------------- */

/* Which rows have values: the definition levels, with their length. */
static enum pl_status put_levels(struct pl_parquet_column *c, size_t rows,
                                 struct pl_buf *out)
{
    size_t start = out->len;
    uint32_t *levels = NULL;

    pl_buf_u32(out, 0);
    if (c->num == rows || !c->num) {
        pl_hybrid_put_run(out, c->num != 0, rows, 1);
    } else {
        levels = malloc(rows * sizeof *levels);
        if (!levels)
            return PL_NOMEM;
        for (size_t i = 0; i < rows; i++)
            levels[i] = is_present(c, i);
        pl_hybrid_put(out, levels, rows, 1);
    }
    free(levels);
    pl_buf_set_u32(out, start, (uint32_t)(out->len - start - 4));
    return PL_OK;
}

static void put_plain(struct pl_buf *out, const uint64_t *v, size_t num)
{
    uint8_t *p = pl_buf_zeros(out, num * sizeof *v);

    if (p)
        pl_put_le64s(p, v, num);
}

static void put_numbers(struct pl_buf *out, const uint32_t *numbers, size_t num,
                        uint32_t num_entries)
{
    unsigned width = pl_hybrid_width(num_entries);

    pl_buf_u8(out, (uint8_t)width);
    pl_hybrid_put(out, numbers, num, width);
}

static enum pl_status encode_numbers(struct pl_parquet_column *c,
                                     struct pl_parquet_pages *to)
{
    struct entries e;
    enum pl_status s = begin_entries(&e, c->num) ? PL_OK : PL_NOMEM;

    if (!s && number_values(&e, c->values, c->num)) {
        to->encoding = PL_PARQUET_DICTIONARY;
        to->num_entries = e.num;
        put_plain(&to->dictionary, e.values, e.num);
        put_numbers(&to->data, e.numbers, c->num, e.num);
        state_range(to, c->type, e.values, e.num);
    } else if (!s) {
        put_plain(&to->data, c->values, c->num);
        state_range(to, c->type, c->values, c->num);
    }
    release_entries(&e);
    return s;
}

static enum pl_status encode_times(struct pl_parquet_column *c,
                                   struct pl_parquet_pages *to)
{
    to->encoding = PL_PARQUET_DELTA;
    pl_delta_put(&to->data, c->values, c->num);
    state_range(to, c->type, c->values, c->num);
    return PL_OK;
}

static enum pl_status encode_texts(struct pl_parquet_column *c,
                                   struct pl_parquet_pages *to)
{
    uint32_t *numbers = malloc(c->num * sizeof *numbers);

    if (!numbers)
        return PL_NOMEM;
    for (size_t row = 0, n = 0; row < c->rows; row++)
        if (is_present(c, row))
            numbers[n++] = (uint32_t)c->values[row];
    to->encoding = PL_PARQUET_DICTIONARY;
    to->num_entries = (uint32_t)c->texts.num;
    pl_buf_bytes(&to->dictionary, c->texts.bytes.p, c->texts.bytes.len);
    put_numbers(&to->data, numbers, c->num, to->num_entries);
    state_text_range(to, &c->texts);
    free(numbers);
    return PL_OK;
}

static void clear_pages(struct pl_parquet_pages *p)
{
    pl_buf_clear(&p->dictionary);
    pl_buf_clear(&p->data);
    pl_buf_clear(&p->least);
    pl_buf_clear(&p->greatest);
    p->encoding = PL_PARQUET_PLAIN;
    p->num_entries = 0;
    p->has_range = false;
}

static void clear_texts(struct pl_parquet_texts *t)
{
    pl_buf_clear(&t->bytes);
    t->num = 0;
    if (t->num_slots)
        memset(t->slots, 0, t->num_slots * sizeof *t->slots);
}

void pl_parquet_column_release(struct pl_parquet_column *c)
{
    free(c->present);
    free(c->values);
    pl_buf_release(&c->texts.bytes);
    pl_buf_release(&c->texts.valid);
    free(c->texts.starts);
    free(c->texts.slots);
    *c = (struct pl_parquet_column){ .type = c->type };
}

enum pl_status pl_parquet_encode(struct pl_parquet_column *c, size_t rows,
                                 struct pl_parquet_pages *to)
{
    enum pl_status s;

    clear_pages(to);
    to->nulls = rows - c->num;
    s = put_levels(c, rows, &to->data);
    if (!s && c->num)
        s = c->type == PL_PARQUET_TEXT   ? encode_texts(c, to)
            : c->type == PL_PARQUET_TIME ? encode_times(c, to)
                                         : encode_numbers(c, to);
    c->rows = 0;
    c->num = 0;
    c->has_nulls = false;
    clear_texts(&c->texts);
    return s ? s : to->data.oom || to->dictionary.oom ? PL_NOMEM : PL_OK;
}

void pl_parquet_pages_release(struct pl_parquet_pages *p)
{
    pl_buf_release(&p->dictionary);
    pl_buf_release(&p->data);
    pl_buf_release(&p->least);
    pl_buf_release(&p->greatest);
}
