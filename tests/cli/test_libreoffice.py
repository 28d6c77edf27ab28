#!/usr/bin/env python3
"""LibreOffice opens our sheets as meant: dates are dates, numbers numbers, names no formulas.

Skipped where soffice is not installed (Debian: libreoffice-calc-nogui).
"""
import csv
import io
import itertools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ET

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import Case, Recording
from write_log import Log, object_of

SOFFICE = shutil.which("soffice") or shutil.which("libreoffice")
TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
COMMA_QUOTE_UTF8 = "CSV:44,34,76"
SEMICOLON_GERMAN = "CSV:59,34,76,1,,1031"


PROFILE = []  # one for all, as it takes long to make


def setUpModule():
    folder = tempfile.mkdtemp(prefix="perflog-libreoffice-")
    unittest.addModuleCleanup(shutil.rmtree, folder, ignore_errors=True)
    PROFILE.append("-env:UserInstallation=" + pathlib.Path(folder).as_uri())


class Cell:
    def __init__(self, e):
        self.type = e.get(OFFICE + "value-type")  # None: empty
        self.value = e.get(OFFICE + "date-value") or e.get(OFFICE + "value")
        self.formula = e.get(TABLE + "formula")
        self.text = "\n".join("".join(p.itertext()) for p in e.iter(TEXT + "p"))


def cells_of(path):
    """Rows of cells of the first sheet, without empty rows and cells at the ends."""
    return rows_in(ET.parse(path).getroot())


def rows_in(element):
    rows = []
    for row in element.iter(TABLE + "table-row"):
        cells = []
        for e in row:
            cells += [Cell(e)] * int(e.get(TABLE + "number-columns-repeated", 1))
        while cells and not cells[-1].type:
            cells.pop()
        if cells:
            rows += [cells] * int(row.get(TABLE + "number-rows-repeated", 1))
    return rows


class Empty:
    type = None


class Checks(unittest.TestCase):
    def check_numbers(self, text, cells):
        for column, (t, c) in enumerate(zip(text, cells)):
            if t:
                self.assertEqual((c.type, c.formula), ("float", None), "column %d: %s" % (column, t))
                self.assertAlmostEqual(float(c.value), float(t), delta=abs(float(t)) * 1e-14)
            else:
                self.assertIsNone(c.type)
        self.assertFalse(any(text[len(cells):]), "columns are missing")


class LibreOffice(Checks):
    @classmethod
    def setUpClass(cls):
        case = Case("setUp")
        case.setUp()
        cls.addClassCleanup(case.doCleanups)
        log = case.path("a.plog")
        recording = Recording(case, log, "-i", "1s")
        recording.wait_for(1)
        with harness.process_named("=1+1") as pid:
            recording.wait_for_more(3)
        if recording.end().code:
            raise AssertionError("the recording failed")
        quick = case.record(case.path("quick.plog"), "-i", "250ms", "-n", "4")
        cls.formula = "=1+1:%d" % pid
        cls.sheets = {
            "iso": case.good("export", "-q", "--time", "iso", log).out,
            "quick": case.good("export", "-q", "--time", "iso", quick).out,
            "quick space": case.good("export", "-q", quick).out,
            "space": case.good("export", "-q", log).out,
            "serial": case.good("export", "-q", "--time", "serial", log).out,
            "for": case.good("export", "-q", "--for", "libreoffice", quick).out,
            "bom": case.good("export", "-q", "--for", "libreoffice", "--bom", log).out,
            # Every name, and every counter of the one whose name is a formula.
            "long": case.good("export", "--layout", "long", "--time", "iso", "-c", r"\Process(*)\State",
                              "-c", r"\Process(=1+1*)\*", log).out,
        }
        for name, sheet in cls.sheets.items():
            case.write(name + ".csv", sheet.encode("utf-8", "surrogateescape"))
        cls.german = case.good("export", "-q", "--for", "libreoffice", "--decimal-comma", quick).out
        case.write("german.csv", cls.german.encode("utf-8", "surrogateescape"))
        cls.tables = cls.convert(case, COMMA_QUOTE_UTF8, cls.sheets)
        cls.tables.update(cls.convert(case, SEMICOLON_GERMAN, ["german"]))

    @classmethod
    def convert(cls, case, how, names):
        done = subprocess.run(
            [SOFFICE, "--headless", "--norestore", PROFILE[0],
             "--infilter=" + how, "--convert-to", "fods", "--outdir", case.folder,
             *(case.path(name + ".csv") for name in names)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env=dict(os.environ, LC_ALL="en_US.UTF-8", HOME=case.folder), timeout=4 * harness.TIMEOUT)
        missing = [n for n in names if not os.path.exists(case.path(n + ".fods"))]
        if missing:
            raise AssertionError("LibreOffice made no %s: %r" % (missing, done.stdout))
        return {name: cells_of(case.path(name + ".fods")) for name in names}

    def rows_of(self, name):
        """Pairs of (row of the CSV, row of cells), the headers left out, sizes compared."""
        texts, cells = list(csv.reader(io.StringIO(self.sheets[name]))), self.tables[name]
        self.assertEqual(len(cells), len(texts), "number of rows")
        self.assertEqual([c.text for c in cells[0]], texts[0], "headers")
        self.assertEqual({c.type for c in cells[0]}, {"string"})
        return list(zip(texts[1:], cells[1:]))

    def test_iso_times_are_dates(self):
        for name in "iso", "quick", "for":
            for text, cells in self.rows_of(name):
                self.assertEqual(cells[0].type, "date", text[0])
                self.assertEqual(cells[0].value.replace(",", ".")[:19], text[0][:19])
                self.check_numbers(text[1:], cells[1:])

    def test_byte_order_mark_is_no_text(self):
        self.assertTrue(self.sheets["bom"].startswith("\ufeff"))
        self.assertEqual(self.tables["bom"][0][0].text, "Time (UTC)")
        self.assertEqual([[c.value for c in row] for row in self.tables["bom"][1:]],
                         [[c.value for c in row] for row in self.tables["iso"][1:]])

    def test_decimal_comma_in_a_german_spreadsheet(self):
        """Cells are those of the sheet with a point in an English one."""
        self.assertIn(",25", self.german)
        english, german = self.tables["for"], self.tables["german"]
        self.assertGreater(len(english), 3)
        self.assertEqual([c.text for c in german[0]], [c.text for c in english[0]])
        self.assertEqual([[(c.type, c.value) for c in row] for row in german[1:]],
                         [[(c.type, c.value) for c in row] for row in english[1:]])

    def test_milliseconds_survive(self):
        for text, cells in self.rows_of("quick"):
            self.assertRegex(text[0], r"\.\d{3}\Z")
            fraction = cells[0].value.replace(",", ".").partition(".")[2]
            self.assertAlmostEqual(float("0." + (fraction or "0")), float(text[0][19:]), delta=0.0005)

    def test_default_times_are_right_or_text(self):
        """Written for Excel.  LibreOffice 7.4 takes whole seconds for dates, fractions for text."""
        for name in "space", "quick space":
            for text, cells in self.rows_of(name):
                if cells[0].type == "date":
                    self.assertEqual(cells[0].value.replace("T", " ")[:19], text[0][:19])
                else:
                    self.assertEqual((cells[0].type, cells[0].text), ("string", text[0]))
                self.check_numbers(text[1:], cells[1:])

    def test_serial_times_are_numbers(self):
        for text, cells in self.rows_of("serial"):
            self.check_numbers(text, cells)

    def test_names_never_run(self):
        names = set()
        for text, cells in self.rows_of("long"):
            kinds = [c.type for c in cells]
            self.assertEqual(kinds[:5], ["date"] + ["string"] * 4, text)
            self.assertEqual([c.text for c in cells[1:5]], text[1:5])
            self.assertFalse([c.formula for c in cells if c.formula], text)
            names.add(cells[3].text)
            if text[5] and text[4] == "State":
                self.assertEqual((cells[5].type, cells[5].text), ("string", text[5]))
            elif text[5] and not text[5].startswith("0x"):
                self.check_numbers(text[5:6], cells[5:6])
        self.assertIn("'" + self.formula, names)


@unittest.skipUnless(os.environ.get("PERFLOG_HAS_XLSX") == "1", "built without workbooks")
class Workbook(Checks):
    """The same of a workbook; the wide sheet tells what should be in it."""

    @classmethod
    def setUpClass(cls):
        case = Case("setUp")
        case.setUp()
        cls.addClassCleanup(case.doCleanups)
        log = case.path("a.plog")
        recording = Recording(case, log, "-i", "250ms")
        recording.wait_for(1)
        with harness.process_named("=1+1") as pid:
            recording.wait_for_more(4)
        if recording.end().code:
            raise AssertionError("the recording failed")
        cls.formula = "=1+1:%d" % pid
        cls.books = {"vital": (), "chosen": ("-c", r"\Process(*)\Thread Count", "-c", "Memory")}
        wide = ("--layout", "wide")
        for name, options in cls.books.items():
            case.good("export", "-q", "--xlsx", *wide, "-o", case.path(name + ".xlsx"), *options, log)
            case.good("export", "-q", "--xlsx", "-o", case.path(name + " tables.xlsx"), *options, log)
        subprocess.run([SOFFICE, "--headless", "--norestore", PROFILE[0],
                        "--convert-to", "fods", "--outdir", case.folder,
                        *(case.path(name + end) for name in cls.books for end in (".xlsx", " tables.xlsx"))],
                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True,
                       env=dict(os.environ, LC_ALL="en_US.UTF-8", HOME=case.folder), timeout=4 * harness.TIMEOUT)
        cls.roots = {n + end: ET.parse(case.path(n + end + ".fods")).getroot()
                     for n in cls.books for end in ("", " tables")}
        cls.wide = {n: list(csv.reader(io.StringIO(
            case.good("export", "-q", "--no-guard", "--time", "iso", *o, log).out))) for n, o in cls.books.items()}

    def tables_of(self, book):
        """Sheets of the document itself; charts bring tables of their own."""
        sheets = self.roots[book].find(OFFICE + "body").find(OFFICE + "spreadsheet")
        return {t.get(TABLE + "name"): rows_in(t) for t in sheets.findall(TABLE + "table")}

    def test_cells(self):
        for book, lines in self.wide.items():
            columns = {name: [line[i] for line in lines[1:]] for i, name in enumerate(lines[0])}
            tables = self.tables_of(book)
            self.assertEqual(list(tables)[:2], ["Summary", "Charts"])
            processes = tables.pop("Processes", None)
            tables.pop("Chart Data", None)  # of what lines of others show
            if book == "chosen":
                self.check_processes(*processes)
            found = 0
            for name, (header, *rows) in list(tables.items())[2:]:
                self.assertEqual({c.type for c in header}, {"string"})
                self.assertEqual(len(rows), len(lines) - 1)
                for i, row in enumerate(rows):
                    self.assertEqual(row[0].type, "date", name)
                    self.assertEqual(row[0].value[:19], columns[lines[0][0]][i][:19])
                    self.check_numbers([columns[h.text][i] for h in header[1:] if h.text in columns],
                                       [c for h, c in itertools.zip_longest(header[1:], row[1:], fillvalue=Empty)
                                        if h.text in columns])
                # Of processes, a workbook without -c also shows the busiest.
                self.assertFalse([h.text for h in header[1:] if h.text not in columns and
                                  (book != "vital" or "\\Process(" not in h.text)])
                found += sum(h.text in columns for h in header[1:])
            self.assertEqual(found, len(lines[0]) - 1)
        self.assertIn("(%s)" % self.formula, " ".join(self.wide["chosen"][0]))

    def test_tables(self):
        """A database range for each object's rows, with a filter; times are dates, and names text."""
        for book in "vital tables", "chosen tables":
            tables = self.tables_of(book)
            ranges = {r.get(TABLE + "name"): r for r in self.roots[book].iter(TABLE + "database-range")}
            objects = [n for n in tables if n not in ("Summary", "Charts", "Processes", "Chart Data")]
            self.assertGreater(len(objects), 1)
            for name in objects:
                header, *rows = tables[name]
                found = ranges["T_" + re.sub("[^A-Za-z0-9]", "_", name)]
                self.assertRegex(found.get(TABLE + "target-range-address").replace("'", ""),
                                 r"^%s\.A1:%s\.[A-Z]+%d$" % (re.escape(name), re.escape(name), len(rows) + 1))
                self.assertEqual(found.get(TABLE + "display-filter-buttons"), "true")
                self.assertEqual([c.text for c in header][1:3], ["Host", "Instance"])
                for row in rows:
                    self.assertEqual((row[0].type, row[1].type), ("date", "string"), name)
        self.assertIn(self.formula, [row[2].text for row in self.tables_of("chosen tables")["Process"]])

    def check_processes(self, header, *rows):
        """What identifies processes is text, whatever they are called."""
        self.assertEqual([c.text for c in header][:4], ["Host", "Instance", "Command Line", "Executable"])
        self.assertEqual({c.type for row in rows for c in row if c.text}, {"string"})
        self.assertIn(self.formula, [row[1].text for row in rows])

    def test_charts(self):
        chart = "{urn:oasis:names:tc:opendocument:xmlns:chart:1.0}"
        for book, least in ("vital", 2), ("chosen", 5), ("vital tables", 2), ("chosen tables", 5):
            charts = list(self.roots[book].iter(chart + "chart"))
            self.assertGreaterEqual(len(charts), least)
            for c in charts:
                series = list(c.iter(chart + "series"))
                self.assertTrue(series)
                for s in series:
                    self.assertRegex(s.get(chart + "values-cell-range-address"), r"\.\$?[A-Z]+\$?2:")
            drawn = [float(cell.get(OFFICE + "value")) for c in charts for cell in c.iter(TABLE + "table-cell")
                     if cell.get(OFFICE + "value-type") == "float" and cell.get(OFFICE + "value") != "NaN"]
            self.assertGreater(len(drawn), 20)


@unittest.skipUnless(os.environ.get("PERFLOG_HAS_XLSX") == "1", "built without workbooks")
@unittest.skipUnless(shutil.which("pdftoppm"), "pdftoppm (poppler-utils) is not installed")
class Drawn(Case):
    """What comes out of a printer, as pixels."""

    def page(self, book, number):
        """(width, height, bytes of red, green and blue)."""
        subprocess.run([SOFFICE, "--headless", "--norestore", PROFILE[0],
                        "--convert-to", "pdf", "--outdir", self.folder, book],
                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True,
                       env=dict(os.environ, HOME=self.folder), timeout=4 * harness.TIMEOUT)
        picture = subprocess.run(["pdftoppm", "-r", "50", "-f", str(number), "-l", str(number),
                                  os.path.splitext(book)[0] + ".pdf"], stdout=subprocess.PIPE, check=True).stdout
        kind, width, height, depth, pixels = picture.split(maxsplit=4)
        self.assertEqual((kind, depth), (b"P6", b"255"))
        return int(width), int(height), pixels

    def test_a_rising_line_rises(self):
        log = Log({2: b"Tank", 4: b"Level"})
        for i in range(30):
            log.sample((1_795_246_502 + i) * 10**9,
                       [object_of(2, [(4, 0x00010100, 8)], [(None, (100 * i,))])])
        out = self.path("out.xlsx")
        self.good("export", "-q", "--xlsx", "-c", r"\Tank\Level", "-o", out, log.save(self.path("a.plog")))
        width, height, pixels = self.page(out, 2)  # behind the summary
        colours = [[pixels[3 * (y * width + x):][:3] for x in range(width)] for y in range(height)]
        tops = {}
        for y, row in enumerate(colours):
            for x, colour in enumerate(row):
                if max(colour) - min(colour) > 60:
                    tops.setdefault(x, y)
        drawn = sorted(tops)
        self.assertGreater(len(drawn), width // 2, "no line across the page")
        heights = [tops[x] for x in drawn]
        self.assertEqual(heights, sorted(heights, reverse=True))
        # The grid behind it: from 0 to 3500, where the line ends at 2900.
        inside = range(drawn[0], drawn[-1] + 1)
        grid = [y for y, row in enumerate(colours) if sum(max(row[x]) < 200 for x in inside) > 0.9 * len(inside)]
        self.assertGreater(len(grid), 2, "no grid")
        plot = grid[-1] - grid[0]
        self.assertGreater(plot, height // 6, "two charts fill a page")
        self.assertLess(abs(heights[0] - grid[-1]), 4, "it begins at the bottom")
        self.assertAlmostEqual((heights[0] - heights[-1]) / plot, 2900 / 3500, delta=0.06)


if __name__ == "__main__":
    if not SOFFICE:
        print("LibreOffice (soffice) is not installed: nothing tested")
        sys.exit(harness.SKIP)
    harness.main()
