#!/usr/bin/env python3
"""A machine whose clock has no battery: each boot begins in 1970, or in the future, until the clock is set."""
import csv
import fcntl
import itertools
import os
import sys
import time

sys.path.insert(1, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from test_push import NAMES, RATE, START, Push, S
import write_log


class Unset(Push):
    FUTURE = 10 * 365 * 86_400

    def session(self, number, begin, length, until_set, name=None, first=0, clock=None, seq=0):
        """A boot that began at a second; its clock had been in 1970, at seconds 5, 3, 9, ..., until it was set."""
        if clock is None:
            clock = 5 * number % 7 - START
        log = write_log.Log({i: n.encode() for i, n in NAMES.items()}, session=number, seq=seq)
        for k in range(first, length):
            at = begin + k if k >= until_set else clock + k
            log.sample((START + at) * S, [write_log.object_of(2, [(4, RATE, 8)], [("sda", (k,))])], boot_ns=(7 + k) * S)
        return log.save(self.path(name or "%d.plog" % number))

    def rows(self, *logs):
        return list(csv.reader(self.good("export", "--time", "unix", *logs).out.splitlines()))[1:]

    def seconds(self, *logs):
        """Of an export's rows, as they are read, without those of an unset clock."""
        rows = self.rows(*logs)
        found = [round(float(row[0])) - START for row in rows]
        return [s for s in found if -10**6 < s < 10**6]

    def test_in_the_order_of_boots(self):
        """Whatever their clocks had been, and nothing is said to overlap; export and push."""
        for clocks in ((None,) * 4, (self.FUTURE, self.FUTURE - 50, None, self.FUTURE - 99)):
            boots = [self.session(4 - i, 100 * i, 20, 5, clock=clock) for i, clock in enumerate(clocks)]
            want = [100 * i + k for i in range(4) for k in range(5, 20)]
            self.assertEqual(self.seconds(*boots), want)
            self.assertEqual(self.good("export", *boots[::-1]).err.count("overlap"), 0)
            receiver = self.receiver()
            harness.run("push", "--url", receiver.url, *boots)
            found = {k[3] // 1000 - START for k in self.sent(receiver)[0]}
            self.assertEqual(sorted(s for s in found if -10**6 < s < 10**6), [s for s in want if s % 100 > 5 or clocks[s // 100] is None])

    def test_beside_sane_ones(self):
        """These stay where they are, before and after it; so does one whose clock was never set."""
        sane = [self.session(n, at, 20, 0) for n, at in ((1, 0), (2, 300))]
        boot, never = self.session(3, 150, 20, 10), self.session(4, 500, 20, 99)
        for logs in itertools.permutations((*sane, boot, never)):
            self.assertEqual(self.seconds(*logs), [*range(20), *range(160, 170), *range(300, 320)])

    def test_of_several_files(self):
        """Of which the clock was set in the second, or the first is deleted, or a boot was appended to the last."""
        one = [self.session(2, 100, 10, 15, "a.plog"), self.session(2, 100, 20, 15, "b.plog", first=10, seq=12)]
        other = self.session(1, 0, 20, 0)
        later = self.session(3, 300, 20, 5)
        self.assertEqual(self.seconds(*one, other, later), [*range(20), *range(115, 120), *range(305, 320)])
        self.assertEqual(self.seconds(one[1], other, later), [*range(20), *range(115, 120), *range(305, 320)])
        with open(one[1], "ab") as to, open(self.session(4, 200, 20, 5, "c.plog"), "rb") as more:
            to.write(more.read())
        os.unlink(self.path("c.plog"))
        self.assertEqual(self.seconds(*one, later, other), [*range(20), *range(115, 120), *range(205, 220), *range(305, 320)])

    def test_beside_files_without_a_record(self):
        """As a power cut may leave them: they have no clock, and are no boots of their own."""
        self.session(2, 100, 20, 5, "b.plog")
        self.session(1, 0, 20, 0, "d.plog")
        for name in "c.plog", "a.plog":
            with open(self.path(name), "wb") as f:
                f.write(bytes(4096))
            rows = list(csv.reader(harness.run("export", "--time", "unix", self.folder).out.splitlines()))[1:]
            found = [round(float(row[0])) - START for row in rows]
            self.assertEqual([s for s in found if s > -10**6], [*range(20), *range(105, 120)], name)
            os.unlink(self.path(name))

    def test_of_one_that_ends_with_a_shorter_boot(self):
        """Whose clock since its own boot says nothing of the boot before."""
        one, other = self.session(2, 100, 20, 15, "b.plog", first=10, seq=12), self.session(1, 0, 20, 0)
        with open(one, "ab") as to, open(self.session(4, 200, 5, 0, "c.plog"), "rb") as more:
            to.write(more.read())
        os.unlink(self.path("c.plog"))
        self.assertEqual(self.seconds(one, other), [*range(20), *range(115, 120), *range(200, 205)])

    def test_of_boot_clocks_of_no_sense(self):
        """A sanitizer sees a difference that does not fit."""
        log = write_log.Log({i: n.encode() for i, n in NAMES.items()}, session=2)
        for utc, boot in (0, (1 << 63) - 1), (START * S, -1):
            log.sample(utc, [write_log.object_of(2, [(4, RATE, 8)], [("sda", (1,))])], boot_ns=boot)
        self.assertIn(harness.run("list", log.save(self.path("forged.plog")), self.session(1, 0, 20, 0)).code, (0, 2))

    def test_one_that_is_recorded_now(self):
        """Its clock is not set yet: it is the last one."""
        now = int(time.time()) - START
        old, live = self.session(1, now - 1000, 20, 0), self.session(2, now - 20, 20, 99)
        with open(live, "rb") as f:
            fcntl.flock(f, fcntl.LOCK_EX)
            rows = self.rows(live, old)
        self.assertEqual([float(row[0]) > START for row in rows], [True] * 20 + [False] * 20)

    def test_a_shared_window_is_sent_once(self):
        """Of a boot whose clock was in the future, and the one after it."""
        boots = self.session(1, 0, 13, 5, clock=self.FUTURE), self.session(2, 16, 20, 0)
        receiver = self.receiver()
        r = harness.run("push", "--url", receiver.url, "--every", "20s", *boots)
        self.assertEqual(r.code, 0, r)
        self.assertEqual(receiver.num_samples(), len(receiver.samples()))
        self.assertEqual({k[3] // 1000 - START for k in self.sent(receiver)[0]}, {20, 40})


if __name__ == "__main__":
    harness.main()
