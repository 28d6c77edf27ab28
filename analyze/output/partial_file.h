/*                                            analyze/output/partial_file.h
 * The name a file bears until it is whole: FILE.part beside FILE, or the next
 * that is free, FILE.part-1 and so on.  It is given to new files only: an
 * existing one could be somebody else's, a link to somewhere, or the very log
 * being read.  One unfinished file of each kind at a time.
 */
#ifndef PL_ANALYZE_OUTPUT_PARTIAL_FILE_H
#define PL_ANALYZE_OUTPUT_PARTIAL_FILE_H

enum { PL_MAX_PARTS = 100 }; /* names tried before giving up */

/* The i-th name for 'path', to be freed; NULL: no memory. */
char *pl_partial_file_name(const char *path, int i);

/*
 * From now on signals (interrupt.h) wait until pl_partial_file_guard is called: a file is
 * made, and not yet known to be ours.
 */
void pl_partial_file_hold(void);

enum pl_unfinished {
    PL_UNFINISHED_OUTPUT,
    PL_UNFINISHED_COPY, /* a temporary one, of what can be read only once, or
                         * of what has yet to be written as it shall be */
    PL_NUM_UNFINISHED
};

/*
 * From now on 'path', which must stay as it is, is removed when a signal ends
 * the program.  NULL: there is nothing unfinished (any more).
 * A signal that waited takes effect now.
 */
void pl_partial_file_guard(enum pl_unfinished kind, char *path);

#endif
