#!/usr/bin/env python3
"""export --jobs: whatever a log holds and however many threads there are, bytes, messages and status are those of one."""
import os
import signal
import subprocess
import sys
import unittest

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import PROGRAM, Recording, run, wait_until
from test_long_logs import Made
from write_log import SECOND, Log, object_of

START = 1795219200 * SECOND
LAYOUTS = ([], ["-c", "*"], ["--layout", "long"], ["--layout", "pdh"])
# With the sanitizer of threads one case has all layouts, the others these two: threads know none.
FEW_LAYOUTS = ([], LAYOUTS[2]) if harness.looks_for_races() else LAYOUTS


def threads_of(pid):
    return len(os.listdir("/proc/%d/task" % pid))


class Jobs(Made):
    def printed(self, *args):
        """Status, messages, and bytes on standard output."""
        r = run("export", *args)
        return r.code, r.err, r.raw_out

    def filed(self, *args):
        """The same, and bytes of a file."""
        out = self.path("out.csv")
        r = run("export", *args, "-o", out)
        with open(out, "rb") as f:
            data = f.read()
        os.remove(out)
        return r.code, r.err, data

    def ways(self, layout):
        """Numbers of threads and where the bytes go; the sanitizer of threads takes long, and is given one of them."""
        if harness.looks_for_races():
            return (("3", self.filed if layout else self.printed),)
        return ("2", self.printed), ("5", self.filed)

    def same(self, *args, layouts=LAYOUTS):
        for layout in layouts:
            wanted = self.printed(*layout, *args)
            for jobs, way in self.ways(layout):
                with self.subTest(args=args, layout=layout, jobs=jobs):
                    got = way(*layout, *args, "--jobs", jobs)
                    self.assertEqual(got[:2], wanted[:2])
                    self.assertTrue(got[2] == wanted[2], "other bytes")
        return wanted

    def made_of(self, times, value=lambda k: 7 * k, interval_ns=SECOND, names=lambda k: (None,), **how):
        """A log with a sample at each of the times, in ns after START."""
        log = Log({2: b"Tank", 4: b"Level", 6: b"Drops/sec"}, interval_ns=interval_ns, **how)
        counters = ((4, 0x00010000, 4), (6, 0x10410400, 4))
        for k, t in enumerate(times):
            log.sample(START + t, [object_of(2, counters, [(n, (k % 5, value(k))) for n in names(k)])])
        return log


class Same(Jobs):
    def test_processes_that_come_and_go(self):
        log = self.made("a.plog", samples=420, processes=10, churn=3, disks=1, interfaces=1, processors=1)
        self.same(log)
        self.same(log, "--from", "00:01:00", "--to", "00:05:30")
        self.same(log, "--tz", "Europe/Berlin", "--precision", "4", "--decimal-comma", "--bom", layouts=([], LAYOUTS[2]))
        self.same(log, "--layout", "long", "-c", r"\Process(*)\% Processor Time", "-c", r"\No\such", layouts=([],))

    def test_damage(self):
        log = self.hurt(self.made("a.plog", samples=500, processes=10, disks=1, interfaces=1, processors=1))
        wanted = self.same(log, layouts=([], LAYOUTS[2]))
        self.assertEqual(wanted[0], 2)
        self.assertIn("damaged: 3 ranges", wanted[1])

    @unittest.skipIf(harness.looks_for_races(), "threads and locks are those of the cases that run")
    def test_damage_within_a_block(self):
        """Records are good, and so is what is looked ahead at."""
        log = self.made_of([k * SECOND for k in range(200)])
        log.record(b"SMPL", b"no block", START + 200 * SECOND)
        for k in range(201, 400):
            log.sample(START + k * SECOND, [object_of(2, ((4, 0x00010000, 4),), [(None, (k,))])])
        wanted = self.same(log.save(self.path("a.plog")), layouts=([], LAYOUTS[2]))
        self.assertEqual(wanted[0], 2)

    @unittest.skipIf(harness.looks_for_races(), "threads and locks are those of the cases that run")
    def test_records_that_are_missing(self):
        log = self.made_of([k * SECOND for k in range(200)])
        log.seq += 3
        for k in range(200, 400):
            log.sample(START + k * SECOND, [object_of(2, ((4, 0x00010000, 4),), [(None, (k,))])])
        self.assertEqual(self.same(log.save(self.path("a.plog")), layouts=FEW_LAYOUTS)[0], 2)

    def test_segments_and_hosts(self):
        folder = self.path("logs")
        os.mkdir(folder)
        for i in range(4):
            self.made(os.path.join("logs", "%d.plog" % i), samples=90, processes=6, start=1795219200 + 100 * i, seed=i)
        self.same(folder, layouts=FEW_LAYOUTS)
        other = self.made("b.plog", samples=300, processes=6, host=1, seed=9)
        self.same(folder, other, layouts=FEW_LAYOUTS)
        beside = self.made("c.plog", samples=300, processes=6, host=1, start=1795219350)
        self.same(folder, beside, layouts=FEW_LAYOUTS)

    @unittest.skipIf(harness.looks_for_races(), "threads and locks are those of the cases that run")
    def test_packed(self):
        log = self.made("a.plog", samples=400, processes=6, churn=1)
        self.good("pack", "-q", log)
        self.same(log, layouts=([], LAYOUTS[2]))

    @unittest.skipIf(harness.looks_for_races(), "threads and locks are those of the cases that run")
    def test_clocks_that_step_back(self):
        """No part may end among times that occur twice."""
        for back in 3, 40, 150, 299:
            times = [k * SECOND for k in range(300)] + [(300 - back + k) * SECOND for k in range(300)]
            self.same(self.made_of(times).save(self.path("a.plog")), layouts=([], LAYOUTS[2]))

    @unittest.skipIf(harness.looks_for_races(), "threads and locks are those of the cases that run")
    def test_clocks_that_step_forward(self):
        times = [k * SECOND for k in range(200)] + [(90000 + k) * SECOND for k in range(200)]
        self.same(self.made_of(times).save(self.path("a.plog")), layouts=([], LAYOUTS[2]))

    @unittest.skipIf(harness.looks_for_races(), "threads and locks are those of the cases that run")
    def test_times_of_no_sense(self):
        for last in 1 << 62, -START - (1 << 62):
            times = [k * SECOND for k in range(300)] + [last]
            self.same(self.made_of(times).save(self.path("a.plog")), layouts=([], LAYOUTS[2]))

    @unittest.skipIf(harness.looks_for_races(), "threads and locks are those of the cases that run")
    def test_intervals(self):
        for interval in SECOND // 10, 0:
            times = [k * SECOND // 10 for k in range(400)]
            self.same(self.made_of(times, interval_ns=interval).save(self.path("a.plog")), layouts=([], LAYOUTS[2]))

    @unittest.skipIf(harness.looks_for_races(), "threads and locks are those of the cases that run")
    def test_milliseconds_that_come_late(self):
        """All rows of the long layout have them, also where a recorder that begins in 1970 came after the one that has them."""
        first = self.made_of([k * SECOND for k in range(300)])
        for interval, times in (SECOND // 4, [300 * SECOND + k * SECOND // 4 for k in range(300)]), \
                (0, [300 * SECOND + SECOND // 4] + [k * SECOND for k in range(301, 600)]):
            later = self.made_of(times, interval_ns=interval, session=77)
            log = first.data + later.data
            self.same(self.write("a.plog", log), layouts=([], LAYOUTS[2]))
        last = self.made_of([k * SECOND for k in range(600, 900)], session=78)
        self.same(self.write("a.plog", log + last.data), "--from", "2026-11-21 00:00:10", layouts=([], LAYOUTS[2]))

    @unittest.skipIf(harness.looks_for_races(), "threads and locks are those of the cases that run")
    def test_another_machine_of_the_name(self):
        first = self.made_of([k * SECOND for k in range(300)])
        later = self.made_of([(300 + k) * SECOND for k in range(300)], session=77, host=b"mail")
        self.same(self.write("a.plog", first.data + later.data), layouts=([], LAYOUTS[2]))

    def test_instances_that_vanish_at_each_sample(self):
        """Whereever a part begins, what its first row lacks is reported as absent."""
        names = lambda k: ["a", "b%d" % (k % 3), "b%d" % (k % 3), "_Total"]
        log = self.made_of([k * SECOND for k in range(400)], names=names)
        wanted = self.same(log.save(self.path("a.plog")))
        self.assertTrue(wanted)
        self.assertGreater(run("export", "--layout", "long", self.path("a.plog")).out.count(",absent"), 700)

    @unittest.skipIf(harness.looks_for_races(), "threads and locks are those of the cases that run")
    def test_options_that_need_one_thread(self):
        log = self.made("a.plog", samples=200, processes=6)
        for options in (["--every", "10s"], ["--top", "2"], ["--drop-empty"], ["--group", "name"], ["-f"],
                        ["--layout", "long", "--identity"]):
            self.same(log, *options, layouts=([],))
        with open(log, "rb") as f:
            piped = run("export", "--layout", "long", "-j", "3", "-", stdin=f)
        self.assertTrue(piped.raw_out == run("export", "--layout", "long", log).raw_out)


class Pieces(Jobs):
    def same_where_damaged(self, log):
        want = run("export", "-q", "--layout", "long", log)
        self.assertEqual(want.code, 2)
        got = run("export", "-q", "--layout", "long", log, "-j", "2")
        self.assertEqual((got.code, got.err), (want.code, want.err))
        self.assertTrue(got.raw_out == want.raw_out, "other bytes")

    def test_rows_of_megabytes(self):
        """A part that is larger than a thread may hold is written in pieces, unless times are in disorder."""
        # MiB: more than a piece; more rows than a sheet of Excel has as well
        least = 12 if harness.looks_for_races() else 40
        rows = ["r%d" % k for k in range(225 * least)]
        names = lambda k: rows if 150 < k < 210 else rows[:1]
        for late in 0, 2:
            times = [k * SECOND for k in range(300)]
            times[190] -= late * SECOND
            log = self.made_of(times, names=names).save(self.path("a.plog"))
            want = run("export", "--layout", "long", log)
            self.assertGreater(len(want.raw_out), least << 20)
            self.assertEqual("rows with the header" in want.err, least == 40)
            got = run("export", "--layout", "long", log, "-j", "2")
            self.assertEqual((got.code, got.err), (want.code, want.err))
            self.assertTrue(got.raw_out == want.raw_out, "other bytes")

    @unittest.skipIf(harness.looks_for_races(), "threads and locks are those of the cases that run")
    def test_a_clock_that_steps_back_where_a_piece_would_end(self):
        """And what comes later must be read by one thread: it goes on after the last row that was written."""
        rows = ["r%d" % k for k in range(20_000)]
        steps = [t for k in range(203, 320, 4) for t in (k, k - 1)]
        times = [*range(200), *steps, *range(steps[-1] + 3, 664)]
        bad = next(i for i in range(len(times)) if times[i] == 262)
        log = self.made_of([t * SECOND for t in times[:bad]], names=lambda k: rows if k >= 200 else rows[:1])
        log.record(b"SMPL", b"no block", START + times[bad] * SECOND)
        counters = ((4, 0x00010000, 4), (6, 0x10410400, 4))
        for k in range(bad + 1, len(times)):
            names = rows if times[k] <= steps[-2] else rows[:1]
            log.sample(START + times[k] * SECOND, [object_of(2, counters, [(n, (k % 5, 7 * k)) for n in names])])
        log = log.save(self.path("a.plog"))
        self.same_where_damaged(log)

    @unittest.skipIf(harness.looks_for_races(), "threads and locks are those of the cases that run")
    def test_a_clock_that_steps_back_two_rows_after_a_large_one(self):
        """A piece does not end with the large row: an older one follows, and what is unusual is left to one thread."""
        times = [*range(252), 249.5, *range(252, 600)]
        large = 250
        rows = ["r%d" % k for k in range(90_000)]
        log = self.made_of([int(t * SECOND) for t in times[:large + 3]],
                           names=lambda k: rows if k == large else rows[:1])
        log.record(b"SMPL", b"no block", START + times[large + 3] * SECOND)
        for t in times[large + 4:]:
            log.sample(START + t * SECOND, [object_of(2, ((4, 0x00010000, 4), (6, 0x10410400, 4)), [("r0", (1, 7 * t))])])
        log = log.save(self.path("a.plog"))
        self.same_where_damaged(log)


class Ends(Jobs):
    def setUp(self):
        super().setUp()
        self.log = self.made("a.plog", samples=600, processes=100)

    def start(self, *args, **how):
        return subprocess.Popen([PROGRAM, "export", "-q", "--layout", "long", "-j", "3", self.log, *args],
                                stderr=subprocess.PIPE, **how)

    def test_threads(self):
        """As many as were asked for, and the one that writes; the sanitizer of threads adds its own."""
        with self.start(stdout=subprocess.PIPE) as child:
            wait_until(lambda: threads_of(child.pid) >= 4, "four threads")
            child.stdout.close()
            self.assertEqual((child.stderr.read(), child.wait(harness.TIMEOUT)), (b"", 0))

    def test_interrupt(self):
        """Nothing is left of the output."""
        fifo = self.path("fifo")
        os.mkfifo(fifo)
        child = self.start("-o", fifo)
        reader = os.open(fifo, os.O_RDONLY)
        wait_until(lambda: threads_of(child.pid) >= 4, "four threads")
        child.send_signal(signal.SIGINT)
        with child:
            self.assertEqual((child.wait(harness.TIMEOUT), child.stderr.read()), (-signal.SIGINT, b""))
        os.close(reader)
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.plog", "fifo"])

    def test_full_disk(self):
        with open("/dev/full", "wb") as full:
            one = run("export", "--layout", "long", self.log, stdout=full)
            several = run("export", "--layout", "long", self.log, "-j", "3", stdout=full)
        self.assertEqual((several.code, several.err), (one.code, one.err))
        self.assertEqual(one.code, 1)
        self.assertIn("No space left", one.err)

    def test_a_log_that_grows(self):
        log = self.path("live.plog")
        recording = Recording(self, log, "-i", "10ms", "-c", "System", "-c", "Memory")
        recording.wait_for(300)
        for layout in [], ["--layout", "long"]:
            part = self.good("export", "-q", *layout, "-j", "4", log).raw_out
            self.assertGreaterEqual(part.count(b"\n"), 300)
            whole = self.good("export", "-q", *layout, log).raw_out
            self.assertTrue(whole.startswith(part))
        recording.end()

    def test_wrong_numbers(self):
        for jobs in "x", "-1", "257", "":
            self.refused(1, "export", "--jobs", jobs, self.log, says="give a number of threads, up to 256, or 0")
        self.good("export", "-q", "-j", "0", self.log)


if __name__ == "__main__":
    harness.main()
