#!/usr/bin/env python3
"""perflog compare: against a second computation, an injected regression, and two halves of a steady log."""
import csv
import io
import json
import math
import os
import random
import re
import struct
import sys
import unittest

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import Case, run
from read_report import Report
from test_names import hostile_log, renamed
from write_log import SECOND, Log, object_of

START = 1_795_246_500  # 2026-11-21 07:35:00 UTC
RAW = 0x00010100
SUMMED = {2: struct.pack("<BI", 0, 0) + struct.pack("<IBB", 4, 255, 1)}  # _Total is the sum
PARTS = 32


def tank_log(rows, start=START, names={2: b"Tank", 4: b"Level"}, host=b"web", step=1, **how):
    """rows: {instance: values} of one gauge; None: it is not there then."""
    log = Log(names, host=host, **how)
    for i in range(max(len(values) for values in rows.values())):
        log.sample((start + i * step) * SECOND, [object_of(2, [(4, RAW, 8)], [
            (name, (values[i],)) for name, values in rows.items() if values[i] is not None])])
    return log


# ---- the statistic, a second time ---------------------------------------------
def ranks(values):
    return [sum((v > w) + (v == w) / 2 for w in values) for v in values]


def dependence(values):
    off = [r - len(values) / 2 for r in ranks(values)]
    return sum(a * b for a, b in zip(off, off[1:])), sum(a * a for a in off)


def rank_test(before, after):
    n, m = len(before), len(after)
    u = sum((a > b) + (a == b) / 2 for a in after for b in before)
    everything = before + after
    tied = sum(t**3 - t for t in (everything.count(v) for v in set(everything)))
    num = n + m
    variance = n * m / 12 * (num + 1 - tied / (num * (num - 1)))
    (c1, v1), (c2, v2) = dependence(before), dependence(after)
    r = min(0.98, max(0, (c1 + c2) / (v1 + v2) + 2 / num + 1 / math.sqrt(num))) if v1 + v2 else 0
    z = (u - n * m / 2) / math.sqrt(variance) / math.sqrt((1 + r) / (1 - r)) if variance > 0 else 0
    return 2 * u / (n * m) - 1, z


class Compared(Case):
    def found(self, *args):
        return json.loads(self.good("compare", "--json", *args).out)

    def series(self, *args):
        return {s["instance"]: s for s in self.found(*args)["series"]}


class Statistic(Compared):
    def test_changes_are_figures(self):
        """However great, as all figures of the table."""
        before, after = (tank_log({name: [level] * 20 for name, level in levels.items()}).save(self.path(path))
                         for path, levels in (("a.plog", {"a": 10, "b": 10}), ("b.plog", {"a": 332, "b": 21180})))
        out = self.good("compare", before, after).out
        self.assertEqual(sorted(re.findall(r"  (x [0-9.]+(?: k)?)  ", out)), ["x 2.12 k", "x 33.2"])

    def test_second_computation(self):
        """Noise, ties, dependence, a rise, a constant, and windows of few and many samples."""
        r = random.Random(1)
        for count in 5, 32, 100:
            walk = [50]
            for _ in range(2 * count):
                walk.append(max(0, walk[-1] + r.randint(-3, 3)))
            rows = {"noise": [r.randint(0, 1000) for _ in range(2 * count)],
                    "ties": [r.randint(0, 2) for _ in range(2 * count)],
                    "walk": walk[:2 * count],
                    "rise": list(range(2 * count)),
                    "same": [7] * 2 * count,
                    "step": [7] * count + [9] * count,
                    "more": [r.randint(100, 200) + (60 if i >= count else 0) for i in range(2 * count)]}
            a = tank_log({k: v[:count] for k, v in rows.items()}).save(self.path("a.plog"))
            b = tank_log({k: v[count:] for k, v in rows.items()}).save(self.path("b.plog"))
            found = self.series(a, b)
            self.assertEqual(set(found), set(rows))
            for name, values in rows.items():
                sides = [self.means(half) for half in (values[:count], values[count:])]
                delta, z = rank_test(*sides)
                s = found[name]
                self.assertAlmostEqual(s["delta"], delta, delta=1e-9, msg=(count, name))
                self.assertAlmostEqual(s["z"], z, delta=1e-6, msg=(count, name))
                self.assertAlmostEqual(s["chance"], min(1, len(rows) * math.erfc(abs(z) / math.sqrt(2))), delta=1e-9)
                before, after = (sum(half) / count for half in (values[:count], values[count:]))
                self.assertAlmostEqual(s["before"], before)
                self.assertAlmostEqual(s["after"], after)
                if before:
                    self.assertAlmostEqual(s["change"], (after - before) / before)
            for s in found.values():
                self.assertEqual(s["unusual"], s["chance"] < 0.05)
            self.assertGreater(found["rise"]["chance"], 0.05)
            if count >= PARTS:
                self.assertTrue(found["step"]["unusual"] and found["more"]["unusual"], found)
            os.remove(a)
            os.remove(b)

    @staticmethod
    def means(values):
        """Of parts of equal length, from the first row to the last."""
        parts = {}
        for i, v in enumerate(values):
            parts.setdefault(int(i * SECOND / ((len(values) - 1) * SECOND + 1) * PARTS), []).append(v)
        return [sum(part) / len(part) for part in parts.values()]

    def test_order_and_forms(self):
        rows = {"a": [10] * 40, "b": [10, 12] * 20, "c": [0] * 40, "d": [5, 6] * 20}
        after = {"a": [11] * 40, "b": [20, 24] * 20, "c": [3, 4] * 20, "d": [5, 6] * 20}
        a = tank_log(rows).save(self.path("a.plog"))
        b = tank_log(dict(after, e=[1] * 40), start=START + 3600).save(self.path("b.plog"))
        order = [s["instance"] for s in self.found(a, b)["series"]]
        self.assertEqual((order[:2], set(order[2:]), order[-1]), (["a", "c"], {"b", "d"}, "d"))
        text = self.good("compare", a, b).out.splitlines()
        self.assertEqual(text[0], "Before: %s, 2026-11-21 07:35:00 to 2026-11-21 07:35:39 UTC, 40 samples" % a)
        self.assertEqual(text[1], "After:  %s, 2026-11-21 08:35:00 to 2026-11-21 08:35:39 UTC, 40 samples" % b)
        self.assertEqual(text[3].split(), ["Before", "After", "Change", "Delta", "Chance", "Series"])
        self.assertRegex(text[4], r"^ *10 +11 +\+10\.0 % +\+1\.00 +\S+  \\Tank\(a\)\\Level$")
        self.assertRegex(text[5], r"^ *0 +3\.50 +was 0 +\+1\.00 +\S+  \\Tank\(c\)\\Level$")
        self.assertEqual(text[-2:], ["3 of 4 series differ by more than chance.", "Only before: 0 series; only after: 1."])
        self.assertEqual(len(self.good("compare", "--all", a, b).out.splitlines()), len(text) + 1)
        table = list(csv.DictReader(io.StringIO(self.good("compare", "--csv", a, b).out)))
        self.assertEqual([row["Instance"] for row in table], order)
        for row, s in zip(table, self.found(a, b)["series"]):
            for key in "before", "after", "delta", "z", "chance", "change":
                cell = row.get(key.capitalize(), row.get(key))
                self.assertEqual(float(cell) if cell else None, s[key], (key, row))

    def test_equal_statistics_are_ordered_by_change(self):
        """What was 0 first; names that would be in the other order."""
        a = tank_log({"a": [10] * 40, "b": [10] * 40, "c": [0] * 40}).save(self.path("a.plog"))
        b = tank_log({"a": [11] * 40, "b": [5] * 40, "c": [1] * 40}).save(self.path("b.plog"))
        found = self.found(a, b)["series"]
        self.assertEqual(len({abs(s["z"]) for s in found}), 1, found)
        self.assertEqual([(s["instance"], s["change"]) for s in found], [("c", None), ("b", -0.5), ("a", 0.1)])

    def test_what_is_in_one_only(self):
        a = tank_log({"a": [1, 2], "old": [1, 1], "older": [1, None]}).save(self.path("a.plog"))
        b = tank_log({"a": [1, 2], "new": [1, 2]}).save(self.path("b.plog"))
        self.assertEqual(set(self.series(a, b)), {"a"})
        self.assertIn("\nOnly before: 2 series; only after: 1.\n", self.good("compare", a, b).out)

    def test_a_path_of_one_window(self):
        """It matches something; one that neither window has is named once, and what the others chose is compared."""
        a = tank_log({"a": [1, 2], "old": [1, 1]}).save(self.path("a.plog"))
        b = tank_log({"a": [1, 2], "new": [1, 2]}).save(self.path("b.plog"))
        for name, counts in ("old", (1, 0)), ("new", (0, 1)):
            for more in (), ("-c", r"\Tank(a)\*"):
                r = self.good("compare", "-c", r"\Tank(%s)\*" % name, *more, a, b)
                self.assertIn("\nOnly before: %d series; only after: %d.\n" % counts, r.out)
                self.assertNotIn("nothing matches", r.err)
        r = run("compare", "-c", r"\Tank(none)\*", "-c", r"\Tank(a)\*", a, b)
        self.assertEqual((r.code, r.err.count("nothing matches")), (1, 1), r)
        self.assertIn("None of 1 series differs", r.out)

    def test_hosts(self):
        """Of one host each, the name does not matter."""
        a = tank_log({"a": [1, 2]}, host=b"old").save(self.path("a.plog"))
        b = tank_log({"a": [1, 2]}, host=b"new").save(self.path("b.plog"))
        self.assertEqual(set(self.series(a, b)), {"a"})
        self.assertEqual(self.series(a, b)["a"]["host"], "")

    def test_one_of_several_hosts(self):
        """It is compared with the one of its name, whichever side has several, in one file or in a folder."""
        old, new, other = (tank_log({"a": [k, k]}, host=host) for k, host in ((1, b"web"), (2, b"web"), (3, b"db")))
        alone = old.save(self.path("old.plog"))
        joined = self.write("joined.plog", renamed(other.data, 7) + renamed(new.data, 8))
        os.mkdir(self.path("both"))
        other.save(self.path("both/1.plog"))
        new.save(self.path("both/2.plog"))
        for before, after, means in ((alone, self.path("both"), (1, 2)), (self.path("both"), alone, (2, 1)),
                                     (joined, alone, (2, 1)), (joined, self.path("both"), (2, 2))):
            found = {s["host"]: (s["before"], s["after"]) for s in self.found(before, after)["series"]}
            self.assertEqual(found.pop("web"), means, (before, after))
            self.assertEqual(found, {} if alone in (before, after) else {"db": (3, 3)})
        third = tank_log({"a": [1, 2]}, host=b"mail").save(self.path("third.plog"))
        r = self.good("compare", third, self.path("both"))
        self.assertIn("no series is in both windows; of several hosts", r.err)

    def test_processes_by_name(self):
        names = {2: b"Process", 4: b"Working Set"}
        a, b = (tank_log(rows, names=names, facts=SUMMED).save(self.path(name)) for name, rows in (
            ("a.plog", {"sh:1": [4, 4], "cc:2": [1, 1]}), ("b.plog", {"sh:7": [5, 5], "cc:8": [1, 1]})))
        self.assertEqual({k: v["after"] for k, v in self.series(a, b).items() if k != "_Total"}, {"sh": 5, "cc": 1})

    def test_processes_of_a_sheet(self):
        """Their values cannot be summed up, and their names are those that the sheet gave them."""
        logs = []
        for name, percent in ("a", 10), ("b", 60):
            rows = "".join('"11/26/2026 16:%02d:%02d.000","%d","%d"\r\n' % (*divmod(i, 60), percent + i % 5, i % 3)
                           for i in range(120))
            logs.append(self.write(name + ".csv", (
                r'"(PDH-CSV 4.0) (UTC)(0)","\\h\Process(sqlservr)\% Processor Time","\\h\Process(svc#1)\% User Time"'
                "\r\n" + rows).encode()))
        for operands in logs, [self.imported(log) for log in logs]:
            r = self.good("compare", "--json", *operands)
            found = {s["instance"]: s["chance"] < 0.05 for s in json.loads(r.out)["series"]}
            self.assertEqual(found, {"sqlservr": True, "svc#1": False})

    def imported(self, sheet):
        self.good("import", sheet, "-o", sheet + ".plog")
        return sheet + ".plog"

    def test_processes_without_sums(self):
        """Nothing to compare is no failure, and no option is blamed that was not given."""
        a = tank_log({"sh:1": [4, 4]}, names={2: b"Process", 4: b"ID"}).save(self.path("a.plog"))
        self.assertNotIn("--group", run("compare", a, a).err)


class Windows(Compared):
    def setUp(self):
        super().setUp()
        hour = [10 + i % 2 for i in range(60)]
        self.log = tank_log({"a": hour + [v + 100 for v in hour] + [v + 300 for v in hour]}, step=60).save(
            self.path("a.plog"))

    def spans(self, *args):
        found = self.found(*args, self.log)
        s, = found["series"]
        return [found[side][end][11:16] for side in ("before", "after") for end in ("from", "to")] + [
            int(s["before"]), int(s["after"])]

    def test_shift(self):
        self.assertEqual(self.spans("--shift", "1h"), ["08:35", "09:34", "09:35", "10:34", 110, 310])
        self.assertEqual(self.spans("--shift", "1h", "--from", "08:34", "--to", "08:54"),
                         ["07:35", "07:54", "08:35", "08:54", 10, 110])
        self.assertEqual(self.spans("--shift", "1h", "--at", "08:50+-5m"),
                         ["07:46", "07:55", "08:46", "08:55", 10, 110])

    def test_against(self):
        for before in "07:40..07:50", "07:45+-5m":
            self.assertEqual(self.spans("--against", before, "--from", "09:40", "--to", "09:50"),
                             ["07:41", "07:50", "09:41", "09:50", 10, 310])

    def test_two_logs_have_the_same_window(self):
        found = self.found("--from", "07:40", "--to", "07:50", self.log, self.log)
        self.assertEqual([found[s]["samples"] for s in ("before", "after")], [10, 10])
        self.assertEqual(found["unusual"], 0)

    def test_parts_are_of_the_window(self):
        """A window in the middle of logs gives the statistic of logs that hold it alone."""
        r = random.Random(2)
        sides = [[r.randint(0, 1000) + more for _ in range(200)] for more in (0, 200)]
        whole, alone = ([tank_log({"a": side[part]}, start=START + (part.start or 0)).save(self.path("%d%d" % (i, n)))
                         for n, side in enumerate(sides)] for i, part in enumerate((slice(None), slice(40, 90))))
        window = "--from", "@%d" % (START + 39), "--to", "@%d" % (START + 89)
        found = self.series(*window, *whole)["a"]
        self.assertEqual(found, self.series(*alone)["a"])
        self.assertAlmostEqual(found["z"], rank_test(*(Statistic.means(side[40:90]) for side in sides))[1], delta=1e-6)

    def test_wrong(self):
        for args, says in (((), "name two logs"), ((self.log,), "compared with itself"),
                           (("--shift", "1h", self.log, self.log), "of one log"),
                           (("--shift", "1h", "--against", "08:00", self.log), "exclude each other"),
                           (("--against", "08:00", self.log), "needs a window"),
                           (("--shift", "1h", "--to", "09:00", self.log), "needs the window's beginning: give --from, too"),
                           (("--shift", "x", self.log), "a length of time"),
                           (("--shift", "0s", self.log), "a length of time"),
                           (("--shift", "-1h", self.log), "a length of time"),
                           (("--csv", "--json", self.log, self.log), "exclude each other"),
                           ((self.log, self.log, self.log), "name two logs"),
                           (("--shift", "9d", self.log), "no samples"),
                           (("--against", "x", "--at", "08:00", self.log), "--against 'x'"),
                           (("--against", "08:00+-x", "--at", "08:00", self.log), "--against '08:00+-x'"),
                           (("--against", "x..y", "--at", "08:00", self.log), "--against 'x'"),
                           (("--against", "08:00..y", "--at", "08:00", self.log), "--against 'y'"),
                           (("--against", "@9..@8", "--at", "08:00", self.log), "--against ends before it begins"),
                           ((self.log, self.path("none")), "No such file"),
                           (("-c", "Nothing", self.log, self.log), "nothing matches")):
            r = run("compare", *args)
            self.assertEqual((r.code, r.out), (1, ""), (args, r))
            self.assertIn(says, r.err)

    def test_pipe(self):
        got, put = os.pipe()
        os.close(put)
        self.addCleanup(os.close, got)
        self.refused(1, "compare", "-", self.log, stdin=got, says="a pipe can be read only once")


@unittest.skipIf(os.environ.get("PERFLOG_HAS_REPORT", "1") in ("0", "OFF", ""), "this perflog makes no pages")
class Page(Compared):
    """Both windows drawn one over the other, against what was recorded."""

    def page(self, *args, code=0):
        out = self.path("out.html")
        r = run("compare", "-o", out, *args)
        self.assertEqual((r.code, r.out), (code, ""), r)
        return Report(out)

    def test_a_point_a_sample(self):
        values = [10 + i % 3 for i in range(60)], [40 + i % 5 for i in range(50)]
        a = tank_log({"a": values[0]}).save(self.path("a.plog"))
        b = tank_log({"a": values[1]}, start=START + 86400).save(self.path("b.plog"))
        page = self.page("--tz", "UTC", a, b)
        chart, = page.charts
        self.assertRegex(chart.title, r"^\\Tank\(a\)\\Level: \+281\.8 %$")
        self.assertEqual([x - START - 86400 for x in chart.host["x"]], list(range(61)))
        for name, side in zip(("before", "after"), values):
            drawn = side + [None] * (61 - len(side))
            self.assertEqual(chart.lines[name], [drawn] * 3)
        # Mean, least, greatest and when, as the window after has it.
        self.assertEqual([[cell.replace("\u00a0", " ") for cell in row[1:]] for row in chart.rows], [
            ["11", "10", "12", "2026-11-22 07:35:02"], ["42", "40", "44", "2026-11-22 07:35:04"]])
        self.assertIn("1 of 1 series differs by more than chance.", page.paragraphs)
        for side, log, end in ("Before", a, "2026-11-21 07:35:59"), ("After", b, "2026-11-22 07:35:49"):
            self.assertTrue(any(p.startswith("%s: %s, " % (side, log)) and "to " + end in p for p in page.paragraphs), side)

    def test_many_samples_share_a_point(self):
        """No extreme is lost, and a mean is of all values; 600 points or one more."""
        r = random.Random(3)
        values = [r.randint(0, 100) for _ in range(2500)]
        values[1234] = 9000
        log = tank_log({"a": values}).save(self.path("a.plog"))
        chart, = self.page(log, log).charts
        least, mean, greatest = chart.lines["before"]
        self.assertEqual(chart.lines["after"], [least, mean, greatest])
        step = chart.host["step"]
        self.assertIn(len(least), (600, 601))
        self.assertAlmostEqual(chart.host["ahead"], (step - 1) / 2, delta=1e-4)  # of rows a second apart
        for i, x in enumerate(chart.host["x"]):
            here = [v for k, v in enumerate(values) if i - 0.5 <= k / step < i + 0.5]
            self.assertEqual((least[i], greatest[i]), (min(here), max(here)) if here else (None, None), i)
            if here:
                self.assertAlmostEqual(mean[i], sum(here) / len(here), delta=0.01)
        self.assertEqual(max(v for v in greatest if v is not None), 9000)

    def test_a_point_has_a_sample_of_each(self):
        """Recorded every second, and every five seconds: no line has holes; a gap is one."""
        a = tank_log({"a": [1, 2] * 50}).save(self.path("a.plog"))
        b = tank_log({"a": [3, 4] * 5 + [None] * 3 + [3, 4] * 5}, step=5).save(self.path("b.plog"))
        chart, = self.page(a, b).charts
        self.assertEqual(chart.host["step"], 5)
        self.assertNotIn(None, chart.lines["before"][1][:20])
        self.assertEqual(chart.lines["after"][1], [3, 4] * 5 + [None] * 3 + [3, 4] * 5 + [None])

    def test_clock_set_back(self):
        """What was recorded before and after that is in the curves and the span, whichever is earlier."""
        a = tank_log({"a": [1] * 12}).save(self.path("a.plog"))
        for order in [*range(6, 12), *range(6)], [*range(4, 12), *range(4)]:
            b = Log({2: b"Tank", 4: b"Level"}, host=b"web")
            for i in order:
                b.sample((START + i) * SECOND, [object_of(2, [(4, RAW, 8)], [("a", (10 + i,))])])
            chart, = self.page(a, b.save(self.path("b.plog"))).charts
            self.assertEqual(chart.lines["after"], [[*range(10, 22), None]] * 3)
            self.assertEqual([cell.replace("\u00a0", " ") for cell in chart.rows[1][1:]],
                             ["15.5", "10", "21", "2026-11-21 07:35:11"])
            after = self.found(a, self.path("b.plog"))["after"]
            self.assertEqual((after["from"], after["to"], after["samples"]),
                             ("2026-11-21T07:35:00.000Z", "2026-11-21T07:35:11.000Z", 12))

    def test_the_most_unusual_first(self):
        rows = {"%02d" % i: [10] * 40 for i in range(30)}
        a = tank_log(rows).save(self.path("a.plog"))
        for num, drawn in (0, 6), (2, 6), (9, 9), (30, 24):
            changed = {k: [10 + 30 - i if i < num else 10] * 40 for i, k in enumerate(rows)}
            b = tank_log(changed, start=START + 3600).save(self.path("b.plog"))
            page = self.page(a, b)
            order = [s["instance"] for s in self.found(a, b)["series"]]
            self.assertEqual([re.search(r"\((\d+)\)", c.title)[1] for c in page.charts], order[:drawn])
            os.remove(b)

    def test_groups_hosts_and_hostile_names(self):
        names = {2: b"Process", 4: b"Working Set"}
        a, b = (tank_log(rows, names=names, facts=SUMMED).save(self.path(name)) for name, rows in (
            ("a.plog", {"sh:1": [4, 4], "sh:2": [1, 1]}), ("b.plog", {"sh:7": [5, 5], "sh:8": [1, 1]})))
        chart = next(c for c in self.page(a, b).charts if "(sh)" in c.title)
        self.assertEqual([chart.lines[side][1][:2] for side in ("before", "after")], [[5, 5], [6, 6]])
        os.mkdir(self.path("both"))
        for k, host in enumerate((b"db", b"web")):
            tank_log({"a": [5 + k] * 2}, host=host).save(self.path("both/%d.plog" % k))
        chart, = self.page(tank_log({"a": [4, 4]}).save(self.path("web.plog")), self.path("both")).charts
        self.assertEqual([chart.lines[side][1][:2] for side in ("before", "after")], [[4, 4], [6, 6]])
        hostile = hostile_log(self.path("hostile.plog"))
        page = self.page(hostile, hostile)
        self.assertNotIn("<script>alert", page.text.split('id="data"')[0].replace("<script>\n", ""))
        self.assertFalse([name for name, _ in page.attributes if name.startswith("on")])

    def test_damage_is_reported_once(self):
        a = tank_log({"a": [1, 2] * 20}).save(self.path("a.plog"))
        with open(a, "r+b") as f:
            f.seek(os.path.getsize(a) // 2)
            f.write(b"\xff" * 8)
        r = run("compare", a, a)
        self.assertEqual(r.code, 2)
        page = run("compare", "-o", self.path("out.html"), a, a)
        self.assertEqual((page.code, page.err), (2, r.err))
        self.assertEqual(len(Report(self.path("out.html")).charts), 1, "of what is whole")

    def test_a_path_that_nothing_matches(self):
        """Of what the others chose there is a page."""
        a = tank_log({"a": [1, 2]}).save(self.path("a.plog"))
        page = self.page("-c", "Nothing", "-c", "Tank", a, a, code=1)
        self.assertEqual(len(page.charts), 1)

    def test_last_instants(self):
        """Points end with what a time can be."""
        last = (2**63 - 1) / 1e9
        logs = [tank_log({"a": list(range(9))}, start=2**63 // SECOND - 8).save(self.path(name)) for name in ("a", "b")]
        chart, = self.page(*logs).charts
        self.assertEqual(chart.lines["after"][1][:9], list(range(9)))
        self.assertAlmostEqual(chart.host["x"][-1], last, delta=0.001)

    def test_windows_of_one_log(self):
        log = tank_log({"a": [1, 2] * 30 + [5, 6] * 30}).save(self.path("a.plog"))
        chart, = self.page("--shift", "1m", "--from", "@%d" % (START + 59), "--to", "@%d" % (START + 119), log).charts
        self.assertEqual([chart.lines[side][1][:4] for side in ("before", "after")], [[1, 2, 1, 2], [5, 6, 5, 6]])

    def test_wrong(self):
        a = tank_log({"a": [1, 2]}).save(self.path("a.plog"))
        out = self.path("out.html")
        for args, says in ((("--csv",), "is named like a page, and CSV is written"), (("--json",), "and JSON is written"),
                           (("-c", "Nothing"), "nothing matches"), (("--from", "20:00", "--to", "21:00"), "no samples")):
            r = run("compare", "-o", out, *args, a, a)
            self.assertEqual((r.code, r.out, os.path.exists(out)), (1, "", False), r)
            self.assertIn(says, r.err)


class Output(Compared):
    def test_a_file_holds_what_was_printed(self):
        a = tank_log({"a": [1, 2]}).save(self.path("a.plog"))
        for form in (), ("--csv",), ("--json",):
            out = self.path("out.txt")
            self.assertEqual(self.good("compare", "-o", out, *form, a, a).out, "")
            with open(out, encoding="utf-8") as f:
                self.assertEqual(f.read(), self.good("compare", *form, a, a).out)
            os.remove(out)


class Many(Compared):
    """Ten thousand series of all manners of noise."""

    INSTANCES, COUNTERS, COUNT = 1000, 10, 48

    def made(self, name, count, seed, raised=None):
        r = random.Random(seed)
        gauss = r.gauss
        state = [[0.0] * self.COUNTERS for _ in range(self.INSTANCES)]
        log = Log({2: b"Tank", **{4 + 2 * k: b"Level %d" % k for k in range(self.COUNTERS)}}, host=b"web")
        kinds = [(4 + 2 * k, RAW, 8) for k in range(self.COUNTERS)]
        for i in range(count):
            rows = []
            for n, s in enumerate(state):
                slow = math.sin(2 * math.pi * (i / 40 + n / 7))
                s[4] = 0.5 * s[4] + gauss(0, 0.1)
                s[5] = 0.8 * s[5] + gauss(0, 0.1)
                s[6] += gauss(0, 0.01)  # a walk
                values = [1 + gauss(0, 0.02), 1 + gauss(0, 0.1), math.exp(gauss(0, 1)), r.random() < 0.1, 1 + s[4],
                          1 + s[5], 1 + s[6], 1 + slow / 2 + gauss(0, 0.05), 7, i + n]
                if raised == n:
                    values[1] *= 1.2
                rows.append((str(n), [max(0, int(100_000 * v)) for v in values]))
            log.sample((START + i) * SECOND, [object_of(2, kinds, rows)])
        return log.save(self.path(name))

    def test_twenty_percent_of_one_and_nothing_else(self):
        steady = self.made("steady.plog", 2 * self.COUNT, 1)
        raised = self.made("raised.plog", self.COUNT, 2, raised=417)
        halves = "--from", "-%ds" % self.COUNT, "--to", "-0s", "--against", "@%d..@%d" % (START - 1, START + self.COUNT - 1)
        table = self.good("compare", "--csv", *halves, steady).out.splitlines()
        self.assertEqual(len(table) - 1, self.INSTANCES * self.COUNTERS)
        self.assertIn("\nNone of 10000 series differs by more than chance.\n", self.good("compare", *halves, steady).out)
        found = self.found("--from", "@%d" % (START - 1), "--to", "@%d" % (START + self.COUNT - 1), steady, raised)
        first = found["series"][0]
        self.assertEqual((first["instance"], first["counter"], found["unusual"]), ("417", "Level 1", 1))
        self.assertAlmostEqual(first["change"], 0.2, delta=0.06)


if __name__ == "__main__":
    harness.main()
