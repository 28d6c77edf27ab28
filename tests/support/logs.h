/*                                                     tests/support/logs.h
 * Logs for tests, and the truth about them: a simulated machine makes
 * believable blocks, pl_writer makes logs of several shapes of them, and
 * every raw block is kept to be compared with what a reader gives back.
 *
 * Everything here fails the running test when it cannot do its work.
 */
#ifndef PL_TESTS_SUPPORT_LOGS_H
#define PL_TESTS_SUPPORT_LOGS_H

#include "format/base/buf.h"
#include "format/reader/reader.h"
#include "format/writer/writer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A reproducible random number; 'state' must not be 0. */
uint64_t random_next(uint64_t *state);

/* ---- the machine ---------------------------------------------------------- */

struct process {
    uint32_t pid;
    int64_t born_ns;
    uint64_t cpu_100ns, working_set;
};

/* Set 'churn' and 'has_processor' at will between two samples. */
struct machine {
    uint64_t random;
    int64_t utc_ns, boot_ns;
    uint64_t transfers; /* what disks count */
    uint32_t next_pid;
    struct process *processes;
    unsigned num_processes;
    unsigned churn;      /* processes replaced in each step */
    bool has_processor;  /* one more object, and its titles */
    bool has_identities; /* logs say what identifies the processes */
};

void machine_start(struct machine *m, uint64_t seed, unsigned num_processes);
void machine_stop(struct machine *m);

/* Let 'ns' pass: processes work, end and begin. */
void machine_run(struct machine *m, int64_t ns);

/* Replace 'out' by a block of System, PhysicalDisk, Process [, Processor]. */
void machine_block(const struct machine *m, struct pl_buf *out);

/* The command line of a process: it follows from its number and birth. */
struct process_command {
    char text[64];
    size_t n;
};

struct process_command machine_command(uint64_t pid, uint64_t start);

/* Replace 'out' by the iden payload of the processes born since 'boot_ns'. */
void machine_identities(const struct machine *m, int64_t boot_ns,
                        struct pl_buf *out);

/* Replace 'out' by the TITL payload of these objects. */
void machine_titles(const struct machine *m, struct pl_buf *out);

/* ---- logs and their truth -------------------------------------------------- */

struct sample {
    struct pl_buf block;
    int64_t utc_ns, boot_ns; /* boot_ns tells the samples of a log apart */
    uint64_t session;        /* 0: not in the file (any more) */
    uint32_t seq;
    bool is_key;
    size_t chunk;     /* counted over all sessions */
    uint64_t at, end; /* bytes of its record */
};

struct whole_record {
    uint64_t at, len;
    struct pl_record record;
};

struct log {
    struct sample *samples;
    size_t num_samples, cap_samples;
    uint8_t *bytes; /* of the file, when it was loaded */
    size_t len;
    struct whole_record *records;
    size_t num_records;
    size_t num_chunks;
};

void log_release(struct log *l);

/* Remember a sample that was or will be written. */
void log_keep(struct log *l, const struct pl_sample_stamp *stamp,
              const struct pl_buf *block);

/* 'n' times: let 'ns' pass, take a sample, keep and append it. */
void log_add(struct log *l, struct pl_writer *w, struct machine *m, int64_t ns,
             size_t n);

/* The same without a log: samples that are yet to be written. */
void log_think(struct log *l, struct machine *m, int64_t ns, size_t n);

/* Take in the file: find its records and whose samples they are. */
void log_load(struct log *l, const char *path);

/* Pack the log at 'path', which is loaded, and load that instead. */
void log_pack(struct log *l, const char *path);

/* The 'nth' record of 'type'; NULL if there are not so many. */
const struct whole_record *log_find(const struct log *l, uint32_t type,
                                    size_t nth);

enum log_shape {
    LOG_SMALL,      /* few processes; gaps, a note, a clean end */
    LOG_BIG,        /* blocks of 30 KB and more */
    LOG_CHURN,      /* most processes replaced all the time */
    LOG_SESSIONS,   /* closed, killed in a record, closed again */
    LOG_TITLES,     /* an object appears, then its titles */
    LOG_CHUNKS,     /* enough chunks for indexes and repeats */
    LOG_IDENTITIES, /* of processes, new ones all the time */
    NUM_LOG_SHAPES
};
const char *log_shape_name(enum log_shape shape);

/* What log_make and the tests open logs with: no syncing, no space guard. */
extern const struct pl_writer_options log_options;

/* Make the log at 'path' (which must not be there yet) and load it. */
void log_make(struct log *l, const char *path, enum log_shape shape,
              uint64_t seed);

/* Open for appending; fails the test if that fails. */
struct pl_writer *log_open(const char *path,
                           const struct pl_writer_options *options);
void log_close(struct pl_writer *w, struct pl_writer_stats *final);

/* Open a log and, if that can be done, close it again. */
enum pl_status log_try_open(const char *path,
                            const struct pl_writer_options *options,
                            const char **why);

/* ---- reading, compared with the truth -------------------------------------- */

enum { NUM_ITEM_KINDS = PL_ITEM_IDENTITIES + 1 };

struct reading {
    size_t kinds[NUM_ITEM_KINDS];
    size_t num_samples; /* good ones, each counted once */
    size_t wrong;       /* samples the log does not have, or other bytes */
    size_t twice;       /* the same sample again */
    size_t identities;  /* of processes, known at good samples, and right */
    uint64_t bytes;     /* that items accounted for */
    uint64_t missing;   /* records, summed over holes */
    uint8_t *seen;      /* for each sample of the truth */
    size_t cap_seen;
};

/* Forget what was read; also before the first use. */
void reading_start(struct reading *g, const struct log *truth);
void reading_release(struct reading *g);

/* Read to the end and compare; returns PL_END, or what stopped the reader. */
enum pl_status read_on(struct pl_reader *r, const struct log *truth,
                       struct reading *g);

/* Begin 'g' anew, open 'path', read all of it. */
enum pl_status read_whole(const char *path, const struct log *truth,
                          struct reading *g);

/* Kinds of items that tell of damage. */
size_t reading_alarms(const struct reading *g);

/* The gaps of a log, the last of each cause; how many records there are. */
size_t log_gaps(const char *path, struct pl_gaps by_cause[PL_NUM_GAP_CAUSES]);

/* ---- logs made by hand ------------------------------------------------------- */

/* A record as a writer of any version could have made it; lengths and hashes
 * that are 0 in 'r' are filled in. */
void craft(struct pl_buf *b, struct pl_record r, const void *payload, size_t n);

/* SESS with no facts, and SMPL with 'n' bytes of noise (codec 0). */
void craft_session(struct pl_buf *b, uint64_t session, uint32_t seq);
void craft_sample(struct pl_buf *b, uint64_t session, uint32_t seq, size_t n);

/* Zeroed memory that parent and children share (POSIX). */
void *shared_page(void);

/* ---- a file to be damaged ---------------------------------------------------- */

struct scratch {
    char path[512];
    int fd;
};

void scratch_open(struct scratch *s, const char *name);
void scratch_close(struct scratch *s);
void scratch_set(struct scratch *s, const void *p, size_t n);
void scratch_write(struct scratch *s, uint64_t at, const void *p, size_t n);
void scratch_poke(struct scratch *s, uint64_t at, uint8_t byte);
void scratch_cut(struct scratch *s, uint64_t size);

#endif
