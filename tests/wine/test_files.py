#!/usr/bin/env python3
"""Names, locks and interruptions as Windows has them: perflog.exe under Wine."""
import os
import subprocess

from native import EXE, NATIVE, native, need
import write_blg
from harness import PROGRAM, TIMEOUT, Case, main, run, wait_until

NAME = "Größe „χ“ 日本 🛰.plog"


class Files(Case):
    def log(self, name, *args):
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        r = native("record", "-q", "-i", "20ms", "-n", "5", "-c", r"\System\*", *args, path)
        self.assertEqual(r.code, 0, r)
        return path

    def test_names_of_all_letters(self):
        """In arguments, and in files that are written."""
        path, out = self.log(NAME), self.path(NAME + ".csv")
        self.good("export", path, "-o", out)
        with open(out, "rb") as f:
            self.assertEqual(f.read(), native("export", path).raw_out)
        self.good("repair", path, "-o", self.path("new " + NAME))
        self.assertEqual(sorted(os.listdir(self.folder)),
                         sorted([NAME, NAME + ".csv", "new " + NAME]))

    def test_a_sheet_that_gets_wider(self):
        """It is written a second time, beside the first: no such file is left, whatever the letters of its name."""
        made, log, out = self.path("a.blg"), self.path("a.plog"), self.path(NAME + ".csv")
        blg = write_blg.Log().message(write_blg.LIST, write_blg.START, write_blg.counter_list(
            write_blg.entry(r"\\pc", "Disk", "*", "Depth", 0x00010000, flags=1)))
        for i in range(8):
            names = ["%03d" % k for k in range(300)] + ["late"] * (i in (3, 4))  # in no sample that is stored whole
            blg.message(write_blg.SAMPLE, write_blg.START + i * write_blg.SECOND,
                        write_blg.sample(write_blg.array([(n, i, 0) for n in names])))
        blg.save(made)
        self.assertEqual(native("import", "-q", made, "-o", log).code, 0)
        self.good("export", "-q", log, "-o", out)
        with open(out, "rb") as f:
            sheet = f.read()
        self.assertIn(b"(late)", sheet)
        self.assertEqual(sheet, native("export", log).raw_out)
        self.assertEqual(sorted(os.listdir(self.folder)), sorted(["a.blg", "a.plog", NAME + ".csv"]))

    def test_messages_show_all_letters(self):
        r = run("info", self.path(NAME))
        self.check_one_line(r, 1, NAME + ": No such file or directory")

    def test_wildcards_are_not_the_shells(self):
        """A path that fits a file's name stays a path."""
        self.log("a.plog")
        r = self.good("export", "-c", r"\*\Processes", "a.plog", cwd=self.folder)
        self.assertIn(r"\System\Processes", r.out)

    def test_paths_of_any_length(self):
        folder = os.path.join(*["a folder with a long name, number %d" % i for i in range(12)])
        path = self.log(os.path.join(folder, "long.plog"))
        self.assertGreater(len(path), 300)
        self.good("repair", path, "-o", path + ".new")
        self.assertEqual(run("export", path + ".new").raw_out, native("export", path).raw_out)
        self.good("export", "--xlsx", path, "-o", path + " 日本.xlsx")
        self.assertEqual(sorted(os.listdir(os.path.dirname(path))), ["long.plog", "long.plog 日本.xlsx", "long.plog.new"])

    def test_backslashes_separate_names(self):
        path = self.log("folder/a.plog")
        r = self.good("export", "--split", "folder\\a.plog", "-o", "folder\\v1.2", cwd=self.folder)
        self.assertEqual(sorted(os.listdir(self.path("folder"))), ["a.plog", "v1-001.2"], r)
        self.assertTrue(os.path.exists(path))

    def test_a_folder_of_segments(self):
        path = self.log("rotated/s.plog", "--max-size", "64K")
        here = native("export", os.path.dirname(path))
        self.assertEqual(self.good("export", os.path.dirname(path)).raw_out, here.raw_out)

    def test_what_is_no_log(self):
        self.refused(1, "export", self.folder, says="")
        self.refused(4, "export", self.write("x", b"nothing"), says="not a perflog log")
        self.refused(1, "repair", self.log("a.plog"), "-o", self.path("a.plog"))

    def test_output_takes_the_place_of_a_file_in_one_step(self):
        path, out = self.log("a.plog"), self.write("out.csv", b"old")
        self.good("export", path, "-o", out)
        with open(out, "rb") as f:
            self.assertEqual(f.read(), native("export", path).raw_out)
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.plog", "out.csv"])

    def test_output_to_the_null_device(self):
        r = self.good("export", self.log("a.plog"), "-o", "NUL", cwd=self.folder)
        self.assertEqual(os.listdir(self.folder), ["a.plog"], r)

    def test_nothing_of_windows_windows_is_loaded(self):
        """With the libraries of windows Windows does not tell a program that people log off."""
        with open(EXE, "rb") as f:
            program = f.read().lower()
        self.assertIn(b"kernel32.dll", program)
        for name in b"user32.dll", b"gdi32.dll", b"shell32.dll", b"ole32.dll":
            self.assertNotIn(b"\0" + name, program)

    def test_arguments_of_all_kinds(self):
        for name in ("two words", 'a "b" c', "back\\slash\\", 'q\\"', "日本 🛰", "*", ""):
            r = run("export", "--tz", name, self.path("x"))
            self.check_one_line(r, 1)
            self.assertIn("--tz '%s'" % name, r.err)

    def test_interrupted_work_leaves_nothing(self):
        path = self.log("a.plog")
        export = subprocess.Popen([PROGRAM, "export", "--follow", path, "-o", self.path("x.csv")],
                                  stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.addCleanup(export.kill)
        wait_until(lambda: len(os.listdir(self.folder)) > 1, "the export has begun")
        export.send_signal(2)
        export.communicate(timeout=TIMEOUT)
        self.assertEqual([n for n in os.listdir(self.folder) if ".part" in n], [])


if __name__ == "__main__":
    need(NATIVE)
    main()
