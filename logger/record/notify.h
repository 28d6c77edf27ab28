/*                                                   logger/record/notify.h
 * Notifies a service manager of the recording's state: ready, watchdog,
 * status text, stopping.  This implements the datagram protocol of
 * sd_notify(3) on the socket named by NOTIFY_SOCKET, without libsystemd.
 * Without NOTIFY_SOCKET every function does nothing; if the manager does not
 * read its socket, the message is lost and recording continues.
 */
#ifndef PL_LOGGER_RECORD_NOTIFY_H
#define PL_LOGGER_RECORD_NOTIFY_H

#include <stdint.h>

struct pl_notify {
    int fd;           /* -1: no notifications requested */
    int64_t every_ns; /* longest time between watchdog messages; 0: none */
    int64_t next_ns;  /* when the next one is due */
};

/*
 * Read NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID.  The watchdog message
 * is sent at half the manager's timeout.
 */
void pl_notify_open(struct pl_notify *n);
void pl_notify_close(struct pl_notify *n);

/* Lines of assignments, such as "READY=1"; printf's format. */
void pl_notify_send(const struct pl_notify *n, const char *format, ...)
    __attribute__((format(PL_PRINTF, 2, 3)));

/*
 * Send the watchdog message if it is due at 'now_ns', on any monotonic clock;
 * returns the latest time of the next call (INT64_MAX: none needed).
 */
int64_t pl_notify_alive(struct pl_notify *n, int64_t now_ns);

#endif
