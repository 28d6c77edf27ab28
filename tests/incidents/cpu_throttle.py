#!/usr/bin/env python3
"""A process that would compute all the time may do so for a tenth of it."""
import common

with common.control_group("cpu", {"cpu.max": "10000 100000", "cpu.cfs_quota_us": 10000}):
    # The recorder notes a process' group when it sees the process first or under a new name: that comes after the move.
    common.begin("spinner")
    common.under_way()
    while not common.is_over():
        sum(range(10000))
