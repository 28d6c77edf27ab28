/*
 * put_blocks OUT.plog TITLES.tsv BLOCK...: a log whose samples are the given
 * blocks as they are, one a second from 2026-11-21 12:00:00 UTC.  A line of
 * TITLES.tsv is an index, a tab, a name and, maybe, a tab and a help text,
 * which gets the next index.
 */
#include "format/time/time_text.h"
#include "format/block/titles.h"
#include "format/writer/writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int64_t start_utc = INT64_C(1795262400) * PL_NS_PER_SEC;

static void die(const char *what)
{
    fprintf(stderr, "put_blocks: %s\n", what);
    exit(1);
}

static void read_titles(struct pl_titles *t, const char *path)
{
    FILE *f = fopen(path, "r");
    char line[4096];

    if (!f)
        die(path);
    while (fgets(line, sizeof line, f)) {
        uint32_t index = (uint32_t)strtoul(line, NULL, 10);
        char *rest = NULL;
        const char *name = strtok_r(strchr(line, '\t'), "\t\n", &rest);
        const char *help = strtok_r(NULL, "\t\n", &rest);

        if (!name)
            continue;
        pl_titles_set(t, index, PL_TITLE_NAME, PL_LANGUAGE_ENGLISH,
                      pl_text_of(name));
        if (help)
            pl_titles_set(t, index + 1, PL_TITLE_HELP, PL_LANGUAGE_ENGLISH,
                          pl_text_of(help));
    }
    fclose(f);
}

static void put_block(struct pl_writer *w, const char *path, int64_t second)
{
    struct pl_sample_stamp stamp = { .utc_ns =
                                         start_utc + second * PL_NS_PER_SEC,
                                     .boot_ns = second * PL_NS_PER_SEC };
    struct pl_buf block = { 0 };
    FILE *f = fopen(path, "rb");
    int c;

    if (!f)
        die(path);
    while ((c = getc(f)) != EOF)
        pl_buf_u8(&block, (uint8_t)c);
    fclose(f);
    if (pl_writer_sample(w, &stamp, &block))
        die("cannot write");
    pl_buf_release(&block);
}

int main(int argc, char **argv)
{
    struct pl_writer_options options = { .sync_ns = PL_SYNC_NEVER };
    struct pl_titles *titles = NULL;
    struct pl_writer *w;
    struct pl_buf payload = { 0 };
    const char *why;

    options.session.host = pl_text_of("FOREIGN");
    options.session.provider = pl_text_of("little test");
    options.session.interval_ns = (uint64_t)PL_NS_PER_SEC;
    if (argc < 3 || pl_titles_new(&titles))
        die("usage: put_blocks OUT.plog TITLES.tsv BLOCK...");
    read_titles(titles, argv[2]);
    if (pl_writer_open(&w, argv[1], &options, &why))
        die(argv[1]);
    pl_titles_write(titles, &payload);
    pl_writer_titles(w, &payload);
    for (int i = 3; i < argc; i++)
        put_block(w, argv[i], i - 3);
    if (pl_writer_close(w, PL_END_ASKED, NULL))
        die("cannot end");
    pl_buf_release(&payload);
    pl_titles_free(titles);
    return 0;
}
