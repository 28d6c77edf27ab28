/* The sender of a build without libcurl and libsnappy. */
#include "analyze/push/sender.h"

enum pl_status pl_sender_open(struct pl_sender **out,
                              const struct pl_sender_options *options,
                              const char **why)
{
    (void)options;
    *out = NULL;
    *why = "this perflog was built without libcurl and libsnappy and sends "
           "nothing; build it with -DPERFLOG_PUSH=ON";
    return PL_UNSUPPORTED;
}

enum pl_status pl_sender_post(struct pl_sender *s, const void *p, size_t n,
                              struct pl_answer *answer, const char **bad)
{
    (void)s;
    (void)p;
    (void)n;
    *answer = (struct pl_answer){ 0 };
    *bad = NULL;
    return PL_UNSUPPORTED;
}

uint64_t pl_sender_bytes(const struct pl_sender *s)
{
    (void)s;
    return 0;
}

void pl_sender_close(struct pl_sender *s)
{
    (void)s;
}
