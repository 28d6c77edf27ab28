#!/usr/bin/env python3
"""push --follow: what is lost is reported when it is, not when it ends months later."""
import fcntl
import os
import subprocess
import sys
import time

sys.path.insert(1, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import PROGRAM, wait_until
from pushed import START, InOrder, Push


class Following(Push):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("f"))

    def said_of(self, text, log, receiver, *args, code, lock="f/a.plog", then=None, last=None):
        """What push has written when it ends; 'text' while it follows the log, which is locked as by its recorder.

        last: a second that is sent last; what is not reported soon after it never is.
        """
        with open(self.path("said"), "wb") as said, open(self.path(lock), "rb") as live:
            fcntl.flock(live, fcntl.LOCK_EX)
            p = subprocess.Popen([PROGRAM, "push", "--follow", "-q", "--url", receiver.url, *args, log], stderr=said)
            self.addCleanup(p.wait)
            self.addCleanup(p.kill)
            if then:
                then()
            if last is None:
                wait_until(lambda: text in self.said(), "it is reported")
            else:
                wait_until(lambda: any(k[3] == (START + last) * 1000 for k in self.sent(receiver)[0]), "all is sent")
                self.wait_for_looks(p.pid, 40, lambda: text in self.said())
                self.assertIn(text, self.said())
            self.assertIsNone(p.poll())
            fcntl.flock(live, fcntl.LOCK_UN)
            self.assertEqual(p.wait(harness.TIMEOUT), code, self.said())
        return self.said()

    def said(self):
        with open(self.path("said")) as f:
            return f.read()

    def test_refused(self):
        def answer(message):
            bad = any(ms == (START + 2) * 1000 for _, samples in message for _, ms in samples)
            return (400, {}, b"no") if bad else (204, {}, b"")
        text = "4 samples refused and left out; HTTP 400: no"
        said = self.said_of(text, self.made(range(4), "f/a.plog"), self.receiver(*[answer] * 9), code=2)
        self.assertEqual(said.count(text), 1)

    def test_refused_after_an_outage(self):
        """What is doubtful, as the receiver failed, is so until it is answered: not what a clock that is set makes earlier."""
        first = range(100, 103)
        log, longer = self.made(first, "f/a.plog"), self.made([*first, 10**9, *range(3)], "longer.plog")
        receiver = self.receiver((503, {}, b""), *[InOrder()] * 99)

        def grow():
            wait_until(lambda: receiver.taken, "the first rows are taken")
            with open(longer, "rb") as f, open(log, "ab") as to:
                f.seek(os.path.getsize(log))
                to.write(f.read())
        self.said_of("refused and left out; HTTP 400: out of order", log, receiver, code=2, then=grow)

    def test_set_back(self):
        """The first one, and then whenever there are twice as many."""
        log = self.made([*range(9), *range(7), 20], "f/a.plog")
        said = self.said_of("4 rows, whose", log, self.receiver(), code=2)
        self.assertEqual([line.split()[1] for line in said.splitlines()], ["1", "2", "4", "7"])

    def test_ahead_and_passed(self):
        """What was left as this machine's clock was slow is lost once later rows are sent; what a wrong clock wrote is not."""
        now = int(time.time()) - START
        log, longer = self.made([now, now + 910], "f/a.plog"), self.made([now, now + 910, now + 911], "longer.plog")

        def grow():
            wait_until(lambda: "ahead of this machine's clock" in self.said(), "a row is left")
            wait_until(lambda: time.time() - START > now + 12, "the clock has come near")
            with open(longer, "rb") as f, open(log, "ab") as to:
                f.seek(os.path.getsize(log))
                to.write(f.read())
        receiver = self.receiver()
        self.said_of("1 of the rows that were ahead of this machine's clock is lost here", log, receiver, code=2, then=grow, last=now + 911)
        self.assertEqual({k[3] // 1000 - START for k in self.sent(receiver)[0]}, {now, now + 911})
        self.push(self.receiver(), self.made([now, now + 3600, now + 1]), "--follow")

    def test_deleted_by_rotation(self):
        """Segments that are gone are losses, of windows, too; a later run has nothing to report."""
        self.made(range(5), "f/a.plog")
        self.made(range(20, 25), "f/b.plog", seq=100)
        text = "93 records missing: the segments were deleted before they were read"
        for args in (), ("--every", "5s"):
            state = "--state", self.path("state%d" % len(args))
            receiver = self.receiver()
            said = self.said_of(text, self.path("f"), receiver, *args, *state, code=2, lock="f/b.plog", last=20)
            self.assertEqual(said.count(text), 1)
            self.push(receiver, self.path("f"), "--follow", *args, *state)
        self.push(self.receiver(), self.path("f"))  # without --follow it is a gap of the log

    def test_deleted_of_one_host(self):
        """Whatever the positions of hosts that are not recorded any more, and of those that had been sent before."""
        state = "--follow", "--state", self.path("state")
        text, to = "93 records missing", self.receiver()
        self.push(to, self.made(range(-9, -5), "gone.plog", host=b"gone"), *state)
        self.made(range(5), "f/a.plog", session=1)
        self.made(range(20, 25), "f/b.plog", session=1, seq=100)
        self.made(range(30, 35), "f/c.plog", session=2)
        self.assertIn(text, self.push(to, self.path("f"), *state, code=2).err)
        self.push(to, self.path("f"), *state)
        self.made(range(5), "f/d.plog", host=b"new", session=3)
        self.made(range(20, 25), "f/e.plog", host=b"new", session=3, seq=100)
        self.assertIn(text, self.push(to, self.path("f"), *state, code=2).err)


if __name__ == "__main__":
    harness.main()
