/* perflog import: writes blocks captured by other programs into a log. */
#include "analyze/blocks/block_scan.h"
#include "analyze/import/import_write.h"
#include "analyze/blocks/block_index.h"
#include "analyze/import/import_foreign.h"
#include "analyze/copy/log_output.h"
#include "analyze/output/progress.h"
#include "analyze/import/import_files.h"
#include "analyze/import/title_import.h"
#include "format/base/file.h"
#include "format/cli/named_form.h"
#include "format/time/time_text.h"
#include "format/cli/message.h"
#include "analyze/cli/common_options.h"
#include "format/cli/options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct pl_command pl_cmd_import;

enum option {
    OPT_OUTPUT,
    OPT_TITLES,
    OPT_HELP_TITLES,
    OPT_ENCODING,
    OPT_MAX_BLOCK,
    OPT_QUIET
};

/* clang-format off */
static const struct pl_option options[] = {
    [OPT_OUTPUT] = PL_OPTION_OUTPUT_NEW,
    [OPT_TITLES] = { 0, "titles", "FILE", "names of objects and counters: the "
                     "registry's Counter 009, or lines of an index, a tab and "
                     "a name" },
    [OPT_HELP_TITLES] = { 0, "help-titles", "FILE", "explanations: the "
                          "registry's Help 009, or such lines" },
    [OPT_ENCODING] = PL_OPTION_ENCODING,
    [OPT_MAX_BLOCK] = { 0, "max-block", "SIZE", "longer blocks are damage "
                        "(default and most: 64M)" },
    [OPT_QUIET] = PL_OPTION_QUIET,
};
/* clang-format on */

enum {
    MOST_SAID = 10, /* most messages about one file */
    LEAST_BLOCK = 4096,
    NOTE_ROOM = 512,
};
struct import {
    const char *output, *titles_path, *helps_path;
    uint64_t max_block;
    bool quiet;
    char **files; /* as named on the command line */
    int num_files;
    struct pl_import_files sources; /* the same */

    struct pl_title_text names, helps;
    struct pl_block_index gathered;
    uint8_t sha256[PL_SHA256_LEN];
    uint64_t source_bytes, damaged_ranges, damaged_bytes, bad_objects;
    uint64_t said; /* messages about the current file */

    struct pl_buf titles; /* TITL payload */
    size_t num_names, num_helps;
    struct pl_import_write compose;
    char *source;
    bool nothing_in_one; /* some file has no block */
};

static const char *name_of(const struct import *im, int file)
{
    return pl_import_files_name(&im->sources, file);
}

/* ---- first pass: what is there ------------------------------------------- */

/* True if one more message about this file may be printed. */
static bool may_say(struct import *im)
{
    return ++im->said <= MOST_SAID;
}

static void take_damage(struct import *im, const char *name,
                        const struct pl_block_scan_item *item)
{
    im->damaged_bytes += item->len;
    if (!item->reason) /* the rest of a block that was reported */
        return;
    im->damaged_ranges++;
    if (may_say(im))
        pl_say("%s: byte %" PRIu64 ": %s; %" PRIu64 " bytes left out", name,
               item->at, item->reason, item->len);
}

/* Report objects that contradict their headers; the merge leaves them out. */
static void check_objects(struct import *im, const char *name, uint64_t at,
                          struct pl_block b)
{
    struct pl_object o;

    while (!pl_object_next(&b, &o)) {
        if (pl_object_is_whole(o))
            continue;
        im->bad_objects++;
        if (may_say(im))
            pl_say("%s: byte %" PRIu64 ": object %" PRIu32 " contradicts "
                   "itself; it is left out",
                   name, at + o.at, o.title_index);
    }
}

static enum pl_status take_block(struct import *im, int file,
                                 const struct pl_block_scan_item *item)
{
    const char *name = name_of(im, file);
    struct pl_block b;
    enum pl_status s;

    if (item->reason) {
        im->damaged_ranges++;
        if (may_say(im))
            pl_say("%s: byte %" PRIu64 ": a block with %" PRIu32 " of %" PRIu32
                   " objects: %s",
                   name, item->at, item->num_objects, item->block.num_objects,
                   item->reason);
    }
    pl_block_parse(&b, item->block.bytes, (size_t)item->len);
    s = pl_block_index_add(&im->gathered, b, (uint32_t)file, item->at);
    if (s == PL_CORRUPT) {
        struct pl_block_scan_item none = *item;

        none.reason = "a block without a time";
        take_damage(im, name, &none);
        return PL_OK;
    }
    if (!s)
        check_objects(im, name, item->at, b);
    return s;
}

static enum pl_status scan_file(struct import *im, int file, SHA2_CTX *sha,
                                struct pl_progress *progress)
{
    struct pl_block_scan blocks;
    struct pl_block_scan_item item;
    size_t before = im->gathered.num_pieces;
    enum pl_status s = pl_block_scan_open(&blocks, im->sources.paths[file],
                                          (size_t)im->max_block, sha);

    im->said = 0;
    while (!s && !(s = pl_block_scan_next(&blocks, &item))) {
        if (item.is_block)
            s = take_block(im, file, &item);
        else
            take_damage(im, name_of(im, file), &item);
        pl_progress_at(progress, im->source_bytes + blocks.at);
    }
    if (s == PL_END) {
        s = PL_OK;
        im->source_bytes += blocks.at;
        if (im->said > MOST_SAID)
            pl_say("%s: and so on: %" PRIu64 " more of it", name_of(im, file),
                   im->said - MOST_SAID);
        if (before == im->gathered.num_pieces) {
            im->nothing_in_one = true;
            pl_say("%s: %s", name_of(im, file),
                   blocks.at ? "nothing in it is a performance data block"
                             : "the file is empty");
        }
    }
    pl_block_scan_close(&blocks);
    return s;
}

static enum pl_exit say_scan(const char *name, enum pl_status s)
{
    if (s == PL_IO && errno == EISDIR) {
        pl_say("%s: is a folder; name the files in it", name);
        return PL_EXIT_FAILED;
    }
    if (s == PL_TOO_LARGE) {
        pl_say("%s: more than %d machines or %d blocks; import them in "
               "several logs",
               name, PL_MAX_MACHINES, PL_MAX_PIECES);
        return PL_EXIT_FAILED;
    }
    return pl_say_status(name, s, NULL);
}

static enum pl_exit scan(struct import *im)
{
    struct pl_progress progress;
    SHA2_CTX sha;
    enum pl_status s = PL_OK;
    int i;

    SHA256Init(&sha);
    pl_progress_start(&progress, "reading", 0, im->quiet);
    for (i = 0; i < im->sources.num && !s; i++)
        s = scan_file(im, i, &sha, &progress);
    pl_progress_end(&progress);
    SHA256Final(im->sha256, &sha);
    if (s)
        return say_scan(name_of(im, i - 1), s);
    if (!im->gathered.num_pieces)
        return PL_EXIT_UNREADABLE; /* reported for each file */
    pl_block_index_sort(&im->gathered);
    return PL_EXIT_GOOD;
}

/* ---- titles -------------------------------------------------------------- */

static enum pl_exit load_titles(struct import *im, struct pl_title_text *f,
                                const char *path)
{
    enum pl_status s = path ? pl_title_import_load(f, path) : PL_OK;

    if (s == PL_NOT_A_LOG) {
        pl_say("%s: no title in it; wanted are the registry's \"index, name\" "
               "or lines of an index, a tab and a name",
               path);
        return PL_EXIT_FAILED;
    }
    if (s == PL_TOO_LARGE) {
        pl_say("%s: is longer than %d MiB; no list of titles is", path,
               PL_MAX_TITLE_LIST >> 20);
        return PL_EXIT_FAILED;
    }
    if (s)
        return pl_say_status(path, s, NULL);
    if (f->num_bad && !im->quiet)
        pl_say("%s: %" PRIu64 " entries are no titles and were left out", path,
               f->num_bad);
    return PL_EXIT_GOOD;
}

static enum pl_exit fits(const char *path, size_t taken, size_t there)
{
    if (!path || taken)
        return PL_EXIT_GOOD;
    pl_say("%s: none of its %zu titles is used in these blocks; give the file "
           "of the machine they are from",
           path, there);
    return PL_EXIT_FAILED;
}

/* Only titles that occur go into the log. */
static enum pl_exit choose_titles(struct import *im)
{
    struct pl_title_choice choices[2] = {
        { &im->names, &im->gathered.names, PL_TITLE_NAME, 0 },
        { &im->helps, &im->gathered.helps, PL_TITLE_HELP, 0 },
    };
    struct pl_titles *titles;
    enum pl_exit code;
    enum pl_status s = pl_titles_new(&titles);

    if (!s)
        s = pl_titles_choose(choices, titles);
    if (!s)
        pl_titles_write(titles, &im->titles);
    if (im->titles.oom)
        s = PL_NOMEM;
    else if (im->titles.len > PL_MAX_BLOCK_LEN)
        s = PL_TOO_LARGE;
    pl_titles_free(titles);
    if (s)
        return pl_say_status("titles", s, NULL);
    im->num_names = choices[0].num;
    im->num_helps = choices[1].num;
    code = fits(im->titles_path, im->num_names, im->names.num);
    return code ? code : fits(im->helps_path, im->num_helps, im->helps.num);
}

/* ---- second pass --------------------------------------------------------- */

/* Add a note to the log about its import. */
static void add_note(struct import *im)
{
    struct pl_import_write *c = &im->compose;
    char text[NOTE_ROOM];

    snprintf(text, sizeof text,
             "%" PRIu64 " samples of %zu blocks in %d files; left out: "
             "%" PRIu64 " bytes in %" PRIu64 " places, %" PRIu64
             " objects that contradict themselves, %" PRIu64
             " that were there twice",
             c->samples, im->gathered.num_pieces, im->sources.num,
             im->damaged_bytes, im->damaged_ranges, c->merge.num_malformed,
             c->merge.num_twice);
    pl_writer_note(c->log.writer, PL_NOTE_IMPORT, c->last_utc, c->last_boot,
                   text);
}

static void say_summary(const struct import *im)
{
    const struct pl_import_write *c = &im->compose;
    const struct pl_block_index *g = &im->gathered;
    uint64_t ns = c->last_utc < c->first_utc
                      ? 0
                      : (uint64_t)c->last_utc - (uint64_t)c->first_utc;
    char span[PL_DURATION_TEXT];

    pl_say("%s: %" PRIu64 " sample%s over %s, %zu object%s, from %zu block%s "
           "of %zu machine%s; %zu titles",
           im->output, c->samples, pl_plural(c->samples),
           pl_duration_text(ns, span), g->objects.num,
           pl_plural(g->objects.num), g->num_pieces, pl_plural(g->num_pieces),
           g->num_machines, pl_plural(g->num_machines),
           im->num_names + im->num_helps);
    if (c->merge.num_twice)
        pl_say("%s: %" PRIu64 " object%s occurred twice at one time; the first "
               "was taken",
               im->output, c->merge.num_twice, pl_plural(c->merge.num_twice));
    if (c->merge.num_too_many)
        pl_say("%s: %" PRIu64 " objects were left out: a sample takes %d "
               "objects and %d MiB",
               im->output, c->merge.num_too_many, PL_MAX_OBJECTS,
               PL_MAX_BLOCK_LEN >> 20);
    if (g->names.num > im->num_names)
        pl_say("%s: %zu of %zu names are not known; such objects and counters "
               "go by numbers; see --titles",
               im->output, g->names.num - im->num_names, g->names.num);
}

static enum pl_exit say_failure(const struct import *im, enum pl_status s)
{
    int file = im->compose.bad_file;

    if (s != PL_CORRUPT)
        return pl_say_status(file < 0 ? im->output : name_of(im, file), s,
                             im->compose.why);
    pl_say("%s: changed while it was read; nothing was written",
           name_of(im, file));
    return PL_EXIT_FAILED;
}

static enum pl_exit write_log(struct import *im)
{
    struct pl_import_write *c = &im->compose;
    enum pl_status s;

    im->source = pl_import_files_title(&im->sources);
    *c = (struct pl_import_write){ .output = im->output,
                                   .paths = im->sources.paths,
                                   .gathered = &im->gathered,
                                   .titles = &im->titles,
                                   .sha256 = im->sha256,
                                   .source = im->source,
                                   .source_bytes = im->source_bytes,
                                   .quiet = im->quiet,
                                   .bad_file = -1 };
    s = im->source ? pl_import_write(c) : PL_NOMEM;
    if (!s) {
        add_note(im);
        s = pl_log_output_commit(&c->log);
    }
    if (s)
        return say_failure(im, s);
    if (!im->quiet)
        say_summary(im);
    return im->damaged_ranges || im->bad_objects || im->nothing_in_one ||
                   im->sources.num_refused || c->merge.num_too_many
               ? PL_EXIT_DAMAGED
               : PL_EXIT_GOOD;
}

/* ---- the command --------------------------------------------------------- */

static enum pl_exit open_sources(struct import *im)
{
    enum pl_status s =
        pl_import_files_open(&im->sources, im->files, im->num_files);

    if (s == PL_USAGE)
        pl_say("import: standard input can be read only once");
    else if (s)
        return pl_say_status("standard input", s, NULL);
    return s ? PL_EXIT_FAILED : PL_EXIT_GOOD;
}

/* A look at what a pipe brings would take it away from the import. */
static enum pl_exit refuse_streams(const struct import *im)
{
    for (int i = 0; i < im->num_files; i++)
        if (strcmp(im->files[i], "-") != 0 && pl_path_is_stream(im->files[i])) {
            pl_say("%s: a pipe can be read only once; pipe it into 'perflog "
                   "import -'",
                   im->files[i]);
            return PL_EXIT_FAILED;
        }
    return PL_EXIT_GOOD;
}

static enum pl_exit refuse_logs(const struct import *im)
{
    for (int i = 0; i < im->sources.num; i++)
        if (pl_import_files_is_log(&im->sources, i)) {
            pl_say("%s: is a log of perflog already, which all commands read; "
                   "'perflog cut' copies a part of it",
                   pl_import_files_name(&im->sources, i));
            return PL_EXIT_FAILED;
        }
    return PL_EXIT_GOOD;
}

/* Import logs of other formats.  False: the files are blocks. */
static bool import_logs(struct import *im, enum pl_exit *code)
{
    struct pl_import_foreign plan = { &im->sources, im->output, im->quiet };
    bool are_logs;

    *code = pl_import_choose(&im->sources, &are_logs);
    if (*code)
        return true;
    if (!are_logs)
        return false;
    if (im->titles_path || im->helps_path) {
        pl_say("import: --titles and --help-titles are for single blocks; "
               "these logs have names of their own");
        *code = PL_EXIT_FAILED;
    } else {
        *code = pl_import_foreign(&plan);
    }
    return true;
}

static enum pl_exit import(struct import *im)
{
    const char *why;
    enum pl_status s =
        pl_log_output_check(im->output, im->files, im->num_files, &why);
    enum pl_form form = PL_FORM_LOG;
    enum pl_exit code;

    if (s)
        return pl_say_status(im->output, s, why);
    if (!pl_form_settle("import", im->output, 0, &form))
        return PL_EXIT_FAILED;
    code = refuse_streams(im);
    if (!code)
        code = open_sources(im);
    if (!code)
        code = refuse_logs(im);
    if (!code && import_logs(im, &code))
        return code;
    if (!code)
        code = load_titles(im, &im->names, im->titles_path);
    if (!code)
        code = load_titles(im, &im->helps, im->helps_path);
    if (!code)
        code = scan(im);
    if (!code)
        code = choose_titles(im);
    if (!code)
        code = write_log(im);
    return code;
}

static void release(struct import *im)
{
    pl_import_write_release(&im->compose);
    pl_import_files_release(&im->sources);
    free(im->source);
    pl_title_text_release(&im->names);
    pl_title_text_release(&im->helps);
    pl_block_index_release(&im->gathered);
    pl_buf_release(&im->titles);
}

static bool take_option(const struct pl_command *self, void *ctx, int option,
                        const char *arg)
{
    struct import *im = ctx;

    (void)self;
    switch (option) {
    case OPT_TITLES:
        im->titles_path = arg;
        break;
    case OPT_HELP_TITLES:
        im->helps_path = arg;
        break;
    case OPT_MAX_BLOCK:
        if (!pl_parse_size(arg, &im->max_block) &&
            im->max_block >= LEAST_BLOCK && im->max_block <= PL_MAX_BLOCK_LEN)
            break;
        pl_say("import: --max-block %s: give a size from 4K to 64M", arg);
        return false;
    }
    return true;
}

static enum pl_exit run_import(const struct pl_command *self, int argc,
                               char **argv)
{
    struct import *im = calloc(1, sizeof *im);
    struct pl_shared_values to;
    enum pl_exit code;

    if (!im)
        return pl_say_status("import", PL_NOMEM, NULL);
    im->max_block = PL_MAX_BLOCK_LEN;
    to =
        (struct pl_shared_values){ .output = &im->output, .quiet = &im->quiet };
    if (!pl_command_options(self, argc, argv, &to, take_option, im, &code))
        goto end;
    im->files = argv + pl_operands();
    im->num_files = argc - pl_operands();
    if (!im->num_files)
        pl_say("import: name files, logs of Windows or performance data "
               "blocks; see 'perflog import --help'");
    else if (!im->output)
        pl_say("import: name the log to make, such as -o out.plog");
    else
        code = import(im);
end:
    release(im);
    free(im);
    return code;
}

const struct pl_command pl_cmd_import = {
    .name = "import",
    .summary = "Logs and blocks of Windows into a log",
    .usage = "[OPTION...] FILE... -o NEW",
    .options = options,
    .num_options = sizeof options / sizeof *options,
    .notes =
        "FILE is a log of Windows' Performance Monitor (.blg), a sheet of PDH\n"
        "(CSV or TSV), a file of one or more PERF_DATA_BLOCKs, or - for\n"
        "standard input.  Blocks of one time and machine become one sample.\n"
        "Exit status: 0 good, 1 failed, 2 damage was left out, 4 nothing\n"
        "readable.",
    .run = run_import,
};
