/* The wrappers: each counts, and fails if it is its turn. */
#include "tests/support/faults.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

static struct fault faults[MAX_FAULTS];
static size_t num_faults;
static enum faulty_call before_call;
static void (*before)(void);
static atomic_bool is_on, is_held;
static atomic_uint counted[NUM_FAULTY_CALLS], hit, held;

void faults_set(const struct fault *f, size_t num)
{
    num_faults = num;
    for (size_t i = 0; i < num; i++)
        faults[i] = f[i];
    for (int i = 0; i < NUM_FAULTY_CALLS; i++)
        counted[i] = 0;
    hit = 0;
}

void faults_before(enum faulty_call call, void (*act)(void))
{
    before_call = call;
    before = act;
}

void faults_on(void)
{
    is_on = true;
}

void faults_off(void)
{
    is_on = false;
}

uint32_t faults_counted(enum faulty_call call)
{
    return counted[call];
}

uint32_t faults_hit(void)
{
    return hit;
}

void faults_hold_sync(bool hold)
{
    is_held = hold;
}

uint32_t faults_held(void)
{
    return held;
}

/* Count the call; the fault whose turn it is, or NULL. */
static const struct fault *fails(enum faulty_call call)
{
    void (*act)(void) = before;
    uint32_t n;

    if (!is_on)
        return NULL;
    if (act && call == before_call) {
        before = NULL;
        act();
    }
    n = ++counted[call];
    for (size_t i = 0; i < num_faults; i++) {
        const struct fault *f = &faults[i];

        if (call == f->call && n >= f->first && n - f->first < f->num) {
            hit++;
            return f;
        }
    }
    return NULL;
}

/* True: it has to fail with errno set. */
static bool refuses(enum faulty_call call)
{
    const struct fault *f = fails(call);

    if (f)
        errno = f->error;
    return f != NULL;
}

/* ---- calls ----------------------------------------------------------------- */

ssize_t __real_write(int fd, const void *p, size_t n);
ssize_t __wrap_write(int fd, const void *p, size_t n);

ssize_t __wrap_write(int fd, const void *p, size_t n)
{
    const struct fault *f = fails(CALL_WRITE);
    int error = f ? f->error : 0;
    static bool is_full;

    if (error == FAULT_FULL) {
        is_full = !is_full;
        error = is_full ? FAULT_SHORT : ENOSPC;
    }
    if (error == FAULT_NOTHING)
        return 0;
    if (error == FAULT_SHORT)
        n = (n + 1) / 2;
    if (error <= 0)
        return __real_write(fd, p, n);
    errno = error;
    return -1;
}

#define WRAP_READ(name, parameters, ...)                                       \
    ssize_t __real_##name parameters;                                          \
    ssize_t __wrap_##name parameters;                                          \
    ssize_t __wrap_##name parameters                                           \
    {                                                                          \
        const struct fault *f = fails(CALL_READ);                              \
                                                                               \
        if (f && f->error == FAULT_SHORT)                                      \
            n = (n + 1) / 2;                                                   \
        if (!f || f->error == FAULT_SHORT)                                     \
            return __real_##name(__VA_ARGS__);                                 \
        errno = f->error;                                                      \
        return -1;                                                             \
    }

WRAP_READ(read, (int fd, void *p, size_t n), fd, p, n)
WRAP_READ(pread, (int fd, void *p, size_t n, off_t at), fd, p, n, at)
WRAP_READ(pread64, (int fd, void *p, size_t n, off_t at), fd, p, n, at)

#define WRAP(call, name, parameters, ...)                                      \
    int __real_##name parameters;                                              \
    int __wrap_##name parameters;                                              \
    int __wrap_##name parameters                                               \
    {                                                                          \
        return refuses(call) ? -1 : __real_##name(__VA_ARGS__);                \
    }

WRAP(CALL_TRUNCATE, ftruncate, (int fd, off_t n), fd, n)
WRAP(CALL_TRUNCATE, ftruncate64, (int fd, off_t n), fd, n)
WRAP(CALL_LOCK, flock, (int fd, int how), fd, how)
WRAP(CALL_STAT, fstat, (int fd, struct stat *st), fd, st)
WRAP(CALL_STAT, fstat64, (int fd, struct stat *st), fd, st)

#define WRAP_SPACE(name)                                                       \
    int __real_##name(int fd, struct statvfs *v);                              \
    int __wrap_##name(int fd, struct statvfs *v);                              \
    int __wrap_##name(int fd, struct statvfs *v)                               \
    {                                                                          \
        const struct fault *f = fails(CALL_SPACE);                             \
        int result = __real_##name(fd, v);                                     \
                                                                               \
        if (f && f->error == FAULT_NOTHING)                                    \
            v->f_bavail = 0;                                                   \
        if (!f || f->error == FAULT_NOTHING)                                   \
            return result;                                                     \
        errno = f->error;                                                      \
        return -1;                                                             \
    }

WRAP_SPACE(fstatvfs)
WRAP_SPACE(fstatvfs64)

int __real_fdatasync(int fd);
int __wrap_fdatasync(int fd);

int __wrap_fdatasync(int fd)
{
    held++;
    while (is_held)
        usleep(1000);
    held--;
    return refuses(CALL_SYNC) ? -1 : __real_fdatasync(fd);
}

#define WRAP_OPEN(name)                                                        \
    int __real_##name(const char *path, int flags, ...);                       \
    int __wrap_##name(const char *path, int flags, ...);                       \
    int __wrap_##name(const char *path, int flags, ...)                        \
    {                                                                          \
        unsigned mode;                                                         \
        va_list more;                                                          \
                                                                               \
        va_start(more, flags);                                                 \
        mode = flags & O_CREAT ? va_arg(more, unsigned) : 0;                   \
        va_end(more);                                                          \
        return refuses(CALL_OPEN) ? -1 : __real_##name(path, flags, mode);     \
    }

WRAP_OPEN(open)
WRAP_OPEN(open64)

/* ---- allocations --------------------------------------------------------------- */

#define WRAP_ALLOC(type, name, parameters, ...)                                \
    type __real_##name parameters;                                             \
    type __wrap_##name parameters;                                             \
    type __wrap_##name parameters                                              \
    {                                                                          \
        if (!fails(CALL_ALLOC))                                                \
            return __real_##name(__VA_ARGS__);                                 \
        errno = ENOMEM;                                                        \
        return NULL;                                                           \
    }

WRAP_ALLOC(void *, malloc, (size_t n), n)
WRAP_ALLOC(void *, calloc, (size_t num, size_t n), num, n)
WRAP_ALLOC(void *, realloc, (void *p, size_t n), p, n)
WRAP_ALLOC(char *, strdup, (const char *s), s)
WRAP_ALLOC(char *, strndup, (const char *s, size_t n), s, n)
