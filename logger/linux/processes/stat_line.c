/* Parses the line of a process's or a thread's stat. */
#include "logger/linux/processes/stat_line.h"

#include "logger/linux/machine/proctext.h"

enum { FIRST_NUMBER = PL_STAT_PARENT };

/* "4711 (name) S 1 ..." */
bool pl_stat_line_scan(struct pl_text text,
                       uint64_t columns[PL_STAT_NUM_COLUMNS],
                       struct pl_text *comm)
{
    struct pl_proctext line = pl_proctext_of(text);
    const char *open = memchr(text.p, '(', text.n);
    const char *close = memrchr(text.p, ')', text.n);
    struct pl_text state;

    if (!open || !close || close < open ||
        !pl_proctext_number(&line, &columns[PL_STAT_PID]))
        return false;
    *comm = (struct pl_text){ open + 1, (size_t)(close - open - 1) };
    line.p = close + 1;
    if (!pl_proctext_word(&line, &state))
        return false;
    columns[PL_STAT_STATE] = (unsigned char)*state.p;
    for (unsigned i = FIRST_NUMBER; i < PL_STAT_NUM_COLUMNS; i++)
        if (!pl_proctext_number(&line, &columns[i]))
            return false;
    return true;
}
