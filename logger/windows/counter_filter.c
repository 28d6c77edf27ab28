/* Converts counter paths to value strings of the performance data. */
#include "logger/windows/counter_filter.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { NUM_LISTS = 2 };

bool pl_names_fit(const struct pl_names *names, struct pl_text pattern,
                  uint32_t index)
{
    struct pl_text name;

    if (!pattern.p)
        return true;
    for (size_t i = 0; i < NUM_LISTS; i++) {
        name = pl_title_text_find(&names->lists[i], index);
        if (name.p && pl_pattern_match(pattern, name))
            return true;
    }
    if (!names->published)
        return false;
    name = pl_titles_name(names->published, index);
    return name.n && pl_pattern_match(pattern, name);
}

bool pl_counter_filter_names(const struct pl_counter_filter *c,
                             const struct pl_names *names, uint32_t index)
{
    for (size_t i = 0; c->paths && i < c->paths->num; i++)
        if (pl_names_fit(names, c->paths->paths[i].object, index))
            return true;
    return false;
}

/* Counters without a name match "*" only. */
static bool names_counter(const struct pl_counter_filter *c,
                          const struct pl_names *names, uint32_t object,
                          uint32_t counter)
{
    const struct pl_text all = pl_text_of("*");

    for (size_t i = 0; c->paths && i < c->paths->num; i++) {
        const struct pl_counter_path *path = &c->paths->paths[i];

        if (pl_names_fit(names, path->object, object) &&
            (pl_text_equal(path->counter, all) ||
             pl_names_fit(names, path->counter, counter)))
            return true;
    }
    return false;
}

bool pl_counter_filter_object(const struct pl_counter_filter *c,
                              const struct pl_names *names, struct pl_object o)
{
    struct pl_counter_def def;

    if (!pl_counter_filter_names(c, names, o.title_index))
        return false;
    while (!pl_counter_next(&o, &def))
        if (names_counter(c, names, o.title_index, def.title_index))
            return true;
    return false;
}

static bool is_identity(const struct pl_object_facts *facts, uint32_t counter)
{
    for (size_t i = 0; i < facts->num_identity; i++)
        if (facts->identity[i] == counter)
            return true;
    return false;
}

bool pl_counter_filter_keep(const struct pl_counter_filter *c,
                            const struct pl_names *names,
                            const struct pl_titles *titles, struct pl_object o,
                            bool *kept)
{
    const struct pl_object_facts facts = pl_titles_facts(titles, o.title_index);
    struct pl_counter_def def;
    bool above = false, all = true;

    for (size_t i = 0; !pl_counter_next(&o, &def); i++) {
        if (!pl_type_is_base(def.type))
            above = names_counter(c, names, o.title_index, def.title_index) ||
                    is_identity(&facts, def.title_index);
        kept[i] = above;
        all = all && above;
    }
    return all;
}

static struct pl_value_query *add_query(struct pl_counter_filter *c,
                                        const char *value, bool by_paths)
{
    struct pl_value_query *q = &c->queries[c->num_queries++];

    snprintf(q->value, sizeof q->value, "%s", value);
    q->by_paths = by_paths;
    return q;
}

static bool has_wildcard(const struct pl_counter_path_list *paths)
{
    for (size_t i = 0; i < paths->num; i++)
        if (!pl_pattern_is_literal(paths->paths[i].object))
            return true;
    return false;
}

/*
 * Append the indexes a name has, of which one is the object's and others may
 * be counters', which Windows passes over, as far as they fit.
 */
static void add_indexes(struct pl_value_query *q, const struct pl_names *names,
                        struct pl_text object)
{
    for (size_t l = 0; l < NUM_LISTS; l++) {
        const struct pl_title_text *list = &names->lists[l];

        for (size_t i = 0; i < list->num; i++) {
            const struct pl_title_entry *t = &list->titles[i];
            size_t len = strlen(q->value);
            struct pl_text name = { (const char *)list->text.p + t->at,
                                    t->len };
            char number[16];

            if (!pl_pattern_match(object, name))
                continue;
            snprintf(number, sizeof number, "%s%" PRIu32, len ? " " : "",
                     t->index);
            if (len + strlen(number) >= sizeof q->value)
                return;
            strcpy(q->value + len, number);
        }
    }
}

static void ask_for_names(struct pl_counter_filter *c,
                          const struct pl_names *names)
{
    struct pl_value_query *q = add_query(c, "", true);

    for (size_t i = 0; i < c->paths->num; i++)
        add_indexes(q, names, c->paths->paths[i].object);
    if (!*q->value) /* Windows returns everything for an empty value */
        c->num_queries--;
}

void pl_counter_filter_make(struct pl_counter_filter *c,
                            const struct pl_counter_path_list *paths, bool all,
                            const struct pl_names *names)
{
    bool any = paths && paths->num, replaces = any && paths->replaces;

    *c = (struct pl_counter_filter){ .paths = paths,
                                     .published_by_paths = replaces };
    if (all || !replaces)
        add_query(c, "Global", replaces);
    if (all)
        add_query(c, "Costly", replaces);
    if (all || !any)
        return;
    if (!has_wildcard(paths))
        ask_for_names(c, names);
    /* Wildcards choose among what comes by default; --all widens that. */
    else if (replaces)
        add_query(c, "Global", true);
}
