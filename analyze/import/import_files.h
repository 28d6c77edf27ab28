/*                                            analyze/import/import_files.h
 * Files that a command reads more than once.  "-", standard input, can be
 * read only once: it is copied into a temporary file first.
 */
#ifndef PL_ANALYZE_IMPORT_IMPORT_FILES_H
#define PL_ANALYZE_IMPORT_IMPORT_FILES_H

#include "format/base/status.h"

struct pl_import_files {
    char **names; /* as they were named; the texts are the caller's */
    char **paths; /* where their bytes are */
    int num;
    int num_refused; /* that are not among them any more */
    int from_stdin;  /* number of the one that was "-"; -1: none */
    char *temporary; /* the copy; NULL: none */
};

/*
 * PL_USAGE: "-" stands there twice.  PL_IO, PL_NOMEM: standard input could not
 * be copied.  To be released in every case.
 */
enum pl_status pl_import_files_open(struct pl_import_files *s, char **names,
                                    int num);

/* Leave file 'i' out; those behind it move up. */
void pl_import_files_refuse(struct pl_import_files *s, int i);

/* What people know file 'i' as. */
const char *pl_import_files_name(const struct pl_import_files *s, int i);

/*
 * What a log made of them calls its source: the first one's name, without its
 * folder, and how many more there are.  To be freed; NULL: no memory.
 */
char *pl_import_files_title(const struct pl_import_files *s);

void pl_import_files_release(struct pl_import_files *s); /* fine for all zero */

#endif
