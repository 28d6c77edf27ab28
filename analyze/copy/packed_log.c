/* Packs a log for a command. */
#include "analyze/copy/packed_log.h"

#include "analyze/output/partial_file.h"

struct work {
    struct pl_progress *progress;
    uint64_t before;
};

static void show(void *ctx, uint64_t done)
{
    const struct work *w = ctx;

    pl_progress_at(w->progress, w->before + done);
}

/* A signal that comes while the part is made waits until its name is known. */
static void hold(void *ctx)
{
    (void)ctx;
    pl_partial_file_hold();
}

static void guard(void *ctx, char *part)
{
    (void)ctx;
    pl_partial_file_guard(PL_UNFINISHED_OUTPUT, part);
}

enum pl_status pl_packed_log_make(const char *path,
                                  struct pl_progress *progress, uint64_t before,
                                  int level, uint64_t min_free,
                                  struct pl_pack_result *result)
{
    struct work work = { progress, before };
    const struct pl_pack_options options = { .level = level,
                                             .min_free = min_free,
                                             .progress = show,
                                             .before_part = hold,
                                             .part = guard,
                                             .ctx = &work };

    return pl_pack_log(path, &options, result);
}
