/*
 * INT and TERM end the recording cleanly, HUP begins a new segment if there
 * is rotation.  Else it ends it, too, unless it was ignored before: that is
 * what nohup(1) is for.  USR1 and USR2, which mean something to other programs,
 * must not end a recording, which is what they do unasked.
 */
#include "logger/record/stop.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t stop_signal, hangup;
static const int ignored[] = { SIGPIPE, SIGUSR1, SIGUSR2 };
enum { NUM_IGNORED = sizeof ignored / sizeof *ignored };

static void on_stop(int sig)
{
    if (stop_signal) { /* asked twice: now */
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
