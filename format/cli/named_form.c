/* Forms of output, and how files of them are named. */
#include "format/cli/named_form.h"

#include "format/base/text.h"
#include "format/block/counter_path.h"
#include "format/cli/message.h"

#include <stddef.h>

static const struct {
    const char *pattern;
    enum pl_form form;
} names[] = {
    { "*.csv", PL_FORM_CSV },         { "*.tsv", PL_FORM_TSV },
    { "*.json", PL_FORM_JSON },       { "*.html", PL_FORM_PAGE },
    { "*.htm", PL_FORM_PAGE },        { "*.xlsx", PL_FORM_WORKBOOK },
    { "*.parquet", PL_FORM_PARQUET },
};

static const char *const words[PL_NUM_FORMS] = {
    [PL_FORM_TEXT] = "text",
    [PL_FORM_LOG] = "a log",
    [PL_FORM_CSV] = "CSV",
    [PL_FORM_TSV] = "TSV",
    [PL_FORM_JSON] = "JSON",
    [PL_FORM_PAGE] = "a page",
    [PL_FORM_WORKBOOK] = "a workbook",
    [PL_FORM_PARQUET] = "Parquet",
    [PL_FORM_RULES] = "a table of rules",
};

enum pl_form pl_form_named(const char *path)
{
    for (size_t i = 0; path && i < sizeof names / sizeof *names; i++)
        if (pl_pattern_match(pl_text_of(names[i].pattern), pl_text_of(path)))
            return names[i].form;
    return PL_FORM_TEXT;
}

bool pl_form_settle(const char *command, const char *path, unsigned writes,
                    enum pl_form *form)
{
    enum pl_form named = pl_form_named(path);

    if (named == PL_FORM_TEXT || named == *form)
        return true;
    if (*form == PL_FORM_TEXT && writes & 1U << named) {
        *form = named;
        return true;
    }
    pl_say("%s: '%s' is named like %s, and %s is written; name another file%s",
           command, path, words[named], words[*form],
           writes & 1U << named ? ", or leave out the option that chooses it"
                                : "");
    return false;
}
