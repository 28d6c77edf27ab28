#!/usr/bin/env python3
"""R8: a file system that is really full.  Recording into a small tmpfs (in full: ext4 on a loop
device too) while ballast fills it and goes away again, with the space guard and without.

    full_disk.py [--rounds N] [--full]
"""
import os
import signal
import struct
import subprocess
import sys
import time

import rig
from rig import Folder, Tally, records

args = rig.arguments(rounds=(1, 1, 5))
INTERVAL = 0.02
INTERVAL_NS = 20_000_000
HEADER = 72  # bytes of a record before its payload
MIB = 1 << 20
LOOK_AGAIN = 1.0  # while there is room, the guard looks once a second


def mount(kind, folder, size):
    where = folder("disk")
    os.mkdir(where)
    if kind == "tmpfs":
        words = [["mount", "-t", "tmpfs", "-o", "size=%d" % size, "none", where]]
    else:
        words = [["truncate", "-s", str(size), folder("image")], ["mkfs.ext4", "-q", "-F", "-m", "0", folder("image")],
                 ["mount", "-o", "loop", folder("image"), where]]
    for w in words:
        try:
            subprocess.run(w, check=True, capture_output=True)
        except (FileNotFoundError, subprocess.CalledProcessError):
            return None
    return where


def free(where):
    v = os.statvfs(where)
    return v.f_bavail * v.f_frsize


def put_ballast(where, leave):
    """Fill up to the last 'leave' bytes."""
    with open(os.path.join(where, "ballast"), "wb", buffering=0) as f:
        n = free(where) - leave
        while n > 0:
            try:
                n -= f.write(b"\0" * min(n, 65536))
            except OSError:
                return


def is_whole(log):
    found = records(log)
    return bool(found) and found[-1][1] + found[-1][2] == os.path.getsize(log)


def size_rests(log, seconds):
    size, since = os.path.getsize(log), time.monotonic()
    while time.monotonic() - since < seconds:
        time.sleep(0.02)
        if os.path.getsize(log) != size:
            return False
    return True


def first_since(log, when):
    """When the first sample after 'when' was taken; None: there is none."""
    return next((utc / 1e9 for kind, _, _, utc in records(log) if kind == "SMPL" and utc / 1e9 > when), None)


def one_round(t, what, where, log, wait):
    """Fill the disk, see the log rest on a whole record, free it, see it go on."""
    put_ballast(where, 40 << 10 if not wait else 0)
    rig.wait_until(lambda: size_rests(log, 0.5 + wait), "the disk is full")
    t.check(is_whole(log), "%s: the log does not end on a whole record" % what)
    v = rig.run("verify", log)
    t.check(v.code == 0, "%s: verify while full: %r" % (what, v))
    os.unlink(os.path.join(where, "ballast"))
    freed = time.time()
    rig.wait_until(lambda: first_since(log, freed), "recording goes on")
    late = first_since(log, freed) - freed
    t.counts["ms until it went on, at most"] = max(int(late * 1000), t.counts.get("ms until it went on, at most", 0))
    t.check(late < INTERVAL + 10, "%s: went on after %.3f s" % (what, late))
    t.add("times full")


def missed_deadlines(log):
    """Of each record of missing samples, when the first and when the last of them was due, in ns (FORMAT.md, section 8)."""
    with open(log, "rb") as f:
        data = f.read()
    return [ns for kind, at, _, _ in records(log) if kind == "gaps" for ns in struct.unpack_from("<qq", data, at + HEADER)]


def check_sums(t, what, log, code, err):
    """Every deadline, a multiple of the interval, is a sample or was reported as lost; also those before and after all samples."""
    t.check(code == 2, "%s: exit %d: %s" % (what, code, err))
    i = rig.info(log)[0]
    times = [utc for kind, _, _, utc in records(log) if kind == "SMPL"]
    due = [ns // INTERVAL_NS for ns in times + missed_deadlines(log)]
    deadlines = max(due) - min(due) + 1
    t.check(abs(i["samples"] + i["missed"] - deadlines) <= 1,
            "%s: %d samples, %d missed, %d deadlines" % (what, i["samples"], i["missed"], deadlines))
    t.check(len(times) == i["samples"], "%s: %d samples, %d by info" % (what, len(times), i["samples"]))
    t.add("samples", i["samples"])
    t.add("reported as lost", i["missed"])


def try_disk(t, kind, size, guard):
    with Folder() as folder:
        where = mount(kind, folder, size)
        if not where:
            return False
        what = "%s, %s" % (kind, "5 % to be left free" if guard else "no guard")
        log = os.path.join(where, "a.plog")
        p = rig.start("record", "-c", r"\System\*", "-c", r"\Processor(*)\*", "-i", "20ms",
                      *([] if guard else ["--min-free", "0"]), log)
        try:
            rig.wait_until(lambda: os.path.exists(log) and rig.count_samples(log) > 5, "samples")
            for _ in range(args.rounds):
                one_round(t, what, where, log, LOOK_AGAIN if guard else 0)
            p.send_signal(signal.SIGINT)
            _, err = p.communicate(timeout=rig.TIMEOUT)
            check_sums(t, what, log, p.returncode, err.decode())
        finally:
            if p.poll() is None:
                p.kill()
                p.communicate()
            subprocess.run(["umount", where], capture_output=True)
    return True


if os.geteuid() and "PERFLOG_UNSHARED" not in os.environ:  # a user may mount in a world of his own
    if subprocess.run(["unshare", "-rm", "true"], capture_output=True).returncode:
        rig.skip("no right to mount anything")
    os.environ["PERFLOG_UNSHARED"] = "1"
    os.execvp("unshare", ["unshare", "-rm", sys.executable, *sys.argv])
tallies = []
for kind in ("tmpfs", "ext4") if args.full else ("tmpfs",):
    for guard in False, True:
        tally = Tally("R8", "%s full, %s" % (kind, "guard" if guard else "no guard"))
        if try_disk(tally, kind, 64 * MIB if args.full else 4 * MIB, guard):
            tallies.append(tally)
        else:
            print("open: R8 on %s: it cannot be mounted here" % kind)
if not tallies:
    rig.skip("no right to mount anything")
rig.finish(*tallies)
