/*
 * What hwinput counts, wherever its events come from: the table, the counts,
 * and made-up events.  Included by hwinput.c and hwinput_windows.c, which
 * bring the devices.
 */
#ifndef HWINPUT_H
#define HWINPUT_H

#include <pl_provider.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

/* ---- the table ---------------------------------------------------------- */
enum { HARDWARE_INPUT = 1, MOUSE_CLICKS = 2 };
enum { KEYS = 1, KEYS_PER_SEC, MOVES, MOVES_PER_SEC };
enum { CLICKS = 1, CLICKS_PER_SEC };

static const struct pl_prov_counter input_counters[] = {
    { KEYS, PERF_COUNTER_LARGE_RAWCOUNT, "Keystrokes",
      "The number of down and up keystrokes.", 0, PL_PROV_NOVICE, 0 },
    { KEYS_PER_SEC, PERF_COUNTER_BULK_COUNT, "Keystrokes/sec",
      "The number of down and up keystrokes per second.", 0, PL_PROV_NOVICE,
      KEYS },
    { MOVES, PERF_COUNTER_LARGE_RAWCOUNT, "Mouse moves",
      "The number of mouse moves.", 0, PL_PROV_NOVICE, 0 },
    { MOVES_PER_SEC, PERF_COUNTER_BULK_COUNT, "Mouse moves/sec",
      "The number of mouse moves per second.", 0, PL_PROV_NOVICE, MOVES },
};
static const struct pl_prov_counter click_counters[] = {
    { CLICKS, PERF_COUNTER_LARGE_RAWCOUNT, "Clicks",
      "The number of down clicks.", 0, PL_PROV_NOVICE, 0 },
    { CLICKS_PER_SEC, PERF_COUNTER_BULK_COUNT, "Clicks/sec",
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

/* ---- counting ----------------------------------------------------------- */
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

/* ---- made-up events ----------------------------------------------------- */
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

#endif
