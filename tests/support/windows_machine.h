/*                                          tests/support/windows_machine.h
 * A Windows with three objects, which answers through fake_registry.h, and the
 * recorder's sampler over it.
 */
#ifndef PL_TESTS_SUPPORT_WINDOWS_MACHINE_H
#define PL_TESTS_SUPPORT_WINDOWS_MACHINE_H

#include "logger/sampler.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Titles: three objects, one without data, a counter. */
enum { SYSTEM = 2, PROCESS = 230, THREAD = 232, JOB = 1500, COUNTER = 6 };

struct windows_machine {
    struct pl_buf names, helps; /* "Counter 009", "Help 009" */
    struct pl_buf local;        /* "Counter" of language 00C */
    struct pl_buf block;        /* "Global" */
    struct pl_counter_path_list paths;
    struct pl_sampler *sampler;
    struct pl_buf out; /* the last sample */
};

extern struct windows_machine win;

/* Names for four objects, a block of three; sampler and paths are released. */
void win_start(void);

void win_add_title(struct pl_buf *list, const char *index, const char *text);

/* Appends to win.block an object with one counter; where it is. */
size_t win_put_object(uint32_t title, uint32_t parent, unsigned instances);
void win_put_block(void);

void win_choose(const char *path);
enum pl_status win_open(struct pl_sampler_options *options, const char **why);
void win_sample(void);
void win_open_and_sample(void);

/* The objects of the sample, "2 230 21700". */
const char *win_objects(void);

bool win_has_text(struct pl_text t, const char *want);

#endif
