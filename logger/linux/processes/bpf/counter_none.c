/* Replaces counter.c in builds without BPF. */
#include "logger/linux/processes/bpf/counter.h"

#include <stddef.h>

struct pl_process_counter *pl_process_counter_open(void)
{
    return NULL;
}

void pl_process_counter_close(struct pl_process_counter *c)
{
    (void)c;
}

bool pl_process_counter_read(struct pl_process_counter *c, uint64_t *n)
{
    (void)c;
    (void)n;
    return false;
}
