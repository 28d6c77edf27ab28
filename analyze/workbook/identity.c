/* Writes what identifies processes. */
#include "analyze/workbook/identity.h"

#include "analyze/replay/group_identity.h"

const char *const pl_xlsx_identities[PL_XLSX_NUM_IDENTITIES] = { "Command",
                                                                 "User",
                                                                 "Unit" };

void pl_xlsx_put_name(struct pl_xlsx_book *b, struct pl_xlsx_at *at,
                      struct pl_text t)
{
    if (t.n)
        pl_xlsx_put_text(b, *at, t.p, t.n);
    at->column++;
}

void pl_xlsx_put_identity(struct pl_xlsx_book *b, struct pl_xlsx_at *at,
                          const struct pl_group *g)
{
    struct pl_text cgroup = pl_group_identity_text(g, PL_CONTROL_GROUP);

    pl_xlsx_put_name(b, at, pl_group_identity_text(g, PL_COMMAND_LINE));
    pl_xlsx_put_name(b, at, pl_group_identity_text(g, PL_USER));
    pl_xlsx_put_name(b, at, cgroup.n ? pl_control_group_unit(cgroup) : cgroup);
}
