#!/usr/bin/env python3
"""What recording costs beside other recorders, in one run: recorders.py PERFLOG [OTHER_PERFLOG] [--floor COMMAND]

All record every second at the same time, among as many idle processes, in a pid namespace of their own; then while
300 processes a second end, which lived 0, 10 or 500 ms.  The first is PERFLOG, to which the others are compared: read by
BPF and from /proc, system-wide counters alone, OTHER_PERFLOG, and the peers that are installed; COMMAND is a program that
reads as often and keeps nothing.  For each: processor time a sample (the scheduler's own count), the median over windows
of 5 seconds of its ratio to the first, and peak memory.  What ended processes add: the same time less that of the windows
before them.

Then what the start takes and, beside ten busy loops and with the priority of the service, how many of 1,001 samples at
10 ms are missed: in turns, medians.

Needs root.
"""
import argparse
import json
import math
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import peers

POPULATIONS = 100, 1000, 3000
LIFETIMES = 0, 0.01, 0.5
A_SECOND = 300
WINDOW = 5
STARTS, BUSY_ROUNDS, BUSY_LOOPS, BUSY_SAMPLES = 21, 5, 10, 1001
FALLS_BEHIND = 3  # seconds until all have their first samples behind them


def contenders(perflog, other, floor):
    """By name: a command, which writes files that begin with 'out' in its folder."""
    found = {"perflog bpf": [perflog, "record", "--processes=bpf", "out"],
             "perflog proc": [perflog, "record", "--processes=proc", "out"],
             "perflog system": [perflog, "record", *peers.choice(), "out"]}
    if other:
        found["other bpf"] = [other, "record", "--processes=bpf", "out"]
        found["other proc"] = [other, "record", "--processes=proc", "out"]
        found["other system"] = [other, "record", *peers.choice(), "out"]
    if floor:
        found["floor"] = ["sh", "-c", "exec " + floor]
    return {**found, **peers.system_wide(), **peers.with_processes()}


class Recorder:
    def __init__(self, command, folder):
        os.mkdir(folder)
        self.process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE, universal_newlines=True)

    def cpu(self):
        """Nanoseconds of all threads."""
        folder = "/proc/%d/task" % self.process.pid
        total = 0
        for task in os.listdir(folder):
            with open("%s/%s/schedstat" % (folder, task)) as f:
                total += int(f.read().split()[0])
        return total

    def is_there(self):
        return self.process.poll() is None

    def peak(self):
        with open("/proc/%d/status" % self.process.pid) as f:
            return next(int(line.split()[1]) for line in f if line.startswith("VmHWM:")) / 1024

    def end(self):
        """What it says at its end: a slow one may have missed samples, and used less time a second."""
        if self.is_there():
            self.process.send_signal(signal.SIGTERM)
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


class Storm:
    """A_SECOND processes a second that live that long; a program in C, as Python takes milliseconds to fork."""

    def __init__(self, program, lifetime):
        self.begin = time.monotonic()
        self.process = subprocess.Popen([program, str(A_SECOND), str(round(lifetime * 1e6))], stdout=subprocess.PIPE)

    def end(self):
        """How many a second there were."""
        self.process.send_signal(signal.SIGTERM)
        took = time.monotonic() - self.begin
        return int(self.process.communicate()[0]) / took


def build_storm(folder):
    program = os.path.join(folder, "come_and_go")
    subprocess.run([os.environ.get("CC", "cc"), "-O2", "-o", program, os.path.join(os.path.dirname(__file__), "come_and_go.c")],
                   check=True)
    return program


def show(what, found, first, before=None):
    for name, values in found.items():
        ratio = statistics.median(v / f for v, f in zip(values, found[first]))
        more = "" if before is None else "  %+.2f ms" % (statistics.median(values) - statistics.median(before[name]))
        print("%-26s %-15s %7.2f ms a sample  %5.2f times%s" % (what, name, statistics.median(values), ratio, more),
              flush=True)


def measure(a, population):
    idle_processes(population)
    folder = tempfile.mkdtemp(dir="/dev/shm")
    program = build_storm(folder)
    recorders = {}
    try:
        for i, (name, command) in enumerate(contenders(a.perflog, a.other, a.floor).items()):
            recorders[name] = Recorder(command, os.path.join(folder, str(i)))
            time.sleep(0.09)  # spread over the second
        time.sleep(FALLS_BEHIND)
        for name in [name for name, r in recorders.items() if not r.is_there()]:
            print("%-26s does not record: %s" % (name, recorders.pop(name).end()), flush=True)
        first = next(iter(recorders))
        quiet = windows(recorders, a.windows)
        show("%d processes" % population, quiet, first)
        for lifetime in LIFETIMES if population == POPULATIONS[0] else ():
            storm = Storm(program, lifetime)
            time.sleep(FALLS_BEHIND)
            found = windows(recorders, a.windows)
            show("%d/s that lived %g ms" % (storm.end(), lifetime * 1000), found, first, quiet)
        print("%-26s %s" % ("peak memory, MB", ", ".join("%s %.1f" % (n, r.peak()) for n, r in recorders.items())),
              flush=True)
    finally:
        for name, r in recorders.items():
            print("%-26s %s" % (name, r.end()), flush=True)
        shutil.rmtree(folder)


# ---- the start, and short intervals ----

def start_of(perflog, folder):
    """Milliseconds of processor time until the first sample; NaN: this perflog does not say."""
    out = os.path.join(folder, "start.plog")
    subprocess.run([perflog, "record", "-q", "-n", "1", out], check=True)
    shown = info(perflog, out)
    os.unlink(out)
    return shown.get("cpu_seconds_before_first", math.nan) * 1000


def missed_of(perflog, folder):
    """Samples missed, of BUSY_SAMPLES."""
    out = os.path.join(folder, "busy.plog")
    subprocess.run(["nice", "-n", "-20", perflog, "record", "-q", "-i", "10ms", "-n", str(BUSY_SAMPLES), out],
                   check=False, stderr=subprocess.DEVNULL)
    shown = info(perflog, out)
    os.unlink(out)
    return shown["missed"]


def info(perflog, log):
    return json.loads(subprocess.run([perflog, "info", "--json", log], check=True, stdout=subprocess.PIPE).stdout)[0]


def in_turns(what, unit, measured, programs, rounds):
    folder = tempfile.mkdtemp(dir="/dev/shm")
    found = {name: [] for name in programs}
    for i in range(rounds):
        for name in reversed(programs) if i % 2 else programs:
            found[name].append(measured(programs[name], folder))
    shutil.rmtree(folder)
    for name, values in found.items():
        print("%-26s %-15s %7.2f %s (%.2f to %.2f)" % (what, name, statistics.median(values), unit, min(values), max(values)),
              flush=True)


def short_rows(programs):
    in_turns("start", "ms", start_of, programs, STARTS)
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(BUSY_LOOPS)]
    try:
        in_turns("10 ms, %d busy loops" % BUSY_LOOPS, "missed", missed_of, programs, BUSY_ROUNDS)
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def main():
    p = argparse.ArgumentParser(usage=__doc__)
    p.add_argument("perflog", type=os.path.realpath)
    p.add_argument("other", nargs="?", type=os.path.realpath)
    p.add_argument("--floor", help="a command that reads as much every second")
    p.add_argument("--windows", type=int, default=7)
    p.add_argument("--inside", type=int, help=argparse.SUPPRESS)
    a = p.parse_args()
    if a.inside:
        measure(a, a.inside)
        return
    for population in POPULATIONS:
        subprocess.run(["unshare", "-pf", "--mount-proc", "--kill-child", sys.executable, __file__, *sys.argv[1:],
                        "--inside", str(population)], check=True)
    short_rows({"perflog": a.perflog, **({"other": a.other} if a.other else {})})


if __name__ == "__main__":
    main()
