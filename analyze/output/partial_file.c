/* Names of unfinished files, and their removal by a signal. */
#include "analyze/output/partial_file.h"

#include "analyze/output/cleanup_signal.h"
#include "format/base/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_ROOM = 16 };

/* For the signal handler: the unfinished files. */
static char *volatile unfinished[PL_NUM_UNFINISHED];

static void delete_unfinished(void)
{
    for (int i = 0; i < PL_NUM_UNFINISHED; i++)
        if (unfinished[i])
            pl_file_delete(unfinished[i]);
}

char *pl_partial_file_name(const char *path, int i)
{
    size_t cap = strlen(path) + NAME_ROOM;
    char *name = malloc(cap);

    if (name && i)
        snprintf(name, cap, "%s.part-%d", path, i);
    else if (name)
        snprintf(name, cap, "%s.part", path);
    return name;
}

void pl_partial_file_hold(void)
{
    pl_cleanup_signal_catch(delete_unfinished);
    pl_cleanup_signal_hold();
}

void pl_partial_file_guard(enum pl_unfinished kind, char *path)
{
    unfinished[kind] = path;
    pl_cleanup_signal_release();
}
