/* One row is one counter of Performance Logger; row order is wire order. */
#include "logger/windows/self.h"

#include "format/base/cursor.h"
#include "format/block/winperf.h"

#include <stddef.h>

enum {
    INDEX_OBJECT = PL_SELF_FIRST,
    PERF_FREQ = 10000000,
    /* Windows' names explained in words of our own: help texts lie here. */
    OWN_HELP = 31000,
    FIRST_OWN_TITLE = 20000,
    VALUES_AT = 8, /* behind the counter block's length */
};

struct row {
    uint32_t index;
    const char *name; /* NULL: the base of the row above */
    uint32_t type;
    int scale;
    uint32_t level;
    size_t from; /* in struct pl_self */
    const char *help;
};

#define FROM(member) offsetof(struct pl_self, member)

/* clang-format off */
static const struct row rows[] = {
    { 6, "% Processor Time", PERF_100NSEC_TIMER, 1, PERF_DETAIL_NOVICE,
      FROM(process.cpu),
      "Share of one processor's time used by the logger." },
    { 142, "% User Time", PERF_100NSEC_TIMER, 1, PERF_DETAIL_ADVANCED,
      FROM(process.user),
      "Share of one processor's time in the logger's own code." },
    { 144, "% Privileged Time", PERF_100NSEC_TIMER, 1, PERF_DETAIL_ADVANCED,
      FROM(process.privileged),
      "Share of one processor's time the kernel spent for the logger." },
    { 28, "Page Faults/sec", PERF_COUNTER_BULK_COUNT, 0, PERF_DETAIL_EXPERT,
      FROM(process.page_faults),
      "Page faults of the logger per second." },
    { 180, "Working Set", PERF_COUNTER_LARGE_RAWCOUNT, -6, PERF_DETAIL_NOVICE,
      FROM(process.working_set),
      "Memory of the logger that is resident now." },
    { 178, "Working Set Peak", PERF_COUNTER_LARGE_RAWCOUNT, -6,
      PERF_DETAIL_ADVANCED, FROM(process.working_set_peak),
      "Largest resident memory of the logger so far." },
    { 784, "ID Process", PERF_COUNTER_RAWCOUNT, -1, PERF_DETAIL_NOVICE,
      FROM(process.id),
      "Process number of the logger." },
    { 684, "Elapsed Time", PERF_ELAPSED_TIME, -4, PERF_DETAIL_NOVICE,
      FROM(started_100ns),
      "Seconds since this recording session began." },
    { 21702, "Samples Written", PERF_COUNTER_LARGE_RAWCOUNT, -2,
      PERF_DETAIL_NOVICE, FROM(recorder.samples_written),
      "Samples written so far." },
    { 21704, "Samples Missed", PERF_COUNTER_LARGE_RAWCOUNT, 0,
      PERF_DETAIL_NOVICE, FROM(recorder.samples_missed),
      "Samples that should have been taken but were not." },
    { 21706, "Samples Not Written", PERF_COUNTER_LARGE_RAWCOUNT, 0,
      PERF_DETAIL_NOVICE, FROM(recorder.samples_not_written),
      "Samples lost because writing failed or was too slow." },
    { 21708, "Avg. Lateness sec", PERF_AVERAGE_TIMER, 3, PERF_DETAIL_NOVICE,
      FROM(recorder.lateness_100ns),
      "Mean delay between the planned and the real time of a sample." },
    { 21708, NULL, PERF_AVERAGE_BASE, 0, PERF_DETAIL_NOVICE,
      FROM(recorder.samples_taken), NULL },
    { 21710, "Last Lateness Microseconds", PERF_COUNTER_RAWCOUNT, -2,
      PERF_DETAIL_ADVANCED, FROM(last_lateness_us),
      "Delay of this sample behind its planned time." },
    { 21712, "Avg. Collection sec", PERF_AVERAGE_TIMER, 3, PERF_DETAIL_NOVICE,
      FROM(recorder.collection_100ns),
      "Mean time to read all sources once." },
    { 21712, NULL, PERF_AVERAGE_BASE, 0, PERF_DETAIL_NOVICE,
      FROM(recorder.samples_taken), NULL },
    { 21714, "Last Collection Microseconds", PERF_COUNTER_RAWCOUNT, -2,
      PERF_DETAIL_ADVANCED, FROM(last_collection_us),
      "Time the previous sample took to read." },
    { 21716, "Avg. Encoding sec", PERF_AVERAGE_TIMER, 4, PERF_DETAIL_ADVANCED,
      FROM(recorder.encoding_100ns),
      "Mean time to code and compress one sample." },
    { 21716, NULL, PERF_AVERAGE_BASE, 0, PERF_DETAIL_NOVICE,
      FROM(recorder.samples_taken), NULL },
    { 21718, "Avg. Write sec", PERF_AVERAGE_TIMER, 4, PERF_DETAIL_ADVANCED,
      FROM(recorder.write_100ns),
      "Mean time of writing one record to the log." },
    { 21718, NULL, PERF_AVERAGE_BASE, 0, PERF_DETAIL_NOVICE,
      FROM(recorder.num_writes), NULL },
    { 21720, "Avg. Sync sec", PERF_AVERAGE_TIMER, 3, PERF_DETAIL_ADVANCED,
      FROM(recorder.sync_100ns),
      "Mean time of forcing the log to the disk." },
    { 21720, NULL, PERF_AVERAGE_BASE, 0, PERF_DETAIL_NOVICE,
      FROM(recorder.num_syncs), NULL },
    { 21722, "Block Bytes/sec", PERF_COUNTER_BULK_COUNT, -4,
      PERF_DETAIL_ADVANCED, FROM(recorder.block_bytes),
      "Bytes of samples per second before compression." },
    { 21724, "Log Bytes/sec", PERF_COUNTER_BULK_COUNT, -3, PERF_DETAIL_NOVICE,
      FROM(recorder.log_bytes),
      "Bytes appended to the log per second." },
    { 21726, "Log Size Bytes", PERF_COUNTER_LARGE_RAWCOUNT, -6,
      PERF_DETAIL_NOVICE, FROM(recorder.file_bytes),
      "Size of the current log file." },
    { 21728, "% Compressed Size", PERF_LARGE_RAW_FRACTION, 1,
      PERF_DETAIL_ADVANCED, FROM(recorder.log_bytes),
      "Bytes in the log in per cent of the samples' own size, since the "
      "session began." },
    { 21728, NULL, PERF_LARGE_RAW_BASE, 0, PERF_DETAIL_NOVICE,
      FROM(recorder.block_bytes), NULL },
    { 21732, "Read Errors/sec", PERF_COUNTER_BULK_COUNT, 0,
      PERF_DETAIL_ADVANCED, FROM(read_errors),
      "Sources per second that could not be read." },
    { 21734, "Instances", PERF_COUNTER_RAWCOUNT, -2, PERF_DETAIL_ADVANCED,
      FROM(instances),
      "Instances in this sample." },
    { 21736, "Free Disk Bytes", PERF_COUNTER_LARGE_RAWCOUNT, -9,
      PERF_DETAIL_ADVANCED, FROM(recorder.free_bytes),
      "Space left where the log is written." },
};
/* clang-format on */
enum { NUM_ROWS = sizeof rows / sizeof *rows };

static uint32_t help_of(uint32_t index)
{
    return index < FIRST_OWN_TITLE ? OWN_HELP + index / 2 : index + 1;
}

/* Bases are as wide as what they divide, so that none wraps. */
static uint32_t width_of(const struct row *row)
{
    return (row->type & PERF_SIZE_MASK) == PERF_SIZE_LARGE ||
                   row->type == PERF_AVERAGE_TIMER ||
                   row->type == PERF_AVERAGE_BASE
               ? 8
               : 4;
}

/* Where each value lies, and how long the counter block is. */
static uint32_t lay_out(uint32_t at[NUM_ROWS])
{
    uint32_t end = VALUES_AT;

    for (size_t i = 0; i < NUM_ROWS; i++) {
        uint32_t width = width_of(&rows[i]);

        at[i] = (end + width - 1) & ~(width - 1);
        end = at[i] + width;
    }
    return (end + 7) & ~7u;
}

static size_t put_definitions(struct pl_buf *block, const uint32_t at[NUM_ROWS],
                              int64_t now_100ns)
{
    const struct pl_object object = {
        .title_index = INDEX_OBJECT,
        .help_index = INDEX_OBJECT + 1,
        .detail_level = PERF_DETAIL_ADVANCED,
        .default_counter = 0, /* % Processor Time */
        .perf_time = now_100ns,
        .perf_freq = PERF_FREQ,
    };
    size_t start = pl_put_object(block, &object);

    for (size_t i = 0; i < NUM_ROWS; i++) {
        const struct pl_counter_def def = {
            .title_index = rows[i].index,
            .help_index = help_of(rows[i].index),
            .scale = rows[i].scale,
            .detail_level = rows[i].level,
            .type = rows[i].type,
            .size = width_of(&rows[i]),
            .offset = at[i],
        };

        pl_put_counter(block, &def);
    }
    pl_put_definitions_close(block, start, NUM_ROWS);
    return start;
}

void pl_self_put(struct pl_buf *block, const struct pl_self *self,
                 int64_t now_100ns)
{
    uint32_t at[NUM_ROWS], len = lay_out(at);
    size_t start = put_definitions(block, at, now_100ns);
    uint8_t *p = pl_put_counter_block(block, len);

    for (size_t i = 0; p && i < NUM_ROWS; i++) {
        const uint64_t v =
            *(const uint64_t *)((const char *)self + rows[i].from);

        if (width_of(&rows[i]) == 8)
            pl_put_le64(p + at[i], v);
        else /* a gauge that does not fit stops at the largest value */
            pl_put_le32(p + at[i], v < UINT32_MAX ? (uint32_t)v : UINT32_MAX);
    }
    pl_put_object_close(block, start, PERF_NO_INSTANCES);
}

bool pl_self_fits(const struct pl_counter_path *path)
{
    if (!pl_pattern_match(path->object, pl_text_of(PL_SELF_NAME)))
        return false;
    for (size_t i = 0; i < NUM_ROWS; i++)
        if (rows[i].name &&
            (!path->counter.p ||
             pl_pattern_match(path->counter, pl_text_of(rows[i].name))))
            return true;
    return false;
}

static enum pl_status label(struct pl_titles *titles, uint32_t index,
                            const char *name, uint32_t help_index,
                            const char *help)
{
    enum pl_status s = pl_titles_set(titles, index, PL_TITLE_NAME,
                                     PL_LANGUAGE_ENGLISH, pl_text_of(name));

    return s ? s
             : pl_titles_set(titles, help_index, PL_TITLE_HELP,
                             PL_LANGUAGE_ENGLISH, pl_text_of(help));
}

enum pl_status pl_self_label(struct pl_titles *titles)
{
    enum pl_status s =
        label(titles, INDEX_OBJECT, PL_SELF_NAME, INDEX_OBJECT + 1,
              "Cost and punctuality of the recording program.");

    for (size_t i = 0; i < NUM_ROWS && !s; i++)
        if (rows[i].name)
            s = label(titles, rows[i].index, rows[i].name,
                      help_of(rows[i].index), rows[i].help);
    return s;
}
