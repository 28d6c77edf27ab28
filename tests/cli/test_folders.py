#!/usr/bin/env python3
"""A folder of logs of which some are damaged where a file begins: everything else in it is read."""
import os
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
import write_log
from harness import Case, run

READERS = ("verify",), ("info",), ("list",), ("export",), ("stats",)
OBJECT, GAUGE, RAW = 2, 4, 0x10100
SAMPLES, SEGMENTS = 4, 3


class Folder(Case):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("f"))

    def log(self, start, first_seq=0, session=1, host=b"web"):
        log = write_log.Log({OBJECT: b"Memory", GAUGE: b"Available"}, host=host, session=session, seq=first_seq, machine=77)
        for s in range(start, start + SAMPLES):
            log.sample(s * write_log.SECOND, [write_log.object_of(OBJECT, [(GAUGE, RAW, 8)], [(None, [s])])])
        return log

    def segments(self):
        """A rotated session of one host; the bytes of its files."""
        seq, files = 0, []
        for k in range(SEGMENTS):
            log = self.log(100 + k * SAMPLES, seq)
            seq = log.seq
            files.append(log.save(self.path("f", "s.%03d.plog" % k)))
        return files


class FirstRecord(Folder):
    """The record with the host's name is lost: samples of the session have it from its other files."""

    def hurt(self, path):
        with open(path, "r+b") as f:
            f.write(b"\xa5" * 72)

    def test_a_segment_keeps_its_host(self):
        files = self.segments()
        want = [line.rpartition(",")[2] for line in self.good("export", self.path("f")).out.splitlines()[1:]]
        for path in files:
            data = harness.content_of(path)
            self.hurt(path)
            with self.subTest(path=os.path.basename(path)):
                r = run("export", "--layout", "wide", self.path("f"))
                self.assertEqual(r.code, 2, r)
                header, *rows = r.out.splitlines()
                self.assertEqual(header.count(","), 1, header)
                self.assertIn(r"\\web\Memory\Available", header)
                self.assertEqual([row.rpartition(",")[2] for row in rows], want)
                verify = run("verify", self.path("f"))
                self.assertEqual(verify.code, 2)
                self.assertNotIn("segments that are not here", verify.out)
                self.assertEqual(run("repair", "-q", self.path("f"), "-o", self.path("new.plog")).code, 2)
                self.assertEqual(self.good("export", "--layout", "wide", self.path("new.plog")).out, r.out)
                os.unlink(self.path("new.plog"))
            with open(path, "wb") as f:
                f.write(data)

    def test_another_session_gives_no_name(self):
        """A log without a name is not another machine's because it lies beside it."""
        self.log(100).save(self.path("f", "a.plog"))
        self.hurt(self.log(200, session=2).save(self.path("f", "b.plog")))
        r = run("export", "--layout", "wide", self.path("f"))
        self.assertIn(r"\\web\Memory\Available", r.out)
        self.assertIn(r"\\\Memory\Available", r.out)


class NoRecord(Folder):
    """A file without any good record is damage, not the end of all commands."""

    def test_all_else_is_read(self):
        self.segments()
        want = self.good("export", self.path("f")).out
        for name in "a.plog", "s.001a.plog", "z.plog":
            for content in b"not one " * 20, os.urandom(5000), bytes(88) + b"\1" * 3000:
                path = self.write(os.path.join("f", name), content)
                with self.subTest(name=name, content=content[:8]):
                    for command in READERS:
                        r = run(*command, self.path("f"))
                        self.assertEqual(r.code, 2, (command, r))
                        if command != ("info",):  # it counts them
                            self.assertIn(path, r.err or r.out, command)
                    self.assertEqual(run("export", self.path("f")).out, want)
                    self.assertIn("%s: bytes 0 to %d (%d): damaged" % (path, len(content) - 1, len(content)),
                                  run("verify", self.path("f")).out)
                    self.assertEqual(run("repair", "-q", self.path("f"), "-o", self.path("new.plog")).code, 2)
                    self.good("verify", self.path("new.plog"))
                    os.unlink(self.path("new.plog"))
                    self.refused(4, "export", path, says="not a perflog log")
                os.unlink(path)

    def test_a_fragment_is_an_interruption(self):
        """What is shorter than a record's head is the beginning of one, as at the end of a file."""
        self.segments()
        want = self.good("export", self.path("f")).out
        for content in b"\x89PL", b"\x89PL1" + bytes(40):
            self.write("f/s.003.plog", content)
            for command in READERS:
                self.good(*command, self.path("f"))
            self.assertEqual(self.good("export", self.path("f")).out, want)
            self.assertIn("interrupted: a record cut short", self.good("verify", self.path("f")).out)

    def test_nothing_else(self):
        """Where no file has one, there is nothing to read."""
        first = self.write("f/a.plog", b"not one")
        self.write("f/b.plog", bytes(5000))
        for command in READERS:
            self.refused(4, *command, self.path("f"), says="%s: not a perflog log" % first)


if __name__ == "__main__":
    harness.main()
