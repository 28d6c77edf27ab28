/* Copies from a mapping whose file its owner may truncate. */
#include "logger/linux/published/regions.h"

#include <setjmp.h>

/*
 * Access to a page that a truncated file no longer has raises SIGBUS.  Inside
 * the mapping being copied it ends the copy; elsewhere it has its usual effect.
 */
static _Thread_local struct guard {
    const uint8_t *from, *to;
    sigjmp_buf out;
} * guarded;

static struct sigaction before;

static void on_bus(int sig, siginfo_t *info, void *context)
{
    const uint8_t *at = info->si_addr;

    (void)context;
    if (guarded && at >= guarded->from && at < guarded->to)
        siglongjmp(guarded->out, 1);
    sigaction(sig, &before, NULL); /* raised again, for this handler */
}

void pl_region_guard(void)
{
    static bool set;
    struct sigaction act = { .sa_sigaction = on_bus,
                             .sa_flags = SA_SIGINFO | SA_NODEFER };

    if (!set)
        sigaction(SIGBUS, &act, &before);
    set = true;
}

enum pl_region_reason pl_region_copy_values(struct pl_region *r,
                                            struct pl_published_list *l,
                                            int64_t deadline_ns)
{
    struct guard guard = { .from = r->image.map, .to = r->image.map + r->size };
    const struct pl_published_taker taker = { l, r->table, r->label };
    const struct pl_region_wants wants = { pl_published_takes_object,
                                           pl_published_takes_instance,
                                           &taker };
    enum pl_region_reason reason;

    if (sigsetjmp(guard.out, 0)) {
        guarded = NULL;
        return PL_REASON_TRUNCATED;
    }
    guarded = &guard;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    reason = pl_region_image_copy(&r->image, &wants, deadline_ns);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    guarded = NULL;
    return reason;
}
