/* Logs made to order. */
#include "tests/support/recorded.h"

#include "format/base/file.h"
#include "format/time/time_text.h"
#include "format/base/utf.h"
#include "format/block/winperf.h"
#include "tests/support/support.h"

#include <string.h>

enum { FREQ = 10000000 };

static uint32_t width(const struct made_counter *c)
{
    if (c->type == PERF_AVERAGE_TIMER || c->type == PERF_AVERAGE_BASE)
        return 8;
    return (c->type & PERF_SIZE_MASK) == PERF_SIZE_LARGE ? 8 : 4;
}

static void set_birth(struct maker *m)
{
    const struct made_object *o = m->object;
    uint32_t zeros[MAX_VALUES];
    struct pl_birth_facts birth = { .counter = o->birth,
                                    .slack = o->birth_slack,
                                    .zeros = zeros };

    for (size_t i = 0; i < o->num_counters; i++)
        if (o->counters[i].type & PERF_DELTA_COUNTER)
            zeros[birth.num_zeros++] = o->counters[i].index;
    ck_assert_int_eq(pl_titles_set_birth(m->titles, o->index, &birth), PL_OK);
}

static void set_titles(struct maker *m)
{
    const struct made_object *o = m->object;
    struct pl_counter_facts facts[MAX_VALUES];
    struct pl_object_facts f = { .flags_counter = o->flags_counter,
                                 .counters = facts,
                                 .num_counters = o->num_counters };

    pl_titles_set(m->titles, o->index, PL_TITLE_NAME, PL_LANGUAGE_ENGLISH,
                  pl_text_of(o->name));
    for (size_t i = 0; i < o->num_counters; i++) {
        const struct made_counter *c = &o->counters[i];

        facts[i] =
            (struct pl_counter_facts){ c->index, c->flag_bit, c->total_rule };
        if (c->name)
            pl_titles_set(m->titles, c->index, PL_TITLE_NAME,
                          PL_LANGUAGE_ENGLISH, pl_text_of(c->name));
    }
    while (f.num_identity < PL_MAX_IDENTITY && o->identity[f.num_identity]) {
        f.identity[f.num_identity] = o->identity[f.num_identity];
        f.num_identity++;
    }
    ck_assert_int_eq(pl_titles_set_facts(m->titles, o->index, &f), PL_OK);
    if (o->birth)
        set_birth(m);
    if (o->some_left_out)
        ck_assert_int_eq(pl_titles_set_left_out(m->titles, o->index, 4), PL_OK);
}

void make_begin(struct maker *m, const char *path, const char *host,
                const struct made_object *object, uint64_t interval_ns)
{
    struct pl_writer_options options = { .sync_ns = PL_SYNC_NEVER };
    struct pl_buf titles = { 0 };
    const char *why;

    *m = (struct maker){ .object = object, .start_utc = MADE_START };
    options.session.host = pl_text_of(host);
    options.session.interval_ns = interval_ns;
    options.session.provider = pl_text_of(PL_PROVIDER_LINUX);
    ck_assert_int_eq(pl_writer_open(&m->writer, path, &options, &why), PL_OK);
    ck_assert_int_eq(pl_titles_new(&m->titles), PL_OK);
    set_titles(m);
    pl_titles_write(m->titles, &titles);
    pl_writer_titles(m->writer, &titles);
    pl_buf_release(&titles);
}

static void put_values(struct pl_buf *b, const struct made_object *o,
                       const struct made_instance *in)
{
    uint32_t offsets[MAX_VALUES], at = 8;
    uint8_t *p;

    for (size_t i = 0; i < o->num_counters; i++) {
        offsets[i] = at;
        at += 8;
    }
    p = pl_put_counter_block(b, at);
    ck_assert_ptr_nonnull(p);
    for (size_t i = 0; i < o->num_counters; i++) {
        if (width(&o->counters[i]) == 8)
            pl_put_le64(p + offsets[i], in->values[i]);
        else
            pl_put_le32(p + offsets[i], (uint32_t)in->values[i]);
    }
}

static void put_object(struct pl_buf *b, const struct made_object *o,
                       const struct made_instance *instances, size_t num,
                       int64_t ticks)
{
    struct pl_object head = { .title_index = o->index,
                              .help_index = o->index + 1,
                              .perf_time = ticks,
                              .perf_freq = FREQ };
    bool bare = num == 1 && !instances[0].name;
    size_t at = pl_put_object(b, &head);

    for (size_t i = 0; i < o->num_counters; i++) {
        struct pl_counter_def def = { .title_index = o->counters[i].index,
                                      .help_index = o->counters[i].index + 1,
                                      .type = o->counters[i].type,
                                      .size = width(&o->counters[i]),
                                      .offset = (uint32_t)(8 + 8 * i) };

        pl_put_counter(b, &def);
    }
    pl_put_definitions_close(b, at, (uint32_t)o->num_counters);
    for (size_t i = 0; i < num; i++) {
        struct pl_buf name = { 0 };

        if (!bare) {
            pl_utf8_to_utf16(&name, instances[i].name,
                             strlen(instances[i].name));
            pl_put_instance(b, 0, 0, name.p, name.len);
            pl_buf_release(&name);
        }
        put_values(b, o, &instances[i]);
    }
    pl_put_object_close(b, at, bare ? PERF_NO_INSTANCES : (int32_t)num);
}

void make_sample(struct maker *m, int64_t at_ms,
                 const struct made_instance *instances, size_t num)
{
    int64_t ticks = at_ms * (FREQ / 1000);
    int64_t utc = m->start_utc + at_ms * PL_NS_PER_MS;
    struct pl_block_stamp stamp = {
        .utc_ns = utc,
        .perf_time = ticks,
        .perf_freq = FREQ,
        .perf_time_100ns = PL_FILETIME_OF_1970 + utc / 100,
    };
    struct pl_sample_stamp when = { .utc_ns = utc,
                                    .boot_ns = at_ms * PL_NS_PER_MS };
    struct pl_buf block = { 0 };
    size_t at = pl_put_block(&block, &stamp, NULL, 0);

    put_object(&block, m->object, instances, num, ticks);
    pl_put_block_close(&block, at, 1, 0);
    ck_assert(!block.oom);
    ck_assert_int_eq(pl_writer_sample(m->writer, &when, &block), PL_OK);
    pl_buf_release(&block);
}

void make_gap(struct maker *m, enum pl_gap_cause cause, uint32_t count)
{
    struct pl_gaps g = { .count = count, .cause = cause };

    pl_writer_missed(m->writer, &g);
}

void make_end(struct maker *m)
{
    ck_assert_int_eq(pl_writer_close(m->writer, PL_END_ASKED, NULL), PL_OK);
    pl_titles_free(m->titles);
}
