/* Names of unfinished files, and their end by a signal. */
#include "analyze/part.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_ROOM = 16 };

/* For the signal handler: what is unfinished now. */
static char *volatile unfinished[PL_NUM_UNFINISHED];
static volatile sig_atomic_t is_held, waiting; /* signal that came meanwhile */

static void on_signal(int sig)
{
    if (is_held) {
        waiting = sig;
        signal(sig, on_signal);
        return;
    }
    for (int i = 0; i < PL_NUM_UNFINISHED; i++)
        if (unfinished[i])
            remove(unfinished[i]);
    signal(sig, SIG_DFL);
    raise(sig);
}

char *pl_part_name(const char *path, int i)
{
    size_t cap = strlen(path) + NAME_ROOM;
    char *name = malloc(cap);

    if (name && i)
        snprintf(name, cap, "%s.part-%d", path, i);
    else if (name)
        snprintf(name, cap, "%s.part", path);
    return name;
}

void pl_part_hold(void)
{
    is_held = 1;
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
}

void pl_part_guard(enum pl_unfinished kind, char *path)
{
    unfinished[kind] = path;
    is_held = 0;
    if (waiting)
        on_signal(waiting);
}
