/*
 * 'fuzz_corpus FOLDER' writes FOLDER/TARGET/NAME: inputs for every target to
 * start from, made of the same parts that tests are made of.
 */
#include "format/base/file.h"
#include "format/record/codec.h"
#include "format/record/delta.h"
#include "format/pack/pack.h"
#include "format/block/titles.h"
#include "format/block/winperf.h"
#include "tests/support/logs.h"
#include "tests/support/made_blg.h"
#include "tests/support/made_blocks.h"
#include "tests/support/support.h"
#ifdef PL_WITH_PROC
#include "tests/fuzz/proc_list.h"
#include "tests/support/proc_tree.h"
#include "tests/support/publishing.h"
#endif

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
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
    bool there = true;

    pl_buf_u16(&out, 0);
    put_part(&out, no_titles, 0);
    for (int step = 0; step < 2; step++) {
        char path[4096];
        uint8_t *p;
        size_t n;

        snprintf(path, sizeof path, "%s/vista/blocks/s%02d_%s.bin",
                 PL_SHARED_DATA, step, name);
        there = pl_file_is_same(path, path);
        if (!there)
            break;
        p = read_file(path, &n);
        put_part(&out, p, n);
        free(p);
    }
    if (there)
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

/* ---- the other layers ------------------------------------------------------------ */

static void make_blocks(void)
{
    struct pl_buf b = { 0 };
    struct machine m;

    for (unsigned look = 0; look < NUM_LOOKS; look++) {
        made_block_as(&b, 1, (enum look)look);
        keep("block", look_names[look], &b);
    }
    machine_start(&m, 3, 5);
    machine_block(&m, &b);
    keep("block", "machine", &b);
    machine_stop(&m);
    pl_buf_release(&b);
}

/* Tokens of one block after another. */
static void make_delta_of(const char *name, const struct pl_buf *ref,
                          const struct pl_buf *now)
{
    struct pl_plan plan = { 0 };
    struct pl_buf tokens = { 0 }, out = { 0 };

    ck_assert(!pl_delta_plan(&plan, ref->p, ref->len, now->p, now->len));
    pl_delta_encode(&tokens, &plan, ref->p, now->p, SIZE_MAX);
    pl_buf_u16(&out, (uint16_t)(now->len / 8));
    put_part(&out, tokens.p, tokens.len);
    put_part(&out, ref->p, ref->len);
    put_part(&out, now->p, now->len);
    keep("delta", name, &out);
    pl_plan_release(&plan);
    pl_buf_release(&tokens);
    pl_buf_release(&out);
}

static void make_deltas(void)
{
    struct pl_buf a = { 0 }, b = { 0 };
    struct machine m;

    made_block(&a, 0);
    made_block(&b, 1);
    make_delta_of("made", &a, &b);
    machine_start(&m, 5, 4);
    machine_block(&m, &a);
    m.churn = 1;
    machine_run(&m, 1000000000);
    machine_block(&m, &b);
    make_delta_of("machine", &a, &b);
    pl_buf_clear(&a);
    make_delta_of("nothing-before", &a, &b);
    machine_stop(&m);
    pl_buf_release(&a);
    pl_buf_release(&b);
}

/* Every shape of log, as file and as the payloads in it. */
static void make_log(enum log_shape shape)
{
    const char *path = path_in(temp_dir(), log_shape_name(shape));
    struct pl_buf out = { 0 };
    struct log l = { 0 };

    log_make(&l, path, shape, 17);
    pl_buf_u8(&out, 0);
    pl_buf_bytes(&out, l.bytes, l.len < 60000 ? l.len : 60000);
    keep("reader", log_shape_name(shape), &out);
    out.p[0] = (uint8_t)(4 * (shape % 4)); /* all, a time, counters, both */
    keep("copy", log_shape_name(shape), &out);
    out.p[0] = 1;
    out.p[out.len / 2] ^= 4;
    keep("reader", shape % 2 ? "damaged-a" : "damaged-b", &out);
    for (size_t i = 0; i < l.num_records; i++) {
        static const uint32_t types[] = { PL_SESS, PL_GAPS, PL_NOTE, PL_ENDS,
                                          PL_INDX, PL_TITL, PL_IDEN };
        const struct whole_record *r = &l.records[i];

        for (uint8_t k = 0; k < sizeof types / sizeof *types; k++)
            if (r->record.type == types[k] && !r->record.codec) {
                char name[64];

                snprintf(name, sizeof name, "%s-%u", log_shape_name(shape),
                         (unsigned)k);
                pl_buf_clear(&out);
                pl_buf_u8(&out, k);
                pl_buf_bytes(&out, l.bytes + r->at + PL_RECORD_LEN,
                             r->record.stored_len);
                keep("payload", name, &out);
            }
    }
    log_release(&l);
    pl_buf_release(&out);
}

/* A packed log, and the content of its first pack. */
static void make_pack(enum log_shape shape)
{
    const char *path = path_in(temp_dir(), "packed");
    struct pl_buf out = { 0 }, content = { 0 };
    const struct whole_record *pack;
    struct pl_decoder *d;
    struct pl_record frame;
    struct log l = { 0 };
    char name[64];

    log_make(&l, path, shape, 18);
    log_pack(&l, path);
    snprintf(name, sizeof name, "packed-%s", log_shape_name(shape));
    pl_buf_u8(&out, 0);
    pl_buf_bytes(&out, l.bytes, l.len);
    keep("reader", name, &out);
    keep("copy", name, &out);
    pack = log_find(&l, PL_PACK, 0);
    frame = pack->record;
    frame.codec = PL_CODEC_ZSTD;
    frame.stored_len -= PL_PACK_HEAD;
    ck_assert(!pl_decoder_new(&d));
    ck_assert(!pl_decode(d, &frame,
                         l.bytes + pack->at + PL_RECORD_LEN + PL_PACK_HEAD,
                         NULL, &content));
    pl_buf_clear(&out);
    pl_buf_u8(&out, l.bytes[pack->at + PL_RECORD_LEN]);     /* records, */
    pl_buf_u8(&out, l.bytes[pack->at + PL_RECORD_LEN + 4]); /* samples */
    pl_buf_bytes(&out, content.p, content.len);
    keep("pack", name, &out);
    pl_decoder_free(d);
    pl_buf_release(&content);
    pl_buf_release(&out);
    pl_file_delete(path);
    log_release(&l);
}

static void make_packs(void)
{
    static const enum log_shape shapes[] = { LOG_SMALL, LOG_CHURN,
                                             LOG_IDENTITIES };

    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        make_pack(shapes[i]);
}

static void make_titles(void)
{
    struct pl_buf titles = { 0 }, out = { 0 };

    made_titles(&titles);
    pl_buf_u8(&out, 5);
    pl_buf_bytes(&out, titles.p, titles.len);
    keep("payload", "titles", &out);
    pl_buf_release(&titles);
    pl_buf_release(&out);
}

/* A session that says everything a session can say. */
static void make_session(void)
{
    static const uint8_t sha[PL_SHA256_LEN] = { 1, 2, 3 };
    const struct pl_session s = {
        .host = pl_text_of("host"),
        .machine_hash = 7,
        .boot_id = { 1 },
        .os = pl_text_of("Linux"),
        .architecture = pl_text_of("x86_64"),
        .num_cpus = 2,
        .page_size = 4096,
        .clock_ticks = 100,
        .interval_ns = 1000000000,
        .tool = pl_text_of("perflog"),
        .minor = 1,
        .provider = pl_text_of(PL_PROVIDER_LINUX),
        .zone_minutes = -60,
        .zone = pl_text_of("Atlantic/Azores"),
        .command_line = pl_text_of("record x"),
        .sync = pl_text_of("10s"),
        .perf_freq = 10000000,
        .perf_source = pl_text_of("boot"),
        .previous = pl_text_of("before.plog"),
        .repeat = true,
        .sha256 = sha,
        .source = pl_text_of("x.blg"),
        .titles_made_up = true,
        .process_path = pl_text_of("proc"),
        .process_reason = pl_text_of("not permitted"),
    };
    struct pl_buf out = { 0 };

    pl_buf_u8(&out, 0);
    pl_session_write(&s, &out);
    keep("payload", "session", &out);
    pl_buf_release(&out);
}

/* Texts: the first byte chooses what they are taken for. */
static void make_texts(const char *target, const char *const *texts, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct pl_buf out = { 0 };
        char name[32];

        snprintf(name, sizeof name, "%zu", i);
        pl_buf_u8(&out, (uint8_t)(texts[i][0] - '0'));
        for (const char *p = texts[i] + 1; *p; p++) /* '|' stands for NUL */
            pl_buf_u8(&out, (uint8_t)(*p == '|' ? 0 : *p));
        keep(target, name, &out);
        pl_buf_release(&out);
    }
}

static const char *const command_lines[] = {
    "01.5s",
    "0250ms",
    "02h",
    "07d",
    "164M",
    "11GiB",
    "14096B",
    "242",
    "218446744073709551615",
    "32026-11-21T07:35:02.250Z",
    "307:35",
    "37:35:02.5 PM",
    "3yesterday 14:00",
    "322.11.2026, 03:10",
    "311/22/2026 3:10 AM UTC",
    "3+5m",
    "303:12 +-2m",
    "3-10m",
    "3@1795246502.5",
    "32026-11-21 07:35+02:00",
    "4\\\\web\\Process(init/a#1)\\% Processor Time",
    "4Memory\\*",
    "4a[*]b(c(d))\\e",
    "5+02:00",
    "5Europe/Berlin",
    "5local",
    "6*a?b*[#]|xaybz#",
    "6%|%",
    "7\\A(*)\\B\n# note\n+\\C\\D\n\n",
    "7@x\n",
    "8-c|\\A\\B|--output=x|-q|log|--|-z",
    "8--lay|x",
    "8--layout",
    "8-qo",
};

static void make_cells(void)
{
    static const char csv[] = "1\x05=1+1,\x03\"x\"\xFF\x04\xC3\xA9\xC3\x28"
                              "\x01 \xFF\x02\r\n\x00\xFF";
    static const char json[] = "\x01\x07\x03k\"\\\x05\x01\xC3\xA9\n\xFF\x00"
                               "\x01k\x04\x01k\x40\x09\x21\xFB\x54\x44\x2D\x18"
                               "\x80\x02\x80\x00\x00\x00\x00\x00\x00\x00";
    struct pl_buf b = { 0 };

    pl_buf_bytes(&b, csv, sizeof csv - 1);
    keep("csv", "cells", &b);
    pl_buf_clear(&b);
    pl_buf_bytes(&b, json, sizeof json - 1);
    keep("json", "values", &b);
    pl_buf_release(&b);
}

static const char *const sheets[] = {
    "\"(PDH-CSV 4.0) (GMT Standard Time)(-60)\",\"\\\\a\\X(p/q#1)\\c\","
    "\"\\\\b\\Y\\d\"\r\n\"02/29/2020 23:59:59.999\",\" \",\"1.5e3\"\r\n"
    "\"03/01/2020 00:00:00.000\",\"-7\",\"\"\r\nThe command completed "
    "successfully.\r\n",
    "(PDH-TSV 4.0)\t\\X\\c\n01/02/2020 03:04:05\t3,25\n",
    "\xEF\xBB\xBF\"(PDH-CSV 4.0)\",\"\\\\a\\X\\\xE4\"\n\"x\"y,\n\"",
};

static void make_foreign(void)
{
    static const char *const names[] = {
        [MADE_BLG_ITEMS] = "blg-items", [MADE_BLG_BLOCKS] = "blg-blocks"
    };
    struct made_blg m;

    for (int i = 0; i < NUM_MADE_BLG; i++) {
        made_blg(&m, (enum made_blg_kind)i);
        keep("foreign", names[i], &m.file);
        made_blg_release(&m);
    }
    for (size_t i = 0; i < sizeof sheets / sizeof *sheets; i++) {
        struct pl_buf b = { 0 };
        char name[32];

        snprintf(name, sizeof name, "sheet-%zu", i);
        pl_buf_string(&b, sheets[i]);
        keep("foreign", name, &b);
        pl_buf_release(&b);
    }
}

#ifdef PL_WITH_PROC
static void make_proc(void)
{
    struct pl_buf out = { 0 };

    proc_tree_make(temp_dir());
    for (size_t i = 0; i < NUM_PROC_LIST; i++) {
        const char *path = path_in(temp_dir(), proc_list[i]);
        uint8_t *p = NULL;
        size_t n = 0;

        if (pl_file_is_same(path, path))
            p = read_file(path, &n);
        put_part(&out, p, n);
        free(p);
    }
    keep("proc", "tree", &out);
    pl_buf_release(&out);
}

static void keep_region(const char *name, const char *path)
{
    struct pl_buf out = { 0 };
    size_t n;
    uint8_t *p = read_file(path, &n);

    pl_buf_bytes(&out, p, n);
    keep("region", name, &out);
    pl_buf_release(&out);
    free(p);
}

/* Regions as the library makes them, empty, in use, and in a group. */
static void make_regions(void)
{
    struct pl_prov *p = publish("corpus");
    struct pl_prov_set valve;

    keep_region("empty", pl_prov_path(p));
    valve = pl_prov_add(p, VALVE, "left", -1, NULL);
    pl_add(pl_prov_word_of(valve, OPENED), 3);
    pl_prov_add(p, PIPE, "of left", 5, &valve);
    pl_prov_add(p, VALVE, "_Total", -1, NULL);
    keep_region("used", pl_prov_path(p));
    pl_begin(valve);
    pl_begin(pl_prov_region(p));
    keep_region("busy", pl_prov_path(p));
    pl_prov_close(p);
}
#else
static void make_proc(void)
{
}

static void make_regions(void)
{
}
#endif

/* The makers of tests fail the running test, so there has to be one. */
START_TEST(every_target_has_its_corpus)
{
    make_folder(folder);
    make_calculator();
    make_blocks();
    make_deltas();
    make_packs();
    for (unsigned shape = 0; shape < NUM_LOG_SHAPES; shape++)
        make_log((enum log_shape)shape);
    make_titles();
    make_session();
    make_texts("cmdline", command_lines,
               sizeof command_lines / sizeof *command_lines);
    make_cells();
    make_foreign();
    make_proc();
    make_regions();
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
