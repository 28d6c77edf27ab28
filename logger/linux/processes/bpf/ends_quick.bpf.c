/*
 * ends.bpf.c for kernels that have all that it reads, as most have: loading it takes
 * two thirds of the time.  Where it is refused, ends.bpf.c is loaded, which asks the kernel
 * for each member that may be missing or of another width.
 */
#define PL_EXPECT_ALL
#include "ends.bpf.c"
