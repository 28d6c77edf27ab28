/*                                              analyze/report/page_frame.h
 * What pages of charts share: one file of HTML that needs no other file, with
 * the style, uPlot and the script of analyze/report/script/, which draws the
 * charts of the markup from data.  In this order:
 *
 *     pl_page_open_head   then the title, as text
 *     pl_page_close_head  then <header>
 *     pl_page_open_main   then what is above the charts
 *     pl_page_toolbar     then sections of charts, as charts_html.c writes them
 *     pl_page_close_main  then the data, as data.c writes it
 *     pl_page_close
 *
 * Failures are kept in 'h'.
 */
#ifndef PL_ANALYZE_REPORT_PAGE_FRAME_H
#define PL_ANALYZE_REPORT_PAGE_FRAME_H

#include "analyze/output/html.h"

#include <stddef.h>
#include <stdint.h>

void pl_page_open_head(struct pl_html *h);
void pl_page_close_head(struct pl_html *h);
void pl_page_open_main(struct pl_html *h);

/* 'hosts': names, of which one can be chosen; of one host there is no choice. */
void pl_page_toolbar(struct pl_html *h, const char *const *hosts, size_t num);

/* 'explanation': sentences for the footer, each with a blank after it. */
void pl_page_close_main(struct pl_html *h, const char *explanation);

void pl_page_close(struct pl_html *h);

/* ---- figures in the markup ----------------------------------------------- */

/*
 * The unit given in a counter's name; the script formats its figures with the
 * same one, from data-unit.
 */
const char *pl_page_unit(const char *counter);

/* "12.3 %", "1.234 MB/s", "1.2 ms": four digits, and powers of 1000. */
void pl_page_figure(struct pl_html *h, double v, const char *unit);

/* ---- numbers in the data (data.c) ---------------------------------------- */

/* More digits than a chart can show, and half of those of a double. */
enum { PL_PAGE_DIGITS = 6 };

/* What a page draws of a point, in this order. */
enum pl_page_figure {
    PL_PAGE_LEAST,
    PL_PAGE_MEAN,
    PL_PAGE_GREATEST,
    PL_PAGE_FIGURES
};

void pl_page_data_number(struct pl_html *h, double v, unsigned digits);

/* Seconds since 1970, to the millisecond. */
void pl_page_data_instant(struct pl_html *h, int64_t ns);

/* [instant, seconds east of UTC since then], for a span of time. */
void pl_page_data_offsets(struct pl_html *h, int64_t from_ns, int64_t to_ns);

#endif
