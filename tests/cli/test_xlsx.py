#!/usr/bin/env python3
"""export --xlsx: cells are those of the sheets of CSV, and what cannot be one is refused."""
import csv
import io
import os
import re
import resource
import shutil
import subprocess
import sys
import unittest

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
import identified
from harness import Case, Recording, run
from workbooks import CAN, CHART, MAIN, RAW, SAMPLES, START, Book, Workbook, decoded, tank
from write_log import SECOND, Log, object_of


def in_a_book(name):
    """A control character is not allowed in a book, and nobody wants one that turns the text round."""
    return re.sub("[\0-\x1f\x7f-\x9f]", lambda c: "\\x%02X" % ord(c[0]),
                  re.sub("[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]", lambda c: "\\u{%X}" % ord(c[0]), name))


class Cells(Workbook):
    def check_as_wide(self, log, *args):
        book = self.book("--layout", "wide", *args, log)
        lines = list(csv.reader(io.StringIO(
            self.good("export", "-q", "--time", "serial", "--no-guard", *args, log).out)))
        wide = {in_a_book(name): [line[i] for line in lines[1:]] for i, name in enumerate(lines[0])}
        times = [float(t) for t in wide.pop(lines[0][0])]
        found = {}
        for sheet in book.objects().values():
            columns = sheet.columns()
            self.assertEqual([round(t * 86400000) for t in columns.pop(lines[0][0])],
                             [round(t * 86400000) for t in times])
            self.assertFalse(set(found) & set(columns))
            found.update(columns)
        if "-c" not in args:  # then the busiest processes are shown, too
            found = {n: c for n, c in found.items() if n in wide or "\\Process(" not in n}
        self.assertEqual(set(found), set(wide))
        for name, cells in wide.items():
            self.assertEqual([c is None for c in found[name]], [c == "" for c in cells], name)
            for a, b in zip(found[name], cells):
                if b:
                    self.assertAlmostEqual(a, float(b), delta=abs(float(b)) * 1e-15, msg=name)
        return book

    def check_as_tables(self, log, *args):
        """Each object's sheet is a table with the cells of its file of --layout table, texts and numbers."""
        book, folder = self.book(*args, log), self.path("tables")
        shutil.rmtree(folder, ignore_errors=True)
        self.good("export", "-q", "--layout", "table", "--time", "serial", "--no-guard", "--identity", "-o", folder, *args,
                  log)
        files = {n[:-len(".csv")]: self.lines_of(os.path.join(folder, n)) for n in os.listdir(folder)}
        self.assertEqual(set(book.objects()), set(files))
        for name, sheet in book.objects().items():
            self.check_table(book, name, sheet)
            header, *lines = files[name]
            columns = sheet.columns()
            for i, column in enumerate(header):
                if column in ("Command Line", "Executable", "User", "Control Group", "Parent"):
                    continue
                for a, line in zip(columns[column], lines, strict=True):
                    if i == 0:
                        self.assertAlmostEqual(a, float(line[i]), delta=1e-8)
                    elif isinstance(a, float):
                        self.assertAlmostEqual(a, float(line[i]), delta=abs(a) * 1e-15)
                    else:
                        self.assertEqual(a or "", in_a_book(line[i]))
        return book

    def check_as_long(self, log, *args):
        """One table with the lines of --layout long: names, numbers, and the status of each."""
        book = self.book("--layout", "long", *args, log)
        header, *lines = csv.reader(io.StringIO(
            self.good("export", "-q", "--layout", "long", "--time", "serial", "--no-guard", *args, log).out))
        self.assertEqual([n for n in book.objects() if n != "Processes"], ["Values"])
        self.check_table(book, "Values", book.sheets["Values"])
        columns = book.sheets["Values"].columns()
        self.assertEqual(list(columns)[:len(header)], header)
        for i, name in enumerate(header):
            self.assertEqual(len(columns[name]), len(lines), name)
            for a, line in zip(columns[name], lines):
                if i == 0:
                    self.assertAlmostEqual(a, float(line[i]), delta=1e-8)
                elif isinstance(a, float):
                    self.assertAlmostEqual(a, float(line[i]), delta=abs(a) * 1e-15)
                else:
                    self.assertEqual(a or "", in_a_book(line[i]))
        return book

    def lines_of(self, path):
        with open(path, newline="", errors="surrogateescape") as f:
            return list(csv.reader(f))

    def check_table(self, book, name, sheet):
        """A table of all its rows, with a filter, whose columns are called as their headers are."""
        number = list(book.sheets).index(name) + 1
        parts = [r.get("Target") for r in book.xml("xl/worksheets/_rels/sheet%d.xml.rels" % number)]
        table = book.xml("xl/" + next(p for p in parts if "tables" in p)[3:])
        names = [decoded(c.get("name")) for c in table.iter(MAIN + "tableColumn")]
        self.assertEqual(names, list(sheet.rows[0].values()))
        self.assertEqual(len({n.casefold() for n in names}), len(names))
        reference = "A1:%s%d" % (list(sheet.rows[0])[-1], len(sheet.rows))
        self.assertEqual((table.get("ref"), table.find(MAIN + "autoFilter").get("ref")), (reference, reference))
        self.assertEqual((table.get("headerRowCount", "1"), sheet.root.find(MAIN + "autoFilter")), ("1", None))
        self.assertRegex(table.get("displayName"), r"^T_[A-Za-z0-9_.]+$")
        return table.get("displayName")

    def test_processes(self):
        """A sheet of what identifies the single processes that are shown; none without them."""
        log = identified.make(self.path("a.plog"), identified.entry(8, command_line="=a\0b", user_name="ann",
                                                                    executable="/bin/a\x1b"),
                              samples=[[("a:7", 7, 1, 0), ("b:8", 8, 2, 0)]] * 2)
        book = self.book("-c", r"\Process(*)\Thread Count", log)
        self.assertEqual(list(book.sheets), ["Summary", "Charts", "Process", "Processes", "Chart Data"])
        self.assertEqual([list(row.values()) for row in book.sheets["Processes"].rows],
                         [["Host", "Instance", "Command Line", "Executable", "User", "Control Group", "Parent"],
                          ["web", "b:8", "=a b", "/bin/a\\x1B", "ann"]])
        self.assertNotIn("Processes", self.book(log).sheets)
        self.assertNotIn("Processes", self.book("-c", r"\Process(*)\Thread Count",
                                                identified.make(self.path("b.plog"))).sheets)

    def test_recording(self):
        log = self.path("a.plog")
        recording = Recording(self, log, "-i", "100ms", "-c", "System", "-c", "Processor", "-c", "Memory",
                              "-c", "PhysicalDisk", "-c", "Network Interface",
                              "-c", r"\Process(*)\% Processor Time")
        recording.wait_for(2)
        with harness.process_named("=1+1") as pid:
            recording.wait_for_more(3)
        self.assertEqual(recording.end().code, 0)
        book = self.check_as_wide(log)
        self.assertEqual(list(book.sheets)[:2], ["Summary", "Charts"])
        book = self.check_as_wide(log, "-c", r"\Process(*)\% *", "-c", "Memory")  # all would not fit while others make many
        self.assertEqual(list(book.objects()), ["Memory", "Process"])
        self.assertIn("(=1+1:%d)" % pid, " ".join(book.sheets["Process"].rows[0].values()))
        self.check_no_formulas(book)

    def check_no_formulas(self, book):
        for name, part in book.parts.items():
            if name.startswith("xl/worksheets/") and name.endswith(".xml"):
                self.assertNotIn(b"<f", part)

    def test_by_hand(self):
        log = tank([b"Tank"], SAMPLES).save(self.path("a.plog"))
        sheet = self.check_as_wide(log).sheets["Tank"]
        self.assertEqual(sheet.columns()[r"\\web\Tank\Level"], [10, 20, 40, 30])
        self.assertEqual(sheet.columns()[r"\\web\Tank\Drops/sec"], [None, 0, None, 5])
        self.assertNotIn("Chart Data", self.check_as_wide(log).sheets)
        columns = self.check_as_tables(log).sheets["Tank"].columns()
        self.assertEqual(list(columns), ["Time (UTC)", "Host", "Instance", "Level", "Drops/sec"])
        self.assertEqual((columns["Host"], columns["Instance"]), (["web"] * 4, [None] * 4))
        self.assertEqual((columns["Level"], columns["Drops/sec"]), ([10, 20, 40, 30], [None, 0, None, 5]))

    def test_tables_of_processes(self):
        """Each row says whose it is: by command, user and unit."""
        log = identified.make(self.path("a.plog"), identified.entry(7, command_line="=a\0b", user_name="ann",
                                                                    control_group="/system.slice/ssh.service"),
                              samples=[[("a:7", 7, 1, 0), ("b:8", 8, 2, 0)]] * 2)
        columns = self.check_as_tables(log, "-c", r"\Process(*)\Thread Count").sheets["Process"].columns()
        self.assertEqual(list(columns)[1:], ["Host", "Instance", "Command", "User", "Unit", "Thread Count"])
        self.assertEqual(list(zip(columns["Instance"], columns["Command"], columns["User"], columns["Unit"])),
                         [("a:7", "=a b", "ann", "ssh.service"), ("b:8", None, None, None), ("_Total", None, None, None)] * 2)

    def test_tables_have_names_of_their_own(self):
        """What objects and counters are called may differ in case or signs alone; too many columns are no table."""
        log = Log({2: b"A-B", 4: b"A B", 6: b"IPv4", 8: b"Level", 10: b"LEVEL", 12: b"x" * 300, 14: b"Host", 16: b"Many",
                   **{100 + 2 * i: b"Level %d" % i for i in range(600)}})
        log.sample(START, [*(object_of(i, [(k, RAW, 8) for k in (8, 10, 12, 14)], [(None, (1, 2, 3, 4))]) for i in (2, 4, 6)),
                           object_of(16, [(100 + 2 * i, RAW, 8) for i in range(600)], [(None, range(600))])])
        book = self.book(log.save(self.path("a.plog")))
        names = [self.check_table(book, n, s) for n, s in book.objects().items() if n != "Many"]
        self.assertEqual(names, ["T_A_B", "T_A_B.1", "T_IPv4"])
        self.assertEqual(list(book.sheets["IPv4"].columns()),
                         ["Time (UTC)", "Host", "Instance", "Level", "LEVEL (2)", "x" * 254 + "\u2026", "Host (2)"])
        self.assertEqual(book.sheets["Many"].root.find(MAIN + "autoFilter").get("ref"), "A1:WE2")

    def test_names_that_look_escaped(self):
        """Of a table's column as of its header: both are what the counter is called."""
        escaped = b"_x0041_"
        log = Log({2: b"Tank", 4: escaped, 6: b"A", 8: b"x" * 248 + escaped})
        log.sample(START, [object_of(2, [(i, RAW, 8) for i in (4, 6, 8)], [(None, (1, 2, 3))])])
        sheet = self.check_as_tables(log.save(self.path("a.plog"))).sheets["Tank"]
        self.assertEqual(list(sheet.columns())[3:], ["_x0041_", "A", "x" * 248 + "_x0041_"])

    def test_names_that_look_escaped_and_are_long(self):
        """A cell is cut so that 32,767 characters are all, with the escapes, none of which is cut."""
        for text in ("_x0041_" * 4680, "_x0041_x0041_" * 2500, "\U0001f6f0" + "_x0041_" * 4000,
                     "a" * 20000 + "_x0041_" * 1800, "_x0041_" * 1000 + "\U0001f6f0" * 12000):
            log = Log({2: b"Tank", 4: b"Level"})
            log.sample(START, [object_of(2, [(4, RAW, 8)], [(text, (1,))])])
            name, = self.book("-c", "*", log.save(self.path("a.plog"))).sheets["Tank"].columns()["Instance"]
            kept = name[:-1]
            self.assertEqual((text[:len(kept)], name[-1]), (kept, "\u2026"))
            written = re.sub("_(?=x[0-9A-F]{4}_)", "_x005F_", kept)
            self.assertIn(len(written.encode("utf-16-le")) // 2 + 1, range(32767 - 12, 32768))

    def test_many_columns_alike(self):
        """A sheet that is too wide for a table is written at once, however alike its columns are called."""
        num = 4096
        names = {100 + 2 * i: "".join("lL"[i >> k & 1] for k in range(12)).encode() for i in range(num)}
        log = Log({2: b"Tank", **names})
        log.sample(START, [object_of(2, [(i, RAW, 8) for i in names], [(None, range(num))])])
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        sheet = self.book(log.save(self.path("a.plog"))).sheets["Tank"]
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.assertEqual(list(sheet.rows[0].values())[3:], [n.decode() for n in names.values()])
        self.assertLess(after.ru_utime - before.ru_utime, 20)

    def test_a_table_of_columns_alike(self):
        """Hundreds that differ in case alone are numbered, in a moment."""
        num = 490
        names = {100 + 2 * i: "".join("lL"[i >> k & 1] for k in range(9)).encode() for i in range(num)}
        log = Log({2: b"Tank", **names})
        log.sample(START, [object_of(2, [(i, RAW, 8) for i in names], [(None, range(num))])])
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        sheet = self.book(log.save(self.path("a.plog"))).sheets["Tank"]
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.assertEqual(list(sheet.columns())[-1], names[100 + 2 * num - 2].decode() + " (490)")
        self.assertLess(after.ru_utime - before.ru_utime, 4)

    def test_long(self):
        """A row per value, blanks with their reason, and charts as with tables."""
        log = tank([b"Tank"], SAMPLES).save(self.path("a.plog"))
        book = self.check_as_long(log, "-c", "Tank")
        self.assertIn("first", book.sheets["Values"].columns()["Status"])
        self.assertTrue(book.charts)
        self.check_as_long(log, "-c", "Tank", "--tz", "+02:00", "--every", "2s")
        log = identified.make(self.path("p.plog"), identified.entry(7, command_line="a --fast", user_name="ann"),
                              samples=[[("a:7", 7, 1, 0), ("b:8", 8, 2, 0)], [("b:8", 8, 2, 0)], [("b:8", 8, 2, 0)]])
        columns = self.check_as_long(log, "-c", "Process").sheets["Values"].columns()
        self.assertEqual({(i, c, u) for i, c, u in zip(columns["Instance"], columns["Command"], columns["User"])
                          if i != "_Total"},
                         {("a:7", "a --fast", "ann"), ("b:8", None, None)})
        self.assertIn("absent", columns["Status"])  # a series that vanishes has a reason for its blank

    def test_frame(self):
        log = tank([b"Tank"], SAMPLES).save(self.path("a.plog"))
        book = self.book(log)
        sheet = book.sheets["Tank"]
        self.assertEqual([book.number_format(sheet.styles[at]) for at in ("A2", "D2", "E3")],
                         ["yyyy-mm-dd hh:mm:ss", "#,##0", "#,##0.0"])
        pane = next(sheet.root.iter(MAIN + "pane"))
        self.assertEqual((pane.get("xSplit"), pane.get("ySplit"), pane.get("state")), ("3", "1", "frozen"))
        book = self.book("--layout", "wide", log)
        sheet = book.sheets["Tank"]
        self.assertEqual(book.number_format(sheet.styles["A2"]), "yyyy-mm-dd hh:mm:ss")
        self.assertAlmostEqual(sheet.rows[1]["A"], 46347 + (7 * 3600 + 35 * 60 + 2) / 86400, delta=1e-10)
        self.assertEqual([book.number_format(sheet.styles[at]) for at in ("B2", "C3")], ["#,##0", "#,##0.0"])
        pane = next(sheet.root.iter(MAIN + "pane"))
        self.assertEqual((pane.get("xSplit"), pane.get("ySplit"), pane.get("state")), ("1", "1", "frozen"))
        self.assertEqual(sheet.root.find(MAIN + "autoFilter").get("ref"), "A1:C5")
        widths = [float(c.get("width")) for c in sheet.root.iter(MAIN + "col")]
        self.assertTrue(len(widths) == 2 and min(widths) > 15, widths)

    def test_formats(self):
        """By the unit in the counter's name, whole numbers without a point."""
        names = (b"% Full", b"Level", b"Level Bytes", b"Bytes/sec", b"Drops/sec", b"Mean", b"Up Time")
        log = Log({2: b"Tank", **{4 + 2 * i: n for i, n in enumerate(names)}})
        log.sample(START, [object_of(2, [(4 + 2 * i, RAW, 8) for i in range(len(names))], [(None, (1,) * len(names))])])
        book = self.book("--layout", "wide", log.save(self.path("a.plog")))
        sheet = book.sheets["Tank"]
        found = {sheet.rows[0][c].rpartition("\\")[2]: book.number_format(sheet.styles[c + "2"]) for c in "BCDEFGH"}
        self.assertEqual((found["% Full"], found["Level"], found["Drops/sec"], found["Up Time"]),
                         ("0.0", "#,##0", "#,##0.0", "#,##0"))
        self.assertEqual(found["Bytes/sec"], '[>=1000000]#,##0.0,," MB/s";[>=1000]#,##0.0," kB/s";0" B/s"')
        self.assertEqual(found["Level Bytes"], '[>=1000000]#,##0.0,," MB";[>=1000]#,##0.0," kB";0" B"')

    def test_print(self):
        """Landscape, the locale's paper, header rows and times on each page, page numbers, two charts on one."""
        log = tank([b"Tank"], SAMPLES).save(self.path("a.plog"))
        for locale, paper in (("de_DE.UTF-8", "9"), ("en_US.UTF-8", "1"), ("C", "9"), ("es_MX", "1")):
            book = self.book(log, env=dict(os.environ, LC_ALL="", LC_PAPER=locale))
            for name, sheet in book.sheets.items():
                setup = sheet.root.find(MAIN + "pageSetup")
                self.assertEqual(setup.get("paperSize", "1"), paper, (name, locale))
                self.assertEqual(setup.get("orientation"), "landscape")
                self.assertEqual(setup.get("fitToHeight"), "0", name)
                self.assertEqual(sheet.root.find(".//%soddFooter" % MAIN).text, "&L&A&RPage &P of &N")
        titles = {n.get("name"): n.text for n in book.xml("xl/workbook.xml").iter(MAIN + "definedName")}
        self.assertEqual(titles["_xlnm.Print_Titles"], "'Tank'!$A:$C,'Tank'!$1:$1")
        wide = Log({2: b"Tank", **{4 + 2 * i: b"Level %d" % i for i in range(20)}})
        wide.sample(START, [object_of(2, [(4 + 2 * i, RAW, 8) for i in range(20)], [(None, range(20))])])
        book = self.book(wide.save(self.path("b.plog")))
        self.assertIsNone(book.sheets["Tank"].root.find(MAIN + "pageSetup").get("fitToHeight"))
        breaks = [b.get("id") for b in book.sheets["Charts"].root.find(MAIN + "rowBreaks")]
        self.assertEqual(breaks, [str(40 * i) for i in range(1, 10)])

    def test_print_of_long_names(self):
        """A reference that names the sheet twice has room for 128 bytes in libxlsxwriter, which cuts the rest off."""
        names = ["\u4e2d" * 31, "\U0001d4b3" * 15, "'" + "n" * 28 + "'", "o" * 31, "\u00e9" * 27, "\u00e9" * 24, "''a" * 10, "a" + "'" * 29 + "b"]
        log = Log({2 + 2 * i: n.encode() for i, n in enumerate([*names, "Level"])})
        log.sample(START, [object_of(2 + 2 * i, [(2 + 2 * len(names), RAW, 8)], [(None, (1,))]) for i in range(len(names))])
        titles = self.book(log.save(self.path("a.plog"))).xml("xl/workbook.xml").iter(MAIN + "definedName")
        titles = [t.text for t in titles if t.get("name") == "_xlnm.Print_Titles" and "Chart Data" not in t.text]
        self.assertEqual(len(titles), len(names))
        for title in titles:
            self.assertRegex(title, r"^(.*)!\$A:\$C,\1!\$1:\$1$|^[^,]*!\$1:\$1$")
        self.assertEqual(sum("," in t for t in titles), 4, titles)

    def test_references_are_quoted(self):
        """IPV4 and R1C1 are cells, and 1st is no name: without quotes Excel takes the workbook for damaged."""
        names = ["IPv4", "R1C1", "1st", "RC", "it's", "Chart Data"]
        log = tank([n.encode() for n in names[:-1]], SAMPLES).save(self.path("a.plog"))
        for layout in "table", "wide":
            book = self.book("--layout", layout, log)
            named = [n.text for n in book.xml("xl/workbook.xml").iter(MAIN + "definedName")]
            drawn = [f.text for c in book.charts for f in c.iter(CHART + "f")]
            for found, sheets in ((named, names[:-1] if layout == "wide" else names),
                                  (drawn, names[:-1] if layout == "wide" else names[-1:])):
                parts = [re.fullmatch(r"'((?:[^']|'')+)'!\$[A-Z0-9:$]+", part) for f in found for part in f.split(",")]
                self.assertTrue(all(parts), found)
                self.assertEqual({p[1].replace("''", "'") for p in parts}, set(sheets))

    def test_beyond_all_numbers(self):
        """Sums and means that no number can be are blank."""
        row = ",".join('"1.7e308"' for _ in range(12))
        path = self.write("a.csv", ('"(PDH-CSV 4.0) (UTC)(0)",%s\r\n%s' % (
            ",".join('"\\\\h\\Process(p%d)\\%% Processor Time"' % i for i in range(12)),
            "".join('"07/01/2020 12:00:%02d.000",%s\r\n' % (i, row) for i in range(4)))).encode())
        for args in (), ("--every", "2s"), ("--layout", "wide"), ("--top", "3"):
            book = self.book(*args, path)
            for name, sheet in book.sheets.items():
                for v in sheet.root.iter(MAIN + "v"):
                    self.assertRegex(v.text, r"^-?[0-9]", (name, args))

    def test_milliseconds(self):
        log = tank([b"Tank"], [(i / 4, i, i) for i in range(3)], interval_ns=SECOND // 4).save(self.path("a.plog"))
        book = self.check_as_wide(log)
        self.assertEqual(book.number_format(book.sheets["Tank"].styles["A2"]), "yyyy-mm-dd hh:mm:ss.000")

    def test_zone_and_window(self):
        log = tank([b"Tank"], SAMPLES).save(self.path("a.plog"))
        book = self.check_as_wide(log, "--tz", "+02:00", "--from", "09:35:02", "--to", "09:35:04")
        columns = book.sheets["Tank"].columns()
        self.assertEqual(columns[r"\\web\Tank\Level"], [20, 40])
        self.assertAlmostEqual(columns["Time (+02:00)"][0] % 1, (9 * 3600 + 35 * 60 + 3) / 86400, delta=1e-10)

    def test_end_of_summer(self):
        """02:30 comes twice; the offset tells which."""
        at = (1_792_888_200 * 10**9 - START) / 1e9  # 2026-10-25 00:30 UTC
        log = tank([b"Tank"], [(at, 1, 1), (at + 3600, 2, 2)], interval_ns=3600 * SECOND).save(self.path("a.plog"))
        for layout, level in ("wide", r"\\web\Tank\Level"), ("table", "Level"):
            book = self.book("--tz", "Europe/Berlin", "--layout", layout, log)
            columns = book.sheets["Tank"].columns()
            self.assertEqual(columns["UTC Offset"], ["+02:00", "+01:00"])
            self.assertEqual(columns[level], [1, 2])

    def test_two_hosts_share_sheets(self):
        logs = [tank([b"Tank"], SAMPLES, host=h).save(self.path(h.decode())) for h in (b"a.plog", b"b.plog")]
        columns = self.book(*logs).sheets["Tank"].columns()
        self.assertEqual(columns["Host"], ["a.plog", "b.plog"] * 4)
        self.assertEqual(columns["Level"], [10, 10, 20, 20, 40, 40, 30, 30])
        columns = self.book("--layout", "wide", *logs).sheets["Tank"].columns()
        self.assertEqual(columns[r"\\a.plog\Tank\Level"], columns[r"\\b.plog\Tank\Level"])

    def test_names_of_ill_will(self):
        log = Log({2: b"=Sheet1!A1", 4: b"Le\x1b[vel", 6: b"a_x0041_b"})
        counters = [(4, RAW, 8), (6, RAW, 8)]
        names = ["=1+1", "<b>&\"'", "\x01\x7f\u202e", "\uffff", "x" * 40000]
        log.sample(START, [object_of(2, counters, [(n, (1, 2)) for n in names])])
        self.check_no_formulas(self.book(log.save(self.path("a.plog")), "-c", "*"))
        book = self.book(self.path("a.plog"), "-c", "*", "--layout", "wide")
        self.check_no_formulas(book)
        header = list(book.sheets["=Sheet1!A1"].rows[0].values())[1:]
        self.assertIn(r"\\web\=Sheet1!A1(=1+1)\a_x0041_b", header)
        self.assertIn("\\\\web\\=Sheet1!A1(<b>&\"')\\Le\\x1B[vel", header)
        self.assertLessEqual(max(map(len, header)), 32767)
        self.assertEqual(sum(h.endswith("\u2026") for h in header), 2)
        for chart in book.charts:  # titles and names are no places they could have chosen
            self.assertFalse([t for t in chart.iter(CHART + "f") if "Sheet1!A1'" not in t.text])
            self.assertFalse(list(chart.find(".//%stitle" % CHART).iter(CHART + "f")))


class Refusals(Workbook):
    def setUp(self):
        super().setUp()
        self.log = tank([b"Tank"], SAMPLES).save(self.path("a.plog"))
        self.out = self.path("out.xlsx")

    def test_options(self):
        for args, says in (((), "-o FILE.xlsx"), (("-o", "-"), "-o FILE.xlsx"),
                           (("-o", self.log), "is the log itself"), (("-o", self.folder), "is a folder"),
                           (("-o", "/dev/null"), "-o FILE.xlsx"),
                           (("-o", self.out, "-c", "Nothing"), "nothing matches 'Nothing'"),
                           (("-o", self.out, "--from", "2030-01-01"), "no samples after"),
                           *((("-o", self.out, "--layout", n), "--layout %s does not go with --xlsx" % n)
                             for n in ("pdh",)),
                           *((("-o", self.out, o), "%s does not go with --xlsx" % o.split("=")[0])
                             for o in ("--csv", "--time=iso", "--for=excel", "--precision=3",
                                       "--bom", "--decimal-comma", "--no-guard", "--follow", "--wide-anyway",
                                       "--zone-name=x"))):
            self.refused(1, "export", "--xlsx", *args, self.log, says=says)
        self.refused(1, "export", "--xlsx", "-o", self.out, "-", says="a device can be read only once")

    def test_the_name_says_what_it_is(self):
        self.good("export", "-q", "--xlsx", "-o", self.out, self.log)
        with open(self.out, "rb") as f:
            book = f.read()
        for name in "plain.xlsx", "PLAIN.XLSX":
            self.good("export", "-q", "-o", self.path(name), self.log)
            with open(self.path(name), "rb") as f:
                self.assertEqual(f.read(2), book[:2], name)
        for name in "a.csv", "a.TSV", "a.txt":
            self.refused(1, "export", "--xlsx", "-o", self.path(name), self.log,
                         says="'%s' is named like text; name it FILE.xlsx" % self.path(name))
        self.refused(1, "export", "--csv", "-o", self.out, self.log,
                     says="'%s' is named like a workbook; name it FILE.csv, or leave out" % self.out)
        self.refused(1, "export", "--bom", "-o", self.out, self.log, says="--bom does not go with --xlsx")

    def test_too_many_columns(self):
        """Refused, or numbered sheets hold them in order, and charts find each line on the sheet that has it."""
        log = Log({2: b"Tank", 4: b"Level", 6: b"Other", 8: b"Full"})
        log.sample(START, [object_of(2, [(4, RAW, 8)], [("i%d" % i, (i,)) for i in range(16384)]),
                           object_of(6, [(8, RAW, 8)], [(None, (7,))])])
        args = ("export", "--xlsx", "--layout", "wide", "-q", "-o", self.out, "-c", "Tank", "-c", "Other",
                log.save(self.path("b.plog")))
        self.refused(1, *args, says="16385 columns on the sheet 'Tank', and a workbook takes 16384; choose counters "
                                    "with -c, or give --split")
        self.good(*args, "--split")
        book = Book(self.out)
        self.assertEqual(list(book.sheets), ["Summary", "Charts", "Tank", "Tank (2)", "Other", "Chart Data"])
        first, second, other = (sheet.columns() for sheet in book.objects().values())
        self.assertEqual((len(first), len(second), len(other)), (16384, 2, 2))
        self.assertEqual(first.pop("Time (UTC)"), second.pop("Time (UTC)"))
        self.assertEqual({**first, **second}, {r"\\web\Tank(i%d)\Level" % i: [i] for i in range(16384)})
        self.assertEqual(list(second), [r"\\web\Tank(i16383)\Level"])
        self.assertEqual([f.text for f in book.charts[1].iter("%sf" % CHART)],
                         ["'Other'!$A$2", "'Other'!$B$2"])

    def test_split_into_too_many(self):
        log = tank([b"T%d" % i for i in range(250)], SAMPLES[:1]).save(self.path("b.plog"))
        self.refused(1, "export", "--xlsx", "--split", "-o", self.out, log,
                     says="201 sheets or more, and a workbook takes 200")

    def test_too_many_objects(self):
        log = tank([b"T%d" % i for i in range(250)], SAMPLES[:1]).save(self.path("b.plog"))
        self.refused(1, "export", "--xlsx", "-o", self.out, log, says="more than 200 objects")

    def test_no_room(self):
        """Whatever file it is that stops growing, and where: all or nothing, and a line that says so."""
        log = tank([b"Tank"], [(i, i, i) for i in range(1500)]).save(self.path("b.plog"))
        whole = self.book(log)
        size = len(whole.parts["xl/worksheets/sheet3.xml"])
        self.assertGreater(size, 100_000)
        os.remove(self.out)
        outcomes = set()
        for limit in (1, 4096, 20_000, size // 2, size - 3000, size - 1200, size - 600, size - 300,
                      size - 100, size - 1, size, 2 * size):
            how = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))}
            r = run("export", "--xlsx", "-q", "-o", self.out, log, **how)
            with self.subTest(limit=limit, of=size):
                outcomes.add(r.code)
                if r.code == 0:
                    self.assertEqual(Book(self.out).parts["xl/worksheets/sheet3.xml"],
                                     whole.parts["xl/worksheets/sheet3.xml"])
                    os.remove(self.out)
                else:
                    self.check_one_line(r, 1)
                    self.assertEqual(sorted(os.listdir(self.folder)), ["a.plog", "b.plog"])
        self.assertEqual(outcomes, {0, 1})

    def test_few_open_files(self):
        """However few there may be, and whatever fails for want of them: one line, what to do, and nothing left."""
        files = sorted(os.listdir(self.folder))
        outcomes = []
        for limit in range(4, 40):
            r = run("export", "--xlsx", "-q", "-o", self.out, self.log,
                    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit)))
            outcomes.append(r.code)
            with self.subTest(limit=limit):
                if r.code:
                    self.check_one_line(r, 1)
                    self.assertIn("too many open files; raise the limit (ulimit -n)", r.err)
                else:
                    Book(self.out)
                    os.remove(self.out)
                self.assertEqual(sorted(os.listdir(self.folder)), files)
        self.assertEqual(outcomes, sorted(outcomes, reverse=True))
        self.assertEqual({0, 1}, set(outcomes))

    def test_a_full_disk(self):
        """Temporary files had room and the workbook has none: what the system says, and nothing of the library."""
        log = tank([b"Tank"], [(i, i, i) for i in range(1500)]).save(self.path("b.plog"))
        script = "mount -t tmpfs -o size=16k tmpfs mnt && cd mnt && \"$PERFLOG\" export -q -o a.xlsx ../b.plog; " \
                 "echo $?; ls"
        os.mkdir(self.path("mnt"))
        enter = ["unshare", "--mount"] + ([] if os.geteuid() == 0 else ["--map-root-user"])
        try:
            r = subprocess.run([*enter, "sh", "-c", script], cwd=self.folder, capture_output=True, text=True,
                               env=dict(os.environ, PERFLOG=harness.PROGRAM, TMPDIR="/tmp"))
        except FileNotFoundError:
            self.skipTest("there is no unshare")
        if "mount:" in r.stderr or "unshare:" in r.stderr:
            self.skipTest("no file system may be mounted")
        self.assertEqual(r.stdout, "1\n", r)
        self.assertEqual(r.stderr, "perflog: a.xlsx: the workbook could not be written: No space left on device\n")

    def test_the_library_is_loaded_for_a_workbook_only(self):
        """A broken one stands in its place: all else works, and this says so."""
        name = b"libxlsxwriter.so"
        with open(harness.PROGRAM, "rb") as f:
            at = (program := f.read()).find(name)
        self.assertGreater(at, 0, "the program does not name the library")
        self.write(program[at:program.find(b"\0", at)].decode(), b"no library")
        how = {"env": dict(os.environ, LD_LIBRARY_PATH=self.folder)}
        self.assertEqual(run("info", self.log, **how).code, 0)
        r = run("export", "--xlsx", "-q", "-o", self.out, self.log, **how)
        self.check_one_line(r, 1)
        self.assertIn("libxlsxwriter cannot be loaded", r.err)
        self.assertFalse(os.path.exists(self.out))

    def test_replaces_only_when_whole(self):
        self.write("out.xlsx", b"old")
        self.refused(1, "export", "--xlsx", "-o", self.out, "-c", "Nothing", self.log, says="nothing matches")
        self.book(self.log)


@unittest.skipIf(CAN, "built with libxlsxwriter")
class Without(Case):
    def test_says_so(self):
        log = tank([b"Tank"], SAMPLES).save(self.path("a.plog"))
        self.refused(1, "export", "--xlsx", "-o", self.path("out.xlsx"), log, says="built without libxlsxwriter")


if __name__ == "__main__":
    if not CAN:
        del Cells, Refusals
    harness.main()
