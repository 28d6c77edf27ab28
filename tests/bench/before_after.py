#!/usr/bin/env python3
"""What reading costs, of any number of perflog programs: before_after.py PERFLOG... LOG...

A log is what cannot be executed; for logs see layouts.py.  Rows are Markdown: for each question the goal for a made-up
day (make_log day.plog: 86,400 samples, 150 processes), the seconds of each program, medians of ROUNDS (5), and how many
times as fast as the first one each further one is: the median of the ratios of the rounds.  In a round all programs run
one after the other, in turns forwards and backwards, so that what else the machine does counts for all.  Seconds are
those of CPU; for questions asked with two threads the columns are how many times as fast as with one thread they are
answered, by the wall clock, which counts on a quiet machine only.  Then millions of cells a second of the last program,
and whether all wrote the same bytes.  Instead of the figure of a program that fails, as it is older than the question,
there is how it failed, and it is compared with no other.  ASK is a pattern of questions.
"""
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

EARLY = ["--from", "00:10", "--to", "00:15"]

# what, goal, arguments; '@' is the stem of a file, '@.csv' and the like what is written
QUESTIONS = (
    ("default sheet", "20 M/s", ["export", "-q", "-o", "@.csv"]),
    ("default sheet, without -o", "20 M/s", ["export", "-q"]),
    ("long", "20", ["export", "-q", "--layout", "long", "-o", "@.csv"]),
    ("long, not written", "20", ["export", "-q", "--layout", "long", "-o", os.devnull]),
    ("--top 10", "4", ["export", "-q", "--top", "10", "-o", "@.csv"]),
    ("all processes", "", ["export", "-q", "-c", r"\Process(*)\*", "-o", "@.csv"]),
    ("table", "6", ["export", "-q", "--layout", "table", "-o", "@.d"]),
    ("stats", "1.5", ["stats", "--csv"]),
    ("report", "2.5", ["report", "-q", "-o", "@.html"]),
    ("diagnose", "", ["diagnose"]),
    ("info", "0.02", ["info"]),
    ("list", "0.02", ["list"]),
    ("verify", "", ["verify"]),
    ("early minutes: sheet", "0.05", ["export", "-q", *EARLY, "-o", "@.csv"]),
    ("early minutes: long", "0.05", ["export", "-q", "--layout", "long", *EARLY, "-o", "@.csv"]),
    ("early minutes: --top 10", "0.05", ["export", "-q", "--top", "10", *EARLY, "-o", "@.csv"]),
    ("early minutes: stats", "0.05", ["stats", "--csv", *EARLY]),
    ("early minutes: diagnose", "0.05", ["diagnose", *EARLY]),
    ("early minutes: report", "0.05", ["report", "-q", *EARLY, "-o", "@.html"]),
    ("two threads: default sheet", "1.8 x", ["export", "-q", "-j", "2", "-o", "@.csv"]),
    ("two threads: without -o", "1.8 x", ["export", "-q", "-j", "2"]),
    ("two threads: long", "1.8 x", ["export", "-q", "-j", "2", "--layout", "long", "-o", "@.csv"]),
)


class Fails(Exception):
    """A program that does not answer, as it is older than the question or built without what it needs: how it ended."""


def once(program, words, log, out):
    """CPU seconds, and those of the clock."""
    began = time.monotonic()
    with open(out, "wb") as to, open(os.devnull, "wb") as null:
        child = subprocess.Popen([program, *words, log], stdout=to, stderr=null)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in (0, 2):
        raise Fails("fails: %d" % child.returncode)
    return used.ru_utime + used.ru_stime, time.monotonic() - began


def ask(program, arguments, log, folder, name):
    """What a run is measured by, and what it wrote."""
    stem = os.path.join(folder, name)
    subprocess.check_call(["rm", "-rf", stem, stem + ".d"])
    words = [w.replace("@", stem) for w in arguments]
    written = next((w for w in words if w.startswith(stem)), stem)
    cpu, clock = once(program, words, log, stem)
    if "-j" not in arguments:
        return cpu, written
    at = words.index("-j")
    return once(program, words[:at] + words[at + 2:], log, stem)[1] / clock, written


def cells_of(path):
    with open(path, "rb") as f:
        return sum(line.count(b",") for line in f)


def compare(programs, arguments, log, folder, rounds):
    """For each program its figures by round, None if it fails; how those end that do; and the file that each wrote."""
    figures, ends, files = [[] for _ in programs], {}, [None] * len(programs)
    for i in range(rounds):
        turn = range(len(programs))
        for k in reversed(turn) if i % 2 else turn:
            if k in ends:
                continue
            try:
                figure, files[k] = ask(programs[k], arguments, log, folder, "p%d" % k)
                figures[k].append(figure)
            except Fails as e:
                ends[k], figures[k], files[k] = str(e), None, None
    return figures, ends, files


def times(first, figures):
    """How many times as fast as the first program: the median of the ratios of the rounds."""
    if not first or not figures:
        return ""
    return "%.2f" % statistics.median(b / max(a, 1e-3) for b, a in zip(first, figures))


def sameness(files):
    written = [f for f in files if f]
    if len(written) < 2:
        return ""
    same = all(not subprocess.call(["diff", "-rq", written[0], f], stdout=subprocess.DEVNULL) for f in written[1:])
    return "yes" if same else "NO"


def row(log, question, programs, folder, rounds):
    what, goal, arguments = question
    figures, ends, files = compare(programs, arguments, log, folder, rounds)
    cells = [os.path.basename(log), what, goal]
    cells += [ends[k] if k in ends else "%.3f" % statistics.median(f) for k, f in enumerate(figures)]
    cells += ["" if "-j" in arguments else times(figures[0], f) for f in figures[1:]]
    sheet = re.search("^default sheet|^all processes", what) and files[-1]
    cells.append("%.1f" % (cells_of(files[-1]) / statistics.median(figures[-1]) / 1e6) if sheet else "")
    cells.append(sameness(files))
    print("| %s |" % " | ".join(cells), flush=True)
    subprocess.check_call(["rm", "-rf", *(f for f in files if f)])


def main():
    programs = [a for a in sys.argv[1:] if os.access(a, os.X_OK) and not os.path.isdir(a)]
    logs = [a for a in sys.argv[1:] if a not in programs]
    if not logs or not programs:
        sys.exit(__doc__)
    rounds, asked = int(os.environ.get("ROUNDS", "5")), os.environ.get("ASK", ".")
    heads = ["log", "what", "goal", *programs, *("%s, times" % p for p in programs[1:]), "M cells/s", "same bytes"]
    print("| %s |\n|%s" % (" | ".join(heads), "---|" * len(heads)))
    with tempfile.TemporaryDirectory(prefix="perflog-bench-") as folder:
        for log in logs:
            for question in QUESTIONS:
                if re.search(asked, question[0]):
                    row(log, question, programs, folder, rounds)


if __name__ == "__main__":
    main()
