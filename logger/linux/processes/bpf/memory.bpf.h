/*                                  logger/linux/processes/bpf/memory.bpf.h
 * A part of tasks.bpf.c: the memory of a process.
 */
#ifndef PL_LOGGER_LINUX_PROCESSES_BPF_MEMORY_BPF_H
#define PL_LOGGER_LINUX_PROCESSES_BPF_MEMORY_BPF_H

#include "common.bpf.h"
#include "parts.bpf.h"
#include "sums.bpf.h"

enum { MAX_CPUS = 8192 };

/*
 * Since Linux 6.2 each processor has counts of its own, up to dozens of pages
 * each, that are not yet in the sum.  The address of a processor's count is
 * derived from a map of which both the per-CPU address and that of each
 * processor are known; the kernel's own tables of these offsets may be
 * inaccessible.
 */
struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, __u64);
} landmark SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, MAX_CPUS);
    __type(key, __u32);
    __type(value, __u64);
} cpu_offset SEC(".maps");

__u32 num_cpus = 0; /* 0: not asked yet */

struct landmarks {
    __u64 base;
};

static long note_offset(__u32 cpu, struct landmarks *l)
{
    __u32 key = 0;
    const void *there = bpf_map_lookup_percpu_elem(&landmark, &key, cpu);
    __u64 *offset = bpf_map_lookup_elem(&cpu_offset, &cpu);

    if (!there || !offset)
        return 1;
    *offset = address_of(there) - l->base;
    num_cpus = cpu + 1;
    return 0;
}

static __noinline void find_offsets(void)
{
    struct landmarks l = { 0 };

    bpf_probe_read_kernel(
        &l.base, sizeof l.base,
        (const void *)(address_of(&landmark) +
                       bpf_core_field_offset(struct bpf_array, pptrs)));
    bpf_loop(MAX_CPUS, note_offset, &l, 0);
}

struct cells {
    __u64 base[NUM_RSS]; /* per-CPU address of each sum */
    __s64 sum[NUM_RSS];
    __u64 apart; /* 0: the four are adjacent */
};

static long add_cells(__u32 cpu, struct cells *c)
{
    const __u64 *offset = bpf_map_lookup_elem(&cpu_offset, &cpu);
    __s32 v[NUM_RSS];

    if (!offset)
        return 1;
    if (!c->apart) {
        if (!bpf_probe_read_kernel(v, sizeof v, (void *)(c->base[0] + *offset)))
            for (int i = 0; i < NUM_RSS; i++)
                c->sum[i] += v[i];
        return 0;
    }
    for (int i = 0; i < NUM_RSS; i++)
        if (!bpf_probe_read_kernel(v, sizeof *v,
                                   (void *)(c->base[i] + *offset)))
            c->sum[i] += v[0];
    return 0;
}

/* The running kernel's mm_struct.rss_stat, copied in one piece; static, as there
 * is one reader and stacks are small. */
char rss_stat[MAX_RSS_STAT] = { 0 };

#define RSS_STEP bpf_core_type_size(struct percpu_counter)
#define RSS_STAT_LEN (NUM_RSS * RSS_STEP)
#define RSS_AT(field) OFFSET_OF(struct percpu_counter, field)

static void sum_resident(struct cells *c, const struct mm_struct *mm)
{
    if (HAS_RSS_BEFORE_6_2) {
        const struct mm_struct___before_6_2 *old = (const void *)mm;

        c->sum[0] = (__s64)COPY_SIGNED(old, rss_stat.count[0].counter);
        c->sum[1] = (__s64)COPY_SIGNED(old, rss_stat.count[1].counter);
        c->sum[2] = (__s64)COPY_SIGNED(old, rss_stat.count[2].counter);
        c->sum[3] = (__s64)COPY_SIGNED(old, rss_stat.count[3].counter);
        return;
    }
    if (!HAS_RSS)
        return;
    if (bpf_probe_read_kernel(rss_stat, RSS_STAT_LEN, &mm->rss_stat))
        return;
    for (int i = 0; i < NUM_RSS; i++)
        c->sum[i] = *(__s64 *)(rss_stat + i * RSS_STEP + RSS_AT(count));
    if (!EXISTS(struct percpu_counter, counters))
        return; /* a kernel for one processor */
    if (!num_cpus)
        find_offsets();
    for (int i = 0; i < NUM_RSS; i++)
        c->base[i] = *(__u64 *)(rss_stat + i * RSS_STEP + RSS_AT(counters));
    c->apart = (c->base[1] - c->base[0] - 1 * sizeof(__s32)) |
               (c->base[2] - c->base[0] - 2 * sizeof(__s32)) |
               (c->base[3] - c->base[0] - 3 * sizeof(__s32));
    bpf_loop(num_cpus, add_cells, c, 0);
}

#define FILL_SIZES(m, get, mm)                                                 \
    do {                                                                       \
        (m)->total_vm = get(mm, total_vm);                                     \
        (m)->hiwater_vm = get(mm, hiwater_vm);                                 \
        (m)->hiwater_rss = get(mm, hiwater_rss);                               \
        (m)->locked_vm = get(mm, locked_vm);                                   \
        if (want & PL_WANT_PAGE_TABLES)                                        \
            (m)->pgtables_bytes = get(mm, pgtables_bytes.counter);             \
    } while (0)

/* That of another thread than the main one. */
static __u64 copy_sizes(struct pl_task_memory *m)
{
    const struct task_struct *holder = (const void *)held_by;
    const struct mm_struct *mm = NULL;

    if (held_by > BY_MAIN && !READ(mm, holder->mm) && mm)
        FILL_SIZES(m, COPY_OR_0, mm);
    return (__u64)mm;
}

/* All 0 if the memory went after PL_PART_MEMORY was set. */
static __noinline void fill_memory(const struct mm_struct *mm)
{
    struct pl_task_memory *m = &process.memory;
    struct cells c = { { 0 }, { 0 }, 0 };
    __u64 at;

    __builtin_memset(m, 0, sizeof *m);
    at = address_in_walk(mm);
    if (mm)
        FILL_SIZES(m, NUMBER_OR_0, mm);
    else
        at = copy_sizes(m);
    if (at)
        sum_resident(&c, (const void *)at);
    m->file = c.sum[0];
    m->anon = c.sum[1];
    m->swap = c.sum[2];
    m->shmem = c.sum[3];
}

#endif
