/*
 * The file of positions: lines of text, a host each, and before these a mark
 * each, which is such a line with 2 instead of whether it has ended, and without
 * the machine.  In files of the first version no line has that.
 */
#include "analyze/push/position.h"

#include "format/base/array.h"
#include "format/base/buf.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char heading[] = "perflog push 2";
static const char first_heading[] = "perflog push 1";
enum { MOST_BYTES = 16 << 20 };
enum line_kind { GOES_ON, ENDED, MARK };

static char *join(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b) + 1;
    char *path = malloc(n + m);

    if (path) {
        memcpy(path, a, n);
        memcpy(path + n, b, m);
    }
    return path;
}

struct pl_position *pl_positions_find(const struct pl_positions *p,
                                      const char *host)
{
    for (size_t i = 0; i < p->num; i++)
        if (!strcmp(p->hosts[i].host, host))
            return &p->hosts[i];
    return NULL;
}

/* Add an entry of the host; NULL: out of memory. */
static struct pl_position *add(struct pl_position **list, size_t *num,
                               size_t *cap, const char *host)
{
    char *name;

    if (!pl_array_grow((void **)list, cap, *num, sizeof **list))
        return NULL;
    name = strdup(host);
    if (!name)
        return NULL;
    (*list)[*num] = (struct pl_position){ .host = name };
    return &(*list)[(*num)++];
}

enum pl_status pl_positions_set(struct pl_positions *p, const char *host,
                                size_t *place, const struct pl_position *to)
{
    struct pl_position *at =
        *place ? &p->hosts[*place - 1] : pl_positions_find(p, host);

    if (!at)
        at = add(&p->hosts, &p->num, &p->cap, host);
    if (!at)
        return PL_NOMEM;
    *place = (size_t)(at - p->hosts) + 1;
    at->session = to->session;
    at->seq = to->seq;
    at->time_ns = to->time_ns;
    at->ended = to->ended;
    if (at->own_name || !to->own_name)
        return PL_OK;
    at->machine_hash = to->machine_hash;
    at->own_name = strdup(to->own_name);
    return at->own_name ? PL_OK : PL_NOMEM;
}

/* ---- marks ----------------------------------------------------------------- */

static struct pl_position *find_mark(const struct pl_positions *p,
                                     const char *host, uint64_t session)
{
    for (size_t i = 0; i < p->num_marks; i++)
        if (p->marks[i].session == session && !strcmp(p->marks[i].host, host))
            return &p->marks[i];
    return NULL;
}

const struct pl_position *pl_positions_mark(const struct pl_positions *p,
                                            const char *host, uint64_t session)
{
    return find_mark(p, host, session);
}

/* Drop the host's oldest mark if it has as many as it may have. */
static void drop_oldest(struct pl_positions *p, const char *host)
{
    size_t oldest = p->num_marks, n = 0;

    for (size_t i = p->num_marks; i--;)
        if (!strcmp(p->marks[i].host, host)) {
            oldest = i;
            n++;
        }
    if (n < PL_MOST_MARKS)
        return;
    free(p->marks[oldest].host);
    p->num_marks--;
    memmove(&p->marks[oldest], &p->marks[oldest + 1],
            (p->num_marks - oldest) * sizeof *p->marks);
}

enum pl_status pl_positions_set_mark(struct pl_positions *p, const char *host,
                                     const struct pl_position *to)
{
    struct pl_position *at = find_mark(p, host, to->session);

    if (!at) {
        drop_oldest(p, host);
        at = add(&p->marks, &p->num_marks, &p->cap_marks, host);
    }
    if (!at)
        return PL_NOMEM;
    at->session = to->session;
    at->seq = to->seq;
    at->time_ns = to->time_ns;
    return PL_OK;
}

/* ---- names on a line ------------------------------------------------------ */

static bool is_plain(uint8_t c)
{
    return c > ' ' && c != '%' && c != 0x7f;
}

static void put_name(struct pl_buf *b, const char *name)
{
    for (; *name; name++) {
        char code[4];

        if (is_plain((uint8_t)*name)) {
            pl_buf_u8(b, (uint8_t)*name);
        } else {
            snprintf(code, sizeof code, "%%%02x", (unsigned)(uint8_t)*name);
            pl_buf_bytes(b, code, 3);
        }
    }
}

/* In place.  False: it is none. */
static bool unescape_name(char *text)
{
    char *to = text;

    for (; *text; text++) {
        unsigned code = (uint8_t)*text;

        if (*text == '%') {
            int n = 0;

            if (sscanf(text, "%%%2x%n", &code, &n) != 1 || n != 3 || !code)
                return false;
            text += 2;
        }
        *to++ = (char)code;
    }
    *to = 0;
    return true;
}

/* ---- reading -------------------------------------------------------------- */

/* Cut the machine, " HASH NAME", off the line's end.  False: it is none. */
static bool take_machine(struct pl_position *at, char *text)
{
    int n = 0;

    if (!*text)
        return true;
    if (sscanf(text, " %16" SCNx64 "%n", &at->machine_hash, &n) != 1 ||
        text[n] != ' ')
        return false;
    *text = 0;
    at->own_name = &text[n + 1];
    return !strchr(at->own_name, ' ') && unescape_name(at->own_name);
}

static enum pl_status take_line(struct pl_positions *p, char *line)
{
    struct pl_position at = { 0 };
    size_t place = 0;
    char *name;
    int kind, n = 0;

    if (sscanf(line, "%16" SCNx64 " %10" SCNu32 " %20" SCNd64 " %1d%n",
               &at.session, &at.seq, &at.time_ns, &kind, &n) != 4 ||
        line[n] != ' ')
        return PL_CORRUPT;
    name = &line[n + 1]; /* which may be empty */
    if (!take_machine(&at, name + strcspn(name, " ")) || !unescape_name(name))
        return PL_CORRUPT;
    at.ended = kind == ENDED;
    return kind == MARK ? pl_positions_set_mark(p, name, &at)
                        : pl_positions_set(p, name, &place, &at);
}

/* Cut the next line off; NULL: there is none, or it has no end. */
static char *next_line(char **rest)
{
    char *line = *rest, *end = strchr(line, '\n');

    if (!end)
        return NULL;
    *end = 0;
    *rest = end + 1;
    return line;
}

static enum pl_status take_text(struct pl_positions *p, char *text)
{
    enum pl_status s = PL_OK;
    char *line = next_line(&text);

    if (!line ||
        (strcmp(line, heading) != 0 && strcmp(line, first_heading) != 0))
        return PL_CORRUPT;
    line = next_line(&text);
    if (!line)
        return PL_CORRUPT;
    if (strcmp(line, p->url) != 0)
        return PL_USAGE;
    while (!s && (line = next_line(&text)))
        s = take_line(p, line);
    return !s && *text ? PL_CORRUPT : s;
}

static enum pl_status read_positions(struct pl_positions *p)
{
    struct pl_file *f;
    uint64_t size = 0;
    size_t got = 0;
    char *text = NULL;
    enum pl_status s = pl_file_open(&f, p->path);

    if (s)
        return s == PL_IO && errno == ENOENT ? PL_OK : s;
    s = pl_file_size(f, &size);
    if (!s && size > MOST_BYTES)
        s = PL_CORRUPT;
    if (!s)
        text = malloc((size_t)size + 1);
    if (!s)
        s = text ? pl_file_read(f, 0, text, (size_t)size, &got) : PL_NOMEM;
    if (!s) {
        text[got] = 0;
        s = strlen(text) == got ? take_text(p, text) : PL_CORRUPT;
    }
    free(text);
    pl_file_close(f);
    return s;
}

/* ---- what is being sent ---------------------------------------------------- */

/*
 * Lines of the file that is the lock, each later than the one before.  Lines are
 * added, and all are cut off at the end, so that no kill leaves less than is
 * being sent.  Each begins with a newline, as a full disk may have cut the one
 * before.
 */
enum { MOST_NOTES = 4096, NOTE_ROOM = 24 };

/* Of very many, as of runs that all failed, the last. */
static enum pl_status read_sending(struct pl_positions *p)
{
    char text[MOST_NOTES + 1], *rest = text, *line;
    uint64_t size = 0, from;
    size_t got = 0;
    enum pl_status s = pl_file_size(p->lock, &size);

    from = size > MOST_NOTES ? size - MOST_NOTES : 0;
    if (!s)
        s = pl_file_read(p->lock, from, text, MOST_NOTES, &got);
    text[got] = 0;
    if (from)
        next_line(&rest); /* it may be the rest of one */
    while (!s && (line = next_line(&rest))) {
        int64_t ms;
        int n = 0;

        if (sscanf(line, "%20" SCNd64 "%n", &ms, &n) == 1 && !line[n] &&
            ms > p->sending_ms)
            p->sending_ms = ms;
    }
    return s;
}

enum pl_status pl_positions_begin_sending(struct pl_positions *p, int64_t ms)
{
    char line[NOTE_ROOM];
    int n;

    if (!p->lock || ms <= p->sending_ms)
        return PL_OK;
    p->sending_ms = ms;
    n = snprintf(line, sizeof line, "\n%" PRId64 "\n", ms);
    return pl_file_append(p->lock, line, (size_t)n);
}

enum pl_status pl_positions_end_sending(struct pl_positions *p, int64_t ms)
{
    if (!p->lock || ms < p->sending_ms)
        return PL_OK;
    p->sending_ms = PL_NOTHING_SENDING;
    return pl_file_truncate(p->lock, 0);
}

enum pl_status pl_positions_open(struct pl_positions *p, const char *path,
                                 const char *url, const char **why)
{
    enum pl_status s;

    p->sending_ms = PL_NOTHING_SENDING;
    p->path = strdup(path);
    p->part = join(path, ".new");
    p->lock_path = join(path, ".lock");
    p->url = strdup(url);
    if (!p->path || !p->part || !p->lock_path || !p->url)
        return PL_NOMEM;
    s = pl_file_open_append(&p->lock, p->lock_path, PL_MAY_EXIST, why);
    if (!s)
        s = read_sending(p);
    return s ? s : read_positions(p);
}

/* ---- writing -------------------------------------------------------------- */

static void put_line(struct pl_buf *b, const struct pl_position *at,
                     enum line_kind kind)
{
    char numbers[80];
    int n = snprintf(numbers, sizeof numbers,
                     "\n%016" PRIx64 " %" PRIu32 " %" PRId64 " %d ",
                     at->session, at->seq, at->time_ns, (int)kind);

    pl_buf_bytes(b, numbers, (size_t)n);
    put_name(b, at->host);
    if (!at->own_name)
        return;
    n = snprintf(numbers, sizeof numbers, " %016" PRIx64 " ", at->machine_hash);
    pl_buf_bytes(b, numbers, (size_t)n);
    put_name(b, at->own_name);
}

static void put_text(struct pl_buf *b, const struct pl_positions *p)
{
    pl_buf_string(b, heading);
    pl_buf_u8(b, '\n');
    pl_buf_string(b, p->url);
    for (size_t i = 0; i < p->num_marks; i++)
        put_line(b, &p->marks[i], MARK);
    for (size_t i = 0; i < p->num; i++)
        put_line(b, &p->hosts[i], p->hosts[i].ended ? ENDED : GOES_ON);
    pl_buf_u8(b, '\n');
}

/* What a killed process left behind is replaced. */
static enum pl_status write_part(const struct pl_positions *p,
                                 const struct pl_buf *text)
{
    struct pl_file *f = NULL;
    const char *why;
    enum pl_status s = PL_OK;

    if (pl_path_exists(p->part))
        s = pl_file_delete(p->part);
    if (!s)
        s = pl_file_open_append(&f, p->part, PL_MUST_BE_NEW, &why);
    if (s)
        return s;
    s = pl_file_append(f, text->p, text->len);
    if (!s)
        s = pl_file_sync(f);
    pl_file_close(f);
    return s;
}

enum pl_status pl_positions_save(struct pl_positions *p)
{
    struct pl_buf text = { 0 };
    enum pl_status s;

    if (!p->path)
        return PL_OK;
    put_text(&text, p);
    s = text.oom ? PL_NOMEM : write_part(p, &text);
    pl_buf_release(&text);
    return s ? s : pl_file_replace(p->part, p->path);
}

void pl_positions_close(struct pl_positions *p)
{
    for (size_t i = 0; i < p->num; i++) {
        free(p->hosts[i].host);
        free(p->hosts[i].own_name);
    }
    for (size_t i = 0; i < p->num_marks; i++)
        free(p->marks[i].host);
    free(p->hosts);
    free(p->marks);
    pl_file_close(p->lock);
    free(p->path);
    free(p->part);
    free(p->lock_path);
    free(p->url);
    *p = (struct pl_positions){ 0 };
}
