#!/usr/bin/env python3
"""What five minutes of a long log cost, by where they are: processor time and bytes read.

    windows.py LOG PERFLOG...

LOG is a log of perflog, for example of tests/tools/make_log; several programs are measured by turns.  Each figure is
the median of several tries.
"""
import os
import statistics
import subprocess
import sys
import tempfile

TRIES = 5
PLACES = ("early", 0.01), ("middle", 0.5), ("late", 0.98)
COMMANDS = ("export",), ("export", "--layout", "long"), ("export", "--top", "10"), ("stats",), ("report",), ("top",), ("cut",)


def measure(program, command, window, log):
    with tempfile.TemporaryDirectory() as folder:
        new = ["-o", os.path.join(folder, "new")] if command[0] in ("report", "cut") else []
        quiet = [] if command[0] == "top" else ["-q"]
        child = subprocess.Popen([program, *command, *quiet, *window, *new, log], stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        with open("/proc/%d/io" % child.pid, encoding="ascii") as f:
            read = int(f.readline().split()[1])
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = status
        if status:
            sys.exit("%s %s failed" % (program, " ".join(command)))
        return used.ru_utime + used.ru_stime, read


def main():
    log, *programs = sys.argv[1:]
    lines = subprocess.run([programs[0], "export", "-q", "--tz", "UTC", "-c", r"\System\Processes", log], check=True,
                           capture_output=True, text=True).stdout.splitlines()[1:]
    times = [line.split(",")[0] for line in lines]
    print("%s: %d samples, %.1f MB" % (log, len(times), os.path.getsize(log) / 1e6))
    for command in COMMANDS:
        for place, part in PLACES:
            first = min(int(len(times) * part), len(times) - 301)
            window = "--tz", "UTC", "--from", times[first], "--to", times[first + 300]
            tries = [[measure(p, command, window, log) for p in programs] for _ in range(TRIES)]
            figures = ["%6.0f ms %7.2f MB" % (1000 * statistics.median(t[i][0] for t in tries),
                                             statistics.median(t[i][1] for t in tries) / 1e6)
                       for i in range(len(programs))]
            print("%-24s %-7s %s" % (" ".join(command), place, "  |  ".join(figures)), flush=True)


if __name__ == "__main__":
    main()
