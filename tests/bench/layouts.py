#!/usr/bin/env python3
"""What exports cost: layouts.py PERFLOG [LOG...]: a table of each log in every layout.

Rows are Markdown: CPU seconds (the least of three where it takes less than one), millions of values a
second of CPU, peak memory, size.  LAYOUTS is a pattern of layouts.  For logs see tests/tools/make_log.c, for example

    make_log day.plog disks=20 interfaces=20 processors=8 processes=130
    make_log week.plog samples=604800 processes=40        (30 GB in the long layout)
    make_log crowd.plog samples=3600 processes=3000 churn=60
    make_log summer.plog start=1792839600 processes=40    (clocks in Berlin are put back in it)
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

LAYOUTS = (
    ("wide", ["export"], "out.csv"),
    ("wide, all processes", ["export", "-c", r"\Process(*)\*"], "out.csv"),
    ("wide, one counter", ["export", "-c", r"\System\Context Switches/sec"], "out.csv"),
    ("wide, local time", ["export", "--tz", "Europe/Berlin"], "out.csv"),
    ("wide, a row a minute", ["export", "--every", "1m"], "out.csv"),
    ("wide, --top 10", ["export", "--top", "10"], "out.csv"),
    ("pdh", ["export", "--layout", "pdh"], "out.csv"),
    ("long", ["export", "--layout", "long"], "out.csv"),
    ("table", ["export", "--layout", "table"], "out.d"),
    ("xlsx, a row a minute", ["export", "--xlsx", "--every", "1m"], "out.xlsx"),
    ("stats", ["stats", "--csv"], "out.csv"),
    ("info", ["info"], None),
    ("list", ["list"], None),
)
BLANK = re.compile(rb",(?=[,\r\n])")


def clean(path):
    shutil.rmtree(path, ignore_errors=True)
    if os.path.exists(path):
        os.unlink(path)


def once(args, out):
    """(CPU seconds, KiB at most, exit status)."""
    clean(out)
    target = ["-o", out] if os.path.basename(out) != "null" else []
    with open(os.devnull, "w") as null:
        child = subprocess.Popen([*args, *target], stdout=null, stderr=null)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_utime + used.ru_stime, used.ru_maxrss, child.returncode


def values_of(path, texts):
    """Cells of a sheet, or of a folder of sheets, that are neither blank nor one of the first 'texts'; lines of
    a long sheet, which has texts only."""
    if os.path.isdir(path):
        return sum(values_of(os.path.join(path, name), texts) for name in os.listdir(path))
    if not path.endswith(".csv") or not os.path.exists(path):
        return 0
    values = 0
    with open(path, "rb") as f:
        next(f, None)
        for line in f:
            values += 1 if texts is None else line.count(b",") - len(BLANK.findall(line)) - texts
    return values


def size_of(path):
    if os.path.isdir(path):
        return sum(os.path.getsize(os.path.join(path, name)) for name in os.listdir(path))
    return os.path.getsize(path) if os.path.exists(path) else 0


def main():
    program, logs = sys.argv[1], sys.argv[2:]
    chosen = os.environ.get("LAYOUTS", ".")
    folder = tempfile.mkdtemp(prefix="perflog-bench-", dir=os.environ.get("TMPDIR"))
    print("| log | layout | CPU s | M values/s | peak MB | output MB | status |\n|---|---|---|---|---|---|---|")
    for log in logs:
        for what, args, name in LAYOUTS:
            if not re.search(chosen, what):
                continue
            out = os.path.join(folder, name or "null")
            command = [program, args[0], "-q", *args[1:], log] if name and args[0] == "export" else [
                program, *args, log]
            runs = [once(command, out)]
            while runs[0][0] < 1 and len(runs) < 3:
                runs.append(once(command, out))
            cpu = min(r[0] for r in runs)
            texts = {"long": None, "table": 2, "wide, local time": 1}.get(what, 0)
            values = values_of(out, texts) if args[0] == "export" else 0
            print("| %s | %s | %.2f | %.1f | %.1f | %.1f | %d |" % (
                os.path.basename(log), what, cpu, values / cpu / 1e6, max(r[1] for r in runs) / 1024,
                size_of(out) / 1e6, runs[-1][2]), flush=True)
            clean(out)
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
