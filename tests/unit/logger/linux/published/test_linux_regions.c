/* Files of regions that change, are replaced, are no files, or are too many. */
#include "logger/linux/published/region_parts.h"
#include "tests/support/publishing.h"
#include "tests/support/support.h"
#include "tests/support/watching.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- files that change, and too many of them ----------------------------------*/

/* Replaced by another one between being met and being opened. */
static const char *swap_in, *swap_out;

int __real_openat64(int dir, const char *path, int flags, unsigned mode);
int __wrap_openat64(int dir, const char *path, int flags, unsigned mode);
int __wrap_openat64(int dir, const char *path, int flags, unsigned mode)
{
    if (swap_in && !strcmp(strrchr(swap_out, '/') + 1, path)) {
        ck_assert_int_eq(rename(swap_in, swap_out), 0);
        swap_in = NULL;
    }
    return __real_openat64(dir, path, flags, mode);
}

START_TEST(a_file_that_is_another_once_it_is_open_is_not_believed)
{
    char other[300];
    struct forged f;
    struct watch w;

    publishing_dir();
    forge_region(&f, "swapped");
    snprintf(other, sizeof other, "%s/other", publishing_dir());
    write_file(other, f.bytes, f.len);
    chmod(other, 0640);
    swap_out = f.path;
    swap_in = other;
    watch_begin(&w);
    ck_assert_ptr_null(swap_in);
    ck_assert_int_eq(watch_region(&w, "swapped")->reason, PL_REASON_FILE);
    ck_assert_ptr_null(watch_region(&w, "swapped")->table);
    watch_end(&w);
    discard_region(&f);
}
END_TEST

START_TEST(a_file_that_took_the_place_of_a_dead_one_is_not_removed)
{
    char path[300], other[300];
    struct pl_region *g;
    struct watch w;
    uint8_t *now;
    size_t n;
    pid_t child;

    publishing_dir();
    child = publishing_child("dying", NULL);
    watch_begin(&w);
    watch_scan(&w);
    g = watch_region(&w, "dying");
    snprintf(path, sizeof path, "%s/%s", publishing_dir(), g->file);
    snprintf(other, sizeof other, "%s/other", publishing_dir());
    kill_child(child);
    watch_scan(&w);
    ck_assert_int_eq(watch_region(&w, "dying")->state, PL_STATE_FINAL);
    write_file(other, "mine", 4);
    ck_assert_int_eq(rename(other, path), 0);
    watch_scan(&w);
    watch_scan(&w);
    now = read_file(path, &n);
    ck_assert(n == 4 && !memcmp(now, "mine", 4));
    free(now);
    watch_end(&w);
}
END_TEST

/* Files seem to be as long as can be, without taking so much memory. */
static bool swollen;

int __real_fstat64(int fd, struct stat *st);
int __wrap_fstat64(int fd, struct stat *st);
int __wrap_fstat64(int fd, struct stat *st)
{
    int result = __real_fstat64(fd, st);

    if (!result && swollen && S_ISREG(st->st_mode)) {
        st->st_size = PL_REGION_MAX_SIZE;
        st->st_blocks = PL_REGION_MAX_SIZE / 512;
    }
    return result;
}

START_TEST(all_regions_together_are_no_longer_than_their_limit)
{
    /* MB that all may have, that one may; each takes a little more. */
    enum { FIT = 512 / 16 - 1, MANY = FIT + 2 };
    struct forged f[MANY];
    size_t believed = 0, refused = 0;
    char name[16];
    struct watch w;

    publishing_dir();
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "many%d", i);
        forge_region(&f[i], name);
        forge_word(&f[i], 24, PL_REGION_MAX_SIZE);
    }
    swollen = true;
    watch_begin(&w);
    for (size_t i = 0; i < pl_regions_num(w.regions); i++) {
        const struct pl_region *g = pl_regions_at(w.regions, i);

        believed += g->table != NULL;
        refused += !g->table && g->reason == PL_REASON_LIMIT;
    }
    ck_assert_uint_eq(believed, FIT);
    ck_assert_uint_eq(refused, MANY - FIT);
    swollen = false;
    watch_end(&w);
    for (int i = 0; i < MANY; i++)
        discard_region(&f[i]);
}
END_TEST

/* Where there is time for some only, they are others in each sample. */
START_TEST(who_had_no_turn_has_one_in_the_next_samples)
{
    enum { MANY = 40, SCANS = 4 };
    struct pl_prov *p[MANY];
    unsigned turns[MANY] = { 0 }, in_one;
    char name[16];
    struct watch w;

    publishing_dir();
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "many%d", i);
        p[i] = publish(name);
    }
    watch_begin(&w);
    ck_assert_uint_eq(pl_regions_num(w.regions), MANY);
    w.regions->budget_ns = 0;
    for (int k = 0; k < SCANS; k++) {
        in_one = 0;
        watch_scan(&w);
        for (size_t i = 0; i < MANY; i++) {
            const struct pl_region *g = pl_regions_at(w.regions, i);
            bool had = g->image.copies[0].copied != PL_COPIED_NONE;

            turns[i] += had;
            in_one += had;
        }
        ck_assert(in_one > 0 && in_one < MANY);
    }
    for (size_t i = 0; i < MANY; i++)
        ck_assert_msg(turns[i] > 0, "number %zu had none", i);
    watch_end(&w);
    for (int i = 0; i < MANY; i++)
        pl_prov_close(p[i]);
}
END_TEST

/* At exit, where threads may go on counting. */
START_TEST(what_says_that_it_is_closed_is_final_though_it_is_held)
{
    struct forged f;
    struct watch w;

    forge_region(&f, "exiting");
    forge_word(&f, 160, PL_REGION_CLOSED);
    watch_begin(&w);
    watch_scan(&w);
    ck_assert_int_eq(watch_region(&w, "exiting")->state, PL_STATE_FINAL);
    watch_scan(&w);
    ck_assert_ptr_null(watch_find(&w, "exiting"));
    discard_region(&f);
    watch_end(&w);
}
END_TEST

#ifndef __SANITIZE_THREAD__
START_TEST(a_file_cut_while_it_is_copied_is_survived)
{
    struct forged f;
    struct watch w;
    struct pl_region *g;

    forge_region(&f, "cut");
    watch_begin(&w);
    watch_scan(&w);
    g = watch_region(&w, "cut");
    forge_length(&f, 0); /* after the look at its size */
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(
            pl_region_copy_values(g, pl_regions_tables(w.regions), INT64_MAX),
            PL_REASON_TRUNCATED);
    discard_region(&f);
    watch_end(&w);
}
END_TEST
#endif

START_TEST(sigbus_elsewhere_is_as_deadly_as_ever)
{
    struct forged f;
    struct watch w;
    pid_t child;
    int status;

    forge_region(&f, "cut");
    watch_begin(&w);
    watch_scan(&w);
    child = fork();
    if (!child) {
        volatile uint8_t *map =
            mmap(NULL, f.len, PROT_READ, MAP_SHARED, f.fd, 0);

        ck_assert_ptr_nonnull(freopen("/dev/null", "w", stderr));
        signal(SIGALRM, SIG_DFL);
        alarm(300); /* it might come again for ever */
        forge_length(&f, 0);
        (void)map[0];
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(!WIFEXITED(status) || WEXITSTATUS(status) != 0);
    ck_assert(!WIFSIGNALED(status) || WTERMSIG(status) == SIGBUS);
    discard_region(&f);
    watch_end(&w);
}
END_TEST

START_TEST(what_is_no_file_is_not_opened)
{
    static const char names[][40] = { "link.1.0000000000000001.plr",
                                      "fifo.1.0000000000000002.plr",
                                      "dir.1.0000000000000003.plr",
                                      "hard.1.0000000000000004.plr" };
    const char *dir;
    struct watch w;
    struct pl_prov *p = publish("target");

    dir = publishing_dir();
    ck_assert_int_eq(symlink(pl_prov_path(p), path_in(dir, names[0])), 0);
    ck_assert_int_eq(mkfifo(path_in(dir, names[1]), 0640), 0);
    ck_assert_int_eq(mkdir(path_in(dir, names[2]), 0750), 0);
    write_file(path_in(dir, "other"), "x", 1);
    ck_assert_int_eq(link(path_in(dir, "other"), path_in(dir, names[3])), 0);
    write_file(path_in(dir, "\x1b[2J.plr"), "x", 1);
    watch_begin(&w);
    watch_scan(&w);
    for (size_t i = 0; i < 4; i++) {
        char program[8] = "";

        memcpy(program, names[i], strcspn(names[i], "."));
        ck_assert_int_eq(watch_region(&w, program)->reason, PL_REASON_FILE);
    }
    ck_assert_uint_eq(pl_regions_num(w.regions), 6);
    ck_assert_int_eq(watch_region(&w, "target")->state, PL_STATE_LIVE);
    ck_assert_int_eq(rmdir(path_in(dir, names[2])), 0);
    watch_end(&w);
    pl_prov_close(p);
}
END_TEST

START_TEST(a_crowd_of_untrusted_files_takes_no_more_than_its_places)
{
    struct pl_prov *p = publish("early");
    struct watch w;
    char name[64];

    if (geteuid() != 0) {
        fprintf(stderr, "skipped: only root can make others' files\n");
        return;
    }
    for (unsigned i = 0; i < 10000; i++) {
        snprintf(name, sizeof name, "crowd.1.%016x.plr", i);
        write_file(path_in(publishing_dir(), name), "x", 1);
        ck_assert_int_eq(chown(path_in(publishing_dir(), name), 12345, 12345),
                         0);
    }
    watch_begin(&w);
    for (int i = 0; i < 5; i++)
        watch_scan(&w);
    ck_assert_uint_le(pl_regions_num(w.regions), 100);
    ck_assert_int_eq(watch_region(&w, "early")->state, PL_STATE_LIVE);
    watch_end(&w);
    pl_prov_close(p);
}
END_TEST

static TCase *files_case(const char *name, SFun way)
{
    TCase *files = tcase_create(name);

    tcase_add_checked_fixture(files, way, NULL);
    tcase_add_test(files,
                   a_file_that_is_another_once_it_is_open_is_not_believed);
    tcase_add_test(files,
                   a_file_that_took_the_place_of_a_dead_one_is_not_removed);
    tcase_add_test(files, all_regions_together_are_no_longer_than_their_limit);
    tcase_add_test(files, who_had_no_turn_has_one_in_the_next_samples);
    tcase_add_test(files,
                   what_says_that_it_is_closed_is_final_though_it_is_held);
#ifndef __SANITIZE_THREAD__ /* which takes a signal amid an atomic for its own */
    tcase_add_test(files, a_file_cut_while_it_is_copied_is_survived);
#endif
    tcase_add_test(files, sigbus_elsewhere_is_as_deadly_as_ever);
    tcase_add_test(files, what_is_no_file_is_not_opened);
    tcase_add_test(files,
                   a_crowd_of_untrusted_files_takes_no_more_than_its_places);
    return files;
}

int main(void)
{
    TCase *const tcases[] = { files_case("files", watch_by_events),
                              files_case("files, all asked", watch_by_asking),
                              NULL };

    return run_suite("linux_regions", tcases);
}
