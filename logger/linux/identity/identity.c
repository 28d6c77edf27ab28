/* Finds processes that are new or changed, and reads what identifies them. */
#include "logger/linux/identity/identity.h"

#include "format/base/array.h"
#include "format/base/file.h"
#include "format/time/time_text.h"
#include "format/payload/process_identity.h"
#include "logger/linux/machine/machine.h"
#include "logger/linux/machine/procfs.h"
#include "logger/linux/identity/bounded_read.h"
#include "logger/linux/identity/identity_ended.h"
#include "logger/linux/identity/identity_files.h"
#include "logger/linux/processes/proc_files.h"
#include "logger/linux/processes/process.h"
#include "logger/linux/processes/tasks.h"
#include "logger/linux/identity/user_names.h"

#include <stdlib.h>
#include <string.h>

#define AGAIN_NS (60 * PL_NS_PER_SEC)

enum { MAX_HANGS = 2 }; /* then it has no command line */

/* What was seen of a process when it was last read. */
struct seen {
    uint64_t pid, started;
    uint64_t program;
    uint32_t user;
    uint32_t name; /* hash */
    uint32_t times;
    uint32_t hangs; /* of its command line, which was not read in time */
    bool is_read;
    bool is_new; /* not in the last sample */
    int64_t read_ns;
};

struct list {
    struct seen *list; /* by pid, as the rows */
    size_t num, cap;
    size_t num_unread, num_new;
};

struct pl_identity_tracker {
    struct pl_machine *machine;
    int64_t longest_ns; /* that a sample may take, with its reads */
    bool no_command_lines;
    size_t first_reads;   /* left for the processes of the beginning */
    size_t idle_reads;    /* left for those that have not done enough yet, */
    int64_t idle_ns;      /* counted until then */
    bool new_ones_wait;   /* in this sample, if they have not */
    struct list lists[2]; /* of this sample and of the last */
    size_t now;           /* index of this sample's */
    uint64_t last_pid;    /* the last process that was read */
    struct pl_identity_budget budget;
    struct pl_identity_ended ended;
    struct pl_user_names users;
    struct pl_identity_room room;
    struct pl_bounded_reader reader;
    struct pl_bounded_texts command_lines;
};

/* Processes that are read together. */
struct batch {
    size_t num;
    size_t rows[PL_BOUNDED_READ_FILES];
    int command_lines[PL_BOUNDED_READ_FILES];
    enum pl_bounded_result result;
    size_t num_read; /* command lines */
};

enum pl_status pl_identity_tracker_new(struct pl_identity_tracker **out,
                                       struct pl_machine *m, int64_t longest_ns,
                                       bool no_command_lines)
{
    struct pl_identity_tracker *t = calloc(1, sizeof *t);

    if (!t)
        return PL_NOMEM;
    t->machine = m;
    t->longest_ns = longest_ns;
    t->first_reads = PL_IDENTITY_FIRST_READS;
    t->no_command_lines = no_command_lines;
    t->budget.reserve = t->budget.left = PL_IDENTITY_RESERVE;
    pl_identity_ended_begin(&t->ended, m, no_command_lines);
    if (m->live) /* a saved tree has users of another machine */
        t->users.path = "/etc/passwd";
    *out = t;
    return PL_OK;
}

void pl_identity_tracker_free(struct pl_identity_tracker *t)
{
    if (!t)
        return;
    free(t->lists[0].list);
    free(t->lists[1].list);
    pl_user_names_release(&t->users);
    pl_bounded_reader_release(&t->reader);
    free(t);
}

/* ---- what changed --------------------------------------------------------- */

static uint64_t mix(uint64_t h, uint64_t word)
{
    h = (h ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    return h ^ h >> 32;
}

/* That two names of one process agree in it costs a late text only. */
static uint32_t hash_of(struct pl_text text)
{
    uint64_t h = text.n, word = 0;
    size_t i = 0;

    for (; text.n - i >= sizeof word; i += sizeof word) {
        memcpy(&word, text.p + i, sizeof word);
        h = mix(h, word);
    }
    for (word = 0; i < text.n; i++)
        word = word << 8 | (uint8_t)text.p[i];
    return (uint32_t)mix(h, word);
}

static struct seen look(const struct pl_source *s, size_t i)
{
    const uint64_t *v = pl_source_rows_values(&s->rows, i);

    return (struct seen){ .pid = v[PL_P_PID],
                          .started = v[PL_P_STARTED],
                          .program = v[PL_P_PROGRAM],
                          .user = (uint32_t)v[PL_P_UID],
                          .is_new = true,
                          .name = hash_of(pl_source_rows_name(&s->rows, i)) };
}

/* A process that ends has given its memory back and shows no mark of a program: what
 * was read of it holds, and cannot be read again. */
static bool is_same_program(const struct seen *now, const struct seen *was)
{
    return (now->program == was->program || !now->program) &&
           now->user == was->user && now->name == was->name;
}

/* Carry over what the last sample knew of this process. */
static void remember(struct seen *now, const struct seen *was, int64_t now_ns)
{
    bool same = is_same_program(now, was);

    if (same)
        now->program = was->program;
    now->times = was->times;
    now->hangs = was->hangs;
    now->read_ns = was->read_ns;
    now->is_read = was->is_read && same;
    if (was->is_read && !same && was->times >= PL_IDENTITY_FREE &&
        now_ns - was->read_ns < AGAIN_NS) {
        *now = *was; /* it changes too often: not now */
    }
    now->is_new = false;
}

static bool is_unchanged(const struct seen *now, const struct seen *was)
{
    return now->pid == was->pid && now->started == was->started &&
           is_same_program(now, was);
}

/* How many of the first rows are what the last sample saw, in its order. */
static size_t num_unchanged(const struct list *was, const struct pl_source *s,
                            size_t num)
{
    size_t most = num < was->num ? num : was->num, i;

    for (i = 0; i < most; i++) {
        struct seen one = look(s, i);

        if (!is_unchanged(&one, &was->list[i]))
            break;
    }
    return i;
}

static void append(struct list *l, const struct seen *one)
{
    l->num_unread += !one->is_read;
    l->num_new += one->is_new;
    l->list[l->num++] = *one;
}

/* Compare the rows with those of the last sample.  False: no memory.  Mostly
 * all processes are there as they were, and so is the list. */
static bool compare(struct pl_identity_tracker *t, const struct pl_source *s,
                    size_t num)
{
    const struct list *was = &t->lists[t->now];
    struct list *now = &t->lists[!t->now];
    size_t same = num_unchanged(was, s, num), k = same;

    if (same == num && same == was->num && !was->num_new)
        return true;
    if (num > now->cap && !pl_array_reserve((void **)&now->list, &now->cap, num,
                                            sizeof *now->list))
        return false;
    t->now = !t->now;
    now->num = now->num_unread = now->num_new = 0;
    for (size_t i = 0; i < same; i++) {
        struct seen one = was->list[i];

        one.is_new = false;
        append(now, &one);
    }
    for (size_t i = same; i < num; i++) {
        struct seen one = look(s, i);

        while (k < was->num && was->list[k].pid < one.pid)
            k++;
        if (k < was->num && was->list[k].pid == one.pid &&
            was->list[k].started == one.started)
            remember(&one, &was->list[k], t->machine->now.boot_ns);
        append(now, &one);
    }
    return true;
}

/* ---- reading -------------------------------------------------------------- */

static size_t find_row(const struct list *l, uint64_t pid)
{
    size_t low = 0, high = l->num;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (l->list[mid].pid < pid)
            low = mid + 1;
        else
            high = mid;
    }
    return low < l->num && l->list[low].pid == pid ? low : PL_NO_ROW;
}

static uint64_t start_of(const struct pl_machine *m, uint64_t started)
{
    return pl_convert(&m->units[PL_SINCE_BOOT], started);
}

static void add_parent(const struct pl_identity_tracker *t,
                       const struct pl_source *s, const uint64_t *v,
                       struct pl_process_identity *p)
{
    const struct list *all = &t->lists[t->now];
    size_t i = v[PL_P_PARENT] ? find_row(all, v[PL_P_PARENT]) : PL_NO_ROW;

    p->parent = v[PL_P_PARENT];
    if (i == PL_NO_ROW)
        return;
    p->parent_start = start_of(t->machine, all->list[i].started);
    p->parent_name = pl_source_rows_name(&s->rows, i);
}

/* True if the rows have the effective user, which from /proc is read on request only;
 * of a saved tree they have who saved it. */
static bool rows_have_user(const struct pl_identity_tracker *t,
                           const struct pl_source *s)
{
    const struct pl_field *uid = &s->fields[PL_P_UID];

    return uid->present &&
           (t->machine->tasks || (t->machine->live && uid->wanted));
}

static struct pl_process_identity begin(const struct pl_identity_tracker *t,
                                        const struct pl_source *s,
                                        const uint64_t *v)
{
    bool has_user = rows_have_user(t, s);

    return (struct pl_process_identity){
        .pid = v[PL_P_PID],
        .start = start_of(t->machine, v[PL_P_STARTED]),
        .has_user = has_user,
        .user = has_user ? (uint32_t)v[PL_P_UID] : 0,
        .is_left_out = t->no_command_lines,
    };
}

/* True if the process of a row has its number still: then what was read by that
 * number since the walk is of no other. */
static bool is_still(struct pl_machine *m, const uint64_t *v)
{
    return pl_tasks_has_not_ended(m, v[PL_P_PID], v[PL_P_STARTED]) ||
           (m->process_files && pl_proc_files_has_number(
                                    m->process_files, (uint32_t)v[PL_P_PID])) ||
           pl_identity_files_are_of(m, v[PL_P_PID], v[PL_P_STARTED]);
}

/* It has ended: what was read may be of another process. */
static bool take_noted(struct pl_identity_tracker *t, const uint64_t *v,
                       struct pl_process_identity *p)
{
    p->executable = p->control_group = (struct pl_text){ 0 };
    return pl_identity_ended_command_line(&t->ended, v, p);
}

static void read_one(struct pl_identity_tracker *t, const struct pl_source *s,
                     struct batch *b, size_t k, struct pl_buf *out)
{
    size_t i = b->rows[k];
    const uint64_t *v = pl_source_rows_values(&s->rows, i);
    struct list *all = &t->lists[t->now];
    struct seen *seen = &all->list[i];
    struct pl_process_identity p = begin(t, s, v);
    size_t before = out->len;

    t->last_pid = seen->pid;
    pl_identity_files_read(t->machine, &t->room, &p);
    if (!is_still(t->machine, v)) {
        if (!take_noted(t, v, &p))
            return;
    } else if (k < b->num_read)
        pl_identity_set_command_line(&p, pl_bounded_text(&t->command_lines, k));
    else if (b->result == PL_BOUNDED_HUNG && ++seen->hangs < MAX_HANGS)
        return;
    if (!p.command_line.n) /* one that has ended has no memory */
        pl_identity_ended_command_line(&t->ended, v, &p);
    if (p.has_user)
        p.user_name = pl_user_names_find(&t->users, p.user);
    add_parent(t, s, v, &p);
    pl_process_identity_write(&p, out);
    if (out->oom) { /* read in a later sample */
        out->len = before;
        out->oom = false;
        return;
    }
    seen->is_read = true;
    all->num_unread--;
    seen->times++;
    seen->read_ns = t->machine->now.boot_ns;
    t->budget.left -= (int64_t)(out->len - before);
}

static void open_batch(struct pl_identity_tracker *t, const struct pl_source *s,
                       struct batch *b)
{
    b->result = PL_BOUNDED_NONE;
    b->num_read = 0;
    if (t->no_command_lines)
        return;
    for (size_t k = 0; k < b->num; k++)
        b->command_lines[k] = pl_identity_files_open(
            t->machine, pl_source_rows_values(&s->rows, b->rows[k])[PL_P_PID]);
    b->result = pl_bounded_read(&t->reader, b->command_lines, b->num,
                                &t->command_lines, &b->num_read);
    if (b->num_read)
        t->machine->bytes_read += t->command_lines.ends[b->num_read - 1];
}

/* False: command lines took long, or one hangs, which is read without if it did
 * before; no more in this sample, which is late. */
static bool read_batch(struct pl_identity_tracker *t, const struct pl_source *s,
                       struct batch *b, struct pl_buf *out)
{
    bool is_late;
    size_t end;

    open_batch(t, s, b);
    is_late = b->result == PL_BOUNDED_HUNG || b->result == PL_BOUNDED_SLOW;
    end = is_late ? b->num_read + (b->result == PL_BOUNDED_HUNG) : b->num;
    for (size_t k = 0; k < end && t->budget.left > 0; k++)
        read_one(t, s, b, k, out);
    return !is_late;
}

/* The lock of its memory map is probably held, see bounded_read.h. */
static bool can_wait(const uint64_t *v)
{
    return v[PL_P_STATE] == 'D';
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static void refill_idle_reads(struct pl_identity_tracker *t, int64_t now)
{
    const int64_t each = PL_NS_PER_SEC / PL_IDENTITY_IDLE_RATE;
    int64_t n = (now - t->idle_ns) / each;

    t->idle_reads = smaller(t->idle_reads + (size_t)n, PL_IDENTITY_READS);
    t->idle_ns += n * each;
}

/* True if it is its turn: a storm of processes that do nothing costs little.  Most of
 * it is gone by the next sample, so that what is left then has the turns. */
static bool take_turn(struct pl_identity_tracker *t, const struct seen *seen,
                      const uint64_t *v)
{
    if (t->first_reads || pl_identity_did_enough(v))
        return true;
    if (!t->idle_reads || (seen->is_new && t->new_ones_wait))
        return false;
    t->idle_reads--;
    return true;
}

/* The next that are new, at most 'most', of the rows from *n on after 'first'. */
static void fill_batch(struct pl_identity_tracker *t, const struct pl_source *s,
                       size_t first, size_t *n, size_t most, struct batch *b)
{
    const struct list *all = &t->lists[t->now];

    b->num = 0;
    most = smaller(most, PL_BOUNDED_READ_FILES);
    most = smaller(most, all->num_unread);
    for (; *n < all->num && b->num < most; ++*n) {
        size_t i = (first + *n) % all->num;
        const uint64_t *v = pl_source_rows_values(&s->rows, i);

        if (!all->list[i].is_read && !can_wait(v) &&
            take_turn(t, &all->list[i], v))
            b->rows[b->num++] = i;
    }
}

static bool has_time(const struct pl_identity_tracker *t)
{
    return pl_clock_steady() - t->machine->now.monotonic_ns < t->longest_ns;
}

/* Begin after the process read last, so that all have their turn. */
static void read_new(struct pl_identity_tracker *t, const struct pl_source *s,
                     struct pl_buf *out)
{
    const struct list *all = &t->lists[t->now];
    size_t left = t->first_reads ? t->first_reads : PL_IDENTITY_READS;
    size_t first = 0, n = 0;
    struct batch batch;
    bool is_fresh = false;

    while (all->num_unread && first < all->num &&
           all->list[first].pid <= t->last_pid)
        first++;
    while (left && t->budget.left > 0 && (!is_fresh || has_time(t))) {
        fill_batch(t, s, first, &n, left, &batch);
        t->first_reads -= smaller(batch.num, t->first_reads);
        if (!batch.num) {
            t->first_reads = 0; /* all are known */
            break;
        }
        if (!is_fresh)
            pl_user_names_refresh(&t->users);
        is_fresh = true;
        left = read_batch(t, s, &batch, out) ? left - batch.num : 0;
    }
}

/* ---- those that have ended ------------------------------------------------ */

static bool was_read(const struct list *was, const uint64_t *v)
{
    size_t i = find_row(was, v[PL_P_PID]);

    return i != PL_NO_ROW && was->list[i].started == v[PL_P_STARTED] &&
           was->list[i].is_read;
}

static void write_ended(struct pl_identity_tracker *t,
                        const struct pl_source *s, const struct list *was,
                        struct pl_buf *out)
{
    for (size_t i = t->machine->live_processes; i < s->rows.num; i++)
        if (s->rows.row[i].has_ended &&
            !was_read(was, pl_source_rows_values(&s->rows, i)))
            pl_identity_ended_write(&t->ended, s, i, &t->users, out);
}

void pl_identity_tracker_follow(struct pl_identity_tracker *t,
                                const struct pl_source *s, struct pl_buf *out)
{
    const struct list *was = &t->lists[t->now]; /* of the last sample */

    if (!compare(t, s, t->machine->live_processes))
        return;
    pl_identity_budget_refill(&t->budget, t->machine->now.boot_ns);
    refill_idle_reads(t, t->machine->now.boot_ns);
    t->new_ones_wait = t->lists[t->now].num_new > t->idle_reads;
    pl_identity_ended_next(&t->ended);
    read_new(t, s, out);
    write_ended(t, s, was, out);
}
