/*
 * A machine whose /proc says anything: two samples of it, the second with the
 * files in another order of bytes, and blocks that hold together.
 *
 * Input: parts, one for each file of proc_list.h; files without a part are
 * not there.  In the second sample every part stands one file further on when
 * its first byte is odd, else where it was.
 */
#include "format/block/winperf.h"
#include "logger/sampler.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/proc_list.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const struct fuzz_shape fuzz_shape = { .head = 0,
                                       .first_block = NUM_PROC_LIST };

static char dir[64];

static void remove_tree(void)
{
    char command[96];

    snprintf(command, sizeof command, "rm -rf %s", dir);
    if (system(command))
        perror(dir);
}

/* DIR with all its folders; files are put and taken away later. */
static void make_tree(void)
{
    static const char *const folders[] = { "",           "/proc",   "/proc/net",
                                           "/proc/self", "/proc/1", "/sys" };

    if (*dir)
        return;
    /* In memory if possible: a disk would be waited for at every file. */
    snprintf(dir, sizeof dir, "%s/perflog-fuzz-%ld",
             access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm", (long)getpid());
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char path[128];

        snprintf(path, sizeof path, "%s%s", dir, folders[i]);
        if (mkdir(path, 0700) && errno != EEXIST)
            abort();
    }
    atexit(remove_tree);
}

static void put_file(const char *name, const uint8_t *p, size_t n)
{
    char path[128];
    int fd;

    snprintf(path, sizeof path, "%s/%s", dir, name);
    if (!p) {
        unlink(path);
        return;
    }
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || write(fd, p, n) != (ssize_t)n)
        abort();
    close(fd);
}

/* Every length adds up to the byte, and each object's walk ends well. */
static void check_block(const struct pl_buf *block)
{
    uint8_t *copy = malloc(block->len);
    struct pl_block b;
    struct pl_object o;
    struct pl_instance i;
    struct pl_counter_def c;
    uint64_t v;
    enum pl_status s;

    if (!copy)
        abort();
    memcpy(copy, block->p, block->len);
    fuzz_check(!pl_block_parse(&b, copy, block->len));
    while (!(s = pl_object_next(&b, &o))) {
        struct pl_object defs = o;

        while (!(s = pl_instance_next(&o, &i))) {
            struct pl_object walk = defs;

            while (!pl_counter_next(&walk, &c))
                fuzz_check(!c.size || pl_counter_get(&o, &i, &c, &v));
        }
        fuzz_check(s == PL_END && !o.data.left);
    }
    fuzz_check(s == PL_END && !b.rest.left);
    free(copy);
}

struct parts {
    uint8_t *p[NUM_PROC_LIST];
    size_t n[NUM_PROC_LIST];
};

static void put_files(const struct parts *x, bool moved)
{
    for (size_t i = 0; i < NUM_PROC_LIST; i++) {
        size_t from = i;

        if (moved && x->p[i] && x->n[i] && x->p[i][0] % 2)
            from = (i + 1) % NUM_PROC_LIST;
        put_file(proc_list[i], x->p[from], x->n[from]);
    }
}

static void sample(const struct parts *x)
{
    char proc[80], sys[80];
    const struct pl_sampler_options options = { .proc = proc, .sys = sys };
    const struct pl_logger_stats stats = { 0 };
    struct pl_sampler *sampler;
    struct pl_buf block = { 0 };
    const char *why;

    snprintf(proc, sizeof proc, "%s/proc", dir);
    snprintf(sys, sizeof sys, "%s/sys", dir);
    put_files(x, false);
    if (pl_sampler_open(&sampler, &options, &why))
        return;
    for (int i = 0; i < 2; i++) {
        struct pl_tick tick;

        pl_sampler_clocks(&tick);
        fuzz_check(!pl_sampler_read(sampler, &tick, &stats, &block));
        check_block(&block);
        put_files(x, true);
    }
    pl_buf_release(&block);
    pl_sampler_close(sampler);
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
    struct fuzz_input in = { p, n };
    struct parts x = { 0 };

    make_tree();
    for (size_t i = 0; i < NUM_PROC_LIST; i++)
        x.p[i] = fuzz_part(&in, &x.n[i]);
    sample(&x);
    for (size_t i = 0; i < NUM_PROC_LIST; i++)
        free(x.p[i]);
    return 0;
}
