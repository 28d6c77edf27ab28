/*                                                 tests/support/watching.h
 * What tests of the recorder's side of published counters share: regions
 * without a sampler, children that publish, and files that lie.
 */
#ifndef PL_TESTS_SUPPORT_WATCHING_H
#define PL_TESTS_SUPPORT_WATCHING_H

#include "logger/linux/machine/machine.h"
#include "logger/linux/published/regions.h"
#include "logger/provider/pl_provider.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct pl_region_copy;

/* Regions without a sampler; everything is chosen. */
struct watch {
    struct pl_machine machine;
    struct pl_counter_filter choice;
    struct pl_regions *regions;
};

/* Whether watch_begin lets the kernel tell; else all is asked.  True at first. */
extern bool watch_is_notified;

/* Fixtures that set it. */
void watch_by_events(void);
void watch_by_asking(void);

void watch_begin(struct watch *w);
void watch_scan(struct watch *w);
void watch_end(struct watch *w);

/* Scan until it is there, with pauses as between samples. */
void watch_until(struct watch *w, const char *program);

/* The region of that program; NULL: it is in no sample. */
struct pl_region *watch_find(const struct watch *w, const char *program);
struct pl_region *watch_region(const struct watch *w, const char *program);

/* What was copied of a set, and a word of it. */
const struct pl_region_copy *watch_copy(const struct pl_region *g,
                                        size_t object, size_t slot);
uint64_t watch_word(const struct pl_region *g, size_t object, size_t slot,
                    size_t word);

/* A child that publishes, has counted 42 turns, does what 'then' says and waits. */
pid_t publishing_child(const char *program, void (*then)(struct pl_prov *));
void kill_child(pid_t child);

/* A file of the bytes of a good region, held by our lock; then changed. */
struct forged {
    uint8_t *bytes;
    size_t len;
    int fd;
    char path[256];
};

void forge_region(struct forged *f, const char *program);
void forge_word(struct forged *f, size_t at, uint32_t v);
void forge_length(struct forged *f, off_t len);
void discard_region(struct forged *f);

#endif
