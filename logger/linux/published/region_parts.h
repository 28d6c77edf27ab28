/*                                    logger/linux/published/region_parts.h
 * What regions.c and region_*.c share; for no other file but their tests.
 */
#ifndef PL_LOGGER_LINUX_PUBLISHED_REGION_PARTS_H
#define PL_LOGGER_LINUX_PUBLISHED_REGION_PARTS_H

#include "logger/linux/machine/machine.h"
#include "logger/linux/published/regions.h"

#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    MAX_REGIONS = 1024, /* as in publishers.c */
    MAX_FOLDERS = 256,
    MAX_PARENTS = 64,
    MAX_WORK = 512,    /* looks at files of strangers, in a sample */
    CLOCK_STRIDE = 16, /* regions between two looks at the clock */
    ASK_AGAIN = 60,    /* samples after which a region is asked in any case */
    NUM_LISTS = 2048,
    ENTRIES_SIZE = 32768, /* of what lists folders */
};

struct folder {
    char *path;
    int fd; /* -1: there was one, its place is free */
    uint64_t device, inode;
    int watch;    /* -1: none */
    bool settled; /* listed to its end, and nothing has come since */
    bool missed;  /* this listing has not seen all, or may not have */
    struct pl_publisher *owner;
};

struct pl_regions {
    struct pl_machine *machine;
    struct pl_publishers publishers;
    struct pl_published_list tables;
    struct folder folders[MAX_FOLDERS];
    unsigned num_folders;
    unsigned first_folder;    /* whose turn it is to be listed first */
    int parents[MAX_PARENTS]; /* watches of where a folder may come */
    unsigned num_parents;
    int64_t listed_ns;     /* when folders were looked for */
    long users_at, shm_at; /* how far the listing of large ones has come */
    int watch;             /* inotify; -1: all is asked in every sample */
    uint64_t doubted;      /* all is, up to this pass */
    struct pl_region **regions;
    size_t num;
    struct pl_region *by_inode[NUM_LISTS];
    uint64_t turn; /* which stranger's it is to be copied first */
    uint64_t pass;
    int64_t budget_ns, strangers_ns; /* of a sample */
    int64_t end_ns;                  /* of this sample */
    int64_t deadline_ns;             /* of what is done now, no later */
    bool late;                       /* the deadline has passed */
    size_t weight; /* of what was done since the clock was looked at */
    size_t work;   /* looks at files of strangers, in this sample */
    char *entries;
};

static inline int64_t pl_regions_clock(void)
{
    struct timespec t = { 0, 0 };

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static inline bool pl_regions_are_late(const struct pl_regions *r)
{
    return pl_regions_clock() >= r->deadline_ns;
}

static inline struct pl_region **pl_regions_list_of(struct pl_regions *r,
                                                    uint64_t inode)
{
    return &r->by_inode[inode % NUM_LISTS];
}

static inline bool pl_region_is_half_made(const struct pl_region *g)
{
    return *g->file == '.';
}

/* True once in so many samples, at different times for different regions. */
static inline bool pl_regions_is_turn_of(const struct pl_regions *r,
                                         const struct pl_region *g)
{
    return (r->pass + g->inode) % ASK_AGAIN == 0;
}

/* True if nothing can have become of it since it was asked. */
static inline bool pl_region_is_settled(const struct pl_regions *r,
                                        const struct pl_region *g)
{
    return g->settled && r->pass > r->doubted && !pl_regions_is_turn_of(r, g);
}

/* From now on there is so much time, but never more than the sample has. */
static inline void pl_regions_begin_slice(struct pl_regions *r, int64_t ns)
{
    r->deadline_ns = pl_regions_clock() + ns;
    if (r->deadline_ns > r->end_ns)
        r->deadline_ns = r->end_ns;
    r->late = false;
    r->weight = 0;
}

/* It is listed again, in this sample and in the next. */
static inline void pl_regions_unsettle(struct folder *f)
{
    f->settled = false;
    f->missed = true;
}

/* ---- region_watch.c: what need not be asked --------------------------------- */

/* Be told from now on, if that can be had. */
void pl_regions_watch_begin(struct pl_regions *r);

/* Take what has been told since the last sample, and meet the files of which
 * it was.  PL_OK or PL_NOMEM. */
enum pl_status pl_regions_hear(struct pl_regions *r);

/* Hear of a folder that comes into this one; before it is looked for. */
void pl_regions_watch_parent(struct pl_regions *r, const char *path);

/* A watch of files that come into an open folder; -1: none. */
int pl_regions_watch_folder(struct pl_regions *r, int fd);

/* Watch an open region; to be called before it is first asked. */
void pl_region_watch(struct pl_regions *r, struct pl_region *g);
void pl_region_unwatch(struct pl_regions *r, struct pl_region *g);

/* ---- region_find.c: folders and the files in them ------------------------- */

/* Look for folders, those that have come since the last time too. */
void pl_regions_look_for_folders(struct pl_regions *r);

/* Its place is free then. */
void pl_regions_close_folder(struct pl_regions *r, struct folder *f);

/* A file that may be a region of that folder.  PL_OK or PL_NOMEM. */
enum pl_status pl_regions_meet(struct pl_regions *r, unsigned dir,
                               const char *file);

/* Go on in a folder where the last sample stopped, until the deadline. */
enum pl_status pl_regions_list_folder(struct pl_regions *r, unsigned dir);

/* ---- region_turns.c: shares of a sample -------------------------------------- */

/* Copy those that are known: the trusted ones first, then strangers in turn. */
void pl_regions_copy_all(struct pl_regions *r);

/* Copy a region of which there is time for that; else it is left out. */
void pl_regions_copy_new(struct pl_regions *r, struct pl_region *g);

/* Groups that had not ended are given two more chances. */
void pl_regions_try_busy_again(struct pl_regions *r);

/* Leave out what its publisher has no share for in this sample. */
void pl_regions_admit(struct pl_regions *r);

/* ---- regions.c ------------------------------------------------------------ */

/* Copy what a valid region has. */
void pl_region_copy(struct pl_regions *r, struct pl_region *g);

/* It is over a limit in this sample. */
void pl_region_leave_out(struct pl_region *g);

/* ---- region_open.c: one region -------------------------------------------- */

void pl_region_free(struct pl_regions *r, struct pl_region *g);
void pl_region_set_state(struct pl_regions *r, struct pl_region *g,
                         enum pl_region_state state,
                         enum pl_region_reason reason);

/* Not believed, or over a limit. */
void pl_region_doubt(struct pl_regions *r, struct pl_region *g,
                     enum pl_region_reason reason);

/* Open, check and map it, or doubt it.  PL_OK or PL_NOMEM. */
enum pl_status pl_region_open(struct pl_regions *r, struct pl_region *g);

/* True while somebody holds the lock, which lives as the owner's mapping. */
bool pl_region_is_held(struct pl_regions *r, int fd);

/* Remove its file, if it is still the same; true: it is not there any more. */
bool pl_region_sweep(struct pl_regions *r, const struct pl_region *g);

/* Keep it while its file is there. */
void pl_region_look_at_file(struct pl_regions *r, struct pl_region *g);

/* The same; remove it if it is found unlocked twice. */
void pl_region_look_at_half_made(struct pl_regions *r, struct pl_region *g);

#endif
