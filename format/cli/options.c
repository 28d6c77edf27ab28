/* Parses options by a command's table with getopt_long. */
#include "format/cli/options.h"

#include "format/base/buf.h"
#include "format/base/near_name.h"
#include "format/time/time_text.h"
#include "format/base/memory_limit.h"

#include <getopt.h>
#include <string.h>

enum { MAX_OPTIONS = 48 };
enum { HELP_COLUMN = 24, HELP_WIDTH = 78 };
/* getopt_long's value for long-only options: their index above all chars. */
enum { LONG_BASE = 256 };
enum { LEAST_MEMORY = 16 << 20 };

/* ---- options of all commands ------------------------------------------------- */

/* What pl_option_next() returns then, or GO_ON: take the next option. */
enum { GO_ON = -4 };

static int take_max_memory(const struct pl_command *c, const char *arg)
{
    uint64_t bytes;

    if (pl_parse_size(arg, &bytes) || bytes < LEAST_MEMORY) {
        pl_say("%s: --max-memory '%s': give a size from 16M on", c->name, arg);
        return PL_OPTION_WRONG;
    }
    pl_memory_set_limit(bytes);
    return GO_ON;
}

static int take_help(const struct pl_command *c, const char *arg)
{
    (void)arg;
    pl_command_help(c, stdout);
    if (pl_flush_stdout())
        return PL_OPTION_HELP;
    pl_say_status("output", PL_IO, NULL);
    return PL_OPTION_WRONG;
}

static const struct {
    struct pl_option option;
    int (*take)(const struct pl_command *c, const char *arg);
    bool limits; /* of no use to commands that are 'unlimited' */
} of_all[] = {
    { { 0, "max-memory", "SIZE",
        "take no more memory than SIZE (default: 1G)" },
      take_max_memory,
      true },
    { { 'h', "help", NULL, "print this" }, take_help, false },
};
enum { NUM_OF_ALL = sizeof of_all / sizeof *of_all };

/* Where option 'i' of a command is in of_all; NUM_OF_ALL: it is not. */
static size_t place_of_all(const struct pl_command *c, size_t i)
{
    size_t at = 0, left = i - c->num_options;

    for (; at < NUM_OF_ALL; at++)
        if (!(of_all[at].limits && c->unlimited) && !left--)
            break;
    return at;
}

const struct pl_option *pl_command_option(const struct pl_command *c, size_t i)
{
    size_t at;

    if (i < c->num_options)
        return &c->options[i];
    at = place_of_all(c, i);
    return at < NUM_OF_ALL ? &of_all[at].option : NULL;
}

/* ---- parsing ------------------------------------------------------------------- */

static void translate(const struct pl_command *c, struct option *longs,
                      char *letters)
{
    const struct pl_option *o;

    *letters++ = ':'; /* report a missing argument as such */
    for (size_t i = 0; (o = pl_command_option(c, i)) != NULL; i++) {
        *longs++ =
            (struct option){ o->name, o->arg ? required_argument : no_argument,
                             NULL, LONG_BASE + (int)i };
        if (!o->letter)
            continue;
        *letters++ = o->letter;
        if (o->arg)
            *letters++ = ':';
    }
    *letters = 0;
    *longs = (struct option){ 0 };
}

static int by_letter(const struct pl_command *c, int letter)
{
    const struct pl_option *o;

    for (int i = 0; (o = pl_command_option(c, (size_t)i)) != NULL; i++)
        if (o->letter == letter)
            return i;
    return PL_OPTION_WRONG;
}

/* An option of the command's own, or one of all commands, which is taken. */
static int answer(const struct pl_command *c, int option, const char *arg)
{
    if (option < 0 || (size_t)option < c->num_options)
        return option;
    return of_all[place_of_all(c, (size_t)option)].take(c, arg);
}

/* All options whose names begin with 'start': "--to, --top, --tz". */
static void say_ambiguous(const struct pl_command *c, const char *word,
                          struct pl_text start)
{
    const struct pl_option *o;
    struct pl_buf names = { 0 };

    for (size_t i = 0; (o = pl_command_option(c, i)) != NULL; i++)
        if (!strncmp(o->name, start.p, start.n)) {
            pl_buf_bytes(&names, names.len ? ", --" : "--", names.len ? 4 : 2);
            pl_buf_string(&names, o->name);
        }
    pl_buf_u8(&names, 0);
    pl_say("%s: option %s could be %s", c->name, word,
           names.oom ? "several" : (const char *)names.p);
    pl_buf_release(&names);
}

/* A long option that is none, or the beginning of several. */
static void say_unknown(const struct pl_command *c, const char *word)
{
    const char *name = word + 2 * !strncmp(word, "--", 2);
    const struct pl_text wanted = { name, strcspn(name, "=") };
    const struct pl_option *o, *near = NULL;
    unsigned least = 0;
    size_t begin = 0;

    for (size_t i = 0; (o = pl_command_option(c, i)) != NULL; i++) {
        unsigned d = pl_name_distance(wanted, pl_text_of(o->name));

        begin += wanted.n && !strncmp(o->name, wanted.p, wanted.n);
        if (pl_name_is_near(d, wanted) && (!near || d < least)) {
            near = o;
            least = d;
        }
    }
    if (begin > 1)
        say_ambiguous(c, word, wanted);
    else if (near)
        pl_say("%s: option %s is not known; did you mean --%s? See 'perflog "
               "%s --help'",
               c->name, word, near->name, c->name);
    else
        pl_say("%s: option %s is not known; see 'perflog %s --help'", c->name,
               word, c->name);
}

int pl_option_next(const struct pl_command *c, int argc, char **argv,
                   const char **arg)
{
    static char *const *parsing; /* one command may run another */
    struct option longs[MAX_OPTIONS + NUM_OF_ALL + 1];
    char letters[2 + 2 * (MAX_OPTIONS + NUM_OF_ALL)];
    const char *word;
    int got;

    if (parsing != argv)
        optind = 0; /* restart, and reset getopt's internal state */
    parsing = argv;
    translate(c, longs, letters);
    opterr = 0;
    got = getopt_long(argc, argv, letters, longs, NULL);
    *arg = optarg;
    switch (got) {
    case -1:
        return PL_OPTION_END;
    case ':':
    case '?':
        word = optind > 0 && optind <= argc ? argv[optind - 1] : "";
        if (!optopt)
            say_unknown(c, word);
        else if (optopt < LONG_BASE) /* maybe within a word of several */
            pl_say("%s: option -%c %s; see 'perflog %s --help'", c->name,
                   optopt, got == ':' ? "needs an argument" : "is not known",
                   c->name);
        else
            pl_say("%s: option %s %s; see 'perflog %s --help'", c->name, word,
                   got == ':' ? "needs an argument" : "takes no argument",
                   c->name);
        return PL_OPTION_WRONG;
    default:
        got = got >= LONG_BASE ? got - LONG_BASE : by_letter(c, got);
        got = answer(c, got, optarg);
        return got == GO_ON ? pl_option_next(c, argc, argv, arg) : got;
    }
}

bool pl_option_paths(const struct pl_command *c,
                     struct pl_counter_path_list *list, const char *arg)
{
    const char *why;
    const size_t before = list->num;
    enum pl_status s = pl_counter_path_list_add(list, arg, &why);

    if (!s && list->num == before) { /* which would choose everything */
        pl_say("%s: --counters '%s': holds no counter path; write one a line, "
               "or leave the option out",
               c->name, arg);
        return false;
    }
    if (s == PL_USAGE)
        pl_say("%s: --counters '%s': not a counter path; write "
               "\\Object(Instance)\\Counter",
               c->name, why);
    else if (s)
        pl_say_status(why, s, NULL);
    return !s;
}

int pl_operands(void)
{
    return optind;
}

/* Wrap 'text' at blanks; further lines are indented like the first. */
static void put_help(FILE *out, const char *text)
{
    size_t column = HELP_COLUMN;

    while (*text) {
        size_t word = strcspn(text, " ");

        if (column > HELP_COLUMN && column + 1 + word > HELP_WIDTH) {
            fprintf(out, "\n%*s", HELP_COLUMN, "");
            column = HELP_COLUMN;
        } else if (column > HELP_COLUMN) {
            fputc(' ', out);
            column++;
        }
        fprintf(out, "%.*s", (int)word, text);
        column += word;
        text += word + (text[word] == ' ');
    }
    fputc('\n', out);
}

static void option_help(const struct pl_option *o, FILE *out)
{
    char head[80];
    int n;

    if (o->letter)
        n = snprintf(head, sizeof head, "  -%c, --%s%s%s", o->letter, o->name,
                     o->arg ? " " : "", o->arg ? o->arg : "");
    else
        n = snprintf(head, sizeof head, "      --%s%s%s", o->name,
                     o->arg ? " " : "", o->arg ? o->arg : "");
    if (n > HELP_COLUMN - 2)
        fprintf(out, "%s\n%*s", head, HELP_COLUMN, "");
    else
        fprintf(out, "%-*s", HELP_COLUMN, head);
    put_help(out, o->help);
}

void pl_command_help(const struct pl_command *c, FILE *out)
{
    const struct pl_option *o;

    fprintf(out, "Usage: perflog %s %s\n\n%s.\n\n", c->name, c->usage,
            c->summary);
    for (size_t i = 0; (o = pl_command_option(c, i)) != NULL; i++)
        option_help(o, out);
    if (c->notes)
        fprintf(out, "\n%s\n", c->notes);
}
