/*                                              tests/support/read_number.h
 * Numbers read as the standard says.  The C library of mingw rounds twice.
 */
#ifndef PL_TESTS_SUPPORT_READ_NUMBER_H
#define PL_TESTS_SUPPORT_READ_NUMBER_H

#ifdef __cplusplus
extern "C" {
#endif

/* The double nearest to 'text'; *end (may be NULL) is set to what follows. */
double read_number(const char *text, const char **end);

#ifdef __cplusplus
}
#endif

#endif
