/*
 * When processes were started of whose end taskstats reports: it reports their
 * number only; and whether that was before the log.
 */
#include "logger/linux/tables/counter_filter.h"
#include "logger/linux/machine/machine.h"
#include "logger/linux/processes/process_ended_parts.h"
#include "logger/linux/processes/process_rows.h"
#include "logger/linux/processes/process_text.h"

enum { NS_100 = 100 };

/* Where one with another name has no row, it may have got its name since. */
bool pl_process_is_of_before(const struct pl_process_ended *e,
                             const struct pl_source *s,
                             const struct pl_task_exit *x)
{
    return e->live_before &&
           (!s->filter || pl_filter_has_all_names(s->filter)) &&
           x->head.start_ns < e->first_ns;
}

static bool is_living(const struct pl_source_rows *before, size_t i,
                      uint64_t pid)
{
    const uint64_t *v = pl_source_rows_values(before, i);

    return v[PL_P_PID] == pid && !v[PL_P_EXITS] && !before->row[i].gone;
}

/* The row of that number of the previous sample, if it has not ended; one that
 * the walk missed then had the number before one that it met. */
static size_t living_before(const struct pl_process_ended *e,
                            const struct pl_source_rows *before, uint64_t pid)
{
    size_t i = e->missed_at_before;

    while (i < before->num && !is_living(before, i, pid))
        i++;
    if (i == before->num)
        i = pl_first_row_from(before, e->live_before, pid);
    return i < before->num && is_living(before, i, pid) ? i : PL_NO_ROW;
}

/*
 * Whether the walk read the I/O of the report.  Who ends reads and writes no
 * more, but for one record of process accounting (kernel/acct.c); taskstats
 * rounds bytes and calls down to multiples of 1,024 (kernel/tsacct.c).  Of
 * threads that ended before the last one nothing is known here: any I/O may be
 * theirs.
 */
static bool may_have_read(const struct pl_source *s,
                          const struct pl_task_exit *x, const uint64_t *row)
{
    enum { READ_BYTES, WRITTEN_BYTES, READS, WRITES, ROUNDED_TO = 1024 };
    const __u64 *io = x->sums.io;

    if (x->head.threads != 1 ||
        !pl_process_text_wanted(s->fields, PL_PROC_IO) ||
        row[PL_P_DATA_FLAGS] & 1u << PL_GROUP_IO)
        return true;
    return row[PL_P_RCHAR] >= io[READ_BYTES] &&
           row[PL_P_WCHAR] >= io[WRITTEN_BYTES] &&
           row[PL_P_SYSCR] - io[READS] < ROUNDED_TO &&
           row[PL_P_SYSCW] - io[WRITES] <= ROUNDED_TO;
}

/* True if the report may be that of the walk's row: who was started later, or
 * has done less, had the number after the process that ended. */
static bool may_be(const struct pl_source *s, const struct pl_task_exit *x,
                   const uint64_t *row, uint64_t tick)
{
    uint64_t time = row[PL_P_UTIME] + row[PL_P_STIME];

    return row[PL_P_STARTED] < x->head.start_ns / NS_100 + tick &&
           row[PL_P_MINFLT] >= x->sums.minflt &&
           time + 2 * tick >= x->sums.run_time / NS_100 &&
           may_have_read(s, x, row);
}

static uint64_t tick_of(const struct pl_source *s)
{
    const struct pl_conversion *ticks = &s->machine->units[PL_TICKS];

    return ticks->multiply / ticks->divide;
}

/*
 * The start that a report has is late by at most the time since the previous
 * sample.  Those from /proc are whole ticks; this one never is, and of the next
 * tick - 2 that are computed none is the same, so that no other process of that
 * number seems to be this one, in this sample or in one that follows at once.
 */
static void compute_start(const struct pl_source *s, struct pl_task_head *h,
                          uint64_t num_computed)
{
    uint64_t now = (uint64_t)s->machine->now.boot_ns / NS_100;
    uint64_t tick = tick_of(s), start = h->start_ns / NS_100;

    start = start < now ? start : now;
    start += 1 + num_computed % (tick - 1) - start % tick;
    h->start_ns = (start > now ? start - tick : start) * NS_100;
}

/* taskstats reports the number only.  The first of a number that ended since the
 * previous sample is the one that was alive in it. */
static void find_start(struct pl_process_ended *e, struct pl_source *s,
                       size_t i)
{
    struct pl_task_head *h = &pl_report_at(&e->ready, i)->head;
    size_t row = living_before(e, &s->before, h->pid);

    if (row == PL_NO_ROW) {
        compute_start(s, h, e->num_computed++);
        return;
    }
    s->before.row[row].gone = true;
    h->start_ns = pl_source_rows_values(&s->before, row)[PL_P_STARTED] * NS_100;
}

/* True if the previous sample shows the end of the walk's row. */
static bool has_ended_before(const struct pl_process_ended *e,
                             const struct pl_source_rows *before,
                             const uint64_t *row)
{
    size_t i = pl_walk_row(before, e->live_before, row);

    return i != PL_NO_ROW && pl_source_rows_values(before, i)[PL_P_EXITS];
}

/*
 * Another one was started since.  If the walk has the number with a process
 * that is about to end or has ended, only the last report can be its: called
 * for the last one first.  One that was started and ended between the reports
 * and the walk, in the same sample as another one of its number, may be taken
 * for that.
 */
static void find_in_walk(const struct pl_process_ended *e, struct pl_source *s,
                         struct pl_task_exit *x)
{
    size_t i = pl_first_row_from(&s->rows, s->rows.num, x->head.pid);
    const uint64_t *v;

    if (i == s->rows.num || !s->rows.row[i].ends)
        return;
    v = pl_source_rows_values(&s->rows, i);
    if (v[PL_P_PID] != x->head.pid)
        return;
    s->rows.row[i].ends = false;
    if (may_be(s, x, v, tick_of(s)) && !has_ended_before(e, &s->before, v))
        x->head.start_ns = v[PL_P_STARTED] * NS_100;
}

void pl_process_find_starts(struct pl_process_ended *e, struct pl_source *s)
{
    for (size_t i = 0; i < e->num_final; i++)
        find_start(e, s, i);
    for (size_t i = e->num_final; i > 0; i--)
        find_in_walk(e, s, pl_report_at(&e->ready, i - 1));
}
