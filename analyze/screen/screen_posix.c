/* Draws with ncurses. */
#include "analyze/screen/screen.h"

#include "format/base/utf.h"

#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

enum { ESCAPE_MS = 50 }; /* after Esc, which also begins the codes of keys */

/* ---- the terminal -------------------------------------------------------- */

enum pl_exit pl_screen_check(const char *command)
{
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
        pl_say("%s: needs a terminal for keys and screen; 'perflog top --at "
               "TIME LOG' prints the same page anywhere",
               command);
        return PL_EXIT_FAILED;
    }
    return PL_EXIT_GOOD;
}

static enum pl_exit say_unfit(const char *command)
{
    const char *name = getenv("TERM");

    pl_say("%s: the terminal (TERM is '%s') cannot place its cursor, or is not "
           "known here; set TERM to what it is, or take 'perflog top --at TIME "
           "LOG'",
           command, name ? name : "");
    return PL_EXIT_FAILED;
}

/* True if it can place its cursor, which ncurses does not ask for. */
static bool is_fit(void)
{
    const char *place = tigetstr("cup"), *clear_it = tigetstr("clear");

    return place && place != (char *)-1 && clear_it && clear_it != (char *)-1;
}

static SCREEN *start(void)
{
    SCREEN *screen;

    setlocale(LC_CTYPE, "");
    set_escdelay(ESCAPE_MS);
    screen = newterm(NULL, stdout, stdin);
    if (screen && !is_fit()) {
        delscreen(screen);
        screen = NULL;
    }
    if (!screen)
        return NULL;
    cbreak();
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    curs_set(0);
    return screen;
}

/* Where there is no other screen to go back to, the shell goes on below. */
static void stop(SCREEN *screen)
{
    move(LINES - 1, 0);
    clrtoeol();
    refresh();
    endwin();
    delscreen(screen);
}

/* ---- drawing ------------------------------------------------------------- */

/* A character as the locale can show it, and how many columns it takes. */
static wchar_t shown(uint32_t code, int *columns)
{
    char bytes[MB_LEN_MAX];
    mbstate_t state = { 0 };
    wchar_t c = (wchar_t)code;

    *columns = wcwidth(c);
    if (*columns < 0 || wcrtomb(bytes, c, &state) == (size_t)-1) {
        *columns = 1;
        return L'?';
    }
    return c;
}

/* One line, cut at the edge. */
static void draw_text(int y, const uint8_t *p, size_t n)
{
    int x = 0;

    while (n) {
        size_t len;
        int columns;
        wchar_t c[2] = { shown(pl_utf8_decode(p, n, &len), &columns), 0 };

        p += len;
        n -= len;
        if (x + columns > COLS)
            break;
        mvaddwstr(y, x ? getcurx(stdscr) : 0, c);
        x += columns;
    }
}

static void draw_lines(const struct pl_browse_lines *page)
{
    const uint8_t *p = page->text.p, *end = p + page->text.len;

    for (int y = 0; p < end && y < LINES - 1; y++) {
        const uint8_t *stop_at = memchr(p, '\n', (size_t)(end - p));

        if (!y)
            attrset(A_BOLD);
        else if ((size_t)y == page->heading)
            attrset(A_REVERSE);
        draw_text(y, p, (size_t)((stop_at ? stop_at : end) - p));
        if ((size_t)y == page->heading)
            mvchgat(y, 0, -1, A_REVERSE, 0, NULL);
        attrset(A_NORMAL);
        p = stop_at ? stop_at + 1 : end;
    }
}

static void draw_status(const struct pl_browse_lines *page)
{
    draw_text(LINES - 1, page->status.p, page->status.len);
    mvchgat(LINES - 1, 0, -1, A_REVERSE, 0, NULL);
    if (page->cursor == SIZE_MAX) {
        curs_set(0);
        move(LINES - 1, 0);
    } else {
        curs_set(1);
        move(LINES - 1,
             page->cursor < (size_t)COLS ? (int)page->cursor : COLS - 1);
    }
}

static enum pl_status draw(struct pl_browse *b, struct pl_browse_lines *page)
{
    enum pl_status s;

    page->lines = (size_t)LINES;
    page->columns = (size_t)COLS;
    s = pl_browse_put(b, page);
    if (s)
        return s;
    erase();
    draw_lines(page);
    draw_status(page);
    refresh();
    return PL_OK;
}

/* ---- keys ---------------------------------------------------------------- */

static const struct {
    wint_t code;
    uint32_t key;
} keys[] = {
    { KEY_LEFT, PL_KEY_LEFT },     { KEY_RIGHT, PL_KEY_RIGHT },
    { KEY_UP, PL_KEY_UP },         { KEY_DOWN, PL_KEY_DOWN },
    { KEY_PPAGE, PL_KEY_PAGE_UP }, { KEY_NPAGE, PL_KEY_PAGE_DOWN },
    { KEY_HOME, PL_KEY_HOME },     { KEY_END, PL_KEY_END },
    { KEY_FIND, PL_KEY_HOME },     { KEY_SELECT, PL_KEY_END },
    { KEY_ENTER, PL_KEY_ENTER },   { KEY_BACKSPACE, PL_KEY_BACKSPACE },
    { KEY_DC, PL_KEY_BACKSPACE },
};

/* 0: a key that is none of ours. */
static uint32_t key_of(int kind, wint_t c)
{
    if (kind == OK)
        return c == '\r'               ? PL_KEY_ENTER
               : c == 127 || c == '\b' ? PL_KEY_BACKSPACE
                                       : (uint32_t)c;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i].code == c)
            return keys[i].key;
    return 0;
}

static enum pl_browse_news next_news(struct pl_browse *b)
{
    wint_t c;
    int kind;

    timeout(pl_browse_wait_ms(b));
    kind = get_wch(&c);
    if (kind == ERR)
        return isatty(STDIN_FILENO) ? pl_browse_work(b) : PL_BROWSE_QUIT;
    if (kind == KEY_CODE_YES && c == KEY_RESIZE)
        return PL_BROWSE_CHANGED;
    return pl_browse_key(b, key_of(kind, c));
}

/* ---- the loop ------------------------------------------------------------ */

static enum pl_status loop(struct pl_browse *b, struct pl_browse_lines *page)
{
    enum pl_status s = draw(b, page);

    while (!s) {
        enum pl_browse_news news = next_news(b);

        if (news == PL_BROWSE_QUIT)
            break;
        if (news == PL_BROWSE_FAILED)
            return PL_NOMEM;
        if (news == PL_BROWSE_REFUSED)
            beep();
        else if (news == PL_BROWSE_CHANGED)
            s = draw(b, page);
    }
    return s;
}

enum pl_exit pl_screen_run(const char *command, struct pl_browse *b)
{
    struct pl_browse_lines page = { 0 };
    SCREEN *screen = start();
    enum pl_status s;

    if (!screen)
        return say_unfit(command);
    page.utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
    s = loop(b, &page);
    stop(screen);
    pl_buf_release(&page.text);
    pl_buf_release(&page.status);
    return s ? pl_say_status(command, s, NULL) : PL_EXIT_GOOD;
}
