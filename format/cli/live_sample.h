/*                                                 format/cli/live_sample.h
 * Hooks by which a command of analyze/ gets a sample of this machine from the
 * recorder.  perflog.c sets them: analyze/ must not link logger/.
 */
#ifndef PL_FORMAT_CLI_LIVE_SAMPLE_H
#define PL_FORMAT_CLI_LIVE_SAMPLE_H

#include "format/cli/message.h"
#include "format/base/status.h"

#include <stdbool.h>

/*
 * Record one sample of this machine into the empty file 'path'; all: including
 * what is recorded only on request.  Prints a message on failure.  This hook
 * and the next are NULL until perflog.c has set them.
 */
extern enum pl_exit (*pl_live_record)(const char *path, bool all);

/*
 * Call 'report' for every counter that 'perflog record' knows but does not
 * record here by default, with its path and the reason.  PL_OK or an error.
 */
typedef void pl_live_report(void *context, const char *path, const char *why);
extern enum pl_status (*pl_live_missing)(pl_live_report *report, void *context);

#endif
