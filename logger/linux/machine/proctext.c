/* Scans words and numbers in text written by the kernel. */
#include "logger/linux/machine/proctext.h"

#include <string.h>

struct pl_proctext pl_proctext_of(struct pl_text text)
{
    return (struct pl_proctext){ text.p, text.p ? text.p + text.n : NULL };
}

static void skip_blanks(struct pl_proctext *s)
{
    while (s->p < s->end && (*s->p == ' ' || *s->p == '\t'))
        s->p++;
}

bool pl_proctext_line(struct pl_proctext *text, struct pl_proctext *line)
{
    const char *feed;

    if (text->p == text->end)
        return false;
    feed = memchr(text->p, '\n', (size_t)(text->end - text->p));
    line->p = text->p;
    line->end = feed ? feed : text->end;
    text->p = feed ? feed + 1 : text->end;
    return true;
}

bool pl_proctext_word(struct pl_proctext *line, struct pl_text *word)
{
    skip_blanks(line);
    word->p = line->p;
    while (line->p < line->end && *line->p != ' ' && *line->p != '\t')
        line->p++;
    word->n = (size_t)(line->p - word->p);
    return word->n > 0;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Most of a sample's time outside the kernel is spent here. */
bool pl_proctext_number(struct pl_proctext *line, uint64_t *v)
{
    enum { SAFE_DIGITS = 19 }; /* any such number fits in 64 bits */
    const char *p = line->p, *end = line->end, *first;
    uint64_t number = 0;
    bool negative = false, too_long = false;

    *v = 0;
    while (p < end && (*p == ' ' || *p == '\t'))
        p++;
    if (p < end && *p == '-') {
        negative = true;
        p++;
    }
    for (first = p; p < end && is_digit(*p); p++) {
        uint64_t digit = (uint64_t)(*p - '0');

        if (p - first >= SAFE_DIGITS && number > (UINT64_MAX - digit) / 10)
            too_long = true;
        number = number * 10 + digit;
    }
    if (p == first)
        return false;
    line->p = p;
    if (too_long)
        number = UINT64_MAX;
    *v = negative ? 0 - number : number;
    return true;
}

bool pl_proctext_thousandths(struct pl_proctext *line, uint64_t *v)
{
    uint64_t whole;
    unsigned fraction = 0;

    *v = 0;
    if (!pl_proctext_number(line, &whole))
        return false;
    if (pl_proctext_skip(line, '.')) {
        for (unsigned weight = 100; line->p < line->end && is_digit(*line->p);
             weight /= 10)
            fraction += weight * (unsigned)(*line->p++ - '0');
    }
    *v = whole > UINT64_MAX / 1000 - 1 ? UINT64_MAX : whole * 1000 + fraction;
    return true;
}

bool pl_proctext_key(struct pl_text text, const char *key, uint64_t *v)
{
    struct pl_proctext rest = pl_proctext_of(text), line;
    size_t n = strlen(key);

    *v = 0;
    while (pl_proctext_line(&rest, &line)) {
        if ((size_t)(line.end - line.p) <= n || line.p[n] != ':' ||
            memcmp(line.p, key, n) != 0)
            continue;
        line.p += n + 1;
        return pl_proctext_number(&line, v);
    }
    return false;
}

bool pl_proctext_skip(struct pl_proctext *line, char c)
{
    if (line->p == line->end || *line->p != c)
        return false;
    line->p++;
    return true;
}

static bool is_octal(char c)
{
    return c >= '0' && c <= '7';
}

void pl_proctext_unescape(struct pl_text text, struct pl_buf *out)
{
    for (size_t i = 0; i < text.n; i++) {
        const char *p = text.p + i;

        if (*p == '\\' && text.n - i > 3 && is_octal(p[1]) && is_octal(p[2]) &&
            is_octal(p[3])) {
            unsigned byte = (unsigned)(p[1] - '0') << 6 |
                            (unsigned)(p[2] - '0') << 3 |
                            (unsigned)(p[3] - '0');

            pl_buf_u8(out, (uint8_t)byte);
            i += 3;
        } else {
            pl_buf_u8(out, (uint8_t)*p);
        }
    }
}
