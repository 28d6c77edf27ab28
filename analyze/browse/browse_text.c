/* What a screen shows, as lines of text. */
#include "analyze/browse/browse_state.h"

#include "analyze/moment/moment_text.h"
#include "analyze/moment/text_parts.h"
#include "format/base/utf.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LOW = 40, KEYS = 14 }; /* lines of a low screen; width of keys */

/* ---- help ---------------------------------------------------------------- */

static void put_help(struct pl_buf *out)
{
    struct pl_browse_key_help keys[PL_BROWSE_KEYS];
    const size_t num = pl_browse_keys(keys);

    pl_moment_put(out, "Keys of perflog replay\n\n");
    for (size_t i = 0; i < num; i++) {
        pl_moment_put(out, "  ");
        pl_moment_put_name(out, keys[i].keys, KEYS);
        pl_moment_put(out, keys[i].help);
        pl_buf_u8(out, '\n');
    }
    pl_moment_put(out, "\nAny key goes back to the log.\n");
}

/* ---- the page ------------------------------------------------------------ */

static size_t lines_before(const struct pl_buf *b, const char *begins)
{
    const size_t n = strlen(begins);
    size_t line = 0, found = SIZE_MAX;

    for (size_t at = 0; at < b->len; line++) {
        const uint8_t *end = memchr(b->p + at, '\n', b->len - at);

        if (b->len - at > n && !memcmp(b->p + at, begins, n))
            found = line;
        at = end ? (size_t)(end - b->p) + 1 : b->len;
    }
    return found;
}

/* ---- spark lines --------------------------------------------------------- */

enum { LEVELS = 8, SHORT = PL_SPARKS / 2, WIDE = 120 };

/* How high a value is, from 0; below all levels: nothing is known. */
static int level_of(const struct pl_page_vital *vital, float v, float most)
{
    const float full = vital->most > 0 ? vital->most : most;
    const float part = full > 0 ? v / full : 0;

    if (isnan(v))
        return -1;
    return part >= 1 ? LEVELS - 1 : part <= 0 ? 0 : (int)(part * LEVELS);
}

struct sparks {
    const struct pl_browse *b;
    size_t width;
};

static void put_spark(void *ctx, enum pl_moment_section section,
                      struct pl_buf *out)
{
    static const char ascii[LEVELS + 1] = "_.:-=+*#";
    const struct sparks *s = ctx;
    float values[PL_SPARKS], most = 0;

    pl_history_values(&s->b->history, s->b->page.time_ns, section, s->width,
                      values);
    for (size_t i = 0; i < s->width; i++)
        if (values[i] > most)
            most = values[i];
    for (size_t i = 0; i < s->width; i++) {
        const int level = level_of(&pl_page_vitals[section], values[i], most);

        if (level < 0)
            pl_buf_u8(out, ' ');
        else if (s->b->utf8)
            pl_utf8_put(out, 0x2581 + (uint32_t)level);
        else
            pl_buf_u8(out, (uint8_t)ascii[level]);
    }
}

static void put_page(struct pl_browse *b, struct pl_browse_lines *out)
{
    struct sparks sparks = { b, out->columns < WIDE ? SHORT : PL_SPARKS };
    const struct pl_moment_size size = {
        .lines = out->lines,
        .columns = out->columns,
        .width = out->columns,
        .low = out->lines < LOW,
        .list = &b->list,
        .first = b->first,
        .spark = put_spark,
        .ctx = &sparks,
        .spark_width = sparks.width,
    };

    b->utf8 = out->utf8;
    if (b->page.there && b->page.moment.host)
        pl_moment_put_text(&out->text, &b->page.moment, &size);
    out->heading = lines_before(&out->text, "Process ");
}

/* ---- the last line ------------------------------------------------------- */

static void put_order(struct pl_browse *b, struct pl_buf *out)
{
    static const char *const orders[] = { [PL_BY_RANK] = "",
                                          [PL_BY_PARENT] = ", by parent",
                                          [PL_BY_CONTROL_GROUP] =
                                              ", by control group",
                                          [PL_BY_PROGRAM] = ", by program" };

    pl_moment_put(out, "by ");
    pl_moment_put_name(out, b->sort->word ? b->sort->word : b->sort->title, 0);
    pl_moment_put(out, orders[b->view.order]);
    if (b->view.filter) {
        pl_moment_put(out, ", with ");
        pl_moment_put_name(out, b->filter, 0);
        if (!b->list.num)
            pl_moment_put(out, ": none");
    }
}

static void put_place(const struct pl_browse *b, struct pl_buf *out)
{
    char text[64];

    if (b->first) {
        snprintf(text, sizeof text, "  from %zu of %zu", b->first + 1,
                 b->list.num);
        pl_moment_put(out, text);
    }
    if (b->follows)
        pl_moment_put(out, "  following");
}

static void put_status(struct pl_browse *b, struct pl_browse_lines *out)
{
    out->cursor = SIZE_MAX;
    if (b->prompt.label) {
        pl_moment_put(&out->status, b->prompt.label);
        pl_utf8_visible(&out->status, b->prompt.text, b->prompt.n);
        out->cursor = pl_utf8_columns(out->status.p, out->status.len);
    } else if (*b->message) {
        pl_utf8_visible(&out->status, b->message, strlen(b->message));
    } else {
        pl_moment_put(&out->status, "? help  q quit  processes ");
        put_order(b, &out->status);
        put_place(b, &out->status);
    }
}

enum pl_status pl_browse_put(struct pl_browse *b, struct pl_browse_lines *out)
{
    pl_buf_clear(&out->text);
    pl_buf_clear(&out->status);
    out->heading = SIZE_MAX;
    if (b->helps)
        put_help(&out->text);
    else
        put_page(b, out);
    put_status(b, out);
    return out->text.oom || out->status.oom ? PL_NOMEM : PL_OK;
}
