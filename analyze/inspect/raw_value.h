/*                                              analyze/inspect/raw_value.h
 * A counter's stored bytes as text, for dump: its number, its text, or why it
 * has neither.  Nothing is calculated.
 */
#ifndef PL_ANALYZE_INSPECT_RAW_VALUE_H
#define PL_ANALYZE_INSPECT_RAW_VALUE_H

#include "format/base/buf.h"
#include "format/base/codepage.h"
#include "format/base/text.h"
#include "format/block/winperf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * All zero but 'budget' is a valid initial state.  Counters that are not
 * numbers may overlap, and a small block could expand to gigabytes of text; so
 * at most 'budget' of their bytes are shown, the length of the block.
 */
struct pl_raw_reader {
    size_t budget;
    struct pl_codepages pages;
    struct pl_buf text;
};

void pl_raw_reader_release(struct pl_raw_reader *r);

/* Exactly one of number, text and status is set. */
struct pl_raw_value {
    bool is_number;
    uint64_t number;
    char hex[24];        /* of the number, "0x" and all its digits */
    struct pl_text text; /* valid until the next read */
    bool is_bytes;       /* 'text' is bytes in hexadecimal, for other sizes */
    const char *status;  /* why there is nothing to show */
};

/* Read counter 'c' of one instance; r->text.oom is set when out of memory. */
void pl_raw_value_read(struct pl_raw_value *v, struct pl_raw_reader *r,
                       const struct pl_object *o, const struct pl_instance *i,
                       const struct pl_counter_def *c);

#endif
