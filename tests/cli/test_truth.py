#!/usr/bin/env python3
"""What perflog shows is what an independent reader of /proc saw at the same time.

Under a known load perflog records once a second, and beside it this program reads the same
files several times around every second.  A counter only grows, so the value that perflog read
between the instants p and p + C lies between what was read last before p and first after p + C.
Every exported rate times the length of its pair must fit between such bounds: exactly, but for
the noise named in the tables.  p stands in the log, C is what the recorder says of itself.
"""
import json
import os
import re
import resource
import subprocess
import sys
import time

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import Case, Recording, Wide, long_rows, records

SAMPLES = 61 if harness.FULL else 31  # a minute, or half of one
TICKS = os.sysconf("SC_CLK_TCK")
ROUNDED = 2  # ticks that /proc, read here, may lack of a process's exact time, as BPF tells it
LEAST_TICKS = 2 * TICKS  # of the load that takes a processor
KINDS = "cpu", "disk", "network", "memory", "forks"


def text(path):
    try:
        with open(path) as f:
            return f.read()
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return ""


def boot_ns():
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


class Reading:
    """All that is compared, read once; every value was taken between begin and end."""

    def __init__(self, pids):
        self.begin = boot_ns()
        self.values = {}
        self.machine()
        for pid in pids:
            self.process(pid)
        self.end = boot_ns()

    def machine(self):
        v = self.values
        for line in text("/proc/stat").splitlines():
            name, *numbers = line.split()
            numbers = [int(n) for n in numbers]
            if re.match(r"cpu\d", name):
                v["idle", name[3:]] = numbers[3] + numbers[4]
                v["user", name[3:]] = numbers[0] + numbers[1]
                v["system", name[3:]] = numbers[2] + numbers[5] + numbers[6]
            elif name in ("ctxt", "processes", "intr"):
                v[name] = numbers[0]
        for line in text("/proc/diskstats").splitlines():
            _, _, name, *n = line.split()
            n = [int(x) for x in n]
            v["disk bytes", name] = (n[2] + n[6]) * 512
            v["disk writes", name] = n[4]
            v["disk ms", name] = n[3] + n[7]
        for line in text("/proc/net/dev").splitlines()[2:]:
            name, _, numbers = line.partition(":")
            n = [int(x) for x in numbers.split()]
            v["net bytes", name.strip()] = n[0] + n[8]
            v["net packets", name.strip()] = n[1] + n[9]
        v["faults"] = int(re.search(r"^pgfault (\d+)", text("/proc/vmstat"), re.M).group(1))
        for name, kib in re.findall(r"^(\w+): +(\d+) kB", text("/proc/meminfo"), re.M):
            v[name] = int(kib) * 1024

    def process(self, pid):
        stat = text("/proc/%d/stat" % pid)
        if not stat:
            return
        fields = stat[stat.rindex(")") + 2:].split()
        self.values["time", pid] = int(fields[11]) + int(fields[12])
        self.values["process faults", pid] = int(fields[7]) + int(fields[9])
        io = re.search(r"^wchar: (\d+)", text("/proc/%d/io" % pid), re.M)
        if io:
            self.values["written", pid] = int(io.group(1))
        try:
            threads = os.listdir("/proc/%d/task" % pid)
        except OSError:
            return
        self.values["run ns", pid] = sum(
            int((text("/proc/%d/task/%s/schedstat" % (pid, t)) or "0").split()[0]) for t in threads)


def read_around_seconds(pids, is_running):
    """Readings from 60 ms before to 140 ms after every second."""
    readings = []
    while is_running():
        phase = time.time() % 1
        if 0.14 < phase < 0.94:
            time.sleep(min(0.05, 0.94 - phase))
            continue
        readings.append(Reading(pids))
        time.sleep(0.015)
    return readings


class Truth(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.case = Case("setUp")
        cls.case.setUp()
        cls.addClassCleanup(cls.case.doCleanups)
        cls.log = cls.case.path("a.plog")
        cls.load = {}
        for kind in KINDS:
            args = [cls.case.path("data")] if kind == "disk" else []
            p = subprocess.Popen([*harness.PYTHON, os.path.join(harness.SUPPORT, "load.py"), kind, *args],
                                 stdin=subprocess.PIPE)
            cls.load[kind] = p
            cls.case.addCleanup(p.communicate)
        recording = Recording(cls.case, cls.log, "-i", "1s")
        cls.recorder = recording.process.pid
        pids = [p.pid for p in cls.load.values()] + [cls.recorder]
        cls.readings = read_around_seconds(
            pids, lambda: recording.process.poll() is None and (harness.count_samples(cls.log) < SAMPLES or
                                                                cls.load_has_run() < 2 * LEAST_TICKS))
        cls.last_reading = Reading(pids)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        cls.summary = recording.end()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)  # the recorder was waited for in between
        cls.kernel_says = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        if cls.summary.code:
            raise AssertionError(cls.summary)
        cls.names = {kind: "%s:%d" % (text("/proc/%d/comm" % p.pid).strip(), p.pid)
                     for kind, p in cls.load.items()}
        cls.read_log()

    @classmethod
    def load_has_run(cls):
        """Ticks of the one that takes a processor, which a busy machine gives it late."""
        pid = cls.load["cpu"].pid
        return Reading([pid]).values["time", pid]

    @classmethod
    def read_log(cls):
        """Instants of the samples, and the series by path: a list with None for a blank."""
        cls.instants = []
        with open(cls.log, "rb") as f:
            data = f.read()
        for kind, at, _, _ in records(cls.log):
            if kind == "SMPL":
                cls.instants.append(int.from_bytes(data[at + 32:at + 40], "little"))
        times, cls.series, cls.unreadable = [], {}, set()
        for row in long_rows(cls.case.good("export", "--layout", "long", "--no-guard", "--time", "unix", cls.log).out):
            if not times or times[-1] != row["Time"]:
                times.append(row["Time"])
            where = row["Object"] + ("(%s)" % row["Instance"] if row["Instance"] else "")
            path = "\\%s\\%s" % (where, row["Counter"])
            values = cls.series.setdefault(path, [None] * len(cls.instants))
            if row["Status"] == "unreadable":
                cls.unreadable.add((path, len(times) - 1))
            elif row["Value"] and not row["Value"].startswith("0x") and not row["Value"].isalpha():  # a letter: State
                values[len(times) - 1] = float(row["Value"])
        if len(times) != len(cls.instants):
            raise AssertionError("%d samples, %d times" % (len(cls.instants), len(times)))
        took = cls.series[r"\Performance Logger\Last Collection Microseconds"]
        # The last sample's own length is not in the log: it is left out.
        cls.spans = [(p, p + int(us * 1000) + 2000) for p, us in zip(cls.instants, took[1:])]

    # ---- bounds ------------------------------------------------------------
    def bounds(self, span, key):
        """What a growing counter was, at least and at most, while perflog read it."""
        p, end = span
        before = [r for r in self.readings if r.end <= p and key in r.values]
        after = [r for r in self.readings + [self.last_reading] if r.begin >= end and key in r.values]
        if not before or not after:
            return None
        return before[-1].values[key], after[0].values[key]

    def check_rates(self, path, key, unit, noise=0.0, inverse=False, least=0):
        """'unit' units of the key pass in a second at a value of 1 (inverse: of 100 % less 1)."""
        values = self.series[path]
        bounds = [self.bounds(span, key) for span in self.spans]
        checked, total, first = 0, 0.0, None
        for k in range(1, len(self.spans)):
            if values[k] is None or not bounds[k] or not bounds[k - 1]:
                continue
            seconds = (self.instants[k] - self.instants[k - 1]) / 1e9
            count = (100 - values[k] if inverse else values[k]) * seconds * unit
            low, high = bounds[k][0] - bounds[k - 1][1], bounds[k][1] - bounds[k - 1][0]
            slack = noise + 1e-4 * abs(count) + 1e-3
            if inverse and values[k] == 0:  # clamped
                count = min(count, high)
                low = min(low, count)
            self.assertLessEqual(low - slack, count, "%s, row %d: too little" % (path, k))
            self.assertGreaterEqual(high + slack, count, "%s, row %d: too much" % (path, k))
            first = k - 1 if first is None else first
            total += count
            checked, last = checked + 1, k
        self.assertGreaterEqual(checked, SAMPLES // 2, path)
        if checked == last - first and not inverse:  # an unbroken run: the ends alone count
            low, high = bounds[last][0] - bounds[first][1], bounds[last][1] - bounds[first][0]
            slack = noise + 1e-4 * abs(total) + 1e-3
            self.assertLessEqual(low - slack, total, "%s, whole run" % path)
            self.assertGreaterEqual(high + slack, total, "%s, whole run" % path)
        self.assertGreaterEqual(total, least, "%s: the load does not show" % path)

    def names_of(self, obj, counter):
        found = [re.match(r"\\%s\((.*)\)\\%s\Z" % (re.escape(obj), re.escape(counter)), path)
                 for path in self.series]
        return [m.group(1) for m in found if m and m.group(1) != "_Total"]

    # ---- tests -------------------------------------------------------------
    def test_system(self):
        self.check_rates(r"\System\Context Switches/sec", "ctxt", 1, least=1000)
        self.check_rates(r"\System\Threads Created/sec", "processes", 1, least=20)
        self.check_rates(r"\System\Total Interrupts/sec", "intr", 1, least=1000)
        self.check_rates(r"\Memory\Page Faults/sec", "faults", 1, least=10000)

    def test_processors(self):
        """In ticks.  Idle and iowait may fall by the kernel's own account: one tick of noise."""
        cpus = self.names_of("Processor", "% Processor Time")
        self.assertEqual(len(cpus), len([k for k in self.last_reading.values if k[0] == "idle"]))
        for cpu in cpus:
            path = r"\Processor(%s)" % cpu
            self.check_rates(path + r"\% Processor Time", ("idle", cpu), TICKS / 100, 2, inverse=True)
            self.check_rates(path + r"\% User Time", ("user", cpu), TICKS / 100, 1)
            self.check_rates(path + r"\% Privileged Time", ("system", cpu), TICKS / 100, 1)

    def test_processor_total_is_the_mean(self):
        cpus = self.names_of("Processor", "% Processor Time")
        for counter in "% User Time", "% Privileged Time", "% Processor Time":
            total = self.series[r"\Processor(_Total)\%s" % counter]
            each = [self.series[r"\Processor(%s)\%s" % (cpu, counter)] for cpu in cpus]
            for k in range(1, len(total)):
                mean = sum(values[k] for values in each) / len(cpus)
                # Where one is clamped to 0 the sum is not: up to a tick a processor.
                near = 100 / TICKS * 2 if counter == "% Processor Time" else 1e-6
                self.assertAlmostEqual(total[k], mean, delta=near)

    def test_disks(self):
        disks = self.names_of("PhysicalDisk", "Disk Bytes/sec")
        self.assertTrue(disks or not os.listdir("/sys/block"))
        for disk in disks:
            path = r"\PhysicalDisk(%s)" % disk
            self.check_rates(path + r"\Disk Bytes/sec", ("disk bytes", disk), 1)
            self.check_rates(path + r"\Disk Writes/sec", ("disk writes", disk), 1)
            self.check_rates(path + r"\% Disk Time", ("disk ms", disk), 10)
        st = os.stat(self.log)
        mine = "/sys/dev/block/%d:%d" % (os.major(st.st_dev), os.minor(st.st_dev))
        if os.path.exists(mine):  # the folder lies on a disk: what was forced to it must show
            names = os.path.realpath(mine).split("/")
            self.assertTrue(any(sum(filter(None, self.series[r"\PhysicalDisk(%s)\Disk Bytes/sec" % d]))
                                > 1e6 for d in disks if d in names))

    def test_network(self):
        names = self.names_of("Network Interface", "Bytes Total/sec")
        self.assertIn("lo", names)
        for name in names:
            least = 1e6 if name == "lo" else 0
            path = r"\Network Interface(%s)" % name
            self.check_rates(path + r"\Bytes Total/sec", ("net bytes", name), 1, least=least)
            self.check_rates(path + r"\Packets/sec", ("net packets", name), 1)

    def test_processes(self):
        for kind, p in self.load.items():
            path = r"\Process(%s)" % self.names[kind]
            self.check_rates(path + r"\% Processor Time", ("time", p.pid), TICKS / 100, ROUNDED,
                             least=LEAST_TICKS if kind == "cpu" else 0)
            self.check_rates(path + r"\Page Faults/sec", ("process faults", p.pid), 1,
                             least=1000 if kind == "memory" else 0)
        disk = self.load["disk"].pid
        self.check_rates(r"\Process(%s)\IO Write Bytes/sec" % self.names["disk"], ("written", disk), 1,
                         least=1e6)

    def test_gauges(self):
        """Constants are equal; what moves lies between its neighbours, most of the time."""
        for path, key in ((r"\Memory\Total Bytes", "MemTotal"), (r"\Memory\Swap Total Bytes", "SwapTotal"),
                          (r"\Memory\Commit Limit", "CommitLimit")):
            self.assertEqual(set(self.series[path]), {self.last_reading.values[key]})
        near, checked = 0, 0
        for path, key in ((r"\Memory\Available Bytes", "MemAvailable"), (r"\Memory\Cached Bytes", "Cached"),
                          (r"\Memory\Anonymous Bytes", "AnonPages")):
            for (p, end), value in zip(self.spans, self.series[path]):
                around = [r.values[key] for r in self.readings
                          if p - 60e6 <= r.begin and r.end <= end + 60e6]
                if len(around) < 2:
                    continue
                checked += 1
                near += min(around) - (1 << 20) <= value <= max(around) + (1 << 20)
                self.assertLess(min(around) - (256 << 20), value)
                self.assertGreater(max(around) + (256 << 20), value)
        self.assertGreater(checked, SAMPLES)
        self.assertGreaterEqual(near, 0.8 * checked)
        kib = self.series[r"\Memory\Available KBytes"]
        self.assertEqual(self.series[r"\Memory\Available Bytes"], [v * 1024 for v in kib])

    def test_the_recorder_itself(self):
        """Its own account of time agrees with the scheduler's, which lags by up to a tick."""
        key = ("run ns", self.recorder)
        self.check_rates(r"\Performance Logger\% Processor Time", key, 1e7, 1e7, least=1e6)
        name = next(n for n in self.names_of("Process", "% Processor Time")
                    if n.endswith(":%d" % self.recorder))
        self.check_rates(r"\Process(%s)\%% Processor Time" % name, ("time", self.recorder),
                         TICKS / 100, ROUNDED)
        said = float(re.search(r"([\d.]+) s CPU time", self.summary.err).group(1))
        before_end = self.last_reading.values[key] / 1e9
        self.assertGreaterEqual(said, before_end - 0.011)
        self.assertLessEqual(said, before_end + 0.25)  # what closing and one more sample may cost
        # The line is printed just before the process ends, which the kernel counts as well.
        self.assertLessEqual(said, self.kernel_says + 0.0006)
        self.assertGreaterEqual(said, self.kernel_says - 0.02)
        self.assertEqual(set(self.series[r"\Performance Logger\ID Process"]), {self.recorder})
        print("recorder: %d samples, says %.3f s CPU time, the kernel %.3f s; %d bytes a sample" % (
            len(self.instants), said, self.kernel_says,
            os.path.getsize(self.log) / len(self.instants)))

    def test_size_of_the_log(self):
        size = os.path.getsize(self.log)
        samples, number, unit = re.search(r"(\d+) samples, \d+ missed, ([\d.]+) (k?B|MB)",
                                          self.summary.err).groups()
        scale = {"B": 1, "kB": 1e3, "MB": 1e6}[unit]
        self.assertAlmostEqual(float(number) * scale, size, delta=0.051 * scale)
        self.assertEqual(int(samples), len(self.instants))
        found = records(self.log)
        ends = [at + length for kind, at, length, _ in found if kind in ("SESS", "SMPL")]
        shown = self.series[r"\Performance Logger\Log Size Bytes"]
        for k, value in enumerate(shown):  # up to the sample before, or earlier if writing was slow
            self.assertIn(value, ends[:k + 1])
        self.assertEqual(found[-1][1] + found[-1][2], size)
        start, ms, each = re.search(r"CPU time: ([\d.]+) s to start, ([\d.]+) ms a sample; (\d+) bytes a sample",
                                    self.summary.err).groups()
        self.assertEqual(int(each), size // len(self.instants))
        self.assertAlmostEqual(float(ms), (self.kernel_says - float(start)) * 1000 / (len(self.instants) - 1), delta=0.35)
        info = json.loads(self.case.good("info", "--json", self.log).out)[0]
        self.assertEqual(info["bytes"], size)

    def test_wide_shows_the_same(self):
        choice = [a for path in (r"\System\*", r"\Processor(*)\*", r"\PhysicalDisk(*)\*", r"\Process(*)\*",
                                 r"\Network Interface(*)\*", r"\Memory\*") for a in ("-c", path)]
        sheet = Wide(self.case.good("export", "-q", "--wide-anyway", *choice, self.log).out)
        self.assertEqual(len(sheet.rows), len(self.instants))
        self.assertGreater(len(sheet.paths), 300)
        for at, path in enumerate(sheet.paths, 1):
            self.assertEqual([float(row[at]) if row[at] else None for row in sheet.rows],
                             self.series[path], path)

    def test_raw_values_in_the_log(self):
        """A second reader, written from the format's description, finds the gauges exported."""
        done = subprocess.run([*harness.PYTHON, os.path.join(harness.SUPPORT, "read_log.py"), "--values", self.log],
                              stdout=subprocess.PIPE, universal_newlines=True)
        self.assertEqual(done.returncode, 0)
        k = compared = 0
        for line in done.stdout.splitlines():
            record = json.loads(line)
            if record["type"] != "SMPL":
                continue
            self.assertEqual(record["boot_ns"], self.instants[k])
            for obj, parent, instance, counter, kind, raw in record["values"]:
                if kind in (0x00010000, 0x00010100) and parent is None:
                    where = obj + ("(%s)" % instance if instance else "")
                    path = "\\%s\\%s" % (where, counter)
                    wanted = None if (path, k) in self.unreadable else float(raw)
                    self.assertEqual(self.series[path][k], wanted, path)
                    compared += 1
            k += 1
        self.assertEqual(k, len(self.instants))
        self.assertGreater(compared, 1000)


if __name__ == "__main__":
    harness.main()
