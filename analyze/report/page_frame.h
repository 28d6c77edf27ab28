/*                                              analyze/report/page_frame.h
 * What pages of charts share: one file of HTML that needs no other file, with
 * the style, uPlot and the script of analyze/report/page.js, which draws the
 * charts of the markup from data.  In this order:
 *
 *     pl_page_open_head   then the title, as text
 *     pl_page_close_head  then <header>
 *     pl_page_open_main   then sections of charts, as page.c writes them
 *     pl_page_close_main  then the data, as data.c writes it
 *     pl_page_close
 *
 * Failures are kept in 'h'.
 */
#ifndef PL_ANALYZE_REPORT_PAGE_FRAME_H
#define PL_ANALYZE_REPORT_PAGE_FRAME_H

#include "analyze/output/html.h"

#include <stdint.h>

void pl_page_open_head(struct pl_html *h);
void pl_page_close_head(struct pl_html *h);
void pl_page_open_main(struct pl_html *h);

/* 'explanation': sentences for the footer, each with a blank after it. */
void pl_page_close_main(struct pl_html *h, const char *explanation);

void pl_page_close(struct pl_html *h);

/* ---- figures in the markup ----------------------------------------------- */

/*
 * The unit given in a counter's name; the script formats its figures with the
 * same one, from data-unit.
 */
const char *pl_page_unit(const char *counter);

/* "12.3 %", "1.234 MB/s": four digits, and powers of 1000. */
void pl_page_figure(struct pl_html *h, double v, const char *unit);

/* ---- numbers in the data (data.c) ---------------------------------------- */

/* As many digits as a chart can show. */
void pl_page_data_number(struct pl_html *h, double v);

/* Seconds since 1970, to the millisecond. */
void pl_page_data_instant(struct pl_html *h, int64_t ns);

/* [instant, seconds east of UTC since then], for a span of time. */
void pl_page_data_offsets(struct pl_html *h, int64_t from_ns, int64_t to_ns);

#endif
