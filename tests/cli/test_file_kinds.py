#!/usr/bin/env python3
"""Files that are no plain files of ours: links, pipes, sockets, devices, another user's.  One at a time."""
import os
import shutil
import stat
import subprocess
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import NOBODY, PROGRAM, SYSTEM, Case, run


class Strange(Case):
    """One at a time: the reason is said, and nothing changes."""

    def setUp(self):
        super().setUp()
        self.log = self.record(self.path("in.plog"), *SYSTEM, "-n", "3", "-i", "10ms")
        self.how = {}
        if os.geteuid() == 0:
            os.chmod(self.folder, 0o755)
            os.chmod(self.log, 0o644)
            self.how = {"program": shutil.copy(PROGRAM, self.path("perflog")), "user": NOBODY,
                        "group": NOBODY, "extra_groups": []}

    def writers(self, out):
        return (("record", *SYSTEM, "-n", "1", out), ("repair", "-o", out, self.log),
                ("cut", "--from", "1970-01-02", "-o", out, self.log),
                ("import", "-o", out, self.write("block", b"x")))

    def test_links_to_files_folders_and_nothing(self):
        self.write("file", b"precious\n")
        for to in self.path("file"), self.path("nothing"), self.folder, "loop", self.log:
            if os.path.islink(self.path("loop")):
                os.unlink(self.path("loop"))
            os.symlink(to, self.path("loop"))
            for command in self.writers(self.path("loop")):
                self.refused(1, *command)
            if to != self.log:
                self.refused(1, "export", "-o", self.path("loop"), self.log)

    def test_export_to_a_link_to_its_own_standard_output(self):
        """As /dev/stdout is one: the link is not replaced by a sheet."""
        os.symlink("/proc/self/fd/1", self.path("stdout"))
        with open(self.path("redirected"), "wb") as f:
            r = run("export", "-q", "-o", self.path("stdout"), self.log, stdout=f)
        self.check_one_line(r, 1, "symbolic link")
        self.assertTrue(os.path.islink(self.path("stdout")))
        r = run("export", "-q", "-o", self.path("stdout"), self.log)  # a pipe it may be
        self.assertEqual((r.code, r.out), (0, self.good("export", "-q", self.log).out))

    def test_open_descriptors_are_no_way_in(self):
        with open(self.log, "r+b") as f:
            for place in "/proc/self/fd/%d" % f.fileno(), "/dev/fd/%d" % f.fileno():
                for command in self.writers(place):
                    self.refused(1, *command, pass_fds=(f.fileno(),))
                self.assertEqual(run("verify", place, pass_fds=(f.fileno(),)).code, 0)

    def test_pipes_sockets_and_devices(self):
        import socket
        os.mkfifo(self.path("fifo"))
        with socket.socket(socket.AF_UNIX) as s:
            s.bind(self.path("socket"))
            for place in self.path("fifo"), self.path("socket"), "/dev/null", "/dev/full", "/dev/tty":
                for command in self.writers(place):
                    with self.subTest(command=command):
                        self.check_one_line(run(*command), 1)
            self.assertTrue(stat.S_ISFIFO(os.lstat(self.path("fifo")).st_mode))
            self.check_one_line(run("verify", self.path("socket")), 1)

    def test_pipes_to_import(self):
        """Only standard input is copied, as an import reads twice; a pipe of a sheet is read by no other command."""
        sheet = self.write("a.csv", b'"(PDH-CSV 4.0) (UTC)(0)","\\\\h\\M\\c"\r\n"07/01/2020 12:00:00.000","1"\r\n')

        def piped(*args):
            with subprocess.Popen(["cat", sheet], stdout=subprocess.PIPE) as writer:
                pipe = "/dev/fd/%d" % writer.stdout.fileno()
                r = run(*args, pipe, pass_fds=(writer.stdout.fileno(),))
                writer.stdout.close()
            return r
        new = self.path("new.plog")
        for others in (), (sheet,), ("-",):
            self.check_one_line(piped("import", "-o", new, *others), 1,
                                "a pipe can be read only once; pipe it into 'perflog import -'")
            self.assertFalse(os.path.exists(new))
        with open(sheet, "rb") as f:
            self.good("import", "-q", "-o", new, "-", stdin=f)
        self.check_one_line(piped("export", "--layout", "long"), 4,
                            "not a perflog log; logs of other programs are read from files, not pipes")
        self.refused(4, "export", self.write("b.plog", b"no log" * 100), says="b.plog: not a perflog log")

    def test_another_users_files(self):
        if os.geteuid():
            self.skipTest("needs root, to have a file of another user")
        os.chown(self.log, NOBODY, NOBODY)
        self.refused(1, "record", *SYSTEM, "-n", "1", self.log, says="another user")

    def test_a_folder_that_passes_on_its_group(self):
        os.mkdir(self.path("group"))
        os.chmod(self.path("group"), 0o2775)
        log = self.record(self.path("group", "a.plog"), *SYSTEM, "-n", "1", "-i", "10ms")
        self.assertEqual(stat.S_IMODE(os.stat(log).st_mode), 0o640)
        self.record(log, *SYSTEM, "-n", "1", "-i", "10ms")

    def test_a_file_that_cannot_be_changed(self):
        done = subprocess.run(["chattr", "+i", self.log], stderr=subprocess.DEVNULL)
        if done.returncode:
            self.skipTest("this file system has no immutable files, or we no right to make them")
        try:
            self.refused(1, "record", *SYSTEM, "-n", "1", self.log, says="not permitted")
            self.refused(1, "export", "-q", "-o", self.log, self.log)
            self.good("verify", self.log)
        finally:
            subprocess.run(["chattr", "-i", self.log], check=True)


if __name__ == "__main__":
    harness.main()
