/*                                             tests/support/long_machine.h
 * A made-up machine to fill logs of any length with: the objects a recording
 * has by default, as many processors, disks, interfaces and processes as one
 * likes, and short-lived processes that bear the same few names again and
 * again.  What it does follows from a seed alone.
 */
#ifndef PL_TESTS_SUPPORT_LONG_MACHINE_H
#define PL_TESTS_SUPPORT_LONG_MACHINE_H

#include "format/base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LONG_OBJECTS = 7 };

/* Set all but the last two, then start. */
struct long_machine {
    uint64_t random; /* the seed; not 0 */
    uint32_t processors, disks, interfaces, processes;
    uint32_t churn;  /* of the processes, so many are replaced at each step */
    bool slow_disks; /* a transfer takes ten times as long as elsewhere */
    int64_t utc_ns, boot_ns;
    uint32_t next_id; /* of a process */
    struct long_instance *instances[LONG_OBJECTS];
};

/* Stop when done.  Ends the program if there is no memory. */
void long_machine_start(struct long_machine *m);
void long_machine_stop(struct long_machine *m);

/* Let 'ns' pass. */
void long_machine_run(struct long_machine *m, int64_t ns);

/* Replace 'out' by a block of the machine as it is now. */
void long_machine_block(const struct long_machine *m, struct pl_buf *out);

/* Append the TITL payload that fits these blocks. */
void long_machine_titles(struct pl_buf *out);

#endif
