/* Assigns proven records to sessions and checks their order. */
#include "format/reader/reader_state.h"

#include "format/record/codec.h"
#include "format/block/winperf.h"

#include <stdlib.h>
#include <string.h>

/* ---- sessions read so far ------------------------------------------------- */

static struct pl_seen *find_seen(const struct pl_reader *r, uint64_t session)
{
    size_t mask = r->seen_cap - 1;
    size_t i = (size_t)pl_hash(&session, sizeof session, r->seen_seed) & mask;

    while (r->seen[i].session && r->seen[i].session != session)
        i = (i + 1) & mask;
    return &r->seen[i];
}

bool pl_reader_has_met(const struct pl_reader *r, uint64_t session)
{
    return find_seen(r, session)->session != 0;
}

static enum pl_status grow_seen(struct pl_reader *r)
{
    struct pl_seen *old = r->seen;
    size_t old_cap = r->seen_cap;

    r->seen_cap = old_cap ? old_cap * 2 : 16;
    r->seen = calloc(r->seen_cap, sizeof *r->seen);
    if (!r->seen) {
        r->seen = old;
        r->seen_cap = old_cap;
        return PL_NOMEM;
    }
    for (size_t i = 0; i < old_cap; i++)
        if (old[i].session)
            *find_seen(r, old[i].session) = old[i];
    free(old);
    return PL_OK;
}

/* Make 'session' the current one; remember the next seq of the previous. */
static enum pl_status enter_session(struct pl_reader *r, uint64_t session)
{
    struct pl_seen *at;

    if (r->session)
        find_seen(r, r->session)->next_seq = r->next_seq;
    if (r->seen_num * 2 >= r->seen_cap) {
        enum pl_status s = grow_seen(r);

        if (s)
            return s;
    }
    at = find_seen(r, session);
    r->fresh = !at->session;
    r->met_second = !r->fresh;
    r->passing.met = 0;
    if (!at->session) {
        at->session = session;
        at->next_seq = 0;
        r->seen_num++;
    }
    r->session = session;
    r->next_seq = r->follower = at->next_seq;
    r->reported = false;
    r->too_new = false;
    r->has_meta = false;
    r->meta = session == r->known.session
                  ? (struct pl_session){ .host = r->known.host,
                                         .machine_hash = r->known.machine_hash }
                  : (struct pl_session){ 0 };
    r->has_titles = false;
    pl_identity_set_clear(r->identities);
    r->key_slot = r->last_slot = NO_SLOT;
    r->has_key_at = false;
    r->after_large = r->after_large_key = 0;
    return pl_titles_parse(r->titles, NULL, 0);
}

/* ---- opening ---------------------------------------------------------------- */

/* A log has a proven record. */
static enum pl_status look_first(struct pl_record_scan *s, bool damaged_too)
{
    struct pl_record record;
    bool found, zeros;
    const uint8_t *p;
    size_t got;
    enum pl_status status = pl_record_scan_peek(s, 0, PL_RECORD_LEN, &p, &got);

    if (status)
        return status;
    if (!got)
        return s->follow ? PL_OK : PL_TRUNCATED;
    status = got < PL_RECORD_LEN ? PL_CORRUPT : pl_record_get(&record, p);
    if (status != PL_CORRUPT)
        return status;
    /* Killed in its first write: the beginning of a header. */
    if (damaged_too || (got < PL_RECORD_LEN && pl_record_may_begin(p, got)))
        return PL_OK;
    status = pl_record_scan_has_any(s, &found, &zeros);
    if (status || found)
        return status;
    return zeros ? PL_ZEROS : PL_NOT_A_LOG;
}

static enum pl_status open_scan(struct pl_record_scan *scan, const char *path,
                                bool follow, bool damaged_too)
{
    enum pl_status s = pl_record_scan_open(scan, path, follow);

    if (s)
        return s;
    s = look_first(scan, damaged_too);
    if (s) {
        PL_KEEP_ERRNO;

        pl_record_scan_close(scan);
    }
    return s;
}

/* A reader without a file.  PL_NOMEM. */
static enum pl_status make_reader(struct pl_reader **out,
                                  const struct pl_reader_options *options)
{
    struct pl_reader *r = *out = calloc(1, sizeof *r);
    enum pl_status s;

    if (!r)
        return PL_NOMEM;
    r->key_slot = r->last_slot = r->given_slot = r->pack_slot = NO_SLOT;
    r->seen_seed = pl_random(); /* no crafted ids can make it slow */
    r->max_block =
        options && options->max_block ? options->max_block : PL_MAX_BLOCK_LEN;
    r->names_suffice = options && options->names_suffice;
    s = pl_titles_new(&r->titles);
    return s ? s : grow_seen(r);
}

/* What only perflog's own logs need. */
static enum pl_status open_own(struct pl_reader *r, struct pl_record_scan *scan,
                               const char *path, bool follow, bool damaged_too)
{
    enum pl_status s = r->decoder ? PL_OK : pl_decoder_new(&r->decoder);

    return s ? s : open_scan(scan, path, follow, damaged_too);
}

static enum pl_status give_reader(struct pl_reader **out, struct pl_reader *r,
                                  enum pl_status s)
{
    PL_KEEP_ERRNO;

    if (s)
        pl_reader_close(r);
    else
        *out = r;
    return s;
}

enum pl_status pl_reader_open(struct pl_reader **out, const char *path,
                              const struct pl_reader_options *options)
{
    struct pl_reader *r;
    enum pl_status s = make_reader(&r, options);

    if (!s)
        s = open_own(r, &r->scan, path, options && options->follow,
                     options && options->damaged_too);
    if (!s && options && options->complete)
        r->scan.live = false;
    if (!s && r->names_suffice)
        s = pl_reader_seek_names(r);
    return give_reader(out, r, s);
}

enum pl_status pl_reader_open_foreign(struct pl_reader **out,
                                      const struct pl_foreign *foreign,
                                      void *ctx)
{
    struct pl_reader *r;
    enum pl_status s = make_reader(&r, NULL);

    if (s) {
        foreign->close(ctx);
    } else {
        r->foreign = foreign;
        r->foreign_ctx = ctx;
    }
    return give_reader(out, r, s);
}

static void close_foreign(struct pl_reader *r)
{
    if (r->foreign)
        r->foreign->close(r->foreign_ctx);
    r->foreign = NULL;
}

enum pl_status pl_reader_continue(struct pl_reader *r, const char *path)
{
    struct pl_record_scan scan;
    enum pl_status s = open_own(r, &scan, path, r->scan.follow, true);

    if (s)
        return s;
    pl_record_scan_close(&r->scan);
    close_foreign(r);
    r->scan = scan;
    r->origin = (struct pl_origin){ 0 };
    r->seam = true;
    r->has_key_at = false;
    r->needed_from = 0;
    r->passing.looks = false;
    r->passing.looked_to = r->passing.ends_at = 0;
    return r->names_suffice ? pl_reader_seek_names(r) : PL_OK;
}

void pl_reader_knows_host(struct pl_reader *r, uint64_t session,
                          struct pl_text host, uint64_t machine_hash)
{
    r->known.session = session;
    r->known.host = host;
    r->known.machine_hash = machine_hash;
}

enum pl_status pl_reader_continue_foreign(struct pl_reader *r,
                                          const struct pl_foreign *foreign,
                                          void *ctx)
{
    pl_record_scan_close(&r->scan);
    close_foreign(r);
    r->foreign = foreign;
    r->foreign_ctx = ctx;
    return PL_OK;
}

void pl_reader_close(struct pl_reader *r)
{
    if (!r)
        return;
    close_foreign(r);
    pl_record_scan_close(&r->scan);
    pl_decoder_free(r->decoder);
    pl_titles_free(r->titles);
    pl_identity_set_free(r->identities);
    pl_pack_decoder_free(r->pack);
    for (size_t i = 0; i < NUM_SLOTS; i++)
        pl_buf_release(&r->slots[i]);
    pl_buf_release(&r->meta_payload);
    pl_buf_release(&r->scratch);
    pl_buf_release(&r->names_content);
    pl_buf_release(&r->passing.content);
    free(r->seen);
    free(r);
}

/* ---- records ---------------------------------------------------------------- */

/* Remember missing records; if there are too many ranges, drop the oldest. */
static void add_missing(struct pl_reader *r, uint64_t first, uint64_t next)
{
    struct pl_missing *last =
        r->num_missing ? &r->missing[r->num_missing - 1] : NULL;

    if (first == next)
        return;
    if (last && last->session == r->session && last->next == first) {
        last->next = next;
        return;
    }
    if (r->num_missing == MAX_MISSING)
        memmove(r->missing, r->missing + 1,
                --r->num_missing * sizeof *r->missing);
    r->missing[r->num_missing++] =
        (struct pl_missing){ r->session, first, next };
}

/* True if 'seq' was missing so far; it is then removed from the missing. */
static bool take_missing(struct pl_reader *r, uint64_t seq)
{
    for (size_t i = r->num_missing; i-- > 0;) {
        struct pl_missing m = r->missing[i];

        if (m.session != r->session || seq < m.first || seq >= m.next)
            continue;
        memmove(&r->missing[i], &r->missing[i + 1],
                (--r->num_missing - i) * sizeof *r->missing);
        add_missing(r, m.first, seq);
        add_missing(r, seq + 1, m.next);
        return true;
    }
    return false;
}

struct pl_item *pl_reader_enqueue(struct pl_reader *r, enum pl_item_kind kind,
                                  const struct pl_stretch *at)
{
    struct pl_item *item = &r->queue[r->queue_num++];

    *item = (struct pl_item){ .kind = kind, .at = at->at };
    item->record = at->record;
    return item;
}

/*
 * Find the record's place in its session and sequence.  Sets *again if it was
 * read before; queues items to report before the record itself.
 */
static enum pl_status place_record(struct pl_reader *r,
                                   const struct pl_stretch *at, bool *again)
{
    const struct pl_record *record = &at->record;
    bool seam = r->seam;
    enum pl_status s = PL_OK;

    r->seam = false;
    if (record->session != r->session)
        s = enter_session(r, record->session);
    if (s)
        return s;
    *again = record->seq < r->next_seq && !take_missing(r, record->seq);
    r->duplicates += *again;
    if (*again)
        return PL_OK;
    if (!r->reported && !r->too_new &&
        (record->type != PL_SESS || r->has_meta)) {
        pl_reader_enqueue(r, PL_ITEM_SESSION, at);
        if (r->has_titles)
            pl_reader_enqueue(r, PL_ITEM_TITLES, at);
        r->reported = true;
    }
    if (r->fresh) {
        add_missing(r, 0, record->seq);
    } else if (record->seq > r->next_seq) {
        struct pl_item *hole = pl_reader_enqueue(r, PL_ITEM_HOLE, at);

        hole->count = record->seq - (uint32_t)r->next_seq;
        hole->between_files = seam;
        add_missing(r, r->next_seq, record->seq);
    } else if (record->seq != r->follower) {
        pl_reader_enqueue(r, PL_ITEM_DAMAGED, at)->reason =
            "records are not in the order in which they were written";
    }
    r->fresh = false;
    r->follower = (uint64_t)record->seq + 1;
    if (r->next_seq < r->follower)
        r->next_seq = r->follower;
    return PL_OK;
}

/* The next queued item, if there is one. */
static bool dequeue(struct pl_reader *r, struct pl_item *item)
{
    if (r->queue_at == r->queue_num) {
        r->queue_at = r->queue_num = 0;
        return false;
    }
    *item = r->queue[r->queue_at++];
    return true;
}

enum pl_status pl_reader_take_record(struct pl_reader *r,
                                     const struct pl_stretch *at)
{
    bool again;
    struct pl_item item = { .at = at->at,
                            .len = at->len,
                            .payload = at->payload };
    enum pl_status s = place_record(r, at, &again);

    if (s || (r->too_new && at->record.type != PL_SESS))
        return s;
    s = pl_reader_read_record(r, at, &item);
    if (s || again)
        return s;
    r->reported = r->reported || item.kind == PL_ITEM_SESSION;
    if (item.kind == PL_ITEM_SAMPLE)
        r->given_slot = r->last_slot;
    if (item.kind == PL_ITEM_UNREACHABLE) /* a later copy may be decodable */
        add_missing(r, at->record.seq, (uint64_t)at->record.seq + 1);
    if (r->passing.wanted)
        pl_reader_count_item(r, &item);
    r->queue[r->queue_num++] = item;
    return PL_OK;
}

/* ---- items ------------------------------------------------------------------- */

/* The next stretch: of the pack being read, or else of the file. */
static enum pl_status next_stretch(struct pl_reader *r, struct pl_stretch *at)
{
    enum pl_status s = PL_END;

    if (pl_reader_is_in_pack(r))
        return pl_reader_next_packed(r, at);
    if (r->passing.wanted)
        s = pl_reader_pass_packs(r, at);
    return s == PL_END ? pl_record_scan_next(&r->scan, r->session, at) : s;
}

/* A record of the file, or of a pack. */
static enum pl_status take_stretch(struct pl_reader *r,
                                   const struct pl_stretch *at)
{
    if (at->record.type == PL_PACK && !at->packed)
        return pl_reader_open_pack(r, at);
    if (at->record.type == PL_SESS && !at->packed) {
        r->passing.looks = true;
        r->passing.begin = at->at;
    }
    return pl_reader_take_record(r, at);
}

enum pl_status pl_reader_next(struct pl_reader *r, struct pl_item *item)
{
    if (r->foreign)
        return pl_reader_next_foreign(r, item);
    while (!dequeue(r, item)) {
        struct pl_stretch at;
        enum pl_status s = pl_reader_next_of_names(r);

        if (s == PL_END)
            s = next_stretch(r, &at);
        else if (!s)
            continue;
        if (s)
            return s;
        *item =
            (struct pl_item){ .at = at.at, .len = at.len, .reason = at.reason };
        switch (at.kind) {
        case PL_STRETCH_DAMAGED:
            r->seam = false; /* what is missing next was in it */
            item->kind = PL_ITEM_DAMAGED;
            item->record = at.record;
            return PL_OK;
        case PL_STRETCH_INTERRUPTED:
            item->kind = PL_ITEM_INTERRUPTED;
            item->zeros = at.zeros;
            return PL_OK;
        case PL_STRETCH_TOO_NEW:
            item->kind = PL_ITEM_TOO_NEW;
            return PL_OK;
        case PL_STRETCH_RECORD:
            if (!at.packed && pl_reader_is_stray(r, &at)) {
                item->kind = PL_ITEM_DAMAGED;
                item->reason = "record of another file, whose blocks this one "
                               "has got";
                return PL_OK;
            }
            s = take_stretch(r, &at);
            break;
        }
        if (s)
            return s;
    }
    return PL_OK;
}

void pl_reader_forget_older(struct pl_reader *r)
{
    for (int slot = 0; slot < NUM_SLOTS; slot++)
        if (!pl_reader_needs_slot(r, slot))
            pl_buf_drop(&r->slots[slot]);
}

void pl_reader_on_need(struct pl_reader *r, void (*make_room)(void *ctx),
                       void *ctx)
{
    r->make_room = make_room;
    r->room_ctx = ctx;
}

void pl_reader_keys_only(struct pl_reader *r)
{
    r->keys_only = true;
}

void pl_reader_times_only(struct pl_reader *r)
{
    r->keys_only = r->times_only = true;
}

void pl_reader_first_times_only(struct pl_reader *r)
{
    pl_reader_times_only(r);
    r->first_suffices = true;
}

void pl_reader_outline(struct pl_reader *r)
{
    r->keys_only = r->ends_too = true;
}

void pl_reader_brief(struct pl_reader *r)
{
    pl_reader_outline(r);
    r->passing.wanted = true;
}

/* ---- state of the reader ------------------------------------------------------ */

const struct pl_session *pl_reader_session(const struct pl_reader *r)
{
    return &r->meta;
}

bool pl_reader_has_session(const struct pl_reader *r)
{
    return r->has_meta;
}

const struct pl_titles *pl_reader_titles(const struct pl_reader *r)
{
    return r->titles;
}

const struct pl_identity_set *pl_reader_identities(const struct pl_reader *r)
{
    return r->identities;
}

uint64_t pl_reader_size(const struct pl_reader *r)
{
    return r->foreign ? r->foreign->size(r->foreign_ctx) : r->scan.size;
}

uint64_t pl_reader_position(const struct pl_reader *r)
{
    return r->foreign ? r->foreign->position(r->foreign_ctx) : r->scan.at;
}

bool pl_reader_is_live(struct pl_reader *r)
{
    return !r->foreign && pl_file_is_locked(r->scan.file);
}

const struct pl_foreign *pl_reader_foreign(const struct pl_reader *r)
{
    return r->foreign;
}

uint64_t pl_reader_duplicates(const struct pl_reader *r)
{
    return r->duplicates;
}
