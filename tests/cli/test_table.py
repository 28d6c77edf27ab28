#!/usr/bin/env python3
"""export --layout table and --split: folders and numbered files, and that all layouts agree."""
import csv
import hashlib
import os
import resource
import signal
import struct
import subprocess
import sys
import time

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import PROGRAM, Case, Wide, long_rows, run
import write_log

START = 1_795_246_500
S = 10**9
RATE, GAUGE, HEX = 0x10410500, 0x00010100, 0x00000000
SHEET_ROWS, SHEET_COLUMNS = 1_048_576, 16_384


def read(path):
    with open(path, newline="") as f:
        return list(csv.reader(f))


def bytes_of(path):
    with open(path, "rb") as f:
        return f.read()


def hash_of(number):
    """A number without any pattern, which cannot be compressed."""
    return int.from_bytes(hashlib.sha256(b"%d" % number).digest()[:8], "little")


def records(path):
    """The records of a log that is not damaged."""
    data, at = bytes_of(path), 0
    while at < len(data):
        length = 72 + (struct.unpack_from("<I", data, at + 40)[0] + 7) // 8 * 8
        yield data[at:at + length]
        at += length


class Made(Case):
    def setUp(self):
        super().setUp()
        self.maker = write_log

    def made(self, name, names, samples, **how):
        log = self.maker.Log({i: n.encode() for i, n in names.items()}, **how)
        for second, objects in samples:
            log.sample((START + second) * S, objects)
        return log.save(self.path(name))

    def two_objects(self):
        """Disk with instances that come and go, Memory without any, and a total of the disks."""
        facts = {2: struct.pack("<BI", 0, 0) + struct.pack("<IBB", 4, 255, 1)}
        samples = []
        for s in range(6):
            disks = [("sda", (10 * s, s, 7))] + ([("sd10", (5 * s, 1, 8)), ("sd2", (s, 2, 9))] if s in (2, 3) else [])
            samples.append((s, [
                self.maker.object_of(2, [(4, RATE, 8), (6, GAUGE, 8), (8, HEX, 4)], disks),
                self.maker.object_of(10, [(12, GAUGE, 8)], [(None, (100 + s,))])]))
        return self.made("a.plog", {2: "Disk", 4: "Bytes, all/sec", 6: "Size", 8: "Flags", 10: "Memory", 12: "Free"},
                         samples, facts=facts)


class Tables(Made):
    def table(self, log, *options):
        out = self.path("sheets")
        self.good("export", "-q", "--layout", "table", "-o", out, *options, log)
        found = {name: read(os.path.join(out, name)) for name in sorted(os.listdir(out))}
        for name in found:
            os.unlink(os.path.join(out, name))
        os.rmdir(out)
        return found

    def test_a_sheet_per_object(self):
        found = self.table(self.two_objects(), "--to", "@%d" % (START + 2))
        self.assertEqual(found, {
            "Disk.csv": [["Time (UTC)", "Host", "Instance", "Bytes, all/sec", "Size"],
                         ["2026-11-21 07:35:00", "web", "sda", "", "0"],
                         ["2026-11-21 07:35:00", "web", "_Total", "", ""],
                         ["2026-11-21 07:35:01", "web", "sda", "10", "1"],
                         ["2026-11-21 07:35:01", "web", "_Total", "10", ""],
                         ["2026-11-21 07:35:02", "web", "sda", "10", "2"],
                         ["2026-11-21 07:35:02", "web", "sd10", "", "1"],
                         ["2026-11-21 07:35:02", "web", "sd2", "", "2"],
                         ["2026-11-21 07:35:02", "web", "_Total", "10", ""]],
            "Memory.csv": [["Time (UTC)", "Host", "Instance", "Free"],
                           ["2026-11-21 07:35:00", "web", "", "100"],
                           ["2026-11-21 07:35:01", "web", "", "101"],
                           ["2026-11-21 07:35:02", "web", "", "102"]]})

    def test_layouts_agree(self):
        """Every value of one layout is in the others, at the same time and of the same name."""
        with harness.process_named("=1+1"):
            real = self.record(self.path("real.plog"), "-i", "100ms", "-n", "5")
        for log in self.two_objects(), real:
            for options in [], ["--every", "2s"], ["--every", "2s:max"]:
                with self.subTest(log=log, options=options):
                    # No guard: what it puts before a formula depends on where in a cell a name stands.
                    self.agree(log, ["--no-guard", *options])

    def agree(self, log, options):
        lines = {}
        for r in long_rows(self.good("export", "--layout", "long", *options, log).out):
            letter = r["Counter"] == "State" and r["Value"].isalpha()  # the others have numbers only
            if r["Value"] and not r["Value"].startswith("0x") and not letter:
                lines[r["Time"], r["Object"], r["Instance"], r["Counter"]] = r["Value"]
        table = {}
        for name, rows in self.table(log, *options).items():
            for row in rows[1:]:
                for counter, value in zip(rows[0][3:], row[3:]):
                    if value:
                        table[row[0], name[:-4], row[2], counter] = value
        self.assertEqual(table, lines)
        sheet = self.wide(log, *options, "--wide-anyway", "-c", "*")  # whatever runs here
        wide = {}
        for row in sheet.rows:
            for name, value in zip(sheet.header[1:], row[1:]):
                if value:
                    wide[row[0], name.split("\\", 3)[3]] = value
        named = {(t, "%s\\%s" % (o + ("(%s)" % i if i else ""), c)): v
                 for (t, o, i, c), v in lines.items()}
        # Not assertEqual: what it prints of sheets this large tells nothing.
        self.assertFalse(sorted(wide.items() ^ named.items())[:8])

    def test_names_of_files(self):
        names = {2: "A/B", 4: "a:b", 6: "con", 8: "../../x", 10: "n" * 300, 12: "n" * 301, 20: "Free"}
        log = self.made("a.plog", names, [(0, [self.maker.object_of(i, [(20, GAUGE, 8)], [(None, (i,))])
                                               for i in (2, 4, 6, 8, 10, 12)])])
        found = self.table(log)
        self.assertEqual({name: rows[1][3] for name, rows in found.items()}, {
            "A_B.csv": "2", "a_b-2.csv": "4", "con_.csv": "6", "_._.._x.csv": "8", "n" * 100 + ".csv": "10",
            "n" * 100 + "-2.csv": "12"})

    def test_hundreds_of_objects_need_no_handles(self):
        names = {2 * i: "Object %d" % i for i in range(1, 401)}
        names[1000] = "Free"
        log = self.made("a.plog", names, [
            (s, [self.maker.object_of(2 * i, [(1000, GAUGE, 8)], [(None, (i,))]) for i in range(1, 401)])
            for s in range(3)])

        def limit():
            resource.setrlimit(resource.RLIMIT_NOFILE, (16, 16))
        out = self.path("many")
        self.good("export", "-q", "--layout", "table", "-o", out, log, preexec_fn=limit)
        self.assertEqual(len(os.listdir(out)), 400)
        self.assertEqual(len(read(os.path.join(out, "Object 400.csv"))), 4)

    def test_a_folder_in_the_way(self):
        log = self.two_objects()
        os.mkdir(self.path("empty"))
        os.symlink("nowhere", self.path("link"))
        self.write("file")
        for name in "empty", "link", "file", "empty/":
            self.refused(1, "export", "--layout", "table", "-o", self.path(name), log, says="there already")
        self.refused(1, "export", "--layout", "table", log, says="-o")
        self.refused(1, "export", "--layout", "table", "-o", "-", log, says="-o")
        self.refused(1, "export", "--layout", "table", "-o", self.path("none", "x"), log, says="No such file")
        self.good("export", "-q", "--layout", "table", "-o", self.path("slash/"), log)
        self.assertEqual(sorted(os.listdir(self.path("slash"))), ["Disk.csv", "Memory.csv"])

    def test_nothing_to_show_makes_no_folder(self):
        log = self.two_objects()
        for more in ["-c", r"\None\x"], ["--from", "@%d" % (START + 9)]:
            r = run("export", "--layout", "table", "-o", self.path("x"), *more, log)
            self.check_one_line(r, 1)
        self.assertEqual(os.listdir(self.folder), ["a.plog"])

    def test_a_full_disk_leaves_nothing(self):
        log = self.record(self.path("real.plog"), "-i", "100ms", "-n", "5")

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        for options in ["--layout", "table"], ["--layout", "long", "--split"], ["--layout", "long"]:
            self.refused(1, "export", "-q", *options, "-o", self.path("x"), log, preexec_fn=limit, says="too large")

    def test_interrupted(self):
        log = self.path("a.plog")
        recording = harness.Recording(self, log, *harness.SYSTEM, "-i", "100ms")
        recording.wait_for(2)
        for options, part in (["--layout", "table"], "x.part"), (["--layout", "long", "--split"], "x-001.part"):
            p = subprocess.Popen([PROGRAM, "export", "-q", "-f", *options, "-o", self.path("x"), log])
            harness.wait_until(lambda: os.path.exists(self.path(part)) and harness.state_of(p.pid) == "S",
                               "it waits for more samples")
            p.send_signal(signal.SIGTERM)
            self.assertEqual(p.wait(harness.TIMEOUT), 0)  # with --follow this is how it ends
        self.assertEqual(recording.end().code, 0)
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.plog", "x", "x-001"])
        self.assertEqual(sorted(os.listdir(self.path("x"))), ["Performance Logger.csv", "System.csv"])

    def test_what_no_key_sample_has(self):
        """The first look is into key samples only; the sheets are those of a log whose samples all are."""
        names = {2: "a/b", 4: "a:b", 6: "New", 10: "Filler", 12: "One", 14: "Two", 16: "Three", 18: "Four"}
        noise = [("n%d" % i, (hash_of(i),)) for i in range(200)]
        filler = self.maker.object_of(10, [(12, GAUGE, 8)], noise)

        def of(index, *counters):
            return self.maker.object_of(index, [(c, GAUGE, 8) for c in counters], [(None, counters)])
        cases = {  # objects beside the filler from a sample on: keys are 0, 60 and 120
            "a counter": {0: [of(2, 12, 14)], 30: [of(2, 12, 14, 16)], 50: [of(2, 12, 14)]},
            "an object": {0: [of(2, 12)], 30: [of(2, 12), of(6, 12)], 50: [of(2, 12)]},
            "an order of counters": {0: [of(2, 12, 14)], 30: [of(2, 12, 14, 16)], 40: [of(2, 12, 14, 18, 16)]},
            "an order of objects": {0: [], 30: [of(2, 12)], 40: [of(4, 14), of(2, 12)]},
        }
        for case, changes in cases.items():
            with self.subTest(case):
                keys = self.made("keys.plog", names, [
                    (s, [filler] + changes[max(c for c in changes if c <= s)]) for s in range(130)])
                log = self.path("%s.plog" % case)
                self.good("repair", keys, "-o", log)
                self.assertEqual(sum(b"SMPL" == r[4:8] and r[20:22] == b"\0\0" for r in records(log)), 3)
                for options in [], ["--every", "10s"], ["-c", r"\*\Three", "-c", r"\Filler(n7)\*"]:
                    if case != "a counter" and "-c" in options:
                        continue
                    # Not assertEqual: to print how sheets this large differ takes minutes.
                    self.assertTrue(self.table(log, *options) == self.table(keys, *options), options)

    def test_two_hosts(self):
        logs = []
        for host in b"web", b"db":
            logs.append(self.made(host.decode() + ".plog", {2: "Memory", 4: "Free"}, [
                (s, [self.maker.object_of(2, [(4, GAUGE, 8)], [(None, (len(host) + s,))])]) for s in range(2)],
                host=host))
        out = self.path("x")
        self.good("export", "-q", "--layout", "table", "-o", out, *logs)
        self.assertEqual([row[1:] for row in read(os.path.join(out, "Memory.csv"))[1:]],
                         [["db", "", "2"], ["web", "", "3"], ["db", "", "3"], ["web", "", "4"]])


class Split(Made):
    def gauges(self, instances, samples, seconds=1):
        """A log of that many values."""
        obj = self.maker.object_of(2, [(4, GAUGE, 8)], [("i%d" % i, (i,)) for i in range(instances)])
        return self.made("a.plog", {2: "Many", 4: "Size"}, [(s * seconds, [obj]) for s in range(samples)])

    def export(self, *args):
        r = self.good("export", *args)
        return r.err

    def test_rows_at_the_limit(self):
        """1,048,575 rows and the header are what a sheet takes, and one more is not."""
        log = self.gauges(13981, 75)
        out = self.path("x.csv")
        self.assertEqual(self.export("--layout", "long", "-o", out, log), "")
        whole = bytes_of(out)
        self.assertEqual(whole.count(b"\n"), SHEET_ROWS)
        self.assertEqual(self.export("--layout", "long", "--split", "-o", out, log), "")
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.plog", "x-001.csv", "x.csv"])
        self.assertEqual(bytes_of(self.path("x-001.csv")), whole)
        os.unlink(self.path("x-001.csv"))
        log = self.gauges(13982, 75)
        said = self.export("--layout", "long", "-o", out, log)
        self.assertIn("%d rows with the header" % (13982 * 75 + 1), said)
        self.assertIn("--every", said)
        self.assertEqual(self.export("--layout", "long", "--split", "-o", out, log), "")
        whole = bytes_of(out)
        first, second = (bytes_of(self.path("x-00%d.csv" % i)) for i in (1, 2))
        self.assertEqual((first.count(b"\n"), second.count(b"\n")), (SHEET_ROWS, 76))
        header = whole[:whole.index(b"\n") + 1]
        self.assertTrue(second.startswith(header))
        self.assertEqual(first + second[len(header):], whole)

    def test_columns_at_the_limit(self):
        out = self.path("x.csv")
        log = self.gauges(SHEET_COLUMNS - 1, 2)
        self.assertEqual(self.export("-o", out, log), "")
        self.assertEqual(len(read(out)[0]), SHEET_COLUMNS)
        self.export("--split", "-o", out, log)
        self.assertEqual(read(self.path("x-001.csv")), read(out))
        self.assertFalse(os.path.exists(self.path("x-002.csv")))
        os.unlink(self.path("x-001.csv"))
        os.unlink(out)
        log = self.gauges(SHEET_COLUMNS, 2)
        self.refused(1, "export", "-o", out, log, says="%d columns" % (SHEET_COLUMNS + 1))
        # a column with the offset takes the place of a series
        summer = self.gauges(SHEET_COLUMNS - 1, 2, seconds=150 * 86400)
        self.refused(1, "export", "-o", out, "--tz", "Europe/Berlin", summer, says="%d columns" % (SHEET_COLUMNS + 1))
        self.export("--split", "--tz", "Europe/Berlin", "-o", out, summer)
        self.assertEqual([len(read(self.path("x-00%d.csv" % i))[0]) for i in (1, 2)], [SHEET_COLUMNS, 3])
        for i in 1, 2:
            os.unlink(self.path("x-00%d.csv" % i))
        log = self.gauges(SHEET_COLUMNS, 2)
        self.export("--split", "-o", out, log)
        first, second = read(self.path("x-001.csv")), read(self.path("x-002.csv"))
        self.assertEqual([len(row) for row in first], [SHEET_COLUMNS] * 3)
        self.assertEqual(second, [["Time (UTC)", r"\\web\Many(i%d)\Size" % (SHEET_COLUMNS - 1)],
                                  ["2026-11-21 07:35:00", str(SHEET_COLUMNS - 1)],
                                  ["2026-11-21 07:35:01", str(SHEET_COLUMNS - 1)]])

    def test_interrupted(self):
        """Whatever was begun is gone, at whatever instant the signal comes."""
        log = self.gauges(5000, 75)
        for options, out in ((["--layout", "table"], "x"), (["--layout", "long", "--split"], "x.csv"),
                             (["--layout", "long"], "x.csv")):
            for sig in signal.SIGINT, signal.SIGTERM:
                p = subprocess.Popen([PROGRAM, "export", "-q", *options, "-o", self.path(out), log])
                harness.wait_until(lambda: len(os.listdir(self.folder)) > 1 or p.poll() is not None, "begun")
                p.send_signal(sig)
                self.assertEqual(p.wait(harness.TIMEOUT), -sig, options)
                self.assertEqual(os.listdir(self.folder), ["a.plog"], options)

    def test_wrong_use(self):
        log = self.gauges(2, 2)
        self.refused(1, "export", "--split", log, says="-o")
        self.write("x-001.csv", b"somebody's\n")
        self.refused(1, "export", "-q", "--split", "-o", self.path("x.csv"), log, says="there already")

    def test_a_disk_that_is_full_at_the_header(self):
        log = self.gauges(SHEET_COLUMNS - 1, 2)

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
        for options in [], ["--split"]:
            self.refused(1, "export", "-q", *options, "-o", self.path("x.csv"), log, preexec_fn=limit, says="too large")

    def test_names(self):
        log = self.gauges(2, 2)
        os.mkdir(self.path("d.x"))
        for name, made in ("s.dat", "s-001.dat"), ("plain", "plain-001"), ("d.x/plain", "d.x/plain-001"):
            self.export("--split", "-o", self.path(name), log)
            self.assertEqual(len(read(self.path(made))), 3)


class Order(Made):
    def test_columns_of_a_wide_sheet(self):
        """Host, object, instance with 2 before 10 and _Total last, counter; from the first row on."""
        facts = {2: struct.pack("<BI", 0, 0) + struct.pack("<IBB", 4, 255, 1)}
        there = {0: ["b10"], 1: ["b10", "a"], 2: ["b2", "_Other", "a"], 3: ["B2", "b10"]}
        log = self.made("a.plog", {2: "Disk", 4: "Rate", 6: "Size", 10: "Cache", 12: "Free"}, [
            (s, [self.maker.object_of(2, [(4, RATE, 8), (6, GAUGE, 8)], [(i, (s, s)) for i in there[s]])] +
             ([self.maker.object_of(10, [(12, GAUGE, 8)], [(None, (s,))])] if s > 1 else [])) for s in there],
            facts=facts)
        sheet = self.wide(log)
        self.assertEqual([name[6:] for name in sheet.header[1:]], [
            r"Disk(B2)\Rate", r"Disk(B2)\Size", r"Disk(a)\Rate", r"Disk(a)\Size", r"Disk(b2)\Rate",
            r"Disk(b2)\Size", r"Disk(b10)\Rate", r"Disk(b10)\Size", r"Disk(_Other)\Rate", r"Disk(_Other)\Size",
            r"Disk(_Total)\Rate", r"Cache\Free"])
        self.assertEqual(sheet.column(r"(b10)\Size"), [0, 1, None, 3])
        self.assertEqual(sheet.column(r"Cache\Free"), [None, None, 2, 3])


if __name__ == "__main__":
    harness.main()
