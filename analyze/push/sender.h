/*                                                    analyze/push/sender.h
 * One request of remote write: compressed by libsnappy, posted by libcurl.
 * Both are loaded when needed: linked, libcurl and the libraries it needs would
 * be most of a recorder's memory.
 */
#ifndef PL_ANALYZE_PUSH_SENDER_H
#define PL_ANALYZE_PUSH_SENDER_H

#include "format/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pl_sender_options {
    const char *url;
    bool here; /* the receiver is this machine: no proxy may see what we send */
    /*
     * Files, read before each request, as others may renew them: a token; and
     * NAME:PASSWORD.  NULL: none.
     */
    const char *bearer, *user;
    /* Files in PEM: who signed the receiver's certificate, and our own. */
    const char *ca, *cert, *key;
    /* asked while a request is under way; true: give it up */
    bool (*is_over)(void);
};

enum { PL_ANSWER_TEXT = 256 };

struct pl_answer {
    long code;     /* of HTTP; 0: there is none */
    bool no_url;   /* nor can there be one: the URL is malformed */
    bool not_sent; /* there was no connection that could have taken it */
    int64_t retry_after_s; /* 0: not stated */
    /* an earlier try failed in a way that does not say that it was not taken */
    bool again;
    /* the first line of what it says; or why there is no answer */
    char text[PL_ANSWER_TEXT];
};

struct pl_sender;

/*
 * PL_UNSUPPORTED: *why names what is missing; PL_IO: *why is a file of
 * certificates or a key that cannot be read; PL_NOMEM.  'options' must stay
 * valid.
 */
enum pl_status pl_sender_open(struct pl_sender **out,
                              const struct pl_sender_options *options,
                              const char **why);

/*
 * Post 'n' bytes of a write request and fill in the answer.  PL_IO: a file of
 * the options, which *bad names, cannot be read; PL_NOMEM.
 */
enum pl_status pl_sender_post(struct pl_sender *s, const void *p, size_t n,
                              struct pl_answer *answer, const char **bad);
uint64_t pl_sender_bytes(const struct pl_sender *s); /* compressed, so far */
void pl_sender_close(struct pl_sender *s);           /* NULL is fine */

#endif
