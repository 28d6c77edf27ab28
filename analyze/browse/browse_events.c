/* Going from event to event. */
#include "analyze/browse/browse_state.h"

#include "format/time/time_text.h"

/* ---- where an event is --------------------------------------------------- */

/* A peak of key samples is the mean since the one before: its worst sample. */
static int64_t place_of(struct pl_browse *b, const struct pl_event *event)
{
    struct pl_page_reader r;
    int64_t place = event->time_ns;
    float most = -1;

    if (event->kind != PL_EVENT_PEAK ||
        pl_page_reader_open(&r, b->page.log, NULL, b->plan.max_block))
        return place;
    for (enum pl_status s = pl_page_reader_at(&r, event->from_ns + 1);
         !s && r.time_ns <= event->time_ns; s = pl_page_reader_next(&r)) {
        float values[PL_PAGE_VITALS];

        pl_page_vitals_of(&r.moment, values);
        if (values[event->vital] > most) {
            most = values[event->vital];
            place = r.time_ns;
        }
    }
    pl_page_reader_close(&r);
    return place;
}

static void say_event(struct pl_browse *b, const struct pl_event *event)
{
    static const char *const kinds[] = {
        [PL_EVENT_DAMAGE] = "damage before this sample",
        [PL_EVENT_BEGINS] = "here a recording begins",
        [PL_EVENT_DAMAGED_END] =
            "damage after this sample: it is the last one that can be read",
        [PL_EVENT_NOTE] = "a note was recorded here, see 'perflog info'",
    };
    const struct pl_page_vital *v = &pl_page_vitals[event->vital];
    char text[PL_READABLE_TEXT], usual[PL_READABLE_TEXT],
        length[PL_DURATION_TEXT];

    if (event->kind == PL_EVENT_PEAK)
        pl_browse_say(b, "peak: %s %s, usually %s", v->name,
                      pl_readable((double)event->value, v->unit, text),
                      pl_readable((double)event->median, v->unit, usual));
    else if (event->kind == PL_EVENT_GAP)
        pl_browse_say(b, "gap: nothing was recorded for %s",
                      pl_duration_text((uint64_t)event->time_ns -
                                           (uint64_t)event->from_ns,
                                       length));
    else
        pl_browse_say(b, "%s", kinds[event->kind]);
}

/*
 * A minute between key samples, in which the current sample is, ends behind it;
 * its worst sample may be on either side.
 */
static const struct pl_event *find_event(struct pl_browse *b, int64_t *place)
{
    const int64_t now = b->page.time_ns;
    const bool is_at = b->at_event && b->at_event_ns == now;
    const struct pl_event *event = NULL;

    if (b->seeks < 0 && !is_at && now > INT64_MIN)
        event = pl_events_find(&b->events, now - 1, 1);
    if (event && event->from_ns < now && (*place = place_of(b, event)) < now)
        return event;
    event = pl_events_find(&b->events, is_at ? b->event_ns : now, b->seeks);
    if (event)
        *place = place_of(b, event);
    if (!event || b->seeks < 0 || *place > now)
        return event;
    event = pl_events_find(&b->events, event->time_ns, b->seeks);
    if (event)
        *place = place_of(b, event);
    return event;
}

/* Where a clock was set back, several samples may have its time. */
static enum pl_browse_news
go_to_sample(struct pl_browse *b, const struct pl_event *event, int64_t time_ns)
{
    enum pl_status s = PL_END;

    if (event->place.session)
        s = pl_page_reader_at_place(&b->page, event->time_ns, event->place);
    return s == PL_END ? pl_browse_go(b, time_ns)
                       : pl_browse_moved(b, s, "there is no such sample");
}

static enum pl_browse_news go_to(struct pl_browse *b)
{
    int64_t place = 0;
    const struct pl_event *event = find_event(b, &place);
    const bool back = b->seeks < 0;
    enum pl_browse_news news;

    b->seeks = 0;
    if (!event) {
        pl_browse_say(b, "no peak, gap or event %s",
                      back ? "comes before" : "follows");
        return PL_BROWSE_CHANGED;
    }
    b->follows = false;
    news = go_to_sample(b, event, place);
    /* The next one is after this event, wherever its worst sample is. */
    b->at_event = true;
    b->at_event_ns = b->page.time_ns;
    b->event_ns = event->time_ns;
    say_event(b, event);
    return news;
}

/* ---- keys and work ------------------------------------------------------- */

static uint64_t samples_of(const struct pl_browse *b)
{
    const uint64_t span = (uint64_t)b->last_ns - (uint64_t)b->first_ns;

    if (b->last_ns < b->first_ns) /* the clock was set back: not known */
        return 0;
    return b->page.interval_ns ? span / b->page.interval_ns : 0;
}

enum pl_browse_news pl_browse_event(struct pl_browse *b, int direction)
{
    b->seeks = direction;
    if (b->events.done)
        return go_to(b);
    if (!b->events.is_open &&
        pl_events_open(&b->events, b->page.log, b->plan.max_block, b->first_ns,
                       b->last_ns, samples_of(b)))
        return PL_BROWSE_FAILED;
    b->percent = -1;
    return pl_browse_search(b);
}

enum pl_browse_news pl_browse_search(struct pl_browse *b)
{
    enum pl_status s = pl_events_read(&b->events);
    const int percent = pl_events_percent(&b->events);

    if (s == PL_NOMEM)
        return PL_BROWSE_FAILED;
    if (s) {
        pl_browse_forget_events(b);
        pl_browse_say(b, "the log cannot be read to its end");
        return PL_BROWSE_CHANGED;
    }
    if (b->events.done)
        return go_to(b);
    if (percent == b->percent)
        return PL_BROWSE_SAME;
    b->percent = percent;
    pl_browse_say(b, "looking for peaks and gaps: %d %%; any key ends it",
                  percent);
    return PL_BROWSE_CHANGED;
}

void pl_browse_forget_events(struct pl_browse *b)
{
    if (b->events.is_open) /* which notes the damage it met */
        pl_page_reader_close(&b->events.reader);
    b->damaged |= b->events.reader.damaged;
    b->too_new |= b->events.reader.too_new;
    pl_events_close(&b->events);
    b->seeks = 0;
    b->at_event = false;
}
