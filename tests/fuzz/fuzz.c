/* Inputs taken apart; promises kept or not. */
#include "tests/fuzz/fuzz.h"

#include "format/record/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

_Noreturn void fuzz_broken(const char *file, int line, const char *promise)
{
    fprintf(stderr, "%s:%d: broken: %s\n", file, line, promise);
    abort();
}

uint8_t fuzz_byte(struct fuzz_input *in)
{
    if (!in->left)
        return 0;
    in->left--;
    return *in->p++;
}

static uint8_t *take(struct fuzz_input *in, size_t n)
{
    uint8_t *copy = malloc(n);

    if (!copy)
        abort();
    if (n)
        memcpy(copy, in->p, n);
    in->p += n;
    in->left -= n;
    return copy;
}

uint8_t *fuzz_part(struct fuzz_input *in, size_t *n)
{
    if (in->left < FUZZ_PART_LEN)
        return NULL;
    *n = (size_t)in->p[0] | (size_t)in->p[1] << 8 | (size_t)in->p[2] << 16;
    in->p += FUZZ_PART_LEN;
    in->left -= FUZZ_PART_LEN;
    if (*n > in->left)
        *n = in->left;
    return take(in, *n);
}

uint8_t *fuzz_rest(struct fuzz_input *in, size_t *n)
{
    *n = in->left;
    return take(in, *n);
}

void fuzz_touch(const void *p, size_t n)
{
    static volatile unsigned sum;

    for (size_t i = 0; i < n; i++)
        sum = sum + ((const uint8_t *)p)[i];
}

const char *fuzz_file(const void *p, size_t n)
{
    static int fd = -1;
    static char path[64];

    if (fd < 0) {
        fd = memfd_create("fuzz", 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    }
    if (fd < 0 || ftruncate(fd, 0) || pwrite(fd, p, n, 0) != (ssize_t)n)
        abort();
    return path;
}

/* Bytes of a header that hold hashes. */
enum { AT_HASHES = 48, HASHES_LEN = 24 };

void fuzz_set_hashes(uint8_t *p, size_t n)
{
    static const uint8_t magic[] = { 0x89, 'P', 'L', PL_MAJOR };

    for (size_t i = 0; i + PL_RECORD_LEN <= n; i++)
        if (!memcmp(p + i, magic, sizeof magic))
            memset(p + i + AT_HASHES, 0, HASHES_LEN);
}
