#!/usr/bin/env python3
"""Performance Monitor's binary logs (.blg): real ones against another reader, made ones for what those lack."""
import collections
import csv
import glob
import io
import json
import os
import re
import struct
import sys
import unittest
import zipfile

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
import read_blg
import write_blg as w
from harness import Case, long_rows, run
from make_block import make_block, make_object, write_block

DATA = os.environ.get("PERFLOG_DATA", "../shared/data")
WINDOWS_8 = os.path.join(DATA, "blg", "BasicPerfCounters.blg")
BAD_COUNTERS = os.path.join(DATA, "blg", "BadCounterSamples.blg")
VISTA = os.path.join(DATA, "vista")
RATE, BULK, RAWCOUNT, LARGE = 0x10410400, 0x10410500, 0x00010000, 0x00010100
INVERSE_100NS, TIMER_100NS, ELAPSED, TEXT = 0x21510500, 0x20510500, 0x30240500, 0x00000B00
AVERAGE_BULK, RAW_FRACTION, AVERAGE_TIMER = 0x40020500, 0x20020400, 0x30020400
MULTI_100NS, PRECISION = 0x22510500, 0x20570500
NO_MACHINE = 0x800007D0
WILDCARD, OBJECT = 1, 0x10


class Reading(Case):
    def rows(self, log, *args, code=0):
        r = run("export", "-q", "--layout", "long", "--time", "unix", *args, log)
        self.assertEqual(r.code, code, r)
        return long_rows(r.out)

    def column(self, log, counter, instance=None, **how):
        """Values, or the reasons for blanks, of one counter."""
        return [float(row["Value"]) if row["Value"] else row["Status"] for row in self.rows(log, **how)
                if row["Counter"] == counter and instance in (None, row["Instance"])]

    def pdh(self, log, *args):
        r = self.good("export", "-q", "--layout", "pdh", *args, log)
        return list(csv.reader(io.StringIO(r.out, newline=""), strict=True))

    def info(self, log, code=0):
        r = run("info", "--json", log)
        self.assertEqual(r.code, code, r)
        return json.loads(r.out)

    def load(self, *logs, code=0, name="out.plog", args=()):
        r = run("import", *args, *logs, "-o", self.path(name))
        self.assertEqual(r.code, code, r)
        return self.path(name)


def percent_not_idle(older, newer):
    """Windows' order of operations for 0x21510500; below 0 it shows 0."""
    return max(0.0, 100 * (1 - (newer.first - older.first) / (newer.second - older.second)))


# ---- real logs --------------------------------------------------------------------
@unittest.skipUnless(os.path.exists(WINDOWS_8), "%s is not here" % WINDOWS_8)
class Windows8(Reading):
    def test_statistics_are_those_of_performance_monitor(self):
        values = self.column(WINDOWS_8, "% Processor Time", "_Total")
        self.assertEqual(values[0], "first")
        good = values[1:]
        self.assertEqual(["%.3f" % v for v in (min(good), max(good), sum(good) / len(good), good[-1])],
                         ["1.569", "53.908", "11.527", "32.816"])

    def test_its_own_zone_in_each_layout(self):
        """--tz log: eight hours behind UTC, as the clock of that machine stood."""
        for layout in "wide", "long":
            lines = self.good("export", "-q", "--layout", layout, "--tz", "log", WINDOWS_8).out.splitlines()
            self.assertEqual([line.split(",")[0] for line in lines[:2]], ["Time (-08:00)", "2013-02-19 18:50:17.844"])
        self.good("export", "-q", "--layout", "table", "--tz", "log", WINDOWS_8, "-o", self.path("tables"))
        with open(self.path("tables/Processor.csv"), encoding="utf-8") as f:
            self.assertEqual([f.readline().split(",")[0] for _ in range(2)], ["Time (-08:00)", "2013-02-19 18:50:17.844"])
        lines = self.good("export", "-q", "--layout", "pdh", "--tz", "log", WINDOWS_8).out.splitlines()
        self.assertEqual([line.split(",")[0] for line in lines[:2]],
                         ['"(PDH-CSV 4.0) (Pacific Standard Time)(480)"', '"02/19/2013 18:50:17.844"'])
        if os.environ.get("PERFLOG_HAS_XLSX", "1") != "0":
            for layout in "table", "wide", "long":
                book = self.path(layout + ".xlsx")
                self.good("export", "-q", "--layout", layout, "--tz", "log", WINDOWS_8, "-o", book)
                with zipfile.ZipFile(book) as z:
                    sheet = z.read("xl/worksheets/sheet3.xml").decode()
                self.assertIn("Time (-08:00)", sheet)
                self.assertAlmostEqual(float(re.search(r'<c r="A2"[^>]*><v>([^<]*)', sheet)[1]),
                                       41324 + (18 * 3600 + 50 * 60 + 17.844) / 86400, delta=1e-7)

    def test_every_cell(self):
        """The order of the list, local times, and the values of another calculator, as text."""
        samples = list(read_blg.samples(WINDOWS_8))
        rows = self.pdh(WINDOWS_8)
        self.assertEqual(len(rows), 602)
        self.assertEqual(rows[0], ["(PDH-CSV 4.0) (Pacific Standard Time)(480)"] + [
            "%s\\%s(%s)\\%s" % (i.entry.machine, i.entry.object, i.instance, i.entry.counter) for i in samples[0][1]])
        self.assertEqual(rows[1][1:], [" "] * 10)
        self.assertEqual(rows[1][0], "02/19/2013 18:50:17.844")
        for older, newer, row in zip(samples, samples[1:], rows[2:]):
            for a, b, cell in zip(older[1], newer[1], row[1:]):
                n, d = b.first - a.first, b.second - a.second
                if b.entry.type == INVERSE_100NS:
                    want = percent_not_idle(a, b)
                else:
                    want = n / d if d else 0.0
                self.assertEqual(cell, "%.17g" % want)

    def test_commands(self):
        self.assertEqual(len(self.good("list", WINDOWS_8).out.splitlines()), 10)
        about, = self.info(WINDOWS_8)
        self.assertEqual((about["samples"], about["host"], about["checksums"]), (601, "GEORGIS3", False))
        self.assertEqual((about["first"], about["os"]), ("2013-02-20T02:50:17.844Z", "Windows 6.2.9200"))
        self.assertIn("Checksums  none", self.good("info", WINDOWS_8).out)
        self.assertIn("good: 601 samples", self.good("verify", WINDOWS_8).out)
        self.assertIn(",53.90787244289002,", self.good("stats", "--csv", "-c", r"\Processor(_Total)\*", WINDOWS_8).out)
        dump = json.loads(self.good("dump", "--json", "--sample", "601", WINDOWS_8).out)
        self.assertEqual(dump["sample"], 601)
        self.refused(1, "dump", "--sample", "602", WINDOWS_8, says="has 601 samples")

    def test_window_and_cut(self):
        part = ("--from", "2013-02-20T02:55:00", "--to", "2013-02-20T02:56:00")
        whole = self.good("export", "-q", *part, WINDOWS_8).out
        self.assertEqual(whole.count("\n"), 61)
        self.good("cut", "-q", *part, WINDOWS_8, "-o", self.path("cut.plog"))
        self.assertEqual(self.good("export", "-q", *part, self.path("cut.plog")).out, whole)

    def test_import_has_the_same_sheet(self):
        log = self.load(WINDOWS_8)
        for layout in "wide", "long", "pdh":
            self.assertEqual(*(self.good("export", "-q", "--layout", layout, f).out for f in (WINDOWS_8, log)))
        self.assertIn("good", self.good("verify", log).out)

    def test_content_tells_not_the_name(self):
        with open(WINDOWS_8, "rb") as f:
            path = self.write("a.plog", f.read())
        self.assertEqual(self.info(path)[0]["samples"], 601)


@unittest.skipUnless(os.path.exists(BAD_COUNTERS), "%s is not here" % BAD_COUNTERS)

class Windows2003(Reading):
    def test_errors_are_blanks_with_their_reason(self):
        samples = list(read_blg.samples(BAD_COUNTERS))
        for log in BAD_COUNTERS, self.load(BAD_COUNTERS):
            rows = self.rows(log)
            self.assertEqual(len(rows), 275 * 26)
            counts = collections.Counter(row["Status"] for row in rows)
            self.assertEqual(counts["source_error"], 52)
            # what follows an error has nothing to be compared with
            by_host = collections.defaultdict(list)
            for row in rows:
                by_host[row["Host"]].append(row)
            self.assertEqual(len(by_host), 26)
            for k, first in enumerate(samples[0][1]):
                host = by_host[first.entry.machine.strip("\\")]
                for n, ((_, items), row) in enumerate(zip(samples, host)):
                    before = samples[n - 1][1][k] if n else None
                    if items[k].status > 1:
                        self.assertEqual(row["Status"], "source_error")
                    elif not before or before.status > 1:
                        self.assertEqual(row["Status"], "first")
                    elif row["Status"] == "negative":
                        self.assertLess(items[k].first, before.first)
                    else:
                        self.assertEqual(float(row["Value"]), percent_not_idle(before, items[k]))

    def test_machines_share_rows(self):
        for log in BAD_COUNTERS, self.load(BAD_COUNTERS):
            rows = self.pdh(log)
            self.assertEqual((len(rows), len(rows[0])), (276, 27))
            self.assertEqual(rows[0][0], "(PDH-CSV 4.0) (SA Eastern Standard Time)(180)")
            self.assertEqual(len(self.info(log)), 26)

    def test_raw_values_are_kept(self):
        dump = json.loads(self.good("dump", "--json", self.load(BAD_COUNTERS)).out)
        first = next(read_blg.samples(BAD_COUNTERS))[1][0]
        o, = json_objects(dump)
        self.assertIn(str(first.first), json.dumps(o))


def read(path):
    with open(path, "rb") as f:
        return f.read()


def json_objects(tree):
    """Dictionaries of a dump that are objects of the block."""
    if isinstance(tree, dict):
        if "ObjectNameTitleIndex" in tree:
            yield tree
        else:
            for v in tree.values():
                yield from json_objects(v)
    elif isinstance(tree, list):
        for v in tree:
            yield from json_objects(v)


@unittest.skipUnless(os.path.exists(os.path.join(VISTA, "SampleLog.blg")), "no log of Windows Vista in %s" % VISTA)
class Vista(Reading):
    LOG = os.path.join(VISTA, "SampleLog.blg")

    def blocks(self):
        """The 88 blocks, in the order in which the log has them."""
        with open(self.LOG, "rb") as f:
            for kind, _, message in read_blg.messages(f.read()):
                at = 8
                while kind == w.SAMPLE and at + 8 <= len(message):
                    length, = struct.unpack_from("<I", message, at + 4)
                    yield message[at + 8:at + length]
                    at += length

    def test_equals_the_import_of_its_blocks(self):
        files = glob.glob(os.path.join(VISTA, "blocks", "*.bin"))
        blocks = list(self.blocks())
        self.assertEqual(sorted(blocks), sorted(map(read, files)))
        inside = self.load(self.write("blocks.bin", b"".join(blocks)), name="blocks.plog",
                           args=("--titles", os.path.join(VISTA, "titles.tsv")))
        log = self.load(self.LOG)
        for layout in "long", "wide":
            wanted = self.good("export", "-q", "--layout", layout, inside).out
            for f in log, self.LOG:
                self.assertEqual(self.good("export", "-q", "--layout", layout, f).out, wanted)
        for n in range(1, 12):
            a, b = (json.loads(self.good("dump", "--json", "--sample", str(n), f).out) for f in (inside, log))
            self.assertEqual(list(json_objects(a)), list(json_objects(b)))

    def test_names_and_zone(self):
        rows = self.pdh(self.LOG)
        self.assertEqual(rows[0][0], "(PDH-CSV 4.0) (Eastern Daylight Time)(240)")
        self.assertEqual(rows[1][0][:16], "08/14/2007 15:40")
        self.assertIn(r"\\ZACH-PC\Memory\Available MBytes", rows[0])


# ---- made logs ----------------------------------------------------------------------
class Made(Reading):
    """Samples of our own, a second apart, an hour behind UTC; every rule of the format."""
    BIAS = 60
    UTC = w.START + BIAS * 60 * w.SECOND  # of the first sample

    def log(self, entries, samples, **how):
        how.setdefault("zone", w.zone_information(self.BIAS, "Somewhere Standard Time"))
        log = w.Log(**how).message(w.LIST, w.START - 10, w.counter_list(*entries))
        for i, records in enumerate(samples):
            log.message(w.SAMPLE, w.START + i * w.SECOND, w.sample(*records))
        return log

    def save(self, *args, **how):
        return self.log(*args, **how).save(self.path("a.blg"))

    def tick(self, i):
        return 1000 * i + 5000

    def utc(self, i):
        return self.UTC + i * w.SECOND

    def test_types(self):
        """Value, base and clock of each kind of counter; figures by hand."""
        kinds = [("rate", RATE, 1000, lambda i: w.item(7 * i, self.tick(i)), 7.0),
                 ("bulk", BULK, 1000, lambda i: w.item(2**40 * i, self.tick(i)), 2.0**40),
                 ("busy", TIMER_100NS, w.SECOND, lambda i: w.item(w.SECOND // 4 * i, self.utc(i)), 25.0),
                 ("gauge", RAWCOUNT, 1000, lambda i: w.item(42 + i), 43.0),
                 ("mean", AVERAGE_BULK, 1000, lambda i: w.item(30 * i, 4 * i), 7.5),
                 ("part", RAW_FRACTION, 1000, lambda i: w.item(1, 8), 12.5),
                 ("wait", AVERAGE_TIMER, 1000, lambda i: w.item(500 * i, 2 * i), 0.25),
                 ("exact", PRECISION, w.SECOND, lambda i: w.item(w.SECOND // 8 * i, self.utc(i)), 12.5),
                 ("up", ELAPSED, w.SECOND, lambda i: w.item(self.utc(0) - w.SECOND, self.utc(i)), 2.0),
                 ("several", MULTI_100NS, w.SECOND,
                  lambda i: w.item(w.SECOND * i, self.utc(i), components=4), 25.0)]
        log = self.save([w.entry(r"\\pc", "Thing", None, name, kind, base) for name, kind, base, _, _ in kinds],
                        [[make(i) for _, _, _, make, _ in kinds] for i in range(2)])
        for f in log, self.load(log):
            rows = self.pdh(f)
            self.assertEqual(rows[0][1:], [r"\\pc\Thing" + "\\" + k[0] for k in kinds])
            self.assertEqual([float(c) for c in rows[2][1:]], [k[4] for k in kinds])

    def test_zone(self):
        """UTC comes from a clock in the sample, and from the zone's rule where there is none."""
        gauge = [w.entry(r"\\pc", "Thing", None, "g", RAWCOUNT)]
        log = self.save(gauge, [[w.item(1)]])
        self.assertEqual(self.pdh(log)[0][0], "(PDH-CSV 4.0) (Somewhere Standard Time)(60)")
        self.assertEqual(self.rows(log)[0]["Time"], "1600003600.000")
        summer = w.zone_information(300, "@tzres.dll,-112", "@tzres.dll,-111", -60, (0, 11, 0, 1, 2, 0, 0, 0),
                                    (0, 3, 0, 2, 2, 0, 0, 0))
        log = self.save(gauge, [[w.item(1)]], zone=summer)
        self.assertEqual(self.pdh(log)[0][0], "(PDH-CSV 4.0) (Eastern Daylight Time)(240)")
        log = self.save([w.entry(r"\\pc", "Thing", None, "t", TIMER_100NS)],
                        [[w.item(1, w.START - 330 * 60 * w.SECOND + 12345)]], zone=summer)
        self.assertEqual(self.pdh(log)[0][0], "(PDH-CSV 4.0) (Eastern Standard Time)(-330)")
        self.assertEqual(self.pdh(log)[1][0], "09/13/2020 12:26:40.000")

    def test_instances_come_and_go(self):
        """An array's instances are those of the moment; what is not there has no cell."""
        entries = [w.entry(r"\\pc", "Disk", "*", name, kind, 1000, flags=WILDCARD)
                   for name, kind in (("Reads/sec", RATE), ("Free", RAWCOUNT))]
        there = [("a", "b"), ("b",), ("b", "c")]
        samples = [[w.array([(n, 10 * i, self.tick(i)) for n in names]), w.array([(n, i, 0) for n in names])]
                   for i, names in enumerate(there)]
        log = self.save(entries, samples)
        rows = self.pdh(log)
        self.assertEqual(rows[0][1:], [r"\\pc\Disk(%s)\%s" % (n, c) for c in ("Reads/sec", "Free") for n in "abc"])
        self.assertEqual([row[1:] for row in rows[1:]], [[" ", " ", " ", "0", "0", " "], [" ", "10", " ", " ", "1", " "],
                                                        [" ", "10", " ", " ", "2", "2"]])
        self.assertEqual(self.column(log, "Reads/sec", "a"), ["first", "absent"])

    def test_lists_of_instances_that_differ(self):
        """Two counters of one object, one for all instances and one for some: the names are not shifted."""
        entries = [w.entry(r"\\pc", "CPU", "_Total", "busy", TIMER_100NS),
                   w.entry(r"\\pc", "CPU", "*", "idle", TIMER_100NS, flags=WILDCARD),
                   w.entry(r"\\pc", "CPU", "_Total", "idle", TIMER_100NS)]
        samples = [[w.item(3 * i * 10**6, self.utc(i)),
                    w.array([(n, (k + 1) * i * 10**6, self.utc(i)) for k, n in enumerate(("0", "1", "_Total"))]),
                    w.item(3 * i * 10**6, self.utc(i))] for i in range(3)]
        log = self.save(entries, samples)
        for f in log, self.load(log):
            rows = self.pdh(f)
            self.assertEqual(rows[0][1:], [r"\\pc\CPU(_Total)\busy", r"\\pc\CPU(0)\idle", r"\\pc\CPU(1)\idle",
                                           r"\\pc\CPU(_Total)\idle"])
            self.assertEqual([row[1:] for row in rows[2:]], [["30", "10", "20", "30"]] * 2)
            self.assertEqual(self.column(f, "idle", "_Total"), ["first", 30.0, 30.0])
            self.assertEqual(self.good("list", f).out.count("idle"), 3)

    def test_providers_with_clocks_of_their_own(self):
        """Newer providers read the clock a moment later: each value goes by its own."""
        entries = [w.entry(r"\\pc", o, None, "busy%d" % k, TIMER_100NS) for k, o in enumerate(("A", "A", "B"))]
        entries += [w.entry(r"\\pc", "B", None, "rate%d" % k, RATE, base) for k, base in enumerate((1000, 500))]
        samples = [[w.item(10**6 * i, self.utc(i)), w.item(10**6 * i, self.utc(i)),
                    w.item(10**6 * i, self.utc(2 * i) + 77), w.item(8 * i, 1000 * i), w.item(8 * i, 1000 * i)]
                   for i in range(3)]
        rows = self.pdh(self.save(entries, samples))
        self.assertEqual(rows[3][1:], ["10", "10", "5", "8", "4"])
        rows = self.pdh(self.load(self.path("a.blg")))
        self.assertEqual(rows[3][1:], ["10", "10", "5", "8", "4"])

    def test_times_that_no_clock_shows(self):
        """Left out and reported, and the samples beside them are read."""
        entries = [w.entry(r"\\pc", "Disk", "0", "g", RAWCOUNT)]
        for time in 1 << 63, (1 << 63) + 10**16, (1 << 64) - 1, (1 << 63) - 1:
            log = self.log(entries, [[w.item(1)], [w.item(2)]])
            log.message(w.SAMPLE, time, w.sample(w.item(7)))
            with self.subTest(time=time):
                r = run("export", "-q", "--layout", "long", log.save(self.path("a.blg")))
                self.assertEqual(r.code, 2, r)
                self.check_one_line(r, 2, "damaged")
                self.assertEqual([row["Value"] for row in long_rows(r.out)], ["1", "2"])

    def test_error_of_one_counter(self):
        entries = [w.entry(r"\\pc", "Disk", "0", name, kind, 1000) for name, kind in (("r", RATE), ("g", RAWCOUNT))]
        log = self.save(entries, [[w.item(i, self.tick(i), status=NO_MACHINE if i == 2 else i % 2), w.item(i)]
                                  for i in range(5)])
        self.assertEqual(self.column(log, "r"), ["first", 1.0, "source_error", "first", 1.0])
        self.assertEqual(self.column(log, "g"), [0.0, 1.0, 2.0, 3.0, 4.0])

    def test_counters_of_32_bits_wrap(self):
        entries = [w.entry(r"\\pc", "Disk", None, "r", RATE, 1000)]
        log = self.save(entries, [[w.item(v, self.tick(i))] for i, v in enumerate((2**32 - 5, 2))])
        self.assertEqual(self.column(log, "r"), ["first", "negative"])
        rows = self.rows(log, "--unwrap32")
        self.assertEqual((rows[1]["Value"], rows[1]["Status"]), ("7", "wrapped"))

    def test_names(self):
        """Parents, equal instances, other letters, and texts, which raw items cannot hold."""
        entries = [w.entry(r"\\pc", "Thread", "0", "Größe", RAWCOUNT, parent="app", index=2),
                   w.entry(r"\\pc", "Thread", "=1+1", "日本", RAWCOUNT),
                   w.entry(r"\\pc", "Thread", None, "text", TEXT),
                   w.entry(r"\\pc", "Net", "*", "n", RAWCOUNT, flags=WILDCARD)]
        log = self.save(entries, [[w.item(1), w.item(2), w.item(3), w.array([("x", 4, 0), ("x", 5, 0)])]])
        self.assertEqual(self.pdh(log), [
            ["(PDH-CSV 4.0) (Somewhere Standard Time)(60)", r"\\pc\Thread(app/0#2)\Größe", r"\\pc\Thread(=1+1)\日本",
             r"\\pc\Net(x)\n", r"\\pc\Net(x#1)\n"], ["09/13/2020 12:26:40.000", "1", "2", "4", "5"]])
        self.assertIn("1 counters of the list", self.good("info", log).out)

    def test_unknown_type_is_said_to_be(self):
        log = self.save([w.entry(r"\\pc", "X", None, "odd", 0x007A0400)], [[w.item(1)]])
        self.assertEqual(self.column(log, "odd"), ["unsupported"])

    def test_long_lists_and_samples_in_parts(self):
        names = ["counter %04d with a long name" % i for i in range(300)]
        log = self.save([w.entry(r"\\pc", "X", None, n, RAWCOUNT) for n in names],
                        [[w.item(i * 1000 + k) for k in range(300)] for i in range(3)])
        rows = self.pdh(log)
        self.assertEqual(len(rows[0]), 301)
        self.assertEqual(rows[3][1:], [str(2000 + k) for k in range(300)])

    def test_two_lists(self):
        """Before the first sample a list goes on; later it is another one, and everything begins anew."""
        def lists(*counters):
            return w.counter_list(*[w.entry(r"\\pc", "X", None, c, RATE, 1000) for c in counters])
        log = w.Log(zone=w.zone_information(self.BIAS)).message(w.LIST, 1, lists("a")).message(w.LIST, 1, lists("a"))
        log.message(w.LIST, 1, lists("b"))
        for i in range(4):
            if i == 2:
                log.message(w.LIST, 1, lists("b", "c"))
            log.message(w.SAMPLE, w.START + i * w.SECOND, w.sample(w.item(3 * i, self.tick(i)),
                                                                  w.item(5 * i, self.tick(i))))
        path = log.save(self.path("a.blg"))
        self.assertEqual(self.column(path, "a"), ["first", 3.0, "absent"])
        self.assertEqual(self.column(path, "b"), ["first", 5.0, "first", 3.0])
        self.assertEqual(self.column(path, "c"), ["first", 5.0])
        self.assertEqual(self.info(path)[0]["sessions"], 2)

    def test_sums_come_after_what_the_list_has(self):
        """In its order; what a list does not have is in that of a wide sheet."""
        columns = [("Zone", "b", "Hits"), ("Area", "c", "Hits"), ("Area", "a", "Hits"), ("Area", "b", "Hits"), ("Zone", "a", "Hits")]
        entries = [w.entry(r"\\pc", obj, instance, counter, RATE, 1000) for obj, instance, counter in columns]
        path = self.save(entries, [[w.item((k + 1) * i, self.tick(i)) for k in range(len(columns))] for i in range(3)])
        self.assertEqual(self.pdh(path)[0][1:], [r"\\pc\%s(%s)\%s" % c for c in columns])
        self.assertEqual(self.pdh(path, "--top", "1")[0][1:], [
            r"\\pc\Area(b)\Hits", r"\\pc\Zone(a)\Hits", r"\\pc\Zone(_Other)\Hits", r"\\pc\Area(_Other)\Hits"])

    def test_titles_in_any_order(self):
        """The last of an index counts; from the greatest index down takes no longer than up."""
        entries = [w.entry(r"\\pc", "X", None, None, 0x10, 0, flags=OBJECT)]
        block = write_block(make_block(0, [make_object(2, [(44, RAWCOUNT)], {None: [5]})]))
        for order in range(1, 200_000), range(199_999, 0, -1):
            log = w.Log()
            pairs = [(i, "n%d" % i) for i in order]
            log.message(w.TITLES, 1, w.titles(r"\\pc", [(44, "Old"), *pairs, (2, "System"), (44, "Queue"), (0, "no")]))
            log.message(w.LIST, 1, w.counter_list(*entries))
            log.message(w.SAMPLE, w.START, w.sample(w.block(block)))
            path, started = log.save(self.path("a.blg")), os.times().children_user
            self.assertTrue(self.good("list", path).out.endswith("\\System\\Queue\n"))
            self.assertLess(os.times().children_user - started, 2)

    def test_blocks(self):
        """Objects taken one by one become one sample; another start of the machine another session."""
        entries = [w.entry(r"\\pc", "X", None, None, 0x10, 0, flags=OBJECT)] * 2
        log = w.Log(zone=w.zone_information(self.BIAS))
        log.message(w.TITLES, 1, w.titles(r"\\pc", [(1, "1847"), (2, "System"), (44, "Queue"), (4, "Memory")]))
        log.message(w.LIST, 1, w.counter_list(*entries))
        for i in range(4):
            boot = 100 if i < 3 else 0
            block = make_block(i, [make_object(2, [(44, RAWCOUNT), (146, RATE)], {None: [5 + i, 10 * i]})], boot=boot)
            other = make_block(i, [make_object(4, [(44, RAWCOUNT)], {None: [i]})], boot=boot)
            log.message(w.SAMPLE, w.START + i * w.SECOND,
                        w.sample(w.block(write_block(block)), w.block(write_block(other))))
        path = log.save(self.path("a.blg"))
        for f in path, self.load(path):
            rows = self.rows(f)
            self.assertEqual([r["Value"] for r in rows if r["Object"] == "System" and r["Counter"] == "Queue"],
                             ["5", "6", "7", "8"])
            self.assertEqual([r["Value"] for r in rows if r["Object"] == "Memory"], ["0", "1", "2", "3"])
            self.assertEqual(self.column(f, "#146"), ["first", 10.0, 10.0, "first"])
            self.assertEqual(self.info(f)[0]["sessions"], 2)
            self.assertEqual(len(list(json_objects(json.loads(self.good("dump", "--json", f).out)))), 2)

    def test_clock_that_was_set_back(self):
        log = w.Log(zone=w.zone_information(self.BIAS), boot=self.UTC - 1000 * w.SECOND)
        log.message(w.LIST, 1, w.counter_list(w.entry(r"\\pc", "X", None, "g", RAWCOUNT)))
        for i in (0, 1, -5, 2):
            log.message(w.SAMPLE, w.START + i * w.SECOND, w.sample(w.item(i + 10)))
        about, = self.info(log.save(self.path("a.blg")))
        self.assertEqual(about["clock_steps"], 1)
        self.assertEqual(self.column(self.path("a.blg"), "g"), [10.0, 11.0, 5.0, 12.0])

    def test_what_windows_lost_is_reported(self):
        log = self.save([w.entry(r"\\pc", "X", None, "g", RAWCOUNT)], [[w.item(1)]], lost=(3, 1))
        self.assertIn("3 events and 1 buffers", self.good("info", log).out)

    # ---- damage ----

    def test_more_machines_than_are_read(self):
        """Of single counters as of whole blocks it is reported once that those of others are left out."""
        names = ["m%03d" % i for i in range(257)]
        for num, lost in (256, 0), (257, 1):
            items = self.log([w.entry("\\\\" + n, "X", None, "g", RAWCOUNT) for n in names[:num]], [[w.item(1)] * num] * 2)
            blocks = self.log([w.entry("\\\\" + n, "X", None, None, 0x10, 0, flags=OBJECT) for n in names[:num]],
                              [[w.block(write_block(make_block(i, [make_object(2, [(44, RAWCOUNT)], {None: [5]})], host=n)))
                                for n in names[:num]] for i in range(2)])
            for log in items, blocks:
                r = run("verify", log.save(self.path("a.blg")))
                self.assertEqual((r.code, r.out.count("counters of more than 256 machines")), (2 * lost, lost), r)
                about = self.info(self.path("a.blg"), code=2 * lost)
                self.assertEqual([(h["host"], [e["kind"] for e in h["events"]]) for h in about],
                                 [(n, ["damage"] * (lost and n == names[0])) for n in names[:256]])
                self.assertNotIn("no name", run("info", self.path("a.blg")).out)

    def rates(self, num=40, **how):
        """One rate of 1 per second; small buffers, so that there are many."""
        return self.log([w.entry(r"\\pc", "X", None, "r", RATE, 1000)],
                        [[w.item(i, self.tick(i))] for i in range(num)], size=1024, **how)

    def test_lost_buffers_are_a_gap(self):
        log = self.rates()
        path = log.save(self.path("a.blg"))
        self.assertEqual(self.column(path, "r"), ["first"] + [1.0] * 39)
        data = log.data()
        path = self.write("b.blg", data[:4 * 1024] + data[6 * 1024:])
        r = run("verify", path)
        self.assertEqual(r.code, 2, r)
        self.assertIn("records missing: 2", r.out)
        values = self.column(path, "r", code=2)
        self.assertEqual((values.count("gap"), values.count("first")), (1, 1))
        self.assertEqual(set(values), {"gap", "first", 1.0})

    def test_buffers_in_another_order(self):
        """Circular logs begin anywhere; parts whose beginning was overwritten are dropped without a word."""
        data = self.rates(mode=2).data()
        buffers = [data[i:i + 1024] for i in range(0, len(data), 1024)]
        path = self.write("a.blg", b"".join(buffers[:1] + buffers[5:] + buffers[1:5]))
        self.assertEqual(self.column(path, "r"), ["first"] + [1.0] * 39)
        self.assertEqual(self.info(path)[0]["damaged_ranges"], 0)

    def test_damaged_event(self):
        log = self.rates()
        data = bytearray(log.data())
        data[4 * 1024 + 0x48 + 3] = 0  # the mark
        path = self.write("a.blg", bytes(data))
        values = self.column(path, "r", code=2)
        self.assertEqual(set(values), {"first", "damaged", 1.0})
        self.assertIn("no event where one should begin", run("verify", path).out)
        self.assertEqual(run("import", path, "-o", self.path("out.plog")).code, 2)
        self.assertEqual(self.column(self.path("out.plog"), "r"), values)

    def test_lost_part(self):
        log = w.Log(zone=w.zone_information(self.BIAS))
        names = ["%04d" % i for i in range(400)]
        log.message(w.LIST, 1, w.counter_list(*[w.entry(r"\\pc", "X", None, n, RATE, 1000) for n in names]))
        for i in range(4):
            pieces = w.parts_of(w.SAMPLE, w.START + i * w.SECOND,
                                w.sample(*[w.item(i, self.tick(i)) for _ in names]))
            self.assertGreater(len(pieces), 2)
            for k, piece in enumerate(pieces):
                if (i, k) != (1, 1):
                    log.event(piece)
        path = log.save(self.path("a.blg"))
        self.assertEqual(self.column(path, "0399", code=2), ["first", "damaged", 1.0])

    def test_short_sample(self):
        """Of a sample with too few records those that are there count; names are not shifted."""
        entries = [w.entry(r"\\pc", "X", None, n, RAWCOUNT) for n in "ab"]
        samples = [[w.item(i), w.item(10 + i)][:2 - (i == 1)] for i in range(3)]
        path = self.save(entries, samples)
        self.assertEqual(self.column(path, "a", code=2), [0.0, 1.0, 2.0])
        self.assertEqual(self.column(path, "b", code=2), [10.0, "absent", 12.0])

    def test_odd_records(self):
        """A record of an unknown kind, or that contradicts itself, uses up its entry and has no value."""
        entries = [w.entry(r"\\pc", "X", "*", n, RAWCOUNT, flags=WILDCARD) for n in "abcd"]
        good = w.array([("i", 7, 0)])
        many = bytearray(good)
        struct.pack_into("<I", many, 0xC, 1000)
        astray = bytearray(good)
        struct.pack_into("<I", astray, 0x20, 5000)
        path = self.save(entries, [[w.record(9, b"12345678"), bytes(many), bytes(astray), good]])
        rows = self.rows(path, code=2)
        self.assertEqual([(r["Counter"], r["Value"]) for r in rows], [("d", "7")])

    def test_no_list(self):
        log = w.Log().message(w.SAMPLE, w.START, w.sample(w.item(1)))
        path = log.save(self.path("a.blg"))
        r = run("export", path)
        self.assertEqual(r.code, 4, r)
        self.assertIn("without a list", run("verify", path).out)

    def test_cut_file(self):
        data = self.rates().data()
        path = self.write("a.blg", data[:5 * 1024 + 300])
        self.assertIn("the file ends within a buffer", run("verify", path).out)
        values = self.column(path, "r", code=2)
        self.assertEqual(set(values), {"first", 1.0})
        self.assertGreater(len(values), 20)
        path = self.write("b.blg", data[:5 * 1024])
        self.assertIn("not closed", self.good("info", path).out)

    def test_other_files(self):
        self.refused(4, "info", self.write("a.blg", b"x" * 5000), says="")
        self.refused(1, "import", "--titles", self.write("t", b"2\tX\n"), self.save(
            [w.entry(r"\\pc", "X", None, "g", RAWCOUNT)], [[w.item(1)]]), "-o", self.path("o"), says="--titles")

    def test_standard_input(self):
        with open(self.save([w.entry(r"\\pc", "X", None, "g", RAWCOUNT)], [[w.item(1)]]), "rb") as f:
            data = f.read()
        self.good("import", "-q", "-", "-o", self.path("out.plog"), data=data)
        self.assertEqual(self.column(self.path("out.plog"), "g"), [1.0])


if __name__ == "__main__":
    harness.main()
