/* Finds blocks in a file, and the ranges between them. */
#include "analyze/blocks/block_scan.h"

#include "format/base/cursor.h"

#include <string.h>

enum {
    FIRST_LOOK = 64 << 10, /* most blocks are shorter */
    LEAST_READ = 1 << 20,
    MOST_HEADER = 64 << 10,
    SIGNATURE = 7, /* bytes "P.E.R.F" of both byte orders */
};

static const char no_block[] = "no performance data block", cut[] = "it is cut",
                  contradiction[] = "its lengths contradict each other",
                  too_long[] = "it is longer than --max-block";

enum pl_status pl_block_scan_open(struct pl_block_scan *b, const char *path,
                                  size_t most, SHA2_CTX *sha)
{
    *b = (struct pl_block_scan){ .most = most, .sha = sha };
    return pl_file_open(&b->file, path);
}

void pl_block_scan_close(struct pl_block_scan *b)
{
    pl_file_close(b->file);
    pl_buf_release(&b->window);
    *b = (struct pl_block_scan){ 0 };
}

/* ---- the window ---------------------------------------------------------- */

/* Drop the bytes before 'at' and read at least 'n' bytes more. */
static enum pl_status refill(struct pl_block_scan *b, uint64_t at, size_t n)
{
    size_t drop = (size_t)(at - b->begins), got;
    uint8_t *room;
    enum pl_status s;

    b->window.len -= drop;
    if (drop && b->window.len)
        memmove(b->window.p, b->window.p + drop, b->window.len);
    b->begins = at;
    n = n < LEAST_READ ? LEAST_READ : n;
    room = pl_buf_room(&b->window, n);
    if (!room)
        return PL_NOMEM;
    s = pl_file_read(b->file, at + b->window.len, room, n, &got);
    if (s)
        return s;
    if (b->sha)
        SHA256Update(b->sha, room, got);
    b->window.len += got;
    b->ended = got < n;
    return PL_OK;
}

/* Up to 'n' bytes at 'at', fewer only at the end of the file. */
static enum pl_status look(struct pl_block_scan *b, uint64_t at, size_t n,
                           struct pl_cur *c)
{
    size_t left = b->window.len - (size_t)(at - b->begins);
    enum pl_status s = PL_OK;

    if (left < n && !b->ended) {
        s = refill(b, at, n);
        left = b->window.len;
    }
    if (!s)
        *c = pl_cur_of(b->window.p + (at - b->begins), left < n ? left : n);
    return s;
}

/* ---- one block ----------------------------------------------------------- */

/* Where a block ends, and what is wrong with it. */
struct extent {
    size_t objects_end; /* end of the last complete object */
    size_t len;         /* where the next block should begin */
    uint32_t num_objects;
    const char *reason; /* NULL: complete */
};

static bool is_signature(const uint8_t *p, size_t n)
{
    return n >= SIGNATURE + 1 && (!memcmp(p, "P\0E\0R\0F", SIGNATURE + 1) ||
                                  !memcmp(p, "\0P\0E\0R\0F", SIGNATURE + 1));
}

static enum pl_status walk(struct pl_block block, struct extent *e)
{
    struct pl_object o;
    enum pl_status s;

    while (!(s = pl_object_next(&block, &o))) {
        e->objects_end = o.at + o.len;
        e->num_objects++;
    }
    return s;
}

/* Whether a header is plausible, beyond its signature. */
static bool is_plausible(const struct pl_block *b, size_t header_len)
{
    return b->version == 1 && b->revision <= 1 && header_len <= MOST_HEADER;
}

/*
 * The length that the header states is accepted if the file ends there or the
 * next block begins there.  PL_END: it is, and the block is measured.
 */
static enum pl_status by_stated_length(struct pl_block_scan *b, uint64_t at,
                                       struct pl_block *block, uint32_t total,
                                       struct extent *e)
{
    size_t header_len = block->len - block->rest.left;
    struct pl_cur c;
    enum pl_status s;

    if (total < header_len || total > b->most)
        return PL_OK;
    s = look(b, at, (size_t)total + SIGNATURE + 1, &c);
    if (s)
        return s;
    if (c.left < total ||
        (c.left > total && !is_signature(c.p + total, c.left - total)))
        return PL_OK;
    pl_block_parse(block, c.p, total);
    *e = (struct extent){ .objects_end = header_len, .len = total };
    if (walk(*block, e) != PL_END)
        e->reason = contradiction;
    return PL_END;
}

/* The offset of the next signature in 'c', c->left if there is none. */
static size_t find_signature(const struct pl_cur *c)
{
    const uint8_t *p = c->p, *end = c->p + c->left;

    while (end - p > SIGNATURE) {
        p = memchr(p, 'P', (size_t)(end - p - SIGNATURE));
        if (!p)
            break;
        if (!memcmp(p, "P\0E\0R\0F", SIGNATURE))
            return (size_t)(p - c->p);
        p++;
    }
    return c->left;
}

/*
 * Where another block begins inside the objects of this one, which was then cut
 * before it; 'len' if none does.  A name may look like a signature, but not
 * like a complete header.
 */
static size_t find_intruder(const struct pl_block *block, size_t from,
                            size_t len)
{
    size_t seen =
        block->len - len <= SIGNATURE ? block->len : len + SIGNATURE + 1;
    struct pl_cur c = pl_cur_of(block->bytes + from, seen - from);

    while (c.left) {
        size_t p = find_signature(&c), first = p ? p - 1 : 0;

        for (size_t at = first; at <= p && p < c.left; at++) {
            const uint8_t *q = c.p + at;
            size_t left = block->len - (size_t)(q - block->bytes);
            struct pl_block other;

            if (q < block->bytes + len && !pl_block_parse(&other, q, left) &&
                is_plausible(&other, left - other.rest.left))
                return (size_t)(q - block->bytes);
        }
        pl_cur_take(&c, p < c.left ? p + 1 : c.left);
    }
    return len;
}

/*
 * Otherwise it ends where its objects do.  PL_TRUNCATED: more bytes are needed.
 */
static enum pl_status by_objects(const struct pl_block *block, uint32_t total,
                                 struct extent *e)
{
    size_t header_len = block->len - block->rest.left, end;
    struct pl_block part = *block;
    enum pl_status s;

    *e = (struct extent){ .objects_end = header_len };
    s = walk(*block, e);
    end = find_intruder(block, header_len, e->objects_end);
    if (end < e->objects_end) {
        pl_block_parse(&part, block->bytes, end);
        *e = (struct extent){ .objects_end = header_len };
        walk(part, e);
        e->len = e->objects_end;
        e->reason = cut;
        return PL_OK;
    }
    e->len = e->objects_end;
    if (e->num_objects == block->num_objects)
        s = PL_END; /* the bytes after this belong to other blocks */
    if (s == PL_CORRUPT)
        e->reason = contradiction;
    else if (s != PL_END ||
             (e->num_objects < block->num_objects && total > e->objects_end))
        e->reason = cut;
    return e->reason == cut ? PL_TRUNCATED : PL_OK;
}

/* The header at 'at', if one begins there. */
static enum pl_status parse_at(struct pl_block_scan *b, uint64_t at,
                               size_t want, struct pl_block *block,
                               struct extent *e, struct pl_cur *c)
{
    enum pl_status s = look(b, at, want, c);

    if (s)
        return s;
    s = pl_block_parse(block, c->p, c->left);
    if (s)
        e->reason = s == PL_TRUNCATED ? cut : no_block;
    else if (!is_plausible(block, c->left - block->rest.left))
        e->reason = no_block;
    else
        return PL_OK;
    return PL_NOT_A_LOG;
}

/*
 * Measure the block at 'at'.  PL_NOT_A_LOG: there is none, or nothing but its
 * header.  Each byte is read a few times at most: a range that was walked far
 * is a block, and is skipped.
 */
static enum pl_status measure(struct pl_block_scan *b, uint64_t at,
                              struct pl_block *block, struct extent *e)
{
    size_t want = FIRST_LOOK < b->most ? FIRST_LOOK : b->most;
    struct pl_cur c;
    enum pl_status s = PL_TRUNCATED;

    while (s == PL_TRUNCATED) {
        uint32_t total;

        s = parse_at(b, at, want, block, e, &c);
        if (s)
            return s;
        total = block->big_endian ? pl_get_be32(c.p + PL_BLOCK_TOTAL_LEN)
                                  : pl_get_le32(c.p + PL_BLOCK_TOTAL_LEN);
        s = by_stated_length(b, at, block, total, e);
        if (!s)
            /* the window may have moved */
            s = parse_at(b, at, want, block, e, &c);
        if (!s)
            s = by_objects(block, total, e);
        if (s != PL_TRUNCATED)
            break;
        if (c.left < want || want == b->most) {
            e->reason = c.left < want ? cut : too_long;
            s = PL_OK;
        }
        want = want > b->most / 2 ? b->most : 2 * want;
    }
    if (s && s != PL_END)
        return s;
    return e->num_objects || !block->num_objects ? PL_OK : PL_NOT_A_LOG;
}

/* ---- between blocks ------------------------------------------------------ */

static bool all_zero(const uint8_t *p, size_t n)
{
    return !n || (!p[0] && !memcmp(p, p + 1, n - 1));
}

/*
 * Move b->at to the next place where a block begins, or to the end.  *zeros
 * stays true if only zeros are skipped.  A signature of the other byte order
 * begins one byte before its 'P'.
 */
static enum pl_status search(struct pl_block_scan *b, bool *zeros)
{
    struct pl_block block;
    struct extent e;
    struct pl_cur c;
    enum pl_status s = look(b, b->at, FIRST_LOOK, &c);

    while (!s && c.left) {
        size_t p = find_signature(&c), first = p ? p - 1 : 0;

        if (p == c.left) {
            bool last = c.left < FIRST_LOOK;
            /* Keep the last bytes, which may begin a signature. */
            size_t step = last ? c.left : c.left - SIGNATURE - 1;

            *zeros = *zeros && all_zero(c.p, step);
            b->at += step;
        } else {
            bool before = *zeros && all_zero(c.p, first);
            bool between = first == p || !c.p[first];

            for (size_t at = first; at <= p; at++) {
                s = measure(b, b->at + at, &block, &e);
                if (s == PL_NOT_A_LOG)
                    continue;
                *zeros = before && (at == first || between);
                b->at += at;
                return s;
            }
            *zeros = false;
            b->at += p + 1;
        }
        s = look(b, b->at, FIRST_LOOK, &c);
    }
    return s;
}

static enum pl_status next_damage(struct pl_block_scan *b,
                                  struct pl_block_scan_item *item, bool *zeros)
{
    enum pl_status s;

    *zeros = true;
    s = search(b, zeros);
    item->len = b->at - item->at;
    return s;
}

enum pl_status pl_block_scan_next(struct pl_block_scan *b,
                                  struct pl_block_scan_item *item)
{
    bool torn = b->torn, zeros;
    enum pl_status s;
    struct pl_cur c;

    b->torn = false;
    for (;;) {
        struct extent e = { .reason = no_block };

        *item = (struct pl_block_scan_item){ .at = b->at };
        s = look(b, b->at, 1, &c);
        if (s || !c.left)
            return s ? s : PL_END;
        s = measure(b, b->at, &item->block, &e);
        if (!s) {
            item->is_block = true;
            item->len = e.objects_end;
            item->num_objects = e.num_objects;
            item->reason = e.reason;
            b->torn = e.reason != NULL;
            b->at += b->torn ? e.objects_end : e.len;
            return PL_OK;
        }
        if (s == PL_NOT_A_LOG)
            s = next_damage(b, item, &zeros);
        if (s || !zeros) {
            item->reason = torn ? NULL : e.reason;
            return s;
        }
    }
}

bool pl_object_is_whole(struct pl_object o)
{
    struct pl_counter_def def;
    struct pl_instance instance;
    enum pl_status s;

    while (!(s = pl_counter_next(&o, &def)))
        ;
    if (s != PL_END)
        return false;
    while (!(s = pl_instance_next(&o, &instance)))
        ;
    return s == PL_END;
}
