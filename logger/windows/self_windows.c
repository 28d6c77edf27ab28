/* What Windows knows of this process. */
#include "logger/windows/self.h"

#include <windows.h>

#include <psapi.h> /* wants the former */

static uint64_t in_100ns(FILETIME t)
{
    return (uint64_t)t.dwHighDateTime << 32 | t.dwLowDateTime;
}

void pl_process_facts_read(struct pl_process_facts *facts)
{
    HANDLE process = GetCurrentProcess();
    PROCESS_MEMORY_COUNTERS memory;
    FILETIME made, ended, kernel, user;

    *facts = (struct pl_process_facts){ .id = GetCurrentProcessId() };
    if (GetProcessTimes(process, &made, &ended, &kernel, &user)) {
        facts->user = in_100ns(user);
        facts->privileged = in_100ns(kernel);
        facts->cpu = facts->user + facts->privileged;
    }
    if (K32GetProcessMemoryInfo(process, &memory, sizeof memory)) {
        facts->page_faults = memory.PageFaultCount;
        facts->working_set = memory.WorkingSetSize;
        facts->working_set_peak = memory.PeakWorkingSetSize;
    }
}
