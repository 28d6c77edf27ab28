/* Loads libxlsxwriter. */
#include "analyze/export/xlsx_library.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

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

const char *pl_xlsx_folder(const char **variable)
{
    const char *folder = getenv("TMPDIR");

    *variable = "TMPDIR";
    return folder && *folder ? folder : "/tmp";
}
