/*                                                   format/base/codepage.h
 * Conversion of names that are not Unicode: PERF_OBJECT_TYPE.CodePage is the
 * Windows code page of instance names and ASCII texts.  codepage_posix.c
 * converts by iconv, codepage_windows.c by MultiByteToWideChar.  Text that does
 * not say its code page, as sheets do not, is of the one that the user gives.
 */
#ifndef PL_FORMAT_BASE_CODEPAGE_H
#define PL_FORMAT_BASE_CODEPAGE_H

#include "format/base/buf.h"

#include <stddef.h>
#include <stdint.h>

enum { PL_OPEN_CODE_PAGES = 4, PL_CODE_PAGE_UTF8 = 65001 };

/* The converters used last.  All zero: none yet.  Used by one thread. */
struct pl_codepages {
    struct {
        uint32_t code_page; /* 0: the slot is free */
        void *converter;    /* NULL: this system has none for it */
    } open[PL_OPEN_CODE_PAGES];
    size_t next; /* slot to be replaced next */
};

void pl_codepages_release(struct pl_codepages *c);

/*
 * Append 'n' bytes of 'code_page' as UTF-8, up to a NUL.  Bytes that are no
 * character of the code page become U+FFFD; of an unknown code page (or 0)
 * only ASCII is kept.  Fails only for lack of memory (out->oom).  Allocates
 * only in 'out' as long as no more than PL_OPEN_CODE_PAGES pages are in use.
 */
void pl_codepage_to_utf8(struct pl_codepages *c, struct pl_buf *out,
                         uint32_t code_page, const void *bytes, size_t n);

/* ---- names of code pages ------------------------------------------------- */

enum { PL_CODE_PAGE_TEXT = 24 };

/*
 * The number of "1251", "cp1251", "windows-1251", "Shift_JIS", "KOI8-R" and so
 * on, in letters of either case; 0: there is none of that name.
 */
uint32_t pl_code_page_of(const char *name);

/* As iconv calls it; NULL: not a page that is converted.  Static. */
const char *pl_code_page_name(uint32_t code_page);

/* As people call it: "Windows-1251", "KOI8-R".  Returns the length. */
size_t pl_code_page_text(uint32_t code_page, char out[PL_CODE_PAGE_TEXT]);

/* The page that the user has given for text that does not say its own; 0: none.
 * Set once, before files are read. */
void pl_code_page_set(uint32_t code_page);
uint32_t pl_code_page_given(void);

#endif
