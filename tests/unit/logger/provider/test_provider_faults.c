/* Applications whose counters cannot be published: whatever call fails, they
 * run on, are reported why, and leave nothing behind. */
#include "logger/provider/internal.h"
#include "tests/support/publishing.h"
#include "tests/support/support.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOBODY = 65534 };

/* ---- calls that fail -------------------------------------------------------*/

enum call {
    CALL_OPEN,
    CALL_OPENAT,
    CALL_STATFS,
    CALL_STAT,
    CALL_FALLOCATE,
    CALL_CHMOD,
    CALL_MMAP,
    CALL_LOCK,
    CALL_RENAME,
    CALL_RANDOM,
    CALL_ATFORK,
    CALL_ALLOC
};

/* The call whose 'first' time and 'num' - 1 more are to fail with 'error'. */
static struct {
    bool is_on;
    enum call call;
    unsigned first, num, counted, hit;
    int error;
} fault;

static bool fails(enum call call)
{
    if (!fault.is_on || call != fault.call)
        return false;
    fault.counted++;
    if (fault.counted < fault.first || fault.counted - fault.first >= fault.num)
        return false;
    fault.hit++;
    errno = fault.error;
    return true;
}

#define WRAP(call, type, failed, name, parameters, ...)                        \
    type __real_##name parameters;                                             \
    type __wrap_##name parameters;                                             \
    type __wrap_##name parameters                                              \
    {                                                                          \
        return fails(call) ? failed : __real_##name(__VA_ARGS__);              \
    }

WRAP(CALL_OPEN, int, -1, open64, (const char *path, int flags, unsigned mode),
     path, flags, mode)
WRAP(CALL_OPENAT, int, -1, openat64,
     (int dir, const char *path, int flags, unsigned mode), dir, path, flags,
     mode)
WRAP(CALL_STATFS, int, -1, fstatfs64, (int fd, struct statfs *fs), fd, fs)
WRAP(CALL_STAT, int, -1, fstat64, (int fd, struct stat *st), fd, st)

/* Called as long as a region is being made, under the library's lock. */
static void (*meanwhile)(int fd);

int __real_posix_fallocate64(int fd, off_t at, off_t n);
int __wrap_posix_fallocate64(int fd, off_t at, off_t n);
int __wrap_posix_fallocate64(int fd, off_t at, off_t n)
{
    if (meanwhile)
        meanwhile(fd);
    return fails(CALL_FALLOCATE) ? fault.error
                                 : __real_posix_fallocate64(fd, at, n);
}

WRAP(CALL_CHMOD, int, -1, fchmod, (int fd, mode_t mode), fd, mode)
WRAP(CALL_MMAP, void *, MAP_FAILED, mmap64,
     (void *at, size_t n, int prot, int flags, int fd, off_t from), at, n, prot,
     flags, fd, from)
WRAP(CALL_LOCK, int, -1, fcntl64, (int fd, int what, void *more), fd, what,
     more)
WRAP(CALL_RENAME, int, -1, renameat2,
     (int from, const char *old, int to, const char *new, unsigned flags), from,
     old, to, new, flags)
WRAP(CALL_RANDOM, ssize_t, -1, getrandom, (void *p, size_t n, unsigned flags),
     p, n, flags)
WRAP(CALL_ATFORK, int, fault.error, pthread_atfork,
     (void (*before)(void), void (*parent)(void), void (*child)(void)), before,
     parent, child)
WRAP(CALL_ALLOC, void *, NULL, malloc, (size_t n), n)
WRAP(CALL_ALLOC, void *, NULL, calloc, (size_t num, size_t n), num, n)

/* ---- what must hold --------------------------------------------------------*/

static void count(struct pl_prov *p)
{
    struct pl_prov_set one = pl_prov_single(p, ENGINE);
    struct pl_prov_set valve = pl_prov_add(p, VALVE, "v", -1, NULL);

    pl_begin(one);
    pl_avg(one, pl_prov_word_of(one, LOAD), pl_prov_word_of(one, LOAD_BASE), 3);
    pl_end(one);
    pl_add(pl_prov_word_of(valve, OPENED), 1);
    pl_prov_renew(&valve);
    pl_prov_remove(&valve);
}

/* Open, count and close while the fault is on; what opening said. */
static int live(const struct pl_prov_options *options)
{
    struct pl_prov *p = NULL;
    int error;

    fault.counted = fault.hit = 0;
    fault.is_on = true;
    error = pl_prov_open(&p, "failing", publishing_table, NUM_OBJECTS, options);
    fault.is_on = false;
    ck_assert_ptr_nonnull(p);
    ck_assert_int_eq(error != 0, *pl_prov_why(p) != 0);
    ck_assert_int_eq(error != 0, *pl_prov_path(p) == 0);
    count(p);
    pl_prov_close(p);
    return error;
}

/* clang-format off */
static const struct {
    enum call call;
    int error;
    int reported;      /* 0: publishing succeeds all the same */
    int once_reported; /* where it fails but once */
} kinds[] = {
    { CALL_OPEN, EMFILE, EMFILE, EMFILE },
    { CALL_OPEN, ENFILE, ENFILE, ENFILE },
    { CALL_OPEN, ENOENT, ENOENT, ENOENT },
    { CALL_OPEN, EACCES, EACCES, 0 }, /* one may search the folder */
    { CALL_OPENAT, EDQUOT, EDQUOT, EDQUOT },
    { CALL_OPENAT, ENOSPC, ENOSPC, ENOSPC },
    { CALL_OPENAT, EROFS, EROFS, EROFS },
    { CALL_OPENAT, EMFILE, EMFILE, EMFILE },
    { CALL_STATFS, EIO, ENOTSUP, ENOTSUP },
    { CALL_FALLOCATE, EDQUOT, EDQUOT, EDQUOT },
    { CALL_FALLOCATE, ENOSPC, ENOSPC, ENOSPC },
    { CALL_FALLOCATE, EFBIG, EFBIG, EFBIG },
    { CALL_CHMOD, EPERM, EPERM, EPERM },
    { CALL_MMAP, ENOMEM, ENOMEM, ENOMEM },
    { CALL_MMAP, EAGAIN, EAGAIN, EAGAIN },
    { CALL_LOCK, ENOLCK, ENOLCK, ENOLCK },
    { CALL_RENAME, EDQUOT, EDQUOT, EDQUOT },
    { CALL_RENAME, EEXIST, EEXIST, EEXIST },
    { CALL_RANDOM, EAGAIN, 0, 0 },
    { CALL_ALLOC, ENOMEM, ENOMEM, ENOMEM },
};
/* clang-format on */

START_TEST(whatever_fails_the_application_counts_on)
{
    int before, after;

    publishing_dir();
    ck_assert_int_eq(live(NULL), 0);
    before = dup(0);
    close(before);
    fault.call = kinds[_i].call;
    fault.error = kinds[_i].error;
    for (int once = 0; once < 2; once++) {
        int reported = once ? kinds[_i].once_reported : kinds[_i].reported;

        fault.num = once ? 1 : UINT32_MAX;
        for (fault.first = 1;; fault.first++) {
            int error = live(NULL);

            if (!fault.hit)
                break;
            ck_assert_int_eq(error, reported);
            ck_assert_uint_eq(publishing_files(), 0);
        }
        ck_assert_uint_gt(fault.first, 1);
    }
    after = dup(0);
    close(after);
    ck_assert_int_eq(after, before);
}
END_TEST

/* Else a child of fork would count for its parent, and remove its file. */
START_TEST(without_a_handler_of_forks_nothing_is_published)
{
    publishing_dir();
    fault.call = CALL_ATFORK;
    fault.error = ENOMEM;
    fault.first = fault.num = 1;
    ck_assert_int_eq(live(NULL), ENOMEM);
    ck_assert_uint_eq(fault.hit, 1);
    ck_assert_int_eq(live(NULL), ENOMEM);
    ck_assert_uint_eq(publishing_files(), 0);
}
END_TEST

START_TEST(a_reservation_that_is_interrupted_goes_on)
{
    publishing_dir();
    fault.call = CALL_FALLOCATE;
    fault.error = EINTR;
    fault.first = 1;
    fault.num = 3;
    ck_assert_int_eq(live(NULL), 0);
    ck_assert_uint_eq(fault.hit, 3);
}
END_TEST

/* ---- what applications do meanwhile ------------------------------------------*/

static pid_t forked;

/* As a handler of a signal may; the child publishes, too. */
static void fork_amid(int fd)
{
    struct pl_prov *p;

    (void)fd;
    meanwhile = NULL;
    forked = fork();
    if (forked)
        return;
    _exit(pl_prov_open(&p, "child", publishing_table, NUM_OBJECTS, NULL) ? 1
                                                                         : 0);
}

START_TEST(a_handler_that_forks_amid_a_call_does_not_hang)
{
    struct pl_prov *p;
    int status;
    pid_t child;

    publishing_dir();
    meanwhile = fork_amid;
    ck_assert_int_eq(
        pl_prov_open(&p, "forking", publishing_table, NUM_OBJECTS, NULL), 0);
    ck_assert_int_eq(waitpid(forked, &status, 0), forked);
    ck_assert_int_eq(status, 0);
    child = fork(); /* the lock is free again */
    if (!child)
        _exit(0);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    count(p);
    pl_prov_close(p);
}
END_TEST

/* Its words stay the parent's, which nobody may believe from then on. */
START_TEST(a_child_without_memory_of_its_own_ends_its_parents_region)
{
    struct pl_region_header h;
    struct pl_prov *p;
    int status, fd;
    pid_t child;

    publishing_dir();
    ck_assert_int_eq(
        pl_prov_open(&p, "forking", publishing_table, NUM_OBJECTS, NULL), 0);
    fault.call = CALL_MMAP;
    fault.error = ENOMEM;
    fault.first = 1;
    fault.num = UINT32_MAX;
    fault.is_on = true;
    child = fork();
    if (!child) {
        count(p);
        _exit(*pl_prov_path(p) ? 1 : 0);
    }
    fault.is_on = false;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    fd = open(pl_prov_path(p), O_RDONLY);
    ck_assert_int_eq(read(fd, &h, sizeof h), sizeof h);
    close(fd);
    ck_assert_uint_eq(h.state, PL_REGION_CLOSED);
    count(p);
    pl_prov_close(p);
    ck_assert_uint_eq(publishing_files(), 0);
}
END_TEST

static void *open_cancelled(void *arg)
{
    pthread_cancel(pthread_self());
    pl_prov_open(arg, "cancelled", publishing_table, NUM_OBJECTS, NULL);
    pthread_testcancel();
    return NULL;
}

/* It would leave the lock locked, and the next fork would wait for ever. */
START_TEST(a_thread_is_not_cancelled_while_it_publishes)
{
    struct pl_prov *p = NULL;
    pthread_t thread;
    void *result;
    pid_t child;

    publishing_dir();
    ck_assert_int_eq(pthread_create(&thread, NULL, open_cancelled, &p), 0);
    ck_assert_int_eq(pthread_join(thread, &result), 0);
    ck_assert_ptr_eq(result, PTHREAD_CANCELED); /* afterwards, it is */
    ck_assert_ptr_nonnull(p);
    child = fork();
    if (!child)
        _exit(0);
    ck_assert_int_eq(waitpid(child, NULL, 0), child);
    count(p);
    pl_prov_close(p);
}
END_TEST

static bool was_held;

static void look_whether_it_is_held(int fd)
{
    struct flock lock = { .l_type = F_RDLCK, .l_whence = SEEK_SET, .l_len = 1 };
    char path[64];
    int other;

    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    other = open(path, O_RDONLY);
    was_held = !fcntl(other, F_OFD_GETLK, &lock) && lock.l_type == F_WRLCK;
    close(other);
}

/* What is not, the recorder takes for left behind; and this may take long. */
START_TEST(a_region_is_held_before_it_is_filled)
{
    publishing_dir();
    meanwhile = look_whether_it_is_held;
    ck_assert_int_eq(live(NULL), 0);
    ck_assert(was_held);
}
END_TEST

/* The kernel's answer to a longer file is a signal that kills. */
START_TEST(a_limit_of_the_length_of_files_is_told_and_not_died_of)
{
    struct rlimit before, small;

    publishing_dir();
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 1000;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
    ck_assert_int_eq(live(NULL), EFBIG);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
    ck_assert_int_eq(live(NULL), 0);
}
END_TEST

START_TEST(closing_does_not_change_errno)
{
    struct pl_prov *p = publish("errno");

    ck_assert_int_eq(unlink(pl_prov_path(p)), 0);
    errno = EPROTO;
    pl_prov_close(p);
    ck_assert_int_eq(errno, EPROTO);
}
END_TEST

/* No handler is called in a child of clone(), and it shares the region. */
START_TEST(a_child_of_clone_that_exits_withdraws_nothing)
{
    struct pl_prov *p = publish("cloning");
    uint8_t *region;
    size_t n;
    long child;

    fflush(NULL);
    child = syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
    if (!child) {
        pl_prov_at_exit();
        _exit(0);
    }
    ck_assert_int_eq(waitpid((pid_t)child, NULL, 0), (pid_t)child);
    region = read_file(pl_prov_path(p), &n);
    ck_assert_uint_eq(((struct pl_region_header *)(void *)region)->state,
                      PL_REGION_LIVE);
    free(region);
    pl_prov_close(p);
    ck_assert_uint_eq(publishing_files(), 0);
}
END_TEST

/* ---- file systems, users ---------------------------------------------------*/

/* An empty tmpfs over 'path', for this process alone. */
static bool mount_own(const char *path, unsigned long flags, const char *how)
{
    if (unshare(CLONE_NEWNS) ||
        mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
        mount("perflog", path, "tmpfs", flags, how)) {
        fprintf(stderr, "skipped: no tmpfs (%s) may be mounted here\n", how);
        return false;
    }
    return true;
}

START_TEST(a_file_system_that_is_only_read_is_reported)
{
    const struct pl_prov_options there = { temp_dir(), 0 };
    struct pl_prov *p;

    if (!mount_own(there.dir, MS_RDONLY, "size=1m"))
        return;
    ck_assert_int_eq(
        pl_prov_open(&p, "x", publishing_table, NUM_OBJECTS, &there), EROFS);
    ck_assert_ptr_nonnull(strstr(pl_prov_why(p), "no file can be made there"));
    count(p);
    pl_prov_close(p);
    umount(there.dir);
}
END_TEST

/* Leave not one byte free. */
static void fill_up(const char *dir)
{
    static const uint8_t page[4096];
    char path[512];
    int fd;

    snprintf(path, sizeof path, "%s/full", dir);
    fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    ck_assert_int_ge(fd, 0);
    while (write(fd, page, sizeof page) > 0)
        ;
    ck_assert_int_eq(errno, ENOSPC);
    close(fd);
}

/* What is published has its memory; who comes later is reported. */
START_TEST(a_file_system_that_becomes_full_ends_no_application)
{
    enum { MANY = 4000 };
    static const struct pl_prov_counter counter = {
        1, PERF_COUNTER_LARGE_RAWCOUNT, "C", "", 0, PL_PROV_NOVICE, 0
    };
    const struct pl_prov_object table = {
        1, "Full", "", MANY, 16, PL_PROV_NOVICE, 0, 1, &counter, 1
    };
    const struct pl_prov_options there = { temp_dir(), 0 };
    struct pl_prov *first, *late;

    if (!mount_own(there.dir, 0, "size=4m"))
        return;
    ck_assert_int_eq(pl_prov_open(&first, "x", &table, 1, &there), 0);
    fill_up(there.dir);
    for (unsigned i = 0; i < MANY; i++) {
        char name[16];

        snprintf(name, sizeof name, "i%u", i);
        pl_set(pl_prov_add(first, 1, name, -1, NULL).words, i);
    }
    ck_assert_int_eq(pl_prov_open(&late, "y", &table, 1, &there), ENOSPC);
    ck_assert_ptr_nonnull(strstr(pl_prov_why(late), "No space left"));
    pl_prov_close(late);
    pl_prov_close(first);
    umount(there.dir);
}
END_TEST

START_TEST(a_user_whose_quota_is_used_up_is_reported)
{
    const struct pl_prov_options there = { temp_dir(), 0 };
    int status;
    pid_t child;

    if (!mount_own(there.dir, 0,
                   "mode=1777,usrquota,usrquota_block_hardlimit=4k"))
        return; /* or the kernel has none; above it is made up */
    child = fork();
    if (!child) {
        struct pl_prov *p;
        int error = setuid(NOBODY) ? -1
                                   : pl_prov_open(&p, "x", publishing_table,
                                                  NUM_OBJECTS, &there);

        _exit(error == EDQUOT ? 0 : 1);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    umount(there.dir);
}
END_TEST

/* In folders that are looked for, it matters whose they are. */
START_TEST(a_folder_of_nobody_knows_whom_is_not_used)
{
    if (!mount_own("/dev/shm", 0, "mode=1777"))
        return;
    unsetenv("PERFLOG_PROVIDER_DIR");
    unsetenv("XDG_RUNTIME_DIR");
    fault.call = CALL_STAT;
    fault.error = EIO;
    fault.first = 1;
    fault.num = UINT32_MAX;
    ck_assert_int_eq(live(NULL), fault.hit ? EPERM : 0);
    umount("/dev/shm");
}
END_TEST

/* The reason is the one that matters, of all the folders that are looked for. */
static void expect_no_folder(int error, const char *why)
{
    struct pl_prov *p;

    ck_assert_int_eq(pl_prov_open(&p, "x", publishing_table, NUM_OBJECTS, NULL),
                     error);
    ck_assert_msg(strstr(pl_prov_why(p), why) != NULL, "%s", pl_prov_why(p));
    count(p);
    pl_prov_close(p);
}

START_TEST(why_no_folder_can_be_made_is_reported)
{
    char full[128], user[64];

    if (!mount_own("/run", 0, "size=1m") ||
        !mount_own("/dev/shm", 0, "size=64k,nr_inodes=4"))
        return;
    unsetenv("PERFLOG_PROVIDER_DIR");
    unsetenv("XDG_RUNTIME_DIR");
    snprintf(user, sizeof user, "/dev/shm/perflog-%u", (unsigned)geteuid());
    snprintf(full, sizeof full, "%s: cannot be made: No space left", user);
    ck_assert_int_eq(mkdir("/dev/shm/a", 0700), 0);
    ck_assert_int_eq(mkdir("/dev/shm/b", 0700), 0);
    ck_assert_int_eq(mkdir("/dev/shm/c", 0700), 0);
    expect_no_folder(ENOSPC, full); /* of inodes */
    ck_assert_int_eq(rmdir("/dev/shm/a"), 0);
    ck_assert_int_eq(mkdir(user, 0700), 0);
    expect_no_folder(ENOSPC, user); /* nor can one for this file be made */
    ck_assert_int_eq(rmdir(user), 0);
    ck_assert_int_eq(
        mount(NULL, "/dev/shm", NULL, MS_REMOUNT | MS_RDONLY, NULL), 0);
    expect_no_folder(EROFS, "cannot be made: Read-only file system");
    umount("/dev/shm");
    ck_assert_int_eq(mount("/proc", "/dev", NULL, MS_BIND, NULL), 0);
    expect_no_folder(ENOTSUP, "there is no folder on tmpfs for counters");
    umount("/dev");
    umount("/run");
}
END_TEST

/* What is full says more than what is of another user, or not there. */
START_TEST(a_full_folder_is_what_is_reported)
{
    if (!mount_own("/run", 0, "size=1m") ||
        !mount_own("/dev/shm", 0, "size=64k"))
        return;
    unsetenv("PERFLOG_PROVIDER_DIR");
    ck_assert_int_eq(mkdir("/run/session", 0700), 0);
    setenv("XDG_RUNTIME_DIR", "/run/session", 1);
    fill_up("/run");
    ck_assert_int_eq(
        mount(NULL, "/dev/shm", NULL, MS_REMOUNT | MS_RDONLY, NULL), 0);
    expect_no_folder(ENOSPC, "/run/session/perflog/providers: has no place");
    umount("/dev/shm");
    umount("/run");
}
END_TEST

/* What this program prints, run by its copy with 'mode': where it publishes. */
static const char *where_published(const char *program, mode_t mode)
{
    static char line[512];
    char command[128];
    FILE *f;

    ck_assert_int_eq(chmod(program, mode), 0);
    snprintf(command, sizeof command, "%s --publish", program);
    f = popen(command, "r");
    ck_assert_ptr_nonnull(f);
    ck_assert_ptr_nonnull(fgets(line, sizeof line, f));
    ck_assert_int_eq(pclose(f), 0);
    return line;
}

/* Whoever runs a program that has more rights than he has says nothing. */
START_TEST(a_setuid_application_does_not_ask_the_environment)
{
    static const char program[] = "/dev/shm/program";
    uint8_t *bytes;
    size_t n;

    if (geteuid() || !mount_own("/dev/shm", 0, "mode=1777"))
        return;
    ck_assert_int_eq(mkdir("/dev/shm/named", 0700), 0);
    ck_assert_int_eq(chmod("/dev/shm/named", 01777), 0);
    setenv("PERFLOG_PROVIDER_DIR", "/dev/shm/named", 1);
    setenv("XDG_RUNTIME_DIR", "/dev/shm/named", 1);
    bytes = read_file("/proc/self/exe", &n);
    write_file(program, bytes, n);
    free(bytes);
    ck_assert_int_eq(chown(program, NOBODY, NOBODY), 0);
    ck_assert_msg(
        !strncmp(where_published(program, 0755), "/dev/shm/named/", 15),
        "the environment is asked where it may be");
    ck_assert_msg(
        strncmp(where_published(program, 04755), "/dev/shm/named/", 15),
        "the environment was asked");
    umount("/dev/shm");
}
END_TEST

/* The same program as an application: publish, say where, and go. */
static int publish_and_go(void)
{
    struct pl_prov *p;
    int error = pl_prov_open(&p, "x", publishing_table, NUM_OBJECTS, NULL);

    printf("%s\n", error ? pl_prov_why(p) : pl_prov_path(p));
    pl_prov_close(p);
    fflush(stdout);
    _exit(error ? 1 : 0); /* no sanitizer looks for leaks without rights */
}

int main(int argc, char **argv)
{
    TCase *calls = tcase_create("calls"), *places = tcase_create("places");
    TCase *amid = tcase_create("amid");
    TCase *const tcases[] = { calls, amid, places, NULL };

    if (argc == 2 && !strcmp(argv[1], "--publish"))
        return publish_and_go();
    tcase_add_loop_test(calls, whatever_fails_the_application_counts_on, 0,
                        sizeof kinds / sizeof *kinds);
    tcase_add_test(calls, a_reservation_that_is_interrupted_goes_on);
    tcase_add_test(calls, without_a_handler_of_forks_nothing_is_published);
    tcase_add_test(amid, a_handler_that_forks_amid_a_call_does_not_hang);
    tcase_add_test(amid,
                   a_child_without_memory_of_its_own_ends_its_parents_region);
    tcase_add_test(amid, a_thread_is_not_cancelled_while_it_publishes);
    tcase_add_test(amid, a_region_is_held_before_it_is_filled);
    tcase_add_test(amid,
                   a_limit_of_the_length_of_files_is_told_and_not_died_of);
    tcase_add_test(amid, closing_does_not_change_errno);
    tcase_add_test(amid, a_child_of_clone_that_exits_withdraws_nothing);
    tcase_add_test(places, a_file_system_that_is_only_read_is_reported);
    tcase_add_test(places, a_file_system_that_becomes_full_ends_no_application);
    tcase_add_test(places, a_user_whose_quota_is_used_up_is_reported);
    tcase_add_test(places, a_folder_of_nobody_knows_whom_is_not_used);
    tcase_add_test(places, a_setuid_application_does_not_ask_the_environment);
    tcase_add_test(places, why_no_folder_can_be_made_is_reported);
    tcase_add_test(places, a_full_folder_is_what_is_reported);
    return run_suite("provider faults", tcases);
}
