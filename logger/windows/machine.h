/*                                                 logger/windows/machine.h
 * Facts of this machine, for the SESS record (machine_windows.c).
 */
#ifndef PL_WINDOWS_MACHINE_H
#define PL_WINDOWS_MACHINE_H

#include <stdint.h>

struct pl_machine_facts {
    char host[256]; /* UTF-8 */
    char os[64];    /* "Windows 10.0.19045" */
    const char *architecture;
    uint32_t num_cpus;
    uint32_t page_size;
    uint64_t machine_hash; /* of the machine's GUID; 0: unknown */
};

void pl_machine_facts_read(struct pl_machine_facts *facts);

#endif
