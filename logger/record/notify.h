/*                                                   logger/record/notify.h
 * Tells a service manager how the recording is: that it runs, that it is
 * alive, what it does, that it ends.  This is the datagram protocol of
 * sd_notify(3), spoken to the socket that NOTIFY_SOCKET names, without its
 * library.  Where nobody has asked, all this does nothing; where the manager
 * does not listen, a word is lost and recording goes on.
 */
#ifndef PL_LOGGER_RECORD_NOTIFY_H
#define PL_LOGGER_RECORD_NOTIFY_H

#include <stdint.h>

struct pl_notify {
    int fd;           /* -1: nobody has asked */
    int64_t every_ns; /* a sign of life at least that often; 0: none wanted */
    int64_t next_ns;  /* when the next one is due */
};

/*
 * Look at NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID.  A sign of life is
 * sent in half the time that the manager waits for one.
 */
void pl_notify_open(struct pl_notify *n);
void pl_notify_close(struct pl_notify *n);

/* Lines of assignments, such as "READY=1"; printf's format. */
void pl_notify_send(const struct pl_notify *n, const char *format, ...)
    __attribute__((format(PL_PRINTF, 2, 3)));

/*
 * To be called at 'now_ns', on any steady clock: sends a sign of life if one
 * is due and returns when to come back at the latest (INT64_MAX: need not).
 */
int64_t pl_notify_alive(struct pl_notify *n, int64_t now_ns);

#endif
