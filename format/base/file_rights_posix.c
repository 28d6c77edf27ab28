/* Gives a file the rights of another. */
#include "format/base/file_rights_posix.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* PL_IO, or that it is not permitted, by errno. */
static enum pl_status refused(void)
{
    return errno == EPERM || errno == EACCES ? PL_UNSAFE : PL_IO;
}

static enum pl_status copy_group(const struct stat *old, int to)
{
    struct stat new;

    if (fstat(to, &new))
        return PL_IO;
    if (new.st_gid == old->st_gid || !fchown(to, (uid_t)-1, old->st_gid))
        return PL_OK;
    return refused();
}

/* Labels that the system gives to each file, by rules of its own. */
static bool is_label(const char *name)
{
    return !strncmp(name, "security.", 9) || !strncmp(name, "trusted.", 8);
}

/* What is done with an attribute that a file has. */
typedef enum pl_status attribute_fn(int from, int to, const char *name);

static enum pl_status copy_attribute(int from, int to, const char *name)
{
    ssize_t len = fgetxattr(from, name, NULL, 0);
    char *value = len < 0 ? NULL : malloc((size_t)len + 1);
    enum pl_status s = PL_OK;

    if (len < 0)
        return errno == ENODATA || is_label(name) ? PL_OK : refused();
    if (!value)
        return PL_NOMEM;
    len = fgetxattr(from, name, value, (size_t)len);
    if (len < 0 || fsetxattr(to, name, value, (size_t)len, 0))
        s = is_label(name) ? PL_OK : refused();
    free(value);
    return s;
}

/* Such as an access list that the folder gives its new files. */
static enum pl_status remove_surplus(int from, int to, const char *name)
{
    if (is_label(name) || fgetxattr(from, name, NULL, 0) >= 0)
        return PL_OK;
    if (errno != ENODATA)
        return refused();
    return fremovexattr(to, name) && errno != ENODATA ? refused() : PL_OK;
}

/* Those of 'listed', one after the other: each name ends in a 0. */
static enum pl_status each_attribute(int listed, attribute_fn *act, int from,
                                     int to)
{
    ssize_t len = flistxattr(listed, NULL, 0);
    char *names = len > 0 ? malloc((size_t)len + 1) : NULL;
    enum pl_status s = PL_OK;

    if (len <= 0)
        return !len || errno == ENOTSUP ? PL_OK : refused();
    if (!names)
        return PL_NOMEM;
    len = flistxattr(listed, names, (size_t)len);
    names[len > 0 ? len : 0] = '\0';
    for (const char *p = names; !s && p < names + len; p += strlen(p) + 1)
        s = act(from, to, p);
    free(names);
    return len < 0 ? refused() : s;
}

/* Permissions come last: an access list of the folder's that 'to' still had
 * would be in force as far as they let the group, and a change of the group takes
 * some of them away. */
enum pl_status pl_copy_rights(int from, int to)
{
    struct stat old;
    enum pl_status s = fstat(from, &old) ? PL_IO : copy_group(&old, to);

    if (!s)
        s = each_attribute(to, remove_surplus, from, to);
    if (!s)
        s = each_attribute(from, copy_attribute, from, to);
    if (!s && fchmod(to, old.st_mode & 0777))
        s = refused();
    return s;
}
