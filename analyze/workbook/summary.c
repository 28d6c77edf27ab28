/* Writes the first sheet. */
#include "analyze/workbook/summary.h"

#include "analyze/query/default_series.h"
#include "analyze/workbook/cells.h"
#include "format/time/time_text.h"
#include "format/time/zone.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILES = 100 }; /* files that are named one by one */
enum { NUM_COLUMNS = 8 };
enum { LINES_MOST = 3, INDENT = 2 }; /* of text in a cell */
static const int widths[NUM_COLUMNS] = { 36, 25, 25, 12, 16, 12, 16, 80 };

struct lines {
    struct pl_xlsx_book *book;
    struct pl_xlsx_at at;
    uint32_t high; /* lines of text in this row, beyond the first */
};

/* ---- cells --------------------------------------------------------------- */

static void end_summary_line(struct lines *l)
{
    if (l->high)
        pl_xlsx_set_lines(l->book, l->at, l->high + 1);
    l->high = 0;
    l->at.row++;
    l->at.column = 0;
}

static void section(struct lines *l, const char *name)
{
    end_summary_line(l);
    pl_xlsx_put_section(l->book, l->at, name, strlen(name));
    end_summary_line(l);
}

static void header(struct lines *l, const char *const names[NUM_COLUMNS])
{
    for (; l->at.column < NUM_COLUMNS; l->at.column++)
        if (names[l->at.column])
            pl_xlsx_put_header(l->book, l->at, names[l->at.column],
                               strlen(names[l->at.column]));
    end_summary_line(l);
}

/* Text in its column, in as many lines as it needs, within bounds. */
static void put_part(struct lines *l, struct pl_text t)
{
    struct pl_buf fit = { 0 };
    uint32_t width = (uint32_t)widths[l->at.column] - INDENT;

    pl_xlsx_text(&fit, t.p, t.n, (size_t)width * LINES_MOST);
    l->book->oom |= fit.oom;
    if (fit.len && !fit.oom) {
        uint32_t high = (uint32_t)(fit.len - 1) / width;

        pl_xlsx_put_wrapped(l->book, l->at, (const char *)fit.p, fit.len);
        l->high = high > l->high ? high : l->high;
    }
    pl_buf_release(&fit);
    l->at.column++;
}

static void put_words(struct lines *l, const char *text)
{
    put_part(l, pl_text_of(text));
}

/* Text with nothing beside it, however long. */
static void put_last(struct lines *l, const char *text)
{
    if (*text)
        pl_xlsx_put_text(l->book, l->at, text, strlen(text));
    end_summary_line(l);
}

static void put_figure(struct lines *l, double v, enum pl_figure_unit unit)
{
    const struct pl_value value = { .kind = PL_VALUE_DOUBLE, .number = v };

    pl_xlsx_put_value(l->book, l->at, &value, unit);
    l->at.column++;
}

static void put_count(struct lines *l, uint64_t n)
{
    const struct pl_value value = { .kind = PL_VALUE_INTEGER, .integer = n };

    pl_xlsx_put_value(l->book, l->at, &value, PL_UNIT_NUMBER);
    l->at.column++;
}

static void put_time(struct lines *l, int64_t utc_ns)
{
    pl_xlsx_put_time(l->book, l->at, utc_ns);
    l->at.column++;
}

/* ---- hosts --------------------------------------------------------------- */

static void put_title(struct lines *l, const struct pl_query *e)
{
    char from[PL_INSTANT_TEXT], to[PL_INSTANT_TEXT], text[512];
    const size_t day = strlen("2026-11-22 ");

    pl_zone_text(e->first_ns, from);
    pl_zone_text(e->last_ns, to);
    if (e->registry.num_hosts == 1)
        snprintf(text, sizeof text, "%.200s", e->registry.hosts->name);
    else
        snprintf(text, sizeof text, "%" PRIu32 " hosts", e->registry.num_hosts);
    snprintf(text + strlen(text), sizeof text - strlen(text),
             ", %s to %s %.100s", from,
             strncmp(from, to, day) != 0 ? to : to + day, pl_zone_name());
    pl_xlsx_put_title(l->book, l->at, text, strlen(text));
    end_summary_line(l);
}

static const char *end_text(const struct pl_xlsx_host *h)
{
    const struct pl_log_counts *t = &h->counts;

    if (h->live)
        return "; still being recorded";
    if (t->ended || t->rotated)
        return "";
    return "; not ended: the recorder was killed, or the machine went down";
}

static void put_health(struct lines *l, const struct pl_xlsx_host *h)
{
    const struct pl_log_counts *t = &h->counts;
    const bool whole = pl_log_counts_exit(t) == PL_EXIT_GOOD;
    char health[PL_HEALTH_TEXT], lost[PL_LOST_TEXT];
    char text[PL_HEALTH_TEXT + PL_LOST_TEXT + 100];
    const char *missed = pl_log_counts_lost(t, lost);

    snprintf(text, sizeof text, "%s%s%s%s%s", whole ? "whole" : "not whole: ",
             whole ? "" : pl_log_counts_health(t, health), missed ? "; " : "",
             missed ? missed : "", end_text(h));
    put_words(l, text);
}

static void put_host(struct lines *l, const struct pl_xlsx_host *h)
{
    const struct pl_log_counts *t = &h->counts;
    const double ms = pl_log_counts_sample_ms(t);
    char text[PL_DURATION_TEXT];

    put_words(l, h->name);
    if (t->samples) {
        put_time(l, pl_row_time(t->first_utc, t->interval_ns));
        put_time(l, pl_row_time(t->last_utc, t->interval_ns));
    }
    l->at.column = 3;
    put_words(l,
              t->interval_ns ? pl_duration_text(t->interval_ns, text) : "none");
    put_count(l, t->samples);
    put_count(l, pl_log_counts_missed(t));
    if (!isnan(ms))
        put_figure(l, ms, PL_UNIT_NUMBER);
    l->at.column = NUM_COLUMNS - 1;
    put_health(l, h);
    end_summary_line(l);
}

static const char *const host_names[NUM_COLUMNS] = {
    "Host",   "Recorded from", "to", "Interval", "Samples",
    "Missed", "CPU ms/sample", "Log"
};

/* Of many hosts, it is named above all the others. */
static bool has_losses(const struct pl_xlsx_host *h)
{
    const struct pl_log_counts *t = &h->counts;
    char lost[PL_LOST_TEXT];

    return pl_log_counts_exit(t) != PL_EXIT_GOOD || pl_log_counts_missed(t) ||
           pl_log_counts_lost(t, lost) || *end_text(h);
}

static void put_all_hosts(struct lines *l, const struct pl_xlsx_summary *s)
{
    header(l, host_names);
    for (size_t i = 0; i < s->hosts.num; i++)
        put_host(l, &s->hosts.hosts[i]);
}

static void put_many_hosts(struct lines *l, const struct pl_xlsx_summary *s)
{
    enum { MOST = 5 };
    uint64_t samples = 0;
    size_t bad = 0, named = 0;
    char text[200];

    for (size_t i = 0; i < s->hosts.num; i++) {
        samples += s->hosts.hosts[i].counts.samples;
        bad += has_losses(&s->hosts.hosts[i]);
    }
    snprintf(text, sizeof text,
             "%zu hosts, %" PRIu64
             " samples; %zu %s whole and ended%s; each is "
             "listed below, under Hosts",
             s->hosts.num, samples, s->hosts.num - bad,
             s->hosts.num - bad == 1 ? "log is" : "logs are",
             !bad       ? ""
             : bad == 1 ? ", and this one is not"
                        : ", and these are not");
    put_last(l, text);
    if (bad)
        header(l, host_names);
    for (size_t i = 0; i < s->hosts.num && named < MOST; i++)
        if (has_losses(&s->hosts.hosts[i])) {
            put_host(l, &s->hosts.hosts[i]);
            named++;
        }
    if (bad <= named)
        return;
    snprintf(text, sizeof text, "and %zu more", bad - named);
    put_last(l, text);
}

static bool are_many(const struct pl_xlsx_summary *s)
{
    return s->hosts.num > PL_XLSX_FEW_HOSTS;
}

static void put_hosts(struct lines *l, const struct pl_xlsx_summary *s)
{
    const struct pl_every *every = &s->e->plan->every;
    char text[PL_DURATION_TEXT], line[200];

    if (every->ns) {
        snprintf(line, sizeof line, "Rows are of %s each, made of all samples",
                 pl_duration_text((uint64_t)every->ns, text));
        put_last(l, line);
    }
    section(l, "Recording");
    if (are_many(s))
        put_many_hosts(l, s);
    else
        put_all_hosts(l, s);
}

/* ---- findings ------------------------------------------------------------ */

static void put_buffer(struct lines *l, const struct pl_buf *b)
{
    put_part(l, (struct pl_text){ (const char *)b->p, b->len });
}

static void put_finding(struct lines *l, const struct pl_xlsx_finding *f)
{
    put_buffer(l, &f->words);
    put_time(l, f->first_ns);
    put_time(l, f->last_ns);
    put_count(l, (uint64_t)(f->severity + 0.5));
    put_buffer(l, &f->process);
    if (f->share > 0)
        put_figure(l, 100 * f->share, PL_UNIT_PERCENT);
    l->at.column = NUM_COLUMNS - 2;
    put_buffer(l, &f->user);
    put_buffer(l, &f->evidence);
    end_summary_line(l);
}

static void put_findings(struct lines *l, const struct pl_xlsx_summary *s)
{
    static const char *const names[NUM_COLUMNS] = {
        "Finding", "From",     "to",   "Severity",
        "Process", "% of all", "User", "Evidence and command"
    };
    const struct pl_xlsx_findings *f = &s->findings;
    char text[100];

    section(l, "Findings");
    if (!s->diagnosed)
        put_last(l,
                 "neither they nor the busiest processes were looked for, as "
                 "counters were chosen; 'perflog diagnose' and 'perflog "
                 "top' show them");
    else if (!f->num)
        put_last(l, "none");
    else
        header(l, names);
    for (size_t i = 0; i < f->num; i++)
        put_finding(l, &f->list[i]);
    if (!f->more)
        return;
    snprintf(text, sizeof text,
             "%zu more, less severe; 'perflog diagnose' lists %s", f->more,
             f->more == 1 ? "it" : "them");
    put_last(l, text);
}

/* ---- vital series -------------------------------------------------------- */

static void put_vital(struct lines *l, const struct pl_xlsx_vital_line *v,
                      bool hosts)
{
    const struct pl_group *g = v->column->group;
    char median[32];

    put_words(l, pl_xlsx_counter_name(v->column));
    put_words(l, g->object->name);
    put_words(l, g->instance ? g->instance : "");
    if (v->has_values) {
        put_figure(l, v->mean, v->column->unit);
        put_figure(l, v->p95, v->column->unit);
        put_figure(l, v->max, v->column->unit);
    }
    l->at.column = NUM_COLUMNS - 2;
    snprintf(median, sizeof median, "median of %" PRIu32, v->num_hosts);
    if (hosts)
        put_words(l, v->num_hosts ? median : g->host->name);
    end_summary_line(l);
}

/* Vital series of one unit in a row share a scale. */
static void put_bars(struct lines *l, const struct pl_xlsx_vital_line *v,
                     size_t num, uint32_t first_row)
{
    struct pl_xlsx_at at = { PL_XLSX_ON_SUMMARY, first_row, 3 };

    for (size_t i = 0, end; i < num; i = end) {
        bool percent = v[i].column->unit == PL_UNIT_PERCENT;

        for (end = i; end < num && v[end].chart == v[i].chart;)
            end++;
        pl_xlsx_put_bars(l->book, at, (uint32_t)(end - i), 3,
                         percent ? 100 : 0);
        at.row += (uint32_t)(end - i);
    }
}

static void put_vital_lines(struct lines *l,
                            const struct pl_xlsx_vital_line *lines, size_t num,
                            bool hosts)
{
    const char *const names[NUM_COLUMNS] = {
        "Counter", "Object",  "Instance",           "Mean",
        "P95",     "Maximum", hosts ? "Host" : NULL
    };
    uint32_t first;

    header(l, names);
    first = l->at.row;
    for (size_t i = 0; i < num; i++)
        put_vital(l, &lines[i], hosts);
    put_bars(l, lines, num, first);
}

static void put_vitals(struct lines *l, struct pl_xlsx_summary *s)
{
    struct pl_xlsx_vital_line *lines;
    char text[100];
    size_t num, zeros;

    if (!s->vitals.num && !s->vitals.left_out)
        return;
    lines = pl_xlsx_vitals_lines(&s->vitals, &num, &zeros);
    if (!lines) {
        l->book->oom = true;
        return;
    }
    section(l, "Vital counters");
    if (s->vitals.many)
        put_last(l, "of each the two hosts with the highest mean, the median "
                    "of the hosts, and the host with the lowest mean");
    put_vital_lines(l, lines, num, s->e->registry.num_hosts > 1);
    if (zeros) {
        snprintf(text, sizeof text, "%zu more %s 0 all the time", zeros,
                 zeros == 1 ? "was" : "were");
        put_last(l, text);
    }
    if (s->vitals.left_out) {
        snprintf(text, sizeof text,
                 "%zu more do not fit; 'perflog stats' shows them",
                 s->vitals.left_out);
        put_last(l, text);
    }
    free(lines);
}

/* ---- processes ----------------------------------------------------------- */

static void put_process(struct lines *l, const struct pl_busy_process *p,
                        enum pl_figure_unit unit)
{
    put_words(l, (const char *)p->name.p);
    put_buffer(l, &p->host);
    put_buffer(l, &p->user);
    put_figure(l, p->mean, unit);
    put_figure(l, 100 * p->share, PL_UNIT_PERCENT);
    l->at.column = NUM_COLUMNS - 1;
    put_buffer(l, &p->command);
    end_summary_line(l);
}

static void put_processes(struct lines *l, const struct pl_busiest *b)
{
    static const char *const titles[PL_NUM_BUSIEST] = {
        [PL_BUSIEST_CPU] = "Processes by processor time",
        [PL_BUSIEST_IO] = "Processes by what they read and wrote",
        [PL_BUSIEST_MEMORY] = "Processes by memory",
    };

    for (enum pl_busiest_by by = 0; by < PL_NUM_BUSIEST; by++) {
        const char *const names[NUM_COLUMNS] = {
            "Process", "Host",     "User",
            "Mean",    "% of all", [NUM_COLUMNS - 1] = "Command"
        };

        if (!b->num[by])
            continue;
        section(l, titles[by]);
        if (b->keys_only)
            put_last(l, "of samples about a minute apart: processes that "
                        "lived shorter may be missing");
        header(l, names);
        for (size_t i = 0; i < b->num[by]; i++)
            put_process(l, &b->top[by][i],
                        pl_unit_of_counter(pl_busiest_counters[by]));
    }
}

/* ---- sheets, and what is missing ----------------------------------------- */

static void put_sheets(struct lines *l)
{
    section(l, "Sheets");
    for (size_t i = 1; i < l->book->num_all; i++) {
        pl_xlsx_put_link(l->book, l->at, l->book->all[i].name);
        end_summary_line(l);
    }
}

static void put_line_name(struct lines *l, const char *name)
{
    pl_xlsx_put_header(l->book, l->at, name, strlen(name));
    l->at.column = 1;
}

static void text_line(struct lines *l, const char *name, const char *text)
{
    put_line_name(l, name);
    put_last(l, text);
}

static void count_line(struct lines *l, const char *name, uint64_t count)
{
    put_line_name(l, name);
    put_count(l, count);
    end_summary_line(l);
}

static void time_line(struct lines *l, const char *name, int64_t utc_ns)
{
    put_line_name(l, name);
    put_time(l, utc_ns);
    end_summary_line(l);
}

static void put_choice(struct lines *l, const struct pl_query *e)
{
    if (!e->plan->paths.num)
        text_line(l, "Choice",
                  !e->plan->replay.choice.brief ? "all"
                  : e->plan->replay.choice.processes
                      ? "all, but of the processes only the busiest, and "
                        "their sum"
                      : "all, but of the processes only their sum");
    if (pl_query_leaves_out(e, "Thread"))
        text_line(l, "Choice", "single threads are left out");
    if (e->plan->top.num)
        count_line(l, "Busiest instances of each object", e->plan->top.num);
    for (size_t i = 0; i < e->plan->paths.num; i++)
        text_line(l, "Choice", e->plan->paths.texts[i]);
}

static void put_rows(struct lines *l, const struct pl_xlsx_summary *s,
                     const struct pl_xlsx_charts *charts)
{
    text_line(l, "Time zone", pl_zone_name());
    time_line(l, "First row", s->e->first_ns);
    time_line(l, "Last row", s->e->last_ns);
    count_line(l, "Rows", s->e->rows);
    count_line(l, "Series", s->num_series);
    if (charts->lines_left_out)
        count_line(l, "Series without chart", charts->lines_left_out);
}

/* List what is missing or blank in the sheets. */
static void put_losses(struct lines *l, const struct pl_xlsx_summary *s)
{
    const struct pl_replay_losses *p = &s->e->losses;
    char name[64];

    count_line(l, "Samples missing", p->missing);
    count_line(l, "Records missing", p->holes);
    count_line(l, "Damaged ranges", p->damaged_ranges);
    count_line(l, "Damaged bytes", p->damaged_bytes);
    count_line(l, "Samples lost by damage",
               p->damaged_samples + p->unreachable - p->too_large);
    count_line(l, "Samples with malformed blocks", p->malformed);
    count_line(l, "Samples too large", p->too_large);
    count_line(l, "Records too new", p->too_new);
    for (int i = 1; i < PL_NUM_CELLS; i++)
        if (s->blanks[i]) {
            snprintf(name, sizeof name, "Blank cells: %s",
                     pl_cell_name((enum pl_cell)i));
            count_line(l, name, s->blanks[i]);
        }
}

static void put_logs(struct lines *l, const struct pl_query *e)
{
    size_t files = 0;
    const char *last = "";

    for (size_t i = 0; i < e->logs.num; i++)
        for (size_t k = 0; k < e->logs.logs[i].num_paths; k++) {
            const char *path = e->logs.logs[i].paths[k];

            /* a file of several hosts is named once */
            if (strcmp(path, last) != 0 && files++ < MOST_FILES)
                text_line(l, "Log", path);
            last = path;
        }
    if (files > MOST_FILES)
        count_line(l, "Further logs", files - MOST_FILES);
}

/* ---- all of it ----------------------------------------------------------- */

void pl_xlsx_summary_add(struct pl_xlsx_book *b)
{
    pl_xlsx_add_summary(b, widths, NUM_COLUMNS);
}

static uint64_t most_samples(const struct pl_xlsx_hosts *h)
{
    uint64_t most = 0;

    for (size_t i = 0; i < h->num; i++)
        if (h->hosts[i].counts.samples > most)
            most = h->hosts[i].counts.samples;
    return most;
}

enum pl_status pl_xlsx_summary_read(struct pl_xlsx_summary *s,
                                    struct pl_query *e)
{
    enum pl_status status = pl_xlsx_hosts_read(&s->hosts, e);

    s->e = e;
    s->is_long = most_samples(&s->hosts) > PL_BUSIEST_SAMPLES;
    s->diagnosed = !e->plan->paths.num;
    if (!status && s->diagnosed)
        status = pl_xlsx_findings_find(&s->findings, e);
    if (!status && s->diagnosed)
        status = pl_busiest_find(&s->busiest, e, most_samples(&s->hosts));
    return status;
}

void pl_xlsx_summary_release(struct pl_xlsx_summary *s)
{
    pl_xlsx_hosts_release(&s->hosts);
    pl_xlsx_findings_release(&s->findings);
    pl_busiest_release(&s->busiest);
    pl_xlsx_vitals_release(&s->vitals);
}

void pl_xlsx_summary_put(struct pl_xlsx_summary *s, struct pl_xlsx_book *b,
                         const struct pl_xlsx_charts *charts)
{
    struct lines l = { b, { PL_XLSX_ON_SUMMARY, 0, 0 }, 0 };

    put_title(&l, s->e);
    put_hosts(&l, s);
    put_findings(&l, s);
    put_vitals(&l, s);
    put_processes(&l, &s->busiest);
    if (are_many(s)) {
        section(&l, "Hosts");
        put_all_hosts(&l, s);
    }
    put_sheets(&l);
    section(&l, "Rows, and what is missing in them");
    put_rows(&l, s, charts);
    put_choice(&l, s->e);
    put_losses(&l, s);
    put_logs(&l, s->e);
    text_line(&l, "Made by", "perflog " PL_VERSION);
}
