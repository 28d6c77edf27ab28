#!/usr/bin/env python3
"""perflog report: the page against what export, verify and hand-made logs say."""
import csv
import io
import os
import re
import resource
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from crafted import note, record
from harness import Case, long_rows, run
from read_report import Report
from test_names import NAMES, hostile_log, renamed
from write_log import SECOND, SESSION, Log, object_of

START = 1_795_246_502 * 10**9  # 2026-11-21 07:35:02 UTC
RAW, RATE = 0x00010100, 0x10410500
TANK = {2: b"Tank", 4: b"Level", 6: b"Drops/sec"}


def tank(samples, instances=(None,), **how):
    """samples: (seconds, per instance (level, count) or None where it is not there)."""
    log = Log(TANK, **how)
    for at, values in samples:
        log.sample(START + int(at * SECOND),
                   [object_of(2, [(4, RAW, 8), (6, RATE, 8)], [(i, v) for i, v in zip(instances, values) if v])])
    return log


def six(number):
    """As many digits as the page has."""
    return None if number is None else float("%.6g" % number)


class Reports(Case):
    def report(self, *args, code=0):
        out = self.path("report.html")
        r = run("report", "-q", "-o", out, *args)
        self.assertEqual(r.code, code, r)
        return Report(out)

    def sheet(self, log, *args):
        """[time], {path: [value or None]} of a wide sheet."""
        rows = list(csv.reader(io.StringIO(self.good("export", "-q", "--time", "unix", *args, log).out)))
        columns = {n.split("\\", 3)[3]: [float(r[i]) if r[i] else None for r in rows[1:]]
                   for i, n in enumerate(rows[0]) if i}
        return [float(r[0]) for r in rows[1:]], columns


class Values(Reports):
    def test_few_rows_are_as_they_are(self):
        log = tank([(i + (i > 20) * 100, [(i * 1234567 % 7654321, i * i)]) for i in range(40)]).save(self.path("a.plog"))
        page = self.report("-c", "Tank", log)
        times, columns = self.sheet(log, "-c", "Tank")
        self.assertEqual([c.title for c in page.charts], ["Tank: Level", "Tank: Drops/sec"])
        for chart, (_, values) in zip(page.charts, columns.items()):
            (name, (line,)), = chart.lines.items()
            self.assertEqual(name, chart.title.split(": ")[1])
            self.assertEqual(chart.host["step"], 0)
            broken = times[:21] + [(times[20] + times[21]) / 2] + times[21:]
            self.assertEqual(chart.host["x"], broken, "a break where nothing was seen")
            self.assertEqual(line, [six(v) for v in values[:21]] + [None] + [six(v) for v in values[21:]])

    def test_buckets_are_windows(self):
        """More rows than points: against export --every, and the spike of one sample stays."""
        spike = 4321
        samples = [(i, [((i * 37) % 100, i * 5 + (10**6 if i >= spike else 0))])
                   for i in range(5000) if not 2000 < i <= 2100]
        log = tank(samples).save(self.path("a.plog"))
        for chart, path in zip(self.report("-c", "Tank", log).charts, (r"Tank\Level", r"Tank\Drops/sec")):
            (_, line), = chart.lines.items()
            step = chart.host["step"]
            self.assertEqual(step, 5)
            wanted = [self.sheet(log, "-c", path, "--every", "%ds%s" % (step, way)) for way in (":min", "", ":max")]
            holes = [i for i, t in enumerate(chart.host["x"]) if t not in wanted[0][0]]
            self.assertEqual(len(holes), 1)
            for found, (times, columns) in zip(line, wanted):
                self.assertEqual([t for i, t in enumerate(chart.host["x"]) if i not in holes], times)
                self.assertIsNone(found[holes[0]])
                found = [v for i, v in enumerate(found) if i not in holes]
                for time, a, b in zip(times, found, columns[path]):
                    self.assertEqual(a is None, b is None, time)
                    if a is not None:
                        self.assertAlmostEqual(a, b, delta=abs(b) * 1e-5 + 1e-9, msg=time)
            for least, mean, greatest in zip(*line):
                self.assertTrue(least is None or least <= mean <= greatest)
        self.assertEqual(max(v or 0 for v in line[2]), six(10**6 + 5))

    def test_most_points(self):
        """2000 rows are points, one more makes buckets."""
        for n, step in (2000, 0), (2001, 2):
            log = tank([(i, [(i, i)]) for i in range(n)]).save(self.path("%d.plog" % n))
            page = self.report("-c", r"\Tank\Level", log)
            self.assertEqual(page.charts[0].host["step"], step)
            self.assertEqual(len(page.charts[0].host["x"]), 2000 if not step else 1001)

    def test_many_values_have_fewer_digits(self):
        """So that the page does not grow with them as much: 160000 values have four, a few have six."""
        names = ["n%02d" % k for k in range(30)]
        log = tank([(i, [(1234567 + i * 977 * (k + 1) % 999983, i) for k in range(30)]) for i in range(3900)], names)
        path = log.save(self.path("a.plog"))
        for args, digits in ((("--top", "28"), 4), (("--top", "1", "--from", "08:39:00"), 6)):
            page = self.report("-c", r"\Tank(*)\Level", *args, path)
            values = [v for line in page.charts[0].lines.values() for of in line for v in of if v]
            self.assertEqual(max(len(("%.9g" % v).replace(".", "").rstrip("0")) for v in values), digits)
            self.assertIn("Numbers in the page have %d digits." % digits, page.text)
            self.assertLess(len(page.text), 1_500_000)

    def test_many_lines_have_fewer_points(self):
        """Of 3900 rows 50 lines have 1667 points at most, of 5 s, as of 2 s there would be 1950; few rows stay as they are."""
        names = ["n%02d" % k for k in range(50)]
        log = tank([(i, [(1 + k, i) for k in range(50)]) for i in range(3900)], names).save(self.path("a.plog"))
        for args, step in ((("--top", "50"), 5), (("--top", "40"), 2), (("--top", "50", "--from", "08:10:00"), 0)):
            page = self.report("-c", r"\Tank(*)\Level", *args, log)
            self.assertEqual(page.charts[0].host["step"], step, args)

    def test_table(self):
        log = tank([(0, [(10, 5)]), (1, [(20_000, 5)]), (2, [(40, 4)]), (5, [(30, 19)])]).save(self.path("a.plog"))
        level, drops = self.report("-c", "Tank", log).charts
        # Pairs of 1, 1 and 3 seconds; the first value of the gauge covers an interval.
        self.assertEqual(level.rows, [["Level", "3.357\u00a0k", "10", "20\u00a0k", "2026-11-21 07:35:03"]])
        self.assertEqual(drops.rows, [["Drops/sec", "3.75\u00a0/s", "0\u00a0/s", "5\u00a0/s", "2026-11-21 07:35:07"]])
        self.assertEqual((level.unit, drops.unit), ("", "/s"))

    def test_window_and_zone(self):
        log = tank([(i, [(i, i)]) for i in range(10)]).save(self.path("a.plog"))
        page = self.report("-c", "Tank", "--from", "09:35:04", "--to", "09:35:08", "--tz", "+02:00", log)
        self.assertEqual(page.charts[0].host["x"], [START // 10**9 + i for i in range(3, 7)])
        self.assertEqual(page.charts[0].rows[0][-1], "2026-11-21 09:35:08")
        self.assertEqual(page.data["offsets"], [[START // 10**9 + 3, 7200]])
        self.assertIn("2026-11-21 09:35:02 to 2026-11-21 09:35:11", page.facts["Recorded"])
        self.assertIn("(+02:00)", page.paragraphs[0])

    def test_daylight_time(self):
        begin = 1_792_886_400 - START // 10**9  # 2026-10-25 00:00 UTC; an hour later clocks go back
        log = tank([(begin + i * 1800, [(i % 3, i)]) for i in range(6)], interval_ns=1800 * SECOND)
        page = self.report("-c", "Tank", "--tz", "Europe/Berlin", log.save(self.path("a.plog")))
        self.assertEqual(page.data["offsets"], [[1_792_886_400, 7200], [1_792_890_000, 3600]])
        self.assertEqual(page.charts[0].rows[0][-1], "2026-10-25 02:00:00 +01:00")

    def test_clock_set_back(self):
        """Points are in order of time, whatever the order of rows."""
        log = tank([(i, [(i, i)]) for i in (5, 6, 7, 2, 3, 4)]).save(self.path("a.plog"))
        chart = self.report("-c", r"\Tank\Level", log).charts[0]
        self.assertEqual(chart.host["x"], [START // 10**9 + i for i in range(2, 8)])
        self.assertEqual(chart.lines["Level"], [[2, 3, 4, 5, 6, 7]])

    def test_absurd_times(self):
        """From one end of time to the other; sums must not overflow."""
        log = Log(TANK)
        for i in range(2100):
            log.sample(-2**63 + 1 + i * (2**64 // 2101),
                       [object_of(2, [(4, RAW, 8), (6, RATE, 8)], [(None, (i, i))])], perf_time=i, time_100ns=i)
        page = self.report("-c", r"\Tank\Level", log.save(self.path("a.plog")))
        x = page.charts[0].host["x"]
        self.assertEqual(x, sorted(x))
        self.assertLessEqual(len([v for v in page.charts[0].lines["Level"][1] if v is not None]), 2000)


class Lines(Reports):
    def levels(self, *args):
        """Four instances: steady, rising, a short one, and one with a peak."""
        samples = [(i, [(50, 50 * i), (i, i * i), (400, 400 * i) if i == 10 else None, (900 if i == 7 else 1, i)])
                   for i in range(20)]
        log = tank(samples, ["steady", "rising", "short", "peak"]).save(self.path("a.plog"))
        return {c.title: c for c in self.report(*args, log).charts}

    def test_busiest_by_mean_and_peak(self):
        level = self.levels("-c", r"\Tank(*)\Level")["Tank: Level"]
        self.assertEqual(level.names, ["steady", "peak", "short", "rising"])
        level = self.levels("-c", r"\Tank(*)\Level", "--top", "2")["Tank: Level"]
        self.assertEqual(level.names, ["steady", "peak"], "gauges have no sum")
        level = self.levels("-c", r"\Tank(*)\Level", "--top", "2:max")["Tank: Level"]
        self.assertEqual(level.names, ["peak", "short"])

    def test_others_are_added_up(self):
        drops = self.levels("-c", r"\Tank(*)\Drops/sec", "--top", "1")["Tank: Drops/sec"]
        self.assertEqual(drops.names, ["steady", "the 2 others together"])
        self.assertEqual(drops.lines["the 2 others together"][0], [None] + [2 * i - 1 + 1 for i in range(1, 20)])

    def largest(self, page, chart):
        """By time: {name: value} of those without a line."""
        names = re.findall('<li><span class="label">(.*?)</span></li>', page.text)
        return {t: dict(zip([names[n] for n in at[::2]], at[1::2]))
                for t, at in zip(chart.host["x"], page.data["charts"][chart.number]["others"])}

    def test_the_largest_without_a_line(self):
        """At each point the eight largest of those that have no line, each row or each bucket."""
        values = [[(i * (k + 3) * 7919) % 997 for k in range(14)] for i in range(2400)]
        for rows, step in (200, 0), (2400, 2):
            log = tank([(i, [(v, i) for v in values[i]]) for i in range(rows)], ["n%d" % k for k in range(14)])
            page = self.report("-c", r"\Tank(*)\Level", "--top", "3", log.save(self.path("%d.plog" % rows)))
            chart, = page.charts
            self.assertEqual(chart.host["step"], step)
            found = self.largest(page, chart)
            for i in range(4, rows - 4, 7):
                at = START // 10**9 + i
                at += at % step if step else 0
                of = [at - k - START // 10**9 for k in range(step or 1)]
                means = sorted(((sum(values[j][k] for j in of) / len(of), "n%d" % k) for k in range(14)
                                if "n%d" % k not in chart.names), reverse=True)
                self.assertEqual(len(found[at]), 8)
                self.assertGreaterEqual(min(found[at].values()) * 1.01, means[7][0])
                for mean, name in means:
                    if name in found[at]:
                        self.assertAlmostEqual(found[at][name], mean, delta=mean * 0.006)

    def test_names_of_the_largest_are_limited(self):
        """A thousand of those that come and go, with numbers that all have a name."""
        log = tank([(i, [(i + 1, i) if i == k // 8 else None for k in range(1200)]) for i in range(150)],
                   ["n%d" % k for k in range(1200)])
        page = self.report("-c", r"\Tank(*)\Level", "--top", "1", log.save(self.path("a.plog")))
        found = self.largest(page, page.charts[0])
        self.assertEqual(len({n for at in found.values() for n in at}), 1000)
        self.assertEqual(found[START // 10**9 + 100]["n805"], 101)
        self.assertEqual(found[START // 10**9 + 2], {}, "the smallest have none")

    def test_what_has_no_value_has_no_line(self):
        self.assertEqual(self.levels("-c", r"\Tank(short)\Drops/sec"), {})

    def test_total_is_always_there(self):
        log = self.record(self.path("a.plog"), "-i", "20ms", "-n", "6", "-c", "Processor", "-c", "System")
        chart = self.report("-c", r"\Processor(*)\% Idle Time", "--top", "1", log).charts[0]
        self.assertEqual(chart.names[0], "_Total")
        self.assertTrue(re.fullmatch(r"\d+", chart.names[1]))

    def test_too_many(self):
        log = Log({2: b"Tank", **{4 + 2 * i: b"C%d" % i for i in range(60)}})
        for k in range(2):
            log.sample(START + k * SECOND, [object_of(2, [(4 + 2 * i, RAW, 8) for i in range(60)],
                                                      [("i%02d" % j, range(60)) for j in range(12)])])
        log.save(self.path("a.plog"))
        r = run("report", "-c", "Tank", "--top", "12", self.path("a.plog"), "-o", self.path("b.html"))
        self.check_one_line(r, 0, "%d series have no chart" % (12 * (60 - 40)))
        page = Report(self.path("b.html"))
        self.assertEqual(len(page.charts), 40, "480 lines")
        said = "".join(page.paragraphs)
        self.assertIn("240 series have no chart", said)
        self.assertIn("fewer with -c: %s." % "; ".join("Tank: C%d" % i for i in range(40, 60)), said)
        self.assertEqual(len(self.report("-c", "Tank", "--top", "1", self.path("a.plog")).charts), 48)

    def test_more_totals_than_lines(self):
        """Windows' idle threads are never left out of a chart: a chart of more than a page has lines is."""
        threads = ["Idle/%d" % k for k in range(7900)]
        rows = [["(PDH-CSV 4.0) (UTC)(0)"] + [r"\\h\Thread(%s)\%% Processor Time" % t for t in threads]]
        rows += [["11/21/2026 07:35:%02d.000" % at] + ["99"] * len(threads) for at in range(4)]
        sheet = self.write("idle.csv", "".join('"%s"\n' % '","'.join(row) for row in rows).encode())
        out = self.path("idle.html")
        r = run("report", sheet, "-o", out)
        self.assertEqual(r.code, 0, r)
        self.check_one_line(r, 0, "7900 series have no chart")
        page = Report(out)
        self.assertEqual(page.charts, [])
        self.assertIn("choose fewer with -c: Thread: % Processor Time.", "".join(page.paragraphs))
        self.assertNotIn("Nothing that could be drawn", page.text)

    def test_totals_count_as_lines(self):
        """Of five charts with 100 of them and the busiest instance four fit."""
        log = Log({2: b"Thread", **{4 + 2 * i: b"C%d" % i for i in range(5)}})
        names = ["Idle/%d" % k for k in range(100)] + ["w/%d" % k for k in range(20)]
        for k in range(3):
            log.sample(START + k * SECOND, [object_of(2, [(4 + 2 * i, RAW, 8) for i in range(5)],
                                                      [(n, range(5)) for n in names])])
        page = self.report("-c", "Thread", "--top", "1", log.save(self.path("a.plog")))
        self.assertEqual([len(c.names) for c in page.charts], [101] * 4)

    def test_hosts_share_charts(self):
        logs = [tank([(1 + i * k, [(k, i)]) for i in range(5)], host=b"h%d" % k, interval_ns=k * SECOND)
                .save(self.path("%d.plog" % k)) for k in (1, 3)]
        page = self.report("-c", r"\Tank\Level", *logs)
        self.assertEqual((page.heading, [c.title for c in page.charts]), ("h1, h3", ["Tank: Level"]))
        chart, = page.charts
        self.assertEqual([h["x"] for h in chart.hosts],
                         [[START // 10**9 + 1 + i * k for i in range(5)] for k in (1, 3)])
        self.assertEqual(chart.lines, {"h1: Level": [[1] * 5], "h3: Level": [[3] * 5]},
                         "no break where the other host has a row")
        self.assertEqual([row[:5] for row in page.hosts], [["h1", "5", "0", "1s", "whole"], ["h3", "5", "0", "3s", "whole"]])
        self.assertIn("<summary>2 hosts: all logs are whole, 0 samples missed</summary>", page.text)
        self.assertEqual(re.findall('<option value="(.*?)">(.*?)</option>', page.text),
                         [("", "all, overlaid"), ("0", "h1"), ("1", "h3")])

    def test_many_hosts(self):
        """Twenty-six: their lines have fewer points, and each has its own; what is wrong with a log is said first."""
        logs = [tank([(i, [(k, i)]) for i in range(900)], host=b"h%02d" % k).save(self.path("%02d.plog" % k))
                for k in range(26)]
        with open(logs[7], "r+b") as f:
            f.seek(2000)
            f.write(b"\xff" * 9)
        page = self.report("-c", "Tank", *logs, code=2)
        self.assertEqual(page.heading, "26 hosts")
        self.assertEqual([(c.title, len(c.lines)) for c in page.charts], [("Tank: Level", 26), ("Tank: Drops/sec", 26)])
        self.assertEqual({(h["step"], len(h["x"]) <= 400) for h in page.charts[0].hosts}, {(5, True)})
        for k in (0, 25):
            self.assertEqual({v for v in page.charts[0].lines["h%02d: Level" % k][1] if v is not None}, {k})
        self.assertIn("26 hosts: <strong>1 log not whole</strong>", page.text)
        self.assertEqual([row[0] for row in page.hosts if "not whole" in row[4]], ["h07"])

    def test_too_many_hosts(self):
        """What 768 charts have no room for: each chart says of how many hosts it has none, a list names all."""
        counters = range(40)
        logs = []
        for k in range(20):
            log = Log({2: b"Tank", **{4 + 2 * i: b"C%d" % i for i in counters}}, host=b"h%02d" % k)
            for at in range(2):
                log.sample(START + at * SECOND, [object_of(2, [(4 + 2 * i, RAW, 8) for i in counters],
                                                           [(None, counters)])])
            logs.append(log.save(self.path("%02d.plog" % k)))
        out = self.path("out.html")
        self.check_one_line(run("report", "-c", "Tank", *logs, "-o", out), 0,
                            "32 series have no chart, as there are too many, and the page says which")
        page = Report(out)
        self.assertEqual([len(c.names) for c in page.charts], [20] * 38 + [8])
        self.assertEqual([p for p in page.paragraphs if "not in this chart" in p],
                         ["12 more hosts are not in this chart, as there are too many."])
        self.assertIn("Tank: C38, of 12 of 20 hosts; Tank: C39, of 20 of 20 hosts.", "".join(page.paragraphs))

    def test_instances_of_many_hosts(self):
        """Each of more than four hosts has a share of --top, but three at least."""
        for hosts, wanted in ((4, 8), (6, 5), (16, 3)):
            logs = [tank([(i, [(j, i) for j in range(1, 13)]) for i in range(3)], ["n%d" % j for j in range(1, 13)],
                         host=b"h%d" % k).save(self.path("%d.plog" % k)) for k in range(hosts)]
            chart, = self.report("-c", r"\Tank(*)\Level", *logs).charts
            names = [n for n in chart.names if n.startswith("h0: ")]
            self.assertEqual(names, ["h0: n%d" % (12 - j) for j in range(wanted)])

    def test_hosts_of_one_file(self):
        """Files that were joined: each host has its lines, and the gaps of the file."""
        parts = []
        for k, name in enumerate((b"one", b"two", b"<b>")):
            log = tank([(10 * k + i, [(k, i)]) for i in range(4)], host=name)
            parts.append(renamed(log.data, 0x700 + k))
        chart, = self.report("-c", r"\Tank\Level", self.write("a.plog", b"".join(parts))).charts
        self.assertEqual([h["x"][0] - START // 10**9 for h in chart.hosts], [0, 10, 20])
        self.assertEqual(chart.lines, {"%s: Level" % n: [[k] * 4] for k, n in enumerate(("one", "two", "<b>"))})
        self.assertEqual([len(h["marks"]) for h in chart.hosts], [2, 2, 2])

    def test_hosts_of_joined_files(self):
        """Also those that no file begins with."""
        logs = []
        for first, second in ((b"a", b"b"), (b"c", b"d")):
            data = b"".join(renamed(tank([(i, [(1, i)]) for i in range(3)], host=h).data, h[0])
                            for h in (first, second))
            logs.append(self.write(first.decode(), data))
        page = self.report("-c", r"\Tank\Level", *logs)
        self.assertEqual(re.findall("<h2>(.*?)</h2>", page.text), ["a", "c"])
        self.assertEqual([sorted(c.names) for c in page.charts], [["%s: Level" % n for n in "abcd"]])


class Vitals(Reports):
    def test_of_a_recording(self):
        log = self.record(self.path("a.plog"), "-i", "50ms", "-n", "8")
        page = self.report(log)
        titles = [c.title for c in page.charts]
        rare = "Pressure", "Network", "Disks", "File systems", "TCP"
        self.assertEqual([t for t in titles if t.split(":")[0] not in rare and "control groups" not in t.lower()],
                         ["Processor: % of all processors", "Each processor: % of its time",
                          "Run queue: threads that wait for a processor, or are blocked", "Memory: bytes",
                          "Busiest processes: % of one processor", "Largest processes: working set in bytes",
                          "Processes that read and write most: bytes per second"])
        self.assertEqual([(c.title.split(":")[0], c.form) for c in page.charts if c.form != "lines"],
                         [("Processor", "stack"), ("Each processor", "heat")])
        times, columns = self.sheet(log, "-c", r"\Processor(_Total)\*", "-c", "Memory")
        for title, path in ("Processor: % of all processors", r"Processor(_Total)\%s"), ("Memory: bytes", r"Memory\%s"):
            chart = page.chart(title)
            for name, (line,) in chart.lines.items():
                found = dict(zip(chart.host["x"], line))  # between late ticks there are breaks, too
                self.assertEqual([found[t] for t in times], [six(v) for v in columns[path % name]])
        self.assertNotIn("<p>None of the vital", page.text)

    def machine(self, objects):
        """A report of {object: {counter: (type, {instance: value})}}, all of one value."""
        names = {2: b"?"}
        made, number = [], 4
        for name, counters in objects.items():
            names[number], title, number = name.encode(), number, number + 2
            defined = []
            for counter, (kind, _) in counters.items():
                names[number] = counter.encode()
                defined.append((number, kind, 8))
                number += 2
            made.append((title, defined, [values for _, values in counters.values()]))
        log = Log(names)
        for i in range(4):
            log.sample(START + i * SECOND, [object_of(title, defined, [
                (n, tuple(of[n] for of in values)) for n in values[0]]) for title, defined, values in made])
        return self.report(log.save(self.path("machine.plog")))

    def test_parts_of_processor_time(self):
        """Stacked is the time of system and interrupts, or of the sum that Windows has of both."""
        linux = ["% Processor Time", "% User Time", "% Privileged Time", "% System Time", "% Interrupt Time",
                 "% DPC Time", "% Steal Time", "% I/O Wait Time"]
        windows = ["% Processor Time", "% User Time", "% Privileged Time", "% Interrupt Time", "% DPC Time"]
        for counters, wanted in ((linux, linux[1:2] + linux[3:]), (windows, windows[1:3])):
            page = self.machine({"Processor": {c: (RAW, {"_Total": 5, "0": 5}) for c in counters}})
            chart = page.chart("Processor: % of all processors")
            self.assertEqual(chart.names, counters)
            self.assertEqual([n for n, c in zip(chart.names, chart.classes) if "stacked" in c], wanted)
            self.assertEqual([n for n, c in zip(chart.names, chart.classes) if "lead" in c], counters[:1])
            self.assertEqual(page.chart("Each processor: % of its time").names, ["0"])

    def test_a_row_for_each_processor(self):
        """Whatever --top says, in the order of their numbers."""
        page = self.machine({"Processor": {"% Processor Time": (RAW, {str(k): 7 * k + 1 for k in range(12)})}})
        chart, = page.charts
        self.assertEqual((chart.form, chart.names), ("heat", [str(k) for k in range(12)]))

    def test_more_processors_than_rows(self):
        """Those beyond 128 are counted: a row of colours for their sum would be the fullest of all."""
        timer = 0x20510500  # PERF_100NSEC_TIMER, which adds up
        page = self.machine({"Processor": {"% Processor Time": (timer, {str(k): 7 for k in range(160)})}})
        chart = page.chart("Each processor: % of its time")
        self.assertEqual((chart.form, chart.names), ("heat", [str(k) for k in range(128)]))
        self.assertTrue(any(p.startswith("32 more are not shown here") and "--top" not in p for p in page.paragraphs))

    def test_file_systems_that_are_full_come_first(self):
        page = self.machine({"LogicalDisk": {"% Free Space": (RAW, {"/%d" % k: 5 * k for k in range(1, 13)})}})
        chart, = page.charts
        self.assertEqual(chart.names, ["/%d" % k for k in range(1, 9)])
        self.assertIn("4 more are not shown here; --top takes more", "".join(page.paragraphs))
        self.assertNotIn("others", page.data["charts"][chart.number])  # which zooming would rank as the largest

    def test_control_groups_contain_others(self):
        """So that no sum of them is shown."""
        page = self.machine({"Control Group": {"% Processor Time": (RATE, {"/g%d" % k: k for k in range(12)})}})
        self.assertFalse([n for c in page.charts for n in c.names if "others" in n])

    def test_times_of_disks(self):
        page = self.machine({"PhysicalDisk": {"Avg. Disk sec/Read": (RAW, {"_Total": 3})}})
        self.assertEqual((page.charts[0].unit, page.charts[0].rows[0][1]), ("s", "3\u00a0s"))

    def test_processes(self):
        """The largest by their mean, and the sum of the others, from the long sheet."""
        log = self.record(self.path("a.plog"), "-i", "50ms", "-n", "8", "-c", "Process")
        page = self.report("--top", "3", log)
        rows = long_rows(self.good("export", "-q", "--layout", "long", "--time", "unix", "-c",
                                   r"\Process(*)\% Processor Time", "-c", r"\Process(*)\Working Set", log).out)
        values = {}
        for r in rows:
            if r["Value"] and r["Instance"] != "_Total":
                values.setdefault(r["Counter"], {}).setdefault(r["Instance"], {})[float(r["Time"])] = float(r["Value"])
        times = sorted({float(r["Time"]) for r in rows})
        weight = dict(zip(times, [0.05] + [b - a for a, b in zip(times, times[1:])]))
        means = {i: sum(v * weight[t] for t, v in of.items()) for i, of in values["Working Set"].items()}
        largest = page.chart("Largest processes: working set in bytes").names
        self.assertEqual(len(largest), 3)
        # Lengths are told to 50 ms here, so the order of near ones may be another.
        self.assertGreater(min(means[i] for i in largest), 0.7 * max(m for i, m in means.items() if i not in largest))
        self.assertIn("%d more are not shown" % (len(means) - 3), "".join(page.paragraphs))
        busiest = page.chart("Busiest processes: % of one processor")
        others, = set(busiest.names[3:])
        for i, t in enumerate(busiest.host["x"]):
            found = [v[t] for n, v in values["% Processor Time"].items() if n not in busiest.names and t in v]
            value = busiest.lines[others][0][i]
            self.assertEqual(value is None, not found)
            self.assertAlmostEqual(value or 0, sum(found), delta=1e-4 * sum(found) + 1e-9)

    def test_none(self):
        """Without any of the default series there is a chart of each counter."""
        log = tank([(0, [(1, 1)]), (1, [(1, 2)])]).save(self.path("a.plog"))
        page = self.report(log)
        self.assertEqual([c.title for c in page.charts], ["Tank: Level", "Tank: Drops/sec"])
        self.assertEqual([c.lines for c in page.charts], [c.lines for c in self.report("-c", "Tank", log).charts])
        self.assertIn("None of the counters that a report shows", "".join(page.paragraphs))
        log = tank([(0, [None]), (1, [None])]).save(self.path("b.plog"))
        r = run("report", log, "-o", self.path("a.html"))
        self.check_one_line(r, 0, "nothing to draw")
        self.assertIn("Nothing that could be drawn", "".join(Report(self.path("a.html")).paragraphs))

    def test_largest_by_input_and_output(self):
        log = Log({2: b"Process", 4: b"IO Data Bytes/sec"})
        for i in range(3):
            log.sample(START + i * SECOND, [object_of(2, [(4, RATE, 8)], [("p%d" % k, (i * 1000 * k,)) for k in range(12)])])
        page = self.report("--top", "2", log.save(self.path("a.plog")))
        self.assertEqual([c.title for c in page.charts], ["Processes that read and write most: bytes per second"])
        self.assertEqual(page.charts[0].names, ["p11", "p10", "the 10 others together"])
        self.assertEqual(page.charts[0].lines["p11"], [[None, 11000, 11000]])


class Findings(Reports):
    QUEUE = {2: b"System", 4: b"Processor Queue Length", 6: b"Process", 8: b"% Processor Time"}

    def waiting(self, high, host=b"h"):
        """200 samples; in 60 of them threads wait for a processor, because of the process <b>:7."""
        log = Log(self.QUEUE, host=host)
        for i in range(200):
            bad = 100 <= i < 160
            log.sample(START + i * SECOND, [object_of(2, [(4, RAW, 8)], [(None, (high if bad else 1,))]),
                                            object_of(6, [(8, RAW, 8)], [("<b>:7", (70 if bad else 1,)), ("calm:8", (2,))])])
        return log.save(self.path("%s.plog" % host.decode()))

    def section(self, page):
        return "".join(re.findall('<section class="findings".*?</section>', page.text, re.S))

    def test_first(self):
        """Above all else: what, when as a link to a bit more than that, how bad, and who."""
        page = self.report(self.waiting(50))
        found = self.section(page)
        self.assertLess(page.text.index(found), page.text.index('<section class="summary"'))
        self.assertIn("<b>many threads wait for a processor</b>", found)
        begin, end = (float(t) for t in re.search('href="#from=([\\d.]+)&amp;to=([\\d.]+)"', found).groups())
        self.assertTrue(60 < begin - START / 10**9 < 100 and 160 < end - START / 10**9 < 200, (begin, end))
        self.assertIn(r"\System\Processor Queue Length: 50 (limit 10, otherwise ", found)
        # Of the slice of the peak, the one before it and the one behind it: (1 + 70 + 70) / 3.
        self.assertIn('<li class="culprit">&lt;b&gt;:7: % Processor Time 47.0 %, 96 % of all</li>', found)
        text = self.good("diagnose", "-q", self.path("h.plog")).out
        self.assertIn("<b>:7: % Processor Time 47.0 %, 96 % of all", text, "as diagnose says")

    def test_none(self):
        self.assertEqual(self.section(self.report(self.waiting(2))), "")
        log = self.waiting(50)
        self.assertEqual(self.section(self.report("-c", "System", log)), "", "who chose counters looks for others")
        self.assertEqual(self.section(self.report("--to", "07:36:30", log)), "", "before it")
        self.assertNotEqual(self.section(self.report("--from", "07:36:00", log)), "")

    def test_no_more_than_the_window_is_read(self):
        """What is usual is that of the window, too: all of this one is bad, so there is nothing else."""
        found = self.section(self.report("--from", "07:36:45", "--to", "07:37:40", self.waiting(50)))
        self.assertIn(r"\System\Processor Queue Length: 50 (limit 10)</li>", found)

    def test_of_several_hosts(self):
        found = self.section(self.report(self.waiting(50), self.waiting(2, b"calm"), self.waiting(70, b"web")))
        self.assertEqual(re.findall(r"<li>(\\\\\w+)", found), [r"\\web", r"\\h"])

    def test_losses_are_reported_once(self):
        log = self.waiting(50)
        with open(log, "r+b") as f:
            f.seek(3000)
            f.write(b"\xff" * 9)
        r = run("report", "-o", self.path("a.html"), log)
        self.check_one_line(r, 2, "damaged")


class Ended(Reports):
    def test_ended_processes(self):
        """Those without a value in the last rows, with the time of the last one they have; other instances do not end."""
        for name, wanted in ((b"Process", [(START // 10**9 + 5, "07:35:07")]), (b"Thing", [])):
            log = Log({2: name, 4: b"% Processor Time"})
            for i in range(10):
                log.sample(START + i * SECOND, [object_of(2, [(4, RAW, 8)], [
                    (n, (v,)) for n, v in (("gone:1", 50), ("here:2", 40), ("late:3", 30))
                    if not (n == "gone:1" and i > 5 or n == "late:3" and i < 4)])])
            page = self.report("-c", r"\%s(*)\%% Processor Time" % name.decode(), log.save(self.path("a.plog")))
            self.assertEqual([(round(float(a)), t) for a, t in re.findall(
                r'data-ended="([\d.]+)".*?<span class="quiet ended">ended 2026-11-21 ([\d:]+)</span>', page.text)], wanted)


class Safety(Reports):
    TAGS = set("""html head meta link title style body header h1 h2 h3 p main div span button noscript section dl dt dd
                  strong svg rect table caption thead tbody tr th td footer details summary pre script code ul li input
                  label select option a b ol""".split())

    def check_harmless(self, page):
        self.assertFalse(page.tags - self.TAGS, "a name made an element")
        self.assertFalse([a for a in page.attributes if a[0].startswith("on") or a[0] == "style"])
        self.assertEqual({a for a in page.attributes if a[0] in ("src", "href", "action", "data") and not re.fullmatch(
            r"#from=[\d.]+&to=[\d.]+", a[1])}, {("href", "data:,")})
        self.assertEqual([a for a, _ in page.elements["script"]], [{"type": "application/json", "id": "data"}, {}, {}])
        self.assertEqual(page.hashes("script-src"), page.hashes_there("script"))
        self.assertEqual(page.hashes("style-src"), page.hashes_there("style"))
        self.assertTrue(page.policy.startswith("default-src 'none'; "))
        self.assertNotRegex(page.policy, "unsafe|http|[*]")
        self.assertNotRegex(page.text, "[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")

    def test_hostile_names(self):
        hostile = ["</script><script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onfocus='alert(1)",
                   "<!--", "]]>", "&lt;b&gt;", "</title><h1>"]
        names = list(dict.fromkeys([*NAMES, *hostile]))  # the last are the busiest
        log = hostile_log(self.path("a.plog"), names)
        self.check_harmless(self.report("-c", "*", log))
        page = self.report("-c", "Many", "--top", "50", log)
        self.check_harmless(page)
        shown = {n for c in page.charts for n in c.names}
        for name in hostile:
            self.assertIn("plain: " + name, shown, "as it is, but as text")

    def test_hostile_host_object_counter_note(self):
        name = b"</title></script>\xe2\x80\xae<script>\x07"
        log = Log({2: name, 4: name, 6: b"%" + name}, host=name)
        log.record(b"note", note(4, "</table><script>alert(1)</script>\u202e"), START)
        for i in range(2):
            log.sample(START + i * SECOND, [object_of(2, [(4, RAW, 8), (6, RAW, 8)], [(None, (i, i))])])
        page = self.report("-c", "*", log.save(self.path("a.plog")))
        self.check_harmless(page)
        shown = "</title></script>\\u{202E}<script>\\x07"
        self.assertEqual((page.heading, page.title.split(", ")[0], page.facts["Host"]), (shown,) * 3)
        self.assertEqual([c.title for c in page.charts], [shown + ": " + shown, shown + ": %" + shown])
        self.assertEqual(page.marks[0][2], "note: </table><script>alert(1)</script>\\u{202E}")

    def test_of_a_recording(self):
        page = self.report(self.record(self.path("a.plog"), "-i", "20ms", "-n", "3"))
        self.check_harmless(page)
        self.assertIn("The MIT License (MIT)", page.text)
        self.assertIn("Leon Sorokin", page.text)
        self.assertEqual(page.facts["Host"], os.uname().nodename)
        self.assertRegex(page.facts["Cost of recording"], r"bytes a sample; [\d.]+ ms CPU a sample, [\d.]+ s to start, ")

    def test_same_twice(self):
        log = tank([(i, [(i, i)]) for i in range(9)]).save(self.path("a.plog"))
        self.assertEqual(self.report("-c", "Tank", log).text, self.report("-c", "Tank", log).text)
        out = self.good("report", "-q", "-c", "Tank", log)
        self.assertEqual(out.out, self.report("-c", "Tank", log).text, "standard output is the same")


class Refusals(Reports):
    def test_wrong_input(self):
        log = tank([(i, [(i, i)]) for i in range(3)]).save(self.path("a.plog"))
        out = ("-o", self.path("out.html"))
        for code, args, says in (
                (1, (), "name a log"),
                (1, (self.path("none.plog"),), "none.plog"),
                (1, ("--from", "2030-01-01", log), "no samples after"),
                (1, ("--from", "2026-11-21T07:36", "--to", "2026-11-21T07:35", log), "report: --from is not before --to"),
                (1, ("-c", r"\Tank\Lavel", log), r"did you mean '\Tank\Level'"),
                (1, ("--top", "0", log), "give a number"), (1, ("--top", "51", log), "give a number"),
                (1, ("--top", "3:Level", log), "give a number"), (1, ("--tz", "Mars", log), "no such zone"),
                (1, ("-o", log, log), "is the log itself"), (1, ("-o", self.folder, log), "is a folder"),
                (1, ("-o", "/dev/full", log), "No space left"),
                (4, (self.write("text", b"no log"),), "text")):
            self.refused(code, "report", "-q", *(out if "-o" not in args else ()), *args, says=says)
        with open(log, "rb") as f:
            self.refused(1, "report", *out, "-", data=f.read(), says="a pipe can be read only once: name a file")

    def test_no_room(self):
        """Whatever the page still lacks: no half of it is left."""
        log = tank([(i, [(i, i)]) for i in range(3000)]).save(self.path("a.plog"))
        size = len(self.good("report", "-q", "-c", "Tank", log).raw_out)
        for limit in 0, 4096, 100_000, size - 1:
            self.refused(1, "report", "-q", "-c", "Tank", "-o", self.path("out.html"), log, says="File too large",
                         preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        self.good("report", "-q", "-c", "Tank", "-o", self.path("out.html"), log,
                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))


class Without(Case):
    def test_says_so(self):
        log = tank([(0, [(1, 1)])]).save(self.path("a.plog"))
        self.refused(1, "report", log, "-o", self.path("a.html"), says="built without uPlot")


if __name__ == "__main__":
    if os.environ.get("PERFLOG_HAS_REPORT", "1") in ("0", "OFF", ""):
        print("this perflog makes no reports; build with -DPERFLOG_UPLOT=npm to test them", file=sys.stderr)
        del Values, Lines, Vitals, Findings, Ended, Safety, Refusals
    else:
        del Without
    del Reports
    harness.main()
