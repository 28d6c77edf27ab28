/* Names of metrics, from names of objects and counters. */
#include "analyze/push/metric_name.h"

#include "format/base/array.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longer names are cut, and end in a hash as those that are taken. */
enum { MOST_LETTERS = 200 };

/* ---- the table of units --------------------------------------------------- */

/* Counters whose names do not say their unit. */
static const struct unit {
    const char *counter, *unit;
} units[] = {
    { "Working Set", "bytes" },
    { "Working Set Peak", "bytes" },
    { "Working Set - Private", "bytes" },
    { "Commit Limit", "bytes" },
    { "MTU", "bytes" },
    { "Elapsed Time", "seconds" },
    { "System Up Time", "seconds" },
    { "Current Bandwidth", "bits_per_second" },
    { "Current Frequency", "megahertz" },
    { "Processor Limit", "percent" },
};

static const char *unit_of(const char *counter)
{
    if (*counter == '%')
        return "percent";
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (!strcmp(units[i].counter, counter))
            return units[i].unit;
    return NULL;
}

/* ---- letters ------------------------------------------------------------- */

static bool is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_letter(char c)
{
    return is_lower(c) || is_upper(c) || (c >= '0' && c <= '9');
}

/* Words begin after anything else, and within PhysicalDisk. */
static bool begins_word(const char *text, size_t i)
{
    return !i || !is_letter(text[i - 1]) ||
           (is_upper(text[i]) && is_lower(text[i - 1]));
}

/* I/O is a word, with its slash. */
static size_t word_length(const char *word)
{
    size_t n = strncmp(word, "I/O", 3) ? 1 : 3;

    while (is_letter(word[n]) && !(is_upper(word[n]) && is_lower(word[n - 1])))
        n++;
    return n;
}

static void put_word(struct pl_buf *b, const char *word, size_t n, bool per)
{
    if (per)
        pl_buf_bytes(b, "_per", 4);
    pl_buf_u8(b, '_');
    for (size_t i = 0; i < n; i++)
        if (is_letter(word[i]))
            pl_buf_u8(b, (uint8_t)(is_upper(word[i]) ? word[i] - 'A' + 'a'
                                                     : word[i]));
    if (n == 3 && !memcmp(word, "sec", 3))
        pl_buf_bytes(b, "onds", per ? 3 : 4);
}

/* The words of a name, each after an underscore; '/' is "per". */
static void put_words(struct pl_buf *b, const char *text)
{
    bool per = false;

    for (size_t i = 0; text[i]; i++) {
        if (is_letter(text[i]) && begins_word(text, i)) {
            size_t n = word_length(text + i);

            put_word(b, text + i, n, per);
            i += n - 1;
            per = false;
        }
        per |= text[i] == '/' && i;
    }
}

void pl_metric_name_put(struct pl_buf *b, const char *object,
                        const char *counter)
{
    const char *unit = unit_of(counter);

    pl_buf_bytes(b, "perflog", 7);
    put_words(b, object);
    put_words(b, counter);
    if (unit) {
        pl_buf_u8(b, '_');
        pl_buf_string(b, unit);
    }
}

/* ---- one counter each ---------------------------------------------------- */

static uint64_t hash_text(uint64_t h, const char *text)
{
    for (; *text; text++) /* FNV-1a */
        h = (h ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
    return (h ^ '/') * UINT64_C(0x100000001b3);
}

static uint64_t hash_of_name(const char *text)
{
    return hash_text(UINT64_C(0xcbf29ce484222325), text);
}

/* Where 'name' is in the table, or would be. */
static size_t place_of_name(const struct pl_metric_names *m, const char *name)
{
    size_t i = (size_t)hash_of_name(name) & (m->cap_taken - 1);

    while (m->taken[i] && strcmp(m->taken[i], name) != 0)
        i = (i + 1) & (m->cap_taken - 1);
    return i;
}

/* Keep the table at most half full.  False: out of memory. */
static bool make_name_room(struct pl_metric_names *m)
{
    struct pl_metric_names larger = *m;

    if (2 * (m->num_taken + 1) <= m->cap_taken)
        return true;
    larger.cap_taken = m->cap_taken ? 2 * m->cap_taken : 256;
    larger.taken = calloc(larger.cap_taken, sizeof *larger.taken);
    if (!larger.taken)
        return false;
    for (size_t i = 0; i < m->cap_taken; i++)
        if (m->taken[i])
            larger.taken[place_of_name(&larger, m->taken[i])] = m->taken[i];
    free(m->taken);
    *m = larger;
    return true;
}

/*
 * A name that has lost letters says too little: it would be another counter's
 * where that one comes first.
 */
static bool loses_letters(const char *text)
{
    while (*text && (uint8_t)*text < 0x80)
        text++;
    return *text != 0;
}

/* The name in m->text, made different from all others. */
static char *take_name(struct pl_metric_names *m, const char *object,
                       const char *counter)
{
    char *name = NULL;

    pl_buf_u8(&m->text, 0);
    if (m->text.oom || !make_name_room(m))
        return NULL;
    if (m->text.len > MOST_LETTERS + 1 || loses_letters(object) ||
        loses_letters(counter) ||
        m->taken[place_of_name(m, (const char *)m->text.p)]) {
        char hash[24];
        int n = snprintf(hash, sizeof hash, "_%016" PRIx64,
                         hash_text(hash_of_name(object), counter));

        m->text.len =
            m->text.len > MOST_LETTERS ? MOST_LETTERS : m->text.len - 1;
        pl_buf_bytes(&m->text, hash, (size_t)n + 1);
    }
    name = m->text.oom ? NULL : strdup((const char *)m->text.p);
    if (name && !m->taken[place_of_name(m, name)]) {
        m->taken[place_of_name(m, name)] = name;
        m->num_taken++;
    }
    return name;
}

static struct pl_object_metrics *metrics_of(struct pl_metric_names *m,
                                            const struct pl_object_names *o,
                                            uint32_t slot)
{
    struct pl_object_metrics *all;

    if (!pl_array_reserve((void **)&m->objects, &m->cap_objects,
                          (size_t)o->rank + 1, sizeof *m->objects))
        return NULL;
    for (; m->num_objects <= o->rank; m->num_objects++)
        m->objects[m->num_objects] = (struct pl_object_metrics){ 0 };
    all = &m->objects[o->rank];
    if (slot >= all->num) {
        uint32_t num = o->num_counters > slot ? o->num_counters : slot + 1;

        if (!pl_array_reserve((void **)&all->names, &all->cap, num,
                              sizeof *all->names))
            return NULL;
        while (all->num < num)
            all->names[all->num++] = NULL;
    }
    return all;
}

const char *pl_metric_name(struct pl_metric_names *m,
                           const struct pl_object_names *o, uint32_t slot)
{
    struct pl_object_metrics *all = metrics_of(m, o, slot);
    const char *counter = o->counters[slot].name;

    if (!all)
        return NULL;
    if (!all->names[slot]) {
        pl_buf_clear(&m->text);
        pl_metric_name_put(&m->text, o->name, counter);
        all->names[slot] = take_name(m, o->name, counter);
    }
    return all->names[slot];
}

void pl_metric_names_release(struct pl_metric_names *m)
{
    for (size_t i = 0; i < m->num_objects; i++) {
        for (uint32_t k = 0; k < m->objects[i].num; k++)
            free(m->objects[i].names[k]);
        free(m->objects[i].names);
    }
    free(m->objects);
    free(m->taken);
    pl_buf_release(&m->text);
    *m = (struct pl_metric_names){ 0 };
}
