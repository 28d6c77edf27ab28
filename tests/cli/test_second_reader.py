#!/usr/bin/env python3
"""Two readers of one format: perflog and read_log.py refuse, skip and show the same of logs that break its rules."""
import json
import os
import struct
import subprocess
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from bombs import RAWCOUNT, SECOND, START, Bomb, plain, varint, zipped
from crafted import edited, record
from harness import Case, run
from read_pack import PARTS
from read_payload import Cursor, hash_of, unzip
from write_log import block_of, object_of, title

READ_LOG = os.path.join(harness.SUPPORT, "read_log.py")
GOOD, DAMAGED, NEWER = 0, 2, 3
COUNT = [(4, RAWCOUNT, 8)]
DISK_BLOCK = 4096


class Readers(Case):
    def read(self, log, *options):
        done = subprocess.run([*harness.PYTHON, READ_LOG, *options, log], stdout=subprocess.PIPE, universal_newlines=True)
        self.assertIn(done.returncode, (GOOD, DAMAGED, NEWER), done)
        return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]

    def check(self, data, code, samples, *options):
        """Both say so; returns the log's path and what read_log.py found."""
        log = self.write("a.plog", data)
        verified = run("verify", "--json", log)
        self.assertEqual((verified.code, json.loads(verified.out)["samples"]), (code, samples), verified)
        again, found = self.read(log, *options)
        self.assertEqual((again, sum(r["type"] == "SMPL" for r in found)), (code, samples), found)
        return log, found


class Records(Readers):
    def around(self, code, *args, **more):
        """A record between two samples."""
        b = Bomb()
        b.key(plain(0))
        b.put(*args, **more)
        b.key(plain(1), utc=START + SECOND)
        return self.check(b.done()[0], code, 2)

    def test_codecs_that_a_type_does_not_have(self):
        for kind in b"TITL", b"iden":
            for codec in 2, 3, 4, 9:
                with self.subTest(kind=kind, codec=codec):
                    self.around(NEWER, kind, bytes(32), codec=codec)
        for kind in b"gaps", b"note", b"indx", b"ends":
            with self.subTest(kind=kind):
                self.around(NEWER, kind, bytes(72), codec=1)

    def test_payloads_shorter_than_their_fields(self):
        for kind in b"gaps", b"note", b"indx", b"ends":
            with self.subTest(kind=kind):
                self.around(DAMAGED, kind, b"abc"[:1 if kind == b"note" else 3])

    def test_flags_that_must_be_understood_leave_the_rest_of_the_session(self):
        data = Bomb()
        data.key(plain(0))
        data = data.done()[0]

        def flag(header, _):
            header[23] = 0x10
        self.check(edited(data, 0, flag), NEWER, 1)

    def test_titles_count_up_to_an_error(self):
        def names(*keys):
            return b"".join(title(*key, b"Name %d" % i) for i, key in enumerate(keys))

        first, second, many = (2, 0, 9), (4, 0, 9), [(2, 0, 9), (4, 0, 9)] + [(i, 1, 9) for i in range(5, 262_148)]
        for keys, code in (((first, second), GOOD), ((second, first), DAMAGED), ((first, first), DAMAGED),
                           ((first, (3, 7, 1), (2, 9, 1), second), GOOD), (many[:-1], GOOD), (many, DAMAGED)):
            with self.subTest(keys=keys[:4]):
                b = Bomb()
                b.put(b"TITL", names(*keys))
                b.key(plain(0))
                log, found = self.check(b.done()[0], code, 1, "--values")
                exported = harness.long_rows(run("export", "-q", "--layout", "long", log).out)
                shown, = [r["values"] for r in found if r["type"] == "SMPL"]
                self.assertEqual([(r["Object"], r["Counter"]) for r in exported],
                                 [("#" * v[0].isdigit() + v[0], "#" * v[3].isdigit() + v[3]) for v in shown])


class Files(Readers):
    SESSIONS = 0x1122334455667788, 0x9988776655443322

    def session(self, who, begin, utc, place=0, root=None):
        def tag(number, value):
            return struct.pack("<HHI", number, 0, len(value)) + value

        payload = tag(1, b"web") + tag(25, struct.pack("<QQ", self.SESSIONS[who] if root is None else root, place))
        data = record(b"SESS", self.SESSIONS[who], 0, payload, utc)
        return data + b"".join(record(b"SMPL", self.SESSIONS[who], 1 + k, plain(begin + k), utc + k * SECOND)
                               for k in range(3))

    def test_an_older_log_at_a_disk_block_is_another_files(self):
        new = self.session(0, 0, START + 100 * SECOND)
        torn = record(b"SMPL", self.SESSIONS[0], 4, plain(9), START)[:100]
        for behind, utc, samples in (0, START, 3), (8, START, 6), (0, START + 200 * SECOND, 6):
            with self.subTest(behind=behind, utc=utc):
                hole = torn + b"\x55" * (DISK_BLOCK + behind - len(new) - len(torn))
                self.check(new + hole + self.session(1, 10, utc), DAMAGED, samples)

    def test_a_root_of_zero_is_none(self):
        self.check(self.session(0, 0, START, root=0) + self.session(1, 10, START, place=DISK_BLOCK, root=0), GOOD, 6)


class Packs(Readers):
    """A pack of 6 samples, with a note behind the third; then a session with one."""

    def setUp(self):
        super().setUp()
        b = Bomb()
        for k in range(6):
            b.key(plain(k, value=k * k), utc=START + k * SECOND)
            if k == 2:
                b.put(b"note", struct.pack("<HH", 4, 0) + b"here")
        log = self.write("packed.plog", b.done()[0])
        self.good("pack", "-q", log)
        with open(log, "rb") as f:
            self.data = f.read()
        self.at = next(at for kind, at, *_ in harness.records(log) if kind == "PACK")
        header = self.data[self.at:self.at + 72]
        self.session, self.seq = struct.unpack_from("<QI", header, 8)
        stored, raw = struct.unpack_from("<II", header, 40)
        payload = self.data[self.at + 72:self.at + 72 + stored]
        self.head = list(struct.unpack_from("<IIqq", payload))
        c = Cursor(unzip(payload[24:], raw, raw))
        lengths = [c.varint() for _ in PARTS]
        self.parts = {name: c.take(n) for name, n in zip(PARTS, lengths)}

    def forged(self, head=None, **parts):
        parts = dict(self.parts, **parts)
        content = b"".join(varint(len(parts[name])) for name in PARTS) + b"".join(parts[name] for name in PARTS)
        b = Bomb(session=self.session)
        del b.parts[:]
        b.put(b"PACK", struct.pack("<IIqq", *(head or self.head)) + zipped(content), len(content),
              hash_of(self.session, content), codec=5, ref=6, session=self.session, seq=self.seq)
        behind = Bomb(session=self.session + 1)
        behind.put(b"SMPL", plain(7), session=behind.session)
        return self.data[:self.at] + b.done()[0] + behind.done()[0]

    def test_heads(self):
        records, samples, first, last = self.head
        self.check(self.forged(), GOOD, 6 + 1)
        for head, num in (((records, 0, first, last), 0), ((samples - 1, samples, first, last), 0),
                          ((4097, samples, first, last), 0), ((records, samples, last, first), 0),
                          ((records, samples, first + 1, last), 0), ((records, samples, first, last - 1), 5)):
            with self.subTest(head=head):
                self.check(self.forged(head), DAMAGED, num + 1)

    def test_kinds_and_hashes(self):
        kinds, hashes = self.parts["kinds"], self.parts["hashes"]
        for code, num, parts in ((GOOD, 6, {"hashes": hashes + b"abc"}), (DAMAGED, 0, {"hashes": hashes + b"abcd"}),
                                 (DAMAGED, 0, {"kinds": kinds + b"\x10"}),
                                 (DAMAGED, 2, {"kinds": kinds[:2] + bytes([kinds[2] | 0x40]) + kinds[3:]}),
                                 (DAMAGED, 0, {"kinds": bytes([kinds[0] & ~0x20]) + kinds[1:]})):
            with self.subTest(parts=parts):
                self.check(self.forged(**parts), code, num + 1)

    def test_series_and_their_runs(self):
        far = self.parts["series"][:-1] + varint(4000)
        none = bytes(len(self.parts["forms"]))
        c = Cursor(self.parts["runs"])
        still, moving = c.varint(), c.varint()
        rest = self.parts["runs"][c.at:]
        for parts in ({"series": far}, {"forms": none}, {"runs": varint(still) + varint(0) + rest},
                      {"runs": varint(still + 7) + varint(moving) + rest}, {"runs": b""}, {"changes": b""}):
            with self.subTest(parts=parts):
                self.check(self.forged(**parts), DAMAGED, 0 + 1)

    def test_layouts(self):
        for layouts in (b"", varint(67_108_865) + self.parts["layouts"][1:], self.parts["layouts"][:-1]):
            with self.subTest(layouts=layouts):
                self.check(self.forged(layouts=layouts), DAMAGED, 0 + 1)


class Blocks(Readers):
    def shown(self, data, code, options=()):
        """The values of both, which are the same; what read_log.py says is malformed."""
        b = Bomb()
        b.put(b"SMPL", data)
        log, found = self.check(b.done()[0], code, 1, "--values")
        sample, = [r for r in found if r["type"] == "SMPL"]
        rows = harness.long_rows(run("export", "-q", "--layout", "long", log).out)
        values = [(v[2] or "", str(v[5])) for v in sample["values"]]
        self.assertEqual([(r["Instance"], r["Value"]) for r in rows if r["Value"]], values)
        self.assertEqual("malformed" in sample, code == DAMAGED)
        return values

    def block(self, objects, behind=b"", length=None):
        data = bytearray(block_of(objects, 1, 10_000_000, 116444736000000000) + behind)
        if length is not None:
            struct.pack_into("<I", data, 20, length)
        return bytes(data)

    def put(self, data, at, layout, *values):
        out = bytearray(data)
        struct.pack_into("<" + layout, out, at, *values)
        return bytes(out)

    def test_values(self):
        good = object_of(2, COUNT, [("a", [5]), ("b", [6])])
        self.assertEqual(self.shown(self.block([good]), GOOD), [("a", "5"), ("b", "6")])
        for offset, there in ((0, False), (3, False), (4, True), (9, False)):
            with self.subTest(offset=offset):
                values = self.shown(self.block([self.put(good, 64 + 36, "I", offset)]), GOOD)
                self.assertEqual(len(values), 2 * there)

    def test_texts(self):
        def texts(kind, page, size=8, raw=b"R\0\xe4\0z\0\0\0"):
            data = object_of(2, [(4, kind, size)], [(None, [int.from_bytes(raw, "little")])])
            return self.block([self.put(data, 44, "I", page)])

        self.assertEqual(self.shown(texts(0xB00, 0), GOOD), [("", "Räz")])
        self.assertEqual(self.shown(texts(0xB00, 0, 4), GOOD), [("", "Rä")])
        for page, text in (1252, "Rä"), (437, "RΣ"), (0, "R\ufffd"), (12345, "R\ufffd"):
            self.assertEqual(self.shown(texts(0x10B00, page, raw=b"R\xe4\0zzzzz"), GOOD), [("", text)])

    def test_names_are_of_the_objects_code_page(self):
        data = self.put(object_of(2, COUNT, [("ab", [5])]), 44, "I", 1252)
        data = data.replace("ab\0".encode("utf-16-le"), b"\xe4b\0\0\0\0")
        self.assertEqual(self.shown(self.block([data]), GOOD), [("äb", "5")])

    def test_an_instance_without_a_name_is_called_by_its_number(self):
        good = object_of(2, COUNT, [("a", [5])])
        for at, n in (0, 0), (24, 0), (24, 4):
            for number, name in (-1, "a" if n else ""), (7, "a" if n else "7"):
                with self.subTest(at=at, n=n, number=number):
                    data = self.put(self.put(good, 104 + 12, "i", number), 104 + 16, "2I", at, n)
                    self.assertEqual(self.shown(self.block([data]), GOOD), [(name, "5")])
        for at, n in (20, 4), (24, 100), (200, 0):
            with self.subTest(at=at, n=n):
                self.shown(self.block([self.put(good, 104 + 16, "2I", at, n)]), DAMAGED)

    def test_counter_blocks_of_several_lengths(self):
        one, two = object_of(2, COUNT, [("a", [5])]), object_of(2, COUNT + [(6, RAWCOUNT, 8)], [("b", [6, 0])])
        for kind, code, num in ((RAWCOUNT, DAMAGED, 1), (0x10300, GOOD, 2)):
            both = one + two[64 + 80:]
            both = self.put(self.put(both, 0, "I", len(both)), 40, "i", 2)
            with self.subTest(kind=kind):
                self.assertEqual(len(self.shown(self.block([self.put(both, 64 + 28, "I", kind)]), code)), num)

    def test_what_follows_the_last_object(self):
        good = object_of(2, COUNT, [(None, [5])])
        size = len(self.block([good]))
        for behind, length, code in ((b"1234567", size + 7, GOOD), (bytes(64), size + 64, GOOD),
                                     (b"x" * 64, size + 64, DAMAGED), (b"x" * 64, size + 63, GOOD),
                                     (b"x" * 64, size, GOOD)):
            with self.subTest(behind=behind, length=length):
                self.assertEqual(self.shown(self.block([good], behind, length), code), [("", "5")])

    def test_a_block_that_ends_before_its_objects(self):
        good = object_of(2, COUNT, [(None, [5])])
        size = len(self.block([good]))
        for length, code in (size, GOOD), (size - 1, GOOD), (size + 1, DAMAGED):
            with self.subTest(length=length):
                self.assertEqual(self.shown(self.put(self.block([good], length=length), 28, "I", 2), code), [("", "5")])

    def test_one_counter_block_without_instances(self):
        """In the headers of before there was a clock, of 48 bytes, or up to 63."""
        good = object_of(2, COUNT, [(None, [5])])
        for head, count, values in ((48, 0, 1), (56, 0, 1), (56, -1, 1), (64, -1, 1)):
            data = good[:48] + bytes(head - 48) + good[64:]
            data = self.put(self.put(data, 0, "3I", len(data), head + 40, head), 40, "i", count)
            with self.subTest(head=head, count=count):
                self.assertEqual(len(self.shown(self.block([data]), GOOD)), values)
        self.shown(self.block([self.put(good, 40, "i", 0)]), DAMAGED)

    def test_limits(self):
        empty = object_of(2, [], [(None, [])])
        objects = [empty] * 16_384
        self.shown(self.block(objects), GOOD)
        self.shown(self.block(objects + [empty]), DAMAGED)
        shared = self.put(object_of(2, COUNT, [("a", [5])] * 200), 64 + 36, "I", 8)
        definition = shared[64:104]
        room = len(shared) - 104
        most = (room + 4096) // 200
        for num, code in ((most, GOOD), (most + 1, DAMAGED)):
            data = shared[:64] + definition * num + shared[104:]
            data = self.put(self.put(data, 0, "2I", len(data), 64 + 40 * num), 32, "I", num)
            b = Bomb()
            b.put(b"SMPL", self.block([data]))
            with self.subTest(num=num):
                self.check(b.done()[0], code, 1, "--values")

    def test_an_object_that_breaks_off_costs_no_other(self):
        broken = object_of(2, COUNT, [("a", [5]), ("b", [6])])
        at = broken.index("b\0".encode("utf-16-le")) - 24
        data = self.block([self.put(broken, at, "I", 8), object_of(8, COUNT, [("c", [7])])])
        self.assertEqual(self.shown(data, DAMAGED), [("a", "5"), ("c", "7")])


if __name__ == "__main__":
    harness.main()
