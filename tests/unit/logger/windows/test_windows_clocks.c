/* The clocks of a sample on Windows, where something comes between them. */
#include "format/base/file.h"
#include "format/time/time_text.h"
#include "logger/sampler.h"
#include "tests/support/support.h"

#include <stdlib.h>

/* Something else has the processor for 50 ms before the n-th look at a clock. */
static struct {
    int looks;
    int64_t late_ns;
} elsewhere;

static int64_t late(int64_t ns)
{
    if (elsewhere.looks && !--elsewhere.looks)
        elsewhere.late_ns += 50 * PL_NS_PER_MS;
    return ns + elsewhere.late_ns;
}

int64_t __real_pl_clock_utc(void);
int64_t __wrap_pl_clock_utc(void);
int64_t __wrap_pl_clock_utc(void)
{
    return late(__real_pl_clock_utc());
}

int64_t __real_pl_clock_boot(void);
int64_t __wrap_pl_clock_boot(void);
int64_t __wrap_pl_clock_boot(void)
{
    return late(__real_pl_clock_boot());
}

START_TEST(clocks_are_read_at_one_instant)
{
    struct pl_tick before, now;
    int64_t off;

    pl_sampler_clocks(&before);
    elsewhere.looks = _i;
    pl_sampler_clocks(&now);
    ck_assert_int_eq(elsewhere.looks, 0);
    off = now.utc_ns - now.boot_ns - (before.utc_ns - before.boot_ns);
    ck_assert_msg(llabs(off) < 20 * PL_NS_PER_MS, "%lld", (long long)off);
    ck_assert_int_eq(now.boot_ns - now.monotonic_ns,
                     before.boot_ns - before.monotonic_ns);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("clocks");
    TCase *const tcases[] = { t, NULL };

    tcase_add_loop_test(t, clocks_are_read_at_one_instant, 1, 4);
    return run_suite("windows_clocks", tcases);
}
