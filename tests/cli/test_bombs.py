#!/usr/bin/env python3
"""Every reading command over every log of bombs.py: within memory, within time, with plain words.

With sanitizers, which change both, only the small ones are tried, without a limit of memory.  PERFLOG_TEST_FULL tries
every command on every one.
"""
import json
import os
import random
import resource
import shutil
import struct
import subprocess
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from bombs import BOMBS, CAP, MIB, PLAIN, RAWCOUNT, SECOND, SMALL, START, Bomb, block, plain, sessions, varint
from harness import PROGRAM, Case, run
from write_log import object_of

PEAK = os.environ.get("PEAK", os.path.join(os.path.dirname(PROGRAM), "tests", "peak"))
LIMIT = 1024 * MIB  # what --max-memory is without being given
SMALL_WORK = 5 * MIB // 2 + MIB // 10
SLACK = MIB // 4  # pages of the program, and of malloc, that a small log does not touch
SEARCH_STEP = MIB // 4  # of format/reader/record_scan.c

# Commands, and what the manual allows them beyond the program itself: so many times the largest
# block or record and MiB, so many bytes for each object, each instance, each series; and six times
# the longest path.
# Instances without a series to show, for want of bytes.
HIDDEN = {"counters_known": 80_000}
# Names and counts that the end of a packed log states, and what verify compares them with.
STATED = {"stated_names": 32 * MIB, "stated_counts": 3 * MIB}
EVERYTHING = r"\*(*)\*"
LISTING = ("list",)  # the first: what the others are allowed depends on what it shows
# Those that read in one way, and differ in what they do then, stand together.
WAYS = (
    (  # records
        (("verify",), 4, 1, 0, 0, 0),
        (("info",), 4, 1, 0, 0, 0),
        (("dump",), 4, 1, 0, 0, 0),
        (("repair", "-q", "-o", "OUT"), 4, 1, 0, 0, 0),
        (("cut", "-q", "--from", "1970-01-02", "-o", "OUT"), 4, 1, 0, 0, 0),
        (("dump", "--json", "--sample", "-1"), 4, 1, 0, 0, 0),
    ), (  # names
        (LISTING, 4, 1, 2500, 1200, 256),
        (("list", "--json"), 4, 1, 2500, 1200, 256),
    ), (  # rows
        (("export", "-q", "--layout", "long"), 4, 1, 2500, 1200, 256),
        (("export", "-q", "--layout", "long", "-c", r"\System\*", "--from", "2026-11-21T12:00:01Z"), 4, 1, 2500, 1200, 256),
        (("export", "-q", "--wide-anyway"), 4, 1, 2500, 1200, 256),
        (("export", "-q", "--wide-anyway", "--every", "10s", "-c", EVERYTHING), 4, 1, 2500, 1200, 400),
        (("export", "-q", "--top", "10", "-c", EVERYTHING), 4, 1, 2500, 1200, 400),
    ), (  # a sheet for each object
        (("export", "-q", "--layout", "table", "-o", "OUT"), 4, 1, 2500, 1200, 256),
        (("export", "-q", "--xlsx", "-o", "OUT.xlsx"), 4, 2, 2500, 1200, 400),
    ), (  # figures
        (("stats", "-c", EVERYTHING), 4, 1, 2500, 1200, 600),
        (("report", "-q", "-c", EVERYTHING), 4, 2, 2500, 1200, 600),
    ), (  # parts of samples
        (("cut", "-q", "-c", EVERYTHING, "-o", "OUT"), 4, 1, 2500, 1200, 100),
        (("cut", "-q", "-c", r"\*(*z)\*", "-o", "OUT"), 4, 1, 2500, 1200, 100),
    )
)
COMMANDS = [command for way in WAYS for command in way]

# These read as another command above does, and differ in what they do with instances and counters.
OF_BLOCKS = [c[0] for c in COMMANDS if {"--sample", "--every", "--top", r"\*(*z)\*"} & set(c[0]) or c[0] == ("list", "--json")]


def tried_on(name):
    """The commands that read a bomb, the listing first: all; in the gate one of every second way, in turns from bomb
    to bomb."""
    turn, listing = list(BOMBS).index(name), next(c for c in COMMANDS if c[0] == LISTING)
    ways = [[c for c in way if name not in PLAIN or c[0] not in OF_BLOCKS] for way in WAYS]
    parts = ways if harness.FULL else [[way[turn // 2 % len(way)]] for way in ways[turn % 2::2]]
    chosen = [c for part in parts for c in part]
    return [listing] + [c for c in chosen if c != listing]


def limited(memory, seconds):
    def limit():
        if memory:
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    return limit


def largest(data):
    """The greatest length, on disk or rebuilt, that a header in 'data' claims."""
    at, found = data.find(b"\x89PL1"), 0
    while 0 <= at <= len(data) - 72:
        found = max([found] + [n for n in struct.unpack_from("<II", data, at + 40) if n <= CAP])
        at = data.find(b"\x89PL1", at + 8)
    return found


def contents(listing, hidden):
    """How many objects, instances and series 'perflog list' has shown, and the length of the longest path."""
    with open(listing, encoding="utf-8", errors="surrogateescape") as f:
        lines = f.read().splitlines()
    groups = {line.rpartition("\\")[0] for line in lines}
    num = len({g.partition("(")[0] for g in groups}), len(groups) + hidden, len(lines)
    return num, max([len(line) for line in lines] + [0])


class Bombs(Case):
    def used(self, command, log, seconds, shown=os.devnull):
        """Exit status, standard error, bytes of memory, CPU seconds; standard output goes to the file 'shown'."""
        args = [word.replace("OUT", self.path("out")) for word in command]
        with open(shown, "wb") as out:
            p = subprocess.run([PEAK, self.path("used"), PROGRAM, *args, log], stdin=subprocess.DEVNULL,
                               stdout=out, stderr=subprocess.PIPE, timeout=10 * harness.TIMEOUT,
                               preexec_fn=limited(None, seconds))
        with open(self.path("used")) as f:
            memory, us = map(int, f.read().split())
        for made in "out", "out.xlsx":
            if os.path.isdir(self.path(made)):
                shutil.rmtree(self.path(made))
            elif os.path.exists(self.path(made)):
                os.unlink(self.path(made))
        return p.returncode, p.stderr.decode("utf-8", "surrogateescape"), memory, us / 1e6

    def check_words(self, command, code, err):
        self.assertIn(code, (0, 1, 2, 3, 4), err)
        lines = err.splitlines()
        self.assertLessEqual(len(lines), 4, err[:2000])
        for line in lines:
            self.assertTrue(line.startswith("perflog: "), line[:300])
            self.check_printable(line)
        if code == 1:
            self.assertTrue(lines, "fails without a word")
        self.assertNotIn("out of memory", err)

    def base(self):
        """What each command takes for a log of a few samples."""
        b = Bomb()
        for k in range(5):
            b.key(plain(k))
        log = self.write("small.plog", b.done()[0])
        return {c[0]: min(self.used(c[0], log, 60)[2] for _ in range(3)) for c in COMMANDS}

    def test_every_command_survives_every_bomb(self):
        """Time may be linear in the file and what it decodes to, memory is what the manual says."""
        sanitized, tried, worst = harness.is_instrumented(), 0, [(0, ""), (0, "")]
        base = {} if sanitized else self.base()
        for name, make in BOMBS.items():
            if sanitized and name not in SMALL:
                continue
            data, work = make()
            self.assertEqual(name in SMALL, work + len(data) <= SMALL_WORK, name)
            log, big = self.write("bomb.plog", data), largest(data)
            seconds = int(3 + (work + len(data)) / (4 * MIB)) * (8 if sanitized else 1)
            for command, blocks, mib, *each in tried_on(name):
                with self.subTest(bomb=name, command=command):
                    shown = self.path("listing") if command == LISTING else os.devnull
                    code, err, memory, cpu = self.used(command, log, seconds, shown)
                    if command == LISTING:
                        num, longest = contents(shown, HIDDEN.get(name, 0))
                    self.check_words(command, code, err)
                    tried += 1
                    worst[0] = max(worst[0], (round(cpu, 2), "s of CPU time: %s of %s" % (command[0], name)))
                    if sanitized:
                        continue
                    allowed = SLACK + STATED.get(name, 0) + blocks * big + mib * MIB + 6 * longest + sum(n * b for n, b in zip(num, each))
                    more = memory - base[command]
                    worst[1] = max(worst[1], (round(more / MIB), "MiB: %s of %s" % (command[0], name)))
                    self.assertLessEqual(more, allowed, "%.1f MiB, where %.1f are allowed; block %.1f MiB, %r" % (
                        more / MIB, allowed / MIB, big / MIB, num))
        print("%d runs; most %s; %s" % (tried, *("%s %s" % w for w in worst)), file=sys.stderr)
        self.assertGreater(tried, 20)


class Limit(Case):
    def setUp(self):
        super().setUp()
        if harness.is_instrumented():
            self.skipTest("a sanitizer takes terabytes for itself")

    def test_memory_ends_where_it_was_to_end(self):
        """Many names in a small log: a limit is kept, reported, and can be raised."""
        log = self.write("a.plog", BOMBS["instances"](60_000)[0])
        for words in ("list",), ("stats", "-c", EVERYTHING), ("export", "-q", "--layout", "long"), (
                "cut", "-q", "-c", EVERYTHING, "-o", self.path("new")):
            with self.subTest(command=words):
                self.check_one_line(run(*words, "--max-memory", "16M", log), 1,
                                    "out of memory, of which --max-memory allows 16M; raise it")
                self.assertFalse(os.path.exists(self.path("new")))
        self.good("list", "--max-memory", "300M", log)
        self.check_one_line(run("list", "--max-memory", "1K", log), 1, "give a size from 16M on")

    def test_without_being_told_there_is_a_limit_too(self):
        """1G, or what the user's own limits say; one that may be raised is no obstacle to --max-memory."""
        log = self.write("a.plog", BOMBS["churn"]()[0])
        for hard in 16 * MIB, 400 * MIB, resource.RLIM_INFINITY:
            def lowered():
                resource.setrlimit(resource.RLIMIT_DATA, (16 * MIB, hard))
            with self.subTest(hard=hard):
                self.check_one_line(run("list", log, preexec_fn=lowered), 1, "of which --max-memory allows 16M")
                r = run("list", "--max-memory", "300M", log, preexec_fn=lowered)
                self.assertEqual(r.code, 1 if hard == 16 * MIB else 0, r.err)

    def test_a_recorder_has_none(self):
        self.refused(1, "record", "--max-memory", "1G", self.path("a.plog"), says="is not known")


class Search(Case):
    """What stands behind damage, or inside it, is found."""

    def good_samples(self, bomb):
        r = run("verify", "--json", self.write("a.plog", bomb.done()[0]))
        self.assertEqual(r.code, 2, r)
        return json.loads(r.out)["samples"]

    def test_headers_are_found_wherever_a_search_pauses(self):
        for k in range(0, 240, 8):
            b = Bomb()
            b.put(b"SMPL", plain(0))
            b.parts.append(b"x" * (SEARCH_STEP - k))
            b.put(b"SMPL", plain(1))
            with self.subTest(bytes_less=k):
                self.assertEqual(self.good_samples(b), 2)

    def test_an_impossible_length_hides_no_records(self):
        """The header is proven, but no payload of its codec could be so long."""
        b = Bomb()
        b.put(b"SMPL", plain(0))
        seq, at = b.seq, len(b.parts)
        b.seq += 1
        b.put(b"SMPL", plain(1))
        b.put(b"SMPL", plain(2))
        inside = b"".join(b.parts[at:])
        del b.parts[at:]
        b.put(b"SMPL", inside, raw_len=8, seq=seq)
        self.assertEqual(self.good_samples(b), 3)

    def indexed(self, *indexes):
        """
        What verify says of indexes; each is the chunks before it, and the place of the index that it names as the one
        before it (from -1 back, or 0).  A chunk: its samples' times, the earliest and the latest time that are stated
        (None: it is not listed).
        """
        b, places = Bomb(), [0]
        for chunks, prev in indexes:
            listed = []
            for times, first, last in chunks:
                at, seq, data = sum(map(len, b.parts)), b.seq, plain(b.seq)
                same = varint(1) + varint(1) + 2 * varint(len(data) // 8) + varint(0)
                b.key(data, utc=START + times[0] * SECOND)
                for t in times[1:]:
                    b.delta(same, data, utc=START + t * SECOND)
                if first is not None:
                    listed.append(struct.pack("<QqqQII", at, START + first * SECOND, START + last * SECOND, 0, seq,
                                              len(times)))
            at = sum(map(len, b.parts))
            b.put(b"indx", struct.pack("<QQI4x", at, places[prev], len(listed)) + b"".join(listed))
            places.append(at)
        return run("verify", self.write("a.plog", b.done()[0]))

    def check_indexes(self, code, *indexes):
        r = self.indexed(*indexes)
        self.assertEqual(r.code, code, r)
        self.assertEqual("index contradicts the samples before it" in r.out, code == 2, r)

    def test_an_index_that_would_hide_samples_is_named(self):
        def chunk(first, last, times=(4, 3, 9, 5)):
            return times, first, last

        before, none = ([chunk(0, 2, (0, 1, 2))], 0), (None, None)
        for code, first, last in ((0, 3, 9), (0, 2, 10), (2, 4, 9), (2, 3, 8), (2, 9, 9), (2, 3, 3)):
            for beside in chunk(3, 9), chunk(0, 99):
                with self.subTest(stated=(first, last), beside=beside):
                    self.check_indexes(code, ([chunk(first, last)], 0))
                    self.check_indexes(code, ([chunk(first, last), beside], 0))
                    self.check_indexes(code, before, ([beside, chunk(first, last)], -1))
        self.check_indexes(2, ([chunk(*none), chunk(3, 9)], 0))
        self.check_indexes(0, ([chunk(3, 9), chunk(*none)], 0))  # the one before grew

    def test_an_index_that_leads_past_another_is_named(self):
        """A seek would not see what that one says."""
        one = [((1, 2), 1, 2)]
        self.check_indexes(0, (one, 0), (one, -1), (one, -1))
        self.check_indexes(2, (one, 0), (one, -1), (one, -2))
        self.check_indexes(2, (one, 0), (one, 0))

    def test_an_index_behind_a_damaged_one_is_good(self):
        self.check_indexes(0, ([((1, 2), 1, 2)], 0), ([((3, 4), 3, 4)], -1))
        log = self.path("a.plog")
        with open(log, "r+b") as f:
            data = f.read()
            f.seek(data.index(b"\x89PL1indx") + 80)
            f.write(b"!")
        r = run("verify", log)
        self.assertEqual((r.code, "damaged ranges: 1 (" in r.out, "index" in r.out), (2, True, False), r)

    def test_an_index_of_very_many_chunks_is_checked(self):
        chunks = [((t, t + 1), t, t + 1) for t in range(1000)]
        self.check_indexes(0, (chunks, 0))
        for wrong in 0, 1, 999:
            late = chunks[:wrong] + [((wrong, 2000), wrong, wrong)] + chunks[wrong + 1:]
            self.check_indexes(2, (late, 0))

    def test_an_index_that_stops_short_is_damaged(self):
        """And costs nothing: the samples around it are a pair."""
        b = Bomb()
        for k in range(2):
            b.key(block([object_of(2, [(4, 0x10410400, 4)], [(None, [10 * k])])], k), utc=START + k * SECOND)
            if not k:
                b.put(b"indx", b"abc")
        log = self.write("a.plog", b.done()[0])
        r = run("verify", log)
        self.assertEqual((r.code, "record does not add up" in r.out), (2, True), r)
        r = run("export", "-q", "--layout", "long", log)
        self.assertEqual([row["Value"] for row in harness.long_rows(r.out)], ["", "10"], r)

    def test_the_first_of_equal_objects_counts(self):
        b = Bomb()
        for k in range(2):
            b.put(b"SMPL", block([object_of(2, [(4, RAWCOUNT, 8)], [(None, [value])])
                                  for value in (7, 8, 9)], k))
        rows = harness.long_rows(self.good("export", "--layout", "long",
                                           self.write("a.plog", b.done()[0])).out)
        self.assertEqual([row["Value"] for row in rows], ["7", "7"])


class Large(Case):
    """Blocks too large to be kept longer than needed."""

    def make(self, codec, data, references):
        """A counter 0, 1, 2 ...; each sample but the first tells how far back its reference is."""
        b = Bomb()
        for k, ref in enumerate(references):
            large, at = bytearray(object_of(6, [(5, RAWCOUNT, 8)], [("a", [0])])), 64 + 40
            end = at + struct.unpack_from("<I", large, at)[0]
            large[end:end] = data(512 << 10)  # an instance's definition may be longer than its name
            struct.pack_into("<I", large, 0, len(large))
            struct.pack_into("<I", large, at, end + (512 << 10) - at)
            raw = block([object_of(2, [(4, RAWCOUNT, 8)], [(None, [k])]), bytes(large)], k)
            if ref:
                b.delta(varint(1) + varint(0) + varint(len(raw) // 8) + raw, raw, codec, ref=ref, utc=START + k * SECOND)
            else:
                b.key(raw, utc=START + k * SECOND)
        return self.write("large.plog", b.done()[0])

    def values(self, log, **how):
        r = self.good("export", "-q", "--layout", "long", "-c", r"\System\Count", log, **how)
        return [int(row["Value"]) for row in harness.long_rows(r.out)]

    def test_a_key_is_there_for_whoever_refers_to_it(self):
        references = 0, 1, 2, 1, 4, 5, 0, 1, 1, 3, 1, 5
        for codec in 2, 3:
            for data in bytes, random.Random(5).randbytes:
                with self.subTest(codec=codec, data=data):
                    log, new = self.make(codec, data, references), self.path("new.plog")
                    self.assertEqual(self.values(log), list(range(len(references))))
                    with open(log, "rb") as f:
                        self.assertEqual(self.values("-", stdin=f), list(range(len(references))))
                    with subprocess.Popen(["cat", log], stdout=subprocess.PIPE) as cat:
                        self.assertEqual(self.values("-", stdin=cat.stdout), list(range(len(references))))
                    for words in ("repair",), ("cut", "-c", "*"), ("cut", "--from", "1970-01-02"):
                        self.good(*words, "-q", log, "-o", new)
                        self.assertEqual(self.values(new), list(range(len(references))))
                        os.unlink(new)
                    self.good("cut", "-q", "--from", "@%d" % (START // SECOND + 3), log, "-o", new)
                    self.assertEqual(self.values(new), list(range(3, len(references))))
                    os.unlink(new)


class Caps(Case):
    def test_a_block_over_the_cap_is_named_and_can_be_let_in(self):
        data, _ = BOMBS["churn"]()
        log = self.write("a.plog", data)
        r = run("export", "-q", "--layout", "long", "--max-block", "4k", log)
        self.assertEqual(r.code, 4, r)
        says = "200 samples are larger than --max-block allows, or refer to one that is, and left out; raise it"
        self.assertIn(says, r.err)
        self.assertNotIn("damaged", r.err)
        r = run("dump", "--max-block", "4k", log)
        self.assertIn(says, r.err)
        self.assertNotIn("damaged", r.err)
        self.assertEqual(run("export", "-q", "--layout", "long", "--max-block", "1m", log).code, 0)

    def test_what_refers_to_a_block_over_the_cap_is_no_damage(self):
        """The references are there, and verify would find nothing."""
        b = Bomb()
        for k, (large, ref) in enumerate(((True, 0), (False, 1), (False, 1), (False, 3), (False, 0), (True, 1), (False, 1), (False, 3))):
            objects = [object_of(2, [(4, RAWCOUNT, 8)], [(None, [k])])]
            if large:
                objects.append(object_of(6, [(5, RAWCOUNT, 8)], [("a%d" % i, [i]) for i in range(200)]))
            raw = block(objects, k)
            if ref:
                b.delta(varint(1) + varint(0) + varint(len(raw) // 8) + raw, raw, ref=ref, utc=START + k * SECOND)
            else:
                b.key(raw, utc=START + k * SECOND)
        log, packed = self.write("a.plog", b.done()[0]), self.write("p.plog", b.done()[0])
        self.good("pack", "-q", packed)
        self.assertNotEqual(os.path.getsize(log), os.path.getsize(packed))
        for path, lost in (log, 6), (packed, 8):  # without its first sample a pack has no other
            says = "%s: %d samples are larger than --max-block allows, or refer to one that is, and left out; raise it\n" % (path, lost)
            for command in ("export", "-q", "--layout", "long"), ("stats",), ("dump", "--sample", "9"):
                with self.subTest(command=command, log=path):
                    r = run(*command, "--max-block", "4k", path)
                    self.assertIn(says, r.err)
                    self.assertNotIn("damaged", r.err)
            self.good("verify", "-q", path)
        r = run("export", "-q", "--layout", "long", "--max-block", "4k", log)
        self.assertEqual((r.code, [row["Value"] for row in harness.long_rows(r.out)]), (2, ["4", "7"]))

    def test_times_at_both_ends_of_what_a_record_holds(self):
        """A sanitizer sees sums that do not fit."""
        for first, last in (-(1 << 63), (1 << 63) - 1), ((1 << 63) - 1, -(1 << 63)):
            b = Bomb()
            b.put(b"SMPL", plain(1), utc=first)
            b.seq += 3  # a hole
            b.put(b"SMPL", plain(2), utc=last)
            log = self.write("a.plog", b.done()[0])
            for command in (("info",), ("verify",), ("export", "--layout", "long", "--tz", "+02:00", "--from", "12:00"),
                            ("export", "--layout", "long", "--tz", "-02:00", "--to", "2100-01-01"), ("stats", "--from", "-300w"),
                            ("export", "--every", "1d")):
                with self.subTest(command=command, first=first):
                    r = run(*command, log)
                    self.assertIn(r.code, (0, 1, 2))
                    self.assertTrue(all(line.startswith("perflog: ") for line in r.err.splitlines()), r)

    def test_many_paths_are_looked_up(self):
        """As many paths as series: their product would take minutes."""
        log = self.write("a.plog", BOMBS["churn"]()[0])
        lines = self.good("list", "-c", r"\System(*)\Count", log).out.splitlines()[:20_000]
        paths = self.write("paths", "\n".join(lines).encode())
        started = os.times().children_user
        r = self.good("list", "-c", "@" + paths, log, preexec_fn=limited(None, 60))
        self.assertEqual(r.out.splitlines(), lines)
        self.assertLess(os.times().children_user - started, 15)

    def check_growth(self, make, num, *command):
        """Four times as many of what a log has many of: four times the time, not sixteen times.

        Sanitizers have a time of their own: with them the command reads the larger log once."""
        used = []
        if harness.is_instrumented():
            r = run(*command, self.write("a.plog", make(4 * num)[0]))
            self.assertIn(r.code, (0, 1, 2))
            self.assertTrue(all(line.startswith("perflog: ") for line in r.err.splitlines()), r)
            return
        for n in num, 4 * num:
            log = self.write("%d.plog" % n, make(n)[0])
            best = 1e9
            for _ in range(3):
                before = os.times().children_user
                run(*command, log, preexec_fn=limited(None, 60))
                best = min(best, os.times().children_user - before)
                if used and best < 10 * max(used[0], 0.1):
                    break
            used.append(best)
        self.assertLess(used[1], 10 * max(used[0], 0.1))

    def test_time_grows_with_hosts_of_one_name_and_no_faster(self):
        self.check_growth(lambda num: sessions(lambda k: (b"web", k), num), 4000, "list")

    def test_time_grows_with_sessions_and_no_faster(self):
        """Also with numbers that Fibonacci hashing, which everybody knows, puts in one place."""
        factor = pow(0x9E3779B97F4A7C15, -1, 1 << 64)
        self.check_growth(lambda num: sessions(lambda k: (b"web", 1), num, lambda k: ((k << 44) + 1) * factor % (1 << 64)),
                          16000, "verify", "-q")

    def test_time_grows_with_indexes_and_no_faster(self):
        """Each of which denies that there is one before it."""
        def indexes(num):
            b = Bomb()
            b.key(plain(0))
            at = sum(map(len, b.parts))
            for _ in range(num):
                b.put(b"indx", struct.pack("<QQI4x", at, 0, 1) + struct.pack("<QqqQII", 0, START, START, 0, 0, 1))
                at += len(b.parts[-1])
            return b.done()

        self.check_growth(indexes, 8000, "verify", "-q")

    def test_time_grows_with_identities_and_no_faster(self):
        new = self.path("new.plog")
        self.check_growth(BOMBS["identities_many"], 4000, "cut", "-q", "-c", r"\*(*z)\*", "-o", new)

    def test_time_grows_with_equal_names_and_no_faster(self):
        new = self.path("new.plog")
        self.check_growth(BOMBS["equal_names"], 1200, "cut", "-q", "-c", r"\*(*z)\*", "-o", new)


if __name__ == "__main__":
    harness.main()
