/* Kills for want of memory. */
#include "logger/linux/sources/kills.h"

#include "logger/linux/machine/machine.h"
#include "logger/linux/machine/source.h"

enum { STEADY = 2 };

static bool count_kills(const struct pl_machine *m, uint64_t *count)
{
    const struct pl_source *vm = m->sources[PL_VMSTAT];
    size_t f;

    if (!vm || vm->tick != m->tick || !vm->rows.num)
        return false;
    f = pl_source_find(vm, pl_text_of("oom_kill"));
    if (f == PL_NO_FIELD || !vm->fields[f].wanted)
        return false;
    *count = pl_source_rows_values(&vm->rows, 0)[f];
    return true;
}

void pl_kills_look(struct pl_kills *k, const struct pl_machine *m)
{
    uint64_t count = 0;

    if (!count_kills(m, &count) || count != k->count)
        k->steady = 0;
    else if (k->steady < STEADY)
        k->steady++;
    k->count = count;
}

bool pl_kills_are_none(const struct pl_kills *k)
{
    return k->steady == STEADY;
}
