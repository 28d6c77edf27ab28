/* Samples that are known from a seed alone. */
#include "tests/crash/source.h"

#include "format/block/titles.h"
#include "tests/support/logs.h"

enum { WORDS = 600 }; /* of a block */

void source_start(struct source *s, uint64_t seed)
{
    s->random = seed | 1;
    s->number = 0;
    pl_buf_clear(&s->block);
    for (int i = 0; i < WORDS; i++)
        pl_buf_u64(&s->block, random_next(&s->random) % 1000);
}

void source_step(struct source *s)
{
    size_t changes = random_next(&s->random) % 16 ? 20 : WORDS;

    s->number++;
    for (size_t i = 0; i < changes; i++)
        pl_buf_set_u64(&s->block, 8 * (random_next(&s->random) % WORDS),
                       random_next(&s->random));
}

/* Run and number of a sample stand in its clocks. */
struct pl_sample_stamp source_stamp(const struct source *s, size_t run)
{
    return (struct pl_sample_stamp){ .utc_ns = (int64_t)run,
                                     .boot_ns = (int64_t)s->number };
}

/* One name more or less, as if objects appeared. */
void source_titles(struct pl_buf *out, uint32_t index)
{
    static const char name[] = "an object";

    pl_buf_clear(out);
    pl_buf_varint(out, index);
    pl_buf_u8(out, PL_TITLE_NAME);
    pl_buf_u16(out, PL_LANGUAGE_ENGLISH);
    pl_buf_varint(out, sizeof name - 1);
    pl_buf_bytes(out, name, sizeof name - 1);
}
