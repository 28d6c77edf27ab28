#!/usr/bin/env python3
"""perflog stats: against figures by hand, and against a second computation from the long sheet."""
import csv
import io
import json
import math
import os
import struct
import subprocess
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import PROGRAM, Case, columns_of, long_rows, run
from identified import entry, make
from write_log import SECOND, Log, object_of

PEAK = os.environ.get("PEAK", os.path.join(os.path.dirname(PROGRAM), "tests", "peak"))
START = 1_795_246_502 * 10**9  # 2026-11-21 07:35:02 UTC
RAW, RATE, TEXT = 0x00010100, 0x10410500, 0x00000B00
FIGURES = ("Min", "Mean", "Std Dev", "P50", "P90", "P95", "P99", "Max")
HEXADECIMAL = "Data Flags",  # no numbers
READER = os.path.join(harness.SUPPORT, "read_log.py")


def gauge_log(samples, host=b"web", counter=b"Level", instance=None, **how):
    """A log of one gauge and one rate; samples: (seconds, level, count)."""
    log = Log({2: b"Tank", 4: counter, 6: b"Drops/sec"}, host=host, **how)
    for at, level, count in samples:
        log.sample(START + int(at * SECOND),
                   [object_of(2, [(4, RAW, 8), (6, RATE, 8)], [(instance, (level, count))])])
    return log


def nearest_rank(values, percent):
    return sorted(values)[-(-len(values) * percent // 100) - 1]


class Stats(Case):
    def stats(self, *args, code=0):
        """{(host, object, instance, counter): row as a dictionary} of the CSV."""
        r = run("stats", "--csv", "-q", *args)
        self.assertEqual(r.code, code, r)
        rows = list(csv.DictReader(io.StringIO(r.out)))
        return {tuple(row[k] for k in ("Host", "Object", "Instance", "Counter")): row for row in rows}

    def check(self, row, **wanted):
        for name, value in wanted.items():
            name = name if name in row else name.replace("_", " ")
            self.assertAlmostEqual(float(row[name]), value,
                                   delta=1e-12 * max(1, abs(value)), msg=(name, row))


class ByHand(Stats):
    def setUp(self):
        super().setUp()
        # Pairs of 1, 1 and 3 seconds; the first value of the gauge covers an interval.
        self.log = gauge_log([(0, 10, 5), (1, 20, 5), (2, 40, 4), (5, 30, 19)]).save(self.path("a.plog"))

    def test_gauge(self):
        row = self.stats(self.log)["web", "Tank", "", "Level"]
        mean = (10 + 20 + 40 + 3 * 30) / 6
        self.check(row, Values=4, Blanks=0, Min=10, Max=40, Mean=mean, P50=20, P90=40, P95=40, P99=40,
                   Rank_Error=0)
        self.check(row, Std_Dev=math.sqrt(sum(w * (v - mean)**2 for w, v in
                                              ((1, 10), (1, 20), (1, 40), (3, 30))) / 6))
        self.assertEqual(row["Time of Max (UTC)"], "2026-11-21 07:35:04")

    def test_rate(self):
        """0/s over a second, then it fell, then 15 in 3 seconds."""
        row = self.stats(self.log)["web", "Tank", "", "Drops/sec"]
        self.check(row, Values=2, Blanks=2, first=1, negative=1, gap=0, Min=0, Max=5, Mean=15 / 4,
                   Std_Dev=math.sqrt((1 * 3.75**2 + 3 * 1.25**2) / 4), P50=0, P90=5)
        self.assertEqual(row["Time of Max (UTC)"], "2026-11-21 07:35:07")

    def test_json_is_the_csv(self):
        found = json.loads(self.good("stats", "--json", self.log).out)
        self.assertEqual([s["counter"] for s in found], ["Level", "Drops/sec"])
        for series, row in zip(found, self.stats(self.log).values()):
            names = ("min", "mean", "stddev", "p50", "p90", "p95", "p99", "max")
            self.assertEqual([series[n] for n in names], [float(row[n]) for n in FIGURES])
            self.assertEqual((series["host"], series["object"], series["instance"]), ("web", "Tank", None))
            self.assertEqual(series["values"], int(row["Values"]))
            self.assertEqual(series["max_at"], row["Time of Max (UTC)"].replace(" ", "T") + ".000Z")
        self.assertEqual(found[0]["blanks"], {})
        self.assertEqual(found[1]["blanks"], {"first": 1, "negative": 1})

    def test_text(self):
        self.assertEqual(self.good("stats", self.log).out, """\
Times: UTC
Host: web

Min    Mean  P50  P95  Max               Max at  Values  Blanks  Series
 10    26.7   20   40   40  2026-11-21 07:35:04       4       0  \\Tank\\Level
0/s  3.75/s  0/s  5/s  5/s  2026-11-21 07:35:07       2       2  \\Tank\\Drops/sec
""")

    def test_text_of_several_hosts(self):
        other = gauge_log([(0, 1, 1), (1, 1, 1)], host=b"db").save(self.path("b.plog"))
        lines = self.good("stats", self.log, other).out.splitlines()
        self.assertEqual(lines[:2], ["Times: UTC", ""])
        self.assertEqual([line.split()[-1] for line in lines[3:]],
                         [r"\\db\Tank\Level", r"\\db\Tank\Drops/sec", r"\\web\Tank\Level", r"\\web\Tank\Drops/sec"])

    def test_window(self):
        """The sample at --from is the older one of the first pair, and no value itself."""
        found = self.stats("--from", "2026-11-21T07:35:03", "--to", "07:35:07", self.log)
        self.check(found["web", "Tank", "", "Level"], Values=2, Mean=(40 + 3 * 30) / 4)
        self.check(found["web", "Tank", "", "Drops/sec"], Values=1, Blanks=1, first=0, negative=1)

    def test_zone(self):
        row = self.stats("--tz", "+02:00", "--from", "09:35:03", self.log)["web", "Tank", "", "Level"]
        self.assertEqual(row["Time of Max (+02:00)"], "2026-11-21 09:35:04")

    def test_no_value_at_all(self):
        log = gauge_log([(0, 1, 1)]).save(self.path("one.plog"))
        rows = self.stats(log)
        self.check(rows["web", "Tank", "", "Level"], Values=1, Mean=1, Std_Dev=0, P50=1, P99=1)
        row = rows["web", "Tank", "", "Drops/sec"]
        self.assertEqual([row[f] for f in FIGURES], [""] * len(FIGURES))
        self.check(row, Values=0, Blanks=1, first=1)
        text = self.good("stats", log).out
        self.assertEqual(text.splitlines()[-1].split(), ["0", "1", "\\Tank\\Drops/sec"], text)
        self.assertIsNone(json.loads(self.good("stats", "--json", log).out)[1]["mean"])

    def test_order_of_what_has_gone(self):
        log = Log({2: b"Tank", 4: b"Level"})
        for at, names in enumerate((["d", "b"], ["c"], ["a", "c"], ["a"])):
            log.sample(START + at * SECOND, [object_of(2, [(4, RAW, 8)], [(name, (1,)) for name in names])])
        path = log.save(self.path("gone.plog"))
        self.assertEqual([key[2] for key in self.stats(path)], ["a", "b", "c", "d"])

    def test_large_mean_small_deviation(self):
        """Sums of squares would lose all digits here."""
        base = 10**15
        log = gauge_log([(i, base + i % 2, 0) for i in range(1001)]).save(self.path("big.plog"))
        row = self.stats(log)["web", "Tank", "", "Level"]
        self.check(row, Std_Dev=math.sqrt(500 * 501) / 1001, Min=base, Max=base + 1, Mean=base + 500 / 1001)

    def test_session_without_interval(self):
        log = gauge_log([(0, 10, 0), (1, 20, 0), (4, 30, 0)], interval_ns=0).save(self.path("odd.plog"))
        row = self.stats(log)["web", "Tank", "", "Level"]
        self.assertEqual(row["Mean"], "27.5")  # (20 + 3 * 30) / 4: the first is not felt
        self.check(row, Values=3, Min=10)

    def test_values_of_no_length_alone_have_a_plain_mean(self):
        log = gauge_log([(0, 10, 0), (0, 20, 0), (0, 60, 0)], interval_ns=0).save(self.path("still.plog"))
        self.check(self.stats(log)["web", "Tank", "", "Level"], Values=3, Mean=30)


class Terminal(Stats):
    """A series is one line: figures are left out that it has no room for, but its path is complete."""

    def setUp(self):
        super().setUp()
        self.of_one_width = [gauge_log([(0, 10, 5), (1, 20, 5)], instance=name).save(self.path("%d.plog" % i))
                             for i, name in enumerate(("a" * 8, "\u670d" * 4, "\u041f" * 8, "e\u0301" * 8))]

    def test_widths(self):
        log = gauge_log([(0, 10, 5), (1, 20, 5)]).save(self.path("a.plog"))
        whole = self.good("stats", log).out
        titles = whole.split("\n\n")[1].splitlines()[0].split("  ")
        self.assertEqual(self.on_terminal(200, "stats", log), whole)
        for columns, left_out in (76, ["Blanks"]), (66, ["Values", "Blanks"]), (40, ["P50", "Max at", "Values", "Blanks"]), (
                20, ["Min", "P50", "Max at", "Values", "Blanks"]):
            out = self.on_terminal(columns, "stats", log)
            lines = out.split("\n\n")[1].splitlines()
            self.assertEqual([t.strip() for t in lines[0].split("  ") if t.strip()],
                             [t.strip() for t in titles if t.strip() and t.strip() not in left_out], columns)
            self.assertTrue(out.endswith("\n\nLeft out, as the terminal is narrow: %s\n" % ", ".join(left_out)), out)
            self.assertEqual([line.rpartition("  ")[2] for line in lines[1:]], [r"\Tank\Level", r"\Tank\Drops/sec"])
            if columns > 20:
                self.assertLessEqual(max(map(len, lines)), columns)

    def test_columns_are_counted_as_the_terminal_shows_them(self):
        """Names of the same columns leave room for the same figures; a command line ends at the edge, or one before."""
        for columns in range(70, 130):
            heads = {self.on_terminal(columns, "stats", log).split("\n\n")[1].splitlines()[0] for log in self.of_one_width}
            self.assertEqual(len(heads), 1, heads)
        log = make(self.path("b.plog"), entry(7, command_line="\u52a1" * 200), samples=[[("\u670d" * 9 + ":7", 7, 1, 0)]] * 3)
        for columns in 150, 151:
            lines = self.on_terminal(columns, "stats", "-c", r"\Process(*:7)\*", log).split("\n\n")[1].splitlines()[1:]
            self.assertLessEqual({columns_of(line) for line in lines}, {columns - 1, columns}, lines)
        out = self.on_terminal(30, "stats", "-c", r"\Process(*:7)\*", log)
        self.assertIn("\u670d" * 9, out)
        self.assertNotIn("\u52a1", out)

    def test_files_have_all(self):
        log = gauge_log([(0, 10, 5), (1, 20, 5)]).save(self.path("a.plog"))
        self.on_terminal(20, "stats", "-o", self.path("all.txt"), log)
        with open(self.path("all.txt"), encoding="utf-8") as f:
            self.assertEqual(f.read(), self.good("stats", log).out)


class Order(Stats):
    """--sort and --top: counter by counter, the greatest first."""

    LEVELS = {"a": (5, 5, 50), "b": (30, 30, 30), "c": (1, 40, 1), "_Total": (36, 75, 81), "d": (2, 2, 2)}

    def setUp(self):
        super().setUp()
        log = Log({2: b"Tank", 4: b"Level", 6: b"Depth"}, host=b"web")
        for i in range(3):
            log.sample(START + i * SECOND, [object_of(2, [(4, RAW, 8), (6, RAW, 8)], [
                (name, (levels[i], 100 - levels[i])) for name, levels in self.LEVELS.items()])])
        self.log = log.save(self.path("a.plog"))

    def order(self, *args):
        """[(instance, counter)] of all three forms, which have the same order."""
        rows = [(key[2], key[3]) for key in self.stats(*args, self.log)]
        found = json.loads(self.good("stats", "--json", *args, self.log).out)
        self.assertEqual([(s["instance"], s["counter"]) for s in found], rows)
        text = self.good("stats", *args, self.log).out.splitlines()[4:]
        self.assertEqual([line.split()[-1] for line in text], [r"\Tank(%s)\%s" % row for row in rows])
        return rows

    def test_sort(self):
        level = self.order("--sort", "max", "-c", r"\Tank(*)\Level")
        self.assertEqual([i for i, _ in level], ["_Total", "a", "c", "b", "d"])
        both = self.order("--sort", "min")
        self.assertEqual(both, [(i, "Level") for i in ("_Total", "b", "a", "d", "c")] +
                         [(i, "Depth") for i in ("d", "b", "c", "a", "_Total")])

    def test_top(self):
        """By the mean, unless --sort says otherwise; _Total is shown, and not counted."""
        self.assertEqual(self.order("--top", "2"), [(i, "Level") for i in ("_Total", "b", "a")] +
                         [(i, "Depth") for i in ("d", "c", "_Total")])
        self.assertEqual(self.order("--top", "1", "--sort", "max", "-c", r"\Tank(*)\Level"),
                         [("_Total", "Level"), ("a", "Level")])

    def test_every(self):
        """Of means of windows: (0, 1] and (1, 3]."""
        rows = self.stats("--every", "2s", "-c", r"\Tank(c)\Level", self.log)
        self.assertEqual({row["Max"] for row in rows.values()}, {"20.5"})
        rows = self.stats("--every", "2s:max", "-c", r"\Tank(c)\Level", self.log)
        self.assertEqual({row["Max"] for row in rows.values()}, {"40"})

    def test_wrong(self):
        self.refused(1, "stats", "--sort", "avg", self.log, says="give min, mean, stddev, p50, p90, p95, p99 or max")
        for n in "0", "x", "-1", "5:max":
            self.refused(1, "stats", "--top", n, self.log, says="give a number")
        self.refused(1, "stats", "--every", "x", self.log, says="give a length of time")


class Weights(Stats):
    """By how much a value counts is the same in all that make a mean of it."""
    def windows(self, log):
        """{instance: [values]} of windows of a minute, of which there is one."""
        found = {}
        for r in long_rows(self.good("export", "--layout", "long", "--every", "1m", log).out):
            found.setdefault(r["Instance"], []).append(float(r["Value"]))
        return found

    def both(self, samples, **how):
        """{instance: mean}, of which perflog stats and export --every tell the same."""
        log = Log({2: b"Tank", 4: b"Level"}, **how)
        for at, levels in samples:
            log.sample(START + at * SECOND,
                       [object_of(2, [(4, RAW, 8)], [(name, (level,)) for name, level in levels.items()])])
        path = log.save(self.path("a.plog"))
        means = {key[2]: float(row["Mean"]) for key, row in self.stats(path).items()}
        windows = self.windows(path)
        self.assertEqual(set(windows), set(means))
        for name, mean in means.items():
            (value,) = windows[name]
            self.assertAlmostEqual(value, mean, places=12)
        return means

    def check_means(self, means, **wanted):
        self.assertEqual(set(means), set(wanted))
        for name, mean in wanted.items():
            self.assertAlmostEqual(means[name], mean, places=12)

    def test_new_instance_after_missed_ticks(self):
        """Its first value has no pair, and counts for an interval, not for the four seconds that were missed."""
        means = self.both([(0, {"a": 10}), (4, {"a": 20, "b": 10}), (5, {"a": 20, "b": 40})])
        self.check_means(means, a=(10 + 20 * 4 + 20) / 6, b=(10 + 40) / 2)

    def test_no_interval(self):
        """Then it counts as its row does."""
        means = self.both([(0, {"a": 10}), (4, {"a": 20, "b": 10}), (5, {"a": 20, "b": 40})], interval_ns=0)
        self.check_means(means, a=20, b=(10 * 4 + 40) / 5)

    def test_windows_count_by_what_they_cover(self):
        """58 seconds in the first minute, 2 in the second one."""
        log = gauge_log([(0, 0, 0), (58, 0, 58), (60, 90, 90)], interval_ns=0).save(self.path("a.plog"))
        for every in (), ("--every", "1m"):
            row = self.stats(*every, log)["web", "Tank", "", "Level"]
            self.check(row, Mean=3, Std_Dev=math.sqrt((58 * 3 ** 2 + 2 * 87 ** 2) / 60))
        self.check(self.stats("--every", "1m", log)["web", "Tank", "", "Drops/sec"], Mean=1.5)

    def test_instances_that_vanished_are_there_in_windows(self):
        """Of one host, and of two, whose windows end later."""
        logs = []
        for host in b"web", b"db":
            log = Log({2: b"Tank", 4: b"Level"}, host=host)
            for at in range(10):
                names = ["new %d" % (at // 2), "old"] if at % 4 < 2 else ["old"]
                log.sample(START + at * SECOND, [object_of(2, [(4, RAW, 8)], [(n, (at + 5,)) for n in names])])
            logs.append(log.save(self.path(host.decode() + ".plog")))
        for given in logs[:1], logs:
            for every in (), ("--every", "2s"):
                rows = self.stats(*every, *given)
                self.assertEqual([key[2] for key in rows if key[0] == "web"], ["new 0", "new 2", "new 4", "old"])
                self.check(rows["web", "Tank", "new 2", "Level"], Values=2, Mean=9.5)

    def test_no_length(self):
        means = self.both([(0, {"a": 10}), (0, {"a": 20}), (0, {"a": 60})], interval_ns=0)
        self.check_means(means, a=30)


class SecondComputation(Stats):
    INTERVAL = 0.05

    def lengths_of(self, log):
        """Seconds each sample covers, by its place: the clock since boot, as the other reader has it."""
        done = subprocess.run([*harness.PYTHON, READER, log], stdout=subprocess.PIPE, check=True)
        records = [json.loads(line) for line in done.stdout.splitlines()]
        boots = [r["boot_ns"] for r in records if r["type"] == "SMPL"]
        return [self.INTERVAL] + [(b - a) / 1e9 for a, b in zip(boots, boots[1:])]

    def check_series(self, row, cells):
        """cells: (weight, value text, status)."""
        values = [(w, float(v)) for w, v, _ in cells if v]
        blanks = [status for _, v, status in cells if not v]
        self.check(row, Values=len(values), Blanks=len(blanks), **{s: blanks.count(s) for s in blanks})
        if not values:
            return
        weight = math.fsum(w for w, _ in values)
        mean = math.fsum(w * v for w, v in values) / weight
        square = math.fsum(w * (v - mean)**2 for w, v in values) / weight
        plain = [v for _, v in values]
        self.check(row, Min=min(plain), Max=max(plain), Rank_Error=0,
                   **{"P%d" % p: nearest_rank(plain, p) for p in (50, 90, 95, 99)})
        size = max(map(abs, plain))
        self.assertAlmostEqual(float(row["Mean"]), mean, delta=1e-12 * size, msg=row)
        self.assertAlmostEqual(float(row["Std Dev"]), math.sqrt(square), delta=1e-9 * size, msg=row)

    def test_recording(self):
        log = self.record(self.path("a.plog"), "-i", "50ms", "-n", "30", "-c", "System", "-c", "Memory",
                          "-c", "Processor", "-c", r"\Process(*)\% Processor Time")
        lengths = self.lengths_of(log)
        self.assertEqual(len(lengths), 30)
        rows = [r for r in long_rows(self.good("export", "--layout", "long", log).out)
                if r["Counter"] not in HEXADECIMAL]
        place = {t: i for i, t in enumerate(sorted({r["Time"] for r in rows}))}
        self.assertEqual(len(place), 30)
        # What has no pair covers an interval; a process that only changed its name has one.
        new = {(r["Time"], r["Object"], r["Instance"]) for r in rows if r["Status"] == "first"}
        series = {}
        for r in rows:
            key = r["Host"], r["Object"], r["Instance"], r["Counter"]
            is_new = (r["Time"], r["Object"], r["Instance"]) in new
            weight = self.INTERVAL if is_new else lengths[place[r["Time"]]]
            series.setdefault(key, []).append((weight, r["Value"], r["Status"]))
        found = self.stats("-c", "*", log)
        self.assertEqual(set(found), set(series))
        self.assertGreater(len(found), 100)
        for key, cells in series.items():
            with self.subTest(series=key):
                self.check_series(found[key], cells)

    def test_order_and_choice_are_those_of_the_wide_sheet(self):
        log = self.record(self.path("a.plog"), "-i", "20ms", "-n", "3")
        sheet = self.wide(log)
        paths = ["\\%s%s\\%s" % (o, "(%s)" % i if i else "", c) for _, o, i, c in self.stats(log)]
        self.assertEqual(paths, sheet.paths)
        r = self.good("stats", log)
        self.assertIn("only the sum of all processes is shown", r.err)
        self.assertNotIn("--layout", r.err)
        self.assertEqual(self.good("stats", "-q", log).err, "")

    def test_threads_that_are_left_out_are_named(self):
        log = Log({2: b"Thread", 4: b"Reads", 6: b"Memory"})
        log.sample(0, [object_of(2, [(4, RAW, 8)], [("a/0", (1,))]),
                       object_of(6, [(4, RAW, 8)], [(None, (1,))])])
        log = log.save(self.path("a.plog"))
        threads = "perflog: single threads are left out; for them give -c '\\Thread(*)\\% Processor Time'"
        self.assertEqual(self.good("stats", log).err, threads + "\n")
        self.assertEqual(self.good("export", log).err, threads + " or --layout long\n")
        self.assertEqual(self.good("export", "-q", log).err, "")
        for chosen in (["--layout", "long"], ["-c", "Memory"], ["--top", "1"]):
            self.assertEqual(self.good("export", *chosen, log).err, "")


class Long(Stats):
    """More values than are kept."""
    COUNTERS = 64

    def made(self, name, samples):
        log, parts = Log({2: b"Tank", 4: b"Level"}), []
        empty = object_of(2, [(4, RAW, 8)] * self.COUNTERS, [(None, (0,) * self.COUNTERS)])
        for i in range(samples):
            values = struct.pack("<Q", i * 7919 % samples) * self.COUNTERS
            log.sample(START + i * SECOND, [empty[:-len(values)] + values])
            parts.append(log.data)
            log.data = b""
        return self.write(name, b"".join(parts))

    def peak_kb(self, log):
        quarantine = "quarantine_size_mb=1:thread_local_quarantine_size_kb=64"
        options = ":".join(filter(None, (os.environ.get("ASAN_OPTIONS"), quarantine)))
        used = self.path("used")
        with open(self.path("out.csv"), "wb") as out:
            subprocess.run([PEAK, used, PROGRAM, "stats", "--csv", log], stdout=out, check=True,
                           env=dict(os.environ, ASAN_OPTIONS=options))
        with open(used) as f:
            return int(f.read().split()[0]) >> 10

    def test_memory_and_ranks(self):
        few, many = 1500, 8000
        short, log = self.made("short.plog", few), self.made("long.plog", many)
        # All values would take 48 kB a series more: 3 MB and more.
        self.assertLess(self.peak_kb(log) - self.peak_kb(short), 1500)
        for row in self.stats(log).values():
            reported = float(row["Rank Error"])
            self.assertTrue(0 < reported < 0.02, row)
            for p in 50, 90, 95, 99:  # the values are 0 to many - 1, each once
                off = abs(float(row["P%d" % p]) + 1 - many * p / 100)
                self.assertLessEqual(off, reported * many + 1e-6, row)
            self.check(row, Mean=(many - 1) / 2, Min=0, Max=many - 1)
        text = self.good("stats", "-c", r"\Tank\*", log).out
        self.assertRegex(text, r"\n\nPercentiles: ranks within 0\.\d+ %\n\Z")
        self.assertIn("ranks within", self.good("stats", short).out)


class Logs(Stats):
    def setUp(self):
        super().setUp()
        self.samples = [(i, i, i) for i in range(4)]

    def test_hosts_and_folders(self):
        os.mkdir(self.path("all"))
        gauge_log(self.samples).save(self.path("all", "a.plog"))
        gauge_log([(i, 10 * i, 0) for i in range(3)], host=b"db").save(self.path("all", "b.plog"))
        found = self.stats(self.path("all"))
        self.check(found["web", "Tank", "", "Level"], Values=4, Max=3)
        self.check(found["db", "Tank", "", "Level"], Values=3, Max=20)

    def test_standard_input(self):
        data = gauge_log(self.samples).data
        r = self.good("stats", "--csv", "-", data=data)
        self.assertEqual(r.out, self.good("stats", "--csv", self.write("a.plog", data)).out)

    def test_standard_input_that_is_a_file(self):
        """It is read like any other, also where it is given twice, or by its name as well."""
        log = gauge_log(self.samples).save(self.path("a.plog"))
        for operands in ("-",), ("-", "-"), ("-", log), (log, "-"):
            with self.subTest(operands=operands), open(log, "rb") as f:
                self.assertEqual(self.good("stats", "--csv", *operands, stdin=f).out,
                                 self.good("stats", "--csv", log).out)

    def test_damage(self):
        data = bytearray(gauge_log(self.samples).data)
        data[len(data) - 300] ^= 1  # in the third or last sample
        r = run("stats", "--csv", self.write("a.plog", bytes(data)))
        self.check_one_line(r, 2, "damaged")
        row = list(csv.DictReader(io.StringIO(r.out)))[1]
        self.assertEqual(int(row["Values"]) + int(row["Blanks"]), 3)

    def test_names_are_safe_for_terminals(self):
        log = gauge_log(self.samples, counter=b"Le\x1b[31mvel", instance="=1+1\r\n").save(self.path("a.plog"))
        text = self.good("stats", log).out
        self.assertNotIn("\x1b", text)
        self.assertNotIn("\r", text)
        self.assertIn("tank(=1+1\\x0d\\x0a)\\Le\\x1b[31mvel\n".lower(), text.lower())
        row = next(iter(self.stats(log).values()))
        self.assertTrue(row["Instance"].startswith("'=1+1"), row)
        self.assertEqual(json.loads(self.good("stats", "--json", log).out)[0]["counter"], "Le\x1b[31mvel")

    def test_output_file(self):
        log = gauge_log(self.samples).save(self.path("a.plog"))
        for form in (), ("--csv",), ("--json",):
            out = self.path("out")
            self.good("stats", *form, "-o", out, log)
            with open(out) as f:
                self.assertEqual(f.read(), self.good("stats", *form, log).out)
            os.remove(out)

    def test_no_match(self):
        log = gauge_log(self.samples).save(self.path("a.plog"))
        self.refused(1, "stats", "-c", "Nothing", "-o", self.path("out"), log, says="nothing matches 'Nothing'")
        r = run("stats", "--csv", "-c", "Nothing", "-c", r"\Tank\Level", log)
        self.check_one_line(r, 1, "nothing matches 'Nothing'")
        self.assertEqual(len(r.out.splitlines()), 2)

    def test_wrong_input(self):
        log = gauge_log(self.samples).save(self.path("a.plog"))
        out = ("-o", self.path("out"))
        for code, args, says in (
                (1, (), "name a log"),
                (1, (self.path("none.plog"),), "none.plog"),
                (1, ("--csv", "--json", log), "exclude each other"),
                (1, ("--from", "noon", log), "stats: --from 'noon': not a time; known are 03:12, "),
                (1, ("--from", "2026-11-21T07:36", "--to", "2026-11-21T07:35", log), "stats: --from is not before --to"),
                (1, ("--from", "2030-01-01", log), "no samples after 2030-01-01 00:00:00 UTC; it spans 2026-11-21 "),
                (1, ("--tz", "Mars", log), "no such zone"),
                (1, ("--max-block", "0", log), "give a size"),
                (1, ("-o", log, log), "is the log itself"),
                (1, ("-", log), "a device can be read only once"),
                (4, (self.write("text", b"no log"),), "text")):
            self.refused(code, "stats", *(out if "-o" not in args else ()), *args, says=says)


if __name__ == "__main__":
    harness.main()
