/* The hooks that perflog.c sets. */
#include "format/cli/live_sample.h"

#include <stddef.h>

enum pl_exit (*pl_live_record)(const char *path, bool all) = NULL;
enum pl_status (*pl_live_missing)(pl_live_report *report, void *context) = NULL;
