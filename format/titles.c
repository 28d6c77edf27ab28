/* The title database: a sorted array of (index, kind, language) -> bytes. */
#include "format/titles.h"

#include "format/cursor.h"
#include "format/winperf.h"

#include <stdlib.h>
#include <string.h>

enum { NO_FACTS = UINT32_MAX };

struct entry {
    uint32_t index;
    uint16_t kind;
    uint16_t language;
    uint32_t at;  /* in 'bytes' */
    uint32_t len; /* of kind PL_TITLE_FACTS: place in 'facts' */
};

/* Hundreds of thousands of entries may come of a payload of a few MiB. */
struct pl_titles {
    struct entry *entries;
    size_t num, cap;
    struct pl_buf bytes;
    struct facts {
        struct pl_object_facts parsed; /* with counters of its own */
        uint32_t len;                  /* in 'bytes' */
    } * facts;
    size_t num_facts, cap_facts;
};

enum { INDEX_PROCESS = 230, INDEX_THREAD = 232, INDEX_ID_PROCESS = 784 };
enum { INDEX_ID_THREAD = 804, INDEX_ELAPSED = 684 };

enum pl_status pl_titles_new(struct pl_titles **out)
{
    *out = calloc(1, sizeof **out);
    return *out ? PL_OK : PL_NOMEM;
}

static void release_facts(struct pl_object_facts *f)
{
    free((void *)(uintptr_t)f->counters);
    *f = (struct pl_object_facts){ 0 };
}

static void clear(struct pl_titles *t)
{
    for (size_t i = 0; i < t->num_facts; i++)
        release_facts(&t->facts[i].parsed);
    t->num_facts = t->num = 0;
    pl_buf_clear(&t->bytes);
}

void pl_titles_free(struct pl_titles *t)
{
    if (!t)
        return;
    clear(t);
    pl_buf_release(&t->bytes);
    free(t->facts);
    free(t->entries);
    free(t);
}

static int compare(const struct entry *e, uint32_t index, uint16_t kind,
                   uint16_t language)
{
    if (e->index != index)
        return e->index < index ? -1 : 1;
    if (e->kind != kind)
        return e->kind < kind ? -1 : 1;
    if (e->language != language)
        return e->language < language ? -1 : 1;
    return 0;
}

/* First entry not below the key. */
static size_t lower_bound(const struct pl_titles *t, uint32_t index,
                          uint16_t kind, uint16_t language)
{
    size_t low = 0, high = t->num;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (compare(&t->entries[mid], index, kind, language) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* Where the key's entry is, made if there is none; NULL: out of memory. */
static struct entry *place(struct pl_titles *t, uint32_t index, uint16_t kind,
                           uint16_t language)
{
    size_t at;

    /* Payloads are sorted, so nearly every entry belongs at the end. */
    if (t->num && compare(&t->entries[t->num - 1], index, kind, language) < 0)
        at = t->num;
    else
        at = lower_bound(t, index, kind, language);
    if (at < t->num && !compare(&t->entries[at], index, kind, language))
        return &t->entries[at];
    if (t->num == t->cap) {
        size_t cap = t->cap ? t->cap * 2 : 64;
        struct entry *grown = realloc(t->entries, cap * sizeof *grown);

        if (!grown)
            return NULL;
        t->entries = grown;
        t->cap = cap;
    }
    memmove(t->entries + at + 1, t->entries + at,
            (t->num - at) * sizeof *t->entries);
    t->num++;
    t->entries[at] = (struct entry){
        .index = index, .kind = kind, .language = language, .len = NO_FACTS
    };
    return &t->entries[at];
}

static enum pl_status set(struct pl_titles *t, uint32_t index, uint16_t kind,
                          uint16_t language, const char *p, size_t n,
                          struct entry **placed)
{
    size_t at = t->bytes.len;
    struct entry *e;

    pl_buf_bytes(&t->bytes, p, n);
    e = t->bytes.oom ? NULL : place(t, index, kind, language);
    if (!e) {
        t->bytes.oom = false;
        t->bytes.len = at;
        return PL_NOMEM;
    }
    e->at = (uint32_t)at;
    *placed = e;
    return PL_OK;
}

static enum pl_status set_text(struct pl_titles *t, uint32_t index,
                               uint16_t kind, uint16_t language, const char *p,
                               size_t n)
{
    struct entry *e;
    enum pl_status s = set(t, index, kind, language, p, n, &e);

    if (!s)
        e->len = (uint32_t)n;
    return s;
}

enum pl_status pl_titles_set(struct pl_titles *t, uint32_t index,
                             enum pl_title_kind kind, uint16_t language,
                             struct pl_text text)
{
    return set_text(t, index, (uint16_t)kind, language, text.p, text.n);
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

static int by_index(const void *x, const void *y)
{
    const struct pl_counter_facts *a = x, *b = y;

    return a->index < b->index ? -1 : a->index > b->index;
}

/* PL_CORRUPT if the bytes do not add up; the defaults then stand. */
static enum pl_status parse_facts(struct pl_object_facts *f, const char *p,
                                  size_t n)
{
    struct pl_cur c = pl_cur_of(p, n);
    uint8_t num_identity = pl_cur_u8(&c);
    struct pl_counter_facts *counters;

    if (num_identity > PL_MAX_IDENTITY)
        return PL_CORRUPT;
    for (size_t i = 0; i < num_identity; i++)
        f->identity[i] = pl_cur_u32(&c);
    f->flags_counter = pl_cur_u32(&c);
    if (c.bad || c.left % COUNTER_FACTS_LEN)
        return PL_CORRUPT;
    f->num_counters = c.left / COUNTER_FACTS_LEN;
    counters = malloc(f->num_counters * sizeof *counters + 1);
    if (!counters)
        return PL_NOMEM;
    for (size_t i = 0; i < f->num_counters; i++) {
        counters[i].index = pl_cur_u32(&c);
        counters[i].flag_bit = pl_cur_u8(&c);
        counters[i].total_rule = pl_cur_u8(&c);
    }
    if (f->num_counters)
        qsort(counters, f->num_counters, sizeof *counters, by_index);
    f->counters = counters;
    f->num_identity = num_identity;
    return PL_OK;
}

static bool reserve_facts(struct pl_titles *t)
{
    size_t cap = t->cap_facts ? t->cap_facts * 2 : 16;
    struct facts *grown;

    if (t->num_facts < t->cap_facts)
        return true;
    grown = realloc(t->facts, cap * sizeof *grown);
    if (!grown)
        return false;
    t->facts = grown;
    t->cap_facts = cap;
    return true;
}

/* Store the bytes of an object's facts and what they mean. */
static enum pl_status set_facts_bytes(struct pl_titles *t, uint32_t index,
                                      uint16_t language, const char *p,
                                      size_t n)
{
    struct pl_object_facts facts = { 0 };
    struct entry *e = NULL;
    enum pl_status s;

    if (t->num_facts == PL_MAX_OBJECTS)
        return PL_OK; /* of more objects than a block may have */
    s = parse_facts(&facts, p, n);
    if (s == PL_CORRUPT)
        return PL_OK; /* as if it were not there */
    if (!s && !reserve_facts(t))
        s = PL_NOMEM;
    if (!s)
        s = set(t, index, PL_TITLE_FACTS, language, p, n, &e);
    if (s) {
        release_facts(&facts);
        return s;
    }
    if (e->len == NO_FACTS)
        e->len = (uint32_t)t->num_facts++;
    else
        release_facts(&t->facts[e->len].parsed);
    t->facts[e->len] = (struct facts){ facts, (uint32_t)n };
    return PL_OK;
}

enum pl_status pl_titles_set_facts(struct pl_titles *t, uint32_t index,
                                   const struct pl_object_facts *facts)
{
    struct pl_buf b = { 0 };
    enum pl_status s;

    write_facts(facts, &b);
    s = b.oom ? PL_NOMEM
              : set_facts_bytes(t, index, 0, (const char *)b.p, b.len);
    pl_buf_release(&b);
    return s;
}

/* ---- payload ------------------------------------------------------------- */

enum pl_status pl_titles_parse(struct pl_titles *t, const uint8_t *p, size_t n)
{
    struct pl_cur c = pl_cur_of(p, n);

    clear(t);
    while (c.left) {
        uint64_t index = pl_cur_varint(&c);
        uint8_t kind = pl_cur_u8(&c);
        uint16_t language = pl_cur_u16(&c);
        uint64_t len = pl_cur_varint(&c);
        const uint8_t *text;
        enum pl_status s = PL_OK;

        if (c.bad || index > UINT32_MAX || len > c.left ||
            t->num == PL_MAX_TITLES ||
            (t->num && compare(&t->entries[t->num - 1], (uint32_t)index, kind,
                               language) >= 0))
            return PL_CORRUPT;
        text = pl_cur_take(&c, (size_t)len);
        if (kind == PL_TITLE_FACTS)
            s = set_facts_bytes(t, (uint32_t)index, language,
                                (const char *)text, (size_t)len);
        else if (kind <= PL_TITLE_HELP)
            s = set_text(t, (uint32_t)index, kind, language, (const char *)text,
                         (size_t)len);
        if (s)
            return s;
    }
    return PL_OK;
}

static void write_entry(const struct pl_titles *t, const struct entry *e,
                        struct pl_buf *out)
{
    uint32_t len = e->kind == PL_TITLE_FACTS ? t->facts[e->len].len : e->len;

    pl_buf_varint(out, e->index);
    pl_buf_u8(out, (uint8_t)e->kind);
    pl_buf_u16(out, e->language);
    pl_buf_varint(out, len);
    if (len)
        pl_buf_bytes(out, t->bytes.p + e->at, len);
}

void pl_titles_write(const struct pl_titles *t, struct pl_buf *out)
{
    for (size_t i = 0; i < t->num; i++)
        write_entry(t, &t->entries[i], out);
}

void pl_titles_write_some(const struct pl_titles *t, const uint32_t *indexes,
                          size_t n, struct pl_buf *out)
{
    size_t k = 0;

    for (size_t i = 0; i < t->num; i++) {
        while (k < n && indexes[k] < t->entries[i].index)
            k++;
        if (k < n && indexes[k] == t->entries[i].index)
            write_entry(t, &t->entries[i], out);
    }
}

/* ---- questions ----------------------------------------------------------- */

static const struct entry *find(const struct pl_titles *t, uint32_t index,
                                uint16_t kind)
{
    size_t any = lower_bound(t, index, kind, 0);
    size_t at = lower_bound(t, index, kind, PL_LANGUAGE_ENGLISH);

    if (at < t->num &&
        !compare(&t->entries[at], index, kind, PL_LANGUAGE_ENGLISH))
        return &t->entries[at];
    if (any < t->num && t->entries[any].index == index &&
        t->entries[any].kind == kind)
        return &t->entries[any];
    return NULL;
}

static struct pl_text text_of(const struct pl_titles *t, const struct entry *e)
{
    if (!e || !e->len)
        return (struct pl_text){ "", 0 };
    return (struct pl_text){ (const char *)t->bytes.p + e->at, e->len };
}

struct pl_text pl_titles_name(const struct pl_titles *t, uint32_t index)
{
    return text_of(t, find(t, index, PL_TITLE_NAME));
}

struct pl_text pl_titles_help(const struct pl_titles *t, uint32_t index)
{
    return text_of(t, find(t, index, PL_TITLE_HELP));
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

const struct pl_object_facts *pl_titles_facts(const struct pl_titles *t,
                                              uint32_t index)
{
    const struct entry *e = find(t, index, PL_TITLE_FACTS);

    return e ? &t->facts[e->len].parsed : pl_default_facts(index);
}

const struct pl_counter_facts *
pl_counter_facts_of(const struct pl_object_facts *f, uint32_t counter_index)
{
    struct pl_counter_facts key = { .index = counter_index };

    if (!f->num_counters)
        return NULL;
    return bsearch(&key, f->counters, f->num_counters, sizeof key, by_index);
}
