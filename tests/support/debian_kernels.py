"""Kernels of Debian's suites: fetched by apt with lists of its own, unpacked, not installed."""
import os
import re
import shutil
import subprocess
import tempfile
import time

from guest import Skip, kernel_of, run

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = os.path.join(ROOT, "build", "kernels")
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
OLDEST = (6, 1)  # below it, Debian has none that can run the BPF program
SUITES = (
    ("debian", "bookworm"), ("debian-security", "bookworm-security"),
    ("debian", "bookworm-backports"), ("debian", "trixie"),
    ("debian", "trixie-backports"), ("debian", "sid"),
)
LISTS_AGE = 24 * 3600  # seconds after which lists of packages are fetched again
# Flavours: of every series the smallest; of Debian 12's own, all.
FLAVOURS = {"amd64": ("cloud-amd64", "rt-amd64", "amd64"), "arm64": ("cloud-arm64", "rt-arm64", "arm64")}


class Apt:
    """apt with lists, and sources, of its own: what is installed does not matter."""

    def __init__(self, arch="amd64"):
        self.arch = arch
        if not os.path.exists(KEYRING):
            raise Skip("%s is missing" % KEYRING)
        self.dir = os.path.join(FOLDER, "apt" if arch == "amd64" else "apt-" + arch)
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
        return run(program, "-q", "-o", "APT::Architecture=" + self.arch, "-o", "APT::Architectures::=" + self.arch,
                   "-o", "Dir=" + self.dir, "-o", "Dir::State::status=" + self.status,
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
            parts = re.fullmatch(r"linux-(image|binary)-([\d.+debpo-]*?)-(%s)" % "|".join(FLAVOURS[self.arch]),
                                 name)
            version = parts and tuple(map(int, re.findall(r"\d+", parts[2])))
            if version and len(version) > 2 and version[:2] >= OLDEST:
                found[name] = version
        return found

    def unpack(self, package, folder, *wanted):
        """Fetch a package and unpack what is wanted of it (all, if nothing is named) into 'folder'."""
        with tempfile.TemporaryDirectory(dir=FOLDER) as work:
            self("apt-get", "download", package, cwd=work)
            deb, = os.listdir(work)
            tar = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", deb], cwd=work, stdout=subprocess.PIPE)
            subprocess.run(["tar", "-x", "--wildcards", "-C", os.path.abspath(folder), *wanted], cwd=work,
                           stdin=tar.stdout, stderr=subprocess.DEVNULL)
            tar.stdout.close()
            tar.wait()

    def fetch(self, package):
        """The path of its kernel, or None if the package has none."""
        path = os.path.join(FOLDER, package)
        if os.path.exists(path):
            return path
        with tempfile.TemporaryDirectory(dir=FOLDER) as work:
            self.unpack(package, work, "*/vmlinuz*")
            try:
                os.rename(kernel_of(work), path)
            except Skip:
                return None
        return path

    def tree(self, package):
        """All files of a kernel, with its modules."""
        path = os.path.join(FOLDER, package + ".tree")
        if not os.path.exists(path):
            with tempfile.TemporaryDirectory(dir=FOLDER) as work:
                self.unpack(package, work)
                kernel_of(work)
                os.chmod(work, 0o755)
                shutil.copytree(work, path, symlinks=True)
        return path


def oldest_tree():
    """The files of the oldest kernel of the smallest flavour."""
    apt = Apt()
    apt.update()
    return apt.tree(choose(apt.kernels(), True)[0][0])


def flavour(package):
    return next(f for arch in FLAVOURS.values() for f in arch if package.endswith("-" + f))


def choose(kernels, short):
    """The packages to try, oldest first; of each, the names it may have."""
    newest = {}
    for name, version in kernels.items():
        key = (version[:2], flavour(name))
        newest[key] = max(newest.get(key, ()), version)
    keys = [k for k in sorted(newest) if k[1].startswith("cloud-") or k[0] == OLDEST]
    if short:
        cloud = [k for k in keys if k[1].startswith("cloud-")]
        keys = [cloud[0], cloud[-1]]
    # Since 6.19 the kernel itself is in linux-binary-*.
    return [sorted(n for n, v in kernels.items() if v == newest[k] and flavour(n) == k[1])
            for k in keys]
