/* Sensors of equal names, and energy that wraps or begins again. */
#include "tests/support/proc_tree.h"
#include "tests/support/sample.h"
#include "tests/support/support.h"

#include <stdio.h>
#include <unistd.h>

static struct sample sample;

static void open_all(void)
{
    proc_tree_make(temp_dir());
    ck_assert_int_eq(sample_open_all(&sample, temp_dir()), PL_OK);
    sample_take(&sample);
}

static void put(const char *path, const char *text)
{
    proc_tree_put(temp_dir(), path, text);
}

static void gone(const char *path)
{
    proc_tree_remove(temp_dir(), path);
}

#define DOMAIN "sys/class/powercap/intel-rapl:0"

/* Milliwatt seconds so far, after a time in which it slept for some more. */
static uint64_t energy_later(const char *uj, int64_t awake_ns,
                             int64_t asleep_ns)
{
    put(DOMAIN "/energy_uj", uj);
    sample.tick.monotonic_ns += awake_ns;
    sample.tick.boot_ns += awake_ns + asleep_ns;
    ck_assert_int_eq(pl_sampler_read(sample.sampler, &sample.tick,
                                     &sample.stats, &sample.block),
                     PL_OK);
    return value_of(&sample, "Power Domain", "intel-rapl:0 package-0",
                    "Power Milliwatts");
}

/* Likewise, after a second. */
static uint64_t energy_after(const char *uj, int64_t asleep_ns)
{
    return energy_later(uj, INT64_C(1000000000), asleep_ns);
}

START_TEST(energy_goes_on_behind_its_largest_value)
{
    open_all();
    /* 5,000,000 to 9,999,999 and on to 2,000,000: 12,000,000 uJ in all */
    ck_assert_uint_eq(energy_after("2000000\n", 1000000), 12000);
    ck_assert_uint_eq(energy_after("3000000\n", 0), 13000);
    sample_close(&sample);
}
END_TEST

/* A sample in a minute, as of 3.5 kW: more than half of the range in each. */
START_TEST(energy_wraps_wherever_it_is)
{
    const int64_t minute_ns = INT64_C(60000000000);

    open_all();
    put(DOMAIN "/max_energy_range_uj", "262143328850\n");
    energy_after("100000000000\n", 0);
    ck_assert_uint_eq(energy_later("50000000000\n", minute_ns, 0), 312143328);
    ck_assert_uint_eq(energy_later("260000000000\n", minute_ns, 0), 522143328);
    ck_assert_uint_eq(energy_later("200000000000\n", minute_ns, 0), 724286657);
    ck_assert_uint_eq(energy_later("500000000\n", minute_ns / 6, 0), 786929986);
    sample_close(&sample);
}
END_TEST

/* It falls where the hardware began again, and so has no rate: what was used
 * since is known, but not what was used before. */
START_TEST(energy_that_began_again_has_not_wrapped)
{
    open_all();
    energy_after("5000000\n", 0);
    ck_assert_uint_eq(energy_after("2000000\n", INT64_C(3000000000)), 2000);
    put(DOMAIN "/max_energy_range_uj", "262143328850\n");
    energy_after("250000000000\n", 0); /* 256 kW, were it a wrap */
    ck_assert_uint_eq(energy_after("244000000000\n", 0), 244000000);
    ck_assert_uint_eq(energy_after("244500000000\n", 0), 244500000);
    put(DOMAIN "/max_energy_range_uj", "9999999\n");
    ck_assert_uint_eq(energy_after("8500000\n", 0), 8500); /* was above it */
    energy_after("10000004\n", 0);
    ck_assert_uint_eq(energy_after("5000000\n", 0), 5000);
    gone(DOMAIN "/max_energy_range_uj");
    ck_assert_uint_eq(energy_after("1000000\n", 0), 1000);
    sample_close(&sample);
}
END_TEST

static void put_disk(const char *chip, const char *device, const char *celsius)
{
    char path[128];

    snprintf(path, sizeof path, "sys/class/hwmon/%s/name", chip);
    put(path, "nvme\n");
    snprintf(path, sizeof path, "sys/class/hwmon/%s/temp1_label", chip);
    put(path, "Composite\n");
    snprintf(path, sizeof path, "sys/class/hwmon/%s/temp1_input", chip);
    put(path, celsius);
    snprintf(path, sizeof path, "%s/sys/class/hwmon/%s/device", temp_dir(),
             chip);
    if (device)
        ck_assert_int_eq(symlink(device, path), 0);
}

static uint64_t celsius_of(const char *name)
{
    return value_of(&sample, "Temperature Sensor", name, "Temperature Celsius");
}

/* Two disks of a kind: the name of one that is taken out is not the other's. */
START_TEST(equal_sensors_are_told_apart)
{
    proc_tree_make(temp_dir());
    put_disk("hwmon2", "../../nvme0", "35\n");
    put_disk("hwmon7", NULL, "71\n");
    ck_assert_int_eq(sample_open_all(&sample, temp_dir()), PL_OK);
    sample_take(&sample);
    ck_assert_uint_eq(celsius_of("nvme Composite nvme0"), 35);
    ck_assert_uint_eq(celsius_of("nvme Composite hwmon7"), 71);
    gone("sys/class/hwmon/hwmon2/temp1_input");
    sample_take(&sample);
    ck_assert(
        !has_instance(&sample, "Temperature Sensor", "nvme Composite nvme0"));
    ck_assert_uint_eq(celsius_of("nvme Composite hwmon7"), 71);
    sample_close(&sample);
}
END_TEST

START_TEST(a_sensor_keeps_its_name)
{
    proc_tree_make(temp_dir());
    put_disk("hwmon7", "../../nvme1", "71\n");
    ck_assert_int_eq(sample_open_all(&sample, temp_dir()), PL_OK);
    sample_take(&sample);
    ck_assert_uint_eq(celsius_of("nvme Composite"), 71);
    put_disk("hwmon2", "../../nvme0", "35\n");
    sample_take(&sample);
    ck_assert_uint_eq(celsius_of("nvme Composite"), 71);
    ck_assert_uint_eq(celsius_of("nvme Composite nvme0"), 35);
    sample_close(&sample);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("hardware");
    TCase *const tcases[] = { t, NULL };

    tcase_add_test(t, energy_goes_on_behind_its_largest_value);
    tcase_add_test(t, energy_wraps_wherever_it_is);
    tcase_add_test(t, energy_that_began_again_has_not_wrapped);
    tcase_add_test(t, equal_sensors_are_told_apart);
    tcase_add_test(t, a_sensor_keeps_its_name);
    return run_suite("linux_hardware", tcases);
}
