#!/usr/bin/env python3
"""What reading costs, before a change and after it: before_after.py BEFORE AFTER LOG...

BEFORE and AFTER are two perflog programs.  Rows are Markdown: CPU seconds of each, medians, and the median of
the ratios of ROUNDS pairs (5), which run one after the other, in alternating order, so that what else the machine
does counts for both; whether both wrote the same bytes; and of a sheet, millions of cells a second of CPU.  ASK is a
pattern of questions.  For logs see layouts.py.
"""
import os
import re
import statistics
import subprocess
import sys
import tempfile

QUESTIONS = (
    ("default sheet", ["export", "-q", "-o", "@.csv"]),
    ("long", ["export", "-q", "--layout", "long", "-o", "@.csv"]),
    ("--top 10", ["export", "-q", "--top", "10", "-o", "@.csv"]),
    ("all processes", ["export", "-q", "-c", r"\Process(*)\*", "-o", "@.csv"]),
    ("stats", ["stats", "--csv"]),
    ("report", ["report", "-q", "-o", "@.html"]),
    ("report of five early minutes", ["report", "-q", "--from", "00:10", "--to", "00:15", "-o", "@.html"]),
    ("info", ["info"]),
    ("list", ["list"]),
)


def once(program, arguments, log, stem):
    """CPU seconds, and the bytes that were written."""
    words = [w.replace("@", stem) for w in arguments]
    name = words[-1] if words[-1].startswith(stem) else stem + ".out"
    with open(stem + ".out", "wb") as out, open(os.devnull, "wb") as null:
        child = subprocess.Popen([program, *words, log], stdout=out, stderr=null)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in (0, 2):
        sys.exit("%s %s: exit status %d" % (program, " ".join(words), child.returncode))
    return used.ru_utime + used.ru_stime, name


def cells_of(path):
    with open(path, "rb") as f:
        return sum(line.count(b",") for line in f)


def compare(programs, arguments, log, folder, rounds):
    """The times of both, as pairs, the file that the second wrote, and whether that of the first is the same."""
    pairs, names = [], {}
    for i in range(rounds):
        times = {}
        for k in (0, 1) if i % 2 else (1, 0):
            times[k], names[k] = once(programs[k], arguments, log, os.path.join(folder, "ab"[k]))
        pairs.append((times[0], times[1]))
    same = not subprocess.call(["cmp", "-s", names[0], names[1]])
    return pairs, names[1], same


def main():
    programs, logs = sys.argv[1:3], sys.argv[3:]
    if not logs:
        sys.exit(__doc__)
    rounds, asked = int(os.environ.get("ROUNDS", "5")), os.environ.get("ASK", ".")
    print("| log | what | before, s | after, s | before / after | M cells/s | same bytes |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory(prefix="perflog-bench-") as folder:
        for log in logs:
            for what, arguments in QUESTIONS:
                if not re.search(asked, what):
                    continue
                pairs, name, same = compare(programs, arguments, log, folder, rounds)
                before, after = (statistics.median(p[k] for p in pairs) for k in (0, 1))
                cells = "%.1f" % (cells_of(name) / after / 1e6) if "sheet" in what or what == "all processes" else ""
                print("| %s | %s | %.3f | %.3f | %.2f | %s | %s |" % (
                    os.path.basename(log), what, before, after, statistics.median(b / a for b, a in pairs), cells,
                    "yes" if same else "NO"), flush=True)


if __name__ == "__main__":
    main()
