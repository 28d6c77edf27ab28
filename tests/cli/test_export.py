#!/usr/bin/env python3
"""perflog export, list, info, verify: windows, zones, following, statuses, JSON."""
import datetime
import fcntl
import json
import os
import queue
import re
import struct
import subprocess
import sys
import threading
import time

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import PROGRAM, SYSTEM, Case, Recording, Wide, long_rows, records, run, several
from write_log import SECOND, Log, object_of

UTC = datetime.timezone.utc
STATUSES = {"", "first", "gap", "damaged", "absent", "unreadable", "negative", "wrapped", "clamped",
            "negative_denominator", "zero_base", "no_time", "time_not_advanced", "clock_step", "partial",
            "reset", "unsupported"}


class Windows(Case):
    """--from and --to: from < t <= to, in every form a time can have."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.maker = Case("setUp")
        cls.maker.setUp()
        cls.log = cls.maker.record(cls.maker.path("a.plog"), *SYSTEM, "-i", "250ms", "-n", "14")
        cls.all = cls.maker.wide(cls.log, "--time", "unix").rows
        cls.times = [float(row[0]) for row in cls.all]
        whole = [t for t in cls.times if t == int(t)]
        cls.a, cls.b = whole[0], whole[-1]  # at least two seconds apart

    @classmethod
    def tearDownClass(cls):
        cls.maker.doCleanups()

    def window(self, *args):
        return self.wide(self.log, "--time", "unix", *args).rows

    def expect(self, is_in, *args):
        """The rows wanted, and the same values as without a window, the first included."""
        wanted = [row for row, t in zip(self.all, self.times) if is_in(t)]
        self.assertEqual(self.window(*args), wanted, args)
        rows = long_rows(self.good("export", "--layout", "long", "--time", "unix", *args, self.log).out)
        self.assertEqual(sorted({row["Time"] for row in rows}), [row[0] for row in wanted], args)

    def test_absolute(self):
        a, b = self.a, self.b
        forms = {
            "@%d": lambda t: "@%d" % t,
            "@%.3f": lambda t: "@%.3f" % t,
            "T": lambda t: datetime.datetime.fromtimestamp(t, UTC).strftime("%Y-%m-%dT%H:%M:%S"),
            "blank": lambda t: datetime.datetime.fromtimestamp(t, UTC).strftime("%Y-%m-%d %H:%M:%S"),
            "ms": lambda t: datetime.datetime.fromtimestamp(t, UTC).strftime("%Y-%m-%dT%H:%M:%S.000"),
            "Z": lambda t: datetime.datetime.fromtimestamp(t, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "offset": lambda t: datetime.datetime.fromtimestamp(t + 7200, UTC).strftime(
                "%Y-%m-%dT%H:%M:%S+02:00"),
        }
        if int(a) // 86400 == int(self.times[0]) // 86400 == int(b) // 86400:
            forms["time"] = lambda t: datetime.datetime.fromtimestamp(t, UTC).strftime("%H:%M:%S")
        for name, text in forms.items():
            with self.subTest(form=name):
                self.expect(lambda t: a < t, "--from", text(a))
                self.expect(lambda t: t <= b, "--to", text(b))
                self.expect(lambda t: a < t <= b, "--from", text(a), "--to", text(b))

    def test_from_the_end(self):
        end = self.times[-1]
        self.expect(lambda t: t > end - 1, "--from", "-1s")
        self.expect(lambda t: t > end - 2, "--from=-2")
        self.expect(lambda t: t <= end - 1, "--to", "-1000ms")
        self.expect(lambda t: end - 2 < t <= end - 1, "--from", "-2s", "--to", "-1s")
        self.expect(lambda t: True, "--from", "-10m")

    def test_fractions(self):
        m = self.times[3]
        self.expect(lambda t: t > m, "--from", "@%.3f" % m)
        self.expect(lambda t: t <= m, "--to", "@%.3f" % m)

    def test_read_in_the_zone(self):
        there = datetime.datetime.fromtimestamp(self.a + 3 * 3600, UTC).strftime("%Y-%m-%dT%H:%M:%S")
        rows = self.window("--tz", "+03:00", "--from", there)
        self.assertEqual([float(row[0]) for row in rows], [t for t in self.times if t > self.a])

    def test_styles_agree(self):
        for style, read in (
                ("space", lambda s: datetime.datetime.strptime(s, "%Y-%m-%d %H:%M:%S.%f")),
                ("iso", lambda s: datetime.datetime.strptime(s, "%Y-%m-%dT%H:%M:%S.%f")),
                ("pdh", lambda s: datetime.datetime.strptime(s, "%m/%d/%Y %H:%M:%S.%f")),
                ("serial", lambda s: datetime.datetime(1899, 12, 30) + datetime.timedelta(float(s)))):
            sheet = self.wide(self.log, "--time", style)
            for cell, t in zip(sheet.times, self.times):
                self.assertAlmostEqual(read(cell).replace(tzinfo=UTC).timestamp(), t, 3, style)

    def test_all_times_have_fractions_or_none(self):
        log = self.record(self.path("mixed.plog"), *SYSTEM, "-i", "1s", "-n", "2")
        self.record(log, *SYSTEM, "-i", "250ms", "-n", "3")
        wide = self.wide(log)
        long = long_rows(self.good("export", "--layout", "long", "-c", r"\System\Processes", log).out)
        self.assertEqual([row["Time"] for row in long], wide.times)
        self.assertTrue(all("." in t for t in wide.times), wide.times)
        first = wide.times[0]
        long = long_rows(self.good("export", "--layout", "long", "-c", r"\System\Processes", "--to", first, log).out)
        self.assertEqual([row["Time"] for row in long], [first[:-4]])

    def test_all_times_of_a_range_have_fractions_or_none(self):
        """Whatever range sessions say by their beginnings: what counts is which rows are exported."""
        day = 1795219200 * SECOND
        second, quarter, never = SECOND, SECOND // 4, 400 * 86_400 * SECOND

        def made(name, *sessions):
            """Of sessions with their begin, interval and step, ten samples each."""
            with open(self.path(name), "wb") as f:
                for number, (begin, interval, step) in enumerate(sessions):
                    log = Log({2: b"Tank", 4: b"Level"}, interval_ns=interval, session=number + 1)
                    for k in range(10):
                        log.sample(begin + k * step, [object_of(2, [(4, 0x00010000, 4)], [(None, (k,))])])
                    f.write(log.data)
            return self.path(name)

        def shown(log, *options):
            """How many rows there are, and how many have milliseconds."""
            times = [row["Time"] for row in long_rows(self.good("export", "--layout", "long", *options, log).out)]
            return len(times), sum("." in t for t in times)

        from_5, to_15 = ("--from", "@%d" % (day // SECOND + 4)), ("--to", "@%d" % (day // SECOND + 14))
        whole, parts = (day, second, second), (day + 10 * second, quarter, quarter)
        later, unset = (day + 20 * second, second, second), (0, second, second)
        log = made("unset.plog", whole, parts, unset)
        self.assertEqual([shown(log), shown(log, *from_5), shown(log, *from_5, *to_15)], [(30, 30), (15, 15), (15, 15)])
        self.assertEqual(shown(log, "--to", "@%d" % (day // SECOND + 9)), (20, 0))
        log = made("apart.plog", (day - 10 * second, quarter, quarter), whole, later)
        self.assertEqual([shown(log), shown(log, *from_5), shown(log, *from_5, *to_15)], [(30, 30), (15, 0), (5, 0)])
        log = made("ended.plog", (day - 10 * second, quarter, quarter), later)
        self.assertEqual(shown(log, *from_5), (10, 0))
        log = made("forged.plog", whole, (day + 10 * second, never, quarter))
        self.assertEqual([shown(log), shown(log, *from_5)], [(20, 20), (15, 15)])

    def test_imports_have_fractions(self):
        """Without an interval any row may have one, even if the first has none."""
        rows = ['"07/01/2020 12:00:%s","1"\r\n' % t for t in ("00.000", "01.500", "03.000")]
        sheet = self.write("a.csv", "".join(['"(PDH-CSV 4.0) (UTC)(0)","\\\\h\\Memory\\Free"\r\n', *rows]).encode())
        self.good("import", "-q", sheet, "-o", self.path("a.plog"))
        for log in sheet, self.path("a.plog"):
            long = long_rows(self.good("export", "--layout", "long", log).out)
            self.assertEqual([row["Time"][11:] for row in long], ["12:00:00.000", "12:00:01.500", "12:00:03.000"])
            every = long_rows(self.good("export", "-q", "--layout", "long", "--every", "1m", log).out)
            self.assertTrue(all(row["Time"].endswith(":00") for row in every), every)

    def test_whole_seconds_have_no_fraction(self):
        log = self.record(self.path("b.plog"), *SYSTEM, "-n", "2")
        for cell in self.wide(log).times:
            self.assertRegex(cell, r"\A\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\Z")


class Zones(Case):
    def made(self, *instants):
        """A log by hand: a counter of 7 a second, sampled at these instants."""
        log = Log({2: b"System", 4: b"Context Switches/sec"}, interval_ns=250_000_000)
        for utc_ns in instants:
            count = (utc_ns - instants[0]) * 7 // 10**9
            log.sample(utc_ns, [object_of(2, [(4, 0x10410400, 4)], [(None, [count])])])
        return log.save(self.path("a.plog"))

    def test_end_of_summer(self):
        start = 1792889999_500000000  # 2026-10-25 00:59:59.5 UTC, half a second before
        log = self.made(*(start + k * 250_000_000 for k in range(4)))
        self.good("verify", log)
        sheet = self.wide(log, "--tz", "Europe/Berlin")
        self.assertEqual(sheet.header[:2], ["Time (Europe/Berlin)", "UTC Offset"])
        self.assertEqual([row[:2] for row in sheet.rows],
                         [["2026-10-25 02:59:59.500", "+02:00"], ["2026-10-25 02:59:59.750", "+02:00"],
                          ["2026-10-25 02:00:00.000", "+01:00"], ["2026-10-25 02:00:00.250", "+01:00"]])
        self.assertNotIn(None, sheet.column(r"\System\Context Switches/sec")[1:])
        winter = self.wide(log, "--tz", "+01:00")
        self.assertEqual(winter.header[0], "Time (+01:00)")
        self.assertEqual(winter.times[0], "2026-10-25 01:59:59.500")
        self.assertEqual(winter.header[1:], self.wide(log).header[1:])

    def test_no_offset_where_it_does_not_change(self):
        log = self.made(1794000000_000000000, 1794000000_250000000)
        self.assertNotIn("UTC Offset", self.wide(log, "--tz", "Europe/Berlin").header)


class Damage(Case):
    """What is damaged is named, wherever among the files of a recording it is."""
    def made(self, name, first):
        log = Log({2: b"Tank", 4: b"Level"}, session=first + 1)
        for i in range(first, first + 3):
            log.sample(i * SECOND, [object_of(2, [(4, 0x00010100, 8)], [(None, (i,))])])
        return log.save(self.path("logs", name))

    def test_the_damaged_file_is_named(self):
        os.mkdir(self.path("logs"))
        files = [self.made(name, 10 * i) for i, name in enumerate(("a.plog", "b.plog", "c.plog"))]
        commands = (("export", "--layout", "long"), ("export", "--drop-empty"), ("stats",), ("list",),
                    ("cut", "-q", "-c", "*", "-o", self.path("new")), ("dump", "--sample", "7"))
        for hurt, named in ((files[1:2], "b.plog: "), (files[1:], "b.plog and others: ")):
            with open(hurt[-1], "r+b") as f:
                f.seek(-50, os.SEEK_END)
                f.write(b"damage")
            for command in commands:
                with self.subTest(command=command, hurt=len(hurt)):
                    r = run(*command, self.path("logs"))
                    if command[0] == "dump":  # which ends before it comes to the last damage
                        named = "b.plog: "
                    self.check_one_line(r, 2, "/logs/" + named)
                    if command[0] == "cut":
                        os.remove(self.path("new"))
        os.remove(files[1])
        self.check_one_line(run("stats", self.path("logs")), 2, "/c.plog: damaged: 1 range")

    def test_a_file_that_lacks_records(self):
        """No byte of it is bad, but a part of the recording is not in it."""
        os.mkdir(self.path("logs"))
        log = self.made("a.plog", 10)
        _, at, length, _ = records(log)[3]
        with open(log, "rb") as f:
            data = f.read()
        self.write("logs/a.plog", data[:at] + data[at + length:])
        self.assertEqual((run("verify", "-q", log).code, run("info", log).code), (2, 2))
        for command in (("export", "--layout", "long"), ("export",), ("export", "--jobs", "3"), ("stats",),
                        ("cut", "-q", "-c", "*", "-o", self.path("new"))):
            with self.subTest(command=command):
                self.check_one_line(run(*command, log), 2, "/logs/a.plog: 1 record missing; 'perflog verify' shows where")
        self.check_one_line(run("list", log), 2, "/logs/a.plog: damaged, names may be missing")
        self.check_one_line(run("dump", "--sample", "2", log), 2, "/logs/a.plog: damaged, and samples left out are not counted")
        # others refer to one that is missing: they are what is left out
        chain = self.record(self.path("chain.plog"), "-i", "50ms", "-n", "9", *SYSTEM)
        _, gone, n, _ = [r for r in records(chain) if r[0] == "SMPL"][4]
        with open(chain, "rb") as f:
            whole = f.read()
        chain = self.write("chain.plog", whole[:gone] + whole[gone + n:])
        for command in ("export", "--layout", "long"), ("stats",), ("cut", "-q", "-c", "*", "-o", self.path("other")):
            with self.subTest(command=command):
                self.check_one_line(run(*command, chain), 2, "/chain.plog: 4 samples left out, as they need one that is missing or "
                                    "damaged; 'perflog verify' shows where")
        for number in "-1", "-2":  # counted from the end, past them
            self.check_one_line(run("dump", "--sample", number, chain), 2, "/chain.plog: damaged, and samples left out are not counted")
        self.write("logs/a.plog", data[:at + 100] + b"!" + data[at + 101:])  # damage is named, not the number that it takes along
        self.check_one_line(run("export", log), 2, "/logs/a.plog: damaged: 1 range")


class Segmented(Case):
    def segment(self, hour, number, seconds, ends=None, **how):
        """A segment called by the hour and its number; ends: why it does.  Its path, and the number of the next record."""
        log = Log({2: b"Tank", 4: b"Level"}, **how)
        for i in seconds:
            log.sample(i * SECOND, [object_of(2, [(4, 0x00010100, 8)], [(None, (i,))])])
        if ends:
            log.record(b"ends", struct.pack("<QIIII", 0, len(seconds), 0, ends, 0), seconds[-1] * SECOND)
        return log.save(self.path("a-20261121T%02d0000Z-%03d.plog" % (hour, number))), log.seq


class Order(Segmented):
    def test_segments_after_the_clock_was_set_back(self):
        """Those of a recording stand as they were written, recordings by the time at which they began."""
        _, seq = self.segment(12, 0, [100, 101], ends=3)
        _, seq = self.segment(11, 1, [50, 51], ends=3, seq=seq)
        self.segment(12, 2, [102, 103], ends=1, seq=seq)
        self.segment(11, 0, [70], session=5)
        self.segment(12, 1, [101, 102], session=6)
        r = self.good("export", "--layout", "long", "--time", "unix", self.folder)
        self.assertEqual(r.err, "")
        self.assertEqual([float(row["Time"]) for row in long_rows(r.out)],
                         [70, 100, 101, 50, 51, 102, 103, 101, 102])
        self.good("verify", "-q", self.folder)

    def test_a_segment_that_is_gone(self):
        """That is no damage: rotation may have deleted it."""
        _, seq = self.segment(12, 0, [100, 101], ends=3)
        self.segment(12, 2, [103, 104], ends=1, seq=seq + 3)
        for command in ("export",), ("stats",), ("list",), ("dump", "--sample", "3"):
            self.assertEqual(self.good(*command, self.folder).err, "")


class Following(Segmented):
    def follow(self, *args):
        """Rows as (seconds when they came, text), and the process."""
        p = subprocess.Popen([PROGRAM, "export", "-q", "-f", "--time", "unix", *args],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(p.communicate)
        self.addCleanup(p.kill)
        rows = queue.Queue()

        def read():
            for line in p.stdout:
                rows.put((time.time(), line.decode()))
            rows.put(None)
        threading.Thread(target=read, daemon=True).start()
        return p, rows

    def test_until_the_recording_ends(self):
        for layout in "wide", "long":
            with self.subTest(layout=layout):
                log = self.path(layout + ".plog")
                recording = Recording(self, log, *SYSTEM, "-i", "250ms")
                recording.wait_for(2)
                p, rows = self.follow("--layout", layout, "-c", r"\System\Processes", log)
                came = []
                while len(came) < 6:
                    try:
                        came.append(rows.get(timeout=harness.TIMEOUT))
                    except queue.Empty:
                        self.fail("rows are held back: %d came so far" % len(came))
                self.assertIsNone(p.poll(), "it ended before the recording")
                self.assertIsNone(recording.process.poll())
                recording.end()
                while came[-1]:
                    came.append(rows.get(timeout=harness.TIMEOUT))
                self.assertEqual(p.wait(harness.TIMEOUT), 0)
                text = "".join(line for _, line in came[:-1])
                self.assertEqual(text, self.good("export", "-q", "--time", "unix", "--layout", layout,
                                                 "-c", r"\System\Processes", log).out)

    def test_segments_after_the_clock_was_set_back(self):
        """The next one has the session's next number, whatever hour is in its name."""
        self.segment(13, 1, [900, 901], session=5)  # of a recording that was killed, when the clock was wrong
        log, seq = self.segment(12, 0, [100, 101], ends=3)
        self.segment(8, 0, [800], session=6)
        for name in (11, 1), (10, 3):  # made, but not begun yet
            made = open(self.write("a-20261121T%02d0000Z-%03d.plog" % name, b""), "rb")
            self.addCleanup(made.close)
            fcntl.flock(made, fcntl.LOCK_EX)
        p, rows = self.follow("--layout", "long", log)
        came = [rows.get(timeout=harness.TIMEOUT)[1] for _ in range(3)]  # with the header
        time.sleep(3)
        self.assertIsNone(p.poll(), "a segment that is empty yet is waited for")
        _, seq = self.segment(11, 1, [50, 51], ends=3, seq=seq)
        came += [rows.get(timeout=harness.TIMEOUT)[1] for _ in range(2)]
        self.segment(10, 3, [52, 53], ends=1, seq=seq)  # the one between was deleted, by --keep for one
        while True:
            row = rows.get(timeout=harness.TIMEOUT)
            if not row:
                break
            came.append(row[1])
        self.assertEqual([float(line.split(",")[0]) for line in came[1:]], [100, 101, 50, 51, 52, 53])
        self.assertEqual(p.wait(harness.TIMEOUT), 0)

    def test_a_segment_that_never_comes(self):
        """The recorder was killed just then, or the other segments are elsewhere."""
        log, _ = self.segment(12, 0, [100, 101], ends=3)
        self.segment(13, 1, [900, 901], session=5)
        self.write("a-20261121T140000Z-002.plog", b"")
        self.assertEqual(len(long_rows(self.good("export", "-f", "--layout", "long", log).out)), 2)

    def test_until_interrupted(self):
        log = self.path("a.plog")
        recording = Recording(self, log, *SYSTEM, "-i", "100ms")
        recording.wait_for(2)
        out = self.path("out.csv")
        p, _ = self.follow("-o", out, log)
        def lines():
            with open(out + ".part") as f:
                return f.read().count("\n")
        harness.wait_until(lambda: os.path.exists(out + ".part") and lines() > 3, "there are rows")
        p.send_signal(harness.signal.SIGINT)
        self.assertEqual(p.wait(harness.TIMEOUT), 0)
        with open(out) as f:
            self.assertGreater(len(Wide(f.read()).rows), 2)
        self.assertEqual(recording.end().code, 0)

    def test_interrupted_far_from_the_end(self):
        log = self.path("a.plog")
        recording = Recording(self, log, "-i", "100ms")
        recording.wait_for(20)
        p = subprocess.Popen([harness.PROGRAM, "export", "-f", "--layout", "long", log], stdout=subprocess.PIPE)
        with p:
            p.stdout.read(10)
            p.send_signal(harness.signal.SIGINT)
            rest = len(p.stdout.read())
            self.assertEqual(p.wait(harness.TIMEOUT), 0)
        recording.end()
        self.assertLess(rest, len(self.good("export", "--layout", "long", log).raw_out) // 2)

    def test_a_log_that_has_ended(self):
        log = self.record(self.path("a.plog"), *SYSTEM, "-i", "100ms", "-n", "3")
        self.assertEqual(self.good("export", "-q", "-f", log).out, self.good("export", "-q", log).out)


class Statuses(Case):
    """The long layout says why a cell is empty."""

    def test_a_process_that_comes_and_goes(self):
        log = self.path("a.plog")
        recording = Recording(self, log, "-i", "100ms", "-c", r"\Process(*)\*")
        recording.wait_for(2)
        with recording.paused():  # it may not see the child before it is called sleep
            child = subprocess.Popen(["sleep", "600"])
        name = "sleep:%d" % child.pid
        recording.wait_for_more(4)
        child.kill()
        child.wait()
        recording.wait_for_more(3)
        self.assertEqual(recording.end().code, 0)
        rows = long_rows(self.good("export", "--layout", "long", log).out)
        self.assertLessEqual({row["Status"] for row in rows}, STATUSES)
        for row in rows:
            if row["Status"] in ("first", "absent", "gap"):
                self.assertEqual(row["Value"], "", row)
            elif not row["Status"]:
                self.assertNotEqual(row["Value"], "", row)
        mine = {}
        for row in rows:
            if row["Instance"] == name:
                mine.setdefault(row["Counter"], []).append(row)
        self.assertIn("% Processor Time", mine)
        for counter, cells in mine.items():
            statuses = [cell["Status"] for cell in cells]
            self.assertEqual(statuses.count("absent"), 1, counter)
            self.assertEqual(statuses[-1], "absent", counter)
        # It was started since the sample before.
        self.assertEqual([c["Status"] for c in mine["% Processor Time"]][:2], ["", ""])
        self.assertEqual([c["Status"] for c in mine["Thread Count"]][0], "")
        self.assertEqual([c["Value"] for c in mine["Thread Count"]][0], "1")
        # Whatever others did: a vanished instance is not told of again unless it came back.
        gone = set()
        for row in rows:
            key = row["Instance"], row["Counter"]
            if row["Status"] == "absent":
                self.assertNotIn(key, gone)
                gone.add(key)
            else:
                gone.discard(key)

    def test_long_and_wide_agree(self):
        log = self.record(self.path("a.plog"), "-i", "100ms", "-n", "4")
        sheet = self.wide(log, "--time", "unix")
        cells = {}
        for time_, row in zip(sheet.times, sheet.rows):
            for name, cell in zip(sheet.header[1:], row[1:]):
                if cell:
                    cells[time_, name] = cell
        found = {}
        for row in long_rows(self.good("export", "--layout", "long", "--time", "unix", log).out):
            where = row["Object"] + ("(%s)" % row["Instance"] if row["Instance"] else "")
            name = r"\\%s\%s\%s" % (row["Host"], where, row["Counter"])
            if row["Value"] and name in sheet.header:
                found[row["Time"], name] = row["Value"]
        self.assertGreater(len(cells), 100)
        self.assertEqual(found, cells)

    def test_every_listed_path_selects_itself(self):
        log = self.record(self.path("a.plog"), "-i", "100ms", "-n", "2")
        paths = self.good("list", log).out.splitlines()
        choice = self.write("all.txt", "\n".join(paths).encode("utf-8", "surrogateescape"))
        for path in paths[::199]:
            self.assertEqual(self.good("list", "-c", path, log).out.splitlines(), [path])
        self.assertEqual(self.good("list", "-c", "@" + choice, log).out.splitlines(), paths)

    def test_guard(self):
        """Text that a spreadsheet would run gets a quote in front, numbers never do."""
        log = self.path("a.plog")
        recording = Recording(self, log, "-i", "100ms", "-c", r"\Process(*)\*")
        with harness.process_named("=1+1") as pid:
            recording.wait_for_more(2)
        self.assertEqual(recording.end().code, 0)
        name = "=1+1:%d" % pid
        guarded = {row["Instance"] for row in long_rows(self.good("export", "--layout", "long", log).out)}
        self.assertIn("'" + name, guarded)
        self.assertFalse([n for n in guarded if re.match(r"[=+\-@\t\r]", n)])
        bare = self.good("export", "--layout", "long", "--no-guard", log).out
        self.assertIn(name, {row["Instance"] for row in long_rows(bare)})


class Json(Case):
    def setUp(self):
        super().setUp()
        self.log = self.record(self.path("a.plog"), "-i", "100ms", "-n", "4")

    def json(self, *args):
        r = run(*args)
        return json.loads(r.out), r.code

    def test_list(self):
        series, code = self.json("list", "--json", self.log)
        self.assertEqual(code, 0)
        # What a stray process has in its name to move a terminal, a list shows as "?".
        for s in series:
            s["path"] = re.sub("[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]", "?", s["path"])
        self.assertEqual([s["path"] for s in series], self.good("list", self.log).out.splitlines())
        help_texts = [line.split("\t") for line in self.good("list", "--help-text",
                                                             self.log).out.splitlines()]
        self.assertEqual([[s["path"], s["help"]] for s in series], help_texts)
        for s in series:
            self.assertTrue(s["help"].endswith("."), s)
            self.assertTrue(s["path"].endswith("\\" + s["counter"].replace("#", "[#]")), s)

    def test_info(self):
        (info,), code = self.json("info", "--json", self.log)
        text = self.good("info", self.log).out
        self.assertEqual((code, info["samples"], info["bytes"]), (0, 4, os.path.getsize(self.log)))
        self.assertRegex(text, r"Samples +4, %d missed" % info["missed"])
        self.assertIn(info["host"], text)
        self.assertIn(info["recorder"], text)
        self.assertRegex(text, r"Sessions +%d\n" % info["sessions"])
        self.assertRegex(text, r"Interval +100ms\n")
        self.assertAlmostEqual(info["interval_seconds"], 0.1)
        for key in "first", "last":
            self.assertIn(info[key].rstrip("Z").replace("T", " ").replace(".000", ""), text.replace(" to ", " "))
        self.assertRegex(text, r"Health +no damage; %d samples? lost \(" % info["missed"] if info["missed"]
                         else r"Health +good\n")

    def test_verify(self):
        with open(self.log, "rb") as f:
            data = f.read()
        third = [r for r in records(self.log) if r[0] == "SMPL"][2]
        middle = third[1] + third[2] // 2
        damaged = data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1:]
        for name, content, code in (("good", data, 0), ("cut", data[:-100], 0), ("damaged", damaged, 2)):
            with self.subTest(log=name):
                path = self.write(name + ".plog", content)
                found, status = self.json("verify", "--json", path)
                text = run("verify", path)
                self.assertEqual((status, text.code, found["exit_status"]), (code, code, code))
                self.assertIn("%s in %s" % (several(found["samples"], "sample"),
                                            several(found["sessions"], "session")), text.out)
                self.assertEqual(len(found["ranges"]), len(text.out.splitlines()) - 1)
                for r, line in zip(found["ranges"], text.out.splitlines()):
                    if r["kind"] == "lost":
                        self.assertIn(": lost: %s" % several(r["samples"], "sample"), line)
                        continue
                    where = "bytes %d to %d (%d): %s" % (
                        r["offset"], r["offset"] + r["bytes"] - 1, r["bytes"], r["kind"])
                    if r["kind"] == "missing":
                        where = "at byte %d: records missing: %d" % (r["offset"], r["records"])
                    self.assertIn(where, line)
                if code == 2:
                    self.assertIn("damaged ranges: %d (%d bytes); unreachable samples: %d" % (
                        found["damaged_ranges"], found["damaged_bytes"],
                        found["unreachable_samples"]), text.out)
                    self.assertEqual(found["unreachable_samples"], 1)  # the fourth needs the third
                    loss = found["ranges"][-1]
                    self.assertEqual((loss["kind"], loss["samples"], loss["to"]), ("lost", 2, None))
                    self.assertEqual(found["lost_samples"], 2)
                self.assertEqual(run("verify", "-q", path).out, "")

    def test_info_of_two_logs(self):
        infos, _ = self.json("info", "--json", self.log, self.log)
        self.assertEqual(sum(i["samples"] for i in infos), 4, "joined twice, counted once")


if __name__ == "__main__":
    harness.main()
