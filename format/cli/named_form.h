/*                                                     format/cli/named_form.h
 * What the end of an output's name says of its content: a program that opens
 * FILE.csv expects CSV.  Letters of either case are the same.
 */
#ifndef PL_FORMAT_CLI_NAMED_FORM_H
#define PL_FORMAT_CLI_NAMED_FORM_H

#include <stdbool.h>

enum pl_form {
    PL_FORM_TEXT, /* of any other name */
    PL_FORM_LOG,  /* FILE.plog says nothing here: it is PL_FORM_TEXT */
    PL_FORM_CSV,
    PL_FORM_TSV, /* with tabs: no command writes it */
    PL_FORM_JSON,
    PL_FORM_PAGE,
    PL_FORM_WORKBOOK,
    PL_FORM_PARQUET,
    PL_FORM_RULES, /* of diagnose; no name says it */
    PL_NUM_FORMS
};

/* The form that the end of a name says; PL_FORM_TEXT if it says none, or NULL. */
enum pl_form pl_form_named(const char *path);

/*
 * A command writes the forms whose bits, 1 << form, are set in 'writes'.  Where
 * 'path' is named like one of them and '*form' is still PL_FORM_TEXT, it becomes
 * that one.  False: the name says what the command does not write, or another form
 * than '*form'; a message that names the command has been printed.
 */
bool pl_form_settle(const char *command, const char *path, unsigned writes,
                    enum pl_form *form);

#endif
