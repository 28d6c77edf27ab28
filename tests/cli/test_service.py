#!/usr/bin/env python3
"""perflog as a service: what systemd receives, the configuration file, the unit and its company.

PERFLOG_BUILD is the build tree, from which the service's files are installed into a folder.
"""
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import unittest

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import PROGRAM, SYSTEM, Case, count_samples, run

ROOT = harness.ROOT
SERVICE = os.path.join(ROOT, "logger", "service")
UNITS = ["perflog.service"] + ["perflog-push.service"] * (os.environ.get("PERFLOG_HAS_PUSH", "1") != "0")
BUILD = os.environ.get("PERFLOG_BUILD", os.path.dirname(PROGRAM))


class Manager:
    """A service manager's ear, and a recorder that knows of it."""

    def __init__(self, test, *args, watchdog_us=None):
        path = test.path("notify")
        self.ear = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.ear.bind(path)
        self.ear.settimeout(harness.TIMEOUT)
        test.addCleanup(self.ear.close)
        env = dict(os.environ, NOTIFY_SOCKET=path)
        if watchdog_us:
            env["WATCHDOG_USEC"] = str(watchdog_us)
        self.process = subprocess.Popen([PROGRAM, "record", "-q", *args], env=env, stdin=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE)
        test.addCleanup(self.abandon)

    def abandon(self):
        self.process.kill()
        self.process.communicate()

    def hears(self):
        return self.ear.recv(65536).decode()

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        _, err = self.process.communicate(timeout=harness.TIMEOUT)
        return self.process.returncode, err.decode()


class Notices(Case):
    def test_ready_alive_and_stopping(self):
        """With a sample a day, signs of life come all the same."""
        log = self.path("a.plog")
        m = Manager(self, *SYSTEM, "-i", "1d", log, watchdog_us=200_000)
        self.assertEqual(m.hears(), "READY=1\nSTATUS=recording into %s every 1d" % log)
        for _ in range(4):
            self.assertEqual(m.hears(), "WATCHDOG=1")
        self.assertEqual(m.end(), (0, ""))
        said = m.hears()
        while said == "WATCHDOG=1":
            said = m.hears()
        self.assertEqual(said, "STOPPING=1")
        self.assertEqual(count_samples(log), 1)

    def test_ready_means_that_the_log_is_there(self):
        m = Manager(self, *SYSTEM, "-i", "100ms", self.path("a.plog"))
        m.hears()
        self.assertTrue(os.path.exists(self.path("a.plog")))
        self.assertEqual(m.end(), (0, ""))

    def test_reload_rotates(self):
        m = Manager(self, *SYSTEM, "-i", "100ms", "--max-time", "1d", self.path("a.plog"))
        m.hears()

        def logs():
            return sorted(self.path(n) for n in os.listdir(self.folder) if n.endswith(".plog"))

        harness.wait_until(lambda: len(logs()) == 1 and count_samples(logs()[0]) >= 1, "a sample")
        m.process.send_signal(signal.SIGHUP)
        harness.wait_until(lambda: len(logs()) == 2 and count_samples(logs()[1]) >= 1, "a second segment")
        self.assertEqual(m.end(), (0, ""))

    def test_trouble_is_reported(self):
        """A limit on the size of files is a full disk that needs no root."""
        path = self.path("notify")
        ear = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(ear.close)
        ear.bind(path)
        ear.settimeout(harness.TIMEOUT)
        log = self.path("a.plog")
        process = subprocess.Popen(["sh", "-c", 'ulimit -f 8; exec "$@"', "sh", PROGRAM, "record", "-q", *SYSTEM,
                                    "-i", "10ms", "--sync", "never", log],
                                   env=dict(os.environ, NOTIFY_SOCKET=path), stderr=subprocess.DEVNULL)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        self.assertIn("READY=1", ear.recv(4096).decode())
        self.assertRegex(ear.recv(4096).decode(), r"\ASTATUS=%s: " % re.escape(log))


class Configuration(Case):
    def config(self, text):
        return self.write("perflog.conf", text.encode())

    def test_options_of_a_file_are_options(self):
        conf = self.config("# one\n\n  interval=250ms  \ncount = 2\n"
                           "\tcounters = \\System\\Processes\ncounters = Memory\\Available Bytes\n")
        log = self.path("a.plog")
        self.good("record", "-q", "--config", conf, log)
        sheet = self.wide(log, "-c", "System", "-c", "Memory")
        self.assertEqual(len(sheet.rows), 2)
        self.assertEqual(sheet.paths, [r"\System\Processes", r"\Memory\Available Bytes"])

    def test_later_ones_win(self):
        conf = self.config("count = 2\n")
        for before, after, n in (("5", None, 2), (None, "3", 3)):
            log = self.path("%d.plog" % n)
            args = ["-n", before] if before else []
            args += ["--config", conf]
            args += ["-n", after] if after else []
            self.good("record", "-q", *SYSTEM, "-i", "10ms", *args, log)
            self.assertEqual(count_samples(log), n)

    def test_what_is_wrong_is_reported(self):
        for text, says in (("intervall = 1s", "'intervall' is no option of record"),
                           ("i = 1s", "'i' is no option of record"),
                           ("--interval = 1s", "'--interval' is no option"),
                           ("interval", "option interval needs an argument; write 'interval = TIME'"),
                           ("all = yes", "option all takes no argument; write 'all'"),
                           ("help", "'help' is no option"),
                           ("= 1", "'' is no option"),
                           ("interval = soon", "--interval 'soon'"),
                           ("config = x", "one configuration is all"),
                           ("all\n# fine\nnonsense \x1b[31m\n", "'nonsense ")):
            conf = self.config(text)
            self.refused(1, "record", "--config", conf, self.path("a.plog"), says=says)

    def test_files_that_cannot_be_read(self):
        self.refused(1, "record", "--config", self.path("none"), self.path("a.plog"), says="none: ")
        self.refused(1, "record", "--config", self.folder, self.path("a.plog"), says=self.folder)
        conf = self.config("")
        self.refused(1, "record", "--config", conf, "--config", conf, self.path("a.plog"), says="one configuration")

    def test_the_shipped_one_is_good(self):
        log = self.path("a.plog")
        self.good("record", "-q", "--config", os.path.join(SERVICE, "perflog.conf"), "-i", "10ms", "-n", "1",
                  "--min-free", "0", log)

    def shipped(self, commented):
        with open(os.path.join(SERVICE, "perflog.conf"), encoding="utf-8") as f:
            lines = f.read().splitlines()
        return [line.lstrip("#") for line in lines if re.match(r"#?[a-z]", line)
                and (commented or not line.startswith("#"))]

    def test_every_line_that_is_commented_out_is_good(self):
        for line in self.shipped(True):
            conf = self.config(line + "\nkeep = 30\nmax-size = 64M\n")
            with self.subTest(line):
                self.good("record", "-q", "--config", conf, *(() if line.startswith("counters") else SYSTEM),
                          "-i", "10ms", "-n", "1", "--min-free", "0", self.path("a.plog"))

    def test_it_shows_every_option_and_its_default(self):
        """But for those that no service on Linux wants."""
        text = self.good("record", "--help").out
        names = set(re.findall(r"^ +(?:-., )?--([a-z0-9-]+)", text, re.M))
        lines = self.shipped(True)
        self.assertEqual(names - {line.split(" ")[0] for line in lines},
                         {"duration", "count", "forecast", "config", "quiet", "proc", "sys", "host", "language", "help"})
        flat = re.sub(r"\s+", " ", text)
        for line in set(lines) - set(self.shipped(False)):
            name, _, value = line.partition(" = ")
            if value and name != "counters":
                self.assertRegex(flat, r"--%s [^-]*(?:-[^-]+)*?\(default: %s\)" % (name, re.escape(value)), line)


class Sandbox(Case):
    def inside(self, script):
        """Run a shell script where every mount is read-only but that of the test's own folder, as the unit has it."""
        enter = ["--mount"] + ([] if os.geteuid() == 0 else ["--map-root-user"])
        lock = 'mount --bind . . && cd "$PWD" && mount -o remount,bind,ro / && '
        if not shutil.which("unshare") or run(*enter, "sh", "-c", lock + "true", program="unshare",
                                              cwd=self.folder).code:
            self.skipTest("no right to mount anything here")
        return run(*enter, "sh", "-c", lock + script, program="unshare", cwd=self.folder,
                   env=dict(os.environ, PERFLOG=PROGRAM))

    def test_what_is_read_only_for_it_alone_is_not_read_only(self):
        before = os.statvfs("/").f_flag & os.ST_RDONLY
        r = self.inside('"$PERFLOG" record -q -i 10ms -n 1 --min-free 0 -c LogicalDisk a.plog')
        self.assertEqual((r.code, r.err), (0, ""))
        text = self.good("export", "-q", "--layout", "long", "-c", r"LogicalDisk(/)\Read Only", self.path("a.plog")).out
        self.assertEqual(harness.long_rows(text)[0]["Value"], str(before))


@unittest.skipUnless(shutil.which("systemd-analyze"), "systemd-analyze is not installed")
class Unit(Case):
    def setUp(self):
        super().setUp()
        self.stage = self.path("stage")
        subprocess.run(["cmake", "--install", BUILD, "--component", "perflog"], check=True,
                       env=dict(os.environ, DESTDIR=self.stage), stdout=subprocess.DEVNULL)

    def installed(self, name, folder):
        found = [os.path.join(parent, name) for parent, _, names in os.walk(self.stage)
                 if name in names and parent.endswith(folder)]
        self.assertEqual(len(found), 1, name)
        return found[0]

    def analyze(self, *args):
        done = subprocess.run(["systemd-analyze", "--no-pager", *args], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=harness.TIMEOUT)
        return done.returncode, done.stdout.decode()

    def test_unit_verifies(self):
        """As installed, but with the program and the manual where they are just now."""
        for name in UNITS:
            unit = self.installed(name, "systemd/system")
            with open(unit, encoding="utf-8") as f:
                text = f.read()
            program = re.search(r"^ExecStart=(\S+/perflog) ", text, re.M).group(1)
            self.assertTrue(os.access(self.stage + program, os.X_OK), "installed where the unit looks for it")
            here = self.write(name, text.replace(program, PROGRAM).encode())
            self.assertEqual(self.analyze("verify", "--man=no", here), (0, ""))

    def test_mount_unit_verifies(self):
        """And every boot has it, before programs publish anything."""
        name = "run-perflog-providers.mount"
        unit = self.installed(name, "systemd/system")
        self.assertEqual(self.analyze("verify", "--man=no", unit), (0, ""))
        self.assertEqual(os.readlink(self.installed(name, "sysinit.target.wants")), "../" + name)

    def test_it_is_hardened(self):
        for name in UNITS:
            code, text = self.analyze("security", "--offline=true", "--threshold=20",
                                      self.installed(name, "systemd/system"))
            self.assertEqual(code, 0, text)
            self.assertRegex(text, r"exposure level for %s: [01]\.\d OK" % name)

    def test_it_outlives_what_packs_its_segments(self):
        """That is ended first where memory is short; systemd would end all of the service."""
        with open(self.installed("perflog.service", "systemd/system"), encoding="utf-8") as f:
            self.assertIn("\nOOMPolicy=continue\n", f.read())

    def test_configuration_is_where_the_unit_looks(self):
        with open(self.installed("perflog.service", "systemd/system"), encoding="utf-8") as f:
            conf = re.search(r"--config (\S+)", f.read()).group(1)
        self.assertTrue(os.path.exists(self.stage + conf), conf)

    @unittest.skipUnless(os.geteuid() == 0, "making users and folders for them takes root")
    def test_user_and_folders(self):
        os.makedirs(os.path.join(self.stage, "etc"), exist_ok=True)
        for tool, folder in (("systemd-sysusers", "sysusers.d"), ("systemd-tmpfiles", "tmpfiles.d")):
            conf = self.installed("perflog.conf", folder)
            args = ["--create"] if tool == "systemd-tmpfiles" else []
            done = subprocess.run([tool, "--root=" + self.stage, *args, conf], stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, timeout=harness.TIMEOUT)
            self.assertEqual(done.returncode, 0, done.stdout)
        with open(os.path.join(self.stage, "etc", "passwd"), encoding="utf-8") as f:
            user = next(line.split(":") for line in f if line.startswith("perflog:"))
        self.assertTrue(user[6].strip().endswith("nologin"))
        for folder, mode, owner in (("var/log/perflog", 0o750, int(user[2])), ("run/perflog", 0o755, 0),
                                    ("run/perflog/providers", 0o3773, int(user[2])),
                                    ("run/perflog/users", 0o755, 0), ("run/perflog/users/0", 0o2770, 0)):
            st = os.stat(os.path.join(self.stage, folder))
            self.assertEqual((st.st_mode & 0o7777, st.st_uid), (mode, owner), folder)


if __name__ == "__main__":
    harness.main()
