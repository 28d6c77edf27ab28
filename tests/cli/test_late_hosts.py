#!/usr/bin/env python3
"""--follow --every of several hosts, of which one writes its rows later than others, or has another time."""
import fcntl
import os
import subprocess
import sys
import time

sys.path.insert(1, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import PROGRAM, long_rows, wait_until
from test_push import START, Push


class LateHosts(Push):
    """Hosts are followed together, and one of them writes its rows later than the other."""

    def grow(self, name, seconds):
        """Append what a log has more when it is recorded up to there."""
        path = self.path(name + ".plog")
        with open(self.made(seconds, "longer", host=name.encode(), session=len(name)), "rb") as f:
            data = f.read()
        with open(path, "ab") as f:
            f.write(data[f.tell():])
        return path

    def lock(self, *logs):
        """As their recorders do."""
        locks = [open(path, "rb") for path in logs]
        for lock in locks:
            self.addCleanup(lock.close)
            fcntl.flock(lock, fcntl.LOCK_EX)
        return locks

    def check_end(self, p, locks):
        for lock in locks:
            fcntl.flock(lock, fcntl.LOCK_UN)
        said = p.communicate(timeout=harness.TIMEOUT)[1]
        self.assertEqual(p.returncode, 0, said)

    def wait_for_window(self, out, second):
        """Of host a; it takes seconds, and longer or for ever where it waits for the other one."""
        wait_until(lambda: self.has_window(out, second), "the window until second %d" % second, 50)

    @staticmethod
    def sleeps(pid):
        """It has read what is there: only then it pauses."""
        with open("/proc/%d/syscall" % pid) as f:
            return f.read().split()[0] in ("35", "230", "115", "101")  # nanosleep, clock_nanosleep: x86-64, arm64


class Cases:
    def test_a_window_waits_for_all(self):
        logs = self.grow("a", range(50, 70)), self.grow("bb", range(50, 58))
        p, locks, out = self.follow("60s", *logs)
        wait_until(lambda: self.sleeps(p.pid), "it waits for rows")
        self.grow("bb", range(50, 70))
        self.check_end(p, locks)
        self.check(out, "60s", *logs)

    def check_silent(self, end, last_window):
        """The other one has rows up to there."""
        logs = self.grow("a", range(50, end)), self.grow("bb", range(50, 58))
        p, locks, out = self.follow("2s", *logs)
        self.wait_for_window(out, last_window)
        self.check_end(p, locks)
        self.check(out, "2s", *logs)

    def test_a_silent_host_is_not_waited_for(self):
        self.check_silent(70, 58)

    def test_a_silent_host_holds_up_no_backlog(self):
        """It is waited for once, not at the end of each window: else others, who have much to catch up, would never do."""
        self.check_silent(450, 448)

    def test_a_host_that_is_not_due_is_not_waited_for(self):
        """It has written all rows of the window; a minute would be waited for others."""
        logs = self.grow("a", range(50, 70)), self.grow("bb", range(50, 61))
        p, locks, out = self.follow("60s", *logs)
        self.wait_for_window(out, 60)
        self.check_end(p, locks)

    def test_a_host_that_was_silent_is_waited_for_again(self):
        logs = self.grow("a", range(45)), self.grow("bb", range(10))
        p, locks, out = self.follow("20s", *logs)
        self.wait_for_window(out, 40)
        self.grow("bb", [*range(10), *range(46, 50)])
        self.wait_for_looks(p.pid)
        self.grow("a", range(65))
        self.wait_for_looks(p.pid)
        self.grow("bb", [*range(10), *range(46, 65)])
        self.check_end(p, locks)
        self.check(out, "20s", *logs)


class Exports(Cases, LateHosts):
    """A window is one of all hosts, so it waits for the rows of each."""

    def follow(self, every, *logs):
        """An export of logs that are being recorded, their locks, and what it writes."""
        out, locks = self.path("out.csv"), self.lock(*logs)
        with open(out, "wb") as to:
            p = subprocess.Popen([PROGRAM, "export", "--follow", *self.layout(every), *logs], stdout=to, stderr=subprocess.PIPE, text=True)
        self.addCleanup(p.kill)
        return p, locks, out

    @staticmethod
    def layout(every):
        return "--layout", "long", "--time", "unix", "--no-guard", "--every", every

    def has_window(self, out, second):
        text = harness.read(out).decode()
        return bool(text) and any(r["Host"] == "a" and float(r["Time"]) == START + second for r in long_rows(text[:text.rfind("\n") + 1]))

    def check(self, out, every, *logs):
        self.assertEqual(harness.read(out).decode(), self.good("export", "-q", *self.layout(every), *logs).out)

    def test_one_host_alone_waits_for_nothing(self):
        """Its window is written with the row at its end, not with the next one."""
        log = self.grow("a", range(50, 59))
        p, locks, out = self.follow("2s", log)
        self.wait_for_window(out, 58)
        self.check_end(p, locks)
        self.check(out, "2s", log)


class Pushes(Cases, LateHosts):
    """Each host has windows of its own."""

    def follow(self, every, *logs, args=(), locked=None):
        receiver, locks = self.receiver(), self.lock(*logs if locked is None else locked)
        p = subprocess.Popen([PROGRAM, "push", "--follow", "--url", receiver.url, "--every", every, *args, *logs],
                             stderr=subprocess.PIPE, text=True)
        self.addCleanup(p.kill)
        return p, locks, receiver

    def has_window(self, receiver, second, of="a"):
        return any(host == of and ms == (START + second) * 1000 for _, host, _, ms in self.sent(receiver)[0])

    def check(self, receiver, every, *logs):
        self.agree(receiver, self.expected(logs[0], "--every", every, *logs[1:]))
        self.assertEqual(receiver.num_samples(), len(receiver.samples()))

    def test_a_clock_that_is_behind_holds_up_no_one(self):
        """A host of an hour ago that writes on and on: what the other has written is sent meanwhile, and each window once."""
        ago = [*range(-3600, -3550)]
        logs = self.grow("a", range(50, 70)), self.grow("bb", ago)
        p, locks, receiver = self.follow("5s", *logs)

        def writes_and_is_passed():
            ago.append(ago[-1] + 1)
            self.grow("bb", ago)
            self.assertLess(len(ago), 400, "the other waits for it")
            return self.has_window(receiver, 65)
        wait_until(writes_and_is_passed, "the window of the other")
        self.grow("a", range(50, 90))
        self.grow("bb", [*ago, *range(-3000, -2990)])
        self.check_end(p, locks)
        self.check(receiver, "5s", *logs)

    def test_a_silent_host_has_its_window_when_it_goes_on(self):
        """No row of it is lost, however long it writes nothing."""
        logs = self.grow("a", range(50, 58)), self.grow("bb", range(50, 58))
        p, locks, receiver = self.follow("5s", *logs)
        wait_until(lambda: self.has_window(receiver, 55), "its first window")
        self.grow("a", range(50, 90))
        self.wait_for_window(receiver, 85)
        self.grow("bb", range(50, 90))
        self.check_end(p, locks)
        self.check(receiver, "5s", *logs)

    def ends(self, receiver):
        """{host: second after which all of its series end}"""
        return {host: ms // 1000 - START for _, host, _, ms in self.sent(receiver)[1] if ms % 1000}

    def test_one_that_has_ended(self):
        """Its last window is sent, and its series end, while others go on."""
        logs = self.grow("a", range(50, 70)), self.grow("bb", range(50, 58)), self.grow("ccc", [51])
        for n, args in enumerate(((), ("--state", self.path("state")))):
            p, locks, receiver = self.follow("5s", *logs, args=args, locked=logs[:1])
            wait_until(lambda to=receiver: len(self.ends(to)) == 2, "two hosts have ended")
            self.assertEqual(self.ends(receiver), {"bb": 60, "ccc": 55}, args)
            self.assertIsNone(p.poll())
            self.check_end(p, locks)
            self.check(receiver, "5s", *logs)

    def test_one_that_was_killed_and_goes_on(self):
        """Its last window waits for what is recorded later, and its series do not end before."""
        begin = int(time.time()) // 5 * 5 - START - 60
        rows, state = range(begin, begin + 8), ("--state", self.path("state"))
        logs = self.grow("a", rows), self.grow("bb", rows)
        p, locks, receiver = self.follow("5s", *logs, args=state, locked=logs[:1])
        wait_until(lambda: self.has_window(receiver, begin + 5, "bb"), "its first window")
        self.wait_for_looks(p.pid)
        self.assertFalse(self.has_window(receiver, begin + 10, "bb"))
        self.assertEqual(self.ends(receiver), {})
        self.grow("a", range(begin, begin + 30))
        locks += self.lock(self.grow("bb", range(begin, begin + 30)))
        wait_until(lambda: self.has_window(receiver, begin + 25, "bb"), "its last window")
        self.check_end(p, locks)
        self.check(receiver, "5s", *logs, "--to", "@%d" % (START + begin + 25))

    def test_one_that_was_killed_in_the_window_of_now(self):
        """Without positions, too, it waits until the time of the window is over."""
        now = int(time.time()) - START
        every = max((7 * 3600, 11 * 3600), key=lambda s: -(now + START) % s)
        rows = range(now - 8, now)
        logs = self.grow("a", rows), self.grow("bb", rows)
        p, _, receiver = self.follow("%ds" % every, *logs, locked=logs[:1])
        self.wait_for_looks(p.pid)
        p.terminate()
        self.assertEqual(p.wait(harness.TIMEOUT), 0)
        self.assertFalse([k for k in self.sent(receiver)[0] if k[3] > (START + now) * 1000])


if __name__ == "__main__":
    harness.main()
