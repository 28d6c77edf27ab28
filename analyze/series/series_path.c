/* Full paths of series. */
#include "analyze/series/series_registry.h"

#include "format/block/counter_path.h"
#include "format/base/utf.h"

static void put_name(struct pl_buf *out, const char *name, bool escape)
{
    if (escape)
        pl_counter_path_escape(out, pl_text_of(name));
    else
        pl_buf_string(out, name);
}

void pl_series_path(struct pl_buf *out, const struct pl_group *g, uint32_t slot,
                    bool with_host, bool escape)
{
    if (with_host) {
        pl_buf_bytes(out, "\\\\", 2);
        put_name(out, g->host->name, escape);
    }
    pl_buf_u8(out, '\\');
    put_name(out, g->object->name, escape);
    if (g->instance) {
        pl_buf_u8(out, '(');
        put_name(out, g->instance, escape);
        pl_buf_u8(out, ')');
    }
    pl_buf_u8(out, '\\');
    put_name(out, g->object->counters[slot].name, escape);
}

void pl_path_visible(struct pl_buf *out, const struct pl_buf *path)
{
    size_t len;

    for (size_t i = 0; i < path->len; i += len) {
        uint32_t code = pl_utf8_decode(path->p + i, path->len - i, &len);

        if (pl_is_control(code))
            pl_buf_u8(out, '?');
        else
            pl_utf8_visible(out, path->p + i, len);
    }
}
