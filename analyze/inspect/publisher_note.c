/* Parses and folds notes about published counters. */
#include "analyze/inspect/publisher_note.h"

#include "format/time/zone.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool skip(struct pl_text *t, const char *word)
{
    size_t n = strlen(word);

    if (t->n < n || memcmp(t->p, word, n) != 0)
        return false;
    t->p += n;
    t->n -= n;
    return true;
}

/* Take the text up to the first 'end', and skip that. */
static bool take(struct pl_text *t, char end, struct pl_text *out)
{
    const char *at = t->n ? memchr(t->p, end, t->n) : NULL;

    if (!at)
        return false;
    *out = (struct pl_text){ t->p, (size_t)(at - t->p) };
    t->n -= out->n + 1;
    t->p = at + 1;
    return true;
}

static bool is_number(struct pl_text t)
{
    for (size_t i = 0; i < t.n; i++)
        if (t.p[i] < '0' || t.p[i] > '9')
            return false;
    return t.n > 0;
}

bool pl_publisher_note_parse(struct pl_publisher_note *n, struct pl_text text)
{
    struct pl_text process;

    *n = (struct pl_publisher_note){ { "", 0 }, { "", 0 }, { "", 0 } };
    if (skip(&text, "counters of ") &&
        (!take(&text, ',', &process) || !skip(&text, " ") ||
         !take(&process, ':', &n->program)))
        return false;
    if (!skip(&text, "user ") || !take(&text, ':', &n->user) ||
        !is_number(n->user))
        return false;
    skip(&text, " ");
    n->what = text;
    return true;
}

bool pl_publisher_note_same(struct pl_text a, struct pl_text b)
{
    struct pl_publisher_note one, other;

    return pl_publisher_note_parse(&one, a) &&
           pl_publisher_note_parse(&other, b) &&
           pl_text_equal(one.program, other.program) &&
           pl_text_equal(one.user, other.user);
}

void pl_publisher_note_fold(struct pl_buf *out, struct pl_text text,
                            uint64_t times, int64_t utc_ns)
{
    char part[96], until[PL_INSTANT_TEXT];
    struct pl_publisher_note n;
    int len;

    if (times > 1 && pl_publisher_note_parse(&n, text)) {
        len = snprintf(part, sizeof part, "counters of %.*s%suser %.*s: ",
                       (int)(n.program.n > 40 ? 40 : n.program.n), n.program.p,
                       n.program.n ? ", " : "", (int)n.user.n, n.user.p);
        pl_buf_bytes(out, part, (size_t)len);
        len = snprintf(part, sizeof part,
                       "%" PRIu64 " notes until %s; last: ", times,
                       pl_zone_text(utc_ns, until));
        pl_buf_bytes(out, part, (size_t)len);
        text = n.what;
    }
    pl_buf_bytes(out, text.p, text.n);
    pl_buf_u8(out, 0);
}
