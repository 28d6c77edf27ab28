/* Counters of clocks, idle states, temperatures, fans and power. */
#include "logger/linux/tables/objects.h"

/* clang-format off */
static const struct pl_counter cpu_frequency_rows[] = {
    { 20902, "Current Frequency", PERF_COUNTER_LARGE_RAWCOUNT, -7, PL_NOVICE,
      "scaling_cur_freq * 1000 | khz * 1000", PL_PLAIN, PL_TOTAL_MEAN,
      "Clock of the processor in hertz, as its driver reports it." },
    { 20904, "% of Maximum Frequency", PERF_LARGE_RAW_FRACTION, 0, PL_NOVICE,
      "scaling_cur_freq", PL_PLAIN, PL_TOTAL_SUM,
      "That clock in per cent of the highest." },
    { .index = 20904, .type = PERF_LARGE_RAW_BASE, .from = "cpuinfo_max_freq" },
    { 20906, "Allowed Maximum Frequency", PERF_COUNTER_LARGE_RAWCOUNT, -7,
      PL_EXPERT, "scaling_max_freq * 1000", PL_PLAIN, PL_TOTAL_MEAN,
      "Highest clock now allowed by policy or heat, in hertz." },
    { 20908, "Core Throttles/sec", PERF_COUNTER_BULK_COUNT, 0, PL_ADVANCED,
      "core_throttle_count", PL_PLAIN, PL_TOTAL_SUM,
      "Times per second the core was slowed for heat." },
    { 20910, "Package Throttles/sec", PERF_COUNTER_BULK_COUNT, 0, PL_ADVANCED,
      "package_throttle_count", PL_PLAIN, PL_TOTAL_NONE,
      "Times per second the processor package was slowed for heat." },
};

const struct pl_object_def pl_object_cpu_frequency = {
    .index = 20900, .name = "CPU Frequency", .level = PL_EXPERT,
    .help = "Clock of each processor.",
    .default_counter = 20902,
    .has_instances = true, .default_from = PL_ON_REQUEST,
    .sources = { PL_CLOCKS, PL_CPUINFO },
    .tables = { PL_TABLE(cpu_frequency_rows) },
};

static const struct pl_counter idle_state_rows[] = {
    { 20952, "% Time", PERF_100NSEC_TIMER, 0, PL_WIZARD, "time", PL_US,
      PL_TOTAL_NONE,
      "Share of time the processor was asked to sleep in this state." },
    { 20954, "Entries/sec", PERF_COUNTER_BULK_COUNT, -1, PL_WIZARD, "usage",
      PL_PLAIN, PL_TOTAL_NONE,
      "Times per second this state was entered." },
    { 20956, "Rejections/sec", PERF_COUNTER_BULK_COUNT, 0, PL_WIZARD,
      "rejected", PL_PLAIN, PL_TOTAL_NONE,
      "Times per second this state was refused.",
      PL_LINUX(5, 11) },
};

const struct pl_object_def pl_object_processor_idle_state = {
    .index = 20950, .name = "Processor Idle State", .level = PL_WIZARD,
    .help = "Sleep states of each processor.",
    .default_counter = 20952,
    .has_instances = true, .default_from = PL_ON_REQUEST,
    .sources = { PL_IDLE },
    .tables = { PL_TABLE(idle_state_rows) },
};

static const struct pl_counter temperature_rows[] = {
    { 21002, "Temperature Celsius", PL_NUMBER_DEC_1000, 0, PL_NOVICE, "input",
      PL_PLAIN, PL_TOTAL_NONE,
      "Temperature in degrees Celsius, not below 0." },
    { 21004, "Critical Celsius", PL_NUMBER_DEC_1000, 0, PL_EXPERT, "crit",
      PL_PLAIN, PL_TOTAL_NONE,
      "Temperature at which damage threatens, 0 if unknown." },
    { 21006, "Alarm", PERF_COUNTER_RAWCOUNT, 1, PL_ADVANCED, "alarm", PL_PLAIN,
      PL_TOTAL_NONE,
      "1 while the sensor raises an alarm." },
};

const struct pl_object_def pl_object_temperature_sensor = {
    .index = 21000, .name = "Temperature Sensor", .level = PL_ADVANCED,
    .help = "Temperatures of processors, disks and boards.",
    .default_counter = 21002,
    .has_instances = true, .default_from = PL_ON_REQUEST,
    .sources = { PL_TEMPERATURES },
    .tables = { PL_TABLE(temperature_rows) },
};

static const struct pl_counter fan_rows[] = {
    { 21052, "Revolutions/min", PERF_COUNTER_RAWCOUNT, -2, PL_ADVANCED, "rpm",
      PL_PLAIN, PL_TOTAL_NONE,
      "Speed of the fan." },
};

const struct pl_object_def pl_object_fan_sensor = {
    .index = 21050, .name = "Fan Sensor", .level = PL_ADVANCED,
    .help = "Speeds of fans.",
    .default_counter = 21052,
    .has_instances = true, .default_from = PL_ON_REQUEST,
    .sources = { PL_FANS },
    .tables = { PL_TABLE(fan_rows) },
};

static const struct pl_counter power_domain_rows[] = {
    { 21102, "Power Milliwatts", PERF_COUNTER_BULK_COUNT, -3, PL_NOVICE,
      "energy_mj", PL_PLAIN, PL_TOTAL_NONE,
      "Mean power of the domain in milliwatts; unknown where the hardware "
      "began to count again, as after a suspend." },
    { 21104, "Power Limit Milliwatts", PERF_COUNTER_LARGE_RAWCOUNT, -3,
      PL_EXPERT, "limit_uw", PL_PER_1000, PL_TOTAL_NONE,
      "Long-term power limit in milliwatts." },
};

const struct pl_object_def pl_object_power_domain = {
    .index = 21100, .name = "Power Domain", .level = PL_ADVANCED,
    .help = "Power drawn by processors, their memory and other parts.",
    .default_counter = 21102,
    .has_instances = true, .default_from = PL_ON_REQUEST,
    .sources = { PL_POWER },
    .tables = { PL_TABLE(power_domain_rows) },
};
/* clang-format on */
