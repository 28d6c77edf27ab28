/*                                             analyze/cli/common_options.h
 * What the commands that read logs have in common: the loop over their options
 * and what several of these mean, the times of a window, and how it is told
 * that a path matches nothing.
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
 * Hand each option, its index in the table and its argument, to 'take', which
 * returns false when it has said what is wrong.  False: the command ends here,
 * with *code; operands begin at pl_operands() else.
 */
bool pl_command_options(const struct pl_command *c, int argc, char **argv,
                        bool (*take)(const struct pl_command *c, void *ctx,
                                     int option, const char *arg),
                        void *ctx, enum pl_exit *code);

/* Say that --OPTION 'arg' is wrong, and 'what' to do.  Returns false. */
bool pl_option_wrong(const struct pl_command *c, int option, const char *arg,
                     const char *what);

/* What stands behind --tz and --max-block; false: said what is wrong. */
bool pl_option_zone(const struct pl_command *c, int option, const char *arg);
bool pl_option_max_block(const struct pl_command *c, int option,
                         const char *arg, uint64_t *max_block);

/*
 * From what --from and --to say, each perhaps NULL, to a window of the logs;
 * may need to look for the last sample.  A message tells of failures.
 */
enum pl_exit pl_command_window(const char *command, const char *from,
                               const char *to, const struct pl_host_logs *tapes,
                               struct pl_time_range *window);

/*
 * Say that path 'i' matches nothing in 'log', and what may have been meant
 * ('names' NULL: nobody knows).
 */
void pl_say_unmatched(const char *log, const struct pl_registry *names,
                      const struct pl_counter_path_list *paths, size_t i);

#endif
