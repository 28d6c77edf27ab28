/*                                      logger/linux/published/publishers.h
 * Who publishes counters: the users that own regions, and what each may take of
 * the recorder.  Root and the recorder's own user are one publisher, trusted
 * and bounded by what the recorder can hold at all.  Every other user is a
 * stranger: he has a small share of each resource, and all strangers together
 * leave the rest to whom is trusted.  What a stranger is refused costs nobody
 * else, and what he gives back is free for everybody.
 *
 * The log is a resource, too: a stranger pays for what he adds to it with
 * bytes of allowance.  A publisher begins with a part of the reserve; then all
 * of them together get as many bytes a sample as the machine's own counters
 * take.  So published counters make a log at most twice as large, and rotation
 * keeps half of the history that it would keep without them.
 */
#ifndef PL_LOGGER_LINUX_PUBLISHED_PUBLISHERS_H
#define PL_LOGGER_LINUX_PUBLISHED_PUBLISHERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct pl_region;

/* What is shared.  Of a resource that is not given back only so much may be
 * taken in a session. */
enum pl_share {
    PL_SHARE_PLACES,  /* files that are remembered */
    PL_SHARE_DOUBTED, /* of these, files that are not believed, or not yet */
    PL_SHARE_FOLDERS,
    PL_SHARE_MEMORY, /* bytes of mappings and of copies */
    PL_SHARE_TABLES, /* bytes of definitions */
    PL_SHARE_TITLES, /* not given back */
    PL_SHARE_TEXTS,  /* bytes of names and help; not given back */
    PL_SHARE_BLOCK,  /* bytes of this sample's block */
    PL_NUM_SHARES
};

struct pl_publisher {
    struct pl_publisher *next;
    uid_t uid; /* a stranger's; of whom is trusted, any */
    bool stranger;
    bool refused; /* a file of his found no place */
    bool noted;   /* a note says so */
    uint64_t taken[PL_NUM_SHARES];
    struct pl_region *first; /* his regions, by pl_region.peer */
    size_t turn;             /* which of them is copied first */
    int64_t allowance;       /* bytes; negative: a debt */
    bool endowed;            /* he has had what a newcomer begins with */
    bool titled;             /* and has paid for titles in this sample */
    unsigned notes;          /* that he may still cause */
};

struct pl_publishers {
    struct pl_publisher trusted;
    struct pl_publisher *first;    /* strangers */
    size_t num;                    /* of these */
    uint64_t taken[PL_NUM_SHARES]; /* by strangers together */
    int64_t reserve;               /* bytes of allowance for newcomers */
};

void pl_publishers_init(struct pl_publishers *p);
void pl_publishers_release(struct pl_publishers *p);

/* The publisher that is this user.  NULL: there are too many, or no memory. */
struct pl_publisher *pl_publishers_find(struct pl_publishers *p, uid_t uid);

/* Take 'n' of a resource; false: that is more than may be had. */
bool pl_publisher_take(struct pl_publishers *p, struct pl_publisher *who,
                       enum pl_share share, uint64_t n);
/* False: he could not take so much if he and all others had nothing. */
bool pl_publisher_may_ever_take(const struct pl_publisher *who,
                                enum pl_share share, uint64_t n);
void pl_publisher_give(struct pl_publishers *p, struct pl_publisher *who,
                       enum pl_share share, uint64_t n);

/*
 * A sample begins: blocks are empty, and strangers are given their allowance of
 * it.  'own': bytes of the machine's own part of the sample before.  Strangers
 * who have left and owe nothing are forgotten.
 */
void pl_publishers_begin(struct pl_publishers *p, uint64_t pass, uint64_t own);

/* Pay for so many bytes of the log; false: that cannot be afforded now. */
bool pl_publisher_pay(struct pl_publishers *p, struct pl_publisher *who,
                      uint64_t bytes);

/* True if a stranger may cause a note now; whom is trusted always may. */
bool pl_publisher_may_note(struct pl_publisher *who);

#endif
