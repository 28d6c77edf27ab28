/* The screen of a build without ncurses, which says so. */
#include "analyze/screen/screen.h"

enum pl_exit pl_screen_check(const char *command)
{
    pl_say("%s: this perflog was built without ncurses and has no screen; "
           "'perflog top --at TIME LOG' prints the same page, or build with "
           "-DPERFLOG_REPLAY=ON",
           command);
    return PL_EXIT_FAILED;
}

enum pl_exit pl_screen_run(const char *command, struct pl_browse *b)
{
    (void)b;
    return pl_screen_check(command);
}
