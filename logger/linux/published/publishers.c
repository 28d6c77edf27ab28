/* Limits of publishers, and what they have taken. */
#include "logger/linux/published/publishers.h"

#include <stdlib.h>
#include <unistd.h>

enum {
    MAX_UNTRUSTED = 1024,
    MAX_REMEMBERED = MAX_UNTRUSTED / 2, /* while some are gone */
    LEAST_ALLOWANCE = 4096,             /* bytes a sample */
    OWN_RATIO = 32,     /* size of a block : its bytes in the log */
    SAVED_SAMPLES = 64, /* most samples of allowance saved */
    RESERVE_SAMPLES = 256,
    NEWCOMERS_PART = 16,
    CREDIT = 16384,    /* largest debt in bytes */
    NOTES = 16,        /* that an untrusted publisher may cause in a row */
    NOTE_EVERY = 64,   /* samples until one more */
    TITLE_RECORDS = 1, /* saved */
    TITLE_RECORD_EVERY = 8
};

/* A recorder without BPF on an idle machine has 4.4 MB; these limits keep it
 * below 16. */
static const struct limit {
    uint64_t one; /* of one untrusted publisher */
    uint64_t all; /* of all untrusted publishers */
    uint64_t sum; /* of all publishers */
} limits[PL_NUM_SHARES] = {
    [PL_SHARE_PLACES] = { 64, 768, 1024 },
    [PL_SHARE_UNVALIDATED] = { 8, 256, 1024 },
    [PL_SHARE_FOLDERS] = { 4, 192, 256 },
    [PL_SHARE_MEMORY] = { 1 << 20, 3 << 20, 512 << 20 },
    [PL_SHARE_TABLES] = { 128 << 10, 512 << 10, 64 << 20 },
    [PL_SHARE_TITLES] = { 1024, 6144, 8192 },
    [PL_SHARE_TEXTS] = { 64 << 10, 512 << 10, 16 << 20 },
    [PL_SHARE_BLOCK] = { 256 << 10, 512 << 10, 16 << 20 },
};

static const char *const names[PL_NUM_LIMITS] = {
    [PL_SHARE_PLACES] = "Files",
    [PL_SHARE_UNVALIDATED] = "Invalid Files",
    [PL_SHARE_FOLDERS] = "Folders",
    [PL_SHARE_MEMORY] = "Memory",
    [PL_SHARE_TABLES] = "Definitions",
    [PL_SHARE_TITLES] = "Titles",
    [PL_SHARE_TEXTS] = "Texts",
    [PL_SHARE_BLOCK] = "Block Bytes",
    [PL_LIMIT_LOG] = "Log Bytes",
    [PL_LIMIT_TITLE_RECORDS] = "Title Records",
    [PL_LIMIT_TIME] = "Reading Time",
    [PL_LIMIT_USERS] = "Users",
    [PL_LIMIT_FULL_FOLDERS] = "Full Folders",
};

const char *pl_limit_name(enum pl_limit limit)
{
    return names[limit];
}

void pl_publishers_init(struct pl_publishers *p)
{
    *p = (struct pl_publishers){ .own = geteuid(),
                                 .reserve = RESERVE_SAMPLES * LEAST_ALLOWANCE,
                                 .title_records = TITLE_RECORDS };
}

void pl_publishers_release(struct pl_publishers *p)
{
    while (p->first) {
        struct pl_publisher *who = p->first;

        p->first = who->next;
        free(who);
    }
}

static bool is_untrusted(const struct pl_publishers *p, uid_t uid)
{
    return uid != 0 && uid != p->own;
}

static struct pl_publisher *add(struct pl_publishers *p, uid_t uid)
{
    struct pl_publisher *who = calloc(1, sizeof *who);

    if (!who)
        return NULL;
    who->uid = uid;
    who->untrusted = true;
    who->notes = NOTES;
    who->next = p->first;
    p->first = who;
    p->num++;
    return who;
}

struct pl_publisher *pl_publishers_find(struct pl_publishers *p, uid_t uid)
{
    if (!is_untrusted(p, uid))
        return &p->trusted;
    for (struct pl_publisher *who = p->first; who; who = who->next)
        if (who->uid == uid)
            return who;
    if (p->num == MAX_UNTRUSTED) {
        p->refusals[PL_LIMIT_USERS]++;
        p->is_excess_to_note = p->is_excess_to_note || p->excess != uid;
        p->excess = uid;
        return NULL;
    }
    return add(p, uid);
}

void pl_publisher_refuse(struct pl_publishers *p, struct pl_publisher *who,
                         enum pl_limit limit)
{
    p->refusals[limit]++;
    who->exceeded |= 1u << limit;
}

bool pl_publisher_has_room(const struct pl_publishers *p,
                           const struct pl_publisher *who, enum pl_limit share,
                           uint64_t n)
{
    const struct limit *l = &limits[share];
    uint64_t untrusted = p->taken[share];

    if (n > l->sum || p->trusted.taken[share] + untrusted > l->sum - n)
        return false;
    return !who->untrusted ||
           (who->taken[share] + n <= l->one && untrusted + n <= l->all);
}

bool pl_publisher_take(struct pl_publishers *p, struct pl_publisher *who,
                       enum pl_limit share, uint64_t n)
{
    if (!pl_publisher_has_room(p, who, share, n))
        return false;
    who->taken[share] += n;
    if (who->untrusted)
        p->taken[share] += n;
    return true;
}

struct pl_publisher *pl_publishers_largest(struct pl_publishers *p,
                                           enum pl_limit share)
{
    struct pl_publisher *largest = p->first;

    for (struct pl_publisher *who = p->first; who; who = who->next)
        if (who->taken[share] > largest->taken[share])
            largest = who;
    return largest;
}

bool pl_publisher_may_ever_take(const struct pl_publisher *who,
                                enum pl_limit share, uint64_t n)
{
    return n <= (who->untrusted ? limits[share].one : limits[share].sum);
}

void pl_publisher_give(struct pl_publishers *p, struct pl_publisher *who,
                       enum pl_limit share, uint64_t n)
{
    who->taken[share] -= n;
    if (who->untrusted)
        p->taken[share] -= n;
}

/* ---- a sample ----------------------------------------------------------- */

/* An untrusted publisher that holds nothing.  It is remembered until it has its
 * notes again, else it would come back for them; but not if many are. */
static bool is_gone(const struct pl_publishers *p,
                    const struct pl_publisher *who)
{
    for (int i = 0; i < PL_NUM_SHARES; i++)
        if (who->taken[i])
            return false;
    return who->allowance >= 0 &&
           (who->notes == NOTES || p->num > MAX_REMEMBERED);
}

/* Remove an untrusted publisher; its allowance goes to the reserve. */
static void forget(struct pl_publishers *p, struct pl_publisher **at)
{
    struct pl_publisher *who = *at;

    *at = who->next;
    p->reserve += who->allowance;
    p->num--;
    free(who);
}

/* It has regions, or a debt. */
static bool is_active(const struct pl_publisher *who)
{
    return who->taken[PL_SHARE_MEMORY] || who->allowance < 0;
}

static int64_t num_active(const struct pl_publishers *p)
{
    int64_t num = 0;

    for (const struct pl_publisher *who = p->first; who; who = who->next)
        num += is_active(who);
    return num;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

void pl_publishers_begin(struct pl_publishers *p, uint64_t pass, uint64_t own)
{
    const int64_t given = most(LEAST_ALLOWANCE, (int64_t)(own / OWN_RATIO));
    const int64_t each =
        (p->reserve < 0 ? given / 2 : given) / most(1, num_active(p));
    int64_t kept = given;

    p->trusted.taken[PL_SHARE_BLOCK] = p->taken[PL_SHARE_BLOCK] = 0;
    p->has_title_record = false;
    if (pass % TITLE_RECORD_EVERY == 0 && p->title_records < TITLE_RECORDS)
        p->title_records++;
    for (struct pl_publisher **at = &p->first; *at;) {
        struct pl_publisher *who = *at;
        int64_t part = is_active(who)
                           ? least(each, SAVED_SAMPLES * given - who->allowance)
                           : 0;

        who->taken[PL_SHARE_BLOCK] = 0;
        who->has_paid_titles = false;
        who->work = 0;
        who->asked_pid = 0;
        if (part > 0) {
            who->allowance += part;
            kept -= part;
        }
        if (pass % NOTE_EVERY == 0 && who->notes < NOTES)
            who->notes++;
        if (is_gone(p, who))
            forget(p, at);
        else
            at = &who->next;
    }
    p->reserve = least(p->reserve + kept, RESERVE_SAMPLES * given);
}

/* Give a new untrusted publisher its part of the reserve. */
static void endow(struct pl_publishers *p, struct pl_publisher *who)
{
    int64_t part = most(0, p->reserve) / NEWCOMERS_PART;

    who->endowed = true;
    who->allowance += part;
    p->reserve -= part;
}

bool pl_publisher_pay(struct pl_publishers *p, struct pl_publisher *who,
                      uint64_t bytes)
{
    if (!who->untrusted)
        return true;
    if (!who->endowed)
        endow(p, who);
    if ((int64_t)bytes > who->allowance + CREDIT)
        return false;
    who->allowance -= (int64_t)bytes;
    return true;
}

/* True if this sample's block has new titles of untrusted publishers, or may
 * have some.  All texts are then stored again, those of others too. */
static bool store_titles(struct pl_publishers *p)
{
    if (p->has_title_record)
        return true;
    if (!p->title_records || p->reserve < 0)
        return false;
    p->title_records--;
    p->has_title_record = true;
    p->reserve -=
        (int64_t)(p->taken[PL_SHARE_TEXTS] + p->trusted.taken[PL_SHARE_TEXTS]);
    return true;
}

bool pl_publisher_pay_titles(struct pl_publishers *p, struct pl_publisher *who,
                             uint64_t bytes, enum pl_limit *limit)
{
    if (!who->untrusted || who->has_paid_titles)
        return true;
    *limit = PL_LIMIT_LOG;
    if (who->allowance <= 0)
        return false;
    *limit = PL_LIMIT_TITLE_RECORDS;
    if (!store_titles(p))
        return false;
    who->allowance -= (int64_t)(bytes + who->taken[PL_SHARE_TEXTS]);
    p->reserve += (int64_t)who->taken[PL_SHARE_TEXTS];
    who->has_paid_titles = true;
    return true;
}

bool pl_publisher_may_note(struct pl_publisher *who)
{
    if (!who->untrusted)
        return true;
    if (!who->notes)
        return false;
    who->notes--;
    return true;
}
