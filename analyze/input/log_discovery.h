/*                                            analyze/input/log_discovery.h
 * What stands behind the operands of a command: each log with whose it is and
 * when it begins, each host of a log of several as a find of its own.
 */
#ifndef PL_ANALYZE_INPUT_LOG_DISCOVERY_H
#define PL_ANALYZE_INPUT_LOG_DISCOVERY_H

#include "analyze/input/host_log.h"
#include "format/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero but the path and its place for what can be read only once. */
struct pl_discovered_log {
    char *path;
    struct pl_host_log_file foreign;
    char *host;
    uint64_t machine_hash;
    int64_t first_utc;
    uint64_t session; /* the first in it, 0 if it is no log of ours, and the */
    uint32_t seq;     /* number in it of the first record that matters */
    char *zone;
    int32_t zone_minutes;
    bool titles_made_up, calculated;
    size_t order; /* as given, for equal times */
    /* What is set when they are put in order: of the session's first log. */
    int64_t begun_utc;
    size_t begun_order;
};

struct pl_log_discovery {
    struct pl_discovered_log *p;
    size_t num, cap;
    bool whole; /* a log of several hosts is one find */
};

/*
 * Look at one log; takes over 'path' (NULL: PL_NOMEM).  As pl_reader_open, or
 * as pl_foreign_look; the find concerned is then the last one.
 */
enum pl_status pl_log_discovery_add_file(struct pl_log_discovery *e,
                                         char *path);

/*
 * Look at all logs of a folder but empty ones; PL_END: there is none.  Those
 * of zeros are taken for logs of the host before them, else behind them.  As
 * above and as pl_dir_list; *bad is then the file concerned, if it is one.
 */
enum pl_status pl_log_discovery_add_folder(struct pl_log_discovery *e,
                                           const char *folder,
                                           const char **bad);
/* Only the first 'num' count, as if the others had not been looked at. */
void pl_log_discovery_keep(struct pl_log_discovery *e, size_t num);

void pl_log_discovery_release(struct pl_log_discovery *e);

bool pl_session_is_of(const struct pl_session *s, const char *host,
                      uint64_t machine_hash);

/* The path of a log in a folder; to be freed.  NULL: no memory. */
char *pl_log_path(const char *folder, const char *name);

#endif
