/*
 * Files that print every section as two lines, the names of its numbers and
 * the numbers: /proc/net/snmp and /proc/net/netstat (net/ipv4/proc.c).  A
 * source is one section; its fields are the names present at opening.
 */
#include "logger/linux/machine/proctext.h"
#include "logger/linux/machine/source.h"

#include <stdlib.h>
#include <string.h>

enum { NO_FIELD = UINT16_MAX, MAX_COLUMNS = 1024 };

struct headed {
    struct pl_source base;
    struct pl_procfile *file;
    char *names;          /* the header at opening: fields point into it */
    struct pl_buf header; /* the one that 'field_of' is made for */
    uint16_t field_of[MAX_COLUMNS];
    size_t num_columns;
};

/* Skip "Tcp:"; false if the line belongs to another section. */
static bool take_label(const struct headed *h, struct pl_proctext *line)
{
    const char *label = h->base.kind->columns.prefix;
    size_t n = strlen(label);

    if ((size_t)(line->end - line->p) <= n || memcmp(line->p, label, n) != 0 ||
        line->p[n] != ':')
        return false;
    line->p += n + 1;
    return true;
}

/* Find the two lines of the section; false if they are missing. */
static bool find_section(const struct headed *h, struct pl_text text,
                         struct pl_proctext *header, struct pl_proctext *values)
{
    struct pl_proctext rest = pl_proctext_of(text);

    while (pl_proctext_line(&rest, header))
        if (take_label(h, header))
            return pl_proctext_line(&rest, values) && take_label(h, values);
    return false;
}

static size_t find_name(const struct headed *h, struct pl_text name,
                        size_t guess)
{
    size_t n = h->base.num_fields;

    for (size_t i = 0; i < n; i++) {
        const struct pl_field *f = &h->base.fields[(guess + i) % n];

        if (f->name_len == name.n && !memcmp(f->name, name.p, name.n))
            return (guess + i) % n;
    }
    return NO_FIELD;
}

/* Map columns to fields; fields without a column become absent. */
static enum pl_status learn_columns(struct headed *h, struct pl_proctext header)
{
    bool seen[MAX_COLUMNS] = { false };
    struct pl_text name;

    pl_buf_clear(&h->header);
    pl_buf_bytes(&h->header, header.p, (size_t)(header.end - header.p));
    h->num_columns = 0;
    while (h->num_columns < MAX_COLUMNS && pl_proctext_word(&header, &name)) {
        size_t f = find_name(h, name, h->num_columns);

        if (f != NO_FIELD && seen[f])
            f = NO_FIELD;
        if (f != NO_FIELD)
            seen[f] = true;
        h->field_of[h->num_columns++] = (uint16_t)f;
    }
    for (size_t f = 0; f < h->base.num_fields; f++)
        pl_source_set_present(&h->base, f, seen[f]);
    return h->header.oom ? PL_NOMEM : PL_OK;
}

static bool is_known(const struct headed *h, struct pl_proctext header)
{
    size_t n = (size_t)(header.end - header.p);

    return n && n == h->header.len && !memcmp(header.p, h->header.p, n);
}

/* False if there are fewer numbers than names. */
static bool take_values(const struct headed *h, struct pl_proctext line,
                        uint64_t *values)
{
    for (size_t i = 0; i < h->num_columns; i++) {
        uint64_t v;

        if (!pl_proctext_number(&line, &v))
            return false;
        if (h->field_of[i] != NO_FIELD)
            values[h->field_of[i]] = v;
    }
    return true;
}

enum pl_status pl_snmp_file_read(struct pl_source *s)
{
    struct headed *h = (struct headed *)s;
    struct pl_proctext header, line;
    struct pl_text text = pl_procfile_read(h->file);
    bool found = text.p && find_section(h, text, &header, &line);
    uint64_t *values;

    if (!s->num_fields)
        return PL_OK;
    values = pl_source_rows_add(&s->rows, (struct pl_text){ NULL, 0 });
    if (!values)
        return PL_NOMEM;
    if (found && !is_known(h, header) && learn_columns(h, header))
        return PL_NOMEM;
    pl_source_set_readable(s, found && take_values(h, line, values));
    return PL_OK;
}

void pl_snmp_file_close(struct pl_source *s)
{
    struct headed *h = (struct headed *)s;

    free(h->names);
    pl_buf_release(&h->header);
    pl_source_release(s);
    free(h);
}

static size_t count_words(struct pl_proctext line)
{
    struct pl_text word;
    size_t n = 0;

    while (pl_proctext_word(&line, &word))
        n++;
    return n;
}

static enum pl_status learn_names(struct headed *h, struct pl_proctext header)
{
    size_t n = (size_t)(header.end - header.p), num = count_words(header);
    struct pl_proctext rest;
    struct pl_text name;

    num = num < MAX_COLUMNS ? num : MAX_COLUMNS;
    h->names = malloc(n + 1);
    h->base.fields = calloc(num + 1, sizeof *h->base.fields);
    if (!h->names || !h->base.fields)
        return PL_NOMEM;
    memcpy(h->names, header.p, n);
    rest = pl_proctext_of((struct pl_text){ h->names, n });
    while (h->base.num_fields < num && pl_proctext_word(&rest, &name))
        h->base.fields[h->base.num_fields++] = (struct pl_field){
            .name = name.p,
            .name_len = name.n,
            .group = PL_NO_GROUP,
            .present = true,
        };
    h->base.rows.width = h->base.before.width = h->base.num_fields;
    return PL_OK;
}

enum pl_status pl_snmp_file_open(struct pl_source **out, struct pl_machine *m,
                                 const struct pl_source_kind *kind)
{
    struct headed *h = calloc(1, sizeof *h);
    struct pl_proctext header, line;
    enum pl_status s;

    if (!h)
        return PL_NOMEM;
    s = pl_source_init(&h->base, m, kind);
    if (!s)
        s = pl_procfile_open(&h->file, m, kind->path, kind->file_kind);
    if (!s) {
        h->base.readable =
            find_section(h, pl_procfile_read(h->file), &header, &line);
        if (h->base.readable)
            s = learn_names(h, header);
    }
    if (s) {
        pl_snmp_file_close(&h->base);
        return s;
    }
    *out = &h->base;
    return PL_OK;
}
