/* Files by number, standard input among them. */
#include "analyze/import/import_files.h"

#include "analyze/output/partial_file.h"
#include "format/reader/reader.h"
#include "format/base/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COPY_LEN = 64 << 10, TITLE_ROOM = 64 };

static enum pl_status copy(struct pl_file *from, FILE *to)
{
    uint8_t bytes[COPY_LEN];
    size_t got = 1;
    enum pl_status s = PL_OK;

    for (uint64_t at = 0; !s && got; at += got) {
        s = pl_file_read(from, at, bytes, sizeof bytes, &got);
        if (!s && fwrite(bytes, 1, got, to) != got)
            s = PL_IO;
    }
    return s;
}

static enum pl_status copy_stdin(struct pl_import_files *sources)
{
    struct pl_file *from;
    enum pl_status s;
    FILE *to;

    pl_partial_file_hold();
    s = pl_file_make_temporary(&sources->temporary);
    pl_partial_file_guard(PL_UNFINISHED_COPY, s ? NULL : sources->temporary);
    if (s)
        return s;
    s = pl_file_open(&from, "-");
    if (s)
        return s;
    to = pl_file_stream(sources->temporary, "wb");
    s = to ? copy(from, to) : PL_IO;
    if (to && fclose(to) && !s)
        s = PL_IO;
    pl_file_close(from);
    return s;
}

enum pl_status pl_import_files_open(struct pl_import_files *s, char **names,
                                    int num)
{
    enum pl_status status = PL_OK;

    *s = (struct pl_import_files){ .num = num, .from_stdin = -1 };
    s->names = calloc((size_t)num, sizeof *s->names);
    s->paths = calloc((size_t)num, sizeof *s->paths);
    if (!s->names || !s->paths)
        return PL_NOMEM;
    for (int i = 0; i < num; i++) {
        s->names[i] = s->paths[i] = names[i];
        if (strcmp(names[i], "-") != 0)
            continue;
        if (s->from_stdin >= 0)
            return PL_USAGE;
        s->from_stdin = i;
    }
    if (s->from_stdin >= 0) {
        status = copy_stdin(s);
        s->paths[s->from_stdin] = s->temporary;
    }
    return status;
}

void pl_import_files_refuse(struct pl_import_files *s, int i)
{
    size_t rest = (size_t)(--s->num - i);

    memmove(s->names + i, s->names + i + 1, rest * sizeof *s->names);
    memmove(s->paths + i, s->paths + i + 1, rest * sizeof *s->paths);
    s->num_refused++;
    if (s->from_stdin >= i)
        s->from_stdin -= s->from_stdin == i ? i + 1 : 1;
}

const char *pl_import_files_name(const struct pl_import_files *s, int i)
{
    return i == s->from_stdin ? "standard input" : s->names[i];
}

char *pl_import_files_title(const struct pl_import_files *s)
{
    const char *first = pl_path_name(pl_import_files_name(s, 0));
    size_t cap = strlen(first) + TITLE_ROOM;
    char *title = malloc(cap);

    if (title && s->num == 1)
        snprintf(title, cap, "%s", first);
    else if (title)
        snprintf(title, cap, "%s and %d more", first, s->num - 1);
    return title;
}

bool pl_import_files_is_log(const struct pl_import_files *s, int i)
{
    struct pl_reader *r = NULL;
    bool is_log = !pl_reader_open(&r, s->paths[i], NULL);

    pl_reader_close(r);
    return is_log;
}

void pl_import_files_release(struct pl_import_files *s)
{
    if (s->temporary) {
        pl_file_delete(s->temporary);
        pl_partial_file_guard(PL_UNFINISHED_COPY, NULL);
    }
    free(s->temporary);
    free(s->names);
    free(s->paths);
    *s = (struct pl_import_files){ 0 };
}
