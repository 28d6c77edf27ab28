/* Simulated machines, logs of them, and the comparison with the truth. */
#include "tests/support/logs.h"

#include "format/time/time_text.h"
#include "format/block/titles.h"
#include "format/base/utf.h"
#include "format/block/winperf.h"
#include "format/pack/pack_decoder.h"
#include "format/log/pack_log.h"
#include "tests/support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUM(table) (sizeof(table) / sizeof *(table))
#define SECOND PL_NS_PER_SEC

uint64_t random_next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* ---- the machine ---------------------------------------------------------- */

enum { FIRST_PID = 300, NUM_DISKS = 3, NUM_CPUS = 4 };

static void bear(struct machine *m, struct process *p)
{
    m->next_pid += 1 + (uint32_t)(random_next(&m->random) % 7);
    *p = (struct process){ .pid = m->next_pid, .born_ns = m->boot_ns };
    p->working_set = 4096 * (100 + random_next(&m->random) % 10000);
}

void machine_start(struct machine *m, uint64_t seed, unsigned num_processes)
{
    *m = (struct machine){ .random = seed * 0x9E3779B97F4A7C15u | 1,
                           .utc_ns = INT64_C(1790000000) * SECOND,
                           .boot_ns = 1000 * SECOND,
                           .next_pid = FIRST_PID,
                           .num_processes = num_processes };
    m->processes = calloc(num_processes, sizeof *m->processes);
    ck_assert_ptr_nonnull(m->processes);
    for (unsigned i = 0; i < num_processes; i++)
        bear(m, &m->processes[i]);
}

void machine_stop(struct machine *m)
{
    free(m->processes);
    m->processes = NULL;
}

/* One of 'churn' processes ends, the others move up, one comes last. */
static void replace_one(struct machine *m)
{
    unsigned gone = (unsigned)(random_next(&m->random) % m->num_processes);

    memmove(&m->processes[gone], &m->processes[gone + 1],
            (m->num_processes - gone - 1) * sizeof *m->processes);
    bear(m, &m->processes[m->num_processes - 1]);
}

void machine_run(struct machine *m, int64_t ns)
{
    m->utc_ns += ns;
    m->boot_ns += ns;
    m->transfers += random_next(&m->random) % 1000;
    for (unsigned i = 0; i < m->churn; i++)
        replace_one(m);
    for (unsigned i = 0; i < m->num_processes; i++) {
        struct process *p = &m->processes[i];

        if (random_next(&m->random) % 4)
            continue; /* asleep */
        p->cpu_100ns += random_next(&m->random) % (uint64_t)(ns / 100);
        p->working_set += 4096 * (random_next(&m->random) % 16);
    }
}

struct row {
    uint32_t title, type;
};

static const struct row system_rows[] = {
    { 674, PERF_ELAPSED_TIME },
    { 146, PERF_COUNTER_COUNTER },
    { 250, PERF_COUNTER_RAWCOUNT },
};
static const struct row disk_rows[] = {
    { 212, PERF_COUNTER_BULK_COUNT },
    { 198, PERF_COUNTER_RAWCOUNT },
};
static const struct row process_rows[] = {
    { 784, PERF_COUNTER_RAWCOUNT },
    { 684, PERF_ELAPSED_TIME },
    { 6, PERF_100NSEC_TIMER },
    { 180, PERF_COUNTER_LARGE_RAWCOUNT },
};
static const struct row processor_rows[] = {
    { 6, PERF_100NSEC_TIMER_INV },
};

static uint32_t width_of(const struct row *row)
{
    return (row->type & PERF_SIZE_MASK) == PERF_SIZE_LARGE ? 8 : 4;
}

/* Header and definitions; returns the object's place, *len the counters'. */
static size_t put_object(struct pl_buf *b, const struct machine *m,
                         uint32_t title, const struct row *rows, uint32_t n,
                         uint32_t *len)
{
    struct pl_object o = { .title_index = title,
                           .help_index = title + 1,
                           .detail_level = PERF_DETAIL_NOVICE,
                           .perf_time = m->boot_ns,
                           .perf_freq = SECOND };
    size_t at = pl_put_object(b, &o);

    *len = PL_SIZEOF_COUNTER_BLOCK;
    for (uint32_t i = 0; i < n; i++) {
        struct pl_counter_def c = { .title_index = rows[i].title,
                                    .help_index = rows[i].title + 1,
                                    .detail_level = PERF_DETAIL_NOVICE,
                                    .type = rows[i].type,
                                    .size = width_of(&rows[i]) };

        *len = (*len + c.size - 1) & ~(c.size - 1);
        c.offset = *len;
        *len += c.size;
        pl_put_counter(b, &c);
    }
    *len = (*len + 7) & ~7u;
    pl_put_definitions_close(b, at, n);
    return at;
}

static void put_values(struct pl_buf *b, uint32_t len, const struct row *rows,
                       uint32_t n, const uint64_t *values)
{
    uint8_t *p = pl_put_counter_block(b, len);
    uint32_t at = PL_SIZEOF_COUNTER_BLOCK;

    if (!p)
        exit(EXIT_FAILURE); /* out of memory; gcc for Windows must see it end */
    for (uint32_t i = 0; i < n; i++) {
        uint32_t width = width_of(&rows[i]);

        at = (at + width - 1) & ~(width - 1);
        if (width == 8)
            pl_put_le64(p + at, values[i]);
        else
            pl_put_le32(p + at, (uint32_t)values[i]);
        at += width;
    }
}

static void put_name(struct pl_buf *b, const char *text, uint32_t number)
{
    struct pl_buf name = { 0 };
    char utf8[32];
    int n = snprintf(utf8, sizeof utf8, "%s%u", text, number);

    pl_utf8_to_utf16(&name, utf8, (size_t)n);
    pl_put_instance(b, 0, 0, name.p, name.len);
    pl_buf_release(&name);
}

static void put_system(struct pl_buf *b, const struct machine *m)
{
    uint32_t len;
    size_t at = put_object(b, m, 2, system_rows, NUM(system_rows), &len);

    put_values(b, len, system_rows, NUM(system_rows),
               (uint64_t[]){ 0, m->transfers * 3, m->num_processes });
    pl_put_object_close(b, at, PERF_NO_INSTANCES);
}

static void put_disks(struct pl_buf *b, const struct machine *m)
{
    uint32_t len;
    size_t at = put_object(b, m, 234, disk_rows, NUM(disk_rows), &len);

    for (uint32_t i = 0; i < NUM_DISKS; i++) {
        put_name(b, "disk", i);
        put_values(b, len, disk_rows, NUM(disk_rows),
                   (uint64_t[]){ m->transfers >> i, i });
    }
    pl_put_object_close(b, at, NUM_DISKS);
}

static void put_processes(struct pl_buf *b, const struct machine *m)
{
    uint32_t len;
    size_t at = put_object(b, m, 230, process_rows, NUM(process_rows), &len);

    for (unsigned i = 0; i < m->num_processes; i++) {
        const struct process *p = &m->processes[i];

        put_name(b, "worker", p->pid % 10);
        put_values(b, len, process_rows, NUM(process_rows),
                   (uint64_t[]){ p->pid, (uint64_t)p->born_ns, p->cpu_100ns,
                                 p->working_set });
    }
    pl_put_object_close(b, at, (int32_t)m->num_processes);
}

static void put_processor(struct pl_buf *b, const struct machine *m)
{
    uint32_t len;
    size_t at =
        put_object(b, m, 238, processor_rows, NUM(processor_rows), &len);

    for (uint32_t i = 0; i < NUM_CPUS; i++) {
        put_name(b, "", i);
        put_values(b, len, processor_rows, NUM(processor_rows),
                   (uint64_t[]){ (uint64_t)m->boot_ns / 100 / (i + 2) });
    }
    pl_put_object_close(b, at, NUM_CPUS);
}

struct command {
    char text[64];
    size_t n;
};

/* What a process runs follows from its number and birth. */
static struct command command_of(uint64_t pid, uint64_t start)
{
    struct command c;

    c.n =
        (size_t)snprintf(c.text, sizeof c.text, "worker%c%llu%c%llu", 0,
                         (unsigned long long)pid, 0, (unsigned long long)start);
    return c;
}

void machine_identities(const struct machine *m, int64_t boot_ns,
                        struct pl_buf *out)
{
    pl_buf_clear(out);
    for (unsigned i = 0; i < m->num_processes; i++) {
        const struct process *p = &m->processes[i];
        struct command c = command_of(p->pid, (uint64_t)p->born_ns);
        const struct pl_process_identity identity = {
            .pid = p->pid,
            .start = (uint64_t)p->born_ns,
            .command_line = { c.text, c.n },
            .user_name = pl_text_of("root"),
        };

        if (p->born_ns >= boot_ns)
            pl_process_identity_write(&identity, out);
    }
    ck_assert(!out->oom);
}

void machine_block(const struct machine *m, struct pl_buf *out)
{
    static const uint8_t name[] = { 'b', 0, 'o', 0, 'x', 0 };
    struct pl_block_stamp stamp = { .utc_ns = m->utc_ns,
                                    .perf_time = m->boot_ns,
                                    .perf_freq = SECOND,
                                    .perf_time_100ns = m->utc_ns / 100 };
    size_t at;

    pl_buf_clear(out);
    at = pl_put_block(out, &stamp, name, sizeof name);
    put_system(out, m);
    put_disks(out, m);
    put_processes(out, m);
    if (m->has_processor)
        put_processor(out, m);
    pl_put_block_close(out, at, m->has_processor ? 4 : 3, 230);
    ck_assert(!out->oom);
}

static void set_title(struct pl_titles *t, uint32_t index, const char *name)
{
    ck_assert_int_eq(pl_titles_set(t, index, PL_TITLE_NAME, PL_LANGUAGE_ENGLISH,
                                   pl_text_of(name)),
                     PL_OK);
}

void machine_titles(const struct machine *m, struct pl_buf *out)
{
    static const struct {
        uint32_t index;
        const char *name;
    } names[] = {
        { 2, "System" },
        { 674, "System Up Time" },
        { 146, "Context Switches/sec" },
        { 250, "Threads" },
        { 234, "PhysicalDisk" },
        { 212, "Disk Transfers/sec" },
        { 198, "Current Disk Queue Length" },
        { 230, "Process" },
        { 784, "ID Process" },
        { 684, "Elapsed Time" },
        { 6, "% Processor Time" },
        { 180, "Working Set" },
    };
    struct pl_titles *t;

    ck_assert_int_eq(pl_titles_new(&t), PL_OK);
    for (size_t i = 0; i < NUM(names); i++)
        set_title(t, names[i].index, names[i].name);
    if (m->has_processor)
        set_title(t, 238, "Processor");
    pl_buf_clear(out);
    pl_titles_write(t, out);
    ck_assert(!out->oom);
    pl_titles_free(t);
}

/* ---- logs ------------------------------------------------------------------- */

const struct pl_writer_options log_options = { .sync_ns = PL_SYNC_NEVER };

void log_release(struct log *l)
{
    for (size_t i = 0; i < l->num_samples; i++)
        pl_buf_release(&l->samples[i].block);
    free(l->samples);
    free(l->bytes);
    free(l->records);
    *l = (struct log){ 0 };
}

void log_keep(struct log *l, const struct pl_sample_stamp *stamp,
              const struct pl_buf *block)
{
    struct sample *s;

    if (l->num_samples == l->cap_samples) {
        l->cap_samples = l->cap_samples ? l->cap_samples * 2 : 64;
        l->samples = realloc(l->samples, l->cap_samples * sizeof *l->samples);
        ck_assert_ptr_nonnull(l->samples);
    }
    s = &l->samples[l->num_samples++];
    *s = (struct sample){ .utc_ns = stamp->utc_ns, .boot_ns = stamp->boot_ns };
    pl_buf_bytes(&s->block, block->p, block->len);
    ck_assert(!s->block.oom);
}

void log_add(struct log *l, struct pl_writer *w, struct machine *m, int64_t ns,
             size_t n)
{
    struct pl_buf block = { 0 }, titles = { 0 }, identities = { 0 };

    for (size_t i = 0; i < n; i++) {
        struct pl_sample_stamp stamp;

        machine_run(m, ns);
        if (m->has_identities) {
            machine_identities(m, i ? m->boot_ns : 0, &identities);
            ck_assert_int_eq(pl_writer_identities(w, &identities), PL_OK);
        }
        stamp = (struct pl_sample_stamp){ .utc_ns = m->utc_ns,
                                          .boot_ns = m->boot_ns };
        machine_titles(m, &titles);
        machine_block(m, &block);
        log_keep(l, &stamp, &block);
        pl_writer_titles(w, &titles);
        ck_assert_int_eq(pl_writer_sample(w, &stamp, &block), PL_OK);
    }
    pl_buf_release(&block);
    pl_buf_release(&titles);
    pl_buf_release(&identities);
}

void log_think(struct log *l, struct machine *m, int64_t ns, size_t n)
{
    struct pl_buf block = { 0 };

    while (n--) {
        struct pl_sample_stamp stamp;

        machine_run(m, ns);
        stamp = (struct pl_sample_stamp){ .utc_ns = m->utc_ns,
                                          .boot_ns = m->boot_ns };
        machine_block(m, &block);
        log_keep(l, &stamp, &block);
    }
    pl_buf_release(&block);
}

/* Records are found one by one; torn bytes between them are passed over. */
static size_t record_at(const struct log *l, size_t at, struct pl_record *r)
{
    size_t total;

    if (l->len - at < PL_RECORD_LEN || pl_record_get(r, l->bytes + at))
        return 0;
    total = PL_RECORD_LEN + pl_padded_len(r->stored_len);
    if (total > l->len - at ||
        pl_hash(l->bytes + at + PL_RECORD_LEN, total - PL_RECORD_LEN,
                r->session) != r->payload_hash)
        return 0;
    return total;
}

/* 'r' is the record 'w', or one in it. */
static void attach(struct log *l, const struct whole_record *w,
                   const struct pl_record *r, bool is_key)
{
    l->num_chunks += is_key;
    for (size_t i = 0; i < l->num_samples; i++) {
        struct sample *s = &l->samples[i];

        if (s->boot_ns != r->boot_ns || s->session)
            continue;
        s->session = r->session;
        s->seq = r->seq;
        s->is_key = is_key;
        s->chunk = l->num_chunks - 1;
        s->at = w->at;
        s->end = w->at + w->len;
        return;
    }
    ck_abort_msg("the log has a sample nobody took");
}

/* The samples of a pack; the first one is its key. */
static void attach_all(struct log *l, const struct whole_record *w)
{
    struct pl_pack_decoder *d;
    struct pl_record r;
    const uint8_t *payload;
    bool is_key = true;

    ck_assert_int_eq(pl_pack_decoder_new(&d), PL_OK);
    ck_assert_int_eq(
        pl_pack_decoder_open(d, &w->record, l->bytes + w->at + PL_RECORD_LEN),
        PL_OK);
    while (!pl_pack_decoder_next(d, &r, &payload)) {
        if (r.type != PL_SMPL)
            continue;
        attach(l, w, &r, is_key);
        is_key = false;
    }
    pl_pack_decoder_free(d);
}

void log_load(struct log *l, const char *path)
{
    size_t cap = 0, at = 0;

    free(l->bytes);
    free(l->records);
    l->records = NULL;
    l->num_records = l->num_chunks = 0;
    for (size_t i = 0; i < l->num_samples; i++)
        l->samples[i].session = 0;
    l->bytes = read_file(path, &l->len);
    while (at < l->len) {
        struct pl_record r;
        size_t len = record_at(l, at, &r);

        if (!len) {
            at++;
            continue;
        }
        if (l->num_records == cap) {
            cap = cap ? cap * 2 : 64;
            l->records = realloc(l->records, cap * sizeof *l->records);
            ck_assert_ptr_nonnull(l->records);
        }
        l->records[l->num_records] = (struct whole_record){ at, len, r };
        if (r.type == PL_SMPL)
            attach(l, &l->records[l->num_records], &r, !r.ref);
        if (r.type == PL_PACK)
            attach_all(l, &l->records[l->num_records]);
        l->num_records++;
        at += len;
    }
}

void log_pack(struct log *l, const char *path)
{
    const struct pl_pack_options options = { .level = 1 };
    struct pl_pack_result result;

    ck_assert_int_eq(pl_pack_log(path, &options, &result), PL_OK);
    ck_assert_uint_eq(result.old_size, l->len);
    log_load(l, path);
    ck_assert_uint_eq(result.new_size, l->len);
    ck_assert_ptr_null(log_find(l, PL_SMPL, 0));
}

const struct whole_record *log_find(const struct log *l, uint32_t type,
                                    size_t nth)
{
    for (size_t i = 0; i < l->num_records; i++)
        if (l->records[i].record.type == type && !nth--)
            return &l->records[i];
    return NULL;
}

/* ---- shapes ----------------------------------------------------------------- */

static const char *const shape_names[NUM_LOG_SHAPES] = {
    [LOG_SMALL] = "small",           [LOG_BIG] = "big",
    [LOG_CHURN] = "churn",           [LOG_SESSIONS] = "sessions",
    [LOG_TITLES] = "titles",         [LOG_CHUNKS] = "chunks",
    [LOG_IDENTITIES] = "identities",
};

const char *log_shape_name(enum log_shape shape)
{
    return shape_names[shape];
}

struct pl_writer *log_open(const char *path,
                           const struct pl_writer_options *options)
{
    struct pl_writer_options with = *options;
    struct pl_writer *w;
    const char *why;

    with.session.host = pl_text_of("box");
    with.session.provider = pl_text_of("little test");
    with.session.interval_ns = (uint64_t)SECOND;
    ck_assert_int_eq(pl_writer_open(&w, path, &with, &why), PL_OK);
    return w;
}

void log_close(struct pl_writer *w, struct pl_writer_stats *final)
{
    ck_assert_int_eq(pl_writer_close(w, PL_END_ASKED, final), PL_OK);
}

enum pl_status log_try_open(const char *path,
                            const struct pl_writer_options *options,
                            const char **why)
{
    struct pl_writer *w;
    enum pl_status s = pl_writer_open(&w, path, options, why);

    if (!s)
        pl_writer_close(w, PL_END_ASKED, NULL);
    return s;
}

static void make_small(struct log *l, struct pl_writer *w, struct machine *m)
{
    struct pl_gaps late = { .utc_first = m->utc_ns + 5 * SECOND,
                            .utc_last = m->utc_ns + 6 * SECOND,
                            .count = 2,
                            .cause = PL_GAP_LATE };

    log_add(l, w, m, SECOND, 4);
    pl_writer_missed(w, &late);
    pl_writer_note(w, PL_NOTE_TEXT, m->utc_ns, m->boot_ns, "a note");
    machine_run(m, 2 * SECOND);
    log_add(l, w, m, SECOND, 4);
}

/* Cut the last record of the file in its middle, as a kill would. */
static void tear(struct log *l, const char *path)
{
    const struct whole_record *last;

    log_load(l, path);
    last = &l->records[l->num_records - 1];
    cut_file(path, last->at + last->len / 2 + 3);
}

static void make_sessions(struct log *l, const char *path, struct machine *m)
{
    struct pl_writer *w = log_open(path, &log_options);

    log_add(l, w, m, SECOND, 3);
    log_close(w, NULL);
    w = log_open(path, &log_options);
    log_add(l, w, m, SECOND, 4);
    log_close(w, NULL);
    tear(l, path); /* 'ends' */
    tear(l, path); /* 'indx' */
    tear(l, path); /* the last sample */
    w = log_open(path, &log_options);
    log_add(l, w, m, SECOND, 3);
    log_close(w, NULL);
}

void log_make(struct log *l, const char *path, enum log_shape shape,
              uint64_t seed)
{
    static const unsigned num_processes[NUM_LOG_SHAPES] = {
        [LOG_SMALL] = 4,      [LOG_BIG] = 400,  [LOG_CHURN] = 24,
        [LOG_SESSIONS] = 4,   [LOG_TITLES] = 4, [LOG_CHUNKS] = 1,
        [LOG_IDENTITIES] = 3,
    };
    struct pl_writer *w = NULL;
    struct machine m;

    *l = (struct log){ 0 };
    machine_start(&m, seed, num_processes[shape]);
    if (shape != LOG_SESSIONS)
        w = log_open(path, &log_options);
    switch (shape) {
    case LOG_SMALL:
        make_small(l, w, &m);
        break;
    case LOG_BIG:
        log_add(l, w, &m, SECOND, 3);
        break;
    case LOG_CHURN:
        m.churn = 3;
        log_add(l, w, &m, SECOND, 10);
        break;
    case LOG_SESSIONS:
        make_sessions(l, path, &m);
        break;
    case LOG_TITLES:
        log_add(l, w, &m, SECOND, 3);
        m.has_processor = true;
        log_add(l, w, &m, SECOND, 3);
        break;
    case LOG_CHUNKS: /* five minutes end a chunk: three samples each */
        log_add(l, w, &m, 100 * SECOND, 3 * 150);
        break;
    case LOG_IDENTITIES:
        m.has_identities = true;
        m.churn = 1;
        log_add(l, w, &m, SECOND, 5);
        break;
    case NUM_LOG_SHAPES:
        break;
    }
    if (w)
        log_close(w, NULL);
    machine_stop(&m);
    log_load(l, path);
}

/* ---- reading ----------------------------------------------------------------- */

void reading_release(struct reading *g)
{
    free(g->seen);
    *g = (struct reading){ 0 };
}

void reading_start(struct reading *g, const struct log *truth)
{
    uint8_t *seen = g->seen;
    size_t cap = g->cap_seen;

    if (cap < truth->num_samples + 1) {
        cap = truth->num_samples + 1;
        seen = realloc(seen, cap);
        ck_assert_ptr_nonnull(seen);
    }
    memset(seen, 0, cap);
    *g = (struct reading){ .seen = seen, .cap_seen = cap };
}

/* Of a log that was not loaded, session and seq are not known. */
static bool is_sample(const struct sample *s, const struct pl_record *r)
{
    return s->boot_ns == r->boot_ns &&
           (!s->session || (s->session == r->session && s->seq == r->seq));
}

/* Most samples come in order, so the search goes on where the last ended. */
static void compare(const struct log *truth, const struct pl_item *item,
                    size_t *hint, struct reading *g)
{
    size_t i = *hint, tries = 0;
    const struct sample *s;

    while (tries < truth->num_samples) {
        if (i >= truth->num_samples)
            i = 0;
        if (is_sample(&truth->samples[i], &item->record))
            break;
        i++;
        tries++;
    }
    if (tries == truth->num_samples) {
        g->wrong++;
        return;
    }
    *hint = i + 1;
    s = &truth->samples[i];
    if (item->record.utc_ns != s->utc_ns ||
        item->record.boot_ns != s->boot_ns ||
        item->block->len != s->block.len ||
        memcmp(item->block->p, s->block.p, s->block.len) != 0) {
        g->wrong++;
        return;
    }
    if (g->seen[i])
        g->twice++;
    else
        g->num_samples++;
    g->seen[i] = 1;
}

static void check_identity(const struct pl_identity_set *set, uint64_t pid,
                           uint64_t start, struct reading *g)
{
    struct command c = command_of(pid, start);
    const struct pl_text right = { c.text, c.n };
    struct pl_process_identity p;
    uint64_t version;

    if (!pl_identity_set_find(set, pid, start, &p, &version))
        return;
    g->identities++;
    g->wrong += !pl_text_equal(p.command_line, right);
}

/* Of those that are known, none may be another's. */
static void check_identities(const struct pl_identity_set *set,
                             const struct pl_buf *block, struct reading *g)
{
    struct pl_counter_def pid, start;
    struct pl_instance i;
    struct pl_object o;
    struct pl_block b;
    uint64_t number, born;

    if (!set || pl_block_parse(&b, block->p, block->len))
        return;
    do {
        if (pl_object_next(&b, &o))
            return;
    } while (o.title_index != PL_TITLE_PROCESS);
    if (pl_counter_next(&o, &pid) || pl_counter_next(&o, &start))
        return;
    while (!pl_instance_next(&o, &i))
        if (pl_counter_get(&o, &i, &pid, &number) &&
            pl_counter_get(&o, &i, &start, &born))
            check_identity(set, number, born, g);
}

enum pl_status read_on(struct pl_reader *r, const struct log *truth,
                       struct reading *g)
{
    struct pl_item item;
    size_t hint = 0;
    enum pl_status s;

    if (!g->seen)
        reading_start(g, truth);
    while (!(s = pl_reader_next(r, &item))) {
        g->kinds[item.kind]++;
        g->bytes += item.len;
        g->missing += item.count;
        if (item.kind == PL_ITEM_SAMPLE) {
            compare(truth, &item, &hint, g);
            check_identities(pl_reader_identities(r), item.block, g);
        }
    }
    return s;
}

enum pl_status read_whole(const char *path, const struct log *truth,
                          struct reading *g)
{
    struct pl_reader *r;
    enum pl_status s;

    reading_start(g, truth);
    s = pl_reader_open(&r, path, NULL);
    if (s)
        return s;
    s = read_on(r, truth, g);
    pl_reader_close(r);
    return s;
}

size_t reading_alarms(const struct reading *g)
{
    return g->kinds[PL_ITEM_DAMAGED] + g->kinds[PL_ITEM_UNREACHABLE] +
           g->kinds[PL_ITEM_TOO_NEW] + g->kinds[PL_ITEM_HOLE];
}

size_t log_gaps(const char *path, struct pl_gaps by_cause[PL_NUM_GAP_CAUSES])
{
    struct pl_reader *r;
    struct pl_item item;
    size_t num = 0;

    memset(by_cause, 0, PL_NUM_GAP_CAUSES * sizeof *by_cause);
    ck_assert_int_eq(pl_reader_open(&r, path, NULL), PL_OK);
    while (!pl_reader_next(r, &item)) {
        if (item.kind != PL_ITEM_GAPS)
            continue;
        ck_assert_uint_lt(item.gaps.cause, PL_NUM_GAP_CAUSES);
        by_cause[item.gaps.cause] = item.gaps;
        num++;
    }
    pl_reader_close(r);
    return num;
}

/* ---- logs made by hand --------------------------------------------------------- */

void craft(struct pl_buf *b, struct pl_record r, const void *payload, size_t n)
{
    size_t at = b->len;
    uint8_t *p;

    r.stored_len = r.stored_len ? r.stored_len : (uint32_t)n;
    r.raw_len = r.raw_len ? r.raw_len : (uint32_t)n;
    r.raw_hash = r.raw_hash ? r.raw_hash : pl_hash(payload, n, r.session);
    pl_buf_zeros(b, PL_RECORD_LEN);
    pl_buf_bytes(b, payload, n);
    pl_buf_zeros(b, pl_padded_len((uint32_t)n) - n);
    ck_assert(!b->oom);
    p = b->p + at;
    if (!r.payload_hash)
        r.payload_hash =
            pl_hash(p + PL_RECORD_LEN, pl_padded_len((uint32_t)n), r.session);
    pl_record_put(&r, p);
}

void craft_session(struct pl_buf *b, uint64_t session, uint32_t seq)
{
    struct pl_buf payload = { 0 };

    pl_session_write(&(struct pl_session){ .host = pl_text_of("craft") },
                     &payload);
    craft(b,
          (struct pl_record){ .type = PL_SESS, .session = session, .seq = seq },
          payload.p, payload.len);
    pl_buf_release(&payload);
}

void craft_sample(struct pl_buf *b, uint64_t session, uint32_t seq, size_t n)
{
    uint64_t random = session ^ seq ^ UINT64_C(0x5DEECE66D);
    struct pl_buf payload = { 0 };

    while (n--) /* no zeros: they would look like a fence */
        pl_buf_u8(&payload, (uint8_t)(random_next(&random) | 1));
    craft(b,
          (struct pl_record){ .type = PL_SMPL, .session = session, .seq = seq },
          payload.p, payload.len);
    pl_buf_release(&payload);
}
