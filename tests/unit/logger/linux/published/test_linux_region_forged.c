/* Regions whose bytes contradict themselves: each is refused with its reason. */
#include "format/record/record.h"
#include "logger/linux/published/region_parts.h"
#include "tests/support/publishing.h"
#include "tests/support/support.h"
#include "tests/support/watching.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- those who lie ------------------------------------------------------------*/

typedef void hurt(struct forged *f);

/* The hash is right again, so that what is behind it is looked at. */
static void rehash(struct forged *f)
{
    uint32_t def_len;
    uint64_t hash;
    uint8_t *all = read_file(f->path, &f->len);

    memcpy(&def_len, all + 36, 4);
    hash = pl_hash(all + 256, def_len, 0);
    ck_assert_int_eq(pwrite(f->fd, &hash, 8, 40), 8);
    free(all);
}

/* clang-format off */
static void nothing(struct forged *f) { (void)f; }
static void no_magic(struct forged *f) { forge_word(f, 0, 0); }
static void other_order(struct forged *f) { forge_word(f, 12, 0x04030201); }
static void critical(struct forged *f) { forge_word(f, 16, 1); }
static void shards(struct forged *f) { forge_word(f, 124, 2); }
static void size_lies(struct forged *f) { forge_word(f, 24, 1 << 20); }
static void other_id(struct forged *f) { forge_word(f, 72, 1); }
static void definitions_outside(struct forged *f) { forge_word(f, 36, 0xFFFFFFF0); }
static void sets_outside(struct forged *f) { forge_word(f, 120, 1000); }
static void values_overlap(struct forged *f) { forge_word(f, 64, 256); }
static void no_objects(struct forged *f) { forge_word(f, 112, 0); }
static void many_counters(struct forged *f) { forge_word(f, 116, 1 << 30); }
static void wrong_hash(struct forged *f) { forge_word(f, 256 + 64, 5); }
static void grown(struct forged *f) { forge_length(f, 1 << 17); }
static void shrunk(struct forged *f) { forge_length(f, 300); }
static void empty(struct forged *f) { forge_length(f, 0); }
static void writable(struct forged *f) { fchmod(f->fd, 0666); }
static void group_writable(struct forged *f) { fchmod(f->fd, 0660); }
static void others_writable(struct forged *f) { fchmod(f->fd, 0642); }
static void many_slots(struct forged *f) { forge_word(f, 256 + 64 + 24, 60000); rehash(f); }
static void stride_0(struct forged *f) { forge_word(f, 256 + 40, 0); rehash(f); }
static void wide_slots(struct forged *f) { forge_word(f, 256 + 2 * 64 + 48, 1 << 20); rehash(f); }
static void wide_values(struct forged *f) { forge_word(f, 256 + 2 * 64 + 40, 1 << 20); rehash(f); }
static void values_at_0(struct forged *f) { forge_word(f, 256 + 36, 0); rehash(f); }
static void far_word(struct forged *f) { forge_word(f, 256 + 192 + 24, 8); rehash(f); }
static void odd_type(struct forged *f) { forge_word(f, 256 + 192 + 16, 0xB00); rehash(f); }
static void no_base(struct forged *f) { forge_word(f, 256 + 192 + 3 * 32 + 16, 0x10000); rehash(f); }
static void base_of_nothing(struct forged *f) { forge_word(f, 256 + 192 + 2 * 32 + 16, 0x10000); rehash(f); }
static void far_name(struct forged *f) { forge_word(f, 256 + 4, 0x7FFFFFFF); rehash(f); }
static void terminal_name(struct forged *f) { forge_word(f, 256 + 192 + 9 * 32, 0x1b5b1b5b); rehash(f); }
static void our_name(struct forged *f)
{
    ck_assert_int_eq(pwrite(f->fd, "Memory", 7, 256 + 192 + 9 * 32), 7);
    rehash(f);
}
static void our_name_in_other_letters(struct forged *f)
{
    ck_assert_int_eq(pwrite(f->fd, "mEmORY", 7, 256 + 192 + 9 * 32), 7);
    rehash(f);
}
static void our_counter(struct forged *f)
{
    const uint8_t *at = memmem(f->bytes, f->len, "Turns/sec", 10);

    ck_assert_ptr_nonnull(at);
    ck_assert_int_eq(pwrite(f->fd, "IDENTITY", 9, at - f->bytes), 9);
    rehash(f);
}
/* clang-format on */

/* The slot of valve 0 lies behind the engine's. */
static size_t valve_slot(const struct forged *f)
{
    uint32_t inst_at;

    memcpy(&inst_at, f->bytes + 56, 4);
    return inst_at + 64;
}

static void long_name(struct forged *f)
{
    forge_word(f, valve_slot(f) + 20, 200);
}

static void control_in_instance(struct forged *f)
{
    forge_word(f, valve_slot(f) + 32, '\n');
}

static void large_id(struct forged *f)
{
    forge_word(f, valve_slot(f) + 12, 1);
}

static void sparse(struct forged *f)
{
    uint8_t *big;
    uint32_t page = 8 << 12;

    /* As long as it says, but for a hole behind what is looked at. */
    big = calloc(1, page);
    memcpy(big, f->bytes, f->len);
    memcpy(big + 24, &(uint64_t){ page }, 8);
    ck_assert_int_eq(ftruncate(f->fd, page), 0);
    ck_assert_int_eq(pwrite(f->fd, big, 4096, 0), 4096);
    free(big);
}

static const struct lie {
    hurt *hurt;
    enum pl_region_reason reason;
} lies[] = {
    { nothing, PL_REASON_DUPLICATE }, /* of the honest one */
    { no_magic, PL_REASON_MAGIC },
    { other_order, PL_REASON_VERSION },
    { critical, PL_REASON_VERSION },
    { shards, PL_REASON_VERSION },
    { size_lies, PL_REASON_SIZE },
    { other_id, PL_REASON_FILE },
    { definitions_outside, PL_REASON_AREA },
    { sets_outside, PL_REASON_AREA },
    { values_overlap, PL_REASON_AREA },
    { no_objects, PL_REASON_LIMIT },
    { many_counters, PL_REASON_LIMIT },
    { wrong_hash, PL_REASON_HASH },
    { grown, PL_REASON_SPARSE },
    { shrunk, PL_REASON_SIZE },
    { empty, PL_REASON_SHORT },
    { writable, PL_REASON_PERMISSION },
    { group_writable, PL_REASON_PERMISSION },
    { others_writable, PL_REASON_PERMISSION },
    { many_slots, PL_REASON_OBJECT },
    { stride_0, PL_REASON_AREA },
    { wide_slots, PL_REASON_AREA },
    { wide_values, PL_REASON_AREA },
    { values_at_0, PL_REASON_AREA },
    { far_word, PL_REASON_COUNTER },
    { odd_type, PL_REASON_COUNTER },
    { no_base, PL_REASON_COUNTER },
    { base_of_nothing, PL_REASON_COUNTER },
    { far_name, PL_REASON_STRING },
    { terminal_name, PL_REASON_STRING },
    { our_name, PL_REASON_NAME },
    { our_name_in_other_letters, PL_REASON_NAME },
    { our_counter, PL_REASON_NAME },
    { long_name, PL_REASON_INSTANCE },
    { control_in_instance, PL_REASON_INSTANCE },
    { large_id, PL_REASON_INSTANCE },
    { sparse, PL_REASON_SPARSE },
};

START_TEST(each_lie_is_refused_with_its_reason)
{
    enum pl_note_kind kind;
    char text[192];
    unsigned news;
    struct pl_prov *p = publish("honest");
    struct forged f;
    struct watch w;

    forge_region(&f, "liar");
    lies[_i].hurt(&f);
    watch_begin(&w);
    for (int i = 0; i < 3; i++) {
        const struct pl_region *g;

        pl_add(pl_prov_word_of(pl_prov_single(p, ENGINE), TURNS), 1);
        watch_scan(&w);
        g = watch_region(&w, "liar");
        news = 0;
        while (pl_regions_news(w.regions, &kind, text, sizeof text)) {
            news++;
            ck_assert(strstr(text, "honest:") || g->state != PL_STATE_INVALID ||
                      strstr(text, pl_region_reason_text(lies[_i].reason)));
        }
        if (g->state == PL_STATE_INVALID)
            ck_assert_uint_eq(news, i == 0 ? 2 : 0); /* once */
        ck_assert_msg(g->reason == lies[_i].reason, "lie %d: %s", _i,
                      pl_region_reason_text(g->reason));
        ck_assert_msg((g->table != NULL) == (_i == 0), "lie %d: %d %d", _i,
                      g->state, g->reason);
        g = watch_region(&w, "honest");
        ck_assert_int_eq(g->state, PL_STATE_LIVE);
        ck_assert_uint_eq(watch_word(g, 0, 0, 0), (uint64_t)i + 1);
    }
    discard_region(&f);
    watch_scan(&w);
    watch_scan(&w);
    ck_assert_ptr_null(watch_find(&w, "liar"));
    watch_end(&w);
    pl_prov_close(p);
}
END_TEST

/* Else a liar's header would make other objects of an honest table. */
START_TEST(the_same_bytes_with_other_counts_are_another_table)
{
    struct pl_prov *p = publish("honest");
    const struct pl_published *t;
    struct pl_region_header h;
    struct watch w;

    watch_begin(&w);
    watch_scan(&w);
    t = watch_region(&w, "honest")->table;
    h = t->header;
    ck_assert(pl_region_is_same_table(&t->header, t->definitions, &h,
                                      t->definitions));
    h.num_objects++;
    ck_assert(!pl_region_is_same_table(&t->header, t->definitions, &h,
                                       t->definitions));
    h.num_objects--;
    h.num_counters -= 2;
    ck_assert(!pl_region_is_same_table(&t->header, t->definitions, &h,
                                       t->definitions));
    watch_end(&w);
    pl_prov_close(p);
}
END_TEST

START_TEST(a_region_that_begins_to_lie_is_no_longer_believed)
{
    static hurt *const later[] = { shrunk, empty, grown };
    static const enum pl_region_reason reasons[] = { PL_REASON_TRUNCATED,
                                                     PL_REASON_TRUNCATED,
                                                     PL_REASON_SIZE };
    struct forged f;
    struct watch w;

    forge_region(&f, "turncoat");
    watch_begin(&w);
    watch_scan(&w);
    ck_assert_int_eq(watch_region(&w, "turncoat")->state, PL_STATE_LIVE);
    later[_i](&f);
    watch_scan(&w);
    ck_assert_int_eq(watch_region(&w, "turncoat")->state, PL_STATE_INVALID);
    ck_assert_int_eq(watch_region(&w, "turncoat")->reason, reasons[_i]);
    discard_region(&f);
    watch_end(&w);
}
END_TEST

START_TEST(every_byte_may_be_wrong)
{
    struct forged f;
    uint64_t seed = 1;

    forge_region(&f, "mutant");
    for (size_t at = 0; at < f.len; at += 1 + (seed >> 60)) {
        struct watch w;
        uint8_t byte;

        seed = seed * 6364136223846793005u + 1442695040888963407u;
        byte = f.bytes[at] ^ (uint8_t)(1 << (seed >> 61));
        ck_assert_int_eq(pwrite(f.fd, &byte, 1, (off_t)at), 1);
        if (at >= 256 && seed >> 63)
            rehash(&f);
        watch_begin(&w);
        watch_scan(&w);
        ck_assert_ptr_nonnull(watch_find(&w, "mutant"));
        watch_end(&w);
        ck_assert_int_eq(pwrite(f.fd, f.bytes, f.len, 0), (ssize_t)f.len);
    }
    discard_region(&f);
}
END_TEST

static TCase *forged_case(const char *name, SFun way)
{
    TCase *forged = tcase_create(name);

    tcase_add_checked_fixture(forged, way, NULL);
    tcase_add_loop_test(forged, each_lie_is_refused_with_its_reason, 0,
                        sizeof lies / sizeof *lies);
    tcase_add_test(forged, the_same_bytes_with_other_counts_are_another_table);
    tcase_add_loop_test(
        forged, a_region_that_begins_to_lie_is_no_longer_believed, 0, 3);
    return forged;
}

int main(void)
{
    TCase *bytes = tcase_create("bytes");
    TCase *const tcases[] = { bytes, forged_case("forged", watch_by_events),
                              forged_case("forged, all asked", watch_by_asking),
                              NULL };

    /* To end being told takes the kernel 30 ms, and there are many bytes. */
    tcase_add_checked_fixture(bytes, watch_by_asking, NULL);
    tcase_add_test(bytes, every_byte_may_be_wrong);
    return run_suite("linux_region_forged", tcases);
}
