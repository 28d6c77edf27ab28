/* A thread that reads, and who waits for it only so long. */
#include "logger/linux/processes/bounded_read.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { STACK_BYTES = 256 << 10, NO_FD = -1 };

/* Shared by both threads; the one that reads frees it when it was left. */
struct pl_bounded_worker {
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t changed;
    int fd; /* to be read; NO_FD: there is nothing to do */
    bool done, left;
    size_t len;
    char text[PL_BOUNDED_READ_SIZE];
};

static void free_worker(struct pl_bounded_worker *w)
{
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->lock);
    free(w);
}

/* ---- the reading thread --------------------------------------------------- */

static size_t read_all(int fd, char *room, size_t size)
{
    size_t len = 0;
    ssize_t got = 1;

    while (got > 0 && len < size) {
        got = read(fd, room + len, size - len);
        len += got > 0 ? (size_t)got : 0;
    }
    close(fd);
    return len;
}

static void *serve(void *arg)
{
    struct pl_bounded_worker *w = arg;

    pthread_mutex_lock(&w->lock);
    while (!w->left) {
        int fd = w->fd;

        if (fd == NO_FD) {
            pthread_cond_wait(&w->changed, &w->lock);
            continue;
        }
        pthread_mutex_unlock(&w->lock);
        w->len = read_all(fd, w->text, sizeof w->text);
        pthread_mutex_lock(&w->lock);
        w->fd = NO_FD;
        w->done = true;
        pthread_cond_broadcast(&w->changed);
    }
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
    struct pl_bounded_worker *w = calloc(1, sizeof *w);

    if (!w)
        return NULL;
    w->fd = NO_FD;
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
static void leave(struct pl_bounded_worker *w)
{
    pthread_mutex_lock(&w->lock);
    w->left = true;
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

static bool wait_for(struct pl_bounded_worker *w, int fd, char *room,
                     size_t *len)
{
    struct timespec until = deadline();
    int error = 0;
    bool done;

    pthread_mutex_lock(&w->lock);
    w->fd = fd;
    w->done = false;
    pthread_cond_broadcast(&w->changed);
    while (!w->done && !error)
        error = pthread_cond_timedwait(&w->changed, &w->lock, &until);
    done = w->done;
    if (done) {
        memcpy(room, w->text, w->len);
        *len = w->len;
    }
    pthread_mutex_unlock(&w->lock);
    return done;
}

enum pl_bounded_result pl_bounded_read(struct pl_bounded_reader *r, int fd,
                                       char *room, size_t *len)
{
    *len = 0;
    if (!r->worker && r->num_left < PL_BOUNDED_READ_THREADS)
        r->worker = new_worker();
    if (!r->worker) {
        close(fd);
        return PL_BOUNDED_NONE;
    }
    if (wait_for(r->worker, fd, room, len))
        return PL_BOUNDED_READ;
    leave(r->worker);
    r->worker = NULL;
    r->num_left++;
    return PL_BOUNDED_HUNG;
}

void pl_bounded_reader_release(struct pl_bounded_reader *r)
{
    if (r->worker)
        leave(r->worker);
    *r = (struct pl_bounded_reader){ 0 };
}
