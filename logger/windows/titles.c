/* Titles of recorded objects, each looked up once. */
#include "logger/windows/titles.h"

enum { NUM_LISTS = 2, NUM_KINDS = 2, MOST_INDEXES = 1 << 22 };

enum pl_status pl_labels_init(struct pl_labels *l)
{
    return pl_titles_new(&l->titles);
}

void pl_labels_release(struct pl_labels *l)
{
    pl_titles_free(l->titles);
    pl_buf_release(&l->known);
    for (size_t i = 0; i < NUM_LISTS; i++) {
        pl_title_text_release(&l->names.lists[i]);
        pl_title_text_release(&l->helps[i]);
    }
    *l = (struct pl_labels){ 0 };
}

/* True if (index, kind) was seen before; it is from now on. */
static bool is_known(struct pl_labels *l, uint32_t index,
                     enum pl_title_kind kind)
{
    size_t bit = (size_t)index * NUM_KINDS + kind, at = bit / 8;
    uint8_t mask = (uint8_t)(1u << bit % 8);

    if (index >= MOST_INDEXES)
        return true;
    if (at >= l->known.len && !pl_buf_zeros(&l->known, at + 1 - l->known.len))
        return true;
    if (l->known.p[at] & mask)
        return true;
    l->known.p[at] |= mask;
    return false;
}

static enum pl_status learn_published(struct pl_labels *l, uint32_t index,
                                      enum pl_title_kind kind)
{
    const struct pl_titles *from = l->names.published;
    struct pl_text text = { NULL, 0 };

    if (from)
        text = kind == PL_TITLE_NAME ? pl_titles_name(from, index)
                                     : pl_titles_help(from, index);
    if (!text.n)
        return PL_OK;
    l->generation++;
    return pl_titles_set(l->titles, index, kind, PL_LANGUAGE_ENGLISH, text);
}

static enum pl_status learn(struct pl_labels *l, uint32_t index,
                            enum pl_title_kind kind)
{
    const struct pl_title_text *lists =
        kind == PL_TITLE_NAME ? l->names.lists : l->helps;
    enum pl_status s = PL_OK;

    if (is_known(l, index, kind))
        return PL_OK;
    for (size_t i = 0; i < NUM_LISTS && !s; i++) {
        struct pl_text text = pl_title_text_find(&lists[i], index);

        if (!text.p || !l->languages[i])
            continue;
        s = pl_titles_set(l->titles, index, kind, l->languages[i], text);
        l->generation++;
    }
    return s ? s : learn_published(l, index, kind);
}

enum pl_status pl_labels_object(struct pl_labels *l, struct pl_object o)
{
    struct pl_counter_def c;
    enum pl_status s = learn(l, o.title_index, PL_TITLE_NAME);

    if (!s)
        s = learn(l, o.help_index, PL_TITLE_HELP);
    while (!s && !pl_counter_next(&o, &c)) {
        s = learn(l, c.title_index, PL_TITLE_NAME);
        if (!s)
            s = learn(l, c.help_index, PL_TITLE_HELP);
    }
    return l->known.oom ? PL_NOMEM : s;
}
