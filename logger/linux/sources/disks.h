/*                                             logger/linux/sources/disks.h
 * The fields of /proc/diskstats (block/genhd.c), shared by disks and mounted
 * file systems.
 */
#ifndef PL_LOGGER_LINUX_SOURCES_DISKS_H
#define PL_LOGGER_LINUX_SOURCES_DISKS_H

#include "logger/linux/machine/source.h"

/* clang-format off */
/* The columns in the kernel's order, then attributes of /sys. */
enum {
    PL_DISK_MAJOR, PL_DISK_MINOR, PL_DISK_READS, PL_DISK_READS_MERGED,
    PL_DISK_READ_SECTORS, PL_DISK_READ_MS, PL_DISK_WRITES,
    PL_DISK_WRITES_MERGED, PL_DISK_WRITE_SECTORS, PL_DISK_WRITE_MS,
    PL_DISK_IN_FLIGHT, PL_DISK_BUSY_MS, PL_DISK_WEIGHTED_MS,
    PL_DISK_DISCARDS, PL_DISK_DISCARDS_MERGED, PL_DISK_DISCARD_SECTORS,
    PL_DISK_DISCARD_MS, PL_DISK_FLUSHES, PL_DISK_FLUSH_MS,
    PL_NUM_DISK_COLUMNS,
    PL_DISK_SECTORS = PL_NUM_DISK_COLUMNS, PL_DISK_DISKSEQ,
    PL_DISK_DATA_FLAGS, /* PL_LEFT_OUT_OF_TOTAL: it uses other devices */
    PL_DISK_IN_FILE, /* its data are in a file, as of loop devices */
    PL_DISK_EXAMINED_NS, /* CLOCK_MONOTONIC, no field */
    PL_NUM_DISK_FIELDS
};
/* clang-format on */

/* One per column, group 0. */
extern const struct pl_field pl_disk_fields[PL_NUM_DISK_FIELDS];

/* The row of a device, searched from 'guess'; PL_NO_ROW if there is none. */
size_t pl_disk_row(const struct pl_source_rows *disks, uint64_t major,
                   uint64_t minor, size_t guess);

/* True if the default total of disks has it: it is a disk, not a partition, and
 * uses no other device. */
bool pl_disk_is_summed(const struct pl_source_rows *disks, size_t row);

#endif
