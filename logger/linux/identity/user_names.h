/*                                         logger/linux/identity/user_names.h
 * Names of users by number, from /etc/passwd (passwd(5)), which is read again
 * when it has changed.  Other sources of names (nsswitch.conf) are not asked:
 * they may wait for a network.
 */
#ifndef PL_LOGGER_LINUX_IDENTITY_USER_NAMES_H
#define PL_LOGGER_LINUX_IDENTITY_USER_NAMES_H

#include "format/base/buf.h"
#include "format/base/text.h"

#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* All zero: nothing read so far. */
struct pl_user_names {
    const char *path; /* NULL: no names */
    struct timespec changed;
    int64_t size;
    struct pl_buf text; /* of the file, at most 1 MiB of it */
    struct pl_user_name {
        uint32_t uid;
        size_t at, n; /* of the name in 'text' */
    } * list;         /* ascending by uid */
    size_t num, cap;
};

void pl_user_names_release(struct pl_user_names *u);

/* Read the file if it has changed since.  Without memory names are missing. */
void pl_user_names_refresh(struct pl_user_names *u);

/* Empty: not known.  Valid until the next refresh. */
struct pl_text pl_user_names_find(const struct pl_user_names *u, uint32_t uid);

#endif
