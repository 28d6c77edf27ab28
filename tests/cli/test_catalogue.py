#!/usr/bin/env python3
"""Every counter of the Linux logger beside an independent reading of its source, on this machine.

While perflog records, this script reads the same files of /proc and /sys again and again and takes
them apart by itself.  A value that grows must lie between the readings before and after its sample;
a gauge must lie within the readings around at least one of them.
"""
import glob
import json
import os
import re
import subprocess
import sys
import time
from types import SimpleNamespace

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import catalogue_rows as rows
import control_groups
import harness
from control_groups import keyed, numbers, text, unescaped
from harness import Case

SAMPLES = 12
TICKS = os.sysconf("SC_CLK_TCK")
NAMES = {"K": 1024, "PAGE": os.sysconf("SC_PAGE_SIZE"), "TICK": 10000000 // TICKS, "MS": 10000, "max": max}
BASES = (0x40030500, 0x40030402, 0x40030403, 0x40030401)
# Objects whose values no file shows, or that other tests cover.
OWN = {"Performance Logger", "Performance Logger Source", "Process", "Thread"}
MADE_UP = re.compile(r"(loop|ram|zram)\d")


def some(d, *keys):
    found = [d[k] for k in keys if k in d]
    if not found:
        raise KeyError(keys[0])
    return sum(found)


def either(d, a, b):
    return d[a] if a in d else d[b]


NAMES.update(some=some, either=either)


def compiled(*tables):
    """(counter, is base, code) of every line."""
    found = []
    for table in tables:
        for line in table.strip().split("\n"):
            name, expression = line.split(" | ", 1)
            base = name.startswith("base of ")
            found.append((name[8:] if base else name, base, compile(expression, name, "eval")))
    return found


def section(t, label):
    lines = [line.split()[1:] for line in (t or "").split("\n") if line.startswith(label + ":")]
    return dict(zip(lines[0], map(int, lines[1]))) if len(lines) == 2 else {}


OBJECTS = []


def source(name, *tables):
    """The function below yields (instance, names for the expressions)."""
    def register(function):
        OBJECTS.append((name, compiled(*tables), function))
        return function
    return register


@source("System", rows.SYSTEM)
def system():
    stat, load = text("/proc/stat"), text("/proc/loadavg").split()
    t = keyed(stat)
    t["cpus"] = len(re.findall(r"^cpu\d", stat, re.M))
    t["pids"] = len([e for e in os.listdir("/proc") if e.isdigit()])
    t["threads"] = int(load[3].split("/")[1])
    t["load"] = [round(float(w) * 1000) for w in load[:3]]
    yield None, {"t": t}


def matrix(path):
    head, *lines = text(path).rstrip("\n").split("\n")
    cpus = [w[3:] for w in head.split()]
    for line in lines:
        label, rest = line.split(":", 1)
        words, cells = rest.split(), []
        while len(cells) < len(cpus) and words and words[0].isdigit():
            cells.append(int(words.pop(0)))
        yield label.strip(), cpus, cells, words


@source("Processor", rows.CPU)
def processor():
    extra = {}
    for path in "interrupts", "softirqs":
        for label, cpus, cells, _ in matrix("/proc/" + path):
            for cpu, cell in zip(cpus, cells if label not in ("ERR", "MIS") else ()):
                extra[cpu, path] = extra.get((cpu, path), 0) + cell
    for cpu, cells in re.findall(r"^cpu(\d+) (.*)", text("/proc/stat"), re.M):
        c = dict(enumerate(map(int, cells.split())))
        c.update({path: v for (which, path), v in extra.items() if which == cpu})
        yield cpu, {"c": c}


@source("Interrupt", rows.INTERRUPT)
def interrupt():
    for label, _, cells, words in matrix("/proc/interrupts"):
        name = " ".join([label] + (words[-1:] if label[0].isdigit() else words))
        yield name, {"x": sum(cells)}


@source("Soft Interrupt", rows.SOFT_INTERRUPT)
def soft_interrupt():
    for label, _, cells, _ in matrix("/proc/softirqs"):
        yield label, {"x": sum(cells)}


@source("Pressure Stall", rows.PRESSURE)
def pressure():
    for name in "cpu", "io", "irq", "memory":
        t = text("/proc/pressure/" + name)
        if t:
            p = {k: int(v) for k, v in re.findall(r"(\w+) .*total=(\d+)", t)}
            yield name, {"p": {"some": 0, "full": 0, "flags": ("some" not in p) + 2 * ("full" not in p), **p}}


@source("Memory", rows.MEMORY)
def memory():
    yield None, {"m": keyed(text("/proc/meminfo")), "v": keyed(text("/proc/vmstat"))}


@source("Virtual Memory", rows.VIRTUAL_MEMORY)
def virtual_memory():
    yield None, {"v": keyed(text("/proc/vmstat"))}


@source("Paging File", rows.PAGING_FILE)
def paging_file():
    for line in text("/proc/swaps").split("\n")[1:-1]:
        words = line.split()
        yield unescaped(words[0]), {"w": list(map(int, words[2:]))}


def transfers():
    for line in text("/proc/diskstats").split("\n")[:-1]:
        words = line.split()
        f = {i + 1: int(v) for i, v in enumerate(words[3:])}
        yield words[2], "%s:%s" % tuple(words[:2]), f


LEFT_OUT = 1 << 16  # of _Total


def is_in_file(number):
    return os.path.exists("/sys/dev/block/%s/loop/backing_file" % number)


@source("PhysicalDisk", rows.TRANSFERS, rows.PHYSICAL_DISK)
def physical_disk():
    for name, number, f in transfers():
        where = "/sys/dev/block/" + number
        size = (numbers(where + "/size") or [0])[0]
        if size and not os.path.exists(where + "/partition") and not MADE_UP.match(name):
            major, minor = map(int, number.split(":"))
            stacked = is_in_file(number) or os.listdir(where + "/slaves")
            yield name, {"F": f, "d": {"number": major << 20 | minor, "size": size,
                                       "diskseq": (numbers(where + "/diskseq") or [0])[0],
                                       "flags": LEFT_OUT if stacked else 0}}


@source("LogicalDisk", rows.TRANSFERS, rows.LOGICAL_DISK)
def logical_disk():
    by_number, mounts = {number: f for _, number, f in transfers()}, {}
    for line in text("/proc/self/mountinfo").split("\n")[:-1]:
        words = line.split()
        mounts[unescaped(words[4])] = words[2], words[words.index("-") + 3]
    for point, (number, options) in mounts.items():
        try:
            st, fs = os.stat(point), os.statvfs(point)
        except OSError:
            continue
        mine = "%d:%d" % (os.major(st.st_dev), os.minor(st.st_dev))
        f = by_number.get(mine) if os.major(st.st_dev) else None
        major, minor = map(int, number.split(":"))
        values = {k: getattr(fs, k) for k in dir(fs) if k.startswith("f_")}
        f_or_0 = f or {i: 0 for i in range(1, 18)}
        flags = (0 if f else 1) | (0 if f and not is_in_file(mine) else LEFT_OUT)
        yield point, {"F": f_or_0, "f": SimpleNamespace(
            device=major << 32 | minor, read_only=options.split(",")[0] == "ro", flags=flags, **values)}


@source("Network Interface", rows.NET)
def network_interface():
    for line in text("/proc/net/dev").split("\n")[2:-1]:
        name, cells = line.split(":", 1)
        name, n = name.strip(), {}
        for key in "speed", "ifindex", "carrier", "mtu":
            n[key] = max((numbers("/sys/class/net/%s/%s" % (name, key)) or [0])[0], 0)
        yield name, {"c": list(map(int, cells.split())), "n": n}


def stack(name, table, *parts):
    """An object of the network stack: 4 from 'path' and its labels, 6 by prefix."""
    @source(name, table)
    def read():
        s = {}
        for path, label in parts:
            t = text("/proc/net/" + path)
            s.update(keyed(t, label) if path == "snmp6" else section(t, label))
        yield None, {"s": s}


stack("IPv4", rows.IP, ("snmp", "Ip"), ("netstat", "IpExt"))
stack("IPv6", rows.IP, ("snmp6", "Ip6"))
stack("TCPv4", rows.TCP, ("snmp", "Tcp"))
stack("TCP Extensions", rows.TCP_EXT, ("netstat", "TcpExt"))
stack("UDPv4", rows.UDP, ("snmp", "Udp"))
stack("UDPv6", rows.UDP, ("snmp6", "Udp6"))
stack("ICMP", rows.ICMP, ("snmp", "Icmp"))
stack("ICMPv6", rows.ICMP, ("snmp6", "Icmp6"))


@source("Sockets", rows.SOCKETS)
def sockets():
    s = {}
    for line in ((text("/proc/net/sockstat") or "") + (text("/proc/net/sockstat6") or "")).split("\n")[:-1]:
        label, words = line.split(":")[0], line.split()[1:]
        s.update({"%s %s" % (label, k): int(v) for k, v in zip(words[::2], words[1::2])})
    yield None, {"s": s}


@source("Network Backlog", rows.BACKLOG)
def network_backlog():
    for row, line in enumerate((text("/proc/net/softnet_stat") or "").split("\n")[:-1]):
        c = {i: int(w, 16) for i, w in enumerate(line.split())}
        yield str(c.get(12, row)), {"c": c}


@source("Kernel Tables", rows.KERNEL_TABLES)
def kernel_tables():
    names = ("fs/file-nr", "fs/inode-nr", "fs/dentry-state", "fs/aio-nr", "kernel/pid_max",
             "net/netfilter/nf_conntrack_count", "net/netfilter/nf_conntrack_max")
    k = {name: numbers("/proc/sys/" + name) for name in names}
    threads = int(text("/proc/loadavg").split()[3].split("/")[1])
    yield None, {"k": {n: v for n, v in k.items() if v}, "t": {"threads": threads}}


@source("NUMA Node", rows.NUMA)
def numa_node():
    for path in glob.glob("/sys/devices/system/node/node[0-9]*"):
        n = keyed(text(path + "/numastat"))
        n.update({k: int(v) for k, v in re.findall(r"Node \d+ ([\w()]+): +(\d+)", text(path + "/meminfo"))})
        yield path.rsplit("node", 1)[1], {"n": n}


@source("Slab Cache", rows.SLAB)
def slab_cache():
    for line in (text("/proc/slabinfo") or "").split("\n")[2:-1]:
        words = line.split()
        yield words[0], {"c": {**dict(enumerate(map(int, words[1:6]))), "slabs": int(words[14])}}


@source("CPU Frequency", rows.CPU_FREQUENCY)
def cpu_frequency():
    khz = {}
    for block in text("/proc/cpuinfo").split("\n\n"):
        m = re.search(r"^processor\s*: (\d+).*^cpu MHz\s*: (\d+)\.(\d{3})", block, re.M | re.S)
        if m:
            khz[m.group(1)] = int(m.group(2) + m.group(3))
    for path in glob.glob("/sys/devices/system/cpu/cpu[0-9]*"):
        cpu = path.rsplit("cpu", 1)[1]
        q = {} if cpu not in khz else {"khz": khz[cpu]}
        for key in ("cpufreq/scaling_cur_freq", "cpufreq/cpuinfo_max_freq", "cpufreq/scaling_max_freq",
                    "thermal_throttle/core_throttle_count", "thermal_throttle/package_throttle_count"):
            value = numbers("%s/%s" % (path, key))
            if value:
                q[key.split("/")[1]] = value[0]
        if q:
            yield cpu, {"q": q}


@source("Processor Idle State", rows.IDLE_STATE)
def idle_state():
    for path in glob.glob("/sys/devices/system/cpu/cpu[0-9]*/cpuidle/state*"):
        cpu = re.search(r"cpu(\d+)/", path).group(1)
        i = {key: numbers("%s/%s" % (path, key)) for key in ("time", "usage", "rejected")}
        yield "%s %s" % (cpu, text(path + "/name").strip()), {"i": {k: v[0] for k, v in i.items() if v}}


@source("Temperature Sensor", rows.TEMPERATURE)
def temperature():
    def name(stem):
        label = text(stem + "_label") or os.path.basename(stem)
        return "%s %s" % (text(os.path.dirname(stem) + "/name").strip(), label.strip())

    stems = [path[:-len("_input")] for path in glob.glob("/sys/class/hwmon/hwmon*/temp*_input")]
    names = [name(stem) for stem in stems]
    for stem in stems:
        chip, called = os.path.dirname(stem), name(stem)
        if names.count(called) > 1:
            called += " " + os.path.basename(os.readlink(chip + "/device") if os.path.islink(chip + "/device") else chip)
        h = {k: numbers(stem + "_" + k) for k in ("input", "crit")}
        h["alarm"] = numbers(stem + "_crit_alarm") or numbers(stem + "_alarm")
        yield called, {"h": {k: max(v[0], 0) for k, v in h.items() if v}}


@source("Control Group", rows.CONTROL_GROUP)
def control_group():
    for name, g in control_groups.groups():
        yield name, {"g": g}


def boot_ns():
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


class Reading:
    """Every value of every object at about one instant, and what is not there."""

    def __init__(self):
        self.begin, self.values, self.absent = boot_ns(), {}, set()
        for name, counters, read in OBJECTS:
            for instance, names in read():
                for counter, base, code in counters:
                    try:
                        self.values[name, instance, counter, base] = eval(code, dict(NAMES), names)
                    except (KeyError, IndexError):
                        self.absent.add((name, counter))
        self.end = boot_ns()


def is_gauge(kind):
    """Numbers as they are, and ratios of two numbers now; other types only grow."""
    return kind & 0x00000C00 == 0 or kind in (0x20020500, 0x40030500)


def listed(output):
    """(object, counter) of the paths that list prints."""
    found = set()
    for line in output.splitlines():
        m = re.match(r"\\\\[^\\]+\\([^\\(]+)(?:\(.*\))?\\([^\\]+)\Z", line)
        found.add(m.groups())
    return found


class Catalogue(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        case = Case("setUp")
        case.setUp()
        cls.addClassCleanup(case.doCleanups)
        cls.group = cls.enterClassContext(control_groups.busy(case.folder))
        log = case.path("a.plog")
        paths = [name for name, _, _ in OBJECTS] + [r"Processor(*)\Interrupts/sec", r"Processor(*)\DPCs Queued/sec"]
        paths += [r"Control Group(*)\%s" % counter for counter, base, _ in compiled(rows.CONTROL_GROUP) if not base]
        able = set()
        for obj, counter in listed(case.good("list", "--all").out):
            able |= {obj, r"%s(*)\%s" % (obj, counter)}
        paths = [p for p in paths if p in able]
        recorder = subprocess.Popen(
            [harness.PROGRAM, "record", "-q", "-i", "200ms", "-n", str(SAMPLES), log]
            + [a for p in paths for a in ("-c", p)])
        cls.readings = []
        while recorder.poll() is None:
            cls.readings.append(Reading())
        cls.readings.append(Reading())
        if recorder.returncode:
            raise AssertionError("record ended with %d" % recorder.returncode)
        cls.read_log(log)

    @classmethod
    def read_log(cls, log):
        """Instants, and by sample the values with their types."""
        done = subprocess.run([*harness.PYTHON, os.path.join(harness.SUPPORT, "read_log.py"), "--values", log],
                              stdout=subprocess.PIPE, universal_newlines=True, check=True)
        cls.instants, cls.samples = [], []
        for line in done.stdout.splitlines():
            record = json.loads(line)
            if record["type"] != "SMPL":
                continue
            values = {}
            for obj, _, instance, counter, kind, raw in record["values"]:
                values.setdefault((obj, instance, counter, kind in BASES), (kind, raw))
            cls.instants.append(record["boot_ns"])
            cls.samples.append(values)

    def around(self, k):
        """The last reading before sample k and the first after the next began, by number."""
        before = [i for i, r in enumerate(self.readings) if r.end <= self.instants[k]]
        later = self.instants[k + 1]
        after = [i for i, r in enumerate(self.readings) if r.begin >= later]
        return (before[-1], after[0]) if before and after else None

    def check_sample(self, k, key, kind, raw):
        """None: cannot be reported; else whether the value fits the readings around it."""
        found = self.around(k)
        if not found:
            return None
        first, last = found
        values = [r.values.get(key) for r in self.readings[max(first - 1, 0):last + 2]]
        if None in values or not values:
            return None
        if is_gauge(kind):
            return min(values) <= raw <= max(values)
        low, high = self.readings[first].values[key], self.readings[last].values[key]
        # Idle and waiting may fall by the kernel's own account, by a tick or two.
        slack = 2 * NAMES["TICK"] if key[0] == "Processor" and key[2].startswith("%") else 0
        return low - slack <= raw <= high + slack

    def test_every_value_fits_its_source(self):
        reported, wrong = {}, []
        for k in range(len(self.samples) - 1):
            for key, (kind, raw) in self.samples[k].items():
                fits = None if key[0] in OWN else self.check_sample(k, key, kind, raw)
                if fits is None:
                    continue
                reported.setdefault((key, is_gauge(kind)), []).append(fits)
        for (key, gauge), fits in reported.items():
            if not (any(fits) if gauge else all(fits)):
                wrong.append((key, [s.get(key) for s in self.samples],
                              [r.values.get(key) for r in self.readings[::10]]))
        self.assertFalse(wrong[:5], "%d of %d series" % (len(wrong), len(reported)))
        checked = {(key[0], key[2]) for key, _ in reported}
        every = {(key[0], key[2]) for s in self.samples for key in s if key[0] not in OWN}
        unchecked = every - checked - {("System", "System Up Time")}
        unchecked = {c for c in unchecked if c != ("Control Group", "Data Flags")}
        self.assertFalse(unchecked, "recorded, but not checked")
        self.assertGreater(len(checked), 300)
        print("%d counters in %d series lie between two readings of their source" % (len(checked), len(reported)))

    def test_a_group_of_version_1_is_compared(self):
        """Its processes write, its memory and time have limits: few of its counters stay 0."""
        if not self.group:
            self.skipTest("no control groups of version 1 here, or no right to make one")
        last = self.samples[-1]
        busy = {key[2] for key, (_, raw) in last.items() if key[:2] == ("Control Group", "/" + self.group) and raw}
        trees = control_groups.roots()
        expected = {"cpuacct": {"% Processor Time"}, "cpu": {"Processor Limit", "Periods/sec"},
                    "memory": {"Memory Bytes", "Memory Limit Bytes", "Page Faults/sec"},
                    "pids": {"Processes And Threads"}, "blkio": set()}
        for controller, counters in expected.items():
            self.assertLessEqual(counters if controller in trees else set(), busy)

    def test_what_is_there_is_recorded_and_nothing_else(self):
        last = self.readings[-1]
        there = {(key[0], key[2]) for key in last.values}
        recorded = {(key[0], key[2]) for s in self.samples for key in s if key[0] not in OWN}
        self.assertFalse(there - recorded, "this machine has them, the log has not")
        absent = {(name, counter) for name, counters, _ in OBJECTS for counter, _, _ in counters} - there
        self.assertFalse(absent & recorded, "recorded, although no file shows them")
        for name in sorted({name for name, _ in absent}):
            missing = sorted(counter for n, counter in absent if n == name)
            print("absent here: %s: %s" % (name, ", ".join(missing)))

    def test_why_tells_of_all_that_is_not_listed(self):
        usual = listed(self.good("list").out)
        everything = listed(self.good("list", "--all").out)
        why = {}
        for line in self.good("list", "--why").out.splitlines():
            path, reason = line.split("\t")
            why[re.match(r"\\([^\\(]+)(?:\(\*\))?\\([^\\]+)\Z", path).groups()] = reason
        self.assertFalse(usual & set(why))
        reason = why.pop(("Control Group", "*"), "")
        self.assertEqual("of version 1 here" in reason, any(control_groups.roots()))
        if "of version 1 here" in reason:
            self.assertFalse([why[k] for k in why if k[0] == "Control Group" and not why[k].startswith("on request")])
            lacking = reason.partition("none has ")[2].split(", ")
            why.update({("Control Group", counter): "nothing here has it" for counter in lacking})
        elif reason:
            why["Control Group", "*"] = reason  # none is mounted
        for key in [k for k in why if k[1] == "*"]:  # no instance now
            self.assertNotIn(key[0], {name for name, _ in everything})
            self.assertRegex(why.pop(key), r"(there is no|nothing is|no control groups are) [a-z]+")
        named = {name for name, _ in usual | everything}
        catalogue = {(name, counter) for name, counters, _ in OBJECTS for counter, _, _ in counters}
        for key in catalogue:
            # Objects without an instance at the moment are recorded, but have nothing to list.
            self.assertTrue(key in usual or key in why or key[0] not in named, key)
        requested = {key for key, reason in why.items() if reason.startswith("on request: -c '+")}
        self.assertGreater(len(requested), 30)
        self.assertFalse((set(why) - requested) & everything)
        for key in requested & {k for k in why if k[0] in named}:
            self.assertIn(key, everything)
        missing = [reason for key, reason in why.items() if key not in requested]
        self.assertTrue(missing)
        for reason in missing:
            file = re.match(r"there is no (/\S+)\Z", reason)
            self.assertTrue(file or re.match(r"(this kernel|nothing here) has|no application|Linux \d|/\S+: |kernel\.", reason),
                            reason)
            self.assertFalse(file and os.path.exists(file.group(1)), reason)
        path = next(reason for reason in why.values() if reason.startswith("on request: -c '+\\Process("))
        self.good("record", "-q", "-n", "1", "-i", "10ms", "-c", path.split("'")[1], self.path("b.plog"))


def first_line(path):
    with open(path) as f:
        return f.readline().strip()


class Missing(Case):
    """What is said of that which a machine lacks."""

    def why(self, *before):
        """{path: reason} of list --why, below another program."""
        out = subprocess.run([*before, harness.PROGRAM, "list", "--why"], check=True,
                             stdout=subprocess.PIPE, universal_newlines=True).stdout
        return dict(line.split("\t") for line in out.splitlines())

    def hidden(self, folder, script):
        """A command that runs 'script' where another file system hides a folder."""
        if os.geteuid() or subprocess.call(["unshare", "-m", "true"], stderr=subprocess.DEVNULL):
            self.skipTest("only root can hide folders")
        return ("unshare", "-m", "sh", "-c", "mount -t tmpfs none %s && %s" % (folder, script), "sh")

    def test_objects_without_instances(self):
        why = self.why()
        with open("/proc/swaps") as f:
            swaps = len(f.readlines()) > 1
        self.assertEqual(why.get("\\Paging File(*)\\*"), None if swaps else "there is no swap now")
        if "\\NFS Client(*)\\*" not in why:
            self.skipTest("something is mounted by NFS")
        self.assertEqual(why["\\NFS Client(*)\\*"], "nothing is mounted by NFS now")
        self.refused(1, "record", "-n", "1", "-i", "10ms", "-c", "NFS Client", self.path("a.plog"),
                     says="nothing here matches 'NFS Client'")
        self.good("record", "-q", "-n", "1", "-i", "10ms", "-c", "+NFS Client", self.path("b.plog"))

    def test_all_is_what_is_recorded(self):
        """Counts of what sources cost are there from the second sample on."""
        log = self.path("a.plog")
        self.good("record", "-q", "--all", "-n", "2", "-i", "10ms", log)
        recorded = {name for name, _ in listed(self.good("list", log).out)}
        self.assertIn("Performance Logger Source", recorded)
        self.assertEqual({name for name, _ in listed(self.good("list", "--all").out)}, recorded)

    def test_delays_that_are_not_counted(self):
        try:
            off = first_line("/proc/sys/kernel/task_delayacct") == "0"
        except FileNotFoundError:
            self.skipTest("no task_delayacct")
        reason = self.why().get("\\Process(*)\\% Block I/O Wait Time")
        self.assertEqual("kernel.task_delayacct is off" in (reason or ""), off, reason)

    def test_without_sys(self):
        why = self.why(*self.hidden("/sys", 'exec "$@"'))
        self.assertEqual(why["\\Control Group(*)\\*"],
                         "no control groups are mounted (cgroup2; or cgroup with cpu, cpuacct, memory, blkio or pids)")
        self.assertEqual([path for path in why if path.startswith("\\Control Group")],
                         ["\\Control Group(*)\\*"])
        self.assertEqual({reason for reason in why.values() if "this kernel has no" in reason}, set())

    def test_of_a_newer_kernel(self):
        """The row of the counter names its first kernel; this one is made to call itself 2.6."""
        folder = self.path("meminfo")
        os.mkdir(folder)
        why = self.why(*self.hidden(folder, "sed /^Zswap:/d /proc/meminfo >%s/m && mount --bind %s/m /proc/meminfo && "
                                    'exec setarch --uname-2.6 "$@"' % (folder, folder)))
        self.assertEqual(why["\\Memory\\Zswap Bytes"], "Linux 5.19 and later have it, this is 2.6")

    def test_without_proc(self):
        log = self.path("a.plog")
        r = subprocess.run([*self.hidden("/proc", 'exec "$@"'), harness.PROGRAM, "record", "-n", "1", log],
                           stderr=subprocess.PIPE, universal_newlines=True)
        self.assertEqual(r.returncode, 1)
        said = [line for line in r.stderr.splitlines() if not line.startswith("==")]  # a sanitizer misses /proc, too
        self.assertEqual(said, ["perflog: record: /proc is not mounted: there is nothing to record"])
        self.assertFalse(os.path.exists(log))


if __name__ == "__main__":
    harness.main()
