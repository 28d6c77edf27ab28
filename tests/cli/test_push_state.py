#!/usr/bin/env python3
"""push --state: where a run goes on, whatever hosts, clocks and options were before."""
import os
import sys
import time

sys.path.insert(1, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from test_push import START, Push

HOUR = 3600


class State(Push):
    def setUp(self):
        super().setUp()
        self.state = self.path("state")
        self.to = self.receiver()

    def push_on(self, *logs, code=0):
        return self.push(self.to, logs[0], *logs[1:], "--state", self.state, code=code)

    def seconds(self, host="web"):
        return sorted({k[3] // 1000 - START for k in self.sent(self.to)[0] if k[1] == host})

    def sheet(self, name, seconds):
        rows = ['"%s","%d"' % (time.strftime("%m/%d/%Y %H:%M:%S.000", time.gmtime(START + s)), s) for s in seconds]
        return self.write(name, "\r\n".join(['"(PDH-CSV 4.0) (UTC)(0)","\\\\web\\Memory\\Free"', *rows, ""]).encode())

    def imported(self, name, at):
        """A log with an index."""
        log = self.path(name + ".plog")
        self.good("import", "-q", self.sheet(name + ".csv", range(at, at + 3)), "-o", log)
        return log


class Hosts(State):
    def test_a_new_one(self):
        """Its log is sent from the beginning, though others' positions are far behind that."""
        old = self.made(range(3 * HOUR, 3 * HOUR + 5), "old.plog")
        self.push_on(old)
        new = self.made(range(0, 3 * HOUR, 600), "new.plog", host=b"new")
        self.push_on(old, new)
        self.assertEqual(self.seconds("new"), list(range(0, 3 * HOUR, 600)))
        self.assertEqual(self.to.num_samples(), len(self.to.samples()))

    def test_one_that_is_gone(self):
        """Its position is kept, but the others' logs are not read from there on."""
        gone = self.made(range(3), "gone.plog", host=b"gone")
        early, *later = (self.imported("%d" % at, at) for at in (0, HOUR, 2 * HOUR))
        self.push_on(gone, early, *later)
        with open(early, "r+b") as f:  # it would be reported if it were read
            f.seek(os.path.getsize(early) // 2)
            f.write(b"x" * 50)
        r = self.push_on(early, *later)
        self.assertIn(" 0 samples sent", r.err)
        with open(self.state) as f:
            self.assertEqual(sorted(line.split()[-1] for line in f.read().splitlines()[2:]), ["gone", "web"])


if __name__ == "__main__":
    harness.main()
