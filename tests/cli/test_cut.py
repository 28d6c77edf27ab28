#!/usr/bin/env python3
"""perflog cut: a part of a log whose sheets are those of the whole one."""
import calendar
import json
import os
import random
import re
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import crafted
import harness
from harness import SYSTEM, Case, run, snapshot
from read_payload import hash_of
from test_stats import gauge_log
from write_log import SECOND, Log, object_of

READ_LOG = os.path.join(harness.SUPPORT, "read_log.py")
MAKE_LOG = os.environ.get("MAKE_LOG", os.path.join(os.path.dirname(harness.PROGRAM), "tests", "make_log"))
START, RATE = 1_795_262_400 * SECOND, 0x10410400
# Processes that appear, become another program, and go.
CHURN = ("import os, subprocess, sys, time\n"
         "while True:\n"
         "    p = subprocess.Popen(['sh', '-c', 'sleep 0.1; exec sleep 0.2'])\n"
         "    time.sleep(0.05)\n"
         "    while True:\n"
         "        try:\n"
         "            if os.waitpid(-1, os.WNOHANG)[0] == 0: break\n"
         "        except ChildProcessError: break\n")


class Cut(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = tempfile.mkdtemp(prefix="perflog-test-")
        cls.addClassCleanup(shutil.rmtree, folder, ignore_errors=True)
        cls.log = os.path.join(folder, "all.plog")
        churn = subprocess.Popen([*harness.PYTHON, "-c", CHURN])
        try:
            for n in "40", "15":
                r = run("record", "-q", "-i", "50ms", "-n", n, cls.log)
                assert r.code == 0, r
        finally:
            churn.kill()
            churn.wait()
        lines = run("export", "-q", "-c", SYSTEM[1], cls.log).out.splitlines()
        cls.times = [line.split(",")[0] for line in lines[1:]]

    def setUp(self):
        super().setUp()
        self.new = self.path("new.plog")

    def cut(self, *args, log=None):
        if os.path.exists(self.new):
            os.remove(self.new)
        self.good("cut", "-q", *args, log or self.log, "-o", self.new)
        self.good("verify", self.new)

    def check_same(self, *args, log=None):
        """What ARGS choose of the log is the same if they first cut it out."""
        self.cut(*args, log=log)
        for layout in "long", "wide":
            with self.subTest(args=args, layout=layout):
                whole = self.good("export", "-q", "--layout", layout, *args, log or self.log)
                part = self.good("export", "-q", "--layout", layout, *args, self.new)
                self.assertTrue(whole.raw_out == part.raw_out, "sheets differ")
                self.assertGreater(len(whole.out.splitlines()), 1)

    def test_windows(self):
        t = self.times
        for first, last in (0, 1), (3, 4), (5, 20), (30, 45), (38, 41), (40, 54), (0, 54):
            self.check_same("--from", t[first], "--to", t[last])
            self.check_same("--from", t[first], "--to", t[last], *SYSTEM)
        self.check_same("--from", t[20])
        self.check_same("--to", t[20])
        self.check_same("--from", "-1s")

    def test_one_sample_before(self):
        self.cut("--from", self.times[9], "--to", self.times[12])
        self.assertEqual(harness.count_samples(self.new), 4)
        sheet = self.wide(self.new, *SYSTEM)
        self.assertEqual(sheet.times, self.times[9:13])
        self.cut("--from", self.times[12], "--to", self.times[13], "--tz", "UTC")
        self.assertEqual(harness.count_samples(self.new), 2)

    def test_what_is_reported(self):
        """The samples of the window, and those copied for their first rates: one of each session that was running."""
        for first, last, said in ((3, 4, "1 sample is now in %s, and 1 before it"),
                                  (30, 45, "15 samples are now in %s, and 1 before them"),
                                  (None, 4, "5 samples are now in %s")):
            window = (("--from", self.times[first]) if first else ()) + ("--to", self.times[last])
            for chosen in (), SYSTEM:
                r = self.good("cut", *window, *chosen, self.log, "-o", self.new)
                self.assertEqual(r.err, "perflog: %s: %s\n" % (self.log, said % self.new + (", for the first rates" if first else "")))
                self.assertEqual(harness.count_samples(self.new), sum(map(int, re.findall(r" (\d+) (?:sample|before)", r.err))))
                os.remove(self.new)

    def test_several_hosts(self):
        logs = [gauge_log([(0, 1, 0), (1, 2, 0)], host=host).save(self.path(host.decode())) for host in (b"a", b"b")]
        r = self.refused(1, "cut", "--to", "-0s", *logs, "-o", self.new, says="perflog: cut: these are logs of several hosts;")

    def test_zones(self):
        def shifted(text, hours):
            when = time.strptime(text[:19], "%Y-%m-%d %H:%M:%S")
            moved = time.gmtime(calendar.timegm(when) + 3600 * hours)
            return time.strftime("%Y-%m-%dT%H:%M:%S", moved) + text[19:]
        self.cut("--from", shifted(self.times[3], 2), "--to", shifted(self.times[6], 2),
                 "--tz", "+02:00")
        self.assertEqual(self.wide(self.new, *SYSTEM).times, self.times[3:7])

    def test_chosen_counters(self):
        window = "--from", self.times[4], "--to", self.times[33]
        for paths in ((r"\Process(*)\% Processor Time",), (r"\Process(_Total)\Working Set",),
                      (r"\Process(sleep*)\*",), (r"\Process(sh:*)\% Processor Time",),
                      (r"\Processor(0)\*", r"\Memory\Available Bytes"), (r"\*(_Total)\*",),
                      (r"\PhysicalDisk(*)\% Idle Time",), (r"\LogicalDisk(*)\% Free Space",),
                      (r"\Process(perflog*)\ID Process", r"\Process(_Total)\Thread Count"),
                      ("System", r"\Network Interface(lo)\*")):
            args = [x for p in paths for x in ("-c", p)]
            self.check_same(*window, *args)
            self.check_same(*args)

    def size_of_samples(self, log):
        """Bytes of samples and titles: what identifies the chosen processes is not less than before."""
        return sum(length for kind, _, length, _ in harness.records(log) if kind in ("SMPL", "TITL"))

    def test_only_what_is_chosen_is_there(self):
        self.cut("-c", r"\Process(sleep*)\Working Set", "-c", r"\Memory\Available Bytes")
        listed = self.good("list", self.new).out.splitlines()
        counters = {line.split("\\")[-1] for line in listed}
        self.assertEqual(counters - {"Working Set", "Available Bytes"},
                         {"ID Process", "Elapsed Time", "Data Flags"} & counters)
        self.assertFalse([line for line in listed if "perflog:" in line or "kthreadd" in line])
        self.assertLess(self.size_of_samples(self.new), self.size_of_samples(self.log) / 4)
        with open(self.new, "rb") as f:
            self.assertNotIn(b"k\0t\0h\0r\0e\0a\0d\0d", f.read())

    def test_facts_are_kept(self):
        self.cut("--from", self.times[30], "--to", self.times[45])
        (was,), (now,) = (json.loads(self.good("info", "--json", log).out)
                          for log in (self.log, self.new))
        for key in ("host", "os", "architecture", "processors", "recorder", "process_path",
                    "process_reason", "zone", "interval_seconds", "sessions"):
            self.assertEqual(was.get(key), now.get(key), key)
        self.assertEqual(now["samples"], 16)

    def test_damage(self):
        """Well before the end of the window; what lies behind it need not be read."""
        with open(self.log, "rb") as f:
            data = f.read()
        end = [at for kind, at, _, _ in harness.records(self.log) if kind == "SMPL"][45]
        for seed in range(5):
            r, bad = random.Random(seed), bytearray(data)
            at = r.randrange(1000, end - 300)
            bad[at:at + 300] = bytes(len(bad[at:at + 300]))
            log = self.write("bad.plog", bad)
            window = "--from", self.times[5], "--to", self.times[50]
            if os.path.exists(self.new):
                os.remove(self.new)
            code = run("cut", "-q", *window, *SYSTEM, log, "-o", self.new).code
            for layout in "long", "wide":
                whole = run("export", "-q", "--layout", layout, *window, *SYSTEM, log)
                part = run("export", "-q", "--layout", layout, *window, *SYSTEM, self.new)
                with self.subTest(seed=seed, layout=layout):
                    self.assertEqual((whole.code, part.code), (code, 0))
                    self.assertTrue(whole.raw_out == part.raw_out, "sheets differ")

    def test_clock_that_steps_back(self):
        """Samples behind the window come into it again; they are found, and so are their pairs."""
        with open(self.log, "rb") as f:
            data = bytearray(f.read())
        samples = [r for r in harness.records(self.log) if r[0] == "SMPL"]
        for _, at, _, utc in samples[25:]:
            struct.pack_into("<q", data, at + 24, utc - 1000 * 1000 * 1000)
            struct.pack_into("<Q", data, at + 64, hash_of(0, bytes(data[at:at + 64])))
        log, t = self.write("stepped.plog", data), self.times
        for first, last in (2, 9), (15, 18), (20, 30), (0, 3):
            self.check_same("--from", t[first], "--to", t[last], *SYSTEM, log=log)

    def test_row_that_is_later_than_its_sample(self):
        """The sample before it is its older one, though both samples are before the window."""
        log = Log({2: b"Engine", 4: b"Turns/sec"})
        for k in range(6):  # each is a complete sample, from which reading could begin
            log.sample(START + k * SECOND - 500_000, [object_of(2, [(4, RATE, 8)], [(None, [k * k])])])
        made = log.save(self.path("early.plog"))
        self.check_same("--from", "@%d.9997" % (START // SECOND + 2), log=made)

    def test_segments(self):
        folder = self.path("segments")
        os.mkdir(folder)
        self.record(os.path.join(folder, "a.plog"), "-i", "20ms", "-n", "200", "--max-time", "1s", *SYSTEM)
        self.assertGreater(len(os.listdir(folder)), 3)
        times = self.wide(folder, *SYSTEM).times
        for first, last in (5, 20), (40, 60), (90, 130), (100, 199), (0, 199), (190, 199):
            self.check_same("--from", times[first], "--to", times[last], log=folder)

    def test_blocks_that_do_not_add_up(self):
        """What a recorder of ill will wrote, whole to every hash, does no harm."""
        short = self.record(self.path("short.plog"), "-i", "20ms", "-n", "3")
        with open(short, "rb") as f:
            data = f.read()
        raw = self.path("raw")
        os.mkdir(raw)
        subprocess.run([*harness.PYTHON, READ_LOG, "--raw", raw, short], check=True,
                       stdout=subprocess.DEVNULL)
        blocks = []
        for name in sorted(os.listdir(raw)):
            with open(os.path.join(raw, name), "rb") as f:
                blocks.append(f.read())
        found = harness.records(short)
        head = b"".join(data[r[1]:r[1] + r[2]] for r in found if r[0] in ("SESS", "TITL"))
        num = sum(r[0] in ("SESS", "TITL") for r in found)
        utc = [r[3] for r in found if r[0] == "SMPL"]
        session, = struct.unpack_from("<Q", data, 8)

        def write(changed):
            return self.write("hostile.plog", head + b"".join(
                crafted.record(b"SMPL", session, num + i, bytes(b), utc[i], utc[i])
                for i, b in enumerate(changed)))

        def check(log, *paths):
            args = [x for p in paths for x in ("-c", p)]
            for command in ("cut", *args), ("repair",):
                if os.path.exists(self.new):
                    os.remove(self.new)
                r = run(*command, "-q", log, "-o", self.new)
                self.assertIn(r.code, (0, 1, 2), r)
                self.assertNotIn("Sanitizer", r.err)

        first, = struct.unpack_from("<I", blocks[0], 24)  # the first object
        fewer = [bytearray(b) for b in blocks]
        struct.pack_into("<I", fewer[0], first + 32, 1)  # the number of its counters, the first time
        check(write(fewer), "*")
        for seed in range(6):
            r, changed = random.Random(seed), [bytearray(b) for b in blocks]
            for b in changed:
                for _ in range(r.choice((1, 3, 10))):
                    value = r.choice((0, 1, 3, 24, 40, 48, 64, len(b), 2**31 - 1, 2**32 - 1))
                    struct.pack_into("<I", b, r.randrange(len(b) // 4) * 4, value)
            check(write(changed), r"\Process(s*)\*", r"\Processor(_Total)\*")

    def test_refused(self):
        t, other = self.times, self.write("other", b"precious")
        os.symlink("nowhere", self.path("dangling"))
        window = "--from", t[2], "--to", t[5]
        for new in other, self.log, self.path("dangling"), self.path("none", "x"), self.folder, "-":
            self.refused(1, "cut", *window, self.log, "-o", new)
        self.refused(1, "cut", self.log, "-o", self.new)
        self.refused(1, "cut", *window, self.log)
        self.refused(1, "cut", *window, "-o", self.new)
        self.refused(1, "cut", "--from", t[5], "--to", t[2], self.log, "-o", self.new,
                     says="not before")
        self.refused(1, "cut", "--from", "2001-01-01", "--to", "2001-01-02", self.log, "-o", self.new,
                     says="no samples from 2001-01-01 00:00:00 to 2001-01-02 00:00:00 UTC")
        self.refused(1, "cut", "--from", "last week", self.log, "-o", self.new)
        self.refused(1, "cut", "--tz", "Nowhere/Land", *window, self.log, "-o", self.new)
        self.refused(1, "cut", *window, "-c", r"\No Such Object(*)\Nothing", self.log, "-o", self.new,
                     says="nothing matches")

    def test_one_path_without_a_match(self):
        r = run("cut", "-q", *SYSTEM, "-c", r"\Nothing\*", self.log, "-o", self.new)
        self.check_one_line(r, 1, "nothing matches")
        self.good("verify", self.new)

    def test_the_log_is_not_touched(self):
        before = snapshot(os.path.dirname(self.log))
        self.cut("--from", self.times[5])
        self.assertEqual(before, snapshot(os.path.dirname(self.log)))


class BehindAnIndex(Case):
    """A log of 200 chunks, with an index after each 64: reading begins behind one of these."""

    def test_who_recorded_is_kept(self):
        log, new = self.path("a.plog"), self.path("new.plog")
        subprocess.run([MAKE_LOG, log, "samples=200", "interval=300000", "processes=4"], check=True)
        facts = [line for line in self.good("info", log).out.splitlines() if line.startswith(("  Host", "  Interval"))]
        self.assertEqual(len(facts), 2)
        window = "--from", "2026-11-21 12:00:00", "--to", "2026-11-21 13:00:00"
        for paths in (), ("-c", r"\Memory\*"), ("-c", r"\\made\Memory\*"):
            with self.subTest(paths=paths):
                whole = self.good("export", *window, *paths, log)
                self.good("cut", *window, *paths, log, "-o", new)
                self.assertEqual(self.good("export", *window, new).out, whole.out)
                self.assertEqual([f for f in facts if f not in self.good("info", new).out], [])
                self.good("export", log, new)  # of the same host
                os.remove(new)


class ManyPaths(Case):
    def test_those_of_one_instance_are_compared_once(self):
        """A file of paths names an instance once for each of its counters: processor time is not that of their product."""
        log = Log({2: b"X", 4: b"C"})
        for k in range(3):
            log.sample(k * SECOND, [object_of(2, [(4, 0x00010100, 8)], [("i%d" % i, [i]) for i in range(2000)])])
        path = self.write("a.plog", log.data)
        for n, code in (7, 0), ("none", 1):
            paths = self.write("paths", b"".join(b"\\X(i%s)\\C\n" % str(n).encode() for _ in range(80000)))
            out = self.path("%s.plog" % n)
            r = run("cut", "-q", "-c", "@" + paths, "-o", out, path,
                    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (15, 15)))
            self.assertEqual(r.code, code, r.err[-300:])
        listed = self.good("list", self.path("7.plog")).out
        self.assertEqual(listed, "\\\\web\\X(i7)\\C\n")


if __name__ == "__main__":
    harness.main()
