#!/usr/bin/env python3
"""perflog repair: what is good in a damaged log, and nothing else, in a new one."""
import json
import os
import random
import re
import resource
import shutil
import signal
import socket
import struct
import subprocess
import sys
import unittest

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import crafted
import harness
import write_log
from crafted import edited
from harness import PROGRAM, SYSTEM, Case, run, snapshot

NO_REPORT = run("report", "--help").code != 0
READ_LOG = os.path.join(harness.SUPPORT, "read_log.py")


def read(path):
    with open(path, "rb") as f:
        return f.read()


def damage(data, seed):
    """Some bytes changed, removed, added or in another place."""
    r, data = random.Random(seed), bytearray(data)
    for _ in range(r.choice((1, 1, 2, 4))):
        at = r.randrange(len(data) if r.random() < 0.8 else min(len(data), 9000))
        n, kind = r.choice((1, 8, 100, 700, 5000)), r.choice(range(7))
        if kind == 0:
            data[at] ^= 1 << r.randrange(8)
        elif kind == 1:
            data[at:at + n] = bytes(len(data[at:at + n]))
        elif kind == 2:
            del data[at:at + n]
        elif kind == 3:
            data[at:at] = r.randbytes(n)
        elif kind == 4:
            data[at:at] = data[at:at + n]
        elif kind == 5:
            other = r.randrange(len(data))
            data[at:at + n], data[other:other + n] = data[other:other + n], data[at:at + n]
        else:
            del data[max(at, 100):]
        if len(data) < 200:
            break
    return bytes(data)


class RepairCase(Case):
    def export(self, log, layout, *args):
        return run("export", "-q", "--layout", layout, *args, log).raw_out

    def sessions_log(self):
        """Closed, closed, killed, closed; with more objects here and there."""
        log = self.path("sessions.plog")
        self.record(log, "-i", "20ms", "-n", "130", *SYSTEM, "-c", r"\Processor\*")
        self.record(log, "-i", "20ms", "-n", "5", *SYSTEM)
        killed = harness.Recording(self, log, "-i", "10ms", *SYSTEM)
        killed.wait_for(harness.count_samples(log) + 10)
        killed.end(signal.SIGKILL)
        self.record(log, "-i", "20ms", "-n", "20", "-c", r"\PhysicalDisk\*")
        return log

    def segments(self):
        folder = self.path("segments")
        os.mkdir(folder)
        self.record(os.path.join(folder, "a.plog"), "-i", "100ms", "-n", "30", "--max-time", "1s", *SYSTEM)
        self.assertGreater(len(os.listdir(folder)), 2)
        return folder

    def blocks(self, log):
        """The independent reader's view: every block, and what else was recorded."""
        raw = self.path("raw-" + os.path.basename(log))
        os.mkdir(raw)
        done = subprocess.run([*harness.PYTHON, READ_LOG, "--raw", raw, log], stdout=subprocess.PIPE,
                              timeout=harness.TIMEOUT)
        self.assertEqual(done.returncode, 0)
        names = sorted(os.listdir(raw))
        bytes_ = [read(os.path.join(raw, n)) for n in names]
        shutil.rmtree(raw)
        items = [json.loads(line) for line in done.stdout.splitlines()]
        return bytes_, items

    def check_same_sheets(self, old, new):
        for layout in "long", "wide":
            self.assertTrue(self.export(old, layout) == self.export(new, layout),
                            "the %s sheets of %s and %s differ" % (layout, old, new))


class Whole(RepairCase):
    def test_every_fact_is_kept(self):
        log, new = self.sessions_log(), self.path("new.plog")
        before = snapshot(self.folder)
        r = self.good("repair", log, "-o", new)
        self.assertIn("in 4 sessions written to", r.err)
        self.assertEqual(os.stat(new).st_mode & 0o777, 0o600)
        self.good("verify", new)
        self.check_same_sheets(log, new)
        (was, old_items), (now, new_items) = self.blocks(log), self.blocks(new)
        self.assertTrue(was == now, "blocks differ")

        def facts(items, kind, names):
            return [tuple(str(i.get(n)) for n in names) for i in items if i["type"] == kind]
        self.assertEqual(facts(old_items, "SMPL", ("utc_ns", "boot_ns", "flags", "raw_len")),
                         facts(new_items, "SMPL", ("utc_ns", "boot_ns", "flags", "raw_len")))
        skip = {"at", "len", "session", "seq", "raw_hash", "payload_hash"}
        for item in old_items + new_items:
            item.get("tags", {}).pop("25", None)  # in which file it is
        for kind in "SESS", "gaps", "note":
            self.assertEqual([{k: v for k, v in i.items() if k not in skip}
                              for i in old_items if i["type"] == kind],
                             [{k: v for k, v in i.items() if k not in skip}
                              for i in new_items if i["type"] == kind], kind)
        self.assertEqual(facts(old_items, "ends", ("reason", "samples", "missed")),
                         facts(new_items, "ends", ("reason", "samples", "missed")))
        os.remove(new)
        self.check_unchanged(before)

    def test_interrupted_is_no_loss(self):
        data = read(self.sessions_log())
        log, new = self.write("cut.plog", data[:-100]), self.path("new.plog")
        self.good("repair", "-q", log, "-o", new)
        self.good("verify", new)
        self.check_same_sheets(log, new)
        info, = json.loads(self.good("info", "--json", new).out)
        self.assertFalse(info["ended"], "it was never ended")

    def test_the_beginning_of_time_is_a_time(self):
        """A session that began at 0, as clocks without a battery do, still did."""
        log, new = write_log.Log({2: b"System"}), self.path("new.plog")
        log.sample(0, [write_log.object_of(2, [(4, 0x10100, 8)], [(None, [1])])])
        self.good("repair", log.save(self.path("old.plog")), "-o", new)
        self.assertEqual(struct.unpack_from("<qq", read(new), 24), (0, 0))

    def test_segments_become_one(self):
        folder, new = self.segments(), self.path("new.plog")
        self.good("repair", "-q", folder, "-o", new)
        self.assertEqual(harness.count_samples(new), 30)
        self.good("verify", new)
        self.check_same_sheets(folder, new)
        # One is not here: no damage, but no pair either.
        os.remove(os.path.join(folder, sorted(os.listdir(folder))[1]))
        os.remove(new)
        self.good("repair", "-q", folder, "-o", new)
        self.good("verify", new)
        self.check_same_sheets(folder, new)
        self.assertIn(b",gap\n", self.export(new, "long"))
        self.assertRegex(self.good("info", new).out, "samples missing until .*: not in the log")

    def test_what_is_lost_before_all_samples_has_no_span(self):
        log = self.path("sessions.plog")
        for _ in range(2):  # so few that a late one more or less hides no event
            self.record(log, "-i", "20ms", "-n", "5", *SYSTEM)
        data = bytearray(read(log))
        key = next(at for kind, at, _, _ in harness.records(log) if kind == "SMPL")
        data[key + 80] ^= 1
        new = self.path("new.plog")
        self.assertEqual(run("repair", "-q", self.write("hurt.plog", bytes(data)), "-o", new).code, 2)
        self.assertRegex(run("info", new).out, r"UTC  \d+ samples missing: ")

    def test_one_sample_is_one(self):
        self.record(self.path("one.plog"), "-n", "1", "-i", "20ms", *SYSTEM)
        r = self.good("repair", self.path("one.plog"), "-o", self.path("new.plog"))
        self.assertIn(": 1 sample in 1 session written to ", r.err)

    def test_reboot_is_reported(self):
        log = self.path("a.plog")
        for _ in range(2):
            self.record(log, "-i", "20ms", "-n", "3", *SYSTEM)
        at = [r[1] for r in harness.records(log) if r[0] == "SESS"][1]

        def other_boot(header, payload):
            p = 0
            while p < len(payload):
                tag, _, n = struct.unpack_from("<HHI", payload, p)
                if tag == 3:
                    payload[p + 8:p + 24] = bytes(range(16))
                p += 8 + n
        rebooted = self.write("b.plog", edited(read(log), at, other_boot))
        new = self.path("new.plog")
        self.good("repair", "-q", rebooted, "-o", new)
        for path, reboots in (log, 0), (rebooted, 1), (new, 1):
            info, = json.loads(self.good("info", "--json", path).out)
            self.assertEqual(info["reboots"], reboots)
            event, = [e for e in info["events"] if e["kind"] == "session"]
            self.assertEqual("after a reboot" in event["text"], bool(reboots))
            self.assertIn("recording begins again", self.good("info", path).out)

    def with_events(self, middle, samples=3):
        """Records made here, (kind, payload) each, stand before the last of the samples."""
        log = self.record(self.path("a.plog"), "-i", "20ms", "-n", str(samples), *SYSTEM)
        data, rs = read(log), harness.records(log)
        last = [r for r in rs if r[0] == "SMPL"][-1][1]
        session, = struct.unpack_from("<Q", data, 8)
        seq, = struct.unpack_from("<I", data, last + 16)
        utc = 1792889999_500000000
        events = b"".join(crafted.record(kind, session, seq + i, payload, utc)
                          for i, (kind, payload) in enumerate(middle))

        def later(header, payload):
            ref, = struct.unpack_from("<H", header, 20)  # 0: whole, else so many records before
            struct.pack_into("<IH", header, 16, seq + len(middle), ref and ref + len(middle))
        return self.write("events.plog", data[:last] + events + edited(data, last, later)[last:rs[-2][1]])

    def test_events(self):
        t = 1792889999_500000000
        log = self.with_events([
            (b"gaps", crafted.gaps(t, t + 60_000_000_000, 61, 2)),
            (b"gaps", crafted.gaps(t, t, 1, 3, 28)),
            (b"gaps", crafted.gaps(t, t, 1, 77)),
            (b"note", crafted.note(1, "the wall clock jumped by +3600000 ms")),
            (b"note", crafted.note(4, "hello")),
            (b"zzzz", b"from a newer perflog")])
        new = self.path("new.plog")
        before, = json.loads(self.good("info", "--json", self.path("a.plog")).out)  # it may have been late
        self.good("repair", "-q", log, "-o", new)
        self.check_same_sheets(log, new)
        self.assertIn(b"from a newer perflog", read(new))
        for path in log, new:
            out = self.good("info", path).out
            for line in (r"2026-10-25 00:59:59.500 UTC  61 samples missing until 2026-10-25 01:00:59.500: "
                         "the machine was suspended\n",
                         r"UTC  1 sample missing: the disk was full: No space left on device\n",
                         r"UTC  1 sample missing: for a cause this perflog does not know\n",
                         r"59.500 UTC  the wall clock jumped by \+3600000 ms\n", r"UTC  hello\n"):
                self.assertRegex(out, line)
            info, = json.loads(self.good("info", "--json", path).out)
            self.assertEqual([e["kind"] for e in info["events"]],
                             [e["kind"] for e in before["events"]] + ["gap", "gap", "gap", "clock_step", "note"])
            self.assertEqual((info["missed"], info["clock_steps"]), (before["missed"] + 63, 1))

    def test_health_counts_lost_samples_by_cause(self):
        t = 1792889999_500000000
        gaps = [(b"gaps", crafted.gaps(t, t, n, cause, 28)) for n, cause in ((2, 1), (6, 3), (1, 3), (4, 7))]
        log = self.with_events(gaps, samples=6)
        info, = json.loads(self.good("info", "--json", log).out)  # the recording may have been late, too
        self.assertRegex(self.good("info", log).out, r"Health +no damage; %d samples lost \(%d late, 7 disk full\)\n"
                         % (info["missed"], info["missed"] - 7))
        os.unlink(self.path("a.plog"))
        log = self.with_events([(b"gaps", crafted.gaps(t, t, 0xFFFFFFFF, i % 12, 28)) for i in range(36)] +
                               [(b"gaps", crafted.gaps(t, t, 0xFFFFFFFF, 4, 12))], samples=6)
        self.assertRegex(self.good("info", log).out, r"Health +no damage; \d+ samples lost \(25769803770 unknown cause, "
                                                     r".*, 12884901885 disk error, .*, 12884901885 in a file not given, "
                                                     r"4294967295 too little memory\)\n")

    def test_lack_of_memory_is_no_fault_of_the_disk(self):
        """Cause 4 with errno 12."""
        t = 1792889999_500000000
        log = self.with_events([(b"gaps", crafted.gaps(t, t, n, 4, error)) for n, error in ((3, 12), (2, 5))], samples=6)
        out = self.good("info", log).out
        self.assertRegex(out, r"Health .*\(.*2 disk error, 3 too little memory\)\n")
        self.assertIn("UTC  3 samples missing: there was too little memory: Cannot allocate memory\n", out)
        self.assertIn("UTC  2 samples missing: the disk reported an error: Input/output error\n", out)

    def test_damage_to_all_samples_has_no_time(self):
        log = self.record(self.path("a.plog"), *SYSTEM, "-n", "3", "-i", "10ms")
        data = bytearray(read(log))
        for kind, at, *_ in harness.records(log):
            if kind == "SMPL":
                data[at + 75] ^= 1
        log = self.write("bad.plog", data)
        info, = json.loads(run("info", "--json", log).out)
        self.assertEqual([(e["kind"], e["time"]) for e in info["events"] if e["kind"] == "damage"], [("damage", None)])
        self.assertRegex(run("info", log).out, r"Events +time not known  \d+ damaged bytes: ")

    def test_lost_samples_come_before_those_that_were_not_taken(self):
        t = 1792889999_500000000
        late = [(b"gaps", crafted.gaps(t, t, 1, 1)) for _ in range(40)]
        log = self.with_events(late + [(b"gaps", crafted.gaps(t, t, 100, 3, 28))], samples=6)
        info, = json.loads(run("info", "--json", log).out)
        self.assertIn("100 samples missing: the disk was full", info["events"][0]["text"])
        self.assertRegex(run("info", log).out, r"Events .* UTC  100 samples missing: the disk was full")

    def test_what_matters_comes_first(self):
        """Damage, then gaps, then what limits left out; a program that comes and goes has one line."""
        t = 1792889999_500000000
        words = ("recorded", "recorded for the last time")
        notes = [(b"note", crafted.note(2, "counters of app:%d, user 1000: %s" % (i, words[i % 2]))) for i in range(40)]
        left_out = [(b"note", crafted.note(5, "counters of evil:%d, user 65534: over a limit" % i)) for i in range(2)]
        alone = [(b"note", crafted.note(2, "counters of app:7, user 1001: recorded"))]
        log = self.with_events(notes + left_out + alone + [(b"gaps", crafted.gaps(t, t, 1, 3, 28))], samples=6)
        data = bytearray(read(log))
        data[[r for r in harness.records(log) if r[0] == "SMPL"][2][1] + 75] ^= 1
        log = self.write("bad.plog", data)
        info, = json.loads(run("info", "--json", log).out)
        self.assertEqual([e["kind"] for e in info["events"] if e["kind"] != "gap"], ["damage", "left_out", "note", "note"])
        self.assertEqual([e["kind"] for e in info["events"]][1], "gap")
        self.assertEqual(info["left_out_notes"], 2)
        out = run("info", log).out
        self.assertRegex(out, r"Health .*; limits left out counters published by user 65534 \(2 notes\)\n")
        self.assertRegex(out, r"Events .* UTC  \d+ damaged bytes: (at least )?\d+ samples? lost( until .*)?\n")
        self.assertRegex(out, r"UTC  counters of app, user 1000: 40 notes until \S+ \S+; last: recorded for the last time\n")
        self.assertRegex(out, r"UTC  counters of evil, user 65534: 2 notes until \S+ \S+; last: over a limit\n")
        self.assertRegex(out, r"UTC  counters of app:7, user 1001: recorded\n")
        if not NO_REPORT:
            run("report", "-q", "-o", self.path("page.html"), log)
            marks = "".join(re.findall(r'<table class="marks">.*?</table>', read(self.path("page.html")).decode(), re.S))
            places = [marks.index(text) for text in ("damaged", "samples missing", "counters of app:39, user 1000: recorded "
                                                     "for the last time (40 times)", "user 65534: over a limit (2 times)")]
            self.assertEqual(places[:2], sorted(places[:2]))
            self.assertLess(places[1], min(places[2:]))

    @unittest.skipIf(NO_REPORT, "this build makes no reports")
    def test_a_later_note_does_not_hide_what_a_limit_left_out(self):
        text = "counters of evil:7, user 65534: "
        log = self.with_events([(b"note", crafted.note(2, "counters of app:1, user 1000: recorded")),
                                (b"note", crafted.note(5, text + "over a limit")),
                                (b"note", crafted.note(2, text + "recorded for the last time"))], samples=6)
        self.good("report", "-q", "-o", self.path("page.html"), log)
        page = read(self.path("page.html")).decode()
        places = [page.index(words) for words in (text + "over a limit", "user 1000: recorded<", "recorded for the last time")]
        self.assertEqual(places, sorted(places))

    def test_more_notes_than_a_reference_reaches_back(self):
        many = [(b"note", crafted.note(4, "%08d" % i)) for i in range(66000)]
        log, new = self.with_events(many, samples=61), self.path("new.plog")  # the last one is whole
        early, data = [r for r in harness.records(log) if r[0] == "SMPL"][9], bytearray(read(log))
        data[early[1] + 75] ^= 1  # so that the new log need not begin a chunk with the last one
        log = self.write("bad.plog", data)
        self.assertEqual(run("repair", "-q", log, "-o", new).code, 2)
        self.good("verify", "-q", new)
        self.check_same_sheets(log, new)
        self.assertEqual(harness.count_samples(new), 10)
        self.assertEqual(sum(r[0] == "note" for r in harness.records(new)), len(many))


class Damaged(RepairCase):
    def check(self, log, seeds, spoil):
        new, codes = self.path("new.plog"), set()
        for seed in seeds:
            with self.subTest(seed=seed):
                bad = spoil(seed)
                before = snapshot(bad) if os.path.isdir(bad) else read(bad)
                verdict = run("verify", "-q", bad).code
                r = run("repair", "-q", bad, "-o", new)
                self.assertEqual(r.code, verdict, r)
                codes.add(r.code)
                self.assertEqual(before, snapshot(bad) if os.path.isdir(bad) else read(bad),
                                 "the old log was changed")
                self.assertEqual(os.path.exists(new), verdict != 4)
                if verdict == 4:
                    continue
                self.good("verify", new)
                self.check_same_sheets(bad, new)
                os.remove(new)
        self.assertIn(2, codes)

    def test_sessions(self):
        log = self.sessions_log()
        data = read(log)
        self.check(log, range(14), lambda seed: self.write("bad.plog", damage(data, seed)))

    def test_titles_of_many_processes(self):
        log = self.record(self.path("a.plog"), "-i", "50ms", "-n", "9")
        data = read(log)
        self.check(log, range(100, 105), lambda seed: self.write("bad.plog", damage(data, seed)))

    def test_indexes(self):
        """Long enough for indexes and repeats."""
        log = self.record(self.path("a.plog"), "-i", "10ms", "-n", "400", "-c", r"\Paging File\*",
                          "-c", r"\Performance Logger\*")
        data = read(log)
        self.check(log, range(200, 208), lambda seed: self.write("bad.plog", damage(data, seed)))

    def test_segments(self):
        folder = self.segments()
        names = sorted(n for n in os.listdir(folder) if n.endswith(".plog"))  # a packer may have left what it had begun
        data = {n: read(os.path.join(folder, n)) for n in names}

        def spoil(seed):
            bad = self.path("bad")
            shutil.rmtree(bad, ignore_errors=True)
            shutil.copytree(folder, bad)
            name = random.Random(seed).choice(names)
            spoilt = bytearray(data[name])
            at = random.Random(seed).randrange(400, len(spoilt))
            spoilt[at:at + 600] = bytes(len(spoilt[at:at + 600]))
            with open(os.path.join(bad, name), "wb") as f:
                f.write(spoilt)
            return bad
        self.check(folder, range(300, 304), spoil)

    def test_what_was_lost_is_reported(self):
        log = self.record(self.path("a.plog"), "-i", "100ms", "-n", "9", *SYSTEM)
        third = [r for r in harness.records(log) if r[0] == "SMPL"][3]
        data = bytearray(read(log))
        data[third[1] + 80] ^= 1
        bad, new = self.write("bad.plog", data), self.path("new.plog")
        r = run("repair", bad, "-o", new)
        self.assertEqual(r.code, 2, r)
        self.assertIn("lost: 6 samples; damaged ranges: 1 (", r.err)
        found = json.loads(run("verify", "--json", bad).out)
        lost = [x for x in found["ranges"] if x["kind"] == "lost"]
        self.assertEqual([(x["samples"], x["offset"], x["bytes"]) for x in lost],
                         [(6, third[1], third[2])])
        late = json.loads(self.good("info", "--json", log).out)[0]["missed"]  # on a busy machine
        info, = json.loads(self.good("info", "--json", new).out)
        self.assertEqual((info["samples"], info["missed"]), (3, 6 + late))

    def test_the_beginning_is_lost(self):
        """However much that is; a pipe cannot be read again, so of its first MiB."""
        log = read(self.record(self.path("log.plog"), *SYSTEM, "-n", "5", "-i", "50ms"))
        rows = self.export(self.path("log.plog"), "long")
        for lost in bytes(1000), bytes(1400000), random.Random(1).randbytes(1400000):
            with self.subTest(lost=len(lost), first=lost[0]):
                path, new = self.write("hurt.plog", lost + log), self.path("new.plog")
                code = 2 if lost[0] else 0  # zeros before a session are no damage
                self.assertEqual(run("verify", path).code, code)
                if code:
                    rows = rows.replace(b",first\n", b",damaged\n")
                self.assertEqual(self.export(path, "long"), rows)
                self.assertEqual(run("repair", "-q", path, "-o", new).code, code)
                self.assertEqual(self.export(new, "long"), rows)
                os.remove(new)
                piped = run("export", "-q", "--layout", "long", "-", data=lost + log)
                if len(lost) == 1000:
                    self.assertEqual(piped.raw_out, rows)
                else:
                    self.check_one_line(piped, 4, "not a perflog log")

    def test_no_logs(self):
        noise = self.write("noise.plog", random.Random(1).randbytes(5000))
        empty, folder = self.write("empty.plog"), self.path("folder")
        os.mkdir(folder)
        new = self.path("new.plog")
        self.refused(4, "repair", noise, "-o", new)
        self.refused(4, "repair", empty, "-o", new)
        self.refused(1, "repair", folder, "-o", new)
        self.refused(1, "repair", self.path("none.plog"), "-o", new)


class NewLog(RepairCase):
    def setUp(self):
        super().setUp()
        self.log = self.record(self.path("a.plog"), "-i", "20ms", "-n", "20")
        self.new = self.path("new.plog")

    def test_usage(self):
        self.refused(1, "repair", self.log)
        self.refused(1, "repair", "-o", self.new)
        self.refused(1, "repair", "--nonsense", self.log, "-o", self.new)

    def test_never_replaces(self):
        other = self.write("other", b"precious")
        os.symlink("nowhere", self.path("dangling"))
        os.symlink("other", self.path("link"))
        os.link(self.log, self.path("hard.plog"))
        for new in (other, self.log, self.path("hard.plog"), self.path("link"), self.path("dangling"),
                    self.folder, "-"):
            self.refused(1, "repair", self.log, "-o", new)

    def test_the_folder_itself(self):
        """NEW beside the segments is not taken for one of them."""
        folder = self.segments()
        new = os.path.join(folder, "new.plog")
        self.good("repair", "-q", folder, "-o", new)
        self.assertEqual(harness.count_samples(new), 30)

    def test_old_log_through_a_link(self):
        os.symlink("a.plog", self.path("link.plog"))
        self.good("repair", "-q", self.path("link.plog"), "-o", self.new)
        self.check_same_sheets(self.log, self.new)

    def test_pipe(self):
        self.good("repair", "-q", "-", "-o", self.new, data=read(self.log))
        self.check_same_sheets(self.log, self.new)

    def test_no_folder(self):
        self.refused(1, "repair", self.log, "-o", self.path("none", "new.plog"))

    def test_no_room(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))
        self.refused(1, "repair", self.log, "-o", self.new, preexec_fn=limit)

    def test_interrupted(self):
        """A pipe that never ends keeps it busy."""
        data = read(self.log)
        for sig in signal.SIGINT, signal.SIGTERM:
            before = snapshot(self.folder)
            with subprocess.Popen([PROGRAM, "repair", "-q", "-", "-o", self.new],
                                  stdin=subprocess.PIPE, stderr=subprocess.PIPE) as p:
                p.stdin.write(data * (1 + (4 << 20) // len(data)))
                p.stdin.flush()
                harness.wait_until(lambda: os.path.exists(self.new + ".part"), "it has begun")
                p.send_signal(sig)
                self.assertEqual(p.wait(20), -sig)
            self.check_unchanged(before)

    def test_several_hosts(self):
        at = harness.records(self.log)[0][1]

        def other_host(header, payload):
            payload[8] ^= 1
        other = self.write("b.plog", edited(read(self.log), at, other_host))
        self.refused(1, "repair", self.log, other, "-o", self.new, says="perflog: repair: these are logs of several hosts,")

    def test_what_is_lost_of_several_logs(self):
        """Each has its own summary, wherever it stands; the worst of them is the exit status, the sum in JSON."""
        good = self.write("good.plog", read(self.log))
        records, samples = harness.records(good), harness.count_samples(good)
        cut = self.write("cut.plog", read(good)[:records[0][1] + 100])
        for logs in (good, cut), (cut, good):
            r = run("verify", *logs)
            self.assertEqual(r.code, 4, r)
            self.assertIn("%s: good: %d samples in 1 session\n" % (good, samples), r.out)
            self.assertIn("%s: nothing readable: 0 samples" % cut, r.out)
            found = json.loads(run("verify", "--json", *logs).out)
            self.assertEqual((found["samples"], found["interrupted_records"], found["exit_status"]), (samples, 1, 4))
        bad = self.path("bad.plog")
        self.record(bad, "-i", "20ms", "-n", "5", *SYSTEM)
        data = bytearray(read(bad))
        data[[r for r in harness.records(bad) if r[0] == "SMPL"][2][1] + 80] ^= 1
        self.write("bad.plog", bytes(data))
        for i, logs in enumerate(((good, bad), (bad, good))):
            r = run("verify", *logs)
            self.assertEqual(r.code, 2, r)
            self.assertIn("%s and 1 further file of %s: damaged: " % (good, socket.gethostname()), r.out)
            r = run("repair", *logs, "-o", self.path("new%d.plog" % i))
            self.assertIn("perflog: %s: lost: " % bad, r.err)

    def test_several_machines_of_one_sheet(self):
        """What is damaged in a file is so for each of them; where other files are with it, the machines are named."""
        def sheet(name, *days, machines="ab"):
            rows = ['"(PDH-CSV 4.0) (UTC)(0)",' + ",".join(r'"\\%s\P(x)\C"' % m for m in machines)]
            rows += ['"11/%s/2026 10:00:%02d.000"' % (day, s) + ',"7"' * len(machines) for s, day in enumerate(days)]
            return self.write(name, "\r\n".join([*rows, ""]).encode())
        two, good, later = sheet("two.csv", 22, 22, 32, 22), sheet("good.csv", 22, 22), sheet("later.csv", 23, machines="a")
        r = run("verify", two)
        damaged = "%s: damaged: 6 samples in 2 sessions; damaged ranges: 1 (35 bytes); unreachable samples: 0; samples lost: 1 (2s)"
        self.assertEqual((r.code, r.out.splitlines()[2:]), (2, [damaged % two]), r)
        self.assertEqual(self.good("verify", good).out, good + ": good: 4 samples in 2 sessions\n")
        self.assertEqual(self.good("verify", good, later).out,
                         "%s and 1 further file of a: good: 3 samples in 2 sessions\n"
                         "%s of b: good: 2 samples in 1 session\n" % (good, good))

    def test_newer_perflog(self):
        """A sample whose coding we do not know is left out; status 3 says so."""
        at = [r for r in harness.records(self.log) if r[0] == "SMPL"][4][1]

        def other_codec(header, payload):
            header[22] = 9
        newer = self.write("b.plog", edited(read(self.log), at, other_codec))
        r = run("repair", "-q", newer, "-o", self.new)
        self.assertEqual(r.code, 3, r)
        self.good("verify", self.new)
        self.check_same_sheets(newer, self.new)


if __name__ == "__main__":
    harness.main()
