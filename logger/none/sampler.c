/*
 * The sampler of systems without one, and the template for a new platform:
 * copy the folder, implement these calls, and name it in PERFLOG_PLATFORM.
 */
#include "logger/sampler.h"

#include "format/base/file.h"

enum pl_status pl_sampler_open(struct pl_sampler **out,
                               const struct pl_sampler_options *options,
                               const char **why)
{
    (void)options;
    (void)why;
    *out = NULL;
    return PL_UNSUPPORTED;
}

void pl_sampler_close(struct pl_sampler *s)
{
    (void)s;
}

void pl_sampler_describe(const struct pl_sampler *s, struct pl_session *session)
{
    (void)s;
    (void)session;
}

const struct pl_titles *pl_sampler_titles(const struct pl_sampler *s,
                                          uint32_t *generation)
{
    (void)s;
    *generation = 0;
    return NULL;
}

/* One clock for all; a platform with several clocks reads each. */
void pl_sampler_clocks(struct pl_tick *tick)
{
    tick->utc_ns = pl_clock_utc();
    tick->boot_ns = tick->monotonic_ns = tick->utc_ns;
}

enum pl_status pl_sampler_read(struct pl_sampler *s, const struct pl_tick *tick,
                               const struct pl_logger_stats *stats,
                               struct pl_buf *block)
{
    (void)s;
    (void)tick;
    (void)stats;
    (void)block;
    return PL_UNSUPPORTED;
}

struct pl_buf *pl_sampler_identities(struct pl_sampler *s)
{
    (void)s;
    return NULL;
}

const char *pl_sampler_fallback(const struct pl_sampler *s)
{
    (void)s;
    return NULL;
}

const char *pl_sampler_trouble(const struct pl_sampler *s)
{
    (void)s;
    return NULL;
}

bool pl_sampler_news(struct pl_sampler *s, enum pl_note_kind *kind,
                     char text[PL_NEWS_TEXT])
{
    (void)s;
    (void)kind;
    (void)text;
    return false;
}

enum pl_status pl_sampler_missing(void (*report)(void *context,
                                                 const char *path,
                                                 const char *why),
                                  void *context)
{
    (void)report;
    (void)context;
    return PL_UNSUPPORTED;
}
