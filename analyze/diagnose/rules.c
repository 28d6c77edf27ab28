/* Reads rules, a row a line. */
#include "analyze/diagnose/rules.h"

#include "format/base/array.h"
#include "format/base/text_lines.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum column {
    TOPIC,
    KIND,
    COUNTER,
    VALUE,
    LIMIT,
    USUAL,
    SLICES,
    WEIGHT,
    PROCESSES,
    EXPLAINS,
    WORDS,
    COLUMNS,
};

static const char *const columns[COLUMNS] = {
    "topic",  "kind",   "counter",   "value",    "limit", "usual",
    "slices", "weight", "processes", "explains", "words",
};

void pl_rules_release(struct pl_rules *rules)
{
    for (size_t i = 0; i < rules->num_texts; i++)
        free(rules->texts[i]);
    free(rules->texts);
    free(rules->rules);
    *rules = (struct pl_rules){ 0 };
}

bool pl_rule_explains(const struct pl_rule *r, const char *topic)
{
    size_t n = strlen(topic);

    for (const char *p = r->explains; (p = strstr(p, topic)); p += n)
        if ((p == r->explains || p[-1] == ' ') && (!p[n] || p[n] == ' '))
            return true;
    return false;
}

/* ---- columns ------------------------------------------------------------- */

static bool is_none(const char *text)
{
    return !strcmp(text, "-");
}

/* A finite number, up to 'end' or a blank; *rest is what follows. */
static bool take_number(const char *text, double *v, char **rest)
{
    errno = 0;
    *v = strtod(text, rest);
    return *rest != text && isfinite(*v) && errno != ERANGE;
}

static bool take_counter(struct pl_rule *r, char *text)
{
    return *text == '\\' && !pl_counter_path_parse(&r->counter, text) &&
           r->counter.counter.p;
}

static bool take_value(struct pl_rule *r, char *text)
{
    static const char *const words[] = {
        [PL_RULE_MEAN] = "mean", [PL_RULE_MAX] = "max",
        [PL_RULE_MIN] = "min",   [PL_RULE_COUNT] = "count",
        [PL_RULE_RISE] = "rise", [PL_RULE_STATE] = "state ",
    };

    for (size_t i = 0; i < PL_RULE_STATE; i++)
        if (!strcmp(text, words[i])) {
            r->value = (enum pl_rule_value)i;
            return true;
        }
    r->value = PL_RULE_STATE;
    if (strncmp(text, words[PL_RULE_STATE], strlen(words[PL_RULE_STATE])) != 0)
        return false;
    r->state = text[strlen(words[PL_RULE_STATE])];
    return r->state && !text[strlen(words[PL_RULE_STATE]) + 1];
}

static bool take_limit(struct pl_rule *r, char *text)
{
    char *end;

    r->below = *text == '<';
    if ((*text != '<' && *text != '>') || text[1] != '=' ||
        !take_number(text + 2, &r->limit, &end) || *end)
        return false;
    return r->limit > 0;
}

static bool take_usual(struct pl_rule *r, char *text)
{
    char *end;

    if (is_none(text))
        return true;
    return take_number(text, &r->usual, &end) && !strcmp(end, "x") &&
           r->usual > 1 && r->usual <= 1000;
}

static bool take_slices(struct pl_rule *r, char *text)
{
    double n;
    char *end;

    if (!take_number(text, &n, &end) || *end || n < 1 ||
        n > PL_RULE_SLICES_MOST || n != floor(n))
        return false;
    r->slices = (unsigned)n;
    return true;
}

static bool take_weight(struct pl_rule *r, char *text)
{
    char *end;

    return take_number(text, &r->weight, &end) && !*end && r->weight >= 0 &&
           r->weight <= 100;
}

static bool take_processes(struct pl_rule *r, char *text)
{
    static const struct {
        const char *word;
        enum pl_rule_processes processes;
        bool counter; /* which follows */
    } words[] = {
        { "-", PL_RULE_NOBODY, false },
        { "most", PL_RULE_MOST, true },
        { "growth", PL_RULE_GROWTH, true },
        { "starts", PL_RULE_STARTS, false },
        { "victims", PL_RULE_VICTIMS, true },
        { "members", PL_RULE_MEMBERS, true },
        { "itself", PL_RULE_ITSELF, false },
    };
    size_t n = strcspn(text, " ");
    bool more = text[n] != '\0';

    text[n] = '\0';
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(text, words[i].word) != 0 || more != words[i].counter)
            continue;
        r->processes = words[i].processes;
        r->ranked_by = more ? pl_text_lines_trim(text + n + 1) : NULL;
        return true;
    }
    return false;
}

static bool take_explains(struct pl_rule *r, char *text)
{
    r->explains = is_none(text) ? "" : text;
    return true;
}

static bool take_topic(struct pl_rule *r, char *text)
{
    r->topic = text;
    return !strchr(text, ' ');
}

static bool take_kind(struct pl_rule *r, char *text)
{
    r->kind = text;
    return true;
}

static bool take_words(struct pl_rule *r, char *text)
{
    r->words = text;
    return true;
}

static const struct {
    bool (*take)(struct pl_rule *r, char *text);
    const char *wanted;
} takes[COLUMNS] = {
    [TOPIC] = { take_topic, "give one word" },
    [KIND] = { take_kind, "" },
    [COUNTER] = { take_counter, "give \\Object(Instance)\\Counter" },
    [VALUE] = { take_value,
                "give mean, max, min, count, rise, or state and a letter" },
    [LIMIT] = { take_limit, "give >= or <= and a number above 0" },
    [USUAL] = { take_usual, "give a factor such as 3x, or -" },
    [SLICES] = { take_slices, "give a whole number from 1" },
    [WEIGHT] = { take_weight, "give a number from 0 (off) to 100" },
    [PROCESSES] = { take_processes,
                    "give most, growth, victims or members and a counter, "
                    "starts, itself, or -" },
    [EXPLAINS] = { take_explains, "" },
    [WORDS] = { take_words, "" },
};

/* ---- rows ---------------------------------------------------------------- */

/* Split a row; false: it has another number of columns. */
static bool split(char *line, char *fields[COLUMNS], size_t *num)
{
    size_t n = 0;

    for (char *at = line; at; n++) {
        char *bar = n + 1 < COLUMNS ? strchr(at, '|') : NULL;

        if (bar)
            *bar = '\0';
        fields[n] = pl_text_lines_trim(at);
        at = bar ? bar + 1 : NULL;
    }
    *num = n;
    return n == COLUMNS;
}

static bool take_rule(struct pl_rule *r, char *line, char why[PL_RULE_WHY])
{
    char *fields[COLUMNS];
    size_t num;

    if (!split(line, fields, &num)) {
        snprintf(why, PL_RULE_WHY,
                 "%zu columns instead of %d; 'perflog diagnose --print-rules' "
                 "shows rows",
                 num, COLUMNS);
        return false;
    }
    for (size_t i = 0; i < COLUMNS; i++) {
        char shown[24];

        snprintf(shown, sizeof shown, "%.20s%s", fields[i],
                 strlen(fields[i]) > 20 ? "..." : "");
        if (*fields[i] && takes[i].take(r, fields[i]))
            continue;
        snprintf(why, PL_RULE_WHY, "column '%s' is '%s'; %s", columns[i], shown,
                 *fields[i] || *takes[i].wanted ? takes[i].wanted
                                                : "give a text");
        return false;
    }
    return true;
}

/* Of whatever hosts they are. */
static bool are_of_one_kind(const struct pl_rule *e, const struct pl_rule *r)
{
    return e->value == r->value && e->state == r->state &&
           e->below == r->below &&
           pl_text_equal(e->counter.object, r->counter.object) &&
           pl_text_equal(e->counter.instance, r->counter.instance) &&
           pl_text_equal(e->counter.counter, r->counter.counter);
}

/* The rule that 'r' replaces; NULL: none. */
static struct pl_rule *earlier(const struct pl_rules *rules,
                               const struct pl_rule *r)
{
    for (size_t i = 0; i < rules->num; i++) {
        struct pl_rule *e = &rules->rules[i];

        if (are_of_one_kind(e, r) &&
            pl_text_equal(e->counter.host, r->counter.host))
            return e;
    }
    return NULL;
}

bool pl_rule_is_replaced(const struct pl_rules *rules, size_t i,
                         const char *host)
{
    for (size_t k = i + 1; k < rules->num; k++) {
        const struct pl_rule *r = &rules->rules[k];

        if (r->counter.host.p &&
            pl_pattern_match(r->counter.host, pl_text_of(host)) &&
            are_of_one_kind(&rules->rules[i], r))
            return true;
    }
    return false;
}

static enum pl_status add_row(struct pl_rules *rules, char *line,
                              char why[PL_RULE_WHY])
{
    struct pl_rule r = { 0 }, *same;

    if (!take_rule(&r, line, why))
        return PL_USAGE;
    same = earlier(rules, &r);
    if (same) {
        *same = r;
        return PL_OK;
    }
    if (rules->num == PL_RULES_MOST) {
        snprintf(why, PL_RULE_WHY, "more than %d rules", PL_RULES_MOST);
        return PL_USAGE;
    }
    if (!pl_array_grow((void **)&rules->rules, &rules->cap, rules->num,
                       sizeof *rules->rules))
        return PL_NOMEM;
    rules->rules[rules->num++] = r;
    return PL_OK;
}

enum pl_status pl_rules_add(struct pl_rules *rules, const char *text,
                            size_t *line, char why[PL_RULE_WHY])
{
    char *copy = strdup(text), *rest = copy;
    enum pl_status s = PL_OK;

    if (!copy || !pl_array_grow((void **)&rules->texts, &rules->cap_texts,
                                rules->num_texts, sizeof *rules->texts)) {
        free(copy);
        return PL_NOMEM;
    }
    rules->texts[rules->num_texts++] = copy;
    for (*line = 1; rest && !s; ++*line) {
        char *row = rest, *end = strchr(rest, '\n');

        rest = end ? end + 1 : NULL;
        if (end)
            *end = '\0';
        row = pl_text_lines_trim(row);
        if (*row && *row != '#')
            s = add_row(rules, row, why);
        if (s)
            return s;
    }
    return s;
}
