#!/usr/bin/env python3
"""What identifies processes that lived between two samples only: who did it, and with which command line."""
import collections
import csv
import io
import json
import os
import shutil
import subprocess
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from ends import Recorded
from harness import Recording
from test_processes import needs_bpf, needs_taskstats, needs_unshare

READ_LOG = os.path.join(harness.SUPPORT, "read_log.py")
ME = str(os.getpid())  # ends the names of this test's processes
OURS = "*%s:*" % ME, "*:" + ME
LONGEST = 1000
PLACES = 2048  # of the BPF program
TURNS = 100000
WORK = "i=0; while [ $i -lt %d ]; do i=$((i+1)); done" % TURNS  # more than 10 ms


def identities(log):
    """By number, as an independent reader has them."""
    out = subprocess.run([*harness.PYTHON, READ_LOG, log], stdout=subprocess.PIPE, check=True).stdout
    found = collections.defaultdict(list)
    for line in out.splitlines():
        r = json.loads(line)
        for p in r["processes"] if r["type"] == "iden" else ():
            found[p["pid"]].append(p)
    return found


class Ended(Recorded):
    def named(self, program, name):
        """A link to a program, that no other process of this machine is called as."""
        path = self.path(name + ME)
        if not os.path.lexists(path):
            os.symlink(shutil.which(program), path)
        return path

    def setUp(self):
        super().setUp()
        self.sh, self.true = self.named("sh", "sh"), self.named("true", "true")
        self.pids = []

    def run_one(self, *args, **how):
        """A process that ends at once; its number."""
        p = subprocess.Popen(args, **how)
        p.communicate()
        self.pids.append(p.pid)
        return p.pid

    def found(self):
        self.end(self.ended(*self.pids))
        return identities(self.log)

    def one(self, found, pid):
        (one,) = found[pid]
        return one

    def check_ours(self, one, *args):
        self.assertEqual(one.get("command_line", "").split("\0"), list(args))
        self.assertEqual(one["user"], os.geteuid())
        self.assertEqual(one["parent"][0], os.getpid())
        self.assertTrue(one["parent"][1])
        self.assertTrue(one["parent_name"].endswith(":" + ME), one)
        self.assertNotIn("cut", one)


@needs_bpf
class ByBpf(Ended):
    def test_who_did_it(self):
        """Work, an error and a signal are reasons to be identified; what did nothing has its name only."""
        self.start(only=OURS)
        with self.recorder.paused():
            busy = self.run_one(self.sh, "-c", WORK, "busy", "an argument")
            failed = self.run_one(self.sh, "-c", "exit 3", "failed")
            killed = self.run_one(self.sh, "-c", "kill -9 $$", "killed")
            quiet = self.run_one(self.true, "quiet")
        found = self.found()
        self.check_ours(self.one(found, busy), self.sh, "-c", WORK, "busy", "an argument")
        self.check_ours(self.one(found, failed), self.sh, "-c", "exit 3", "failed")
        self.check_ours(self.one(found, killed), self.sh, "-c", "kill -9 $$", "killed")
        self.assertNotIn(quiet, found)
        self.check_shown(busy)

    def check_shown(self, pid):
        line = "%s -c %s busy an argument" % (self.sh, WORK)
        rows = list(csv.DictReader(io.StringIO(self.good(
            "export", "-q", "--layout", "long", "--identity", "-c", r"\Process(*:%d)\Exits/sec" % pid, self.log).out)))
        self.assertEqual({(r["Command Line"], r["Parent"].rsplit(":")[-1]) for r in rows if r["Value"]}, {(line, ME)})
        part, bare = os.path.join(self.memory, "part.plog"), os.path.join(self.memory, "bare.plog")
        self.good("cut", "-q", "-c", r"\Process(*:%d)\*" % pid, self.log, "-o", part)
        self.assertEqual(list(identities(part)), [pid])
        self.good("cut", "-q", "--without-command-lines", self.log, "-o", bare)
        one = self.one(identities(bare), pid)
        self.assertNotIn("command_line", one)
        self.assertTrue(one["left_out"])

    def test_a_fork_is_not_its_parent(self):
        """One that only forked did not begin with the command line that its parent has."""
        self.start(only=OURS)
        with self.recorder.paused():
            p = subprocess.Popen([self.sh, "-c", "(%s; exit 5) & echo $!; wait" % WORK], stdout=subprocess.PIPE)
            child = int(p.communicate()[0])
        self.pids += child, p.pid
        one = self.one(self.found(), child)
        self.assertNotIn("command_line", one)
        self.assertEqual((one["user"], one["parent"][0]), (os.geteuid(), p.pid))
        self.assertEqual(one["parent_name"], "%s:%d" % (os.path.basename(self.sh), p.pid))

    def test_the_last_exec_counts(self):
        """Also by another thread than the main one, whose number and start that thread gets."""
        self.start(only=OURS)
        exec_it = "import os, sys, threading\nthreading.Thread(target=lambda: os.execv(sys.argv[1], sys.argv[1:])).start()\n" \
                  "threading.Event().wait()"
        with self.recorder.paused():
            twice = self.run_one(self.sh, "-c", 'exec "$@"', "first", self.sh, "-c", WORK, "second")
            thread = self.run_one(*harness.PYTHON, "-c", exec_it, self.sh, "-c", WORK, "by a thread")
        found = self.found()
        self.check_ours(self.one(found, twice), self.sh, "-c", WORK, "second")
        self.check_ours(self.one(found, thread), self.sh, "-c", WORK, "by a thread")

    def test_long_lines_are_cut(self):
        self.start(only=OURS)
        head = "\0".join((self.sh, "-c", WORK, ""))
        with self.recorder.paused():
            fits = self.run_one(self.sh, "-c", WORK, "x" * (LONGEST - len(head) - 1))
            longer = self.run_one(self.sh, "-c", WORK, "x" * (LONGEST - len(head)))
            huge = self.run_one(self.sh, "-c", WORK, *["many"] * 10000)
        found = self.found()
        one = self.one(found, fits)
        self.assertEqual((len(one["command_line"]), one.get("cut")), (LONGEST - 1, None))
        for pid in longer, huge:
            one = self.one(found, pid)
            self.assertTrue(one["cut"])
            self.assertEqual(one["command_line"].split("\0")[:3], [self.sh, "-c", WORK])
        self.assertEqual(len(self.one(found, longer)["command_line"]), LONGEST)

    def test_however_many_begin_after_it(self):
        """Places of lines are few: those that come and go meanwhile take other ones, and leave them."""
        self.start(only=OURS)
        then_work = "echo it runs; read line; " + WORK
        many = "i=0; while [ $i -lt %d ]; do %s; i=$((i+1)); done" % (PLACES + 200, shutil.which("true"))
        with self.recorder.paused():
            p = subprocess.Popen([self.sh, "-c", then_work], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            p.stdout.readline()
            subprocess.run(["sh", "-c", many], check=True, preexec_fn=lambda: os.nice(-20))  # few others end meanwhile
            after = self.run_one(self.sh, "-c", WORK)
            p.communicate(b"\n")
        self.pids.append(p.pid)
        found = self.found()
        self.check_ours(self.one(found, p.pid), self.sh, "-c", then_work)
        self.check_ours(self.one(found, after), self.sh, "-c", WORK)

    def milliseconds(self, turns):
        """Of processor time that a process took, as the kernel charged it in the end."""
        p = subprocess.Popen([self.sh, "-c", WORK.replace(str(TURNS), str(turns))])
        used = os.wait4(p.pid, 0)[2]
        p.returncode = 0
        self.pids.append(p.pid)
        return (used.ru_utime + used.ru_stime) * 1000

    def test_who_did_just_enough(self):
        """What a process does after its last tick, and to free its memory, is known later than that it ends."""
        self.start(only=OURS)
        turns, just = TURNS // 20, []
        with self.recorder.paused():
            for _ in range(60):
                took = self.milliseconds(turns)
                if 10 < took < 11:
                    just.append(self.pids[-1])
                turns = int(turns * min(max(10.5 / took, 0.5), 2))
        found = self.found()
        ours = [p for pid in just for p in found.get(pid, ())]
        self.assertGreater(len(ours), 5)
        with_line = [p for p in ours if p.get("command_line")]
        self.assertGreaterEqual(len(with_line), 0.8 * len(ours))

    def test_one_that_a_sample_has_met_is_read_once(self):
        self.start(only=OURS)
        p = subprocess.Popen([self.sh, "-c", "read line; %s; exit 7" % WORK], stdin=subprocess.PIPE)
        harness.wait_until(lambda: p.pid in identities(self.so_far_in("so_far.plog") or os.devnull), "it was read")
        with self.recorder.paused():
            p.communicate(b"\n")
        self.pids.append(p.pid)
        one = self.one(self.found(), p.pid)
        self.assertTrue(one["executable"])

    def test_without_command_lines(self):
        self.recorder = Recording(self, self.log, "-q", "-i", "100ms", "--processes=bpf", "--no-command-lines",
                                  "-c", r"\Process(%s)\*" % OURS[0], "-c", "Performance Logger")
        self.recorder.wait_for(2)
        with self.recorder.paused():
            pid = self.run_one(self.sh, "-c", WORK, "secret-word")
        one = self.one(self.found(), pid)
        self.assertTrue(one["left_out"])
        self.assertNotIn("command_line", one)
        self.assertEqual(one["user"], os.geteuid())
        with open(self.log, "rb") as f:
            self.assertNotIn(b"secret-word", f.read())

    @needs_unshare
    def test_in_a_pid_namespace(self):
        r = subprocess.run(["unshare", "-pf", "--mount-proc", *harness.PYTHON, os.path.abspath(__file__), "--inside"],
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
        self.assertEqual((r.returncode, r.stdout), (0, ""))


@needs_taskstats
class FromProc(Ended):
    way = "proc"

    def test_they_have_their_names_only(self):
        self.start(only=OURS)
        with self.recorder.paused():
            pid = self.run_one(self.sh, "-c", WORK, "busy")
        self.assertNotIn(pid, self.found())


class Inside(Ended):
    """Run as another program, in a pid namespace of its own."""

    def namespace(self):
        self.start(only=OURS)
        with self.recorder.paused():
            pid = self.run_one(self.sh, "-c", WORK, "inside")
        self.check_ours(self.one(self.found(), pid), self.sh, "-c", WORK, "inside")


if __name__ == "__main__":
    if sys.argv[1:] == ["--inside"]:
        harness.exit_with(Inside("namespace"))
    harness.main()
