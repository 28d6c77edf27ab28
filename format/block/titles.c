/*
 * The title database: the entries' bytes in the format of a payload, and their
 * sorted offsets.  So it takes little more memory than its payload, which may
 * be large in logs made to exhaust memory.
 */
#include "format/block/titles.h"

#include "format/base/array.h"
#include "format/base/cursor.h"
#include "format/block/winperf.h"

#include <stdlib.h>
#include <string.h>

struct key {
    uint32_t index;
    uint16_t kind;
    uint16_t language;
};

struct pl_titles {
    uint32_t *at; /* entries in 'bytes', by their keys */
    size_t num, cap;
    struct pl_buf bytes; /* entries; replaced ones stay */
};

enum { INDEX_PROCESS = 230, INDEX_THREAD = 232, INDEX_ID_PROCESS = 784 };
enum { INDEX_ID_THREAD = 804, INDEX_ELAPSED = 684 };

enum pl_status pl_titles_new(struct pl_titles **out)
{
    *out = calloc(1, sizeof **out);
    return *out ? PL_OK : PL_NOMEM;
}

void pl_titles_free(struct pl_titles *t)
{
    if (!t)
        return;
    pl_buf_release(&t->bytes);
    free(t->at);
    free(t);
}

/* ---- entries ------------------------------------------------------------- */

/* The key of a checked entry; 'c' is then at its value. */
static struct key key_at(const struct pl_titles *t, size_t i, struct pl_cur *c)
{
    struct key k;

    *c = pl_cur_of(t->bytes.p + t->at[i], t->bytes.len - t->at[i]);
    k.index = (uint32_t)pl_cur_varint(c);
    k.kind = pl_cur_u8(c);
    k.language = pl_cur_u16(c);
    return k;
}

static int compare_keys(struct key a, struct key b)
{
    if (a.index != b.index)
        return a.index < b.index ? -1 : 1;
    if (a.kind != b.kind)
        return a.kind < b.kind ? -1 : 1;
    if (a.language != b.language)
        return a.language < b.language ? -1 : 1;
    return 0;
}

/* How entry 'i' compares with a key. */
static int compare(const struct pl_titles *t, size_t i, struct key key)
{
    struct pl_cur c;

    return compare_keys(key_at(t, i, &c), key);
}

/* First entry not below the key. */
static size_t lower_bound(const struct pl_titles *t, struct key key)
{
    size_t low = 0, high = t->num;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (compare(t, mid, key) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* From now on the entry with that key is at offset 'at'.  False: out of
 * memory. */
static bool insert(struct pl_titles *t, struct key key, size_t at)
{
    size_t i = t->num;

    /* Payloads are sorted, so nearly every entry goes to the end. */
    if (i && compare(t, i - 1, key) >= 0)
        i = lower_bound(t, key);
    if (i == t->num || compare(t, i, key)) {
        if (!pl_array_grow((void **)&t->at, &t->cap, t->num, sizeof *t->at))
            return false;
        memmove(t->at + i + 1, t->at + i, (t->num - i) * sizeof *t->at);
        t->num++;
    }
    t->at[i] = (uint32_t)at;
    return true;
}

/* Add or replace an entry that did not come in a payload. */
static enum pl_status set(struct pl_titles *t, struct key key, const void *p,
                          size_t n)
{
    size_t at = t->bytes.len;

    pl_buf_varint(&t->bytes, key.index);
    pl_buf_u8(&t->bytes, (uint8_t)key.kind);
    pl_buf_u16(&t->bytes, key.language);
    pl_buf_varint(&t->bytes, n);
    if (n)
        pl_buf_bytes(&t->bytes, p, n);
    if (!t->bytes.oom && insert(t, key, at))
        return PL_OK;
    t->bytes.oom = false;
    t->bytes.len = at;
    return PL_NOMEM;
}

enum pl_status pl_titles_set(struct pl_titles *t, uint32_t index,
                             enum pl_title_kind kind, uint16_t language,
                             struct pl_text text)
{
    return set(t, (struct key){ index, (uint16_t)kind, language }, text.p,
               text.n);
}

/* ---- object facts -------------------------------------------------------- */

enum { COUNTER_FACTS_LEN = 6 };

static void write_facts(const struct pl_object_facts *f, struct pl_buf *out)
{
    pl_buf_u8(out, f->num_identity);
    for (size_t i = 0; i < f->num_identity; i++)
        pl_buf_u32(out, f->identity[i]);
    pl_buf_u32(out, f->flags_counter);
    for (size_t i = 0; i < f->num_counters; i++) {
        pl_buf_u32(out, f->counters[i].index);
        pl_buf_u8(out, f->counters[i].flag_bit);
        pl_buf_u8(out, f->counters[i].total_rule);
    }
}

static int by_index(const void *a, const void *b)
{
    uint32_t x = pl_get_le32(a), y = pl_get_le32(b);

    return (x > y) - (x < y);
}

/* For pl_counter_facts_of. */
static void sort_counters(uint8_t *p, size_t num)
{
    for (size_t i = 1; i < num; i++, p += COUNTER_FACTS_LEN)
        if (by_index(p, p + COUNTER_FACTS_LEN) > 0) {
            qsort(p - (i - 1) * COUNTER_FACTS_LEN, num, COUNTER_FACTS_LEN,
                  by_index);
            return;
        }
}

/* False if the bytes do not add up. */
static bool parse_facts(struct pl_object_facts *f, const uint8_t *p, size_t n)
{
    struct pl_cur c = pl_cur_of(p, n);

    *f = (struct pl_object_facts){ .num_identity = pl_cur_u8(&c) };
    if (f->num_identity > PL_MAX_IDENTITY)
        return false;
    for (size_t i = 0; i < f->num_identity; i++)
        f->identity[i] = pl_cur_u32(&c);
    f->flags_counter = pl_cur_u32(&c);
    f->num_counters = c.left / COUNTER_FACTS_LEN;
    f->stored = c.p;
    return !c.bad && c.left % COUNTER_FACTS_LEN == 0;
}

/* The same of bytes that will stay, for looking counters up. */
static bool prepare_facts(uint8_t *p, size_t n)
{
    struct pl_object_facts f;

    if (!parse_facts(&f, p, n))
        return false;
    sort_counters(p + (f.stored - p), f.num_counters);
    return true;
}

enum pl_status pl_titles_set_facts(struct pl_titles *t, uint32_t index,
                                   const struct pl_object_facts *facts)
{
    const struct key key = { index, PL_TITLE_FACTS, 0 };
    struct pl_buf b = { 0 };
    enum pl_status s = PL_NOMEM;

    write_facts(facts, &b);
    if (!b.oom && prepare_facts(b.p, b.len))
        s = set(t, key, b.p, b.len);
    pl_buf_release(&b);
    return s;
}

/* ---- birth ---------------------------------------------------------------- */

enum { ZERO_LEN = 4 };

/* False if the bytes do not add up. */
static bool parse_birth(struct pl_birth_facts *b, const uint8_t *p, size_t n)
{
    struct pl_cur c = pl_cur_of(p, n);

    *b = (struct pl_birth_facts){ .counter = pl_cur_u32(&c) };
    b->slack = pl_cur_u32(&c);
    b->num_zeros = c.left / ZERO_LEN;
    b->stored = c.p;
    return !c.bad && c.left % ZERO_LEN == 0;
}

/* The same of bytes that will stay, for looking counters up. */
static bool prepare_birth(uint8_t *p, size_t n)
{
    struct pl_birth_facts b;

    if (!parse_birth(&b, p, n))
        return false;
    qsort(p + (b.stored - p), b.num_zeros, ZERO_LEN, by_index);
    return true;
}

enum pl_status pl_titles_set_birth(struct pl_titles *t, uint32_t index,
                                   const struct pl_birth_facts *birth)
{
    const struct key key = { index, PL_TITLE_BIRTH, 0 };
    struct pl_buf b = { 0 };
    enum pl_status s = PL_NOMEM;

    pl_buf_u32(&b, birth->counter);
    pl_buf_u32(&b, birth->slack);
    for (size_t i = 0; i < birth->num_zeros; i++)
        pl_buf_u32(&b, birth->zeros[i]);
    if (!b.oom && prepare_birth(b.p, b.len))
        s = set(t, key, b.p, b.len);
    pl_buf_release(&b);
    return s;
}

enum pl_status pl_titles_set_left_out(struct pl_titles *t, uint32_t index,
                                      uint8_t bit)
{
    const struct key key = { index, PL_TITLE_LEFT_OUT, 0 };

    return set(t, key, &bit, sizeof bit);
}

/* ---- payload ------------------------------------------------------------- */

/* True if an entry's value is well formed for its kind. */
static bool prepare(enum pl_title_kind kind, uint8_t *p, size_t n)
{
    switch (kind) {
    case PL_TITLE_NAME:
    case PL_TITLE_HELP:
        return true;
    case PL_TITLE_FACTS:
        return prepare_facts(p, n);
    case PL_TITLE_BIRTH:
        return prepare_birth(p, n);
    case PL_TITLE_LEFT_OUT:
        return n == sizeof(uint8_t);
    }
    return false;
}

/* Read the entry at 'c' and move 'c' past it. */
static enum pl_status take_entry(struct pl_titles *t, struct pl_cur *c)
{
    size_t at = t->bytes.len - c->left;
    uint64_t index = pl_cur_varint(c);
    struct key key = { .index = (uint32_t)index, .kind = pl_cur_u8(c) };
    uint64_t len;
    const uint8_t *p;

    key.language = pl_cur_u16(c);
    len = pl_cur_varint(c);
    if (c->bad || index > UINT32_MAX || len > c->left ||
        t->num == PL_MAX_TITLES || (t->num && compare(t, t->num - 1, key) >= 0))
        return PL_CORRUPT;
    p = pl_cur_take(c, (size_t)len);
    if (!prepare(key.kind, t->bytes.p + (p - t->bytes.p), (size_t)len))
        return PL_OK; /* skipped */
    return insert(t, key, at) ? PL_OK : PL_NOMEM;
}

enum pl_status pl_titles_take(struct pl_titles *t, struct pl_buf *payload)
{
    struct pl_cur c;
    enum pl_status s = PL_OK;

    t->num = 0;
    pl_buf_drop(&t->bytes);
    pl_buf_swap(&t->bytes, payload);
    c = pl_cur_of(t->bytes.p, t->bytes.len);
    while (c.left && !s)
        s = take_entry(t, &c);
    return s;
}

enum pl_status pl_titles_parse(struct pl_titles *t, const uint8_t *p, size_t n)
{
    struct pl_buf copy = { 0 };
    enum pl_status s = PL_NOMEM;

    if (n)
        pl_buf_bytes(&copy, p, n);
    if (!copy.oom)
        s = pl_titles_take(t, &copy);
    pl_buf_release(&copy);
    return s;
}

static struct pl_text text_at(const struct pl_titles *t, size_t i)
{
    struct pl_cur c;
    size_t n;

    key_at(t, i, &c);
    n = (size_t)pl_cur_varint(&c);
    return (struct pl_text){ n ? (const char *)pl_cur_take(&c, n) : "", n };
}

static void write_entry(const struct pl_titles *t, size_t i, struct pl_buf *out)
{
    struct pl_text text = text_at(t, i);
    struct pl_cur c;
    struct key key = key_at(t, i, &c);

    pl_buf_varint(out, key.index);
    pl_buf_u8(out, (uint8_t)key.kind);
    pl_buf_u16(out, key.language);
    pl_buf_varint(out, text.n);
    if (text.n)
        pl_buf_bytes(out, text.p, text.n);
}

void pl_titles_write(const struct pl_titles *t, struct pl_buf *out)
{
    for (size_t i = 0; i < t->num; i++)
        write_entry(t, i, out);
}

static bool is_in(const struct pl_title_range *ranges, size_t n, uint32_t index)
{
    for (size_t i = 0; i < n; i++)
        if (index >= ranges[i].first && index < ranges[i].past)
            return true;
    return false;
}

/* Give back the memory of entries that are not used; without memory for the
 * others they stay. */
static void compact(struct pl_titles *t)
{
    struct pl_buf kept = { 0 };

    pl_titles_write(t, &kept);
    if (!kept.oom)
        pl_titles_take(t, &kept);
    pl_buf_release(&kept);
}

void pl_titles_remove(struct pl_titles *t, const struct pl_title_range *ranges,
                      size_t n)
{
    size_t kept = 0;
    struct pl_cur c;

    for (size_t i = 0; i < t->num; i++)
        if (!is_in(ranges, n, key_at(t, i, &c).index))
            t->at[kept++] = t->at[i];
    t->num = kept;
    compact(t);
}

void pl_titles_write_some(const struct pl_titles *t, const uint32_t *indexes,
                          size_t n, struct pl_buf *out)
{
    size_t k = 0;

    for (size_t i = 0; i < t->num; i++) {
        struct pl_cur c;
        uint32_t index = key_at(t, i, &c).index;

        while (k < n && indexes[k] < index)
            k++;
        if (k < n && indexes[k] == index)
            write_entry(t, i, out);
    }
}

/* ---- lookup -------------------------------------------------------------- */

/* The text in English, else in any language. */
static struct pl_text find(const struct pl_titles *t, uint32_t index,
                           uint16_t kind)
{
    const struct key english = { index, kind, PL_LANGUAGE_ENGLISH };
    size_t i = lower_bound(t, english);
    struct pl_cur c;
    struct key key;

    if (i == t->num || compare(t, i, english))
        i = lower_bound(t, (struct key){ index, kind, 0 });
    if (i == t->num)
        return (struct pl_text){ "", 0 };
    key = key_at(t, i, &c);
    if (key.index != index || key.kind != kind)
        return (struct pl_text){ "", 0 };
    return text_at(t, i);
}

struct pl_text pl_titles_name(const struct pl_titles *t, uint32_t index)
{
    return find(t, index, PL_TITLE_NAME);
}

struct pl_text pl_titles_help(const struct pl_titles *t, uint32_t index)
{
    return find(t, index, PL_TITLE_HELP);
}

const struct pl_object_facts *pl_default_facts(uint32_t index)
{
    static const struct pl_object_facts process = {
        .identity = { INDEX_ID_PROCESS, INDEX_ELAPSED },
        .num_identity = 2,
    };
    static const struct pl_object_facts thread = {
        .identity = { INDEX_ID_THREAD, INDEX_ELAPSED },
        .num_identity = 2,
    };
    static const struct pl_object_facts other = { 0 };

    if (index == INDEX_PROCESS)
        return &process;
    return index == INDEX_THREAD ? &thread : &other;
}

struct pl_object_facts pl_titles_facts(const struct pl_titles *t,
                                       uint32_t index)
{
    struct pl_text stored = find(t, index, PL_TITLE_FACTS);
    struct pl_object_facts f;

    if (!stored.n || !parse_facts(&f, (const uint8_t *)stored.p, stored.n))
        return *pl_default_facts(index);
    return f;
}

struct pl_counter_facts pl_counter_facts_of(const struct pl_object_facts *f,
                                            uint32_t counter_index)
{
    struct pl_counter_facts none = { counter_index, PL_NO_FLAG, PL_TOTAL_NONE };
    uint8_t key[sizeof counter_index];
    const uint8_t *found;

    if (!f->num_counters)
        return none;
    pl_put_le32(key, counter_index);
    found =
        bsearch(key, f->stored, f->num_counters, COUNTER_FACTS_LEN, by_index);
    return found
               ? (struct pl_counter_facts){ counter_index, found[4], found[5] }
               : none;
}

bool pl_titles_birth(const struct pl_titles *t, uint32_t index,
                     struct pl_birth_facts *out)
{
    struct pl_text stored = find(t, index, PL_TITLE_BIRTH);

    return stored.n && parse_birth(out, (const uint8_t *)stored.p, stored.n);
}

uint8_t pl_titles_left_out(const struct pl_titles *t, uint32_t index)
{
    struct pl_text stored = find(t, index, PL_TITLE_LEFT_OUT);

    return stored.n ? (uint8_t)*stored.p : PL_NO_FLAG;
}

bool pl_starts_at_zero(const struct pl_birth_facts *b, uint32_t counter_index)
{
    uint8_t key[sizeof counter_index];

    if (!b->num_zeros)
        return false;
    pl_put_le32(key, counter_index);
    return bsearch(key, b->stored, b->num_zeros, ZERO_LEN, by_index) != NULL;
}
