#!/usr/bin/env python3
"""The first sheet of a workbook: what was recorded, found and measured, and what is missing."""
import json
import os
import re
import struct
import sys
import unittest.mock

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
import identified
from workbooks import CAN, CHART, MAIN, RATE, RAW, SAMPLES, START, Workbook, tank
from write_log import SECOND, SESSION, Log, object_of


class Summary(Workbook):
    def test_facts(self):
        log = tank([b"Tank"], SAMPLES).save(self.path("a.plog"))
        book = self.book(log)
        facts = dict(book.summary)
        self.assertEqual(book.sheets["Summary"].rows[0], {"A": "web, 2026-11-21 07:35:02 to 07:35:07 UTC"})
        host, = book.section("Recording")
        self.assertEqual((host["Host"], host["Interval"], host["Samples"], host["Missed"]), ("web", "1s", 4, 0))
        self.assertEqual(host["Log"], "whole; not ended: the recorder was killed, or the machine went down")
        self.assertAlmostEqual((host["to"] - host["Recorded from"]) * 86400, 5, places=3)
        self.assertEqual(facts["Log"], log)
        self.assertEqual(facts["Time zone"], "UTC")
        self.assertEqual(book.section("Findings"), ["none"])
        self.assertNotIn("Vital counters", [row.get("A") for row in book.sheets["Summary"].rows])
        self.assertEqual((facts["Rows"], facts["Series"], facts["Damaged ranges"]), (4, 2, 0))
        self.assertEqual((facts["Blank cells: first"], facts["Blank cells: negative"]), (1, 1))
        self.assertAlmostEqual((facts["Last row"] - facts["First row"]) * 86400, 5, places=3)

    def test_interval_and_every(self):
        """The interval is that of the recording."""
        log = tank([b"Tank"], [(i, i, i) for i in range(120)]).save(self.path("a.plog"))
        book = self.book("--every", "1m", log)
        self.assertEqual(book.sheets["Summary"].rows[1], {"A": "Rows are of 1m each, made of all samples"})
        self.assertEqual((book.section("Recording")[0]["Interval"], dict(book.summary)["Rows"]), ("1s", 3))

    def test_links(self):
        """To each sheet, whatever it is called."""
        log = tank([b"Tank's", b"B"], SAMPLES).save(self.path("a.plog"))
        book = self.book(log)
        self.assertEqual(book.section("Sheets"), ["Charts", "Tank's", "B", "Chart Data"])
        self.assertEqual([h.get("location") for h in book.sheets["Summary"].root.iter(MAIN + "hyperlink")],
                         ["'Charts'!A1", "'Tank''s'!A1", "'B'!A1", "'Chart Data'!A1"])

    def test_vital_counters(self):
        """Mean by time, P95 and maximum, with bars of one scale for what is alike."""
        log = Log({2: b"Processor", 4: b"% Processor Time", 6: b"% User Time", 8: b"Memory", 10: b"Available Bytes"})
        for t in range(100):
            log.sample(START + t * SECOND, [object_of(2, [(4, RAW, 8), (6, RAW, 8)], [("_Total", (t, 5)), ("0", (t, 5))]),
                                            object_of(8, [(10, RAW, 8)], [(None, (1000 * t,))])])
        book = self.book(log.save(self.path("a.plog")))
        found = [(v["Counter"], v.get("Instance"), v["Mean"], v["P95"], v["Maximum"])
                 for v in book.section("Vital counters")]
        self.assertEqual(found, [("% Processor Time", "_Total", 49.5, 94, 99), ("% User Time", "_Total", 5, 5, 5),
                                 ("Available Bytes", None, 49500, 94000, 99000)])
        sheet = book.sheets["Summary"]
        first = sheet.numbers[[row.get("A") for row in sheet.rows].index("% Processor Time")]
        bars = {f.get("sqref"): [(v.get("type"), v.get("val")) for v in f.iter(MAIN + "cfvo")]
                for f in sheet.root.iter(MAIN + "conditionalFormatting")}
        self.assertEqual(bars, {"D%d:F%d" % (first, first + 1): [("num", "0"), ("num", "100")],
                                "D%d:F%d" % (first + 2, first + 2): [("num", "0"), ("max", None)]})

    def test_vital_counters_of_many_hosts(self):
        """Of each series the two highest hosts, the median of all and the lowest; hosts with losses are named first."""
        logs = []
        for i in range(1, 8):
            log = Log({2: b"Memory", 4: b"Available Bytes", 6: b"Processor", 8: b"% User Time"}, host=b"h%d" % i)
            for t in range(3):
                log.sample(START + t * SECOND, [object_of(2, [(4, RAW, 8)], [(None, (i * i * 1000 + t,))]),
                                                object_of(6, [(8, RAW, 8)], [("_Total", (i,))])])
            if i != 5:
                log.record(b"ends", struct.pack("<QIIII", 0, 3, 0, 1, 0), START + 3 * SECOND)  # as asked for
            logs.append(log.save(self.path("h%d.plog" % i)))
        book = self.book(*logs)
        self.assertEqual([(r["Counter"], r["Host"], r["Mean"], r["P95"], r["Maximum"])
                          for r in book.section("Vital counters", skip=1)],
                         [("Available Bytes", "h7", 49001, 49002, 49002), ("Available Bytes", "h6", 36001, 36002, 36002),
                          ("Available Bytes", "median of 7", 16001, 16002, 16002),
                          ("Available Bytes", "h1", 1001, 1002, 1002)])
        self.assertEqual([r["Host"] for r in book.section("Recording", skip=1)], ["h5"])
        self.assertEqual([r["Host"] for r in book.section("Hosts")], ["h%d" % i for i in range(1, 8)])

    def test_vital_counters_that_do_not_fit(self):
        """Are left out as a whole, and counted: of the first hosts alone the median would be of no use."""
        logs = []
        for host in range(4):
            log = Log({2: b"Pressure Stall", 4: b"% Some Stalled", 6: b"Memory", 8: b"Available Bytes"}, host=b"h%d" % host)
            log.sample(START, [object_of(2, [(4, RAW, 8)], [("r%d" % i, (host,)) for i in range(2501)]),
                               object_of(6, [(8, RAW, 8)], [(None, (1000 * host,))])])
            logs.append(log.save(self.path("h%d.plog" % host)))
        *rows, last = self.book(*logs).section("Vital counters", skip=1)
        self.assertEqual([(r["Counter"], r["Host"], r["Mean"]) for r in rows],
                         [("Available Bytes", h, mean) for h, mean in (("h3", 3000), ("h2", 2000), ("median of 4", 1000), ("h0", 0))])
        self.assertEqual(list(last.values()), ["10004 more do not fit; 'perflog stats' shows them"])

    def test_an_interface_that_did_nothing(self):
        log = Log({2: b"Network Interface", 4: b"Bytes Sent/sec", 6: b"Pressure Stall", 8: b"% Some Stalled"})
        for t in range(3):
            log.sample(START + t * SECOND, [object_of(2, [(4, RATE, 8)], [("eth0", (t * 1000,)), ("ifb0", (5,))]),
                                            object_of(6, [(8, RAW, 8)], [("io", (0,))])])
        rows = self.book(log.save(self.path("a.plog"))).section("Vital counters")
        self.assertEqual([r.get("Instance") for r in rows], ["io", "eth0", None])
        self.assertEqual(list(rows[-1].values()), ["1 more was 0 all the time"])

    def test_processes_that_did_most(self):
        """By processor time, input and output, and memory: who, how much, and of all how much."""
        with unittest.mock.patch.dict(identified.NAMES, {identified.BYTES: b"IO Data Bytes/sec"}):
            log = identified.make(self.path("a.plog"), identified.entry(7, command_line="a --fast", user_name="ann"),
                                  samples=[[("a:7", 7, 1, t * 3 * 10**6), ("b:8", 8, 2, t * 10**6)] for t in range(5)])
        rows = self.book(log).section("Processes by what they read and wrote")
        self.assertEqual([(r["Process"], r["Host"], r.get("User"), r.get("Command")) for r in rows],
                         [("a:7", "web", "ann", "a --fast"), ("b:8", "web", None, None)])
        self.assertEqual([(round(r["Mean"]), r["% of all"]) for r in rows], [(3 * 10**6, 75), (10**6, 25)])
        log = Log({2: b"Process", 4: b"Working Set", 6: b"% Processor Time"})
        for t in range(4):
            log.sample(START + t * SECOND, [object_of(2, [(4, RAW, 8), (6, 0x20510500, 8)],
                                                      [("p%d" % i, (i * 1000, i * t * 10**6)) for i in range(8)] +
                                                      [("_Total", (28000, 28 * t * 10**6))], (t * 10**7, 10**7))])
        book = self.book(log.save(self.path("b.plog")))
        # They are those of the table and the charts, too, and more of these are not.
        self.assertEqual(book.sheets["Process"].columns()["Instance"], ["p3", "p4", "p5", "p6", "p7", "_Total"] * 4)
        self.assertEqual(dict(book.summary)["Choice"], "all, but of the processes only the busiest, and their sum")
        titles = ["".join(c.find(".//%stitle" % CHART).itertext()) for c in book.charts]
        self.assertEqual(titles[:2], ["Busiest processes: % of one processor", "Largest processes: working set in bytes"])
        # A line of what the others did makes the sum of a chart right.
        self.assertEqual([name for name, _, _ in self.lines(book)[1][1]], ["p3", "p4", "p5", "p6", "p7", "all others"])
        self.assertEqual(book.sheets["Chart Data"].columns()[r"\Process\Working Set, all others"], [3000] * 4)
        rows = book.section("Processes by memory")
        self.assertEqual([(r["Process"], r["Mean"]) for r in rows], [("p%d" % i, 1000 * i) for i in (7, 6, 5, 4, 3)])
        rows = book.section("Processes by processor time")
        self.assertEqual([(r["Process"], round(r["Mean"], 6), round(r["% of all"], 6)) for r in rows],
                         [("p%d" % i, 10 * i, round(i / .28, 6)) for i in (7, 6, 5, 4, 3)])
        for length in 1, 2:  # the first row of a window has a time of its own, too
            rows = self.book("--from", "@%d" % (START // SECOND + 1), "--to", "@%d" % (START // SECOND + 1 + length),
                             self.path("b.plog")).section("Processes by processor time")
            self.assertEqual([(r["Process"], round(r["Mean"], 6)) for r in rows],
                             [("p%d" % i, 10 * i) for i in (7, 6, 5, 4, 3)])

    def test_process_of_a_part_of_the_time(self):
        """Its mean is that of the time in which it was there, as in stats; its share is of all that was done."""
        log = Log({2: b"Process", 4: b"Working Set", 6: b"% Processor Time"})
        for t in range(9):
            brief = [("brief", (3000, t * 8 * 10**6))] if t < 5 else []
            log.sample(START + t * SECOND, [object_of(2, [(4, RAW, 8), (6, 0x20510500, 8)],
                                                      [("long", (1000, t * 2 * 10**6)), *brief], (t * 10**7, 10**7))])
        log = log.save(self.path("a.plog"))
        book = self.book(log)
        for title, mean, share in ("Processes by processor time", 80, 200 / 3), ("Processes by memory", 3000, 62.5):
            row = book.section(title)[0]
            self.assertEqual([row["Process"], round(row["Mean"], 6), round(row["% of all"], 6)],
                             ["brief", mean, round(share, 6)])
        stats, = json.loads(self.good("stats", "-q", "--json", "-c", r"\Process(brief)\% Processor Time", log).out)
        self.assertAlmostEqual(stats["mean"], 80)

    def test_cost(self):
        """As info has it: what it takes to start is none of a sample's."""
        for n in 1, 2, 5:
            log = self.record(self.path("%d.plog" % n), "-i", "50ms", "-n", str(n), "-c", "System")
            found = re.search(r"Cost +([\d.]+) ms CPU a sample", self.good("info", log).out)
            cost = self.book(log).section("Recording")[0].get("CPU ms/sample")
            self.assertEqual(cost is None, found is None)
            self.assertEqual(found is None, n < 3)
            if found:
                self.assertEqual("%.2f" % cost, found[1])

    def test_processes_of_hosts_apart(self):
        """Each is measured by the time of its own host."""
        logs = []
        for host, begin in (b"a", 0), (b"b", 1000):
            log = Log({2: b"Process", 4: b"% Processor Time"}, host=host)
            for t in range(5):
                log.sample(START + (begin + t) * SECOND, [object_of(2, [(4, 0x20510500, 8)], [("p", (t * 5 * 10**6,))],
                                                                    (t * 10**7, 10**7))])
            logs.append(log.save(self.path(host.decode())))
        rows = self.book(*logs).section("Processes by processor time")
        self.assertEqual([(r["Host"], round(r["Mean"], 6)) for r in rows], [("a", 50), ("b", 50)])

    def test_processes_of_sessions_apart(self):
        """The time between two sessions, in which nothing was measured, is not time without load."""
        sessions = []
        for begin in 0, 1000:
            log = Log({2: b"Process", 4: b"% Processor Time"}, session=SESSION + begin)
            for t in range(5):
                log.sample(START + (begin + t) * SECOND, [object_of(2, [(4, 0x20510500, 8)], [("p", (t * 5 * 10**6,))],
                                                                    (t * 10**7, 10**7))])
            sessions.append(log.data)
        with open(self.path("a.plog"), "wb") as f:
            f.write(b"".join(sessions))
        rows = self.book(self.path("a.plog")).section("Processes by processor time")
        self.assertEqual([(r["Process"], round(r["Mean"], 6)) for r in rows], [("p", 50)])

    def test_findings(self):
        """Those of 'perflog diagnose', unless counters were chosen."""
        log = self.made_busy()
        wanted = json.loads(self.good("diagnose", "--json", log).out)["findings"]
        rows = self.book(log).section("Findings")
        self.assertGreater(len(rows), 0)
        self.assertEqual([r["Finding"] for r in rows], [f["words"] for f in wanted])
        self.assertEqual([r["Severity"] for r in rows], [round(f["severity"]) for f in wanted])
        self.assertTrue(rows[0]["Evidence and command"].startswith("\\System\\Processor Queue Length: 50 (limit 10"))
        chosen = self.book("-c", "System", log).section("Findings")
        self.assertEqual(chosen, ["neither they nor the busiest processes were looked for, as counters were chosen; "
                                  "'perflog diagnose' and 'perflog top' show them"])

    def made_busy(self):
        log = Log({2: b"System", 4: b"Processor Queue Length"})
        for t in range(200):
            log.sample(START + t * SECOND, [object_of(2, [(4, RAW, 8)], [(None, (50 if 60 <= t < 120 else 1,))])])
        return log.save(self.path("busy.plog"))

    def test_choice(self):
        log = tank([b"Tank"], SAMPLES).save(self.path("a.plog"))
        self.assertEqual(dict(self.book(log).summary)["Choice"], "all, but of the processes only their sum")
        facts = dict(self.book(log, "--top", "3").summary)
        self.assertEqual((facts["Choice"], facts["Busiest instances of each object"]), ("all", 3))
        self.assertEqual(dict(self.book(log, "-c", "Tank").summary)["Choice"], "Tank")

    def test_threads_that_are_left_out_are_named(self):
        log = Log({2: b"Thread", 4: b"Reads", 6: b"Memory"})
        log.sample(START, [object_of(2, [(4, RAW, 8)], [("a/0", (1,))]), object_of(6, [(4, RAW, 8)], [(None, (1,))])])
        log = log.save(self.path("a.plog"))
        left_out = ("Choice", "single threads are left out")
        book = self.book(log)
        self.assertIn(left_out, [tuple(fact) for fact in book.summary])
        self.assertNotIn("Thread", book.sheets)
        book = self.book("-c", "*", log)
        self.assertNotIn(left_out, [tuple(fact) for fact in book.summary])
        self.assertIn("Thread", book.sheets)

    def test_damage(self):
        data = bytearray(tank([b"Tank"], SAMPLES).data)
        data[len(data) - 300] ^= 1
        book = self.book(self.write("a.plog", bytes(data)), code=2)
        facts = dict(book.summary)
        self.assertRegex(book.section("Recording")[0]["Log"], r"^not whole: 1 damaged range \(\d+ bytes\)")
        self.assertEqual((facts["Rows"], facts["Damaged ranges"]), (3, 1))
        self.assertGreater(facts["Damaged bytes"], 0)

    def test_records_that_are_missing(self):
        """No byte is bad: a record was cut out."""
        with open(tank([b"Tank"], SAMPLES).save(self.path("whole.plog")), "rb") as f:
            data = f.read()
        _, at, length, _ = [r for r in harness.records(self.path("whole.plog")) if r[0] == "SMPL"][1]
        book = self.book(self.write("a.plog", data[:at] + data[at + length:]), code=2)
        facts = dict(book.summary)
        self.assertRegex(book.section("Recording")[0]["Log"], r"^not whole: .*, 1 record missing")
        self.assertEqual((facts["Rows"], facts["Damaged ranges"], facts["Records missing"]), (3, 0, 1))

    def test_samples_too_large(self):
        """They are not lost by damage."""
        log = Log({2: b"Tank", 4: b"Level"})
        for t, num in enumerate((1, 200, 1)):
            log.sample(START + t * SECOND, [object_of(2, [(4, RAW, 8)], [("a%d" % i, (i,)) for i in range(num)])])
        facts = dict(self.book("--max-block", "4k", log.save(self.path("a.plog")), code=2).summary)
        self.assertEqual((facts["Rows"], facts["Samples too large"], facts["Samples lost by damage"]), (2, 1, 0))

    def test_gaps(self):
        from crafted import gaps
        log = tank([b"Tank"], SAMPLES[:2])
        log.record(b"gaps", gaps(START + 2 * SECOND, START + 8 * SECOND, 7, 3), START + 9 * SECOND)
        log.sample(START + 9 * SECOND, [object_of(2, [(4, RAW, 8), (6, RATE, 8)], [(None, (1, 9))])])
        facts = dict(self.book(log.save(self.path("a.plog"))).summary)
        self.assertEqual((facts["Samples missing"], facts["Blank cells: gap"]), (7, 1))


if __name__ == "__main__":
    if not CAN:
        print("built without workbooks: nothing tested")
        sys.exit(harness.SKIP)
    harness.main()
