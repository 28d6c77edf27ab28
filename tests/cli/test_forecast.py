#!/usr/bin/env python3
"""perflog record --forecast beside a recording of the same."""
import os
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import Case, records, run, wait_until
from test_processes import needs_bpf

# Little that depends on what else runs on this machine.
PATHS = [a for p in ("System", "Memory", "Processor", "IPv4", "Sockets") for a in ("-c", p)]


class Forecast(Case):
    def forecast(self, *args):
        """(rows by name: instances, bytes, seconds), the last sentence's numbers."""
        out = self.good("record", "--forecast", *args).out
        rows, self.rounding = {}, 0
        for line in out.splitlines():
            m = re.match(r"(\S.*?) {2,}(\d+ )? *([\d.]+) (B|kB|MB|GB) +([\d.]+) s\Z", line)
            if m:
                unit = {"B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9}[m.group(4)]
                rows[m.group(1)] = int(m.group(2) or 0), float(m.group(3)) * unit, float(m.group(5))
                self.rounding += unit / 20 if "." in m.group(3) else unit / 2
        m = re.search(r"Every (\S+): (\d+) bytes and ([\d.]+) ms", out)
        self.assertTrue(m, out)
        return rows, m.group(1), int(m.group(2)), float(m.group(3))

    def test_size_is_that_of_a_recording(self):
        rows, interval, size, _ = self.forecast("-i", "50ms", *PATHS)
        self.assertEqual(interval, "50ms")
        log = self.path("a.plog")
        self.record(log, "-i", "50ms", "-n", "60", *PATHS)
        real = sum(length for kind, _, length, _ in records(log) if kind == "SMPL") / 60
        self.assertLess(abs(size - real), 0.4 * real, "%d forecast, %d recorded" % (size, real))
        day = size * 20 * 86400
        self.assertLess(abs(rows["All"][1] - day), 0.06 * day)

    def test_shares_add_up(self):
        rows, _, _, ms = self.forecast("-i", "10ms", *PATHS)
        every = rows.pop("All")
        self.assertEqual(set(rows), {"System", "Memory", "Processor", "IPv4", "Sockets",
                                     "Performance Logger", "(encoding)"})
        self.assertEqual(rows["Processor"][0], os.sysconf("SC_NPROCESSORS_ONLN"))
        self.assertLess(abs(sum(r[1] for r in rows.values()) - every[1]), 0.002 * every[1] + self.rounding)
        self.assertLess(abs(sum(r[2] for r in rows.values()) - every[2]), 0.01 * every[2] + 1)
        self.assertLess(abs(every[2] - ms * 100 * 86.4), 0.1 * every[2])
        for name in "System", "Memory", "IPv4":
            self.assertGreater(rows[name][1], 0)
            self.assertGreater(rows[name][2], 0)

    @needs_bpf
    def test_processes_cost_what_reading_them_takes(self):
        """By BPF they are read when System counts them; that is not what System costs."""
        rows, _, _, _ = self.forecast("-i", "50ms", "-c", "System", "-c", "Process")
        self.assertGreater(rows["Process"][2], rows["System"][2])

    def test_a_machine_whose_processes_are_others_in_each_sample(self):
        """What no delta can hold is forecast as it is recorded: complete."""
        storm = subprocess.Popen(["sh", "-c", "while :; do /bin/true; done"], stderr=subprocess.DEVNULL)
        self.addCleanup(storm.wait)
        self.addCleanup(storm.kill)
        for _ in range(3):
            self.forecast("-i", "50ms", "-c", "Process", "-c", "System")

    def sleepers(self, name, num):
        """The path of processes of a name that no others of this machine have."""
        name += str(os.getpid())
        shutil.copy(shutil.which("sleep"), self.path(name))
        for _ in range(num):
            p = subprocess.Popen([self.path(name), "99999"])
            self.addCleanup(p.wait)
            self.addCleanup(p.kill)
            wait_until(lambda: name in harness.read("/proc/%d/comm" % p.pid).decode(), "it is started")
        return r"\Process(%s:*)\*" % name

    def test_what_identifies_processes_is_counted(self):
        """At the beginning those alive, in a row of its own those that come later."""
        many, one = self.sleepers("many", 20), self.sleepers("one", 1)
        log = self.path("a.plog")
        self.record(log, "-n", "1", "-c", many, "-i", "1s")  # time for all in the first sample
        first = sum(length for kind, _, length, _ in records(log) if kind == "iden")
        self.assertGreater(first, 200)
        found = []
        for args in ("-c", many), ("-c", many, "--no-command-lines"), ("-c", one), ("-c", "System"):
            out = self.good("record", "--forecast", "-i", "50ms", *args).out
            self.assertEqual("\n(identities) " in out, args[1] != "System", out)
            n, unit = re.search(r"and ([\d.]+) (B|kB|MB) of what identifies processes", out).groups()
            found.append(float(n) * {"B": 1, "kB": 1e3, "MB": 1e6}[unit])
        self.assertLess(abs(found[0] - first), 0.3 * first)
        self.assertLess(found[1], found[0])
        self.assertLess(found[2], found[0])
        self.assertGreater(found[2], 0)
        self.assertEqual(found[3], 0)

    def test_nothing_is_written_and_a_log_refused(self):
        before = os.listdir(self.folder)
        self.good("record", "--forecast", "-i", "10ms", *PATHS, cwd=self.folder)
        self.assertEqual(os.listdir(self.folder), before)
        r = run("record", "--forecast", self.path("a.plog"))
        self.assertEqual(r.code, 1)
        self.assertIn("leave", r.err)
        self.assertEqual(os.listdir(self.folder), before)
        self.assertEqual(run("record", "--forecast", "-c", "No Such").code, 1)


if __name__ == "__main__":
    harness.main()
