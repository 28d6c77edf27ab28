/*                                                  format/time/time_text.h
 * Points and lengths of time.  Inside the program an instant is a signed
 * number of nanoseconds since 1970-01-01 00:00 UTC (1677 to 2262), a length
 * is unsigned nanoseconds.  Zones other than UTC: zone.h.
 */
#ifndef PL_FORMAT_BASE_TIME_TEXT_H
#define PL_FORMAT_BASE_TIME_TEXT_H

#include "format/base/status.h"

#include <stdint.h>

#define PL_NS_PER_SEC INT64_C(1000000000)
#define PL_NS_PER_DAY (86400 * PL_NS_PER_SEC)
#define PL_NS_PER_MS INT64_C(1000000)
/* 100 ns units from 1601-01-01 (FILETIME) to 1970-01-01. */
#define PL_FILETIME_OF_1970 INT64_C(116444736000000000)

/* A calendar date and time of day, without zone. */
struct pl_civil {
    int year, month, day; /* month and day from 1 */
    int hour, minute, second;
    int32_t ns;
};

struct pl_civil pl_civil_of(int64_t ns);

/* The inverse; fields may be out of range and carry over. */
int64_t pl_civil_to_ns(const struct pl_civil *c);

/* SYSTEMTIME fields: year, month, day of week, day, hour, minute, s, ms. */
void pl_instant_to_systemtime(int64_t utc_ns, uint16_t out[8]);

/*
 * A length such as "250ms", "1s", "5m", "2h", "1d" or "1.5s", or in several
 * units, the larger first: "1h30m"; a bare number is seconds.  PL_USAGE if it is
 * anything else, negative or over 285 years; *ns is undefined then.
 */
enum pl_status pl_parse_duration(const char *text, uint64_t *ns);

/*
 * A size such as "64M", "1G" or "4096"; K, M, G, T are powers of 1024, a
 * trailing "iB" or "B" is allowed.  PL_USAGE if it is anything else.
 */
enum pl_status pl_parse_size(const char *text, uint64_t *bytes);

/* An integer without sign.  PL_USAGE if it is anything else. */
enum pl_status pl_parse_count(const char *text, uint64_t *n);

enum { PL_INSTANT_TEXT = 96, PL_DURATION_TEXT = 32, PL_SIZE_TEXT = 32 };

/* "2026-11-21 07:35:02.250" in UTC.  Returns 'out'. */
const char *pl_instant_text(int64_t utc_ns, char out[PL_INSTANT_TEXT]);

/* "250ms", "1s", "1m30s", "2d4h": the two largest units.  Returns 'out'. */
const char *pl_duration_text(uint64_t ns, char out[PL_DURATION_TEXT]);

/* "812 B", "1.5 MB" (powers of 1000).  Returns 'out'. */
const char *pl_size_text(uint64_t bytes, char out[PL_SIZE_TEXT]);

#endif
