/*                                               analyze/output/text_part.h
 * The beginning of a text that is too long to be shown.
 */
#ifndef PL_ANALYZE_OUTPUT_TEXT_PART_H
#define PL_ANALYZE_OUTPUT_TEXT_PART_H

#include "format/base/text.h"

/* At most so many bytes of UTF-8, of complete characters. */
static inline struct pl_text pl_text_part(struct pl_text t, size_t most)
{
    if (t.n <= most)
        return t;
    while (most && ((unsigned char)t.p[most] & 0xc0) == 0x80)
        most--;
    t.n = most;
    return t;
}

#endif
