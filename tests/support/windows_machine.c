/* The machine of windows_machine.h. */
#include "tests/support/windows_machine.h"

#include "format/base/utf.h"
#include "format/block/winperf.h"
#include "tests/support/fake_registry.h"
#include "tests/support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct windows_machine win;

void win_add_title(struct pl_buf *list, const char *index, const char *text)
{
    pl_utf8_to_utf16(list, index, strlen(index));
    pl_buf_u16(list, 0);
    pl_utf8_to_utf16(list, text, strlen(text));
    pl_buf_u16(list, 0);
}

static void release_all(void)
{
    pl_sampler_close(win.sampler);
    win.sampler = NULL;
    pl_counter_path_list_release(&win.paths);
    pl_buf_release(&win.names);
    pl_buf_release(&win.helps);
    pl_buf_release(&win.local);
    pl_buf_release(&win.block);
    pl_buf_release(&win.out);
}

size_t win_put_object(uint32_t title, uint32_t parent, unsigned instances)
{
    const struct pl_object object = { .title_index = title,
                                      .help_index = title + 1,
                                      .detail_level = PERF_DETAIL_NOVICE };
    const struct pl_counter_def counter = { .title_index = COUNTER,
                                            .help_index = COUNTER + 1,
                                            .type = PERF_COUNTER_RAWCOUNT,
                                            .size = 4,
                                            .offset = 4 };
    size_t at = pl_put_object(&win.block, &object);

    pl_put_counter(&win.block, &counter);
    pl_put_definitions_close(&win.block, at, 1);
    for (unsigned i = 0; i < instances; i++) {
        pl_put_instance(&win.block, parent, 0, (const uint8_t *)"a\0", 2);
        pl_put_counter_block(&win.block, 8);
    }
    if (!instances)
        pl_put_counter_block(&win.block, 8);
    pl_put_object_close(&win.block, at,
                        instances ? (int32_t)instances : PERF_NO_INSTANCES);
    return at;
}

void win_put_block(void)
{
    const struct pl_block_stamp stamp = { .perf_freq = 1000, .perf_time = 77 };

    pl_buf_clear(&win.block);
    pl_put_block(&win.block, &stamp, (const uint8_t *)"P\0C\0", 4);
    win_put_object(SYSTEM, 0, 0);
    win_put_object(PROCESS, 0, 3);
    win_put_object(THREAD, PROCESS, 2);
    pl_put_block_close(&win.block, 0, 3, SYSTEM);
}

/* A machine with three objects and names for four. */
void win_start(void)
{
    atexit(release_all);
    release_all();
    fake_start();
    win_add_title(&win.names, "1", "1847");
    win_add_title(&win.names, "2", "System");
    win_add_title(&win.names, "6", "% Processor Time");
    win_add_title(&win.names, "230", "Process");
    win_add_title(&win.names, "232", "Thread");
    win_add_title(&win.names, "1500", "Job Object");
    win_add_title(&win.helps, "3", "The system.");
    win_add_title(&win.local, "230", "Processus");
    win_add_title(&win.local, "6", "% temps processeur");
    win_put_block();
    fake_set(NULL, "Counter 009", win.names.p, win.names.len);
    fake_set(NULL, "Help 009", win.helps.p, win.helps.len);
    fake_set("00C", "Counter", win.local.p, win.local.len);
    fake_set(NULL, "Global", win.block.p, win.block.len);
}

enum pl_status win_open(struct pl_sampler_options *options, const char **why)
{
    *why = NULL;
    options->choice = &win.paths;
    return pl_sampler_open(&win.sampler, options, why);
}

void win_choose(const char *path)
{
    const char *why;

    ck_assert_int_eq(pl_counter_path_list_add(&win.paths, path, &why), PL_OK);
}

void win_sample(void)
{
    static const struct pl_logger_stats stats;
    const struct pl_tick tick = { 1700000000000000000, 5000000000, 4000000000 };
    struct pl_misfit misfit;

    ck_assert_int_eq(pl_sampler_read(win.sampler, &tick, &stats, &win.out),
                     PL_OK);
    ck_assert_msg(pl_block_check(win.out.p, win.out.len, &misfit),
                  "byte %d: %s", (int)misfit.at, misfit.reason);
}

/* The objects of the sample, "2 230 21700". */
const char *win_objects(void)
{
    static char text[256];
    struct pl_block b;
    struct pl_object o;

    ck_assert_int_eq(pl_block_parse(&b, win.out.p, win.out.len), PL_OK);
    ck_assert_uint_eq(b.total_len, win.out.len);
    *text = 0;
    while (!pl_object_next(&b, &o))
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%u",
                 *text ? " " : "", o.title_index);
    return text;
}

void win_open_and_sample(void)
{
    struct pl_sampler_options options = { 0 };
    const char *why;

    ck_assert_int_eq(win_open(&options, &why), PL_OK);
    win_sample();
}

bool win_has_text(struct pl_text t, const char *want)
{
    return t.n == strlen(want) && !memcmp(t.p, want, t.n);
}
