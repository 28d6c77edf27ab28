/* The fields of a pack, as a reader goes through them. */
#include "format/pack/pack_fields.h"

#include "format/base/array.h"

#include <stdlib.h>
#include <string.h>

void pl_pack_sources_release(struct pl_pack_sources *s)
{
    free(s->first);
    free(s->fields);
    *s = (struct pl_pack_sources){ 0 };
}

/* A group has as many fields as its longest row has words. */
static enum pl_status find_groups(struct pl_pack_sources *s,
                                  const struct pl_pack_rows *r)
{
    if (!pl_array_reserve((void **)&s->first, &s->first_cap,
                          (size_t)r->num_groups + 1, sizeof *s->first))
        return PL_NOMEM;
    memset(s->first, 0, ((size_t)r->num_groups + 1) * sizeof *s->first);
    for (size_t i = 0; i < r->num; i++) {
        uint32_t *longest = &s->first[r->rows[i].group + 1];

        if (*longest < r->rows[i].len)
            *longest = r->rows[i].len;
    }
    for (uint32_t g = 0; g < r->num_groups; g++)
        s->first[g + 1] += s->first[g];
    return PL_OK;
}

/* Set 'next' to the number of words: of all rows that are long enough. */
static void count_words(struct pl_pack_sources *s, const struct pl_pack_rows *r)
{
    for (size_t i = 0; i < r->num; i++)
        s->fields[s->first[r->rows[i].group] + r->rows[i].len - 1].next++;
    for (uint32_t g = 0; g < r->num_groups; g++)
        for (uint32_t f = s->first[g + 1] - 1; f > s->first[g]; f--)
            s->fields[f - 1].next += s->fields[f].next;
}

enum pl_status pl_pack_sources_make(struct pl_pack_sources *s,
                                    const struct pl_pack_rows *r)
{
    enum pl_status status = find_groups(s, r);
    uint32_t before = 0;

    if (status)
        return status;
    s->num = s->first[r->num_groups];
    if (!pl_array_reserve((void **)&s->fields, &s->fields_cap, s->num + 1,
                          sizeof *s->fields))
        return PL_NOMEM;
    memset(s->fields, 0, (s->num + 1) * sizeof *s->fields);
    count_words(s, r);
    for (size_t f = 0; f <= s->num; f++) {
        const uint32_t here = s->fields[f].next;

        s->fields[f].next = before;
        before += here;
    }
    return PL_OK;
}
