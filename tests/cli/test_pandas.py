#!/usr/bin/env python3
"""What pandas makes of sheets: times, numbers and blanks, to the last digit what csv and libcsv read."""
import csv
import ctypes
import datetime
import io
import math
import os
import subprocess
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import Case

DEBIANS = "/usr/bin/python3"  # which has pandas where another Python comes first
try:
    import pandas
except ImportError:
    pandas = None

START = 1_795_246_500
RATE, GAUGE, AVERAGE, AVERAGE_BASE = 0x10410500, 0x00010100, 0x40020500, 0x40030402
# Words that readers take for "nothing", formulas, and letters that must be quoted.
NAMES = ["NA", "nan", "null", "=1+1", 'a,"b"', "two\nlines", "é", "1", "True"]
BLANKS = {"keep_default_na": False, "na_values": [""]}  # no name is one


def by_libcsv(data):
    """Rows as libcsv's strict parser has them."""
    library = ctypes.CDLL("libcsv.so.3")
    rows, row = [], []
    cell_type = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p)
    row_type = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_void_p)

    def end_row(_, __):
        rows.append(row.copy())
        row.clear()
    on_cell = cell_type(lambda p, n, _: row.append(ctypes.string_at(p, n).decode()))
    on_row = row_type(end_row)
    parser = ctypes.create_string_buffer(1024)  # more than a struct csv_parser
    library.csv_init(parser, ctypes.c_ubyte(1))
    library.csv_parse.restype = ctypes.c_size_t
    done = library.csv_parse(parser, data, ctypes.c_size_t(len(data)), on_cell, on_row, None)
    library.csv_fini(parser, on_cell, on_row, None)
    library.csv_free(parser)
    if done != len(data):
        raise AssertionError("libcsv refuses the sheet at byte %d" % done)
    return rows


class Sheets(Case):
    def both(self, data):
        """Rows of the csv module, which are those of libcsv."""
        rows = list(csv.reader(io.StringIO(data.decode(), newline="")))
        self.assertEqual(rows, by_libcsv(data))
        return rows

    def export(self, log, *args):
        return self.good("export", "-q", "--for", "pandas", *args, log).raw_out

    def frame(self, data, **how):
        how = {"parse_dates": [0], "float_precision": "round_trip", **BLANKS, **how}
        return pandas.read_csv(io.BytesIO(data), **how)

    def check_times(self, column, cells):
        self.assertEqual(str(column.dtype), "datetime64[ns]")
        self.assertEqual([t.to_pydatetime() for t in column], [datetime.datetime.fromisoformat(c) for c in cells])

    def check_numbers(self, column, cells):
        self.assertIn(column.dtype.kind, "iuf", column.name)
        for value, cell in zip(column, cells):
            if not cell:
                self.assertTrue(math.isnan(value), (column.name, value))
            elif column.dtype.kind in "iu":
                self.assertEqual(int(value), int(cell), column.name)
            else:
                self.assertEqual(value, float(cell), column.name)

    def wide(self, log, *args):
        data = self.export(log, *args)
        rows, frame = self.both(data), self.frame(data)
        self.assertEqual(list(frame.columns), rows[0])
        self.assertEqual(len(frame), len(rows) - 1)
        self.check_times(frame.iloc[:, 0], [row[0] for row in rows[1:]])
        for i in range(1, len(rows[0])):
            self.check_numbers(frame.iloc[:, i], [row[i] for row in rows[1:]])
        return frame.set_index(frame.columns[0])

    def long(self, log, *args):
        """With numbers alone, which -c has to choose."""
        data = self.export(log, "--layout", "long", *args)
        rows, frame = self.both(data), self.frame(data)
        self.assertEqual(list(frame.columns), rows[0])
        self.check_times(frame.iloc[:, 0], [row[0] for row in rows[1:]])
        self.check_numbers(frame["Value"], [row[5] for row in rows[1:]])
        for i in 1, 2, 3, 4, 6:
            self.assertEqual(list(frame.iloc[:, i].fillna("")), [row[i] for row in rows[1:]])
        return frame

    def table(self, log, *args):
        """{object: its sheet}"""
        folder, sheets = self.path("sheets"), {}
        self.good("export", "-q", "--for", "pandas", "--layout", "table", "-o", folder, *args, log)
        for name in os.listdir(folder):
            with open(os.path.join(folder, name), "rb") as f:
                data = f.read()
            rows, frame = self.both(data), self.frame(data)
            self.assertEqual(list(frame.columns), rows[0])
            self.check_times(frame.iloc[:, 0], [row[0] for row in rows[1:]])
            self.assertEqual(list(frame["Instance"].fillna("")), [row[2] for row in rows[1:]])
            for i in range(3, len(rows[0])):
                self.check_numbers(frame.iloc[:, i], [row[i] for row in rows[1:]])
            sheets[name[:-len(".csv")]] = frame
        return sheets

    def pdh(self, log, *args):
        """Windows' own form, whose blanks are a space."""
        data = self.good("export", "-q", "--layout", "pdh", *args, log).raw_out
        rows, frame = self.both(data), self.frame(data, na_values=[" "])
        self.assertEqual(list(frame.columns), rows[0])
        self.assertEqual([t.strftime("%m/%d/%Y %H:%M:%S.%f")[:-3] for t in frame.iloc[:, 0]],
                         [row[0] for row in rows[1:]])
        for i in range(1, len(rows[0])):
            self.check_numbers(frame.iloc[:, i], [row[i].strip() for row in rows[1:]])
        return frame.set_index(frame.columns[0])

    def path_of(self, host, name, instance, counter):
        return "\\\\%s\\%s%s\\%s" % (host, name, "(%s)" % instance if instance else "", counter)

    def same(self, a, b, what):
        """Two columns of numbers and blanks."""
        self.assertEqual(len(a), len(b), what)
        for x, y in zip(a, b):
            self.assertTrue(float(x) == float(y) or math.isnan(x) and math.isnan(y), (what, x, y))

    def agree(self, log, *args):
        """One number has one value in all layouts, in a workbook, and in statistics."""
        wide, long, pdh = self.wide(log, *args), self.long(log, *args), self.pdh(log, *args)
        self.assertGreater(wide.size, 0)
        self.assertEqual(list(wide.columns), list(pdh.columns))
        long["path"] = [self.path_of(*row) for row in
                        zip(long["Host"], long["Object"], long["Instance"].fillna(""), long["Counter"])]
        turned = long.pivot(index=long.columns[0], columns="path", values="Value")
        sheets = self.table(log, *args)
        statistics = self.statistics(log, *args)
        for path in wide.columns:
            self.same(wide[path], pdh[path], path)
            self.same(wide[path], turned[path].reindex(wide.index), path)
            self.check_statistics(wide[path], statistics[path])
        self.same_as_table(wide, sheets)
        self.same_as_workbook(wide, log, *args)

    def same_as_table(self, wide, sheets):
        found = 0
        for name, sheet in sheets.items():
            for counter in sheet.columns[3:]:
                for instance, part in sheet.groupby(sheet["Instance"].fillna("")):
                    path = self.path_of(part["Host"].iloc[0], name, instance, counter)
                    column = part.set_index(part.columns[0])[counter].reindex(wide.index)
                    if path in wide.columns:
                        self.same(wide[path], column, path)
                        found += 1
                    else:
                        self.assertEqual(column.count(), 0, path)
        self.assertEqual(found, len(wide.columns))

    def statistics(self, log, *args):
        data = self.good("stats", "-q", "--csv", *args, log).raw_out
        frame = pandas.read_csv(io.BytesIO(data), float_precision="round_trip", **BLANKS)
        names = frame["Instance"].fillna("").str.replace("^'(?==)", "", regex=True)  # always guarded
        return {self.path_of(r["Host"], r["Object"], name, r["Counter"]): r
                for name, (_, r) in zip(names, frame.iterrows())}

    def check_statistics(self, column, row):
        self.assertEqual(column.count(), row["Values"], column.name)
        if column.count():
            self.assertEqual((column.min(), column.max()), (row["Min"], row["Max"]), column.name)

    def same_as_workbook(self, wide, log, *args):
        """Numbers of a workbook have 16 digits."""
        try:
            import openpyxl  # pylint: disable=unused-import
        except ImportError:
            print("no openpyxl: workbooks are not read; install python3-openpyxl", file=sys.stderr)
            return
        if os.environ.get("PERFLOG_HAS_XLSX", "1") in ("0", "OFF", ""):
            return
        book = self.path("book.xlsx")
        self.good("export", "-q", "--xlsx", "--layout", "wide", *args, "-o", book, log)
        sheets = pandas.read_excel(book, sheet_name=None, engine="openpyxl", **BLANKS)
        found = 0
        for name, sheet in sheets.items():
            if name in ("Summary", "Charts", "Chart Data"):
                continue
            self.assertEqual(sheet.iloc[:, 0].dt.round("ms").tolist(), wide.index.tolist(), name)
            for path in sheet.columns[1:]:
                if "-c" not in args and "\\Process(" in path and path not in wide:
                    continue  # one of the busiest
                found += 1
                for x, y in zip(wide[path.replace("_x005F", "")], sheet[path]):
                    self.assertTrue(math.isnan(x) and math.isnan(y) or math.isclose(x, y, rel_tol=1e-15), (path, x, y))
        self.assertEqual(found, len(wide.columns))


class ByHand(Sheets):
    def made(self, names=NAMES):
        from write_log import Log, object_of
        counters = [(4, RATE, 8), (6, GAUGE, 8), (8, AVERAGE, 8), (10, AVERAGE_BASE, 8)]
        log = Log({2: b"Tank", 4: b"Drops/sec", 6: b"Level", 8: b"Avg. Drop", 12: b"All", 14: b"Count"})
        for s in range(7):
            # The last one comes late and goes early; numbers with many digits, and with few.
            there = [(n, ((k + 1) * s * s * 10**15 // 7, 2**53 + 2 * k if s % 2 else k, s * (k + 3), s * 7))
                     for k, n in enumerate(names) if n != names[-1] or 2 <= s < 5]
            log.sample((START + s) * 10**9, [object_of(2, counters, there),
                                             object_of(12, [(14, GAUGE, 8)], [(None, (2**64 - 1 - s,))])])
        return log.save(self.path("made.plog"))

    def test_layouts_agree(self):
        self.agree(self.made([n for n in NAMES if "\n" not in n]))

    def test_names(self):
        log = self.made()
        self.assertEqual(set(self.long(log, "-c", "Tank")["Instance"]), set(NAMES))
        sheets = self.table(log)
        self.assertEqual(set(sheets["Tank"]["Instance"]), set(NAMES))
        self.assertTrue(sheets["All"]["Instance"].isna().all(), "an object without instances has none")

    def test_whole_numbers_stay_whole(self):
        column = self.wide(self.made(), "-c", r"\All\Count")[r"\\web\All\Count"]
        self.assertEqual(str(column.dtype), "uint64")
        self.assertEqual(list(column), [2**64 - 1 - s for s in range(7)])

    def test_windows_and_zones(self):
        log = self.made(["a", "b"])
        for options in ("--every", "3s"), ("--every", "2s:max"), ("--tz", "+05:30"), ("--from", "@%d" % (START + 3)):
            with self.subTest(options=options):
                self.wide(log, "-c", "Tank", *options)
                self.long(log, "-c", "Tank", *options)

    def test_time_as_numbers(self):
        frame = self.frame(self.export(self.made(), "--time", "unix", "-c", "All"), parse_dates=False)
        times = pandas.to_datetime(frame.iloc[:, 0], unit="s")
        self.assertEqual([t.timestamp() for t in times], [START + s for s in range(7)])


class Recorded(Sheets):
    def test_real_log(self):
        log = self.record(self.path("a.plog"), "-i", "100ms", "-n", "8")
        self.agree(log, "-c", "System", "-c", "Processor", "-c", "Memory", "-c", r"\PhysicalDisk(*)\Disk*",
                   "-c", r"\PhysicalDisk(*)\Avg*", "-c", r"\Process(_Total)\*")

    def test_hexadecimal_numbers_and_letters_among_the_values(self):
        """As the manual has it."""
        log = self.record(self.path("a.plog"), "-i", "100ms", "-n", "3")
        data = self.export(log, "--layout", "long", "-c", "Process")
        rows, frame = self.both(data), self.frame(data)
        self.assertEqual(frame["Value"].dtype.kind, "O")
        column = frame["Value"].mask(frame["Value"].str.match("0x|[A-Za-z]", na=False)).astype(float)
        letters = {row[5] for row in rows[1:] if row[4] == "State"}
        self.assertIn("S", letters)
        no_number = lambda row: row[5].startswith("0x") or row[4] == "State"  # noqa: E731
        self.check_numbers(column, ["" if no_number(row) else row[5] for row in rows[1:]])


def elsewhere():
    """The environment variable keeps Debian's Python from asking itself."""
    if sys.executable != DEBIANS and os.access(DEBIANS, os.X_OK) and not os.environ.get("PERFLOG_PANDAS") and \
            not subprocess.run([DEBIANS, "-c", "import pandas"], stderr=subprocess.DEVNULL, check=False).returncode:
        os.environ["PERFLOG_PANDAS"] = "1"
        os.execv(DEBIANS, [DEBIANS, *sys.argv])


if __name__ == "__main__":
    if not pandas:
        elsewhere()
        print("no pandas here; install the package python3-pandas to test sheets in it", file=sys.stderr)
        sys.exit(harness.SKIP)
    harness.main()
