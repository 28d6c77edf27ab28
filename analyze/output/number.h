/*                                                  analyze/output/number.h
 * Numbers as text: the shortest decimal that reads back as the same double, in
 * plain notation for 1e-7 <= |v| < 1e21, else as d.ddde+XX.  Never uses the
 * locale.  Implemented in the only C++ file of the project, because C has no
 * shortest conversion and std::to_chars is one.
 */
#ifndef PL_ANALYZE_OUTPUT_NUMBER_H
#define PL_ANALYZE_OUTPUT_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PL_NUMBER_TEXT = 40 };

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Write 'v' without terminator and return the length.  -0 is 0; infinities and
 * NaN, which no formula gives, are written as nothing (length 0).
 */
size_t pl_number_put(double v, char out[PL_NUMBER_TEXT]);

/* The same with at most 'digits' significant digits, 1 to 17. */
size_t pl_number_put_rounded(double v, unsigned digits,
                             char out[PL_NUMBER_TEXT]);

/*
 * What C's "%.17g" gives in the C locale; infinities and NaN as above, but -0
 * is -0.
 */
size_t pl_number_put_17g(double v, char out[PL_NUMBER_TEXT]);

/* An unsigned integer, exactly. */
size_t pl_integer_put(uint64_t v, char out[PL_NUMBER_TEXT]);

/* "0x" and exactly 'digits' (8 or 16) lower-case digits. */
size_t pl_hex_put(uint64_t v, unsigned digits, char out[PL_NUMBER_TEXT]);

/*
 * Read 'n' characters as one decimal number, optionally with a sign, a point
 * and an exponent: the double nearest to it.  False: they are not a number, or
 * it is out of the range of a double.
 */
bool pl_number_read(const char *p, size_t n, double *v);

#ifdef __cplusplus
}
#endif

#endif
