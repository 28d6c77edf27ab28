#!/usr/bin/env python3
"""R12: export, verify and info on a log that a recorder is writing, and export --follow.  What was
in the file before a command began must be in its output; rows are those of the finished log; no word
of damage.  And how long after its deadline a follower shows a sample.

    readers.py [--reads N] [--seed S] [--full]
"""
import json
import random
import signal
import subprocess
import threading
import time

import rig
from rig import PROGRAM, Folder, Tally, count_samples

args = rig.arguments(reads=(60, 60, 10000), seed=(1, 1, 1))
READS_A_LOG = 60
COUNTER = ("-c", r"\System\Processes", "--time", "unix")


def check_export(t, what, log, rows):
    before = count_samples(log)
    r = rig.run("export", *COUNTER, log)
    after = count_samples(log)
    lines = r.out.splitlines()[1:]
    t.check(r.code == 0 and not r.err, "%s: %r" % (what, r))
    t.check(before <= len(lines) <= after + 1, "%s: %d rows of %d to %d" % (what, len(lines), before, after))
    rows.append((what, lines))


def check_verify(t, what, log, rows):
    before = count_samples(log)
    r = rig.run("verify", "--json", log)
    found = json.loads(r.out)
    found = (found[0] if isinstance(found, list) else found)
    samples = found["samples"] if "samples" in found else found["logs"][0]["samples"]
    t.check(r.code == 0 and samples >= before, "%s: %d samples of %d: %r" % (what, samples, before, r))


def check_info(t, what, log, rows):
    before = count_samples(log)
    r = rig.run("info", "--json", log)
    t.check(r.code == 0 and json.loads(r.out)[0]["samples"] >= before, "%s: %d samples, %r" % (what, before, r))


class Follower:
    """Lines of export --follow with the time of their arrival."""

    def __init__(self, log):
        self.lines = []
        self.process = subprocess.Popen([PROGRAM, "export", "--follow", *COUNTER, log], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        self.thread = threading.Thread(target=self.read)
        self.thread.start()

    def read(self):
        for line in self.process.stdout:
            self.lines.append((time.time(), line.rstrip("\n")))

    def end(self):
        self.thread.join(60)
        return self.process.wait(rig.TIMEOUT), self.process.stderr.read()


def one_log(t, follow, reads, delays):
    with Folder() as folder:
        log, rows = folder("a.plog"), []
        recorder = rig.start("record", "-q", "-c", r"\System\*", "-i", "20ms", log)
        try:
            rig.wait_until(lambda: count_samples(log) > 2, "samples")
            follower = Follower(log)
            for i in range(reads):
                check = random.choice([check_export, check_verify, check_info])
                check(t, "%s %d" % (check.__name__[6:], i), log, rows)
                t.add("whole reads")
                time.sleep(random.random() / 30)
        finally:
            recorder.send_signal(signal.SIGINT)
            recorder.communicate(timeout=rig.TIMEOUT)
        code, err = follower.end()
        final = rig.run("export", *COUNTER, log).out.splitlines()[1:]
        for what, lines in rows:
            t.check(lines == final[:len(lines)], "%s: other rows than in the end" % what)
        seen = [line for _, line in follower.lines[1:]]
        follow.check(code == 0 and not err, "exit %d: %s" % (code, err))
        follow.check(seen == final, "%d rows, %d in the end" % (len(seen), len(final)))
        follow.add("rows followed", len(seen))
        # those that were there when it began tell nothing
        delays.extend(at - float(line.split(",")[0]) for at, line in follower.lines[10:])


tally, follow = Tally("R12", "commands beside a writer, seed %d" % args.seed), Tally("R12", "export --follow")
random.seed(args.seed)
delays, left = [], args.reads
while left > 0:
    one_log(tally, follow, min(left, READS_A_LOG), delays)
    left -= READS_A_LOG
delays.sort()
for name, share in ("median", 0.5), ("95 %", 0.95), ("99 %", 0.99):
    follow.counts["ms after its deadline (%s)" % name] = int(delays[int(len(delays) * share)] * 1000)
follow.counts["ms (most)"] = int(delays[-1] * 1000)
follow.check(delays[len(delays) // 2] < 1, "half of the rows are more than a second late")
rig.finish(tally, follow)
