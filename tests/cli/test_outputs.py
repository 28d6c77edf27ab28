#!/usr/bin/env python3
"""Where sheets go: never onto the log, over an old sheet only when whole, to pipes and terminals."""
import os
import pty
import resource
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import HOSTILE, PROGRAM, SYSTEM, Case, run
from write_log import SECOND, Log, object_of


class Outputs(Case):
    """Where sheets go."""

    def setUp(self):
        super().setUp()
        self.log = self.record(self.path("a.plog"), "-n", "3", "-i", "100ms")

    def test_never_onto_the_log(self):
        os.symlink(self.log, self.path("link"))
        os.link(self.log, self.path("hard"))
        os.mkdir(self.path("folder"))
        for out in (self.log, self.path("folder", "..", "a.plog"), self.path("link"),
                    self.path("hard")):
            self.refused(1, "export", "-o", out, self.log, says="log itself")
        self.refused(1, "export", "-o", self.log, self.folder, says="log itself")
        self.refused(1, "export", "-o", self.path("folder"), self.log, says="folder")
        self.refused(1, "export", "-o", self.path("none", "out.csv"), self.log, says="No such file")
        self.refused(1, "export", "-o", "", self.log)
        for command in ("export", "--layout", "long"), ("stats",):
            with open(self.log, "rb") as log:
                self.refused(1, *command, "-o", self.log, "-", stdin=log, says="log itself")
            with open(self.log, "ab") as out:
                self.refused(1, *command, self.log, stdout=out, says="log itself")
        with open("/dev/null", "r+b") as null:  # is not taken for a log
            self.refused(4, "export", "--layout", "long", "-", stdin=null, stdout=null)

    def test_unfinished_name_taken_by_others(self):
        """The name under which a sheet grows is not ours if something is there."""
        log = self.path("out.csv.part")
        shutil.copy(self.log, log)
        before = harness.snapshot(self.folder)
        run("export", "-q", "-o", self.path("out.csv"), log)
        after = harness.snapshot(self.folder)
        self.assertEqual(before[log], after.get(log), "exporting x.part to x destroyed the log")
        notes = self.write("sheet.csv.part", b"notes of another program\n")
        run("export", "-q", "-o", self.path("sheet.csv"), self.log)
        self.assertEqual(harness.snapshot(self.folder).get(notes, [None])[-1], b"notes of another program\n")

    def test_unfinished_name_is_no_way_to_other_files(self):
        victim = self.write("victim", b"precious\n")
        os.symlink(victim, self.path("out.csv.part"))
        run("export", "-q", "-o", self.path("out.csv"), self.log)
        with open(victim, "rb") as f:
            self.assertEqual(f.read(), b"precious\n", "written through a symbolic link")

    def test_old_sheet_stays_until_the_new_one_is_whole(self):
        out = self.write("out.csv", b"old\n")
        empty = self.write("empty.plog")
        self.refused(4, "export", "-o", out, empty)
        self.good("export", "-q", "-o", out, self.log)
        with open(out, "rb") as f:
            self.assertEqual(f.read(), self.good("export", "-q", self.log).raw_out)
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.plog", "empty.plog", "out.csv"])

    def test_what_a_file_is_named_like_it_is(self):
        """By the end of its name, in letters of either case, where no option says another form."""
        first = {"csv": "Host,", "json": ("[", "{"), "html": "<!", "htm": "<!", "plog": "\x89PL1", "txt": ""}
        for command, written, refused in (("stats", "csv CSV json Json txt", "tsv html htm xlsx parquet"),
                                          ("compare", "csv json html HTM txt", "TSV xlsx parquet"),
                                          ("diagnose", "json txt", "csv html xlsx parquet"),
                                          ("top", "txt", "csv tsv json html xlsx parquet"),
                                          ("report", "html htm txt", "csv json xlsx parquet"),
                                          ("export", "csv txt", "tsv json html parquet"),
                                          ("repair", "plog txt", "csv json"), ("cut -c *", "plog txt", "html")):
            logs = [self.log, self.log] if command == "compare" else [self.log]
            for end in written.split():
                out = self.path("%s.%s" % (command.split()[0], end))
                with self.subTest(out=out):
                    r = run(*command.split(), "-o", out, *logs)
                    if "without uPlot" in r.err:
                        continue
                    self.assertEqual((r.code, r.out), (0, ""), r)
                    begins = "Time (" if command == "export" else first[end.lower()]
                    self.assertTrue(harness.read(out).decode("latin-1").startswith(begins), out)
            for end in refused.split():
                out = self.path("%s.%s" % (command.split()[0], end))
                self.refused(1, *command.split(), "-o", out, *logs, says="'%s' is named like " % out)
        for end in "csv", "json", "xlsx":
            out = self.path("out." + end)
            self.refused(1, "record", "-n", "1", *SYSTEM, out,
                         says="record: '%s' is named like " % out)
            self.assertFalse(os.path.exists(out))
        for args, says in ((("stats", "--json", "-o", self.path("a.csv")), "like CSV, and JSON is written; name another file, or"),
                           (("diagnose", "--json", "-o", self.path("a.csv")), "like CSV, and JSON is written; name another file\n"),
                           (("export", "--xlsx", "-o", self.path("a.html")), "like a page, and a workbook is written"),
                           (("export", "--parquet", "-o", self.path("a.json")), "like JSON, and Parquet is written")):
            self.refused(1, *args, self.log, says=says)

    def test_full_output(self):
        for args in (("export",), ("export", "--layout", "long"), ("list",), ("info",), ("verify",),
                     ("list", "--json"), ("info", "--json"), ("verify", "--json"), ("top",), ("diagnose",),
                     ("stats", "-q"), ("dump",), ("push", "--forecast")):
            with self.subTest(command=args), open("/dev/full", "wb") as full:
                self.check_one_line(run(*args, self.log, stdout=full), 1, "No space left")
        for args in ("--help",), ("--version",), ("help", "export"), ("export", "--help"):
            with self.subTest(command=args), open("/dev/full", "wb") as full:
                self.check_one_line(run(*args, stdout=full), 1, "No space left")
        self.refused(1, "export", "-q", "-o", "/dev/full", self.log, says="No space left")

    def test_output_larger_than_allowed(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        out = self.write("out.csv", b"old\n")
        self.refused(1, "export", "-q", "--layout", "long", "-o", out, self.log,
                     preexec_fn=limit, says="too large")

    def test_streams_that_are_closed(self):
        """No file takes their place, and gets the messages: here of damage, while the log is written."""
        log = Log({2: b"Tank", 4: b"Level"})
        for at in range(9):
            log.sample(at * SECOND, [object_of(2, [(4, 0x00010100, 8)], [(None, (at,))])])
        data = bytearray(log.data)
        data[len(data) // 2] ^= 0xFF
        hurt, out, book = self.write("hurt.plog", data), self.path("out.plog"), self.path("book.xlsx")
        for streams in (0, 1, 2), (1, 2), (0, 1), (0, 2), (2,):
            def close():
                for fd in streams:
                    os.close(fd)
            with self.subTest(closed=streams):
                for code, *command in ((2, "cut", "--from", "-9s", "-o", out, hurt),
                                       (0, "export", "--xlsx", "-o", book, self.log)):
                    self.assertEqual(subprocess.call([PROGRAM, *command], stdin=subprocess.DEVNULL,
                                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                                     timeout=harness.TIMEOUT, preexec_fn=close), code)
                self.good("verify", out)
                os.unlink(out)
                os.unlink(book)
        r = run("info", self.log, preexec_fn=lambda: os.close(1))
        self.check_one_line(r, 1, "Bad file descriptor")
        r = run("info", "-", preexec_fn=lambda: os.close(0))
        self.check_one_line(r, 1, "Bad file descriptor")

    def test_reader_that_leaves(self):
        for args in ("export",), ("export", "--layout", "long"), ("list",), ("list", "--json"):
            with self.subTest(command=args):
                p = subprocess.Popen([PROGRAM, *args, self.log], stdout=subprocess.PIPE,
                                     stderr=subprocess.PIPE)
                p.stdout.read(10)
                p.stdout.close()
                err = p.stderr.read()
                p.stderr.close()
                quiet = (0,) if args[0] == "export" else (0, -signal.SIGPIPE)
                self.assertIn(p.wait(harness.TIMEOUT), quiet)
                if args != ("export",):  # which may tell of --layout long
                    self.assertEqual(err, b"")

    def test_standard_input(self):
        wanted = self.good("export", "--layout", "long", self.log).out
        with open(self.log, "rb") as f:
            data = f.read()
        r = run("export", "--layout", "long", "-", data=data)
        self.assertEqual((r.code, r.out, r.err), (0, wanted, ""))
        self.check_one_line(run("export", "-", data=data), 1, "--layout long")
        r = run("export", "--top", "1", "-", data=data)
        self.check_one_line(r, 1, "name a file")
        self.assertNotIn("long", r.err)
        self.check_one_line(run("export", "--layout", "long", "-", data=b""), 4)
        self.check_one_line(run("export", "--layout", "long", "-", data=b"hello\n" * 99), 4)
        self.assertEqual(run("verify", "-", data=data).code, 0)
        self.assertEqual(run("info", "-", data=data).code, 0)
        self.assertEqual(run("list", "-", data=data).out, self.good("list", self.log).out)

    def test_interrupted_export_leaves_nothing(self):
        with open(self.log, "rb") as f:
            data = f.read()
        before = harness.snapshot(self.folder)
        for sig in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
            p = subprocess.Popen([PROGRAM, "export", "--layout", "long", "-o",
                                  self.path("%d.csv" % sig), "-"], stdin=subprocess.PIPE,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            with p:
                p.stdin.write(data)
                p.stdin.flush()
                part = self.path("%d.csv.part" % sig)
                harness.wait_until(lambda: os.path.exists(part), "it writes")
                p.send_signal(sig)
                try:
                    p.wait(harness.TIMEOUT)
                except subprocess.TimeoutExpired:
                    p.kill()
                    self.fail("a signal does not end an export that waits for its input")
        self.check_unchanged(before)

    def test_signals_that_are_to_be_ignored(self):
        """nohup, and a shell that runs something in the background, mean it."""
        with open(self.log, "rb") as f:
            data = f.read()
        for sig in signal.SIGHUP, signal.SIGINT:
            out = self.path("%d.csv" % sig)
            p = subprocess.Popen(["sh", "-c", "trap '' %d; exec \"$@\"" % sig, "sh", PROGRAM, "export", "--layout",
                                  "long", "-o", out, "-"], stdin=subprocess.PIPE)
            with p:
                p.stdin.write(data)
                p.stdin.flush()
                harness.wait_until(lambda: os.path.exists(out + ".part"), "it writes")
                p.send_signal(sig)
                time.sleep(0.1)
                p.stdin.close()
                self.assertEqual(p.wait(harness.TIMEOUT), 0)
            self.assertTrue(os.path.exists(out))

    def test_rows_do_not_begin_behind_the_progress_line(self):
        """Both are on one terminal here, which is slow enough for progress to be shown."""
        log = self.record(self.path("all.plog"), "-n", "20", "-i", "50ms")
        shown = self.on_terminal(PROGRAM, "export", "--layout", "long", "-c", "*", log, enough=b"exporting: ")
        self.assertIn(b"exporting: ", shown)
        self.assertNotRegex(shown, rb"exporting: [^\x1b]*\x1b\[K[^\r]")

    def on_terminal(self, *command, enough=None):
        """What a command shows on its terminal, which is read slowly and until it has shown enough."""
        pid, terminal = pty.fork()
        if not pid:
            os.execvp(command[0], command)
        shown = bytearray()
        while True:
            try:
                more = os.read(terminal, 4096)
            except OSError:  # it has ended
                break
            if not more or enough and shown.count(enough) > 2:
                break
            shown += more
            time.sleep(0.01)
        os.close(terminal)
        os.waitpid(pid, 0)
        return bytes(shown)

    def test_progress_is_not_shown_beside_a_pager_or_if_not_wanted(self):
        """What stands behind a pipe may have the same terminal."""
        slow = self.slowly("export --layout long -")
        self.assertIn(b"exporting: ", self.on_terminal("sh", "-c", slow + "> " + self.path("out")))
        self.assertEqual(self.on_terminal("sh", "-c", slow + "| cat > " + self.path("out")), b"")
        self.assertEqual(self.on_terminal("sh", "-c", slow + "-q > " + self.path("out")), b"")

    def slowly(self, command):
        """For a shell: the command, to which a log comes so slowly that its progress is shown."""
        made = Log({2: b"Tank", 4: b"Level"})
        for i in range(1000):  # so many that they are not read at once
            made.sample(i * SECOND, [object_of(2, [(4, 0x00010100, 8)] * 64, [(None, (i,) * 64)])])
        log = made.save(self.path("large.plog"))
        half = os.path.getsize(log) // 2
        return "(head -c %d %s; sleep 1.5; tail -c +%d %s) | %s %s " % (half, log, half + 1, log, PROGRAM, command)

    def test_the_result_is_not_behind_the_progress_line(self):
        shown = self.on_terminal("sh", "-c", self.slowly("verify -"))
        self.assertIn(b"verifying: ", shown)
        self.assertRegex(shown, rb"\r\x1b\[K-: good: 1000 samples in 1 session\r\n$")

    def test_damage_is_not_told_behind_the_progress_line(self):
        log = self.record(self.path("all.plog"), "-n", "3", "-i", "50ms", *SYSTEM)
        with open(log, "rb") as f:
            data = f.read()
        with open(log, "wb") as f:
            for _ in range(6000):
                f.write(data[:1000] + b"damage")
        shown = self.on_terminal(PROGRAM, "verify", log, enough=b"verifying: ")
        self.assertIn(b"verifying: ", shown)
        self.assertNotRegex(shown, rb"verifying: [^\x1b]*\x1b\[K[^\r]")

    def test_hostile_names_reach_no_terminal(self):
        log = self.path(HOSTILE + ".plog")
        os.rename(self.log, log)
        out = self.path(HOSTILE + ".csv")
        for args in (("verify", log), ("info", log), ("verify", "--json", log),
                     ("info", "--json", log), ("export", "-o", out, log),
                     ("record", *SYSTEM, "-n", "1", "-i", "100ms", log)):
            with self.subTest(command=args):
                r = self.good(*args)
                for line in (r.out + r.err).split("\n"):
                    if "--json" in args:  # for machines: controls escaped, the rest as it is
                        self.assertNotRegex(line, "[\0-\x1f\x7f-\x9f]")
                    else:
                        self.check_printable(line)
        self.check_one_line(run("export", "-o", log, log), 1)
        self.assertEqual(self.good("export", "-q", log).raw_out,
                         self.good("export", "-q", "-o", "-", log).raw_out)


if __name__ == "__main__":
    harness.main()
