#!/usr/bin/env python3
"""perflog pack: the same log in less space, for every command; damage, and what is refused."""
import fcntl
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import unittest

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
import write_log
from harness import Case, Recording, run

READ_LOG = os.path.join(harness.SUPPORT, "read_log.py")
COMMANDS = [
    ["export", "-q", "--layout", "long"], ["export", "-q"], ["export", "-q", "--every", "1s"],
    ["export", "-q", "--top", "3"], ["list"], ["list", "--types"], ["stats"], ["stats", "--json"],
    ["top"], ["diagnose"],
]
NOBODY = 0xFFFFFFFF  # of an entry of an access list that names no one
COUNTERS = ["-c", r"\System\*", "-c", r"\Processor(*)\*", "-c", r"\Memory\*", "-c", r"\Process(p*)\*"]


def read(path):
    with open(path, "rb") as f:
        return f.read()


DAMAGE = '"type": "damaged"'  # command lines of other tests may have the word, too


def second_verdict(log):
    return subprocess.run([*harness.PYTHON, READ_LOG, log], stdout=subprocess.PIPE, timeout=harness.TIMEOUT,
                          encoding="utf-8").stdout


def flipped(path, at):
    data = bytearray(read(path))
    data[at] ^= 1
    with open(path, "wb") as f:
        f.write(data)


# Another user may read, which others may not.
ACCESS = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in (
    (1, 6, NOBODY), (2, 4, 65534), (4, 4, NOBODY), (16, 4, NOBODY), (32, 0, NOBODY)))


def attributes_of(path):
    return {name: os.getxattr(path, name) for name in os.listxattr(path) if not name.startswith("security.")}


class PackCase(Case):
    """'old' is a recorded log, 'log' the same, packed."""

    def setUp(self):
        super().setUp()
        self.old, self.log = self.path("old.plog"), self.path("log.plog")
        self.record(self.old, *COUNTERS, "-i", "20ms", "-n", "40")
        shutil.copy(self.old, self.log)
        self.said = self.good("pack", self.log).err

    def blocks(self, log):
        folder = log + ".raw"
        os.mkdir(folder)
        done = subprocess.run([*harness.PYTHON, READ_LOG, "--raw", folder, log],
                              stdout=subprocess.PIPE, timeout=harness.TIMEOUT)
        self.assertEqual(done.returncode, 0)
        return {name: read(os.path.join(folder, name)) for name in os.listdir(folder)}


class Packed(PackCase):
    @unittest.skipIf(os.geteuid(), "only root may give a file any group")
    def test_the_group_stays(self):
        log = shutil.copy(self.old, self.path("grouped.plog"))
        os.chown(log, -1, 4)
        os.chmod(log, 0o640)
        self.good("pack", "-q", log)
        self.assertEqual((os.stat(log).st_gid, os.stat(log).st_mode & 0o777), (4, 0o640))
        self.assertEqual(read(log), read(self.log))

    @unittest.skipIf(os.geteuid(), "only root may give a file any group")
    def test_where_the_group_cannot_stay_the_log_does(self):
        log = shutil.copy(self.old, self.path("grouped.plog"))
        os.chown(log, 65534, 4)
        os.chmod(self.path(), 0o1777)

        def be_nobody():
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
        self.check_one_line(run("pack", log, preexec_fn=be_nobody), 1, "group or its rights cannot be given")
        self.assertEqual((read(log), os.stat(log).st_gid), (read(self.old), 4))
        self.assertFalse(os.path.exists(log + ".packing"))

    def set_attributes(self, path, attributes):
        try:
            for name, value in attributes.items():
                os.setxattr(path, name, value)
        except OSError as e:
            self.skipTest("no attributes here: %s" % e)

    def test_access_lists_and_attributes_stay(self):
        log = shutil.copy(self.old, self.path("listed.plog"))
        own = {"user.where": b"rack 7", "system.posix_acl_access": ACCESS}
        self.set_attributes(log, own)
        self.good("pack", "-q", log)
        self.assertEqual(read(log), read(self.log))
        self.assertEqual(attributes_of(log), own)

    def test_it_gets_no_rights_that_the_log_has_not(self):
        """Neither those that its folder gives new files, nor those of a file that a kill has left."""
        for left in False, True:
            log = shutil.copy(self.old, self.path("mine%d.plog" % left))
            os.chmod(log, 0o640)
            if left:
                part = shutil.copy(self.old, log + ".packing")
                self.set_attributes(part, {"user.where": b"rack 7", "system.posix_acl_access": ACCESS})
            else:
                self.set_attributes(self.path(), {"system.posix_acl_default": ACCESS})
            self.good("pack", "-q", log)
            os.removexattr(self.path(), "system.posix_acl_default")
            self.assertEqual(read(log), read(self.log))
            self.assertEqual((attributes_of(log), os.stat(log).st_mode & 0o777), ({}, 0o640), left)

    def test_a_second_reader_gets_the_same_blocks(self):
        old = self.blocks(self.old)
        self.assertEqual(len(old), 40)
        self.assertEqual(self.blocks(self.log), old)

    def test_every_command_says_the_same(self):
        for command in COMMANDS:
            old, new = run(*command, self.old), run(*command, self.log)
            self.assertEqual((new.code, new.out.replace(self.log, self.old)), (old.code, old.out),
                             command)

    def test_it_is_smaller_and_that_is_said(self):
        self.assertLess(os.path.getsize(self.log), os.path.getsize(self.old))
        self.assertIn("packed, 40 samples", self.said)
        self.assertEqual(os.stat(self.log).st_mode, os.stat(self.old).st_mode)

    def test_verify_calls_it_good(self):
        self.assertIn("good: 40 samples in 1 session", self.good("verify", self.log).out)

    def test_size_before_compression_and_cost_are_the_same(self):
        """Few samples are unpacked for it; the cost is in the last one."""
        facts = [json.loads(self.good("info", "--json", log).out)[0] for log in (self.old, self.log)]
        for fact in "samples", "raw_bytes", "cpu_seconds":
            self.assertGreater(facts[0][fact], 0)
            self.assertEqual(facts[1][fact], facts[0][fact], fact)

    def test_again_is_nothing_to_do(self):
        before = read(self.log)
        self.assertIn("not packed: it is packed", self.good("pack", self.log).err)
        self.assertEqual(self.good("pack", "-q", self.log).err, "")
        self.assertEqual(read(self.log), before)

    def test_windows_are_the_same(self):
        for window in (["--from", "-400ms"], ["--to", "-400ms"], ["--from", "-600ms", "--to", "-300ms"]):
            command = ["export", "-q", "--layout", "long", *window]
            old = self.good(*command, self.old).out
            self.assertEqual(self.good(*command, self.log).out, old, window)
            self.assertGreater(old.count("\n"), 1)

    def test_a_damaged_pack_is_named(self):
        (at, length), = [r[1:3] for r in harness.records(self.log) if r[0] == "PACK"]
        flipped(self.log, at + length // 2)
        verify = run("verify", self.log)
        verdict = verify.out
        self.assertEqual(verify.code, 4)  # there was only one pack
        self.assertIn("payload does not match its hash", verdict)
        lost = int(re.search("samples lost: ([0-9]+)", verdict).group(1))
        self.assertGreaterEqual(lost, 40)  # short records between samples may count

    def test_a_pack_that_is_cut_off_is_damage(self):
        """No kill leaves that: packs take the log's place when all are complete."""
        data, (at, length) = read(self.log), [r[1:3] for r in harness.records(self.log) if r[0] == "PACK"][-1]
        for left in (8, 71, 72, length // 2, length - 16):
            for zeros in (0, 4096):
                log = self.write("cut.plog", data[:at + left] + bytes(zeros))
                verify = run("verify", log)
                self.assertIn(verify.code, (2, 4), (left, zeros))
                self.assertIn("damaged", verify.out, (left, zeros))
                self.assertIn(DAMAGE, second_verdict(log), (left, zeros))
        self.assertIn("good", self.good("verify", self.write("cut.plog", data[:at] + bytes(4096))).out)

    def test_a_pack_that_ends_in_zeros_before_another_session_is_damage(self):
        data, (at, length) = read(self.log), [r[1:3] for r in harness.records(self.log) if r[0] == "PACK"][-1]
        log = self.write("two.plog", data[:at + length])
        os.chmod(log, 0o640)
        self.record(log, *COUNTERS, "-i", "20ms", "-n", "5")
        data = read(log)
        with open(log, "wb") as f:
            f.write(data[:at + length - 24] + bytes(24) + data[at + length:])
        self.assertEqual(run("verify", log).code, 2)
        self.assertIn(DAMAGE, second_verdict(log))

    def test_cut_and_repair_make_common_logs_of_it(self):
        for name, command in (("cut", ["cut", "--from", "-400ms"]), ("repair", ["repair"])):
            new, same = self.path(name + ".plog"), self.path(name + "-old.plog")
            self.good(*command, "-q", self.log, "-o", new)
            self.good(*command, "-q", self.old, "-o", same)
            export = ["export", "-q", "--layout", "long"]
            self.assertEqual(self.good(*export, new).out, self.good(*export, same).out)

    def test_logs_that_were_joined(self):
        """Each session still shows in which of the files it was written."""
        other = self.record(self.path("other.plog"), *COUNTERS, "-i", "20ms", "-n", "20")
        self.record(other, *COUNTERS, "-i", "20ms", "-n", "20")
        whole = self.write("whole.plog", read(self.old) + read(other))
        self.record(whole, *COUNTERS, "-i", "20ms", "-n", "20")
        packed = shutil.copy(whole, self.path("joined.plog"))
        for _ in range(2):  # packed ones can be joined as well
            self.good("pack", "-q", packed)
            self.assertLess(os.path.getsize(packed), os.path.getsize(whole))
            self.good("verify", packed)
            self.assertIn('"25"', second_verdict(packed))
            for log in whole, packed:
                self.assertNotIn(DAMAGE, second_verdict(log))
            sheets = [self.good("export", "-q", "--layout", "long", log).out for log in (whole, packed)]
            self.assertTrue(sheets[0] == sheets[1], "sheets differ")
            third = self.record(self.path("third.plog"), *COUNTERS, "-i", "20ms", "-n", "20")
            whole = self.write("longer.plog", read(whole) + read(third))
            packed = self.write("joined.plog", read(packed) + read(third))
            os.remove(third)

    def test_a_log_that_was_joined_twice_has_a_last_sample(self):
        other = self.record(self.path("other.plog"), *COUNTERS, "-i", "20ms", "-n", "20")
        once = self.write("once.plog", read(self.old) + read(other))
        for first in self.old, self.log:
            twice = self.write("twice.plog", read(first) + read(other) + read(first))
            self.good("verify", twice)
            self.assertEqual(self.good("top", twice).out, self.good("top", once).out)

    def test_a_recording_is_appended_to_it(self):
        self.record(self.log, *COUNTERS, "-i", "20ms", "-n", "5")
        self.assertIn("good: 45 samples in 2 sessions", self.good("verify", self.log).out)
        self.good("pack", "-q", self.log)
        self.assertIn("good: 45 samples in 2 sessions", self.good("verify", self.log).out)


class Several(PackCase):
    def test_of_one_log(self):
        """One of them packs it; whatever the others meet, it is never empty, and no part is left."""
        os.mkdir(self.path("logs"))
        content = self.good("export", "--layout", "long", self.old).out
        for i in range(20):
            log = self.path("logs", "%d.plog" % i)
            shutil.copy(self.old, log)
            packers = [subprocess.Popen([harness.PROGRAM, "pack", "-q", "--idle", log], stderr=subprocess.DEVNULL)
                       for _ in range(5)]
            self.assertEqual({p.wait(harness.TIMEOUT) for p in packers}, {0})
            self.assertEqual(self.good("export", "--layout", "long", log).out, content)
        self.assertEqual(len(os.listdir(self.path("logs"))), 20)


class Full(Case):
    def test_a_note_that_no_longer_fits_into_a_pack(self):
        """It begins the next one, unchanged."""
        log = write_log.Log({2: b"System", 4: b"Count"})
        number = random.Random(1)
        for k in range(40):
            text = bytes(number.randrange(32, 127) for _ in range(60_000))
            log.sample((1000 + k) * write_log.SECOND, [write_log.object_of(2, [(4, 0x10100, 8)], [(None, [k])])])
            log.record(b"note", struct.pack("<HH", 4, 0) + text, (1000 + k) * write_log.SECOND)
        path = log.save(self.path("log.plog"))
        before = json.loads(self.good("info", "--json", path).out)[0]["events"]
        self.assertIn("packed", self.good("pack", path).err)
        self.assertEqual(json.loads(self.good("info", "--json", path).out)[0]["events"], before)
        self.assertGreater([r[0] for r in harness.records(path)].count("PACK"), 1)


class Refused(PackCase):
    def test_a_damaged_log(self):
        flipped(self.old, os.path.getsize(self.old) // 2)
        self.refused(2, "pack", self.old, says="perflog repair")

    def test_a_packed_log_that_is_damaged_near_its_end(self):
        """Its last pack claims more bytes than are left, but records follow."""
        data, (at, length) = read(self.log), [r[1:3] for r in harness.records(self.log) if r[0] == "PACK"][-1]
        log = self.write("short.plog", data[:at + length // 16 * 8] + data[at + length:])
        self.assertIn(run("verify", log).code, (2, 4))
        self.refused(2, "pack", log, says="perflog repair")

    def test_one_that_another_perflog_packs_or_records(self):
        with open(self.old + ".packing", "wb") as part:
            fcntl.flock(part, fcntl.LOCK_EX)
            self.refused(1, "pack", self.old, says="another perflog packs it")
        recorder = Recording(self, self.path("live.plog"), "-q", *COUNTERS, "-i", "20ms")
        recorder.wait_for(3)
        self.check_one_line(run("pack", self.path("live.plog")), 1, "another perflog is recording into it")
        self.assertEqual(recorder.end().code, 0)

    def test_the_first_bytes_of_a_log(self):
        for left, verified, says in ((40, 4, "nothing in it is readable"), (400, 0, "it has no samples")):
            log = self.write("first.plog", read(self.old)[:left])
            self.assertEqual(run("verify", log).code, verified)
            self.assertEqual(run("export", log).code, 4)
            self.check_one_line(run("pack", log), 4, says)
        self.assertEqual(self.good("pack", "-q", "--idle", log).err, "")

    def test_no_log_and_no_file(self):
        self.refused(4, "pack", self.write("text", b"hello\n" * 100), says="perflog import")
        self.refused(1, "pack", self.path("nothing"), says="No such file")
        self.refused(1, "pack", says="name a log")
        self.refused(1, "pack", "-", says="standard input cannot be replaced")

    def test_links(self):
        os.symlink(self.old, self.path("link"))
        self.refused(1, "pack", self.path("link"), says="symbolic link")
        os.link(self.old, self.path("second"))
        self.refused(1, "pack", self.old, says="hard links")


class Folder(PackCase):
    def test_all_logs_in_a_folder_but_the_one_being_recorded(self):
        folder = self.path("folder")
        os.mkdir(folder)
        for name in ("a", "b"):
            shutil.copy(self.old, os.path.join(folder, name + ".plog"))
        live = os.path.join(folder, "live.plog")
        recorder = Recording(self, live, "-q", *COUNTERS, "-i", "20ms")
        recorder.wait_for(3)
        said = self.good("pack", folder).err
        self.assertEqual(recorder.end().code, 0)
        self.assertEqual(said.count(": packed, 40 samples"), 2)
        self.assertIn("live.plog: not packed", said)
        self.assertEqual(sorted(os.listdir(folder)), ["a.plog", "b.plog", "live.plog"])
        self.good("verify", folder)


if __name__ == "__main__":
    harness.main()
