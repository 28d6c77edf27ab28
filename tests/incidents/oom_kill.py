#!/usr/bin/env python3
"""A process takes more memory than its control group may have, 32 MB, and is killed for that."""
import os

import common

LIMIT = 32 << 20

common.begin("group")
with common.control_group("memory", {"memory.max": LIMIT, "memory.limit_in_bytes": LIMIT}) as made:
    for file, value in ("memory.swap.max", 0), ("memory.swappiness", 0):
        if os.path.exists(os.path.join(made[0], file)):
            common.put(os.path.join(made[0], file), value)
    child = os.fork()
    if not child:
        common.begin("glutton")
        taken = []
        while not common.is_over(0.01):
            taken.append(b"x" * (4 << 20))
        os._exit(1)
    os.waitpid(child, 0)
    common.under_way()
    while not common.is_over(0.1):
        pass
