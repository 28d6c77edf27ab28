#!/usr/bin/env python3
"""perflog record --processes: which way is taken, and what either says of processes that come and go."""
import ctypes
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import Case, Recording, long_rows, run

FAST = ("-q", "-i", "100ms")
LOGS = r"\Process(perflog:*)\ID Process"


def why_not():
    """What --processes=bpf says here; None where BPF is to be had."""
    r = run("record", "-q", "--processes=bpf", "-n", "1", "-i", "10ms", "-c", "Process",
            os.path.join(os.devnull, "x"))
    return r.err.strip() if "by BPF" in r.err else None


NO_BPF = why_not()
needs_bpf = unittest.skipIf(NO_BPF, "no BPF here: %s" % NO_BPF)


def why_no_taskstats():
    """What list --why would say of it; None where processes read from /proc are seen to end."""
    with tempfile.TemporaryDirectory(dir=harness.MEMORY) as folder:
        log = os.path.join(folder, "a.plog")
        run("record", "-q", "--processes=proc", "-n", "1", "-i", "10ms", "-c", "Process", log)
        about = json.loads(run("info", "--json", log).out)[0]
    return about.get("process_reason", "").partition("taskstats: ")[2] or None


NO_TASKSTATS = why_no_taskstats()
needs_taskstats = unittest.skipIf(NO_TASKSTATS, "no taskstats here: %s" % NO_TASKSTATS)
# In the order of linux/capability.h: network's and system's administrator, measuring, BPF.
RIGHTS = 1 << 12 | 1 << 21 | 1 << 38 | 1 << 39


def has_all_rights():
    """True where nothing of the machine stands in the way of BPF and taskstats; perflog is not asked."""
    with open("/proc/self/status", encoding="ascii") as f:
        effective = int(re.search(r"^CapEff:\s*(\w+)", f.read(), re.M)[1], 16)
    version = tuple(map(int, re.match(r"(\d+)\.(\d+)", os.uname().release).groups()))
    return (effective & RIGHTS == RIGHTS and os.readlink("/proc/self/ns/pid") == "pid:[4026531836]" and
            version >= (5, 19) and os.path.exists("/sys/kernel/btf/vmlinux") and
            not os.path.exists("/sys/kernel/security/lockdown"))


needs_root = unittest.skipIf(os.geteuid(), "only root can give up rights")
HAS_UNSHARE = not os.geteuid() and shutil.which("unshare") and not subprocess.call(
    ["unshare", "-pf", "--mount-proc", "true"], stderr=subprocess.DEVNULL)
HAS_STRACE = shutil.which("strace") and not subprocess.call(["strace", "-qq", "-o", "/dev/null", "true"])
needs_strace = unittest.skipUnless(HAS_STRACE, "strace cannot be used here")
needs_unshare = unittest.skipUnless(HAS_UNSHARE, "no namespaces to be had here")


def is_called(pid, name):
    with open("/proc/%d/comm" % pid) as f:
        return f.read() == name + "\n"


def forbid_bpf():
    """From now on bpf() fails with EPERM in this process, as in many a container."""
    libc = ctypes.CDLL(None, use_errno=True)
    numbers = {"x86_64": 321, "aarch64": 280, "riscv64": 280, "s390x": 351, "ppc64le": 361}
    nr = numbers[os.uname().machine]
    code = b"".join(struct.pack("=HBBI", *line) for line in (
        (0x20, 0, 0, 0),              # load the number of the call
        (0x15, 0, 1, nr),             # bpf?
        (0x06, 0, 0, 0x00050001),     # fail with EPERM
        (0x06, 0, 0, 0x7fff0000)))    # go on
    room = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("@HP", len(code) // 8, ctypes.addressof(room))
    if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, program):
        raise OSError(ctypes.get_errno(), "prctl")


class Processes(Case):
    def setUp(self):
        super().setUp()
        self.log = self.path("a.plog")

    def way(self, log=None):
        return self.about(log)["process_path"]

    def about(self, log=None):
        return json.loads(self.good("info", "--json", log or self.log).out)[0]

    def inside(self, command, *args):
        """Run perflog below another program that takes something from it."""
        return subprocess.run([*command, harness.PROGRAM, *args], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=harness.TIMEOUT,
                              universal_newlines=True)

    def rows(self, *args):
        return long_rows(self.good("export", "-q", "--layout", "long", *args, self.log).out)


class HadHere(unittest.TestCase):
    """Where nothing stands in the way, what perflog says of itself is no reason to leave out tests."""

    @unittest.skipUnless(has_all_rights(), "rights, or an older kernel, stand in the way")
    def test_both_ways(self):
        if "this build has no BPF" not in (NO_BPF or ""):
            self.assertIsNone(NO_BPF)
        self.assertIsNone(NO_TASKSTATS)


class Ways(Processes):
    def test_proc_on_request(self):
        self.record(self.log, *FAST, "--processes=proc", "-n", "2")
        self.assertEqual(self.way(), "proc")
        self.assertIn("processes by proc", self.good("info", self.log).out)

    def test_a_state_is_a_letter(self):
        """Whichever way it was read, and a window of many has a letter as well."""
        for way in ["proc"] + ([] if NO_BPF else ["bpf"]):
            self.log = self.record(self.path(way + ".plog"), "--processes", way, "-i", "100ms", "-n", "4", "-c",
                                   r"\Process(*)\State")
            for every in [], ["--every", "1h"]:
                letters = {r["Value"] for r in self.rows(*every, "-c", r"\Process(*)\State")} - {""}
                self.assertLessEqual(letters, set("RSDTtZXIP"))
                self.assertIn("S", letters)

    @needs_bpf
    def test_bpf_where_it_can_be_had(self):
        for asked in "bpf", "auto":
            log = self.record(self.path(asked + ".plog"), *FAST, "--processes", asked, "-n", "2")
            self.assertEqual(self.way(log), "bpf")
        log = self.record(self.path("default.plog"), *FAST, "-n", "2")
        self.assertEqual(self.way(log), "bpf")

    def times_add_up(self, way, *objects):
        """User and privileged time of each instance are its processor time; one of them works in both ways."""
        burner = subprocess.Popen(["sh", "-c", "while :; do :; done | cat /dev/zero >/dev/null"],
                                  start_new_session=True)
        try:
            chosen = [r"\%s(*)\%% %s Time" % (o, c) for o in objects
                      for c in ("Processor", "User", "Privileged")]
            self.record(self.log, *FAST, "--processes", way, "-n", "15", *sum((["-c", c] for c in chosen), []))
        finally:
            os.killpg(burner.pid, signal.SIGKILL)
            burner.wait()
        parts, compared = {}, 0
        for row in self.rows(*sum((["-c", c] for c in chosen), [])):
            if row["Value"]:
                parts.setdefault((row["Time"], row["Object"], row["Instance"]), {})[row["Counter"]] = float(row["Value"])
            self.assertNotEqual(row["Status"], "negative", row)
        for key, v in parts.items():
            if key[2] != "_Total":
                # Each is rounded to 100 ns, and a late sample is followed by a punctual one after a millisecond or more.
                self.assertAlmostEqual(v["% User Time"] + v["% Privileged Time"], v["% Processor Time"], delta=0.03,
                                       msg=key)
                compared += v["% Processor Time"] > 1
        self.assertGreater(compared, 10)

    @needs_bpf
    def test_parts_of_the_time_by_bpf(self):
        self.times_add_up("bpf", "Process", "Thread")

    def test_parts_of_the_time_from_proc(self):
        """Threads' own sums are exact there, their parts in ticks."""
        self.times_add_up("proc", "Process")

    @needs_bpf
    def test_a_thread_that_takes_the_place_of_the_main_one(self):
        """By exec: it gets number and start of the main thread, but counts on from its own values."""
        code = ("import os, sys, threading, time\n"
                "while time.thread_time() < 0.3: pass\n"
                "print(flush=True); sys.stdin.readline()\n"
                "threading.Thread(target=lambda: os.execv('/bin/cat', ['cat'])).start(); threading.Event().wait()")
        child = subprocess.Popen([*harness.PYTHON, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(child.stdout.close)
        self.addCleanup(child.communicate)
        child.stdout.read(1)
        recorder = Recording(self, self.log, *FAST, "--processes=bpf", "-c", r"\Thread(*)\% Processor Time")
        recorder.wait_for(2)
        child.stdin.write(b"\n")
        child.stdin.flush()
        harness.wait_until(lambda: is_called(child.pid, "cat"), "the thread has called exec")
        recorder.wait_for_more(3)
        self.assertEqual(recorder.end().code, 0)
        rows = [r for r in self.rows() if r["Instance"].endswith("/cat:%d" % child.pid)]
        self.assertEqual(rows[0]["Status"], "first", "what it did before is not of this time")
        self.assertEqual({r["Status"] for r in rows[1:]}, {""})

    def test_a_name_that_is_chosen_later(self):
        """What a process did under a name that -c does not choose is not of its first sample under another."""
        name = "late%d" % os.getpid()
        code = ("import os, sys, time\n"
                "while time.process_time() < 0.3: pass\n"
                "print(flush=True); sys.stdin.readline(); open('/proc/self/comm', 'w').write(sys.argv[1])\n"
                "print(flush=True); sys.stdin.read()")
        for way in ["proc"] + ([] if NO_BPF else ["bpf"]):
            self.log = self.path(way + ".plog")
            recorder = Recording(self, self.log, *FAST, "--processes", way, "-c", r"\Process(%s:*)\%% Processor Time" % name)
            recorder.wait_for(2)
            child = subprocess.Popen([*harness.PYTHON, "-c", code, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            self.addCleanup(child.stdout.close)
            self.addCleanup(child.communicate)
            child.stdout.read(1)
            recorder.wait_for_more(2)
            child.stdin.write(b"\n")
            child.stdin.flush()
            child.stdout.read(1)
            recorder.wait_for_more(3)
            self.assertEqual(recorder.end().code, 0)
            first, *others = self.rows("-c", r"\Process(%s:%d)\%% Processor Time" % (name, child.pid))
            self.assertEqual((first["Value"], first["Status"]), ("", "first"), way)
            self.assertEqual({r["Status"] for r in others}, {""}, way)

    def test_no_way_where_no_processes_are_recorded(self):
        self.record(self.log, *FAST, "-n", "2", "-c", "Memory")
        self.assertFalse(self.way())

    def test_a_way_that_is_none(self):
        self.refused(1, "record", "--processes=fast", self.log, says="give auto, bpf or proc")

    def test_a_saved_tree_has_no_bpf(self):
        os.makedirs(self.path("proc", "1"))
        self.refused(1, "record", "--processes=bpf", "--proc", self.path("proc"), self.log,
                     says="cannot read processes by BPF: ")

    @needs_root
    def test_without_privilege(self):
        """Silently from /proc, but info says why; asked for BPF, it says what is missing."""
        os.chown(self.folder, 65534, 65534)
        nobody = ("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups")
        r = self.inside(nobody, "record", "-n", "2", "-i", "100ms", self.log)
        self.assertEqual(r.returncode, 0, r.stderr)
        self.assertNotIn("BPF", r.stderr)
        self.assertEqual(self.way(), "proc")
        if not NO_BPF:
            self.assertIn("not permitted; ", self.good("info", self.log).out)
            self.assertIn("not permitted; ", self.about()["process_reason"])
        r = self.inside(nobody, "record", "--processes=bpf", self.path("b.plog"))
        self.assertEqual(r.returncode, 1)
        self.assertEqual(r.stderr.count("\n"), 1)
        self.assertIn("cannot read processes by BPF: ", r.stderr)
        if not NO_BPF:
            self.assertIn("CAP_BPF and CAP_PERFMON", r.stderr)
        self.assertFalse(os.path.exists(self.path("b.plog")))


    @needs_bpf
    def test_a_privilege_that_does_not_help(self):
        """Under a filter root falls back, and both record and info say why."""
        r = run("record", *FAST, "-n", "2", self.log, preexec_fn=forbid_bpf)
        self.assertEqual(r.code, 0, r)
        self.assertEqual(r.err.count("\n"), 1, r.err)
        self.assertIn("processes are read from /proc, at a higher cost, not by BPF: a seccomp filter",
                      r.err)
        self.assertEqual(self.way(), "proc")
        self.assertIn("not by BPF: a seccomp filter", self.good("info", self.log).out)
        self.refused(1, "record", "--processes=bpf", self.path("b.plog"), preexec_fn=forbid_bpf,
                     says="cannot read processes by BPF: a seccomp filter")

    @needs_bpf
    def test_no_reason_where_none_is_due(self):
        for way in "bpf", "proc":
            log = self.path(way + ".plog")
            r = run("record", *FAST, "-n", "2", "--processes", way, log)
            self.assertEqual((r.code, r.err), (0, ""))
            self.assertNotIn("process_reason", self.about(log))


class Namespaces(Processes):
    @needs_bpf
    @needs_unshare
    def test_numbers_are_those_of_the_namespace(self):
        r = self.inside(("unshare", "-pf", "--mount-proc"), "record", *FAST, "-n", "2", self.log)
        self.assertEqual(r.returncode, 0, r.stderr)
        self.assertEqual(self.way(), "bpf")
        rows = self.rows("-c", r"\Process(*)\ID Process", "-c", r"\Process(*)\Creating Process ID")
        self.assertEqual({(x["Instance"], x["Counter"], float(x["Value"])) for x in rows},
                         {("perflog:1", "ID Process", 1.0),
                          ("perflog:1", "Creating Process ID", 0.0)})

    @needs_unshare
    def test_numbers_are_those_of_proc(self):
        """A namespace with the /proc of another one: only that way fits."""
        r = self.inside(("unshare", "-pf"), "record", *FAST, "-n", "2", self.log)
        self.assertEqual(r.returncode, 0, r.stderr)
        self.assertEqual(self.way(), "proc")
        rows = self.rows("-c", LOGS)
        self.assertTrue(rows)
        self.assertNotIn("perflog:1", {x["Instance"] for x in rows})
        if not NO_BPF:
            r = self.inside(("unshare", "-pf"), "record", "--processes=bpf", self.path("b.plog"))
            self.assertEqual(r.returncode, 1)
            self.assertIn("namespace", r.stderr)

    @needs_unshare
    def test_starts_are_those_of_the_time_namespace(self):
        r = self.inside(("unshare", "-T", "-f", "--boottime", "100000"), "record", *FAST, "-n", "2",
                        self.log)
        if "invalid option" in r.stderr or "failed" in r.stderr:
            self.skipTest("no time namespaces: " + r.stderr)
        self.assertEqual(r.returncode, 0, r.stderr)
        self.assertEqual(self.way(), "proc")
        ages = [float(x["Value"]) for x in self.rows("-c", r"\Process(perflog:*)\Elapsed Time")
                if x["Value"]]
        self.assertTrue(ages)
        self.assertLess(min(ages), 10)


@needs_bpf
@needs_unshare
@needs_unshare
@needs_strace
class CountedInANamespace(Processes):
    """Without Process, where the links of /proc do not say how many processes there are."""
    SAMPLES = 60

    def lists(self, children, *options):
        """How often a folder was read; each sample has the right number."""
        trace = self.path("trace")
        r = self.inside(("unshare", "-pf", "--mount-proc", "--kill-child", "sh", "-c", '''
            for i in $(seq %d); do sleep 1000 & done
            ASAN_OPTIONS=detect_leaks=0 strace -f -qq -o %s -e trace=getdents64 "$@"''' % (children, trace), "sh"),
            "record", "-q", "-i", "20ms", "-n", str(self.SAMPLES), *options, "-c", r"\System\Processes", self.log)
        self.assertEqual(r.returncode, 0, r.stderr)
        rows = self.rows("-c", r"\System\Processes")
        self.assertEqual({float(x["Value"]) for x in rows}, {children + 3.0})  # sh, strace and perflog
        with open(trace) as f:
            return len(f.readlines())

    def test_many_are_counted(self):
        self.assertLess(self.lists(150), self.SAMPLES)

    def test_few_are_listed(self):
        self.assertGreater(self.lists(20), self.SAMPLES)

    def test_proc_on_request(self):
        self.assertGreater(self.lists(150, "--processes=proc"), self.SAMPLES)


class WhereNothingTellsOfEnds(Processes):
    """The counters are absent, and list --why, info and record's log say what is missing."""
    ENDS = "Exits/sec", "Exit Status", "Exits Lost"

    def check(self, command, *missing):
        r = self.inside(command, "record", *FAST, "--processes=proc", "-n", "2", "-c", "Process", "-c",
                        "Performance Logger", self.log)
        self.assertEqual(r.returncode, 0, r.stderr)
        self.assertNotIn("perflog: ", r.stderr)  # the sanitizer may have words of its own on a foreign /proc
        shown = {line.rsplit("\\", 1)[1] for line in self.good("list", self.log).out.splitlines()}
        self.assertIn("% Processor Time", shown)
        self.assertFalse(shown.intersection(self.ENDS))
        said = self.good("info", self.log).out
        for what in missing:
            self.assertIn("nor are ended processes seen, by taskstats: " + what, said)
        return said

    @needs_unshare
    @needs_taskstats
    def test_in_a_pid_namespace(self):
        self.check(("unshare", "-pf", "--mount-proc"), "not for a process in a pid or user namespace of its own")

    @needs_unshare
    @needs_taskstats
    def test_in_a_network_namespace(self):
        self.check(("unshare", "-n"), "it sends to another network namespace")

    @needs_unshare
    def test_in_what_a_container_is_made_of(self):
        container = "unshare", "-Urpf", "--mount-proc"
        if subprocess.call([*container, "true"], stderr=subprocess.DEVNULL):
            self.skipTest("no user namespaces here")
        self.check(container, "not permitted; it takes CAP_NET_ADMIN")
        r = self.inside(container, "list", "--why")
        self.assertEqual(r.returncode, 0, r.stderr)
        (line,) = [line for line in r.stdout.splitlines() if r"\Process(*)\Exits/sec" in line]
        self.assertIn("not by BPF: ", line)
        if not NO_BPF:
            self.assertIn("not by BPF: not permitted; CAP_BPF and CAP_PERFMON of a user namespace are not enough", line)
        self.assertIn("not by taskstats: not permitted; it takes CAP_NET_ADMIN", line)

    @needs_root
    def test_without_privilege(self):
        os.chown(self.folder, 65534, 65534)
        self.check(("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"), "not permitted; ")

    @needs_unshare
    @needs_taskstats
    def test_with_the_numbers_of_another_proc(self):
        self.check(("unshare", "-pf"), "/proc is that of another pid namespace, or saved")


class Descriptors(Processes):
    """Files of processes are kept open as far as the limit allows; all processes are recorded all the same."""
    NUM = 60

    def crowd(self):
        """Processes that do nothing, by the name they have in a log."""
        children = [subprocess.Popen(["sleep", "600"]) for _ in range(self.NUM)]
        for child in children:
            self.addCleanup(child.wait)
            self.addCleanup(child.kill)
        for child in children:
            with open("/proc/%d/comm" % child.pid) as comm:
                harness.wait_until(lambda: comm.seek(0) == 0 and comm.read() == "sleep\n", "it has its name")
        return {"sleep:%d" % child.pid for child in children}

    def kept(self, limit, log):
        """Descriptors of a recorder that may have so many."""
        recorder = subprocess.Popen(["sh", "-c", "ulimit -n %d; exec \"$@\"" % limit, "sh", harness.PROGRAM, "record",
                                     *FAST, "--processes=proc", "-c", "Process", log])
        self.addCleanup(recorder.kill)
        harness.wait_until(lambda: harness.count_samples(log) >= 4 or recorder.poll() is not None, "four samples")
        num = len(os.listdir("/proc/%d/fd" % recorder.pid))
        recorder.send_signal(signal.SIGINT)
        self.assertEqual(recorder.wait(harness.TIMEOUT), 0)
        return num

    def test_kept_as_far_as_the_limit_goes(self):
        crowd = self.crowd()
        for limit, least, most in (40, 0, 30), (200, 60, 110), (1024, 2 * self.NUM, 1024):
            with self.subTest(limit=limit):
                self.log = self.path("%d.plog" % limit)
                num = self.kept(limit, self.log)
                self.assertTrue(least <= num <= most, num)
                for counter in "Working Set", "IO Read Bytes/sec":
                    values = {}
                    for row in self.rows("-c", "\\Process(sleep:*)\\" + counter):
                        values.setdefault(row["Instance"], []).append(row["Value"])
                    self.assertLessEqual(crowd, set(values))
                    for name in crowd:
                        self.assertTrue(all(values[name][1:]), (name, values[name]))


STORM = r"""
import os
while True:
    children = []
    for i in range(40):
        pid = os.fork()
        if not pid:
            if i % 4 == 0:
                os.execv("/bin/true", ["true"])
            os._exit(0)
        children.append(pid)
    for pid in children:
        os.waitpid(pid, 0)
"""


TOOK = r"\Performance Logger\Last Collection Microseconds"


class Churn(Processes):
    where = harness.MEMORY

    def most_by_time(self, rows):
        """What a process can have used at most in the pair that ends with each row, in per cent.

        It was read at any instant while the sample was made, which may take long on a busy machine; how long stands
        in the next one.  Times of /proc are in ticks of 10 ms.
        """
        instants = [utc / 1e9 for kind, _, _, utc in harness.records(self.log) if kind == "SMPL"]
        took = [(x["Time"], float(x["Value"]) / 1e6) for x in rows if "\\%s\\%s" % (x["Object"], x["Counter"]) == TOOK]
        self.assertEqual(len(took), len(instants))
        most = {}
        for k in range(1, len(took) - 1):
            pair = instants[k] - instants[k - 1]
            most[took[k][0]] = 100 * (os.cpu_count() * (pair + took[k + 1][1]) + 0.02) / pair
        self.pairs = dict(zip((time for time, _ in took), zip(instants, took)))
        return most

    def around(self, rows, x):
        """The instance's values, and when and how long samples were taken, shortly before a row and after it."""
        times = sorted({row["Time"] for row in rows})
        at = times.index(x["Time"])
        return [(self.pairs.get(time), [row["Value"] for row in rows if (row["Time"], row["Instance"], row["Counter"]) ==
                                        (time, x["Instance"], x["Counter"])]) for time in times[max(at - 4, 0):at + 4]]

    def storm(self, way):
        """Samples come in time, are whole, and no process has used more than there is."""
        storm = subprocess.Popen(["python3", "-c", STORM])
        self.addCleanup(storm.wait)
        self.addCleanup(storm.kill)
        self.record(self.log, "-i", "20ms", "-n", "100", "--processes", way)
        self.assertEqual(self.way(), way)
        self.good("verify", self.log)
        rows = self.rows("-c", r"\Process(*)\% Processor Time", "-c", r"\Process(*)\Page Faults/sec", "-c", TOOK)
        good = [x for x in rows if x["Value"] and x["Counter"] == "% Processor Time" and x["Instance"] != "_Total"]
        self.assertGreater(len(good), 1000)
        most = self.most_by_time(rows)
        for x in good:
            if float(x["Value"]) > most.get(x["Time"], float("inf")):
                self.fail((x, most[x["Time"]], self.around(rows, x)))
        rows = [x for x in rows if x["Object"] == "Process"]
        statuses = {x["Status"] for x in rows}
        self.assertFalse(statuses - {"", "first", "absent", "gap"}, statuses)

    def test_by_proc(self):
        self.storm("proc")

    @needs_bpf
    def test_by_bpf(self):
        self.storm("bpf")


if __name__ == "__main__":
    harness.main()
