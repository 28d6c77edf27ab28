/*                                        logger/linux/processes/bpf/ring.h
 * The reader's side of a BPF ring buffer (BPF_MAP_TYPE_RINGBUF), as
 * kernel/bpf/ringbuf.c lays it out: a page with the reader's position, a page
 * with the writer's, then the data twice, so that no record is split.  Only a
 * window of the data is mapped at a time, but all of a short ring, which is much
 * quicker to read: records must be shorter than a page.
 */
#ifndef PL_LOGGER_LINUX_PROCESSES_BPF_RING_H
#define PL_LOGGER_LINUX_PROCESSES_BPF_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pl_ring {
    void *reader;        /* page this process may write; NULL: not open */
    const void *writer;  /* page with its position */
    const uint8_t *data; /* window and a page more; NULL: none is mapped */
    size_t mapped;       /* offset of 'data' in the data of the ring */
    size_t window;       /* bytes */
    size_t size;         /* of all data, a power of two */
    size_t page;
    int fd;
};

/* Map the ring buffer 'fd', which must outlive it, of 'size' bytes.  False, and
 * errno. */
bool pl_ring_open(struct pl_ring *r, int fd, size_t size);
void pl_ring_close(struct pl_ring *r);

/*
 * The next complete record, and its length; NULL: none now, or no memory to map
 * it: it stays for the next time.  It stays valid, and occupies its space, until
 * pl_ring_release.
 */
const void *pl_ring_next(struct pl_ring *r, size_t *len);
void pl_ring_release(struct pl_ring *r);

/* True if there is none, not even one that is being written. */
bool pl_ring_is_empty(const struct pl_ring *r);

#endif
