/* A machine that works for days. */
#include "tests/support/long_machine.h"

#include "format/time/time_text.h"
#include "format/block/titles.h"
#include "format/base/utf.h"
#include "format/block/winperf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUM(table) (sizeof(table) / sizeof *(table))

enum {
    TICKS = 10000000, /* of all clocks, per second */
    MAX_ROWS = 24,
    FIRST_PID = 400,
    SHORT_NAMES = 5, /* that short-lived processes bear */
};

/* How a counter behaves from one step to the next. */
enum manner {
    GROWS,   /* by up to twice 'size' a second */
    RUNS,    /* a timer: by up to 'size' percent of the time that passes */
    WANDERS, /* a level that moves by up to 'size', from 0 to eight times that */
    STAYS,
    STARTED, /* when the instance was born, by the object's clock */
    IS_ID,   /* a number of the instance's own */
    COUNTS,  /* a base: by one each time the counter before it grew */
};

struct row {
    uint32_t title;
    const char *name;
    uint32_t type;
    enum manner manner;
    uint32_t size;
    unsigned busy; /* percent of the steps in which it does so */
    uint8_t total_rule;
};

#define SUM PL_TOTAL_SUM
#define MEAN PL_TOTAL_MEAN
#define RATE PERF_COUNTER_BULK_COUNT
#define LEVEL PERF_COUNTER_LARGE_RAWCOUNT
#define SMALL PERF_COUNTER_RAWCOUNT

/* clang-format off */
static const struct row system_rows[] = {
    { 146, "Context Switches/sec", RATE, GROWS, 3000, 100, 0 },
    { 674, "System Up Time", PERF_ELAPSED_TIME, STARTED, 0, 0, 0 },
    { 44, "Processor Queue Length", SMALL, WANDERS, 1, 30, 0 },
    { 248, "Processes", SMALL, WANDERS, 3, 10, 0 },
    { 250, "Threads", SMALL, WANDERS, 5, 10, 0 },
    { 20010, "Total Interrupts/sec", RATE, GROWS, 1500, 100, 0 },
    { 20012, "Processes Created/sec", RATE, GROWS, 3, 20, 0 },
    { 20014, "Threads Created/sec", RATE, GROWS, 5, 40, 0 },
};
static const struct row memory_rows[] = {
    { 24, "Available Bytes", LEVEL, WANDERS, 1 << 20, 60, 0 },
    { 26, "Committed Bytes", LEVEL, WANDERS, 1 << 20, 60, 0 },
    { 30, "Commit Limit", LEVEL, STAYS, 1 << 30, 0, 0 },
    { 1406, "% Committed Bytes In Use", PERF_LARGE_RAW_FRACTION, WANDERS, 1000, 60, 0 },
    { 1407, NULL, PERF_LARGE_RAW_BASE, STAYS, 1 << 24, 0, 0 },
    { 818, "Cache Bytes", LEVEL, WANDERS, 1 << 20, 50, 0 },
    { 28, "Page Faults/sec", RATE, GROWS, 4000, 95, 0 },
    { 40, "Pages/sec", RATE, GROWS, 200, 25, 0 },
    { 822, "Pages Input/sec", RATE, GROWS, 100, 15, 0 },
    { 48, "Pages Output/sec", RATE, GROWS, 100, 25, 0 },
    { 20100, "Dirty Bytes", LEVEL, WANDERS, 1 << 16, 60, 0 },
    { 20102, "Writeback Bytes", LEVEL, WANDERS, 4096, 3, 0 },
    { 20104, "Anonymous Bytes", LEVEL, WANDERS, 1 << 18, 60, 0 },
    { 20106, "Mapped Bytes", LEVEL, WANDERS, 1 << 16, 20, 0 },
    { 20108, "Huge Page Bytes", LEVEL, STAYS, 0, 0, 0 },
    { 20110, "Hardware Corrupted Bytes", LEVEL, STAYS, 0, 0, 0 },
    { 20112, "Compactions/sec", RATE, GROWS, 2, 1, 0 },
    { 20114, "Out Of Memory Kills/sec", RATE, GROWS, 1, 0, 0 },
};
static const struct row processor_rows[] = {
    { 6, "% Processor Time", PERF_100NSEC_TIMER_INV, RUNS, 90, 100, MEAN },
    { 142, "% User Time", PERF_100NSEC_TIMER, RUNS, 20, 70, MEAN },
    { 144, "% Privileged Time", PERF_100NSEC_TIMER, RUNS, 10, 70, MEAN },
    { 698, "% Interrupt Time", PERF_100NSEC_TIMER, RUNS, 1, 10, MEAN },
    { 20200, "% IO Wait Time", PERF_100NSEC_TIMER, RUNS, 20, 10, MEAN },
    { 20202, "% Steal Time", PERF_100NSEC_TIMER, RUNS, 1, 5, MEAN },
    { 20204, "% Guest Time", PERF_100NSEC_TIMER, RUNS, 1, 0, MEAN },
    { 148, "Interrupts/sec", RATE, GROWS, 500, 100, SUM },
    { 1334, "DPCs Queued/sec", RATE, GROWS, 200, 90, SUM },
};
static const struct row disk_rows[] = {
    { 198, "Current Disk Queue Length", SMALL, WANDERS, 1, 10, SUM },
    { 200, "% Disk Time", PERF_100NSEC_TIMER, RUNS, 20, 40, MEAN },
    { 202, "% Disk Read Time", PERF_100NSEC_TIMER, RUNS, 10, 15, MEAN },
    { 204, "% Disk Write Time", PERF_100NSEC_TIMER, RUNS, 20, 40, MEAN },
    { 206, "Avg. Disk sec/Transfer", PERF_AVERAGE_TIMER, GROWS, 20000, 40, SUM },
    { 207, NULL, PERF_AVERAGE_BASE, COUNTS, 1, 0, 0 },
    { 208, "Avg. Disk sec/Read", PERF_AVERAGE_TIMER, GROWS, 20000, 15, SUM },
    { 209, NULL, PERF_AVERAGE_BASE, COUNTS, 1, 0, 0 },
    { 212, "Disk Transfers/sec", RATE, GROWS, 50, 40, SUM },
    { 214, "Disk Reads/sec", RATE, GROWS, 30, 15, SUM },
    { 216, "Disk Writes/sec", RATE, GROWS, 30, 40, SUM },
    { 218, "Disk Bytes/sec", RATE, GROWS, 1 << 20, 40, SUM },
    { 220, "Disk Read Bytes/sec", RATE, GROWS, 1 << 20, 15, SUM },
    { 222, "Disk Write Bytes/sec", RATE, GROWS, 1 << 20, 40, SUM },
    { 20300, "Disk Discards/sec", RATE, GROWS, 1, 0, SUM },
    { 20302, "Disk Flushes/sec", RATE, GROWS, 3, 10, SUM },
};
static const struct row interface_rows[] = {
    { 388, "Bytes Total/sec", RATE, GROWS, 1 << 16, 60, SUM },
    { 400, "Packets/sec", RATE, GROWS, 100, 60, SUM },
    { 264, "Bytes Received/sec", RATE, GROWS, 1 << 16, 50, SUM },
    { 896, "Bytes Sent/sec", RATE, GROWS, 1 << 15, 50, SUM },
    { 520, "Current Bandwidth", LEVEL, STAYS, 1 << 30, 0, 0 },
    { 524, "Packets Received Discarded", LEVEL, STAYS, 0, 0, SUM },
    { 526, "Packets Received Errors", LEVEL, STAYS, 0, 0, SUM },
    { 540, "Packets Outbound Errors", LEVEL, STAYS, 0, 0, SUM },
};
static const struct row process_rows[] = {
    { 784, "ID Process", SMALL, IS_ID, 0, 0, 0 },
    { 684, "Elapsed Time", PERF_ELAPSED_TIME, STARTED, 0, 0, 0 },
    { 6, "% Processor Time", PERF_100NSEC_TIMER, RUNS, 5, 70, SUM },
    { 142, "% User Time", PERF_100NSEC_TIMER, RUNS, 4, 60, SUM },
    { 144, "% Privileged Time", PERF_100NSEC_TIMER, RUNS, 2, 50, SUM },
    { 28, "Page Faults/sec", RATE, GROWS, 100, 50, SUM },
    { 172, "Virtual Bytes", LEVEL, WANDERS, 1 << 16, 10, SUM },
    { 180, "Working Set", LEVEL, WANDERS, 1 << 16, 30, SUM },
    { 186, "Private Bytes", LEVEL, WANDERS, 1 << 16, 30, SUM },
    { 680, "Thread Count", SMALL, WANDERS, 1, 1, SUM },
    { 682, "Priority Base", SMALL, STAYS, 20, 0, 0 },
    { 952, "Handle Count", SMALL, WANDERS, 2, 10, SUM },
    { 1412, "IO Read Operations/sec", RATE, GROWS, 20, 30, SUM },
    { 1414, "IO Write Operations/sec", RATE, GROWS, 20, 30, SUM },
    { 1420, "IO Read Bytes/sec", RATE, GROWS, 1 << 14, 30, SUM },
    { 1422, "IO Write Bytes/sec", RATE, GROWS, 1 << 14, 30, SUM },
    { 23102, "Storage Read Bytes/sec", RATE, GROWS, 1 << 12, 10, SUM },
    { 23104, "Storage Write Bytes/sec", RATE, GROWS, 1 << 13, 20, SUM },
};
static const struct row pressure_rows[] = {
    { 20400, "% CPU Some", PERF_100NSEC_TIMER, RUNS, 5, 40, 0 },
    { 20402, "% Memory Some", PERF_100NSEC_TIMER, RUNS, 1, 1, 0 },
    { 20404, "% IO Some", PERF_100NSEC_TIMER, RUNS, 5, 20, 0 },
};

static const struct {
    uint32_t title;
    const char *name;
    const struct row *rows;
    uint32_t num_rows;
    const char *instance; /* its name but for a number; NULL: without any */
} objects[LONG_OBJECTS] = {
    { 2, "System", system_rows, NUM(system_rows), NULL },
    { 4, "Memory", memory_rows, NUM(memory_rows), NULL },
    { 20399, "Pressure Stall", pressure_rows, NUM(pressure_rows), NULL },
    { 238, "Processor", processor_rows, NUM(processor_rows), "" },
    { 234, "PhysicalDisk", disk_rows, NUM(disk_rows), "sd" },
    { 510, "Network Interface", interface_rows, NUM(interface_rows), "eth" },
    { 230, "Process", process_rows, NUM(process_rows), "daemon" },
};
enum { PROCESS = LONG_OBJECTS - 1 };
/* clang-format on */

struct long_instance {
    char name[24];
    uint32_t asleep; /* steps for which nothing of it changes */
    uint64_t values[MAX_ROWS];
};

static uint32_t random_below(struct long_machine *m, uint32_t limit)
{
    m->random ^= m->random << 13;
    m->random ^= m->random >> 7;
    m->random ^= m->random << 17;
    return limit ? (uint32_t)((m->random >> 32) % limit) : 0;
}

static uint32_t num_of(const struct long_machine *m, size_t object)
{
    const uint32_t nums[LONG_OBJECTS] = {
        1, 1, 1, m->processors, m->disks, m->interfaces, m->processes
    };

    return nums[object];
}

/* ---- life ----------------------------------------------------------------- */

static void bear(struct long_machine *m, size_t object, struct long_instance *i)
{
    memset(i->values, 0, sizeof i->values);
    for (size_t k = 0; k < objects[object].num_rows; k++) {
        const struct row *r = &objects[object].rows[k];

        if (r->manner == STARTED)
            i->values[k] = (uint64_t)m->boot_ns / 100;
        else if (r->manner == IS_ID)
            i->values[k] = m->next_id;
        else if (r->manner == STAYS)
            i->values[k] = r->size;
        else if (r->manner == WANDERS)
            i->values[k] = random_below(m, 8 * r->size);
    }
    if (object == PROCESS)
        m->next_id += 1 + random_below(m, 3);
}

/* Another short-lived process where one has ended. */
static void replace_process(struct long_machine *m)
{
    uint32_t first = m->processes - m->processes / 4;
    struct long_instance *i =
        &m->instances[PROCESS][first + random_below(m, m->processes / 4)];

    bear(m, PROCESS, i);
    snprintf(i->name, sizeof i->name, "job%u",
             (unsigned)random_below(m, SHORT_NAMES));
}

void long_machine_start(struct long_machine *m)
{
    m->next_id = FIRST_PID;
    for (size_t o = 0; o < LONG_OBJECTS; o++) {
        uint32_t num = num_of(m, o);

        m->instances[o] = calloc(num + 1, sizeof *m->instances[o]);
        if (!m->instances[o])
            abort();
        for (uint32_t k = 0; k < num; k++) {
            struct long_instance *i = &m->instances[o][k];

            bear(m, o, i);
            if (objects[o].instance)
                snprintf(i->name, sizeof i->name, "%s%u", objects[o].instance,
                         (unsigned)k);
        }
    }
}

void long_machine_stop(struct long_machine *m)
{
    for (size_t o = 0; o < LONG_OBJECTS; o++) {
        free(m->instances[o]);
        m->instances[o] = NULL;
    }
}

static void wander(struct long_machine *m, uint64_t *value, uint32_t size)
{
    uint64_t by = 1 + random_below(m, size);

    bool up = random_below(m, 2);

    if (*value < by)
        up = true;
    if (*value + by > 8 * (uint64_t)size)
        up = false;
    *value = up ? *value + by : *value > by ? *value - by : 0;
}

/* Times of transfers are averages. */
static uint64_t slowness(const struct long_machine *m, const struct row *r)
{
    return m->slow_disks && r->type == PERF_AVERAGE_TIMER ? 10 : 1;
}

static void run_counter(struct long_machine *m, const struct row *r,
                        struct long_instance *i, size_t k, size_t num,
                        int64_t ns)
{
    uint64_t *value = &i->values[k];
    uint64_t size = (uint64_t)ns / 100;

    if (random_below(m, 100) >= r->busy)
        return;
    switch (r->manner) {
    case GROWS:
        *value += (random_below(m, 2 * r->size) + 1) * slowness(m, r);
        if (k + 1 < num)
            i->values[k + 1] += r[1].manner == COUNTS;
        break;
    case RUNS:
        size = size * r->size / 100;
        *value += random_below(m, (uint32_t)size);
        break;
    case WANDERS:
        wander(m, value, r->size);
        break;
    default:
        break;
    }
}

void long_machine_run(struct long_machine *m, int64_t ns)
{
    m->utc_ns += ns;
    m->boot_ns += ns;
    for (uint32_t i = 0; m->processes >= 4 && i < m->churn; i++)
        replace_process(m);
    for (size_t o = 0; o < LONG_OBJECTS; o++)
        for (uint32_t n = 0; n < num_of(m, o); n++) {
            struct long_instance *i = &m->instances[o][n];

            if (o == PROCESS && i->asleep) {
                i->asleep--;
                continue;
            }
            if (o == PROCESS)
                i->asleep = random_below(m, 16);
            for (size_t k = 0; k < objects[o].num_rows; k++)
                run_counter(m, &objects[o].rows[k], i, k, objects[o].num_rows,
                            ns);
        }
}

/* ---- blocks ---------------------------------------------------------------- */

static uint32_t width_of(const struct row *r)
{
    if (r->type == PERF_AVERAGE_TIMER || r->type == PERF_AVERAGE_BASE)
        return 8;
    return (r->type & PERF_SIZE_MASK) == PERF_SIZE_LARGE ? 8 : 4;
}

static void put_instance(struct pl_buf *b, size_t object,
                         const struct long_instance *i)
{
    uint32_t num = objects[object].num_rows;
    struct pl_buf name = { 0 };
    uint8_t *p;

    if (objects[object].instance) {
        pl_utf8_to_utf16(&name, i->name, strlen(i->name));
        pl_put_instance(b, 0, 0, name.p, name.len);
        pl_buf_release(&name);
    }
    p = pl_put_counter_block(b, 8 + 8 * num);
    if (!p)
        abort();
    for (uint32_t k = 0; k < num; k++) {
        if (width_of(&objects[object].rows[k]) == 8)
            pl_put_le64(p + 8 + 8 * k, i->values[k]);
        else
            pl_put_le32(p + 8 + 8 * k, (uint32_t)i->values[k]);
    }
}

static void put_object(const struct long_machine *m, struct pl_buf *b,
                       size_t object)
{
    const struct pl_object head = { .title_index = objects[object].title,
                                    .help_index = objects[object].title + 1,
                                    .detail_level = PERF_DETAIL_NOVICE,
                                    .perf_time = m->boot_ns / 100,
                                    .perf_freq = TICKS };
    uint32_t num = num_of(m, object);
    size_t at = pl_put_object(b, &head);

    for (uint32_t k = 0; k < objects[object].num_rows; k++) {
        const struct row *r = &objects[object].rows[k];
        const struct pl_counter_def c = { .title_index = r->title,
                                          .help_index = r->title + 1,
                                          .detail_level = PERF_DETAIL_NOVICE,
                                          .type = r->type,
                                          .size = width_of(r),
                                          .offset = 8 + 8 * k };

        pl_put_counter(b, &c);
    }
    pl_put_definitions_close(b, at, objects[object].num_rows);
    for (uint32_t n = 0; n < num; n++)
        put_instance(b, object, &m->instances[object][n]);
    pl_put_object_close(
        b, at, objects[object].instance ? (int32_t)num : PERF_NO_INSTANCES);
}

void long_machine_block(const struct long_machine *m, struct pl_buf *out)
{
    const struct pl_block_stamp stamp = {
        .utc_ns = m->utc_ns,
        .perf_time = m->boot_ns / 100,
        .perf_freq = TICKS,
        .perf_time_100ns = PL_FILETIME_OF_1970 + m->utc_ns / 100,
    };
    size_t at;

    pl_buf_clear(out);
    at = pl_put_block(out, &stamp, NULL, 0);
    for (size_t o = 0; o < LONG_OBJECTS; o++)
        put_object(m, out, o);
    pl_put_block_close(out, at, LONG_OBJECTS, (int32_t)objects[PROCESS].title);
    if (out->oom)
        abort();
}

void long_machine_titles(struct pl_buf *out)
{
    struct pl_titles *t;

    if (pl_titles_new(&t))
        abort();
    for (size_t o = 0; o < LONG_OBJECTS; o++) {
        struct pl_counter_facts counters[MAX_ROWS];
        struct pl_object_facts facts = { .counters = counters,
                                         .num_counters = objects[o].num_rows };

        pl_titles_set(t, objects[o].title, PL_TITLE_NAME, PL_LANGUAGE_ENGLISH,
                      pl_text_of(objects[o].name));
        for (uint32_t k = 0; k < objects[o].num_rows; k++) {
            const struct row *r = &objects[o].rows[k];

            counters[k] = (struct pl_counter_facts){ r->title, PL_NO_FLAG,
                                                     r->total_rule };
            if (r->name)
                pl_titles_set(t, r->title, PL_TITLE_NAME, PL_LANGUAGE_ENGLISH,
                              pl_text_of(r->name));
            if (o == PROCESS && (r->manner == IS_ID || r->manner == STARTED))
                facts.identity[facts.num_identity++] = r->title;
        }
        if (pl_titles_set_facts(t, objects[o].title, &facts))
            abort();
    }
    pl_titles_write(t, out);
    pl_titles_free(t);
}
