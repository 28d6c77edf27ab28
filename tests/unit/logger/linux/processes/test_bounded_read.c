/* Reads that come back, and reads that do not. */
#include "logger/linux/processes/bounded_read.h"

#include "tests/support/support.h"

#include <string.h>
#include <unistd.h>

static struct pl_bounded_reader reader;
static char room[PL_BOUNDED_READ_SIZE];

/* The end to read of a pipe; *to: the end to write. */
static int pipe_of(int *to)
{
    int ends[2];

    ck_assert_int_eq(pipe(ends), 0);
    *to = ends[1];
    return ends[0];
}

static void check_read(const char *text, size_t n)
{
    size_t len;
    int to, from = pipe_of(&to);

    ck_assert_int_eq(write(to, text, n), (ssize_t)n);
    close(to);
    ck_assert_int_eq(pl_bounded_read(&reader, from, room, &len),
                     PL_BOUNDED_READ);
    ck_assert_uint_eq(len, n < sizeof room ? n : sizeof room);
    ck_assert(!memcmp(room, text, len));
    ck_assert_int_eq(close(from), -1); /* it is closed */
}

START_TEST(a_file_is_read_up_to_its_end_or_the_limit)
{
    static char large[2 * PL_BOUNDED_READ_SIZE];

    memset(large, 'x', sizeof large);
    check_read("", 0);
    check_read("hello", 5);
    check_read(large, sizeof large);
    check_read("again", 5);
    pl_bounded_reader_release(&reader);
}
END_TEST

START_TEST(what_hangs_is_left_and_others_are_read)
{
    size_t len;
    int to;

    ck_assert_int_eq(pl_bounded_read(&reader, pipe_of(&to), room, &len),
                     PL_BOUNDED_HUNG);
    ck_assert_uint_eq(len, 0);
    check_read("hello", 5);
    close(to); /* the thread that was left ends */
    check_read("again", 5);
    pl_bounded_reader_release(&reader);
}
END_TEST

START_TEST(a_bounded_number_of_threads_is_left)
{
    int to[PL_BOUNDED_READ_THREADS];
    size_t len;

    for (int i = 0; i < PL_BOUNDED_READ_THREADS; i++)
        ck_assert_int_eq(pl_bounded_read(&reader, pipe_of(&to[i]), room, &len),
                         PL_BOUNDED_HUNG);
    ck_assert_int_eq(pl_bounded_read(&reader, dup(to[0]), room, &len),
                     PL_BOUNDED_NONE);
    for (int i = 0; i < PL_BOUNDED_READ_THREADS; i++)
        close(to[i]);
    pl_bounded_reader_release(&reader);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("bounded_read");
    TCase *const cases[] = { t, NULL };

    tcase_add_test(t, a_file_is_read_up_to_its_end_or_the_limit);
    tcase_add_test(t, what_hangs_is_left_and_others_are_read);
    tcase_add_test(t, a_bounded_number_of_threads_is_left);
    return run_suite("bounded_read", cases);
}
