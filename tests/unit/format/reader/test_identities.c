/* Identities of processes in logs: written once, and again where reading may
 * begin. */
#include "format/reader/reader.h"
#include "format/writer/writer.h"

#include "format/base/file.h"
#include "format/time/time_text.h"
#include "format/block/winperf.h"
#include "tests/support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEP (300 * PL_NS_PER_SEC) /* each sample begins a chunk */
enum { START = 7, NUM = 200, EACH = 3, LIFE = 10, LONGEST = 40 };

/* Process i*EACH lives in the samples from i on; LIFE of them are alive. */
static void make_block(struct pl_buf *b, uint32_t sample)
{
    static const struct pl_block_stamp stamp = { 0 };
    static const struct pl_counter_def defs[] = {
        { .title_index = PL_TITLE_PID, .size = 4, .offset = 8 },
        { .title_index = PL_TITLE_STARTED, .size = 8, .offset = 16 },
    };
    const struct pl_object o = { .title_index = PL_TITLE_PROCESS };
    uint32_t first = sample < LIFE ? 0 : sample - LIFE + 1;
    size_t block, object;

    pl_buf_clear(b);
    block = pl_put_block(b, &stamp, NULL, 0);
    object = pl_put_object(b, &o);
    pl_put_counter(b, &defs[0]);
    pl_put_counter(b, &defs[1]);
    pl_put_definitions_close(b, object, 2);
    for (uint32_t i = first; i <= sample; i++) {
        uint8_t *p;

        pl_put_instance_called(b, 0, 0, -1, pl_text_of("x"));
        p = pl_put_counter_block(b, 24);
        pl_put_le32(p + 8, EACH * i);
        pl_put_le64(p + 16, START);
    }
    pl_put_object_close(b, object, (int32_t)(sample - first + 1));
    pl_put_block_close(b, block, 1, 230);
}

static void name(char text[32], uint32_t sample)
{
    snprintf(text, 32, "/bin/p%u", sample);
}

static void write_sample(struct pl_writer *w, uint32_t i)
{
    struct pl_sample_stamp stamp = { .utc_ns = (i + 1) * STEP,
                                     .boot_ns = (i + 1) * STEP };
    struct pl_process_identity p = { .pid = EACH * i, .start = START };
    struct pl_buf block = { 0 }, payload = { 0 };
    char text[32];

    name(text, i);
    p.executable = pl_text_of(text);
    pl_process_identity_write(&p, &payload);
    p.pid++; /* the block lacks it: a filter left it out */
    pl_process_identity_write(&p, &payload);
    ck_assert_int_eq(pl_writer_identities(w, &payload), PL_OK);
    make_block(&block, i);
    ck_assert_int_eq(pl_writer_sample(w, &stamp, &block), PL_OK);
    pl_buf_release(&block);
    pl_buf_release(&payload);
}

static void write_log(const char *path, uint64_t max_time_ns)
{
    const struct pl_writer_options options = { .sync_ns = PL_SYNC_NEVER,
                                               .max_time_ns = max_time_ns };
    struct pl_writer_stats stats;
    struct pl_writer *w;
    const char *why;

    ck_assert_int_eq(pl_writer_open(&w, path, &options, &why), PL_OK);
    for (uint32_t i = 0; i < NUM; i++)
        write_sample(w, i);
    ck_assert_int_eq(pl_writer_close(w, PL_END_ASKED, &stats), PL_OK);
}

/* All processes alive at sample 'i' are known, by their own texts. */
static void check_known(const struct pl_reader *r, uint32_t i)
{
    const struct pl_identity_set *s = pl_reader_identities(r);

    for (uint32_t k = i < LIFE ? 0 : i - LIFE + 1; k <= i; k++) {
        struct pl_process_identity p;
        uint64_t version;
        char text[32];

        ck_assert(pl_identity_set_find(s, EACH * k, START, &p, &version));
        name(text, k);
        ck_assert(pl_text_equal(p.executable, pl_text_of(text)));
        ck_assert(!pl_identity_set_find(s, EACH * k + 1, START, &p, &version));
    }
}

/* Read on; returns the number of the first sample. */
static uint32_t check_rest(struct pl_reader *r, uint32_t *num_items,
                           uint32_t *num_repeats)
{
    uint32_t first = UINT32_MAX;
    struct pl_item item;
    enum pl_status s;

    *num_items = *num_repeats = 0;
    while (!(s = pl_reader_next(r, &item))) {
        uint32_t i = (uint32_t)(item.record.utc_ns / STEP - 1);

        ck_assert_int_ne(item.kind, PL_ITEM_DAMAGED);
        *num_items += item.kind == PL_ITEM_IDENTITIES;
        *num_repeats +=
            item.kind == PL_ITEM_IDENTITIES && item.record.raw_len > LONGEST;
        if (item.kind != PL_ITEM_SAMPLE)
            continue;
        check_known(r, i);
        first = first < i ? first : i;
    }
    ck_assert_int_eq(s, PL_END);
    return first;
}

START_TEST(each_is_written_once_and_again_after_an_index)
{
    const char *path = path_in(temp_dir(), "log");
    struct pl_reader *r;
    uint32_t num, repeats;

    write_log(path, 0);
    ck_assert_int_eq(pl_reader_open(&r, path, NULL), PL_OK);
    ck_assert_ptr_null(pl_reader_identities(r));
    ck_assert_uint_eq(check_rest(r, &num, &repeats), 0);
    ck_assert_uint_eq(num, NUM);
    ck_assert_uint_eq(repeats, NUM / 64);
    pl_reader_close(r);
}
END_TEST

START_TEST(a_reader_that_begins_in_the_middle_has_those_alive)
{
    static const uint32_t wanted[] = { 70, 130, 199 };
    const char *path = path_in(temp_dir(), "log");

    write_log(path, 0);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        struct pl_reader *r;
        uint32_t num, repeats;

        ck_assert_int_eq(pl_reader_open(&r, path, NULL), PL_OK);
        ck_assert_int_eq(pl_reader_seek(r, (wanted[i] + 1) * STEP), PL_OK);
        ck_assert_uint_ge(check_rest(r, &num, &repeats), 64);
        pl_reader_close(r);
    }
}
END_TEST

START_TEST(each_segment_has_those_alive)
{
    const char *dir = temp_dir(), *path = path_in(dir, "log.plog");
    char **names;
    size_t n;

    write_log(path, 20 * STEP);
    ck_assert_int_eq(pl_dir_list(dir, &names, &n), PL_OK);
    ck_assert_uint_ge(n, 10);
    for (size_t i = 0; i < n; i++) {
        struct pl_reader *r;
        uint32_t num, repeats;

        ck_assert_int_eq(pl_reader_open(&r, path_in(dir, names[i]), NULL),
                         PL_OK);
        check_rest(r, &num, &repeats);
        pl_reader_close(r);
    }
    pl_dir_list_free(names, n);
}
END_TEST

/* A record that is not what it should be costs its texts only. */
START_TEST(a_payload_that_contradicts_itself_is_reported)
{
    const struct pl_writer_options options = { .sync_ns = PL_SYNC_NEVER };
    const struct pl_record record = { .type = PL_IDEN, .stored_len = 5 };
    const char *path = path_in(temp_dir(), "log"), *why;
    struct pl_writer_stats stats;
    struct pl_writer *w;
    struct pl_reader *r;
    struct pl_item item;
    unsigned damaged = 0, samples = 0;

    ck_assert_int_eq(pl_writer_open(&w, path, &options, &why), PL_OK);
    ck_assert_int_eq(pl_writer_keep(w, &record,
                                    (const uint8_t *)"\x09"
                                                     "abcd"),
                     PL_OK);
    write_sample(w, 0);
    ck_assert_int_eq(pl_writer_close(w, PL_END_ASKED, &stats), PL_OK);
    ck_assert_int_eq(pl_reader_open(&r, path, NULL), PL_OK);
    while (!pl_reader_next(r, &item)) {
        damaged += item.kind == PL_ITEM_DAMAGED && item.harmless;
        samples += item.kind == PL_ITEM_SAMPLE;
    }
    ck_assert_uint_eq(damaged, 1);
    ck_assert_uint_eq(samples, 1);
    check_known(r, 0);
    pl_reader_close(r);
}
END_TEST

int main(void)
{
    TCase *logs = tcase_create("logs");
    TCase *const cases[] = { logs, NULL };

    tcase_add_test(logs, each_is_written_once_and_again_after_an_index);
    tcase_add_test(logs, a_reader_that_begins_in_the_middle_has_those_alive);
    tcase_add_test(logs, each_segment_has_those_alive);
    tcase_add_test(logs, a_payload_that_contradicts_itself_is_reported);
    return run_suite("identities", cases);
}
