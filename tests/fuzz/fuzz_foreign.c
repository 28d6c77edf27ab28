/*
 * A log of another format through the look at all of it, and then through a
 * reading of every host in it, as commands read it.
 *
 * Input: the file.
 */
#include "analyze/foreign/foreign.h"
#include "format/block/winperf.h"
#include "tests/fuzz/fuzz.h"

enum { MOST_HOSTS = 4, MOST_ITEMS = 1 << 16 };

static void check_item(const struct pl_reader *r, const struct pl_item *item)
{
    struct pl_misfit misfit;

    fuzz_check(pl_reader_session(r) && pl_reader_titles(r));
    fuzz_check(item->kind != PL_ITEM_DAMAGED || item->reason);
    if (item->kind != PL_ITEM_SAMPLE)
        return;
    fuzz_check(item->block && item->block->len <= PL_MAX_BLOCK_LEN);
    fuzz_touch(item->block->p, item->block->len);
    /* what is made of single counters always adds up */
    if (pl_reader_session(r)->titles_made_up)
        fuzz_check(pl_block_check(item->block->p, item->block->len, &misfit));
}

static void read_host(struct pl_foreign_file *f, size_t host)
{
    struct pl_reader *r = NULL;
    struct pl_item item;
    size_t num = 0;
    enum pl_status s = pl_foreign_read(&r, f, host, NULL);

    if (s)
        return;
    while (num++ < MOST_ITEMS && !(s = pl_reader_next(r, &item)))
        check_item(r, &item);
    fuzz_check(s == PL_OK || s == PL_END || s == PL_NOMEM);
    pl_reader_close(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
    struct pl_foreign_file *f = NULL;

    if (!pl_foreign_look(&f, fuzz_file(p, n)) && f)
        for (size_t i = 0; i < f->num_hosts && i < MOST_HOSTS; i++)
            read_host(f, i);
    pl_foreign_drop(f);
    return 0;
}
