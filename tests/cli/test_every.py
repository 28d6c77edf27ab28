#!/usr/bin/env python3
"""export --every: windows worked out by hand, and recomputed from raw values by other code."""
import os
import random
import struct
import subprocess
import sys
import time

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import Case, long_rows, run
import write_log

MINUTE = 29_920_775  # minutes since 1970
START = MINUTE * 60  # 2026-11-21 07:35:00 UTC
S = 10**9
RATE, TIMER, TIMER_INV = 0x10410500, 0x20510500, 0x21510500
MULTI, MULTI_BASE = 0x22510500, 0x42030500
AVERAGE, AVERAGE_BASE = 0x40020500, 0x40030402
FRACTION, FRACTION_BASE, SAMPLES, SAMPLES_BASE = 0x20020400, 0x40030403, 0x20C20400, 0x40030401
PRECISION, PRECISION_BASE = 0x20570500, 0x40030500
GAUGE, HEX, TEXT, ELAPSED, DELTA, QUEUE = 0x00010100, 0x00000000, 0x00000B00, 0x30240500, 0x00400400, 0x00450500

COLUMNS = [("Rate", RATE, 8), ("Timer", TIMER, 8), ("Inverse", TIMER_INV, 8), ("Multi", MULTI, 8),
           (None, MULTI_BASE, 8), ("Average", AVERAGE, 8), (None, AVERAGE_BASE, 4), ("Fraction", FRACTION, 4),
           (None, FRACTION_BASE, 4), ("Samples", SAMPLES, 4), (None, SAMPLES_BASE, 4), ("Gauge", GAUGE, 8), ("Hex", HEX, 4), ("Elapsed", ELAPSED, 8),
           ("Delta", DELTA, 4), ("Queue", QUEUE, 8), ("Precision", PRECISION, 8), (None, PRECISION_BASE, 8)]
INDEX = {name: 4 + 2 * i for i, (name, _, _) in enumerate(COLUMNS) if name}


def counters(*names):
    """Definitions of the counters of these names, with their bases."""
    found = []
    for i, (name, kind, size) in enumerate(COLUMNS):
        if name in names:
            found.append((INDEX[name], kind, size))
            if i + 1 < len(COLUMNS) and COLUMNS[i + 1][0] is None:
                found.append((INDEX[name], *COLUMNS[i + 1][1:]))
    return found


class Golden(Case):
    maxDiff = None

    def setUp(self):
        super().setUp()
        self.maker = write_log

    def log(self, **how):
        names = {2: b"Engine", 100: b"Task", **{i: name.encode() for name, i in INDEX.items()}}
        return self.maker.Log(names, **how)

    def made(self, names, samples, **how):
        """A log of one instance, or of several: samples are (second, values or {instance: values})."""
        log, defs = self.log(**how), counters(*names)
        for second, values in samples:
            each = values if isinstance(values, dict) else {"a": values}
            log.sample(round((START + second) * S),
                       [self.maker.object_of(2, defs, list(each.items()), (round(10**7 * (START + second)), 10**7))])
        return log.save(self.path("%d.plog" % len(os.listdir(self.folder))))

    def windows(self, log, *options, key=lambda r: r["Counter"]):
        """{counter: [(second, value, status)...]} of the long sheet."""
        found = {}
        for r in long_rows(self.good("export", "--layout", "long", "--time", "unix", *options, log).out):
            second = float(r["Time"]) - START
            found.setdefault(key(r), []).append((second, r["Value"], r["Status"]))
        return found

    def only(self, log, *options):
        (found,) = self.windows(log, *options).values()
        return found

    def test_each_class_of_type(self):
        names = [name for name, _, _ in COLUMNS if name and name != "Precision"]
        # per sample: rate, timer, inverse, M-timer, M, sum, events, part, whole, hits, tries, gauge, hex, start, delta, queue
        at = 10**7 * (START - 100)
        rows = [(0, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 10, 1, at, 0, 0),
                (100, 2_000_000, 9_000_000, 5_000_000, 2, 300, 3, 1, 2, 1, 2, 20, 2, at, 5, 10_000_000),
                (100, 7_000_000, 14_000_000, 5_000_000, 2, 300, 3, 1, 2, 1, 2, 40, 3, at, 6, 20_000_000),
                (500, 9_000_000, 16_000_000, 25_000_000, 4, 1300, 13, 8, 10, 8, 10, 90, 0xabc, at, 9,
                 20_000_000)]
        # a sample at 0, 1, 2 and, with a tick missed, 4
        log = self.made(names, list(zip((0, 1, 2, 4), rows)))
        whole = {name: cells[1] for name, cells in self.windows(log, "--every", "4s").items()}
        self.assertEqual(whole, {
            "Rate": (4, "125", ""),  # 500 in 4 s
            "Timer": (4, "22.5", ""),  # 0.9 s of 4
            "Inverse": (4, "60", ""),  # 1.6 s idle of 4; not the mean of pairs 10, 50, 90
            "Multi": (4, "15.625", ""),  # 2.5 s of 4, over the last M, 4
            "Average": (4, "100", ""),  # 1300 in 13, though the pairs say 100, 0 and 100
            "Fraction": (4, "65", ""),  # (50 * 1 s + 50 * 1 s + 80 * 2 s) / 4 s
            "Samples": (4, "80", ""),  # 8 of 10
            "Gauge": (4, "60", ""),  # (20 * 1 s + 40 * 1 s + 90 * 2 s) / 4 s
            "Hex": (4, "0x00000abc", ""),
            "Elapsed": (4, "104", ""),
            "Delta": (4, "9", ""),
            "Queue": (4, "0.5", ""),  # 20,000,000 in 40,000,000
        })

    def test_max_min_last(self):
        # pairs: 10/s, 30/s, 20/s; gauges 5, 9, 7, 2
        log = self.made(["Rate", "Gauge", "Hex"], [(0, (0, 5, 1)), (1, (10, 9, 9)), (2, (40, 7, 3)),
                                                   (3, (60, 2, 7))])
        for way, rate, gauge in (("max", "30", "9"), ("min", "10", "2"), ("last", "20", "2")):
            with self.subTest(way=way):
                found = self.windows(log, "--every", "3s:" + way)
                self.assertEqual([cells[-1][1] for cells in found.values()], [rate, gauge, "0x00000007"])
                self.assertEqual({cells[-1][2] for cells in found.values()}, {""})

    def test_edges(self):
        """The sample at t is the last of (t - T, t], the one at t - T only the older one of its first pair."""
        log = self.made(["Rate", "Gauge"], [(s, (s * s, s)) for s in range(0, 13)])
        found = self.windows(log, "--every", "5s")
        # the first sample, at a multiple of 5 s, is a window of its own
        self.assertEqual(found["Rate"], [(0, "", "first"), (5, "5", ""), (10, "15", ""), (15, "22", "partial")])
        self.assertEqual(found["Gauge"], [(0, "0", "partial"), (5, "3", ""), (10, "8", ""),
                                          (15, "11.5", "partial")])

    def test_windows_are_aligned_to_the_epoch(self):
        log = self.made(["Gauge"], [(s, (s,)) for s in range(1, 15)])
        # 7 s: START is 1,795,246,500 = 7 * 256,463,785 + 5, so windows end at START + 2, 9, 16
        self.assertEqual(START % 7, 5)
        self.assertEqual(self.only(log, "--every", "7s"), [(2, "1.5", "partial"), (9, "6", ""),
                                                           (16, "12", "partial")])

    def test_an_interval_that_does_not_divide_the_window(self):
        log = self.made(["Rate"], [(s, (s,)) for s in range(0, 31, 3)], interval_ns=3 * S)
        # 3, 6, 9 | 12, 15, 18 | 21, 24, 27, 30: every pair counts once, in the window of its newer sample
        self.assertEqual(self.only(log, "--every", "10s"), [(0, "", "first"), (10, "1", ""), (20, "1", ""),
                                                            (30, "1", "")])

    def test_a_window_without_a_sample_makes_no_row(self):
        log = self.made(["Rate", "Gauge"], [(s, (s, s)) for s in (0, 1, 2, 31, 32)])
        self.assertEqual(self.windows(log, "--every", "10s"), {
            "Rate": [(0, "", "first"), (10, "1", "partial"), (40, "1", "partial")],
            # 1, 1 s and 2, 1 s | 31 for the 29 s of its pair, 32 for 1 s
            "Gauge": [(0, "0", "partial"), (10, "1.5", "partial"), (40, "31.033333333333335", "partial")]})

    def test_a_counter_that_fell(self):
        log = self.made(["Rate"], [(0, (0,)), (1, (10,)), (2, (4,)), (3, (10,)), (4, (12,))])
        # 10 and 6 and 2 in four seconds
        self.assertEqual(self.only(log, "--every", "4s"), [(0, "", "first"), (4, "4.5", "partial")])
        self.assertEqual(self.only(log, "--every", "2s"), [(0, "", "first"), (2, "5", "partial"), (4, "4", "")])
        self.assertEqual(self.only(log, "--every", "1s")[2], (2, "", "negative"))

    def test_a_gap(self):
        """Samples that could not be written lie between 2 and 5."""
        log = self.log()
        defs = counters("Rate", "Gauge")
        for s in (0, 1, 2, 5, 6):
            if s == 5:
                times = [(START + 3) * S, (START + 4) * S]
                log.record(b"gaps", struct.pack("<4qIIiI", *times, *times, 2, 3, 28, 0), (START + 5) * S)
            log.sample((START + s) * S, [self.maker.object_of(2, defs, [("a", (s * 10, s))])])
        log = log.save(self.path("a.plog"))
        self.assertEqual(self.windows(log, "--every", "6s"), {
            "Rate": [(0, "", "first"), (6, "10", "partial")],
            # after a gap a gauge weighs one interval: (1 + 2 + 5 + 6) / 4
            "Gauge": [(0, "0", "partial"), (6, "3.5", "partial")]})
        self.assertEqual(self.windows(log, "--every", "3s")["Rate"],
                         [(0, "", "first"), (3, "10", "partial"), (6, "10", "partial")])

    def test_a_restart(self):
        """Two sessions in one window: each counts by itself, and the sheet has one series."""
        data = b""
        for n, (first, base) in enumerate(((0, 1000), (4, 5))):
            log = self.log(session=1 + n)
            for s in range(3):
                log.sample((START + first + s) * S, [self.maker.object_of(
                    2, counters("Rate"), [("a", (base + 20 * s,))])])
            data += log.data
        path = self.write("a.plog", data)
        # 40 in 2 s, nothing in between, 40 in 2 s
        self.assertEqual(self.only(path, "--every", "10s"),
                         [(0, "", "first"), (10, "20", "partial")])

    def test_instances_come_and_go(self):
        here = {s: ["a"] for s in range(0, 11)}
        for s in (3, 4, 5):
            here[s].append("b")  # from 3 to 5: 20 in 2 s of 5
        here[10].append("c")  # one sample
        log = self.made(["Rate", "Gauge"], [(s, {i: (s * 10, s) for i in here[s]}) for s in here])
        found = self.windows(log, "--every", "5s", key=lambda r: (r["Instance"], r["Counter"]))
        self.assertEqual(found, {
            ("a", "Rate"): [(0, "", "first"), (5, "10", ""), (10, "10", "")],
            ("a", "Gauge"): [(0, "0", "partial"), (5, "3", ""), (10, "8", "")],
            ("b", "Rate"): [(5, "4", "partial"), (10, "", "absent")],
            ("b", "Gauge"): [(5, "4", "partial"), (10, "", "absent")],
            ("c", "Rate"): [(10, "", "first")],
            ("c", "Gauge"): [(10, "10", "partial")]})
        # gone within the window it came in: no word of it later
        found = self.windows(log, "--every", "10s", key=lambda r: (r["Instance"], r["Counter"]))
        self.assertEqual(found["b", "Rate"], [(10, "2", "partial")])

    def test_types_of_time_over_a_part_of_the_window(self):
        """b is there from 2 to 4 of 10 s, and busy for one of these."""
        names = ["Rate", "Timer", "Inverse", "Multi", "Average", "Queue", "Precision"]
        second = 10**7
        # rate, timer, inverse, M-timer, M, sum, events, queue, precision and its base
        rows = {2: (0, 0, 0, 0, 2, 0, 0, 0, 0, 0),
                4: (10, second, second, second, 2, 14, 4, second, second, 2 * second)}
        rows[3] = tuple(n // 2 for n in rows[4][:4]) + (2,) + tuple(n // 2 for n in rows[4][5:])
        log = self.made(names, [(s, {"a": (0,) * 4 + (1,) + (0,) * 5, **({"b": rows[s]} if s in rows else {})})
                                for s in range(11)])
        found = self.windows(log, "--every", "10s", key=lambda r: (r["Instance"], r["Counter"]))
        self.assertEqual({name: found["b", name][:1] for name in names}, {
            "Rate": [(10, "1", "partial")],  # 10 in 10 s
            "Timer": [(10, "10", "partial")],  # 1 s of 10
            "Inverse": [(10, "10", "partial")],  # busy for 1 s of 10, not for 9
            "Multi": [(10, "5", "partial")],
            "Average": [(10, "3.5", "partial")],
            "Queue": [(10, "0.5", "partial")],  # a length, not a rate: while it was there
            "Precision": [(10, "10", "partial")]})

    def test_totals_are_made_of_sums(self):
        facts = {2: struct.pack("<BI", 0, 0) + struct.pack("<IBB", INDEX["Rate"], 255, 1) +
                 struct.pack("<IBB", INDEX["Timer"], 255, 2) + struct.pack("<IBB", INDEX["Gauge"], 255, 2)}
        # a is there from 0 to 4, b from 2 to 4
        log = self.made(["Rate", "Timer", "Gauge"],
                        [(s, {**{"a": (10 * s, 10**7 * s, 6)}, **({"b": (100 * s, 0, 9)} if s > 1 else {})})
                         for s in range(5)], facts=facts)
        found = self.windows(log, "--every", "4s", key=lambda r: (r["Instance"], r["Counter"]))
        self.assertEqual({k[1]: v[1] for k, v in found.items() if k[0] == "_Total"}, {
            "Rate": (4, "60", ""),  # 40 + 200 in 4 s
            "Timer": (4, repr(100 * (4 / 6)), ""),  # 4 s of a's 4 and b's 2
            "Gauge": (4, "7.125", "")})  # 6 for 1 s, 7.5 for 3
        # a window that no sample ends is over when the next one begins
        found = self.windows(log, "--every", "1500ms", "-c", r"\Engine(_Total)\Rate")
        self.assertEqual([(t, v) for t, v, _ in found["Rate"]], [(0, ""), (1.5, "10"), (3, "60"), (4.5, "110")])  # b from 2 on

    def test_a_mean_of_members_is_over_their_time(self):
        """a is there from 0 to 4 of 10 s, and never rests; then there is nobody to rest."""
        facts = {2: struct.pack("<BI", 0, 0) + struct.pack("<IBB", INDEX["Timer"], 255, 2)}
        log = self.made(["Timer"], [(s, {"a": (10**7 * s,)} if s < 5 else {}) for s in range(11)], facts=facts)
        found = self.windows(log, "--every", "10s", key=lambda r: r["Instance"])
        self.assertEqual((found["a"][1][1], found["_Total"][1][1]), ("40", "100"))

    def test_each_clock_covers_its_own_time(self):
        """Where the clock of a machine was stepped, its 100 ns clock says nothing, and the other goes on."""
        log, defs = self.log(), counters("Rate", "Timer")
        for s in range(5):
            log.sample((START + s) * S, [self.maker.object_of(2, defs, [("a", (10 * s, 10**7 * s // 2))])],
                       flags=int(s == 2))
        found = self.windows(log.save(self.path("a.plog")), "--every", "4s")
        self.assertEqual({k: v[1] for k, v in found.items()}, {
            "Rate": (4, "10", ""), "Timer": (4, "50", "partial")})  # 1.5 s of 3

    def test_a_constant_is_exact(self):
        log = self.made(["Gauge"], [(s + s % 3 * 0.001, (123456789012345,)) for s in range(8)])
        self.assertEqual({value for _, value, _ in self.only(log, "--every", "4s")}, {"123456789012345"})

    def test_lines_of_an_instance_stand_together(self):
        """Though b comes when the window has begun, it stands with its object, and by counter."""
        log, defs = self.log(), counters("Rate", "Gauge")
        for s in range(1, 5):
            log.sample((START + s) * S, [
                self.maker.object_of(2, defs, [(i, (s, s)) for i in ("ab" if s > 2 else "a")]),
                self.maker.object_of(100, defs[:1], [(None, (s,))])])
        rows = long_rows(self.good("export", "--layout", "long", "--every", "4s", log.save(self.path("a.plog"))).out)
        self.assertEqual([(r["Object"], r["Instance"], r["Counter"]) for r in rows], [
            ("Engine", "a", "Rate"), ("Engine", "a", "Gauge"), ("Engine", "b", "Rate"), ("Engine", "b", "Gauge"),
            ("Task", "", "Rate")])

    def test_clocks_of_two_machines(self):
        """Ticks of one length are not added to those of another: the newer ones count."""
        data = b""
        for n, (first, freq, step) in enumerate(((1, 1000, 10), (5, 4000, 30))):
            log = self.log(session=1 + n)
            for s in range(3):
                log.sample((START + first + s) * S, [self.maker.object_of(
                    2, counters("Rate"), [("a", (step * s,))])], perf_time=freq * (100 + s), perf_freq=freq)
            data += log.data
        self.assertEqual(self.only(self.write("a.plog", data), "--every", "10s"), [(10, "30", "partial")])

    def test_text_takes_the_last(self):
        log = self.log()
        for s, text in enumerate(("one", "two", "tres", "four")):
            letters = int.from_bytes(text.encode("utf-16-le"), "little")
            log.sample((START + s) * S, [self.maker.object_of(2, [(INDEX["Hex"], TEXT, 8)], [("a", (letters,))])])
        self.assertEqual(self.only(log.save(self.path("a.plog")), "--every", "2s"),
                         [(0, "one", "partial"), (2, "tres", ""), (4, "four", "partial")])

    def test_a_number_that_becomes_a_text(self):
        """Its column stays one of numbers; long shows the text, which lives as long as the row."""
        log = self.log()
        for s in range(6):
            kind = GAUGE if s < 3 else TEXT
            log.sample((START + s) * S, [self.maker.object_of(2, [(INDEX["Gauge"], kind, 8)], [("a", (0x410042,))])])
        path = log.save(self.path("a.plog"))
        sheet = self.wide(path, "--every", "3s")
        self.assertEqual([row[1] for row in sheet.rows], ["4259906", "", ""])
        self.good("export", "-q", "--layout", "table", "-o", self.path("d"), "--every", "3s", path)
        with open(self.path("d/Engine.csv")) as f:
            self.assertEqual([line.split(",")[3] for line in f.read().splitlines()], ["Gauge", "4259906", "", ""])
        self.assertEqual([v for _, v, _ in self.only(path, "--every", "3s")], ["4259906", "BA", "BA"])

    def test_states_and_identifiers_have_no_mean(self):
        """Logs of before hold the letter of a state as a number."""
        names = {2: b"Process", 4: b"State", 6: b"Creating Process ID", 8: b"Thread Count", 10: b"Task"}
        log = self.maker.Log(names)
        for s, row in enumerate(((83, 7, 1), (82, 7, 1), (68, 7, 1), (68, 1, 2))):
            log.sample((START + s) * S, [self.maker.object_of(i, [(t, 0x00010000, 4) for t in (4, 6, 8)], [("a", row)])
                                         for i in (2, 10)])
        found = self.windows(log.save(self.path("a.plog")), "--every", "1h",
                             key=lambda r: (r["Object"], r["Counter"]))
        self.assertEqual({k: v[-1][1] for k, v in found.items()}, {
            ("Process", "State"): "68", ("Process", "Creating Process ID"): "1", ("Process", "Thread Count"): "1.25",
            ("Task", "State"): "75.25", ("Task", "Creating Process ID"): "5.5", ("Task", "Thread Count"): "1.25"})

    def test_what_ended_processes_returned_has_no_mean(self):
        """A process that ran for three samples and returned 137; a recorder that was started again."""
        codes = (("Process", "Exit Status"), ("Performance Logger", "ID Process"), ("Network Interface", "Interface Index"),
                 (".NET CLR Memory", "Process ID"), ("Job Object Details", "ID Process"), ("Process Address Space", "ID Process"))
        names = {first + i: pair[k].encode() for first, k in ((2, 0), (20, 1)) for i, pair in enumerate(codes)}
        log = self.maker.Log(names)
        for s, value in enumerate((0, 0, 137)):
            log.sample((START + s) * S, [self.maker.object_of(2 + i, [(20 + i, 0x00010000, 4)], [("a", (value,))])
                                         for i in range(len(codes))])
        found = self.windows(log.save(self.path("a.plog")), "--every", "1h",
                             key=lambda r: (r["Object"], r["Counter"]))
        self.assertEqual({k: v[-1][1] for k, v in found.items()}, dict.fromkeys(codes, "137"))

    def test_days_of_the_zone(self):
        """A sample an hour over the day that has 25 hours in Berlin; the counter counts hours."""
        begin = 1792886400 - 3 * 3600 - START  # 2026-10-24 21:00 UTC, an hour before that day begins
        log = self.made(["Delta"], [(begin + 3600 * h, (h,)) for h in range(0, 30)], interval_ns=3600 * S)
        rows = long_rows(self.good("export", "--layout", "long", "--every", "1d", "--tz", "Europe/Berlin",
                                   log).out)
        self.assertEqual([tuple(r.values())[:2] + (r["Value"], r["Status"]) for r in rows], [
            ("2026-10-25 00:00:00", "+02:00", "1", "partial"),
            ("2026-10-26 00:00:00", "+01:00", "25", ""),
            ("2026-10-27 00:00:00", "+01:00", "3", "partial")])
        hours = self.good("export", "--every", "1h", "--tz", "Europe/Berlin", log).out.splitlines()
        self.assertEqual(len(hours), 31)
        rows = self.only(log, "--every", "1d")
        self.assertEqual([v for _, v, _ in rows], ["3", "24", "2"])

    def test_from_and_to(self):
        """A window that --from or --to cuts is made of what is left of it."""
        log = self.made(["Rate", "Gauge"], [(s, (s * s, s)) for s in range(0, 21)])
        t = lambda s: "@%d" % (START + s)  # noqa: E731
        found = self.windows(log, "--every", "5s", "--from", t(7), "--to", t(17))
        self.assertEqual(found["Rate"], [(10, "17", "partial"), (15, "25", ""), (20, "32", "partial")])
        self.assertEqual(found["Gauge"], [(10, "9", "partial"), (15, "13", ""), (20, "16.5", "partial")])
        found = self.windows(log, "--every", "5s", "--from", t(5), "--to", t(15))
        self.assertEqual(found["Rate"], [(10, "15", ""), (15, "25", "")])

    def test_layouts_agree(self):
        log = self.made(["Rate", "Gauge"], [(s, {"a": (s * s, s), "b": (7 * s, 5)}) for s in range(0, 13)])
        sheet = self.wide(log, "--every", "5s", "--time", "unix")
        self.assertEqual([float(t) - START for t in sheet.times], [0, 5, 10, 15])
        for (instance, counter), cells in self.windows(
                log, "--every", "5s", key=lambda r: (r["Instance"], r["Counter"])).items():
            self.assertEqual(sheet.column(r"(%s)\%s" % (instance, counter)),
                             [float(v) if v else None for _, v, _ in cells])
        pdh = self.good("export", "--layout", "pdh", "--every", "5s", log).out.split("\r\n")
        self.assertEqual(pdh[2], '"11/21/2026 07:35:05.000","5","3","7","5"')

    def test_hosts_share_rows(self):
        """Sampled at other times and intervals, they meet in windows."""
        paths = []
        for host, offset, interval in ((b"web", 0, 1), (b"db", 0.25, 2)):
            log = self.log(host=host, interval_ns=interval * S)
            for i in range(0, 12 // interval):
                log.sample(round((START + offset + i * interval) * S), [self.maker.object_of(
                    2, counters("Rate"), [("a", (i * interval * 3,))])])
            paths.append(log.save(self.path(host.decode() + ".plog")))
        sheet = self.wide(paths[0], paths[1], "--every", "4s", "--time", "unix")
        self.assertEqual([float(t) - START for t in sheet.times], [0, 4, 8, 12])
        self.assertEqual(sheet.column(r"\\web\Engine(a)\Rate"), [None, 3, 3, 3])
        self.assertEqual(sheet.column(r"\\db\Engine(a)\Rate"), [None, 3, 3, 3])

    def test_milliseconds(self):
        log = self.made(["Gauge"], [(s / 4, (s,)) for s in range(9)], interval_ns=S // 4)
        self.assertEqual(self.wide(log, "--every", "1s").times[:2], ["2026-11-21 07:35:00", "2026-11-21 07:35:01"])
        self.assertEqual(self.wide(log, "--every", "500ms").times[1], "2026-11-21 07:35:00.500")

    def test_clock_set_back(self):
        log = self.made(["Gauge"], [(s, (s + 100,)) for s in (0, 1, 2, 3, -58, -57, -56)])
        self.assertEqual([t for t, _, _ in self.only(log, "--every", "2s")], [0, 2, 4, -58, -56])

    def test_wrong_arguments(self):
        log = self.made(["Gauge"], [(s, (s,)) for s in (0, 5)], interval_ns=5 * S)
        for layout in "wide", "long":
            self.refused(1, "export", "--layout", layout, "--every", "1s", "-o", self.path("x.csv"), log,
                         says="give 5s or more")
        for text in "0", "x", "1m:", "1m:mean", "-1s", "":
            self.refused(1, "export", "--every", text, log, says="--every '%s'" % text)


class Recomputed(Case):
    """Random logs against a few lines of Python, which know nothing but the raw values."""

    def setUp(self):
        super().setUp()
        self.maker = write_log

    def test_random_logs(self):
        for seed in range(12):
            with self.subTest(seed=seed):
                self.one(random.Random(seed))

    def one(self, rand):
        names = {2: b"Engine", INDEX["Rate"]: b"Rate", INDEX["Gauge"]: b"Gauge", INDEX["Average"]: b"Average"}
        log = self.maker.Log(names)
        t, samples, state = START, [], {}
        for _ in range(rand.randrange(20, 120)):
            t += rand.choice((1, 1, 1, 2, 9))
            for i in rand.sample("abcd", 2):
                if rand.random() < 0.2:
                    state.pop(i, None)
                else:
                    n, g, total, events = state.get(i, (0, 0, 0, 0))
                    n = 0 if rand.random() < 0.05 else n + rand.randrange(1000)
                    state[i] = n, rand.randrange(100), total + rand.randrange(50), events + rand.randrange(3)
            values = dict(sorted(state.items()))
            samples.append((t, values))
            log.sample(t * S, [self.maker.object_of(2, counters("Rate", "Gauge", "Average"), [
                (i, (n, total, events, g)) for i, (n, g, total, events) in values.items()])])
        path = log.save(self.path("%d.plog" % len(os.listdir(self.folder))))
        every = rand.choice((2, 7, 10, 60, 3600))
        found = {}
        for r in long_rows(self.good("export", "--layout", "long", "--time", "unix", "--every", "%ds" % every,
                                     path).out):
            if r["Status"] != "absent":
                found[round(float(r["Time"])), r["Instance"], r["Counter"]] = r["Value"], r["Status"]
        expected = self.expected(samples, every)
        self.assertEqual(sorted(found), sorted(expected))
        for key, (value, status) in expected.items():
            self.assertEqual(found[key][1], status, key)
            if value is None:
                self.assertEqual(found[key][0], "", key)
            else:
                self.assertAlmostEqual(float(found[key][0]), value, delta=1e-9 * max(1, abs(value)), msg=key)

    def expected(self, samples, every):
        gathered = {}  # (window, instance, counter): [number, weight, begin, until, failed]
        before, was, covered = None, {}, {}
        for t, now in samples:
            end = -(-t // every) * every
            covered[end] = covered.get(end, 0) + (t - before if before else 0)
            for i, (n, g, total, events) in now.items():
                old = was.get(i)
                begin, length = (before, t - before) if old else (t - 1, 1)
                adds = {"Gauge": (g * length, length),
                        "Rate": (n - old[0], length) if old and n >= old[0] else None,
                        "Average": (total - old[2], events - old[3]) if old else None}
                for name, add in adds.items():
                    e = gathered.setdefault((end, i, name), [0, 0, None, None, None])
                    if add is None:
                        e[4] = "negative" if old else "first" if e[4] in (None, "first", "negative") else e[4]
                        continue
                    if e[2] is not None and not old:
                        e[4] = e[4] or "first"
                    e[0], e[1] = e[0] + add[0], e[1] + add[1]
                    e[2] = begin if e[2] is None else e[2]
                    e[3] = t + 1
            for i in was:
                if i not in now and (end, i, "Gauge") in gathered:
                    for name in "Gauge", "Rate", "Average":
                        e = gathered[end, i, name]
                        e[4] = "first" if e[4] == "first" else "absent"
            before, was = t, now
        result = {}
        for (end, i, name), (number, weight, begin, until, failed) in gathered.items():
            if begin is None and failed == "absent":
                continue
            if begin is None:
                result[end, i, name] = None, failed
            else:
                cut = failed or begin > end - every or until <= end
                weight = covered[end] if name == "Rate" else weight
                result[end, i, name] = number / weight if weight else 0, "partial" if cut else ""
        return result

    def test_a_rate_over_the_whole_log(self):
        """One window: (last - first) / time, whatever the rates in between."""
        for seed in range(5):
            rand = random.Random(100 + seed)
            log = self.maker.Log({2: b"Engine", INDEX["Rate"]: b"Rate"})
            t = first_t = START + 1
            n = first_n = rand.randrange(10**12)
            for _ in range(200):
                log.sample(t * S, [self.maker.object_of(2, counters("Rate"), [("a", (n,))])])
                last_t, last_n = t, n
                t, n = t + rand.randrange(1, 5), n + rand.randrange(10**9)
            path = log.save(self.path("%d.plog" % seed))
            rows = long_rows(self.good("export", "--layout", "long", "--every", "1d", path).out)
            self.assertEqual(len(rows), 1)
            self.assertAlmostEqual(float(rows[0]["Value"]) / ((last_n - first_n) / (last_t - first_t)), 1, 12)


class Following(Case):
    def test_a_window_is_written_when_it_is_over(self):
        log = self.path("a.plog")
        recording = harness.Recording(self, log, *harness.SYSTEM, "-i", "100ms")
        recording.wait_for(2)
        p = subprocess.Popen([harness.PROGRAM, "export", "-q", "-f", "--every", "500ms", "--time", "unix",
                              "-c", r"\System\Processes", log], stdout=subprocess.PIPE)
        self.addCleanup(p.communicate)
        self.addCleanup(p.kill)
        p.stdout.readline()
        for _ in range(3):
            label = float(p.stdout.readline().split(b",")[0])
            self.assertGreaterEqual(time.time(), label - 0.02, "written before it was over")
        self.assertIsNone(recording.process.poll())
        recording.end()
        p.stdout.read()
        self.assertEqual(p.wait(harness.TIMEOUT), 0)
        self.assertEqual(run("export", "-q", "-f", "--every", "1s", log).out,
                         run("export", "-q", "--every", "1s", log).out)


if __name__ == "__main__":
    harness.main()
