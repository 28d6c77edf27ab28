/* Reads back the parts of a zip archive. */
#include "analyze/workbook/parts.h"

#include "format/base/cursor.h"
#include "format/base/file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

enum {
    END_LEN = 22, /* of the end record */
    END_NUM_ENTRIES = 10,
    END_DIRECTORY_AT = 16,
    ENTRY_LEN = 46, /* of an entry of the directory */
    ENTRY_NAME_LEN = 28,
    ENTRY_EXTRA_LEN = 30,
    ENTRY_COMMENT_LEN = 32,
    ENTRY_LOCAL_AT = 42,
    LOCAL_LEN = 30, /* of the header before a part */
    LOCAL_METHOD = 8,
    LOCAL_NAME_LEN = 26,
    LOCAL_EXTRA_LEN = 28,
    METHOD_DEFLATE = 8,
    MAX_NAME = 255,
    CHUNK = 1 << 14,
};

static const char end_mark[] = "PK\5\6", entry_mark[] = "PK\1\2";

struct entry {
    char name[MAX_NAME + 1];
    uint32_t local_at;
};

/* ---- XML ----------------------------------------------------------------- */

/* In text and attributes '<' and '>' are always written as entities. */
struct xml {
    int64_t depth;  /* elements open */
    uint64_t cells; /* ends of <c> */
    bool in_tag;    /* between '<' and '>' */
    char last[3];   /* the characters before this one, the nearest last */
};

static void take_letter(struct xml *x, char c)
{
    const char *last = x->last;

    if (c == '<' || c == '>')
        x->in_tag = c == '<';
    if (last[2] == '<')
        x->depth += c == '/' ? -1 : c != '?' && c != '!';
    if (last[2] == '/' && c == '>')
        x->depth--;
    if (last[0] == '<' && last[1] == '/' && last[2] == 'c' && c == '>')
        x->cells++;
    x->last[0] = last[1];
    x->last[1] = last[2];
    x->last[2] = c;
}

/* ---- parts --------------------------------------------------------------- */

/* Go to the bytes of a part; false if it is not deflated. */
static bool find_part(FILE *f, const struct entry *e)
{
    uint8_t head[LOCAL_LEN];

    return !fseeko(f, e->local_at, SEEK_SET) &&
           fread(head, 1, sizeof head, f) == sizeof head &&
           pl_get_le16(head + LOCAL_METHOD) == METHOD_DEFLATE &&
           !fseeko(f,
                   pl_get_le16(head + LOCAL_NAME_LEN) +
                       pl_get_le16(head + LOCAL_EXTRA_LEN),
                   SEEK_CUR);
}

/* Inflate from where 'f' is to the stream's end. */
static bool read_stream(FILE *f, z_stream *z, struct xml *x)
{
    uint8_t in[CHUNK], out[CHUNK];
    int s = Z_OK;

    while (s == Z_OK) {
        if (!z->avail_in) {
            z->next_in = in;
            z->avail_in = (uInt)fread(in, 1, sizeof in, f);
        }
        z->next_out = out;
        z->avail_out = sizeof out;
        s = inflate(z, Z_NO_FLUSH);
        for (const uint8_t *p = out; p < z->next_out; p++)
            take_letter(x, (char)*p);
    }
    return s == Z_STREAM_END;
}

static bool read_part(FILE *f, const struct entry *e, struct xml *x)
{
    z_stream z = { 0 };
    bool good;

    *x = (struct xml){ 0 };
    if (!find_part(f, e) || inflateInit2(&z, -MAX_WBITS) != Z_OK)
        return false;
    good = read_stream(f, &z, x);
    inflateEnd(&z);
    return good && !x->depth && !x->in_tag;
}

/* ---- the directory ------------------------------------------------------- */

/* Where the directory begins; *num is its number of entries, 0: none. */
static int64_t find_directory(FILE *f, unsigned *num)
{
    uint8_t end[END_LEN];

    *num = 0;
    if (fseeko(f, -END_LEN, SEEK_END) ||
        fread(end, 1, sizeof end, f) != sizeof end ||
        memcmp(end, end_mark, 4) != 0)
        return 0;
    *num = pl_get_le16(end + END_NUM_ENTRIES);
    return pl_get_le32(end + END_DIRECTORY_AT);
}

/* The entry at *at, which is advanced past it. */
static bool read_entry(FILE *f, int64_t *at, struct entry *e)
{
    uint8_t head[ENTRY_LEN];
    uint16_t len;

    if (fseeko(f, *at, SEEK_SET) ||
        fread(head, 1, sizeof head, f) != sizeof head ||
        memcmp(head, entry_mark, 4) != 0)
        return false;
    len = pl_get_le16(head + ENTRY_NAME_LEN);
    if (len > MAX_NAME || fread(e->name, 1, len, f) != len)
        return false;
    e->name[len] = 0;
    e->local_at = pl_get_le32(head + ENTRY_LOCAL_AT);
    *at += ENTRY_LEN + len + pl_get_le16(head + ENTRY_EXTRA_LEN) +
           pl_get_le16(head + ENTRY_COMMENT_LEN);
    return true;
}

static bool check_parts(FILE *f, const uint64_t *cells, size_t num)
{
    unsigned entries;
    int64_t at = find_directory(f, &entries);
    size_t sheets = 0;

    for (; entries; entries--) {
        struct entry e;
        struct xml x;
        uint32_t n;

        if (!read_entry(f, &at, &e) || !read_part(f, &e, &x))
            return false;
        if (sscanf(e.name, "xl/worksheets/sheet%" SCNu32 ".xml", &n) != 1)
            continue;
        if (n < 1 || n > num || x.cells != cells[n - 1])
            return false;
        sheets++;
    }
    return sheets == num;
}

bool pl_xlsx_parts_are_whole(const char *path, const uint64_t *cells,
                             size_t num)
{
    FILE *f = pl_file_stream(path, "rb");
    bool whole = f && check_parts(f, cells, num);

    if (f)
        fclose(f);
    return whole;
}
