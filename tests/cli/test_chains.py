#!/usr/bin/env python3
"""Chains of commands, by chance, on logs of recorders that ended or were killed, and on made ones.

Whatever is made of a good log (packed, repaired, cut, joined, appended to) is good, and has the sheets that it had; of one
that is damaged what is left is as it was, and commands agree on what is lost.  PERFLOG_CHAIN=N runs the chain of one seed.
MAKE_LOG names the program that makes logs.
"""
import csv
import glob
import io
import json
import os
import random
import shutil
import signal
import struct
import sys
import time

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import FULL, Case, Recording, run

MAKE_LOG = os.environ.get("MAKE_LOG", os.path.join(os.path.dirname(harness.PROGRAM), "tests", "make_log"))
GOOD, FAILED, DAMAGED, EMPTY = 0, 1, 2, 4
CHOSEN = (("-c", "System"), ("-c", r"\Process(a*)\*", "-c", r"\Processor(*)\*"), ("-c", r"\Process(a*)\*"))
WINDOWS = ((), (), ("-c", "System"), ("-c", r"\Process(*)\*"), ("-c", r"\*(_Total)\*"))
# What info says of a log that does not depend on how it is stored.
FACTS = ("host", "interval_seconds", "first", "last", "sessions", "samples", "missed", "raw_bytes", "cpu_seconds", "ended", "reboots",
         "clock_steps", "damaged_ranges", "malformed_blocks")
# Of a damaged log these, and totals of them, differ from what they were.
LOSSES = ("damaged", "gap", "first", "absent", "partial")
ODD = "a(b)[*]?"
IN_GATE = 2, 4, 5  # seeds: a file, segments, and a made log
MOST_LOST = {"PACK": 300, "SMPL": 60}  # samples, by the record that is hurt


def files_of(path):
    """Segments in the order in which they were written: by the beginning of their session, then by number."""
    if os.path.isfile(path):
        return [path]
    heads, begun = {}, {}
    for name in glob.glob(os.path.join(glob.escape(path), "*.plog")):
        with open(name, "rb") as f:
            head = f.read(72)
        if len(head) == 72:
            session, seq, utc = struct.unpack_from("<QI4xq", head, 8)
            heads[name] = session, seq
            begun[session] = min(utc, begun.get(session, utc))
    return sorted(heads, key=lambda name: (begun[heads[name][0]], *heads[name]))


def rows_of(sheet):
    """Without the header; names may hold line ends."""
    return list(csv.reader(io.StringIO(sheet, newline="")))[1:]


class Chains(Case):
    def setUp(self):
        super().setUp()
        self.made = 0

    def new(self, end=".plog"):
        self.made += 1
        return self.path("%d%s" % (self.made, end))

    # ---- logs to begin with -------------------------------------------------
    @staticmethod
    def samples_of(log):
        return sum(map(harness.count_samples, files_of(log)))

    def recorded(self):
        """A file, or a folder of segments.  The recorder may be killed, and go on later."""
        r, folder = self.random, self.new("")
        os.mkdir(folder)
        path = os.path.join(folder, "a.plog")
        rotated = r.choice([(), ("--max-size", "64K", "--pack", "never"), ("--max-time", "1s")])
        for more in [15, r.choice([1, 15])][:r.randrange(1, 3)]:
            wanted = self.samples_of(folder) + more
            recorder = Recording(self, path, "-q", "-i", "10ms", *r.choice(CHOSEN), *rotated)
            recorder.wait(lambda: self.samples_of(folder) > wanted - more, "a sample")
            with harness.process_named(ODD + "2"):  # its columns come late
                recorder.wait(lambda: self.samples_of(folder) >= wanted, "%d samples" % wanted)
            if r.random() < 0.3:
                with recorder.paused():
                    time.sleep(0.1)
            self.assertIn(recorder.end(r.choice([signal.SIGKILL, signal.SIGINT])).code, (GOOD, DAMAGED, -signal.SIGKILL))
        for left in glob.glob(os.path.join(glob.escape(folder), "*.packing")):
            os.remove(left)
        return folder if rotated else path

    def machine(self):
        r, folder = self.random, self.new("")
        os.mkdir(folder)
        samples, ms = r.choice([1, 59, 61, 310]), r.choice([10, 1000, 7000])
        args = ["samples=%d" % samples, "interval=%d" % ms, "seed=%d" % r.getrandbits(30), "processes=%d" % r.choice([1, 20]),
                "churn=%d" % r.choice([0, 3]), "disks=1", "interfaces=0"]
        if r.random() < 0.5:
            args.append("segment=%d" % (samples * ms // 3000 + 1))
        path = os.path.join(folder, "a.plog")
        self.assertEqual(run(path, *args, program=MAKE_LOG).code, 0)
        return folder if "segment" in args[-1] else path

    # ---- what commands say --------------------------------------------------
    def sheet(self, log, *args, layout="long"):
        r = run("export", "-q", "--layout", layout, *args, log)
        self.assertIn(r.code, (GOOD, FAILED, DAMAGED), r)
        return r

    def views(self, log, *window):
        """Sheets, the same for all logs that hold the same."""
        return [self.sheet(log, *window).out if window else self.sheet(log, "--identity").out,
                self.sheet(log, "--wide-anyway", *(window if "-c" in window else (*window, "-c", "*")), layout="wide").out,
                run("stats", "--csv", *window, log).out]

    def info(self, log, code):
        r = run("info", "--json", log)
        self.assertEqual(r.code, code, r)
        found, = json.loads(r.out)
        return found

    def check_agreement(self, log):
        """Of a log that is good; returns what info says of it."""
        verified = run("verify", "--json", log)
        self.assertEqual(verified.code, GOOD, verified)
        counts, info = json.loads(verified.out), self.info(log, GOOD)
        for key in "samples", "sessions", "interrupted_records":
            self.assertEqual(info[key], counts[key], key)
        listed = {(x["object"], x["instance"] or "", x["counter"]) for x in json.loads(self.good("list", "--json", log).out)}
        named = {tuple(row[2:5]) for row in rows_of(self.sheet(log, "--no-guard").out)}
        self.assertEqual(named - listed, set())
        self.assertEqual(listed - named, set())
        self.assertEqual(self.sheet(log).out, self.sheet(log, "--jobs", "3").out)
        new, everything = self.new(".csv"), ("--wide-anyway", "-c", "*")
        self.sheet(log, *everything, "-o", new, layout="wide")
        self.assertEqual(harness.read(new), self.sheet(log, *everything, layout="wide").raw_out)
        return {key: info[key] for key in FACTS}

    def times(self, log):
        return sorted({row[0] for row in rows_of(self.sheet(log, "--time", "unix").out)}, key=float)

    # ---- what is made of them -------------------------------------------------
    def packed(self, log):
        new = self.new("" if os.path.isdir(log) else ".plog")
        (shutil.copytree if os.path.isdir(log) else shutil.copy)(log, new)
        for path in files_of(new):
            self.good("pack", "-q", path)
        return new

    def repaired(self, log):
        new = self.new()
        self.good("repair", "-q", log, "-o", new)
        return new

    def joined(self, log):
        new = self.new()
        with open(new, "wb") as f:
            for path in files_of(log):
                f.write(harness.read(path))
        return new

    def all_of_it(self, log):
        new = self.new()
        self.good("cut", "-q", "--from", "@1", log, "-o", new)
        return new

    def check_made(self, log):
        """Steps that keep all that is in a log; returns the last one's."""
        views, facts = self.views(log), self.check_agreement(log)
        for _ in range(self.random.randrange(1, 4)):
            step = self.random.choice([self.packed, self.packed, self.repaired, self.joined, self.all_of_it])
            self.trail.append(step.__name__)
            log = step(log)
            self.assertEqual(self.check_agreement(log), facts)
            self.assertTrue(self.views(log) == views, "sheets differ")
        return log

    def check_cut(self, log):
        """A window has the sheets that the log has of it."""
        t = self.times(log)
        begin, end = sorted(self.random.choices(range(len(t)), k=2))
        window = ["--from", "@" + t[begin], "--to", "@" + t[end], *self.random.choice(WINDOWS)]
        self.trail.append(" ".join(["cut", *window]))
        new = self.new()
        r = run("cut", "-q", *window, log, "-o", new)
        self.assertEqual(r.code == GOOD, self.sheet(log, *window).code == GOOD, r)
        if r.code == GOOD:
            self.good("verify", new)
            self.assertTrue(self.views(new, *window) == self.views(log, *window), "sheets differ")

    def check_appended(self, log):
        """What was there stays as it was, packed or not."""
        if not os.path.isfile(log):
            return
        new, before = shutil.copy(log, self.new()), harness.read(log)
        self.trail.append("appended")
        samples = self.info(new, GOOD)["samples"]
        self.record(new, "-i", "10ms", "-n", "3", "-c", "System")
        self.assertTrue(harness.read(new).startswith(before))
        self.assertEqual(self.check_agreement(new)["samples"], samples + 3)

    def check_hurt(self, log):
        """One bit of it is another, or the end is gone."""
        new = self.packed(log) if self.random.random() < 0.5 else log
        path = self.random.choice(files_of(new))
        data, whole = bytearray(harness.read(path)), self.sheet(new).out
        kind, at, length, _ = self.random.choice(harness.records(path))
        place = self.random.randrange(at, at + length)
        self.trail.append("hurt %s %d+%d of %s" % (kind, at, place - at, os.path.basename(path)))
        data[place] ^= 1 << self.random.randrange(8)
        with open(path, "wb") as f:
            f.write(data)
        code = run("verify", "-q", new).code
        self.assertIn(code, (DAMAGED, EMPTY))
        if code == EMPTY or kind in ("SESS", "TITL"):  # names of host and counters were in it
            return
        left, repaired = self.sheet(new), self.new()
        self.check_left(whole, left.out, MOST_LOST.get(kind, 0))
        self.assertIn(run("repair", "-q", new, "-o", repaired).code, (GOOD, DAMAGED))
        self.good("verify", repaired)
        self.assertEqual(self.sheet(repaired).out, left.out)

    def check_left(self, whole, left, most):
        """Rows that are still there have the values that they had, or none, for damage."""
        rows, found = set(map(tuple, rows_of(whole))), rows_of(left)
        self.assertEqual([row for row in found if tuple(row) not in rows and row[-1] not in LOSSES], [])
        self.assertLessEqual(len({row[0] for row in rows} - {row[0] for row in found}), most)

    # ---- chains -----------------------------------------------------------------
    def run_chain(self, seed):
        self.random, self.trail = random.Random(seed), []
        with harness.process_named(ODD):
            log = self.random.choice([self.recorded, self.machine])()
        last = self.check_made(log)
        self.check_cut(self.random.choice([log, last]))
        self.check_appended(last)
        self.check_hurt(last)

    def chain(self, seed):
        try:
            self.run_chain(seed)
        except AssertionError as e:
            kept = os.path.abspath("chain-%d" % seed)
            shutil.copytree(self.folder, kept, dirs_exist_ok=True)
            raise AssertionError("seed %d, after %s; logs are in %s" % (seed, ", ".join(self.trail), kept)) from e

    def test_chains(self):
        """In the gate the same few, in full many that are others each time."""
        one, now = os.environ.get("PERFLOG_CHAIN"), time.time_ns() // 1000
        for seed in [int(one)] if one else range(now, now + 40) if FULL else IN_GATE:
            with self.subTest(seed=seed):
                self.chain(seed)


if __name__ == "__main__":
    harness.main()
