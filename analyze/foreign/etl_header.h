/*                                             analyze/foreign/etl_header.h
 * The first event of a trace log: documented as TRACE_LOGFILE_HEADER, with the
 * time zone of the machine that wrote it.
 */
#ifndef PL_ANALYZE_FOREIGN_ETL_HEADER_H
#define PL_ANALYZE_FOREIGN_ETL_HEADER_H

#include "analyze/foreign/etl_events.h"

/*
 * Fill in 'h', of which buffer_size is known.  Fields beyond the event's end
 * stay 0.  PL_IO.
 */
enum pl_status pl_etl_read_header(struct pl_file *f, uint64_t size,
                                  struct pl_etl_header *h);

/*
 * Minutes to add to this local FILETIME to get UTC, by the zone's rule.
 * *daylight: daylight saving time is in force.
 */
int32_t pl_etl_zone_bias(const struct pl_etl_zone *z, int64_t local,
                         bool *daylight);

/*
 * Windows' name of the zone while UTC is local time + 'bias' minutes.  From
 * Vista on Windows stores names as numbers of texts in tzres.dll; known numbers
 * become the text of an English Windows, others stay as stored.
 */
const char *pl_etl_zone_name(const struct pl_etl_zone *z, int32_t bias);

#endif
