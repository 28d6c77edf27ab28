/*                                              analyze/foreign/pdh_cells.h
 * Parses the cells of a PDH-CSV sheet: its zone, paths of counters, times and
 * numbers.
 */
#ifndef PL_ANALYZE_FOREIGN_PDH_CELLS_H
#define PL_ANALYZE_FOREIGN_PDH_CELLS_H

#include "format/base/text.h"

#include <stdbool.h>
#include <stdint.h>

/* "(PDH-CSV 4.0) (GMT Standard Time)(-60)", or without the zone. */
struct pl_pdh_zone {
    bool known;
    struct pl_text name;
    int32_t bias; /* minutes to add to local time to get UTC */
};

struct pl_pdh_zone pl_pdh_zone_of(const char *cell);

/* "\\HOST\Object(Instance)\Counter"; the instance ends at the last ")\". */
struct pl_pdh_path {
    struct pl_text host, object, instance, counter;
    bool has_instance;
};

/* False: it is not a path. */
bool pl_pdh_path_of(struct pl_pdh_path *p, const char *cell);

/* "MM/DD/YYYY HH:MM:SS.mmm", optionally without ".mmm"; as if it were UTC. */
bool pl_pdh_time_of(const char *cell, int64_t *local_ns);

/* A finite number, with a decimal point or comma. */
bool pl_pdh_number_of(const char *cell, double *number);

#endif
