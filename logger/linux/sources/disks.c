/*
 * /proc/diskstats (block/genhd.c, diskstats_show) with the attributes of each
 * device in /sys, which are read for new devices, and once a minute for those
 * recorded: they may have grown, or got another medium.
 */
#include "logger/linux/sources/disks.h"

#include "logger/linux/tables/counter_filter.h"
#include "logger/linux/machine/machine.h"

#include <stdio.h>
#include <string.h>

#define REFRESH_NS (60 * UINT64_C(1000000000))

const struct pl_field pl_disk_fields[PL_NUM_DISK_FIELDS] = {
    [PL_DISK_MAJOR] = PL_FIELD("major"),
    [PL_DISK_MINOR] = PL_FIELD("minor"),
    [PL_DISK_READS] = PL_GROUPED("reads", 0),
    [PL_DISK_READS_MERGED] = PL_GROUPED("reads_merged", 0),
    [PL_DISK_READ_SECTORS] = PL_GROUPED("read_sectors", 0),
    [PL_DISK_READ_MS] = PL_GROUPED("read_ms", 0),
    [PL_DISK_WRITES] = PL_GROUPED("writes", 0),
    [PL_DISK_WRITES_MERGED] = PL_GROUPED("writes_merged", 0),
    [PL_DISK_WRITE_SECTORS] = PL_GROUPED("write_sectors", 0),
    [PL_DISK_WRITE_MS] = PL_GROUPED("write_ms", 0),
    [PL_DISK_IN_FLIGHT] = PL_GROUPED("in_flight", 0),
    [PL_DISK_BUSY_MS] = PL_GROUPED("busy_ms", 0),
    [PL_DISK_WEIGHTED_MS] = PL_GROUPED("weighted_ms", 0),
    [PL_DISK_DISCARDS] = PL_GROUPED("discards", 0),
    [PL_DISK_DISCARDS_MERGED] = PL_GROUPED("discards_merged", 0),
    [PL_DISK_DISCARD_SECTORS] = PL_GROUPED("discard_sectors", 0),
    [PL_DISK_DISCARD_MS] = PL_GROUPED("discard_ms", 0),
    [PL_DISK_FLUSHES] = PL_GROUPED("flushes", 0),
    [PL_DISK_FLUSH_MS] = PL_GROUPED("flush_ms", 0),
    [PL_DISK_SECTORS] = PL_FIELD("sectors"),
    [PL_DISK_DISKSEQ] = PL_FIELD("diskseq"),
    [PL_DISK_DATA_FLAGS] = PL_FIELD("data_flags"),
    [PL_DISK_IN_FILE] = PL_FIELD("in_file"),
    [PL_DISK_EXAMINED_NS] = { .group = PL_NO_GROUP },
};

size_t pl_disk_row(const struct pl_source_rows *disks, uint64_t major,
                   uint64_t minor, size_t guess)
{
    size_t at = guess < disks->num ? guess : 0;

    for (size_t i = 0; i < disks->num; i++) {
        size_t row = (at + i) % disks->num;
        const uint64_t *v = pl_source_rows_values(disks, row);

        if (v[PL_DISK_MAJOR] == major && v[PL_DISK_MINOR] == minor)
            return row;
    }
    return PL_NO_ROW;
}

bool pl_disk_is_summed(const struct pl_source_rows *disks, size_t row)
{
    return disks->row[row].show == PL_SHOWN &&
           !pl_source_rows_values(disks, row)[PL_DISK_DATA_FLAGS];
}

/* Virtual devices of which a machine may have very many. */
static bool is_made_up(struct pl_text name)
{
    static const char *const kinds[] = { "loop", "ram", "zram" };

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t n = strlen(kinds[i]);

        if (name.n > n && !memcmp(name.p, kinds[i], n) && name.p[n] >= '0' &&
            name.p[n] <= '9')
            return true;
    }
    return false;
}

static const char *path_of(char *room, size_t size, const uint64_t *v,
                           const char *file)
{
    snprintf(room, size, "dev/block/%llu:%llu/%s",
             (unsigned long long)v[PL_DISK_MAJOR],
             (unsigned long long)v[PL_DISK_MINOR], file);
    return room;
}

/* Read the attributes that may change for the same device. */
static void ask(struct pl_machine *m, uint64_t *v)
{
    char path[96];
    uint64_t n;

    if (pl_sys_number(m, path_of(path, sizeof path, v, "size"), &n))
        v[PL_DISK_SECTORS] = n;
    if (pl_sys_number(m, path_of(path, sizeof path, v, "diskseq"), &n))
        v[PL_DISK_DISKSEQ] = n;
    v[PL_DISK_IN_FILE] =
        pl_sys_exists(m, path_of(path, sizeof path, v, "loop/backing_file"));
    /* Stacking drivers link what they use: bd_link_disk_holder(), 2.6.39. */
    v[PL_DISK_DATA_FLAGS] =
        v[PL_DISK_IN_FILE] ||
                pl_sys_has_entries(m, path_of(path, sizeof path, v, "slaves"))
            ? 1u << PL_LEFT_OUT_OF_TOTAL
            : 0;
    v[PL_DISK_EXAMINED_NS] = (uint64_t)m->now.monotonic_ns;
}

/* Read /sys for the new device of row 'i'. */
static void examine(struct pl_source *s, size_t i)
{
    struct pl_machine *m = s->machine;
    uint64_t *v = pl_source_rows_values(&s->rows, i);
    struct pl_source_row *row = &s->rows.row[i];
    char path[96];

    row->anew = true;
    row->show = PL_HIDDEN;
    ask(m, v);
    if (!v[PL_DISK_SECTORS] ||
        pl_sys_exists(m, path_of(path, sizeof path, v, "partition")))
        return;
    row->show = is_made_up(pl_source_rows_name(&s->rows, i)) && !m->all_disks
                    ? PL_BY_NAME
                    : PL_SHOWN;
}

/*
 * A device is identified by its numbers and its name.  If its counts decreased
 * it was replaced under the same name; one without a size (an empty drive, an
 * unused loop device) may have got one when its counts change.
 */
static bool is_known(const uint64_t *now, const uint64_t *before)
{
    if (now[PL_DISK_MAJOR] != before[PL_DISK_MAJOR] ||
        now[PL_DISK_MINOR] != before[PL_DISK_MINOR] ||
        now[PL_DISK_READS] < before[PL_DISK_READS] ||
        now[PL_DISK_WRITES] < before[PL_DISK_WRITES])
        return false;
    return before[PL_DISK_SECTORS] ||
           now[PL_DISK_READS] == before[PL_DISK_READS];
}

/* Without a filter PhysicalDisk is not recorded, but what others sum is. */
static bool is_used(const struct pl_source *s, size_t i)
{
    enum pl_show show = s->rows.row[i].show;

    return s->filter ? pl_filter_allows(s->filter,
                                        pl_source_rows_name(&s->rows, i), show)
                     : show == PL_SHOWN;
}

/* Copy the attributes read before; false if /sys must be read. */
static bool remember(struct pl_source *s, size_t i)
{
    size_t j = pl_source_before(s, i);
    uint64_t *now = pl_source_rows_values(&s->rows, i);
    const uint64_t *before;

    if (j == PL_NO_ROW)
        return false;
    before = pl_source_rows_values(&s->before, j);
    if (!is_known(now, before))
        return false;
    s->rows.row[i].show = s->before.row[j].show;
    for (size_t f = PL_NUM_DISK_COLUMNS; f < PL_NUM_DISK_FIELDS; f++)
        now[f] = before[f];
    if ((uint64_t)s->machine->now.monotonic_ns - before[PL_DISK_EXAMINED_NS] >=
            REFRESH_NS &&
        is_used(s, i))
        ask(s->machine, now);
    return true;
}

static enum pl_status disks_read(struct pl_source *s)
{
    enum pl_status status = pl_column_file_read(s);

    for (size_t i = 0; i < s->rows.num; i++)
        if (!remember(s, i))
            examine(s, i);
    return status;
}

const struct pl_source_kind pl_diskstats_kind = {
    .name = "diskstats",
    .open = pl_column_file_open,
    .read = disks_read,
    .close = pl_column_file_close,
    .path = "diskstats",
    .file_kind = PL_IN_PIECES,
    .columns = { .name_column = 2 },
    .fields = pl_disk_fields,
    .num_fields = PL_NUM_DISK_FIELDS,
    .num_columns = PL_NUM_DISK_COLUMNS,
};
