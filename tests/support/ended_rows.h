/*                                             tests/support/ended_rows.h
 * Rows of processes that ended, from reports made by hand, sample by sample: no
 * kernel is needed.
 */
#ifndef PL_TESTS_SUPPORT_ENDED_ROWS_H
#define PL_TESTS_SUPPORT_ENDED_ROWS_H

#include "logger/linux/machine/machine.h"
#include "logger/linux/processes/process_ended.h"
#include "logger/linux/processes/tasks.h"

#include <stdbool.h>
#include <stdint.h>

#define SECOND UINT64_C(1000000000)
#define TICKS 100 /* of 100 ns in the counters' unit */

extern struct pl_machine machine;
extern struct pl_tasks tasks;
extern struct pl_source source; /* its rows are those of this sample */
extern struct pl_process_ended *ended;

/* Before and after each test. */
void set_up(void);
void tear_down(void);

/* ---- a sample -------------------------------------------------------------- */

/* A second after the one before. */
void begin_sample(void);

/* A process that the walk meets; 'work' is its run time in units of TICKS. */
void live(uint32_t pid, uint64_t work, bool is_zombie);

/* A process whose end is reported by BPF. */
void reported(uint32_t pid, uint64_t work, enum pl_task_final final);

void end_sample(void);

/* Read again, as a sample is in which the machine seems to have changed. */
void sample_again(void);

/* ---- what it shows --------------------------------------------------------- */

/* The one row of a process, or of the sum, whose number is 0; NULL: none. */
const uint64_t *row_of(uint32_t pid);

void check_row(uint32_t pid, uint64_t work, uint64_t exits);
void check_sum(uint64_t work, uint64_t exits);

#endif
