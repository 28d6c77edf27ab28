/*
 * 'fuzz_corpus FOLDER' writes FOLDER/TARGET/NAME: inputs for every target to
 * start from, made of the same parts that tests are made of.
 */
#include "format/file.h"
#include "format/titles.h"
#include "format/winperf.h"
#include "tests/fuzz/fuzz.h"
#include "tests/logs.h"
#include "tests/made_blocks.h"
#include "tests/support.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *folder;

static void make_folder(const char *path)
{
    if (mkdir(path, 0755) && errno != EEXIST) {
        perror(path);
        exit(EXIT_FAILURE);
    }
}

/* One input of 'target'. */
static void keep(const char *target, const char *name, const struct pl_buf *b)
{
    char path[4096];

    snprintf(path, sizeof path, "%s/%s", folder, target);
    make_folder(path);
    snprintf(path, sizeof path, "%s/%s/%s", folder, target, name);
    write_file(path, b->p, b->len);
}

static void put_part(struct pl_buf *b, const void *p, size_t n)
{
    pl_buf_u16(b, (uint16_t)n);
    pl_buf_u8(b, (uint8_t)(n >> 16));
    pl_buf_bytes(b, p, n);
}

/* ---- blocks and what they become --------------------------------------------- */

enum { NUM_STEPS = 4 };

enum look { LITTLE, BIG, REVISION_0, BIG_REVISION_0, NUM_LOOKS };
static const char *const look_names[] = { "little", "big", "little-1992",
                                          "big-1992" };

static void made_block_as(struct pl_buf *b, unsigned step, enum look look)
{
    made_block(b, step);
    if (look == REVISION_0 || look == BIG_REVISION_0)
        block_to_revision_0(b);
    if (look == BIG || look == BIG_REVISION_0)
        block_to_big_endian(b);
}

static void calculator_made(enum look look, uint8_t options)
{
    struct pl_buf b = { 0 }, out = { 0 };
    char name[64];

    pl_buf_u8(&out, options);
    pl_buf_u8(&out, (uint8_t)look);
    made_titles(&b);
    put_part(&out, b.p, b.len);
    for (unsigned step = 0; step < NUM_STEPS; step++) {
        made_block_as(&b, step, look);
        put_part(&out, b.p, b.len);
    }
    snprintf(name, sizeof name, "made-%s-%02x", look_names[look], options);
    keep("calculator", name, &out);
    pl_buf_release(&b);
    pl_buf_release(&out);
}

static void calculator_machine(void)
{
    struct pl_buf b = { 0 }, out = { 0 };
    struct machine m;

    machine_start(&m, 7, 4);
    m.churn = 1;
    pl_buf_u16(&out, 0);
    machine_titles(&m, &b);
    put_part(&out, b.p, b.len);
    for (unsigned step = 0; step < NUM_STEPS; step++) {
        machine_run(&m, 1000000000);
        m.has_processor = step > 1;
        machine_block(&m, &b);
        put_part(&out, b.p, b.len);
    }
    keep("calculator", "machine", &out);
    machine_stop(&m);
    pl_buf_release(&b);
    pl_buf_release(&out);
}

/* Two samples of one object of a real machine, if they are to be had. */
static void calculator_real(const char *name)
{
    static const uint8_t no_titles[1];
    struct pl_buf out = { 0 };

    pl_buf_u16(&out, 0);
    put_part(&out, no_titles, 0);
    for (int step = 0; step < 2; step++) {
        char path[4096];
        uint8_t *p;
        size_t n;

        snprintf(path, sizeof path, "%s/vista/blocks/s%02d_%s.bin",
                 PL_SHARED_DATA, step, name);
        if (!pl_file_is_same(path, path))
            return;
        p = read_file(path, &n);
        put_part(&out, p, n);
        free(p);
    }
    keep("calculator", name, &out);
    pl_buf_release(&out);
}

static void make_calculator(void)
{
    static const char *const real[] = {
        "002_System",           "004_Memory",      "230_Process",
        "234_PhysicalDisk",     "236_LogicalDisk", "238_Processor",
        "510_NetworkInterface", "638_TCPv4",
    };

    for (unsigned look = 0; look < NUM_LOOKS; look++)
        for (unsigned bit = 0; bit < 9; bit++)
            calculator_made((enum look)look, (uint8_t)(1u << bit));
    calculator_machine();
    for (size_t i = 0; i < sizeof real / sizeof *real; i++)
        calculator_real(real[i]);
}

/* The makers of tests fail the running test, so there has to be one. */
START_TEST(every_target_has_its_corpus)
{
    make_folder(folder);
    make_calculator();
}
END_TEST

int main(int argc, char **argv)
{
    TCase *t = tcase_create("corpus");
    TCase *const tcases[] = { t, NULL };

    if (argc != 2) {
        fprintf(stderr, "usage: fuzz_corpus FOLDER\n");
        return EXIT_FAILURE;
    }
    folder = argv[1];
    tcase_add_test(t, every_target_has_its_corpus);
    return run_suite("corpus", tcases);
}
