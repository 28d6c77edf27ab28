/* The reader's side of a BPF ring buffer. */
#include "logger/linux/processes/bpf/ring.h"

#include <linux/bpf.h>
#include <sys/mman.h>
#include <unistd.h>

enum { RECORD_ALIGNMENT = 8 };

/* The writers' page, the data, and its first page again: records are shorter.
 * What is mapped counts as memory of ours, each time that it is. */
static size_t writers_size(const struct pl_ring *r)
{
    return r->page + r->size + r->page;
}

bool pl_ring_open(struct pl_ring *r, int fd, size_t size)
{
    void *writer;

    *r = (struct pl_ring){ .size = size, .page = (size_t)getpagesize() };
    r->reader = mmap(NULL, r->page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (r->reader == MAP_FAILED) {
        r->reader = NULL;
        return false;
    }
    writer =
        mmap(NULL, writers_size(r), PROT_READ, MAP_SHARED, fd, (off_t)r->page);
    if (writer == MAP_FAILED) {
        munmap(r->reader, r->page);
        r->reader = NULL;
        return false;
    }
    r->writer = writer;
    return true;
}

void pl_ring_close(struct pl_ring *r)
{
    if (!r->reader)
        return;
    munmap(r->reader, r->page);
    munmap((void *)r->writer, writers_size(r));
    r->reader = NULL;
}

static unsigned long position(const struct pl_ring *r)
{
    return *(const unsigned long *)r->reader;
}

static const uint8_t *record_at(const struct pl_ring *r, unsigned long at)
{
    return (const uint8_t *)r->writer + r->page + (at & (r->size - 1));
}

/* Length and the bits that say what became of the record. */
static uint32_t header_at(const struct pl_ring *r, unsigned long at)
{
    return __atomic_load_n((const uint32_t *)(const void *)record_at(r, at),
                           __ATOMIC_ACQUIRE);
}

static void skip(struct pl_ring *r, uint32_t header)
{
    size_t len = header & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);

    len = (len + BPF_RINGBUF_HDR_SZ + RECORD_ALIGNMENT - 1) &
          ~(size_t)(RECORD_ALIGNMENT - 1);
    __atomic_store_n((unsigned long *)r->reader, position(r) + len,
                     __ATOMIC_RELEASE);
}

const void *pl_ring_next(struct pl_ring *r, size_t *len)
{
    for (;;) {
        unsigned long at = position(r);
        uint32_t header;

        if (at ==
            __atomic_load_n((const unsigned long *)r->writer, __ATOMIC_ACQUIRE))
            return NULL;
        header = header_at(r, at);
        if (header & BPF_RINGBUF_BUSY_BIT)
            return NULL;
        if (!(header & BPF_RINGBUF_DISCARD_BIT)) {
            *len = header;
            return record_at(r, at) + BPF_RINGBUF_HDR_SZ;
        }
        skip(r, header);
    }
}

void pl_ring_release(struct pl_ring *r)
{
    skip(r, header_at(r, position(r)));
}
