/* Parses options by a command's table with getopt_long. */
#include "format/cli/options.h"

#include "format/base/time_text.h"
#include "format/base/memory_limit.h"

#include <getopt.h>
#include <string.h>

enum { MAX_OPTIONS = 48, LETTERS = 4 + 2 * MAX_OPTIONS };
enum { HELP_COLUMN = 24, HELP_WIDTH = 78 };
/* getopt_long's value for long-only options: their index above all chars. */
enum { LONG_BASE = 256, HELP = LONG_BASE + MAX_OPTIONS, MAX_MEMORY };
enum { LEAST_MEMORY = 16 << 20 };

const struct pl_option pl_option_max_memory = {
    0, "max-memory", "SIZE", "take no more memory than SIZE (default: 1G)"
};

static void translate(const struct pl_command *c, struct option *longs,
                      char *letters)
{
    size_t n = c->num_options;

    *letters++ = ':'; /* report a missing argument as such */
    *letters++ = 'h';
    for (size_t i = 0; i < n; i++) {
        const struct pl_option *o = &c->options[i];

        longs[i] =
            (struct option){ o->name, o->arg ? required_argument : no_argument,
                             NULL, LONG_BASE + (int)i };
        if (!o->letter)
            continue;
        *letters++ = o->letter;
        if (o->arg)
            *letters++ = ':';
    }
    *letters = 0;
    longs[n++] = (struct option){ "help", no_argument, NULL, HELP };
    if (!c->unlimited)
        longs[n++] = (struct option){ pl_option_max_memory.name,
                                      required_argument, NULL, MAX_MEMORY };
    longs[n] = (struct option){ 0 };
}

static int by_letter(const struct pl_command *c, int letter)
{
    for (size_t i = 0; i < c->num_options; i++)
        if (c->options[i].letter == letter)
            return (int)i;
    return PL_OPTION_WRONG;
}

static bool take_max_memory(const struct pl_command *c, const char *arg)
{
    uint64_t bytes;

    if (pl_parse_size(arg, &bytes) || bytes < LEAST_MEMORY) {
        pl_say("%s: --max-memory '%s': give a size from 16M on", c->name, arg);
        return false;
    }
    pl_memory_set_limit(bytes);
    return true;
}

int pl_option_next(const struct pl_command *c, int argc, char **argv,
                   const char **arg)
{
    static char *const *parsing; /* one command may run another */
    struct option longs[MAX_OPTIONS + 3];
    char letters[LETTERS];
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
    case 'h':
    case HELP:
        pl_command_help(c, stdout);
        if (pl_flush_stdout())
            return PL_OPTION_HELP;
        pl_say_status("output", PL_IO, NULL);
        return PL_OPTION_WRONG;
    case MAX_MEMORY:
        return take_max_memory(c, optarg) ? pl_option_next(c, argc, argv, arg)
                                          : PL_OPTION_WRONG;
    case ':':
    case '?':
        word = optind > 0 && optind <= argc ? argv[optind - 1] : "";
        if (optopt && optopt < LONG_BASE && strncmp(word, "--", 2) != 0)
            pl_say("%s: option -%c %s; see 'perflog %s --help'", c->name,
                   optopt, got == ':' ? "needs an argument" : "is not known",
                   c->name);
        else
            pl_say("%s: option %s %s; see 'perflog %s --help'", c->name, word,
                   got == ':' ? "needs an argument"
                   : optopt   ? "takes no argument"
                              : "is not known, or could be several",
                   c->name);
        return PL_OPTION_WRONG;
    default:
        return got >= LONG_BASE ? got - LONG_BASE : by_letter(c, got);
    }
}

bool pl_option_paths(const struct pl_command *c,
                     struct pl_counter_path_list *list, const char *arg)
{
    const char *why;
    enum pl_status s = pl_counter_path_list_add(list, arg, &why);

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
    fprintf(out, "Usage: perflog %s %s\n\n%s.\n\n", c->name, c->usage,
            c->summary);
    for (size_t i = 0; i < c->num_options; i++)
        option_help(&c->options[i], out);
    if (!c->unlimited)
        option_help(&pl_option_max_memory, out);
    option_help(&(struct pl_option){ 'h', "help", NULL, "print this" }, out);
    if (c->notes)
        fprintf(out, "\n%s\n", c->notes);
}
