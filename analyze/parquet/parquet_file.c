/* Row groups, pages and metadata. */
#include "analyze/parquet/parquet_file.h"

#include "analyze/parquet/thrift.h"
#include "format/base/array.h"
#include "format/base/utf.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

/* Numbers of parquet.thrift. */
enum {
    TYPE_INT64 = 2,
    TYPE_DOUBLE = 5,
    TYPE_BYTE_ARRAY = 6,
    REPETITION_OPTIONAL = 1,
    CONVERTED_UTF8 = 0,
    CONVERTED_TIMESTAMP_MICROS = 10,
    CONVERTED_UINT_64 = 14,
    ENCODING_RLE = 3,
    CODEC_ZSTD = 6,
    PAGE_DATA = 0,
    PAGE_DICTIONARY = 2,
};

enum { LEVEL = 3 };

static const char magic[4] = { 'P', 'A', 'R', '1' };

struct chunk {            /* of a column, in the file */
    uint64_t start, data; /* offsets; equal: there is no dictionary */
    uint64_t stored, raw; /* bytes, with the pages' headers */
    enum pl_parquet_encoding encoding;
    size_t nulls;
    bool has_range;
    size_t range, least_len, greatest_len; /* in 'ranges' */
};

struct group {
    size_t rows;
    uint64_t start, stored, raw;
};

struct column {
    char *name;
    struct pl_parquet_column held;
};

struct pl_parquet {
    enum pl_status (*write)(void *ctx, const void *p, size_t n);
    void *ctx;
    uint64_t at; /* bytes written */
    ZSTD_CCtx *zstd;
    struct column *columns;
    size_t num_columns, cap_columns;
    size_t rows; /* held */
    bool oom;
    struct group *groups;
    size_t num_groups, cap_groups;
    struct chunk *chunks; /* num_columns for each group */
    size_t num_chunks, cap_chunks;
    struct pl_buf ranges;
    struct pl_parquet_pages pages; /* scratch, as these */
    struct pl_buf header, packed;
};

/* ---- making -------------------------------------------------------------- */

enum pl_status pl_parquet_new(struct pl_parquet **out,
                              enum pl_status (*write)(void *ctx, const void *p,
                                                      size_t n),
                              void *ctx)
{
    struct pl_parquet *f = calloc(1, sizeof *f);

    *out = f;
    if (!f)
        return PL_NOMEM;
    f->write = write;
    f->ctx = ctx;
    f->zstd = ZSTD_createCCtx();
    if (!f->zstd || ZSTD_isError(ZSTD_CCtx_setParameter(
                        f->zstd, ZSTD_c_compressionLevel, LEVEL))) {
        pl_parquet_free(f);
        *out = NULL;
        return PL_NOMEM;
    }
    return PL_OK;
}

void pl_parquet_free(struct pl_parquet *f)
{
    if (!f)
        return;
    for (size_t i = 0; i < f->num_columns; i++) {
        free(f->columns[i].name);
        pl_parquet_column_release(&f->columns[i].held);
    }
    free(f->columns);
    free(f->groups);
    free(f->chunks);
    pl_buf_release(&f->ranges);
    pl_parquet_pages_release(&f->pages);
    pl_buf_release(&f->header);
    pl_buf_release(&f->packed);
    ZSTD_freeCCtx(f->zstd);
    free(f);
}

uint32_t pl_parquet_add(struct pl_parquet *f, struct pl_text name,
                        enum pl_parquet_type type)
{
    struct pl_buf valid = { 0 };
    struct column *c;

    if (!pl_array_grow((void **)&f->columns, &f->cap_columns, f->num_columns,
                       sizeof *f->columns))
        return UINT32_MAX;
    c = &f->columns[f->num_columns];
    *c = (struct column){ .name = pl_text_copy(pl_utf8_valid(&valid, name)),
                          .held.type = type };
    pl_buf_release(&valid);
    if (!c->name)
        return UINT32_MAX;
    return (uint32_t)f->num_columns++;
}

/* ---- rows ---------------------------------------------------------------- */

static void put(struct pl_parquet *f, uint32_t column, uint64_t bits)
{
    if (!pl_parquet_put(&f->columns[column].held, f->rows, bits))
        f->oom = true;
}

void pl_parquet_time(struct pl_parquet *f, uint32_t column, int64_t us)
{
    put(f, column, (uint64_t)us);
}

/* Zero has one sign, so that ranges hold for readers that tell them apart. */
void pl_parquet_double(struct pl_parquet *f, uint32_t column, double v)
{
    uint64_t bits;

    v += 0.0;
    memcpy(&bits, &v, sizeof bits);
    put(f, column, bits);
}

void pl_parquet_count(struct pl_parquet *f, uint32_t column, uint64_t v)
{
    put(f, column, v);
}

void pl_parquet_text(struct pl_parquet *f, uint32_t column, struct pl_text text,
                     size_t like)
{
    if (!pl_parquet_put_text(&f->columns[column].held, f->rows, text, like))
        f->oom = true;
}

enum pl_status pl_parquet_end_row(struct pl_parquet *f)
{
    f->rows++;
    return f->oom ? PL_NOMEM : PL_OK;
}

size_t pl_parquet_rows(const struct pl_parquet *f)
{
    return f->rows;
}

size_t pl_parquet_groups(const struct pl_parquet *f)
{
    return f->num_groups;
}

size_t pl_parquet_held(const struct pl_parquet *f)
{
    size_t n = 0;

    for (size_t i = 0; i < f->num_columns; i++) {
        const struct pl_parquet_column *c = &f->columns[i].held;

        n += c->cap * sizeof *c->values + c->cap_rows + c->texts.bytes.cap +
             c->texts.num_slots * sizeof *c->texts.slots +
             c->texts.cap * sizeof *c->texts.starts;
    }
    return n;
}

void pl_parquet_trim(struct pl_parquet *f)
{
    for (size_t i = 0; i < f->num_columns; i++)
        pl_parquet_column_release(&f->columns[i].held);
}

/* ---- pages --------------------------------------------------------------- */

static enum pl_status write_bytes(struct pl_parquet *f, const void *p, size_t n)
{
    enum pl_status s = f->write(f->ctx, p, n);

    f->at += n;
    return s;
}

static void put_page_header(struct pl_parquet *f, int page, size_t raw,
                            size_t num, int encoding)
{
    struct pl_thrift t = { .out = &f->header };

    pl_buf_clear(&f->header);
    pl_thrift_i32(&t, 1, page);
    pl_thrift_i32(&t, 2, (int32_t)raw);
    pl_thrift_i32(&t, 3, (int32_t)f->packed.len);
    pl_thrift_begin(&t, page == PAGE_DATA ? 5 : 7);
    pl_thrift_i32(&t, 1, (int32_t)num);
    pl_thrift_i32(&t, 2, encoding);
    if (page == PAGE_DATA) {
        pl_thrift_i32(&t, 3, ENCODING_RLE);
        pl_thrift_i32(&t, 4, ENCODING_RLE);
    }
    pl_thrift_end(&t);
    pl_thrift_end(&t);
}

static enum pl_status pack(struct pl_parquet *f, const struct pl_buf *raw)
{
    size_t most = ZSTD_compressBound(raw->len), n;

    pl_buf_clear(&f->packed);
    if (!pl_buf_room(&f->packed, most))
        return PL_NOMEM;
    n = ZSTD_compress2(f->zstd, f->packed.p, most, raw->p, raw->len);
    if (ZSTD_isError(n))
        return PL_NOMEM;
    f->packed.len = n;
    return PL_OK;
}

static enum pl_status write_page(struct pl_parquet *f, struct chunk *c,
                                 int page, const struct pl_buf *raw, size_t num,
                                 int encoding)
{
    enum pl_status s = pack(f, raw);

    if (s)
        return s;
    put_page_header(f, page, raw->len, num, encoding);
    if (f->header.oom)
        return PL_NOMEM;
    c->raw += f->header.len + raw->len;
    c->stored += f->header.len + f->packed.len;
    s = write_bytes(f, f->header.p, f->header.len);
    return s ? s : write_bytes(f, f->packed.p, f->packed.len);
}

static void keep_range(struct pl_parquet *f, struct chunk *c)
{
    const struct pl_parquet_pages *p = &f->pages;

    c->has_range = p->has_range;
    c->range = f->ranges.len;
    c->least_len = p->least.len;
    c->greatest_len = p->greatest.len;
    pl_buf_bytes(&f->ranges, p->least.p, p->least.len);
    pl_buf_bytes(&f->ranges, p->greatest.p, p->greatest.len);
}

static enum pl_status write_chunk(struct pl_parquet *f, struct column *column,
                                  struct chunk *c)
{
    struct pl_parquet_pages *p = &f->pages;
    enum pl_status s = pl_parquet_encode(&column->held, f->rows, p);

    if (s)
        return s;
    *c = (struct chunk){ .start = f->at,
                         .encoding = p->encoding,
                         .nulls = p->nulls };
    keep_range(f, c);
    if (p->encoding == PL_PARQUET_DICTIONARY)
        s = write_page(f, c, PAGE_DICTIONARY, &p->dictionary, p->num_entries,
                       PL_PARQUET_PLAIN);
    c->data = f->at;
    if (!s)
        s = write_page(f, c, PAGE_DATA, &p->data, f->rows, (int)p->encoding);
    return s;
}

static enum pl_status begin_file(struct pl_parquet *f)
{
    return f->at ? PL_OK : write_bytes(f, magic, sizeof magic);
}

enum pl_status pl_parquet_flush(struct pl_parquet *f)
{
    struct group g = { .rows = f->rows };
    enum pl_status s = f->rows ? begin_file(f) : PL_OK;

    if (s || !f->rows)
        return s;
    if (!pl_array_grow((void **)&f->groups, &f->cap_groups, f->num_groups,
                       sizeof *f->groups) ||
        !pl_array_reserve((void **)&f->chunks, &f->cap_chunks,
                          f->num_chunks + f->num_columns, sizeof *f->chunks))
        return PL_NOMEM;
    g.start = f->at;
    for (size_t i = 0; i < f->num_columns && !s; i++) {
        struct chunk *c = &f->chunks[f->num_chunks + i];

        s = write_chunk(f, &f->columns[i], c);
        g.stored += s ? 0 : c->stored;
        g.raw += s ? 0 : c->raw;
    }
    if (s)
        return s;
    f->groups[f->num_groups++] = g;
    f->num_chunks += f->num_columns;
    f->rows = 0;
    return f->ranges.oom ? PL_NOMEM : PL_OK;
}

/* ---- metadata ------------------------------------------------------------ */

static int stored_type(enum pl_parquet_type type)
{
    static const int types[] = {
        [PL_PARQUET_TIME] = TYPE_INT64,
        [PL_PARQUET_DOUBLE] = TYPE_DOUBLE,
        [PL_PARQUET_COUNT] = TYPE_INT64,
        [PL_PARQUET_TEXT] = TYPE_BYTE_ARRAY,
    };

    return types[type];
}

/* LogicalType.TIMESTAMP of microseconds, adjusted to UTC. */
static void put_timestamp(struct pl_thrift *t)
{
    pl_thrift_begin(t, 8);
    pl_thrift_bool(t, 1, true);
    pl_thrift_begin(t, 2);
    pl_thrift_begin(t, 2);
    pl_thrift_end(t);
    pl_thrift_end(t);
    pl_thrift_end(t);
}

/* LogicalType.INTEGER of 64 bits, unsigned. */
static void put_unsigned(struct pl_thrift *t)
{
    pl_thrift_begin(t, 10);
    pl_thrift_byte(t, 1, 64);
    pl_thrift_bool(t, 2, false);
    pl_thrift_end(t);
}

/* The converted type, for older readers, and the logical type. */
static void put_meaning(struct pl_thrift *t, enum pl_parquet_type type)
{
    static const int converted[] = {
        [PL_PARQUET_TIME] = CONVERTED_TIMESTAMP_MICROS,
        [PL_PARQUET_COUNT] = CONVERTED_UINT_64,
        [PL_PARQUET_TEXT] = CONVERTED_UTF8,
    };

    if (type == PL_PARQUET_DOUBLE)
        return;
    pl_thrift_i32(t, 6, converted[type]);
    pl_thrift_begin(t, 10);
    if (type == PL_PARQUET_TIME) {
        put_timestamp(t);
    } else if (type == PL_PARQUET_COUNT) {
        put_unsigned(t);
    } else {
        pl_thrift_begin(t, 1); /* STRING */
        pl_thrift_end(t);
    }
    pl_thrift_end(t);
}

static void put_schema(const struct pl_parquet *f, struct pl_thrift *t)
{
    pl_thrift_list(t, 2, PL_THRIFT_STRUCT, f->num_columns + 1);
    pl_thrift_begin(t, 0);
    pl_thrift_text(t, 4, pl_text_of("perflog"));
    pl_thrift_i32(t, 5, (int32_t)f->num_columns);
    pl_thrift_end(t);
    for (size_t i = 0; i < f->num_columns; i++) {
        enum pl_parquet_type type = f->columns[i].held.type;

        pl_thrift_begin(t, 0);
        pl_thrift_i32(t, 1, stored_type(type));
        pl_thrift_i32(t, 3, REPETITION_OPTIONAL);
        pl_thrift_text(t, 4, pl_text_of(f->columns[i].name));
        put_meaning(t, type);
        pl_thrift_end(t);
    }
}

static void put_statistics(const struct pl_parquet *f, const struct chunk *c,
                           struct pl_thrift *t)
{
    const char *p = (const char *)f->ranges.p + c->range;

    pl_thrift_begin(t, 12);
    pl_thrift_i64(t, 3, (int64_t)c->nulls);
    if (c->has_range) {
        pl_thrift_text(t, 5,
                       (struct pl_text){ p + c->least_len, c->greatest_len });
        pl_thrift_text(t, 6, (struct pl_text){ p, c->least_len });
    }
    pl_thrift_end(t);
}

/* Of levels, values and, as PLAIN, entries of a dictionary. */
static void put_encodings(struct pl_thrift *t,
                          enum pl_parquet_encoding encoding)
{
    pl_thrift_list(t, 2, PL_THRIFT_I32,
                   encoding == PL_PARQUET_DICTIONARY ? 3 : 2);
    pl_thrift_item(t, (int32_t)encoding);
    pl_thrift_item(t, ENCODING_RLE);
    if (encoding == PL_PARQUET_DICTIONARY)
        pl_thrift_item(t, PL_PARQUET_PLAIN);
}

static void put_chunk(const struct pl_parquet *f, const struct group *g,
                      const struct column *column, const struct chunk *c,
                      struct pl_thrift *t)
{
    bool dictionary = c->data != c->start;

    pl_thrift_begin(t, 0);
    pl_thrift_i64(t, 2, (int64_t)c->start);
    pl_thrift_begin(t, 3);
    pl_thrift_i32(t, 1, stored_type(column->held.type));
    put_encodings(t, c->encoding);
    pl_thrift_list(t, 3, PL_THRIFT_BINARY, 1);
    pl_thrift_item_text(t, pl_text_of(column->name));
    pl_thrift_i32(t, 4, CODEC_ZSTD);
    pl_thrift_i64(t, 5, (int64_t)g->rows);
    pl_thrift_i64(t, 6, (int64_t)c->raw);
    pl_thrift_i64(t, 7, (int64_t)c->stored);
    pl_thrift_i64(t, 9, (int64_t)c->data);
    if (dictionary)
        pl_thrift_i64(t, 11, (int64_t)c->start);
    put_statistics(f, c, t);
    pl_thrift_end(t);
    pl_thrift_end(t);
}

static void put_group(const struct pl_parquet *f, size_t i, struct pl_thrift *t)
{
    const struct group *g = &f->groups[i];

    pl_thrift_begin(t, 0);
    pl_thrift_list(t, 1, PL_THRIFT_STRUCT, f->num_columns);
    for (size_t k = 0; k < f->num_columns; k++)
        put_chunk(f, g, &f->columns[k], &f->chunks[i * f->num_columns + k], t);
    pl_thrift_i64(t, 2, (int64_t)g->raw);
    pl_thrift_i64(t, 3, (int64_t)g->rows);
    pl_thrift_i64(t, 5, (int64_t)g->start);
    pl_thrift_i64(t, 6, (int64_t)g->stored);
    pl_thrift_end(t);
}

/* Ranges are in the order of the columns' types. */
static void put_orders(const struct pl_parquet *f, struct pl_thrift *t)
{
    pl_thrift_list(t, 7, PL_THRIFT_STRUCT, f->num_columns);
    for (size_t i = 0; i < f->num_columns; i++) {
        pl_thrift_begin(t, 0);
        pl_thrift_begin(t, 1);
        pl_thrift_end(t);
        pl_thrift_end(t);
    }
}

static void put_metadata(const struct pl_parquet *f, struct pl_buf *out)
{
    struct pl_thrift t = { .out = out };
    uint64_t rows = 0;

    for (size_t i = 0; i < f->num_groups; i++)
        rows += f->groups[i].rows;
    pl_thrift_i32(&t, 1, 2);
    put_schema(f, &t);
    pl_thrift_i64(&t, 3, (int64_t)rows);
    pl_thrift_list(&t, 4, PL_THRIFT_STRUCT, f->num_groups);
    for (size_t i = 0; i < f->num_groups; i++)
        put_group(f, i, &t);
    pl_thrift_text(&t, 6, pl_text_of("perflog version " PL_VERSION));
    put_orders(f, &t);
    pl_thrift_end(&t);
}

enum pl_status pl_parquet_end(struct pl_parquet *f)
{
    enum pl_status s = pl_parquet_flush(f);
    struct pl_buf footer = { 0 };

    if (!s)
        s = begin_file(f);
    if (s)
        return s;
    put_metadata(f, &footer);
    pl_buf_u32(&footer, (uint32_t)footer.len);
    pl_buf_bytes(&footer, magic, sizeof magic);
    s = footer.oom ? PL_NOMEM : write_bytes(f, footer.p, footer.len);
    pl_buf_release(&footer);
    return s;
}
