/*                                            logger/provider/pl_provider.h
 * Counters that an application publishes itself.  A table says which objects
 * and counters there are; pl_prov_open makes them visible to 'perflog record',
 * pl_add counts.  Nothing needs to be registered or running for that.
 *
 *     static const struct pl_prov_counter counters[] = {
 *         { 1, PERF_COUNTER_BULK_COUNT, "Requests/sec", "Requests answered.",
 *           0, PL_PROV_NOVICE, 0 },
 *     };
 *     static const struct pl_prov_object table[] = {
 *         { 1, "Worker", "What this worker does.", PL_PROV_NO_INSTANCES, 0,
 *           PL_PROV_NOVICE, 0, 1, counters, 1 },
 *     };
 *
 *     struct pl_prov *p;
 *     struct pl_prov_word *requests;
 *
 *     if (pl_prov_open(&p, "worker", table, 1, NULL))
 *         fprintf(stderr, "no counters: %s\n", pl_prov_why(p));
 *     requests = pl_prov_word_of(pl_prov_single(p, 1), 1);
 *     ...
 *     pl_add(requests, 1);
 *
 * What it costs: pl_add is one atomic instruction, pl_own less than that; no
 * call, no lock and no system call is on that path.  A reader never holds up
 * the application, and cannot write to it.
 *
 * What fails never harms the application: pl_prov_open hands out a provider
 * whatever happens, and where there is nothing to count into, pl_prov_word_of
 * gives a word that no recorder sees.  pl_prov_why gives the reason.
 *
 * All functions may be called by several threads at a time, save that a
 * provider or set must not be used any more once it is closed or removed.
 * pl_add, pl_set, pl_begin and pl_end may be called in signal handlers.
 *
 * After fork, what the child counts goes nowhere; a child, or a daemon, that
 * wants counters of its own opens a provider of its own.  After the process
 * has ended, however it has, its last counts are recorded once more and the
 * region is removed.
 *
 * On Windows all of this is the same, but for fork, which is not there, and
 * for pl_install.h, by which an application makes its counters known.
 *
 * C11 and C++11, GCC and Clang.  Manual: perflog-provider(7).
 */
#ifndef PL_PROVIDER_H
#define PL_PROVIDER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- types of counters --------------------------------------------------
 * As in winperf.h.  Words in memory have 64 bits, and so has what a recorder on
 * Linux makes of them, whatever the type: nothing wraps.  Windows' own tools,
 * and so a recorder on Windows, take 32 bits of a type without LARGE: at each
 * multiple of 2^32 a running count has an empty cell, counts of more than that
 * between two samples are wrong, and values shown as they are stop at
 * 4,294,967,295.  So take BULK_COUNT for counts, and LARGE where there is one.
 */
#ifndef PERF_COUNTER_RAWCOUNT /* else Windows' own header has them */
/* Shown as they are: */
#define PERF_COUNTER_RAWCOUNT 0x00010000u
#define PERF_COUNTER_LARGE_RAWCOUNT 0x00010100u
#define PERF_COUNTER_RAWCOUNT_HEX 0x00000000u
#define PERF_COUNTER_LARGE_RAWCOUNT_HEX 0x00000100u
/* Running counts, shown per second, or as the difference: */
#define PERF_COUNTER_COUNTER 0x10410400u
#define PERF_COUNTER_BULK_COUNT 0x10410500u
#define PERF_SAMPLE_COUNTER 0x00410400u
#define PERF_COUNTER_DELTA 0x00400400u
#define PERF_COUNTER_LARGE_DELTA 0x00400500u
/* Running times of pl_prov_ticks, shown in percent; _INV: of idle time: */
#define PERF_COUNTER_TIMER 0x20410500u
#define PERF_COUNTER_TIMER_INV 0x21410500u
#define PERF_100NSEC_TIMER 0x20510500u
#define PERF_100NSEC_TIMER_INV 0x21510500u
/* Sum of queue length x ticks that it lasted, shown as mean length: */
#define PERF_COUNTER_QUEUELEN_TYPE 0x00450400u
#define PERF_COUNTER_LARGE_QUEUELEN_TYPE 0x00450500u
#define PERF_COUNTER_100NS_QUEUELEN_TYPE 0x00550500u
/* The moment (pl_prov_clock) something began, shown in seconds since: */
#define PERF_ELAPSED_TIME 0x30240500u
/* Numerators; the next row of the table must be the base named here: */
#define PERF_AVERAGE_TIMER 0x30020400u           /* ticks; AVERAGE_BASE */
#define PERF_AVERAGE_BULK 0x40020500u            /* AVERAGE_BASE */
#define PERF_RAW_FRACTION 0x20020400u            /* RAW_BASE */
#define PERF_LARGE_RAW_FRACTION 0x20020500u      /* LARGE_RAW_BASE */
#define PERF_SAMPLE_FRACTION 0x20C20400u         /* SAMPLE_BASE */
#define PERF_COUNTER_MULTI_TIMER 0x22410500u     /* COUNTER_MULTI_BASE, */
#define PERF_COUNTER_MULTI_TIMER_INV 0x23410500u /* all four */
#define PERF_100NSEC_MULTI_TIMER 0x22510500u
#define PERF_100NSEC_MULTI_TIMER_INV 0x23510500u
#define PERF_PRECISION_SYSTEM_TIMER 0x20470500u /* LARGE_RAW_BASE, both */
#define PERF_PRECISION_100NS_TIMER 0x20570500u
/* Bases, which are not shown: */
#define PERF_AVERAGE_BASE 0x40030402u
#define PERF_RAW_BASE 0x40030403u
#define PERF_LARGE_RAW_BASE 0x40030500u
#define PERF_SAMPLE_BASE 0x40030401u
#define PERF_COUNTER_MULTI_BASE 0x42030500u
#endif

/* Detail levels: which readers an object or counter is for. */
enum {
    PL_PROV_NOVICE = 100,
    PL_PROV_ADVANCED = 200,
    PL_PROV_EXPERT = 300,
    PL_PROV_WIZARD = 400
};

/* ---- tables --------------------------------------------------------------
 * Texts are UTF-8 without control characters.  Tables and their texts must
 * live as long as the provider: make them static const.
 */
enum {
    PL_PROV_NO_INSTANCES = -1,
    PL_PROV_PER_PROCESS = 1 << 0 /* flag: one instance "program:pid" each */
};

struct pl_prov_counter {
    uint32_t id;       /* from 1, once per object */
    uint32_t type;     /* PERF_* */
    const char *name;  /* at most 127 bytes, not "Identity", which a recorder
                          adds; may be NULL for a base */
    const char *help;  /* at most 1,023 bytes; may be NULL */
    int8_t scale;      /* power of ten for chart lines, -9 to 9 */
    uint16_t detail;   /* PL_PROV_NOVICE to PL_PROV_WIZARD */
    uint32_t value_of; /* 0, or the id of an earlier counter of this object
                          whose word is shown: one update, never unequal */
};

struct pl_prov_object {
    uint32_t id;      /* from 1, once per table */
    const char *name; /* as counters have, but not a name of perflog's own
                         objects such as "Memory" */
    const char *help;
    int32_t max_instances; /* PL_PROV_NO_INSTANCES, or 1 to 65,536 */
    uint16_t name_max;     /* bytes of an instance's name, 0 to 255 */
    uint16_t detail;
    uint32_t flags;           /* PL_PROV_* */
    uint32_t default_counter; /* id; charts begin with it */
    const struct pl_prov_counter *counters;
    uint32_t num_counters; /* 1 to 1,024; of a table 65,536 */
};

struct pl_prov_options {
    const char *dir; /* absolute, on tmpfs; NULL: see perflog-provider(7) */
    mode_t mode;     /* of the region; 0: 0640.  Bits for others and for
                        writing are taken away; Windows has rights of its own */
};

/*
 * Check a table of 'n' objects (1 to 256).  0 if all is well; else -1, and
 * 'why' (NULL is fine) says what is wrong with which row.  pl_prov_open does
 * the same; a test of the application tells earlier.
 */
int pl_prov_check(const struct pl_prov_object *table, uint32_t n, char *why,
                  size_t len);

/* ---- providers -----------------------------------------------------------*/
struct pl_prov; /* one region of memory, seen by the logger */

/*
 * Publish a table.  'program' names the process: letters, digits, '-' and '_'
 * are kept, any other byte becomes '_', and what is beyond 32 is cut off.  *out
 * is a provider in any case, to be closed.  0, or an errno value: EINVAL the
 * table is wrong or options->dir not absolute, ENOSPC the file system of a
 * folder for regions is full and no other folder can be used, ENOTSUP there is
 * no such folder on tmpfs, or that of the call that failed, as EROFS;
 * pl_prov_why has the details.  All memory is allocated here: a file system
 * that becomes full later does no harm.
 */
int pl_prov_open(struct pl_prov **out, const char *program,
                 const struct pl_prov_object *table, uint32_t n,
                 const struct pl_prov_options *options);

/*
 * Withdraw it.  Its words and sets must not be used any more.  The same is
 * done at exit, save that words may be used on.  NULL is fine.
 */
void pl_prov_close(struct pl_prov *p);

/* Why no recorder sees these counters; "" if all is well.  Lives as long as
 * 'p'. */
const char *pl_prov_why(const struct pl_prov *p);

/* Where the region lies; "" if there is none. */
const char *pl_prov_path(const struct pl_prov *p);

/* ---- sets and words -------------------------------------------------------
 * A set is the words of one instance, or of an object without instances.
 */
struct pl_prov_word {
    uint64_t v;
};

struct pl_prov_sync {
    uint64_t enter, exit;
};

struct pl_prov_set {
    struct pl_prov_sync *sync;  /* never NULL */
    struct pl_prov_word *words; /* NULL: no recorder sees the set */
    struct pl_prov *prov;
    uint32_t object; /* its place in the table */
    uint32_t slot;
    uint64_t serial; /* of the instance that has the words; 0: none has */
};

/* The set of an object without instances. */
struct pl_prov_set pl_prov_single(struct pl_prov *p, uint32_t object);

/*
 * A new instance, all words 0.  'name' is copied; NULL or "" if 'unique_id'
 * (0 to 2^31 - 1, else -1) is all it goes by.  'parent' is an instance of an
 * earlier object of the table, or NULL.  What cannot be added (no slot is
 * free, the name is too long or no UTF-8, 'parent' is of a later object or of
 * another provider) is counted as refused and gets a set that no recorder sees.
 */
struct pl_prov_set pl_prov_add(struct pl_prov *p, uint32_t object,
                               const char *name, int64_t unique_id,
                               const struct pl_prov_set *parent);

/* The instance is gone; *s is a set that no recorder sees from now on. */
void pl_prov_remove(struct pl_prov_set *s);

/*
 * All words 0 again, as if it were another one of that name: the next sample
 * shows no rates of it.  Never set a running count back otherwise.
 */
void pl_prov_renew(struct pl_prov_set *s);

/* Stands for the whole region in pl_begin and pl_end; it has no words. */
struct pl_prov_set pl_prov_region(struct pl_prov *p);

/* Look a word up, once; never NULL. */
struct pl_prov_word *pl_prov_word_of(struct pl_prov_set s, uint32_t counter);

/* Now, in 100 ns: for running times, and for PERF_ELAPSED_TIME. */
uint64_t pl_prov_ticks(void);
uint64_t pl_prov_clock(void);

/* ---- counting ------------------------------------------------------------*/
#if defined(__SANITIZE_THREAD__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push /* it knows no fences; no word needs them here */
#pragma GCC diagnostic ignored "-Wtsan"
#endif

/* Count; any number of threads. */
static inline void pl_add(struct pl_prov_word *w, uint64_t n)
{
    (void)__atomic_fetch_add(&w->v, n, __ATOMIC_RELAXED);
}

/* The same, faster, where one thread alone ever changes this word. */
static inline void pl_own(struct pl_prov_word *w, uint64_t n)
{
    __atomic_store_n(&w->v, __atomic_load_n(&w->v, __ATOMIC_RELAXED) + n,
                     __ATOMIC_RELAXED);
}

/* A value that is shown as it is, such as a length: set it, don't count. */
static inline void pl_set(struct pl_prov_word *w, uint64_t v)
{
    __atomic_store_n(&w->v, v, __ATOMIC_RELAXED);
}

/*
 * What is counted between pl_begin and pl_end is recorded together or not yet,
 * never in part.  Threads do not wait for each other there, and a reader tries
 * again; so keep it short and call nothing that blocks in between.  A thread
 * that dies in a group leaves its set "busy".  With pl_prov_region a group
 * spans sets and objects; for regions of up to about 1,000 sets.
 */
static inline void pl_begin(struct pl_prov_set s)
{
    (void)__atomic_fetch_add(&s.sync->enter, 1, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE);
}

static inline void pl_end(struct pl_prov_set s)
{
    (void)__atomic_fetch_add(&s.sync->exit, 1, __ATOMIC_RELEASE);
}

/* The same, faster, where one thread alone ever has groups in this set. */
static inline void pl_begin_own(struct pl_prov_set s)
{
    __atomic_store_n(&s.sync->enter,
                     __atomic_load_n(&s.sync->enter, __ATOMIC_RELAXED) + 1,
                     __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE);
}

static inline void pl_end_own(struct pl_prov_set s)
{
    __atomic_store_n(&s.sync->exit,
                     __atomic_load_n(&s.sync->exit, __ATOMIC_RELAXED) + 1,
                     __ATOMIC_RELEASE);
}

/* An average: 'n' more, once more. */
static inline void pl_avg(struct pl_prov_set s, struct pl_prov_word *sum,
                          struct pl_prov_word *base, uint64_t n)
{
    pl_begin(s);
    pl_add(sum, n);
    pl_add(base, 1);
    pl_end(s);
}

#if defined(__SANITIZE_THREAD__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

#ifdef __cplusplus
}
#endif

#endif
