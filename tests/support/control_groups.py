"""Control groups read by other means than the recorder's: both versions, and a mix of them.

groups() gives the files' numbers under version 2's names; busy() makes a group that is at work.
"""
import contextlib
import os
import re
import signal
import subprocess

import harness

CONTROLLERS = ("cpu", "cpuacct", "memory", "blkio", "pids")
USUAL_DEPTH = 3
US_OF_TICK = 1000000 // os.sysconf("SC_CLK_TCK")
NO_LIMIT = 2 ** 63 - 2 ** 20
QUOTA = 10000  # us of 100,000 for the group at work
LIMIT = 256 << 20


def text(path):
    try:
        with open(path, "rb") as f:
            return f.read().decode("utf-8", "replace")
    except OSError:
        return None


def numbers(path):
    t = text(path)
    return None if t is None else [int(w) if re.match(r"-?\d+\Z", w) else 0 for w in t.split()]


def keyed(t, prefix=""):
    found = re.findall(r"^%s([\w()]+)[: \t]+(\d+)" % prefix, t or "", re.M)
    return {k: int(v) for k, v in found}


def unescaped(name):
    return re.sub(r"\\(\d{3})", lambda m: chr(int(m.group(1), 8)), name)


def roots():
    """{controller, or "" for version 2: folder}."""
    found = {}
    for line in text("/proc/self/mountinfo").split("\n")[:-1]:
        words = line.split()
        kind, _, options = words[words.index("-") + 1:][:3]
        if kind == "cgroup2":
            found.setdefault("", unescaped(words[4]))
        for controller in options.split(",") if kind == "cgroup" else ():
            if controller in CONTROLLERS:
                found.setdefault(controller, unescaped(words[4]))
    return found


def names(root):
    """The groups of a tree down to the usual depth, as paths that end in no slash."""
    for path, folders, _ in os.walk(root):
        name = path[len(root):]
        if name.count("/") >= USUAL_DEPTH:
            folders.clear()
        yield name


def is_summed(device):
    """Whether "8:0" is a disk that uses no other, as those in the total of PhysicalDisk."""
    path = os.path.realpath("/sys/dev/block/" + device)
    slaves = path + "/slaves"
    return not (re.match(r"(loop|ram|zram)\d", os.path.basename(path)) or not os.path.exists(path)
                or os.path.exists(path + "/partition") or os.path.exists(path + "/loop/backing_file")
                or (os.path.isdir(slaves) and os.listdir(slaves)) or text(path + "/size") == "0\n")


def io_of_devices(t, pattern):
    """Sums over such devices."""
    sums = {}
    for device, key, value in re.findall(pattern, t or "", re.M):
        counts = is_summed(device)
        sums[key.lower()] = sums.get(key.lower(), 0) + counts * int(value)
    return sums


def version_2(path):
    g = {}
    for file in "cpu.stat", "memory.events", "memory.stat", "pids.events", "cgroup.events", "cgroup.stat":
        g.update({"%s %s" % (file, k): v for k, v in keyed(text("%s/%s" % (path, file))).items()})
    for file in "memory.current", "memory.max", "memory.high", "memory.swap.current", "pids.current":
        if os.path.exists("%s/%s" % (path, file)):
            g[file] = numbers("%s/%s" % (path, file))[0]
    for file in "cpu.pressure", "memory.pressure", "io.pressure":
        for kind, total in re.findall(r"(\w+) .*total=(\d+)", text("%s/%s" % (path, file)) or ""):
            g["%s %s" % (file, kind)] = int(total)
    if os.path.exists(path + "/cpu.max"):
        quota, period = numbers(path + "/cpu.max")
        g["limit"] = quota * 1000 // period
    for line in re.findall(r"^\S+ .*", text(path + "/io.stat") or "", re.M):
        device, rest = line.split(" ", 1)
        for key, value in io_of_devices(re.sub(r" ?(\w+)=(\d+)", device + r" \1 \2\n", rest),
                                        r"^(\S+) (\w+) (\d+)").items():
            g["io " + key] = g.get("io " + key, 0) + value
    return g


def cpu_of_version_1(folder):
    g = {}
    usage = numbers(folder("cpuacct") + "cpuacct.usage")
    if usage:
        g["cpu.stat usage_usec"] = usage[0] // 1000
    for key, ticks in keyed(text(folder("cpuacct") + "cpuacct.stat")).items():
        g["cpu.stat %s_usec" % key] = ticks * US_OF_TICK
    throttled = keyed(text(folder("cpu") + "cpu.stat"))
    if "throttled_time" in throttled:
        throttled["throttled_usec"] = throttled.pop("throttled_time") // 1000
    g.update({"cpu.stat " + key: value for key, value in throttled.items()})
    quota, period = (numbers(folder("cpu") + "cpu.cfs_%s_us" % word) for word in ("quota", "period"))
    if quota and period:
        g["limit"] = max(quota[0], 0) * 1000 // period[0]
    return g


def memory_of_version_1(folder):
    g = {}
    for file, name in (("usage_in_bytes", "memory.current"), ("limit_in_bytes", "memory.max"),
                       ("failcnt", "memory.events max"), ("kmem.usage_in_bytes", "memory.stat kernel")):
        value = numbers(folder("memory") + "memory." + file)
        if value:
            g[name] = 0 if value[0] >= NO_LIMIT else value[0]
    kills = keyed(text(folder("memory") + "memory.oom_control"))
    if "oom_kill" in kills:
        g["memory.events oom_kill"] = kills["oom_kill"]
    new = {"rss": "anon", "cache": "file", "dirty": "file_dirty"}
    for key, value in keyed(text(folder("memory") + "memory.stat"), "total_").items():
        g["memory.stat " + new.get(key, key)] = value
    if "memory.stat swap" in g:
        g["memory.swap.current"] = g["memory.stat swap"]
    return g


def others_of_version_1(folder):
    g = {}
    pattern = r"^(\d+:\d+) (Read|Write|Discard) (\d+)$"
    for file, unit in ("io_service_bytes", "bytes"), ("io_serviced", "ios"):
        t = text(folder("blkio") + "blkio.throttle.%s_recursive" % file)
        if t is not None:
            g.update({"io %s%s" % (key, unit): 0 for key in "rwd"})
            g.update({"io " + key[0] + unit: v for key, v in io_of_devices(t, pattern).items()})
    tasks = numbers(folder("pids") + "pids.current")
    if tasks:
        g["pids.current"] = tasks[0]
    g.update({"pids.events " + k: v for k, v in keyed(text(folder("pids") + "pids.events")).items()})
    return g


def groups():
    """(instance, {"file key": number}) of every group; what version 2 has goes before version 1."""
    trees = roots()
    order = [""] + list(CONTROLLERS)
    for name in sorted({name for root in trees.values() for name in names(root)}):
        there = [t for t in order if t in trees and os.path.isdir(trees[t] + name)]

        def folder(controller):
            return (trees[controller] if controller in trees else "/nonexistent") + name + "/"

        if not there:
            continue  # gone since it was listed
        g = {**cpu_of_version_1(folder), **memory_of_version_1(folder), **others_of_version_1(folder)}
        if "" in there:
            g.update(version_2(trees[""] + name))
        if "" in there and not name:
            g["cgroup.events populated"] = 1  # the root has no such file
        try:
            g["inode"] = os.stat(trees[there[0]] + name).st_ino
        except OSError:
            continue
        yield name or "/", g


def put(path, value):
    with open(path, "w") as f:
        f.write(str(value))


def empty(folder):
    return not text(folder + "/cgroup.procs")


@contextlib.contextmanager
def busy(work):
    """A group in every tree of version 1 that lets us, whose processes write files in 'work'; its name, or None."""
    name, made = "perflog-test-%d" % os.getpid(), []
    child = None
    try:
        for controller, root in roots().items():
            folder = os.path.join(root, name)
            if controller and folder not in made and os.access(root, os.W_OK):
                with contextlib.suppress(FileExistsError):  # two controllers in one tree
                    os.mkdir(folder)
                    made.append(folder)
        for file, value in ("cpu.cfs_quota_us", QUOTA), ("memory.limit_in_bytes", LIMIT):
            for folder in made:
                if os.path.exists(os.path.join(folder, file)):
                    put(os.path.join(folder, file), value)
        script = "while :; do dd if=/dev/zero of=%s/x bs=64k count=8 conv=fsync 2>/dev/null; done" % work
        if made:
            enter = " && ".join("echo $$ >%s/cgroup.procs" % folder for folder in made)
            child = subprocess.Popen(["sh", "-c", enter + " && " + script], start_new_session=True)
        yield name if made else None
    finally:
        if child:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
        for folder in made:
            harness.wait_until(lambda f=folder: empty(f), "the group is empty")
            os.rmdir(folder)
