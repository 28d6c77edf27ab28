/*                                              analyze/inspect/raw_value.h
 * A counter as it is stored, for people: its number, its text, or why it has
 * neither.  Nothing is calculated.
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
 * All zero but 'budget' is a fresh start.  Counters that are no numbers may
 * overlap, and a small block could ask for gigabytes of text; so no more of
 * their bytes are shown than 'budget', the length of the block.
 */
struct pl_raw_reader {
    size_t budget;
    struct pl_codepages pages;
    struct pl_buf text;
};

void pl_raw_reader_release(struct pl_raw_reader *r);

/* Exactly one of number, text and status is there. */
struct pl_raw_value {
    bool is_number;
    uint64_t number;
    char hex[24];        /* of the number, "0x" and all its digits */
    struct pl_text text; /* valid until the next read */
    bool is_bytes;       /* 'text' is bytes in hexadecimal, for odd sizes */
    const char *status;  /* why there is nothing to show */
};

/* Read counter 'c' of one instance; out of memory shows in r->text.oom. */
void pl_raw_value_read(struct pl_raw_value *v, struct pl_raw_reader *r,
                       const struct pl_object *o, const struct pl_instance *i,
                       const struct pl_counter_def *c);

#endif
