"""The stage of attacks on a recorder of root by a user without any rights, who publishes counters.

A test plays that user in namespaces of its own (mounts, processes), with a /run and a /dev/shm of its own.  Others
publish at the same time: root, and an honest user.  All their samples must be there and right, the log must be no
larger than twice what it is without the attack, and it must name who did it.  What a sample costs is compared with
another recorder, which runs at the same time and sees the same machine, but not the attack.
"""
import glob
import json
import os
import subprocess
import sys

import harness
from harness import SKIP, Case, Recording, count_samples, is_instrumented, run, status_kb, wait_until

IN_NAMESPACE = "PERFLOG_TEST_IN_NAMESPACE"
FOLDER = "/run/perflog/providers"
QUIET = "/run/quiet"  # where the other recorder looks
NOBODY, HONEST = 65534, 1000
MEMORY_KB = 16 * 1024
INTERVAL = "200ms"
TIMES = 2.0  # what a sample may cost of what it costs when all is quiet
MEASURED = 30  # at most: all files that an attack begins with have been opened by then, four a sample


def mount(path, options):
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", path], check=True)


def cpu_ns(pid):
    """Processor time of all threads so far."""
    total = 0
    for path in glob.glob("/proc/%d/task/*/schedstat" % pid):
        with open(path) as f:
            total += int(f.read().split()[0])
    return total


class Actor:
    """A process that publishes, as that user."""

    def __init__(self, test, user, *args):
        self.process = subprocess.Popen([*harness.PYTHON, os.path.join(harness.SUPPORT, test.actors), str(user), *map(str, args)],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.pid = self.process.pid
        test.addCleanup(self.end)
        if self.process.stdout.readline() != b"ready\n":
            raise AssertionError("%r cannot begin" % (args,))

    def end(self):
        if not self.process.stdin.closed:
            self.process.stdin.close()
            self.process.wait(timeout=harness.TIMEOUT)
            self.process.stdout.close()


class Attack(Case):
    actors = "hostile.py"

    def setUp(self):
        super().setUp()
        os.chmod(self.folder, 0o755)
        for path, options in (("/run", "mode=755"), ("/dev/shm", "mode=1777")):
            mount(path, options)
            self.addCleanup(subprocess.run, ["umount", "-l", path], check=True)
        for folder in (FOLDER, QUIET):
            os.makedirs(folder)
            os.chmod(folder, 0o3773)
        self.log, self.beside = self.path("a.plog"), None

    def begin(self, *options):
        r = Recording(self, self.log, "-q", "-i", INTERVAL, "--processes", "proc", *options)
        r.wait_for(2)
        return r

    def begin_beside(self, *options):
        """The same recorder without the attack, at the same time; sanitizers leave nothing to compare."""
        if is_instrumented():
            return
        os.environ["PERFLOG_PROVIDER_DIR"] = QUIET
        self.beside = Recording(self, self.path("quiet.plog"), "-q", "-i", INTERVAL, "--processes", "proc", *options)
        del os.environ["PERFLOG_PROVIDER_DIR"]
        self.beside.wait_for(2)

    def samples(self):
        return count_samples(self.log)

    def end(self, r):
        """End the recording; returns what info says of the log, as data."""
        memory = status_kb(r.process.pid, "VmHWM")
        done = r.end()
        self.assertEqual(done.code, 0, done)
        if not is_instrumented():
            self.assertLess(memory, MEMORY_KB)
        if self.beside:
            self.assertEqual(self.beside.end().code, 0)
            os.unlink(self.beside.path)
            self.beside = None
        facts, = json.loads(run("info", "--json", self.log).out)
        self.assertEqual((facts["damaged_ranges"], facts["missing_records"]), (0, 0))
        return facts

    def values(self, path):
        """The values of a counter, from the first row to the last in which it is; None for a hole."""
        r = run("export", "-q", "--layout", "wide", "-c", path, self.log)
        self.assertEqual(r.code, 0, r)
        column = harness.Wide(r.out).column(path[path.rindex("\\"):])
        there = [i for i, value in enumerate(column) if value is not None]
        return column[there[0]:there[-1] + 1] if there else []

    def check_honest(self, path, value, least):
        values = self.values(path)
        self.assertGreaterEqual(len(values), least)
        self.assertEqual(values, [value] * len(values), "every row of %s is there and right" % path)

    def events(self):
        return run("info", self.log).out

    def attack(self, *actor, samples=15, user=NOBODY, options=(), after=5):
        """
        What both honest ones publish is recorded beside the attack, and what begins 'after' samples before its end;
        ends with the log's facts.
        """
        honest = [Actor(self, who, "one", folder, program, name, value) for folder in (FOLDER, QUIET)
                  for who, program, name, value in ((0, "rootapp", "Root", 1111), (HONEST, "userapp", "User", 2222))
                  if folder == FOLDER or not is_instrumented()]
        r = self.begin(*options)
        self.begin_beside(*options)
        r.wait_for_more(2)
        before = self.costs(r)
        bad = Actor(self, user, *actor)
        r.wait_for_more(samples)
        if before:
            self.check_costs(r, before, samples)
        late = Actor(self, 0, "one", FOLDER, "lateapp", "Late", 3333)
        r.wait_for_more(after)
        for a in (late, *honest):
            a.end()
        r.wait_for_more(1)
        bad.end()
        facts = self.end(r)
        self.check_honest(r"\Root\C", 1111, samples + after + 2)
        self.check_honest(r"\User\C", 2222, samples + after + 2)
        self.check_honest(r"\Late\C", 3333, 4)
        return facts

    def costs(self, r):
        """CPU time of both recorders so far."""
        return [cpu_ns(a.process.pid) for a in (r, self.beside)] if self.beside else None

    def check_costs(self, r, before, samples):
        """
        A sample costs at most TIMES as much as one of the recorder beside it.  What else runs on the machine adds to
        either, so the attack goes on and is measured again, MEASURED times, until it is seen to be cheap.
        """
        ratios = []
        for _ in range(MEASURED):
            after = self.costs(r)
            attacked, quiet = (b - a for a, b in zip(before, after))
            ratios.append("%.1f/%.1f" % (attacked / 1e6, quiet / 1e6))
            if attacked < TIMES * quiet:
                return
            before = after
            r.wait_for_more(samples)
        self.fail("CPU ms, and that of a recorder beside it: %s" % ", ".join(ratios))

    def quiet_facts(self):
        """Of a recording without an attack; once for all tests."""
        if not Attack.facts_of_quiet:
            log = self.path("no-attack.plog")
            self.record(log, "-i", INTERVAL, "-n", "25", "--processes", "proc")
            Attack.facts_of_quiet, = json.loads(run("info", "--json", log).out)
        return Attack.facts_of_quiet

    facts_of_quiet = None

    def check_size(self, facts):
        """Published counters at most double a log, and have a quarter of a MiB at the beginning."""
        quiet = self.quiet_facts()
        self.assertLess(facts["bytes"] / facts["samples"], 2 * max(quiet["bytes"] / quiet["samples"], 4096)
                        + 256 * 1024 / facts["samples"])

    def refusals(self, limit):
        """What it has left out at the end of the log."""
        return self.values(r"\Perflog Limit(%s)\Refusals" % limit)[-1]

    def names_the_culprit(self, uid=str(NOBODY)):
        self.assertRegex(self.events(), r"Health .*\b%s\b" % uid)


def main():
    """Run the tests in namespaces; when the first process there ends, so do all others."""
    if os.geteuid() != 0:
        print("skipped: only root can play other users")
        sys.exit(SKIP)
    unshare = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
    if IN_NAMESPACE not in os.environ:
        os.environ[IN_NAMESPACE] = "yes"
        for name in ("PERFLOG_PROVIDER_DIR", "XDG_RUNTIME_DIR"):
            os.environ.pop(name, None)
        if subprocess.run([*unshare, "true"]).returncode:
            print("skipped: there are no namespaces to be had")
            sys.exit(SKIP)
        os.execvp("unshare", [*unshare, *harness.PYTHON, *sys.argv])
    os.environ.pop("PERFLOG_PROVIDER_DIR", None)  # which harness has set
    harness.main()
