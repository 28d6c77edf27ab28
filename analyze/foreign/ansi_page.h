/*                                              analyze/foreign/ansi_page.h
 * The Windows code page of a sheet that does not say it, found from the names of
 * objects and counters in the languages of Windows.
 */
#ifndef PL_ANALYZE_FOREIGN_ANSI_PAGE_H
#define PL_ANALYZE_FOREIGN_ANSI_PAGE_H

#include <stddef.h>
#include <stdint.h>

/*
 * The page in which a text has a word that Windows uses in a language of that
 * page; *word is that word, in UTF-8 and static.  0: there is no such word, or
 * they are of several pages, or memory ran out.
 */
uint32_t pl_ansi_page_guess(const uint8_t *p, size_t n, const char **word);

#endif
