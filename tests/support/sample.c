/* A sampler and its last block, for tests. */
#include "tests/support/sample.h"

#include "format/base/utf.h"
#include "tests/support/proc_tree.h"
#include "tests/support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum pl_status open_sampler(struct sample *s, const char *dir,
                                   struct pl_sampler_options options,
                                   const char **why)
{
    options.choice = &s->paths;
    if (dir) {
        options.proc = path_in(dir, "proc");
        options.sys = path_in(dir, "sys");
    }
    return pl_sampler_open(&s->sampler, &options, why);
}

static void begin(struct sample *s, const char *const *paths)
{
    const char *why;

    memset(s, 0, sizeof *s);
    for (; paths && *paths; paths++)
        ck_assert_int_eq(pl_counter_path_list_add(&s->paths, *paths, &why),
                         PL_OK);
}

enum pl_status sample_open(struct sample *s, const char *dir,
                           const char *const *paths, const char **why)
{
    begin(s, paths);
    return open_sampler(s, dir, (struct pl_sampler_options){ 0 }, why);
}

enum pl_status sample_open_all(struct sample *s, const char *dir)
{
    const char *why;

    begin(s, NULL);
    return open_sampler(s, dir, (struct pl_sampler_options){ .all = true },
                        &why);
}

enum pl_status sample_open_way(struct sample *s, enum pl_process_way way,
                               const char *const *paths, const char **why)
{
    begin(s, paths);
    return open_sampler(s, NULL,
                        (struct pl_sampler_options){ .processes = way }, why);
}

void sample_open_tree(struct sample *s)
{
    const char *why = NULL;

    proc_tree_make(temp_dir());
    ck_assert_int_eq(sample_open(s, temp_dir(), NULL, &why), PL_OK);
}

int sample_without_bpf(const char *test)
{
    enum { FAILED = 1, SKIPPED = 77 };
    struct pl_sampler_options options = { .processes = PL_PROCESSES_BPF };
    struct pl_sampler *sampler = NULL;
    const char *why = "?";
    enum pl_status s = pl_sampler_open(&sampler, &options, &why);

    pl_sampler_close(sampler);
    if (!s)
        return 0;
    printf("%s: no BPF here: %s\n", test, why);
    return strstr(why, "refuses the program") ? FAILED : SKIPPED;
}

void sample_close(struct sample *s)
{
    pl_sampler_close(s->sampler);
    pl_counter_path_list_release(&s->paths);
    pl_buf_release(&s->block);
}

/* Every object, definition and instance, to the block's last byte. */
static void walk(const struct pl_buf *block)
{
    uint8_t *copy = exact_copy(block->p, block->len);
    struct pl_counter_def def;
    struct pl_instance inst;
    struct pl_object object;
    struct pl_block b;
    enum pl_status s;
    uint32_t num = 0;

    ck_assert_int_eq(pl_block_parse(&b, copy, block->len), PL_OK);
    ck_assert_uint_eq(pl_get_le32(copy + 20), block->len);
    while ((s = pl_object_next(&b, &object)) == PL_OK) {
        num++;
        ck_assert_uint_eq(object.at % 8, 0);
        while ((s = pl_counter_next(&object, &def)) == PL_OK)
            ck_assert_uint_eq(def.offset % def.size, 0);
        ck_assert_int_eq(s, PL_END);
        ck_assert_uint_eq(object.counters.left, 0);
        while ((s = pl_instance_next(&object, &inst)) == PL_OK)
            ck_assert_uint_eq((size_t)(inst.block - copy) % 8, 0);
        ck_assert_int_eq(s, PL_END);
        ck_assert_uint_eq(object.data.left, 0);
    }
    ck_assert_int_eq(s, PL_END);
    ck_assert_uint_eq(b.rest.left, 0);
    ck_assert_uint_eq(num, b.num_objects);
    free(copy);
}

void sample_take(struct sample *s)
{
    pl_sampler_clocks(&s->tick);
    ck_assert_int_eq(
        pl_sampler_read(s->sampler, &s->tick, &s->stats, &s->block), PL_OK);
    walk(&s->block);
}

static bool is_called(const struct sample *s, uint32_t index, const char *name)
{
    uint32_t generation;
    const struct pl_titles *t = pl_sampler_titles(s->sampler, &generation);

    return pl_text_equal(pl_titles_name(t, index), pl_text_of(name));
}

uint32_t sample_index(const struct sample *s, const char *name)
{
    struct pl_object o;

    return sample_object(s, name, &o) ? o.title_index : 0;
}

bool sample_object(const struct sample *s, const char *name,
                   struct pl_object *out)
{
    struct pl_block b;

    if (pl_block_parse(&b, s->block.p, s->block.len))
        return false;
    while (pl_object_next(&b, out) == PL_OK)
        if (is_called(s, out->title_index, name))
            return true;
    return false;
}

bool sample_counter(const struct sample *s, const char *object,
                    const char *counter, bool base, struct pl_counter_def *out)
{
    struct pl_object o;

    if (!sample_object(s, object, &o))
        return false;
    while (pl_counter_next(&o, out) == PL_OK)
        if (pl_type_is_base(out->type) == base &&
            is_called(s, out->title_index, counter))
            return true;
    return false;
}

static bool find_instance(struct pl_object *o, const char *name,
                          struct pl_instance *out)
{
    struct pl_buf utf8 = { 0 };
    bool found = false;

    while (!found && pl_instance_next(o, out) == PL_OK) {
        if (!name || !out->name) {
            found = !name && !out->name;
            continue;
        }
        pl_buf_clear(&utf8);
        pl_utf16_to_utf8(&utf8, out->name, out->name_len, false);
        found = utf8.len == strlen(name) && !memcmp(utf8.p, name, utf8.len);
    }
    pl_buf_release(&utf8);
    return found;
}

bool sample_value(const struct sample *s, const char *object,
                  const char *instance, const char *counter, bool base,
                  uint64_t *out)
{
    struct pl_counter_def def;
    struct pl_instance inst;
    struct pl_object o;

    return sample_counter(s, object, counter, base, &def) &&
           sample_object(s, object, &o) && find_instance(&o, instance, &inst) &&
           pl_counter_get(&o, &inst, &def, out);
}

uint64_t value_of(const struct sample *s, const char *object,
                  const char *instance, const char *counter)
{
    uint64_t v = 0;

    ck_assert_msg(sample_value(s, object, instance, counter, false, &v),
                  "no %s(%s)\\%s", object, instance ? instance : "", counter);
    return v;
}

bool has_instance(const struct sample *s, const char *object,
                  const char *instance)
{
    struct pl_instance inst;
    struct pl_object o;

    return sample_object(s, object, &o) && find_instance(&o, instance, &inst);
}

bool has_counter(const struct sample *s, const char *object,
                 const char *counter)
{
    struct pl_counter_def def;

    return sample_counter(s, object, counter, false, &def);
}
