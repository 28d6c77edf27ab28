/* Idle priority, by POSIX and Linux. */
#include "format/threads/priority.h"

#include <sys/resource.h>
#ifdef __linux__
#include <fcntl.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

enum { LEAST_NICE = 19 };

#ifdef __linux__
/* From linux/ioprio.h, which the C library has no functions for. */
enum { WHO_PROCESS = 1, CLASS_IDLE = 3, CLASS_SHIFT = 13 };

static void be_first_to_end(void)
{
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

    if (fd < 0)
        return;
    if (write(fd, "1000", 4) < 0) {
        /* it stays as likely as before */
    }
    close(fd);
}

static void be_idle(void)
{
    const struct sched_param none = { 0 };

    sched_setscheduler(0, SCHED_IDLE, &none);
    syscall(SYS_ioprio_set, WHO_PROCESS, 0, CLASS_IDLE << CLASS_SHIFT);
    be_first_to_end();
}
#endif

void pl_priority_idle(void)
{
    setpriority(PRIO_PROCESS, 0, LEAST_NICE);
#ifdef __linux__
    be_idle();
#endif
}
