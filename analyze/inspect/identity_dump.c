/* Shows what identifies processes. */
#include "analyze/inspect/identity_dump.h"

#include <inttypes.h>
#include <stdio.h>

static struct pl_text or_nothing(struct pl_text t)
{
    return t.n ? t : (struct pl_text){ 0 };
}

static void show_user(struct pl_dump_tree *t,
                      const struct pl_process_identity *p)
{
    if (p->has_user)
        pl_dump_tree_count(t, "user", p->user);
    pl_dump_tree_text(t, "user_name", or_nothing(p->user_name));
}

static void show_parent_process(struct pl_dump_tree *t,
                                const struct pl_process_identity *p)
{
    if (p->parent) {
        pl_dump_tree_count(t, "parent", p->parent);
        pl_dump_tree_count(t, "parent_start", p->parent_start);
    }
    pl_dump_tree_text(t, "parent_name", or_nothing(p->parent_name));
}

/* Why there is no command line, or not all of it. */
static const char *why_short(const struct pl_process_identity *p)
{
    if (p->is_left_out)
        return "left out";
    return p->is_cut ? "cut" : NULL;
}

static void show_one(struct pl_dump_tree *t,
                     const struct pl_process_identity *p, struct pl_buf *room)
{
    char heading[48];

    snprintf(heading, sizeof heading, "Process %" PRIu64, p->pid);
    pl_buf_clear(room);
    pl_command_line_text(room, p);
    pl_dump_tree_open_item(t, heading);
    pl_dump_tree_count(t, "pid", p->pid);
    pl_dump_tree_count(t, "start", p->start);
    pl_dump_tree_text(
        t, "command_line",
        or_nothing((struct pl_text){ (const char *)room->p, room->len }));
    pl_dump_tree_string(t, "command_line_is", why_short(p));
    pl_dump_tree_text(t, "executable", or_nothing(p->executable));
    show_user(t, p);
    pl_dump_tree_text(t, "control_group", or_nothing(p->control_group));
    show_parent_process(t, p);
    pl_dump_tree_close(t);
}

/* Those of 'set' that the block has, as a payload. */
static enum pl_status choose(const struct pl_identity_set *set,
                             const struct pl_buf *block, struct pl_buf *out)
{
    struct pl_identity_set *live;
    enum pl_status s = pl_identity_set_new(&live);

    if (s)
        return s;
    pl_identity_set_write(set, 0, out);
    s = out->oom ? PL_NOMEM : pl_identity_set_add(live, out->p, out->len);
    pl_identity_set_keep_live(live, block->p, block->len);
    pl_buf_clear(out);
    pl_identity_set_write(live, 0, out);
    pl_identity_set_free(live);
    return out->oom ? PL_NOMEM : s;
}

enum pl_status pl_dump_identities(struct pl_dump_tree *t,
                                  const struct pl_identity_set *set,
                                  const struct pl_buf *block)
{
    struct pl_buf payload = { 0 }, room = { 0 };
    struct pl_process_identity one;
    enum pl_status s;
    struct pl_cur c;

    if (!set)
        return PL_OK;
    s = choose(set, block, &payload);
    if (!s) {
        c = pl_cur_of(payload.p, payload.len);
        pl_dump_tree_open_list(t, "processes");
        while (!pl_process_identity_next(&c, &one))
            show_one(t, &one, &room);
        pl_dump_tree_close_list(t);
        s = room.oom ? PL_NOMEM : PL_OK;
    }
    pl_buf_release(&payload);
    pl_buf_release(&room);
    return s;
}
