/* Writes what identifies a process as JSON. */
#include "analyze/query/identity_json.h"

#include "analyze/replay/group_identity.h"

static const char *const json_keys[PL_NUM_IDENTITY_COLUMNS] = {
    [PL_COMMAND_LINE] = "command_line",
    [PL_EXECUTABLE] = "executable",
    [PL_USER] = "user",
    [PL_CONTROL_GROUP] = "control_group",
    [PL_PARENT] = "parent",
};

void pl_identity_json(struct pl_json *j, const struct pl_group *g)
{
    if (!g->identity)
        return;
    pl_json_key(j, "identity");
    pl_json_open_object(j);
    for (size_t i = 0; i < PL_NUM_IDENTITY_COLUMNS; i++) {
        struct pl_text t =
            pl_group_identity_text(g, (enum pl_identity_column)i);

        pl_json_key(j, json_keys[i]);
        if (t.n)
            pl_json_text(j, t);
        else
            pl_json_null(j);
    }
    pl_json_close_object(j);
}
