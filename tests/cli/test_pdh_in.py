#!/usr/bin/env python3
"""Sheets of PDH (relog, typeperf, Export-Counter, esxtop) read as logs."""
import csv
import io
import itertools
import json
import os
import re
import string
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import Case, long_rows, run

DATA = os.environ.get("PERFLOG_DATA", "../shared/data")
WINDOWS_8 = os.path.join(DATA, "blg", "BasicPerfCounters.blg")
HEADER = '"(PDH-CSV 4.0) (GMT Standard Time)(-60)","\\\\pc\\Disk(0 C:)\\Reads/sec","\\\\pc\\Memory\\Free"\r\n'
ROWS = ('"07/01/2020 12:00:00.250"," ","42"\r\n'
        '"07/01/2020 12:00:01.250","0.33333333333333331","1.8446744073709552e+19"\r\n'
        '"07/01/2020 12:00:02.250","-7","0"\r\n')
# Names as long as that of these, for sheets that one run reads, each of a machine of its own.
MACHINES = [a + b for a in string.ascii_lowercase for b in string.ascii_lowercase]
OPEN_ROWS = ROWS[:ROWS.rindex(",") + 1] + '" "\r\n'  # where the last number may be torn


class Sheets(Case):
    def sheet(self, text, name="a.csv", codec="utf-8"):
        return self.write(name, text if isinstance(text, bytes) else text.encode(codec))

    def pdh(self, log, *args, code=0):
        r = run("export", "-q", "--layout", "pdh", *args, log)
        self.assertEqual(r.code, code, r)
        return r.raw_out.decode("utf-8")

    def cells(self, log, **how):
        return list(csv.reader(io.StringIO(self.pdh(log, **how), newline=""), strict=True))

    def events(self, log):
        return " ".join(e["text"] for e in json.loads(run("info", "--json", log).out)[0]["events"])

    def rows_of(self, *logs, code=0):
        """The rows of several in one run, by machine."""
        r = run("export", "-q", "--layout", "long", *logs)
        self.assertEqual(r.code, code, r)
        found = {}
        for row in long_rows(r.out):
            found.setdefault(row.pop("Host"), []).append(row)
        return found

    def test_as_it_was(self):
        """Times, zone, order and digits of the sheet come out again, from it and from its import."""
        path = self.sheet(HEADER + ROWS)
        self.assertEqual(self.pdh(path), HEADER + ROWS)
        self.good("import", "-q", path, "-o", self.path("a.plog"))
        self.assertEqual(self.pdh(self.path("a.plog")), HEADER + ROWS)
        wide = self.good("export", "-q", path).out.splitlines()
        self.assertEqual(wide[2], "2020-07-01 11:00:01.250,0.3333333333333333,18446744073709552000")

    def test_windows_own(self):
        if not os.path.exists(WINDOWS_8):
            self.skipTest("%s is not here" % WINDOWS_8)
        text = self.pdh(WINDOWS_8)
        self.assertEqual(self.pdh(self.sheet(text)), text)
        a, b = (self.good("stats", "--csv", "-c", r"\Processor(_Total)\*", f).out for f in
                (WINDOWS_8, self.path("a.csv")))
        self.assertEqual(a.splitlines()[1].split(",")[8:11], b.splitlines()[1].split(",")[8:11])

    def test_letters(self):
        text = (HEADER + ROWS).replace("Free", "Größe €")
        for codec, mark in (("utf-8", b""), ("utf-8", b"\xef\xbb\xbf"), ("utf-16-le", b"\xff\xfe"),
                            ("utf-16-be", b"\xfe\xff"), ("utf-16-le", b""), ("cp1252", b"")):
            with self.subTest(codec=codec, mark=mark):
                path = self.sheet(mark + text.encode(codec))
                self.assertEqual(self.pdh(path), text)
                self.assertEqual("Windows-1252" in self.events(path), codec == "cp1252")

    def check_page(self, codec, zone, object_name, counter):
        """A sheet of Windows in another language, whose page is found by its words, and reported."""
        text = (HEADER + ROWS).replace("GMT Standard Time", zone).replace("Memory", object_name).replace("Free", counter)
        self.assertIn(object_name, text)
        path = self.sheet(text.encode(codec))
        r = run("export", "--layout", "pdh", path)
        self.assertEqual((r.code, r.raw_out.decode()), (0, text), r)
        self.assertEqual(r.err.count("\n"), 1, r)
        self.assertIn("taken for Windows-%s, as it has '" % codec[2:], r.err)
        self.assertIn("taken for Windows-" + codec[2:], self.events(path))
        r = run("export", "--layout", "pdh", "--encoding", "windows-" + codec[2:], path)
        self.assertEqual((r.code, r.raw_out.decode(), r.err), (0, text, ""), r)

    def test_code_pages(self):
        for page in (("cp1251", "Московское время (зима)", "Память", "Доступно байт"),
                     ("cp932", "東京 (標準時)", "メモリ", "ソフト表Available"),  # bytes of these are backslashes
                     ("cp1250", "Střední Evropa (běžný čas)", "Paměť", "K dispozici"),
                     ("cp936", "中国标准时间", "内存", "可用字节数"), ("cp949", "대한민국 표준시", "메모리", "바이트"),
                     ("cp950", "台北標準時間", "記憶體", "可用位元組"), ("cp1253", "Χειμερινή ώρα", "Μνήμη", "Bytes"),
                     ("cp1254", "Türkiye Standart Saati", "İşlemci", "Boş"), ("cp1255", "שעון חורף", "זיכרון", "Bytes"),
                     ("cp1252", "Mitteleuropäische Zeit", "Physikalischer Datenträger", "Größe €")):
            with self.subTest(page=page):
                self.check_page(*page)

    def test_code_page_given(self):
        """It wins over the guess; what it lacks is counted; Unicode that says so stays it."""
        text = (HEADER + ROWS).replace("Free", "Память")
        path = self.sheet(text.encode("cp1251"))
        r = run("export", "--layout", "pdh", "--encoding", "KOI8-R", path)
        self.assertEqual((r.raw_out.decode(), r.err), (text.encode("cp1251").decode("koi8-r"), ""))
        r = run("export", "--layout", "pdh", "--encoding", "shift-jis", path)
        self.assertIn("\ufffd", r.raw_out.decode())
        self.assertRegex(r.err, r"^perflog: .*: [1-9]\d* of its bytes (is no letter|are no letters) of that code page "
                                r"\(Windows-932\); --encoding gives another\n$")
        for mark, codec in (b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"):
            r = run("export", "--layout", "pdh", "--encoding", "cp1251", self.sheet(mark + text.encode(codec)))
            self.assertEqual((r.raw_out.decode(), r.err), (text, ""))
        text = text.replace("Память", "Größe")
        r = run("export", "--layout", "pdh", "--encoding", "utf8", self.sheet(text.encode()))
        self.assertEqual((r.raw_out.decode(), r.err), (text, ""))
        for name in "cp", "1", "nix", "", "cp125199999999999999", "utf-16", "50220":
            self.refused(1, "export", "--encoding", name, path, says="give a code page such as cp1251")

    def test_code_page_of_every_command(self):
        """Each that reads a sheet reports the guess, and takes the page instead."""
        page = self.sheet((HEADER + ROWS).replace("Free", "Größe").encode("cp1252"))
        new = self.path("new")
        for command in (["list"], ["info"], ["verify"], ["dump"], ["stats"], ["export"], ["compare", page],
                        ["push", "--forecast"], ["cut", "-o", new, "--from", "2000-01-01"], ["repair", "-o", new],
                        ["import", "-o", new]):
            for args, reported in ([], True), (["--encoding", "cp1252"], False), (["-q"], False):
                if "-q" in args and command[0] in ("list", "info", "dump"):
                    continue
                r = run(*command, *args, page)
                self.assertEqual(r.code, 0, r)
                self.assertEqual("taken for Windows-1252" in r.err, reported, (command, r))
                if os.path.exists(new):
                    os.unlink(new)
        with open(page, "rb") as sheet:
            self.assertIn("perflog: standard input: the sheet is not", run("import", "-o", new, "-", stdin=sheet).err)
        r = run("list", "--encoding", "cp1251", page)
        self.assertIn("Größe".encode("cp1252").decode("cp1251"), r.out)

    def test_pages_across_chunks(self):
        """Characters of two bytes are not cut where one chunk ends and the next begins."""
        name = "表" * 40000
        text = HEADER.replace("Free", name).replace("Memory", "メモリ") + ROWS
        for shift in range(3):
            self.assertEqual(self.pdh(self.sheet(text.replace("メモリ", "メモリ" + "a" * shift).encode("cp932"))),
                             text.replace("メモリ", "メモリ" + "a" * shift))

    def test_unicode_across_chunks(self):
        """A header of Unicode is not taken for another code page by where a chunk ends."""
        for shift in range(4):
            text = HEADER.replace("Free", "內a" * 30000).replace("Memory", "Speicher" + "x" * shift) + ROWS
            r = run("export", "--layout", "pdh", self.sheet(text))
            self.assertEqual((r.raw_out.decode(), r.err), (text, ""))

    def test_letters_across_chunks(self):
        rows = "".join('"07/01/2020 12:%02d:%02d.%03d","%d","1"\r\n' % (i // 60000, i // 1000 % 60, i % 1000, i)
                       for i in range(9000))
        for codec in "utf-8", "utf-16-le", "utf-16-be":
            path = self.sheet((HEADER + rows).replace("Free", "\U0001f600").encode(codec))
            self.assertEqual(self.pdh(path), (HEADER + rows).replace("Free", "\U0001f600"))

    def test_tabs(self):
        text = (HEADER + ROWS).replace(",", "\t").replace("CSV", "TSV")
        self.assertEqual(self.pdh(self.sheet(text)), HEADER + ROWS)

    def test_semicolons(self):
        """As spreadsheets write where the comma is decimal; numbers need no quotes there."""
        text = (HEADER + ROWS).replace(",", ";").replace("0.333", "0,333").replace("1.844", "1,844")
        for sheet in text, text.replace('"', ""), text.replace('"', "").replace("\r\n", ";\r\n").replace(";\r", "\r", 1):
            for codec in "utf-8", "utf-16", "cp1252":
                self.assertEqual(self.pdh(self.sheet(sheet, codec=codec)), HEADER + ROWS, sheet)

    def test_typeperf(self):
        """No zone, six decimals, an empty line before and two lines of talk behind."""
        text = ('\r\n"(PDH-CSV 4.0)","\\\\pc\\Memory\\Free"\r\n"07/01/2020 12:00:00.250","20261367808.000000"\r\n'
                "\r\nExiting, please wait...                         \r\nThe command completed successfully.\r\n\r\n")
        path = self.sheet(text)
        self.assertEqual(self.cells(path)[1], ["07/01/2020 12:00:00.250", "20261367808"])
        self.assertIn("does not tell its time zone", self.events(path))
        self.assertIn("2 lines without a time", self.events(path))

    def test_esxtop(self):
        text = ('"(PDH-CSV 4.0) (UTC)(0)","\\\\esx\\Group Cpu(1:idle)\\% Used","\\\\esx\\Vcpu(1:a(b)/2)\\% Used"\n'
                '"05/15/2018 02:13:06","1.5","2.5"\n')
        self.assertEqual(self.cells(self.sheet(text)), [
            ["(PDH-CSV 4.0) (UTC)(0)", r"\\esx\Group Cpu(1:idle)\% Used", r"\\esx\Vcpu(1:a(b)/2)\% Used"],
            ["05/15/2018 02:13:06.000", "1.5", "2.5"]])

    def test_lost_beginning(self):
        """A sheet whose first cell lost its mark, under the name of another format."""
        path = self.sheet((HEADER + ROWS).replace("(PDH-CSV 4.0) ", ""), name="a.blg")
        self.assertEqual(self.pdh(path), HEADER + ROWS)

    def test_blanks(self):
        rows = long_rows(self.good("export", "-q", "--layout", "long", self.sheet(HEADER + ROWS)).out)
        self.assertEqual([(r["Value"], r["Status"]) for r in rows if r["Counter"] == "Reads/sec"],
                         [("", "source_error"), ("0.3333333333333333", ""), ("-7", "")])

    def test_every_is_a_mean_and_says_so(self):
        r = self.good("export", "--every", "1m", self.sheet(HEADER + "".join(
            '"07/01/2020 12:00:%02d.000","%d","5"\r\n' % (i, i) for i in range(1, 60))))
        self.assertIn("mean", r.err)
        self.assertEqual(r.out.splitlines()[1].split(",")[2], "5")
        self.assertAlmostEqual(float(r.out.splitlines()[1].split(",")[1]), 30, delta=1)

    def test_decimal_comma(self):
        text = HEADER + '"07/01/2020 12:00:00.000","3,25","1"\r\n'
        self.assertEqual(self.cells(self.sheet(text))[1][1], "3.25")

    def test_top_of_sums_beyond_all_numbers(self):
        """A sum that is no number, infinity less infinity, has its place and leaves the others in theirs."""
        rows = "".join('"07/01/2020 12:00:%d0.000",%s\r\n' % (s, ",".join(
            ("1.7e308" if s < 3 else "-1.7e308") if i % 3 == 1 else str(10 + i) for i in range(9))) for s in range(6))
        path = self.sheet('"(PDH-CSV 4.0) (UTC)(0)",%s\r\n%s' % (
            ",".join('"\\\\h\\Process(p%d)\\%% Processor Time"' % i for i in range(9)), rows))
        best = [8, 6, 5, 3, 2, 0]
        for n in range(1, 7):
            header = self.good("export", "-q", "--top", str(n), path).out.splitlines()[0]
            self.assertEqual([int(i) for i in re.findall(r"\(p(\d)\)", header)], sorted(best[:n]))

    def test_zones_with_a_comma(self):
        """Of Windows in French; what stands between the cells is found behind the zone, quoted or not."""
        text = (HEADER + ROWS).replace("GMT Standard Time", "Paris, Madrid")
        tabs = text.replace('","', '"\t"')
        for codec in "utf-8", "utf-16", "utf-16-be":
            for sheet in text, text.replace('"', ""), tabs, tabs.replace('"', ""):
                with self.subTest(codec=codec, sheet=sheet[:60]):
                    self.assertEqual(self.pdh(self.sheet(sheet, codec=codec)), text)
        open_bracket = self.sheet(text.replace("Paris, Madrid", "Paris (Madrid"))  # no path is of a zone
        self.assertEqual(self.cells(open_bracket)[0][1:], self.cells(self.sheet(text))[0][1:])
        own = self.pdh(self.sheet(HEADER + ROWS), "--zone-name", "Paris, Madrid")
        self.assertEqual((own, self.pdh(self.sheet(own))), (text, text))

    def test_pipes(self):
        """A sheet is read from a file, and what is said of a pipe leads there."""
        sheet = (HEADER + ROWS).encode()
        self.refused(1, "export", "-", data=sheet, says="name a file, or, of a log of perflog, take --layout long")
        self.refused(4, "export", "--layout", "long", "-", data=sheet, says="read from files, not pipes")

    def test_several_machines(self):
        text = ('"(PDH-CSV 4.0) (UTC)(0)","\\\\a\\X\\c","\\\\b\\X\\c","\\\\a\\X\\d"\r\n'
                '"07/01/2020 12:00:00.000","1","2","3"\r\n')
        path = self.sheet(text)
        self.good("import", "-q", path, "-o", self.path("a.plog"))
        for f in path, self.path("a.plog"):
            self.assertEqual(self.pdh(f), text)
            self.assertEqual(len(json.loads(run("info", "--json", f).out)), 2)

    def test_what_is_read_twice_lacks_it_once(self):
        """However many machines there are; and what could not be written has failed, whatever the sheet lacks."""
        text = '"(PDH-CSV 4.0) (UTC)(0)"' + "".join(',"\\\\%s\\Memory\\Free"' % h for h in "abcdef") + "\r\n"
        rows = ['"07/01/2020 12:00:%02d.000","%d","2","3","4","5","6"\r\n' % (s, s) for s in range(20)]
        path = self.sheet(text + "".join(rows[:12]) + rows[12].replace("07/01", "13/01") + "".join(rows[13:]))
        for command in ("diagnose",), ("stats",), ("stats", "--hosts"), ("compare", "--shift", "10s"), ("export",):
            r = run(*command, path)
            self.assertEqual(set(re.findall(r"damaged: .*? left out", r.err)),
                             {"damaged: 1 range (%d bytes) and 1 sample left out" % len(rows[12])}, command)
            self.assertEqual(r.code, 2)
            if command[0] != "diagnose":
                self.assertEqual(run(*command, path, "-o", "/dev/full").code, 1, command)
                with open("/dev/full", "wb") as full:
                    self.assertEqual(run(*command, path, stdout=full).code, 1, command)

    def test_lines_that_need_no_parser(self):
        """Each is read as with a blank before it, which libcsv leaves out: then it finds the cells, by itself."""
        time, header = '"07/01/2020 12:00:%02d.000"', '"(PDH-CSV 4.0) (UTC)(0)"'
        # of machines whose columns lie between each other's, and one column that is no counter's
        header += "".join(r',"\\%s\Disk(%d)\Reads"' % (h, i) for i in range(2) for h in "abc") + ',"remark"'
        rows = ['%s,"1","2","3","4","5","6","7"', "%s,1,2,3,4,5,6,7", '%s,1,"2",3,"4",5,"6",', '%s,"1"," ","","4",,"6"," "',
                '%s,"1"," 2","3 ","4",5 ,"6","7"', '%s,"1","2","3","4","5","6"', '%s,"1","2","3","4","5"', "%s,1", "%s", '%s,"","",""',
                '%s,"1","2","3","4","5","6","7","8"', "%s,1,2,3,4,5,6,7,8", '%s,"1","2","3","4","5","6","7",', '%s,"1,5","2","3,","4","5","6",","',
                '%s,"1","2","3","4","x","6","text"', '%s,"1","2","3","4","5","x","7"', '%s,"1","2","3","4","5","6","a (b) c"',
                r'%s,"1","2","3","4","5","6","\\a\Disk(1)\Reads"', r'%s,"1","2","3","4","5","6","a \ b"', '%s,"1","2","3","4","5","6","a ""b"" c"',
                '%s,"1","2","3"x"4","5","6","7"', '%s,"1"," ","3","4","5","6","7","text"',
                '%s,"1","2","3"x,"4","5","6","7"', '%s,"1","2",3"x","4","5","6","7"', '%s,"1","2","3","4","5","6","7', '%s ,"1","2","3","4","5","6","7"',
                '%s,"1","2","3\t","4","5","6","\t"', "%s,1,2,3\t,4,5,6,7", '%s,"1e3","-2","+3",".4","5.","6e-3","0x7"',
                '"x"%.0s,"1","2","3","4","5","6","7"', '"7/1/2020"%.0s,1,2,3,4,5,6,7', '"Exiting, please wait..."%.0s', '""%.0s', '""%.0s,"","","","","","",""',
                '"(PDH-CSV 4.0)"%.0s,"1","2","3","4","5","6","7"', header.replace("%", "%%") + "%.0s"]
        for end, between in itertools.product(("\r\n", "\n", "\r"), (",", "\t", ";")):
            found = []
            for before in "", " ":
                logs = []
                for machine, row in zip(MACHINES, rows):
                    lines = [time % 1 + ',"1","2","3","4","5","6","7"', row % (time % 2), time % 3 + ',"3","2","1","3","2","1","0"']
                    text = end.join([header, *[before + line for line in lines], ""]).replace("\\\\", "\\\\" + machine)
                    logs.append(self.sheet(text.replace(",", between), machine + ".csv"))
                said = run("export", "-q", "--layout", "long", *logs), run("export", "--layout", "long", *logs), run("verify", *logs)
                self.assertGreater(said[0].out.count("\n"), 12 * len(rows))
                self.assertEqual(said[2].out.count("damaged: a cell that is no number"), 9)
                found.append(said[0].out + re.sub(r"\d+ bytes", "", said[1].err) + re.sub(r"\d+", "", said[2].out + said[2].err))
            with self.subTest(end=end, between=between):
                self.assertEqual(*found)

    def test_very_many_columns(self):
        """The first 65,536 are read, the others are reported."""
        names = ["(%d)\\c%d" % (i // 64, i % 64) for i in range(65540)]
        path = self.sheet('"(PDH-CSV 4.0) (UTC)(0)",' + ",".join('"\\\\esx\\X%s"' % n for n in names) + "\n" + "".join(
            '"07/01/2020 12:00:0%d.000",%s\n' % (s, ",".join(map(str, range(65540)))) for s in range(2)))
        header, *rows = list(csv.reader(io.StringIO(self.pdh(path, "--wide-anyway", code=2), newline="")))
        self.assertEqual(len(header), 65537)
        self.assertEqual([row[1:] for row in rows], [[str(i) for i in range(65536)]] * 2)
        verify = run("verify", path)
        self.assertEqual(verify.code, 2)
        self.assertEqual(verify.out.count("damaged: columns beyond 65536; split the sheet by columns"), 1, verify)
        self.assertEqual(run("import", path, "-o", self.path("a.plog")).code, 2)

    def test_joined(self):
        """A sheet behind another of the same columns goes on; the rows of other columns are counted as lost."""
        later = ROWS.replace("12:00:", "12:01:")
        for text in HEADER + ROWS + HEADER + later, HEADER + ROWS + HEADER + HEADER + later + HEADER:
            self.assertEqual(self.pdh(self.sheet(text)), HEADER + ROWS + later)
        other, third = HEADER.replace("Free", "Used"), HEADER.replace(',"\\\\pc\\Memory\\Free"', "")
        self.assertNotEqual(third, HEADER)
        lost = other + ROWS + "talk\r\n" + third + ROWS
        for behind in "", HEADER + later:
            path = self.sheet(HEADER + ROWS + lost + behind)
            self.assertEqual(self.pdh(path, code=2), HEADER + ROWS + (later if behind else ""))
            verify = run("verify", path)
            self.assertEqual(verify.code, 2)
            start = len(HEADER + ROWS)
            self.assertIn("bytes %d to %d (%d): damaged: rows behind another header" % (
                start, start + len(lost) - 1, len(lost)), verify.out)
            self.assertIn("samples lost: 6", verify.out)
            self.assertEqual(verify.out.count("damaged:"), 2)
            self.assertNotIn("lines without a time", self.events(path))

    def test_joined_without_a_line_end(self):
        """A header that begins behind a row, complete or torn, in its line ends that row and counts as any other.

        Without quotes the last number of that row may be torn.
        """
        later, other = ROWS.replace("12:00:", "12:01:"), HEADER.replace("Free", "Used")
        swapped = other + later
        bare = [text.replace('"', "") for text in (HEADER, ROWS, later, swapped)]
        for codec in "utf-8", "utf-16", "utf-16-be", "cp1252":
            for head, rows, more, behind, shown in (HEADER, ROWS, later, swapped, ROWS), (*bare, OPEN_ROWS):
                head, behind = head.replace("pc", "pü"), behind.replace("pc", "pü")
                with self.subTest(codec=codec, head=head):
                    whole = self.sheet(head + rows[:-2] + head + more, codec=codec)
                    self.assertEqual(self.pdh(whole, code=0 if shown == ROWS else 2),
                                     (HEADER + shown + later).replace("pc", "pü"))
                    path = self.sheet(head + rows[:-2] + behind, codec=codec)
                    self.assertEqual(self.pdh(path, code=2), (HEADER + shown).replace("pc", "pü"))
                    found = json.loads(run("verify", "--json", path).out)
                    start, end = (len((head + rows[:-2] + t).encode(codec)) for t in ("", behind))
                    self.assertEqual((found["lost_samples"], [(r["offset"], r["bytes"]) for r in found["ranges"]
                                                              if r["kind"] == "damaged"][-1:]), (3, [(start, end - start)]))
        marked = "\ufeff" + HEADER + ROWS + "\ufeff" + HEADER + later  # as PowerShell's sheets begin
        self.assertEqual(self.pdh(self.sheet(marked)), HEADER + ROWS + later)
        kept = HEADER + "".join(ROWS.splitlines(True)[:2])
        for torn in range(1, 30):
            path = self.sheet(HEADER + ROWS[:-2 - torn] + swapped)
            cells = self.cells(path, code=2)
            self.assertEqual(cells[:3], list(csv.reader(io.StringIO(kept, newline=""))), torn)
            self.assertLessEqual(len(cells), 4)
            self.assertNotIn("12:01:", str(cells))

    def test_joined_with_what_is_left_of_a_header(self):
        """A header that is torn or hurt begins a sheet as any other: no row behind it is one of the first's columns.

        Each has a machine of its own, with a name as long as the others', so that one run reads them all.
        """
        later, texts = ROWS.replace("12:00:", "12:01:"), []
        for quote, first_cut, step in ('"', 2, 1), ("", 5, 4):
            first, head = (text.replace('"', quote)[:-2] for text in (HEADER, HEADER.replace("Free", "Used")))
            last_path = head.rindex("," + quote)
            left = [head[:cut] + behind for cut in range(first_cut, len(head) - 1, step) for behind in ("", first, head)
                    if head[:cut] + behind != first]
            left += [head[:cut] + '"' + head[cut:] for cut in range(1, len(head), step)]
            left += [head[cut:] for cut in range(1, last_path, step)]
            left += ['"07/01/2020 12:00:03.250","-7' + text for text in left[-9:]]
            left += [head[:1 + len(quote)] + "?" + head[2 + len(quote):], head.replace("\\\\pc\\Disk", "pc\\Disk")]
            texts += [HEADER + ROWS + text + "\r\n" + later for text in left]
        self.assertGreater(len(texts), 500)
        sheets = [self.sheet(text.replace("pc", name), name + ".csv") for text, name in zip(texts, MACHINES)]
        wanted, found = self.rows_of(self.sheet(HEADER + ROWS))["pc"], self.rows_of(*sheets, code=2)
        self.assertEqual(len(found), len(texts))
        damaged = re.findall("^(.*): damaged: 3 samples in 1 session; ", run("verify", *sheets).out, re.M)
        self.assertEqual(damaged, sheets)
        for rows, text in zip(found.values(), texts):
            self.assertEqual(rows, wanted, text)
        other = HEADER.replace("Free", "Used")
        for text in other[:40] + "\r\n", other[:50] + HEADER:  # what is left of a header is no row
            found = json.loads(run("verify", "--json", self.sheet(HEADER + ROWS + text + ROWS)).out)
            self.assertEqual(found["lost_samples"], 3, text)

    def test_text_that_begins_like_a_path(self):
        """A remark, or a cell that has no number, is no header, which would cost all rows behind it."""
        later = ROWS.replace("12:00:", "12:01:")
        for text in r"\\server\share", r"\\server", r"see a,\\b", "\\":
            path = self.sheet(HEADER + ROWS + '"07/01/2020 12:00:03.250","1","2","%s"\r\n' % text + later)
            self.assertEqual(self.pdh(path), HEADER + ROWS + '"07/01/2020 12:00:03.250","1","2"\r\n' + later)
            path = self.sheet(HEADER + ROWS + '"07/01/2020 12:00:03.250","1","%s"\r\n' % text + later)
            self.assertEqual(self.pdh(path, code=2), HEADER + ROWS + '"07/01/2020 12:00:03.250","1"," "\r\n' + later)
            self.assertEqual(run("verify", path).out.count("damaged: a cell that is no number"), 1)
        for text in r"\\server\share", r"\\server":  # what may be left of a header is one
            for row in '"x","%s","2"' % text, '"07/01/2020 12:00:03.250","%s"' % text:
                found = json.loads(run("verify", "--json", self.sheet(HEADER + ROWS + row + "\r\n" + later)).out)
                self.assertEqual(found["lost_samples"], 3, row)

    def test_joined_where_a_piece_that_is_read_ends(self):
        """A header behind a row is found wherever reading cuts it."""
        later = ROWS.replace("12:00:", "12:01:")
        for quote, kept in ('"', ROWS), ("", OPEN_ROWS):
            sheets = {}
            for (codec, cut), name in zip(itertools.product(("utf-8", "utf-16-le"), range(-8, 9)), MACHINES):
                head, rows, more = (text.replace('"', quote) for text in (HEADER, ROWS[:-2], later))
                room = (1 << 16) // len("x".encode(codec)) - len(head + rows)
                text = head + "\n" * (room + cut) + rows + head + more
                sheets[codec, cut] = self.sheet(text.replace("pc", name), name + ".csv", codec)
            wanted = self.rows_of(self.sheet(HEADER + kept + later))["pc"]
            found = self.rows_of(*sheets.values(), code=0 if quote else 2)
            self.assertEqual(len(found), 2 * 17)
            for rows, where in zip(found.values(), sheets):
                self.assertEqual(rows, wanted, (quote, where))

    def test_names_like_a_header(self):
        """An instance that is called as headers begin is one."""
        text = (HEADER + ROWS).replace("0 C:", "(PDH-CSV 4.0)")
        self.assertEqual(self.pdh(self.sheet(text)), text)

    def test_rows_of_another_length(self):
        """A row with a number behind the last column is none; one that is too short is damaged, and blank there.

        Nor is one with a blank there and numbers without quotes: it may be one column's decimal comma, another's blank.
        """
        comma = HEADER + "".join('07/01/2020 12:00:0%d.000,1,5,2,7\r\n' % i for i in range(3))
        r = run("export", self.sheet(comma))
        self.assertEqual((r.code, r.out), (4, ""), r)
        for row, cells, reason, lost in (
                ('"1","5","2"', None, "a row with more cells than the header has; decimal commas need quotes", 1),
                ("1,5,", None, "a row with more cells than the header has; decimal commas need quotes", 1),
                ('1,5,""', None, "a row with more cells than the header has; decimal commas need quotes", 1),
                ('"1"', ["1", " "], "a row with fewer cells than the header", 0)):
            path = self.sheet(HEADER + ROWS + '"07/01/2020 12:00:03.250",%s\r\n' % row)
            self.assertEqual([c[1:] for c in self.cells(path, code=2)[4:]], [cells] if cells else [], row)
            verify = run("verify", path)
            self.assertEqual((verify.code, verify.out.count("damaged: " + reason)), (2, 1), verify)
            self.assertIn("samples lost: %d (" % lost, verify.out)
        for row in '"1","2"," ",""', '"1","2","as the fan failed"', '"1","2",':
            path = self.sheet(HEADER + '"07/01/2020 12:00:00.000",%s\r\n' % row)
            self.assertEqual(self.cells(path)[1][1:], ["1", "2"])
        for end, rows in (',""\r\n', ROWS), (',"(a caption)"\r\n', ROWS.replace('"\r', '",""\r')):
            self.assertEqual(self.pdh(self.sheet(HEADER.replace("\r\n", end) + rows)), HEADER + ROWS)

    def test_damage(self):
        """Lines that are no CSV, cells that are no numbers, rows of another header: said, and no value made."""
        path = self.sheet(HEADER + '"07/01/2020 12:00:00.000","1"x,"2"\r\n"07/01/2020 12:00:01.000","nan","3"\r\n'
                          '"07/01/2020 12:00:02.000","4","5"\r\n"07/01/2020 12:00:03.000","7"\r\n')
        self.assertEqual([row[1:] for row in self.cells(path, code=2)[1:]], [[" ", "3"], ["4", "5"], ["7", " "]])
        self.assertIn("no CSV", run("verify", path).out)
        path = self.sheet(HEADER + ROWS + HEADER.replace("Free", "Used") + ROWS.replace("2020", "2021"))
        self.assertEqual(len(self.cells(path, code=2)), 4)
        path = self.sheet(HEADER + ROWS + '"07/01/2020 12:00:03.000","1')
        self.assertEqual(len(self.cells(path, code=2)), 4)

    def test_quote_without_another(self):
        """It costs the row in which it is, and none that follows."""
        for quote, hurt in ('"', '"07/01/2020 12:00:03.250","1","2\r\n'), ('"', '"07/01/2020 12:00:03.250,"1","2"\r\n'), (
                "", '07/01/2020 12:00:03.250,1,"2\r\n'):
            head, rows, more = (text.replace('"', quote) for text in (HEADER, ROWS, ROWS.replace("12:00:", "12:01:")))
            for codec in "utf-8", "utf-16":
                path = self.sheet(head + rows + hurt + more, codec=codec)
                self.assertEqual(self.pdh(path, code=2), HEADER + ROWS + ROWS.replace("12:00:", "12:01:"), hurt)
                self.assertIn("samples lost: 1 (", run("verify", path).out)

    def test_row_that_is_cut_off(self):
        """The number at its end may be the beginning of one, and so is none; nor is a time that may go on."""
        head, rows, row = HEADER.replace('"', ""), ROWS.replace('"', ""), "07/01/2020 12:00:03.250,13,57"
        for cut in range(row.index(".") - 1, row.index(",13") + 4):
            path = self.sheet(head + rows + row[:cut])
            rest = self.cells(path, code=2)[4:]
            self.assertEqual(rest, [["07/01/2020 12:00:03.250", " ", " "]] if cut > row.index(",") else [], row[:cut])
        for end in "", "\r\n":  # within a line, a number that seems complete may be the beginning of one, too
            path = self.sheet(head + rows + row + end)
            self.assertEqual(self.cells(path, code=0 if end else 2)[4][1:], ["13", "57" if end else " "])
            self.assertEqual("a row without an end" in run("verify", path).out, not end)
        self.assertEqual(self.cells(self.sheet(HEADER + ROWS + '"%s","13","57",talk' % row[:23]))[4][1:], ["13", "57"])
        self.assertEqual(self.cells(self.sheet(HEADER + ROWS[:-2]))[3][1:], ["-7", "0"])
        wide = self.sheet(head[:-2] + ",\\\\pc\\Memory\\Used\r\n" + row[:-1])
        self.assertEqual(self.cells(wide, code=2)[1][1:], ["13", " ", " "])

    def test_line_ends(self):
        """Of each system, also of several in one file, wherever a piece that is read ends."""
        lines = ['"(PDH-CSV 4.0) (UTC)(0)","\\\\h\\X\\Zahl"']
        lines += ['"11/26/2026 01:%02d:%02d.000","%d"' % (i // 60, i % 60, i) for i in range(3000)]
        for encoding in "utf-8", "utf-16", "utf-16-be":
            for ends in ("\n", "\r\n", "\r", "\r\r\n", "\r \n"), ("\r",), ("\r\n",):
                text = "".join(line + ends[i % len(ends)] for i, line in enumerate(lines))
                log = self.sheet(text, codec=encoding)
                self.assertEqual([row[1] for row in self.cells(log)[1:]], [str(i) for i in range(3000)], (encoding, ends))
                self.good("verify", log)

    def test_blank_lines(self):
        """However many there are, they are no row, and so no row that is too long."""
        path = self.sheet(HEADER + ROWS.replace("\r\n", "\r\n" + (" " * 1000 + "\r\n") * 17000, 1))
        self.assertEqual(self.cells(path), self.cells(self.sheet(HEADER + ROWS)))

    def test_where_damage_is(self):
        """The bytes of the line, in each encoding, whatever was read with it."""
        rows = ['"(PDH-CSV 4.0) (UTC)(0)","\\\\h\\Größe(ä)\\Zahl"\r\n', "\r\n"]
        rows += ['"11/26/2026 01:%02d:%02d.000","%d"\r\n' % (i // 60, i % 60, i) for i in range(3000)]
        rows[1000] = rows[1000].replace('"\r', 'ö"\r')
        rows[2000] = "ö" + rows[2000]
        rows[2001] = rows[2001].replace('"\r', 'ö"\r')
        for encoding in "utf-8", "utf-8-sig", "utf-16", "utf-16-be", "cp1252":
            path = self.sheet("".join(rows), codec=encoding)
            marks = len("".encode(encoding))
            ends = [marks + sum(len(row.encode(encoding)) - marks for row in rows[:n]) for n in (1000, 2000, 2001, 2002)]
            wanted = [(ends[0], len(rows[1000].encode(encoding)) - marks)]
            wanted += [(ends[1], ends[2] - ends[1]), (ends[2], ends[3] - ends[2])]
            found = json.loads(run("verify", "--json", path).out)
            self.assertEqual([(r["offset"], r["bytes"]) for r in found["ranges"] if r["kind"] == "damaged"], wanted, encoding)
            self.assertEqual(found["damaged_bytes"], sum(length for _, length in wanted))

    def test_what_damage_costs(self):
        """A row that is no CSV, or without a time, is a sample; a cell is none, nor are columns that do not fit."""
        rows = ['"11/26/2026 01:00:%02d","%d","%d"\r\n' % (i, i, i) for i in range(10)]
        for bad, lost in ((rows[5][:-4] + '"x"\r\n', 1), (rows[5].replace("2026 ", "2026"), 1), (rows[5].replace(',"5"', ',"v"'), 0)):
            path = self.sheet(HEADER + "".join(rows[:5]) + bad + "".join(rows[6:]))
            found = json.loads(run("verify", "--json", path).out)
            r, = (r for r in found["ranges"] if r["kind"] == "lost")
            wanted = (1, 2000) if lost else (0, 0)
            self.assertEqual((r["samples"], r["lost_ms"]), wanted, bad)
            self.assertEqual((found["lost_samples"], found["lost_ms"]), wanted, bad)
            self.assertIn("%d sample%s lost" % (lost, "" if lost == 1 else "s"), run("info", path).out)
            self.assertEqual(run("verify", path).out.count(": lost: "), lost)
            length = len(bad)
            for command in "export", ("export", "--xlsx", "-o", self.path("a.xlsx")):
                self.assertIn("damaged: 1 range (%d bytes)%s left out where unreadable;" % (length, " and 1 sample" * lost),
                              run(*([command] if isinstance(command, str) else command), path).err)

    def test_times_that_are_none(self):
        """Rows of a day, an hour or a second that no clock shows are damage; lines of talk are not."""
        talk = "Exiting, please wait...\r\nVorgang wird beendet, bitte warten\r\n"
        rows = ROWS.replace('"07/01/2020 12:00:01.250"', '"%s"')
        for time in ("02/30/2020 12:00:01", "04/31/2020 12:00:01", "02/29/2021 12:00:01.000", "07/01/2020 24:00:00",
                     "07/01/2020 12:00:60", "0q/01/2020 12:00:01.250", "07/01/202"):
            path = self.sheet(HEADER + rows % time + talk)
            self.assertEqual([row[0] for row in self.cells(path, code=2)[1:]],
                             ["07/01/2020 12:00:00.250", "07/01/2020 12:00:02.250"], time)
            self.assertEqual(run("verify", path).out.count("a row whose time is none"), 1)
            self.assertIn("2 lines without a time", self.events(path))
        path = self.sheet(HEADER + rows % "" + "Exiting, please wait...\r\n")
        self.assertEqual([row[1] for row in self.cells(path, code=2)[1:]], [" ", "-7"])
        self.assertEqual(run("verify", path).out.count("a row whose time is none"), 1)
        self.assertIn("1 line without a time was left out", self.events(path))
        path = self.sheet(HEADER + rows % "02/29/2020 12:00:01" + talk)
        self.assertEqual(self.cells(path)[2][0], "02/29/2020 12:00:01.000")

    def test_wider_than_a_sample(self):
        """What does not fit is reported once, for each machine that has so much."""
        for n, lost in (16384, 0), (16385, 1):
            for host in "a", "b":
                path = self.sheet('"(PDH-CSV 4.0) (UTC)(0)","\\\\a\\X\\c"%s\r\n%s' % (
                    "".join(',"\\\\%s\\T(%d)\\c"' % (host, i) for i in range(n - (host == "a"))),
                    "".join('"07/01/2020 12:00:0%d.000"%s\r\n' % (s, ',"1"' * (n + (host == "b"))) for s in range(3))))
                r = run("verify", path)
                self.assertEqual(r.code, 2 * lost, r)
                self.assertEqual(r.out.count("more than 16384 objects and instances"), lost, r)

    def test_more_machines_than_are_read(self):
        """It is reported once that the columns of others are left out."""
        for num, lost in (256, 0), (257, 1):
            path = self.sheet('"(PDH-CSV 4.0) (UTC)(0)"%s\r\n%s' % (
                "".join(',"\\\\m%d\\X\\c"' % i for i in range(num)),
                "".join('"07/01/2020 12:00:0%d.000"%s\r\n' % (s, ',"1"' * num) for s in range(3))))
            r = run("verify", path)
            self.assertEqual((r.code, r.out.count("columns of more than 256 machines")), (2 * lost, lost), r)
            self.assertEqual(len(self.cells(path, code=2 * lost)[1]), 257)

    def test_hostile(self):
        for text in (HEADER, HEADER[:30], HEADER[:-2], '"(PDH-CSV 4.0)","\\\\"\n', '"(PDH-CSV 4.0)","x"\n',
                     HEADER + '"' + "x" * 100000, HEADER + "\0" * 5000, HEADER + "," * 50000 + "\n"):
            with self.subTest(text=text[:60]):
                self.assertIn(run("export", self.sheet(text)).code, (1, 2, 4))
        path = self.sheet(HEADER + '"99/99/2020 12:00:00.000","1","2"\r\n"07/01/2020 12:00:00.000","1e999","0x10"\r\n')
        self.assertEqual(self.cells(path, code=2)[1:], [["07/01/2020 12:00:00.000", " ", " "]])


if __name__ == "__main__":
    harness.main()
