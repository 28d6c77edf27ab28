#!/usr/bin/env python3
"""What a packed log takes beside other recorders' compressed files, in one run: packing.py PERFLOG [--seconds N]

All record every second at the same time: perflog's system-wide counters and its default set, sar's (sadc -S XALL), PCP's
(pmlogger -o with the same kernel metrics), atop's.  Then perflog packs its logs, for keeping and as beside a recording, and the
others' files are compressed by zstd -19; what is not installed is left out.  For each: bytes, compressed bytes, bytes a value
where perflog counts them, and the processor time of packing or compressing, a sample.  Every block of the packed logs is compared
with the log's by the second reader of logs.  Then what commands take to read a packed log, beside the log as it was recorded:
the median of ratios of processor time, the two read in turn.
"""
import argparse
import datetime
import json
import os
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import peers

TRIES = 7
READ_LOG = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support/read_log.py")


def contenders(perflog):
    """{name: command, which writes into the file or files that begin with 'out' in its folder}."""
    return {"perflog system-wide": [perflog, "record", "-q", *peers.choice(), "out"],
            "perflog default": [perflog, "record", "-q", "out"],
            **peers.system_wide(), **peers.with_processes()}


def size_of(folder):
    return sum(os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder) if name.startswith("out"))


def timed(command, **options):
    """Its result, and seconds of processor time."""
    def used():
        r = resource.getrusage(resource.RUSAGE_CHILDREN)
        return r.ru_utime + r.ru_stime
    before = used()
    done = subprocess.run(command, stderr=subprocess.PIPE, **options)
    if done.returncode:
        sys.exit("%s: exit status %d: %s" % (command, done.returncode, done.stderr.decode().strip()))
    return done, used() - before


def values_of(perflog, log):
    """Values that an export has of the log: one for each counter of each instance in each sample."""
    with subprocess.Popen([perflog, "export", "-q", "--layout", "long", "-c", r"\*(*)\*", log],
                          stdout=subprocess.PIPE) as export:
        return sum(1 for _ in export.stdout) - 1


def blocks(log):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, READ_LOG, "--raw", folder, log], check=True, stdout=subprocess.DEVNULL)
        found = {}
        for name in os.listdir(folder):
            with open(os.path.join(folder, name), "rb") as f:
                found[name] = f.read()
        return found


def row(name, size, small, cpu, samples, values=0):
    print("%-36s %11d %11d %8s %9.2f" % (name, size, small, "%.3f" % (small / values) if values else "", cpu * 1000 / samples),
          flush=True)


def readings(perflog, log, packed):
    """{command: median of how many times as long it takes of the packed log}."""
    span = json.loads(subprocess.run([perflog, "info", "--json", log], check=True, stdout=subprocess.PIPE).stdout)[0]
    first, last = (datetime.datetime.fromisoformat(span[end].replace("Z", "+00:00")) for end in ("first", "last"))
    middle, third = (first + (last - first) / n for n in (2, 3))
    middle, begin, end = (moment.strftime("%Y-%m-%dT%H:%M:%SZ") for moment in (middle, third, third + (last - first) / 3))
    commands = {"verify": ["verify"], "stats": ["stats"], "default sheet": ["export", "-q"],
                "top --at": ["top", "--at", middle],
                "a third, --from --to": ["export", "-q", "--from", begin, "--to", end]}
    found = {}
    for name, command in commands.items():
        pairs = [[timed([perflog, *command, which], stdout=subprocess.DEVNULL)[1] for which in (packed, log)]
                 for _ in range(TRIES)]
        found[name] = statistics.median(one / other for one, other in pairs)
    return found


def pack(perflog, name, log, samples):
    whole, values = blocks(log), values_of(perflog, log)
    for how, options in ((", kept", []), (", beside a recording", ["--idle"])):
        packed = log + ".packed"
        shutil.copy(log, packed)
        cpu = timed([perflog, "pack", "-q", *options, packed])[1]
        if blocks(packed) != whole:
            sys.exit("%s: packed, its blocks are others" % name)
        row(name + how, os.path.getsize(log), os.path.getsize(packed), cpu, samples, values)
        for command, ratio in readings(perflog, log, packed).items():
            print("    reading: %-23s %31.2f" % (command, ratio), flush=True)
        os.unlink(packed)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("perflog")
    parser.add_argument("--seconds", type=int, default=600)
    chosen = parser.parse_args()
    perflog, seconds = os.path.abspath(chosen.perflog), chosen.seconds
    with tempfile.TemporaryDirectory(prefix="perflog-packing-") as top:
        running = {}
        for name, command in contenders(perflog).items():
            folder = os.path.join(top, name.replace(" ", "-"))
            os.mkdir(folder)
            running[name] = folder, subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL,
                                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(seconds)
        for _, process in running.values():
            process.send_signal(signal.SIGTERM)
        for _, process in running.values():
            process.wait()
        print("%-36s %11s %11s %8s %9s" % ("", "bytes", "small", "a value", "ms/sample"))
        for name, (folder, process) in running.items():
            if not size_of(folder):
                print("%s: did not record; exit status %d" % (name, process.returncode))
                continue
            if name.startswith("perflog"):
                pack(perflog, name, os.path.join(folder, "out"), seconds)
                continue
            done, cpu = timed("cat out* | zstd -19 -c", shell=True, cwd=folder, stdout=subprocess.PIPE)
            row(name + ", zstd -19", size_of(folder), len(done.stdout), cpu, seconds)


if __name__ == "__main__":
    main()
