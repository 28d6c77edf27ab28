#!/usr/bin/env python3
"""What a log holds by object: 'list' on a terminal and with --overview, and 'info'."""
import collections
import glob
import json
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import unittest

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import PROGRAM, Case, columns_of, run
from write_log import SECOND, Log, object_of

LARGE_RAW, BASE = 0x00010100, 0x40030402


def table(text):
    """Of an overview: {object: [instances, counters, rows]}, and the last line."""
    lines = text.splitlines()
    cells = [re.split("  +", line) for line in lines[1:-1]]
    return {row[0]: row[1:] for row in cells}, lines[-1]


class Overview(Case):
    """Tank is in three samples of four, with three instances of which at most two live together."""

    def setUp(self):
        super().setUp()
        made = Log({2: b"Tank", 4: b"Level", 6: b"Flow", 8: b"Flow Base", 10: b"Pump House", 12: b"Heat"})
        counters = [(4, LARGE_RAW, 8), (6, LARGE_RAW, 8), (8, BASE, 8)]
        for i, tanks in enumerate((("a", "b"), ("b", "c"), ("c",), ())):
            objects = [object_of(10, [(12, LARGE_RAW, 8)], [(None, (i,))])]
            if tanks:
                objects.append(object_of(2, counters, [(tank, (i, i, 1)) for tank in tanks]))
            made.sample(i * SECOND, objects)
        self.log = made.save(self.path("a.plog"))

    def on_terminal(self, *args, **env):
        pid, terminal = pty.fork()
        if not pid:
            env = dict(os.environ, TERM="dumb", **env)
            os.execvpe(PROGRAM, [PROGRAM, *args], env)
        shown = b""
        while True:
            try:
                more = os.read(terminal, 4096)
            except OSError:  # it has ended
                break
            if not more:
                break
            shown += more
        os.close(terminal)
        self.assertEqual(os.waitpid(pid, 0)[1], 0)
        return shown.decode().replace("\r\n", "\n")

    def test_counts(self):
        objects, sums = table(self.good("list", "--overview", self.log).out)
        self.assertEqual(objects, {"Tank": ["3", "2", "3"], "Pump House": ["-", "1", "4"]})
        self.assertEqual(sums, "2 objects, 7 series")

    def test_chosen_counters(self):
        objects, sums = table(self.good("list", "--overview", "-c", r"\Tank(b)\Level", self.log).out)
        self.assertEqual(objects, {"Tank": ["1", "1", "3"]})
        self.assertEqual(sums, "1 object, 1 series")

    def test_json(self):
        shown = json.loads(self.good("list", "--overview", "--json", self.log).out)
        self.assertEqual({o["object"]: (o["instances"], o["counters"], o["series"], o["rows"]) for o in shown},
                         {"Tank": (3, 2, 6, 3), "Pump House": (None, 1, 1, 4)})

    def test_columns_are_aligned_as_a_terminal_shows_them(self):
        """Of names of two bytes a letter, of two columns a letter, with a mark, and with a control."""
        names = "Память", "\u30d7\u30ed\u30bb\u30c3\u30b5", "e\u0301", "a\tb", "Tank"
        made = Log({2 + 2 * i: name.encode() for i, name in enumerate((*names, "Level"))})
        made.sample(0, [object_of(2 + 2 * i, [(12, LARGE_RAW, 8)], [(None, (i,))]) for i in range(len(names))])
        lines = self.good("list", "--overview", made.save(self.path("b.plog"))).out.splitlines()[:-1]
        self.assertEqual({columns_of(line) for line in lines}, {len("processor!  Instances  Counters        Rows")})

    def test_two_logs_are_added_up(self):
        other = self.record(self.path("b.plog"), "-c", "System", "-i", "10ms", "-n", "2")
        shown = json.loads(self.good("list", "--overview", "--json", self.log, other).out)
        self.assertEqual({o["object"]: o["rows"] for o in shown}, {"Tank": 3, "Pump House": 4, "System": 2, "Performance Logger": 2})

    def test_a_calculated_total_is_no_instance(self):
        log = self.record(self.path("b.plog"), "-c", r"\Processor(*)\% Processor Time", "-i", "10ms", "-n", "20")
        paths = [line for line in self.good("list", log).out.splitlines() if r"\Processor(" in line]
        shown = {o["object"]: o for o in json.loads(self.good("list", "--overview", "--json", log).out)}["Processor"]
        self.assertEqual((shown["instances"], shown["series"]), (len(paths) - 1, len(paths)))
        self.assertEqual(shown["rows"], 20)

    def test_an_object_that_never_has_an_instance(self):
        """As Paging File without swap: 0, as info says; an object that cannot have any is another thing."""
        made = Log({2: b"Swap", 4: b"Pages/sec", 6: b"Heat"}, facts={2: struct.pack("<BI", 0, 0) + struct.pack("<IBB", 4, 255, 1)})
        for i in range(3):
            made.sample(i * SECOND, [object_of(2, [(4, 0x10410500, 8)], []), object_of(6, [(6, LARGE_RAW, 8)], [(None, (i,))])])
        log = made.save(self.path("b.plog"))
        shown = {o["object"]: o["instances"] for o in json.loads(self.good("list", "--overview", "--json", log).out)}
        counted, = json.loads(self.good("info", "--json", log).out)
        self.assertEqual(shown, {o["object"]: o["most_instances"] for o in counted["objects"]})
        self.assertEqual(shown, {"Swap": 0, "Heat": None})

    def test_samples_that_come_without_a_block(self):
        """Of a .blg, list reads only the samples with other names than the one before; info reads them all."""
        logs = sorted(glob.glob(os.path.join(os.environ.get("PERFLOG_DATA", ""), "**", "*.blg"), recursive=True),
                      key=os.path.getsize)
        if not logs:
            self.skipTest("there are no logs of Windows here")
        for log in logs[:3]:
            listed = json.loads(self.good("list", "--overview", "--json", log).out)
            samples = collections.Counter()
            for host in json.loads(self.good("info", "--json", log).out):
                samples.update({o["object"]: o["samples"] for o in host["objects"]})
            self.assertEqual({o["object"]: o["rows"] for o in listed}, samples)
            self.assertGreater(max(samples.values()), 1)

    def test_processor_time_of_the_recorder_that_falls(self):
        """As only a log that is made up has it: what a sample cost is not known."""
        log = Log({21700: b"Logger", 6: b"% Processor Time"})
        for second, used in enumerate((10**8, 2 * 10**8, 100, 200)):
            log.sample(second * SECOND, [object_of(21700, [(6, 0x20510500, 8)], [(None, (used,))])])
        log = log.save(self.path("b.plog"))
        self.assertNotIn("Cost", self.good("info", log).out)

    def test_this_machine_has_no_rows(self):
        self.assertEqual(self.good("list", "--overview", "-c", "System").out.splitlines()[0].split(),
                         ["Object", "Instances", "Counters"])

    def test_a_pipe_gets_paths_alone(self):
        lines = self.good("list", self.log, env=dict(os.environ, PAGER="false")).out.splitlines()
        self.assertEqual(len(lines), 7)
        self.assertEqual([line for line in lines if not line.startswith("\\\\")], [])

    def test_of_a_pipe_rows_are_not_counted(self):
        """It can be read only once; all else is there."""
        with open(self.log, "rb") as f:
            objects, sums = table(self.good("list", "--overview", "-", data=f.read()).out)
        self.assertEqual(objects, {"Tank": ["3", "2"], "Pump House": ["-", "1"]})
        self.assertEqual(sums, "2 objects, 7 series")

    def test_a_terminal_gets_the_overview_first(self):
        shown = self.on_terminal("list", self.log, PAGER="cat")
        self.assertEqual(shown, self.good("list", "--overview", self.log).out + "\n" + self.good("list", self.log).out)
        self.assertEqual(self.on_terminal("list", "--json", self.log, PAGER=""), self.good("list", "--json", self.log).out)

    def test_pager(self):
        pager = "sed 's/^/> /'; echo \"$LESS\""
        plain = self.on_terminal("list", self.log, PAGER="cat").splitlines()
        self.assertEqual(self.on_terminal("list", self.log, PAGER=pager).splitlines(),
                         ["> " + line if line else "> " for line in plain] + ["FRX"])
        self.assertEqual(self.on_terminal("list", self.log, PAGER=pager, LESS="Q").splitlines()[-1], "Q")
        self.assertEqual(self.on_terminal("list", self.log, PAGER="no-such-pager --yes").splitlines(), plain)

    def test_a_user_who_leaves_early(self):
        log = self.record(self.path("b.plog"), "--all", "-i", "50ms", "-n", "2")
        self.assertEqual(self.on_terminal("list", "--help-text", log, PAGER="head -n 1").splitlines()[0].split()[0], "Object")

    def test_no_sample_of_this_machine_is_left_behind(self):
        """Nor where the reader of the paths ends before all are there."""
        folder = self.path("tmp")
        os.mkdir(folder)
        env = dict(os.environ, TMPDIR=folder)
        self.good("list", "-c", "System", env=env)
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run([PROGRAM, "list", "--all"], stdout=writer, stderr=subprocess.PIPE, env=env,
                              preexec_fn=lambda: signal.signal(signal.SIGPIPE, signal.SIG_DFL))
        os.close(writer)
        self.assertEqual((done.returncode, done.stderr), (-signal.SIGPIPE, b""))
        self.assertEqual(os.listdir(folder), [])

    def test_paths_without_a_match(self):
        r = self.refused(1, "list", "-c", "No such thing", says="this machine, without --all: nothing matches 'No such thing'")
        paths = self.path("paths")
        with open(paths, "w", encoding="utf-8") as f:
            f.writelines("\\Tank(gone:%d)\\Level\n" % i for i in range(1000))
        for args in (["list", self.log], ["export", "-o", self.path("x.csv"), self.log],
                     ["cut", self.log, "-o", self.path("x.plog")]):
            r = run(*args, "-c", "@" + paths)
            said = r.err.splitlines()
            self.assertEqual((r.code, len(said)), (1, 11), r)
            self.assertEqual(said[-1], "perflog: %s: nothing matches 990 more of the paths" % self.log)

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full")
    def test_output_that_is_lost_is_reported_of_damaged_logs_too(self):
        with open(self.log, "r+b") as f:
            f.seek(-100, os.SEEK_END)
            f.write(b"damage")
        for command in "list", "info", "verify":
            self.assertEqual(run(command, self.log).code, 2)
            with open("/dev/full", "wb") as full:
                r = run(command, self.log, stdout=full)
            self.assertEqual(r.code, 1, r)
            self.assertEqual(r.err.count("output: No space left on device"), 1, r)

    def test_what_does_not_go_together(self):
        for args in (["--help-text"], ["--types"], ["--identity"]):
            self.refused(1, "list", "--overview", *args, self.log, says="--overview")
        self.refused(1, "list", "--overview", "--why", says="--why")
        self.refused(1, "list", "--overview", "--complete", "x", self.log, says="--complete")

    def test_info_names_the_objects(self):
        self.assertIn("\n  Objects    Pump House, Tank (2)\n", self.good("info", self.log).out)
        shown = json.loads(self.good("info", "--json", self.log).out)[0]["objects"]
        self.assertEqual(shown, [{"object": "Pump House", "counters": 1, "most_instances": None, "samples": 4},
                                {"object": "Tank", "counters": 2, "most_instances": 2, "samples": 3}])

    def test_info_on_lines_of_a_screen(self):
        log = self.record(self.path("b.plog"), "-i", "10ms", "-n", "2")
        text = self.good("info", log).out
        objects = text[text.index("  Objects"):text.index("  Cost")].splitlines()
        self.assertGreater(len(objects), 2)
        self.assertLessEqual(max(map(len, objects)), 79)
        self.assertGreater(min(map(len, objects[:-1])), 50)

    def test_info_counts_columns_of_the_screen(self):
        """Lines are as full as those of names of which a letter is a column, and no longer."""
        for letter, columns in ("\u041f", 1), ("\u670d", 2), ("a", 1):
            made = Log({2: b"Level", **{4 + 2 * i: (letter * (10 // columns) + "%02d" % i).encode() for i in range(20)}})
            made.sample(0, [object_of(4 + 2 * i, [(2, LARGE_RAW, 8)], [(None, (i,))]) for i in range(20)])
            text = self.good("info", made.save(self.path("b.plog"))).out
            lines = text[text.index("  Objects"):text.index("  Ended")].splitlines()
            self.assertEqual([columns_of(line) for line in lines], [12 + 14 * n for n in (4, 4, 4, 4)] + [12 + 14 * 4 - 1])


if __name__ == "__main__":
    harness.main()
