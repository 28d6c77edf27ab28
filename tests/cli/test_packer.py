#!/usr/bin/env python3
"""What perflog record packs by itself: segments that are complete, beside the recording."""
import fcntl
import glob
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import unittest

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import Recording, records, run, state_of, wait_until
from test_long_logs import Made

COUNTERS = ["-c", r"\System\*", "-c", r"\Process(p*)\*"]
SEGMENTS = ["-q", *COUNTERS, "-i", "50ms", "--max-time", "1s"]  # a disk that stalls for seconds costs no sample
OLD = "a-20200101T000000Z-000.plog"  # a name that an earlier run may have left


def read(path):
    with open(path, "rb") as f:
        return f.read()


def kinds(path):
    return [kind for kind, *_ in records(path)]


def is_packed(path):
    return "PACK" in kinds(path)


def children(pid):
    found = []
    for path in glob.glob("/proc/%d/task/*/children" % pid):
        try:
            with open(path) as f:
                found += [int(child) for child in f.read().split()]
        except OSError:
            pass
    return found


class PackerCase(Made):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("logs"))
        self.log = self.path("logs", "a.plog")

    def segments(self):
        return sorted(glob.glob(self.path("logs", "*.plog")))

    def whole(self):
        self.assertIn("good", self.good("verify", self.path("logs")).out)


class Packs(PackerCase):
    def test_segments_while_it_records(self):
        recorder = Recording(self, self.log, *SEGMENTS)
        recorder.wait(lambda: len([s for s in self.segments()[:-1] if is_packed(s)]) >= 2, "packed two segments")
        first = os.stat(self.segments()[0])
        end = recorder.end()
        self.assertEqual(self.wrote(end), [])
        self.assertEqual((first.st_mode & 0o777, first.st_uid), (0o640, os.geteuid()))
        self.assertFalse(is_packed(self.segments()[-1]))
        self.whole()
        self.assertEqual(self.good("info", self.path("logs")).out.count("Sessions   1"), 1)

    def test_what_the_run_before_left_unpacked(self):
        self.record(self.path("logs", OLD), *COUNTERS, "-i", "10ms", "-n", "100")
        before = self.good("export", "--layout", "long", self.path("logs", OLD)).out
        recorder = Recording(self, self.log, *SEGMENTS, "--max-time", "1d")
        recorder.wait(lambda: is_packed(self.path("logs", OLD)), "packed the old segment")
        self.wrote(recorder.end())
        self.assertEqual(self.good("export", "--layout", "long", self.path("logs", OLD)).out, before)

    def test_at_idle_priority_and_nothing_else(self):
        """The recorder's own priority is the greatest there is, where that is permitted."""
        self.record(self.path("logs", OLD), *COUNTERS, "-i", "10ms", "-n", "20")
        trace = self.path("trace")
        strace = subprocess.Popen(["strace", "-ff", "-qq", "-s", "200", "-o", trace, "-e",
                                   "trace=execve,sched_setscheduler,setpriority,ioprio_set,capset,flock,openat",
                                   harness.PROGRAM, "record", *SEGMENTS, "--max-time", "1d", self.log],
                                  stderr=subprocess.DEVNULL,
                                  env=harness.without_leaks(os.environ))  # which cannot be traced
        try:
            wait_until(lambda: strace.poll() is not None or is_packed(self.path("logs", OLD)), "packed the old segment")
            if strace.returncode is not None:
                self.skipTest("strace cannot be used here")
        finally:
            for recorder in children(strace.pid):
                os.kill(recorder, signal.SIGINT)
            strace.wait()
        traces = [read(trace).decode() for trace in glob.glob(trace + ".*")]  # a file for each thread
        did, = (calls for calls in traces if re.search('execve.*"/proc/self/exe"', calls))
        self.assertRegex(did, r'"pack", "--quiet", "--idle".*"--", "[^"]*%s"' % OLD)
        for call in (r"sched_setscheduler\(0, SCHED_IDLE, \[0\]\) += 0", r"setpriority\(PRIO_PROCESS, 0, 19\) += 0",
                     r"ioprio_set\(IOPRIO_WHO_PROCESS, 0, IOPRIO_PRIO_VALUE\(IOPRIO_CLASS_IDLE, 0\)\) += 0",
                     r'openat\(.*oom_score_adj'):
            self.assertRegex(did, call)
        kept = set(re.findall(r"CAP_\w+", re.search(r"capset\(.*\) += 0", did)[0].replace("_LINUX_CAPABILITY", "")))
        self.assertLessEqual(kept, {"CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_DAC_READ_SEARCH", "CAP_FOWNER", "CAP_FSETID"})

    def test_never(self):
        self.record(self.path("logs", OLD), *COUNTERS, "-i", "10ms", "-n", "20")
        recorder = Recording(self, self.log, *SEGMENTS, "--pack", "never")
        busy = []
        recorder.wait(lambda: busy.extend(children(recorder.process.pid)) or len(self.segments()) >= 5, "four segments")
        self.wrote(recorder.end())
        self.assertEqual((busy, [s for s in self.segments() if is_packed(s)]), ([], []))
        self.refused(1, "record", "--pack", "always", self.log, says="give sealed or never")

    def test_no_segments_no_packer(self):
        self.record(self.path("logs", OLD), *COUNTERS, "-i", "10ms", "-n", "20")
        self.record(self.log, *COUNTERS, "-i", "10ms", "-n", "40")
        self.assertFalse(is_packed(self.path("logs", OLD)))


class LeftBehind(PackerCase):
    def test_parts_of_an_earlier_run_go_at_the_start(self):
        parts = [self.path("logs", OLD + ".packing"), self.path("logs", "a-20200102T000000Z-001.plog.packing")]
        other = self.path("logs", "b-20200101T000000Z-000.plog.packing")
        for part in (*parts, other):
            shutil.copy(__file__, part)
        self.good("record", *SEGMENTS, "-n", "2", "--pack", "never", self.log)
        self.assertEqual([os.path.exists(part) for part in (*parts, other)], [False, False, True])

    def test_a_segment_that_goes_takes_its_part_along(self):
        for name in (OLD, OLD + ".packing"):
            shutil.copy(__file__, self.path("logs", name))
        recorder = Recording(self, self.log, *SEGMENTS, "--pack", "never", "--keep", "1")
        recorder.wait(lambda: not os.path.exists(self.path("logs", OLD)), "dropped the old segment")
        self.wrote(recorder.end())
        self.assertEqual(glob.glob(self.path("logs", "*.packing")), [])

    def test_killed_with_its_packer_at_any_moment(self):
        """Ten times, all at once; the samples of each run are there, and the next one goes on."""
        numbers = set()
        for i in range(10):
            recorder = Recording(self, self.log, *SEGMENTS, start=os.setsid)
            want = len(self.segments()) + 2
            recorder.wait(lambda: len(self.segments()) >= want or children(recorder.process.pid), "a packer")
            os.killpg(recorder.process.pid, signal.SIGKILL)
            recorder.process.communicate()
            seen = {name.rpartition("-")[0] for name in self.segments()}
            self.assertLessEqual(numbers, seen, "a segment is missing")
            numbers = seen
            self.whole()
        self.good("pack", "-q", self.path("logs"))
        self.whole()
        self.good("record", *SEGMENTS, "-n", "2", "--pack", "never", self.log)
        self.assertEqual(glob.glob(self.path("logs", "*.packing")), [])

    def test_asked_to_end_it_ends_its_packer(self):
        self.made(os.path.join("logs", OLD), samples=300, processes=100)
        before = run("export", "--layout", "long", "-q", self.path("logs", OLD)).raw_out
        recorder = Recording(self, self.log, *SEGMENTS, "--max-time", "1d")
        recorder.wait(lambda: os.path.exists(self.path("logs", OLD + ".packing")) or is_packed(self.path("logs", OLD)),
                      "begun to pack")
        packers = children(recorder.process.pid)
        self.wrote(recorder.end())
        wait_until(lambda: not [pid for pid in packers if os.path.exists("/proc/%d" % pid)], "the packer has ended")
        self.assertTrue(run("export", "--layout", "long", "-q", self.path("logs", OLD)).raw_out == before, "other rows")
        self.assertIn(b",_Total,", before)

    def test_a_new_recorder_does_not_mind_a_packer(self):
        """A segment that is being packed is not being recorded; no log of it can be appended to meanwhile."""
        old = self.path("logs", OLD)
        self.record(old, *COUNTERS, "-i", "10ms", "-n", "20")
        with open(old, "rb") as held:
            fcntl.flock(held, fcntl.LOCK_SH)
            self.good("record", *SEGMENTS, "-n", "2", "--pack", "never", self.log)
            self.refused(1, "record", *COUNTERS, "-n", "1", old, says="or packs it")
            self.whole()


class Readers(PackerCase):
    def test_one_that_has_the_log_open_reads_on(self):
        log = self.path("logs", "one.plog")
        self.record(log, "-i", "10ms", "-n", "150")
        whole = self.good("export", "-q", "--layout", "long", log).out
        with subprocess.Popen([harness.PROGRAM, "export", "-q", "--layout", "long", log],
                              stdout=subprocess.PIPE, encoding="utf-8") as reader:
            begin = reader.stdout.read(1000)  # it waits for the pipe now, in the middle of the log
            self.good("pack", "-q", log)
            self.assertTrue(is_packed(log))
            self.assertEqual(begin + reader.stdout.read(), whole)
        self.assertEqual(reader.returncode, 0)


class Background(PackerCase):
    def test_room_that_is_to_stay_free(self):
        old = self.path("logs", OLD)
        self.record(old, *COUNTERS, "-i", "10ms", "-n", "20")
        self.refused(1, "pack", "--min-free", "1000T", old, old, says="less than --min-free")
        self.assertFalse(is_packed(old))
        self.good("pack", "--min-free", "1", old)
        self.assertTrue(is_packed(old))

    def test_a_full_disk_is_said_once(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        old = self.path("logs", OLD)
        self.record(old, *COUNTERS, "-i", "10ms", "-n", "50")
        before = read(old)
        r = run("pack", "--idle", old, old, preexec_fn=limit)
        self.check_one_line(r, 1, "File too large")
        self.assertEqual(read(old), before)
        self.assertEqual(os.listdir(self.path("logs")), [OLD])

    def test_what_cannot_be_packed_is_said_once(self):
        old = self.path("logs", OLD)
        self.record(old, *COUNTERS, "-i", "10ms", "-n", "20")
        with open(old, "r+b") as f:
            f.seek(os.path.getsize(old) // 2)
            f.write(b"damage")
        before = read(old)
        recorder = Recording(self, self.log, *SEGMENTS)
        recorder.wait(lambda: len([s for s in self.segments()[1:-1] if is_packed(s)]) >= 3, "packed three segments")
        end = recorder.end()
        self.assertEqual([line.count("not packed: it is damaged") for line in self.wrote(end)], [1])
        self.assertEqual(read(old), before)

    def kill_packer(self, recorder):
        """True if there was one: what can be stopped has not ended."""
        for pid in children(recorder.process.pid):
            try:
                os.kill(pid, signal.SIGSTOP)
                wait_until(lambda: state_of(pid) in "TZ", "the packer is stopped")
                is_stopped = state_of(pid) == "T"
                os.kill(pid, signal.SIGKILL)
                return is_stopped
            except (ProcessLookupError, FileNotFoundError):
                pass  # it has ended
        return False

    def test_killed_it_is_said_and_tried_again(self):
        self.made(os.path.join("logs", OLD), samples=600, processes=100)
        recorder = Recording(self, self.log, *SEGMENTS)
        wait_until(lambda: self.kill_packer(recorder), "a packer is killed")
        complete = self.segments()[:-1]
        recorder.wait(lambda: all(is_packed(segment) for segment in complete), "packed what it was killed at")
        end = recorder.end()
        self.wrote(end)
        self.assertIn("segments are not packed: the program that packs them was killed", end.err)

    def test_what_may_not_be_packed_is_said(self):
        """Another try would not help; one after a full disk may, whatever else there is."""
        old = self.path("logs", OLD)
        self.record(old, *COUNTERS, "-i", "10ms", "-n", "20")
        os.chmod(old, 0o660)
        r = self.good("pack", "--idle", "-q", old)
        self.assertEqual(r.err, "perflog: %s: will not be written to: others can write to it\n" % old)
        self.refused(1, "pack", "-q", old, says="others can write to it")

    def test_what_is_unreadable_hides_no_full_disk(self):
        old, other = self.path("logs", OLD), self.path("logs", "a-20200102T000000Z-000.plog")
        self.record(old, *COUNTERS, "-i", "10ms", "-n", "20")
        shutil.copy(__file__, other)
        self.assertEqual(run("pack", "--idle", "-q", other).code, 4)
        self.assertEqual(run("pack", "--idle", "-q", "--min-free", "1000T", other, old).code, 1)
        self.assertEqual(run("pack", "-q", "--min-free", "1000T", other, old).code, 4)

    def test_what_is_gone_or_taken_meanwhile_is_no_error(self):
        old = self.path("logs", OLD)
        self.record(old, *COUNTERS, "-i", "10ms", "-n", "20")
        os.link(old, self.path("link"))
        self.assertEqual(self.good("pack", "--idle", "-q", self.path("logs", "gone.plog"), old).err, "")
        self.refused(1, "pack", self.path("logs", "gone.plog"), says="No such file")


if __name__ == "__main__":
    harness.main()
