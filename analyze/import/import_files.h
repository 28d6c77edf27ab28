/*                                            analyze/import/import_files.h
 * Files that a command reads more than once.  "-", standard input, can be
 * read only once: it is copied into a temporary file first.
 */
#ifndef PL_ANALYZE_IMPORT_IMPORT_FILES_H
#define PL_ANALYZE_IMPORT_IMPORT_FILES_H

#include "format/base/status.h"

#include <stdbool.h>

struct pl_import_files {
    char **names; /* as they were named; the caller owns the texts */
    char **paths; /* where their bytes are read from */
    int num;
    int num_refused; /* files that were left out */
    int from_stdin;  /* index of the file that was "-"; -1: none */
    char *temporary; /* the copy; NULL: none */
};

/*
 * PL_USAGE: "-" occurs twice.  PL_IO, PL_NOMEM: standard input could not be
 * copied.  Must be released in every case.
 */
enum pl_status pl_import_files_open(struct pl_import_files *s, char **names,
                                    int num);

/* Leave file 'i' out; those after it move up. */
void pl_import_files_refuse(struct pl_import_files *s, int i);

/* The name of file 'i' for messages. */
const char *pl_import_files_name(const struct pl_import_files *s, int i);

/*
 * The source name for a log made of them: the first one's name, without its
 * folder, and how many more there are.  To be freed; NULL: no memory.
 */
char *pl_import_files_title(const struct pl_import_files *s);

/* True if a file is a log of perflog itself, which needs no import. */
bool pl_import_files_is_log(const struct pl_import_files *s, int i);

/* allowed for all zero */
void pl_import_files_release(struct pl_import_files *s);

#endif
