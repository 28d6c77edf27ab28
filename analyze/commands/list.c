/* perflog list: the counter paths of a log. */
#include "analyze/cli/common_options.h"
#include "analyze/cli/path_completion.h"
#include "analyze/inspect/object_overview.h"
#include "analyze/output/json.h"
#include "analyze/output/partial_file.h"
#include "analyze/query/identity_json.h"
#include "analyze/replay/group_identity.h"
#include "analyze/replay/replay.h"
#include "analyze/query/rows_csv.h"
#include "analyze/calc/counter_type_text.h"
#include "format/base/file.h"
#include "format/cli/live_sample.h"
#include "format/cli/message.h"
#include "format/cli/options.h"
#include "format/cli/pager.h"
#include "format/base/utf.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct pl_command pl_cmd_list;

enum option {
    OPT_COUNTERS,
    OPT_OVERVIEW,
    OPT_ALL,
    OPT_WHY,
    OPT_HELP_TEXT,
    OPT_TYPES,
    OPT_IDENTITY,
    OPT_ENCODING,
    OPT_JSON,
    OPT_COMPLETE,
};

/* clang-format off */
static const struct pl_option options[] = {
    [OPT_COUNTERS] = PL_OPTION_PATHS(
        "only those that match PATH; '@FILE' reads paths from a "
        "file; may be repeated"),
    [OPT_OVERVIEW] = { 0, "overview", NULL,
        "only the overview by object that a terminal shows first: instances, "
        "counters, rows" },
    [OPT_ALL] = { 0, "all", NULL,
        "of this machine: also what is recorded only on request" },
    [OPT_WHY] = { 0, "why", NULL,
        "of this machine: what is not recorded by default, and after a "
        "tab why" },
    [OPT_HELP_TEXT] = { 0, "help-text", NULL,
        "with what each counter means, after a tab" },
    [OPT_TYPES] = { 0, "types", NULL,
        "with, after tabs, each counter's type by name and number, scale, "
        "detail level and help" },
    [OPT_IDENTITY] = { 0, "identity", NULL,
        "with, after tabs, command line, executable, user, control group and "
        "parent of processes; JSON has them always" },
    [OPT_ENCODING] = PL_OPTION_ENCODING,
    [OPT_JSON] = PL_OPTION_JSON,
    [OPT_COMPLETE] = { 0, "complete", "TEXT",
        "how a path that begins with TEXT may go on; for shells" },
};
/* clang-format on */

struct plan {
    struct pl_counter_path_list paths;
    bool *matched; /* per path */
    bool overview;
    bool live; /* the log is a sample of this machine */
    bool all;
    bool why;
    bool help_text;
    bool types; /* and the help text */
    bool identity;
    bool json;
    const char *complete; /* NULL: complete paths */
};

struct listing {
    struct pl_host_logs logs;
    struct pl_registry registry;
    struct pl_object_counts objects;
    struct pl_group **groups;
    size_t num_groups;
    uint32_t num_series;
};

/* Read all samples of a host log, for their names. */
static enum pl_status read_names(struct listing *l,
                                 const struct pl_host_log *log,
                                 const struct pl_series_filter *choice,
                                 bool identities,
                                 struct pl_replay_losses *losses)
{
    struct pl_replay_options options_ = { .registry = &l->registry,
                                          .choice = *choice,
                                          .identities = identities,
                                          .names_only = true,
                                          .reader.names_suffice = !identities };
    struct pl_replay *r;
    int64_t time_ns;
    struct pl_row row;
    enum pl_status s = pl_replay_start(&r, log, &options_);

    if (s)
        return s;
    while (!(s = pl_replay_peek(r, &time_ns)))
        if ((s = pl_replay_row(r, &row)) != PL_OK)
            break;
    *losses = *pl_replay_losses(r);
    pl_replay_stop(r);
    return s == PL_END ? PL_OK : s;
}

/* Read them for what they hold of each object. */
static enum pl_status count_objects(struct listing *l,
                                    const struct pl_host_log *log)
{
    const struct pl_reader_options options_ = { .names_only = true,
                                                .names_suffice = true };
    struct pl_host_log_reader r;
    struct pl_item item;
    enum pl_status s = pl_host_log_start(&r, log, &options_);

    while (!s && !(s = pl_host_log_next(&r, &item)))
        s = pl_object_counts_add(&l->objects, r.reader, &item);
    pl_host_log_stop(&r);
    return s == PL_END ? PL_OK : s;
}

static void put_type(struct pl_buf *line, const struct pl_counter_names *c)
{
    const char *name = pl_type_name(c->type, c->size);
    const char *detail = pl_detail_name(c->detail_level);
    char number[16], text[128];

    snprintf(number, sizeof number, "%" PRIu32, c->detail_level);
    snprintf(text, sizeof text, "\t%s\t0x%08" PRIx32 "\t%" PRId32 "\t%s",
             name ? name : "-", c->type, c->scale, detail ? detail : number);
    pl_buf_string(line, text);
}

/* For all objects, so that each line has as many columns. */
static void put_identity(struct pl_buf *line, const struct pl_group *g)
{
    for (int i = 0; i < PL_NUM_IDENTITY_COLUMNS; i++) {
        struct pl_text t =
            pl_group_identity_text(g, (enum pl_identity_column)i);

        pl_buf_u8(line, '\t');
        pl_utf8_visible(line, t.p, t.n);
    }
}

static enum pl_status print_lines(const struct listing *l, const struct plan *p)
{
    struct pl_buf path = { 0 }, line = { 0 };
    bool oom = false;

    for (size_t i = 0; i < l->num_groups; i++) {
        const struct pl_group *g = l->groups[i];

        for (uint32_t k = 0; k < g->num_slots; k++) {
            const struct pl_series *s = pl_group_series(g, k);
            const struct pl_counter_names *c = &g->object->counters[k];

            if (!s || !s->present)
                continue;
            pl_buf_clear(&path);
            pl_buf_clear(&line);
            pl_series_path(&path, g, k, true, true);
            pl_path_visible(&line, &path);
            if (p->types)
                put_type(&line, c);
            if (p->help_text || p->types) {
                pl_buf_u8(&line, '\t');
                if (c->help)
                    pl_utf8_visible(&line, c->help, strlen(c->help));
            }
            if (p->identity)
                put_identity(&line, g);
            pl_buf_u8(&line, '\n');
            oom = oom || path.oom || line.oom;
            if (!oom)
                fwrite(line.p, 1, line.len, stdout);
        }
    }
    pl_buf_release(&path);
    pl_buf_release(&line);
    return oom ? PL_NOMEM : PL_OK;
}

static void print_series_json(struct pl_json *j, const struct pl_group *g,
                              uint32_t slot)
{
    const struct pl_counter_names *c = &g->object->counters[slot];
    struct pl_buf path = { 0 };
    char hex[16];

    snprintf(hex, sizeof hex, "0x%08" PRIx32, c->type);
    pl_series_path(&path, g, slot, true, true);
    j->oom = j->oom || path.oom;
    pl_json_open_object(j);
    pl_json_key(j, "path");
    pl_json_text(j, (struct pl_text){ (const char *)path.p, path.len });
    pl_json_put_string(j, "host", g->host->name);
    pl_json_put_string(j, "object", g->object->name);
    pl_json_key(j, "instance");
    if (g->instance)
        pl_json_string(j, g->instance);
    else
        pl_json_null(j);
    pl_json_put_string(j, "counter", c->name);
    pl_identity_json(j, g);
    pl_json_put_count(j, "type", c->type);
    pl_json_put_string(j, "type_hex", hex);
    pl_json_key(j, "type_name");
    if (pl_type_name(c->type, c->size))
        pl_json_string(j, pl_type_name(c->type, c->size));
    else
        pl_json_null(j);
    pl_json_key(j, "scale");
    pl_json_integer(j, c->scale);
    pl_json_put_count(j, "detail_level", c->detail_level);
    pl_json_put_string(j, "help", c->help);
    pl_json_close_object(j);
    pl_buf_release(&path);
}

static enum pl_status print_json(const struct listing *l)
{
    struct pl_json j;

    pl_json_init(&j, stdout);
    pl_json_open_array(&j);
    for (size_t i = 0; i < l->num_groups; i++)
        for (uint32_t k = 0; k < l->groups[i]->num_slots; k++) {
            const struct pl_series *s = pl_group_series(l->groups[i], k);

            if (s && s->present)
                print_series_json(&j, l->groups[i], k);
        }
    pl_json_close_array(&j);
    return pl_json_finish(&j);
}

static enum pl_status print_ways(const struct listing *l, const char *text)
{
    struct pl_buf ways = { 0 };
    enum pl_status s =
        pl_path_completion(&ways, text, l->groups, l->num_groups);

    if (!s && ways.len)
        fwrite(ways.p, 1, ways.len, stdout);
    pl_buf_release(&ways);
    return s;
}

/* Of this machine there is one sample; a pipe can be read only once. */
static bool counts_rows(const struct listing *l, const struct plan *p)
{
    return !p->live && !pl_host_logs_is_stream(&l->logs);
}

static enum pl_status print_overview(const struct listing *l,
                                     const struct plan *p)
{
    bool rows = counts_rows(l, p);
    struct pl_object_overview *list;
    struct pl_json j;
    size_t num;
    enum pl_status s =
        pl_object_overview(&list, &num, &l->registry, l->groups, l->num_groups,
                           rows ? &l->objects : NULL);

    if (s)
        return s;
    if (p->json) {
        pl_json_init(&j, stdout);
        pl_object_overview_json(list, num, rows, &j);
        s = pl_json_finish(&j);
    } else {
        s = pl_object_overview_print(list, num, rows);
    }
    free(list);
    return s;
}

/* People get the overview first, and programs the paths alone. */
static bool wants_overview(const struct plan *p)
{
    return !p->complete &&
           (p->overview || (!p->json && pl_is_terminal(stdout)));
}

static bool shows_identities(const struct plan *p)
{
    return p->identity || (p->json && !wants_overview(p));
}

static enum pl_status print_for_people(const struct listing *l,
                                       const struct plan *p)
{
    bool first = wants_overview(p), paged = pl_pager_start();
    enum pl_status s = first ? print_overview(l, p) : PL_OK;

    if (!s && first && !p->overview)
        printf("\n");
    if (!s && !p->overview)
        s = p->json ? print_json(l) : print_lines(l, p);
    if (paged)
        pl_pager_end();
    return paged && s == PL_IO ? PL_OK : s;
}

/* What of a host's logs could not be read, so that names may be missing. */
static enum pl_exit say_losses(const struct pl_replay_losses *losses)
{
    const struct pl_places *where = &losses->where;
    enum pl_exit code = PL_EXIT_GOOD;

    if (losses->damaged_ranges || losses->unreachable || losses->malformed ||
        losses->holes) {
        pl_say("%s%s: damaged, names may be missing; 'perflog verify' "
               "shows where",
               where->path, pl_places_rest(where));
        code = PL_EXIT_DAMAGED;
    }
    if (losses->overfull) {
        pl_say("%s%s: some samples name more series than they have bytes "
               "for; what no instance can have is left out",
               where->path, pl_places_rest(where));
        code = PL_EXIT_DAMAGED;
    }
    if (losses->too_new) {
        pl_say("%s%s: part of it needs a newer perflog, names may be "
               "missing",
               where->path, pl_places_rest(where));
        code = PL_EXIT_TOO_NEW;
    }
    return code;
}

/*
 * 'code': what reading came to; 'last': the log that is named where none holds
 * what was asked for.
 */
static enum pl_exit print(const struct listing *l, const struct plan *p,
                          enum pl_exit code, const char *last)
{
    enum pl_status s;

    if (!l->registry.row) {
        pl_say("%s: holds no readable samples", last);
        return PL_EXIT_UNREADABLE;
    }
    s = p->complete ? print_ways(l, p->complete) : print_for_people(l, p);
    if (s)
        code = pl_say_status("output", s, NULL);
    if (p->live)
        last = p->all ? "this machine" : "this machine, without --all";
    if (pl_say_all_unmatched(last, &l->registry, &p->paths, p->matched))
        code = pl_exit_worse(code, PL_EXIT_FAILED);
    return code;
}

static enum pl_exit list(const struct plan *p, char **operands, int num)
{
    struct listing l = { .registry = { .keep_help = true } };
    struct pl_series_filter choice = { .paths = &p->paths,
                                       .matched = p->matched };
    enum pl_exit code = pl_host_logs_open_or_say(&l.logs, operands, num, false);
    const char *bad = "";
    enum pl_status s = PL_OK;

    if (code)
        return code;
    for (size_t i = 0; i < l.logs.num && !s; i++) {
        struct pl_replay_losses losses = { 0 };

        bad = l.logs.logs[i].paths[0];
        s = read_names(&l, &l.logs.logs[i], &choice, shows_identities(p),
                       &losses);
        if (!s && wants_overview(p) && counts_rows(&l, p))
            s = count_objects(&l, &l.logs.logs[i]);
        code = pl_exit_worse(code, say_losses(&losses));
    }
    if (!s)
        s = pl_registry_columns(&l.registry, &l.groups, &l.num_groups,
                                &l.num_series);
    code = s ? pl_say_status(bad, s, NULL) : print(&l, p, code, bad);
    free(l.groups);
    pl_object_counts_release(&l.objects);
    pl_registry_release(&l.registry);
    pl_host_logs_release(&l.logs);
    return code;
}

static void print_missing(void *context, const char *path, const char *why)
{
    (void)context;
    printf("%s\t%s\n", path, why);
}

/* List the counters that this machine does not record, and why. */
static enum pl_exit list_missing(const struct plan *p)
{
    enum pl_status s;

    if (p->json || p->help_text || p->types || p->identity || p->all ||
        p->overview || p->paths.num) {
        pl_say("list: --why stands alone; use grep to choose");
        return PL_EXIT_FAILED;
    }
    s = pl_live_missing(print_missing, NULL);
    if (s == PL_UNSUPPORTED) {
        pl_say("list: --why needs Linux: this system does not report what it "
               "could "
               "count");
        return PL_EXIT_FAILED;
    }
    return s ? pl_say_status("list", s, NULL) : PL_EXIT_GOOD;
}

/*
 * No log was named: list this machine's counters, from a log of one sample.  It
 * is deleted, too, if a signal ends the program; the recorder has its own
 * handlers.
 */
static enum pl_exit list_live(const struct plan *p)
{
    enum pl_exit code;
    char *path;
    enum pl_status s;

    pl_partial_file_hold();
    s = pl_file_make_temporary(&path);
    pl_partial_file_guard(PL_UNFINISHED_COPY, s ? NULL : path);
    if (s)
        return pl_say_status("list: temporary file", s, NULL);
    code = pl_live_record(path, p->all);
    pl_partial_file_hold();
    pl_partial_file_guard(PL_UNFINISHED_COPY, path);
    if (code == PL_EXIT_GOOD)
        code = list(p, &path, 1);
    pl_partial_file_hold();
    pl_file_delete(path);
    pl_partial_file_guard(PL_UNFINISHED_COPY, NULL);
    free(path);
    return code;
}

static bool take_option(const struct pl_command *self, void *ctx, int option,
                        const char *arg)
{
    struct plan *p = ctx;

    (void)self;
    switch ((enum option)option) {
    case OPT_OVERVIEW:
        p->overview = true;
        return true;
    case OPT_ALL:
        p->all = true;
        return true;
    case OPT_WHY:
        p->why = true;
        return true;
    case OPT_HELP_TEXT:
        p->help_text = true;
        return true;
    case OPT_TYPES:
        p->types = true;
        return true;
    case OPT_IDENTITY:
        p->identity = true;
        return true;
    case OPT_COMPLETE:
        p->complete = arg;
        return true;
    default:
        return false;
    }
}

static enum pl_exit run_list(const struct pl_command *self, int argc,
                             char **argv)
{
    struct plan p = { 0 };
    const struct pl_shared_values to = { .paths = &p.paths, .json = &p.json };
    enum pl_exit code;
    bool go_on =
        pl_command_options(self, argc, argv, &to, take_option, &p, &code);
    int first = pl_operands();

    p.matched = calloc(p.paths.num + 1, sizeof *p.matched);
    p.live = first == argc;
    if (!p.matched)
        code = pl_say_status("list", PL_NOMEM, NULL);
    else if (go_on && p.complete &&
             (p.json || p.help_text || p.types || p.identity || p.why ||
              p.overview))
        pl_say("list: --complete goes with --all and -c only");
    else if (go_on && p.overview && (p.help_text || p.types || p.identity))
        pl_say("list: --overview has no counters to explain; leave out "
               "--help-text, --types and --identity");
    else if (go_on && first == argc)
        code = p.why ? list_missing(&p) : list_live(&p);
    else if (go_on && (p.why || p.all))
        pl_say("list: --all and --why are about this machine; leave out the "
               "log");
    else if (go_on)
        code = list(&p, argv + first, argc - first);
    free(p.matched);
    pl_counter_path_list_release(&p.paths);
    if (!p.json && !pl_flush_stdout() && code != PL_EXIT_FAILED)
        code = pl_say_status("output", PL_IO, NULL);
    return code;
}

const struct pl_command pl_cmd_list = {
    .name = "list",
    .summary = "The counter paths of a log, or of this machine, one a line",
    .usage = "[OPTION...] [LOG...]",
    .options = options,
    .num_options = sizeof options / sizeof *options,
    .notes = "Without LOG: those that 'perflog record' would record here by "
             "default.\n"
             "A terminal shows an overview first, page by page ($PAGER).\n"
             "Each line can be given to -c as it is; [*] [?] [#] stand for the "
             "characters\nthemselves.",
    .run = run_list,
};
