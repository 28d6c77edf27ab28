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
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/input.h>
#include <pl_provider.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- the table -------------------------------------------------------------*/
enum { HARDWARE_INPUT = 1, MOUSE_CLICKS = 2 };
enum { KEYS = 1, KEYS_PER_SEC, MOVES, MOVES_PER_SEC };
enum { CLICKS = 1, CLICKS_PER_SEC };

static const struct pl_prov_counter input_counters[] = {
    { KEYS, PERF_COUNTER_RAWCOUNT, "Keystrokes",
      "The number of down and up keystrokes.", 0, PL_PROV_NOVICE, 0 },
    { KEYS_PER_SEC, PERF_COUNTER_COUNTER, "Keystrokes/sec",
      "The number of down and up keystrokes per second.", 0, PL_PROV_NOVICE,
      KEYS },
    { MOVES, PERF_COUNTER_RAWCOUNT, "Mouse moves", "The number of mouse moves.",
      0, PL_PROV_NOVICE, 0 },
    { MOVES_PER_SEC, PERF_COUNTER_COUNTER, "Mouse moves/sec",
      "The number of mouse moves per second.", 0, PL_PROV_NOVICE, MOVES },
};
static const struct pl_prov_counter click_counters[] = {
    { CLICKS, PERF_COUNTER_RAWCOUNT, "Clicks", "The number of down clicks.", 0,
      PL_PROV_NOVICE, 0 },
    { CLICKS_PER_SEC, PERF_COUNTER_COUNTER, "Clicks/sec",
      "The number of down clicks per second.", 0, PL_PROV_NOVICE, CLICKS },
};
static const struct pl_prov_object table[] = {
    { HARDWARE_INPUT, "Hardware Input",
      "The Hardware Input object type includes those counters that apply to "
      "keystrokes and mouse moves.",
      PL_PROV_NO_INSTANCES, 0, PL_PROV_NOVICE, 0, KEYS, input_counters, 4 },
    { MOUSE_CLICKS, "Mouse Clicks",
      "The Mouse Clicks object type includes those counters that apply to "
      "mouse "
      "button clicks.",
      4, 10, PL_PROV_NOVICE, 0, CLICKS, click_counters, 2 },
};

/* ---- counting --------------------------------------------------------------*/
enum { TOTAL, LEFT, MIDDLE, RIGHT, NUM_BUTTONS };

static const char *const button_names[NUM_BUTTONS] = { "_Total", "Left",
                                                       "Middle", "Right" };

static struct {
    struct pl_prov *prov;
    struct pl_prov_set region, input, button[NUM_BUTTONS];
    struct pl_prov_word *keys, *moves, *clicks[NUM_BUTTONS];
    unsigned long long num_keys, num_moves, num_clicks[NUM_BUTTONS];
    unsigned long long dropped; /* by the kernel, as we were too slow */
} in;

static volatile sig_atomic_t stopped, begin_anew;

static void on_signal(int sig)
{
    if (sig == SIGUSR1)
        begin_anew = 1;
    else
        stopped = 1;
}

static void count_key(void)
{
    in.num_keys++;
    pl_add(in.keys, 1);
}

static void count_move(void)
{
    in.num_moves++;
    pl_add(in.moves, 1);
}

/* One group, so that in every sample _Total is the sum of the buttons. */
static void count_click(int button)
{
    in.num_clicks[TOTAL]++;
    in.num_clicks[button]++;
    pl_begin(in.region);
    pl_add(in.clicks[TOTAL], 1);
    pl_add(in.clicks[button], 1);
    pl_end(in.region);
}

static void publish(void)
{
    if (pl_prov_open(&in.prov, "hwinput", table, 2, NULL))
        fprintf(stderr, "hwinput: nobody will see the counters: %s\n",
                pl_prov_why(in.prov));
    in.region = pl_prov_region(in.prov);
    in.input = pl_prov_single(in.prov, HARDWARE_INPUT);
    in.keys = pl_prov_word_of(in.input, KEYS);
    in.moves = pl_prov_word_of(in.input, MOVES);
    for (int i = 0; i < NUM_BUTTONS; i++) {
        in.button[i] =
            pl_prov_add(in.prov, MOUSE_CLICKS, button_names[i], -1, NULL);
        in.clicks[i] = pl_prov_word_of(in.button[i], CLICKS);
    }
}

static void reset_if_asked(void)
{
    if (!begin_anew)
        return;
    begin_anew = 0;
    pl_begin(in.region);
    pl_prov_renew(&in.input);
    for (int i = 0; i < NUM_BUTTONS; i++) {
        pl_prov_renew(&in.button[i]);
        in.num_clicks[i] = 0;
    }
    pl_end(in.region);
    in.num_keys = in.num_moves = 0;
}

static void print_totals(void)
{
    printf("Keystrokes %llu\nMouse moves %llu\n", in.num_keys, in.num_moves);
    for (int i = 0; i < NUM_BUTTONS; i++)
        printf("%s %llu\n", button_names[i], in.num_clicks[i]);
    if (in.dropped)
        printf("lost by the kernel, at least %llu times\n", in.dropped);
}

/* ---- made-up events ----------------------------------------------------------*/
static int simulate(const char *how)
{
    unsigned long long state, rate, count;
    struct timespec pause;
    char rest;

    if (sscanf(how, "%llu:%llu:%llu%c", &state, &rate, &count, &rest) != 3 ||
        rate > 1000000000) {
        fprintf(stderr, "hwinput: --simulate wants SEED:RATE:COUNT\n");
        return 1;
    }
    pause.tv_sec = rate == 1;
    pause.tv_nsec = rate > 1 ? (long)(1000000000 / rate) : 0;
    for (unsigned long long i = 0; i < count && !stopped; i++) {
        unsigned kind;

        state = state * 6364136223846793005u + 1442695040888963407u;
        kind = (unsigned)(state >> 60);
        if (kind < 8)
            count_key();
        else if (kind < 13)
            count_move();
        else
            count_click(LEFT + (int)kind - 13);
        reset_if_asked();
        if (rate)
            nanosleep(&pause, NULL);
    }
    return 0;
}

/* ---- devices -----------------------------------------------------------------*/
enum { MAX_DEVICES = 64, LOOK_AGAIN_MS = 5000 };

static struct {
    struct pollfd polled[MAX_DEVICES];
    char names[MAX_DEVICES][32];
    int moved[MAX_DEVICES];
    int num;
} devices;

static int is_open(const char *name)
{
    for (int i = 0; i < devices.num; i++)
        if (!strcmp(devices.names[i], name))
            return 1;
    return 0;
}

/* Open what has come; those that may not be opened are passed over. */
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
        if (poll(devices.polled, (nfds_t)devices.num, LOOK_AGAIN_MS) <= 0)
            look_for_devices();
        for (int i = devices.num; i-- > 0;)
            if (devices.polled[i].revents)
                read_device(i);
        reset_if_asked();
    }
    return 0;
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
