#!/usr/bin/env python3
"""The packages: what is in them, and in a clean Debian what they do and leave: see clean_root.py."""
import glob
import hashlib
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from clean_root import ROOT, SECONDS, UPLOT, CleanDebian, Packages, do, needs_root


class Contents(Packages):
    def unpack(self):
        to = os.path.join(self.folder, "unpacked")
        do("dpkg-deb", "-x", self.debs["perflog"], to)
        return to

    def test_four_packages_and_an_archive_with_checksums(self):
        self.assertEqual(sorted(self.debs), ["libperflog-dev", "libperflog-provider0", "libperflog0", "perflog"])
        sums = glob.glob(os.path.join(self.folder, "deb", "*.sha256"))
        self.assertEqual(len(sums), 5)
        for name in sums:
            with open(name, encoding="utf-8") as f:
                reported, of = f.read().split()
            with open(os.path.join(self.folder, "deb", of), "rb") as f:
                self.assertEqual(hashlib.sha256(f.read()).hexdigest(), reported)

    def test_readme_names_them(self):
        with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as f:
            self.assertIn("apt install ./build/deb/%s\n" % os.path.basename(self.debs["perflog"]), f.read())

    def test_what_they_need(self):
        needs = do("dpkg-deb", "-f", self.debs["perflog"], "Depends")
        for package in ("libc6", "libzstd1", "libxxhash0", "libcsv3", "libmd0", "libncursesw6", "libxlsxwriter",
                        "systemd-sysusers"):
            self.assertIn(package, needs)
        self.assertNotRegex(needs, "libbpf|clang|bpftool", "the BPF program needs nothing of its builders")
        needs = do("dpkg-deb", "-f", self.debs["libperflog0"], "Depends")
        self.assertNotRegex(needs, "xlsx|stdc")
        self.assertEqual(do("dpkg-deb", "-f", self.debs["libperflog-dev"], "Depends"),
                         "libperflog0 (= 0.2.0-1), libperflog-provider0 (= 0.2.0-1)\n")

    def test_everything_has_its_place(self):
        files = {line.partition(" -> ")[0].split()[-1][1:] for line in do("dpkg-deb", "-c", self.debs["perflog"]).splitlines()}
        for path in ("/usr/bin/perflog", "/etc/perflog/perflog.conf", "/usr/lib/systemd/system/perflog.service",
                     "/usr/lib/systemd/system/run-perflog-providers.mount",
                     "/usr/lib/sysusers.d/perflog.conf", "/usr/lib/tmpfiles.d/perflog.conf",
                     "/usr/share/doc/perflog/copyright", "/usr/share/doc/perflog/changelog.Debian.gz",
                     "/usr/share/man/man1/perflog.1.gz", "/usr/share/man/man1/perflog-record.1.gz",
                     "/usr/share/man/man5/plog.5.gz", "/usr/share/man/man7/perflog.7.gz",
                     "/usr/share/man/man7/perflog-fleet.7.gz",
                     "/usr/share/perflog/grafana-dashboard.json", "/usr/share/perflog/node-exporter.rules.yml",
                     "/usr/share/bash-completion/completions/perflog",
                     "/usr/share/zsh/vendor-completions/_perflog",
                     "/usr/share/fish/vendor_completions.d/perflog.fish"):
            self.assertIn(path, files)
        self.assertFalse([f for f in files if not f.startswith(("/usr/", "/etc/"))])

    def test_another_prefix_holds_everything(self):
        """What is built for /usr puts its configuration into /etc, but not where --prefix says otherwise."""
        for build in os.path.join(ROOT, "build", "deb"), os.path.dirname(harness.PROGRAM):
            with tempfile.TemporaryDirectory() as dest:
                do("cmake", "--install", build, "--prefix", "/opt/here", env=dict(os.environ, DESTDIR=dest))
                self.assertEqual(os.listdir(dest), ["opt"])
                self.assertTrue(os.path.exists(dest + "/opt/here/etc/perflog/perflog.conf"))

    def test_unpacked_it_runs(self):
        root = self.unpack()
        program, log = os.path.join(root, "usr/bin/perflog"), os.path.join(self.folder, "a.plog")
        do(program, "record", "-q", "--config", os.path.join(root, "etc/perflog/perflog.conf"), "-i", "10ms", "-n", "2",
           "--min-free", "0", log)
        self.assertEqual(len(do(program, "export", self.folder, "-c", r"\System\Processes").splitlines()), 3)

    def test_nothing_for_a_debugger_is_in_them(self):
        """CPack strips all but static libraries."""
        to = os.path.join(self.folder, "development")
        do("dpkg-deb", "-x", self.debs["libperflog-dev"], to)
        [library] = glob.glob(to + "/usr/lib/**/libperflog_provider.a", recursive=True)
        for path in library, os.path.join(self.unpack(), "usr/bin/perflog"):
            self.assertNotIn(".debug_info", do("readelf", "-SW", path), path)

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

    def test_papers_name_whose_work_is_within(self):
        """Reports hold uPlot, so a package that makes them holds its licence."""
        with open(os.path.join(self.unpack(), "usr/share/doc/perflog/copyright"), encoding="utf-8") as f:
            self.assertEqual("Leon Sorokin" in f.read(), bool(UPLOT))


@needs_root
class Bare(CleanDebian):
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
        self.assertEqual((process.wait(harness.TIMEOUT), process.stderr.read()), (0, b""))
        said.append(ear.recv(4096).decode())
        return said

    def test_bare_debian(self):
        """Install, record, export, remove, purge."""
        self.install(self.deb())
        self.assertEqual(self.inside("systemctl", "is-enabled", "perflog").strip(), "enabled")
        self.assertIn("/var/log/perflog", self.inside("getent", "passwd", "perflog"))
        self.assertEqual(self.inside("stat", "-c", "%a %U %G", "/var/log/perflog").strip(), "750 perflog perflog")
        self.assertEqual(self.run_service(), ["READY=1\nSTATUS=recording into /var/log/perflog/this.plog every 5s",
                                              "STOPPING=1"])
        logs = sorted(os.listdir(self.at("/var/log/perflog")))
        self.assertEqual(len(logs), 2, logs)
        self.assertEqual(self.inside("stat", "-c", "%a %U", "/var/log/perflog/" + logs[0]).strip(), "640 perflog")
        rows = self.inside("perflog", "export", "-q", "/var/log/perflog", "-c", r"\System\Processes").splitlines()
        self.assertGreaterEqual(len(rows) - 1, SECONDS // 5)
        self.inside("perflog", "verify", "/var/log/perflog")
        self.assertIn("processes by bpf", self.inside("perflog", "info", "/var/log/perflog"))
        # What a user without privilege must not do.
        self.assertIn("Permission denied", self.inside("setpriv", "--reuid=65534", "perflog", "info",
                                                       "/var/log/perflog", expect=1))

        self.inside("systemctl", "enable", "perflog-push")
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
        self.install(*self.needs())
        before = self.snapshot()
        self.install(self.deb())
        self.assertGreater(len(self.snapshot()), len(before) + 15)
        self.inside("apt-get", "-qq", "-y", "purge", "perflog")
        after = self.snapshot()
        self.assertEqual(sorted(set(after) - set(before)), [])
        self.assertEqual(sorted(set(before) - set(after)), [])
        self.assertEqual([p for p in before if before[p] != after[p]], [])

    def test_upgrade_and_choice_of_the_administrator(self):
        """An upgrade keeps the logs, a changed configuration, and that the service is disabled."""
        self.install(self.deb())
        self.inside("systemctl", "disable", "perflog")
        with open(self.at("/etc/perflog/perflog.conf"), "a", encoding="utf-8") as f:
            f.write("sync = 30s\n")
        with open(self.at("/var/log/perflog/old.plog"), "wb"):
            pass
        self.inside("apt-get", "-qq", "-y", "--reinstall", "install", self.deb())
        self.inside("systemctl", "is-enabled", "perflog", expect=1)
        with open(self.at("/etc/perflog/perflog.conf"), encoding="utf-8") as f:
            self.assertTrue(f.read().endswith("sync = 30s\n"))
        self.assertTrue(os.path.exists(self.at("/var/log/perflog/old.plog")))


@needs_root
class Developer(CleanDebian):
    """With a compiler, the packages and nothing of the source tree."""

    EXAMPLES = "/usr/share/doc/libperflog-dev/examples/", "/usr/share/perflog/examples/"
    PROJECT = """cmake_minimum_required(VERSION 3.25)
project(user C)
find_package(perflog 0.1 REQUIRED)
find_package(perflog_provider 0.1 REQUIRED)
add_executable(series %sseries.c)
target_link_libraries(series perflog::perflog)
add_executable(worker %sworker.c)
target_link_libraries(worker perflog::provider_shared)
""" % EXAMPLES

    def test_examples(self):
        """By pkg-config and by CMake, in C and Python: a program publishes, and others read what was recorded."""
        self.install("gcc", "libc6-dev", "pkg-config", "cmake", "make", "python3", *map(self.deb, self.debs))
        self.assertIn("libperflog.so.0", self.inside("ldconfig", "-p"))
        logs, publishes = self.EXAMPLES
        for source, library in ((logs + "series", "perflog"), (publishes + "worker", "perflog_provider"),
                                (publishes + "hwinput", "perflog_provider")):
            self.inside("sh", "-c", "cc -std=c11 -Wall -Wextra -Werror %s.c -o /srv/%s $(pkg-config --cflags --libs %s)"
                        % (source, os.path.basename(source), library))
        with open(self.at("/srv/CMakeLists.txt"), "w", encoding="utf-8") as f:
            f.write(self.PROJECT)
        self.inside("cmake", "-S", "/srv", "-B", "/srv/cmake")
        self.inside("cmake", "--build", "/srv/cmake")
        for worker, series in ("/srv/worker", "/srv/series"), ("/srv/cmake/worker", "/srv/cmake/series"):
            log = worker + ".plog"
            self.inside("timeout", "60", "sh", "-ec", "mkdir -p /run/perflog/providers; %s 500 & "
                        "until ls /run/perflog/providers/*.plr; do sleep 0.1; done; "
                        "perflog record -q -i 500ms -n 8 --min-free 0 -c Worker %s; wait" % (worker, log))
            rows = [line.split("\t") for line in self.inside(series, log, r"\Worker\Requests/sec").splitlines()]
            values = [float(value) for _, value, status in rows if status == ""]
            self.assertGreater(len(values), 2, rows)
            self.assertTrue(all(0 <= v < 110 for v in values) and max(values) > 1, "a request takes 10 ms: %s" % values)
            lines = self.inside("python3", logs + "series.py", log, r"\Worker\*").splitlines()
            self.assertGreaterEqual(len(lines), len(rows))


@needs_root
class Booted(CleanDebian):
    """With systemd, and where nobody has installed perflog yet."""

    def setUp(self):
        super().setUp()
        self.install("systemd", "systemd-sysv")
        self.prepare()
        self.booted = self.boot()

    def prepare(self):
        """What else is wanted before it boots: a service that is soon started anew."""
        os.makedirs(self.at("/etc/systemd/system/perflog.service.d"))
        with open(self.at("/etc/systemd/system/perflog.service.d/soon.conf"), "w", encoding="utf-8") as f:
            f.write("[Service]\nWatchdogSec=4\nRestartSec=1\n")

    def logs(self):
        return sorted(glob.glob(self.at("/var/log/perflog/*.plog")))

    def facts(self):
        shown = self.booted("systemctl", "show", "perflog").splitlines()
        return dict(line.split("=", 1) for line in shown if "=" in line)

    def rows(self):
        return self.booted("perflog", "export", "-q", "/var/log/perflog", "-c", r"\System\Processes").splitlines()[1:]

    def wait_for_samples(self, segments, samples):
        harness.wait_until(lambda: len(self.logs()) == segments and harness.count_samples(self.logs()[-1]) >= samples,
                           "%d segments, and samples in the last" % segments, SECONDS + 120)

    def check_recorder(self):
        """It runs as installed: its user, exactly its capabilities, its walls; and these let it read by BPF."""
        now = self.facts()
        self.assertEqual((now["ActiveState"], now["SubState"], now["NRestarts"]), ("active", "running", "0"))
        self.assertEqual(now["StatusText"], "recording into /var/log/perflog/this.plog every 5s")
        user = self.booted("id", "-u", "perflog").strip()
        text = self.booted("cat", "/proc/%s/status" % now["MainPID"])
        status = dict(line.split(":\t", 1) for line in text.splitlines())
        three = "%016x" % (1 << 19 | 1 << 38 | 1 << 39)  # CAP_SYS_PTRACE, CAP_PERFMON, CAP_BPF: linux/capability.h
        self.assertEqual([status[of] for of in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")], [three] * 5)
        self.assertEqual((status["Uid"].split(), status["Seccomp"], status["NoNewPrivs"]), ([user] * 4, "2", "1"))
        self.assertIn("processes by bpf", self.booted("perflog", "info", "/var/log/perflog"))
        self.assertRegex(self.booted("systemd-analyze", "--no-pager", "security", "perflog"),
                         r"exposure level for perflog.service: [01]\.\d OK")

    def check_what_is_left(self, of_all, *more):
        """But for logs, of what has its name; and nothing of it runs."""
        self.booted("systemctl", "is-active", "perflog", expect=3)
        self.booted("sh", "-c", "! grep -qs perflog /proc/[1-9]*/comm")
        left = [p for p in self.snapshot() if "perflog" in p and "/perflog.service.d" not in p
                and not p.startswith("/usr/share/perflog")]
        self.assertEqual(sorted(left), sorted([*more, "/var/log/perflog"] + [log[len(self.root):] for log in of_all]))

    def test_the_package_leaves_the_recorder_running(self):
        """It reloads, and if it hangs it is started anew; gone with the package, but for the logs."""
        self.install(self.deb(), inside=self.booted)
        self.wait_for_samples(1, max(2, SECONDS // 5))
        self.check_recorder()
        self.assertGreaterEqual(len(self.rows()), SECONDS // 5)
        self.booted("systemctl", "reload", "perflog")
        self.wait_for_samples(2, 1)
        first = self.logs()[0]
        before = os.stat(first)
        harness.wait_until(lambda: "PACK" in {kind for kind, _, _, _ in harness.records(first)},
                           "the complete segment is packed", SECONDS + 120)
        after = os.stat(first)
        self.assertEqual((after.st_mode, after.st_uid, after.st_gid), (before.st_mode, before.st_uid, before.st_gid))
        self.booted("sh", "-c", "kill -STOP " + self.facts()["MainPID"])
        harness.wait_until(lambda: self.facts()["NRestarts"] == "1" and len(self.logs()) == 3, "a new recorder")
        self.booted("systemctl", "stop", "perflog")
        self.assertEqual(self.facts()["Result"], "success")
        self.booted("perflog", "verify", "/var/log/perflog")
        self.booted("systemctl", "start", "perflog")
        self.wait_for_samples(4, 1)
        self.booted("apt-get", "-qq", "-y", "remove", "perflog")
        self.check_what_is_left(self.logs(), "/etc/perflog", "/etc/perflog/perflog.conf")
        self.assertEqual(len(self.logs()), 4)


if __name__ == "__main__":
    unittest.main(testRunner=harness.Runner)
