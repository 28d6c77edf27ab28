/* Counts the contents of a log. */
#include "analyze/inspect/log_counts.h"

#include "analyze/inspect/publisher_note.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The recorder's own object, and its CPU time in 100 ns. */
enum { INDEX_LOGGER = 21700, INDEX_PROCESSOR_TIME = 6 };

static uint64_t cpu_of(struct pl_object *o)
{
    struct pl_object walk = *o;
    struct pl_counter_def def;
    struct pl_instance only;
    uint64_t value;

    if (pl_instance_next(&walk, &only))
        return 0;
    while (!pl_counter_next(o, &def))
        if (def.title_index == INDEX_PROCESSOR_TIME &&
            pl_counter_get(o, &only, &def, &value))
            return value;
    return 0;
}

/* The second sample has what the first one took, which is of the start. */
static void add_cpu(struct pl_log_counts *t, uint64_t cpu_100ns)
{
    if (cpu_100ns && !t->session_cpu_100ns) {
        t->first_cpu_100ns += cpu_100ns;
        t->start_cpu_100ns += cpu_100ns;
        t->start_samples++;
        t->second = t->samples + 1;
    } else if (t->samples == t->second && cpu_100ns >= t->session_cpu_100ns) {
        t->start_cpu_100ns += cpu_100ns - t->session_cpu_100ns;
        t->start_samples++;
    }
    t->session_cpu_100ns = cpu_100ns;
}

/* The recorder's own CPU time, if the block has it. */
static void find_cpu(struct pl_log_counts *t, const struct pl_buf *bytes)
{
    struct pl_block block;
    struct pl_object o;

    if (pl_block_parse(&block, bytes->p, bytes->len))
        return;
    while (!pl_object_next(&block, &o))
        if (o.title_index == INDEX_LOGGER)
            add_cpu(t, cpu_of(&o));
}

static void add_times(struct pl_log_counts *t, int64_t first, int64_t last)
{
    if (!t->samples || first < t->first_utc)
        t->first_utc = first;
    if (!t->samples || last > t->last_utc)
        t->last_utc = last;
}

/* A segment has ended of which not all samples were read. */
static void add_unread(struct pl_log_counts *t, const struct pl_unread *u)
{
    add_times(t, u->counts.utc_first, u->counts.utc_last);
    t->samples += u->samples;
    t->unread += u->samples;
    t->raw_bytes += u->bytes;
}

static void add_sample(struct pl_log_counts *t, const struct pl_item *item)
{
    add_times(t, item->record.utc_ns, item->record.utc_ns);
    t->samples++;
    t->rotated = false;
    t->raw_bytes += item->block ? item->block->len : item->record.raw_len;
    if (!item->block)
        return;
    t->malformed +=
        !pl_block_check(item->block->p, item->block->len, &t->misfit);
    find_cpu(t, item->block);
}

static void add_left_out(struct pl_log_counts *t, struct pl_text text)
{
    struct pl_publisher_note n;
    uint32_t user;

    t->left_out++;
    if (!pl_publisher_note_parse(&n, text))
        return;
    user = (uint32_t)strtoul(n.user.p, NULL, 10); /* a colon ends the digits */
    for (size_t i = 0; i < t->num_left_out_users; i++)
        if (t->left_out_users[i] == user)
            return;
    if (t->num_left_out_users < PL_LEFT_OUT_USERS)
        t->left_out_users[t->num_left_out_users++] = user;
}

void pl_log_counts_add(struct pl_log_counts *t, const struct pl_reader *r,
                       const struct pl_item *item)
{
    t->records += item->len && item->kind != PL_ITEM_DAMAGED &&
                  item->kind != PL_ITEM_INTERRUPTED;
    switch (item->kind) {
    case PL_ITEM_SESSION:
        t->sessions++;
        t->ended = t->rotated = false;
        t->interval_ns = pl_reader_session(r)->interval_ns;
        t->cpu_100ns += t->session_cpu_100ns;
        t->session_cpu_100ns = 0;
        t->second = 0;
        break;
    case PL_ITEM_SAMPLE:
        add_sample(t, item);
        break;
    case PL_ITEM_GAPS:
        t->missed[pl_gap_shown_cause(&item->gaps)] += item->gaps.count;
        break;
    case PL_ITEM_NOTE:
        t->clock_steps += item->note.kind == PL_NOTE_CLOCK_STEP;
        if (item->note.kind == PL_NOTE_LEFT_OUT)
            add_left_out(t, item->note.text);
        break;
    case PL_ITEM_ENDS:
        if (item->unread)
            add_unread(t, item->unread);
        t->rotated = item->ends.reason == PL_END_ROTATED;
        t->ended = !t->rotated;
        t->end_reason = item->ends.reason;
        break;
    case PL_ITEM_HOLE:
        if (item->between_files)
            t->missing_between_files += item->count;
        else
            t->missing_records += item->count;
        break;
    case PL_ITEM_DAMAGED:
        t->damaged_ranges++;
        t->damaged_bytes += item->len;
        t->damaged_samples += item->count;
        break;
    case PL_ITEM_INTERRUPTED:
        t->interrupted++;
        break;
    case PL_ITEM_UNREACHABLE:
        t->unreachable++;
        break;
    case PL_ITEM_TOO_NEW:
        t->too_new++;
        break;
    case PL_ITEM_TITLES:
    case PL_ITEM_IDENTITIES:
    case PL_ITEM_OTHER:
        break;
    }
}

enum pl_exit pl_log_counts_exit(const struct pl_log_counts *t)
{
    if (!t->records || (!t->samples && (t->damaged_ranges || t->unreachable)))
        return PL_EXIT_UNREADABLE;
    if (t->too_new)
        return PL_EXIT_TOO_NEW;
    if (t->damaged_ranges || t->unreachable || t->malformed ||
        t->missing_records)
        return PL_EXIT_DAMAGED;
    return PL_EXIT_GOOD;
}

const char *pl_log_counts_health(const struct pl_log_counts *t,
                                 char out[PL_HEALTH_TEXT])
{
    int n = snprintf(
        out, PL_HEALTH_TEXT,
        "%" PRIu64 " damaged range%s (%" PRIu64 " byte%s), "
        "%" PRIu64 " sample%s unreachable, %" PRIu64
        " record%s missing, %" PRIu64 " too new",
        t->damaged_ranges, pl_plural(t->damaged_ranges), t->damaged_bytes,
        pl_plural(t->damaged_bytes), t->unreachable, pl_plural(t->unreachable),
        t->missing_records, pl_plural(t->missing_records), t->too_new);

    if (t->malformed)
        snprintf(out + n, (size_t)(PL_HEALTH_TEXT - n),
                 ", %" PRIu64 " block%s inconsistent", t->malformed,
                 pl_plural(t->malformed));
    return out;
}

const char *pl_log_counts_left_out(const struct pl_log_counts *t,
                                   char out[PL_HEALTH_TEXT])
{
    int n = 0;

    if (!t->left_out)
        return NULL;
    for (size_t i = 0; i < t->num_left_out_users; i++)
        n += snprintf(out + n, (size_t)(PL_HEALTH_TEXT - n), "%s%" PRIu32,
                      i ? ", " : "user ", t->left_out_users[i]);
    snprintf(out + n, (size_t)(PL_HEALTH_TEXT - n), " (%" PRIu64 " note%s)",
             t->left_out, t->left_out == 1 ? "" : "s");
    return out;
}

const char *pl_log_counts_lost(const struct pl_log_counts *t,
                               char out[PL_LOST_TEXT])
{
    static const char *const causes[PL_NUM_SHOWN_CAUSES] = {
        [0] = "unknown cause",
        [PL_GAP_LATE] = "late",
        [PL_GAP_SUSPEND] = "suspended",
        [PL_GAP_DISK_FULL] = "disk full",
        [PL_GAP_DISK_ERROR] = "disk error",
        [PL_GAP_TOO_LARGE] = "too large",
        [PL_GAP_SPACE_GUARD] = "space kept free",
        [PL_GAP_RING_FULL] = "disk too slow",
        [PL_GAP_DAMAGED] = "damaged before",
        [PL_GAP_NOT_HERE] = "in a file not given",
        [PL_GAP_NO_MEMORY] = "too little memory",
    };
    uint64_t lost = pl_log_counts_missed(t);
    const char *before = " (";
    int n;

    if (!lost)
        return NULL;
    n = snprintf(out, PL_LOST_TEXT, "%" PRIu64 " sample%s lost", lost,
                 lost == 1 ? "" : "s");
    for (size_t i = 0; i < PL_NUM_SHOWN_CAUSES; i++) {
        if (!causes[i] || !t->missed[i])
            continue;
        n += snprintf(out + n, (size_t)(PL_LOST_TEXT - n), "%s%" PRIu64 " %s",
                      before, t->missed[i], causes[i]);
        before = ", ";
    }
    snprintf(out + n, (size_t)(PL_LOST_TEXT - n), ")");
    return out;
}

uint64_t pl_log_counts_missed(const struct pl_log_counts *t)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < PL_NUM_SHOWN_CAUSES; i++)
        if (i != PL_GAP_SYNC_FAILED)
            sum += t->missed[i];
    return sum;
}

bool pl_is_reboot(const uint8_t before[PL_BOOT_ID_LEN],
                  const uint8_t since[PL_BOOT_ID_LEN])
{
    static const uint8_t unknown[PL_BOOT_ID_LEN];

    return memcmp(before, unknown, sizeof unknown) != 0 &&
           memcmp(since, unknown, sizeof unknown) != 0 &&
           memcmp(before, since, sizeof unknown) != 0;
}

uint64_t pl_log_counts_cpu_100ns(const struct pl_log_counts *t)
{
    return t->cpu_100ns + t->session_cpu_100ns;
}

uint64_t pl_log_counts_first_cpu_100ns(const struct pl_log_counts *t)
{
    return t->first_cpu_100ns;
}

uint64_t pl_log_counts_start_cpu_100ns(const struct pl_log_counts *t)
{
    return t->start_cpu_100ns;
}

double pl_log_counts_sample_ms(const struct pl_log_counts *t)
{
    uint64_t all = pl_log_counts_cpu_100ns(t);

    if (all < t->start_cpu_100ns || !all || t->samples <= t->start_samples)
        return (double)NAN;
    return (double)(all - t->start_cpu_100ns) / 1e4 /
           (double)(t->samples - t->start_samples);
}

const char *pl_log_counts_cost(const struct pl_log_counts *t,
                               char out[PL_COST_TEXT])
{
    double all = (double)pl_log_counts_cpu_100ns(t) / 1e7;
    double start = (double)t->start_cpu_100ns / 1e7;
    double ms = pl_log_counts_sample_ms(t);

    if (all <= 0 || all < start)
        return NULL;
    if (!isnan(ms))
        snprintf(out, PL_COST_TEXT,
                 "%.2f ms CPU a sample, %.3f s to start, with the first, %.3f "
                 "s in all",
                 ms, start, all);
    else
        snprintf(out, PL_COST_TEXT, "%.3f s CPU to start%s", all,
                 t->start_cpu_100ns > t->first_cpu_100ns
                     ? ", with the first sample"
                     : "");
    return out;
}

const char *pl_end_reason_text(uint32_t reason)
{
    switch (reason) {
    case PL_END_ASKED:
        return "it had the samples it was asked for";
    case PL_END_SIGNAL:
        return "it was interrupted";
    case PL_END_ROTATED:
        return "it goes on in the next segment";
    case PL_END_TIME_LIMIT:
        return "its time was over";
    case PL_END_ERROR:
        return "it met an error";
    default:
        return "for a reason this perflog does not know";
    }
}
