/*                                   logger/linux/processes/bpf/namespace.h
 * The pid namespace of this program.
 */
#ifndef PL_LOGGER_LINUX_PROCESSES_BPF_NAMESPACE_H
#define PL_LOGGER_LINUX_PROCESSES_BPF_NAMESPACE_H

#include <stdint.h>
#include <sys/stat.h>

/* Its number; 0 if it is the initial one (linux/proc_ns.h), or not known. */
static inline uint32_t pl_own_namespace(void)
{
    const ino_t first = 0xEFFFFFFC; /* PROC_PID_INIT_INO */
    struct stat st;

    if (stat("/proc/self/ns/pid", &st) || st.st_ino == first)
        return 0;
    return (uint32_t)st.st_ino;
}

#endif
