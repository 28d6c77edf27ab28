/*                                             analyze/push/top_processes.h
 * Which processes are sent with --top N: of each row those that are among the N
 * first by processor time, by working set or by input and output.  One that was
 * is sent for ten minutes more, so that series do not come and go.  What is sent
 * of a row follows from it and the ten minutes before alone, however often it is
 * sent.
 */
#ifndef PL_ANALYZE_PUSH_TOP_PROCESSES_H
#define PL_ANALYZE_PUSH_TOP_PROCESSES_H

#include "analyze/replay/row_values.h"
#include "format/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pl_sent_process;

/* Of one host; all zero at first. */
struct pl_top_processes {
    struct pl_sent_process *processes; /* that are sent */
    size_t num, cap;
    struct pl_rank_value *ranked; /* scratch: of one counter in a row */
    size_t cap_ranked;
    /* what was found of the last group asked for */
    const struct pl_group *group;
    bool is_busy;
};

/* Rank the processes of a row; 'most' of each counter are sent.  PL_NOMEM. */
enum pl_status pl_top_processes_rank(struct pl_top_processes *b,
                                     const struct pl_cell_at *cells, size_t num,
                                     int64_t time_ns, uint64_t most);

/* Is the group sent?  Everything but processes is, and their sums are. */
bool pl_top_processes_has(struct pl_top_processes *b,
                          const struct pl_group *group);
void pl_top_processes_release(struct pl_top_processes *b);

#endif
