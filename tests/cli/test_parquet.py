#!/usr/bin/env python3
"""export --parquet: every cell and its reason are those of --layout long; later runs add what is new.

The reader is support/read_parquet.py; bench/parquet/ does the same with the
readers that users have.
"""
import datetime
import os
import re
import signal
import struct
import subprocess
import sys
import urllib.parse

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import PROGRAM, Case, long_rows, snapshot
import read_parquet
import write_log

START = 1_795_246_500
DAY_END = 1_795_305_600
S = 10**9
RATE, GAUGE, HEX = 0x10410500, 0x00010100, 0x00000000
NAMES = {"Time", "Host", "Instance", "Status", "Command Line", "Executable", "User", "Control Group", "Parent"}


def split(text, separator):
    return [re.sub(r"\\(.)", r"\1", p) if separator == " | " else p
            for p in re.split(r"(?<!\\)" + re.escape(separator), text)]


def reasons(status, nulls):
    """The reason of each cell, as perflog-export(1) explains the column."""
    if status is None:
        return {}
    if len(split(status, ": ")) == 1:
        return {c: status for c in nulls}
    parts = [split(p, ": ") for p in split(status, "; ")]
    return {c: why for why, names in parts for c in split(names, " | ")}


class Parquet(Case):
    def setUp(self):
        super().setUp()
        self.reader, self.maker = read_parquet, write_log

    def files(self, folder):
        return sorted(os.path.join(at, n) for at, _, names in os.walk(folder) for n in names if n.endswith(".parquet"))

    def tables(self, folder):
        for path in self.files(folder):
            name = urllib.parse.unquote(re.search("object=([^/]*)", path)[1])
            yield name, path, *self.reader.rows(path)

    def cells(self, folder):
        found = {}
        for name, path, columns, rows in self.tables(folder):
            if "object=_events" in path:
                continue
            for row in rows:
                row = dict(zip(columns, row))
                time = datetime.datetime.fromtimestamp(row["Time"] / 1e6, datetime.timezone.utc)
                self.assertIn("date=%s/" % time.strftime("%Y-%m-%d"), path)
                why = reasons(row["Status"], [c for c in columns if row[c] is None and c not in NAMES])
                for c in columns:
                    if c in NAMES or (row[c] is None and c not in why):
                        continue
                    key = row["Time"], row["Host"], name, row["Instance"] or "", c
                    self.assertNotIn(key, found, path)
                    found[key] = row[c], why.get(c, "")
        return found

    def expected(self, log):
        found = {}
        for r in long_rows(self.good("export", "-q", "--layout", "long", "--time", "unix", "--no-guard", log).out):
            if r["Value"] or r["Status"]:
                time = round(float(r["Time"]) * 1000) * 1000
                found[time, r["Host"], r["Object"], r["Instance"], r["Counter"]] = r["Value"], r["Status"]
        return found

    def agree(self, log, folder):
        self.same(self.expected(log), self.cells(folder))

    def same(self, want, found):
        self.assertTrue(want)
        self.assertFalse(sorted(want.keys() ^ found.keys())[:5])
        for key, (value, why) in want.items():
            has, status = found[key]
            if value == "":
                self.assertIsNone(has, key)
            else:
                self.assertEqual(type(has)(value), has, key)
            self.assertEqual(status, why, key)

    def parquet(self, log, folder="out", **how):
        out = self.path(folder)
        self.good("export", "-q", "--parquet", "-o", out, log, **how)
        return out

    def made(self, samples, name="a.plog"):
        """Disks that come and go, a total, numbers in hexadecimal, names that suit no folder and no column."""
        names = {2: "../Di:sk", 4: "Bytes; a|b: c/sec", 6: "time", 8: "Flags", 10: "_events", 12: "Time"}
        facts = {2: struct.pack("<BI", 0, 0) + struct.pack("<IBB", 4, 255, 1)}
        log = self.maker.Log({i: n.encode() for i, n in names.items()}, facts=facts)
        for s in samples:
            disks = [("sda", (10 * s, s, 7))] + ([("sd10", (5 * s, 1, 8)), ("sd2", (s, 2, 9))] if s % 5 in (2, 3) else [])
            log.sample((DAY_END - 3 + s) * S, [
                self.maker.object_of(2, [(4, RATE, 8), (6, GAUGE, 8), (8, HEX, 4)], disks),
                self.maker.object_of(10, [(12, GAUGE, 8)], [(None, (2**63 + s,))])])
        return log.save(self.path(name))


class Cells(Parquet):
    def test_made_log(self):
        log = self.made(range(7))
        out = self.parquet(log)
        want = {(t, h, o, i, {"time": "time#1", "Time": "Time#0"}.get(c, c)): v
                for (t, h, o, i, c), v in self.expected(log).items()}
        self.same(want, self.cells(out))
        folders = {os.path.relpath(os.path.dirname(p), out) for p in self.files(out)}
        self.assertEqual({f for f in folders if "=_events" not in f},
                         {"date=%s/host=web/object=%s" % (d, o) for d in ("2026-11-21", "2026-11-22")
                          for o in ("%2E.%2FDi%3Ask", "%5Fevents")})

    def test_names_that_are_taken(self):
        """By another counter, a column of ours, or what was to tell it from these: no two are equal without case."""
        names = ("X", "x", "x#1", "Time", "Time#3", "time#3", "TIME#3#3")
        log = self.maker.Log({2: b"Ob", **{4 + 2 * i: n.encode() for i, n in enumerate(names)}})
        for s in range(2):
            log.sample((START + s) * S, [self.maker.object_of(2, [(4 + 2 * i, GAUGE, 8) for i in range(len(names))],
                                                              [(None, tuple(range(len(names))))])])
        folder = self.parquet(log.save(self.path("a.plog")))
        columns, row = next((c, rows[0]) for name, _, c, rows in self.tables(folder) if name == "Ob")
        self.assertEqual({c: v for c, v in zip(columns, row) if c not in NAMES},
                         {"X": 0, "x#1#1": 1, "x#1": 2, "Time#3#3#3": 3, "Time#3": 4, "time#3#5": 5, "TIME#3#3": 6})

    def test_a_mean_that_cannot_be_had(self):
        """The members' levels add up to more than 64 bits hold."""
        log = write_log.Log({2: b"Tank", 4: b"Level"}, facts={2: struct.pack("<BIIBB", 0, 0, 4, 255, 2)})
        log.sample(START * S, [write_log.object_of(2, [(4, GAUGE, 8)], [("a", (2**63,)), ("b", (2**63,))])])
        path = log.save(self.path("a.plog"))
        self.agree(path, self.parquet(path))
        self.assertEqual(self.cells(self.path("out"))[START * 10**6, "web", "Tank", "_Total", "Level"], (None, "unsupported"))

    def test_recording(self):
        log = self.record(self.path("real.plog"), "-i", "100ms", "-n", "4")
        out = self.parquet(log)
        self.agree(log, out)
        for name, _, columns, rows in self.tables(out):
            if name == "Process":
                # the recorder itself: of others, a sample may meet one as it ends
                me = [dict(zip(columns, r)) for r in rows if log in (r[columns.index("Command Line")] or "")]
                self.assertTrue(me and all("perflog" in r["Executable"] and r["User"] for r in me))
            if name == "_events":  # no object of this log is called so
                self.assertEqual(rows[-1][columns.index("Event")], "end")
                break
        else:
            self.fail("no events")

    def test_what_is_no_utf8(self):
        """Names and notes of a log that are in a code page: as CSV has them, and no column twice."""
        log = self.maker.Log({2: b"Speicher f\xfcr", 4: b"Verf\xfcgbar", 6: b"Verf\xfdgbar"}, host=b"sch\xf6n")
        for s in range(2):
            log.sample((START + s) * S, [self.maker.object_of(2, [(4, GAUGE, 8), (6, RATE, 8)], [(None, (s, s))])])
        log.record(b"note", struct.pack("<HH", 4, 0) + b"Gr\xfc\xdfe", (START + 1) * S)
        folder = self.parquet(log.save(self.path("a.plog")))
        mark = urllib.parse.quote("\ufffd")
        for path in self.files(folder):
            self.assertIn("host=sch%sn" % mark, path)
        found = {name: (columns, rows) for name, _, columns, rows in self.tables(folder)}
        columns, rows = found.pop("Speicher f\ufffdr")
        self.assertEqual([c for c in columns if c not in NAMES], ["Verf\ufffdgbar", "Verf\ufffdgbar#1"])
        self.assertEqual({row[columns.index("Host")] for row in rows}, {"sch\ufffdn"})
        self.assertEqual(rows[0][columns.index("Status")], "first")
        columns, rows = found.pop("_events")
        self.assertIn("Gr\ufffd\ufffde", [row[columns.index("Text")] for row in rows])
        self.assertEqual(found, {})

    def test_the_first_and_the_last_day(self):
        """Of those that a log can tell: neither is a whole one."""
        for k, (ns, date) in enumerate(((-2**63, "1677-09-21"), (2**63 - 1, "2262-04-11"))):
            log = self.maker.Log({2: b"Ob", 4: b"Size"})
            log.sample(ns, [self.maker.object_of(2, [(4, GAUGE, 8)], [(None, (1,))])], time_100ns=0)
            log.record(b"note", struct.pack("<HH", 4, 0) + b"now", ns)
            out = self.parquet(log.save(self.path("a.plog")), "out%d" % k)
            self.assertEqual({os.path.relpath(p, out).partition("/object=")[0] for p in self.files(out)},
                             {"date=%s/host=web" % date})

    def test_refused(self):
        log = self.made(range(2))
        self.refused(1, "export", "--parquet", log, says="-o FOLDER")
        for option in ["--every", "1s"], ["--csv"], ["--top", "3"], ["--follow"]:
            self.refused(1, "export", "--parquet", "-o", self.path("out"), *option, log, says=option[0])
        self.assertFalse(os.path.exists(self.path("out")))

    def test_the_name_says_what_it_is(self):
        log = self.made(range(2))
        for name in "a.parquet", "A.PARQUET":
            for options in (), ("--layout", "long"), ("--csv",):
                self.refused(1, "export", *options, "-o", self.path(name), log,
                             says="'%s' is named like Parquet; give --parquet" % self.path(name))
        for name in "a.csv", "a.tsv", "a.xlsx":
            self.refused(1, "export", "--parquet", "-o", self.path(name), log,
                         says="'%s' is named like a file; name it FOLDER" % self.path(name))
        self.parquet(log, "a.parquet")


class Resumed(Parquet):
    def test_a_growing_log(self):
        """Each run adds the new samples in files of their own, and leaves the others as they are."""
        log = self.made(range(12))
        with open(log, "rb") as f:
            whole = f.read()
        starts = [m.start() for m in re.finditer(b"\x89PL1SMPL", whole)]
        self.assertEqual(len(starts), 12)
        before = {}
        for end in starts[4], starts[7], len(whole):
            self.write("a.plog", whole[:end])
            out = self.parquet(log)
            now = {p: os.stat(p).st_mtime_ns for p in self.files(out)}
            self.assertEqual({p: now.get(p) for p in before}, before)
            self.assertGreater(len(now), len(before))
            before = now
        self.parquet(log)
        self.assertEqual({p: os.stat(p).st_mtime_ns for p in self.files(out)}, before)
        self.assertEqual(self.cells(out), self.cells(self.parquet(log, "once")))

    def sheet(self, name, counters, samples):
        header = ["(PDH-CSV 4.0) (UTC)(0)"] + [r"\\srv\Processor(_Total)\%s" % c for c in counters]
        rows = [["11/24/2026 10:00:%02d.000" % s] + [str(s + 10 * i) for i in range(1, len(header))]
                for s in range(samples)]
        return self.write(name, "".join(",".join('"%s"' % c for c in row) + "\r\n" for row in [header, *rows]).encode())

    def test_logs_that_begin_at_once(self):
        """Two logs of Windows with the same times and other counters: together, and one after the other."""
        one = self.sheet("a.csv", ["% Processor Time"], 4)
        two = self.sheet("b.csv", ["% DPC Time"], 5)
        want = {**self.expected(one), **self.expected(two)}
        self.assertEqual(len(want), 9)
        self.good("export", "-q", "--parquet", "-o", self.path("both"), one, two)
        values = {(row[0], column): row[columns.index(column)] for _, _, columns, rows in self.tables(self.path("both"))
                  for row in rows for column in columns if column.startswith("%") and row[columns.index(column)] is not None}
        self.assertEqual(values, {(key[0], key[-1]): float(value) for key, (value, _) in want.items()})
        self.parquet(one), self.parquet(two)
        self.same(want, self.cells(self.path("out")))
        before = snapshot(self.path("out"))
        self.parquet(one), self.parquet(two)
        self.assertEqual(snapshot(self.path("out")), before)
        self.sheet("a.csv", ["% Processor Time"], 7)
        self.same({**self.expected(one), **want}, self.cells(self.parquet(one)))

    def signalled(self, signal_name, calls, n, out, log):
        """An export that gets a signal in the n-th of these calls."""
        try:
            subprocess.run(["strace", "-o", "/dev/null", "true"], check=True, stderr=subprocess.DEVNULL)
        except (FileNotFoundError, subprocess.CalledProcessError):
            self.skipTest("strace cannot be used here")
        how = ["strace", "-f", "-o", "/dev/null", "-e", "trace=" + calls,
               "-e", "inject=%s:signal=%s:when=%d" % (calls, signal_name, n), PROGRAM]
        return subprocess.run([*how, "export", "-q", "--parquet", "-o", out, log], stderr=subprocess.PIPE,
                              env=harness.without_leaks(os.environ))

    def test_interrupted(self):
        """What it has finished is left, and no more; a later run completes it."""
        log = self.made(range(12))
        once = self.parquet(log, "once")
        for n in range(1, 7):  # the folder; those of tables
            out = self.path("out%d" % n)
            r = self.signalled("INT", "mkdir", n, out, log)
            self.assertIn(r.returncode, (-signal.SIGINT, 128 + signal.SIGINT))
            self.assertEqual(r.stderr, b"")
            self.assertEqual([at for at, inside, names in os.walk(out) if not inside and not names], [])
            left = {n for _, _, names in os.walk(out) for n in names if not n.endswith(".parquet")}
            self.assertLessEqual(left, {".perflog.lock"})
            self.assertEqual(os.path.exists(out), n > 1)
            self.assertLess(len(self.files(out)), len(self.files(once)))
            self.assertEqual(self.cells(self.parquet(log, out)), self.cells(once))

    def test_failed(self):
        """A run that has nothing to write, or cannot write it, leaves no folder behind."""
        log, out = self.made(range(3)), self.path("out")
        for args in ("-c", r"\No\Such"), ("--from", "2030-01-01"):
            r = harness.run("export", "-q", "--parquet", "-o", out, *args, log)
            self.assertNotEqual(r.code, 0, r)
            self.assertFalse(os.path.exists(out), args)
        r = subprocess.run(["sh", "-c", "ulimit -f 0; exec \"$@\"", "sh", PROGRAM, "export", "-q", "--parquet",
                            "-o", out, log], stderr=subprocess.DEVNULL)
        self.assertNotEqual(r.returncode, 0)
        self.assertFalse(os.path.exists(out))

    def test_killed(self):
        """Wherever it is killed, the next run completes the folder: the same cells, none twice."""
        log = self.made(range(40))
        want = self.cells(self.parquet(log, "once"))
        for n in range(1, 60, 6):
            out = self.path("killed")
            r = self.signalled("KILL", "write,rename,link,unlink,mkdir", n, out, log)
            if r.returncode == 0:
                break
            self.assertIn(r.returncode, (-signal.SIGKILL, 128 + signal.SIGKILL))
            for _ in self.tables(out):
                pass  # each file that has a name is complete
        self.assertGreater(n, 1)
        self.assertEqual(self.cells(self.parquet(log, "killed")), want)
        left = [n for _, _, names in os.walk(out) for n in names if not n.endswith(".parquet")]
        self.assertEqual(left, [".perflog.lock"])

    def test_one_at_a_time(self):
        import fcntl
        log = self.made(range(2))
        out = self.parquet(log)
        with open(os.path.join(out, ".perflog.lock"), "rb") as f:
            fcntl.flock(f, fcntl.LOCK_EX)
            self.refused(1, "export", "-q", "--parquet", "-o", out, log, says="another export")


if __name__ == "__main__":
    harness.main()
