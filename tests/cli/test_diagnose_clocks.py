#!/usr/bin/env python3
"""perflog diagnose where clocks were set back: whom findings are due to, and what that takes."""
import json
import os
import resource
import sys
import unittest

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from harness import Case, Runner
from write_log import SECOND, Log, object_of

START = 1_795_262_400  # 2026-11-21 12:00:00 UTC
HOUR, YEAR = 3600, 365 * 86400
SYSTEM, ODD, PROCESS, BUSY, HANGS, PID, DISK, FREE = 2, 4, 230, 6, 8, 784, 236, 10
NAMES = {SYSTEM: b"System", ODD: b"Odd", PROCESS: b"Process", BUSY: b"Busy", HANGS: b"Hangs", PID: b"ID Process",
         DISK: b"LogicalDisk", FREE: b"% Free Space"}
GAUGE = 0x00010000
RULES = (rb"odd | workload | \System\Odd | mean | >= 100 | - | 3 | 90 | most Busy | - | it is odd" + b"\n" +
         rb"odd | saturation | \Process(*)\Hangs | mean | >= 1 | - | 3 | 10 | itself | - | it hangs")


class SetBack(Case):
    """A process is named for what happened in its own time, not for that of another pass of the clock."""

    def samples(self, log, begin, length, process, odd=0, bad=(0, 0)):
        """A second apart from START + begin on; 'process' is busy; in these seconds after START it hangs, too, and the
        machine is odd.
        """
        for t in range(begin, begin + length):
            now_odd = odd * (bad[0] <= t < bad[1])
            log.sample((START + t) * SECOND, [
                object_of(SYSTEM, [(ODD, GAUGE, 4)], [(None, [now_odd])]),
                object_of(PROCESS, [(BUSY, GAUGE, 4), (HANGS, GAUGE, 4), (PID, GAUGE, 4)],
                          [(name, (90 * (name == process), int(now_odd and name == process), int(name[-1])))
                           for name in ("a:1", "b:2")])])

    def log(self, *passes, name="a.plog", **how):
        log = Log(NAMES, machine=7, **how)
        for one in passes:
            self.samples(log, *one)
        return log.save(self.path(name))

    def named(self, *logs):
        """Each finding's level, and the processes that are named."""
        r = self.good("diagnose", "-q", "--json", "--rules", self.write("rules", RULES), *logs)
        return sorted((f["level"], [p["name"] for p in f["processes"]]) for f in json.loads(r.out)["findings"])

    def test_an_hour_twice(self):
        self.assertEqual(self.named(self.log((0, HOUR, "a:1"), (600, HOUR // 2, "b:2", 500, (1200, 1500)))), [(500, ["b:2"])])
        self.assertEqual(self.named(self.log((0, HOUR, "a:1", 500, (1200, 1500)), (600, HOUR // 2, "b:2"))), [(500, ["a:1"])])

    def test_both_times(self):
        log = self.log((0, 600, "a:1", 500, (200, 300)), (100, 600, "b:2", 400, (200, 300)))
        self.assertEqual(self.named(log), [(400, ["b:2"]), (500, ["a:1"])])

    def test_ahead_at_first(self):
        """By an hour or by years, until the time is known."""
        for ahead in HOUR, 10 * YEAR:
            log = self.log((-300, 300, "a:1"), (ahead, 30, "a:1"), (30, HOUR // 2, "b:2", 500, (600, 900)))
            self.assertEqual(self.named(log), [(500, ["b:2"])], ahead)

    def test_to_and_fro(self):
        """The clock jumps between two times, each of which goes on where it was left."""
        for ahead in 50, HOUR, YEAR:
            passes = [(i * 100 + late * ahead, 100, "ab"[late] + ":%d" % (late + 1), 400 + 100 * late,
                       (late * ahead + 200, late * ahead + 300)) for i in range(5) for late in (0, 1)]
            self.assertEqual(self.named(self.log(*passes)), [(400, ["a:1"]), (500, ["b:2"])], ahead)

    def test_another_file(self):
        """The machine boots with a clock that is late: a file and a session of its own."""
        logs = [self.log((100 * i, 600, "ab"[i] + ":%d" % (i + 1), 500 - 100 * i, (200, 300)), name="%d.plog" % i, session=i + 1)
                for i in range(2)]
        for order in logs, logs[::-1]:
            self.assertEqual(self.named(*order), [(400, ["b:2"]), (500, ["a:1"])])
        logs += [self.log((700, 300, "a:1"), (400, 300, "b:2"), name="2.plog", session=3),
                 self.log((700, 300, "b:2", 300, (800, 900)), name="3.plog", session=4)]
        self.assertEqual(self.named(*logs), [(300, ["b:2"]), (400, ["b:2"]), (500, ["a:1"])])

    def test_of_several_hosts(self):
        """Sessions of two hosts may have one number."""
        logs = [self.log(*passes, host=host, name=host.decode()) for host, passes in (
            (b"a", [(0, 600, "a:1")]), (b"b", [(0, 600, "a:1", 500, (200, 300)), (100, 600, "b:2", 400, (200, 300))]),
            (b"c", [(0, 600, "b:2")]))]
        self.assertEqual(self.named(*logs), [(400, ["b:2"]), (500, ["a:1"])])

    def test_a_sheet(self):
        rows = ['"(PDH-CSV 4.0) (UTC)(0)",' + ",".join('"\\\\w\\%s"' % c for c in (
            r"System\Odd", r"Process(a)\Busy", r"Process(b)\Busy"))]
        rows += ['"11/21/2026 12:%02d:%02d.000","%d","%d","%d"' % (t // 60, t % 60, odd * (200 <= t < 300), a, 90 - a)
                 for begin, odd, a in ((0, 500, 90), (100, 400, 0)) for t in range(begin, begin + 600)]
        self.assertEqual(self.named(self.write("a.csv", "\r\n".join(rows).encode())), [(400, ["b"]), (500, ["a"])])

    def test_too_often(self):
        """More passes than are distinguished: no process rather than another one."""
        passes = [(1000 - 50 * i, 100, "a:1") for i in range(20)]
        self.assertEqual(self.named(self.log(*passes, (-1000, 2100, "b:2", 500, (500, 700)))), [(500, [])])
        fro = [(i % 2 * YEAR + i // 2, 1, "a:1") for i in range(1 << 14)]
        self.assertEqual(self.named(self.log(*fro, (9000, 100, "b:2", 500, (9020, 9090)))), [(500, [])])


class Costs(Case):
    def seconds(self, log):
        def spent():
            used = resource.getrusage(resource.RUSAGE_CHILDREN)
            return used.ru_utime + used.ru_stime

        before = spent()
        self.good("diagnose", "-q", "--json", log)
        return spent() - before

    def log(self, samples, passes):
        """The disk is full in every other sample, and samples are so far apart that each is an episode."""
        log = Log(NAMES)
        for i in range(passes):
            for k in range(samples // passes):
                log.sample((START + (passes - i) * samples + 41 * k) * SECOND,
                           [object_of(DISK, [(FREE, GAUGE, 4)], [("/", (k % 2,))])])
        return log.save(self.path("%d.plog" % samples))

    def test_of_many_episodes(self):
        """Four times as many take four times as long, not sixteen times."""
        for passes in 1, 16:
            few, many = (self.log(samples, passes) for samples in (3200, 12800))
            self.assertLess(self.seconds(many), 6 * self.seconds(few), passes)


if __name__ == "__main__":
    unittest.main(testRunner=Runner)
