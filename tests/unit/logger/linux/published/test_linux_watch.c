/* What the recorder does not look at: told by the kernel, asked in turn. */
#include "logger/linux/published/region_parts.h"
#include "tests/support/publishing.h"
#include "tests/support/support.h"
#include "tests/support/watching.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MANY = 100 };

/* ---- watches that cannot be had ---------------------------------------------*/

static bool no_inotify, no_watches;

int __real_inotify_init1(int flags);
int __wrap_inotify_init1(int flags);
int __wrap_inotify_init1(int flags)
{
    if (!no_inotify)
        return __real_inotify_init1(flags);
    errno = EMFILE;
    return -1;
}

int __real_inotify_add_watch(int fd, const char *path, uint32_t mask);
int __wrap_inotify_add_watch(int fd, const char *path, uint32_t mask);
int __wrap_inotify_add_watch(int fd, const char *path, uint32_t mask)
{
    if (!no_watches)
        return __real_inotify_add_watch(fd, path, mask);
    errno = ENOSPC;
    return -1;
}

static bool overflow;

ssize_t __real_read(int fd, void *p, size_t n);
ssize_t __wrap_read(int fd, void *p, size_t n);
ssize_t __wrap_read(int fd, void *p, size_t n)
{
    const struct inotify_event lost = { .wd = -1, .mask = IN_Q_OVERFLOW };

    if (!overflow)
        return __real_read(fd, p, n);
    overflow = false;
    memcpy(p, &lost, sizeof lost);
    return sizeof lost;
}

/* ---- quiet samples ----------------------------------------------------------*/

static uint64_t calls_of(struct watch *w, unsigned scans)
{
    uint64_t before = w->machine.system_calls;

    while (scans--)
        watch_scan(w);
    return w->machine.system_calls - before;
}

static void publish_many(struct pl_prov *p[MANY])
{
    for (unsigned i = 0; i < MANY; i++)
        p[i] = publish("many");
}

static void close_many(struct pl_prov *p[MANY])
{
    for (unsigned i = 0; i < MANY; i++)
        pl_prov_close(p[i]);
}

/* One call each, and each region is asked (two calls) once in 60. */
START_TEST(a_sample_in_which_nothing_happened_makes_one_call)
{
    struct pl_prov *p[MANY];
    struct watch w;

    publish_many(p);
    watch_begin(&w);
    watch_scan(&w);
    ck_assert_uint_eq(calls_of(&w, ASK_AGAIN), ASK_AGAIN + 2 * MANY);
    for (unsigned i = 0; i < MANY; i++)
        pl_add(pl_prov_word_of(pl_prov_single(p[i], ENGINE), TURNS), 1);
    ck_assert_uint_eq(calls_of(&w, ASK_AGAIN), ASK_AGAIN + 2 * MANY);
    watch_end(&w);
    close_many(p);
}
END_TEST

/* Listing takes three, or two where there is nothing more. */
START_TEST(without_watches_everything_is_looked_at)
{
    struct pl_prov *p[MANY];
    struct watch w;

    no_inotify = _i == 0;
    no_watches = _i == 1;
    publish_many(p);
    watch_begin(&w);
    watch_scan(&w);
    ck_assert_uint_ge(calls_of(&w, 10), 10 * (2 + 2 * MANY));
    pl_prov_close(p[MANY - 1]);
    p[MANY - 1] = publish("late");
    watch_scan(&w);
    ck_assert_ptr_nonnull(watch_find(&w, "late"));
    watch_end(&w);
    close_many(p);
}
END_TEST

START_TEST(what_is_heard_of_is_asked_and_nothing_else)
{
    struct pl_prov *p[MANY];
    struct watch w;
    int stray;

    publish_many(p);
    watch_begin(&w);
    calls_of(&w, 3);
    stray = open(pl_prov_path(p[7]), O_RDWR);
    close(stray); /* as if its owner had let go, but it has not */
    ck_assert_uint_ge(calls_of(&w, 1), 1 + 1 + 2); /* the watch is removed */
    ck_assert_uint_ge(calls_of(&w, 1), 1 + 2);
    ck_assert_uint_le(calls_of(&w, 1), 1 + 2 + 2 * MANY / 10);
    ck_assert_uint_eq(pl_regions_num(w.regions), MANY);
    watch_end(&w);
    close_many(p);
}
END_TEST

/* ---- what is never missed ----------------------------------------------------*/

static void hole_by_length(const char *path, const struct forged *f)
{
    ck_assert_int_eq(truncate(path, 256), 0);
    ck_assert_int_eq(truncate(path, (off_t)f->len), 0);
}

static void hole_by_punching(const char *path, const struct forged *f)
{
    int fd = open(path, O_RDWR);

    ck_assert_int_eq(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                               0, (off_t)f->len / 4096 * 4096),
                     0);
    close(fd);
}

/* Under its name, or under another one in a folder that nobody watches. */
START_TEST(holes_made_between_two_samples_are_noticed)
{
    struct forged f;
    struct watch w;
    char other[300];

    watch_is_notified = _i < 4;
    forge_region(&f, "holes");
    ck_assert_int_eq(ftruncate(f.fd, 8192), 0); /* two whole pages */
    f.len = 8192;
    ck_assert_int_eq(posix_fallocate(f.fd, 0, 8192), 0);
    ck_assert_int_eq(pwrite(f.fd, &(uint64_t){ 8192 }, 8, 24), 8);
    watch_begin(&w);
    for (int i = 0; i < 5; i++)
        watch_scan(&w);
    ck_assert_int_eq(watch_region(&w, "holes")->state, PL_STATE_LIVE);
    snprintf(other, sizeof other, "%s-link", publishing_dir());
    if (_i & 1) {
        ck_assert_int_eq(link(f.path, other), 0);
        ck_assert_int_eq(unlink(f.path), 0);
        watch_scan(&w);
    }
    (_i & 2 ? hole_by_length : hole_by_punching)(_i & 1 ? other : f.path, &f);
    watch_scan(&w);
    unlink(other);
    ck_assert_int_eq(watch_region(&w, "holes")->state, PL_STATE_INVALID);
    ck_assert_int_eq(watch_region(&w, "holes")->reason, PL_REASON_SPARSE);
    discard_region(&f);
    watch_end(&w);
}
END_TEST

/* By its own hand, or another's: it is the same file. */
START_TEST(a_region_whose_file_was_taken_away_is_read_to_its_end)
{
    char other[300];
    struct watch w;
    struct pl_region *g;
    pid_t child;

    publishing_dir();
    child = publishing_child("bare", NULL);
    watch_begin(&w);
    watch_scan(&w);
    g = watch_region(&w, "bare");
    snprintf(other, sizeof other, "%s-moved", publishing_dir());
    if (_i == 0)
        ck_assert_int_eq(unlink(path_in(publishing_dir(), g->file)), 0);
    else
        ck_assert_int_eq(rename(path_in(publishing_dir(), g->file), other), 0);
    for (int i = 0; i < 5; i++)
        watch_scan(&w);
    ck_assert_int_eq(watch_region(&w, "bare")->state, PL_STATE_LIVE);
    kill_child(child);
    watch_scan(&w);
    ck_assert_int_eq(watch_region(&w, "bare")->state, PL_STATE_FINAL);
    watch_scan(&w);
    ck_assert_ptr_null(watch_find(&w, "bare"));
    unlink(other);
    watch_end(&w);
}
END_TEST

/* The same file twice, each with a name that could be its. */
START_TEST(a_file_with_two_names_is_two_regions_that_both_end)
{
    struct forged f;
    struct watch w;
    char second[300];

    forge_region(&f, "first");
    watch_begin(&w);
    watch_scan(&w);
    snprintf(second, sizeof second, "%s/second.1%s", publishing_dir(),
             strrchr(f.path, '.') - 17);
    ck_assert_int_eq(rename(f.path, second), 0);
    watch_until(&w, "second");
    for (int i = 0; i < 3; i++)
        watch_scan(&w);
    close(f.fd); /* nobody holds it any more */
    watch_scan(&w);
    ck_assert_int_eq(watch_region(&w, "first")->state, PL_STATE_FINAL);
    ck_assert_int_eq(watch_region(&w, "second")->state, PL_STATE_FINAL);
    watch_scan(&w);
    ck_assert_ptr_null(watch_find(&w, "second"));
    free(f.bytes);
    watch_end(&w);
}
END_TEST

/* ---- events that are lost, or far too many -----------------------------------*/

static void drop_events(struct watch *w)
{
    static char events[1 << 16];

    while (read(w->regions->watch, events, sizeof events) > 0)
        ;
}

START_TEST(an_end_that_was_not_told_is_noticed_in_its_turn)
{
    struct watch w;
    pid_t child;
    int scans = 0;

    publishing_dir();
    child = publishing_child("quiet", NULL);
    watch_begin(&w);
    watch_scan(&w);
    kill_child(child);
    drop_events(&w);
    while (watch_find(&w, "quiet") && scans < 1000) {
        watch_scan(&w);
        scans++;
    }
    ck_assert_int_le(scans, ASK_AGAIN + 1);
    watch_end(&w);
}
END_TEST

/* Where the queue holds less than what is read of it. */
START_TEST(where_events_are_lost_all_are_asked)
{
    struct pl_prov *p;
    struct watch w;
    pid_t child;

    publishing_dir();
    child = publishing_child("lost", NULL);
    watch_begin(&w);
    calls_of(&w, 3);
    kill_child(child);
    p = publish("found");
    drop_events(&w);
    overflow = true;
    watch_scan(&w);
    ck_assert_int_eq(watch_region(&w, "lost")->state, PL_STATE_FINAL);
    ck_assert_ptr_nonnull(watch_find(&w, "found"));
    watch_end(&w);
    pl_prov_close(p);
}
END_TEST

/* Files that are none of ours; the queue of events overflows. */
static void flood(unsigned files)
{
    const char *path = path_in(publishing_dir(), "x");
    const char *other = path_in(publishing_dir(), "y");

    write_file(path, "x", 1);
    for (unsigned i = 0; i < files; i++) {
        ck_assert_int_eq(rename(path, other), 0);
        ck_assert_int_eq(rename(other, path), 0);
    }
    unlink(path);
}

START_TEST(who_dies_in_a_flood_of_events_is_noticed_in_the_next_sample)
{
    static const unsigned floods[] = { 20, 100, 20000 };
    uint64_t calls;
    struct watch w;
    pid_t child;

    publishing_dir();
    child = publishing_child("drowned", NULL);
    watch_begin(&w);
    watch_scan(&w);
    flood(floods[_i]);
    kill_child(child);
    calls = calls_of(&w, 1);
    ck_assert_uint_le(calls, 42); /* a bounded number of them is read */
    ck_assert_int_eq(watch_region(&w, "drowned")->state, PL_STATE_FINAL);
    watch_scan(&w);
    ck_assert_uint_eq(publishing_files(), 0);
    calls_of(&w, 1000); /* the flood has run off */
    ck_assert_uint_eq(calls_of(&w, 10), 10);
    watch_end(&w);
}
END_TEST

/* Long after its file was made, elsewhere. */
START_TEST(what_is_moved_into_a_folder_is_met)
{
    struct forged f;
    struct watch w;
    char other[300];

    forge_region(&f, "guest");
    snprintf(other, sizeof other, "%s-guest", publishing_dir());
    ck_assert_int_eq(rename(f.path, other), 0);
    watch_begin(&w);
    calls_of(&w, 5);
    ck_assert_ptr_null(watch_find(&w, "guest"));
    ck_assert_int_eq(rename(other, f.path), 0);
    watch_scan(&w);
    ck_assert_ptr_nonnull(watch_find(&w, "guest"));
    discard_region(&f);
    watch_end(&w);
}
END_TEST

START_TEST(who_comes_in_a_flood_of_events_is_met_in_the_next_sample)
{
    struct pl_prov *p;
    struct watch w;

    watch_begin(&w);
    calls_of(&w, 3);
    flood(20000);
    p = publish("swimmer");
    watch_scan(&w);
    ck_assert_ptr_nonnull(watch_find(&w, "swimmer"));
    watch_end(&w);
    pl_prov_close(p);
}
END_TEST

/* ---- folders -------------------------------------------------------------------*/

/* As ten seconds later. */
static void look_for_folders(struct watch *w)
{
    w->regions->listed_ns = INT64_MIN / 2;
    watch_scan(w);
}

START_TEST(a_folder_that_is_made_anew_is_found_as_often_as_it_is)
{
    char path[256];
    struct watch w;

    watch_is_notified = _i == 0;
    snprintf(path, sizeof path, "%s/below", publishing_dir());
    setenv("PERFLOG_PROVIDER_DIR", path, 1);
    watch_begin(&w); /* it is not there yet */
    for (int i = 0; i < 2 * MAX_FOLDERS; i++) {
        struct pl_prov *p;

        ck_assert_int_eq(mkdir(path, 0700), 0);
        look_for_folders(&w);
        ck_assert_int_eq(
            pl_prov_open(&p, "anew", publishing_table, NUM_OBJECTS, NULL), 0);
        watch_scan(&w);
        ck_assert_msg(watch_find(&w, "anew") != NULL, "folder %d", i);
        pl_prov_close(p);
        ck_assert_int_eq(rmdir(path), 0);
        watch_scan(&w);
        watch_scan(&w);
    }
    ck_assert_uint_le(w.regions->num_folders, 2);
    watch_end(&w);
}
END_TEST

/* Watches that the kernel has for the recorder. */
static unsigned num_watches(const struct watch *w)
{
    char path[64], line[256];
    unsigned num = 0;
    FILE *f;

    snprintf(path, sizeof path, "/proc/self/fdinfo/%d", w->regions->watch);
    f = fopen(path, "re");
    ck_assert_ptr_nonnull(f);
    while (fgets(line, sizeof line, f))
        num += !strncmp(line, "inotify ", 8);
    fclose(f);
    return num;
}

/* A user may do so as often as he likes, and root's watches are limited. */
START_TEST(folders_moved_away_are_not_watched_any_more)
{
    enum { TIMES = 5 };
    char up[256], path[256], moved[256];
    unsigned watches = 0, parents = 0;
    struct watch w;

    snprintf(up, sizeof up, "%s/up", publishing_dir());
    snprintf(path, sizeof path, "%s/up/below", publishing_dir());
    setenv("PERFLOG_PROVIDER_DIR", path, 1);
    watch_begin(&w);
    for (int i = 0; i < TIMES; i++) {
        ck_assert_int_eq(mkdir(up, 0700), 0);
        ck_assert_int_eq(mkdir(path, 0700), 0);
        look_for_folders(&w);
        watch_scan(&w); /* hears that the former watches ended */
        if (!i) {
            watches = num_watches(&w);
            parents = w.regions->num_parents;
        }
        ck_assert_uint_eq(num_watches(&w), watches);
        ck_assert_uint_eq(w.regions->num_parents, parents);
        snprintf(moved, sizeof moved, "%s/moved%d", publishing_dir(), i);
        ck_assert_int_eq(rename(up, moved), 0);
    }
    watch_end(&w);
    for (int i = 0; i < TIMES; i++) {
        snprintf(moved, sizeof moved, "%s/moved%d/below", publishing_dir(), i);
        ck_assert_int_eq(rmdir(moved), 0);
        *strrchr(moved, '/') = 0;
        ck_assert_int_eq(rmdir(moved), 0);
    }
}
END_TEST

/* Its owner counts on, and what he leaves behind is removed there. */
START_TEST(a_folder_is_kept_while_a_region_of_it_is_alive)
{
    char path[256], moved[256];
    struct watch w;
    pid_t child;

    snprintf(path, sizeof path, "%s/below", publishing_dir());
    snprintf(moved, sizeof moved, "%s/moved", publishing_dir());
    ck_assert_int_eq(mkdir(path, 0700), 0);
    setenv("PERFLOG_PROVIDER_DIR", path, 1);
    child = publishing_child("carried", NULL);
    watch_begin(&w);
    watch_scan(&w);
    ck_assert_int_eq(rename(path, moved), 0);
    look_for_folders(&w);
    look_for_folders(&w);
    ck_assert_int_eq(watch_region(&w, "carried")->state, PL_STATE_LIVE);
    kill_child(child);
    watch_scan(&w);
    ck_assert_int_eq(watch_region(&w, "carried")->state, PL_STATE_FINAL);
    look_for_folders(&w);
    ck_assert_ptr_null(watch_find(&w, "carried"));
    ck_assert_int_eq(w.regions->folders[0].fd, -1);
    ck_assert_int_eq(rmdir(moved), 0); /* it is empty */
    watch_end(&w);
}
END_TEST

/* ---- limits ----------------------------------------------------------------------*/

/* No more files can be opened; returns the limit before. */
static struct rlimit take_descriptors(void)
{
    struct rlimit before, none;

    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = before;
    none.rlim_cur = 3;
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
    return before;
}

/* Though it is tried again from time to time. */
START_TEST(a_region_over_a_limit_is_noted_once)
{
    struct rlimit before;
    struct pl_prov *p;
    struct watch w;
    unsigned notes = 0;

    watch_begin(&w);
    calls_of(&w, 3);
    p = publish("waiting");
    before = take_descriptors();
    for (int i = 0; i < 5 * ASK_AGAIN; i++) {
        enum pl_note_kind kind;
        char text[512];

        watch_scan(&w);
        while (pl_regions_news(w.regions, &kind, text, sizeof text))
            notes++;
    }
    ck_assert_uint_gt(pl_regions_refusals(w.regions, PL_SHARE_PLACES), 3);
    ck_assert_uint_eq(notes, 1);
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
    watch_end(&w);
    pl_prov_close(p);
}
END_TEST

START_TEST(what_was_over_a_limit_finds_a_place_later)
{
    struct rlimit before;
    struct pl_prov *p;
    struct watch w;
    int scans = 0;

    watch_begin(&w);
    calls_of(&w, 3);
    p = publish("waiting");
    before = take_descriptors();
    watch_scan(&w);
    ck_assert_int_eq(watch_region(&w, "waiting")->state, PL_STATE_OVER_LIMIT);
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
    do
        watch_scan(&w);
    while (watch_region(&w, "waiting")->state != PL_STATE_LIVE &&
           ++scans < 1000);
    ck_assert_int_le(scans, ASK_AGAIN + 1);
    watch_end(&w);
    pl_prov_close(p);
}
END_TEST

/* A region that is far too large for so short a time. */
START_TEST(a_region_without_end_is_left_out_in_time)
{
    static const struct pl_prov_counter counter[] = {
        { 1, PERF_COUNTER_LARGE_RAWCOUNT, "C", "", 0, PL_PROV_NOVICE, 0 },
    };
    static const struct pl_prov_object vast[] = {
        { 1, "Vast", "", 65536, 0, PL_PROV_NOVICE, 0, 1, counter, 1 },
    };
    struct pl_published_list *l;
    struct pl_prov *p, *small = publish("small");
    struct pl_region *g;
    struct watch w;

    ck_assert_int_eq(pl_prov_open(&p, "vast", vast, 1, NULL), 0);
    for (int64_t i = 0; i < 65536; i++)
        pl_prov_add(p, 1, NULL, i, NULL);
    watch_begin(&w);
    watch_scan(&w);
    g = watch_region(&w, "vast");
    l = pl_regions_tables(w.regions);
    ck_assert_int_eq(pl_region_copy_values(g, l, INT64_MAX), PL_REASON_NONE);
    ck_assert_int_eq(pl_region_copy_values(g, l, 0), PL_REASON_LIMIT);
    w.regions->budget_ns = -10000000;
    watch_scan(&w);
    ck_assert_int_eq(g->state, PL_STATE_OVER_LIMIT);
    w.regions->budget_ns = INT64_C(10000000000);
    watch_scan(&w);
    ck_assert_int_eq(g->state, PL_STATE_LIVE);
    ck_assert_int_eq(watch_region(&w, "small")->state, PL_STATE_LIVE);
    watch_end(&w);
    pl_prov_close(p);
    pl_prov_close(small);
}
END_TEST

/* Files of no interest are as much work as any to list. */
START_TEST(a_crowd_of_other_files_is_listed_in_turns)
{
    struct watch w;
    char name[32];
    int fd;

    for (unsigned i = 0; i < 3000; i++) {
        snprintf(name, sizeof name, "n%u", i);
        write_file(path_in(publishing_dir(), name), "", 0);
    }
    watch_begin(&w);
    fd = w.regions->folders[0].fd;
    pl_regions_relist(&w.regions->folders[0]);
    w.regions->search_end_ns = 0;
    pl_regions_list_folder(w.regions, 0);
    ck_assert_int_gt(lseek(fd, 0, SEEK_CUR), 0); /* it stands amid them */
    for (int i = 0; i < 20 && !w.regions->folders[0].is_listed; i++)
        watch_scan(&w);
    ck_assert_int_eq(lseek(fd, 0, SEEK_CUR), 0);
    ck_assert(w.regions->folders[0].is_listed);
    watch_end(&w);
}
END_TEST

/* An event costs a read's part; a name that is gone costs a call of its own. */
START_TEST(names_of_files_that_are_gone_are_looked_up_for_a_while)
{
    enum { GONE = 600, LOOKED_UP = 64 + 4096 / 32 };
    char path[512];
    struct watch w;

    watch_begin(&w);
    watch_scan(&w);
    w.regions->search_ns = 0; /* leave what is done regardless of time */
    for (int i = 0; i < GONE; i++) {
        snprintf(path, sizeof path, "%s/%d" PL_REGION_SUFFIX, publishing_dir(),
                 i);
        ck_assert_int_eq(close(open(path, O_CREAT | O_WRONLY, 0644)), 0);
        ck_assert_int_eq(unlink(path), 0);
    }
    ck_assert_uint_le(calls_of(&w, 1), LOOKED_UP + 10);
    watch_end(&w);
}
END_TEST

int main(void)
{
    TCase *quiet = tcase_create("quiet"), *missed = tcase_create("missed");
    TCase *folders = tcase_create("folders"), *limits = tcase_create("limits");
    TCase *const tcases[] = { quiet, missed, folders, limits, NULL };

    tcase_add_test(quiet, a_sample_in_which_nothing_happened_makes_one_call);
    tcase_add_loop_test(quiet, without_watches_everything_is_looked_at, 0, 2);
    tcase_add_test(quiet, what_is_heard_of_is_asked_and_nothing_else);
    tcase_add_loop_test(missed, holes_made_between_two_samples_are_noticed, 0,
                        8);
    tcase_add_loop_test(
        missed, a_region_whose_file_was_taken_away_is_read_to_its_end, 0, 2);
    tcase_add_test(missed, a_file_with_two_names_is_two_regions_that_both_end);
    tcase_add_test(missed, an_end_that_was_not_told_is_noticed_in_its_turn);
    tcase_add_loop_test(
        missed, who_dies_in_a_flood_of_events_is_noticed_in_the_next_sample, 0,
        3);
    tcase_add_test(missed, where_events_are_lost_all_are_asked);
    tcase_add_test(missed, what_is_moved_into_a_folder_is_met);
    tcase_add_test(missed,
                   who_comes_in_a_flood_of_events_is_met_in_the_next_sample);
    tcase_add_test(missed,
                   names_of_files_that_are_gone_are_looked_up_for_a_while);
    tcase_add_loop_test(
        folders, a_folder_that_is_made_anew_is_found_as_often_as_it_is, 0, 2);
    tcase_add_test(folders, folders_moved_away_are_not_watched_any_more);
    tcase_add_test(folders, a_folder_is_kept_while_a_region_of_it_is_alive);
    tcase_add_test(limits, a_region_over_a_limit_is_noted_once);
    tcase_add_test(limits, what_was_over_a_limit_finds_a_place_later);
    tcase_add_test(limits, a_region_without_end_is_left_out_in_time);
    tcase_add_test(limits, a_crowd_of_other_files_is_listed_in_turns);
    return run_suite("linux_watch", tcases);
}
