/* Distinguishes the reasons why the kernel does not load the BPF program. */
#include "logger/linux/processes/bpf/refusal.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

bool pl_bpf_is_permitted(void)
{
    const uint64_t admin = UINT64_C(1) << CAP_SYS_ADMIN;
    const uint64_t both = UINT64_C(1) << CAP_BPF | UINT64_C(1) << CAP_PERFMON;
    struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
    uint64_t has;

    if (syscall(SYS_capget, &head, data))
        return false;
    has = (uint64_t)data[1].effective << 32 | data[0].effective;
    return (has & admin) || (has & both) == both;
}

/* errno of a bpf() call with a bad descriptor; EBADF: bpf() is available. */
static int answer_of_bpf(void)
{
    union bpf_attr attr;

    memset(&attr, 0, sizeof attr);
    attr.map_fd = UINT32_MAX;
    errno = 0;
    syscall(SYS_bpf, BPF_MAP_LOOKUP_ELEM, &attr, sizeof attr);
    return errno;
}

static bool is_filtered(void)
{
    return prctl(PR_GET_SECCOMP) == SECCOMP_MODE_FILTER;
}

/* Lockdown mode "confidentiality" forbids reading kernel memory. */
static bool is_locked_down(void)
{
    char text[64] = { 0 };
    int fd = open("/sys/kernel/security/lockdown", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);

    if (fd >= 0)
        close(fd);
    return n > 0 && strstr(text, "[confidentiality]");
}

/* Some kernels permit the calls without privileges that have no effect. */
static bool is_in_user_namespace(void)
{
    const ino_t first = 0xEFFFFFFD; /* PROC_USER_INIT_INO, proc_ns.h */
    struct stat st;

    return !stat("/proc/self/ns/user", &st) && st.st_ino != first;
}

const char *pl_bpf_refusal(int error)
{
    int answer;

    if (!pl_bpf_is_permitted())
        return "not permitted; be root, or have CAP_BPF and CAP_PERFMON";
    if (error == EMFILE || error == ENFILE)
        return "too many open files; raise the limit";
    answer = answer_of_bpf();
    if (answer != EBADF && is_filtered())
        return "a seccomp filter, as containers and services have, refuses "
               "bpf()";
    if (answer == ENOSYS)
        return "this kernel has no BPF";
    if (answer == EPERM || (error == EPERM && is_in_user_namespace()))
        return "not permitted; CAP_BPF and CAP_PERFMON of a user namespace "
               "are not enough";
    if (access("/sys/kernel/btf/vmlinux", R_OK))
        return "this kernel does not tell its types (no BTF)";
    if (is_locked_down())
        return "this kernel is locked down (confidentiality)";
    return NULL;
}

static bool is_statistics(struct pl_text line)
{
    static const char *const begins[] = { "processed ", "verification time ",
                                          "stack depth " };

    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (line.n >= strlen(begins[i]) &&
            !memcmp(line.p, begins[i], strlen(begins[i])))
            return true;
    return !line.n;
}

struct pl_text pl_bpf_verdict(const char *log)
{
    size_t end = strlen(log);

    while (end) {
        size_t begin = end;
        struct pl_text line;

        while (begin && log[begin - 1] != '\n')
            begin--;
        line = (struct pl_text){ log + begin, end - begin };
        if (!is_statistics(line))
            return line;
        end = begin ? begin - 1 : 0;
    }
    return (struct pl_text){ log, 0 };
}
