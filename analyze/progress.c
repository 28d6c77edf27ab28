/* The progress line. */
#include "analyze/progress.h"

#include "format/file.h"
#include "format/instant.h"
#include "format/message.h"

#include <stdio.h>

#define FIRST_AFTER PL_NS_PER_SEC
#define EVERY (200 * PL_NS_PER_MS)

void pl_progress_start(struct pl_progress *p, const char *what, uint64_t total)
{
    *p = (struct pl_progress){ .what = what, .total = total };
    p->on = pl_stderr_is_terminal();
    p->started = pl_clock_steady();
    p->next = p->started + FIRST_AFTER;
}

void pl_progress_at(struct pl_progress *p, uint64_t done)
{
    char size[PL_SIZE_TEXT], left[PL_DURATION_TEXT] = "";
    int64_t now;

    if (!p->on || (now = pl_clock_steady()) < p->next)
        return;
    p->next = now + EVERY;
    p->shown = true;
    if (p->total && done && done <= p->total) {
        double seconds = (double)(now - p->started) / 1e9;
        double rest = seconds / (double)done * (double)(p->total - done);

        pl_duration_text((uint64_t)(rest + 0.5) * PL_NS_PER_SEC, left);
        fprintf(stderr, "\r%s: %d %%, %s, %s left\033[K", p->what,
                (int)(done * 100 / p->total), pl_size_text(done, size), left);
    } else {
        fprintf(stderr, "\r%s: %s\033[K", p->what, pl_size_text(done, size));
    }
    fflush(stderr);
}

void pl_progress_end(struct pl_progress *p)
{
    if (p->shown)
        fprintf(stderr, "\r\033[K");
    p->shown = false;
}
