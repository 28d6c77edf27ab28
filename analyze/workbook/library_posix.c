/* Loads libxlsxwriter. */
#include "analyze/workbook/library.h"

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

/* The library prints to the standard error, which leads nowhere meanwhile. */
lxw_error pl_xlsx_close(lxw_workbook *workbook)
{
    int kept = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    bool silent = kept >= 0 && nowhere >= 0 &&
                  dup2(nowhere, STDERR_FILENO) == STDERR_FILENO;
    lxw_error error;
    int cause;

    errno = 0;
    error = pl_xlsx.workbook_close(workbook);
    cause = errno;
    if (silent)
        dup2(kept, STDERR_FILENO);
    if (kept >= 0)
        close(kept);
    if (nowhere >= 0)
        close(nowhere);
    errno = cause;
    return error;
}

const char *pl_xlsx_folder(const char **variable)
{
    const char *folder = getenv("TMPDIR");

    *variable = "TMPDIR";
    return folder && *folder ? folder : "/tmp";
}
