/* Reads, in place of a segment's samples, what its ends says of their names. */
#include "format/record/codec.h"
#include "format/reader/reader_state.h"
#include "format/payload/stated_part.h"

#include <string.h>

/* What of a file is read, in this order. */
enum stage { NO_NAMES, NEXT_SESSION, NEXT_TITLES, NEXT_BLOCK, NEXT_ENDS };

/* ---- finding -------------------------------------------------------------- */

/* Read at 'at', leaving alone what a caller may still have of the file. */
static bool read_bytes(const struct pl_reader *r, uint64_t at, uint8_t *p,
                       size_t n)
{
    size_t got;

    return !pl_file_read(r->scan.file, at, p, n, &got) && got == n;
}

/* The header of an ends that is the file's last record and states its own
 * length. */
static bool find_header(const struct pl_reader *r, uint64_t *at,
                        struct pl_record *record)
{
    uint8_t trailer[PL_STATED_TRAILER], header[PL_RECORD_LEN];
    uint64_t size = r->scan.size, len;

    if (r->foreign || pl_file_is_stream(r->scan.file) || r->scan.follow ||
        size < PL_RECORD_LEN + PL_STATED_TRAILER ||
        !read_bytes(r, size - sizeof trailer, trailer, sizeof trailer))
        return false;
    len = pl_get_le64(trailer);
    if (len <= PL_ENDS_LEN || len > PL_MAX_PAYLOAD || len % PL_STATED_TRAILER ||
        len > size - PL_RECORD_LEN)
        return false;
    *at = size - PL_RECORD_LEN - len;
    return read_bytes(r, *at, header, sizeof header) &&
           !pl_record_get(record, header) && record->type == PL_ENDS &&
           record->codec == PL_CODEC_STORED && record->stored_len == len;
}

bool pl_reader_has_stated(const struct pl_reader *r)
{
    struct pl_record record;
    uint64_t at;

    return find_header(r, &at, &record);
}

uint64_t pl_reader_before_names(const struct pl_reader *r)
{
    struct pl_record record;
    uint64_t at;

    return find_header(r, &at, &record) ? at : r->scan.size;
}

static bool find_ends(struct pl_reader *r, uint64_t *at,
                      struct pl_record *record, const uint8_t **payload)
{
    return find_header(r, at, record) &&
           !pl_reader_read_at(r, *at, record, payload) &&
           !(record->flags & PL_FLAGS_CRITICAL) &&
           pl_hash(*payload, record->stored_len, record->session) ==
               record->raw_hash;
}

/* True if the file begins with a segment of the session. */
static bool begins_with(struct pl_reader *r, uint64_t session)
{
    struct pl_session parsed;
    struct pl_record record;
    const uint8_t *p;

    return !pl_reader_read_at(r, 0, &record, &p) && record.type == PL_SESS &&
           record.session == session && record.codec == PL_CODEC_STORED &&
           !(record.flags & PL_FLAGS_CRITICAL) &&
           !pl_session_parse(&parsed, p, record.stored_len) && !parsed.repeat;
}

/*
 * PL_OK: the file is one segment, and r->names_content says which names it has.
 * PL_END: it does not.
 */
static enum pl_status find_names(struct pl_reader *r,
                                 struct pl_stated_names *names,
                                 uint64_t *ends_at)
{
    struct pl_record ends = { 0 };
    const uint8_t *p;
    enum pl_status s = PL_END;

    r->scan.scattered = true;
    if (find_ends(r, ends_at, &ends, &p))
        s = pl_stated_names_unpack(r->decoder, ends.session, p, ends.stored_len,
                                   &r->names_content);
    if (!s)
        s = pl_stated_names_parse(names, &r->names_content);
    if (!s && (!begins_with(r, ends.session) || names->ends_at != *ends_at ||
               names->titles_at >= *ends_at))
        s = PL_END;
    r->names_record.session = ends.session;
    r->scan.scattered = false;
    return s == PL_NOMEM ? s : s ? PL_END : PL_OK;
}

/* ---- titles --------------------------------------------------------------- */

/*
 * Objects with equal names share their instances' numbers, sample by sample:
 * what each has in all samples does not say how.
 */
static bool names_differ(const struct pl_titles *titles,
                         struct pl_stated_names names)
{
    struct pl_named_object a, b;

    while (!pl_stated_names_object(&names, &a)) {
        struct pl_text name = pl_titles_name(titles, a.title_index);

        if (!name.n)
            return false;
        for (struct pl_stated_names rest = names;
             !pl_stated_names_object(&rest, &b);)
            if (pl_text_equal(name, pl_titles_name(titles, b.title_index)))
                return false;
    }
    return true;
}

/* PL_OK: the titles at 'at' can be used; PL_END, PL_NOMEM. */
static enum pl_status try_titles(struct pl_reader *r, uint64_t at,
                                 const struct pl_stated_names *names)
{
    struct pl_titles *titles = NULL;
    struct pl_record record;
    const uint8_t *p;
    enum pl_status s = pl_reader_read_at(r, at, &record, &p);

    if (!s && (record.type != PL_TITL || record.codec > PL_CODEC_ZSTD ||
               record.session != r->names_record.session ||
               (record.flags & PL_FLAGS_CRITICAL)))
        s = PL_END;
    if (!s)
        s = pl_titles_new(&titles);
    if (!s)
        s = pl_decode(r->decoder, &record, p, NULL, &r->scratch);
    if (!s)
        s = pl_titles_take(titles, &r->scratch);
    if (!s && !names_differ(titles, *names))
        s = PL_END;
    pl_buf_drop(&r->scratch);
    pl_titles_free(titles);
    return s == PL_NOMEM ? s : s ? PL_END : PL_OK;
}

/* ---- blocks --------------------------------------------------------------- */

/* True if all blocks of the content may be given out. */
static bool blocks_fit(const struct pl_reader *r, struct pl_stated_names names)
{
    struct pl_cur block;
    bool any = false;

    while (!pl_stated_names_block(&names, &block)) {
        if (block.left > r->max_block)
            return false;
        any = true;
    }
    return any && !names.blocks.left;
}

enum pl_status pl_reader_seek_names(struct pl_reader *r)
{
    enum pl_status s;

    r->names_stage = NO_NAMES;
    s = find_names(r, &r->names, &r->names_ends_at);
    if (!s && !blocks_fit(r, r->names))
        s = PL_END;
    if (!s)
        s = try_titles(r, r->names.titles_at, &r->names);
    r->names_all = r->names;
    if (!s)
        r->names_stage = NEXT_SESSION;
    return s == PL_NOMEM ? s : PL_OK;
}

/* The file has been read. */
static void finish(struct pl_reader *r)
{
    r->names_stage = NO_NAMES;
    r->scan.at = r->scan.size;
    pl_buf_drop(&r->names_content);
}

/* A record that has been looked at; those between it and the one before it are
 * not missing. */
static enum pl_status take_at(struct pl_reader *r, uint64_t at)
{
    struct pl_stretch stretch = { .kind = PL_STRETCH_RECORD, .at = at };
    enum pl_status s =
        pl_reader_read_at(r, at, &stretch.record, &stretch.payload);

    if (s == PL_CORRUPT) {
        pl_reader_enqueue(r, PL_ITEM_DAMAGED, &stretch)->reason =
            "it has changed while it was read";
        finish(r);
        return PL_OK;
    }
    if (s)
        return s;
    stretch.len = PL_RECORD_LEN + pl_padded_len(stretch.record.stored_len);
    if (r->names_stage == NEXT_SESSION) {
        r->names_record = stretch.record; /* the blocks are of that time */
        r->names_record.type = PL_SMPL;
    } else {
        r->next_seq = r->follower = stretch.record.seq;
    }
    return pl_reader_take_record(r, &stretch);
}

/* PL_END: no more. */
static enum pl_status next_block(struct pl_reader *r)
{
    int slot = pl_reader_free_slot(r);
    bool first = r->names.blocks.left == r->names_all.blocks.left;
    struct pl_item *item;
    struct pl_cur block;
    enum pl_status s = pl_stated_names_block(&r->names, &block);

    if (s)
        return s;
    pl_buf_clear(&r->slots[slot]);
    pl_buf_bytes(&r->slots[slot], block.p, block.left);
    if (r->slots[slot].oom)
        return PL_NOMEM;
    r->key_slot = r->last_slot = NO_SLOT; /* no sample refers to it */
    r->has_key_at = false;
    r->given_slot = slot;
    item = &r->queue[r->queue_num++];
    *item = (struct pl_item){ .kind = PL_ITEM_SAMPLE,
                              .at = r->names_ends_at,
                              .of_names = true,
                              .names = first ? &r->names_all : NULL,
                              .block = &r->slots[slot] };
    item->record = r->names_record;
    return PL_OK;
}

static enum pl_status step(struct pl_reader *r)
{
    enum pl_status s;

    switch (r->names_stage) {
    case NEXT_SESSION:
        s = take_at(r, 0);
        break;
    case NEXT_TITLES:
        s = take_at(r, r->names.titles_at);
        break;
    case NEXT_BLOCK:
        s = next_block(r);
        if (s != PL_END)
            return s;
        s = PL_OK;
        break;
    default:
        s = take_at(r, r->names_ends_at);
        finish(r);
        break;
    }
    if (r->names_stage != NO_NAMES)
        r->names_stage++;
    return s;
}

enum pl_status pl_reader_next_of_names(struct pl_reader *r)
{
    if (r->scan.at) /* the session has been skipped */
        r->names_stage = NO_NAMES;
    return r->names_stage == NO_NAMES ? PL_END : step(r);
}
