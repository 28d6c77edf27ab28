#!/usr/bin/env python3
"""A build without a sampler: it refuses to record, and analyzes what others recorded."""
import os
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import Case
from write_log import SECOND, Log, object_of

REFUSAL = "this build cannot sample this system"


class NoSampler(Case):
    def test_nothing_is_recorded(self):
        for command in ("record", "-n", "1", self.path("a.plog")), ("record", "--forecast"):
            self.refused(1, *command, says=REFUSAL)

    def test_there_is_no_live_sample(self):
        self.refused(1, "list", says=REFUSAL)

    def test_logs_are_read(self):
        made = Log({2: b"Tank", 4: b"Level"})
        for i in range(3):
            made.sample(i * SECOND, [object_of(2, [(4, 0x00010000, 4)], [(None, (i,))])])
        log = made.save(self.path("a.plog"))
        self.assertEqual(self.wide(log).column(r"\Tank\Level"), [0, 1, 2])
        for command in "list", "info", "verify", "stats", "dump":
            self.good(command, log)
        self.good("cut", "-q", "-c", r"\Tank\*", log, "-o", self.path("b.plog"))
        self.assertEqual(self.wide(self.path("b.plog")).rows, self.wide(log).rows)


if __name__ == "__main__":
    harness.main()
