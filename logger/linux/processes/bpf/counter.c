/* Loads the BPF program that counts processes by its light skeleton. */
#include "logger/linux/processes/bpf/counter.h"

#include "logger/linux/processes/bpf/namespace.h"
#include "logger/linux/processes/bpf/refusal.h"
#include "logger/linux/processes/bpf/walk.h"

#include <errno.h>
#include <pl_counter.lskel.h>
#include <stdlib.h>
#include <unistd.h>

struct pl_process_counter {
    struct pl_counter *skeleton;
};

struct pl_process_counter *pl_process_counter_open(void)
{
    struct pl_process_counter *c;

    if (!pl_own_namespace() || !pl_bpf_is_permitted())
        return NULL;
    c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->skeleton = pl_counter__open_and_load();
    if (c->skeleton && pl_counter__attach(c->skeleton) >= 0)
        return c;
    pl_process_counter_close(c);
    return NULL;
}

void pl_process_counter_close(struct pl_process_counter *c)
{
    if (c)
        pl_counter__destroy(c->skeleton);
    free(c);
}

/* It writes nothing; EAGAIN, after a million tasks that wrote nothing. */
static bool read_to_end(int walk)
{
    char nothing;
    ssize_t n;

    do
        n = read(walk, &nothing, sizeof nothing);
    while (n < 0 && (errno == EAGAIN || errno == EINTR));
    return n == 0;
}

bool pl_process_counter_read(struct pl_process_counter *c, uint64_t *n)
{
    int walk = pl_bpf_walk(c->skeleton->links.tasks_fd);
    bool good;

    if (walk < 0)
        return false;
    c->skeleton->bss->num = 0;
    good = read_to_end(walk);
    *n = c->skeleton->bss->num;
    close(walk);
    return good;
}
