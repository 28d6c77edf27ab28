/* Between sampling and writing: nothing is delayed by a slow disk, nothing
 * is lost silently, and everything comes in order. */
#include "logger/record/write_queue.h"

#include "format/time/time_text.h"
#include "format/block/winperf.h"
#include "format/payload/process_identity.h"
#include "format/record/record.h"
#include "tests/support/faults.h"
#include "tests/support/logs.h"
#include "tests/support/support.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NUM(table) (sizeof(table) / sizeof *(table))
#define SECOND PL_NS_PER_SEC

/* ---- tools --------------------------------------------------------------- */

enum { RING = 256 }; /* blocks, if they are small */
/* Disks that hang do so until they are told not to, which is longer than the
 * busiest machine takes for what waits for no disk. */
enum { NOT_DELAYED_MS = 60000, PATIENCE_MS = 300000 };

static int64_t now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static struct pl_write_queue *start(const char *path, uint64_t sync_ns)
{
    struct pl_writer_options options = { .sync_ns = sync_ns };
    struct pl_writer *w = log_open(path, &options);
    struct pl_write_queue *s;

    ck_assert_int_eq(pl_write_queue_start(&s, w, NULL), PL_OK);
    return s;
}

static struct pl_write_queue_report stop(struct pl_write_queue *s)
{
    struct pl_write_queue_report final;

    pl_write_queue_stop(s, PL_END_ASKED, &final);
    return final;
}

/* Give one sample if there is room for it; it must not take long. */
static bool give(struct pl_write_queue *s, struct log *l, struct machine *m)
{
    int64_t begin = now_ms();
    struct pl_buf *slot = pl_write_queue_slot(s);
    struct pl_sample_stamp stamp;

    machine_run(m, SECOND);
    if (slot) {
        stamp = (struct pl_sample_stamp){ m->utc_ns, m->boot_ns, 0 };
        machine_block(m, slot);
        log_keep(l, &stamp, slot);
        ck_assert_int_eq(pl_write_queue_push(s, &stamp, NULL), PL_OK);
    }
    ck_assert_int_lt(now_ms() - begin, NOT_DELAYED_MS);
    return slot != NULL;
}

/* The same, however long it takes. */
static void give_patiently(struct pl_write_queue *s, struct log *l,
                           struct machine *m)
{
    int64_t begin = now_ms();

    while (!pl_write_queue_slot(s)) {
        ck_assert_int_lt(now_ms() - begin, PATIENCE_MS);
        usleep(100);
    }
    ck_assert(give(s, l, m));
}

/* All of the truth, in its order, and no alarms. */
static void check_log(const char *path, struct log *l, struct reading *g)
{
    log_load(l, path);
    ck_assert_int_eq(read_whole(path, l, g), PL_END);
    ck_assert_uint_eq(g->num_samples, l->num_samples);
    ck_assert_uint_eq(g->wrong + g->twice + reading_alarms(g), 0);
    for (size_t i = 1; i < l->num_samples; i++)
        ck_assert_uint_gt(l->samples[i].seq, l->samples[i - 1].seq);
}

static uint32_t gaps_of(const char *path, uint32_t cause)
{
    struct pl_reader *r;
    struct pl_item item;
    uint32_t sum = 0;

    ck_assert_int_eq(pl_reader_open(&r, path, NULL), PL_OK);
    while (!pl_reader_next(r, &item))
        if (item.kind == PL_ITEM_GAPS && item.gaps.cause == cause)
            sum += item.gaps.count;
    pl_reader_close(r);
    return sum;
}

/* ---- tests ----------------------------------------------------------------- */

START_TEST(everything_arrives_in_order)
{
    const char *path = path_in(temp_dir(), "log");
    struct pl_write_queue *s = start(path, PL_SYNC_NEVER);
    struct pl_write_queue_report final;
    struct reading g = { 0 };
    struct log l = { 0 };
    struct machine m;

    machine_start(&m, 1, 20);
    m.churn = 2;
    for (int i = 0; i < 500; i++)
        give_patiently(s, &l, &m);
    final = stop(s);
    ck_assert_int_eq(final.last, PL_OK);
    ck_assert_uint_eq(final.stats.samples, 500);
    check_log(path, &l, &g);
    ck_assert_uint_eq(g.kinds[PL_ITEM_ENDS], 1);
    machine_stop(&m);
    reading_release(&g);
    log_release(&l);
}
END_TEST

/* The disk hangs: the ring fills, the rest is lost and counted. */
START_TEST(a_hung_disk_never_stops_sampling)
{
    const char *path = path_in(temp_dir(), "log");
    struct pl_write_queue *s = start(path, PL_SYNC_EACH);
    struct pl_write_queue_report report;
    struct reading g = { 0 };
    struct log l = { 0 };
    struct machine m;
    uint32_t lost = 0, given = 0;

    machine_start(&m, 1, 20);
    for (int i = 0; i < 5; i++)
        give_patiently(s, &l, &m);
    do {
        usleep(100);
        pl_write_queue_report(s, &report);
    } while (report.stats.samples < 5);
    faults_hold_sync(true);
    for (int i = 0; i < RING + 42; i++) {
        struct pl_gaps gap = { .count = 1, .cause = PL_GAP_RING_FULL };

        if (give(s, &l, &m)) {
            given++;
            continue;
        }
        gap.utc_first = gap.utc_last = m.utc_ns;
        gap.boot_first = gap.boot_last = (uint64_t)m.boot_ns;
        pl_write_queue_missed(s, &gap);
        lost++;
        pl_write_queue_report(s, &report); /* does not wait either */
    }
    ck_assert_uint_eq(given, RING); /* the one that hangs included */
    ck_assert_uint_eq(lost, 42);
    faults_hold_sync(false);
    for (int i = 0; i < 5; i++)
        give_patiently(s, &l, &m);
    report = stop(s);
    ck_assert_uint_eq(report.stats.samples, 10 + given);
    ck_assert_uint_eq(report.stats.missed, lost);
    check_log(path, &l, &g);
    ck_assert_uint_eq(gaps_of(path, PL_GAP_RING_FULL), lost);
    ck_assert_uint_eq(g.kinds[PL_ITEM_GAPS], 1);
    printf("hung disk: %u waited, %u lost and reported\n", given, lost);
    machine_stop(&m);
    reading_release(&g);
    log_release(&l);
}
END_TEST

START_TEST(the_ring_holds_bytes_or_blocks_whichever_is_less)
{
    static const struct {
        size_t block_len;
        size_t most;
    } rows[] = {
        { 1000, RING },   { 16 << 10, RING },     { (16 << 10) + 8, RING - 1 },
        { 512 << 10, 8 }, { (512 << 10) + 8, 7 }, { 1 << 20, 4 },
        { 2 << 20, 2 },   { (2 << 20) + 8, 2 },   { 5 << 20, 2 },
    };
    char path[128];

    for (size_t i = 0; i < NUM(rows); i++) {
        struct pl_sample_stamp stamp = { 1, 1, 0 };
        struct pl_write_queue *s;
        size_t waiting = 0;

        snprintf(path, sizeof path, "%s/%zu", temp_dir(), i);
        s = start(path, PL_SYNC_EACH);
        faults_hold_sync(true);
        for (int k = 0; k < 2 * RING; k++) {
            struct pl_buf *slot = pl_write_queue_slot(s);

            if (!slot)
                break;
            pl_buf_clear(slot);
            ck_assert_ptr_nonnull(pl_buf_zeros(slot, rows[i].block_len));
            ck_assert_int_eq(pl_write_queue_push(s, &stamp, NULL), PL_OK);
            waiting++;
        }
        ck_assert_msg(waiting == rows[i].most, "%zu blocks of %zu", waiting,
                      rows[i].block_len);
        faults_hold_sync(false);
        ck_assert_uint_eq(stop(s).stats.samples, waiting);
    }
}
END_TEST

START_TEST(news_stand_before_the_sample_they_came_with)
{
    const char *path = path_in(temp_dir(), "log");
    struct pl_write_queue *s = start(path, PL_SYNC_NEVER);
    struct pl_gaps late = { .utc_first = 5,
                            .utc_last = 6,
                            .boot_first = 7,
                            .boot_last = 8,
                            .count = 2,
                            .cause = PL_GAP_LATE };
    const struct whole_record *gaps, *note;
    struct pl_gaps reported;
    struct pl_note step;
    struct log l = { 0 };
    struct machine m;

    machine_start(&m, 1, 3);
    give_patiently(s, &l, &m);
    pl_write_queue_missed(s, &late);
    late.utc_first = late.utc_last = 9;
    pl_write_queue_missed(s, &late);
    pl_write_queue_clock_step(s, m.utc_ns, m.boot_ns, 1500 * PL_NS_PER_MS);
    pl_write_queue_clock_step(s, m.utc_ns, m.boot_ns, -250 * PL_NS_PER_MS);
    give_patiently(s, &l, &m);
    give_patiently(s, &l, &m);
    stop(s);
    log_load(&l, path);
    gaps = log_find(&l, PL_GAPS, 0);
    note = log_find(&l, PL_NOTE, 0);
    ck_assert(gaps && note && !log_find(&l, PL_GAPS, 1) &&
              !log_find(&l, PL_NOTE, 1));
    ck_assert_uint_eq(note->at + note->len, l.samples[1].at);
    ck_assert_int_eq(pl_gaps_parse(&reported,
                                   l.bytes + gaps->at + PL_RECORD_LEN,
                                   gaps->record.stored_len),
                     PL_OK);
    ck_assert_uint_eq(reported.count, 4);
    ck_assert_int_eq(reported.utc_first, 5);
    ck_assert_int_eq(reported.utc_last, 9);
    ck_assert_int_eq(pl_note_parse(&step, l.bytes + note->at + PL_RECORD_LEN,
                                   note->record.stored_len),
                     PL_OK);
    ck_assert_uint_eq(step.kind, PL_NOTE_CLOCK_STEP);
    ck_assert(pl_text_equal(step.text,
                            pl_text_of("the wall clock jumped by +1250 ms")));
    machine_stop(&m);
    log_release(&l);
}
END_TEST

START_TEST(what_is_missed_after_the_last_sample_is_told_at_the_end)
{
    const char *path = path_in(temp_dir(), "log");
    struct pl_write_queue *s = start(path, PL_SYNC_NEVER);
    struct pl_gaps late = { .count = 3, .cause = PL_GAP_LATE };
    struct log l = { 0 };
    struct machine m;

    machine_start(&m, 1, 3);
    give_patiently(s, &l, &m);
    pl_write_queue_missed(s, &late);
    ck_assert_uint_eq(stop(s).stats.missed, 3);
    ck_assert_uint_eq(gaps_of(path, PL_GAP_LATE), 3);
    machine_stop(&m);
    log_release(&l);
}
END_TEST

START_TEST(titles_go_with_their_sample)
{
    const char *path = path_in(temp_dir(), "log");
    struct pl_write_queue *s = start(path, PL_SYNC_NEVER);
    struct pl_buf titles = { 0 };
    struct log l = { 0 };
    struct machine m;

    machine_start(&m, 1, 3);
    for (int i = 0; i < 6; i++) {
        struct pl_sample_stamp stamp;
        struct pl_buf *slot;

        while (!(slot = pl_write_queue_slot(s)))
            usleep(100);
        m.has_processor = i >= 3;
        machine_run(&m, SECOND);
        machine_block(&m, slot);
        machine_titles(&m, &titles);
        stamp = (struct pl_sample_stamp){ m.utc_ns, m.boot_ns, 0 };
        log_keep(&l, &stamp, slot);
        ck_assert_int_eq(pl_write_queue_push(s, &stamp, i % 3 ? NULL : &titles),
                         PL_OK);
    }
    stop(s);
    log_load(&l, path);
    for (size_t i = 0; i < 2; i++) {
        const struct whole_record *t = log_find(&l, PL_TITL, i);

        ck_assert_ptr_nonnull(t);
        ck_assert_uint_eq(t->at + t->len, l.samples[3 * i].at);
    }
    ck_assert_ptr_null(log_find(&l, PL_TITL, 2));
    pl_buf_release(&titles);
    machine_stop(&m);
    log_release(&l);
}
END_TEST

/* The writing thread sleeps then, so that faults may be changed. */
static void wait_until_written(struct pl_write_queue *s, uint64_t samples)
{
    struct pl_write_queue_report report;
    int64_t begin = now_ms();

    for (;;) {
        pl_write_queue_report(s, &report);
        if (report.stats.samples >= samples)
            return;
        ck_assert_int_lt(now_ms() - begin, PATIENCE_MS);
        usleep(100);
    }
}

START_TEST(titles_that_could_not_be_kept_are_handed_over_again)
{
    const struct fault f = { CALL_ALLOC, 1, 1, ENOMEM };
    const char *path = path_in(temp_dir(), "log");
    struct pl_write_queue *s = start(path, PL_SYNC_NEVER);
    struct pl_buf titles = { 0 };
    struct log l = { 0 };
    struct machine m;

    machine_start(&m, 1, 3);
    for (int i = 0; i < 4; i++) { /* 1 and 3 come with others; 1 fails */
        struct pl_sample_stamp stamp;
        struct pl_buf *slot = pl_write_queue_slot(s);
        enum pl_status status;

        ck_assert_ptr_nonnull(slot);
        machine_run(&m, SECOND);
        m.has_processor = i % 2;
        machine_titles(&m, &titles);
        machine_block(&m, slot);
        stamp = (struct pl_sample_stamp){ m.utc_ns, m.boot_ns, 0 };
        log_keep(&l, &stamp, slot);
        wait_until_written(s, (uint64_t)i);
        faults_set(&f, i == 1);
        faults_on();
        status = pl_write_queue_push(s, &stamp, &titles);
        faults_off();
        ck_assert_int_eq(status, i == 1 ? PL_NOMEM : PL_OK);
    }
    wait_until_written(s, 4);
    faults_set(NULL, 0);
    stop(s);
    log_load(&l, path);
    for (size_t i = 0; i < 2; i++) {
        const struct whole_record *t = log_find(&l, PL_TITL, i);

        ck_assert_ptr_nonnull(t);
        ck_assert_uint_eq(t->at + t->len, l.samples[3 * i].at);
    }
    ck_assert_ptr_null(log_find(&l, PL_TITL, 2)); /* the old ones stayed */
    pl_buf_release(&titles);
    machine_stop(&m);
    log_release(&l);
}
END_TEST

static void push_zeros(struct pl_write_queue *s, size_t len)
{
    const struct pl_sample_stamp stamp = { 1, 1, 0 };
    struct pl_buf *slot = pl_write_queue_slot(s);

    ck_assert_ptr_nonnull(slot);
    pl_buf_clear(slot);
    ck_assert_ptr_nonnull(pl_buf_zeros(slot, len));
    ck_assert_int_eq(pl_write_queue_push(s, &stamp, NULL), PL_OK);
}

START_TEST(small_blocks_wait_behind_a_large_one)
{
    struct pl_write_queue *s = start(path_in(temp_dir(), "log"), PL_SYNC_EACH);

    push_zeros(s, 2 << 20);
    wait_until_written(s, 1);
    push_zeros(s, 1000);
    wait_until_written(s, 2);
    faults_hold_sync(true);
    for (int i = 0; i < RING; i++)
        push_zeros(s, 1000);
    ck_assert_ptr_null(pl_write_queue_slot(s));
    faults_hold_sync(false);
    ck_assert_uint_eq(stop(s).stats.samples, 2 + RING);
}
END_TEST

/* The last of three that wait is large, each time in another slot. */
START_TEST(the_memory_of_slots_that_were_large_in_turn_is_given_back)
{
    enum { MOST = 4 << 20 };
    static const size_t sizes[] = { 1000, 1000, 1 << 20 };
    struct pl_write_queue *s = start(path_in(temp_dir(), "log"), PL_SYNC_EACH);
    const struct pl_buf *slots[10 * NUM(sizes)];
    size_t num = 0, held = 0;

    while (num < NUM(slots)) {
        wait_until_written(s, num);
        faults_hold_sync(true);
        for (size_t k = 0; k < NUM(sizes); k++) {
            slots[num++] = pl_write_queue_slot(s);
            push_zeros(s, sizes[k]);
        }
        faults_hold_sync(false);
    }
    wait_until_written(s, num);
    pl_write_queue_slot(s);
    for (size_t i = 0; i < num; i++)
        held += slots[i]->cap;
    ck_assert_uint_le(held, MOST);
    stop(s);
}
END_TEST

/* What waits needs memory, what is written gives it back. */
START_TEST(blocks_written_in_time_share_the_memory_of_two)
{
    struct pl_write_queue *s = start(path_in(temp_dir(), "log"), PL_SYNC_NEVER);
    const uint8_t *seen[3] = { NULL };
    struct log l = { 0 };
    struct machine m;
    size_t num = 0;

    machine_start(&m, 3, 3);
    for (uint64_t i = 0; i < 20; i++) {
        struct pl_buf *slot;
        size_t k = 0;

        wait_until_written(s, i);
        slot = pl_write_queue_slot(s);
        ck_assert_ptr_nonnull(slot);
        while (k < num && seen[k] != slot->p)
            k++;
        if (slot->p && k == num) {
            ck_assert_uint_lt(num, 2);
            seen[num++] = slot->p;
        }
        give_patiently(s, &l, &m);
    }
    stop(s);
    machine_stop(&m);
    log_release(&l);
}
END_TEST

/* Of the texts of new processes each slot would keep a buffer of its own. */
START_TEST(texts_written_in_time_share_the_memory_of_three)
{
    struct pl_write_queue *s = start(path_in(temp_dir(), "log"), PL_SYNC_NEVER);
    struct pl_buf texts = { 0 };
    struct log l = { 0 };
    struct machine m;
    size_t made = 0;

    machine_start(&m, 3, 3);
    for (uint64_t i = 0; i < 20; i++) {
        wait_until_written(s, i);
        ck_assert_ptr_nonnull(pl_write_queue_slot(s));
        made += !texts.p;
        ck_assert_ptr_nonnull(pl_buf_zeros(&texts, 1000));
        pl_write_queue_identities(s, &texts);
        give_patiently(s, &l, &m);
    }
    ck_assert_uint_le(made, 3);
    stop(s);
    pl_buf_release(&texts);
    machine_stop(&m);
    log_release(&l);
}
END_TEST

/* The n-th sample, of two processes, one of which is identified with it unless
 * 'pid' is 0; there is no memory at first if 'failing'. */
static void give_identified(struct pl_write_queue *s, uint64_t n, uint64_t pid,
                            const char *executable, bool failing)
{
    const struct fault f = { CALL_ALLOC, 1, 1, ENOMEM };
    static const struct pl_block_stamp no_stamp = { 0 };
    static const struct pl_counter_def defs[] = {
        { .title_index = PL_TITLE_PID, .size = 4, .offset = 8 },
        { .title_index = PL_TITLE_STARTED, .size = 8, .offset = 16 },
    };
    const struct pl_object o = { .title_index = PL_TITLE_PROCESS };
    const struct pl_process_identity p = {
        .pid = pid, .start = 7, .executable = pl_text_of(executable)
    };
    struct pl_sample_stamp stamp = { .utc_ns = (int64_t)n * SECOND,
                                     .boot_ns = (int64_t)n * SECOND };
    struct pl_buf *b = pl_write_queue_slot(s), texts = { 0 };
    size_t block, object;

    ck_assert_ptr_nonnull(b);
    pl_buf_clear(b);
    block = pl_put_block(b, &no_stamp, NULL, 0);
    object = pl_put_object(b, &o);
    pl_put_counter(b, &defs[0]);
    pl_put_counter(b, &defs[1]);
    pl_put_definitions_close(b, object, 2);
    for (uint32_t i = 1; i <= 2; i++) {
        uint8_t *v;

        pl_put_instance_called(b, 0, 0, -1, pl_text_of("x"));
        v = pl_put_counter_block(b, 24);
        pl_put_le32(v + 8, i);
        pl_put_le64(v + 16, 7);
    }
    pl_put_object_close(b, object, 2);
    pl_put_block_close(b, block, 1, PL_TITLE_PROCESS);
    if (pid) {
        pl_process_identity_write(&p, &texts);
        pl_write_queue_identities(s, &texts);
    }
    faults_set(&f, failing);
    faults_on();
    ck_assert_int_eq(pl_write_queue_push(s, &stamp, NULL), PL_OK);
    wait_until_written(s, n);
    faults_off();
    ck_assert_uint_eq(faults_hit(), failing);
    pl_buf_release(&texts);
}

static void check_executable(const struct pl_identity_set *all, uint64_t pid,
                             const char *executable)
{
    struct pl_process_identity p;
    uint64_t version;

    ck_assert(pl_identity_set_find(all, pid, 7, &p, &version));
    ck_assert(pl_text_equal(p.executable, pl_text_of(executable)));
}

/* Else it would never be known: processes are identified once.  Later texts of a
 * process come after earlier ones that wait. */
START_TEST(what_identifies_a_process_waits_for_memory)
{
    const char *path = path_in(temp_dir(), "log");
    struct pl_write_queue *s = start(path, PL_SYNC_NEVER);
    struct pl_reader *r;
    struct pl_item item;

    give_identified(s, 1, 1, "/bin/one", false);
    give_identified(s, 2, 2, "/bin/two", true);
    give_identified(s, 3, 2, "/bin/other", true);
    give_identified(s, 4, 0, "", false);
    ck_assert_uint_eq(stop(s).stats.samples, 4);
    ck_assert_int_eq(pl_reader_open(&r, path, NULL), PL_OK);
    while (!pl_reader_next(r, &item))
        ;
    check_executable(pl_reader_identities(r), 1, "/bin/one");
    check_executable(pl_reader_identities(r), 2, "/bin/other");
    pl_reader_close(r);
}
END_TEST

START_TEST(a_new_segment_begins_before_the_next_sample)
{
    struct pl_writer_options options = { .sync_ns = PL_SYNC_NEVER,
                                         .max_size = 1 << 20 };
    struct pl_writer *w = log_open(path_in(temp_dir(), "log.plog"), &options);
    struct pl_write_queue_report final;
    struct log l = { 0 };
    struct pl_write_queue *s;
    struct machine m;

    machine_start(&m, 1, 3);
    ck_assert_int_eq(pl_write_queue_start(&s, w, NULL), PL_OK);
    give_patiently(s, &l, &m);
    pl_write_queue_rotate(s);
    give_patiently(s, &l, &m);
    give_patiently(s, &l, &m);
    pl_write_queue_rotate(s); /* no sample comes: no segment */
    final = stop(s);
    ck_assert_uint_eq(final.stats.segments, 2);
    ck_assert_uint_eq(final.stats.samples, 3);
    machine_stop(&m);
    log_release(&l);
}
END_TEST

START_TEST(trouble_is_reported_and_goes_away)
{
    const struct fault f = { CALL_WRITE, 1, 2, ENOSPC };
    const char *path = path_in(temp_dir(), "log");
    struct pl_write_queue *s = start(path, PL_SYNC_NEVER);
    struct pl_write_queue_report report;
    struct log l = { 0 };
    struct machine m;
    int64_t begin;

    machine_start(&m, 1, 3);
    faults_set(&f, 1);
    faults_on();
    for (int i = 0; i < 3; i++) {
        give_patiently(s, &l, &m);
        begin = now_ms();
        do {
            ck_assert_int_lt(now_ms() - begin, PATIENCE_MS);
            usleep(100);
            pl_write_queue_report(s, &report);
        } while (report.stats.samples + report.stats.not_written <
                 (uint64_t)i + 1);
        ck_assert_int_eq(report.last, i < 2 ? PL_IO : PL_OK);
        ck_assert(i == 2 || report.error == ENOSPC);
    }
    faults_off();
    report = stop(s);
    ck_assert_uint_eq(report.stats.samples, 1);
    ck_assert_uint_eq(report.stats.not_written, 2);
    ck_assert_int_eq(report.last, PL_OK);
    ck_assert_uint_eq(gaps_of(path, PL_GAP_DISK_FULL), 2);
    machine_stop(&m);
    log_release(&l);
}
END_TEST

START_TEST(an_end_that_cannot_be_written_is_reported)
{
    const struct fault f = { CALL_WRITE, 1, UINT32_MAX, EIO };
    const char *path = path_in(temp_dir(), "log");
    struct pl_write_queue *s = start(path, PL_SYNC_NEVER);
    struct pl_write_queue_report report;

    faults_set(&f, 1);
    faults_on();
    report = stop(s);
    faults_off();
    ck_assert_int_eq(report.last, PL_IO);
    ck_assert_int_eq(report.error, EIO);
}
END_TEST

START_TEST(without_memory_nothing_is_started)
{
    const struct fault f = { CALL_ALLOC, 1, 1, ENOMEM };
    const char *path = path_in(temp_dir(), "log");
    struct pl_writer *w = log_open(path, &log_options);
    struct pl_write_queue *s;

    faults_set(&f, 1);
    faults_on();
    ck_assert_int_eq(pl_write_queue_start(&s, w, NULL), PL_NOMEM);
    faults_off();
    ck_assert_int_eq(pl_writer_close(w, PL_END_ERROR, NULL), PL_OK);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("spool");

    tcase_add_test(t, everything_arrives_in_order);
    tcase_add_test(t, a_hung_disk_never_stops_sampling);
    tcase_add_test(t, the_ring_holds_bytes_or_blocks_whichever_is_less);
    tcase_add_test(t, small_blocks_wait_behind_a_large_one);
    tcase_add_test(t,
                   the_memory_of_slots_that_were_large_in_turn_is_given_back);
    tcase_add_test(t, news_stand_before_the_sample_they_came_with);
    tcase_add_test(t, what_is_missed_after_the_last_sample_is_told_at_the_end);
    tcase_add_test(t, titles_go_with_their_sample);
    tcase_add_test(t, titles_that_could_not_be_kept_are_handed_over_again);
    tcase_add_test(t, blocks_written_in_time_share_the_memory_of_two);
    tcase_add_test(t, texts_written_in_time_share_the_memory_of_three);
    tcase_add_test(t, what_identifies_a_process_waits_for_memory);
    tcase_add_test(t, a_new_segment_begins_before_the_next_sample);
    tcase_add_test(t, trouble_is_reported_and_goes_away);
    tcase_add_test(t, an_end_that_cannot_be_written_is_reported);
    tcase_add_test(t, without_memory_nothing_is_started);
    return run_suite("spool", (TCase *[]){ t, NULL });
}
