"""The packages, built, and a clean Debian in which to try them.

The clean Debian takes root and a mirror: tests/gate/clean-root.sh asks for it by PERFLOG_CLEAN_ROOT, the folder for it, and
PERFLOG_CLEAN_SECONDS, how long to record.
"""
import glob
import os
import re
import shutil
import subprocess
import tempfile
import unittest

import harness

ROOT = harness.ROOT
CLEAN = os.environ.get("PERFLOG_CLEAN_ROOT")
SECONDS = int(os.environ.get("PERFLOG_CLEAN_SECONDS", "5"))
SUITE, MIRROR = "bookworm", "http://deb.debian.org/debian"
# What 'perflog report' needs: downloaded for the clean Debian, else what the build that is tested has, if it has it.
BESIDE = os.path.join(os.path.dirname(harness.PROGRAM), "uplot", "package")
UPLOT = "npm" if CLEAN else BESIDE if os.path.exists(BESIDE) else ""
# State of the tools that install, and what their services note.
TOOLS = re.compile(r"/(var/lib/(dpkg|apt|rpm)|var/cache|var/log/(apt|dpkg|alternatives)|"
                   r"etc/(passwd|group|shadow|gshadow)|etc/ld.so.cache|run|srv|tmp|proc|sys|dev)")
needs_root = unittest.skipUnless(CLEAN, "a clean Debian takes root and a mirror: sh tests/gate/clean-root.sh")


def do(*args, expect=0, **how):
    done = subprocess.run(args, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          universal_newlines=True, timeout=900, **how)
    if done.returncode != expect:
        raise AssertionError("%s: %d\n%s" % (" ".join(args), done.returncode, done.stdout[-4000:]))
    return done.stdout


def package_name(path):
    """Of a file of a package, whatever its kind."""
    return re.sub(r"[-_]\d.*", "", os.path.basename(path))


class Packages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        for tool in "dpkg-deb", "dpkg-shlibdeps", "file", "scdoc":
            if not shutil.which(tool):
                raise unittest.SkipTest("%s is not installed" % tool)
        cls.folder = tempfile.mkdtemp(prefix="perflog-test-")
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.debs = cls.build("deb", "DEB;TGZ")

    @classmethod
    def build(cls, preset, kinds):
        """The packages' files by their names, in a folder of this test."""
        build, to = os.path.join(ROOT, "build", preset), os.path.join(cls.folder, preset)
        do("cmake", "--preset", preset, "-UPERFLOG_PACKAGER", "-DPERFLOG_UPLOT=" + UPLOT, cwd=ROOT)
        do("cmake", "--build", build)
        do("cpack", "--config", os.path.join(build, "CPackConfig.cmake"), "-G", kinds, "-B", to)
        return {package_name(p): p for p in glob.glob(os.path.join(to, "*." + preset))}


class CleanDebian(Packages):
    """Each test has a fresh root, in which nothing is installed yet."""

    def setUp(self):
        base = os.path.join(CLEAN, "base")
        if not os.path.exists(os.path.join(base, "usr/bin/apt-get")):
            shutil.rmtree(base, ignore_errors=True)
            os.makedirs(base)
            do("debootstrap", "--variant=minbase", SUITE, base, MIRROR)
        self.root = os.path.join(CLEAN, "root")
        shutil.rmtree(self.root, ignore_errors=True)
        do("cp", "-a", base, self.root)
        # As this machine reaches its mirrors.
        shutil.copy("/etc/resolv.conf", self.at("/etc/resolv.conf"))
        with open(self.at("/etc/apt/apt.conf.d/99here"), "w", encoding="utf-8") as f:
            f.write("".join(line + "\n" for line in do("apt-config", "dump").splitlines()
                            if line.startswith("Acquire::")))
        for kind, place in ("proc", "/proc"), ("sysfs", "/sys"), ("tmpfs", "/run"):
            do("mount", "-t", kind, kind, self.at(place))
        self.addCleanup(self.unmount)
        self.bring(*self.debs.values())
        self.inside("apt-get", "-qq", "update")

    def unmount(self):
        for place in "/proc", "/sys", "/run":
            if os.path.ismount(self.at(place)):
                do("umount", "-R", self.at(place))

    def at(self, path):
        return os.path.join(self.root, path.lstrip("/"))

    def bring(self, *files):
        for path in files:
            shutil.copy(path, self.at("/srv"))

    def inside(self, *args, **how):
        """What the machine outside sets for its compilers and programs says nothing in here; its proxies do."""
        kept = ["%s=%s" % (name, value) for name, value in os.environ.items() if name.lower().endswith("_proxy")]
        return do("chroot", self.root, "env", "-i", "DEBIAN_FRONTEND=noninteractive", "HOME=/root",
                  "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8", *kept, *args, **how)

    def install(self, *what, inside=None):
        (inside or self.inside)("apt-get", "-qq", "-y", "--no-install-recommends", "install", *what)

    def deb(self, name="perflog"):
        """Its file, where the clean Debian sees it."""
        return "/srv/" + os.path.basename(self.debs[name])

    def needs(self, name="perflog"):
        """The first choice of all that a package depends on."""
        needs = do("dpkg-deb", "-f", self.debs[name], "Depends")
        return [re.split(r"[ |]", need.strip())[0] for need in needs.split(",")]

    def snapshot(self):
        """Names and sizes of all files, but for the state of the tools that install."""
        found = {}
        for parent, folders, files in os.walk(self.root):
            folders[:] = [d for d in folders if not TOOLS.match(os.path.join(parent, d)[len(self.root):])]
            for name in files + folders:
                path = os.path.join(parent, name)
                here = path[len(self.root):]
                if TOOLS.match(here):
                    continue
                found[here] = os.lstat(path).st_size if os.path.isfile(path) and not os.path.islink(path) else None
        return found

    def boot(self):
        """The root as a container with its own systemd; a function that runs a command in it."""
        if not shutil.which("systemd-nspawn"):
            self.skipTest("systemd-nspawn is not installed")
        self.unmount()  # it shall see its own processes only
        # Containers may not call bpf(2); the unit's own filter is what is tried.
        with open(self.at("/srv/console"), "wb") as console:
            process = subprocess.Popen(
                ["systemd-nspawn", "--register=no", "--keep-unit", "-q", "--capability=all", "--system-call-filter=bpf",
                 "-D", self.root, "-b"],
                env=dict(os.environ, SYSTEMD_NSPAWN_UNIFIED_HIERARCHY="1"), stdin=subprocess.DEVNULL, stdout=console,
                stderr=console)
        self.addCleanup(process.wait, 120)
        self.addCleanup(process.terminate)  # an orderly end
        children = "/proc/%d/task/%d/children" % (process.pid, process.pid)

        def inside(*args, **how):
            with open(children, encoding="ascii") as f:
                return do("nsenter", "-t", f.read().split()[0], "-a", "env", "-u", "PERFLOG_PROVIDER_DIR",
                          "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C.UTF-8", *args, **how)

        def is_up():
            try:
                return inside("systemctl", "is-active", "multi-user.target")
            except (AssertionError, IndexError, OSError):
                return False

        harness.wait_until(is_up, "the container is up", 120)
        return inside
