/* perflog: main(), help, and completion. */
#include "format/cli/completion.h"
#include "format/base/file.h"
#include "format/base/near_name.h"
#include "format/time/time_text.h"
#include "format/cli/live_sample.h"
#include "format/base/memory_limit.h"
#include "format/cli/message.h"
#include "format/cli/options.h"
#include "format/cli/process_init.h"

#include "commands.h" /* the table, made of cmake/commands.txt */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

extern enum pl_status pl_sampler_missing(pl_live_report *report, void *context);

enum { NUM_COMMANDS = sizeof commands / sizeof *commands };

/* Flush standard output, and report a write that failed. */
static enum pl_exit end_output(void)
{
    return pl_flush_stdout() ? PL_EXIT_GOOD
                             : pl_say_status("output", PL_IO, NULL);
}

/* perflog record -q -i 10ms -n 2 [--all] PATH */
static enum pl_exit record_once(const char *path, bool all)
{
    char name[] = "record", quiet[] = "-q", interval[] = "-i10ms";
    char count[] = "-n2", everything[] = "--all", file[4096];
    char *argv[] = { name, quiet, interval, count, file, NULL, NULL };

    snprintf(file, sizeof file, "%s", path);
    if (all)
        argv[5] = everything;
    return pl_cmd_record.run(&pl_cmd_record, all ? 6 : 5, argv);
}

/* ---- completion --------------------------------------------------------- */

/* perflog list --complete TEXT LOG; without a log: --all, for this machine.
 * TEXT of a name has a colon, if a shell has not left it in the word before. */
static enum pl_exit list_ways(const struct pl_completion *c)
{
    char name[] = "list", all[] = "--all", option[] = "--complete";
    char text[4096], log[4096];
    char *argv[] = { name, option, text, c->log ? log : all, NULL };
    bool is_name = c->more == PL_COMPLETE_NAMES;

    if (c->log && (!strcmp(c->log, "-") || pl_path_is_stream(c->log)))
        return end_output(); /* what comes there is for the command itself */
    snprintf(text, sizeof text, "%s%s",
             is_name && !strchr(c->text, ':') ? ":" : "", c->text);
    snprintf(log, sizeof log, "%s", c->log ? c->log : "");
    printf(":paths\n");
    return pl_cmd_list.run(&pl_cmd_list, 4, argv);
}

/* perflog completion words AT -- perflog WORD...: candidates for word AT */
static enum pl_exit complete_words(int argc, char **argv)
{
    static const char *const kinds[] = {
        [PL_COMPLETE_FILES] = ":files",
        [PL_COMPLETE_LOGS] = ":logs",
        [PL_COMPLETE_FOLDERS] = ":folders",
    };
    struct pl_completion c;
    uint64_t at;

    if (argc < 3 || pl_parse_count(argv[1], &at)) {
        pl_say("completion: give 'words', the number of the one to be "
               "completed, '--' and all of them");
        return PL_EXIT_FAILED;
    }
    c = pl_completion_words(commands, NUM_COMMANDS, argv + 2, (size_t)argc - 2,
                            (size_t)at, stdout);
    if (c.more == PL_COMPLETE_COUNTERS || c.more == PL_COMPLETE_NAMES)
        return list_ways(&c);
    if (c.more != PL_COMPLETE_NOTHING)
        printf("%s\n", kinds[c.more]);
    return end_output();
}

static enum pl_exit run_completion(const struct pl_command *self, int argc,
                                   char **argv)
{
    const char *arg, *script;
    int option = pl_option_next(self, argc, argv, &arg);
    int first = pl_operands();

    if (option != PL_OPTION_END)
        return option == PL_OPTION_HELP ? PL_EXIT_GOOD : PL_EXIT_FAILED;
    if (first < argc && !strcmp(argv[first], "words"))
        return complete_words(argc - first, argv + first);
    script = argc - first == 1 ? pl_completion_script(argv[first]) : NULL;
    if (!script) {
        pl_say("completion: name your shell: bash, zsh or fish");
        return PL_EXIT_FAILED;
    }
    fputs(script, stdout);
    return end_output();
}

const struct pl_command pl_cmd_completion = {
    .name = "completion",
    .summary = "What a shell reads to complete commands, options and counters",
    .usage = "bash|zsh|fish",
    .notes = "For a shell as it runs: source <(perflog completion bash)",
    .run = run_completion,
};

static void help(FILE *out)
{
    fprintf(out, "perflog, a flight recorder for performance counters\n\n"
                 "Usage: perflog COMMAND [OPTION...] [LOG...]\n\n");
    for (size_t i = 0; i < NUM_COMMANDS; i++)
        fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    fprintf(out, "\n'perflog COMMAND --help' lists a command's options, "
                 "'man perflog' describes all.\n");
}

static void say_no_command(const char *name)
{
    const struct pl_text wanted = pl_text_of(name);
    const char *near = NULL;
    unsigned least = 0;

    for (size_t i = 0; i < NUM_COMMANDS; i++) {
        unsigned d = pl_name_distance(wanted, pl_text_of(commands[i]->name));

        if (pl_name_is_near(d, wanted) && (!near || d < least)) {
            near = commands[i]->name;
            least = d;
        }
    }
    if (near)
        pl_say("there is no command '%s'; did you mean '%s'? See 'perflog "
               "--help'",
               name, near);
    else if (*name && pl_path_exists(name))
        pl_say("'%s' is a file or folder, not a command: 'perflog info' shows "
               "what a log holds; see 'perflog --help'",
               name);
    else
        pl_say("there is no command '%s'; see 'perflog --help'", name);
}

/* perflog help [COMMAND] */
static enum pl_exit help_about(const char *command)
{
    for (size_t i = 0; i < NUM_COMMANDS && command; i++)
        if (!strcmp(command, commands[i]->name)) {
            pl_command_help(commands[i], stdout);
            return end_output();
        }
    if (command) {
        say_no_command(command);
        return PL_EXIT_FAILED;
    }
    help(stdout);
    return end_output();
}

int main(int argc, char **argv)
{
    enum pl_status s = pl_process_init(&argc, &argv);
    const char *word = argc > 1 ? argv[1] : "";

    if (s)
        return (int)pl_say_status("perflog", s, NULL);
    pl_live_record = record_once;
    pl_live_missing = pl_sampler_missing;
    for (size_t i = 0; i < NUM_COMMANDS; i++) {
        if (strcmp(word, commands[i]->name) != 0)
            continue;
        if (!commands[i]->unlimited)
            pl_memory_set_limit(PL_DEFAULT_MEMORY);
        return (int)commands[i]->run(commands[i], argc - 1, argv + 1);
    }
    if (!strcmp(word, "--version") || !strcmp(word, "-V")) {
        printf("perflog %s\n", PL_VERSION);
        return (int)end_output();
    }
    if (!strcmp(word, "--help") || !strcmp(word, "-h") || !strcmp(word, "help"))
        return (int)help_about(argc > 2 ? argv[2] : NULL);
    if (argc < 2)
        help(stderr);
    else
        say_no_command(word);
    return PL_EXIT_FAILED;
}
