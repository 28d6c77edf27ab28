/* The numbers as a program sees them that was compiled with <perflog.h>. */
#include "analyze/library/perflog.h"
#include "tests/unit/analyze/library/public_side.h"

#include <stddef.h>

#define NUMBER(expression) { #expression, (long)(expression) },
const struct public_number public_numbers[] = {
#include "tests/unit/analyze/library/public_numbers.h"
    { NULL, 0 },
};
