/* The object Perflog Provider: a row for each process. */
#include "logger/windows/dll/object_writer.h"

#include "format/block/winperf.h"

#include <string.h>

static void put_process(struct pl_buf *out,
                        const struct pl_region_groups_region *r)
{
    const uint32_t values[PL_NUM_OWN] = {
        [PL_OWN_STATE] = r->state,
        [PL_OWN_BUSY] = r->image.busy,
        [PL_OWN_REFUSED] = r->image.refused,
        [PL_OWN_PROCESS] = r->called.pid,
    };
    uint8_t *p;

    pl_put_instance_called(out, 0, 0, PERF_NO_UNIQUE_ID,
                           pl_text_of(r->called.label));
    p = pl_put_counter_block(
        out, (PL_SIZEOF_COUNTER_BLOCK + sizeof values + 7) & ~7u);
    if (p)
        memcpy(p + PL_SIZEOF_COUNTER_BLOCK, values, sizeof values);
}

enum pl_status pl_object_writer_own(struct pl_buf *out,
                                    const struct pl_own_titles *titles,
                                    struct pl_region_groups *const *groups,
                                    size_t num)
{
    struct pl_object head = { .title_index = titles->object,
                              .help_index = titles->object + 1,
                              .detail_level = PERF_DETAIL_ADVANCED };
    size_t at = pl_put_object(out, &head);
    int32_t rows = 0;

    for (uint32_t i = 0; i < PL_NUM_OWN; i++) {
        struct pl_counter_def d = {
            .title_index = titles->counters[i],
            .help_index = titles->counters[i] + 1,
            .detail_level = PERF_DETAIL_ADVANCED,
            .type = PERF_COUNTER_RAWCOUNT,
            .size = 4,
            .offset = PL_SIZEOF_COUNTER_BLOCK + 4 * i,
        };

        pl_put_counter(out, &d);
    }
    pl_put_definitions_close(out, at, PL_NUM_OWN);
    for (size_t i = 0; i < num; i++)
        for (size_t k = 0; k < groups[i]->num; k++, rows++)
            put_process(out, &groups[i]->regions[k]);
    pl_put_object_close(out, at, rows);
    return out->oom ? PL_NOMEM : PL_OK;
}
