/*
 * Copies of regions made while others write to them: none is torn.  As often as
 * chance needs, so not with the address sanitizer (tests/CMakeLists.txt).
 */
#include "logger/linux/published/region_parts.h"
#include "tests/support/publishing.h"
#include "tests/support/support.h"
#include "tests/support/watching.h"

#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* ---- torn sets --------------------------------------------------------------
 * A group adds one to each of 32 counters; a copy in which two differ was made
 * in the midst of a group.
 */
enum { WIDE = 32, GROUPS_PER_PAUSE = 200, LONGEST_S = 15, ENOUGH = 1000 };

static struct pl_prov_counter wide_counters[WIDE];
static struct pl_prov_object wide[2];
static char wide_names[WIDE][8];

static void make_wide(void)
{
    for (uint32_t i = 0; i < WIDE; i++) {
        snprintf(wide_names[i], sizeof wide_names[i], "C%u", i);
        wide_counters[i] =
            (struct pl_prov_counter){ i + 1,
                                      PERF_COUNTER_LARGE_RAWCOUNT,
                                      wide_names[i],
                                      "Count.",
                                      0,
                                      PL_PROV_NOVICE,
                                      0 };
    }
    for (uint32_t k = 0; k < 2; k++)
        wide[k] = (struct pl_prov_object){ k + 1,
                                           k ? "Wide B" : "Wide A",
                                           "Wide.",
                                           PL_PROV_NO_INSTANCES,
                                           0,
                                           PL_PROV_NOVICE,
                                           0,
                                           1,
                                           wide_counters,
                                           WIDE };
}

static struct {
    struct pl_prov *p;
    struct pl_prov_set group; /* what is begun and ended */
    struct pl_prov_set sets[2];
    unsigned num_sets;
    bool owned;
    int stop;
} writing;

static void count_group(struct pl_prov_word *const words[2])
{
    if (writing.owned)
        pl_begin_own(writing.group);
    else
        pl_begin(writing.group);
    for (unsigned k = 0; k < writing.num_sets; k++)
        for (unsigned i = 0; i < WIDE; i++)
            if (writing.owned)
                pl_own(&words[k][i], 1);
            else
                pl_add(&words[k][i], 1);
    if (writing.owned)
        pl_end_own(writing.group);
    else
        pl_end(writing.group);
}

static void *write_groups(void *arg)
{
    struct pl_prov_word *const words[2] = { writing.sets[0].words,
                                            writing.sets[1].words };

    (void)arg;
    while (!__atomic_load_n(&writing.stop, __ATOMIC_RELAXED)) {
        for (int i = 0; i < GROUPS_PER_PAUSE; i++)
            count_group(words);
        sched_yield();
    }
    return NULL;
}

static bool is_torn(const uint64_t *words)
{
    for (unsigned i = 1; i < WIDE; i++)
        if (words[i] != words[0])
            return true;
    return false;
}

/* Reads that were torn, made without asking whether a group is under way. */
static unsigned read_unasked(unsigned reads)
{
    unsigned torn = 0;

    for (unsigned n = 0; n < reads; n++) {
        uint64_t words[WIDE];

        for (unsigned i = 0; i < WIDE; i++)
            words[i] =
                __atomic_load_n(&writing.sets[0].words[i].v, __ATOMIC_RELAXED);
        torn += is_torn(words);
    }
    return torn;
}

struct tally {
    unsigned accepted, loose, torn;
};

static unsigned factor(void)
{
    const char *text = getenv("PERFLOG_TEST_FACTOR");

    return text ? (unsigned)atoi(text) : 1;
}

static void read_asking(struct watch *w, unsigned reads, struct tally *t)
{
    struct pl_region *g = watch_region(w, "torn");
    struct pl_published_list *l = pl_regions_tables(w->regions);

    for (unsigned n = 0; n < reads; n++) {
        struct timespec now;
        enum pl_region_reason r;
        uint64_t words[2 * WIDE];

        clock_gettime(CLOCK_MONOTONIC, &now);
        r = pl_region_copy_values(
            g, l, now.tv_sec * INT64_C(1000000000) + now.tv_nsec + 20000000);
        ck_assert(r == PL_REASON_NONE || r == PL_REASON_BUSY);
        if (r) {
            t->loose++;
            continue;
        }
        t->accepted++;
        for (unsigned k = 0; k < writing.num_sets; k++)
            for (unsigned i = 0; i < WIDE; i++)
                words[k * WIDE + i] = watch_word(g, k, 0, i);
        t->torn += is_torn(words);
        if (writing.num_sets == 2)
            t->torn += words[0] != words[WIDE] || is_torn(words + WIDE);
    }
}

/*
 * So many groups by so many threads: none torn, though they can be.  Ten
 * million copies of each kind:
 *
 *     PERFLOG_TEST_FACTOR=500 CK_DEFAULT_TIMEOUT=9999 CK_RUN_CASE=copies
 */
static void tear(unsigned writers, bool owned, bool whole_region)
{
    unsigned times = factor(), reads = 20000 * times;
    struct tally t = { 0, 0, 0 };
    unsigned control = 0;
    time_t end_s;
    pthread_t threads[8];
    struct watch w;

    make_wide();
    publishing_dir();
    ck_assert_int_eq(pl_prov_open(&writing.p, "torn", wide, 2, NULL), 0);
    for (uint32_t k = 0; k < 2; k++)
        writing.sets[k] = pl_prov_single(writing.p, k + 1);
    writing.num_sets = whole_region ? 2 : 1;
    writing.owned = owned;
    writing.group = whole_region ? pl_prov_region(writing.p) : writing.sets[0];
    watch_begin(&w);
    watch_scan(&w);
    for (unsigned i = 0; i < writers; i++)
        pthread_create(&threads[i], NULL, write_groups, NULL);
    end_s = time(NULL) + (time_t)(LONGEST_S * times);
    do {
        control += read_unasked(reads / 100);
        read_asking(&w, reads / 200, &t);
        sched_yield();
    } while (t.accepted <= ENOUGH ||
             ((control == 0 || t.accepted < reads) && time(NULL) < end_s));
    __atomic_store_n(&writing.stop, 1, __ATOMIC_RELAXED);
    for (unsigned i = 0; i < writers; i++)
        pthread_join(threads[i], NULL);
    printf("%u writers%s%s: %u accepted, %u busy, %u torn; unasked %u torn\n",
           writers, owned ? ", owned" : "", whole_region ? ", region" : "",
           t.accepted, t.loose, t.torn, control);
    ck_assert_uint_eq(t.torn, 0);
    if (!control) /* the writers had no processor of their own */
        fprintf(stderr, "void: nothing was torn without asking either\n");
    watch_end(&w);
    pl_prov_close(writing.p);
}

START_TEST(no_copy_is_torn_with_one_writer)
{
    tear(1, true, false);
}
END_TEST

START_TEST(no_copy_is_torn_with_two_writers)
{
    tear(2, false, false);
}
END_TEST

START_TEST(no_copy_is_torn_with_eight_writers)
{
    tear(8, false, false);
}
END_TEST

START_TEST(groups_of_a_region_span_its_sets)
{
    tear(2, false, true);
}
END_TEST

/* ---- churn -----------------------------------------------------------------
 * Whoever is in a slot has counters that follow from its name.
 */
static void *churn(void *arg)
{
    struct pl_prov *p = arg;

    for (unsigned n = 1; !__atomic_load_n(&writing.stop, __ATOMIC_RELAXED);
         n++) {
        struct pl_prov_set s[2];
        char name[2][16];

        for (unsigned i = 0; i < 2; i++) {
            snprintf(name[i], sizeof name[i], "%u", n + i);
            s[i] = pl_prov_add(p, VALVE, name[i], n + i, NULL);
            pl_begin(s[i]);
            pl_add(pl_prov_word_of(s[i], OPENED), n + i);
            pl_add(pl_prov_word_of(s[i], PRESSURE), 2 * (n + i));
            pl_end(s[i]);
        }
        if (n % 3 == 0)
            pl_prov_renew(&s[0]);
        if (n % 16 == 0)
            sched_yield();
        for (unsigned i = 0; i < 2; i++)
            pl_prov_remove(&s[i]);
    }
    return NULL;
}

START_TEST(an_occupant_is_never_mixed_with_another)
{
    struct pl_prov *p = publish("churn");
    unsigned met = 0, times = factor();
    struct pl_region *g;
    pthread_t thread;
    time_t end_s;
    struct watch w;

    watch_begin(&w);
    pthread_create(&thread, NULL, churn, p);
    watch_scan(&w);
    g = watch_region(&w, "churn");
    end_s = time(NULL) + (time_t)(LONGEST_S * times);
    for (unsigned pass = 0;
         met <= ENOUGH || (pass < 300000 * times && time(NULL) < end_s);
         pass++) {
        ck_assert_int_ne(
            pl_region_copy_values(g, pl_regions_tables(w.regions), INT64_MAX),
            PL_REASON_INSTANCE);
        for (size_t i = 0; i < MAX_VALVES; i++) {
            const struct pl_region_copy *c = watch_copy(g, 1, i);
            uint64_t name = 0, opened = watch_word(g, 1, i, 0);

            if (c->copied != PL_COPIED_GOOD)
                continue;
            for (unsigned k = 0; k < c->name_len; k++)
                name = name * 10 +
                       (uint64_t)(pl_region_image_name(
                                      &g->image, (size_t)(c - g->image.copies))
                                      .p[k] -
                                  '0');
            ck_assert_int_eq(c->unique_id, (int)name);
            ck_assert_uint_eq(watch_word(g, 1, i, 1), 2 * opened);
            ck_assert_msg(opened == 0 || opened == name, "%d has %d", (int)name,
                          (int)opened);
            met++;
        }
    }
    __atomic_store_n(&writing.stop, 1, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
    printf("churn: %u instances met, 0 mixed\n", met);
    watch_end(&w);
    pl_prov_close(p);
}
END_TEST

int main(void)
{
    TCase *copies = tcase_create("copies");

    tcase_add_test(copies, no_copy_is_torn_with_one_writer);
    tcase_add_test(copies, no_copy_is_torn_with_two_writers);
    tcase_add_test(copies, no_copy_is_torn_with_eight_writers);
    tcase_add_test(copies, groups_of_a_region_span_its_sets);
    tcase_add_test(copies, an_occupant_is_never_mixed_with_another);
    return run_suite("linux_torn", (TCase *const[]){ copies, NULL });
}
