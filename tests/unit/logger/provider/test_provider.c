/* The library by which applications publish counters. */
#include "logger/provider/pl_provider.h"
#include "logger/provider/region.h"
#include "tests/support/publishing.h"
#include "tests/support/support.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- tables ---------------------------------------------------------------- */

/* A table that is changed in one place. */
static struct pl_prov_object objects[NUM_OBJECTS];
static struct pl_prov_counter engine[5];
static char long_text[2048];

static void begin_table(void)
{
    memcpy(objects, publishing_table, sizeof objects);
    memcpy(engine, publishing_table[0].counters, sizeof engine);
    objects[0].counters = engine;
    memset(long_text, 'x', sizeof long_text);
    long_text[128] = 0;
}

static void refused_for(const char *says)
{
    char why[256] = "";

    ck_assert_int_eq(pl_prov_check(objects, NUM_OBJECTS, why, sizeof why), -1);
    ck_assert_msg(strstr(why, says), "'%s' has no '%s'", why, says);
    ck_assert_int_eq(pl_prov_check(objects, NUM_OBJECTS, NULL, 0), -1);
    begin_table();
    ck_assert_int_eq(pl_prov_check(objects, NUM_OBJECTS, why, sizeof why), 0);
}

START_TEST(each_rule_of_objects_is_told_with_its_row)
{
    begin_table();
    objects[1].id = 0;
    refused_for("row 2");
    objects[2].id = ENGINE;
    refused_for("row 3");
    objects[1].name = NULL;
    refused_for("object 2");
    objects[1].name = "";
    refused_for("object 2");
    objects[1].name = long_text;
    refused_for("object 2");
    objects[1].name = "two\nlines";
    refused_for("object 2");
    objects[1].name = "broken \xC3";
    refused_for("object 2");
    objects[1].name = "over\xC1\xBFlong";
    refused_for("object 2");
    objects[1].name = "over\xE0\x80\xAFlong";
    refused_for("object 2");
    objects[1].name = "half \xED\xA0\x80 pair";
    refused_for("object 2");
    objects[1].name = "turned \xE2\x80\xAE";
    refused_for("object 2");
    objects[1].name = objects[0].name;
    refused_for("object 2");
    objects[1].max_instances = 0;
    refused_for("object 2");
    objects[1].max_instances = PL_REGION_MAX_INSTANCES + 1;
    refused_for("object 2");
    objects[1].name_max = 256;
    refused_for("object 2");
    objects[1].detail = 150;
    refused_for("object 2");
    objects[1].flags = PL_PROV_PER_PROCESS;
    refused_for("object 2");
    objects[0].flags = 2;
    refused_for("object 1");
    objects[1].num_counters = 0;
    refused_for("object 2");
    objects[1].num_counters = 1025;
    refused_for("object 2");
    objects[1].default_counter = 9;
    refused_for("object 2");
    objects[1].max_instances = objects[2].max_instances = 65536;
    objects[1].name_max = objects[2].name_max = 255;
    refused_for("16 MiB");
    ck_assert_int_eq(pl_prov_check(objects, 0, NULL, 0), -1);
    ck_assert_int_eq(pl_prov_check(NULL, 1, NULL, 0), -1);
    ck_assert_int_eq(pl_prov_check(objects, 257, NULL, 0), -1);
}
END_TEST

START_TEST(each_rule_of_counters_is_told_with_its_row)
{
    begin_table();
    engine[1].id = 0;
    refused_for("object 1, row 2");
    engine[1].id = TURNS;
    refused_for("object 1, row 2");
    engine[1].name = NULL;
    refused_for("object 1, counter 2");
    engine[1].name = engine[0].name;
    refused_for("object 1, counter 2");
    engine[1].name = "iDENTITY";
    refused_for(
        "object 1, counter 2: the name belongs to a counter of perflog");
    engine[1].help = "bell \a";
    refused_for("object 1, counter 2");
    engine[1].scale = 10;
    refused_for("object 1, counter 2");
    engine[1].detail = 0;
    refused_for("object 1, counter 2");
    engine[1].value_of = SINCE;
    refused_for("object 1, counter 2");
    engine[1].value_of = TURNS_PER_SEC;
    refused_for("object 1, counter 2");
    engine[1].type = 0x00000B00; /* text */
    refused_for("object 1, counter 2");
    engine[3].type = PERF_RAW_BASE;
    refused_for("object 1, counter 3");
    engine[2].type = PERF_COUNTER_RAWCOUNT;
    refused_for("object 1, counter 4");
    objects[0].num_counters = 3;
    refused_for("object 1, counter 3");
}
END_TEST

/* ---- bytes ----------------------------------------------------------------- */

static uint64_t number_at(const uint8_t *p, size_t at, size_t n)
{
    uint64_t v = 0;

    memcpy(&v, p + at, n); /* of this host's order */
    return v;
}

START_TEST(a_region_has_the_bytes_that_its_description_says)
{
    struct pl_prov *p = publish("my prog");
    struct pl_prov_set valve = pl_prov_add(p, VALVE, "left", -1, NULL);
    const char *file;
    char expected[64];
    uint8_t *b;
    size_t n;

    pl_add(pl_prov_word_of(pl_prov_single(p, ENGINE), TURNS), 0x1122334455);
    pl_set(pl_prov_word_of(valve, PRESSURE), 77);
    b = read_file(pl_prov_path(p), &n);
    ck_assert(!memcmp(b, "\x89PLR1\r\x1a\n", 8));
    ck_assert_uint_eq(number_at(b, 8, 4), 256);
    ck_assert_uint_eq(number_at(b, 12, 4), 0x01020304);
    ck_assert_uint_eq(number_at(b, 24, 8), n);
    ck_assert_uint_eq(number_at(b, 80, 4), (uint64_t)getpid());
    ck_assert_uint_eq(number_at(b, 112, 4), 3); /* objects */
    ck_assert_uint_eq(number_at(b, 116, 4), 9); /* counters */
    ck_assert_uint_eq(number_at(b, 120, 4), 9); /* sets: 1 + 4 + 4 */
    ck_assert_uint_eq(number_at(b, 160, 4), 1); /* live */
    /* Values of the engine come first, those of valve 0 behind them. */
    ck_assert_uint_eq(number_at(b, number_at(b, 64, 4), 8), 0x1122334455);
    ck_assert_uint_eq(number_at(b, number_at(b, 64, 4) + 64 + 8, 8), 77);
    /* The slot of valve 0 lies behind the engine's. */
    n = number_at(b, 56, 4) + 64;
    ck_assert_uint_eq(number_at(b, n + 8, 8), UINT64_MAX);
    ck_assert_uint_eq(number_at(b, n + 20, 2), 4);
    ck_assert(!memcmp(b + n + 32, "left", 5));
    file = strrchr(pl_prov_path(p), '/') + 1;
    snprintf(expected, sizeof expected, "my_prog.%d.%016llx.plr", (int)getpid(),
             (unsigned long long)number_at(b, 72, 8));
    ck_assert_str_eq(file, expected);
    free(b);
    pl_prov_close(p);
    ck_assert_uint_eq(publishing_files(), 0);
}
END_TEST

/* ---- counting ---------------------------------------------------------------*/

enum { THREADS = 8 };

static pthread_barrier_t together;

/* Ten million by each thread: PERFLOG_TEST_FACTOR=20. */
static uint64_t num_adds(void)
{
    const char *factor = getenv("PERFLOG_TEST_FACTOR");

    return UINT64_C(500000) * (factor ? (unsigned)atoi(factor) : 1);
}

struct job {
    struct pl_prov *p;
    struct pl_prov_set set, own_set;
    unsigned number;
};

static void *count(void *arg)
{
    struct job *j = arg;
    struct pl_prov_word *turns = pl_prov_word_of(j->set, TURNS);
    struct pl_prov_word *sum = pl_prov_word_of(j->set, LOAD);
    struct pl_prov_word *base = pl_prov_word_of(j->set, LOAD_BASE);
    struct pl_prov_word *own = pl_prov_word_of(j->own_set, OPENED);
    const uint64_t adds = num_adds();

    pthread_barrier_wait(&together);
    for (uint64_t i = 0; i < adds; i++)
        pl_add(turns, 1);
    for (uint64_t i = 0; i < adds; i++) {
        pl_avg(j->set, sum, base, 3);
        pl_begin_own(j->own_set);
        pl_own(own, 2);
        pl_end_own(j->own_set);
    }
    return NULL;
}

static uint64_t value(struct pl_prov_set s, uint32_t counter)
{
    return __atomic_load_n(&pl_prov_word_of(s, counter)->v, __ATOMIC_RELAXED);
}

START_TEST(no_update_is_lost_by_threads_or_fork)
{
    struct pl_prov *p = publish("adds");
    pthread_t threads[THREADS];
    struct job jobs[THREADS];
    struct pl_prov_set one = pl_prov_single(p, ENGINE);

    pthread_barrier_init(&together, NULL, THREADS);
    for (unsigned i = 0; i < THREADS; i++) {
        char name[16];

        snprintf(name, sizeof name, "%u", i);
        jobs[i] = (struct job){
            p, one, pl_prov_add(p, i < 4 ? VALVE : PIPE, name, -1, NULL), i
        };
        ck_assert_int_eq(pthread_create(&threads[i], NULL, count, &jobs[i]), 0);
    }
    for (int i = 0; i < 3; i++) {
        pid_t child = fork();

        if (!child) { /* counts, but for nobody */
            pl_add(pl_prov_word_of(one, TURNS), 1000000);
            pl_add(pl_prov_word_of(jobs[0].own_set, OPENED), 1000000);
            _exit(0);
        }
        ck_assert_int_eq(waitpid(child, NULL, 0), child);
    }
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    ck_assert_uint_eq(value(one, TURNS), THREADS * num_adds());
    ck_assert_uint_eq(value(one, TURNS_PER_SEC), THREADS * num_adds());
    ck_assert_uint_eq(value(one, LOAD), THREADS * num_adds() * 3);
    ck_assert_uint_eq(value(one, LOAD_BASE), THREADS * num_adds());
    for (unsigned i = 0; i < THREADS; i++) {
        ck_assert_uint_eq(value(jobs[i].own_set, OPENED), num_adds() * 2);
        ck_assert_uint_eq(jobs[i].own_set.sync->enter, num_adds());
        ck_assert_uint_eq(jobs[i].own_set.sync->exit, num_adds());
    }
    ck_assert_uint_eq(one.sync->enter, one.sync->exit);
    pl_prov_close(p);
}
END_TEST

static struct pl_prov_word *signalled;

static void on_alarm(int sig)
{
    (void)sig;
    pl_add(signalled, 1);
}

START_TEST(a_signal_handler_may_count_inside_a_group)
{
    struct pl_prov *p = publish("signals");
    struct pl_prov_set one = pl_prov_single(p, ENGINE);
    struct sigaction act = { .sa_handler = on_alarm };

    signalled = pl_prov_word_of(one, TURNS);
    sigaction(SIGUSR1, &act, NULL);
    for (int i = 0; i < 1000; i++) {
        pl_begin(one);
        pl_add(signalled, 1);
        raise(SIGUSR1);
        pl_end(one);
    }
    ck_assert_uint_eq(value(one, TURNS), 2000);
    pl_prov_close(p);
}
END_TEST

/* ---- instances --------------------------------------------------------------*/

START_TEST(slots_are_used_in_turn_and_begin_at_zero)
{
    struct pl_prov *p = publish("slots");
    struct pl_prov_set s[MAX_VALVES], more, stale;

    for (uint32_t i = 0; i < MAX_VALVES; i++) {
        s[i] = pl_prov_add(p, VALVE, "v", -1, NULL);
        ck_assert_uint_eq(s[i].slot, i);
        pl_add(pl_prov_word_of(s[i], OPENED), 5);
    }
    more = pl_prov_add(p, VALVE, "one too many", -1, NULL);
    ck_assert_ptr_null(more.words);
    pl_add(pl_prov_word_of(more, OPENED), 1); /* for nobody */
    stale = s[2];
    pl_begin(s[2]); /* and never ended */
    pl_prov_remove(&s[2]);
    pl_prov_remove(&s[0]);
    ck_assert_ptr_null(s[2].words);
    more = pl_prov_add(p, VALVE, "again", -1, NULL);
    ck_assert_uint_eq(more.slot, 2); /* free for longer than 0 */
    ck_assert_uint_gt(more.serial, stale.serial);
    ck_assert_uint_eq(value(more, OPENED), 0);
    ck_assert_uint_eq(more.sync->enter, more.sync->exit);
    pl_prov_remove(&stale); /* whose slot is another's now */
    ck_assert_uint_eq(pl_prov_add(p, VALVE, "", 7, NULL).slot, 0);
    ck_assert_ptr_null(pl_prov_add(p, VALVE, "full", -1, NULL).words);
    pl_prov_close(p);
}
END_TEST

START_TEST(what_cannot_be_added_is_counted_as_refused)
{
    struct pl_prov *p = publish("refusing");
    struct pl_prov *q = publish("other");
    struct pl_prov_set parent = pl_prov_add(p, VALVE, "v", -1, NULL);
    struct pl_prov_set others = pl_prov_add(q, VALVE, "v", -1, NULL);
    uint8_t *b;
    size_t n;

    ck_assert_ptr_null(
        pl_prov_add(p, VALVE, "seventeen letters", -1, NULL).words);
    ck_assert_ptr_null(pl_prov_add(p, VALVE, "\x1b[31m", -1, NULL).words);
    ck_assert_ptr_null(pl_prov_add(p, VALVE, NULL, -1, NULL).words);
    ck_assert_ptr_null(pl_prov_add(p, VALVE, "x", INT64_MAX, NULL).words);
    ck_assert_ptr_null(pl_prov_add(p, VALVE, "x", -1, &parent).words);
    ck_assert_ptr_null(pl_prov_add(p, PIPE, "x", -1, &others).words);
    ck_assert_ptr_nonnull(pl_prov_add(p, PIPE, "x", -1, &parent).words);
    b = read_file(pl_prov_path(p), &n);
    ck_assert_uint_eq(number_at(b, 164, 4), 6);
    free(b);
    /* Not refused: there is no such object, or it has no instances. */
    ck_assert_ptr_null(pl_prov_add(p, ENGINE, "x", -1, NULL).words);
    ck_assert_ptr_null(pl_prov_add(p, 99, "x", -1, NULL).words);
    ck_assert_ptr_null(pl_prov_single(p, VALVE).words);
    ck_assert_ptr_nonnull(pl_prov_word_of(pl_prov_single(p, 99), 1));
    ck_assert_ptr_nonnull(pl_prov_word_of(pl_prov_single(p, ENGINE), 99));
    pl_prov_close(p);
    pl_prov_close(q);
}
END_TEST

START_TEST(renewing_zeroes_the_words_under_a_new_serial)
{
    struct pl_prov *p = publish("renewing");
    struct pl_prov_set s = pl_prov_single(p, ENGINE), before = s;

    pl_add(pl_prov_word_of(s, TURNS), 3);
    pl_prov_renew(&s);
    ck_assert_uint_ne(s.serial, before.serial);
    ck_assert_uint_eq(value(s, TURNS), 0);
    pl_add(pl_prov_word_of(s, TURNS), 1);
    pl_prov_renew(&before); /* is not the current one */
    ck_assert_uint_eq(value(s, TURNS), 1);
    pl_prov_close(p);
}
END_TEST

static void *add_and_remove(void *arg)
{
    struct pl_prov *p = arg;

    for (int i = 0; i < 20000; i++) {
        struct pl_prov_set s = pl_prov_add(p, VALVE, "v", -1, NULL);

        ck_assert_ptr_nonnull(s.words); /* two threads, four slots */
        ck_assert_uint_eq(value(s, OPENED), 0);
        pl_add(pl_prov_word_of(s, OPENED), 1);
        ck_assert_uint_eq(value(s, OPENED), 1);
        pl_prov_remove(&s);
    }
    return NULL;
}

START_TEST(threads_that_add_at_once_get_slots_of_their_own)
{
    struct pl_prov *p = publish("churn");
    pthread_t a, b;

    pthread_create(&a, NULL, add_and_remove, p);
    pthread_create(&b, NULL, add_and_remove, p);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pl_prov_close(p);
}
END_TEST

/* ---- where nothing can be published ------------------------------------------*/

static void works_for_nobody(int error, const char *dir, const char *says)
{
    const struct pl_prov_options options = { dir, 0 };
    struct pl_prov *p = NULL;
    struct pl_prov_set s;
    int got = pl_prov_open(&p, "sunk", publishing_table, NUM_OBJECTS, &options);

    ck_assert_int_eq(got, error);
    ck_assert_ptr_nonnull(p);
    ck_assert_msg(strstr(pl_prov_why(p), says), "'%s' has no '%s'",
                  pl_prov_why(p), says);
    ck_assert_str_eq(pl_prov_path(p), "");
    s = pl_prov_single(p, ENGINE);
    pl_begin(pl_prov_region(p));
    pl_avg(s, pl_prov_word_of(s, LOAD), pl_prov_word_of(s, LOAD_BASE), 1);
    pl_end(pl_prov_region(p));
    s = pl_prov_add(p, VALVE, "x", -1, NULL);
    pl_own(pl_prov_word_of(s, OPENED), 1);
    pl_prov_renew(&s);
    pl_prov_remove(&s);
    pl_prov_close(p);
}

START_TEST(an_application_runs_on_where_nothing_can_be_published)
{
    struct rlimit usual, none;
    struct pl_prov *p;

    publishing_dir();
    works_for_nobody(ENOENT, "/nonexistent", "/nonexistent");
    works_for_nobody(ENOTSUP, "/proc", "not on tmpfs");
    works_for_nobody(EINVAL, "relative/path", "no absolute path");
    works_for_nobody(ENOTDIR, "/proc/version", "cannot be opened");
    begin_table();
    objects[0].id = 0;
    ck_assert_int_eq(pl_prov_open(&p, "x", objects, NUM_OBJECTS, NULL), EINVAL);
    ck_assert_str_ne(pl_prov_why(p), "");
    pl_add(pl_prov_word_of(pl_prov_single(p, ENGINE), TURNS), 1);
    pl_prov_close(p);
    pl_prov_close(NULL);
    getrlimit(RLIMIT_NOFILE, &usual);
    none = (struct rlimit){ 0, usual.rlim_max };
    setrlimit(RLIMIT_NOFILE, &none);
    works_for_nobody(EMFILE, NULL, "cannot be opened");
    setrlimit(RLIMIT_NOFILE, &usual);
}
END_TEST

START_TEST(a_full_file_system_is_told_and_not_died_of)
{
    char path[] = "/tmp/perflog-full-XXXXXX";
    const struct pl_prov_options options = { path, 0 };
    struct pl_prov *p;

    ck_assert_ptr_nonnull(mkdtemp(path));
    if (unshare(CLONE_NEWNS) ||
        mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
        mount("perflog", path, "tmpfs", 0, "size=8k,nr_inodes=8")) {
        fprintf(stderr, "skipped: no file system may be mounted here\n");
        rmdir(path);
        return;
    }
    begin_table();
    objects[1].max_instances = 100;
    ck_assert_int_eq(pl_prov_open(&p, "x", objects, NUM_OBJECTS, &options),
                     ENOSPC);
    ck_assert_ptr_nonnull(strstr(pl_prov_why(p), "no place"));
    pl_prov_close(p);
    ck_assert_int_eq(
        pl_prov_open(&p, "x", publishing_table, NUM_OBJECTS, &options),
        0); /* this one fits */
    pl_prov_close(p);
    umount(path);
    rmdir(path);
}
END_TEST

/* ---- fork and exit -------------------------------------------------------------*/

START_TEST(a_child_counts_for_itself_alone_and_removes_nothing)
{
    struct pl_prov *p = publish("parent");
    struct pl_prov_set one = pl_prov_single(p, ENGINE);
    pid_t child = fork();
    int status;

    if (!child) {
        struct pl_prov *own;
        struct pl_prov_set s;

        pl_add(pl_prov_word_of(one, TURNS), 10);
        s = pl_prov_add(p, VALVE, "x", -1, NULL);
        pl_prov_remove(&s);
        if (!*pl_prov_why(p) || *pl_prov_path(p))
            _exit(1);
        pl_prov_close(p);
        if (publishing_files() != 1)
            _exit(2);
        if (pl_prov_open(&own, "child", publishing_table, NUM_OBJECTS, NULL) ||
            publishing_files() != 2)
            _exit(3);
        exit(0); /* withdraws its own */
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    ck_assert_uint_eq(value(one, TURNS), 0);
    ck_assert_uint_eq(publishing_files(), 1);
    pl_prov_close(p);
    ck_assert_uint_eq(publishing_files(), 0);
}
END_TEST

START_TEST(exit_withdraws_what_was_not_closed_and_a_kill_leaves_it)
{
    pid_t child;

    publishing_dir();
    for (int killed = 0; killed < 2; killed++) {
        child = fork();
        if (!child) {
            publish("leaving");
            if (killed)
                raise(SIGKILL);
            exit(0);
        }
        ck_assert_int_eq(waitpid(child, NULL, 0), child);
        ck_assert_uint_eq(publishing_files(), (size_t)killed);
    }
}
END_TEST

START_TEST(no_descriptor_stays_open)
{
    int before = dup(0), after;
    struct pl_prov *p = publish("descriptors");

    after = dup(0);
    ck_assert_int_eq(after, before + 1);
    pl_prov_close(p);
}
END_TEST

int main(void)
{
    TCase *tables = tcase_create("tables");
    TCase *counting = tcase_create("counting");
    TCase *trouble = tcase_create("trouble");
    TCase *const tcases[] = { tables, counting, trouble, NULL };

    tcase_add_test(tables, each_rule_of_objects_is_told_with_its_row);
    tcase_add_test(tables, each_rule_of_counters_is_told_with_its_row);
    tcase_add_test(tables, a_region_has_the_bytes_that_its_description_says);
    tcase_add_test(counting, no_update_is_lost_by_threads_or_fork);
    tcase_add_test(counting, a_signal_handler_may_count_inside_a_group);
    tcase_add_test(counting, slots_are_used_in_turn_and_begin_at_zero);
    tcase_add_test(counting, what_cannot_be_added_is_counted_as_refused);
    tcase_add_test(counting, renewing_zeroes_the_words_under_a_new_serial);
    tcase_add_test(counting, threads_that_add_at_once_get_slots_of_their_own);
    tcase_add_test(trouble,
                   an_application_runs_on_where_nothing_can_be_published);
    tcase_add_test(trouble, a_full_file_system_is_told_and_not_died_of);
    tcase_add_test(trouble,
                   a_child_counts_for_itself_alone_and_removes_nothing);
    tcase_add_test(trouble,
                   exit_withdraws_what_was_not_closed_and_a_kill_leaves_it);
    tcase_add_test(trouble, no_descriptor_stays_open);
    return run_suite("provider", tcases);
}
