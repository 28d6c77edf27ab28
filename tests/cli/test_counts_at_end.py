#!/usr/bin/env python3
"""Counts that the end of a packed log states of its segment."""
import os
import shutil
import struct
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import Case, run
from stated import (COUNTS, DISK, GADGET, NAMES, PROCESS, RATE, RAWCOUNT, START, SYSTEM, TITLES, VALUES, Made, parts_of,
                    random_log, read, with_part, with_parts)
from write_log import SECOND, object_of, title

LONG = 700  # seconds between samples, of which a pack has three then
FRACTION, BASE = 0x20020400, 0x40030403
LATE = 1


def gaps(first, last, count, cause=LATE):
    return struct.pack("<qqQQIIiI", START + first * LONG * SECOND, START + last * LONG * SECOND, 0, 0, count, cause, 0, 0)


def note(text, kind=4):
    return struct.pack("<HH", kind, 0) + text


def processes(*names):
    return object_of(PROCESS, [(4, RAWCOUNT, 8)], [(name, [1]) for name in names])


class CountsCase(Case):
    def pack(self, made, name="log", **more):
        """Paths of the log and of a packed one of the same samples."""
        old = made.save(self.path(name + "-old.plog"), **more)
        new = shutil.copy(old, self.path(name + ".plog"))
        self.assertIn("packed", self.good("pack", new).err)
        return old, new

    def counts_of(self, log):
        return (parts_of(log) + [b"", b""])[COUNTS]


class Stated(CountsCase):
    def test_every_byte(self):
        """As FORMAT.md describes it."""
        made, samples = Made(every=LONG), 40
        for k in range(samples):
            if k in (10, 30):
                made.log.record(b"gaps", gaps(k, k + 1, 2), made.now())
            if k == 20:
                made.log.record(b"note", note(b"hello"), made.now() + 5)
            objects = [processes(*"abcdef"[:1 + k % 5])]
            if k >= 7:
                counters = [(4, FRACTION, 4), (6, BASE, 4), (8, RATE, 8)][:2 + (k > 9)]
                objects.append(object_of(GADGET, counters, [(None, [1, 2, 3][:len(counters)])]))
            if k in (15, 16):
                objects.append(object_of(DISK, [(4, RAWCOUNT, 8)], []))
            made.add(*objects)
        blocks = 0
        old, new = self.pack(made)
        for kind, at, length, *_ in harness.records(old):
            if kind == "SMPL":
                blocks += struct.unpack_from("<I", read(old), at + 44)[0]
        kind, at, *_ = harness.records(new)[-1]
        self.assertEqual(kind, "ends")
        record = struct.Struct("<4sIqI")
        expected = struct.pack("<QQQqqI", at, samples, blocks, START, START + (samples - 1) * LONG * SECOND, 4)
        expected += struct.pack("<IIIIQ", PROCESS, 1, 0, 5, samples)
        expected += struct.pack("<IIIIQ", VALUES, made.values, 0, 2**32 - 1, samples)
        expected += struct.pack("<IIIIQ", GADGET, 3, 1, 2**32 - 1, samples - 7)
        expected += struct.pack("<IIIIQ", DISK, 1, 0, 0, 2)
        for k, kind, payload in ((10, b"gaps", gaps(10, 11, 2)), (20, b"note", note(b"hello")), (30, b"gaps", gaps(30, 31, 2))):
            seq = 2 + k + (10, 20, 30).index(k)
            expected += record.pack(kind, seq, START + k * LONG * SECOND + 5 * (k == 20), len(payload)) + payload
        self.assertEqual(self.counts_of(new), expected)
        self.good("verify", new)

    def test_beside_names_that_are_not_stated(self):
        """Equal names beside names with numbers: names could not tell them apart."""
        made = Made(every=LONG)
        for k in range(40):
            made.add(processes("a", "a", "a#1"))
        old, new = self.pack(made)
        self.assertEqual([bool(part) for part in parts_of(new)], [False, True])
        self.good("verify", new)
        self.assertEqual(self.good("list", new).out, self.good("list", old).out)

    def test_times_that_step_back(self):
        made = Made(every=LONG)
        for k in range(40):
            made.samples = (k + 20) % 40
            made.add(processes("a"))
        _, new = self.pack(made)
        self.assertEqual(struct.unpack_from("<qq", self.counts_of(new), 24), (START, START + 39 * LONG * SECOND))
        self.good("verify", new)


class NotStated(CountsCase):
    def check_not_stated(self, made, code=0, **more):
        _, new = self.pack(made, **more)
        self.assertFalse(self.counts_of(new))
        self.assertEqual(run("verify", new).code, code)

    def test_of_a_log_that_was_not_closed(self):
        made = Made(every=LONG)
        for _ in range(40):
            made.add(processes("a"))
        self.check_not_stated(made, ends=False)

    def test_of_two_packs(self):
        """Both are read in any case."""
        made = Made(every=LONG)
        for _ in range(6):
            made.add(processes("a"))
        self.check_not_stated(made)

    def test_objects_that_are_called_alike_or_not_at_all(self):
        for name in (b"Process", None):
            titles = {**TITLES, GADGET: name}
            made = Made({index: text for index, text in titles.items() if text is not None}, every=LONG)
            for k in range(40):
                made.add(processes("a"), *[object_of(GADGET, [(4, RAWCOUNT, 8)], [(None, [k])])] * (k % 2))
            self.check_not_stated(made, name="log-%s" % name)

    def test_titles_that_change(self):
        """Of an object; what is new, or the name of a counter, changes nothing."""
        for names, is_stated in (({GADGET: b"Gizmo"}, False), ({6: b"Sum"}, True), ({SYSTEM: b"Machine"}, True)):
            made = Made(every=LONG)
            for step in range(60):
                if step == 30:
                    entries = sorted({**TITLES, **names}.items())
                    made.log.record(b"TITL", b"".join(title(i, 0, 9, name) for i, name in entries), made.now())
                made.add(object_of(GADGET, [(4, RAWCOUNT, 8), (6, RAWCOUNT, 8)], [("a", [step, 1])]))
            with self.subTest(names=names):
                _, new = self.pack(made)
                self.assertEqual(bool(self.counts_of(new)), is_stated)
                self.good("verify", new)

    def test_malformed_blocks(self):
        made = Made(every=LONG)
        for k in range(40):
            bad = bytearray(object_of(GADGET, [(4, RAWCOUNT, 8)], [(None, [k])]))
            if k == 20:
                struct.pack_into("<I", bad, 64, 39)  # the length of a definition
            made.add(processes("a"), bytes(bad))
        self.check_not_stated(made, code=2)

    def test_very_many_notes(self):
        """More than 1 MiB of them."""
        made = Made(every=LONG)
        for _ in range(40):
            made.log.record(b"note", note(b"x" * 30_000), made.now())
            made.add(processes("a"))
        self.check_not_stated(made)


class Untrue(CountsCase):
    def setUp(self):
        super().setUp()
        self.old, self.new = self.pack(random_log(0, every=LONG))

    def forge(self, change):
        """The packed log with other counts; all hashes are good."""
        return self.write("forged.plog", with_part(self.new, COUNTS, change))

    def check_reported(self, log):
        r = run("verify", log)
        self.assertEqual(r.code, 2, r)
        self.assertIn("counts contradict the samples before them", r.out)

    def test_a_true_one_is_good(self):
        self.good("verify", self.forge(lambda content: None))

    def test_without_counts(self):
        """As by older writers; and a part that is not known."""
        names = parts_of(self.new)[NAMES]
        for parts in ([names], [names, b""], [b""], [], parts_of(self.new) + [b"more"]):
            log = self.write("other.plog", with_parts(self.new, parts))
            self.good("verify", log)
            self.assertEqual(self.good("list", log).out, self.good("list", self.old).out)

    def test_content_of_every_length(self):
        whole = len(parts_of(self.new)[COUNTS])
        for cut in range(1, whole, 1 if harness.FULL else 7):
            self.check_reported(self.forge(lambda content: content[:cut]))
        self.check_reported(self.forge(lambda content: content + b"\0"))

    def test_every_byte_changed(self):
        for at in range(0, len(parts_of(self.new)[COUNTS]), 1 if harness.FULL else 5):
            def change(content):
                content[at] ^= 0xFF
            self.check_reported(self.forge(change))


if __name__ == "__main__":
    harness.main()
