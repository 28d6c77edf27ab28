/* The zone in force, and the arithmetic of offsets. */
#include "format/time/zone.h"

#include "format/time/zone_system.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { DAY = 86400 };

/* The zone in force; by_system: zone_system.h gives its offsets. */
static struct {
    bool by_system;
    int32_t offset;
    char name[PL_ZONE_NAME];
    char followed[PL_ZONE_NAME]; /* zone in use by zone_system.h; empty: the
                                  * machine's own */
} zone = { .name = "UTC" };

/* "+2", "+02", "+0200", "+02:00"; false if it is not an offset. */
static bool parse_offset(const char *text, int32_t *seconds)
{
    const char *s = text + 1;
    int hours = 0;
    int minutes = 0;
    int digits;

    if (*text != '+' && *text != '-')
        return false;
    for (digits = 0; digits < 2 && *s >= '0' && *s <= '9'; digits++)
        hours = hours * 10 + (*s++ - '0');
    if (!digits)
        return false;
    if (*s) {
        s += *s == ':';
        for (digits = 0; digits < 2 && *s >= '0' && *s <= '9'; digits++)
            minutes = minutes * 10 + (*s++ - '0');
        if (digits != 2)
            return false;
    }
    if (*s || hours >= 24 || minutes >= 60)
        return false;
    *seconds = (hours * 60 + minutes) * 60;
    if (*text == '-')
        *seconds = -*seconds;
    return true;
}

/* ---- the zone in force -------------------------------------------------- */

static enum pl_status set_fixed(int32_t offset)
{
    int32_t minutes = (offset < 0 ? -offset : offset) / 60;

    zone.by_system = false;
    zone.offset = offset;
    snprintf(zone.name, sizeof zone.name, "%c%02d:%02d", offset < 0 ? '-' : '+',
             (int)(minutes / 60), (int)(minutes % 60));
    return PL_OK;
}

static enum pl_status set_local(void)
{
    enum pl_status s = pl_system_zone_use(NULL);

    if (s)
        return s;
    zone.by_system = true;
    zone.followed[0] = '\0';
    pl_system_zone_name(zone.name);
    if (!*zone.name)
        memcpy(zone.name, "local", sizeof "local");
    return PL_OK;
}

static enum pl_status set_named(const char *name)
{
    enum pl_status s = pl_system_zone_find(name);

    if (!s)
        s = pl_system_zone_use(name);
    if (s)
        return s;
    zone.by_system = true;
    memcpy(zone.followed, name, strlen(name) + 1);
    memcpy(zone.name, name, strlen(name) + 1);
    return PL_OK;
}

enum pl_status pl_zone_set(const char *name)
{
    int32_t offset;

    if (!strcmp(name, "UTC")) {
        set_fixed(0);
        memcpy(zone.name, "UTC", sizeof "UTC");
        return PL_OK;
    }
    if (!strcmp(name, "local"))
        return set_local();
    if (parse_offset(name, &offset))
        return set_fixed(offset);
    return set_named(name);
}

const char *pl_zone_name(void)
{
    return zone.name;
}

/* Seconds, rounded down, also before 1970. */
static int64_t seconds_of(int64_t ns)
{
    return ns / PL_NS_PER_SEC - (ns % PL_NS_PER_SEC < 0);
}

static int32_t offset_at(int64_t t)
{
    return zone.by_system ? pl_system_zone_offset(t) : zone.offset;
}

int32_t pl_zone_offset(int64_t utc_ns)
{
    return offset_at(seconds_of(utc_ns));
}

bool pl_zone_is_constant(int64_t from_ns, int64_t to_ns)
{
    const int64_t to = seconds_of(to_ns);
    const int32_t offset = pl_zone_offset(from_ns);

    /* No zone changes its offset twice within a day. */
    for (int64_t t = seconds_of(from_ns); t < to; t += DAY)
        if (offset_at(t) != offset)
            return false;
    return offset_at(to) == offset;
}

/*
 * In a repeated hour both readings are right, and the older offset gives the
 * earlier instant; in a skipped one neither is, and the older offset gives an
 * instant after the jump, moved on by its length.
 */
static int64_t to_utc(const struct pl_civil *local, bool later)
{
    const int64_t shown = pl_civil_to_ns(local);
    /* Offsets are less than a day, so these are those before and after. */
    const int32_t before = pl_zone_offset(shown - DAY * PL_NS_PER_SEC);
    const int32_t after = pl_zone_offset(shown + DAY * PL_NS_PER_SEC);
    const int64_t by_before = shown - before * PL_NS_PER_SEC;
    const int64_t by_after = shown - after * PL_NS_PER_SEC;
    const bool after_is_right = pl_zone_offset(by_after) == after;

    if (after_is_right && (later || pl_zone_offset(by_before) != before))
        return by_after;
    return by_before;
}

int64_t pl_zone_to_utc(const struct pl_civil *local)
{
    return to_utc(local, false);
}

int64_t pl_zone_to_utc_later(const struct pl_civil *local)
{
    return to_utc(local, true);
}

const char *pl_zone_text(int64_t utc_ns, char out[PL_INSTANT_TEXT])
{
    /* Logs are untrusted: at the ends of time this may wrap around. */
    const uint64_t offset = (uint64_t)(pl_zone_offset(utc_ns) * PL_NS_PER_SEC);

    pl_instant_text((int64_t)((uint64_t)utc_ns + offset), out);
    if (!strcmp(out + strlen(out) - 4, ".000"))
        out[strlen(out) - 4] = '\0';
    return out;
}

void pl_zone_of_machine(char *name, size_t cap, int32_t *minutes_east)
{
    char found[PL_ZONE_NAME];

    pl_system_zone_name(found);
    snprintf(name, cap, "%s", found);
    pl_system_zone_use(NULL);
    *minutes_east = pl_system_zone_offset((int64_t)time(NULL)) / 60;
    if (zone.by_system && *zone.followed)
        pl_system_zone_use(zone.followed);
}
