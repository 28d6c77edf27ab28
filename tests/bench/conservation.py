#!/usr/bin/env python3
"""Whether all that a machine did is some process': conservation.py PERFLOG STORM [PROCESSES [A_SECOND [bpf|proc]]]

On an otherwise quiet machine, as root.  Processes of known work, 20,000 by default, come and go at 2,000 a second while
perflog records; then others write files, one program a steady stream and another all at once.  Compares what the log
says with the processors' and the disks' own counts, and with what wait4() said:

    processors    Σ Process = busy time less interrupts and stolen time   within 1 %
    exits         number, errors, kills                                   exactly
    names         processor time by name = rusage                         within 1 %
    disks         Σ Process = bytes written                               within 5 %
    most          --top 1 names who wrote most in all, not who wrote fastest

Processes are read by BPF, or from /proc and by taskstats' messages; what these lack is shared among processes, whatever
kernel.task_delayacct is: the sysctl adds waits to the messages, no processor time.  In a pid namespace, such as a container's, the
recorder sees its own processes only, so the first and the last two are left out: unshare -pf --mount-proc.

Exit status 1 if something is beyond its bound.  The log is in memory; FOLDER, this one by default, is on a disk.
"""
import collections
import csv
import io
import os
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import ends

CPU = r"\Processor(*)\%% %s Time"
TITLES = ("Processor", "DPC", "Interrupt", "Steal")
MEGABYTE = 1 << 20
STEADY = ("import os, sys, time\nf = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY)\n"
          "for i in range(10): os.write(f, bytes(10 << 20)); os.fsync(f); time.sleep(1)")
AT_ONCE = ("import os, sys\nf = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY)\nos.write(f, bytes(40 << 20)); os.fsync(f)")


class Recording:
    """Of all processes, processors and disks, in memory, for a 'with' block; 'rows' after its end."""

    def __init__(self, perflog, way, folder, name):
        self.perflog, self.log = perflog, os.path.join(folder, name + ".plog")
        self.process = subprocess.Popen([perflog, "record", "-q", "-i", "1s", "--processes=" + way, self.log])
        time.sleep(3)

    def __enter__(self):
        return self

    def __exit__(self, failure, *_):
        if not failure:
            time.sleep(4)  # until the last references to processes are dropped
        self.process.terminate()
        if self.process.wait() and not failure:
            sys.exit("the recorder failed")

    def rows(self, *args):
        out = subprocess.run([self.perflog, "export", "-q", "--layout", "long", *args, self.log], check=True,
                             stdout=subprocess.PIPE, universal_newlines=True).stdout
        return csv.DictReader(io.StringIO(out))

    def sums(self, *paths):
        """By (instance, counter): the sum of all values, that is per second, over samples of a second."""
        found = collections.Counter()
        for r in self.rows(*(word for p in paths for word in ("-c", p))):
            found[r["Instance"], r["Counter"]] += float(r["Value"] or 0)
        return found


failed = []


def report(what, log, truth, bound, unit=""):
    """One line; 'bound' is a share of the truth."""
    off = log / truth - 1 if truth else 0
    good = abs(off) <= bound if bound else log == truth
    if not good:
        failed.append(what)
    print("%-12s log %14.3f, truth %14.3f %-4s %+.3f %%%s" % (what, log, truth, unit, 100 * off,
                                                           "" if good else "   BEYOND ITS BOUND"), flush=True)


def storm_of(storm, *args):
    """By name: processes, errors, kills, seconds."""
    r = subprocess.run([storm, *map(str, args)], stdout=subprocess.PIPE, universal_newlines=True, errors="replace")
    lines = [line.split() for line in r.stdout.splitlines()]
    if r.returncode or not lines or any(len(words) != 4 for words in lines):
        sys.exit("%s: not the program that tests/tools/storm.c makes, or it failed (%d)" % (storm, r.returncode))
    did = collections.defaultdict(lambda: [0, 0, 0, 0])
    for name, _, status, ns in lines:
        status = int(status)
        for i, more in enumerate((1, os.WIFEXITED(status) and os.WEXITSTATUS(status) != 0, os.WIFSIGNALED(status),
                                  int(ns) / 1e9)):
            did[name][i] += more
    return did


def sees_all():
    """Whether this is the initial pid namespace."""
    return os.stat("/proc/self/ns/pid").st_ino == 0xEFFFFFFC


def processors(perflog, way, storm, folder, num, a_second):
    with Recording(perflog, way, folder, "storm") as recording:
        did = storm_of(storm, "con", num, 100, 600, a_second)
    if sees_all():
        machine = recording.sums(*(CPU % t for t in TITLES))
        whole = {t: sum(v for (i, c), v in machine.items() if i != "_Total" and c == "%% %s Time" % t) / 100
                 for t in TITLES}
        total = recording.sums(r"\Process(_Total)\% Processor Time")["_Total", "% Processor Time"] / 100
        report("processors", total, whole["Processor"] - whole["DPC"] - whole["Interrupt"] - whole["Steal"], 0.01, "s")
    work = ends.Work(recording.log).by_name
    for k, (what, title) in enumerate((("exits", ends.EXITS), ("errors", ends.FAILED), ("kills", ends.KILLED))):
        report(what, sum(work[name][title] for name in did), sum(d[k] for d in did.values()), 0)
    for name, (_, _, _, seconds) in sorted(did.items()):
        report(name, work[name][ends.RUN_TIME] / 1e7, seconds, 0.01, "s")


def disks(perflog, way, storm, folder, files):
    os.sync()
    with Recording(perflog, way, folder, "disks") as recording:
        writers = [subprocess.Popen([sys.executable, "-c", code, os.path.join(files, name)])
                   for name, code in (("steady", STEADY), ("at_once", AT_ONCE))]
        try:
            storm_of(storm, "wri", 200, 100, 100, 50, MEGABYTE, files)
        finally:
            for w in writers:
                w.wait()
        os.sync()
    written = r"\Process(*)\Storage Write Bytes/sec"
    total = recording.sums(r"\Process(_Total)\Storage Write Bytes/sec", r"\PhysicalDisk(_Total)\Disk Write Bytes/sec")
    report("disks", total["_Total", "Storage Write Bytes/sec"] / MEGABYTE, total["_Total", "Disk Write Bytes/sec"] / MEGABYTE,
         0.05, "MiB")
    most = {r["Instance"] for r in recording.rows("--top", "1", "-c", written)} - {"_Total", "_Other"}
    if not most <= {"python3:%d" % writers[0].pid, "python:%d" % writers[0].pid}:
        failed.append("most")
    print("most         %s, truth %d" % (", ".join(most), writers[0].pid))


def delay_accounting():
    try:
        with open("/proc/sys/kernel/task_delayacct", encoding="ascii") as f:
            return f.read().strip()
    except FileNotFoundError:
        return "is not there"


def main(perflog, storm, num="20000", a_second="2000", way="bpf"):
    for program in perflog, storm:
        if not os.access(program, os.X_OK) or os.path.isdir(program):
            sys.exit("%s: no program; build it, then name its path" % program)
    print("Linux %s, kernel.task_delayacct %s" % (os.uname().release, delay_accounting()), flush=True)
    folder = tempfile.mkdtemp(dir="/dev/shm")
    files = tempfile.mkdtemp(dir=".")
    try:
        processors(perflog, way, storm, folder, num, a_second)
        if sees_all():
            disks(perflog, way, storm, folder, files)
    finally:
        shutil.rmtree(folder)
        shutil.rmtree(files)
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
