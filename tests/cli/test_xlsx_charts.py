#!/usr/bin/env python3
"""The charts of a workbook: which there are, their lines, and the cells these refer to."""
import os
import re
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from workbooks import CAN, CHART, RATE, RAW, SAMPLES, START, Workbook, tank
from write_log import SECOND, Log, object_of


class Charts(Workbook):
    def test_vital_ones(self):
        log = self.record(self.path("a.plog"), "-i", "20ms", "-n", "3")
        charts = self.lines(self.book(log))
        self.assertTrue({"Processor: % of all processors", "Memory: bytes"} <= {t for t, _ in charts})
        lines = dict(charts)["Memory: bytes"]
        self.assertEqual(len(lines), 2)
        book = self.book(log)
        for title, drawn in charts:
            for name, times, values in drawn:
                sheet, column = re.fullmatch(r"'?(.*?)'?!\$([A-Z]+)\$2:.*", values).groups()
                self.assertEqual(times.split("!")[1], "$A$2:$A$4")
                self.assertEqual(values.split("!")[1], "$%s$2:$%s$4" % (column, column))
                header = book.sheets[sheet].rows[0][column]
                self.assertEqual(sheet, "Chart Data")
                self.assertEqual([word for word in name.split() if word not in header], [])
                if title.startswith("Processor"):
                    self.assertRegex(header, r"Processor\(_Total\)\\% ")

    def test_vital_ones_of_each_instance(self):
        """Pressure is of each instance; _Total is none of the busiest processes."""
        log = Log({2: b"Pressure Stall", 4: b"% Some Stalled", 6: b"% Full Stalled", 8: b"Process", 10: b"Working Set"})
        log.sample(START, [object_of(2, [(4, RAW, 8), (6, RAW, 8)], [("cpu", (1, 2)), ("io", (3, 4))]),
                           object_of(8, [(10, RAW, 8)], [("a", (1,)), ("_Total", (2,))])])
        book = self.book("--layout", "wide", log.save(self.path("a.plog")))
        (title, lines), *rest = self.lines(book)
        self.assertEqual(title, "Pressure: % of time in which something had to wait")
        self.assertEqual([(name, values) for name, _, values in lines],
                         [("cpu", "'Pressure Stall'!$B$2"), ("io", "'Pressure Stall'!$D$2")])
        self.assertEqual([(title, [name for name, _, _ in lines]) for title, lines in rest],
                         [("Largest processes: working set in bytes", ["a", "all others"]),
                          (r"\Pressure Stall\% Full Stalled", ["cpu", "io"]), (r"\Process\Working Set", ["Working Set"])])
        self.assertEqual([["".join(t.itertext()) for t in c.iterfind(".//%svalAx/%stitle" % (CHART, CHART))]
                          for c in book.charts], [["Time (UTC)", unit] for unit in ("%", "bytes", "%", "bytes")])
        self.assertEqual([c.findall(".//%svalAx/%snumFmt" % (CHART, CHART))[1].get("formatCode") for c in book.charts],
                         ["General", '[>=1000000]#,##0.0,," MB";[>=1000]#,##0.0," kB";0" B"'] * 2)

    def test_chosen_ones(self):
        log = tank([b"Tank", b"Other"], SAMPLES).save(self.path("a.plog"))
        self.assertEqual([t for t, _ in self.lines(self.book("-c", "Tank", log))],
                         ["\\Tank\\Level", "\\Tank\\Drops/sec"])
        self.assertEqual(len(self.book(log).charts), 4, "no vital one: one of each")

    def test_more_counters_than_charts(self):
        """Each has one, or none that is not vital; what has none is counted."""
        for num, charts in (24, 24), (25, 0):
            log = Log({2: b"Tank", **{4 + 2 * i: b"Level %d" % i for i in range(num)}})
            log.sample(START, [object_of(2, [(4 + 2 * i, RAW, 8) for i in range(num)], [("a", range(num)),
                                                                                       ("b", range(num))])])
            book = self.book(log.save(self.path("%d.plog" % num)))
            self.assertEqual((len(book.charts), "Charts" in book.sheets), (charts, charts > 0))
            self.assertEqual(dict(book.summary).get("Series without chart"), None if charts else 2 * num)

    def test_names_tell_lines_apart(self):
        """Host, instance, counter: what differs; one that would be a formula refers to its header."""
        logs = []
        for host in b"a", b"b":
            log = Log({2: b"Tank", 4: b"Level", 6: b"=Sum"}, host=host)
            log.sample(START, [object_of(2, [(4, RAW, 8), (6, RAW, 8)], [("x", (1, 2)), ("=y", (3, 4))])])
            logs.append(log.save(self.path(host.decode() + ".plog")))
        charts = dict(self.lines(self.book("-c", r"\*\Level", logs[0])))
        self.assertEqual([name for name, _, _ in charts[r"\Tank\Level"]], ["'Chart Data'!$B$1", "x"])
        charts = dict(self.lines(self.book("-c", r"\Tank(x)\*", *logs)))
        self.assertEqual([name for name, _, _ in charts[r"\Tank\Level"]], ["a", "b"])
        charts = dict(self.lines(self.book("-c", r"\Tank(x)\*", logs[0])))
        self.assertEqual([name for name, _, _ in charts[r"\Tank\=Sum"]], ["'Chart Data'!$C$1"])

    def test_ten_lines(self):
        """Those that did most; what the others did is added up, of what has no sum, or of hosts, are median and P95."""
        def make(name, instances, samples=3):
            log = Log({2: b"Tank", 4: b"Level", 6: b"Drops/sec"}, host=name)
            for t in range(samples):
                log.sample(START + t * SECOND, [object_of(2, [(4, RAW, 8), (6, RATE, 8)],
                                                          [(i, (n, n * t)) for i, n in instances])])
            return log.save(self.path(name.decode() + ".plog"))
        many = make(b"a", [("i%d" % i, i) for i in range(1, 31)] + [("_Total", 465)])
        for layout in "table", "wide":
            book = self.book("-c", "Tank", "--layout", layout, many)
            charts, data = dict(self.lines(book)), book.sheets["Chart Data"].columns()
            level = [name for name, _, _ in charts[r"\Tank\Level"]]
            self.assertEqual(level, ["i%d" % i for i in range(30, 22, -1)] + ["median of 22 others", "P95 of 22 others"])
            self.assertEqual(data[r"\Tank\Level, median of 22 others"], [11] * 3)
            self.assertEqual(data[r"\Tank\Level, P95 of 22 others"], [21] * 3)
            drops = [name for name, _, _ in charts[r"\Tank\Drops/sec"]]
            self.assertEqual(drops, ["i%d" % i for i in range(30, 21, -1)] + ["21 others"])
            self.assertEqual(data[r"\Tank\Drops/sec, 21 others"], [None, 231, 231])
            self.assertEqual(r"\\a\Tank(i30)\Level" in data, layout == "table")
            self.assertNotIn("Series without chart", dict(book.summary))
        few = make(b"b", [("i%d" % i, i) for i in range(1, 11)] + [("_Total", 55)])
        self.assertEqual([len(lines) for _, lines in self.lines(self.book("-c", "Tank", few))], [10, 10])
        hosts = [make(b"h%d" % i, [("x", i)]) for i in range(1, 27)]
        book = self.book("-c", r"\Tank(x)\Drops/sec", *hosts)
        self.assertEqual([name for name, _, _ in self.lines(book)[0][1]],
                         ["h%d" % i for i in range(26, 18, -1)] + ["median of 18 others", "P95 of 18 others"])
        data = book.sheets["Chart Data"].columns()
        self.assertEqual(data[r"\Tank\Drops/sec, median of 18 others"], [None, 9, 9])

    def test_clock_set_back(self):
        """An axis is from the least to the greatest time, in whatever order the rows are."""
        for order in (6, 7, 8, 1, 2, 3), (4, 5, 6, 7, 2, 3):
            log = tank([b"Tank"], [(i, i, i) for i in order]).save(self.path("a.plog"))
            book = self.book(log)
            times = book.sheets["Chart Data"].columns()["Time (UTC)"]
            for chart in book.charts:
                axis, = (a for a in chart.iter(CHART + "scaling") if a.find(CHART + "min") is not None)
                self.assertEqual([round(float(axis.find(CHART + end).get("val")) * 86400) for end in ("min", "max")],
                                 [round(end * 86400) for end in (min(times), max(times))])

    def vital(self, title, *args):
        """The names of the lines of a vital chart, and the columns of what charts show."""
        book = self.book(*args)
        return [name for name, _, _ in dict(self.lines(book))[title]], book.sheets["Chart Data"].columns()

    def test_others_of_each_counter(self):
        """What is received is not added to what is sent, whichever of them is more."""
        log = Log({2: b"Network Interface", 4: b"Bytes Received/sec", 6: b"Bytes Sent/sec"})
        for t in range(3):
            log.sample(START + t * SECOND, [object_of(2, [(4, RATE, 8), (6, RATE, 8)], [
                ("eth%d" % i, (t * (i + 1), t * (i + 1) * 1000)) for i in range(8)])])
        names, data = self.vital("Network: bytes per second", log.save(self.path("a.plog")))
        self.assertEqual(names, ["eth%d Bytes %s/sec" % (i, way) for way in ("Received", "Sent") for i in (7, 6, 5, 4)] +
                         ["4 others Bytes Received/sec", "4 others Bytes Sent/sec"])
        self.assertEqual(data[r"\Network Interface\Bytes Received/sec, 4 others"], [None, 10, 10])
        self.assertEqual(data[r"\Network Interface\Bytes Sent/sec, 4 others"], [None, 10000, 10000])

    def test_others_of_each_counter_of_many_hosts(self):
        """A counter has a line even where another is greater on every host."""
        def make(i, object_name, instance, counters):
            log = Log({2: object_name, **{4 + 2 * k: name for k, (name, _) in enumerate(counters)}}, host=b"h%d" % i)
            log.sample(START, [object_of(2, [(4 + 2 * k, RAW, 8) for k in range(len(counters))],
                                         [(instance, [value for _, value in counters])])])
            return log.save(self.path("h%d.plog" % i))
        names, data = self.vital("Memory: bytes", *(
            make(i, b"Memory", None, [(b"Committed Bytes", 8000 + i), (b"Available Bytes", 1000 + i)]) for i in range(8)))
        others = "median of 5 others", "P95 of 5 others"
        self.assertEqual(names, ["h%d %s" % (i, c) for c in ("Committed Bytes", "Available Bytes") for i in (7, 6, 5)] +
                         ["%s %s" % (o, c) for c in ("Committed Bytes", "Available Bytes") for o in others])
        self.assertEqual([data[r"\Memory\%s, %s" % (c, o)] for c in ("Committed Bytes", "Available Bytes") for o in others],
                         [[8002], [8004], [1002], [1004]])
        shares = [(b"% Processor Time", 50), (b"% User Time", 30), (b"% Privileged Time", 20)]
        names, data = self.vital("Processor: % of all processors", *(
            make(i, b"Processor", "_Total", [(name, share + i) for name, share in shares]) for i in range(4)))
        self.assertEqual(names, ["h3 " + name.decode() for name, _ in shares] + [
            "%s %s" % (o, name.decode()) for name, _ in shares for o in ("median of 3 others", "P95 of 3 others")])
        self.assertEqual([data[r"\Processor\%s, median of 3 others" % name.decode()] for name, _ in shares],
                         [[51], [31], [21]])


if __name__ == "__main__":
    if not CAN:
        print("built without workbooks: nothing tested")
        sys.exit(harness.SKIP)
    harness.main()
