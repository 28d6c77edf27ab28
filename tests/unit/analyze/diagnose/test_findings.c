/* Findings of values made by hand: slices, episodes, severity and folding. */
#include "analyze/diagnose/findings.h"

#include "format/time/time_text.h"
#include "tests/support/support.h"

#include <math.h>
#include <stdlib.h>

enum { COUNTERS = 3 };

static const char *const counters[COUNTERS] = { "A", "B", "C" };

struct feed {
    struct pl_registry registry;
    struct pl_rules rules;
    struct pl_levels levels;
    struct pl_findings findings;
    struct pl_group *groups[2]; /* instances of X: "one", "two" */
    int64_t now;
    int64_t step; /* between samples */
    int64_t interval;
};

static void begin(struct feed *f, const char *rules)
{
    char why[PL_RULE_WHY];
    size_t line;
    struct pl_object_names *o;

    *f = (struct feed){ .now = 1000 * PL_NS_PER_SEC,
                        .step = PL_NS_PER_SEC,
                        .interval = PL_NS_PER_SEC };
    ck_assert_int_eq(pl_rules_add(&f->rules, rules, &line, why), PL_OK);
    f->levels.rules = &f->rules;
    o = pl_registry_object(&f->registry, pl_text_of("X"),
                           (struct pl_text){ 0 });
    for (size_t i = 0; i < COUNTERS; i++)
        ck_assert_uint_eq(pl_object_slot(&f->registry, o,
                                         pl_text_of(counters[i]),
                                         (struct pl_text){ 0 }, 0),
                          i);
    for (size_t i = 0; i < 2; i++) {
        struct pl_host *host =
            pl_registry_host(&f->registry, pl_text_of("host"), 1);
        bool made;
        struct pl_group *g =
            pl_registry_group(&f->registry, host, o, i ? "two" : "one", &made);

        g->series = calloc(COUNTERS, sizeof *g->series);
        g->num_slots = COUNTERS;
        for (size_t k = 0; k < COUNTERS; k++)
            g->series[k].column = PL_NO_COLUMN;
        f->groups[i] = g;
    }
}

static void end(struct feed *f)
{
    pl_findings_release(&f->findings);
    pl_levels_release(&f->levels);
    pl_rules_release(&f->rules);
    pl_registry_release(&f->registry);
}

/* 'num' samples in which counter 'slot' is 'v'. */
static void feed_group(struct feed *f, struct pl_group *g, uint32_t slot,
                       int num, double v)
{
    struct pl_cell_at cell = {
        g, slot, true, { .kind = PL_VALUE_DOUBLE, .number = v }
    };
    struct pl_row row = { .host = g->host,
                          .cells = &cell,
                          .num_cells = 1,
                          .length_ns = (uint64_t)PL_NS_PER_SEC,
                          .interval_ns = (uint64_t)f->interval };

    for (int i = 0; i < num; i++) {
        row.time_ns = f->now;
        f->now += f->step;
        ck_assert_int_eq(pl_levels_add(&f->levels, &row), PL_OK);
    }
}

static void feed(struct feed *f, uint32_t slot, int num, double v)
{
    feed_group(f, f->groups[0], slot, num, v);
}

static void find(struct feed *f)
{
    ck_assert_int_eq(pl_levels_end(&f->levels), PL_OK);
    ck_assert_int_eq(pl_findings_make(&f->findings, &f->levels), PL_OK);
}

static const struct pl_episode *only(const struct feed *f)
{
    ck_assert_uint_eq(f->findings.num, 1);
    return f->findings.findings[0].head;
}

#define ROW(topic, counter, value, limit, usual, processes, explains)          \
    topic "|k|\\X(*)\\" counter "|" value "|" limit "|" usual                  \
          "|1|50|" processes "|" explains "|w\n"
#define SIMPLE ROW("t", "A", "mean", ">= 10", "-", "-", "-")

START_TEST(severity_counts_height_and_time)
{
    static const struct {
        double level;
        int samples;
        double severity;
    } cases[] = {
        { 10, 10, 50 },      { 100, 10, 60 },  { 1e6, 10, 70 },
        { 10, 100, 55 },     { 100, 100, 65 }, { 10, 1000, 60 },
        { 1e9, 200000, 90 },
    };
    struct feed f;

    begin(&f, SIMPLE);
    feed(&f, 0, cases[_i].samples, cases[_i].level);
    find(&f);
    ck_assert_double_eq_tol(only(&f)->severity, cases[_i].severity, 1e-9);
    ck_assert(!only(&f)->has_rest);
    end(&f);
}
END_TEST

/* One event, of which the clocks of rate and length see a little less. */
START_TEST(counts_are_whole_numbers)
{
    struct feed f;

    begin(&f, ROW("t", "A", "count", ">= 1", "-", "-", "-"));
    feed(&f, 0, 20, 0);
    feed(&f, 0, 1, 0.998);
    feed(&f, 0, 20, 0);
    feed(&f, 0, 1, 0.4);
    find(&f);
    ck_assert_double_eq(only(&f)->level, 1);
    end(&f);
}
END_TEST

START_TEST(usual_is_p95_of_the_rest)
{
    struct feed f;

    begin(&f, SIMPLE);
    feed(&f, 0, 940, 5);
    feed(&f, 0, 60, 7); /* 6 of 100 slices */
    feed(&f, 0, 20, 30);
    find(&f);
    ck_assert(only(&f)->has_rest);
    ck_assert_double_eq(only(&f)->usual, 7);
    ck_assert_double_eq(only(&f)->level, 30);
    ck_assert_uint_eq(only(&f)->first, 100);
    ck_assert_uint_eq(only(&f)->last, 101);
    end(&f);
    begin(&f, SIMPLE);
    feed(&f, 0, 950, 1); /* far from the limit: only counted */
    feed(&f, 0, 50, 7);
    feed(&f, 0, 20, 30);
    find(&f);
    ck_assert(only(&f)->has_rest);
    ck_assert(isnan(only(&f)->usual));
    end(&f);
}
END_TEST

START_TEST(rise_is_from_foot_to_top)
{
    struct feed f;

    begin(&f, ROW("t", "A", "rise", ">= 10", "-", "-", "-"));
    feed(&f, 0, 50, 25);
    feed(&f, 0, 200, 5);
    for (int i = 0; i <= 20; i++)
        feed(&f, 0, 10, i == 13 ? 16 : 5 + i); /* with a dip */
    feed(&f, 0, 100, 25);
    feed(&f, 0, 100, 21); /* a fifth of it lost: it goes on */
    feed(&f, 0, 100, 25);
    feed(&f, 0, 100, 5);
    feed(&f, 0, 100, 14);
    find(&f);
    ck_assert_double_eq(only(&f)->level, 20);
    ck_assert_uint_eq(only(&f)->first, 27);
    ck_assert_uint_eq(only(&f)->last, 43);
    end(&f);
}
END_TEST

START_TEST(two_rises_with_a_fall_between)
{
    struct feed f;

    begin(&f, ROW("t", "A", "rise", ">= 10", "-", "-", "-"));
    for (int k = 0; k < 2; k++)
        for (int i = 0; i <= 12; i++)
            feed(&f, 0, 10, i);
    find(&f);
    ck_assert_uint_eq(f.findings.num, 2);
    end(&f);
}
END_TEST

static const struct {
    const char *rules;
    int first, second; /* samples of A and then B are bad, from sample 100 on */
    int apart;         /* B begins so much later */
    size_t findings;
    const char *head; /* of the first one */
} folds[] = {
    /* one topic: the more severe one takes in what half lies within */
    { SIMPLE ROW("t", "B", "mean", ">= 1", "-", "-", "-"), 100, 50, 0, 1, "B" },
    { SIMPLE ROW("u", "B", "mean", ">= 1", "-", "-", "-"), 100, 50, 0, 2, "B" },
    { SIMPLE ROW("t", "B", "mean", ">= 10", "-", "-", "-"), 200, 50, 30, 1,
      "A" },
    { SIMPLE ROW("t", "B", "mean", ">= 10", "-", "-", "-"), 200, 100, 180, 2,
      "A" },
    /* what explains it takes it in, though it is less severe */
    { SIMPLE ROW("u", "B", "mean", ">= 1", "-", "-", "-"), 100, 100, 0, 2,
      "B" },
    { ROW("t", "A", "mean", ">= 10", "-", "-", "v u")
          ROW("u", "B", "mean", ">= 1", "-", "-", "-"),
      100, 100, 0, 1, "A" },
    { ROW("t", "A", "mean", ">= 10", "-", "-", "uu")
          ROW("u", "B", "mean", ">= 1", "-", "-", "-"),
      100, 100, 0, 2, "B" },
    /* but not if it is much longer, or much shorter */
    { ROW("t", "A", "mean", ">= 10", "-", "-", "u")
          ROW("u", "B", "mean", ">= 1", "-", "-", "-"),
      400, 50, 0, 2, "B" },
    { ROW("t", "A", "mean", ">= 10", "-", "-", "u")
          ROW("u", "B", "mean", ">= 1", "-", "-", "-"),
      50, 400, 0, 2, "B" },
    /* both explain each other: one of them remains */
    { ROW("t", "A", "mean", ">= 10", "-", "-", "u")
          ROW("u", "B", "mean", ">= 1", "-", "-", "t"),
      100, 100, 0, 1, "A" },
};

START_TEST(what_belongs_together_is_folded)
{
    struct feed f;

    begin(&f, folds[_i].rules);
    for (uint32_t slot = 0; slot < 2; slot++) {
        int bad = slot ? folds[_i].second : folds[_i].first;
        int before = 100 + (slot ? folds[_i].apart : 0);

        f.now = 1000 * PL_NS_PER_SEC;
        feed(&f, slot, before, 0);
        feed(&f, slot, bad, 20);
        feed(&f, slot, 800 - before - bad, 0);
        /* samples have both; here one follows the other */
        f.levels.slicings.now->newest = 0;
    }
    find(&f);
    ck_assert_uint_eq(f.findings.num, folds[_i].findings);
    ck_assert_str_eq(f.findings.findings[0].head->series->counter,
                     folds[_i].head);
    ck_assert_uint_eq(f.findings.findings[0].num_others,
                      2 - folds[_i].findings);
    ck_assert(f.findings.findings[0].severity >=
              f.findings.findings[0].head->severity);
    end(&f);
}
END_TEST

static size_t instances_at_one_time(const char *rules)
{
    struct feed f;
    size_t num;

    begin(&f, rules);
    for (size_t i = 0; i < 2; i++) {
        f.now = 1000 * PL_NS_PER_SEC;
        feed_group(&f, f.groups[i], 0, 50, 20);
        f.levels.slicings.now->newest = 0;
    }
    find(&f);
    num = f.findings.num;
    end(&f);
    return num;
}

START_TEST(groups_and_processes_stay_apart)
{
    ck_assert_uint_eq(instances_at_one_time(SIMPLE), 1);
    ck_assert_uint_eq(instances_at_one_time(
                          ROW("t", "A", "mean", ">= 10", "-", "itself", "-")),
                      2);
    ck_assert_uint_eq(instances_at_one_time(ROW("t", "A", "mean", ">= 10", "-",
                                                "members B", "-")),
                      2);
}
END_TEST

START_TEST(slices_double_in_a_log_of_any_length)
{
    struct feed f;

    begin(&f, SIMPLE);
    feed(&f, 0, 10, 20);
    feed(&f, 0, 10, 12); /* which becomes one slice with the one before */
    f.step = INT64_C(4000000) * PL_NS_PER_SEC; /* 13 years: 2^25 slices */
    feed(&f, 0, 100, 0);
    feed(&f, 0, 1, 30);
    find(&f);
    ck_assert_uint_eq(f.levels.slicings.now->length_ns,
                      640 * (uint64_t)PL_NS_PER_SEC);
    ck_assert_uint_lt(f.levels.slicings.now->newest, PL_SLICES_MOST);
    ck_assert_uint_eq(f.findings.num, 2);
    ck_assert_double_eq(f.findings.findings[0].head->level, 30);
    ck_assert_double_eq(f.findings.findings[1].head->level, 20);
    end(&f);
}
END_TEST

START_TEST(levels_are_bounded)
{
    struct feed f;

    begin(&f, SIMPLE ROW("t", "A", "count", ">= 1", "-", "-", "-"));
    f.step = 10 * PL_NS_PER_SEC; /* a slice a sample: many levels soon */
    feed(&f, 0, PL_LEVELS_MOST / 2, 10);
    feed(&f, 0, 1, 50);
    feed(&f, 0, 1000, 10);
    ck_assert_uint_le(f.levels.kept, PL_LEVELS_MOST);
    ck_assert_uint_gt(f.levels.slicings.now->length_ns, (uint64_t)f.step);
    find(&f);
    ck_assert_uint_eq(f.findings.num, 1);
    ck_assert_uint_eq(f.findings.num_episodes, 2);
    for (size_t i = 0; i < 2; i++) { /* all were counted */
        const struct pl_episode *e = &f.findings.episodes[i];

        if (e->series->rule->value == PL_RULE_COUNT)
            ck_assert_double_eq_tol(e->level,
                                    10 * (PL_LEVELS_MOST / 2 + 1000) + 50, 1);
    }
    end(&f);
}
END_TEST

static size_t num_slicings(const struct feed *f)
{
    size_t num = 0;

    for (const struct pl_slicing *c = f->levels.slicings.latest; c; c = c->next)
        num++;
    return num;
}

/* By two slices: an hour is no time for a clock to be held. */
START_TEST(clock_that_steps_back_a_little_is_held)
{
    struct feed f;

    begin(&f, SIMPLE);
    feed(&f, 0, 5, 1);
    f.now -= 20 * PL_NS_PER_SEC; /* before the log's begin */
    feed(&f, 0, 100, 1);
    f.now -= 20 * PL_NS_PER_SEC;
    feed(&f, 0, 50, 20);
    find(&f);
    ck_assert_uint_eq(num_slicings(&f), 1);
    for (size_t i = 0; i < f.levels.series[0].num; i++)
        ck_assert_uint_ge(f.levels.series[0].levels[i].slice, 7);
    end(&f);
}
END_TEST

START_TEST(clock_that_steps_back_begins_another_slicing)
{
    struct feed f;

    begin(&f, SIMPLE);
    feed(&f, 0, 100, 1);
    f.now -= 5000 * PL_NS_PER_SEC;
    feed(&f, 0, 50, 20);
    feed(&f, 0, 100, 1);
    find(&f);
    ck_assert_uint_eq(num_slicings(&f), 2);
    ck_assert_uint_eq(only(&f)->last - only(&f)->first, 4);
    ck_assert(only(&f)->has_rest);
    end(&f);
}
END_TEST

/* At each of many boots it is an hour ahead until it is set. */
START_TEST(slicings_are_continued)
{
    struct feed f;

    begin(&f, SIMPLE);
    for (int boot = 0; boot < 30; boot++) {
        f.now += 3600 * PL_NS_PER_SEC;
        feed(&f, 0, 20, 1);
        f.now -= 3600 * PL_NS_PER_SEC;
        feed(&f, 0, 7200, boot == 29 ? 20 : 1);
    }
    find(&f);
    ck_assert_uint_eq(num_slicings(&f), 2);
    ck_assert_uint_eq(only(&f)->last - only(&f)->first, 719);
    end(&f);
}
END_TEST

/* Slices of all hosts begin at the same instants, whichever comes first. */
START_TEST(hosts_one_after_the_other)
{
    struct feed f;
    const struct pl_episode *e;

    begin(&f, SIMPLE);
    pl_slicings_align(&f.levels.slicings, 1000 * PL_NS_PER_SEC);
    f.now = 1503 * PL_NS_PER_SEC;
    feed_group(&f, f.groups[0], 0, 97, 0);
    feed_group(&f, f.groups[0], 0, 100, 20);
    f.now = 1000 * PL_NS_PER_SEC;
    f.groups[1]->host = pl_registry_host(&f.registry, pl_text_of("other"), 2);
    feed_group(&f, f.groups[1], 0, 100, 0);
    feed_group(&f, f.groups[1], 0, 50, 20);
    feed_group(&f, f.groups[1], 0, 50, 0);
    find(&f);
    ck_assert_uint_eq(f.findings.num, 2);
    e = f.findings.findings[0].head;
    ck_assert_int_eq(pl_episode_begin(e), 1600 * PL_NS_PER_SEC);
    e = f.findings.findings[1].head;
    ck_assert_uint_eq(e->first, 10);
    ck_assert_uint_eq(e->last, 14);
    ck_assert_int_eq(pl_episode_begin(e), 1100 * PL_NS_PER_SEC);
    ck_assert_uint_eq(f.levels.slicings.now->newest, 19);
    end(&f);
}
END_TEST

START_TEST(time_ends)
{
    struct feed f;

    begin(&f, SIMPLE);
    f.now = INT64_MAX - 15 * PL_NS_PER_SEC;
    feed(&f, 0, 15, 20);
    find(&f);
    ck_assert_int_eq(pl_slice_time(f.levels.slicings.now, only(&f)->last + 1),
                     INT64_MAX);
    end(&f);
}
END_TEST

/* However often a clock jumps by months. */
START_TEST(slicings_are_bounded)
{
    struct feed f;

    begin(&f, SIMPLE);
    f.step = INT64_C(20000000) * PL_NS_PER_SEC; /* 2^21 slices */
    feed(&f, 0, 100, 20);
    f.interval = 60 * PL_NS_PER_SEC; /* the latest is continued */
    feed(&f, 0, 1, 20);
    find(&f);
    ck_assert_uint_eq(num_slicings(&f), PL_SLICINGS_MOST);
    ck_assert_uint_lt(f.levels.slicings.now->newest, PL_SLICES_MOST);
    end(&f);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("findings");
    TCase *const tcases[] = { t, NULL };

    tcase_add_loop_test(t, severity_counts_height_and_time, 0, 7);
    tcase_add_test(t, counts_are_whole_numbers);
    tcase_add_test(t, usual_is_p95_of_the_rest);
    tcase_add_test(t, rise_is_from_foot_to_top);
    tcase_add_test(t, two_rises_with_a_fall_between);
    tcase_add_loop_test(t, what_belongs_together_is_folded, 0,
                        (int)(sizeof folds / sizeof *folds));
    tcase_add_test(t, groups_and_processes_stay_apart);
    tcase_add_test(t, slices_double_in_a_log_of_any_length);
    tcase_add_test(t, levels_are_bounded);
    tcase_add_test(t, clock_that_steps_back_a_little_is_held);
    tcase_add_test(t, clock_that_steps_back_begins_another_slicing);
    tcase_add_test(t, slicings_are_continued);
    tcase_add_test(t, hosts_one_after_the_other);
    tcase_add_test(t, time_ends);
    tcase_add_test(t, slicings_are_bounded);
    return run_suite("findings", tcases);
}
