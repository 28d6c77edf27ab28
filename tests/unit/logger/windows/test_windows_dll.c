/* What perflog_provider.dll hands to Windows, asked as Windows asks it. */
#include "format/base/cursor.h"
#include "format/block/winperf.h"
#include "logger/windows/dll/object_writer.h"
#include "tests/support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

enum {
    FIRST = 60000,
    LAST = FIRST + 22,
    ENGINE = FIRST + 10,
    VALVE = FIRST + 18
};
enum { ROOM = 65536, UNTOUCHED = 0xA5 };

#define KEY L"SYSTEM\\CurrentControlSet\\Services\\perflog-dlltest"

static const struct pl_prov_counter engine_counters[] = {
    { 1, PERF_COUNTER_COUNTER, "Turns", "Of the wheel.", 0, PL_PROV_NOVICE, 0 },
    { 2, PERF_AVERAGE_TIMER, "Time", NULL, 0, PL_PROV_NOVICE, 0 },
    { 3, PERF_AVERAGE_BASE, NULL, NULL, 0, PL_PROV_NOVICE, 1 },
    { 4, PERF_100NSEC_TIMER, "Busy", NULL, 0, PL_PROV_NOVICE, 0 },
};
static const struct pl_prov_counter valve_counters[] = {
    { 1, PERF_COUNTER_RAWCOUNT, "Flow", NULL, 0, PL_PROV_NOVICE, 0 },
    { 2, PERF_RAW_FRACTION, "% Full", NULL, 0, PL_PROV_NOVICE, 0 },
    { 3, PERF_RAW_BASE, NULL, NULL, 0, PL_PROV_NOVICE, 0 },
};
static const struct pl_prov_object table[] = {
    { 1, "Engine", NULL, PL_PROV_NO_INSTANCES, 0, PL_PROV_NOVICE, 0, 4,
      engine_counters, 4 },
    { 2, "Valve", NULL, 3, 15, PL_PROV_NOVICE, 0, 1, valve_counters, 3 },
};

static struct {
    HMODULE library;
    DWORD WINAPI (*collect)(LPWSTR, LPVOID *, LPDWORD, LPDWORD);
    char dir[512]; /* of regions */
    struct pl_prov *prov;
    uint8_t answer[ROOM];
    DWORD len, num;
    size_t damaged; /* byte of a region beside ours */
} it;

/* ---- an installed provider ---------------------------------------------------*/

static void set_number(const wchar_t *name, DWORD type, uint64_t number)
{
    ck_assert_int_eq(RegSetKeyValueW(HKEY_LOCAL_MACHINE, KEY L"\\Performance",
                                     name, type, &number,
                                     type == REG_QWORD ? 8 : 4),
                     0);
}

static uint64_t def_hash(void)
{
    size_t n;
    uint8_t *region = read_file(pl_prov_path(it.prov), &n);
    uint64_t hash =
        pl_get_le64(region + offsetof(struct pl_region_header, def_hash));

    free(region);
    return hash;
}

static void load_library(void)
{
    char path[600];
    FARPROC found;

    snprintf(path, sizeof path, "%s/perflog-dlltest.dll", temp_dir());
    ck_assert_msg(CopyFileA(PL_PROVIDER_DLL, path, FALSE), "%s", path);
    it.library = LoadLibraryA(path);
    ck_assert_ptr_nonnull(it.library);
    found = GetProcAddress(it.library, "perflog_collect");
    ck_assert(found != NULL);
    memcpy(&it.collect, &found, sizeof found);
}

static void publish(void)
{
    struct pl_prov_set s;

    snprintf(it.dir, sizeof it.dir, "%s", temp_dir());
    GetFullPathNameA(temp_dir(), sizeof it.dir, it.dir, NULL);
    SetEnvironmentVariableA("PERFLOG_PROVIDER_DIR", it.dir);
    ck_assert_msg(!pl_prov_open(&it.prov, "dlltest", table, 2, NULL), "%s",
                  pl_prov_why(it.prov));
    set_number(L"First Counter", REG_DWORD, FIRST);
    set_number(L"Last Counter", REG_DWORD, LAST);
    set_number(L"Perflog Table", REG_QWORD, def_hash());
    load_library();
    s = pl_prov_single(it.prov, 1);
    pl_add(pl_prov_word_of(s, 1), 12);
    pl_add(pl_prov_word_of(s, 2), 7 * 10000000);
    pl_add(pl_prov_word_of(s, 4), 123456789012);
    s = pl_prov_add(it.prov, 2, "left", -1, NULL);
    pl_set(pl_prov_word_of(s, 1), 77);
    pl_set(pl_prov_word_of(s, 2), 3LL << 30); /* of bytes */
    pl_set(pl_prov_word_of(s, 3), 16LL << 30);
}

static void withdraw(void)
{
    pl_prov_close(it.prov);
    RegDeleteTreeW(HKEY_LOCAL_MACHINE, KEY);
    FreeLibrary(it.library);
    forget_files();
}

/* ---- asking ------------------------------------------------------------------*/

static DWORD ask(const wchar_t *value, DWORD room)
{
    wchar_t text[64];
    void *data = it.answer;
    size_t behind;
    DWORD error;

    wcscpy(text, value ? value : L"");
    memset(it.answer, UNTOUCHED, sizeof it.answer);
    it.len = room;
    it.num = 99;
    error = it.collect(value ? text : NULL, &data, &it.len, &it.num);
    ck_assert_ptr_eq(data, it.answer + it.len);
    behind = it.len;
    while (behind < sizeof it.answer && it.answer[behind] == UNTOUCHED)
        behind++;
    ck_assert_msg(behind == sizeof it.answer, "byte %zu was written", behind);
    return error;
}

/* The answer as a block, which must add up.  To be released. */
static struct pl_buf block_of(const uint8_t *p, size_t n, uint32_t num)
{
    const struct pl_block_stamp stamp = { .utc_ns = 1, .perf_freq = 1 };
    struct pl_buf block = { 0 };

    pl_put_block(&block, &stamp, (const uint8_t *)"x", 2);
    pl_buf_bytes(&block, p, n);
    pl_put_block_close(&block, 0, num, -1);
    return block;
}

/* Title indexes of the objects, ' ' behind each. */
static const char *objects_of(const uint8_t *p, size_t n, uint32_t num)
{
    static char list[256];
    struct pl_buf bytes = block_of(p, n, num);
    struct pl_block block;
    struct pl_object o;
    struct pl_instance i;
    enum pl_status s = pl_block_parse(&block, bytes.p, bytes.len);

    list[0] = 0;
    while (!s && !(s = pl_object_next(&block, &o))) {
        sprintf(list + strlen(list), "%u ", o.title_index);
        ck_assert_uint_eq(o.len % 8, 0);
        while (o.num_instances > 0 && !pl_instance_next(&o, &i))
            ck_assert_uint_eq(i.definition_len % 8, 0);
    }
    ck_assert_msg(s == PL_END, "%s at %zu", block.misfit.reason,
                  block.misfit.at);
    pl_buf_release(&bytes);
    return list;
}

static const struct {
    const wchar_t *value;
    const char *objects;
} questions[] = {
    { NULL, "60000 60010 60018 " },
    { L"", "60000 60010 60018 " },
    { L"Global", "60000 60010 60018 " },
    { L"GLOBAL", "60000 60010 60018 " },
    { L"Costly", "" },
    { L"Foreign NAME 60010", "" },
    { L"Query 60010", "" },
    { L"60010", "60010 " },
    { L"238 60010  2", "60010 " },
    { L"60018", "60000 60018 " }, /* whose instances belong to those */
    { L"60000", "60000 " },
    { L"6001", "" },
    { L"600101", "" },
    { L"60012", "" },
    { L"60010x 60018", "60010 " },
};

START_TEST(each_form_of_a_question)
{
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        const char *objects;

        ck_assert_uint_eq(ask(questions[i].value, ROOM), ERROR_SUCCESS);
        objects = objects_of(it.answer, it.len, it.num);
        ck_assert_msg(!strcmp(objects, questions[i].objects), "row %zu: %s", i,
                      objects);
    }
}
END_TEST

START_TEST(too_small_a_buffer_stays_as_it_is)
{
    DWORD len;

    ck_assert_uint_eq(ask(NULL, ROOM), ERROR_SUCCESS);
    len = it.len;
    ck_assert_uint_gt(len, 500);
    for (DWORD room = 0; room < len; room += room < 16 ? 1 : 40) {
        ck_assert_uint_eq(ask(NULL, room), ERROR_MORE_DATA);
        ck_assert_uint_eq(it.len, 0);
        ck_assert_uint_eq(it.num, 0);
    }
    ck_assert_uint_eq(ask(NULL, len - 1), ERROR_MORE_DATA);
    ck_assert_uint_eq(ask(NULL, len), ERROR_SUCCESS);
    ck_assert_uint_eq(it.len, len);
}
END_TEST

/* ---- values ------------------------------------------------------------------*/

/* A value of the only row of an object; fails if there is none. */
static uint64_t value_of(const struct pl_buf *bytes, uint32_t object,
                         uint32_t counter, uint32_t type)
{
    struct pl_block block;
    struct pl_object o;
    struct pl_counter_def c;
    struct pl_instance i;

    ck_assert_int_eq(pl_block_parse(&block, bytes->p, bytes->len), PL_OK);
    while (!pl_object_next(&block, &o)) {
        if (o.title_index != object)
            continue;
        while (!pl_counter_next(&o, &c))
            if (c.title_index == counter && c.type == type)
                break;
        ck_assert_uint_eq(c.title_index, counter);
        ck_assert_int_eq(pl_instance_next(&o, &i), PL_OK);
        return c.size == 8 ? pl_get_le64(i.block + c.offset)
                           : pl_get_le32(i.block + c.offset);
    }
    ck_abort_msg("there is no object %u, byte %zu", object, it.damaged);
    return 0;
}

START_TEST(values_are_what_was_counted)
{
    struct pl_buf b;

    ck_assert_uint_eq(ask(NULL, ROOM), ERROR_SUCCESS);
    b = block_of(it.answer, it.len, it.num);
    ck_assert_uint_eq(value_of(&b, ENGINE, ENGINE + 2, PERF_COUNTER_COUNTER),
                      12);
    ck_assert_uint_eq(value_of(&b, ENGINE, ENGINE + 4, PERF_AVERAGE_BASE), 12);
    ck_assert_uint_eq(value_of(&b, ENGINE, ENGINE + 6, PERF_100NSEC_TIMER),
                      123456789012);
    ck_assert_uint_eq(value_of(&b, VALVE, VALVE + 2, PERF_COUNTER_RAWCOUNT),
                      77);
    /* Three of sixteen, in 32 bits, too. */
    ck_assert_uint_eq(value_of(&b, VALVE, VALVE + 4, PERF_RAW_FRACTION),
                      3 << 27);
    ck_assert_uint_eq(value_of(&b, VALVE, VALVE + 4, PERF_RAW_BASE), 16u << 27);
    ck_assert_uint_eq(value_of(&b, FIRST, FIRST + 8, PERF_COUNTER_RAWCOUNT),
                      GetCurrentProcessId());
    pl_buf_release(&b);
}
END_TEST

/* 7 s are 21,000,000 steps of a performance counter of 3 MHz. */
START_TEST(times_are_in_steps_of_the_performance_counter)
{
    const struct pl_question q = {
        .own = FIRST, .first = ENGINE, .perf_freq = 3000000, .now_100ns = 1
    };
    struct pl_region_groups groups;
    struct pl_buf out = { 0 }, b;
    uint32_t num;

    pl_region_groups_open(&groups, L"dlltest", def_hash());
    ck_assert_int_eq(pl_object_writer_table(&out, &num, &groups, &q, LAST),
                     PL_OK);
    b = block_of(out.p, out.len, num);
    ck_assert_uint_eq(value_of(&b, ENGINE, ENGINE + 4, PERF_AVERAGE_TIMER),
                      21000000);
    ck_assert_uint_eq(value_of(&b, ENGINE, ENGINE + 4, PERF_AVERAGE_BASE), 12);
    ck_assert_uint_eq(value_of(&b, ENGINE, ENGINE + 6, PERF_100NSEC_TIMER),
                      123456789012);
    pl_region_groups_close(&groups, true);
    pl_buf_release(&b);
    pl_buf_release(&out);
}
END_TEST

START_TEST(nothing_is_told_of_a_table_that_is_not_the_installed_one)
{
    set_number(L"Perflog Table", REG_QWORD, def_hash() + 1);
    ck_assert_uint_eq(ask(NULL, ROOM), ERROR_SUCCESS);
    ck_assert_uint_eq(it.num, 0);
    set_number(L"Perflog Table", REG_QWORD, def_hash());
    set_number(L"Last Counter", REG_DWORD, LAST - 2);
    ck_assert_uint_eq(ask(NULL, ROOM), ERROR_SUCCESS);
    ck_assert_uint_eq(it.num, 0);
    RegDeleteTreeW(HKEY_LOCAL_MACHINE, KEY);
    ck_assert_uint_eq(ask(NULL, ROOM), ERROR_SUCCESS);
    ck_assert_uint_eq(it.num, 0);
}
END_TEST

/* ---- who lies ----------------------------------------------------------------*/

/* A copy of our region that says to be another, younger one. To be freed. */
static uint8_t *forge(size_t *n)
{
    uint8_t *region = read_file(pl_prov_path(it.prov), n);
    uint8_t *id = region + offsetof(struct pl_region_header, region_id);

    memset(id, 0, 8);
    id[0] = 1;
    region[offsetof(struct pl_region_header, created_ns) + 7] = 0x7F;
    return region;
}

/* Whose age decides which of two is shown. */
static bool tells_its_age(size_t i)
{
    const size_t at = offsetof(struct pl_region_header, created_ns);

    return i >= at && i < at + 8;
}

/*
 * A region beside ours in which one byte is another one: whatever becomes of
 * it, the answer adds up, and what is ours is in it.
 */
START_TEST(a_damaged_region_beside_a_good_one_harms_nobody)
{
    const char *path = path_in(it.dir, "dlltest.1.0000000000000001.plr");
    size_t n;
    uint8_t *good = forge(&n);
    const struct pl_region_header *h = (const void *)good;
    const size_t defs_end = h->def_at + h->def_len;

    for (size_t i = 0; i < n; i += i < sizeof *h ? 1 : 3) {
        uint8_t was = good[i];
        struct pl_buf b;

        if (tells_its_age(i) || (i >= sizeof *h && i < defs_end))
            continue; /* definitions are reported by their hash */
        it.damaged = i;
        good[i] = (uint8_t)(was ^ (i % 2 ? 0xFF : 0x01));
        write_file(path, good, n);
        good[i] = was;
        ck_assert_uint_eq(ask(NULL, ROOM), ERROR_SUCCESS);
        objects_of(it.answer, it.len, it.num);
        b = block_of(it.answer, it.len, it.num);
        ck_assert_uint_eq(
            value_of(&b, ENGINE, ENGINE + 2, PERF_COUNTER_COUNTER), 12);
        pl_buf_release(&b);
        DeleteFileA(path);
    }
    free(good);
}
END_TEST

/* Its owner is dead: it is told of once more, and is gone. */
START_TEST(what_the_dead_have_left_is_once_reported)
{
    const char *path = path_in(it.dir, "dlltest.1.0000000000000001.plr");
    size_t n;
    uint8_t *left = forge(&n);

    write_file(path, left, n);
    free(left);
    ck_assert_uint_eq(ask(NULL, 16), ERROR_MORE_DATA);
    for (int reported = 2; reported > 0; reported--) {
        struct pl_buf b;
        struct pl_block block;
        struct pl_object own;

        ck_assert_uint_eq(ask(NULL, ROOM), ERROR_SUCCESS);
        b = block_of(it.answer, it.len, it.num);
        ck_assert_int_eq(pl_block_parse(&block, b.p, b.len), PL_OK);
        ck_assert_int_eq(pl_object_next(&block, &own), PL_OK);
        ck_assert_int_eq(own.num_instances, reported);
        pl_buf_release(&b);
        ck_assert_int_eq(GetFileAttributesA(path) == INVALID_FILE_ATTRIBUTES,
                         true);
    }
}
END_TEST

/* Between what it says and its end it lives: its last values are reported once. */
START_TEST(who_has_closed_and_holds_it_still_is_not_final)
{
    const char *path = path_in(it.dir, "dlltest.1.0000000000000001.plr");
    size_t n;
    uint8_t *closed = forge(&n);
    HANDLE owner;

    closed[offsetof(struct pl_region_header, state)] = PL_REGION_CLOSED;
    closed[offsetof(struct pl_region_header, created_ns) + 7] = 0; /* older */
    write_file(path, closed, n);
    free(closed);
    owner = CreateFileA(path, GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ,
                        NULL, OPEN_EXISTING, 0, NULL);
    ck_assert_ptr_ne(owner, INVALID_HANDLE_VALUE);
    for (unsigned final = 0; final <= 1; final++) {
        struct pl_buf b;

        ck_assert_uint_eq(ask(NULL, ROOM), ERROR_SUCCESS);
        b = block_of(it.answer, it.len, it.num);
        ck_assert_uint_eq(value_of(&b, FIRST, FIRST + 2, PERF_COUNTER_RAWCOUNT),
                          final);
        ck_assert_uint_eq(value_of(&b, FIRST, FIRST + 8, PERF_COUNTER_RAWCOUNT),
                          1); /* process */
        pl_buf_release(&b);
        if (!final)
            CloseHandle(owner);
    }
    ck_assert_uint_eq(GetFileAttributesA(path), INVALID_FILE_ATTRIBUTES);
}
END_TEST

/* One table is wanted, whichever comes first. */
static struct pl_region_groups *first_groups(void *context,
                                             const struct pl_region_header *h,
                                             uint8_t *definitions)
{
    struct pl_region_groups *s = context;

    if (!s->definitions) {
        s->header = *h;
        s->definitions = definitions;
    }
    return pl_region_groups_is_of(s, h, definitions) ? s : NULL;
}

/* A machine so busy that the time is over at once hides nobody's counters. */
START_TEST(what_is_known_is_found_however_late_it_is)
{
    const char *path = path_in(it.dir, "dlltest.1.0000000000000001.plr");
    struct pl_region_file_name known[2];
    struct pl_region_groups groups = { 0 };
    const struct pl_region_groups_keeper keeper = { .groups_of = first_groups,
                                                    .context = &groups,
                                                    .known = known,
                                                    .num_known = 2 };
    size_t n;
    uint8_t *other = forge(&n);

    write_file(path, other, n);
    free(other);
    ck_assert(pl_region_parse_name(&known[0],
                                   strrchr(pl_prov_path(it.prov), '\\') + 1));
    ck_assert(
        pl_region_parse_name(&known[1], "dlltest.1.0000000000000001.plr"));
    pl_region_groups_fill(&keeper, L"", 0);
    ck_assert_uint_eq(groups.num, 2);
    pl_region_groups_close(&groups, false);
}
END_TEST

int main(void)
{
    TCase *asked = tcase_create("asked"), *liars = tcase_create("liars");
    TCase *const tcases[] = { asked, liars, NULL };

    tcase_add_checked_fixture(asked, publish, withdraw);
    tcase_add_checked_fixture(liars, publish, withdraw);
    tcase_add_test(asked, each_form_of_a_question);
    tcase_add_test(asked, too_small_a_buffer_stays_as_it_is);
    tcase_add_test(asked, values_are_what_was_counted);
    tcase_add_test(asked, times_are_in_steps_of_the_performance_counter);
    tcase_add_test(asked,
                   nothing_is_told_of_a_table_that_is_not_the_installed_one);
    tcase_add_test(liars, a_damaged_region_beside_a_good_one_harms_nobody);
    tcase_add_test(liars, what_the_dead_have_left_is_once_reported);
    tcase_add_test(liars, who_has_closed_and_holds_it_still_is_not_final);
    tcase_add_test(liars, what_is_known_is_found_however_late_it_is);
    return run_suite("windows_dll", tcases);
}
