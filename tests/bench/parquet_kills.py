#!/usr/bin/env python3
"""parquet_kills.py LOG KILLS: export --parquet of a growing copy of LOG, killed at random.

After each kill every file that has a name is read; at the end the folder holds
the same rows as an export in one run, none twice.  Wants PERFLOG.
"""
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import read_parquet

PROGRAM = os.environ["PERFLOG"]


def rows(folder):
    found = []
    for at, _, names in os.walk(folder):
        for n in names:
            if n.endswith(".parquet"):
                columns, table = read_parquet.rows(os.path.join(at, n))
                order = sorted(range(len(columns)), key=columns.__getitem__)
                found += [(os.path.relpath(at, folder), *(repr((columns[i], r[i])) for i in order if r[i] is not None))
                          for r in table]
    return sorted(found)


def main():
    log, kills = sys.argv[1], int(sys.argv[2])
    with open(log, "rb") as f:
        whole = f.read()
    here = tempfile.mkdtemp()
    copy, out, once = (os.path.join(here, n) for n in ("log.plog", "out", "once"))
    export = [PROGRAM, "export", "-q", "--parquet", "-o"]
    start = time.monotonic()
    subprocess.run([*export, once, log], check=True)
    took, killed = time.monotonic() - start, 0
    size = len(whole) // 4
    for n in range(kills):
        size = min(len(whole), size + random.randrange(2 * len(whole) // kills))
        with open(copy, "wb") as f:
            f.write(whole[:size])
        p = subprocess.Popen([*export, out, copy], stderr=subprocess.DEVNULL)
        time.sleep(random.random() * took)
        p.kill()
        killed += p.wait() < 0
        if n % 50 == 0:
            rows(out)
    with open(copy, "wb") as f:
        f.write(whole)
    subprocess.run([*export, out, copy], check=True)
    got, want = rows(out), rows(once)
    print("%d runs, %d killed, %d rows in %d files, %s" % (
        kills, killed, len(got), sum(len(n) for _, _, n in os.walk(out)), "equal" if got == want else "DIFFERENT"))
    shutil.rmtree(here)
    return got != want


if __name__ == "__main__":
    sys.exit(main())
