/* An import in which every call and allocation fails once: whole or nothing. */
#include "format/base/file.h"
#include "format/cli/options.h"
#include "tests/support/faults.h"
#include "tests/support/logs.h"
#include "tests/support/made_blg.h"
#include "tests/support/support.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct pl_command pl_cmd_import;

static const struct {
    enum faulty_call call;
    int error;
} faulty[] = {
    { CALL_OPEN, EMFILE },      { CALL_READ, EIO },
    { CALL_READ, FAULT_SHORT }, { CALL_WRITE, EIO },
    { CALL_WRITE, ENOSPC },     { CALL_WRITE, FAULT_FULL },
    { CALL_TRUNCATE, EIO },     { CALL_SYNC, EIO },
    { CALL_STAT, EIO },         { CALL_LOCK, EWOULDBLOCK },
    { CALL_LOCK, ENOLCK },      { CALL_OPEN, EDQUOT },
    { CALL_WRITE, EDQUOT },     { CALL_ALLOC, 0 },
};
enum { MOST_CALLS = 2000, BLOCKS = 4 };

static char *blocks, *titles, *out;

static void make_files(void)
{
    struct pl_buf all = { 0 }, one = { 0 };
    const char *dir = temp_dir();
    struct machine m;

    blocks = strdup(path_in(dir, "blocks"));
    titles = strdup(path_in(dir, "titles"));
    out = strdup(path_in(dir, "out.plog"));
    machine_start(&m, 3, 4);
    for (int i = 0; i < BLOCKS; i++) {
        machine_run(&m, 1000000000);
        machine_block(&m, &one);
        pl_buf_bytes(&all, one.p, one.len);
    }
    machine_stop(&m);
    write_file(blocks, all.p, all.len);
    write_file(titles, "2\tSystem\n230\tProcess\n", 21);
    pl_buf_release(&all);
    pl_buf_release(&one);
}

static char name[] = "import", quiet[] = "-q", to[] = "-o", with[] = "--titles";

static enum pl_exit run(char *const *given, int num)
{
    /* Options are parsed again if they lie elsewhere. */
    static char *argv[2][8], **words;
    enum pl_exit code;

    words = words == argv[0] ? argv[1] : argv[0];
    memcpy(words, given, ((size_t)num + 1) * sizeof *words);
    faults_on();
    code = pl_cmd_import.run(&pl_cmd_import, num, words);
    faults_off();
    return code;
}

static enum pl_exit import(void)
{
    return run((char *[]){ name, quiet, with, titles, blocks, to, out, NULL },
               7);
}

static size_t files_beside(void)
{
    char **names;
    size_t num;

    ck_assert_int_eq(pl_dir_list(temp_dir(), &names, &num), PL_OK);
    pl_dir_list_free(names, num);
    return num;
}

/* Samples of the log that was made. */
static size_t samples(void)
{
    struct pl_reader *r;
    struct pl_item item;
    size_t num = 0;

    ck_assert_int_eq(pl_reader_open(&r, out, NULL), PL_OK);
    while (!pl_reader_next(r, &item)) {
        ck_assert(item.kind != PL_ITEM_DAMAGED);
        num += item.kind == PL_ITEM_SAMPLE;
    }
    pl_reader_close(r);
    return num;
}

START_TEST(every_call_fails_once)
{
    uint32_t hits = 0;

    make_files();
    ck_assert_ptr_nonnull(freopen("/dev/null", "w", stderr));
    for (uint32_t n = 1; n < MOST_CALLS; n++) {
        const struct fault f = { faulty[_i].call, n, 1, faulty[_i].error };
        enum pl_exit code;

        faults_set(&f, 1);
        code = import();
        hits += faults_hit() > 0;
        if (code) {
            ck_assert_int_eq(code, PL_EXIT_FAILED);
            ck_assert_uint_eq(files_beside(), 2); /* those of make_files */
        } else {
            ck_assert_uint_eq(files_beside(), 3);
            ck_assert_uint_eq(samples(), BLOCKS);
            ck_assert_int_eq(remove(out), 0);
        }
        if (!faults_hit()) {
            ck_assert_int_eq(code, PL_EXIT_GOOD);
            break;
        }
        ck_assert_uint_lt(n, MOST_CALLS - 1);
    }
    if (faulty[_i].call != CALL_TRUNCATE) /* nothing is ever cut back */
        ck_assert_uint_gt(hits, 0);
    free(blocks);
    free(titles);
    free(out);
}
END_TEST

/* ---- logs of Windows ---------------------------------------------------------- */

static const struct {
    enum faulty_call call;
    int error;
} unreadable[] = { { CALL_OPEN, EMFILE },
                   { CALL_READ, EIO },
                   { CALL_ALLOC, 0 } };

static char *logs[NUM_MADE_BLG];

static void make_logs(void)
{
    out = strdup(path_in(temp_dir(), "out.plog"));
    for (int kind = 0; kind < NUM_MADE_BLG; kind++) {
        struct made_blg m;

        made_blg(&m, (enum made_blg_kind)kind);
        logs[kind] = strdup(path_in(temp_dir(), kind ? "b.blg" : "a.blg"));
        write_file(logs[kind], m.file.p, m.file.len);
        made_blg_release(&m);
    }
}

static enum pl_exit import_logs(void)
{
    return run((char *[]){ name, quiet, logs[0], logs[1], to, out, NULL }, 6);
}

/* One that cannot be read now is no reason to import the other alone. */
START_TEST(a_log_is_not_left_out_for_a_call_that_fails)
{
    enum pl_exit code = PL_EXIT_FAILED;
    size_t whole;

    make_logs();
    ck_assert_ptr_nonnull(freopen("/dev/null", "w", stderr));
    ck_assert_int_eq(import_logs(), PL_EXIT_GOOD);
    whole = samples();
    for (uint32_t n = 1; code; n++) {
        const struct fault f = { unreadable[_i].call, n, 1,
                                 unreadable[_i].error };

        remove(out);
        faults_set(&f, 1);
        code = import_logs();
        if (code) {
            ck_assert_int_eq(code, PL_EXIT_FAILED);
            ck_assert_uint_eq(files_beside(), NUM_MADE_BLG);
        } else {
            ck_assert_uint_eq(samples(), whole);
        }
        if (faults_hit())
            code = PL_EXIT_FAILED; /* go on, where it was survived */
        ck_assert_uint_lt(n, MOST_CALLS);
    }
    for (int kind = 0; kind < NUM_MADE_BLG; kind++)
        free(logs[kind]);
    free(out);
}
END_TEST

int main(void)
{
    TCase *faults = tcase_create("faults");
    TCase *const tcases[] = { faults, NULL };

    tcase_add_loop_test(faults, every_call_fails_once, 0,
                        sizeof faulty / sizeof *faulty);
    tcase_add_loop_test(faults, a_log_is_not_left_out_for_a_call_that_fails, 0,
                        sizeof unreadable / sizeof *unreadable);
    return run_suite("import faults", tcases);
}
