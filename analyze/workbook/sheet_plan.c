/* Plans the sheets of a workbook. */
#include "analyze/workbook/sheet_plan.h"

#include "format/base/array.h"
#include "format/base/utf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct pl_xlsx_limits pl_xlsx_limits = {
    .rows = 1048576,
    .columns = 16384,
    .sheets = 200,
};

/* ---- text ---------------------------------------------------------------- */

/* Excel has it for the changes of a shared workbook. */
static const char reserved[] = "History";

static size_t units_of(uint32_t code)
{
    return code > 0xFFFF ? 2 : 1;
}

/* The number of bytes of 'p' that are at most 'max' UTF-16 units. */
static size_t fitting(const uint8_t *p, size_t n, size_t max)
{
    size_t at = 0, units = 0;

    while (at < n) {
        size_t len;

        units += units_of(pl_utf8_decode(p + at, n - at, &len));
        if (units > max)
            break;
        at += len;
    }
    return at;
}

/* XML has no U+FFFE and U+FFFF; U+FFFD is as long. */
static void replace_no_letters(struct pl_buf *b)
{
    for (size_t i = 2; i < b->len; i++)
        if (b->p[i - 2] == 0xEF && b->p[i - 1] == 0xBF && b->p[i] >= 0xBE)
            b->p[i] = 0xBD;
}

void pl_xlsx_text(struct pl_buf *out, const char *text, size_t n, size_t max)
{
    struct pl_buf visible = { 0 };
    size_t fits;

    pl_utf8_visible(&visible, text, n);
    replace_no_letters(&visible);
    fits = fitting(visible.p, visible.len, max);
    if (fits == visible.len) {
        pl_buf_bytes(out, visible.p, fits);
    } else {
        pl_buf_bytes(out, visible.p, fitting(visible.p, fits, max - 1));
        pl_buf_bytes(out, PL_XLSX_ELLIPSIS, sizeof PL_XLSX_ELLIPSIS - 1);
    }
    out->oom |= visible.oom;
    pl_buf_release(&visible);
}

/* ---- names of sheets ----------------------------------------------------- */

bool pl_xlsx_same_name(const char *a, const char *b)
{
    size_t na = strlen(a), nb = strlen(b), ka, kb;

    while (na && nb) {
        uint32_t x = pl_fold(pl_utf8_decode((const uint8_t *)a, na, &ka));
        uint32_t y = pl_fold(pl_utf8_decode((const uint8_t *)b, nb, &kb));

        if (x != y)
            return false;
        a += ka, na -= ka;
        b += kb, nb -= kb;
    }
    return na == nb;
}

void pl_xlsx_quote(struct pl_buf *out, const char *sheet)
{
    pl_buf_u8(out, '\'');
    for (const char *p = sheet; *p; p++) {
        if (*p == '\'')
            pl_buf_u8(out, '\'');
        pl_buf_u8(out, (uint8_t)*p);
    }
    pl_buf_u8(out, '\'');
}

static bool is_taken(const struct pl_xlsx_plan *p, const char *const *taken,
                     const char *name)
{
    if (pl_xlsx_same_name(reserved, name))
        return true;
    for (; *taken; taken++)
        if (pl_xlsx_same_name(*taken, name))
            return true;
    for (size_t i = 0; i < p->num_sheets; i++)
        if (p->sheets[i].name && pl_xlsx_same_name(p->sheets[i].name, name))
            return true;
    return false;
}

/* Some characters are not allowed, nor an apostrophe at either end. */
static char *name_with(const char *object, const char *suffix)
{
    struct pl_buf b = { 0 };

    pl_xlsx_text(&b, object, strlen(object), PL_XLSX_NAME - strlen(suffix));
    if (!b.len && !*suffix)
        pl_buf_u8(&b, '_');
    pl_buf_bytes(&b, suffix, strlen(suffix) + 1);
    if (b.oom) {
        pl_buf_release(&b);
        return NULL;
    }
    for (size_t i = 0; i + 1 < b.len; i++)
        if (strchr("[]:*?/\\", b.p[i]) ||
            (b.p[i] == '\'' && (i == 0 || i + 2 == b.len)))
            b.p[i] = '_';
    return (char *)b.p;
}

/* "Object", "Object (2)"... the first that is free. */
static char *free_name(const struct pl_xlsx_plan *p, const char *const *taken,
                       const char *object)
{
    char suffix[16] = "";
    char *name = name_with(object, suffix);

    for (int i = 2; name && is_taken(p, taken, name); i++) {
        snprintf(suffix, sizeof suffix, " (%d)", i);
        free(name);
        name = name_with(object, suffix);
    }
    return name;
}

/* ---- sheets -------------------------------------------------------------- */

static bool is_shown(const struct pl_group *g, uint32_t slot)
{
    const struct pl_series *s = pl_group_series(g, slot);

    return s && s->present;
}

/* The sheet of an object, made if 'g' has anything to show on it. */
static enum pl_status find_sheet(struct pl_xlsx_plan *p,
                                 const struct pl_group *g,
                                 const char *const *taken,
                                 struct pl_xlsx_sheet **out)
{
    struct pl_xlsx_sheet *s;

    for (size_t i = 0; i < p->num_sheets; i++)
        if (p->sheets[i].object == g->object) {
            *out = &p->sheets[i];
            return PL_OK;
        }
    if (!pl_array_grow((void **)&p->sheets, &p->cap_sheets, p->num_sheets,
                       sizeof *p->sheets))
        return PL_NOMEM;
    s = &p->sheets[p->num_sheets];
    *s =
        (struct pl_xlsx_sheet){ .object = g->object, .title = g->object->name };
    s->name = free_name(p, taken, s->title);
    if (!s->name)
        return PL_NOMEM;
    p->num_sheets++;
    *out = s;
    return PL_OK;
}

static enum pl_status count_columns(struct pl_xlsx_plan *p,
                                    struct pl_group *const *groups,
                                    size_t num_groups, const char *const *taken,
                                    const struct pl_xlsx_limits *limits)
{
    struct pl_xlsx_sheet *sheet;
    enum pl_status s = PL_OK;

    for (size_t i = 0; i < num_groups; i++)
        for (uint32_t k = 0; k < groups[i]->num_slots && !s; k++)
            if (p->num_sheets <= limits->sheets && is_shown(groups[i], k)) {
                s = find_sheet(p, groups[i], taken, &sheet);
                if (!s)
                    sheet->num++;
                p->num_columns += !s;
            }
    return s;
}

/* Groups of an object are adjacent, except those of other hosts. */
static void fill_columns(struct pl_xlsx_plan *p, struct pl_group *const *groups,
                         size_t num_groups)
{
    uint32_t at = 0;

    for (size_t n = 0; n < p->num_sheets; n++) {
        p->sheets[n].first = at;
        for (size_t i = 0; i < num_groups; i++)
            for (uint32_t k = 0; k < groups[i]->num_slots; k++)
                if (groups[i]->object == p->sheets[n].object &&
                    is_shown(groups[i], k))
                    p->columns[at++] = (struct pl_xlsx_column){
                        .group = groups[i],
                        .slot = k,
                        .unit = pl_unit_of_counter(
                            groups[i]->object->counters[k].name)
                    };
    }
}

enum pl_status pl_xlsx_plan_make(struct pl_xlsx_plan *p,
                                 struct pl_group *const *groups,
                                 size_t num_groups, const char *const *taken,
                                 const struct pl_xlsx_limits *limits)
{
    enum pl_status s;

    *p = (struct pl_xlsx_plan){ .num_pages = 1, .page_rows = UINT64_MAX };
    s = count_columns(p, groups, num_groups, taken, limits);
    p->wanted_sheets = p->num_sheets;
    if (s || p->num_sheets > limits->sheets)
        return s;
    p->cap_columns = p->num_columns + (size_t)1;
    p->columns = malloc(p->cap_columns * sizeof *p->columns);
    if (!p->columns)
        return PL_NOMEM;
    fill_columns(p, groups, num_groups);
    return PL_OK;
}

static enum pl_status add_column(struct pl_xlsx_plan *p,
                                 const struct pl_xlsx_column *column)
{
    if (!pl_array_grow((void **)&p->columns, &p->cap_columns, p->num_columns,
                       sizeof *p->columns))
        return PL_NOMEM;
    p->columns[p->num_columns++] = *column;
    return PL_OK;
}

enum pl_status pl_xlsx_plan_add(struct pl_xlsx_plan *p, const char *title,
                                const char *const *taken,
                                const struct pl_xlsx_column *columns,
                                uint32_t num)
{
    const uint32_t first = p->num_columns;
    enum pl_status s = PL_OK;
    char *name;

    for (uint32_t i = 0; i < num && !s; i++)
        s = add_column(p, &columns[i]);
    name = s ? NULL : free_name(p, taken, title);
    if (!name || !pl_array_grow((void **)&p->sheets, &p->cap_sheets,
                                p->num_sheets, sizeof *p->sheets)) {
        free(name);
        return PL_NOMEM;
    }
    p->sheets[p->num_sheets++] = (struct pl_xlsx_sheet){
        .title = title, .name = name, .first = first, .num = num
    };
    p->wanted_sheets++;
    return PL_OK;
}

enum pl_status pl_xlsx_plan_continue(struct pl_xlsx_plan *p, size_t i,
                                     const char *const *taken)
{
    char *name = free_name(p, taken, p->sheets[i].title);

    if (!name || !pl_array_grow((void **)&p->sheets, &p->cap_sheets,
                                p->num_sheets, sizeof *p->sheets)) {
        free(name);
        return PL_NOMEM;
    }
    p->sheets[p->num_sheets++] = (struct pl_xlsx_sheet){
        .object = p->sheets[i].object, .title = p->sheets[i].title, .name = name
    };
    return PL_OK;
}

/* ---- several sheets of one ----------------------------------------------- */

static uint64_t parts_of(uint64_t num, uint64_t each)
{
    return num > each ? (num - 1) / each + 1 : 1;
}

/* Add the part of 'whole' that begins with its column 'first'. */
static enum pl_status add_part(struct pl_xlsx_plan *p,
                               const struct pl_xlsx_sheet *whole,
                               uint32_t first, uint32_t page, uint32_t each,
                               const char *const *taken)
{
    struct pl_xlsx_sheet *s = &p->sheets[p->num_sheets];
    uint32_t left = whole->num - first;

    *s = (struct pl_xlsx_sheet){ .object = whole->object,
                                 .title = whole->title,
                                 .first = whole->first + first,
                                 .num = left < each ? left : each,
                                 .page = page };
    s->name = free_name(p, taken, whole->title);
    if (!s->name)
        return PL_NOMEM;
    p->num_sheets++;
    return PL_OK;
}

enum pl_status pl_xlsx_plan_split(struct pl_xlsx_plan *p, uint64_t num_rows,
                                  uint32_t num_first, const char *const *taken,
                                  const struct pl_xlsx_limits *limits)
{
    uint32_t each = limits->columns - num_first;
    uint64_t pages = parts_of(num_rows, limits->rows - 1), wanted = 0;
    struct pl_xlsx_plan whole = *p;
    enum pl_status s = PL_OK;

    for (size_t i = 0; i < p->num_sheets; i++)
        wanted += pages * parts_of(p->sheets[i].num, each);
    p->wanted_sheets = wanted > p->wanted_sheets ? wanted : p->wanted_sheets;
    if (p->wanted_sheets > limits->sheets)
        return PL_OK;
    p->sheets = malloc((wanted + 1) * sizeof *p->sheets);
    if (!p->sheets) {
        p->sheets = whole.sheets;
        return PL_NOMEM;
    }
    p->num_sheets = 0;
    p->cap_sheets = wanted + 1;
    p->num_pages = (uint32_t)pages;
    p->page_rows = limits->rows - 1;
    for (size_t i = 0; i < whole.num_sheets; i++)
        for (uint32_t page = 0; page < pages; page++)
            for (uint32_t at = 0; at < whole.sheets[i].num && !s; at += each)
                s = add_part(p, &whole.sheets[i], at, page, each, taken);
    for (size_t i = 0; i < whole.num_sheets; i++)
        free(whole.sheets[i].name);
    free(whole.sheets);
    return s;
}

void pl_xlsx_plan_release(struct pl_xlsx_plan *p)
{
    for (size_t i = 0; i < p->num_sheets; i++)
        free(p->sheets[i].name);
    free(p->sheets);
    free(p->columns);
    *p = (struct pl_xlsx_plan){ 0 };
}

struct pl_xlsx_misfit pl_xlsx_plan_check(const struct pl_xlsx_plan *p,
                                         uint64_t num_rows, uint32_t num_first,
                                         const struct pl_xlsx_limits *limits)
{
    if (p->wanted_sheets > limits->sheets)
        return (struct pl_xlsx_misfit){ "sheets", NULL, p->wanted_sheets,
                                        limits->sheets };
    if (num_rows >= limits->rows && p->page_rows >= limits->rows &&
        p->num_columns)
        return (struct pl_xlsx_misfit){ "rows", NULL, num_rows + 1,
                                        limits->rows };
    for (size_t i = 0; i < p->num_sheets; i++)
        if ((uint64_t)p->sheets[i].num + num_first > limits->columns)
            return (struct pl_xlsx_misfit){ "columns", p->sheets[i].name,
                                            (uint64_t)p->sheets[i].num +
                                                num_first,
                                            limits->columns };
    return (struct pl_xlsx_misfit){ 0 };
}
