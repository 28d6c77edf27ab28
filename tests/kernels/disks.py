"""Whether totals of disks count each byte once, and swap is as the kernel counts it, where devices lie on devices.

    python3 tests/kernels/disks.py [--build FOLDER]

A virtual machine (QEMU without KVM) with LVM striped over two disks, dm-crypt on a third, a file system in a file
(loop), and swap in another file.  perflog records while files are written and read, and memory is swapped.  When all is
quiet the kernel's own counts are kept, and here they are compared with the first and the last sample, and
_Total with the sum over the disks, in every row.  What the guest wrote is in build/kernels/disks.txt.

Needs qemu-system-x86, busybox-static, kmod, lvm2, dmsetup, e2fsprogs, and apt-get for a kernel; not root.  Takes two
minutes.  Exit status: 0 all is well, 1 something failed, 77 nothing could be tried.
"""
import argparse
import csv
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
SUPPORT = os.path.join(HERE, "../support")
sys.path.insert(1, SUPPORT)
import guest
from debian_kernels import FOLDER, ROOT, oldest_tree
from guest import Archive, Skip

GUEST_TIME = 900
NICE = 10
MODULES = ("virtio_pci", "virtio_blk", "crc32c_generic", "dm_mod", "dm_crypt", "xts", "ecb", "cbc", "aesni_intel",
           "loop", "ext4")
TOOLS = ("sh", "mount", "insmod", "sed", "grep", "cat", "cmp", "mkdir", "sleep", "sync", "dd", "losetup", "mkswap",
         "swapon", "tar")
PROGRAMS = ("lvm", "dmsetup", "mke2fs")
SIZES = (160, 160, 320, 32)  # MiB; of the last, what comes back
DISKS = ("vda", "vdb", "vdc")
STACKED = ("dm-0", "dm-1", "loop0", "loop1")
MOUNTS = ("/mnt/lvm", "/mnt/crypt")
SECTOR, KIB = 512, 1024
# Counters that a total adds, and where /proc/diskstats has them: column, unit.
COUNTED = {"Disk Reads/sec": (3, 1), "Disk Read Bytes/sec": (5, SECTOR),
           "Disk Writes/sec": (7, 1), "Disk Write Bytes/sec": (9, SECTOR)}


def files_of_guest(build, tree, work):
    files = Archive()
    files.folders("proc", "sys", "dev", "tmp", "mnt", "run", "etc")
    files.file("init", os.path.join(HERE, "disks.sh"))
    files.busybox(*TOOLS)
    files.program(os.path.join(build, "perflog"))
    for name in PROGRAMS:
        files.program(shutil.which(name), name)
    files.end_of_threads()
    for i, path in enumerate(guest.modules(tree, MODULES, work)):
        files.file("modules/%03d.ko" % i, path)
    path = os.path.join(work, "files.cpio.gz")
    files.write(path)
    return path


def run_guest(build, tree, work):
    """The folder of what the guest has packed."""
    qemu = []
    for i, size in enumerate(SIZES):
        path = os.path.join(work, "disk-%d.img" % i)
        with open(path, "wb") as f:
            f.truncate(size << 20)
        qemu += ["-drive", "file=%s,if=virtio,format=raw,cache=unsafe" % path]
    text, _ = guest.boot("^END", GUEST_TIME, "^READY", guest.kernel_of(tree), files_of_guest(build, tree, work),
                         os.path.join(FOLDER, "disks.txt"), qemu=qemu, memory="384M", nice=NICE)
    if "\nEND" not in text or re.search("^FAILED", text, re.M):
        sys.exit("disks: the guest failed:\n" + text[-2000:])
    with tarfile.open(path) as packed:
        packed.extractall(work)
    return os.path.join(work, "out")


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as f:
        return f.read()


def kernel_counts(folder):
    """{(object, instance, counter): number} of what the kernel counted."""
    found = {}
    for line in read(folder, "diskstats").splitlines():
        words = line.split()
        for counter, (column, unit) in COUNTED.items():
            found["PhysicalDisk", words[2], counter] = int(words[column]) * unit
    for line in read(folder, "vmstat").splitlines():
        name, number = line.split()
        found["Virtual Memory", "", "Swap Pages %s/sec" % {"pswpin": "In", "pswpout": "Out"}[name]] = int(number)
    path, _, size, used, _ = read(folder, "swaps").splitlines()[1].split()
    found["Paging File", path, "Size Bytes"] = found["Memory", "", "Swap Total Bytes"] = int(size) * KIB
    found["Paging File", path, "Used Bytes"] = found["Memory", "", "Swap Used Bytes"] = int(used) * KIB
    return found


def samples(log):
    """Raw values of every sample, by another reader of the format."""
    out = subprocess.run([sys.executable, os.path.join(SUPPORT, "read_log.py"), "--values", log], check=True,
                         stdout=subprocess.PIPE, universal_newlines=True).stdout
    for record in map(json.loads, out.splitlines()):
        if record["type"] == "SMPL":
            yield {(obj, instance or "", counter): raw for obj, _, instance, counter, _, raw in record["values"]}


def rows(perflog, log, obj):
    """{time: {(instance, counter): value}} of what is counted, as perflog shows it."""
    out = subprocess.run([perflog, "export", "-q", "--layout", "long", "-c", r"\%s(*)\*" % obj, log], check=True,
                         stdout=subprocess.PIPE, universal_newlines=True).stdout
    found = {}
    for when, _, _, instance, counter, value, *_ in list(csv.reader(io.StringIO(out)))[1:]:
        if value and counter in COUNTED:
            found.setdefault(when, {})[instance, counter] = float(value)
    return found


class Comparison:
    def __init__(self):
        self.good, self.bad = 0, 0

    def __call__(self, what, ours, theirs):
        same = ours is not None and abs(ours - theirs) <= 1e-9 * max(abs(ours), abs(theirs))
        self.good, self.bad = self.good + same, self.bad + (not same)
        print("%-60s %16s %16s%s" % (what, ours, theirs, "" if same else "  DIFFERS"))


def compare_raw(compare, before, after, log):
    """The first and the last sample, and what the kernel counted when they were taken."""
    taken = list(samples(log))
    for key, number in sorted(after.items()):
        if key[0] != "PhysicalDisk" or key[1] in DISKS + STACKED:
            compare("first " + "\\".join(key), taken[0].get(key), before[key])
            compare("last " + "\\".join(key), taken[-1].get(key), number)


def compare_totals(compare, perflog, log, obj, members):
    """Over all rows: what _Total has of a counter, and the members together."""
    shown = rows(perflog, log, obj)
    for counter in COUNTED:
        total = [row["_Total", counter] for row in shown.values() if ("_Total", counter) in row]
        parts = [sum(row[m, counter] for m in members) for row in shown.values() if ("_Total", counter) in row]
        wrong = [(t, p) for t, p in zip(total, parts) if abs(t - p) > 1e-9 * max(t, p)]
        compare("%s(_Total)\\%s, %d rows, %d differ" % (obj, counter, len(total), len(wrong)), sum(total), sum(parts))
        compare.bad += bool(wrong) or not any(total)


def arguments():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--build", default=os.path.join(ROOT, "build", "release"))
    return p.parse_args()


def main():
    a = arguments()
    guest.needs("qemu-system-x86_64", "busybox", "depmod", *PROGRAMS)
    perflog = os.path.join(a.build, "perflog")
    if not os.path.exists(perflog):
        raise Skip("%s is missing: build it first" % perflog)
    os.makedirs(FOLDER, exist_ok=True)
    compare = Comparison()
    with tempfile.TemporaryDirectory(prefix="perflog-disks-") as work:
        out = run_guest(a.build, oldest_tree(), work)
        log = os.path.join(out, "a.plog")
        before, after = kernel_counts(os.path.join(out, "before")), kernel_counts(os.path.join(out, "after"))
        compare_raw(compare, before, after, log)
        compare_totals(compare, perflog, log, "PhysicalDisk", DISKS)
        compare_totals(compare, perflog, log, "LogicalDisk", MOUNTS)
        swapped = after["Virtual Memory", "", "Swap Pages Out/sec"] - before["Virtual Memory", "", "Swap Pages Out/sec"]
        compare.bad += swapped <= 0
        print("%d pages went to swap; %d comparisons good, %d not" % (swapped, compare.good, compare.bad))
    return 1 if compare.bad else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Skip as e:
        print("disks: skipped: %s" % e)
        sys.exit(77)
