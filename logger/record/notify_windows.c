/* Windows has no sd_notify; its services report to the control manager. */
#include "logger/record/notify.h"

void pl_notify_open(struct pl_notify *n)
{
    *n = (struct pl_notify){ .fd = -1 };
}

void pl_notify_close(struct pl_notify *n)
{
    (void)n;
}

void pl_notify_send(const struct pl_notify *n, const char *format, ...)
{
    (void)n;
    (void)format;
}

int64_t pl_notify_alive(struct pl_notify *n, int64_t now_ns)
{
    (void)n;
    (void)now_ns;
    return INT64_MAX;
}
