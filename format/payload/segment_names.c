/* Gathers the names of a segment's samples. */
#include "format/payload/segment_names.h"

#include "format/base/array.h"
#include "format/base/codepage.h"
#include "format/base/cursor.h"
#include "format/base/file.h"
#include "format/block/winperf.h"
#include "format/record/record.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_INSTANCES = 1 << 16,
    MOST_SHAPES = 16, /* of one object */
    MOST_GONE = 2, /* instances in a row that are looked past as having gone */
    FIRST_SLOTS = 64,
    INSTANCE_PARENT = 8,
    NONE = -1,
};

/* An instance, or several of the same name in one sample. */
struct named {
    uint64_t hash;
    uint64_t row;               /* the sample in which it was last seen, */
    uint32_t seen;              /* and how many of the name so far in it */
    uint32_t most;              /* of the name in one sample */
    uint32_t shape;             /* of its object */
    int32_t parent;             /* NONE, or another of these */
    uint32_t parent_order;      /* among those of the parent's name */
    uint32_t name_at, name_len; /* UTF-8, in 'bytes' */
    uint32_t definition_at, definition_len; /* in 'bytes' */
    uint32_t place;                         /* of the first one, when written */
    int32_t next;                           /* of its object */
};

/* Which instance stands at a place of an object in a sample. */
struct place {
    uint32_t named;
    uint32_t order; /* among those of its name */
};

struct places {
    struct place *list;
    size_t num, cap;
};

/* An object with certain definitions; other definitions are another shape. */
struct shape {
    uint32_t object;
    uint32_t number; /* among those of the object */
    uint32_t title_index, help_index, detail_level;
    uint32_t num_counters, code_page, header_len;
    uint32_t definition_at, definition_len; /* with the header, in 'bytes' */
    bool has_instances;
    uint32_t counters_at, counters_num; /* their titles, u32, in 'bytes' */
    uint64_t called;        /* a hash of what titles call it and its counters */
    uint32_t block_len;     /* the longest of its counter blocks */
    int32_t first, last;    /* instances */
    uint32_t num_instances; /* when written */
    uint64_t row;           /* the sample of 'now' */
    struct places was, now;
};

struct object {
    uint32_t title_index, num_shapes;
    uint64_t row; /* the last sample that has it */
    uint64_t samples;
};

struct pl_segment_names {
    bool given_up;
    bool has_equals, has_numbers; /* equal names; names like "a#1" */
    bool big_endian;
    uint64_t titles_at, samples;
    struct pl_buf header; /* of the first block */
    struct pl_buf bytes;  /* definitions and names */
    uint64_t len;         /* of the instances as written */
    struct object *objects;
    struct shape *shapes;
    struct named *list;
    size_t num_objects, cap_objects;
    size_t num_shapes, cap_shapes;
    size_t num, cap;
    int32_t *slots; /* a hash table of 'list', at most half full */
    size_t num_slots;
    uint64_t seed;     /* no crafted names can make it slow */
    size_t next_shape; /* which is likely to come next */
    struct pl_codepages pages;
    struct pl_buf name;
};

/* ---- life ----------------------------------------------------------------- */

enum pl_status pl_segment_names_new(struct pl_segment_names **out)
{
    struct pl_segment_names *n = *out = calloc(1, sizeof *n);

    if (!n)
        return PL_NOMEM;
    n->seed = pl_random();
    return PL_OK;
}

void pl_segment_names_begin(struct pl_segment_names *n)
{
    for (size_t i = 0; i < n->num_shapes; i++) {
        free(n->shapes[i].was.list);
        free(n->shapes[i].now.list);
    }
    pl_buf_drop(&n->header);
    pl_buf_drop(&n->bytes);
    n->given_up = n->has_equals = n->has_numbers = false;
    n->titles_at = n->samples = n->len = 0;
    n->num_objects = n->num_shapes = n->num = n->next_shape = 0;
    if (n->slots)
        memset(n->slots, NONE, n->num_slots * sizeof *n->slots);
}

void pl_segment_names_free(struct pl_segment_names *n)
{
    if (!n)
        return;
    pl_segment_names_begin(n);
    pl_buf_release(&n->header);
    pl_buf_release(&n->bytes);
    pl_buf_release(&n->name);
    pl_codepages_release(&n->pages);
    free(n->objects);
    free(n->shapes);
    free(n->list);
    free(n->slots);
    free(n);
}

static enum pl_status give_up(struct pl_segment_names *n)
{
    pl_segment_names_begin(n);
    n->given_up = true;
    return PL_OK;
}

static uint32_t keep(struct pl_segment_names *n, const void *p, size_t len)
{
    size_t at = n->bytes.len;

    pl_buf_bytes(&n->bytes, p, len);
    return (uint32_t)at;
}

/* ---- objects -------------------------------------------------------------- */

static bool is_shape(const struct pl_segment_names *n, const struct shape *f,
                     const struct pl_object *o)
{
    return f->title_index == o->title_index && f->help_index == o->help_index &&
           f->detail_level == o->detail_level &&
           f->num_counters == o->num_counters && f->code_page == o->code_page &&
           f->header_len == o->header_len &&
           f->definition_len == o->definition_len &&
           f->has_instances == (o->num_instances != PERF_NO_INSTANCES) &&
           !memcmp(n->bytes.p + f->definition_at + f->header_len,
                   o->definitions, o->definitions_len);
}

static struct object *object_of(struct pl_segment_names *n, uint32_t title)
{
    size_t i = 0;

    while (i < n->num_objects && n->objects[i].title_index != title)
        i++;
    if (i < n->num_objects)
        return &n->objects[i];
    if (!pl_array_grow((void **)&n->objects, &n->cap_objects, n->num_objects,
                       sizeof *n->objects))
        return NULL;
    n->objects[n->num_objects] = (struct object){ .title_index = title };
    return &n->objects[n->num_objects++];
}

/* ---- titles --------------------------------------------------------------- */

static uint64_t mix_title(const struct pl_titles *titles, uint32_t index,
                          uint64_t so_far)
{
    struct pl_text name = pl_titles_name(titles, index);

    return pl_hash(name.p, name.n, so_far);
}

static uint64_t called(const struct pl_segment_names *n, const struct shape *f,
                       const struct pl_titles *titles)
{
    uint64_t hash = mix_title(titles, f->title_index, n->seed);

    for (uint32_t i = 0; i < f->counters_num; i++)
        hash = mix_title(
            titles, pl_get_le32(n->bytes.p + f->counters_at + 4 * (size_t)i),
            hash);
    return hash;
}

void pl_segment_names_titles(struct pl_segment_names *n, uint64_t distance,
                             const struct pl_titles *titles)
{
    n->titles_at = distance;
    for (size_t i = 0; i < n->num_shapes; i++)
        if (called(n, &n->shapes[i], titles) != n->shapes[i].called) {
            give_up(n);
            return;
        }
}

/* What the object is called now, and its counters. */
static void note_titles(struct pl_segment_names *n, struct shape *f,
                        struct pl_object o, const struct pl_titles *titles)
{
    struct pl_counter_def def;

    f->counters_at = (uint32_t)n->bytes.len;
    for (; !pl_counter_next(&o, &def); f->counters_num++)
        pl_buf_u32(&n->bytes, def.title_index);
    if (!n->bytes.oom)
        f->called = called(n, f, titles);
}

static enum pl_status add_shape(struct pl_segment_names *n,
                                const struct pl_object *o,
                                const struct pl_titles *titles)
{
    struct object *object = object_of(n, o->title_index);
    struct shape *f;

    if (!object || !pl_array_grow((void **)&n->shapes, &n->cap_shapes,
                                  n->num_shapes, sizeof *n->shapes))
        return PL_NOMEM;
    if (n->num_shapes == PL_MOST_NAMED_OBJECTS ||
        object->num_shapes == MOST_SHAPES)
        return PL_TOO_LARGE;
    f = &n->shapes[n->num_shapes++];
    *f = (struct shape){ .object = (uint32_t)(object - n->objects),
                         .number = object->num_shapes++,
                         .title_index = o->title_index,
                         .help_index = o->help_index,
                         .detail_level = o->detail_level,
                         .num_counters = o->num_counters,
                         .code_page = o->code_page,
                         .header_len = o->header_len,
                         .definition_at = keep(n, o->bytes, o->definition_len),
                         .definition_len = o->definition_len,
                         .has_instances = o->num_instances != PERF_NO_INSTANCES,
                         .first = NONE,
                         .last = NONE };
    n->len += o->definition_len;
    note_titles(n, f, *o, titles);
    return n->bytes.oom ? PL_NOMEM : PL_OK;
}

/* Samples have their objects in the same order, so the next shape is tried
 * first.  *i is the one of the object. */
static enum pl_status find_shape(struct pl_segment_names *n,
                                 const struct pl_object *o,
                                 const struct pl_titles *titles, size_t *i)
{
    enum pl_status s = PL_OK;

    *i = n->next_shape;
    if (*i >= n->num_shapes || !is_shape(n, &n->shapes[*i], o))
        for (*i = 0; *i < n->num_shapes; ++*i)
            if (is_shape(n, &n->shapes[*i], o))
                break;
    if (*i == n->num_shapes)
        s = add_shape(n, o, titles);
    n->next_shape = *i + 1;
    return s;
}

/* ---- instances ------------------------------------------------------------ */

/* What makes an instance the same as another one, besides its name. */
struct kin {
    uint32_t shape;
    int32_t parent;
    uint32_t parent_order;
};

static uint64_t hash_of(const struct pl_segment_names *n, const struct kin *k)
{
    return pl_hash(n->name.p, n->name.len,
                   n->seed ^ (uint64_t)k->shape << 40 ^
                       (uint64_t)(uint32_t)k->parent << 16 ^ k->parent_order);
}

static bool is_kin(const struct named *e, const struct kin *k)
{
    return e->shape == k->shape && e->parent == k->parent &&
           e->parent_order == k->parent_order;
}

/* Where an instance with that hash and name is in the table, or belongs. */
static int32_t *slot_of(const struct pl_segment_names *n, uint64_t hash,
                        const struct kin *k)
{
    size_t i = (size_t)hash & (n->num_slots - 1);

    for (; n->slots[i] != NONE; i = (i + 1) & (n->num_slots - 1)) {
        const struct named *e = &n->list[n->slots[i]];

        if (k && e->hash == hash && is_kin(e, k) &&
            e->name_len == n->name.len &&
            !memcmp(n->bytes.p + e->name_at, n->name.p, n->name.len))
            break;
    }
    return &n->slots[i];
}

static enum pl_status grow_slots(struct pl_segment_names *n)
{
    size_t num = n->num_slots ? 2 * n->num_slots : FIRST_SLOTS;
    int32_t *slots;

    if (2 * n->num < n->num_slots)
        return PL_OK;
    slots = malloc(num * sizeof *slots);
    if (!slots)
        return PL_NOMEM;
    memset(slots, NONE, num * sizeof *slots);
    free(n->slots);
    n->slots = slots;
    n->num_slots = num;
    for (size_t i = 0; i < n->num; i++)
        *slot_of(n, n->list[i].hash, NULL) = (int32_t)i;
    return PL_OK;
}

static void link_to_shape(struct pl_segment_names *n, uint32_t i)
{
    struct shape *f = &n->shapes[n->list[i].shape];

    *(f->last == NONE ? &f->first : &n->list[f->last].next) = (int32_t)i;
    f->last = (int32_t)i;
}

/* The instance with the name in n->name. */
static enum pl_status find_named(struct pl_segment_names *n,
                                 const struct kin *k,
                                 const struct pl_instance *i, uint32_t *out)
{
    uint64_t hash = hash_of(n, k);
    enum pl_status s = grow_slots(n);
    int32_t *slot;

    if (s)
        return s;
    slot = slot_of(n, hash, k);
    if (*slot == NONE) {
        if (!pl_array_grow((void **)&n->list, &n->cap, n->num, sizeof *n->list))
            return PL_NOMEM;
        *slot = (int32_t)n->num;
        n->list[n->num] =
            (struct named){ .hash = hash,
                            .shape = k->shape,
                            .parent = k->parent,
                            .parent_order = k->parent_order,
                            .name_at = keep(n, n->name.p, n->name.len),
                            .name_len = (uint32_t)n->name.len,
                            .definition_at =
                                keep(n, i->definition, i->definition_len),
                            .definition_len = (uint32_t)i->definition_len,
                            .next = NONE };
        link_to_shape(n, (uint32_t)n->num++);
        n->has_numbers |= memchr(n->name.p, '#', n->name.len) != NULL;
    }
    *out = (uint32_t)*slot;
    return n->bytes.oom ? PL_NOMEM : PL_OK;
}

/* The instance as it is spelled. */
static enum pl_status spell(struct pl_segment_names *n, const struct kin *k,
                            const struct pl_object *o,
                            const struct pl_instance *i, uint32_t *out)
{
    pl_buf_clear(&n->name);
    pl_instance_name(&n->pages, &n->name, o, i);
    pl_buf_u8(&n->name, 0); /* also where it is empty there are bytes */
    return n->name.oom ? PL_NOMEM : find_named(n, k, i, out);
}

/*
 * An instance mostly follows the same one as in the sample before, stored alike;
 * then its name is not spelled.  *expected is the place there that is expected
 * next.
 */
static bool is_as_before(const struct pl_segment_names *n,
                         const struct places *was, const struct kin *k,
                         const struct pl_instance *i, size_t *expected,
                         uint32_t *out)
{
    for (size_t at = *expected; at < was->num && at <= *expected + MOST_GONE;
         at++) {
        const struct named *e = &n->list[was->list[at].named];

        if (e->definition_len != i->definition_len || !is_kin(e, k) ||
            memcmp(n->bytes.p + e->definition_at, i->definition,
                   i->definition_len) != 0)
            continue;
        *out = was->list[at].named;
        *expected = at + 1;
        return true;
    }
    return false;
}

/* The parent's place in this sample.  PL_CORRUPT: it has none. */
static enum pl_status find_parent(const struct pl_segment_names *n,
                                  const struct pl_instance *i, struct kin *k)
{
    for (size_t f = 0; f < n->num_shapes; f++) {
        const struct shape *of = &n->shapes[f];

        if (of->title_index != i->parent_object || of->row != n->samples)
            continue;
        if (i->parent_instance >= of->now.num || f == k->shape ||
            of->number != n->shapes[k->shape].number)
            return PL_CORRUPT;
        k->parent = (int32_t)of->now.list[i->parent_instance].named;
        k->parent_order = of->now.list[i->parent_instance].order;
        return n->list[k->parent].parent == NONE ? PL_OK : PL_CORRUPT;
    }
    return PL_CORRUPT;
}

static enum pl_status put_named(struct pl_segment_names *n, struct shape *f,
                                uint32_t i)
{
    struct named *e = &n->list[i];

    if (e->row != n->samples)
        e->seen = 0;
    e->row = n->samples;
    if (++e->seen > e->most) {
        e->most = e->seen;
        n->len += e->definition_len;
        f->num_instances++;
        n->has_equals |= e->most > 1;
    }
    if (!pl_array_grow((void **)&f->now.list, &f->now.cap, f->now.num,
                       sizeof *f->now.list))
        return PL_NOMEM;
    f->now.list[f->now.num++] = (struct place){ i, e->seen - 1 };
    return PL_OK;
}

static enum pl_status add_instance(struct pl_segment_names *n, size_t shape,
                                   const struct pl_object *o,
                                   const struct pl_instance *i,
                                   size_t *expected)
{
    struct shape *f = &n->shapes[shape];
    struct kin k = { (uint32_t)shape, NONE, 0 };
    enum pl_status s = PL_OK;
    uint32_t found;

    if (f->block_len < i->block_len)
        f->block_len = (uint32_t)i->block_len;
    if (!i->name)
        return PL_OK;
    if (i->parent_object)
        s = find_parent(n, i, &k);
    if (!s && !is_as_before(n, &f->was, &k, i, expected, &found))
        s = spell(n, &k, o, i, &found);
    return s ? s : put_named(n, f, found);
}

/* ---- samples -------------------------------------------------------------- */

/* True if the object's first instance has a parent. */
static bool has_parents(struct pl_object o)
{
    struct pl_instance i;

    return !pl_instance_next(&o, &i) && i.parent_object;
}

/* Begin with an object in this sample.  PL_CORRUPT: it is there already. */
static enum pl_status begin_object(struct pl_segment_names *n, struct shape *f)
{
    struct object *object = &n->objects[f->object];
    struct places was = f->was;

    if (object->row == n->samples)
        return PL_CORRUPT;
    object->row = f->row = n->samples;
    object->samples++;
    f->was = f->now;
    f->now = was;
    f->now.num = 0;
    return PL_OK;
}

static enum pl_status add_object(struct pl_segment_names *n, size_t shape,
                                 struct pl_object *o)
{
    struct pl_counter_def def;
    struct pl_instance i;
    size_t expected = 0;
    enum pl_status s = begin_object(n, &n->shapes[shape]), end;

    if (s)
        return s;
    while (!(end = pl_counter_next(o, &def)))
        ;
    if (end != PL_END)
        return end;
    while (!s && !(end = pl_instance_next(o, &i)))
        s = add_instance(n, shape, o, &i, &expected);
    return s ? s : end == PL_END ? PL_OK : end;
}

/* The objects whose instances have parents, or the others; in both cases the
 * shapes of all, which so stand in the order in which they were met. */
static enum pl_status add_objects(struct pl_segment_names *n,
                                  struct pl_block walk,
                                  const struct pl_titles *titles,
                                  bool with_parents)
{
    enum pl_status s = PL_OK, end;
    struct pl_object o;
    size_t shape;

    n->next_shape = 0;
    while (!s && !(end = pl_object_next(&walk, &o))) {
        s = find_shape(n, &o, titles, &shape);
        if (!s && has_parents(o) == with_parents)
            s = add_object(n, shape, &o);
    }
    return s ? s : end == PL_END ? PL_OK : end;
}

static enum pl_status keep_header(struct pl_segment_names *n,
                                  const struct pl_block *b)
{
    if (!n->header.len) {
        pl_buf_bytes(&n->header, b->bytes, b->header_len);
        n->big_endian = b->big_endian;
        n->len += b->header_len;
    }
    if (n->big_endian != b->big_endian)
        return PL_CORRUPT;
    return n->header.oom ? PL_NOMEM : PL_OK;
}

/* Bytes of the blocks as they are written. */
static uint64_t len_of_blocks(const struct pl_segment_names *n)
{
    uint64_t len = n->len;

    for (size_t i = 0; i < n->num_shapes; i++) {
        const struct shape *f = &n->shapes[i];

        len +=
            (uint64_t)f->block_len * (f->has_instances ? f->num_instances : 1);
        len += f->number ? n->header.len : 0;
    }
    return len;
}

enum pl_status pl_segment_names_add(struct pl_segment_names *n,
                                    const struct pl_buf *block,
                                    const struct pl_titles *titles)
{
    struct pl_block b;
    enum pl_status s;

    if (n->given_up)
        return PL_OK;
    n->samples++;
    s = pl_block_parse(&b, block->p, block->len);
    if (!s)
        s = keep_header(n, &b);
    if (!s)
        s = add_objects(n, b, titles, false);
    if (!s)
        s = add_objects(n, b, titles, true);
    if (s == PL_NOMEM)
        return s;
    /* Equal names are numbered, and could so become those of others. */
    return s || n->num > MOST_INSTANCES ||
                   len_of_blocks(n) > PL_MOST_NAMES_LEN ||
                   (n->has_equals && n->has_numbers)
               ? give_up(n)
               : PL_OK;
}

/* ---- writing -------------------------------------------------------------- */

static void put_counter_block(const struct pl_segment_names *n,
                              const struct shape *f, struct pl_buf *out)
{
    size_t at = out->len;

    if (pl_buf_zeros(out, f->block_len))
        pl_block_set_u32(out, at, n->big_endian, f->block_len);
}

static void put_instance(const struct pl_segment_names *n,
                         const struct shape *f, const struct named *e,
                         struct pl_buf *out)
{
    size_t at = out->len;

    pl_buf_bytes(out, n->bytes.p + e->definition_at, e->definition_len);
    if (e->parent != NONE)
        pl_block_set_u32(out, at + INSTANCE_PARENT, n->big_endian,
                         n->list[e->parent].place + e->parent_order);
    put_counter_block(n, f, out);
}

static void put_object(const struct pl_segment_names *n, const struct shape *f,
                       struct pl_buf *out)
{
    size_t at = out->len;

    pl_buf_bytes(out, n->bytes.p + f->definition_at, f->definition_len);
    for (int32_t i = f->first; i != NONE; i = n->list[i].next)
        for (uint32_t k = 0; k < n->list[i].most; k++)
            put_instance(n, f, &n->list[i], out);
    if (f->has_instances)
        pl_block_set_u32(out, at + PL_OBJ_NUM_INSTANCES, n->big_endian,
                         f->num_instances);
    else
        put_counter_block(n, f, out);
    pl_block_set_u32(out, at + PL_OBJ_TOTAL_LEN, n->big_endian,
                     (uint32_t)(out->len - at));
}

/* The block of the n-th shapes of all objects that have as many; false: none
 * has. */
static bool put_block(const struct pl_segment_names *n, uint32_t number,
                      struct pl_buf *out)
{
    size_t start = pl_buf_open(out), at = out->len;
    uint32_t num = 0;

    pl_buf_bytes(out, n->header.p, n->header.len);
    for (size_t i = 0; i < n->num_shapes; i++)
        if (n->shapes[i].number == number) {
            put_object(n, &n->shapes[i], out);
            num++;
        }
    if (!num) {
        out->len = start;
        return false;
    }
    pl_block_set_u32(out, at + PL_BLOCK_TOTAL_LEN, n->big_endian,
                     (uint32_t)(out->len - at));
    pl_block_set_u32(out, at + PL_BLOCK_NUM_OBJECTS, n->big_endian, num);
    pl_buf_close(out, start);
    return true;
}

static void set_places(struct pl_segment_names *n)
{
    for (size_t f = 0; f < n->num_shapes; f++) {
        uint32_t place = 0;

        for (int32_t i = n->shapes[f].first; i != NONE; i = n->list[i].next) {
            n->list[i].place = place;
            place += n->list[i].most;
        }
    }
}

enum pl_status pl_segment_names_content(struct pl_segment_names *n,
                                        uint64_t ends_at, struct pl_buf *out)
{
    if (n->given_up || !n->titles_at || !n->samples)
        return PL_OK;
    set_places(n);
    pl_buf_u64(out, ends_at);
    pl_buf_u64(out, n->titles_at);
    pl_buf_u64(out, n->samples);
    pl_buf_u32(out, (uint32_t)n->num_objects);
    for (size_t i = 0; i < n->num_objects; i++) {
        pl_buf_u32(out, n->objects[i].title_index);
        pl_buf_u64(out, n->objects[i].samples);
    }
    for (uint32_t k = 0; k < MOST_SHAPES && put_block(n, k, out); k++)
        ;
    return out->oom ? PL_NOMEM : PL_OK;
}
