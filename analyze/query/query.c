/* Runs a query from the logs to the output, whatever its layout. */
#include "analyze/query/query.h"

#include "analyze/cli/common_options.h"
#include "analyze/cli/damage_report.h"
#include "format/base/file.h"
#include "format/time/zone.h"
#include "format/cli/process_init.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum pl_exit fail(const char *file, enum pl_status s)
{
    return pl_say_status(file, s, NULL);
}

/* ---- reports ------------------------------------------------------------- */

/* Report losses, and return the exit status for them. */
static enum pl_exit say_losses(const struct pl_query *e)
{
    const struct pl_replay_losses *l = &e->losses;
    const char *path = l->where.path, *rest = pl_places_rest(&l->where);
    enum pl_exit code = PL_EXIT_GOOD;

    pl_say_damage(&l->where, l->damaged_ranges, l->damaged_bytes,
                  l->damaged_samples + l->unreachable - l->too_large);
    pl_say_malformed(&l->where, l->malformed);
    if (!l->unreachable) /* else what needs the missing ones is named */
        pl_say_holes(&l->where, l->holes);
    if (l->damaged_ranges || l->unreachable || l->malformed || l->holes)
        code = PL_EXIT_DAMAGED;
    if (l->overfull) {
        pl_say("%s%s: %" PRIu64
               " samples name more series than they have bytes "
               "for; what no instance can have is left out",
               path, rest, l->overfull);
        code = PL_EXIT_DAMAGED;
    }
    pl_say_too_large(&l->where, l->too_large);
    if (l->too_new) {
        pl_say("%s%s: %" PRIu64 " records need a newer perflog and were left "
               "out",
               path, rest, l->too_new);
        code = PL_EXIT_TOO_NEW;
    }
    return code;
}

bool pl_query_leaves_out(const struct pl_query *e, const char *object)
{
    const struct pl_object_names *o = e->registry.objects;

    if (!e->plan->replay.choice.brief || e->plan->paths.num)
        return false;
    while (o && strcmp(o->name, object) != 0)
        o = o->next;
    return o != NULL;
}

static void say_brief(const struct pl_query *e)
{
    const bool some = e->plan->replay.choice.processes != NULL;
    const char *or_long = e->plan->layout->or_long ? " or --layout long" : "";

    if (e->plan->quiet)
        return;
    if (pl_query_leaves_out(e, "Process"))
        pl_say("only %s is shown; for single ones "
               "give -c '\\Process(*)\\%% Processor Time'%s",
               some ? "the sum of all processes, with the busiest of them,"
                    : "the sum of all processes",
               or_long);
    if (pl_query_leaves_out(e, "Thread"))
        pl_say("single threads are left out; for them "
               "give -c '\\Thread(*)\\%% Processor Time'%s",
               or_long);
}

static enum pl_exit nothing_there(const struct pl_query *e)
{
    const char *path = e->logs.logs[0].paths[0];
    enum pl_exit code = say_losses(e);

    if (pl_times_given(&e->plan->times) && !e->plan->of_end) {
        pl_say_window_empty(&e->logs, &e->plan->times, &e->plan->replay.window);
        return pl_exit_worse(code, PL_EXIT_FAILED);
    }
    pl_say("%s: holds no readable samples", path);
    return pl_exit_worse(code, PL_EXIT_UNREADABLE);
}

static bool makes_files(const struct pl_query *e)
{
    return e->plan->layout->folder || e->plan->split;
}

static enum pl_status commit(struct pl_query *e)
{
    if (e->plan->layout->own_output)
        return PL_OK;
    return makes_files(e) ? pl_output_folder_commit(&e->files)
                          : pl_output_file_commit(&e->output);
}

static enum pl_exit cannot_write(const struct pl_query *e, enum pl_status s)
{
    const char *path = e->plan->output ? e->plan->output : "output";

    if (s == PL_IO && errno == EEXIST) {
        pl_say("%s: a file that was to be made is there already; delete it, or "
               "name another",
               path);
        return PL_EXIT_FAILED;
    }
    return fail(path, s);
}

static enum pl_exit finish_query(struct pl_query *e, enum pl_status s)
{
    enum pl_exit code;

    if (!s)
        s = pl_csv_flush(&e->csv);
    pl_query_stop(e);
    if (s == PL_END)
        return nothing_there(e);
    if (!s)
        s = commit(e);
    /* Damage may have taken the names of what was not found. */
    if (s == PL_USAGE) {
        code = say_losses(e);
        return e->code ? e->code : pl_exit_worse(code, PL_EXIT_FAILED);
    }
    if (s && e->code)
        return e->code; /* already reported */
    if (s == PL_IO && errno == EPIPE)
        return PL_EXIT_GOOD; /* the reader of the pipe closed it */
    e->plan->not_written = s != PL_OK;
    if (s)
        return cannot_write(e, s);
    code = say_losses(e);
    if (e->regroup.met && !e->regroup.summed && !e->plan->group_keeps_sheets) {
        pl_say("%s: no value of its processes can be summed up, such as "
               "identifiers, and what was calculated before; %s",
               e->logs.logs[0].paths[0],
               e->plan->ungrouped ? e->plan->ungrouped : "leave out --group");
        code = pl_exit_worse(code, PL_EXIT_FAILED);
    }
    say_brief(e);
    for (size_t i = 0; i < e->plan->paths.num && !e->plan->unmatched_later; i++)
        if (!e->plan->replay.choice.matched[i] && !code)
            code = PL_EXIT_FAILED;
    return code;
}

/* A folder, or numbered files. */
static enum pl_exit open_files(struct pl_query *e)
{
    bool folder = e->plan->layout->folder;
    const char *path = e->plan->output;
    enum pl_status s;

    if (!path || !strcmp(path, "-")) {
        pl_say("export: %s: name %s to write with -o",
               folder ? "--layout table" : "--split",
               folder ? "a folder" : "files");
        return PL_EXIT_FAILED;
    }
    s = pl_output_folder_open(&e->files, folder ? path : NULL,
                              pl_host_logs_rights(&e->logs));
    if (s == PL_IO && errno == EEXIST) {
        pl_say("%s: is there already; name a new folder", path);
        return PL_EXIT_FAILED;
    }
    return s ? fail(path, s) : PL_EXIT_GOOD;
}

static enum pl_exit open_output(struct pl_query *e)
{
    if (e->plan->layout->own_output)
        return PL_EXIT_GOOD;
    if (makes_files(e))
        return open_files(e);
    return pl_output_file_open_or_say(&e->output, e->plan->output,
                                      pl_host_logs_rights(&e->logs));
}

/*
 * Standard input and output may be files, too: compare them by their names
 * under /dev.
 */
static bool is_one_file(const char *output, const char *log)
{
    if (!output || !strcmp(output, "-"))
        output = "/dev/stdout";
    if (!strcmp(log, "-"))
        log = "/dev/stdin";
    return !pl_path_is_stream(log) && pl_file_is_same(output, log);
}

/* Writing to a log that is being read would destroy it. */
static bool output_is_input(const struct pl_query *e)
{
    for (size_t i = 0; i < e->logs.num; i++)
        for (size_t k = 0; k < e->logs.logs[i].num_paths; k++)
            if (is_one_file(e->plan->output, e->logs.logs[i].paths[k]))
                return true;
    return false;
}

/* Set what the layout wants of the replay. */
static void set_replay(struct pl_query *e)
{
    const struct pl_layout *layout = e->plan->layout;
    struct pl_replay_options *o = &e->plan->replay;

    o->registry = &e->registry;
    /* Series that the user listed are wanted, processes included. */
    o->choice.brief = layout->brief && !e->plan->top.num && !e->plan->group &&
                      !pl_host_logs_are_listed(&e->logs);
    o->choice.needed =
        e->plan->group ? pl_regroup_counters(e->plan->group) : NULL;
    o->numbers_only = layout->numbers_only;
    o->want_absent = layout->want_absent;
}

/*
 * PDH has local times.  An imported log states the offset of its zone, and
 * keeps this one offset throughout.
 */
static enum pl_status use_zone(struct pl_query *e)
{
    const struct pl_query_plan *p = e->plan;
    const struct pl_host_log *log = pl_first_log(&e->logs);
    const bool of_windows = log->imported && log->zone;
    enum pl_status s = pl_zone_use(
        p->tz, p->layout->for_people || (p->layout->pdh && of_windows),
        &e->logs);

    /* An offset that is none leaves UTC. */
    if (p->layout->pdh && of_windows && p->tz != PL_TZ_GIVEN &&
        pl_zone_offset(0) == (int64_t)log->zone_minutes * 60)
        e->log_zone = log->zone;
    return s;
}

/* Report that values of a PDH sheet can only be averaged. */
static void say_calculated(const struct pl_query *e)
{
    bool any = false;

    for (size_t i = 0; i < e->logs.num; i++)
        any |= e->logs.logs[i].calculated;
    if (any && e->plan->every.ns && !e->plan->quiet)
        pl_say("%s: its values were calculated before; --every shows their "
               "mean, which for averages is not what the counters would give",
               e->logs.logs[0].paths[0]);
}

static enum pl_exit check_operands(const struct pl_query *e)
{
    const char *stream = pl_host_logs_stream(&e->logs);

    if (output_is_input(e)) {
        pl_say("%s: is the log itself; name another output",
               e->plan->output ? e->plan->output : "output");
        return PL_EXIT_FAILED;
    }
    if (stream && (e->plan->layout->reads_twice || pl_query_measures(e) ||
                   e->logs.num > 1)) {
        pl_say("%s: a %s can be read only once: name a file%s",
               e->plan->command, pl_path_stream_word(stream),
               e->plan->layout->or_long && !pl_query_measures(e)
                   ? ", or, of a log of perflog, take --layout long"
                   : "");
        return PL_EXIT_FAILED;
    }
    return PL_EXIT_GOOD;
}

/* NAME.csv is split into NAME-001.csv and so on. */
static enum pl_status start_pages(struct pl_query *e)
{
    const char *path = e->plan->output;
    const char *suffix = strrchr(pl_path_name(path), '.');
    size_t n = suffix ? (size_t)(suffix - path) : strlen(path);

    e->stem = malloc(n + 1);
    if (!e->stem)
        return PL_NOMEM;
    memcpy(e->stem, path, n);
    e->stem[n] = 0;
    e->page = (struct pl_paged){ &e->files, e->stem, path + n, 1, 1, NULL };
    pl_csv_init(&e->csv, &e->plan->style, pl_paged_write, &e->page);
    e->csv.pages = pl_query_pages(e);
    return PL_OK;
}

/* Clear the progress line before rows. */
static enum pl_status write_on_terminal(void *ctx, const void *p, size_t n)
{
    struct pl_query *e = ctx;

    pl_progress_end(&e->progress);
    return pl_output_file_write(&e->output, p, n);
}

enum pl_status pl_query_start_csv(struct pl_query *e)
{
    struct pl_csv_style style = e->plan->style;

    pl_csv_release(&e->csv);
    if (e->plan->split && !e->plan->layout->folder)
        return start_pages(e);
    style.visible = e->output.f && pl_is_terminal(e->output.f);
    if (style.visible)
        pl_csv_init(&e->csv, &style, write_on_terminal, e);
    else
        pl_csv_init(&e->csv, &style, pl_output_file_write, &e->output);
    return PL_OK;
}

bool pl_query_can_start_over(const struct pl_query *e)
{
    return (e->output.part || e->files.part) && !e->plan->follow;
}

bool pl_query_start_over(struct pl_query *e)
{
    pl_output_file_discard(&e->output);
    pl_output_folder_discard(&e->files);
    e->code = open_output(e);
    if (!e->code && pl_query_start_csv(e))
        e->code = fail(e->plan->command, PL_NOMEM);
    return !e->code;
}

static enum pl_exit take_window(struct pl_query *e)
{
    struct pl_query_plan *p = e->plan;
    enum pl_exit code =
        pl_time_window(p->command, &p->times, &e->logs, &p->replay.window);

    if (code)
        return code;
    p->replay.window.in_file = p->layout->one_window;
    p->replay.window.or_elsewhere = p->layout->one_window;
    p->replay.window.to_last = p->of_end;
    pl_window_shift(&p->replay.window, p->shift_ns);
    if (p->moment_ns)
        pl_window_before(&p->replay.window, p->moment_ns);
    /* A page of one window says itself which it is. */
    if (!p->quiet && !p->layout->one_window)
        pl_say_window(&p->times, &p->replay.window);
    return code;
}

enum pl_exit pl_query_run(struct pl_query_plan *plan, char **operands, int num)
{
    struct pl_query e = { .plan = plan };
    enum pl_exit code =
        plan->layout->together
            ? pl_host_logs_open_together_or_say(&e.logs, operands, num,
                                                plan->quiet)
            : pl_host_logs_open_or_say(&e.logs, operands, num, plan->quiet);

    if (code)
        return code;
    e.replays = calloc(e.logs.num, sizeof *e.replays);
    set_replay(&e);
    e.regroup = (struct pl_regroup){ .key = plan->group,
                                     .registry = &e.registry,
                                     .keeps_sheets = plan->group_keeps_sheets };
    code = e.replays ? check_operands(&e) : fail(plan->command, PL_NOMEM);
    say_calculated(&e);
    if (!code && use_zone(&e))
        code = fail(plan->command, PL_NOMEM);
    if (!code)
        code = take_window(&e);
    if (!code)
        code = open_output(&e);
    if (!code) {
        e.total_bytes = pl_host_logs_bytes(&e.logs);
        if (pl_query_start_csv(&e))
            code = fail(plan->command, PL_NOMEM);
    }
    if (!code) {
        code = finish_query(&e, plan->layout->run(&e));
        pl_csv_release(&e.csv);
    }
    pl_output_file_discard(&e.output);
    pl_output_folder_discard(&e.files);
    free(e.stem);
    free(e.loss_path);
    free(e.replays);
    pl_regroup_release(&e.regroup);
    pl_registry_release(&e.registry);
    pl_host_logs_release(&e.logs);
    return code;
}

enum pl_status
pl_query_within(const struct pl_query *outer, struct pl_query_plan *plan,
                enum pl_status (*run)(struct pl_query *e, void *ctx), void *ctx)
{
    struct pl_query e = {
        .plan = plan,
        .logs = outer->logs,
        .replays = calloc(outer->logs.num, sizeof *e.replays),
        .total_bytes = outer->total_bytes,
    };
    enum pl_status s = PL_NOMEM;

    plan->quiet = true;
    plan->replay.window = outer->plan->replay.window;
    set_replay(&e);
    if (e.replays)
        s = run(&e, ctx);
    pl_query_stop(&e);
    free(e.loss_path);
    free(e.replays);
    pl_registry_release(&e.registry);
    return s;
}

bool pl_query_options(const struct pl_command *c, int argc, char **argv,
                      bool (*take)(const struct pl_command *c, void *ctx,
                                   int option, const char *arg),
                      void *ctx, struct pl_query_plan *plan, enum pl_exit *code)
{
    const struct pl_shared_values to = {
        .output = &plan->output,
        .times = &plan->times,
        .paths = &plan->paths,
        .max_block = &plan->replay.reader.max_block,
        .tz = &plan->tz,
        .quiet = &plan->quiet,
    };

    return pl_command_options(c, argc, argv, &to, take, ctx, code);
}

enum pl_exit pl_query_command(const struct pl_command *c,
                              struct pl_query_plan *plan, int argc, char **argv)
{
    int first = pl_operands();
    enum pl_exit code;

    if (first == argc) {
        pl_say("%s: name a log, such as out.plog; see 'perflog %s --help'",
               c->name, c->name);
        return PL_EXIT_FAILED;
    }
    plan->command = c->name;
    plan->replay.choice.paths = &plan->paths;
    plan->replay.choice.matched = calloc(plan->paths.num + 1, sizeof(bool));
    if (!plan->replay.choice.matched)
        return fail(c->name, PL_NOMEM);
    pl_process_ignore_pipes();
    code = pl_query_run(plan, argv + first, argc - first);
    free(plan->replay.choice.matched);
    return code;
}
