/* What commands report of damage. */
#include "analyze/cli/damage_report.h"

#include "format/cli/message.h"

#include <inttypes.h>
#include <stdio.h>

void pl_say_damage(const struct pl_places *where, uint64_t ranges,
                   uint64_t bytes, uint64_t samples)
{
    char also[40] = "";

    if (samples)
        snprintf(also, sizeof also, " and %" PRIu64 " sample%s", samples,
                 pl_plural(samples));
    if (!ranges && samples)
        pl_say("%s%s: %" PRIu64 " sample%s left out, as %s one that is "
               "missing or damaged; 'perflog verify' shows where",
               where->path, pl_places_rest(where), samples, pl_plural(samples),
               samples == 1 ? "it needs" : "they need");
    if (ranges)
        pl_say("%s%s: damaged: %" PRIu64 " range%s (%" PRIu64 " byte%s)%s left "
               "out where unreadable; 'perflog verify' shows where",
               where->path, pl_places_rest(where), ranges, pl_plural(ranges),
               bytes, pl_plural(bytes), also);
}

void pl_say_too_large(const struct pl_places *where, uint64_t samples)
{
    if (samples)
        pl_say("%s%s: %" PRIu64 " sample%s larger than --max-block allows, or "
               "refer%s to one that is, and left out; raise it",
               where->path, pl_places_rest(where), samples,
               samples == 1 ? " is" : "s are", samples == 1 ? "s" : "");
}

void pl_say_holes(const struct pl_places *where, uint64_t records)
{
    if (records)
        pl_say("%s%s: %" PRIu64
               " record%s missing; 'perflog verify' shows where",
               where->path, pl_places_rest(where), records, pl_plural(records));
}

void pl_say_malformed(const struct pl_places *where, uint64_t samples)
{
    if (samples)
        pl_say("%s%s: %" PRIu64
               " sample%s with a block that does not add up, of which what "
               "can be read is there; 'perflog verify' shows where",
               where->path, pl_places_rest(where), samples, pl_plural(samples));
}
