/*                                        format/payload/process_identity.h
 * What identifies a process besides its name: command line, executable, user,
 * control group and parent.  A log holds it once per process, and again when it
 * changes, in records of their own (iden); FORMAT.md, section 8.  The texts are
 * the bytes that the process and the kernel supplied: untrusted, of any
 * encoding.
 */
#ifndef PL_FORMAT_PAYLOAD_PROCESS_IDENTITY_H
#define PL_FORMAT_PAYLOAD_PROCESS_IDENTITY_H

#include "format/base/buf.h"
#include "format/base/cursor.h"
#include "format/base/status.h"
#include "format/base/text.h"

#include <stdbool.h>
#include <stdint.h>

/* Longest texts that are written; longer ones are cut. */
enum {
    PL_MAX_COMMAND_LINE = 4096,
    PL_MAX_IDENTITY_TEXT = 4096, /* each of the others */
};

/* Title indexes of Process and of the counters whose raw values are the key. */
enum { PL_TITLE_PROCESS = 230, PL_TITLE_PID = 784, PL_TITLE_STARTED = 684 };

/* One process.  Texts point into the payload, or to the caller's memory; empty:
 * not known. */
struct pl_process_identity {
    uint64_t pid;   /* raw value of ID Process, */
    uint64_t start; /* and of Elapsed Time: FILETIME, 100 ns, on Linux */
    struct pl_text command_line; /* 1, arguments separated by NUL */
    bool is_cut;                 /* 2, the command line is longer than that */
    bool is_left_out;            /* 3, it was left out on request */
    struct pl_text executable;   /* 4, its path when it was started */
    bool has_user;
    uint32_t user;                /* 5, number of the effective user */
    struct pl_text user_name;     /* 6 */
    struct pl_text control_group; /* 7, path in its hierarchy */
    uint64_t parent;              /* 8, its pid; 0: not known */
    uint64_t parent_start;        /* 8, 0: not known */
    struct pl_text parent_name;   /* 9, instance name of the parent */
};

/* Append one entry of a payload. */
void pl_process_identity_write(const struct pl_process_identity *p,
                               struct pl_buf *out);

/*
 * Read the next entry of a payload.  Unknown tags are skipped.  PL_END after
 * the last one; PL_CORRUPT: lengths contradict each other.
 */
enum pl_status pl_process_identity_next(struct pl_cur *c,
                                        struct pl_process_identity *p);

/*
 * Append the command line as one line: a blank between two arguments, and "..."
 * at its end if it was cut.  Other bytes stay; who shows it makes them harmless.
 */
void pl_command_line_text(struct pl_buf *out,
                          const struct pl_process_identity *p);

#endif
