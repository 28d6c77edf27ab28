/* perflog verify: every record checked, every damaged range named. */
#include "analyze/inspect/index_check.h"
#include "analyze/output/json.h"
#include "analyze/inspect/damage_summary.h"
#include "analyze/output/progress.h"
#include "analyze/inspect/log_counts.h"
#include "analyze/inspect/ends_check.h"
#include "analyze/input/host_log.h"
#include "format/time/time_text.h"
#include "format/cli/message.h"
#include "analyze/cli/common_options.h"
#include "format/cli/options.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

extern const struct pl_command pl_cmd_verify;

enum option { OPT_ENCODING, OPT_JSON, OPT_QUIET };

/* clang-format off */
static const struct pl_option options[] = {
    [OPT_ENCODING] = PL_OPTION_ENCODING,
    [OPT_JSON] = PL_OPTION_JSON,
    [OPT_QUIET] = { 'q', "quiet", NULL, "only the exit status" },
};
/* clang-format on */

/* Consecutive unreachable samples are one range. */
struct run {
    uint64_t at, end, samples; /* samples 0: no range */
    const char *reason;
};

static const char *const count_keys[] = {
    "sessions",
    "samples",
    "damaged_ranges",
    "damaged_bytes",
    "unreachable_samples",
    "malformed_blocks",
    "missing_records",
    "interrupted_records",
    "too_new_records",
    "lost_samples",
    "lost_ms",
};
enum { NUM_COUNTS = sizeof count_keys / sizeof *count_keys };

struct check {
    bool quiet;
    struct pl_json *json; /* NULL: write lines */
    struct pl_progress progress;
    struct pl_log_counts tally; /* of the log being read, as what follows */
    struct pl_damage_summary losses;
    struct pl_index_check indexes;
    struct pl_ends_check ends;
    struct run run;
    uint64_t lost_samples, lost_ns;
    bool at_least;             /* more samples may be lost than counted */
    uint64_t sums[NUM_COUNTS]; /* of all logs */
    enum pl_exit code;         /* the worst of theirs */
};

/* The name of a range's kind; NULL: the item is not a range. */
static const char *kind_of(const struct pl_item *item)
{
    switch (item->kind) {
    case PL_ITEM_DAMAGED:
        return "damaged";
    case PL_ITEM_TOO_NEW:
        return "too new";
    case PL_ITEM_INTERRUPTED:
        return "interrupted";
    case PL_ITEM_HOLE:
        return "missing";
    default:
        return NULL;
    }
}

/* ---- lines --------------------------------------------------------------- */

/* A pack's bytes are those of its last record: the others have none. */
static void print_range(const char *path, uint64_t at, uint64_t len,
                        const char *kind)
{
    pl_print_visible(path);
    if (len)
        printf(": bytes %" PRIu64 " to %" PRIu64 " (%" PRIu64 "): %s: ", at,
               at + len - 1, len, kind);
    else
        printf(": at byte %" PRIu64 ": %s: ", at, kind);
}

static void print_line(const char *path, const struct pl_item *item)
{
    if (item->kind == PL_ITEM_HOLE) {
        pl_print_visible(path);
        printf(": at byte %" PRIu64 ": records missing: %" PRIu32 "%s\n",
               item->at, item->count,
               item->between_files ? " (in segments that are not here)" : "");
        return;
    }
    print_range(path, item->at, item->len, kind_of(item));
    if (item->kind != PL_ITEM_INTERRUPTED)
        printf("%s\n", item->reason);
    else
        printf("%s; no damage\n", item->zeros ? "zeros that a power cut left"
                                              : "a record cut short");
}

static void print_run(const char *path, const struct run *run)
{
    print_range(path, run->at, run->end - run->at, "unreachable");
    printf("%" PRIu64 " sample%s: %s\n", run->samples,
           run->samples == 1 ? "" : "s", run->reason);
}

static void print_loss(const char *path, const struct pl_damage *loss)
{
    char from[PL_INSTANT_TEXT], to[PL_INSTANT_TEXT], length[PL_DURATION_TEXT];

    pl_print_visible(path);
    printf(": lost: %s%" PRIu64 " sample%s", loss->at_least ? "at least " : "",
           loss->samples, loss->samples == 1 ? "" : "s");
    pl_instant_text(loss->from_ns, from);
    pl_instant_text(loss->to_ns, to);
    if (loss->has_from && loss->has_to)
        printf(" between %s and %s UTC", from, to);
    else if (loss->has_from)
        printf(" after %s UTC", from);
    else if (loss->has_to)
        printf(" before %s UTC", to);
    if (loss->ns)
        printf(" (%s)", pl_duration_text(loss->ns, length));
    printf("\n");
}

/* ---- JSON ---------------------------------------------------------------- */

/* Begin an object, which pl_json_close_object ends. */
static void json_range(struct pl_json *j, const char *path, const char *kind,
                       uint64_t at, uint64_t len)
{
    pl_json_open_object(j);
    pl_json_put_string(j, "file", path);
    pl_json_put_string(j, "kind", kind);
    pl_json_put_count(j, "offset", at);
    pl_json_put_count(j, "bytes", len);
}

static void json_item(struct pl_json *j, const char *path,
                      const struct pl_item *item)
{
    json_range(j, path, kind_of(item), item->at, item->len);
    if (item->kind == PL_ITEM_HOLE)
        pl_json_put_count(j, "records", item->count);
    if (item->reason) {
        pl_json_put_string(j, "reason", item->reason);
    }
    pl_json_close_object(j);
}

static void json_run(struct pl_json *j, const char *path, const struct run *run)
{
    json_range(j, path, "unreachable", run->at, run->end - run->at);
    pl_json_put_count(j, "samples", run->samples);
    pl_json_put_string(j, "reason", run->reason);
    pl_json_close_object(j);
}

static void json_loss(struct pl_json *j, const char *path,
                      const struct pl_damage *loss)
{
    json_range(j, path, "lost", loss->at, loss->damaged_bytes);
    pl_json_put_count(j, "samples", loss->samples);
    pl_json_key(j, "at_least");
    pl_json_bool(j, loss->at_least);
    pl_json_put_instant(j, "from", loss->has_from, loss->from_ns);
    pl_json_put_instant(j, "to", loss->has_to, loss->to_ns);
    pl_json_put_count(j, "lost_ms", loss->ns / (uint64_t)PL_NS_PER_MS);
    pl_json_close_object(j);
}

/* ---- checking ------------------------------------------------------------ */

/* True if findings are printed; then the progress line is cleared first. */
static bool reports_it(struct check *c)
{
    if (!c->quiet)
        pl_progress_end(&c->progress);
    return !c->quiet;
}

static void report_item(struct check *c, const char *path,
                        const struct pl_item *item)
{
    if (!reports_it(c))
        return;
    if (c->json)
        json_item(c->json, path, item);
    else
        print_line(path, item);
}

/* Report a complete sample with a good checksum whose block is inconsistent. */
static void report_misfit(struct check *c, const char *path,
                          const struct pl_item *item)
{
    const struct pl_misfit *m = &c->tally.misfit;
    char time[PL_INSTANT_TEXT];

    if (!reports_it(c))
        return;
    if (c->json) {
        json_range(c->json, path, "malformed", item->at, item->len);
        pl_json_put_instant(c->json, "time", true, item->record.utc_ns);
        pl_json_put_count(c->json, "block_offset", m->at);
        pl_json_put_string(c->json, "reason", m->reason);
        pl_json_close_object(c->json);
        return;
    }
    print_range(path, item->at, item->len, "malformed");
    pl_instant_text(item->record.utc_ns, time);
    printf("byte %zu of the block: %s, in the sample of %s UTC\n", m->at,
           m->reason, time);
}

static void end_run(struct check *c, const char *path)
{
    if (!c->run.samples || !reports_it(c))
        return;
    if (c->json)
        json_run(c->json, path, &c->run);
    else
        print_run(path, &c->run);
    c->run.samples = 0;
}

static void extend_run(struct check *c, const char *path,
                       const struct pl_item *item)
{
    if (c->run.samples && c->run.reason != item->reason)
        end_run(c, path);
    if (!c->run.samples)
        c->run = (struct run){ .at = item->at, .reason = item->reason };
    c->run.end = item->at + item->len;
    c->run.samples++;
}

static void report_loss(struct check *c, const char *path,
                        const struct pl_damage *loss)
{
    if (!loss->damaged && !loss->missing)
        return; /* missing segments are not damage */
    c->lost_samples += loss->samples;
    c->lost_ns += loss->ns;
    c->at_least |= loss->at_least;
    if (!reports_it(c))
        return;
    if (c->json)
        json_loss(c->json, path, loss);
    else if (loss->samples || loss->at_least)
        print_loss(path, loss);
}

static void check_item(struct check *c, const char *path,
                       const struct pl_item *item)
{
    struct pl_damage loss;

    if (item->kind == PL_ITEM_UNREACHABLE)
        extend_run(c, path, item);
    else if (kind_of(item) || item->kind == PL_ITEM_SAMPLE)
        end_run(c, path);
    if (pl_damage_summary_take(&c->losses, item, c->tally.interval_ns, &loss))
        report_loss(c, path, &loss);
    if (kind_of(item))
        report_item(c, path, item);
    if (item->kind == PL_ITEM_SAMPLE && c->tally.misfit.reason)
        report_misfit(c, path, item);
}

/* A wrong index hides samples from --from and --to: that is damage, even if its
 * hash is right. */
static void check_index(struct check *c, struct pl_item *item)
{
    if (pl_index_check(&c->indexes, item))
        return;
    item->kind = PL_ITEM_DAMAGED;
    item->reason = "index contradicts the samples before it; --from and --to "
                   "could pass over some";
}

/* The same of names and counts, which list and info show without the samples. */
static enum pl_status check_ends(struct check *c, const struct pl_reader *r,
                                 struct pl_item *item)
{
    const char *why;
    enum pl_status s = pl_ends_check(&c->ends, r, item, &why);

    if (s != PL_CORRUPT)
        return s;
    item->kind = PL_ITEM_DAMAGED;
    item->reason = why;
    return PL_OK;
}

static enum pl_status begin_file(struct check *c,
                                 const struct pl_host_log_reader *r)
{
    pl_index_check_restart(&c->indexes);
    return pl_ends_check_begin(&c->ends, r->reader);
}

static enum pl_status check_log(struct check *c, const struct pl_host_log *log)
{
    struct pl_host_log_reader r;
    struct pl_item item;
    struct pl_damage loss;
    const char *path = log->paths[0];
    enum pl_status s = pl_host_log_start(&r, log, NULL);

    c->losses = (struct pl_damage_summary){ 0 };
    if (!s)
        s = begin_file(c, &r);
    while (!s && !(s = pl_host_log_next(&r, &item))) {
        if (path != pl_host_log_path(&r)) {
            end_run(c, path);
            s = begin_file(c, &r);
        }
        path = pl_host_log_path(&r);
        check_index(c, &item);
        if (!s)
            s = check_ends(c, r.reader, &item);
        if (s)
            break;
        pl_log_counts_add(&c->tally, r.reader, &item);
        check_item(c, path, &item);
        if (c->progress.on)
            pl_progress_at(&c->progress,
                           r.bytes_before + pl_reader_position(r.reader));
    }
    end_run(c, path);
    if (pl_damage_summary_end(&c->losses, c->tally.interval_ns, &loss))
        report_loss(c, path, &loss);
    pl_host_log_stop(&r);
    pl_ends_check_release(&c->ends);
    return s == PL_END ? PL_OK : s;
}

static const char *verdict(enum pl_exit code)
{
    switch (code) {
    case PL_EXIT_GOOD:
        return "good";
    case PL_EXIT_TOO_NEW:
        return "too new";
    case PL_EXIT_UNREADABLE:
        return "nothing readable";
    default:
        return "damaged";
    }
}

/* The host is named where it is not of one file, or the file not of one host. */
static void print_files(const struct pl_host_log *log)
{
    const struct pl_foreign_file *f = log->foreign[0].file;
    size_t others = log->num_paths - 1;

    pl_print_visible(log->paths[0]);
    if (others)
        printf(" and %zu further file%s", others, others == 1 ? "" : "s");
    if (!log->host ||
        (!others && !log->foreign[0].shared && !(f && f->num_hosts > 1)))
        return;
    printf(" of ");
    pl_print_visible(log->host);
}

static void print_summary(const struct check *c)
{
    const struct pl_log_counts *t = &c->tally;
    char lost[PL_DURATION_TEXT];

    printf(": %s: %" PRIu64 " sample%s in %" PRIu64 " session%s",
           verdict(pl_log_counts_exit(t)), t->samples,
           t->samples == 1 ? "" : "s", t->sessions,
           t->sessions == 1 ? "" : "s");
    if (t->damaged_ranges || t->unreachable || t->missing_records)
        printf("; damaged ranges: %" PRIu64 " (%" PRIu64
               " bytes); unreachable samples: %" PRIu64
               "; samples lost: %s%" PRIu64 " (%s)",
               t->damaged_ranges, t->damaged_bytes, t->unreachable,
               c->at_least ? "at least " : "", c->lost_samples,
               pl_duration_text(c->lost_ns, lost));
    if (t->malformed)
        printf("; blocks that do not add up: %" PRIu64, t->malformed);
    if (t->interrupted)
        printf("; records cut by a kill or crash, which is no damage: %" PRIu64,
               t->interrupted);
    printf("\n");
}

/* In the order of count_keys. */
static void add_counts(struct check *c)
{
    const struct pl_log_counts *t = &c->tally;
    const uint64_t counts[NUM_COUNTS] = {
        t->sessions,
        t->samples,
        t->damaged_ranges,
        t->damaged_bytes,
        t->unreachable,
        t->malformed,
        t->missing_records,
        t->interrupted,
        t->too_new,
        c->lost_samples,
        c->lost_ns / (uint64_t)PL_NS_PER_MS,
    };

    for (size_t i = 0; i < NUM_COUNTS; i++)
        c->sums[i] += counts[i];
    c->code = pl_exit_worse(c->code, pl_log_counts_exit(t));
}

static void summary_json(struct pl_json *j, const struct check *c)
{
    for (size_t i = 0; i < NUM_COUNTS; i++)
        pl_json_put_count(j, count_keys[i], c->sums[i]);
    pl_json_put_count(j, "exit_status", c->code);
}

/* Print one summary of them; 'name' NULL: it names the files of the only one. */
static enum pl_status sum_up(struct check *c, const struct pl_host_log *logs,
                             size_t num, const char *name)
{
    enum pl_status s = PL_OK;

    c->tally = (struct pl_log_counts){ 0 };
    c->lost_samples = c->lost_ns = 0;
    c->at_least = false;
    for (size_t i = 0; i < num && !s; i++) {
        c->tally.interval_ns = 0;
        s = check_log(c, &logs[i]);
    }
    if (s)
        return s;
    add_counts(c);
    if (c->json || !reports_it(c))
        return PL_OK;
    if (name)
        pl_print_visible(name);
    else
        print_files(logs);
    print_summary(c);
    return PL_OK;
}

/* Hosts of one file have one summary: what is damaged there is so for each. */
static enum pl_status check_all(struct check *c, const struct pl_host_logs *t,
                                const char *operand, const char **bad)
{
    const bool one_file = pl_host_logs_are_one_file(t);
    const size_t each = one_file ? t->num : 1;
    const char *name = operand && each == t->num ? operand
                       : one_file                ? t->logs[0].paths[0]
                                                 : NULL;
    enum pl_status s = PL_OK;

    for (size_t i = 0; i < t->num && !s; i += each) {
        *bad = t->logs[i].paths[0];
        s = sum_up(c, &t->logs[i], each, name);
    }
    return s;
}

static enum pl_exit verify(struct check *c, char **operands, int num)
{
    struct pl_host_logs logs;
    struct pl_json json;
    enum pl_exit code =
        pl_host_logs_open_whole_or_say(&logs, operands, num, c->quiet);
    const char *bad = "";
    enum pl_status s;

    if (code)
        return code;
    if (c->json) {
        c->json = &json;
        pl_json_init(&json, stdout);
        pl_json_open_object(&json);
        pl_json_key(&json, "ranges");
        pl_json_open_array(&json);
    }
    pl_progress_start(&c->progress, "verifying", pl_host_logs_bytes(&logs),
                      c->quiet);
    s = check_all(c, &logs, num == 1 ? *operands : NULL, &bad);
    pl_progress_end(&c->progress);
    if (s)
        code = pl_say_status(bad, s, NULL);
    else
        code = c->code;
    if (c->json) {
        pl_json_close_array(&json);
        summary_json(&json, c);
        pl_json_close_object(&json);
        s = pl_json_finish(&json);
        if (s)
            code = pl_say_status("output", s, NULL);
    }
    pl_host_logs_release(&logs);
    return code;
}

static enum pl_exit run_verify(const struct pl_command *self, int argc,
                               char **argv)
{
    struct pl_json json;
    struct check c = { 0 };
    bool as_json = false;
    const struct pl_shared_values to = { .json = &as_json, .quiet = &c.quiet };
    enum pl_exit code;

    if (!pl_command_options(self, argc, argv, &to, NULL, NULL, &code))
        return code;
    c.json = as_json ? &json : NULL; /* set up once there is something to say */
    if (pl_operands() == argc) {
        pl_say("verify: name a log, such as out.plog; see 'perflog verify "
               "--help'");
        return PL_EXIT_FAILED;
    }
    code = verify(&c, argv + pl_operands(), argc - pl_operands());
    if (!c.json && !pl_flush_stdout() && code != PL_EXIT_FAILED)
        code = pl_say_status("output", PL_IO, NULL);
    return code;
}

const struct pl_command pl_cmd_verify = {
    .name = "verify",
    .summary = "Check every record of a log and name damaged ranges",
    .usage = "[OPTION...] LOG...",
    .options = options,
    .num_options = sizeof options / sizeof *options,
    .notes = "A log that was killed or is still being written is good.\n"
             "Exit status: 0 good, 1 failed, 2 damaged, 3 part of it needs a "
             "newer\nperflog, 4 nothing readable.",
    .run = run_verify,
};
