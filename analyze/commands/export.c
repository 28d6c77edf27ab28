/* perflog export: time series as CSV, workbook or Parquet. */
#include "analyze/cli/common_options.h"
#include "analyze/export/layouts.h"
#include "analyze/workbook/workbook.h"
#include "analyze/query/parts.h"
#include "format/cli/named_form.h"
#include "format/threads/thread.h"
#include "format/time/time_text.h"
#include "format/cli/message.h"
#include "format/cli/options.h"
#include "format/time/zone.h"

#include <string.h>

extern const struct pl_command pl_cmd_export;

enum option {
    OPT_CSV,
    OPT_XLSX,
    OPT_PARQUET,
    OPT_OUTPUT,
    OPT_COUNTERS,
    OPT_FROM,
    OPT_TO,
    OPT_AT,
    OPT_EVERY,
    OPT_LAYOUT,
    OPT_TZ,
    OPT_ZONE_NAME,
    OPT_TIME,
    OPT_FOR,
    OPT_PRECISION,
    OPT_DECIMAL_COMMA,
    OPT_BOM,
    OPT_FOLLOW,
    OPT_TOP,
    OPT_GROUP,
    OPT_IDENTITY,
    OPT_DROP_EMPTY,
    OPT_SPLIT,
    OPT_NO_GUARD,
    OPT_WIDE_ANYWAY,
    OPT_UNWRAP32,
    OPT_CAP100,
    OPT_PDH_MULTI,
    OPT_ENCODING,
    OPT_JOBS,
    OPT_MAX_BLOCK,
    OPT_QUIET,
};

/* All of them in a text, each with what parts it from the one before. */
#define LAYOUT_NAME(name, help) "|" #name
#define LAYOUT_HELP(name, help) "; " #name ": " help

/* clang-format off */
static const struct pl_option options[] = {
    [OPT_CSV] = { 0, "csv", NULL, "as CSV, which is the default" },
    [OPT_XLSX] = { 0, "xlsx", NULL,
        "as a workbook with a table per object, charts and a summary; "
        "needs -o FILE, and is understood where that ends in .xlsx" },
    [OPT_PARQUET] = { 0, "parquet", NULL,
        "as Parquet files, for DuckDB, ClickHouse, Spark, pandas; needs "
        "-o FOLDER, to which later runs add what is new" },
    [OPT_OUTPUT] = PL_OPTION_OUTPUT("FILE",
        "write FILE instead of standard output; it appears when it "
        "is complete; with --layout table a new folder"),
    [OPT_COUNTERS] = PL_OPTION_COUNTERS,
    PL_OPTIONS_TIMES,
    [OPT_EVERY] = { 0, "every", "T",
        "a row per T (1m, 1h, 1d) instead of per sample, calculated from all "
        "samples in it; T:max, T:min or T:last takes one of their values" },
    [OPT_LAYOUT] = { 0, "layout", &PL_LAYOUTS(LAYOUT_NAME)[1],
        &PL_LAYOUTS(LAYOUT_HELP)[2] },
    [OPT_TZ] = PL_OPTION_TZ,
    [OPT_ZONE_NAME] = { 0, "zone-name", "NAME",
        "what the header of --layout pdh calls the zone" },
    [OPT_TIME] = { 0, "time", "space|iso|unix|serial|pdh",
        "space: 2026-11-21 07:35:02 (default, a date for Excel); iso: "
        "2026-11-21T07:35:02 (a date for LibreOffice); unix; serial (a "
        "spreadsheet's number of days); pdh" },
    [OPT_FOR] = { 0, "for", "excel|libreoffice|pandas",
        "what suits excel, libreoffice or pandas: style of times, guard, "
        "byte order mark" },
    [OPT_PRECISION] = { 0, "precision", "N",
        "at most N significant digits, 1 to 17; counts stay exact" },
    [OPT_DECIMAL_COMMA] = { 0, "decimal-comma", NULL,
        "numbers with a comma, and semicolons between cells, as "
        "spreadsheets in many countries expect" },
    [OPT_BOM] = { 0, "bom", NULL,
        "begin with a byte order mark, by which Excel knows UTF-8" },
    [OPT_FOLLOW] = { 'f', "follow", NULL,
        "go on as the log grows, until interrupted or it ends" },
    [OPT_TOP] = { 0, "top", "N[:COUNTER][:max|:mean]",
        "only the N busiest instances of each object: those that did most, or "
        "had the highest peak or mean, of COUNTER, the only one that -c "
        "leaves, or the default counter; the others are added up as _Other "
        "where that is right" },
    [OPT_GROUP] = { 0, "group", "name|user|unit|command|parent",
        "instead of single processes the sum of those of one name, user, unit "
        "(of systemd, or container), command line or parent" },
    [OPT_IDENTITY] = { 0, "identity", NULL,
        "with --layout long or table also command line, executable, user, "
        "control group and parent of processes" },
    [OPT_DROP_EMPTY] = { 0, "drop-empty", NULL,
        "without series that are blank from beginning to end" },
    [OPT_SPLIT] = { 0, "split", NULL,
        "numbered files, FILE-001.csv and so on, or with --xlsx sheets, each "
        "with no more rows and columns than a spreadsheet takes" },
    [OPT_NO_GUARD] = { 0, "no-guard", NULL,
        "do not protect text that a spreadsheet takes for a formula" },
    [OPT_WIDE_ANYWAY] = { 0, "wide-anyway", NULL,
        "more than 16384 columns, though no spreadsheet opens them" },
    [OPT_UNWRAP32] = { 0, "unwrap32", NULL,
        "take a 4-byte counter that fell for one that wrapped" },
    [OPT_CAP100] = { 0, "cap100", NULL,
        "percentages stop at 100, but for those of several components" },
    [OPT_PDH_MULTI] = { 0, "pdh-multi", NULL,
        "multi timers of the tick clock times its frequency, as Windows' "
        "PDH has them" },
    [OPT_ENCODING] = PL_OPTION_ENCODING,
    [OPT_JOBS] = { 'j', "jobs", "N",
        "with --layout wide, pdh or long N threads, which write the same "
        "bytes sooner; 0: one for each processor; default 1" },
    [OPT_MAX_BLOCK] = PL_OPTION_MAX_BLOCK,
    [OPT_QUIET] = PL_OPTION_QUIET,
};
/* clang-format on */

#define LAYOUT_ADDRESS(name, help) &pl_layout_##name,
static const struct pl_layout *const layouts[] = { PL_LAYOUTS(LAYOUT_ADDRESS) };

/* The best options for a program that opens the sheet. */
static const struct purpose {
    const char *program;
    enum pl_time_style time;
    bool guard, bom;
} purposes[] = {
    { "excel", PL_TIME_SPACE, true, true },
    { "libreoffice", PL_TIME_ISO, true, false },
    { "pandas", PL_TIME_ISO, false, false },
};

struct command_line {
    struct pl_query_plan plan;
    const struct purpose *purpose;       /* NULL: --for was not given */
    bool has_time;                       /* a time style was given */
    bool csv, xlsx, parquet, has_layout; /* these were given */
};

/* ---- options ------------------------------------------------------------- */

static bool take_layout(struct pl_query_plan *p, const char *name)
{
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        if (!strcmp(name, layouts[i]->name)) {
            p->layout = layouts[i];
            return true;
        }
    return false;
}

static bool take_purpose(struct command_line *l, const char *program)
{
    for (size_t i = 0; i < sizeof purposes / sizeof *purposes; i++)
        if (!strcmp(program, purposes[i].program)) {
            l->purpose = &purposes[i];
            return true;
        }
    return false;
}

static bool take_precision(struct pl_csv_style *style, const char *arg)
{
    uint64_t digits;

    if (pl_parse_count(arg, &digits) || digits < 1 || digits > 17)
        return false;
    style->digits = (uint8_t)digits;
    return true;
}

static bool take_jobs(unsigned *jobs, const char *arg)
{
    uint64_t num;

    if (pl_parse_count(arg, &num) || num > PL_MAX_JOBS)
        return false;
    if (!num)
        num = pl_thread_processors();
    *jobs = num < PL_MAX_JOBS ? (unsigned)num : PL_MAX_JOBS;
    return true;
}

/* An option that says by itself what it has to say. */
static bool take_flag(struct command_line *l, int option)
{
    struct pl_query_plan *p = &l->plan;
    bool *const flags[] = {
        [OPT_CSV] = &l->csv,
        [OPT_XLSX] = &l->xlsx,
        [OPT_PARQUET] = &l->parquet,
        [OPT_DECIMAL_COMMA] = &p->style.decimal_comma,
        [OPT_BOM] = &p->style.bom,
        [OPT_FOLLOW] = &p->follow,
        [OPT_IDENTITY] = &p->identity,
        [OPT_DROP_EMPTY] = &p->drop_empty,
        [OPT_SPLIT] = &p->split,
        [OPT_WIDE_ANYWAY] = &p->wide_anyway,
        [OPT_UNWRAP32] = &p->replay.calc.unwrap32,
        [OPT_CAP100] = &p->replay.calc.cap100,
        [OPT_PDH_MULTI] = &p->replay.calc.pdh_multi,
    };

    if ((size_t)option >= sizeof flags / sizeof *flags || !flags[option])
        return false;
    *flags[option] = true;
    return true;
}

static bool take_option(const struct pl_command *self, void *ctx, int option,
                        const char *arg)
{
    struct command_line *l = ctx;
    struct pl_query_plan *p = &l->plan;

    if (take_flag(l, option))
        return true;
    switch ((enum option)option) {
    case OPT_EVERY:
        return !pl_parse_every(arg, &p->every) ||
               pl_option_wrong(self, option, arg, PL_EVERY_WANTED);
    case OPT_LAYOUT:
        l->has_layout = true;
        return take_layout(p, arg) || pl_option_wrong_choice(self, option, arg);
    case OPT_ZONE_NAME:
        p->zone_name = arg;
        return true;
    case OPT_TIME:
        l->has_time = true;
        return pl_time_style_of(arg, &p->time.style) ||
               pl_option_wrong_choice(self, option, arg);
    case OPT_FOR:
        return take_purpose(l, arg) ||
               pl_option_wrong_choice(self, option, arg);
    case OPT_PRECISION:
        return take_precision(&p->style, arg) ||
               pl_option_wrong(self, option, arg,
                               "give a number of digits, 1 to 17");
    case OPT_TOP:
        return !pl_parse_top(arg, &p->top) ||
               pl_option_wrong(self, option, arg,
                               "give a number such as 5, or 5:COUNTER, 5:max, "
                               "5:mean, 5:COUNTER:max");
    case OPT_GROUP:
        p->group = pl_regroup_key(arg);
        return p->group || pl_option_wrong_choice(self, option, arg);
    case OPT_NO_GUARD:
        p->style.guard = false;
        return true;
    case OPT_JOBS:
        return take_jobs(&p->jobs, arg) ||
               pl_option_wrong(self, option, arg,
                               "give a number of threads, up to 256, or 0");
    default:
        return false;
    }
}

/* The form of pdh is fixed by Windows: refuse options that change it. */
static bool settle_pdh(struct command_line *l)
{
    struct pl_query_plan *p = &l->plan;
    const char *option = l->has_time              ? "time"
                         : l->purpose             ? "for"
                         : p->style.digits        ? "precision"
                         : p->style.bom           ? "bom"
                         : p->style.decimal_comma ? "decimal-comma"
                                                  : NULL;

    if (option) {
        pl_say("export: --%s does not go with --layout pdh, which is as "
               "Windows has it; leave it out",
               option);
        return false;
    }
    p->time.style = PL_TIME_PDH;
    p->style.pdh = true;
    return true;
}

/* ---- what the name of the output says -------------------------------------- */

static bool names_text(const char *path)
{
    return pl_form_named(path) == PL_FORM_CSV ||
           pl_form_named(path) == PL_FORM_TSV ||
           (path && pl_pattern_match(pl_text_of("*.txt"), pl_text_of(path)));
}

/* --parquet makes a folder, which is not named like one file. */
static bool settle_folder_name(const struct command_line *l)
{
    const char *path = l->plan.output;

    if (l->parquet &&
        (names_text(path) || pl_form_named(path) == PL_FORM_WORKBOOK)) {
        pl_say("export: --parquet makes a folder, and '%s' is named like a "
               "file; name it FOLDER",
               path);
        return false;
    }
    if (!l->parquet && pl_form_named(path) == PL_FORM_PARQUET) {
        pl_say("export: '%s' is named like Parquet; give --parquet, which "
               "makes a folder of such files, or name it FILE.csv",
               path);
        return false;
    }
    return true;
}

/* A file named like a workbook is one; a program would not open another. */
static bool settle_name(struct command_line *l)
{
    const char *path = l->plan.output;
    enum pl_form named = pl_form_named(path);
    enum pl_form form = l->parquet ? PL_FORM_PARQUET
                        : l->xlsx  ? PL_FORM_WORKBOOK
                                   : PL_FORM_CSV;

    if (!settle_folder_name(l))
        return false;
    if ((named == PL_FORM_JSON || named == PL_FORM_PAGE ||
         (named == PL_FORM_TSV && form == PL_FORM_CSV)) &&
        !pl_form_settle("export", path, 0, &form))
        return false;
    if (l->parquet)
        return true;
    if (l->xlsx && names_text(path)) {
        pl_say("export: --xlsx makes a workbook, and '%s' is named like text; "
               "name it FILE.xlsx",
               path);
        return false;
    }
    if (!l->xlsx && pl_form_named(path) == PL_FORM_WORKBOOK && l->csv) {
        pl_say("export: --csv writes text, and '%s' is named like a workbook; "
               "name it FILE.csv, or leave out --csv",
               path);
        return false;
    }
    l->xlsx = l->xlsx || pl_form_named(path) == PL_FORM_WORKBOOK;
    return true;
}

/* Layouts, and how a workbook has them. */
static const struct form {
    const struct pl_layout *text, *book;
} forms[] = {
    { &pl_layout_table, &pl_layout_xlsx },
    { &pl_layout_wide, &pl_layout_xlsx_wide },
    { &pl_layout_long, &pl_layout_xlsx_long },
};

static bool take_form(struct pl_query_plan *p)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (p->layout == forms[i].text) {
            p->layout = forms[i].book;
            return true;
        }
    return false;
}

/* Refuse options of text and layouts for a workbook. */
static bool settle_xlsx(struct command_line *l)
{
    struct pl_query_plan *p = &l->plan;
    const char *option = l->csv                   ? "csv"
                         : l->has_time            ? "time"
                         : l->purpose             ? "for"
                         : p->style.digits        ? "precision"
                         : p->style.bom           ? "bom"
                         : p->style.decimal_comma ? "decimal-comma"
                         : !p->style.guard        ? "no-guard"
                         : p->follow              ? "follow"
                         : p->wide_anyway         ? "wide-anyway"
                         : p->zone_name           ? "zone-name"
                                                  : NULL;

    if (option) {
        pl_say("export: --%s does not go with --xlsx; leave it out", option);
        return false;
    }
    if (!p->output || !strcmp(p->output, "-")) {
        pl_say("export: --xlsx writes a file; name it with -o FILE.xlsx");
        return false;
    }
    if (l->has_layout && !take_form(p)) {
        pl_say("export: --layout %s does not go with --xlsx; take table, which "
               "is the default there, wide or long",
               p->layout->name);
        return false;
    }
    if (!l->has_layout)
        p->layout = &pl_layout_xlsx;
    p->identity = true;
    p->split_sheets = p->split;
    p->split = false;
    return true;
}

/* Refuse options of text and layouts, and stages between rows and files. */
static bool settle_parquet(struct command_line *l)
{
    struct pl_query_plan *p = &l->plan;
    const char *option = l->csv                   ? "csv"
                         : l->xlsx                ? "xlsx"
                         : l->has_layout          ? "layout"
                         : l->has_time            ? "time"
                         : l->purpose             ? "for"
                         : p->style.digits        ? "precision"
                         : p->style.bom           ? "bom"
                         : p->style.decimal_comma ? "decimal-comma"
                         : !p->style.guard        ? "no-guard"
                         : p->follow              ? "follow"
                         : p->wide_anyway         ? "wide-anyway"
                         : p->zone_name           ? "zone-name"
                         : p->split               ? "split"
                         : p->every.ns            ? "every"
                         : p->top.num             ? "top"
                         : p->group               ? "group"
                         : p->drop_empty          ? "drop-empty"
                                                  : NULL;

    if (option) {
        pl_say("export: --%s does not go with --parquet; leave it out", option);
        return false;
    }
    if (!p->output || !strcmp(p->output, "-")) {
        pl_say("export: --parquet writes a folder; name it with -o FOLDER");
        return false;
    }
    p->layout = &pl_layout_parquet;
    p->identity = true;
    return true;
}

/* Check options against each other.  False: a message has been printed. */
static bool settle(struct command_line *l)
{
    struct pl_query_plan *p = &l->plan;

    if (!settle_name(l))
        return false;
    if (p->identity && (l->xlsx || l->parquet || !p->layout->identifies)) {
        pl_say("export: --identity is for --layout long and table alone");
        return false;
    }
    if (l->parquet)
        return settle_parquet(l);
    if (l->xlsx)
        return settle_xlsx(l);
    if (p->layout->pdh)
        return settle_pdh(l);
    if (p->zone_name) {
        pl_say("export: --zone-name is for --layout pdh alone");
        return false;
    }
    if (l->purpose) {
        if (!l->has_time)
            p->time.style = l->purpose->time;
        p->style.guard &= l->purpose->guard;
        p->style.bom |= l->purpose->bom;
    }
    return true;
}

/* ---- the command --------------------------------------------------------- */

static enum pl_exit run_export(const struct pl_command *self, int argc,
                               char **argv)
{
    struct command_line l = { .plan = { .layout = &pl_layout_wide,
                                        .style = { .guard = true } } };
    enum pl_exit code;

    if (pl_query_options(self, argc, argv, take_option, &l, &l.plan, &code) &&
        settle(&l))
        code = pl_query_command(self, &l.plan, argc, argv);
    pl_counter_path_list_release(&l.plan.paths);
    return code;
}

const struct pl_command pl_cmd_export = {
    .name = "export",
    .summary = "Time series of a log as CSV, workbook or Parquet",
    .usage = "[OPTION...] LOG...",
    .options = options,
    .num_options = sizeof options / sizeof *options,
    .notes =
        "LOG is a file, a folder of segments, or - for standard input. Rates\n"
        "and percentages need two samples, so their first cell is blank.\n"
        "Exit status: 0 good, 1 failed or nothing matched, 2 damage was "
        "left\nout, 3 part of it needs a newer perflog, 4 nothing "
        "readable.",
    .run = run_export,
};
