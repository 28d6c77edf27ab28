/*                                           logger/record/record_options.h
 * The options of "perflog record": its command line and the configuration
 * file that this names.
 */
#ifndef PL_LOGGER_RECORD_RECORD_OPTIONS_H
#define PL_LOGGER_RECORD_RECORD_OPTIONS_H

#include "format/cli/option_file.h"
#include "format/cli/options.h"
#include "format/block/counter_path.h"
#include "format/writer/writer.h"
#include "logger/sampler.h"

#include <stdbool.h>
#include <stdint.h>

enum { PL_NUM_RECORD_OPTIONS = 22 };

extern const struct pl_option pl_record_option_table[PL_NUM_RECORD_OPTIONS];

struct pl_record_options {
    const char *path; /* of the log; NULL with 'forecast' */
    uint64_t interval_ns;
    uint64_t duration_ns; /* 0: none */
    uint64_t count;       /* 0: none */
    bool quiet;
    bool forecast;
    bool store_command_line;
    bool never_pack;
    const char *sync_text;
    struct pl_option_file config;
    struct pl_counter_path_list choice;
    struct pl_sampler_options sampler;
    struct pl_writer_options writer;
};

/*
 * Parse the arguments into 'p', whose texts point into argv or the loaded
 * configuration.  PL_OPTION_END: record.  PL_OPTION_HELP, PL_OPTION_WRONG: the
 * command ends; help or an error message has been printed.  'p' must be
 * released in every case.
 */
int pl_record_options_read(struct pl_record_options *p,
                           const struct pl_command *self, int argc,
                           char **argv);
void pl_record_options_release(struct pl_record_options *p);

#endif
