/*                                            analyze/input/log_discovery.h
 * The logs that the operands of a command stand for: an entry for each log with
 * its host and its start; a log of several hosts has an entry for each.
 */
#ifndef PL_ANALYZE_INPUT_LOG_DISCOVERY_H
#define PL_ANALYZE_INPUT_LOG_DISCOVERY_H

#include "analyze/input/host_log.h"
#include "format/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * For input that can be read only once, all but the path and 'order' is zero.
 */
struct pl_discovered_log {
    char *path;
    struct pl_host_log_file foreign;
    char *host;
    uint64_t machine_hash;
    int64_t first_utc, first_boot; /* of its first record */
    /* the first session in it, 0 if it is no .plog, and the */
    uint64_t session;
    uint32_t seq; /* number in that session of its first record */
    char *zone;
    int32_t zone_minutes;
    bool imported, titles_made_up, calculated;
    size_t order; /* as given, for equal times */
    /* Set when the entries are sorted: the start of the session's first log. */
    int64_t begun_utc;
    int64_t right_utc; /* see unset_clock.h */
    size_t begun_order;
};

struct pl_log_discovery {
    struct pl_discovered_log *p;
    size_t num, cap;
    bool whole; /* a log of several hosts has one entry */
};

/*
 * Look at one log; takes ownership of 'path' (NULL: PL_NOMEM).  Errors as
 * pl_reader_open, or as pl_foreign_look; the entry concerned is then the last
 * one.
 */
enum pl_status pl_log_discovery_add_file(struct pl_log_discovery *e,
                                         char *path);

/*
 * Add all logs of a folder except empty ones; PL_END: there is none.  Files
 * without any good record are assigned to the host before them, or else after
 * them.  Errors as
 * above and as pl_dir_list; *bad is then the file concerned, if any.
 */
enum pl_status pl_log_discovery_add_folder(struct pl_log_discovery *e,
                                           const char *folder,
                                           const char **bad);
/* Keep the first 'num' entries only, as if the others had not been read. */
void pl_log_discovery_keep(struct pl_log_discovery *e, size_t num);

/*
 * The host of 'from' becomes that of 'to', with the facts about it.  PL_NOMEM.
 */
enum pl_status
pl_log_discovery_share_host(struct pl_discovered_log *to,
                            const struct pl_discovered_log *from);

void pl_log_discovery_release(struct pl_log_discovery *e);

bool pl_session_is_of(const struct pl_session *s, const char *host,
                      uint64_t machine_hash);

/* The path of a log in a folder; to be freed.  NULL: no memory. */
char *pl_log_path(const char *folder, const char *name);

#endif
