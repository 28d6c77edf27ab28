/* Unmaps what the loader mapped, so that only what is used from now on returns. */
#include "logger/record/start_pages.h"

#ifdef __linux__
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST_PARTS = 128 }; /* two or three of each library */

struct parts {
    size_t page, num;
    struct {
        uintptr_t begin, end;
    } list[MOST_PARTS];
};

/* True if the loader has written into parts that are not writable any more: their
 * files do not have what is there. */
static bool is_written(const struct dl_phdr_info *o)
{
    for (size_t i = 0; i < o->dlpi_phnum; i++) {
        const ElfW(Dyn) *d =
            (const void *)(o->dlpi_addr + o->dlpi_phdr[i].p_vaddr);

        if (o->dlpi_phdr[i].p_type != PT_DYNAMIC)
            continue;
        for (; d->d_tag != DT_NULL; d++)
            if (d->d_tag == DT_TEXTREL ||
                (d->d_tag == DT_FLAGS && d->d_un.d_val & DF_TEXTREL))
                return true;
    }
    return false;
}

static int note_parts(struct dl_phdr_info *o, size_t size, void *context)
{
    struct parts *all = context;

    (void)size;
    if (is_written(o))
        return 0;
    for (size_t i = 0; i < o->dlpi_phnum && all->num < MOST_PARTS; i++) {
        const ElfW(Phdr) *h = &o->dlpi_phdr[i];
        uintptr_t at = o->dlpi_addr + h->p_vaddr;

        if (h->p_type != PT_LOAD || h->p_flags & PF_W)
            continue;
        all->list[all->num].begin = at - at % all->page;
        all->list[all->num].end = at + h->p_filesz;
        all->num++;
    }
    return 0;
}

/* All are noted before the first is unmapped: noting reads them. */
void pl_start_pages_unmap(void)
{
    struct parts all = { .page = (size_t)sysconf(_SC_PAGESIZE) };

    dl_iterate_phdr(note_parts, &all);
    for (size_t i = 0; i < all.num; i++)
        madvise((void *)all.list[i].begin, all.list[i].end - all.list[i].begin,
                MADV_DONTNEED);
}

#else

void pl_start_pages_unmap(void)
{
}

#endif
