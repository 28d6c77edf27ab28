/* A sheet of processes. */
#include "analyze/workbook/processes.h"

#include "analyze/replay/group_identity.h"
#include "analyze/workbook/cells.h"

#include <string.h>

enum { NUM_NAMES = 2, TEXT_WIDTH = 30, MOST_ROWS = 1 << 20 };

uint32_t pl_xlsx_processes_count(struct pl_group *const *groups, size_t num)
{
    uint32_t rows = 0;

    for (size_t i = 0; i < num && rows < MOST_ROWS - 1; i++)
        rows += groups[i]->identity != NULL;
    return rows;
}

long pl_xlsx_processes_add(struct pl_xlsx_book *b, uint32_t rows)
{
    const struct pl_xlsx_frame frame = {
        .name = PL_XLSX_PROCESSES,
        .rows = rows,
        .columns = NUM_NAMES + PL_NUM_IDENTITY_COLUMNS,
        .fixed_columns = NUM_NAMES,
        .fixed_width = PL_XLSX_NAME_WIDTH,
        .width = TEXT_WIDTH,
    };

    return pl_xlsx_add_sheet(b, &frame);
}

static void put_cell(struct pl_xlsx_book *b, struct pl_xlsx_at *at,
                     struct pl_text t)
{
    if (t.n)
        pl_xlsx_put_text(b, *at, t.p, t.n);
    at->column++;
}

static void put_process_header(struct pl_xlsx_book *b, long number)
{
    struct pl_xlsx_at at = { number, 0, 0 };

    pl_xlsx_put_header(b, at, "Host", strlen("Host"));
    at.column++;
    pl_xlsx_put_header(b, at, "Instance", strlen("Instance"));
    for (size_t k = 0; k < PL_NUM_IDENTITY_COLUMNS; k++) {
        at.column++;
        pl_xlsx_put_header(b, at, pl_identity_headers[k],
                           strlen(pl_identity_headers[k]));
    }
}

void pl_xlsx_processes_put(struct pl_xlsx_book *b, long number,
                           struct pl_group *const *groups, size_t num,
                           uint32_t rows)
{
    uint32_t row = 0;

    put_process_header(b, number);
    for (size_t i = 0; i < num && row < rows; i++) {
        struct pl_xlsx_at at = { number, row + 1, 0 };

        if (!groups[i]->identity)
            continue;
        put_cell(b, &at, pl_text_of(groups[i]->host->name));
        put_cell(b, &at, pl_text_of(groups[i]->instance));
        for (size_t k = 0; k < PL_NUM_IDENTITY_COLUMNS; k++)
            put_cell(
                b, &at,
                pl_group_identity_text(groups[i], (enum pl_identity_column)k));
        row++;
    }
}
