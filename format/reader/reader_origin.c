/*
 * Detects records of deleted logs, whose disk blocks a file may contain after a
 * power cut: FORMAT.md, section 11.3.
 */
#include "format/reader/reader_state.h"

enum { BLOCK = 4096 }; /* of most file systems */

static bool is_root(const struct pl_origin *o, uint64_t session)
{
    size_t num = o->num_roots < MAX_ROOTS ? o->num_roots : MAX_ROOTS;

    for (size_t i = 0; i < num; i++)
        if (o->roots[i] == session)
            return true;
    return false;
}

static bool descends_from_any(const struct pl_origin *o, uint64_t session)
{
    size_t num = o->num_roots < MAX_ROOTS ? o->num_roots : MAX_ROOTS;

    for (size_t i = 0; i < num; i++)
        if (pl_session_descends(session, o->roots[i]))
            return true;
    return false;
}

/*
 * True if a log that begins at 'begin' was rather left by a deleted file than
 * joined to this one: it begins with a disk block, behind bytes that are no
 * record, and was written before the records in front of it.
 */
static bool is_older_file(const struct pl_origin *o, uint64_t begin,
                          const struct pl_record *x)
{
    return begin % BLOCK == 0 && begin > o->good_end && x->utc_ns < o->good_utc;
}

/*
 * A SESS with root and place (tag 25).  One with an unknown root belongs here
 * only if its log was joined to this one, whole or without its first SESS: then
 * that log's beginning lies after all good records so far.
 */
static bool takes_session(struct pl_reader *r, const struct pl_stretch *at,
                          const struct pl_session *s)
{
    struct pl_origin *o = &r->origin;

    if (!is_root(o, s->root)) {
        if (o->num_roots && !pl_reader_has_met(r, s->root) &&
            (s->place > at->at || at->at - s->place < o->good_end ||
             is_older_file(o, at->at - s->place, &at->record))) {
            o->stray = at->record.session;
            return false;
        }
        o->roots[o->num_roots++ % MAX_ROOTS] = s->root;
    }
    if (o->stray == at->record.session)
        o->stray = 0; /* its log was joined as well */
    if (!s->repeat) {
        o->segment = at->record.session;
        o->segment_seq = at->record.seq;
    }
    return true;
}

/*
 * True for the second record of a session whose damaged SESS would have shown
 * that its log was joined to this one: blocks of another file begin at
 * multiples of BLOCK.
 */
static bool has_lost_session(const struct pl_origin *o,
                             const struct pl_stretch *at)
{
    return at->record.seq <= 1 && o->good_end &&
           (o->good_end - 1) / BLOCK == at->at / BLOCK;
}

/* Any other record. */
static bool takes_record(const struct pl_reader *r, const struct pl_stretch *at)
{
    const struct pl_origin *o = &r->origin;
    const struct pl_record *x = &at->record;

    if (x->session == o->stray ||
        (x->session == o->segment && x->seq < o->segment_seq))
        return false;
    return !o->num_roots || pl_reader_has_met(r, x->session) ||
           descends_from_any(o, x->session) || has_lost_session(o, at);
}

bool pl_reader_is_stray(struct pl_reader *r, const struct pl_stretch *at)
{
    const struct pl_record *x = &at->record;
    struct pl_session s;
    bool good = true;

    if (x->type != PL_SESS)
        good = takes_record(r, at);
    else if (x->codec == PL_CODEC_STORED &&
             !pl_session_parse(&s, at->payload, x->stored_len) && s.root)
        good = takes_session(r, at, &s);
    if (good) {
        r->origin.good_end = at->at + at->len;
        r->origin.good_utc = x->utc_ns;
    }
    return !good;
}
