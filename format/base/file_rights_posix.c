/* Gives a file the rights of another. */
#include "format/base/file.h"

#include <errno.h>
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

/* Changing the group takes away some permissions, which are set afterwards. */
static enum pl_status copy_group(const char *from, const char *to)
{
    struct stat old, new;

    if (stat(from, &old) || stat(to, &new))
        return PL_IO;
    if (old.st_gid != new.st_gid && chown(to, (uid_t)-1, old.st_gid))
        return refused();
    return chmod(to, old.st_mode & 0777) ? refused() : PL_OK;
}

/* Labels that the system gives to each file, by rules of its own. */
static bool is_label(const char *name)
{
    return !strncmp(name, "security.", 9) || !strncmp(name, "trusted.", 8);
}

static enum pl_status copy_attribute(const char *from, const char *to,
                                     const char *name)
{
    ssize_t len = getxattr(from, name, NULL, 0);
    char *value = len < 0 ? NULL : malloc((size_t)len + 1);
    enum pl_status s = PL_OK;

    if (len < 0)
        return errno == ENODATA || is_label(name) ? PL_OK : refused();
    if (!value)
        return PL_NOMEM;
    len = getxattr(from, name, value, (size_t)len);
    if (len < 0 || setxattr(to, name, value, (size_t)len, 0))
        s = is_label(name) ? PL_OK : refused();
    free(value);
    return s;
}

/* One after the other, as the system lists them: each ends in a 0. */
static enum pl_status copy_attributes(const char *from, const char *to)
{
    ssize_t len = listxattr(from, NULL, 0);
    char *names = len > 0 ? malloc((size_t)len + 1) : NULL;
    enum pl_status s = PL_OK;

    if (len <= 0)
        return !len || errno == ENOTSUP ? PL_OK : refused();
    if (!names)
        return PL_NOMEM;
    len = listxattr(from, names, (size_t)len);
    names[len > 0 ? len : 0] = '\0';
    for (const char *p = names; !s && p < names + len; p += strlen(p) + 1)
        s = copy_attribute(from, to, p);
    free(names);
    return len < 0 ? refused() : s;
}

enum pl_status pl_file_copy_rights(const char *from, const char *to)
{
    enum pl_status s = copy_group(from, to);

    return s ? s : copy_attributes(from, to);
}
