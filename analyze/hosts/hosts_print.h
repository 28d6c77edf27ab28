/*                                               analyze/hosts/hosts_print.h
 * The table of hosts as text, CSV and JSON.
 */
#ifndef PL_ANALYZE_HOSTS_HOSTS_PRINT_H
#define PL_ANALYZE_HOSTS_HOSTS_PRINT_H

#include "analyze/hosts/hosts.h"
#include "analyze/output/csv.h"
#include "analyze/output/json.h"
#include "analyze/output/output_file.h"
#include "format/base/buf.h"

/*
 * The first 'most' hosts; of those that are unusual all reasons.  Where there
 * are more, those that are not unlike the others at all are left out.
 */
void pl_hosts_put_text(struct pl_buf *out, const struct pl_hosts *h,
                       size_t most);

/* A line for each reason of the first 'most' hosts.  PL_IO, PL_NOMEM. */
enum pl_status pl_hosts_print_csv(struct pl_csv *csv, const struct pl_hosts *h,
                                  size_t most);

/* The same as an array of a document; 'print' makes it all of a file. */
void pl_hosts_put_json(struct pl_json *j, const struct pl_hosts *h,
                       size_t most);
enum pl_status pl_hosts_print_json(struct pl_output_file *out,
                                   const struct pl_hosts *h, size_t most);

#endif
