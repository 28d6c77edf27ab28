/*                                                        tests/fuzz/fuzz.h
 * What fuzz targets share.  A target is a file fuzz_NAME.c with
 * LLVMFuzzerTestOneInput, which takes any bytes, drives one layer with them
 * and calls fuzz_check on what that layer promises.  libFuzzer finds the
 * bytes (run.sh); replay.c runs those of make_corpus.c under any compiler.
 *
 * Targets that take several things split their input into parts: 3 bytes of
 * length, little-endian, then so many bytes, or what there is.
 */
#ifndef PL_TESTS_FUZZ_H
#define PL_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

/* What is promised; a broken promise is a finding: reported, and abort(). */
#define fuzz_check(promise)                                                    \
    ((promise) ? (void)0 : fuzz_broken(__FILE__, __LINE__, #promise))
_Noreturn void fuzz_broken(const char *file, int line, const char *promise);

/* What is left of an input. */
struct fuzz_input {
    const uint8_t *p;
    size_t left;
};

/* The next byte, 0 behind the end. */
uint8_t fuzz_byte(struct fuzz_input *in);

/*
 * The next part, as a heap copy of exactly *n bytes, which lets
 * AddressSanitizer see the first byte too far; free it.  NULL at the end.
 */
uint8_t *fuzz_part(struct fuzz_input *in, size_t *n);

/* The rest, likewise; never NULL. */
uint8_t *fuzz_rest(struct fuzz_input *in, size_t *n);

/* Read every byte, so that the sanitizer sees those that may not be read. */
void fuzz_touch(const void *p, size_t n);

/* A file of this process that holds these bytes; the same one each time. */
const char *fuzz_file(const void *p, size_t n);

/*
 * Set the hashes of all that looks like a record's header in a log to what
 * record.c compiled with PL_UNHASHED takes for right.
 */
void fuzz_set_hashes(uint8_t *p, size_t n);

enum { FUZZ_PART_LEN = 3, FUZZ_MAX_PART = (1 << 24) - 1 };

/*
 * What mutate_parts.c has to know of a target made of parts: so many bytes
 * come before them, and from this one on they are winperf blocks.
 */
struct fuzz_shape {
    size_t head;
    size_t first_block;
    bool has_tokens; /* the first part is a token stream of delta.h */
};
extern const struct fuzz_shape fuzz_shape;

#endif
