#!/usr/bin/env python3
"""export --unwrap32, --cap100 and --pdh-multi, on counters made to need them; and how totals are made."""
import os
import struct
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import Case, long_rows
from write_log import Log, object_of
import write_log

START = 1_795_246_502 * 10**9  # 2026-11-21 07:35:02 UTC
PER_SEC, PER_SEC_8, PERCENT, FRACTION, FRACTION_BASE = 0x10410400, 0x10410500, 0x20410500, 0x20020400, 0x40030403
MULTI, MULTI_INV, MULTI_BASE = 0x22410500, 0x23410500, 0x42030500
LARGE_RAWCOUNT, LARGE_HEX, DOUBLE_RAW = 0x00010100, 0x00000100, 0x00012000
AVERAGE, AVERAGE_BASE = 0x40020500, 0x40030402
TIMER, INVERSE, PRECISION, PRECISION_BASE = 0x20510500, 0x21510500, 0x20570500, 0x40030500
SECOND_100NS = 10**7
SUM, MEAN = 1, 2  # rules of totals, FORMAT.md section 6
NAMES = {2: b"Engine", 4: b"Ticks/sec", 6: b"Big/sec", 8: b"% Busy", 10: b"% Full", 12: b"% Multi",
         14: b"% Multi Idle", 16: b"Size"}
COUNTERS = [(4, PER_SEC, 4), (6, PER_SEC_8, 8), (8, PERCENT, 8), (10, FRACTION, 4), (10, FRACTION_BASE, 4),
            (12, MULTI, 8), (12, MULTI_BASE, 8), (14, MULTI_INV, 8), (14, MULTI_BASE, 8),
            (16, AVERAGE, 8), (16, AVERAGE_BASE, 4)]
FREQ = 10_000_000  # of the tick clock, and a sample a second
# What the counters show at two samples.
OLDER = (2**32 - 10, 2**32 - 10, 0, 0, 1, 0, 2, 0, 2, 100, 2**32 - 5)
NEWER = (5, 5, 15_000_000, 3, 2, 5_000_000, 2, 5_000_000, 2, 350, 5)


class Options(Case):
    def setUp(self):
        super().setUp()
        # Ticks/sec is added up over instances, the rest is not.
        facts = {2: struct.pack("<BI", 0, 0) + struct.pack("<IBB", 4, 255, 1)}
        log = Log(NAMES, facts=facts)
        for i, values in enumerate((OLDER, NEWER)):
            other = (100 * i,) + values[1:]
            log.sample(START + i * 10**9, [object_of(2, COUNTERS, [("b", other), ("a", values), ("c", other)])])
        self.log = log.save(self.path("a.plog"))

    def cells(self, *options):
        """{counter: (value, status)} of instance a at the second sample, and of its total's ticks."""
        rows = long_rows(self.good("export", "--layout", "long", *options, self.log).out)
        found = {r["Counter"]: (r["Value"], r["Status"]) for r in rows[len(rows) // 2:]
                 if r["Instance"] == "a"}
        found["total"] = next((r["Value"], r["Status"]) for r in reversed(rows)
                              if (r["Instance"], r["Counter"]) == ("_Total", "Ticks/sec"))
        return found

    def test_without_options(self):
        self.assertEqual(self.cells(), {
            "Ticks/sec": ("", "negative"),
            "Big/sec": ("", "negative"),
            "% Busy": ("150", ""),
            "% Full": ("150", ""),
            "% Multi": ("25", ""),  # 100 * 0.5 / 2
            "% Multi Idle": ("150", ""),  # 100 * (2 - 0.5)
            "Size": ("", "negative_denominator"),
            "total": ("200", ""),  # of b and c
        })

    def check_changes(self, options, changes):
        self.assertEqual(self.cells(*options), {**self.cells(), **changes})

    def test_unwrap32(self):
        self.check_changes(["--unwrap32"], {
            "Ticks/sec": ("15", "wrapped"),  # from 2^32 - 10 to 5
            "Size": ("25", "wrapped"),  # 250 in 10
            "total": ("215", "wrapped"),
        })

    def test_cap100(self):
        self.check_changes(["--cap100"], {"% Busy": ("100", ""), "% Full": ("100", "")})

    def test_pdh_multi(self):
        # 5,000,000 in a second instead of half of its ticks; 2 - 5,000,000 is below 0
        self.check_changes(["--pdh-multi"], {"% Multi": ("%d" % (100 * 5_000_000 / 2), ""),
                                             "% Multi Idle": ("0", "clamped")})

    def test_together_and_wide(self):
        sheet = self.wide(self.log, "--unwrap32", "--cap100", "--pdh-multi")
        self.assertEqual([sheet.column(r"\Engine(a)\%s" % name)[1]
                          for name in ("Ticks/sec", "Big/sec", "% Busy", "% Full", "% Multi", "Size")],
                         [15, None, 100, 100, 250_000_000, 25])


class Capped(Case):
    """--cap100 is for what a cell shows, whatever that was made of."""

    def setUp(self):
        super().setUp()
        log = Log({2: b"Process", 4: b"% Processor Time"})
        per_second = {"a": 30, "b": 8, "c": 9, "d": 7, "e": 40}  # tenths of a processor; e is there in 2 of 11 samples
        for s in range(11):
            here = [n for n in per_second if n != "e" or s in (3, 4)]
            log.sample((1795500000 + s) * 10**9, [object_of(2, [(4, PERCENT, 8)], [
                (n, (per_second[n] * s * FREQ // 10,)) for n in here])])
        self.log = log.save(self.path("a.plog"))

    def last(self, *options):
        rows = long_rows(self.good("export", "-q", "--layout", "long", "--cap100", *options, self.log).out)
        return {r["Instance"]: float(r["Value"]) for r in rows if r["Value"] and r["Time"] == rows[-1]["Time"]}

    def test_a_window(self):
        """400 % for one of ten seconds."""
        self.assertEqual(self.last("--every", "10s"), {"a": 100, "b": 80, "c": 90, "d": 70, "e": 40})
        self.assertEqual(self.last("--every", "10s:max"), {"a": 100, "b": 80, "c": 90, "d": 70, "e": 100})

    def test_others(self):
        self.assertEqual(self.last("--top", "1"), {"a": 100, "_Other": 100})
        self.assertEqual(self.last("--top", "1", "--every", "10s"), {"a": 100, "_Other": 100})
        self.assertEqual(self.last("--top", "3"), {"a": 100, "c": 90, "b": 80, "_Other": 70})

    def test_groups(self):
        self.assertEqual(self.last("--group", "parent"), {"?": 100})
        self.assertEqual(self.last("--group", "parent", "--every", "10s"), {"?": 100})


class Totals(Case):
    """What a log says is to be added up is added up only if that makes sense."""

    def totals(self, kind, *values):
        facts = {2: struct.pack("<BI", 0, 0) + struct.pack("<IBB", 4, 255, 1)}
        log = Log(NAMES, facts=facts)
        for i in range(2):
            log.sample(START + i * 10**9, [object_of(2, [(4, kind, 8)], [
                ("abc"[k], (value,)) for k, value in enumerate(values)])])
        r = self.good("export", "--layout", "long", log.save(self.path("t.plog")))
        return [(row["Value"], row["Status"]) for row in long_rows(r.out) if row["Instance"] == "_Total"]

    def test_numbers_are_added(self):
        self.assertEqual(self.totals(LARGE_RAWCOUNT, 3, 4), [("7", "")] * 2)

    def test_no_sum_leaves_64_bits(self):
        self.assertEqual(self.totals(LARGE_RAWCOUNT, 2**63, 2**63 + 5), [("", "unsupported")] * 2)

    def test_what_is_no_number_is_not_added(self):
        one_and_a_half, = struct.unpack("<Q", struct.pack("<d", 1.5))
        self.assertEqual(self.totals(DOUBLE_RAW, one_and_a_half, one_and_a_half), [])
        self.assertEqual(self.totals(LARGE_HEX, 1, 2), [])

    def same_name(self, *more):
        """Totals of two objects that have one name, as those of two programs may, the second with 'more' instances."""
        fact = struct.pack("<BI", 0, 0) + struct.pack("<IBB", 4, 255, 1)
        log = Log({2: b"Worker", 4: b"Level", 6: b"Worker"}, facts={2: fact, 6: fact})
        for i in range(2):
            log.sample(START + i * 10**9, [object_of(2, [(4, LARGE_RAWCOUNT, 8)], [("a", (1,)), ("b", (2,))]),
                                           object_of(6, [(4, LARGE_RAWCOUNT, 8)], [("a", (10,)), *more])])
        r = self.good("export", "--layout", "long", log.save(self.path("t.plog")))
        return [(row["Instance"], row["Value"]) for row in long_rows(r.out) if row["Instance"] not in "ab"]

    def test_objects_of_one_name_have_a_total_each(self):
        self.assertEqual(self.same_name(("c", (20,))),
                         [("_Total", "3"), ("a#1", "10"), ("c", "20"), ("_Total#1", "30")] * 2)
        self.assertEqual(self.same_name(("_Total", (70,))),
                         [("_Total#1", "3"), ("a#1", "10"), ("_Total", "70")] * 2)


class TotalsOfValues(Case):
    """Totals of counters whose members are not divided by one clock: the sum, or the mean, of the members' values.

    There are four members, and two from the third sample on.
    """
    NAMES = {2: b"Worker", 4: b"Timer", 6: b"Inverse", 8: b"Multi", 10: b"Multi inverse", 12: b"Precision"}
    COUNTERS = [(4, TIMER, 8), (6, INVERSE, 8), (8, MULTI, 8), (8, MULTI_BASE, 8), (10, MULTI_INV, 8), (10, MULTI_BASE, 8),
                (12, PRECISION, 8), (12, PRECISION_BASE, 8)]
    TYPES = [name.decode() for index, name in sorted(NAMES.items()) if index != 2]

    def setUp(self):
        super().setUp()
        self.maker = write_log

    def made(self, rule, counters=None, second=None, names=None, samples=5, object_name=b"Worker"):
        """A log from 06:00:00 on; second(k): what member k counts in a second, (number, of one moment) where it does not."""
        names, counters = names or self.NAMES, counters or self.COUNTERS
        facts = {2: struct.pack("<BI", 0, 0) + b"".join(struct.pack("<IBB", i, 255, rule) for i in sorted(names) if i != 2)}
        log = self.maker.Log({**names, 2: object_name}, facts=facts)
        for s in range(samples):
            members = [("w%d" % k, [n[0] if isinstance(n, tuple) else n * s for n in (second or self.second)(k)])
                       for k in range(4 if s < 3 else 2)]
            log.sample((1795500000 + s) * 10**9, [self.maker.object_of(2, counters, members)])
        return log.save(self.path("%d.plog" % rule))

    @staticmethod
    def second(k):
        """Busy for 10 % of the time, and one of four more or less than the others."""
        busy = (k + 1) * SECOND_100NS // 25  # 4, 8, 12, 16 %
        return busy, SECOND_100NS - busy, 2 * busy, (2,), 2 * SECOND_100NS - busy, (2,), busy * 2, SECOND_100NS * 2

    def values(self, log, *options):
        """{(counter, instance): [value...]}, of rows after the first."""
        found = {}
        for r in long_rows(self.good("export", "-q", "--layout", "long", *options, log).out):
            if r["Value"] and r["Status"] in ("", "partial"):
                found.setdefault((r["Counter"], r["Instance"]), []).append(float(r["Value"]))
        return found

    def check(self, found, expected):
        self.assertEqual(len(found), len(expected), found)
        for x, y in zip(found, expected):
            self.assertAlmostEqual(x, y, 9)

    def test_sums(self):
        log = self.made(SUM)
        found, every = self.values(log), self.values(log, "--every", "4s")
        sheet = self.wide(log)
        for name in self.TYPES:
            with self.subTest(name):
                self.check(found[name, "w3"], [16] * 2)
                self.check(found[name, "_Total"], [40, 40, 12, 12])
                self.check(every[name, "w3"], [8])  # it was there for half of the time
                self.check(every[name, "_Total"], [26])
                self.check([sum(every[name, "w%d" % k][0] for k in range(4))], [26])
                # the fast path, which wide sheets take
                self.check(sheet.column(r"\Worker(_Total)\%s" % name)[1:], [40, 40, 12, 12])

    def test_means(self):
        """Those that existed were busy for 40 * 2 + 12 * 2 % of 4 * 2 + 2 * 2 seconds."""
        log = self.made(MEAN)
        found, every = self.values(log), self.values(log, "--every", "4s")
        for name in self.TYPES:
            with self.subTest(name):
                self.check(found[name, "_Total"], [10, 10, 6, 6])
                whole = 104 / 12 if name in ("Timer", "Inverse", "Precision") else 8  # of M the mean of means
                self.check(every[name, "_Total"], [whole])

    def test_above_100_percent(self):
        """The limit is for the sum, not for its parts, and not for those of several components."""
        log = self.made(SUM, second=lambda k: (6 * n if i in (0, 6) else n for i, n in enumerate(
            (SECOND_100NS // 4, SECOND_100NS // 4, SECOND_100NS, (2,), SECOND_100NS, (2,), SECOND_100NS // 2, SECOND_100NS))))
        whole, capped = self.values(log), self.values(log, "--cap100")
        self.check(whole["Precision", "_Total"], [1200, 1200, 600, 600])
        self.check(capped["Precision", "_Total"], [100] * 4)
        self.check(whole["Inverse", "_Total"], [300, 300, 150, 150])
        self.check(capped["Inverse", "_Total"], [100] * 4)
        self.check(capped["Multi", "_Total"], [200, 200, 100, 100])

    def test_a_window_of_some_above_100_percent(self):
        """150, 150, 75 and 75 %: 112.5, which becomes 100; what it is made of does not."""
        log = self.made(SUM, second=lambda k: (0, SECOND_100NS * 5 // 8, 0, (2,), 0, (2,), 0, 1))
        self.check(self.values(log, "--cap100", "--every", "4s")["Inverse", "_Total"], [100])

    def test_one_that_cannot_be_calculated(self):
        """M of 0: the others' values are the sum."""
        log = self.made(SUM, second=lambda k: (*self.second(k)[:3], (0 if k == 1 else 2,), *self.second(k)[4:]))
        self.check(self.values(log)["Multi", "_Total"], [32, 32, 4, 4])

    def test_groups_of_processes(self):
        for name in self.TYPES:
            with self.subTest(name):
                self.check(self.values(self.grouped(), "--group", "name")[name, "w"], [40, 40, 12, 12])
                self.check(self.values(self.grouped(), "--group", "name", "--every", "4s")[name, "w"], [26])
                self.check(self.values(self.grouped(), "--group", "name", "--every", "4s")[name, "x"], [2])

    def test_a_group_of_which_one_was_clamped(self):
        """Idle for longer than the time there was: 0 of the sum, wherever it is among the members."""
        for order in ((1, 2), (2, 1)):
            log = self.maker.Log({2: b"Process", 4: b"Inverse"})
            for s in range(3):
                log.sample((1795500000 + s) * 10**9, [self.maker.object_of(2, [(4, INVERSE, 8)], [
                    ("w:%d" % k, [s * (SECOND_100NS * 5 // 4 if k == 1 else SECOND_100NS * 3 // 4)]) for k in order])])
            rows = long_rows(self.good("export", "-q", "--layout", "long", "--group", "name", log.save(self.path("a.plog"))).out)
            self.assertEqual([(r["Value"], r["Status"]) for r in rows if r["Instance"] == "w"][-2:], [("25", "")] * 2, order)

    def grouped(self):
        facts = {2: struct.pack("<BI", 0, 0) + b"".join(struct.pack("<IBB", i, 255, MEAN) for i in sorted(self.NAMES) if i != 2)}
        log = self.maker.Log({**self.NAMES, 2: b"Process"}, facts=facts)  # whose sums are sums nevertheless
        for s in range(5):
            log.sample((1795500000 + s) * 10**9, [self.maker.object_of(2, self.COUNTERS, [
                ("x:9" if k == 9 else "w:%d" % (k + 1), [n[0] if isinstance(n, tuple) else n * s for n in self.second(k % 9)])
                for k in ((0, 1, 2, 3, 9) if s < 3 else (0, 1))])])
        return log.save(self.path("grouped.plog"))

    def test_means_of_what_has_no_clock(self):
        """What is divided by a base has its mean by the sums of both; differences have none, since a longer time's would differ."""
        names = {2: b"App", 4: b"Share", 6: b"Average", 8: b"Delta", 10: b"Size"}
        counters = [(4, FRACTION, 4), (4, FRACTION_BASE, 4), (6, AVERAGE, 8), (6, AVERAGE_BASE, 4), (8, 0x00400400, 4),
                    (10, LARGE_RAWCOUNT, 8)]
        log = self.made(MEAN, counters, lambda k: ((50 + 50 * k,), (100 + 100 * k,), 100 + 300 * k, 10, 4 + 4 * k, (3 + 4 * k,)),
                        names, 3, b"App")
        found, every = self.values(log), self.values(log, "--every", "2s")
        self.check(found["Share", "_Total"], [50] * 3)
        self.check(found["Average", "_Total"], [55] * 2)  # of 10, 40, 70 and 100
        self.check(found["Size", "_Total"], [9] * 3)
        self.assertNotIn(("Delta", "_Total"), found)
        self.check(every["Share", "_Total"][1:], [50])
        self.check(every["Average", "_Total"], [55])
        self.assertNotIn(("Delta", "_Total"), every)


if __name__ == "__main__":
    harness.main()
