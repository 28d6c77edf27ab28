/* Segments: when a writer begins one, how it is named, what hangs together,
 * and which are deleted. */
#include "format/writer/writer.h"

#include "format/base/file.h"
#include "format/time/time_text.h"
#include "format/record/record.h"
#include "format/writer/segment.h"
#include "tests/support/logs.h"
#include "tests/support/support.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define NUM(table) (sizeof(table) / sizeof *(table))
#define SECOND PL_NS_PER_SEC

struct folder {
    char names[200][64];
    size_t num;
};

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void list(struct folder *f, const char *path, const char *begin)
{
    DIR *d = opendir(path);
    struct dirent *e;

    f->num = 0;
    while ((e = readdir(d)) != NULL)
        if (!strncmp(e->d_name, begin, strlen(begin)))
            snprintf(f->names[f->num++], sizeof f->names[0], "%.63s",
                     e->d_name);
    closedir(d);
    qsort(f->names, f->num, sizeof f->names[0], by_name);
}

static struct pl_session session_of(const struct log *l)
{
    struct pl_session s;

    ck_assert_uint_eq(l->records[0].record.type, PL_SESS);
    ck_assert_int_eq(pl_session_parse(&s, l->bytes + PL_RECORD_LEN,
                                      l->records[0].record.stored_len),
                     PL_OK);
    return s;
}

static struct pl_ends ends_of(const struct log *l)
{
    const struct whole_record *last = &l->records[l->num_records - 1];
    struct pl_ends e;

    ck_assert_uint_eq(last->record.type, PL_ENDS);
    ck_assert_int_eq(pl_ends_parse(&e, l->bytes + last->at + PL_RECORD_LEN,
                                   last->record.stored_len),
                     PL_OK);
    return e;
}

/* A machine of today: names of segments tell the time. */
static void start_now(struct machine *m, unsigned num_processes)
{
    machine_start(m, 1, num_processes);
    m->utc_ns = pl_clock_utc();
}

/* All segments in order hold all of 'l', as one session without a hole. */
static void check_segments(struct log *l, const struct folder *f,
                           size_t *num_samples)
{
    struct pl_reader *r = NULL;
    struct reading g = { 0 };
    uint64_t session = 0;
    uint32_t next_seq = 0;

    *num_samples = 0;
    for (size_t i = 0; i < f->num; i++) {
        const char *path = path_in(temp_dir(), f->names[i]);
        struct pl_session s;
        size_t in_it = 0;

        log_load(l, path);
        s = session_of(l);
        ck_assert(!s.repeat);
        ck_assert(
            pl_text_equal(s.previous, pl_text_of(i ? f->names[i - 1] : NULL)));
        ck_assert_uint_eq(l->records[0].record.seq, next_seq);
        ck_assert(!i || session == l->records[0].record.session);
        session = l->records[0].record.session;
        next_seq = l->records[l->num_records - 1].record.seq + 1;
        ck_assert_uint_eq(l->records[1].record.type, PL_TITL);
        ck_assert_uint_eq(log_find(l, PL_SMPL, 0)->record.ref, 0);
        for (size_t k = 0; k < l->num_samples; k++)
            in_it += l->samples[k].session != 0;
        ck_assert_uint_eq(ends_of(l).samples, in_it);
        ck_assert_uint_eq(ends_of(l).reason,
                          i + 1 < f->num ? PL_END_ROTATED : PL_END_ASKED);
        *num_samples += in_it;
        if (i == 0)
            ck_assert_int_eq(pl_reader_open(&r, path, NULL), PL_OK);
        else
            ck_assert_int_eq(pl_reader_continue(r, path), PL_OK);
        ck_assert_int_eq(read_on(r, l, &g), PL_END);
    }
    ck_assert_uint_eq(reading_alarms(&g) + g.wrong, 0);
    ck_assert_uint_eq(g.num_samples, *num_samples);
    ck_assert_uint_eq(g.kinds[PL_ITEM_SESSION], 1);
    pl_reader_close(r);
    reading_release(&g);
}

START_TEST(segments_by_size_are_one_session)
{
    struct pl_writer_options options = log_options;
    const char *path = path_in(temp_dir(), "log.plog");
    struct pl_writer_stats final;
    struct pl_writer *w;
    struct log l = { 0 };
    struct machine m;
    struct folder f;
    struct stat st;
    size_t num;

    options.max_size = 4000;
    start_now(&m, 5);
    w = log_open(path, &options);
    ck_assert(strstr(pl_writer_path(w), "log-20"));
    log_add(&l, w, &m, SECOND, 200);
    log_close(w, &final);
    list(&f, temp_dir(), "log");
    ck_assert_uint_gt(f.num, 5);
    ck_assert_uint_eq(final.segments, f.num);
    for (size_t i = 0; i < f.num; i++) {
        char end[40];

        ck_assert(pl_segment_matches("log", f.names[i]));
        snprintf(end, sizeof end, "Z-%03zu.plog", i);
        ck_assert_ptr_nonnull(strstr(f.names[i], end));
        ck_assert_int_eq(stat(path_in(temp_dir(), f.names[i]), &st), 0);
        ck_assert_int_lt(st.st_size, 4000 + 1500);
        ck_assert(i + 1 == f.num || st.st_size >= 4000);
    }
    check_segments(&l, &f, &num);
    ck_assert_uint_eq(num, 200);
    machine_stop(&m);
    log_release(&l);
}
END_TEST

START_TEST(a_segment_has_at_least_one_sample)
{
    struct pl_writer_options options = log_options;
    struct pl_writer *w;
    struct log l = { 0 };
    struct machine m;
    struct folder f;

    options.max_size = 1; /* its session alone takes more */
    start_now(&m, 3);
    w = log_open(path_in(temp_dir(), "log.plog"), &options);
    log_add(&l, w, &m, SECOND, 4);
    log_close(w, NULL);
    list(&f, temp_dir(), "log");
    ck_assert_uint_eq(f.num, 4);
    machine_stop(&m);
    log_release(&l);
}
END_TEST

START_TEST(segments_by_time_end_at_multiples)
{
    struct pl_writer_options options = log_options;
    const char *path = path_in(temp_dir(), "log.plog");
    struct pl_writer *w;
    struct log l = { 0 };
    struct machine m;
    struct folder f;
    size_t num;

    options.max_time_ns = (uint64_t)(60 * SECOND);
    start_now(&m, 3);
    w = log_open(path, &options);
    log_add(&l, w, &m, 7 * SECOND, 40);
    log_close(w, NULL);
    list(&f, temp_dir(), "log");
    for (size_t i = 0; i < f.num; i++) {
        int64_t minute = 0;

        log_load(&l, path_in(temp_dir(), f.names[i]));
        for (size_t k = 0; k < l.num_samples; k++) {
            const struct sample *s = &l.samples[k];

            if (!s->session)
                continue;
            ck_assert(!minute || minute == s->utc_ns / (60 * SECOND));
            minute = s->utc_ns / (60 * SECOND);
        }
    }
    check_segments(&l, &f, &num);
    ck_assert_uint_eq(num, 40);
    machine_stop(&m);
    log_release(&l);
}
END_TEST

/* Its file may have been made just before one of the multiples. */
START_TEST(a_segment_begins_with_its_first_sample)
{
    struct pl_writer_options options = log_options;
    const char *path = path_in(temp_dir(), "log.plog");
    struct pl_writer *w;
    struct log l = { 0 };
    struct machine m;
    struct folder f;

    options.max_time_ns = (uint64_t)(3600 * SECOND);
    start_now(&m, 3);
    m.utc_ns += 3600 * SECOND - m.utc_ns % (3600 * SECOND);
    w = log_open(path, &options);
    log_add(&l, w, &m, SECOND, 3);
    log_close(w, NULL);
    list(&f, temp_dir(), "log");
    ck_assert_uint_eq(f.num, 1);
    machine_stop(&m);
    log_release(&l);
}
END_TEST

/* A rotating log of two samples. */
static struct pl_writer *begin_segments(struct machine *m, struct log *l)
{
    struct pl_writer_options options = log_options;
    struct pl_writer *w;

    options.max_size = 1 << 20;
    start_now(m, 3);
    w = log_open(path_in(temp_dir(), "log.plog"), &options);
    log_add(l, w, m, SECOND, 2);
    return w;
}

START_TEST(a_segment_counts_its_own_missed_samples)
{
    struct pl_gaps gaps = { .count = 3, .cause = PL_GAP_LATE };
    struct log l = { 0 };
    struct machine m;
    struct folder f;
    struct pl_writer *w = begin_segments(&m, &l);

    pl_writer_missed(w, &gaps);
    log_add(&l, w, &m, SECOND, 2);
    ck_assert_int_eq(pl_writer_rotate(w), PL_OK);
    log_add(&l, w, &m, SECOND, 2);
    gaps.count = 4;
    pl_writer_missed(w, &gaps); /* told at the end at the latest */
    ck_assert_uint_eq(pl_writer_stats(w)->missed, 7);
    log_close(w, NULL);
    list(&f, temp_dir(), "log");
    ck_assert_uint_eq(f.num, 2);
    log_load(&l, path_in(temp_dir(), f.names[0]));
    ck_assert_uint_eq(ends_of(&l).missed, 3);
    log_load(&l, path_in(temp_dir(), f.names[1]));
    ck_assert_uint_eq(ends_of(&l).missed, 4);
    ck_assert_ptr_nonnull(log_find(&l, PL_GAPS, 0));
    machine_stop(&m);
    log_release(&l);
}
END_TEST

START_TEST(what_was_told_at_a_segments_end_is_not_told_again)
{
    struct pl_gaps gaps = { .count = 3, .cause = PL_GAP_LATE };
    struct log l = { 0 };
    struct machine m;
    struct folder f;
    struct pl_writer *w = begin_segments(&m, &l);

    pl_writer_missed(w, &gaps);
    pl_writer_note(w, PL_NOTE_TEXT, 1, 1, "once");
    ck_assert_int_eq(pl_writer_rotate(w), PL_OK);
    log_add(&l, w, &m, SECOND, 2);
    log_close(w, NULL);
    list(&f, temp_dir(), "log");
    ck_assert_uint_eq(f.num, 2);
    log_load(&l, path_in(temp_dir(), f.names[0]));
    ck_assert_ptr_nonnull(log_find(&l, PL_GAPS, 0));
    ck_assert_ptr_nonnull(log_find(&l, PL_NOTE, 0));
    ck_assert_uint_eq(ends_of(&l).missed, 3);
    log_load(&l, path_in(temp_dir(), f.names[1]));
    ck_assert_ptr_null(log_find(&l, PL_GAPS, 0));
    ck_assert_ptr_null(log_find(&l, PL_NOTE, 0));
    ck_assert_uint_eq(ends_of(&l).missed, 0);
    machine_stop(&m);
    log_release(&l);
}
END_TEST

START_TEST(keep_deletes_the_oldest_segments_and_nothing_else)
{
    static const char *const others[] = {
        "log.plog",
        "log-20200101T000000Z-000.plog.bak",
        "log-20200101T000000Z-00.plog",
        "log-2020010T000000Z-000.plog",
        "log-20200101T000000-000.plog",
        "log-20200101t000000Z-000.plog",
        "log-20200101T00000xZ-000.plog",
        "log-20200101T0000000-000.plog",
        "log-20200101T000000Z-00x.plog",
        "log-20200101T000000Z-000.PLOG",
        "log-old-20200101T000000Z-000.plog",
        "alog-20200101T000000Z-000.plog",
        "log-20200101T000000Z-000",
        "log",
    };
    struct pl_writer_options options = log_options;
    struct pl_writer *w;
    struct log l = { 0 };
    struct machine m;
    struct folder f;

    for (size_t i = 0; i < NUM(others); i++) {
        write_file(path_in(temp_dir(), others[i]), "mine", 4);
        ck_assert(!pl_segment_matches("log", others[i]));
    }
    write_file(path_in(temp_dir(), "log-20200101T000000Z-000.plog"), "", 0);
    write_file(path_in(temp_dir(), "log-20200101T000000Z-1000.plog"), "", 0);
    mkdir(path_in(temp_dir(), "log-20200101T000000Z-001.plog"), 0700);
    options.max_size = 3000;
    options.keep = 3;
    start_now(&m, 3);
    w = log_open(path_in(temp_dir(), "log.plog"), &options);
    list(&f, temp_dir(), "log-20200101T000000Z-");
    ck_assert_uint_eq(f.num, 5 + 2 + 1); /* 3 segments: all are kept yet */
    write_file(path_in(temp_dir(), "log-20200101T000000Z-000.plog.packing"), "",
               0); /* goes with its segment */
    log_add(&l, w, &m, SECOND, 100);
    list(&f, temp_dir(), "log-2");
    log_close(w, NULL);
    for (size_t i = 0; i < NUM(others); i++)
        ck_assert_int_eq(access(path_in(temp_dir(), others[i]), F_OK), 0);
    ck_assert_int_eq(
        access(path_in(temp_dir(), "log-20200101T000000Z-001.plog"), F_OK), 0);
    ck_assert_int_ne(
        access(path_in(temp_dir(), "log-20200101T000000Z-000.plog"), F_OK), 0);
    ck_assert_int_ne(
        access(path_in(temp_dir(), "log-20200101T000000Z-000.plog.packing"),
               F_OK),
        0);
    ck_assert_uint_eq(f.num, 10 + 1 + 3); /* near names, the folder, ours */
    machine_stop(&m);
    log_release(&l);
}
END_TEST

/* Each would delete what the other writes. */
START_TEST(two_recorders_have_no_segments_in_common)
{
    struct pl_writer_options options = log_options;
    const char *path = path_in(temp_dir(), "log.plog"), *why = NULL;
    struct pl_writer *w, *second;
    struct log l = { 0 };
    struct machine m;
    struct folder f;

    options.max_time_ns = 3600 * SECOND;
    start_now(&m, 3);
    w = log_open(path, &options);
    log_add(&l, w, &m, SECOND, 2);
    ck_assert_int_eq(pl_writer_open(&second, path, &options, &why), PL_BUSY);
    list(&f, temp_dir(), "log-");
    ck_assert_uint_eq(f.num, 1);
    /* Nor has one without segments their name. */
    ck_assert_int_eq(pl_writer_open(&second, path, &log_options, &why),
                     PL_BUSY);
    ck_assert_int_ne(access(path, F_OK), 0);
    log_close(w, NULL);
    w = log_open(path, &log_options);
    ck_assert_int_eq(pl_writer_open(&second, path, &options, &why), PL_BUSY);
    list(&f, temp_dir(), "log-");
    ck_assert_uint_eq(f.num, 1);
    log_close(w, NULL);
    w = log_open(path, &options);
    log_close(w, NULL);
    machine_stop(&m);
    log_release(&l);
}
END_TEST

/* Open the log when 'go' is closed at its other end, say how that went, and
 * keep it open until 'end' is. */
static _Noreturn void begin_recording(const char *path, bool rotates, int go,
                                      int said, int end)
{
    struct pl_writer_options options = log_options;
    struct pl_writer *w;
    const char *why;
    enum pl_status s;
    char c;

    if (rotates)
        options.max_time_ns = 3600 * SECOND;
    (void)!read(go, &c, 1);
    s = pl_writer_open(&w, path, &options, &why);
    (void)!write(said, &s, sizeof s);
    (void)!read(end, &c, 1);
    if (!s)
        pl_writer_close(w, PL_END_ASKED, NULL);
    _exit(0);
}

START_TEST(of_recorders_that_begin_at_once_one_records)
{
    enum { ROUNDS = 40, AT_ONCE = 4 };
    char path[512];

    for (int i = 0; i < ROUNDS; i++) {
        int go[2], said[2], end[2], recording = 0;

        snprintf(path, sizeof path, "%s/%d.plog", temp_dir(), i);
        ck_assert(!pipe(go) && !pipe(said) && !pipe(end));
        for (int k = 0; k < AT_ONCE; k++)
            if (!fork()) {
                close(go[1]);
                close(end[1]);
                begin_recording(path, k % (i % 2 + 1) == 0, go[0], said[1],
                                end[0]);
            }
        close(go[1]);
        for (int k = 0; k < AT_ONCE; k++) {
            enum pl_status s;

            ck_assert_int_eq(read(said[0], &s, sizeof s), sizeof s);
            ck_assert_msg(s == PL_OK || s == PL_BUSY, "status %d", s);
            recording += s == PL_OK;
        }
        close(end[1]);
        while (wait(NULL) > 0)
            ;
        close(go[0]);
        close(end[0]);
        close(said[0]);
        close(said[1]);
        ck_assert_int_eq(recording, 1);
    }
}
END_TEST

/* Segments called as if they came later are older, not newer. */
START_TEST(keep_deletes_what_was_written_before_the_clock_was_set_back)
{
    struct pl_writer_options options = log_options;
    struct pl_writer *w;
    struct log l = { 0 };
    struct machine m;
    struct folder f;

    write_file(path_in(temp_dir(), "log-20200101T000000Z-000.plog"), "", 0);
    write_file(path_in(temp_dir(), "log-21060101T000000Z-000.plog"), "", 0);
    write_file(path_in(temp_dir(), "log-21060101T000000Z-001.plog"), "", 0);
    options.max_size = 3000;
    options.keep = 3;
    start_now(&m, 3);
    w = log_open(path_in(temp_dir(), "log.plog"), &options);
    log_add(&l, w, &m, SECOND, 1);
    list(&f, temp_dir(), "log-2106");
    ck_assert_uint_eq(f.num, 1); /* the first of them had to go */
    list(&f, temp_dir(), "log-2020");
    ck_assert_uint_eq(f.num, 1);
    log_add(&l, w, &m, SECOND, 100);
    log_close(w, NULL);
    list(&f, temp_dir(), "log-");
    ck_assert_uint_eq(f.num, 3);
    for (size_t i = 0; i < f.num; i++)
        ck_assert(!strstr(f.names[i], "log-2106") &&
                  !strstr(f.names[i], "log-2020"));
    machine_stop(&m);
    log_release(&l);
}
END_TEST

START_TEST(keep_leaves_what_another_recorder_writes_to)
{
    const char *path = path_in(temp_dir(), "log-20200101T000000Z-000.plog");
    struct pl_writer_options options = log_options;
    struct pl_writer *other, *w;
    struct log l = { 0 };
    struct machine m;

    options.max_size = 3000;
    options.keep = 1;
    start_now(&m, 3);
    w = log_open(path_in(temp_dir(), "log.plog"), &options);
    other = log_open(path, &log_options);
    log_add(&l, w, &m, SECOND, 100);
    ck_assert_int_eq(access(path, F_OK), 0);
    log_close(other, NULL);
    log_add(&l, w, &m, SECOND, 100);
    ck_assert_int_ne(access(path, F_OK), 0);
    log_close(w, NULL);
    machine_stop(&m);
    log_release(&l);
}
END_TEST

/* A supervisor restarts at once: the same second, the same name. */
START_TEST(a_restart_in_the_same_second_finds_another_name)
{
    struct pl_writer_options options = log_options;
    struct log l = { 0 };
    struct machine m;
    struct folder f;

    options.max_size = 1 << 20;
    start_now(&m, 3);
    for (int i = 0; i < 5; i++) {
        struct pl_writer *w =
            log_open(path_in(temp_dir(), "log.plog"), &options);

        log_add(&l, w, &m, SECOND, 1);
        log_close(w, NULL);
    }
    list(&f, temp_dir(), "log");
    ck_assert_uint_eq(f.num, 5);
    machine_stop(&m);
    log_release(&l);
}
END_TEST

START_TEST(without_rotation_there_is_none)
{
    const char *path = path_in(temp_dir(), "log.plog");
    struct pl_writer *w = log_open(path, &log_options);
    struct folder f;

    ck_assert_int_eq(pl_writer_rotate(w), PL_OK);
    ck_assert_str_eq(pl_writer_path(w), path);
    log_close(w, NULL);
    list(&f, temp_dir(), "log");
    ck_assert_uint_eq(f.num, 1);
}
END_TEST
int main(void)
{
    TCase *segments = tcase_create("segments");

    tcase_add_test(segments, segments_by_size_are_one_session);
    tcase_add_test(segments, a_segment_has_at_least_one_sample);
    tcase_add_test(segments, segments_by_time_end_at_multiples);
    tcase_add_test(segments, a_segment_begins_with_its_first_sample);
    tcase_add_test(segments, a_segment_counts_its_own_missed_samples);
    tcase_add_test(segments, what_was_told_at_a_segments_end_is_not_told_again);
    tcase_add_test(segments, keep_deletes_the_oldest_segments_and_nothing_else);
    tcase_add_test(segments, two_recorders_have_no_segments_in_common);
    tcase_add_test(segments, of_recorders_that_begin_at_once_one_records);
    tcase_add_test(segments,
                   keep_deletes_what_was_written_before_the_clock_was_set_back);
    tcase_add_test(segments, keep_leaves_what_another_recorder_writes_to);
    tcase_add_test(segments, a_restart_in_the_same_second_finds_another_name);
    tcase_add_test(segments, without_rotation_there_is_none);
    return run_suite("segments", (TCase *[]){ segments, NULL });
}
