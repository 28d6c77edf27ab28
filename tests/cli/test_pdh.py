#!/usr/bin/env python3
"""export --layout pdh: the bytes Windows would write, and Windows' own figures from its own data."""
import csv
import io
import os
import random
import struct
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
import read_blg
from harness import Case
from write_log import FILETIME_OF_1970, Log, object_of

DATA = os.environ.get("PERFLOG_DATA", "../shared/data")
WINDOWS_8 = os.path.join(DATA, "blg", "BasicPerfCounters.blg")
START = 1_795_246_502_250_000_000  # 2026-11-21 07:35:02.250 UTC
SECOND = 10**9
PER_SEC, RAWCOUNT, LARGE_RAWCOUNT, DOUBLE, HEX = 0x10410400, 0x00010000, 0x00010100, 0x00012000, 0x00000100
INVERSE_100NS, AVERAGE_BULK, AVERAGE_BASE, QUEUE_100NS = 0x21510500, 0x40020500, 0x40030402, 0x00550500


def bits(v):
    return struct.unpack("<Q", struct.pack("<d", v))[0]


class Sheet(Case):
    def pdh(self, log, *args):
        return self.good("export", "-q", "--layout", "pdh", *args, log).raw_out

    def cells(self, log, *args):
        return list(csv.reader(io.StringIO(self.pdh(log, *args).decode("utf-8"), newline=""), strict=True))

    def small(self, **how):
        """Two samples of Engine(a\"b), its speed a third, and of a gauge without instance."""
        log = Log({2: b"Engine", 4: b"Turns/sec", 6: b"Memory", 8: b"Free", 10: b"Mask"}, interval_ns=0, **how)
        for i, turns in enumerate((0, 7)):
            log.sample(START + 21 * i * SECOND, [
                object_of(2, [(4, PER_SEC, 4)], [('a"b', (turns,))]),
                object_of(6, [(8, LARGE_RAWCOUNT, 8), (10, HEX, 8)], [(None, (2**64 - 1, 5))])])
        return log.save(self.path("small.plog"))


class Bytes(Sheet):
    def test_whole_sheet(self):
        # 7 / 21 = 0.33333333333333331482961625624739..., 2^64 - 1 as a double is 2^64
        self.assertEqual(
            self.pdh(self.small()),
            b'"(PDH-CSV 4.0) (UTC)(0)","\\\\web\\Engine(a""b)\\Turns/sec","\\\\web\\Memory\\Free"\r\n'
            b'"11/21/2026 07:35:02.250"," ","1.8446744073709552e+19"\r\n'
            b'"11/21/2026 07:35:23.250","0.33333333333333331","1.8446744073709552e+19"\r\n')

    def test_file_is_the_same(self):
        log = self.small()
        self.good("export", "--layout=pdh", "-o", self.path("a.csv"), log)
        with open(self.path("a.csv"), "rb") as f:
            self.assertEqual(f.read(), self.pdh(log))

    def test_milliseconds_are_always_there(self):
        log = Log({6: b"Memory", 8: b"Free"})
        log.sample(START - 250_000_000, [object_of(6, [(8, RAWCOUNT, 4)], [(None, (5,))])])
        self.assertEqual(self.cells(log.save(self.path("a.plog")))[1:], [["11/21/2026 07:35:02.000", "5"]])

    def test_odd_names(self):
        names = ['"', '""', 'a,b', 'a;b', 'line\nfeed', 'cr\r', ' blank ', '=1+1', 'Grüße', '日本', 'a/b#1']
        log = Log({2: b"Disk, \"all\"", 4: b"=Reads"})
        log.sample(START, [object_of(2, [(4, RAWCOUNT, 4)], [(n, (i,)) for i, n in enumerate(names)])])
        rows = self.cells(log.save(self.path("a.plog")))
        self.assertEqual(set(rows[0][1:]), {'\\\\web\\Disk, "all"(%s)\\=Reads' % n for n in names})
        self.assertEqual({(h.partition("(")[2].rpartition(")")[0], c) for h, c in zip(rows[0][1:], rows[1][1:])},
                         {(n, str(i)) for i, n in enumerate(names)})
        self.assertEqual(self.pdh(log.save(self.path("a.plog"))).count(b"\r\n"), 2)

    def test_processes_are_summed_up(self):
        """Columns are those of wide: without -c no single processes."""
        log = Log({230: b"Process", 4: b"Size"})
        log.sample(START, [object_of(230, [(4, RAWCOUNT, 4)], [("a", (1,)), ("_Total", (7,))])])
        path = log.save(self.path("a.plog"))
        self.assertEqual(self.cells(path)[0][1:], ["\\\\web\\Process(_Total)\\Size"])
        self.assertEqual(len(self.cells(path, "-c", r"\Process(*)\*")[0]), 3)

    def test_too_many_columns_are_refused(self):
        log = Log({2: b"Disk", 4: b"Size"})
        for num in 16383, 16384:
            log.sample(START + num * SECOND, [object_of(2, [(4, RAWCOUNT, 4)],
                                                        [(str(i), (i,)) for i in range(num)])])
            path = log.save(self.path("%d.plog" % num))
        self.assertEqual(len(self.cells(self.path("16383.plog"))[0]), 16384)
        self.refused(1, "export", "--layout", "pdh", path, says="--wide-anyway")
        self.assertEqual(len(self.cells(path, "--wide-anyway")[1]), 16385)

    def test_other_formats_are_refused(self):
        log = self.small()
        for option in ("--time=iso", "--for=excel", "--precision=3", "--bom", "--decimal-comma"):
            self.refused(1, "export", "--layout", "pdh", option, log, says=option.partition("=")[0])
        self.refused(1, "export", "--zone-name", "X", log, says="--zone-name")


class Numbers(Sheet):
    def doubles(self):
        r = random.Random(5)
        found = [0.1, 1 / 3, 100 / 3, 1e15, 1e16, 1e17, 123456789012345678.0, 1e21, 1e-4, 1e-5, 1e-7, -2.5,
                 5e-324, 1.7976931348623157e308, 0.0, -0.0, 2.0**53 + 2, 88.359340674585567]
        while len(found) < 4000:
            v = struct.unpack("<d", struct.pack("<Q", r.getrandbits(64)))[0]
            if v - v == 0:
                found += [v, r.random() * 100, r.random() * 10**r.randrange(-8, 20)]
        return found

    def test_texts_are_those_of_17g(self):
        values = self.doubles()
        log = Log({2: b"X", 4: b"Double", 6: b"Count"})
        for i in range(0, len(values), 2):
            log.sample(START + i * SECOND, [object_of(2, [(4, DOUBLE, 8), (6, LARGE_RAWCOUNT, 8)], [
                ("a", (bits(values[i]), bits(values[i + 1]))), ("b", (bits(values[i + 1]), i))])])
        path = log.save(self.path("a.plog"))
        rows = self.cells(path)[1:]
        self.assertEqual(len(rows), len(values) // 2)
        for i, row in zip(range(0, len(values), 2), rows):
            self.assertEqual(row[1:], ["%.17g" % v for v in (
                values[i], bits(values[i + 1]), values[i + 1], i)])
        with self.subTest("the doubles of wide"):
            wide = list(csv.reader(io.StringIO(self.good("export", "-q", path).out)))
            self.assertEqual([[float(c) for c in row[1:]] for row in rows],
                             [[float(c) for c in row[1:]] for row in wide[1:]])

    def test_recorded_log_has_the_doubles_of_wide(self):
        log = self.record(self.path("r.plog"), "-i", "100ms", "-n", "4")
        wide = list(csv.reader(io.StringIO(self.good("export", "-q", log).out)))
        pdh = self.cells(log)
        self.assertEqual(pdh[0][1:], wide[0][1:])
        self.assertEqual(len(pdh), 5)
        self.assertEqual([[float(c) if c != " " else None for c in row[1:]] for row in pdh[1:]],
                         [[float(c) if c else None for c in row[1:]] for row in wide[1:]])
        for row in pdh[1:]:
            for cell in row[1:]:
                self.assertEqual(cell, "%.17g" % float(cell) if cell != " " else " ")


class Zones(Sheet):
    """The zone cell tells how many minutes to add to the times to have UTC."""

    def check(self, log, cell, time, *args):
        rows = self.cells(log, *args)
        self.assertEqual((rows[0][0], rows[1][0]), ("(PDH-CSV 4.0) " + cell, time))

    def test_recording(self):
        """The zone of a machine that recorded itself is no import's."""
        log = self.small(zone=(60, b"Europe/Berlin"))
        self.check(log, "(UTC)(0)", "11/21/2026 07:35:02.250")
        self.check(log, "(Europe/Berlin)(-60)", "11/21/2026 08:35:02.250", "--tz", "Europe/Berlin")
        self.check(log, "(-03:30)(210)", "11/21/2026 04:05:02.250", "--tz", "-03:30")
        self.check(log, "(Coordinated)(0)", "11/21/2026 07:35:02.250", "--zone-name", "Coordinated")

    def test_import(self):
        log = self.small(zone=(-480, b"Pacific Standard Time"), source=b"x.blg")
        self.check(log, "(Pacific Standard Time)(480)", "11/20/2026 23:35:02.250")
        self.check(log, "(UTC)(0)", "11/21/2026 07:35:02.250", "--tz", "UTC")
        self.check(log, "(PST)(480)", "11/20/2026 23:35:02.250", "--zone-name", "PST")
        with self.subTest("the window is read in that zone"):
            self.assertEqual([r[0] for r in self.cells(log, "--from", "2026-11-20T23:35:03")[1:]],
                             ["11/20/2026 23:35:23.250"])
        with self.subTest("other layouts stay with UTC"):
            self.assertIn("2026-11-21 07:35:02.250", self.good("export", log).out)

    def test_half_hours_and_no_zone(self):
        self.check(self.small(zone=(330, b"India Standard Time"), source=b"x.blg"),
                   "(India Standard Time)(-330)", "11/21/2026 13:05:02.250")
        self.check(self.small(source=b"x.blg"), "(UTC)(0)", "11/21/2026 07:35:02.250")
        for nonsense in (1440, -1440, 2**31 - 1, -2**31):
            self.check(self.small(zone=(nonsense, b"Nowhere"), source=b"x.blg"), "(UTC)(0)",
                       "11/21/2026 07:35:02.250")

    def test_offset_that_changes_is_reported(self):
        log = Log({6: b"Memory", 8: b"Free"})
        for utc in (1774745998, 1774746002):  # around Berlin's summer of 2026
            log.sample(utc * SECOND, [object_of(6, [(8, RAWCOUNT, 4)], [(None, (5,))])])
        path = log.save(self.path("a.plog"))
        r = self.good("export", "--layout", "pdh", "--tz", "Europe/Berlin", path)
        self.assertIn("changes", r.err)
        self.assertIn('"(PDH-CSV 4.0) (Europe/Berlin)(-60)"', r.out)
        self.assertNotIn("UTC Offset", r.out)
        self.assertEqual(self.good("export", "--layout", "pdh", path).err, "")


class Windows(Sheet):
    """A log that Windows 8 wrote: 601 samples of 10 series, and what Windows showed of them."""
    BASED = {AVERAGE_BULK: AVERAGE_BASE}

    def setUp(self):
        super().setUp()
        if not os.path.exists(WINDOWS_8):
            self.skipTest("%s is not here" % WINDOWS_8)
        self.samples = [(time, {("\\\\%s\\%s(%s)\\%s" % (i.entry.machine.strip("\\"), i.entry.object, i.instance,
                                                         i.entry.counter)): i for i in items})
                        for time, items in read_blg.samples(WINDOWS_8)]
        rows = self.cells(self.convert())
        self.first_cell, self.times = rows[0][0], [row[0] for row in rows[1:]]
        self.columns = {name: [row[1 + k] for row in rows[1:]] for k, name in enumerate(rows[0][1:])}

    def convert(self):
        """The same raw values as blocks; the clock of the log is eight hours behind UTC."""
        names, index = {}, {}
        for name in sorted({n for i in self.samples[0][1].values() for n in (i.entry.object, i.entry.counter)}):
            index[name] = 2 * len(index) + 2
            names[index[name]] = name.encode()
        log = Log(names, host=b"GEORGIS3", interval_ns=0, zone=(-480, b"Pacific Standard Time"), source=b"b.blg")
        for time, items in self.samples:
            objects, clock = {}, 0
            for i in items.values():
                counters, instances = objects.setdefault(i.entry.object, ({}, {}))
                title = index[i.entry.counter]
                counters[(title, i.entry.type, 8)] = None
                values = instances.setdefault(i.instance, [])
                values.append(i.first)
                if i.entry.type in self.BASED:
                    counters[(title, self.BASED[i.entry.type], 8)] = None
                    values.append(i.second)
                else:
                    clock = i.second
            log.sample((time - FILETIME_OF_1970) * 100 + 480 * 60 * SECOND,
                       [object_of(index[name], list(counters), list(instances.items()))
                        for name, (counters, instances) in objects.items()], time_100ns=clock)
        return log.save(self.path("w8.plog"))

    @staticmethod
    def value(older, newer):
        """Windows' order of operations."""
        n, d = newer.first - older.first, newer.second - older.second
        if newer.entry.type == INVERSE_100NS:
            return max(100 * (1 - n / d), 0.0)
        return n / d if d else 0.0

    def test_every_cell(self):
        self.assertEqual(set(self.columns), set(self.samples[0][1]))
        self.assertEqual({i.entry.type for i in self.samples[0][1].values()},
                         {INVERSE_100NS, AVERAGE_BULK, QUEUE_100NS})
        for name, cells in self.columns.items():
            self.assertEqual(cells, [" "] + ["%.17g" % self.value(a[name], b[name]) for (_, a), (_, b)
                                             in zip(self.samples, self.samples[1:])], name)

    def test_what_windows_printed(self):
        cells = self.columns["\\\\GEORGIS3\\Processor(_Total)\\% Processor Time"]
        self.assertEqual(["%.15g" % float(cells[k]) for k in (1, 4)], ["9.37826238255423", "3.1283808195094"])
        values = [float(c) for c in cells[1:]]
        self.assertEqual(["%.3f" % v for v in (min(values), max(values), sum(values) / len(values), values[-1])],
                         ["1.569", "53.908", "11.527", "32.816"])

    def test_times_are_local_as_windows_has_them(self):
        self.assertEqual(self.first_cell, "(PDH-CSV 4.0) (Pacific Standard Time)(480)")
        for text, (time, _) in zip(self.times, self.samples):
            ms = (time - FILETIME_OF_1970) // 10_000
            self.assertEqual(text[11:], "%02d:%02d:%02d.%03d" % (
                ms // 3_600_000 % 24, ms // 60_000 % 60, ms // 1000 % 60, ms % 1000))


if __name__ == "__main__":
    harness.main()
