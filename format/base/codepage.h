/*                                                   format/base/codepage.h
 * Names that are not Unicode: PERF_OBJECT_TYPE.CodePage says which of Windows'
 * code pages the bytes of instance names and ASCII texts belong to.
 * codepage_posix.c asks iconv; another system brings its own file.
 */
#ifndef PL_FORMAT_BASE_CODEPAGE_H
#define PL_FORMAT_BASE_CODEPAGE_H

#include "format/base/buf.h"

#include <stddef.h>
#include <stdint.h>

enum { PL_OPEN_CODE_PAGES = 4, PL_CODE_PAGE_UTF8 = 65001 };

/* The converters used last.  All zero is a fresh start; one thread each. */
struct pl_codepages {
    struct {
        uint32_t code_page; /* 0: the slot is free */
        void *converter;    /* NULL: this system has none for it */
    } open[PL_OPEN_CODE_PAGES];
    size_t next; /* slot to be taken next */
};

void pl_codepages_release(struct pl_codepages *c);

/*
 * Append 'n' bytes of 'code_page' as UTF-8, up to a NUL.  What is no
 * character there becomes U+FFFD; of a code page nobody knows (0 too) ASCII
 * is kept.  Never fails but for memory (out->oom); allocates nothing but in
 * 'out' as long as the last PL_OPEN_CODE_PAGES pages suffice.
 */
void pl_codepage_to_utf8(struct pl_codepages *c, struct pl_buf *out,
                         uint32_t code_page, const void *bytes, size_t n);

#endif
