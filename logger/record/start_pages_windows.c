/* Windows takes pages from a working set by itself. */
#include "logger/record/start_pages.h"

void pl_start_pages_unmap(void)
{
}
