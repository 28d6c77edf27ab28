/*                                                 logger/record/forecast.h
 * Estimates what a recording would cost: takes a few samples and encodes them
 * as a log would hold them, without writing a file.
 */
#ifndef PL_LOGGER_RECORD_FORECAST_H
#define PL_LOGGER_RECORD_FORECAST_H

#include "format/cli/message.h"
#include "logger/sampler.h"

/*
 * Print bytes and processor time per day at that interval, in all and by
 * object, to standard output.  Takes as long as a few samples, at most a
 * second each; a signal ends it without output.  The sampler must record
 * Performance Logger Source, which gives the share of each object.
 */
enum pl_exit pl_forecast(struct pl_sampler *sampler, uint64_t interval_ns);

#endif
