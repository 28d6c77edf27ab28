/* Parses the files of a process in /proc. */
#include "logger/linux/processes/process_text.h"

#include "logger/linux/machine/proctext.h"
#include "logger/linux/processes/stat_line.h"

#include <string.h>

/* ---- where each field comes from ---------------------------------------- */

/* clang-format off */
/* The group of Data Flags that each file fills. */
static const enum pl_process_group groups[PL_NUM_PROC_FILES] = {
    [PL_PROC_STAT] = PL_GROUP_STAT,     [PL_PROC_STATM] = PL_GROUP_STATM,
    [PL_PROC_IO] = PL_GROUP_IO,         [PL_PROC_STATUS] = PL_GROUP_STATUS,
    [PL_PROC_OOM] = PL_GROUP_STATUS,    [PL_PROC_TASK_IO] = PL_GROUP_IO,
};
/* clang-format on */

struct place {
    unsigned column; /* 0-based */
    enum pl_process_field field;
    enum pl_unit unit;
};

/* clang-format off */
static const struct place stat_places[] = {
    { PL_STAT_PID, PL_P_PID, PL_PLAIN },
    { PL_STAT_STATE, PL_P_STATE, PL_PLAIN },
    { PL_STAT_PARENT, PL_P_PARENT, PL_PLAIN },
    { PL_STAT_MINFLT, PL_P_MINFLT, PL_PLAIN },
    { PL_STAT_MAJFLT, PL_P_MAJFLT, PL_PLAIN },
    { PL_STAT_UTIME, PL_P_UTIME, PL_TICKS },
    { PL_STAT_STIME, PL_P_STIME, PL_TICKS },
    { PL_STAT_CUTIME, PL_P_CUTIME, PL_TICKS },
    { PL_STAT_CSTIME, PL_P_CSTIME, PL_TICKS },
    { PL_STAT_THREADS, PL_P_THREADS, PL_PLAIN },
    { PL_STAT_STARTED, PL_P_STARTED, PL_TICKS },
    { PL_STAT_VIRTUAL, PL_P_VIRTUAL, PL_PLAIN },
    { PL_STAT_STACK, PL_P_PROGRAM, PL_PLAIN },
    { PL_STAT_BLKIO_DELAY, PL_P_BLKIO_DELAY, PL_TICKS },
    { PL_STAT_GUEST_TIME, PL_P_GUEST_TIME, PL_TICKS },
};
/* clang-format on */

enum { NUM_STATM_COLUMNS = 3 };

static const struct place statm_places[] = {
    { 1, PL_P_RESIDENT, PL_PAGES },
    { 2, PL_P_SHARED, PL_PAGES },
};

struct key {
    const char *key;
    enum pl_process_field field;
    enum pl_unit unit;
};

/* clang-format off */
static const struct key io_keys[PL_PROC_IO_FIELDS] = {
    { "rchar", PL_P_RCHAR, PL_PLAIN },
    { "wchar", PL_P_WCHAR, PL_PLAIN },
    { "syscr", PL_P_SYSCR, PL_PLAIN },
    { "syscw", PL_P_SYSCW, PL_PLAIN },
    { "read_bytes", PL_P_READ_BYTES, PL_PLAIN },
    { "write_bytes", PL_P_WRITE_BYTES, PL_PLAIN },
    { "cancelled_write_bytes", PL_P_CANCELLED_WRITE_BYTES, PL_PLAIN },
};
/* clang-format on */

/* clang-format off */
static const struct key status_keys[] = {
    { "VmPeak", PL_P_VM_PEAK, PL_KIB },
    { "VmLck", PL_P_VM_LCK, PL_KIB },
    { "VmHWM", PL_P_VM_HWM, PL_KIB },
    { "RssAnon", PL_P_RSS_ANON, PL_KIB },
    { "VmPTE", PL_P_VM_PTE, PL_KIB },
    { "VmSwap", PL_P_VM_SWAP, PL_KIB },
};
/* clang-format on */

#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* ---- parsing ------------------------------------------------------------ */

static void store(const struct pl_conversion *units, const struct place *places,
                  size_t num, const uint64_t *columns, uint64_t *v)
{
    for (size_t i = 0; i < num; i++)
        v[places[i].field] =
            pl_convert(&units[places[i].unit], columns[places[i].column]);
}

static bool take_statm(const struct pl_conversion *units, struct pl_text text,
                       uint64_t *v)
{
    struct pl_proctext line = pl_proctext_of(text);
    uint64_t columns[NUM_STATM_COLUMNS];

    for (unsigned i = 0; i < NUM_STATM_COLUMNS; i++)
        if (!pl_proctext_number(&line, &columns[i]))
            return false;
    store(units, statm_places, LENGTH(statm_places), columns, v);
    if (v[PL_P_RESIDENT] > v[PL_P_SHARED])
        v[PL_P_ANONYMOUS] = v[PL_P_RESIDENT] - v[PL_P_SHARED];
    return true;
}

/* Lines "key: number"; the keys are expected in the order of the table. */
static size_t take_keys(const struct pl_conversion *units, struct pl_text text,
                        const struct key *keys, size_t num, uint64_t *v)
{
    struct pl_proctext rest = pl_proctext_of(text), line;
    size_t next = 0, found = 0;

    while (pl_proctext_line(&rest, &line)) {
        for (size_t i = 0; i < num; i++) {
            const struct key *k = &keys[(next + i) % num];
            size_t n = strlen(k->key);
            uint64_t number;

            if ((size_t)(line.end - line.p) <= n || line.p[n] != ':' ||
                memcmp(line.p, k->key, n) != 0)
                continue;
            line.p += n + 1;
            if (pl_proctext_number(&line, &number)) {
                v[k->field] = pl_convert(&units[k->unit], number);
                found++;
            }
            next += i + 1;
            break;
        }
    }
    return found;
}

static bool take_oom(struct pl_text text, uint64_t *v)
{
    struct pl_proctext line = pl_proctext_of(text);

    return pl_proctext_number(&line, &v[PL_P_OOM_SCORE_ADJ]);
}

bool pl_process_text_take(const struct pl_conversion units[PL_NUM_UNITS],
                          enum pl_proc_file file, struct pl_text text,
                          uint64_t *v)
{
    switch (file) {
    case PL_PROC_STATM:
        return take_statm(units, text, v);
    case PL_PROC_IO:
    case PL_PROC_TASK_IO:
        return take_keys(units, text, io_keys, LENGTH(io_keys), v) ==
               LENGTH(io_keys);
    case PL_PROC_STATUS: /* kernel threads have no memory, and no such lines */
        take_keys(units, text, status_keys, LENGTH(status_keys), v);
        return true;
    case PL_PROC_OOM:
        return take_oom(text, v);
    default:
        return false;
    }
}

bool pl_process_stat_scan(const struct pl_conversion units[PL_NUM_UNITS],
                          struct pl_text text, uint64_t *v,
                          struct pl_process_stat *out)
{
    uint64_t columns[PL_STAT_NUM_COLUMNS];

    if (!pl_stat_line_scan(text, columns, &out->comm))
        return false;
    out->flags = columns[PL_STAT_FLAGS];
    out->child_faults =
        columns[PL_STAT_CHILD_MINFLT] + columns[PL_STAT_CHILD_MAJFLT];
    store(units, stat_places, LENGTH(stat_places), columns, v);
    v[PL_P_PRIORITY] =
        pl_process_priority(columns[PL_STAT_POLICY], columns[PL_STAT_NICE],
                            columns[PL_STAT_REALTIME]);
    return true;
}

/* ---- wanted files ------------------------------------------------------- */

static bool keys_wanted(const struct pl_field *fields, const struct key *keys,
                        size_t num)
{
    for (size_t i = 0; i < num; i++)
        if (fields[keys[i].field].wanted)
            return true;
    return false;
}

bool pl_process_text_wanted(const struct pl_field *fields,
                            enum pl_proc_file file)
{
    switch (file) {
    case PL_PROC_STAT:
        return true;
    case PL_PROC_STATM:
        return fields[PL_P_RESIDENT].wanted || fields[PL_P_SHARED].wanted ||
               fields[PL_P_ANONYMOUS].wanted;
    case PL_PROC_IO:
    case PL_PROC_TASK_IO:
        return keys_wanted(fields, io_keys, LENGTH(io_keys)) ||
               fields[PL_P_REAPED_READ_BYTES].wanted ||
               fields[PL_P_REAPED_WRITE_BYTES].wanted ||
               fields[PL_P_REAPED_BYTES].wanted;
    case PL_PROC_STATUS:
        return keys_wanted(fields, status_keys, LENGTH(status_keys));
    case PL_PROC_OOM:
        return fields[PL_P_OOM_SCORE_ADJ].wanted;
    default:
        return false;
    }
}

enum pl_process_group pl_process_text_group(enum pl_proc_file file)
{
    return groups[file];
}

void pl_process_text_keep_io(uint64_t kept[PL_PROC_IO_FIELDS],
                             const uint64_t *v)
{
    for (size_t i = 0; i < PL_PROC_IO_FIELDS; i++)
        kept[i] = v[io_keys[i].field];
}

void pl_process_text_put_io(const uint64_t kept[PL_PROC_IO_FIELDS], uint64_t *v)
{
    for (size_t i = 0; i < PL_PROC_IO_FIELDS; i++)
        v[io_keys[i].field] = kept[i];
}
