/* No privileges are given up on Windows. */
#include "format/base/privileges.h"

void pl_privileges_drop(void)
{
}
