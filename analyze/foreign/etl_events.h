/*                                             analyze/foreign/etl_events.h
 * The outer layers of Windows' sequential trace logs, as Performance Monitor
 * writes them (.blg): a file is buffers, a buffer is events, events are parts
 * of messages.  Nothing in it is trusted; what cannot be used is returned as a
 * range of damage, and reading continues after it.  There are no checksums.
 * Memory is one buffer (at most 16 MB), one message (at most 64 MB), and 16
 * bytes per buffer if these are not in order.
 *
 * Buffer                                Event
 *   0  4  BufferSize, of all              0  2  size, this header included
 *  16  8  flush time, FILETIME            2  1  10 or 20; 1 or 2: log header
 *  24  8  sequence number (Vista on)      3  1  mark, bit 7 set
 *  48  4  bytes in use                    4  1  kind of the message
 *  52  2  bit 0: first and last one      16  8  local time, FILETIME
 *  72     events, each at a multiple     24 16  PDH's own GUID
 *         of 8                           64  8  part k of n
 *                                        72     the part
 *
 * All of it was derived from logs of Windows 2003 to 10 and from the
 * documentation of ETW's log header (TRACE_LOGFILE_HEADER).
 */
#ifndef PL_ANALYZE_FOREIGN_ETL_EVENTS_H
#define PL_ANALYZE_FOREIGN_ETL_EVENTS_H

#include "format/base/buf.h"
#include "format/base/file.h"
#include "format/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PL_ETL_LOOK = 256 }; /* bytes that show whether a file is such a log */

/* TIME_ZONE_INFORMATION: UTC = local + bias + that of the season, minutes. */
struct pl_etl_zone {
    int32_t bias, standard_bias, daylight_bias;
    uint16_t standard_date[8], daylight_date[8]; /* SYSTEMTIME; month 0: none */
    char standard[128], daylight[128];           /* names, UTF-8 */
};

/* The log's header, from its first event. */
struct pl_etl_header {
    uint32_t buffer_size;
    uint32_t major, minor, build; /* of Windows */
    uint32_t mode;
    uint32_t events_lost, buffers_lost;
    int64_t boot_time; /* FILETIME, UTC; 0: not known */
    struct pl_etl_zone zone;
};

enum { PL_ETL_CIRCULAR = 2 }; /* bit of 'mode' */

struct pl_etl {
    struct pl_file *file;
    uint64_t size;
    struct pl_etl_header header;
    struct pl_etl_place {
        uint64_t key;
        uint64_t number;
    } * order; /* order of the buffers; NULL: that of the file */
    uint64_t num_buffers, next_buffer;
    bool closed; /* the last buffer says so */
    uint64_t last_key;
    bool has_key; /* the numbers form a sequence */

    struct pl_buf buffer; /* the current buffer */
    uint64_t begins;      /* its offset in the file */
    size_t at, filled;    /* in 'buffer' */
    /* why the rest of the buffer is skipped; NULL: it is not */
    const char *hurt;
    bool cut; /* the file ends within it */

    struct pl_buf message; /* parts so far */
    uint64_t message_at;
    uint32_t parts, next_part; /* next_part 0: none expected */
    uint8_t kind;
    int64_t time;
    bool began;      /* some message was complete */
    uint64_t unread; /* events of unknown kinds */
};

enum pl_etl_kind {
    PL_ETL_MESSAGE,
    PL_ETL_DAMAGE,
    PL_ETL_HOLE, /* 'len' buffers are missing */
};

struct pl_etl_item {
    enum pl_etl_kind what;
    uint64_t at, len; /* offset in the file; HOLE: see there */
    const char *reason;
    bool harmless; /* damage: nothing is known to be lost */
    /* of a message; 'p' is valid until the next call */
    uint8_t kind;
    int64_t time; /* local FILETIME */
    const uint8_t *p;
    size_t n;
};

/* True if a file that begins with these bytes is such a log. */
bool pl_etl_is_one(const uint8_t *p, size_t n);

/* No more than 'seen' bytes are read (seen_bytes.h).  PL_NOT_A_LOG: it is not such a
 * log, or a pipe.  PL_IO, PL_NOMEM. */
enum pl_status pl_etl_open(struct pl_etl *e, const char *path, uint64_t seen);
void pl_etl_close(struct pl_etl *e);

/* The next message or range of damage.  PL_END, PL_IO, PL_NOMEM. */
enum pl_status pl_etl_next(struct pl_etl *e, struct pl_etl_item *item);

/* How far reading has come, in bytes. */
uint64_t pl_etl_position(const struct pl_etl *e);

#endif
