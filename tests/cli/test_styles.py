#!/usr/bin/env python3
"""export --for, --precision, --decimal-comma and --bom, as Python's csv and float read them."""
import csv
import datetime
import io
import os
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import Case
from write_log import Log, object_of

START = 1_795_246_502_250_000_000  # 2026-11-21 07:35:02.250 UTC
BOM = b"\xEF\xBB\xBF"
PER_SEC, LARGE_RAWCOUNT = 0x10410400, 0x00010100


class Styles(Case):
    def setUp(self):
        super().setUp()
        log = Log({2: b"Disk", 4: b"Reads/sec", 6: b"Size"}, interval_ns=0)
        for i, reads in enumerate((0, 70_000, 70_001)):
            log.sample(START + 21 * i * 10**9, [object_of(2, [(4, PER_SEC, 4), (6, LARGE_RAWCOUNT, 8)],
                                                          [("=1+1;,é", (reads, 2**63 + 1))])])
        self.log = log.save(self.path("a.plog"))
        self.name = r"\\web\Disk(=1+1;,é)" + "\\"

    def bytes_of(self, *args):
        return self.good("export", *args, self.log).raw_out

    def rows(self, *args, delimiter=","):
        text = self.bytes_of(*args).decode("utf-8-sig")
        return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))

    def instance(self, *args):
        """How the long layout shows the instance's name."""
        return {row[3] for row in self.rows("--layout", "long", *args)[1:]}

    def test_plain(self):
        self.assertEqual(self.rows(), [
            ["Time (UTC)", self.name + "Reads/sec", self.name + "Size"],
            ["2026-11-21 07:35:02.250", "", "9223372036854775809"],
            ["2026-11-21 07:35:23.250", "3333.3333333333335", "9223372036854775809"],
            ["2026-11-21 07:35:44.250", "0.047619047619047616", "9223372036854775809"]])
        self.assertEqual(self.bytes_of()[:4], b"Time")

    def test_precision(self):
        for digits in range(1, 18):
            cells = [row[1] for row in self.rows("--precision", str(digits))[2:]]
            for cell, v in zip(cells, (70_000 / 21, 1 / 21)):
                self.assertEqual(float(cell), float("%.*g" % (digits, v)), cell)
                self.assertNotIn("e", cell)
                self.assertLessEqual(len(cell.replace(".", "").strip("0")), digits)
        self.assertEqual([row[2] for row in self.rows("--precision", "3")[1:]], ["9223372036854775809"] * 3)
        for wrong in ("0", "18", "-1", "x", "", "3.5", "99999999999999999999"):
            self.refused(1, "export", "--precision=" + wrong, self.log, says="--precision")

    def test_decimal_comma(self):
        rows = self.rows("--decimal-comma", delimiter=";")
        self.assertEqual([[c.replace(",", ".") for c in row[:1] + row[1:]] for row in rows[1:]], self.rows()[1:])
        self.assertEqual(rows[0], self.rows()[0], "names are as they are")
        self.assertEqual(rows[2], ["2026-11-21 07:35:23,250", "3333,3333333333335", "9223372036854775809"])
        for style in "unix", "serial":
            rows = self.rows("--decimal-comma", "--time", style, delimiter=";")
            self.assertEqual([row[0].replace(",", ".") for row in rows[1:]],
                             [row[0] for row in self.rows("--time", style)[1:]])
            self.assertNotIn(".", rows[1][0])
        self.assertEqual(self.rows("--decimal-comma", "--layout", "long", delimiter=";")[3][3:6],
                         ["'=1+1;,é", "Reads/sec", "3333,3333333333335"])

    def test_byte_order_mark(self):
        for layout in "wide", "long":
            plain = self.bytes_of("--layout", layout)
            self.assertEqual(self.bytes_of("--layout", layout, "--bom"), BOM + plain)
        self.refused(4, "export", "--bom", "-o", self.path("none.csv"), self.write("b.plog"))

    def test_excel(self):
        self.assertEqual(self.bytes_of("--for", "excel"), BOM + self.bytes_of())
        self.assertEqual(self.instance("--for", "excel"), {"'=1+1;,é"})
        self.assertEqual(self.bytes_of("--for", "excel", "--decimal-comma"),
                         BOM + self.bytes_of("--decimal-comma"))

    def test_libreoffice(self):
        self.assertEqual(self.bytes_of("--for", "libreoffice"), self.bytes_of("--time", "iso"))
        self.assertEqual(self.instance("--for", "libreoffice"), {"'=1+1;,é"})

    def test_pandas(self):
        self.assertEqual(self.bytes_of("--for", "pandas"), self.bytes_of("--time", "iso", "--no-guard"))
        self.assertEqual(self.instance("--for", "pandas"), {"=1+1;,é"})
        for row in self.rows("--for", "pandas")[1:]:
            datetime.datetime.fromisoformat(row[0])

    def test_single_options_win(self):
        for args in (("--time", "unix", "--for", "pandas"), ("--for", "pandas", "--time", "unix")):
            self.assertEqual(self.rows(*args)[1][0], "1795246502.250")
        self.assertEqual(self.instance("--no-guard", "--for", "excel"), {"=1+1;,é"})
        self.refused(1, "export", "--for", "lotus", self.log, says="excel, libreoffice or pandas")


if __name__ == "__main__":
    harness.main()
