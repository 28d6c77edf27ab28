/*
 * A whole file through repair, or through a cut of a time or of counters: what
 * becomes of it is a log without fault.  record.c is compiled without hashes,
 * as for fuzz_reader.
 *
 * Input: a byte of options, then the file.
 */
#include "analyze/copy/log_copy.h"
#include "analyze/copy/block_filter.h"
#include "format/time/time_text.h"
#include "format/block/counter_path.h"
#include "format/reader/reader.h"
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    KEEP_HASHES = 1, /* as they are: damage */
    WINDOW = 4,
    PICK = 8,
};

/* The new log's name, in a folder of its own, on tmpfs if there is one. */
static const char *new_log(void)
{
    static char path[64];

    if (*path)
        return path;
    strcpy(path, "/dev/shm/perflog-fuzz-XXXXXX");
    if (!mkdtemp(path)) {
        strcpy(path, "/tmp/perflog-fuzz-XXXXXX");
        if (!mkdtemp(path))
            abort();
    }
    strcat(path, "/new.plog");
    return path;
}

static void remove_folder(void)
{
    char folder[64];

    strcpy(folder, new_log());
    *strrchr(folder, '/') = 0;
    rmdir(folder);
}

/* Nothing is missing or wrong in it, and of samples there are so many. */
static void check_new(const struct pl_log_copy *c, bool exactly)
{
    struct pl_reader *r;
    struct pl_item item;
    uint64_t samples = 0;
    enum pl_status s;

    fuzz_check(!pl_reader_open(&r, c->path, NULL));
    while (!(s = pl_reader_next(r, &item))) {
        fuzz_check(item.kind <= PL_ITEM_OTHER);
        samples += item.kind == PL_ITEM_SAMPLE;
    }
    fuzz_check(s == PL_END);
    fuzz_check(exactly ? samples == c->samples : samples >= c->samples);
    pl_reader_close(r);
}

static void copy_logs(const struct pl_host_logs *logs, uint8_t options)
{
    struct pl_progress progress = { 0 };
    struct pl_counter_path_list paths = { 0 };
    struct pl_block_filter pick = { .paths = &paths };
    struct pl_log_copy c = { .path = new_log(), .progress = &progress };
    int64_t first_ns = logs->logs[0].first_utc;
    const char *why;
    enum pl_status s;

    if (options & PICK) {
        fuzz_check(!pl_counter_path_list_add(&paths, "\\System(*)\\*", &why) &&
                   !pl_counter_path_list_add(&paths, "\\*(*a*)\\*", &why));
        pick.matched = calloc(paths.num, sizeof *pick.matched);
        c.pick = &pick;
    }
    if (options & WINDOW && first_ns < INT64_MAX / 2) {
        c.window.has_from = c.window.has_to = true;
        c.window.from_ns = first_ns + 3 * PL_NS_PER_SEC;
        c.window.to_ns = first_ns + 60 * PL_NS_PER_SEC;
    }
    s = pl_log_copy_all(&c, logs);
    fuzz_check(s == PL_OK || s == PL_END);
    if (!s) {
        fuzz_check(!pl_log_output_commit(&c.log));
        check_new(&c, !c.window.has_from);
        unlink(c.path);
    }
    pl_log_copy_release(&c);
    pl_block_filter_release(&pick);
    pl_counter_path_list_release(&paths);
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
    static bool made;
    struct fuzz_input in = { p, n };
    uint8_t options = fuzz_byte(&in);
    uint8_t *copy = fuzz_rest(&in, &n);
    char *operand;
    const char *bad;
    struct pl_host_logs logs;

    if (!made)
        made = !atexit(remove_folder);
    if (!(options & KEEP_HASHES))
        fuzz_set_hashes(copy, n);
    operand = strdup(fuzz_file(copy, n));
    if (!operand)
        abort();
    if (!pl_host_logs_open(&logs, &operand, 1, &bad)) {
        copy_logs(&logs, options);
        pl_host_logs_release(&logs);
    }
    free(operand);
    free(copy);
    return 0;
}
