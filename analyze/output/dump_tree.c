/* Trees as lines and as JSON. */
#include "analyze/output/dump_tree.h"

#include "format/base/utf.h"

#include <inttypes.h>
#include <string.h>

enum { INDENT = 2, KEY_WIDTH = 24 };

void pl_dump_tree_start(struct pl_dump_tree *t, FILE *f, bool as_json)
{
    *t = (struct pl_dump_tree){ .as_json = as_json, .f = f };
    if (as_json) {
        pl_json_init(&t->json, f);
        pl_json_open_object(&t->json);
    }
}

enum pl_status pl_dump_tree_finish(struct pl_dump_tree *t)
{
    pl_buf_release(&t->line);
    if (t->as_json) {
        pl_json_close_object(&t->json);
        return pl_json_finish(&t->json);
    }
    if (fflush(t->f) || ferror(t->f))
        return PL_IO;
    return t->oom ? PL_NOMEM : PL_OK;
}

/* ---- lines --------------------------------------------------------------- */

static void begin_line(struct pl_dump_tree *t)
{
    pl_buf_clear(&t->line);
    for (unsigned i = 0; i < t->depth * INDENT; i++)
        pl_buf_u8(&t->line, ' ');
}

static void end_line(struct pl_dump_tree *t)
{
    pl_buf_u8(&t->line, '\n');
    if (t->line.oom)
        t->oom = true;
    else
        fwrite(t->line.p, 1, t->line.len, t->f);
}

void pl_dump_tree_line(struct pl_dump_tree *t, struct pl_text name,
                       struct pl_text text)
{
    size_t start;

    begin_line(t);
    start = t->line.len;
    pl_utf8_visible(&t->line, name.p, name.n);
    do
        pl_buf_u8(&t->line, ' ');
    while (!t->line.oom && t->line.len < start + KEY_WIDTH);
    pl_utf8_visible(&t->line, text.p, text.n);
    end_line(t);
}

static void head(struct pl_dump_tree *t, const char *heading)
{
    begin_line(t);
    pl_utf8_visible(&t->line, heading, strlen(heading));
    end_line(t);
    t->depth++;
}

/* ---- branches ------------------------------------------------------------ */

void pl_dump_tree_open(struct pl_dump_tree *t, const char *key,
                       const char *heading)
{
    if (t->as_json) {
        pl_json_key(&t->json, key);
        pl_json_open_object(&t->json);
    } else {
        head(t, heading);
    }
}

void pl_dump_tree_open_list(struct pl_dump_tree *t, const char *key)
{
    if (!t->as_json)
        return;
    pl_json_key(&t->json, key);
    pl_json_open_array(&t->json);
}

void pl_dump_tree_open_item(struct pl_dump_tree *t, const char *heading)
{
    if (t->as_json)
        pl_json_open_object(&t->json);
    else
        head(t, heading);
}

void pl_dump_tree_close(struct pl_dump_tree *t)
{
    if (t->as_json)
        pl_json_close_object(&t->json);
    else
        t->depth--;
}

void pl_dump_tree_close_list(struct pl_dump_tree *t)
{
    if (t->as_json)
        pl_json_close_array(&t->json);
}

/* ---- values -------------------------------------------------------------- */

void pl_dump_tree_text(struct pl_dump_tree *t, const char *key,
                       struct pl_text v)
{
    if (!t->as_json) {
        if (v.p)
            pl_dump_tree_line(t, pl_text_of(key), v);
        return;
    }
    pl_json_key(&t->json, key);
    if (v.p)
        pl_json_text(&t->json, v);
    else
        pl_json_null(&t->json);
}

void pl_dump_tree_string(struct pl_dump_tree *t, const char *key, const char *v)
{
    pl_dump_tree_text(t, key, pl_text_of(v));
}

void pl_dump_tree_integer(struct pl_dump_tree *t, const char *key, int64_t v)
{
    char text[24];

    if (t->as_json) {
        pl_json_key(&t->json, key);
        pl_json_integer(&t->json, v);
        return;
    }
    snprintf(text, sizeof text, "%" PRId64, v);
    pl_dump_tree_line(t, pl_text_of(key), pl_text_of(text));
}

void pl_dump_tree_count(struct pl_dump_tree *t, const char *key, uint64_t v)
{
    char text[24];

    if (t->as_json) {
        pl_json_key(&t->json, key);
        pl_json_count(&t->json, v);
        return;
    }
    snprintf(text, sizeof text, "%" PRIu64, v);
    pl_dump_tree_line(t, pl_text_of(key), pl_text_of(text));
}
