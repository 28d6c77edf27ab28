/* perflog: the program's door, a table of commands. */
#include "format/live.h"
#include "format/message.h"
#include "format/options.h"
#include "format/program.h"

#include <stdio.h>
#include <string.h>

extern const struct pl_command pl_cmd_record, pl_cmd_export, pl_cmd_list,
    pl_cmd_info, pl_cmd_stats, pl_cmd_verify, pl_cmd_repair, pl_cmd_cut,
    pl_cmd_dump, pl_cmd_import, pl_cmd_report;

extern enum pl_status pl_sampler_missing(pl_live_tell *tell, void *context);

/* clang-format off */
static const struct pl_command *const commands[] = {
    &pl_cmd_record,
    &pl_cmd_export,
    &pl_cmd_list,
    &pl_cmd_info,
    &pl_cmd_stats,
    &pl_cmd_report,
    &pl_cmd_verify,
    &pl_cmd_repair,
    &pl_cmd_cut,
    &pl_cmd_dump,
    &pl_cmd_import,
};
/* clang-format on */
enum { NUM_COMMANDS = sizeof commands / sizeof *commands };

/* perflog record -q -i 10ms -n 1 [--all] PATH */
static enum pl_exit record_once(const char *path, bool all)
{
    char name[] = "record", quiet[] = "-q", interval[] = "-i10ms";
    char count[] = "-n1", everything[] = "--all", file[4096];
    char *argv[] = { name, quiet, interval, count, file, NULL, NULL };

    snprintf(file, sizeof file, "%s", path);
    if (all)
        argv[5] = everything;
    return pl_cmd_record.run(&pl_cmd_record, all ? 6 : 5, argv);
}

static void help(FILE *out)
{
    fprintf(out, "perflog, a flight recorder for performance counters\n\n"
                 "Usage: perflog COMMAND [OPTION...] [LOG...]\n\n");
    for (size_t i = 0; i < NUM_COMMANDS; i++)
        fprintf(out, "  %-8s %s\n", commands[i]->name, commands[i]->summary);
    fprintf(out, "\n'perflog COMMAND --help' tells the options of each, "
                 "'man perflog' the whole.\n");
}

int main(int argc, char **argv)
{
    enum pl_status s = pl_program_begin(&argc, &argv);
    const char *word = argc > 1 ? argv[1] : "";

    if (s)
        return (int)pl_say_status("perflog", s, NULL);
    pl_live_record = record_once;
    pl_live_missing = pl_sampler_missing;
    for (size_t i = 0; i < NUM_COMMANDS; i++)
        if (!strcmp(word, commands[i]->name))
            return (int)commands[i]->run(commands[i], argc - 1, argv + 1);
    if (!strcmp(word, "--version") || !strcmp(word, "-V")) {
        printf("perflog %s\n", PL_VERSION);
        return PL_EXIT_GOOD;
    }
    if (!strcmp(word, "--help") || !strcmp(word, "-h") ||
        !strcmp(word, "help")) {
        for (size_t i = 0; i < NUM_COMMANDS && argc > 2; i++)
            if (!strcmp(argv[2], commands[i]->name)) {
                pl_command_help(commands[i], stdout);
                return PL_EXIT_GOOD;
            }
        help(stdout);
        return PL_EXIT_GOOD;
    }
    if (argc < 2)
        help(stderr);
    else
        pl_say("there is no command '%s'; see 'perflog --help'", word);
    return PL_EXIT_FAILED;
}
