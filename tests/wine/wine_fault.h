/*
 * Wine 8 hands out a place 88 bytes behind where a provider's objects belong:
 * what undoes that, for tests only.
 */
#ifndef PL_TESTS_WINE_FAULT_H
#define PL_TESTS_WINE_FAULT_H

#include <windows.h>

#include <stdbool.h>
#include <string.h>
#include <winperf.h>

enum { WINE_FAULT = 88, LEAST_HEADER = 96, MOST_HEADER = 152 };

/* True if the objects belong WINE_FAULT bytes before 'start'. */
static inline bool is_misplaced(const BYTE *start)
{
    for (DWORD len = LEAST_HEADER; len <= MOST_HEADER; len += 8) {
        PERF_DATA_BLOCK header;

        memcpy(&header, start - WINE_FAULT - len, sizeof header);
        if (!memcmp(header.Signature, L"PERF", sizeof header.Signature) &&
            header.HeaderLength == len && header.TotalByteLength == len)
            return true;
    }
    return false;
}

#endif
