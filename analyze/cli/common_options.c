/* Options that commands share. */
#include "analyze/cli/common_options.h"

#include "analyze/cli/did_you_mean.h"
#include "format/base/codepage.h"
#include "format/time/time_text.h"
#include "format/time/zone.h"

#include <string.h>

enum { MOST_UNMATCHED = 10 }; /* are named one by one */

/* ---- shared options ------------------------------------------------------ */

static bool zone_wrong(const struct pl_command *c, int option, const char *arg)
{
    char near[PL_NEAR_ZONE];

    if (!*pl_did_you_mean_zone(arg, near))
        return pl_option_wrong(c, option, arg, pl_zone_wanted);
    pl_say("%s: --%s '%s': no such zone; did you mean '%s'?", c->name,
           c->options[option].name, arg, near);
    return false;
}

static bool take_zone(const struct pl_command *c, void *to, int option,
                      const char *arg)
{
    enum pl_tz *tz = to;
    enum pl_status s;

    *tz = PL_TZ_LOG;
    if (!strcmp(arg, "log"))
        return true;
    *tz = PL_TZ_GIVEN;
    s = pl_zone_set(arg);
    if (s == PL_NOMEM) {
        pl_say_status(c->name, s, NULL);
        return false;
    }
    return !s || zone_wrong(c, option, arg);
}

static bool take_max_block(const struct pl_command *c, void *to, int option,
                           const char *arg)
{
    uint64_t *size = to;

    return (!pl_parse_size(arg, size) && *size) ||
           pl_option_wrong(c, option, arg, "give a size such as 64M");
}

static bool take_encoding(const struct pl_command *c, void *to, int option,
                          const char *arg)
{
    uint32_t code_page = pl_code_page_of(arg);

    (void)to;
    pl_code_page_set(code_page);
    return code_page || pl_option_wrong(c, option, arg,
                                        "give a code page such as cp1251, "
                                        "cp932, koi8-r or utf-8");
}

bool pl_command_options(const struct pl_command *c, int argc, char **argv,
                        const struct pl_shared_values *to, pl_take_option *take,
                        void *ctx, enum pl_exit *code)
{
    static char encoding; /* has no place of its own, see codepage.h */
    const struct pl_option_place rows[] = {
        { "output", pl_take_text, to->output },
        { "from", pl_take_text, to->times ? &to->times->from : NULL },
        { "to", pl_take_text, to->times ? &to->times->to : NULL },
        { "at", pl_take_text, to->times ? &to->times->at : NULL },
        { "counters", pl_take_paths, to->paths },
        { "max-block", take_max_block, to->max_block },
        { "tz", take_zone, to->tz },
        { "encoding", take_encoding, &encoding },
        { "json", pl_take_flag, to->json },
        { "quiet", pl_take_flag, to->quiet },
    };
    const struct pl_option_places places = { rows, sizeof rows / sizeof *rows,
                                             take, ctx };

    return pl_options_take(c, argc, argv, &places, code);
}

/* "; there is no instance 'Total' of it" */
static void put_mistake(struct pl_buf *out, enum pl_path_mistake mistake,
                        const struct pl_counter_path *path)
{
    const struct {
        const char *before;
        struct pl_text part;
    } texts[] = {
        [PL_NO_SUCH_OBJECT] = { "there is no object", path->object },
        [PL_NO_SUCH_COUNTER] = { "the object has no counter", path->counter },
        [PL_NO_SUCH_HOST] = { "there is no host", path->host },
        [PL_NO_SUCH_INSTANCE] = { "the object has no instance",
                                  path->instance },
        [PL_NO_SUCH_SERIES] = { "its parts occur, but not together", { 0 } },
    };
    const char *before = texts[mistake].before;

    pl_buf_string(out, before);
    if (texts[mistake].part.p) {
        pl_buf_bytes(out, " '", 2);
        pl_buf_bytes(out, texts[mistake].part.p, texts[mistake].part.n);
        pl_buf_bytes(out, "'", 1);
    }
    pl_buf_u8(out, 0);
}

void pl_say_unmatched(const char *log, const struct pl_registry *names,
                      const struct pl_counter_path_list *paths, size_t i)
{
    const struct pl_counter_path *path = &paths->paths[i];
    struct pl_buf near = { 0 }, mistake = { 0 };

    if (names)
        put_mistake(&mistake, pl_did_you_mean_path(&near, names, path), path);
    if (!names || mistake.oom)
        pl_say("%s: nothing matches '%s'; 'perflog list' shows what there is",
               log, paths->texts[i]);
    else if (near.len && !near.oom)
        pl_say("%s: nothing matches '%s': %s; did you mean '%s'? 'perflog "
               "list' shows what there is",
               log, paths->texts[i], (const char *)mistake.p,
               (const char *)near.p);
    else
        pl_say("%s: nothing matches '%s': %s; 'perflog list' shows what there "
               "is",
               log, paths->texts[i], (const char *)mistake.p);
    pl_buf_release(&near);
    pl_buf_release(&mistake);
}

size_t pl_say_all_unmatched(const char *log, const struct pl_registry *names,
                            const struct pl_counter_path_list *paths,
                            const bool *matched)
{
    size_t num = 0;

    for (size_t i = 0; i < paths->num; i++)
        if (!matched[i] && num++ < MOST_UNMATCHED)
            pl_say_unmatched(log, names, paths, i);
    if (num > MOST_UNMATCHED)
        pl_say("%s: nothing matches %zu more of the paths", log,
               num - MOST_UNMATCHED);
    return num;
}
