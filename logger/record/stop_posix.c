/*
 * SIGINT and SIGTERM end the recording cleanly; SIGHUP begins a new segment
 * if rotation is on.  Without rotation it also ends the recording, unless it
 * was ignored at start, as nohup(1) does.  SIGUSR1 and SIGUSR2, which other
 * programs use for requests, are ignored: their default would end the process.
 */
#include "logger/record/stop.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t stop_signal, hangup;
static const int ignored[] = { SIGPIPE, SIGUSR1, SIGUSR2 };
enum { NUM_IGNORED = sizeof ignored / sizeof *ignored };

static void on_stop(int sig)
{
    if (stop_signal) { /* second request: end at once */
        signal(sig, SIG_DFL);
        raise(sig);
    }
    stop_signal = sig;
}

static void on_hangup(int sig)
{
    (void)sig;
    hangup = 1;
}

void pl_stop_catch(bool rotates)
{
    struct sigaction sa = { .sa_handler = on_stop }, before;

    sigemptyset(&sa.sa_mask);
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
    for (int i = 0; i < NUM_IGNORED; i++)
        signal(ignored[i], SIG_DFL);
}
