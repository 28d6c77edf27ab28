/* Tables that applications publish, and which ones keep their titles. */
#include "format/block/winperf.h"
#include "format/time/time_text.h"
#include "logger/provider/pl_provider.h"
#include "logger/windows/published.h"
#include "tests/support/support.h"

#include <stdio.h>
#include <windows.h>

enum { FIRST = 40000, TABLES = 256, TITLES_OF_TABLE = 4, UNSEEN = 3 };

static struct {
    struct pl_published *all;
    struct pl_prov *publishers[TABLES + 1];
    struct pl_buf block;
} it;

static void publish(int n)
{
    static const struct pl_prov_counter counter = {
        1, PERF_COUNTER_RAWCOUNT, "Level", NULL, 0, PL_PROV_NOVICE, 0
    };
    char name[32], program[32];
    const struct pl_prov_object table = {
        1, name,     NULL, PL_PROV_NO_INSTANCES, 0, PL_PROV_NOVICE, 0,
        1, &counter, 1
    };

    snprintf(name, sizeof name, "Table %d", n);
    snprintf(program, sizeof program, "table%d", n);
    ck_assert_msg(!pl_prov_open(&it.publishers[n], program, &table, 1, NULL),
                  "%s", pl_prov_why(it.publishers[n]));
}

static bool is_elsewhere(const void *context, struct pl_text name)
{
    (void)context;
    (void)name;
    return false;
}

static void read_all(void)
{
    const struct pl_published_wish wish = { .perf_freq = 10000000,
                                            .budget_ns = 300 * PL_NS_PER_SEC,
                                            .is_there = is_elsewhere };

    ck_assert_int_eq(it.all->read(it.all, &wish, &it.block), PL_OK);
    it.all->reported(it.all);
}

/* It ends; its last values are read. */
static void end(int n)
{
    pl_prov_close(it.publishers[n]);
    it.publishers[n] = NULL;
    read_all();
}

static bool has_object(uint32_t title)
{
    struct pl_block block;
    struct pl_object o;

    ck_assert_int_eq(pl_block_parse(&block, it.block.p, it.block.len), PL_OK);
    while (!pl_object_next(&block, &o))
        if (o.title_index == title)
            return true;
    return false;
}

static void begin(void)
{
    char dir[512];

    GetFullPathNameA(temp_dir(), sizeof dir, dir, NULL);
    SetEnvironmentVariableA("PERFLOG_PROVIDER_DIR", dir);
    ck_assert_int_eq(pl_published_open(&it.all, FIRST), PL_OK);
    for (int n = 0; n < TABLES; n++)
        publish(n);
    read_all();
    ck_assert(!it.all->left_out);
    ck_assert(has_object(FIRST));
    ck_assert(has_object(FIRST + TITLES_OF_TABLE * (TABLES - 1)));
}

static void stop(void)
{
    for (int n = 0; n <= TABLES; n++)
        pl_prov_close(it.publishers[n]);
    it.all->close(it.all);
    pl_buf_release(&it.block);
    forget_files();
}

START_TEST(one_that_comes_back_keeps_its_titles)
{
    end(0);
    publish(TABLES);
    read_all();
    ck_assert(it.all->left_out);
    publish(0);
    read_all();
    ck_assert(has_object(FIRST));
}
END_TEST

START_TEST(one_that_was_gone_for_some_reads_makes_room)
{
    const uint32_t next = FIRST + TITLES_OF_TABLE * TABLES;

    end(0);
    publish(TABLES);
    for (int i = 0; i < UNSEEN; i++) {
        read_all();
        ck_assert(it.all->left_out);
    }
    read_all();
    ck_assert(!it.all->left_out);
    ck_assert(has_object(next));
    ck_assert(has_object(FIRST + TITLES_OF_TABLE));
    publish(0); /* has no place now, as all others are there */
    read_all();
    ck_assert(it.all->left_out);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("published");
    TCase *const tcases[] = { t, NULL };

    tcase_add_checked_fixture(t, begin, stop);
    tcase_add_test(t, one_that_comes_back_keeps_its_titles);
    tcase_add_test(t, one_that_was_gone_for_some_reads_makes_room);
    return run_suite("windows_published", tcases);
}
