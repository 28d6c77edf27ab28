#!/usr/bin/env python3
"""Says of a run of ctest what it did not test, and where its time went.

    summary.py LASTTEST.LOG

Whole tests that were skipped (exit status 77) and cases that a program left out, each with the reason that it
printed; and the tests whose processes computed longest, as one_run.py has the shell count it.
"""
import collections
import re
import sys

DEAREST = 12
ONE = re.compile(r"^\d+/\d+ Test: (?P<name>.*?)\n.*?^-+\n(?P<output>.*?)^<end of output>\n"
                 r"Test time = +(?P<seconds>[\d.]+) sec\n-+\nTest (?P<end>\w+)", re.M | re.S)
# The shell's own processes, which are none, and those it waited for.
TIMES = re.compile(r"^\d+m[\d.]+s \d+m[\d.]+s\n(\d+)m([\d.]+)s (\d+)m([\d.]+)s\n\Z", re.M)
# "OK (skipped=1)" of unittest counts what has been named before.
REASON = re.compile(r"^(?!OK \(|FAILED \().*\bskipped\b.*$", re.M)

Test = collections.namedtuple("Test", "name seconds cpu skipped reasons")


def cpu_of(output):
    times = TIMES.search(output)
    if not times:
        return 0.0
    minutes, seconds, minutes_of_kernel, seconds_of_kernel = map(float, times.groups())
    return 60 * (minutes + minutes_of_kernel) + seconds + seconds_of_kernel


def tests_of(text):
    for one in ONE.finditer(text):
        output = TIMES.sub("", one["output"])
        skipped = one["end"] == "Skipped"
        reasons = REASON.findall(output)
        if skipped and not reasons:
            reasons = output.strip().splitlines()[-1:] or ["no reason given"]
        yield Test(one["name"], float(one["seconds"]), cpu_of(one["output"]), skipped, reasons)


def report(tests):
    missing = [t for t in tests if t.reasons]
    yield "== not tested: %s" % ("" if missing else "nothing was skipped")
    for t in missing:
        for reason in dict.fromkeys(t.reasons):
            yield "%s%s: %s" % (t.name, " (all of it)" if t.skipped else "", reason.strip()[:200])
    yield "== CPU time: %.0f s, in %d tests; most of it:" % (sum(t.cpu for t in tests), len(tests))
    for t in sorted(tests, key=lambda t: -t.cpu)[:DEAREST]:
        yield "%7.1f s, in %6.1f s: %s" % (t.cpu, t.seconds, t.name)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8", errors="replace") as log:
        print("\n".join(report(list(tests_of(log.read())))))
