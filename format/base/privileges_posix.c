/* Gives up capabilities, by Linux. */
#include "format/base/privileges.h"

#ifdef __linux__
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The first 32 capabilities: those for files are among them. */
enum {
    FOR_FILES = 1u << CAP_CHOWN | 1u << CAP_DAC_OVERRIDE |
                1u << CAP_DAC_READ_SEARCH | 1u << CAP_FOWNER | 1u << CAP_FSETID,
};

/* No program that is started has more, either. */
static void drop_bounds(void)
{
    for (unsigned long c = 0; prctl(PR_CAPBSET_READ, c, 0, 0, 0) >= 0; c++)
        if (c > 31 || !(FOR_FILES & 1u << c))
            prctl(PR_CAPBSET_DROP, c, 0, 0, 0);
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

void pl_privileges_drop(void)
{
    struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
    struct __user_cap_data_struct sets[2];

    drop_bounds();
    if (syscall(SYS_capget, &head, sets))
        return;
    sets[0].effective &= FOR_FILES;
    sets[0].permitted &= FOR_FILES;
    sets[0].inheritable = 0;
    sets[1] = (struct __user_cap_data_struct){ 0 };
    syscall(SYS_capset, &head, sets);
}
#else
void pl_privileges_drop(void)
{
}
#endif
