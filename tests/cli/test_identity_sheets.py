#!/usr/bin/env python3
"""What identifies processes in sheets: columns beside them, and sums by user, unit and command line."""
import csv
import io
import itertools
import json
import os
import subprocess
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import Case, long_rows, run
from identified import BEGIN, BIRTHS, COUNTERS, FACTS, FILETIME, NAMES, PROCESS, entry, make
import write_blg
from write_log import SECOND, Log, object_of

COLUMNS = ["Command Line", "Executable", "User", "Control Group", "Parent"]
ONE = ("-c", r"\Process(*)\Thread Count")
BYTES = ("-c", r"\Process(*)\IO Read Bytes/sec")
A = dict(command_line="a\0-b\0c d", executable="/bin/a", user_name="ann", control_group="/x.slice/x.service",
         parent_name="init:1")


class Columns(Case):
    def setUp(self):
        super().setUp()
        self.log = self.path("a.plog")

    def long(self, *args):
        rows = list(csv.reader(io.StringIO(self.good("export", "-q", "--layout", "long", *args, self.log).out)))
        return rows[0], rows[1:]

    def of(self, name, *args):
        return [row[7:] for row in self.long("--identity", *ONE, *args)[1] if row[3] == name]

    def test_long(self):
        make(self.log, entry(7, **A), None, entry(8, command_line="late", user=1000))
        header, rows = self.long("--identity", *ONE)
        self.assertEqual(header[7:], COLUMNS)
        self.assertEqual(self.of("a:7"), [["a -b c d", "/bin/a", "ann", "/x.slice/x.service", "init:1"]] * 3)
        self.assertEqual(self.of("b:8"), [[""] * 5] * 2 + [["late", "", "1000", "", ""]])
        self.assertEqual(self.of("_Total"), [[""] * 5] * 3)
        plain = self.long(*ONE)
        self.assertEqual(plain[0], header[:7])
        self.assertEqual(plain[1], [row[:7] for row in rows])

    def test_table(self):
        make(self.log, entry(7, **A))
        self.good("export", "-q", "--layout", "table", "--identity", *ONE, "-o", self.path("t"), self.log)
        with open(self.path("t", "Process.csv"), newline="") as f:
            rows = list(csv.reader(f))
        self.assertEqual(rows[0][2:], ["Instance", "Thread Count"] + COLUMNS)
        self.assertEqual(rows[1][2:], ["a:7", "1", "a -b c d", "/bin/a", "ann", "/x.slice/x.service", "init:1"])
        self.assertEqual(rows[2][2:], ["b:8", "2"] + [""] * 5)
        self.good("export", "-q", "--layout", "table", *ONE, "-o", self.path("u"), self.log)
        with open(self.path("u", "Process.csv"), newline="") as f:
            self.assertEqual([row for row in csv.reader(f)], [row[:4] for row in rows])

    def test_a_process_has_what_was_known_then(self):
        """Another program under the same name, another process of the same number."""
        make(self.log, entry(7, command_line="first"), entry(7, command_line="second"), entry(7, start=1001))
        self.assertEqual([row[0] for row in self.of("a:7")], ["first", "second", "second"])
        self.assertEqual([row[0] for row in self.of("a:7", "--from", "@1800000001")], ["second"])

    def test_nothing_is_known_of_the_next_process_of_its_name(self):
        samples = [[("a", 7, 1, 0)], [("a", 8, 1, 0)], [("a", 8, 1, 0)]]
        make(self.log, entry(7, command_line="first"), samples=samples)
        self.assertEqual([row[0] for row in self.of("a")], ["first", "", ""])

    def test_a_window_has_what_was_known_at_its_end(self):
        """Whatever comes next, in this log or in another."""
        def made(name, when, host=b"web"):
            log = Log(NAMES, facts=FACTS, host=host)
            for second in (0, 1, 3, 4):
                utc = (BEGIN + second) * SECOND
                if second in when:
                    log.record(b"iden", entry(7, command_line=when[second]), utc)
                log.sample(utc, [object_of(PROCESS, COUNTERS, [("a:7", (7, 1000, 1, 100 * second))],
                                           (utc // 100 + FILETIME, 10_000_000))])
            return log.save(self.path(name))
        def texts(*logs):
            rows = list(csv.reader(io.StringIO(self.good("export", "-q", "--layout", "long", "--identity", "--every", "2s",
                                                         "-c", r"\Process(a:7)\*Bytes/sec", *logs).out)))[1:]
            return [row[7] for row in rows if row[1] == "web"]
        log = made("a.plog", {0: "early", 3: "late"})
        self.assertEqual(texts(log), ["early", "early", "late"])
        self.assertEqual(texts(log, made("b.plog", {0: "other"}, b"db")), ["early", "early", "late"])

    def test_hostile_texts(self):
        make(self.log, entry(7, command_line="=cmd|' /C calc'!A0", executable="+1\n2", user_name="@x",
                             control_group="-1\udcff", parent_name="\x1b[31m"))
        cells = self.of("a:7")[0]
        self.assertEqual(cells[0], "'=cmd|' /C calc'!A0")
        self.assertEqual((cells[1], cells[2]), ("'+1\n2", "'@x"))
        self.assertEqual(cells[3], "'-1\ufffd")
        self.assertEqual(self.of("a:7", "--no-guard")[0][0], "=cmd|' /C calc'!A0")

    def test_an_exec_ends_the_older_name(self):
        """Where processes are identified, or could be; logs without that have the same sheets as ever."""
        samples = [[("a:7", 7, 1, 0)], [("b:7", 7, 1, 0)], [("b:7", 7, 1, 0)]]
        make(self.log, entry(7, executable="/bin/a"), entry(7, executable="/bin/b"), samples=samples)
        rows = [(row[3], row[5], row[6]) for row in self.long(*ONE)[1] if row[3] != "_Total"]
        self.assertEqual(rows, [("a:7", "1", ""), ("b:7", "1", ""), ("a:7", "", "absent"), ("b:7", "1", "")])
        make(self.log, samples=samples, births=BIRTHS)
        self.assertEqual([(row[3], row[5], row[6]) for row in self.long(*ONE)[1] if row[3] != "_Total"], rows)
        make(self.log, samples=samples)
        rows = [(row[3], row[5], row[6]) for row in self.long(*ONE)[1] if row[3] != "_Total"]
        self.assertEqual(rows, [("a:7", "1", ""), ("b:7", "1", ""), ("b:7", "1", "")])

    def test_a_cut_ends_names_as_its_log_does(self):
        """Also where of the processes that it has none is identified, or was not yet."""
        make(self.log, entry(8, **A), samples=[[("a:7", 7, 1, 0), ("b:8", 8, 1, 0)], [("c:7", 7, 1, 0), ("b:8", 8, 1, 0)]],
             births=BIRTHS)
        chosen = "-c", r"\Process(a:*)\Thread Count"
        rows = self.long(*chosen)
        self.assertIn(("a:7", "absent"), [(row[3], row[6]) for row in rows[1]])
        self.good("cut", "-q", *chosen, self.log, "-o", self.path("cut.plog"))
        self.log = self.path("cut.plog")
        self.assertEqual(self.long(*chosen), rows)

    def test_refused(self):
        make(self.log)
        for args in ["--layout", "wide"], ["--layout", "pdh"], ["--xlsx", "-o", self.path("a.xlsx")], []:
            self.refused(1, "export", "--identity", *args, self.log, says="--identity is for --layout long and table")


class Sums(Case):
    PROCESSES = {7: ("sh", "ann", "/user.slice/user-1.slice/session-2.scope", "sh\0-c\0x"),
                 8: ("sh", "bob", "/system.slice/web.service/worker", "sh\0-c\0x"),
                 9: ("sh", "ann", "/system.slice/web.service", "sh\0-c\0y"),
                 10: ("kworker/0", None, "/", None),
                 11: ("gone", None, None, None)}

    def setUp(self):
        super().setUp()
        self.log = self.path("a.plog")
        payload = b"".join(entry(pid, **{k: v for k, v in (("user_name", user), ("control_group", group),
                                                            ("command_line", command)) if v})
                           for pid, (_, user, group, command) in self.PROCESSES.items() if group)
        make(self.log, payload, samples=[[("%s:%d" % (p[0], pid), pid, pid, i * 100 * pid)
                                          for pid, p in self.PROCESSES.items()] for i in range(3)])

    def sums(self, key, *args):
        out = self.good("export", "-q", "--layout", "long", "--group", key, *args, self.log).out
        return {r["Instance"]: float(r["Value"]) for r in long_rows(out) if r["Value"]}

    def test_user(self):
        self.assertEqual(self.sums("user", *ONE), {"ann": 16, "bob": 8, "?": 21, "_Total": 45})
        self.assertEqual(self.sums("user", *BYTES), {"ann": 1600, "bob": 800, "?": 2100, "_Total": 4500})

    def test_the_number_of_a_user(self):
        """What ended before it was identified has one; the sum of many, which has the number 0, has none."""
        user = 23126
        logs = []
        for host, name in (b"web", "ann"), (b"db", "bob"):
            log = Log({**NAMES, user: b"User ID"}, facts=FACTS, host=host)
            log.record(b"iden", entry(7, user=1000, user_name=name) + entry(8, user=0, user_name="root"), BEGIN * SECOND)
            for i in range(3):
                utc = (BEGIN + i) * SECOND
                rows = [(who, (pid, 1000, 1, i * read, number)) for who, pid, read, number in
                        (("a:7", 7, 1, 1000), ("b:8", 8, 2, 0), ("c:9", 9, 4, 1000), ("d:10", 10, 8, 5), ("e:0", 0, 16, 0))]
                log.sample(utc, [object_of(PROCESS, COUNTERS + ((user, 0x00010000, 4),), rows,
                                           (utc // 100 + FILETIME, 10_000_000))])
            logs.append(log.save(self.path(name + ".plog")))
        found = long_rows(self.good("export", "-q", "--layout", "long", "--group", "user", *BYTES, *logs).out)
        for host, name in ("web", "ann"), ("db", "bob"):
            self.assertEqual({r["Instance"]: r["Value"] for r in found if r["Host"] == host and r["Value"]},
                             {name: "5", "root": "2", "5": "8", "?": "16", "_Total": "31"})

    def test_a_user_that_was_not_read_again(self):
        """One that changes its user all the time is seldom read: its samples say whose it is."""
        user = 23126
        log = Log({**NAMES, user: b"User ID"}, facts=FACTS)
        log.record(b"iden", entry(7, user=1000, user_name="ann") + entry(8, user=0, user_name="root") +
                   entry(9, user_name="bob"), BEGIN * SECOND)
        for i, number in enumerate((1000, 1000, 0, 5)):
            utc = (BEGIN + i) * SECOND
            rows = [("a:7", (7, 1000, 1, i, number)), ("b:8", (8, 1000, 2, 2 * i, 0)), ("c:9", (9, 1000, 2, 4 * i, 3))]
            log.sample(utc, [object_of(PROCESS, COUNTERS + ((user, 0x00010000, 4),), rows,
                                       (utc // 100 + FILETIME, 10_000_000))])
        self.log = log.save(self.path("changes.plog"))
        found = long_rows(self.good("export", "-q", "--layout", "long", "--group", "user", *BYTES, self.log).out)
        self.assertEqual([(r["Instance"], r["Value"]) for r in found if r["Value"] and r["Instance"] != "_Total"],
                         [("ann", "1"), ("root", "2"), ("bob", "4"), ("root", "3"), ("bob", "4"),
                          ("root", "2"), ("bob", "4"), ("5", "1")])
        make(self.log, entry(7, user=1000, user_name="ann") + entry(8, user=5))  # samples without users
        self.assertEqual(self.sums("user", *ONE), {"ann": 1, "5": 2, "_Total": 3})

    def test_unit(self):
        self.assertEqual(self.sums("unit", *ONE),
                         {"session-2.scope": 7, "web.service": 17, "/": 10, "?": 11, "_Total": 45})

    def test_command(self):
        self.assertEqual(self.sums("command", *ONE),
                         {"sh -c x": 15, "sh -c y": 9, "kworker/0": 10, "gone": 11, "_Total": 45})

    def test_top_of_commands(self):
        """Command lines are long: they come last, and are cut at 200 characters only."""
        long = "/usr/lib/" + "x" * 189 + " yz"
        make(self.log, entry(7, command_line="sh\0-c\0x") + entry(8, command_line=long.replace(" ", "\0")),
             samples=[[("sh:7", 7, 1, i * 100), ("x:8", 8, 1, i * 200)] for i in range(2)])
        lines = self.good("top", "--group", "command", "--sort", "IO Read Bytes/sec", self.log).out.splitlines()
        self.assertEqual([line.split("  ")[-1] for line in lines[-3:]], ["Command", long[:200], "sh -c x"])
        self.assertTrue(all(line.startswith("  ") for line in lines[-3:]), lines)

    def test_top(self):
        found = self.sums("user", "--top", "1", *BYTES)
        self.assertEqual(found, {"?": 2100, "_Other": 2400, "_Total": 4500})

    def test_every(self):
        self.assertEqual(self.sums("unit", "--every", "10s", *BYTES)["web.service"], 1700)

    def test_unknown_key(self):
        self.refused(1, "export", "--group", "colour", self.log, says="give name, user, unit, command or parent")

    def test_calculated_values(self):
        """Those of a sheet are not summed up, as some would be wrong: it says so."""
        sheet = self.path("a.csv")
        with open(sheet, "w", encoding="utf-8") as f:
            f.write('"(PDH-CSV 4.0) (UTC)(0)","\\\\w\\Process(a)\\% Processor Time","\\\\w\\Process(a#1)\\% Processor Time"\n')
            f.writelines('"11/26/2026 10:00:0%d.000","%d","3"\n' % (i, i) for i in range(3))
        r = run("export", "-q", "--group", "name", "-c", r"\Process(*)\*", sheet)
        self.check_one_line(r, 1, "no value of its processes can be summed up")

    def test_identifiers_alone(self):
        """They are not summed up either; how they are had without sums depends on the command, and on its options."""
        path = "-c", r"\Process(*)\ID Process"
        for args, says in ((("export", "-q", "--group", "user"), "calculated before; leave out --group"),
                           (("push", "--forecast"), "calculated before; take --each-process"),
                           (("push", "--forecast", "--group", "user"), "calculated before; take --each-process instead of --group")):
            r = run(*args, *path, self.log)
            self.assertEqual(r.code, 1, r)
            self.assertTrue(r.err.endswith("summed up, such as identifiers, and what was %s\n" % says), r)
        self.good("push", "--forecast", "--each-process", *path, self.log)


class WindowsProcesses(Case):
    """Names and numbers as Windows has them."""

    def sums(self, key, log):
        rows = long_rows(self.good("export", "-q", "--layout", "long", "--group", key, "-c", r"\*(*)\% Processor Time", log).out)
        return {(r["Object"], r["Instance"]): float(r["Value"]) for r in rows if r["Time"] == rows[-1]["Time"]}

    def test_single_counters_of_a_list(self):
        """Each a path of its own, or all instances of a sample as one: svchost, svchost#1 and svchost#2 are one program."""
        timer = 0x20510500
        def made(name, entries, items):
            log = write_blg.Log().message(write_blg.LIST, write_blg.START - 10, write_blg.counter_list(*entries))
            for second in range(3):
                t = write_blg.START + second * write_blg.SECOND
                log.message(write_blg.SAMPLE, t, write_blg.sample(*items(second, t)))
            return log.save(self.path(name))
        single = made("single.blg", [write_blg.entry(r"\\pc", "Process", "svchost", "% Processor Time", timer, index=i)
                                     for i in range(3)],
                      lambda s, t: [write_blg.item(10**6 * s * (i + 1), t, time=t) for i in range(3)])
        array = made("array.blg", [write_blg.entry(r"\\pc", "Process", "*", "% Processor Time", timer, flags=1)],
                     lambda s, t: [write_blg.array([("svchost", 10**6 * s * (i + 1), t) for i in range(3)], time=t)])
        for log in single, array:
            self.assertEqual(self.sums("name", log), {("Process", "svchost"): 60})

    def test_parents(self):
        """Process V2 has another name for a process's number; both objects may be in a log."""
        names = {2: b"Process", 4: b"% Processor Time", 6: b"Process V2", 8: b"Process ID", 10: b"Creating Process ID",
                 12: b"ID Process"}
        log = Log(names)
        for second in range(3):
            def values(*each):
                return [(name, (10**6 * second, pid, parent)) for name, pid, parent in each]
            old = values(("make", 812, 1), ("cc", 900, 812), ("cc", 901, 812))
            new = values(("make:812", 812, 1), ("cc:900", 900, 812), ("cc:901", 901, 812))
            clock = ((BEGIN + second) * 10**7, 10**7)
            log.sample((BEGIN + second) * SECOND, [
                object_of(2, [(4, 0x20510500, 8), (12, 0x00010000, 4), (10, 0x00010000, 4)], old, clock),
                object_of(6, [(4, 0x20510500, 8), (8, 0x00010000, 4), (10, 0x00010000, 4)], new, clock)])
        self.assertEqual(self.sums("parent", log.save(self.path("a.plog"))), {
            ("Process", "?:1"): 10, ("Process", "make"): 20, ("Process V2", "?:1"): 10, ("Process V2", "make:812"): 20})


class Others(Case):
    """stats, list and report say it beside the name, of logs that have it alone."""

    def setUp(self):
        super().setUp()
        self.log = make(self.path("a.plog"), entry(7, **A) + entry(8, executable="/<b>\x1b", user=3))
        self.plain = make(self.path("b.plog"))

    IDENTITY = {"command_line": "a -b c d", "executable": "/bin/a", "user": "ann",
                "control_group": "/x.slice/x.service", "parent": "init:1"}

    def identities(self, *args):
        return {s["instance"]: s.get("identity", 0) for s in json.loads(self.good(*args).out)}

    def test_stats(self):
        out = self.good("stats", *ONE, self.log).out
        self.assertIn("\\Process(a:7)\\Thread Count  a -b c d (ann, x.service)\n", out)
        self.assertIn("\\Process(b:8)\\Thread Count  /<b>\\x1B (3, )\n", out)
        found = self.identities("stats", "--json", *ONE, self.log)
        self.assertEqual(found["a:7"], self.IDENTITY)
        self.assertEqual((found["b:8"]["command_line"], found["b:8"]["user"]), (None, "3"))
        self.assertEqual(found["_Total"], 0)
        self.assertEqual(set(self.identities("stats", "--json", *ONE, self.plain).values()), {0})
        self.assertTrue(all(line.endswith("Count") for line in
                            self.good("stats", *ONE, self.plain).out.splitlines()[4:]))
        self.assertEqual(self.good("stats", "--csv", *ONE, self.plain).out,
                         self.good("stats", "--csv", *ONE, self.log).out)

    def test_stats_csv(self):
        def table(log, *args):
            return list(csv.reader(io.StringIO(self.good("stats", "--csv", *args, *ONE, log).out)))
        plain, rows = table(self.log), table(self.log, "--identity")
        self.assertEqual(rows[0], plain[0] + COLUMNS)
        self.assertEqual([row[:-5] for row in rows], plain)
        found = {row[2]: row[-5:] for row in rows[1:]}
        self.assertEqual(found, {"a:7": list(self.IDENTITY.values()), "b:8": ["", "/<b>\x1b", "3", "", ""],
                                 "_Total": [""] * 5})
        self.assertEqual({tuple(row[-5:]) for row in table(self.plain, "--identity")[1:]}, {("",) * 5})
        for args in (), ("--json",):
            self.refused(1, "stats", "--identity", *args, *ONE, self.log, says="--identity is for --csv")

    def test_list_text(self):
        def lines(*args):
            return [line.split("\t") for line in self.good("list", *args, self.log).out.splitlines()]
        plain, rows = lines(), lines("--identity")
        self.assertEqual([row[:1] for row in rows], plain)
        found = {row[0].split("(")[1].split(")")[0]: row[1:] for row in rows if row[0].endswith("Thread Count")}
        self.assertEqual(found["a:7"], list(self.IDENTITY.values()))
        self.assertEqual(found["b:8"], ["", "/<b>\\x1B", "3", "", ""])
        self.assertEqual(lines("--types", "--identity"), [a + b[1:] for a, b in zip(lines("--types"), rows)])
        for option in ("--why",), ("--complete", "x"):
            self.refused(1, "list", "--identity", *option, says=option[0])

    def test_list(self):
        self.assertEqual(self.identities("list", "--json", *ONE, self.log)["a:7"], self.IDENTITY)
        self.assertEqual(self.identities("list", "--json", *ONE, self.plain)["a:7"], 0)
        self.assertEqual(self.good("list", self.log).out, self.good("list", self.plain).out)

    def test_report(self):
        page = self.path("a.html")
        r = harness.run("report", "-q", *ONE, "-o", page, self.log)
        if "chart" in r.err and r.code:
            self.skipTest(r.err.strip())
        self.assertEqual(r.code, 0, r)
        with open(page, encoding="utf-8") as f:
            text = f.read()
        self.assertIn('<span class="quiet identity">a -b c d (ann, x.service)</span>', text)
        self.assertIn('<span class="quiet identity">/&lt;b&gt;\\x1B (3, )</span>', text)
        self.good("report", "-q", *ONE, "-o", self.path("b.html"), self.plain)
        with open(self.path("b.html"), encoding="utf-8") as f:
            self.assertNotIn('class="quiet identity"', f.read())


class Live(Case):
    def test_a_process_of_another_user(self):
        """By name and by what ps says of it."""
        mark = "mark-%d" % os.getpid()
        p = subprocess.Popen([*harness.PYTHON, "-c", "import time; time.sleep(1000)", mark, "a b"])
        self.addCleanup(p.wait)
        self.addCleanup(p.kill)
        log = self.path("a.plog")
        self.record(log, "-q", "-i", "50ms", "-n", "5", "-c", "Process")
        out = self.good("export", "-q", "--layout", "long", "--identity", "-c",
                        r"\Process(*:%d)\ID Process" % p.pid, log).out
        # Where the machine is busy, command lines are read in a later sample than the first.
        rows = list(itertools.dropwhile(lambda row: not row["Command Line"], long_rows(out)))
        self.assertTrue(rows, out)
        with open("/proc/%d/status" % p.pid) as f:
            uid = next(line.split()[2] for line in f if line.startswith("Uid:"))
        for row in rows:
            self.assertTrue(row["Command Line"].endswith(" %s a b" % mark), row)
            self.assertEqual(row["Executable"], os.path.realpath(sys.executable))
            self.assertIn(row["User"], (uid, self.name_of(int(uid))))
            self.assertTrue(row["Parent"].endswith(":%d" % os.getpid()), row)

    def test_other_objects_have_no_such_columns(self):
        log = self.path("a.plog")
        self.record(log, "-q", "-i", "50ms", "-n", "2", "-c", r"\Process(perflog:*)\ID Process", "-c", "System")
        self.good("export", "-q", "--layout", "table", "--identity", "-o", self.path("t"), log)
        for name, has in ("Process.csv", True), ("System.csv", False):
            with open(self.path("t", name), newline="") as f:
                self.assertEqual("Command Line" in next(csv.reader(f)), has, name)

    @staticmethod
    def name_of(uid):
        with open("/etc/passwd") as f:
            return next((line.split(":")[0] for line in f if line.split(":")[2:3] == [str(uid)]), None)


if __name__ == "__main__":
    harness.main()
