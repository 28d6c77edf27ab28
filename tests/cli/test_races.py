#!/usr/bin/env python3
"""Names that another process swaps as fast as it can while perflog writes to them or reads them.

Whatever comes of it, no file that was not meant is touched.  PERFLOG_RACES sets how many times (default 40 a command).
"""
import os
import signal
import subprocess
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import NOBODY, PROGRAM, SYSTEM, Case

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


class Writers(Case):
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
