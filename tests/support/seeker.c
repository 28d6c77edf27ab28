/* Seeks compared with reading all. */
#include "tests/support/seeker.h"

#include "format/time/time_text.h"
#include "format/record/record.h"
#include "tests/support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t number_of(const struct log *l, const struct pl_item *item,
                        size_t hint)
{
    for (size_t i = 0; i < l->num_samples; i++) {
        size_t k = (hint + i) % l->num_samples;

        if (l->samples[k].boot_ns == item->record.boot_ns)
            return k;
    }
    ck_abort_msg("a sample nobody took");
    return 0;
}

/* All of 'path', or what comes from '*utc' on. */
static void read_from(const struct log *l, const char *path, const int64_t *utc,
                      struct order *o)
{
    struct pl_reader *r;
    struct pl_item item;
    bool reported = false; /* who recorded */
    size_t i = 0;

    o->num = 0;
    if (pl_reader_open(&r, path, NULL))
        ck_abort_msg("%s cannot be opened", path);
    if (utc && pl_reader_seek(r, *utc))
        ck_abort_msg("a seek failed");
    while (!pl_reader_next(r, &item)) {
        const struct sample *s;

        reported |= item.kind == PL_ITEM_SESSION;
        if (item.kind != PL_ITEM_SAMPLE)
            continue;
        i = number_of(l, &item, i);
        s = &l->samples[i];
        if (item.block->len != s->block.len ||
            memcmp(item.block->p, s->block.p, s->block.len) != 0 ||
            o->num == l->num_samples)
            ck_abort_msg("sample %zu is wrong, or one too many", i);
        o->titled[o->num] = reported && pl_reader_has_session(r) &&
                            pl_titles_name(pl_reader_titles(r), 230).n;
        o->numbers[o->num++] = i;
    }
    pl_reader_close(r);
}

static size_t first_wanted(const struct log *l, const struct order *o,
                           int64_t utc)
{
    size_t i = 0;

    while (i < o->num && l->samples[o->numbers[i]].utc_ns < utc)
        i++;
    return i;
}

static void order_start(struct order *o, size_t n)
{
    o->numbers = calloc(n, sizeof *o->numbers);
    o->titled = calloc(n, sizeof *o->titled);
    ck_assert(o->numbers && o->titled);
}

void seek_start(struct seeker *s, const struct log *l, const char *path)
{
    *s = (struct seeker){ .log = l, .path = path };
    order_start(&s->all, l->num_samples);
    order_start(&s->some, l->num_samples);
    read_from(l, path, NULL, &s->all);
}

void seek_stop(struct seeker *s)
{
    free(s->all.numbers);
    free(s->all.titled);
    free(s->some.numbers);
    free(s->some.titled);
}

/* True if both ways give the same from the last sample before 'utc' on. */
static bool seek_is_true(struct seeker *s, int64_t utc)
{
    size_t i, from, n;

    read_from(s->log, s->path, &utc, &s->some);
    i = first_wanted(s->log, &s->all, utc);
    i -= i > 0;
    n = s->all.num - i;
    s->num_shorter += s->some.num < s->all.num;
    if (s->some.num < n)
        return false;
    from = s->some.num - n;
    for (size_t k = 0; k < n; k++)
        if (s->some.numbers[from + k] != s->all.numbers[i + k] ||
            s->some.titled[from + k] < s->all.titled[i + k])
            return false;
    return true;
}

void check_seek(struct seeker *s, int64_t utc)
{
    if (!seek_is_true(s, utc))
        ck_abort_msg("seek to %lld: %zu samples", (long long)utc, s->some.num);
}

void check_all(struct seeker *s, size_t step)
{
    const struct log *l = s->log;

    check_seek(s, INT64_MIN);
    for (size_t i = 0; i < l->num_samples; i += step) {
        check_seek(s, l->samples[i].utc_ns - 1);
        check_seek(s, l->samples[i].utc_ns);
        check_seek(s, l->samples[i].utc_ns + 1);
    }
    check_seek(s, INT64_MAX - 1);
}

/* ---- damage that must not matter ---------------------------------------- */

static void seek_around(struct seeker *s, size_t at, unsigned bit,
                        struct toll *t)
{
    const struct log *l = s->log;
    const struct sample *const places[] = { &l->samples[0],
                                            &l->samples[l->num_samples / 2],
                                            &l->samples[l->num_samples - 1] };

    for (size_t i = 0; i < 3; i++) {
        t->tried++;
        if (seek_is_true(s, places[i]->utc_ns))
            continue;
        if (!t->lost++)
            snprintf(t->first, sizeof t->first,
                     "byte %zu, bit %u: a seek gives something else", at, bit);
    }
}

void seek_past_damage(const struct log *l, size_t step, unsigned bits,
                      struct toll *t)
{
    struct scratch file;
    struct seeker s;

    scratch_open(&file, "hints");
    scratch_set(&file, l->bytes, l->len);
    seek_start(&s, l, file.path);
    for (size_t i = 0; i < l->num_records; i++) {
        const struct whole_record *w = &l->records[i];

        if (w->record.type != PL_INDX && w->record.type != PL_ENDS)
            continue;
        for (size_t at = w->at; at < w->at + w->len; at += step)
            for (unsigned k = 0; k < bits; k++) {
                unsigned bit = (unsigned)(at + k) % 8;

                scratch_poke(&file, at, (uint8_t)(l->bytes[at] ^ 1u << bit));
                seek_around(&s, at, bit, t);
                scratch_poke(&file, at, l->bytes[at]);
            }
    }
    seek_stop(&s);
    scratch_close(&file);
}
