"""Whether perflog is right on other kernels: boots Debian's in virtual machines.

    python3 tests/kernels/run.py [--short] [--build FOLDER] [--jobs N] [PACKAGE...]

Without a PACKAGE: the newest package of every series that Debian's suites have,
from 6.1 on; with --short, for the gate, Debian 12's own and the newest of all.
Each kernel is downloaded once, to build/kernels, not installed, and booted by
QEMU without KVM, with a file system in memory that holds nothing but what `init`
beside this file runs: test_linux_ways, record, verify, export.  Their status
goes into a table; what a guest wrote is in build/kernels/NAME.txt.

Needs qemu-system-x86, and apt-get with Debian's keys; not root.  MIRROR names
another mirror.  Exit status: 0 all is well, 1 something failed, 77 nothing could
be tried.
"""
import argparse
import concurrent.futures
import gzip
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
FOLDER = os.path.join(ROOT, "build", "kernels")
QEMU = "qemu-system-x86_64"
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
SKIP = 77
OLDEST = (6, 1)  # below it, Debian has none that can run the BPF program
SUITES = (
    ("debian", "bookworm"), ("debian-security", "bookworm-security"),
    ("debian", "bookworm-backports"), ("debian", "trixie"),
    ("debian", "trixie-backports"), ("debian", "sid"),
)
LISTS_AGE = 24 * 3600  # seconds after which lists of packages are fetched again
GUEST_TIME = 420
MEMORY = "512M"
STEPS = ("boot", "bpf", "ways", "record", "auto", "verify", "export")
# Flavours: of every series the smallest; of Debian 12's own, all.
FLAVOURS = ("cloud-amd64", "rt-amd64", "amd64")


class Skip(Exception):
    """Nothing can be tried here."""


def run(*args, **how):
    done = subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **how)
    if done.returncode:
        raise Skip("%s: %s" % (args[0], done.stderr.decode(errors="replace").strip()[-400:]))
    return done.stdout


# ---- packages ---------------------------------------------------------------

class Apt:
    """apt with lists, and sources, of its own: what is installed does not matter."""

    def __init__(self):
        self.dir = os.path.join(FOLDER, "apt")
        mirror = os.environ.get("MIRROR", "http://deb.debian.org")
        for name in ("etc/apt/preferences.d", "etc/apt/apt.conf.d", "var/lib/dpkg",
                     "var/lib/apt/lists/partial", "var/cache/apt/archives/partial"):
            os.makedirs(os.path.join(self.dir, name), exist_ok=True)
        self.status = os.path.join(self.dir, "var/lib/dpkg/status")
        open(self.status, "a").close()
        with open(os.path.join(self.dir, "etc/apt/sources.list"), "w") as f:
            for archive, suite in SUITES:
                f.write("deb [signed-by=%s] %s/%s %s main\n" % (KEYRING, mirror, archive, suite))

    def __call__(self, program, *args, **how):
        return run(program, "-q", "-o", "Dir=" + self.dir, "-o", "Dir::State::status=" + self.status,
                   "-o", "APT::Sandbox::User=", "-o", "Acquire::Languages=none",
                   "-o", "Acquire::Retries=2", *args, **how).decode()

    def update(self):
        stamp = os.path.join(self.dir, "updated")
        if os.path.exists(stamp) and time.time() - os.path.getmtime(stamp) < LISTS_AGE:
            return
        self("apt-get", "update", "--error-on=any")
        open(stamp, "w").close()

    def kernels(self):
        """{package: version} of all kernels that can be booted, e.g. (6, 1, 0, 56)."""
        found = {}
        names = self("apt-cache", "search", "--names-only", "^linux-(image|binary)-[0-9]")
        for name in re.findall(r"^(linux-(?:image|binary)-\S+)", names, re.M):
            parts = re.fullmatch(r"linux-(image|binary)-([\d.+debpo-]*?)-(cloud-amd64|rt-amd64|amd64)",
                                 name)
            version = parts and tuple(map(int, re.findall(r"\d+", parts[2])))
            if version and len(version) > 2 and version[:2] >= OLDEST:
                found[name] = version
        return found

    def fetch(self, package):
        """The path of its kernel, or None if the package has none."""
        path = os.path.join(FOLDER, package)
        if os.path.exists(path):
            return path
        with tempfile.TemporaryDirectory(dir=FOLDER) as work:
            self("apt-get", "download", package, cwd=work)
            deb, = os.listdir(work)
            tar = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", deb], cwd=work,
                                   stdout=subprocess.PIPE)
            subprocess.run(["tar", "-x", "--wildcards", "*/vmlinuz*"], cwd=work,
                           stdin=tar.stdout, stderr=subprocess.DEVNULL)
            tar.stdout.close()
            tar.wait()
            for parent, _, names in os.walk(work):
                for name in names:
                    if name.startswith("vmlinuz"):
                        os.rename(os.path.join(parent, name), path)
                        return path
        return None


def flavour(package):
    return next(f for f in FLAVOURS if package.endswith("-" + f))


def choose(kernels, short):
    """The packages to try, oldest first; of each, the names it may have."""
    newest = {}
    for name, version in kernels.items():
        key = (version[:2], flavour(name))
        newest[key] = max(newest.get(key, ()), version)
    keys = [k for k in sorted(newest) if k[1] == FLAVOURS[0] or k[0] == OLDEST]
    if short:
        cloud = [k for k in keys if k[1] == FLAVOURS[0]]
        keys = [cloud[0], cloud[-1]]
    # Since 6.19 the kernel itself is in linux-binary-*.
    return [sorted(n for n, v in kernels.items() if v == newest[k] and flavour(n) == k[1])
            for k in keys]


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
        with open(path, "rb") as f:
            self.add(name, stat.S_IFREG | 0o755, f.read())

    def program(self, path, name=None):
        """With the libraries it needs."""
        self.file("bin/" + (name or os.path.basename(path)), path)
        done = subprocess.run(["ldd", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        for library in re.findall(r"(/\S+\.so\S*)", done.stdout.decode()):
            self.file(library.lstrip("/"), library)

    def write(self, path):
        self.add("TRAILER!!!", 0)
        with gzip.open(path, "wb", compresslevel=1) as f:
            f.write(self.bytes)


def files_of_guest(build, path):
    a = Archive()
    for name in ("proc", "sys", "dev", "tmp"):
        a.add(name, stat.S_IFDIR | 0o755)
    a.file("init", os.path.join(HERE, "init"))
    # Not busybox: what it starts is called "exe" for a moment, which a test sees.
    a.program("/bin/dash", "sh")
    for name in ("mount", "sleep"):
        a.program(shutil.which(name))
    a.program(os.path.join(build, "perflog"))
    a.program(os.path.join(build, "tests", "test_linux_ways"))
    # glibc loads this by name when a thread ends.
    libgcc = run("gcc", "-print-file-name=libgcc_s.so.1").decode().strip()
    a.file("lib/" + run("gcc", "-print-multiarch").decode().strip() + "/libgcc_s.so.1", libgcc)
    a.write(path)


# ---- booting ------------------------------------------------------------------

def boot(name, kernel, files):
    """{step: status}, seconds."""
    log = os.path.join(FOLDER, name + ".txt")
    began = time.monotonic()
    arguments = "console=ttyS0 quiet panic=-1 mitigations=off nokaslr"
    command = ["-machine", "q35,accel=tcg", "-cpu", "max,la57=off", "-smp", "2", "-m", MEMORY,
               "-nodefaults", "-nographic", "-no-reboot", "-serial", "file:" + log,
               "-kernel", kernel, "-initrd", files, "-append", arguments]
    with open(log, "w+", errors="replace") as f:
        qemu = subprocess.Popen([QEMU, *command], stdin=subprocess.DEVNULL)
        text = ""
        while "\nEND" not in text and qemu.poll() is None:
            text += f.read()
            if time.monotonic() - began > GUEST_TIME:
                break
            time.sleep(0.2)
        qemu.kill()
        qemu.wait()
    said = dict(re.findall(r"^STEP (\w+) (\d+)", text, re.M))
    return said, time.monotonic() - began


def show(name, said, seconds):
    cells = ["good" if said.get(s) == "0" else said.get(s, "-") for s in STEPS]
    print("%-28s" % name + "".join("%-8s" % c for c in cells) + "%5.0f s" % seconds, flush=True)


def arguments():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--short", action="store_true", help="only the oldest and the newest")
    p.add_argument("--build", default=os.path.join(ROOT, "build", "release"))
    p.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="guests at a time")
    p.add_argument("packages", nargs="*", metavar="PACKAGE")
    return p.parse_args()


def look_for_needed(build):
    for program in (QEMU, "apt-get", "dpkg-deb"):
        if not shutil.which(program):
            raise Skip("%s is missing (sh tests/gate/packages.sh tests)" % program)
    if not os.path.exists(KEYRING):
        raise Skip("%s is missing" % KEYRING)
    for program in ("perflog", "tests/test_linux_ways"):
        if not os.path.exists(os.path.join(build, program)):
            raise Skip("%s has no %s: build it first" % (build, program))
    with open(os.path.join(build, "perflog"), "rb") as f:
        if b"this build has no BPF" in f.read():
            raise Skip("this build has no BPF")


def kernels_to_try(packages, short):
    apt = Apt()
    apt.update()
    kernels = []
    for names in [[p] for p in packages] or choose(apt.kernels(), short):
        kernel = next(filter(None, map(apt.fetch, names)), None)
        if not kernel:
            raise Skip("%s has no kernel" % names[0])
        kernels.append(kernel)
    return kernels


def main():
    a = arguments()
    look_for_needed(a.build)
    kernels = kernels_to_try(a.packages, a.short)
    files = os.path.join(FOLDER, "files.cpio.gz")
    files_of_guest(a.build, files)
    print("%-28s" % "kernel" + "".join("%-8s" % s for s in STEPS), flush=True)
    good = True
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        def one(kernel):
            return boot(os.path.basename(kernel), kernel, files)
        for kernel, (said, seconds) in zip(kernels, pool.map(one, kernels)):
            name = re.sub("^linux-(image|binary)-", "", os.path.basename(kernel))
            show(name, said, seconds)
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
