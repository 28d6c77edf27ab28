/*
 * Any sequence of values as JSON, read back by a small parser of RFC 8259's
 * grammar: the whole is one value, and texts come back as they were.
 *
 * Input: a byte per step: what to put, with lengths and bytes behind it.
 */
#include "analyze/output/json.h"
#include "format/base/utf.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 32, MAX_TEXTS = 512 };

/* ---- what is put ------------------------------------------------------------- */

struct put {
    struct pl_json json;
    bool is_object[MAX_DEPTH];
    unsigned depth;
    struct pl_text texts[MAX_TEXTS];
    size_t num_texts;
};

static struct pl_text take_text(struct fuzz_input *in)
{
    size_t n = fuzz_byte(in);
    struct pl_text t = { (const char *)in->p, n < in->left ? n : in->left };

    in->p += t.n;
    in->left -= t.n;
    return t;
}

static uint64_t take_number(struct fuzz_input *in)
{
    uint64_t v = 0;

    for (int i = 0; i < 8; i++)
        v = v << 8 | fuzz_byte(in);
    return v;
}

static void open_one(struct put *x, bool is_object)
{
    if (x->depth == MAX_DEPTH) {
        pl_json_null(&x->json);
        return;
    }
    x->is_object[x->depth++] = is_object;
    if (is_object)
        pl_json_open_object(&x->json);
    else
        pl_json_open_array(&x->json);
}

static void close_one(struct put *x)
{
    if (x->is_object[--x->depth])
        pl_json_close_object(&x->json);
    else
        pl_json_close_array(&x->json);
}

static void put_text(struct put *x, struct fuzz_input *in)
{
    struct pl_text t = take_text(in);

    if (x->num_texts == MAX_TEXTS) {
        pl_json_null(&x->json);
        return;
    }
    x->texts[x->num_texts++] = t;
    pl_json_text(&x->json, t);
}

static void put_value(struct put *x, uint8_t what, struct fuzz_input *in)
{
    uint64_t v;
    double d;

    switch (what % 8) {
    case 0:
        open_one(x, true);
        break;
    case 1:
        open_one(x, false);
        break;
    case 2:
        pl_json_integer(&x->json, (int64_t)take_number(in));
        break;
    case 3:
        pl_json_count(&x->json, take_number(in));
        break;
    case 4:
        v = take_number(in);
        memcpy(&d, &v, sizeof d);
        pl_json_number(&x->json, d);
        break;
    case 5:
        pl_json_bool(&x->json, what & 8);
        break;
    case 6:
        pl_json_null(&x->json);
        break;
    default:
        put_text(x, in);
        break;
    }
}

static void put_all(struct put *x, struct fuzz_input *in)
{
    open_one(x, fuzz_byte(in) & 1);
    while (in->left && x->depth) {
        uint8_t what = fuzz_byte(in);

        if (what & 0x80 && x->depth > 1) {
            close_one(x);
            continue;
        }
        if (x->is_object[x->depth - 1]) {
            struct pl_text t = take_text(in);
            char key[256] = { 0 };

            memcpy(key, t.p, t.n);
            pl_json_key(&x->json, key);
        }
        put_value(x, what, in);
    }
    while (x->depth)
        close_one(x);
}

/* ---- what is read -------------------------------------------------------------- */

struct parser {
    const char *p, *end;
    const struct put *put;
    size_t num_texts;
};

static bool skip(struct parser *j, const char *word)
{
    size_t n = strlen(word);

    if ((size_t)(j->end - j->p) < n || memcmp(j->p, word, n) != 0)
        return false;
    j->p += n;
    return true;
}

static void blanks(struct parser *j)
{
    while (j->p < j->end && *j->p && strchr(" \n\r\t", *j->p))
        j->p++;
}

static void digits(struct parser *j)
{
    const char *start = j->p;

    while (j->p < j->end && *j->p >= '0' && *j->p <= '9')
        j->p++;
    fuzz_check(j->p > start);
}

static void number(struct parser *j)
{
    skip(j, "-");
    if (!skip(j, "0"))
        digits(j);
    if (skip(j, "."))
        digits(j);
    if (skip(j, "e")) {
        if (!skip(j, "-"))
            skip(j, "+");
        digits(j);
    }
}

/* One character of a string, escaped or not. */
static uint32_t character(struct parser *j)
{
    char hex[5] = { 0 };
    uint32_t code;
    size_t len;

    if (skip(j, "\\u")) {
        fuzz_check(j->end - j->p >= 4);
        memcpy(hex, j->p, 4);
        fuzz_check(strspn(hex, "0123456789abcdefABCDEF") == 4);
        j->p += 4;
        return (uint32_t)strtoul(hex, NULL, 16);
    }
    if (skip(j, "\\n"))
        return '\n';
    if (skip(j, "\\")) {
        fuzz_check(j->p < j->end && strchr("\"\\", *j->p) && *j->p);
        return (uint32_t)*j->p++;
    }
    fuzz_check((uint8_t)*j->p >= ' ');
    code = pl_utf8_decode((const uint8_t *)j->p, (size_t)(j->end - j->p), &len);
    j->p += len;
    return code;
}

/* A string; with 'want' it must be that text. */
static void string(struct parser *j, const struct pl_text *want)
{
    size_t at = 0, len;

    fuzz_check(skip(j, "\""));
    while (!skip(j, "\"")) {
        uint32_t code;

        fuzz_check(j->p < j->end);
        code = character(j);
        if (!want)
            continue;
        fuzz_check(at < want->n);
        fuzz_check(pl_utf8_decode((const uint8_t *)want->p + at, want->n - at,
                                  &len) == code);
        at += len;
    }
    fuzz_check(!want || at == want->n);
}

static void value(struct parser *j);

static void members(struct parser *j, bool is_object, const char *close)
{
    blanks(j);
    if (skip(j, close))
        return;
    do {
        blanks(j);
        if (is_object) {
            string(j, NULL);
            blanks(j);
            fuzz_check(skip(j, ":"));
        }
        value(j);
        blanks(j);
    } while (skip(j, ","));
    fuzz_check(skip(j, close));
}

static void value(struct parser *j)
{
    blanks(j);
    fuzz_check(j->p < j->end);
    if (skip(j, "{"))
        members(j, true, "}");
    else if (skip(j, "["))
        members(j, false, "]");
    else if (*j->p == '"')
        string(j, &j->put->texts[j->num_texts++]);
    else if (!skip(j, "null") && !skip(j, "true") && !skip(j, "false"))
        number(j);
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
    static struct put x;
    struct fuzz_input in = { p, n };
    uint8_t *copy = fuzz_rest(&in, &n);
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    struct parser j = { .put = &x };

    if (!f)
        abort();
    in = (struct fuzz_input){ copy, n };
    memset(&x, 0, sizeof x);
    pl_json_init(&x.json, f);
    put_all(&x, &in);
    fuzz_check(!pl_json_finish(&x.json));
    fclose(f);
    j.p = text;
    j.end = text + len;
    value(&j);
    blanks(&j);
    fuzz_check(j.p == j.end && j.num_texts == x.num_texts);
    free(text);
    free(copy);
    return 0;
}
