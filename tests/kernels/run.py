"""Whether perflog is right on other kernels: boots Debian's in virtual machines.

    python3 tests/kernels/run.py [--short] [--build FOLDER] [--jobs N] [PACKAGE...]
    python3 tests/kernels/run.py --arch arm64 --sysroot FOLDER --build FOLDER [PACKAGE...]

Without a PACKAGE: the newest package of every series that Debian's suites have,
from 6.1 on; with --short Debian 12's own, which has least of what a change of ours
may use, and, where PERFLOG_TEST_FULL is set, the newest of all.
Each kernel is downloaded once, to build/kernels, not installed, and booted by
QEMU without KVM, with a file system in memory that holds nothing but what `init`
beside this file runs.  The status of its steps goes into a table; what a guest
wrote is in build/kernels/NAME.txt:

    boot      the kernel starts
    bpf       both programs that read processes load: the tasks' and the ends'
    ends      nothing that only processes' ends give is missing
    ways      both ways of reading processes agree (test_linux_ways)
    count     a pid namespace's processes are counted by BPF (test_head_count)
    record    all objects are recorded
    auto      without being asked, processes are read by BPF
    exits     processes that lived between two samples are in the log, with command line
    verify, export   the log is good and can be shown
    lockdown  locked down, BPF is refused for that reason, and /proc is read

Another architecture needs a build for it and a root file system to take its
libraries from (tests/cross/all.sh makes both).  Needs qemu-system-x86 or
qemu-system-arm, and apt-get with Debian's keys; not root.  MIRROR names another
mirror.  Exit status: 0 all is well, 1 something failed, 77 nothing could be tried.
"""
import argparse
import concurrent.futures
import os
import re
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(1, os.path.join(HERE, "../support"))
import guest
from debian_kernels import FOLDER, ROOT, Apt, choose
from guest import MACHINES, Archive, Skip
from harness import FULL

SKIP = 77
GUEST_TIME = 900
STEPS = ("boot", "bpf", "ends", "ways", "count", "record", "auto", "exits", "verify", "export", "lockdown")
PROGRAMS = ("perflog", "tests/test_linux_ways", "tests/test_head_count")
# Not busybox: what it starts is called "exe" for a moment, which a test sees.
TOOLS = {"sh": "bin/dash", "mount": "bin/mount", "sleep": "bin/sleep", "brief": "bin/sleep"}
NICE = 10  # of guests, unless it is the gate that waits for them


def files_of_guest(a, path):
    files = Archive()
    files.folders("proc", "sys", "dev", "tmp")
    files.file("init", os.path.join(HERE, "init"))
    for name, tool in TOOLS.items():
        add_program(files, a.sysroot, os.path.join(a.sysroot or "/", tool), name)
    for name in PROGRAMS:
        add_program(files, a.sysroot, os.path.join(a.build, name), os.path.basename(name))
    files.end_of_threads(a.sysroot)
    files.write(path)


def add_program(files, sysroot, path, name):
    """Of another architecture: all its libraries, as ldd cannot tell."""
    if not sysroot:
        files.program(path, name)
        return
    files.file("bin/" + name, path)
    for library in guest.libraries_of(sysroot, path):
        files.file(library, os.path.join(sysroot, library))


def boot(name, kernel, files, a):
    """{step: status}, seconds, boots."""
    console = os.path.join(FOLDER, name + ".txt")
    began = time.monotonic()
    # The kernel hands on to init what it does not know.
    text, boots = guest.boot("^END", GUEST_TIME, "^STEP boot", kernel, files, console,
                             "rounds=%d" % (1 if a.short else 3), arch=a.arch, nice=a.nice)
    return dict(re.findall(r"^STEP (\w+) (\d+)", text, re.M)), time.monotonic() - began, boots


def show(name, said, seconds, boots):
    cells = ["good" if said.get(s) == "0" else said.get(s, "-") for s in STEPS]
    print("%-28s" % name + "".join("%-9s" % c for c in cells) + "%5.0f s" % seconds +
          ("  booted %d times" % boots if boots > 1 else ""), flush=True)


def arguments():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--short", action="store_true", help="only the oldest, and in full the newest")
    p.add_argument("--build", default=os.path.join(ROOT, "build", "release"))
    p.add_argument("--arch", choices=MACHINES, default="amd64")
    p.add_argument("--sysroot", help="root file system of another architecture")
    p.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="guests at a time")
    p.add_argument("--nice", type=int, help="level of the guests (%d; with --short 0)" % NICE)
    p.add_argument("packages", nargs="*", metavar="PACKAGE")
    a = p.parse_args()
    if a.nice is None:
        a.nice = 0 if a.short else NICE
    return a


def look_for_needed(a):
    guest.needs(MACHINES[a.arch][0][0], "apt-get", "dpkg-deb")
    for program in PROGRAMS:
        if not os.path.exists(os.path.join(a.build, program)):
            raise Skip("%s has no %s: build it first" % (a.build, program))
    with open(os.path.join(a.build, "perflog"), "rb") as f:
        if b"this build has no BPF" in f.read():
            raise Skip("this build has no BPF")


def kernels_to_try(a):
    apt = Apt(a.arch)
    apt.update()
    kernels = []
    chosen = [[p] for p in a.packages] or choose(apt.kernels(), a.short)
    if a.short and not FULL:
        chosen = chosen[:1]
    for names in chosen:
        kernel = next(filter(None, map(apt.fetch, names)), None)
        if not kernel:
            raise Skip("%s has no kernel" % names[0])
        kernels.append(kernel)
    return kernels


def main():
    a = arguments()
    look_for_needed(a)
    kernels = kernels_to_try(a)
    files = os.path.join(FOLDER, "files-%s.cpio.gz" % a.arch)
    files_of_guest(a, files)
    print("%-28s" % "kernel" + "".join("%-9s" % s for s in STEPS), flush=True)
    good = True
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        def one(kernel):
            return boot(os.path.basename(kernel), kernel, files, a)
        for kernel, (said, *rest) in zip(kernels, pool.map(one, kernels)):
            show(re.sub("^linux-(image|binary)-", "", os.path.basename(kernel)), said, *rest)
            good &= all(said.get(s) == "0" for s in STEPS)
    if not good:
        print("what the guests wrote: %s" % os.path.join(FOLDER, "*.txt"))
    return 0 if good else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Skip as e:
        print("kernels: skipped: %s" % e)
        sys.exit(SKIP)
