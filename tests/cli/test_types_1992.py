#!/usr/bin/env python3
"""Every counter type of winperf.h of 1992, in Revision 0 blocks of either byte order.

The numbers were worked out by hand from that file's own words; nothing here is taken from perflog.
"""
import os
import struct
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import Case, long_rows
from write_log import Log

START = 1_795_246_502 * 10**9  # 2026-11-21 07:35:02 UTC
# Both clocks run for a different time, so that a value made with the other one is wrong.
TICKS = (3_000_000, 5_000_000)  # of 1,000,000 a second: 2 seconds
FREQ = 1_000_000
IN_100NS = (116444736000000000, 116444736000000000 + 20_400_000)  # 2.04 seconds
HISTOGRAM = 0x80000000
WHOLE, FIRST_ADDRESS = 240, 42  # title indexes, as 1992 numbered them

# (type, size, older, newer): a counter; one whose expected value is None is a denominator or a label.
COUNTERS = [
    ((1, 4, 100, 700), "300"),
    ((2, 8, 500_000, 1_500_000), "50"),
    ((3, 4, 1, 3_000_001), "1.5"),
    ((3, 8, 2**40, 2**40 + 3_000_000), "1.5"),
    ((4, 8, 5 * 10**9, 5 * 10**9 + 1000), "500"),
    ((5, 8, "old", "new"), "new"),
    ((6, 4, 7, 42), "42"),
    ((6, 8, 7, 2**40), "1099511627776"),
    ((7, 4, 10, 40), "30"), ((11, 4, 100, 200), None),
    ((8, 4, 10, 50), "20"),
    ((9, 0, 0, 0), None),
    ((10, 8, 500_000, 1_000_000), "75"),
    ((12, 8, 1_000_000, 4_000_000), "0.5"), ((13, 4, 2, 8), None),
    ((12, 4, 1_000_000, 4_000_000), "0.5"), ((13, 8, 2, 8), None),
    ((14, 8, 1000, 9000), "500"), ((13, 4, 4, 20), None),
    ((15, 8, 0, 10_200_000), "50"),
    ((16, 8, 0, 5_100_000), "75"),
    ((17, 8, 0, 4_000_000), "50"), ((19, 4, 4, 4), None),
    ((18, 8, 0, 2_000_000), "300"), ((19, 4, 4, 4), None),
    ((20, 8, 0, 40_800_000), "50"), ((19, 8, 4, 4), None),
    ((21, 8, 0, 10_200_000), "150"), ((19, 4, 2, 2), None),
    # timers of several instances needed no denominator then, unless they are inverse
    ((17, 8, 0, 4_000_000), "200"),
    ((20, 8, 0, 40_800_000), "200"),
    # a histogram's first and last counter
    ((HISTOGRAM | 1, 4, 100, 700), "300"),
    ((HISTOGRAM | 7, 4, 10, 40), "30"), ((HISTOGRAM | 11, 4, 100, 200), None),
    # what must have one and has none
    ((18, 8, 0, 2_000_000), ("", "no_base")),
    ((7, 4, 10, 40), ("", "no_base")),
]


def raw(order, size, value):
    if isinstance(value, str):
        return value.encode("utf-16-le" if order == "<" else "utf-16-be").ljust(size, b"\0")
    return value.to_bytes(size, "little" if order == "<" else "big")


def object_of(order, index, sample, instances):
    """Counters stand side by side, at offsets of 4, as the file of 1992 allows."""
    definitions, data = b"", b""
    for i, ((kind, size, *values), _) in enumerate(COUNTERS):
        definitions += struct.pack(order + "10I", 40, 1000 + 2 * i, 0, 0, 0, 0, 100, kind, size, 4 + len(data))
        data += raw(order, size, values[sample])
    block = struct.pack(order + "I", 4 + len(data)) + data
    head = 48 + len(definitions)
    body = block if not instances else b""
    for name in instances:
        text = raw(order, 2 * len(name) + 2, name)
        named = text + bytes(-len(text) % 4)
        body += struct.pack(order + "6I", 24 + len(named), 0, 0, 2**32 - 1, 24, len(text)) + named + block
    return struct.pack(order + "12I", head + len(body), head, 48, index, 0, 0, 0, 100, len(COUNTERS), 0,
                       len(instances), 0) + definitions + body


def block_of(order, sample):
    objects = object_of(order, WHOLE, sample, []) + object_of(order, FIRST_ADDRESS, sample, ["one", "two"])
    name = raw(order, 8, "NT31")
    signature = "PERF".encode("utf-16-le" if order == "<" else "utf-16-be")
    return signature + struct.pack(order + "7I8H4xqqqII", int(order == "<"), 1, 0, 96 + len(objects), 96, 2, 0,
                                   1992, 5, 5, 29, 12, 0, 0, 0, TICKS[sample], FREQ, IN_100NS[sample],
                                   8, 88) + name + objects


class Types(Case):
    def log_of(self, order):
        names = {WHOLE: b"Whole", FIRST_ADDRESS: b"Part"}
        names.update({1000 + 2 * i: b"%02d" % i for i in range(len(COUNTERS))})
        log = Log(names, interval_ns=2 * 10**9)
        for sample in 0, 1:
            log.record(b"SMPL", block_of(order, sample), START + sample * 2 * 10**9)
        return log.save(self.path("1992.plog"))

    def expected(self):
        """What a sheet says of each counter that is to be shown."""
        return {"%02d" % i: value if isinstance(value, tuple) else (value, "")
                for i, (_, value) in enumerate(COUNTERS) if value is not None}

    def values(self, log, *options):
        """{(object, instance): {counter: (value, status)}} at the second sample."""
        found = {}
        rows = long_rows(self.good("export", "--layout", "long", *options, log).out)
        for r in rows:
            if r["Time"] == rows[-1]["Time"]:
                found.setdefault((r["Object"], r["Instance"]), {})[r["Counter"]] = r["Value"], r["Status"]
        return found

    def test_values(self):
        for order in "<", ">":
            with self.subTest(byte_order=order):
                found = self.values(self.log_of(order))
                self.assertEqual(found.keys(), {("Whole", ""), ("Part", "one"), ("Part", "two")})
                for counters in found.values():
                    self.assertEqual(counters, self.expected())

    def test_denominators_are_cut_out_with_their_counters(self):
        for order in "<", ">":
            log, new = self.log_of(order), self.path("cut%d.plog" % ord(order))
            chosen = [r"\Part(*)\%s" % name for name in self.expected()]
            self.good("cut", *[word for path in chosen for word in ("-c", path)], log, "-o", new)
            for counters in self.values(new).values():
                self.assertEqual(counters, self.expected())
            one = self.path("one%d.plog" % ord(order))
            name = next("%02d" % i for i, ((kind, *_), _) in enumerate(COUNTERS) if kind == 7)
            self.good("cut", "-c", r"\Whole\%s" % name, log, "-o", one)
            self.assertEqual(self.values(one), {("Whole", ""): {name: ("30", "")}})


if __name__ == "__main__":
    harness.main()
