#!/usr/bin/env python3
"""perflog import: made blocks, whole, cut and damaged."""
import json
import os
import signal
import struct
import subprocess
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import PROGRAM, run, wait_until
from importing import Importing, blocks_in
from make_block import (AVERAGE_BASE, AVERAGE_TIMER, RAWCOUNT, TIMER_100NS, make_block, make_object,
                        simple, write_block)
from read_block import read_block
import write_blg


class Made(Importing):
    def series(self, *seconds, **more):
        return [write_block(simple(t, **more)) for t in seconds]

    def test_samples_and_titles(self):
        log, said = self.load_blocks(*self.series(0, 1, 2))
        self.assertIn("3 samples over 2s, 1 object, from 3 blocks of 1 machine; 3 titles", said)
        self.assertEqual(self.values(log, "Queue"), [(0, "0"), (1, "1"), (2, "2")])
        self.assertEqual(self.values(log, "Switches/sec"), [(0, "first"), (1, "10"), (2, "10")])
        self.good("verify", "-q", log)
        self.assertEqual(os.stat(log).st_mode & 0o777, 0o600)

    def test_a_single_block_stays_as_it_is(self):
        blocks = self.series(0, 1)
        blocks[0] = blocks[0][:20] + struct.pack("<I", 8) + blocks[0][24:]  # a wrong total
        log, _ = self.load_blocks(*blocks)
        os.mkdir(self.path("raw"))
        self.assertEqual(blocks_in(log, self.path("raw"))[0], blocks)

    def test_total_length_may_be_wrong(self):
        """Samba leaves out the header; others count too much, or nothing."""
        for wrong in (0, 20, -112, -8, +8, +100000, 1 << 31):
            blocks = []
            for block in self.series(0, 1, 2):
                total, = struct.unpack_from("<I", block, 20)
                stated = max(total + wrong, 0) & 0xFFFFFFFF
                blocks.append(block[:20] + struct.pack("<I", stated) + block[24:])
            with self.subTest(wrong=wrong):
                log, _ = self.load_blocks(*blocks, name="%d.plog" % wrong)
                self.assertEqual(self.values(log, "Queue"), [(0, "0"), (1, "1"), (2, "2")])

    def test_number_of_objects_may_be_wrong(self):
        blocks = [block[:28] + struct.pack("<I", 3) + block[32:] for block in self.series(0, 1, 2)]
        log, said = self.load_blocks(*blocks)
        self.assertEqual(self.values(log, "Queue"), [(0, "0"), (1, "1"), (2, "2")])
        self.assertEqual(said.count("\n"), 1, said)

    def test_packed_header_of_1992(self):
        """Without the 4 bytes before PerfTime; the name then lies at 84."""
        blocks = []
        for block in self.series(0, 1):
            packed = block[:52] + block[56:80] + struct.pack("<II", 10, 84) + block[88:100]
            packed = packed.ljust(96, b"\0")
            objects = block[struct.unpack_from("<I", block, 24)[0]:]
            packed = packed[:20] + struct.pack("<II", 96 + len(objects), 96) + packed[28:]
            blocks.append(packed + objects)
        log, _ = self.load_blocks(*blocks)
        self.assertEqual(self.values(log, "Switches/sec"), [(0, "first"), (1, "10")])
        self.assertEqual({row["Host"] for row in self.rows(log)}, {"HOST"})

    def test_padding_is_no_damage(self):
        a, b, c = self.series(0, 1, 2)
        log, _ = self.load_blocks(a, bytes(5000), b, bytes(3), c, bytes(100000))
        self.assertEqual(len(self.values(log, "Queue")), 3)

    def test_objects_twice_are_taken_once(self):
        first, again = simple(0), simple(0)
        again["objects"][0]["instances"][0]["values"] = [77, 0]
        log, said = self.load_blocks(write_block(first), write_block(again), *self.series(1))
        self.assertIn("1 object occurred twice at one time; the first was taken", said)
        self.assertEqual(self.values(log, "Queue"), [(0, "0"), (1, "1")])

    def test_blocks_of_one_time_become_one_sample(self):
        other = make_object(4, [(24, RAWCOUNT)], {None: [5]})
        blocks = []
        for t in (0, 1):
            blocks += [write_block(simple(t)), write_block(make_block(t, [other]))]
        log, said = self.load_blocks(*blocks)
        self.assertIn("2 samples over 1s, 2 objects, from 4 blocks", said)
        self.assertEqual(self.values(log, "#24"), [(0, "5"), (1, "5")])
        os.mkdir(self.path("raw"))
        for raw in blocks_in(log, self.path("raw"))[0]:
            block = read_block(raw)
            self.assertEqual((block["NumObjectTypes"], block["TotalByteLength"], block["error"]),
                             (2, len(raw), None))

    def test_merged_in_big_endian(self):
        other = make_object(4, [(24, RAWCOUNT)], {None: [5]})
        log, _ = self.load_blocks(write_block(simple(0), True),
                                  write_block(make_block(0, [other]), True))
        os.mkdir(self.path("raw"))
        block = read_block(blocks_in(log, self.path("raw"))[0][0])
        self.assertEqual((block["NumObjectTypes"], len(block["objects"]), block["error"]),
                         (2, 2, None))
        with open(log, "rb") as f:
            self.assertIn(b"big import", f.read())

    def test_machines_are_sessions(self):
        log, said = self.load_blocks(
            *[write_block(simple(t, host=h)) for t in (0, 1, 2) for h in ("B", "A")])
        self.assertIn("6 samples over 2s, 1 object, from 6 blocks of 2 machines", said)
        self.assertEqual([(i["host"], i["sessions"]) for i in json.loads(run("info", "--json", log).out)],
                         [("B", 1), ("A", 1)])
        self.assertEqual(self.good("export", "-q", log).out.count("\n"), 4)
        rows = self.rows(log)
        for host in "AB":
            self.assertEqual([r["Value"] for r in rows
                              if r["Host"] == host and r["Counter"] == "Switches/sec" and
                              r["Status"] != "absent"],
                             ["", "10", "10"])
        self.assertEqual(rows[0]["Host"], "B")  # which appeared first

    def test_started_anew_is_a_session(self):
        log, _ = self.load_blocks(*self.series(0, 1), *self.series(5, 6, boot=-4))
        self.assertEqual(self.info(log)["sessions"], 2)
        self.assertEqual(self.values(log, "Switches/sec"),
                         [(0, "first"), (1, "10"), (5, "first"), (6, "10")])

    def timer(self, at, wall):
        """100 ns of work in each µs by PerfTime, at a second of PerfTime and one of the wall."""
        work = make_object(2, [(44, TIMER_100NS)], {None: [at * 1_000_000]})
        block = make_block(wall, [work])
        block["PerfTime"] = 1_000_000 * (at + 100)
        return write_block(block)

    def test_clock_set_back_and_forth(self):
        """The file's order rules; what counts in wall time is blank across the step."""
        log, _ = self.load_blocks(*[self.timer(at, wall) for at, wall in
                                    ((0, 0), (1, 1), (2, -58), (3, -57), (4, 20), (5, 21))])
        rows = [(round(float(r["Time"]) - 1767225600), r["Value"] or r["Status"])
                for r in self.rows(log)]
        self.assertEqual(rows, [(0, "first"), (1, "10"), (-58, "clock_step"), (-57, "10"),
                                (20, "clock_step"), (21, "10")])
        self.assertEqual(self.info(log)["clock_steps"], 2)
        self.assertEqual(self.info(log)["sessions"], 1)

    def test_files_are_merged_by_time(self):
        a = self.write("a", b"".join(self.series(0, 2, 4)))
        b = self.write("b", b"".join(self.series(1, 3)))
        log, _ = self.load(b, a)
        self.assertEqual([t for t, _ in self.values(log, "#44")], [0, 1, 2, 3, 4])

    def test_time_without_perf_time_100ns(self):
        blocks = [write_block(simple(t, PerfTime100nSec=0)) for t in (0, 1.5)]
        log, _ = self.load_blocks(*blocks)
        self.assertEqual([t for t, _ in self.values(log, "Queue")], [0, 1.5])

    def test_no_time_at_all(self):
        block = write_block(simple(0, PerfTime100nSec=0, SystemTime=[0] * 8))
        log, said = self.load_blocks(block, *self.series(1), code=2)
        self.assertIn("blocks.bin: byte 0: a block without a time; %d bytes left out"
                      % len(block), said)
        self.assertEqual([t for t, _ in self.values(log, "Queue")], [1])

    def test_absurd_clocks(self):
        for name, more in (("far", {"PerfTime100nSec": (1 << 63) - 1}),
                           ("negative", {"PerfTime100nSec": -5}),
                           ("ticks", {"PerfTime": -(1 << 63), "PerfFreq": -(1 << 63)}),
                           ("fast", {"PerfTime": (1 << 63) - 1, "PerfFreq": 1}),
                           ("none", {"PerfTime": 0, "PerfFreq": 0})):
            with self.subTest(name):
                log, _ = self.load_blocks(write_block(simple(0, **more)),
                                          write_block(simple(1, **more)), name=name + ".plog")
                self.assertEqual(self.values(log, "Queue"), [(0, "0"), (1, "1")])

    def test_zones(self):
        for east in (-570, -240, 0, 330, 345, 840):
            with self.subTest(east=east):
                log, _ = self.load_blocks(write_block(simple(0.999, east=east)),
                                          name="%d.plog" % east)
                with open(log, "rb") as f:
                    self.assertIn(struct.pack("<HHIi", 13, 0, 4, east), f.read())
        log, _ = self.load_blocks(write_block(simple(0, east=8)), name="odd.plog")
        with open(log, "rb") as f:
            self.assertIn(struct.pack("<HHIi", 13, 0, 4, 0), f.read())


def blg_file():
    """A log of Performance Monitor with one value."""
    entry = write_blg.entry(r"\\pc", "X", None, "g", RAWCOUNT)
    log = write_blg.Log().message(write_blg.LIST, write_blg.START - 10, write_blg.counter_list(entry))
    return log.message(write_blg.SAMPLE, write_blg.START, write_blg.sample(write_blg.item(1))).data()


class Wrong(Importing):
    """Files that are not what they should be."""

    def block(self, t=0):
        return write_block(simple(t))

    def test_a_text_file(self):
        name = self.write("letter.txt", b"Dear Sir or Madam,\nPERF P E R F\n" * 1000)
        r = run("import", name, "-o", self.path("out.plog"))
        self.assertEqual(r.code, 4, r)
        self.assertIn("letter.txt: nothing in it is a performance data block", r.err)
        self.assertFalse(os.path.exists(self.path("out.plog")))

    def test_an_empty_file(self):
        r = run("import", self.write("empty"), "-o", self.path("out.plog"))
        self.check_one_line(r, 4, "empty: the file is empty")

    def test_one_bad_file_among_good_ones(self):
        bad = self.write("letter.txt", b"Dear Sir\n")
        log, said = self.load(bad, self.write("good", self.block()), code=2)
        self.assertIn("letter.txt: ", said)
        self.assertEqual(len(self.values(log, "#44")), 1)

    def look_alike(self):
        """A block whose time has the bytes that mark the first event of a .blg: one in 256 does."""
        block = bytearray(self.block())
        block[0x48:0x50] = struct.pack("<Q", struct.unpack_from("<Q", block, 0x48)[0] & ~0xFFFF0000 | 0x80010000)
        return bytes(block)

    def test_a_block_that_looks_like_a_blg_is_a_block(self):
        self.assertEqual(self.look_alike()[0x4A:0x4C], b"\1\x80")
        log, _ = self.load(self.write("a", self.look_alike()), self.write("b", self.block(3600)))
        self.assertEqual(len(self.values(log, "#44")), 2)

    def test_logs_among_blocks_are_named_and_left_out(self):
        blg = self.write("a.blg", blg_file())
        log, said = self.load(self.write("a", self.block()), blg, code=2)
        self.assertEqual(said.count("a.blg: "), 1, said)
        self.assertIn("a.blg: a log of Windows among performance data blocks", said)
        self.assertEqual(len(self.values(log, "#44")), 1)
        log, said = self.load(blg, self.write("b", self.block()), self.write("c.txt", b"Dear Sir"), code=2,
                              name="logs.plog")
        for name in "b", "c.txt":
            self.assertIn("/%s: no log of Windows, as the others are" % name, said)
        self.assertIn("from 1 file\n", said)
        self.good("verify", log)

    def test_logs_that_are_none_are_named_and_left_out(self):
        blg = self.write("a.blg", blg_file())
        false = self.write("false.csv", b'"(PDH-CSV 4.0) (UTC)(0)","\\x"\r\n')
        log, said = self.load(false, blg, false, code=2)
        self.assertEqual(said.count("false.csv: begins like a log of Windows, but is none"), 2, said)
        self.good("verify", log)
        self.refused(4, "import", false, "-o", self.path("none.plog"), says="false.csv: begins like")
        hurt = self.write("hurt.blg", b"\0\x10\0\0" + bytes(0x44) + b"\x50\0\1\x80" + bytes(5000))
        log, said = self.load(blg, hurt, code=2, name="hurt.plog")
        self.assertIn("/hurt.blg: damaged: ", said)
        self.refused(1, "import", blg, self.path("gone.blg"), "-o", self.path("none.plog"), says="No such file")

    def test_blocks_inside_garbage(self):
        a, b = self.block(0), self.block(1)
        junk = b"PERF\0P\0E\0R\0F" + bytes(range(256)) * 300 + "PERF".encode("utf-16-le") * 50
        log, said = self.load_blocks(junk, a, junk, b, junk, code=2)
        self.assertEqual(self.values(log, "Queue"), [(0, "0"), (1, "1")])
        for at in (0, len(junk + a), len(junk + a + junk + b)):
            self.assertIn("blocks.bin: byte %d: no performance data block; %d bytes left out\n"
                          % (at, len(junk)), said)
        self.assertEqual(said.count("left out"), 3, said)

    def test_garbage_in_big_endian(self):
        a = write_block(simple(0), True)
        for before in (b"x", b"\0", b"\0\0\0\0x", b"x" * 65530, b"x" * 65529, b"x" * 65528,
                       b"x" * 65535):
            with self.subTest(len(before)):
                name = "%d%s.plog" % (len(before), before[:1].hex())
                log, _ = self.load_blocks(before, a, name=name, code=0 if before == b"\0" else 2)
                self.assertEqual(self.values(log, "Queue"), [(0, "0")])

    def test_a_name_that_looks_like_a_block(self):
        parts = make_object(230, [(44, RAWCOUNT)], {"PERF": [1], "PERFMON": [2]})
        block = write_block(make_block(0, [parts]))
        log, _ = self.load_blocks(block)
        self.assertEqual(self.values(log, "Queue"), [(0, "1"), (0, "2")])
        log, said = self.load_blocks(block[:-8], block[:200], code=4, name="cut.plog")
        self.assertIn("nothing in it is", said)

    def test_cut_blocks_keep_whole_objects(self):
        more = make_object(4, [(24, RAWCOUNT)], {None: [5]})
        block = write_block(make_block(0, [simple(0)["objects"][0], more]))
        log, said = self.load_blocks(block[:-4], self.block(1), code=2)
        self.assertIn("byte 0: a block with 1 of 2 objects: ", said)
        self.assertEqual(self.values(log, "Queue"), [(0, "0"), (1, "1")])
        log, said = self.load_blocks(block[:-4], code=2, name="end.plog")
        self.assertIn("byte 0: a block with 1 of 2 objects: it is cut", said)
        os.mkdir(self.path("raw"))
        kept = read_block(blocks_in(log, self.path("raw"))[0][0])
        self.assertEqual((kept["NumObjectTypes"], len(kept["objects"]), kept["error"]),
                         (1, 1, None))

    def test_an_object_that_contradicts_itself_is_left_out(self):
        bad = make_object(4, [(24, RAWCOUNT)], {"x": [5]})
        block = bytearray(write_block(make_block(0, [bad, simple(0)["objects"][0]])))
        at, = struct.unpack_from("<I", block, 24)
        struct.pack_into("<I", block, at + 64 + 40, 7)  # no instance is so short
        log, said = self.load_blocks(block, code=2)
        self.assertIn("byte %d: object 4 contradicts itself; it is left out" % at, said)
        self.assertEqual({r["Object"] for r in self.rows(log)}, {"System"})
        self.good("verify", "-q", log)

    def test_many_complaints_are_few_lines(self):
        log, said = self.load_blocks(*[self.block(t) + b"junk" for t in range(50)], code=2)
        self.assertEqual(said.count("left out"), 10)
        self.assertIn("and so on: 40 more", said)
        self.assertEqual(len(self.values(log, "Queue")), 50)
        self.assertIn("left out: 200 bytes in 50 places", run("info", log).out)

    def test_largest_block(self):
        many = {"%06d" % i: [i] for i in range(2000)}
        big = write_block(make_block(0, [make_object(230, [(44, RAWCOUNT)], many)]))
        self.assertGreater(len(big), 65536)
        log, _ = self.load_blocks(big, self.block(1))
        self.assertEqual(len([v for v in self.values(log, "Queue") if v[1] != "absent"]), 2001)
        log, said = self.load(self.write("b", big + self.block(1)), code=2, name="less.plog",
                              args=("--max-block", "64K"))
        self.assertIn("longer than --max-block", said)
        self.assertEqual(self.values(log, "#44"), [(1, "1")])

    def test_false_headers_cost_linear_time(self):
        """Headers one in the other, each claiming to reach far."""
        head = bytearray(self.block()[:112])
        struct.pack_into("<II", head, 20, 50_000_000, 104)
        struct.pack_into("<I", head, 28, 1000)
        name = self.write("nested", bytes(head) * 40000 + self.block())
        start = os.times()
        log, _ = self.load(name, code=2)
        used = os.times()
        self.assertLess(used.children_user - start.children_user, 20)
        self.assertEqual(len(self.values(log, "#44")), 1)

    def test_titles_of_another_machine(self):
        titles = self.write("titles", b"9000\tSomething\n9002\tElse\n")
        self.refused(1, "import", "--titles", titles, self.write("b", self.block()), "-o",
                     self.path("out.plog"), says="none of its 2 titles is used in these blocks")

    def test_titles_that_are_none(self):
        good = self.write("b", self.block())
        for content in (b"", b"hello\n", bytes(1000), b"\xff\xfe", os.urandom(999)):
            self.refused(1, "import", "--titles", self.write("t", content), good, "-o",
                         self.path("out.plog"), says="t: no")
        self.refused(1, "import", "--titles", self.path("not-there"), good, "-o",
                     self.path("out.plog"), says="No such file")

    def test_lines_of_titles(self):
        text = "\ufeff# a comment\r\n\r\n2\tSystème\r\n44 Queue\r\n0\tx\r\n146\t\r\n" \
               "99999999999\ty\r\n44\tOld\r\n44\tNew"
        titles = self.write("t", text.encode())
        log, said = self.load(self.write("b", self.block()), args=("--titles", titles))
        self.assertIn("t: 4 entries are no titles and were left out", said)
        self.assertEqual({(r["Object"], r["Counter"]) for r in self.rows(log)},
                         {("Système", "New"), ("Système", "#146")})

    def test_a_log_of_perflog(self):
        log = self.path("mine.plog")
        self.record(log, "-c", "System", "-i", "10ms", "-n", "2")
        self.refused(1, "import", log, "-o", self.path("new.plog"), says="is a log of perflog already")
        with open(log, "rb") as f:
            self.refused(1, "import", "-", "-o", self.path("new.plog"), stdin=f,
                         says="standard input: is a log of perflog already")

    def test_outputs_that_are_refused(self):
        block = self.write("b", self.block())
        self.refused(1, "import", block, "-o", block, says="is one of the inputs")
        self.refused(1, "import", block, "-o", self.write("there"), says="it exists")
        self.refused(1, "import", block, "-o", "-", says="a log is a file")
        self.refused(1, "import", block, "-o", self.path("no", "x"), says="No such file")
        self.refused(1, "import", block, says="name the log to make")
        self.refused(1, "import", "-o", self.path("x"), says="name files")
        self.refused(1, "import", self.folder, "-o", self.path("x"), says="is a folder")
        self.refused(1, "import", self.path("gone"), "-o", self.path("x"), says="No such file")
        self.refused(1, "import", "-", "-", "-o", self.path("x"), says="only once")
        for size in ("0", "65M", "x"):
            self.refused(1, "import", block, "-o", self.path("x"), "--max-block", size,
                         says="give a size")

    def test_interrupted_leaves_nothing(self):
        name = self.write("many", b"".join(self.block(t) for t in range(20000)))
        process = subprocess.Popen([PROGRAM, "import", "-q", name, "-o", self.path("out.plog")])
        wait_until(lambda: os.path.exists(self.path("out.plog.part")) or
                   process.poll() is not None, "it writes")
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(harness.TIMEOUT), -signal.SIGTERM)
        self.assertEqual(os.listdir(self.folder), ["many"])

    def test_interrupted_while_reading_standard_input(self):
        process = subprocess.Popen([PROGRAM, "import", "-q", "-", "-o", self.path("out.plog")],
                                   stdin=subprocess.PIPE,
                                   env=dict(os.environ, TMPDIR=self.folder))
        wait_until(lambda: os.listdir(self.folder) or process.poll() is not None, "it copies")
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(harness.TIMEOUT), -signal.SIGINT)
        process.stdin.close()
        self.assertEqual(os.listdir(self.folder), [])

    def test_standard_input_leaves_nothing_behind(self):
        self.good("import", "-q", "-", "-o", self.path("out.plog"), data=self.block(),
                  env=dict(os.environ, TMPDIR=self.folder))
        self.assertEqual(os.listdir(self.folder), ["out.plog"])

    def test_more_than_a_sample_takes(self):
        """Objects of one time that together exceed the largest block of a log."""
        blocks = []
        for index in (10, 12, 14):
            data = struct.pack("<I", 30 << 20).ljust(30 << 20, b"\0")
            big = struct.pack("<8IIiiI", 48 + len(data), 48, 48, index, 0, 0, 0, 100, 0, 0, 0, 0)
            empty = write_block(make_block(0, []))
            blocks.append(empty[:20] + struct.pack("<III", len(empty + big + data), 104, 1) +
                          empty[32:] + big + data)
        log, said = self.load(self.write("b", b"".join(blocks)), code=2)
        self.assertIn("1 objects were left out: a sample takes 16384 objects and 64 MiB", said)
        self.good("verify", "-q", log)

    def test_any_damage_is_survived(self):
        """Flipped bytes anywhere: whatever is imported can be read again."""
        import random
        rng = random.Random(5)
        parts = make_object(230, [(44, RAWCOUNT), (146, AVERAGE_TIMER), (148, AVERAGE_BASE)],
                            {"a": [1, 2, 3], "b": [4, 5, 6]})
        clean = b"".join(write_block(make_block(t, [parts, simple(t)["objects"][0]]), big, rev)
                         for t in range(2) for big in (False, True) for rev in (0, 1))
        for n in range(60):
            raw = bytearray(clean)
            for _ in range(rng.randrange(1, 6)):
                raw[rng.randrange(len(raw))] = rng.choice((0, 1, 0xFF, rng.randrange(256)))
            out = self.path("%d.plog" % n)
            r = run("import", "-q", self.write("raw", bytes(raw)), "-o", out)
            self.assertIn(r.code, (0, 2), r)
            self.assertIn(run("verify", "-q", out).code, (0,), "%d" % n)
            self.assertIn(run("export", "-q", "--layout", "long", out).code, (0,), "%d" % n)


if __name__ == "__main__":
    harness.main()
