#!/usr/bin/env python3
"""At the limits of spreadsheets: what becomes of a row too many, and what memory the widest sheet takes."""
import os
import re
import signal
import subprocess
import sys
import zipfile

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import PROGRAM, Case
import write_log

MAKE_LOG = os.environ.get("MAKE_LOG", os.path.join(os.path.dirname(PROGRAM), "tests", "make_log"))
PEAK = os.environ.get("PEAK", os.path.join(os.path.dirname(PROGRAM), "tests", "peak"))
ROWS = 1048576
PROCESSORS = 64
SECOND = 1 / 86400


class Limits(Case):
    def one_counter(self, log, samples):
        """A log of one counter, a sample a second: by far the quickest way to so many."""
        sheet, clock = self.path("a.csv"), ["%02d:%02d:%02d" % (s // 3600, s // 60 % 60, s % 60) for s in range(86400)]
        with open(sheet, "w", encoding="ascii") as f:
            f.write('"(PDH-CSV 4.0) (UTC)(0)","\\\\made\\System\\Processes"\n')
            for day in range(samples // 86400 + 1):
                f.writelines('"01/%02d/2026 %s.000","%d"\n' % (day + 1, at, i % 7)
                             for i, at in enumerate(clock[:samples - day * 86400]))
        self.good("import", "-o", log, sheet)

    @harness.in_full
    def test_one_row_too_many(self):
        log, out = self.path("a.plog"), self.path("out.xlsx")
        self.one_counter(log, ROWS)
        args = ["export", "--xlsx", "-c", r"\System\Processes", "-o", out, log]
        self.refused(1, *args, says="%d rows, and a sheet takes %d; take --every, slices with --from and --to, or "
                                    "--split" % (ROWS + 1, ROWS))
        self.good(*args, "--split")
        with zipfile.ZipFile(out) as z:
            names = re.findall('<sheet name="([^"]+)"', z.read("xl/workbook.xml").decode())
            self.assertEqual(names, ["Summary", "Charts", "System", "Chart Data", "Chart Data (2)", "System (2)"])
            first, data, rest, second = (z.read("xl/worksheets/sheet%d.xml" % i) for i in (3, 4, 5, 6))
            tables = [z.read("xl/tables/table%d.xml" % i).decode() for i in (1, 2)]
            charts = [z.read("xl/charts/chart%d.xml" % i).decode() for i in (1, 2)]
        for whole, more in (first, second), (data, rest):
            self.assertEqual((whole.count(b"<row "), more.count(b"<row ")), (ROWS, 2))
        self.assertEqual([re.search(' ref="([^"]+)"', t)[1] for t in tables], ["A1:D%d" % ROWS, "A1:D2"])
        last, = re.findall(rb'r="A%d"[^>]*><v>([0-9.]+)</v>' % ROWS, first[-1000:])
        nearest, = re.findall(rb'r="A2"[^>]*><v>([0-9.]+)</v>', second)
        self.assertAlmostEqual(float(nearest) - float(last), SECOND, delta=SECOND / 10)
        self.assertEqual([re.findall("<c:f>([^<]+)", c) for c in charts],
                         [["'Chart Data'!$A$2:$A$%d" % ROWS, "'Chart Data'!$B$2:$B$%d" % ROWS],
                          ["'Chart Data (2)'!$A$2", "'Chart Data (2)'!$B$2"]])
        self.assertEqual([re.findall("<a:t>([^<]+)", c) for c in charts],
                         [[r"\System\Processes", "Time (UTC)"], [r"\System\Processes (2)", "Time (UTC)"]])

    def test_one_instance_too_many(self):
        """A table is full before its rows are: no part of it is left."""
        log, out = self.path("a.plog"), self.path("out.xlsx")
        rows_of_one = PROCESSORS + 1  # and _Total
        samples = ROWS // rows_of_one + 1
        subprocess.run([MAKE_LOG, log, "samples=%d" % samples, "processes=0", "processors=%d" % PROCESSORS, "disks=0",
                        "interfaces=0"], check=True)
        args = ["export", "--xlsx", "-q", "-c", r"\Processor(*)\% User Time", "-o", out, log]
        self.refused(1, *args, says="%d rows or more on the sheet 'Processor', and a sheet takes %d; take --every, slices "
                                    "with --from and --to, or --split" % (ROWS + 1, ROWS))
        self.good(*args, "--split")
        with zipfile.ZipFile(out) as z:
            names = re.findall('<sheet name="([^"]+)"', z.read("xl/workbook.xml").decode())
            self.assertEqual(names, ["Summary", "Charts", "Processor", "Chart Data", "Processor (2)"])
            rows = [z.read("xl/worksheets/sheet%d.xml" % i).count(b"<row ") for i in (3, 5)]
        self.assertEqual((rows[0], sum(rows) - 2), (ROWS, rows_of_one * samples))


class Size(Case):
    def begin(self, *args):
        process = subprocess.Popen([PROGRAM, "export", *args], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def written(self):
        """Bytes of what is being written beside the log."""
        return sum(os.path.getsize(self.path(n)) for n in os.listdir(self.folder) if n not in ("a.plog", "part.csv"))

    def test_a_large_file_is_announced(self):
        """At its beginning, about right, and who ends it then has no file."""
        log, part, out = self.path("a.plog"), self.path("part.csv"), self.path("out.csv")
        samples = 700
        subprocess.run([MAKE_LOG, log, "samples=%d" % samples, "processes=890", "churn=0"], check=True)
        process = self.begin("--layout", "long", "-o", out, log)
        line = process.stderr.readline()
        then = self.written()
        harness.wait_until(lambda: self.written() > then * 1.1, "more rows are written")
        process.send_signal(signal.SIGINT)
        self.assertEqual((process.wait(), os.path.exists(out)), (-signal.SIGINT, False))
        self.assertEqual(process.stderr.read(), "", "it is announced once")
        self.assertRegex(line, r"^perflog: %s: about [\d.]+ MB will be written; to write less, give --every, --from and --to, -c "
                               r"or --top$" % re.escape(out))
        r = self.good("export", "--layout", "long", "--to", "+19s", "-o", part, log)
        self.assertNotIn("will be written", r.err)
        rows = 20
        self.assertAlmostEqual(float(re.search(r"about ([\d.]+) MB", line)[1]) * 1e6,
                               os.path.getsize(part) * samples / rows, delta=os.path.getsize(part) * samples / rows / 5)
        r = self.good("export", "-q", "-c", "System", "-o", out, log)
        self.assertEqual(r.err, "")

    def test_a_large_file_of_a_log_whose_clock_was_set_back(self):
        """It ends, by its clock, before it begins: how much is done is known from its bytes."""
        log, out = self.path("a.plog"), self.path("out.csv")
        subprocess.run([MAKE_LOG, log, "samples=700", "processes=890", "churn=0"], check=True)
        later = write_log.Log({2: b"Tank", 4: b"Level"}, session=7)
        later.sample(write_log.SECOND, [write_log.object_of(2, [(4, 0x00010100, 8)], [(None, (1,))])])
        with open(log, "ab") as f, open(later.save(self.path("last.plog")), "rb") as last:
            f.write(last.read())
        process = self.begin("--layout", "long", "-o", out, log)
        line = process.stderr.readline()
        process.send_signal(signal.SIGINT)
        process.wait()
        self.assertRegex(line, r"^perflog: %s: about [\d.]+ [MG]B will be written; " % re.escape(out))

    def test_hours_that_lie_far_apart(self):
        """Of a log of two hours of two years the first rows are more than their part of the time."""
        log, names = self.path("a.plog"), {2: b"Engine", 4: b"Turns"}
        two = write_log.Log(names)
        for begin in 1_700_000_000, 1_790_000_000:
            for i in range(100):
                two.sample((begin + i) * 10**9, [write_log.object_of(2, [(4, 0x00010100, 8)], [("a", (i,))])])
        two.save(log)
        self.assertEqual(self.good("export", "--layout", "long", "-o", self.path("out.csv"), log).err.count("written"), 0)


class Memory(Case):
    MOST = 32 << 10  # KiB

    def peak(self, *args):
        used = self.path("used")
        self.good(used, PROGRAM, "export", "-q", *args, "-o", self.path("out.csv"), program=PEAK)
        with open(used) as f:
            return int(f.read().split()[0]) >> 10

    def test_widest_and_longest(self):
        """Whatever the number of samples."""
        wide, long = {}, {}
        for samples in 20, 200:
            log = self.path("%d.plog" % samples)
            subprocess.run([MAKE_LOG, log, "samples=%d" % samples, "processes=890", "churn=0"], check=True)
            wide[samples] = self.peak("-c", r"\Process(*)\*", "-c", r"\Processor(*)\*", "-c", "Memory", log)
            with open(self.path("out.csv")) as f:
                self.assertGreater(next(f).count(","), 16000)
            long[samples] = self.peak("--layout", "long", log)
        for peaks in wide, long:
            self.assertLess(max(peaks.values()), self.MOST)
            self.assertLess(peaks[200] - peaks[20], 4 << 10)


if __name__ == "__main__":
    harness.main()
