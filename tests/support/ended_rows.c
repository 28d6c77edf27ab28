/* Reports made by hand, sample by sample, and the rows made of them. */
#include "tests/support/ended_rows.h"

#include "tests/support/support.h"

#include <stdlib.h>

struct pl_machine machine;
struct pl_tasks tasks;
struct pl_source source;
struct pl_process_ended *ended;
static struct pl_buf room;

void set_up(void)
{
    machine = (struct pl_machine){ .tasks = &tasks };
    tasks = (struct pl_tasks){ .parts = PL_PART_RUN_TIME };
    source = (struct pl_source){ .machine = &machine };
    source.rows.width = source.before.width = PL_NUM_PROCESS_FIELDS;
    pl_units_fill(machine.units, 0);
    ended = calloc(1, sizeof *ended);
    ck_assert_ptr_nonnull(ended);
}

void tear_down(void)
{
    pl_process_ended_release(ended);
    free(ended);
    pl_source_rows_release(&source.rows);
    pl_source_rows_release(&source.before);
    pl_buf_release(&tasks.ends);
    pl_buf_release(&room);
}

/* ---- a sample -------------------------------------------------------------- */

void begin_sample(void)
{
    struct pl_source_rows t = source.before;

    source.before = source.rows;
    source.rows = t;
    pl_source_rows_clear(&source.rows);
    pl_buf_clear(&tasks.ends);
    machine.tick++;
    machine.now.boot_ns += (int64_t)SECOND;
}

/* A process that the walk meets; 'work' is its run time in units of TICKS. */
void live(uint32_t pid, uint64_t work, bool is_zombie)
{
    uint64_t *v = pl_source_rows_add(&source.rows, pl_text_of("p"));

    ck_assert_ptr_nonnull(v);
    v[PL_P_PID] = pid;
    v[PL_P_STARTED] = pl_task_started(pid * SECOND);
    v[PL_P_STATE] = is_zombie ? 'Z' : 'R';
    v[PL_P_EXITS] = is_zombie;
    v[PL_P_RUN_TIME] = v[PL_P_UTIME] = work * TICKS;
}

void reported(uint32_t pid, uint64_t work, enum pl_task_final final)
{
    struct pl_task_exit x = {
        .head = { .pid = pid, .start_ns = pid * SECOND, .comm = "name" },
        .sums = { .run_time = work * TICKS * 100,
                  .utime = work * TICKS * 50, /* what ticks met */
                  .minflt = work },
        .end = { .ended = 1, .status = 9, .final = final },
    };

    pl_buf_bytes(&tasks.ends, &x, sizeof x);
}

void end_sample(void)
{
    ck_assert_int_eq(pl_process_add_ended(ended, &source, &tasks.ends, &room),
                     PL_OK);
}

/* Read again, as a sample is in which the machine seems to have changed. */
void sample_again(void)
{
    pl_source_rows_clear(&source.rows);
    end_sample();
}

/* ---- what it shows --------------------------------------------------------- */

const uint64_t *row_of(uint32_t pid)
{
    const uint64_t *found = NULL;

    for (size_t i = 0; i < source.rows.num; i++) {
        const uint64_t *v = pl_source_rows_values(&source.rows, i);

        if (v[PL_P_PID] != pid)
            continue;
        ck_assert_msg(!found, "%u is there twice", (unsigned)pid);
        found = v;
    }
    return found;
}

void check_row(uint32_t pid, uint64_t work, uint64_t exits)
{
    const uint64_t *v = row_of(pid);

    ck_assert_msg(v != NULL, "%u is missing", (unsigned)pid);
    ck_assert_uint_eq(v[PL_P_RUN_TIME], work * TICKS);
    ck_assert_uint_eq(v[PL_P_UTIME] + v[PL_P_STIME], work * TICKS);
    ck_assert_uint_eq(v[PL_P_EXITS], exits);
    ck_assert_uint_eq(v[PL_P_STATE], exits ? 'X' : v[PL_P_STATE]);
}

void check_sum(uint64_t work, uint64_t exits)
{
    const uint64_t *v = row_of(0);

    ck_assert_msg(v != NULL, "there is no sum");
    ck_assert_uint_eq(v[PL_P_RUN_TIME], work * TICKS);
    ck_assert_uint_eq(v[PL_P_UTIME] + v[PL_P_STIME], work * TICKS);
    ck_assert_uint_eq(v[PL_P_MINFLT], work);
    ck_assert_uint_eq(v[PL_P_EXITS], exits);
    ck_assert_uint_eq(v[PL_P_STATE], 'X');
}
