/*
 * Token streams without zstd and hashes around them, and the way back: what
 * the encoder makes of any two runs of bytes decodes to the second one.
 *
 * Input: 2 bytes, the words to decode to; parts: tokens, reference, later
 * block.
 */
#include "format/record/delta.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

enum { WORD = 8 };

const struct fuzz_shape fuzz_shape = { .head = 2,
                                       .first_block = 1,
                                       .has_tokens = true };

struct bytes {
    uint8_t *p;
    size_t n;
};

static struct bytes part(struct fuzz_input *in)
{
    struct bytes b = { 0 };

    b.p = fuzz_part(in, &b.n);
    if (!b.p)
        b.p = fuzz_rest(in, &b.n);
    return b;
}

static void decode(const struct bytes *tokens, const struct bytes *ref,
                   size_t raw_len)
{
    uint8_t *raw = malloc(raw_len + !raw_len);

    if (!raw)
        abort();
    if (!pl_delta_decode(tokens->p, tokens->n, ref->p, ref->n, raw, raw_len))
        fuzz_touch(raw, raw_len);
    free(raw);
}

static void round_trip(const struct bytes *ref, const struct bytes *now)
{
    size_t n = now->n - now->n % WORD;
    struct pl_plan plan = { 0 };
    struct pl_buf tokens = { 0 };
    uint8_t *back = malloc(n + !n), *exact;

    if (!back || pl_delta_plan(&plan, ref->p, ref->n, now->p, n))
        abort();
    pl_delta_encode(&tokens, &plan, ref->p, now->p, SIZE_MAX);
    fuzz_check(!tokens.oom && tokens.len <= 2 * n + 65536);
    exact = malloc(tokens.len + !tokens.len);
    if (!exact)
        abort();
    memcpy(exact, tokens.p, tokens.len);
    fuzz_check(!pl_delta_decode(exact, tokens.len, ref->p, ref->n, back, n));
    fuzz_check(!n || !memcmp(back, now->p, n));
    free(exact);
    free(back);
    pl_buf_release(&tokens);
    pl_plan_release(&plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
    struct fuzz_input in = { p, n };
    size_t words = fuzz_byte(&in);
    struct bytes tokens, ref, now;

    words |= (size_t)fuzz_byte(&in) << 8;
    tokens = part(&in);
    ref = part(&in);
    now = part(&in);
    decode(&tokens, &ref, words * WORD);
    decode(&tokens, &ref, words * WORD + 3);
    round_trip(&ref, &now);
    free(tokens.p);
    free(ref.p);
    free(now.p);
    return 0;
}
