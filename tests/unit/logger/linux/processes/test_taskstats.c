/*
 * Messages of taskstats: made by hand, complete and cut; and the kernel's own,
 * where it sends them to this process.
 */
#include "logger/linux/machine/machine.h"
#include "logger/linux/processes/exit_events.h"
#include "logger/linux/processes/taskstats.h"
#include "tests/support/support.h"

#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/taskstats.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FAMILY = 30, ROOM = 4096, OF_GROUP = 0x20 };

static _Alignas(8) uint8_t message[ROOM];
static size_t len, len_of_stats = sizeof(struct taskstats);

/* ---- a message -------------------------------------------------------------- */

static size_t begin(uint16_t type)
{
    struct nlattr a = { .nla_type = type };
    size_t at = len;

    memcpy(message + len, &a, sizeof a);
    len += sizeof a;
    return at;
}

static void end(size_t at)
{
    uint16_t n = (uint16_t)(len - at);

    memcpy(message + at, &n, sizeof n);
    len = (len + 3) / 4 * 4;
}

static void put(uint16_t type, const void *p, size_t n)
{
    size_t at = begin(type);

    if (n)
        memcpy(message + len, p, n);
    len += n;
    end(at);
}

static struct taskstats stats_of(uint32_t tid, uint32_t pid)
{
    return (struct taskstats){ .version = 13,
                               .ac_exitcode = 7 << 8,
                               .ac_flag = OF_GROUP,
                               .ac_nice = (uint8_t)-5,
                               .ac_pid = tid,
                               .ac_ppid = 5,
                               .ac_uid = 1000,
                               .ac_tgid = pid,
                               .ac_tgetime = 2000,
                               .ac_comm = "a name of more than fifteen",
                               .ac_utime = 30,
                               .ac_stime = 40,
                               .ac_minflt = 1,
                               .ac_majflt = 2,
                               .cpu_run_virtual_total = 80000,
                               .cpu_delay_total = 90,
                               .read_char = 1024,
                               .write_char = 2048,
                               .read_bytes = 4096,
                               .write_bytes = 8192,
                               .cancelled_write_bytes = 512,
                               .hiwater_rss = 100 };
}

/* As mk_reply() in kernel/taskstats.c. */
static void put_stats(uint16_t kind, uint16_t of, const struct taskstats *s)
{
    size_t at = begin(kind);

    put(of, &s->ac_pid, sizeof s->ac_pid);
    put(TASKSTATS_TYPE_NULL, NULL, 0);
    put(TASKSTATS_TYPE_STATS, s, len_of_stats);
    end(at);
}

static void make(const struct taskstats *own, const struct taskstats *group)
{
    struct nlmsghdr head = { .nlmsg_type = FAMILY };
    struct genlmsghdr genl = { .cmd = TASKSTATS_CMD_NEW, .version = 1 };

    memset(message, 0xff, sizeof message);
    memcpy(message + NLMSG_HDRLEN, &genl, sizeof genl);
    len = NLMSG_HDRLEN + GENL_HDRLEN;
    put_stats(TASKSTATS_TYPE_AGGR_PID, TASKSTATS_TYPE_PID, own);
    if (group)
        put_stats(TASKSTATS_TYPE_AGGR_TGID, TASKSTATS_TYPE_TGID, group);
    head.nlmsg_len = (uint32_t)len;
    memcpy(message, &head, sizeof head);
}

START_TEST(a_message_is_understood)
{
    struct taskstats own = stats_of(8, 7), group = stats_of(7, 7);
    struct pl_thread_end x;

    group.cpu_run_virtual_total = 500000;
    group.cpu_delay_total = 600;
    make(&own, &group);
    ck_assert(pl_taskstats_parse(message, len, FAMILY, &x));
    ck_assert_uint_eq(x.tid, 8);
    ck_assert_uint_eq(x.pid, 7);
    ck_assert_uint_eq(x.parent, 5);
    ck_assert_uint_eq(x.uid, 1000);
    ck_assert_uint_eq(x.status, 7 << 8);
    ck_assert_int_eq(x.nice, -5);
    ck_assert(x.is_last);
    ck_assert_uint_eq(x.lived_ns, 2000000);
    ck_assert_uint_eq(x.max_rss, 102400);
    ck_assert_uint_eq(x.sums.run_time, 80000);
    ck_assert_uint_eq(x.sums.utime, 30000);
    ck_assert_uint_eq(x.sums.stime, 40000);
    ck_assert_uint_eq(x.sums.minflt, 1);
    ck_assert_uint_eq(x.sums.majflt, 2);
    ck_assert_uint_eq(x.sums.run_delay, 90);
    ck_assert_uint_eq(x.sums.io[0], 1024);
    ck_assert_uint_eq(x.sums.io[1], 2048);
    ck_assert_uint_eq(x.sums.io[4], 4096);
    ck_assert_uint_eq(x.sums.io[5], 8192);
    ck_assert_uint_eq(x.sums.io[6], 512);
    ck_assert_uint_eq(x.group_run_time, 500000);
    ck_assert_uint_eq(x.group_run_delay, 600);
    ck_assert_str_eq(x.comm, "a name of more ");
    own.ac_flag = 0;
    make(&own, NULL);
    ck_assert(pl_taskstats_parse(message, len, FAMILY, &x));
    ck_assert(!x.is_last);
    ck_assert_uint_eq(x.group_run_time, 0);
}
END_TEST

/* Of a thread with these numbers. */
static uint64_t unseen(uint64_t lived_us, uint64_t run_us, uint64_t waited_us,
                       uint64_t voluntary, uint64_t others)
{
    struct taskstats own = stats_of(8, 7);
    struct pl_thread_end x;

    own.ac_etime = lived_us;
    own.cpu_run_virtual_total = run_us * 1000;
    own.cpu_delay_total = waited_us * 1000;
    own.nvcsw = voluntary;
    own.nivcsw = others;
    make(&own, NULL);
    ck_assert(pl_taskstats_parse(message, len, FAMILY, &x));
    return x.sums.unseen / 1000;
}

START_TEST(what_is_not_in_the_run_time_is_guessed)
{
    ck_assert_uint_eq(unseen(5000, 2000, 1000, 0, 9), 2000);
    ck_assert_uint_eq(unseen(2000, 1500, 600, 0, 0), 0);
    ck_assert_uint_eq(unseen(50000, 10000, 0, 0, 0), 10000);
    /* One that has slept. */
    ck_assert_uint_eq(unseen(50000, 10000, 0, 1, 3), 1000);
    ck_assert_uint_eq(unseen(11000, 10000, 500, 1, 3), 500);
    ck_assert_uint_eq(unseen(900000, 90000, 0, 1, 0), 10000);
}
END_TEST

/* Whatever is cut off, or says that it is longer, nothing beyond is read. */
START_TEST(a_cut_message_is_refused)
{
    struct taskstats own = stats_of(8, 7);
    struct pl_thread_end x;
    size_t all;

    make(&own, NULL);
    all = len;
    for (size_t n = 0; n < all; n++) {
        uint8_t *copy = malloc(n + 1);

        ck_assert_ptr_nonnull(copy);
        memcpy(copy, message, n);
        ck_assert(!pl_taskstats_parse(copy, n, FAMILY, &x));
        free(copy);
    }
    for (size_t i = 0; i < NLMSG_HDRLEN + GENL_HDRLEN + 20; i++)
        for (unsigned bit = 0; bit < 8; bit++) {
            uint8_t *copy = malloc(all);

            ck_assert_ptr_nonnull(copy);
            memcpy(copy, message, all);
            copy[i] ^= (uint8_t)(1u << bit);
            pl_taskstats_parse(copy, all, FAMILY, &x);
            free(copy);
        }
}
END_TEST

START_TEST(others_messages_are_refused)
{
    struct taskstats own = stats_of(8, 7);
    struct pl_thread_end x;

    make(&own, NULL);
    ck_assert(!pl_taskstats_parse(message, len, FAMILY + 1, &x));
    own.version = 11;
    make(&own, NULL);
    ck_assert(!pl_taskstats_parse(message, len, FAMILY, &x));
    own = stats_of(8, 0);
    make(&own, NULL);
    ck_assert(!pl_taskstats_parse(message, len, FAMILY, &x));
    own = stats_of(8, 7);
    make(&own, NULL);
    ck_assert(pl_taskstats_parse(message, len, FAMILY, &x));
    message[NLMSG_HDRLEN + GENL_HDRLEN] += 8; /* longer than the message */
    ck_assert(!pl_taskstats_parse(message, len, FAMILY, &x));
}
END_TEST

/* A structure that ends before what is used of it. */
START_TEST(a_short_structure_is_refused)
{
    struct taskstats own = stats_of(8, 7);
    struct pl_thread_end x;

    len_of_stats = 100;
    make(&own, NULL);
    len_of_stats = sizeof own;
    ck_assert(!pl_taskstats_parse(message, len, FAMILY, &x));
}
END_TEST

/* ---- the kernel's own -------------------------------------------------------- */

static struct pl_exit_events *events;
static struct pl_machine machine;

static bool can_listen(void)
{
    const char *why = NULL;

    if (pl_exit_events_open(&events, &why) == PL_OK)
        return true;
    printf("taskstats: skipped: %s\n", why);
    return false;
}

static void drain(void)
{
    machine.tick++;
    ck_assert_int_eq(pl_exit_events_drain(events, &machine), PL_OK);
}

static const struct pl_task_exit *ended(pid_t pid)
{
    const struct pl_buf *b = pl_exit_events_ended(events);
    const struct pl_task_exit *x = (const void *)b->p;

    for (size_t i = 0; i < b->len / sizeof *x; i++)
        if (x[i].head.pid == (uint32_t)pid)
            return &x[i];
    return NULL;
}

static void *use_processor(void *clock)
{
    struct timespec t;

    do
        clock_gettime(*(const clockid_t *)clock, &t);
    while (t.tv_sec == 0 && t.tv_nsec < 20000000);
    return NULL;
}

static clockid_t of_thread = CLOCK_THREAD_CPUTIME_ID;

START_TEST(what_ended_threads_did_is_their_processs)
{
    pthread_t t;

    if (!can_listen())
        return;
    ck_assert_ptr_null(
        pl_exit_events_of_threads(events, (uint32_t)getpid(), false));
    ck_assert(!pthread_create(&t, NULL, use_processor, &of_thread));
    pthread_join(t, NULL);
    drain();
    ck_assert_ptr_null(ended(getpid()));
    ck_assert_uint_ge(
        pl_exit_events_of_threads(events, (uint32_t)getpid(), false)
            ->sums.run_time,
        20000000);
    pl_exit_events_close(events);
}
END_TEST

START_TEST(a_process_is_reported_once_with_all_its_threads)
{
    pid_t pid;
    int status;

    if (!can_listen())
        return;
    pid = fork();
    if (!pid) {
        pthread_t t;

        if (!pthread_create(&t, NULL, use_processor, &of_thread))
            pthread_join(t, NULL);
        _exit(9);
    }
    waitpid(pid, &status, 0);
    drain();
    ck_assert_ptr_nonnull(ended(pid));
    ck_assert_uint_eq(ended(pid)->end.status, 9 << 8);
    ck_assert_uint_eq(ended(pid)->end.final, PL_FINAL);
    ck_assert_uint_eq(ended(pid)->head.parent, (uint32_t)getpid());
    ck_assert_uint_ge(ended(pid)->sums.run_time, 20000000);
    ck_assert_uint_gt(ended(pid)->sums.minflt, 0);
    ck_assert_ptr_null(pl_exit_events_of_threads(events, (uint32_t)pid, false));
    drain();
    ck_assert_ptr_null(ended(pid));
    pl_exit_events_close(events);
}
END_TEST

static void *wait_for_end(void *nothing)
{
    pause();
    return nothing;
}

static uint64_t run_time_of_threads(pid_t pid, bool main_ended)
{
    const struct pl_ended_threads *threads =
        pl_exit_events_of_threads(events, (uint32_t)pid, main_ended);

    return threads ? threads->sums.run_time : UINT64_MAX;
}

/* Its files say what it did as long as other threads of its process live. */
START_TEST(a_main_thread_that_ended_is_counted_once)
{
    pid_t pid;

    if (!can_listen())
        return;
    pid = fork();
    if (!pid) {
        pthread_t t;

        use_processor(&of_thread);
        if (!pthread_create(&t, NULL, wait_for_end, NULL))
            pthread_exit(NULL);
        _exit(1);
    }
    while (run_time_of_threads(pid, true) == UINT64_MAX) {
        usleep(1000);
        drain();
    }
    ck_assert_uint_eq(run_time_of_threads(pid, true), 0);
    ck_assert_uint_ge(run_time_of_threads(pid, false), 20000000); /* exec */
    ck_assert_uint_ge(run_time_of_threads(pid, true), 20000000);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    drain();
    ck_assert_ptr_nonnull(ended(pid));
    ck_assert_uint_eq(ended(pid)->head.threads, 2);
    pl_exit_events_close(events);
}
END_TEST

int main(void)
{
    TCase *made = tcase_create("made"), *real = tcase_create("real");

    tcase_add_test(made, a_message_is_understood);
    tcase_add_test(made, what_is_not_in_the_run_time_is_guessed);
    tcase_add_test(made, a_cut_message_is_refused);
    tcase_add_test(made, others_messages_are_refused);
    tcase_add_test(made, a_short_structure_is_refused);
    tcase_add_test(real, what_ended_threads_did_is_their_processs);
    tcase_add_test(real, a_process_is_reported_once_with_all_its_threads);
    tcase_add_test(real, a_main_thread_that_ended_is_counted_once);
    return run_suite("taskstats", (TCase *const[]){ made, real, NULL });
}
