/*                                                 format/cli/live_sample.h
 * The one thing a reading command may want of the recorder: a sample of this
 * machine, now.  The program's door connects the two, since neither side sees
 * the other.
 */
#ifndef PL_FORMAT_CLI_LIVE_SAMPLE_H
#define PL_FORMAT_CLI_LIVE_SAMPLE_H

#include "format/cli/message.h"
#include "format/base/status.h"

#include <stdbool.h>

/*
 * Record one sample of this machine into the empty file 'path'; all: with
 * what is recorded only on request.  Says itself what went wrong.  NULL until
 * the program's door has set it, as is the next.
 */
extern enum pl_exit (*pl_live_record)(const char *path, bool all);

/*
 * Call 'tell' for every counter that 'perflog record' knows, but does not
 * record here by default: its path and why.  PL_OK or an error.
 */
typedef void pl_live_tell(void *context, const char *path, const char *why);
extern enum pl_status (*pl_live_missing)(pl_live_tell *tell, void *context);

#endif
