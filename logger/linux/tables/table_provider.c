/* Counters of Perflog Provider, the state of each published region, and of
 * Perflog Limit. */
#include "logger/linux/tables/objects.h"

/* clang-format off */
static const struct pl_counter provider_rows[] = {
    { 21952, "State", PERF_COUNTER_RAWCOUNT, 0, PL_NOVICE, "state", PL_PLAIN,
      PL_TOTAL_NONE,
      "0 live, 1 final (its last values), 2 not believed, 3 busy, 4 duplicate, "
      "5 over a limit." },
    { 21954, "Reason", PERF_COUNTER_RAWCOUNT, 0, PL_NOVICE, "reason", PL_PLAIN,
      PL_TOTAL_NONE,
      "Why the state is not 0, as perflog-provider(7) lists it." },
    { 21956, "Busy Sets", PERF_COUNTER_RAWCOUNT, 0, PL_ADVANCED, "busy",
      PL_PLAIN, PL_TOTAL_SUM,
      "Sets in which a group of updates did not end while it was waited for." },
    { 21958, "Loose Sets/sec", PERF_COUNTER_BULK_COUNT, 0, PL_ADVANCED, "loose",
      PL_PLAIN, PL_TOTAL_SUM,
      "Sets per second that were not of one moment: recorded, as each word is "
      "right by itself, or left out if they have averages or fractions." },
    { 21960, "Retries/sec", PERF_COUNTER_BULK_COUNT, -2, PL_EXPERT, "retries",
      PL_PLAIN, PL_TOTAL_SUM,
      "Copies per second that were made again as a group was under way." },
    { 21962, "Instances Refused", PERF_COUNTER_RAWCOUNT, 0, PL_NOVICE,
      "refused", PL_PLAIN, PL_TOTAL_SUM,
      "Instances that the application could not add." },
    { 21964, "Bytes", PERF_COUNTER_LARGE_RAWCOUNT, -3, PL_ADVANCED, "bytes",
      PL_PLAIN, PL_TOTAL_SUM,
      "Size of the region." },
    { 21966, "ID Process", PERF_COUNTER_RAWCOUNT, 0, PL_NOVICE, "pid",
      PL_PLAIN, PL_TOTAL_NONE,
      "Process number, as the application's file is called." },
    { 21968, "ID User", PERF_COUNTER_RAWCOUNT, 0, PL_ADVANCED, "uid",
      PL_PLAIN, PL_TOTAL_NONE,
      "Number of the user who owns the region." },
    { 21970, "Region", PERF_COUNTER_LARGE_RAWCOUNT_HEX, 0, PL_WIZARD, "region",
      PL_PLAIN, PL_TOTAL_NONE,
      "The region's own number, or its file's." },
    { 21972, "Seconds Old", PERF_COUNTER_LARGE_RAWCOUNT, -2, PL_NOVICE, "age",
      PL_PLAIN, PL_TOTAL_NONE,
      "Time since the region's file was made." },
    { 21974, "Samples Left Out", PERF_COUNTER_LARGE_RAWCOUNT, 0, PL_NOVICE,
      "left_out", PL_PLAIN, PL_TOTAL_SUM,
      "Samples in which a limit left out what the region publishes." },
};

const struct pl_object_def pl_object_perflog_provider = {
    .index = 21950, .name = "Perflog Provider", .level = PL_ADVANCED,
    .help = "Counters that applications publish, and what became of them.",
    .default_counter = 21952, .has_instances = true, .always = true,
    .sources = { PL_PROVIDERS }, .identity = { 21970 },
    .tables = { PL_TABLE(provider_rows) },
};

static const struct pl_counter limit_rows[] = {
    { 21982, "Refusals", PERF_COUNTER_LARGE_RAWCOUNT, 0, PL_NOVICE, "refusals",
      PL_PLAIN, PL_TOTAL_SUM,
      "Regions, files, folders and users that this limit has left out so far, "
      "each in every sample." },
};

const struct pl_object_def pl_object_perflog_limit = {
    .index = 21980, .name = "Perflog Limit", .level = PL_ADVANCED,
    .help = "What limits left out of all that applications publish.",
    .default_counter = 21982, .has_instances = true, .always = true,
    .sources = { PL_PROVIDER_LIMITS },
    .tables = { PL_TABLE(limit_rows) },
};
/* clang-format on */
