/* The walk over one block: every view lies where the lengths say, or the walk
 * ends.  Input: the block's bytes. */
#include "format/block/winperf.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>

const struct fuzz_shape fuzz_shape = { .head = 0, .first_block = 0 };

/* Promise: [p, p+n) is inside [from, end); nothing is before 'from'. */
static void check_inside(const uint8_t *p, size_t n, const uint8_t *from,
                         const uint8_t *end)
{
    fuzz_check(p >= from && p <= end);
    fuzz_check(n <= (size_t)(end - p));
}

static void read_values(const struct pl_object *o, const struct pl_instance *i)
{
    struct pl_object walk = *o;
    struct pl_counter_def c;
    uint64_t value = 0;

    while (!pl_counter_next(&walk, &c))
        if (pl_counter_get(o, i, &c, &value)) {
            fuzz_check(c.size == 4 || c.size == 8);
            fuzz_check(c.size == 8 || value <= UINT32_MAX);
        }
}

static void read_definitions(const struct pl_object *o)
{
    struct pl_object walk = *o;
    struct pl_counter_def c;
    enum pl_status s;

    while (!(s = pl_counter_next(&walk, &c)))
        fuzz_check(walk.counters_seen <= o->num_counters);
    fuzz_check(s != PL_END || walk.counters_seen == o->num_counters);
    fuzz_touch(o->definitions, o->definitions_len);
}

static void read_object(const struct pl_object *o, const uint8_t *start)
{
    const uint8_t *end = start + o->at + o->len;
    const uint8_t *free_from = o->definitions + o->definitions_len;
    struct pl_object walk = *o;
    struct pl_instance i;
    int32_t seen = 0;
    enum pl_status s;

    check_inside(o->definitions, o->definitions_len, start + o->at, end);
    read_definitions(o);
    while (!(s = pl_instance_next(&walk, &i))) {
        seen++;
        if (i.definition) {
            check_inside(i.definition, i.definition_len, free_from, end);
            check_inside(i.name, i.name_len, i.definition,
                         i.definition + i.definition_len);
            free_from = i.definition + i.definition_len;
            fuzz_touch(i.name, i.name_len);
        }
        check_inside(i.block, i.block_len, free_from, end);
        free_from = i.block + i.block_len;
        fuzz_touch(i.block, i.block_len);
        read_values(o, &i);
    }
    fuzz_check(s != PL_END ||
               seen == (o->num_instances < 0 ? 1 : o->num_instances));
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
    struct fuzz_input in = { p, n };
    uint8_t *copy = fuzz_rest(&in, &n);
    const uint8_t *free_from = copy;
    struct pl_block b;
    struct pl_object o;

    if (!pl_block_parse(&b, copy, n)) {
        check_inside(b.name ? b.name : copy, b.name_len, copy, copy + n);
        fuzz_touch(b.name, b.name_len);
        while (!pl_object_next(&b, &o)) {
            check_inside(copy + o.at, o.len, free_from, copy + n);
            free_from = copy + o.at + o.len;
            read_object(&o, copy);
        }
        fuzz_check(b.objects_seen <= b.num_objects);
    }
    free(copy);
    return 0;
}
