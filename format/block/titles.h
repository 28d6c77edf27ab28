/*                                                    format/block/titles.h
 * The title database of a log: names and help texts by title index, and facts
 * about an object that a PERF_DATA_BLOCK has no field for (which counters
 * identify an instance, which flag means "not readable", how _Total is
 * calculated).  It is the payload of TITL records: FORMAT.md, section 6.
 */
#ifndef PL_FORMAT_BLOCK_TITLES_H
#define PL_FORMAT_BLOCK_TITLES_H

#include "format/base/buf.h"
#include "format/base/status.h"
#include "format/base/text.h"

#include <stdint.h>

enum pl_title_kind {
    PL_TITLE_NAME = 0,
    PL_TITLE_HELP = 1,
    PL_TITLE_FACTS = 2,    /* of the object with that index */
    PL_TITLE_BIRTH = 3,    /* likewise: which counters begin at 0 */
    PL_TITLE_LEFT_OUT = 4, /* likewise: instances left out of _Total */
};

enum { PL_LANGUAGE_ENGLISH = 9, PL_MAX_IDENTITY = 4, PL_NO_FLAG = 255 };
enum { PL_MAX_TITLES = 1 << 18 }; /* in one payload; Windows has 20,000 */

/* How a reader calculates _Total of a counter from its instances. */
enum pl_total_rule {
    PL_TOTAL_NONE = 0,
    PL_TOTAL_SUM = 1,
    PL_TOTAL_MEAN = 2,
};

struct pl_counter_facts {
    uint32_t index;     /* title index of the counter */
    uint8_t flag_bit;   /* of the flags counter; PL_NO_FLAG: always readable */
    uint8_t total_rule; /* enum pl_total_rule */
};

struct pl_object_facts {
    uint32_t identity[PL_MAX_IDENTITY];      /* title indexes of counters */
    uint8_t num_identity;                    /* 0: the name alone */
    uint32_t flags_counter;                  /* title index; 0: none */
    const struct pl_counter_facts *counters; /* for writing; when read, NULL: */
    const uint8_t *stored;                   /* see pl_counter_facts_of */
    size_t num_counters;
};

/*
 * Instances of the object begin with some counters at 0, and the time of their
 * birth is part of their identity.  An instance that a sample has and the
 * previous one lacks was born between the two if its birth, plus the slack, is
 * not before the object's PerfTime in the older sample; such a counter then
 * holds what was counted since, and its older value is taken as 0.
 */
struct pl_birth_facts {
    uint32_t counter; /* title index of the birth time, PERF_ELAPSED_TIME */
    uint32_t slack;   /* ticks of the object's clock (PerfFreq), see above */
    const uint32_t *zeros; /* title indexes; for writing; when read, NULL: */
    const uint8_t *stored; /* see pl_starts_at_zero */
    size_t num_zeros;
};

struct pl_titles;

/* PL_OK or PL_NOMEM. */
enum pl_status pl_titles_new(struct pl_titles **out);
void pl_titles_free(struct pl_titles *t); /* NULL is fine */

/*
 * Set the text of (index, kind, language), replacing an earlier one.  The
 * text is copied.  PL_OK or PL_NOMEM.
 */
enum pl_status pl_titles_set(struct pl_titles *t, uint32_t index,
                             enum pl_title_kind kind, uint16_t language,
                             struct pl_text text);

/* Set the facts of the object with title 'index'; copied. */
enum pl_status pl_titles_set_facts(struct pl_titles *t, uint32_t index,
                                   const struct pl_object_facts *facts);

/* Set which counters of its instances begin at 0; copied. */
enum pl_status pl_titles_set_birth(struct pl_titles *t, uint32_t index,
                                   const struct pl_birth_facts *birth);

/*
 * Set which bit of the object's flags counter marks an instance that the
 * calculated _Total leaves out, because another instance counts the same
 * events, too.
 */
enum pl_status pl_titles_set_left_out(struct pl_titles *t, uint32_t index,
                                      uint8_t bit);

struct pl_title_range {
    uint32_t first, past; /* indexes from the first to before 'past' */
};

/* Remove the entries of all indexes in 'n' ranges. */
void pl_titles_remove(struct pl_titles *t, const struct pl_title_range *ranges,
                      size_t n);

/*
 * Replace all titles by a TITL payload.  Unknown kinds and malformed facts
 * are skipped.  PL_CORRUPT if entries are not in ascending order, more than
 * PL_MAX_TITLES, or do not exactly fill the payload (the entries before the
 * error are kept), PL_NOMEM.
 */
enum pl_status pl_titles_parse(struct pl_titles *t, const uint8_t *p, size_t n);

/* The same without a copy: 'payload' is swapped with an empty buffer. */
enum pl_status pl_titles_take(struct pl_titles *t, struct pl_buf *payload);

/* Append the payload: sorted by index, kind, language. */
void pl_titles_write(const struct pl_titles *t, struct pl_buf *out);

/* The same, only for the 'n' indexes, which are sorted. */
void pl_titles_write_some(const struct pl_titles *t, const uint32_t *indexes,
                          size_t n, struct pl_buf *out);

/*
 * The name or help text of 'index' in English, else in any other language;
 * empty if there is none.  Valid until the next change of 't'.
 */
struct pl_text pl_titles_name(const struct pl_titles *t, uint32_t index);
struct pl_text pl_titles_help(const struct pl_titles *t, uint32_t index);

/*
 * The facts of object 'index' if it has no entry.  Never NULL: Process is
 * identified by ID Process and Elapsed Time, Thread by ID Thread and Elapsed
 * Time, everything else by its name, and no total is calculated.
 */
const struct pl_object_facts *pl_default_facts(uint32_t index);

/*
 * The facts of object 'index': its entry's, or else the defaults above.  Valid
 * until the next change of 't'.
 */
struct pl_object_facts pl_titles_facts(const struct pl_titles *t,
                                       uint32_t index);

/* The facts of one counter, from facts that were read; without an entry it has
 * no flag and no total. */
struct pl_counter_facts pl_counter_facts_of(const struct pl_object_facts *f,
                                            uint32_t counter_index);

/*
 * The birth facts of the instances of object 'index'; false: there are none,
 * and no older value is taken as 0.  Valid until the next change of 't'.
 */
bool pl_titles_birth(const struct pl_titles *t, uint32_t index,
                     struct pl_birth_facts *out);

/* The bit set by pl_titles_set_left_out for object 'index'; PL_NO_FLAG: all of
 * its instances count. */
uint8_t pl_titles_left_out(const struct pl_titles *t, uint32_t index);

/* True if a counter is 0 at its instance's birth, by facts that were read. */
bool pl_starts_at_zero(const struct pl_birth_facts *b, uint32_t counter_index);

#endif
