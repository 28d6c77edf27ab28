/*                                            analyze/moment/process_list.h
 * Which processes of a moment a page lists, and in which order: all by rank,
 * those that contain a text, as a tree of parents, or by control groups or
 * programs with their sums.
 */
#ifndef PL_ANALYZE_MOMENT_PROCESS_LIST_H
#define PL_ANALYZE_MOMENT_PROCESS_LIST_H

#include "analyze/moment/moment.h"
#include "format/base/status.h"
#include "format/base/text.h"

#include <stddef.h>

enum pl_process_order {
    PL_BY_RANK,
    /* children below their parent; those first whose tree did most */
    PL_BY_PARENT,
    PL_BY_CONTROL_GROUP,
    PL_BY_PROGRAM, /* that of one process has no sum */
};

struct pl_process_view {
    /*
     * Only those with this in their name, user, control group or command line,
     * in whatever case; with PL_BY_PARENT, their ancestors too.  NULL: all.
     */
    const char *filter;
    enum pl_process_order order;
};

struct pl_process_entry {
    const struct pl_moment_row *row;
    struct pl_text name; /* of the process or, for a sum, of what has it */
    unsigned depth;      /* below its parent or group */
};

struct pl_process_list {
    struct pl_process_entry *entries;
    size_t num;
    struct pl_moment_row *sums; /* their 'group' is NULL */
};

/*
 * The list of a moment that is ranked; it points into the moment.  '*list' is
 * all zero, or a list that is replaced.  PL_NOMEM.
 */
enum pl_status pl_process_list_make(struct pl_process_list *list,
                                    const struct pl_moment *m,
                                    const struct pl_process_view *view);
void pl_process_list_release(struct pl_process_list *list);

/* Characters before the name of an entry. */
size_t pl_process_indent(const struct pl_process_entry *e);

#endif
