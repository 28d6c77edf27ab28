/* What tests ask of POSIX systems: folders, shared memory, files to damage. */
#include "tests/support/logs.h"
#include "tests/support/support.h"

#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* In $TMPDIR, as that of programs is; else in /tmp. */
static char dir_name[PATH_MAX];
static pid_t dir_owner;

static int remove_one(const char *path, const struct stat *st, int kind,
                      struct FTW *at)
{
    (void)st;
    (void)kind;
    (void)at;
    return remove(path);
}

static void remove_dir(void)
{
    if (dir_owner == getpid())
        nftw(dir_name, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

const char *temp_dir(void)
{
    const char *parent = getenv("TMPDIR");

    if (dir_owner == getpid())
        return dir_name;
    snprintf(dir_name, sizeof dir_name, "%s/perflog-test-XXXXXX",
             parent ? parent : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(dir_name));
    dir_owner = getpid();
    atexit(remove_dir);
    return dir_name;
}

/* Every test is a process of its own, with files of its own. */
void forget_files(void)
{
}

void set_default(const char *name, const char *value)
{
    setenv(name, value, 0);
}

void cut_file(const char *path, uint64_t size)
{
    ck_assert_int_eq(truncate(path, (off_t)size), 0);
}

double cpu_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

void *shared_page(void)
{
    void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    ck_assert(p != MAP_FAILED);
    return p;
}

/* ---- a file to be damaged ------------------------------------------------------ */

/* Millions of times: no ck_assert, which leaves a mark each time it holds. */

void scratch_open(struct scratch *s, const char *name)
{
    snprintf(s->path, sizeof s->path, "%s/%s", temp_dir(), name);
    s->fd = open(s->path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    ck_assert_int_ge(s->fd, 0);
}

void scratch_close(struct scratch *s)
{
    close(s->fd);
    unlink(s->path);
}

void scratch_write(struct scratch *s, uint64_t at, const void *p, size_t n)
{
    if (pwrite(s->fd, p, n, (off_t)at) != (ssize_t)n)
        ck_abort_msg("%s: cannot be written", s->path);
}

void scratch_set(struct scratch *s, const void *p, size_t n)
{
    scratch_write(s, 0, p, n);
    scratch_cut(s, n);
}

void scratch_poke(struct scratch *s, uint64_t at, uint8_t byte)
{
    scratch_write(s, at, &byte, 1);
}

void scratch_cut(struct scratch *s, uint64_t size)
{
    if (ftruncate(s->fd, (off_t)size))
        ck_abort_msg("%s: cannot be cut", s->path);
}
