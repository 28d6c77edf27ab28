/* Facts of a Windows machine. */
#include "logger/windows/machine.h"

#include "format/record/record.h"
#include "format/base/utf16_windows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUID_DIGITS = 32 };

static void read_host(char *out, size_t cap)
{
    wchar_t wide[256];
    DWORD n = sizeof wide / sizeof *wide;
    char *name = NULL;

    if (GetComputerNameExW(ComputerNamePhysicalDnsHostname, wide, &n))
        name = pl_utf16_narrow(wide);
    snprintf(out, cap, "%s", name ? name : "");
    free(name);
}

/* The real version; GetVersionEx reports the one a program was built for. */
static void read_version(char *out, size_t cap)
{
    typedef LONG WINAPI get_version(OSVERSIONINFOW *);
    OSVERSIONINFOW v = { .dwOSVersionInfoSize = sizeof v };
    FARPROC found =
        GetProcAddress(GetModuleHandleW(L"ntdll.dll"), "RtlGetVersion");
    get_version *ask;

    memcpy(&ask, &found, sizeof ask);
    if (found && !ask(&v))
        snprintf(out, cap, "Windows %lu.%lu.%lu", v.dwMajorVersion,
                 v.dwMinorVersion, v.dwBuildNumber);
    else
        snprintf(out, cap, "Windows");
}

/* As on Linux: the hash of 32 hexadecimal digits. */
static uint64_t hash_machine(void)
{
    char text[64] = "", digits[GUID_DIGITS];
    DWORD n = sizeof text;
    size_t num = 0;

    if (RegGetValueA(HKEY_LOCAL_MACHINE, "SOFTWARE\\Microsoft\\Cryptography",
                     "MachineGuid", RRF_RT_REG_SZ, NULL, text, &n))
        return 0;
    for (const char *p = text; *p && num < sizeof digits; p++)
        if (strchr("0123456789abcdef", *p))
            digits[num++] = *p;
    return num == sizeof digits ? pl_hash(digits, sizeof digits, 0) : 0;
}

static const char *name_of(WORD architecture)
{
    switch (architecture) {
    case PROCESSOR_ARCHITECTURE_AMD64:
        return "x86_64";
    case PROCESSOR_ARCHITECTURE_ARM64:
        return "aarch64";
    default:
        return "unknown";
    }
}

void pl_machine_facts_read(struct pl_machine_facts *facts)
{
    SYSTEM_INFO info;

    GetNativeSystemInfo(&info);
    read_host(facts->host, sizeof facts->host);
    read_version(facts->os, sizeof facts->os);
    facts->architecture = name_of(info.wProcessorArchitecture);
    facts->num_cpus = info.dwNumberOfProcessors;
    facts->page_size = info.dwPageSize;
    facts->machine_hash = hash_machine();
}
