#!/usr/bin/env python3
"""leak.py FOLDER [SECONDS]: a process takes more and more memory, for 3 seconds or so many: a tenth of a per cent of
the machine's at a time, 6 % in all."""
import sys

import common

STEPS = 60
PAUSE = (float(sys.argv[2]) if len(sys.argv) > 2 else 3) / STEPS

common.begin("leaker")
if common.memory("MemAvailable") < common.memory("MemTotal") // 4:
    print("too little memory is available", file=sys.stderr)
    sys.exit(77)
step, taken = common.memory("MemTotal") // 1000, []
while not common.is_over(PAUSE):
    if len(taken) < STEPS:
        taken.append(b"x" * step)
    if len(taken) == STEPS:
        common.under_way()
        STEPS = 0
