/*                                                   tests/support/sample.h
 * A sampler and its last block, for tests that look at what it recorded.
 */
#ifndef PL_TESTS_SUPPORT_SAMPLE_H
#define PL_TESTS_SUPPORT_SAMPLE_H

#include "format/base/buf.h"
#include "format/block/winperf.h"
#include "logger/sampler.h"

#include <stdbool.h>
#include <stdint.h>

struct sample {
    struct pl_sampler *sampler;
    struct pl_counter_path_list paths;
    struct pl_logger_stats stats;
    struct pl_tick tick; /* of the last block */
    struct pl_buf block;
};

/*
 * Open a sampler over DIR/proc and DIR/sys (NULL: the live machine) with the
 * NULL-ended list of -c paths.  The status of pl_sampler_open.
 */
enum pl_status sample_open(struct sample *s, const char *dir,
                           const char *const *paths, const char **why);
/* The same with everything there is, costly or on request too. */
enum pl_status sample_open_all(struct sample *s, const char *dir);

/* The same over the live machine, reading processes in this way. */
enum pl_status sample_open_way(struct sample *s, enum pl_process_way way,
                               const char *const *paths, const char **why);

/*
 * 0 if processes can be read by BPF here.  Else says why not, and what 'test'
 * is to exit with: skipped, or failed where it is the program that the kernel
 * refuses.
 */
int sample_without_bpf(const char *test);
void sample_close(struct sample *s);

/* Make the tree of proc_tree.h in temp_dir() and open that. */
void sample_open_tree(struct sample *s);

/* Take a sample now; fails the test unless the block holds together. */
void sample_take(struct sample *s);

/* Title index of an object by its English name; 0: not in the titles. */
uint32_t sample_index(const struct sample *s, const char *name);

/* The object; false if the block has none of that name. */
bool sample_object(const struct sample *s, const char *name,
                   struct pl_object *out);

/* The definition of a counter, or of its base; false if there is none. */
bool sample_counter(const struct sample *s, const char *object,
                    const char *counter, bool base, struct pl_counter_def *out);

/*
 * A value; 'instance' is NULL for objects without instances.  False if the
 * object, the instance or the counter is not in the block.
 */
bool sample_value(const struct sample *s, const char *object,
                  const char *instance, const char *counter, bool base,
                  uint64_t *out);

/* The same, failing the test where there is none. */
uint64_t value_of(const struct sample *s, const char *object,
                  const char *instance, const char *counter);

bool has_instance(const struct sample *s, const char *object,
                  const char *instance);
bool has_counter(const struct sample *s, const char *object,
                 const char *counter);

#endif
