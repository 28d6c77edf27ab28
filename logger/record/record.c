/* The command "perflog record". */
#include "format/base/memory_limit.h"
#include "format/base/file.h"
#include "format/time/time_text.h"
#include "format/cli/message.h"
#include "format/writer/writer.h"
#include "format/time/zone.h"
#include "logger/record/clock.h"
#include "logger/record/forecast.h"
#include "logger/record/nearest_counter.h"
#include "logger/record/packer.h"
#include "logger/record/record_options.h"
#include "logger/record/sample_loop.h"
#include "logger/record/stop.h"
#include "format/threads/thread.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct pl_command pl_cmd_record;

enum { ZONE_NAME = 64 };

static void say_summary(const struct pl_record_options *p, const char *path,
                        const struct pl_sample_loop *r,
                        const struct pl_writer_stats *s)
{
    double cpu = (double)pl_clock_cpu() / 1e9;
    double begin = (double)r->begin_cpu_ns / 1e9;

    char bytes[PL_SIZE_TEXT];
    uint64_t lost = pl_sample_loop_num_lost(r, s);
    uint64_t not_written = lost - r->not_made;
    uint64_t late = s->missed - r->ring_full - r->not_made;
    char segments[48] = "";

    if (s->segments > 1)
        snprintf(segments, sizeof segments, " in %" PRIu32 " segments",
                 s->segments);
    if (!p->quiet)
        pl_say("%s: %" PRIu64 " sample%s%s, %" PRIu64 " missed, %s, "
               "%.3f s CPU time: %.3f s to start, %.2f ms a sample; %" PRIu64
               " bytes a sample",
               path, s->samples, s->samples == 1 ? "" : "s", segments,
               late + lost, pl_size_text(s->log_bytes, bytes), cpu, begin,
               (cpu - begin) * 1000 /
                   (double)(s->samples > 1 ? s->samples - 1 : 1),
               s->samples ? s->log_bytes / s->samples : 0);
    if (r->not_made)
        pl_say("%s: %" PRIu64 " sample%s could not be made", path, r->not_made,
               pl_plural(r->not_made));
    if (not_written)
        pl_say("%s: %" PRIu64 " sample%s could not be written", path,
               not_written, pl_plural(not_written));
    if (s->may_be_lost)
        pl_say("%s: forcing to disk failed %" PRIu32 " time%s; 'perflog "
               "verify' %sshows what is there",
               path, s->may_be_lost, pl_plural(s->may_be_lost),
               s->segments > 1 ? "of its folder " : "");
}

static char *join_words(int argc, char **argv)
{
    struct pl_buf line = { 0 };

    pl_buf_bytes(&line, "perflog", 7);
    for (int i = 0; i < argc; i++) {
        pl_buf_u8(&line, ' ');
        pl_buf_string(&line, argv[i]);
    }
    pl_buf_u8(&line, 0);
    if (line.oom)
        pl_buf_release(&line);
    return (char *)line.p;
}

/* Fill the SESS record; its texts are static or owned by the options. */
static void describe(struct pl_record_options *p,
                     const struct pl_sampler *sampler)
{
    static char zone[ZONE_NAME];
    struct pl_session *s = &p->writer.session;

    pl_zone_of_machine(zone, sizeof zone, &s->zone_minutes);
    s->zone = pl_text_of(zone);
    s->tool = pl_text_of("perflog " PL_VERSION);
    s->interval_ns = p->interval_ns;
    s->sync = pl_text_of(p->sync_text);
    pl_sampler_describe(sampler, s);
}

static void say_unmatched(const struct pl_record_options *p, const char *path)
{
    struct pl_buf near = { 0 };

    pl_nearest_counter(&near, &p->sampler, path);
    if (near.len && !near.oom)
        pl_say("record: nothing here matches '%s'; did you mean '%s'? 'perflog "
               "list --all' shows what is there, 'perflog list --why' what is "
               "not",
               path, (const char *)near.p);
    else
        pl_say("record: nothing here matches '%s'; 'perflog list --all' shows "
               "what is there, 'perflog list --why' what is not",
               path);
    pl_buf_release(&near);
}

static void say_lacking(void *context, size_t i, const char *near)
{
    const struct pl_record_options *p = context;

    pl_say("record: no instance matches '%s' yet%s%s%s", p->choice.texts[i],
           near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* False: a message has been printed. */
static bool open_sampler(const struct pl_record_options *p,
                         struct pl_sampler **out)
{
    const char *why = NULL;
    enum pl_status s = pl_sampler_open(out, &p->sampler, &why);

    if (s == PL_USAGE)
        say_unmatched(p, why);
    else if (s == PL_UNSUPPORTED && why && p->sampler.processes)
        pl_say("record: cannot read processes by BPF: %s", why);
    else if ((s == PL_UNSUPPORTED || s == PL_IO) && why)
        pl_say("record: %s", why);
    else if (s == PL_UNSUPPORTED)
        pl_say("record: this build cannot sample this system");
    else if (s)
        pl_say_status(p->sampler.proc ? p->sampler.proc : "/proc", s, NULL);
    return !s;
}

/* Warn of the slower way of reading processes, which costs CPU time for the
 * complete recording and would go unnoticed. */
static void report_fallback(const struct pl_sampler *sampler)
{
    const char *why = pl_sampler_fallback(sampler);

    if (why)
        pl_say("record: processes are read from /proc, at a higher cost, not "
               "by BPF: %s",
               why);
}

/* Also records the costs of objects, which give their shares. */
static enum pl_exit forecast(struct pl_record_options *p)
{
    struct pl_sampler *sampler;
    const char *why;
    enum pl_exit code;
    enum pl_status s = pl_counter_path_list_add(
        &p->choice, "+Performance Logger Source", &why);

    if (s)
        return pl_say_status("record", s, NULL);
    p->sampler.identify_at_once = true; /* else the late ones seem to be new */
    if (!open_sampler(p, &sampler))
        return PL_EXIT_FAILED;
    code = pl_forecast(sampler, p->interval_ns);
    pl_sampler_close(sampler);
    return code;
}

static void announce(const struct pl_record_options *p,
                     struct pl_sample_loop *r, const char *path)
{
    char interval[PL_DURATION_TEXT];

    pl_duration_text(p->interval_ns, interval);
    if (!p->quiet)
        pl_say("recording into %s every %s%s", path, interval,
               p->count || p->duration_ns ? "" : "; Ctrl-C ends it");
    pl_notify_open(&r->notify);
    pl_notify_send(&r->notify, "READY=1\nSTATUS=recording into %s every %s",
                   p->path, interval);
}

/* Report the result of the recording, which began in the file 'first'. */
static enum pl_exit conclude(const struct pl_record_options *p,
                             const char *first, struct pl_sample_loop *r,
                             const struct pl_write_queue_report *final,
                             enum pl_status trouble)
{
    /* Of several segments the first may have been deleted long ago. */
    const char *path = final->stats.segments > 1 ? p->path : first;
    uint64_t lost = pl_sample_loop_num_lost(r, &final->stats);

    pl_sample_loop_tell_taken_away(r, p->path, &final->stats);
    if (final->stats.ended_taken)
        pl_say("%s: another program deleted or changed it just before the end; "
               "what it held is lost",
               path);
    if (final->last) {
        errno = final->error;
        pl_say_status(path, final->last, NULL);
    }
    if (trouble)
        pl_say_status("record", trouble, NULL);
    say_summary(p, path, r, &final->stats);
    if (trouble || (!final->stats.samples && (final->last || lost)))
        return PL_EXIT_FAILED;
    return final->last || final->stats.may_be_lost ||
                   final->stats.ended_taken || lost
               ? PL_EXIT_DAMAGED
               : PL_EXIT_GOOD;
}

/* For a log of segments, unless the user or the system is against it. */
static enum pl_status make_packer(const struct pl_record_options *p,
                                  struct pl_packer **out)
{
    bool rotates = p->writer.max_size || p->writer.max_time_ns;

    return rotates && !p->never_pack ? pl_packer_new(out, p->path) : PL_OK;
}

/* Open sampler and log, run the sampling loop, close both. */
static enum pl_exit record(struct pl_record_options *p)
{
    struct pl_sample_loop r = { 0 };
    struct pl_write_queue_report final;
    struct pl_writer *writer;
    struct pl_packer *packer = NULL;
    enum pl_end_reason reason;
    enum pl_status s, trouble;
    const char *why = NULL;
    enum pl_exit code;
    char *path;

    pl_memory_return_freed();
    if (!open_sampler(p, &r.sampler))
        return PL_EXIT_FAILED;
    describe(p, r.sampler);
    report_fallback(r.sampler);
    s = pl_writer_open(&writer, p->path, &p->writer, &why);
    if (s) {
        code = pl_say_status(p->path, s, why);
        pl_sampler_close(r.sampler);
        return code == PL_EXIT_UNREADABLE ? PL_EXIT_FAILED : code;
    }
    pl_thread_be_prompt(); /* the writing thread as well */
    path = strdup(pl_writer_path(writer));
    s = path ? make_packer(p, &packer) : PL_NOMEM;
    if (!s)
        s = pl_write_queue_start(&r.spool, writer, packer);
    if (s) {
        pl_say_status("record", s, NULL);
        pl_packer_end(packer);
        pl_writer_close(writer, PL_END_ERROR, NULL);
        pl_sampler_close(r.sampler);
        free(path);
        return PL_EXIT_FAILED;
    }
    announce(p, &r, path);
    if (!p->quiet) /* what is started later may match, so this is no error */
        pl_find_lacking_instances(&p->sampler, say_lacking, p);
    r.begin_cpu_ns = pl_clock_cpu();
    reason = pl_sample_loop_run(&r, p, &trouble);
    pl_notify_send(&r.notify, "STOPPING=1");
    pl_notify_close(&r.notify);
    pl_write_queue_stop(r.spool, reason, &final);
    code = conclude(p, path, &r, &final, trouble);
    pl_sampler_close(r.sampler);
    pl_sample_loop_release(&r);
    free(path);
    return code;
}

static enum pl_exit run_record(const struct pl_command *self, int argc,
                               char **argv)
{
    struct pl_record_options p;
    char *command_line = join_words(argc, argv); /* getopt permutes argv */
    enum pl_exit code;
    int option = pl_record_options_read(&p, self, argc, argv);

    if (option == PL_OPTION_END) {
        if (p.store_command_line)
            p.writer.session.command_line = pl_text_of(command_line);
        pl_stop_catch(p.writer.max_size || p.writer.max_time_ns);
        code = p.forecast ? forecast(&p) : record(&p);
    } else {
        code = option == PL_OPTION_HELP ? PL_EXIT_GOOD : PL_EXIT_FAILED;
    }
    pl_record_options_release(&p);
    free(command_line);
    pl_stop_release();
    return code;
}

const struct pl_command pl_cmd_record = {
    .name = "record",
    .summary = "Sample this machine into a log until interrupted",
    .usage = "[OPTION...] OUT.plog | --forecast [OPTION...]",
    .options = pl_record_option_table,
    .num_options = PL_NUM_RECORD_OPTIONS,
    .notes =
        "A log that exists is continued. With --max-size or --max-time the\n"
        "segments are called OUT-YYYYmmddTHHMMSSZ-NNN.plog; HUP begins a new "
        "one.\n"
        "Exit status: 0 good, 1 could not record, 2 samples were lost.",
    .unlimited = true,
    .run = run_record,
};
