/*                                                        format/base/utf.h
 * Conversion of names between the kernel's bytes (nearly always UTF-8), the
 * block's UTF-16 and the output's UTF-8.  Invalid sequences become U+FFFD;
 * names are not changed otherwise.  Text is made safe for a terminal where it
 * is printed (pl_utf8_visible).
 */
#ifndef PL_FORMAT_BASE_UTF_H
#define PL_FORMAT_BASE_UTF_H

#include "format/base/buf.h"
#include "format/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PL_REPLACEMENT = 0xFFFD }; /* what stands for what is no character */

/*
 * Append 'n' bytes of UTF-8 as UTF-16LE without terminator.  Each byte that
 * is not part of a valid sequence becomes one U+FFFD.
 */
void pl_utf8_to_utf16(struct pl_buf *out, const void *utf8, size_t n);

/* The same into 'out', which has room for 2 * n bytes; returns their number. */
size_t pl_utf16_put(uint8_t *out, const void *utf8, size_t n);

/*
 * Append UTF-16 (n bytes, an odd last byte is ignored) as UTF-8.  Lone
 * surrogates become U+FFFD.  Stops at a NUL unit: names are stored with and
 * without terminator.
 */
void pl_utf16_to_utf8(struct pl_buf *out, const uint8_t *utf16, size_t n,
                      bool big_endian);

/*
 * Decode one code point from 'n' > 0 bytes.  *len receives the bytes used
 * (at least 1); returns U+FFFD for invalid UTF-8.
 */
uint32_t pl_utf8_decode(const uint8_t *p, size_t n, size_t *len);

bool pl_utf8_is_valid(struct pl_text text);

/*
 * The text itself if it is valid, else in 'room', each byte that is not part of
 * a valid sequence as U+FFFD.
 */
struct pl_text pl_utf8_valid(struct pl_buf *room, struct pl_text text);

/* Append one code point as UTF-8. */
void pl_utf8_put(struct pl_buf *out, uint32_t code);

/*
 * Append 'n' bytes of UTF-8 so that a terminal shows them without acting on
 * them: C0, DEL, C1, bidirectional and line-separator controls and invalid
 * bytes are written as \xHH or \u{H}.
 */
void pl_utf8_visible(struct pl_buf *out, const void *utf8, size_t n);

/* True for controls, direction marks and line separators, which are escaped. */
bool pl_is_control(uint32_t code);

/*
 * The columns that a terminal shows 'n' bytes of UTF-8 in: two for a character
 * of East Asia and for an emoji, none for a mark on the character before.
 */
size_t pl_utf8_columns(const void *utf8, size_t n);

/* Cut what was appended from 'from' on, UTF-8, to 'most' columns. */
void pl_utf8_cut(struct pl_buf *out, size_t from, size_t most);

/* Append 'text' as visible, in at most 'most' columns, which are 3 or more: of
 * a longer one the beginning and "...". */
void pl_utf8_visible_part(struct pl_buf *out, struct pl_text text, size_t most);

/* The columns of one code point: 0, 1 or 2. */
size_t pl_code_columns(uint32_t code);

/* Folds case, for comparison: ASCII, Latin, Greek and Cyrillic. */
uint32_t pl_fold(uint32_t code);

#endif
