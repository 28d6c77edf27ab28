/* Gathers the facts of a report. */
#include "analyze/report/facts.h"

#include "analyze/report/chart_axis.h"
#include "analyze/inspect/damage_summary.h"
#include "analyze/inspect/publisher_note.h"
#include "analyze/replay/replay.h"
#include "analyze/replay/sample_view.h"
#include "format/base/array.h"
#include "format/base/utf.h"

#include <stdlib.h>
#include <string.h>

/*
 * How many of the last marks are tried for joining a new one: there are few
 * kinds.
 */
enum { LOOK_BACK = 32 };

/* State while a host log is read. */
struct gathering {
    struct pl_facts *facts;
    const struct pl_host_log *log;
    struct pl_damage_summary losses;
    uint64_t session; /* 0: none yet */
    uint8_t boot_id[PL_BOOT_ID_LEN];
    bool has_sample, off; /* a sample was read; since then another run began */
    uint32_t off_cause;
    bool reported;   /* since that sample a record reported missing ones */
    int64_t last_ns; /* its row time */
    bool oom;
};

void pl_facts_release(struct pl_facts *f)
{
    free(f->host);
    free(f->os);
    free(f->architecture);
    free(f->tool);
    free(f->process_path);
    for (size_t i = 0; i < f->num_marks; i++)
        free(f->marks[i].text);
    free(f->marks);
    *f = (struct pl_facts){ 0 };
}

static void keep_text(struct gathering *g, char **to, struct pl_text t)
{
    struct pl_buf b = { 0 };

    pl_utf8_visible(&b, t.p, t.n);
    pl_buf_u8(&b, 0);
    if (b.oom) {
        g->oom = true;
        pl_buf_release(&b);
    }
    free(*to);
    *to = (char *)b.p;
}

/* ---- marks --------------------------------------------------------------- */

/* The last mark of its kind, if this one is close enough to join it. */
static struct pl_chart_mark *neighbour(const struct pl_facts *f,
                                       const struct pl_chart_mark *m)
{
    size_t end = f->num_marks > LOOK_BACK ? f->num_marks - LOOK_BACK : 0;

    for (size_t i = f->num_marks; i-- > end;) {
        struct pl_chart_mark *o = &f->marks[i];

        if (o->kind != m->kind || o->cause != m->cause)
            continue;
        if (m->kind == PL_MARK_NOTE || m->from_ns < o->from_ns ||
            (m->from_ns > o->to_ns &&
             (uint64_t)m->from_ns - (uint64_t)o->to_ns > f->near_ns))
            return NULL;
        return o;
    }
    return NULL;
}

/*
 * Notes of a program that restarts often become one, with the last text; but
 * none takes the place of one that says what a limit left out.
 */
static struct pl_chart_mark *find_note(const struct pl_facts *f, uint32_t kind,
                                       struct pl_text text)
{
    struct pl_publisher_note n;
    bool folds = pl_publisher_note_parse(&n, text);

    for (size_t i = 0; folds && i < f->num_marks; i++)
        if (f->marks[i].kind == PL_MARK_NOTE && f->marks[i].cause == kind &&
            f->marks[i].text &&
            pl_publisher_note_same(pl_text_of(f->marks[i].text), text))
            return &f->marks[i];
    return NULL;
}

/* The most important marks have the least; of notes those of limits. */
static int weight(const struct pl_chart_mark *m)
{
    return 2 * (int)m->kind +
           (m->kind == PL_MARK_NOTE && m->cause != PL_NOTE_LEFT_OUT);
}

/* The last of the least important notes makes room for 'm', if that is more. */
static bool drop_note(struct pl_facts *f, const struct pl_chart_mark *m)
{
    size_t least = 0;

    for (size_t i = 1; i < f->num_marks; i++)
        if (weight(&f->marks[i]) >= weight(&f->marks[least]))
            least = i;
    if (f->marks[least].kind != PL_MARK_NOTE ||
        weight(&f->marks[least]) <= weight(m))
        return false;
    free(f->marks[least].text);
    f->num_marks--;
    memmove(&f->marks[least], &f->marks[least + 1],
            (f->num_marks - least) * sizeof *f->marks);
    return true;
}

/* NULL: it is outside this report, or was joined to another one. */
static struct pl_chart_mark *add_mark(struct gathering *g,
                                      struct pl_chart_mark m)
{
    struct pl_facts *f = g->facts;
    struct pl_chart_mark *near;

    if (m.to_ns < m.from_ns)
        m.to_ns = m.from_ns;
    if (m.to_ns <= f->window.from_ns && f->window.has_from)
        return NULL;
    if (f->window.has_to &&
        (m.from_ns > f->window.to_ns ||
         (m.from_ns == f->window.to_ns && m.to_ns > m.from_ns)))
        return NULL;
    m.times = 1;
    near = neighbour(f, &m);
    if (near) {
        near->to_ns = m.to_ns > near->to_ns ? m.to_ns : near->to_ns;
        near->samples += m.samples;
        near->times++;
        return NULL;
    }
    if (f->num_marks == PL_MARKS_MOST) {
        f->marks_left_out++;
        if (!drop_note(f, &m))
            return NULL;
    }
    if (!pl_array_grow((void **)&f->marks, &f->cap_marks, f->num_marks,
                       sizeof *f->marks)) {
        g->oom = true;
        return NULL;
    }
    f->marks[f->num_marks] = m;
    return &f->marks[f->num_marks++];
}

static void add_gaps(struct gathering *g, const struct pl_gaps *gaps)
{
    bool damaged = gaps->cause == PL_GAP_DAMAGED;

    add_mark(g, (struct pl_chart_mark){ .kind = damaged ? PL_MARK_DAMAGED
                                                        : PL_MARK_MISSING,
                                        .cause = pl_gap_shown_cause(gaps),
                                        .from_ns = gaps->utc_first,
                                        .to_ns = gaps->utc_last,
                                        .samples = gaps->count });
}

static void add_note(struct gathering *g, const struct pl_item *item)
{
    bool step = item->note.kind == PL_NOTE_CLOCK_STEP;
    struct pl_chart_mark *m =
        step ? NULL : find_note(g->facts, item->note.kind, item->note.text);

    if (m) {
        m->times++;
        m->to_ns = item->record.utc_ns;
    } else {
        m = add_mark(g, (struct pl_chart_mark){ .kind = step ? PL_MARK_STEP
                                                             : PL_MARK_NOTE,
                                                .cause = item->note.kind,
                                                .from_ns = item->record.utc_ns,
                                                .to_ns = item->record.utc_ns });
    }
    if (m)
        keep_text(g, &m->text, item->note.text);
}

/*
 * Add a mark from the good sample before a loss to the one after it; where there
 * is only one of both it is all that is known of the time.
 */
static void add_loss(struct gathering *g, const struct pl_damage *l)
{
    uint64_t interval_ns = g->facts->tally.interval_ns;
    int64_t from_ns = pl_row_time(l->from_ns, interval_ns);
    int64_t to_ns = pl_row_time(l->to_ns, interval_ns);

    if (!l->has_from && !l->has_to)
        return;
    add_mark(g, (struct pl_chart_mark){
                    .kind = l->damaged ? PL_MARK_DAMAGED : PL_MARK_MISSING,
                    .cause = l->damaged ? 0 : PL_GAP_NOT_HERE,
                    .from_ns = l->has_from ? from_ns : to_ns,
                    .to_ns = l->has_to ? to_ns : from_ns,
                    .from_unknown = !l->has_from,
                    .samples = l->samples });
}

/* ---- items --------------------------------------------------------------- */

/* Of a file joined of several, the facts are those of its first host. */
static void keep_session(struct gathering *g, const struct pl_session *s)
{
    struct pl_facts *f = g->facts;

    if (f->host && !pl_text_equal(s->host, pl_text_of(g->log->host)))
        return;
    keep_text(g, &f->host, s->host);
    keep_text(g, &f->os, s->os);
    keep_text(g, &f->architecture, s->architecture);
    keep_text(g, &f->tool, s->tool);
    keep_text(g, &f->process_path, s->process_path);
    f->num_cpus = s->num_cpus;
}

static void begin_session(struct gathering *g, uint64_t id,
                          const struct pl_session *s, bool ended)
{
    struct pl_facts *f = g->facts;
    bool rebooted = pl_is_reboot(g->boot_id, s->boot_id);

    keep_session(g, s);
    memcpy(g->boot_id, s->boot_id, sizeof g->boot_id);
    if (g->session && id != g->session) {
        f->reboots += rebooted;
        g->off = g->has_sample;
        g->off_cause =
            (rebooted ? PL_OFF_REBOOTED : 0) | (ended ? 0 : PL_OFF_NOT_ENDED);
    }
    g->session = id;
}

/* Recorders of other programs may not report missed samples. */
static void look_for_silence(struct gathering *g, int64_t now)
{
    uint64_t interval_ns = g->facts->tally.interval_ns;
    uint64_t ns = (uint64_t)now - (uint64_t)g->last_ns;

    if (g->off || g->reported || !g->has_sample || !interval_ns ||
        now < g->last_ns || ns / PL_AXIS_GAP <= interval_ns)
        return;
    add_mark(g, (struct pl_chart_mark){ .kind = PL_MARK_MISSING,
                                        .from_ns = g->last_ns,
                                        .to_ns = now,
                                        .samples = ns / interval_ns - 1 });
}

static void take_sample(struct gathering *g, int64_t utc_ns)
{
    int64_t now = pl_row_time(utc_ns, g->facts->tally.interval_ns);

    look_for_silence(g, now);

    if (g->off)
        add_mark(g, (struct pl_chart_mark){ .kind = PL_MARK_OFF,
                                            .cause = g->off_cause,
                                            .from_ns = g->last_ns,
                                            .to_ns = now });
    g->off = g->reported = false;
    g->has_sample = true;
    g->last_ns = now;
}

static void take_item(struct gathering *g, const struct pl_reader *r,
                      const struct pl_item *item)
{
    struct pl_log_counts *tally = &g->facts->tally;
    bool ended = tally->ended;
    struct pl_damage loss;

    pl_log_counts_add(tally, r, item);
    if (pl_damage_summary_take(&g->losses, item, tally->interval_ns, &loss))
        add_loss(g, &loss);
    g->reported |=
        item->kind != PL_ITEM_SAMPLE && item->kind != PL_ITEM_OTHER &&
        item->kind != PL_ITEM_TITLES && item->kind != PL_ITEM_IDENTITIES;
    switch (item->kind) {
    case PL_ITEM_SESSION:
        begin_session(g, item->record.session, pl_reader_session(r), ended);
        break;
    case PL_ITEM_SAMPLE:
        take_sample(g, item->record.utc_ns);
        break;
    case PL_ITEM_GAPS:
        add_gaps(g, &item->gaps);
        break;
    case PL_ITEM_NOTE:
        add_note(g, item);
        break;
    default:
        break;
    }
}

/* The most important first, then by time. */
static int compare_marks(const void *one, const void *other)
{
    const struct pl_chart_mark *a = one, *b = other;

    if (weight(a) != weight(b))
        return weight(a) < weight(b) ? -1 : 1;
    return a->from_ns < b->from_ns ? -1 : a->from_ns > b->from_ns;
}

enum pl_status pl_facts_gather(struct pl_facts *f,
                               const struct pl_host_log *log,
                               struct pl_progress *progress)
{
    struct gathering g = { .facts = f, .log = log };
    struct pl_host_log_reader r;
    struct pl_item item;
    struct pl_damage loss;
    enum pl_status s = pl_host_log_start(&r, log, NULL);

    if (!s)
        pl_reader_outline(r.reader);
    while (!s && !(s = pl_host_log_next(&r, &item))) {
        take_item(&g, r.reader, &item);
        if (progress->on)
            pl_progress_at(progress,
                           r.bytes_before + pl_reader_position(r.reader));
    }
    if (s == PL_END) {
        if (pl_damage_summary_end(&g.losses, f->tally.interval_ns, &loss))
            add_loss(&g, &loss);
        f->bytes = r.bytes_before + pl_reader_position(r.reader);
        f->live = pl_reader_is_live(r.reader);
        if (f->num_marks)
            qsort(f->marks, f->num_marks, sizeof *f->marks, compare_marks);
        s = g.oom ? PL_NOMEM : PL_OK;
    }
    pl_host_log_stop(&r);
    return s;
}

/* ---- results ------------------------------------------------------------- */

const char *pl_chart_mark_text(const struct pl_chart_mark *m)
{
    static const char *const off[] = {
        [0] = "the recorder was not running",
        [PL_OFF_REBOOTED] = "the machine was restarted",
        [PL_OFF_NOT_ENDED] = "the recorder had been killed",
        [PL_OFF_REBOOTED | PL_OFF_NOT_ENDED] =
            "the machine went down and was restarted",
    };

    switch (m->kind) {
    case PL_MARK_DAMAGED:
        return m->cause ? pl_gap_cause_text(m->cause) : "bytes of the log";
    case PL_MARK_MISSING:
        return pl_gap_cause_text(m->cause);
    case PL_MARK_OFF:
        return off[m->cause];
    default:
        return m->text ? m->text : "";
    }
}
