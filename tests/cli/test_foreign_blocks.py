#!/usr/bin/env python3
"""Blocks of other makers through perflog: what list and export make of them."""
import json
import os
import resource
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from foreign_blocks import (
    DISK, Foreign, HISTOGRAM, Maker, RAWCOUNT, RAW_BASE, RAW_FRACTION, TEXT_ASCII, disk, golden_block)


class Reading(Foreign):
    """Names, values and types of the same blocks."""

    def test_every_line_of_list_can_be_given_back(self):
        m = Maker()
        m.object(930, ((932, RAWCOUNT, 4, 4),),
                 [m.instance("a\x1b[31m\u202e\n*", m.pack("I", 11)),
                  m.instance("b\u2028?", m.pack("I", 22))], 2)
        log = self.log(m.block())
        lines = self.good("list", log).out.split("\n")[:-1]
        self.assertEqual(len(lines), 2)
        for line, value in zip(lines, ("11", "22")):
            self.check_printable(line)
            rows = self.good("export", "--layout", "long", "-c", line, log).out
            self.assertEqual(rows.rstrip("\n").split(",")[-2:], [value, ""])

    def test_texts_and_hexadecimal_numbers_are_in_long_alone(self):
        log = self.log(golden_block("<", 1), golden_block(">", 0))
        rows = [(r["Instance"], r["Counter"], r["Value"], r["Status"]) for r in self.long(log)
                if r["Time"].endswith(":01")]
        self.assertEqual(rows, [
            ("Büro", "Reads/sec", "", "zero_time"), ("Büro", "Label", "'=1+1,x", ""),
            ("Büro", "State", "0x0000beef", ""), ("Büro", "Bucket", "9", ""),
            ("Büro", "Short", "für", ""),
            ("/4711", "Reads/sec", "", "zero_time"), ("/4711", "Label", "plain", ""),
            ("/4711", "State", "0x0000beef", ""), ("/4711", "Bucket", "9", ""),
            ("/4711", "Short", "für", "")])
        self.assertIn(',"\'=1+1,x",', self.good("export", "--layout", "long", log).out)
        self.assertIn(',"=1+1,x",', self.good("export", "--layout", "long", "--no-guard", log).out)
        self.assertEqual(self.wide(log).paths,
                         ["\\Disk(/4711)\\Reads/sec", "\\Disk(/4711)\\Bucket",
                          "\\Disk(Büro)\\Reads/sec", "\\Disk(Büro)\\Bucket"])

    def test_texts_change_with_the_sample(self):
        blocks = []
        for n, label in enumerate(("first", "", "a\0b", "third\u20ac")):
            m = Maker()
            m.object(900, DISK, [m.values(disk(m, n, label))])
            blocks.append(m.block(n))
        values = [r["Value"] for r in self.long(self.log(*blocks), "-c", "\\Disk\\Label")]
        self.assertEqual(values, ["first", "", "a", "third€"])

    def test_texts_that_share_bytes_stay_bounded(self):
        m = Maker()
        counters = [(904, TEXT_ASCII, 4000, 4)] * 300
        m.object(900, counters, [m.values(b"x" * 4000)])
        log = self.log(m.block())
        rows = self.long(log)
        good = [r for r in rows if not r["Status"]]
        self.assertEqual(len(rows), 300)
        self.assertTrue(1 <= len(good) < 20, len(good))
        self.assertEqual({r["Status"] for r in rows}, {"", "unsupported"})
        self.assertTrue(all(r["Value"] == "x" * 4000 for r in good))
        values = self.dump(log)["block"]["objects"][0]["block"]["values"]
        self.assertEqual(values[0]["value"], "x" * 4000)
        self.assertEqual(values[-1]["status"], "shares its bytes with too many others")

    def test_parents_carry_their_numbers(self):
        counters = ((932, RAWCOUNT, 4, 4),)
        m = Maker()
        parents = [m.instance(n, m.pack("I", 1)) for n in ("svchost", "cmd", "svchost", "svchost")]
        parents.append(m.instance(None, m.pack("I", 1), unique=77))
        threads = [m.instance("0", m.pack("I", 10 + k), (930, k)) for k in (0, 1, 2, 3, 3, 4, 9)]
        threads.append(m.instance("0", m.pack("I", 99), (555, 0)))
        m.object(940, counters, threads, len(threads))  # before the object of its parents
        m.object(930, counters, parents, len(parents))
        names = [r["Instance"] for r in self.long(self.log(m.block()), "-c", "\\Thread(*)\\*")]
        self.assertEqual(names, ["svchost/0", "cmd/0", "svchost#1/0", "svchost#2/0",
                                 "svchost#2/0#1", "77/0", "/0", "/0#1"])

    def test_parents_are_those_of_the_same_sample(self):
        blocks = []
        for n, names in enumerate((("a", "b"), ("b",), ("long name", "c"))):
            m = Maker()
            counters = ((932, RAWCOUNT, 4, 4),)
            m.object(930, counters, [m.instance(x, m.pack("I", 1)) for x in names], len(names))
            m.object(940, counters, [m.instance("0", m.pack("I", 1), (930, 0))], 1)
            blocks.append(m.block(n))
        rows = self.long(self.log(*blocks), "-c", "\\Thread(*)\\*")
        self.assertEqual([r["Instance"] for r in rows if r["Value"]],
                         ["a/0", "b/0", "long name/0"])

    def test_many_parents_cost_little(self):
        n, counters, m = 30000, ((932, RAWCOUNT, 4, 4),), Maker()
        m.object(930, counters, [m.instance("p%d" % (k % 100), m.pack("I", k))
                                 for k in range(n)], n)
        m.object(940, counters, [m.instance("t%d" % k, m.pack("I", k), (930, n - 1))
                                 for k in range(n)], n)
        log = self.log(m.block())
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        rows = self.long(log, "-c", "\\Thread(*)\\*")
        spent = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        self.assertEqual(rows[-1]["Instance"], "p99#299/t29999")
        self.assertLess(spent, 5)  # seconds; looking at every parent for each would take 20

    def test_names_in_code_pages(self):
        for page, raw, name in ((1252, b"B\xfcro", "Büro"), (1251, b"\xc4\xe8\xf1\xea\0", "Диск"),
                                (932, b"\x83\x76", "プ"), (4711, b"B\xfcro", "B\ufffdro")):
            m = Maker(code_page=page)
            m.object(930, ((932, RAWCOUNT, 4, 4),), [m.instance(raw, m.pack("I", 1))], 1)
            log = self.log(m.block(), name="%d.plog" % page)
            self.assertEqual([r["Instance"] for r in self.long(log)], [name])

    def test_the_same_bytes_in_another_page_are_another_name(self):
        blocks = []
        for n, (page, order) in enumerate(((1252, "<"), (1251, "<"), (0, "<"), (0, ">"))):
            m = Maker(order, code_page=page)
            m.object(930, ((932, RAWCOUNT, 4, 4),), [m.instance(b"\xc4\xe4", m.pack("I", 1))], 1)
            blocks.append(m.block(n))
        rows = [r["Instance"] for r in self.long(self.log(*blocks)) if r["Value"]]
        self.assertEqual(rows, ["Ää", "Дд", "\ue4c4", "\uc4e4"])

    def test_no_instances_now_and_none_ever(self):
        for revision in (0, 1):
            m = Maker(revision=revision)
            m.object(930, ((932, RAWCOUNT, 4, 4),), [], 0)
            m.object(900, DISK, [m.values(disk(m, 3, "one"))])
            log = self.log(m.block(), name="%d.plog" % revision)
            rows = self.long(log)
            self.assertEqual({(r["Object"], r["Instance"]) for r in rows}, {("Disk", "")})
            objects = self.dump(log)["block"]["objects"]
            self.assertEqual(objects[0]["instances"], [])
            self.assertEqual(objects[1]["NumInstances"], -1 if revision else 0)
            self.assertIn("block", objects[1])

    def test_bases_share_a_slot_and_order_is_free(self):
        m = Maker()
        m.object(900, ((914, RAW_FRACTION, 4, 12), (914, RAW_BASE, 4, 8),
                       (904, RAW_FRACTION, 4, 4), (0, RAW_BASE, 4, 8)),
                 [m.values(m.pack("3I", 5, 200, 50))], slack=bytes(24))
        rows = self.long(self.log(m.block()))
        self.assertEqual([(r["Counter"], r["Value"]) for r in rows],
                         [("% Full", "25"), ("Label", "2.5")])

    def test_numbers_of_1992_have_todays_names(self):
        m = Maker(revision=0)
        m.object(900, ((904, 6, 8, 4), (906, HISTOGRAM | 6, 4, 12), (902, 1, 4, 4)),
                 [m.values(m.pack("QI", 1 << 40, 3))])
        log = self.log(m.block())
        counters = self.dump(log)["block"]["objects"][0]["counters"]
        self.assertEqual([c["CounterTypeName"] for c in counters],
                         ["PERF_COUNTER_LARGE_RAWCOUNT", "PERF_COUNTER_RAWCOUNT",
                          "PERF_COUNTER_COUNTER"])
        self.assertEqual(counters[1]["CounterTypeFields"],
                         "number 6 of 1992, now 0x80010000: size DWORD, type NUMBER, "
                         "subtype DECIMAL, HISTOGRAM_TYPE, display NO_SUFFIX")
        rows = self.long(log)
        self.assertEqual([r["Value"] for r in rows][:2], [str(1 << 40), "3"])

    def test_list_types(self):
        log = self.log(golden_block("<", 1))
        lines = [x.split("\t") for x in self.good("list", "--types", log).out.splitlines()]
        self.assertEqual([x[1:] for x in lines[:5]], [
            ["PERF_COUNTER_COUNTER", "0x10410400", "-1", "novice", "How often it is read."],
            ["PERF_COUNTER_TEXT", "0x00000b00", "-1", "novice", ""],
            ["PERF_COUNTER_RAWCOUNT_HEX", "0x00000000", "-1", "novice", ""],
            ["PERF_COUNTER_RAWCOUNT", "0x80010000", "-1", "novice", ""],
            ["-", "0x00010b00", "-1", "novice", ""]])
        series = json.loads(self.good("list", "--json", "--types", log).out)
        self.assertEqual([(s["type_name"], s["type_hex"], s["scale"], s["detail_level"])
                          for s in series[:5]],
                         [(None if x[1] == "-" else x[1], x[2], -1, 100) for x in lines[:5]])
        self.assertEqual(series[0]["help"], "How often it is read.")


if __name__ == "__main__":
    harness.main()
