/* Reads Windows' lists of titles from the registry. */
#include "logger/windows/query_value.h"
#include "logger/windows/titles.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REASON = 200 };

static enum pl_status fetch_list(struct pl_windows_registry *r,
                                 const char *folder, const char *value,
                                 struct pl_title_text *list)
{
    struct pl_buf raw = { 0 };
    uint32_t error;
    enum pl_status status = pl_query_value(r, folder, value, &raw, &error);

    if (!status)
        status = pl_title_text_parse(list, &raw);
    pl_buf_release(&raw);
    return status;
}

/* The performance data knows them by number, else Perflib's folder. */
static enum pl_status fetch_english(struct pl_windows_registry *r,
                                    const char *kind,
                                    struct pl_title_text *list)
{
    char value[16];
    enum pl_status status;

    snprintf(value, sizeof value, "%s 009", kind);
    status = fetch_list(r, NULL, value, list);
    return status && status != PL_NOMEM ? fetch_list(r, "009", kind, list)
                                        : status;
}

/* Names in another language; 'name' is its number, "00C". */
static enum pl_status fetch_language(struct pl_labels *l,
                                     struct pl_windows_registry *r,
                                     const char *name, const char **why)
{
    static char reason[REASON];
    size_t digits = strspn(name, "0123456789abcdefABCDEF");
    enum pl_status status;

    if (digits < 3 || digits > 4 || name[digits]) {
        *why = "--language takes the number of a language of Windows, such as "
               "007";
        return PL_UNSUPPORTED;
    }
    status = fetch_list(r, name, "Counter", &l->names.lists[1]);
    if (status && status != PL_NOMEM) {
        snprintf(reason, sizeof reason,
                 "this Windows has no names in language %s", name);
        *why = reason;
        return PL_UNSUPPORTED;
    }
    if (!status)
        status = fetch_list(r, name, "Help", &l->helps[1]);
    l->languages[1] = (uint16_t)strtoul(name, NULL, 16);
    return status == PL_NOMEM ? status : PL_OK; /* help may be missing */
}

enum pl_status pl_labels_fetch(struct pl_labels *l,
                               struct pl_windows_registry *r,
                               const char *language, const char **why)
{
    enum pl_status status = pl_labels_init(l);

    if (!status)
        status = fetch_english(r, "Counter", &l->names.lists[0]);
    if (status && status != PL_NOMEM) {
        *why = "Windows does not tell the names of its counters; lodctr /R, as "
               "administrator, rebuilds them";
        return PL_IO;
    }
    l->languages[0] = PL_LANGUAGE_ENGLISH;
    if (!status && fetch_english(r, "Help", &l->helps[0]) == PL_NOMEM)
        status = PL_NOMEM;
    if (!status && language)
        status = fetch_language(l, r, language, why);
    return status;
}
