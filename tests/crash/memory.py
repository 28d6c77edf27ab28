#!/usr/bin/env python3
"""R7: the Nth allocation of the whole program fails, zstd's and the C library's included, for
every N until the run passes, once and from N on.  Never a crash; a clean line and the documented
exit status, or the same result as ever; what was recorded is readable.

    memory.py [--runs N_PER_COMMAND] [--records N] [--full]
"""
import os
import re
import subprocess

import rig
from rig import PROGRAM, Folder, Tally
import write_blg  # found by rig

args = rig.arguments(runs=(100, 300, 10**6), records=(20, 20, 10**6))
READING = (["export"], ["export", "--every", "1s"], ["export", "--layout", "long", "-c", r"\System\*"], ["list"],
           ["list", "--json"], ["list", "--help-text"], ["list", "--overview"], ["info"], ["verify"], ["dump"],
           ["dump", "--json"], ["stats"])


def run(folder, words, at, times):
    report = folder("report")
    if os.path.exists(report):
        os.unlink(report)
    env = dict(os.environ, LD_PRELOAD=rig.PRELOAD, FAIL="alloc", FAIL_AT=str(at), FAIL_TIMES=str(times),
               FAIL_ERRNO="12", FAIL_REPORT=report)
    p = subprocess.run([PROGRAM, *words], env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=rig.TIMEOUT)
    calls = failed = None
    if os.path.exists(report):
        with open(report) as f:
            calls, failed = map(int, f.read().split())
    return p, calls, failed


def check_recording(t, what, folder, p, wanted):
    """What the summary says was written is in the log, whole."""
    err = p.stderr.decode()
    said = re.search(r": (\d+) samples?(?: in \d+ segments)?, ", err)
    found = sum(rig.count_samples(log) for log in folder.logs())
    if said:
        t.check(found == int(said.group(1)), "%s: %d samples, said %s" % (what, found, said.group(1)))
    if p.returncode == 0:
        t.check(found == wanted, "%s: %d samples, exit 0" % (what, found))
    for log in folder.logs():
        if os.path.getsize(log):
            v = rig.run("verify", log)
            t.check(v.code == 0 or not found, "%s: verify: %r" % (what, v))


def check(t, what, p, clean, same):
    err = p.stderr.decode()
    if not t.check(p.returncode in (0, 1, 2), "%s: exit %d, %r" % (what, p.returncode, err[:200])):
        return
    if p.returncode:
        t.check("perflog: " in err, "%s: exit %d without a word" % (what, p.returncode))
    elif same:
        t.check(p.stdout == clean, "%s: exit 0, but another result" % what)


def sweep(t, name, words, folder, log=None):
    """All positions of one command, once and from there on."""
    for times in 1, 0:
        p, most, _ = run(folder, words, 0, times)
        clean = p.stdout
        assert p.returncode == 0, p
        for log_before in folder.logs() if log else ():
            os.unlink(log_before)
        for at in rig.positions(most + 3, args.records if log else args.runs):
            p, _, failed = run(folder, words, at, times)
            what = "%s, allocation %d%s" % (name, at, "" if times else " and all after it")
            check(t, what, p, clean, not log)
            if log:
                check_recording(t, what, folder, p, 6)
                for one in folder.logs():
                    os.unlink(one)
            t.add("runs")
            t.add("runs without a failure", int(failed == 0))


def save_blg(path):
    """A small log of Performance Monitor's."""
    counters = [write_blg.entry(r"\\pc", "Disk", name, "Depth", 0x00010000) for name in ("0", "1")]
    log = write_blg.Log(zone=write_blg.zone_information())
    log.message(write_blg.LIST, write_blg.START - 10, write_blg.counter_list(*counters))
    for i in range(5):
        log.message(write_blg.SAMPLE, write_blg.START + i * write_blg.SECOND,
                    write_blg.sample(write_blg.item(i), write_blg.item(2 * i)))
    log.save(path)
    return path


def sweep_making(t, folder, *words):
    """A command that makes a log: it is there and whole, or it is not there, and nothing else."""
    made = folder("new.plog")
    words = [*words, "-o", made]
    for times in 1, 0:
        p, most, _ = run(folder, words, 0, times)
        assert p.returncode == 0, p
        wanted = rig.count_samples(made)
        for at in rig.positions(most + 3, args.runs):
            if os.path.exists(made):
                os.unlink(made)
            p, _, failed = run(folder, words, at, times)
            what = "%s, allocation %d%s" % (words[0], at, "" if times else " and all after it")
            check(t, what, p, None, False)
            left = set(os.listdir(folder.path)) - {"report"}
            if left == {"new.plog"}:
                t.check(rig.run("verify", made).code == 0 and rig.count_samples(made) == wanted,
                        "%s: exit %d, not all of it is there" % (what, p.returncode))
            else:
                t.check(not left and p.returncode, "%s: exit %d, there are %r" % (what, p.returncode, left))
            for name in left:
                os.unlink(folder(name))
            t.add("runs")
            t.add("runs without a failure", int(failed == 0))


with Folder() as keep, Folder() as folder:
    log = keep("a.plog")
    assert rig.run("record", "-q", *rig.SYSTEM, "-c", r"\Processor(*)\*", "-i", "10ms", "-n", "70", log).code == 0
    t = Tally("R7", "Nth allocation fails")
    sweep(t, "record", ["record", *rig.SYSTEM, "-c", r"\Process(*)\% Processor Time", "-i", "10ms", "-n", "6",
                        folder("b.plog")], folder, log=True)
    for words in READING:
        sweep(t, " ".join(words), [*words, log], folder)
    blg = save_blg(keep("a.blg"))
    for words in ["info"], ["export", "--layout", "long"]:
        sweep(t, "%s of .blg" % words[0], [*words, blg], folder)
with Folder() as folder, Folder() as keep:
    log = keep("a.plog")
    assert rig.run("record", "-q", *rig.SYSTEM, "-i", "10ms", "-n", "70", log).code == 0
    sweep_making(t, folder, "repair", "-q", log)
    sweep_making(t, folder, "import", "-q", save_blg(keep("a.blg")))
    sweep_making(t, folder, "cut", "-q", log, "--from", "1970-01-02", "-c", r"\System\*")
rig.finish(t)
