/* What the service manager is reported, heard at a socket as it has one. */
#include "logger/record/notify.h"

#include "format/time/time_text.h"
#include "tests/support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int ear;

/* Listen at 'path' ('@' for the abstract kind) and name it to the recorder. */
static void listen_at(const char *path)
{
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    size_t n = strlen(path);

    memcpy(at.sun_path, path, n);
    if (*path == '@')
        at.sun_path[0] = 0;
    ear = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    ck_assert_int_ge(ear, 0);
    ck_assert_int_eq(
        bind(ear, (struct sockaddr *)&at,
             (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n)),
        0);
    setenv("NOTIFY_SOCKET", path, 1);
}

/* What was said; "" for nothing. */
static const char *heard(void)
{
    static char text[8192];
    ssize_t n = recv(ear, text, sizeof text - 1, 0);

    text[n > 0 ? n : 0] = 0;
    return text;
}

static void alone(void)
{
    unsetenv("NOTIFY_SOCKET");
    unsetenv("WATCHDOG_USEC");
    unsetenv("WATCHDOG_PID");
    ear = -1;
}

START_TEST(says_it_at_a_path)
{
    struct pl_notify n;

    listen_at(path_in(temp_dir(), "notify"));
    pl_notify_open(&n);
    pl_notify_send(&n, "READY=1\nSTATUS=%s of %d", "two", 3);
    ck_assert_str_eq(heard(), "READY=1\nSTATUS=two of 3");
    pl_notify_close(&n);
    pl_notify_send(&n, "STOPPING=1");
    ck_assert_str_eq(heard(), "");
}
END_TEST

START_TEST(says_it_at_an_abstract_name)
{
    char name[64];
    struct pl_notify n;

    snprintf(name, sizeof name, "@perflog-test-%ld", (long)getpid());
    listen_at(name);
    pl_notify_open(&n);
    pl_notify_send(&n, "READY=1");
    ck_assert_str_eq(heard(), "READY=1");
    pl_notify_close(&n);
}
END_TEST

START_TEST(what_is_no_socket_is_left_alone)
{
    static const char *const wrong[] = { "", "/", "notify", "vsock:2:9999",
                                         "/nowhere/at/all" };
    char longest[sizeof((struct sockaddr_un){ 0 }.sun_path) + 1];
    struct pl_notify n;

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        setenv("NOTIFY_SOCKET", wrong[i], 1);
        pl_notify_open(&n);
        ck_assert_int_eq(n.fd >= 0, i + 1 == sizeof wrong / sizeof *wrong);
        pl_notify_send(&n, "READY=1");
        pl_notify_close(&n);
    }
    memset(longest, 'x', sizeof longest - 1);
    longest[0] = '/';
    longest[sizeof longest - 1] = 0;
    setenv("NOTIFY_SOCKET", longest, 1);
    pl_notify_open(&n);
    ck_assert_int_eq(n.fd, -1);
}
END_TEST

START_TEST(who_is_not_asked_says_nothing)
{
    struct pl_notify n;

    setenv("WATCHDOG_USEC", "1000000", 1);
    pl_notify_open(&n);
    ck_assert_int_eq(n.fd, -1);
    ck_assert_int_eq(pl_notify_alive(&n, 5), INT64_MAX);
}
END_TEST

START_TEST(gives_signs_of_life_in_half_the_time)
{
    struct pl_notify n;

    listen_at(path_in(temp_dir(), "notify"));
    setenv("WATCHDOG_USEC", "3000000", 1);
    pl_notify_open(&n);
    ck_assert_int_eq(pl_notify_alive(&n, 100), 100 + 3 * PL_NS_PER_SEC / 2);
    ck_assert_str_eq(heard(), "WATCHDOG=1");
    ck_assert_int_eq(pl_notify_alive(&n, 99 + 3 * PL_NS_PER_SEC / 2),
                     100 + 3 * PL_NS_PER_SEC / 2);
    ck_assert_str_eq(heard(), "");
    ck_assert_int_eq(pl_notify_alive(&n, 4 * PL_NS_PER_SEC),
                     4 * PL_NS_PER_SEC + 3 * PL_NS_PER_SEC / 2);
    ck_assert_str_eq(heard(), "WATCHDOG=1");
    pl_notify_close(&n);
}
END_TEST

START_TEST(watchdogs_of_others_and_nonsense_are_none)
{
    static const struct {
        const char *usec, *pid;
    } none[] = { { "0", NULL },
                 { "-5", NULL },
                 { "soon", NULL },
                 { "18446744073709551615", NULL },
                 { "1000000", "1" } };
    struct pl_notify n;

    listen_at(path_in(temp_dir(), "notify"));
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        setenv("WATCHDOG_USEC", none[i].usec, 1);
        if (none[i].pid)
            setenv("WATCHDOG_PID", none[i].pid, 1);
        pl_notify_open(&n);
        ck_assert_int_eq(pl_notify_alive(&n, 7), INT64_MAX);
        ck_assert_str_eq(heard(), "");
        pl_notify_close(&n);
    }
}
END_TEST

START_TEST(own_watchdog_by_number)
{
    struct pl_notify n;
    char pid[32];

    snprintf(pid, sizeof pid, "%ld", (long)getpid());
    listen_at(path_in(temp_dir(), "notify"));
    setenv("WATCHDOG_USEC", "10", 1);
    setenv("WATCHDOG_PID", pid, 1);
    pl_notify_open(&n);
    ck_assert_int_eq(pl_notify_alive(&n, 7), 7 + 5000);
    pl_notify_close(&n);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("notify");

    tcase_add_checked_fixture(tc, alone, NULL);
    tcase_add_test(tc, says_it_at_a_path);
    tcase_add_test(tc, says_it_at_an_abstract_name);
    tcase_add_test(tc, what_is_no_socket_is_left_alone);
    tcase_add_test(tc, who_is_not_asked_says_nothing);
    tcase_add_test(tc, gives_signs_of_life_in_half_the_time);
    tcase_add_test(tc, watchdogs_of_others_and_nonsense_are_none);
    tcase_add_test(tc, own_watchdog_by_number);
    return run_suite("notify", (TCase *const[]){ tc, NULL });
}
