#!/usr/bin/env python3
"""What power cuts leave of logs that are being recorded, on ext4, xfs and btrfs.

    python3 tests/crash/power_cut.py [--cuts N] [--build FOLDER] KERNEL

A virtual machine (QEMU without KVM) records several logs on disks of its own
and is killed at a random moment; what it had not sent to a disk is lost.  Then
it is started again: every log must be good (zeros are an interruption), no more
than the last 10 seconds may be missing, and recording goes on into the same
logs.  KERNEL is a package linux-image-*-cloud-amd64, as a .deb or unpacked.
What a disk's own cache loses is not tried.

Needs qemu-system-x86, busybox-static, kmod, e2fsprogs, xfsprogs, btrfs-progs; a
file system whose mkfs is missing is left out.  20 cuts take 20 minutes or more.
Exit status: 0 all is well, 1 something failed, 77 nothing could be tried.
"""
import argparse
import glob
import lzma
import os
import random
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
QEMU, BUSYBOX = "qemu-system-x86_64", "/bin/busybox"
SYSTEMS = {"ext4": ("mke2fs", "-q", "-t", "ext4"), "xfs": ("mkfs.xfs", "-q"), "btrfs": ("mkfs.btrfs", "-q")}
DISK = 320 << 20
MODULES = ("virtio_pci", "virtio_blk", "crc32c_generic")
TOOLS = ("sh", "mount", "insmod", "sed", "tail", "cut", "tr", "mkdir", "sleep", "usleep", "date")
PROMISE = 10  # seconds that may be missing
SLACK = 2     # seconds between marks, on a slow emulator
BOOT = 300


class Skip(Exception):
    """Nothing can be tried here."""


# ---- the guest's files --------------------------------------------------------
class Archive:
    """A cpio archive of the kind that kernels unpack (buffer-format.rst: newc)."""

    def __init__(self):
        self.bytes, self.names = bytearray(), set()

    def add(self, name, mode, data=b""):
        if name in self.names:
            return
        self.names.add(name)
        if "/" in name:
            self.add(name.rpartition("/")[0], stat.S_IFDIR | 0o755)
        raw = name.encode() + b"\0"
        numbers = (len(self.names), mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(raw), 0)
        self.bytes += b"070701" + b"".join(b"%08X" % n for n in numbers) + raw
        self.bytes += bytes(-len(self.bytes) % 4)
        self.bytes += data + bytes(-len(data) % 4)

    def file(self, name, path):
        with (lzma.open(path) if path.endswith(".xz") else open(path, "rb")) as f:
            self.add(name, stat.S_IFREG | 0o755, f.read())


def libraries(program):
    done = subprocess.run(["ldd", program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return re.findall(r"(/\S+\.so\S*)", done.stdout.decode())


def modules(tree, wanted, work):
    """Paths of the modules and what they need, in the order in which they are loaded."""
    folder = next(iter(glob.glob(tree + "/lib/modules/*") + glob.glob(tree + "/usr/lib/modules/*")), None)
    if not folder:
        raise Skip("%s has no modules" % tree)
    base = os.path.join(work, "modules", "lib", "modules")
    os.makedirs(base)
    copy = os.path.join(base, os.path.basename(folder))
    shutil.copytree(folder, copy, symlinks=True)
    subprocess.run(["depmod", "-b", os.path.join(work, "modules"), os.path.basename(folder)], check=True,
                   stderr=subprocess.DEVNULL)
    needs, paths = {}, []
    with open(os.path.join(copy, "modules.dep"), encoding="utf-8") as f:
        for line in f:
            name, _, others = line.partition(":")
            needs[os.path.basename(name).partition(".")[0].replace("-", "_")] = [name] + others.split()
    for name in wanted:
        for path in reversed(needs.get(name, [])):  # none: it is built in
            if path not in paths:
                paths.append(path)
    return [os.path.join(copy, path) for path in paths]


def files_of_guest(a, systems, work):
    guest = Archive()
    for name in ("proc", "sys", "dev", "tmp", "disk"):
        guest.add(name, stat.S_IFDIR | 0o755)
    guest.file("init", os.path.join(HERE, "power_cut.sh"))
    guest.file("bin/busybox", BUSYBOX)
    for name in TOOLS:
        guest.add("bin/" + name, stat.S_IFLNK | 0o777, b"busybox")
    program = os.path.join(a.build, "perflog")
    guest.file("bin/perflog", program)
    for path in libraries(program):
        guest.file(path.lstrip("/"), path)
    # glibc loads this by name when a thread ends.
    libgcc = subprocess.check_output(["gcc", "-print-file-name=libgcc_s.so.1"]).decode().strip()
    where = subprocess.check_output(["gcc", "-print-multiarch"]).decode().strip()
    guest.file("lib/%s/libgcc_s.so.1" % where, libgcc)
    for i, path in enumerate(modules(a.tree, MODULES + systems, work)):
        guest.file("modules/%03d.ko" % i, path)
    guest.add("TRAILER!!!", 0)
    path = os.path.join(work, "files.cpio")
    with open(path, "wb") as f:
        f.write(guest.bytes)
    return path


# ---- cuts ----------------------------------------------------------------------
class Machine:
    def __init__(self, a, systems, work):
        self.work, self.systems = work, systems
        self.kernel = next(iter(glob.glob(a.tree + "/**/vmlinuz*", recursive=True)), None)
        if not self.kernel:
            raise Skip("%s has no kernel" % a.tree)
        self.files = files_of_guest(a, systems, work)
        self.disks = []
        for name in systems:
            path = os.path.join(work, name + ".img")
            with open(path, "wb") as f:
                f.truncate(DISK)
            subprocess.run([*SYSTEMS[name], path], check=True, stdout=subprocess.DEVNULL)
            self.disks += ["-drive", "file=%s,if=virtio,format=raw,cache=writethrough" % path]

    def run(self, number, seconds):
        """Boot it, and kill it so many seconds after recording has begun; what it said."""
        console = os.path.join(self.work, "console-%d" % number)
        arguments = "console=ttyS0 quiet panic=1 round=%d systems=%s" % (number, ",".join(self.systems))
        qemu = subprocess.Popen(
            [QEMU, "-machine", "q35,accel=tcg", "-cpu", "max,la57=off", "-smp", "2", "-m", "768M", "-nographic",
             "-no-reboot", "-nodefaults", "-serial", "file:" + console, "-kernel", self.kernel, "-initrd", self.files,
             "-append", arguments, *self.disks], stdin=subprocess.DEVNULL)
        try:
            until = time.monotonic() + BOOT
            while "\nMARK" not in self.said(console) and qemu.poll() is None and time.monotonic() < until:
                time.sleep(0.2)
            time.sleep(seconds)
        finally:
            qemu.kill()
            qemu.wait()
        return self.said(console)

    @staticmethod
    def said(console):
        try:
            with open(console, encoding="utf-8", errors="replace") as f:
                return f.read().replace("\r", "")
        except FileNotFoundError:
            return ""


def judge(text, cut_at, complaints):
    """Complain about what the last cut has left; when it came, by the guest's clock."""
    checks = re.findall(r"^CHECK (\S+) (\d+) ?([\d.]*)$", text, re.M)
    marks = re.findall(r"^MARK (\d+)$", text, re.M)
    found = re.findall(r"^FAILED.*", text, re.M)
    for log, status, last in checks:
        if status != "0":
            found.append("%s: verify ends with %s" % (log, status))
        if "new" not in log and (not last or cut_at - float(last) > PROMISE + SLACK):
            found.append("%s: %s seconds are missing" % (log, cut_at - float(last) if last else "all"))
    if not marks or cut_at and not checks:
        found.append("the machine did not start")
    lost = [cut_at - float(last) for _, _, last in checks if last]
    print("%3d logs, at most %5.2f s missing%s" % (len(checks), max(lost, default=0),
                                                    "".join("\n    " + c for c in found)), flush=True)
    complaints += found
    return int(marks[-1]) if marks else cut_at


def arguments():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--cuts", type=int, default=20)
    p.add_argument("--build", default=os.path.join(ROOT, "build", "release"))
    p.add_argument("--seed", type=int, default=int(time.time()))
    p.add_argument("kernel", metavar="KERNEL")
    return p.parse_args()


def main():
    a = arguments()
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    for program in (QEMU, BUSYBOX, "depmod"):
        if not shutil.which(program):
            raise Skip("%s is missing" % program)
    systems = tuple(name for name, mkfs in SYSTEMS.items() if shutil.which(mkfs[0]))
    for name in SYSTEMS:
        if name not in systems:
            print("%s: left out, %s is missing" % (name, SYSTEMS[name][0]))
    print("seed %d" % a.seed)
    chance, complaints, cut_at = random.Random(a.seed), [], 0
    with tempfile.TemporaryDirectory(prefix="perflog-power-") as work:
        a.tree = a.kernel
        if os.path.isfile(a.kernel):
            a.tree = os.path.join(work, "tree")
            subprocess.run(["dpkg-deb", "-x", a.kernel, a.tree], check=True)
        machine = Machine(a, systems, work)
        for number in range(1, a.cuts + 2):  # the last only looks at what is left
            text = machine.run(number, chance.uniform(4, 24) if number <= a.cuts else 0)
            cut_at = judge(text, cut_at, complaints)
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
