#!/usr/bin/env python3
"""Wrong input of every kind: one clear line, the documented exit status, nothing lost.

Exit status: 0 good, 1 could not do its work, 2 damage, 3 too new, 4 nothing readable.
"""
import json
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import HOSTILE, NOBODY, PROGRAM, SYSTEM, Case, Recording, count_samples, records, run, several

READERS = ("export", "list", "info", "verify")
COMMANDS = ("record",) + READERS + ("repair", "cut")

OPTIONS = {
    "record": """interval duration count counters all all-disks sync max-size max-time keep pack
                 min-free forecast command-line quiet proc sys host language help""",
    "export": """csv output counters from to layout tz time follow no-guard wide-anyway max-block
                 quiet help""",
    "list": "counters all why help-text json help",
    "info": "json help",
    "verify": "json quiet help",
    "repair": "output quiet help",
    "cut": "output from to counters tz quiet help",
}


class Help(Case):
    def test_what_needs_windows_says_so(self):
        for option in (("--host", r"\\there"), ("--language", "007")):
            self.refused(1, "record", *option, self.path("x.plog"), says="need Windows")

    def test_every_command_explains_every_option_in_80_columns(self):
        for command in COMMANDS:
            r = self.good(command, "--help")
            self.assertEqual(r.err, "")
            self.assertEqual(r.out, self.good(command, "-h").out)
            self.assertIn("Usage: perflog " + command, r.out)
            for line in r.out.splitlines():
                self.assertLessEqual(len(line), 80, line)
                self.check_printable(line)
            reported = re.findall(r"^ +(?:-\w, )?--([a-z-]+)", r.out, re.M)
            missing = set(OPTIONS[command].split()) - set(reported)
            self.assertEqual("max-memory" in reported, command != "record")
            self.assertFalse(missing, "'%s --help' leaves out" % command)
            for option in reported:  # whatever is named exists, and is taken
                r = run(command, "--" + option)
                self.assertNotIn("is not known", r.err, option)
                if "needs an argument" in r.err:
                    r = run(command, "--" + option, "x", self.path("none"), self.path("nor.this"))
                self.assertTrue(r.err or not r.code, option)

    def test_program_itself(self):
        r = self.good("--help")
        for command in COMMANDS:
            self.assertRegex(r.out, r"(?m)^  %s +[A-Z]" % command)
        self.assertTrue(all(len(line) <= 80 for line in r.out.splitlines()))
        self.assertRegex(self.good("--version").out, r"\Aperflog \d+\.\d+\.\d+\n\Z")
        self.assertEqual(self.good("help", "list").out, self.good("list", "--help").out)
        self.refused(1, "help", "lsit", says="no command 'lsit'")
        r = run()
        self.assertEqual((r.code, r.out), (1, ""))
        self.assertIn("Usage:", r.err)


class WrongWords(Case):
    """Options, arguments and commands that are none."""

    def setUp(self):
        super().setUp()
        self.log = self.record(self.path("a.plog"), *SYSTEM, "-n", "2", "-i", "100ms")
        self.new = self.path("new.plog")

    def test_commands_and_options(self):
        self.refused(1, "rekord", says="'rekord'")
        self.refused(1, HOSTILE)
        for wrong, says in (("recrod", "'recrod'; did you mean 'record'? See"), ("EXPORT", "did you mean 'export'?"),
                            ("statistics", "there is no command 'statistics'; see"),
                            ("", "there is no command ''; see")):
            self.refused(1, wrong, says=says)
        for name in self.log, self.folder:
            self.refused(1, name, says="'%s' is a file or folder, not a command: 'perflog info' shows" % name)
        for wrong, says in (("--sotr", "--sotr is not known; did you mean --sort? See"),
                            ("--bogus", "--bogus is not known; see"),
                            ("--ma", "--ma could be --max-block, --max-memory\n"), ("--t", "--t could be --to, --tz\n"),
                            ("--quiet=1", "--quiet=1 takes no argument"), ("--sort", "--sort needs an argument")):
            self.refused(1, "top", self.log, wrong, says=says)
        self.refused(1, "stats", self.log, "--json", "-Zc", "x", says="stats: option -Z is not known; see")
        for wrong, says in ((r"\Processor(0)\% Procesor Time", r"did you mean '\Processor(0)\% Processor Time'? 'perflog list"),
                            ("Thred", r"did you mean '\Thread\*'?"),  # recorded on request only
                            ("No such thing", "nothing here matches 'No such thing'; 'perflog list")):
            self.refused(1, "record", "-n", "1", "-c", wrong, self.new, says=says)
        self.refused(1, "help", "exprt", says="did you mean 'export'?")
        for command in COMMANDS:
            if command != "list":  # without a log it tells of this machine
                self.refused(1, command, says="name ")
            self.refused(1, command, "--no-such-option", self.log, says="--no-such-option")
            self.refused(1, command, "-Z", self.log, says="-Z")
            self.refused(1, command, "--" + HOSTILE, self.log)
            self.refused(1, command, "--help=x")
        for command, option in (("record", "-c"), ("record", "--interval"), ("export", "-o"),
                                ("export", "--layout"), ("list", "-c")):
            self.refused(1, command, option, says=option)

    def test_intervals(self):
        for bad in ("0", "0s", "abc", "", "-1s", "1x", "1s1", "1.2.3", ".", "9ms", "8d", "nan",
                    "1e3", "99999999999999999999s", " 1s", HOSTILE):
            self.refused(1, "record", "-n", "1", "-i", bad, self.new, says="--interval")

    def test_other_arguments(self):
        record = {
            "-d": ("0", "x", "-5", ""), "-n": ("0", "-1", "1.5", "x", "", "99999999999999999999"),
            "--sync": ("sometimes", "0", ""), "--max-size": ("1", "x", "-1", ""),
            "--max-time": ("0", "x", ""), "--keep": ("0", "x"), "--pack": ("always", ""),
            "--min-free": ("x", "100%", "%", ""),
            "-c": ("", "@" + self.path("none"), "\\", HOSTILE),
        }
        for option, values in record.items():
            for bad in values:
                self.refused(1, "record", "-n", "1", option, bad, self.new)
        export = {
            "--layout": ("x", ""), "--time": ("x", ""),
            "--tz": ("Nowhere/Land", "", "+99:99", "../../etc/passwd", HOSTILE),
            "--from": ("x", "", "25:00", "2026-13-01", "2026-02-30", "2026-02-29", "2026-04-31T00:00", "24:30", "@",
                       "-", HOSTILE),
            "--to": ("x", "yesterday"),
            "--max-block": ("0", "x"), "-c": ("", "@" + self.path("none"), HOSTILE),
        }
        for option, values in export.items():
            for bad in values:
                self.refused(1, "export", option, bad, self.log)
        self.good("export", "-q", "--from", "2024-02-29", "--to", "2026-12-31T24:00", self.log)
        for option in "--json", "--types", "--help-text", "-c*", "--all":
            self.refused(1, "list", "--why", option, says="--why stands alone")
        for option in "--json", "--types", "--help-text", "--why":
            self.refused(1, "list", "--complete", "x", option, self.log, says="--complete goes with")

    def test_choice_of_nothing(self):
        """A file without a path, as 'list -c' leaves it that found none, does not choose everything."""
        for text in b"", b"\n# \\Memory\\*\n":
            paths = self.write("paths", text)
            for command in "export", "list", "stats", "cut":
                self.refused(1, command, "-c", "@" + paths, self.log,
                             says="%s: --counters '@%s': holds no counter path; write one a line" % (command, paths))
            self.refused(1, "record", "-n", "1", "-c", "@" + paths, self.new,
                         says="record: --counters '@%s': holds no counter path" % paths)

    def test_record_takes_one_file(self):
        self.refused(1, "record", self.new, self.path("second.plog"))
        self.refused(1, "record", "-", says="standard output")
        self.refused(1, "record", "-n", "1", "--keep", "2", self.new, says="--keep")
        self.refused(1, "record", "-n", "1", "")

    def test_paths_without_a_match(self):
        path = r"\No Such Object(*)\Nothing"
        self.refused(1, "record", "-n", "1", "-c", path, self.new, says=path)
        for layout in "wide", "long":
            self.refused(1, "export", "--layout", layout, "-c", path, self.log, says=path)
            self.refused(1, "export", "--layout", layout, "-c", path, "-o", self.path("out.csv"),
                         self.log, says=path)
        self.refused(1, "list", "-c", path, self.log)
        # It is there on request.
        self.refused(1, "list", "-c", "Thread", says="this machine, without --all: nothing matches 'Thread'")
        self.refused(1, "list", "--all", "-c", path, says="this machine: nothing matches '%s'" % path)
        # One of two fits: the sheet comes, and the status tells of the other.
        r = run("export", "-q", "-c", path, "-c", r"\System\Processes", self.log)
        self.check_one_line(r, 1, path)
        self.assertEqual(r.out.count("\n"), 3)

    def test_window_without_samples(self):
        for layout in "wide", "long":
            self.refused(1, "export", "--layout", layout, "--from", "2100-01-01", "-o",
                         self.path("out.csv"), self.log, says="--from")
        self.refused(1, "export", "--from", "2026-01-02", "--to", "2026-01-01", self.log)


class WrongFiles(Case):
    """What is not a log, or not one that can be read."""

    def refused_by_readers(self, code, path, says=""):
        for command in READERS:
            self.refused(code, command, path, says=says)
            if command in ("list", "info", "verify"):
                with self.subTest(command=command, json=True):
                    self.assertEqual(run(command, "--json", path).code, code)
        self.refused(code, "export", "--layout", "long", path, says=says)
        self.refused(code, "export", "-o", self.path("out.csv"), path, says=says)

    def test_no_log(self):
        self.refused_by_readers(1, self.path("none.plog"), "No such file")
        self.refused_by_readers(1, self.path(HOSTILE), "No such file")
        self.refused_by_readers(4, self.write("empty.plog"), "empty")
        with self.subTest("less than a header"):
            self.assertEqual(run("verify", self.write("short.plog", b"\x89PL1")).code, 4)
            self.assertEqual(run("info", self.path("short.plog")).code, 4)
        self.refused_by_readers(4, self.write("text.plog", b"hello\n" * 1000), "not a perflog log")
        self.refused_by_readers(4, self.write("zeros.plog", bytes(5000)), "nothing but zeros")
        self.refused_by_readers(4, self.write(HOSTILE, os.urandom(5000)), "not a perflog log")

    def test_folders(self):
        os.mkdir(self.path("folder"))
        self.refused_by_readers(1, self.path("folder"), "folder")
        self.refused(1, "record", "-n", "1", self.path("folder"), says="folder")
        self.refused(1, "record", "-n", "1", self.path("none", "a.plog"), says="No such file")
        log = self.record(self.path("folder", "a.plog"), *SYSTEM, "-n", "2", "-i", "100ms")
        self.write("folder/notes.txt", b"no log")
        self.assertEqual(self.wide(log).rows, self.wide(self.path("folder")).rows)
        # As a power cut leaves a segment that was just begun.
        self.write("folder/a2.plog")
        self.assertEqual(self.wide(log).rows, self.wide(self.path("folder")).rows)
        self.good("verify", self.path("folder"))
        os.mkdir(self.path("empty"))
        self.write("empty/a.plog")
        self.refused_by_readers(1, self.path("empty"), "empty ones")
        self.write("folder/b.plog", b"not one " * 20)
        self.assertEqual(run("verify", self.path("folder")).code, 2)

    def test_segments_of_zeros(self):
        """As some file systems have them after a power cut: an interruption, and the others are read."""
        os.mkdir(self.path("folder"))
        self.record(self.path("folder", "b.plog"), *SYSTEM, "-n", "2", "-i", "100ms")
        self.record(self.path("folder", "d.plog"), *SYSTEM, "-n", "2", "-i", "100ms")
        whole = [line.partition(",")[2] for line in self.good("export", self.path("folder")).out.splitlines()]
        size = 3 << 20
        for name in "a", "c", "e":
            zeros = self.write("folder/%s.plog" % name, bytes(size))
            with self.subTest(zeros=name):
                self.assertIn("folder/%s.plog: bytes 0 to %d (%d): interrupted: zeros that a power cut left; no damage"
                              % (name, size - 1, size), self.good("verify", self.path("folder")).out)
                out = self.good("export", self.path("folder")).out
                self.assertEqual([line.partition(",")[2] for line in out.splitlines()], whole)
                for command in READERS:
                    self.good(command, self.path("folder"))
                self.good("export", "--from", "-1m", self.path("folder"))
                self.good("repair", "-q", self.path("folder"), "-o", self.path("new.plog"))
                self.good("verify", self.path("new.plog"))
                os.unlink(self.path("new.plog"))
                self.refused_by_readers(4, zeros, "nothing but zeros")
            os.unlink(zeros)
        os.mkdir(self.path("zeros"))
        self.write("zeros/a.plog", bytes(size))
        self.refused_by_readers(4, self.path("zeros"), "a.plog: nothing but zeros")

    def test_recording_goes_on_behind_zeros(self):
        """The same of a log that is no segment."""
        log = self.write("a.plog", bytes(8192))
        os.chmod(log, 0o600)
        self.record(log, *SYSTEM, "-n", "2", "-i", "100ms")
        self.assertIn("a.plog: bytes 0 to 8191 (8192): interrupted: zeros", self.good("verify", log).out)
        self.assertEqual(count_samples(log), 2)
        self.record(log, *SYSTEM, "-n", "3", "-i", "100ms")
        self.assertIn("good: 5 samples in 2 sessions", self.good("verify", log).out)
        os.truncate(log, 0)
        os.truncate(log, 1 << 30)
        self.refused(1, "record", *SYSTEM, "-n", "1", log, says="not a perflog log")

    def cells(self, log):
        return self.good("export", "--layout", "long", log).out

    def test_zeros_at_the_end_of_a_session(self):
        """All commands take them for an interruption; recording goes on after them."""
        log, first = self.path("a.plog"), self.record(self.path("first.plog"), *SYSTEM, "-n", "5", "-i", "10ms")
        size = os.path.getsize(first)
        for zeros in 1, 87, 4096, 300000:
            with self.subTest(zeros=zeros):
                shutil.copy(first, log)
                os.truncate(log, size + zeros)
                self.assertIn("interrupted: zeros", self.good("verify", log).out)
                self.assertEqual(self.cells(log), self.cells(first))
                self.assertEqual(json.loads(self.good("info", "--json", log).out)[0]["interrupted_records"], 1)
                self.assertIn("  Cut short  1 record, by a kill or crash\n", self.good("info", log).out)
                self.good("repair", "-q", log, "-o", self.path("new.plog"))
                self.good("cut", "-q", "--from", "-1h", log, "-o", self.path("cut.plog"))
                for made in "new.plog", "cut.plog":
                    self.assertEqual(self.cells(self.path(made)), self.cells(first))
                    os.unlink(self.path(made))
                self.record(log, *SYSTEM, "-n", "3", "-i", "10ms")
                out = self.good("verify", log).out
                self.assertIn("interrupted: zeros", out)
                self.assertIn("good: 8 samples in 2 sessions", out)
                for command in READERS:
                    self.good(command, log)

    def test_zeros_inside_a_session_are_damage(self):
        log = self.record(self.path("a.plog"), *SYSTEM, "-n", "20", "-i", "10ms")
        with open(log, "r+b") as f:
            f.seek(os.path.getsize(log) // 2)
            f.write(bytes(300))
        self.assertIn("damaged", run("verify", log).out)
        for command in READERS:
            self.assertEqual(run(command, log).code, 2, command)

    def test_two_logs_one_missing(self):
        log = self.record(self.path("a.plog"), *SYSTEM, "-n", "2", "-i", "100ms")
        for command in READERS:
            self.refused(1, command, log, self.path("none.plog"), says="none.plog")

    def test_recording_into_what_is_no_log(self):
        for content in b"hello\n", bytes(100) + b"\1", os.urandom(5000), b"\x89PL1" + bytes(200):
            self.refused(1, "record", "-n", "1", self.write("a.plog", content),
                         says="not a perflog log")

    def through_pipe(self, log, *args):
        """perflog ARGS, PIPE among them being one into which somebody writes 'log'."""
        with subprocess.Popen(["cat", log], stdout=subprocess.PIPE) as writer:
            pipe = "/dev/fd/%d" % writer.stdout.fileno()
            r = run(*[pipe if word == "PIPE" else word for word in args], pass_fds=(writer.stdout.fileno(),))
            writer.stdout.close()
        r.out = r.out.replace(pipe, log)
        return r

    def test_a_pipe_of_the_shell_is_read_like_a_file(self):
        """<(zstdcat old.plog.zst)"""
        log = self.record(self.path("a.plog"), *SYSTEM, "-i", "10ms", "-n", "3")
        for args in ("info",), ("verify",), ("list",), ("export", "--layout", "long"):
            with self.subTest(command=args):
                r = self.through_pipe(log, *args, "PIPE")
                self.assertEqual((r.code, r.out), (0, self.good(*args, log).out), r)
        for args in ("export", "PIPE"), ("export", "--layout", "long", "--from", "-1m", "PIPE"), (
                "cut", "--from", "-1m", "PIPE", "-o", self.path("new.plog")), ("dump", "--sample", "-1", "PIPE"):
            with self.subTest(command=args):
                self.check_one_line(self.through_pipe(log, *args), 1, "a pipe")

    def test_a_pipe_that_nobody_writes_to_is_not_waited_for(self):
        os.mkfifo(self.path("fifo"))
        for command in READERS[1:]:
            self.refused(4, command, self.path("fifo"), says="nothing came out of this pipe")

    def test_a_device_is_no_pipe(self):
        for command in READERS[1:]:
            self.refused(4, command, "/dev/null", says="/dev/null: nothing came out of this device")
        self.refused(4, "info", "/dev/zero", says="not a perflog log; logs of other programs are read from files, not devices")
        self.refused(1, "export", "/dev/null", says="export: a device can be read only once: name a file")
        self.refused(1, "top", "/dev/null", says="/dev/null: a device has no end to count from")

    def test_links_pipes_and_open_folders(self):
        log = self.record(self.path("a.plog"), *SYSTEM, "-n", "2", "-i", "100ms")
        new = ("record", *SYSTEM, "-n", "1")
        os.symlink(log, self.path("link.plog"))
        os.symlink(self.path("nowhere"), self.path("dangling.plog"))
        os.mkfifo(self.path("fifo.plog"))
        for name, says in (("link", "symbolic link"), ("dangling", "symbolic link"),
                           ("fifo", "regular file")):
            self.refused(1, *new, self.path(name + ".plog"), says=says)
        self.refused(1, *new, "/dev/null", says="regular file")
        self.assertEqual(self.good("verify", self.path("link.plog")).err, "")  # reading is harmless
        os.link(log, self.path("hard.plog"))
        self.refused(1, *new, log, says="hard link")
        os.unlink(self.path("hard.plog"))
        for mode in 0o620, 0o602:
            os.chmod(log, mode)
            self.refused(1, *new, log, says="others can write")
        os.chmod(log, 0o600)
        os.mkdir(self.path("open"))
        os.chmod(self.path("open"), 0o777)
        self.refused(1, *new, self.path("open", "a.plog"), says="folder")
        os.chmod(self.path("open"), 0o1777)
        self.record(self.path("open", "a.plog"), *SYSTEM, "-n", "1", "-i", "100ms")

    def test_new_logs_are_for_owner_and_group(self):
        old = os.umask(0)
        try:
            log = self.record(self.path("a.plog"), *SYSTEM, "-n", "1", "-i", "100ms")
        finally:
            os.umask(old)
        self.assertEqual(os.stat(log).st_mode & 0o777, 0o640)

    def test_sheets_follow_the_rights_of_the_logs(self):
        logs = [self.record(self.path(name), *SYSTEM, "-n", "3", "-i", "10ms") for name in ("a.plog", "b.plog")]
        sheet = self.path("out.csv")
        for modes, mask, kept, wanted in (
                ((0o640, 0o640), 0, None, 0o640), ((0o600, 0o644), 0, None, 0o600), ((0o644, 0o644), 0, None, 0o644),
                ((0o644, 0o644), 0o027, None, 0o640), ((0o400, 0o400), 0, None, 0o600),
                ((0o644, 0o644), 0, 0o600, 0o600), ((0o600, 0o600), 0o077, 0o664, 0o664)):
            with self.subTest(modes=modes, mask=mask, kept=kept):
                for log, mode in zip(logs, modes):
                    os.chmod(log, mode)
                if kept is not None:
                    os.chmod(self.write("out.csv"), kept)
                old = os.umask(mask)
                try:
                    self.good("export", "-o", sheet, *logs)
                    self.good("export", "--layout", "table", "-o", self.path("folder"), *logs)
                finally:
                    os.umask(old)
                self.assertEqual(os.stat(sheet).st_mode & 0o777, wanted)
                if kept is None:
                    for name in os.listdir(self.path("folder")):
                        self.assertEqual(os.stat(self.path("folder", name)).st_mode & 0o777, wanted)
                os.unlink(sheet)
                shutil.rmtree(self.path("folder"))

    def test_rights(self):
        """As a user who may not: when we are root, as nobody with a copy of the program."""
        log = self.record(self.path("a.plog"), *SYSTEM, "-n", "2", "-i", "100ms")
        how = {}
        if os.geteuid() == 0:
            os.chmod(self.folder, 0o755)
            how = {"program": shutil.copy(PROGRAM, self.path("perflog")),
                   "user": NOBODY, "group": NOBODY, "extra_groups": []}
            os.chown(log, NOBODY, NOBODY)
        os.mkdir(self.path("closed"))
        os.chmod(self.path("closed"), 0o555)
        self.refused(1, "record", "-n", "1", self.path("closed", "a.plog"), says="denied", **how)
        for name, *layout in ("a.csv", "--layout", "wide"), ("a.csv", "--layout", "table"), ("a", "--parquet"):
            self.refused(1, "export", "-q", *layout, "-o", self.path("closed", name), log, says="denied", **how)
        os.chmod(log, 0o400)
        self.refused(1, "record", "-n", "1", log, says="denied", **how)
        os.chmod(log, 0)
        for command in READERS:
            self.refused(1, command, log, says="denied", **how)
        if how:
            os.chown(log, 0, 0)
            os.chmod(log, 0o644)
            self.refused(1, "record", "-n", "1", log, **how)

    def test_a_name_of_nothing(self):
        """Such as "$UNSET": it is shown as what it is."""
        for command in READERS:
            self.refused(1, command, "", says="'': ")

    def test_two_recorders(self):
        log = self.path("a.plog")
        first = Recording(self, log, *SYSTEM, "-i", "100ms")
        first.wait_for(2)
        self.check_one_line(run("record", "-n", "1", log), 1, "another perflog")
        for command in READERS:  # reading goes on meanwhile
            self.assertEqual(run(command, log).code, 0)
        self.assertEqual(first.end().code, 0)
        self.assertEqual(sum(r[0] == "SESS" for r in records(log)), 1)

    def test_cut_anywhere(self):
        """Every prefix is good, and shows as many samples as are whole in it."""
        log = self.record(self.path("a.plog"), "-n", "4", "-i", "100ms")
        whole = records(log)
        with open(log, "rb") as f:
            data = f.read()
        cuts = {1, 71, 72, 73}
        for _, at, length, _ in whole:
            cuts |= {at + 1, at + 40, at + 72, at + length // 2, at + length - 1, at + length}
        for cut in sorted(cuts):
            path = self.write("cut.plog", data[:cut])
            fit = [r[0] for r in whole if r[1] + r[2] <= cut]
            with self.subTest(cut=cut):
                r = run("verify", path)
                if not fit:
                    self.check_one_line(run("export", path), 4)
                    if cut < 4:  # not even a magic that shows whose file it is
                        self.check_one_line(run("record", "-n", "1", path), 1)
                    self.assertEqual(r.code, 4, r)
                    continue
                self.assertEqual((r.code, r.err), (0, ""), r)
                self.assertIn("good: " + several(fit.count("SMPL"), "sample"), r.out)
                r = run("export", "-q", *SYSTEM, path)
                if "SMPL" in fit:
                    self.assertEqual((r.code, r.err), (0, ""), r)
                    self.assertEqual(r.out.count("\n"), 1 + fit.count("SMPL"))
                else:
                    self.check_one_line(r, 4, "no readable samples")
                    self.check_one_line(run("cut", *SYSTEM, path, "-o", self.path("new.plog")), 4, "no readable samples")
            with open(path, "rb") as f:
                self.assertEqual(f.read(), data[:cut])

    def test_damage(self):
        log = self.record(self.path("a.plog"), "-n", "4", "-i", "100ms")
        samples = [r for r in records(log) if r[0] == "SMPL"]
        with open(log, "r+b") as f:
            f.seek(samples[2][1] + 100)
            byte = f.read(1)
            f.seek(-1, os.SEEK_CUR)
            f.write(bytes([byte[0] ^ 1]))
        before = harness.snapshot(self.folder)
        for args in (("verify",), ("verify", "-q"), ("verify", "--json"), ("info",),
                     ("info", "--json")):
            self.assertEqual(run(*args, log).code, 2, args)
        for args in (("export", "-q"), ("export", "-q", "--layout", "long"), ("list",),
                     ("list", "--json")):
            with self.subTest(command=args):
                self.check_one_line(run(*args, *SYSTEM, log), 2, "damaged")
        self.check_unchanged(before)


if __name__ == "__main__":
    harness.main()
