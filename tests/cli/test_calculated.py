#!/usr/bin/env python3
"""export --unwrap32, --cap100 and --pdh-multi, on counters made to need them."""
import os
import struct
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import Case, long_rows

START = 1_795_246_502 * 10**9  # 2026-11-21 07:35:02 UTC
PER_SEC, PER_SEC_8, PERCENT, FRACTION, FRACTION_BASE = 0x10410400, 0x10410500, 0x20410500, 0x20020400, 0x40030403
MULTI, MULTI_INV, MULTI_BASE = 0x22410500, 0x23410500, 0x42030500
LARGE_RAWCOUNT, LARGE_HEX, DOUBLE_RAW = 0x00010100, 0x00000100, 0x00012000
AVERAGE, AVERAGE_BASE = 0x40020500, 0x40030402
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
        try:
            from write_log import Log, object_of
        except OSError:
            self.skipTest("libxxhash.so.0 is not here")
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


class Totals(Case):
    """What a log says is to be added up is added up only if that makes sense."""

    def totals(self, kind, *values):
        try:
            from write_log import Log, object_of
        except OSError:
            self.skipTest("libxxhash.so.0 is not here")
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
        try:
            from write_log import Log, object_of
        except OSError:
            self.skipTest("libxxhash.so.0 is not here")
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


if __name__ == "__main__":
    harness.main()
