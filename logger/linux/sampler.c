/* Implements sampler.h: one block per call, made by the tables of objects. */
#include "logger/sampler.h"

#include "format/base/file.h"
#include "format/time/time_text.h"
#include "format/record/record.h"
#include "format/base/utf.h"
#include "format/block/winperf.h"
#include "logger/linux/processes/bpf/counter.h"
#include "logger/linux/processes/bpf/program.h"
#include "logger/linux/identity/identity.h"
#include "logger/linux/tables/counter_filter.h"
#include "logger/linux/block/layout.h"
#include "logger/linux/machine/machine.h"
#include "logger/linux/published/regions.h"
#include "logger/linux/source_kinds.h"
#include "logger/linux/sources/cgroups.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum { MACHINE_ID_LEN = 32, INDEX_PROCESSOR = 238, REASON_ROOM = 1024 };

struct pl_sampler {
    struct pl_machine machine;
    struct pl_counter_filter choice;  /* for objects published later */
    struct pl_object_layout *layouts; /* one per object */
    size_t num_layouts;
    struct pl_titles *titles;
    uint32_t generation; /* of titles */
    uint64_t interval_ns;
    struct pl_buf host_utf16;
    struct utsname uts;
    char os[2 * sizeof((struct utsname *)0)->release];
    uint64_t machine_hash;
    uint8_t boot_id[PL_BOOT_ID_LEN];
    char process_reason[REASON_ROOM];    /* empty: there is none */
    struct pl_identity_tracker *tracker; /* NULL: Process is not recorded */
    struct pl_process_counter *counter;  /* NULL: processes are listed */
    bool tried_counter;
    struct pl_buf identities;
};

/* ---- facts of the machine ----------------------------------------------- */

/* The hexadecimal digits of a small file without dashes; returns how many. */
static size_t read_hex(int dir, const char *path, char *out, size_t cap)
{
    char text[64];
    int fd = openat(dir, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof text);
    size_t n = 0;

    if (fd >= 0)
        close(fd);
    for (ssize_t i = 0; i < got && n < cap; i++)
        if (strchr("0123456789abcdef", text[i]) && text[i])
            out[n++] = text[i];
        else if (text[i] != '-')
            break;
    return n;
}

static uint8_t nibble(char c)
{
    return (uint8_t)(c <= '9' ? c - '0' : c - 'a' + 10);
}

static void learn_facts(struct pl_sampler *s)
{
    char hex[MACHINE_ID_LEN];

    uname(&s->uts);
    snprintf(s->os, sizeof s->os, "%s %s", s->uts.sysname, s->uts.release);
    pl_utf8_to_utf16(&s->host_utf16, s->uts.nodename, strlen(s->uts.nodename));
    if (read_hex(AT_FDCWD, "/etc/machine-id", hex, sizeof hex) == sizeof hex)
        s->machine_hash = pl_hash(hex, sizeof hex, 0);
    if (read_hex(s->machine.proc, "sys/kernel/random/boot_id", hex,
                 sizeof hex) == sizeof hex)
        for (size_t i = 0; i < PL_BOOT_ID_LEN; i++)
            s->boot_id[i] =
                (uint8_t)(nibble(hex[2 * i]) << 4 | nibble(hex[2 * i + 1]));
}

static uint32_t positive(long v)
{
    return v > 0 ? (uint32_t)v : 0;
}

/* Why processes are not read by BPF; NULL: they are, or it is unavailable. */
static const char *why_not_bpf(const struct pl_machine *m)
{
    return m->live && m->sources[PL_PROCESS] && !m->tasks ? m->why : NULL;
}

/* Likewise, and why processes are not seen to end. */
static void learn_reason(struct pl_sampler *s)
{
    const struct pl_machine *m = &s->machine;
    const char *why = why_not_bpf(m), *no_exits = m->why_no_exits;

    if (!m->live || !m->sources[PL_PROCESS] || m->tasks)
        return;
    if (no_exits)
        snprintf(s->process_reason, sizeof s->process_reason,
                 "%s; nor are ended processes seen, by taskstats: %s",
                 why ? why : "it was not asked for", no_exits);
    else if (why)
        snprintf(s->process_reason, sizeof s->process_reason, "%s", why);
}

void pl_sampler_describe(const struct pl_sampler *s, struct pl_session *session)
{
    session->host = pl_text_of(s->uts.nodename);
    session->machine_hash = s->machine_hash;
    memcpy(session->boot_id, s->boot_id, sizeof session->boot_id);
    session->os = pl_text_of(s->os);
    session->architecture = pl_text_of(s->uts.machine);
    session->num_cpus = positive(sysconf(_SC_NPROCESSORS_ONLN));
    session->page_size = positive(sysconf(_SC_PAGESIZE));
    session->clock_ticks = positive(sysconf(_SC_CLK_TCK));
    session->interval_ns = s->interval_ns;
    session->provider = pl_text_of(PL_PROVIDER_LINUX);
    session->perf_freq = PL_PERF_FREQ;
    session->perf_source = pl_text_of("CLOCK_MONOTONIC");
    if (s->machine.sources[PL_PROCESS])
        session->process_path = pl_text_of(s->machine.tasks ? "bpf" : "proc");
    session->process_reason = pl_text_of(s->process_reason);
}

const char *pl_sampler_fallback(const struct pl_sampler *s)
{
    return pl_task_program_is_expected() ? why_not_bpf(&s->machine) : NULL;
}

const struct pl_titles *pl_sampler_titles(const struct pl_sampler *s,
                                          uint32_t *generation)
{
    *generation = s->generation;
    return s->titles;
}

/* ---- opening ------------------------------------------------------------ */

/* Only objects on request are selected, and this machine has none of them. */
static bool has_nothing(const struct pl_sampler *s)
{
    size_t num = 0;

    for (size_t i = 0; i < s->num_layouts; i++) {
        const struct pl_object_layout *l = &s->layouts[i];

        if (l->def->always || !l->num_cells)
            continue;
        if (l->def->default_from != PL_ON_REQUEST || !pl_object_layout_none(l))
            return false;
        num++;
    }
    return num && !s->machine.regions;
}

/* Every path must match something that will be recorded. */
static enum pl_status check_paths(const struct pl_sampler *s,
                                  const struct pl_counter_filter *choice,
                                  const char **why)
{
    const struct pl_counter_path_list *list = choice->list;

    for (size_t i = 0; list && i < list->num; i++) {
        bool found = false;

        for (size_t o = 0; o < s->num_layouts && !found; o++)
            found =
                pl_path_fits(choice, &list->paths[i], s->layouts[o].def) &&
                pl_object_layout_has(&s->layouts[o], list->paths[i].counter);
        if (!found && s->machine.regions)
            found = pl_published_fits(pl_regions_tables(s->machine.regions),
                                      &list->paths[i]);
        if (!found) {
            *why = list->texts[i];
            return PL_USAGE;
        }
    }
    if (list && list->replaces && list->num && has_nothing(s)) {
        *why = list->texts[0];
        return PL_USAGE;
    }
    return PL_OK;
}

static bool is_about_published(const struct pl_object_def *o)
{
    return o->sources[0] == PL_PROVIDERS || o->sources[0] == PL_PROVIDER_LIMITS;
}

/* Is any published object selected, or one about them? */
static bool wants_published(const struct pl_sampler *s)
{
    const struct pl_counter_path_list *list = s->choice.list;
    bool wants = s->choice.all || !list || !list->replaces;

    for (size_t i = 0; list && i < list->num && !wants; i++) {
        const struct pl_counter_path *path = &list->paths[i];

        wants = pl_published_fits(pl_regions_tables(s->machine.regions), path);
        for (size_t o = 0; o < pl_num_objects && !wants; o++)
            wants = is_about_published(pl_objects[o]) &&
                    pl_path_fits(&s->choice, path, pl_objects[o]);
    }
    return wants;
}

/* Is the object Process recorded? */
static bool has_processes(const struct pl_sampler *s)
{
    for (size_t i = 0; i < s->num_layouts; i++)
        if (s->layouts[i].def->sources[0] == PL_PROCESS &&
            s->layouts[i].num_cells)
            return true;
    return false;
}

static enum pl_status init(struct pl_sampler *s,
                           const struct pl_sampler_options *options,
                           const char **why)
{
    struct pl_counter_filter choice = { .list = options->choice,
                                        .all = options->all };
    enum pl_status status =
        pl_machine_open(&s->machine, options, pl_source_kinds);

    if (status)
        return status;
    s->interval_ns = options->interval_ns;
    learn_facts(s);
    choice.host = pl_text_of(s->uts.nodename);
    s->choice = choice;
    if (s->machine.live)
        status = pl_regions_open(&s->machine.regions, &s->machine, &s->choice,
                                 options->interval_ns, true);
    if (s->machine.regions && !status && !wants_published(s)) {
        pl_regions_close(s->machine.regions);
        s->machine.regions = NULL;
    }
    if (!status)
        status = pl_titles_new(&s->titles);
    s->layouts = calloc(pl_num_objects, sizeof *s->layouts);
    s->machine.costs = calloc(pl_num_objects, sizeof *s->machine.costs);
    if (status || !s->layouts || !s->machine.costs || s->host_utf16.oom)
        return PL_NOMEM;
    for (size_t i = 0; i < pl_num_objects; i++)
        s->machine.costs[i].name = pl_objects[i]->name;
    s->machine.num_costs = pl_num_objects;
    while (s->num_layouts < pl_num_objects && !status) {
        struct pl_object_layout *l = &s->layouts[s->num_layouts];

        status = pl_object_layout_init(l, &s->machine,
                                       pl_objects[s->num_layouts++], &choice);
    }
    if (!status && has_processes(s))
        status = pl_identity_tracker_new(
            &s->tracker, &s->machine,
            options->identify_at_once ? INT64_MAX
                                      : (int64_t)options->interval_ns / 2,
            options->no_command_lines);
    s->machine.read_errors = 0; /* absent files are not errors */
    learn_reason(s);
    return status ? status : check_paths(s, &choice, why);
}

enum pl_status pl_sampler_open(struct pl_sampler **out,
                               const struct pl_sampler_options *options,
                               const char **why)
{
    struct pl_sampler *s = calloc(1, sizeof *s);
    enum pl_status status;

    if (!s)
        return PL_NOMEM;
    if (options->host || options->language) {
        *why = "--host and --language need Windows";
        free(s);
        return PL_UNSUPPORTED;
    }
    status = init(s, options, why);
    if (status == PL_UNSUPPORTED || status == PL_IO)
        *why = s->machine.why;
    if (status) {
        PL_KEEP_ERRNO;

        pl_sampler_close(s);
        return status;
    }
    *out = s;
    return PL_OK;
}

void pl_sampler_close(struct pl_sampler *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->num_layouts; i++)
        pl_object_layout_release(&s->layouts[i]);
    free(s->layouts);
    free(s->machine.costs);
    pl_identity_tracker_free(s->tracker);
    pl_process_counter_close(s->counter);
    pl_buf_release(&s->identities);
    pl_regions_close(s->machine.regions);
    pl_machine_close(&s->machine);
    pl_titles_free(s->titles);
    pl_buf_release(&s->host_utf16);
    free(s);
}

/* ---- one sample --------------------------------------------------------- */

/* Charge an object with the costs since 'before'. */
static void charge(struct pl_cost *c, const struct pl_machine *m,
                   const struct pl_machine *before, int64_t begun_ns)
{
    c->times++;
    c->collected_ns += (uint64_t)(pl_clock_steady() - begun_ns);
    c->system_calls += m->system_calls - before->system_calls;
    c->read_errors += m->read_errors - before->read_errors;
    c->bytes_read += m->bytes_read - before->bytes_read;
    c->instances = m->instances - before->instances;
}

/* Move the cost of reading Process early from 'c' to Process. */
static void hand_over(struct pl_machine *m, struct pl_cost *c)
{
    size_t i = 0;

    while (pl_objects[i]->sources[0] != PL_PROCESS)
        i++;
    c->collected_ns -= m->ahead.collected_ns;
    c->system_calls -= m->ahead.system_calls;
    c->read_errors -= m->ahead.read_errors;
    c->bytes_read -= m->ahead.bytes_read;
    m->costs[i].collected_ns += m->ahead.collected_ns;
    m->costs[i].system_calls += m->ahead.system_calls;
    m->costs[i].read_errors += m->ahead.read_errors;
    m->costs[i].bytes_read += m->ahead.bytes_read;
}

static enum pl_status write_measured(struct pl_sampler *s, size_t i,
                                     struct pl_buf *block, bool *written)
{
    struct pl_machine *m = &s->machine;
    const struct pl_machine before = *m;
    size_t at = block->len;
    int64_t begun_ns = m->measures ? pl_clock_steady() : 0;
    enum pl_status status;

    m->ahead = (struct pl_cost){ 0 };
    status = pl_object_layout_write(&s->layouts[i], m, block, written);
    if (m->measures && !status && *written) {
        charge(&m->costs[i], m, &before, begun_ns);
        hand_over(m, &m->costs[i]);
        m->costs[i].bytes = block->len - at;
    }
    return status;
}

static enum pl_status write_object(struct pl_sampler *s, size_t i,
                                   struct pl_buf *block, uint32_t *num)
{
    struct pl_object_layout *l = &s->layouts[i];
    bool written;
    enum pl_status status = write_measured(s, i, block, &written);

    if (status || !written)
        return status;
    ++*num;
    if (l->labelled)
        return PL_OK;
    s->generation++;
    status = pl_object_layout_label(l, s->titles);
    l->labelled = !status;
    return status;
}

/* Scan the published regions, as close to the tick as possible. */
static void scan_regions(struct pl_machine *m)
{
    if (!m->regions)
        return;
    pl_regions_scan(m->regions);
    if (m->sources[PL_PROVIDERS] && pl_regions_num(m->regions))
        pl_source_set_readable(m->sources[PL_PROVIDERS], true);
    if (m->sources[PL_PROVIDER_LIMITS] && pl_regions_have_refused(m->regions))
        pl_source_set_readable(m->sources[PL_PROVIDER_LIMITS], true);
}

/* Written before the last object, which counts the others. */
static enum pl_status write_published(struct pl_sampler *s,
                                      struct pl_buf *block, uint32_t *num)
{
    struct pl_machine *m = &s->machine;

    return m->regions
               ? pl_published_write(pl_regions_tables(m->regions), m, block,
                                    num, s->titles, &s->generation)
               : PL_OK;
}

/* After the block, so that no counter is read later because of it. */
static void follow_processes(struct pl_sampler *s)
{
    const struct pl_source *processes = s->machine.sources[PL_PROCESS];

    if (s->tracker && processes && processes->tick == s->machine.tick &&
        processes->readable)
        pl_identity_tracker_follow(s->tracker, processes, &s->identities);
}

/* So many are listed at less cost than a BPF program is loaded. */
enum { MOST_LISTED = 100 };

static bool count_by_bpf(void *counter, uint64_t *n)
{
    return pl_process_counter_read(counter, n);
}

/* Where each sample lists the processes only to count them, have them counted by
 * BPF from the next one on. */
static void stop_listing(struct pl_sampler *s)
{
    struct pl_machine *m = &s->machine;

    if (s->tried_counter || m->pids.num <= MOST_LISTED || m->head_count.agrees)
        return;
    s->tried_counter = true;
    if (m->live && m->way != PL_PROCESSES_PROC && !m->sources[PL_PROCESS])
        s->counter = pl_process_counter_open();
    if (s->counter)
        pl_process_count_use(m, count_by_bpf, s->counter);
}

struct pl_buf *pl_sampler_identities(struct pl_sampler *s)
{
    return &s->identities;
}

/* Unreadable sources are absent, and Read Errors/sec counts them. */
const char *pl_sampler_trouble(const struct pl_sampler *s)
{
    (void)s;
    return NULL;
}

/* The sample is lost. */
static void undo(struct pl_machine *m)
{
    for (size_t i = 0; i < PL_NUM_SOURCES; i++)
        pl_source_undo(m->sources[i]);
}

enum pl_status pl_sampler_read(struct pl_sampler *s, const struct pl_tick *tick,
                               const struct pl_logger_stats *stats,
                               struct pl_buf *block)
{
    struct pl_machine *m = &s->machine;
    struct pl_block_stamp stamp = {
        .utc_ns = tick->utc_ns,
        .perf_time = tick->monotonic_ns / 100,
        .perf_freq = PL_PERF_FREQ,
        .perf_time_100ns = m->wall_100ns + tick->monotonic_ns / 100,
    };
    enum pl_status status = PL_OK;
    uint32_t num = 0;
    size_t at;

    m->tick++;
    m->now = *tick;
    m->stats = stats;
    m->instances = 0;
    pl_buf_clear(block);
    at = pl_put_block(block, &stamp, s->host_utf16.p, s->host_utf16.len);
    scan_regions(m);
    for (size_t i = 0; i < s->num_layouts && !status; i++) {
        if (i + 1 == s->num_layouts)
            status = write_published(s, block, &num);
        if (!status)
            status = write_object(s, i, block, &num);
    }
    pl_put_block_close(block, at, num, INDEX_PROCESSOR);
    if (!status && block->oom)
        status = PL_NOMEM;
    if (status) {
        undo(m);
        return status;
    }
    stop_listing(s);
    follow_processes(s);
    return PL_OK;
}

bool pl_sampler_news(struct pl_sampler *s, enum pl_note_kind *kind,
                     char text[PL_NEWS_TEXT])
{
    if (s->machine.regions &&
        pl_regions_news(s->machine.regions, kind, text, PL_NEWS_TEXT))
        return true;
    *kind = PL_NOTE_TEXT;
    return pl_cgroups_news(s->machine.sources[PL_CGROUPS], text, PL_NEWS_TEXT);
}
