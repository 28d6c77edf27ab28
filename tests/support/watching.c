/* The recorder's side of published counters, for tests. */
#include "tests/support/watching.h"

#include "logger/linux/published/region_parts.h"
#include "tests/support/publishing.h"
#include "tests/support/support.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A tenth of it is for regions: enough to read them all on a busy machine. */
#define INTERVAL_NS UINT64_C(100000000000)

bool watch_is_notified = true;

void watch_by_events(void)
{
    watch_is_notified = true;
}

void watch_by_asking(void)
{
    watch_is_notified = false;
}

void watch_begin(struct watch *w)
{
    publishing_dir();
    memset(w, 0, sizeof *w);
    ck_assert_int_eq(pl_regions_open(&w->regions, &w->machine, &w->choice,
                                     INTERVAL_NS, watch_is_notified),
                     PL_OK);
}

void watch_scan(struct watch *w)
{
    pl_regions_scan(w->regions);
}

void watch_end(struct watch *w)
{
    pl_regions_close(w->regions);
}

void watch_until(struct watch *w, const char *program)
{
    const struct timespec pause = { 0, 1000000 };

    for (watch_scan(w); !watch_find(w, program); watch_scan(w))
        nanosleep(&pause, NULL);
}

struct pl_region *watch_find(const struct watch *w, const char *program)
{
    size_t n = strlen(program);

    for (size_t i = 0; i < pl_regions_num(w->regions); i++) {
        struct pl_region *g = pl_regions_at(w->regions, i);

        if (g->state != PL_STATE_HIDDEN &&
            !strncmp(g->called.label, program, n) && g->called.label[n] == ':')
            return g;
    }
    return NULL;
}

struct pl_region *watch_region(const struct watch *w, const char *program)
{
    struct pl_region *g = watch_find(w, program);

    ck_assert_msg(g != NULL, "there is no %s", program);
    return g;
}

const struct pl_region_copy *watch_copy(const struct pl_region *g,
                                        size_t object, size_t slot)
{
    return &g->image.copies[g->table->objects[object].layout->first_set + slot];
}

uint64_t watch_word(const struct pl_region *g, size_t object, size_t slot,
                    size_t word)
{
    const struct pl_region_object *o = g->table->objects[object].layout;

    return pl_region_image_words(&g->image, o, slot)[word];
}

pid_t publishing_child(const char *program, void (*then)(struct pl_prov *))
{
    int ready[2];
    char byte;
    pid_t child;

    ck_assert_int_eq(pipe(ready), 0);
    child = fork();
    if (!child) {
        struct pl_prov *p;

        if (pl_prov_open(&p, program, publishing_table, NUM_OBJECTS, NULL))
            _exit(1);
        pl_add(pl_prov_word_of(pl_prov_single(p, ENGINE), TURNS), 42);
        if (then)
            then(p);
        if (write(ready[1], "x", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    ck_assert_int_eq(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
    return child;
}

void kill_child(pid_t child)
{
    kill(child, SIGKILL);
    ck_assert_int_eq(waitpid(child, NULL, 0), child);
}

void forge_region(struct forged *f, const char *program)
{
    struct pl_prov *p = publish(program);
    uint64_t id;

    pl_prov_add(p, VALVE, "v", -1, NULL);
    f->bytes = read_file(pl_prov_path(p), &f->len);
    pl_prov_close(p);
    memcpy(&id, f->bytes + 72, sizeof id);
    snprintf(f->path, sizeof f->path, "%s/%s.1.%016llx.plr", publishing_dir(),
             program, (unsigned long long)id);
    f->fd = open(f->path, O_RDWR | O_CREAT | O_EXCL, 0640);
    ck_assert_int_eq(write(f->fd, f->bytes, f->len), (ssize_t)f->len);
    ck_assert_int_eq(fcntl(f->fd, F_OFD_SETLK,
                           &(struct flock){ .l_type = F_WRLCK, .l_len = 1 }),
                     0);
}

void forge_word(struct forged *f, size_t at, uint32_t v)
{
    ck_assert_int_eq(pwrite(f->fd, &v, sizeof v, (off_t)at), sizeof v);
}

void forge_length(struct forged *f, off_t len)
{
    ck_assert_int_eq(ftruncate(f->fd, len), 0);
}

void discard_region(struct forged *f)
{
    unlink(f->path);
    close(f->fd);
    free(f->bytes);
}
