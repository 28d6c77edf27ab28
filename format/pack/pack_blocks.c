/* Puts the blocks of a pack together. */
#include "format/pack/pack_decoder.h"

#include "format/base/array.h"
#include "format/pack/pack_decoder_state.h"
#include "format/pack/pack_words.h"

#include <stdlib.h>
#include <string.h>

enum {
    WORD = PL_PACK_WORD,
    NEAR = 16, /* places that are looked at one by one */
};

/* A layout as it is read. */
struct layout {
    struct pl_cur *from;
    size_t len;      /* bytes of the block */
    size_t left;     /* words of it that are not yet described */
    size_t expected; /* the word after the last one that predicted */
};

/* Words that are new, or that words of the block before predict. */
struct run {
    bool is_new;
    size_t src, len;
};

static bool begin_layout(struct layout *l, struct pl_cur *from)
{
    uint64_t len = pl_cur_varint(from);

    *l = (struct layout){ from, (size_t)len, (size_t)len / WORD, 0 };
    return !from->bad && len <= PL_MAX_PAYLOAD;
}

static bool next_run(struct layout *l, struct run *run)
{
    uint64_t v = pl_cur_varint(l->from);

    *run = (struct run){ .is_new = v & 1, .len = (size_t)(v >> 1) };
    if (!run->is_new)
        run->src = l->expected + (size_t)pl_unzigzag(pl_cur_varint(l->from));
    if (l->from->bad || !run->len || v >> 1 > l->left)
        return false;
    l->left -= run->len;
    if (!run->is_new)
        l->expected = run->src + run->len;
    return true;
}

/* A row of 'left' new words. */
static bool next_row(struct layout *l, size_t *left, uint64_t *len,
                     uint64_t *group)
{
    *len = pl_cur_varint(l->from);
    *group = pl_cur_varint(l->from);
    if (l->from->bad || !*len || *len > *left)
        return false;
    *left -= (size_t)*len;
    return true;
}

/* Read all of a layout. */
static bool pass_layout(struct layout *l)
{
    struct run run;
    uint64_t len, group;

    while (l->left) {
        if (!next_run(l, &run))
            return false;
        for (size_t left = run.is_new ? run.len : 0; left;)
            if (!next_row(l, &left, &len, &group))
                return false;
    }
    return true;
}

/* ---- columns --------------------------------------------------------------- */

/* Each new word is stored, so that few bytes cannot ask for many rows. */
static size_t most_series(const struct pl_pack_decoder *d)
{
    size_t bytes = d->parts[PL_PACK_WORDS].left;
    size_t most = PL_MAX_PAYLOAD / WORD;

    if (d->is_old)
        return bytes / WORD;
    return bytes < most ? bytes : most;
}

static enum pl_status read_rows_of(struct pl_pack_decoder *d, struct layout *l)
{
    const size_t most = most_series(d);
    struct run run;

    while (l->left) {
        if (!next_run(l, &run))
            return PL_CORRUPT;
        for (size_t left = run.is_new ? run.len : 0; left;) {
            uint64_t len, group;
            enum pl_status s = PL_CORRUPT;

            if (next_row(l, &left, &len, &group) &&
                len <= most - d->rows.num_series)
                s = pl_pack_rows_add(&d->rows, len, group, 0);
            if (s)
                return s;
        }
    }
    return PL_OK;
}

/* The rows of all samples, whose layouts follow one another. */
static enum pl_status read_rows(struct pl_pack_decoder *d)
{
    struct pl_cur all = d->parts[PL_PACK_LAYOUTS];
    enum pl_status s = PL_OK;

    while (all.left && !s) {
        struct layout l;

        s = begin_layout(&l, &all) ? read_rows_of(d, &l) : PL_CORRUPT;
    }
    return s;
}

/* Find where the next column's runs and changes begin, and pass them. */
static bool read_column(struct pl_pack_decoder *d, struct pl_pack_column *c,
                        uint64_t form)
{
    struct pl_cur *r = &d->parts[PL_PACK_RUNS];
    struct pl_cur *changes = &d->parts[PL_PACK_CHANGES];
    uint64_t runs = form / PL_PACK_RUN, steps = 0;

    if (!runs || runs > d->head.records)
        return false;
    *c = (struct pl_pack_column){
        .run = (uint32_t)(r->p - d->runs),
        .change = (uint32_t)(changes->p - d->changes),
        .form = (uint16_t)form,
        .sample = PL_PACK_NEVER,
    };
    for (; runs; runs--) {
        uint64_t unchanged = pl_cur_varint(r), changed = pl_cur_varint(r);

        if (r->bad || !changed || unchanged > d->head.records ||
            changed > d->head.records)
            return false;
        steps += unchanged + changed;
        if (steps > d->head.records) /* before so many are read */
            return false;
        pl_cur_pass_varints(changes, (size_t)changed);
    }
    return !changes->bad;
}

/* The columns in their order, as long as there are any. */
static enum pl_status read_columns(struct pl_pack_decoder *d)
{
    struct pl_cur *series = &d->parts[PL_PACK_SERIES];
    struct pl_cur *forms = d->is_old ? series : &d->parts[PL_PACK_FORMS];
    struct pl_cur *scales = d->is_old ? series : &d->parts[PL_PACK_SCALES];
    struct pl_pack_source *field = d->sources.fields;
    uint64_t at = 0;

    for (size_t i = 0; series->left; i++) {
        struct pl_pack_column *c = &d->columns[i];
        uint64_t passed = pl_cur_varint(series);
        uint64_t form = pl_cur_varint(forms);
        uint64_t scale = pl_cur_varint(scales);

        if (series->bad || forms->bad || scales->bad || i == d->num_columns ||
            passed >= d->rows.num_series - at || !read_column(d, c, form))
            return PL_CORRUPT;
        c->scale = scale;
        d->word_of[i] = PL_PACK_NOWHERE;
        at += passed;
        while (field[1].next <= at)
            (++field)->column = (uint32_t)i;
        d->has_column[at / 8] |= (uint8_t)(1u << at % 8);
        at++;
        d->num_listed = i + 1;
    }
    return PL_OK;
}

static enum pl_status make_columns(struct pl_pack_decoder *d, size_t num)
{
    size_t most = d->parts[PL_PACK_RUNS].left / 2;

    d->num_columns = most < num ? most : num;
    d->runs = d->parts[PL_PACK_RUNS].p;
    d->changes = d->parts[PL_PACK_CHANGES].p;
    if (!pl_array_reserve((void **)&d->columns, &d->columns_cap,
                          d->num_columns + 1, sizeof *d->columns) ||
        !pl_array_reserve((void **)&d->word_of, &d->word_of_cap,
                          d->num_columns + 1, sizeof *d->word_of) ||
        !pl_array_reserve((void **)&d->has_column, &d->has_column_cap,
                          num / 8 + 1, 1))
        return PL_NOMEM;
    memset(d->has_column, 0, num / 8 + 1);
    return pl_pack_sources_make(&d->sources, &d->rows);
}

static enum pl_status find_words(struct pl_pack_decoder *d)
{
    d->words = d->parts[PL_PACK_WORDS].p;
    return d->is_old ? PL_OK
                     : pl_pack_words_find(&d->sources, d->rows.num_groups,
                                          &d->parts[PL_PACK_WORDS]);
}

static enum pl_status prepare_columns(struct pl_pack_decoder *d)
{
    enum pl_status s = read_rows(d);
    size_t num = d->rows.num_series;

    if (!s)
        s = make_columns(d, num);
    if (!s)
        s = find_words(d);
    if (!s)
        s = read_columns(d);
    if (!s)
        s = pl_pack_make_steps(d);
    d->has_columns = !s;
    return s;
}

/* ---- blocks ---------------------------------------------------------------- */

/* The first place at word 'at' or after it, mostly 'guess'. */
static size_t place_from(const struct pl_pack_decoder *d, size_t at,
                         size_t guess)
{
    size_t low = 0, high = d->num_places;

    if (guess <= high && (!guess || d->places[guess - 1].at < at))
        for (size_t i = guess; i < guess + NEAR; i++)
            if (i == high || d->places[i].at >= at)
                return i;
    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (d->places[mid].at < at)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* Go on with the places from 'first' to before 'last', 'by' words later. */
static void move_places(struct pl_pack_decoder *d, size_t first, size_t last,
                        size_t by)
{
    struct pl_pack_place *to = d->next_places + d->num_next;

    memcpy(to, d->places + first, (last - first) * sizeof *to);
    d->num_next += last - first;
    for (size_t i = 0; by && i < last - first; i++) {
        to[i].at += (uint32_t)by;
        d->word_of[to[i].column] = to[i].at;
    }
}

/* No word predicts two others: each goes on with one series, and so a column has
 * one place. */
static bool copy_words(struct pl_pack_decoder *d, const struct run *run,
                       size_t at, const struct pl_buf *before, uint8_t *block,
                       size_t *passed)
{
    size_t words = d->block_len / WORD, first;

    if (run->len > words || run->src > words - run->len ||
        memchr(d->used + run->src, 1, run->len))
        return false;
    memset(d->used + run->src, 1, run->len);
    memcpy(block + at * WORD, before->p + run->src * WORD, run->len * WORD);
    first = place_from(d, run->src, *passed);
    *passed = place_from(d, run->src + run->len, first);
    move_places(d, first, *passed, at - run->src);
    return true;
}

static void begin_column(struct pl_pack_decoder *d, uint32_t column, size_t at)
{
    d->word_of[column] = (uint32_t)at;
    d->next_places[d->num_next++] =
        (struct pl_pack_place){ column, (uint32_t)at };
    pl_pack_begin_steps(d, column);
    pl_pack_fetch(d->columns + column + 2); /* mostly of the next such row */
}

/* Of a row at 'at', whose words have been taken; 'field' is that of its last one. */
static void begin_columns(struct pl_pack_decoder *d,
                          struct pl_pack_source *field, size_t at, size_t len)
{
    for (field += len; len; len--, at++) {
        const uint32_t series = (--field)->next - 1;

        if (d->has_column[series / 8] >> series % 8 & 1)
            begin_column(d, field->column++, at);
    }
}

/* The words of a row, as its fields have them, or as they are. */
static bool put_row(struct pl_pack_decoder *d, uint64_t group, size_t at,
                    size_t len, uint8_t *block)
{
    struct pl_pack_source *field = pl_pack_sources_of(&d->sources, group);
    const uint8_t *p;

    if (!d->is_old) {
        pl_pack_words_take(field, d->words, len, block + at * WORD);
    } else {
        p = pl_cur_take(&d->parts[PL_PACK_WORDS], len * WORD);
        if (!p)
            return false;
        memcpy(block + at * WORD, p, len * WORD);
        for (size_t i = 0; i < len; i++)
            field[i].next++;
    }
    begin_columns(d, field, at, len);
    return true;
}

static bool put_words(struct pl_pack_decoder *d, struct layout *l,
                      const struct run *run, size_t at, uint8_t *block)
{
    uint64_t len, group;

    for (size_t left = run->len; left; at += (size_t)len)
        if (!next_row(l, &left, &len, &group) ||
            !put_row(d, group, at, (size_t)len, block))
            return false;
    return true;
}

/* Bytes after the last complete word. */
static bool put_rest(struct pl_pack_decoder *d, size_t len, uint8_t *block)
{
    const uint8_t *p = pl_cur_take(&d->parts[PL_PACK_WORDS], len % WORD);

    if (p)
        memcpy(block + len / WORD * WORD, p, len % WORD);
    return p != NULL;
}

static enum pl_status make_decoder_room(struct pl_pack_decoder *d, size_t words)
{
    size_t places = words < d->num_listed ? words : d->num_listed;

    if (!pl_array_reserve((void **)&d->places, &d->places_cap, places + 1,
                          sizeof *d->places) ||
        !pl_array_reserve((void **)&d->next_places, &d->next_cap, places + 1,
                          sizeof *d->next_places) ||
        !pl_array_reserve((void **)&d->used, &d->used_cap, words + 1, 1))
        return PL_NOMEM;
    return PL_OK;
}

static void swap_places(struct pl_pack_decoder *d)
{
    struct pl_pack_place *places = d->places;
    size_t cap = d->places_cap;

    d->places = d->next_places;
    d->places_cap = d->next_cap;
    d->num_places = d->num_next;
    d->next_places = places;
    d->next_cap = cap;
}

/* Columns whose words go on nowhere change nothing any more.  Such words lie
 * together, and are few. */
static void end_columns(struct pl_pack_decoder *d)
{
    const size_t words = d->block_len / WORD;
    const uint8_t *end = d->used + words, *left = d->used;
    size_t at = 0;

    while (words && (left = memchr(left, 0, (size_t)(end - left)))) {
        const uint8_t *on = memchr(left, 1, (size_t)(end - left));
        const size_t last = (size_t)((on ? on : end) - d->used);

        at = place_from(d, (size_t)(left - d->used), at);
        for (; at < d->num_places && d->places[at].at < last; at++) {
            const uint32_t column = d->places[at].column;

            d->word_of[column] = PL_PACK_NOWHERE;
            d->columns[column].sample = PL_PACK_NEVER;
        }
        if (!on)
            break;
        left = on;
    }
}

/* A block that is laid out in another way than the one before. */
static bool lay_out(struct pl_pack_decoder *d, struct layout *l,
                    const struct pl_buf *before, uint8_t *block)
{
    struct run run;
    size_t passed = 0;

    d->num_next = 0;
    memset(d->used, 0, d->block_len / WORD);
    for (size_t at = 0; l->left; at += run.len)
        if (!next_run(l, &run) ||
            !(run.is_new ? put_words(d, l, &run, at, block)
                         : copy_words(d, &run, at, before, block, &passed)))
            return false;
    end_columns(d);
    swap_places(d);
    pl_pack_take_steps(d, block);
    return true;
}

static enum pl_status change_layout(struct pl_pack_decoder *d,
                                    const struct pl_buf *before, uint64_t most,
                                    struct pl_buf *out)
{
    struct layout l;
    uint8_t *room;
    enum pl_status s;

    if (!begin_layout(&l, &d->parts[PL_PACK_LAYOUTS]))
        return PL_CORRUPT;
    if (l.len > most)
        return PL_TOO_LARGE;
    s = make_decoder_room(d, l.len / WORD > d->block_len / WORD
                                 ? l.len / WORD
                                 : d->block_len / WORD);
    room = s ? NULL : pl_buf_room(out, l.len + 1);
    if (!room)
        return PL_NOMEM;
    if (!lay_out(d, &l, before, room) || !put_rest(d, l.len, room))
        return PL_CORRUPT;
    d->block_len = out->len = l.len;
    return PL_OK;
}

static enum pl_status keep_layout(struct pl_pack_decoder *d,
                                  const struct pl_buf *before,
                                  struct pl_buf *out)
{
    size_t words = d->block_len / WORD;
    uint8_t *room = pl_buf_room(out, d->block_len + 1);

    if (!room)
        return PL_NOMEM;
    memcpy(room, before->p, words * WORD);
    pl_pack_take_steps(d, room);
    if (!put_rest(d, d->block_len, room))
        return PL_CORRUPT;
    out->len = d->block_len;
    return PL_OK;
}

static enum pl_status make_block(struct pl_pack_decoder *d,
                                 const struct pl_buf *before, uint64_t most,
                                 struct pl_buf *out)
{
    enum pl_status s = d->has_columns ? PL_OK : prepare_columns(d);

    if (s)
        return s;
    if (d->is_over)
        return PL_CORRUPT;
    if (d->sample > 1 && (!before || before->len != d->block_len))
        return PL_CORRUPT; /* one was left out */
    if (d->kind & PL_PACK_HAS_LAYOUT)
        return change_layout(d, before, most, out);
    return d->sample > 1 ? keep_layout(d, before, out) : PL_CORRUPT;
}

enum pl_status pl_pack_decoder_block(struct pl_pack_decoder *d,
                                     const struct pl_buf *before, uint64_t most,
                                     struct pl_record *record,
                                     struct pl_buf *out)
{
    enum pl_status s;

    pl_buf_clear(out);
    s = make_block(d, d->sample > 1 ? before : NULL, most, out);
    d->is_over = s != PL_OK;
    if (s)
        return s;
    d->blocks += out->len;
    record->raw_len = (uint32_t)out->len;
    record->raw_hash = pl_hash(out->p, out->len, d->session);
#ifndef PL_UNHASHED
    if ((uint32_t)record->raw_hash != d->hash)
        return PL_CORRUPT;
#endif
    return d->blocks > PL_PACK_MAX_BLOCKS ? PL_CORRUPT : PL_OK;
}

enum pl_status pl_pack_decoder_pass(struct pl_pack_decoder *d,
                                    struct pl_record *record)
{
    struct layout l;

    d->is_over = true;
    if (d->kind & PL_PACK_HAS_LAYOUT) {
        if (!begin_layout(&l, &d->parts[PL_PACK_LAYOUTS]) || !pass_layout(&l))
            return PL_CORRUPT;
        d->block_len = l.len;
    }
    record->raw_len = (uint32_t)d->block_len;
    return PL_OK;
}
