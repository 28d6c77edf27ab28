/* Puts a packed log in a log's place. */
#include "format/packing/pack_log.h"

#include "format/base/file.h"
#include "format/packing/pack_check.h"
#include "format/packing/pack_writer.h"
#include "format/reader/record_scan.h"

#include <stdlib.h>
#include <string.h>

struct packing {
    const char *path;
    char *part_path;
    bool has_part; /* the file of that name is ours */
    const struct pl_pack_options *options;
    struct pl_pack_result *result;
    struct pl_file *log;  /* held until it is replaced */
    struct pl_file *part; /* locked until then */
    struct pl_reader *first, *second;
};

char *pl_pack_part(const char *path)
{
    static const char end[] = PL_PACK_PART_END;
    size_t n = strlen(path);
    char *part = malloc(n + sizeof end);

    if (part) {
        memcpy(part, path, n);
        memcpy(part + n, end, sizeof end);
    }
    return part;
}

/* True if all samples are in packs, by the headers alone: of a log that is
 * packed few bytes are read. */
static bool is_packed(struct packing *p)
{
    uint8_t head[PL_RECORD_LEN];
    struct pl_record r;
    bool packed = false;
    uint64_t at = 0;
    size_t got;

    while (at < p->result->old_size) {
        if (pl_file_read(p->log, at, head, sizeof head, &got) ||
            got < sizeof head || pl_record_get(&r, head) || r.type == PL_SMPL)
            return false;
        packed |= r.type == PL_PACK;
        at += PL_RECORD_LEN + pl_padded_len(r.stored_len);
    }
    return packed && at == p->result->old_size;
}

/* PL_OK: it has samples that are not packed, or damage.  PL_END: all are packed.
 * PL_TRUNCATED: it has none. */
static enum pl_status look_for_samples(struct packing *p)
{
    struct pl_record_scan scan;
    struct pl_stretch at;
    bool packed = is_packed(p), readable = packed;
    enum pl_status s =
        packed ? PL_END : pl_record_scan_open(&scan, p->path, false);

    if (!s) {
        while (!(s = pl_record_scan_next(&scan, 0, &at))) {
            readable |= at.kind == PL_STRETCH_RECORD;
            packed |= at.kind == PL_STRETCH_RECORD && at.record.type == PL_PACK;
            if (at.kind != PL_STRETCH_INTERRUPTED &&
                (at.kind != PL_STRETCH_RECORD || at.record.type == PL_SMPL))
                break;
        }
        pl_record_scan_close(&scan);
    }
    p->result->why = packed     ? "it is packed"
                     : readable ? "it has no samples"
                                : "nothing in it is readable";
    p->result->is_empty = s == PL_END && readable && !packed;
    return s == PL_END && !packed ? PL_TRUNCATED : s;
}

/* From now on until there is none any more, a part of ours exists. */
static void report_part(struct packing *p, bool exists)
{
    p->has_part = exists;
    if (p->options->part)
        p->options->part(p->options->ctx, exists ? p->part_path : NULL);
}

static enum pl_status open_part(struct packing *p)
{
    const char *why;
    enum pl_status s;

    if (p->options->before_part)
        p->options->before_part(p->options->ctx);
    s = pl_file_open_private(&p->part, p->part_path, &why);
    {
        PL_KEEP_ERRNO;

        report_part(p, !s);
    }
    if (s == PL_UNSAFE)
        p->result->why = "the name LOG.packing is taken";
    if (s == PL_BUSY)
        p->result->why = "another perflog packs it";
    return s;
}

/* Those that the log has now. */
static enum pl_status give_rights(struct packing *p)
{
    enum pl_status s = pl_file_copy_rights(p->log, p->part);

    if (s == PL_UNSAFE)
        p->result->why = "its group or its rights cannot be given to a new "
                         "file";
    return s;
}

static enum pl_status copy(struct packing *p, struct pl_pack_writer *w)
{
    const struct pl_pack_options *o = p->options;
    struct pl_item item;
    enum pl_status s;

    while (!(s = pl_reader_next(p->first, &item)) &&
           !(s = pl_pack_writer_add(w, &item, pl_reader_titles(p->first))))
        if (o->progress)
            o->progress(o->ctx, pl_reader_position(p->first) / 2);
    if (s == PL_END)
        s = pl_pack_writer_finish(w);
    p->result->samples = pl_pack_writer_samples(w);
    p->result->new_size = pl_pack_writer_size(w);
    return s;
}

/* Make the part, and force it to the disk.  Whether it may have the log's rights
 * is known before the work begins. */
static enum pl_status make_part(struct packing *p)
{
    struct pl_pack_writer *w = NULL;
    enum pl_status s = open_part(p);

    if (!s)
        s = give_rights(p);
    if (!s)
        s = pl_pack_writer_new(&w, p->part, p->options->level);
    if (!s)
        s = copy(p, w);
    pl_pack_writer_free(w);
    return s ? s : pl_file_sync(p->part);
}

static void second_half(void *ctx, uint64_t done)
{
    const struct packing *p = ctx;

    if (p->options->progress)
        p->options->progress(p->options->ctx,
                             p->result->old_size / 2 + done / 2);
}

static void close_readers(struct packing *p)
{
    pl_reader_close(p->first);
    pl_reader_close(p->second);
    p->first = p->second = NULL;
}

/* True if another program has cut, replaced or deleted the log since it was
 * opened: what was read of it proves nothing then. */
static bool has_changed(struct packing *p)
{
    return !pl_file_is_as_left(p->log, p->result->old_size) ||
           !pl_file_is_at(p->log, p->path);
}

/* PL_OK, or why the part is not to take the log's place. */
static enum pl_status compare_with_log(struct packing *p)
{
    enum pl_status s;

    if (p->result->new_size >= p->result->old_size) {
        p->result->why = "it would not become smaller";
        return PL_END;
    }
    s = pl_pack_check(p->second, p->part_path, second_half, p);
    if (s == PL_CORRUPT) {
        p->result->why = "what was packed is not the same; this is a defect";
        p->result->is_defect = true;
        return PL_UNSAFE;
    }
    return s;
}

/* The part stays locked until it is the log: another packer that waits for it
 * finds that it has another name.  The log's rights may have been changed while
 * it was packed. */
static enum pl_status replace(struct packing *p)
{
    enum pl_status s = give_rights(p);

    close_readers(p);
    if (!s)
        s = pl_file_replace_open(p->part_path, &p->part, p->path, &p->log);
    if (!s)
        pl_file_sync_name(p->path);
    return s;
}

/* Make the part, compare both, and exchange them if that is worth it. */
static enum pl_status make_and_replace(struct packing *p)
{
    enum pl_status s = make_part(p);

    if (!s)
        s = compare_with_log(p);
    if (s != PL_NOMEM && s != PL_IO && has_changed(p)) {
        p->result->why = "it has changed meanwhile";
        p->result->is_defect = false;
        p->result->is_others = true;
        return PL_UNSAFE;
    }
    return s ? s : replace(p);
}

static enum pl_status open_log(struct packing *p)
{
    enum pl_status s = pl_file_hold(&p->log, p->path, &p->result->why);

    if (s == PL_BUSY)
        p->result->why = "another perflog is recording into it";
    p->result->is_others = s == PL_UNSAFE && p->result->why == pl_has_links;
    if (!s)
        s = pl_file_size(p->log, &p->result->old_size);
    if (!s)
        s = pl_reader_open(&p->first, p->path, NULL);
    return s ? s : pl_reader_open(&p->second, p->path, NULL);
}

/* PL_NO_SPACE: less than is to stay free would be. */
static enum pl_status look_at_space(struct packing *p)
{
    uint64_t available, total;
    enum pl_status s = PL_OK;

    if (p->options->min_free)
        s = pl_file_space(p->log, &available, &total);
    if (s || !p->options->min_free)
        return s;
    if (available >= p->result->old_size &&
        available - p->result->old_size >= p->options->min_free)
        return PL_OK;
    p->result->why = "less than --min-free would stay free of its file system";
    if (available < p->result->old_size)
        p->result->why = "its file system has no room for two of it";
    return PL_NO_SPACE;
}

static enum pl_status run(struct packing *p)
{
    enum pl_status s = open_log(p);

    if (!s)
        s = look_for_samples(p);
    if (!s)
        s = look_at_space(p);
    if (s)
        return s;
    s = make_and_replace(p);
    if (p->has_part) {
        PL_KEEP_ERRNO;

        if (s)
            pl_file_delete(p->part_path);
        report_part(p, false);
    }
    return s;
}

enum pl_status pl_pack_log(const char *path, const struct pl_pack_options *o,
                           struct pl_pack_result *result)
{
    struct packing p = { .path = path,
                         .part_path = pl_pack_part(path),
                         .options = o,
                         .result = result };
    enum pl_status s;

    *result = (struct pl_pack_result){ 0 };
    s = p.part_path ? run(&p) : PL_NOMEM;
    {
        PL_KEEP_ERRNO;

        close_readers(&p);
        pl_file_close(p.part);
        pl_file_close(p.log);
        free(p.part_path);
    }
    return s;
}
