#!/usr/bin/env python3
"""What identifies processes: recorded once, kept by cut and repair, and shown, however hostile it is."""
import json
import os
import stat
import struct
import subprocess
import sys
import unittest

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import Case, wait_until
from identified import BEGIN, entry, make

READ_LOG = os.path.join(harness.SUPPORT, "read_log.py")
# A program that becomes another one, of the same name, when its input ends; no shell makes that of it.
TURNS = ("import os, sys; sys.stdin.read(); "
         "os.execv(sys.executable, [sys.executable, '-c', 'import time; time.sleep(1000)', sys.argv[1] + '-after'])")
ESC = "\x1b[31m"


def records(path):
    """As an independent reader has them."""
    out = subprocess.run([*harness.PYTHON, READ_LOG, path], stdout=subprocess.PIPE, check=True).stdout
    return [json.loads(line) for line in out.splitlines()]


def processes(path):
    return [p for r in records(path) if r["type"] == "iden" for p in r["processes"]]


class Live(Case):
    def setUp(self):
        super().setUp()
        self.log = self.path("a.plog")
        self.mark = "mark-%d-%s" % (os.getpid(), self.id())

    def start(self, *args, **options):
        p = subprocess.Popen(args, stdin=subprocess.PIPE, **options)
        self.addCleanup(p.wait)
        self.addCleanup(p.kill)
        self.addCleanup(p.stdin.close)
        return p

    def ours(self, path=None):
        return [p for p in processes(path or self.log) if self.mark in p.get("command_line", "")]

    def recording(self, *args, counters="Process"):
        """A recorder that runs until the test has seen what it waits for."""
        r = self.start(harness.PROGRAM, "record", "-q", "-i", "50ms", "-c", counters, *args, self.log)
        wait_until(lambda: harness.count_samples(self.log), "there is a sample")
        return r

    def finish(self, recorder):
        recorder.terminate()
        self.assertEqual(recorder.wait(), 0)

    def wait_until_read(self, times):
        """The other reader, which takes its time, looks when there is more to see."""
        seen = 0

        def is_so():
            nonlocal seen
            before, seen = seen, sum(kind == "iden" for kind, *_ in harness.records(self.log))
            return seen != before and len(self.ours()) >= times
        wait_until(is_so, "it was read %d times" % times)

    def turning(self, *args):
        p = self.start(*harness.PYTHON, "-c", TURNS, self.mark)
        r = self.recording(*args)
        self.wait_until_read(1)
        p.stdin.close()
        self.wait_until_read(2)
        num = harness.count_samples(self.log)
        wait_until(lambda: harness.count_samples(self.log) >= num + 2, "the last two samples came after it was read again")
        self.finish(r)
        return p

    def check_turned(self, p, path=None):
        self.assertEqual(len(self.ours(path)), 2, self.ours(path))
        before, after = self.ours(path)
        for one in before, after:
            self.assertEqual(one["pid"], p.pid)
            self.assertEqual(one["executable"], os.path.realpath(sys.executable))
            self.assertEqual(one["user"], os.geteuid())
            self.assertEqual(one["parent"][0], os.getpid())
            self.assertTrue(one["parent_name"].endswith(":%d" % os.getpid()))
        with open("/proc/%d/cgroup" % os.getpid()) as f:
            self.assertIn(after["control_group"], f.read())
        self.assertEqual(before["command_line"].split("\0")[-1], self.mark)
        self.assertEqual(after["command_line"].split("\0")[-1], self.mark + "-after")
        self.assertEqual(before["start"], after["start"])

    def test_once_and_again_after_exec(self):
        for way in "auto", "proc":
            self.mark = "%s-%d-%s" % (way, os.getpid(), self.id())
            with self.subTest(way=way):
                if os.path.exists(self.log):
                    os.remove(self.log)
                self.check_turned(self.turning("--processes=" + way))
                self.good("verify", self.log)

    def test_copies_have_it(self):
        p = self.turning()
        new, part = self.path("new.plog"), self.path("part.plog")
        self.good("repair", "-q", self.log, "-o", new)
        self.check_turned(p, new)
        self.assertEqual(processes(new), processes(self.log))
        self.good("cut", "-q", "--from", "-1ms", self.log, "-o", part)
        self.assertEqual([x["command_line"].split("\0")[-1] for x in self.ours(part)], [self.mark + "-after"])

    def test_a_cut_has_those_of_its_processes(self):
        p = self.turning()
        part = self.path("part.plog")
        self.good("cut", "-q", "-c", r"\Process(*:%d)\ID Process" % p.pid, self.log, "-o", part)
        self.assertEqual({x["pid"] for x in processes(part)}, {p.pid})
        self.good("cut", "-q", "--without-command-lines", self.log, "-o", self.path("bare.plog"))
        bare = processes(self.path("bare.plog"))
        # What differed in these only is one now.
        self.assertEqual({(x["pid"], x["start"]) for x in bare},
                         {(x["pid"], x["start"]) for x in processes(self.log)})
        for x in bare:
            self.assertNotIn("command_line", x)
            self.assertTrue(x["left_out"])
        with open(self.path("bare.plog"), "rb") as f:
            self.assertNotIn(self.mark.encode(), f.read())

    def test_a_cut_has_those_of_processes_chosen_later(self):
        """What was recorded of them when they had another name, or before they had the chosen one again."""
        names = "old", "old", "old", "new", "old", "old", "new"
        log = make(self.path("a.plog"), entry(7, 1000, command_line="it", user_name="ann") + entry(8, 1000, command_line="other"),
                   None, entry(9, 1000, command_line="third"), None, entry(7, 1000, command_line="it now"), entry(8, 1000, command_line="changed"),
                   samples=[[(name + ":7", 7, 1, 0), ("b:8", 8, 1, 0), ("c:9", 9, 1, 0)] for name in names])
        choice, part = ("-c", r"\Process(new:*)\*"), self.path("part.plog")
        for window in (), ("--from", "@%d" % BEGIN), ("--from", "@%d" % (BEGIN + 5)):
            self.good("cut", "-q", *choice, *window, log, "-o", part)
            sheets = [self.good("export", "-q", "--layout", "long", "--identity", *choice, *window, x).out for x in (log, part)]
            self.assertIn(",it", sheets[0])
            self.assertEqual(sheets[0], sheets[1])
            self.assertEqual({x["pid"] for x in processes(part)}, {7})
            os.remove(part)

    def test_segments_have_it_each(self):
        p = self.start(*harness.PYTHON, "-c", "import time; time.sleep(1000)", self.mark)
        self.log = self.path("b.plog")
        r = self.start(harness.PROGRAM, "record", "-q", "-i", "50ms", "-c", "Process", "--max-time", "1s", "--pack", "never", self.log)

        def segments():
            return sorted(n for n in os.listdir(os.path.dirname(self.log)) if n.startswith("b-"))
        wait_until(lambda: len(segments()) > 3, "there are segments")
        self.finish(r)
        for name in segments():
            if any(x["type"] == "SMPL" for x in records(self.path(name))):
                self.assertEqual([x["pid"] for x in self.ours(self.path(name))], [p.pid])

    def test_without_command_lines(self):
        self.start(*harness.PYTHON, "-c", "import time; time.sleep(1000)", self.mark)
        r = self.recording("--no-command-lines")
        wait_until(lambda: os.getpid() in [p["pid"] for p in processes(self.log)], "this process was read")
        self.finish(r)
        found = processes(self.log)
        self.assertFalse([p for p in found if "command_line" in p or not p["left_out"]])
        config = self.path("perflog.conf")
        with open(config, "w") as f:
            f.write("no-command-lines\n")
        self.record(self.path("c.plog"), "-q", "-i", "50ms", "-n", "2", "-c", "Process", "--config", config)
        self.assertFalse([p for p in processes(self.path("c.plog")) if "command_line" in p])

    @unittest.skipIf(os.geteuid(), "only root can be another user")
    def test_the_user_of_one_that_protects_its_memory(self):
        """Whose files in /proc are root's, so that no other user reads them."""
        p = self.start(*harness.PYTHON, "-c", "import ctypes, os, sys; os.setresuid(1000, 1234, 1000); "
                       "ctypes.CDLL(None).prctl(4, 0, 0, 0, 0); print(flush=True); sys.stdin.read()", self.mark,
                       stdout=subprocess.PIPE)
        self.addCleanup(p.stdout.close)
        p.stdout.readline()
        for way in "auto", "proc":
            for counter in "ID Process", "User ID":
                with self.subTest(way=way, counter=counter):
                    if os.path.exists(self.log):
                        os.remove(self.log)
                    r = self.recording("--processes=" + way, counters=r"\Process(*:%d)\%s" % (p.pid, counter))
                    wait_until(lambda: processes(self.log), "it was read")
                    self.finish(r)
                    self.assertEqual([(one["pid"], one["user"]) for one in processes(self.log)], [(p.pid, 1234)])

    def test_no_processes_no_identities(self):
        self.record(self.log, "-q", "-i", "50ms", "-n", "2", "-c", "System")
        self.assertEqual(processes(self.log), [])

    def test_rights(self):
        self.record(self.log, "-q", "-i", "50ms", "-n", "2", "-c", "Process")
        self.good("cut", "-q", "--without-command-lines", self.log, "-o", self.path("cut.plog"))
        self.good("repair", "-q", self.log, "-o", self.path("repaired.plog"))
        for path in self.log, self.path("cut.plog"), self.path("repaired.plog"):
            self.assertEqual(stat.S_IMODE(os.stat(path).st_mode) & 0o137, 0, path)


class Crafted(Case):
    def shown(self, log):
        return json.loads(self.good("dump", "--json", "--sample", "-1", log).out)["processes"]

    def test_dump(self):
        log = make(self.path("a.plog"),
                   entry(7, 1000, command_line="a\0-b\0c d", executable="/bin/a", user_name="ann",
                              control_group="/x.service", parent_name="init:1"),
                        entry(8, 1000, command_line="old") + entry(9, 1000, command_line="of none"),
                        entry(8, 1000, executable="/bin/b"))
        seven, eight = self.shown(log)
        self.assertEqual((seven["pid"], seven["command_line"], seven["executable"], seven["user_name"],
                          seven["control_group"], seven["parent_name"]),
                         (7, "a -b c d", "/bin/a", "ann", "/x.service", "init:1"))
        self.assertEqual((eight["pid"], eight["command_line"], eight["executable"]), (8, None, "/bin/b"))
        text = self.good("dump", "--sample", "-1", log).out
        self.assertIn("a -b c d", text)
        self.assertNotIn("of none", text)
        self.assertNotIn("a -b c d", self.good("dump", "--object", "Process", log).out)

    def test_hostile_texts_are_harmless(self):
        nasty = "=cmd|' /C calc'!A0\n%s\r\0\udcff\udc80\u202e\x07" % ESC
        log = make(self.path("a.plog"), entry(7, 1000, command_line=nasty, executable=nasty, user_name=nasty,
                                                   control_group=nasty, parent_name=nasty))
        r = self.good("dump", "--sample", "-1", log)
        self.assertNotIn(b"\x1b", r.raw_out)
        self.assertNotIn(b"\x07", r.raw_out)
        self.assertIn("=cmd", r.out)
        self.assertTrue(self.shown(log)[0]["command_line"].startswith("=cmd"))

    def test_bad_payloads_cost_their_texts_only(self):
        good = entry(7, 1000, command_line="x")
        for bad in b"\x01", b"\xff\xff\xff\xff", struct.pack("<I", 8) + bytes(8), good[:-1], good + b"\0":
            log = make(self.path("a.plog"), bad)
            r = harness.run("export", "-q", "--layout", "long", "-c", r"\Process(*)\Thread Count", log)
            self.assertEqual(r.code, 2, r)
            self.assertEqual(len(r.out.splitlines()), 1 + 3 * 3)  # _Total as well

    def test_a_log_without_any_shows_none(self):
        log = make(self.path("a.plog"))
        self.assertNotIn("processes", json.loads(self.good("dump", "--json", log).out))


if __name__ == "__main__":
    harness.main()
