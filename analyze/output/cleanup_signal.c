/* Cleans up when interrupted. */
#include "analyze/output/cleanup_signal.h"

#include <signal.h>
#include <stddef.h>

static void (*volatile clean_up)(void);
static volatile sig_atomic_t held, waiting;

static void on_signal(int sig)
{
    if (held) {
        waiting = sig;
        return;
    }
    if (clean_up)
        clean_up();
    signal(sig, SIG_DFL);
    raise(sig);
}

/* A signal that a shell or nohup set to be ignored stays ignored. */
static void catch_one(int sig)
{
    if (signal(sig, on_signal) == SIG_IGN)
        signal(sig, SIG_IGN);
}

void pl_cleanup_signal_catch(void (*clean)(void))
{
    clean_up = clean;
    catch_one(SIGINT);
    catch_one(SIGTERM);
#ifdef SIGHUP /* the terminal was closed */
    catch_one(SIGHUP);
#endif
#ifdef SIGPIPE /* the reader of the output has ended */
    catch_one(SIGPIPE);
#endif
}

void pl_cleanup_signal_hold(void)
{
    held = 1;
}

bool pl_cleanup_signal_waits(void)
{
    return waiting != 0;
}

void pl_cleanup_signal_release(void)
{
    int sig;

    held = 0;
    sig = waiting;
    waiting = 0;
    if (sig)
        raise(sig);
}
