/*                                             logger/linux/machine/units.h
 * Conversion from the units of /proc to those of a block: bytes and 100 ns.
 * Factors that depend on the machine are filled in once.
 */
#ifndef PL_LOGGER_LINUX_MACHINE_UNITS_H
#define PL_LOGGER_LINUX_MACHINE_UNITS_H

#include <stdbool.h>
#include <stdint.h>

/* clang-format off */
enum pl_unit {
    PL_PLAIN,
    PL_TICKS,        /* of sysconf(_SC_CLK_TCK); stored in 100 ns */
    PL_MS,           /* stored in 100 ns, as are the next two */
    PL_US,
    PL_NS,
    PL_SINCE_BOOT,   /* 100 ns of CLOCK_BOOTTIME; stored as a FILETIME */
    PL_KIB,          /* stored in bytes, as are the next two */
    PL_PAGES,
    PL_SECTORS,      /* of 512 bytes, regardless of the device's block size */
    PL_KIB_TO_PAGES,
    PL_KIB_TO_MIB,
    PL_BYTES_TO_MIB,
    PL_WIDE,         /* low 32 bits, widened; else plain */
    PL_WIDE_MS,      /* the same, then 100 ns */
    PL_LOW_32,       /* of a total that Windows keeps in 32 bits */
    PL_PER_1000,
    PL_NUM_UNITS
};
/* clang-format on */

/* stored = value * multiply / divide + add, modulo 2^64. */
struct pl_conversion {
    uint64_t multiply;
    uint64_t divide;
    uint64_t add;
    bool widen; /* the kernel prints the low 32 bits of a growing number */
    bool wraps; /* in 4 bytes, where gauges stop at the largest value */
};

/* 'boot_100ns': the FILETIME at which CLOCK_BOOTTIME was 0. */
void pl_units_fill(struct pl_conversion units[PL_NUM_UNITS],
                   uint64_t boot_100ns);

/*
 * Most units divide by 1, and a division takes as long as all other work on a
 * value.  With "!= 1" as the condition compilers would always divide.
 */
static inline uint64_t pl_convert(const struct pl_conversion *c, uint64_t v)
{
    v *= c->multiply;
    if (c->divide > 1)
        v /= c->divide;
    return v + c->add;
}

#endif
