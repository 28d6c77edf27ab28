/* What a replay shows of a made log, as text. */
#include "tests/support/replayed.h"

#include "analyze/output/number.h"
#include "tests/support/support.h"

#include <stdio.h>

const struct made_counter disk_counters[2] = {
    { RATE, "Bytes/sec", PERF_COUNTER_BULK_COUNT, PL_NO_FLAG, PL_TOTAL_SUM },
    { GAUGE, "Size", PERF_COUNTER_LARGE_RAWCOUNT, PL_NO_FLAG, PL_TOTAL_NONE },
};
const struct made_object disk = {
    .index = 900, .name = "Disk", .counters = disk_counters, .num_counters = 2
};

static const struct made_counter process_counters[] = {
    { RATE, "% Time", PERF_100NSEC_TIMER, 0, PL_TOTAL_SUM },
    { PID, "ID", PERF_COUNTER_RAWCOUNT, PL_NO_FLAG, PL_TOTAL_NONE },
    { START, "Start", PERF_COUNTER_LARGE_RAWCOUNT, PL_NO_FLAG, PL_TOTAL_NONE },
    { FLAGS, "Flags", PERF_COUNTER_RAWCOUNT_HEX, PL_NO_FLAG, PL_TOTAL_NONE },
};
const struct made_object process = { .index = 910,
                                     .name = "Task",
                                     .counters = process_counters,
                                     .num_counters = 4,
                                     .identity = { PID, START },
                                     .flags_counter = FLAGS };

const struct made_object born = { .index = 910,
                                  .name = "Task",
                                  .counters = process_counters,
                                  .num_counters = 4,
                                  .identity = { PID, START },
                                  .flags_counter = FLAGS,
                                  .birth = START,
                                  .birth_slack = 1000 };

const char *log_path(void)
{
    return path_in(temp_dir(), "x.plog");
}

char *replayed(const char *path, const char *choice,
               const struct pl_time_range *window)
{
    static char text[16384];
    struct pl_registry registry = { 0 };
    struct pl_counter_path_list paths = { 0 };
    struct pl_replay_options options = { .registry = &registry,
                                         .want_absent = true };
    char *operand = (char *)(uintptr_t)path;
    struct pl_host_logs logs;
    struct pl_replay *r;
    struct pl_row row;
    const char *bad;
    int64_t t;
    char *p = text;

    *p = 0;
    if (choice)
        ck_assert_int_eq(pl_counter_path_list_add(&paths, choice, &bad), PL_OK);
    options.choice.paths = &paths;
    if (window)
        options.window = *window;
    ck_assert_int_eq(pl_host_logs_open(&logs, &operand, 1, &bad), PL_OK);
    ck_assert_int_eq(pl_replay_start(&r, &logs.logs[0], &options), PL_OK);
    while (!pl_replay_peek(r, &t)) {
        ck_assert_int_eq(pl_replay_row(r, &row), PL_OK);
        p += sprintf(p, "%d:", (int)((t - MADE_START) / 1000000000));
        for (size_t i = 0; i < row.num_cells; i++) {
            const struct pl_cell_at *c = &row.cells[i];
            char number[PL_NUMBER_TEXT + 1];
            size_t n = 0;

            if (c->value.kind == PL_VALUE_DOUBLE)
                n = pl_number_put(c->value.number, number);
            else if (c->value.kind == PL_VALUE_INTEGER)
                n = pl_integer_put(c->value.integer, number);
            number[n] = 0;
            p += sprintf(p, " %s=%s%s%s",
                         c->group->instance ? c->group->instance : "-", number,
                         *pl_cell_name(c->value.cell) ? "|" : "",
                         pl_cell_name(c->value.cell));
        }
        p += sprintf(p, "\n");
    }
    pl_replay_stop(r);
    pl_host_logs_release(&logs);
    pl_registry_release(&registry);
    pl_counter_path_list_release(&paths);
    return text;
}
