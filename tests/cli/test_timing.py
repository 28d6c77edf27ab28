#!/usr/bin/env python3
"""Punctuality, of a build without sanitizers: medians, so that a busy machine raises no alarm."""
import os
import statistics
import subprocess
import sys
import threading
import time

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import PROGRAM, SYSTEM, Case, Recording, records


class Timing(Case):
    def test_followed_rows_come_within_half_a_second(self):
        log = self.path("a.plog")
        recording = Recording(self, log, *SYSTEM, "-i", "250ms")
        recording.wait_for(2)
        p = subprocess.Popen([PROGRAM, "export", "-q", "-f", "--time", "unix", log],
                             stdout=subprocess.PIPE)
        late = []

        def read():
            next(p.stdout)
            for line in p.stdout:
                late.append(time.time() - float(line.partition(b",")[0]))
        reader = threading.Thread(target=read)
        reader.start()
        harness.wait_until(lambda: len(late) > 13, "rows have come")
        recording.end()
        reader.join(harness.TIMEOUT)
        p.communicate()
        self.assertLess(statistics.median(late[3:]), 0.5)

    def test_ticks_are_punctual_and_never_early(self):
        log = self.record(self.path("a.plog"), *SYSTEM, "-i", "100ms", "-n", "30")
        late = [utc % 10**8 for kind, _, _, utc in records(log) if kind == "SMPL"]
        self.assertLess(statistics.median(late), 10e6)
        self.assertLessEqual(sum(ns > 99e6 for ns in late), 1, "too early for their tick")

    def test_a_sample_costs_little(self):
        """Default counters, at ten a second: CPU time as the kernel accounts for it."""
        before = os.times()
        self.record(self.path("a.plog"), "-i", "100ms", "-n", "30")
        after = os.times()
        spent = (after.children_user - before.children_user +
                 after.children_system - before.children_system)
        num_processes = sum(name.isdigit() for name in os.listdir("/proc"))
        print("%.2f ms CPU time a sample, %d processes" % (spent / 30 * 1000, num_processes))
        self.assertLess(spent / 30, 0.004 + num_processes * 0.00005)


if __name__ == "__main__":
    harness.main()
