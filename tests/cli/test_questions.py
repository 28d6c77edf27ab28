#!/usr/bin/env python3
"""The Five questions of README.md, pasted as they stand, in a folder where log.plog is a rotated log of 14 days, or of 3
unless PERFLOG_TEST_FULL is set, and damaged.plog the same with a damaged day."""
import csv
import glob
import io
import os
import re
import shutil
import subprocess
import sys
import unittest
import zipfile

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import Case
from read_report import Report
from write_log import SECOND, Log, object_of

DAYS, MINUTES = 14 if harness.FULL else 3, 1440
START = 1_795_219_200  # 2026-11-21 00:00:00 UTC
LAST = "2026-12-04" if harness.FULL else "2026-11-23"  # of these days
PEAK = os.environ.get("PEAK", os.path.join(os.path.dirname(harness.PROGRAM), "tests", "peak"))
MOST_MEMORY = 32 << 20
UNBUILT = {"perflog report": "PERFLOG_HAS_REPORT", "perflog export --xlsx": "PERFLOG_HAS_XLSX"}


def questions():
    """The commands of the section, in its order."""
    with open(os.path.join(harness.ROOT, "README.md"), encoding="utf-8") as f:
        section = re.search(r"^## Five questions\n(.*?)^## ", f.read(), re.S | re.M)[1]
    return re.findall(r"^    (perflog .*)$", section, re.M)


class Questions(Case):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("log.plog"))
        # A sample a minute: as many segments and days as of one a second, and a sixtieth of the samples.
        subprocess.run([os.environ["MAKE_LOG"], self.path("log.plog", "this.plog"), "samples=%d" % (DAYS * MINUTES),
                        "interval=60000", "processes=20", "processors=2", "disks=1", "interfaces=1", "segment=86400",
                        "start=%d" % START], check=True)
        self.assertEqual(len(os.listdir(self.path("log.plog"))), DAYS)
        shutil.copytree(self.path("log.plog"), self.path("damaged.plog"))
        self.damaged = sorted(glob.glob(self.path("damaged.plog", "*")))[2]
        with open(self.damaged, "r+b") as f:
            f.seek(os.path.getsize(self.damaged) // 2)
            f.write(b"\xff" * 16)
        os.mkdir(self.path("bin"))
        self.write("bin/perflog", b'#!/bin/sh\nexec "%s" "%s" "%s" "$@"\n' % tuple(
            os.fsencode(p) for p in (PEAK, self.path("used"), harness.PROGRAM)))
        os.chmod(self.path("bin", "perflog"), 0o755)

    def paste(self, command):
        """What the shell makes of it: exit status, output, message."""
        path = self.path("bin") + ":" + os.environ["PATH"]
        done = subprocess.run(command, shell=True, cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True,
                              encoding="utf-8", env={**os.environ, "PATH": path, "TZ": "UTC"}, check=False)
        with open(self.path("used"), encoding="ascii") as f:
            memory, us = map(int, f.read().split())
        print("%-75s %5.2f s CPU, %4.1f MB" % (command, us / 1e6, memory / 1e6), file=sys.stderr)
        self.assertLess(memory, MOST_MEMORY, command)
        return done.returncode, done.stdout, done.stderr

    def test_each(self):
        answers = {
            "perflog top": self.machine_then, "perflog report": self.charts_then, "perflog export --top": self.who_wrote,
            "perflog export --xlsx": self.workbook, "perflog verify": self.what_is_lost, "perflog repair": self.what_is_left,
            "perflog list": self.names}
        asked = questions()
        self.assertEqual(len(asked), len(answers), asked)
        for command in asked:
            key = next(k for k in answers if command.startswith(k))
            if os.environ.get(UNBUILT.get(key, ""), "1") in ("", "0", "OFF", "FALSE"):
                continue
            with self.subTest(command):
                answers.pop(key)(*self.paste(command))

    def machine_then(self, code, out, err):
        self.assertEqual((code, err), (0, ""))
        self.assertTrue(out.startswith("made  %s 03:12:00 UTC, one sample of the 1m before\n" % LAST), out)
        for word in "Processors", "Memory", "sd0", "eth0", "daemon":
            self.assertIn(word, out)

    def charts_then(self, code, out, err):
        self.assertEqual((code, out), (0, ""), err)
        page = Report(self.path("report.html"))
        times = [t - START for t in page.charts[0].host["x"]]
        self.assertEqual(times, [(DAYS - 1) * 86400 + 3 * 3600 + 60 * m for m in (11, 12, 13, 14)])

    def who_wrote(self, code, out, err):
        self.assertEqual(code, 0, err)
        rows = list(csv.reader(io.StringIO(out)))
        self.assertEqual(len(rows), 1 + DAYS * MINUTES)
        names = [re.search(r"\((.*)\)", column)[1] for column in rows[0][1:]]
        self.assertEqual((len(names), len(set(names) - {"_Total", "_Other"})), (12, 10))

    def workbook(self, code, out, err):
        self.assertEqual((code, out), (0, ""), err)
        with zipfile.ZipFile(self.path("log.xlsx")) as z:
            self.assertIsNone(z.testzip())
            self.assertIn(b"Processor", z.read("xl/workbook.xml"))

    def what_is_lost(self, code, out, err):
        self.assertEqual(code, 2, err)
        self.assertIn(os.path.basename(self.damaged), out)
        self.assertRegex(out, r"samples lost: \d+ ")

    def what_is_left(self, code, out, err):
        self.assertEqual((code, out), (2, ""), err)
        lost = int(re.search(r"lost: (\d+) sample", err)[1])
        self.assertIn("%d samples in" % (DAYS * MINUTES - lost), self.good("verify", self.path("clean.plog")).out)

    def names(self, code, out, err):
        self.assertEqual((code, err), (0, ""))
        self.assertIn("\\\\made\\Processor(_Total)\\% Processor Time\n", out)


@unittest.skipIf(os.environ.get("PERFLOG_HAS_REPORT", "1") in ("0", "OFF", ""), "this perflog makes no pages")
class Mailed(Case):
    def test_a_day_of_many_processes(self):
        """Of a busy day with 300 processes and others that come and go the page is under 2 MB, to be sent by mail."""
        subprocess.run([os.environ["MAKE_LOG"], self.path("day.plog"), "samples=8640", "interval=10000", "processes=300",
                        "churn=5", "processors=16", "disks=8", "interfaces=8"], check=True)
        self.good("report", "-q", self.path("day.plog"), "-o", self.path("day.html"))
        size = os.path.getsize(self.path("day.html"))
        self.assertGreater(size, 500_000)
        self.assertLess(size, 2_000_000)


class Storm(Case):
    """Two minutes in which 500 processes a second live for one or two, behind two quiet ones: little memory has to do."""

    EACH, QUIET, SAMPLES = 500, 120, 240

    def alive(self, s):
        """Processes of a sample: those that have just begun, and those of the sample before."""
        return range(1000 + max(self.QUIET, s - 1) * self.EACH, 1000 + (s + 1) * self.EACH if s >= self.QUIET else 0)
    GAUGE, RATE, TIMER, TEXT = 0x00010100, 0x10410500, 0x20510500, 0x00000B00

    def log(self):
        names = {2: b"System", 4: b"Threads Created/sec", 10: b"Process", 12: b"ID Process", 14: b"Creating Process ID",
                 16: b"% Processor Time", 18: b"State"}
        names.update({n: b"Counter %d" % n for n in range(20, 88, 2)})  # as many as Linux' processes have
        counters = [(12, 0x00010000, 4), (14, 0x00010000, 4), (16, self.TIMER, 8), (18, self.TEXT, 4)] + [
            (n, self.GAUGE, 8) for n in range(20, 88, 2)]
        log = Log(names)
        for s in range(self.SAMPLES):
            rows = [("forker:7", [7, 1, s * 10**6, ord("R")] + [1] * 34)]
            for pid in self.alive(s):
                rows.append(("brief:%d" % pid, [pid, 7, 0, ord("S")] + [1] * 34))
            log.sample((START + s) * SECOND, [object_of(2, [(4, self.RATE, 8)], [(None, [max(0, s - self.QUIET) * self.EACH])]),
                                              object_of(10, counters, rows)])
        return log.save(self.path("storm.plog"))

    def test_memory(self):
        log, used = self.log(), self.path("used")
        self.assertIn("forker:7: started", self.good("diagnose", log).out)
        for args in ["diagnose"], ["top"], ["top", "--every", "2m"], ["stats"], ["compare", "--shift", "1m"], ["export", "--group", "name"]:
            with self.subTest(args[0]):
                subprocess.run([PEAK, used, harness.PROGRAM, *args, "-q", log], stdout=subprocess.DEVNULL, check=True)
                with open(used, encoding="ascii") as f:
                    memory = int(f.read().split()[0])
                print("%-20s in a storm: %4.1f MB" % (" ".join(args), memory / 1e6), file=sys.stderr)
                self.assertLess(memory, MOST_MEMORY)


if __name__ == "__main__":
    harness.main()
