/*                                                logger/windows/registry.h
 * Interface to Windows' registry: the performance data key, and the titles
 * below Perflib.  registry_windows.c implements it; tests have their own.
 */
#ifndef PL_WINDOWS_REGISTRY_H
#define PL_WINDOWS_REGISTRY_H

#include "format/base/status.h"

#include <stdint.h>

/* Windows' error for a buffer that is too small. */
enum { PL_ERROR_MORE_DATA = 234 };

struct pl_windows_registry {
    /*
     * RegQueryValueEx: put the value called 'value' of Perflib's folder
     * 'folder' ("009"), or of the performance data (NULL), into the *len bytes
     * at 'p'.  Returns Windows' error; *len is what Windows makes of it.
     */
    uint32_t (*query)(struct pl_windows_registry *r, const char *folder,
                      const char *value, void *p, uint32_t *len);
    /* RegCloseKey of the performance data, which lets its providers go. */
    void (*let_go)(struct pl_windows_registry *r);
    void (*close)(struct pl_windows_registry *r);
};

/*
 * The registry of this machine, or of 'host' ("\\NAME").  PL_IO: *why says
 * in a line what Windows refused; PL_NOMEM.
 */
enum pl_status pl_windows_registry_open(struct pl_windows_registry **out,
                                        const char *host, const char **why);

#endif
