#!/usr/bin/env python3
"""perflog record: how many samples, how it ends and goes on, what it chooses, rotation."""
import json
import os
import re
import select
import resource
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import ends
import harness
from harness import SYSTEM, Case, Recording, count_samples, records, run, several

FAST = ("-i", "100ms")
PERFORMANCE_LOGGER, CPU_TIME = 21700, 6  # title indexes


class Recorder(Case):
    def setUp(self):
        super().setUp()
        self.log = self.path("a.plog")

    def info(self, *logs):
        return json.loads(self.good("info", "--json", *(logs or (self.log,))).out)[0]

    def kinds(self, log=None):
        return [r[0] for r in records(log or self.log)]


class Counts(Recorder):
    def test_number_of_samples(self):
        for n in 1, 2, 7:
            log = self.record(self.path("%d.plog" % n), *SYSTEM, *FAST, "-n", str(n))
            self.assertEqual(count_samples(log), n)
            self.assertEqual(len(self.wide(log).rows), n)

    def test_duration(self):
        self.record(self.log, *SYSTEM, "-i", "250ms", "-d", "1s")
        info = self.info()
        self.assertGreaterEqual(info["samples"] + info["missed"], 5)
        if not info["missed"]:
            self.assertEqual(info["samples"], 5)
        self.assertEqual(len(self.wide(self.log).rows), info["samples"])

    def test_duration_that_is_no_multiple_of_the_interval(self):
        for i, d, num in ("100ms", "160ms", 2), ("200ms", "390ms", 2), ("100ms", "90ms", 1):
            log = self.record(self.path("%s.plog" % d), *SYSTEM, "-i", i, "-d", d)
            self.assertEqual(count_samples(log), num, (i, d))

    def test_whichever_comes_first(self):
        for n, d, says in (2, "1h", "it had the samples it was asked for"), (9999, "200ms", "its time was over"):
            log = self.record(self.path("%d.plog" % n), *SYSTEM, *FAST, "-n", str(n), "-d", d)
            self.assertIn(says, self.good("info", log).out)

    def test_first_row_needs_two(self):
        """Rates are blank in the first row, gauges are not."""
        sheet = self.wide(self.record(self.log, *SYSTEM, *FAST, "-n", "3"))
        switches = sheet.column(r"\System\Context Switches/sec")
        self.assertIsNone(switches[0])
        self.assertNotIn(None, switches[1:])
        self.assertNotIn(None, sheet.column(r"\System\Processes"))

    def test_ticks_lie_on_multiples_of_the_interval(self):
        self.record(self.log, *SYSTEM, "-i", "250ms", "-n", "4")
        for t in self.wide(self.log, "--time", "unix").times:
            self.assertEqual(round(float(t) * 1000) % 250, 0, t)

    def test_what_it_says(self):
        with open(self.path("choice"), "w") as f:  # which takes time to begin with
            f.write("\\System\\*\n" * 20000)
        r = self.good("record", "-c", "@" + self.path("choice"), *FAST, "-n", "3", self.log)
        self.assertEqual(r.out, "")
        first, last = r.err.splitlines()
        self.assertIn("recording into %s every 100ms" % self.log, first)
        self.assertRegex(last, r"3 samples, \d+ missed, [\d.]+ k?B, [\d.]+ s CPU time")
        cpu, start, each = map(float, re.search(r"([\d.]+) s CPU time: ([\d.]+) s to start, ([\d.]+) ms a sample", last).groups())
        self.assertGreater(start, 0.0042)  # twice the tolerance
        self.assertAlmostEqual(cpu - start, 2 * each / 1000, delta=0.0021)
        r = self.good("record", "-q", *SYSTEM, *FAST, "-n", "1", self.path("b.plog"))
        self.assertEqual((r.out, r.err), ("", ""))

    def test_cost_of_the_start_is_apart(self):
        """Of two sessions: the second sample of each has what starting with the first took, the others share the rest."""
        for _ in range(2):
            said = self.good("record", *SYSTEM, *FAST, "-n", "4", self.log).err
        info = self.info(self.log)
        own = [o for block in ends.blocks(self.log) for o in block["objects"]
               if o["ObjectNameTitleIndex"] == PERFORMANCE_LOGGER]
        used = [dict(zip((c["CounterNameTitleIndex"] for c in o["counters"]), o["instances"][0]["values"]))[CPU_TIME]
                for o in own]
        start = used[1] + used[5]
        self.assertEqual(info["cpu_seconds_before_first"], (used[0] + used[4]) / 1e7)
        self.assertEqual(info["cpu_seconds_to_start"], start / 1e7)
        self.assertEqual(info["cpu_seconds"], (used[3] + used[7]) / 1e7)
        self.assertIn("Cost       %.2f ms CPU a sample, %.3f s to start, with the first, %.3f s in all\n" % (
            (used[3] + used[7] - start) / 4 / 1e4, start / 1e7, (used[3] + used[7]) / 1e7), self.good("info", self.log).out)
        # The same rule as in record's last line, where the clock is read a moment earlier.
        self.assertAlmostEqual(float(re.search(r"([\d.]+) s to start", said)[1]), used[5] / 1e7, delta=0.003)
        for n, more in (1, ""), (2, ", with the first sample"):
            few = self.record(self.path("%d.plog" % n), *SYSTEM, *FAST, "-n", str(n))
            self.assertRegex(self.good("info", few).out, r"\n  Cost       0\.\d+ s CPU to start%s\n" % more)


def may_be_prompt():
    """Whether this test may have a priority above the ordinary one."""
    code = "import os; os.setpriority(os.PRIO_PROCESS, 0, -20)"
    return subprocess.run([*harness.PYTHON, "-c", code], stderr=subprocess.DEVNULL).returncode == 0


def slice_of(path):
    """Nanoseconds that a thread may run before others, from its file "sched"; None: not to be seen."""
    try:
        with open(path) as f:
            found = re.search(r"se\.slice +: +(\d+)", f.read())
    except OSError:
        return None
    return int(found[1]) if found else None


def has_slices():
    version = tuple(int(n) for n in re.findall(r"\d+", os.uname().release)[:2])
    return version >= (6, 12) and slice_of("/proc/self/sched") is not None


class Priority(Recorder):
    def threads(self, recording):
        """Their policies and nice values, when there is a sample."""
        recording.wait_for(1)
        pid = recording.process.pid
        found = {(os.sched_getscheduler(int(t)), os.getpriority(os.PRIO_PROCESS, int(t)))
                 for t in os.listdir("/proc/%d/task" % pid)}
        self.assertEqual(recording.end().code, 0)
        return found

    @unittest.skipUnless(may_be_prompt() and not os.getpriority(os.PRIO_PROCESS, 0), "no priority is permitted here")
    def test_samples_come_before_other_work(self):
        """By a nice value: under a real-time policy the kernel shows other limits of dirty memory than to others."""
        self.assertEqual(self.threads(Recording(self, self.log, *SYSTEM, *FAST)), {(os.SCHED_OTHER, -20)})

    @unittest.skipUnless(has_slices(), "slices cannot be chosen or seen on this kernel")
    def test_slices_are_the_shortest(self):
        """Else a thread that wakes waits for the end of the slice of the one that runs."""
        recording = Recording(self, self.log, *SYSTEM, *FAST)
        recording.wait_for(1)
        folder = "/proc/%d/task" % recording.process.pid
        slices = {slice_of(os.path.join(folder, t, "sched")) for t in os.listdir(folder)}
        self.assertEqual(recording.end().code, 0)
        self.assertEqual(slices, {100000})
        self.assertGreater(slice_of("/proc/self/sched"), 100000)

    def test_a_chosen_priority_stays(self):
        before = os.getpriority(os.PRIO_PROCESS, 0)
        recording = Recording(self, self.log, *SYSTEM, *FAST, start=lambda: os.nice(5))
        self.assertEqual(self.threads(recording), {(os.SCHED_OTHER, before + 5)})

    def test_without_the_right_it_stays(self):
        """It does without, and says nothing."""
        before = os.getpriority(os.PRIO_PROCESS, 0)
        os.chmod(self.folder, 0o1777)
        recording = Recording(self, self.log, *SYSTEM, *FAST, user=65534 if os.geteuid() == 0 else None,
                              start=lambda: resource.setrlimit(resource.RLIMIT_NICE, (0, 0)))
        self.assertEqual(self.threads(recording), {(os.SCHED_OTHER, before)})


class Memory(Recorder):
    def test_what_the_start_needed_is_unmapped(self):
        """Long before the second sample."""
        recording = Recording(self, self.log, *SYSTEM, "-i", "1h")

        def of_files():
            most, own, now = (harness.status_kb(recording.process.pid, what) for what in ("VmHWM", "RssAnon", "RssFile"))
            return now / (most - own)
        recording.wait_for(1)
        recording.wait(lambda: of_files() < 0.75, "fewer pages of files")
        self.assertEqual(recording.end().code, 0)


class Endings(Recorder):
    def test_signals_end_it_cleanly(self):
        for sig in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
            with self.subTest(signal=sig):
                log = self.path("%d.plog" % sig)
                recording = Recording(self, log, *SYSTEM, *FAST)
                recording.wait_for(2)
                r = recording.end(sig)
                self.assertEqual(r.code, 0, r)
                self.assertRegex(r.err, r"\d+ samples, \d+ missed")
                self.assertEqual(self.kinds(log)[-1], "ends")
                self.assertEqual(sum(r[2] for r in records(log)), os.path.getsize(log))
                self.assertTrue(self.info(log)["ended"])
                self.good("verify", log)

    def test_signals_of_other_programs_do_no_harm(self):
        recording = Recording(self, self.log, *SYSTEM, *FAST)
        recording.wait_for(1)
        for sig in signal.SIGUSR1, signal.SIGUSR2, signal.SIGPIPE:
            recording.process.send_signal(sig)
            recording.wait_for_more(1)
        self.assertEqual(recording.end().code, 0)
        self.good("verify", self.log)

    def test_it_outlives_the_terminal_where_that_is_asked_for(self):
        """As by nohup: HUP is ignored when it begins."""
        before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
        self.addCleanup(signal.signal, signal.SIGHUP, before)
        recording = Recording(self, self.log, *SYSTEM, *FAST)
        recording.wait_for(1)
        recording.process.send_signal(signal.SIGHUP)
        recording.wait_for_more(3)
        self.assertEqual(recording.end().code, 0)
        self.assertGreaterEqual(count_samples(self.log), 4)

    def test_kill(self):
        """Whenever it comes: the log is good, readable, and can be continued."""
        recording = Recording(self, self.log, "-i", "50ms")
        recording.wait_for(5)
        recording.end(signal.SIGKILL)
        self.assertNotIn("ends", self.kinds())
        self.assertFalse(self.info()["ended"])
        r = self.good("verify", self.log)
        self.assertIn(": good: ", r.out)
        with open(self.log, "rb") as f:
            before = f.read()
        n = len(self.wide(self.log).rows)
        self.assertGreaterEqual(n, 5)
        with open(self.log, "ab") as f:  # as if it had been killed inside a write
            f.write(before[:1000])
        torn = len(before) + 1000
        self.good("verify", self.log)
        self.record(self.log, *FAST, "-n", "2")
        with open(self.log, "rb") as f:
            self.assertEqual(f.read(torn), before + before[:1000])
        self.assertIn(": good: %d samples in 2 sessions" % (n + 2),
                      self.good("verify", self.log).out)
        self.assertEqual(len(self.wide(self.log).rows), n + 2)

    def test_killed_at_many_instants(self):
        for ms in range(0, 100, 9):
            log = self.path("%d.plog" % ms)
            recording = Recording(self, log, "-i", "10ms", "--sync", "never")
            recording.wait_for(1)
            time.sleep(ms / 1000)
            recording.end(signal.SIGKILL)
            self.assertIn(": good: ", self.good("verify", log).out)

    def test_appending(self):
        self.record(self.log, *SYSTEM, *FAST, "-n", "3")
        first = self.wide(self.log)
        self.record(self.log, *SYSTEM, *FAST, "-n", "3")
        both = self.wide(self.log)
        self.assertEqual(self.info()["sessions"], 2)
        self.assertEqual(both.header, first.header)
        self.assertEqual(both.rows[:3], first.rows)
        blanks = [v is None for v in both.column(r"\System\Context Switches/sec")]
        self.assertEqual(blanks, [True, False, False, True, False, False])
        self.assertNotIn(None, both.column(r"\System\Processes"))

    def test_stopped_for_three_seconds(self):
        """The pair around the gap counts over its true length, so nothing spikes."""
        def switches():
            with open("/proc/stat") as f:
                return int(re.search(r"^ctxt (\d+)", f.read(), re.M).group(1))
        before = switches()
        recording = Recording(self, self.log, "-c", r"\System\*", "-c", r"\Processor(*)\*", "-i", "250ms")
        recording.wait_for(3)
        recording.process.send_signal(signal.SIGSTOP)
        time.sleep(3)
        recording.process.send_signal(signal.SIGCONT)
        recording.wait_for_more(3)
        r = recording.end()
        after = switches()
        self.assertEqual(r.code, 0, r)
        info = self.info()
        self.assertGreaterEqual(info["missed"], 10)
        sheet = self.wide(self.log, "--time", "unix")
        self.assertEqual(len(sheet.rows), info["samples"])
        times = [float(t) for t in sheet.times]
        steps = [b - a for a, b in zip(times, times[1:])]
        self.assertGreater(max(steps), 2.5)
        rates = sheet.column(r"\System\Context Switches/sec")
        self.assertNotIn(None, rates[1:])
        # The gap taken for 250 ms would give ten times as many; late ticks make no factor of 3.
        total = sum(rate * step for rate, step in zip(rates[1:], steps))
        self.assertLessEqual(total, (after - before) * 3)
        for path in sheet.paths:
            if path.startswith(r"\Processor(") and "%" in path:
                for value in sheet.column(path)[1:]:
                    self.assertLessEqual(value, 300, path)

    def test_second_interrupt_and_hangup_leave_a_good_log(self):
        recording = Recording(self, self.log, *SYSTEM, *FAST)
        recording.wait_for(2)
        for _ in range(3):
            recording.process.send_signal(signal.SIGINT)
        recording.end(None)
        self.good("verify", self.log)

    def test_signals_of_one_moment_are_one_request(self):
        """As of a terminal that closes, whose shell repeats its HUP, and of timeout(1)."""
        for sig in signal.SIGTERM, signal.SIGHUP:
            with self.subTest(signal=sig):
                log = self.path("%d.plog" % sig)
                recording = Recording(self, log, *SYSTEM, *FAST)
                recording.wait_for(2)
                for _ in range(40):
                    recording.process.send_signal(sig)
                    time.sleep(0.001)
                self.assertEqual(recording.end(None).code, 0)
                self.assertEqual(self.kinds(log)[-1], "ends")


class TakenAway(Recorder):
    """Somebody deletes the log, or cuts it as log rotation by copying does, while it is written."""

    def go_on(self, take):
        recording = Recording(self, self.log, *SYSTEM, "-i", "50ms")
        recording.wait_for(3)
        take()
        def others():
            return [self.path(n) for n in os.listdir(self.folder) if self.path(n) != self.log]
        harness.wait_until(lambda: others() and count_samples(others()[0]) >= 5, "another segment")
        r = recording.end()
        self.assertEqual(r.code, 0, r)
        self.assertEqual(r.err.count("a.plog: another program deleted or changed it; going on in another segment\n"), 1, r.err)
        [segment] = others()
        self.assertRegex(segment, r"/a-\d{8}T\d{6}Z-001\.plog$")  # the first file counts as 000
        self.assertIn(": good: ", self.good("verify", segment).out)
        self.assertIn("another program deleted or changed the file before this one", self.good("info", segment).out)

    def test_deleted(self):
        self.go_on(lambda: os.unlink(self.log))

    def test_deleted_again(self):
        """No sample goes into a file without a name for the rest of a minute."""
        recording = Recording(self, self.log, *SYSTEM, "-i", "50ms")
        recording.wait_for(3)
        gone, begun = set(), time.monotonic()
        def others():
            return [self.path(n) for n in os.listdir(self.folder) if self.path(n) not in gone]
        for path in self.log, None, None:
            if not path:
                harness.wait_until(lambda: others() and count_samples(others()[0]) >= 2, "another segment")
            [path] = others()
            gone.add(path)
            os.unlink(path)
        harness.wait_until(lambda: others() and count_samples(others()[0]) >= 2, "the last segment")
        self.assertLess(time.monotonic() - begun, 60)
        self.assertEqual(recording.end().code, 0)
        self.good("verify", *others())

    def test_folder_deleted(self):
        """What no file takes is lost, and said to be; with the folder the log comes back."""
        folder = self.path("folder")
        os.mkdir(folder)
        log = os.path.join(folder, "a.plog")
        recording = Recording(self, log, *SYSTEM, "-i", "50ms")
        recording.wait_for(3)
        os.unlink(log)
        os.rmdir(folder)
        said = b"%s: No such file or directory; sampling goes on, lost samples are counted\n" % log.encode()
        heard = b""

        def is_said():
            nonlocal heard
            if select.select([recording.process.stderr], [], [], 0)[0]:
                heard += os.read(recording.process.stderr.fileno(), 4096)
            return said in heard

        recording.wait(is_said, "said that it has no file")
        os.mkdir(folder)
        harness.wait_until(lambda: os.listdir(folder), "another segment")
        segment = os.path.join(folder, os.listdir(folder)[0])
        harness.wait_until(lambda: count_samples(segment) >= 2, "samples")
        r = recording.end()
        self.assertEqual(r.code, 2, r)
        self.assertRegex(r.err, r"\d+ samples? could not be written")
        self.good("verify", segment)

    def test_cut(self):
        self.go_on(lambda: os.truncate(self.log, 0))

    def test_deleted_before_the_last_sample(self):
        """No other sample is taken when that is found out; it is reported all the same."""
        recording = Recording(self, self.log, *SYSTEM, "-i", "4s", "-n", "2")
        recording.wait_for(1)
        os.unlink(self.log)
        r = recording.end(None)
        self.assertEqual(r.code, 0, r)
        self.assertEqual(r.err.count("going on in another segment\n"), 1, r.err)

    def test_deleted_before_the_end(self):
        """No other sample comes for which another file would be begun."""
        for take in os.unlink, lambda log: os.truncate(log, 100):
            recording = Recording(self, self.log, *SYSTEM, "-i", "60s")
            recording.wait_for(1)
            take(self.log)
            r = recording.end()
            self.assertEqual(r.code, 2, r)
            self.assertEqual(r.err.count("a.plog: another program deleted or changed it just before the end"), 1, r.err)

    def test_renamed(self):
        """That is everybody's right: it goes on in the same file."""
        recording = Recording(self, self.log, *SYSTEM, "-i", "50ms")
        recording.wait_for(3)
        os.rename(self.log, self.path("b.plog"))
        harness.wait_until(lambda: count_samples(self.path("b.plog")) >= 40, "two seconds more")
        self.assertEqual(recording.end().code, 0)
        self.assertEqual(os.listdir(self.folder), ["b.plog"])
        self.good("verify", self.path("b.plog"))


class Choice(Recorder):
    def objects(self, *args):
        log = self.path("c.plog")
        if os.path.exists(log):
            os.unlink(log)
        self.record(log, *FAST, "-n", "2", *args)
        paths = self.good("list", log).out.splitlines()
        found = {}
        for path in paths:
            name, _, counter = path.split("\\", 3)[3].rpartition("\\")
            found.setdefault(name.partition("(")[0], set()).add(counter)
        self.assertIn("Performance Logger", found)  # always
        del found["Performance Logger"]
        return found

    def test_instead_of_the_default(self):
        self.assertEqual(list(self.objects("-c", r"\Memory\Available Bytes").items()),
                         [("Memory", {"Available Bytes"})])
        self.assertEqual(list(self.objects("-c", r"\memory\avail*").items()),
                         [("Memory", {"Available Bytes", "Available KBytes", "Available MBytes"})])
        self.assertEqual(set(self.objects("-c", r"\Mem*\*", "-c", r"\System\Proces?es")),
                         {"Memory", "System"})

    def test_instances(self):
        self.record(self.log, *FAST, "-n", "2", "-c", r"\Processor(0)\% User Time")
        paths = [p for p in self.wide(self.log).paths if p.startswith(r"\Processor")]
        self.assertIn(r"\Processor(0)\% User Time", paths)
        self.assertFalse([p for p in paths if p.startswith(r"\Processor(1)")])

    def test_an_instance_that_is_not_there_yet(self):
        """It may come later, so it is no error; a mistake is noticed before a night has been recorded in vain."""
        with harness.process_named("steadfast"):
            for path, near in ((r"\Processor(Total)\*", r"\Processor(_Total)\*"),
                               (r"+\Process(stedfast)\% User Time", r"\Process(steadfast:*)\% User Time"),
                               (r"\Process(steadfast)\*", r"\Process(steadfast:*)\*")):
                r = run("record", "-n", "1", "-c", path, self.path("a.plog"))
                self.assertEqual(r.code, 0)
                self.assertIn("record: no instance matches '%s' yet; did you mean '%s'?\n" % (path, near), r.err)
            r = run("record", "-n", "1", "-c", r"\Process(nothing like it)\*", self.path("a.plog"))
            self.assertIn(r"no instance matches '\Process(nothing like it)\*' yet" + "\n", r.err)
            for path in (r"\Process(steadfast:*)\*", r"\Processor(_Total)\*", r"\Processor(*)\*", "Processor", "Memory"):
                self.assertNotIn("no instance", run("record", "-n", "1", "-c", path, self.path("b.plog")).err, path)
            quiet = run("record", "-q", "-n", "1", "-c", r"\Processor(Total)\*", self.path("c.plog"))
            self.assertEqual((quiet.code, quiet.err), (0, ""))

    def test_many_instances_that_are_not_there_yet(self):
        """One look at the machine does for all of them."""
        used = []
        for num in 1, 60:
            missing = [word for i in range(num) for word in ("-c", r"\Process(missing%d)\*" % i)]
            before = os.times().children_user + os.times().children_system
            r = run("record", "-n", "1", *missing, self.path("%d.plog" % num))
            used.append(os.times().children_user + os.times().children_system - before)
            self.assertEqual(r.err.count("no instance matches"), num)
        self.assertLess(used[1], 10 * used[0])

    def test_from_a_file(self):
        choice = self.write("paths.txt", b"# what we want\n\n\\System\\Processes\n\\Memory\\Dirty Bytes\n")
        self.assertEqual(self.objects("-c", "@" + choice),
                         {"System": {"Processes"}, "Memory": {"Dirty Bytes"}})

    def test_beside_the_default(self):
        default = self.objects()
        self.assertNotIn("Handle Count", default["Process"])
        more = self.objects("-c", r"+\Process(*)\Handle Count")
        self.assertEqual(set(more), set(default))
        self.assertEqual(more["Process"] - default["Process"], {"Handle Count"})
        for name in set(default) - {"Process"}:
            self.assertEqual(more[name], default[name])


class Segments(Recorder):
    where = harness.MEMORY
    NAME = re.compile(r"a-\d{8}T\d{6}Z-(\d{3,})\.plog\Z")

    def check_segments(self, folder, sheet_args=()):
        """One continuous sheet: only its first row may be blank, and time never runs back."""
        names = sorted(os.listdir(folder))
        for name in names:
            self.assertRegex(name, self.NAME)
            self.good("verify", os.path.join(folder, name))
        for name in names[:-1]:
            self.assertEqual(self.kinds(os.path.join(folder, name))[-1], "ends")
        r = self.good("verify", folder)
        samples = sum(count_samples(os.path.join(folder, name)) for name in names)
        self.assertIn(": good: %s in 1 session" % several(samples, "sample"), r.out)
        sheet = self.wide(folder, "--time", "unix", *SYSTEM)
        self.assertEqual(len(sheet.rows), samples)
        self.assertEqual(sheet.times, sorted(sheet.times))
        values = sheet.column(r"\System\Context Switches/sec")
        self.assertIsNone(values[0])
        self.assertNotIn(None, values[1:], "a rate is missing between two segments")
        return names, sheet

    def segments_of(self, *args):
        folder = self.path("segments")
        os.mkdir(folder)
        self.good("record", "-q", "--pack", "never", *args, os.path.join(folder, "a.plog"))
        return self.check_segments(folder)

    def test_by_size(self):
        names, _ = self.segments_of("-i", "10ms", "-n", "400", "--max-size", "64K",
                                   "--sync", "never")
        self.assertGreaterEqual(len(names), 2)
        numbers = [int(self.NAME.match(name).group(1)) for name in names]
        self.assertEqual(numbers, list(range(len(names))))
        for name in names:  # full is looked at before a sample, so a key may come on top
            self.assertLess(os.path.getsize(self.path("segments", name)), 65536 + 65536)

    def test_by_time(self):
        names, sheet = self.segments_of(*SYSTEM, "-i", "250ms", "-n", "11", "--max-time", "1s")
        self.assertGreaterEqual(len(names), 3)
        seconds = [{utc // 10**9 for kind, _, _, utc in records(self.path("segments", name))
                    if kind == "SMPL"} for name in names]
        for one in seconds:
            self.assertEqual(len(one), 1, "cut at whole seconds")

    def test_keep(self):
        os.mkdir(self.path("segments"))
        mine = self.write("segments/a-notes.plog", b"")
        other = self.write("segments/b-20260101T000000Z-000.plog", b"")
        self.good("record", "-q", *SYSTEM, "-i", "100ms", "-d", "4s", "--max-time", "1s", "--keep", "2", "--pack", "never",
                  self.path("segments", "a.plog"))
        self.assertTrue(os.path.exists(mine) and os.path.exists(other), "deleted what is not its own")
        os.unlink(mine)
        os.unlink(other)
        names, _ = self.check_segments(self.path("segments"))
        self.assertEqual(len(names), 2)

    def test_hangup_begins_a_segment(self):
        os.mkdir(self.path("segments"))
        log = self.path("segments", "a.plog")
        recording = Recording(self, log, *SYSTEM, *FAST, "--max-time", "1d", "--pack", "never")
        def samples():
            return [count_samples(self.path("segments", n)) for n in os.listdir(self.path("segments"))]
        harness.wait_until(lambda: sum(samples()) >= 2, "two samples")
        recording.process.send_signal(signal.SIGHUP)
        harness.wait_until(lambda: len(samples()) == 2 and min(samples()) >= 2, "a second segment")
        self.assertEqual(recording.end().code, 0)
        self.check_segments(self.path("segments"))

    def test_starting_again_opens_new_segments(self):
        os.mkdir(self.path("segments"))
        for _ in range(2):
            self.good("record", "-q", *SYSTEM, *FAST, "-n", "2", "--max-size", "1M",
                      self.path("segments", "a.plog"))
            time.sleep(1.1)  # names have whole seconds
        # A packer that waits for a slow disk may end after the recorder.
        harness.wait_until(lambda: len(os.listdir(self.path("segments"))) == 2, "two segments alone")
        self.assertEqual(self.info(self.path("segments"))["sessions"], 2)


class Syncing(Recorder):
    def syncs(self, policy):
        log = self.path(policy + ".plog")
        r = subprocess.run(["strace", "-f", "-qq", "-e", "trace=fdatasync,fsync", "-o", self.path("trace"),
                            harness.PROGRAM, "record", "-q", *SYSTEM, *FAST, "-n", "6", "--sync", policy,
                            log], timeout=harness.TIMEOUT, stderr=subprocess.PIPE)
        if r.returncode:
            self.skipTest("strace cannot be used here")
        self.good("verify", log)
        with open(self.path("trace")) as f:
            return f.read().count("fdatasync(")

    def test_policies(self):
        try:
            subprocess.run(["strace", "-V"], stdout=subprocess.DEVNULL, check=True)
        except (FileNotFoundError, subprocess.CalledProcessError):
            self.skipTest("strace is not installed")
        self.assertEqual(self.syncs("never"), 0)
        self.assertGreaterEqual(self.syncs("each"), 6)
        self.assertLess(self.syncs("10s"), 6)


class Losing(Recorder):
    def test_disk_too_slow(self):
        """What the ring cannot hold is lost, reported in the log, and seen in the exit status."""
        try:
            subprocess.run(["strace", "-V"], stdout=subprocess.DEVNULL, check=True)
        except (FileNotFoundError, subprocess.CalledProcessError):
            self.skipTest("strace is not installed")
        r = harness.run("-f", "-qq", "-e", "trace=fdatasync", "-e", "inject=fdatasync:delay_enter=6s:when=2",
                        "-o", self.path("trace"), harness.PROGRAM, "record", *SYSTEM, "-i", "10ms", "-n", "400",
                        self.log, program="strace")
        if "recording into" not in r.err or "LeakSanitizer" in r.err:
            self.skipTest("strace cannot be used here")
        self.assertEqual(r.code, 2, r)
        lost = int(re.search(r": (\d+) samples? could not be written", r.err).group(1))
        missed = int(re.search(r" (\d+) missed", r.err).group(1))
        info = self.info()
        self.assertGreater(lost, 10)
        self.assertGreaterEqual(missed, lost)
        self.assertEqual(info["missed"], missed)
        self.assertEqual(info["samples"], 400)
        counted = self.good("export", self.log, "-q", "-c", r"\Performance Logger\Samples Not Written")
        self.assertEqual(int(counted.out.splitlines()[-1].split(",")[1]), lost)


    def test_the_first_segment_is_not_named(self):
        """It may have been deleted long ago.  A sample fits into a segment, however many processes there are."""
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (10000, 10000))
        r = run("record", *SYSTEM, "-i", "10ms", "-d", "2s", "--max-time", "1d", self.log, preexec_fn=limit)
        self.assertEqual(r.code, 2, r)
        self.assertRegex(r.err, r"\nperflog: %s: \d+ samples could not be written\n" % re.escape(self.log))
        self.assertGreater(len(os.listdir(self.folder)), 1)


class CommandLine(Recorder):
    def test_files_without_end(self):
        for args in ("-c", "@/dev/zero"), ("--config", "/dev/zero"):
            self.refused(1, "record", *args, self.log, says="/dev/zero: File too large")

    def test_space_to_keep_free_that_is_given_again(self):
        """The last one counts, as where a configuration file gives a size."""
        for last in "0", "0%":
            self.good("record", self.log, *SYSTEM, "-i", "100ms", "-n", "1", "--min-free", "9999T", "--min-free", last)

    def test_a_log_without_a_name(self):
        self.refused(1, "record", "", says="name one log to record into")

    def test_stored_only_when_asked_for(self):
        self.record(self.log, *SYSTEM, *FAST, "-n", "1")
        with open(self.log, "rb") as f:
            self.assertNotIn(b"perflog record", f.read())
        self.record(self.path("b.plog"), *SYSTEM, *FAST, "-n", "1", "--command-line")
        with open(self.path("b.plog"), "rb") as f:
            self.assertIn(b"perflog record -q -c \\System\\* -i 100ms", f.read())


if __name__ == "__main__":
    harness.main()
