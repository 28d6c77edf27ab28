/* Time zones through the C library's TZ. */
#include "format/time/zone.h"
#include "format/time/zone_system.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

const char pl_zone_help[] =
    "times of ZONE: UTC (default), log (that of the machine recorded), local, "
    "+02:00, Europe/Berlin";
const char pl_zone_help_for_people[] =
    "times of ZONE: log (default: that of the machine recorded), UTC, local, "
    "+02:00, Europe/Berlin";
const char pl_zone_wanted[] = "no such zone; give UTC, log, local, +02:00 or a "
                              "name such as Europe/Berlin";

enum { PATH_CAP = 512, TZIF_MAGIC_LEN = 4 };

/* The TZ of the environment, kept while ours replaces it. */
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

/* Without memory the C library takes UTC, and only errno says so. */
static enum pl_status read_zone(void)
{
    errno = 0;
    tzset();
    return errno == ENOMEM ? PL_NOMEM : PL_OK;
}

static enum pl_status use_tz(const char *tz)
{
    enum pl_status s = keep_machine_tz();

    if (s)
        return s;
    if (setenv("TZ", tz, 1))
        return PL_NOMEM;
    return read_zone();
}

static enum pl_status use_machine_tz(void)
{
    if (machine_tz.taken && machine_tz.value)
        return use_tz(machine_tz.value);
    if (machine_tz.taken)
        unsetenv("TZ");
    return read_zone();
}

/* ---- names -------------------------------------------------------------- */

enum { LINE_CAP = 256 };

static const char *zoneinfo_dir(void)
{
    const char *dir = getenv("TZDIR");

    return dir && *dir ? dir : "/usr/share/zoneinfo";
}

/*
 * The C library takes an unknown name for UTC without an error, so look for
 * the file here.  Names that lead out of the folder are refused.
 */
enum pl_status pl_system_zone_find(const char *name)
{
    char path[PATH_CAP];
    char magic[TZIF_MAGIC_LEN];
    FILE *f;
    size_t got;
    int n;

    if (!*name || *name == '/' || strstr(name, "..") ||
        strlen(name) >= PL_ZONE_NAME)
        return PL_USAGE;
    n = snprintf(path, sizeof path, "%s/%s", zoneinfo_dir(), name);
    if (n < 0 || (size_t)n >= sizeof path)
        return PL_USAGE;
    f = fopen(path, "rb");
    if (!f)
        return errno == ENOMEM ? PL_NOMEM : PL_USAGE;
    got = fread(magic, 1, sizeof magic, f); /* 0 for a folder */
    fclose(f);
    return got == sizeof magic && !memcmp(magic, "TZif", sizeof magic)
               ? PL_OK
               : PL_USAGE;
}

/* Copy 'from' if it names a zone; out[0] stays 0 if it does not. */
static bool take_name(const char *from, char out[PL_ZONE_NAME])
{
    if (pl_system_zone_find(from))
        return false;
    memcpy(out, from, strlen(from) + 1);
    return true;
}

/* The part of a path after the zoneinfo folder, or the path itself. */
static const char *below_zoneinfo(const char *path)
{
    static const char folder[] = "/zoneinfo/";
    const char *at = strstr(path, folder);

    return at ? at + strlen(folder) : path;
}

static bool name_from_link(char out[PL_ZONE_NAME])
{
    char target[PATH_CAP];
    ssize_t n = readlink("/etc/localtime", target, sizeof target - 1);

    if (n < 0)
        return false;
    target[n] = '\0';
    return take_name(below_zoneinfo(target), out);
}

static bool name_from_file(char out[PL_ZONE_NAME])
{
    char line[PL_ZONE_NAME];
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
 * TZ comes first; without it the C library reads /etc/localtime.  So the link
 * is read before /etc/timezone, which is used only where /etc/localtime is a
 * copy instead of a link.
 */
void pl_system_zone_name(char out[PL_ZONE_NAME])
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

/* ---- the zone in use ---------------------------------------------------- */

enum pl_status pl_system_zone_use(const char *name)
{
    char tz[PL_ZONE_NAME + 1] = ":"; /* ':' means a file's name, not a rule */

    if (!name)
        return use_machine_tz();
    memcpy(tz + 1, name, strlen(name) + 1);
    return use_tz(tz);
}

int32_t pl_system_zone_offset(int64_t seconds)
{
    const time_t t = (time_t)seconds;
    struct tm tm;

    return localtime_r(&t, &tm) ? (int32_t)tm.tm_gmtoff : 0;
}

/* The third field of a line of zone.tab: "DE\t+5230+01322\tEurope/Berlin". */
static char *zone_of_line(char *line)
{
    char *field = *line == '#' ? NULL : strchr(line, '\t');

    field = field ? strchr(field + 1, '\t') : NULL;
    if (field)
        field[1 + strcspn(field + 1, "\t\n")] = 0;
    return field ? field + 1 : NULL;
}

void pl_zone_names(void (*report)(void *context, const char *name),
                   void *context)
{
    char path[PATH_CAP], line[LINE_CAP];
    FILE *f;

    snprintf(path, sizeof path, "%s/zone.tab", zoneinfo_dir());
    f = fopen(path, "re");
    while (f && fgets(line, sizeof line, f)) {
        const char *name = zone_of_line(line);

        if (name)
            report(context, name);
    }
    if (f)
        fclose(f);
}
