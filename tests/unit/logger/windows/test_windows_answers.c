/* The recorder of Windows: applications' counters behind an answer of Windows, and answers that do not add up. */
#include "logger/sampler.h"
#include "logger/windows/counter_filter.h"
#include "logger/windows/self.h"
#include "tests/support/fake_registry.h"
#include "tests/support/made_blocks.h"
#include "tests/support/support.h"
#include "tests/support/windows_machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUM(table) (sizeof(table) / sizeof *(table))

/* ---- what applications publish ----------------------------------------------------- */

enum { MOUSE = PL_PUBLISHED_FIRST, PIPE = MOUSE + 4, OTHER = PIPE + 4 };

static struct pl_buf regions;

static void set_title(uint32_t index, enum pl_title_kind kind, const char *text)
{
    ck_assert_int_eq(pl_titles_set(fake_published.titles, index, kind,
                                   PL_LANGUAGE_ENGLISH, pl_text_of(text)),
                     PL_OK);
}

static void release_published(void)
{
    pl_titles_free(fake_published.titles);
    fake_published.titles = NULL;
    pl_buf_release(&regions);
}

/*
 * A list of processes, Mouse whose instances belong to it, Pipe of which one
 * belongs to it and one to Mouse, and Other; made beside the machine's block.
 */
static void publish(void)
{
    const uint32_t objects[] = { PL_PUBLISHED_OWN, MOUSE, PIPE, OTHER };
    static const char *const called[] = { PL_PUBLISHED_NAME, "Mouse", "Pipe",
                                          "Other" };
    struct pl_buf theirs = win.block;
    size_t at;

    ck_assert_int_eq(pl_titles_new(&fake_published.titles), PL_OK);
    for (size_t i = 0; i < NUM(objects); i++)
        set_title(objects[i], PL_TITLE_NAME, called[i]);
    set_title(MOUSE + 1, PL_TITLE_HELP, "Squeaks.");
    win.block = (struct pl_buf){ 0 };
    pl_put_block(&win.block, &(struct pl_block_stamp){ 0 }, NULL, 0);
    win_put_object(PL_PUBLISHED_OWN, 0, 1);
    win_put_object(MOUSE, PL_PUBLISHED_OWN, 2);
    at = win_put_object(PIPE, PL_PUBLISHED_OWN, 2);
    /* behind the object with its counter, and the first instance */
    pl_buf_set_u32(&win.block, at + 104 + 40 + 4, MOUSE);
    win_put_object(OTHER, 0, 0);
    pl_put_block_close(&win.block, 0, 4, -1);
    regions = win.block;
    win.block = theirs;
    fake_published.block = &regions;
    fake_published.object = "Mouse";
}

START_TEST(what_applications_publish_stands_behind_what_windows_has)
{
    struct pl_sampler_options options = { 0 };
    const struct pl_titles *t;
    uint32_t generation;
    const char *why;

    win_start();
    publish();
    ck_assert_int_eq(win_open(&options, &why), PL_OK);
    ck_assert_uint_eq(fake_published.reported, 0);
    ck_assert_uint_eq(fake_published.first, 40000);
    win_sample();
    ck_assert_str_eq(win_objects(), "2 230 232 21950 40000 40004 40008 21700");
    ck_assert_uint_eq(fake_published.reported, 1);
    ck_assert_int_eq(fake_published.perf_freq, 1000); /* that of the block */
    t = pl_sampler_titles(win.sampler, &generation);
    ck_assert(win_has_text(pl_titles_name(t, MOUSE), "Mouse"));
    ck_assert(win_has_text(pl_titles_help(t, MOUSE + 1), "Squeaks."));
    pl_sampler_close(win.sampler);
    win.sampler = NULL;
    ck_assert_uint_eq(fake_published.closed, 1);
    release_published();
}
END_TEST

START_TEST(tables_without_room_are_reported)
{
    struct pl_sampler_options options = { 0 };
    const char *why;

    win_start();
    publish();
    ck_assert_int_eq(win_open(&options, &why), PL_OK);
    win_sample();
    ck_assert_ptr_null(pl_sampler_trouble(win.sampler));
    fake_published.base.left_out = true;
    win_sample();
    ck_assert_ptr_nonnull(strstr(pl_sampler_trouble(win.sampler), "left out"));
    fake_published.base.left_out = false;
    release_published();
}
END_TEST

START_TEST(what_windows_tells_of_is_not_recorded_twice)
{
    struct pl_sampler_options options = { .language = "00C" };
    const char *why;

    win_start();
    publish();
    fake_published.object = "Process";
    ck_assert_int_eq(win_open(&options, &why), PL_OK);
    win_sample();
    ck_assert_str_eq(win_objects(), "2 230 232 21700");
    fake_published.object = "Processus"; /* of the language asked for */
    win_sample();
    ck_assert_str_eq(win_objects(), "2 230 232 21700");
    fake_published.object = "performance logger";
    win_sample();
    ck_assert_str_eq(win_objects(), "2 230 232 21700");
    fake_published.object = "Job Object"; /* which has a name, but no data */
    win_sample();
    ck_assert_str_eq(win_objects(), "2 230 232 21950 40000 40004 40008 21700");
    release_published();
}
END_TEST

static const struct {
    const char *path;
    const char *objects;
    unsigned read; /* when opened, and in the sample */
} published_choices[] = {
    { "Mouse", "21950 40000 21700", 2 },
    { "\\Pipe(*)\\*", "21950 40000 40004 21700", 2 },
    { "Other", "40008 21700", 2 },
    { "+Other", "2 230 232 21950 40000 40004 40008 21700", 2 },
    { "\\O*\\*", "40008 21700", 2 },
    { "System", "2 21700", 1 },
    { "Performance Logger", "21700", 1 },
};

START_TEST(it_is_chosen_as_anything_else)
{
    win_start();
    publish();
    win_choose(published_choices[_i].path);
    fake_set(NULL, "2", win.block.p, win.block.len);
    win_open_and_sample();
    ck_assert_str_eq(win_objects(), published_choices[_i].objects);
    ck_assert_uint_eq(fake_published.read, published_choices[_i].read);
    ck_assert_uint_eq(fake_published.closed, published_choices[_i].read == 1);
    release_published();
}
END_TEST

START_TEST(its_numbers_are_far_from_those_of_windows)
{
    win_start();
    publish();
    win_add_title(&win.names, "39999", "Last");
    fake_set(NULL, "Counter 009", win.names.p, win.names.len);
    win_open_and_sample();
    ck_assert_uint_eq(fake_published.first, 49998);
    pl_sampler_close(win.sampler);
    win.sampler = NULL;
    win_add_title(&win.names, "2147483000", "Nobody's");
    fake_set(NULL, "Counter 009", win.names.p, win.names.len);
    win_open_and_sample();
    ck_assert_uint_eq(fake_published.opened, 1);
    ck_assert_str_eq(win_objects(), "2 230 232 21700");
    release_published();
}
END_TEST

START_TEST(it_is_of_this_machine_only)
{
    struct pl_sampler_options options = { .host = "\\\\THERE" };
    const char *why;

    win_start();
    publish();
    ck_assert_int_eq(win_open(&options, &why), PL_OK);
    win_sample();
    ck_assert_str_eq(win_objects(), "2 230 232 21700");
    ck_assert_uint_eq(fake_published.opened, 0);
    release_published();
}
END_TEST

/* ---- what does not add up -------------------------------------------------------------- */

/* Wine 8 puts objects 88 bytes too far back: the first has no length. */
START_TEST(objects_behind_a_hole_are_refused)
{
    struct pl_buf holed = { 0 };
    struct pl_block b;
    char place[32];

    win_start();
    pl_block_parse(&b, win.block.p, win.block.len);
    pl_buf_bytes(&holed, win.block.p, b.header_len);
    pl_buf_zeros(&holed, 88);
    pl_buf_bytes(&holed, win.block.p + b.header_len,
                 win.block.len - b.header_len - 88);
    fake_set(NULL, "Global", holed.p, holed.len);
    win_open_and_sample();
    ck_assert_str_eq(win_objects(), "21700");
    ck_assert_ptr_nonnull(pl_sampler_trouble(win.sampler));
    snprintf(place, sizeof place, "byte %u: ", b.header_len);
    ck_assert_ptr_nonnull(strstr(pl_sampler_trouble(win.sampler), place));

    fake_set(NULL, "Global", win.block.p, win.block.len);
    win_sample();
    ck_assert_str_eq(win_objects(), "2 230 232 21700");
    ck_assert_ptr_null(pl_sampler_trouble(win.sampler));
    pl_buf_release(&holed);
}
END_TEST

START_TEST(an_answer_cut_anywhere_gives_a_whole_sample)
{
    const struct pl_sampler_options options = { 0 };
    size_t complete = 0;
    const char *why;

    win_start();
    ck_assert_int_eq(pl_sampler_open(&win.sampler, &options, &why), PL_OK);
    for (size_t n = 0; n <= win.block.len; n++) {
        uint8_t *cut = exact_copy(win.block.p, n);

        fake_set(NULL, "Global", cut, n);
        win_sample();
        complete += !strcmp(win_objects(), "2 230 232 21700");
        ck_assert_msg(n == win.block.len || !n ||
                          pl_sampler_trouble(win.sampler),
                      "%d bytes: no trouble", (int)n);
        free(cut);
    }
    ck_assert_uint_eq(complete, 1);
}
END_TEST

START_TEST(an_answer_damaged_anywhere_gives_a_whole_sample)
{
    const struct pl_sampler_options options = { 0 };
    const char *why;

    win_start();
    ck_assert_int_eq(pl_sampler_open(&win.sampler, &options, &why), PL_OK);
    for (size_t at = 0; at < win.block.len; at++)
        for (unsigned bit = 0; bit < 8; bit += 7) {
            static const struct pl_logger_stats stats;
            const struct pl_tick tick = { 1, 1, 1 };
            uint8_t *hurt = exact_copy(win.block.p, win.block.len);

            hurt[at] ^= (uint8_t)(1u << bit);
            fake_set(NULL, "Global", hurt, win.block.len);
            ck_assert_int_eq(
                pl_sampler_read(win.sampler, &tick, &stats, &win.out), PL_OK);
            free(hurt);
        }
}
END_TEST

START_TEST(blocks_of_other_kinds_are_refused)
{
    void (*const kinds[])(struct pl_buf *) = { block_to_big_endian,
                                               block_to_revision_0 };

    win_start();
    kinds[_i](&win.block);
    fake_set(NULL, "Global", win.block.p, win.block.len);
    win_open_and_sample();
    ck_assert_str_eq(win_objects(), "21700");
    ck_assert_ptr_nonnull(pl_sampler_trouble(win.sampler));
}
END_TEST

START_TEST(help_of_a_shared_name_is_everyones_own)
{
    const struct pl_titles *t;
    struct pl_counter_def c;
    struct pl_block b;
    struct pl_object o;
    uint32_t generation;

    win_start();
    win_add_title(&win.helps, "7", "In Windows' words.");
    fake_set(NULL, "Help 009", win.helps.p, win.helps.len);
    win_open_and_sample();
    t = pl_sampler_titles(win.sampler, &generation);
    ck_assert(
        win_has_text(pl_titles_help(t, COUNTER + 1), "In Windows' words."));
    pl_block_parse(&b, win.out.p, win.out.len);
    while (!pl_object_next(&b, &o) && o.title_index != PL_SELF_FIRST)
        ;
    ck_assert_int_eq(pl_counter_next(&o, &c), PL_OK);
    ck_assert_uint_eq(c.title_index, COUNTER);
    ck_assert(
        win_has_text(pl_titles_help(t, c.help_index),
                     "Share of one processor's time used by the logger."));
}
END_TEST

START_TEST(providers_begin_anew_after_an_error)
{
    win_start();
    win_open_and_sample();
    fake_set(NULL, "Global", NULL, 0)->error = 5;
    win_sample();
    ck_assert_str_eq(win_objects(), "21700");
    ck_assert_ptr_nonnull(strstr(pl_sampler_trouble(win.sampler), "error 5"));
    ck_assert_uint_eq(fake.let_go, 1);
}
END_TEST

START_TEST(a_title_of_ours_is_not_taken_from_others)
{
    win_start();
    win_put_block();
    win_put_object(PL_SELF_FIRST, 0, 0);
    pl_put_block_close(&win.block, 0, 4, SYSTEM);
    fake_set(NULL, "Global", win.block.p, win.block.len);
    win_open_and_sample();
    ck_assert_str_eq(win_objects(), "2 230 232 21700");
    ck_assert_uint_eq(win.out.len, win.block.len);
}
END_TEST

int main(void)
{
    TCase *published = tcase_create("published"),
          *damaged = tcase_create("damaged");

    tcase_add_test(published,
                   what_applications_publish_stands_behind_what_windows_has);
    tcase_add_test(published, tables_without_room_are_reported);
    tcase_add_test(published, what_windows_tells_of_is_not_recorded_twice);
    tcase_add_loop_test(published, it_is_chosen_as_anything_else, 0,
                        NUM(published_choices));
    tcase_add_test(published, its_numbers_are_far_from_those_of_windows);
    tcase_add_test(published, it_is_of_this_machine_only);
    tcase_add_test(damaged, objects_behind_a_hole_are_refused);
    tcase_add_test(damaged, an_answer_cut_anywhere_gives_a_whole_sample);
    tcase_add_test(damaged, an_answer_damaged_anywhere_gives_a_whole_sample);
    tcase_add_loop_test(damaged, blocks_of_other_kinds_are_refused, 0, 2);
    tcase_add_test(damaged, help_of_a_shared_name_is_everyones_own);
    tcase_add_test(damaged, providers_begin_anew_after_an_error);
    tcase_add_test(damaged, a_title_of_ours_is_not_taken_from_others);
    return run_suite("windows_answers",
                     (TCase *[]){ published, damaged, NULL });
}
