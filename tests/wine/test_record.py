#!/usr/bin/env python3
"""perflog.exe record: what a provider counts is what both systems read from the log."""
import os
import signal
import subprocess
import unittest

from native import NATIVE, RUN, native, need, windows
from harness import PROGRAM, TIMEOUT, Case, Recording, long_rows, main, records, run, wait_until

PROVIDER = os.environ.get("TEST_PROVIDER", "")
SERVICE = r"HKLM\SYSTEM\CurrentControlSet\Services\PerflogTest"
PERFLIB = r"HKLM\SOFTWARE\Microsoft\Windows NT\CurrentVersion\Perflib\00C"
TITLES = ["40000", "Perflog Test", "40002", "Step", "40004", "Gauge", "40006", "Average",
          "40008", "Ticks/sec", "40010", "Größe „χ“"]
HELPS = ["40001", "Made up.", "40003", "Queries so far."]
NAMES = ["plain", "two words", 'a "quoted", name', "twin", "twin#1", "visitor 日本 Größe"]
LANGUAGE = ("--language", "00C")


def registry(*args):
    subprocess.run([RUN, "reg", *args, "/f"], check=True, timeout=TIMEOUT,
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


def setUpModule():
    for name, value in (("Library", windows(PROVIDER)), ("Open", "test_open"),
                        ("Collect", "test_collect"), ("Close", "test_close")):
        registry("add", SERVICE + r"\Performance", "/v", name, "/d", value)
    for name, strings in (("Counter", TITLES), ("Help", HELPS)):
        registry("add", PERFLIB, "/v", name, "/t", "REG_MULTI_SZ", "/d", r"\0".join(strings))


def tearDownModule():
    registry("delete", SERVICE)
    registry("delete", PERFLIB)


class Record(Case):
    def setUp(self):
        super().setUp()
        self.plain = dict(os.environ, PERFLOG_TEST_STEP=self.path("step"))
        self.log = self.path("windows.plog")

    def environment(self, plain=False):
        more = {"PERFLOG_TEST_PLAIN": "1"} if plain else {}
        return dict(os.environ, PERFLOG_TEST_STEP=windows(self.path("step")), **more)

    def start(self, *args):
        """A recording beside the test; its environment is this process's."""
        before = dict(os.environ)
        os.environ.update(self.environment())
        try:
            return Recording(self, self.log, *args)
        finally:
            os.environ.clear()
            os.environ.update(before)

    def rows(self):
        """The log's long sheet, which is the same on both systems."""
        here, there = (program("export", "--layout", "long", self.log) for program in (native, run))
        self.assertEqual((here.code, there.code), (0, 0), here)
        self.assertTrue(here.raw_out == there.raw_out, "other bytes")
        return long_rows(here.out)

    def test_values_and_names_are_those_of_the_provider(self):
        r = self.good("record", "-i", "50ms", "-n", "12", *LANGUAGE, self.log, env=self.environment())
        self.assertNotIn("add up", r.err)
        cells = {}
        for row in self.rows():
            if row["Object"] == "Perflog Test":
                cells.setdefault(row["Time"], {})[row["Instance"], row["Counter"]] = row["Value"], row["Status"]
        self.assertEqual(len(cells), 12)
        steps = []
        for time in sorted(cells):
            values = {key: value for key, (value, status) in cells[time].items() if status != "absent"}
            step = int(values["plain", "Step"])
            there = NAMES if step % 4 < 2 else NAMES[:-1]
            self.assertEqual({instance for instance, _ in values}, set(there), "step %d" % step)
            for i, name in enumerate(there, 1):
                self.assertEqual(values[name, "Step"], str(step))
                self.assertEqual(values[name, "Gauge"], str(1000 * i + step))
                average, status = cells[time][name, "Average"]
                rate, _ = cells[time][name, "Ticks/sec"]
                first = not steps or (i == len(NAMES) and steps[-1] % 4 >= 2)
                self.assertEqual((average, status), ("", "first") if first else ("3", ""), (time, name))
                self.assertEqual(rate == "", first)
            if steps:  # one row's rates are in proportion to what the instances count
                rates = [float(values[name, "Ticks/sec"]) for name in NAMES[:5]]
                for i, rate in enumerate(rates, 1):
                    self.assertAlmostEqual(rate, rates[0] * i, delta=rate * 1e-9)
            steps.append(step)
        self.assertEqual(steps, list(range(steps[0], steps[0] + 12)))

    def test_help_and_what_was_recorded_where(self):
        self.good("record", "-q", "-i", "50ms", "-n", "2", *LANGUAGE, self.log, env=self.environment())
        info = native("info", self.log).out
        self.assertIn("Windows", info)
        self.assertIn("x86_64", info)
        r = native("list", "--help-text", self.log)
        self.assertIn("Queries so far.", r.out)
        self.assertIn(r"\Perflog Test(a \"quoted\", name)\Gauge".replace("\\\"", '"'), r.out)
        self.assertEqual(native("verify", self.log).code, 0)

    def test_objects_are_chosen_by_name(self):
        args = ("record", "-q", "-i", "50ms", "-n", "2", *LANGUAGE)
        self.good(*args, "-c", r"\Perflog Test(*)\Gauge", self.log, env=self.environment())
        listed = native("list", self.log).out
        self.assertIn(r"\Perflog Test(plain)\Gauge", listed)
        self.assertNotIn(r"\Perflog Test(plain)\Step", listed)
        r = run(*args, "-c", "Perflog Tests", self.path("x"), env=self.environment())
        self.check_one_line(r, 1, "nothing here matches 'Perflog Tests'")
        self.assertFalse(os.path.exists(self.path("x")))

    def test_malformed_blocks_are_refused_and_recording_goes_on(self):
        r = self.good("record", "-i", "50ms", "-n", "5", *LANGUAGE, self.log,
                      env=self.environment(plain=True))
        self.assertEqual(r.err.count("does not add up"), 1, r)
        self.assertIn("recording goes on", r.err)
        self.assertIn("5 samples", r.err)
        objects = {row["Object"] for row in self.rows()}
        self.assertEqual(objects, {"Performance Logger"})
        self.assertEqual(native("verify", self.log).code, 0)

    def test_ctrl_c_ends_a_recording_cleanly(self):
        recording = self.start("-i", "50ms", *LANGUAGE)
        recording.wait_for(3)
        r = recording.end(signal.SIGINT)
        self.assertEqual(r.code, 0, r)
        self.assertRegex(r.err, r"[0-9]+ samples, [0-9]+ missed")  # how many is the machine's affair
        self.assertIn("it was interrupted", native("info", self.log).out)
        self.assertEqual(native("verify", self.log).code, 0)

    def test_one_log_has_one_writer_and_many_readers(self):
        recording = self.start("-i", "50ms", *LANGUAGE)
        recording.wait_for(3)
        r = run("record", "-n", "1", self.log)
        self.check_one_line(r, 1, "another perflog is recording into it")
        for program in (run, native):
            r = program("export", self.log)
            self.assertEqual(r.code, 0, r)
        self.assertEqual(recording.end().code, 0)

    def test_a_killed_recording_is_continued(self):
        recording = self.start("-i", "50ms", *LANGUAGE)
        recording.wait_for(3)
        recording.end(signal.SIGKILL)
        wait_until(lambda: run("record", "-q", "-i", "50ms", "-n", "2", self.log).code == 0,
                   "the lock of the dead is gone")
        self.assertIn("Sessions   2", native("info", self.log).out)
        self.assertEqual(native("verify", self.log).code, 0)

    def test_segments(self):
        folder = self.path("rotated")
        os.mkdir(folder)
        self.good("record", "-q", "-i", "20ms", "-n", "120", "--max-size", "64K", "--keep", "2", *LANGUAGE,
                  os.path.join(folder, "s.plog"), env=self.environment())
        self.assertLessEqual(len(os.listdir(folder)), 3)
        self.assertEqual(run("export", folder).raw_out, native("export", folder).raw_out)

    def test_complete_segments_are_packed(self):
        folder = self.path("packed")
        os.mkdir(folder)
        self.log = os.path.join(folder, "s.plog")
        recording = self.start("-q", "-i", "20ms", "--max-size", "64K", *LANGUAGE)

        def segments():
            return sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".plog"))

        recording.wait(lambda: any("PACK" in {kind for kind, _, _, _ in records(path)} for path in segments()[:-1]),
                       "packed a segment")
        recording.end(signal.SIGKILL)
        self.assertEqual(run("export", folder).raw_out, native("export", folder).raw_out)

    def test_what_windows_refuses(self):
        for args, says in ((("--language", "Klingon"), "--language takes"), (("--language", "00F"), "language 00F"),
                           (("--host", r"\\nowhere"), "cannot connect")):
            r = run("record", "-n", "1", *args, self.log)
            self.check_one_line(r, 1, says)
            self.assertFalse(os.path.exists(self.log))

    def test_this_machine_without_a_log(self):
        r = self.good("list", env=self.environment())
        self.assertIn(r"\Performance Logger\Samples Written", r.out)


if __name__ == "__main__":
    need(NATIVE, PROVIDER, RUN)
    main()
