/* The service manager's datagram socket. */
#include "logger/record/notify.h"

#include "format/time/time_text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { MESSAGE = 4096 + 256, NS_PER_US = 1000 };

/* False: there is no such socket. */
static bool address(struct sockaddr_un *to, socklen_t *len)
{
    const char *path = getenv("NOTIFY_SOCKET");
    size_t n = path ? strlen(path) : 0;

    if (n < 2 || n >= sizeof to->sun_path || (*path != '/' && *path != '@'))
        return false;
    *to = (struct sockaddr_un){ .sun_family = AF_UNIX };
    memcpy(to->sun_path, path, n);
    if (*path == '@')
        to->sun_path[0] = 0; /* an abstract socket address */
    *len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n);
    return true;
}

/* The number in an environment variable; 0: none. */
static uint64_t number(const char *name)
{
    const char *text = getenv(name);
    uint64_t n;

    return text && !pl_parse_count(text, &n) ? n : 0;
}

static int64_t half_the_watchdog(void)
{
    uint64_t us = number("WATCHDOG_USEC"), pid = number("WATCHDOG_PID");

    if ((pid && pid != (uint64_t)getpid()) ||
        us > (uint64_t)INT64_MAX / NS_PER_US)
        return 0;
    return (int64_t)us * NS_PER_US / 2;
}

void pl_notify_open(struct pl_notify *n)
{
    struct sockaddr_un to;
    socklen_t len;

    *n = (struct pl_notify){ .fd = -1 };
    if (!address(&to, &len))
        return;
    n->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    n->every_ns = n->fd < 0 ? 0 : half_the_watchdog();
}

void pl_notify_close(struct pl_notify *n)
{
    if (n->fd >= 0)
        close(n->fd);
    n->fd = -1;
}

void pl_notify_send(const struct pl_notify *n, const char *format, ...)
{
    struct sockaddr_un to;
    char text[MESSAGE];
    socklen_t len;
    va_list args;
    int size;

    if (n->fd < 0 || !address(&to, &len))
        return;
    va_start(args, format);
    size = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (size > 0)
        (void)sendto(n->fd, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT,
                     (struct sockaddr *)&to, len);
}

int64_t pl_notify_alive(struct pl_notify *n, int64_t now_ns)
{
    if (!n->every_ns)
        return INT64_MAX;
    if (now_ns >= n->next_ns) {
        pl_notify_send(n, "WATCHDOG=1");
        n->next_ns = now_ns + n->every_ns;
    }
    return n->next_ns;
}
