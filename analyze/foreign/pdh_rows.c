/* Decodes bytes to text, and parses rows. */
#include "analyze/foreign/pdh_rows.h"

#include "analyze/foreign/ansi_page.h"
#include "analyze/foreign/seen_bytes.h"
#include "format/base/cursor.h"
#include "format/base/utf.h"

#include <string.h>

enum {
    CHUNK = 64 << 10,
    MOST_LINE = 256 << 10, /* that is waited for, so that it is at hand */
    LOOK = 4096,
    MOST_UTF8 = 4, /* bytes of a character */
    MOST_ROW = 16 << 20,
    WINDOWS_1252 = 1252,
};

static const char no_csv[] = "a line that is no CSV",
                  open_quote[] = "a line that ends within quotes",
                  long_row[] = "a row of more than 16 MiB";

/* ---- encoding ------------------------------------------------------------ */

/* How many bytes at the beginning are complete characters of UTF-8. */
static size_t utf8_len(const uint8_t *p, size_t n)
{
    size_t len;

    for (size_t i = 0; i < n; i += len)
        if (pl_utf8_decode(p + i, n - i, &len) == PL_REPLACEMENT && len == 1)
            return i;
    return n;
}

/* ---- opening ------------------------------------------------------------- */

static bool begin_parser(struct pl_pdh_rows *r, unsigned char delimiter)
{
    if (csv_init(&r->parser, CSV_STRICT | CSV_STRICT_FINI))
        return false;
    csv_set_delim(&r->parser, delimiter);
    csv_set_term_func(&r->parser, pl_pdh_is_line_end);
    r->has_parser = true;
    return true;
}

/*
 * Whether all of the file is UTF-8, but for a character cut off at its end.
 * A chunk begins with the character that the one before cut off.
 */
static enum pl_status check_utf8(struct pl_pdh_rows *r)
{
    uint8_t bytes[CHUNK];
    size_t got = sizeof bytes;
    uint64_t at = 0;
    enum pl_status s = PL_OK;

    while (!s && got == sizeof bytes && r->letters == PL_PDH_UTF8) {
        size_t n;

        s = pl_seen_read(r->file, r->size, at, bytes, sizeof bytes, &got);
        n = s ? 0 : utf8_len(bytes, got);
        if (!s && got - n >= MOST_UTF8)
            r->letters = PL_PDH_ANSI;
        at += n;
    }
    return s;
}

/* Of text that is not Unicode, or that the user says is of a page. */
static enum pl_status find_page(struct pl_pdh_rows *r, bool marked)
{
    uint32_t given = pl_code_page_given();
    uint8_t bytes[CHUNK];
    size_t got;
    enum pl_status s;

    if (given && r->letters == PL_PDH_UTF8 && !marked)
        r->letters = PL_PDH_ANSI;
    r->code_page = given;
    if (r->letters != PL_PDH_ANSI || given)
        return PL_OK;
    s = pl_seen_read(r->file, r->size, 0, bytes, sizeof bytes, &got);
    if (!s)
        r->code_page = pl_ansi_page_guess(bytes, got, &r->word);
    if (!r->code_page)
        r->code_page = WINDOWS_1252;
    return s;
}

static enum pl_status find_encoding(struct pl_pdh_rows *r, bool marked,
                                    const struct pl_pdh_encoding *encoding)
{
    enum pl_status s;

    if (encoding->known) {
        r->letters = encoding->letters;
        r->code_page = encoding->code_page;
        return PL_OK;
    }
    s = check_utf8(r);
    return s ? s : find_page(r, marked);
}

enum pl_status pl_pdh_open(struct pl_pdh_rows *r, const char *path,
                           uint64_t seen,
                           const struct pl_pdh_encoding *encoding)
{
    uint8_t look[LOOK];
    size_t got = 0, mark = 0;
    enum pl_status s;

    *r = (struct pl_pdh_rows){ 0 };
    s = pl_file_open(&r->file, path);
    if (s)
        return s;
    s = pl_seen_size(r->file, seen, &r->size);
    if (!s)
        s = pl_seen_read(r->file, r->size, 0, look, sizeof look, &got);
    if (!s) {
        r->letters = pl_pdh_letters_of(look, got, &mark);
        r->at = mark;
        if (!begin_parser(r, (unsigned char)pl_pdh_delimiter(
                                 look + mark, got - mark, r->letters)))
            s = PL_NOMEM;
    }
    if (!s)
        s = find_encoding(r, mark > 0, encoding);
    if (s)
        pl_pdh_close(r);
    return s;
}

void pl_pdh_close(struct pl_pdh_rows *r)
{
    pl_file_close(r->file);
    if (r->has_parser)
        csv_free(&r->parser);
    pl_codepages_release(&r->pages);
    pl_buf_release(&r->raw);
    pl_buf_release(&r->text);
    pl_buf_release(&r->cells);
    pl_buf_release(&r->places);
    *r = (struct pl_pdh_rows){ 0 };
}

/* ---- decoding ------------------------------------------------------------ */

/*
 * Of a code page whose characters have one byte or several: no second one of
 * theirs is below '0', so one that is ends a character.  Text without any is
 * taken as it is, so that memory is bounded.
 */
static size_t whole_ansi(const struct pl_pdh_rows *r)
{
    size_t n = r->raw.len;

    while (!r->ended && n && r->raw.p[n - 1] >= '0')
        n--;
    return n ? n : r->raw.len;
}

/* The number of bytes that are complete characters. */
static size_t whole_characters(const struct pl_pdh_rows *r)
{
    const uint8_t *p = r->raw.p;
    size_t n = r->raw.len & ~(size_t)1;
    uint32_t last;

    if (r->letters == PL_PDH_ANSI)
        return whole_ansi(r);
    if (pl_pdh_letter_len(r->letters) == 1)
        return r->raw.len;
    if (!n)
        return 0;
    last = r->letters == PL_PDH_UTF16_BIG ? pl_get_be16(p + n - 2)
                                          : pl_get_le16(p + n - 2);
    return last >= 0xD800 && last < 0xDC00 && !r->ended ? n - 2 : n;
}

/* Letters that the code page has not have become U+FFFD. */
static void decode_ansi(struct pl_pdh_rows *r, const uint8_t *p, size_t n)
{
    static const char replaced[] = "\xEF\xBF\xBD";
    size_t from = r->text.len;

    pl_codepage_to_utf8(&r->pages, &r->text, r->code_page, p, n);
    for (; from + 3 <= r->text.len; from++)
        r->replaced += !memcmp(r->text.p + from, replaced, 3);
}

/* The letters before a NUL, in bytes. */
static size_t text_len(const uint8_t *p, size_t n, size_t unit)
{
    const uint8_t *nul;
    size_t i = 0;

    if (unit == 1) {
        nul = memchr(p, 0, n);
        return nul ? (size_t)(nul - p) : n;
    }
    while (i + unit <= n && (p[i] || p[i + 1]))
        i += unit;
    return i;
}

/* NULs are not text, and decoders stop there; they are skipped. */
static void decode_letters(struct pl_pdh_rows *r, const uint8_t *p, size_t n)
{
    size_t unit = pl_pdh_letter_len(r->letters);

    for (size_t i = 0; i < n;) {
        size_t from = i;

        i += text_len(p + i, n - i, unit);
        if (r->letters == PL_PDH_UTF8)
            pl_buf_bytes(&r->text, p + from, i - from);
        else if (r->letters == PL_PDH_ANSI)
            decode_ansi(r, p + from, i - from);
        else
            pl_utf16_to_utf8(&r->text, p + from, i - from,
                             r->letters == PL_PDH_UTF16_BIG);
        i += unit;
    }
}

/* Bytes up to the end of the last line; 0: there is none. */
static size_t whole_lines(const struct pl_pdh_rows *r)
{
    size_t n = pl_pdh_letter_len(r->letters) == 1 ? r->raw.len : 0;

    while (n && r->raw.p[n - 1] != '\n')
        n--;
    return n;
}

static enum pl_status read_more(struct pl_pdh_rows *r)
{
    uint8_t *room = pl_buf_room(&r->raw, CHUNK);
    size_t got;
    enum pl_status s;

    if (!room)
        return PL_NOMEM;
    s = pl_seen_read(r->file, r->size, r->at, room, CHUNK, &got);
    if (s)
        return s;
    r->at += got;
    r->raw.len += got;
    r->ended = got < CHUNK;
    return PL_OK;
}

/*
 * Decode what was read: whole lines, which need no parser mostly, or of a long one
 * as much as there is.
 */
static enum pl_status take_read(struct pl_pdh_rows *r, size_t lines)
{
    pl_buf_clear(&r->text);
    r->next = 0;
    r->decoded = lines ? lines : whole_characters(r);
    if (!r->ended && !lines)
        r->decoded =
            pl_pdh_len_without_begun_header(r->raw.p, r->decoded, r->letters);
    decode_letters(r, r->raw.p, r->decoded);
    return r->text.oom ? PL_NOMEM : PL_END;
}

/* The next text, after what is parsed.  PL_END: it is there, or all was. */
static enum pl_status refill(struct pl_pdh_rows *r)
{
    size_t lines = 0;
    enum pl_status s;

    r->raw.len -= r->decoded;
    if (r->decoded)
        memmove(r->raw.p, r->raw.p + r->decoded, r->raw.len);
    r->decoded = r->passed = 0;
    do {
        s = read_more(r);
        if (s)
            return s;
        lines = r->ended ? 0 : whole_lines(r);
    } while (!r->ended && !lines && r->raw.len < MOST_LINE &&
             pl_pdh_letter_len(r->letters) == 1);
    return take_read(r, lines);
}

/* ---- rows ---------------------------------------------------------------- */

/* Without quotes the comma of a zone is no end of it: brackets are open. */
static bool is_in_zone(const struct pl_pdh_rows *r, const char *cell, size_t n)
{
    const char *first = (const char *)r->cells.p;
    int depth = 0;

    if (!r->is_header || r->parser.delim_char != ',' ||
        r->places.len != sizeof(uint32_t) || (n && *cell == '\\'))
        return false;
    for (; *first; first++)
        depth += (*first == '(') - (*first == ')');
    return depth > 0;
}

static void take_cell(void *cell, size_t n, void *ctx)
{
    struct pl_pdh_rows *r = ctx;

    if (is_in_zone(r, cell, n)) {
        r->cells.len--;
        pl_buf_bytes(&r->cells, ", ", 2); /* blanks were skipped */
        pl_buf_bytes(&r->cells, cell, n);
        pl_buf_u8(&r->cells, 0);
        return;
    }
    pl_buf_u32(&r->places, (uint32_t)r->cells.len);
    pl_buf_bytes(&r->cells, cell, n);
    pl_buf_u8(&r->cells, 0);
}

static void end_of_row(int end, void *ctx)
{
    struct pl_pdh_rows *r = ctx;

    (void)end;
    r->whole = true;
}

/* Where in the file the next line begins. */
static uint64_t next_at(const struct pl_pdh_rows *r)
{
    return r->at - r->raw.len + r->passed;
}

/* Pass a line of the text, and the bytes that it was decoded from. */
static void pass_line(struct pl_pdh_rows *r, size_t len)
{
    r->next += len;
    if (r->passed < r->decoded)
        r->passed +=
            pl_pdh_line_len(r->raw.p + r->passed, r->decoded - r->passed,
                            r->letters, !r->is_header);
}

static void forget_row(struct pl_pdh_rows *r)
{
    pl_buf_clear(&r->cells);
    pl_buf_clear(&r->places);
    r->row_len = 0;
    r->whole = false;
}

static enum pl_status give(struct pl_pdh_rows *r, struct pl_pdh_row *row,
                           const char *reason)
{
    *row = (struct pl_pdh_row){
        .cells = (const char *)r->cells.p,
        .places = r->places.p,
        .num = reason ? 0 : r->places.len / sizeof(uint32_t),
        .first = 1,
        .stored = reason ? 0 : r->places.len / sizeof(uint32_t),
        .reason = reason,
        .as_header = r->as_header || (reason && r->is_header),
        .quoted = r->parser.delim_char == ',' ? r->quotes / 2 : SIZE_MAX,
        .at = r->row_at,
        .len = next_at(r) - r->row_at,
    };
    return r->cells.oom || r->places.oom ? PL_NOMEM : PL_OK;
}

/* Skip the rest of a line that is not a row; then parsing begins again. */
static enum pl_status give_up(struct pl_pdh_rows *r, struct pl_pdh_row *row,
                              const char *reason)
{
    unsigned char delimiter = r->parser.delim_char;

    csv_free(&r->parser);
    r->has_parser = false;
    r->hurt = true;
    forget_row(r);
    if (!begin_parser(r, delimiter))
        return PL_NOMEM;
    return give(r, row, reason);
}

/* What was parsed is a row, as nothing follows in its line.  PL_END: none. */
static enum pl_status finish(struct pl_pdh_rows *r, struct pl_pdh_row *row)
{
    bool hurt = csv_fini(&r->parser, take_cell, end_of_row, r) != 0;
    enum pl_status s;

    if (hurt)
        return give_up(r, row, no_csv);
    if (!r->whole)
        return PL_END;
    s = give(r, row, NULL);
    row->is_cut = true;
    row->is_open = r->last != '"';
    return s;
}

/*
 * A header begins where a line should have ended: a sheet was appended to one
 * that was cut off, or whose last line has no end.
 */
static enum pl_status finish_at_header(struct pl_pdh_rows *r,
                                       struct pl_pdh_row *row)
{
    enum pl_status s = r->hurt ? PL_END : finish(r, row);

    r->hurt = false;
    return s;
}

static bool is_at_header(const struct pl_pdh_rows *r)
{
    return !r->is_header &&
           pl_pdh_begins_header(r->text.p + r->next, r->text.len - r->next,
                                PL_PDH_UTF8);
}

/* A row begins at the next letter.  Blank lines before it are not of it. */
static void begin_row(struct pl_pdh_rows *r)
{
    const uint8_t *p = r->text.p + r->next;
    size_t n = r->text.len - r->next;

    r->row_at = next_at(r);
    r->row_len = r->quotes = 0;
    r->is_header = pl_pdh_begins_zone(p, n);
    r->as_header = pl_pdh_begins_header(p, n, PL_PDH_UTF8);
}

/* What libcsv does not tell. */
static void look_at_bytes(struct pl_pdh_rows *r, const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        r->quotes += p[i] == '"';
    r->last = p[n - 1];
    r->as_header =
        r->as_header || pl_pdh_has_path(p, n, (char)r->parser.delim_char);
}

/* Parse the end of a line, or as much of it as there is.  PL_END: it gave no
 * row. */
static enum pl_status parse(struct pl_pdh_rows *r, const uint8_t *p, size_t n,
                            struct pl_pdh_row *row)
{
    if (r->hurt)
        return PL_END;
    r->row_len += n;
    look_at_bytes(r, p, n);
    if (r->row_len > MOST_ROW)
        return give_up(r, row, long_row);
    if (csv_parse(&r->parser, p, n, take_cell, end_of_row, r) < n)
        return csv_error(&r->parser) == CSV_EPARSE ? give_up(r, row, no_csv)
                                                   : PL_NOMEM;
    /* Else it would take the next lines with it, up to another quote. */
    if (r->parser.pstate && !r->is_header && pl_pdh_is_line_end(p[n - 1]))
        return give_up(r, row, open_quote);
    return r->whole ? give(r, row, NULL) : PL_END;
}

/* A line that needs no parser.  PL_END: it needs one. */
static enum pl_status take_plain(struct pl_pdh_rows *r, const uint8_t *p,
                                 size_t n, struct pl_pdh_row *row)
{
    struct pl_pdh_plain plain;
    enum pl_status s;

    if (!pl_pdh_plain_cells(p, n, (char)r->parser.delim_char, &r->wanted,
                            &r->cells, &r->places, &plain))
        return PL_END;
    r->quotes = plain.quotes;
    s = give(r, row, NULL);
    row->num = plain.num;
    row->first = plain.first;
    return s;
}

/* The next line, or as much of it as there is.  PL_END: it gave no row. */
static enum pl_status take_line(struct pl_pdh_rows *r, struct pl_pdh_row *row)
{
    const uint8_t *p = r->text.p + r->next;
    const bool begins = !r->parser.pstate && !r->hurt;
    size_t n;
    enum pl_status s;

    if (begins)
        begin_row(r);
    if (is_at_header(r))
        return finish_at_header(r, row);
    n = pl_pdh_line_len(p, r->text.len - r->next, PL_PDH_UTF8, !r->is_header);
    pass_line(r, n);
    s = begins ? take_plain(r, p, n, row) : PL_END;
    if (s != PL_END)
        return s;
    s = parse(r, p, n, row);
    r->hurt = r->hurt && !pl_pdh_is_line_end(p[n - 1]);
    return s;
}

enum pl_status pl_pdh_next(struct pl_pdh_rows *r, struct pl_pdh_row *row)
{
    enum pl_status s = PL_END;

    forget_row(r);
    while (s == PL_END) {
        if (r->next < r->text.len)
            s = take_line(r, row);
        else if (r->ended)
            return r->hurt || !r->parser.pstate ? PL_END : finish(r, row);
        else
            s = refill(r);
    }
    return s;
}

const char *pl_pdh_cell(const struct pl_pdh_row *row, size_t i)
{
    if (i && i < row->first)
        return "";
    i -= i ? row->first - 1 : 0;
    return i < row->stored ? row->cells + pl_get_le32(row->places + 4 * i) : "";
}
