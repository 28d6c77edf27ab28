/*                                      logger/linux/published/publishers.h
 * Publishers: the users that own regions, and the limits of what each may use
 * of the recorder.  Root and the recorder's own user are one publisher, which
 * is trusted and bounded only by the recorder's total limits.  Every other user
 * is untrusted and has a small share of each resource; all untrusted publishers
 * together leave the rest to the trusted publisher.  A refusal affects only the
 * untrusted publisher refused; resources given back are free for all.
 *
 * Bytes of the log are a resource, too: an untrusted publisher pays for what it
 * adds to the log with an allowance in bytes.  A new publisher starts with a
 * part of the reserve; then all untrusted publishers together get as many bytes
 * per sample as the machine's own counters take.  So published counters at most
 * double the size of a log, and rotation keeps at least half of the history
 * that it would keep without them.
 *
 * Everything refused is counted, by limit (pl_publisher_refuse).
 */
#ifndef PL_LOGGER_LINUX_PUBLISHED_PUBLISHERS_H
#define PL_LOGGER_LINUX_PUBLISHED_PUBLISHERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct pl_region;

/* Limits: first those of resources, which are taken and given back. */
enum pl_limit {
    PL_SHARE_PLACES,      /* files that are remembered */
    PL_SHARE_UNVALIDATED, /* of these, files rejected or not yet validated */
    PL_SHARE_FOLDERS,
    PL_SHARE_MEMORY, /* bytes of mappings and of copies */
    PL_SHARE_TABLES, /* bytes of definitions */
    PL_SHARE_TITLES, /* of these definitions */
    PL_SHARE_TEXTS,  /* bytes of names and help, likewise */
    PL_SHARE_BLOCK,  /* bytes of this sample's block */
    PL_NUM_SHARES,
    PL_LIMIT_LOG = PL_NUM_SHARES, /* bytes of the log */
    PL_LIMIT_TITLE_RECORDS,       /* how often all titles are stored */
    PL_LIMIT_TIME,                /* to read regions */
    PL_LIMIT_USERS,               /* number of publishers */
    PL_LIMIT_FULL_FOLDERS,        /* of a file system: the kernel refuses */
    PL_NUM_LIMITS
};

struct pl_publisher {
    struct pl_publisher *next;
    uid_t
        uid; /* an untrusted publisher's; undefined for the trusted publisher */
    bool untrusted;
    bool refused;      /* a file had no place */
    unsigned exceeded; /* limits that refused files or folders, as bits */
    unsigned noted;    /* of these, those in notes */
    uint64_t taken[PL_NUM_SHARES];
    struct pl_region *first; /* its regions, by pl_region.peer */
    size_t turn;             /* which of them is copied first */
    int64_t allowance;       /* bytes; negative: a debt */
    bool endowed;            /* has received its part of the reserve */
    size_t work;             /* of opening its files in this sample */
    uint32_t asked_pid;      /* its files named it in this sample, or 0 */
    bool owns_asked_pid;     /* and that process is this user's */
    bool has_paid_titles;    /* has paid for titles in this sample */
    unsigned notes;          /* number it may still cause */
};

struct pl_publishers {
    struct pl_publisher trusted;
    struct pl_publisher *first;    /* untrusted publishers */
    size_t num;                    /* of these */
    uid_t own;                     /* the recorder's user, trusted as root */
    uint64_t taken[PL_NUM_SHARES]; /* by untrusted publishers together */
    uint64_t refusals[PL_NUM_LIMITS];
    uid_t excess; /* the user last refused as there are too many */
    bool is_excess_to_note;
    unsigned title_records; /* that untrusted publishers may cause now */
    bool has_title_record;  /* they cause one in this sample */
    int64_t reserve; /* bytes of allowance for newcomers; negative: owed for
                      * titles, and half of the allowance goes into it */
};

void pl_publishers_init(struct pl_publishers *p);
void pl_publishers_release(struct pl_publishers *p);

/* The publisher of this user.  NULL: too many publishers, which is counted and
 * to be noted, or no memory. */
struct pl_publisher *pl_publishers_find(struct pl_publishers *p, uid_t uid);

/* True if 'n' of a resource can be taken. */
bool pl_publisher_has_room(const struct pl_publishers *p,
                           const struct pl_publisher *who, enum pl_limit share,
                           uint64_t n);
/* Take 'n' of a resource; false, and nothing taken: over the limit. */
bool pl_publisher_take(struct pl_publishers *p, struct pl_publisher *who,
                       enum pl_limit share, uint64_t n);
/* False: 'n' is over the limit even if nothing else were taken. */
bool pl_publisher_may_ever_take(const struct pl_publisher *who,
                                enum pl_limit share, uint64_t n);
void pl_publisher_give(struct pl_publishers *p, struct pl_publisher *who,
                       enum pl_limit share, uint64_t n);

/* The untrusted publisher that has taken most of a resource; NULL: there is
 * none. */
struct pl_publisher *pl_publishers_largest(struct pl_publishers *p,
                                           enum pl_limit share);

/* Count what a limit has refused to 'who'. */
void pl_publisher_refuse(struct pl_publishers *p, struct pl_publisher *who,
                         enum pl_limit limit);
/* The name of a limit, for people. */
const char *pl_limit_name(enum pl_limit limit);

/*
 * Begin a sample: the block is empty, and untrusted publishers get their
 * allowance.  'own': bytes of the machine's own counters in the previous block.
 * Untrusted publishers without regions, resources and debts are forgotten once
 * they have all their notes.
 */
void pl_publishers_begin(struct pl_publishers *p, uint64_t pass, uint64_t own);

/* Pay for so many bytes of the log; false: the allowance is too small now. */
bool pl_publisher_pay(struct pl_publishers *p, struct pl_publisher *who,
                      uint64_t bytes);

/*
 * Pay for a title record, which has the titles of all that are new in this
 * sample: so many bytes, and for its own texts.  The texts of others, which are
 * stored again, are paid for from the reserve.  False: the allowance is used
 * up, or untrusted publishers together have caused a record not long ago, or
 * one for which something is owed; *limit says which.
 */
bool pl_publisher_pay_titles(struct pl_publishers *p, struct pl_publisher *who,
                             uint64_t bytes, enum pl_limit *limit);

/* True if this publisher may cause a note now; the trusted one always may. */
bool pl_publisher_may_note(struct pl_publisher *who);

#endif
