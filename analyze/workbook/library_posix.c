/* Loads libxlsxwriter. */
#include "analyze/workbook/library.h"
#include "format/base/status.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct pl_xlsx_calls pl_xlsx;

/* clang-format off */
static const struct {
    const char *name;
    size_t offset; /* of the pointer in the table */
} calls[] = {
#define ROW(name) { #name, offsetof(struct pl_xlsx_calls, name) },
    PL_XLSX_CALLS(ROW)
#undef ROW
};
/* clang-format on */

bool pl_xlsx_library_load(void)
{
    void *library = dlopen(PL_XLSX_SONAME, RTLD_NOW | RTLD_LOCAL);

    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        void *call = library ? dlsym(library, calls[i].name) : NULL;

        if (!call)
            return false;
        memcpy((char *)&pl_xlsx + calls[i].offset, &call, sizeof call);
    }
    return true;
}

bool pl_xlsx_silence_open(struct pl_xlsx_silence *s)
{
    s->kept = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (s->kept < 0)
        return false;
    s->nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    s->is_open = s->nowhere >= 0;
    if (!s->is_open) {
        PL_KEEP_ERRNO;

        close(s->kept);
    }
    return s->is_open;
}

void pl_xlsx_silence_close(struct pl_xlsx_silence *s)
{
    if (!s->is_open)
        return;
    close(s->kept);
    close(s->nowhere);
    s->is_open = false;
}

/* From here on what is printed to the standard error leads nowhere. */
static void begin(const struct pl_xlsx_silence *s)
{
    dup2(s->nowhere, STDERR_FILENO);
    errno = 0;
}

static void end(const struct pl_xlsx_silence *s)
{
    PL_KEEP_ERRNO;

    dup2(s->kept, STDERR_FILENO);
}

lxw_worksheet *pl_xlsx_add(const struct pl_xlsx_silence *s,
                           lxw_workbook *workbook, const char *name)
{
    lxw_worksheet *sheet;

    begin(s);
    sheet = pl_xlsx.workbook_add_worksheet(workbook, name);
    end(s);
    return sheet;
}

lxw_error pl_xlsx_close(const struct pl_xlsx_silence *s, lxw_workbook *workbook)
{
    lxw_error error;

    begin(s);
    error = pl_xlsx.workbook_close(workbook);
    end(s);
    return error;
}

const char *pl_xlsx_folder(const char **variable)
{
    const char *folder = getenv("TMPDIR");

    *variable = "TMPDIR";
    return folder && *folder ? folder : "/tmp";
}
