/*
 * The zeros (.bss) of a program with the address sanitizer, in huge pages.  The
 * sanitizer has megabytes of tables there, and its search for leaks reads them all
 * when a process ends, in each fork of a test, too: with pages of 4 KiB that is more
 * than a thousand page faults, which on a virtual machine are a third to a half of
 * what a short process costs.  Where the kernel lacks MADV_COLLAPSE (before 6.1) it
 * answers EINVAL, and all is as without this.
 */
#include <elf.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25 /* include/uapi/asm-generic/mman-common.h */
#endif

enum { HUGE_PAGE = 2 << 20 };

/* At the end of the zeros, whose last huge page is then a whole one, but for this. */
static char behind_tables[1] __attribute__((used, aligned(HUGE_PAGE)));

/* Of one segment: what no byte of the file is, as far as whole huge pages go. */
static void collapse_zeros_of(const Elf64_Phdr *segment)
{
    uintptr_t begin = segment->p_vaddr + segment->p_filesz;
    uintptr_t end = segment->p_vaddr + segment->p_memsz;

    begin = (begin + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1);
    end &= ~(uintptr_t)(HUGE_PAGE - 1);
    if (segment->p_type != PT_LOAD || begin >= end)
        return;
    madvise((void *)begin, end - begin, MADV_HUGEPAGE);
    /* What has been touched already; one huge page a call, as the first that has
     * not been ends it. */
    for (; begin < end; begin += HUGE_PAGE)
        madvise((void *)begin, HUGE_PAGE, MADV_COLLAPSE);
}

static void collapse_zeros(void)
{
    const Elf64_Phdr *segments = (const Elf64_Phdr *)getauxval(AT_PHDR);
    unsigned long n = getauxval(AT_PHNUM);

    for (unsigned long i = 0; i < n; i++)
        collapse_zeros_of(&segments[i]);
}

/* Before the constructors, which fill the tables. */
static void (*const at_start)(void)
    __attribute__((section(".preinit_array"), used)) = collapse_zeros;
