/*                                                         logger/sampler.h
 * Source of a machine's performance data.  Exactly one directory implements
 * this interface (linux/, windows/, none/); CMake selects it, and no other
 * file asks which platform it is built for.
 *
 * A sampler is used by one thread.  It reads its sources in a fixed order and
 * writes one PERF_DATA_BLOCK per call, with the counters that 'choice' selects.
 */
#ifndef PL_LOGGER_SAMPLER_H
#define PL_LOGGER_SAMPLER_H

#include "format/base/buf.h"
#include "format/payload/payloads.h"
#include "format/block/counter_path.h"
#include "format/base/status.h"
#include "format/block/titles.h"

#include <stdint.h>

struct pl_sampler;

/* How processes are read, where the platform has several ways. */
enum pl_process_way {
    PL_PROCESSES_AUTO,
    PL_PROCESSES_BPF,
    PL_PROCESSES_PROC,
};

struct pl_sampler_options {
    const char *proc; /* replaces "/proc"; NULL means the live system */
    const char *sys;  /* replaces "/sys" */
    const struct pl_counter_path_list
        *choice;    /* NULL or empty: the default set */
    bool all;       /* every counter, also costly ones and those on request */
    bool all_disks; /* also loop, ram and zram devices */
    enum pl_process_way processes;
    const char *host;      /* "\\\\NAME": another machine; NULL: this one */
    const char *language;  /* of names, Windows' number; NULL: English only */
    bool no_command_lines; /* of processes */
    bool identify_at_once; /* all processes, however long a sample takes */
    uint64_t interval_ns;
};

/* The recorder's own figures: the object Performance Logger. */
struct pl_logger_stats {
    uint64_t samples_written;
    uint64_t samples_missed;      /* deadlines passed */
    uint64_t samples_not_written; /* lost: queue full, too large, disk error */
    uint64_t samples_taken;
    uint64_t lateness_100ns; /* summed: start of collection - deadline */
    uint64_t last_lateness_100ns;
    uint64_t collection_100ns; /* summed wall time of reading sources */
    uint64_t last_collection_100ns;
    uint64_t encoding_100ns; /* summed, up to the previous sample */
    uint64_t write_100ns;
    uint64_t num_writes;
    uint64_t sync_100ns;
    uint64_t num_syncs;
    uint64_t block_bytes;  /* summed raw sizes of written samples */
    uint64_t log_bytes;    /* appended in this session */
    uint64_t file_bytes;   /* size of the current file */
    uint64_t free_bytes;   /* of its file system */
    uint64_t system_calls; /* made by the writer */
};

/* The instant a sample belongs to, read once directly before the sources. */
struct pl_tick {
    int64_t utc_ns;       /* CLOCK_REALTIME */
    int64_t boot_ns;      /* CLOCK_BOOTTIME */
    int64_t monotonic_ns; /* CLOCK_MONOTONIC */
};

/*
 * Find out what this machine has.  PL_UNSUPPORTED: no sampler for this
 * platform, or (*why is then not NULL and gives the reason) an option cannot be
 * met; PL_IO: its sources cannot be opened (*why may give more than errno);
 * PL_USAGE: a path of 'choice' matches no counter of this machine (*why is the
 * path's text); PL_NOMEM.
 */
enum pl_status pl_sampler_open(struct pl_sampler **out,
                               const struct pl_sampler_options *options,
                               const char **why);
void pl_sampler_close(struct pl_sampler *s); /* NULL is fine */

/*
 * Facts of this machine for the SESS record; texts live as long as 's'.
 * Fields the sampler does not know are left as they are.
 */
void pl_sampler_describe(const struct pl_sampler *s,
                         struct pl_session *session);

/*
 * Names, help texts and facts of every object that has been in a block so
 * far.  *generation changes whenever the set does; compare it after each
 * pl_sampler_read.
 */
const struct pl_titles *pl_sampler_titles(const struct pl_sampler *s,
                                          uint32_t *generation);

/*
 * Read all clocks at one instant.  A thread preempted between two of them would
 * see a clock step, so they are read again if this took a millisecond.
 */
void pl_sampler_clocks(struct pl_tick *tick);
enum { PL_CLOCKS_TRIES = 16 }; /* for a machine that always takes longer */

/*
 * Replace 'block' by one raw block.  Allocates only while buffers grow to their
 * final size.  A source that cannot be read leaves its counters out of this
 * sample; only PL_NOMEM and PL_TOO_LARGE (over 64 MiB) fail.
 */
enum pl_status pl_sampler_read(struct pl_sampler *s, const struct pl_tick *tick,
                               const struct pl_logger_stats *stats,
                               struct pl_buf *block);

/*
 * What identifies the processes that are new, or another program, since this was
 * last taken: a payload for pl_writer_identities.  NULL: this platform has none.
 * The caller may swap it with an empty buffer; what it leaves stays.
 */
struct pl_buf *pl_sampler_identities(struct pl_sampler *s);

/*
 * Text saying why processes are read from /proc although this process has the
 * privileges for BPF; NULL: BPF is used, or /proc was requested.
 */
const char *pl_sampler_fallback(const struct pl_sampler *s);

/*
 * One line saying what the last sample lacks and why; NULL: it has everything
 * requested.  Valid until the next sample.
 */
const char *pl_sampler_trouble(const struct pl_sampler *s);

/*
 * The next pending event of the samples so far, as a line of text: counters
 * published by an application are recorded, rejected, left out or have ended;
 * instances are left out, as there are too many.
 * *kind is the kind of note to write.  False: none pending.
 */
enum { PL_NEWS_TEXT = 192 };
bool pl_sampler_news(struct pl_sampler *s, enum pl_note_kind *kind,
                     char text[PL_NEWS_TEXT]);

/*
 * Call 'report' for every counter of the tables that is not recorded by default
 * on this machine, with its path and the reason (no such file, not permitted,
 * unknown to this kernel, only on request).  PL_OK, PL_IO, PL_NOMEM,
 * PL_UNSUPPORTED.
 */
enum pl_status pl_sampler_missing(void (*report)(void *context,
                                                 const char *path,
                                                 const char *why),
                                  void *context);

#endif
