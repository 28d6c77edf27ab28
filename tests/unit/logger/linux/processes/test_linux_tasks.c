/*
 * From what the BPF program hands over to rows: records made by hand, so no
 * kernel is needed.
 */
#include "logger/linux/processes/tasks.h"
#include "logger/linux/processes/thread.h"
#include "tests/support/support.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BOOT_100NS UINT64_C(116444736000000000)

static struct pl_conversion units[PL_NUM_UNITS];
static uint64_t page;

static const struct pl_task_head head = {
    .kind = PL_TASK_PROCESS,
    .parts = PL_PART_MEMORY | PL_PART_IO | PL_PART_RUN_DELAY | PL_PART_CGROUP,
    .pid = 4711,
    .parent = 12,
    .threads = 3,
    .state = 0x402,
    .normal_prio = 120 - 5,
    .static_prio = 120 - 5,
    .uid = 4294967294,
    .program = 9,
    .oom_score_adj = -998,
    .open_files = 77,
    .start_ns = 12345678999,
    .cutime = 1000,
    .cstime = 2099,
    .blkio_delay = 300,
    .cgroup = UINT64_C(0x100000002),
    .comm = "a name of 15 by",
};

static const struct pl_task_sums sums = {
    .run_time = 1234567899,
    .utime = 800000000,
    .stime = 400000099,
    .gtime = 500,
    .minflt = 11,
    .majflt = 22,
    .nvcsw = 33,
    .nivcsw = 44,
    .run_delay = 5555,
    .io = { 101, 102, 103, 104, 105, 106, 107 },
};

static const struct pl_task_end end = {
    .reaped_io = { 1000, 2000, 3, 4, 5000, 6000, 7 },
    .ended = 1,
    .status = 7 << 8,
    .oom_victim = 1,
};

static const struct pl_task_memory memory = {
    .total_vm = 1000,
    .hiwater_vm = 1500,
    .hiwater_rss = 300,
    .locked_vm = 7,
    .pgtables_bytes = 8192,
    .file = 100,
    .anon = 200,
    .swap = 50,
    .shmem = 25,
};

static void fill_units(void)
{
    pl_units_fill(units, BOOT_100NS);
    page = (uint64_t)sysconf(_SC_PAGESIZE);
}

static void fill(const struct pl_task_head *h, const struct pl_task_memory *m,
                 uint64_t v[PL_NUM_PROCESS_FIELDS])
{
    struct pl_task t = {
        .process = h, .sums = &sums, .end = &end, .memory = m
    };

    memset(v, 0, PL_NUM_PROCESS_FIELDS * sizeof *v);
    pl_process_bpf_fill(units, &t, v);
}

START_TEST(every_field_has_its_place_and_unit)
{
    const struct {
        enum pl_process_field field;
        uint64_t want;
    } wanted[] = {
        { PL_P_PID, 4711 },
        { PL_P_PARENT, 12 },
        { PL_P_STATE, 'I' },
        { PL_P_UTIME, 8000000 },
        { PL_P_STIME, 4000000 },
        { PL_P_CUTIME, 10 },
        { PL_P_CSTIME, 20 },
        { PL_P_GUEST_TIME, 5 },
        { PL_P_BLKIO_DELAY, 3 },
        { PL_P_MINFLT, 11 },
        { PL_P_MAJFLT, 22 },
        { PL_P_THREADS, 3 },
        { PL_P_PRIORITY, 24 },
        { PL_P_STARTED,
          123456789 }, /* of those within a tick, each has its own */
        { PL_P_VIRTUAL, 1000 * page },
        { PL_P_UID, 4294967294 },
        { PL_P_RESIDENT, 325 * page },
        { PL_P_SHARED, 125 * page },
        { PL_P_ANONYMOUS, 200 * page },
        { PL_P_SWAPPED, 0 },
        { PL_P_RCHAR, 101 },
        { PL_P_WCHAR, 102 },
        { PL_P_SYSCR, 103 },
        { PL_P_SYSCW, 104 },
        { PL_P_READ_BYTES, 105 },
        { PL_P_WRITE_BYTES, 106 },
        { PL_P_CANCELLED_WRITE_BYTES, 107 },
        { PL_P_VM_PEAK, 1500 * page },
        { PL_P_VM_HWM, 325 * page },
        { PL_P_RSS_ANON, 200 * page },
        { PL_P_VM_SWAP, 50 * page },
        { PL_P_VM_PTE, 8192 },
        { PL_P_VM_LCK, 7 * page },
        { PL_P_OOM_SCORE_ADJ, (uint64_t)-998 },
        { PL_P_OPEN_FILES, 77 },
        { PL_P_NVCSW, 33 },
        { PL_P_NIVCSW, 44 },
        { PL_P_RUN_DELAY, 55 },
        { PL_P_CGROUP, UINT64_C(0x100000002) },
        { PL_P_RUN_TIME, 12345678 },
        { PL_P_EXITS, 1 },
        { PL_P_FAILED, 1 },
        { PL_P_KILLED, 0 },
        { PL_P_OOM_VICTIMS, 1 },
        { PL_P_EXIT_STATUS, 7 },
        { PL_P_REAPED_READ_BYTES, 5000 },
        { PL_P_REAPED_WRITE_BYTES, 6000 },
        { PL_P_REAPED_BYTES, 3000 },
        { PL_P_PROGRAM, 9 },
        { PL_P_DATA_FLAGS, 0 },
    };
    uint64_t v[PL_NUM_PROCESS_FIELDS];

    ck_assert_uint_eq(sizeof wanted / sizeof *wanted, PL_NUM_PROCESS_FIELDS);
    fill(&head, &memory, v);
    for (size_t i = 0; i < PL_NUM_PROCESS_FIELDS; i++)
        ck_assert_msg(v[wanted[i].field] == wanted[i].want,
                      "field %d is %llu, not %llu", (int)wanted[i].field,
                      (unsigned long long)v[wanted[i].field],
                      (unsigned long long)wanted[i].want);
}
END_TEST

/* Cells of processors are added while they change. */
START_TEST(sums_below_zero_are_no_memory)
{
    struct pl_task_memory odd = memory;
    uint64_t v[PL_NUM_PROCESS_FIELDS];

    odd.anon = -3;
    odd.swap = -1;
    odd.shmem = -25;
    fill(&head, &odd, v);
    ck_assert_uint_eq(v[PL_P_ANONYMOUS], 0);
    ck_assert_uint_eq(v[PL_P_VM_SWAP], 0);
    ck_assert_uint_eq(v[PL_P_SHARED], 100 * page);
    ck_assert_uint_eq(v[PL_P_RESIDENT], 100 * page);
    ck_assert_uint_eq(v[PL_P_VM_HWM], 300 * page);
}
END_TEST

/* Threads that ended may be in a process' own sums before they are in the
 * kernel's. */
START_TEST(children_did_not_less_than_nothing)
{
    struct pl_task_end below = end;
    struct pl_task t = { .process = &head, .sums = &sums, .end = &below };
    uint64_t v[PL_NUM_PROCESS_FIELDS] = { 0 };

    below.reaped_io[0] = below.reaped_io[4] = below.reaped_io[5] =
        (uint64_t)-500;
    pl_process_bpf_fill(units, &t, v);
    ck_assert_uint_eq(v[PL_P_REAPED_BYTES], 2000);
    ck_assert_uint_eq(v[PL_P_REAPED_READ_BYTES], 0);
    ck_assert_uint_eq(v[PL_P_REAPED_WRITE_BYTES], 0);
}
END_TEST

START_TEST(a_process_without_memory_has_none)
{
    uint64_t v[PL_NUM_PROCESS_FIELDS];

    fill(&head, NULL, v);
    ck_assert_uint_eq(v[PL_P_VIRTUAL], 0);
    ck_assert_uint_eq(v[PL_P_RESIDENT], 0);
    ck_assert_uint_eq(v[PL_P_RUN_TIME], 12345678);
}
END_TEST

static const struct {
    int32_t normal_prio;
    uint32_t static_prio;
    uint64_t want;
} priorities[] = {
    { 120, 120, 19 }, { 139, 139, 0 }, { 100, 100, 39 },
    { 98, 120, 41 },  { 0, 120, 139 }, { -1, 120, 140 },
};

START_TEST(priorities_are_those_of_proc)
{
    for (size_t i = 0; i < sizeof priorities / sizeof *priorities; i++)
        ck_assert_uint_eq(pl_task_priority(priorities[i].normal_prio,
                                           priorities[i].static_prio),
                          priorities[i].want);
    /* As from /proc: nice 0 and -20, FIFO 1, round robin 99, deadline. */
    ck_assert_uint_eq(pl_process_priority(0, 0, 0), 19);
    ck_assert_uint_eq(pl_process_priority(3, (uint64_t)-20, 0), 39);
    ck_assert_uint_eq(pl_process_priority(1, 0, 1), 41);
    ck_assert_uint_eq(pl_process_priority(2, 0, 99), 139);
    ck_assert_uint_eq(pl_process_priority(6, 0, 0), 140);
}
END_TEST

/* fs/proc/array.c, get_task_state(). */
static const struct {
    uint32_t state, exit_state;
    char want;
} states[] = {
    { 0, 0, 'R' },       { 0x1, 0, 'S' },    { 0x2, 0, 'D' },
    { 0x4, 0, 'T' },     { 0x8, 0, 't' },    { 0, 0x10, 'X' },
    { 0x80, 0x20, 'Z' }, { 0x40, 0, 'P' },   { 0x402, 0, 'I' },
    { 0x102, 0, 'D' },   { 0x104, 0, 'T' },  { 0x1000, 0, 'D' },
    { 0x8000, 0, 'D' },  { 0x8402, 0, 'D' }, { 0x2001, 0, 'S' },
    { 0x0, 0x30, 'Z' },  { 0x800, 0, 'R' },
};

START_TEST(states_are_the_letters_of_proc)
{
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        ck_assert_msg(pl_task_letter(states[i].state, states[i].exit_state) ==
                          (unsigned char)states[i].want,
                      "%x, %x is not %c", states[i].state, states[i].exit_state,
                      states[i].want);
}
END_TEST

START_TEST(a_thread_fills_its_row)
{
    const struct pl_task_thread r = {
        .pid = 4711,
        .tid = 4713,
        .state = 0x1,
        .prio = 120,
        .normal_prio = 121,
        .static_prio = 121,
        .cpu = 5,
        .process_start_ns = 1,
        .start_ns = 29999999,
        .run_time = 1099,
        .utime = 700,
        .stime = 400,
        .run_delay = 900,
        .slices = 8,
        .minflt = 9,
        .majflt = 10,
        .nvcsw = 11,
        .nivcsw = 12,
        .read_bytes = 13,
        .write_bytes = 14,
    };
    const uint64_t want[PL_NUM_THREAD_FIELDS] = {
        [PL_T_PID] = 4711,        [PL_T_TID] = 4713,
        [PL_T_STATE] = 'S',       [PL_T_NT_STATE] = PL_NT_WAITING,
        [PL_T_RUN_TIME] = 10,     [PL_T_UTIME] = 7,
        [PL_T_STIME] = 4,         [PL_T_STARTED] = 299999,
        [PL_T_PRIORITY_NOW] = 19, [PL_T_PRIORITY] = 18,
        [PL_T_MINFLT] = 9,        [PL_T_MAJFLT] = 10,
        [PL_T_PROCESSOR] = 5,     [PL_T_RUN_DELAY] = 9,
        [PL_T_SLICES] = 8,        [PL_T_SWITCHES] = 23,
        [PL_T_READ_BYTES] = 13,   [PL_T_WRITE_BYTES] = 14,
    };
    uint64_t v[PL_NUM_THREAD_FIELDS] = { 0 };

    pl_thread_bpf_fill(units, &r, v);
    for (size_t i = 0; i < PL_NUM_THREAD_FIELDS; i++)
        ck_assert_msg(v[i] == want[i], "field %zu is %llu", i,
                      (unsigned long long)v[i]);
}
END_TEST

START_TEST(a_thread_on_a_processor_runs)
{
    struct pl_task_thread r = { .on_cpu = 1, .prio = (uint32_t)-1 };
    uint64_t v[PL_NUM_THREAD_FIELDS] = { 0 };

    pl_thread_bpf_fill(units, &r, v);
    ck_assert_uint_eq(v[PL_T_NT_STATE], PL_NT_RUNNING);
    ck_assert_uint_eq(v[PL_T_PRIORITY_NOW], 140); /* deadline */
    r.on_cpu = 0;
    r.parts = PL_PART_ON_CPU;
    pl_thread_bpf_fill(units, &r, v);
    ck_assert_uint_eq(v[PL_T_NT_STATE], PL_NT_READY);
    r.parts = 0; /* not kept: as from /proc */
    pl_thread_bpf_fill(units, &r, v);
    ck_assert_uint_eq(v[PL_T_NT_STATE], PL_NT_RUNNING);
    r.exit_state = 0x20;
    pl_thread_bpf_fill(units, &r, v);
    ck_assert_uint_eq(v[PL_T_NT_STATE], PL_NT_TERMINATED);
}
END_TEST

/* ---- what a kernel lacks ----------------------------------------------------- */

enum { ALL_PARTS = 0x1fffffff, MAX_FIELDS = 64 };

/* The fields that are present with these parts, a bit for each. */
static uint64_t present(void (*mark)(struct pl_source *, uint32_t), size_t num,
                        uint32_t parts)
{
    struct pl_field fields[MAX_FIELDS];
    struct pl_source s = { .fields = fields, .num_fields = num };
    uint64_t set = 0;

    ck_assert_uint_le(num, MAX_FIELDS);
    for (size_t i = 0; i < num; i++)
        fields[i] = (struct pl_field){ .present = true };
    mark(&s, parts);
    for (size_t i = 0; i < num; i++)
        set |= (uint64_t)fields[i].present << i;
    return set;
}

#define BIT(field) (UINT64_C(1) << (field))

START_TEST(what_a_kernel_lacks_costs_its_fields)
{
    const struct {
        uint32_t part;
        uint64_t process, thread;
    } lost[] = {
        { PL_PART_MEMORY, 0, 0 }, /* of this process, not of the kernel */
        { PL_PART_IO,
          BIT(PL_P_SYSCR) | BIT(PL_P_SYSCW) | BIT(PL_P_RCHAR) |
              BIT(PL_P_WCHAR) | BIT(PL_P_READ_BYTES) | BIT(PL_P_WRITE_BYTES) |
              BIT(PL_P_CANCELLED_WRITE_BYTES),
          BIT(PL_T_READ_BYTES) | BIT(PL_T_WRITE_BYTES) },
        { PL_PART_RUN_DELAY, BIT(PL_P_RUN_DELAY), BIT(PL_T_RUN_DELAY) },
        { PL_PART_CGROUP, BIT(PL_P_CGROUP), 0 },
        { PL_PART_PROCESSOR, 0, BIT(PL_T_PROCESSOR) },
        { PL_PART_SLICES, 0, BIT(PL_T_SLICES) },
        { PL_PART_ON_CPU, 0, 0 },
        { PL_PART_RUN_TIME, BIT(PL_P_RUN_TIME), BIT(PL_T_RUN_TIME) },
        { PL_PART_USER_TIME, BIT(PL_P_UTIME), BIT(PL_T_UTIME) },
        { PL_PART_SYSTEM_TIME, BIT(PL_P_STIME), BIT(PL_T_STIME) },
        { PL_PART_GUEST_TIME, BIT(PL_P_GUEST_TIME), 0 },
        { PL_PART_REAPED_TIME, BIT(PL_P_CUTIME) | BIT(PL_P_CSTIME), 0 },
        { PL_PART_FAULTS, BIT(PL_P_MINFLT) | BIT(PL_P_MAJFLT),
          BIT(PL_T_MINFLT) | BIT(PL_T_MAJFLT) },
        { PL_PART_SWITCHES, BIT(PL_P_NVCSW) | BIT(PL_P_NIVCSW),
          BIT(PL_T_SWITCHES) },
        { PL_PART_THREADS, BIT(PL_P_THREADS), 0 },
        { PL_PART_STATE, BIT(PL_P_STATE),
          BIT(PL_T_STATE) | BIT(PL_T_NT_STATE) },
        { PL_PART_PRIORITY, BIT(PL_P_PRIORITY), BIT(PL_T_PRIORITY) },
        { PL_PART_PRIORITY_NOW, 0, BIT(PL_T_PRIORITY_NOW) },
        { PL_PART_PARENT, BIT(PL_P_PARENT), 0 },
        { PL_PART_USER, BIT(PL_P_UID), 0 },
        { PL_PART_OOM_SCORE, BIT(PL_P_OOM_SCORE_ADJ), 0 },
        { PL_PART_OPEN_FILES, BIT(PL_P_OPEN_FILES), 0 },
        { PL_PART_BLKIO_DELAY, BIT(PL_P_BLKIO_DELAY), 0 },
        { PL_PART_VIRTUAL, BIT(PL_P_VIRTUAL) | BIT(PL_P_VM_PEAK), 0 },
        { PL_PART_VIRTUAL_PEAK, BIT(PL_P_VM_PEAK), 0 },
        { PL_PART_LOCKED, BIT(PL_P_VM_LCK), 0 },
        { PL_PART_PAGE_TABLES, BIT(PL_P_VM_PTE), 0 },
        { PL_PART_RESIDENT,
          BIT(PL_P_RESIDENT) | BIT(PL_P_SHARED) | BIT(PL_P_RSS_ANON) |
              BIT(PL_P_VM_SWAP) | BIT(PL_P_VM_HWM),
          0 },
        { PL_PART_RESIDENT_PEAK, BIT(PL_P_VM_HWM), 0 },
    };
    uint64_t processes = BIT(PL_NUM_PROCESS_FIELDS) - 1;
    uint64_t threads = BIT(PL_NUM_THREAD_FIELDS) - 1;
    uint32_t parts = 0;

    ck_assert_uint_eq(
        present(pl_process_bpf_mark, PL_NUM_PROCESS_FIELDS, ALL_PARTS),
        processes);
    for (size_t i = 0; i < sizeof lost / sizeof *lost; i++) {
        uint32_t rest = ALL_PARTS & ~lost[i].part;

        parts |= lost[i].part;
        ck_assert_uint_eq(
            present(pl_process_bpf_mark, PL_NUM_PROCESS_FIELDS, rest),
            processes & ~lost[i].process);
        ck_assert_uint_eq(
            present(pl_thread_bpf_mark, PL_NUM_THREAD_FIELDS, rest),
            threads & ~lost[i].thread);
    }
    ck_assert_uint_eq(parts, ALL_PARTS);
}
END_TEST

/* ---- taking records apart ---------------------------------------------------- */

static enum pl_status parse(const uint8_t *p, size_t n, struct pl_task *t,
                            size_t *len)
{
    static uint8_t *copy;

    free(copy);
    copy = exact_copy(p, n);
    return pl_task_parse(copy, n, t, len);
}

START_TEST(a_cut_record_waits_for_the_rest)
{
    uint8_t b[sizeof head + sizeof sums + sizeof memory];
    struct pl_task t;
    size_t len;

    memcpy(b, &head, sizeof head);
    memcpy(b + sizeof head, &sums, sizeof sums);
    memcpy(b + sizeof head + sizeof sums, &memory, sizeof memory);
    for (size_t n = 0; n < sizeof b; n++)
        ck_assert_int_eq(parse(b, n, &t, &len), PL_TRUNCATED);
    ck_assert_int_eq(parse(b, sizeof b, &t, &len), PL_OK);
    ck_assert_uint_eq(len, sizeof b);
    ck_assert_uint_eq(t.process->pid, 4711);
    ck_assert_uint_eq(t.sums->run_time, 1234567899);
    ck_assert_int_eq(t.memory->swap, 50);
    ck_assert_ptr_null(t.thread);
}
END_TEST

START_TEST(a_record_without_memory_is_shorter)
{
    uint8_t b[sizeof head + sizeof sums];
    struct pl_task_head h = head;
    struct pl_task t;
    size_t len;

    h.parts = 0;
    memcpy(b, &h, sizeof h);
    memcpy(b + sizeof h, &sums, sizeof sums);
    ck_assert_int_eq(parse(b, sizeof b, &t, &len), PL_OK);
    ck_assert_uint_eq(len, sizeof b);
    ck_assert_ptr_null(t.memory);
}
END_TEST

START_TEST(a_thread_record_is_no_process)
{
    struct pl_task_thread r = { .kind = PL_TASK_THREAD, .tid = 5 };
    const uint8_t *p = (const void *)&r;
    struct pl_task t;
    size_t len;

    ck_assert_int_eq(parse(p, sizeof r - 1, &t, &len), PL_TRUNCATED);
    ck_assert_int_eq(parse(p, sizeof r, &t, &len), PL_OK);
    ck_assert_uint_eq(t.thread->tid, 5);
    ck_assert_ptr_null(t.process);
    r.kind = 3;
    ck_assert_int_eq(parse(p, sizeof r, &t, &len), PL_CORRUPT);
}
END_TEST

int main(void)
{
    TCase *rows = tcase_create("rows");
    TCase *records = tcase_create("records");

    tcase_add_checked_fixture(rows, fill_units, NULL);
    tcase_add_test(rows, every_field_has_its_place_and_unit);
    tcase_add_test(rows, sums_below_zero_are_no_memory);
    tcase_add_test(rows, children_did_not_less_than_nothing);
    tcase_add_test(rows, a_process_without_memory_has_none);
    tcase_add_test(rows, priorities_are_those_of_proc);
    tcase_add_test(rows, states_are_the_letters_of_proc);
    tcase_add_test(rows, a_thread_fills_its_row);
    tcase_add_test(rows, a_thread_on_a_processor_runs);
    tcase_add_test(rows, what_a_kernel_lacks_costs_its_fields);
    tcase_add_test(records, a_cut_record_waits_for_the_rest);
    tcase_add_test(records, a_record_without_memory_is_shorter);
    tcase_add_test(records, a_thread_record_is_no_process);
    return run_suite("linux_tasks", (TCase *const[]){ rows, records, NULL });
}
