/* A log gets its name when it is whole, and never anybody else's. */
#include "analyze/copy/log_output.h"
#include "analyze/output/partial_file.h"
#include "format/base/file.h"
#include "tests/support/logs.h"
#include "tests/support/support.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *dir;
static char *path, *part; /* of the log under test */
static struct machine machine;
static struct log kept; /* the truth about all samples */

static void setup(void)
{
    dir = temp_dir();
    path = strdup(path_in(dir, "out.plog"));
    part = strdup(path_in(dir, "out.plog.part"));
    machine_start(&machine, 7, 3);
}

static void teardown(void)
{
    free(path);
    free(part);
    machine_stop(&machine);
    log_release(&kept);
}

static size_t files_in_dir(void)
{
    char **names;
    size_t num;

    ck_assert_int_eq(pl_dir_list(dir, &names, &num), PL_OK);
    pl_dir_list_free(names, num);
    return num;
}

static void begin(struct pl_log_output *log)
{
    const struct pl_session session = { .host = pl_text_of("h") };
    const char *why;

    ck_assert_int_eq(pl_log_output_open(log, path, &session, &why), PL_OK);
}

static void add_samples(struct pl_log_output *log, size_t n)
{
    log_add(&kept, log->writer, &machine, 1000000000, n);
}

static void assert_holds(const char *file, const char *want)
{
    size_t n;
    uint8_t *p = read_file(file, &n);

    ck_assert_uint_eq(n, strlen(want));
    ck_assert(!memcmp(p, want, n));
    free(p);
}

START_TEST(name_is_given_when_whole)
{
    struct pl_log_output log;

    begin(&log);
    add_samples(&log, 3);
    ck_assert(!pl_path_exists(path));
    ck_assert(pl_path_exists(part));
    ck_assert_int_eq(pl_log_output_commit(&log), PL_OK);
    ck_assert(pl_path_exists(path));
    ck_assert_uint_eq(files_in_dir(), 1);
    ck_assert_uint_eq(log.stats.samples, 3);
    pl_log_output_discard(&log); /* nothing left to discard */
    log_load(&kept, path);
    ck_assert_uint_eq(log.stats.file_bytes, kept.len);
    ck_assert_ptr_nonnull(log_find(&kept, PL_SMPL, 2));
    ck_assert_ptr_nonnull(log_find(&kept, PL_ENDS, 0));
}
END_TEST

START_TEST(sessions_follow_each_other)
{
    const struct pl_session second = { .host = pl_text_of("other") };
    struct pl_log_output log;
    const char *why;

    begin(&log);
    add_samples(&log, 2);
    ck_assert_int_eq(pl_log_output_session(&log, &second, &why), PL_OK);
    add_samples(&log, 4);
    ck_assert_int_eq(pl_log_output_commit(&log), PL_OK);
    ck_assert_uint_eq(log.stats.samples, 6);
    log_load(&kept, path);
    ck_assert_ptr_nonnull(log_find(&kept, PL_SESS, 1));
    ck_assert_ptr_nonnull(log_find(&kept, PL_ENDS, 1));
    ck_assert(log_find(&kept, PL_SESS, 0)->record.session !=
              log_find(&kept, PL_SESS, 1)->record.session);
}
END_TEST

START_TEST(existing_file_is_refused)
{
    const struct pl_session session = { 0 };
    struct pl_log_output log;
    const char *why = NULL;

    write_file(path, "mine", 4);
    ck_assert_int_eq(pl_log_output_open(&log, path, &session, &why), PL_UNSAFE);
    ck_assert_str_eq(why, "it exists; name a new file");
    pl_log_output_discard(&log);
    assert_holds(path, "mine");
    ck_assert_uint_eq(files_in_dir(), 1);
}
END_TEST

START_TEST(name_taken_meanwhile_is_not_replaced)
{
    struct pl_log_output log;

    begin(&log);
    write_file(path, "mine", 4);
    ck_assert_int_eq(pl_log_output_commit(&log), PL_IO);
    ck_assert_int_eq(errno, EEXIST);
    assert_holds(path, "mine");
    ck_assert_uint_eq(files_in_dir(), 1);
}
END_TEST

START_TEST(unfinished_files_of_others_stay)
{
    struct pl_log_output log;

    write_file(part, "mine", 4);
    begin(&log);
    ck_assert_str_eq(log.part, path_in(dir, "out.plog.part-1"));
    ck_assert_int_eq(pl_log_output_commit(&log), PL_OK);
    assert_holds(part, "mine");
    ck_assert(pl_path_exists(path));
}
END_TEST

START_TEST(a_log_under_the_unfinished_name_is_not_appended_to)
{
    struct pl_log_output log;
    size_t before, after;

    begin(&log);
    add_samples(&log, 1);
    ck_assert_int_eq(pl_log_output_commit(&log), PL_OK);
    ck_assert_int_eq(rename(path, part), 0);
    free(read_file(part, &before));
    begin(&log);
    pl_log_output_discard(&log);
    free(read_file(part, &after));
    ck_assert_uint_eq(before, after);
}
END_TEST

START_TEST(discarded_leaves_nothing)
{
    struct pl_log_output log;

    begin(&log);
    add_samples(&log, 1);
    pl_log_output_discard(&log);
    pl_log_output_discard(&log);
    ck_assert_uint_eq(files_in_dir(), 0);
}
END_TEST

START_TEST(inputs_are_refused)
{
    char in[] = "in", *inputs[] = { in, path };
    const char *why;

    write_file(path, "mine", 4);
    ck_assert_int_eq(pl_log_output_check(path, inputs, 2, &why), PL_UNSAFE);
    ck_assert_str_eq(why, "it is one of the inputs");
}
END_TEST

START_TEST(links_and_standard_output_are_refused)
{
    const char *why;

    ck_assert_int_eq(pl_log_output_check(path, NULL, 0, &why), PL_OK);
    ck_assert_ptr_null(why);
    ck_assert_int_eq(pl_log_output_check("-", NULL, 0, &why), PL_UNSAFE);
    ck_assert_int_eq(symlink("nowhere", path), 0);
    ck_assert_int_eq(pl_log_output_check(path, NULL, 0, &why), PL_UNSAFE);
}
END_TEST

START_TEST(folder_that_is_not_there)
{
    const struct pl_session session = { 0 };
    struct pl_log_output log;
    const char *why;

    ck_assert_int_eq(
        pl_log_output_open(&log, path_in(dir, "no/x.plog"), &session, &why),
        PL_IO);
    ck_assert_int_eq(errno, ENOENT);
}
END_TEST

START_TEST(interrupted_leaves_nothing)
{
    static const int signals[] = { SIGINT, SIGTERM };
    struct pl_log_output log;
    int status;
    pid_t child = fork();

    if (!child) {
        begin(&log);
        add_samples(&log, 2);
        raise(signals[_i]);
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == signals[_i]);
    ck_assert_uint_eq(files_in_dir(), 0);
}
END_TEST

START_TEST(signal_waits_until_the_file_is_known)
{
    int status;
    pid_t child = fork();

    if (!child) {
        pl_partial_file_hold();
        raise(SIGTERM);
        write_file(part, "", 0);
        pl_partial_file_guard(PL_UNFINISHED_OUTPUT, part);
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
    ck_assert_uint_eq(files_in_dir(), 0);
}
END_TEST

int main(void)
{
    TCase *naming = tcase_create("naming");
    TCase *const tcases[] = { naming, NULL };

    tcase_add_checked_fixture(naming, setup, teardown);
    tcase_add_test(naming, name_is_given_when_whole);
    tcase_add_test(naming, sessions_follow_each_other);
    tcase_add_test(naming, existing_file_is_refused);
    tcase_add_test(naming, name_taken_meanwhile_is_not_replaced);
    tcase_add_test(naming, unfinished_files_of_others_stay);
    tcase_add_test(naming, a_log_under_the_unfinished_name_is_not_appended_to);
    tcase_add_test(naming, discarded_leaves_nothing);
    tcase_add_test(naming, inputs_are_refused);
    tcase_add_test(naming, links_and_standard_output_are_refused);
    tcase_add_test(naming, folder_that_is_not_there);
    tcase_add_test(naming, signal_waits_until_the_file_is_known);
    tcase_add_loop_test(naming, interrupted_leaves_nothing, 0, 2);
    return run_suite("new log", tcases);
}
