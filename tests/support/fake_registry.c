/* A registry, a process and a machine for tests of the recorder of Windows. */
#include "tests/support/fake_registry.h"

#include "logger/windows/machine.h"
#include "logger/windows/self.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

enum { NOT_FOUND = 2 };

struct fake_registry fake;

static bool is_equal(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

static struct fake_value *find(const char *folder, const char *name)
{
    for (size_t i = 0; i < FAKE_VALUES; i++)
        if (fake.values[i].name && !strcmp(fake.values[i].name, name) &&
            is_equal(fake.values[i].folder, folder))
            return &fake.values[i];
    return NULL;
}

static uint32_t query(struct pl_windows_registry *r, const char *folder,
                      const char *name, void *p, uint32_t *len)
{
    struct fake_value *v = find(folder, name);
    size_t room = *len;

    ck_assert_ptr_eq(r, &fake.base);
    if (!v)
        return NOT_FOUND;
    v->asked++;
    if (v->error)
        return v->error;
    if (v->manner == FAKE_BRAGS) {
        *len = (uint32_t)room + 1;
        return 0;
    }
    if (v->n > room && v->manner != FAKE_CUTS) {
        if (v->manner == FAKE_ZEROES_LEN)
            *len = 0;
        return PL_ERROR_MORE_DATA;
    }
    *len = (uint32_t)(v->n < room ? v->n : room);
    if (*len)
        memcpy(p, v->p, *len);
    return 0;
}

static void let_go(struct pl_windows_registry *r)
{
    (void)r;
    fake.let_go++;
}

static void close_fake(struct pl_windows_registry *r)
{
    (void)r;
    fake.closed++;
}

/* ---- what applications publish ---------------------------------------------*/

struct fake_published fake_published;

static enum pl_status read_published(struct pl_published *p,
                                     const struct pl_published_wish *wish,
                                     struct pl_buf *block)
{
    const struct fake_published *f = &fake_published;

    ck_assert_ptr_eq(p, &f->base);
    ck_assert_int_ge(wish->budget_ns, 10000000);
    ck_assert_int_le(wish->budget_ns, 250000000);
    fake_published.read++;
    fake_published.perf_freq = wish->perf_freq;
    pl_buf_clear(block);
    if (f->block && !wish->is_there(wish->context, pl_text_of(f->object)))
        pl_buf_bytes(block, f->block->p, f->block->len);
    return block->oom ? PL_NOMEM : PL_OK;
}

static void reported(struct pl_published *p)
{
    (void)p;
    fake_published.reported++;
}

static void close_published(struct pl_published *p)
{
    (void)p;
    fake_published.closed++;
}

enum pl_status pl_published_open(struct pl_published **out, uint32_t first)
{
    struct fake_published *f = &fake_published;

    f->base = (struct pl_published){ f->titles, false, read_published, reported,
                                     close_published };
    f->first = first;
    f->opened++;
    *out = &f->base;
    return PL_OK;
}

void fake_start(void)
{
    fake_published = (struct fake_published){ 0 };
    fake = (struct fake_registry){ .base = { query, let_go, close_fake } };
}

struct fake_value *fake_set(const char *folder, const char *name, const void *p,
                            size_t n)
{
    struct fake_value *v = find(folder, name);

    for (size_t i = 0; !v && i < FAKE_VALUES; i++)
        if (!fake.values[i].name)
            v = &fake.values[i];
    ck_assert_ptr_nonnull(v);
    *v = (struct fake_value){ folder, name, p, n, 0, FAKE_HONEST, 0 };
    return v;
}

enum pl_status pl_windows_registry_open(struct pl_windows_registry **out,
                                        const char *host, const char **why)
{
    if (host && strcmp(host, "\\\\THERE") != 0) {
        *why = "nobody of that name";
        return PL_IO;
    }
    fake.opened++;
    *out = &fake.base;
    return PL_OK;
}

void pl_process_facts_read(struct pl_process_facts *facts)
{
    *facts = (struct pl_process_facts){
        .cpu = 3, .user = 1, .privileged = 2, .id = 4711
    };
}

void pl_machine_facts_read(struct pl_machine_facts *facts)
{
    *facts = (struct pl_machine_facts){ .os = "Windows 3.1",
                                        .architecture = "x86_64" };
    snprintf(facts->host, sizeof facts->host, "HERE");
}
