/*
 * Sweeps over whole blocks, made ones and those of a real machine: every
 * prefix and every flipped bit.  Never a read outside (each block lies in a
 * heap copy of exactly its size, for AddressSanitizer); and where a length, a
 * count or an offset was hit, the walk either refuses it or yields what it
 * yielded before.  'test_block_sweep --full' sweeps all real blocks.
 */
#include "format/base/file.h"
#include "format/block/winperf.h"
#include "tests/support/made_blocks.h"
#include "tests/support/support.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUM(a) (sizeof(a) / sizeof *(a))

enum { SKIPPED = 77, MAX_BLOCKS = 96, PREFIX_STEP = 3, MAX_NAME = 96 };

struct block {
    char name[MAX_NAME];
    uint8_t *p;
    size_t n;
};

static struct block blocks[MAX_BLOCKS];
static size_t num_blocks, num_made;
static bool full;

/* ---- what a walk yields ---------------------------------------------------------- */

/* A value and what it is the value of. */
struct yield {
    uint32_t object, counter, type;
    uint32_t instance; /* place in its object */
    const uint8_t *name;
    size_t name_len;
    bool readable;
    uint64_t value;
};

struct walk {
    struct yield *yields;
    size_t num, cap;
    enum pl_status end; /* PL_END: nothing was refused */
    size_t refused_at;
};

static void add(struct walk *w, const struct yield *y)
{
    if (w->num == w->cap) {
        w->cap = w->cap ? 2 * w->cap : 1024;
        w->yields = realloc(w->yields, w->cap * sizeof *w->yields);
        ck_assert_ptr_nonnull(w->yields);
    }
    w->yields[w->num++] = *y;
}

static void refuse(struct walk *w, enum pl_status s, size_t at)
{
    if (s != PL_END && w->end == PL_END) {
        w->end = s;
        w->refused_at = at;
    }
}

static void walk_counters(struct walk *w, const struct pl_object *o,
                          const struct pl_instance *i, uint32_t nth)
{
    struct pl_object defs = *o;
    struct pl_counter_def c;
    enum pl_status s;

    while (!(s = pl_counter_next(&defs, &c))) {
        struct yield y = { .object = o->title_index,
                           .counter = c.title_index,
                           .type = c.type,
                           .instance = nth,
                           .name = i->name,
                           .name_len = i->name_len };

        y.readable = pl_counter_get(o, i, &c, &y.value);
        add(w, &y);
    }
    refuse(w, s, o->at);
}

/* Everything there is in p[0..n). */
static void walk_block(struct walk *w, const uint8_t *p, size_t n)
{
    struct pl_block b;
    struct pl_object o;
    struct pl_instance i;
    enum pl_status s;

    w->num = 0;
    w->end = PL_END;
    s = pl_block_parse(&b, p, n);
    if (s) {
        refuse(w, s, 0);
        return;
    }
    while (!(s = pl_object_next(&b, &o))) {
        struct pl_object data = o;
        uint32_t nth = 0;
        enum pl_status t;

        while (!(t = pl_instance_next(&data, &i)))
            walk_counters(w, &o, &i, nth++);
        refuse(w, t, (size_t)(data.data.p - p));
    }
    refuse(w, s, n - b.rest.left);
}

/* The same things have the same names and values. */
static bool same_yield(const struct yield *a, const struct yield *b)
{
    return a->object == b->object && a->counter == b->counter &&
           a->type == b->type && a->instance == b->instance &&
           a->name_len == b->name_len && a->readable == b->readable &&
           a->value == b->value &&
           (!a->name_len || !memcmp(a->name, b->name, a->name_len));
}

/* The same thing has the same name; its value is the same, or unreadable. */
static bool is_blank(const struct yield *good, const struct yield *y)
{
    struct yield x = *y;

    if (!x.readable) {
        x.readable = good->readable;
        x.value = good->value;
    }
    return same_yield(good, &x);
}

static bool same_walk(const struct walk *a, const struct walk *b,
                      bool (*same)(const struct yield *, const struct yield *))
{
    if (a->num != b->num)
        return false;
    for (size_t i = 0; i < a->num; i++)
        if (!same(&a->yields[i], &b->yields[i]))
            return false;
    return true;
}

/* ---- fields of a block ------------------------------------------------------------ */

enum field {
    OTHER, /* no length, count or offset */
    BLOCK_TOTAL,
    BLOCK_HEADER_LEN,
    BLOCK_NUM_OBJECTS,
    BLOCK_NAME_LEN,
    BLOCK_NAME_OFFSET,
    OBJECT_TOTAL,
    OBJECT_DEFINITION_LEN,
    OBJECT_HEADER_LEN,
    OBJECT_NUM_COUNTERS,
    OBJECT_NUM_INSTANCES,
    COUNTER_LEN,
    COUNTER_SIZE,
    COUNTER_OFFSET,
    INSTANCE_LEN,
    INSTANCE_NAME_OFFSET,
    INSTANCE_NAME_LEN,
    COUNTER_BLOCK_LEN,
    NUM_FIELDS
};

/*
 * 'unnoticed': how a change of it may lead to other values without anybody
 * being able to tell; NULL: it may not.
 */
static const struct {
    const char *name;
    const char *unnoticed;
} fields[NUM_FIELDS] = {
    [BLOCK_TOTAL] = { "block TotalByteLength", NULL },
    [BLOCK_HEADER_LEN] = { "block HeaderLength", NULL },
    [BLOCK_NUM_OBJECTS] = { "block NumObjectTypes", NULL },
    [BLOCK_NAME_LEN] = { "block SystemNameLength", NULL },
    [BLOCK_NAME_OFFSET] = { "block SystemNameOffset", NULL },
    [OBJECT_TOTAL] = { "object TotalByteLength", NULL },
    [OBJECT_DEFINITION_LEN] = { "object DefinitionLength", NULL },
    [OBJECT_HEADER_LEN] = { "object HeaderLength", NULL },
    [OBJECT_NUM_COUNTERS] = { "object NumCounters", NULL },
    [OBJECT_NUM_INSTANCES] = { "object NumInstances", NULL },
    [COUNTER_LEN] = { "counter ByteLength", NULL },
    [COUNTER_SIZE] = { "counter CounterSize", NULL },
    [COUNTER_OFFSET] = { "counter CounterOffset",
                         "another place in the counter block" },
    [INSTANCE_LEN] = { "instance ByteLength", NULL },
    [INSTANCE_NAME_OFFSET] = { "instance NameOffset",
                               "other bytes behind the instance's header" },
    [INSTANCE_NAME_LEN] = { "instance NameLength",
                            "more or fewer bytes of the instance" },
    [COUNTER_BLOCK_LEN] = { "counter block ByteLength", NULL },
};

static void mark(uint8_t *map, size_t at, enum field f)
{
    memset(map + at, (int)f, 4);
}

static void mark_object(uint8_t *map, const uint8_t *p,
                        const struct pl_object *o)
{
    struct pl_object walk = *o;
    struct pl_counter_def c;
    struct pl_instance i;
    size_t at = (size_t)(o->definitions - p);

    mark(map, o->at, OBJECT_TOTAL);
    mark(map, o->at + 4, OBJECT_DEFINITION_LEN);
    mark(map, o->at + 8, OBJECT_HEADER_LEN);
    mark(map, o->at + 32, OBJECT_NUM_COUNTERS);
    mark(map, o->at + 40, OBJECT_NUM_INSTANCES);
    while (!pl_counter_next(&walk, &c)) {
        mark(map, at, COUNTER_LEN);
        mark(map, at + 32, COUNTER_SIZE);
        mark(map, at + 36, COUNTER_OFFSET);
        at = (size_t)(walk.counters.p - p);
    }
    while (!pl_instance_next(&walk, &i)) {
        if (i.definition) {
            at = (size_t)(i.definition - p);
            mark(map, at, INSTANCE_LEN);
            mark(map, at + 16, INSTANCE_NAME_OFFSET);
            mark(map, at + 20, INSTANCE_NAME_LEN);
        }
        mark(map, (size_t)(i.block - p), COUNTER_BLOCK_LEN);
    }
}

/* Which field each byte of the block belongs to; free it. */
static uint8_t *map_of(const uint8_t *p, size_t n)
{
    uint8_t *map = calloc(n, 1);
    struct pl_block b;
    struct pl_object o;

    ck_assert_ptr_nonnull(map);
    ck_assert_int_eq(pl_block_parse(&b, p, n), PL_OK);
    mark(map, 20, BLOCK_TOTAL);
    mark(map, 24, BLOCK_HEADER_LEN);
    mark(map, 28, BLOCK_NUM_OBJECTS);
    mark(map, 80, BLOCK_NAME_LEN);
    mark(map, 84, BLOCK_NAME_OFFSET);
    while (!pl_object_next(&b, &o))
        mark_object(map, p, &o);
    return map;
}

/* ---- the sweeps -------------------------------------------------------------------- */

static void check_prefixes(const struct block *b, size_t step)
{
    struct walk cut = { 0 };

    for (size_t n = 0; n < b->n; n += step) {
        uint8_t *copy = exact_copy(b->p, n);

        walk_block(&cut, copy, n);
        ck_assert_msg(cut.end != PL_END,
                      "%s: nobody noticed that it ends after %zu of %zu bytes",
                      b->name, n, b->n);
        ck_assert_uint_le(cut.refused_at, n);
        free(copy);
    }
    free(cut.yields);
}

START_TEST(every_prefix_is_told_from_the_whole)
{
    for (size_t i = 0; i < num_blocks; i++)
        check_prefixes(&blocks[i], full || i < num_made ? 1 : PREFIX_STEP);
}
END_TEST

struct count {
    size_t flips, refused; /* by the walk */
    size_t same, blank;    /* as before; as before, or no value at all */
    size_t unnoticed;
};

static void check_flip(const struct block *b, size_t at, uint8_t to,
                       enum field f, const struct walk *good, struct walk *walk,
                       struct count *count)
{
    uint8_t *copy = exact_copy(b->p, b->n);

    copy[at] = to;
    walk_block(walk, copy, b->n);
    count->flips++;
    if (walk->end != PL_END)
        count->refused++;
    else if (same_walk(good, walk, same_yield))
        count->same++;
    else if (same_walk(good, walk, is_blank))
        count->blank++;
    else if (f == OTHER || fields[f].unnoticed)
        count->unnoticed++;
    else
        ck_abort_msg("%s: byte %zu (%s) from 0x%02x to 0x%02x: other values, "
                     "and nobody noticed",
                     b->name, at, fields[f].name, b->p[at], to);
    free(copy);
}

static void check_flips(const struct block *b, struct count counts[NUM_FIELDS])
{
    struct walk good = { 0 }, walk = { 0 };
    uint8_t *map = map_of(b->p, b->n);

    walk_block(&good, b->p, b->n);
    ck_assert_int_eq(good.end, PL_END);
    ck_assert_uint_gt(good.num, 0);
    for (size_t at = 0; at < b->n; at++) {
        enum field f = (enum field)map[at];

        /* Bytes that are no lengths only must not lead outside. */
        for (unsigned bit = f == OTHER ? at % 8 : 0; bit < 8;
             bit += f == OTHER ? 8 : 1)
            check_flip(b, at, (uint8_t)(b->p[at] ^ 1u << bit), f, &good, &walk,
                       &counts[f]);
        if (f != OTHER && b->p[at] != 0xFF)
            check_flip(b, at, 0xFF, f, &good, &walk, &counts[f]);
        if (f != OTHER && b->p[at])
            check_flip(b, at, 0, f, &good, &walk, &counts[f]);
    }
    free(map);
    free(good.yields);
    free(walk.yields);
}

static bool is_swept(size_t i)
{
    static const char *const few[] = { "s00_002", "s00_238", "s00_234",
                                       "s06_230", "s10_638" };

    for (size_t k = 0; k < NUM(few); k++)
        if (!strncmp(blocks[i].name, few[k], strlen(few[k])))
            return true;
    return full || i < num_made;
}

START_TEST(a_changed_length_is_refused_or_changes_nothing)
{
    struct count counts[NUM_FIELDS] = { { 0 } };

    for (size_t i = 0; i < num_blocks; i++)
        if (is_swept(i))
            check_flips(&blocks[i], counts);
    printf("%-26s %8s %8s %8s %8s %9s\n", "field", "flips", "refused", "same",
           "blank", "unnoticed");
    for (size_t f = 1; f < NUM_FIELDS; f++) {
        const struct count *c = &counts[f];

        printf("%-26s %8zu %8zu %8zu %8zu %9zu  %s\n", fields[f].name, c->flips,
               c->refused, c->same, c->blank, c->unnoticed,
               c->unnoticed ? fields[f].unnoticed : "");
        ck_assert_uint_gt(c->flips, 0);
    }
    printf("%-26s %8zu\n", "all else", counts[OTHER].flips);
}
END_TEST

/* ---- blocks ------------------------------------------------------------------------- */

static void add_block(const char *name, const uint8_t *p, size_t n)
{
    struct block *b = &blocks[num_blocks++];

    snprintf(b->name, sizeof b->name, "%s", name);
    b->p = malloc(n);
    if (!b->p)
        abort();
    memcpy(b->p, p, n);
    b->n = n;
}

static void add_made(void)
{
    struct pl_buf b = { 0 };

    made_block(&b, 1);
    add_block("made", b.p, b.len);
    block_to_revision_0(&b);
    add_block("made, 1992", b.p, b.len);
    block_to_big_endian(&b);
    add_block("made, 1992, big-endian", b.p, b.len);
    made_block(&b, 1);
    block_to_big_endian(&b);
    add_block("made, big-endian", b.p, b.len);
    pl_buf_release(&b);
    num_made = num_blocks;
}

static bool add_file(const char *dir, const char *name)
{
    static uint8_t bytes[1 << 16];
    char path[4096];
    FILE *f;
    size_t n;

    snprintf(path, sizeof path, "%s/%s", dir, name);
    f = fopen(path, "rb");
    if (!f)
        return false;
    n = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    add_block(name, bytes, n);
    return true;
}

/* False (and said) if there are none. */
static bool add_real(void)
{
    static const char dir[] = PL_SHARED_DATA "/vista/blocks";
    char **names;
    size_t num;

    if (!pl_dir_exists(dir) || pl_dir_list(dir, &names, &num)) {
        printf("%s is not there: only made blocks were swept\n", dir);
        return false;
    }
    for (size_t i = 0; i < num && num_blocks < MAX_BLOCKS; i++)
        if (!add_file(dir, names[i]))
            abort();
    pl_dir_list_free(names, num);
    return true;
}

int main(int argc, char **argv)
{
    TCase *t = tcase_create("block_sweep");
    TCase *const tcases[] = { t, NULL };
    bool real;
    int status;

    full = argc > 1 && !strcmp(argv[1], "--full");
    add_made();
    real = add_real();
    tcase_set_timeout(t, full ? 3600 : 300);
    tcase_add_test(t, every_prefix_is_told_from_the_whole);
    tcase_add_test(t, a_changed_length_is_refused_or_changes_nothing);
    status = run_suite("block_sweep", tcases);
    for (size_t i = 0; i < num_blocks; i++)
        free(blocks[i].p);
    return status || real ? status : SKIPPED;
}
