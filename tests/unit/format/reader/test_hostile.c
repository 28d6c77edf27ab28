/* What hostile files and pipes cost a reader, and logs that grow under it. */
#include "tests/support/logs.h"

#include "format/time/time_text.h"
#include "format/record/record.h"
#include "tests/support/support.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECOND PL_NS_PER_SEC

enum { A = 0xA };

/* ---- bombs ------------------------------------------------------------------------------ */

enum { BOMB_BYTES = 8 << 20, BOMB_SECONDS = 3 };

enum bomb { NESTED, IMPLAUSIBLE, BEYOND, GROWING, HOLES, NUM_BOMBS };
static const char *const bomb_names[NUM_BOMBS] = {
    "nested payloads", "impossible lengths", "claims beyond the end",
    "claims that grow", "a hole before every record"
};

static struct pl_record bomb_record(enum bomb bomb, size_t at, uint32_t seq)
{
    struct pl_record r = {
        .type = PL_SMPL, .session = A, .seq = seq, .payload_hash = 1
    };
    size_t left = BOMB_BYTES - at;

    switch (bomb) {
    case NESTED:
        r.stored_len = (uint32_t)left / 2 & ~7u;
        break;
    case IMPLAUSIBLE:
        r.stored_len = 4096;
        break;
    case BEYOND:
        r.stored_len = PL_MAX_PAYLOAD;
        break;
    case GROWING:
        r.stored_len = (uint32_t)(at / 2 + left / 4) & ~7u;
        break;
    default:
        r.seq = 2 * seq;
        r.payload_hash = r.raw_hash = pl_hash(NULL, 0, A);
        break;
    }
    r.raw_len = r.stored_len + (bomb == IMPLAUSIBLE);
    return r;
}

/* Proven headers, 72 bytes after 72 bytes, that all promise too much. */
static void put_bomb(struct pl_buf *b, enum bomb bomb)
{
    uint32_t seq = 0;
    size_t at;

    craft_session(b, A, 0);
    at = b->len;
    ck_assert_ptr_nonnull(pl_buf_zeros(b, BOMB_BYTES - at));
    for (; at + PL_RECORD_LEN <= BOMB_BYTES; at += PL_RECORD_LEN) {
        struct pl_record r = bomb_record(bomb, at, ++seq);

        pl_record_put(&r, b->p + at);
    }
}

/* Returns the number of items. */
static size_t read_bomb(const char *path, bool follow)
{
    struct pl_reader_options options = { .follow = follow };
    struct pl_reader *r;
    struct pl_item item;
    size_t num = 0;
    double end = cpu_seconds() + BOMB_SECONDS;

    ck_assert_int_eq(pl_reader_open(&r, path, &options), PL_OK);
    for (; !pl_reader_next(r, &item); num++) {
        ck_assert(item.kind != PL_ITEM_SAMPLE || !item.block->len);
        ck_assert(num % 256 || cpu_seconds() < end);
    }
    pl_reader_close(r);
    ck_assert_double_lt(cpu_seconds(), end);
    return num;
}

START_TEST(a_hostile_file_costs_time_in_proportion_to_its_size)
{
    const char *path = path_in(temp_dir(), "bomb");
    struct pl_buf b = { 0 };

    put_bomb(&b, (enum bomb)_i);
    write_file(path, b.p, b.len);
    read_bomb(path, false);
    pl_buf_release(&b);
    printf("bomb: %s\n", bomb_names[_i]);
}
END_TEST

static void put_header(struct pl_buf *b, uint64_t session)
{
    struct pl_record r = bomb_record(BEYOND, 0, 0);

    r.session = session;
    pl_record_put(&r, pl_buf_zeros(b, PL_RECORD_LEN));
}

/*
 * Headers that claim more than there is, of sessions in turn, then the first
 * records of runs: each shows for the headers of other sessions before it that
 * they are torn, in a file that may grow.  Nothing shows it for two behind them.
 */
START_TEST(a_hostile_file_that_may_grow_costs_no_more)
{
    enum { ALL = BOMB_BYTES / PL_RECORD_LEN - 1 };
    const uint64_t one = pl_session_child(A, 1 << 24),
                   two = pl_session_child(A, 2 << 24);
    const struct {
        uint64_t headers[2], runs[2];
        size_t torn;
    } cases[] = {
        { { A, A }, { one, two }, ALL },
        { { one, two }, { one, two }, ALL },
        { { two, one }, { one, two }, ALL },
        { { one, one }, { one, one }, 0 },
        { { A, one }, { one, one }, 1 },
    };
    const char *path = path_in(temp_dir(), "live_bomb");
    struct pl_buf b = { 0 };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t torn = cases[i].torn;

        pl_buf_clear(&b);
        craft_session(&b, A, 0);
        for (size_t n = 0; n < ALL; n++)
            put_header(&b, cases[i].headers[n % 2]);
        craft_session(&b, cases[i].runs[0], 0);
        craft_session(&b, cases[i].runs[1], 0);
        put_header(&b, A);
        put_header(&b, A);
        write_file(path, b.p, b.len);
        ck_assert_uint_eq(read_bomb(path, true),
                          1 + torn + (torn == ALL ? 2 : 0));
    }
    pl_buf_release(&b);
}
END_TEST

/* Feed bytes to standard input through a pipe, a bit at a time. */
static pid_t feed(const uint8_t *p, size_t n)
{
    int ends[2];
    pid_t child;

    ck_assert_int_eq(pipe(ends), 0);
    child = fork();
    if (!child) {
        close(ends[0]);
        signal(SIGPIPE, SIG_IGN);
        while (n) {
            ssize_t done = write(ends[1], p, n < 7777 ? n : 7777);

            if (done < 0)
                _exit(1);
            p += done;
            n -= (size_t)done;
        }
        _exit(0);
    }
    close(ends[1]);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    return child;
}

START_TEST(a_hostile_pipe_costs_no_more)
{
    struct pl_buf b = { 0 };
    pid_t child;

    put_bomb(&b, (enum bomb)_i);
    child = feed(b.p, b.len);
    read_bomb("-", false);
    waitpid(child, NULL, 0);
    pl_buf_release(&b);
}
END_TEST

START_TEST(a_pipe_gives_what_the_file_gives)
{
    const char *path = path_in(temp_dir(), "log");
    struct reading file = { 0 }, piped = { 0 };
    struct log l;
    pid_t child;

    log_make(&l, path, (enum log_shape)_i, 1);
    for (size_t cut = l.len; cut > 200; cut -= cut / 4 + 1) {
        ck_assert_int_eq(truncate(path, (off_t)cut), 0);
        ck_assert_int_eq(read_whole(path, &l, &file), PL_END);
        child = feed(l.bytes, cut);
        ck_assert_int_eq(read_whole("-", &l, &piped), PL_END);
        waitpid(child, NULL, 0);
        ck_assert(!memcmp(file.kinds, piped.kinds, sizeof file.kinds));
        ck_assert(!memcmp(file.seen, piped.seen, l.num_samples));
        ck_assert_uint_eq(piped.wrong, 0);
        ck_assert_uint_eq(piped.bytes, cut);
    }
    reading_release(&file);
    reading_release(&piped);
    log_release(&l);
}
END_TEST

/* It grows until it ends, and what was read ahead cannot be read again. */
START_TEST(a_pipe_is_followed_to_its_end)
{
    struct pl_reader_options follow = { .follow = true };
    struct reading g = { 0 };
    struct pl_reader *r;
    struct log l;
    pid_t child;

    log_make(&l, path_in(temp_dir(), "log"), LOG_SMALL, 1);
    child = feed(l.bytes, l.len);
    ck_assert_int_eq(pl_reader_open(&r, "-", &follow), PL_OK);
    ck_assert_int_eq(read_on(r, &l, &g), PL_END);
    waitpid(child, NULL, 0);
    ck_assert_uint_eq(g.num_samples, l.num_samples);
    ck_assert_uint_eq(g.bytes, l.len);
    ck_assert_uint_eq(g.wrong + reading_alarms(&g), 0);
    pl_reader_close(r);
    reading_release(&g);
    log_release(&l);
}
END_TEST

static size_t count_samples(const char *path)
{
    struct pl_reader *r;
    struct pl_item item;
    size_t num = 0;

    ck_assert_int_eq(pl_reader_open(&r, path, NULL), PL_OK);
    while (!pl_reader_next(r, &item)) {
        num += item.kind == PL_ITEM_SAMPLE;
        ck_assert_int_ne(item.kind, PL_ITEM_DAMAGED);
    }
    pl_reader_close(r);
    return num;
}

/* A torn key of 'len' bytes early in the log, and more than that behind it. */
START_TEST(a_pipe_has_room_for_large_torn_keys)
{
    enum { B = 0xB, LEN = 1500 << 10, KEPT = 3000, MORE = 20 };
    const char *path = path_in(temp_dir(), "torn");
    struct pl_buf b = { 0 };
    pid_t child;

    craft_session(&b, A, 0);
    craft_sample(&b, A, 1, LEN);
    b.len -= LEN - KEPT;
    pl_buf_zeros(&b, 8);
    craft_session(&b, B, 0);
    for (uint32_t seq = 1; seq <= MORE; seq++)
        craft_sample(&b, B, seq, LEN / 10);
    ck_assert(!b.oom);
    write_file(path, b.p, b.len);
    ck_assert_uint_eq(count_samples(path), MORE);
    child = feed(b.p, b.len);
    ck_assert_uint_eq(count_samples("-"), MORE);
    waitpid(child, NULL, 0);
    pl_buf_release(&b);
}
END_TEST

/* ---- files that grow ---------------------------------------------------------------------- */

/* The file grows byte by byte, in the middle of records, too. */
START_TEST(a_follower_sees_each_record_when_it_is_whole)
{
    struct pl_reader_options follow = { .follow = true };
    struct reading g = { 0 };
    struct scratch file;
    struct pl_reader *r;
    struct log l;
    size_t whole = 0;

    log_make(&l, path_in(temp_dir(), "log"), (enum log_shape)_i, 1);
    scratch_open(&file, "grows");
    ck_assert_int_eq(pl_reader_open(&r, file.path, &follow), PL_OK);
    for (size_t n = 0; n < l.len; n++) {
        scratch_poke(&file, n, l.bytes[n]);
        ck_assert_int_eq(read_on(r, &l, &g), PL_END);
        whole = 0;
        for (size_t i = 0; i < l.num_samples; i++)
            whole += l.samples[i].session && l.samples[i].end <= n + 1;
        ck_assert_uint_eq(g.num_samples, whole);
        ck_assert_uint_eq(g.wrong + g.twice + reading_alarms(&g), 0);
    }
    ck_assert_uint_eq(g.kinds[PL_ITEM_INTERRUPTED], _i == LOG_SESSIONS);
    ck_assert_uint_eq(g.bytes, l.len);
    pl_reader_close(r);
    reading_release(&g);
    scratch_close(&file);
    log_release(&l);
}
END_TEST

/* Where the write ended that the 'i'th record came with, or the one before:
 * records in front of a sample may still be taken back with it. */
static size_t settled_at(const struct log *l, size_t i)
{
    while (i && l->records[i].record.type != PL_SMPL &&
           l->records[i].record.type != PL_ENDS)
        i--;
    return l->records[i].at + l->records[i].len;
}

/* A full disk: part of a record, which is taken back, then another one. */
START_TEST(a_follower_forgets_what_the_writer_took_back)
{
    struct pl_reader_options follow = { .follow = true };
    struct reading g = { 0 };
    struct scratch file;
    struct pl_reader *r;
    struct log l;

    log_make(&l, path_in(temp_dir(), "log"), LOG_SMALL, 1);
    scratch_open(&file, "grows");
    ck_assert_int_eq(pl_reader_open(&r, file.path, &follow), PL_OK);
    for (size_t i = 0; i < l.num_records; i++) {
        size_t at = l.records[i].at;
        const struct whole_record *other = &l.records[(i + 3) % l.num_records];

        for (size_t keep = 60; keep < other->len; keep += 30) {
            scratch_set(&file, l.bytes, at);
            ck_assert_int_eq(
                pwrite(file.fd, l.bytes + other->at, keep, (off_t)at),
                (ssize_t)keep);
            ck_assert_int_eq(read_on(r, &l, &g), PL_END);
        }
        scratch_set(&file, l.bytes, at + l.records[i].len);
        ck_assert_int_eq(read_on(r, &l, &g), PL_END);
        ck_assert_uint_eq(g.bytes, settled_at(&l, i));
    }
    ck_assert_uint_eq(g.bytes, l.len);
    ck_assert_uint_eq(g.num_samples, l.num_samples);
    ck_assert_uint_eq(g.wrong + reading_alarms(&g), 0);
    pl_reader_close(r);
    reading_release(&g);
    scratch_close(&file);
    log_release(&l);
}
END_TEST

enum { BESIDE_SAMPLES = 1500 };

/* Write all of 'truth', as fast as it goes, counting in *done. */
static void write_beside(const char *path, const struct log *truth,
                         volatile uint32_t *done)
{
    struct pl_writer *w = log_open(path, &log_options);
    struct pl_buf block = { 0 };

    for (size_t i = 0; i < truth->num_samples; i++) {
        const struct sample *s = &truth->samples[i];
        struct pl_sample_stamp stamp = { s->utc_ns, s->boot_ns, 0 };

        pl_buf_clear(&block);
        pl_buf_bytes(&block, s->block.p, s->block.len);
        if (pl_writer_sample(w, &stamp, &block))
            _exit(1);
        __atomic_store_n(done, (uint32_t)i + 1, __ATOMIC_SEQ_CST);
    }
    pl_buf_release(&block);
    _exit(pl_writer_close(w, PL_END_ASKED, NULL) != PL_OK);
}

START_TEST(reading_beside_the_writer_misses_nothing_that_was_acknowledged)
{
    const char *path = path_in(temp_dir(), "beside");
    volatile uint32_t *done = shared_page();
    struct log truth = { 0 };
    struct reading g = { 0 };
    struct machine m;
    size_t num_reads = 0;
    int status;
    pid_t child;

    machine_start(&m, 5, 20);
    m.churn = 1;
    log_think(&truth, &m, SECOND, BESIDE_SAMPLES);
    child = fork();
    if (!child)
        write_beside(path, &truth, done);
    while (*done < BESIDE_SAMPLES) {
        uint32_t before = __atomic_load_n(done, __ATOMIC_SEQ_CST);

        if (!before)
            continue;
        ck_assert_int_eq(read_whole(path, &truth, &g), PL_END);
        ck_assert_uint_eq(g.wrong + g.twice + reading_alarms(&g), 0);
        for (uint32_t i = 0; i < before; i++)
            ck_assert(g.seen[i]);
        num_reads++;
    }
    waitpid(child, &status, 0);
    ck_assert_int_eq(status, 0);
    printf("beside the writer: %zu reads, 0 missing, 0 wrong, 0 alarms\n",
           num_reads);
    machine_stop(&m);
    reading_release(&g);
    log_release(&truth);
}
END_TEST

static void craft_note(struct pl_buf *b, uint32_t seq, size_t n)
{
    struct pl_record r = { .type = PL_NOTE, .session = A, .seq = seq };
    struct pl_buf payload = { 0 };

    ck_assert_ptr_nonnull(pl_buf_zeros(&payload, n));
    craft(b, r, payload.p, n);
    pl_buf_release(&payload);
}

/* Large records in front of the last sample, each more than is read at once:
 * all of a write is given out when its last record is whole. */
START_TEST(a_sample_behind_large_records_is_not_withheld)
{
    enum { LARGE = 300 << 10, MOST = 3 };
    struct pl_reader_options follow = { .follow = true };
    struct pl_buf b = { 0 };

    for (uint32_t n = 1; n <= MOST; n++) {
        struct scratch file;
        struct pl_reader *r;
        struct pl_item item;
        size_t num[NUM_ITEM_KINDS] = { 0 };

        pl_buf_clear(&b);
        craft_session(&b, A, 0);
        craft_sample(&b, A, 1, 100);
        for (uint32_t i = 0; i < n; i++)
            craft_note(&b, 2 + i, LARGE);
        craft_sample(&b, A, 2 + n, LARGE);
        scratch_open(&file, "large");
        scratch_set(&file, b.p, b.len - 1);
        ck_assert_int_eq(pl_reader_open(&r, file.path, &follow), PL_OK);
        while (!pl_reader_next(r, &item))
            num[item.kind]++;
        ck_assert_uint_eq(num[PL_ITEM_SAMPLE], 1);
        ck_assert_uint_eq(num[PL_ITEM_NOTE], 0);
        scratch_poke(&file, b.len - 1, b.p[b.len - 1]);
        while (!pl_reader_next(r, &item))
            num[item.kind]++;
        ck_assert_uint_eq(num[PL_ITEM_SAMPLE], 2);
        ck_assert_uint_eq(num[PL_ITEM_NOTE], n);
        pl_reader_close(r);
        scratch_close(&file);
    }
    pl_buf_release(&b);
}
END_TEST

/* The last run was killed in a large key; now another one records. */
START_TEST(a_torn_key_does_not_hide_the_run_that_goes_on)
{
    enum { LEN = 100 << 10, KEPT = 3000 };
    const char *path = path_in(temp_dir(), "goes_on");
    struct pl_buf b = { 0 };
    struct log truth = { 0 };
    struct pl_writer *w;
    struct machine m;

    craft_session(&b, A, 0);
    craft_sample(&b, A, 1, 100);
    craft_sample(&b, A, 2, LEN);
    b.len -= LEN - KEPT + 3;
    write_file(path, b.p, b.len);
    w = log_open(path, &log_options);
    ck_assert_uint_eq(count_samples(path), 1);
    machine_start(&m, 1, 2);
    log_add(&truth, w, &m, SECOND, 3);
    ck_assert_uint_eq(count_samples(path), 4);
    ck_assert_int_eq(pl_writer_close(w, PL_END_ASKED, NULL), PL_OK);
    ck_assert_uint_eq(count_samples(path), 4);
    machine_stop(&m);
    log_release(&truth);
    pl_buf_release(&b);
}
END_TEST

/* Only what a run begins with shows that a record was torn: it may contain
 * records, and is read when it is whole. */
START_TEST(what_an_unfinished_record_contains_is_not_read)
{
    struct pl_reader_options follow = { .follow = true };
    struct pl_buf b = { 0 }, inside = { 0 };
    struct pl_record r = { .type = PL_SMPL, .session = A, .seq = 1 };
    struct pl_item item;
    struct pl_reader *reader;
    struct scratch file;
    size_t at;

    craft_session(&inside, A, 0);
    craft_sample(&inside, A, 7, 100);
    craft_session(&inside, 0xB, 0);
    craft_sample(&inside, 0xB, 1, 100);
    pl_buf_zeros(&inside, 1000);
    craft_session(&b, A, 0);
    at = b.len;
    craft(&b, r, inside.p, inside.len);
    scratch_open(&file, "unfinished");
    scratch_set(&file, b.p, at);
    ck_assert_int_eq(pl_reader_open(&reader, file.path, &follow), PL_OK);
    ck_assert_int_eq(pl_reader_next(reader, &item), PL_OK);
    for (size_t n = at + 1; n < b.len; n++) {
        scratch_poke(&file, n - 1, b.p[n - 1]);
        ck_assert_int_eq(pl_reader_next(reader, &item), PL_END);
    }
    scratch_poke(&file, b.len - 1, b.p[b.len - 1]);
    ck_assert_int_eq(pl_reader_next(reader, &item), PL_OK);
    ck_assert_int_eq(item.kind, PL_ITEM_SAMPLE);
    pl_reader_close(reader);
    scratch_close(&file);
    pl_buf_release(&inside);
    pl_buf_release(&b);
}
END_TEST

START_TEST(a_log_being_written_is_live)
{
    const char *path = path_in(temp_dir(), "live");
    struct pl_writer *w = log_open(path, &log_options);
    struct pl_reader *r;

    ck_assert_int_eq(pl_reader_open(&r, path, NULL), PL_OK);
    ck_assert(pl_reader_is_live(r));
    pl_reader_close(r);
    ck_assert_int_eq(pl_writer_close(w, PL_END_ASKED, NULL), PL_OK);
    ck_assert_int_eq(pl_reader_open(&r, path, NULL), PL_OK);
    ck_assert(!pl_reader_is_live(r));
    pl_reader_close(r);
}
END_TEST

int main(void)
{
    TCase *bombs = tcase_create("bombs"), *grow = tcase_create("growing");

    tcase_add_loop_test(bombs,
                        a_hostile_file_costs_time_in_proportion_to_its_size, 0,
                        NUM_BOMBS);
    tcase_add_test(bombs, a_hostile_file_that_may_grow_costs_no_more);
    tcase_add_loop_test(bombs, a_hostile_pipe_costs_no_more, 0, NUM_BOMBS);
    tcase_add_loop_test(bombs, a_pipe_gives_what_the_file_gives, 0,
                        NUM_LOG_SHAPES);
    tcase_add_test(bombs, a_pipe_is_followed_to_its_end);
    tcase_add_test(bombs, a_pipe_has_room_for_large_torn_keys);
    tcase_add_loop_test(grow, a_follower_sees_each_record_when_it_is_whole,
                        LOG_SMALL, LOG_SESSIONS + 1);
    tcase_add_test(grow, a_follower_forgets_what_the_writer_took_back);
    tcase_add_test(
        grow, reading_beside_the_writer_misses_nothing_that_was_acknowledged);
    tcase_add_test(grow, a_sample_behind_large_records_is_not_withheld);
    tcase_add_test(grow, a_torn_key_does_not_hide_the_run_that_goes_on);
    tcase_add_test(grow, what_an_unfinished_record_contains_is_not_read);
    tcase_add_test(grow, a_log_being_written_is_live);
    return run_suite("hostile", (TCase *[]){ bombs, grow, NULL });
}
