/* Findings as JSON. */
#include "analyze/diagnose/findings_json.h"

#include "analyze/diagnose/findings_text.h"
#include "analyze/hosts/hosts_print.h"
#include "analyze/output/json.h"

#include <math.h>

static const char *const values[] = {
    [PL_RULE_MEAN] = "mean", [PL_RULE_MAX] = "max",
    [PL_RULE_MIN] = "min",   [PL_RULE_COUNT] = "count",
    [PL_RULE_RISE] = "rise", [PL_RULE_STATE] = "state",
};

static void put_number_of(struct pl_json *j, const char *key, double v)
{
    pl_json_key(j, key);
    pl_json_number(j, v);
}

/* "usual" is null where it is far from the limit, or there is no rest. */
static void put_episode(struct pl_json *j, const struct pl_diagnosis *d,
                        const struct pl_episode *e)
{
    const struct pl_level_series *s = e->series;

    pl_json_put_string(j, "topic", s->rule->topic);
    pl_json_put_string(j, "kind", s->rule->kind);
    pl_json_put_string(j, "words", s->rule->words);
    pl_json_put_instant(j, "begin", true, pl_episode_begin(e));
    pl_json_put_instant(j, "end", true, pl_episode_end(d, e));
    pl_json_put_string(j, "host", s->host->name);
    pl_json_put_string(j, "object", s->object);
    pl_json_key(j, "instance");
    if (s->instance)
        pl_json_string(j, s->instance);
    else
        pl_json_null(j);
    pl_json_put_string(j, "counter", s->counter);
    pl_json_put_string(j, "value", values[s->rule->value]);
    put_number_of(j, "level", e->level);
    put_number_of(j, "limit", s->rule->limit);
    put_number_of(j, "usual", e->has_rest ? e->usual : (double)NAN);
}

static void write_culprits(struct pl_json *j, const struct pl_rule *r,
                           const struct pl_culprits *c)
{
    pl_json_key(j, "processes");
    pl_json_open_array(j);
    for (size_t i = 0; i < c->num; i++) {
        const struct pl_culprit *p = &c->list[i];

        pl_json_open_object(j);
        pl_json_put_string(j, "name", p->name);
        pl_json_put_count(j, "processes", p->num);
        if (r->ranked_by)
            pl_json_put_string(j, "counter", r->ranked_by);
        put_number_of(j, "value", p->value);
        put_number_of(j, "share", p->share);
        if (*p->user)
            pl_json_put_string(j, "user", p->user);
        if (*p->command)
            pl_json_put_string(j, "command_line", p->command);
        pl_json_close_object(j);
    }
    pl_json_close_array(j);
}

static void write_finding(struct pl_json *j, const struct pl_diagnosis *d,
                          const struct pl_shown_finding *s)
{
    const struct pl_finding *f = s->finding;

    pl_json_open_object(j);
    put_number_of(j, "severity", f->severity);
    put_episode(j, d, f->head);
    write_culprits(j, f->head->series->rule, &s->culprits);
    pl_json_key(j, "evidence");
    pl_json_open_array(j);
    for (size_t i = 0; i < f->num_others; i++) {
        pl_json_open_object(j);
        put_episode(j, d, f->others[i]);
        pl_json_close_object(j);
    }
    pl_json_close_array(j);
    pl_json_close_object(j);
}

enum pl_status pl_findings_print_json(struct pl_output_file *out,
                                      const struct pl_diagnosis *d)
{
    struct pl_json j;

    pl_json_init(&j, out->f);
    pl_json_open_object(&j);
    pl_json_put_instant(&j, "first", true, d->first_ns);
    pl_json_put_instant(&j, "last", true, d->last_ns);
    pl_json_put_count(&j, "samples", d->samples);
    pl_json_put_count(&j, "more", d->more);
    if (d->hosts.compared) {
        pl_json_key(&j, "hosts");
        pl_hosts_put_json(&j, &d->hosts, PL_DIAGNOSE_HOSTS);
    }
    pl_json_key(&j, "findings");
    pl_json_open_array(&j);
    for (size_t i = 0; i < d->num; i++)
        write_finding(&j, d, &d->shown[i]);
    pl_json_close_array(&j);
    pl_json_close_object(&j);
    return pl_json_finish(&j);
}
