/* Parses the header of a trace log, and its time zone. */
#include "analyze/foreign/etl_header.h"

#include "analyze/foreign/foreign.h"
#include "analyze/foreign/seen_bytes.h"
#include "format/base/cursor.h"
#include "format/time/time_text.h"
#include "format/base/utf.h"

#include <stdlib.h>
#include <string.h>

enum {
    EVENT_AT = 0x48, /* offset in the file */
    PAYLOAD = 0x20,  /* offset in the event */
    MOST_EVENT = 4096,
    VERSION_AT = 0x04,
    BUILD_AT = 0x08,
    MODE_AT = 0x20,
    POINTER_SIZE_AT = 0x2C,
    EVENTS_LOST_AT = 0x30,
    POINTERS_AT = 0x38,
    ZONE_LEN = 172,
    ZONE_NAME_LEN = 64,
};

static void read_name(struct pl_cur *c, char *to, size_t cap)
{
    struct pl_buf text = { 0 };
    const uint8_t *p = pl_cur_take(c, ZONE_NAME_LEN);

    *to = 0;
    if (p)
        pl_utf16_to_utf8(&text, p, ZONE_NAME_LEN, false);
    if (!text.oom && text.len < cap) {
        if (text.len)
            memcpy(to, text.p, text.len);
        to[text.len] = 0;
    }
    pl_buf_release(&text);
}

static void read_date(struct pl_cur *c, uint16_t date[8])
{
    for (size_t i = 0; i < 8; i++)
        date[i] = pl_cur_u16(c);
}

static int32_t read_bias(struct pl_cur *c)
{
    int32_t bias = (int32_t)pl_cur_u32(c);

    return bias < -PL_FOREIGN_MOST_BIAS || bias > PL_FOREIGN_MOST_BIAS ? 0
                                                                       : bias;
}

static void read_zone(struct pl_cur *c, struct pl_etl_zone *z)
{
    z->bias = read_bias(c);
    read_name(c, z->standard, sizeof z->standard);
    read_date(c, z->standard_date);
    z->standard_bias = read_bias(c);
    read_name(c, z->daylight, sizeof z->daylight);
    read_date(c, z->daylight_date);
    z->daylight_bias = read_bias(c);
}

enum pl_status pl_etl_read_header(struct pl_file *f, uint64_t size,
                                  struct pl_etl_header *h)
{
    uint8_t event[MOST_EVENT];
    size_t got, pointer, zone;
    struct pl_cur c;
    enum pl_status s =
        pl_seen_read(f, size, EVENT_AT, event, sizeof event, &got);

    if (s || got < PAYLOAD + POINTERS_AT)
        return s;
    c = pl_cur_of(event + PAYLOAD, got - PAYLOAD);
    h->major = c.p[VERSION_AT];
    h->minor = c.p[VERSION_AT + 1];
    h->build = pl_get_le32(c.p + BUILD_AT);
    h->mode = pl_get_le32(c.p + MODE_AT);
    h->events_lost = pl_get_le32(c.p + EVENTS_LOST_AT);
    pointer = pl_get_le32(c.p + POINTER_SIZE_AT) == 4 ? 4 : 8;
    zone = POINTERS_AT + 2 * pointer;
    pl_cur_take(&c, zone);
    read_zone(&c, &h->zone);
    pl_cur_take(&c, (8 - (zone + ZONE_LEN) % 8) % 8);
    h->boot_time = (int64_t)pl_cur_u64(&c);
    pl_cur_take(&c, 8 + 8 + 4); /* PerfFreq, StartTime, clock type */
    h->buffers_lost = pl_cur_u32(&c);
    return PL_OK;
}

/* ---- rule of the zone ---------------------------------------------------- */

/* Days since Sunday, of a day of the Gregorian calendar. */
static int day_of_week(const struct pl_civil *c)
{
    struct pl_civil day = { c->year, c->month, c->day, 0, 0, 0, 0 };
    int64_t days = pl_civil_to_ns(&day) / PL_NS_PER_DAY;

    return (int)(((days + 4) % 7 + 7) % 7);
}

/*
 * The change of that year, in ns of local time: SYSTEMTIME with year 0 means
 * the day'th (5: last) day of the week of a month.
 */
static int64_t change_of(const uint16_t d[8], int year)
{
    struct pl_civil c = { d[0] ? d[0] : year, d[1], 1, d[4], d[5], d[6], 0 };
    struct pl_civil next = { c.year, c.month + 1, 1, 0, 0, 0, 0 };
    int64_t end = pl_civil_to_ns(&next);

    if (d[0]) {
        c.day = d[3];
        return pl_civil_to_ns(&c);
    }
    c.day = 1 + (d[2] - day_of_week(&c) + 7) % 7 + (d[3] ? d[3] - 1 : 0) * 7;
    while (c.day > 28 && pl_civil_to_ns(&c) >= end)
        c.day -= 7;
    return pl_civil_to_ns(&c);
}

static bool is_date(const uint16_t d[8])
{
    return d[1] >= 1 && d[1] <= 12 && d[2] <= 6 && d[3] <= 31 && d[4] <= 24 &&
           d[5] <= 59 && d[6] <= 59 &&
           (!d[0] || (d[0] > 1600 && d[0] < 2300)) && (d[0] || d[3] <= 5);
}

static bool is_daylight(const struct pl_etl_zone *z, int64_t ns)
{
    int year = pl_civil_of(ns).year;
    int64_t begin, end;

    if (!is_date(z->standard_date) || !is_date(z->daylight_date))
        return false;
    begin = change_of(z->daylight_date, year);
    end = change_of(z->standard_date, year);
    return begin < end ? ns >= begin && ns < end : ns >= begin || ns < end;
}

int32_t pl_etl_zone_bias(const struct pl_etl_zone *z, int64_t local,
                         bool *daylight)
{
    int64_t since_1970 = local > 0 ? local - PL_FILETIME_OF_1970 : INT64_MIN;

    *daylight = since_1970 > INT64_MIN / 100 && since_1970 < INT64_MAX / 100 &&
                is_daylight(z, since_1970 * 100);
    return z->bias + (*daylight ? z->daylight_bias : z->standard_bias);
}

/* ---- name of the zone ---------------------------------------------------- */

/* Numbers of standard names in tzres.dll; the daylight name's is 1 less. */
static const struct {
    int number;
    const char *standard, *daylight;
} names[] = {
    { 82, "Atlantic Standard Time", "Atlantic Daylight Time" },
    { 112, "Eastern Standard Time", "Eastern Daylight Time" },
    { 162, "Central Standard Time", "Central Daylight Time" },
    { 192, "Mountain Standard Time", "Mountain Daylight Time" },
    { 212, "Pacific Standard Time", "Pacific Daylight Time" },
    { 222, "Alaskan Standard Time", "Alaskan Daylight Time" },
    { 232, "Hawaiian Standard Time", "Hawaiian Daylight Time" },
    { 262, "GMT Standard Time", "GMT Daylight Time" },
    { 302, "Romance Standard Time", "Romance Daylight Time" },
    { 322, "W. Europe Standard Time", "W. Europe Daylight Time" },
    { 492, "India Standard Time", "India Daylight Time" },
    { 572, "China Standard Time", "China Daylight Time" },
    { 632, "Tokyo Standard Time", "Tokyo Daylight Time" },
    { 672, "AUS Eastern Standard Time", "AUS Eastern Daylight Time" },
    { 932, "Coordinated Universal Time", "Coordinated Universal Time" },
};

static const char *text_of(const char *name)
{
    static const char mark[] = "@tzres.dll,-";
    int number;

    if (strncmp(name, mark, sizeof mark - 1) != 0)
        return name;
    number = atoi(name + sizeof mark - 1);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (names[i].number == number)
            return names[i].standard;
        if (names[i].number == number + 1)
            return names[i].daylight;
    }
    return name;
}

const char *pl_etl_zone_name(const struct pl_etl_zone *z, int32_t bias)
{
    bool daylight = z->daylight_bias != z->standard_bias &&
                    bias == z->bias + z->daylight_bias && *z->daylight;

    return text_of(daylight ? z->daylight : z->standard);
}
