/* The recorder of Windows over a registry that answers as a test sets. */
#include "format/base/utf.h"
#include "format/block/winperf.h"
#include "logger/sampler.h"
#include "logger/windows/counter_filter.h"
#include "logger/windows/query_value.h"
#include "logger/windows/self.h"
#include "logger/windows/suspend.h"
#include "tests/support/fake_registry.h"
#include "tests/support/made_blocks.h"
#include "tests/support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUM(table) (sizeof(table) / sizeof *(table))

enum { SYSTEM = 2, PROCESS = 230, THREAD = 232, JOB = 1500, COUNTER = 6 };

/* ---- values of any size --------------------------------------------------------- */

static const struct {
    size_t size;
    enum fake_manner manner;
    enum pl_status want;
    unsigned asked;
} sizes[] = {
    { 0, FAKE_HONEST, PL_OK, 1 },
    { PL_FETCH_LEAST - 1, FAKE_HONEST, PL_OK, 1 },
    { PL_FETCH_LEAST, FAKE_HONEST, PL_OK, 2 }, /* it may have been cut */
    { PL_FETCH_LEAST, FAKE_CUTS, PL_OK, 2 },
    { PL_FETCH_LEAST + 1, FAKE_ZEROES_LEN, PL_OK, 2 },
    { 5 * PL_FETCH_LEAST, FAKE_CUTS, PL_OK, 4 },
    { 1 << 20, FAKE_ZEROES_LEN, PL_OK, 6 },
    { PL_FETCH_MOST, FAKE_HONEST, PL_OK, 11 },
    { PL_FETCH_MOST + 1, FAKE_HONEST, PL_TOO_LARGE, 11 },
    { PL_FETCH_MOST + 1, FAKE_CUTS, PL_TOO_LARGE, 11 },
    { 1, FAKE_BRAGS, PL_CORRUPT, 1 },
};

START_TEST(a_value_of_any_size_comes_whole_or_not_at_all)
{
    size_t n = sizes[_i].size;
    uint8_t *bytes = calloc(1, n + 1);
    struct pl_buf out = { 0 };
    struct fake_value *v;
    uint32_t error;

    ck_assert_ptr_nonnull(bytes);
    fake_start();
    if (n)
        bytes[0] = bytes[n - 1] = 0xA5;
    v = fake_set(NULL, "Global", bytes, n);
    v->manner = sizes[_i].manner;
    ck_assert_int_eq(pl_query_value(&fake.base, NULL, "Global", &out, &error),
                     sizes[_i].want);
    ck_assert_uint_eq(v->asked, sizes[_i].asked);
    if (!sizes[_i].want) {
        ck_assert_uint_eq(out.len, n);
        ck_assert(!n || !memcmp(out.p, bytes, n));
    }
    pl_buf_release(&out);
    free(bytes);
}
END_TEST

START_TEST(room_once_found_serves_again)
{
    struct pl_buf out = { 0 };
    uint32_t error;
    char *bytes = calloc(1, 1 << 20);
    struct fake_value *v;

    fake_start();
    v = fake_set("009", "Counter", bytes, 1 << 20);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(
            pl_query_value(&fake.base, "009", "Counter", &out, &error), PL_OK);
    ck_assert_uint_eq(v->asked, 6 + 2);
    v->error = 5;
    ck_assert_int_eq(pl_query_value(&fake.base, "009", "Counter", &out, &error),
                     PL_IO);
    ck_assert_uint_eq(error, 5);
    pl_buf_release(&out);
    free(bytes);
}
END_TEST

/* ---- a machine --------------------------------------------------------------------- */

static struct pl_buf names, helps, local, block, out;
static struct pl_sampler *sampler;
static struct pl_counter_path_list paths;

static void add_title(struct pl_buf *list, const char *index, const char *text)
{
    pl_utf8_to_utf16(list, index, strlen(index));
    pl_buf_u16(list, 0);
    pl_utf8_to_utf16(list, text, strlen(text));
    pl_buf_u16(list, 0);
}

static void release_all(void)
{
    pl_sampler_close(sampler);
    sampler = NULL;
    pl_counter_path_list_release(&paths);
    pl_buf_release(&names);
    pl_buf_release(&helps);
    pl_buf_release(&local);
    pl_buf_release(&block);
    pl_buf_release(&out);
}

static size_t put_object(uint32_t title, uint32_t parent, unsigned instances)
{
    const struct pl_object object = { .title_index = title,
                                      .help_index = title + 1,
                                      .detail_level = PERF_DETAIL_NOVICE };
    const struct pl_counter_def counter = { .title_index = COUNTER,
                                            .help_index = COUNTER + 1,
                                            .type = PERF_COUNTER_RAWCOUNT,
                                            .size = 4,
                                            .offset = 4 };
    size_t at = pl_put_object(&block, &object);

    pl_put_counter(&block, &counter);
    pl_put_definitions_close(&block, at, 1);
    for (unsigned i = 0; i < instances; i++) {
        pl_put_instance(&block, parent, 0, (const uint8_t *)"a\0", 2);
        pl_put_counter_block(&block, 8);
    }
    if (!instances)
        pl_put_counter_block(&block, 8);
    pl_put_object_close(&block, at,
                        instances ? (int32_t)instances : PERF_NO_INSTANCES);
    return at;
}

static void put_block(void)
{
    const struct pl_block_stamp stamp = { .perf_freq = 1000, .perf_time = 77 };

    pl_buf_clear(&block);
    pl_put_block(&block, &stamp, (const uint8_t *)"P\0C\0", 4);
    put_object(SYSTEM, 0, 0);
    put_object(PROCESS, 0, 3);
    put_object(THREAD, PROCESS, 2);
    pl_put_block_close(&block, 0, 3, SYSTEM);
}

/* A machine with three objects and names for four. */
static void machine(void)
{
    atexit(release_all);
    release_all();
    fake_start();
    add_title(&names, "1", "1847");
    add_title(&names, "2", "System");
    add_title(&names, "6", "% Processor Time");
    add_title(&names, "230", "Process");
    add_title(&names, "232", "Thread");
    add_title(&names, "1500", "Job Object");
    add_title(&helps, "3", "The system.");
    add_title(&local, "230", "Processus");
    add_title(&local, "6", "% temps processeur");
    put_block();
    fake_set(NULL, "Counter 009", names.p, names.len);
    fake_set(NULL, "Help 009", helps.p, helps.len);
    fake_set("00C", "Counter", local.p, local.len);
    fake_set(NULL, "Global", block.p, block.len);
}

static enum pl_status open_sampler(struct pl_sampler_options *options,
                                   const char **why)
{
    *why = NULL;
    options->choice = &paths;
    return pl_sampler_open(&sampler, options, why);
}

static void choose(const char *path)
{
    const char *why;

    ck_assert_int_eq(pl_counter_path_list_add(&paths, path, &why), PL_OK);
}

static void sample(void)
{
    static const struct pl_logger_stats stats;
    const struct pl_tick tick = { 1700000000000000000, 5000000000, 4000000000 };
    struct pl_misfit misfit;

    ck_assert_int_eq(pl_sampler_read(sampler, &tick, &stats, &out), PL_OK);
    ck_assert_msg(pl_block_check(out.p, out.len, &misfit), "byte %d: %s",
                  (int)misfit.at, misfit.reason);
}

/* The objects of the sample, "2 230 21700". */
static const char *objects(void)
{
    static char text[256];
    struct pl_block b;
    struct pl_object o;

    ck_assert_int_eq(pl_block_parse(&b, out.p, out.len), PL_OK);
    ck_assert_uint_eq(b.total_len, out.len);
    *text = 0;
    while (!pl_object_next(&b, &o))
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%u",
                 *text ? " " : "", o.title_index);
    return text;
}

static void open_and_sample(void)
{
    struct pl_sampler_options options = { 0 };
    const char *why;

    ck_assert_int_eq(open_sampler(&options, &why), PL_OK);
    sample();
}

START_TEST(objects_come_as_they_are_with_ours_behind)
{
    struct pl_block b;

    machine();
    open_and_sample();
    ck_assert_str_eq(objects(), "2 230 232 21700");
    ck_assert_ptr_null(pl_sampler_trouble(sampler));
    pl_block_parse(&b, out.p, out.len);
    ck_assert_int_eq(memcmp(out.p + b.header_len, block.p + b.header_len,
                            block.len - b.header_len),
                     0);
    ck_assert_int_eq(b.perf_time, 77);
    pl_sampler_close(sampler);
    sampler = NULL;
    ck_assert_uint_eq(fake.opened, 1);
    ck_assert_uint_eq(fake.closed, 1);
}
END_TEST

static bool has_text(struct pl_text t, const char *want)
{
    return t.n == strlen(want) && !memcmp(t.p, want, t.n);
}

START_TEST(titles_are_those_of_what_is_in_the_blocks)
{
    const struct pl_titles *t;
    uint32_t before, after;

    machine();
    open_and_sample();
    t = pl_sampler_titles(sampler, &before);
    ck_assert(has_text(pl_titles_name(t, SYSTEM), "System"));
    ck_assert(has_text(pl_titles_help(t, SYSTEM + 1), "The system."));
    ck_assert(has_text(pl_titles_name(t, COUNTER), "% Processor Time"));
    ck_assert(has_text(pl_titles_name(t, PL_SELF_FIRST), "Performance Logger"));
    ck_assert_uint_eq(pl_titles_name(t, JOB).n, 0);
    sample();
    pl_sampler_titles(sampler, &after);
    ck_assert_uint_eq(before, after);

    pl_buf_clear(&block);
    put_block();
    put_object(JOB, 0, 0);
    pl_put_block_close(&block, 0, 4, SYSTEM);
    fake_set(NULL, "Global", block.p, block.len);
    sample();
    t = pl_sampler_titles(sampler, &after);
    ck_assert_uint_ne(before, after);
    ck_assert(has_text(pl_titles_name(t, JOB), "Job Object"));
}
END_TEST

/* ---- choosing ---------------------------------------------------------------------- */

static const struct {
    const char *paths[2];
    bool all;
    const char *asked[2]; /* values */
    const char *wanted;   /* objects of the sample, without ours */
} choices[] = {
    { { NULL }, false, { "Global", NULL }, "2 230 232" },
    { { NULL }, true, { "Global", "Costly" }, "2 230 232 1500" },
    { { "System" }, false, { "2", NULL }, "2" },
    { { "Performance Logger" }, false, { NULL }, "" },
    { { "Performance Logger", "System" }, false, { "2", NULL }, "2" },
    { { "process", "System" }, false, { "230 2", NULL }, "2 230" },
    { { "\\Thread(*)\\*" }, false, { "232", NULL }, "230 232" },
    { { "+Job Object" }, false, { "Global", "1500" }, "2 230 232 1500" },
    { { "\\S*\\*" }, false, { "Global", NULL }, "2" },
    { { "\\J*\\*" }, true, { "Global", "Costly" }, "1500" },
    { { "\\*\\% Processor*" }, false, { "Global", NULL }, "2 230 232" },
};

/* Windows answers with more than it was asked for: all there is. */
START_TEST(paths_become_values_and_choose_objects)
{
    struct pl_sampler_options options = { .all = choices[_i].all };
    struct pl_buf costly = { 0 };
    char want[64];
    const char *why;

    machine();
    for (int i = 0; i < 2 && choices[_i].paths[i]; i++)
        choose(choices[_i].paths[i]);
    pl_buf_bytes(&costly, block.p, block.len);
    pl_buf_clear(&block);
    put_block();
    put_object(JOB, 0, 0);
    pl_put_block_close(&block, 0, 4, SYSTEM);
    for (int i = 0; i < 2 && choices[_i].asked[i]; i++)
        if (i || strcmp(choices[_i].asked[i], "Global") != 0)
            fake_set(NULL, choices[_i].asked[i], block.p, block.len);
    fake_set(NULL, "Global", costly.p, costly.len);
    ck_assert_int_eq(open_sampler(&options, &why), PL_OK);
    sample();
    snprintf(want, sizeof want, "%s%s21700", choices[_i].wanted,
             *choices[_i].wanted ? " " : "");
    ck_assert_str_eq(objects(), want);
    ck_assert_ptr_null(pl_sampler_trouble(sampler));
    pl_buf_release(&costly);
}
END_TEST

/* A block of a Process with counters, each 100 times its title's index; a base
 * is 7.  Behind it what else the machine has. */
static void put_counters(const uint32_t *titles, size_t num)
{
    const struct pl_block_stamp stamp = { .perf_freq = 1000 };
    const struct pl_object object = { .title_index = PROCESS,
                                      .help_index = PROCESS + 1 };
    uint8_t *p;
    size_t at;

    pl_buf_clear(&block);
    pl_put_block(&block, &stamp, (const uint8_t *)"P\0C\0", 4);
    at = pl_put_object(&block, &object);
    for (uint32_t i = 0; i < num; i++) {
        bool base = i && titles[i] == titles[i - 1];
        const struct pl_counter_def counter = {
            .title_index = titles[i],
            .help_index = titles[i] + 1,
            .type = base ? PERF_RAW_BASE : PERF_RAW_FRACTION,
            .size = 4,
            .offset = 4 + 4 * i,
        };

        pl_put_counter(&block, &counter);
    }
    pl_put_definitions_close(&block, at, (uint32_t)num);
    pl_put_instance(&block, 0, 0, (const uint8_t *)"a\0", 2);
    p = pl_put_counter_block(&block, (uint32_t)(4 + 4 * num + 7) & ~7u);
    for (size_t i = 0; i < num; i++)
        pl_put_le32(p + 4 + 4 * i,
                    i && titles[i] == titles[i - 1] ? 7 : 100 * titles[i]);
    pl_put_object_close(&block, at, 1);
    put_object(SYSTEM, 0, 0);
    pl_put_block_close(&block, 0, 2, SYSTEM);
}

/* "6=600 6=7 784=78400", of the sample's only instance of Process. */
static const char *counters(void)
{
    static char text[256];
    struct pl_block b;
    struct pl_object o, values;
    struct pl_counter_def c;
    struct pl_instance i;

    ck_assert_int_eq(pl_block_parse(&b, out.p, out.len), PL_OK);
    *text = 0;
    while (!pl_object_next(&b, &o) && o.title_index != PROCESS)
        continue;
    values = o;
    ck_assert_uint_eq(o.title_index, PROCESS);
    ck_assert_int_eq(pl_instance_next(&values, &i), PL_OK);
    while (!pl_counter_next(&o, &c))
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%u=%u",
                 *text ? " " : "", c.title_index,
                 pl_get_le32(i.block + c.offset));
    return text;
}

static const struct {
    const char *path, *counters, *objects;
} counter_choices[] = {
    { "\\Process(*)\\% Processor Time", "6=600 6=7 684=68400 784=78400",
      "230 21700" },
    { "\\Process(*)\\System", "2=200 684=68400 784=78400", "230 21700" },
    { "\\Process(*)\\*", "2=200 6=600 6=7 684=68400 784=78400 8=800",
      "230 21700" },
    { "Process", "2=200 6=600 6=7 684=68400 784=78400 8=800", "230 21700" },
    { "\\*\\Sys*", "2=200 684=68400 784=78400", "230 21700" },
    { "+\\Process(*)\\System", "2=200 6=600 6=7 684=68400 784=78400 8=800",
      "230 2 21700" },
};

/* With the base that it needs, and with what tells one process from the next. */
START_TEST(a_counter_that_is_named_comes_without_the_others)
{
    static const uint32_t titles[] = { 2, 6, 6, 684, 784, 8 };

    machine();
    choose(counter_choices[_i].path);
    put_counters(titles, sizeof titles / sizeof *titles);
    fake_set(NULL, "Global", block.p, block.len);
    fake_set(NULL, "230", block.p, block.len);
    open_and_sample();
    ck_assert_str_eq(counters(), counter_choices[_i].counters);
    ck_assert_str_eq(objects(), counter_choices[_i].objects);
    ck_assert_ptr_null(pl_sampler_trouble(sampler));
}
END_TEST

static const struct {
    const char *path;
    struct pl_sampler_options options;
    enum pl_status want;
    const char *why;
} refusals[] = {
    { "Nothing", { 0 }, PL_USAGE, "Nothing" },
    { "\\System\\No Such Counter", { 0 }, PL_USAGE, "No Such Counter" },
    { "\\N*\\*", { 0 }, PL_USAGE, "\\N*\\*" },
    { "\\*\\Nothing", { 0 }, PL_USAGE, "\\*\\Nothing" },
    { "+Performance Logger Source", { 0 }, PL_UNSUPPORTED, "--forecast" },
    { NULL, { .language = "12" }, PL_UNSUPPORTED, "007" },
    { NULL, { .language = "../00C" }, PL_UNSUPPORTED, "007" },
    { NULL, { .language = "00D" }, PL_UNSUPPORTED, "language 00D" },
    { NULL, { .host = "\\\\NOWHERE" }, PL_IO, "nobody" },
};

START_TEST(what_cannot_be_had_is_refused_with_a_reason)
{
    struct pl_sampler_options options = refusals[_i].options;
    const char *why;

    machine();
    fake_set(NULL, "2", block.p, block.len);
    if (refusals[_i].path)
        choose(refusals[_i].path);
    ck_assert_int_eq(open_sampler(&options, &why), refusals[_i].want);
    ck_assert_ptr_nonnull(why);
    ck_assert_msg(strstr(why, refusals[_i].why) != NULL, "%s", why);
    ck_assert_uint_eq(fake.closed, fake.opened);
}
END_TEST

START_TEST(a_machine_without_names_is_refused)
{
    struct pl_sampler_options options = { 0 };
    const char *why;

    machine();
    fake.values[0].error = 2;
    ck_assert_int_eq(open_sampler(&options, &why), PL_IO);
    ck_assert_ptr_nonnull(strstr(why, "lodctr"));
    /* Perflib's own folder serves as well. */
    fake_set("009", "Counter", names.p, names.len);
    ck_assert_int_eq(open_sampler(&options, &why), PL_OK);
}
END_TEST

static bool holds(const struct pl_buf *b, const char *text)
{
    size_t n = strlen(text);

    for (size_t at = 0; at + n <= b->len; at++)
        if (!memcmp(b->p + at, text, n))
            return true;
    return false;
}

START_TEST(names_in_two_languages)
{
    struct pl_sampler_options options = { .language = "00C",
                                          .host = "\\\\THERE" };
    struct pl_session session = { 0 };
    const struct pl_titles *t;
    uint32_t generation;
    const char *why;
    struct pl_buf written = { 0 };

    machine();
    choose("Processus");
    fake_set(NULL, "230", block.p, block.len);
    ck_assert_int_eq(open_sampler(&options, &why), PL_OK);
    sample();
    ck_assert_str_eq(objects(), "230 21700");
    t = pl_sampler_titles(sampler, &generation);
    ck_assert(has_text(pl_titles_name(t, PROCESS), "Process"));
    pl_titles_write(t, &written);
    ck_assert(holds(&written, "Processus"));
    pl_sampler_describe(sampler, &session);
    ck_assert(has_text(session.host, "THERE"));
    ck_assert(has_text(session.provider, "little windows"));
    pl_buf_release(&written);
}
END_TEST

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
    struct pl_buf theirs = block;
    size_t at;

    ck_assert_int_eq(pl_titles_new(&fake_published.titles), PL_OK);
    for (size_t i = 0; i < NUM(objects); i++)
        set_title(objects[i], PL_TITLE_NAME, called[i]);
    set_title(MOUSE + 1, PL_TITLE_HELP, "Squeaks.");
    block = (struct pl_buf){ 0 };
    pl_put_block(&block, &(struct pl_block_stamp){ 0 }, NULL, 0);
    put_object(PL_PUBLISHED_OWN, 0, 1);
    put_object(MOUSE, PL_PUBLISHED_OWN, 2);
    at = put_object(PIPE, PL_PUBLISHED_OWN, 2);
    /* behind the object with its counter, and the first instance */
    pl_buf_set_u32(&block, at + 104 + 40 + 4, MOUSE);
    put_object(OTHER, 0, 0);
    pl_put_block_close(&block, 0, 4, -1);
    regions = block;
    block = theirs;
    fake_published.block = &regions;
    fake_published.object = "Mouse";
}

START_TEST(what_applications_publish_stands_behind_what_windows_has)
{
    struct pl_sampler_options options = { 0 };
    const struct pl_titles *t;
    uint32_t generation;
    const char *why;

    machine();
    publish();
    ck_assert_int_eq(open_sampler(&options, &why), PL_OK);
    ck_assert_uint_eq(fake_published.reported, 0);
    ck_assert_uint_eq(fake_published.first, 40000);
    sample();
    ck_assert_str_eq(objects(), "2 230 232 21950 40000 40004 40008 21700");
    ck_assert_uint_eq(fake_published.reported, 1);
    ck_assert_int_eq(fake_published.perf_freq, 1000); /* that of the block */
    t = pl_sampler_titles(sampler, &generation);
    ck_assert(has_text(pl_titles_name(t, MOUSE), "Mouse"));
    ck_assert(has_text(pl_titles_help(t, MOUSE + 1), "Squeaks."));
    pl_sampler_close(sampler);
    sampler = NULL;
    ck_assert_uint_eq(fake_published.closed, 1);
    release_published();
}
END_TEST

START_TEST(tables_without_room_are_reported)
{
    struct pl_sampler_options options = { 0 };
    const char *why;

    machine();
    publish();
    ck_assert_int_eq(open_sampler(&options, &why), PL_OK);
    sample();
    ck_assert_ptr_null(pl_sampler_trouble(sampler));
    fake_published.base.left_out = true;
    sample();
    ck_assert_ptr_nonnull(strstr(pl_sampler_trouble(sampler), "left out"));
    fake_published.base.left_out = false;
    release_published();
}
END_TEST

START_TEST(what_windows_tells_of_is_not_recorded_twice)
{
    struct pl_sampler_options options = { .language = "00C" };
    const char *why;

    machine();
    publish();
    fake_published.object = "Process";
    ck_assert_int_eq(open_sampler(&options, &why), PL_OK);
    sample();
    ck_assert_str_eq(objects(), "2 230 232 21700");
    fake_published.object = "Processus"; /* of the language asked for */
    sample();
    ck_assert_str_eq(objects(), "2 230 232 21700");
    fake_published.object = "performance logger";
    sample();
    ck_assert_str_eq(objects(), "2 230 232 21700");
    fake_published.object = "Job Object"; /* which has a name, but no data */
    sample();
    ck_assert_str_eq(objects(), "2 230 232 21950 40000 40004 40008 21700");
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
    machine();
    publish();
    choose(published_choices[_i].path);
    fake_set(NULL, "2", block.p, block.len);
    open_and_sample();
    ck_assert_str_eq(objects(), published_choices[_i].objects);
    ck_assert_uint_eq(fake_published.read, published_choices[_i].read);
    ck_assert_uint_eq(fake_published.closed, published_choices[_i].read == 1);
    release_published();
}
END_TEST

START_TEST(its_numbers_are_far_from_those_of_windows)
{
    machine();
    publish();
    add_title(&names, "39999", "Last");
    fake_set(NULL, "Counter 009", names.p, names.len);
    open_and_sample();
    ck_assert_uint_eq(fake_published.first, 49998);
    pl_sampler_close(sampler);
    sampler = NULL;
    add_title(&names, "2147483000", "Nobody's");
    fake_set(NULL, "Counter 009", names.p, names.len);
    open_and_sample();
    ck_assert_uint_eq(fake_published.opened, 1);
    ck_assert_str_eq(objects(), "2 230 232 21700");
    release_published();
}
END_TEST

START_TEST(it_is_of_this_machine_only)
{
    struct pl_sampler_options options = { .host = "\\\\THERE" };
    const char *why;

    machine();
    publish();
    ck_assert_int_eq(open_sampler(&options, &why), PL_OK);
    sample();
    ck_assert_str_eq(objects(), "2 230 232 21700");
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

    machine();
    pl_block_parse(&b, block.p, block.len);
    pl_buf_bytes(&holed, block.p, b.header_len);
    pl_buf_zeros(&holed, 88);
    pl_buf_bytes(&holed, block.p + b.header_len, block.len - b.header_len - 88);
    fake_set(NULL, "Global", holed.p, holed.len);
    open_and_sample();
    ck_assert_str_eq(objects(), "21700");
    ck_assert_ptr_nonnull(pl_sampler_trouble(sampler));
    snprintf(place, sizeof place, "byte %u: ", b.header_len);
    ck_assert_ptr_nonnull(strstr(pl_sampler_trouble(sampler), place));

    fake_set(NULL, "Global", block.p, block.len);
    sample();
    ck_assert_str_eq(objects(), "2 230 232 21700");
    ck_assert_ptr_null(pl_sampler_trouble(sampler));
    pl_buf_release(&holed);
}
END_TEST

START_TEST(an_answer_cut_anywhere_gives_a_whole_sample)
{
    const struct pl_sampler_options options = { 0 };
    size_t complete = 0;
    const char *why;

    machine();
    ck_assert_int_eq(pl_sampler_open(&sampler, &options, &why), PL_OK);
    for (size_t n = 0; n <= block.len; n++) {
        uint8_t *cut = exact_copy(block.p, n);

        fake_set(NULL, "Global", cut, n);
        sample();
        complete += !strcmp(objects(), "2 230 232 21700");
        ck_assert_msg(n == block.len || !n || pl_sampler_trouble(sampler),
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

    machine();
    ck_assert_int_eq(pl_sampler_open(&sampler, &options, &why), PL_OK);
    for (size_t at = 0; at < block.len; at++)
        for (unsigned bit = 0; bit < 8; bit += 7) {
            static const struct pl_logger_stats stats;
            const struct pl_tick tick = { 1, 1, 1 };
            uint8_t *hurt = exact_copy(block.p, block.len);

            hurt[at] ^= (uint8_t)(1u << bit);
            fake_set(NULL, "Global", hurt, block.len);
            ck_assert_int_eq(pl_sampler_read(sampler, &tick, &stats, &out),
                             PL_OK);
            free(hurt);
        }
}
END_TEST

START_TEST(blocks_of_other_kinds_are_refused)
{
    void (*const kinds[])(struct pl_buf *) = { block_to_big_endian,
                                               block_to_revision_0 };

    machine();
    kinds[_i](&block);
    fake_set(NULL, "Global", block.p, block.len);
    open_and_sample();
    ck_assert_str_eq(objects(), "21700");
    ck_assert_ptr_nonnull(pl_sampler_trouble(sampler));
}
END_TEST

START_TEST(help_of_a_shared_name_is_everyones_own)
{
    const struct pl_titles *t;
    struct pl_counter_def c;
    struct pl_block b;
    struct pl_object o;
    uint32_t generation;

    machine();
    add_title(&helps, "7", "In Windows' words.");
    fake_set(NULL, "Help 009", helps.p, helps.len);
    open_and_sample();
    t = pl_sampler_titles(sampler, &generation);
    ck_assert(has_text(pl_titles_help(t, COUNTER + 1), "In Windows' words."));
    pl_block_parse(&b, out.p, out.len);
    while (!pl_object_next(&b, &o) && o.title_index != PL_SELF_FIRST)
        ;
    ck_assert_int_eq(pl_counter_next(&o, &c), PL_OK);
    ck_assert_uint_eq(c.title_index, COUNTER);
    ck_assert(has_text(pl_titles_help(t, c.help_index),
                       "Share of one processor's time used by the logger."));
}
END_TEST

START_TEST(providers_begin_anew_after_an_error)
{
    machine();
    open_and_sample();
    fake_set(NULL, "Global", NULL, 0)->error = 5;
    sample();
    ck_assert_str_eq(objects(), "21700");
    ck_assert_ptr_nonnull(strstr(pl_sampler_trouble(sampler), "error 5"));
    ck_assert_uint_eq(fake.let_go, 1);
}
END_TEST

START_TEST(a_title_of_ours_is_not_taken_from_others)
{
    machine();
    put_block();
    put_object(PL_SELF_FIRST, 0, 0);
    pl_put_block_close(&block, 0, 4, SYSTEM);
    fake_set(NULL, "Global", block.p, block.len);
    open_and_sample();
    ck_assert_str_eq(objects(), "2 230 232 21700");
    ck_assert_uint_eq(out.len, block.len);
}
END_TEST

/* ---- sleep ------------------------------------------------------------------------------ */

START_TEST(sleep_is_what_one_clock_counts_only)
{
    const int64_t ms = 1000000;
    struct pl_suspend s = { 0 };

    ck_assert_int_eq(pl_suspend_update(&s, 1000 * ms, 1000 * ms), 0);
    ck_assert_int_eq(pl_suspend_update(&s, 1016 * ms, 1000 * ms), 0);
    ck_assert_int_eq(pl_suspend_update(&s, 61016 * ms, 1010 * ms), 60006 * ms);
    ck_assert_int_eq(pl_suspend_update(&s, 61016 * ms, 1026 * ms), 60006 * ms);
}
END_TEST

int main(void)
{
    TCase *fetch = tcase_create("fetch"), *record = tcase_create("record");

    tcase_add_loop_test(fetch, a_value_of_any_size_comes_whole_or_not_at_all, 0,
                        NUM(sizes));
    tcase_add_test(fetch, room_once_found_serves_again);
    tcase_add_test(record, objects_come_as_they_are_with_ours_behind);
    tcase_add_test(record, titles_are_those_of_what_is_in_the_blocks);
    tcase_add_loop_test(record,
                        a_counter_that_is_named_comes_without_the_others, 0,
                        sizeof counter_choices / sizeof *counter_choices);
    tcase_add_loop_test(record, paths_become_values_and_choose_objects, 0,
                        NUM(choices));
    tcase_add_loop_test(record, what_cannot_be_had_is_refused_with_a_reason, 0,
                        NUM(refusals));
    tcase_add_test(record, a_machine_without_names_is_refused);
    tcase_add_test(record, names_in_two_languages);
    tcase_add_test(record,
                   what_applications_publish_stands_behind_what_windows_has);
    tcase_add_test(record, tables_without_room_are_reported);
    tcase_add_test(record, what_windows_tells_of_is_not_recorded_twice);
    tcase_add_loop_test(record, it_is_chosen_as_anything_else, 0,
                        NUM(published_choices));
    tcase_add_test(record, its_numbers_are_far_from_those_of_windows);
    tcase_add_test(record, it_is_of_this_machine_only);
    tcase_add_test(record, objects_behind_a_hole_are_refused);
    tcase_add_test(record, an_answer_cut_anywhere_gives_a_whole_sample);
    tcase_add_test(record, an_answer_damaged_anywhere_gives_a_whole_sample);
    tcase_add_loop_test(record, blocks_of_other_kinds_are_refused, 0, 2);
    tcase_add_test(record, help_of_a_shared_name_is_everyones_own);
    tcase_add_test(record, providers_begin_anew_after_an_error);
    tcase_add_test(record, a_title_of_ours_is_not_taken_from_others);
    tcase_add_test(record, sleep_is_what_one_clock_counts_only);
    return run_suite("windows", (TCase *[]){ fetch, record, NULL });
}
