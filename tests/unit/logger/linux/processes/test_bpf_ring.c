/* Records of a ring buffer are read in order, whatever part of it is mapped.  A file in
 * memory is laid out as the kernel's (ring.h), which only a BPF program can fill. */
#include "logger/linux/processes/bpf/ring.h"

#include "tests/support/support.h"

#include <linux/bpf.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    SIZE = 4 << 20,
    SHORT = 256 << 10,
    RECORD = 400,
    SMALL_WINDOW = 64 << 10
};

static struct pl_ring ring;
static size_t page, size;
static uint8_t *all; /* the file */
static int fd;
static uint64_t put, taken; /* records */

static unsigned long *writer(void)
{
    return (unsigned long *)(void *)(all + page);
}

static void start_with(size_t bytes)
{
    page = (size_t)getpagesize();
    size = bytes;
    fd = memfd_create("ring", 0);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(ftruncate(fd, (off_t)(2 * page + 2 * size)), 0);
    all = mmap(NULL, 2 * page + 2 * size, PROT_READ | PROT_WRITE, MAP_SHARED,
               fd, 0);
    ck_assert(all != MAP_FAILED);
    put = taken = 0;
    ck_assert(pl_ring_open(&ring, fd, size));
}

static void start(void)
{
    start_with(SIZE);
}

static void stop(void)
{
    pl_ring_close(&ring);
    munmap(all, 2 * page + 2 * size);
    close(fd);
}

/* The kernel maps the data twice. */
static void write_both(unsigned long at, const void *from, size_t n)
{
    for (const uint8_t *p = from; n; n--, p++, at++)
        all[2 * page + at % size] = all[2 * page + size + at % size] = *p;
}

static void put_header(unsigned long at, uint32_t header)
{
    write_both(at, &header, sizeof header);
}

static void put_records(size_t num, uint32_t bits)
{
    for (; num; num--) {
        put_header(*writer(), RECORD | bits);
        write_both(*writer() + BPF_RINGBUF_HDR_SZ, &put, sizeof put);
        put += !bits;
        *writer() += RECORD + BPF_RINGBUF_HDR_SZ;
    }
}

static bool take(void)
{
    size_t len;
    uint64_t number;
    const void *record = pl_ring_next(&ring, &len);

    if (!record)
        return false;
    ck_assert_uint_eq(len, RECORD);
    memcpy(&number, record, sizeof number);
    ck_assert_uint_eq(number, taken++);
    pl_ring_release(&ring);
    return true;
}

static void take_all(void)
{
    while (take())
        ;
    ck_assert_uint_eq(taken, put);
    ck_assert(pl_ring_is_empty(&ring));
}

/* Until the ring has been filled several times. */
START_TEST(all_records_come_in_order)
{
    static const size_t nums[] = { 1, 3, 160, 170, 700, 3000, 10000, 2 };

    for (size_t i = 0; put * RECORD < 5 * (uint64_t)SIZE; i++) {
        put_records(nums[i % (sizeof nums / sizeof *nums)], 0);
        take_all();
    }
}
END_TEST

START_TEST(one_being_written_stops_the_reader_and_one_discarded_is_skipped)
{
    unsigned long busy;

    put_records(2, 0);
    put_records(3, BPF_RINGBUF_DISCARD_BIT);
    put_records(1, 0);
    busy = *writer();
    put_records(1, 0);
    put_header(busy, RECORD | BPF_RINGBUF_BUSY_BIT);
    while (take())
        ;
    ck_assert_uint_eq(taken, put - 1);
    ck_assert(!pl_ring_is_empty(&ring));
    put_header(busy, RECORD);
    take_all();
}
END_TEST

/* A storm is read through one window, and little is mapped otherwise. */
START_TEST(the_window_is_as_long_as_what_waits)
{
    const uint8_t *data;

    put_records(10, 0);
    take_all();
    ck_assert_uint_eq(ring.window, SMALL_WINDOW);
    put_records(SMALL_WINDOW / RECORD, 0); /* up to its end, and beyond */
    take_all();
    put_records(SMALL_WINDOW / RECORD, 0);
    put_records(600, 0);
    ck_assert(take());
    while (ring.window == SMALL_WINDOW)
        ck_assert(take());
    data = ring.data;
    take_all();
    ck_assert_ptr_eq(ring.data, data);
    put_records(9000, 0);
    take_all();
    ck_assert_uint_le(ring.window, 1 << 20);
    for (int i = 0; i < 40; i++) {
        put_records(100, 0);
        take_all();
    }
    ck_assert_uint_eq(ring.window, SMALL_WINDOW);
}
END_TEST

/* All of it, wherever reading begins. */
START_TEST(a_short_ring_stays_mapped)
{
    stop();
    start_with(SHORT);
    *writer() = *(unsigned long *)(void *)all =
        SHORT / 2 + 8 * BPF_RINGBUF_HDR_SZ;
    put_records(1, 0);
    take_all();
    ck_assert_uint_eq(ring.window, SHORT);
    ck_assert_uint_eq(ring.mapped, 0);
    for (size_t i = 0; i < 20; i++) {
        put_records(SHORT / 4 * 3 / RECORD, 0);
        take_all();
        ck_assert_uint_eq(ring.mapped, 0);
    }
}
END_TEST

/* It stays for the next time. */
START_TEST(a_record_that_cannot_be_mapped_waits)
{
    put_records(1, 0);
    ring.fd = -1;
    ck_assert(!take());
    ck_assert(!pl_ring_is_empty(&ring));
    ring.fd = fd;
    take_all();
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("bpf_ring");

    tcase_add_checked_fixture(t, start, stop);
    tcase_add_test(t, all_records_come_in_order);
    tcase_add_test(
        t, one_being_written_stops_the_reader_and_one_discarded_is_skipped);
    tcase_add_test(t, the_window_is_as_long_as_what_waits);
    tcase_add_test(t, a_short_ring_stays_mapped);
    tcase_add_test(t, a_record_that_cannot_be_mapped_waits);
    return run_suite("bpf_ring", (TCase *[]){ t, NULL });
}
