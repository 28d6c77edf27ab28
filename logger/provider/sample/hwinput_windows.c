/*
 * hwinput for Windows: how busy keyboard and mouse are, as counters for
 * perflog and Performance Monitor.  After HWInputMon, the sample of Jeffrey
 * Richter's article on performance objects (Microsoft Systems Journal, August
 * 1998).
 *
 *     hwinput                             count until interrupted
 *     hwinput --simulate SEED:RATE:COUNT  COUNT made-up events, RATE a second
 *                                         (0: as fast as it goes)
 *     hwinput --install, --uninstall      tell Windows of the counters, or no
 *                                         more; as administrator
 *
 * Events come from the low-level hooks, which see what goes on in the session
 * they run in.  Only that a key went down or up is counted; which keys are
 * down is known as long as they are, to tell a repeat from a keystroke.
 * Ctrl-Break begins all counts anew.
 */
#include "hwinput.h"

#include <pl_install.h>
#include <string.h>
#include <windows.h>

/* ---- events ------------------------------------------------------------- */

static DWORD main_thread;

static LRESULT CALLBACK on_key(int code, WPARAM message, LPARAM data)
{
    static unsigned char is_down[256];
    const KBDLLHOOKSTRUCT *key = (const KBDLLHOOKSTRUCT *)data;
    int down = message == WM_KEYDOWN || message == WM_SYSKEYDOWN;

    if (code == HC_ACTION && key->vkCode < sizeof is_down) {
        if (is_down[key->vkCode] != down || !down)
            count_key();
        is_down[key->vkCode] = (unsigned char)down;
    }
    reset_if_asked();
    return CallNextHookEx(NULL, code, message, data);
}

static LRESULT CALLBACK on_mouse(int code, WPARAM message, LPARAM data)
{
    if (code == HC_ACTION) {
        if (message == WM_MOUSEMOVE)
            count_move();
        else if (message == WM_LBUTTONDOWN)
            count_click(LEFT);
        else if (message == WM_MBUTTONDOWN)
            count_click(MIDDLE);
        else if (message == WM_RBUTTONDOWN)
            count_click(RIGHT);
    }
    reset_if_asked();
    return CallNextHookEx(NULL, code, message, data);
}

/* Windows calls the hooks while this waits for messages. */
static int watch(void)
{
    HHOOK keys = SetWindowsHookExW(WH_KEYBOARD_LL, on_key, NULL, 0);
    HHOOK mouse = SetWindowsHookExW(WH_MOUSE_LL, on_mouse, NULL, 0);
    MSG message;

    if (!keys || !mouse) {
        fprintf(stderr,
                "hwinput: Windows allows no hooks here (error %lu); "
                "try --simulate 1:100:1000\n",
                GetLastError());
        return 1;
    }
    fprintf(stderr, "hwinput: counting; Ctrl-C ends it\n");
    while (!stopped && GetMessageW(&message, NULL, 0, 0) > 0)
        reset_if_asked();
    UnhookWindowsHookEx(keys);
    UnhookWindowsHookEx(mouse);
    return 0;
}

/* Runs in a thread of its own. */
static BOOL WINAPI on_control(DWORD what)
{
    if (what == CTRL_BREAK_EVENT)
        begin_anew = 1;
    else
        stopped = 1;
    PostThreadMessageW(main_thread, WM_NULL, 0, 0);
    return TRUE;
}

/* ---- Windows' list of counters ------------------------------------------ */

static int manage(int (*change)(char *, size_t), const char *done)
{
    char why[512];

    if (change(why, sizeof why)) {
        fprintf(stderr, "hwinput: %s\n", why);
        return 1;
    }
    printf("hwinput's counters are %s\n", done);
    return 0;
}

static int install(char *why, size_t len)
{
    return pl_prov_install("hwinput", table, 2, why, len);
}

static int uninstall(char *why, size_t len)
{
    return pl_prov_uninstall("hwinput", why, len);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int simulates = argc == 3 && !strcmp(what, "--simulate");
    int code;

    if (argc == 2 && !strcmp(what, "--install"))
        return manage(install, "known to Windows");
    if (argc == 2 && !strcmp(what, "--uninstall"))
        return manage(uninstall, "forgotten");
    if (argc != 1 && !simulates) {
        fprintf(stderr, "usage: hwinput [--simulate SEED:RATE:COUNT | "
                        "--install | --uninstall]\n");
        return 1;
    }
    main_thread = GetCurrentThreadId();
    SetConsoleCtrlHandler(on_control, TRUE);
    publish();
    code = simulates ? simulate(argv[2]) : watch();
    if (!code)
        print_totals();
    pl_prov_close(in.prov);
    return code;
}
