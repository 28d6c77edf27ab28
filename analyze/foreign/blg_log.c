/* The first pass over a Performance Monitor log. */
#include "analyze/foreign/blg_log.h"

#include "analyze/foreign/blg_titles.h"
#include "analyze/foreign/etl_header.h"
#include "analyze/foreign/seen_bytes.h"
#include "analyze/blocks/block_index.h"
#include "format/base/array.h"
#include "format/base/cursor.h"
#include "format/time/time_text.h"
#include "format/cli/message.h"
#include "format/record/record.h"
#include "format/base/utf.h"

#include <stdlib.h>
#include <string.h>

enum {
    FIRST_RECORDS = 64,
    MOST_ZONE_MINUTES = 14 * 60 + 30,
    LEAST_RECORD = 8,
    MOST_LIST_BYTES = 16 << 20,
};

static const char few_records[] =
    "a sample whose records are not those of the list",
                  bad_record[] = "a record that does not add up",
                  no_list[] = "a sample without a list of its counters";

/* ---- parts of a log ------------------------------------------------------ */

bool pl_blg_advance(struct pl_blg_place_in *at, uint8_t kind)
{
    if (kind == PL_BLG_SAMPLE)
        at->sampled = true;
    if (kind != PL_BLG_LIST || (at->listed && !at->sampled))
        return false;
    if (at->listed || at->sampled)
        at->part++;
    at->listed = true;
    at->sampled = false;
    return true;
}

size_t pl_blg_take_sample(const struct pl_blg_log *log, size_t part,
                          const struct pl_etl_item *m,
                          struct pl_blg_record *room, const char **damage)
{
    size_t max = log->most_records, num;
    bool whole;

    *damage = NULL;
    /* It has more if the first pass saw no sample of it: the file has changed. */
    if (part < log->num_parts && log->parts[part].list.num &&
        log->parts[part].list.num < max)
        max = log->parts[part].list.num;
    num = pl_blg_records(m->p, m->n, room, max, &whole);
    if (part >= log->num_parts)
        *damage = no_list;
    else if (log->parts[part].list.num && !whole)
        *damage = few_records;
    for (size_t i = 0; i < num && !*damage; i++)
        if (room[i].kind == PL_BLG_DROPPED)
            *damage = bad_record;
    return num;
}

/* ---- time ---------------------------------------------------------------- */

bool pl_blg_instant(int64_t filetime, int64_t *utc_ns)
{
    if (filetime <= PL_FILETIME_OF_1970 ||
        filetime - PL_FILETIME_OF_1970 > INT64_MAX / 200)
        return false;
    *utc_ns = (filetime - PL_FILETIME_OF_1970) * 100;
    return true;
}

bool pl_blg_utc(int64_t local, int32_t bias, int64_t *utc_ns)
{
    return pl_blg_instant(local, utc_ns) &&
           pl_blg_instant(local + bias * 60 * PL_FREQ_100NS, utc_ns);
}

/* The offset by a UTC clock, if it is plausible. */
static bool bias_by(int64_t utc, int64_t local, int32_t *bias)
{
    const int64_t quarter = INT64_C(15) * 60 * PL_FREQ_100NS;
    int64_t ns, quarters;

    if (!pl_blg_instant(utc, &ns) || !pl_blg_instant(local, &ns))
        return false;
    utc -= local;
    quarters = (utc + (utc < 0 ? -quarter : quarter) / 2) / quarter;
    if (quarters < -MOST_ZONE_MINUTES / 15 || quarters > MOST_ZONE_MINUTES / 15)
        return false;
    *bias = (int32_t)quarters * 15;
    return true;
}

int32_t pl_blg_bias(const struct pl_blg_log *log, size_t part,
                    const struct pl_blg_record *records, size_t num,
                    int64_t local)
{
    const struct pl_blg_list *l = &log->parts[part].list;
    bool daylight;
    int32_t bias;

    for (size_t i = 0; i < num; i++) {
        struct pl_block b;

        if (records[i].kind == PL_BLG_BLOCK) {
            if (!pl_block_parse(&b, records[i].p + PL_BLG_RECORD_HEADER,
                                records[i].num) &&
                bias_by(b.perf_time_100ns, local, &bias))
                return bias;
        } else if (i < l->num && records[i].kind != PL_BLG_DROPPED &&
                   l->entries[i].second_is_clock &&
                   l->entries[i].formula->clock == PL_CLOCK_100NS &&
                   bias_by(pl_blg_clock_of(&records[i]), local, &bias)) {
            return bias;
        }
    }
    return pl_etl_zone_bias(&log->header.zone, local, &daylight);
}

/* ---- machines ------------------------------------------------------------ */

static uint32_t find_machine(const struct pl_blg_log *log, const char *name)
{
    for (size_t i = 0; i < log->base.num_hosts; i++)
        if (!strcmp(log->base.hosts[i].name, name))
            return (uint32_t)i;
    return PL_BLG_NONE;
}

uint32_t pl_blg_machine_of(const struct pl_blg_log *log,
                           const struct pl_block *b)
{
    struct pl_buf name = { 0 };
    uint32_t found;

    if (b->name)
        pl_utf16_to_utf8(&name, b->name, b->name_len, b->big_endian);
    pl_buf_u8(&name, 0);
    found = name.oom ? PL_BLG_NONE : find_machine(log, (char *)name.p);
    pl_buf_release(&name);
    return found;
}

/* The number of a machine, added if it is new; NONE: there are too many. */
static enum pl_status add_machine(struct pl_blg_log *log, const char *name,
                                  uint32_t *number)
{
    struct pl_foreign_host *host;

    while (*name == '\\')
        name++;
    *number = find_machine(log, name);
    if (*number != PL_BLG_NONE)
        return PL_OK;
    if (log->base.num_hosts == PL_BLG_MAX_MACHINES) {
        log->more_machines = true;
        return PL_OK;
    }
    if (!pl_array_grow((void **)&log->base.hosts, &log->base.cap_hosts,
                       log->base.num_hosts, sizeof *host))
        return PL_NOMEM;
    host = &log->base.hosts[log->base.num_hosts];
    *host = (struct pl_foreign_host){ .name = strdup(name),
                                      .first_utc = INT64_MAX };
    if (!host->name)
        return PL_NOMEM;
    *number = (uint32_t)log->base.num_hosts++;
    return PL_OK;
}

/* ---- the first pass ------------------------------------------------------ */

/* State of the first pass only. */
struct look {
    struct pl_blg_log *log;
    struct pl_etl etl;
    struct pl_blg_place_in at;
    struct pl_blg_record *records;
    struct pl_blg_titles titles;
    struct pl_title_set used; /* of these */
    uint64_t list_bytes;      /* bytes of all lists together */
};

static enum pl_status number_machines(struct pl_blg_log *log,
                                      struct pl_blg_list *l, size_t from)
{
    enum pl_status s = PL_OK;

    for (size_t i = from; i < l->num && !s; i++) {
        struct pl_blg_entry *e = &l->entries[i];

        if (e->is_object || e->unusable) /* block entries define themselves */
            continue;
        s = add_machine(log, pl_blg_name(l, e->machine), &e->machine_number);
        if (e->machine_number == PL_BLG_NONE) {
            e->machine_number = 0;
            e->unusable = true;
            log->num_beyond++;
        }
    }
    return s;
}

static enum pl_status take_list(struct look *k, const struct pl_etl_item *m)
{
    struct pl_blg_log *log = k->log;
    uint64_t hash = pl_hash(m->p, m->n, log->seed);
    struct pl_blg_part *part;
    size_t before;
    enum pl_status s;

    k->list_bytes += m->n;
    if (k->at.part >= PL_BLG_MAX_LISTS || k->list_bytes > MOST_LIST_BYTES)
        return PL_OK; /* samples after it are damage */
    part = &log->parts[k->at.part];
    if (log->num_parts <= k->at.part)
        log->num_parts = k->at.part + 1;
    if (part->list.num && part->hash == hash)
        return PL_OK;
    part->hash = hash;
    before = part->list.num;
    s = pl_blg_list_add(&part->list, m->p, m->n);
    if (s == PL_NOMEM)
        return s;
    return number_machines(log, &part->list, before);
}

static enum pl_status room_for_records(struct look *k, size_t n)
{
    if (n <= k->log->most_records && k->records)
        return PL_OK;
    n = n < FIRST_RECORDS ? FIRST_RECORDS : n;
    if (!pl_array_resize((void **)&k->records, n, sizeof *k->records))
        return PL_NOMEM;
    k->log->most_records = n;
    return PL_OK;
}

static enum pl_status learn_counters(struct look *k, struct pl_object *o)
{
    struct pl_counter_def c;
    enum pl_status s = pl_title_set_add(&k->used, o->title_index);

    while (!s && !pl_counter_next(o, &c))
        s = pl_title_set_add(&k->used, c.title_index);
    return s;
}

static enum pl_status
look_at_block(struct look *k, const struct pl_blg_record *r, uint32_t *machine)
{
    struct pl_buf name = { 0 };
    struct pl_block b;
    struct pl_object o;
    enum pl_status s;

    *machine = PL_BLG_NONE;
    if (pl_block_parse(&b, r->p + PL_BLG_RECORD_HEADER, r->num))
        return PL_OK;
    if (b.name)
        pl_utf16_to_utf8(&name, b.name, b.name_len, b.big_endian);
    pl_buf_u8(&name, 0);
    s = name.oom ? PL_NOMEM : add_machine(k->log, (char *)name.p, machine);
    pl_buf_release(&name);
    k->log->has_blocks = true;
    while (!s && !pl_object_next(&b, &o))
        s = learn_counters(k, &o);
    return s;
}

/* Note when a machine occurred, and its offset from UTC at first. */
static enum pl_status note_times(struct look *k, uint32_t machine,
                                 int64_t utc_ns, int32_t bias)
{
    struct pl_foreign_host *h;

    if (machine == PL_BLG_NONE)
        return PL_OK;
    h = &k->log->base.hosts[machine];
    if (h->first_utc == INT64_MAX || utc_ns > h->last_utc)
        h->last_utc = utc_ns;
    if (h->first_utc != INT64_MAX)
        return PL_OK;
    h->first_utc = utc_ns;
    h->titles_made_up = !k->log->has_blocks;
    h->zone_minutes = -bias;
    h->zone = strdup(pl_etl_zone_name(&k->log->header.zone, bias));
    return h->zone ? PL_OK : PL_NOMEM;
}

static enum pl_status note_machines(struct look *k, size_t num, int64_t utc_ns,
                                    int32_t bias)
{
    const struct pl_blg_list *l = &k->log->parts[k->at.part].list;
    enum pl_status s = PL_OK;

    for (size_t i = 0; i < num && !s; i++) {
        uint32_t machine = PL_BLG_NONE;

        if (k->records[i].kind == PL_BLG_BLOCK) {
            s = look_at_block(k, &k->records[i], &machine);
        } else if (k->records[i].kind != PL_BLG_DROPPED && i < l->num &&
                   !l->entries[i].unusable && !l->entries[i].is_object) {
            machine = l->entries[i].machine_number;
            k->log->has_items = true;
        }
        if (!s)
            s = note_times(k, machine, utc_ns, bias);
    }
    return s;
}

static enum pl_status look_at_sample(struct look *k,
                                     const struct pl_etl_item *m)
{
    struct pl_blg_log *log = k->log;
    struct pl_blg_part *part = &log->parts[k->at.part];
    const char *damage;
    int64_t utc_ns;
    int32_t bias;
    size_t num;
    enum pl_status s;

    if (k->at.part >= PL_BLG_MAX_LISTS)
        return PL_OK;
    if (log->num_parts <= k->at.part)
        log->num_parts = k->at.part + 1;
    num = m->n / LEAST_RECORD; /* without a list there may be blocks */
    num = num < PL_BLG_MAX_ENTRIES ? num : PL_BLG_MAX_ENTRIES;
    s = room_for_records(k, part->list.num ? part->list.num : num);
    if (s)
        return s;
    part->sampled = true;
    num = pl_blg_take_sample(log, k->at.part, m, k->records, &damage);
    bias = pl_blg_bias(log, k->at.part, k->records, num, m->time);
    if (!num || !pl_blg_utc(m->time, bias, &utc_ns))
        return PL_OK;
    pl_blg_watch(&part->list, k->records,
                 num < part->list.num ? num : part->list.num,
                 log->base.num_hosts, log->seed);
    return note_machines(k, num, utc_ns, bias);
}

/* ---- all of it ----------------------------------------------------------- */

static enum pl_status look_at_message(struct look *k,
                                      const struct pl_etl_item *m)
{
    pl_blg_advance(&k->at, m->kind);
    switch (m->kind) {
    case PL_BLG_LIST:
        return take_list(k, m);
    case PL_BLG_SAMPLE:
        return look_at_sample(k, m);
    case PL_BLG_TITLES:
        return pl_blg_titles_take(&k->titles, m->p, m->n);
    default:
        return PL_OK;
    }
}

static enum pl_status look_at_all(struct look *k)
{
    struct pl_blg_log *log = k->log;
    struct pl_etl_item item;
    enum pl_status s;

    while (!(s = pl_etl_next(&k->etl, &item)))
        if (item.what == PL_ETL_MESSAGE) {
            s = look_at_message(k, &item);
            if (s)
                return s;
        }
    if (s != PL_END)
        return s;
    s = pl_blg_titles_keep(&k->titles, &k->used, &log->titles);
    for (size_t i = 0; i < log->num_parts && !s; i++)
        s = pl_blg_groups_make(&log->parts[i].groups, &log->parts[i].list);
    return s;
}

/* Drop machines without a sample. */
static void forget_silent(struct pl_blg_log *log)
{
    for (size_t i = 0; i < log->base.num_hosts; i++)
        if (log->base.hosts[i].first_utc == INT64_MAX)
            log->base.hosts[i].first_utc = 0;
}

static void release_blg(struct pl_foreign_file *f)
{
    struct pl_blg_log *log = (struct pl_blg_log *)f;

    for (size_t i = 0; i < log->num_parts; i++) {
        pl_blg_list_release(&log->parts[i].list);
        pl_blg_groups_release(&log->parts[i].groups);
    }
    pl_buf_release(&log->titles);
    free(log->path);
    free(log);
}

static enum pl_status look_into(struct pl_blg_log *log, const char *path)
{
    struct look k = { .log = log };
    uint32_t none;
    enum pl_status s = pl_etl_open(&k.etl, path, PL_ALL_BYTES);

    if (!s) {
        log->size = k.etl.size;
        log->header = k.etl.header;
        log->closed = k.etl.closed;
        s = look_at_all(&k);
    }
    if (!s && !log->base.num_hosts)
        /* so that the damage can be reported */
        s = add_machine(log, "", &none);
    forget_silent(log);
    if (log->num_parts)
        log->base.list_hash = pl_blg_list_hash(&log->parts[0].list);
    pl_etl_close(&k.etl);
    pl_blg_titles_release(&k.titles);
    pl_title_set_release(&k.used);
    free(k.records);
    return s;
}

static enum pl_status look_blg(struct pl_foreign_file **out, const char *path)
{
    struct pl_blg_log *log = calloc(1, sizeof *log);
    enum pl_status s;

    if (!log)
        return PL_NOMEM;
    log->base.format = &pl_format_blg;
    log->base.users = 1;
    log->seed = pl_random();
    log->path = strdup(path);
    s = log->path ? look_into(log, path) : PL_NOMEM;
    if (s)
        pl_foreign_drop(&log->base);
    else
        *out = &log->base;
    return s;
}

const struct pl_foreign_format pl_format_blg = {
    .is_one = pl_etl_is_one,
    .look = look_blg,
    .open = pl_blg_open,
    .release = release_blg,
};
