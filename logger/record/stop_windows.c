/*
 * Ctrl-C and Ctrl-Break end the recording cleanly; so do closing the console,
 * logging off and shutting down, for which Windows allows a few seconds.
 */
#include "logger/record/stop.h"

#include <stddef.h>
#include <windows.h>

enum { LAST_SECONDS_MS = 4500 }; /* Windows waits for 5 s */

static volatile LONG asked;
static HANDLE sampling_thread, ended;

static void CALLBACK end_sleep(ULONG_PTR unused)
{
    (void)unused;
}

/*
 * Runs in a thread of its own.  False: end the program now, on a second key
 * press; after the other events Windows ends it as soon as this returns.
 */
static BOOL WINAPI on_control(DWORD event)
{
    bool again = InterlockedExchange(&asked, 1);

    QueueUserAPC(end_sleep, sampling_thread, 0);
    if (event == CTRL_C_EVENT || event == CTRL_BREAK_EVENT)
        return !again;
    WaitForSingleObject(ended, LAST_SECONDS_MS);
    return TRUE;
}

void pl_stop_catch(bool rotates)
{
    (void)rotates; /* there is no such request */
    DuplicateHandle(GetCurrentProcess(), GetCurrentThread(),
                    GetCurrentProcess(), &sampling_thread, 0, FALSE,
                    DUPLICATE_SAME_ACCESS);
    ended = CreateEventW(NULL, TRUE, FALSE, NULL);
    SetConsoleCtrlHandler(NULL, FALSE); /* a parent may have ignored Ctrl-C */
    SetConsoleCtrlHandler(on_control, TRUE);
}

bool pl_stop_asked(void)
{
    return asked;
}

bool pl_stop_take_rotation(void)
{
    return false;
}

void pl_stop_release(void)
{
    SetConsoleCtrlHandler(on_control, FALSE);
    SetEvent(ended);
}
