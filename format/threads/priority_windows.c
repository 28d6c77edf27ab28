/* Idle priority, by Windows. */
#include "format/threads/priority.h"

#include <windows.h>

void pl_priority_idle(void)
{
    SetPriorityClass(GetCurrentProcess(), IDLE_PRIORITY_CLASS);
    SetPriorityClass(GetCurrentProcess(), PROCESS_MODE_BACKGROUND_BEGIN);
}
