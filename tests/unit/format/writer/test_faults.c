/* Every system call and every allocation fails once, and from then on: what
 * was accepted is readable afterwards, what was not is reported. */
#include "format/time/time_text.h"
#include "format/cli/message.h"
#include "tests/support/faults.h"
#include "tests/support/logs.h"
#include "tests/support/support.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NUM(table) (sizeof(table) / sizeof *(table))
#define SECOND PL_NS_PER_SEC

static int64_t ahead; /* of the steady clock */

int64_t __real_pl_clock_steady(void);
int64_t __wrap_pl_clock_steady(void);
int64_t __wrap_pl_clock_steady(void)
{
    return __real_pl_clock_steady() + ahead;
}

/*
 * A lock that is refused is tried again after a pause, for another process to
 * give it up.  Here none holds it, so the time passes without being waited for.
 */
void __wrap_pl_sleep(uint64_t ns);
void __wrap_pl_sleep(uint64_t ns)
{
    ahead += (int64_t)ns;
}

/* ---- one run ------------------------------------------------------------------- */

struct scenario {
    const char *what;
    uint64_t sync_ns;
    uint64_t max_size;
    int64_t step_ns; /* between samples */
    size_t num_samples;
    size_t titles_at; /* from here on with another object */
    uint32_t stride;  /* of the calls that fail, one after another */
};

static const struct scenario scenarios[] = {
    { "one file", PL_SYNC_EACH, 0, SECOND, 12, 7, 1 },
    { "segments", 1, 3000, SECOND, 16, 5, 1 },
    { "indexes", PL_SYNC_NEVER, 0, 300 * SECOND, 70, 69, 7 },
};

/* What became of a run. */
struct outcome {
    bool opened;
    enum pl_status closed;
    struct pl_writer_stats stats;
    uint32_t calls; /* of the kind that was to fail */
    uint32_t hit;
};

static char folder[256]; /* one a run */

static const char *log_path(void)
{
    static char path[300];

    snprintf(path, sizeof path, "%s/log.plog", folder);
    return path;
}

static void begin_folder(void)
{
    snprintf(folder, sizeof folder, "%s/run-XXXXXX", temp_dir());
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void end_folder(void)
{
    DIR *d = opendir(folder);
    struct dirent *e;
    char path[600];

    while ((e = readdir(d)) != NULL) {
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        unlink(path);
    }
    closedir(d);
    rmdir(folder);
}

/* Titles and a sample with faults; kept in 'l' if it was accepted. */
static void add_one(struct log *l, struct pl_writer *w, struct machine *m)
{
    struct pl_sample_stamp stamp = { m->utc_ns, m->boot_ns, 0 };
    struct pl_buf block = { 0 }, titles = { 0 };
    enum pl_status s;

    machine_titles(m, &titles);
    machine_block(m, &block);
    log_keep(l, &stamp, &block);
    faults_on();
    pl_writer_titles(w, &titles);
    s = pl_writer_sample(w, &stamp, &block);
    faults_off();
    if (s) {
        ck_assert(s == PL_IO || s == PL_NOMEM);
        pl_buf_release(&l->samples[--l->num_samples].block);
    }
    pl_buf_release(&block);
    pl_buf_release(&titles);
}

/* Record with 'fault'; a writer that cannot be opened is opened again. */
static struct outcome run(const struct scenario *s, const struct fault *fault,
                          struct log *l)
{
    struct pl_writer_options options = { .sync_ns = s->sync_ns,
                                         .max_size = s->max_size };
    struct outcome out = { 0 };
    struct pl_writer *w;
    struct machine m;
    const char *why;

    options.session.interval_ns = SECOND;
    machine_start(&m, 1, 3);
    m.utc_ns = INT64_C(1790000000) * SECOND;
    faults_set(fault, 1);
    faults_on();
    out.opened = !pl_writer_open(&w, log_path(), &options, &why);
    faults_off();
    if (!out.opened)
        ck_assert_int_eq(pl_writer_open(&w, log_path(), &options, &why), PL_OK);
    for (size_t i = 0; i < s->num_samples; i++) {
        machine_run(&m, s->step_ns);
        m.has_processor = i >= s->titles_at;
        add_one(l, w, &m);
    }
    faults_on();
    out.closed = pl_writer_close(w, PL_END_ASKED, &out.stats);
    faults_off();
    out.calls = faults_counted(fault->call);
    out.hit = faults_hit();
    faults_set(NULL, 0);
    machine_stop(&m);
    return out;
}

/* ---- what is there afterwards ------------------------------------------------------ */

struct finding {
    struct reading reading; /* of all files */
    uint64_t reported[PL_NUM_GAP_CAUSES];
    size_t num_files;
    size_t empty; /* files without a record */
};

static void read_gaps(const char *path, struct finding *f)
{
    struct pl_reader *r;
    struct pl_item item;

    ck_assert_int_eq(pl_reader_open(&r, path, NULL), PL_OK);
    while (!pl_reader_next(r, &item))
        if (item.kind == PL_ITEM_GAPS)
            f->reported[item.gaps.cause] += item.gaps.count;
    pl_reader_close(r);
}

static void look_around(const struct log *l, struct finding *f)
{
    DIR *d = opendir(folder);
    struct dirent *e;
    char path[600];

    while ((e = readdir(d)) != NULL) {
        struct pl_reader *r;
        enum pl_status s;

        if (e->d_name[0] == '.')
            continue;
        f->num_files++;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        s = pl_reader_open(&r, path, NULL);
        if (s == PL_TRUNCATED) {
            f->empty++;
            continue;
        }
        ck_assert_int_eq(s, PL_OK);
        ck_assert_int_eq(read_on(r, l, &f->reading), PL_END);
        pl_reader_close(r);
        read_gaps(path, f);
    }
    closedir(d);
}

static uint64_t reported_lost(const struct finding *f)
{
    return f->reported[PL_GAP_DISK_FULL] + f->reported[PL_GAP_DISK_ERROR] +
           f->reported[PL_GAP_TOO_LARGE] + f->reported[PL_GAP_SPACE_GUARD];
}

/* All of it, for one scenario and one fault.  Returns the calls there were. */
static struct outcome check(const struct scenario *s, const struct fault *fault)
{
    struct finding f = { 0 };
    struct log l = { 0 };
    struct outcome out;
    char what[128];

    snprintf(what, sizeof what, "%s: call %d, from %u, %u times, error %d",
             s->what, fault->call, fault->first, fault->num, fault->error);
    begin_folder();
    out = run(s, fault, &l);
    look_around(&l, &f);
    ck_assert_msg(f.reading.num_samples == l.num_samples,
                  "%s: %zu of %zu accepted samples", what,
                  f.reading.num_samples, l.num_samples);
    ck_assert_msg(!f.reading.wrong && !f.reading.twice &&
                      !reading_alarms(&f.reading),
                  "%s: wrong or damaged", what);
    ck_assert_msg(out.stats.samples == l.num_samples &&
                      out.stats.samples + out.stats.not_written ==
                          s->num_samples,
                  "%s: sums", what);
    if (!out.closed) /* else the last of them could not be reported */
        ck_assert_msg(reported_lost(&f) == out.stats.not_written,
                      "%s: %llu lost, %llu reported", what,
                      (unsigned long long)out.stats.not_written,
                      (unsigned long long)reported_lost(&f));
    /* Behind the last sample of a segment there is nothing at risk. */
    if (out.stats.may_be_lost && !out.closed && !s->max_size)
        ck_assert_msg(f.reported[PL_GAP_SYNC_FAILED], "%s: risk not reported",
                      what);
    ck_assert_uint_le(f.reading.kinds[PL_ITEM_INTERRUPTED], f.num_files);
    end_folder();
    reading_release(&f.reading);
    log_release(&l);
    return out;
}

/* ---- sweeps -------------------------------------------------------------------------- */

/* clang-format off */
static const struct {
    const char *what;
    enum faulty_call call;
    int error;
    size_t num_scenarios; /* one where another error goes the same way */
} kinds[] = {
    { "write ENOSPC", CALL_WRITE, ENOSPC, NUM(scenarios) },
    { "write EDQUOT", CALL_WRITE, EDQUOT, 1 },
    { "write EFBIG", CALL_WRITE, EFBIG, 1 },
    { "write EIO", CALL_WRITE, EIO, NUM(scenarios) },
    { "write EAGAIN", CALL_WRITE, EAGAIN, 1 },
    { "write short", CALL_WRITE, FAULT_SHORT, NUM(scenarios) },
    { "write nothing", CALL_WRITE, FAULT_NOTHING, 1 },
    { "write half, then full", CALL_WRITE, FAULT_FULL, NUM(scenarios) },
    { "fdatasync EIO", CALL_SYNC, EIO, NUM(scenarios) },
    { "fdatasync ENOSPC", CALL_SYNC, ENOSPC, 1 },
    { "fdatasync EDQUOT", CALL_SYNC, EDQUOT, 1 },
    { "open EMFILE", CALL_OPEN, EMFILE, NUM(scenarios) },
    { "open EINTR", CALL_OPEN, EINTR, NUM(scenarios) },
    { "open ENOSPC", CALL_OPEN, ENOSPC, NUM(scenarios) },
    { "open EDQUOT", CALL_OPEN, EDQUOT, 1 },
    { "open ENFILE", CALL_OPEN, ENFILE, 1 },
    { "flock ENOLCK", CALL_LOCK, ENOLCK, NUM(scenarios) },
    { "flock EAGAIN", CALL_LOCK, EAGAIN, 1 },
    { "flock EINTR", CALL_LOCK, EINTR, 1 },
    { "fstat EIO", CALL_STAT, EIO, NUM(scenarios) },
    { "fstat ENOMEM", CALL_STAT, ENOMEM, 1 },
    { "fstatvfs EIO", CALL_SPACE, EIO, NUM(scenarios) },
    { "no memory", CALL_ALLOC, ENOMEM, NUM(scenarios) },
};
/* clang-format on */

static uint32_t sweep(const struct scenario *s, struct fault f)
{
    uint32_t runs = 0;

    for (f.first = 1;; f.first += s->stride) {
        struct outcome out = check(s, &f);

        runs++;
        if (out.calls < f.first)
            return runs; /* there are no more calls */
    }
}

START_TEST(a_call_fails)
{
    uint32_t runs = 0;

    for (size_t i = 0; i < kinds[_i].num_scenarios; i++) {
        static const uint32_t lengths[] = { 1, UINT32_MAX, 4 };
        size_t num = scenarios[i].stride > 1 ? 2 : NUM(lengths);

        for (size_t k = 0; k < num; k++)
            runs += sweep(&scenarios[i],
                          (struct fault){ .call = kinds[_i].call,
                                          .num = lengths[k],
                                          .error = kinds[_i].error });
    }
    printf("faults: %s: %u runs, 0 accepted lost, 0 wrong\n", kinds[_i].what,
           runs);
}
END_TEST

/* Interrupted calls are tried again, so for ever would be for ever. */
START_TEST(a_call_is_interrupted)
{
    static const enum faulty_call calls[] = { CALL_WRITE, CALL_SYNC };

    for (size_t i = 0; i < NUM(scenarios); i++) {
        struct fault f = { .call = calls[_i], .num = 7, .error = EINTR };
        struct outcome out;

        for (f.first = 1;; f.first += 3) {
            out = check(&scenarios[i], &f);
            ck_assert_int_eq(out.closed, PL_OK);
            ck_assert_uint_eq(out.stats.not_written, 0);
            ck_assert(!out.stats.may_be_lost);
            if (out.calls < f.first)
                break;
        }
    }
}
END_TEST

/* The 'n'th sample's write fails half-way and cannot be cut back. */
static void check_torn(size_t n, int error, uint32_t num)
{
    const struct fault faults[] = { { CALL_WRITE, 1, 2, FAULT_FULL },
                                    { CALL_TRUNCATE, 1, num, error } };
    size_t num_samples = scenarios[0].num_samples;
    struct finding f = { 0 };
    struct log l = { 0 };
    struct pl_writer *w;
    struct machine m;

    begin_folder();
    w = log_open(log_path(), &log_options);
    machine_start(&m, 1, 3);
    for (size_t i = 1; i <= num_samples; i++) {
        machine_run(&m, SECOND);
        if (i == n)
            faults_set(faults, NUM(faults));
        add_one(&l, w, &m);
    }
    faults_on();
    pl_writer_close(w, PL_END_ASKED, NULL);
    faults_off();
    faults_set(NULL, 0);
    look_around(&l, &f);
    ck_assert_uint_eq(f.reading.num_samples, l.num_samples);
    /* Three errors in a row, then another file. */
    ck_assert_uint_ge(l.num_samples, num_samples - 4);
    ck_assert_uint_eq(f.reading.wrong + reading_alarms(&f.reading), 0);
    end_folder();
    machine_stop(&m);
    reading_release(&f.reading);
    log_release(&l);
}

START_TEST(what_a_failed_write_left_cannot_be_cut_off)
{
    for (size_t n = 1; n <= scenarios[0].num_samples; n++) {
        check_torn(n, EINTR, 5);
        check_torn(n, EIO, 1);
        check_torn(n, EIO, 2);
        check_torn(n, ENOSPC, 1);
        check_torn(n, EROFS, UINT32_MAX);
    }
}
END_TEST

/* ---- after a failed sync ----------------------------------------------------------------- */

START_TEST(a_descriptor_is_never_synced_again_after_an_error)
{
    struct fault f = { CALL_SYNC, 5, UINT32_MAX, EIO };
    struct scenario s = scenarios[0];
    struct outcome out;

    s.num_samples = 200;
    out = check(&s, &f);
    /* one in the old file, one in the next, then a minute of patience */
    ck_assert_uint_eq(out.hit, 2);
    ck_assert_uint_eq(out.stats.may_be_lost, 2);
    ck_assert_uint_eq(out.stats.segments, 2);
    ck_assert_int_eq(out.closed, PL_OK);
}
END_TEST

/* Samples since the last good sync, not those of the chunk alone. */
START_TEST(all_samples_at_risk_are_reported)
{
    struct fault f = { CALL_SYNC, 2, 1, EIO };
    struct pl_writer_options options = log_options;
    struct finding found = { 0 };
    struct log l = { 0 };
    struct pl_writer *w;
    struct machine m;
    const char *why;

    options.sync_ns = 3600 * UINT64_C(1000000000);
    options.session.interval_ns = SECOND;
    begin_folder();
    ck_assert_int_eq(pl_writer_open(&w, log_path(), &options, &why), PL_OK);
    machine_start(&m, 1, 3);
    faults_set(&f, 1);
    for (int i = 0; i < 65; i++) { /* synced with keys: 1 and 61 */
        machine_run(&m, SECOND);
        add_one(&l, w, &m);
    }
    faults_set(NULL, 0);
    ck_assert_int_eq(pl_writer_close(w, PL_END_ASKED, NULL), PL_OK);
    look_around(&l, &found);
    ck_assert_uint_eq(found.reported[PL_GAP_SYNC_FAILED], 60);
    ck_assert_uint_eq(found.num_files, 2);
    ck_assert_uint_eq(found.reading.num_samples, 65);
    end_folder();
    machine_stop(&m);
    reading_release(&found.reading);
    log_release(&l);
}
END_TEST

/* ---- little space --------------------------------------------------------- */

START_TEST(below_min_free_samples_are_counted_until_there_is_room)
{
    struct fault f = { CALL_SPACE, 1, UINT32_MAX, FAULT_NOTHING };
    struct pl_writer_options options = log_options;
    struct finding found = { 0 };
    struct log l = { 0 };
    struct pl_writer *w;
    struct machine m;
    const char *why;

    options.min_free = 4096;
    begin_folder();
    ck_assert_int_eq(pl_writer_open(&w, log_path(), &options, &why), PL_OK);
    machine_start(&m, 1, 3);
    log_add(&l, w, &m, SECOND, 3);
    usleep(1100000); /* it is looked at once a second */
    faults_set(&f, 1);
    faults_on();
    for (int i = 0; i < 4; i++) {
        struct pl_sample_stamp stamp = { 0 };
        struct pl_buf block = { 0 };

        pl_buf_zeros(&block, 80);
        ck_assert_int_eq(pl_writer_sample(w, &stamp, &block), PL_NO_SPACE);
        pl_buf_release(&block);
    }
    faults_off();
    ck_assert_uint_eq(faults_hit(), 4); /* so it goes on at once */
    log_add(&l, w, &m, SECOND, 3);
    ck_assert_int_eq(pl_writer_close(w, PL_END_ASKED, NULL), PL_OK);
    look_around(&l, &found);
    ck_assert_uint_eq(found.reported[PL_GAP_SPACE_GUARD], 4);
    ck_assert_uint_eq(found.reading.num_samples, 6);
    end_folder();
    machine_stop(&m);
    reading_release(&found.reading);
    log_release(&l);
}
END_TEST

/* Nothing was synced since the first failure; of what came after that the next
 * file tells, as soon as there may be one. */
START_TEST(what_no_file_was_synced_for_is_told_in_the_next)
{
    struct fault f = { CALL_SYNC, 1, UINT32_MAX, EIO };
    struct pl_writer_options options = { .sync_ns = 1 };
    struct finding found = { 0 };
    struct pl_writer *w;
    struct log l = { 0 };
    struct machine m;
    const char *why;

    begin_folder();
    ck_assert_int_eq(pl_writer_open(&w, log_path(), &options, &why), PL_OK);
    machine_start(&m, 1, 3);
    faults_set(&f, 1);
    faults_on();
    log_add(&l, w, &m, SECOND, 1); /* fails; the next file begins */
    log_add(&l, w, &m, SECOND, 1); /* fails, too; no other file for a minute */
    log_add(&l, w, &m, SECOND, 3);
    faults_off();
    ahead += 61 * SECOND;
    log_add(&l, w, &m, SECOND, 3);
    ck_assert_int_eq(pl_writer_close(w, PL_END_ASKED, NULL), PL_OK);
    look_around(&l, &found);
    ck_assert_uint_eq(found.num_files, 3);
    ck_assert_uint_eq(found.reading.num_samples, 8);
    ck_assert_uint_eq(found.reported[PL_GAP_SYNC_FAILED], 1 + 1 + 4);
    end_folder();
    machine_stop(&m);
    reading_release(&found.reading);
    log_release(&l);
}
END_TEST

/* ---- rotation that cannot be had -------------------------------------------------------------- */

START_TEST(without_a_next_file_the_old_one_goes_on)
{
    /* The file and its folder, twice, and twice, whether somebody writes to the
     * log without segments; then there is nothing to be opened. */
    struct fault f = { CALL_OPEN, 7, UINT32_MAX, EMFILE };
    struct scenario s = scenarios[1];
    struct finding found = { 0 };
    struct log l = { 0 };
    struct outcome out;

    s.num_samples = 60;
    begin_folder();
    out = run(&s, &f, &l);
    ck_assert_int_eq(out.closed, PL_OK);
    ck_assert_uint_eq(out.stats.not_written, 0);
    ck_assert_uint_gt(out.hit, 3);
    look_around(&l, &found);
    ck_assert_uint_eq(found.reading.num_samples, s.num_samples);
    ck_assert_uint_eq(found.num_files, 2);
    ck_assert_uint_eq(found.reading.kinds[PL_ITEM_ENDS], found.num_files);
    end_folder();
    reading_release(&found.reading);
    log_release(&l);
}
END_TEST

/* ---- readers ---------------------------------------------------------------------------------- */

/* clang-format off */
static const struct {
    const char *what;
    enum faulty_call call;
    int error;
    enum pl_status want; /* PL_END: nothing is noticed */
} reader_kinds[] = {
    { "read EIO", CALL_READ, EIO, PL_IO },
    { "read EAGAIN", CALL_READ, EAGAIN, PL_IO },
    { "read EINTR", CALL_READ, EINTR, PL_END },
    { "read short", CALL_READ, FAULT_SHORT, PL_END },
    { "open EMFILE", CALL_OPEN, EMFILE, PL_IO },
    { "open ENFILE", CALL_OPEN, ENFILE, PL_IO },
    { "open EINTR", CALL_OPEN, EINTR, PL_IO },
    { "fstat EIO", CALL_STAT, EIO, PL_IO },
    { "fstat ENOMEM", CALL_STAT, ENOMEM, PL_IO },
    { "flock ENOLCK", CALL_LOCK, ENOLCK, PL_END },
    { "flock EINTR", CALL_LOCK, EINTR, PL_END },
    { "no memory", CALL_ALLOC, ENOMEM, PL_NOMEM },
};
/* clang-format on */

/* What all of them read: made once, before they are forked. */
static struct log read_by_all;
static char read_from[300];

/* Longer than what is read at once, with indexes. */
static void make_log_of_readers(void)
{
    struct pl_writer *w;
    struct machine m;

    snprintf(read_from, sizeof read_from, "%s/log", temp_dir());
    w = log_open(read_from, &log_options);
    machine_start(&m, 1, 500);
    m.churn = 500;
    log_add(&read_by_all, w, &m, 300 * SECOND, 340);
    ck_assert_int_eq(pl_writer_close(w, PL_END_ASKED, NULL), PL_OK);
    log_load(&read_by_all, read_from);
    ck_assert_uint_gt(read_by_all.len, 3 << 19);
    machine_stop(&m);
}

static void drop_log_of_readers(void)
{
    log_release(&read_by_all);
}

START_TEST(a_reader_says_what_failed_and_shows_nothing_wrong)
{
    const struct log *l = &read_by_all;
    struct fault f = { .call = reader_kinds[_i].call,
                       .num = 1,
                       .error = reader_kinds[_i].error };
    struct reading g = { 0 };
    uint32_t calls;

    do {
        struct pl_reader *r = NULL;
        enum pl_status s;

        f.first++;
        reading_start(&g, l);
        faults_set(&f, 1);
        faults_on();
        s = pl_reader_open(&r, read_from, NULL);
        if (!s)
            s = pl_reader_seek(r, l->samples[250].utc_ns);
        if (!s)
            s = read_on(r, l, &g);
        pl_reader_close(r);
        faults_off();
        calls = faults_counted(f.call);
        if (faults_hit() && reader_kinds[_i].want != PL_END)
            /* a seek that fails only reads more */
            ck_assert_msg(s == reader_kinds[_i].want || s == PL_END,
                          "%s: call %u: %d", reader_kinds[_i].what, f.first, s);
        else
            ck_assert_int_eq(s, PL_END);
        ck_assert_uint_eq(g.wrong + g.twice + reading_alarms(&g), 0);
        if (s == PL_END)
            for (size_t i = 249; i < l->num_samples; i++)
                ck_assert(g.seen[i]);
    } while (calls >= f.first);
    printf("faults: reader: %s: %u calls\n", reader_kinds[_i].what, calls);
    reading_release(&g);
}
END_TEST

/* ---- words -------------------------------------------------------------------------------------- */

/* What pl_say and pl_print_visible make of one text while memory is out. */
START_TEST(without_memory_there_is_still_a_word)
{
    struct fault f = { CALL_ALLOC, 1, UINT32_MAX, ENOMEM };
    const char *path = path_in(temp_dir(), "words");
    static const char want[] = "perflog: a?[31m: ?? is full\nb?c";
    int keep[2] = { dup(STDOUT_FILENO), dup(STDERR_FILENO) };
    FILE *to = fopen(path, "w");
    uint8_t *got;
    size_t n;

    ck_assert_ptr_nonnull(to);
    fflush(stdout);
    dup2(fileno(to), STDOUT_FILENO);
    dup2(fileno(to), STDERR_FILENO);
    faults_set(&f, 1);
    faults_on();
    pl_say("%s: %s", "a\033[31m", "\303\244 is full");
    pl_print_visible("b\tc");
    faults_off();
    faults_set(NULL, 0);
    fflush(stdout);
    dup2(keep[0], STDOUT_FILENO);
    dup2(keep[1], STDERR_FILENO);
    fclose(to);
    got = read_file(path, &n);
    ck_assert_uint_eq(n, sizeof want - 1);
    ck_assert_mem_eq(got, want, n);
    free(got);
}
END_TEST

int main(void)
{
    TCase *calls = tcase_create("calls"), *after = tcase_create("after");
    TCase *readers = tcase_create("readers");

    tcase_add_loop_test(calls, a_call_fails, 0, NUM(kinds));
    tcase_add_loop_test(calls, a_call_is_interrupted, 0, 2);
    tcase_add_test(calls, what_a_failed_write_left_cannot_be_cut_off);
    tcase_add_test(after, a_descriptor_is_never_synced_again_after_an_error);
    tcase_add_test(after, all_samples_at_risk_are_reported);
    tcase_add_test(after,
                   below_min_free_samples_are_counted_until_there_is_room);
    tcase_add_test(after, without_a_next_file_the_old_one_goes_on);
    tcase_add_test(after, what_no_file_was_synced_for_is_told_in_the_next);
    tcase_add_test(after, without_memory_there_is_still_a_word);
    tcase_add_unchecked_fixture(readers, make_log_of_readers,
                                drop_log_of_readers);
    tcase_add_loop_test(readers,
                        a_reader_says_what_failed_and_shows_nothing_wrong, 0,
                        NUM(reader_kinds));
    return run_suite("faults", (TCase *[]){ calls, after, readers, NULL });
}
