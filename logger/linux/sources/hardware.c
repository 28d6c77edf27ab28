/*
 * Clocks and idle states of processors, sensors and power domains, in /sys:
 * drivers/cpufreq/cpufreq.c, drivers/cpuidle/sysfs.c, drivers/hwmon/,
 * drivers/thermal/thermal_sysfs.c and drivers/powercap/powercap_sys.c.
 */
#include "logger/linux/sources/member_files.h"
#include "logger/linux/machine/machine.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* clang-format off */
#define FAMILY .open = pl_member_files_open, .read = pl_member_files_read,                 \
    .close = pl_member_files_close
#define FIELDS(table) .fields = table,                                         \
    .num_fields = sizeof table / sizeof *table
#define PARTS(table) .parts = table, .num_parts = sizeof table / sizeof *table
/* clang-format on */

enum { WORD_ROOM = 128, PATH_ROOM = 256 };

#define CPUS "devices/system/cpu"

/* ---- clocks ------------------------------------------------------------- */

/* clang-format off */
enum { CUR_FREQ, INFO_MAX_FREQ, MAX_FREQ, CORE_THROTTLES, PACKAGE_THROTTLES };

static const struct pl_field clocks_fields[] = {
    [CUR_FREQ] = PL_FIELD("scaling_cur_freq"), /* kHz, as the next two */
    [INFO_MAX_FREQ] = PL_FIELD("cpuinfo_max_freq"),
    [MAX_FREQ] = PL_FIELD("scaling_max_freq"),
    [CORE_THROTTLES] = PL_FIELD("core_throttle_count"),
    [PACKAGE_THROTTLES] = PL_FIELD("package_throttle_count"),
};

/* The file of an offline processor exists but cannot be read. */
static const struct pl_part clocks_parts[] = {
    PL_PART("/cpufreq/scaling_cur_freq", PL_NUMBERS, CUR_FREQ, 1,
      .essential = true),
    PL_PART("/cpufreq/cpuinfo_max_freq", PL_NUMBERS, INFO_MAX_FREQ, 1),
    PL_PART("/cpufreq/scaling_max_freq", PL_NUMBERS, MAX_FREQ, 1),
    PL_PART("/thermal_throttle/core_throttle_count", PL_NUMBERS, CORE_THROTTLES, 1),
    PL_PART("/thermal_throttle/package_throttle_count", PL_NUMBERS,
      PACKAGE_THROTTLES, 1),
};
/* clang-format on */

static enum pl_status add_cpu(struct pl_member_files_source *f, const char *dir,
                              const char *entry, uint64_t n)
{
    char path[PATH_ROOM];

    snprintf(path, sizeof path, "%s/%s", dir, entry);
    return pl_member_files_add(f, pl_text_of(entry + strlen("cpu")),
                               pl_text_of(path), n, 0, PL_SHOWN);
}

static enum pl_status list_cpus(struct pl_member_files_source *f)
{
    return pl_member_files_each(f, CPUS, "cpu", add_cpu);
}

/* clang-format off */
static const struct pl_member_files clocks = {
    .in_sys = true, PARTS(clocks_parts), .list = list_cpus,
};

const struct pl_source_kind pl_clocks_kind = {
    .name = "clocks", FAMILY, FIELDS(clocks_fields), .family = &clocks,
    .path = CPUS "/cpu0/cpufreq",
};

/* ---- idle states -------------------------------------------------------- */

enum { TIME, USAGE, REJECTED };

static const struct pl_field idle_fields[] = {
    [TIME] = PL_FIELD("time"), /* us */
    [USAGE] = PL_FIELD("usage"),
    [REJECTED] = PL_FIELD("rejected"),
};

static const struct pl_part idle_parts[] = {
    PL_PART("/time", PL_NUMBERS, TIME, 1, .essential = true),
    PL_PART("/usage", PL_NUMBERS, USAGE, 1),
    PL_PART("/rejected", PL_NUMBERS, REJECTED, 1),
};
/* clang-format on */

/* "…/cpu3/cpuidle" "state2": "3 C6" */
static enum pl_status add_state(struct pl_member_files_source *f,
                                const char *dir, const char *entry, uint64_t n)
{
    unsigned cpu = 0;
    char path[PATH_ROOM], word[WORD_ROOM], name[WORD_ROOM + 16];
    struct pl_text text;

    snprintf(path, sizeof path, "%s/%s/name", dir, entry);
    text = pl_member_files_word(f, path, word, sizeof word);
    snprintf(path, sizeof path, "%s/%s", dir, entry);
    sscanf(dir, CPUS "/cpu%u", &cpu);
    snprintf(name, sizeof name, "%u %.*s", cpu, (int)text.n, text.p);
    return pl_member_files_add(f, pl_text_of(name), pl_text_of(path),
                               (uint64_t)cpu << 32 | n, 0, PL_SHOWN);
}

static enum pl_status add_states(struct pl_member_files_source *f,
                                 const char *dir, const char *entry, uint64_t n)
{
    char path[PATH_ROOM];

    (void)n;
    snprintf(path, sizeof path, "%s/%s/cpuidle", dir, entry);
    return pl_member_files_each(f, path, "state", add_state);
}

static enum pl_status list_states(struct pl_member_files_source *f)
{
    return pl_member_files_each(f, CPUS, "cpu", add_states);
}

/* clang-format off */
static const struct pl_member_files idle = {
    .in_sys = true, PARTS(idle_parts), .list = list_states,
};

const struct pl_source_kind pl_idle_kind = {
    .name = "idle", FAMILY, FIELDS(idle_fields), .family = &idle,
    .path = CPUS "/cpu0/cpuidle",
};

/* ---- temperatures and fans ---------------------------------------------- */

enum { INPUT, CRIT, CRIT_ALARM };

static const struct pl_field temperature_fields[] = {
    [INPUT] = PL_FIELD("input"), /* thousandths of a degree */
    [CRIT] = PL_FIELD("crit"),
    [CRIT_ALARM] = PL_FIELD("alarm"),
};

/* Of "class/hwmon/hwmon0/temp1" and of "class/thermal/thermal_zone0". */
static const struct pl_part temperature_parts[] = {
    PL_PART("_input", PL_NUMBERS, INPUT, 1),
    PL_PART("/temp", PL_NUMBERS, INPUT, 1, .essential = true, .otherwise = true),
    PL_PART("_crit", PL_NUMBERS, CRIT, 1),
    PL_PART("_crit_alarm", PL_NUMBERS, CRIT_ALARM, 1),
    PL_PART("_alarm", PL_NUMBERS, CRIT_ALARM, 1, .otherwise = true),
};

static const struct pl_field fan_fields[] = { PL_FIELD("rpm") };

static const struct pl_part fan_parts[] = {
    PL_PART("_input", PL_NUMBERS, 0, 1, .essential = true),
};
/* clang-format on */

/* What the chip is of: "nvme0", "coretemp.1"; "hwmon2" if it does not say. */
static struct pl_text device_of(struct pl_member_files_source *f,
                                const char *chip, char room[WORD_ROOM])
{
    char path[PATH_ROOM];
    const char *name;
    ssize_t n;

    snprintf(path, sizeof path, "%s/device", chip);
    f->base.machine->system_calls++;
    n = readlinkat(f->dir, path, room, WORD_ROOM - 1);
    if (n > 0)
        room[n] = 0;
    name = strrchr(n > 0 ? room : chip, '/');
    return pl_text_of(name ? name + 1 : room);
}

/* The chip's name and the sensor's label: "coretemp Core 0", of which the chip's
 * device may become a part. */
static enum pl_status add_sensor(struct pl_member_files_source *f,
                                 const char *chip, const char *sensor,
                                 uint64_t order)
{
    char path[PATH_ROOM], of_chip[WORD_ROOM], of_sensor[WORD_ROOM];
    char device[WORD_ROOM], name[3 * WORD_ROOM + 2];
    struct pl_text a, b, c = device_of(f, chip, device);
    enum pl_status s;
    int whole;

    snprintf(path, sizeof path, "%s/name", chip);
    a = pl_member_files_word(f, path, of_chip, sizeof of_chip);
    snprintf(path, sizeof path, "%s/%s_label", chip, sensor);
    b = pl_member_files_word(f, path, of_sensor, sizeof of_sensor);
    if (!b.n)
        b = pl_text_of(sensor);
    whole = snprintf(name, sizeof name, "%.*s %.*s %.*s", (int)a.n, a.p,
                     (int)b.n, b.p, (int)c.n, c.p);
    snprintf(path, sizeof path, "%s/%s", chip, sensor);
    s = pl_member_files_add(f, (struct pl_text){ name, (size_t)whole },
                            pl_text_of(path), order, 0, PL_SHOWN);
    if (!s) {
        struct pl_member *m = &f->next.list[f->next.num - 1];

        m->whole_n = m->name.n;
        m->name.n -= c.n + 1;
    }
    return s;
}

static struct pl_text name_of(const struct pl_members *list, size_t i, size_t n)
{
    return (struct pl_text){
        (const char *)list->texts.p + list->list[i].name_at, n
    };
}

static const struct pl_member *find_member(const struct pl_members *list,
                                           uint64_t order)
{
    for (size_t i = 0; i < list->num; i++)
        if (list->list[i].order == order)
            return &list->list[i];
    return NULL;
}

/* A sensor keeps its name while others come and go. */
static bool needs_device(const struct pl_member_files_source *f, size_t i)
{
    const struct pl_members *list = &f->next;
    const struct pl_member *m = &list->list[i];
    const struct pl_member *old = find_member(&f->now, m->order);
    struct pl_text name = name_of(list, i, m->name.n);
    bool needs = false;

    if (old && pl_text_equal(old->name, name_of(list, i, m->whole_n)))
        return true;
    if (old && pl_text_equal(old->name, name))
        return false;
    for (size_t k = 0; k < list->num && !needs; k++)
        needs = k != i &&
                pl_text_equal(name, name_of(list, k, list->list[k].name.n));
    return needs;
}

/* Two disks or processors of a kind have sensors of equal names: their devices
 * become a part of these, so that no series is of one, then of the other. */
static void tell_apart(struct pl_member_files_source *f)
{
    struct pl_members *list = &f->next;

    for (size_t i = 0; i < list->num; i++)
        if (!needs_device(f, i))
            list->list[i].whole_n = list->list[i].name.n;
    for (size_t i = 0; i < list->num; i++)
        list->list[i].name.n = list->list[i].whole_n;
}

static enum pl_status list_sensors(struct pl_member_files_source *f,
                                   pl_found *found)
{
    enum pl_status s = pl_member_files_each(f, "class/hwmon", "hwmon", found);

    if (!s)
        tell_apart(f);
    return s;
}

/* Sensors are numbered from 0 or 1, with holes; there are never many. */
static enum pl_status add_sensors(struct pl_member_files_source *f,
                                  const char *dir, const char *entry,
                                  uint64_t n, const char *kind)
{
    enum { MAX_SENSORS = 64 };
    enum pl_status s = PL_OK;
    char chip[WORD_ROOM], path[PATH_ROOM], sensor[32];

    snprintf(chip, sizeof chip, "%s/%s", dir, entry);
    for (unsigned i = 0; i < MAX_SENSORS && !s; i++) {
        snprintf(sensor, sizeof sensor, "%s%u", kind, i);
        if ((size_t)snprintf(path, sizeof path, "%s/%s_input", chip, sensor) <
                sizeof path &&
            pl_sys_exists(f->base.machine, path))
            s = add_sensor(f, chip, sensor, n << 16 | i);
    }
    return s;
}

static enum pl_status add_temperatures(struct pl_member_files_source *f,
                                       const char *dir, const char *entry,
                                       uint64_t n)
{
    return add_sensors(f, dir, entry, n, "temp");
}

/* "zone0 x86_pkg_temp", after all chips */
static enum pl_status add_zone(struct pl_member_files_source *f,
                               const char *dir, const char *entry, uint64_t n)
{
    char path[PATH_ROOM], word[WORD_ROOM], name[WORD_ROOM + 32];
    struct pl_text type;

    snprintf(path, sizeof path, "%s/%s/type", dir, entry);
    type = pl_member_files_word(f, path, word, sizeof word);
    snprintf(name, sizeof name, "zone%llu %.*s", (unsigned long long)n,
             (int)type.n, type.p);
    snprintf(path, sizeof path, "%s/%s", dir, entry);
    return pl_member_files_add(f, pl_text_of(name), pl_text_of(path),
                               UINT64_C(1) << 62 | n, 0, PL_SHOWN);
}

static enum pl_status list_temperatures(struct pl_member_files_source *f)
{
    enum pl_status s = list_sensors(f, add_temperatures);

    return s ? s
             : pl_member_files_each(f, "class/thermal", "thermal_zone",
                                    add_zone);
}

static enum pl_status add_fans(struct pl_member_files_source *f,
                               const char *dir, const char *entry, uint64_t n)
{
    return add_sensors(f, dir, entry, n, "fan");
}

static enum pl_status list_fans(struct pl_member_files_source *f)
{
    return list_sensors(f, add_fans);
}

/* Values are unsigned: below 0 degrees is stored as 0. */
static void not_below_zero(struct pl_member_files_source *f, size_t member,
                           uint64_t *values, uint64_t *seen)
{
    (void)f;
    (void)member;
    (void)seen;
    if (values[INPUT] > INT64_MAX)
        values[INPUT] = 0;
    if (values[CRIT] > INT64_MAX)
        values[CRIT] = 0;
}

/* clang-format off */
static const struct pl_member_files temperatures = {
    .in_sys = true, PARTS(temperature_parts), .list = list_temperatures,
    .finish = not_below_zero,
};

const struct pl_source_kind pl_temperatures_kind = {
    .name = "temperatures", FAMILY, FIELDS(temperature_fields),
    .family = &temperatures, .path = "class/hwmon",
};

static const struct pl_member_files fans = {
    .in_sys = true, PARTS(fan_parts), .list = list_fans,
};

const struct pl_source_kind pl_fans_kind = {
    .name = "fans", FAMILY, FIELDS(fan_fields), .family = &fans,
    .path = "class/hwmon",
};

/* ---- power -------------------------------------------------------------- */

enum { ENERGY_UJ, SUM_UJ, ENERGY_MJ, RANGE_UJ, LIMIT_UW, ASLEEP_NS, READ_NS };

static const struct pl_field power_fields[] = {
    [ENERGY_UJ] = PL_FIELD("energy_uj"),
    [SUM_UJ] = PL_FIELD("sum_uj"), /* continues where energy_uj wraps */
    [ENERGY_MJ] = PL_FIELD("energy_mj"),
    [RANGE_UJ] = PL_FIELD("max_energy_range_uj"),
    [LIMIT_UW] = PL_FIELD("limit_uw"),
    [ASLEEP_NS] = { .group = PL_NO_GROUP }, /* since the boot, no field */
    [READ_NS] = { .group = PL_NO_GROUP },   /* CLOCK_MONOTONIC, likewise */
};

static const struct pl_part power_parts[] = {
    PL_PART("/energy_uj", PL_NUMBERS, ENERGY_UJ, 1, .essential = true),
    PL_PART("/max_energy_range_uj", PL_NUMBERS, RANGE_UJ, 1),
    PL_PART("/constraint_0_power_limit_uw", PL_NUMBERS, LIMIT_UW, 1),
};
/* clang-format on */

static enum pl_status add_domain(struct pl_member_files_source *f,
                                 const char *dir, const char *entry, uint64_t n)
{
    char path[PATH_ROOM], word[WORD_ROOM], name[PATH_ROOM + WORD_ROOM];
    struct pl_text text;

    snprintf(path, sizeof path, "%s/%s/name", dir, entry);
    text = pl_member_files_word(f, path, word, sizeof word);
    if (!text.n)
        return PL_OK; /* not a domain, but a control type */
    snprintf(name, sizeof name, "%s %.*s", entry, (int)text.n, text.p);
    snprintf(path, sizeof path, "%s/%s", dir, entry);
    return pl_member_files_add(f, pl_text_of(name), pl_text_of(path), n, 0,
                               PL_SHOWN);
}

static enum pl_status list_domains(struct pl_member_files_source *f)
{
    return pl_member_files_each(f, "class/powercap", NULL, add_domain);
}

/* Clocks are read one after the other: less is not a suspend. */
#define ASLEEP_FROM_NS INT64_C(100000000)

/* More than a domain uses: 10 kW. */
enum { MOST_UJ_PER_US = 10000 };

/*
 * The file's value wraps to 0 after max_energy_range_uj; but hardware that was
 * suspended or reset begins at 0, too: then it would have used too much.
 */
static bool has_wrapped(const uint64_t *old, const uint64_t *now)
{
    uint64_t range = now[RANGE_UJ], before = old[ENERGY_UJ];
    int64_t asleep = (int64_t)(now[ASLEEP_NS] - old[ASLEEP_NS]);
    uint64_t passed_us = (now[READ_NS] - old[READ_NS]) / 1000;

    return asleep < ASLEEP_FROM_NS && before <= range &&
           (range - before + now[ENERGY_UJ]) / MOST_UJ_PER_US < passed_us;
}

/*
 * Where it began again what was used in between is not known: the sum does too,
 * and a counter that falls has no rate.
 */
static uint64_t add_up(const uint64_t *old, const uint64_t *now)
{
    uint64_t energy = now[ENERGY_UJ], before = old[ENERGY_UJ];

    if (energy >= before)
        return old[SUM_UJ] + (energy - before);
    if (has_wrapped(old, now))
        return old[SUM_UJ] + (now[RANGE_UJ] + 1 - before) + energy;
    return energy;
}

static void add_up_energy(struct pl_member_files_source *f, size_t member,
                          uint64_t *values, uint64_t *seen)
{
    const struct pl_tick *now = &f->base.machine->now;
    size_t i = pl_source_before(&f->base, f->base.rows.num - 1);

    (void)member;
    values[ASLEEP_NS] = (uint64_t)(now->boot_ns - now->monotonic_ns);
    values[READ_NS] = (uint64_t)now->monotonic_ns;
    values[SUM_UJ] =
        i == PL_NO_ROW
            ? values[ENERGY_UJ]
            : add_up(pl_source_rows_values(&f->base.before, i), values);
    values[ENERGY_MJ] = values[SUM_UJ] / 1000;
    if (pl_seen(*seen, ENERGY_UJ))
        *seen |= UINT64_C(1) << SUM_UJ | UINT64_C(1) << ENERGY_MJ;
}

/* Energy is computed from two files that no counter names. */
static enum pl_status power_open(struct pl_source **out, struct pl_machine *m,
                                 const struct pl_source_kind *kind)
{
    enum pl_status s = pl_member_files_open(out, m, kind);

    if (!s)
        (*out)->fields[ENERGY_UJ].wanted = (*out)->fields[RANGE_UJ].wanted =
            true;
    return s;
}

/* clang-format off */
static const struct pl_member_files power = {
    .in_sys = true, PARTS(power_parts), .list = list_domains,
    .finish = add_up_energy,
};

const struct pl_source_kind pl_power_kind = {
    .name = "power", .open = power_open, .read = pl_member_files_read,
    .close = pl_member_files_close, FIELDS(power_fields), .family = &power,
    .path = "class/powercap",
};
/* clang-format on */
