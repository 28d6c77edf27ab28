/* Writes and reads one process's entry of an iden record. */
#include "format/payload/process_identity.h"

#include <string.h>

enum tag {
    COMMAND_LINE = 1,
    IS_CUT = 2,
    IS_LEFT_OUT = 3,
    EXECUTABLE = 4,
    USER = 5,
    USER_NAME = 6,
    CONTROL_GROUP = 7,
    PARENT = 8,
    PARENT_NAME = 9,
};

/* ---- writing -------------------------------------------------------------- */

static void put_tagged_text(struct pl_buf *out, enum tag tag,
                            struct pl_text text, size_t most)
{
    size_t n = text.n < most ? text.n : most;

    if (!n)
        return;
    pl_buf_u8(out, (uint8_t)tag);
    pl_buf_varint(out, n);
    pl_buf_bytes(out, text.p, n);
}

static void put_tagged_flag(struct pl_buf *out, enum tag tag, bool is_set)
{
    if (!is_set)
        return;
    pl_buf_u8(out, (uint8_t)tag);
    pl_buf_varint(out, 0);
}

static void put_numbers(const struct pl_process_identity *p, struct pl_buf *out)
{
    if (p->has_user) {
        pl_buf_u8(out, USER);
        pl_buf_varint(out, sizeof p->user);
        pl_buf_u32(out, p->user);
    }
    if (p->parent) {
        pl_buf_u8(out, PARENT);
        pl_buf_varint(out, sizeof p->parent + sizeof p->parent_start);
        pl_buf_u64(out, p->parent);
        pl_buf_u64(out, p->parent_start);
    }
}

void pl_process_identity_write(const struct pl_process_identity *p,
                               struct pl_buf *out)
{
    size_t at = out->len;

    pl_buf_u32(out, 0);
    pl_buf_u64(out, p->pid);
    pl_buf_u64(out, p->start);
    put_tagged_text(out, COMMAND_LINE, p->command_line, PL_MAX_COMMAND_LINE);
    put_tagged_flag(out, IS_CUT,
                    p->is_cut || p->command_line.n > PL_MAX_COMMAND_LINE);
    put_tagged_flag(out, IS_LEFT_OUT, p->is_left_out);
    put_tagged_text(out, EXECUTABLE, p->executable, PL_MAX_IDENTITY_TEXT);
    put_tagged_text(out, USER_NAME, p->user_name, PL_MAX_IDENTITY_TEXT);
    put_tagged_text(out, CONTROL_GROUP, p->control_group, PL_MAX_IDENTITY_TEXT);
    put_tagged_text(out, PARENT_NAME, p->parent_name, PL_MAX_IDENTITY_TEXT);
    put_numbers(p, out);
    pl_buf_set_u32(out, at, (uint32_t)(out->len - at - sizeof(uint32_t)));
}

/* ---- reading -------------------------------------------------------------- */

static void take_tag(struct pl_process_identity *p, unsigned tag,
                     struct pl_cur value)
{
    struct pl_text text = { (const char *)value.p, value.left };

    switch (tag) {
    case COMMAND_LINE:
        p->command_line = text;
        break;
    case IS_CUT:
        p->is_cut = true;
        break;
    case IS_LEFT_OUT:
        p->is_left_out = true;
        break;
    case EXECUTABLE:
        p->executable = text;
        break;
    case USER:
        p->user = pl_cur_u32(&value);
        p->has_user = !value.bad;
        break;
    case USER_NAME:
        p->user_name = text;
        break;
    case CONTROL_GROUP:
        p->control_group = text;
        break;
    case PARENT:
        p->parent = pl_cur_u64(&value);
        p->parent_start = pl_cur_u64(&value);
        break;
    case PARENT_NAME:
        p->parent_name = text;
        break;
    default:
        break;
    }
}

enum pl_status pl_process_identity_next(struct pl_cur *c,
                                        struct pl_process_identity *p)
{
    struct pl_cur entry;

    *p = (struct pl_process_identity){ 0 };
    if (!c->left)
        return PL_END;
    entry = pl_cur_sub(c, pl_cur_u32(c));
    p->pid = pl_cur_u64(&entry);
    p->start = pl_cur_u64(&entry);
    while (entry.left && !entry.bad) {
        unsigned tag = pl_cur_u8(&entry);
        struct pl_cur value = pl_cur_sub(&entry, pl_cur_varint(&entry));

        if (!entry.bad)
            take_tag(p, tag, value);
    }
    return c->bad || entry.bad ? PL_CORRUPT : PL_OK;
}

void pl_command_line_text(struct pl_buf *out,
                          const struct pl_process_identity *p)
{
    static const char cut[] = "...";

    for (size_t i = 0; i < p->command_line.n; i++) {
        char c = p->command_line.p[i];

        pl_buf_u8(out, (uint8_t)(c ? c : ' '));
    }
    if (p->is_cut)
        pl_buf_bytes(out, cut, sizeof cut - 1);
}
