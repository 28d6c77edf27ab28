/* Listens to taskstats' messages of threads that end. */
#include "logger/linux/processes/taskstats.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/acct.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/taskstats.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef SO_MEMINFO
#define SO_MEMINFO 55
#endif
#ifndef AGROUP
#define AGROUP 0x20
#endif

/* Headers before Linux 5.19 lack the last two members. */
#define OFFSET_TGID (offsetof(struct taskstats, thrashing_delay_total) + 32)
#define OFFSET_TGETIME (OFFSET_TGID + 8)
#if TASKSTATS_VERSION >= 12
_Static_assert(OFFSET_TGID == offsetof(struct taskstats, ac_tgid) &&
                   OFFSET_TGETIME == offsetof(struct taskstats, ac_tgetime),
               "as in the kernel's header");
#endif

enum {
    MIN_VERSION = 12,
    STATS = OFFSET_TGETIME + 8, /* bytes that are used */
    BATCH = 64,
    MESSAGE = 2048,    /* two structures of the future */
    ROOM = 16 << 20,   /* of the receive buffer; the kernel doubles it */
    MEMINFO_DROPS = 8, /* index of SK_MEMINFO_DROPS, linux/sock_diag.h */
    NUM_MEMINFO = 9,
    CPU_LIST = 256,
    NS_PER_US = 1000,
    LONGEST_TICK = 10000000, /* ns */
    TOO_OLD = -1,            /* beside the numbers of errno, as is the next */
    ELSEWHERE = -2,
};

union stats {
    struct taskstats t;
    uint8_t bytes[STATS > sizeof(struct taskstats) ? STATS
                                                   : sizeof(struct taskstats)];
};

struct pl_taskstats {
    int fd;
    uint16_t family;
    uint32_t sequence;
    char cpus[CPU_LIST]; /* that it listens to */
    uint64_t lost;       /* cut or of another form */
    uint32_t drops;      /* the kernel's count, when last read */
    uint64_t dropped;
    struct mmsghdr messages[BATCH];
    struct iovec parts[BATCH];
    _Alignas(8) uint8_t room[BATCH][MESSAGE];
};

/* ---- attributes ---------------------------------------------------------- */

struct attribute {
    uint16_t type;
    const uint8_t *p;
    size_t n;
};

/* Take the first attribute off 'n' bytes; false: there is none that fits. */
static bool next_attribute(const uint8_t **p, size_t *n, struct attribute *out)
{
    struct nlattr head;
    size_t step;

    if (*n < sizeof head)
        return false;
    memcpy(&head, *p, sizeof head);
    if (head.nla_len < sizeof head || head.nla_len > *n)
        return false;
    out->type = (uint16_t)(head.nla_type & (unsigned)NLA_TYPE_MASK);
    out->p = *p + sizeof head;
    out->n = head.nla_len - sizeof head;
    step = NLA_ALIGN(head.nla_len);
    step = step < *n ? step : *n;
    *p += step;
    *n -= step;
    return true;
}

static bool find_attribute(const uint8_t *p, size_t n, uint16_t type,
                           struct attribute *out)
{
    while (next_attribute(&p, &n, out))
        if (out->type == type)
            return true;
    return false;
}

/* The attributes after both headers of a message of generic netlink. */
static bool body_of(const void *message, size_t n, uint16_t type,
                    uint8_t command, struct attribute *out)
{
    enum { HEADS = NLMSG_HDRLEN + GENL_HDRLEN };
    struct genlmsghdr genl;
    struct nlmsghdr head;

    if (n < HEADS)
        return false;
    memcpy(&head, message, sizeof head);
    memcpy(&genl, (const uint8_t *)message + NLMSG_HDRLEN, sizeof genl);
    if (head.nlmsg_type != type || genl.cmd != command ||
        head.nlmsg_len < HEADS || head.nlmsg_len > n)
        return false;
    out->p = (const uint8_t *)message + HEADS;
    out->n = head.nlmsg_len - HEADS;
    return true;
}

/* ---- one message --------------------------------------------------------- */

/* The structure in an attribute of one of both kinds. */
static bool find_stats(const struct attribute *body, uint16_t kind,
                       union stats *out)
{
    struct attribute outer, inner;

    if (!find_attribute(body->p, body->n, kind, &outer) ||
        !find_attribute(outer.p, outer.n, TASKSTATS_TYPE_STATS, &inner) ||
        inner.n < STATS)
        return false;
    memcpy(out->bytes, inner.p, STATS);
    return out->t.version >= MIN_VERSION;
}

/*
 * The kernel adds to the run time at ticks and switches.  A thread that has
 * waited for nothing but a processor has run for the rest of its life; another
 * one, for half of the time between two switches, as it seems.
 */
static uint64_t find_unseen(const struct taskstats *t)
{
    uint64_t lived = t->ac_etime * NS_PER_US;
    uint64_t known = t->cpu_run_virtual_total + t->cpu_delay_total;
    uint64_t most = lived > known ? lived - known : 0;
    uint64_t half = t->cpu_run_virtual_total / (t->nvcsw + t->nivcsw + 1) / 2;

    if (t->nvcsw && half < most)
        most = half;
    return most < LONGEST_TICK ? most : LONGEST_TICK;
}

static void fill_sums(const struct taskstats *t, struct pl_task_sums *s)
{
    const uint64_t io[PL_TASK_IO_WORDS] = {
        t->read_char,
        t->write_char,
        t->read_syscalls,
        t->write_syscalls,
        t->read_bytes,
        t->write_bytes,
        t->cancelled_write_bytes,
    };

    s->run_time = t->cpu_run_virtual_total;
    s->utime = t->ac_utime * NS_PER_US;
    s->stime = t->ac_stime * NS_PER_US;
    s->unseen = find_unseen(t);
    s->minflt = t->ac_minflt;
    s->majflt = t->ac_majflt;
    s->nvcsw = t->nvcsw;
    s->nivcsw = t->nivcsw;
    s->run_delay = t->cpu_delay_total;
    memcpy(s->io, io, sizeof io);
}

static void fill_thread(const union stats *from, struct pl_thread_end *x)
{
    const struct taskstats *t = &from->t;
    uint64_t lived_us;

    *x = (struct pl_thread_end){
        .tid = t->ac_pid,
        .parent = t->ac_ppid,
        .uid = t->ac_uid,
        .status = t->ac_exitcode,
        .nice = (int8_t)t->ac_nice,
        .is_last = (t->ac_flag & AGROUP) != 0,
        .max_rss = t->hiwater_rss << 10,
        .blkio_delay = t->blkio_delay_total,
    };
    memcpy(&x->pid, from->bytes + OFFSET_TGID, sizeof x->pid);
    memcpy(&lived_us, from->bytes + OFFSET_TGETIME, sizeof lived_us);
    x->lived_ns = lived_us * NS_PER_US;
    memcpy(x->comm, t->ac_comm, sizeof x->comm - 1);
    fill_sums(t, &x->sums);
}

bool pl_taskstats_parse(const void *message, size_t n, uint16_t family,
                        struct pl_thread_end *out)
{
    struct attribute body;
    union stats s;

    if (!body_of(message, n, family, TASKSTATS_CMD_NEW, &body) ||
        !find_stats(&body, TASKSTATS_TYPE_AGGR_PID, &s))
        return false;
    fill_thread(&s, out);
    if (find_stats(&body, TASKSTATS_TYPE_AGGR_TGID, &s)) {
        out->group_run_time = s.t.cpu_run_virtual_total;
        out->group_run_delay = s.t.cpu_delay_total;
    }
    return out->pid != 0;
}

/* ---- requests ------------------------------------------------------------ */

/* Send one attribute to a family.  False, and errno. */
static bool ask(struct pl_taskstats *t, uint16_t family, uint8_t command,
                uint16_t type, const void *value, size_t n)
{
    struct {
        struct nlmsghdr head;
        struct genlmsghdr genl;
        struct nlattr attribute;
        uint8_t value[CPU_LIST];
    } m = { .head = { .nlmsg_type = family,
                      .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK,
                      .nlmsg_seq = ++t->sequence },
            .genl = { .cmd = command, .version = 1 },
            .attribute = { .nla_type = type } };
    size_t heads = sizeof m - sizeof m.value;

    memcpy(m.value, value, n);
    m.attribute.nla_len = (uint16_t)(sizeof m.attribute + n);
    m.head.nlmsg_len = (uint32_t)(heads + n);
    return send(t->fd, &m, m.head.nlmsg_len, 0) >= 0;
}

/*
 * The answer's error, 0 for none: the kernel has put it there when send()
 * returns.  The body of what precedes it goes to *body.  Messages of threads
 * that end may come first.
 */
static int answer(struct pl_taskstats *t, uint16_t type, uint8_t command,
                  struct attribute *body)
{
    for (;;) {
        ssize_t n = recv(t->fd, t->room[0], MESSAGE, MSG_DONTWAIT);
        struct nlmsghdr head;
        int error;

        if (n < 0 && errno == EINTR)
            continue;
        if (n < (ssize_t)NLMSG_HDRLEN)
            return n < 0 ? errno : EPROTO;
        memcpy(&head, t->room[0], sizeof head);
        if (head.nlmsg_seq != t->sequence)
            continue;
        if (body && body_of(t->room[0], (size_t)n, type, command, body)) {
            memcpy(t->room[1], t->room[0], MESSAGE);
            body->p += MESSAGE;
        } else if (head.nlmsg_type == NLMSG_ERROR &&
                   (size_t)n >= NLMSG_HDRLEN + sizeof error) {
            memcpy(&error, t->room[0] + NLMSG_HDRLEN, sizeof error);
            return -error;
        }
    }
}

static int find_family(struct pl_taskstats *t)
{
    static const char name[] = TASKSTATS_GENL_NAME;
    struct attribute body = { 0 }, id;
    int error = ask(t, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_NAME,
                    name, sizeof name)
                    ? answer(t, GENL_ID_CTRL, CTRL_CMD_NEWFAMILY, &body)
                    : errno;

    if (error)
        return error;
    if (!find_attribute(body.p, body.n, CTRL_ATTR_FAMILY_ID, &id) ||
        id.n < sizeof t->family)
        return EPROTO;
    memcpy(&t->family, id.p, sizeof t->family);
    return 0;
}

static int listen_to(struct pl_taskstats *t, uint16_t how)
{
    if (!ask(t, t->family, TASKSTATS_CMD_GET, how, t->cpus,
             strlen(t->cpus) + 1))
        return errno;
    return answer(t, 0, 0, NULL);
}

/* ---- opening ------------------------------------------------------------- */

/* All that may ever be there: those switched on later are heard as well. */
static void find_cpus(char list[CPU_LIST])
{
    int fd = open("/sys/devices/system/cpu/possible", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, list, CPU_LIST - 1) : -1;

    if (fd >= 0)
        close(fd);
    if (n > 0)
        list[n - (list[n - 1] == '\n')] = 0;
    else
        snprintf(list, CPU_LIST, "0-%ld", sysconf(_SC_NPROCESSORS_CONF) - 1);
}

static void prepare(struct pl_taskstats *t)
{
    int room = ROOM, on = 1;

    if (setsockopt(t->fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room))
        setsockopt(t->fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
    /* What is lost is counted below; one loss is to cause no others. */
    setsockopt(t->fd, SOL_NETLINK, NETLINK_NO_ENOBUFS, &on, sizeof on);
    for (size_t i = 0; i < BATCH; i++) {
        t->parts[i] = (struct iovec){ t->room[i], MESSAGE };
        t->messages[i].msg_hdr =
            (struct msghdr){ .msg_iov = &t->parts[i], .msg_iovlen = 1 };
    }
    find_cpus(t->cpus);
}

static const char *reason_of(int error)
{
    switch (error) {
    case ENOENT:
        return "this kernel has none";
    case EPERM:
    case EACCES:
        return "not permitted; it takes CAP_NET_ADMIN";
    case ELSEWHERE:
        return "it sends to another network namespace";
    case TOO_OLD:
        return "it takes Linux 5.19 or later";
    case EINVAL:
        return "not for a process in a pid or user namespace of its own";
    default:
        return strerror(error);
    }
}

static void *end_at_once(void *nothing)
{
    return nothing;
}

/*
 * A thread of this process ends, and its message must be there: the kernel lets
 * a process in another network namespace register, too, and sends it nothing.
 */
static int check_messages(struct pl_taskstats *t)
{
    const uint32_t pid = (uint32_t)getpid();
    pthread_t thread;
    ssize_t n;
    int error = pthread_create(&thread, NULL, end_at_once, NULL);

    if (error)
        return error;
    pthread_join(thread, NULL);
    while ((n = recv(t->fd, t->room[0], MESSAGE, MSG_DONTWAIT)) >= 0 ||
           errno == EINTR) {
        struct pl_thread_end x;

        if (n > 0 && !pl_taskstats_parse(t->room[0], (size_t)n, t->family, &x))
            return TOO_OLD;
        if (n > 0 && x.pid == pid)
            return 0;
    }
    return ELSEWHERE;
}

static int begin(struct pl_taskstats *t)
{
    int error;

    t->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
    if (t->fd < 0)
        return errno;
    prepare(t);
    error = find_family(t);
    if (!error)
        error = listen_to(t, TASKSTATS_CMD_ATTR_REGISTER_CPUMASK);
    if (!error)
        error = check_messages(t);
    return error;
}

enum pl_status pl_taskstats_open(struct pl_taskstats **out, const char **why)
{
    struct pl_taskstats *t = calloc(1, sizeof *t);
    int error;

    if (!t)
        return PL_NOMEM;
    error = begin(t);
    if (error) {
        *why = reason_of(error);
        pl_taskstats_close(t);
        return PL_UNSUPPORTED;
    }
    *out = t;
    return PL_OK;
}

void pl_taskstats_close(struct pl_taskstats *t)
{
    if (!t)
        return;
    if (t->fd >= 0) {
        if (t->family)
            listen_to(t, TASKSTATS_CMD_ATTR_DEREGISTER_CPUMASK);
        close(t->fd);
    }
    free(t);
}

/* ---- taking -------------------------------------------------------------- */

static void count_drops(struct pl_taskstats *t)
{
    uint32_t info[NUM_MEMINFO] = { 0 };
    socklen_t n = sizeof info;

    if (getsockopt(t->fd, SOL_SOCKET, SO_MEMINFO, info, &n) || n < sizeof info)
        return;
    t->dropped += info[MEMINFO_DROPS] - t->drops; /* it wraps */
    t->drops = info[MEMINFO_DROPS];
}

unsigned pl_taskstats_take(struct pl_taskstats *t,
                           void (*take)(void *context,
                                        const struct pl_thread_end *x),
                           void *context)
{
    unsigned calls = 1;
    int n;

    for (size_t taken = 0; taken < PL_TASKSTATS_MOST; taken += (size_t)n) {
        struct pl_thread_end x;

        calls++;
        n = recvmmsg(t->fd, t->messages, BATCH, MSG_DONTWAIT, NULL);
        if (n <= 0)
            break;
        for (int i = 0; i < n; i++)
            if (pl_taskstats_parse(t->room[i], t->messages[i].msg_len,
                                   t->family, &x))
                take(context, &x);
            else
                t->lost++;
    }
    count_drops(t);
    return calls;
}

uint64_t pl_taskstats_lost(const struct pl_taskstats *t)
{
    return t->lost + t->dropped;
}
