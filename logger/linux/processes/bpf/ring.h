/*                                        logger/linux/processes/bpf/ring.h
 * The reader's side of a BPF ring buffer (BPF_MAP_TYPE_RINGBUF), as
 * kernel/bpf/ringbuf.c lays it out: a page with the reader's position, a page
 * with the writers', then the data, twice in a row so that no record is split.
 * Of the second time a page is mapped: records are to be shorter than that.
 */
#ifndef PL_LOGGER_LINUX_PROCESSES_BPF_RING_H
#define PL_LOGGER_LINUX_PROCESSES_BPF_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pl_ring {
    void *reader;       /* page that is ours to write; NULL: not open */
    const void *writer; /* page and data */
    size_t size;        /* of the data, a power of two */
    size_t page;
};

/* Map the ring buffer of 'size' bytes behind 'fd'.  False, and errno. */
bool pl_ring_open(struct pl_ring *r, int fd, size_t size);
void pl_ring_close(struct pl_ring *r);

/*
 * The next record that is complete, and its length; NULL: none now.  It stays
 * valid, and its room taken, until pl_ring_release.
 */
const void *pl_ring_next(struct pl_ring *r, size_t *len);
void pl_ring_release(struct pl_ring *r);

#endif
