/*                                                format/base/privileges.h
 * What this program may do beyond its user's rights.  privileges_posix.c and
 * privileges_windows.c implement it.
 */
#ifndef PL_FORMAT_BASE_PRIVILEGES_H
#define PL_FORMAT_BASE_PRIVILEGES_H

/*
 * Give up all capabilities for good but those for files: to read and write any,
 * and to give them any owner, group and rights.  For work on untrusted bytes
 * that a service with greater rights starts.  What the system refuses to take
 * stays; no effect on other systems than Linux.
 */
void pl_privileges_drop(void);

#endif
