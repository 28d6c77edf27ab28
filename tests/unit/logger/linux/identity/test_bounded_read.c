/* Reads that come back, and reads that do not. */
#include "logger/linux/identity/bounded_read.h"

#include "format/base/file.h"
#include "format/time/time_text.h"
#include "tests/support/support.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

int64_t __real_pl_clock_steady(void);
int64_t __wrap_pl_clock_steady(void);

/* How much later each look at the clock is, in ns; 0: as it is.  The first file
 * takes a second, and two looks come before it. */
static _Atomic int64_t step;
static atomic_int num_looks;

int64_t __wrap_pl_clock_steady(void)
{
    int64_t n = step ? ++num_looks : 0;

    return step ? n * step + (n > 2) * PL_NS_PER_SEC : __real_pl_clock_steady();
}

static struct pl_bounded_reader reader;
static struct pl_bounded_texts texts;

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
    struct pl_text got;
    size_t num_read;
    int to, from = pipe_of(&to);

    ck_assert_int_eq(write(to, text, n), (ssize_t)n);
    close(to);
    ck_assert_int_eq(pl_bounded_read(&reader, &from, 1, &texts, &num_read),
                     PL_BOUNDED_READ);
    ck_assert_uint_eq(num_read, 1);
    got = pl_bounded_text(&texts, 0);
    ck_assert_uint_eq(got.n,
                      n < PL_BOUNDED_READ_SIZE ? n : PL_BOUNDED_READ_SIZE);
    ck_assert(!memcmp(got.p, text, got.n));
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

/* A pipe with one byte, which is its file's number and all there is. */
static int file_of(char text)
{
    int to, from = pipe_of(&to);

    ck_assert_int_eq(write(to, &text, 1), 1);
    close(to);
    return from;
}

static void check_text(size_t i, char text)
{
    struct pl_text got = pl_bounded_text(&texts, i);

    ck_assert_uint_eq(got.n, 1);
    ck_assert_int_eq(*got.p, text);
}

START_TEST(several_are_read_at_once)
{
    int fds[PL_BOUNDED_READ_FILES];
    size_t num_read;

    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < PL_BOUNDED_READ_FILES; i++)
            fds[i] = i == 2 ? -1 : file_of((char)(round * 16 + i));
        ck_assert_int_eq(pl_bounded_read(&reader, fds, PL_BOUNDED_READ_FILES,
                                         &texts, &num_read),
                         PL_BOUNDED_READ);
        ck_assert_uint_eq(num_read, PL_BOUNDED_READ_FILES);
        for (int i = 0; i < PL_BOUNDED_READ_FILES; i++)
            if (i == 2)
                ck_assert_uint_eq(pl_bounded_text(&texts, 2).n, 0);
            else
                check_text((size_t)i, (char)(round * 16 + i));
    }
    pl_bounded_reader_release(&reader);
}
END_TEST

/* As long as they may be, each. */
START_TEST(long_ones_have_room_beside_each_other)
{
    static char longest[PL_BOUNDED_READ_SIZE];
    int fds[PL_BOUNDED_READ_FILES], to;
    size_t num_read;

    for (int i = 0; i < PL_BOUNDED_READ_FILES; i++) {
        memset(longest, i, sizeof longest);
        fds[i] = pipe_of(&to);
        ck_assert_int_eq(write(to, longest, sizeof longest), sizeof longest);
        close(to);
    }
    ck_assert_int_eq(
        pl_bounded_read(&reader, fds, PL_BOUNDED_READ_FILES, &texts, &num_read),
        PL_BOUNDED_READ);
    for (int i = 0; i < PL_BOUNDED_READ_FILES; i++) {
        struct pl_text got = pl_bounded_text(&texts, (size_t)i);

        memset(longest, i, sizeof longest);
        ck_assert_uint_eq(got.n, sizeof longest);
        ck_assert(!memcmp(got.p, longest, got.n));
    }
    pl_bounded_reader_release(&reader);
}
END_TEST

START_TEST(what_hangs_is_left_and_others_are_read)
{
    size_t num_read;
    int to, from = pipe_of(&to);

    ck_assert_int_eq(pl_bounded_read(&reader, &from, 1, &texts, &num_read),
                     PL_BOUNDED_HUNG);
    ck_assert_uint_eq(num_read, 0);
    ck_assert_uint_eq(reader.num_hung, 1);
    check_read("hello", 5);
    close(to); /* the thread that was left ends */
    check_read("again", 5);
    pl_bounded_reader_release(&reader);
}
END_TEST

/* Those after it are closed by the thread that was left, once it goes on. */
START_TEST(those_before_one_that_hangs_are_read)
{
    int to, fds[] = { file_of('a'), file_of('b'), pipe_of(&to), file_of('d') };
    size_t num_read;

    ck_assert_int_eq(pl_bounded_read(&reader, fds, 4, &texts, &num_read),
                     PL_BOUNDED_HUNG);
    ck_assert_uint_eq(num_read, 2);
    check_text(0, 'a');
    check_text(1, 'b');
    close(to);
    while (fcntl(fds[3], F_GETFD) >= 0)
        usleep(1000);
    pl_bounded_reader_release(&reader);
}
END_TEST

/* The one that is being read when the time is over has just been begun. */
START_TEST(many_that_take_long_do_not_hang)
{
    int to;
    size_t num_read;

    for (int ms = PL_BOUNDED_READ_HANG_MS - 1; ms <= PL_BOUNDED_READ_HANG_MS;
         ms++) {
        bool hangs = ms == PL_BOUNDED_READ_HANG_MS;
        int fds[] = { file_of('a'), file_of('b'), pipe_of(&to), file_of('d') };

        num_looks = 0;
        step = ms * PL_NS_PER_MS;
        ck_assert_int_eq(pl_bounded_read(&reader, fds, 4, &texts, &num_read),
                         hangs ? PL_BOUNDED_HUNG : PL_BOUNDED_SLOW);
        step = 0;
        ck_assert_uint_eq(num_read, 2);
        check_text(0, 'a');
        check_text(1, 'b');
        ck_assert_uint_eq(reader.num_hung, hangs);
        close(to);
        while (fcntl(fds[3], F_GETFD) >= 0)
            usleep(1000);
    }
    pl_bounded_reader_release(&reader);
}
END_TEST

/* Who is no longer waited for has no use for the rest. */
START_TEST(what_follows_one_that_hangs_is_not_read)
{
    int to, to_next, next = pipe_of(&to_next), look = dup(next);
    int fds[] = { pipe_of(&to), next };
    char text[8];
    size_t num_read;

    ck_assert_int_eq(write(to_next, "text", 4), 4);
    ck_assert_int_eq(pl_bounded_read(&reader, fds, 2, &texts, &num_read),
                     PL_BOUNDED_HUNG);
    close(to);
    while (fcntl(next, F_GETFD) >= 0)
        usleep(1000);
    close(to_next);
    ck_assert_int_eq(read(look, text, sizeof text), 4);
    close(look);
    pl_bounded_reader_release(&reader);
}
END_TEST

START_TEST(a_bounded_number_of_threads_is_left)
{
    int to[PL_BOUNDED_READ_THREADS], from;
    size_t num_read;

    for (int i = 0; i < PL_BOUNDED_READ_THREADS; i++) {
        from = pipe_of(&to[i]);
        ck_assert_int_eq(pl_bounded_read(&reader, &from, 1, &texts, &num_read),
                         PL_BOUNDED_HUNG);
    }
    from = dup(to[0]);
    ck_assert_int_eq(pl_bounded_read(&reader, &from, 1, &texts, &num_read),
                     PL_BOUNDED_NONE);
    ck_assert_uint_eq(num_read, 0);
    ck_assert_int_eq(close(from), -1); /* it is closed, all the same */
    for (int i = 0; i < PL_BOUNDED_READ_THREADS; i++)
        close(to[i]);
    do { /* those that go on make room for others */
        usleep(1000);
        from = file_of('a');
    } while (pl_bounded_read(&reader, &from, 1, &texts, &num_read) ==
             PL_BOUNDED_NONE);
    check_text(0, 'a');
    pl_bounded_reader_release(&reader);
}
END_TEST

/* A user who makes reads hang again and again delays few samples. */
START_TEST(hangs_are_forgotten_one_after_the_other)
{
    const int64_t forget = PL_BOUNDED_READ_FORGET_S * PL_NS_PER_SEC;
    size_t num_read;
    int from;

    for (int past = 0; past < 3; past++) {
        reader.num_hung = PL_BOUNDED_READ_HANGS + 1;
        reader.forgot_ns = pl_clock_steady() - past * forget;
        from = file_of('a');
        ck_assert_int_eq(pl_bounded_read(&reader, &from, 1, &texts, &num_read),
                         past < 2 ? PL_BOUNDED_NONE : PL_BOUNDED_READ);
        ck_assert_int_eq(reader.num_hung, PL_BOUNDED_READ_HANGS + 1 - past);
        ck_assert_int_ge(reader.forgot_ns, pl_clock_steady() - forget);
    }
    pl_bounded_reader_release(&reader);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("bounded_read");
    TCase *const cases[] = { t, NULL };

    tcase_add_test(t, a_file_is_read_up_to_its_end_or_the_limit);
    tcase_add_test(t, several_are_read_at_once);
    tcase_add_test(t, long_ones_have_room_beside_each_other);
    tcase_add_test(t, what_hangs_is_left_and_others_are_read);
    tcase_add_test(t, those_before_one_that_hangs_are_read);
    tcase_add_test(t, many_that_take_long_do_not_hang);
    tcase_add_test(t, what_follows_one_that_hangs_is_not_read);
    tcase_add_test(t, a_bounded_number_of_threads_is_left);
    tcase_add_test(t, hangs_are_forgotten_one_after_the_other);
    return run_suite("bounded_read", cases);
}
