#!/usr/bin/env python3
"""perflog diagnose: each built-in rule finds what a made machine did, quiet machines have no findings; rules of users."""
import collections
import json
import math
import os
import random
import sys
import unittest

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from harness import Case, Runner, read, run
from identified import FACTS, PID, PROCESS, STARTED, entry
from write_log import SECOND, Log, object_of

START = 1_795_262_400  # 2026-11-21 12:00:00 UTC
GAUGE, TEXT = 0x00010100, 0x00000B00
SLOT, BEGIN, BURST = 100, 20, 60  # samples of each rule's incident: a slot, and in it those that are bad
# Topic, counter and value of each rule: a row that is gone is missed here.
RULES = r"""
cpu       | \Processor(_Total)\% Processor Time       | mean
cpu       | \Pressure Stall(cpu)\% Some Stalled       | mean
cpu       | \System\Processor Queue Length            | mean
cpu       | \Processor(_Total)\% Steal Time           | mean
cpu       | \System\Context Switches/sec              | mean
limits    | \Control Group(*)\% Throttled Time        | mean
processes | \System\Threads Created/sec               | mean
hang      | \Process(*)\State                         | state D
memory    | \Memory\% In Use                          | mean
memory    | \Memory\Available MBytes                  | mean
memory    | \Memory\% In Use                          | rise
memory    | \Memory\% Committed Bytes In Use          | rise
memory    | \Pressure Stall(memory)\% Some Stalled    | mean
memory    | \Virtual Memory\Swap Pages In/sec         | mean
memory    | \Virtual Memory\Allocation Stalls/sec     | mean
memory    | \Control Group(*)\Memory Limit Hits/sec   | mean
memory    | \Virtual Memory\OOM Kills/sec             | count
memory    | \Paging File(_Total)\% Usage              | mean
disk      | \PhysicalDisk(*)\% Busy Time              | mean
disk      | \PhysicalDisk(*)\% Idle Time              | mean
disk      | \PhysicalDisk(*)\Avg. Disk Queue Length   | mean
disk      | \LogicalDisk(*)\Avg. Disk sec/Transfer    | mean
disk      | \Pressure Stall(io)\% Some Stalled        | mean
disk      | \PhysicalDisk(*)\Flushes/sec              | mean
space     | \LogicalDisk(/)\% Free Space              | min
space     | \LogicalDisk(/var)\% Free Space           | min
space     | \LogicalDisk(/home)\% Free Space          | min
space     | \LogicalDisk(?:)\% Free Space             | min
network   | \Network Interface(*)\Packets/sec         | mean
network   | \UDPv4\Receive Buffer Errors/sec          | mean
network   | \UDPv6\Receive Buffer Errors/sec          | mean
network   | \Network Interface(*)\Output Queue Length | mean
network   | \TCP Extensions\Listen Overflows/sec      | count
network   | \Network Interface(*)\Receive Drops/sec   | count
network   | \Network Interface(*)\Transmit Drops/sec  | count
network   | \Network Interface(*)\Receive Errors/sec  | count
network   | \Network Interface(*)\Transmit Errors/sec | count
network   | \TCPv4\Segments Retransmitted/sec         | mean
"""
INSTANCES = {"?:": "C:", "*": "x0"}
RULE = r"odd | workload | \System\%s | %s | %s | %s | %s | 50 | - | - | it is odd"


class Rule:
    def __init__(self, line):
        (self.topic, self.kind, path, self.value, limit, usual, slices, self.weight, self.processes, _,
         self.words) = (cell.strip() for cell in line.split("|"))
        self.path, self.below, self.limit = path, limit.startswith("<"), float(limit[2:])
        name, self.counter = path[1:].rsplit("\\", 1)
        self.object, _, instance = name.partition("(")
        self.instance = instance[:-1] and INSTANCES.get(instance[:-1], instance[:-1])
        if self.object == "Control Group":
            self.instance = "/x0"
        self.key = self.object, self.instance, self.counter

    def quiet(self):
        return 10 if self.counter == "% In Use" else int(10 * self.limit) if self.below else 0

    def at(self, sample):
        """Its value in a sample of its slot."""
        bad = sample - BEGIN
        if not 0 <= bad < BURST:
            return self.quiet()
        if self.value == "rise":
            return self.quiet() + int(4 * self.limit * bad / BURST)
        return int(self.limit / 2) if self.below else math.ceil(2 * self.limit)


class Machine:
    """Objects whose counters are plain numbers: {(object, instance or "", counter): value}."""

    def __init__(self, keys):
        self.titles, self.names = {}, {PROCESS: b"Process", PID: b"ID Process", STARTED: b"Elapsed Time"}
        self.objects = collections.defaultdict(dict)
        for o, instance, counter in keys:
            self.objects[o].setdefault(instance, [])
            self.title(o)
            self.title(counter)
        self.counters = {o: list(dict.fromkeys(c for name, _, c in keys if name == o)) for o in self.objects}

    def title(self, name):
        if name not in self.titles:
            self.titles[name] = 2000 + 2 * len(self.titles)
            self.names[self.titles[name]] = name.encode()
        return self.titles[name]

    def log(self, **how):
        return Log(self.names, **how)

    def blocks(self, value):
        """Objects of a sample; value(object, instance, counter)."""
        for o, instances in self.objects.items():
            yield object_of(self.titles[o], [(self.titles[c], GAUGE, 8) for c in self.counters[o]],
                            [(i or None, [value(o, i, c) for c in self.counters[o]]) for i in instances])


class Diagnosed(Case):
    def found(self, log, *args):
        return json.loads(self.good("diagnose", "-q", "--json", "-n", "1000", *args, log).out)["findings"]

    def rules(self):
        return [Rule(line) for line in self.good("diagnose", "--print-rules").out.split("\n")
                if line and not line.startswith("#")]

    def simple(self, values, counter="Odd", interval=SECOND, name="a.plog", host=b"web", apart=0, begin=0, late=0, late_from=1, boot=0, **how):
        """A log of System\\counter.  Samples are so late from one on, or early; the first ones, 'boot', are of 1970."""
        apart = apart or interval or SECOND
        machine = Machine([("System", "", counter)])
        log = machine.log(interval_ns=interval, host=host, **how)
        for i, value in enumerate(values):
            log.sample((START * SECOND if i >= boot else 0) + begin + i * apart + late * (i >= late_from), list(machine.blocks(lambda *_, v=value: v)))
        return log.save(self.path(name))

    def rule(self, value="mean", limit=">= 10", usual="-", slices=1, counter="Odd"):
        return self.write("rules", (RULE % (counter, value, limit, usual, slices)).encode())


    def times(self, *logs, slices=3):
        return [(f["begin"][11:19], f["end"][11:19]) for f in self.found(logs[0], "--rules", self.rule(slices=slices), *logs[1:])]


class BuiltIn(Diagnosed):
    PEOPLE = {7: "busy:7", 8: "idle:8"}

    def processes(self, machine, rules, slot, sample, number):
        """A process that does all there is, one that does little, and in a slot one that starts others."""
        counters = list(dict.fromkeys(c for r in rules if " " in r.processes
                                      for c in r.processes.split(" ", 1)[1].split(" + ")))
        current = rules[slot] if slot < len(rules) else None
        bad = current and 0 <= sample - BEGIN < BURST
        rows = []
        for pid, name in self.PEOPLE.items():
            busy = pid == 7
            values = [0 if c.startswith("OOM") and not busy else 1000 if busy else 10 for c in counters]
            if busy and current and current.processes.startswith("growth"):
                values[counters.index("Private Bytes")] += 1000 * max(0, min(sample - BEGIN, BURST))
            hung = busy and bad and current.value.startswith("state")
            rows.append((name, [pid, 1000, 8, ord("D" if hung else "S")] + values))
        if bad and current.processes == "starts":
            rows.append(("child:%d" % (100 + number), [100 + number, 1000 + number, 7, ord("S")] + [0] * len(counters)))
        return object_of(PROCESS, [(PID, 0x00010000, 4), (STARTED, 0x30240500, 8),
                                   (machine.title("Creating Process ID"), 0x00010000, 4), (machine.title("State"), TEXT, 4)] +
                         [(machine.title(c), GAUGE, 8) for c in counters], rows, (START * 10**7, 10**7))

    def all_bad(self, rules):
        """A log in which each rule's incident happens once, in the order of the rules."""
        machine = Machine([r.key for r in rules if r.object != "Process"])
        self.processes(machine, rules, 0, 0, 0)  # its titles
        log = machine.log(facts=FACTS)
        quiet = {r.key: r.quiet() for r in rules}
        for s in range(SLOT * (len(rules) + 1)):
            slot, sample = divmod(s, SLOT)
            now = dict(quiet)
            if slot < len(rules):
                now[rules[slot].key] = rules[slot].at(sample)
            if not s:
                log.record(b"iden", entry(7, control_group="/x0", user_name="eve", command_line="eat --all\0now") +
                           entry(8, control_group="/x01"), START * SECOND)
            log.sample((START + s) * SECOND, [*machine.blocks(lambda *key: now.get(key, 1000)),
                                              self.processes(machine, rules, slot, sample, s)])
        return log.save(self.path("all.plog"))

    def test_rules_are_these(self):
        wanted = [tuple(cell.strip() for cell in line.split("|")) for line in RULES.strip().split("\n")]
        self.assertEqual([(r.topic, r.path, r.value) for r in self.rules()], wanted)

    def test_each_finds_its_incident_and_nothing_else(self):
        rules = self.rules()
        log = self.all_bad(rules)
        found = {int(f["begin"][11:13]) * 3600 + int(f["begin"][14:16]) * 60 + int(f["begin"][17:19]): f
                 for f in self.found(log)}
        for i, r in enumerate(rules):
            with self.subTest(r.path + " " + r.value):
                at = 12 * 3600 + i * SLOT + BEGIN
                near = [f for t, f in found.items() if abs(t - at) <= 20]
                self.assertEqual(len(near), 1)
                f = near[0]
                self.assertEqual((f["topic"], f["kind"], f["words"], f["object"], f["instance"] or "", f["counter"]),
                                 (r.topic, r.kind, r.words, r.object,
                                  "busy:7" if r.object == "Process" else r.instance, r.counter))
                self.assertGreaterEqual(f["severity"], float(r.weight))
                self.assertLessEqual(f["severity"], 100)
                names = [p["name"] for p in f["processes"]]
                if r.processes == "-":
                    self.assertEqual(names, [])
                elif r.processes.startswith("most"):
                    self.assertEqual(names, ["busy:7", "idle:8"])
                else:
                    self.assertEqual(names, ["busy:7"])
                    self.assertEqual(f["processes"][0]["user"], "eve")
                    self.assertEqual(f["processes"][0]["command_line"], "eat --all now")
        self.assertEqual(len(found), len(rules))
        severities = [f["severity"] for f in self.found(log)]
        self.assertEqual(severities, sorted(severities, reverse=True))

    def test_quiet_hour_has_no_findings(self):
        """Short peaks are no finding, whatever they reach."""
        rules, dice = self.rules(), random.Random(7)
        machine = Machine([r.key for r in rules if r.object != "Process"])
        log = machine.log()
        for s in range(3600):
            peak = s % 97 == 50

            def value(o, instance, counter):
                if counter in ("% Free Space", "Available MBytes", "% Idle Time"):
                    return 60 + dice.randrange(20) if "MB" not in counter else 5000
                if counter.split(" ")[-1] in ("Stalled", "Time") and counter not in ("% Processor Time", "% Busy Time"):
                    return 60 if peak else 1
                if counter.startswith("%"):
                    return 100 if peak and counter == "% Processor Time" else 20 + (s // 600) % 2
                return 0 if counter == "OOM Kills/sec" else 3 if peak and "/sec" in counter else 0

            log.sample((START + s) * SECOND, list(machine.blocks(value)))
        path = log.save(self.path("quiet.plog"))
        self.assertEqual(self.found(path), [])
        self.assertEqual(self.good("diagnose", path).out,
                         "web  2026-11-21 12:00:00 to 12:59:59 UTC, 3600 samples\n\nNo findings.\n")


    def rises(self, growth):
        """Findings where memory in use grows by 20 %, and processes by so many bytes."""
        machine = Machine([("Memory", "", "% In Use"), ("Memory", "", "Total Bytes")])
        titles = [machine.title(name) for name in ("Process", "Private Bytes")]
        log = machine.log()
        for s in range(200):
            done = min(max(s - 50, 0), 100)
            values = {"% In Use": 10 + done // 5, "Total Bytes": 10**6}
            rows = [("p%d" % i, [1000 + n * done // 100]) for i, n in enumerate(growth)]
            log.sample((START + s) * SECOND, [*machine.blocks(lambda o, i, c, v=values: v[c]),
                                              object_of(titles[0], [(titles[1], GAUGE, 8)], rows)])
        return [[p["name"] for p in f["processes"]] for f in self.found(log.save(self.path("rise.plog")))]

    def test_rise_needs_a_process(self):
        self.assertEqual(self.rises([200000, 1000]), [["p0", "p1"]])
        self.assertEqual(self.rises([200000, 190000, 20000]), [])  # which of them?
        # On a busy machine, where others grow as well, and some shrink.
        self.assertEqual(self.rises([200000, 120000, 110000]), [["p0", "p1", "p2"]])
        self.assertEqual(self.rises([200000, 120000, 110000, 100000, 90000]), [])
        self.assertEqual(self.rises([90000, 50000, 50000]), [])  # not half of memory in use
        self.assertEqual(self.rises([20000, 1000]), [])  # memory in use grew by 200,000


class Programs(Diagnosed):
    """Who did it is a program where none of its processes stands out."""
    RULE = rb"odd | workload | \System\Odd | mean | >= 10 | - | 1 | 50 | most Storage Write Bytes/sec | - | it is odd"

    def by(self, people):
        """The processes named, of an odd minute in which each of the people, [(name, user, how much)], does so much."""
        machine = Machine([("System", "", "Odd")])
        written = machine.title("Storage Write Bytes/sec")
        log = machine.log(facts=FACTS)
        for s in range(100):
            bad = 50 <= s < 60
            if not s:
                log.record(b"iden", b"".join(entry(pid, user_name=user) for pid, (_, user, _) in enumerate(people, 1) if user),
                           START * SECOND)
            rows = [("%s:%d" % (name, pid), [pid, 1000, much * bad]) for pid, (name, _, much) in enumerate(people, 1)]
            log.sample((START + s) * SECOND, [
                *machine.blocks(lambda *_, v=20 * bad: v),
                object_of(PROCESS, [(PID, 0x00010000, 4), (STARTED, 0x30240500, 8), (written, GAUGE, 8)],
                          rows, (START * 10**7, 10**7))])
        self.log = log.save(self.path("programs.plog"))
        self.odd = self.write("rules", self.RULE)
        (f,) = self.found(self.log, "--rules", self.odd)
        return [(p["name"], p["processes"], round(p["share"], 3), p.get("user")) for p in f["processes"]]

    def test_many_that_did_little(self):
        people = [("cc1", "eve", 8), ("cc1", "eve", 10)] * 5 + [("dd", "bob", 60), ("sh", None, 41), ("ld", None, 9)]
        self.assertEqual(self.by(people), [("cc1", 10, 0.45, "eve"), ("dd:11", 1, 0.3, "bob"), ("sh:12", 1, 0.205, None)])
        self.assertRegex(self.good("diagnose", "--rules", self.odd, self.log).out,
                         r"\n    by  cc1 \(10 processes, eve\): Storage Write Bytes/sec 30(\.0)? B/s, 45 % of all\n"
                         r"        dd:11 \(bob\): ")

    def test_one_that_did_a_quarter_stands_out(self):
        self.assertEqual(self.by([("cc1", "eve", 25)] * 4), [("cc1:%d" % i, 1, 0.25, "eve") for i in (1, 2, 3)])
        self.assertEqual(self.by([("cc1", "eve", 7)] * 5), [("cc1", 5, 1, "eve")])
        self.assertEqual(self.by([("cc1", "eve", 25)] + [("cc1", "eve", 5)] * 15),
                         [("cc1:1", 1, 0.25, "eve"), ("cc1:2", 1, 0.05, "eve"), ("cc1:3", 1, 0.05, "eve")])

    def test_users(self):
        """That of all that have one: of what ended before it was read none is known."""
        self.assertEqual(self.by([("cc1", None, 1), ("cc1", "eve", 1)] * 4), [("cc1", 8, 1, "eve")])
        self.assertEqual(self.by([("cc1", "eve", 1), ("cc1", "bob", 1)] * 4), [("cc1", 8, 1, None)])
        text = self.good("diagnose", "--rules", self.odd, self.log).out
        self.assertIn("    by  cc1 (8 processes): Storage", text)


class Hangs(Diagnosed):
    """What waits for a busy disk is explained by the disk only if it reads or writes."""

    def stuck(self, written, late=False):
        """Findings of a minute in which one process forces writes and two are in state D, of which one writes so much,
        late: after it has written for 20 seconds."""
        machine = Machine([("PhysicalDisk", "x0", "Flushes/sec"), ("Pressure Stall", "io", "% Some Stalled")])
        counters = ["ID Process", "State", "Storage Write Bytes/sec"]
        title = machine.title("Process")
        for counter in counters:
            machine.title(counter)
        log = machine.log()
        for s in range(200):
            bad = 100 <= s < 160
            rows = [("writer:7", [7, ord("D" if bad else "S"), 10**6 if bad else 0]),
                    ("stuck:8", [8, ord("D" if bad else "S"), 10**5 if late and 100 <= s < 120 else written if bad else 0])]
            log.sample((START + s) * SECOND, [
                *machine.blocks(lambda *_, v=200 * bad: v),
                object_of(title, [(machine.title(c), kind, size) for c, kind, size in
                                  zip(counters, (0x00010000, TEXT, GAUGE), (4, 4, 8))], rows)])
        return [(f["topic"], [p["name"] for p in f["processes"]], [e["instance"] for e in f["evidence"]])
                for f in self.found(log.save(self.path("stuck.plog")))]

    def test_explained(self):
        self.assertEqual(self.stuck(1000), [("disk", ["writer:7", "stuck:8"], ["x0", "stuck:8", "writer:7"])])

    def test_apart(self):
        self.assertEqual(self.stuck(0), [("disk", ["writer:7"], ["x0", "writer:7"]), ("hang", ["stuck:8"], [])])

    def test_apart_after_it_began(self):
        self.assertEqual(self.stuck(0, late=True)[1], ("hang", ["stuck:8"], []))

    def test_most_severe_first(self):
        """What is taken out takes its place, and what it is taken out of is as severe as the rest of it."""
        rules = self.write("hard", br"hang | saturation | \Process(*)\State | state D | >= 1 | - | 3 | 90 | itself | - | it hangs")
        self.stuck(0)
        found = self.found(self.path("stuck.plog"), "--rules", rules)
        self.assertEqual([f["topic"] for f in found], ["hang", "disk"])
        self.assertEqual([p["name"] for p in found[0]["processes"]], ["stuck:8"])
        self.assertEqual(found[1]["severity"], found[0]["severity"])  # the writer itself waits as long


class Levels(Diagnosed):
    def test_text(self):
        log = self.simple([0] * 50 + [40] * 20 + [0] * 50)
        self.assertEqual(self.good("diagnose", "--rules", self.rule(usual="3x"), log).out, """\
web  2026-11-21 12:00:00 to 12:01:59 UTC, 120 samples

 1. it is odd
    odd, workload, severity 58, 2026-11-21 12:00:50 to 12:01:10 UTC, 20s
    \\System\\Odd: 40 (limit 10, otherwise below 3.33)
""")

    def test_what_is_usual_is_no_finding(self):
        values = [30] * 50 + [80] * 20 + [30] * 50
        log = self.simple(values)
        self.assertEqual(self.found(log, "--rules", self.rule(usual="3x")), [])
        found = self.found(log, "--rules", self.rule(usual="2x"))
        self.assertEqual(found, [])  # one episode: all of it is beyond the limit, there is no rest
        found = self.found(log, "--rules", self.rule(limit=">= 50", usual="2x"))
        self.assertEqual([(f["begin"][14:19], f["level"], f["usual"]) for f in found], [("00:50", 80, 30)])
        self.assertEqual(self.found(log, "--rules", self.rule(limit=">= 50", usual="3x")), [])

    def test_usual_is_without_the_episode(self):
        log = self.simple([250] * 200 + [20] * 100 + [250] * 200)  # below the limit, levels are less than the others
        self.assertEqual([f["usual"] for f in self.found(log, "--rules", self.rule(limit="<= 100", usual="3x"))], [250])

    def test_window_shows_findings_of_that_time(self):
        log = self.simple([0] * 50 + [40] * 20 + [0] * 50 + [20] * 20 + [0] * 50)
        rule = self.rule()
        begins = [f["begin"][14:19] for f in self.found(log, "--rules", rule)]
        self.assertEqual(begins, ["00:50", "02:00"])  # the greater one is first
        self.assertEqual([f["begin"][14:19] for f in self.found(log, "--rules", rule, "--from", "12:01:30")], ["02:00"])
        self.assertEqual([f["begin"][14:19] for f in self.found(log, "--rules", rule, "--to", "12:01:30")], ["00:50"])
        self.assertEqual(self.found(log, "--rules", rule, "--from", "12:01:12", "--to", "12:01:30"), [])

    def test_window_without_samples(self):
        log = self.simple([0] * 50 + [40] * 20 + [0] * 50)
        for args in ("--from", "2030-01-01"), ("--to", "2020-01-01"), ("--json", "--from", "2030-01-01"):
            self.refused(1, "diagnose", "--rules", self.rule(), *args, log, says="no samples ")
        wide = self.simple([0] * 50 + [40] * 20 + [0] * 50, interval=60 * SECOND)
        around = "--from", "12:55:10", "--to", "12:55:20"  # between two samples, but within a finding
        self.assertEqual(len(self.found(wide, "--rules", self.rule(), *around)), 1)

    def test_fewest_slices(self):
        log = self.simple([0] * 50 + [40] * 20 + [0] * 50)
        self.assertEqual(len(self.found(log, "--rules", self.rule(slices=2))), 1)
        self.assertEqual(self.found(log, "--rules", self.rule(slices=3)), [])

    def test_gaps_of_an_episode(self):
        for gap, num in (20, 1), (30, 2):
            log = self.simple([0] * 50 + [40] * 20 + [0] * gap + [40] * 20 + [0] * 50)
            self.assertEqual(len(self.found(log, "--rules", self.rule())), num, gap)

    def test_values(self):
        values = [3] * 40 + [3, 3, 9, 3, 3, 3, 3, 3, 3, 3] + [3] * 40
        for value, limit, level in (("max", ">= 9", 9), ("min", "<= 3", 3), ("mean", ">= 3.5", 3.6), ("count", ">= 33", 36)):
            log = self.simple(values)
            found = self.found(log, "--rules", self.rule(value, limit))
            self.assertEqual([round(f["level"], 3) for f in found], [level], value)
        self.assertEqual(self.found(log, "--rules", self.rule("state D", ">= 1")), [])  # it is no letter
        log = self.simple([0] * 40 + [3] * 20 + [0] * 40)  # what happened in two slices
        self.assertEqual([f["level"] for f in self.found(log, "--rules", self.rule("count", ">= 20"))], [60])

    def test_sums_are_not_what_is_about_each_instance(self):
        machine = Machine([("PhysicalDisk", name, "% Busy Time") for name in ("x0", "_Total")])
        log = machine.log()
        for i in range(100):
            log.sample((START + i) * SECOND, list(machine.blocks(lambda *_, v=100 * (i >= 50): v)))
        found = self.found(log.save(self.path("a.plog")))
        self.assertEqual([(f["instance"], f["evidence"]) for f in found], [("x0", [])])

    def test_others_than_the_most_severe(self):
        log = self.simple(([0] * 40 + [40] * 20) * 3 + [0] * 40)
        out = self.good("diagnose", "-n", "1", "--rules", self.rule(), log).out
        self.assertEqual(out.count("it is odd"), 1)
        self.assertTrue(out.endswith("\n2 more, less severe; -n shows them\n"), out)
        self.assertEqual(json.loads(self.good("diagnose", "-n", "1", "--json", "--rules", self.rule(), log).out)["more"], 2)

    def test_hosts(self):
        logs = [self.simple([0] * 50 + [v] * 20 + [0] * 50, name=n.decode() + ".plog", host=n) for n, v in
                ((b"web", 20), (b"db", 80))]
        out = self.good("diagnose", "--rules", self.rule(), *logs).out
        self.assertLess(out.index("\\\\db\\System\\Odd: 80"), out.index("\\\\web\\System\\Odd: 20"))

    def test_hosts_at_other_times(self):
        """Times are right though logs are read one after the other."""
        late = self.simple([0] * 50 + [20] * 20 + [0] * 50, name="web.plog", host=b"web")
        both = self.simple([0] * 20 + [80] * 20 + [0] * 50 + [40] * 20 + [0] * 50, name="db.plog", host=b"db")
        for logs in (late, both), (both, late):
            found = self.found(logs[0], "--rules", self.rule(), logs[1])
            self.assertEqual([(f["host"], f["begin"][14:19], f["end"][14:19]) for f in found],
                             [("db", "00:20", "00:40"), ("db", "01:30", "01:50"), ("web", "00:50", "01:10")])

    def test_log_without_interval(self):
        found = self.found(self.simple([0] * 50 + [40] * 20 + [0] * 50, interval=0), "--rules", self.rule())
        self.assertEqual([(f["begin"][14:19], f["end"][14:19]) for f in found], [("00:50", "01:10")])


class Slices(Diagnosed):
    """However far samples are apart, and whatever was before them."""

    def test_samples_without_interval_that_are_far_apart(self):
        for apart, begin, end in (30, "12:25:00", "12:49:40"), (60, "12:50:00", "13:39:10"), (300, "16:10:00", "20:15:10"):
            log = self.simple([0] * 50 + [40] * 50 + [0] * 50, interval=0, apart=apart * SECOND)
            self.assertEqual(self.times(log), [(begin, end)], apart)
            self.assertEqual(len(self.found(log, "--rules", self.rule(usual="3x"))), 1)  # there is a rest

    def test_gap_before_the_second_sample(self):
        log = self.simple([0] * 50 + [40] * 50 + [0] * 50, interval=0, late=3600 * SECOND)
        self.assertEqual(self.times(log), [("13:00:50", "13:01:40")])

    def test_gap_within(self):
        """Before it, and after it, the machine was busy: two findings."""
        for apart in 1, 60:
            log = self.simple([40] * 150, interval=0, apart=apart * SECOND, late=3600 * SECOND, late_from=80)
            self.assertEqual(len(self.times(log)), 2, apart)

    def test_interval_that_changed(self):
        """In a folder, both are of one host."""
        brief, long = [0] * 50 + [40] * 50 + [0] * 50, [0] * 100 + [40] * 100 + [0] * 100
        for first, second in (1, 60), (60, 1):
            with self.subTest(first):
                logs = [self.simple(long if apart == 60 else brief, name="%d.plog" % i, interval=apart * SECOND,
                                    begin=i * 86400 * SECOND, session=i + 1, machine=7)
                        for i, apart in enumerate((first, second))]
                self.assertEqual(sorted(self.times(*logs)), [("12:00:50", "12:01:40"), ("13:40:00", "15:20:00")])

    def test_usual_is_of_all_intervals(self):
        """A second session, of another interval, is bad from begin to end: what is usual is that of the first one."""
        for limit, bad, usual in (">= 100", 500, 10), ("<= 100", 20, 1000):
            first = self.simple([usual] * 3600, name="first.plog", machine=7)
            for apart in 1, 5:
                second = self.simple([bad] * 300, name="second.plog", interval=apart * SECOND, begin=3600 * SECOND, session=2,
                                     machine=7)
                found = self.found(first, second, "--rules", self.rule(limit=limit, usual="3x"))
                self.assertEqual([(f["level"], f["begin"][11:16]) for f in found], [(bad, "13:00")], (limit, apart))
        busy = self.simple([200] * 3600, name="first.plog", machine=7)
        self.assertEqual(self.found(busy, second, "--rules", self.rule(limit=">= 10", usual="30x")), [])
        bad = self.simple([500] * 300, name="second.plog", interval=5 * SECOND, begin=3600 * SECOND, session=2, machine=7)
        found = self.found(busy, bad, "--rules", self.rule(limit=">= 100", usual="2x"))
        self.assertEqual([(f["level"], f["usual"]) for f in found], [(500, 200)])

    def test_usual_of_counts_is_of_slices_as_long(self):
        """10 a second are 100 in a slice of ten samples a second apart, and 500 where they are 5 s apart."""
        first = self.simple([10] * 3600, name="first.plog", machine=7)
        second = self.simple([10] * 300, name="second.plog", interval=5 * SECOND, begin=3600 * SECOND, session=2, machine=7)
        self.assertEqual(self.found(first, second, "--rules", self.rule("count", ">= 10", "3x")), [])

    def test_clock_set_back(self):
        """By an hour, as where a machine begins with local time; then time goes on, and is not that of the hour before."""
        values = [0] * 600 + [40] * 300 + [0] * 600
        for interval in 0, SECOND:
            log = self.simple(values, interval=interval, late=-3600 * SECOND, late_from=600)
            self.assertEqual(self.times(log), [("11:10:00", "11:15:00")])
            self.assertEqual(len(self.found(log, "--rules", self.rule(usual="3x"))), 1)

    def test_first_samples_of_1970(self):
        for interval in 0, SECOND:
            log = self.simple([0] * 50 + [40] * 50 + [0] * 50, interval=interval, boot=3)
            self.assertEqual(self.times(log), [("12:00:43", "12:01:43")])

    def test_host_without_samples(self):
        one = self.simple([], name="none.plog", host=b"none")
        two = self.simple([0] * 50 + [40] * 50 + [0] * 50)
        self.assertEqual(self.times(one, two), [("12:00:50", "12:01:40")])

    def test_host_whose_log_begins_where_another_ends(self):
        """One finding of each."""
        one = self.simple([0] * 50 + [40] * 50, name="1.plog", host=b"a")
        two = self.simple([40] * 20 + [0] * 50, name="2.plog", host=b"b", begin=90 * SECOND)
        self.assertEqual(len(self.times(one, two, slices=1)), 2)

    def test_host_of_another_interval(self):
        one = self.simple([0] * 50 + [40] * 50 + [0] * 50, name="slow.plog", host=b"slow", interval=60 * SECOND)
        two = self.simple([0] * 50 + [40] * 50 + [0] * 50)
        self.assertEqual(sorted(self.times(one, two)), [("12:00:50", "12:01:40"), ("12:50:00", "13:40:00")])


class Rules(Diagnosed):
    def refused(self, row, says):
        rules = self.write("rules", b"# a comment\n\n" + row.encode())
        r = run("diagnose", "--rules", rules, self.path("no.plog"))
        self.assertEqual((r.code, r.out), (1, ""), r)
        self.assertEqual(r.err, "perflog: %s: line 3: %s\n" % (rules, says))

    def test_errors_name_line_and_reason(self):
        good = ["odd", "workload", r"\System\Odd", "mean", ">= 10", "-", "1", "50", "-", "-", "it is odd"]
        wrong = [(0, "two words", "give one word"), (2, "System", r"give \Object(Instance)\Counter"),
                 (2, r"\System", r"give \Object(Instance)\Counter"), (2, "", r"give \Object(Instance)\Counter"),
                 (3, "median", "give mean, max, min, count, rise, or state and a letter"),
                 (3, "state DD", "give mean, max, min, count, rise, or state and a letter"),
                 (4, "10", "give >= or <= and a number above 0"), (4, ">= ten", "give >= or <= and a number above 0"),
                 (4, ">= 0", "give >= or <= and a number above 0"), (4, ">= 1e999", "give >= or <= and a number above 0"),
                 (5, "3", "give a factor such as 3x, or -"), (5, "1x", "give a factor such as 3x, or -"),
                 (6, "0", "give a whole number from 1"), (6, "1.5", "give a whole number from 1"),
                 (7, "101", "give a number from 0 (off) to 100"), (7, "nan", "give a number from 0 (off) to 100"),
                 (8, "most", "give most, growth, victims or members and a counter, starts, itself, or -"),
                 (8, "starts x", "give most, growth, victims or members and a counter, starts, itself, or -"),
                 (10, "", "give a text")]
        names = "topic kind counter value limit usual slices weight processes explains words".split()
        for column, text, says in wrong:
            row = good[:column] + [text] + good[column + 1:]
            with self.subTest(names[column] + " " + text):
                self.refused(" | ".join(row), "column '%s' is '%s'; %s" % (names[column], text, says))
        self.refused("odd | workload", "2 columns instead of 11; 'perflog diagnose --print-rules' shows rows")

    def test_row_replaces_one_that_is_built_in(self):
        log = self.simple([0] * 50 + [40] * 40 + [0] * 50, counter="Processor Queue Length")
        self.assertEqual([f["words"] for f in self.found(log)], ["many threads wait for a processor"])
        mine = self.rule(counter="Processor Queue Length")
        self.assertEqual([f["words"] for f in self.found(log, "--rules", mine)], ["it is odd"])
        off = self.write("off", (RULE % ("Processor Queue Length", "mean", ">= 10", "-", 1)).replace("| 50 |", "| 0 |").encode())
        self.assertEqual(self.found(log, "--rules", off), [])

    def test_rates_of_processes(self):
        machine = Machine([("Process", name, c) for name in ("a:1", "_Total") for c in ("State", "Page Faults/sec")])
        log = machine.log()
        for s in range(100):
            log.sample((START + s) * SECOND, [object_of(PROCESS, [(machine.titles["State"], TEXT, 4),
                                                                  (machine.titles["Page Faults/sec"], 0x10410400, 4)],
                                                        [("a:1", [ord("S"), s * 20]), ("_Total", [0, s * 30])])])
        path = log.save(self.path("p.plog"))
        for instance, level in ("*", 20), ("_Total", 30):
            rule = RULE.replace(r"\System\%s", r"\Process(%s)\%s") % (instance, "Page Faults/sec", "mean", ">= 10", "-", 3)
            found = self.found(path, "--rules", self.write("rate", rule.encode()))
            self.assertEqual([(f["instance"], round(f["level"], 6)) for f in found],
                             [("a:1" if instance == "*" else instance, level)])

    def test_rule_for_a_host(self):
        """It is for no other, and replaces what is for all there."""
        counter, values = "Processor Queue Length", [0] * 50 + [40] * 40 + [0] * 50
        logs = [self.simple(values, counter=counter, name=n + ".plog", host=n.encode()) for n in ("web", "db")]
        for host, limit, wanted in (("db", ">= 20", {("db", "it is odd"), ("web", "many threads wait for a processor")}),
                                    ("d*", ">= 50", {("web", "many threads wait for a processor")}),
                                    ("zzz", ">= 20", {(h, "many threads wait for a processor") for h in ("web", "db")})):
            rule = (r"odd | workload | \\%s\System\%s | mean | %s | - | 1 | 50 | - | - | it is odd" % (host, counter, limit))
            found = self.found(logs[0], "--rules", self.write("host", rule.encode()), logs[1])
            self.assertEqual({(f["host"], f["words"]) for f in found}, wanted, host)
            self.assertEqual(len(found), len(wanted))

    def test_print_rules_can_be_read_again(self):
        printed = self.good("diagnose", "--print-rules").out
        rules = self.write("all", printed.encode())
        both = self.good("diagnose", "--rules", rules, "--print-rules").out
        self.assertEqual(both, 2 * printed)

    def test_print_rules_into_a_file(self):
        printed = self.good("diagnose", "--print-rules").out
        new, old = self.path("new"), self.write("old")
        for out in new, old:
            self.assertEqual(self.good("diagnose", "--print-rules", "-o", out).out, "")
            self.assertEqual(read(out).decode(), printed)
        for out, says in ((self.path("a.json"), "is named like JSON, and a table of rules is written"), (self.folder, "is a folder; name a file to write")):
            Case.refused(self, 1, "diagnose", "--print-rules", "-o", out, says=says)

    def test_other_mistakes(self):
        log = self.simple([1] * 20, counter="Odd")
        for args, says in ((("-n", "0", log), "--findings '0': give a number of findings up to 1000"),
                           ((), "diagnose: name a log, such as out.plog; see 'perflog diagnose --help'"),
                           ((log,), "holds nothing that a rule is about"),
                           (("--rules", self.path("none"), log), "none: No such file or directory"),
                           (("--rules", self.write("nul", b"a\0b"), log), "nul: is not text")):
            r = run("diagnose", *args)
            self.assertEqual((r.code, r.out), (1, ""), r)
            self.assertIn(says, r.err)
        with open(log, "rb") as f:
            r = run("diagnose", "-", data=f.read())
        self.assertEqual((r.code, r.out), (1, ""), r)
        self.assertIn("a pipe can be read only once", r.err)


class Windows(Case):
    """Logs that Windows wrote: what is said is compared with the values themselves."""

    def data(self, name):
        path = os.path.join(os.environ.get("PERFLOG_DATA") or "/nonexistent", name)
        if not os.path.exists(path):
            self.skipTest("%s is not there" % path)
        return path

    def test_game_that_takes_memory(self):
        log = self.data("vista/SampleLog.blg")
        found = json.loads(self.good("diagnose", "-q", "--json", log).out)["findings"]
        self.assertEqual([(f["counter"], f["value"], f["processes"][0]["name"]) for f in found],
                         [("% Committed Bytes In Use", "rise", "Solitaire")])
        w = self.wide(log, "-c", r"\Memory\% Committed Bytes In Use", "-c", r"\Process(Solitaire)\Private Bytes")
        rise = [v for v in w.column(r"\% Committed Bytes In Use") if v is not None]
        self.assertAlmostEqual(found[0]["level"], max(rise) - min(rise[:rise.index(max(rise)) + 1]), 3)
        solitaire = [v for v in w.column(r"\Private Bytes") if v is not None]
        self.assertEqual(found[0]["processes"][0]["value"], solitaire[0])  # it was not there before

    def test_machines_that_were_idle(self):
        for name, least in (("blg/BasicPerfCounters.blg", 600), ("blg/BadCounterSamples.blg", 100)):
            log = self.data(name)
            r = run("diagnose", "-q", log)
            self.assertTrue(r.out.endswith("\nNo findings.\n"), r)
            w = self.wide(log, "-c", r"\Processor(_Total)\% Processor Time")
            for i in range(1, len(w.header)):
                values = [float(row[i]) for row in w.rows if row[i]]
                runs = [min(values[k:k + 10]) for k in range(0, len(values), 10)]
                self.assertLess(max(runs), 90, w.header[i])


if __name__ == "__main__":
    unittest.main(testRunner=Runner)
