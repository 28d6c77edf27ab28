/* Changes inputs made of parts: one part, or which parts there are. */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/mutate.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_PARTS = 16 };

struct parts {
    size_t num;
    struct part {
        uint8_t *p; /* room for 'cap' */
        size_t n;
    } part[MAX_PARTS];
    size_t cap;
};

static void read_parts(struct parts *x, const uint8_t *p, size_t n, size_t cap)
{
    struct fuzz_input in = { p, n };

    x->num = 0;
    x->cap = cap;
    while (x->num < MAX_PARTS) {
        struct part *part = &x->part[x->num];
        uint8_t *bytes = fuzz_part(&in, &part->n);

        if (!bytes)
            break;
        part->p = realloc(bytes, cap + 1);
        if (!part->p)
            abort();
        x->num++;
    }
}

static size_t write_parts(const struct parts *x, uint8_t *p, size_t cap)
{
    size_t at = 0;

    for (size_t i = 0; i < x->num; i++) {
        size_t n = x->part[i].n;

        if (at + FUZZ_PART_LEN > cap || n > cap - at - FUZZ_PART_LEN)
            break;
        p[at] = (uint8_t)n;
        p[at + 1] = (uint8_t)(n >> 8);
        p[at + 2] = (uint8_t)(n >> 16);
        memcpy(p + at + FUZZ_PART_LEN, x->part[i].p, n);
        at += FUZZ_PART_LEN + n;
    }
    return at;
}

static void change_part(struct parts *x, uint64_t *state)
{
    size_t i = mutate_below(state, x->num);
    struct part *part = &x->part[i];

    if (!x->num)
        return;
    if (i >= fuzz_shape.first_block && mutate_below(state, 8))
        part->n = mutate_block(state, part->p, part->n, x->cap);
    else if (!i && fuzz_shape.has_tokens && mutate_below(state, 8))
        part->n = mutate_tokens(state, part->p, part->n, x->cap);
    else
        part->n = LLVMFuzzerMutate(part->p, part->n, x->cap);
}

/* Exchange two parts, or put one in the place of another. */
static void change_order(struct parts *x, uint64_t *state)
{
    struct part *a = &x->part[mutate_below(state, x->num)];
    struct part *b = &x->part[mutate_below(state, x->num)];
    struct part was = *a;

    if (!x->num)
        return;
    if (mutate_below(state, 2)) {
        *a = *b;
        *b = was;
    } else if (a != b) {
        memcpy(a->p, b->p, b->n);
        a->n = b->n;
    }
}

static void add_part(struct parts *x, uint64_t *state)
{
    const struct part *from = &x->part[mutate_below(state, x->num)];
    struct part *to = &x->part[x->num];

    if (!x->num || x->num == MAX_PARTS)
        return;
    to->p = malloc(x->cap + 1);
    if (!to->p)
        abort();
    memcpy(to->p, from->p, from->n);
    to->n = from->n;
    x->num++;
}

static void drop_part(struct parts *x)
{
    if (x->num > 1)
        free(x->part[--x->num].p);
}

size_t LLVMFuzzerCustomMutator(uint8_t *p, size_t n, size_t cap, unsigned seed)
{
    uint64_t state = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
    size_t head = fuzz_shape.head;
    struct parts x;

    if (n < head + FUZZ_PART_LEN || cap < head + FUZZ_PART_LEN)
        return LLVMFuzzerMutate(p, n, cap);
    if (head && !mutate_below(&state, 16)) {
        p[mutate_below(&state, head)] = (uint8_t)mutate_number(&state, 0);
        return n;
    }
    read_parts(&x, p + head, n - head, cap);
    switch (mutate_below(&state, 16)) {
    case 0:
        change_order(&x, &state);
        break;
    case 1:
        add_part(&x, &state);
        break;
    case 2:
        drop_part(&x);
        break;
    default:
        change_part(&x, &state);
        break;
    }
    n = head + write_parts(&x, p + head, cap - head);
    for (size_t i = 0; i < x.num; i++)
        free(x.part[i].p);
    return n;
}
