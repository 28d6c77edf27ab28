/*
 * Loaded into the program under test by LD_PRELOAD: lets its Nth allocation
 * or call fail.  In the environment:
 *
 *   FAIL        alloc, write, fdatasync, ftruncate, pread, open
 *   FAIL_AT     the first to fail, from 1 (0: none, only count)
 *   FAIL_TIMES  how many in a row (0: all from there on)
 *   FAIL_ERRNO  what they say (a number)
 *   FAIL_REPORT a file that gets "CALLS FAILED\n" when the program ends
 *
 * Writes to standard output and standard error never fail.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *failing = "";
static unsigned long at, times;
static int error;
static atomic_ulong calls, failed;

static unsigned long number(const char *name)
{
    const char *text = getenv(name);

    return text ? strtoul(text, NULL, 10) : 0;
}

static void __attribute__((constructor)) begin(void)
{
    const char *text = getenv("FAIL");

    at = number("FAIL_AT");
    times = number("FAIL_TIMES");
    error = (int)number("FAIL_ERRNO");
    failing = text ? text : "";
}

static void __attribute__((destructor)) end(void)
{
    const char *path = getenv("FAIL_REPORT");
    char line[64];
    int fd, n;

    failing = "";
    fd = path ? (int)syscall(SYS_openat, AT_FDCWD, path,
                             O_WRONLY | O_CREAT | O_TRUNC, 0600)
              : -1;
    if (fd < 0)
        return;
    n = snprintf(line, sizeof line, "%lu %lu\n", (unsigned long)calls,
                 (unsigned long)failed);
    syscall(SYS_write, fd, line, n);
    syscall(SYS_close, fd);
}

static bool fails(const char *call)
{
    unsigned long n;

    if (strcmp(call, failing) != 0)
        return false;
    n = ++calls;
    if (!at || n < at || (times && n - at >= times))
        return false;
    failed++;
    errno = error;
    return true;
}

/* ---- allocations ----------------------------------------------------------------- */

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t num, size_t n);
void *__libc_realloc(void *p, size_t n);

void *malloc(size_t n)
{
    return fails("alloc") ? NULL : __libc_malloc(n);
}

void *calloc(size_t num, size_t n)
{
    return fails("alloc") ? NULL : __libc_calloc(num, n);
}

void *realloc(void *p, size_t n)
{
    return fails("alloc") ? NULL : __libc_realloc(p, n);
}

/* ---- calls ------------------------------------------------------------------------ */

ssize_t write(int fd, const void *p, size_t n)
{
    if (fd > STDERR_FILENO && fails("write"))
        return -1;
    return syscall(SYS_write, fd, p, n);
}

int fdatasync(int fd)
{
    return fails("fdatasync") ? -1 : (int)syscall(SYS_fdatasync, fd);
}

int ftruncate64(int fd, off_t size)
{
    return fails("ftruncate") ? -1 : (int)syscall(SYS_ftruncate, fd, size);
}

ssize_t pread64(int fd, void *p, size_t n, off_t offset)
{
    return fails("pread") ? -1 : syscall(SYS_pread64, fd, p, n, offset);
}

int open64(const char *path, int flags, ...)
{
    unsigned mode;
    va_list more;

    va_start(more, flags);
    mode = flags & O_CREAT ? va_arg(more, unsigned) : 0;
    va_end(more);
    return fails("open")
               ? -1
               : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}
