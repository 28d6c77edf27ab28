/* Writes JSON to a stream. */
#include "analyze/output/json.h"

#include "analyze/output/number.h"
#include "format/time/time_text.h"
#include "format/base/utf.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

enum { FEWEST_WRITTEN = 1 << 16 };

void pl_json_init(struct pl_json *j, FILE *f)
{
    *j = (struct pl_json){ .f = f, .empty = true };
}

static void append(struct pl_json *j, const char *s)
{
    pl_buf_string(&j->text, s);
}

static void new_line(struct pl_json *j)
{
    const size_t n = 2 * (size_t)j->depth;
    uint8_t *p = pl_buf_room(&j->text, 1 + n);

    if (!p)
        return;
    p[0] = '\n';
    memset(p + 1, ' ', n);
    j->text.len += 1 + n;
}

/* What is complete goes to the stream; what fails there, ferror reports. */
static void write_out(struct pl_json *j)
{
    fwrite(j->text.p, 1, j->text.len, j->f);
    j->text.len = 0;
}

/* Write the separator between the previous item and the next one. */
static void separate(struct pl_json *j)
{
    if (j->after_key) {
        j->after_key = false;
        return;
    }
    if (j->text.len >= FEWEST_WRITTEN)
        write_out(j);
    if (!j->empty)
        pl_buf_u8(&j->text, ',');
    if (j->depth)
        new_line(j);
    j->empty = false;
}

static void open_one(struct pl_json *j, char bracket)
{
    separate(j);
    pl_buf_u8(&j->text, (uint8_t)bracket);
    j->depth++;
    j->empty = true;
}

static void close_one(struct pl_json *j, char bracket)
{
    assert(j->depth && !j->after_key);
    j->depth--;
    if (!j->empty)
        new_line(j);
    pl_buf_u8(&j->text, (uint8_t)bracket);
    j->empty = false;
}

void pl_json_open_object(struct pl_json *j)
{
    open_one(j, '{');
}

void pl_json_close_object(struct pl_json *j)
{
    close_one(j, '}');
}

void pl_json_open_array(struct pl_json *j)
{
    open_one(j, '[');
}

void pl_json_close_array(struct pl_json *j)
{
    close_one(j, ']');
}

static void escape(struct pl_buf *out, uint32_t code)
{
    char escaped[8];
    int n;

    if (code == '"' || code == '\\')
        n = snprintf(escaped, sizeof escaped, "\\%c", (char)code);
    else if (code == '\n')
        n = snprintf(escaped, sizeof escaped, "\\n");
    else
        n = snprintf(escaped, sizeof escaped, "\\u%04x",
                     (unsigned)code & 0xFFFF);
    pl_buf_bytes(out, escaped, (size_t)n);
}

/* How many of the first bytes are characters of ASCII that stay as they are. */
static size_t plain_len(const uint8_t *p, size_t n)
{
    size_t i = 0;

    while (i < n && p[i] >= ' ' && p[i] <= '~' && p[i] != '"' && p[i] != '\\')
        i++;
    return i;
}

static void put_quoted(struct pl_json *j, struct pl_text text)
{
    const uint8_t *p = (const uint8_t *)text.p;
    struct pl_buf *b = &j->text;
    size_t len;

    pl_buf_u8(b, '"');
    for (size_t i = 0; i < text.n; i += len) {
        uint32_t code;

        len = plain_len(p + i, text.n - i);
        if (len) {
            pl_buf_bytes(b, p + i, len);
            continue;
        }
        code = pl_utf8_decode(p + i, text.n - i, &len);
        if (code == '"' || code == '\\' || pl_is_control(code))
            escape(b, code);
        else
            pl_utf8_put(b, code);
    }
    pl_buf_u8(b, '"');
}

void pl_json_key(struct pl_json *j, const char *key)
{
    assert(j->depth && !j->after_key);
    separate(j);
    put_quoted(j, pl_text_of(key));
    append(j, ": ");
    j->after_key = true;
}

void pl_json_text(struct pl_json *j, struct pl_text text)
{
    separate(j);
    put_quoted(j, text);
}

void pl_json_string(struct pl_json *j, const char *s)
{
    pl_json_text(j, pl_text_of(s));
}

static void put_word(struct pl_json *j, const char *word)
{
    separate(j);
    append(j, word);
}

void pl_json_integer(struct pl_json *j, int64_t v)
{
    char text[PL_NUMBER_TEXT];

    snprintf(text, sizeof text, "%" PRId64, v);
    put_word(j, text);
}

void pl_json_count(struct pl_json *j, uint64_t v)
{
    char text[PL_NUMBER_TEXT];
    size_t n = pl_integer_put(v, text);

    separate(j);
    pl_buf_bytes(&j->text, text, n);
}

void pl_json_number(struct pl_json *j, double v)
{
    char text[PL_NUMBER_TEXT];
    size_t n = pl_number_put(v, text);

    if (!n) {
        pl_json_null(j);
        return;
    }
    separate(j);
    pl_buf_bytes(&j->text, text, n);
}

void pl_json_bool(struct pl_json *j, bool v)
{
    put_word(j, v ? "true" : "false");
}

void pl_json_null(struct pl_json *j)
{
    put_word(j, "null");
}

void pl_json_put_string(struct pl_json *j, const char *key, const char *s)
{
    pl_json_key(j, key);
    pl_json_string(j, s ? s : "");
}

void pl_json_put_count(struct pl_json *j, const char *key, uint64_t v)
{
    pl_json_key(j, key);
    pl_json_count(j, v);
}

void pl_json_put_instant(struct pl_json *j, const char *key, bool known,
                         int64_t utc_ns)
{
    char text[PL_INSTANT_TEXT + 1];

    pl_json_key(j, key);
    if (!known) {
        pl_json_null(j);
        return;
    }
    pl_instant_text(utc_ns, text);
    text[10] = 'T';
    strcat(text, "Z");
    pl_json_string(j, text);
}

enum pl_status pl_json_finish(struct pl_json *j)
{
    assert(!j->depth);
    j->oom = j->oom || j->text.oom;
    pl_buf_u8(&j->text, '\n');
    write_out(j);
    pl_buf_release(&j->text);
    if (fflush(j->f) || ferror(j->f))
        return PL_IO;
    return j->oom ? PL_NOMEM : PL_OK;
}
