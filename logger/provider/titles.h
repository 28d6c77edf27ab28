/*                                                 logger/provider/titles.h
 * Numbers of a table's names on Windows, relative to the one that lodctr
 * assigns to the first: shared by the installer (install_windows.c) and the
 * library that returns them (windows/dll/).
 *
 *     0          the object "Perflog Provider PROGRAM", an instance for each
 *                process that publishes the table
 *     2, 4...    its counters, by pl_prov_own_titles
 *     then       each object of the table, followed by its counters; a base has
 *                none of its own.  Help texts are at number + 1.
 */
#ifndef PL_PROVIDER_TITLES_H
#define PL_PROVIDER_TITLES_H

#include "logger/provider/region.h"

/* Both the service's name and, with ".dll", that of its library. */
#define PL_INSTALLED_PREFIX "perflog-"
#define PL_INSTALLED_LIBRARY "perflog_provider.dll" /* what is copied */
#define PL_INSTALLED_KEY "SYSTEM\\CurrentControlSet\\Services\\"
#define PL_INSTALLED_TABLE "Perflog Table"      /* REG_QWORD: def_hash */
#define PL_INSTALLED_OBJECT "Perflog Provider " /* and the program */

enum { PL_OWN_STATE, PL_OWN_BUSY, PL_OWN_REFUSED, PL_OWN_PROCESS, PL_NUM_OWN };

struct pl_prov_title {
    const char *name, *help;
};

static const struct pl_prov_title pl_prov_own_object = {
    PL_INSTALLED_OBJECT, "Processes that publish these counters."
};

static const struct pl_prov_title pl_prov_own_titles[PL_NUM_OWN] = {
    [PL_OWN_STATE] = { "State", "0 live, 1 final (its last values), 3 busy, "
                                "4 duplicate." },
    [PL_OWN_BUSY] = { "Busy Sets", "Sets in which a group of updates did not "
                                   "end while it was waited for." },
    [PL_OWN_REFUSED] = { "Instances Refused",
                         "Instances that the application could not add." },
    [PL_OWN_PROCESS] = { "ID Process", "Process number." },
};

/* The number of the table's first object. */
enum { PL_OWN_END = 2 + 2 * PL_NUM_OWN };

#endif
