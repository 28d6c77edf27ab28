/* Untrusted users' regions: titles, rows, and the time to open their files. */
#include "logger/linux/published/region_parts.h"
#include "tests/support/publishing.h"
#include "tests/support/support.h"
#include "tests/support/watching.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STRANGER = 12345, MANY = 40 };
enum { TITLES = 520 }; /* more than half of what a user may have */

/* A region of another user. */
static struct pl_prov *publish_as(uid_t user, unsigned number)
{
    struct pl_prov *p;
    char name[16];

    snprintf(name, sizeof name, "u%uof%u", number, (unsigned)user);
    p = publish(name);
    ck_assert_int_eq(chown(pl_prov_path(p), user, user), 0);
    return p;
}

static unsigned num_of(const struct watch *w, uid_t user)
{
    unsigned num = 0;

    for (size_t i = 0; i < pl_regions_num(w->regions); i++)
        num += pl_regions_at(w->regions, i)->uid == user;
    return num;
}

/* So many at once that not all can be opened in a sample. */
START_TEST(opening_files_of_one_user_delays_no_other)
{
    struct pl_prov *p[MANY + 2];
    struct watch w;

    publishing_dir();
    watch_begin(&w);
    for (unsigned i = 0; i < MANY; i++)
        p[i] = publish_as(STRANGER, i);
    p[MANY] = publish_as(STRANGER + 1, MANY);
    p[MANY + 1] = publish("ours");
    watch_scan(&w);
    ck_assert_uint_le(num_of(&w, STRANGER), 4);
    ck_assert_uint_ge(num_of(&w, STRANGER), 2);
    ck_assert_uint_eq(num_of(&w, STRANGER + 1), 1);
    ck_assert_int_eq(watch_region(&w, "ours")->state, PL_STATE_LIVE);
    for (int i = 0; i < 100 && num_of(&w, STRANGER) < MANY; i++)
        watch_scan(&w);
    ck_assert_uint_eq(num_of(&w, STRANGER), MANY);
    watch_end(&w);
    for (unsigned i = 0; i < MANY + 2; i++)
        pl_prov_close(p[i]);
}
END_TEST

static struct pl_prov *publish_long(const char *program)
{
    static struct pl_prov_counter counters[TITLES];
    static char names[TITLES][8], help[200];
    const struct pl_prov_object table = {
        1, "Long",   "",    PL_PROV_NO_INSTANCES, 0, PL_PROV_NOVICE, 0,
        1, counters, TITLES
    };
    struct pl_prov *p;

    memset(help, 'h', sizeof help - 1);
    for (uint32_t i = 0; i < TITLES; i++) {
        snprintf(names[i], sizeof names[i], "L%u", i);
        counters[i] =
            (struct pl_prov_counter){ i + 1,    PERF_COUNTER_LARGE_RAWCOUNT,
                                      names[i], help,
                                      0,        PL_PROV_NOVICE,
                                      0 };
    }
    ck_assert_int_eq(pl_prov_open(&p, program, &table, 1, NULL), 0);
    return p;
}

/* Neither what events name nor what a list has: one user's work is bounded for
 * both. */
START_TEST(long_definitions_of_one_user_are_all_of_a_samples_work)
{
    struct pl_prov *theirs, *p[MANY];
    struct watch w;

    publishing_dir();
    watch_begin(&w);
    theirs = publish_long("long");
    ck_assert_int_eq(chown(pl_prov_path(theirs), STRANGER, STRANGER), 0);
    for (unsigned i = 0; i < MANY; i++)
        p[i] = publish_as(STRANGER, i);
    watch_scan(&w);
    ck_assert_uint_eq(num_of(&w, STRANGER), 1);
    watch_scan(&w);
    ck_assert_uint_gt(num_of(&w, STRANGER), 1);
    watch_end(&w);
    pl_prov_close(theirs);
    for (unsigned i = 0; i < MANY; i++)
        pl_prov_close(p[i]);
}
END_TEST

/* Who began before the recorder has no sample to lose, however many there are. */
START_TEST(all_are_there_in_the_first_sample)
{
    struct pl_prov *p[MANY];
    struct watch w;

    publishing_dir();
    for (unsigned i = 0; i < MANY; i++)
        p[i] = publish_as(STRANGER, i);
    watch_begin(&w);
    ck_assert_uint_eq(num_of(&w, STRANGER), MANY);
    watch_end(&w);
    for (unsigned i = 0; i < MANY; i++)
        pl_prov_close(p[i]);
}
END_TEST

/* A row of Perflog Provider is paid for as values are. */
START_TEST(a_user_without_allowance_has_no_row)
{
    struct pl_prov *p, *ours;
    struct pl_region *g;
    struct watch w;

    publishing_dir();
    p = publish_as(STRANGER, 1);
    ours = publish("ours"); /* after it, so its row is the second */
    watch_begin(&w);
    watch_scan(&w);
    g = watch_region(&w, "u1of12345");
    ck_assert(pl_regions_lists(w.regions, g));
    g->publisher->allowance = -1000000;
    watch_scan(&w);
    ck_assert(!pl_regions_lists(w.regions, g));
    ck_assert_int_eq(g->state, PL_STATE_OVER_LIMIT);
    g = watch_region(&w, "ours");
    ck_assert(pl_regions_lists(w.regions, g));
    ck_assert_uint_eq(g->position, 0); /* as the only row */
    g = watch_region(&w, "u1of12345");
    g->publisher->allowance = 1000;
    watch_scan(&w);
    ck_assert(pl_regions_lists(w.regions, g));
    watch_end(&w);
    pl_prov_close(p);
    pl_prov_close(ours);
}
END_TEST

static void make_invalid(uid_t user, unsigned n)
{
    char path[256];
    int fd;

    snprintf(path, sizeof path, "%s/x.1.%016x.plr", publishing_dir(), n);
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0640);
    ck_assert_int_eq(write(fd, "x", 1), 1);
    ck_assert_int_eq(fchown(fd, user, user), 0);
    close(fd);
}

/* A user may have 65,536 numbers (subuid(5)). */
START_TEST(invalid_files_of_many_users_keep_no_other_out)
{
    enum { USERS = 40, FILES = 8 };
    struct pl_prov *p;
    struct watch w;
    int scans = 0;

    for (unsigned n = 0; n < USERS * FILES; n++)
        make_invalid(100000 + n / FILES, n);
    watch_begin(&w);
    ck_assert_uint_eq(w.regions->publishers.taken[PL_SHARE_UNVALIDATED], 256);
    p = publish_as(STRANGER, 1);
    do
        watch_scan(&w);
    while (!num_of(&w, STRANGER) && ++scans < 200);
    ck_assert_int_eq(watch_region(&w, "u1of12345")->state, PL_STATE_LIVE);
    for (scans = 0; scans < 200; scans++)
        watch_scan(&w);
    ck_assert_int_eq(watch_region(&w, "u1of12345")->state, PL_STATE_LIVE);
    ck_assert_uint_le(w.regions->publishers.taken[PL_SHARE_UNVALIDATED], 256);
    watch_end(&w);
    pl_prov_close(p);
}
END_TEST

/* An object has a header and definitions even without instances. */
START_TEST(a_region_left_out_adds_no_object_to_the_block)
{
    struct pl_prov *p;
    struct pl_region *g;
    struct watch w;

    publishing_dir();
    p = publish_as(STRANGER, 1);
    watch_begin(&w);
    watch_scan(&w);
    g = watch_region(&w, "u1of12345");
    ck_assert_ptr_eq(g->table->first, g);
    g->publisher->allowance = -1000000;
    watch_scan(&w);
    ck_assert_ptr_null(g->table->first);
    g->publisher->allowance = 1000000;
    watch_scan(&w);
    ck_assert_ptr_eq(g->table->first, g);
    watch_end(&w);
    pl_prov_close(p);
}
END_TEST

/* An untrusted publisher's tables. */
START_TEST(an_untrusted_user_leaves_titles_for_others)
{
    static struct pl_prov_counter counters[TITLES];
    static char names[TITLES][8];
    struct pl_prov_object table = {
        1, "Greedy 0", "",    PL_PROV_NO_INSTANCES, 0, PL_PROV_NOVICE, 0,
        1, counters,   TITLES
    };
    unsigned live = 0;
    struct pl_prov *theirs = NULL;
    struct watch w;

    for (uint32_t i = 0; i < TITLES; i++) {
        snprintf(names[i], sizeof names[i], "C%u", i);
        counters[i] = (struct pl_prov_counter){
            i + 1, PERF_COUNTER_LARGE_RAWCOUNT, names[i], "", 0, PL_PROV_NOVICE,
            0
        };
    }
    publishing_dir();
    watch_begin(&w);
    for (int i = 0; i < 6; i++) {
        char name[] = "Greedy 0", program[] = "greedy0";
        struct pl_prov *p;

        name[7] = program[6] = (char)('0' + i);
        table.name = name;
        ck_assert_int_eq(pl_prov_open(&p, program, &table, 1, NULL), 0);
        /* Two of ours, and four of another user, who may have one. */
        if (i >= 2)
            ck_assert_int_eq(chown(pl_prov_path(p), 12345, 12345), 0);
        if (i == 2)
            theirs = p;
        watch_scan(&w);
        live += watch_region(&w, program)->state == PL_STATE_LIVE;
        ck_assert_int_eq(watch_region(&w, program)->state,
                         i < 3 ? PL_STATE_LIVE : PL_STATE_OVER_LIMIT);
    }
    ck_assert_uint_eq(live, 3);
    ck_assert_int_eq((int)watch_region(&w, "greedy3")->limit, PL_SHARE_TITLES);
    ck_assert_uint_ge(pl_regions_refusals(w.regions, PL_SHARE_TITLES), 3);
    /* What ended gives its titles back. */
    pl_prov_close(theirs);
    for (int i = 0; i < 70; i++)
        watch_scan(&w);
    for (int i = 3; i < 6; i++) {
        char program[] = "greedy0";

        program[6] = (char)('0' + i);
        live += watch_region(&w, program)->state == PL_STATE_LIVE;
    }
    ck_assert_uint_eq(live, 4);
    watch_end(&w);
}
END_TEST

/* Indexes of titles are not used again: who uses up those for untrusted
 * publishers leaves the others. */
START_TEST(an_untrusted_user_leaves_title_indexes_for_others)
{
    struct pl_prov *theirs, *ours;
    struct watch w;

    publishing_dir();
    watch_begin(&w);
    pl_regions_tables(w.regions)->num_titles = PL_UNTRUSTED_NUM_TITLES - 1;
    theirs = publish_as(STRANGER, 1);
    watch_scan(&w);
    ck_assert_int_eq(watch_region(&w, "u1of12345")->state, PL_STATE_OVER_LIMIT);
    ck_assert_int_eq((int)watch_region(&w, "u1of12345")->limit,
                     PL_SHARE_TITLES);
    ours = publish_as(0, 1);
    watch_scan(&w);
    ck_assert_int_eq(watch_region(&w, "u1of0")->state, PL_STATE_LIVE);
    watch_end(&w);
    pl_prov_close(theirs);
    pl_prov_close(ours);
}
END_TEST

static void become_stranger(struct pl_prov *p)
{
    if (chown(pl_prov_path(p), STRANGER, STRANGER) ||
        setresuid(STRANGER, STRANGER, STRANGER))
        _exit(1);
}

/* A user's files in one sample may name the user's process and another's. */
START_TEST(a_file_that_names_anothers_process_is_labelled_so)
{
    struct pl_prov *p;
    struct watch w;
    pid_t child = 0;

    publishing_dir();
    watch_begin(&w);
    w.machine.proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    watch_scan(&w);
    if (_i)
        child = publishing_child("theirs", become_stranger);
    p = publish_as(STRANGER, 1);
    if (!_i)
        child = publishing_child("theirs", become_stranger);
    watch_scan(&w);
    ck_assert_ptr_null(strstr(watch_region(&w, "theirs")->label, "of user"));
    ck_assert_ptr_nonnull(
        strstr(watch_region(&w, "u1of12345")->label, " of user 12345"));
    watch_end(&w);
    close(w.machine.proc);
    kill_child(child);
    pl_prov_close(p);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("untrusted");
    TCase *const tcases[] = { t, NULL };

    if (geteuid() != 0) {
        fprintf(stderr, "skipped: only root can make others' files\n");
        return 77;
    }
    tcase_add_test(t, opening_files_of_one_user_delays_no_other);
    tcase_add_test(t, long_definitions_of_one_user_are_all_of_a_samples_work);
    tcase_add_test(t, all_are_there_in_the_first_sample);
    tcase_add_test(t, a_user_without_allowance_has_no_row);
    tcase_add_test(t, a_region_left_out_adds_no_object_to_the_block);
    tcase_add_test(t, invalid_files_of_many_users_keep_no_other_out);
    tcase_add_test(t, an_untrusted_user_leaves_titles_for_others);
    tcase_add_test(t, an_untrusted_user_leaves_title_indexes_for_others);
    tcase_add_loop_test(t, a_file_that_names_anothers_process_is_labelled_so, 0,
                        2);
    return run_suite("linux_untrusted", tcases);
}
