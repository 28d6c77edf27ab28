/* Copies what identifies processes. */
#include "analyze/copy/copied_identities.h"

void pl_copied_identities_release(struct pl_copied_identities *c)
{
    pl_buf_release(&c->payload);
}

void pl_copied_identities_begin(struct pl_copied_identities *c)
{
    c->put = c->taken = 0;
    pl_buf_clear(&c->payload);
}

/* Replace the payload by one without command lines.  PL_NOMEM. */
static enum pl_status strip(struct pl_buf *payload)
{
    struct pl_cur all = pl_cur_of(payload->p, payload->len);
    struct pl_process_identity one;
    struct pl_buf out = { 0 };
    bool oom;

    while (!pl_process_identity_next(&all, &one)) {
        one.command_line = (struct pl_text){ 0 };
        one.is_cut = false;
        one.is_left_out = true;
        pl_process_identity_write(&one, &out);
    }
    pl_buf_swap(payload, &out);
    oom = payload->oom;
    pl_buf_release(&out);
    return oom ? PL_NOMEM : PL_OK;
}

/* What was taken for a sample that was not written is taken again. */
enum pl_status pl_copied_identities_take(struct pl_copied_identities *c,
                                         const struct pl_identity_set *set)
{
    pl_buf_clear(&c->payload);
    c->taken = pl_identity_set_version(set);
    pl_identity_set_write(set, c->put, &c->payload);
    return c->payload.oom ? PL_NOMEM : PL_OK;
}

static enum pl_status give(struct pl_copied_identities *c, struct pl_writer *w)
{
    enum pl_status s = c->payload.oom ? PL_NOMEM : PL_OK;

    if (!c->payload.len)
        return s;
    if (!s && c->without_command_lines)
        s = strip(&c->payload);
    if (!s)
        s = pl_writer_identities(w, &c->payload);
    pl_buf_drop(&c->payload);
    return s;
}

enum pl_status pl_copied_identities_put(struct pl_copied_identities *c,
                                        struct pl_writer *w)
{
    c->put = c->taken;
    return give(c, w);
}

enum pl_status
pl_copied_identities_put_chosen(struct pl_copied_identities *c,
                                const struct pl_identity_set *set,
                                const struct pl_buf *block, struct pl_writer *w)
{
    pl_buf_clear(&c->payload);
    pl_identity_set_write_live(set, c->taken, block->p, block->len,
                               &c->payload);
    return give(c, w);
}
