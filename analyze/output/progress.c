/* The progress line. */
#include "analyze/output/progress.h"

#include "format/base/file.h"
#include "format/time/time_text.h"
#include "format/cli/message.h"

#include <stdio.h>
#include <string.h>

#define FIRST_AFTER PL_NS_PER_SEC
#define EVERY (200 * PL_NS_PER_MS)

enum { BAR = 20 }; /* characters */

void pl_progress_start(struct pl_progress *p, const char *what, uint64_t total,
                       bool quiet)
{
    *p = (struct pl_progress){ .what = what, .total = total };
    p->on = !quiet && pl_stderr_is_terminal() && !pl_stdout_is_pipe();
    p->started = pl_clock_steady();
    p->next = p->started + FIRST_AFTER;
}

static void draw_bar(double share, char bar[BAR + 1])
{
    size_t full = (size_t)(share * BAR);

    memset(bar, '.', BAR);
    memset(bar, '#', full);
    bar[BAR] = 0;
}

void pl_progress_at(struct pl_progress *p, uint64_t done)
{
    char size[PL_SIZE_TEXT], rate[PL_SIZE_TEXT], left[PL_DURATION_TEXT];
    char bar[BAR + 1];
    double seconds;
    int64_t now;

    if (!p->on || (now = pl_clock_steady()) < p->next)
        return;
    p->next = now + EVERY;
    p->shown = true;
    seconds = (double)(now - p->started) / 1e9;
    pl_size_text((uint64_t)((double)done / seconds), rate);
    if (p->total && done && done <= p->total) {
        double share = (double)done / (double)p->total;
        double rest = seconds / share - seconds;

        draw_bar(share, bar);
        pl_duration_text((uint64_t)(rest + 0.5) * PL_NS_PER_SEC, left);
        fprintf(stderr, "\r%s: [%s] %d %%, %s/s, %s left\033[K", p->what, bar,
                (int)(share * 100), rate, left);
    } else {
        fprintf(stderr, "\r%s: %s, %s/s\033[K", p->what,
                pl_size_text(done, size), rate);
    }
    fflush(stderr);
}

void pl_progress_end(struct pl_progress *p)
{
    if (p->shown)
        fprintf(stderr, "\r\033[K");
    p->shown = false;
}
