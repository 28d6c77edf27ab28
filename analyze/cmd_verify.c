/* perflog verify: every record checked, every damaged range named. */
#include "analyze/json.h"
#include "analyze/progress.h"
#include "analyze/replay.h"
#include "analyze/tally.h"
#include "analyze/tape.h"
#include "format/instant.h"
#include "format/message.h"
#include "format/options.h"

#include <inttypes.h>
#include <stdio.h>

extern const struct pl_command pl_cmd_verify;

enum option { OPT_JSON, OPT_QUIET };

/* clang-format off */
static const struct pl_option options[] = {
    [OPT_JSON] = { 0, "json", NULL, "as JSON" },
    [OPT_QUIET] = { 'q', "quiet", NULL, "only the exit status" },
};
/* clang-format on */

struct check {
    bool quiet;
    struct pl_json *json; /* NULL: lines */
    struct pl_tally tally;
    int64_t last_good;  /* utc of the last good sample; 0: none */
    int64_t lost_since; /* it, when trouble began; 0: no trouble */
    int64_t last_seen;  /* utc of the last unreachable record */
    int64_t lost_ns;    /* time without samples because of damage */
};

/* What a range is called, NULL if it is none. */
static const char *kind_of(const struct pl_item *item)
{
    switch (item->kind) {
    case PL_ITEM_DAMAGED:
        return "damaged";
    case PL_ITEM_UNREACHABLE:
        return "unreachable";
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

static void print_line(const char *path, const struct pl_item *item)
{
    pl_print_visible(path);
    if (item->kind == PL_ITEM_HOLE)
        printf(": at byte %" PRIu64 ": records missing: %" PRIu32 "%s\n",
               item->at, item->count,
               item->between_files ? " (in segments that are not here)" : "");
    else
        printf(": bytes %" PRIu64 " to %" PRIu64 " (%" PRIu64 "): %s: %s\n",
               item->at, item->at + item->len - 1, item->len, kind_of(item),
               item->reason ? item->reason : "a record cut short; no damage");
}

static void print_json(struct pl_json *j, const char *path,
                       const struct pl_item *item)
{
    pl_json_open_object(j);
    pl_json_key(j, "file");
    pl_json_string(j, path);
    pl_json_key(j, "kind");
    pl_json_string(j, kind_of(item));
    pl_json_key(j, "offset");
    pl_json_count(j, item->at);
    pl_json_key(j, "bytes");
    pl_json_count(j, item->len);
    if (item->kind == PL_ITEM_HOLE) {
        pl_json_key(j, "records");
        pl_json_count(j, item->count);
    }
    if (item->reason) {
        pl_json_key(j, "reason");
        pl_json_string(j, item->reason);
    }
    pl_json_close_object(j);
}

/* A whole sample, proven, whose block does not add up. */
static void say_misfit(const struct check *c, const char *path,
                       const struct pl_item *item)
{
    const struct pl_misfit *m = &c->tally.misfit;

    if (c->json) {
        pl_json_open_object(c->json);
        pl_json_key(c->json, "file");
        pl_json_string(c->json, path);
        pl_json_key(c->json, "kind");
        pl_json_string(c->json, "malformed");
        pl_json_key(c->json, "offset");
        pl_json_count(c->json, item->at);
        pl_json_key(c->json, "bytes");
        pl_json_count(c->json, item->len);
        pl_json_key(c->json, "block_offset");
        pl_json_count(c->json, m->at);
        pl_json_key(c->json, "reason");
        pl_json_string(c->json, m->reason);
        pl_json_close_object(c->json);
        return;
    }
    pl_print_visible(path);
    printf(": bytes %" PRIu64 " to %" PRIu64 " (%" PRIu64
           "): malformed: byte %zu of the block: %s\n",
           item->at, item->at + item->len - 1, item->len, m->at, m->reason);
}

/* Time lost is that between the good samples around damage. */
static void measure_loss(struct check *c, const struct pl_item *item)
{
    if (item->kind == PL_ITEM_SESSION && !c->last_good) {
        c->last_good = item->record.utc_ns;
    } else if (item->kind == PL_ITEM_SAMPLE) {
        int64_t utc = pl_row_time(item->record.utc_ns, c->tally.interval_ns);

        if (c->lost_since && utc > c->lost_since)
            c->lost_ns += utc - c->lost_since;
        c->lost_since = 0;
        c->last_good = utc;
    } else if (item->kind == PL_ITEM_DAMAGED ||
               item->kind == PL_ITEM_UNREACHABLE) {
        if (!c->lost_since)
            c->lost_since = c->last_good;
        if (item->record.utc_ns > c->last_seen)
            c->last_seen = item->record.utc_ns;
    }
}

/* Trouble up to the end has no good sample behind it. */
static void end_loss(struct check *c)
{
    if (c->lost_since && c->last_seen > c->lost_since)
        c->lost_ns += c->last_seen - c->lost_since;
}

static enum pl_status check_tape(struct check *c, const struct pl_tape *tape,
                                 struct pl_progress *progress)
{
    struct pl_tape_reader r;
    struct pl_item item;
    enum pl_status s = pl_tape_start(&r, tape, NULL);

    while (!s && !(s = pl_tape_next(&r, &item))) {
        pl_tally_add(&c->tally, r.reader, &item);
        measure_loss(c, &item);
        if (progress->on)
            pl_progress_at(progress,
                           r.bytes_before + pl_reader_position(r.reader));
        if (item.kind == PL_ITEM_SAMPLE && c->tally.misfit.reason && !c->quiet)
            say_misfit(c, pl_tape_path(&r), &item);
        if (!kind_of(&item) || c->quiet)
            continue;
        if (c->json)
            print_json(c->json, pl_tape_path(&r), &item);
        else
            print_line(pl_tape_path(&r), &item);
    }
    pl_tape_stop(&r);
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

static void summary_line(const struct check *c, const char *path)
{
    const struct pl_tally *t = &c->tally;
    char lost[PL_DURATION_TEXT], step[PL_DURATION_TEXT];
    uint64_t samples_lost =
        t->interval_ns ? (uint64_t)c->lost_ns / t->interval_ns : 0;

    if (samples_lost)
        samples_lost--; /* n + 1 intervals between the samples around n */
    pl_print_visible(path);
    printf(": %s: %" PRIu64 " sample%s in %" PRIu64 " session%s",
           verdict(pl_tally_exit(t)), t->samples, t->samples == 1 ? "" : "s",
           t->sessions, t->sessions == 1 ? "" : "s");
    if (t->damaged_ranges || t->unreachable)
        printf("; damaged ranges: %" PRIu64 " (%" PRIu64
               " bytes); unreachable samples: %" PRIu64
               "; samples lost: about %" PRIu64 " (%s at %s)",
               t->damaged_ranges, t->damaged_bytes, t->unreachable,
               samples_lost, pl_duration_text((uint64_t)c->lost_ns, lost),
               pl_duration_text(t->interval_ns, step));
    if (t->malformed)
        printf("; blocks that do not add up: %" PRIu64, t->malformed);
    if (t->interrupted)
        printf("; records cut by a kill or crash, which is no damage: %" PRIu64,
               t->interrupted);
    printf("\n");
}

static void summary_json(struct pl_json *j, const struct check *c)
{
    const struct pl_tally *t = &c->tally;
    const struct {
        const char *key;
        uint64_t value;
    } counts[] = {
        { "sessions", t->sessions },
        { "samples", t->samples },
        { "damaged_ranges", t->damaged_ranges },
        { "damaged_bytes", t->damaged_bytes },
        { "unreachable_samples", t->unreachable },
        { "malformed_blocks", t->malformed },
        { "missing_records", t->missing_records },
        { "interrupted_records", t->interrupted },
        { "too_new_records", t->too_new },
        { "lost_ms", (uint64_t)(c->lost_ns / PL_NS_PER_MS) },
        { "exit_status", pl_tally_exit(t) },
    };

    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        pl_json_key(j, counts[i].key);
        pl_json_count(j, counts[i].value);
    }
}

static enum pl_exit verify(struct check *c, char **operands, int num)
{
    struct pl_progress progress;
    struct pl_tapes tapes;
    struct pl_json json;
    enum pl_exit code = pl_tapes_open_or_say(&tapes, operands, num);
    const char *bad = "";
    enum pl_status s = PL_OK;

    if (code)
        return code;
    if (c->json) {
        c->json = &json;
        pl_json_init(&json, stdout);
        pl_json_open_object(&json);
        pl_json_key(&json, "ranges");
        pl_json_open_array(&json);
    }
    pl_progress_start(&progress, "verifying", pl_tapes_bytes(&tapes));
    for (size_t i = 0; i < tapes.num && !s; i++) {
        bad = tapes.tapes[i].paths[0];
        s = check_tape(c, &tapes.tapes[i], &progress);
    }
    pl_progress_end(&progress);
    end_loss(c);
    if (s)
        code = pl_say_status(bad, s, NULL);
    else
        code = pl_tally_exit(&c->tally);
    if (c->json) {
        pl_json_close_array(&json);
        summary_json(&json, c);
        pl_json_close_object(&json);
        s = pl_json_finish(&json);
        if (s)
            code = pl_say_status("output", s, NULL);
    } else if (!c->quiet && !s) {
        summary_line(c, operands[0]);
    }
    pl_tapes_release(&tapes);
    return code;
}

static enum pl_exit run_verify(const struct pl_command *self, int argc,
                               char **argv)
{
    struct pl_json json;
    struct check c = { 0 };
    enum pl_exit code;
    const char *arg;
    int option;

    while ((option = pl_option_next(self, argc, argv, &arg)) >= 0) {
        if (option == OPT_JSON)
            c.json = &json; /* set up once there is something to say */
        else
            c.quiet = true;
    }
    if (option != PL_OPTION_END)
        return option == PL_OPTION_HELP ? PL_EXIT_GOOD : PL_EXIT_FAILED;
    if (pl_operands() == argc) {
        pl_say("verify: name a log, such as out.plog; see 'perflog verify "
               "--help'");
        return PL_EXIT_FAILED;
    }
    code = verify(&c, argv + pl_operands(), argc - pl_operands());
    if (!c.json && fflush(stdout) && code == PL_EXIT_GOOD)
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
