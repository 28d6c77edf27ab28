/*
 * SIGINT and SIGTERM end the recording cleanly; SIGHUP begins a new segment
 * if rotation is on.  Without rotation it also ends the recording, unless it
 * was ignored at start, as nohup(1) does.  SIGUSR1 and SIGUSR2, which other
 * programs use for requests, are ignored: their default would end the process.
 *
 * A signal between a look at these requests and a sleep would be noticed only
 * after the sleep.  Each therefore sets a timer, which goes off once a second
 * until there is no request, and interrupts that sleep.  Its signal is one that
 * others may send without harm; an alarm ends the recorder, as any program.
 */
#include "logger/record/stop.h"

#include <signal.h>
#include <stddef.h>
#include <time.h>

static volatile sig_atomic_t stop_signal, hangup;
static const int ignored[] = { SIGPIPE, SIGUSR1, SIGUSR2 };
enum { NUM_IGNORED = sizeof ignored / sizeof *ignored };
static const int stops[] = { SIGINT, SIGTERM, SIGHUP };
enum { NUM_STOPS = sizeof stops / sizeof *stops };

/*
 * One request may come as several signals: a terminal that closes sends HUP, as
 * does its shell, and timeout(1) signals its child and then its group.
 */
enum { SAME_REQUEST_MS = 1000 };
static struct timespec first_asked;

/* Async-signal-safe: a request that is not the first one repeated. */
static bool is_second_request(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (now.tv_sec - first_asked.tv_sec) * 1000 +
               (now.tv_nsec - first_asked.tv_nsec) / 1000000 >=
           SAME_REQUEST_MS;
}

enum { TIMER_S = 1, TIMER_SIGNAL = SIGURG };
static timer_t timer;
static bool has_timer;

/* Async-signal-safe. */
static void set_timer(time_t s)
{
    struct itimerspec once = { .it_value.tv_sec = s };

    if (has_timer)
        timer_settime(timer, 0, &once, NULL);
}

static void on_timer(int sig)
{
    (void)sig;
    if (stop_signal || hangup)
        set_timer(TIMER_S);
}

/* The requests to end block each other. */
static void on_stop(int sig)
{
    if (!stop_signal) {
        clock_gettime(CLOCK_MONOTONIC, &first_asked);
        stop_signal = sig;
        set_timer(TIMER_S);
    } else if (is_second_request()) { /* end at once */
        signal(sig, SIG_DFL);
        raise(sig);
    }
}

static void on_hangup(int sig)
{
    (void)sig;
    hangup = 1;
    set_timer(TIMER_S);
}

/* Without one a request may wait for the end of a sleep. */
static void make_timer(void)
{
    struct sigaction sa = { .sa_handler = on_timer, .sa_flags = SA_RESTART };
    struct sigevent sends = { .sigev_notify = SIGEV_SIGNAL,
                              .sigev_signo = TIMER_SIGNAL };

    sigemptyset(&sa.sa_mask);
    sigaction(TIMER_SIGNAL, &sa, NULL);
    has_timer = !timer_create(CLOCK_MONOTONIC, &sends, &timer);
}

void pl_stop_catch(bool rotates)
{
    struct sigaction sa = { .sa_handler = on_stop }, before;

    make_timer();
    sigemptyset(&sa.sa_mask);
    for (int i = 0; i < NUM_STOPS; i++)
        sigaddset(&sa.sa_mask, stops[i]);
    sigaction(SIGINT, &sa, NULL);
    sigaction(SIGTERM, &sa, NULL);
    sa.sa_handler = rotates ? on_hangup : on_stop;
    if (rotates || sigaction(SIGHUP, NULL, &before) ||
        before.sa_handler != SIG_IGN)
        sigaction(SIGHUP, &sa, NULL);
    sa.sa_handler = SIG_IGN;
    for (int i = 0; i < NUM_IGNORED; i++)
        sigaction(ignored[i], &sa, NULL);
}

bool pl_stop_asked(void)
{
    return stop_signal;
}

bool pl_stop_take_rotation(void)
{
    if (!hangup)
        return false;
    hangup = 0;
    return true;
}

void pl_stop_release(void)
{
    if (has_timer)
        timer_delete(timer);
    has_timer = false;
    signal(TIMER_SIGNAL, SIG_DFL);
    for (int i = 0; i < NUM_IGNORED; i++)
        signal(ignored[i], SIG_DFL);
}
