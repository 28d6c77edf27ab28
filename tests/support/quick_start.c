/* Linked with each program that the address sanitizer checks, so that it starts and ends sooner: a third of the time
   of a short command went into page faults of the sanitizer's table of calls, which has a thousand pages. */
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* At the start each source registers its objects, 400 sources in perflog, and the sanitizer keeps the calls that led
   there: each takes two pages of its table.  They are told only of an object that is defined twice.  Meanwhile it
   keeps none.  What main() allocates is reported with all calls, as ever. */

/* The sanitizer's own; not every one has them, and what is linked dynamically does not show them. */
extern void
keep_calls(unsigned depth) __asm__("_ZN6__asan20SetMallocContextSizeEj")
    __attribute__((weak));
extern unsigned calls_kept(void) __asm__("_ZN6__asan20GetMallocContextSizeEv")
    __attribute__((weak));

static unsigned depth;

static void keep_none(void)
{
    if (keep_calls && calls_kept) {
        depth = calls_kept();
        keep_calls(1); /* the place of the call, which is the same for all */
    }
}

/* Before all that is registered, as the sanitizer's own beginning, and after it: sources register by priority 99. */
__attribute__((section(".preinit_array"),
               used)) static void (*const first)(void) = keep_none;

__attribute__((constructor(101))) static void keep_as_before(void)
{
    if (keep_calls && calls_kept)
        keep_calls(depth);
}

/* At the end the search for leaks reads all variables, whose segments it has from dl_iterate_phdr(), and with them
   that table.  A page that was never written holds no address: it is left out, and needs not be made to be read. */
#define PAGE ((uintptr_t)4096)
#define PAGES_AT_MOST 4096
#define SEGMENTS_AT_MOST 128
#define IS_MADE ((uint64_t)3 << 62) /* in memory, or swapped */

typedef int visit(struct dl_phdr_info *info, size_t size, void *data);
int __real_dl_iterate_phdr(visit *each, void *data);
int __wrap_dl_iterate_phdr(visit *each, void *data);

struct walk {
    visit *each;
    void *data;
};

/* Adds the parts of a segment with variables whose pages are made, 'most' at most, the last with all that is behind;
   all of it where that cannot be known. */
static unsigned add_made(const ElfW(Phdr) * segment, ElfW(Phdr) * to,
                         unsigned n, unsigned most)
{
    static uint64_t pages[PAGES_AT_MOST];
    uintptr_t begin = segment->p_vaddr, end = begin + segment->p_memsz;
    size_t count = (end + PAGE - 1) / PAGE - begin / PAGE;
    long got = -1;

    to[n] = *segment;
    if (count <= PAGES_AT_MOST && sysconf(_SC_PAGESIZE) == (long)PAGE) {
        long fd = syscall(SYS_openat, AT_FDCWD, "/proc/self/pagemap",
                          O_RDONLY | O_CLOEXEC);
        if (fd >= 0) {
            got = syscall(SYS_pread64, fd, pages, count * sizeof *pages,
                          begin / PAGE * sizeof *pages);
            syscall(SYS_close, fd);
        }
    }
    if (got != (long)(count * sizeof *pages))
        return n + 1;
    for (size_t i = 0; i < count; i++) {
        if (!(pages[i] & IS_MADE))
            continue;
        if (i == 0 || !(pages[i - 1] & IS_MADE)) {
            if (n >= most) {
                to[n - 1].p_memsz = end - to[n - 1].p_vaddr;
                break;
            }
            to[n] = *segment;
            to[n++].p_vaddr = i ? (begin / PAGE + i) * PAGE : begin;
        }
        uintptr_t until = (begin / PAGE + i + 1) * PAGE;
        to[n - 1].p_memsz = (until < end ? until : end) - to[n - 1].p_vaddr;
    }
    return n;
}

/* The program itself comes first, and is linked to where it lies. */
static int only_made(struct dl_phdr_info *info, size_t size, void *data)
{
    static ElfW(Phdr) segments[SEGMENTS_AT_MOST];
    const struct walk *walk = data;
    struct dl_phdr_info shown = *info;
    unsigned n = 0;

    if (info->dlpi_addr || info->dlpi_phnum > SEGMENTS_AT_MOST / 2)
        return walk->each(info, size, walk->data);
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type == PT_LOAD && segment->p_flags & PF_W)
            n = add_made(segment, segments, n,
                         SEGMENTS_AT_MOST - info->dlpi_phnum);
        else
            segments[n++] = *segment;
    }
    shown.dlpi_phdr = segments;
    shown.dlpi_phnum = (ElfW(Half))n;
    return walk->each(&shown, size, walk->data);
}

int __wrap_dl_iterate_phdr(visit *each, void *data)
{
    struct walk walk = { each, data };

    return __real_dl_iterate_phdr(only_made, &walk);
}
