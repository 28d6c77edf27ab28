/* Looks up processes among rows. */
#include "logger/linux/processes/process_rows.h"

#include "logger/linux/processes/process.h"

bool pl_is_row_of(const struct pl_source_rows *r, size_t i, uint64_t pid,
                  uint64_t started)
{
    const uint64_t *v = pl_source_rows_values(r, i);

    return v[PL_P_PID] == pid && v[PL_P_STARTED] == started;
}

size_t pl_first_row_from(const struct pl_source_rows *r, size_t num,
                         uint64_t pid)
{
    size_t low = 0, high = num;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (pl_source_rows_values(r, mid)[PL_P_PID] < pid)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

size_t pl_walk_row(const struct pl_source_rows *r, size_t num,
                   const uint64_t *v)
{
    size_t i = pl_first_row_from(r, num, v[PL_P_PID]);

    return i < num && pl_is_row_of(r, i, v[PL_P_PID], v[PL_P_STARTED])
               ? i
               : PL_NO_ROW;
}
