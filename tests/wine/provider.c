/*
 * A provider of performance data for tests, written by Windows' own header.
 * Its state, the number of queries so far, lies in the file that the
 * environment variable PERFLOG_TEST_STEP names, since Wine loads it anew for
 * every query; every value follows from that number:
 *
 *   instance i (from 1):  Step = step,  Gauge = 1000 * i + step,
 *                         Average = (30 * step) / (10 * step),
 *                         Ticks/sec = 100 * i * step, a count
 *
 * The last instance is there in two steps of four.
 *
 * Wine 8 hands out a place 88 bytes behind where the objects belong.  That is
 * put right here, unless PERFLOG_TEST_PLAIN is set.
 */
#include "tests/wine/wine_fault.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

enum {
    OBJECT = 40000,
    STEP = 40002,
    GAUGE = 40004,
    AVERAGE = 40006,
    TICKS = 40008,
    NUM_COUNTERS = 5,
    NUM_NAMES = 6,
    ROOM = 8192,
};

/* What the registry names. */
__declspec(dllexport) PM_OPEN_PROC test_open;
__declspec(dllexport) PM_COLLECT_PROC test_collect;
__declspec(dllexport) PM_CLOSE_PROC test_close;

struct values {
    PERF_COUNTER_BLOCK block;
    DWORD step;
    DWORD gauge;
    DWORD average_base;
    LONGLONG average;
    LONGLONG ticks;
};

static const wchar_t *const names[NUM_NAMES] = {
    L"plain", L"two words", L"a \"quoted\", name",
    L"twin",  L"twin",      L"visitor \u65E5\u672C Gr\u00F6\u00DFe",
};

static const struct {
    DWORD title, type, size, offset;
} counters[NUM_COUNTERS] = {
    { STEP, PERF_COUNTER_RAWCOUNT, 4, offsetof(struct values, step) },
    { GAUGE, PERF_COUNTER_RAWCOUNT, 4, offsetof(struct values, gauge) },
    { AVERAGE, PERF_AVERAGE_BULK, 8, offsetof(struct values, average) },
    { AVERAGE, PERF_AVERAGE_BASE, 4, offsetof(struct values, average_base) },
    { TICKS, PERF_COUNTER_BULK_COUNT, 8, offsetof(struct values, ticks) },
};

static DWORD next_step(void)
{
    const char *path = getenv("PERFLOG_TEST_STEP");
    FILE *f = path ? fopen(path, "r") : NULL;
    unsigned step = 0;

    if (f) {
        if (fscanf(f, "%u", &step) != 1)
            step = 0;
        fclose(f);
    }
    f = path ? fopen(path, "w") : NULL;
    if (f) {
        fprintf(f, "%u", step + 1);
        fclose(f);
    }
    return step + 1;
}

static DWORD round_up(size_t n)
{
    return (DWORD)((n + 7) & ~(size_t)7);
}

static BYTE *put_instance(BYTE *p, unsigned i, DWORD step)
{
    DWORD name_len = (DWORD)((wcslen(names[i]) + 1) * sizeof(wchar_t));
    const PERF_INSTANCE_DEFINITION instance = {
        .ByteLength = round_up(sizeof instance + name_len),
        .UniqueID = PERF_NO_UNIQUE_ID,
        .NameOffset = sizeof instance,
        .NameLength = name_len,
    };
    const struct values values = {
        .block.ByteLength = sizeof values,
        .step = step,
        .gauge = 1000 * (i + 1) + step,
        .average = 30 * (LONGLONG)step,
        .average_base = 10 * step,
        .ticks = 100 * (LONGLONG)(i + 1) * step,
    };

    memcpy(p, &instance, sizeof instance);
    memcpy(p + sizeof instance, names[i], name_len);
    memcpy(p + instance.ByteLength, &values, sizeof values);
    return p + instance.ByteLength + sizeof values;
}

static BYTE *put_counter(BYTE *p, unsigned i)
{
    const PERF_COUNTER_DEFINITION counter = {
        .ByteLength = sizeof counter,
        .CounterNameTitleIndex = counters[i].title,
        .CounterHelpTitleIndex = counters[i].title + 1,
        .DetailLevel = PERF_DETAIL_NOVICE,
        .CounterType = counters[i].type,
        .CounterSize = counters[i].size,
        .CounterOffset = counters[i].offset,
    };

    memcpy(p, &counter, sizeof counter);
    return p + sizeof counter;
}

/* Returns its length. */
static DWORD put_object(BYTE *start, DWORD step)
{
    unsigned num = step % 4 < 2 ? NUM_NAMES : NUM_NAMES - 1;
    PERF_OBJECT_TYPE object = {
        .DefinitionLength =
            sizeof object + NUM_COUNTERS * sizeof(PERF_COUNTER_DEFINITION),
        .HeaderLength = sizeof object,
        .ObjectNameTitleIndex = OBJECT,
        .ObjectHelpTitleIndex = OBJECT + 1,
        .DetailLevel = PERF_DETAIL_NOVICE,
        .NumCounters = NUM_COUNTERS,
        .NumInstances = (LONG)num,
    };
    BYTE *p = start + sizeof object;

    for (unsigned i = 0; i < NUM_COUNTERS; i++)
        p = put_counter(p, i);
    for (unsigned i = 0; i < num; i++)
        p = put_instance(p, i, step);
    object.TotalByteLength = (DWORD)(p - start);
    memcpy(start, &object, sizeof object);
    return object.TotalByteLength;
}

DWORD WINAPI test_open(LPWSTR devices)
{
    (void)devices;
    return ERROR_SUCCESS;
}

DWORD WINAPI test_collect(LPWSTR value, LPVOID *data, LPDWORD len, LPDWORD num)
{
    BYTE *start = *data;

    (void)value;
    if (*len < ROOM) {
        *len = *num = 0;
        return ERROR_MORE_DATA;
    }
    if (!getenv("PERFLOG_TEST_PLAIN") && is_misplaced(start))
        start -= WINE_FAULT;
    *len = put_object(start, next_step());
    *data = start + *len;
    *num = 1;
    return ERROR_SUCCESS;
}

DWORD WINAPI test_close(void)
{
    return ERROR_SUCCESS;
}
