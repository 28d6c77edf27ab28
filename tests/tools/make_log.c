/*
 * make_log OUT NAME=NUMBER...: a log of a made-up machine, of any length.
 *
 *   samples     how many (86400)           processors  of the machine (4)
 *   interval    between them, in ms (1000) disks       (4)
 *   start       of the first, Unix time    interfaces  (4)
 *   seed        another one, another log   processes   (150)
 *   host        number of its name         churn       processes replaced at
 *               (0: made)                              each step (1)
 *   slow        1: its disks are (0)
 *   segment     of a rotated log, in seconds (0: it is one file)
 *
 * like=LOG: of the machine of LOG, and its last sample one interval before the
 * first one of LOG, so that both together are one log.
 */
#include "format/time/time_text.h"
#include "format/reader/reader.h"
#include "format/writer/writer.h"
#include "tests/support/long_machine.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    const char *name;
    uint64_t value;
} numbers[] = {
    { "samples", 86400 }, { "interval", 1000 }, { "start", 1795219200 },
    { "seed", 1 },        { "processors", 4 },  { "disks", 4 },
    { "interfaces", 4 },  { "processes", 150 }, { "churn", 1 },
    { "host", 0 },        { "segment", 0 },     { "slow", 0 },
};

enum {
    SAMPLES,
    INTERVAL,
    START,
    SEED,
    PROCESSORS,
    DISKS,
    INTERFACES,
    PROCESSES,
    CHURN,
    HOST,
    SEGMENT,
    SLOW,
    NUM_NUMBERS
};

static void fail(const char *what)
{
    fprintf(stderr, "make_log: %s\n", what);
    exit(EXIT_FAILURE);
}

/* The log whose machine this is, at its first sample; NULL: there is none. */
static struct pl_reader *like;

static void take_like(const char *path)
{
    struct pl_item item = { 0 };

    if (pl_reader_open(&like, path, NULL))
        fail(path);
    while (item.kind != PL_ITEM_SAMPLE)
        if (pl_reader_next(like, &item))
            fail(path);
    numbers[START].value = (uint64_t)(item.record.utc_ns / PL_NS_PER_SEC);
}

static void take(const char *arg)
{
    if (!strncmp(arg, "like=", 5)) {
        take_like(arg + 5);
        return;
    }
    for (size_t i = 0; i < NUM_NUMBERS; i++) {
        size_t n = strlen(numbers[i].name);

        if (strncmp(arg, numbers[i].name, n) || arg[n] != '=')
            continue;
        numbers[i].value = strtoull(arg + n + 1, NULL, 10);
        return;
    }
    fail(arg);
}

/* "made", or "made7". */
static struct pl_text host_name(void)
{
    static char name[32];

    if (!numbers[HOST].value)
        return pl_text_of("made");
    snprintf(name, sizeof name, "made%" PRIu64, numbers[HOST].value);
    return pl_text_of(name);
}

static struct pl_writer *open_log(const char *path)
{
    const struct pl_session *of = like ? pl_reader_session(like) : NULL;
    const struct pl_writer_options options = {
        .session = { .host = of ? of->host : host_name(),
                     .machine_hash = of ? of->machine_hash : 0,
                     .interval_ns =
                         numbers[INTERVAL].value * (uint64_t)PL_NS_PER_MS,
                     .provider = pl_text_of(PL_PROVIDER_LINUX) },
        .sync_ns = PL_SYNC_NEVER,
        .max_time_ns = numbers[SEGMENT].value * (uint64_t)PL_NS_PER_SEC,
        .opening = PL_MUST_BE_NEW,
        .is_copy = true,
        .begun_utc_ns = (int64_t)numbers[START].value * PL_NS_PER_SEC,
        .begun_boot_ns = PL_NS_PER_SEC,
    };
    struct pl_writer *w;
    const char *why;

    if (pl_writer_open(&w, path, &options, &why))
        fail("the log cannot be made");
    return w;
}

int main(int argc, char **argv)
{
    struct long_machine m;
    struct pl_buf block = { 0 }, titles = { 0 };
    struct pl_writer *w;

    if (argc < 2 || argv[1][0] == '-')
        fail("usage: make_log OUT NAME=NUMBER...");
    for (int i = 2; i < argc; i++)
        take(argv[i]);
    if (like)
        numbers[START].value -=
            numbers[SAMPLES].value * numbers[INTERVAL].value / 1000;
    m = (struct long_machine){
        .random = numbers[SEED].value * 0x9E3779B97F4A7C15u | 1,
        .processors = (uint32_t)numbers[PROCESSORS].value,
        .disks = (uint32_t)numbers[DISKS].value,
        .interfaces = (uint32_t)numbers[INTERFACES].value,
        .processes = (uint32_t)numbers[PROCESSES].value,
        .churn = (uint32_t)numbers[CHURN].value,
        .slow_disks = numbers[SLOW].value != 0,
        .utc_ns = (int64_t)numbers[START].value * PL_NS_PER_SEC,
        .boot_ns = PL_NS_PER_SEC,
    };
    w = open_log(argv[1]);
    long_machine_titles(&titles);
    pl_writer_titles(w, &titles);
    long_machine_start(&m);
    for (uint64_t i = 0; i < numbers[SAMPLES].value; i++) {
        const struct pl_sample_stamp stamp = { m.utc_ns, m.boot_ns, 0 };

        long_machine_block(&m, &block);
        if (pl_writer_sample(w, &stamp, &block))
            fail("a sample cannot be written");
        long_machine_run(&m, (int64_t)numbers[INTERVAL].value * PL_NS_PER_MS);
    }
    if (pl_writer_close(w, PL_END_ASKED, NULL))
        fail("the log cannot be ended");
    pl_reader_close(like);
    long_machine_stop(&m);
    pl_buf_release(&block);
    pl_buf_release(&titles);
    return EXIT_SUCCESS;
}
