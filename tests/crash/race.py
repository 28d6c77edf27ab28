#!/usr/bin/env python3
"""R13: two recorders, one log.  Either both begin at once, or one holds the log (and is stopped,
so that its file rests): only one records; the other ends with 1, says so, and changes nothing.

    race.py [--races N] [--full]
"""
import concurrent.futures
import os
import signal

import rig
from rig import Folder, Tally

args = rig.arguments(races=(16, 16, 1000))
SAMPLES = 40  # 400 ms: longer than a refused one is patient
WORDS = ("record", "-q", "--sync", "never", *rig.SYSTEM, "-i", "10ms", "-n", str(SAMPLES))


def end(p):
    _, err = p.communicate(timeout=rig.TIMEOUT)
    return p.returncode, err.decode()


def check_log(t, what, log, samples, sessions):
    v = rig.run("verify", log)
    t.check(v.code == 0 and ": good: %d samples in %s\n" % (samples, rig.harness.several(sessions, "session")) in v.out,
            "%s: verify: %r" % (what, v))


def check_refused(t, what, code, err):
    t.check(code == 1 and err.startswith("perflog: ") and err.count("\n") == 1,
            "%s: exit %d, %r" % (what, code, err))


def begin_at_once(t, folder, what):
    """Into a file that is not there, or is: one of them has it."""
    log, sessions = folder("a.plog"), 1
    if int(what.split()[1]) % 2:
        assert rig.run(*WORDS, "-n", "1", log).code == 0
        sessions = 2
    both = [rig.start(*WORDS, log), rig.start(*WORDS, log)]
    ended = sorted((end(p) for p in both), key=lambda e: "another perflog" not in e[1])
    refused, (code, err) = ended
    if all(c in (0, 2) for c, _ in ended):  # one had ended before the other came
        check_log(t, what, log, 2 * SAMPLES + sessions - 1, sessions + 1)
        t.add("one after the other")
        return
    check_refused(t, what, *refused)
    # a disk that is too slow for 100 samples a second is none of our business here
    t.check(code == 0 and not err or code == 2 and "could not be written" in err, "%s: %d, %r" % (what, code, err))
    check_log(t, what, log, SAMPLES + sessions - 1, sessions)


def come_second(t, folder, what):
    log = folder("a.plog")
    holder = rig.start("record", "-q", "--sync", "never", *rig.SYSTEM, "-i", "10ms", log)
    try:
        rig.wait_until(lambda: rig.count_samples(log) > 1, "the first records")
        holder.send_signal(signal.SIGSTOP)
        rig.wait_until(lambda: rig.is_stopped(holder.pid), "it is stopped")
        with open(log, "rb") as f:
            before = f.read()
        check_refused(t, what, *end(rig.start(*WORDS, log)))
        with open(log, "rb") as f:
            t.check(f.read() == before, "%s: the file was changed" % what)
        t.check(os.listdir(folder.path) == ["a.plog"], "%s: another file" % what)
        holder.send_signal(signal.SIGCONT)
        holder.send_signal(signal.SIGINT)
        code, err = end(holder)
        t.check(code in (0, 2), "%s: exit %d, %r" % (what, code, err))
    finally:
        if holder.poll() is None:
            holder.kill()
            holder.communicate()
    t.check(rig.run("verify", log).code == 0, "%s: damaged" % what)


def race(number):
    with Folder() as folder:
        what = "race %d" % number
        (come_second if number % 4 == 3 else begin_at_once)(tally, folder, what)
    tally.add("races")


tally = Tally("R13", "two writers")
with concurrent.futures.ThreadPoolExecutor(4) as pool:
    for done in [pool.submit(race, i) for i in range(args.races)]:
        done.result()
rig.finish(tally)
