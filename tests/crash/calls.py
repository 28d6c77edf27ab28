#!/usr/bin/env python3
"""R6: the Nth system call of the real program fails, for every N, once and from N on (strace),
and what it costs when the disk refuses for good.  Recording goes on or ends with the documented
status; what was accepted is readable; nothing spins.

    calls.py [--runs N_PER_CALL_AND_ERROR] [--full]
"""
import os
import re
import subprocess
import sys
import tempfile

import rig
from rig import PROGRAM, Folder, Tally

args = rig.arguments(runs=(1, 1, 10**6))
ONCE, ALWAYS = "", "+"
HWINPUT = os.path.join(os.path.dirname(PROGRAM), "hwinput")

# Call, errors, and whether they may last: a call that is interrupted for ever is tried for ever.
# Not brk: the kernel never fails it with an errno, and the C library does not expect one.
RECORDING = [
    ("write", "ENOSPC EDQUOT EFBIG EIO EAGAIN", ONCE + ALWAYS), ("write", "EINTR", ONCE),
    ("fdatasync", "EIO ENOSPC EDQUOT EINTR", ONCE + ALWAYS),
    ("fsync", "EIO EINVAL", ONCE + ALWAYS),
    ("flock", "ENOLCK EINTR EAGAIN", ONCE + ALWAYS),
    ("openat", "EMFILE ENFILE EACCES ENOENT EINTR ENOMEM ENOSPC EDQUOT", ONCE + ALWAYS),
    ("read", "EIO ESRCH EAGAIN", ONCE + ALWAYS), ("read", "EINTR", ONCE),
    ("pread64", "EIO ESRCH EAGAIN", ONCE + ALWAYS), ("pread64", "EINTR", ONCE),
    ("fstat", "EIO", ONCE + ALWAYS), ("newfstatat", "EIO ENOMEM", ONCE + ALWAYS),
    ("fstatfs", "EIO EINTR", ONCE + ALWAYS),
    ("getdents64", "EIO ENOENT", ONCE + ALWAYS),
    ("mmap", "ENOMEM", ONCE + ALWAYS), ("munmap", "ENOMEM", ONCE),
    ("clone3", "EAGAIN", ONCE), ("getrandom", "EINTR ENOSYS", ONCE + ALWAYS),
    ("clock_nanosleep", "EINTR", ONCE), ("close", "EIO EINTR", ONCE + ALWAYS),
]
# Counters that an application publishes beside it.
PUBLISHED = [
    ("openat", "EMFILE ENOENT EACCES", ONCE + ALWAYS), ("newfstatat", "EIO ENOMEM", ONCE + ALWAYS),
    ("mmap", "ENOMEM EAGAIN", ONCE + ALWAYS), ("munmap", "ENOMEM", ONCE), ("fcntl", "EIO ENOLCK EINTR", ONCE + ALWAYS),
    ("pread64", "EIO", ONCE + ALWAYS), ("getdents64", "EIO", ONCE + ALWAYS), ("fstatfs", "EIO", ONCE + ALWAYS),
]
READING = [
    ("openat", "EMFILE ENFILE ENOENT EACCES EINTR ENOMEM", ONCE + ALWAYS),
    ("pread64", "EIO EAGAIN ENOMEM", ONCE + ALWAYS), ("pread64", "EINTR", ONCE),
    ("read", "EIO EAGAIN", ONCE + ALWAYS), ("read", "EINTR", ONCE), ("fstat", "EIO", ONCE + ALWAYS),
    ("newfstatat", "EIO ENOMEM", ONCE + ALWAYS), ("flock", "ENOLCK EINTR EAGAIN", ONCE + ALWAYS),
    ("write", "ENOSPC EDQUOT EFBIG EIO EPIPE", ONCE + ALWAYS), ("write", "EINTR EAGAIN", ONCE),
    ("mmap", "ENOMEM EAGAIN", ONCE + ALWAYS),
]
# Commands that make a file: it is there and whole, or it is not there.
MAKING = [
    ("openat", "EMFILE EACCES EINTR ENOSPC EDQUOT EROFS", ONCE + ALWAYS), ("pread64", "EIO", ONCE + ALWAYS),
    ("newfstatat", "EIO", ONCE + ALWAYS), ("write", "ENOSPC EDQUOT EFBIG EIO", ONCE + ALWAYS),
    ("write", "EINTR EAGAIN", ONCE), ("fdatasync", "EIO ENOSPC EDQUOT", ONCE + ALWAYS),
    ("fsync", "EIO ENOSPC EDQUOT", ONCE + ALWAYS), ("flock", "ENOLCK EINTR", ONCE + ALWAYS),
    ("link", "EIO ENOSPC EDQUOT EPERM EEXIST", ONCE + ALWAYS), ("rename", "EIO ENOSPC EDQUOT EACCES", ONCE + ALWAYS),
    ("unlink", "EIO EACCES", ONCE + ALWAYS), ("fstatfs", "EIO", ONCE + ALWAYS), ("mmap", "ENOMEM", ONCE + ALWAYS),
]


def strace(folder, words, *how):
    return subprocess.run(["strace", "-f", "-qq", "-o", folder("trace"), *how, PROGRAM, *words],
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=rig.TIMEOUT)


def count_calls(folder, words):
    """Of each call: how many the loader makes, and the most that one thread makes."""
    p = strace(folder, words, "-e", "trace=all")
    if p.returncode:
        rig.skip("strace cannot be used here: %r" % p.stderr[-200:])
    with open(folder("trace"), errors="replace") as f:
        lines = [m.groups() for m in (re.match(r"(\d+) +(\w+)\((.*)", line) for line in f) if m]
    libraries = [i for i, (_, call, rest) in enumerate(lines) if call == "openat" and ".so" in rest]
    end = next(i for i in range(libraries[-1], len(lines)) if lines[i][1] == "munmap")
    first, threads = {}, {}
    for i, (pid, call, _) in enumerate(lines):
        threads[pid, call] = threads.get((pid, call), 0) + 1
        if i <= end:
            first[call] = first.get(call, 0) + 1
    most = {}
    for (_, call), n in threads.items():
        most[call] = max(n, most.get(call, 0))
    return first, most


def cases(folder, words, table, made=None):
    if made and os.path.exists(made):
        os.unlink(made)
    first, most = count_calls(folder, words)
    for call, errors, lasting in table:
        skipped = first.get(call, 0)
        for error in errors.split():
            for n in rig.positions(most.get(call, 0) - skipped, args.runs):
                for plus in [ONCE] + ([ALWAYS] if lasting else []):
                    yield call, "%s:error=%s:when=%d%s" % (call, error, skipped + n, plus)


def check_status(t, what, p, call):
    err = p.stderr.decode(errors="replace")
    if not t.check(p.returncode in (0, 1, 2), "%s: exit %d, %r" % (what, p.returncode, err[-200:])):
        return
    if p.returncode and call != "write":  # else it may be these words that failed
        t.check("perflog: " in err, "%s: exit %d without a word" % (what, p.returncode))


def check_log(t, what, folder, p):
    err = p.stderr.decode(errors="replace")
    said = re.search(r": (\d+) samples?(?: in \d+ segments)?, ", err)
    found = sum(rig.count_samples(log) for log in folder.logs())
    if said:
        t.check(found == int(said.group(1)), "%s: %d samples, said %s" % (what, found, said.group(1)))
    if p.returncode == 0:
        t.check(found and "could not" not in err, "%s: %d samples, exit 0, %r" % (what, found, err[-200:]))
    for log in folder.logs():
        if os.path.getsize(log):
            v = rig.run("verify", log)
            t.check(v.code == 0 or not found, "%s: verify: %r" % (what, v))
            if v.code == 0:
                t.add("samples read", found)


def sweep_recording(t, table, extra=(), chosen=rig.SYSTEM):
    with Folder() as folder:
        # of samples only those written count, so there is a limit of time as well
        words = ["record", *chosen, "-i", "10ms", "-n", "20", "-d", "600ms", "--sync", "50ms", folder("a.plog")]
        for call, fault in cases(folder, words, table):
            for log in folder.logs():
                os.unlink(log)
            how = ["-e", "trace=%s" % call if not extra else "trace=%s,ftruncate" % call,
                   "-e", "inject=" + fault, *extra]
            p = strace(folder, words, *how)
            what = "record, " + " ".join([fault, *extra[1::2]])
            check_status(t, what, p, call)
            check_log(t, what, folder, p)
            t.add("runs")
            t.add("ended with %d" % p.returncode)


def sweep_reading(t):
    with Folder() as folder:
        log = folder("a.plog")
        assert rig.run("record", "-q", *rig.SYSTEM, "-i", "10ms", "-n", "70", log).code == 0
        for name in "export", "info", "verify", "list", "dump", "stats":
            words = [name, log]
            clean = rig.run(*words).raw_out
            for call, fault in cases(folder, words, READING):
                p = strace(folder, words, "-e", "trace=" + call, "-e", "inject=" + fault)
                check_status(t, "%s, %s" % (name, fault), p, call)
                if p.returncode == 0 and "EPIPE" not in fault:
                    t.check(p.stdout == clean, "%s, %s: exit 0, but another result" % (name, fault))
                t.add("runs")
                t.add("ended with %d" % p.returncode)


def sweep_published(t):
    """A recorder that reads what an application publishes; the application counts on."""
    with tempfile.TemporaryDirectory(prefix="perflog-test-", dir="/dev/shm") as regions:
        os.environ["PERFLOG_PROVIDER_DIR"] = regions
        application = subprocess.Popen([HWINPUT, "--simulate", "1:20000:100000000"], stdout=subprocess.DEVNULL)
        try:
            rig.wait_until(lambda: any(name.endswith(".plr") for name in os.listdir(regions)), "it publishes")
            sweep_recording(t, PUBLISHED, chosen=("-c", "Hardware Input", "-c", "Mouse Clicks"))
            t.check(application.poll() is None, "the application has ended")
        finally:
            application.kill()
            application.wait()
            del os.environ["PERFLOG_PROVIDER_DIR"]


def check_made(t, what, p, made, clean):
    """Nothing half made has the name that was asked for."""
    if not os.path.exists(made):
        t.check(p.returncode, "%s: exit 0, and no file" % what)
        return
    with open(made, "rb") as f:
        whole = f.read() == clean if not made.endswith(".plog") else \
            rig.run("verify", made).code == 0 and rig.count_samples(made) == clean
    t.check(whole, "%s: exit %d, and not all of it is there" % (what, p.returncode))


def sweep_making(t):
    with Folder() as keep, Folder() as folder:
        log, made = keep("a.plog"), folder("new.plog")
        assert rig.run("record", "-q", *rig.SYSTEM, "-i", "10ms", "-n", "70", log).code == 0
        sheet = folder("new.csv")
        assert rig.run("export", "-q", log, "-o", sheet).code == 0
        with open(sheet, "rb") as f:
            rows = f.read()
        os.unlink(sheet)
        for words, made, clean in ((["repair", "-q", log, "-o", made], made, 70),
                                   (["cut", "-q", log, "--from", "1970-01-02", "-o", made], made, 70),
                                   (["export", "-q", log, "-o", sheet], sheet, rows)):
            for call, fault in cases(folder, words, MAKING, made):
                if os.path.exists(made):
                    os.unlink(made)
                p = strace(folder, words, "-e", "trace=" + call, "-e", "inject=" + fault)
                what = "%s, %s" % (words[0], fault)
                check_status(t, what, p, call)
                check_made(t, what, p, made, clean)
                left = set(os.listdir(folder.path)) - {os.path.basename(made), "trace"}
                t.check(not left or call == "unlink", "%s: left behind: %r" % (what, left))
                for name in left:
                    os.unlink(folder(name))
                t.add("runs")
                t.add("ended with %d" % p.returncode)


def measure_refusal(t):
    """The disk refuses for good while 100 samples a second come: processor time, by the shim."""
    for call, number, seconds in (("write", 28, 2), ("write", 5, 2), ("fdatasync", 5, 2), ("pread", 5, 2)):
        with Folder() as folder:
            env = dict(os.environ, LD_PRELOAD=rig.PRELOAD, FAIL=call, FAIL_AT="20", FAIL_TIMES="0",
                       FAIL_ERRNO=str(number))
            p = subprocess.run([PROGRAM, "record", *rig.SYSTEM, "-i", "50ms", "-d", "%ds" % seconds, "--sync", "each",
                                folder("a.plog")], env=env, capture_output=True, timeout=rig.TIMEOUT)
            err = p.stderr.decode()
            cpu = re.search(r"([\d.]+) s CPU time", err)
            what = "%s refused with %d" % (call, number)
            if not t.check(cpu and p.returncode in (0, 1, 2), "%s: exit %d, %r" % (what, p.returncode, err)):
                continue
            share = float(cpu.group(1)) / seconds * 100
            t.check(share < 5, "%s: %.1f %% of a processor" % (what, share))
            t.counts["% of a processor at most"] = max(round(share, 2), t.counts.get("% of a processor at most", 0))
            t.add("runs")


if not rig.has("strace"):
    rig.skip("strace is not installed")
recording, torn = Tally("R6", "record, Nth call fails"), Tally("R6", "the same, cannot be cut back")
published, making = Tally("R6", "record published counters"), Tally("R6", "commands that make a file")
reading, idle = Tally("R6", "readers, Nth call fails"), Tally("R6", "no spin while refused")
sweep_recording(recording, RECORDING)
for refusal in "EIO", "EROFS", "EINTR:when=1":
    sweep_recording(torn, [("write", "ENOSPC EIO", ONCE + ALWAYS)], ("-e", "inject=ftruncate:error=" + refusal))
sweep_published(published)
sweep_reading(reading)
sweep_making(making)
measure_refusal(idle)
sys.stdout.flush()
rig.finish(recording, torn, published, reading, making, idle)
