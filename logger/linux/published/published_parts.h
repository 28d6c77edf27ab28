/*                                  logger/linux/published/published_parts.h
 * Private to published*.c: what these files call of each other.
 */
#ifndef PL_LOGGER_LINUX_PUBLISHED_PUBLISHED_PARTS_H
#define PL_LOGGER_LINUX_PUBLISHED_PUBLISHED_PARTS_H

#include "logger/linux/published/published.h"

/* Ends the name of a renamed object, followed by the user's number. */
#define PL_OF_USER " of user "
enum { PL_OF_USER_SIZE = sizeof PL_OF_USER "4294967295" };

static inline const char *pl_published_text(const struct pl_published *t,
                                            uint32_t at)
{
    return pl_region_text(&t->header, t->definitions, at);
}

static inline const struct pl_region_counter *
pl_published_counters(const struct pl_published *t,
                      const struct pl_published_object *o)
{
    return pl_region_counters(&t->header, t->definitions) +
           o->layout->first_counter;
}

/* ---- published_objects.c: objects of a new table ------------------------ */

/* Create object 'k'; its titles are the next of 'l'.  PL_NOMEM; PL_TOO_LARGE:
 * there are no more titles; PL_USAGE: one of perflog's own has the name. */
enum pl_status pl_published_add_object(struct pl_published_list *l,
                                       const struct pl_published *t,
                                       uint32_t k);
void pl_published_free_objects(struct pl_published *t);

/* ---- published_names.c: to whom an object's name belongs ---------------- */

/* A hash of a name that ignores the case of letters. */
uint64_t pl_published_name_hash(const char *name);
/* Find the publisher's first object of the same name, for each of 't'. */
void pl_published_find_namesakes(const struct pl_published_list *l,
                                 const struct pl_published *t);
/* True if names of these definitions belong to another publisher, or look as
 * if they did. */
bool pl_published_must_be_renamed(const struct pl_published_list *l,
                                  const struct pl_region_header *h,
                                  const uint8_t *definitions,
                                  const struct pl_publisher *who);
/* Names of the trusted publisher are taken from other tables that have them. */
void pl_published_displace(struct pl_published_list *l,
                           const struct pl_published *by);

/* ---- published_titles.c ------------------------------------------------- */

/* Bytes of the texts that become titles. */
size_t pl_published_texts_size(const struct pl_published *t);

#endif
