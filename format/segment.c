/* Names of segments, and how many are kept. */
#include "format/segment.h"

#include "format/file.h"
#include "format/text.h"
#include "format/instant.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char suffix[] = ".plog";

enum {
    SUFFIX_LEN = sizeof suffix - 1,
    MIDDLE_LEN = 21, /* "-YYYYmmddTHHMMSSZ-NNN" */
    NAME_ROOM = 64,
};

/* "x.plog" is made of segments "x-…": the length of "x". */
static size_t stem_len(const char *path)
{
    size_t n = strlen(path);

    if (n > SUFFIX_LEN && !strcmp(path + n - SUFFIX_LEN, suffix))
        return n - SUFFIX_LEN;
    return n;
}

char *pl_segment_path(const char *path, int64_t utc_ns, uint32_t number)
{
    struct pl_civil c = pl_civil_of(utc_ns);
    size_t stem = stem_len(path), cap = stem + NAME_ROOM;
    char *out = malloc(cap);

    if (out)
        snprintf(out, cap, "%.*s-%04d%02d%02dT%02d%02d%02dZ-%03" PRIu32 "%s",
                 (int)stem, path, c.year, c.month, c.day, c.hour, c.minute,
                 c.second, number, suffix);
    return out;
}

static bool digits(const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (p[i] < '0' || p[i] > '9')
            return false;
    return true;
}

bool pl_segment_matches(const char *stem, const char *name)
{
    size_t n = strlen(stem), len = strlen(name);

    if (len < n + MIDDLE_LEN + SUFFIX_LEN || strncmp(name, stem, n) != 0)
        return false;
    name += n;
    len -= n;
    return name[0] == '-' && digits(name + 1, 8) && name[9] == 'T' &&
           digits(name + 10, 6) && name[16] == 'Z' && name[17] == '-' &&
           digits(name + 18, len - 18 - SUFFIX_LEN) &&
           !strcmp(name + len - SUFFIX_LEN, suffix);
}

static void delete_in(const char *folder, const char *name, const char *current)
{
    size_t n = strlen(folder), len = strlen(name);
    char *path = malloc(n + len + 1);

    if (!path)
        return;
    memcpy(path, folder, n);
    memcpy(path + n, name, len + 1);
    if (strcmp(path, current) != 0)
        pl_file_delete(path);
    free(path);
}

void pl_segment_drop_old(const char *path, const char *current, uint64_t keep)
{
    const char *base = pl_path_name(path);
    char *folder =
        pl_text_copy((struct pl_text){ path, (size_t)(base - path) });
    char *stem = pl_text_copy((struct pl_text){ base, stem_len(base) });
    size_t num, ours = 0;
    char **names;

    if (folder && stem && !pl_dir_list(*folder ? folder : ".", &names, &num)) {
        for (size_t i = 0; i < num; i++)
            ours += pl_segment_matches(stem, names[i]);
        /* Sorted by name is sorted by time. */
        for (size_t i = 0; i < num && ours > keep; i++) {
            if (!pl_segment_matches(stem, names[i]))
                continue;
            delete_in(folder, names[i], current);
            ours--;
        }
        pl_dir_list_free(names, num);
    }
    free(folder);
    free(stem);
}
