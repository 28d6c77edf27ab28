#!/usr/bin/env python3
"""From an application's counters to a sheet: the sample application beside a recording.

HWINPUT and WORKER name the sample programs, BUILD the build folder; flags of the compiler in CFLAGS.
"""
import os
import select
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import Case, Recording, long_rows

HWINPUT, WORKER = os.environ["HWINPUT"], os.environ["WORKER"]
BUILD = os.environ["BUILD"]
SOURCE = harness.ROOT
CLICKS = r"\Mouse Clicks(*)\*"
FOR_EVER = ":1000000000000"
BUTTONS = "_Total", "Left", "Middle", "Right"


def samples(num):
    return lambda log, pid: harness.count_samples(log) >= num


class Publishing(Case):
    def setUp(self):
        super().setUp()
        self.dir = tempfile.mkdtemp(prefix="perflog-test-", dir="/dev/shm")
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)
        os.environ["PERFLOG_PROVIDER_DIR"] = self.dir
        self.addCleanup(os.environ.pop, "PERFLOG_PROVIDER_DIR")

    def start(self, *command):
        """A program that publishes; comes back when it does."""
        p = subprocess.Popen(command, stdout=subprocess.PIPE, universal_newlines=True)
        self.addCleanup(lambda: p.poll() is None and p.kill())
        harness.wait_until(lambda: any(".%d." % p.pid in name and name.endswith(".plr")
                                       for name in os.listdir(self.dir)), "it publishes")
        return p

    def totals(self, p):
        out, _ = p.communicate(timeout=harness.TIMEOUT)
        self.assertEqual(p.returncode, 0)
        return {name: int(n) for name, n in (line.rsplit(" ", 1) for line in out.splitlines())}


class Devices(Publishing):
    """The devices are pipes here, which are read in the same way."""
    KEY_DOWN = struct.pack("llHHi", 0, 0, 1, 30, 1)
    # /dev has no place for them everywhere, and that of all others is left alone.
    SCRIPT = ("mkdir $1/shm && mount --bind /dev/shm $1/shm && mount -t tmpfs none /dev && mkdir /dev/shm /dev/input &&"
              " mount --bind $1/shm /dev/shm && mount --bind $1 /dev/input && exec $0")

    def setUp(self):
        super().setUp()
        if os.geteuid() or subprocess.call(["unshare", "-m", "true"], stderr=subprocess.DEVNULL):
            self.skipTest("only root can give it devices of its own")
        self.devices = self.path("devices")
        os.mkdir(self.devices)

    def make_device(self, name):
        path = os.path.join(self.devices, name)
        os.mkfifo(path)
        fd = os.open(path, os.O_RDWR)
        self.addCleanup(os.close, fd)
        return fd

    def test_a_device_is_found_while_another_is_never_silent(self):
        first = self.make_device("event0")
        p = self.start("unshare", "-m", "sh", "-c", self.SCRIPT, HWINPUT, self.devices)
        second = self.make_device("event1")
        os.write(second, self.KEY_DOWN)

        def is_read():
            os.write(first, self.KEY_DOWN)
            return not select.select([second], [], [], 0)[0]

        harness.wait_until(is_read, "the second device is read")
        p.send_signal(harness.signal.SIGINT)
        self.totals(p)


class EndToEnd(Publishing):
    def record_simulation(self, pace, enough, *record):
        """Until enough(log) is true, and some samples when the application has ended."""
        log = self.path("a.plog")
        p = self.start(HWINPUT, "--simulate", pace + FOR_EVER)
        r = Recording(self, log, "-i", "100ms", "-q", *record)
        r.wait_for(2)
        r.wait(lambda: enough(log, p.pid), "enough samples")
        p.send_signal(harness.signal.SIGINT)
        totals = self.totals(p)
        r.wait_for_more(4)
        self.assertEqual(r.end().code, 0)
        return log, p.pid, totals

    def clicks(self, log, pid):
        """The clicks of the samples in which all was at rest, by button."""
        sheet = self.wide(log)
        buttons = [sheet.column(r"\Mouse Clicks(hwinput:%d/%s)\Clicks" % (pid, b)) for b in BUTTONS]
        # It may be stopped by the kernel within a click, and the sample says so.
        states = sheet.column(r"\Perflog Provider(hwinput:%d)\State" % pid)
        return [row for state, *row in zip(states, *buttons) if state in (0, 1)]

    def moved_often(self, log, pid):
        rows = self.clicks(log, pid)
        return len(rows) > 6 and len({row[0] for row in rows}) > 1

    def test_last_values_are_the_printed_totals_and_total_is_the_sum_in_every_sample(self):
        log, pid, totals = self.record_simulation("7:0", self.moved_often, "-c", CLICKS, "-c", "Hardware Input")
        rows = self.clicks(log, pid)
        for row in rows:
            self.assertEqual(row[0], sum(row[1:]))
        sheet = self.wide(log)
        for b in BUTTONS:
            values = sheet.column(r"\Mouse Clicks(hwinput:%d/%s)\Clicks" % (pid, b))
            self.assertEqual([v for v in values if v is not None][-1], totals[b])
        for name in "Keystrokes", "Mouse moves":
            values = [v for v in sheet.column("\\Hardware Input\\" + name) if v is not None]
            self.assertEqual(values[-1], totals[name])
            self.assertEqual(values, sorted(values))

    def test_at_the_pace_of_people_total_is_the_sum_in_every_sample(self):
        log, pid, totals = self.record_simulation("9:1000", samples(10), "-c", CLICKS)
        sheet = self.wide(log)
        rows = [row for row in zip(*(sheet.column(r"\Mouse Clicks(hwinput:%d/%s)\Clicks" % (pid, b))
                                     for b in BUTTONS)) if row[0] is not None]
        self.assertGreater(len(rows), 5)
        for row in rows:
            self.assertEqual(row[0], sum(row[1:]))
        self.assertEqual(list(rows[-1]), [totals[b] for b in BUTTONS])

    def test_one_word_shown_twice_is_never_unequal(self):
        log, _, _ = self.record_simulation("3:20000", samples(8), "-c", "Hardware Input")
        rows = long_rows(self.good("export", "-q", "--layout", "long", "-c", r"\Hardware Input\*", log).out)
        counts = [float(r["Value"]) for r in rows if r["Counter"] == "Keystrokes" and r["Value"]]
        rates = [float(r["Value"]) for r in rows if r["Counter"] == "Keystrokes/sec" and r["Value"]]
        self.assertEqual(len(rates), len(counts) - 1, "a rate for each pair")
        self.assertTrue(all(rate >= 0 for rate in rates))

    def test_live_list_shows_what_is_published_with_its_help(self):
        p = self.start(HWINPUT, "--simulate", "1:100" + FOR_EVER)
        out = self.good("list", "--help-text", "-c", r"\Hardware Input\Keystrokes", "-c", "Mouse Clicks").out
        p.kill()
        p.communicate()
        self.assertIn("\\Hardware Input\\Keystrokes\tThe number of down and up keystrokes.\n", out)
        self.assertIn("\\Mouse Clicks(hwinput:%d/_Total)\\Clicks\tThe number of down clicks.\n" % p.pid, out)
        self.assertNotIn("Mouse Clicks(_Total)", out, "the application has its own")

    def test_a_killed_application_leaves_its_last_counts_and_no_file(self):
        p = self.start(HWINPUT, "--simulate", "1:0" + FOR_EVER)
        r = Recording(self, self.path("a.plog"), "-i", "100ms", "-q", "-c", "Hardware Input")
        r.wait_for(3)
        p.kill()
        p.communicate()
        r.wait_for_more(4)
        r.end()
        self.assertEqual(os.listdir(self.dir), [])
        reported = self.good("info", r.path).out
        self.assertRegex(reported, r"counters of hwinput, user %d: 2 notes until \S+ \S+; last: recorded for the last time\n"
                         % os.geteuid())
        states = [v for v in self.wide(r.path).column(r"Perflog Provider(hwinput:%d)\State" % p.pid)
                  if v is not None]
        self.assertEqual(states[-1], 1, "the last one is final")
        self.assertLessEqual(set(states[:-1]), {0, 3}, "live, or stopped by the kernel within a click")

    def test_a_reset_is_a_new_identity_and_no_negative_rate(self):
        p = self.start(HWINPUT, "--simulate", "1:2000" + FOR_EVER)
        r = Recording(self, self.path("a.plog"), "-i", "100ms", "-q", "-c", "Hardware Input")
        r.wait_for(12)
        p.send_signal(harness.signal.SIGUSR1)
        r.wait_for_more(3)
        p.send_signal(harness.signal.SIGINT)
        self.totals(p)
        r.end()
        rates = self.wide(r.path).column(r"\Hardware Input\Keystrokes/sec")
        self.assertTrue(all(v is None or v >= 0 for v in rates))
        counts = [v for v in self.wide(r.path).column(r"\Hardware Input\Keystrokes") if v is not None]
        self.assertNotEqual(counts, sorted(counts), "was it reset?")

    def test_the_worker_has_an_average(self):
        p = self.start(WORKER, "1000000")
        r = Recording(self, self.path("a.plog"), "-i", "100ms", "-q", "-c", "Worker")
        r.wait_for(8)
        r.end()
        p.kill()
        p.communicate()
        average = [v for v in self.wide(r.path).column(r"\Worker\Avg. sec/Request") if v]
        self.assertGreater(len(average), 3)
        for v in average:
            self.assertGreaterEqual(v, 0.01)

    def test_wrong_use_is_reported(self):
        for args in (["--simulate"], ["--simulate", "1:2"], ["x"], ["--simulate", "1:2:3x"]):
            done = subprocess.run([HWINPUT, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.assertEqual((done.returncode, done.stdout), (1, b""))
            self.assertTrue(done.stderr)


PROJECT = """cmake_minimum_required(VERSION 3.10)
project(consumer C CXX)
find_package(perflog_provider REQUIRED)
add_executable(worker worker.c)
target_link_libraries(worker perflog::provider_%s)
add_executable(plus plus.cc)
target_link_libraries(plus perflog::provider_%s)
"""
PLUS = """#include <pl_provider.h>
static const pl_prov_counter counters[] = {{1, PERF_COUNTER_BULK_COUNT, "C", "A count.", 0, PL_PROV_NOVICE, 0}};
static const pl_prov_object table[] = {
    {1, "Plus", "Of C++.", PL_PROV_NO_INSTANCES, 0, PL_PROV_NOVICE, 0, 1, counters, 1}};
int main()
{
    pl_prov *p;
    int error = pl_prov_open(&p, "plus", table, 1, nullptr);
    pl_prov_set s = pl_prov_single(p, 1);
    pl_begin(s);
    pl_add(pl_prov_word_of(s, 1), 1);
    pl_end(s);
    pl_prov_close(p);
    return error;
}
"""
STRICT = "-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wundef -Werror"


class Installed(Publishing):
    """What is installed is all that is needed."""

    def setUp(self):
        super().setUp()
        self.prefix = self.path("usr")
        subprocess.run(["cmake", "--install", BUILD, "--prefix", self.prefix], check=True,
                       stdout=subprocess.DEVNULL, timeout=harness.TIMEOUT)
        found = [os.path.join(parent, name) for parent, _, names in os.walk(self.prefix) for name in names]
        self.pc, = [f for f in found if f.endswith("perflog_provider.pc")]
        self.examples = self.path("usr", "share", "perflog", "examples")

    def run_good(self, *command, **how):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              universal_newlines=True, timeout=harness.TIMEOUT, **how)
        self.assertEqual(done.returncode, 0, "%s: %s" % (command, done.stdout))
        return done.stdout

    def test_by_pkg_config_without_a_warning(self):
        env = dict(os.environ, PKG_CONFIG_PATH=os.path.dirname(self.pc))
        flags = self.run_good("pkg-config", "--define-variable=prefix=" + self.prefix, "--cflags", "--libs", "perflog_provider",
                              env=env).split()
        lib = os.path.dirname(os.path.dirname(self.pc))
        self.write("plus.cc", PLUS.encode())
        sanitize = os.environ.get("CFLAGS", "").split()
        for compiler, standard, source, more in (
                ("cc", "c11", os.path.join(self.examples, "worker.c"), []),
                ("cc", "c11", os.path.join(self.examples, "hwinput.c"), []),
                ("c++", "c++11", self.path("plus.cc"), ["-Wold-style-cast"]),
                ("c++", "c++20", self.path("plus.cc"), ["-Wold-style-cast"])):
            strict = STRICT.replace("-Wconversion ", "") if source.endswith(".c") else STRICT
            self.run_good(compiler, "-std=" + standard, *strict.split(), *more, *sanitize, source,
                          "-o", self.path("program"), *flags)
            if source.endswith("plus.cc"):
                self.run_good(self.path("program"), env=dict(os.environ, LD_LIBRARY_PATH=lib))

    def test_an_update_is_one_instruction(self):
        if os.uname().machine != "x86_64":
            self.skipTest("knows x86-64 only")
        self.write("f.c", b"#include <pl_provider.h>\nvoid f(struct pl_prov_word *w, unsigned n);\n"
                   b"void f(struct pl_prov_word *w, unsigned n) { pl_add(w, n); }\n")
        text = self.run_good("cc", "-std=c11", "-O2", "-fcf-protection=none", "-S", "-o", "-",
                             "-I" + os.path.join(self.prefix, "include"), self.path("f.c"))
        body = [line.split("#")[0].split() for line in text.split("f:")[1].split("ret")[0].splitlines()]
        code = [words for words in body if words and not words[0].startswith(".")]
        code = [words for words in code if words != ["movl", "%esi,", "%esi"]]  # the argument made wide
        self.assertIn(len(code), (1, 2), text)  # the assembler takes "lock" as a line of its own
        self.assertTrue(code[0][0] in ("lock", "lock;") and "addq" in str(code), text)

    def test_by_cmake_static_and_shared(self):
        for kind in "static", "shared":
            folder = self.path(kind)
            os.mkdir(folder)
            shutil.copy(os.path.join(self.examples, "worker.c"), folder)
            for name, text in ("plus.cc", PLUS), ("CMakeLists.txt", PROJECT % (kind, kind)):
                with open(os.path.join(folder, name), "w", encoding="ascii") as f:
                    f.write(text)
            self.run_good("cmake", "-G", "Ninja", "-S", folder, "-B", folder + "/b",
                          "-DCMAKE_PREFIX_PATH=" + self.prefix, "-DCMAKE_C_FLAGS=" + os.environ.get("CFLAGS", ""),
                          "-DCMAKE_CXX_FLAGS=" + os.environ.get("CFLAGS", ""))
            self.run_good("cmake", "--build", folder + "/b")
            self.run_good(folder + "/b/plus")
            self.run_good(folder + "/b/worker", "2")

    def test_the_shared_library_shows_its_functions_only(self):
        library, = [os.path.join(parent, name) for parent, _, names in os.walk(self.prefix)
                    for name in names if name == "libperflog_provider.so"]
        shown = {line.split()[2] for line in self.run_good("nm", "-D", "--defined-only", library).splitlines()
                 if not line.split()[2].startswith("__")}
        self.assertEqual({name for name in shown if not name.startswith("pl_prov_")}, set())
        self.assertIn("pl_prov_open", shown)
        self.assertNotIn("pl_prov_fill", shown)
        needed = [line for line in self.run_good("readelf", "-d", library).splitlines() if "NEEDED" in line]
        self.assertFalse([n for n in needed if not any(lib in n for lib in ("libc.", "asan", "ubsan", "tsan"))],
                         needed)


if __name__ == "__main__":
    harness.main()
