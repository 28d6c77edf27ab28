/* The simulated machine of logs.h. */
#include "format/base/utf.h"
#include "format/block/titles.h"
#include "format/block/winperf.h"
#include "format/time/time_text.h"
#include "tests/support/logs.h"
#include "tests/support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUM(table) (sizeof(table) / sizeof *(table))
#define SECOND PL_NS_PER_SEC

uint64_t random_next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

enum { FIRST_PID = 300, NUM_DISKS = 3, NUM_CPUS = 4 };

static void bear(struct machine *m, struct process *p)
{
    m->next_pid += 1 + (uint32_t)(random_next(&m->random) % 7);
    *p = (struct process){ .pid = m->next_pid, .born_ns = m->boot_ns };
    p->working_set = 4096 * (100 + random_next(&m->random) % 10000);
}

void machine_start(struct machine *m, uint64_t seed, unsigned num_processes)
{
    *m = (struct machine){ .random = seed * 0x9E3779B97F4A7C15u | 1,
                           .utc_ns = INT64_C(1790000000) * SECOND,
                           .boot_ns = 1000 * SECOND,
                           .next_pid = FIRST_PID,
                           .num_processes = num_processes };
    m->processes = calloc(num_processes, sizeof *m->processes);
    ck_assert_ptr_nonnull(m->processes);
    for (unsigned i = 0; i < num_processes; i++)
        bear(m, &m->processes[i]);
}

void machine_stop(struct machine *m)
{
    free(m->processes);
    m->processes = NULL;
}

/* One of 'churn' processes ends, the others move up, one comes last. */
static void replace_one(struct machine *m)
{
    unsigned gone = (unsigned)(random_next(&m->random) % m->num_processes);

    memmove(&m->processes[gone], &m->processes[gone + 1],
            (m->num_processes - gone - 1) * sizeof *m->processes);
    bear(m, &m->processes[m->num_processes - 1]);
}

void machine_run(struct machine *m, int64_t ns)
{
    m->utc_ns += ns;
    m->boot_ns += ns;
    m->transfers += random_next(&m->random) % 1000;
    for (unsigned i = 0; i < m->churn; i++)
        replace_one(m);
    for (unsigned i = 0; i < m->num_processes; i++) {
        struct process *p = &m->processes[i];

        if (random_next(&m->random) % 4)
            continue; /* asleep */
        p->cpu_100ns += random_next(&m->random) % (uint64_t)(ns / 100);
        p->working_set += 4096 * (random_next(&m->random) % 16);
    }
}

struct row {
    uint32_t title, type;
};

static const struct row system_rows[] = {
    { 674, PERF_ELAPSED_TIME },
    { 146, PERF_COUNTER_COUNTER },
    { 250, PERF_COUNTER_RAWCOUNT },
};
static const struct row disk_rows[] = {
    { 212, PERF_COUNTER_BULK_COUNT },
    { 198, PERF_COUNTER_RAWCOUNT },
};
static const struct row process_rows[] = {
    { 784, PERF_COUNTER_RAWCOUNT },
    { 684, PERF_ELAPSED_TIME },
    { 6, PERF_100NSEC_TIMER },
    { 180, PERF_COUNTER_LARGE_RAWCOUNT },
};
static const struct row processor_rows[] = {
    { 6, PERF_100NSEC_TIMER_INV },
};

static uint32_t width_of(const struct row *row)
{
    return (row->type & PERF_SIZE_MASK) == PERF_SIZE_LARGE ? 8 : 4;
}

/* Header and definitions; returns the object's place, *len the counters'. */
static size_t put_object(struct pl_buf *b, const struct machine *m,
                         uint32_t title, const struct row *rows, uint32_t n,
                         uint32_t *len)
{
    struct pl_object o = { .title_index = title,
                           .help_index = title + 1,
                           .detail_level = PERF_DETAIL_NOVICE,
                           .perf_time = m->boot_ns,
                           .perf_freq = SECOND };
    size_t at = pl_put_object(b, &o);

    *len = PL_SIZEOF_COUNTER_BLOCK;
    for (uint32_t i = 0; i < n; i++) {
        struct pl_counter_def c = { .title_index = rows[i].title,
                                    .help_index = rows[i].title + 1,
                                    .detail_level = PERF_DETAIL_NOVICE,
                                    .type = rows[i].type,
                                    .size = width_of(&rows[i]) };

        *len = (*len + c.size - 1) & ~(c.size - 1);
        c.offset = *len;
        *len += c.size;
        pl_put_counter(b, &c);
    }
    *len = (*len + 7) & ~7u;
    pl_put_definitions_close(b, at, n);
    return at;
}

static void put_values(struct pl_buf *b, uint32_t len, const struct row *rows,
                       uint32_t n, const uint64_t *values)
{
    uint8_t *p = pl_put_counter_block(b, len);
    uint32_t at = PL_SIZEOF_COUNTER_BLOCK;

    if (!p)
        exit(EXIT_FAILURE); /* out of memory; gcc for Windows must see it end */
    for (uint32_t i = 0; i < n; i++) {
        uint32_t width = width_of(&rows[i]);

        at = (at + width - 1) & ~(width - 1);
        if (width == 8)
            pl_put_le64(p + at, values[i]);
        else
            pl_put_le32(p + at, (uint32_t)values[i]);
        at += width;
    }
}

static void put_name(struct pl_buf *b, const char *text, uint32_t number)
{
    struct pl_buf name = { 0 };
    char utf8[32];
    int n = snprintf(utf8, sizeof utf8, "%s%u", text, number);

    pl_utf8_to_utf16(&name, utf8, (size_t)n);
    pl_put_instance(b, 0, 0, name.p, name.len);
    pl_buf_release(&name);
}

static void put_system(struct pl_buf *b, const struct machine *m)
{
    uint32_t len;
    size_t at = put_object(b, m, 2, system_rows, NUM(system_rows), &len);

    put_values(b, len, system_rows, NUM(system_rows),
               (uint64_t[]){ 0, m->transfers * 3, m->num_processes });
    pl_put_object_close(b, at, PERF_NO_INSTANCES);
}

static void put_disks(struct pl_buf *b, const struct machine *m)
{
    uint32_t len;
    size_t at = put_object(b, m, 234, disk_rows, NUM(disk_rows), &len);

    for (uint32_t i = 0; i < NUM_DISKS; i++) {
        put_name(b, "disk", i);
        put_values(b, len, disk_rows, NUM(disk_rows),
                   (uint64_t[]){ m->transfers >> i, i });
    }
    pl_put_object_close(b, at, NUM_DISKS);
}

static void put_processes(struct pl_buf *b, const struct machine *m)
{
    uint32_t len;
    size_t at = put_object(b, m, 230, process_rows, NUM(process_rows), &len);

    for (unsigned i = 0; i < m->num_processes; i++) {
        const struct process *p = &m->processes[i];

        put_name(b, "worker", p->pid % 10);
        put_values(b, len, process_rows, NUM(process_rows),
                   (uint64_t[]){ p->pid, (uint64_t)p->born_ns, p->cpu_100ns,
                                 p->working_set });
    }
    pl_put_object_close(b, at, (int32_t)m->num_processes);
}

static void put_processor(struct pl_buf *b, const struct machine *m)
{
    uint32_t len;
    size_t at =
        put_object(b, m, 238, processor_rows, NUM(processor_rows), &len);

    for (uint32_t i = 0; i < NUM_CPUS; i++) {
        put_name(b, "", i);
        put_values(b, len, processor_rows, NUM(processor_rows),
                   (uint64_t[]){ (uint64_t)m->boot_ns / 100 / (i + 2) });
    }
    pl_put_object_close(b, at, NUM_CPUS);
}

struct process_command machine_command(uint64_t pid, uint64_t start)
{
    struct process_command c;

    c.n =
        (size_t)snprintf(c.text, sizeof c.text, "worker%c%llu%c%llu", 0,
                         (unsigned long long)pid, 0, (unsigned long long)start);
    return c;
}

void machine_identities(const struct machine *m, int64_t boot_ns,
                        struct pl_buf *out)
{
    pl_buf_clear(out);
    for (unsigned i = 0; i < m->num_processes; i++) {
        const struct process *p = &m->processes[i];
        struct process_command c =
            machine_command(p->pid, (uint64_t)p->born_ns);
        const struct pl_process_identity identity = {
            .pid = p->pid,
            .start = (uint64_t)p->born_ns,
            .command_line = { c.text, c.n },
            .user_name = pl_text_of("root"),
        };

        if (p->born_ns >= boot_ns)
            pl_process_identity_write(&identity, out);
    }
    ck_assert(!out->oom);
}

void machine_block(const struct machine *m, struct pl_buf *out)
{
    static const uint8_t name[] = { 'b', 0, 'o', 0, 'x', 0 };
    struct pl_block_stamp stamp = { .utc_ns = m->utc_ns,
                                    .perf_time = m->boot_ns,
                                    .perf_freq = SECOND,
                                    .perf_time_100ns = m->utc_ns / 100 };
    size_t at;

    pl_buf_clear(out);
    at = pl_put_block(out, &stamp, name, sizeof name);
    put_system(out, m);
    put_disks(out, m);
    put_processes(out, m);
    if (m->has_processor)
        put_processor(out, m);
    pl_put_block_close(out, at, m->has_processor ? 4 : 3, 230);
    ck_assert(!out->oom);
}

static void set_title(struct pl_titles *t, uint32_t index, const char *name)
{
    ck_assert_int_eq(pl_titles_set(t, index, PL_TITLE_NAME, PL_LANGUAGE_ENGLISH,
                                   pl_text_of(name)),
                     PL_OK);
}

void machine_titles(const struct machine *m, struct pl_buf *out)
{
    static const struct {
        uint32_t index;
        const char *name;
    } names[] = {
        { 2, "System" },
        { 674, "System Up Time" },
        { 146, "Context Switches/sec" },
        { 250, "Threads" },
        { 234, "PhysicalDisk" },
        { 212, "Disk Transfers/sec" },
        { 198, "Current Disk Queue Length" },
        { 230, "Process" },
        { 784, "ID Process" },
        { 684, "Elapsed Time" },
        { 6, "% Processor Time" },
        { 180, "Working Set" },
    };
    struct pl_titles *t;

    ck_assert_int_eq(pl_titles_new(&t), PL_OK);
    for (size_t i = 0; i < NUM(names); i++)
        set_title(t, names[i].index, names[i].name);
    if (m->has_processor)
        set_title(t, 238, "Processor");
    pl_buf_clear(out);
    pl_titles_write(t, out);
    ck_assert(!out->oom);
    pl_titles_free(t);
}
