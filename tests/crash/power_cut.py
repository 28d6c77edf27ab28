#!/usr/bin/env python3
"""What power cuts leave of logs that are being recorded, on ext4, xfs and btrfs.

    python3 tests/crash/power_cut.py [--cuts N] [--build FOLDER] [--seed N] [KERNEL]

A virtual machine (QEMU without KVM) records several logs on disks of its own
and is killed at a random moment; what it had not sent to a disk is lost.  Then
it is started again: every log must be good (zeros are an interruption), no more
than the last 10 seconds may be missing, by the machine's own clock, and
recording goes on into the same logs.  One kind of damage is accepted, and
printed: ext4 may store later blocks of the tail that was not yet synced, and
earlier ones not (format/FORMAT.md, 11.2); recording then begins a new log.  A
log begun in those 10 seconds may have nothing.

KERNEL is a package linux-image-*-cloud-amd64, as a .deb or unpacked; by default
Debian 12's own, which is downloaded.  What a disk's own cache loses is not tried.
Needs qemu-system-x86, busybox-static, kmod, e2fsprogs, xfsprogs, btrfs-progs; a
file system whose mkfs is missing is left out.  20 cuts take 20 minutes or more.
Exit status: 0 all is well, 1 something failed, 77 nothing could be tried.
"""
import argparse
import calendar
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(1, os.path.join(HERE, "../support"))
import guest
from debian_kernels import FOLDER, ROOT, oldest_tree
from guest import Archive, Machine, Skip

SYSTEMS = {"ext4": ("mke2fs", "-q", "-t", "ext4"), "xfs": ("mkfs.xfs", "-q"), "btrfs": ("mkfs.btrfs", "-q")}
DISK = 320 << 20
MODULES = ("virtio_pci", "virtio_blk", "crc32c_generic")
TOOLS = ("sh", "mount", "insmod", "sed", "tail", "cut", "tr", "mkdir", "mv", "sleep", "usleep", "date")
PROMISE = 10  # seconds that may be missing
SLACK = 1     # seconds for the sync itself, on a slow emulator
BOOT = 600
NOTHING = "4"  # status of verify where a log has no record
NICE = 10
INSTANT = r"(\d+-\d+-\d+ \d+:\d+:\d+)(\.\d+)? UTC"


def files_of_guest(a, systems, work):
    files = Archive()
    files.folders("proc", "sys", "dev", "tmp", "disk")
    files.file("init", os.path.join(HERE, "power_cut.sh"))
    files.busybox(*TOOLS)
    files.program(os.path.join(a.build, "perflog"))
    files.end_of_threads()
    for i, path in enumerate(guest.modules(a.tree, MODULES + systems, work)):
        files.file("modules/%03d.ko" % i, path)
    path = os.path.join(work, "files.cpio.gz")
    files.write(path)
    return path


class Target:
    """The machine and its disks."""

    def __init__(self, a, systems, work):
        self.systems, self.console = systems, os.path.join(work, "console")
        self.kernel, self.files = guest.kernel_of(a.tree), files_of_guest(a, systems, work)
        self.disks = []
        for name in systems:
            path = os.path.join(work, name + ".img")
            with open(path, "wb") as f:
                f.truncate(DISK)
            guest.run(*SYSTEMS[name], path)
            self.disks += ["-drive", "file=%s,if=virtio,format=raw,cache=writethrough" % path]

    def cut(self, number, seconds):
        """Boot it, and kill it so many seconds after recording has begun; what it said."""
        arguments = "round=%d systems=%s" % (number, ",".join(self.systems))
        for _ in range(guest.BOOTS):
            with Machine(self.kernel, self.files, self.console, arguments, self.disks, "768M", nice=NICE) as machine:
                text = machine.wait("^MARK", BOOT)
                if "\nMARK" in text:
                    time.sleep(seconds)
            text = machine.said()
            if "\nCLOCK" in text or not guest.DEATHS.search(text):
                break
            print("booted again: the emulator died before any program of ours", flush=True)
        return text


def instant(text):
    """Seconds since 1970 of the first time in a line of verify."""
    found = re.search(INSTANT, text)
    return calendar.timegm(time.strptime(found[1], "%Y-%m-%d %H:%M:%S")) + float(found[2] or 0) if found else 0


def is_hole(log, said, cut_at):
    """Damage that FORMAT.md allows: on ext4, one stretch within what was not yet synced."""
    lost = [line for line in said if ": lost: " in line]
    return (log.startswith("ext4/") and len(lost) == 1 and any("damaged ranges: 1 " in line for line in said)
            and instant(lost[0]) >= cut_at - PROMISE - SLACK)


def judge(text, cut, complaints):
    """Complain about what the last cut has left; when this one came, and which logs were too young to have anything."""
    cut_at, young = cut
    checks = re.findall(r"^CHECK (\S+) (\d+) ?([\d.]*)$", text, re.M)
    marks, clock = re.findall(r"^MARK ([\d.]+)$", text, re.M), re.search(r"^CLOCK (\d+) ([\d.]+)$", text, re.M)
    found, holes = re.findall(r"^FAILED.*", text, re.M), []
    for log, status, last in checks:
        said = re.findall(r"^SAID (/disk/%s.*)$" % re.escape(log), text, re.M)
        if status != "0" and is_hole(log, said, cut_at):
            holes.append("%s: a hole in what was not synced: %s" % (log, said[-1]))
        elif status == NOTHING and log in young:
            holes.append("%s: nothing of it was synced yet" % log)
        elif status != "0":
            found.append("%s: verify ends with %s\n    %s" % (log, status, "\n    ".join(said)))
        if "new" not in log and (not last or cut_at - float(last) > PROMISE + SLACK):
            found.append("%s: %s seconds are missing" % (log, cut_at - float(last) if last else "all"))
    if not marks or not clock or cut_at and not checks:
        found.append("the machine did not start")
    lost = [cut_at - float(last) for _, _, last in checks if last]
    print("%3d logs, at most %5.2f s missing%s" % (len(checks), max(lost, default=0),
                                                  "".join("\n    " + c for c in found + holes)), flush=True)
    complaints += found
    if not marks or not clock:
        return cut
    begun = re.findall(r"^BEGUN (\S+) ([\d.]+)$", text, re.M)
    return (float(marks[-1]) - float(clock[2]) + int(clock[1]),
            {log for log, at in begun if float(marks[-1]) - float(at) <= PROMISE + SLACK})


def arguments():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--cuts", type=int, default=20)
    p.add_argument("--build", default=os.path.join(ROOT, "build", "release"))
    p.add_argument("--seed", type=int, default=int(time.time()))
    p.add_argument("kernel", metavar="KERNEL", nargs="?")
    return p.parse_args()


def tree_of(kernel, work):
    """A folder with all files of the kernel."""
    if not kernel:
        os.makedirs(FOLDER, exist_ok=True)
        return oldest_tree()
    if os.path.isdir(kernel):
        return kernel
    tree = os.path.join(work, "tree")
    subprocess.run(["dpkg-deb", "-x", kernel, tree], check=True)
    return tree


def main():
    a = arguments()
    guest.needs("qemu-system-x86_64", "busybox", "depmod")
    systems = tuple(name for name, mkfs in SYSTEMS.items() if shutil.which(mkfs[0]))
    for name in SYSTEMS:
        if name not in systems:
            print("%s: left out, %s is missing" % (name, SYSTEMS[name][0]))
    print("seed %d" % a.seed)
    chance, complaints, cut = random.Random(a.seed), [], (0, set())
    with tempfile.TemporaryDirectory(prefix="perflog-power-") as work:
        a.tree = tree_of(a.kernel, work)
        target = Target(a, systems, work)
        for number in range(1, a.cuts + 2):  # the last only looks at what is left
            text = target.cut(number, chance.uniform(4, 24) if number <= a.cuts else 0)
            cut = judge(text, cut, complaints)
            if complaints and "did not start" in complaints[-1]:
                print(text[-2000:])
                break
    return 1 if complaints else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Skip as e:
        print("power cuts: skipped: %s" % e)
        sys.exit(77)
