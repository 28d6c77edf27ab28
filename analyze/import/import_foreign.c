/* Imports logs of other formats into a .plog. */
#include "analyze/import/import_foreign.h"

#include "analyze/copy/log_copy.h"
#include "format/base/file.h"
#include "format/time/time_text.h"

#include <inttypes.h>
#include <sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { READ_LEN = 64 << 10, NOTE_ROOM = 256 };

struct import {
    const struct pl_import_foreign *plan;
    struct pl_host_logs logs;
    struct pl_log_copy copy;
    struct pl_progress progress;
    uint8_t sha256[PL_SHA256_LEN];
    char *source;
    bool *refused; /* for each source */
};

/* ---- logs or blocks ------------------------------------------------------ */

static const char a_log[] =
    "a log of Windows among performance data blocks; import it by itself";
static const char no_log[] =
    "no log of Windows, as the others are; import it by itself";

enum pl_exit pl_import_choose(struct pl_import_files *sources, bool *are_logs)
{
    enum pl_content first = PL_CONTENT_UNKNOWN, content;

    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < sources->num; i++) {
            enum pl_status s = pl_foreign_content(sources->paths[i], &content);

            if (s)
                return pl_say_status(pl_import_files_name(sources, i), s, NULL);
            first = first ? first : content;
            if (!pass || (first == PL_CONTENT_FOREIGN) ==
                             (content == PL_CONTENT_FOREIGN))
                continue;
            pl_say("%s: %s", pl_import_files_name(sources, i),
                   first == PL_CONTENT_FOREIGN ? no_log : a_log);
            pl_import_files_refuse(sources, i--);
        }
    *are_logs = first == PL_CONTENT_FOREIGN;
    return PL_EXIT_GOOD;
}

/* A file that cannot be read as the format it begins like is left out. */
static bool refuse(void *ctx, size_t i, enum pl_status why)
{
    struct import *im = ctx;
    const char *name = pl_import_files_name(im->plan->sources, (int)i);

    if (why == PL_IO || why == PL_NOMEM)
        return false;
    if (why == PL_NOT_A_LOG)
        pl_say("%s: begins like a log of Windows, but is none", name);
    else
        pl_say_status(name, why, NULL);
    return im->refused[i] = true;
}

static enum pl_exit open_sources(struct import *im)
{
    struct pl_import_files *sources = im->plan->sources;
    const char *bad;
    enum pl_status s;

    im->refused = calloc((size_t)sources->num, sizeof *im->refused);
    s = im->refused
            ? pl_host_logs_open_some(&im->logs, sources->paths,
                                     (size_t)sources->num, refuse, im, &bad)
            : PL_NOMEM;
    if (s == PL_END)
        return PL_EXIT_UNREADABLE; /* reported for each file */
    if (s)
        return pl_say_status(im->refused ? bad : "import", s, NULL);
    for (int i = sources->num; i-- > 0;)
        if (im->refused[i])
            pl_import_files_refuse(sources, i);
    return PL_EXIT_GOOD;
}

/* ---- describing the sources ---------------------------------------------- */

static enum pl_status hash_file(SHA2_CTX *sha, const char *path)
{
    uint8_t bytes[READ_LEN];
    struct pl_file *f;
    size_t got = 1;
    enum pl_status s = pl_file_open(&f, path);

    if (s)
        return s;
    for (uint64_t at = 0; !s && got; at += got) {
        s = pl_file_read(f, at, bytes, sizeof bytes, &got);
        if (!s)
            SHA256Update(sha, bytes, got);
    }
    pl_file_close(f);
    return s;
}

static enum pl_exit hash_sources(struct import *im)
{
    const struct pl_import_files *sources = im->plan->sources;
    SHA2_CTX sha;

    SHA256Init(&sha);
    for (int i = 0; i < sources->num; i++) {
        enum pl_status s = hash_file(&sha, sources->paths[i]);

        if (s)
            return pl_say_status(pl_import_files_name(sources, i), s, NULL);
    }
    SHA256Final(im->sha256, &sha);
    return PL_EXIT_GOOD;
}

static void add_note(struct import *im)
{
    const struct pl_log_counts *t = &im->copy.tally;
    char text[NOTE_ROOM];

    snprintf(text, sizeof text,
             "%" PRIu64 " samples of %zu machines in %d files; left out: "
             "%" PRIu64 " bytes in %" PRIu64 " places",
             t->samples, im->logs.num, im->plan->sources->num, t->damaged_bytes,
             t->damaged_ranges);
    pl_writer_note(im->copy.log.writer, PL_NOTE_IMPORT, t->last_utc, 0, text);
}

/* ---- importing ----------------------------------------------------------- */

static enum pl_status copy_logs(struct import *im)
{
    enum pl_status s;

    pl_progress_start(&im->progress, "importing", pl_host_logs_bytes(&im->logs),
                      im->plan->quiet);
    s = pl_log_copy_all(&im->copy, &im->logs);
    pl_progress_end(&im->progress);
    return s;
}

static void say_summary(const struct import *im)
{
    const struct pl_log_counts *t = &im->copy.tally;
    char span[PL_DURATION_TEXT];

    pl_say(
        "%s: %" PRIu64 " sample%s over %s, of %zu machine%s, from %d "
        "file%s",
        im->plan->output, t->samples, pl_plural(t->samples),
        pl_duration_text((uint64_t)t->last_utc - (uint64_t)t->first_utc, span),
        im->logs.num, pl_plural(im->logs.num), im->plan->sources->num,
        pl_plural((uint64_t)im->plan->sources->num));
}

/* The name of the file 'path' for messages. */
static const char *name_of(const struct pl_import_files *sources,
                           const char *path)
{
    for (int i = 0; path && i < sources->num; i++)
        if (!strcmp(sources->paths[i], path))
            return pl_import_files_name(sources, i);
    return pl_import_files_name(sources, 0);
}

/* Report what the sources were taken for. */
static void say_remarks(const struct import *im)
{
    for (size_t i = 0; i < im->logs.num; i++) {
        const struct pl_host_log *log = &im->logs.logs[i];

        for (size_t k = 0; k < log->num_paths; k++) {
            const char *remark = pl_host_log_remark(log, k);

            if (remark)
                pl_say("%s: %s", name_of(im->plan->sources, log->paths[k]),
                       remark);
        }
    }
}

static enum pl_exit say_damage(const struct import *im)
{
    const struct pl_log_counts *t = &im->copy.tally;
    enum pl_exit code = pl_log_counts_exit(t);

    if (code)
        pl_say("%s%s: damaged: %" PRIu64 " places (%" PRIu64 " bytes) left "
               "out where unreadable, %" PRIu64
               " buffers missing; 'perflog verify' of it shows "
               "where",
               name_of(im->plan->sources, im->copy.where.path),
               pl_places_rest(&im->copy.where), t->damaged_ranges,
               t->damaged_bytes, t->missing_records);
    return code;
}

static enum pl_exit write_log(struct import *im)
{
    const char *first = pl_import_files_name(im->plan->sources, 0);
    enum pl_status s;
    enum pl_exit code;

    im->source = pl_import_files_title(im->plan->sources);
    s = im->source ? PL_OK : PL_NOMEM;
    im->copy.path = im->plan->output;
    im->copy.progress = &im->progress;
    im->copy.sha256 = im->sha256;
    im->copy.source = im->source;
    if (!s)
        s = copy_logs(im);
    if (s == PL_END || (!s && !im->copy.tally.samples)) {
        pl_say("%s: holds no readable samples", first);
        return PL_EXIT_UNREADABLE;
    }
    if (!s) {
        add_note(im);
        s = pl_log_output_commit(&im->copy.log);
        im->copy.bad = im->plan->output;
    }
    if (s)
        return pl_say_status(im->copy.bad ? im->copy.bad : first, s,
                             im->copy.why);
    code = say_damage(im);
    if (!code && im->plan->sources->num_refused)
        code = PL_EXIT_DAMAGED;
    if (!im->plan->quiet)
        say_summary(im);
    return code;
}

enum pl_exit pl_import_foreign(const struct pl_import_foreign *plan)
{
    struct import im = { .plan = plan };
    enum pl_exit code = open_sources(&im);

    if (!code) {
        if (!plan->quiet) {
            pl_host_logs_say_overlap(&im.logs, false);
            say_remarks(&im);
        }
        code = hash_sources(&im);
        if (!code)
            code = write_log(&im);
        pl_log_copy_release(&im.copy);
        pl_host_logs_release(&im.logs);
    }
    free(im.source);
    free(im.refused);
    return code;
}
