#!/usr/bin/env python3
"""What is read from a log is the same, byte for byte, whichever system reads it."""
import os
import re
import subprocess
import unittest
import zipfile

from native import DATA, EXE, NATIVE, RUN, native, need, windows
from harness import TIMEOUT, Case, main, records, run
from write_log import SECOND, Log, object_of

VISTA = os.path.join(DATA, "vista", "blocks")
COMMANDS = [
    ("export", "--layout", "wide"),
    ("export", "--layout", "long"),
    ("export", "--layout", "pdh"),
    ("export", "--layout", "long", "--time", "unix"),
    ("export", "--time", "serial", "--precision", "5"),
    ("export", "--tz", "+05:30", "--for", "excel"),
    ("export", "--every", "1s"),
    ("export", "--every", "1s:max", "--layout", "long"),
    ("export", "-c", r"\*(*)\% Processor Time", "--decimal-comma"),
    ("export", "--top", "3"),
    ("stats",),
    ("stats", "--json"),
    ("list",),
    ("list", "--types"),
    ("list", "--help-text"),
    ("info",),
    ("verify",),
    ("dump", "--sample", "2"),
]


class Same(Case):
    def compare(self, *args, **how):
        here, there = native(*args, **how), run(*args, **how)
        with self.subTest(command=args):
            self.assertEqual(there.code, here.code, there)
            self.assertTrue(there.raw_out == here.raw_out, "other bytes: %r, not %r" %
                            (there.raw_out[:200], here.raw_out[:200]))
            self.assertEqual(there.err, here.err)
        return here

    def compare_all(self, log):
        for command in COMMANDS:
            self.compare(*command, log)

    def recorded(self):
        path = self.path("linux.plog")
        r = native("record", "-q", "-i", "100ms", "-n", "12", path)
        self.assertEqual(r.code, 0, r)
        return path

    def test_a_log_of_linux(self):
        self.compare_all(self.recorded())

    def test_a_damaged_log_of_linux(self):
        path = self.recorded()
        samples = [at for kind, at, _, _ in records(path) if kind == "SMPL"]
        with open(path, "r+b") as f:
            f.seek(samples[8] + 80)
            f.write(b"damage")
        for command in (("export", "--layout", "long"), ("verify",), ("info",)):
            r = self.compare(*command, path)
            self.assertEqual(r.code, 2, r)

    def test_a_log_from_standard_input(self):
        with open(self.recorded(), "rb") as f:
            log = f.read()
        self.compare("export", "--layout", "long", "-", data=log)

    def test_folders_and_pages(self):
        path = self.recorded()
        for program, name in ((native, "here"), (run, "there")):
            for args in (("--layout", "table", "-o", self.path(name)),
                         ("--split", "-o", self.path(name + ".csv"))):
                r = program("export", "-q", *args, path)
                self.assertEqual(r.code, 0, r)
        here, there = sorted(os.listdir(self.path("here"))), sorted(os.listdir(self.path("there")))
        self.assertEqual(here, there)
        pairs = [(self.path("here", n), self.path("there", n)) for n in here]
        pairs.append((self.path("here-001.csv"), self.path("there-001.csv")))
        for a, b in pairs:
            with open(a, "rb") as x, open(b, "rb") as y:
                self.assertTrue(x.read() == y.read(), a)

    def test_logs_made_on_windows(self):
        """repair, cut and import write there what is read here."""
        path = self.recorded()
        for args in (("repair", path), ("cut", "--from", "-1s", path)):
            here, there = self.path(args[0] + "-here"), self.path(args[0] + "-there")
            for program, out in ((native, here), (run, there)):
                r = program(*args, "-o", out)
                self.assertEqual(r.code, 0, r)
            a, b = (native("export", "--layout", "long", log) for log in (here, there))
            self.assertTrue(a.raw_out == b.raw_out and a.code == b.code == 0, args)

    def parts(self, path):
        """What is in a workbook, but for when it was made."""
        with zipfile.ZipFile(path) as z:
            self.assertIsNone(z.testzip())
            return {name: re.sub(rb"(<dcterms:[a-z]+ [^>]*>)[^<]*", rb"\1", z.read(name)) for name in z.namelist()}

    def compare_workbooks(self, log, *args):
        here, there = self.path("here.xlsx"), self.path("there.xlsx")
        for program, out in ((native, here), (run, there)):
            r = program("export", "-q", "--xlsx", *args, "-o", out, log)
            self.assertEqual((r.code, r.err), (0, ""), r)
        a, b = self.parts(here), self.parts(there)
        self.assertEqual(list(a), list(b))
        for name in a:
            self.assertTrue(a[name] == b[name], "%s of %s" % (name, args))
        return a

    def test_workbooks(self):
        log = self.recorded()
        parts = self.compare_workbooks(log)
        self.assertIn("xl/charts/chart1.xml", parts)
        self.assertIn(b"<dcterms:created", parts["docProps/core.xml"])
        self.compare_workbooks(log, "--tz", "+05:30", "-c", r"\Process(*)\% Processor Time", "-c", "System")

    def test_a_workbook_of_odd_numbers_and_names(self):
        log = Log({2: "Größe „χ“ 日本".encode(), 4: b"Level", 6: b"Drops/sec"}, interval_ns=SECOND // 4)
        for i, n in enumerate((0, 1, 10**15, 2**53 + 1, 2**64 - 1, 123456789012345678)):
            names = "=1+1", "<b>&\"'", "\x01\x7f\u202e", "日本 🛰"
            log.sample(1_795_246_502 * SECOND + i * SECOND // 4,
                       [object_of(2, [(4, 0x00010100, 8), (6, 0x10410500, 8)], [(name, (n, 7 * i)) for name in names])])
        self.compare_workbooks(log.save(self.path("a.plog")))

    def test_temporary_files_of_workbooks(self):
        """They go where Windows has them, and none is left; without that folder there is no workbook."""
        folder, out = self.path("Größe 日本"), self.path("out.xlsx")
        log = self.recorded()
        os.mkdir(folder)
        for place, code in ((folder, 0), (self.path("nowhere"), 1)):
            command = "set TMP=%s&& %s export -q --xlsx -o %s %s" % tuple(map(windows, (place, EXE, out, log)))
            r = subprocess.run([RUN, "cmd", "/c", command], timeout=TIMEOUT, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.assertEqual(r.returncode, code, r)
            self.assertEqual(os.path.exists(out), not code)
            self.assertEqual(os.listdir(folder), [])
            if not code:
                os.unlink(out)
        self.assertEqual(r.stderr.decode().count("\n"), 1, r)
        self.assertIn("temporary files could not be written; make room in %s, or let TMP name another" %
                      windows(self.path("nowhere") + "/"), r.stderr.decode())

    @unittest.skipUnless(os.path.isdir(VISTA), "there are no blocks of Windows Vista")
    def test_blocks_of_a_real_machine(self):
        blocks = [os.path.join(VISTA, name) for name in sorted(os.listdir(VISTA))][:6]
        here, there = self.path("here.plog"), self.path("there.plog")
        for program, out in ((native, here), (run, there)):
            r = program("import", *blocks, "-o", out)
            self.assertEqual(r.code, 0, r)
        a, b = native("export", "--layout", "long", here), native("export", "--layout", "long", there)
        self.assertTrue(a.raw_out == b.raw_out and a.code == b.code == 0)
        self.compare_all(there)


if __name__ == "__main__":
    need(NATIVE)
    main()
