/*                                            logger/record/packer_child.h
 * The program that packs, as a child of this one.  packer_child_posix.c and
 * packer_child_windows.c implement it.
 */
#ifndef PL_LOGGER_RECORD_PACKER_CHILD_H
#define PL_LOGGER_RECORD_PACKER_CHILD_H

#include <stdbool.h>

struct pl_packer_child;

enum pl_packer_end_kind {
    PL_PACKER_DONE,    /* what could be packed is packed */
    PL_PACKER_FAILED,  /* to be tried again: there was no room, for example */
    PL_PACKER_STOPPED, /* it was asked to end */
    PL_PACKER_KILLED,
    PL_PACKER_UNKNOWN, /* it has ended, no more is known */
};

/* Run this program with other arguments.  0, or an errno and *out is NULL. */
int pl_packer_child_start(struct pl_packer_child **out, char **argv);

/* Never waits.  True once it has ended, and frees it. */
bool pl_packer_child_has_ended(struct pl_packer_child *c,
                               enum pl_packer_end_kind *end);

/* Ask it to end, which leaves the segment as it was, where that is possible. */
void pl_packer_child_stop(struct pl_packer_child *c);

/* Free it after that, though it has not ended: it does as soon as it can, such as
 * when a slow disk has answered.  On Windows it is ended here. */
void pl_packer_child_leave(struct pl_packer_child *c);

#endif
