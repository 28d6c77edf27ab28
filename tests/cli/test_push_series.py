#!/usr/bin/env python3
"""push: when series end."""
import fcntl
import os
import subprocess
import sys

sys.path.insert(1, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import PROGRAM, wait_until
from test_push import START, Push


class Ends(Push):
    """A log that nobody records into has ended, whatever others do."""

    def setUp(self):
        super().setUp()
        self.live = self.made(range(8), "live.plog")
        self.ended = self.made(range(5), "ended.plog", host=b"ended")
        self.lock = open(self.live, "rb")
        self.addCleanup(self.lock.close)
        fcntl.flock(self.lock, fcntl.LOCK_EX)

    def ends(self, receiver):
        """{host: second after which all of its series end}"""
        return {host: ms // 1000 - START for _, host, _, ms in self.sent(receiver)[1] if ms % 1000}

    def test_beside_a_live_one(self):
        receiver = self.receiver()
        self.push(receiver, self.live, self.ended)
        self.assertEqual(self.ends(receiver), {"ended": 4})

    def test_the_last_window(self):
        """It is complete, though the log's end cuts it; that of the live log is not."""
        receiver = self.receiver()
        self.push(receiver, self.live, self.ended, "--every", "10s")
        windows = {(host, ms // 1000 - START) for _, host, _, ms in self.sent(receiver)[0]}
        self.assertEqual(windows, {("web", 0), ("ended", 0), ("ended", 10)})

    def test_while_the_other_is_followed(self):
        receiver = self.receiver()
        p = subprocess.Popen([PROGRAM, "push", "--follow", "-q", "--url", receiver.url, self.live, self.ended])
        self.addCleanup(p.wait)
        self.addCleanup(p.kill)
        wait_until(lambda: self.ends(receiver), "a host ends")
        self.assertIsNone(p.poll())
        self.assertEqual(self.ends(receiver), {"ended": 4})
        fcntl.flock(self.lock, fcntl.LOCK_UN)
        self.assertEqual(p.wait(harness.TIMEOUT), 0)
        self.assertEqual(self.ends(receiver), {"ended": 4, "web": 7})
        self.assertEqual(receiver.num_samples(), len(receiver.samples()))


if __name__ == "__main__":
    harness.main()
