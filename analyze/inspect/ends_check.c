/* Checks what an ends states against the samples before it. */
#include "analyze/inspect/ends_check.h"

#include "format/payload/stated_counts.h"
#include "format/payload/stated_names.h"

void pl_ends_check_release(struct pl_ends_check *c)
{
    pl_segment_names_free(c->names);
    pl_segment_counts_release(&c->counts);
    *c = (struct pl_ends_check){ 0 };
}

enum pl_status pl_ends_check_begin(struct pl_ends_check *c,
                                   const struct pl_reader *r)
{
    pl_ends_check_release(c);
    return pl_reader_has_stated(r) ? pl_segment_names_new(&c->names) : PL_OK;
}

static void take_session(struct pl_ends_check *c, const struct pl_item *item)
{
    struct pl_session session;

    if (!item->payload ||
        pl_session_parse(&session, item->payload, item->record.stored_len) ||
        session.repeat)
        return;
    pl_segment_names_begin(c->names);
    pl_segment_counts_begin(&c->counts);
    c->segment_at = item->at;
    c->is_whole = true;
}

static void take_titles(struct pl_ends_check *c, const struct pl_reader *r,
                        const struct pl_item *item)
{
    if (!item->payload)
        return;
    pl_segment_names_titles(c->names, item->at - c->segment_at,
                            pl_reader_titles(r));
    pl_segment_counts_titles(&c->counts, pl_reader_titles(r));
}

static enum pl_status compare(struct pl_ends_check *c,
                              const struct pl_item *item, const char **why)
{
    uint64_t session = item->record.session, at = item->at - c->segment_at;
    size_t n = item->record.stored_len;
    enum pl_status s =
        pl_segment_names_compare(c->names, session, at, item->payload, n);

    *why = "names contradict the samples before them; list could miss some";
    if (s)
        return s;
    *why = "counts contradict the samples before them; info could be wrong";
    return pl_segment_counts_compare(&c->counts, session, at, item->payload, n);
}

static enum pl_status count_sample(struct pl_ends_check *c,
                                   const struct pl_reader *r,
                                   const struct pl_item *item)
{
    enum pl_status s =
        pl_segment_names_add(c->names, item->block, pl_reader_titles(r));

    return s ? s
             : pl_segment_counts_sample(&c->counts, &item->record, item->block,
                                        pl_reader_titles(r));
}

static enum pl_status take_record(struct pl_ends_check *c,
                                  const struct pl_reader *r,
                                  const struct pl_item *item, const char **why)
{
    switch (item->record.type) {
    case PL_SESS:
        take_session(c, item);
        return PL_OK;
    case PL_TITL:
        take_titles(c, r, item);
        return PL_OK;
    case PL_GAPS:
    case PL_NOTE:
        return pl_segment_counts_record(&c->counts, &item->record,
                                        item->payload, item->record.stored_len);
    case PL_ENDS:
        return c->is_whole ? compare(c, item, why) : PL_OK;
    default:
        return PL_OK;
    }
}

enum pl_status pl_ends_check(struct pl_ends_check *c, const struct pl_reader *r,
                             const struct pl_item *item, const char **why)
{
    if (!c->names)
        return PL_OK;
    switch (item->kind) {
    case PL_ITEM_SAMPLE:
        return c->is_whole ? count_sample(c, r, item) : PL_OK;
    case PL_ITEM_DAMAGED:
    case PL_ITEM_UNREACHABLE:
    case PL_ITEM_TOO_NEW:
    case PL_ITEM_HOLE:
        c->is_whole = false;
        return PL_OK;
    default:
        return take_record(c, r, item, why);
    }
}
