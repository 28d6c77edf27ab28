/* Checks the names that an ends states against the samples before it. */
#include "analyze/inspect/names_check.h"

void pl_names_check_release(struct pl_names_check *c)
{
    pl_segment_names_free(c->names);
    *c = (struct pl_names_check){ 0 };
}

enum pl_status pl_names_check_begin(struct pl_names_check *c,
                                    const struct pl_reader *r)
{
    pl_names_check_release(c);
    return pl_reader_has_names(r) ? pl_segment_names_new(&c->names) : PL_OK;
}

static void take_session(struct pl_names_check *c, const struct pl_item *item)
{
    struct pl_session session;

    if (!item->payload ||
        pl_session_parse(&session, item->payload, item->record.stored_len) ||
        session.repeat)
        return;
    pl_segment_names_begin(c->names);
    c->segment_at = item->at;
    c->is_whole = true;
}

static enum pl_status compare(struct pl_names_check *c,
                              const struct pl_item *item)
{
    return pl_segment_names_compare(c->names, item->record.session,
                                    item->at - c->segment_at, item->payload,
                                    item->record.stored_len);
}

static enum pl_status take_record(struct pl_names_check *c,
                                  const struct pl_reader *r,
                                  const struct pl_item *item)
{
    switch (item->record.type) {
    case PL_SESS:
        take_session(c, item);
        return PL_OK;
    case PL_TITL:
        if (item->payload)
            pl_segment_names_titles(c->names, item->at - c->segment_at,
                                    pl_reader_titles(r));
        return PL_OK;
    case PL_ENDS:
        return c->is_whole ? compare(c, item) : PL_OK;
    default:
        return PL_OK;
    }
}

enum pl_status pl_names_check(struct pl_names_check *c,
                              const struct pl_reader *r,
                              const struct pl_item *item)
{
    if (!c->names)
        return PL_OK;
    switch (item->kind) {
    case PL_ITEM_SAMPLE:
        return c->is_whole ? pl_segment_names_add(c->names, item->block,
                                                  pl_reader_titles(r))
                           : PL_OK;
    case PL_ITEM_DAMAGED:
    case PL_ITEM_UNREACHABLE:
    case PL_ITEM_TOO_NEW:
    case PL_ITEM_HOLE:
        c->is_whole = false;
        return PL_OK;
    default:
        return take_record(c, r, item);
    }
}
