/*                                             analyze/foreign/etl_header.h
 * The first event of a trace log: documented as TRACE_LOGFILE_HEADER, with the
 * time zone of the machine that wrote it.
 */
#ifndef PL_ANALYZE_FOREIGN_ETL_HEADER_H
#define PL_ANALYZE_FOREIGN_ETL_HEADER_H

#include "analyze/foreign/etl_events.h"

/*
 * Fill in 'h', of which buffer_size is known.  What does not fit into the
 * event stays 0.  PL_IO.
 */
enum pl_status pl_etl_read_header(struct pl_file *f, struct pl_etl_header *h);

/*
 * Minutes to add to this local FILETIME to have UTC, by the zone's rule.
 * *daylight: it is the zone's summer.
 */
int32_t pl_etl_zone_bias(const struct pl_etl_zone *z, int64_t local,
                         bool *daylight);

/*
 * What Windows calls the zone while UTC is local time + 'bias' minutes.
 * Windows stores names as numbers of texts in tzres.dll from Vista on; those
 * that are known here become what an English Windows has there, others stay
 * as they are stored.
 */
const char *pl_etl_zone_name(const struct pl_etl_zone *z, int32_t bias);

#endif
