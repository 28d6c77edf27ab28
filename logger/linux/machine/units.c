/* Converts the units of /proc to those of a block. */
#include "logger/linux/machine/units.h"

#include <string.h>
#include <unistd.h>

enum { UNITS_PER_SEC = 10000000, KIB = 1024, SECTOR = 512 };

static const struct pl_conversion fixed[PL_NUM_UNITS] = {
    [PL_PLAIN] = { 1, 1, 0, false, false },
    [PL_TICKS] = { UNITS_PER_SEC, 100, 0, false, false },
    [PL_MS] = { 10000, 1, 0, false, false },
    [PL_US] = { 10, 1, 0, false, false },
    [PL_NS] = { 1, 100, 0, false, false },
    [PL_SINCE_BOOT] = { 1, 1, 0, false, false },
    [PL_KIB] = { KIB, 1, 0, false, false },
    [PL_PAGES] = { 1, 1, 0, false, false },
    [PL_SECTORS] = { SECTOR, 1, 0, false, false },
    [PL_KIB_TO_PAGES] = { KIB, 1, 0, false, false },
    [PL_KIB_TO_MIB] = { 1, KIB, 0, false, false },
    [PL_BYTES_TO_MIB] = { 1, (uint64_t)KIB *KIB, 0, false, false },
    [PL_WIDE] = { 1, 1, 0, true, false },
    [PL_WIDE_MS] = { 10000, 1, 0, true, false },
    [PL_LOW_32] = { 1, 1, 0, false, true },
    [PL_PER_1000] = { 1, 1000, 0, false, false },
};

/* Divide by the greatest common divisor: smaller factors overflow later. */
static void reduce(struct pl_conversion *c)
{
    uint64_t a = c->multiply, b = c->divide;

    while (b) {
        uint64_t rest = a % b;

        a = b;
        b = rest;
    }
    c->multiply /= a;
    c->divide /= a;
}

void pl_units_fill(struct pl_conversion units[PL_NUM_UNITS],
                   uint64_t boot_100ns)
{
    long ticks = sysconf(_SC_CLK_TCK), page = sysconf(_SC_PAGESIZE);

    memcpy(units, fixed, sizeof fixed);
    if (ticks > 0)
        units[PL_TICKS].divide = (uint64_t)ticks;
    if (page > 0) {
        units[PL_PAGES].multiply = (uint64_t)page;
        units[PL_KIB_TO_PAGES].divide = (uint64_t)page;
    }
    units[PL_SINCE_BOOT].add = boot_100ns;
    for (unsigned i = 0; i < PL_NUM_UNITS; i++)
        reduce(&units[i]);
}
