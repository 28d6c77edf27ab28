/*
 * Records Windows' performance data: the selected objects are copied to the
 * block unchanged, invalid data are left out and reported, and Performance
 * Logger is appended.
 */
#include "logger/sampler.h"

#include "format/block/block_subset.h"
#include "format/base/utf.h"
#include "logger/windows/counter_filter.h"
#include "logger/windows/query_value.h"
#include "logger/windows/intake.h"
#include "logger/windows/titles.h"
#include "logger/windows/machine.h"
#include "logger/windows/published.h"
#include "logger/windows/registry.h"
#include "logger/windows/self.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REASON = 200, DEFAULT_OBJECT = 238 /* Processor */ };
enum { PERF_FREQ = 10000000 };
/* From 1601, where Windows' time begins, to 1970, in 100 ns. */
#define EPOCH_100NS INT64_C(116444736000000000)

struct pl_sampler {
    struct pl_windows_registry *registry;
    struct pl_published *published; /* NULL: nothing of it is chosen */
    struct pl_counter_filter choice;
    struct pl_labels labels;
    struct pl_intake intake;
    struct pl_machine_facts facts;
    struct pl_self self;
    struct pl_buf answers[PL_MAX_QUERIES];
    struct pl_buf published_answer;
    struct pl_buf host_utf16;
    uint64_t interval_ns;
    char trouble[REASON];
};

/* ---- one sample --------------------------------------------------------- */

/* Keep the first problem of a sample, to be reported. */
static void note_trouble(struct pl_sampler *s, const char *query, size_t at,
                         const char *reason)
{
    s->self.read_errors++;
    if (*s->trouble)
        return;
    if (at)
        snprintf(s->trouble, sizeof s->trouble,
                 "Windows' answer to \"%.40s\" does not add up: byte %zu: %s; "
                 "what follows is left out",
                 query, at, reason);
    else
        snprintf(s->trouble, sizeof s->trouble,
                 "Windows gives no data for \"%.40s\": %s", query, reason);
}

static enum pl_status ask(struct pl_sampler *s, size_t q)
{
    const char *value = s->choice.queries[q].value;
    struct pl_buf *answer = &s->answers[q];
    char reason[32];
    uint32_t error;
    enum pl_status status =
        pl_query_value(s->registry, NULL, value, answer, &error);

    if (status == PL_OK || status == PL_NOMEM || status == PL_TOO_LARGE)
        return status;
    pl_buf_clear(answer);
    snprintf(reason, sizeof reason, "error %" PRIu32, error);
    note_trouble(s, value, 0,
                 status == PL_CORRUPT ? "more than there was room for"
                                      : reason);
    s->registry->let_go(s->registry); /* its providers begin anew */
    return PL_OK;
}

/* Add the wanted objects of a result, and report what is wrong with it. */
static enum pl_status take(struct pl_sampler *s, size_t q, struct pl_buf *out)
{
    const struct pl_value_query *query = &s->choice.queries[q];
    const struct pl_intake_from from = { &s->answers[q], query->by_paths,
                                         false };
    struct pl_misfit misfit;
    enum pl_status status = pl_intake_take(&s->intake, &from, out, &misfit);

    if (misfit.reason)
        note_trouble(s, query->value, misfit.at, misfit.reason);
    return status;
}

/* Tables do not get the names of what is there, or is perflog's own. */
static bool is_taken(const void *context, struct pl_text name)
{
    const struct pl_sampler *s = context;

    return pl_pattern_match(pl_text_of(PL_SELF_NAME), name) ||
           pl_pattern_match(pl_text_of(PL_PUBLISHED_NAME), name) ||
           pl_intake_has(&s->intake, name);
}

static enum pl_status read_published(struct pl_sampler *s, int64_t perf_freq)
{
    const uint64_t most_ns = 250000000, least_ns = 10000000;
    uint64_t budget_ns = s->interval_ns ? s->interval_ns / 10 : most_ns;
    struct pl_published_wish wish = { .perf_freq = perf_freq,
                                      .is_there = is_taken,
                                      .context = s };

    budget_ns = budget_ns > most_ns ? most_ns : budget_ns;
    wish.budget_ns = (int64_t)(budget_ns < least_ns ? least_ns : budget_ns);
    return s->published->read(s->published, &wish, &s->published_answer);
}

/* Add what applications publish, but not what Windows has told of. */
static enum pl_status take_published(struct pl_sampler *s, int64_t perf_freq,
                                     struct pl_buf *out)
{
    const struct pl_intake_from from = { &s->published_answer,
                                         s->choice.published_by_paths, true };
    struct pl_misfit misfit;
    enum pl_status status;

    if (!s->published || s->intake.titles_taken)
        return PL_OK;
    status = read_published(s, perf_freq > 0 ? perf_freq : PERF_FREQ);
    if (s->published->left_out && !*s->trouble)
        snprintf(s->trouble, sizeof s->trouble,
                 "applications publish more tables or titles than a recording "
                 "has room for; some are left out until it is begun again");
    return status ? status : pl_intake_take(&s->intake, &from, out, &misfit);
}

/* The header of Windows' own, or ours where that is none. */
static bool begin_block(struct pl_sampler *s, const struct pl_tick *tick,
                        struct pl_block *header, struct pl_buf *out)
{
    const struct pl_block_stamp stamp = {
        .utc_ns = tick->utc_ns,
        .perf_time = tick->boot_ns / 100,
        .perf_freq = PERF_FREQ,
        .perf_time_100ns = tick->utc_ns / 100 + EPOCH_100NS,
    };

    if (s->answers[0].len &&
        !pl_block_parse(header, s->answers[0].p, s->answers[0].len) &&
        pl_intake_is_usual(header)) {
        pl_block_subset_begin(out, header);
        return true;
    }
    pl_buf_clear(out);
    pl_put_block(out, &stamp, s->host_utf16.p, s->host_utf16.len);
    return false;
}

static void put_self(struct pl_sampler *s, const struct pl_tick *tick,
                     const struct pl_logger_stats *stats, struct pl_buf *out)
{
    struct pl_self *self = &s->self;

    pl_process_facts_read(&self->process);
    self->recorder = *stats;
    self->last_lateness_us = stats->last_lateness_100ns / 10;
    self->last_collection_us = stats->last_collection_100ns / 10;
    if (!self->started_100ns)
        self->started_100ns = (uint64_t)tick->boot_ns / 100;
    self->instances = s->intake.instances;
    pl_self_put(out, self, tick->boot_ns / 100);
    s->intake.num_objects++;
}

enum pl_status pl_sampler_read(struct pl_sampler *s, const struct pl_tick *tick,
                               const struct pl_logger_stats *stats,
                               struct pl_buf *block)
{
    enum pl_status status = PL_OK;
    struct pl_block header;
    bool theirs;

    s->trouble[0] = 0;
    pl_intake_begin(&s->intake);
    for (size_t q = 0; q < s->choice.num_queries && !status; q++)
        status = ask(s, q);
    theirs = begin_block(s, tick, &header, block);
    for (size_t q = 0; q < s->choice.num_queries && !status; q++)
        status = take(s, q, block);
    if (!status)
        status =
            take_published(s, theirs ? header.perf_freq : PERF_FREQ, block);
    if (status)
        return status;
    if (!s->intake.titles_taken)
        put_self(s, tick, stats, block);
    if (theirs)
        pl_block_subset_end(block, &header, (uint32_t)s->intake.num_objects);
    else
        pl_put_block_close(block, 0, (uint32_t)s->intake.num_objects,
                           DEFAULT_OBJECT);
    if (block->oom)
        return PL_NOMEM;
    if (block->len > PL_MAX_BLOCK_LEN)
        return PL_TOO_LARGE;
    if (s->published)
        s->published->reported(s->published);
    return PL_OK;
}

const char *pl_sampler_fallback(const struct pl_sampler *s)
{
    (void)s;
    return NULL;
}

const char *pl_sampler_trouble(const struct pl_sampler *s)
{
    return *s->trouble ? s->trouble : NULL;
}

/* Windows' own providers come and go unseen. */
/* Process's instances have a name and a number only. */
struct pl_buf *pl_sampler_identities(struct pl_sampler *s)
{
    (void)s;
    return NULL;
}

bool pl_sampler_news(struct pl_sampler *s, enum pl_note_kind *kind,
                     char text[PL_NEWS_TEXT])
{
    (void)s;
    (void)kind;
    (void)text;
    return false;
}

/* ---- opening ------------------------------------------------------------ */

static bool fits(const struct pl_sampler *s, const struct pl_counter_path *path,
                 struct pl_object o)
{
    struct pl_counter_def c;

    if (!pl_names_fit(&s->labels.names, path->object, o.title_index))
        return false;
    while (!pl_counter_next(&o, &c))
        if (pl_names_fit(&s->labels.names, path->counter, c.title_index))
            return true;
    return false;
}

static bool is_in(const struct pl_sampler *s, const struct pl_buf *answer,
                  const struct pl_counter_path *path)
{
    struct pl_block block;
    struct pl_object o;

    if (!answer->len || pl_block_parse(&block, answer->p, answer->len))
        return false;
    while (!pl_object_next(&block, &o))
        if (fits(s, path, o))
            return true;
    return false;
}

static bool is_in_answers(const struct pl_sampler *s,
                          const struct pl_counter_path *path)
{
    for (size_t q = 0; q < s->choice.num_queries; q++)
        if (is_in(s, &s->answers[q], path))
            return true;
    return is_in(s, &s->published_answer, path);
}

/* Regions of which nothing is chosen are not looked at any more. */
static void drop_unwanted(struct pl_sampler *s)
{
    const struct pl_counter_path_list *paths = s->choice.paths;
    bool wanted = !s->choice.published_by_paths;

    for (size_t i = 0; paths && i < paths->num; i++)
        wanted = wanted || is_in(s, &s->published_answer, &paths->paths[i]);
    if (wanted)
        return;
    s->published->close(s->published);
    s->published = NULL;
    s->labels.names.published = NULL;
}

/* Every path must match something that Windows has now. */
static enum pl_status check_paths(struct pl_sampler *s, const char **why)
{
    const struct pl_counter_path_list *paths = s->choice.paths;
    enum pl_status status = PL_OK;

    for (size_t q = 0; q < s->choice.num_queries && !status; q++)
        status = ask(s, q);
    if (s->published && !status)
        status = read_published(s, PERF_FREQ);
    for (size_t i = 0; paths && i < paths->num && !status; i++)
        if (!pl_self_fits(&paths->paths[i]) &&
            !is_in_answers(s, &paths->paths[i])) {
            *why = paths->texts[i];
            status = PL_USAGE;
        }
    s->self.read_errors = 0; /* absent values are not errors */
    if (s->published && !status)
        drop_unwanted(s);
    return status;
}

/* Windows collects all objects in one call: none has a cost of its own. */
static bool asks_for_costs(const struct pl_counter_path_list *paths)
{
    const struct pl_text name = pl_text_of("Performance Logger Source");

    for (size_t i = 0; paths && i < paths->num; i++)
        if (pl_pattern_is_literal(paths->paths[i].object) &&
            pl_pattern_match(paths->paths[i].object, name))
            return true;
    return false;
}

/* Its titles have numbers far behind all that Windows has. */
static enum pl_status open_published(struct pl_sampler *s)
{
    const struct pl_title_text *list = &s->labels.names.lists[0];
    uint32_t last = list->num ? list->titles[list->num - 1].index : 0;
    uint32_t first = PL_PUBLISHED_FIRST;
    enum pl_status status;

    if (last > INT32_MAX - PL_PUBLISHED_AWAY - PL_PUBLISHED_MOST)
        return PL_OK; /* there is no room */
    if (last > PL_PUBLISHED_FIRST - PL_PUBLISHED_AWAY)
        first = (last + PL_PUBLISHED_AWAY) & ~1u;
    status = pl_published_open(&s->published, first);
    if (!status)
        s->labels.names.published = s->published->titles;
    return status;
}

static enum pl_status init(struct pl_sampler *s,
                           const struct pl_sampler_options *options,
                           const char **why)
{
    enum pl_status status =
        pl_windows_registry_open(&s->registry, options->host, why);

    s->intake.choice = &s->choice;
    s->intake.labels = &s->labels;
    if (!status)
        status =
            pl_labels_fetch(&s->labels, s->registry, options->language, why);
    if (!status)
        status = pl_self_label(s->labels.titles);
    if (!status && !options->host)
        status = open_published(s);
    if (status)
        return status;
    pl_counter_filter_make(&s->choice, options->choice, options->all,
                           &s->labels.names);
    s->interval_ns = options->interval_ns;
    pl_machine_facts_read(&s->facts);
    if (options->host)
        snprintf(s->facts.host, sizeof s->facts.host, "%s",
                 options->host + strspn(options->host, "\\"));
    pl_utf8_to_utf16(&s->host_utf16, s->facts.host, strlen(s->facts.host));
    return s->host_utf16.oom ? PL_NOMEM : check_paths(s, why);
}

enum pl_status pl_sampler_open(struct pl_sampler **out,
                               const struct pl_sampler_options *options,
                               const char **why)
{
    struct pl_sampler *s = calloc(1, sizeof *s);
    enum pl_status status;

    if (!s)
        return PL_NOMEM;
    if (asks_for_costs(options->choice)) {
        *why = "--forecast and Performance Logger Source need Linux";
        free(s);
        return PL_UNSUPPORTED;
    }
    status = init(s, options, why);
    if (status)
        pl_sampler_close(s);
    else
        *out = s;
    return status;
}

void pl_sampler_close(struct pl_sampler *s)
{
    if (!s)
        return;
    if (s->registry)
        s->registry->close(s->registry);
    if (s->published)
        s->published->close(s->published);
    pl_buf_release(&s->published_answer);
    pl_intake_release(&s->intake);
    pl_labels_release(&s->labels);
    for (size_t q = 0; q < PL_MAX_QUERIES; q++)
        pl_buf_release(&s->answers[q]);
    pl_buf_release(&s->host_utf16);
    free(s);
}

void pl_sampler_describe(const struct pl_sampler *s, struct pl_session *session)
{
    session->host = pl_text_of(s->facts.host);
    session->machine_hash = s->facts.machine_hash;
    session->os = pl_text_of(s->facts.os);
    session->architecture = pl_text_of(s->facts.architecture);
    session->num_cpus = s->facts.num_cpus;
    session->page_size = s->facts.page_size;
    session->interval_ns = s->interval_ns;
    session->provider = pl_text_of(PL_PROVIDER_WINDOWS);
}

const struct pl_titles *pl_sampler_titles(const struct pl_sampler *s,
                                          uint32_t *generation)
{
    *generation = s->labels.generation + 1;
    return s->labels.titles;
}

/* Windows has no list of what it could count. */
enum pl_status pl_sampler_missing(void (*report)(void *context,
                                                 const char *path,
                                                 const char *why),
                                  void *context)
{
    (void)report;
    (void)context;
    return PL_UNSUPPORTED;
}
