/*                                                   tests/support/seeker.h
 * Compares what a seek gives with what reading from the beginning gives.
 */
#ifndef PL_TESTS_SUPPORT_SEEKER_H
#define PL_TESTS_SUPPORT_SEEKER_H

#include "tests/support/hurt.h"

/* Samples as they came: their numbers in the truth, and which had titles and a
 * session that was reported. */
struct order {
    size_t *numbers;
    bool *titled;
    size_t num;
};

struct seeker {
    const struct log *log;
    const char *path;
    struct order all, some;
    size_t num_shorter; /* seeks that saved reading */
};

/* Read all of 'path', whose truth is 'l'; seek_stop frees what that took. */
void seek_start(struct seeker *s, const struct log *l, const char *path);
void seek_stop(struct seeker *s);

/* Fails the test unless both ways give the same from the last sample before
 * 'utc' on. */
void check_seek(struct seeker *s, int64_t utc);

/* The same before, at, between and behind every 'step'th sample. */
void check_all(struct seeker *s, size_t step);

/* Flip 'bits' bits of every 'step'th byte of indx and ends, one at a time. */
void seek_past_damage(const struct log *l, size_t step, unsigned bits,
                      struct toll *t);

#endif
