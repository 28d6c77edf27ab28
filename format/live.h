/*                                                            format/live.h
 * The one thing a reading command may want of the recorder: a sample of this
 * machine, now.  The program's door connects the two, since neither side sees
 * the other.
 */
#ifndef PL_FORMAT_LIVE_H
#define PL_FORMAT_LIVE_H

#include "format/message.h"

/*
 * Record one sample of this machine into the empty file 'path'.  Says itself
 * what went wrong.  NULL until the program's door has set it.
 */
extern enum pl_exit (*pl_live_record)(const char *path);

#endif
