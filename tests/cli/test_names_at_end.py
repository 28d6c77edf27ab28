#!/usr/bin/env python3
"""Names that the end of a packed log states: perflog list shows what it shows of the samples, without reading them."""
import os
import shutil
import struct
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import Case, run
from stated import (GADGET, NAMES, PROCESS, RAWCOUNT, START, THREAD, TITLES, Made, parts_of, payload_of_ends, random_log, read,
                    with_parents, with_part)
from write_log import SECOND, SESSION, object_of, title

LISTS = [["list"], ["list", "--types"], ["list", "--overview"], ["list", "--overview", "--json"],
         ["list", "-c", r"\Thread(*)\*", "-c", r"\Process(a*)\Count"], ["list", "--complete", "\\Pro"]]


class NamesCase(Case):
    def pack(self, made, name="log", ends=True):
        """Paths of the log and of a packed one of the same samples."""
        old = made.save(self.path(name + "-old.plog"), ends)
        new = shutil.copy(old, self.path(name + ".plog"))
        self.assertIn("packed", self.good("pack", new).err)
        return old, new

    def states_names(self, log):
        return any(parts_of(log)[:1])

    def without_samples(self, log):
        """The same log with samples that nothing could read."""
        data = bytearray(read(log))
        for kind, at, _ in (r[:3] for r in harness.records(log)):
            if kind == "PACK":
                data[at + 72 + 30] ^= 0xFF
        return self.write("unreadable.plog", bytes(data))

    def check_same(self, old, new):
        for words in LISTS:
            with self.subTest(command=words):
                a, b = run(*words, old), run(*words, new)
                self.assertEqual((b.code, b.out, b.err.replace(new, old)), (a.code, a.out, a.err))

    def check_from_names(self, old, new):
        """What is shown of the names alone."""
        self.check_same(old, new)
        self.check_same(old, self.without_samples(new))
        self.assertIn("good", self.good("verify", new).out)


class Same(NamesCase):
    def test_of_random_logs(self):
        for seed in range(24 if harness.FULL else 8):
            with self.subTest(seed=seed):
                old, new = self.pack(random_log(seed))
                self.assertTrue(self.states_names(new))
                self.check_from_names(old, new)

    def test_of_a_recording(self):
        old, new = self.path("old.plog"), self.path("new.plog")
        self.record(old, "-i", "10ms", "-n", "300")
        self.good("pack", shutil.copy(old, new))
        if self.states_names(new):  # its samples may take too little room beside names
            self.check_from_names(old, new)
        else:
            self.check_same(old, new)

    def test_of_several_segments(self):
        """Some of which state names, and one of which is not packed."""
        folder, seq = self.path("logs"), 0
        os.mkdir(folder)
        for k in range(4):
            made = random_log(k, seq)
            made.save(os.path.join(folder, "a-%03d.plog" % k))
            seq = made.log.seq
        old, segments = shutil.copytree(folder, self.path("old")), sorted(os.listdir(folder))
        for name in segments[:-1]:
            self.good("pack", "-q", os.path.join(folder, name))
        self.assertEqual([self.states_names(os.path.join(folder, s)) for s in segments], [True, True, True, False])
        for words in LISTS:
            a, b = run(*words, old), run(*words, folder)
            self.assertEqual((b.code, b.out, b.err.replace(folder, old)), (a.code, a.out, a.err), words)

    def test_identities_are_read_from_the_samples(self):
        old, new = self.pack(random_log(1))
        for words in (["list", "--json"], ["list", "--identity"]):
            self.assertEqual(self.good(*words, new).out, self.good(*words, old).out)


class NotStated(NamesCase):
    """What names alone could not tell is not stated, and read from the samples."""

    def check_not_stated(self, made, **more):
        old, new = self.pack(made, **more)
        self.assertFalse(self.states_names(new))
        self.check_same(old, new)
        self.assertIn("good", self.good("verify", new).out)

    def test_of_a_log_that_was_not_closed(self):
        made = Made()
        for k in range(40):
            made.add(object_of(PROCESS, [(4, RAWCOUNT, 8)], [("a", [k])]))
        self.check_not_stated(made, ends=False)

    def test_equal_names_beside_names_with_numbers(self):
        """a and a are shown as a and a#1: which one is called so depends on the sample."""
        made = Made()
        for k in range(40):
            made.add(object_of(PROCESS, [(4, RAWCOUNT, 8)], [("a", [k]), ("a#1" if k % 2 else "a", [k])]))
        self.check_not_stated(made)

    def test_titles_that_change(self):
        """Of an object, of a counter; what is new, or called the same, changes nothing."""
        for names, is_stated in (({GADGET: b"Gizmo"}, False), ({6: b"Sum"}, False), ({10: b"New"}, True)):
            made = Made()
            for step in range(60):
                if step == 30:
                    entries = sorted({**TITLES, **names}.items())
                    made.log.record(b"TITL", b"".join(title(i, 0, 9, name) for i, name in entries), START + step * SECOND)
                made.add(object_of(GADGET, [(4, RAWCOUNT, 8), (6, RAWCOUNT, 8)], [("a" if step < 30 else "b", [step, 1])]))
            with self.subTest(names=names):
                if is_stated:
                    old, new = self.pack(made)
                    self.assertTrue(self.states_names(new))
                    self.check_from_names(old, new)
                else:
                    self.check_not_stated(made)

    def test_parents_that_are_not_there(self):
        for parents in ([], [("a", [1])]):
            made = Made()
            for k in range(40):
                made.add(object_of(PROCESS, [(4, RAWCOUNT, 8)], parents),
                         with_parents(THREAD, [(4, RAWCOUNT, 8)], [("0", PROCESS, 1, [k])]))
            self.check_not_stated(made, name="log%d" % len(parents))

    def test_parents_whose_object_changes(self):
        """Their blocks are others, but not those of their children."""
        made = Made()
        for k in range(40):
            names = ["z"] if k < 20 else ["a", "b", "c"]
            counters = [(4, RAWCOUNT, 8), (6, RAWCOUNT, 8)][:1 + k // 20]
            made.add(object_of(PROCESS, counters, [(name, [1, 2]) for name in names]),
                     with_parents(THREAD, [(4, RAWCOUNT, 8)], [("0", PROCESS, len(names) - 1, [k])]))
        self.check_not_stated(made)

    def test_an_object_twice_in_a_sample(self):
        made = Made()
        for k in range(40):
            made.add(*[object_of(PROCESS, [(4, RAWCOUNT, 8)], [(name, [k])]) for name in "ab"])
        self.check_not_stated(made)

    def test_very_many_names(self):
        """More than 4 MiB of them, which are still few beside the samples."""
        made = Made(values=4000)
        for k in range(30):
            made.add(object_of(PROCESS, [(4, RAWCOUNT, 8)], [("%d-%d-%s" % (k, i, "x" * 200), [k]) for i in range(400)]))
        self.check_not_stated(made)

    def test_objects_of_equal_names(self):
        """They are stated, but not used: their instances are numbered together."""
        made = Made({**TITLES, GADGET: b"Process"})
        for k in range(40):
            title = GADGET if k % 2 else PROCESS
            made.add(object_of(title, [(4, RAWCOUNT, 8)], [("a", [k])]))
        old, new = self.pack(made)
        self.check_same(old, new)


class Untrue(NamesCase):
    def forge(self, log, change):
        """The log with another content of the last record's names; all hashes are good."""
        return self.write("forged.plog", with_part(log, NAMES, change))

    def setUp(self):
        super().setUp()
        self.old, self.new = self.pack(random_log(0))

    def check_named(self, log):
        r = run("verify", log)
        self.assertEqual(r.code, 2, r)
        self.assertIn("names contradict the samples before them", r.out)

    def test_a_true_one_is_good(self):
        self.good("verify", self.forge(self.new, lambda content: None))

    def test_another_name(self):
        def change(content):
            at = content.index("cat".encode("utf-16-le"))
            content[at:at + 2] = "h".encode("utf-16-le")
        log = self.forge(self.new, change)
        self.assertIn("hat", self.good("list", log).out)
        self.check_named(log)

    def test_another_number_of_samples(self):
        def change(content):
            content[16] ^= 1
        self.check_named(self.forge(self.new, change))

    def test_places_in_a_file_that_begins_with_another_session(self):
        """They are those of the file; but what stands before is not named."""
        other = Made(session=SESSION - 1)
        for k in range(40):
            other.add(object_of(GADGET, [(4, RAWCOUNT, 8)], [("z", [k])]))
        before = read(other.save(self.path("other.plog")))

        def change(content):
            places = struct.unpack_from("<QQ", content)
            struct.pack_into("<QQ", content, 0, *(place + len(before) for place in places))
        log = self.forge(self.write("both.plog", before + read(self.new)), change)
        self.check_same(self.write("both-old.plog", before + read(self.old)), log)

    def test_content_of_every_length(self):
        """Never a crash, and nothing but what the samples say, or the good part of it."""
        known = set(self.good("list", self.old).out.splitlines())
        for cut in range(1, 400, 7 if harness.FULL else 31):
            log = self.forge(self.new, lambda content: content[:cut])
            self.assertLessEqual(set(run("list", log).out.splitlines()), known)
            self.check_named(log)

    def test_every_byte_changed(self):
        raw_len = len(parts_of(self.new)[NAMES])
        for at in range(0, min(raw_len, 2000), 13 if harness.FULL else 67):
            def change(content):
                content[at] ^= 0xFF
            log = self.forge(self.new, change)
            self.assertIn(run("list", log).code, (0, 2), at)
            self.check_named(log)


class Damaged(NamesCase):
    def setUp(self):
        super().setUp()
        self.made = random_log(0)
        self.old, self.new = self.pack(self.made)
        self.data = read(self.new)

    def test_an_ends_that_is_damaged_is_not_used(self):
        """Every byte of it: the samples are read, and say the same."""
        _, at, payload = payload_of_ends(self.new)
        listed = self.good("list", self.new).out
        for place in range(at - 72, at + len(payload), 1 if harness.FULL else 7):
            data = bytearray(self.data)
            data[place] ^= 0x10
            r = run("list", self.write("flipped.plog", bytes(data)))
            self.assertEqual((r.out, r.code), (listed, 2), place)

    def test_a_log_cut_anywhere_in_it(self):
        _, at, payload = payload_of_ends(self.new)
        listed = self.good("list", self.new).out
        for left in range(at - 72, at + len(payload), 17 if harness.FULL else 53):
            self.assertEqual(run("list", self.write("cut.plog", self.data[:left])).out, listed, left)

    def test_titles_that_are_damaged(self):
        (at, length), = [r[1:3] for r in harness.records(self.new) if r[0] == "TITL"]
        data = bytearray(self.data)
        data[at + length - 9] ^= 1
        log = self.write("titles.plog", bytes(data))
        r = run("list", log)
        self.assertEqual(r.code, 2, r)
        self.assertIn("names may be missing", r.err)

    def test_two_segments_of_a_session_in_one_file(self):
        """The second one's names are of the session that the file begins with, but not of all of it."""
        second = Made(seq=self.made.log.seq)
        for k in range(40):
            second.add(object_of(GADGET, [(4, RAWCOUNT, 8)], [("z", [k])]))
        old, new = self.pack(second, "second")
        self.assertTrue(self.states_names(new))
        self.check_same(self.write("both-old.plog", read(self.old) + read(old)),
                        self.write("both.plog", self.data + read(new)))

    def test_two_logs_in_one_file(self):
        """The last one states its own names only."""
        other = Made(session=SESSION + 1)
        for k in range(40):
            other.add(object_of(GADGET, [(4, RAWCOUNT, 8)], [("z", [k])]))
        other_old, other_new = self.pack(other, "other")
        self.check_same(self.write("both-old.plog", read(self.old) + read(other_old)),
                        self.write("both.plog", self.data + read(other_new)))


if __name__ == "__main__":
    harness.main()
