#!/usr/bin/env python3
"""Is the output of every command the same as that of an earlier program?

  corpus.py make FOLDER   makes a corpus of logs: recorded, of a made-up machine, rotated,
                          cut off, damaged, repaired, imported
  corpus.py sums FOLDER   prints the SHA-256 of what every command and layout says of each

PERFLOG names the program, MAKE_LOG that of tests/tools/make_log.c, PERFLOG_DATA the folder of
other people's recordings.  Before a change that is to leave behaviour as it is, make the
corpus and its sums; afterwards make the sums again and compare:

  corpus.py make corpus && corpus.py sums corpus >before && ... && corpus.py sums corpus | diff before -
"""
import glob
import hashlib
import os
import random
import shutil
import subprocess
import sys

PERFLOG = os.environ.get("PERFLOG", "perflog")
MAKE_LOG = os.environ.get("MAKE_LOG", "make_log")
DATA = os.environ.get("PERFLOG_DATA", "")
OUT = "@"  # stands for a file or folder that the command writes

# What is asked of each log: exit status, standard output and error, and all files written.
QUESTIONS = [
    "info", "info --json", "verify", "list", "list --types", "list --help-text",
    "stats", "stats --csv", "stats --json", "dump", "dump --sample 2",
    "export", "export --no-guard", "export --for excel", "export --for libreoffice",
    "export --decimal-comma", "export --tz Europe/Berlin", "export --every 3s",
    "export --every 3s:max", "export --every 1m", "export -c \\Process(*)\\*",
    "export -c \\Processor(*)\\* -c \\Memory\\*", "export --top 3", "export --top 2 --every 5s",
    "export --layout long", "export --layout long --every 3s", "export --layout pdh",
    "export --layout table -o " + OUT, "export --xlsx -o " + OUT, "report -o " + OUT,
    "repair -o " + OUT, "import -o " + OUT,
    "cut -c \\Memory\\* -o " + OUT, "cut -c \\Process(*)\\* -o " + OUT,
]


def run(arguments, **more):
    return subprocess.run([PERFLOG] + arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False, **more)


def must(arguments):
    done = run(arguments)
    if done.returncode:
        sys.exit("corpus: perflog %s: %s" % (" ".join(arguments), done.stderr.decode()))


def damaged(log, out, seed):
    """A copy of log with bytes flipped, zeros, and a piece missing."""
    with open(log, "rb") as f:
        data = bytearray(f.read())
    chance = random.Random(seed)
    for _ in range(3):
        data[chance.randrange(200, len(data))] ^= 1 << chance.randrange(8)
    at = chance.randrange(200, len(data) - 600)
    data[at:at + 64] = bytes(64)
    at = chance.randrange(200, len(data) - 600)
    del data[at:at + 333]
    with open(out, "wb") as f:
        f.write(data)


def make(folder):
    os.makedirs(folder)
    at = lambda name: os.path.join(folder, name)
    must(["record", "-q", "-i", "200ms", "-n", "20", at("machine.plog")])
    must(["record", "-q", "-i", "300ms", "-n", "8", at("machine.plog")])  # a second session
    must(["record", "-q", "-i", "500ms", "-n", "6", "--all", at("all.plog")])
    must(["record", "-q", "-i", "200ms", "-n", "10", "--processes", "proc", at("proc.plog")])
    os.mkdir(at("rotated"))
    must(["record", "-q", "-i", "100ms", "-n", "40", "--max-size", "64K", at("rotated/r.plog")])
    subprocess.run([MAKE_LOG, at("made.plog"), "samples=400", "processes=40", "churn=3"], check=True)
    with open(at("machine.plog"), "rb") as f:
        data = f.read()
    for number, length in enumerate((len(data) - 5, len(data) // 2, len(data) // 3)):
        with open(at("cut_off%d.plog" % number), "wb") as f:
            f.write(data[:length])
    for number in range(6):
        damaged(at(("machine.plog", "made.plog", "all.plog")[number % 3]),
                at("damaged%d.plog" % number), number)
    for blg in glob.glob(os.path.join(DATA, "**", "*.blg"), recursive=True):
        shutil.copy(blg, folder)
    run(["export", "--layout", "pdh", at("made.plog"), "-o", at("pdh.csv")])


def sum_of(place):
    """The SHA-256 of a file, or of all files of a folder with their names."""
    total = hashlib.sha256()
    files = sorted(os.path.join(parent, name) for parent, _, names in os.walk(place)
                   for name in names) if os.path.isdir(place) else [place]
    for name in files:
        if os.path.exists(name):
            total.update(os.path.relpath(name, place).encode() + b"\0")
            with open(name, "rb") as f:
                total.update(f.read())
    return total.hexdigest()


def sum_of_output(target):
    """As sum_of, but of a log what it says, since its session's id may be random."""
    if target.endswith(".xlsx"):  # it names the moment it was made at
        return "-"
    if not target.endswith(".plog"):
        return sum_of(target)
    said = run(["export", "--layout", "long", target]).stdout + run(["list", "--types", target]).stdout
    return hashlib.sha256(said).hexdigest()


def sums(folder):
    os.chdir(folder)
    out = "../" + os.path.basename(os.getcwd()) + ".out"
    for log in sorted(os.listdir(".")):
        for question in QUESTIONS:
            words = question.split()
            target = os.path.join(out, "book.xlsx" if "--xlsx" in words else "file.plog"
                                  if words[0] in ("repair", "cut", "import") else "out")
            os.makedirs(out)
            said = run(words[:1] + [log] + [target if w == OUT else w for w in words[1:]])
            text = hashlib.sha256(said.stdout + b"\0" + said.stderr).hexdigest()
            print(log, question, said.returncode, text[:32], sum_of_output(target)[:32])
            shutil.rmtree(out)


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in ("make", "sums"):
        sys.exit(__doc__)
    {"make": make, "sums": sums}[sys.argv[1]](sys.argv[2])
