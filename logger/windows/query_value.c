/* Queries a value, again with a larger buffer if necessary. */
#include "logger/windows/query_value.h"

/* One more than the bound, as a full buffer counts as too small. */
#define MOST_ROOM ((size_t)PL_FETCH_MOST + 1)

static size_t more(size_t room)
{
    return room < MOST_ROOM / 2 ? 2 * room : MOST_ROOM;
}

enum pl_status pl_query_value(struct pl_windows_registry *r, const char *folder,
                              const char *value, struct pl_buf *out,
                              uint32_t *error)
{
    size_t room = out->cap > PL_FETCH_LEAST ? out->cap : PL_FETCH_LEAST;

    if (room > MOST_ROOM)
        room = MOST_ROOM;
    for (;; room = more(room)) {
        uint32_t len = (uint32_t)room;
        uint8_t *p;

        pl_buf_clear(out);
        p = pl_buf_room(out, room);
        if (!p)
            return PL_NOMEM;
        *error = r->query(r, folder, value, p, &len);
        if (*error && *error != PL_ERROR_MORE_DATA)
            return PL_IO;
        if (!*error && len > room)
            return PL_CORRUPT;
        if (!*error && len < room) {
            out->len = len;
            return PL_OK;
        }
        if (room == MOST_ROOM)
            return PL_TOO_LARGE;
    }
}
