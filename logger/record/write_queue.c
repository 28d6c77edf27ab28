/* The ring of samples and the thread that writes them. */
#include "logger/record/write_queue.h"

#include "format/threads/thread.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* At 10 ms, the shortest interval, 2.5 seconds. */
enum { NUM_SLOTS = 256, MIN_SLOTS = 2, RING_BYTES = 4 << 20 };
enum { MAX_NOTES = 4, NOTE_TEXT = 192 };
enum { MAX_UNKEPT = 64 };

struct note {
    enum pl_note_kind kind;
    int64_t utc_ns, boot_ns;
    char text[NOTE_TEXT];
};

struct news {
    struct pl_gaps gaps[PL_NUM_SHOWN_CAUSES]; /* count 0: none */
    int64_t step_ns;                          /* 0: none */
    int64_t step_utc, step_boot;
    bool rotate;
    unsigned num_notes;
    struct note notes[MAX_NOTES];
};

struct slot {
    struct pl_buf block;
    struct pl_sample_stamp stamp;
    struct pl_buf titles;
    struct pl_buf identities; /* empty: none */
    bool has_titles;
    bool has_news;
};

struct pl_write_queue {
    struct pl_writer *writer; /* used by the writing thread only, */
    struct pl_packer *packer; /* as is this; NULL: none */
    /* Identities for which the writer had no memory yet; as is the number. */
    struct pl_buf unkept[MAX_UNKEPT];
    size_t num_unkept;
    struct pl_thread *thread; /* its lock guards the last members */
    struct slot slots[NUM_SLOTS];
    struct news slot_news[NUM_SLOTS]; /* apart: large and rarely used */
    struct news news; /* for the next sample; the sampling thread's */
    bool has_news;
    size_t head;      /* slot being filled; the sampling thread's */
    size_t previous;  /* bytes of the block before; the sampling thread's */
    bool had_waiting; /* slots besides the first two were used; likewise */

    /* Guarded by the thread's lock. */
    size_t num_filled;  /* slots not yet written */
    size_t num_waiting; /* bytes of their blocks */
    bool stopping;
    struct pl_write_queue_report report;
};

/* ---- the writing thread -------------------------------------------------- */

static void report_news(struct pl_writer *w, const struct news *n)
{
    char text[96];

    for (uint32_t cause = 1; cause < PL_NUM_SHOWN_CAUSES; cause++)
        pl_writer_missed(w, &n->gaps[cause]);
    if (n->step_ns) {
        snprintf(text, sizeof text, "the wall clock jumped by %+" PRId64 " ms",
                 n->step_ns / 1000000);
        pl_writer_note(w, PL_NOTE_CLOCK_STEP, n->step_utc, n->step_boot, text);
    }
    for (unsigned i = 0; i < n->num_notes; i++)
        pl_writer_note(w, n->notes[i].kind, n->notes[i].utc_ns,
                       n->notes[i].boot_ns, n->notes[i].text);
    if (n->rotate)
        pl_writer_rotate(w);
}

static void forget_first_unkept(struct pl_write_queue *s)
{
    pl_buf_release(&s->unkept[0]);
    s->num_unkept--;
    memmove(s->unkept, s->unkept + 1, s->num_unkept * sizeof *s->unkept);
    s->unkept[s->num_unkept] = (struct pl_buf){ 0 };
}

/*
 * Processes are identified once: for what there is no memory is tried again with
 * the next sample, in the order in which it came, as a process may be among it
 * twice.
 */
static void keep_identities(struct pl_write_queue *s, struct pl_buf *new)
{
    while (s->num_unkept &&
           pl_writer_identities(s->writer, &s->unkept[0]) != PL_NOMEM)
        forget_first_unkept(s);
    if (!new->len ||
        (!s->num_unkept && pl_writer_identities(s->writer, new) != PL_NOMEM))
        return;
    if (s->num_unkept == MAX_UNKEPT)
        forget_first_unkept(s);
    pl_buf_swap(&s->unkept[s->num_unkept++], new);
}

static enum pl_status write_slot(struct pl_write_queue *s, size_t i)
{
    struct slot *slot = &s->slots[i];

    if (slot->has_news)
        report_news(s->writer, &s->slot_news[i]);
    if (slot->has_titles)
        pl_writer_titles(s->writer, &slot->titles);
    keep_identities(s, &slot->identities);
    pl_buf_drop(&slot->identities);
    return pl_writer_sample(s->writer, &slot->stamp, &slot->block);
}

static void write_all(void *arg)
{
    struct pl_write_queue *s = arg;
    size_t tail = 0;

    pl_thread_lock(s->thread);
    for (;;) {
        const size_t written = tail;
        enum pl_status status;
        int error;

        while (!s->num_filled && !s->stopping)
            pl_thread_wait(s->thread);
        if (!s->num_filled)
            break;
        pl_thread_unlock(s->thread);
        status = write_slot(s, written);
        error = errno;
        if (s->packer)
            pl_packer_look(s->packer, pl_writer_stats(s->writer),
                           pl_writer_path(s->writer));
        tail = (written + 1) % NUM_SLOTS;
        pl_thread_lock(s->thread);
        s->num_filled--;
        s->num_waiting -= s->slots[written].block.len;
        s->report.stats = *pl_writer_stats(s->writer);
        s->report.last = status;
        s->report.error = error;
    }
    pl_thread_unlock(s->thread);
}

/* ---- the sampling thread ------------------------------------------------- */

enum pl_status pl_write_queue_start(struct pl_write_queue **out,
                                    struct pl_writer *w,
                                    struct pl_packer *packer)
{
    struct pl_write_queue *s = calloc(1, sizeof *s);
    enum pl_status status;

    if (!s)
        return PL_NOMEM;
    s->writer = w;
    s->packer = packer;
    s->report.stats = *pl_writer_stats(w);
    status = pl_thread_start(&s->thread, write_all, s);
    if (status) {
        free(s);
        return status;
    }
    *out = s;
    return PL_OK;
}

/* The next block is expected to be as large as the one before: a large block in
 * the past does not keep small ones out. */
static bool has_room(const struct pl_write_queue *s, size_t num_filled,
                     size_t num_waiting)
{
    if (num_filled < MIN_SLOTS)
        return true;
    return num_filled < NUM_SLOTS && num_waiting + s->previous <= RING_BYTES;
}

/*
 * The block written last is still in the processor's cache and has the size of
 * the next one: its memory is reused, so that the ring holds only as many
 * blocks as ever waited at the same time; and likewise what goes with them.
 */
static void reuse_memory(struct pl_write_queue *s, size_t num_filled)
{
    size_t last = (s->head + NUM_SLOTS - num_filled - 1) % NUM_SLOTS;
    struct slot *to = &s->slots[s->head], *from = &s->slots[last];

    if (to == from)
        return;
    pl_buf_swap(&to->block, &from->block);
    pl_buf_swap(&to->titles, &from->titles);
    pl_buf_swap(&to->identities, &from->identities);
}

static void release_slot(struct slot *slot)
{
    pl_buf_release(&slot->block);
    pl_buf_release(&slot->titles);
    pl_buf_release(&slot->identities);
}

/*
 * Each slot might once have held a large block.  Where nothing waits any more,
 * the memory of all is therefore given back, if it is more than the ring may
 * hold.
 */
static void give_back_memory(struct pl_write_queue *s)
{
    size_t held = 0;

    for (size_t i = 0; i < NUM_SLOTS; i++)
        held += s->slots[i].block.cap + s->slots[i].titles.cap +
                s->slots[i].identities.cap;
    for (size_t i = 0; i < NUM_SLOTS && held > RING_BYTES; i++)
        if (i != s->head)
            release_slot(&s->slots[i]);
    s->had_waiting = false;
}

struct pl_buf *pl_write_queue_slot(struct pl_write_queue *s)
{
    size_t num_filled, num_waiting;

    pl_thread_lock(s->thread);
    num_filled = s->num_filled;
    num_waiting = s->num_waiting;
    pl_thread_unlock(s->thread);
    if (num_filled < NUM_SLOTS)
        reuse_memory(s, num_filled);
    if (!num_filled && s->had_waiting)
        give_back_memory(s);
    s->had_waiting |= num_filled > 1;
    return has_room(s, num_filled, num_waiting) ? &s->slots[s->head].block
                                                : NULL;
}

enum pl_status pl_write_queue_push(struct pl_write_queue *s,
                                   const struct pl_sample_stamp *stamp,
                                   const struct pl_buf *titles)
{
    struct slot *slot = &s->slots[s->head];
    enum pl_status status = PL_OK;

    slot->stamp = *stamp;
    slot->has_news = s->has_news;
    if (s->has_news) {
        s->slot_news[s->head] = s->news;
        s->news = (struct news){ 0 };
        s->has_news = false;
    }
    slot->has_titles = titles != NULL;
    if (titles) {
        pl_buf_clear(&slot->titles);
        pl_buf_bytes(&slot->titles, titles->p, titles->len);
        slot->has_titles = !slot->titles.oom;
        status = slot->titles.oom ? PL_NOMEM : PL_OK;
    }
    s->previous = slot->block.len;
    s->head = (s->head + 1) % NUM_SLOTS;
    pl_thread_lock(s->thread);
    s->num_filled++;
    s->num_waiting += s->previous;
    pl_thread_unlock(s->thread);
    pl_thread_wake(s->thread); /* it need not wait for the lock then */
    return status;
}

void pl_write_queue_identities(struct pl_write_queue *s, struct pl_buf *payload)
{
    struct slot *slot = &s->slots[s->head];

    pl_buf_swap(&slot->identities, payload);
    pl_buf_clear(payload);
}

void pl_write_queue_missed(struct pl_write_queue *s, const struct pl_gaps *g)
{
    struct pl_gaps *sum = &s->news.gaps[pl_gap_shown_cause(g)];

    s->has_news = true;
    if (!sum->count) {
        *sum = *g;
        return;
    }
    sum->utc_last = g->utc_last;
    sum->boot_last = g->boot_last;
    sum->count += g->count;
}

void pl_write_queue_clock_step(struct pl_write_queue *s, int64_t utc_ns,
                               int64_t boot_ns, int64_t step_ns)
{
    s->has_news = true;
    s->news.step_utc = utc_ns;
    s->news.step_boot = boot_ns;
    s->news.step_ns += step_ns;
}

void pl_write_queue_note(struct pl_write_queue *s, enum pl_note_kind kind,
                         int64_t utc_ns, int64_t boot_ns, const char *text)
{
    struct note *n = &s->news.notes[s->news.num_notes];

    if (s->news.num_notes == MAX_NOTES)
        return;
    s->has_news = true;
    s->news.num_notes++;
    n->kind = kind;
    n->utc_ns = utc_ns;
    n->boot_ns = boot_ns;
    snprintf(n->text, sizeof n->text, "%s", text);
}

void pl_write_queue_rotate(struct pl_write_queue *s)
{
    s->has_news = true;
    s->news.rotate = true;
}

void pl_write_queue_report(struct pl_write_queue *s,
                           struct pl_write_queue_report *out)
{
    pl_thread_lock(s->thread);
    *out = s->report;
    pl_thread_unlock(s->thread);
}

void pl_write_queue_stop(struct pl_write_queue *s, enum pl_end_reason reason,
                         struct pl_write_queue_report *final)
{
    pl_thread_lock(s->thread);
    s->stopping = true;
    pl_thread_wake(s->thread);
    pl_thread_unlock(s->thread);
    pl_thread_join(s->thread);
    s->news.rotate = false;
    report_news(s->writer, &s->news);
    *final = s->report;
    final->stats = *pl_writer_stats(s->writer);
    final->last = pl_writer_close(s->writer, reason, &final->stats);
    final->error = errno;
    pl_packer_end(s->packer); /* the log does not wait for its last words */
    for (size_t i = 0; i < NUM_SLOTS; i++)
        release_slot(&s->slots[i]);
    for (size_t i = 0; i < s->num_unkept; i++)
        pl_buf_release(&s->unkept[i]);
    free(s);
}
