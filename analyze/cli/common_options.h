/*                                             analyze/cli/common_options.h
 * Shared by the commands that read logs: the loop over their options, options
 * that several have, and the message that a path matches nothing.
 */
#ifndef PL_ANALYZE_CLI_COMMON_OPTIONS_H
#define PL_ANALYZE_CLI_COMMON_OPTIONS_H

#include "analyze/cli/shown_zone.h"
#include "analyze/cli/time_window.h"
#include "analyze/series/series_registry.h"
#include "format/time/zone.h"
#include "format/cli/message.h"
#include "format/cli/options.h"
#include "format/cli/shared_options.h"
#include "format/block/counter_path.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The rows that several commands have in their tables of options; those that
 * 'record' has, too, are in format/cli/shared_options.h.  A command with another
 * use of one has its own help for it.
 */
/* clang-format off */
#define PL_OPTION_OUTPUT(arg, help) { 'o', "output", arg, help }
#define PL_OPTION_OUTPUT_NEW                                                   \
    PL_OPTION_OUTPUT("NEW", "the log to be made; it must not exist, and "      \
                            "appears when it is complete")
#define PL_OPTION_COUNTERS                                                     \
    PL_OPTION_PATHS("only counters that match \\Object(Instance)\\Counter, "   \
                    "where * and ? stand for anything; '@FILE' reads paths "   \
                    "from a file; may be repeated")
#define PL_OPTIONS_TIMES                                                       \
    [OPT_FROM] = { 0, "from", "TIME",                                          \
      "only what happened after TIME: 03:10 (the last before the log's end), " \
      "'yesterday 14:00', 2026-11-21T07:35, -10m (before the log's end), "     \
      "@1795246502; see perflog(1)" },                                         \
    [OPT_TO] = { 0, "to", "TIME",                                              \
      "only what happened up to TIME: 01:00 is the first after --from, +5m "   \
      "five minutes after it; the same TIME as --from is that second, minute " \
      "or day" },                                                              \
    [OPT_AT] = { 0, "at", "TIME[+-T]",                                         \
      "instead of --from and --to: that second, minute or day, or with +-2m "  \
      "two minutes before it to two after it" }
#define PL_OPTION_TZ { 0, "tz", "ZONE", pl_zone_help }
/* Of commands for people, see shown_zone.h. */
#define PL_OPTION_TZ_OF_LOG { 0, "tz", "ZONE", pl_zone_help_for_people }
#define PL_OPTION_MAX_BLOCK                                                    \
    { 0, "max-block", "SIZE",                                                  \
      "leave out samples larger than SIZE (default: 64M)" }
#define PL_OPTION_ENCODING                                                     \
    { 0, "encoding", "NAME",                                                   \
      "the code page of PDH-CSV sheets that are not Unicode: cp1251, "         \
      "shift_jis, koi8-r ... (default: guessed, else cp1252)" }
#define PL_OPTION_JSON { 0, "json", NULL, "as JSON" }
/* clang-format on */

/*
 * Where their arguments are stored; for a flag, true.  NULL: the command has no
 * such option, or handles it itself.  --tz also sets the zone, unless it is that
 * of the log (shown_zone.h); --encoding only sets the code page (codepage.h).
 */
struct pl_shared_values {
    const char **output;
    struct pl_times *times; /* of --from, --to, --at */
    struct pl_counter_path_list *paths;
    uint64_t *max_block; /* not 0 */
    enum pl_tz *tz;
    bool *json, *quiet;
};

/*
 * Store the shared options in 'to' and pass each other one, its index in the
 * table and its argument, to 'take' with 'ctx' (NULL: there is none).  False: the command ends here, with *code;
 * otherwise operands begin at pl_operands().
 */
bool pl_command_options(const struct pl_command *c, int argc, char **argv,
                        const struct pl_shared_values *to, pl_take_option *take,
                        void *ctx, enum pl_exit *code);

/*
 * Report that path 'i' matches nothing in 'log', with a suggestion ('names'
 * NULL: without one).
 */
void pl_say_unmatched(const char *log, const struct pl_registry *names,
                      const struct pl_counter_path_list *paths, size_t i);

/*
 * The same for all paths that are not 'matched': the first few each, as a
 * suggestion takes a look at every name, and how many more there are.  Returns
 * their number.
 */
size_t pl_say_all_unmatched(const char *log, const struct pl_registry *names,
                            const struct pl_counter_path_list *paths,
                            const bool *matched);

#endif
