/* Parses zones, paths, times and numbers of PDH sheets. */
#include "analyze/foreign/pdh_cells.h"

#include "analyze/foreign/foreign.h"
#include "analyze/output/number.h"
#include "format/time/time_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NUMBER = 64 };

/*
 * The text between the brackets that 's' begins with, which may have brackets
 * itself, as "(Tokyo (standard time))"; *end is after them.
 */
static bool bracketed(const char *s, struct pl_text *text, const char **end)
{
    const char *close = s;
    size_t depth = 0;

    if (*s != '(')
        return false;
    do
        depth += (*close == '(') - (size_t)(*close == ')');
    while (depth && *++close);
    if (depth)
        return false;
    *text = (struct pl_text){ s + 1, (size_t)(close - s) - 1 };
    *end = close + 1;
    return true;
}

struct pl_pdh_zone pl_pdh_zone_of(const char *cell)
{
    struct pl_pdh_zone z = { 0 };
    struct pl_text bias;
    char *end;
    long minutes;

    if (!strncmp(cell, "(PDH-", 5) && bracketed(cell, &z.name, &cell))
        while (*cell == ' ')
            cell++;
    if (!bracketed(cell, &z.name, &cell) || !bracketed(cell, &bias, &cell))
        return (struct pl_pdh_zone){ 0 };
    minutes = strtol(bias.p, &end, 10);
    if (end != bias.p + bias.n || !bias.n || minutes < -PL_FOREIGN_MOST_BIAS ||
        minutes > PL_FOREIGN_MOST_BIAS)
        return (struct pl_pdh_zone){ 0 };
    z.known = true;
    z.bias = (int32_t)minutes;
    return z;
}

/* The last ")\" of 's'. */
static const char *instance_end(const char *s)
{
    const char *found = NULL;

    for (const char *at = strstr(s, ")\\"); at; at = strstr(at + 1, ")\\"))
        found = at;
    return found;
}

bool pl_pdh_path_of(struct pl_pdh_path *p, const char *cell)
{
    const char *open, *end, *slash;

    *p = (struct pl_pdh_path){ 0 };
    if (*cell != '\\')
        return false;
    if (cell[1] == '\\') {
        slash = strchr(cell + 2, '\\');
        if (!slash)
            return false;
        p->host = (struct pl_text){ cell + 2, (size_t)(slash - cell) - 2 };
        cell = slash;
    }
    cell++;
    slash = strchr(cell, '\\');
    open = strchr(cell, '(');
    end = instance_end(cell);
    if (open && end && open < end && (!slash || open < slash)) {
        p->object = (struct pl_text){ cell, (size_t)(open - cell) };
        p->instance = (struct pl_text){ open + 1, (size_t)(end - open) - 1 };
        p->has_instance = true;
        slash = end + 1;
    } else if (slash) {
        p->object = (struct pl_text){ cell, (size_t)(slash - cell) };
    } else {
        return false;
    }
    p->counter = pl_text_of(slash + 1);
    return p->object.n && p->counter.n;
}

/* A number of at most 'most' digits; advances *s past it. */
static bool digits(const char **s, size_t least, size_t most, int *out)
{
    size_t n = 0;

    *out = 0;
    for (; n < most && **s >= '0' && **s <= '9'; n++)
        *out = *out * 10 + (*(*s)++ - '0');
    return n >= least;
}

static bool mark(const char **s, char c)
{
    if (**s != c)
        return false;
    ++*s;
    return true;
}

bool pl_pdh_time_of(const char *s, int64_t *local_ns)
{
    struct pl_civil c = { 0 };
    int ms = 0;

    if (!digits(&s, 1, 2, &c.month) || !mark(&s, '/') ||
        !digits(&s, 1, 2, &c.day) || !mark(&s, '/') ||
        !digits(&s, 4, 4, &c.year) || !mark(&s, ' ') ||
        !digits(&s, 1, 2, &c.hour) || !mark(&s, ':') ||
        !digits(&s, 2, 2, &c.minute) || !mark(&s, ':') ||
        !digits(&s, 2, 2, &c.second))
        return false;
    if (*s && (!mark(&s, '.') || !digits(&s, 3, 3, &ms)))
        return false;
    if (*s || c.year < 1970 || c.year > 2200 || c.month < 1 || c.month > 12 ||
        c.day < 1 || c.day > 31 || c.hour > 23 || c.minute > 59 ||
        c.second > 59)
        return false;
    c.ns = (int32_t)(ms * PL_NS_PER_MS);
    *local_ns = pl_civil_to_ns(&c);
    return pl_civil_of(*local_ns).day == c.day; /* no 31st of February */
}

bool pl_pdh_number_of(const char *cell, double *number)
{
    char text[MOST_NUMBER];
    size_t n = strlen(cell);
    char *comma;

    if (!n || n >= sizeof text || strspn(cell, "0123456789+-.,eE") != n)
        return false;
    memcpy(text, cell, n + 1);
    comma = strchr(text, ',');
    if (comma && (strchr(comma + 1, ',') || strchr(text, '.')))
        return false;
    if (comma)
        *comma = '.';
    return pl_number_read(text, n, number);
}
