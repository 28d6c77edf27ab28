#!/usr/bin/env python3
"""What is read from a log is the same, byte for byte, whichever system reads it."""
import os
import unittest

from native import DATA, NATIVE, native, need
from harness import Case, main, records, run

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
