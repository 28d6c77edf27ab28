/*                                         analyze/calc/counter_type_text.h
 * Spells out a counter's definition: the fields of its type word and its detail
 * level, in winperf.h's names.
 */
#ifndef PL_ANALYZE_CALC_COUNTER_TYPE_TEXT_H
#define PL_ANALYZE_CALC_COUNTER_TYPE_TEXT_H

#include "format/base/buf.h"

#include <stdint.h>

/*
 * Append the bit fields of a type word: "size LARGE, type COUNTER, subtype
 * RATE, timer 100NS, DELTA_COUNTER, display PERCENT".  'size' is CounterSize: a
 * number of 1992 is described as the word that replaced it.
 */
void pl_type_describe(struct pl_buf *out, uint32_t type, uint32_t size);

/* "novice", "advanced", "expert", "wizard"; NULL: no such level. */
const char *pl_detail_name(uint32_t level);

#endif
