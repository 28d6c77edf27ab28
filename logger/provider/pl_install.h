/*                                             logger/provider/pl_install.h
 * Windows only: making counters known to Performance Monitor and to every
 * other program that reads performance data, since Windows hands counters out
 * by numbers that it alone gives out.  A recorder of perflog needs none of
 * this: it finds what is published by itself, and reads from Windows what is
 * registered there.
 *
 * Windows asks a library for values, perflog_provider.dll, and each program
 * has a copy of its own, "perflog-PROGRAM.dll": by its name it knows whose
 * regions it shows.  The names of the counters go to Windows by lodctr, which
 * gives them their numbers.
 *
 * What this writes: in the folder of the running program (which only
 * administrators should be able to write to, as every program that reads
 * performance data will load what lies there) the library and the two files
 * that lodctr reads, perflog-PROGRAM.ini and .h; in the registry
 * SYSTEM\CurrentControlSet\Services\perflog-PROGRAM\Performance.
 */
#ifndef PL_INSTALL_H
#define PL_INSTALL_H

#include "pl_provider.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Both of these set a library that programs have loaded aside, as
 * "perflog-PROGRAM.dll.N": they keep it until they end.  It is removed at the
 * next start of Windows, or the next time that either is called.
 *
 * Make a table known that 'program' publishes by pl_prov_open, replacing what
 * was known of it.  perflog_provider.dll must lie in the program's folder.  0;
 * else -1, and 'why' says what went wrong.  Needs an administrator.
 */
int pl_prov_install(const char *program, const struct pl_prov_object *table,
                    uint32_t n, char *why, size_t len);

/* Take it all back.  0 also if nothing was there; else as above. */
int pl_prov_uninstall(const char *program, char *why, size_t len);

#ifdef __cplusplus
}
#endif

#endif
