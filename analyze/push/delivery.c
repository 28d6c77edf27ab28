/* Tries, pauses and refusals. */
#include "analyze/push/delivery.h"

#include "format/base/file.h"
#include "format/base/text.h"
#include "format/time/time_text.h"
#include "format/cli/message.h"

#include <stdio.h>
#include <string.h>

#define FIRST_PAUSE (250 * PL_NS_PER_MS)
#define LONGEST_PAUSE (30 * PL_NS_PER_SEC)
#define NAP (20 * PL_NS_PER_MS) /* between looks whether it is over */
enum { MOST_RETRY_AFTER = 3600 };

enum pl_verdict pl_verdict_of(long code)
{
    switch (code) {
    case 401: /* who we are, where we send to: not what we send */
    case 403:
    case 404:
    case 405:
    case 407:
        return PL_HOPELESS;
    case 408:
    case 425:
    case 429:
        return PL_TRY_LATER;
    default:
        return code >= 200 && code < 300   ? PL_ACCEPTED
               : code >= 300 && code < 400 ? PL_HOPELESS
               : code >= 400 && code < 500 ? PL_REFUSED
                                           : PL_TRY_LATER;
    }
}

uint64_t pl_delivery_pause(unsigned n, int64_t retry_after_s, uint64_t random)
{
    const uint64_t longest = (uint64_t)LONGEST_PAUSE;
    uint64_t pause = n < 16 ? (uint64_t)FIRST_PAUSE << (n - 1) : longest;
    uint64_t asked = retry_after_s > MOST_RETRY_AFTER ? MOST_RETRY_AFTER
                     : retry_after_s > 0              ? (uint64_t)retry_after_s
                                                      : 0;

    if (pause > longest)
        pause = longest;
    pause = pause / 2 + random % (pause / 2 + 1);
    asked *= (uint64_t)PL_NS_PER_SEC;
    return pause > asked ? pause : asked;
}

/* ---- beginning -------------------------------------------------------------- */

static bool begins(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

/* http://localhost, with a port, a path or nothing after it. */
static bool is_here(const char *url)
{
    static const char *const here[] = { "http://localhost", "http://127.0.0.1",
                                        "http://[::1]" };

    for (size_t i = 0; i < sizeof here / sizeof *here; i++)
        if (begins(url, here[i]) &&
            (!url[strlen(here[i])] || strchr(":/", url[strlen(here[i])])))
            return true;
    return false;
}

static bool has_password(const char *url)
{
    const char *host = strstr(url, "://") + 3;

    return memchr(host, '@', strcspn(host, "/?#")) != NULL;
}

static bool check_url(const struct pl_sender_options *o)
{
    if (!begins(o->url, "http://") && !begins(o->url, "https://")) {
        pl_say("push: '%s' is no URL of a receiver; give one such as "
               "http://localhost:8428/api/v1/write",
               o->url);
        return false;
    }
    if (has_password(o->url)) {
        pl_say("push: a name or password in the URL is seen by everybody here; "
               "put NAME:PASSWORD into a file, and name it with --user");
        return false;
    }
    if ((o->bearer || o->user) && begins(o->url, "http://") &&
        !is_here(o->url)) {
        pl_say("push: %s: a password or token would be seen on the network; "
               "take https",
               o->url);
        return false;
    }
    return true;
}

bool pl_delivery_open(struct pl_delivery *d)
{
    const char *why = NULL;
    enum pl_status s;

    if (!check_url(&d->options))
        return false;
    d->options.here = is_here(d->options.url);
    s = pl_sender_open(&d->sender, &d->options, &why);
    if (s == PL_UNSUPPORTED)
        pl_say("push: %s", why);
    else if (s)
        pl_say_status(s == PL_IO ? why : "push", s, NULL);
    return !s;
}

void pl_delivery_close(struct pl_delivery *d)
{
    pl_sender_close(d->sender);
    d->sender = NULL;
}

/* ---- tries ------------------------------------------------------------------ */

static bool is_over(const struct pl_delivery *d)
{
    return d->options.is_over && d->options.is_over();
}

static void say_answer(const struct pl_delivery *d, const struct pl_answer *a,
                       const char *then)
{
    char code[32] = "";

    if (a->code)
        snprintf(code, sizeof code, "HTTP %ld%s", a->code,
                 *a->text ? ": " : "");
    pl_say("%s: %s%s%s", d->options.url, code, a->text, then);
}

/* False: it is over. */
static bool pause_for(const struct pl_delivery *d, uint64_t ns)
{
    int64_t end = pl_clock_steady() + (int64_t)ns;

    while (!is_over(d)) {
        int64_t left = end - pl_clock_steady();

        if (left <= 0)
            return true;
        pl_sleep((uint64_t)(left < NAP ? left : NAP));
    }
    return false;
}

/* How long an outage that began at 'since' may go on; 0: it is over. */
static uint64_t time_left(const struct pl_delivery *d, int64_t since)
{
    uint64_t passed = (uint64_t)(pl_clock_steady() - since);

    if (!d->give_up_ns)
        return UINT64_MAX;
    return d->give_up_ns > passed ? d->give_up_ns - passed : 0;
}

static enum pl_status post_once(struct pl_delivery *d, const void *p, size_t n,
                                struct pl_answer *a, enum pl_verdict *verdict)
{
    const char *bad = NULL;
    enum pl_status s = pl_sender_post(d->sender, p, n, a, &bad);

    if (!s) {
        *verdict = a->no_url ? PL_HOPELESS : pl_verdict_of(a->code);
        return PL_OK;
    }
    pl_say_status(s == PL_IO && bad ? bad : "push", s, NULL);
    return PL_USAGE;
}

static void say_retrying(const struct pl_delivery *d, const struct pl_answer *a)
{
    char most[PL_DURATION_TEXT], end[64];

    if (!d->give_up_ns) {
        say_answer(d, a, "; trying again until it is taken");
        return;
    }
    snprintf(end, sizeof end, "; trying again for %s",
             pl_duration_text(d->give_up_ns, most));
    say_answer(d, a, end);
}

/* The first one is reported, and the end of it. */
static enum pl_status try_later(const struct pl_delivery *d,
                                const struct pl_answer *a, unsigned tries,
                                int64_t since)
{
    uint64_t left = time_left(d, since), pause;

    if (is_over(d))
        return PL_END;
    if (!left) {
        say_answer(d, a, "; given up, as --retry-for says");
        return PL_USAGE;
    }
    if (tries == 1)
        say_retrying(d, a);
    pause = pl_delivery_pause(tries, a->retry_after_s, pl_random());
    return pause_for(d, pause < left ? pause : left) ? PL_OK : PL_END;
}

enum pl_status pl_deliver(struct pl_delivery *d, const void *p, size_t n,
                          struct pl_answer *answer)
{
    int64_t since = pl_clock_steady();
    enum pl_verdict verdict = PL_HOPELESS;
    unsigned tries = 0;
    bool again = false;

    for (;;) {
        enum pl_status s = post_once(d, p, n, answer, &verdict);

        tries++;
        answer->again = again;
        again |= answer->code ? answer->code >= 500 : !answer->not_sent;
        if (!s && verdict == PL_TRY_LATER)
            s = try_later(d, answer, tries, since);
        if (s)
            return s;
        if (verdict != PL_TRY_LATER)
            break;
    }
    if (verdict == PL_HOPELESS) {
        say_answer(d, answer, "; nothing more was sent");
        return PL_USAGE;
    }
    if (tries > 1)
        pl_say("%s: %s at try %u", d->options.url,
               verdict == PL_ACCEPTED ? "taken" : "answered", tries);
    d->requests += verdict == PL_ACCEPTED;
    return verdict == PL_ACCEPTED ? PL_OK : PL_CORRUPT;
}
