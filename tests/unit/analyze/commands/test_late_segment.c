/*
 * A host that is followed, and whose segment ends just as rows of it are waited
 * for: its recording goes on, though there is no sample of it yet.
 */
#include "format/base/file.h"
#include "format/cli/options.h"
#include "analyze/replay/replay.h"
#include "tests/support/logs.h"
#include "tests/support/support.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct pl_command pl_cmd_export;

enum { FIRST_SECOND = 50, LATE = 8, ROWS = 20 };
#define SECOND INT64_C(1000000000)
#define MINUTE INT64_C(1795262400) /* a full one, in 2026 */

static struct host {
    char folder[256];
    struct machine machine;
    struct pl_writer *writer;
    struct log log;
} early, late;

static enum { WAITED_FOR, ROTATED, DONE } state;

static void begin(struct host *h, const char *name)
{
    struct pl_writer_options options = log_options;
    const char *why;

    snprintf(h->folder, sizeof h->folder, "%s", path_in(temp_dir(), name));
    ck_assert_int_eq(pl_dir_make(h->folder), PL_OK);
    options.session.host = pl_text_of(name);
    options.session.interval_ns = (uint64_t)SECOND;
    options.max_time_ns = (uint64_t)(3600 * SECOND);
    options.session.provider = pl_text_of("little test");
    ck_assert_int_eq(pl_writer_open(&h->writer, path_in(h->folder, "live.plog"),
                                    &options, &why),
                     PL_OK);
    machine_start(&h->machine, 1, 1);
    h->machine.utc_ns = (MINUTE + FIRST_SECOND) * SECOND;
}

static void add(struct host *h, size_t num)
{
    log_add(&h->log, h->writer, &h->machine, SECOND, num);
}

static void end(struct host *h)
{
    log_close(h->writer, NULL);
    log_release(&h->log);
    machine_stop(&h->machine);
}

/* ---- what is done meanwhile ---------------------------------------------- */

bool __real_pl_replay_has_ended(struct pl_replay *r);
bool __wrap_pl_replay_has_ended(struct pl_replay *r);
void __wrap_pl_sleep(uint64_t ns);

bool __wrap_pl_replay_has_ended(struct pl_replay *r)
{
    if (state == WAITED_FOR && strstr(pl_replay_path(r), late.folder)) {
        state = ROTATED;
        ck_assert_int_eq(pl_writer_rotate(late.writer), PL_OK);
    }
    return __real_pl_replay_has_ended(r);
}

void __wrap_pl_sleep(uint64_t ns)
{
    (void)ns;
    if (state != ROTATED)
        return;
    state = DONE;
    add(&late, ROWS - LATE);
    end(&late);
    end(&early);
}

/* ---- the test ------------------------------------------------------------- */

/* What an export of both writes. */
static char *exported(const char *follow)
{
    char words[][16] = { "export",  "-q",  "--layout", "long",
                         "--every", "60s", "-o",       "" };
    char file[256], *argv[12];
    struct pl_buf text = { 0 };
    size_t len;
    uint8_t *bytes;
    int n = 0;

    snprintf(file, sizeof file, "%s",
             path_in(temp_dir(), follow ? "followed.csv" : "whole.csv"));
    for (size_t i = 0; *words[i]; i++)
        argv[n++] = words[i];
    argv[n++] = file;
    argv[n++] = early.folder;
    argv[n++] = late.folder;
    if (follow)
        argv[n++] = (char *)(uintptr_t)follow;
    argv[n] = NULL;
    optind = 0; /* begin again */
    ck_assert_int_eq(pl_cmd_export.run(&pl_cmd_export, n, argv), PL_EXIT_GOOD);
    bytes = read_file(file, &len);
    pl_buf_bytes(&text, bytes, len);
    pl_buf_u8(&text, 0);
    free(bytes);
    return (char *)text.p;
}

START_TEST(its_rows_are_waited_for)
{
    char *followed, *whole;

    begin(&early, "early");
    begin(&late, "late");
    add(&early, ROWS);
    add(&late, LATE);
    followed = exported("--follow");
    ck_assert_int_eq(state, DONE);
    whole = exported(NULL);
    ck_assert(!strcmp(followed, whole)); /* too long for a message */
    free(followed);
    free(whole);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("late");
    TCase *const tcases[] = { t, NULL };

    tcase_add_test(t, its_rows_are_waited_for);
    return run_suite("late segment", tcases);
}
