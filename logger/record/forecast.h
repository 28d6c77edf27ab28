/*                                                 logger/record/forecast.h
 * What a recording would cost: a few samples are taken and encoded as a log
 * would hold them, but nothing is written.
 */
#ifndef PL_LOGGER_RECORD_FORECAST_H
#define PL_LOGGER_RECORD_FORECAST_H

#include "format/cli/message.h"
#include "logger/sampler.h"

/*
 * Print bytes and processor time per day at that interval, in all and by
 * object, to standard output.  Takes as long as a few samples, at most a
 * second each; a signal ends it without a word.  The sampler must record
 * Performance Logger Source, from which the shares are known.
 */
enum pl_exit pl_forecast(struct pl_sampler *sampler, uint64_t interval_ns);

#endif
