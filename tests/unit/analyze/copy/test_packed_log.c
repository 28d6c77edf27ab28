/* Packing for a command leaves nothing behind when a signal ends it. */
#include "analyze/copy/packed_log.h"
#include "format/base/file.h"
#include "tests/support/logs.h"
#include "tests/support/support.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

/* The signal comes when the part has just been made. */
static bool ends_then;

enum pl_status __real_pl_file_open_private(struct pl_file **out,
                                           const char *path, const char **why);
enum pl_status __wrap_pl_file_open_private(struct pl_file **out,
                                           const char *path, const char **why);
enum pl_status __wrap_pl_file_open_private(struct pl_file **out,
                                           const char *path, const char **why)
{
    enum pl_status s = __real_pl_file_open_private(out, path, why);

    if (ends_then)
        raise(SIGTERM);
    return s;
}

static void setup(void)
{
    ends_then = false;
}

static void make(const char *path)
{
    struct log l = { 0 };

    log_make(&l, path, LOG_SMALL, 1);
    log_release(&l);
}

static enum pl_status pack(const char *path)
{
    struct pl_progress progress = { 0 };
    struct pl_pack_result result;

    return pl_packed_log_make(path, &progress, 0, 1, 0, &result);
}

START_TEST(ended_as_soon_as_the_part_is_there)
{
    const char *dir = temp_dir(), *path = path_in(dir, "a.plog");
    size_t num;
    char **names;
    pid_t child;
    int status;

    make(path);
    child = fork();
    if (!child) {
        signal(SIGTERM, SIG_DFL);
        ends_then = true;
        pack(path);
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
    ck_assert_int_eq(pl_dir_list(dir, &names, &num), PL_OK);
    ck_assert_uint_eq(num, 1);
    pl_dir_list_free(names, num);
}
END_TEST

/* What was held for the part is released where it could not be made. */
START_TEST(ended_after_a_part_that_could_not_be_made)
{
    const char *dir = temp_dir(), *path = path_in(dir, "a.plog");
    pid_t child;
    int status;

    make(path);
    ck_assert_int_eq(symlink("nowhere", path_in(dir, "a.plog.packing")), 0);
    child = fork();
    if (!child) {
        signal(SIGTERM, SIG_DFL);
        if (pack(path) == PL_UNSAFE)
            raise(SIGTERM);
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
}
END_TEST

int main(void)
{
    TCase *signals = tcase_create("signals");

    tcase_add_checked_fixture(signals, setup, NULL);
    tcase_add_test(signals, ended_as_soon_as_the_part_is_there);
    tcase_add_test(signals, ended_after_a_part_that_could_not_be_made);
    return run_suite("packed log", (TCase *[]){ signals, NULL });
}
