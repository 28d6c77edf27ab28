"""Workbooks of tests: logs of tanks, what export --xlsx makes of a log, read back by zipfile and an XML parser alone."""
import os
import re
import xml.etree.ElementTree as ET
import zipfile

from harness import Case, run
from write_log import SECOND, Log, object_of

START = 1_795_246_502 * 10**9  # 2026-11-21 07:35:02 UTC
RAW, RATE = 0x00010100, 0x10410500
MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
REL = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
CHART = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
CAN = os.environ.get("PERFLOG_HAS_XLSX", "1") == "1"


def decoded(text):
    """What a spreadsheet makes of _xHHHH_."""
    return re.sub("_x([0-9A-Fa-f]{4})_", lambda m: chr(int(m[1], 16)), text)


class Sheet:
    def __init__(self, root):
        self.root = root
        self.rows = []  # {column letters: str or float}
        self.styles = {}
        self.numbers = [int(row.get("r")) for row in root.iter(MAIN + "row")]
        for row in root.iter(MAIN + "row"):
            cells = {}
            for c in row:
                column = re.match("[A-Z]+", c.get("r"))[0]
                if c.get("t") == "inlineStr":
                    cells[column] = decoded("".join(c.itertext()))
                elif c.get("t") is None and c.find(MAIN + "v") is not None:
                    cells[column] = float(c.find(MAIN + "v").text)
                else:
                    raise AssertionError("an odd cell: %s" % ET.tostring(c))
                self.styles[c.get("r")] = int(c.get("s", 0))
            self.rows.append(cells)

    def columns(self):
        """{header: cells below, None for blanks}."""
        return {name: [row.get(at) for row in self.rows[1:]] for at, name in self.rows[0].items()}


class Book:
    def __init__(self, path):
        with zipfile.ZipFile(path) as z:
            assert z.testzip() is None
            self.parts = {n: z.read(n) for n in z.namelist()}
        rels = {r.get("Id"): r.get("Target") for r in self.xml("xl/_rels/workbook.xml.rels")}
        self.sheets = {s.get("name"): Sheet(self.xml("xl/" + rels[s.get(REL + "id")]))
                       for s in self.xml("xl/workbook.xml").iter(MAIN + "sheet")}
        self.summary = [(r["A"], r["B"]) for r in self.sheets["Summary"].rows if "A" in r and "B" in r]
        self.charts = [self.xml(n) for n in sorted(self.parts) if n.startswith("xl/charts/chart")]

    def xml(self, name):
        return ET.fromstring(self.parts[name])

    def objects(self):
        return {n: s for n, s in self.sheets.items() if n not in ("Summary", "Charts", "Processes", "Chart Data")}

    def section(self, name, skip=0):
        """The rows of a section of the summary as dicts by its header, 'skip' lines below; texts where it has none."""
        rows, numbers = self.sheets["Summary"].rows, self.sheets["Summary"].numbers
        first = [row.get("A") for row in rows].index(name) + 1 + skip
        end = next((i for i in range(first, len(rows)) if numbers[i] != numbers[i - 1] + 1), len(rows))
        header, *rows = rows[first:end]
        if len(header) == 1:
            return [row["A"] for row in (header, *rows)]
        return [{header[c]: cell for c, cell in row.items()} for row in rows]

    def number_format(self, style):
        styles = self.xml("xl/styles.xml")
        formats = {f.get("numFmtId"): f.get("formatCode") for f in styles.iter(MAIN + "numFmt")}
        return formats.get(styles.find(MAIN + "cellXfs")[style].get("numFmtId"))


def tank(names, samples, host=b"web", **how):
    """A gauge and a rate of objects called names[0], names[1]...; samples: (seconds, level, count)."""
    titles = {2 + 10 * i: n for i, n in enumerate(names)}
    log = Log({**titles, 4: b"Level", 6: b"Drops/sec"}, host=host, **how)
    for at, level, count in samples:
        log.sample(START + int(at * SECOND),
                   [object_of(i, [(4, RAW, 8), (6, RATE, 8)], [(None, (level, count))]) for i in titles])
    return log


SAMPLES = [(0, 10, 5), (1, 20, 5), (2, 40, 4), (5, 30, 19)]


class Workbook(Case):
    def book(self, *args, code=0, **how):
        out = self.path("out.xlsx")
        r = run("export", "--xlsx", "-q", "-o", out, *args, **how)
        self.assertEqual(r.code, code, r)
        return Book(out)

    def lines(self, book):
        """Per chart: title, and (name, times, values) of each line."""
        def place(line, part):
            found = line.find(CHART + part)
            return (found.find(".//%sf" % CHART) if found.find(".//%sf" % CHART) is not None
                    else found.find(CHART + "v")).text
        return [("".join(c.find(".//%stitle" % CHART).itertext()),
                 [(place(s, "tx"), place(s, "xVal"), place(s, "yVal")) for s in c.iter(CHART + "ser")])
                for c in book.charts]
