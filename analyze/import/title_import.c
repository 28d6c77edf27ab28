/* Reads titles from files, and selects those that are wanted. */
#include "analyze/import/title_import.h"

#include "format/base/file.h"

static enum pl_status load_bytes(struct pl_buf *out, const char *path)
{
    struct pl_file *f = NULL;
    size_t got = 1, most = PL_MAX_TITLE_LIST + 1;
    enum pl_status s = pl_file_open(&f, path);

    while (!s && got && out->len < most) {
        uint8_t *room = pl_buf_room(out, 64 << 10);

        s = room ? pl_file_read(f, out->len, room, 64 << 10, &got) : PL_NOMEM;
        if (!s)
            out->len += got;
    }
    if (!s && out->len >= most)
        s = PL_TOO_LARGE;
    pl_file_close(f);
    return s;
}

enum pl_status pl_title_import_load(struct pl_title_text *f, const char *path)
{
    struct pl_buf bytes = { 0 };
    enum pl_status s = load_bytes(&bytes, path);

    *f = (struct pl_title_text){ 0 };
    if (!s)
        s = pl_title_text_parse(f, &bytes);
    pl_buf_release(&bytes);
    return s;
}

/* The next wanted title of a choice at or after *at; NULL: no more. */
static const struct pl_title_entry *next_wanted(const struct pl_title_choice *c,
                                                size_t *at)
{
    for (; c->file && *at < c->file->num; ++*at)
        if (pl_title_set_has(c->wanted, c->file->titles[*at].index))
            return &c->file->titles[*at];
    return NULL;
}

enum pl_status pl_titles_choose(struct pl_title_choice choices[2],
                                struct pl_titles *out)
{
    size_t at[2] = { 0, 0 };
    enum pl_status s = PL_OK;

    choices[0].num = choices[1].num = 0;
    /* In ascending order, which is cheap to store. */
    while (!s && choices[0].num + choices[1].num < PL_MAX_TITLES) {
        const struct pl_title_entry *a = next_wanted(&choices[0], &at[0]);
        const struct pl_title_entry *b = next_wanted(&choices[1], &at[1]);
        int which = !a || (b && b->index < a->index);
        const struct pl_title_entry *t = which ? b : a;
        struct pl_title_choice *c = &choices[which];

        if (!t)
            break;
        s = pl_titles_set(
            out, t->index, c->kind, PL_LANGUAGE_ENGLISH,
            (struct pl_text){ (const char *)c->file->text.p + t->at, t->len });
        c->num++;
        at[which]++;
    }
    return s;
}
