/*
 * A whole file through scanner and reader, twice: from the beginning, and
 * after a seek.  record.c is compiled without hashes here, or no changed byte
 * would ever be believed; the target sets the hashes of all that looks like a
 * header to what this build takes for right.
 *
 * Input: a byte of options, then the file.
 */
#include "format/reader/reader.h"
#include "format/reader/record_scan.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

enum {
    KEEP_HASHES = 1, /* as they are: damage */
    SMALL_BLOCKS = 2,
    MAX_SAMPLES = 4096,
    SMALL_BLOCK = 1024,
};

struct seen {
    uint64_t at[MAX_SAMPLES];
    int64_t utc[MAX_SAMPLES];
    size_t num;
};

static void note(struct seen *seen, const struct pl_item *item)
{
    if (seen->num == MAX_SAMPLES)
        return;
    seen->at[seen->num] = item->at;
    seen->utc[seen->num++] = item->record.utc_ns;
}

static void check_item(const struct pl_reader *r, const struct pl_item *item,
                       uint64_t max_block)
{
    fuzz_check(pl_reader_session(r) && pl_reader_titles(r));
    if (item->kind == PL_ITEM_SAMPLE)
        fuzz_check(item->block && item->block->len <= max_block &&
                   item->block->len == item->record.raw_len);
    if (item->kind == PL_ITEM_DAMAGED || item->kind == PL_ITEM_UNREACHABLE ||
        item->kind == PL_ITEM_TOO_NEW)
        fuzz_check(item->reason);
}

/* Every byte belongs to exactly one stretch. */
static void scan_all(const char *path, uint64_t size)
{
    struct pl_record_scan scan;
    struct pl_stretch x;
    uint64_t at = 0, session = 0;
    enum pl_status s;

    fuzz_check(!pl_record_scan_open(&scan, path, false));
    while (!(s = pl_record_scan_next(&scan, session, &x))) {
        fuzz_check(x.at == at && x.len && x.len <= size - at);
        fuzz_check(x.kind != PL_STRETCH_DAMAGED || x.reason);
        if (x.kind == PL_STRETCH_RECORD) {
            session = x.record.session;
            fuzz_touch(x.payload, x.record.stored_len);
        }
        at += x.len;
    }
    fuzz_check(s == PL_END && at == size);
    pl_record_scan_close(&scan);
}

/* Items come in the order of the file and are never about the same bytes. */
static void read_all(struct pl_reader *r, uint64_t max_block, struct seen *seen)
{
    uint64_t at = 0;
    struct pl_item item;
    enum pl_status s;

    while (!(s = pl_reader_next(r, &item))) {
        check_item(r, &item, max_block);
        fuzz_check(item.at >= at);
        at = item.at + item.len;
        if (item.kind == PL_ITEM_SAMPLE)
            note(seen, &item);
        fuzz_check(at <= pl_reader_size(r));
    }
    fuzz_check(s == PL_END);
    fuzz_check(pl_reader_next(r, &item) == PL_END);
}

static bool read_file(const char *path, const struct pl_reader_options *options,
                      const int64_t *seek, struct seen *seen)
{
    struct pl_reader *r;

    seen->num = 0;
    if (pl_reader_open(&r, path, options))
        return false;
    if (seek)
        fuzz_check(!pl_reader_seek(r, *seek));
    read_all(r, options->max_block ? options->max_block : PL_MAX_PAYLOAD, seen);
    pl_reader_close(r);
    return true;
}

/* Whatever the indexes say, no sample that is wanted is passed over. */
static void check_seek(const struct seen *all, const struct seen *later,
                       int64_t from)
{
    size_t k = 0;

    for (size_t i = 0; i < all->num; i++) {
        if (all->utc[i] < from)
            continue;
        while (k < later->num && later->at[k] < all->at[i])
            k++;
        fuzz_check(k < later->num && later->at[k] == all->at[i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
    static struct seen all, later;
    struct fuzz_input in = { p, n };
    uint8_t options = fuzz_byte(&in);
    uint8_t *copy = fuzz_rest(&in, &n);
    struct pl_reader_options how = { .max_block = options & SMALL_BLOCKS
                                                      ? SMALL_BLOCK
                                                      : 0 };
    const char *path;

    if (!(options & KEEP_HASHES))
        fuzz_set_hashes(copy, n);
    path = fuzz_file(copy, n);
    scan_all(path, n);
    if (read_file(path, &how, NULL, &all) && all.num) {
        int64_t from = all.utc[all.num / 2];

        fuzz_check(read_file(path, &how, &from, &later));
        if (all.num < MAX_SAMPLES)
            check_seek(&all, &later, from);
    }
    free(copy);
    return 0;
}
