#!/usr/bin/env python3
"""perflog import: blocks and titles that a real Windows machine gave out."""
import collections
import glob
import hashlib
import json
import math
import os
import struct
import sys
import unittest

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
import nt_calculator
from harness import run
from importing import Importing, blocks_in
from make_block import COUNTER, RAWCOUNT, write_block
from read_block import read_block

DATA = os.environ.get("SHARED_DATA", os.path.join(harness.ROOT, "../shared/data"))
VISTA = os.path.join(DATA, "vista")
STATUSES = {"", "first", "gap", "damaged", "absent", "unreadable", "negative", "zero_time",
            "clamped", "zero_base", "clock_step", "unsupported", "no_base", "no_timebase",
            "negative_denominator"}
GAUGES = (RAWCOUNT, 0x00010100)
RATES = (COUNTER, 0x10410500)
TIMER_100NS_INV = 0x21510500
OBJECT_CLOCK = (0x30240500, 0x20610500)  # what Revision 0 has no clock for


def dump_of(titles, order="little", mark=True):
    """A title list as the registry keeps it."""
    codec = "utf-16-le" if order == "little" else "utf-16-be"
    text = "".join("%d\0%s\0" % t for t in titles) + "\0"
    return ("\ufeff" if mark else "").encode(codec) + text.encode(codec)


def vista_files():
    return sorted(glob.glob(os.path.join(VISTA, "blocks", "*.bin")))


def load_all(paths):
    blocks = []
    for path in paths:
        with open(path, "rb") as f:
            blocks.append(f.read())
    return blocks


def titles_of_vista():
    with open(os.path.join(VISTA, "titles.tsv"), encoding="utf-8") as f:
        return [(int(i), name) for i, name in (line.rstrip("\n").split("\t") for line in f)]


def vista_help():
    """Made-up explanations under the indexes by which the blocks ask for them."""
    wanted = set()
    for block in map(read_block, load_all(vista_files())):
        for o in block["objects"]:
            wanted.add(o["ObjectHelpTitleIndex"])
            wanted.update(c["CounterHelpTitleIndex"] for c in o["counters"])
    return [(i, "explanation %d" % i) for i in sorted(wanted)]


def instance_names(o, of_title):
    """As perflog writes them: parent/name, and #n for the n-th further equal name."""
    names, seen = [], {}
    for i in o["instances"]:
        name = i["Name"] or ""
        if i["Name"] is not None and i["ParentObjectTitleIndex"]:
            parents = of_title.get(i["ParentObjectTitleIndex"], [])
            if i["ParentObjectInstance"] < len(parents):
                name = "%s/%s" % (parents[i["ParentObjectInstance"]]["Name"], name)
        n = seen[name] = seen.get(name, -1) + 1
        names.append(name + ("#%d" % n if n else ""))
    return names


class Sample:
    """What one sample holds, by the other reader."""

    def __init__(self, blocks, titles):
        self.clock = blocks[0]
        self.values = {}  # object, instance, counter -> type, value
        objects = [o for b in blocks for o in b["objects"]]
        of_title = {o["ObjectNameTitleIndex"]: o["instances"] for o in objects}
        for o in objects:
            for name, i in zip(instance_names(o, of_title), o["instances"]):
                for c, value in zip(o["counters"], i["values"]):
                    key = (titles[o["ObjectNameTitleIndex"]], name,
                           titles.get(c["CounterNameTitleIndex"]))
                    if not c["CounterType"] & 0x40000000:  # bases share their numerator's name
                        self.values[key] = c["CounterType"], value


@unittest.skipUnless(vista_files(), "no blocks of a real machine in %s" % VISTA)
class Vista(Importing):
    @classmethod
    def setUpClass(cls):
        cls.maker = Importing("setUp")
        cls.maker.setUp()
        cls.files = vista_files()
        cls.raw = load_all(cls.files)
        cls.read = [read_block(b) for b in cls.raw]
        cls.titles = dict(titles_of_vista())
        cls.log, cls.said = cls.maker.load(
            *cls.files, args=("--titles", os.path.join(VISTA, "titles.tsv")))
        cls.long = cls.maker.rows(cls.log)

    @classmethod
    def tearDownClass(cls):
        cls.maker.doCleanups()

    def by_time(self):
        samples = {}
        for block in self.read:
            samples.setdefault(block["PerfTime100nSec"], []).append(block)
        return [Sample(samples[t], self.titles) for t in sorted(samples)]

    def test_every_block_is_read_to_its_last_byte(self):
        self.assertEqual(len(self.files), 88)
        for path, raw, block in zip(self.files, self.raw, self.read):
            self.assertIsNone(block["error"], path)
            last = block["objects"][-1]
            self.assertEqual(last["offset"] + last["TotalByteLength"], len(raw), path)
        self.assertIn("11 samples over 9m59s, 8 objects, from 88 blocks of 1 machine", self.said)
        self.assertEqual(self.said.count("\n"), 1, self.said)

    def test_samples_hold_the_blocks_bytes(self):
        samples, said = blocks_in(self.log, self.make_folder("raw"))
        self.assertEqual(len(samples), 11)
        groups = {}
        for raw, block in zip(self.raw, self.read):
            groups.setdefault(block["PerfTime100nSec"], []).append((raw, block["HeaderLength"]))
        for sample, t in zip(samples, sorted(groups)):
            pieces = groups[t]
            head = bytearray(pieces[0][0][:pieces[0][1]])
            total = len(pieces[0][0]) + sum(len(raw) - n for raw, n in pieces[1:])
            struct.pack_into("<I", head, 20, total)
            struct.pack_into("<I", head, 28, len(pieces))
            self.assertEqual(sample, bytes(head) + b"".join(raw[n:] for raw, n in pieces))
        sess = next(r for r in said if r.get("type") == "SESS")
        self.assertIn("ZACH-PC", json.dumps(sess))

    def make_folder(self, name):
        os.mkdir(self.path(name))
        return self.path(name)

    def test_every_counter_is_exported(self):
        self.assertLessEqual({row["Status"] for row in self.long}, STATUSES)
        self.assertEqual({row["Object"] for row in self.long},
                         {self.titles[i] for i in (2, 4, 230, 234, 236, 238, 510, 638)})
        wanted = {key for s in self.by_time() for key, (kind, _) in s.values.items()
                  if kind & 0xC00 != 0xC00}
        found = {(row["Object"], row["Instance"], row["Counter"]) for row in self.long}
        self.assertEqual(wanted - found, set())

    def test_gauges_are_the_raw_values(self):
        samples, checked = self.by_time(), 0
        at = {round(self.utc(s), 3): s for s in samples}
        for row in self.long:
            sample = at[float(row["Time"])]
            kind, value = sample.values.get((row["Object"], row["Instance"], row["Counter"]),
                                            (0, None))
            if kind in GAUGES and row["Value"]:
                checked += 1
                self.assertEqual(int(row["Value"]), value, row)
        self.assertGreater(checked, 5000)

    def utc(self, sample):
        return (sample.clock["PerfTime100nSec"] - 116444736000000000) // 10000 / 1000

    def test_rates_by_another_calculator(self):
        samples, checked = self.by_time(), set()
        rows = {(float(r["Time"]), r["Object"], r["Instance"], r["Counter"]): r for r in self.long}
        for old, new in zip(samples, samples[1:]):
            seconds = (new.clock["PerfTime"] - old.clock["PerfTime"]) / new.clock["PerfFreq"]
            ticks = new.clock["PerfTime100nSec"] - old.clock["PerfTime100nSec"]
            for key, (kind, value) in new.values.items():
                row = rows.get((round(self.utc(new), 3), *key))
                if key not in old.values or not row or not row["Value"] or key[0] == "Process":
                    continue
                delta = value - old.values[key][1]
                if kind in RATES and delta >= 0:
                    want = delta / seconds
                elif kind == TIMER_100NS_INV and row["Status"] != "clamped":
                    want = 100 * (1 - delta / ticks)
                else:
                    continue
                checked.add(key[0])
                self.assertTrue(math.isclose(float(row["Value"]), want, rel_tol=1e-9,
                                             abs_tol=1e-9), (row, want))
        self.assertLessEqual({"System", "Memory", "Processor", "Network Interface", "TCPv4"},
                             checked)

    def test_every_cell_by_another_calculator(self):
        """Windows' own _Total of processes included, whose start is another in each sample."""
        blocks, checked = {}, collections.Counter()
        for block in self.read:
            blocks.setdefault(block["PerfTime100nSec"], []).append(block)
        rows = {}
        for row in self.long:
            key = row["Object"], row["Instance"], row["Counter"]
            self.assertNotIn(key, rows.setdefault(row["Time"], {}))
            rows[row["Time"]][key] = row["Value"], row["Status"]
        self.assertEqual(len(rows), len(blocks))
        older = None
        for (_, found), t in zip(sorted(rows.items()), sorted(blocks)):
            newer = nt_calculator.Sample(blocks[t], self.titles)
            want = nt_calculator.cells(older, newer)
            self.assertEqual(found.keys(), want.keys())
            for key, (value, status) in want.items():
                self.assertEqual(found[key][1], status, (key, t))
                if value is None:
                    self.assertEqual(found[key][0], "", (key, t))
                else:
                    self.assertEqual(float(found[key][0]), float(value), (key, t))
                checked[key[:2]] += older is not None and not status
            older = newer
        self.assertGreater(checked["Process", "_Total"], 200)

    def test_disk_counters_fit_each_other(self):
        """Little's law, and bytes over transfers: different formulas, one truth."""
        cells = {(r["Time"], r["Object"], r["Instance"], r["Counter"]): float(r["Value"])
                 for r in self.long if r["Value"] and r["Object"] in ("PhysicalDisk", "LogicalDisk")}
        busy = 0
        for (t, o, i, counter), transfers in cells.items():
            if counter != "Disk Transfers/sec" or not transfers:
                continue
            busy += 1
            get = lambda name: cells[t, o, i, name]
            # Queue length by the wall clock, seconds a transfer by PerfTime: they drift apart.
            self.assertTrue(math.isclose(transfers * get("Avg. Disk sec/Transfer"),
                                         get("Avg. Disk Queue Length"), rel_tol=5e-4), (t, o, i))
            self.assertTrue(math.isclose(transfers * get("Avg. Disk Bytes/Transfer"),
                                         get("Disk Bytes/sec"), rel_tol=1e-12), (t, o, i))
        self.assertEqual(busy, 40)  # one disk, one volume, their totals: ten intervals

    def twin(self, folder, big, revision):
        os.mkdir(self.path(folder))
        files = []
        for path, block in zip(self.files, self.read):
            name = self.path(folder, os.path.basename(path))
            with open(name, "wb") as f:
                f.write(write_block(block, big, revision))
            files.append(name)
        log, _ = self.load(*files, name=folder + ".plog",
                           args=("--titles", os.path.join(VISTA, "titles.tsv")))
        return self.rows(log)

    def test_both_byte_orders_and_revisions_say_the_same(self):
        with_clock = {(s, c) for b in self.read for o in b["objects"]
                      for c in [self.titles.get(c["CounterNameTitleIndex"]) for c in o["counters"]
                                if c["CounterType"] in OBJECT_CLOCK]
                      for s in [self.titles[o["ObjectNameTitleIndex"]]]}
        self.assertIn(("Process", "Elapsed Time"), with_clock)
        self.assertEqual(self.twin("big", True, 1), self.long)
        without = [r for r in self.long if (r["Object"], r["Counter"]) not in with_clock]
        for big in False, True:
            old = self.twin("old-%d" % big, big, 0)
            self.assertEqual([r for r in old if (r["Object"], r["Counter"]) not in with_clock],
                             without)

    def test_titles_of_the_registry(self):
        titles = list(self.titles.items())
        self.assertIn((1, "1847"), titles)  # a name that is a number
        for order, mark in (("little", True), ("little", False), ("big", True)):
            with self.subTest(order=order, mark=mark):
                name = self.write("counter009.bin", dump_of(titles, order, mark))
                log, said = self.load(*self.files, name="%s%d.plog" % (order, mark),
                                      args=("--titles", name))
                self.assertNotIn("no titles", said)
                self.assertEqual(self.rows(log), self.long)

    def test_damaged_titles_go_on_with_the_next_index(self):
        raw = dump_of(list(self.titles.items()))
        start = raw.index("\x00238\x00Processor\x00".encode("utf-16-le")) + 2
        damaged = raw[:start + 8] + raw[start + 8 + 20:]  # the name of 238 is gone
        name = self.write("counter009.bin", damaged)
        log, said = self.load(*self.files, args=("--titles", name))
        self.assertIn("1 entries are no titles", said)
        self.assertIn("names are not known", said)
        objects = {row["Object"] for row in self.rows(log)}
        self.assertIn("#238", objects)
        self.assertEqual(len(objects & set(self.titles.values())), 7)

    def test_without_titles_numbers_are_names(self):
        log, said = self.load(*self.files)
        self.assertIn("names are not known", said)
        rows = self.rows(log)
        self.assertEqual(len(rows), len(self.long))
        self.assertIn("#238", {row["Object"] for row in rows})
        chosen = self.good("export", "-q", log, "-c", r"\[#]238(_Total)\[#]6").out
        named = self.good("export", "-q", self.log, "-c", r"\Processor(_Total)\*Processor Time").out
        self.assertEqual(chosen.split("\n")[1:], named.split("\n")[1:])

    def test_help_texts(self):
        helps = self.write("help009.bin", dump_of(vista_help()))
        log, _ = self.load(*self.files, args=("--titles", os.path.join(VISTA, "titles.tsv"),
                                              "--help-titles", helps))
        out = self.good("list", "--help-text", log).out
        processor = next(b["objects"][0] for b in self.read
                         if b["objects"][0]["ObjectNameTitleIndex"] == 238)
        for c in processor["counters"]:
            self.assertIn("explanation %d" % c["CounterHelpTitleIndex"], out)

    def test_session_tells_zone_and_source(self):
        raw = b"".join(self.raw)
        with open(self.log, "rb") as f:
            log = f.read()
        self.assertIn(hashlib.sha256(raw).digest() +
                      b"s00_002_System.bin and 87 more", log)
        # Tag 13: SystemTime is 15:40, PerfTime100nSec 19:40.
        self.assertIn(struct.pack("<HHIi", 13, 0, 4, -240), log)
        self.assertIn(b"little import", log)
        info = self.info(self.log)
        self.assertIn("\n  Host       %s\n" % info["host"], run("info", self.log).out)
        self.assertIn("\n  Ended      all its blocks were imported\n", run("info", self.log).out)
        self.assertEqual(info["samples"], 11)

    def test_order_of_files_does_not_matter(self):
        for name, files in (("back", self.files[::-1]),
                            ("objects", sorted(self.files, key=lambda p: p[-12:]))):
            with self.subTest(order=name):
                log, _ = self.load(*files, name=name + ".plog",
                                   args=("--titles", os.path.join(VISTA, "titles.tsv")))
                self.assertEqual(sorted(map(str, self.rows(log))), sorted(map(str, self.long)))

    def test_one_file_for_each_object(self):
        files = []
        for number in ("002", "004", "230", "234", "236", "238", "510", "638"):
            files.append(self.write(number, b"".join(
                raw for path, raw in zip(self.files, self.raw)
                if os.path.basename(path)[4:7] == number)))
        log, said = self.load(*files, args=("--titles", os.path.join(VISTA, "titles.tsv")))
        self.assertIn("11 samples", said)
        self.assertEqual(self.rows(log), self.long)

    def test_standard_input(self):
        log, said = self.load("-", data=b"".join(self.raw),
                              args=("--titles", os.path.join(VISTA, "titles.tsv")))
        self.assertEqual(self.rows(log), self.long)
        with open(log, "rb") as f:
            self.assertIn(hashlib.sha256(b"".join(self.raw)).digest() + b"standard input", f.read())

    def test_every_cut_keeps_what_is_whole(self):
        """A sample of eight blocks, cut at 100 places: whole objects are in, nothing else."""
        raw, ends, at = b"".join(self.raw[:8]), [], 0
        for block in self.raw[:8]:
            at += len(block)
            ends.append(at)
        for cut in range(1, len(raw), len(raw) // 100):
            name = self.write("cut.bin", raw[:cut])
            whole = sum(end <= cut for end in ends)
            clean = cut in ends
            out = self.path("cut.plog")
            r = run("import", "-q", name, "-o", out)
            self.assertEqual(r.code, 4 if not whole else 0 if clean else 2, (cut, r))
            self.assertEqual(os.path.exists(out), whole > 0)
            if whole:
                self.assertEqual(len({row["Object"] for row in self.rows(out)}), whole, cut)
                os.remove(out)
            if not clean:
                self.assertIn("cut.bin: byte %d: " % ([0] + ends)[whole], r.err)


if __name__ == "__main__":
    if not vista_files():
        print("no blocks of a real machine in %s: their tests are skipped" % VISTA)
    harness.main()
