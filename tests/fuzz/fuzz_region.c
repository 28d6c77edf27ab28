/*
 * A region that an application publishes, from the file to the block: it is
 * believed or refused with a reason, and what is believed makes a block that
 * holds together.  Input: the file's bytes; the hash of the definitions is
 * repaired, so that what lies behind it is reached.
 */
#include "format/record/record.h"
#include "format/base/utf.h"
#include "format/block/winperf.h"
#include "logger/linux/machine/machine.h"
#include "logger/linux/published/regions.h"
#include "tests/fuzz/fuzz.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char dir[] = "/dev/shm/perflog-fuzz-XXXXXX";

/* So long that a stalled machine is not taken for a busy region. */
#define INTERVAL_NS (1000 * UINT64_C(1000000000))

static void remove_dir(void)
{
    rmdir(dir);
}

static void make_dir(void)
{
    static bool made;

    if (made)
        return;
    made = mkdtemp(dir) != NULL;
    if (!made || setenv("PERFLOG_PROVIDER_DIR", dir, 1))
        abort();
    atexit(remove_dir);
}

static void repair_hash(uint8_t *p, size_t n)
{
    struct pl_region_header h;

    if (n < sizeof h)
        return;
    memcpy(&h, p, sizeof h);
    if (h.def_at > n || h.def_len > n - h.def_at)
        return;
    h.def_hash = pl_hash(p + h.def_at, h.def_len, 0);
    memcpy(p + offsetof(struct pl_region_header, def_hash), &h.def_hash,
           sizeof h.def_hash);
}

/* Put the bytes where regions are looked for. */
static void make_file(const uint8_t *p, size_t n, char *path, size_t size)
{
    uint64_t id = 0;
    int fd;

    if (n >= 80)
        memcpy(&id, p + 72, sizeof id);
    snprintf(path, size, "%s/fuzz.1.%016llx.plr", dir, (unsigned long long)id);
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0640);
    if (fd < 0 || write(fd, p, n) != (ssize_t)n || close(fd))
        abort();
}

static void check_region(const struct pl_region *g)
{
    fuzz_check(g->state == PL_STATE_FINAL || g->state == PL_STATE_INVALID ||
               g->state == PL_STATE_OVER_LIMIT);
    fuzz_check(g->state == PL_STATE_FINAL || g->reason != PL_REASON_NONE);
    fuzz_check(g->reason < PL_NUM_REASONS);
    fuzz_check(!g->table == (g->state != PL_STATE_FINAL));
    for (size_t i = 0; g->table && i < g->image.num_sets; i++) {
        const struct pl_region_copy *c = &g->image.copies[i];

        if (!c->serial)
            continue;
        fuzz_check(c->name_len <= g->image.name_room);
        fuzz_check(pl_region_is_text(pl_region_image_name(&g->image, i).p,
                                     c->name_len));
    }
}

/* The block that it becomes. */
static void check_block(struct pl_machine *m, struct pl_regions *r)
{
    static const struct pl_block_stamp stamp = { .perf_freq = 10000000 };
    struct pl_buf block = { 0 };
    struct pl_misfit misfit;
    struct pl_titles *titles;
    uint32_t num = 0, generation = 0;
    size_t at;

    if (pl_titles_new(&titles))
        abort();
    at = pl_put_block(&block, &stamp, NULL, 0);
    if (pl_published_write(pl_regions_tables(r), m, &block, &num, titles,
                           &generation))
        abort();
    pl_put_block_close(&block, at, num, 0);
    fuzz_check(pl_block_check(block.p, block.len, &misfit));
    pl_titles_free(titles);
    pl_buf_release(&block);
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
    struct fuzz_input in = { p, n };
    uint8_t *copy = fuzz_rest(&in, &n);
    struct pl_counter_filter choice = { .list = NULL };
    struct pl_machine machine;
    struct pl_regions *r;
    char path[96];

    make_dir();
    memset(&machine, 0, sizeof machine);
    repair_hash(copy, n);
    make_file(copy, n, path, sizeof path);
    /* Asked, not told: closing what tells takes the kernel 30 ms. */
    if (pl_regions_open(&r, &machine, &choice, INTERVAL_NS, false))
        abort();
    pl_regions_scan(r);
    fuzz_check(pl_regions_num(r) == 1);
    check_region(pl_regions_at(r, 0));
    check_block(&machine, r);
    pl_regions_close(r);
    unlink(path);
    free(copy);
    return 0;
}
