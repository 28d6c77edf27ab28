#!/usr/bin/env python3
"""Kills of perflog pack at random moments: there is always the log, or the packed one, whole.

    pack_kills.py [KILLS | --full]   300 unless told otherwise, 20,000 in full; PERFLOG names the program; SEED: a number

Packing makes the same bytes each time, so what is found after a kill must be the log's bytes or the packed log's.
"""
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PROGRAM = os.environ.get("PERFLOG", "build/release/perflog")
# A log that is packed in milliseconds, for most kills, and one that takes longer: {samples, counters}, share of kills.
SMALL = 100, ("-c", r"\System\*", "-c", r"\Processor(*)\*")
LARGE = 400, ("-c", r"\System\*", "-c", r"\Processor(*)\*", "-c", r"\Process(*)\*")
LARGE_SHARE = 20  # one in so many kills


def read(path):
    with open(path, "rb") as f:
        return f.read()


def perflog(*args):
    subprocess.run([PROGRAM, *args], check=True, stderr=subprocess.DEVNULL)


def kill_all(folder, kills, chance, samples, counters):
    """{what was found after a kill: times}."""
    old, log = os.path.join(folder, "old.plog"), os.path.join(folder, "log.plog")
    perflog("record", "-q", "-i", "10ms", "-n", str(samples), *counters, old)
    shutil.copy(old, log)
    began = time.monotonic()
    perflog("pack", "-q", log)
    takes = time.monotonic() - began
    before, after = read(old), read(log)
    assert len(after) < len(before), "it did not become smaller"
    found = {"log": 0, "packed": 0, "part left": 0}
    while found["log"] + found["packed"] < kills:
        shutil.copy(old, log)
        packer = subprocess.Popen([PROGRAM, "pack", "-q", log], stderr=subprocess.DEVNULL)
        time.sleep(chance.uniform(0, takes * 1.2))
        packer.send_signal(signal.SIGKILL)
        packer.wait()
        is_there = read(log)
        if is_there not in (before, after):
            sys.exit("neither the log nor the packed one is there after a kill: %s" % folder)
        found["log" if is_there == before else "packed"] += 1
        found["part left"] += os.path.exists(log + ".packing")
    shutil.copy(old, log)
    perflog("pack", "-q", log)
    assert read(log) == after, "what a kill left is in the way"
    assert not os.path.exists(log + ".packing"), "what a kill left is still there"
    os.unlink(old)
    return found


def main():
    kills = 20000 if "--full" in sys.argv else int(sys.argv[1]) if len(sys.argv) > 1 else 300
    chance = random.Random(int(os.environ.get("SEED", "1")))
    with tempfile.TemporaryDirectory(prefix="perflog-pack-kills-") as folder:
        large = kill_all(folder, kills // LARGE_SHARE, chance, *LARGE)
        small = kill_all(folder, kills - kills // LARGE_SHARE, chance, *SMALL)
    found = {what: large[what] + small[what] for what in small}
    print("pack_kills: %d kills, 0 lost: %d times the log, %d times the packed one, %d times a part beside it"
          % (kills, found["log"], found["packed"], found["part left"]))


if __name__ == "__main__":
    main()
