/* Blocks: what is written is read, in every form that a block may have. */
#include "tests/support/machine_block.h"

#include "tests/support/support.h"

#include <stdlib.h>
#include <string.h>

/* ---- write, then read ---------------------------------------------------- */

static void check_header(const struct pl_block *b)
{
    static const uint16_t systemtime[8] = { 2000, 2, 2, 29, 0, 0, 0, 250 };

    ck_assert_uint_eq(b->num_objects, 2);
    ck_assert_int_eq(b->default_object, PROCESSOR);
    ck_assert_mem_eq(b->system_time, systemtime, sizeof systemtime);
    ck_assert_int_eq(b->perf_time, stamp.perf_time);
    ck_assert_int_eq(b->perf_freq, stamp.perf_freq);
    ck_assert_int_eq(b->perf_time_100ns, stamp.perf_time_100ns);
    ck_assert_uint_eq(b->name_len, 8);
}

static void check_counters(struct pl_object *o)
{
    const struct pl_counter_def *wants[] = { &small, &large };
    struct pl_counter_def c;

    for (size_t i = 0; i < 2; i++) {
        ck_assert_int_eq(pl_counter_next(o, &c), PL_OK);
        ck_assert_uint_eq(c.title_index, wants[i]->title_index);
        ck_assert_uint_eq(c.help_index, wants[i]->help_index);
        ck_assert_int_eq(c.scale, wants[i]->scale);
        ck_assert_uint_eq(c.detail_level, wants[i]->detail_level);
        ck_assert_uint_eq(c.type, wants[i]->type);
        ck_assert_uint_eq(c.size, wants[i]->size);
        ck_assert_uint_eq(c.offset, wants[i]->offset);
    }
    ck_assert_int_eq(pl_counter_next(o, &c), PL_END);
}

static void check_values(const struct pl_object *o, const struct pl_instance *i,
                         uint64_t want_small, uint64_t want_large)
{
    uint64_t v;

    ck_assert(pl_counter_get(o, i, &small, &v));
    ck_assert_uint_eq(v, want_small);
    ck_assert(pl_counter_get(o, i, &large, &v));
    ck_assert_uint_eq(v, want_large);
}

static void check_memory(struct pl_object *o)
{
    struct pl_instance i;

    ck_assert_uint_eq(o->title_index, MEMORY);
    ck_assert_uint_eq(o->help_index, MEMORY + 1);
    ck_assert_uint_eq(o->detail_level, PERF_DETAIL_NOVICE);
    ck_assert_int_eq(o->default_counter, 1);
    ck_assert_int_eq(o->num_instances, PERF_NO_INSTANCES);
    ck_assert_int_eq(pl_instance_next(o, &i), PL_OK);
    ck_assert_ptr_null(i.name);
    ck_assert_ptr_null(i.definition);
    ck_assert_uint_eq(i.block_len, 16);
    check_values(o, &i, 1, UINT64_C(1) << 40);
    ck_assert_int_eq(pl_instance_next(o, &i), PL_END);
}

static void check_processors(struct pl_object *o)
{
    struct pl_instance i;

    ck_assert_uint_eq(o->title_index, PROCESSOR);
    ck_assert_int_eq(o->num_instances, 2);
    for (uint32_t n = 0; n < 2; n++) {
        ck_assert_int_eq(pl_instance_next(o, &i), PL_OK);
        ck_assert_uint_eq(i.parent_object, MEMORY);
        ck_assert_uint_eq(i.parent_instance, n);
        ck_assert_int_eq(i.unique_id, PERF_NO_UNIQUE_ID);
        ck_assert_uint_eq(i.name_len, 4); /* with its terminator */
        ck_assert_uint_eq(i.name[o->big_endian], '0' + n);
        check_values(o, &i, 100 + n, 200 + n);
    }
    ck_assert_int_eq(pl_instance_next(o, &i), PL_END);
}

/* The machine of put_machine, in any of its forms. */
static void check_machine(const uint8_t *p, size_t n)
{
    struct pl_block b;
    struct pl_object o;

    ck_assert_int_eq(pl_block_parse(&b, p, n), PL_OK);
    check_header(&b);
    ck_assert_uint_eq(b.name[b.big_endian], 'H');
    ck_assert_int_eq(pl_object_next(&b, &o), PL_OK);
    check_counters(&o);
    check_memory(&o);
    ck_assert_int_eq(pl_object_next(&b, &o), PL_OK);
    check_counters(&o);
    check_processors(&o);
    ck_assert_int_eq(pl_object_next(&b, &o), PL_END);
}

START_TEST(a_written_block_is_read_back)
{
    struct pl_buf b = { 0 };
    struct pl_block view;
    struct pl_object o;

    put_machine(&b);
    check_machine(b.p, b.len);
    ck_assert_int_eq(pl_block_parse(&view, b.p, b.len), PL_OK);
    ck_assert(!view.big_endian);
    ck_assert_uint_eq(view.version, 1);
    ck_assert_uint_eq(view.revision, 1);
    ck_assert_uint_eq(pl_get_le32(b.p + 20), b.len); /* TotalByteLength */
    ck_assert_int_eq(pl_object_next(&view, &o), PL_OK);
    ck_assert_int_eq(o.perf_time, 77);
    ck_assert_int_eq(o.perf_freq, 1000);
    ck_assert_uint_eq(o.definitions_len, 2 * PL_SIZEOF_COUNTER);
    pl_buf_release(&b);
}
END_TEST

/* By an older view an instance is found as by parsing, or not at all. */
START_TEST(an_instance_stored_as_before_is_the_same)
{
    struct pl_buf b = { 0 };
    struct pl_block view;
    struct pl_object o, like, other;
    struct pl_instance first, second, i;

    put_machine(&b);
    ck_assert_int_eq(pl_block_parse(&view, b.p, b.len), PL_OK);
    ck_assert_int_eq(pl_object_next(&view, &o), PL_OK);
    ck_assert_int_eq(pl_object_next(&view, &o), PL_OK);
    like = o;
    ck_assert_int_eq(pl_instance_next(&o, &first), PL_OK);
    ck_assert_int_eq(pl_instance_next(&o, &second), PL_OK);
    ck_assert(!pl_instance_next_like(&like, &second, &i)); /* another name */
    ck_assert(pl_instance_next_like(&like, &first, &i));
    ck_assert_ptr_eq(i.block, first.block);
    other = like;
    other.num_instances = 1;
    ck_assert(!pl_instance_next_like(&other, &second, &i));
    other = like;
    other.data.left = second.definition_len + second.block_len - 1;
    ck_assert(!pl_instance_next_like(&other, &second, &i));
    ck_assert(pl_instance_next_like(&like, &second, &i));
    ck_assert_ptr_eq(i.name, second.name);
    ck_assert_ptr_eq(i.block, second.block);
    ck_assert_int_eq(pl_instance_next(&like, &i), PL_END);
    pl_buf_release(&b);
}
END_TEST

START_TEST(every_written_part_starts_and_ends_on_8)
{
    struct pl_buf name = { 0 };

    for (size_t len = 0; len < 20; len += 2) {
        struct pl_buf b = { 0 };
        size_t block = pl_put_block(&b, &stamp, name.p, name.len);
        size_t object = put_object(&b, PROCESSOR), at = b.len;

        ck_assert_uint_eq((object | at) & ROUND_UP_8, 0);
        pl_put_instance(&b, 0, 0, name.p, name.len); /* first an empty name */
        ck_assert_uint_eq(b.len & ROUND_UP_8, 0);
        ck_assert_uint_eq(pl_get_le32(b.p + at), b.len - at);
        ck_assert_uint_eq(pl_get_le32(b.p + at + 20), len + 2);
        ck_assert_uint_ge(b.len - at, PL_SIZEOF_INSTANCE + len + 2);
        put_values(&b, 0, 0);
        pl_put_object_close(&b, object, 1);
        pl_put_block_close(&b, block, 1, -1);
        pl_buf_release(&b);
        pl_buf_u16(&name, 'x');
    }
    pl_buf_release(&name);
}
END_TEST

START_TEST(a_block_may_stand_behind_other_bytes)
{
    struct pl_buf b = { 0 };

    pl_buf_zeros(&b, 24);
    put_machine(&b);
    check_machine(b.p + 24, b.len - 24);
    pl_buf_release(&b);
}
END_TEST

START_TEST(an_objects_clock_can_be_set_later)
{
    struct pl_buf b = { 0 };
    struct pl_block view;
    struct pl_object o;
    size_t block = pl_put_block(&b, &stamp, NULL, 0);
    size_t object = put_object(&b, MEMORY);

    put_values(&b, 0, 0);
    pl_put_object_close(&b, object, PERF_NO_INSTANCES);
    pl_put_block_close(&b, block, 1, -1);
    pl_put_object_clock(&b, object, -2, 3);
    ck_assert_int_eq(pl_block_parse(&view, b.p, b.len), PL_OK);
    ck_assert_ptr_null(view.name);
    ck_assert_int_eq(view.default_object, -1);
    ck_assert_int_eq(pl_object_next(&view, &o), PL_OK);
    ck_assert_int_eq(o.perf_time, -2);
    ck_assert_int_eq(o.perf_freq, 3);
    pl_buf_release(&b);
}
END_TEST

START_TEST(a_writer_without_memory_gives_no_place)
{
    struct pl_buf b = { .oom = true };

    ck_assert_ptr_null(pl_put_counter_block(&b, 16));
    pl_put_instance(&b, 0, 0, (const uint8_t *)"x", 2);
    ck_assert_uint_eq(b.len, 0);
}
END_TEST

/* ---- other forms of the same block --------------------------------------- */

START_TEST(a_big_endian_block_reads_the_same)
{
    struct pl_buf b = { 0 };
    struct pl_block view;
    uint8_t *twin;

    put_machine(&b);
    twin = exact_copy(b.p, b.len);
    make_big_endian(twin, b.p, b.len);
    check_machine(twin, b.len);
    ck_assert_int_eq(pl_block_parse(&view, twin, b.len), PL_OK);
    ck_assert(view.big_endian);
    ck_assert_uint_eq(view.version, 1);
    free(twin);
    pl_buf_release(&b);
}
END_TEST

START_TEST(a_header_packed_by_an_old_compiler_reads_the_same)
{
    struct pl_buf b = { 0 };
    uint8_t *p;
    size_t n;

    put_machine(&b); /* header: 88 bytes, 8 of name */
    n = b.len - 4;
    memmove(b.p + 52, b.p + 56, b.len - 56);
    pl_put_le32(b.p + 20, (uint32_t)n);
    pl_put_le32(b.p + 24, 92); /* HeaderLength */
    pl_put_le32(b.p + 80, 84); /* SystemNameOffset */
    p = exact_copy(b.p, n);
    check_machine(p, n);
    free(p);
    pl_buf_release(&b);
}
END_TEST

START_TEST(a_name_of_84_bytes_is_no_packing)
{
    struct pl_buf b = { 0 };
    struct pl_block view;
    uint8_t name[84];

    memset(name, 'x', sizeof name);
    pl_put_block_close(&b, pl_put_block(&b, &stamp, name, sizeof name), 0, 0);
    ck_assert_int_eq(pl_block_parse(&view, b.p, b.len), PL_OK);
    ck_assert_int_eq(view.perf_time, stamp.perf_time);
    ck_assert_uint_eq(view.name_len, sizeof name);
    pl_buf_release(&b);
}
END_TEST

/* Cut the two clocks of 1994 out of the object header at 'at'. */
static void make_revision_0(struct pl_buf *b, size_t at)
{
    memmove(b->p + at + 48, b->p + at + 64, b->len - at - 64);
    b->len -= 16;
    for (size_t field = 0; field < 12; field += 4)
        pl_buf_set_u32(b, at + field, pl_get_le32(b->p + at + field) - 16);
}

START_TEST(a_block_of_1992_reads_the_same)
{
    struct pl_buf b = { 0 };
    struct pl_block view;
    struct pl_object memory, processor, o;

    put_machine(&b);
    ck_assert_int_eq(pl_block_parse(&view, b.p, b.len), PL_OK);
    ck_assert_int_eq(pl_object_next(&view, &memory), PL_OK);
    ck_assert_int_eq(pl_object_next(&view, &processor), PL_OK);
    make_revision_0(&b, processor.at);
    make_revision_0(&b, memory.at);
    pl_buf_set_u32(&b, 16, 0);             /* Revision */
    pl_buf_set_u32(&b, memory.at + 40, 0); /* 1992 had no -1 */
    check_machine(b.p, b.len);
    ck_assert_int_eq(pl_block_parse(&view, b.p, b.len), PL_OK);
    ck_assert_uint_eq(view.revision, 0);
    ck_assert_int_eq(pl_object_next(&view, &o), PL_OK);
    ck_assert_int_eq(o.perf_time, 0);
    ck_assert_int_eq(o.perf_freq, 0);
    pl_buf_release(&b);
}
END_TEST

START_TEST(no_instances_and_no_data_is_an_empty_list)
{
    for (int revision = 0; revision < 2; revision++) {
        struct pl_buf b = { 0 };
        struct walk w;
        size_t block = pl_put_block(&b, &stamp, NULL, 0);
        size_t object = put_object(&b, PROCESSOR);

        if (revision)
            pl_buf_zeros(&b, 7); /* padding */
        pl_put_object_close(&b, object, 0);
        if (!revision)
            make_revision_0(&b, object);
        pl_put_block_close(&b, block, 1, -1);
        ck_assert_int_eq(walk_copy(&w, b.p, b.len), PL_END);
        ck_assert_uint_eq(w.values, 0);
        pl_buf_release(&b);
    }
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("winperf");

    tcase_add_test(t, a_written_block_is_read_back);
    tcase_add_test(t, an_instance_stored_as_before_is_the_same);
    tcase_add_test(t, every_written_part_starts_and_ends_on_8);
    tcase_add_test(t, a_block_may_stand_behind_other_bytes);
    tcase_add_test(t, an_objects_clock_can_be_set_later);
    tcase_add_test(t, a_writer_without_memory_gives_no_place);
    tcase_add_test(t, a_big_endian_block_reads_the_same);
    tcase_add_test(t, a_header_packed_by_an_old_compiler_reads_the_same);
    tcase_add_test(t, a_name_of_84_bytes_is_no_packing);
    tcase_add_test(t, a_block_of_1992_reads_the_same);
    tcase_add_test(t, no_instances_and_no_data_is_an_empty_list);
    return run_suite("winperf", (TCase *[]){ t, NULL });
}
