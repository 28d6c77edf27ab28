#!/usr/bin/env python3
"""Every block of real logs, packed: the same as before, sample by sample.

    pack_blocks.py [--idle] [--second N] LOG...     PERFLOG and BLOCKS name the programs

Each LOG is copied and packed, with --idle as beside a recording; then the samples of both are listed by tests/tools/blocks, which reads records
of differences in the one and columns in the other, and compared line by line.  With --second, the second reader of logs
(tests/support/read_log.py) compares the first N samples of each, byte for byte.  Prints the processor time of packing by hour of
log, too.  Exit status 1: a sample differs.
"""
import argparse
import itertools
import os
import resource
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.environ.get("PERFLOG", "build/release/perflog")
BLOCKS = os.environ.get("BLOCKS", "build/release/tests/blocks")
READ_LOG = os.path.join(HERE, "../support/read_log.py")


def cpu():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def same_lines(old, new):
    """Samples and seconds from the first to the last; ends the program where both differ."""
    num, times = 0, []
    programs = [subprocess.Popen([BLOCKS, log], stdout=subprocess.PIPE, encoding="ascii") for log in (old, new)]
    for one, other in itertools.zip_longest(*(program.stdout for program in programs)):
        if one != other or one.startswith("lost"):
            sys.exit("%s: sample %d differs:\n%s%s" % (old, num + 1, one, other))
        times = [times[0] if times else one.split()[3], one.split()[3]]
        num += 1
    if any(program.wait() for program in programs):
        sys.exit("%s: cannot be read to its end" % old)
    return num, (int(times[1]) - int(times[0])) / 1e9


def same_bytes(old, new, most):
    readers = []
    with tempfile.TemporaryDirectory(prefix="perflog-pack-blocks-") as top:
        for name, log in (("old", old), ("new", new)):
            os.mkdir(os.path.join(top, name))
            readers.append(subprocess.Popen([sys.executable, READ_LOG, "--raw", os.path.join(top, name), log],
                                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL))
        for reader in readers:
            num = 0
            for line in reader.stdout:
                num += b'"raw"' in line
                if num > most:
                    break
            reader.kill()
            reader.wait()
        for i in range(most):
            blocks = []
            for name in ("old", "new"):
                with open(os.path.join(top, name, "%06d.bin" % i), "rb") as f:
                    blocks.append(f.read())
            if blocks[0] != blocks[1]:
                sys.exit("%s: sample %d differs for the second reader" % (old, i + 1))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--idle", action="store_true")
    parser.add_argument("--second", type=int, default=0, metavar="N")
    parser.add_argument("logs", nargs="+")
    chosen = parser.parse_args()
    total = 0
    for log in chosen.logs:
        with tempfile.TemporaryDirectory(prefix="perflog-pack-blocks-") as folder:
            packed = shutil.copy(log, os.path.join(folder, "packed.plog"))
            before = cpu()
            subprocess.run([PROGRAM, "pack", "-q", *["--idle"] * chosen.idle, packed], check=True)
            took = cpu() - before
            num, seconds = same_lines(log, packed)
            if chosen.second:
                same_bytes(log, packed, min(num, chosen.second))
            total += num
            print("%s: %d samples equal, %d -> %d bytes, %.1f CPU s of packing for %.0f s of log, %.3f ms a sample"
                  % (os.path.basename(log), num, os.path.getsize(log), os.path.getsize(packed), took, seconds,
                     took * 1000 / num), flush=True)
    print("pack_blocks: %d samples equal" % total)


if __name__ == "__main__":
    main()
