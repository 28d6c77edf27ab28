#!/usr/bin/env python3
"""export --top and --drop-empty, and what is suggested where nothing matches."""
import os
import random
import struct
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import Case, long_rows, run
import write_log

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
        self.assertEqual({(r["Instance"], r["Counter"]) for r in rows}, {("a", "Size")})

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


class Rule(Made):
    """What an instance did in all is what counts, in each command that ranks."""

    TITLES = {2: b"Task", 4: b"Size", 6: b"Bytes/sec", 8: b"% Busy Time", 10: b"Faults", 12: b"Length", 20: b"Process",
              22: b"Thread"}
    TYPES = {4: (GAUGE, 8), 6: (RATE, 8), 8: (0x20510500, 8), 10: (0x00400400, 4), 12: (0x00450500, 8)}

    def made(self, seconds, counters=(4, 6), default=1, objects=(2,), log=None, **clocks):
        """A sample a second; seconds: {instance: (raw values...)} each.  Returns the log, unsaved."""
        log = log or self.maker.Log(self.TITLES)
        for s, instances in enumerate(seconds):
            made = []
            for index in objects:
                o = bytearray(self.maker.object_of(index, [(i, *self.TYPES[i]) for i in counters],
                                                   list(instances.items())))
                struct.pack_into("<i", o, 36, default)
                made.append(bytes(o))
            log.sample((START + s) * S, made, **{k: f(s) for k, f in clocks.items()})
        return log

    def save(self, log):
        return log.save(self.path("%d.plog" % len(os.listdir(self.folder))))

    def first(self, log, *top, counter=r"\Task(*)\Bytes/sec"):
        """Whom --top 1 shows; every layout that ranks must say the same."""
        found = set()
        path = ["-c", counter] if counter else []
        for layout in "wide", "long":
            out = self.good("export", "--layout", layout, *path, "--top", *top, log).out
            header = next(iter(out.splitlines()))
            names = [r["Instance"] for r in long_rows(out)] if layout == "long" else \
                [p.split("(")[1].split(")")[0] for p in header.split(",")[1:] if "Task(" in p]
            found.add(frozenset(n for n in names if n not in ("_Other", "_Total")))
        if path and top[0].count(":") < 2:
            found.add(frozenset([self.in_report(log, *path, "--top", *top)]))
        self.assertEqual(len(found), 1, found)
        (only,), = found
        return only

    def in_report(self, log, *options, apart=None):
        import read_report
        page = self.path("page-%d.html" % len(os.listdir(self.folder)))
        r = harness.run("report", *options, log, "-o", page)
        if "without uPlot" in r.err:
            self.skipTest("built without uPlot")
        self.assertEqual(r.code, 0, r)
        chart, = read_report.Report(page).charts
        return next(n for n in chart.names if n not in ("_Total", apart))

    def test_who_wrote_most(self):
        """A writes 10 MB/s for 10 s, B 40 MB in its only second."""
        mb = 10**6
        log = self.save(self.made([{"a": (0, 10 * mb * min(s, 10)), **({"b": (0, 40 * mb * (s - 4))} if s in (4, 5)
                                                                       else {})} for s in range(21)]))
        self.assertEqual(self.first(log, "1"), "a")
        self.assertEqual(self.first(log, "1:max"), "b")
        self.assertEqual(self.first(log, "1:mean"), "b")
        self.assertEqual(self.first(log, "1:Bytes/sec", counter=None), "a")
        # in the part of it in which A only began
        self.assertEqual(self.first(log, "1", counter=None), "a")
        out = self.good("export", "--layout", "long", "--top", "1", "--to", "@%d" % (START + 6), "--from",
                        "@%d" % (START + 3), log).out
        self.assertIn(",b,", out)

    def test_levels(self):
        """A holds 10 for 20 s, b 50 for 3 s: on average over all of the time that is more."""
        log = self.save(self.made([{"a": (10, 0), **({"b": (50, 0)} if s in (4, 5, 6) else {})} for s in range(20)]))
        size = r"\Task(*)\Size"
        self.assertEqual(self.first(log, "1", counter=size), "a")
        self.assertEqual(self.first(log, "1:mean", counter=size), "b")
        self.assertEqual(self.first(log, "1:max", counter=size), "b")

    def test_zeros_count_in_a_mean(self):
        """A holds 30 every other second, b 20 always."""
        log = self.save(self.made([{"a": (30 * (s % 2), 0), "b": (20, 0)} for s in range(20)]))
        size = r"\Task(*)\Size"
        for top, first in ("1:mean", "b"), ("1", "b"), ("1:max", "a"):
            self.assertEqual(self.first(log, top, counter=size), first, top)

    def test_other_types(self):
        """Busy time, differences and lengths of queues; a does more in all, b faster."""
        second = 10**7  # in 100 ns
        for counter, a, b in ((8, lambda s: second * s // 4, lambda s: second * s),
                              (10, lambda s: 4 * s, lambda s: 20 * s),
                              (12, lambda s: second * s, lambda s: 5 * second * s)):
            log = self.save(self.made([{"a": (a(s),), **({"b": (b(s - 4),)} if s in (4, 5) else {})}
                                       for s in range(11)], counters=[counter], default=0))
            name = self.TITLES[counter].decode()
            for top in "1", "1:" + name:
                self.assertEqual(self.first(log, top, counter=None), "a", name)
            self.assertEqual(self.first(log, "1:mean", counter=None), "b", name)

    def test_a_difference_is_an_amount(self):
        """However long it took."""
        log, last = self.maker.Log(self.TITLES), {"a": 0, "b": 0}
        for second, done in ((0, {}), (1, {"a": 30}), (20, {"b": 20})):
            for name in done:
                last[name] += done[name]
            log.sample((START + second) * S, [self.maker.object_of(2, [(10, *self.TYPES[10])], [
                (n, (v,)) for n, v in last.items()])])
        self.assertEqual(self.first(self.save(log), "1", counter=r"\Task(*)\Faults"), "a")

    def test_the_only_counter_that_is_left(self):
        log = self.save(self.made([{"big": (9, 0), "quick": (1, 5 * s)} for s in range(4)], default=0))
        shown = lambda *paths: {r["Instance"] for r in long_rows(self.good(  # noqa: E731
            "export", "--layout", "long", "--top", "1", *(x for p in paths for x in ("-c", p)), log).out)} - {"_Other"}
        self.assertEqual(shown(), {"big"})
        self.assertEqual(shown(r"\Task(*)\Bytes/sec"), {"quick"})
        self.assertEqual(shown(r"\Task(*)\*/sec"), {"quick"})
        self.assertEqual(shown(r"\Task(big)\Bytes/sec", r"\Task(quick)\Bytes/sec"), {"quick"})
        self.assertEqual(shown(r"\Task(*)\Bytes/sec", r"\Task(*)\Size"), {"big"})
        self.assertEqual(shown(r"\Task(*)\*"), {"big"})

    def test_windows_idle_is_nobody_s_busiest_process(self):
        for process, idle in ((20, "Idle"), (22, "Idle/3")):
            rows = [{idle: (0, 90 * s), "_Total": (0, 100 * s), "a": (0, 7 * s), "b": (0, 3 * s)} for s in range(4)]
            log = self.save(self.made(rows, objects=[process]))
            name = self.TITLES[process].decode()
            found = {}
            for r in long_rows(self.good("export", "--layout", "long", "--top", "1", log).out):
                if r["Counter"] == "Bytes/sec" and r["Value"]:
                    found.setdefault(r["Instance"], set()).add(r["Value"])
            self.assertEqual(found, {idle: {"90"}, "a": {"7"}, "_Other": {"3"}, "_Total": {"100"}})
            if process == 20:
                self.assertEqual(self.in_report(log, "-c", r"\%s(*)\Bytes/sec" % name, "--top", "1", apart="Idle"), "a")
        log = self.save(self.made([{"Idle": (0, 90 * s), "a": (0, s)} for s in range(4)]))
        self.assertEqual(self.first(log, "1"), "Idle")  # a Task may be called so

    def test_the_counter_s_own_clock(self):
        """An hour's sleep in which the machine's clock stood still makes nobody busy."""
        log = self.maker.Log(self.TITLES, interval_ns=S)
        work = {"asleep": (0, 20, 20, 20), "awake": (0, 0, 30, 60)}
        for i, second in enumerate((0, 3600, 3601, 3602)):
            o = self.maker.object_of(2, [(6, RATE, 8)], [(n, (w[i],)) for n, w in work.items()])
            log.sample((START + second) * S, [o], perf_time=10**7 * (100 + i))
        self.assertEqual(self.first(self.save(log), "1"), "awake")

    def test_reboots(self):
        """What was done counts, whatever the clock is that a machine has now."""
        data = b""
        for n, freq in enumerate((1000, 4000)):
            log = self.maker.Log(self.TITLES, session=1 + n)
            for s in range(3):
                o = self.maker.object_of(2, [(6, RATE, 8)], [("a", (15 * s,)), ("b", (20 * s * n,))])
                log.sample((START + 10 * n + s) * S, [o], perf_time=freq * (100 + s), perf_freq=freq)
            data += log.data
        self.assertEqual(self.first(self.write("reboots.plog", data), "1"), "a")  # 60, not 40

    def test_a_cap_hides_what_was_done_not_who_did_it(self):
        busy = 10**7
        log = self.save(self.made([{"a": (3 * busy * (s > 1),), "b": (busy * min(s, 2),)} for s in range(4)],
                                  counters=[8], default=0))
        rows = long_rows(self.good("export", "--layout", "long", "--cap100", "--top", "1", log).out)
        self.assertEqual({r["Instance"] for r in rows}, {"a", "_Other"})

    def test_a_counter_that_came_later(self):
        """Those that never had it are not compared by another one."""
        data = b""
        for n, (name, counters) in enumerate((("old", [4]), ("new", [4, 6]))):
            log = self.maker.Log(self.TITLES, session=1 + n)
            self.made([{name: (10**6 * (1 - n), s)[:1 + n]} for s in range(3)], counters=counters, default=0, log=log)
            data += log.data
        self.assertEqual(self.first(self.write("later.plog", data), "1:Bytes/sec", counter=None), "new")

    def test_wrong_ways(self):
        log = self.save(self.made([{"a": (0, s)} for s in range(2)]))
        self.refused(1, "export", "--top", "1:median", log, says="no counter is called 'median'")
        self.refused(1, "report", "--top", "1:median", log, "-o", self.path("x.html"), says="--top '1:median'")


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
        for seed in range(12 if harness.FULL else 4):
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
        self.assertGreater(rows, 5000 if harness.FULL else 1500)


class Idle(Made):
    """Most of _Other did nothing: what counts differences is 0 then, and nothing else is."""

    def log(self):
        log = self.maker.Log({2: b"Task", 6: b"Work/sec", 8: b"% Busy Time"})
        for s in range(20):  # work done, and idle time in 100 ns
            instances = [("busy", (10 * s, 0)), ("one", (1000, 77)), ("two", (1000, 77)),
                         ("now and then", (1000 + 3 * (s // 4), 10**7 // 4 * s))]
            log.sample((START + s) * S, [self.maker.object_of(2, [(6, RATE, 8), (8, 0x21510500, 8)],
                                                              instances)])
        return log.save(self.path("idle.plog"))

    def rows(self, *options):
        return long_rows(self.good("export", "--layout", "long", "--time", "unix", *options, self.log()).out)

    def test_what_is_no_difference_counts(self):
        found = {(round(float(r["Time"])) - START, r["Counter"]): float(r["Value"])
                 for r in self.rows("--top", "1:Work/sec") if r["Instance"] == "_Other" and r["Value"]}
        self.assertEqual(found, {**{(s, "Work/sec"): 0 if s % 4 else 3 for s in range(1, 20)},
                                 **{(s, "% Busy Time"): 100 + 100 + 75 for s in range(1, 20)}})

    def test_the_sum_of_idle_ones_alone_is_0(self):
        found = {(round(float(r["Time"])) - START, r["Counter"]): float(r["Value"])
                 for r in self.rows("--top", "2:Work/sec") if r["Instance"] == "_Other" and r["Value"]}
        self.assertEqual(found, {**{(s, "Work/sec"): 0 for s in range(1, 20)},
                                 **{(s, "% Busy Time"): 100 + 100 for s in range(1, 20)}})

    def test_nothing_is_added_up_that_was_not_chosen(self):
        rows = self.rows("--top", "1:% Busy Time", "-c", r"\Task(busy)\Work/sec", "-c", r"\Task(*)\% Busy Time")
        self.assertEqual({(r["Instance"], r["Counter"]) for r in rows},
                         {("busy", "Work/sec"), ("busy", "% Busy Time"), ("_Other", "% Busy Time")})

    def test_of_each_only_what_was_chosen_is_there(self):
        """What is wanted of one instance is not of the other, which did nothing either."""
        found = {(r["Instance"], r["Counter"], float(r["Value"]))
                 for r in self.rows("-c", r"\Task(one)\Work/sec", "-c", r"\Task(two)\% Busy Time") if r["Value"]}
        self.assertEqual(found, {("one", "Work/sec", 0), ("two", "% Busy Time", 100)})


class Groups(Made):
    """--group: processes become sums; what these are is worked out from the raw values here."""

    NAMES = {230: b"Process", 784: b"ID Process", 1410: b"Creating Process ID", 6: b"Bytes/sec", 8: b"Working Set",
             10: b"Priority Base", 12: b"% Processor Time", 2: b"Task"}
    TYPES = [(784, 0x00010000, 4), (1410, 0x00010000, 4), (6, RATE, 8), (8, GAUGE, 8), (10, 0x00010000, 4),
             (12, 0x20510500, 8)]

    def log(self, seconds, facts=True, types=None, indexes=(230,), host=b"web"):
        """seconds: [(instance, (values of TYPES))...] each, at one second after the other."""
        rules = struct.pack("<BIII", 1, 784, 0, 0)[:9] + b"".join(
            struct.pack("<IBB", i, 255, 1) for i in (6, 8, 12))
        log = self.maker.Log(self.NAMES, facts={i: rules for i in indexes} if facts else None, host=host)
        for s, instances in enumerate(seconds):
            log.sample((START + s) * S, [self.maker.object_of(i, types or self.TYPES, instances) for i in indexes])
        return log.save(self.path("%d.plog" % len(os.listdir(self.folder))))

    def values(self, log, *options, counter=None):
        """{(second, instance, counter): (value, status)}"""
        rows = long_rows(self.good("export", "--layout", "long", "--time", "unix", *options, log).out)
        return {(round(float(r["Time"])) - START, r["Instance"], r["Counter"]): (r["Value"], r["Status"])
                for r in rows if not counter or r["Counter"] == counter}

    def test_by_name(self):
        log = self.log([[("bash:%d" % pid, (pid, 1, (pid - 9) * 10 * s, pid, 20, 10**6 * s)) for pid in (10, 11)] +
                        [("a:b:12", (12, 10, 7 * s, 5, 20, 0)), (":13", (13, 1, s, 1, 20, 0)),
                         ("_Total:14", (14, 1, s, 1, 20, 0))] for s in range(3)])
        self.assertEqual({k[1:]: v for k, v in self.values(log, "--group", "name").items() if k[0] == 1}, {
            ("bash", "Bytes/sec"): ("30", ""), ("bash", "Working Set"): ("21", ""),
            ("bash", "% Processor Time"): ("20", ""), ("a:b", "Bytes/sec"): ("7", ""),
            ("a:b", "Working Set"): ("5", ""), ("a:b", "% Processor Time"): ("0", ""),
            (":13", "Bytes/sec"): ("1", ""), (":13", "Working Set"): ("1", ""), (":13", "% Processor Time"): ("0", ""),
            ("_Total#1", "Bytes/sec"): ("1", ""), ("_Total#1", "Working Set"): ("1", ""),
            ("_Total#1", "% Processor Time"): ("0", ""),
            ("_Total", "Bytes/sec"): ("39", ""), ("_Total", "Working Set"): ("28", ""),
            ("_Total", "% Processor Time"): ("20", "")})

    def test_names_of_windows(self):
        """Equal ones have numbers, and the log no rules: its sizes have no sum.  Idle and _Total stay."""
        log = self.log([[(name, (0, 0, w * s, 1, 8, 0)) for name, w in (
            ("svchost", 1), ("svchost", 2), ("C#", 4), ("svchost", 8), ("Idle", 70), ("_Total", 85))]
            for s in range(3)], facts=False)
        found = self.values(log, "--group", "name", counter="Bytes/sec")
        self.assertEqual({k[1]: v[0] for k, v in found.items() if k[0] == 2},
                         {"svchost": "11", "C#": "4", "Idle": "70", "_Total": "85"})
        self.assertEqual({k[1] for k in self.values(log, "--group", "name", counter="Working Set")},
                         {"Idle", "_Total"})

    def test_by_parent(self):
        """A parent is called as it is; 12 loses its own, and 99 was never seen."""
        rows = [[("init:1", (1, 0, 0, 1, 20, 0)), ("make:10", (10, 1, 0, 1, 20, 0)),
                 ("cc:11", (11, 10, 5 * s, 2, 20, 0)), ("cc:12", (12, 10 if s < 3 else 1, 7 * s, 4, 20, 0)),
                 ("x:13", (13, 99, 8 * s, 8, 20, 0))] for s in range(5)]
        log = self.log(rows)
        found = self.values(log, "--group", "parent", counter="Bytes/sec")
        self.assertEqual({k[:2]: v[0] for k, v in found.items() if k[0] in (2, 3)}, {
            (2, "make:10"): "12", (2, "init:1"): "0", (2, "?:99"): "8", (2, "?:0"): "0", (2, "_Total"): "20",
            (3, "make:10"): "5", (3, "init:1"): "7", (3, "?:99"): "8", (3, "?:0"): "0", (3, "_Total"): "20"})
        # the parent need not be chosen, nor its number be shown
        some = self.values(log, "--group", "parent", "-c", r"\Process(cc*)\Bytes/sec")
        self.assertEqual({k[1:] for k in some}, {("make:10", "Bytes/sec"), ("init:1", "Bytes/sec")})
        sheet = self.wide(log, "--group", "parent", "--top", "1", "-c", r"\Process(*)\Bytes/sec")
        self.assertEqual([p.split("(")[1] for p in sheet.paths],
                         [r"make:10)\Bytes/sec", r"_Other)\Bytes/sec", r"_Total)\Bytes/sec"])

    def test_a_sum_of_ended_processes_is_nobodys_parent(self):
        """It has the number 0, as has the parent of those that have none."""
        log = self.log([[("init:1", (1, 0, 3 * s, 1, 20, 0)), ("cc:0", (0, 0, 4 * s, 0, 20, 0)),
                         ("ld:0", (0, 0, 5 * s, 0, 20, 0))] for s in range(3)])
        found = self.values(log, "--group", "parent", counter="Bytes/sec")
        self.assertEqual({k[1]: v[0] for k, v in found.items() if k[0] == 2}, {"?:0": "12", "_Total": "12"})

    def test_all_that_has_a_sum_is_shown(self):
        """Of the chosen ones; _Other has rates and timers only.  Who was there all the time is complete."""
        log = self.log([[("a:1", (1, 0, 3 * s, 5, 20, 0)), ("a:2", (2, 0, 3 * s, 6, 20, 0)),
                         ("b:3", (3, 0, s, 7, 20, 0))] for s in range(5)])
        for every in [], ["--every", "2s"]:
            found = self.values(log, "--group", "name", "--top", "1:Bytes/sec", *every)
            self.assertEqual({k[1:]: v for k, v in found.items() if k[0] == 4 - START % 2}, {
                ("a", "Bytes/sec"): ("6", ""), ("a", "Working Set"): ("11", ""), ("a", "% Processor Time"): ("0", ""),
                ("_Other", "Bytes/sec"): ("1", ""), ("_Other", "% Processor Time"): ("0", ""),
                ("_Total", "Bytes/sec"): ("7", ""), ("_Total", "Working Set"): ("18", ""),
                ("_Total", "% Processor Time"): ("0", "")})

    def test_members_that_could_not_be_read(self):
        """Bit 0 of the flags says so of Bytes/sec: the sum of the others is a part."""
        names = {230: b"Process", 6: b"Bytes/sec", 14: b"Data Flags"}
        log = self.maker.Log(names, facts={230: struct.pack("<BI", 0, 14) + struct.pack("<IBB", 6, 0, 1)})
        for s in range(3):
            log.sample((START + s) * S, [self.maker.object_of(230, [(6, RATE, 8), (14, 0, 4)], [
                ("a:1", (3 * s, 0)), ("a:2", (5 * s, 1)), ("b:3", (5 * s, 1))])])
        found = self.values(log.save(self.path("a.plog")), "--group", "name", counter="Bytes/sec")
        self.assertEqual({k[1]: v for k, v in found.items() if k[0] == 2},
                         {"a": ("3", "partial"), "b": ("", "unreadable"), "_Total": ("3", "partial")})

    def test_no_number_of_a_parent(self):
        types = [t for t in self.TYPES if t[0] != 1410]
        log = self.log([[("a:1", (1, 3 * s, 1, 20, 0)), ("b:2", (2, 4 * s, 1, 20, 0))] for s in range(3)], types=types)
        self.assertEqual(self.values(log, "--group", "parent", "-c", r"\Process(*)\Bytes/sec")[2, "?", "Bytes/sec"],
                         ("7", ""))

    def test_other_objects_stay(self):
        log = self.log([[("a:1", (1, 0, s, 1, 20, 0)), ("a:2", (2, 0, s, 1, 20, 0))] for s in range(3)],
                       indexes=(230, 2))
        rows = long_rows(self.good("export", "--layout", "long", "--group", "name", log).out)
        plain = long_rows(self.good("export", "--layout", "long", log).out)
        of_task = lambda found: [r for r in found if r["Object"] == "Task"]  # noqa: E731
        self.assertEqual(of_task(rows), of_task(plain))
        self.assertEqual({r["Instance"] for r in rows if r["Object"] == "Process"}, {"a", "_Total"})

    def test_random_logs(self):
        """Groups add up to _Total in each row, and each is what the raw values say."""
        for seed in range(8 if harness.FULL else 3):
            rand = random.Random(seed)
            seconds, state, pid = [], {}, 100
            for _ in range(rand.randrange(10, 60)):
                for _ in range(rand.randrange(4)):
                    pid += 1
                    state["%s:%d" % (rand.choice(["cc", "sh", "ld", "as"]), pid)] = [
                        pid, rand.choice([1, pid - 3]), 0, 0, 20, 0]
                for name in list(state):
                    if rand.random() < 0.2:
                        del state[name]
                        continue
                    v = state[name]
                    v[2], v[3], v[5] = v[2] + rand.randrange(1000), rand.randrange(100), v[5] + rand.randrange(10**7)
                instances = [(n, tuple(v)) for n, v in state.items()]
                rand.shuffle(instances)
                seconds.append(instances)
            log = self.log(seconds)
            self.check_by_name(log, seconds)
            for key in "name", "parent":
                for more in [], ["--every", "3s"], ["--every", "1m"], ["--top", "2", "--every", "10s"]:
                    for counter in "Bytes/sec", "% Processor Time":
                        with self.subTest(seed=seed, key=key, more=more, counter=counter):
                            self.check_sums(self.values(log, "--group", key, *more, counter=counter))

    def check_sums(self, found):
        sums = {}
        for (second, instance, _), (value, status) in found.items():
            if status != "absent":
                at = sums.setdefault(second, [0, 0])
                at[instance == "_Total"] += float(value or 0)
        self.assertTrue(sums)
        for second, (parts, total) in sums.items():
            self.assertAlmostEqual(parts, total, delta=1e-9 * max(1, total), msg=second)

    def check_by_name(self, log, seconds):
        expected, was = {}, {}
        for s, instances in enumerate(seconds):
            for name, v in instances:
                key = s, name.split(":")[0]
                expected.setdefault((*key, "Working Set"), [0, True])[0] += v[3]
                e = expected.setdefault((*key, "Bytes/sec"), [0, False])
                if name in was:
                    e[0], e[1] = e[0] + v[2] - was[name], True
            was = {name: v[2] for name, v in instances}
        found = {k: float(v) if v else None for k, (v, _) in self.values(log, "--group", "name").items()
                 if k[1] != "_Total" and k[2] in ("Working Set", "Bytes/sec")}
        self.assertEqual(found, {k: n if good else None for k, (n, good) in expected.items()})

    def test_wrong_keys(self):
        log = self.log([[("a:1", (1, 0, s, 1, 20, 0))] for s in range(2)])
        for key in "", "names", "colour":
            self.refused(1, "export", "--group", key, log, says="give name, user, unit, command or parent")


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
        no_object, no_counter = "there is no object", "the object has no counter"
        no_instance = "the object has no instance"
        for path, near, why, part in (
                (r"\Taks(a)\Size", r"\Task(a)\Size", no_object, "Taks"),
                (r"\Task(a)\Work", r"\Task(a)\Work/sec", no_counter, "Work"),
                (r"\Task(*)\work/second", r"\Task(*)\Work/sec", no_counter, "work/second"),
                ("Clok", r"\Clock\*", no_object, "Clok"),
                (r"\Clock\Tics", r"\Clock\Ticks", no_counter, "Tics"),
                (r"\Task(x)\Size", r"\Task(a)\Size", no_instance, "x")):
            for command in "export", "list", "stats":
                self.refused(1, command, "-c", path, log,
                             says="nothing matches '%s': %s '%s'; did you mean '%s'?" % (path, why, part, near))
            self.good("export", "-q", "-c", near, log)

    def test_nothing_is_near(self):
        log = self.tasks()
        for path in r"\Task(nobody)\Size", r"\Something\Else", r"\Task(a)\Temperature":
            r = run("export", "-c", path, log)
            self.check_one_line(r, 1, "nothing matches '%s': " % path)
            self.assertNotIn("did you mean", r.err)
            self.assertIn("; 'perflog list' shows", r.err)
        said = {run("export", "-c", path, log).err.replace(path, "")
                for path in (r"\Task(nobody)\Size", r"\Something\Else", r"\Task(a)\Temperature",
                             r"\\elsewhere\Task(a)\Size", r"\Clock(a)\Ticks", r"\*(a)\Ticks")}
        self.assertEqual(len(said), 6, said)

    def test_parts_that_do_not_occur_together(self):
        """Each part of such a path is known, so that none is told to be wrong."""
        log = self.tasks()
        for path in r"\*(a)\Ticks", r"\\web\*(a)\Ticks":
            self.refused(1, "export", "-c", path, log, says="nothing matches '%s': its parts occur, but not together" % path)

    def test_an_instance_that_the_first_pass_over_names_meets_before_the_window_only(self):
        """Key samples are enough for names: later it is in samples between them."""
        rand = random.Random(3)
        first = [rand.getrandbits(60) for _ in range(150)]
        log = self.maker.Log({2: b"Disk", 4: b"Reads", 6: b"Writes"}, host=b"web")
        for s in range(150):
            log.sample((START + s) * S, [self.maker.object_of(2, [(4, GAUGE, 8), (6, GAUGE, 8)], [
                *(("a%d" % k, (v + s, v)) for k, v in enumerate(first)), *([("b", (s, s))] if s == 0 or 90 <= s < 92 else [])])])
        self.good("repair", log.save(self.path("a.plog")), "-o", self.path("deltas.plog"))
        for jobs in "1", "2":
            out = self.path("out%s.csv" % jobs)
            self.good("export", "--from", "@%d" % START, "-c", r"\Disk(b)\Reads", "--jobs", jobs, "-o", out, self.path("deltas.plog"))
            with open(out, encoding="utf-8") as f:
                self.assertEqual([line.split(",")[1] for line in f.read().splitlines() if not line.endswith(",")][1:], ["90", "91"])

    def test_what_people_call_it(self):
        """Other words for objects, _Total without its underscore, and processes without their numbers."""
        log = self.maker.Log({2: b"Processor", 4: b"Time", 6: b"Process", 8: b"Size"}, host=b"web")
        for i in range(2):
            log.sample((START + i) * S, [
                self.maker.object_of(2, [(4, GAUGE, 8)], [("0", (1,)), ("_Total", (1,))]),
                self.maker.object_of(6, [(8, GAUGE, 8)], [("python3:41", (1,)), ("bash:7", (1,)), ("http:80:12", (1,))])])
        log = log.save(self.path("a.plog"))
        for path, near in (("cpu", r"\Processor\*"), (r"\CPU(*)\Time", r"\Processor(*)\Time"),
                           (r"\Processor(Total)\*", r"\Processor(_Total)\*"),
                           (r"\Process(python)\*", r"\Process(python3:*)\*"),
                           (r"\Process(bash)\Size", r"\Process(bash:*)\Size"),
                           (r"\Process(http:80)\Size", r"\Process(http:80:*)\Size"),
                           (r"\Process(bash:8)\Size", r"\Process(bash:7)\Size")):
            self.refused(1, "export", "-c", path, log, says="; did you mean '%s'?" % near)
            self.good("export", "-q", "-c", near, log)

    def test_zones(self):
        log = self.tasks()
        for zone, near in (("Europe/Berln", "Europe/Berlin"), ("Tokio", "Asia/Tokyo"), ("berlin", "Europe/Berlin"),
                           ("new_york", "America/New_York")):
            self.refused(1, "export", "--tz", zone, log, says="--tz '%s': no such zone; did you mean '%s'?" % (zone, near))
        self.refused(1, "export", "--tz", "Qqqqq/Zzzzz", log, says="no such zone; give UTC, log, local")


if __name__ == "__main__":
    harness.main()
