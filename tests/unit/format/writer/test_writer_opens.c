/* What a writer refuses to write to, and how it begins. */
#include "format/writer/writer.h"

#include "format/base/cursor.h"
#include "format/base/file.h"
#include "format/time/time_text.h"
#include "format/record/record.h"
#include "tests/support/logs.h"
#include "tests/support/support.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECOND PL_NS_PER_SEC

static sem_t is_locked;

/* ---- refusals ---------------------------------------------------------------- */

enum victim {
    TEXT,
    SHORT,
    ZEROS_AND_ONE,
    MANY_ZEROS,
    NO_SESSION,
    NEWER,
    SYMLINK,
    DANGLING,
    HARD_LINK,
    FIFO,
    FOLDER,
    DEVICE,
    GROUP,
    WORLD,
    FOREIGN,
    OPEN_FOLDER,
    NO_FOLDER,
    LOCKED,
    NUM_VICTIMS
};

static const struct {
    const char *what;
    enum pl_status want;
} victims[NUM_VICTIMS] = {
    [TEXT] = { "a text", PL_NOT_A_LOG },
    [SHORT] = { "less than a magic number", PL_NOT_A_LOG },
    [ZEROS_AND_ONE] = { "zeros and a byte that is none", PL_NOT_A_LOG },
    [MANY_ZEROS] = { "more zeros than a log may begin with", PL_NOT_A_LOG },
    [NO_SESSION] = { "a log without its beginning", PL_NOT_A_LOG },
    [NEWER] = { "a log of the next major version", PL_UNSUPPORTED },
    [SYMLINK] = { "a symbolic link", PL_UNSAFE },
    [DANGLING] = { "a symbolic link to nothing", PL_UNSAFE },
    [HARD_LINK] = { "a file with two names", PL_UNSAFE },
    [FIFO] = { "a FIFO", PL_UNSAFE },
    [FOLDER] = { "a folder", PL_IO },
    [DEVICE] = { "a device", PL_UNSAFE },
    [GROUP] = { "a file the group can write to", PL_UNSAFE },
    [WORLD] = { "a file everybody can write to", PL_UNSAFE },
    [FOREIGN] = { "somebody else's file", PL_UNSAFE },
    [OPEN_FOLDER] = { "a folder everybody can write to", PL_UNSAFE },
    [NO_FOLDER] = { "a folder that is not there", PL_IO },
    [LOCKED] = { "a log being written", PL_BUSY },
};

static uint8_t zeros[PL_FIRST_LOOK / 2 + 1];

/* Make the victim at 'path' from the log 'good'; false: cannot be made. */
static bool make_victim(enum victim v, const char *path, const struct log *l)
{
    uint8_t head[PL_RECORD_LEN];
    const char *other = path_in(temp_dir(), "other");

    write_file(other, l->bytes, l->len);
    ck_assert_int_eq(chmod(other, 0600), 0);
    switch (v) {
    case TEXT:
        write_file(path,
                   "This is no log, and long enough to show that in "
                   "every one of its bytes.",
                   72);
        break;
    case SHORT:
        write_file(path, l->bytes, 3);
        break;
    case ZEROS_AND_ONE:
        zeros[PL_FIRST_LOOK / 2 - 1] = 1;
        write_file(path, zeros, PL_FIRST_LOOK / 2);
        zeros[PL_FIRST_LOOK / 2 - 1] = 0;
        break;
    case MANY_ZEROS:
        write_file(path, zeros, PL_FIRST_LOOK / 2 + 1);
        break;
    case NO_SESSION:
        write_file(path, l->bytes + l->records[1].at,
                   l->len - l->records[1].at);
        break;
    case NEWER:
        memcpy(head, l->bytes, sizeof head);
        head[3]++;
        pl_put_le64(head + 64, pl_hash(head, 64, 0));
        write_file(path, head, sizeof head);
        break;
    case SYMLINK:
        return !symlink(other, path);
    case DANGLING:
        return !symlink("/nonexistent/x", path);
    case HARD_LINK:
        return !link(other, path);
    case FIFO:
        return !mkfifo(path, 0600);
    case FOLDER:
        return !mkdir(path, 0700);
    case DEVICE:
        return !mknod(path, S_IFCHR | 0600, 1 << 8 | 3);
    default:
        write_file(path, l->bytes, l->len);
        break;
    }
    return !chmod(path, v == GROUP   ? 0660
                        : v == WORLD ? 0602
                                     : 0600) &&
           (v != FOREIGN || !chown(path, 12345, (gid_t)-1)) &&
           (v != OPEN_FOLDER || !chmod(temp_dir(), 0777));
}

START_TEST(what_must_not_be_written_to_is_left_as_it_is)
{
    enum victim v = (enum victim)_i;
    char path[512];
    struct stat before, after;
    uint8_t *old = NULL, *now;
    const char *why = NULL;
    size_t old_len, now_len;
    struct log l;
    int fd = -1;

    log_make(&l, path_in(temp_dir(), "good"), LOG_SMALL, 1);
    snprintf(path, sizeof path, "%s/%s", temp_dir(),
             v == NO_FOLDER ? "none/x.plog" : "x.plog");
    if (v != NO_FOLDER && !make_victim(v, path, &l)) {
        printf("skipped here: %s\n", victims[v].what);
        log_release(&l);
        return;
    }
    if (v == LOCKED) {
        fd = open(path, O_RDONLY | O_CLOEXEC);
        ck_assert_int_eq(flock(fd, LOCK_EX), 0);
    }
    if (v != NO_FOLDER)
        ck_assert_int_eq(lstat(path, &before), 0);
    if (v != NO_FOLDER && S_ISREG(before.st_mode))
        old = read_file(path, &old_len);
    ck_assert_msg(log_try_open(path, &log_options, &why) == victims[v].want,
                  "%s", victims[v].what);
    ck_assert_int_eq(victims[v].want == PL_UNSAFE, why != NULL);
    if (v == NO_FOLDER) {
        ck_assert_int_eq(errno, ENOENT);
    } else {
        ck_assert_int_eq(lstat(path, &after), 0);
        ck_assert_uint_eq(after.st_ino, before.st_ino);
        ck_assert_uint_eq(after.st_mode, before.st_mode);
    }
    if (old) {
        now = read_file(path, &now_len);
        ck_assert(now_len == old_len && !memcmp(now, old, old_len));
        free(now);
        free(old);
    }
    if (fd >= 0)
        close(fd);
    log_release(&l);
}
END_TEST

START_TEST(a_new_log_belongs_to_its_owner_and_group)
{
    const char *path = path_in(temp_dir(), "new.plog");
    struct stat st;

    umask(0);
    chmod(temp_dir(), 01777); /* sticky: fine */
    log_close(log_open(path, &log_options), NULL);
    ck_assert_int_eq(stat(path, &st), 0);
    ck_assert_uint_eq(st.st_mode, S_IFREG | 0640);
}
END_TEST

START_TEST(an_empty_file_becomes_a_log)
{
    const char *path = path_in(temp_dir(), "new.plog");
    struct log l = { 0 };

    write_file(path, "", 0);
    ck_assert_int_eq(chmod(path, 0600), 0);
    log_close(log_open(path, &log_options), NULL);
    log_load(&l, path);
    ck_assert_uint_eq(l.records[0].record.type, PL_SESS);
    log_release(&l);
}
END_TEST

/* As a power cut leaves a log that was just begun. */
START_TEST(behind_nothing_but_zeros_recording_goes_on)
{
    static const size_t sizes[] = { 1, 8, 71, 4096, 100001, PL_FIRST_LOOK / 2 };
    const char *path = path_in(temp_dir(), "zeros.plog");
    size_t size = sizes[_i], len;
    struct reading g = { 0 };
    struct log l = { 0 };
    struct pl_writer *w;
    struct machine m;
    uint8_t *now;

    write_file(path, zeros, size);
    ck_assert_int_eq(chmod(path, 0600), 0);
    machine_start(&m, 1, 3);
    w = log_open(path, &log_options);
    log_add(&l, w, &m, SECOND, 3);
    log_close(w, NULL);
    now = read_file(path, &len);
    ck_assert(len > size && !memcmp(now, zeros, size));
    free(now);
    log_load(&l, path);
    ck_assert_int_eq(read_whole(path, &l, &g), PL_END);
    ck_assert_uint_eq(g.num_samples, 3);
    ck_assert_uint_eq(g.wrong, 0);
    ck_assert_uint_eq(reading_alarms(&g), 0);
    ck_assert_uint_eq(g.kinds[PL_ITEM_INTERRUPTED], 1);
    reading_release(&g);
    machine_stop(&m);
    log_release(&l);
}
END_TEST

/* Zeros up to a multiple of 8 and 8 more, which no torn record can have all.  The
 * session behind them says where it stands: a copy elsewhere is a stray. */
START_TEST(behind_a_torn_record_there_is_a_fence)
{
    const char *path = path_in(temp_dir(), "log");
    struct pl_writer *w = log_open(path, &log_options);
    struct log l = { 0 };
    struct machine m;
    size_t n, cut, fence;
    struct pl_session session;
    struct pl_record record;
    uint8_t *now, *at;

    machine_start(&m, 1, 3);
    log_add(&l, w, &m, SECOND, 3);
    log_close(w, NULL);
    free(read_file(path, &n));
    for (unsigned left = 1; left < 8; left++) {
        cut = n - 8 + left;
        fence = 8 - left + 8;
        cut_file(path, cut);
        log_close(log_open(path, &log_options), NULL);
        now = read_file(path, &n);
        ck_assert_uint_gt(n, cut + fence + PL_RECORD_LEN);
        ck_assert(!memcmp(now + cut, zeros, fence));
        at = now + cut + fence;
        ck_assert(!memcmp(at, "\x89PL1SESS", 8));
        ck_assert_int_eq(pl_record_get(&record, at), PL_OK);
        ck_assert_int_eq(
            pl_session_parse(&session, at + PL_RECORD_LEN, record.stored_len),
            PL_OK);
        ck_assert_uint_eq(session.place, cut + fence);
        free(now);
    }
    machine_stop(&m);
    log_release(&l);
}
END_TEST

/* Without its SESS a later session is known by its number alone (FORMAT.md,
 * section 11.3). */
START_TEST(later_sessions_descend_from_the_first)
{
    const char *path = path_in(temp_dir(), "log");
    uint64_t first = 0;
    uint8_t *all;
    size_t n, sessions = 0;

    for (int i = 0; i < 3; i++)
        log_close(log_open(path, &log_options), NULL);
    all = read_file(path, &n);
    for (size_t at = 0; at + PL_RECORD_LEN <= n; at += 8) {
        uint64_t session = pl_get_le64(all + at + 8);

        if (memcmp(all + at, "\x89PL1SESS", 8))
            continue;
        first = first ? first : session;
        ck_assert(pl_session_descends(session, first));
        ck_assert(!sessions++ || session != first);
    }
    ck_assert_uint_eq(sessions, 3);
    free(all);
}
END_TEST

/* The file is locked, and gets another name, between opening and locking it. */
static void *rename_when_opened(void *arg)
{
    const char *path = arg;
    struct inotify_event event;
    char room[sizeof event + 256];
    int log = open(path, O_RDWR | O_CLOEXEC), watch = inotify_init1(IN_CLOEXEC);

    ck_assert_int_eq(flock(log, LOCK_EX), 0);
    ck_assert_int_ge(inotify_add_watch(watch, path, IN_OPEN), 0);
    sem_post(&is_locked);
    ck_assert_int_gt(read(watch, room, sizeof room), 0);
    ck_assert_int_eq(rename(path, path_in(temp_dir(), "other")), 0);
    close(log);
    close(watch);
    return NULL;
}

START_TEST(a_file_that_was_renamed_meanwhile_is_another_ones)
{
    const char *path = path_in(temp_dir(), "log"), *why = NULL;
    struct pl_file *f;
    pthread_t t;

    log_close(log_open(path, &log_options), NULL);
    sem_init(&is_locked, 0, 0);
    ck_assert_int_eq(pthread_create(&t, NULL, rename_when_opened, (void *)path),
                     0);
    sem_wait(&is_locked);
    ck_assert_int_eq(pl_file_open_append(&f, path, PL_MAY_EXIST, &why),
                     PL_BUSY);
    pthread_join(t, NULL);
}
END_TEST

START_TEST(the_second_writer_is_refused_and_the_first_goes_on)
{
    const char *path = path_in(temp_dir(), "log");
    struct pl_writer *w = log_open(path, &log_options);
    struct reading g = { 0 };
    struct log l = { 0 };
    struct machine m;
    const char *why;

    machine_start(&m, 1, 3);
    log_add(&l, w, &m, SECOND, 3);
    ck_assert_int_eq(log_try_open(path, &log_options, &why), PL_BUSY);
    log_add(&l, w, &m, SECOND, 3);
    log_close(w, NULL);
    log_load(&l, path);
    ck_assert_int_eq(read_whole(path, &l, &g), PL_END);
    ck_assert_uint_eq(g.num_samples, 6);
    ck_assert_uint_eq(g.kinds[PL_ITEM_SESSION], 1);
    reading_release(&g);
    machine_stop(&m);
    log_release(&l);
}
END_TEST

START_TEST(a_reader_that_just_looks_does_not_keep_the_writer_out)
{
    const char *path = path_in(temp_dir(), "log");

    log_close(log_open(path, &log_options), NULL);
    if (!fork()) {
        flock(open(path, O_RDONLY | O_CLOEXEC), LOCK_SH);
        usleep(60000);
        _exit(0);
    }
    usleep(20000);
    log_close(log_open(path, &log_options), NULL);
}
END_TEST

int main(void)
{
    TCase *open = tcase_create("open");

    tcase_add_loop_test(open, what_must_not_be_written_to_is_left_as_it_is, 0,
                        NUM_VICTIMS);
    tcase_add_test(open, a_new_log_belongs_to_its_owner_and_group);
    tcase_add_test(open, an_empty_file_becomes_a_log);
    tcase_add_loop_test(open, behind_nothing_but_zeros_recording_goes_on, 0, 6);
    tcase_add_test(open, behind_a_torn_record_there_is_a_fence);
    tcase_add_test(open, later_sessions_descend_from_the_first);
    tcase_add_test(open, a_file_that_was_renamed_meanwhile_is_another_ones);
    tcase_add_test(open, the_second_writer_is_refused_and_the_first_goes_on);
    tcase_add_test(open, a_reader_that_just_looks_does_not_keep_the_writer_out);
    return run_suite("writer_opens", (TCase *[]){ open, NULL });
}
