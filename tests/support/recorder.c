/* A writer of segments, and what there is in its folder. */
#include "tests/support/recorder.h"

#include "format/base/file.h"
#include "format/time/time_text.h"
#include "tests/support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int64_t recorder_ahead;

int64_t __real_pl_clock_steady(void);
int64_t __wrap_pl_clock_steady(void);
int64_t __wrap_pl_clock_steady(void)
{
    static int64_t begun;

    if (!begun)
        begun = __real_pl_clock_steady();
    return begun + recorder_ahead;
}

/* ---- the writer ------------------------------------------------------------- */

void recorder_start(struct recorder *r, const struct pl_writer_options *o)
{
    *r = (struct recorder){ .options = *o };
    machine_start(&r->m, 1, 3);
    r->m.utc_ns = pl_clock_utc();
    r->w = log_open(path_in(temp_dir(), "log.plog"), o);
}

void recorder_add(struct recorder *r)
{
    faults_on();
    log_add(&r->l, r->w, &r->m, SECOND, 1);
    faults_off();
}

enum pl_status recorder_try(struct recorder *r)
{
    struct pl_buf block = { 0 };
    struct pl_sample_stamp stamp;
    enum pl_status s;

    machine_run(&r->m, SECOND);
    stamp = (struct pl_sample_stamp){ r->m.utc_ns, r->m.boot_ns, 0 };
    machine_block(&r->m, &block);
    faults_on();
    s = pl_writer_sample(r->w, &stamp, &block);
    faults_off();
    pl_buf_release(&block);
    return s;
}

void recorder_stop(struct recorder *r)
{
    faults_on();
    pl_writer_close(r->w, PL_END_ASKED, &r->final);
    faults_off();
    faults_set(NULL, 0);
    machine_stop(&r->m);
    log_release(&r->l);
}

void recorder_restart(struct recorder *r)
{
    struct pl_writer_options options = r->options;

    recorder_stop(r);
    recorder_start(r, &options);
}

void let_fail(enum faulty_call call, uint32_t num, int error)
{
    struct fault f = { call, 1, num, error };

    faults_set(&f, 1);
}

/* ---- its folder --------------------------------------------------------------- */

void make_segments(const char *name, unsigned from, unsigned num, size_t bytes)
{
    char *content = calloc(bytes, 1);

    for (unsigned i = from; i < from + num; i++) {
        char file[64];

        snprintf(file, sizeof file, "%s-%03u.plog", name, i);
        write_file(path_in(temp_dir(), file), content, bytes);
    }
    free(content);
}

/* Call 'act' with the path of each file whose name begins so. */
static void each_file(const char *begin, void (*act)(const char *path))
{
    size_t num;
    char **names;

    ck_assert_int_eq(pl_dir_list(temp_dir(), &names, &num), PL_OK);
    for (size_t i = 0; i < num; i++)
        if (!strncmp(names[i], begin, strlen(begin)))
            act(path_in(temp_dir(), names[i]));
    pl_dir_list_free(names, num);
}

static size_t files, samples;
static uint64_t bytes;

static void count(const char *path)
{
    struct pl_file *f;
    uint64_t size;

    ck_assert_int_eq(pl_file_open(&f, path), PL_OK);
    ck_assert_int_eq(pl_file_size(f, &size), PL_OK);
    pl_file_close(f);
    files++;
    bytes += size;
}

size_t num_files(const char *begin)
{
    files = 0;
    each_file(begin, count);
    return files;
}

uint64_t num_bytes(const char *begin)
{
    bytes = 0;
    each_file(begin, count);
    return bytes;
}

static void delete_one(const char *path)
{
    ck_assert_int_eq(unlink(path), 0);
}

void delete_all(void)
{
    each_file("", delete_one);
}

struct pl_gaps reported[PL_NUM_GAP_CAUSES];

size_t read_one(const char *path)
{
    size_t num = 0;
    struct pl_reader *r;
    struct pl_item item;

    ck_assert_int_eq(pl_reader_open(&r, path, NULL), PL_OK);
    while (!pl_reader_next(r, &item)) {
        num += item.kind == PL_ITEM_SAMPLE;
        if (item.kind == PL_ITEM_GAPS) {
            reported[item.gaps.cause].count += item.gaps.count;
            reported[item.gaps.cause].error = item.gaps.error;
        }
    }
    pl_reader_close(r);
    return num;
}

static void add_samples(const char *path)
{
    samples += read_one(path);
}

size_t read_all(void)
{
    samples = 0;
    each_file("", add_samples);
    return samples;
}
