/*
 * hwinput: how busy keyboard and mouse are, as counters for perflog.  After
 * HWInputMon, the sample of Jeffrey Richter's article on performance objects
 * (Microsoft Systems Journal, August 1998).
 *
 *     hwinput                             count until interrupted
 *     hwinput --simulate SEED:RATE:COUNT  COUNT made-up events, RATE a second
 *                                         (0: as fast as it goes)
 *
 * Events are read from /dev/input, for which one must be root or in the group
 * "input".  Only that a key went down or up is counted, never which; nothing
 * is grabbed or kept.  SIGUSR1 begins all counts anew.
 */
#define _POSIX_C_SOURCE 200809L
#include "hwinput.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/input.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

/* ---- devices ------------------------------------------------------------ */
enum { MAX_DEVICES = 64, LOOK_AGAIN_S = 5 };

static struct {
    struct pollfd polled[MAX_DEVICES];
    char names[MAX_DEVICES][32];
    int moved[MAX_DEVICES];
    int num;
    time_t looked; /* when */
} devices;

static time_t seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

static int is_open(const char *name)
{
    for (int i = 0; i < devices.num; i++)
        if (!strcmp(devices.names[i], name))
            return 1;
    return 0;
}

/* Open what has come; those that may not be opened are left out. */
static void look_for_devices(void)
{
    DIR *dir = opendir("/dev/input");
    struct dirent *e;

    while (dir && (e = readdir(dir)) && devices.num < MAX_DEVICES) {
        int fd;

        if (strncmp(e->d_name, "event", 5) != 0 ||
            strlen(e->d_name) >= sizeof devices.names[0] || is_open(e->d_name))
            continue;
        fd = openat(dirfd(dir), e->d_name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        if (fd < 0)
            continue;
        devices.polled[devices.num] =
            (struct pollfd){ .fd = fd, .events = POLLIN };
        devices.moved[devices.num] = 0;
        strcpy(devices.names[devices.num++], e->d_name);
    }
    if (dir)
        closedir(dir);
    devices.looked = seconds();
}

static void forget_device(int i)
{
    int last = --devices.num;

    close(devices.polled[i].fd);
    devices.polled[i] = devices.polled[last];
    devices.moved[i] = devices.moved[last];
    memmove(devices.names[i], devices.names[last], sizeof devices.names[i]);
}

/* A key that is held repeats with value 2, which is no keystroke. */
static void take_event(const struct input_event *e, int *moved)
{
    static const int buttons[] = { [BTN_LEFT - BTN_MOUSE] = LEFT,
                                   [BTN_RIGHT - BTN_MOUSE] = RIGHT,
                                   [BTN_MIDDLE - BTN_MOUSE] = MIDDLE };

    if (e->type == EV_KEY && e->code < BTN_MISC && e->value < 2)
        count_key();
    else if (e->type == EV_KEY && e->code >= BTN_MOUSE &&
             e->code <= BTN_MIDDLE && e->value == 1)
        count_click(buttons[e->code - BTN_MOUSE]);
    else if ((e->type == EV_REL || e->type == EV_ABS) && e->code < 2)
        *moved = 1; /* REL_X, REL_Y, ABS_X, ABS_Y */
    else if (e->type == EV_SYN && e->code == SYN_DROPPED)
        in.dropped++;
    else if (e->type == EV_SYN && e->code == SYN_REPORT && *moved) {
        count_move();
        *moved = 0;
    }
}

static void read_device(int i)
{
    struct input_event events[64];
    ssize_t n = read(devices.polled[i].fd, events, sizeof events);

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0) {
        forget_device(i); /* unplugged */
        return;
    }
    for (size_t k = 0; k < (size_t)n / sizeof *events; k++)
        take_event(&events[k], &devices.moved[i]);
}

static int watch(void)
{
    look_for_devices();
    if (!devices.num) {
        fprintf(stderr, "hwinput: no /dev/input/event* may be read: be root or "
                        "in the group 'input', or try --simulate 1:100:1000\n");
        return 1;
    }
    while (!stopped) {
        poll(devices.polled, (nfds_t)devices.num, LOOK_AGAIN_S * 1000);
        if (seconds() - devices.looked >= LOOK_AGAIN_S)
            look_for_devices();
        for (int i = devices.num; i-- > 0;)
            if (devices.polled[i].revents)
                read_device(i);
        reset_if_asked();
    }
    return 0;
}

static void on_signal(int sig)
{
    if (sig == SIGUSR1)
        begin_anew = 1;
    else
        stopped = 1;
}

int main(int argc, char **argv)
{
    struct sigaction act = { .sa_handler = on_signal };
    int code;

    if (argc != 1 && (argc != 3 || strcmp(argv[1], "--simulate") != 0)) {
        fprintf(stderr, "usage: hwinput [--simulate SEED:RATE:COUNT]\n");
        return 1;
    }
    sigaction(SIGINT, &act, NULL);
    sigaction(SIGTERM, &act, NULL);
    sigaction(SIGUSR1, &act, NULL);
    publish();
    code = argc == 1 ? watch() : simulate(argv[2]);
    if (!code)
        print_totals();
    pl_prov_close(in.prov);
    return code;
}
