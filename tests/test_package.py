#!/usr/bin/env python3
"""The packages: what is in them, and in a clean Debian what they do and leave.

Builds them.  The clean Debian takes root and a mirror: tests/clean-root.sh asks for it by
PERFLOG_CLEAN_ROOT, the folder for it, and PERFLOG_CLEAN_SECONDS, how long to record.
"""
import glob
import hashlib
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest

import harness

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CLEAN = os.environ.get("PERFLOG_CLEAN_ROOT")
SECONDS = int(os.environ.get("PERFLOG_CLEAN_SECONDS", "5"))
SUITE, MIRROR = "bookworm", "http://deb.debian.org/debian"
# A maintainer's address that lintian takes.
PACKAGER = "The perflog authors <authors@perflog.example.net>"
# State of the tools that install, and what their services note.
TOOLS = re.compile(r"/(var/lib/(dpkg|apt|systemd/deb-systemd-helper)|var/cache|var/log/(apt|dpkg|alternatives)|"
                   r"etc/(passwd|group|shadow|gshadow)|etc/ld.so.cache|run|tmp|proc|sys|dev)")


def do(*args, expect=0, **how):
    done = subprocess.run(args, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          universal_newlines=True, timeout=900, **how)
    if done.returncode != expect:
        raise AssertionError("%s: %d\n%s" % (" ".join(args), done.returncode, done.stdout[-4000:]))
    return done.stdout


class Packages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        for tool in "dpkg-deb", "dpkg-shlibdeps", "scdoc":
            if not shutil.which(tool):
                raise unittest.SkipTest("%s is not installed" % tool)
        cls.folder = tempfile.mkdtemp(prefix="perflog-test-")
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        build = os.path.join(ROOT, "build", "deb")
        do("cmake", "--preset", "deb", "-DPERFLOG_PACKAGER=" + PACKAGER, cwd=ROOT)
        do("cmake", "--build", build)
        do("cpack", "--config", os.path.join(build, "CPackConfig.cmake"), "-G", "DEB;TGZ", "-B", cls.folder)
        cls.debs = {os.path.basename(p).split("_")[0]: p for p in glob.glob(os.path.join(cls.folder, "*.deb"))}


class Contents(Packages):
    def unpack(self):
        to = os.path.join(self.folder, "unpacked")
        do("dpkg-deb", "-x", self.debs["perflog"], to)
        return to

    def test_four_packages_and_an_archive_with_checksums(self):
        self.assertEqual(sorted(self.debs), ["libperflog-dev", "libperflog-provider0", "libperflog0", "perflog"])
        sums = glob.glob(os.path.join(self.folder, "*.sha256"))
        self.assertEqual(len(sums), 5)
        for name in sums:
            with open(name, encoding="utf-8") as f:
                told, of = f.read().split()
            with open(os.path.join(self.folder, of), "rb") as f:
                self.assertEqual(hashlib.sha256(f.read()).hexdigest(), told)

    def test_what_they_need(self):
        needs = do("dpkg-deb", "-f", self.debs["perflog"], "Depends")
        for package in "libc6", "libzstd1", "libxxhash0", "libcsv3", "libmd0", "libxlsxwriter", "systemd-sysusers":
            self.assertIn(package, needs)
        self.assertNotRegex(needs, "libbpf|clang|bpftool", "the BPF program needs nothing of its builders")
        needs = do("dpkg-deb", "-f", self.debs["libperflog0"], "Depends")
        self.assertNotRegex(needs, "xlsx|stdc")
        self.assertEqual(do("dpkg-deb", "-f", self.debs["libperflog-dev"], "Depends"), 
                         "libperflog0 (= 0.1.0-1), libperflog-provider0 (= 0.1.0-1)\n")

    def test_everything_has_its_place(self):
        files = {line.split()[-1][1:] for line in do("dpkg-deb", "-c", self.debs["perflog"]).splitlines()}
        for path in ("/usr/bin/perflog", "/etc/perflog/perflog.conf", "/usr/lib/systemd/system/perflog.service",
                     "/usr/lib/sysusers.d/perflog.conf", "/usr/lib/tmpfiles.d/perflog.conf",
                     "/usr/share/doc/perflog/copyright", "/usr/share/doc/perflog/changelog.Debian.gz",
                     "/usr/share/man/man1/perflog.1.gz", "/usr/share/man/man1/perflog-record.1.gz",
                     "/usr/share/man/man5/plog.5.gz", "/usr/share/man/man7/perflog.7.gz",
                     "/usr/share/bash-completion/completions/perflog",
                     "/usr/share/zsh/vendor-completions/_perflog",
                     "/usr/share/fish/vendor_completions.d/perflog.fish"):
            self.assertIn(path, files)
        self.assertFalse([f for f in files if not f.startswith(("/usr/", "/etc/"))])

    def test_unpacked_it_runs(self):
        root = self.unpack()
        program, log = os.path.join(root, "usr/bin/perflog"), os.path.join(self.folder, "a.plog")
        do(program, "record", "-q", "--config", os.path.join(root, "etc/perflog/perflog.conf"), "-i", "10ms", "-n", "2",
           "--min-free", "0", log)
        self.assertEqual(len(do(program, "export", self.folder, "-c", r"\System\Processes").splitlines()), 3)

    def test_scripts_are_shell(self):
        to = os.path.join(self.folder, "control")
        do("dpkg-deb", "-e", self.debs["perflog"], to)
        for name in "postinst", "prerm", "postrm":
            do("sh", "-n", os.path.join(to, name))
        with open(os.path.join(to, "conffiles"), encoding="utf-8") as f:
            self.assertEqual(f.read(), "/etc/perflog/perflog.conf\n")

    @unittest.skipUnless(shutil.which("lintian"), "lintian is not installed")
    def test_lintian_has_nothing_to_say(self):
        self.assertEqual(do("lintian", "--allow-root", *self.debs.values()), "")

    @unittest.skipUnless(CLEAN, "a clean Debian takes root and a mirror: sh tests/clean-root.sh")
    def test_rpms_have_nothing_wrong(self):
        do("cmake", "--workflow", "--preset", "rpm", cwd=ROOT)
        rpms = glob.glob(os.path.join(ROOT, "build", "rpm", "*.rpm"))
        self.assertIn(" 0 errors, 0 warnings", do("rpmlint", "-r", os.path.join(ROOT, "cmake/package/perflog.rpmlintrc"),
                                                  *rpms))


@unittest.skipUnless(CLEAN, "a clean Debian takes root and a mirror: sh tests/clean-root.sh")
class CleanDebian(Packages):
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
        for kind, place in ("proc", "/proc"), ("sysfs", "/sys"):
            do("mount", "-t", kind, kind, self.at(place))
        self.addCleanup(self.unmount)
        for deb in self.debs.values():
            shutil.copy(deb, self.at("/tmp"))
        self.inside("apt-get", "-qq", "update")

    def unmount(self):
        for place in "/proc", "/sys":
            if os.path.ismount(self.at(place)):
                do("umount", "-R", self.at(place))

    def at(self, path):
        return os.path.join(self.root, path.lstrip("/"))

    def inside(self, *args, **how):
        return do("chroot", self.root, "env", "DEBIAN_FRONTEND=noninteractive", "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
                  "LC_ALL=C.UTF-8", *args, **how)

    def install(self, *what):
        self.inside("apt-get", "-qq", "-y", "--no-install-recommends", "install", *what)

    def perflog_deb(self):
        return "/tmp/" + os.path.basename(self.debs["perflog"])

    def snapshot(self):
        """Names and contents of all files, but for the state of the tools that install."""
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

    def command(self):
        """The service's command line, and how systemd would start it: as its user, with its capabilities."""
        with open(self.at("/usr/lib/systemd/system/perflog.service"), encoding="utf-8") as f:
            unit = dict(re.findall(r"^(\w+)=(.*)$", f.read(), re.M))
        caps = ",".join("+" + c[4:].lower() for c in unit["AmbientCapabilities"].split())
        return ["chroot", self.root, "setpriv", "--reuid", unit["User"], "--regid", unit["Group"], "--clear-groups",
                "--inh-caps=-all," + caps, "--ambient-caps=-all," + caps, "--bounding-set=-all," + caps,
                "--no-new-privs", *unit["ExecStart"].split()]

    def run_service(self):
        """Start, reload half way, stop; what it said to the service manager."""
        ear = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(ear.close)
        ear.bind(self.at("/run/ear"))
        os.chmod(self.at("/run/ear"), 0o777)
        ear.settimeout(60)
        process = subprocess.Popen(self.command(), env=dict(os.environ, NOTIFY_SOCKET="/run/ear"),
                                   stderr=subprocess.PIPE)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.kill)
        said = [ear.recv(4096).decode()]
        for then in signal.SIGHUP, signal.SIGTERM:
            time.sleep(SECONDS / 2 + 6)
            process.send_signal(then)
        self.assertEqual((process.wait(60), process.stderr.read()), (0, b""))
        said.append(ear.recv(4096).decode())
        return said

    def test_bare_debian(self):
        """Install, record, export, remove, purge."""
        self.install(self.perflog_deb())
        self.assertEqual(self.inside("systemctl", "is-enabled", "perflog").strip(), "enabled")
        self.assertIn("/var/log/perflog", self.inside("getent", "passwd", "perflog"))
        self.assertEqual(self.inside("stat", "-c", "%a %U %G", "/var/log/perflog").strip(), "750 perflog perflog")
        self.assertEqual(self.run_service(), ["READY=1\nSTATUS=recording into /var/log/perflog/this.plog every 5s",
                                              "STOPPING=1"])
        logs = sorted(os.listdir(self.at("/var/log/perflog")))
        self.assertEqual(len(logs), 2, logs)
        self.assertEqual(self.inside("stat", "-c", "%a %U", "/var/log/perflog/" + logs[0]).strip(), "600 perflog")
        rows = self.inside("perflog", "export", "-q", "/var/log/perflog", "-c", r"\System\Processes").splitlines()
        self.assertGreaterEqual(len(rows) - 1, SECONDS // 5)
        self.inside("perflog", "verify", "/var/log/perflog")
        self.assertIn("processes by bpf", self.inside("perflog", "info", "/var/log/perflog"))
        # What a user without privilege must not do.
        self.assertIn("Permission denied", self.inside("setpriv", "--reuid=65534", "perflog", "info", "/var/log/perflog",
                                                       expect=1))

        self.inside("apt-get", "-qq", "-y", "remove", "perflog")
        left = [path for path in self.snapshot() if "perflog" in path and not path.startswith(("/tmp/", "/usr/share/"))]
        self.assertEqual(sorted(left), ["/etc/perflog", "/etc/perflog/perflog.conf", "/var/log/perflog"]
                         + ["/var/log/perflog/" + log for log in logs])
        self.inside("apt-get", "-qq", "-y", "purge", "perflog")
        self.assertFalse([path for path in self.snapshot() if "perflog" in path])
        self.inside("getent", "passwd", "perflog", expect=2)
        self.inside("getent", "group", "perflog", expect=2)

    def test_nothing_else_is_left(self):
        """Beside what it needs, which was there before."""
        needs = do("dpkg-deb", "-f", self.debs["perflog"], "Depends")
        self.install(*(re.split(r"[ |]", need.strip())[0] for need in needs.split(",")))
        before = self.snapshot()
        self.install(self.perflog_deb())
        self.assertGreater(len(self.snapshot()), len(before) + 15)
        self.inside("apt-get", "-qq", "-y", "purge", "perflog")
        after = self.snapshot()
        self.assertEqual(sorted(set(after) - set(before)), [])
        self.assertEqual(sorted(set(before) - set(after)), [])
        self.assertEqual([p for p in before if before[p] != after[p]], [])

    def test_upgrade_and_choice_of_the_administrator(self):
        """An upgrade keeps the logs, a changed configuration, and that the service is disabled."""
        self.install(self.perflog_deb())
        self.inside("systemctl", "disable", "perflog")
        with open(self.at("/etc/perflog/perflog.conf"), "a", encoding="utf-8") as f:
            f.write("sync = 30s\n")
        with open(self.at("/var/log/perflog/old.plog"), "wb"):
            pass
        self.inside("apt-get", "-qq", "-y", "--reinstall", "install", self.perflog_deb())
        self.inside("systemctl", "is-enabled", "perflog", expect=1)
        with open(self.at("/etc/perflog/perflog.conf"), encoding="utf-8") as f:
            self.assertTrue(f.read().endswith("sync = 30s\n"))
        self.assertTrue(os.path.exists(self.at("/var/log/perflog/old.plog")))

    def boot(self):
        """The root as a container with its own systemd; a function that runs a command in it."""
        self.unmount()  # it shall see its own processes only
        with open(self.at("/tmp/console"), "wb") as console:
            process = subprocess.Popen(
                ["systemd-nspawn", "--register=no", "--keep-unit", "-q", "--capability=all", "-D", self.root, "-b"],
                env=dict(os.environ, SYSTEMD_NSPAWN_UNIFIED_HIERARCHY="1"), stdin=subprocess.DEVNULL, stdout=console,
                stderr=console)
        self.addCleanup(process.wait, 120)
        self.addCleanup(process.terminate)  # an orderly end
        children = "/proc/%d/task/%d/children" % (process.pid, process.pid)

        def inside(*args):
            with open(children, encoding="ascii") as f:
                return do("nsenter", "-t", f.read().split()[0], "-a", *args)

        return inside

    def test_systemd_runs_it(self):
        """As its user, hardened, with a log of good samples; it reloads, and a hung recorder is started anew."""
        if not shutil.which("systemd-nspawn"):
            self.skipTest("systemd-nspawn is not installed")
        self.install("systemd", "systemd-sysv", self.perflog_deb())
        os.makedirs(self.at("/etc/systemd/system/perflog.service.d"))
        with open(self.at("/etc/systemd/system/perflog.service.d/soon.conf"), "w", encoding="utf-8") as f:
            f.write("[Service]\nWatchdogSec=4\nRestartSec=1\n")
        inside = self.boot()

        def logs():
            return sorted(glob.glob(self.at("/var/log/perflog/*.plog")))

        def facts():
            return dict(line.split("=", 1) for line in inside("systemctl", "show", "perflog").splitlines() if "=" in line)

        harness.wait_until(lambda: logs() and harness.count_samples(logs()[0]) >= 2, "two samples", 120)
        now = facts()
        self.assertEqual((now["ActiveState"], now["SubState"], now["NRestarts"]), ("active", "running", "0"))
        self.assertEqual(now["StatusText"], "recording into /var/log/perflog/this.plog every 5s")
        inside("systemctl", "reload", "perflog")
        harness.wait_until(lambda: len(logs()) == 2 and harness.count_samples(logs()[1]) >= 1, "a new segment")
        inside("sh", "-c", "kill -STOP " + now["MainPID"])
        harness.wait_until(lambda: facts()["NRestarts"] == "1" and len(logs()) == 3, "a new recorder")
        inside("systemctl", "stop", "perflog")
        self.assertEqual(facts()["Result"], "success")
        self.inside("perflog", "verify", "/var/log/perflog")

    def test_library(self):
        self.install(*("/tmp/" + os.path.basename(self.debs[d]) for d in ("libperflog0", "libperflog-dev")))
        self.assertIn("libperflog.so.0", self.inside("ldconfig", "-p"))


if __name__ == "__main__":
    unittest.main()
