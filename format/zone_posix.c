/* Time zones through the C library's TZ. */
#include "format/zone.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    NAME_CAP = 64,
    PATH_CAP = 512,
    TZIF_MAGIC_LEN = 4,
    DAY = 86400,
};

/* The zone in force; 'by_library' means that TZ names it, not 'offset'. */
static struct {
    bool by_library;
    int32_t offset;
    char name[NAME_CAP];
    char tz[NAME_CAP + 1]; /* what TZ is then; empty: the machine's own */
} zone = { .name = "UTC" };

/* The machine's TZ, kept from when ours took its place. */
static struct {
    bool taken;
    char *value; /* NULL: not set */
} machine_tz;

/* ---- the environment ---------------------------------------------------- */

static const char *get_machine_tz(void)
{
    return machine_tz.taken ? machine_tz.value : getenv("TZ");
}

static enum pl_status keep_machine_tz(void)
{
    const char *value = getenv("TZ");

    if (machine_tz.taken)
        return PL_OK;
    if (value) {
        machine_tz.value = strdup(value);
        if (!machine_tz.value)
            return PL_NOMEM;
    }
    machine_tz.taken = true;
    return PL_OK;
}

static enum pl_status use_tz(const char *tz)
{
    enum pl_status s = keep_machine_tz();

    if (s)
        return s;
    if (setenv("TZ", tz, 1))
        return PL_NOMEM;
    tzset();
    return PL_OK;
}

static enum pl_status use_machine_tz(void)
{
    if (machine_tz.taken && machine_tz.value)
        return use_tz(machine_tz.value);
    if (machine_tz.taken)
        unsetenv("TZ");
    tzset();
    return PL_OK;
}

/* ---- names -------------------------------------------------------------- */

static const char *zoneinfo_dir(void)
{
    const char *dir = getenv("TZDIR");

    return dir && *dir ? dir : "/usr/share/zoneinfo";
}

/*
 * The C library takes any name it does not know for UTC without a word, so
 * look for the file ourselves.  A name stays below the folder.
 */
static bool zone_exists(const char *name)
{
    char path[PATH_CAP];
    char magic[TZIF_MAGIC_LEN];
    FILE *f;
    size_t got;
    int n;

    if (!*name || *name == '/' || strstr(name, "..") ||
        strlen(name) >= NAME_CAP)
        return false;
    n = snprintf(path, sizeof path, "%s/%s", zoneinfo_dir(), name);
    if (n < 0 || (size_t)n >= sizeof path)
        return false;
    f = fopen(path, "rb");
    if (!f)
        return false;
    got = fread(magic, 1, sizeof magic, f); /* of a folder nothing */
    fclose(f);
    return got == sizeof magic && !memcmp(magic, "TZif", sizeof magic);
}

/* Copy 'from' if it names a zone; out[0] stays 0 if it does not. */
static bool take_name(const char *from, char out[NAME_CAP])
{
    if (!zone_exists(from))
        return false;
    memcpy(out, from, strlen(from) + 1);
    return true;
}

/* The part of a path behind the zoneinfo folder, or the path itself. */
static const char *below_zoneinfo(const char *path)
{
    static const char folder[] = "/zoneinfo/";
    const char *at = strstr(path, folder);

    return at ? at + strlen(folder) : path;
}

static bool name_from_link(char out[NAME_CAP])
{
    char target[PATH_CAP];
    ssize_t n = readlink("/etc/localtime", target, sizeof target - 1);

    if (n < 0)
        return false;
    target[n] = '\0';
    return take_name(below_zoneinfo(target), out);
}

static bool name_from_file(char out[NAME_CAP])
{
    char line[NAME_CAP];
    FILE *f = fopen("/etc/timezone", "r");
    bool read;

    if (!f)
        return false;
    read = fgets(line, sizeof line, f);
    fclose(f);
    if (!read)
        return false;
    line[strcspn(line, " \t\r\n")] = '\0';
    return take_name(line, out);
}

/*
 * TZ rules; without it the C library reads /etc/localtime, so the link is
 * asked before /etc/timezone, which is right only where the link is a copy.
 */
static void name_of_machine(char out[NAME_CAP])
{
    const char *tz = get_machine_tz();

    out[0] = '\0';
    if (tz && !*tz)
        tz = "UTC";
    if (tz)
        take_name(below_zoneinfo(*tz == ':' ? tz + 1 : tz), out);
    else if (!name_from_link(out))
        name_from_file(out);
}

/* "+2", "+02", "+0200", "+02:00"; false if it is no offset. */
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

    zone.by_library = false;
    zone.offset = offset;
    snprintf(zone.name, sizeof zone.name, "%c%02d:%02d", offset < 0 ? '-' : '+',
             (int)(minutes / 60), (int)(minutes % 60));
    return PL_OK;
}

static enum pl_status set_local(void)
{
    enum pl_status s = use_machine_tz();

    if (s)
        return s;
    zone.by_library = true;
    zone.tz[0] = '\0';
    name_of_machine(zone.name);
    if (!*zone.name)
        memcpy(zone.name, "local", sizeof "local");
    return PL_OK;
}

static enum pl_status set_named(const char *name)
{
    char tz[NAME_CAP + 1] = ":"; /* a file's name, never a rule */
    enum pl_status s;

    memcpy(tz + 1, name, strlen(name) + 1);
    s = use_tz(tz);
    if (s)
        return s;
    zone.by_library = true;
    memcpy(zone.tz, tz, sizeof tz);
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
    return zone_exists(name) ? set_named(name) : PL_USAGE;
}

const char *pl_zone_name(void)
{
    return zone.name;
}

/* Seconds, rounded down also before 1970. */
static time_t seconds_of(int64_t ns)
{
    return (time_t)(ns / PL_NS_PER_SEC - (ns % PL_NS_PER_SEC < 0));
}

static int32_t library_offset(time_t t)
{
    struct tm tm;

    return localtime_r(&t, &tm) ? (int32_t)tm.tm_gmtoff : 0;
}

static int32_t offset_at(time_t t)
{
    return zone.by_library ? library_offset(t) : zone.offset;
}

int32_t pl_zone_offset(int64_t utc_ns)
{
    return offset_at(seconds_of(utc_ns));
}

bool pl_zone_is_constant(int64_t from_ns, int64_t to_ns)
{
    const time_t to = seconds_of(to_ns);
    const int32_t offset = pl_zone_offset(from_ns);

    /* No zone changes its offset twice within a day. */
    for (time_t t = seconds_of(from_ns); t < to; t += DAY)
        if (offset_at(t) != offset)
            return false;
    return offset_at(to) == offset;
}

int64_t pl_zone_to_utc(const struct pl_civil *local)
{
    const int64_t shown = pl_civil_to_ns(local);
    /* Offsets are less than a day, so these are those before and after. */
    const int32_t before = pl_zone_offset(shown - DAY * PL_NS_PER_SEC);
    const int32_t after = pl_zone_offset(shown + DAY * PL_NS_PER_SEC);
    const int64_t by_before = shown - before * PL_NS_PER_SEC;
    const int64_t by_after = shown - after * PL_NS_PER_SEC;

    /*
     * Of a repeated hour both hold and the one by the older offset is the
     * earlier; of a skipped one neither does, and the older offset leads
     * beyond the jump by just its length.
     */
    if (pl_zone_offset(by_before) != before &&
        pl_zone_offset(by_after) == after)
        return by_after;
    return by_before;
}

void pl_zone_of_machine(char *name, size_t cap, int32_t *minutes_east)
{
    char found[NAME_CAP];

    name_of_machine(found);
    snprintf(name, cap, "%s", found);
    use_machine_tz();
    *minutes_east = library_offset(time(NULL)) / 60;
    if (zone.by_library && *zone.tz)
        use_tz(zone.tz);
}
