/*                                       logger/windows/dll/object_writer.h
 * Writes the objects of a table in the form that Windows expects of a provider:
 * one after the other, as in a block.  A table's titles are consecutive: each
 * object is followed by its counters, two each; a base has none of its own
 * (logger/provider/titles.h).
 */
#ifndef PL_WINDOWS_DLL_ANSWER_H
#define PL_WINDOWS_DLL_ANSWER_H

#include "format/base/buf.h"
#include "format/base/status.h"
#include "logger/provider/titles.h"
#include "logger/windows/dll/region_groups.h"

#include <stdbool.h>
#include <stdint.h>

/* What is asked for. */
struct pl_question {
    const wchar_t *value; /* title indexes; NULL: everything */
    uint32_t own;         /* title of the object that lists the processes */
    uint32_t own_at;      /* place in it of the first region */
    uint32_t first;       /* title of the table's first object */
    int64_t perf_freq;    /* of the performance counter, in Hz */
    int64_t now_100ns;    /* pl_prov_clock */
};

/*
 * True if a value string of Windows asks for our objects; *value is what it
 * leaves to choose from.  NULL and "" ask for everything, as "Global" does;
 * "Costly", "Foreign..." and "Query..." for nothing that is here.
 */
bool pl_question_is_ours(const wchar_t **value);

/* An answer about the regions of one table, which live longer. */
struct pl_object_writer;

/* Determine the regions and instances shown.  PL_NOMEM. */
enum pl_status pl_object_writer_prepare(struct pl_object_writer **out,
                                        struct pl_region_groups *s,
                                        const struct pl_question *q);
void pl_object_writer_free(struct pl_object_writer *a);

/* The title index after the table's last. */
uint32_t pl_object_writer_end(const struct pl_object_writer *a);

/* True if the list of processes is asked for, or instances belong to it. */
bool pl_object_writer_needs_own(const struct pl_object_writer *a);

/*
 * True if object 'k' has place for one process and shows one; which steps
 * back for another table's object of that name.
 */
bool pl_object_writer_is_single(const struct pl_object_writer *a, uint32_t k);
void pl_object_writer_yield(struct pl_object_writer *a, uint32_t k);

/* Append the objects, and add how many to *num.  PL_NOMEM. */
enum pl_status pl_object_writer_put(struct pl_object_writer *a,
                                    struct pl_buf *out, uint32_t *num);

struct pl_own_titles {
    uint32_t object, counters[PL_NUM_OWN];
};

/* Append the list of processes: those of all tables.  PL_NOMEM. */
enum pl_status pl_object_writer_own(struct pl_buf *out,
                                    const struct pl_own_titles *titles,
                                    struct pl_region_groups *const *groups,
                                    size_t num);

/*
 * Append the list of processes if need be, numbered from q->own on, and all
 * objects, and count them.  PL_NOMEM; PL_UNSUPPORTED: the table has names
 * behind 'last', that Windows has not been given.
 */
enum pl_status pl_object_writer_table(struct pl_buf *out, uint32_t *num,
                                      struct pl_region_groups *s,
                                      const struct pl_question *q,
                                      uint32_t last);

#endif
