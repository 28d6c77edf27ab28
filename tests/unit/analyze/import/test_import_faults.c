/* An import in which every call and allocation fails once: whole or nothing. */
#include "format/base/file.h"
#include "format/cli/options.h"
#include "tests/support/faults.h"
#include "tests/support/logs.h"
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

static enum pl_exit import(void)
{
    static char name[] = "import", quiet[] = "-q", to[] = "-o";
    static char with[] = "--titles";
    /* Options are parsed anew if they lie elsewhere. */
    static char *argv[2][8], **words;
    char *const given[] = { name, quiet, with, titles, blocks, to, out, NULL };
    enum pl_exit code;

    words = words == argv[0] ? argv[1] : argv[0];
    memcpy(words, given, sizeof given);
    faults_on();
    code = pl_cmd_import.run(&pl_cmd_import, 7, words);
    faults_off();
    return code;
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

int main(void)
{
    TCase *faults = tcase_create("faults");
    TCase *const tcases[] = { faults, NULL };

    tcase_add_loop_test(faults, every_call_fails_once, 0,
                        sizeof faulty / sizeof *faulty);
    return run_suite("import faults", tcases);
}
