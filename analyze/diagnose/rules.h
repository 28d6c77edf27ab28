/*                                                 analyze/diagnose/rules.h
 * Rules of 'perflog diagnose': rows of text that say which values of which
 * counters are a finding.  Those that are built in are such rows, too
 * (built_in_rules.c); a user's file adds rows.  The format is documented in
 * perflog-diagnose(1):
 *
 *     topic | kind | counter | value | limit | usual | slices | weight |
 *         processes | explains | words
 *
 * The unit of time is a slice: ten samples (levels.h).
 */
#ifndef PL_ANALYZE_DIAGNOSE_RULES_H
#define PL_ANALYZE_DIAGNOSE_RULES_H

#include "format/base/buf.h"
#include "format/base/status.h"
#include "format/block/counter_path.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    PL_RULE_SLICE = 10, /* samples */
    PL_RULES_MOST = 1000,
    PL_RULE_SLICES_MOST = 100000, /* of a rule's 'slices' */
    PL_RULE_WHY = 160,
};

/* What is made of the values in a slice. */
enum pl_rule_value {
    PL_RULE_MEAN,  /* their mean over time */
    PL_RULE_MAX,   /* the greatest */
    PL_RULE_MIN,   /* the least */
    PL_RULE_COUNT, /* of a rate: what happened in the slice */
    PL_RULE_RISE,  /* how far the mean climbs in slices that follow */
    PL_RULE_STATE, /* it is a letter: 1 */
};

/* Which processes are shown with a finding. */
enum pl_rule_processes {
    PL_RULE_NOBODY,
    PL_RULE_MOST,    /* with the greatest value */
    PL_RULE_GROWTH,  /* whose value grew most */
    PL_RULE_STARTS,  /* that started most processes */
    PL_RULE_VICTIMS, /* whose value is not 0 */
    PL_RULE_MEMBERS, /* of the control group, with the greatest value */
    PL_RULE_ITSELF,  /* the instance */
};

struct pl_rule {
    const char *topic, *kind; /* words; texts belong to the list of rules */
    struct pl_counter_path counter;
    enum pl_rule_value value;
    char state; /* of PL_RULE_STATE */
    bool below; /* the limit is an upper one */
    double limit;
    double
        usual; /* at least so many times P95 of the rest; 0: whatever it is */
    unsigned slices; /* so many at least */
    double weight;   /* 1 to 100; 0: the rule is off */
    enum pl_rule_processes processes;
    const char *ranked_by; /* a counter of theirs; NULL: none */
    const char *explains;  /* topics, with blanks between; "": none */
    const char *words;
};

/* All zero is empty. */
struct pl_rules {
    struct pl_rule *rules;
    size_t num, cap;
    char **texts; /* what the rules point into */
    size_t num_texts, cap_texts;
};

extern const char pl_built_in_rules[];

/*
 * True if a later rule with the counter and value of this one, number 'i', is for
 * hosts of which this is one.
 */
bool pl_rule_is_replaced(const struct pl_rules *rules, size_t i,
                         const char *host);

/* True if 'topic' is among those that the rule explains. */
bool pl_rule_explains(const struct pl_rule *r, const char *topic);

/*
 * Add the rows of 'text'; one with the host, counter and value of an earlier
 * one replaces it.  PL_USAGE: row 'line', from 1, is wrong, and 'why'
 * says so; PL_NOMEM.
 */
enum pl_status pl_rules_add(struct pl_rules *rules, const char *text,
                            size_t *line, char why[PL_RULE_WHY]);
void pl_rules_release(struct pl_rules *rules);

#endif
