#!/usr/bin/env python3
"""The running recorder while clocks are set, the machine sleeps, it is stopped, and boots again.

Clocks are moved by clocks.c, loaded into the recorder; reboots are made of namespaces for time and
files.  Whatever happens, a rate is that of the time that passed.
"""
import json
import os
import signal
import struct
import subprocess
import sys
import time
import uuid

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import PROGRAM, TIMEOUT, Case, Recording, long_rows, run, wait_until

LIB = os.environ.get("CLOCKS_LIB", os.path.join(os.path.dirname(PROGRAM), "tests", "libclocks.so"))
S = 10**9
SWITCHES, BUSY, UP = r"\System\Context Switches/sec", r"\Processor(_Total)\% Processor Time", r"\System\System Up Time"
WHAT = ("-c", SWITCHES, "-c", r"\Processor(*)\% Processor Time", "-c", UP, "-c", r"\Process(*)\Elapsed Time")
# What a machine switches in a second: more than nothing, and less than a wrong clock would make of it.
LEAST, MOST = 5, 2e7


class Clocks(Case):
    def setUp(self):
        super().setUp()
        if not os.path.exists(LIB):
            self.skipTest("%s is not here: no sanitizer lets another library in" % LIB)
        self.log, self.file = self.path("a.plog"), self.path("clocks")
        self.set()

    def set(self, utc=0, boot=0, monotonic=0):
        """Seconds by which the recorder's clocks are off."""
        self.boot_ahead = round(boot * S)
        with open(self.file, "r+b" if os.path.exists(self.file) else "wb") as f:
            f.write(struct.pack("<3q", *(round(s * S) for s in (utc, boot, monotonic))))

    def start(self, *args):
        recorder = Recording.__new__(Recording)
        recorder.path = self.log
        recorder.process = subprocess.Popen(
            [PROGRAM, "record", "-q", "-i", "50ms", *WHAT, *args, self.log], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(os.environ, LD_PRELOAD=LIB, CLOCKS=self.file))
        self.addCleanup(recorder.abandon)
        recorder.wait_for(5)
        return recorder

    def more(self, recorder, samples=6):
        """Wait until that many were taken from now on."""
        now = time.clock_gettime_ns(time.CLOCK_BOOTTIME) + self.boot_ahead

        def taken():
            with open(self.log, "rb") as f:
                data = f.read()
            return sum(struct.unpack_from("<q", data, at + 32)[0] >= now
                       for kind, at, _, _ in harness.records(self.log) if kind == "SMPL" and at + 40 <= len(data))
        wait_until(lambda: taken() >= samples or recorder.process.poll() is not None, "%d samples more" % samples)

    def events(self, kind):
        info, = json.loads(self.good("info", "--json", self.log).out)
        return [e for e in info["events"] if e["kind"] == kind], info

    def rows(self, path):
        return [r for r in long_rows(self.good("export", "-q", "--layout", "long", self.log).out)
                if "\\%s(%s)\\%s" % (r["Object"], r["Instance"], r["Counter"]) == path or
                "\\%s\\%s" % (r["Object"], r["Counter"]) == path]

    def check_rates(self, sessions=1):
        """No blank but a session's first, no number that no machine has."""
        for path, least, most in (SWITCHES, LEAST, MOST), (BUSY, 0, 100):
            rows = self.rows(path)
            self.assertEqual(len(rows), harness.count_samples(self.log))
            blank = [r["Status"] for r in rows if not r["Value"]]
            self.assertEqual(blank, ["first"] * sessions, path)
            for row in rows:
                if row["Value"]:
                    self.assertIn(row["Status"], ("", "clamped"), row)
                    self.assertTrue(least <= float(row["Value"]) <= most, row)
        self.good("verify", self.log)

    def check_ages(self, most):
        """Every process is younger than the machine says it is."""
        ages = [float(r["Value"]) for r in long_rows(self.good("export", "-q", "--layout", "long", self.log).out)
                if r["Counter"] == "Elapsed Time" and r["Value"]]
        self.assertTrue(ages)
        self.assertTrue(0 <= min(ages) and max(ages) <= most, (min(ages), max(ages), most))


class Steps(Clocks):
    def test_the_wall_clock_is_set(self):
        """By a second, an hour, to 1970 and to 2106, back and forth."""
        recorder = self.start()
        now = int(time.time())
        steps = (1, 0, 3600, -3600, 0, 60 - now, 4_294_000_000 - now, 0)
        for utc in steps:
            self.set(utc)
            self.more(recorder, 3)  # of all events, late samples too, the first twenty are reported
        self.assertEqual(recorder.end().code, 0)
        self.check_rates()
        self.check_ages(harness_uptime() + 60)
        events, info = self.events("clock_step")
        self.assertEqual((len(events), info["clock_steps"]), (len(steps), len(steps)), events)
        times = [e["time"][:4] for e in events]
        self.assertIn("1970", times)
        self.assertIn("2106", times)
        self.assertRegex(events[0]["text"], r"\+(99|100)\d ms")

    def test_slewing_is_no_step(self):
        recorder = self.start()
        for ms in range(1, 10):
            self.set(ms / 1000)
            self.more(recorder, 2)
        self.assertEqual(recorder.end().code, 0)
        self.check_rates()
        self.assertEqual(self.events("clock_step")[0], [])


def harness_uptime():
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class Pauses(Clocks):
    def test_the_machine_sleeps(self):
        """An hour that only CLOCK_MONOTONIC does not know of."""
        recorder = self.start()
        self.set(3600, 3600, 0)
        self.more(recorder)
        self.assertEqual(recorder.end().code, 0)
        self.check_rates()
        up = [float(r["Value"]) for r in self.rows(UP)]
        jumps = [b - a for a, b in zip(up, up[1:]) if b - a > 1800]
        self.assertEqual(len(jumps), 1, up)
        self.assertTrue(3599 < jumps[0] < 3700, jumps)
        gaps, info = self.events("gap")
        self.assertEqual(len([e for e in gaps if "suspended" in e["text"]]), 1, gaps)
        self.assertTrue(abs(info["missed"] - 72_000) < 2000, info["missed"])
        self.assertEqual(self.events("clock_step")[0], [])

    def test_it_is_stopped(self):
        """SIGSTOP: the pair over the pause has its true length."""
        recorder = self.start()
        recorder.process.send_signal(signal.SIGSTOP)
        time.sleep(2)
        recorder.process.send_signal(signal.SIGCONT)
        self.more(recorder)
        self.assertEqual(recorder.end().code, 0)
        self.check_rates()
        gaps, info = self.events("gap")
        self.assertTrue(gaps and "late" in " ".join(e["text"] for e in gaps), gaps)
        self.assertGreaterEqual(info["missed"], 35)
        self.assertFalse([e for e in gaps if "suspended" in e["text"]])

    def test_the_clock_is_set_while_it_sleeps(self):
        recorder = self.start()
        self.set(3600 - 7200, 3600, 0)
        self.more(recorder)
        self.assertEqual(recorder.end().code, 0)
        self.check_rates()
        self.assertEqual(self.events("clock_step")[1]["clock_steps"], 1)


class Restarts(Clocks):
    def booted(self, seconds, boot_id):
        """A recording on a machine that has been up for so long, with an id of its own."""
        uptime = int(harness_uptime())
        with open(self.path("boot_id"), "w") as f:
            f.write(boot_id + "\n")
        script = 'mount --bind "$1" /proc/sys/kernel/random/boot_id && shift && exec "$@"'
        return subprocess.run(
            ["unshare", "--mount", "--time", "--monotonic", str(seconds - uptime), "--boottime", str(seconds - uptime),
             "sh", "-c", script, "sh", self.path("boot_id"), PROGRAM, "record", "-q", "-i", "50ms", "-n", "6", *WHAT,
             self.log], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIMEOUT)

    def test_the_machine_boots_again(self):
        first, second = str(uuid.uuid4()), str(uuid.uuid4())
        for seconds, boot_id in (500_000, first), (30_000, second), (30_100, second):
            r = self.booted(seconds, boot_id)
            if "unshare" in r.stderr or "mount" in r.stderr:
                self.skipTest("no namespaces of our own: " + r.stderr.strip())
            self.assertEqual(r.returncode, 0, r.stderr)
        self.check_rates(3)
        sessions, info = self.events("session")
        self.assertEqual([e["text"] for e in sessions],
                         ["recording begins again after a reboot", "recording begins again"])
        self.assertEqual((info["sessions"], info["reboots"]), (3, 1))
        up = [float(r["Value"]) for r in self.rows(UP)]
        for place, seconds in (0, 500_000), (6, 30_000), (12, 30_100):
            self.assertTrue(seconds - 5 <= up[place] <= seconds + 60, up)

    def test_it_is_killed_and_begins_again(self):
        recorder = self.start()
        recorder.end(signal.SIGKILL)
        recorder = self.start()
        self.more(recorder)
        self.assertEqual(recorder.end().code, 0)
        self.check_rates(2)
        self.assertEqual([e["text"] for e in self.events("session")[0]], ["recording begins again; it had not been ended"])


if __name__ == "__main__":
    harness.main()
