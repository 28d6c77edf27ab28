#!/usr/bin/env python3
"""perflog record where everything comes and goes: never a wrong pair, never a stall, either way of reading."""
import collections
import fcntl
import json
import os
import shutil
import subprocess
import sys
import time
import unittest

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import Case, Recording, long_rows, run, wait_until
from test_processes import NO_BPF

CHURN = os.environ["CHURN"]
READ_LOG = os.path.join(harness.SUPPORT, "read_log.py")
SKIP = 77
WRITES = "IO Write Bytes/sec"
FAST_NS = 50_000_000  # the interval below, whose rows are labelled as decisions on row times say
FAST = ("-q", "-i", "50ms")
WAYS = ("proc",) if NO_BPF else ("bpf", "proc")


class Population:
    """churn, until the test ends; 'said' is what it printed so far."""

    def __init__(self, test, *args):
        self.out = open(test.path("-".join(args)), "w+")
        self.process = subprocess.Popen([CHURN, *args], stdin=subprocess.PIPE, stdout=self.out)
        self.pid = self.process.pid
        test.addCleanup(self.end)
        wait_until(lambda: "ready\n" in self.said() or self.process.poll() is not None, "churn is ready")
        if self.process.poll() == SKIP:
            test.skipTest("churn %s cannot be had here" % " ".join(args))

    def said(self):
        self.out.flush()
        with open(self.out.name) as f:
            return f.read()

    def end(self):
        self.process.stdin.close()
        self.process.wait(timeout=harness.TIMEOUT)
        self.out.close()


def numbered(name, number):
    return "%s#%d" % (name, number[name]) if name in number else name


class Churn(Case):
    def samples(self, log):
        """By an independent reader: each sample's clocks, and its processes as {name: {counter: raw value}}."""
        out = subprocess.run([*harness.PYTHON, READ_LOG, "--values", log], stdout=subprocess.PIPE, check=True).stdout
        found = []
        for line in out.splitlines():
            r = json.loads(line)
            if r["type"] != "SMPL":
                continue
            names, number = {}, {}
            for o, _, name, counter, _, value in r["values"]:
                if o != "Process":
                    continue
                # A process that ended and its successor may have one name: the later is NAME#1.
                if counter in names.get(numbered(name, number), ()):
                    number[name] = number.get(name, 0) + 1
                names.setdefault(numbered(name, number), {})[counter] = value
            found.append((r, names))
        return found

    def statuses(self, log, path, name):
        """What the cells of one instance say, in order: 'first', 'absent', '' for a value."""
        r = self.good("export", "-q", "--layout", "long", "-c", path, log)
        return [row["Status"] for row in long_rows(r.out) if row["Instance"] == name]


def identity(p):
    return p["ID Process"], p["Elapsed Time"]


class Processes(Churn):
    def expected(self, samples):
        """{(row time in units of the interval, name): (rate, is it a first one?), or None for a blank}

        The rate of a first one is that since its start, which counts if it was started since the sample before.
        """
        cells, before, before_ns = {}, {}, 0
        for r, names in samples:
            row = (r["utc_ns"] + 1_000_000) // FAST_NS
            now = {identity(p): p for p in names.values()}
            for name, p in names.items():
                old, rate = before.get(identity(p)), None
                seconds = (r["perf_time"] - before_ns) / r["perf_freq"]
                if old and not p["Data Flags"] and not old["Data Flags"]:
                    self.assertGreaterEqual(p[WRITES], old[WRITES], "numbers of two processes are mixed")
                    rate = (p[WRITES] - old[WRITES]) / seconds, False
                elif before and not old and not p["Data Flags"]:
                    rate = p[WRITES] / seconds, True
                cells[row, name] = rate
            before, before_ns = now, r["perf_time"]
        return cells

    def check_pairs(self, log, samples):
        """Each exported cell is what the two records of that very process say, or blank."""
        cells = self.expected(samples)
        out = self.good("export", "-q", "--time", "unix", "--layout", "long",
                        "-c", "\\Process(*)\\" + WRITES, log).out
        seen = born = 0
        for row in long_rows(out):
            if row["Instance"] == "_Total" or row["Status"] == "absent":
                continue
            at = round(float(row["Time"]) * 1e9 / FAST_NS), row["Instance"]
            wanted = cells.pop(at)
            if wanted is None:
                self.assertEqual(row["Value"], "", row)
            elif row["Value"] or not wanted[1]:
                self.assertAlmostEqual(float(row["Value"]), wanted[0], delta=1e-9 * (1 + wanted[0]), msg=str(row))
                seen += 1
                born += wanted[1]
        self.assertFalse(cells, "what was recorded is not exported")
        self.assertGreater(seen, len(samples))
        self.assertGreater(born, 0, "no process was started between two samples?")

    def check_reuse(self, samples, reused, way):
        """One number, many processes: the poor ones never show what the rich ones wrote."""
        base = next(raw for _, _, _, counter, _, raw in samples[0][0]["values"] if counter == "System Up Time")

        def identity(p):
            """In ticks, as /proc has it: by BPF starts are exact, and starts that are computed are no whole ticks."""
            ticks = (p["Elapsed Time"] - base) / 100000
            return p["ID Process"], int(ticks) if way == "bpf" else ticks
        poor = {(int(pid), int(start))
                for _, pid, start in (line.split() for line in reused.said().splitlines() if line.startswith("poor"))}
        pid = next(iter(poor))[0]
        mine = [p for _, names in samples for p in names.values() if p["ID Process"] == pid]
        self.assertGreater(len({identity(p) for p in mine}), 5)
        self.assertTrue(any(identity(p) in poor for p in mine))
        for p in mine:
            if identity(p) in poor:
                self.assertLess(p[WRITES], 1 << 20)

    def check_exec(self, samples, other, cells):
        names = [(r, n) for r, now in samples for n, p in now.items() if p["ID Process"] == other.pid]
        changes = [(r, n) for (_, m), (r, n) in zip(names, names[1:]) if m != n]
        self.assertGreater(len(changes), 3)
        for r, n in changes:
            self.assertIsNotNone(cells[(r["utc_ns"] + 1_000_000) // FAST_NS, n])

    def test_nothing_is_mixed_up(self):
        reused = Population(self, "reuse")
        other = Population(self, "exec")
        Population(self, "storm")
        for way in WAYS:
            with self.subTest(way=way):
                log = self.record(self.path(way + ".plog"), *FAST, "-n", "80", "--processes", way, "-c", "System",
                                  "-c", "\\Process(*)\\" + WRITES, "-c", "\\Process(*)\\% Processor Time")
                samples = self.samples(log)
                self.assertEqual(len(samples), 80)
                for _, names in samples:
                    self.assertEqual(len({identity(p) for p in names.values()}), len(names))
                self.check_pairs(log, samples)
                self.check_reuse(samples, reused, way)
                self.check_exec(samples, other, self.expected(samples))
                created = self.wide(log, "-c", r"\System\Threads Created/sec").column(r"\Threads Created/sec")
                self.assertGreater(max(v for v in created if v is not None), 20)

    def test_thousands(self):
        many = 10_000 if harness.FULL else 4_000
        Population(self, "crowd", str(many))
        for way in WAYS:
            with self.subTest(way=way):
                log = self.record(self.path(way + ".plog"), "-q", "-i", "1s", "-n", "2", "--processes", way,
                                  "-c", r"\Process(churn:*)\ID Process")
                for _, names in self.samples(log):
                    self.assertGreaterEqual(len({identity(p) for p in names.values()}), many)


class Hotplug(Churn):
    def check_came_twice(self, statuses):
        """Not there, there, gone, there again as another, gone."""
        changes = [s for i, s in enumerate(statuses) if not i or s != statuses[i - 1]]
        self.assertEqual(changes[:6], ["first", "", "absent", "first", "", "absent"])

    def watch(self, *args):
        log = self.path("a.plog")
        watching = Recording(self, log, *FAST, *args)
        watching.wait_for(2)
        return watching

    def stay(self, watching):
        watching.wait_for_more(4)

    def test_disks(self):
        add, remove, index = 0x4C80, 0x4C81, 200 + os.getpid() % 800
        tool = shutil.which("losetup")
        try:
            control = os.open("/dev/loop-control", os.O_RDWR)
            fcntl.ioctl(control, add, index)
        except OSError as e:
            self.skipTest("no loop devices to be had here: %s" % e)
        self.addCleanup(os.close, control)
        fcntl.ioctl(control, remove, index)
        image = self.write("image", bytes(1 << 20))
        watching = self.watch("--all-disks", "-c", "PhysicalDisk")
        for _ in range(2):
            fcntl.ioctl(control, add, index)
            done = subprocess.run([tool or "losetup", "/dev/loop%d" % index, image], stderr=subprocess.PIPE)
            if not done.returncode:
                with open("/dev/loop%d" % index, "rb") as f:
                    f.read(4096)  # one that was seen empty is shown once it is used
                self.stay(watching)
                subprocess.run([tool, "-d", "/dev/loop%d" % index], check=True)
            wait_until(lambda: not os.path.exists("/sys/block/loop%d/loop" % index), "the device is free")
            fcntl.ioctl(control, remove, index)
            if done.returncode:
                self.skipTest("losetup: %s" % done.stderr.decode())
            self.stay(watching)
        self.assertEqual(watching.end().code, 0)
        self.check_came_twice(self.statuses(watching.path, r"\PhysicalDisk(*)\Disk Reads/sec", "loop%d" % index))

    def test_interfaces(self):
        """In a network namespace of its own, where nobody else's come and go."""
        script = """
            "$1" record -q -i 50ms -c 'Network Interface' "$2" & recorder=$!
            stay() { s=$(stat -c %s "$2" 2>/dev/null || echo 0); for i in $(seq 1200); do sleep 0.1
                     [ $(stat -c %s "$2" 2>/dev/null || echo 0) -gt $((s + 400)) ] && break; done; }
            stay "$@"
            for i in 1 2; do
                ip link add v0 type veth peer name v1 || { kill $recorder; exit 77; }
                stay "$@"
                ip link del v0
                stay "$@"
            done
            kill -INT $recorder; wait $recorder
        """
        log = self.path("a.plog")
        try:
            r = run("-n", "sh", "-c", script, "sh", harness.PROGRAM, log, program="unshare")
        except FileNotFoundError:
            self.skipTest("unshare is not installed")
        if r.code and not harness.count_samples(log) or r.code == SKIP:
            self.skipTest("no network namespace or interface to be had here: %s" % r.err)
        self.assertEqual(r.code, 0, r)
        self.check_came_twice(self.statuses(log, r"\Network Interface(*)\Bytes Total/sec", "v0"))


if __name__ == "__main__":
    harness.main()
