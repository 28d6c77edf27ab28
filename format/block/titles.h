/*                                                    format/block/titles.h
 * The title database of a log: names and help texts by index, and the facts
 * about an object that a winperf block has no room for (which counters are an
 * instance's identity, which flag says "not readable", how _Total is made).
 * It is the payload of TITL records (FORMAT.md) and the answer to every
 * "what is number 238 called?".
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
    PL_TITLE_LEFT_OUT = 4, /* likewise: which instances no total is of */
};

enum { PL_LANGUAGE_ENGLISH = 9, PL_MAX_IDENTITY = 4, PL_NO_FLAG = 255 };
enum { PL_MAX_TITLES = 1 << 18 }; /* in one payload; Windows has 20,000 */

/* How _Total of a counter is derived from its instances when read. */
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
    const struct pl_counter_facts *counters; /* to be set; when read: NULL, */
    const uint8_t *stored;                   /* see pl_counter_facts_of */
    size_t num_counters;
};

/*
 * Instances of the object that begin with some counters at 0, and have the
 * time of that in their identity.  An instance that a sample has and the one
 * before lacks is born between the two if its birth, plus the slack, is not
 * before the older sample's PerfTime of the object; what such a counter holds
 * then is what it counted since, and may be paired with 0.
 */
struct pl_birth_facts {
    uint32_t counter; /* title index of that with the time: ELAPSED_TIME */
    uint32_t slack;   /* ticks of the object's clock (PerfFreq), see above */
    const uint32_t *zeros; /* title indexes; to be set; when read: NULL, */
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

/* Likewise which counters of its instances begin at 0. */
enum pl_status pl_titles_set_birth(struct pl_titles *t, uint32_t index,
                                   const struct pl_birth_facts *birth);

/*
 * Likewise which bit of its flags counter says of an instance that the derived
 * _Total leaves it out, as what it counts is counted in another one, too.
 */
enum pl_status pl_titles_set_left_out(struct pl_titles *t, uint32_t index,
                                      uint8_t bit);

/*
 * Replace everything by a TITL payload.  Unknown kinds and malformed facts
 * are passed over.  PL_CORRUPT if entries are not in ascending order, more
 * than PL_MAX_TITLES, or do not add up to the payload (what came before is
 * kept), PL_NOMEM.
 */
enum pl_status pl_titles_parse(struct pl_titles *t, const uint8_t *p, size_t n);

/* The same without a copy: 'payload' is exchanged for an empty buffer. */
enum pl_status pl_titles_take(struct pl_titles *t, struct pl_buf *payload);

/* Append the payload: sorted by index, kind, language. */
void pl_titles_write(const struct pl_titles *t, struct pl_buf *out);

/* The same with the 'n' indexes only, which are sorted. */
void pl_titles_write_some(const struct pl_titles *t, const uint32_t *indexes,
                          size_t n, struct pl_buf *out);

/*
 * The name or help text of 'index' in English, else in any language; empty if
 * there is none.  Valid until the next change of 't'.
 */
struct pl_text pl_titles_name(const struct pl_titles *t, uint32_t index);
struct pl_text pl_titles_help(const struct pl_titles *t, uint32_t index);

/*
 * What holds for object 'index' where no entry says more.  Never NULL:
 * Process is identified by ID Process and Elapsed Time, Thread by ID Thread
 * and Elapsed Time, everything else by its name, and no total is derived.
 */
const struct pl_object_facts *pl_default_facts(uint32_t index);

/*
 * The facts of object 'index', as its entry or the above has them.  Valid
 * until the next change of 't'.
 */
struct pl_object_facts pl_titles_facts(const struct pl_titles *t,
                                       uint32_t index);

/* What facts that were read say of one counter: no flag and no total if
 * nothing. */
struct pl_counter_facts pl_counter_facts_of(const struct pl_object_facts *f,
                                            uint32_t counter_index);

/*
 * What is known of the birth of object 'index's instances; false: nothing,
 * they are not to be paired with 0.  Valid until the next change of 't'.
 */
bool pl_titles_birth(const struct pl_titles *t, uint32_t index,
                     struct pl_birth_facts *out);

/* That bit for object 'index'; PL_NO_FLAG: all of its instances count. */
uint8_t pl_titles_left_out(const struct pl_titles *t, uint32_t index);

/* Whether a counter is 0 when its instance is born, by what was read. */
bool pl_starts_at_zero(const struct pl_birth_facts *b, uint32_t counter_index);

#endif
