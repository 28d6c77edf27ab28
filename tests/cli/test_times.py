#!/usr/bin/env python3
"""--from, --to, --at and --tz as people say times, in every command that has them, on a log of known times.

The log is of a machine in Berlin: each half minute from 21 November 2026, 12:00 UTC, to 22 November, 14:20:30 UTC.
PERFLOG_HAS_REPORT says whether there is a perflog report.
"""
import csv
import datetime
import io
import json
import os
import pty
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from crafted import gaps
from harness import PROGRAM, TIMEOUT, Case, run
from read_report import Report
from write_log import SECOND, Log, object_of

STEP, GAUGE = 30, 0x00010100
UTC = datetime.timezone.utc
HAS_REPORT = os.environ.get("PERFLOG_HAS_REPORT", "1") not in ("0", "OFF", "")


def at(text):
    """Seconds since 1970 of a time in UTC."""
    return int(datetime.datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp())


FIRST, LAST = at("2026-11-21 12:00:00"), at("2026-11-22 14:20:30")


def made(first=FIRST, last=LAST, step=STEP, **how):
    log = Log({2: b"Tank", 4: b"Level"}, interval_ns=step * SECOND, **how)
    for t in range(first, last + 1, step):
        log.sample(t * SECOND, [object_of(2, [(4, GAUGE, 8)], [(None, ((t - first) // step,))])])
    return log


def runs(*runs, first=0, **how):
    """A log whose clock is set to the beginning of each run of (first second of the day, samples); sample n has n MB,
    of those that begin with number 'first'.
    """
    log, n = Log({2: b"Memory", 4: b"Available Bytes"}, **how), first
    for begin, samples in runs:
        for s in range(samples):
            log.sample((at("2026-11-21") + begin + s) * SECOND,
                       [object_of(2, [(4, GAUGE, 8)], [(None, (n * 10**6,))])], perf_time=n * 10**7)
            n += 1
    return log


class Times(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.maker = Case("setUp")
        cls.maker.setUp()
        cls.log = made(zone=(60, b"Europe/Berlin")).save(cls.maker.path("a.plog"))

    @classmethod
    def tearDownClass(cls):
        cls.maker.doCleanups()

    def rows(self, *args, log=None):
        out = self.good("export", "-q", "--time", "unix", *args, log or self.log).out
        return [round(float(row[0])) for row in list(csv.reader(io.StringIO(out)))[1:]]

    def expect(self, after, up_to, *args):
        """Rows with after < t <= up_to, texts in UTC; None: without that end."""
        a, b = at(after) if after else FIRST - 1, at(up_to) if up_to else LAST
        self.assertEqual(self.rows(*args), [t for t in range(FIRST, LAST + 1, STEP) if a < t <= b], args)

    def on_terminal(self, *args, **how):
        """Standard error as a terminal gets it; standard output goes to nowhere."""
        master, slave = pty.openpty()
        try:
            done = subprocess.run([PROGRAM, *args], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                  stderr=slave, timeout=TIMEOUT, **how)
            os.close(slave)
            text = b""
            try:
                while chunk := os.read(master, 4096):
                    text += chunk
            except OSError:  # the terminal has no writer left
                pass
        finally:
            os.close(master)
        self.assertEqual(done.returncode, 0, text)
        return text.decode()


class Windows(Times):
    def test_time_of_day_is_the_last_before_the_end(self):
        self.expect("2026-11-22 03:10:00", None, "--from", "03:10")
        self.expect("2026-11-21 14:30:00", None, "--from", "14:30")
        self.expect("2026-11-22 03:10:00", "2026-11-22 03:15:00", "--from", "03:10", "--to", "03:15")
        self.expect(None, "2026-11-22 03:15:00", "--to", "3:15 AM")

    def test_past_midnight(self):
        self.expect("2026-11-21 23:00:00", "2026-11-22 01:00:00", "--from", "23:00", "--to", "01:00")
        self.expect("2026-11-21 14:30:00", "2026-11-22 14:29:00", "--from", "14:30", "--to", "14:29")

    def test_days_are_of_the_end(self):
        self.expect("2026-11-21 14:00:00", "2026-11-21 15:00:00", "--from", "yesterday 14:00", "--to", "15:00")
        self.expect("2026-11-22 00:00:00", None, "--from", "today")
        self.expect(None, "2026-11-22 00:00:00", "--to", "today")
        self.expect("2026-11-21 23:59:59", None, "--at", "today")
        self.expect(None, "2026-11-21 23:59:59", "--at", "yesterday")

    def test_lengths(self):
        self.expect("2026-11-22 14:10:30", None, "--from", "-10m")
        self.expect("2026-11-22 03:10:00", "2026-11-22 03:15:00", "--from", "03:10", "--to", "+5m")
        self.expect(None, "2026-11-21 12:05:00", "--to", "+5m")
        self.expect("2026-11-22 13:20:30", "2026-11-22 13:30:30", "--from", "-1h", "--to", "+10m")

    def test_the_same_twice_is_what_it_names(self):
        for same, first, last in (("03:12:30", "03:12:30", "03:12:30"), ("03:12", "03:12:00", "03:12:30"),
                                  ("2026-11-22", "00:00:00", "14:20:30")):
            wanted = list(range(at("2026-11-22 " + first), at("2026-11-22 " + last) + 1, STEP))
            self.assertEqual(self.rows("--from", same, "--to", same), wanted, same)
            self.assertEqual(self.rows("--at", same), wanted, same)

    def test_a_second_is_the_sample_that_covers_it(self):
        for second, row in (("03:12:07", "03:12:30"), ("03:12:31", "03:13:00"), ("03:12:30.5", "03:13:00")):
            self.assertEqual(self.rows("--at", second), [at("2026-11-22 " + row)], second)
        self.assertEqual(self.rows("--at", "-0s"), [LAST])
        self.assertEqual(self.rows("--at", "-40s"), [LAST - STEP])

    def test_around(self):
        for text in "03:12 +-2m", "03:12 ±2m", "03:12+/-120":
            self.expect("2026-11-22 03:10:00", "2026-11-22 03:14:00", "--at", text)

    def test_around_a_time_of_day_that_the_end_is_shortly_before(self):
        """A machine died at 14:20:30: what is asked for is that day, as long as its window has any of it."""
        self.expect("2026-11-22 14:20:00", None, "--at", "14:22 +-2m")
        self.expect("2026-11-22 14:19:00", None, "--at", "14:21+-2m")
        self.expect("2026-11-22 14:20:29", None, "--at", "14:30:29+-10m")
        self.expect("2026-11-21 14:20:30", "2026-11-21 14:40:30", "--at", "14:30:30+-10m")
        self.expect("2026-11-21 14:20:59", "2026-11-21 14:21:59", "--at", "14:21")  # a minute, no window around it
        self.expect("2026-11-22 02:00:00", None, "--at", "15:00 +-13h")
        self.expect("2026-11-21 14:00:00", "2026-11-22 16:00:00", "--at", "03:00 +-13h")
        self.expect("2026-11-22 14:19:00", "2026-11-22 14:20:00", "--at", "-1m +-30s")
        self.expect("2026-11-22 14:20:00", None, "--at", "15:22+01:00 +-2m")
        early = made(LAST - 600, LAST).save(self.path("early.plog"))
        self.assertEqual(self.rows("--at", "14:22 +-2m", log=early), [LAST])

    def test_around_midnight_that_the_end_is_shortly_before(self):
        last = at("2026-11-21 23:59:30")
        log = made(last - 600, last).save(self.path("a.plog"))
        self.assertEqual(self.rows("--at", "00:00 +-1m", log=log), [last])
        self.refused(1, "export", "--at", "today 00:00 +-1m", log, says="no samples from 2026-11-20 23:59")

    def test_first_rates_are_there(self):
        """One row alone has the sample before it to take its rates from."""
        log = Log({2: b"Tank", 4: b"Drops/sec"}, interval_ns=SECOND)
        for i in range(10):
            log.sample((FIRST + i) * SECOND, [object_of(2, [(4, 0x10410500, 8)], [(None, (7 * i,))])])
        log = log.save(self.path("a.plog"))
        self.assertEqual(self.wide(log, "--at", "12:00:05").rows, [["2026-11-21 12:00:05", "7"]])

    def test_spreadsheets(self):
        for text in ("22.11.2026 03:10", "22.11.2026, 03:10:00", "11/22/2026 3:10 AM", "22/11/2026 03:10",
                     "2026/11/22 3:10", "2026-11-22T03:10Z", "2026-11-22 04:10 +01:00", "2026-11-22 03:10:00.000 UTC"):
            self.expect("2026-11-22 03:10:00", None, "--from", text)

    def test_order_of_the_locale(self):
        tool = shutil.which("localedef")
        if not tool or not os.path.exists("/usr/share/i18n/locales/en_US"):
            self.skipTest("there is no localedef to make locales with (Debian: locales)")
        for name in "en_US", "en_GB":
            subprocess.run([tool, "-i", name, "-f", "UTF-8", self.path(name + ".UTF-8")], check=False,
                           stderr=subprocess.DEVNULL)
        first, last = at("2026-03-04 12:00:00"), at("2026-04-03 12:00:00")
        log = made(first, last, 3600).save(self.path("a.plog"))
        wanted = {"en_US.UTF-8": at("2026-03-04 13:00:00"), "en_GB.UTF-8": at("2026-04-03 01:00:00")}
        for name, row in wanted.items():
            how = {"env": {**os.environ, "LOCPATH": self.folder, "LC_ALL": name}}
            r = run("export", "-q", "--time", "unix", "--from", "03/04/2026 12:00" if "US" in name else "03/04/2026",
                    log, **how)
            self.assertEqual(int(float(r.out.splitlines()[1].split(",")[0])), row, (name, r))
        for name in "C", "C.UTF-8", "":
            self.refused(1, "export", "--from", "03/04/2026", log, says="is it 2026-03-04 or 2026-04-03?",
                         env={**os.environ, "LC_ALL": name, "LC_TIME": "", "LANG": ""})


class Commands(Times):
    """The same window in all of them."""
    WINDOW = ("--from", "23:00", "--to", "01:00")
    ROWS = list(range(at("2026-11-21 23:00:30"), at("2026-11-22 01:00:00") + 1, STEP))

    def test_export(self):
        self.assertEqual(self.rows(*self.WINDOW), self.ROWS)
        self.good("export", "-q", "--layout", "table", *self.WINDOW, "-o", self.path("d"), self.log)
        with open(self.path("d", "Tank.csv"), encoding="utf-8") as f:
            self.assertEqual(len(f.readlines()), 1 + len(self.ROWS))

    def test_stats(self):
        """As JSON it is for programs: UTC."""
        found, = json.loads(self.good("stats", "--json", *self.WINDOW, self.log).out)
        self.assertEqual((found["values"], found["min"], found["max"]),
                         (len(self.ROWS), (self.ROWS[0] - FIRST) // STEP, (self.ROWS[-1] - FIRST) // STEP))

    def test_stats_for_people(self):
        """The window is of the zone that is shown."""
        out = self.good("stats", *self.WINDOW, self.log).out
        self.assertTrue(out.startswith("Times: Europe/Berlin\n"), out)
        self.assertRegex(out, r"  %s  2026-11-22 01:00:00 +240 " %
                         ("%.2f k" % ((at("2026-11-22 00:00:00") - FIRST) // STEP / 1000)))

    def test_cut(self):
        """With the sample before, for rates."""
        for how, shift in ((), 0), (("--tz", "log"), -3600):
            new = self.path("new%d.plog" % shift)
            self.good("cut", "-q", *how, *self.WINDOW, self.log, "-o", new)
            # The sample before the window is there, too.
            self.assertEqual(self.rows(log=new), [self.ROWS[0] + shift - STEP] + [t + shift for t in self.ROWS])

    @unittest.skipUnless(HAS_REPORT, "this perflog makes no reports")
    def test_report(self):
        new = self.path("r.html")
        self.good("report", "-q", "-c", "Tank", *self.WINDOW, "-o", new, self.log)
        page = Report(new)
        self.assertEqual(page.charts[0].host["x"], [t - 3600 for t in self.ROWS])
        self.assertIn("2026-11-22 01:00:00", page.text)
        self.assertIn("Europe/Berlin", page.text)


class Zones(Times):
    def test_sheets_are_utc(self):
        """Whatever zone the log and this machine have."""
        how = {"env": {**os.environ, "TZ": "Asia/Tokyo"}}
        for args in (("export",), ("export", "--layout", "long"), ("stats", "--csv")):
            out = self.good(*args, "--at", "03:12", self.log, **how).out
            self.assertIn("(UTC)", out.splitlines()[0])
            self.assertIn("2026-11-22 03:12", out)
        found, = json.loads(self.good("stats", "--json", "--at", "03:12", self.log, **how).out)
        self.assertTrue(found["max_at"].startswith("2026-11-22T03:12:30"), found)

    def test_sheets_in_the_zone_of_the_log(self):
        out = self.good("export", "--tz", "log", "--at", "03:12", self.log).out.splitlines()
        self.assertTrue(out[0].startswith("Time (Europe/Berlin),"), out)
        self.assertEqual([line[:19] for line in out[1:]], ["2026-11-22 03:12:00", "2026-11-22 03:12:30"])
        out = self.good("stats", "--csv", "--tz", "log", "--at", "03:12", self.log).out
        self.assertIn("Time of Max (Europe/Berlin)", out)

    def test_people_choose_another(self):
        for zone, name, first in (("UTC", "UTC", "03:12"), ("+05:30", r"\+05:30", "03:12"), ("log", "Europe/Berlin", "03:12")):
            out = self.good("stats", "--tz", zone, "--at", first, self.log).out
            self.assertRegex(out, r"\ATimes: %s\n" % name)
            self.assertIn("  2026-11-22 03:12:30  ", out)

    def test_info(self):
        out = self.good("info", self.log).out
        self.assertIn("Span       2026-11-21 13:00:00 to 2026-11-22 15:20:30 Europe/Berlin (1d2h)", out)
        self.assertIn("2026-11-21 12:00:00 to 2026-11-22 14:20:30 UTC", self.good("info", "--tz", "UTC", self.log).out)
        found, = json.loads(self.good("info", "--json", "--tz", "Europe/Berlin", self.log).out)
        self.assertEqual((found["first"][:19], found["zone"]), ("2026-11-21T12:00:00", "Europe/Berlin"))

    def test_texts_of_info_are_of_its_zone(self):
        log = made(FIRST, FIRST + 60, zone=(60, b"Europe/Berlin"))
        log.record(b"gaps", gaps((FIRST + 90) * SECOND, (FIRST + 150) * SECOND, 3, 1), (FIRST + 180) * SECOND)
        log = log.save(self.path("a.plog"))
        self.assertIn("2026-11-21 13:01:30 Europe/Berlin  3 samples missing until 2026-11-21 13:02:30: ",
                      self.good("info", log).out)
        found, = json.loads(self.good("info", "--json", "--tz", "Europe/Berlin", log).out)
        self.assertIn("3 samples missing until 2026-11-21 12:02:30: ", found["events"][0]["text"])

    def shown(self, zone, **how):
        """The zone and the time of the greatest value, in a table for people."""
        log = made(FIRST, FIRST + 60, zone=zone, **how).save(self.path("z.plog"))
        out = self.good("stats", log).out
        return re.search(r"\ATimes: (.*)\n", out)[1], re.search(r"  \d{4}-\d\d-\d\d (\d\d:\d\d:\d\d) ", out)[1]

    def test_zone_that_is_not_known_here_is_its_offset(self):
        for zone, wanted in (((330, b"Nowhere/Land"), ("+05:30", "17:31:00")), ((-570, b""), ("-09:30", "02:31:00")),
                             ((0, b""), ("UTC", "12:01:00")), (None, ("UTC", "12:01:00")),
                             ((0, b"Etc/UTC"), ("UTC", "12:01:00")), ((60, b"../../etc/passwd"), ("+01:00", "13:01:00")),
                             ((2**31 - 1, b""), ("UTC", "12:01:00")), ((-2**31, b"x"), ("UTC", "12:01:00")),
                             ((1440, b""), ("UTC", "12:01:00"))):
            self.assertEqual(self.shown(zone), wanted, zone)

    def test_zone_of_windows_is_its_offset(self):
        """What Windows calls a zone is no name of one here, even if it sounds so; the sheet of PDH keeps it."""
        for name in b"Eastern Daylight Time", b"Japan":
            self.assertEqual(self.shown((-240, name), source=b"a.blg"), ("-04:00", "08:01:00"))
            for args in (), ("--tz", "log"):
                out = self.good("export", "--layout", "pdh", *args, self.path("z.plog")).out
                self.assertTrue(out.startswith('"(PDH-CSV 4.0) (%s)(240)"' % name.decode()), out)
        self.assertTrue(self.good("export", "--layout", "pdh", self.log).out.startswith('"(PDH-CSV 4.0) (UTC)(0)"'))

    def test_of_several_the_first_begun(self):
        a = made(FIRST + 30, LAST, 3600, zone=(540, b"Asia/Tokyo"), host=b"a").save(self.path("a.plog"))
        b = made(FIRST, LAST, 3600, zone=(60, b"Europe/Berlin"), host=b"b").save(self.path("b.plog"))
        self.assertTrue(self.good("stats", a, b).out.startswith("Times: Europe/Berlin\n"))
        out = self.good("info", a, b).out
        self.assertIn("Asia/Tokyo", out)
        self.assertIn("Europe/Berlin", out)


class Intervals(Case):
    """A second or a minute is the sample that covers it, by the interval of its recording and host."""

    def level(self, first, step, samples, name, **how):
        return made(first, first + (samples - 1) * step, step, **how).save(self.path(name))

    def times(self, *args):
        return [row.split(",")[0][11:] for row in self.good("export", "-q", "--layout", "long", *args).out.splitlines()[1:]]

    def test_of_the_recording_then(self):
        """Seconds first and minutes later, and the other way round."""
        fine, coarse = self.level(FIRST, 1, 600, "fine.plog", session=1), self.level(FIRST + 3600, 60, 10, "coarse.plog", session=2)
        self.assertEqual(self.times("--at", "12:05:07", fine, coarse), ["12:05:07"])
        self.assertEqual(self.times("--at", "13:05:07", fine, coarse), ["13:06:00"])
        self.assertEqual(len(self.times("--at", "12:05", fine, coarse)), 60)

    def test_cut(self):
        fine, coarse = self.level(FIRST, 1, 600, "fine.plog", session=1), self.level(FIRST + 3600, 60, 10, "coarse.plog", session=2)
        for at_, expected in ("12:05:07", ["12:05:06", "12:05:07"]), ("13:05:07", ["13:05:00", "13:06:00"]):
            self.good("cut", "--at", at_, fine, coarse, "-o", self.path("cut.plog"))
            self.assertEqual(self.times(self.path("cut.plog")), expected)
            os.unlink(self.path("cut.plog"))

    def test_of_each_host(self):
        fine, coarse = self.level(FIRST, 1, 300, "fine.plog", host=b"fine"), self.level(FIRST, 60, 5, "coarse.plog", host=b"coarse")
        self.assertEqual(self.times("--at", "12:01:30", fine, coarse), ["12:01:30", "12:02:00"])


class ClockSetBack(Case):
    """The last sample is the one recorded last, whatever the clock has shown before."""
    AHEAD = (36000, 400), (36300, 50)  # 10:00:00 to 10:06:39, and again 10:05:00 to 10:05:49
    BEFORE = (36000, 60), (32400, 60)  # back to 09:00:00, before the log's beginning

    def top(self, *args, says):
        self.assertIn(says, " ".join(self.good("top", *args).out.split()))

    def test_the_last_sample(self):
        self.top(runs(*self.AHEAD).save(self.path("a.plog")), says="10:05:49 UTC, one sample of the 1s before Memory available 449 MB")
        self.top(runs(*self.BEFORE).save(self.path("b.plog")), says="09:00:59 UTC, one sample of the 1s before Memory available 119 MB")

    def test_the_last_sample_of_a_repaired_log(self):
        """Its index leads to the first of two samples of that time."""
        log = runs(*self.AHEAD).save(self.path("a.plog"))
        self.good("repair", log, "-o", self.path("indexed.plog"))
        self.top(self.path("indexed.plog"), says="10:05:49 UTC, one sample of the 1s before Memory available 449 MB")
        small = runs((36000, 20), (36005, 3)).save(self.path("small.plog"))  # of one chunk
        self.good("repair", small, "-o", self.path("chunk.plog"))
        self.top(self.path("chunk.plog"), says="10:00:07 UTC, one sample of the 1s before Memory available 22.0 MB")

    def test_means_up_to_the_end(self):
        log = runs(*self.AHEAD).save(self.path("a.plog"))
        self.top("--every", "10s", log, says="10:05:40 to 2026-11-21 10:05:49 UTC, means of 10 samples Memory available 444 MB")
        self.top("--every", "1m", log, says="10:05:00 to 2026-11-21 10:05:49 UTC, means of 50 samples Memory available 424 MB")
        small = runs((36000, 60), (36058, 2)).save(self.path("small.plog"))  # back by two seconds
        self.top("--every", "1m", small, says="10:00:00 to 2026-11-21 10:00:59 UTC, means of 62 samples")
        self.top("--every", "1m", runs(*self.BEFORE).save(self.path("b.plog")), says="09:00:00 to 2026-11-21 09:00:59 UTC, means of 60")

    def test_a_time_that_comes_again(self):
        """Both of its samples are in the page, as in the rows."""
        log = runs(*self.AHEAD).save(self.path("a.plog"))
        self.assertEqual(len(self.good("export", "-q", "--at", "10:05:30", log).out.splitlines()), 1 + 2)
        self.top("--at", "10:05:30", log, says="means of 2 samples Memory available 380 MB")

    def test_two_recordings_of_a_file(self):
        """The second one began an hour earlier, by its clock."""
        path = self.path("two.plog")
        for n, run_ in enumerate(self.BEFORE):
            with open(path, "ab") as f, open(runs(run_, session=n + 1).save(self.path("one.plog")), "rb") as one:
                f.write(one.read())
        self.top(path, says="09:00:59 UTC, one sample of the 1s before Memory available 59.0 MB")

    def test_files_of_a_recording(self):
        """The last file is the one that was recorded last."""
        os.mkdir(self.path("logs"))
        for n, run_ in enumerate(((36000, 60), (36100, 60), (36030, 30))):
            runs(run_, seq=n * 1000).save(self.path("logs/%d.plog" % n))
        self.top(self.path("logs"), says="10:00:59 UTC, one sample of the 1s before Memory available 29.0 MB")
        self.top("--at", "10:00:50", self.path("logs"), says="10:00:50 UTC, one sample of the 1s before Memory available 20.0 MB")

    def test_files_whose_last_goes_back_into_the_one_before(self):
        """Their last sample has a time that the first file has, too."""
        files = self.files((36000, 121), ((36130, 2), (36060, 31)))
        self.top(*files, says="10:01:30 UTC, one sample of the 1s before Memory available 532 MB")
        self.top("--every", "10s", *files, says="10:01:21 to 2026-11-21 10:01:30 UTC, means of 10 samples Memory available 528 MB")
        self.top("--every", "1m", *files, says="10:01:00 to 2026-11-21 10:01:30 UTC, means of 31 samples Memory available 517 MB")

    def files(self, *runs_of, **how):
        """Files of a recording; what the nth holds begins with n times 500 MB."""
        paths = []
        for n, those in enumerate(runs_of):
            log = runs(*(those if isinstance(those[0], tuple) else (those,)), first=n * 500, seq=n * 1000, **how)
            paths.append(log.save(self.path("%d.plog" % n)))
        return paths

    def test_time_that_only_an_earlier_file_has(self):
        files = self.files((36000, 121), (36030, 31))
        for at_time, mb in ("10:01:40", "100"), ("10:00:50", "520"), ("10:00:10", "10.0"):
            self.top("-q", "--at", "2026-11-21 " + at_time, *files, says="%s UTC, one sample of the 1s before Memory available %s MB" % (at_time, mb))
        self.refused(1, "top", "-q", "--at", "2026-11-21 10:02:40", *files, says="no samples from 2026-11-21 10:02:40")
        with open(files[1], "r+b") as f:  # behind its first sample
            f.seek(os.path.getsize(f.name) // 2)
            f.write(bytes(range(1, 100)))
        self.assertIn("damaged: 1 range", run("top", "--at", "2026-11-21 10:01:40", *files).err)

    def test_interval_of_a_time_that_only_an_earlier_file_has(self):
        """A second is the sample that covers it, also after a short recording in between."""
        for number, (first, samples) in enumerate(((36000, 361), (37200, 7))):
            made(at("2026-11-21") + first, at("2026-11-21") + first + 10 * (samples - 1), 10, session=number + 1).save(
                self.path("%d.plog" % number))
        files = self.path("0.plog"), self.path("1.plog")
        sheet = self.good("export", "-q", "--at", "2026-11-21 10:40:03", *files)
        self.assertEqual(sheet.out.splitlines()[1:], ["2026-11-21 10:40:10,241"])
        self.good("cut", "-q", "--at", "2026-11-21 10:40:03", *files, "-o", self.path("cut.plog"))

    def test_two_hosts_of_a_file(self):
        """That the second one's clock is behind the first one's is no step back."""
        path = self.path("two.plog")
        with open(path, "wb") as two:
            for number, (host, samples) in enumerate(((b"web", 120), (b"db", 60))):
                with open(runs((36000, samples), host=host, session=number + 1).save(self.path("one.plog")), "rb") as one:
                    two.write(one.read())
        shown = self.good("top", "-q", path).out
        self.assertEqual(re.findall("^(?:web|db)  2026-11-21 10:00:59", shown, re.M), ["web  2026-11-21 10:00:59", "db  2026-11-21 10:00:59"])

    def test_processes_are_sorted_by_what_is_shown(self):
        """What they did before the clock was set back is over."""
        log = Log({2: b"Process", 4: b"Working Set"})
        for n, (first, big) in enumerate(((36000, 400), (36300, 1))):
            for s in range(400 - 350 * n):
                log.sample((at("2026-11-21") + first + s) * SECOND, [object_of(2, [(4, GAUGE, 8)], [
                    ("old", (big * 10**6,)), ("mid", (100 * 10**6,))])], perf_time=(400 * n + s) * 10**7)
        for options in (), ("--every", "1m"):
            shown = self.good("top", "--sort", "memory", "-n", "1", *options, log.save(self.path("a.plog"))).out
            self.assertIn("mid", shown)
            self.assertNotIn("old", shown)

    def test_what_the_log_spans(self):
        self.refused(1, "top", "--at", "2026-11-20", runs(*self.BEFORE).save(self.path("b.plog")),
                     says="UTC; it begins at 2026-11-21 10:00:00 and, with its clock set back, ends at 2026-11-21 09:00:59; times ")


class OfOneFile(Case):
    """An import of two machines, the first of which was recorded for longer."""

    def setUp(self):
        super().setUp()
        self.log = self.path("both.plog")
        with open(self.log, "wb") as both:
            for number, (host, samples) in enumerate(((b"adm", 120), (b"db", 60))):
                one = runs((36000, samples), host=host, session=number + 1, source=b"x.blg").save(self.path("one.plog"))
                with open(one, "rb") as f:
                    both.write(f.read())

    def rows(self, *args):
        return [line.split(",") for line in self.good("export", "-q", *args, self.log).out.splitlines()]

    def test_the_end_is_the_latest(self):
        head, *rows = self.rows("--from=-2s")
        self.assertEqual((head[1:], rows), ([r"\\adm\Memory\Available Bytes"],
                                            [["2026-11-21 10:01:58", "118000000"], ["2026-11-21 10:01:59", "119000000"]]))
        self.assertTrue(self.good("top", "-q", self.log).out.startswith("adm  2026-11-21 10:01:59 UTC"))

    def test_times_after_the_other_s_end(self):
        self.assertEqual(self.rows("--at", "10:01:30")[1:], [["2026-11-21 10:01:30", "90000000"]])
        self.assertEqual(self.rows("--at", "10:00:30")[1:], [["2026-11-21 10:00:30", "30000000", "30000000"]])


class Messages(Times):
    def test_what_is_no_time(self):
        for arg in "noon", "2026-02-30", "25:00":
            self.refused(1, "export", "--from", arg, self.log,
                         says="export: --from '%s': not a time; known are 03:12, 03:12:07, 'yesterday 14:00'" % arg)
        self.refused(1, "stats", "--at", "03:12 +-x", self.log, says="a length of time, as in '03:12 +-2m'")
        self.refused(1, "stats", "--at", "xx +-2m", self.log, says="not a time")

    def test_first_and_last_day_of_databases(self):
        """No sample can have them, and all are between them."""
        self.assertEqual(self.rows("--from", "0001-01-01", "--to", "9999-12-31"), self.rows())
        for option, text, says in (("--from", "9999-12-31", "after 9999-12-31 UTC; it spans"),
                                   ("--to", "0001-01-01 12:00", "up to 0001-01-01 12:00 UTC; it spans"),
                                   ("--at", "9999-12-31", "at 9999-12-31 UTC; it spans")):
            self.refused(1, "export", option, text, self.log, says=": no samples " + says)
            self.refused(1, "cut", option, text, self.log, "-o", self.path("new.plog"), says=": no samples " + says)

    def test_window_of_1970(self):
        """A clock without a battery begins there."""
        self.refused(1, "export", "--at", "1970-01-01", self.log,
                     says="no samples from 1970-01-01 00:00:00 to 1970-01-01 23:59:59.999 UTC")

    def test_empty_window_names_itself_and_the_span(self):
        self.refused(1, "export", "--from", "2026-11-23", "--to", "+1h", self.log,
                     says="no samples from 2026-11-23 00:00:00 to 2026-11-23 01:00:00 UTC; it spans 2026-11-21 12:00:00 "
                          "to 2026-11-22 14:20:30; times are given as 03:12, ")
        self.refused(1, "stats", "--to", "2026-11-21T12:00", self.log,
                     says="no samples up to 2026-11-21 12:00:00 Europe/Berlin; it spans 2026-11-21 13:00:00 to ")
        self.refused(1, "cut", "--from", "2027-01-01", self.log, "-o", self.path("n"), says="no samples after 2027-01-01")

    def test_ends_the_wrong_way_round(self):
        self.refused(1, "export", "--from", "today", "--to", "yesterday", self.log,
                     says="--from is not before --to: from 2026-11-22 00:00:00 to 2026-11-21 00:00:00 UTC")

    def test_one_or_the_other(self):
        for more in ("--from", "01:00"), ("--to", "01:00"):
            for command in ("export",), ("stats",), ("cut", "-o", self.path("n")):
                self.refused(1, *command, "--at", "03:12", *more, self.log, says="--at does not go with --from and --to")

    def test_pipe_has_no_end(self):
        with open(self.log, "rb") as f:
            data = f.read()
        for args in ("--from", "03:10"), ("--from", "-10m"), ("--at", "today"), ("--to", "+5m"):
            self.refused(1, "export", "--layout", "long", *args, "-", data=data, says="a pipe has no end to count from")
        r = self.good("export", "--layout", "long", "-q", "--from", "2026-11-22T03:10", "--to", "03:11", "-", data=data)
        self.assertEqual(len(r.out.splitlines()), 1 + 2)
        r = self.good("export", "--layout", "long", "-q", "--at", "2026-11-22T03:10", "-", data=data)
        self.assertEqual(len(r.out.splitlines()), 1 + 2)

    def test_terminal_is_given_the_window(self):
        window = "samples from 2026-11-22 03:10:00 to 2026-11-22 03:15:00 UTC"
        args = ("export", "--from", "03:10", "--to", "03:15", self.log)
        self.assertIn("perflog: %s\r\n" % window, self.on_terminal(*args))
        self.assertNotIn("samples", self.on_terminal(*args, "-q"))
        self.assertNotIn("samples", self.good(*args).err)
        self.assertIn("samples from 2026-11-22 03:12:00 to 2026-11-22 03:12:59.999 UTC",
                      self.on_terminal("export", "--at", "03:12", self.log))
        self.assertIn("samples after 2026-11-22 03:10:00 Europe/Berlin\r\n",
                      self.on_terminal("stats", "--from", "03:10", self.log))
        self.assertIn("samples up to 2026-11-22 03:15:00 UTC",
                      self.on_terminal("cut", "--to", "03:15", self.log, "-o", self.path("n")))
        self.assertNotIn("samples", self.on_terminal("export", self.log))


if __name__ == "__main__":
    harness.main()
