/*
 * What people type: options, counter paths, files of them, lengths, sizes,
 * counts, instants.  Input: a byte that chooses which, then the text; several
 * arguments are separated by NUL.
 */
#include "analyze/cli/given_time.h"
#include "format/time/time_text.h"
#include "format/cli/options.h"
#include "format/block/counter_path.h"
#include "format/time/zone.h"
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ARGS = 32 };

static const struct pl_option options[] = {
    { 'o', "output", "FILE", "a file" },
    { 'c', "counters", "PATH", "a path" },
    { 'q', "quiet", NULL, "quiet" },
    { 0, "layout", "LAYOUT", "a layout" },
    { 0, "layers", NULL, "begins alike" },
};
static const struct pl_command command = {
    .name = "fuzz",
    .summary = "s",
    .usage = "u",
    .options = options,
    .num_options = sizeof options / sizeof *options,
};

/* ---- one text --------------------------------------------------------------- */

static void check_duration(const char *text)
{
    char shown[PL_DURATION_TEXT];
    uint64_t ns;

    if (!pl_parse_duration(text, &ns)) {
        fuzz_check(ns <= INT64_MAX);
        fuzz_check(strlen(pl_duration_text(ns, shown)) < PL_DURATION_TEXT);
    }
}

static void check_size(const char *text)
{
    char shown[PL_SIZE_TEXT];
    uint64_t n;

    if (!pl_parse_size(text, &n))
        fuzz_check(strlen(pl_size_text(n, shown)) < PL_SIZE_TEXT);
}

/* What parses is a number that prints as it was, leading zeros aside. */
static void check_count(const char *text)
{
    char shown[32];
    uint64_t n;

    if (pl_parse_count(text, &n))
        return;
    while (*text == '0' && text[1])
        text++;
    snprintf(shown, sizeof shown, "%llu", (unsigned long long)n);
    fuzz_check(!strcmp(text, shown));
}

/* The instant that a text stands for by a rule; it does not end before. */
static bool find_time(const char *text, enum pl_given_rule rule, int64_t now,
                      int64_t *ns)
{
    const struct pl_given_span span = { now, now, now };
    char why[PL_GIVEN_WHY];
    struct pl_given_time t;
    struct pl_given_at at;

    if (pl_given_time_read(text, PL_DATE_DAY_FIRST, &t, why)) {
        fuzz_check(*why && strlen(why) < PL_GIVEN_WHY);
        return false;
    }
    pl_given_time_needs_end(&t, rule);
    at = pl_given_time_find(&t, rule, &span);
    fuzz_check(at.end_ns >= at.ns);
    *ns = at.ns;
    return true;
}

static void check_time(const char *text)
{
    const int64_t now = INT64_C(1795262400) * PL_NS_PER_SEC;
    char shown[PL_INSTANT_TEXT];
    int64_t ns, again, around;
    size_t n;

    if (!pl_given_around(text, &n, &around))
        fuzz_check(n <= strlen(text) && around >= 0);
    for (int rule = 0; rule < 2; rule++) {
        find_time(text, (enum pl_given_rule)rule, INT64_MIN, &ns);
        find_time(text, (enum pl_given_rule)rule, INT64_MAX, &ns);
        if (!find_time(text, (enum pl_given_rule)rule, now, &ns))
            continue;
        fuzz_check(strlen(pl_instant_text(ns, shown)) < PL_INSTANT_TEXT);
        if (ns >= 0 && find_time(shown, PL_GIVEN_LAST, now, &again)) /* to ms */
            fuzz_check(again <= ns && ns - again < PL_NS_PER_MS);
    }
}

static void check_path(const char *text)
{
    struct pl_counter_path path;
    struct pl_buf b = { 0 };
    struct pl_text whole = pl_text_of(text);

    if (!pl_counter_path_parse(&path, text)) {
        const struct pl_text parts[] = { path.host, path.object, path.instance,
                                         path.counter };

        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
            fuzz_check(!parts[i].p ||
                       (parts[i].p >= text &&
                        parts[i].p + parts[i].n <= text + whole.n));
        fuzz_check(path.object.p);
        pl_pattern_match(path.object, whole);
    }
    /* A name that is escaped fits itself and holds no wildcard. */
    pl_counter_path_escape(&b, whole);
    fuzz_check(pl_pattern_match((struct pl_text){ (char *)b.p, b.len }, whole));
    fuzz_check(pl_pattern_is_literal((struct pl_text){ (char *)b.p, b.len }));
    fuzz_check(pl_pattern_match(pl_text_of("*"), whole));
    pl_buf_release(&b);
}

static void check_zone(const char *text)
{
    if (strchr(text, '/') && strstr(text, ".."))
        return; /* not for this to look at files */
    if (!pl_zone_set(text)) {
        int32_t offset = pl_zone_offset(0);

        fuzz_check(offset > -172800 && offset < 172800);
        fuzz_check(strlen(pl_zone_name()) > 0);
    }
    fuzz_check(!pl_zone_set("UTC"));
}

/* ---- several ----------------------------------------------------------------- */

/* "pattern NUL text": no pattern takes long, and '?' never fits nothing. */
static void check_match(const char *text, size_t n)
{
    struct pl_text pattern = pl_text_of(text), rest;

    if (pattern.n == n)
        return;
    rest = (struct pl_text){ text + pattern.n + 1, n - pattern.n - 1 };
    if (pl_pattern_match(pattern, rest) && pl_pattern_is_literal(pattern))
        fuzz_check(rest.n <= pattern.n);
}

static void check_file(const char *text, size_t n)
{
    struct pl_counter_path_list list = { 0 };
    char arg[80];
    const char *why = NULL;

    snprintf(arg, sizeof arg, "@%s", fuzz_file(text, n));
    if (pl_counter_path_list_add(&list, arg, &why))
        fuzz_check(why);
    else
        fuzz_check(!list.num || list.adds || list.replaces);
    pl_counter_path_list_release(&list);
}

static void check_options(char *text, size_t n)
{
    char *args[MAX_ARGS + 2] = { "fuzz" };
    char *none[] = { "fuzz", NULL };
    const char *arg;
    int argc = 1, option;

    for (size_t at = 0; at < n && argc <= MAX_ARGS; at += strlen(text + at) + 1)
        args[argc++] = text + at;
    while ((option = pl_option_next(&command, argc, args, &arg)) >= 0) {
        fuzz_check((size_t)option < command.num_options);
        fuzz_check(!options[option].arg || arg);
    }
    fuzz_check(option != PL_OPTION_END ||
               (pl_operands() >= 1 && pl_operands() <= argc));
    pl_option_next(&command, 1, none, &arg); /* other arguments: begin anew */
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
    static void (*const checks[])(const char *) = {
        check_duration, check_size, check_count,
        check_time,     check_path, check_zone,
    };
    enum { SINGLE = sizeof checks / sizeof *checks, MATCH = SINGLE, FILE_OF };
    struct fuzz_input in = { p, n };
    size_t which = fuzz_byte(&in) % (SINGLE + 3);
    char *text = calloc(in.left + 1, 1);

    if (!text)
        abort();
    n = in.left;
    if (n)
        memcpy(text, in.p, n);
    if (which < SINGLE)
        checks[which](text);
    else if (which == MATCH)
        check_match(text, n);
    else if (which == FILE_OF)
        check_file(text, n);
    else
        check_options(text, n);
    free(text);
    return 0;
}
