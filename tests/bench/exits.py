#!/usr/bin/env python3
"""What a process pays for its end being recorded: exits.py PERFLOG STORM [PROCESSES]

The kernel measures each run of the three programs (kernel.bpf_stats_enabled), which costs some time of its own.  The
first runs in the task that ends, the second when its last reference is dropped, the third at exec.  Needs root and
bpftool.
"""
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

PROGRAMS = "thread_ends", "task_freed", "program_begins"
EXECS = "i=0; while [ $i -lt %d ]; do /bin/true an argument; i=$((i+1)); done"
SWITCH = "/proc/sys/kernel/bpf_stats_enabled"


def numbers(pid):
    """The BPF programs that a process holds."""
    found = set()
    for fd in os.listdir("/proc/%d/fdinfo" % pid):
        with contextlib.suppress(FileNotFoundError), open("/proc/%d/fdinfo/%s" % (pid, fd)) as f:  # it was closed since
            found |= {int(line.split()[1]) for line in f if line.startswith("prog_id:")}
    return found


def counted(pid):
    """By name: nanoseconds, runs, and runs left out."""
    shown = json.loads(subprocess.run(["bpftool", "-j", "prog", "show"], stdout=subprocess.PIPE, check=True).stdout)
    ours = numbers(pid)
    return {p["name"]: (p.get("run_time_ns", 0), p.get("run_cnt", 0), p.get("recursion_misses", 0))
            for p in shown if p.get("name") in PROGRAMS and p["id"] in ours}


def main(perflog, storm, processes="20000"):
    with open(SWITCH) as f:
        before = f.read()
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        recorder = subprocess.Popen([perflog, "record", "-q", "-i", "1s", "--processes=bpf", folder + "/a.plog"])
        try:
            while not os.path.exists(folder + "/a.plog") or set(counted(recorder.pid)) != set(PROGRAMS):
                time.sleep(0.1)
            with open(SWITCH, "w") as f:
                f.write("1")
            first = counted(recorder.pid)
            subprocess.run([storm, "exits", processes, "0", "0"], stdout=subprocess.DEVNULL, check=True)
            subprocess.run(["sh", "-c", EXECS % (int(processes) // 10)], check=True)
            time.sleep(2)  # until most are released
            last = counted(recorder.pid)
        finally:
            with open(SWITCH, "w") as f:
                f.write(before)
            recorder.send_signal(signal.SIGINT)
            recorder.wait()
    for name in PROGRAMS:
        ns, runs, missed = (b - a for a, b in zip(first[name], last[name]))
        print("%-14s %6d ns a run, %d runs, %d missed" % (name, ns / max(runs, 1), runs, missed))


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
