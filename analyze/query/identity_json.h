/*                                            analyze/query/identity_json.h
 * What identifies a process, for JSON of several commands.
 */
#ifndef PL_ANALYZE_QUERY_IDENTITY_JSON_H
#define PL_ANALYZE_QUERY_IDENTITY_JSON_H

#include "analyze/output/json.h"
#include "analyze/series/series_registry.h"

/*
 * Put a member "identity": an object of texts, null for each that is not known;
 * nothing for instances that have none.
 */
void pl_identity_json(struct pl_json *j, const struct pl_group *g);

#endif
