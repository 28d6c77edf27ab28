/* Requests by libcurl and libsnappy. */
#include "analyze/push/sender.h"

#include "format/base/buf.h"
#include "format/base/file.h"

#define CURL_DISABLE_TYPECHECK /* calls go through a table */
#include <curl/curl.h>
#include <dlfcn.h>
#include <snappy-c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MOST_SECRET = 64 << 10, /* bytes of a file with a token or a password */
    SECONDS_TO_CONNECT = 10,
    SECONDS_IN_ALL = 60,
};

/* ---- the libraries -------------------------------------------------------- */

/* clang-format off */
#define CURL_CALLS(X)                                                          \
    X(curl_global_init) X(curl_easy_init) X(curl_easy_setopt)                  \
    X(curl_easy_perform) X(curl_easy_getinfo) X(curl_easy_cleanup)             \
    X(curl_easy_strerror) X(curl_slist_append) X(curl_slist_free_all)
#define SNAPPY_CALLS(X)                                                        \
    X(snappy_compress) X(snappy_max_compressed_length)

static struct calls {
#define MEMBER(name) __typeof__(name) *name;
    CURL_CALLS(MEMBER)
    SNAPPY_CALLS(MEMBER)
#undef MEMBER
} lib;

struct call {
    const char *name;
    size_t offset; /* of the pointer in the table */
};

#define ROW(name) { #name, offsetof(struct calls, name) },
static const struct call curl_calls[] = { CURL_CALLS(ROW) },
                         snappy_calls[] = { SNAPPY_CALLS(ROW) };
#undef ROW
/* clang-format on */

static bool load(const char *file, const struct call *calls, size_t num)
{
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);

    for (size_t i = 0; i < num; i++) {
        void *call = library ? dlsym(library, calls[i].name) : NULL;

        if (!call)
            return false;
        memcpy((char *)&lib + calls[i].offset, &call, sizeof call);
    }
    return true;
}

static bool load_libraries(const char **why)
{
    *why = PL_CURL_SONAME " cannot be loaded; install libcurl";
    if (!load(PL_CURL_SONAME, curl_calls,
              sizeof curl_calls / sizeof *curl_calls))
        return false;
    *why = PL_SNAPPY_SONAME " cannot be loaded; install libsnappy";
    return load(PL_SNAPPY_SONAME, snappy_calls,
                sizeof snappy_calls / sizeof *snappy_calls);
}

/* ---- a sender -------------------------------------------------------------- */

struct pl_sender {
    const struct pl_sender_options *options;
    CURL *curl;
    struct curl_slist *headers; /* those of all requests */
    struct pl_buf packed, secret;
    struct pl_answer *answer; /* of the request under way */
    char error[CURL_ERROR_SIZE];
    uint64_t bytes;
    bool has_connection; /* the request before was answered */
};

/* The first line of an answer, for a message. */
static size_t take_text(char *p, size_t size, size_t num, void *ctx)
{
    struct pl_sender *s = ctx;
    size_t at = strlen(s->answer->text), n = size * num;

    for (size_t i = 0; i < n && at + 1 < PL_ANSWER_TEXT; i++) {
        if (at && s->answer->text[at - 1] == '\n')
            break;
        if (p[i])
            s->answer->text[at++] = p[i];
    }
    s->answer->text[at] = 0;
    return n;
}

static int ask_whether_over(void *ctx, curl_off_t a, curl_off_t b, curl_off_t c,
                            curl_off_t d)
{
    const struct pl_sender *s = ctx;

    (void)a;
    (void)b;
    (void)c;
    (void)d;
    return s->options->is_over && s->options->is_over();
}

static bool add_headers(struct pl_sender *s)
{
    static const char *const headers[] = {
        "Content-Type: application/x-protobuf", "Content-Encoding: snappy",
        "X-Prometheus-Remote-Write-Version: 0.1.0",
        "Expect:", /* no round trip before the body */
    };

    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        struct curl_slist *more = lib.curl_slist_append(s->headers, headers[i]);

        if (!more)
            return false;
        s->headers = more;
    }
    return true;
}

static void set_files(struct pl_sender *s)
{
    const struct pl_sender_options *o = s->options;

    if (o->ca)
        lib.curl_easy_setopt(s->curl, CURLOPT_CAINFO, o->ca);
    if (o->cert)
        lib.curl_easy_setopt(s->curl, CURLOPT_SSLCERT, o->cert);
    if (o->key)
        lib.curl_easy_setopt(s->curl, CURLOPT_SSLKEY, o->key);
}

static void set_up(struct pl_sender *s)
{
    lib.curl_easy_setopt(s->curl, CURLOPT_URL, s->options->url);
    if (s->options->here)
        lib.curl_easy_setopt(s->curl, CURLOPT_NOPROXY, "*");
    lib.curl_easy_setopt(s->curl, CURLOPT_HTTPHEADER, s->headers);
    lib.curl_easy_setopt(s->curl, CURLOPT_USERAGENT, "perflog/" PL_VERSION);
    lib.curl_easy_setopt(s->curl, CURLOPT_ERRORBUFFER, s->error);
    lib.curl_easy_setopt(s->curl, CURLOPT_WRITEFUNCTION, take_text);
    lib.curl_easy_setopt(s->curl, CURLOPT_WRITEDATA, s);
    lib.curl_easy_setopt(s->curl, CURLOPT_NOSIGNAL, 1L);
    lib.curl_easy_setopt(s->curl, CURLOPT_CONNECTTIMEOUT,
                         (long)SECONDS_TO_CONNECT);
    lib.curl_easy_setopt(s->curl, CURLOPT_TIMEOUT, (long)SECONDS_IN_ALL);
    lib.curl_easy_setopt(s->curl, CURLOPT_NOPROGRESS, 0L);
    lib.curl_easy_setopt(s->curl, CURLOPT_XFERINFOFUNCTION, ask_whether_over);
    lib.curl_easy_setopt(s->curl, CURLOPT_XFERINFODATA, s);
    set_files(s);
}

/*
 * A file that is not there would be tried again and again as if the receiver
 * were away.  It is not opened, as it may be a pipe.
 */
static enum pl_status check_files(const struct pl_sender_options *o,
                                  const char **bad)
{
    const char *const files[] = { o->ca, o->cert, o->key };

    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        *bad = files[i];
        if (*bad && access(*bad, R_OK))
            return PL_IO;
    }
    return PL_OK;
}

enum pl_status pl_sender_open(struct pl_sender **out,
                              const struct pl_sender_options *options,
                              const char **why)
{
    struct pl_sender *s;

    *out = NULL;
    if (check_files(options, why))
        return PL_IO;
    if (!load_libraries(why))
        return PL_UNSUPPORTED;
    *why = "libcurl cannot be used";
    if (lib.curl_global_init(CURL_GLOBAL_DEFAULT))
        return PL_UNSUPPORTED;
    s = calloc(1, sizeof *s);
    if (!s)
        return PL_NOMEM;
    s->options = options;
    s->curl = lib.curl_easy_init();
    if (!s->curl || !add_headers(s)) {
        pl_sender_close(s);
        return PL_NOMEM;
    }
    set_up(s);
    *out = s;
    return PL_OK;
}

void pl_sender_close(struct pl_sender *s)
{
    if (!s)
        return;
    if (s->curl)
        lib.curl_easy_cleanup(s->curl);
    lib.curl_slist_free_all(s->headers);
    pl_buf_release(&s->packed);
    pl_buf_release(&s->secret);
    free(s);
}

uint64_t pl_sender_bytes(const struct pl_sender *s)
{
    return s->bytes;
}

/* ---- who we are ------------------------------------------------------------ */

/* The first line of a file into s->secret, with a NUL. */
static enum pl_status read_secret(struct pl_sender *s, const char *path)
{
    struct pl_file *f;
    size_t got = 0, n = 0;
    uint8_t *room;
    enum pl_status status = pl_file_open(&f, path);

    if (status)
        return status;
    pl_buf_clear(&s->secret);
    room = pl_buf_room(&s->secret, MOST_SECRET + 1);
    status = room ? pl_file_read(f, 0, room, MOST_SECRET, &got) : PL_NOMEM;
    pl_file_close(f);
    if (status)
        return status;
    while (n < got && room[n] && room[n] != '\n' && room[n] != '\r')
        n++;
    room[n] = 0;
    s->secret.len = n + 1;
    return PL_OK;
}

static enum pl_status identify(struct pl_sender *s, const char **bad)
{
    const struct pl_sender_options *o = s->options;
    enum pl_status status;

    *bad = o->bearer ? o->bearer : o->user;
    if (!*bad)
        return PL_OK;
    status = read_secret(s, *bad);
    if (status)
        return status;
    if (o->bearer) {
        lib.curl_easy_setopt(s->curl, CURLOPT_HTTPAUTH, (long)CURLAUTH_BEARER);
        lib.curl_easy_setopt(s->curl, CURLOPT_XOAUTH2_BEARER, s->secret.p);
    } else {
        lib.curl_easy_setopt(s->curl, CURLOPT_HTTPAUTH, (long)CURLAUTH_BASIC);
        lib.curl_easy_setopt(s->curl, CURLOPT_USERPWD, s->secret.p);
    }
    return PL_OK;
}

/* ---- a request -------------------------------------------------------------- */

static enum pl_status pack(struct pl_sender *s, const void *p, size_t n)
{
    size_t len = lib.snappy_max_compressed_length(n);
    uint8_t *room;

    pl_buf_clear(&s->packed);
    room = pl_buf_room(&s->packed, len);
    if (!room || lib.snappy_compress(p, n, (char *)room, &len) != SNAPPY_OK)
        return PL_NOMEM;
    s->packed.len = len;
    return PL_OK;
}

/*
 * A connection kept from the request before may have taken this one before it
 * broke: libcurl then tries another.
 */
static bool was_not_sent(const struct pl_sender *s, CURLcode result)
{
    return !s->has_connection && (result == CURLE_COULDNT_CONNECT ||
                                  result == CURLE_COULDNT_RESOLVE_HOST ||
                                  result == CURLE_COULDNT_RESOLVE_PROXY);
}

static void read_answer(struct pl_sender *s, CURLcode result)
{
    struct pl_answer *a = s->answer;
    curl_off_t wait = 0;

    a->not_sent = was_not_sent(s, result);
    s->has_connection = result == CURLE_OK;
    if (result != CURLE_OK) {
        const char *why = *s->error ? s->error : lib.curl_easy_strerror(result);

        a->code = 0;
        a->no_url = result == CURLE_URL_MALFORMAT;
        snprintf(a->text, sizeof a->text, "%s", why);
        return;
    }
    lib.curl_easy_getinfo(s->curl, CURLINFO_RESPONSE_CODE, &a->code);
    lib.curl_easy_getinfo(s->curl, CURLINFO_RETRY_AFTER, &wait);
    a->retry_after_s = wait > 0 ? wait : 0;
    a->text[strcspn(a->text, "\r\n")] = 0;
}

enum pl_status pl_sender_post(struct pl_sender *s, const void *p, size_t n,
                              struct pl_answer *answer, const char **bad)
{
    enum pl_status status = identify(s, bad);

    if (!status)
        status = pack(s, p, n);
    if (status)
        return status;
    *answer = (struct pl_answer){ 0 };
    s->answer = answer;
    *s->error = 0;
    lib.curl_easy_setopt(s->curl, CURLOPT_POSTFIELDS, s->packed.p);
    lib.curl_easy_setopt(s->curl, CURLOPT_POSTFIELDSIZE_LARGE,
                         (curl_off_t)s->packed.len);
    s->bytes += s->packed.len;
    read_answer(s, lib.curl_easy_perform(s->curl));
    return PL_OK;
}
