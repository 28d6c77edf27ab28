#!/usr/bin/env python3
"""Processes that end: nothing they did is lost.

The kernel's own account (wait4) says what was done; the log's raw values must say the same."""
import collections
import itertools
import os
import subprocess
import sys
import threading
import unittest

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from ends import EXITS, FAILED, KILLED, OOM, PRIVILEGED, RUN_TIME, STATUS, USER, Recorded, blocks
from harness import Case, long_rows
from test_processes import needs_bpf, needs_taskstats, needs_unshare

STORM, CHURN = os.environ.get("STORM"), os.environ.get("CHURN")
SKIP = 77
WRITES, USER_ID = 1422, 23126  # IO Write Bytes/sec, User ID
LOGGER, LOST = 21700, 21738
NUMBERS = itertools.count()
PREFIX = "s%d" % os.getpid()
OURS = PREFIX + "?-*", "storm:*"  # until they have their names


def storm(*args):
    """Run it, under names of its own; by name: [processes, errors, killed, processor time in 100 ns]."""
    out = subprocess.run([STORM, PREFIX + chr(ord("a") + next(NUMBERS)), *map(str, args)], stdout=subprocess.PIPE, check=True, universal_newlines=True).stdout
    did = collections.defaultdict(lambda: [0, 0, 0, 0])
    for line in out.splitlines():
        name, _, status, ns = line.split()
        one = did[name]
        one[0] += 1
        one[1] += os.WIFEXITED(int(status)) and os.WEXITSTATUS(int(status)) != 0
        one[2] += os.WIFSIGNALED(int(status))
        one[3] += int(ns) / 100
    return did


def close_to(did, part, of_all=0):
    """For end(): what the log lacks of a storm, or has too much of.

    Of processor time 'part' of each name's may be wrong, and 'of_all' of their sum; 0: as it may be.
    """
    def lacks(work):
        found, by_name = [], work.by_last_name()
        for name, (num, failed, killed, used) in did.items():
            got = by_name[name]
            if [got[EXITS], got[FAILED], got[KILLED], got[OOM]] != [num, failed, killed, 0]:
                found.append("%s: %s of %s" % (name, [got[t] for t in (EXITS, FAILED, KILLED, OOM)],
                                               [num, failed, killed, 0]))
            if part and abs(got[RUN_TIME] - used) >= used * part:
                found.append("%s: %d of %d" % (name, got[RUN_TIME], used))
        got, used = sum(by_name[name][RUN_TIME] for name in did), sum(one[3] for one in did.values())
        if of_all and abs(got - used) >= used * of_all:
            found.append("all: %d of %d" % (got, used))
        return found
    return lacks


def lost_exits(log):
    """Exits Lost in the last sample."""
    for o in list(blocks(log))[-1]["objects"]:
        if o["ObjectNameTitleIndex"] == LOGGER:
            return o["instances"][0]["values"][[c["CounterNameTitleIndex"] for c in o["counters"]].index(LOST)]


class Ends:
    """Whichever way they are seen."""
    cpu = 0  # part of a name's processor time that may be wrong; 0: that is not compared
    cpu_of_all = 0  # of that of all names
    mistaken = 0  # part of the bytes of processes that have one number in turn that may be wrong

    def test_a_storm_is_accounted_for(self):
        self.start("500ms")
        did = storm(1000, 500, 3000)
        work = self.end(close_to(did, self.cpu, self.cpu_of_all))
        for name in did:
            got = work.by_name[name]
            self.assertEqual(got[USER] + got[PRIVILEGED], got[RUN_TIME], name)
        self.assertEqual({work.last[k][STATUS] for k in work.last
                          if k[0] and work.names[k].rsplit(":", 1)[0] in did}, {0, 7, 128 + 9})

    @unittest.skipIf(os.geteuid(), "only root can be another user")
    def test_who_ended_has_its_user(self):
        """Seen alive, and between two samples; and after one that had another user."""
        self.start("100ms", ("sleep:*", "python*:*"))
        users = {}
        alive = subprocess.Popen(["sleep", "99"], preexec_fn=lambda: os.setuid(4321))
        self.addCleanup(alive.kill)
        self.recorder.wait_for_more(2)
        with self.recorder.paused():
            alive.kill()
            alive.wait()
            for user in 0, 1234, 5432:
                one = subprocess.Popen(["sleep", "0"], preexec_fn=lambda: os.setuid(user))
                users[one.pid] = user
                one.wait()
        users[alive.pid] = 4321
        work = self.end(self.ended(*users))
        for pid, user in users.items():
            self.assertEqual(self.of(work, pid)[1][USER_ID], user)

    def test_too_many_are_summed_up_by_name(self):
        self.start("100ms", OURS)
        with self.recorder.paused():
            did = storm(2000, 0, 0)
        work = self.end(close_to(did, 0))
        sums = {name for key, name in work.names.items() if key[0] == 0}
        self.assertLessEqual({name + ":0" for name in did}, sums)
        alone = sum(name.rsplit(":", 1)[0] in did and key[0] != 0 for key, name in work.names.items())
        self.assertTrue(900 < alone <= 1024, alone)

    def test_a_number_that_many_have_one_after_another(self):
        """Several in a sample, and no two are taken for one."""
        num = 300
        self.start("100ms", ("churn:*",))
        done = subprocess.run([CHURN, "again", str(num)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, universal_newlines=True)
        if done.returncode == SKIP:
            self.skipTest("a number cannot be chosen here")
        self.assertEqual(done.returncode, 0)
        pid, written = map(int, done.stdout.split()[1:])

        def did(work):
            one = [work.by_process[key] for key in work.by_process if key[0] == pid]
            return sum(p[EXITS] for p in one), sum(p[WRITES] for p in one)
        work = self.end(lambda work: [] if did(work)[0] > num else [did(work)])
        exits, bytes_written = did(work)
        self.assertEqual(exits, num + 1)  # and the first, to have the number
        self.assertAlmostEqual(bytes_written, written, delta=written * self.mistaken)
        self.assertEqual({p[EXITS] for key, p in work.by_process.items() if key[0] == pid}, {1})


@needs_bpf
class EndsByBpf(Ends, Recorded):
    cpu = 0.01

    @harness.in_full
    def test_a_ring_that_begins_anew_loses_nothing(self):
        self.start("250ms", OURS)
        if not harness.is_instrumented():
            self.assertLess(harness.status_kb(self.recorder.process.pid, "RssFile"), 16 << 10,
                            "the ring is mapped once")
        did = storm(14000, 0, 0)  # more than it holds
        self.end(close_to(did, 0.04))  # of so short ones the end itself is a part

    @needs_unshare
    def test_what_the_ring_cannot_hold_is_counted(self):
        self.check_inside("lost", 14000)

    @needs_unshare
    def test_a_recorder_in_a_pid_namespace(self):
        self.check_inside("namespace", 300)

    @needs_unshare
    def test_a_recorder_in_a_container(self):
        """With a root, processes, mounts and control groups of its own."""
        root = os.path.join(self.memory, "root")
        os.mkdir(root)
        self.check_inside("namespace", 300, "unshare", "-mpfC", "--kill-child", "sh", "-c",
                          'mount --rbind / "$0" && mount -t proc proc "$0/proc" && exec chroot "$0" "$@"', root)

    def check_inside(self, what, num, *inside):
        r = subprocess.run([*(inside or ("unshare", "-pf", "--mount-proc")), *harness.PYTHON, os.path.abspath(__file__),
                            "--inside", what, str(num), self.log],
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
        self.assertEqual((r.returncode, r.stdout), (0, ""), r.stdout)

    def test_sheets_add_up_to_their_total(self):
        """In each row, whoever was born, ended, or is in a sum of many that ended."""
        self.start("200ms", OURS)
        did = storm(300, 500, 3000)
        with self.recorder.paused():
            did.update(storm(1500, 0, 0))
        self.end(close_to(did, 0))
        counters = "% Processor Time", "Exits/sec", "Page Faults/sec"
        chosen = [word for c in counters for word in ("-c", r"\Process(*)\%s" % c)]
        everybody = self.parts(did, counters, "--layout", "long", *chosen)
        self.assertTrue(any(name.endswith(":0") for name in everybody))
        for top in [], ["--top", "2"], ["--top", "2:Exits/sec"], ["--top", "1000"]:
            for more in [], ["--group", "name"], ["--group", "parent"]:
                for every in ([], ["--every", "1s"], ["--every", "3s"], ["--every", "1h"])[::1 if harness.FULL else 2]:
                    with self.subTest(top=top, more=more, every=every):
                        names = self.parts(did, counters, "--layout", "long", *chosen, *top, *more, *every)
                        self.assertEqual("_Other" in names, bool(top) and (top[1] != "1000" or not more))
                        if more == ["--group", "name"] and not top:
                            self.assertLessEqual(set(did), names)

    def parts(self, did, counters, *args):
        """The instances, whose values are found to be _Total's in each row."""
        sums = collections.defaultdict(lambda: [0, None])
        names = set()
        for r in long_rows(self.good("export", "-q", *args, self.log).out):
            if r["Instance"].rsplit(":", 1)[0] in did:
                self.assertIn(r["Status"], ("", "partial", "absent"), r)
            at = sums[r["Time"], r["Counter"]]
            names.add(r["Instance"])
            if r["Instance"] == "_Total":
                at[1] = float(r["Value"]) if r["Value"] else None
            elif r["Value"]:
                at[0] += float(r["Value"])
        self.assertEqual({c for _, c in sums}, set(counters))
        self.assertTrue(any(total for _, total in sums.values()))
        for row, (parts, total) in sums.items():
            self.assertAlmostEqual(parts, total or 0, delta=1e-9 * max(1, total or 0), msg=row)
        return names


@needs_taskstats
class EndsByTaskstats(Ends, Recorded):
    way = "proc"
    # What messages lack is up to a quarter of it, and more on a busy machine.  Their sum is known, as parents are
    # charged it; what each has of it is guessed, by how long it ran and how much memory it had.
    cpu = 0.15
    cpu_of_all = 0.05
    mistaken = 0.05  # one that ends while the recorder reads may be taken for the one before it
    ROOM = 26214  # messages: twice 16 MiB by 1,280 bytes

    def test_one_that_nobody_waits_for_is_one(self):
        """Its report comes while the walk has the zombie, with fewer reads and writes than taskstats counts."""
        self.start("100ms", ("sleep:*", "python*:*"))
        with self.recorder.paused():
            dead = [subprocess.Popen(["sleep", "0"]) for _ in range(5)]
            for one in dead:
                self.addCleanup(one.wait)
                os.waitid(os.P_PID, one.pid, os.WEXITED | os.WNOWAIT)
        work = self.end(self.ended(*(one.pid for one in dead)))
        for one in dead:
            self.assertEqual([p[EXITS] for key, p in work.by_process.items() if key[0] == one.pid], [1])

    def test_what_the_socket_cannot_hold_is_counted(self):
        self.start("100ms", OURS)
        did, num = {}, 0
        while not num or not lost_exits(self.so_far_in("lost.plog")):
            with self.recorder.paused():
                for _ in range(self.ROOM):
                    thread = threading.Thread(target=lambda: None)
                    thread.start()
                    thread.join()
                did.update(storm(200, 0, 0))
            num += 200
            self.recorder.wait_for_more(2)
        work = self.end(close_to(storm(20, 0, 0), 0))  # afterwards all is heard again
        seen, lost = sum(work.by_name[name][EXITS] for name in did), lost_exits(self.log)
        self.assertGreaterEqual(seen + lost, num)  # and what else the machine did meanwhile
        self.assertLess(seen, num)

    def test_others_who_listen_are_not_disturbed(self):
        """A recorder that comes and goes while another one listens."""
        self.start("200ms", OURS)
        did = storm(20, 0, 0)
        self.record(self.path("b.plog"), "-q", "-i", "50ms", "-n", "3", "--processes=proc", "-c", "Process")
        did.update(storm(20, 0, 0))
        self.end(close_to(did, 0))


class Inside(Recorded):
    """Run as another program, in a pid namespace of its own, where nobody else ends."""
    num = 0

    def lost(self):
        """Reports of ends and final ones fill the ring; on a busy machine the latter may come too late for that."""
        self.start("200ms")
        did, num = {}, 0
        while not num or not lost_exits(self.so_far_in("lost.plog")):
            with self.recorder.paused():
                did.update(storm(self.num, 0, 0))
            num += self.num + 1  # and the storm itself
            self.recorder.wait_for_more(2)
        work = self.end()
        seen = sum(work.by_name[name][EXITS] for name in (*did, "storm"))
        self.assertEqual(seen + lost_exits(self.log), num)

    def namespace(self):
        self.start("200ms")
        did = storm(self.num, 500, 3000)
        self.end(close_to(did, 0.01))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--inside"]:
        _, _, what, num, log = sys.argv
        test = Inside(what)
        Inside.num, Inside.setUp = int(num), lambda self: (Recorded.setUp(self), setattr(self, "log", log))
        harness.exit_with(test)
    harness.main()
