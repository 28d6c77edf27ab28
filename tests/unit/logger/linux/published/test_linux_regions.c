/* What the recorder makes of regions: life, death, and files that lie. */
#include "format/record/record.h"
#include "logger/linux/machine/machine.h"
#include "logger/linux/published/region_parts.h"
#include "tests/support/publishing.h"
#include "tests/support/support.h"
#include "tests/support/watching.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- life and death ---------------------------------------------------------*/

START_TEST(the_last_counts_of_the_dead_are_read_once_and_the_file_removed)
{
    struct watch w;
    pid_t child;

    publishing_dir();
    child = publishing_child("mortal", NULL);
    watch_begin(&w);
    watch_scan(&w);
    ck_assert_int_eq(watch_region(&w, "mortal")->state, PL_STATE_LIVE);
    kill_child(child);
    watch_scan(&w);
    ck_assert_int_eq(watch_region(&w, "mortal")->state, PL_STATE_FINAL);
    ck_assert_uint_eq(watch_word(watch_region(&w, "mortal"), 0, 0, 0), 42);
    watch_scan(&w);
    ck_assert_ptr_null(watch_find(&w, "mortal"));
    ck_assert_uint_eq(publishing_files(), 0);
    watch_end(&w);
}
END_TEST

START_TEST(who_died_before_the_recorder_came_is_read_too)
{
    struct watch w;

    publishing_dir();
    kill_child(publishing_child("early", NULL));
    watch_begin(&w);
    watch_scan(&w);
    ck_assert_int_eq(watch_region(&w, "early")->state, PL_STATE_FINAL);
    ck_assert_uint_eq(watch_word(watch_region(&w, "early"), 0, 0, 0), 42);
    watch_scan(&w);
    ck_assert_uint_eq(publishing_files(), 0);
    watch_end(&w);
}
END_TEST

START_TEST(what_is_closed_is_read_once_more_though_its_file_is_gone)
{
    struct pl_prov *p = publish("closing");
    struct watch w;

    watch_begin(&w);
    watch_scan(&w);
    pl_add(pl_prov_word_of(pl_prov_single(p, ENGINE), TURNS), 7);
    pl_prov_close(p);
    watch_scan(&w);
    ck_assert_int_eq(watch_region(&w, "closing")->state, PL_STATE_FINAL);
    ck_assert_uint_eq(watch_word(watch_region(&w, "closing"), 0, 0, 0), 7);
    watch_scan(&w);
    ck_assert_ptr_null(watch_find(&w, "closing"));
    watch_end(&w);
}
END_TEST

START_TEST(a_stopped_process_is_alive)
{
    struct watch w;
    pid_t child;

    publishing_dir();
    child = publishing_child("stopped", NULL);
    watch_begin(&w);
    kill(child, SIGSTOP);
    for (int i = 0; i < 3; i++)
        watch_scan(&w);
    ck_assert_int_eq(watch_region(&w, "stopped")->state, PL_STATE_LIVE);
    kill_child(child);
    watch_end(&w);
}
END_TEST

/* A POSIX lock would be lost by closing any descriptor of the file. */
static void close_strays(struct pl_prov *p)
{
    close(open(pl_prov_path(p), O_RDWR));
    syscall(SYS_close_range, 3, 50, 0);
    syscall(SYS_close_range, 52, ~0U, 0);
}

static void daemonise(struct pl_prov *p)
{
    (void)p;
    setsid();
    if (chdir("/"))
        _exit(1);
}

START_TEST(what_processes_do_to_descriptors_does_not_end_their_life)
{
    struct watch w;
    pid_t a, b;

    publishing_dir();
    a = publishing_child("daemon", daemonise);
    b = fork();
    if (!b) { /* closes whatever it has open */
        struct pl_prov *p = publish("strays");

        close_strays(p);
        for (;;)
            pause();
    }
    watch_begin(&w);
    watch_until(&w, "strays");
    for (int i = 0; i < 3; i++)
        watch_scan(&w);
    /* One of them is shown in the other's place, but both are alive. */
    ck_assert_int_ne(watch_region(&w, "daemon")->state, PL_STATE_FINAL);
    ck_assert_int_ne(watch_region(&w, "strays")->state, PL_STATE_FINAL);
    kill_child(a);
    kill_child(b);
    watch_scan(&w);
    ck_assert_int_eq(watch_region(&w, "strays")->state, PL_STATE_FINAL);
    watch_end(&w);
}
END_TEST

static pid_t grandchild;

static void leave_a_child(struct pl_prov *p)
{
    (void)p;
    grandchild = fork();
    if (!grandchild)
        for (;;)
            sleep(1);
}

START_TEST(a_forked_child_does_not_keep_its_dead_parent_alive)
{
    struct watch w;
    pid_t child;

    publishing_dir();
    child = publishing_child("forker", leave_a_child);
    watch_begin(&w);
    watch_scan(&w);
    ck_assert_int_eq(watch_region(&w, "forker")->state, PL_STATE_LIVE);
    kill_child(child);
    do /* the child's child may not have run yet */
        watch_scan(&w);
    while (watch_region(&w, "forker")->state == PL_STATE_LIVE);
    ck_assert_int_eq(watch_region(&w, "forker")->state, PL_STATE_FINAL);
    watch_end(&w);
}
END_TEST

START_TEST(exec_ends_a_region_as_death_does)
{
    int ready[2];
    struct watch w;
    pid_t child;
    char byte;

    publishing_dir();
    ck_assert_int_eq(pipe2(ready, O_CLOEXEC), 0);
    child = fork();
    if (!child) {
        publish("exec");
        execlp("sleep", "sleep", "60", (char *)NULL);
        _exit(1);
    }
    close(ready[1]);
    ck_assert_int_eq(read(ready[0], &byte, 1), 0); /* closed by exec */
    watch_begin(&w);
    do /* the kernel lets go a moment later */
        watch_scan(&w);
    while (watch_region(&w, "exec")->state == PL_STATE_LIVE);
    ck_assert_int_eq(watch_region(&w, "exec")->state, PL_STATE_FINAL);
    kill_child(child);
    watch_end(&w);
}
END_TEST

START_TEST(what_was_left_half_made_is_removed)
{
    struct watch w;
    int fd;

    publishing_dir();
    fd = open(path_in(publishing_dir(), ".tmp-0123456789abcdef"),
              O_RDWR | O_CREAT | O_EXCL, 0600);
    watch_begin(&w);
    for (int i = 0; i < 3; i++)
        watch_scan(&w);
    ck_assert_uint_eq(publishing_files(), 0);
    close(fd);
    /* One that is being made is locked. */
    fd = open(path_in(publishing_dir(), ".tmp-0123456789abcdef"),
              O_RDWR | O_CREAT | O_EXCL, 0600);
    ck_assert_int_eq(fcntl(fd, F_OFD_SETLK,
                           &(struct flock){ .l_type = F_WRLCK, .l_len = 1 }),
                     0);
    for (int i = 0; i < 4; i++)
        watch_scan(&w);
    ck_assert_uint_eq(publishing_files(), 1);
    close(fd);
    for (int i = 0; i < 3; i++)
        watch_scan(&w);
    ck_assert_uint_eq(publishing_files(), 0);
    watch_end(&w);
}
END_TEST

/* ---- groups that do not end ---------------------------------------------------*/

START_TEST(a_group_that_never_ends_is_told_and_holds_up_nobody)
{
    struct pl_prov *p = publish("stuck"), *q = publish("fine");
    struct pl_prov_set valve = pl_prov_add(p, VALVE, "v", -1, NULL);
    struct timespec from, to;
    struct pl_region *g;
    struct watch w;

    pl_begin(pl_prov_single(p, ENGINE));
    pl_add(pl_prov_word_of(valve, OPENED), 5);
    watch_begin(&w);
    clock_gettime(CLOCK_MONOTONIC, &from);
    watch_scan(&w);
    clock_gettime(CLOCK_MONOTONIC, &to);
    ck_assert_int_lt(to.tv_sec - from.tv_sec, 2);
    g = watch_region(&w, "stuck");
    ck_assert_int_eq(g->state, PL_STATE_BUSY);
    ck_assert_int_eq(g->reason, PL_REASON_BUSY);
    ck_assert_uint_eq(g->image.busy, 1);
    ck_assert_int_eq(watch_copy(g, 0, 0)->copied, PL_COPIED_LOOSE);
    ck_assert_int_eq(watch_copy(g, 1, 0)->copied, PL_COPIED_GOOD);
    ck_assert_int_eq(watch_region(&w, "fine")->state, PL_STATE_LIVE);
    pl_end(pl_prov_single(p, ENGINE));
    watch_scan(&w);
    ck_assert_int_eq(watch_region(&w, "stuck")->state, PL_STATE_LIVE);
    watch_end(&w);
    pl_prov_close(p);
    pl_prov_close(q);
}
END_TEST

/* One of the region holds for all of its sets. */
START_TEST(a_group_of_the_region_that_never_ends_is_one_of_all_sets)
{
    struct pl_prov *p = publish("stuck");
    struct pl_prov_set valve = pl_prov_add(p, VALVE, "v", -1, NULL);
    struct pl_region *g;
    struct watch w;

    pl_begin(pl_prov_region(p));
    pl_add(pl_prov_word_of(valve, OPENED), 5);
    watch_begin(&w);
    watch_scan(&w);
    g = watch_region(&w, "stuck");
    ck_assert_int_eq(g->state, PL_STATE_BUSY);
    ck_assert_uint_eq(g->image.busy, 2);
    ck_assert_int_eq(watch_copy(g, 0, 0)->copied, PL_COPIED_LOOSE);
    ck_assert_int_eq(watch_copy(g, 1, 0)->copied, PL_COPIED_LOOSE);
    pl_end(pl_prov_region(p));
    watch_scan(&w);
    ck_assert_int_eq(watch_region(&w, "stuck")->state, PL_STATE_LIVE);
    watch_end(&w);
    pl_prov_close(p);
}
END_TEST

/* ---- those who lie ------------------------------------------------------------*/

typedef void hurt(struct forged *f);

static void put_at(struct forged *f, size_t at, uint32_t v)
{
    ck_assert_int_eq(pwrite(f->fd, &v, 4, (off_t)at), 4);
}

/* The hash is right again, so that what is behind it is looked at. */
static void rehash(struct forged *f)
{
    uint32_t def_len;
    uint64_t hash;
    uint8_t *all = read_file(f->path, &f->len);

    memcpy(&def_len, all + 36, 4);
    hash = pl_hash(all + 256, def_len, 0);
    ck_assert_int_eq(pwrite(f->fd, &hash, 8, 40), 8);
    free(all);
}

/* clang-format off */
static void nothing(struct forged *f) { (void)f; }
static void no_magic(struct forged *f) { put_at(f, 0, 0); }
static void other_order(struct forged *f) { put_at(f, 12, 0x04030201); }
static void critical(struct forged *f) { put_at(f, 16, 1); }
static void shards(struct forged *f) { put_at(f, 124, 2); }
static void size_lies(struct forged *f) { put_at(f, 24, 1 << 20); }
static void other_id(struct forged *f) { put_at(f, 72, 1); }
static void definitions_outside(struct forged *f) { put_at(f, 36, 0xFFFFFFF0); }
static void sets_outside(struct forged *f) { put_at(f, 120, 1000); }
static void values_overlap(struct forged *f) { put_at(f, 64, 256); }
static void no_objects(struct forged *f) { put_at(f, 112, 0); }
static void many_counters(struct forged *f) { put_at(f, 116, 1 << 30); }
static void wrong_hash(struct forged *f) { put_at(f, 256 + 64, 5); }
static void grown(struct forged *f) { ck_assert_int_eq(ftruncate(f->fd, 1 << 17), 0); }
static void shrunk(struct forged *f) { ck_assert_int_eq(ftruncate(f->fd, 300), 0); }
static void empty(struct forged *f) { ck_assert_int_eq(ftruncate(f->fd, 0), 0); }
static void writable(struct forged *f) { fchmod(f->fd, 0666); }
static void group_writable(struct forged *f) { fchmod(f->fd, 0660); }
static void others_writable(struct forged *f) { fchmod(f->fd, 0642); }
static void many_slots(struct forged *f) { put_at(f, 256 + 64 + 24, 60000); rehash(f); }
static void stride_0(struct forged *f) { put_at(f, 256 + 40, 0); rehash(f); }
static void wide_slots(struct forged *f) { put_at(f, 256 + 2 * 64 + 48, 1 << 20); rehash(f); }
static void wide_values(struct forged *f) { put_at(f, 256 + 2 * 64 + 40, 1 << 20); rehash(f); }
static void values_at_0(struct forged *f) { put_at(f, 256 + 36, 0); rehash(f); }
static void far_word(struct forged *f) { put_at(f, 256 + 192 + 24, 8); rehash(f); }
static void odd_type(struct forged *f) { put_at(f, 256 + 192 + 16, 0xB00); rehash(f); }
static void no_base(struct forged *f) { put_at(f, 256 + 192 + 3 * 32 + 16, 0x10000); rehash(f); }
static void base_of_nothing(struct forged *f) { put_at(f, 256 + 192 + 2 * 32 + 16, 0x10000); rehash(f); }
static void far_name(struct forged *f) { put_at(f, 256 + 4, 0x7FFFFFFF); rehash(f); }
static void terminal_name(struct forged *f) { put_at(f, 256 + 192 + 9 * 32, 0x1b5b1b5b); rehash(f); }
static void our_name(struct forged *f)
{
    ck_assert_int_eq(pwrite(f->fd, "Memory", 7, 256 + 192 + 9 * 32), 7);
    rehash(f);
}
static void our_name_in_other_letters(struct forged *f)
{
    ck_assert_int_eq(pwrite(f->fd, "mEmORY", 7, 256 + 192 + 9 * 32), 7);
    rehash(f);
}
static void our_counter(struct forged *f)
{
    const uint8_t *at = memmem(f->bytes, f->len, "Turns/sec", 10);

    ck_assert_ptr_nonnull(at);
    ck_assert_int_eq(pwrite(f->fd, "IDENTITY", 9, at - f->bytes), 9);
    rehash(f);
}
/* clang-format on */

/* The slot of valve 0 lies behind the engine's. */
static size_t valve_slot(const struct forged *f)
{
    uint32_t inst_at;

    memcpy(&inst_at, f->bytes + 56, 4);
    return inst_at + 64;
}

static void long_name(struct forged *f)
{
    put_at(f, valve_slot(f) + 20, 200);
}

static void control_in_instance(struct forged *f)
{
    put_at(f, valve_slot(f) + 32, '\n');
}

static void large_id(struct forged *f)
{
    put_at(f, valve_slot(f) + 12, 1);
}

static void sparse(struct forged *f)
{
    uint8_t *big;
    uint32_t page = 8 << 12;

    /* As long as it says, but for a hole behind what is looked at. */
    big = calloc(1, page);
    memcpy(big, f->bytes, f->len);
    memcpy(big + 24, &(uint64_t){ page }, 8);
    ck_assert_int_eq(ftruncate(f->fd, page), 0);
    ck_assert_int_eq(pwrite(f->fd, big, 4096, 0), 4096);
    free(big);
}

static const struct lie {
    hurt *hurt;
    enum pl_region_reason reason;
} lies[] = {
    { nothing, PL_REASON_DUPLICATE }, /* of the honest one */
    { no_magic, PL_REASON_MAGIC },
    { other_order, PL_REASON_VERSION },
    { critical, PL_REASON_VERSION },
    { shards, PL_REASON_VERSION },
    { size_lies, PL_REASON_SIZE },
    { other_id, PL_REASON_FILE },
    { definitions_outside, PL_REASON_AREA },
    { sets_outside, PL_REASON_AREA },
    { values_overlap, PL_REASON_AREA },
    { no_objects, PL_REASON_LIMIT },
    { many_counters, PL_REASON_LIMIT },
    { wrong_hash, PL_REASON_HASH },
    { grown, PL_REASON_SPARSE },
    { shrunk, PL_REASON_SIZE },
    { empty, PL_REASON_SHORT },
    { writable, PL_REASON_PERMISSION },
    { group_writable, PL_REASON_PERMISSION },
    { others_writable, PL_REASON_PERMISSION },
    { many_slots, PL_REASON_OBJECT },
    { stride_0, PL_REASON_AREA },
    { wide_slots, PL_REASON_AREA },
    { wide_values, PL_REASON_AREA },
    { values_at_0, PL_REASON_AREA },
    { far_word, PL_REASON_COUNTER },
    { odd_type, PL_REASON_COUNTER },
    { no_base, PL_REASON_COUNTER },
    { base_of_nothing, PL_REASON_COUNTER },
    { far_name, PL_REASON_STRING },
    { terminal_name, PL_REASON_STRING },
    { our_name, PL_REASON_NAME },
    { our_name_in_other_letters, PL_REASON_NAME },
    { our_counter, PL_REASON_NAME },
    { long_name, PL_REASON_INSTANCE },
    { control_in_instance, PL_REASON_INSTANCE },
    { large_id, PL_REASON_INSTANCE },
    { sparse, PL_REASON_SPARSE },
};

START_TEST(each_lie_is_refused_with_its_reason)
{
    enum pl_note_kind kind;
    char text[192];
    unsigned news;
    struct pl_prov *p = publish("honest");
    struct forged f;
    struct watch w;

    forge_region(&f, "liar");
    lies[_i].hurt(&f);
    watch_begin(&w);
    for (int i = 0; i < 3; i++) {
        const struct pl_region *g;

        pl_add(pl_prov_word_of(pl_prov_single(p, ENGINE), TURNS), 1);
        watch_scan(&w);
        g = watch_region(&w, "liar");
        news = 0;
        while (pl_regions_news(w.regions, &kind, text, sizeof text)) {
            news++;
            ck_assert(strstr(text, "honest:") || g->state != PL_STATE_INVALID ||
                      strstr(text, pl_region_reason_text(lies[_i].reason)));
        }
        if (g->state == PL_STATE_INVALID)
            ck_assert_uint_eq(news, i == 0 ? 2 : 0); /* once */
        ck_assert_msg(g->reason == lies[_i].reason, "lie %d: %s", _i,
                      pl_region_reason_text(g->reason));
        ck_assert_msg((g->table != NULL) == (_i == 0), "lie %d: %d %d", _i,
                      g->state, g->reason);
        g = watch_region(&w, "honest");
        ck_assert_int_eq(g->state, PL_STATE_LIVE);
        ck_assert_uint_eq(watch_word(g, 0, 0, 0), (uint64_t)i + 1);
    }
    discard_region(&f);
    watch_scan(&w);
    watch_scan(&w);
    ck_assert_ptr_null(watch_find(&w, "liar"));
    watch_end(&w);
    pl_prov_close(p);
}
END_TEST

/* Else a liar's header would make other objects of an honest table. */
START_TEST(the_same_bytes_with_other_counts_are_another_table)
{
    struct pl_prov *p = publish("honest");
    const struct pl_published *t;
    struct pl_region_header h;
    struct watch w;

    watch_begin(&w);
    watch_scan(&w);
    t = watch_region(&w, "honest")->table;
    h = t->header;
    ck_assert(pl_region_is_same_table(&t->header, t->definitions, &h,
                                      t->definitions));
    h.num_objects++;
    ck_assert(!pl_region_is_same_table(&t->header, t->definitions, &h,
                                       t->definitions));
    h.num_objects--;
    h.num_counters -= 2;
    ck_assert(!pl_region_is_same_table(&t->header, t->definitions, &h,
                                       t->definitions));
    watch_end(&w);
    pl_prov_close(p);
}
END_TEST

/* ---- files that change, and too many of them ----------------------------------*/

/* Replaced by another one between being met and being opened. */
static const char *swap_in, *swap_out;

int __real_openat64(int dir, const char *path, int flags, unsigned mode);
int __wrap_openat64(int dir, const char *path, int flags, unsigned mode);
int __wrap_openat64(int dir, const char *path, int flags, unsigned mode)
{
    if (swap_in && !strcmp(strrchr(swap_out, '/') + 1, path)) {
        ck_assert_int_eq(rename(swap_in, swap_out), 0);
        swap_in = NULL;
    }
    return __real_openat64(dir, path, flags, mode);
}

START_TEST(a_file_that_is_another_once_it_is_open_is_not_believed)
{
    char other[300];
    struct forged f;
    struct watch w;

    publishing_dir();
    forge_region(&f, "swapped");
    snprintf(other, sizeof other, "%s/other", publishing_dir());
    write_file(other, f.bytes, f.len);
    chmod(other, 0640);
    swap_out = f.path;
    swap_in = other;
    watch_begin(&w);
    ck_assert_ptr_null(swap_in);
    ck_assert_int_eq(watch_region(&w, "swapped")->reason, PL_REASON_FILE);
    ck_assert_ptr_null(watch_region(&w, "swapped")->table);
    watch_end(&w);
    discard_region(&f);
}
END_TEST

START_TEST(a_file_that_took_the_place_of_a_dead_one_is_not_removed)
{
    char path[300], other[300];
    struct pl_region *g;
    struct watch w;
    uint8_t *now;
    size_t n;
    pid_t child;

    publishing_dir();
    child = publishing_child("dying", NULL);
    watch_begin(&w);
    watch_scan(&w);
    g = watch_region(&w, "dying");
    snprintf(path, sizeof path, "%s/%s", publishing_dir(), g->file);
    snprintf(other, sizeof other, "%s/other", publishing_dir());
    kill_child(child);
    watch_scan(&w);
    ck_assert_int_eq(watch_region(&w, "dying")->state, PL_STATE_FINAL);
    write_file(other, "mine", 4);
    ck_assert_int_eq(rename(other, path), 0);
    watch_scan(&w);
    watch_scan(&w);
    now = read_file(path, &n);
    ck_assert(n == 4 && !memcmp(now, "mine", 4));
    free(now);
    watch_end(&w);
}
END_TEST

/* Files seem to be as long as can be, without taking so much memory. */
static bool swollen;

int __real_fstat64(int fd, struct stat *st);
int __wrap_fstat64(int fd, struct stat *st);
int __wrap_fstat64(int fd, struct stat *st)
{
    int result = __real_fstat64(fd, st);

    if (!result && swollen && S_ISREG(st->st_mode)) {
        st->st_size = PL_REGION_MAX_SIZE;
        st->st_blocks = PL_REGION_MAX_SIZE / 512;
    }
    return result;
}

START_TEST(all_regions_together_are_no_longer_than_their_limit)
{
    /* MB that all may have, that one may; each takes a little more. */
    enum { FIT = 512 / 16 - 1, MANY = FIT + 2 };
    struct forged f[MANY];
    size_t believed = 0, refused = 0;
    char name[16];
    struct watch w;

    publishing_dir();
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "many%d", i);
        forge_region(&f[i], name);
        put_at(&f[i], 24, PL_REGION_MAX_SIZE);
    }
    swollen = true;
    watch_begin(&w);
    for (size_t i = 0; i < pl_regions_num(w.regions); i++) {
        const struct pl_region *g = pl_regions_at(w.regions, i);

        believed += g->table != NULL;
        refused += !g->table && g->reason == PL_REASON_LIMIT;
    }
    ck_assert_uint_eq(believed, FIT);
    ck_assert_uint_eq(refused, MANY - FIT);
    swollen = false;
    watch_end(&w);
    for (int i = 0; i < MANY; i++)
        discard_region(&f[i]);
}
END_TEST

/* Where there is time for some only, they are others in each sample. */
START_TEST(who_had_no_turn_has_one_in_the_next_samples)
{
    enum { MANY = 40, SCANS = 4 };
    struct pl_prov *p[MANY];
    unsigned turns[MANY] = { 0 }, in_one;
    char name[16];
    struct watch w;

    publishing_dir();
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "many%d", i);
        p[i] = publish(name);
    }
    watch_begin(&w);
    ck_assert_uint_eq(pl_regions_num(w.regions), MANY);
    w.regions->budget_ns = 0;
    for (int k = 0; k < SCANS; k++) {
        in_one = 0;
        watch_scan(&w);
        for (size_t i = 0; i < MANY; i++) {
            const struct pl_region *g = pl_regions_at(w.regions, i);
            bool had = g->image.copies[0].copied != PL_COPIED_NONE;

            turns[i] += had;
            in_one += had;
        }
        ck_assert(in_one > 0 && in_one < MANY);
    }
    for (size_t i = 0; i < MANY; i++)
        ck_assert_msg(turns[i] > 0, "number %zu had none", i);
    watch_end(&w);
    for (int i = 0; i < MANY; i++)
        pl_prov_close(p[i]);
}
END_TEST

/* At exit, where threads may go on counting. */
START_TEST(what_says_that_it_is_closed_is_final_though_it_is_held)
{
    struct forged f;
    struct watch w;

    forge_region(&f, "exiting");
    put_at(&f, 160, PL_REGION_CLOSED);
    watch_begin(&w);
    watch_scan(&w);
    ck_assert_int_eq(watch_region(&w, "exiting")->state, PL_STATE_FINAL);
    watch_scan(&w);
    ck_assert_ptr_null(watch_find(&w, "exiting"));
    discard_region(&f);
    watch_end(&w);
}
END_TEST

START_TEST(a_region_that_begins_to_lie_is_no_longer_believed)
{
    static hurt *const later[] = { shrunk, empty, grown };
    static const enum pl_region_reason reasons[] = { PL_REASON_TRUNCATED,
                                                     PL_REASON_TRUNCATED,
                                                     PL_REASON_SIZE };
    struct forged f;
    struct watch w;

    forge_region(&f, "turncoat");
    watch_begin(&w);
    watch_scan(&w);
    ck_assert_int_eq(watch_region(&w, "turncoat")->state, PL_STATE_LIVE);
    later[_i](&f);
    watch_scan(&w);
    ck_assert_int_eq(watch_region(&w, "turncoat")->state, PL_STATE_INVALID);
    ck_assert_int_eq(watch_region(&w, "turncoat")->reason, reasons[_i]);
    discard_region(&f);
    watch_end(&w);
}
END_TEST

#ifndef __SANITIZE_THREAD__
START_TEST(a_file_cut_while_it_is_copied_is_survived)
{
    struct forged f;
    struct watch w;
    struct pl_region *g;

    forge_region(&f, "cut");
    watch_begin(&w);
    watch_scan(&w);
    g = watch_region(&w, "cut");
    empty(&f); /* after the look at its size */
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(
            pl_region_copy_values(g, pl_regions_tables(w.regions), INT64_MAX),
            PL_REASON_TRUNCATED);
    discard_region(&f);
    watch_end(&w);
}
END_TEST
#endif

START_TEST(sigbus_elsewhere_is_as_deadly_as_ever)
{
    struct forged f;
    struct watch w;
    pid_t child;
    int status;

    forge_region(&f, "cut");
    watch_begin(&w);
    watch_scan(&w);
    child = fork();
    if (!child) {
        volatile uint8_t *map =
            mmap(NULL, f.len, PROT_READ, MAP_SHARED, f.fd, 0);

        ck_assert_ptr_nonnull(freopen("/dev/null", "w", stderr));
        signal(SIGALRM, SIG_DFL);
        alarm(300); /* it might come again for ever */
        empty(&f);
        (void)map[0];
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(!WIFEXITED(status) || WEXITSTATUS(status) != 0);
    ck_assert(!WIFSIGNALED(status) || WTERMSIG(status) == SIGBUS);
    discard_region(&f);
    watch_end(&w);
}
END_TEST

START_TEST(every_byte_may_be_wrong)
{
    struct forged f;
    uint64_t seed = 1;

    forge_region(&f, "mutant");
    for (size_t at = 0; at < f.len; at += 1 + (seed >> 60)) {
        struct watch w;
        uint8_t byte;

        seed = seed * 6364136223846793005u + 1442695040888963407u;
        byte = f.bytes[at] ^ (uint8_t)(1 << (seed >> 61));
        ck_assert_int_eq(pwrite(f.fd, &byte, 1, (off_t)at), 1);
        if (at >= 256 && seed >> 63)
            rehash(&f);
        watch_begin(&w);
        watch_scan(&w);
        ck_assert_ptr_nonnull(watch_find(&w, "mutant"));
        watch_end(&w);
        ck_assert_int_eq(pwrite(f.fd, f.bytes, f.len, 0), (ssize_t)f.len);
    }
    discard_region(&f);
}
END_TEST

START_TEST(what_is_no_file_is_not_opened)
{
    static const char names[][40] = { "link.1.0000000000000001.plr",
                                      "fifo.1.0000000000000002.plr",
                                      "dir.1.0000000000000003.plr",
                                      "hard.1.0000000000000004.plr" };
    const char *dir;
    struct watch w;
    struct pl_prov *p = publish("target");

    dir = publishing_dir();
    ck_assert_int_eq(symlink(pl_prov_path(p), path_in(dir, names[0])), 0);
    ck_assert_int_eq(mkfifo(path_in(dir, names[1]), 0640), 0);
    ck_assert_int_eq(mkdir(path_in(dir, names[2]), 0750), 0);
    write_file(path_in(dir, "other"), "x", 1);
    ck_assert_int_eq(link(path_in(dir, "other"), path_in(dir, names[3])), 0);
    write_file(path_in(dir, "\x1b[2J.plr"), "x", 1);
    watch_begin(&w);
    watch_scan(&w);
    for (size_t i = 0; i < 4; i++) {
        char program[8] = "";

        memcpy(program, names[i], strcspn(names[i], "."));
        ck_assert_int_eq(watch_region(&w, program)->reason, PL_REASON_FILE);
    }
    ck_assert_uint_eq(pl_regions_num(w.regions), 6);
    ck_assert_int_eq(watch_region(&w, "target")->state, PL_STATE_LIVE);
    ck_assert_int_eq(rmdir(path_in(dir, names[2])), 0);
    watch_end(&w);
    pl_prov_close(p);
}
END_TEST

START_TEST(a_crowd_of_untrusted_files_takes_no_more_than_its_places)
{
    struct pl_prov *p = publish("early");
    struct watch w;
    char name[64];

    if (geteuid() != 0) {
        fprintf(stderr, "skipped: only root can make others' files\n");
        return;
    }
    for (unsigned i = 0; i < 10000; i++) {
        snprintf(name, sizeof name, "crowd.1.%016x.plr", i);
        write_file(path_in(publishing_dir(), name), "x", 1);
        ck_assert_int_eq(chown(path_in(publishing_dir(), name), 12345, 12345),
                         0);
    }
    watch_begin(&w);
    for (int i = 0; i < 5; i++)
        watch_scan(&w);
    ck_assert_uint_le(pl_regions_num(w.regions), 100);
    ck_assert_int_eq(watch_region(&w, "early")->state, PL_STATE_LIVE);
    watch_end(&w);
    pl_prov_close(p);
}
END_TEST

static void be_notified(void)
{
    watch_is_notified = true;
}

static void ask_all(void)
{
    watch_is_notified = false;
}

static TCase *lives_case(const char *name, SFun way)
{
    TCase *lives = tcase_create(name);

    tcase_add_checked_fixture(lives, way, NULL);
    tcase_add_test(
        lives, the_last_counts_of_the_dead_are_read_once_and_the_file_removed);
    tcase_add_test(lives, who_died_before_the_recorder_came_is_read_too);
    tcase_add_test(lives,
                   what_is_closed_is_read_once_more_though_its_file_is_gone);
    tcase_add_test(lives, a_stopped_process_is_alive);
    tcase_add_test(lives,
                   what_processes_do_to_descriptors_does_not_end_their_life);
    tcase_add_test(lives, a_forked_child_does_not_keep_its_dead_parent_alive);
    tcase_add_test(lives, exec_ends_a_region_as_death_does);
    tcase_add_test(lives, what_was_left_half_made_is_removed);
    tcase_add_test(lives, a_group_that_never_ends_is_told_and_holds_up_nobody);
    tcase_add_test(lives,
                   a_group_of_the_region_that_never_ends_is_one_of_all_sets);
    return lives;
}

static TCase *liars_case(const char *name, SFun way)
{
    TCase *liars = tcase_create(name);

    tcase_add_checked_fixture(liars, way, NULL);
    tcase_add_loop_test(liars, each_lie_is_refused_with_its_reason, 0,
                        sizeof lies / sizeof *lies);
    tcase_add_test(liars, the_same_bytes_with_other_counts_are_another_table);
    tcase_add_test(liars,
                   a_file_that_is_another_once_it_is_open_is_not_believed);
    tcase_add_test(liars,
                   a_file_that_took_the_place_of_a_dead_one_is_not_removed);
    tcase_add_test(liars, all_regions_together_are_no_longer_than_their_limit);
    tcase_add_test(liars, who_had_no_turn_has_one_in_the_next_samples);
    tcase_add_test(liars,
                   what_says_that_it_is_closed_is_final_though_it_is_held);
    tcase_add_loop_test(
        liars, a_region_that_begins_to_lie_is_no_longer_believed, 0, 3);
#ifndef __SANITIZE_THREAD__ /* which takes a signal amid an atomic for its own */
    tcase_add_test(liars, a_file_cut_while_it_is_copied_is_survived);
#endif
    tcase_add_test(liars, sigbus_elsewhere_is_as_deadly_as_ever);
    tcase_add_test(liars, what_is_no_file_is_not_opened);
    tcase_add_test(liars,
                   a_crowd_of_untrusted_files_takes_no_more_than_its_places);
    return liars;
}

int main(void)
{
    TCase *bytes = tcase_create("bytes");
    TCase *const tcases[] = { bytes,
                              lives_case("lives", be_notified),
                              lives_case("lives, all asked", ask_all),
                              liars_case("liars", be_notified),
                              liars_case("liars, all asked", ask_all),
                              NULL };

    /* To end being told takes the kernel 30 ms, and there are many bytes. */
    tcase_add_checked_fixture(bytes, ask_all, NULL);
    tcase_add_test(bytes, every_byte_may_be_wrong);
    return run_suite("linux_regions", tcases);
}
