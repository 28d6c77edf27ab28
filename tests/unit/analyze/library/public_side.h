/*                                  tests/unit/analyze/library/public_side.h
 * What libperflog's own headers say, for a test that sees the inner ones.
 */
#ifndef PL_TESTS_UNIT_ANALYZE_LIBRARY_PUBLIC_SIDE_H
#define PL_TESTS_UNIT_ANALYZE_LIBRARY_PUBLIC_SIDE_H

struct public_number {
    const char *expression; /* NULL: the end */
    long value;
};

extern const struct public_number public_numbers[];

#endif
