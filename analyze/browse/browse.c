/* Opens logs, and takes keys. */
#include "analyze/browse/browse_state.h"

#include "analyze/cli/time_window.h"
#include "format/base/file.h"
#include "format/base/utf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FOLLOW_MS = 500 };

void pl_browse_say(struct pl_browse *b, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(b->message, sizeof b->message, format, args);
    va_end(args);
}

/* ---- what keys do -------------------------------------------------------- */

static enum pl_browse_news scroll(struct pl_browse *b, int direction)
{
    if (direction < 0 ? !b->first : b->first + 1 >= b->list.num)
        return PL_BROWSE_SAME;
    b->first = direction < 0 ? b->first - 1 : b->first + 1;
    return PL_BROWSE_CHANGED;
}

/* True if a counter that the user named is one that processes here have. */
static bool is_known(const struct pl_browse *b)
{
    return b->sort != &b->named || b->page.matched[0] || b->page.matched[1];
}

static enum pl_browse_news read_sorted(struct pl_browse *b,
                                       const struct pl_moment_sort *sort)
{
    const struct pl_moment_sort *was = b->sort;
    enum pl_status s = pl_browse_read_anew(b, sort);

    if (s == PL_USAGE || (!s && !is_known(b))) {
        pl_browse_say(b, "'%s': no process has such a counter",
                      sort->counters[0]);
        s = s ? PL_OK
              : pl_browse_read_anew(
                    b, was == &b->named ? pl_moment_sort_of("cpu") : was);
    }
    b->first = 0;
    return pl_browse_moved(b, s, "there is no sample");
}

static enum pl_browse_news take_sort(struct pl_browse *b, const char *text)
{
    const struct pl_moment_sort *sort = pl_moment_sort_of(text);

    if (sort || !*text)
        return sort ? read_sorted(b, sort) : PL_BROWSE_CHANGED;
    if (b->sort == &b->named) /* its text is about to change */
        b->sort = b->page.sort = pl_moment_sort_of("cpu");
    snprintf(b->sort_text, sizeof b->sort_text, "%s", text);
    b->named = (struct pl_moment_sort){ .title = b->sort_text,
                                        .counters = { b->sort_text } };
    return read_sorted(b, &b->named);
}

static enum pl_browse_news sort_by_cpu(struct pl_browse *b, int direction)
{
    (void)direction;
    return take_sort(b, "cpu");
}

static enum pl_browse_news sort_by_memory(struct pl_browse *b, int direction)
{
    (void)direction;
    return take_sort(b, "memory");
}

static enum pl_browse_news sort_by_disk(struct pl_browse *b, int direction)
{
    (void)direction;
    return take_sort(b, "disk");
}

static enum pl_browse_news sort_by_io(struct pl_browse *b, int direction)
{
    (void)direction;
    return take_sort(b, "io");
}

static enum pl_browse_news ask_sort(struct pl_browse *b, int direction)
{
    (void)direction;
    return pl_browse_ask(
        b, "Sort by cpu, memory, disk, io or a counter: ", take_sort);
}

static enum pl_browse_news take_filter(struct pl_browse *b, const char *text)
{
    snprintf(b->filter, sizeof b->filter, "%s", text);
    b->view.filter = *b->filter ? b->filter : NULL;
    b->first = 0;
    return pl_browse_list(b) ? PL_BROWSE_FAILED : PL_BROWSE_CHANGED;
}

static enum pl_browse_news ask_filter(struct pl_browse *b, int direction)
{
    (void)direction;
    return pl_browse_ask(b, "Only processes with: ", take_filter);
}

/* The same key again goes back to ranks. */
static enum pl_browse_news toggle_order(struct pl_browse *b,
                                        enum pl_process_order order)
{
    b->view.order = b->view.order == order ? PL_BY_RANK : order;
    b->first = 0;
    return pl_browse_list(b) ? PL_BROWSE_FAILED : PL_BROWSE_CHANGED;
}

static enum pl_browse_news order_by_parent(struct pl_browse *b, int direction)
{
    (void)direction;
    return toggle_order(b, PL_BY_PARENT);
}

static enum pl_browse_news order_by_group(struct pl_browse *b, int direction)
{
    (void)direction;
    return toggle_order(b, PL_BY_CONTROL_GROUP);
}

static enum pl_browse_news order_by_program(struct pl_browse *b, int direction)
{
    (void)direction;
    return toggle_order(b, PL_BY_PROGRAM);
}

static enum pl_browse_news ask_time(struct pl_browse *b, int direction)
{
    (void)direction;
    return pl_browse_ask(
        b, "Go to (03:12, yesterday 14:00, -10m, +5m): ", pl_browse_to_time);
}

static enum pl_browse_news show_help(struct pl_browse *b, int direction)
{
    (void)direction;
    b->helps = true;
    return PL_BROWSE_CHANGED;
}

static enum pl_browse_news quit(struct pl_browse *b, int direction)
{
    (void)b;
    (void)direction;
    return PL_BROWSE_QUIT;
}

/* ---- keys ---------------------------------------------------------------- */

enum { KEYS_EACH = 2 };

/* A row of the help and its keys: those that go back, and those that go on. */
static const struct binding {
    uint32_t back[KEYS_EACH], on[KEYS_EACH];
    const char *keys, *help;
    enum pl_browse_news (*act)(struct pl_browse *b, int direction);
} bindings[] = {
    { { PL_KEY_LEFT },
      { PL_KEY_RIGHT },
      "Left, Right",
      "the sample before, the next one",
      pl_browse_sample },
    { { PL_KEY_PAGE_UP },
      { PL_KEY_PAGE_DOWN },
      "PgUp, PgDn",
      "a minute back, a minute on",
      pl_browse_minute },
    { { PL_KEY_HOME },
      { PL_KEY_END },
      "Home, End",
      "the first sample; the last one, following the log",
      pl_browse_edge },
    { { 0 }, { 't' }, "t", "go to a time", ask_time },
    { { 'N' },
      { 'n' },
      "N, n",
      "the peak, gap or event before, the next one",
      pl_browse_event },
    { { 0 },
      { 'f' },
      "f",
      "follow a log that is being written, or stop",
      pl_browse_follow },
    { { PL_KEY_UP },
      { PL_KEY_DOWN },
      "Up, Down",
      "scroll the processes",
      scroll },
    { { 0 }, { 'c' }, "c", "sort processes by processor time", sort_by_cpu },
    { { 0 }, { 'm' }, "m", "sort them by memory", sort_by_memory },
    { { 0 },
      { 'd' },
      "d",
      "sort them by bytes read from and written to disks",
      sort_by_disk },
    { { 0 },
      { 'i' },
      "i",
      "sort them by all bytes read and written",
      sort_by_io },
    { { 0 }, { 's' }, "s", "sort them by a counter", ask_sort },
    { { 0 },
      { '/' },
      "/",
      "only processes with a text in name, user, group or command line",
      ask_filter },
    { { 0 }, { 'p' }, "p", "a tree of parents, or a list", order_by_parent },
    { { 0 }, { 'g' }, "g", "by control groups, or a list", order_by_group },
    { { 0 }, { 'b' }, "b", "by programs, or a list", order_by_program },
    { { 0 },
      { PL_KEY_TAB },
      "Tab",
      "the next host, if there are several",
      pl_browse_host },
    { { 0 }, { '?', 'h' }, "?, h", "this help", show_help },
    { { 0 }, { 'q' }, "q", "quit", quit },
};

enum { NUM_BINDINGS = sizeof bindings / sizeof *bindings };

size_t pl_browse_keys(struct pl_browse_key_help out[PL_BROWSE_KEYS])
{
    for (size_t i = 0; i < NUM_BINDINGS; i++)
        out[i] =
            (struct pl_browse_key_help){ bindings[i].keys, bindings[i].help };
    return NUM_BINDINGS;
}

static bool has_key(const uint32_t keys[KEYS_EACH], uint32_t key)
{
    for (size_t i = 0; i < KEYS_EACH; i++)
        if (keys[i] && keys[i] == key)
            return true;
    return false;
}

static enum pl_browse_news press(struct pl_browse *b, uint32_t key)
{
    for (size_t i = 0; i < NUM_BINDINGS; i++) {
        const bool back = has_key(bindings[i].back, key);

        if (back || has_key(bindings[i].on, key))
            return bindings[i].act(b, back ? -1 : 1);
    }
    return PL_BROWSE_REFUSED;
}

/* ---- prompts ------------------------------------------------------------- */

enum pl_browse_news pl_browse_ask(
    struct pl_browse *b, const char *label,
    enum pl_browse_news (*take)(struct pl_browse *b, const char *text))
{
    b->prompt = (struct pl_browse_prompt){ .label = label, .take = take };
    return PL_BROWSE_CHANGED;
}

static enum pl_browse_news end_prompt(struct pl_browse *b)
{
    const struct pl_browse_prompt prompt = b->prompt;

    b->prompt.label = NULL;
    return prompt.take(b, prompt.text);
}

static enum pl_browse_news put_character(struct pl_browse_prompt *p,
                                         uint32_t key)
{
    struct pl_buf c = { 0 };
    enum pl_browse_news news = PL_BROWSE_REFUSED;

    if (key < PL_KEY_LEFT && !pl_is_control(key)) {
        pl_utf8_put(&c, key);
        if (!c.oom && p->n + c.len < sizeof p->text) {
            memcpy(p->text + p->n, c.p, c.len);
            p->n += c.len;
            p->text[p->n] = 0;
            news = PL_BROWSE_CHANGED;
        }
    }
    pl_buf_release(&c);
    return news;
}

static enum pl_browse_news type(struct pl_browse *b, uint32_t key)
{
    struct pl_browse_prompt *p = &b->prompt;

    if (key == PL_KEY_ENTER)
        return end_prompt(b);
    if (key == PL_KEY_ESCAPE || (key == PL_KEY_BACKSPACE && !p->n)) {
        p->label = NULL;
        return PL_BROWSE_CHANGED;
    }
    if (key != PL_KEY_BACKSPACE)
        return put_character(p, key);
    while (p->n && (p->text[--p->n] & 0xC0) == 0x80)
        ;
    p->text[p->n] = 0;
    return PL_BROWSE_CHANGED;
}

enum pl_browse_news pl_browse_key(struct pl_browse *b, uint32_t key)
{
    const bool had_message = *b->message != 0;
    enum pl_browse_news news;

    *b->message = 0;
    b->seeks = 0;
    if (b->helps) {
        b->helps = false;
        return key == 'q' ? PL_BROWSE_QUIT : PL_BROWSE_CHANGED;
    }
    news = b->prompt.label ? type(b, key) : press(b, key);
    return had_message && (news == PL_BROWSE_SAME || news == PL_BROWSE_REFUSED)
               ? PL_BROWSE_CHANGED
               : news;
}

/* ---- work ---------------------------------------------------------------- */

static enum pl_browse_news read_history(struct pl_browse *b)
{
    if (pl_history_read(&b->history))
        return PL_BROWSE_FAILED;
    return b->history.reading ? PL_BROWSE_SAME : PL_BROWSE_CHANGED;
}

enum pl_browse_news pl_browse_work(struct pl_browse *b)
{
    if (b->seeks)
        return pl_browse_search(b);
    if (b->history.reading)
        return read_history(b);
    return b->follows ? pl_browse_look(b) : PL_BROWSE_SAME;
}

int pl_browse_wait_ms(const struct pl_browse *b)
{
    int64_t ago;

    if (b->seeks || b->history.reading)
        return 0;
    if (!b->follows)
        return -1;
    /* Keys do not put it off. */
    ago = (pl_clock_steady() - b->looked_ns) / PL_NS_PER_MS;
    return ago < 0 ? FOLLOW_MS : ago < FOLLOW_MS ? FOLLOW_MS - (int)ago : 0;
}

int64_t pl_browse_time(const struct pl_browse *b)
{
    return b->page.time_ns;
}

/* ---- opening ------------------------------------------------------------- */

static enum pl_exit find_span(struct pl_browse *b)
{
    uint64_t interval_ns = 0;
    int64_t utc_ns = 0;
    enum pl_exit code =
        pl_host_logs_last_time_or_say(&b->logs, &utc_ns, &interval_ns);

    if (code)
        return code;
    pl_browse_set_span(b, utc_ns, interval_ns);
    b->looked_ns = pl_clock_steady();
    b->bytes = pl_host_logs_bytes(&b->logs);
    return PL_EXIT_GOOD;
}

static enum pl_exit say_failed(const struct pl_browse *b, enum pl_status s)
{
    if (s == PL_USAGE) {
        pl_say("%s: --sort '%s': no process has such a counter",
               b->plan.command, b->sort->counters[0]);
        return PL_EXIT_FAILED;
    }
    if (s == PL_END) {
        pl_say("%s: holds no readable samples", b->logs.logs[0].paths[0]);
        return PL_EXIT_UNREADABLE;
    }
    return pl_say_status(b->logs.logs[0].paths[0], s, NULL);
}

/* Of one host the time is known from its span. */
static enum pl_status read_last(struct pl_browse *b)
{
    return b->logs.num == 1 ? pl_page_reader_last_at(&b->page, b->last_ns)
                            : pl_page_reader_last(&b->page);
}

/* PL_END: the host has no sample, or none in the window of --at. */
static enum pl_status open_host(struct pl_browse *b, size_t host,
                                const struct pl_time_range *window)
{
    enum pl_status s;

    b->host = host;
    s = pl_page_reader_open(&b->page, &b->logs.logs[host], b->sort,
                            b->plan.max_block);
    if (s)
        return s;
    if (!b->plan.at)
        return read_last(b);
    return pl_page_reader_between(&b->page, window->from_ns + 1, window->to_ns);
}

/* The host that began first, or the next one that has something. */
static enum pl_status open_hosts(struct pl_browse *b,
                                 const struct pl_time_range *window)
{
    size_t first = b->logs.num - 1;
    enum pl_status s = PL_END;

    while (first && b->logs.logs[first].first_utc > b->first_ns)
        first--;
    for (size_t i = 0; i < b->logs.num && s == PL_END; i++) {
        b->damaged |= b->page.damaged;
        b->too_new |= b->page.too_new;
        pl_page_reader_close(&b->page);
        s = open_host(b, (first + i) % b->logs.num, window);
    }
    return s;
}

/* --at is read as elsewhere; the page is its first sample. */
static enum pl_exit open_page(struct pl_browse *b)
{
    const struct pl_times times = { .at = b->plan.at };
    struct pl_time_range window = { 0 };
    enum pl_exit code = PL_EXIT_GOOD;
    enum pl_status s;

    if (b->plan.at)
        code = pl_time_window(b->plan.command, &times, &b->logs, &window);
    if (code)
        return code;
    s = open_hosts(b, &window);
    if (s == PL_END && b->plan.at) {
        pl_say_window_empty(&b->logs, &times, &window);
        return PL_EXIT_FAILED;
    }
    return s ? say_failed(b, s) : PL_EXIT_GOOD;
}

static enum pl_exit start_screen(struct pl_browse *b)
{
    enum pl_exit code = find_span(b);

    if (code)
        return code;
    if (pl_zone_use(b->plan.tz, true, &b->logs))
        return say_failed(b, PL_NOMEM);
    code = open_page(b);
    b->follows = !b->plan.at && pl_browse_is_live(b);
    if (!code && !is_known(b))
        code = say_failed(b, PL_USAGE);
    if (!code &&
        (pl_browse_list(b) || pl_history_show(&b->history, &b->page, false)))
        code = say_failed(b, PL_NOMEM);
    return code;
}

enum pl_exit pl_browse_open(struct pl_browse **out,
                            const struct pl_browse_plan *plan)
{
    struct pl_browse *b = calloc(1, sizeof *b);
    const char *sort = plan->sort ? plan->sort : "cpu";
    enum pl_exit code;

    if (!b)
        return pl_say_status(plan->command, PL_NOMEM, NULL);
    b->plan = *plan;
    b->named = (struct pl_moment_sort){ .title = sort, .counters = { sort } };
    b->sort = pl_moment_sort_of(sort);
    if (!b->sort)
        b->sort = &b->named;
    code = pl_host_logs_open_or_say(&b->logs, plan->operands, plan->num, false);
    if (!code)
        code = start_screen(b);
    if (code)
        pl_browse_close(b);
    else
        *out = b;
    return code;
}

enum pl_exit pl_browse_close(struct pl_browse *b)
{
    enum pl_exit code = PL_EXIT_GOOD;

    if (!b)
        return code;
    pl_process_list_release(&b->list);
    pl_history_clear(&b->history);
    pl_browse_forget_events(b);
    pl_page_reader_close(&b->page);
    if (b->damaged || b->page.damaged)
        code = PL_EXIT_DAMAGED;
    if (b->too_new || b->page.too_new)
        code = PL_EXIT_TOO_NEW;
    pl_host_logs_release(&b->logs);
    free(b);
    return code;
}
