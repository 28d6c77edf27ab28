#!/usr/bin/env python3
"""What recording costs beside other recorders, in one run: recorders.py PERFLOG [OTHER_PERFLOG] [--windows N]

All record every second at the same time, among as many idle processes, in a pid namespace of their own; then while
300 processes a second end, which lived 0, 10 or 500 ms.  The first is PERFLOG, to which the others are compared: read by
BPF and from /proc, system-wide counters alone, OTHER_PERFLOG, and atop with its accounting of ended processes where it is
installed.  For each: processor time a sample (the scheduler's own count), the median over windows of 5 seconds of its
ratio to the first, and peak memory.  What ended processes add: the same time less that of the windows before them.

Needs root.
"""
import argparse
import mmap
import os
import shutil
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import time

POPULATIONS = 100, 1000, 3000
LIFETIMES = 0, 0.01, 0.5
A_SECOND = 300
WINDOW = 5
SYSTEM = ("Processor", "System", "Memory", "Paging File", "PhysicalDisk", "LogicalDisk", "Network Interface")
FALLS_BEHIND = 3  # seconds until all have their first samples behind them


def contenders(perflog, other):
    """By name: a command, which gets the path of its output."""
    found = {"perflog bpf": [perflog, "record", "--processes=bpf"],
             "perflog proc": [perflog, "record", "--processes=proc"],
             "perflog system": [perflog, "record", *(word for o in SYSTEM for word in ("-c", o))]}
    if other:
        found["other bpf"] = [other, "record", "--processes=bpf"]
        found["other proc"] = [other, "record", "--processes=proc"]
    if shutil.which("atop"):
        found["atop"] = ["sh", "-c", 'exec atop -a -w "$0" 1']
    return found


class Recorder:
    def __init__(self, command, out):
        self.out = out
        self.process = subprocess.Popen([*command, out], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE, universal_newlines=True)

    def cpu(self):
        """Nanoseconds of all threads."""
        folder = "/proc/%d/task" % self.process.pid
        total = 0
        for task in os.listdir(folder):
            with open("%s/%s/schedstat" % (folder, task)) as f:
                total += int(f.read().split()[0])
        return total

    def peak(self):
        with open("/proc/%d/status" % self.process.pid) as f:
            return next(int(line.split()[1]) for line in f if line.startswith("VmHWM:")) / 1024

    def end(self):
        """What it says at its end: a slow one may have missed samples, and used less time a second."""
        self.process.send_signal(signal.SIGINT)
        return self.process.communicate()[1].strip()


def windows(recorders, num):
    """By name: milliseconds a second, of each window."""
    found = {name: [] for name in recorders}
    for _ in range(num):
        before = {name: r.cpu() for name, r in recorders.items()}
        begin = time.monotonic()
        time.sleep(WINDOW)
        took = time.monotonic() - begin
        for name, r in recorders.items():
            found[name].append((r.cpu() - before[name]) / 1e6 / took)
    return found


def idle_processes(num):
    """Children that do nothing; they end with this process' namespace."""
    for _ in range(num):
        if not os.fork():
            signal.pause()


def storm(lifetime, count):
    """A child whose children come and go, and are counted; it is killed to end it."""
    pid = os.fork()
    if pid:
        return pid
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    due = time.monotonic()
    while True:
        if not os.fork():
            time.sleep(lifetime)
            os._exit(0)
        struct.pack_into("Q", count, 0, struct.unpack_from("Q", count)[0] + 1)
        due += 1 / A_SECOND
        time.sleep(max(0, due - time.monotonic()))


def show(what, found, first, before=None):
    for name, values in found.items():
        ratio = statistics.median(v / f for v, f in zip(values, found[first]))
        more = "" if before is None else "  %+.2f ms" % (statistics.median(values) - statistics.median(before[name]))
        print("%-26s %-15s %7.2f ms a sample  %5.2f times%s" % (what, name, statistics.median(values), ratio, more),
              flush=True)


def measure(a, population):
    idle_processes(population)
    folder = tempfile.mkdtemp(dir="/dev/shm")
    recorders = {}
    try:
        for i, (name, command) in enumerate(contenders(a.perflog, a.other).items()):
            recorders[name] = Recorder(command, os.path.join(folder, "%d.plog" % i))
            time.sleep(0.09)  # spread over the second
        time.sleep(FALLS_BEHIND)
        first = next(iter(recorders))
        quiet = windows(recorders, a.windows)
        show("%d processes" % population, quiet, first)
        for lifetime in LIFETIMES if population == POPULATIONS[0] else ():
            count = mmap.mmap(-1, mmap.PAGESIZE)
            begin = time.monotonic()
            pid = storm(lifetime, count)
            time.sleep(FALLS_BEHIND)
            found = windows(recorders, a.windows)
            reached = struct.unpack_from("Q", count)[0] / (time.monotonic() - begin)
            show("%d/s that lived %g ms" % (reached, lifetime * 1000), found, first, quiet)
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        print("%-26s %s" % ("peak memory, MB", ", ".join("%s %.1f" % (n, r.peak()) for n, r in recorders.items())),
              flush=True)
    finally:
        for name, r in recorders.items():
            print("%-26s %s" % (name, r.end()), flush=True)
        shutil.rmtree(folder)


def main():
    p = argparse.ArgumentParser(usage=__doc__)
    p.add_argument("perflog", type=os.path.realpath)
    p.add_argument("other", nargs="?", type=os.path.realpath)
    p.add_argument("--windows", type=int, default=7)
    p.add_argument("--inside", type=int, help=argparse.SUPPRESS)
    a = p.parse_args()
    if a.inside:
        measure(a, a.inside)
        return
    for population in POPULATIONS:
        subprocess.run(["unshare", "-pf", "--mount-proc", "--kill-child", sys.executable, __file__, *sys.argv[1:],
                        "--inside", str(population)], check=True)


if __name__ == "__main__":
    main()
