/* Windows' recorder does not pack by itself; 'perflog pack' does. */
#include "logger/record/packer.h"

enum pl_status pl_packer_new(struct pl_packer **out, const char *path)
{
    (void)out;
    (void)path;
    return PL_UNSUPPORTED;
}

void pl_packer_look(struct pl_packer *p, const struct pl_writer_stats *stats,
                    const char *current)
{
    (void)p;
    (void)stats;
    (void)current;
}

void pl_packer_end(struct pl_packer *p)
{
    (void)p;
}
