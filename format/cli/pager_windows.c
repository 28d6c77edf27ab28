/* The console of Windows scrolls by itself. */
#include "format/cli/pager.h"

bool pl_pager_start(void)
{
    return false;
}

void pl_pager_end(void)
{
}
