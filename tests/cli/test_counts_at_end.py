#!/usr/bin/env python3
"""Counts that the end of a packed log states of its segment: perflog info shows what it shows of the samples, without most
of the packs.
"""
import json
import os
import re
import shutil
import struct
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import Case, run
from stated import (COUNTS, DISK, GADGET, NAMES, PROCESS, RATE, RAWCOUNT, START, SYSTEM, TITLES, VALUES, Made, parts_of,
                    random_log, read, with_part, with_parts)
from write_log import SECOND, SESSION, Log, object_of, title

LONG = 700  # seconds between samples, of which a pack has three then
LOGGER, CPU = 21700, 6  # the recorder's own object, and its time in it
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

    def test_an_object_twice_in_a_sample(self):
        """Of an import: it is one sample of it, and each has its instances."""
        made = Made(every=LONG)
        for k in range(40):
            made.add(processes("a"), *[processes("b", "c")] * (k % 2))
        old, new = self.pack(made)
        content = self.counts_of(new)
        self.assertEqual(struct.unpack_from("<IIIIQ", content, 44), (PROCESS, 1, 0, 2, 40))
        self.good("verify", new)
        objects = [json.loads(self.good("info", "--json", log).out)[0]["objects"] for log in (old, new)]
        self.assertEqual(objects[1], objects[0])

    def test_times_that_step_back(self):
        made = Made(every=LONG)
        for k in range(40):
            made.samples = (k + 20) % 40
            made.add(processes("a"))
        old, new = self.pack(made)
        self.assertEqual(struct.unpack_from("<qq", self.counts_of(new), 24), (START, START + 39 * LONG * SECOND))
        self.good("verify", new)
        spans = [[json.loads(self.good("info", "--json", log).out)[0][key] for key in ("first", "last")] for log in (old, new)]
        self.assertEqual(spans[1], spans[0])


def busy_log(seed=0, seq=0, session=SESSION, host=b"web", samples=63):
    """With gaps and notes of all kinds, and what recording cost."""
    made = Made({**TITLES, LOGGER: b"Performance Logger"}, every=LONG, seq=seq, session=session)
    if host != b"web":
        made.log = Log({**TITLES, LOGGER: b"Performance Logger"}, host=host, seq=seq, session=session)
    for k in range(samples):
        if k % 4 == 1:
            made.log.record(b"gaps", gaps(k, k + 1, 1 + k + seed, 1 + k % 8), made.now())
        if k % 5 == 2:
            made.log.record(b"note", note(b"note %d" % k, 1 + k % 5), made.now() + 7)
        if k % 9 == 3:
            made.log.record(b"iden", b"", made.now())
        made.add(processes(*"abcdefg"[:1 + (k + seed) % 7]),
                 object_of(LOGGER, [(CPU, RATE, 8)], [(None, [300_000 * (k + 1) + 500_000 * (k > 0) + seed])]))
    return made


class ShownCase(CountsCase):

    def info(self, *logs):
        """Exit status, lines, and JSON, without what is not the same of the two."""
        text, data = run("info", *logs), run("info", "--json", *logs)
        self.assertEqual(text.code, data.code)
        lines = [re.sub(r"bytes \(|^  Size .*, a sample [0-9]+", "", line) for line in text.out.splitlines()
                 if not re.match(r"/|  Health ", line)]
        hosts = json.loads(data.out)
        whole = [host.pop("read_whole") for host in hosts]
        for host in hosts:
            del host["files"], host["bytes"]
        return text.code, lines, hosts, whole

    def without_samples(self, log):
        """The same with packs that nothing could read, but for the first and the last of each segment."""
        data = bytearray(read(log))
        records = [r[:3] for r in harness.records(log)]
        places = [i for i, r in enumerate(records) if r[0] == "PACK"]
        for i in places:
            if {records[i - 1][0], records[i + 1][0]} <= {"PACK", "indx", "note"}:
                data[records[i][1] + 72 + 30] ^= 0xFF
        return self.write("unreadable-%s" % os.path.basename(log), bytes(data))

    def check_same(self, old, new, is_whole=False, code=0):
        """The same is shown, of the packs too, without most of these."""
        shown, packed = self.info(old), self.info(new)
        self.assertEqual(packed[:3], shown[:3])
        self.assertEqual((packed[3], shown[3]), ([is_whole] * len(packed[3]), [True] * len(shown[3])))
        self.assertEqual(packed[0], code)
        if not is_whole:
            text = self.good("info", new).out if not code else run("info", new).out
            self.assertIn("packed samples that were not" if not code else "verify", text)

    def check_passed(self, old, new):
        self.check_same(old, new)
        hurt = self.without_samples(new)
        self.assertNotEqual(read(hurt), read(new))
        self.check_same(old, hurt)
        self.assertEqual(run("verify", hurt).code, 2)


class Shown(ShownCase):
    """What info shows of a log and of the same one packed."""

    def test_of_random_logs(self):
        for seed in range(24 if harness.FULL else 4):
            with self.subTest(seed=seed):
                self.check_passed(*self.pack(random_log(seed, every=LONG)))

    def test_gaps_notes_and_cost(self):
        old, new = self.pack(busy_log())
        self.assertIn("ms CPU a sample", self.good("info", new).out)
        self.check_passed(old, new)

    def test_what_was_not_read_is_not_called_good(self):
        _, new = self.pack(busy_log())
        self.assertNotIn("good", self.good("info", new).out)
        self.assertIs(json.loads(self.good("info", "--json", new).out)[0]["read_whole"], False)

    def test_of_several_segments(self):
        """One of which is not packed, and one of which states nothing."""
        folder, seq = self.path("logs"), 0
        os.mkdir(folder)
        for k in range(5):
            made = busy_log(k, seq)
            made.save(os.path.join(folder, "a-%03d.plog" % k))
            seq = made.log.seq
        old, segments = shutil.copytree(folder, self.path("old")), sorted(os.listdir(folder))
        for name in segments[:-1]:
            self.good("pack", "-q", os.path.join(folder, name))
        path = os.path.join(folder, segments[1])
        data = with_parts(path, parts_of(path)[:1])
        with open(path, "wb") as f:
            f.write(data)
        self.check_same(old, folder)
        os.remove(os.path.join(folder, segments[2]))
        os.remove(os.path.join(old, segments[2]))
        self.check_same(old, folder)

    def test_of_several_sessions_in_one_file(self):
        """Of one host and of two, packed one by one."""
        for host in (b"web", b"other"):
            pairs = [self.pack(busy_log(k, session=SESSION + k, host=(b"web", host)[k % 2]), "log%d" % k) for k in range(3)]
            for order in ([0, 1, 2], [1, 0], [0, 1, 0]):
                old, new = (self.write(name, b"".join(read(pairs[k][side]) for k in order))
                            for side, name in enumerate(("old.plog", "new.plog")))
                with self.subTest(host=host, order=order):
                    self.check_same(old, new)

    def test_a_log_joined_twice(self):
        """The second one is read in full, to find that it has nothing new."""
        _, new = self.pack(busy_log())
        older = with_parts(new, parts_of(new)[:1])
        self.assertEqual(self.info(self.write("new.plog", read(new) * 2))[:3], self.info(self.write("older.plog", older * 2))[:3])

    def test_a_recording_that_was_not_closed_before_another(self):
        """The first one is read in full."""
        first = self.pack(busy_log(), "first", ends=False)
        second = self.pack(busy_log(1, session=SESSION + 1), "second")
        self.check_same(*(self.write(name, read(first[side]) + read(second[side]))
                          for side, name in enumerate(("old.plog", "new.plog"))))
        self.check_same(*first, is_whole=True)

    def test_packs_of_one_sample(self):
        """The second sample of the session is in the second pack."""
        made = busy_log(samples=0)
        for k in range(8):
            made.every = 3600
            made.add(processes("a"), object_of(LOGGER, [(CPU, RATE, 8)], [(None, [300_000 * (k + 1) + 500_000 * (k > 0)])]))
        old, new = self.pack(made)
        self.assertIn("to start, with the first", self.good("info", new).out)
        self.check_same(old, new)

    def test_older_packed_logs(self):
        """They state no counts, or nothing, and are read in full."""
        old, new = self.pack(busy_log())
        for parts in (parts_of(new)[:1], []):
            self.check_same(old, self.write("older.plog", with_parts(new, parts)), is_whole=True)

    def test_an_empty_log(self):
        old = Made().save(self.path("empty.plog"))
        self.assertIs(json.loads(self.good("info", "--json", old).out)[0]["read_whole"], True)


class Damaged(ShownCase):
    """Where anything that is read is damaged, info reads all, and shows what it shows where nothing is stated."""
    STEP = 1 if harness.FULL else 4  # of so many records one is tried

    def setUp(self):
        super().setUp()
        made = busy_log()
        for step in (20, 40):
            made.log.record(b"TITL", b"".join(title(i, 0, 9, name) for i, name in sorted(
                {**TITLES, LOGGER: b"Performance Logger", 90 + step: b"New"}.items())), made.now())
            for _ in range(20):
                made.add(processes("a"))
        _, self.new = self.pack(made)
        self.older = self.write("older.plog", with_parts(self.new, parts_of(self.new)[:1]))

    def check_as_older(self, change):
        shown = []
        for name, log in (("a.plog", self.older), ("b.plog", self.new)):
            data = bytearray(read(log))
            changed = change(data)
            shown.append(self.info(self.write(name, bytes(data if changed is None else changed))))
        self.assertEqual(shown[1], shown[0])
        return shown[1]

    def test_a_bit_of_each_record(self):
        """Of its header, and of its payload unless that is of a pack that is passed."""
        records = [r[:3] for r in harness.records(self.new)]
        packs = [r for r in records if r[0] == "PACK"]
        self.assertGreater(len(packs), 20)
        for kind, at, length in records[:5] + records[5:-1:self.STEP]:
            for place in (at + 20, at + 60, at + 72, at + length - 9):
                if kind == "PACK" and place > at + 72 and (kind, at, length) not in (packs[0], packs[-1]):
                    continue

                def flip(data):
                    data[place] ^= 4
                with self.subTest(kind=kind, at=at, place=place - at):
                    self.assertEqual(self.check_as_older(flip)[0], 2)

    def test_cut_at_each_record(self):
        for _, at, _ in (r[:3] for r in harness.records(self.new)[1::self.STEP]):
            for left in (at, at + 40, at + 80):
                self.check_as_older(lambda data: data[:left])

    def test_a_record_left_out(self):
        for _, at, length in (r[:3] for r in harness.records(self.new)[1:-1:self.STEP]):
            with self.subTest(at=at):
                self.check_as_older(lambda data: data[:at] + data[at + length:])

    def test_records_exchanged(self):
        packs = [r[1:3] for r in harness.records(self.new) if r[0] == "PACK"]
        (a, m), (b, n) = packs[3], packs[4]
        self.assertEqual(a + m, b)
        self.check_as_older(lambda data: data[:a] + data[b:b + n] + data[a:a + m] + data[b + n:])


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


class Untrue(ShownCase):
    def setUp(self):
        super().setUp()
        self.old, self.new = self.pack(busy_log())

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
            self.check_same(self.old, log, is_whole=not any(parts[1:]))
            self.assertEqual(self.good("list", log).out, self.good("list", self.old).out)

    def test_content_of_every_length(self):
        whole = len(parts_of(self.new)[COUNTS])
        for cut in range(1, whole, 1 if harness.FULL else 23):
            log = self.forge(lambda content: content[:cut])
            self.check_reported(log)
            self.assertIn(run("info", log).code, (0, 2))
        self.check_reported(self.forge(lambda content: content + b"\0"))

    def test_every_byte_changed(self):
        for at in range(0, len(parts_of(self.new)[COUNTS]), 1 if harness.FULL else 23):
            def change(content):
                content[at] ^= 0xFF
            log = self.forge(change)
            self.check_reported(log)
            self.assertIn(run("info", log).code, (0, 2))

    def test_what_contradicts_the_headers_is_not_used(self):
        """Places, numbers of samples, times of first samples, bytes beyond all bounds."""
        for at, value in ((0, 8), (8, 100), (24, START + 1), (32, START + 1), (16, 2**40)):
            def change(content):
                struct.pack_into("<Q", content, at, value)
            with self.subTest(at=at):
                log = self.forge(change)
                self.check_reported(log)
                self.check_same(self.old, log, is_whole=True)

    def test_records_that_none_of_the_packs_has(self):
        """Other types, numbers out of order, and more than there are."""
        def forged(*records):
            return self.forge(lambda content: content[:content.index(b"gaps")] + b"".join(
                struct.pack("<4sIqI", kind, seq, START, len(payload)) + payload for kind, seq, payload in records))
        shown = self.info(self.old)
        titles = [record for record in harness.records(self.new) if record[0] == "SESS"]
        self.assertEqual(len(titles), 1)
        for records in ([], [(b"SESS", 20, bytes(80))], [(b"ends", 20, bytes(24))], [(b"SMPL", 20, bytes(800))],
                        [(b"note", 60, note(b"a")), (b"note", 20, note(b"b")), (b"note", 61, note(b"c"))],
                        [(b"note", 2**32 - 1, note(b"a")), (b"note", 30, note(b"b"))], [(b"gaps", 30, bytes(3))],
                        [(b"note", 30, note(b"x"))] * 5000):
            log = forged(*records)
            self.check_reported(log)
            code, _, hosts, _ = self.info(log)
            self.assertIn(code, (0, 2))
            self.assertEqual(hosts[0]["samples"], shown[2][0]["samples"])
            self.assertEqual(hosts[0]["sessions"], 1)


if __name__ == "__main__":
    harness.main()
