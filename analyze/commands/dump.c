/* perflog dump: one sample's block, field by field. */
#include "analyze/cli/common_options.h"
#include "analyze/cli/damage_report.h"
#include "analyze/inspect/block_dump.h"
#include "analyze/inspect/identity_dump.h"
#include "analyze/output/progress.h"
#include "analyze/input/host_log.h"
#include "analyze/output/dump_tree.h"
#include "format/time/time_text.h"
#include "format/cli/message.h"
#include "format/cli/options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

extern const struct pl_command pl_cmd_dump;

enum option { OPT_SAMPLE, OPT_OBJECT, OPT_ENCODING, OPT_MAX_BLOCK, OPT_JSON };

/* clang-format off */
static const struct pl_option options[] = {
    [OPT_SAMPLE] = { 0, "sample", "N",
        "sample N of the log instead of the first, counted from 1; -1 is the "
        "last one, -2 the one before it" },
    [OPT_OBJECT] = { 0, "object", "NAME",
        "only objects whose name fits NAME, with * and ? as wildcards, or "
        "whose title index it is" },
    [OPT_ENCODING] = PL_OPTION_ENCODING,
    [OPT_MAX_BLOCK] = PL_OPTION_MAX_BLOCK,
    [OPT_JSON] = PL_OPTION_JSON,
};
/* clang-format on */

struct plan {
    int64_t sample; /* from 1, or below 0: from the end */
    struct pl_dump_choice choice;
    struct pl_reader_options reader;
    bool json;
};

/* The search for one sample in a log. */
struct search {
    const struct plan *plan;
    struct pl_host_log
        last_file; /* the last file of the host log, for numbers from the end */
    struct pl_host_log_reader reader;
    struct pl_item item; /* the last sample found */
    uint64_t num;        /* samples found */
    uint64_t damaged;    /* damaged ranges and samples skipped */
    uint64_t too_new, too_large;
    struct pl_places where; /* files of all of these */
    struct pl_progress progress;
};

/* ---- finding the sample -------------------------------------------------- */

/* The next sample, skipping other items.  PL_END, PL_IO, PL_NOMEM. */
static enum pl_status next_sample(struct search *x)
{
    enum pl_status s;

    while (!(s = pl_host_log_next(&x->reader, &x->item))) {
        switch (x->item.kind) {
        case PL_ITEM_SAMPLE:
            x->num++;
            pl_progress_at(&x->progress,
                           x->reader.bytes_before +
                               pl_reader_position(x->reader.reader));
            return PL_OK;
        case PL_ITEM_DAMAGED:
        case PL_ITEM_UNREACHABLE:
            pl_places_note(&x->where, &x->reader);
            x->damaged += !x->item.too_large;
            x->too_large += x->item.too_large;
            break;
        case PL_ITEM_HOLE:
            if (x->item.between_files)
                break;
            pl_places_note(&x->where, &x->reader);
            x->damaged++;
            break;
        case PL_ITEM_TOO_NEW:
            pl_places_note(&x->where, &x->reader);
            x->too_new++;
            break;
        default:
            break;
        }
    }
    return s;
}

/* Begin again, near the end if 'from' is set to its time. */
static enum pl_status start(struct search *x, const struct pl_host_log *log,
                            const int64_t *from)
{
    enum pl_status s;

    pl_host_log_stop(&x->reader);
    x->num = x->damaged = x->too_new = x->too_large = 0;
    x->where = (struct pl_places){ 0 };
    s = pl_host_log_start(&x->reader, log, &x->plan->reader);
    if (!s && from)
        s = pl_reader_seek(x->reader.reader, *from);
    return s;
}

/*
 * The n-th sample from the beginning given by 'log' and 'from'.  PL_END:
 * fewer.
 */
static enum pl_status go_to(struct search *x, const struct pl_host_log *log,
                            const int64_t *from, uint64_t n)
{
    enum pl_status s = start(x, log, from);

    while (!s && x->num < n)
        s = next_sample(x);
    return s;
}

/*
 * The n-th sample from the end, reading from the beginning given by 'log' and
 * 'from'.
 */
static enum pl_status go_back(struct search *x, const struct pl_host_log *log,
                              const int64_t *from, uint64_t n)
{
    enum pl_status s = go_to(x, log, from, UINT64_MAX);
    const struct search all = *x;

    if (s != PL_END || x->num < n)
        return s;
    s = go_to(x, log, from, all.num - n + 1);
    /* What is lost after the sample lies on the way from the end. */
    x->damaged = all.damaged;
    x->too_new = all.too_new;
    x->too_large = all.too_large;
    x->where = all.where;
    return s;
}

/*
 * Counted from the end, a sample is nearly always in the last file, close to
 * its end; otherwise the complete log is read, twice.
 */
static enum pl_status find_from_end(struct search *x,
                                    const struct pl_host_logs *logs, uint64_t n)
{
    const struct pl_host_log *log = &logs->logs[0];
    uint64_t interval_ns;
    int64_t utc_ns;
    enum pl_status s = pl_host_logs_last_time(logs, &utc_ns, &interval_ns);

    if (s)
        return s;
    x->last_file = *log;
    x->last_file.paths += log->num_paths - 1;
    x->last_file.foreign += log->num_paths - 1;
    x->last_file.num_paths = 1;
    s = go_back(x, &x->last_file, &utc_ns, n);
    if (s == PL_END && x->num < n)
        s = go_back(x, log, NULL, n);
    return s;
}

static enum pl_status find(struct search *x, const struct pl_host_logs *logs)
{
    int64_t n = x->plan->sample;
    enum pl_status s;

    pl_progress_start(&x->progress, "looking for the sample",
                      pl_host_logs_bytes(logs), false);
    s = n > 0 ? go_to(x, &logs->logs[0], NULL, (uint64_t)n)
              : find_from_end(x, logs, (uint64_t)-n);
    pl_progress_end(&x->progress);
    return s;
}

/* ---- showing it ---------------------------------------------------------- */

static struct pl_text or_nothing(struct pl_text t)
{
    return t.n ? t : (struct pl_text){ 0 };
}

static void show_flags(struct pl_dump_tree *t, uint8_t flags)
{
    const char *stepped =
        flags & PL_FLAG_CLOCK_STEPPED ? "clock stepped" : NULL;
    const char *missed =
        flags & PL_FLAG_MISSED ? "samples missing before" : NULL;

    pl_dump_tree_count(t, "flags", flags);
    pl_dump_tree_string(t, "clock", stepped);
    pl_dump_tree_string(t, "missed", missed);
}

/* Show the log's data about the sample, outside its block. */
static void show_record(const struct search *x, struct pl_dump_tree *t)
{
    const struct pl_record *r = &x->item.record;
    const struct pl_session *session = pl_reader_session(x->reader.reader);
    char utc[PL_INSTANT_TEXT], id[24];

    snprintf(id, sizeof id, "%016" PRIx64, r->session);
    pl_instant_text(r->utc_ns, utc);
    pl_dump_tree_open(t, "record", "Record");
    pl_dump_tree_string(t, "file", pl_host_log_path(&x->reader));
    pl_dump_tree_count(t, "offset", x->item.at);
    pl_dump_tree_string(t, "session", id);
    pl_dump_tree_text(t, "host", or_nothing(session->host));
    pl_dump_tree_text(t, "provider", or_nothing(session->provider));
    pl_dump_tree_count(t, "seq", r->seq);
    pl_dump_tree_count(t, "ref", r->ref);
    pl_dump_tree_count(t, "codec", r->codec);
    show_flags(t, r->flags);
    pl_dump_tree_string(t, "utc", utc);
    pl_dump_tree_integer(t, "utc_ns", r->utc_ns);
    pl_dump_tree_integer(t, "boot_ns", r->boot_ns);
    pl_dump_tree_count(t, "stored_len", r->stored_len);
    pl_dump_tree_count(t, "raw_len", r->raw_len);
    pl_dump_tree_close(t);
}

static void show_misfit(struct pl_dump_tree *t, const struct pl_misfit *m)
{
    if (!t->as_json || !m->reason)
        return;
    pl_dump_tree_open(t, "misfit", "");
    pl_dump_tree_count(t, "offset", m->at);
    pl_dump_tree_string(t, "reason", m->reason);
    pl_dump_tree_close(t);
}

/* Report losses on the way to the sample. */
static enum pl_exit say_losses(const struct search *x)
{
    const char *path = x->where.path, *rest = pl_places_rest(&x->where);
    enum pl_exit code = PL_EXIT_GOOD;

    if (x->damaged) {
        pl_say("%s%s: damaged, and samples left out are not counted; "
               "'perflog verify' shows where",
               path, rest);
        code = PL_EXIT_DAMAGED;
    }
    pl_say_too_large(&x->where, x->too_large);
    if (x->too_large)
        code = PL_EXIT_DAMAGED;
    if (x->too_new) {
        pl_say("%s%s: part of it needs a newer perflog", path, rest);
        code = PL_EXIT_TOO_NEW;
    }
    return code;
}

static enum pl_exit show(const struct search *x, struct pl_dump_choice *choice,
                         const char *path)
{
    const struct pl_buf *block = x->item.block;
    enum pl_exit code = PL_EXIT_GOOD;
    struct pl_misfit misfit;
    struct pl_dump_tree t;
    enum pl_status s, end;

    pl_dump_tree_start(&t, stdout, x->plan->json);
    pl_dump_tree_integer(&t, "sample", x->plan->sample);
    show_record(x, &t);
    s = pl_dump_block(&t, block->p, block->len,
                      pl_reader_titles(x->reader.reader), choice, &misfit);
    show_misfit(&t, &misfit);
    if (!s && !choice->object)
        s = pl_dump_identities(&t, pl_reader_identities(x->reader.reader),
                               block);
    end = pl_dump_tree_finish(&t);
    if (s || end)
        return pl_say_status("output", s ? s : end, NULL);
    if (misfit.reason) {
        pl_say("%s: sample %" PRId64 ": byte %zu of the block: %s; what is "
               "behind it was left out",
               path, x->plan->sample, misfit.at, misfit.reason);
        code = PL_EXIT_DAMAGED;
    }
    if (choice->object && !choice->matched) {
        pl_say("%s: sample %" PRId64 " has no object '%s'; without --object "
               "all are shown",
               path, x->plan->sample, choice->object);
        code = pl_exit_worse(code, PL_EXIT_FAILED);
    }
    return code;
}

static enum pl_exit not_there(const struct search *x, const char *path)
{
    if (!x->num) {
        pl_say("%s: holds no readable samples", path);
        return PL_EXIT_UNREADABLE;
    }
    pl_say("%s: has %" PRIu64 " samples, so there is no sample %" PRId64, path,
           x->num, x->plan->sample);
    return PL_EXIT_FAILED;
}

static enum pl_exit dump(struct plan *p, char **operands, int num)
{
    struct search x = { .plan = p };
    struct pl_host_logs logs;
    enum pl_exit code =
        pl_host_logs_open_whole_or_say(&logs, operands, num, false);
    enum pl_status s;

    if (code)
        return code;
    if (logs.num > 1) {
        pl_say("dump: these are logs of several hosts; name those of one");
        code = PL_EXIT_FAILED;
    } else if (p->sample < 0 && pl_host_logs_is_stream(&logs)) {
        pl_say("dump: a pipe can be read only once: count from its beginning, "
               "or name a file");
        code = PL_EXIT_FAILED;
    } else {
        const char *path = logs.logs[0].paths[0];

        s = find(&x, &logs);
        if (s == PL_END)
            code = not_there(&x, path);
        else if (s)
            code = pl_say_status(path, s, NULL);
        else
            code = show(&x, &p->choice, pl_host_log_path(&x.reader));
        code = pl_exit_worse(code, say_losses(&x));
    }
    pl_host_log_stop(&x.reader);
    pl_host_logs_release(&logs);
    return code;
}

/* ---- the command --------------------------------------------------------- */

static bool parse_sample(const char *arg, int64_t *out)
{
    uint64_t n;
    bool from_end = *arg == '-';

    if (pl_parse_count(arg + from_end, &n) || !n || n > INT64_MAX)
        return false;
    *out = from_end ? -(int64_t)n : (int64_t)n;
    return true;
}

static bool take_option(const struct pl_command *self, void *ctx, int option,
                        const char *arg)
{
    struct plan *p = ctx;

    switch ((enum option)option) {
    case OPT_SAMPLE:
        return parse_sample(arg, &p->sample) ||
               pl_option_wrong(self, option, arg,
                               "give 1 for the first, -1 for the last");
    case OPT_OBJECT:
        p->choice.object = arg;
        return true;
    default:
        return false;
    }
}

static enum pl_exit run_dump(const struct pl_command *self, int argc,
                             char **argv)
{
    struct plan p = { .sample = 1 };
    const struct pl_shared_values to = { .max_block = &p.reader.max_block,
                                         .json = &p.json };
    enum pl_exit code;

    if (!pl_command_options(self, argc, argv, &to, take_option, &p, &code))
        return code;
    if (pl_operands() == argc) {
        pl_say("dump: name a log, such as out.plog; see 'perflog dump "
               "--help'");
        return PL_EXIT_FAILED;
    }
    return dump(&p, argv + pl_operands(), argc - pl_operands());
}

const struct pl_command pl_cmd_dump = {
    .name = "dump",
    .summary = "The raw structure of a sample, field by field",
    .usage = "[OPTION...] LOG...",
    .options = options,
    .num_options = sizeof options / sizeof *options,
    .notes = "Without --sample the first sample is shown. LOG is a file, a "
             "folder of segments,\nor - for standard input; several are one "
             "recording, of one host.\n"
             "Exit status: 0 good, 1 failed or no such sample or object, 2 a "
             "part of the block\ndoes not add up or the log is damaged, 3 "
             "part of it needs a newer perflog,\n4 nothing readable.",
    .run = run_dump,
};
