"""Files of small virtual machines, and the machines: QEMU without KVM, a file system in memory.

What runs in them is a script as the first process, with nothing but the programs that it is given.
"""
import glob
import gzip
import lzma
import os
import re
import shutil
import stat
import subprocess
import sys
import time

# How the emulator dies: of the kernel's patching of itself, and of a timer that a busy machine holds up.
DEATHS = re.compile(r"^.*(?:int3: 0000 \[#1\]|timer doesn't work).*$", re.M)
BOOTS = 3  # of a guest whose emulator dies
DOTS = 80
QUIET = "console=%s quiet panic=-1 mitigations=off nokaslr no_timer_check %s"


class Skip(Exception):
    """Nothing can be tried here."""


def run(*args, **how):
    done = subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **how)
    if done.returncode:
        raise Skip("%s: %s" % (args[0], done.stderr.decode(errors="replace").strip()[-400:]))
    return done.stdout


def needs(*programs):
    """Raise Skip unless all of these are installed."""
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    for program in programs:
        if not shutil.which(program):
            raise Skip("%s is missing (sh tests/gate/packages.sh tests)" % program)


# ---- files --------------------------------------------------------------------

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

    def folders(self, *names):
        for name in names:
            self.add(name, stat.S_IFDIR | 0o755)

    def file(self, name, path):
        with (lzma.open(path) if path.endswith(".xz") else open(path, "rb")) as f:
            self.add(name, stat.S_IFREG | 0o755, f.read())

    def program(self, path, name=None):
        """With the libraries it needs."""
        if not path:
            raise Skip("%s is missing (sh tests/gate/packages.sh tests)" % name)
        self.file("bin/" + (name or os.path.basename(path)), path)
        done = subprocess.run(["ldd", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        for library in re.findall(r"(/\S+\.so\S*)", done.stdout.decode()):
            self.file(library.lstrip("/"), library)

    def busybox(self, *tools):
        self.file("bin/busybox", "/bin/busybox")
        for name in tools:
            self.add("bin/" + name, stat.S_IFLNK | 0o777, b"busybox")

    def end_of_threads(self, sysroot=None):
        """What glibc loads by name when a thread ends."""
        name = "libgcc_s.so.1"
        if sysroot:
            libgcc = library_in(sysroot, name)
            self.file(libgcc, os.path.join(sysroot, libgcc))
            return
        libgcc = run("gcc", "-print-file-name=" + name).decode().strip()
        self.file("lib/" + run("gcc", "-print-multiarch").decode().strip() + "/" + name, libgcc)

    def write(self, path):
        self.add("TRAILER!!!", 0)
        with gzip.open(path, "wb", compresslevel=1) as f:
            f.write(self.bytes)


def libraries_of(sysroot, program):
    """Paths below 'sysroot' of the libraries that a program of another architecture needs, its loader too."""
    found, waiting = [], [program]
    while waiting:
        said = run("readelf", "-dl", waiting.pop()).decode()
        names = re.findall(r"\(NEEDED\).*\[(.*)\]", said)
        names += [os.path.basename(path) for path in re.findall(r"interpreter: (.*)\]", said)]
        for path in (library_in(sysroot, name) for name in names):
            if path not in found:
                found.append(path)
                waiting.append(os.path.join(sysroot, path))
    return found


def library_in(sysroot, name):
    """The path of a library below 'sysroot'."""
    for folder in ("lib", "lib/*", "usr/lib/*"):
        for path in glob.glob(os.path.join(sysroot, folder, name)):
            return os.path.relpath(path, sysroot)
    raise Skip("%s has no %s" % (sysroot, name))


def modules(tree, wanted, work):
    """Paths of the modules of a kernel's files, and of what they need, in the order in which they are loaded."""
    found = glob.glob(tree + "/lib/modules/*") + glob.glob(tree + "/usr/lib/modules/*")
    if not found:
        raise Skip("%s has no modules" % tree)
    base = os.path.join(work, "modules", "lib", "modules")
    os.makedirs(base)
    copy = os.path.join(base, os.path.basename(found[0]))
    shutil.copytree(found[0], copy, symlinks=True)
    run("depmod", "-b", os.path.join(work, "modules"), os.path.basename(copy))
    needed, paths = {}, []
    with open(os.path.join(copy, "modules.dep"), encoding="utf-8") as f:
        for line in f:
            name, _, others = line.partition(":")
            needed[os.path.basename(name).partition(".")[0].replace("-", "_")] = [name] + others.split()
    for name in wanted:
        for path in reversed(needed.get(name, [])):  # none: it is built in
            if path not in paths:
                paths.append(path)
    return [os.path.join(copy, path) for path in paths]


def kernel_of(tree):
    found = glob.glob(tree + "/**/vmlinuz*", recursive=True)
    if not found:
        raise Skip("%s has no kernel" % tree)
    return found[0]


# ---- machines -----------------------------------------------------------------

# QEMU's arguments, and the console.  The processors take turns: side by side, one that runs code while another changes
# it, as the kernel does when a tracepoint is attached to, was seen to die of "int3" or to be stuck for good.
MACHINES = {
    "amd64": (["qemu-system-x86_64", "-machine", "q35", "-accel", "tcg,thread=single", "-cpu", "max,la57=off"], "ttyS0"),
    "arm64": (["qemu-system-aarch64", "-machine", "virt", "-accel", "tcg,thread=single", "-cpu", "cortex-a72"], "ttyAMA0"),
}


def lower(level):
    return (lambda: os.nice(level)) if level else None


class Machine:
    """A machine that is on; what it says goes to 'console'."""

    def __init__(self, kernel, files, console, arguments="", qemu=(), memory="512M", arch="amd64", nice=0):
        command, tty = MACHINES[arch]
        self.console = console
        open(console, "w").close()
        self.process = subprocess.Popen(
            [*command, "-smp", "2", "-m", memory, "-nodefaults", "-nographic", "-no-reboot",
             "-serial", "file:" + console, "-kernel", kernel, "-initrd", files,
             "-append", QUIET % (tty, arguments), *qemu],
            stdin=subprocess.DEVNULL, preexec_fn=lower(nice))

    def said(self):
        with open(self.console, encoding="utf-8", errors="replace") as f:
            return f.read().replace("\r", "")

    def wait(self, pattern, seconds):
        """Until it has said so, has ended, or the time is over; what it said."""
        until = time.monotonic() + seconds
        while not re.search(pattern, self.said(), re.M) and self.process.poll() is None:
            if time.monotonic() > until:
                break
            time.sleep(0.2)
        return self.said()

    def off(self):
        self.process.kill()
        self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.off()


def boot(pattern, seconds, first, *args, **how):
    """
    What a machine said until it said 'pattern', and how often it was booted.  Where the emulator dies, and no
    program of ours had run by then (nothing matches 'first'), it is booted again, and says so.
    """
    for number in range(1, BOOTS + 1):
        with Machine(*args, **how) as machine:
            text = machine.wait(pattern, seconds)
        death = DEATHS.search(text)
        if not death or re.search(first, text, re.M):
            break
        print("booted again: the emulator died before any program of ours (%s)" % death[0].strip()[:DOTS],
              file=sys.stderr, flush=True)
    return text, number
