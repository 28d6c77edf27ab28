/* Texts that identify the processes of a sample. */
#include "analyze/replay/group_identity.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const pl_identity_headers[PL_NUM_IDENTITY_COLUMNS] = {
    [PL_COMMAND_LINE] = "Command Line",
    [PL_EXECUTABLE] = "Executable",
    [PL_USER] = "User",
    [PL_CONTROL_GROUP] = "Control Group",
    [PL_PARENT] = "Parent",
};

struct pl_group_identity {
    uint64_t pid, start, version; /* of the entry it was made of */
    bool has_user;
    uint32_t user;
    size_t end[PL_NUM_IDENTITY_COLUMNS];
    char texts[]; /* one after the other */
};

struct pl_text pl_group_identity_text(const struct pl_group *g,
                                      enum pl_identity_column column)
{
    const struct pl_group_identity *i = g->identity;
    size_t from = i && column ? i->end[column - 1] : 0;

    return i ? (struct pl_text){ i->texts + from, i->end[column] - from }
             : (struct pl_text){ 0 };
}

bool pl_group_identity_user(const struct pl_group *g, uint32_t *number)
{
    if (!g->identity || !g->identity->has_user)
        return false;
    *number = g->identity->user;
    return true;
}

/* The length without 'mark' and a number at the end. */
static size_t without_number(const char *text, size_t len, char mark)
{
    size_t at = len;

    while (at > 0 && text[at - 1] >= '0' && text[at - 1] <= '9')
        at--;
    return at < len && at > 1 && text[at - 1] == mark ? at - 1 : len;
}

struct pl_text pl_group_program(const struct pl_group *g)
{
    size_t len = strlen(g->instance);

    if (g->numbered || g->listed)
        len = without_number(g->instance, len, '#');
    len = without_number(g->instance, len, ':');
    return (struct pl_text){ g->instance, len };
}

static bool ends(struct pl_text t, const char *with)
{
    size_t n = strlen(with);

    return t.n > n && !memcmp(t.p + t.n - n, with, n);
}

struct pl_text pl_control_group_unit(struct pl_text path)
{
    size_t end = path.n;

    while (end) {
        size_t at = end;

        while (at && path.p[at - 1] != '/')
            at--;
        if (ends((struct pl_text){ path.p + at, end - at }, ".service") ||
            ends((struct pl_text){ path.p + at, end - at }, ".scope"))
            return (struct pl_text){ path.p + at, end - at };
        end = at ? at - 1 : 0;
    }
    return path;
}

bool pl_object_has_identities(const char *name)
{
    return !strcmp(name, "Process");
}

/* ---- from the log --------------------------------------------------------- */

static struct pl_text user_of(const struct pl_process_identity *p,
                              char number[16])
{
    if (p->user_name.n || !p->has_user)
        return p->user_name;
    snprintf(number, 16, "%" PRIu32, p->user);
    return pl_text_of(number);
}

static struct pl_text parent_of(const struct pl_process_identity *p,
                                char number[24])
{
    if (p->parent_name.n || !p->parent)
        return p->parent_name;
    snprintf(number, 24, "%" PRIu64, p->parent);
    return pl_text_of(number);
}

/* A text stays in one line of memory: NUL would end it. */
static size_t put(char *to, struct pl_text t)
{
    for (size_t i = 0; i < t.n; i++)
        to[i] = t.p[i] ? t.p[i] : ' ';
    return t.n;
}

static struct pl_group_identity *make(const struct pl_process_identity *p,
                                      uint64_t version, struct pl_buf *room)
{
    char user[16], parent[24];
    struct pl_text texts[PL_NUM_IDENTITY_COLUMNS];
    struct pl_group_identity *i;
    size_t len = 0;

    pl_buf_clear(room);
    pl_command_line_text(room, p);
    texts[PL_COMMAND_LINE] =
        (struct pl_text){ (const char *)room->p, room->len };
    texts[PL_EXECUTABLE] = p->executable;
    texts[PL_USER] = user_of(p, user);
    texts[PL_CONTROL_GROUP] = p->control_group;
    texts[PL_PARENT] = parent_of(p, parent);
    for (size_t k = 0; k < PL_NUM_IDENTITY_COLUMNS; k++)
        len += texts[k].n;
    i = room->oom ? NULL : malloc(sizeof *i + len);
    if (!i)
        return NULL;
    *i = (struct pl_group_identity){
        .pid = p->pid,
        .start = p->start,
        .version = version,
        .has_user = p->has_user,
        .user = p->user,
    };
    len = 0;
    for (size_t k = 0; k < PL_NUM_IDENTITY_COLUMNS; k++) {
        len += put(i->texts + len, texts[k]);
        i->end[k] = len;
    }
    return i;
}

static enum pl_status set_one(struct pl_group *g, uint64_t pid, uint64_t start,
                              const struct pl_identity_set *set,
                              struct pl_buf *room)
{
    struct pl_process_identity p;
    uint64_t version = pl_identity_set_version_of(set, pid, start);
    bool found;

    if (version && g->identity && g->identity->version == version &&
        g->identity->pid == pid && g->identity->start == start)
        return PL_OK; /* as mostly: its texts are not looked at again */
    if (!version && !g->identity)
        return PL_OK; /* unknown, as before: so are all in many logs */
    found = version && pl_identity_set_find(set, pid, start, &p, &version);
    free(g->identity);
    g->identity = found ? make(&p, version, room) : NULL;
    return found && !g->identity ? PL_NOMEM : PL_OK;
}

/* Where a counter is among those that identify an instance. */
static size_t place_of(const struct pl_counter_plan *plan, uint32_t title)
{
    size_t k = 0;

    while (k < plan->num_identity && plan->identity[k].title_index != title)
        k++;
    return k;
}

enum pl_status pl_group_identities_read(struct pl_sample_view *samples,
                                        const struct pl_identity_set *set)
{
    const struct pl_sample *now = pl_sample_view_now(samples);
    const struct pl_sampled_object *o = pl_sample_object(now, PL_TITLE_PROCESS);
    size_t pid = o ? place_of(o->plan, PL_TITLE_PID) : 0;
    size_t start = o ? place_of(o->plan, PL_TITLE_STARTED) : 0;
    enum pl_status s = PL_OK;

    if (!o || pid == o->plan->num_identity || start == o->plan->num_identity)
        return PL_OK;
    for (size_t n = 0; n < o->num && !s; n++) {
        const struct pl_sampled_instance *i = &now->instances[o->first + n];

        if (!i->group->is_total)
            s = set_one(i->group, i->identity[pid], i->identity[start], set,
                        &samples->name);
    }
    return s;
}
