/* Estimates a recording's cost: samples are taken and encoded, not written. */
#include "logger/record/forecast.h"

#include "format/payload/chunk_index.h"
#include "format/record/codec.h"
#include "format/payload/identity_set.h"
#include "format/base/cursor.h"
#include "format/base/file.h"
#include "format/time/time_text.h"
#include "format/block/titles.h"
#include "format/block/winperf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    NUM_SAMPLES = 6,
    MAX_OBJECTS = 128,
    INDEX_SOURCE = 21800,    /* Performance Logger Source */
    INDEX_COLLECTION = 21804 /* its 100 ns spent on an object */
};

#define DAY_S 86400.0

struct share {
    uint32_t index;
    uint32_t instances;
    double whole, deltas;            /* bytes, encoded alone */
    uint64_t first_100ns, now_100ns; /* spent on collecting it so far */
};

struct forecast {
    struct pl_sampler *sampler;
    struct pl_encoder *encoder;
    struct pl_logger_stats stats;
    struct pl_buf taken; /* with the costs of objects, the others without */
    struct pl_buf block, before, slice, slice_before, payload, titles;
    struct share shares[MAX_OBJECTS];
    size_t num_shares;
    double whole, deltas;       /* bytes of records */
    double alive, born;         /* of identities: in the first sample, since */
    double collect_s, encode_s; /* processor time of samples after the first */
};

/* ---- sizes -------------------------------------------------------------- */

/* Bytes of 'raw' in a log: as a delta to 'ref', complete if that is empty. */
static enum pl_status encoded(struct forecast *f, const struct pl_buf *ref,
                              const struct pl_buf *raw, double *bytes)
{
    enum pl_codec codec;
    enum pl_status s;

    pl_buf_clear(&f->payload);
    s = ref->len ? pl_encode_delta(f->encoder, ref->p, ref->len, raw->p,
                                   raw->len, &f->payload, &codec)
                 : PL_UNSUPPORTED;
    if (s == PL_UNSUPPORTED)
        s = pl_encode_whole(f->encoder, raw->p, raw->len, &f->payload, &codec);
    *bytes += (double)((f->payload.len + 7) & ~(size_t)7);
    return s;
}

/*
 * A block of those objects of 'from' that have this title index, or of all
 * others; empty if there are none.
 */
static void cut_out(const struct pl_buf *from, uint32_t index, bool others,
                    struct pl_buf *out)
{
    uint32_t num = 0;
    struct pl_block b;
    struct pl_object o;
    size_t header;

    pl_buf_clear(out);
    if (!from->len || pl_block_parse(&b, from->p, from->len))
        return;
    header = pl_get_le32(from->p + PL_BLOCK_HEADER_LEN);
    while (pl_object_next(&b, &o) == PL_OK) {
        if ((o.title_index == index) == others)
            continue;
        if (!num++)
            pl_buf_bytes(out, from->p, header);
        pl_buf_bytes(out, from->p + o.at, o.len);
    }
    if (num) {
        pl_buf_set_u32(out, PL_BLOCK_TOTAL_LEN, (uint32_t)out->len);
        pl_buf_set_u32(out, PL_BLOCK_NUM_OBJECTS, num);
    }
}

static struct share *share_of(struct forecast *f, uint32_t index)
{
    for (size_t i = 0; i < f->num_shares; i++)
        if (f->shares[i].index == index)
            return &f->shares[i];
    if (f->num_shares == MAX_OBJECTS)
        return NULL;
    f->shares[f->num_shares] = (struct share){ .index = index };
    return &f->shares[f->num_shares++];
}

/* Encode every object alone, for its share of the total. */
static enum pl_status weigh_objects(struct forecast *f)
{
    static const struct pl_buf nothing;
    enum pl_status s = PL_OK;
    struct pl_block b;
    struct pl_object o;

    if (pl_block_parse(&b, f->block.p, f->block.len))
        return PL_OK;
    while (!s && pl_object_next(&b, &o) == PL_OK) {
        struct share *share = share_of(f, o.title_index);

        if (!share)
            continue;
        share->instances = o.num_instances > 0 ? (uint32_t)o.num_instances : 0;
        cut_out(&f->block, o.title_index, false, &f->slice);
        cut_out(&f->before, o.title_index, false, &f->slice_before);
        if (!f->before.len)
            s = encoded(f, &nothing, &f->slice, &share->whole);
        else
            s = encoded(f, &f->slice_before, &f->slice, &share->deltas);
    }
    return s;
}

/* ---- time --------------------------------------------------------------- */

/* The object that the instance is named after. */
static struct share *named_share(struct forecast *f, struct pl_text name)
{
    uint32_t generation;
    const struct pl_titles *t = pl_sampler_titles(f->sampler, &generation);

    for (size_t i = 0; i < f->num_shares; i++)
        if (pl_text_equal(pl_titles_name(t, f->shares[i].index), name))
            return &f->shares[i];
    return NULL;
}

/* An instance name of ASCII characters, from UTF-16. */
static struct pl_text ascii(const struct pl_instance *i, char *room,
                            size_t size)
{
    size_t n = 0;

    while (n < size && 2 * n + 1 < i->name_len && i->name[2 * n])
        n++;
    for (size_t k = 0; k < n; k++)
        room[k] = (char)i->name[2 * k];
    return (struct pl_text){ room, n };
}

/* Note the time that Performance Logger Source gives for each object. */
static void note_times(struct forecast *f, bool first)
{
    struct pl_counter_def def = { 0 };
    struct pl_instance inst;
    struct pl_object o;
    struct pl_block b;

    if (pl_block_parse(&b, f->taken.p, f->taken.len))
        return;
    do {
        if (pl_object_next(&b, &o))
            return;
    } while (o.title_index != INDEX_SOURCE);
    do {
        if (pl_counter_next(&o, &def))
            return;
    } while (def.title_index != INDEX_COLLECTION);
    while (pl_instance_next(&o, &inst) == PL_OK) {
        char room[64];
        struct share *share = named_share(f, ascii(&inst, room, sizeof room));
        uint64_t v;

        if (!share || !pl_counter_get(&o, &inst, &def, &v))
            continue;
        share->now_100ns = v;
        if (first)
            share->first_100ns = v;
    }
}

/* ---- identities --------------------------------------------------------- */

/* Leave those of processes that are in the block, as a writer does. */
static enum pl_status leave_recorded(struct pl_buf *identities,
                                     const struct pl_buf *block)
{
    struct pl_identity_set *set;
    enum pl_status s = pl_identity_set_new(&set);

    if (s)
        return s;
    s = pl_identity_set_add(set, identities->p, identities->len);
    pl_identity_set_keep_live(set, block->p, block->len);
    pl_buf_clear(identities);
    pl_identity_set_write(set, 0, identities);
    pl_identity_set_free(set);
    return identities->oom ? PL_NOMEM : s;
}

/* Those of the processes alive come with the first sample, new ones later. */
static enum pl_status weigh_identities(struct forecast *f, unsigned k)
{
    static const struct pl_buf nothing;
    struct pl_buf *identities = pl_sampler_identities(f->sampler);
    double *bytes = k ? &f->born : &f->alive;
    enum pl_status s = PL_OK;

    if (identities && identities->len)
        s = leave_recorded(identities, &f->block);
    if (s || !identities || !identities->len)
        return s;
    *bytes += PL_RECORD_LEN;
    s = encoded(f, &nothing, identities, bytes);
    pl_buf_clear(identities);
    return s;
}

/* Bytes a sample: new ones, and those alive, repeated after each index. */
static double identities_size(const struct forecast *f, double chunk)
{
    return f->born / (NUM_SAMPLES - 1) + f->alive / (chunk * PL_INDEX_CHUNKS);
}

/* ---- samples ------------------------------------------------------------ */

static double cpu_seconds(void)
{
    return (double)pl_clock_cpu() / 1e9;
}

static enum pl_status one_sample(struct forecast *f, unsigned k)
{
    double begun = cpu_seconds(), *bytes = k ? &f->deltas : &f->whole;
    struct pl_tick now;
    enum pl_status s;

    pl_buf_swap(&f->block, &f->before);
    pl_sampler_clocks(&now);
    s = pl_sampler_read(f->sampler, &now, &f->stats, &f->taken);
    if (s)
        return s;
    if (k)
        f->collect_s += cpu_seconds() - begun;
    cut_out(&f->taken, INDEX_SOURCE, true, &f->block);
    begun = cpu_seconds();
    *bytes += PL_RECORD_LEN;
    s = encoded(f, &f->before, &f->block, bytes);
    if (k)
        f->encode_s += cpu_seconds() - begun;
    if (!s)
        s = weigh_objects(f);
    if (!s)
        s = weigh_identities(f, k);
    note_times(f, k == 1);
    return s;
}

static enum pl_status take_samples(struct forecast *f, int64_t step_ns)
{
    enum pl_status s = PL_OK;
    struct pl_tick start;

    pl_sampler_clocks(&start);
    for (unsigned k = 0; k < NUM_SAMPLES && !s; k++) {
        if (!pl_sleep_until(start.boot_ns + k * step_ns))
            return PL_END;
        s = one_sample(f, k);
    }
    return s;
}

/* ---- output ------------------------------------------------------------- */

/* Samples of a chunk: one is a key sample, the others are deltas. */
static double chunk_length(double bytes, int64_t interval_ns)
{
    struct pl_chunk_index c = { .num_done = 0 };
    int64_t at = 0;

    pl_chunk_index_begin(&c, 0, 0, 0, 0, 0);
    for (;;) {
        pl_chunk_index_extend(&c, at, (uint64_t)bytes);
        at += interval_ns;
        if (pl_chunk_index_is_over(&c, at))
            return (double)c.now.samples;
    }
}

static double mean_size(double whole, double deltas, double chunk)
{
    return (whole + (chunk - 1) * deltas / (NUM_SAMPLES - 1)) / chunk;
}

static void print_row(const char *name, const char *instances, double bytes,
                      double seconds)
{
    char size[PL_SIZE_TEXT];

    printf("%-26s %9s %12s %10.1f s\n", name, instances,
           pl_size_text((uint64_t)bytes, size), seconds);
}

static void print_objects(const struct forecast *f, double chunk, double bytes,
                          double seconds)
{
    uint32_t generation;
    const struct pl_titles *t = pl_sampler_titles(f->sampler, &generation);
    double weight = 0, time = 0;

    for (size_t i = 0; i < f->num_shares; i++) {
        const struct share *s = &f->shares[i];

        weight += mean_size(s->whole, s->deltas, chunk);
        time += (double)(s->now_100ns - s->first_100ns);
    }
    for (size_t i = 0; i < f->num_shares; i++) {
        const struct share *s = &f->shares[i];
        struct pl_text text = pl_titles_name(t, s->index);
        double spent = (double)(s->now_100ns - s->first_100ns);
        char name[64], instances[16] = "";

        snprintf(name, sizeof name, "%.*s", (int)text.n, text.p);
        if (s->instances)
            snprintf(instances, sizeof instances, "%u", s->instances);
        print_row(name, instances,
                  bytes * mean_size(s->whole, s->deltas, chunk) /
                      (weight > 0 ? weight : 1),
                  seconds * spent / (time > 0 ? time : 1));
    }
}

static void print_forecast(struct forecast *f, int64_t interval_ns)
{
    double samples = DAY_S * 1e9 / (double)interval_ns;
    double delta = f->deltas / (NUM_SAMPLES - 1);
    double chunk = chunk_length(delta, interval_ns);
    double blocks = samples * mean_size(f->whole, f->deltas, chunk);
    double identities = samples * identities_size(f, chunk);
    double bytes = blocks + identities;
    double collect = samples * f->collect_s / (NUM_SAMPLES - 1);
    double encode = samples * f->encode_s / (NUM_SAMPLES - 1);
    char interval[PL_DURATION_TEXT], size[PL_SIZE_TEXT], alive[PL_SIZE_TEXT];

    printf("%-26s %9s %12s %12s\n", "Object", "Instances", "Bytes a day",
           "CPU a day");
    print_objects(f, chunk, blocks, collect);
    if (f->alive > 0)
        print_row("(identities)", "", identities, 0);
    print_row("(encoding)", "", 0, encode);
    print_row("All", "", bytes, collect + encode);
    printf("\nEvery %s: %.0f bytes and %.2f ms of processor time a sample, "
           "%.3f %% of one\nprocessor, without writing to the disk. A log "
           "begins with %s of names\nand %s of what identifies processes.\n",
           pl_duration_text((uint64_t)interval_ns, interval), bytes / samples,
           (collect + encode) / samples * 1000,
           (collect + encode) / DAY_S * 100,
           pl_size_text((uint64_t)f->payload.len, size),
           pl_size_text((uint64_t)f->alive, alive));
}

static enum pl_status encode_titles(struct forecast *f)
{
    uint32_t generation;
    enum pl_codec codec;

    pl_titles_write(pl_sampler_titles(f->sampler, &generation), &f->titles);
    pl_buf_clear(&f->payload);
    return f->titles.oom ? PL_NOMEM
                         : pl_encode_whole(f->encoder, f->titles.p,
                                           f->titles.len, &f->payload, &codec);
}

static void release(struct forecast *f)
{
    pl_encoder_free(f->encoder);
    pl_buf_release(&f->taken);
    pl_buf_release(&f->block);
    pl_buf_release(&f->before);
    pl_buf_release(&f->slice);
    pl_buf_release(&f->slice_before);
    pl_buf_release(&f->payload);
    pl_buf_release(&f->titles);
    free(f);
}

enum pl_exit pl_forecast(struct pl_sampler *sampler, uint64_t interval_ns)
{
    struct forecast *f = calloc(1, sizeof *f);
    int64_t interval = (int64_t)interval_ns;
    enum pl_status s = f ? pl_encoder_new(&f->encoder) : PL_NOMEM;

    if (!s) {
        f->sampler = sampler;
        s = take_samples(f,
                         interval < PL_NS_PER_SEC ? interval : PL_NS_PER_SEC);
    }
    if (!s)
        s = encode_titles(f);
    if (!s)
        print_forecast(f, interval);
    if (f)
        release(f);
    if (s == PL_END) /* a signal */
        return PL_EXIT_GOOD;
    if (!s && !pl_flush_stdout())
        s = PL_IO;
    return s ? pl_say_status("record --forecast", s, NULL) : PL_EXIT_GOOD;
}
