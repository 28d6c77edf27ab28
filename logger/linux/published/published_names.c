/* To whom the name of an object belongs. */
#include "logger/linux/published/published_parts.h"

#include "format/record/record.h"

#include <ctype.h>
#include <string.h>

uint64_t pl_published_name_hash(const char *name)
{
    char lower[PL_REGION_MAX_NAME];
    size_t n = strlen(name);

    for (size_t i = 0; i < n; i++)
        lower[i] = (char)tolower((unsigned char)name[i]);
    return pl_hash(lower, n, 0);
}

static struct pl_published_object *
first_called(const struct pl_published *t, uint32_t num,
             const struct pl_published_object *o)
{
    for (uint32_t i = 0; i < num; i++)
        if (t->objects[i].name_hash == o->name_hash &&
            !strcmp(t->objects[i].def.name, o->def.name))
            return t->objects[i].namesake;
    return NULL;
}

void pl_published_find_namesakes(const struct pl_published_list *l,
                                 const struct pl_published *t)
{
    for (uint32_t k = 0; k < t->header.num_objects; k++) {
        struct pl_published_object *o = &t->objects[k], *found = NULL;

        for (struct pl_published *e = l->first; e && e != t && !found;
             e = e->next)
            if (e->owner == t->owner)
                found = first_called(e, e->header.num_objects, o);
        if (!found)
            found = first_called(t, k, o);
        o->namesake = found ? found : o;
    }
}

static bool has_name(const struct pl_published *t, uint64_t hash)
{
    for (uint32_t k = 0; k < t->header.num_objects; k++)
        if (t->objects[k].name_hash == hash)
            return true;
    return false;
}

/* Does it look like another path: \Processor(_Total), or a renamed object? */
static bool looks_like_another(const char *name)
{
    return strpbrk(name, "\\()") || strstr(name, PL_OF_USER) || *name == ' ' ||
           name[strlen(name) - 1] == ' ';
}

/* Does the name belong to another publisher, or look as if it did? */
static bool is_anothers(const struct pl_published_list *l, const char *name,
                        const struct pl_publisher *who)
{
    uint64_t hash = pl_published_name_hash(name);

    for (const struct pl_published *t = l->first; t; t = t->next)
        if (t->owner != who && t->num_regions && !t->renamed && !t->displaced &&
            has_name(t, hash))
            return true;
    return looks_like_another(name);
}

bool pl_published_must_be_renamed(const struct pl_published_list *l,
                                  const struct pl_region_header *h,
                                  const uint8_t *definitions,
                                  const struct pl_publisher *who)
{
    const struct pl_region_object *o = pl_region_objects(definitions);

    for (uint32_t k = 0; k < h->num_objects && who->untrusted; k++)
        if (is_anothers(l, pl_region_text(h, definitions, o[k].name), who))
            return true;
    return false;
}

void pl_published_displace(struct pl_published_list *l,
                           const struct pl_published *by)
{
    for (struct pl_published *t = l->first; t; t = t->next)
        for (uint32_t k = 0; k < by->header.num_objects; k++)
            if (t->owner != by->owner && !t->renamed &&
                has_name(t, by->objects[k].name_hash))
                t->displaced = true;
}
