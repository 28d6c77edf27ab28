#!/usr/bin/env python3
"""export --top and --drop-empty, and what is suggested where nothing matches."""
import os
import random
import struct
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import Case, long_rows

START = 1_795_246_500
S = 10**9
RATE, GAUGE, AVERAGE, AVERAGE_BASE = 0x10410500, 0x00010100, 0x40020500, 0x40030402
COUNTERS = [(4, GAUGE, 8), (6, RATE, 8), (8, AVERAGE, 8), (8, AVERAGE_BASE, 4)]
NAMES = {2: b"Task", 4: b"Size", 6: b"Work/sec", 8: b"Length", 10: b"Clock", 12: b"Ticks"}
# name: what it does in each of five seconds; None: it is not there
WORK = {"a": (1, 1, 1, 1, 1), "b10": (5, 5, 5, 5, 5), "b2": (5, 5, 5, 5, 5), "peak": (0, 0, 0, 21, 0),
        "late": (None, None, None, None, 9), "idle": (0, 0, 0, 0, 0)}


class Made(Case):
    def setUp(self):
        super().setUp()
        try:
            import write_log
        except OSError:
            self.skipTest("libxxhash.so.0 is not here")
        self.maker = write_log

    def tasks(self, default=1, host=b"web", extra=()):
        """Sizes are 100 minus the place in WORK; _Total is of Work/sec."""
        facts = {2: struct.pack("<BI", 0, 0) + struct.pack("<IBB", 6, 255, 1)}
        log = self.maker.Log(NAMES, facts=facts, host=host)
        done = dict.fromkeys(WORK, 1000)
        for s in range(6):
            instances = []
            for place, (name, work) in enumerate(WORK.items()):
                step = work[s - 1] if s else 0
                if step is None or (s == 0 and work[0] is None):
                    continue
                if not (s and work[s - 1] is not None and s > 1 and work[s - 2] is None):
                    done[name] += step
                instances.append((name, (100 - place, done[name], 0, 0)))
            instances += extra
            obj = bytearray(self.maker.object_of(2, COUNTERS, instances))
            struct.pack_into("<i", obj, 36, default)
            log.sample((START + s) * S, [bytes(obj), self.maker.object_of(10, [(12, GAUGE, 8)], [(None, (s,))])])
        return log.save(self.path(host.decode() + ".plog"))

    def shown(self, log, *options):
        """{instance: [value of Work/sec...]}"""
        found = {}
        for r in long_rows(self.good("export", "--layout", "long", *options, log).out):
            if r["Counter"] == "Work/sec":
                found.setdefault(r["Instance"], []).append(r["Value"])
        return found


class Top(Made):
    def test_the_busiest_by_mean(self):
        log = self.tasks()
        found = self.shown(log, "--top", "2")
        # 5 and 5 a second; equal ones in the order of their names
        self.assertEqual(found, {"b10": [""] + ["5"] * 5, "b2": [""] + ["5"] * 5,
                                 "_Other": ["", "1", "1", "1", "22", "1"],
                                 "_Total": ["", "11", "11", "11", "32", "11"]})
        self.assertEqual(set(self.shown(log, "--top", "1")), {"b2", "_Other", "_Total"})

    def test_the_busiest_by_peak(self):
        self.assertEqual(set(self.shown(self.tasks(), "--top", "1:max")), {"peak", "_Other", "_Total"})

    def test_a_counter_of_ones_choice(self):
        log = self.tasks()
        for way in "1:Size", "1:size:max", "1:S?ze":
            self.assertEqual(set(self.shown(log, "--top", way)), {"a", "_Other", "_Total"})
        # it need not be shown
        self.assertEqual(self.shown(log, "--top", "1:Size", "-c", r"\Task(*)\Work/sec"),
                         {"a": [""] + ["1"] * 5, "_Other": ["", "10", "10", "10", "31", "10"],
                          "_Total": ["", "11", "11", "11", "32", "11"]})
        rows = long_rows(self.good("export", "--layout", "long", "--top", "1", "-c", r"\Task(*)\Size", log).out)
        self.assertEqual({(r["Instance"], r["Counter"]) for r in rows}, {("b2", "Size")})

    def test_the_object_s_default_counter(self):
        """Counted among all definitions, bases too; the first one if there is none."""
        self.assertEqual(set(self.shown(self.tasks(default=0), "--top", "1")), {"a", "_Other", "_Total"})
        self.assertEqual(set(self.shown(self.tasks(default=-1), "--top", "1")), {"a", "_Other", "_Total"})

    def test_what_cannot_be_added_up_is_not_in_other(self):
        sheet = self.wide(self.tasks(), "--top", "2")
        self.assertEqual([name[6:] for name in sheet.header[1:]], [
            r"Task(b2)\Size", r"Task(b2)\Work/sec", r"Task(b2)\Length",
            r"Task(b10)\Size", r"Task(b10)\Work/sec", r"Task(b10)\Length",
            r"Task(_Other)\Work/sec", r"Task(_Total)\Work/sec", r"Clock\Ticks"])
        self.assertEqual(sheet.column(r"(_Other)\Work/sec"), [None, 1, 1, 1, 22, 1])

    def test_shown_and_other_make_the_total(self):
        log = self.tasks()
        for n in "1", "2", "3", "4":
            for every in [], ["--every", "2s"]:
                sheet = self.wide(log, "--top", n, *every)
                parts = [sheet.column(name) for name in sheet.header if name.endswith("Work/sec")]
                for row in list(zip(*parts))[1:]:
                    if not every:
                        self.assertEqual(sum(v or 0 for v in row[:-1]), row[-1])

    def test_all_fit(self):
        log = self.tasks()
        self.assertEqual(self.good("export", "--layout", "long", "--top", "6", log).out,
                         self.good("export", "--layout", "long", log).out)

    def test_tables_and_windows(self):
        log = self.tasks()
        out = self.path("d")
        self.good("export", "--layout", "table", "--top", "1", "--every", "5s", "-o", out, log)
        with open(os.path.join(out, "Task.csv")) as f:
            self.assertEqual(f.read().splitlines(), [
                "Time (UTC),Host,Instance,Size,Work/sec,Length",
                "2026-11-21 07:35:00,web,b2,98,,", "2026-11-21 07:35:00,web,_Total,,,",
                "2026-11-21 07:35:00,web,_Other,,,",
                "2026-11-21 07:35:05,web,b2,98,5,0", "2026-11-21 07:35:05,web,_Total,,15.2,",
                "2026-11-21 07:35:05,web,_Other,,10.2,"])

    def test_a_name_that_is_taken(self):
        log = self.tasks(extra=[("_Other", (1, 5, 0, 0))])
        self.assertEqual(set(self.shown(log, "--top", "1")), {"b2", "_Other#1", "_Total"})

    def test_each_host_has_its_own(self):
        logs = [self.tasks(host=b"web"), self.tasks(host=b"db")]
        sheet = self.wide(logs[0], logs[1], "--top", "1")
        for host in "web", "db":
            self.assertEqual(sheet.column(r"\\%s\Task(_Other)\Work/sec" % host), [None, 6, 6, 6, 27, 6])

    def test_processes_of_a_wide_sheet(self):
        log = self.record(self.path("real.plog"), "-i", "100ms", "-n", "4")
        sheet = self.wide(log, "--top", "3")
        processes = {p.split("(")[1].split(")")[0] for p in sheet.paths if p.startswith("\\Process(")}
        self.assertEqual(len(processes), 5)
        self.assertLess({"_Other", "_Total"}, processes)

    def test_wrong_arguments(self):
        log = self.tasks()
        for text in "", "0", "x", "-1", "5:", ":x", "99999999999999999999":
            self.refused(1, "export", "--top", text, log, says="--top '%s'" % text)
        self.refused(1, "export", "--top", "5:Wrk/sec", log, says="did you mean 'Work/sec'?")
        self.refused(1, "export", "--top", "5:Wrk/sec:max", log, says="did you mean 'Work/sec'?")
        self.refused(1, "export", "--top", "5:something else", log, says="perflog list")
        with open(log, "rb") as f:
            self.check_one_line(harness.run("export", "--layout", "long", "--top", "1", "-", data=f.read()), 1, "pipe")


class Additive(Made):
    """Random logs: whatever lives how long, the chosen and _Other are _Total in each row."""

    TIMER, MULTI, MULTI_BASE = 0x20510500, 0x22510500, 0x42030500
    DEFINITIONS = [(4, TIMER, 8), (6, RATE, 8), (8, 0x20410500, 8)]
    TITLES = {2: b"Task", 4: b"% Busy Time", 6: b"Work/sec", 8: b"% Tick Time"}

    def one(self, rand, host, session, seconds):
        """Instances come, go, and begin anew; samples are late or missing; a log may end and begin again."""
        log = self.maker.Log(self.TITLES, host=host, session=session, facts={
            2: struct.pack("<BI", 0, 0) + b"".join(struct.pack("<IBB", i, 255, 1) for i in (4, 6, 8))})
        state = {}
        for t in seconds:
            for name in rand.sample("abcdefgh", 3):
                if rand.random() < 0.4:
                    state.pop(name, None)
                else:
                    old = state.get(name, (0, 0, 0))
                    if rand.random() < 0.05:
                        old = (0, 0, 0)
                    state[name] = tuple(n + rand.randrange(10**7) for n in old)
            values = sorted(state.items())
            rand.shuffle(values)
            if rand.random() < 0.05:
                times = [(START + t) * S - S] * 2
                log.record(b"gaps", struct.pack("<4qIIiI", *times, *times, 1, 3, 28, 0), (START + t) * S)
            log.sample((START + t) * S + rand.randrange(S // 20), [self.maker.object_of(2, self.DEFINITIONS, values)])
        return log.data

    def check(self, rows):
        sums, totals = {}, {}
        for r in rows:
            key = r["Time"], r["Host"], r["Counter"]
            if r["Instance"] == "_Total":
                totals[key] = float(r["Value"] or 0)
            else:
                sums[key] = sums.get(key, 0) + float(r["Value"] or 0)
        for key in sums:
            total = totals.get(key, 0)  # no instance, no total
            self.assertAlmostEqual(sums[key], total, delta=1e-9 * max(1, total), msg=key)
        return len(totals)

    def test_random_logs(self):
        rows = 0
        for seed in range(12):
            rand = random.Random(seed)
            logs = []
            for host in b"web", b"db":
                data, t = b"", 0
                for session in range(rand.randrange(1, 3)):
                    seconds = []
                    for _ in range(rand.randrange(5, 60)):
                        t += rand.choice((1, 1, 1, 1, 2, 7))
                        seconds.append(t)
                    data += self.one(rand, host, 77 + session, seconds)
                logs.append(self.write("%d-%s.plog" % (seed, host.decode()), data))
            for every in [], ["--every", "3s"], ["--every", "10s"], ["--every", "1m"], ["--every", "1h"]:
                for top in "1", "3:Work/sec", "5:max":
                    with self.subTest(seed=seed, every=every, top=top):
                        out = self.good("export", "--layout", "long", "--top", top, *every, *logs).out
                        rows += self.check(long_rows(out))
        self.assertGreater(rows, 5000)


class DropEmpty(Made):
    def test_blank_throughout(self):
        log = self.tasks()
        options = ["--from", "@%d" % (START + 4)]
        whole = self.wide(log, *options)
        sheet = self.wide(log, "--drop-empty", *options)
        gone = sorted(set(whole.paths) - set(sheet.paths))
        self.assertEqual(gone, [r"\Task(late)\Length", r"\Task(late)\Work/sec"])
        for path in sheet.paths:  # zeros stay
            self.assertEqual(sheet.column(path), whole.column(path))
        rows = long_rows(self.good("export", "--layout", "long", "--drop-empty", *options, log).out)
        self.assertEqual({r["Counter"] for r in rows if r["Instance"] == "late"}, {"Size"})

    def test_nothing_else_changes(self):
        log = self.record(self.path("real.plog"), "-i", "100ms", "-n", "4")
        full = long_rows(self.good("export", "--layout", "long", log).out)
        key = lambda r: (r["Object"], r["Instance"], r["Counter"])  # noqa: E731
        filled = {key(r) for r in full if r["Value"]}
        self.assertEqual(long_rows(self.good("export", "--layout", "long", "--drop-empty", log).out),
                         [r for r in full if key(r) in filled])


class Suggestions(Made):
    def test_near_names(self):
        log = self.tasks()
        for path, near in ((r"\Taks(a)\Size", r"\Task(a)\Size"), (r"\Task(a)\Work", r"\Task(a)\Work/sec"),
                           (r"\Task(*)\work/second", r"\Task(*)\Work/sec"), ("Clok", r"\Clock\*"),
                           (r"\Clock\Tics", r"\Clock\Ticks")):
            for command in "export", "list", "stats":
                self.refused(1, command, "-c", path, log,
                             says="nothing matches '%s'; did you mean '%s'?" % (path, near))
            self.good("export", "-q", "-c", near, log)

    def test_nothing_is_near(self):
        log = self.tasks()
        for path in r"\Task(nobody)\Size", r"\Something\Else", r"\Task(a)\Temperature":
            self.refused(1, "export", "-c", path, log, says="nothing matches '%s'; 'perflog list'" % path)


if __name__ == "__main__":
    harness.main()
