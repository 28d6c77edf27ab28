/*                                             analyze/cli/common_options.h
 * Shared by the commands that read logs: the loop over their options, options
 * that several have, the time range, and the message that a path matches
 * nothing.
 */
#ifndef PL_ANALYZE_CLI_COMMON_OPTIONS_H
#define PL_ANALYZE_CLI_COMMON_OPTIONS_H

#include "analyze/replay/replay.h"
#include "analyze/replay/series_registry.h"
#include "analyze/input/host_log.h"
#include "format/cli/message.h"
#include "format/cli/options.h"
#include "format/block/counter_path.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Pass each option, its index in the table and its argument, to 'take', which
 * returns false when it has reported an error.  False: the command ends here,
 * with *code; otherwise operands begin at pl_operands().
 */
bool pl_command_options(const struct pl_command *c, int argc, char **argv,
                        bool (*take)(const struct pl_command *c, void *ctx,
                                     int option, const char *arg),
                        void *ctx, enum pl_exit *code);

/* Report that --OPTION 'arg' is wrong, and 'what' to do.  Returns false. */
bool pl_option_wrong(const struct pl_command *c, int option, const char *arg,
                     const char *what);

/*
 * Parse the arguments of --tz and --max-block; false: reported what is wrong.
 */
bool pl_option_zone(const struct pl_command *c, int option, const char *arg);
bool pl_option_max_block(const struct pl_command *c, int option,
                         const char *arg, uint64_t *max_block);

/*
 * Parse the arguments of --from and --to, each may be NULL, to a time range of
 * the logs; may need to find the last sample.  Failures are reported.
 */
enum pl_exit pl_command_window(const char *command, const char *from,
                               const char *to, const struct pl_host_logs *tapes,
                               struct pl_time_range *window);

/*
 * Report that path 'i' matches nothing in 'log', with a suggestion ('names'
 * NULL: without one).
 */
void pl_say_unmatched(const char *log, const struct pl_registry *names,
                      const struct pl_counter_path_list *paths, size_t i);

#endif
