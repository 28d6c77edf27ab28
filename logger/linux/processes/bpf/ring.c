/* The reader's side of a BPF ring buffer. */
#include "logger/linux/processes/bpf/ring.h"

#include <linux/bpf.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    RECORD_ALIGNMENT = 8,
    SMALLEST_WINDOW = 64 << 10,
    LARGEST_WINDOW = 1 << 20,
    LARGEST_KEPT = 256 << 10,
};

/* What is mapped counts as memory of this process: so of the data only a window
 * is, and a page more, as a record may go on there.  Moving it interrupts the other
 * processors that this process runs on, and each page takes microseconds where it is
 * touched first: so it is as long as what waits now, and that of a short ring is all
 * of it and stays. */
static size_t mapped_size(const struct pl_ring *r)
{
    return r->window + r->page;
}

bool pl_ring_open(struct pl_ring *r, int fd, size_t size)
{
    void *writer;

    *r = (struct pl_ring){ .fd = fd,
                           .size = size,
                           .page = (size_t)getpagesize() };
    r->reader = mmap(NULL, r->page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (r->reader == MAP_FAILED) {
        r->reader = NULL;
        return false;
    }
    writer = mmap(NULL, r->page, PROT_READ, MAP_SHARED, fd, (off_t)r->page);
    if (writer == MAP_FAILED) {
        munmap(r->reader, r->page);
        r->reader = NULL;
        return false;
    }
    r->writer = writer;
    return true;
}

static void unmap_data(struct pl_ring *r)
{
    if (r->data)
        munmap((void *)r->data, mapped_size(r));
    r->data = NULL;
}

void pl_ring_close(struct pl_ring *r)
{
    if (!r->reader)
        return;
    unmap_data(r);
    munmap(r->reader, r->page);
    munmap((void *)r->writer, r->page);
    r->reader = NULL;
}

static unsigned long position(const struct pl_ring *r)
{
    return *(const unsigned long *)r->reader;
}

static unsigned long end_of(const struct pl_ring *r)
{
    return __atomic_load_n((const unsigned long *)r->writer, __ATOMIC_ACQUIRE);
}

static bool is_kept(const struct pl_ring *r)
{
    return r->size <= LARGEST_KEPT;
}

/* For 'waiting' bytes. */
static size_t window_for(const struct pl_ring *r, size_t waiting)
{
    size_t n = SMALLEST_WINDOW;

    if (is_kept(r))
        return r->size;
    while (n < waiting && n < LARGEST_WINDOW)
        n *= 2;
    if (n < r->page)
        n = r->page;
    return n < r->size ? n : r->size;
}

static bool move_window(struct pl_ring *r, size_t begin, size_t waiting)
{
    void *data;

    unmap_data(r);
    r->window = window_for(r, waiting);
    data = mmap(NULL, mapped_size(r), PROT_READ, MAP_SHARED, r->fd,
                (off_t)(2 * r->page + begin));
    if (data == MAP_FAILED)
        return false;
    r->data = data;
    r->mapped = begin;
    return true;
}

/* The record at that position; NULL: it cannot be mapped. */
static const uint8_t *record_at(struct pl_ring *r, unsigned long at)
{
    size_t offset = at & (r->size - 1);
    /* What is before the window is far behind it, too: it wraps around. */
    bool is_mapped = r->data && offset - r->mapped < r->window;
    size_t begin = is_kept(r) ? 0 : offset - offset % r->page;

    if (!is_mapped && !move_window(r, begin, (size_t)(end_of(r) - at)))
        return NULL;
    return r->data + (offset - r->mapped);
}

static void skip(struct pl_ring *r, uint32_t header)
{
    size_t len = header & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);

    len = (len + BPF_RINGBUF_HDR_SZ + RECORD_ALIGNMENT - 1) &
          ~(size_t)(RECORD_ALIGNMENT - 1);
    __atomic_store_n((unsigned long *)r->reader, position(r) + len,
                     __ATOMIC_RELEASE);
}

/* Length, and the busy and discard bits, of a record. */
static uint32_t header_of(const uint8_t *record)
{
    return __atomic_load_n((const uint32_t *)(const void *)record,
                           __ATOMIC_ACQUIRE);
}

const void *pl_ring_next(struct pl_ring *r, size_t *len)
{
    for (;;) {
        unsigned long at = position(r);
        const uint8_t *record;
        uint32_t header;

        if (at == end_of(r))
            return NULL;
        record = record_at(r, at);
        header = record ? header_of(record) : BPF_RINGBUF_BUSY_BIT;
        if (header & BPF_RINGBUF_BUSY_BIT)
            return NULL;
        if (!(header & BPF_RINGBUF_DISCARD_BIT)) {
            *len = header;
            return record + BPF_RINGBUF_HDR_SZ;
        }
        skip(r, header);
    }
}

bool pl_ring_is_empty(const struct pl_ring *r)
{
    return position(r) == end_of(r);
}

void pl_ring_release(struct pl_ring *r)
{
    skip(r, header_of(record_at(r, position(r))));
}
