/*                                                analyze/output/readable.h
 * Figures for people: few digits, and a prefix instead of many of them, as in
 * "42.1 MB/s".  Prefixes are powers of 1000.  For programs: number.h.
 */
#ifndef PL_ANALYZE_OUTPUT_READABLE_H
#define PL_ANALYZE_OUTPUT_READABLE_H

enum pl_figure_unit {
    PL_UNIT_NUMBER,           /* 1.23, 12.3, 123, 12.3 k */
    PL_UNIT_CODE,             /* 65534: it is no amount */
    PL_UNIT_PERCENT,          /* 12.3 % */
    PL_UNIT_BYTES,            /* 42.1 MB */
    PL_UNIT_BYTES_PER_SECOND, /* 42.1 MB/s */
    PL_UNIT_PER_SECOND,       /* 12.3 k/s */
    PL_UNIT_SECONDS,          /* 1.23 ms */
    PL_UNIT_DURATION,         /* 3d4h: seconds */
    PL_NUM_UNITS
};

enum { PL_READABLE_TEXT = 48 };

/* "-" if it is not finite.  Returns 'out'. */
const char *pl_readable(double v, enum pl_figure_unit unit,
                        char out[PL_READABLE_TEXT]);

/*
 * The unit in a counter's name as Windows and perflog write them: "% Processor
 * Time", "Disk Bytes/sec", "Avg. Disk sec/Read".
 */
enum pl_figure_unit pl_unit_of_counter(const char *name);

#endif
