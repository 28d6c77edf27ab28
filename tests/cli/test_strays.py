#!/usr/bin/env python3
"""Blocks of a deleted log that turn up in another one, and logs that are joined on purpose."""
import json
import os
import struct
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import SYSTEM, Case, Recording, run

BLOCK = 4096


class Strays(Case):

    def log(self, name, *counts):
        """A log of sessions with so many samples each; its bytes."""
        path = self.path(name)
        for n in counts:
            self.record(path, *SYSTEM, "-n", str(n), "-i", "10ms")
        with open(path, "rb") as f:
            return f.read()

    def rows(self, path, code=0):
        r = run("export", "-q", "--layout", "long", "--time", "unix", path)
        self.assertEqual(r.code, code, r)
        times = {line.partition(",")[0] for line in r.out.splitlines()[1:]}  # a million lines, a few hundred times
        return {self.tick(time) for time in times}

    def tick(self, text):
        """The tick of 10 ms of a row.  A session whose head is damaged has no interval: its rows have the time at which
        a sample was really taken."""
        return (int(float(text) * 1000 + .5) + 1) // 10

    def verify(self, path):
        return json.loads(run("verify", "--json", path).out)

    def test_blocks_of_a_deleted_log_are_no_sessions(self):
        old, new = self.log("old.plog", 100, 50), self.log("new.plog", 60, 60)
        true = self.rows(self.path("new.plog"))
        os.unlink(self.path("old.plog"))
        found = 0
        for stray in range(0, len(old) - BLOCK, BLOCK):
            at = BLOCK + stray % (len(new) - BLOCK) // BLOCK * BLOCK
            part = old[stray:stray + (1 + stray // BLOCK % 2) * BLOCK]
            path = self.write("hurt.plog", new[:at] + part + new[at + len(part):])
            report = self.verify(path)
            with self.subTest(at=at, stray=stray):
                self.assertEqual(report["exit_status"], 2)
                self.assertLessEqual(report["sessions"], 2)
                self.assertEqual(self.rows(path, 2) - true, set())
                found += any("another file" in r.get("reason", "") for r in report["ranges"])
        self.assertGreater(found, 3)

    def test_whole_deleted_log_is_no_session(self):
        """With its first block, unlike a newer log that was joined to one that a power cut ended with zeros."""
        old, new = self.log("old.plog", 60, 60), self.log("new.plog", 60)
        at = len(new) // 2 // BLOCK * BLOCK
        path = self.write("hurt.plog", new[:at] + old)
        self.assertEqual(self.verify(path)["sessions"], 1)
        rows = self.rows(path, 2)
        self.assertTrue(rows)
        self.assertLess(rows, self.rows(self.path("new.plog")))
        path = self.write("joined.plog", old + bytes(-len(old) % BLOCK) + new)
        self.good("verify", path)
        self.assertEqual(self.rows(path), self.rows(self.path("old.plog")) | self.rows(self.path("new.plog")))

    def test_recording_goes_on_behind_them(self):
        old, new = self.log("old.plog", 100), self.log("new.plog", 60)
        path = self.write("hurt.plog", new[:2 * BLOCK] + old[2 * BLOCK:4 * BLOCK])
        os.chmod(path, 0o600)
        before = self.rows(path, 2)
        self.record(path, *SYSTEM, "-n", "20", "-i", "10ms")
        self.assertEqual(self.verify(path)["sessions"], 2)
        self.assertGreater(self.rows(path, 2), before)
        self.assertEqual(run("repair", "-q", path, "-o", self.path("clean.plog")).code, 2)
        self.assertEqual(self.verify(self.path("clean.plog"))["sessions"], 2)
        self.good("verify", self.path("clean.plog"))

    def test_joined_logs_are_read_as_one(self):
        """Recorded into, joined again, and damaged where one of them begins."""
        a, b, c = self.log("a.plog", 20, 20), self.log("b.plog", 20, 20), self.log("c.plog", 20)
        all_rows = {name: self.rows(self.path(name + ".plog")) for name in "abc"}
        ab = self.write("ab.plog", a + b)
        os.chmod(ab, 0o600)
        self.assertEqual(self.rows(ab), all_rows["a"] | all_rows["b"])
        self.record(ab, *SYSTEM, "-n", "20", "-i", "10ms")
        abd = self.rows(ab)
        with open(ab, "rb") as f:
            joined = f.read()
        path = self.write("cab.plog", c + joined + c[:len(c) // 2 + 3] + joined)
        self.good("verify", path)
        self.assertEqual(self.rows(path), all_rows["c"] | abd)
        self.assertEqual(self.verify(path)["sessions"], 6)
        hurt = bytearray(a + b)
        hurt[len(a) + 80] ^= 1
        path = self.write("hurt.plog", hurt)
        first_of_b = len(a) + 72 + (struct.unpack_from("<I", b, 40)[0] + 7) // 8 * 8
        if (len(a) - 1) // BLOCK == first_of_b // BLOCK:  # else b may be of another file
            self.assertEqual(len(self.rows(path, 2)), len(all_rows["a"] | all_rows["b"]))
        else:
            self.assertEqual(self.rows(path, 2), all_rows["a"])

    def rotate(self, num):
        """Record until there are so many segments, however few processes there are; their names."""
        def segments():
            return sorted(n for n in os.listdir(self.folder) if n.startswith("r-"))
        recording = Recording(self, self.path("r.plog"), "-q", "-c", r"\Process(*)\*", "-i", "10ms", "--max-size", "64K",
                              "--pack", "never")
        recording.wait(lambda: len(segments()) >= num, "%d segments" % num)
        self.assertEqual(recording.end().code, 0)
        return segments()

    def test_segments_and_their_parts(self):
        names = self.rotate(3)
        parts = []
        for name in names:
            with open(self.path(name), "rb") as f:
                parts.append(f.read())
        every = self.rows(self.folder)
        self.assertEqual(self.rows(self.write("all", b"".join(parts))), every)
        self.assertEqual(self.rows(self.write("late", b"".join(parts[1:]))), self.rows(self.write("x", parts[1])) | {
            row for p in parts[2:] for row in self.rows(self.write("y", p))})
        last = max(parts[1:], key=len)
        half = len(last) // 2 // BLOCK * BLOCK
        path = self.write("z", last[:half] + parts[0][half:])
        report = self.verify(path)
        self.assertTrue(any("another file" in r.get("reason", "") for r in report["ranges"]), report)
        self.assertEqual(self.rows(path, 2) - self.rows(self.path(names[parts.index(last)])), set())

    def test_segments_of_two_recordings(self):
        """Each begins a log of its own, whose records are no other file's."""
        self.rotate(2)
        names = self.rotate(4)
        self.assertEqual(self.rows(self.folder), {row for n in names for row in self.rows(self.path(n))})
        self.good("verify", *map(self.path, names))


if __name__ == "__main__":
    harness.main()
