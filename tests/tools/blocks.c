/*
 * blocks LOG: a line for each sample of a log, in its order: session, number,
 * flags, times, length, and two hashes of its raw block, so that two logs can
 * be compared without writing their blocks down.  Anything but samples is left
 * out; of damage, and of samples that cannot be had, there is a line, too.
 */
#include "format/reader/reader.h"
#include "format/record/record.h"

#include <inttypes.h>
#include <stdio.h>

static void print_sample(const struct pl_item *item)
{
    const struct pl_record *r = &item->record;

    printf("%016" PRIx64 " %" PRIu32 " %u %" PRId64 " %" PRId64
           " %zu %016" PRIx64 " %016" PRIx64 "\n",
           r->session, r->seq, (unsigned)r->flags, r->utc_ns, r->boot_ns,
           item->block->len, pl_hash(item->block->p, item->block->len, 1),
           pl_hash(item->block->p, item->block->len, 2));
}

static void print(const struct pl_item *item)
{
    switch (item->kind) {
    case PL_ITEM_SAMPLE:
        print_sample(item);
        break;
    case PL_ITEM_DAMAGED:
    case PL_ITEM_HOLE:
    case PL_ITEM_UNREACHABLE:
    case PL_ITEM_TOO_NEW:
        printf("lost at %" PRIu64 ": %s\n", item->at,
               item->reason ? item->reason : "hole");
        break;
    default:
        break;
    }
}

int main(int argc, char **argv)
{
    struct pl_reader *r;
    struct pl_item item;
    enum pl_status s = argc == 2 ? pl_reader_open(&r, argv[1], NULL) : PL_IO;

    if (s) {
        fprintf(stderr, "usage: blocks LOG\n");
        return 1;
    }
    while (!(s = pl_reader_next(r, &item)))
        print(&item);
    pl_reader_close(r);
    if (s != PL_END)
        fprintf(stderr, "blocks: %s: %s\n", argv[1], pl_status_text(s));
    return s != PL_END;
}
