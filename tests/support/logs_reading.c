/* What a reader gives back of a log of logs.h, compared with the truth. */
#include "format/block/winperf.h"
#include "tests/support/logs.h"
#include "tests/support/support.h"

#include <stdlib.h>
#include <string.h>

void reading_release(struct reading *g)
{
    free(g->seen);
    *g = (struct reading){ 0 };
}

void reading_start(struct reading *g, const struct log *truth)
{
    uint8_t *seen = g->seen;
    size_t cap = g->cap_seen;

    if (cap < truth->num_samples + 1) {
        cap = truth->num_samples + 1;
        seen = realloc(seen, cap);
        ck_assert_ptr_nonnull(seen);
    }
    memset(seen, 0, cap);
    *g = (struct reading){ .seen = seen, .cap_seen = cap };
}

/* Of a log that was not loaded, session and seq are not known. */
static bool is_sample(const struct sample *s, const struct pl_record *r)
{
    return s->boot_ns == r->boot_ns &&
           (!s->session || (s->session == r->session && s->seq == r->seq));
}

/* Most samples come in order, so the search goes on where the last ended. */
static void compare(const struct log *truth, const struct pl_item *item,
                    size_t *hint, struct reading *g)
{
    size_t i = *hint, tries = 0;
    const struct sample *s;

    while (tries < truth->num_samples) {
        if (i >= truth->num_samples)
            i = 0;
        if (is_sample(&truth->samples[i], &item->record))
            break;
        i++;
        tries++;
    }
    if (tries == truth->num_samples) {
        g->wrong++;
        return;
    }
    *hint = i + 1;
    s = &truth->samples[i];
    if (item->record.utc_ns != s->utc_ns ||
        item->record.boot_ns != s->boot_ns ||
        item->block->len != s->block.len ||
        memcmp(item->block->p, s->block.p, s->block.len) != 0) {
        g->wrong++;
        return;
    }
    if (g->seen[i])
        g->twice++;
    else
        g->num_samples++;
    g->seen[i] = 1;
}

static void check_identity(const struct pl_identity_set *set, uint64_t pid,
                           uint64_t start, struct reading *g)
{
    struct process_command c = machine_command(pid, start);
    const struct pl_text right = { c.text, c.n };
    struct pl_process_identity p;
    uint64_t version;

    if (!pl_identity_set_find(set, pid, start, &p, &version))
        return;
    g->identities++;
    g->wrong += !pl_text_equal(p.command_line, right);
}

/* Of those that are known, none may be another's. */
static void check_identities(const struct pl_identity_set *set,
                             const struct pl_buf *block, struct reading *g)
{
    struct pl_counter_def pid, start;
    struct pl_instance i;
    struct pl_object o;
    struct pl_block b;
    uint64_t number, born;

    if (!set || pl_block_parse(&b, block->p, block->len))
        return;
    do {
        if (pl_object_next(&b, &o))
            return;
    } while (o.title_index != PL_TITLE_PROCESS);
    if (pl_counter_next(&o, &pid) || pl_counter_next(&o, &start))
        return;
    while (!pl_instance_next(&o, &i))
        if (pl_counter_get(&o, &i, &pid, &number) &&
            pl_counter_get(&o, &i, &start, &born))
            check_identity(set, number, born, g);
}

enum pl_status read_on(struct pl_reader *r, const struct log *truth,
                       struct reading *g)
{
    struct pl_item item;
    size_t hint = 0;
    enum pl_status s;

    if (!g->seen)
        reading_start(g, truth);
    while (!(s = pl_reader_next(r, &item))) {
        g->kinds[item.kind]++;
        g->bytes += item.len;
        g->missing += item.count;
        if (item.kind == PL_ITEM_SAMPLE) {
            compare(truth, &item, &hint, g);
            check_identities(pl_reader_identities(r), item.block, g);
        }
    }
    return s;
}

enum pl_status read_whole(const char *path, const struct log *truth,
                          struct reading *g)
{
    struct pl_reader *r;
    enum pl_status s;

    reading_start(g, truth);
    s = pl_reader_open(&r, path, NULL);
    if (s)
        return s;
    s = read_on(r, truth, g);
    pl_reader_close(r);
    return s;
}

size_t reading_alarms(const struct reading *g)
{
    return g->kinds[PL_ITEM_DAMAGED] + g->kinds[PL_ITEM_UNREACHABLE] +
           g->kinds[PL_ITEM_TOO_NEW] + g->kinds[PL_ITEM_HOLE];
}

size_t log_gaps(const char *path, struct pl_gaps by_cause[PL_NUM_GAP_CAUSES])
{
    struct pl_reader *r;
    struct pl_item item;
    size_t num = 0;

    memset(by_cause, 0, PL_NUM_GAP_CAUSES * sizeof *by_cause);
    ck_assert_int_eq(pl_reader_open(&r, path, NULL), PL_OK);
    while (!pl_reader_next(r, &item)) {
        if (item.kind != PL_ITEM_GAPS)
            continue;
        ck_assert_uint_lt(item.gaps.cause, PL_NUM_GAP_CAUSES);
        by_cause[item.gaps.cause] = item.gaps;
        num++;
    }
    pl_reader_close(r);
    return num;
}
