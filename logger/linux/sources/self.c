/* The recorder's own statistics, and the kernel's about its process. */
#include "logger/linux/machine/machine.h"
#include "logger/linux/machine/proctext.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* clang-format off */
enum {
    CPU_TIME, USER_US, SYSTEM_US, MINFLT, MAJFLT, NVCSW, NIVCSW, RESIDENT,
    MAXRSS, PID, STARTED, SAMPLES_WRITTEN, SAMPLES_MISSED,
    SAMPLES_NOT_WRITTEN, SAMPLES_TAKEN, LATENESS, LAST_LATENESS_US,
    COLLECTION, LAST_COLLECTION_US, ENCODING, WRITE, NUM_WRITES, SYNC,
    NUM_SYNCS, BLOCK_BYTES, LOG_BYTES, FILE_BYTES, SYSTEM_CALLS, READ_ERRORS,
    INSTANCES, FREE_BYTES, EXITS_LOST, NUM_FIELDS
};
/* clang-format on */

static const struct pl_field fields[NUM_FIELDS] = {
    [CPU_TIME] = PL_FIELD("cpu_time"), /* times in 100 ns unless noted */
    [USER_US] = PL_FIELD("user_us"),
    [SYSTEM_US] = PL_FIELD("system_us"),
    [MINFLT] = PL_FIELD("minflt"),
    [MAJFLT] = PL_FIELD("majflt"),
    [NVCSW] = PL_FIELD("nvcsw"),
    [NIVCSW] = PL_FIELD("nivcsw"),
    [RESIDENT] = PL_FIELD("resident"), /* pages */
    [MAXRSS] = PL_FIELD("maxrss"),     /* KiB */
    [PID] = PL_FIELD("pid"),
    [STARTED] = PL_FIELD("started"), /* object clock */
    [SAMPLES_WRITTEN] = PL_FIELD("samples_written"),
    [SAMPLES_MISSED] = PL_FIELD("samples_missed"),
    [SAMPLES_NOT_WRITTEN] = PL_FIELD("samples_not_written"),
    [SAMPLES_TAKEN] = PL_FIELD("samples_taken"),
    [LATENESS] = PL_FIELD("lateness"),
    [LAST_LATENESS_US] = PL_FIELD("last_lateness_us"),
    [COLLECTION] = PL_FIELD("collection"),
    [LAST_COLLECTION_US] = PL_FIELD("last_collection_us"),
    [ENCODING] = PL_FIELD("encoding"),
    [WRITE] = PL_FIELD("write"),
    [NUM_WRITES] = PL_FIELD("num_writes"),
    [SYNC] = PL_FIELD("sync"),
    [NUM_SYNCS] = PL_FIELD("num_syncs"),
    [BLOCK_BYTES] = PL_FIELD("block_bytes"),
    [LOG_BYTES] = PL_FIELD("log_bytes"),
    [FILE_BYTES] = PL_FIELD("file_bytes"),
    [SYSTEM_CALLS] = PL_FIELD("system_calls"),
    [READ_ERRORS] = PL_FIELD("read_errors"),
    [INSTANCES] = PL_FIELD("instances"),
    [FREE_BYTES] = PL_FIELD("free_bytes"),
    [EXITS_LOST] = PL_FIELD("exits_lost"), /* if ends of processes are seen */
};

struct self {
    struct pl_source base;
    struct pl_procfile *statm;
    uint32_t pid;
};

static void from_kernel(uint64_t *v)
{
    struct timespec cpu = { 0, 0 };
    struct rusage usage = { .ru_maxrss = 0 };

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
    getrusage(RUSAGE_SELF, &usage);
    v[CPU_TIME] =
        (uint64_t)cpu.tv_sec * PL_PERF_FREQ + (uint64_t)cpu.tv_nsec / 100;
    v[USER_US] = (uint64_t)usage.ru_utime.tv_sec * 1000000 +
                 (uint64_t)usage.ru_utime.tv_usec;
    v[SYSTEM_US] = (uint64_t)usage.ru_stime.tv_sec * 1000000 +
                   (uint64_t)usage.ru_stime.tv_usec;
    v[MINFLT] = (uint64_t)usage.ru_minflt;
    v[MAJFLT] = (uint64_t)usage.ru_majflt;
    v[NVCSW] = (uint64_t)usage.ru_nvcsw;
    v[NIVCSW] = (uint64_t)usage.ru_nivcsw;
    v[MAXRSS] = (uint64_t)usage.ru_maxrss;
}

static void from_recorder(const struct pl_logger_stats *r, uint64_t *v)
{
    v[SAMPLES_WRITTEN] = r->samples_written;
    v[SAMPLES_MISSED] = r->samples_missed;
    v[SAMPLES_NOT_WRITTEN] = r->samples_not_written;
    v[SAMPLES_TAKEN] = r->samples_taken;
    v[LATENESS] = r->lateness_100ns;
    v[LAST_LATENESS_US] = r->last_lateness_100ns / 10;
    v[COLLECTION] = r->collection_100ns;
    v[LAST_COLLECTION_US] = r->last_collection_100ns / 10;
    v[ENCODING] = r->encoding_100ns;
    v[WRITE] = r->write_100ns;
    v[NUM_WRITES] = r->num_writes;
    v[SYNC] = r->sync_100ns;
    v[NUM_SYNCS] = r->num_syncs;
    v[BLOCK_BYTES] = r->block_bytes;
    v[LOG_BYTES] = r->log_bytes;
    v[FILE_BYTES] = r->file_bytes;
    v[FREE_BYTES] = r->free_bytes;
    v[SYSTEM_CALLS] = r->system_calls;
}

/* The second number of statm. */
static bool scan_resident(struct pl_text text, uint64_t *v)
{
    struct pl_proctext line = pl_proctext_of(text);

    return text.p && pl_proctext_number(&line, v) &&
           pl_proctext_number(&line, v);
}

static enum pl_status self_read(struct pl_source *s)
{
    struct self *self = (struct self *)s;
    struct pl_machine *m = s->machine;
    uint64_t *v = pl_source_rows_add(&s->rows, (struct pl_text){ NULL, 0 });

    if (!v)
        return PL_NOMEM;
    if (s->fields[RESIDENT].present)
        pl_source_set_present(
            s, RESIDENT,
            scan_resident(pl_procfile_read(self->statm), &v[RESIDENT]));
    pl_source_set_present(s, EXITS_LOST, m->sees_exits);
    v[EXITS_LOST] = m->exits_lost;
    from_recorder(m->stats, v);
    m->system_calls += 2;
    from_kernel(v);
    v[PID] = self->pid;
    v[STARTED] = (uint64_t)m->start_100ns;
    v[SYSTEM_CALLS] += m->system_calls;
    v[READ_ERRORS] = m->read_errors;
    v[INSTANCES] = m->instances;
    return PL_OK;
}

static void self_close(struct pl_source *s)
{
    pl_source_release(s);
    free(s);
}

static enum pl_status self_open(struct pl_source **out, struct pl_machine *m,
                                const struct pl_source_kind *kind)
{
    struct self *self = calloc(1, sizeof *self);
    enum pl_status s;
    uint64_t resident;

    if (!self)
        return PL_NOMEM;
    self->pid = (uint32_t)getpid();
    s = pl_source_init(&self->base, m, kind);
    if (!s)
        s = pl_procfile_open(&self->statm, m, kind->path, kind->file_kind);
    if (s) {
        self_close(&self->base);
        return s;
    }
    self->base.fields[RESIDENT].present =
        scan_resident(pl_procfile_read(self->statm), &resident);
    *out = &self->base;
    return PL_OK;
}

const struct pl_source_kind pl_self_kind = {
    .name = "self",
    .open = self_open,
    .read = self_read,
    .close = self_close,
    .path = "self/statm",
    .file_kind = PL_IN_ONE_PIECE,
    .fields = fields,
    .num_fields = NUM_FIELDS,
};
