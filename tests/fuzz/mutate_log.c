/* Changes logs: a field of a record's header, a payload with its length, the
 * order of records. */
#include "format/base/cursor.h"
#include "format/record/record.h"
#include "tests/fuzz/mutate.h"

#include <string.h>

enum { OPTIONS = 1, MAX_RECORDS = 256, AT_STORED_LEN = 40, AT_RAW_LEN = 44 };

struct records {
    size_t at[MAX_RECORDS + 1]; /* and the end */
    size_t num;
};

static void find(struct records *r, const uint8_t *p, size_t n)
{
    static const uint8_t magic[] = { 0x89, 'P', 'L', PL_MAJOR };

    r->num = 0;
    for (size_t i = OPTIONS; i + PL_RECORD_LEN <= n && r->num < MAX_RECORDS;
         i++) {
        if (memcmp(p + i, magic, sizeof magic) != 0)
            continue;
        r->at[r->num++] = i;
        i += PL_RECORD_LEN - 1; /* what follows is not in this header */
    }
    r->at[r->num] = n;
}

static void change_field(uint64_t *state, uint8_t *head)
{
    static const struct {
        uint8_t at, width;
    } fields[] = { { 4, 4 },  { 8, 8 },  { 16, 4 }, { 20, 2 }, { 22, 1 },
                   { 23, 1 }, { 24, 8 }, { 32, 8 }, { 40, 4 }, { 44, 4 },
                   { 48, 8 }, { 56, 8 }, { 64, 8 } };
    size_t i = mutate_below(state, sizeof fields / sizeof *fields);
    uint64_t v = 0;

    for (size_t k = 0; k < fields[i].width; k++)
        v |= (uint64_t)head[fields[i].at + k] << 8 * k;
    v = mutate_number(state, v);
    for (size_t k = 0; k < fields[i].width; k++)
        head[fields[i].at + k] = (uint8_t)(v >> 8 * k);
}

/* Change the bytes of a payload; its padded length stays what it was. */
static void change_payload(uint64_t *state, uint8_t *p, size_t n)
{
    uint32_t stored = pl_get_le32(p + AT_STORED_LEN);
    size_t room = n - PL_RECORD_LEN;
    uint8_t *payload = p + PL_RECORD_LEN;

    if (stored > room || !stored)
        return;
    if (mutate_below(state, 2)) {
        payload[mutate_below(state, stored)] = (uint8_t)mutate_number(state, 0);
    } else {
        size_t len = LLVMFuzzerMutate(payload, stored, room);

        pl_put_le32(p + AT_STORED_LEN, (uint32_t)len);
        if (pl_get_le32(p + AT_RAW_LEN) == stored)
            pl_put_le32(p + AT_RAW_LEN, (uint32_t)len);
    }
}

/* Put a copy of one record over, or behind, another; or take one away. */
static size_t change_order(uint64_t *state, const struct records *r, uint8_t *p,
                           size_t n, size_t cap)
{
    size_t from = mutate_below(state, r->num), to = mutate_below(state, r->num);
    size_t len = r->at[from + 1] - r->at[from];

    if (mutate_below(state, 2)) {
        memmove(p + r->at[from], p + r->at[from + 1], n - r->at[from + 1]);
        return n - len;
    }
    if (len > cap - n || r->at[to] < r->at[from + 1])
        return n;
    memmove(p + r->at[to] + len, p + r->at[to], n - r->at[to]);
    memcpy(p + r->at[to], p + r->at[from], len);
    return n + len;
}

size_t LLVMFuzzerCustomMutator(uint8_t *p, size_t n, size_t cap, unsigned seed)
{
    uint64_t state = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
    struct records r;
    size_t i;

    find(&r, p, n);
    i = mutate_below(&state, r.num);
    if (!r.num || !mutate_below(&state, 8))
        return LLVMFuzzerMutate(p, n, cap);
    switch (mutate_below(&state, 8)) {
    case 0:
        return change_order(&state, &r, p, n, cap);
    case 1:
    case 2:
    case 3:
        change_payload(&state, p + r.at[i], r.at[i + 1] - r.at[i]);
        return n;
    default:
        change_field(&state, p + r.at[i]);
        return n;
    }
}
