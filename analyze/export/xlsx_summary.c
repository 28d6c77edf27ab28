/* Writes lines of a name and a value. */
#include "analyze/export/xlsx_summary.h"

#include "format/base/time_text.h"
#include "format/base/zone.h"

#include <stdio.h>
#include <string.h>

enum { MOST_FILES = 1000 }; /* files that are named one by one */

struct lines {
    struct pl_xlsx_book *book;
    struct pl_xlsx_at at;
};

static void begin_line(struct lines *l, const char *name)
{
    l->at.column = 0;
    pl_xlsx_put_header(l->book, l->at, name, strlen(name));
    l->at.column = 1;
}

static void text_line(struct lines *l, const char *name, const char *text)
{
    begin_line(l, name);
    if (*text)
        pl_xlsx_put_text(l->book, l->at, text, strlen(text));
    l->at.row++;
}

static void count_line(struct lines *l, const char *name, uint64_t count)
{
    begin_line(l, name);
    pl_xlsx_put_number(l->book, l->at, (double)count);
    l->at.row++;
}

static void time_line(struct lines *l, const char *name, int64_t utc_ns)
{
    begin_line(l, name);
    pl_xlsx_put_time(l->book, l->at, utc_ns);
    l->at.row++;
}

static void put_sources(struct lines *l, const struct pl_query *e)
{
    size_t files = 0;

    for (const struct pl_host *h = e->registry.hosts; h; h = h->next)
        text_line(l, "Host", h->name);
    for (size_t i = 0; i < e->tapes.num; i++)
        for (size_t k = 0; k < e->tapes.tapes[i].num_paths; k++)
            if (files++ < MOST_FILES)
                text_line(l, "Log", e->tapes.tapes[i].paths[k]);
    if (files > MOST_FILES)
        count_line(l, "Further logs", files - MOST_FILES);
}

static void put_span(struct lines *l, const struct pl_query *e)
{
    text_line(l, "Time zone", pl_zone_name());
    time_line(l, "First row", e->first_ns);
    time_line(l, "Last row", e->last_ns);
    for (size_t i = 0; i < e->tapes.num; i++) {
        uint64_t ns = pl_replay_interval(e->replays[i]);
        char text[PL_DURATION_TEXT];

        text_line(l, "Interval", ns ? pl_duration_text(ns, text) : "none");
    }
    count_line(l, "Rows", e->rows);
}

/* List what is missing or blank in the sheets. */
static void put_losses(struct lines *l, const struct pl_query *e,
                       const uint64_t *blanks)
{
    const struct pl_replay_losses *p = &e->losses;
    char name[64];

    count_line(l, "Samples missing", p->missing);
    count_line(l, "Damaged ranges", p->damaged_ranges);
    count_line(l, "Damaged bytes", p->damaged_bytes);
    count_line(l, "Samples lost by damage", p->unreachable + p->malformed);
    count_line(l, "Samples too large", p->too_large);
    count_line(l, "Records too new", p->too_new);
    for (int i = 1; i < PL_NUM_CELLS; i++)
        if (blanks[i]) {
            snprintf(name, sizeof name, "Blank cells: %s",
                     pl_cell_name((enum pl_cell)i));
            count_line(l, name, blanks[i]);
        }
}

void pl_xlsx_put_summary(struct pl_xlsx_book *b, const struct pl_query *e,
                         uint32_t num_series,
                         const struct pl_xlsx_charts *charts,
                         const uint64_t blanks[PL_NUM_CELLS])
{
    struct lines l = { b, { PL_XLSX_ON_SUMMARY, 0, 0 } };

    put_sources(&l, e);
    put_span(&l, e);
    count_line(&l, "Series", num_series);
    put_losses(&l, e, blanks);
    if (charts->lines_left_out)
        count_line(&l, "Series without chart", charts->lines_left_out);
    if (!e->plan->paths.num)
        text_line(&l, "Choice",
                  e->plan->replay.choice.brief
                      ? "all, but of the processes only their sum"
                      : "all");
    if (e->plan->top.num)
        count_line(&l, "Busiest instances of each object", e->plan->top.num);
    for (size_t i = 0; i < e->plan->paths.num; i++)
        text_line(&l, "Choice", e->plan->paths.texts[i]);
    text_line(&l, "Made by", "perflog " PL_VERSION);
}
