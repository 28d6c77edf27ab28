"""What the scripts of the reliability harness share: arguments, one line of result, exit."""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness  # noqa: E402
from harness import PROGRAM, SKIP, SYSTEM, TIMEOUT, count_samples, is_stopped, records, run, wait_until  # noqa: E402,F401

PRELOAD = os.environ.get("PERFLOG_PRELOAD", os.path.join(os.path.dirname(PROGRAM), "tests", "libcrash_preload.so"))


class Tally:
    """Counts by name; a problem is reported in words, the first ones at least."""

    def __init__(self, goal, what):
        self.goal, self.what = goal, what
        self.counts, self.problems, self.words = {}, 0, []

    def add(self, name, n=1):
        self.counts[name] = self.counts.get(name, 0) + n

    def problem(self, words):
        self.problems += 1
        if len(self.words) < 10:
            self.words.append(words)

    def check(self, holds, words):
        if not holds:
            self.problem(words)
        return holds

    def print(self):
        counts = ", ".join("%s %s" % (n, name) for name, n in self.counts.items())
        print("%-4s %-28s %s, %d problems" % (self.goal, self.what, counts, self.problems))
        for words in self.words:
            print("     %s" % words)
        sys.stdout.flush()
        return not self.problems


def arguments(**numbers):
    """--full and the numbers named; each is (in the gate, in run-all.sh full, with --full)."""
    p = argparse.ArgumentParser()
    p.add_argument("--full", action="store_true")
    for name in numbers:
        p.add_argument("--" + name, type=int)
    a = p.parse_args()
    for name, (gate, whole, full) in numbers.items():
        if getattr(a, name) is None:
            setattr(a, name, full if a.full else whole if harness.FULL else gate)
    return a


def skip(why):
    print("skipped: " + why)
    sys.exit(SKIP)


def finish(*tallies):
    sys.exit(0 if all([t.print() for t in tallies]) else 1)


class Folder:
    """An empty folder that is gone at the end of a 'with'."""

    def __enter__(self):
        self.path = tempfile.mkdtemp(prefix="perflog-crash-")
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)

    def __call__(self, *names):
        return os.path.join(self.path, *names)

    def logs(self):
        return sorted(self(n) for n in os.listdir(self.path) if n.endswith(".plog"))


def info(*logs):
    return json.loads(run("info", "--json", *logs).out)


def has(tool):
    return shutil.which(tool) is not None


def positions(most, wanted):
    """1 to 'most', or 'wanted' of them, the early ones all."""
    if most <= wanted:
        return list(range(1, most + 1))
    early = wanted // 2
    step = (most - early) / (wanted - early)
    return list(range(1, early + 1)) + [early + 1 + int((i + 0.5) * step) for i in range(wanted - early)]


def start(*args, **how):
    return subprocess.Popen([PROGRAM, *args], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, **how)
