/* A thread that reads, and who waits for it only so long. */
#include "logger/linux/identity/bounded_read.h"

#include "format/base/file.h"
#include "format/time/time_text.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { STACK_BYTES = 256 << 10 };

/* Shared by both threads; the one that reads frees it when it was left. */
struct pl_bounded_worker {
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t changed;
    bool left;            /* it is not waited for any more, */
    bool hangs;           /* because it hangs */
    size_t num, num_read; /* files to be read, and that were */
    int64_t begun_ns;     /* when the next one was begun */
    int fds[PL_BOUNDED_READ_FILES];
    struct pl_bounded_texts texts;
};

static size_t begin_of(const struct pl_bounded_texts *t, size_t i)
{
    return i ? t->ends[i - 1] : 0;
}

struct pl_text pl_bounded_text(const struct pl_bounded_texts *t, size_t i)
{
    return (struct pl_text){ t->bytes + begin_of(t, i),
                             t->ends[i] - begin_of(t, i) };
}

/* Threads of this process that hang.  One that goes on after all, since a disk
 * answers again, makes room for another. */
static atomic_uint num_hanging;

static void free_worker(struct pl_bounded_worker *w)
{
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->lock);
    free(w);
}

/* ---- the reading thread --------------------------------------------------- */

static void read_one(int fd, bool is_wanted, struct pl_bounded_texts *t,
                     size_t i)
{
    size_t begin = begin_of(t, i);
    ssize_t got = fd >= 0 && is_wanted
                      ? read(fd, t->bytes + begin, PL_BOUNDED_READ_SIZE)
                      : 0;

    t->ends[i] = begin + (got > 0 ? (size_t)got : 0);
    if (fd >= 0)
        close(fd);
}

/* Those after a file that was waited for in vain are closed only. */
static void *serve(void *arg)
{
    struct pl_bounded_worker *w = arg;

    pthread_mutex_lock(&w->lock);
    while (!w->left || w->num_read < w->num) {
        size_t i = w->num_read;
        bool is_wanted = !w->left;

        if (i == w->num) {
            pthread_cond_wait(&w->changed, &w->lock);
            continue;
        }
        pthread_mutex_unlock(&w->lock);
        read_one(w->fds[i], is_wanted, &w->texts, i);
        pthread_mutex_lock(&w->lock);
        w->begun_ns = pl_clock_steady();
        if (++w->num_read == w->num)
            pthread_cond_broadcast(&w->changed);
    }
    num_hanging -= w->hangs;
    pthread_mutex_unlock(&w->lock);
    free_worker(w);
    return NULL;
}

/* ---- the thread that waits ------------------------------------------------ */

static bool init(struct pl_bounded_worker *w)
{
    pthread_condattr_t clock;
    bool good;

    if (pthread_condattr_init(&clock))
        return false;
    good = !pthread_condattr_setclock(&clock, CLOCK_MONOTONIC) &&
           !pthread_cond_init(&w->changed, &clock);
    pthread_condattr_destroy(&clock);
    if (good && pthread_mutex_init(&w->lock, NULL)) {
        pthread_cond_destroy(&w->changed);
        good = false;
    }
    return good;
}

/* Signals are for the program's other threads. */
static bool start(struct pl_bounded_worker *w)
{
    pthread_attr_t attr;
    sigset_t all, before;
    pthread_t thread;
    bool good;

    if (pthread_attr_init(&attr))
        return false;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    good = !pthread_attr_setstacksize(&attr, STACK_BYTES) &&
           !pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED) &&
           !pthread_create(&thread, &attr, serve, w);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attr);
    return good;
}

static struct pl_bounded_worker *new_worker(void)
{
    struct pl_bounded_worker *w = malloc(sizeof *w);

    if (!w)
        return NULL;
    /* Not the texts: few of their pages are ever used. */
    memset(w, 0, offsetof(struct pl_bounded_worker, texts));
    if (!init(w)) {
        free(w);
        return NULL;
    }
    if (!start(w)) {
        free_worker(w);
        return NULL;
    }
    return w;
}

/* The thread ends by itself, at once or when its read comes back. */
static void leave(struct pl_bounded_worker *w, bool hangs)
{
    pthread_mutex_lock(&w->lock);
    w->left = true;
    w->hangs = hangs;
    num_hanging += hangs;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
}

static struct timespec deadline(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_sec += PL_BOUNDED_READ_MS / 1000;
    t.tv_nsec += PL_BOUNDED_READ_MS % 1000 * 1000000L;
    if (t.tv_nsec >= 1000000000L) {
        t.tv_nsec -= 1000000000L;
        t.tv_sec++;
    }
    return t;
}

/* Sets *num_read to how many were read in time. */
static enum pl_bounded_result wait_for(struct pl_bounded_worker *w,
                                       const int *fds, size_t num,
                                       struct pl_bounded_texts *texts,
                                       size_t *num_read)
{
    struct timespec until = deadline();
    int error = 0;
    int64_t begun_ns;

    pthread_mutex_lock(&w->lock);
    memcpy(w->fds, fds, num * sizeof *fds);
    w->num_read = 0;
    w->num = num;
    w->begun_ns = pl_clock_steady();
    pthread_cond_broadcast(&w->changed);
    while (w->num_read < num && !error)
        error = pthread_cond_timedwait(&w->changed, &w->lock, &until);
    *num_read = w->num_read;
    begun_ns = w->begun_ns;
    memcpy(texts->ends, w->texts.ends, *num_read * sizeof *texts->ends);
    memcpy(texts->bytes, w->texts.bytes, begin_of(&w->texts, *num_read));
    pthread_mutex_unlock(&w->lock);
    if (*num_read == num)
        return PL_BOUNDED_READ;
    return pl_clock_steady() - begun_ns >=
                   PL_BOUNDED_READ_HANG_MS * PL_NS_PER_MS
               ? PL_BOUNDED_HUNG
               : PL_BOUNDED_SLOW;
}

static void close_all(const int *fds, size_t num)
{
    for (size_t i = 0; i < num; i++)
        if (fds[i] >= 0)
            close(fds[i]);
}

/* True if another read may hang. */
static bool may_hang(struct pl_bounded_reader *r)
{
    int64_t past = (pl_clock_steady() - r->forgot_ns) /
                   (PL_BOUNDED_READ_FORGET_S * PL_NS_PER_SEC);

    while (r->num_hung && past-- > 0) {
        r->num_hung--;
        r->forgot_ns += PL_BOUNDED_READ_FORGET_S * PL_NS_PER_SEC;
    }
    return num_hanging < PL_BOUNDED_READ_THREADS &&
           r->num_hung < PL_BOUNDED_READ_HANGS;
}

static void note_hang(struct pl_bounded_reader *r)
{
    if (!r->num_hung++)
        r->forgot_ns = pl_clock_steady();
}

enum pl_bounded_result pl_bounded_read(struct pl_bounded_reader *r,
                                       const int *fds, size_t num,
                                       struct pl_bounded_texts *texts,
                                       size_t *num_read)
{
    enum pl_bounded_result result;

    *num_read = 0;
    if (!r->worker && may_hang(r))
        r->worker = new_worker();
    if (!r->worker) {
        close_all(fds, num);
        return PL_BOUNDED_NONE;
    }
    result = wait_for(r->worker, fds, num, texts, num_read);
    if (result == PL_BOUNDED_READ)
        return result;
    leave(r->worker, true);
    r->worker = NULL;
    if (result == PL_BOUNDED_HUNG)
        note_hang(r);
    return result;
}

void pl_bounded_reader_release(struct pl_bounded_reader *r)
{
    if (r->worker)
        leave(r->worker, false);
    *r = (struct pl_bounded_reader){ 0 };
}
