/* Decodes bytes to text, and parses rows. */
#include "analyze/foreign/pdh_rows.h"

#include "analyze/foreign/ansi_page.h"
#include "format/base/cursor.h"
#include "format/base/utf.h"

#include <string.h>

#define HEADER_BEGINS "(PDH-" /* perhaps quoted */

enum {
    CHUNK = 64 << 10,
    LOOK = 4096,
    MOST_UTF8 = 4, /* bytes of a character */
    NUM_BEGINS = sizeof HEADER_BEGINS - 1,
    MOST_ROW = 16 << 20,
    WINDOWS_1252 = 1252,
    REPLACEMENT = 0xFFFD,
};

static const char no_csv[] = "a line that is no CSV",
                  long_row[] = "a row of more than 16 MiB";

/* ---- encoding ------------------------------------------------------------ */

/* How many bytes at the beginning are complete characters of UTF-8. */
static size_t utf8_len(const uint8_t *p, size_t n)
{
    size_t len;

    for (size_t i = 0; i < n; i += len)
        if (pl_utf8_decode(p + i, n - i, &len) == REPLACEMENT && len == 1)
            return i;
    return n;
}

/* The encoding by a text's beginning, and the length of its byte order mark. */
static enum pl_pdh_letters letters_of(const uint8_t *p, size_t n, size_t *mark)
{
    *mark = 2;
    if (n >= 2 && p[0] == 0xFF && p[1] == 0xFE)
        return PL_PDH_UTF16_LITTLE;
    if (n >= 2 && p[0] == 0xFE && p[1] == 0xFF)
        return PL_PDH_UTF16_BIG;
    *mark = 0;
    if (n >= 2 && p[0] && !p[1])
        return PL_PDH_UTF16_LITTLE;
    if (n >= 2 && !p[0] && p[1])
        return PL_PDH_UTF16_BIG;
    if (n >= 3 && !memcmp(p, "\xEF\xBB\xBF", 3))
        *mark = 3;
    return PL_PDH_UTF8;
}

static size_t unit_of(enum pl_pdh_letters letters)
{
    return letters == PL_PDH_UTF16_LITTLE || letters == PL_PDH_UTF16_BIG ? 2
                                                                         : 1;
}

/* The next character if it is ASCII; others, and the end, are 0. */
static char letter_at(const uint8_t *p, size_t n, enum pl_pdh_letters letters,
                      size_t i)
{
    size_t at = i * unit_of(letters);
    uint32_t unit;

    if (at + unit_of(letters) > n)
        return 0;
    if (letters == PL_PDH_UTF16_LITTLE)
        unit = pl_get_le16(p + at);
    else if (letters == PL_PDH_UTF16_BIG)
        unit = pl_get_be16(p + at);
    else
        unit = p[at];
    return unit < 0x80 ? (char)unit : 0;
}

static int is_line_end(unsigned char c)
{
    return c == '\n' || c == '\r';
}

/* How many letters of lines' ends and spaces come first, as of typeperf. */
static size_t blank_len(const uint8_t *p, size_t n, enum pl_pdh_letters letters)
{
    size_t i = 0;
    char c;

    while ((c = letter_at(p, n, letters, i)) == '\r' || c == '\n' || c == ' ')
        i++;
    return i;
}

/* The letter behind a quote that may be at 'i'. */
static char behind_quote(const uint8_t *p, size_t n,
                         enum pl_pdh_letters letters, size_t i)
{
    char c = letter_at(p, n, letters, i);

    return c == '"' ? letter_at(p, n, letters, i + 1) : c;
}

/*
 * The header begins with "(PDH-CSV 4.0)", or with a zone only where that was
 * cut off, and continues with a counter path.  What divides its cells is the
 * first comma or tab before a path: zones have commas, too ("Paris, Madrid").
 * 0: it is no header.
 */
static char delimiter_of(const uint8_t *p, size_t n,
                         enum pl_pdh_letters letters)
{
    size_t i = blank_len(p, n, letters);
    char c;

    if (behind_quote(p, n, letters, i) != '(')
        return 0;
    for (; (i + 1) * unit_of(letters) <= n; i++) {
        c = letter_at(p, n, letters, i);
        if (is_line_end((unsigned char)c))
            return 0;
        if ((c == ',' || c == '\t') &&
            behind_quote(p, n, letters, i + 1) == '\\')
            return c;
    }
    return 0;
}

bool pl_pdh_is_one(const uint8_t *p, size_t n)
{
    size_t mark;
    enum pl_pdh_letters letters = letters_of(p, n, &mark);

    return delimiter_of(p + mark, n - mark, letters) != 0;
}

/* ---- opening ------------------------------------------------------------- */

static bool begin_parser(struct pl_pdh_rows *r, unsigned char delimiter)
{
    if (csv_init(&r->parser, CSV_STRICT | CSV_STRICT_FINI))
        return false;
    csv_set_delim(&r->parser, delimiter);
    csv_set_term_func(&r->parser, is_line_end);
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

        s = pl_file_read(r->file, at, bytes, sizeof bytes, &got);
        n = s ? 0 : utf8_len(bytes, got);
        if (!s && got - n >= MOST_UTF8)
            r->letters = PL_PDH_ANSI;
        at += n;
    }
    return s;
}

/* Of text that is not Unicode, or that the user says is of a page. */
static enum pl_status find_page(struct pl_pdh_rows *r, bool marked,
                                uint32_t code_page)
{
    uint32_t given = code_page ? code_page : pl_code_page_given();
    uint8_t bytes[CHUNK];
    size_t got;
    enum pl_status s;

    if (given && r->letters == PL_PDH_UTF8 && !marked)
        r->letters = PL_PDH_ANSI;
    r->code_page = given;
    if (r->letters != PL_PDH_ANSI || given)
        return PL_OK;
    s = pl_file_read(r->file, 0, bytes, sizeof bytes, &got);
    if (!s)
        r->code_page = pl_ansi_page_guess(bytes, got, &r->word);
    if (!r->code_page)
        r->code_page = WINDOWS_1252;
    return s;
}

enum pl_status pl_pdh_open(struct pl_pdh_rows *r, const char *path,
                           uint32_t code_page)
{
    uint8_t look[LOOK];
    size_t got = 0, mark = 0;
    enum pl_status s;

    *r = (struct pl_pdh_rows){ 0 };
    s = pl_file_open(&r->file, path);
    if (s)
        return s;
    s = pl_file_size(r->file, &r->size);
    if (!s)
        s = pl_file_read(r->file, 0, look, sizeof look, &got);
    if (!s) {
        r->letters = letters_of(look, got, &mark);
        r->at = mark;
        if (!begin_parser(r, (unsigned char)delimiter_of(
                                 look + mark, got - mark, r->letters)))
            s = PL_NOMEM;
    }
    if (!s)
        s = check_utf8(r);
    if (!s)
        s = find_page(r, mark > 0, code_page);
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
    if (unit_of(r->letters) == 1)
        return r->raw.len;
    if (!n)
        return 0;
    last = r->letters == PL_PDH_UTF16_BIG ? pl_get_be16(p + n - 2)
                                          : pl_get_le16(p + n - 2);
    return last >= 0xD800 && last < 0xDC00 && !r->ended ? n - 2 : n;
}

/* How many letters from 'i' on are as a header begins, behind a quote. */
static size_t num_as_header(const uint8_t *p, size_t n,
                            enum pl_pdh_letters letters, size_t i)
{
    size_t num = 0;

    while (num < NUM_BEGINS &&
           letter_at(p, n, letters, i + num) == HEADER_BEGINS[num])
        num++;
    return num;
}

/* Whether a header begins at letter 'i', quoted or not. */
static bool begins_header(const uint8_t *p, size_t n,
                          enum pl_pdh_letters letters, size_t i)
{
    i += letter_at(p, n, letters, i) == '"';
    return num_as_header(p, n, letters, i) == NUM_BEGINS;
}

/* Without the letters at the end with which a header, quoted or not, may begin. */
static size_t without_begun_header(const struct pl_pdh_rows *r, size_t n)
{
    size_t unit = unit_of(r->letters), num = n / unit;
    size_t i = num > NUM_BEGINS ? num - NUM_BEGINS - 1 : 0;

    for (; i < num && !r->ended; i++) {
        size_t begun = i + (letter_at(r->raw.p, n, r->letters, i) == '"');

        if (begun + num_as_header(r->raw.p, n, r->letters, begun) == num)
            return i * unit;
    }
    return n;
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

/* NULs are not text, and decoders stop there; they are skipped. */
static void decode(struct pl_pdh_rows *r, const uint8_t *p, size_t n)
{
    size_t unit = unit_of(r->letters);

    for (size_t i = 0; i < n;) {
        size_t from = i;

        while (i + unit <= n && (p[i] || (unit == 2 && p[i + 1])))
            i += unit;
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

/* The next text, after what is parsed.  PL_END: it is there, or all was. */
static enum pl_status refill(struct pl_pdh_rows *r)
{
    uint8_t *room;
    size_t got;
    enum pl_status s;

    r->raw.len -= r->decoded;
    if (r->decoded)
        memmove(r->raw.p, r->raw.p + r->decoded, r->raw.len);
    r->decoded = r->passed = 0;
    room = pl_buf_room(&r->raw, CHUNK);
    if (!room)
        return PL_NOMEM;
    s = pl_file_read(r->file, r->at, room, CHUNK, &got);
    if (s)
        return s;
    r->at += got;
    r->raw.len += got;
    r->ended = got < CHUNK;
    pl_buf_clear(&r->text);
    r->next = 0;
    r->decoded = without_begun_header(r, whole_characters(r));
    decode(r, r->raw.p, r->decoded);
    return r->text.oom ? PL_NOMEM : PL_END;
}

/* ---- rows ---------------------------------------------------------------- */

static void take_cell(void *cell, size_t n, void *ctx)
{
    struct pl_pdh_rows *r = ctx;

    pl_buf_u32(&r->places, (uint32_t)r->cells.len);
    pl_buf_bytes(&r->cells, cell, n);
    pl_buf_u8(&r->cells, 0);
}

static void take_row(int end, void *ctx)
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

/* The length up to a header, or all of it. */
static size_t len_to_header(const uint8_t *p, size_t n)
{
    const uint8_t *at = p;

    while ((at = memchr(at, HEADER_BEGINS[0], n - (size_t)(at - p)))) {
        size_t i = (size_t)(at - p);

        i -= i && p[i - 1] == '"';
        if (begins_header(p, n, PL_PDH_UTF8, i))
            return i;
        at++;
    }
    return n;
}

/*
 * The length up to the end of a line: CR, LF or both; or to a header, if it ends
 * at such; or all of it.
 */
static size_t line_len(const uint8_t *p, size_t n, bool at_header)
{
    const uint8_t *end = memchr(p, '\n', n);
    size_t len = end ? (size_t)(end - p) + 1 : n;
    const uint8_t *cr = memchr(p, '\r', len);

    len = cr && cr + 1 != end ? (size_t)(cr - p) + 1 : len;
    return at_header ? len_to_header(p, len) : len;
}

/* The same of bytes that are not decoded. */
static size_t raw_line_len(const uint8_t *p, size_t n,
                           enum pl_pdh_letters letters, bool at_header)
{
    size_t unit = unit_of(letters);

    if (unit == 1)
        return line_len(p, n, at_header);
    for (size_t i = 0; i < n; i += unit) {
        char c = letter_at(p + i, n - i, letters, 0);

        if (at_header && begins_header(p + i, n - i, letters, 0))
            return i;
        if (c == '\n' ||
            (c == '\r' && letter_at(p + i, n - i, letters, 1) != '\n'))
            return i + unit;
    }
    return n;
}

/* Pass a line of the text, and the bytes that it was decoded from. */
static void pass_line(struct pl_pdh_rows *r, size_t len)
{
    r->next += len;
    if (r->passed < r->decoded)
        r->passed += raw_line_len(r->raw.p + r->passed, r->decoded - r->passed,
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
        .reason = reason,
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
    bool hurt = csv_fini(&r->parser, take_cell, take_row, r) != 0;

    if (hurt)
        return give_up(r, row, no_csv);
    return r->whole ? give(r, row, NULL) : PL_END;
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
           begins_header(r->text.p, r->text.len, PL_PDH_UTF8, r->next);
}

/* A row begins at the next letter.  Blank lines before it are not of it. */
static void begin_row(struct pl_pdh_rows *r)
{
    r->row_at = next_at(r);
    r->row_len = 0;
    r->is_header =
        behind_quote(r->text.p, r->text.len, PL_PDH_UTF8, r->next) == '(';
}

/* Parse the end of a line, or as much of it as there is.  PL_END: it gave no
 * row. */
static enum pl_status parse(struct pl_pdh_rows *r, const uint8_t *p, size_t n,
                            struct pl_pdh_row *row)
{
    if (r->hurt)
        return PL_END;
    r->row_len += n;
    if (r->row_len > MOST_ROW)
        return give_up(r, row, long_row);
    if (csv_parse(&r->parser, p, n, take_cell, take_row, r) < n)
        return csv_error(&r->parser) == CSV_EPARSE ? give_up(r, row, no_csv)
                                                   : PL_NOMEM;
    return r->whole ? give(r, row, NULL) : PL_END;
}

/* The next line, or as much of it as there is.  PL_END: it gave no row. */
static enum pl_status take_line(struct pl_pdh_rows *r, struct pl_pdh_row *row)
{
    const uint8_t *p = r->text.p + r->next;
    size_t n;
    enum pl_status s;

    if (!r->parser.pstate && !r->hurt)
        begin_row(r);
    if (is_at_header(r))
        return finish_at_header(r, row);
    n = line_len(p, r->text.len - r->next, !r->is_header);
    pass_line(r, n);
    s = parse(r, p, n, row);
    r->hurt = r->hurt && !is_line_end(p[n - 1]);
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
    return i < row->num ? row->cells + pl_get_le32(row->places + 4 * i) : "";
}
