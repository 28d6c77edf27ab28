#!/usr/bin/env python3
"""Blocks of other makers through perflog dump, which shows them field by field: compared with blocks made here by hand
and with read_block.py.
"""
import json
import os
import re
import struct
import subprocess
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from bombs import SECOND, START, Bomb, plain
from foreign_blocks import DISK, Foreign, Maker, PUT_BLOCKS, RAWCOUNT, TEXT, disk, golden_block
from read_block import read_block
from write_log import padded

VISTA = os.path.join(os.environ.get("SHARED_DATA", "../shared/data"), "vista")


# Worked out by hand; {} are offsets and what differs between the revisions.
GOLDEN = """\
PERF_DATA_BLOCK at byte 0
  Signature               PERF
  LittleEndian            {little}
  Version                 1
  Revision                {revision}
  TotalByteLength         {total}
  HeaderLength            {head}
  NumObjectTypes          1
  DefaultObject           900
  SystemTime              2007-08-14 15:40:38.659, Tuesday
  PerfTime                1000
  PerfFreq                1000
  PerfTime100nSec         128315796386590000
  PerfTime100nSecUtc      2007-08-14 15:40:38.659
  SystemNameLength        6
  SystemNameOffset        {name_at}
  SystemName              PC
  PERF_OBJECT_TYPE 0 at byte {head}: Disk
    TotalByteLength         {object}
    DefinitionLength        {defs}
    HeaderLength            {object_head}
    ObjectNameTitleIndex    900
    ObjectName              Disk
    ObjectNameTitle         0
    ObjectHelpTitleIndex    901
    ObjectHelp              What turns.
    ObjectHelpTitle         0
    DetailLevel             200
    DetailLevelName         advanced
    NumCounters             6
    DefaultCounter          0
    NumInstances            2
    CodePage                1252
{clock}    PERF_COUNTER_DEFINITION 0 at byte {c0}: Reads/sec
      ByteLength              40
      CounterNameTitleIndex   902
      CounterName             Reads/sec
      CounterNameTitle        0
      CounterHelpTitleIndex   903
      CounterHelp             How often it is read.
      CounterHelpTitle        0
      DefaultScale            -1
      DetailLevel             100
      DetailLevelName         novice
      CounterType             0x10410400
      CounterTypeName         PERF_COUNTER_COUNTER
      CounterTypeFields       size DWORD, type COUNTER, subtype RATE, timer TICK, DELTA_COUNTER, display PER_SEC
      CounterSize             4
      CounterOffset           4
"""
GOLDEN_DEFINITION = """\
    PERF_COUNTER_DEFINITION {number} at byte {at}: {name}
      ByteLength              40
      CounterNameTitleIndex   {index}
      CounterName             {name}
      CounterNameTitle        0
      CounterHelpTitleIndex   {help}
      CounterHelpTitle        0
      DefaultScale            -1
      DetailLevel             100
      DetailLevelName         novice
      CounterType             {type}
{type_name}      CounterTypeFields       {fields}
      CounterSize             {size}
      CounterOffset           {offset}
"""
NAMED = "      CounterTypeName         %s\n"
DEFINITIONS = (
    (904, "Label", "0x00000b00", NAMED % "PERF_COUNTER_TEXT",
     "size VARIABLE_LEN, type TEXT, subtype UNICODE, display NO_SUFFIX", 12, 8),
    (906, "State", "0x00000000", NAMED % "PERF_COUNTER_RAWCOUNT_HEX",
     "size DWORD, type NUMBER, subtype HEX, display NO_SUFFIX", 4, 20),
    (908, "Heading", "0x40000200", NAMED % "PERF_COUNTER_NODATA",
     "size ZERO, type NUMBER, subtype HEX, display NOSHOW", 0, 0),
    (910, "Bucket", "0x80010000", NAMED % "PERF_COUNTER_RAWCOUNT",
     "size DWORD, type NUMBER, subtype DECIMAL, HISTOGRAM_TYPE, display NO_SUFFIX", 4, 24),
    (912, "Short", "0x00010b00", "",
     "size VARIABLE_LEN, type TEXT, subtype ASCII, display NO_SUFFIX", 4, 28))
GOLDEN_INSTANCES = """\
    PERF_INSTANCE_DEFINITION 0 at byte {i0}: Büro
      ByteLength              32
      ParentObjectTitleIndex  0
      ParentObjectInstance    0
      UniqueID                -1
      NameOffset              24
      NameLength              5
      PERF_COUNTER_BLOCK at byte {v0}
        ByteLength              32
        Reads/sec               7 0x00000007
        Label                   =1+1,x
        State                   0x0000beef
        Heading                 (label, no data)
        Bucket                  9 0x00000009
        Short                   für
    PERF_INSTANCE_DEFINITION 1 at byte {i1}: 4711
      ByteLength              24
      ParentObjectTitleIndex  930
      ParentObjectName        Process
      ParentObjectInstance    1
      UniqueID                4711
      NameOffset              24
      NameLength              0
      PERF_COUNTER_BLOCK at byte {v1}
        ByteLength              32
        Reads/sec               8 0x00000008
        Label                   plain
        State                   0x0000beef
        Heading                 (label, no data)
        Bucket                  9 0x00000009
        Short                   für
"""


def golden_text(order, revision, packed=False):
    object_head = 64 if revision else 48
    defs = object_head + 6 * 40
    first = 96 + defs  # 88 + 6, or 84 + 6, rounded up to 8
    text = GOLDEN.format(
        little=int(order == "<"), revision=revision, total=96 + defs + 64 + 56, head=96,
        name_at=84 if packed else 88, object=defs + 64 + 56, defs=defs, object_head=object_head,
        clock="    PerfTime                5\n    PerfFreq                1000\n" if revision else "",
        c0=96 + object_head)
    for n, (index, name, word, type_name, fields, size, offset) in enumerate(DEFINITIONS, 1):
        text += GOLDEN_DEFINITION.format(
            number=n, at=96 + object_head + 40 * n, name=name, index=index, help=index + 1,
            type=word, type_name=type_name, fields=fields, size=size, offset=offset)
    return text + GOLDEN_INSTANCES.format(i0=first, v0=first + 32, i1=first + 64, v1=first + 88)


# ---- the tests ---------------------------------------------------------------
VARIANTS = [("<", 1, False), (">", 1, False), ("<", 0, False), (">", 0, False),
            ("<", 1, True), (">", 0, True)]


class Golden(Foreign):
    maxDiff = None

    def test_every_revision_and_byte_order(self):
        for variant in VARIANTS:
            with self.subTest(variant=variant):
                log = self.log(golden_block(*variant), name="%s%d%d.plog" % variant)
                out = self.good("dump", log).out
                self.assertEqual(out[out.index("PERF_DATA_BLOCK"):], golden_text(*variant))

    def test_the_record_stands_before_its_block(self):
        log = self.log(golden_block("<", 1), golden_block("<", 1))
        head = self.good("dump", "--sample", "2", log).out.split("PERF_DATA_BLOCK")[0].split("\n")
        kind, at, _, utc = [r for r in harness.records(log) if r[0] == "SMPL"][1]
        found = dict(line.split(None, 1) for line in head if line and line != "Record")
        self.assertEqual(found["offset"], str(at))
        self.assertEqual(found["utc"], "2026-11-21 12:00:01.000")
        self.assertEqual(found["utc_ns"], str(utc))
        self.assertEqual(found["boot_ns"], "1000000000")
        self.assertEqual((found["host"], found["provider"]), ("FOREIGN", "little test"))
        self.assertEqual(int(found["raw_len"]), len(golden_block("<", 1)))
        self.assertRegex(found["session"], "^[0-9a-f]{16}$")
        self.assertEqual(found["sample"], "2")

    def test_json_says_the_same(self):
        for variant in VARIANTS:
            block = self.dump(self.log(golden_block(*variant), name="%s%d%d.plog" % variant))
            check_against_reader(self, block["block"], golden_block(*variant))
            values = block["block"]["objects"][0]["instances"][0]["block"]["values"]
            self.assertEqual([v["value"] for v in values],
                             [7, "=1+1,x", 0xBEEF, None, 9, "für"])
            self.assertEqual(values[3]["status"], "label, no data")

    def test_each_objects_header_tells_its_revision(self):
        m = Maker()
        for m.revision in (0, 1, 0):
            m.object(900 + len(m.objects), ((932, RAWCOUNT, 4, 4),), [m.values(m.pack("I", 7))])
        m.revision = 1
        block = m.block()
        shown = self.dump(self.log(block))["block"]
        check_against_reader(self, shown, block)
        self.assertEqual([o["HeaderLength"] for o in shown["objects"]], [48, 64, 48])
        self.assertEqual(["PerfTime" in o for o in shown["objects"]], [False, True, False])
        self.assertEqual([o["block"]["values"][0]["value"] for o in shown["objects"]], [7] * 3)


def check_against_reader(test, got, data):
    """A block as dump shows it against what read_block.py reads of it."""
    want = read_block(data)
    y, mo, _, d, h, mi, s, ms = want.pop("SystemTime")
    test.assertTrue(got["SystemTime"].startswith(
        "%04d-%02d-%02d %02d:%02d:%02d.%03d, " % (y, mo, d, h, mi, s, ms)))
    same_fields(test, got, want)
    test.assertEqual(len(got["objects"]), len(want["objects"]))
    for o, w in zip(got["objects"], want["objects"]):
        if w["HeaderLength"] < 64:
            del w["PerfTime"], w["PerfFreq"]
        same_fields(test, o, w)
        test.assertEqual(len(o["counters"]), len(w["counters"]))
        for c, wc in zip(o["counters"], w["counters"]):
            same_fields(test, c, wc)
        instances = o.get("instances", [o])
        test.assertEqual(len(instances), len(w["instances"]))
        for i, wi in zip(instances, w["instances"]):
            if wi["Name"] is not None:
                name = wi.pop("Name")
                test.assertEqual(i["Name"], name or (
                    str(wi["UniqueID"]) if wi["UniqueID"] != -1 else ""))
                same_fields(test, i, wi)
            for c, v, raw in zip(w["counters"], i["block"]["values"], wi["values"]):
                if isinstance(raw, int) and c["CounterType"] & 0xC00 != 0x800:
                    test.assertEqual(v["value"], raw)
                    test.assertEqual(int(v["hex"], 16), raw)


def same_fields(test, got, want):
    for key, value in want.items():
        if key not in ("objects", "counters", "instances", "values", "error", "offset"):
            test.assertEqual(got[key], value, key)
    if "offset" in want and "offset" in got:
        test.assertEqual(got["offset"], want["offset"])


class Choosing(Foreign):
    def make(self):
        blocks = []
        for n in range(5):
            m = Maker()
            m.object(900, DISK, [m.values(disk(m, n, "a"))])
            m.object(930, ((932, RAWCOUNT, 4, 4),), [m.values(m.pack("I", n))])
            blocks.append(m.block(n))
        return self.log(*blocks)

    def reads(self, log, *args):
        return self.dump(log, *args)["block"]["objects"][0]["block"]["values"][0]["value"]

    def test_samples_are_counted_from_either_end(self):
        log = self.make()
        self.assertEqual(self.reads(log), 0)
        for n in range(1, 6):
            self.assertEqual(self.reads(log, "--sample", str(n)), n - 1)
            self.assertEqual(self.reads(log, "--sample", str(-n)), 5 - n)
        for n in ("6", "-6", "1000000000000"):
            self.refused(1, "dump", "--sample", n, log, says="has 5 samples")
        for n in ("0", "-0", "x", "", "1x", "--1", "99999999999999999999"):
            self.refused(1, "dump", "--sample=" + n, log, says="--sample")

    def test_a_folder_is_one_log(self):
        os.mkdir(self.path("logs"))
        for k in range(3):
            m = Maker()
            m.object(900, DISK, [m.values(disk(m, k, "a"))])
            # Files of one host go by the time of their first sample.
            log = self.log(*[m.block()] * (k + 1), name="logs/%d.plog" % k)
        folder = os.path.dirname(log)
        for n in range(1, 7):
            found = [self.dump(folder, "--sample", str(n))["record"],
                     self.dump(folder, "--sample", str(n - 7))["record"]]
            self.assertEqual(found[0], found[1], n)

    def test_a_pipe_is_read_from_its_beginning(self):
        log = self.make()
        with open(log, "rb") as f:
            data = f.read()
        r = harness.run("dump", "--json", "--sample", "3", "-", data=data)
        self.assertEqual(r.code, 0, r)
        self.assertEqual(json.loads(r.out)["block"]["objects"][0]["block"]["values"][0]["value"], 2)
        self.check_one_line(harness.run("dump", "--sample", "-1", "-", data=data), 1, "pipe")

    def test_objects_are_chosen_by_name_or_index(self):
        log = self.make()
        for name, want in (("Disk", [900]), ("disk", [900]), ("P*", [930]), ("*", [900, 930]),
                           ("930", [930]), ("D?sk", [900])):
            objects = self.dump(log, "--object", name)["block"]["objects"]
            self.assertEqual([o["ObjectNameTitleIndex"] for o in objects], want, name)
        r = harness.run("dump", "--object", "Dis", log)
        self.check_one_line(r, 1, "no object 'Dis'")
        self.assertIn("PERF_DATA_BLOCK", r.out)

    def test_what_is_no_log_is_refused(self):
        self.refused(1, "dump", says="name a log")
        self.refused(4, "dump", self.write("no.plog", b"x" * 4096), says="no.plog")
        self.refused(1, "dump", self.path("none.plog"), says="none.plog")


class Misfits(Foreign):
    def broken(self):
        """The second of two instances is longer than its object."""
        m = Maker()
        first = m.instance("a", m.pack("I", 11))
        second = bytearray(m.instance("b", m.pack("I", 22)))
        struct.pack_into("<I", second, 0, 5000)
        m.object(930, ((932, RAWCOUNT, 4, 4),), [first, bytes(second)], 2)
        m.object(900, DISK, [m.values(disk(m, 5, "here"))])
        return m.block(), 96 + 64 + 40 + len(first)

    def test_the_good_part_is_shown_and_the_rest_reported(self):
        block, at = self.broken()
        log = self.log(block)
        r = harness.run("dump", "--json", log)
        self.check_one_line(r, 2, "byte %d of the block: an instance is longer than the object" % at)
        shown = json.loads(r.out)
        self.assertEqual([i["Name"] for i in shown["block"]["objects"][0]["instances"]], ["a"])
        self.assertEqual(shown["block"]["objects"][1]["block"]["values"][1]["value"], "here")
        self.assertEqual(shown["misfit"], {"offset": at,
                                           "reason": "an instance is longer than the object"})
        text = harness.run("dump", log)
        self.check_one_line(text, 2, "byte %d" % at)
        self.assertIn("here", text.out)

    def test_verify_says_in_which_sample(self):
        """The samples of a pack have one place in the file: their times tell them apart."""
        broken, good, log = self.broken()[0], Bomb(), self.path("b.plog")
        for k, block in enumerate((plain(0), plain(1), padded(broken), plain(3), padded(broken))):
            good.key(block, utc=START + k * SECOND)
        self.write("b.plog", good.done()[0])
        for _ in range(2):
            r = harness.run("verify", log)
            self.assertEqual(re.findall("the object, in the sample of ([-0-9]+ [:0-9]+)[.]000 UTC", r.out),
                             ["2026-11-21 12:00:02", "2026-11-21 12:00:04"], r)
            found = json.loads(harness.run("verify", "--json", log).out)
            self.assertEqual([x["time"] for x in found["ranges"]],
                             ["2026-11-21T12:00:02.000Z", "2026-11-21T12:00:04.000Z"])
            self.good("pack", log)

    def test_verify_says_where_and_export_keeps_what_is_good(self):
        block, at = self.broken()
        good = Maker()
        good.object(900, DISK, [good.values(disk(good, 5, "whole"))])
        log = self.log(block, good.block(1))
        r = harness.run("verify", log)
        self.assertEqual(r.code, 2, r)
        self.assertIn("malformed: byte %d of the block: an instance is longer than the object" % at,
                      r.out)
        self.assertEqual(r.out.count("malformed"), 1)
        found = json.loads(harness.run("verify", "--json", log).out)
        where = [x for x in harness.records(log) if x[0] == "SMPL"][0][1]
        self.assertEqual([(x["kind"], x["block_offset"], x["offset"]) for x in found["ranges"]],
                         [("malformed", at, where)])
        self.assertEqual(found["malformed_blocks"], 1)
        self.assertRegex(harness.run("info", log).out, "Health .*, 1 block inconsistent;")
        self.assertEqual(json.loads(harness.run("info", "--json", log).out)[0]["malformed_blocks"], 1)
        r = harness.run("export", "--layout", "long", log)
        self.assertEqual(r.code, 2, r)
        part = "perflog: %s: 1 sample with a block that does not add up, of which what can be read is there; " \
            "'perflog verify' shows where\n" % log
        self.assertEqual(r.err, part)
        rows = harness.long_rows(r.out)
        self.assertIn(("a", "11"), [(x["Instance"], x["Value"]) for x in rows])
        self.assertIn(part, harness.run("cut", "--from", "1970-01-01", log, "-o", self.path("cut.plog")).err)
        self.assertIn("here", [x["Value"] for x in rows])

    def test_definitions_that_do_not_add_up(self):
        m = Maker()
        m.object(930, ((932, RAWCOUNT, 4, 4), (904, RAWCOUNT, 4, 8)), [m.values(m.pack("2I", 1, 2))])
        block = bytearray(m.block())
        struct.pack_into("<I", block, 96 + 64 + 40, 39)
        log = self.log(bytes(block))
        r = harness.run("dump", "--json", log)
        self.check_one_line(r, 2, "byte 200 of the block: a counter definition is shorter")
        values = json.loads(r.out)["block"]["objects"][0]["block"]["values"]
        self.assertEqual([v["value"] for v in values], [1])
        self.assertEqual(harness.run("export", log).code, 2)

    def test_a_counter_outside_its_block_is_no_value(self):
        m = Maker()
        m.object(930, ((932, RAWCOUNT, 4, 8), (904, TEXT, 5, 4), (906, RAWCOUNT, 2, 4)),
                 [m.values(m.pack("I", 0x62006100))])
        log = self.log(m.block())
        values = self.dump(log)["block"]["objects"][0]["block"]["values"]
        self.assertEqual([v.get("status") for v in values],
                         ["outside the counter block"] * 2 + [None])
        self.assertEqual(values[2]["bytes"], "0061")
        self.assertEqual([r["Status"] for r in self.long(log)], ["unsupported"] * 3)

    def test_names_do_nothing_to_a_terminal(self):
        m = Maker()
        m.object(930, ((904, TEXT, 12, 4),),
                 [m.instance("\x1b[31m\u202e", "\x07\n\x9bx".encode("utf-16-le") + bytes(4))], 1)
        for line in self.good("dump", self.log(m.block())).out.split("\n"):
            self.check_printable(line)


class Vista(Foreign):
    """Blocks that Windows made."""

    def test_every_block_reads_as_the_other_reader_has_it(self):
        folder = os.path.join(VISTA, "blocks")
        names = sorted(os.listdir(folder))
        log = self.path("vista.plog")
        subprocess.run([PUT_BLOCKS, log, os.path.join(VISTA, "titles.tsv"),
                        *(os.path.join(folder, n) for n in names)], check=True)
        self.assertEqual(len(names), 88)
        for n, name in enumerate(names, 1):
            with open(os.path.join(folder, name), "rb") as f:
                data = f.read()
            shown = self.dump(log, "--sample", str(n))
            with self.subTest(block=name):
                self.assertEqual(shown["record"]["raw_len"], len(data))
                check_against_reader(self, shown["block"], data)
                self.assertEqual(read_block(data)["error"], None)
        self.assertIn("PERF_AVERAGE_TIMER", self.good(
            "dump", "--object", "LogicalDisk", "--sample", "5", log).out)


def main():
    there = os.path.isdir(os.path.join(VISTA, "blocks"))
    if not there:
        del globals()["Vista"]
    result = harness.unittest.main(exit=False, testRunner=harness.Runner).result
    if result.wasSuccessful() and not there:
        print("%s is not here: real blocks were not read" % VISTA)
        sys.exit(harness.SKIP)
    sys.exit(not result.wasSuccessful())


if __name__ == "__main__":
    main()
