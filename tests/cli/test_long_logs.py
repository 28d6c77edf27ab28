#!/usr/bin/env python3
"""Logs of a made-up machine (make_log), small here, of any length for tests/bench/layouts.py.

Whatever comes and goes, and whatever clocks do: no layout loses a row or has one twice, all have the same
values, and a file has the bytes that standard output gets, though columns are found in another way.
"""
import csv
import datetime
import io
import json
import os
import struct
import subprocess
import sys
import unittest
import zoneinfo

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
import stated
from harness import Case, long_rows, run
from write_log import SECOND, Log, object_of

MAKE_LOG = os.environ.get("MAKE_LOG", os.path.join(os.path.dirname(harness.PROGRAM), "tests", "make_log"))
CAN_XLSX = os.environ.get("PERFLOG_HAS_XLSX", "1") == "1"
BERLIN = zoneinfo.ZoneInfo("Europe/Berlin")
UTC = datetime.timezone.utc
# The hours in which clocks there are put back and forward.
AUTUMN, SPRING = (int(datetime.datetime(*day, tzinfo=UTC).timestamp()) for day in ((2026, 10, 25), (2027, 3, 28)))


class Made(Case):
    def made(self, name, **numbers):
        path = self.path(name)
        subprocess.run([MAKE_LOG, path, *("%s=%d" % pair for pair in numbers.items())], check=True, timeout=harness.TIMEOUT)
        return path

    def hurt(self, log):
        """The same log with a few bytes overwritten in three places."""
        with open(log, "rb") as f:
            data = bytearray(f.read())
        for part in 3, 5, 7:
            at = len(data) * part // 9
            data[at:at + 20] = bytes(20)
        return self.write("hurt.plog", data)

    def in_file(self, log, *args):
        """What export writes into a file, where columns may be found late."""
        out = self.path("out.csv")
        r = run("export", "-q", *args, log, "-o", out)
        self.assertIn(r.code, (0, 2), r)
        self.assertEqual(sorted(n for n in os.listdir(self.folder) if ".part" in n), [])
        with open(out, "rb") as f:
            return f.read()


class Keys(Made):
    """Sums of processes by a key, of a log in which processes come and go."""

    def test_empty_columns_alone_are_dropped(self):
        log = self.made("a.plog", samples=60, processes=20, churn=2)
        for options in (), ("--top", "3"), ("--every", "10s"):
            whole = self.wide(log, "--group", "name", *options)
            sheet = self.wide(log, "--group", "name", "--drop-empty", *options)
            self.assertGreater(len(sheet.paths), 100)
            for path in sheet.paths:
                self.assertEqual(sheet.column(path), whole.column(path), path)


class Windows(Made):
    """What is far from a window is not decoded: its damage, of which 'verify' tells, is not even noticed."""

    def check(self, log, whole, hurt_at, *window):
        with open(log, "rb") as f:
            data = bytearray(f.read())
        samples = [r for r in harness.records(log) if r[0] == "SMPL"]
        for first in hurt_at:
            for _, at, length, _ in samples[first:first + 100]:
                data[at + length - 8:at + length] = bytes(8)
        hurt = self.write("hurt.plog", data)
        self.assertEqual(run("verify", "-q", hurt).code, 2)
        for args in (("export",), ("export", "--layout", "long", "-c", r"\System\*"), ("stats",), ("top",)):
            with self.subTest(args=args):
                got = self.good(*args, *window, hurt)
                self.assertTrue(got.raw_out == self.good(*args, *window, whole).raw_out, "other bytes")

    def test_early_and_late(self):
        log = self.made("log.plog", samples=4400, processes=10)
        self.check(log, log, (1000, 4000), "--to", "00:05:00")
        self.check(log, log, (100, 1000), "--from", "01:10:00", "--to", "01:12:00")

    def test_folder(self):
        folder = self.path("logs")
        os.mkdir(folder)
        for i in range(3):
            self.made(os.path.join("logs", "%d.plog" % i), samples=400, processes=10, start=1795219200 + 400 * i, seed=i)
        whole = self.good("export", "--layout", "long", "-c", r"\System\*", folder).out.splitlines()
        for first, last in ("00:02:00", "00:03:00"), ("00:06:30", "00:07:30"), ("00:18:00", "00:19:00"):
            window = self.good("export", "--layout", "long", "-c", r"\System\*", "--from", first, "--to", last, folder)
            lines = [line for line in whole[1:] if first < line[11:19] <= last]
            self.assertGreater(len(lines), 400)
            self.assertEqual(window.out.splitlines()[1:], lines)


class Outline(Made):
    """'info' unpacks few samples, and knows of all damage all the same; of those few are the last ones."""

    def test_damage(self):
        log = self.made("log.plog", samples=1000, processes=10)
        same = ("samples", "damaged_ranges", "damaged_bytes", "unreachable_samples", "missing_records", "malformed_blocks")
        for path in log, self.hurt(log):
            about, checked = run("info", "--json", path), run("verify", "--json", path)
            self.assertEqual(about.code, checked.code)
            (about,), checked = json.loads(about.out), json.loads(checked.out)
            self.assertEqual([about[k] for k in same], [checked[k] for k in same])
        self.assertGreater(about["damaged_ranges"], 1)

    def test_sums(self):
        """Bytes before compression are those of all samples."""
        log = self.made("log.plog", samples=300, processes=10)
        with open(log, "rb") as f:
            data = f.read()
        raw = [struct.unpack_from("<I", data, r[1] + 44)[0] for r in harness.records(log) if r[0] == "SMPL"]
        about, = json.loads(self.good("info", "--json", log).out)
        self.assertEqual((about["samples"], about["raw_bytes"]), (300, sum(raw)))


class Widths(Made):
    def same(self, log, *args):
        r = run("export", "-q", *args, log)
        self.assertIn(r.code, (0, 2), r)
        self.assertTrue(self.in_file(log, *args) == r.raw_out, "a file has other bytes: %s" % " ".join(args))
        return r.raw_out

    def test_few(self):
        """Columns that come late stand where they belong; rows before them have blanks there."""
        log = self.made("a.plog", samples=190, processes=24, churn=1, disks=1, interfaces=1, processors=1)
        for options in ([], ["--layout", "pdh"], ["--decimal-comma", "--bom"], ["--tz", "Europe/Berlin"],
                        ["--every", "10s"], ["--from", "-40s"], ["--to", "-40s"]):
            with self.subTest(options=options):
                text = self.same(log, "-c", r"\Process(*)\*", "-c", r"\Memory\*", *options)
                if not options:
                    self.assertIn(b"(job3#1)", text)
        self.same(log)
        self.same(self.hurt(log), "-c", "*")

    def test_line_ends_in_names(self):
        """The header is of several lines."""
        made = stated.Made()
        for k in range(9):
            names = ("a\nb", 'c"\n', "\n", "late")[:3 + (k > 3)]  # only the first sample of a pack is looked at first
            made.add(object_of(stated.PROCESS, [(4, stated.RAWCOUNT, 8)], [(name, [k]) for name in names]))
        log = made.save(self.path("names.plog"))
        self.good("pack", "-q", log)
        for options in [], ["--layout", "pdh"], ["--decimal-comma"]:
            with self.subTest(options=options):
                self.same(log, "-c", r"\Process(*)\*", *options)

    def test_a_clock_that_leads_into_the_window_again(self):
        """The sample before it has instances that no row has; of packs only the first sample is looked at first."""
        log = b""
        for number, (names, *seconds) in enumerate(((["a"], 100, 101), (["a", "outside"], 90, 100))):
            made = Log({2: b"Tank", 4: b"Level"}, session=7 + number)
            for k, second in enumerate(seconds):
                made.sample(second * SECOND, [object_of(2, [(4, stated.RAWCOUNT, 8)], [(name, [k]) for name in names[:2 - k]])])
            log += made.data
        log = self.write("back.plog", log)
        self.good("pack", "-q", log)
        text = self.same(log, "-c", "Tank", "--from", "@99")
        self.assertEqual(harness.Wide(text.decode()).paths, [r"\Tank(a)\Level"])

    def test_in_local_time(self):
        log = self.made("a.plog", samples=120, processes=16, churn=1, interval=60000, start=AUTUMN)
        text = self.same(log, "-c", r"\Process(*)\*", "--tz", "Europe/Berlin")
        self.assertIn(b"UTC Offset", text)

    def test_many(self):
        """More than are kept apart: the sheet is begun once more."""
        log = self.made("a.plog", samples=600, processes=500, churn=1, disks=1, interfaces=1, processors=1)
        self.same(log, "-c", r"\Process(job*)\% Processor Time", "-c", r"\System\*")

    def test_several_hosts_of_one_row(self):
        one = self.made("a.plog", samples=100, processes=16, churn=1)
        two = self.made("b.plog", samples=100, processes=16, churn=1, seed=2)
        text = run("export", "-q", "-c", r"\Process(*)\*", one, two)
        self.assertEqual(text.code, 0, text)
        out = self.path("out.csv")
        self.good("export", "-q", "-c", r"\Process(*)\*", one, two, "-o", out)
        with open(out, "rb") as f:
            self.assertTrue(f.read() == text.raw_out)

    def test_too_wide_at_last(self):
        """It fits at first; the message tells of all columns, and nothing is left."""
        log = self.made("a.plog", samples=130, processes=4000, churn=1000, disks=0, interfaces=0, processors=0)
        want = run("export", "-q", "-c", r"\Process(job*)\*", log)
        self.assertEqual(want.code, 1)
        got = run("export", "-q", "-c", r"\Process(job*)\*", log, "-o", self.path("out.csv"))
        self.assertEqual((got.code, got.err), (1, want.err))
        self.assertEqual(os.listdir(self.folder), ["a.plog"])


class Nothing(Made):
    """Wrong input is one line, and leaves nothing behind."""

    def test_each_layout(self):
        log = self.made("a.plog", samples=3, processes=4, churn=0)
        layouts = [["--layout", name] for name in ("wide", "long", "table", "pdh")] + [["--xlsx"]] * CAN_XLSX
        for layout in layouts:
            args = ["export", "-q", *layout, "-o", self.path("out"), log]
            self.refused(1, *args, "--from", "2030-01-01", says="no samples after 2030-01-01 00:00:00 UTC")
            self.refused(1, *args, "-c", r"\Memory\Avilable Bytes", says="did you mean '\\Memory\\Available Bytes'?")
            os.mkdir(self.path("out"))
            self.refused(1, *args, says="is there already" if "table" in layout else "is a folder")
            self.assertEqual((os.listdir(self.path("out")), sorted(os.listdir(self.folder))), ([], ["a.plog", "out"]))
            os.rmdir(self.path("out"))


class Days(Made):
    """A zone's clocks are put back or forward within the log: each minute there is, once, in order."""

    def instants(self, rows, time="%Y-%m-%d %H:%M:%S"):
        """(local time, offset) as seconds since 1970."""
        return [int(datetime.datetime.strptime(row[0] + row[1].replace(":", ""), time + "%z").timestamp())
                for row in rows]

    def test_each_layout(self):
        for start in AUTUMN, SPRING:
            log = self.made("%d.plog" % start, samples=180, interval=60000, start=start, processes=4, churn=0)
            wanted = [start + 60 * k for k in range(180)]
            local = ["-q", "--tz", "Europe/Berlin"]
            wide = list(csv.reader(io.StringIO(self.good("export", *local, log).out)))
            self.assertEqual(self.instants(wide[1:]), wanted)
            own = [datetime.datetime.fromtimestamp(t, BERLIN).strftime("%Y-%m-%d %H:%M:%S") for t in wanted]
            self.assertEqual([row[0] for row in wide[1:]], own)
            pdh = list(csv.reader(io.StringIO(self.good("export", *local, "--layout", "pdh", log).out)))
            self.assertEqual(len(pdh), 1 + len(wanted))
            lines = list(csv.reader(io.StringIO(
                self.good("export", *local, "--layout", "long", "-c", r"\System\Processes", log).out)))
            self.assertEqual(self.instants(lines[1:]), wanted)
            folder = self.path("%d.d" % start)
            self.good("export", *local, "--layout", "table", log, "-o", folder)
            with open(os.path.join(folder, "System.csv"), newline="") as f:
                self.assertEqual(self.instants(list(csv.reader(f))[1:]), wanted)
            hours = list(csv.reader(io.StringIO(self.good("export", *local, "--every", "1h", log).out)))
            self.assertEqual(self.instants(hours[1:]), [start + 3600 * k for k in range(4)])
            if CAN_XLSX:
                self.workbook(log, local, wanted)

    def workbook(self, log, local, wanted):
        from workbooks import Book
        out = log + ".xlsx"
        self.good("export", *local, "--xlsx", log, "-o", out)
        columns = Book(out).sheets["System"].columns()
        origin = datetime.datetime(1899, 12, 30, tzinfo=UTC).timestamp()
        got = []
        for days, offset in zip(columns["Time (Europe/Berlin)"], columns["UTC Offset"]):
            away = int(offset[1:3]) * 3600 + int(offset[4:6]) * 60
            got.append(round(origin + days * 86400) - (away if offset[0] == "+" else -away))
        self.assertEqual(got, wanted)


@unittest.skipIf(os.environ.get("PERFLOG_HAS_REPORT", "1") in ("0", "OFF", ""), "this perflog makes no pages")
class Pages(Made):
    def test_many_processes(self):
        """Some of which come and go; how large the page of a day is at most, 'questions' looks at."""
        log = self.made("day.plog", samples=400, interval=10000, processes=300, churn=5, processors=16, disks=8, interfaces=8)
        self.good("report", "-q", log, "-o", self.path("day.html"))
        self.assertGreater(os.path.getsize(self.path("day.html")), 50_000)


class Agreement(Made):
    """long, wide, table, workbook and stats of one log have the same values."""

    def lines(self, log, *args):
        found = {}
        for r in long_rows(run("export", "-q", "--layout", "long", *args, log).out):
            if r["Value"]:
                found[r["Time"], r["Object"], r["Instance"], r["Counter"]] = float(r["Value"])
        return found

    def check(self, log):
        lines = self.lines(log)
        named = {(t, r"%s\%s" % (o + ("(%s)" % i if i else ""), c)): v for (t, o, i, c), v in lines.items()}
        wide, table = {}, {}
        rows = csv.reader(io.StringIO(self.in_file(log, "-c", "*").decode()))
        header = [name.split("\\", 3)[3] for name in next(rows)[1:]]
        for row in rows:
            wide.update({(row[0], n): float(v) for n, v in zip(header, row[1:]) if v})
        self.assertFalse(sorted(wide.items() ^ named.items())[:4])
        folder = log + ".d"
        self.assertIn(run("export", "-q", "--layout", "table", log, "-o", folder).code, (0, 2))
        for name in os.listdir(folder):
            with open(os.path.join(folder, name), newline="") as f:
                rows = csv.reader(f)
                counters = next(rows)[3:]
                for row in rows:
                    table.update({(row[0], name[:-4], row[2], c): float(v)
                                  for c, v in zip(counters, row[3:]) if v})
        self.assertFalse(sorted(table.items() ^ lines.items())[:4])
        self.check_stats(log, lines)
        if CAN_XLSX:
            self.check_book(log)

    def check_stats(self, log, lines):
        series = {}
        for (_, *name), value in lines.items():
            series.setdefault(tuple(name), []).append(value)
        reported = {}
        for r in csv.DictReader(io.StringIO(run("stats", "--csv", "-q", "-c", "*", log).out)):
            if int(r["Values"]):
                reported[r["Object"], r["Instance"], r["Counter"]] = (int(r["Values"]), float(r["Min"]), float(r["Max"]))
        self.assertEqual(reported, {name: (len(v), min(v), max(v)) for name, v in series.items()})

    def check_book(self, log):
        """A workbook without -c has the columns of the wide sheet without -c; tables have their cells."""
        from workbooks import Book
        out, tables = log + ".xlsx", log + " tables.xlsx"
        self.assertIn(run("export", "-q", "--xlsx", "--layout", "wide", log, "-o", out).code, (0, 2))
        self.assertIn(run("export", "-q", "--xlsx", log, "-o", tables).code, (0, 2))
        rows = csv.reader(io.StringIO(self.in_file(log).decode()))
        header = next(rows)[1:]
        wide = {n: [] for n in header}
        for row in rows:
            for name, cell in zip(header, row[1:]):
                wide[name].append(float(cell) if cell else None)
        sheets = [sheet.columns() for sheet in Book(out).objects().values()]
        book = {name: cells for columns in sheets for name, cells in columns.items() if not name.startswith("Time")}
        same = [cells for name, cells in book.items() if name in wide or "\\Process(" not in name]
        self.assertEqual(sorted(map(self.shown, same)), sorted(map(self.shown, wide.values())))
        cells = [c for sheet in Book(tables).objects().values() for name, column in sheet.columns().items()
                 if not name.startswith("Time") for c in column if isinstance(c, float)]
        self.assertEqual(sorted(cells), sorted(c for column in book.values() for c in column if c is not None))

    def shown(self, cells):
        """A spreadsheet has 15 digits."""
        return ["%.14g" % c if c is not None else "" for c in cells]

    def test_churn_and_damage(self):
        log = self.made("a.plog", samples=150, processes=20, churn=2, disks=1, interfaces=1, processors=2)
        self.check(log)
        self.check(self.hurt(log))


if __name__ == "__main__":
    if not os.access(MAKE_LOG, os.X_OK):
        raise SystemExit("%s: set MAKE_LOG to the program that makes logs" % MAKE_LOG)
    harness.main()
