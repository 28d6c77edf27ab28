/* Findings as text. */
#include "analyze/diagnose/findings_text.h"

#include "analyze/output/readable.h"
#include "format/time/time_text.h"
#include "format/base/utf.h"
#include "format/time/zone.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_EVIDENCE = 6, MOST_COMMAND = 100 };

static void put_visible(struct pl_buf *out, const char *text)
{
    pl_utf8_visible(out, text, strlen(text));
}

static void put_number(struct pl_buf *out, uint64_t n, const char *after)
{
    char text[32];

    snprintf(text, sizeof text, "%" PRIu64, n);
    pl_buf_string(out, text);
    pl_buf_string(out, after);
}

/* ---- times --------------------------------------------------------------- */

/* "2026-11-22 14:02:50 to 14:03:00 UTC" */
static void put_span(struct pl_buf *out, int64_t first, int64_t last)
{
    char begin[PL_INSTANT_TEXT], end[PL_INSTANT_TEXT];
    const size_t day = strlen("2026-11-22 ");

    pl_zone_text(first, begin);
    pl_zone_text(last, end);
    pl_buf_string(out, begin);
    pl_buf_string(out, " to ");
    pl_buf_string(out, strncmp(begin, end, day) != 0 ? end : end + day);
    pl_buf_string(out, " ");
    pl_buf_string(out, pl_zone_name());
}

/* An episode ends with its last slice, but not after the log. */
int64_t pl_episode_end(const struct pl_diagnosis *d, const struct pl_episode *e)
{
    int64_t end = pl_slice_time(e->series->slicing, e->last + 1);

    return end < d->last_ns ? end : d->last_ns;
}

void pl_episode_put_time(struct pl_buf *out, const struct pl_diagnosis *d,
                         const struct pl_episode *e)
{
    int64_t begin = pl_episode_begin(e), end = pl_episode_end(d, e);
    char length[PL_DURATION_TEXT];

    put_span(out, begin, end > begin ? end : begin);
    if (end <= begin)
        return;
    pl_buf_string(out, ", ");
    pl_buf_string(out, pl_duration_text((uint64_t)(end - begin), length));
}

/* ---- evidence ------------------------------------------------------------ */

static void put_path(struct pl_buf *out, const struct pl_diagnosis *d,
                     const struct pl_level_series *s)
{
    if (!d->host) {
        pl_buf_string(out, "\\\\");
        put_visible(out, s->host->name);
    }
    pl_buf_string(out, "\\");
    put_visible(out, s->object);
    if (s->instance) {
        pl_buf_string(out, "(");
        put_visible(out, s->instance);
        pl_buf_string(out, ")");
    }
    pl_buf_string(out, "\\");
    put_visible(out, s->counter);
}

static void put_value(struct pl_buf *out, const struct pl_level_series *s,
                      double v)
{
    char text[PL_READABLE_TEXT];
    enum pl_figure_unit unit = pl_unit_of_counter(s->counter);

    if (s->rule->value == PL_RULE_COUNT)
        unit = PL_UNIT_NUMBER;
    pl_buf_string(out, pl_readable(v, unit, text));
}

static void put_usual(struct pl_buf *out, const struct pl_episode *e)
{
    const struct pl_rule *r = e->series->rule;
    double times = r->usual > 0 ? r->usual : PL_LEVEL_KEPT;

    if (!e->has_rest || r->value == PL_RULE_RISE)
        return;
    pl_buf_string(out, ", otherwise ");
    if (!isnan(e->usual)) {
        put_value(out, e->series, e->usual);
        return;
    }
    pl_buf_string(out, r->below ? "above " : "below ");
    put_value(out, e->series, r->below ? r->limit * times : r->limit / times);
}

void pl_episode_put_evidence(struct pl_buf *out, const struct pl_diagnosis *d,
                             const struct pl_episode *e)
{
    const struct pl_rule *r = e->series->rule;

    put_path(out, d, e->series);
    pl_buf_string(out, ": ");
    if (r->value == PL_RULE_STATE) {
        pl_buf_u8(out, (uint8_t)r->state);
        return;
    }
    pl_buf_string(out, r->value == PL_RULE_RISE ? "rose by " : "");
    put_value(out, e->series, e->level);
    pl_buf_string(out, r->value == PL_RULE_COUNT ? " in all" : "");
    pl_buf_string(out, " (limit ");
    put_value(out, e->series, r->limit);
    put_usual(out, e);
    pl_buf_string(out, ")");
}

static void put_evidence(struct pl_buf *out, const struct pl_diagnosis *d,
                         const struct pl_episode *e)
{
    pl_buf_string(out, "    ");
    pl_episode_put_evidence(out, d, e);
    pl_buf_string(out, "\n");
}

static void put_others(struct pl_buf *out, const struct pl_diagnosis *d,
                       const struct pl_finding *f)
{
    for (size_t i = 0; i < f->num_others && i < MOST_EVIDENCE; i++)
        put_evidence(out, d, f->others[i]);
    if (f->num_others <= MOST_EVIDENCE)
        return;
    pl_buf_string(out, "    and ");
    put_number(out, f->num_others - MOST_EVIDENCE, " more at that time\n");
}

/* ---- processes ----------------------------------------------------------- */

static void put_culprit_value(struct pl_buf *out, const struct pl_rule *r,
                              const struct pl_culprit *c)
{
    char text[PL_READABLE_TEXT];

    if (r->processes == PL_RULE_ITSELF)
        return;
    pl_buf_string(out, ": ");
    if (r->processes == PL_RULE_STARTS) {
        pl_buf_string(out, "started ");
        pl_buf_string(out, pl_readable(c->value, PL_UNIT_NUMBER, text));
    } else if (r->processes == PL_RULE_VICTIMS) {
        pl_buf_string(out, "it was one of them");
    } else {
        pl_buf_string(out, r->ranked_by);
        pl_buf_string(out, r->processes == PL_RULE_GROWTH ? " +" : " ");
        pl_buf_string(
            out, pl_readable(c->value, pl_unit_of_counter(r->ranked_by), text));
        snprintf(text, sizeof text, ", %.0f %% of all", 100 * c->share);
        pl_buf_string(out, text);
    }
}

static void put_command(struct pl_buf *out, const char *command)
{
    size_t n = strlen(command);

    if (!n)
        return;
    pl_buf_string(out, ": ");
    pl_utf8_visible(out, command, n < MOST_COMMAND ? n : MOST_COMMAND);
    pl_buf_string(out, n > MOST_COMMAND ? "..." : "");
}

static void put_processes(struct pl_buf *out, const struct pl_culprit *c)
{
    if (c->num > 1)
        put_number(out, c->num, " processes");
}

void pl_culprit_put_name(struct pl_buf *out, const struct pl_culprit *c)
{
    put_visible(out, c->name);
    pl_buf_string(out, c->num > 1 ? " (" : "");
    put_processes(out, c);
    pl_buf_string(out, c->num > 1 ? ")" : "");
}

void pl_culprit_put_text(struct pl_buf *out, const struct pl_rule *r,
                         const struct pl_culprit *c)
{
    bool has_more = c->num > 1 || *c->user;

    put_visible(out, c->name);
    pl_buf_string(out, has_more ? " (" : "");
    put_processes(out, c);
    pl_buf_string(out, c->num > 1 && *c->user ? ", " : "");
    put_visible(out, c->user);
    pl_buf_string(out, has_more ? ")" : "");
    put_culprit_value(out, r, c);
    put_command(out, c->command);
}

static void put_culprits(struct pl_buf *out, const struct pl_rule *r,
                         const struct pl_culprits *c)
{
    for (size_t i = 0; i < c->num; i++) {
        pl_buf_string(out, i ? "        " : "    by  ");
        pl_culprit_put_text(out, r, &c->list[i]);
        pl_buf_string(out, "\n");
    }
}

/* ---- all of it ----------------------------------------------------------- */

static void put_finding(struct pl_buf *out, const struct pl_diagnosis *d,
                        size_t i)
{
    const struct pl_shown_finding *s = &d->shown[i];
    const struct pl_episode *head = s->finding->head;
    const struct pl_rule *r = head->series->rule;
    char text[64];

    pl_buf_string(out, "\n");
    snprintf(text, sizeof text, "%2zu. ", i + 1);
    pl_buf_string(out, text);
    put_visible(out, r->words);
    pl_buf_string(out, "\n    ");
    put_visible(out, r->topic);
    pl_buf_string(out, ", ");
    put_visible(out, r->kind);
    snprintf(text, sizeof text, ", severity %.0f, ", s->finding->severity);
    pl_buf_string(out, text);
    pl_episode_put_time(out, d, head);
    pl_buf_string(out, "\n");
    put_evidence(out, d, head);
    put_others(out, d, s->finding);
    put_culprits(out, r, &s->culprits);
}

void pl_findings_put_text(struct pl_buf *out, const struct pl_diagnosis *d)
{
    if (d->host) {
        put_visible(out, d->host->name);
        pl_buf_string(out, "  ");
    }
    put_span(out, d->first_ns, d->last_ns);
    pl_buf_string(out, ", ");
    put_number(out, d->samples, d->samples == 1 ? " sample\n" : " samples\n");
    for (size_t i = 0; i < d->num; i++)
        put_finding(out, d, i);
    if (!d->num)
        pl_buf_string(out, "\nNo findings.\n");
    if (!d->more)
        return;
    pl_buf_string(out, "\n");
    put_number(out, d->more,
               d->more == 1 ? " more, less severe; -n shows it\n"
                            : " more, less severe; -n shows them\n");
}
