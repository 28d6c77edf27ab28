/*                                            analyze/output/partial_file.h
 * The name of a file until it is complete: FILE.part beside FILE, or the next
 * free one, FILE.part-1 and so on.  Only new files get it: an existing one
 * could belong to another program, be a link, or be the log that is read.  One
 * unfinished file of each kind at a time.
 */
#ifndef PL_ANALYZE_OUTPUT_PARTIAL_FILE_H
#define PL_ANALYZE_OUTPUT_PARTIAL_FILE_H

enum { PL_MAX_PARTS = 100 }; /* names tried before giving up */

/* The i-th name for 'path', to be freed; NULL: no memory. */
char *pl_partial_file_name(const char *path, int i);

/*
 * From now on signals (cleanup_signal.h) are blocked until
 * pl_partial_file_guard is called: a file is created, but not yet registered.
 */
void pl_partial_file_hold(void);

enum pl_unfinished {
    PL_UNFINISHED_OUTPUT,
    /*
     * a temporary copy, of input that can be read only once or of output to be
     * rewritten
     */
    PL_UNFINISHED_COPY,
    PL_NUM_UNFINISHED
};

/*
 * From now on 'path', which must stay valid, is removed when a signal ends the
 * program.  NULL: nothing is unfinished (any more).  A blocked signal takes
 * effect now.
 */
void pl_partial_file_guard(enum pl_unfinished kind, char *path);

#endif
