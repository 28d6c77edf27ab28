#!/usr/bin/env python3
"""push --state: what was sent is known to the next run, wherever the last one was killed, and is not sent again."""
import os
import re
import signal
import subprocess
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import PROGRAM, run, wait_until
from pushed import InOrder, Push, START


class Positions(Push):
    def test_a_growing_log(self):
        """Each run sends what is new, once, with the ends of what lived before it."""
        log = self.made(range(12))
        with open(log, "rb") as f:
            whole = f.read()
        starts = [m.start() for m in re.finditer(b"\x89PL1SMPL", whole)]
        receiver, state = self.receiver(), self.path("state")
        for end in [*starts[3:], len(whole), len(whole)]:
            self.write("a.plog", whole[:end])
            self.push(receiver, log, "--state", state)
        self.agree(receiver, self.expected(log))
        once = self.receiver()
        self.push(once, log)
        for r in receiver, once:
            values, ends = self.sent(r)
            for *series, ms in values:  # what does not go on ends before the next row
                after = [(*series, ms + 1), (*series, ms + 1000)]
                self.assertTrue(after[1] in values or ends & set(after), (series, ms))
        self.assertEqual(receiver.num_samples(), len(receiver.samples()))

    def test_killed(self):
        """Wherever it is killed: nothing is lost, and what comes twice is the same."""
        log = self.made(range(4))
        want = self.expected(log)
        done = {}

        def kill(number, message):
            if number in (1, 2):
                os.kill(done["p"].pid, signal.SIGKILL)
        receiver = self.receiver(on_request=kill)
        for n in range(3):
            done["started"] = n
            with subprocess.Popen([PROGRAM, "push", "-q", "--url", receiver.url, "--state", self.path("state"), log],
                                  stderr=subprocess.DEVNULL) as p:
                done["p"] = p
                self.assertEqual(p.wait(), -signal.SIGKILL if n < 2 else 0)
        self.assertEqual(len(receiver.requests), 3)
        self.agree(receiver, want)

    def test_killed_before_it_heard(self):
        """What was taken then is out of order now: it is there, so not refused.  Later, that is refused."""
        state, started = self.path("state"), []

        def kill(number, message):
            times = {ms for _, samples in message for _, ms in samples}
            if started[-1].poll() is None and (number == 1 or (times == {(START + 4) * 1000 + 1} and len(started) == 2)):
                os.kill(started[-1].pid, signal.SIGKILL)
        receiver = self.receiver(*[InOrder()] * 99, on_request=kill)
        for rows in 4, 5:
            with subprocess.Popen([PROGRAM, "push", "-q", "--url", receiver.url, "--state", state,
                                   self.made(range(rows))], stderr=subprocess.DEVNULL) as p:
                started.append(p)
                self.assertEqual(p.wait(), -signal.SIGKILL)
            # It is dead before the receiver has noted what it took.
            wait_until(lambda want=1 if rows == 4 else 3: len(receiver.taken) == want, "it is taken")
            with open(state + ".lock", "ab") as f:
                f.write(b"\n17952465")  # a full disk cut this
        started.append(p)
        log = self.made(range(5))
        r = self.push(receiver, log, "-q", "--state", state)
        self.assertEqual(r.err, "")
        self.agree(receiver, self.expected(log))
        self.assertEqual(os.path.getsize(state + ".lock"), 0)
        receiver.answers = [InOrder(late=START + 7)] * 99
        r = self.push(receiver, self.made(range(8)), "-q", "--state", state, code=2)
        self.assertIn(": 4 samples refused and left out; HTTP 400: out of order sample", r.err)

    def test_killed_and_then_refused(self):
        """Only what was being sent then may be there already: of what comes after it, 'out of order' is a refusal."""
        state, started = self.path("state"), []

        def kill(number, message):
            if number == 1:
                os.kill(started[0].pid, signal.SIGKILL)
        receiver = self.receiver(*[InOrder(late=START + 5)] * 99, on_request=kill)
        with subprocess.Popen([PROGRAM, "push", "-q", "--url", receiver.url, "--state", state, self.made(range(4))],
                              stderr=subprocess.DEVNULL) as p:
            started.append(p)
            p.wait()
        r = self.push(receiver, self.made(range(7)), "-q", "--state", state, code=2)
        self.assertIn(": 2 samples refused and left out; HTTP 400: out of order sample", r.err)

    def test_killed_before_it_heard_of_one_host(self):
        """A row that is there takes no row of another host with it."""
        state, started = self.path("state"), []
        os.mkdir(self.path("f"))
        first = self.made(range(4), "f/a.plog")

        def kill(number, message):
            if number == 1:
                os.kill(started[0].pid, signal.SIGKILL)
        receiver = self.receiver(*[InOrder()] * 99, on_request=kill)
        with subprocess.Popen([PROGRAM, "push", "-q", "--url", receiver.url, "--state", state, first],
                              stderr=subprocess.DEVNULL) as p:
            started.append(p)
            p.wait()
        self.made(range(4), "f/b.plog", host=b"other")
        self.push(receiver, self.path("f"), "--state", state)
        self.agree(receiver, self.expected(self.path("f")))

    def test_killed_while_it_saves(self):
        try:
            subprocess.run(["strace", "-o", "/dev/null", "true"], check=True, stderr=subprocess.DEVNULL)
        except (FileNotFoundError, subprocess.CalledProcessError):
            self.skipTest("strace cannot be used here")
        log, state = self.made(range(4)), self.path("state")
        for calls, killed in (("fdatasync", 1), ("rename", 1), ("rename", 2)):
            receiver = self.receiver()
            for inject in (True, False):
                how = ["strace", "-f", "-o", "/dev/null", "-e", "trace=" + calls, "-e",
                       "inject=%s:signal=KILL:when=%d" % (calls, killed)] if inject else []
                r = subprocess.run([*how, PROGRAM, "push", "-q", "--url", receiver.url, "--state", state, log],
                                   stderr=subprocess.DEVNULL, env=harness.without_leaks(os.environ))
            self.assertEqual(r.returncode, 0)
            self.agree(receiver, self.expected(log))
            for name in os.listdir(self.folder):
                if name.startswith("state"):
                    os.unlink(self.path(name))

    def test_of_others(self):
        log, state = self.made(range(2)), self.path("state")
        receiver = self.receiver()
        self.push(receiver, log, "--state", state)
        other = self.receiver()
        r = self.push(other, log, "--state", state, code=1)
        self.assertIn("another receiver", r.err)
        with open(state, "rb") as f:
            good = f.read()
        for bad in b"", b"x", good[:-1], good[:-2], good.replace(b" web", b" %zz"), good + b"\0", good + b"more\n":
            self.write("state", bad)
            r = self.push(receiver, log, "--state", state, code=1)
            self.assertIn("no file of positions", r.err)
        self.assertFalse(other.requests)
        self.assertEqual(len(receiver.requests), 1)

    def test_any_host_name(self):
        """None, as a sheet's paths may have, and one of more bytes than a line of positions usually has."""
        receiver = self.receiver()
        for i, host in enumerate(("", "\\\\" + "\u00e4 %" * 1500, "\\\\a\u00a0b")):
            sheet = self.write("%d.csv" % i, ('"(PDH-CSV 4.0) (UTC)(0)","%s\\Memory\\Free"\r\n'
                                              '"07/01/2020 12:00:00.000","5"\r\n' % host).encode())
            for _ in range(2):
                self.push(receiver, sheet, "--state", self.path("state"))
            self.assertEqual(len(receiver.requests), i + 1)

    def test_overtaken(self):
        """Rotation has deleted what was to be sent: it is reported as lost, and the rest is sent."""
        os.mkdir(self.path("f"))
        log = self.made(range(5), "f/a.plog")
        receiver, state = self.receiver(), self.path("state")
        self.push(receiver, self.path("f"), "--state", state)
        os.unlink(log)
        self.made(range(20, 25), "f/b.plog", seq=100)
        r = self.push(receiver, self.path("f"), "--state", state, code=2)
        self.assertIn("web: the last sample that was sent, of 2026-11-21 07:35:04.000 UTC, is no longer in the log; what was "
                      "recorded between it and 2026-11-21 07:35:20.000 UTC is lost here", r.err)
        self.assertEqual({k[3] // 1000 - START for k in self.sent(receiver)[0]}, {*range(5), *range(20, 25)})


    def test_deleted_up_to_the_position(self):
        """Rotation has deleted what was sent and no more, which is no loss; one sample more is one."""
        for every in (), ("--every", "5s"):
            for begins, code in (6, 0), (7, 2):
                receiver, state, at = self.receiver(), self.path("state%d%d" % (len(every), begins)), START + begins
                self.push(receiver, self.made(range(6)), *every, "--state", state)
                r = self.push(receiver, self.made(range(begins, 20), seq=100), *every, "--state", state, code=code)
                self.assertEqual("no longer in the log" in r.err, bool(code), r)


if __name__ == "__main__":
    harness.main()
