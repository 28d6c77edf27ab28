#!/usr/bin/env python3
"""Files that somebody else puts in our way: links, pipes, swaps while we open, other owners.

Somebody swaps names as fast as he can while perflog writes to them; whatever comes of it, no file
that was not meant is touched.  PERFLOG_RACES sets how many times (default 40 a command).
"""
import os
import shutil
import signal
import stat
import subprocess
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import PROGRAM, SYSTEM, Case, run

NOBODY = 65534
RACES = int(os.environ.get("PERFLOG_RACES", "40"))


def swap_for_ever(path, victim, absent, other):
    """What somebody does who wants 'victim' written to, or 'absent' made."""
    def attempt(call, *args):
        try:
            call(*args)
        except OSError:
            pass

    def own_file():
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o666))
    ways = ((os.symlink, victim, path), (os.symlink, absent, path), (os.mkfifo, path), (os.link, other, path),
            (os.mkdir, path), (own_file,), (os.symlink, victim, path + ".new"))
    n = 0
    while True:
        n += 1
        attempt(*ways[n % len(ways)])
        attempt(os.rename, path + ".new", path)
        for name in path, path + ".part":
            attempt(os.unlink, name)
            attempt(os.rmdir, name)
            attempt(os.symlink, victim, name)
            if n % 3:
                attempt(os.unlink, name)


class Somebody:
    """A process that swaps until it is ended; another user's, if we are root."""

    def __init__(self, *args):
        self.pid = os.fork()
        if self.pid:
            return
        try:
            if os.geteuid() == 0:
                os.setgroups([])
                os.setgid(NOBODY)
                os.setuid(NOBODY)
            swap_for_ever(*args)
        finally:
            os._exit(1)

    def end(self):
        os.kill(self.pid, signal.SIGKILL)
        return os.waitpid(self.pid, 0)[1] == signal.SIGKILL


class Swapped(Case):
    def setUp(self):
        super().setUp()
        self.log = self.record(self.path("in.plog"), *SYSTEM, "-n", "3", "-i", "10ms")
        self.victim = self.write("victim", b"precious\n" * 100)
        os.chmod(self.victim, 0o600)
        os.mkdir(self.path("arena"))
        os.chmod(self.path("arena"), 0o1777)
        if os.geteuid() == 0:
            os.chmod(self.folder, 0o755)

    def commands(self, out):
        return {"record": (*("record", "-q", *SYSTEM, "-n", "1", "-i", "10ms"), out),
                "export": ("export", "-q", "-o", out, self.log),
                "repair": ("repair", "-q", "-o", out, self.log),
                "cut": ("cut", "-q", "--from", "1970-01-02", "-o", out, self.log)}

    def race(self, command, ours):
        """'command' writes to a name that somebody swaps; 'ours': he owns the folder as well."""
        folder = self.path("arena")
        if ours and os.geteuid() == 0:
            os.chown(folder, NOBODY, NOBODY)
            os.chmod(folder, 0o755)
        out, other = os.path.join(folder, "out.plog"), os.path.join(folder, "other")
        with open(other, "wb") as f:
            f.write(b"of the other\n")
        if os.geteuid() == 0:
            os.chown(other, NOBODY, NOBODY)
        before = harness.snapshot(self.folder)
        somebody = Somebody(out, self.victim, self.path("absent"), other)
        results = {}
        try:
            for _ in range(RACES):
                r = self.run_briefly(self.commands(out)[command])
                results[r] = results.get(r, 0) + 1
                for name in out, out + ".part":
                    try:
                        if not os.path.isdir(name):
                            os.unlink(name)
                    except OSError:
                        pass
        finally:
            self.assertTrue(somebody.end(), "he ended by himself")
        self.assertLessEqual(set(results), {0, 1, 2, "waits"}, results)
        after = harness.snapshot(self.folder)
        for path in before:
            if not path.startswith(folder):
                self.assertEqual(before[path][0::3], after.get(path, ("", 0, 0, None))[0::3], path)
        self.assertFalse([p for p in after if p not in before and not p.startswith(folder)], results)
        return results

    def run_briefly(self, command):
        """A pipe that was put there may rightly make an export wait for its reader."""
        try:
            return subprocess.run([PROGRAM, *command], stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                  timeout=10).returncode
        except subprocess.TimeoutExpired:
            return "waits"

    def test_in_a_sticky_folder(self):
        for command in self.commands(""):
            with self.subTest(command=command):
                self.race(command, False)

    def test_in_his_own_folder(self):
        for command in self.commands(""):
            with self.subTest(command=command):
                self.race(command, True)


def come_and_go(path, away):
    while True:
        os.rename(path, away)
        os.rename(away, path)


class Deleted(Case):
    def rows(self, log):
        return self.good("export", "-q", "--layout", "long", log).out

    def test_a_segment_that_is_not_kept_spoils_no_reading(self):
        """Deleted between any two looks at a folder: those that are there are read."""
        os.mkdir(self.path("logs"))
        old, new = (self.record(self.path("logs", name), *SYSTEM, "-n", "2", "-i", "10ms")
                    for name in ("1.plog", "2.plog"))
        rows = {self.rows(log) for log in (new, self.path("logs"))}
        self.assertEqual(len(rows), 2)
        pid = os.fork()
        if not pid:
            try:
                come_and_go(old, self.path("away"))
            finally:
                os._exit(1)
        try:
            seen = {self.rows(self.path("logs")) for _ in range(5 * RACES)}
        finally:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        self.assertEqual(seen, rows)


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

    def test_two_writers_never_mix(self):
        log = self.path("two.plog")
        ended = []
        for _ in range(20):
            both = [subprocess.Popen([PROGRAM, "record", "-q", *SYSTEM, "-n", "2", "-i", "10ms", log],
                                     stdin=subprocess.DEVNULL, stderr=subprocess.PIPE) for _ in range(3)]
            for p in both:
                err = p.communicate(timeout=harness.TIMEOUT)[1]
                ended.append(p.returncode)
                if p.returncode:
                    self.assertIn(b"another perflog", err)
        self.assertLessEqual(set(ended), {0, 1})
        self.assertEqual(harness.count_samples(log), 2 * ended.count(0))
        self.good("verify", log)


if __name__ == "__main__":
    harness.main()
