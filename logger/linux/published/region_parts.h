/*                                    logger/linux/published/region_parts.h
 * Private to regions.c, region_*.c and their tests: the state of the regions
 * and the functions that these files call of each other.
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
    NUM_HOMES = 3,        /* where users have folders */
    MAX_WORK = 32,        /* of untrusted publishers' files, twice per sample */
    MAX_WORK_OF_ONE = 64, /* per sample */
    CLOCK_STRIDE = 16,    /* regions between two readings of the clock */
    ASK_AGAIN = 60,       /* samples after which a region is always checked */
    MAX_CENSUS = 64,      /* users */
    NUM_LISTS = 2048,
    NUM_NOTED = 256,
    ENTRIES_SIZE = 32768, /* buffer for directory entries */
};

struct folder {
    char *path;
    int fd; /* -1: removed, its slot is free */
    uint64_t device, inode;
    int watch;      /* -1: none */
    bool is_listed; /* listed to its end, and no file was added since */
    bool missed;    /* this listing may be incomplete */
    struct pl_publisher *owner;
    bool is_full; /* its file system, when it was last looked at */
    uid_t filler; /* whose files fill it */
    bool is_to_note;
    unsigned fillers; /* notes so far */
};

/* What the files of a full folder take, by user. */
struct census {
    int fd; /* -1: none is under way */
    unsigned folder;
    unsigned num;
    struct use {
        uid_t uid;
        uint64_t blocks, files;
    } uses[MAX_CENSUS];
};

/* What was noted of a region that was dropped to be found again. */
struct noted {
    uint64_t device, inode;
    unsigned noted, times;
};

struct pl_regions {
    struct pl_machine *machine;
    struct pl_publishers publishers;
    struct pl_published_list tables;
    struct folder folders[MAX_FOLDERS];
    unsigned num_folders;
    unsigned first_folder;    /* listed first in this sample */
    int parents[MAX_PARENTS]; /* watches of folders that may gain one */
    unsigned num_parents;
    int64_t listed_ns;        /* when folders were searched */
    bool search_again;        /* search again: there may be a new one */
    bool serves_all;          /* records the regions of all users */
    int homes[NUM_HOMES];     /* watches of where users have folders */
    long homes_at[NUM_HOMES]; /* continue there (telldir) */
    int watch;                /* inotify; -1: all is checked in every sample */
    uint64_t recheck_until;   /* check all regions up to this pass */
    struct pl_region **regions;
    size_t num;
    struct pl_region *by_inode[NUM_LISTS];
    struct noted noted[NUM_NOTED]; /* by inode; a newer one replaces another */
    uint64_t turn; /* selects the untrusted publisher copied first */
    uint64_t pass;
    int64_t budget_ns, untrusted_ns; /* time per sample */
    /* CPU time to hear of files, to search folders, and to list them */
    int64_t search_ns, search_end_ns;
    int64_t end_ns;      /* of this sample's time */
    int64_t deadline_ns; /* of the current step */
    bool late;           /* the deadline has passed */
    size_t weight;       /* of the work since the clock was read */
    bool unfinished;     /* files were left for the next sample */
    unsigned gone;       /* files no longer there when they were looked up */
    size_t work; /* opening files of untrusted publishers in this step */
    char *entries;
    struct census census;
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

/* Searches are limited in CPU time: a busy machine makes them no shorter. */
static inline int64_t pl_regions_cpu_clock(void)
{
    struct timespec t = { 0, 0 };

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static inline void pl_regions_begin_search(struct pl_regions *r)
{
    r->search_end_ns = pl_regions_cpu_clock() + r->search_ns;
}

static inline bool pl_regions_have_searched(const struct pl_regions *r)
{
    return pl_regions_cpu_clock() >= r->search_end_ns;
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

/* True once in ASK_AGAIN samples, in different ones for different regions. */
static inline bool pl_regions_is_turn_of(const struct pl_regions *r,
                                         const struct pl_region *g)
{
    return (r->pass + g->inode) % ASK_AGAIN == 0;
}

/* True if it is unchanged since the last check. */
static inline bool pl_region_is_unchanged(const struct pl_regions *r,
                                          const struct pl_region *g)
{
    return g->verified && r->pass > r->recheck_until &&
           !pl_regions_is_turn_of(r, g);
}

/* Begin a step of at most 'ns', and at most the rest of the sample's time. */
static inline void pl_regions_begin_slice(struct pl_regions *r, int64_t ns)
{
    r->deadline_ns = pl_regions_clock() + ns;
    if (r->deadline_ns > r->end_ns)
        r->deadline_ns = r->end_ns;
    r->late = false;
    r->weight = 0;
}

static inline void pl_regions_work(struct pl_regions *r,
                                   struct pl_publisher *who, size_t work)
{
    if (!who->untrusted)
        return;
    r->work += work;
    who->work += work;
}

/* List the folder again, in this sample and in the next. */
static inline void pl_regions_relist(struct folder *f)
{
    f->is_listed = false;
    f->missed = true;
}

/* ---- region_watch.c: events instead of checks --------------------------- */

/* Start watching with inotify, if available. */
void pl_regions_watch_begin(struct pl_regions *r);

/* Read the events since the last sample, and meet the files they name. */
void pl_regions_read_events(struct pl_regions *r);

/* Watch for folders created in this one; called before it is searched.  Returns
 * the watch; -1: none. */
int pl_regions_watch_parent(struct pl_regions *r, const char *path);

/* Watch an open folder for new files; -1: no watch. */
int pl_regions_watch_folder(struct pl_regions *r, int fd);
/* Closing does not end a watch, as the folder may exist elsewhere. */
void pl_regions_unwatch_folder(struct pl_regions *r, struct folder *f);

/* Watch an open region; called before it is first checked. */
void pl_region_watch(struct pl_regions *r, struct pl_region *g);
void pl_region_unwatch(struct pl_regions *r, struct pl_region *g);

/* ---- region_folders.c: folders of regions ------------------------------- */

/* A search was not finished by its deadline. */
static inline bool pl_regions_are_searching(const struct pl_regions *r)
{
    for (unsigned i = 0; i < NUM_HOMES; i++)
        if (r->homes_at[i])
            return true;
    return false;
}

/* Continue or begin a search for folders, if it is time, until the deadline. */
void pl_regions_look_for_folders(struct pl_regions *r);

/* A folder of that name was created where users have theirs. */
void pl_regions_handle_home(struct pl_regions *r, unsigned i, const char *name);

/* Frees its slot. */
void pl_regions_close_folder(struct pl_regions *r, struct folder *f);

/* ---- region_find.c: files of folders ------------------------------------ */

/* Handle a file of that folder that may be a region. */
void pl_regions_handle_file(struct pl_regions *r, unsigned dir,
                            const char *file);

/* Continue a folder's listing where the last sample stopped, until the
 * deadline. */
void pl_regions_list_folder(struct pl_regions *r, unsigned dir);

/* ---- region_census.c: who fills a folder --------------------------------- */

/* Begin to count if a folder of trusted users has become full. */
void pl_regions_begin_census(struct pl_regions *r);
/* Continue to count. */
void pl_regions_take_census(struct pl_regions *r);
/* The next report of a user whose files fill a folder; false: none. */
bool pl_regions_note_filler(struct pl_regions *r, char *text, size_t size);

/* Find the file of a region again that is dropped; what was noted of it remains
 * noted. */
void pl_regions_find_again(struct pl_regions *r, const struct pl_region *g);

/* ---- region_turns.c: shares of a sample --------------------------------- */

/* Copy known regions: trusted ones first, then those of untrusted publishers in
 * turn. */
void pl_regions_copy_all(struct pl_regions *r);

/* Copy a new region if there is time; else it is left out of this sample. */
void pl_regions_copy_new(struct pl_regions *r, struct pl_region *g);

/* Retry regions with groups that were open, up to twice. */
void pl_regions_try_busy_again(struct pl_regions *r);

/* Leave out regions that exceed their publisher's share of this sample. */
void pl_regions_admit(struct pl_regions *r);

/* ---- regions.c ---------------------------------------------------------- */

/* Copy the values of a valid region. */
void pl_region_copy(struct pl_regions *r, struct pl_region *g);

/* ---- region_open.c: one region ------------------------------------------ */

void pl_region_free(struct pl_regions *r, struct pl_region *g);
void pl_region_set_state(struct pl_regions *r, struct pl_region *g,
                         enum pl_region_state state,
                         enum pl_region_reason reason);

/* Reject it: invalid, or over a limit. */
void pl_region_reject(struct pl_regions *r, struct pl_region *g,
                      enum pl_region_reason reason);

/* Open, validate and map it, or reject it: without memory, as over a limit. */
void pl_region_open(struct pl_regions *r, struct pl_region *g);

/* True while a process holds the lock, which lasts as long as its mapping. */
bool pl_region_is_held(struct pl_regions *r, int fd);

/* Remove its file, if it is still the same; true: the file is gone. */
bool pl_region_sweep(struct pl_regions *r, const struct pl_region *g);

/* Keep it as long as its file exists. */
void pl_region_look_at_file(struct pl_regions *r, struct pl_region *g);

/* The same for an unfinished one; removed if found unlocked twice. */
void pl_region_look_at_half_made(struct pl_regions *r, struct pl_region *g);

#endif
