#!/usr/bin/env python3
"""Attacks on a recorder of root by a user who publishes counters (support/attack.py): shares, identity, folders."""
import contextlib
import os
import re
import shutil
import stat
import subprocess
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import attack
import harness
from attack import FOLDER, HONEST, NOBODY, Actor, Attack, mount
from harness import Recording, run


RECORDER = 998


def fill_with_bytes(folder):
    """As an ordinary user; not one byte is left."""
    path = os.path.join(folder, "full")
    with open(path, "wb", buffering=0) as f:
        os.fchown(f.fileno(), NOBODY, NOBODY)
        with contextlib.suppress(OSError):
            while f.write(bytes(4096)):
                pass


class Shares(Attack):
    def test_history_is_not_erased(self):
        """Two regions of 15 MB of random values; then some that are just small enough."""
        for slots, counters in ((18000, 64), (150, 32)):
            with self.subTest(slots=slots):
                self.check_size(self.attack("flood", FOLDER, slots, counters, samples=40))
                self.names_the_culprit()
                self.assertGreater(self.refusals("Memory") + self.refusals("Block Bytes") + self.refusals("Log Bytes"), 0)
                os.unlink(self.log)

    def test_texts_of_those_who_left_keep_nobody_out(self):
        self.attack("tables", FOLDER, samples=30)
        self.names_the_culprit()
        self.assertGreater(self.refusals("_Total"), 0)

    def test_busy_regions_take_nobodys_turn(self):
        self.attack("busy", FOLDER, 64, 63, samples=25)
        self.assertRegex(self.events(), "user %d" % NOBODY)

    def test_places_are_left(self):
        """Seventeen users with empty files."""
        crowds = [Actor(self, uid, "crowd", FOLDER, 65) for uid in range(100000, 100017)]
        self.attack("crowd", FOLDER, 65, samples=5)
        self.names_the_culprit(r"1000[01]\d")
        self.assertGreater(self.refusals("Invalid Files"), 100)
        for c in crowds:
            c.end()

    def test_a_crowd_of_files_delays_nobody(self):
        c = Actor(self, NOBODY, "crowd", FOLDER, 20000)
        self.attack("one", FOLDER, "evil", "Evil", 666, samples=10)
        self.names_the_culprit()
        c.end()

    def test_notes_are_shared_too(self):
        self.attack("news", FOLDER, samples=20)
        self.assertLess(sum("EEEE" in line for line in self.events().splitlines()), 20)

    def test_titles_are_shared_too(self):
        facts = self.attack("titles", FOLDER, samples=30)
        self.names_the_culprit()
        self.assertGreater(self.refusals("Title Records") + self.refusals("Log Bytes") + self.refusals("Titles"), 0)
        self.assertLess(facts["bytes"] / facts["samples"], 30000)

    def test_what_changes_while_it_is_read_harms_nobody(self):
        self.attack("shrink", FOLDER, samples=25)
        self.assertEqual(run("verify", self.log).code, 0)


class Identity(Attack):
    def test_who_says_that_he_is_older_is_not(self):
        r = self.begin()
        honest = Actor(self, 0, "one", FOLDER, "honest", "Payments", 1111)
        r.wait_for_more(2)
        evil = Actor(self, NOBODY, "one", FOLDER, "evil", "Payments", 666, 1)
        r.wait_for_more(4)
        evil.end()
        r.wait_for_more(4)
        honest.end()
        r.wait_for_more(1)
        self.end(r)
        self.check_honest(r"\Payments\C", 1111, 10)
        self.assertEqual(set(self.values(r"\Payments of user 65534\C")), {666})

    def test_who_was_first_must_make_room_for_root(self):
        """And has the name again when nobody else has it."""
        r = self.begin()
        evil = Actor(self, NOBODY, "one", FOLDER, "evil", "payments", 666)
        r.wait_for_more(3)
        honest = Actor(self, 0, "one", FOLDER, "honest", "Payments", 1111)
        r.wait_for_more(4)
        honest.end()
        evil.end()
        r.wait_for_more(2)
        again = Actor(self, NOBODY, "one", FOLDER, "evil", "payments", 667)
        r.wait_for_more(3)
        again.end()
        self.end(r)
        r = run("export", "-q", "--layout", "long", "-c", r"\Payments\C", self.log)
        rows = [(row["Object"], row["Value"]) for row in harness.long_rows(r.out) if row["Value"]]
        mine = [value for name, value in rows if name == "Payments"]
        self.assertEqual(set(mine), {"1111"})
        self.assertGreaterEqual(len(mine), 3)
        self.assertEqual({value for name, value in rows if name == "payments"}, {"666", "667"})
        self.assertEqual(set(self.values(r"\payments of user 65534\C")), {666})

    def test_who_had_a_name_before_has_no_right_to_it(self):
        """Of two users, too, whoever publishes has it while he does."""
        r = self.begin()
        Actor(self, NOBODY, "one", FOLDER, "evil", "Payments", 666).end()
        r.wait_for_more(3)
        honest = Actor(self, HONEST, "one", FOLDER, "honest", "Payments", 1111)
        r.wait_for_more(3)
        evil = Actor(self, NOBODY, "one", FOLDER, "evil", "Payments", 666)
        r.wait_for_more(4)
        evil.end()
        honest.end()
        r.wait_for_more(1)
        self.end(r)
        values = self.values(r"\Payments\C")
        self.assertEqual(set(values[-7:]), {1111})

    def test_a_name_like_one_that_stands_apart_is_not_to_be_had(self):
        r = self.begin()
        evil = Actor(self, NOBODY, "one", FOLDER, "evil", "Payments of user 1000", 666)
        r.wait_for_more(3)
        evil.end()
        self.end(r)
        self.assertEqual(set(self.values(r"\Payments of user 1000 of user 65534\C")), {666})

    def test_a_total_is_of_whom_it_is(self):
        r = self.begin()
        honest = Actor(self, 0, "one", FOLDER, "honest", "Queue", 10, "", "", "a", "b")
        r.wait_for_more(2)
        evil = Actor(self, NOBODY, "one", FOLDER, "postgres", "Queue", 666, "", 1, "_Total", "x")
        r.wait_for_more(4)
        evil.end()
        r.wait_for_more(2)
        honest.end()
        self.end(r)
        self.check_honest(r"\Queue(_Total)\C", 20, 7)

    def test_nobody_bears_the_number_of_anothers_process(self):
        r = self.begin()
        evil = Actor(self, NOBODY, "one", FOLDER, "postgres", "Evil", 666, "", 1, "x")
        fair = Actor(self, HONEST, "one", FOLDER, "fair", "Fair", 7, "", "", "x")
        r.wait_for_more(10)  # titles of other users are recorded once in 8
        evil.end()
        fair.end()
        self.end(r)
        listed = run("list", self.log).out
        self.assertIn("postgres:1 of user 65534/x", listed)
        self.assertNotIn("postgres:1/", listed)
        self.assertIn("fair:%d/x" % fair.pid, listed)


class Folders(Attack):
    def setUp(self):
        super().setUp()
        self.worker = shutil.copy(os.environ["WORKER"], self.folder)  # where anybody may run it

    def test_a_link_leads_nowhere(self):
        os.makedirs("/run/user/65534")
        os.chown("/run/user/65534", NOBODY, NOBODY)
        os.makedirs("/dev/shm/elsewhere/providers")
        for path in ("/dev/shm/elsewhere", "/dev/shm/elsewhere/providers"):
            os.chown(path, NOBODY, NOBODY)
        os.symlink("/dev/shm/elsewhere", "/run/user/65534/perflog")
        with open("/dev/shm/elsewhere/providers/.tmp-of-root", "w"):
            pass
        evil = Actor(self, NOBODY, "one", "/dev/shm/elsewhere/providers", "evil", "Evil", 666)
        r = self.begin()
        r.wait_for_more(3)
        evil.end()
        self.end(r)
        self.assertTrue(os.path.exists("/dev/shm/elsewhere/providers/.tmp-of-root"))
        self.assertNotIn("Evil", run("list", self.log).out)

    def test_folders_that_others_have_made_keep_nobody_out(self):
        """An application whose folder in /dev/shm somebody else has, and whose folder comes while we record."""
        shutil.rmtree("/run/perflog")
        for uid in (0, HONEST):
            os.mkdir("/dev/shm/perflog-%d" % uid)
            os.chown("/dev/shm/perflog-%d" % uid, NOBODY, NOBODY)
        for k in range(300):
            os.mkdir("/dev/shm/perflog-65534.%06d" % k)
            os.chown("/dev/shm/perflog-65534.%06d" % k, NOBODY, NOBODY)
        r = self.begin()
        for uid in (0, HONEST):
            with subprocess.Popen([self.worker, "100000000"], user=uid, group=uid, extra_groups=[], cwd="/",
                                  stdout=subprocess.DEVNULL) as p:
                r.wait_for_more(4)
                p.terminate()
        self.end(r)
        self.assertEqual(set(re.findall(r"counters of worker\S*, user (\d+): ", self.events())), {"0", "1000"})

    def test_who_publishes_first_of_all_is_found_at_once(self):
        """Neither folder is there when the recorder begins."""
        for folder in (FOLDER, "/run/user/1000/perflog/providers", "/dev/shm/perflog-0"):
            with self.subTest(folder=folder):
                shutil.rmtree("/run/perflog", ignore_errors=True)
                r = self.begin()
                os.makedirs(folder)
                uid = HONEST if "1000" in folder else 0
                if uid:
                    os.chown(folder, uid, uid)
                first = Actor(self, uid, "one", folder, "first", "First", 1)
                r.wait_for_more(3)
                first.end()
                r.wait_for_more(1)
                self.end(r)
                self.check_honest(r"\First\C", 1, 3)
                os.unlink(self.log)

    def test_the_folder_has_a_file_system_of_its_own(self):
        """Mounted as the packages do it; who fills it fills nothing else."""
        with open(os.path.join(harness.ROOT, "logger", "service", "run-perflog-providers.mount")) as f:
            options = re.search(r"^Options=(.*)$", f.read(), re.M).group(1)
        mount(FOLDER, options)
        self.addCleanup(subprocess.run, ["umount", "-l", FOLDER], check=True)
        os.chmod(FOLDER, 0o3773)
        fill = ("import os\n"
                "try:\n"
                "    with open('%s/x', 'wb') as f:\n"
                "        while f.write(bytes(1 << 20)): pass\n"
                "except OSError: pass\n"
                "os.unlink('%s/x')\n"
                "try:\n"
                "    for i in range(1 << 20): open('%s/f%%d' %% i, 'w').close()\n"
                "except OSError: print(i)\n") % (FOLDER, FOLDER, FOLDER)
        become = "import os; os.setgroups([]); os.setgid(%d); os.setuid(%d)\n" % (NOBODY, NOBODY)
        done = subprocess.run([*harness.PYTHON, "-c", become + fill], capture_output=True, check=True)
        self.assertLess(int(done.stdout), 10000)
        self.assertFalse(stat.S_IMODE(os.stat("/run").st_mode) & 0o022)
        used = os.statvfs("/run")
        self.assertLess(used.f_files - used.f_ffree, 100)
        # An application of root goes elsewhere.
        r = self.begin()
        with subprocess.Popen([self.worker, "100000000"], cwd="/", stdout=subprocess.DEVNULL) as p:
            r.wait_for_more(4)
            p.terminate()
        self.end(r)
        self.assertRegex(self.events(), r"counters of worker\S*, user 0: ")
        self.assertRegex(self.events(), r"UTC  user 65534: files of this user fill %s: no further program" % FOLDER)
        self.names_the_culprit()
        self.assertEqual(self.refusals("Full Folders"), 1)

    def test_who_fills_folders_keeps_nobody_out(self):
        """Of a recorder with a user of its own: root has a folder kept for it, others have one that this user may enter;
        what a killed application left there is removed."""
        for path, size, owner, mode in ((FOLDER, "64k", RECORDER, 0o3773), ("/dev/shm", "256k", 0, 0o1777)):
            mount(path, "size=%s,nr_inodes=64" % size)
            self.addCleanup(subprocess.run, ["umount", "-l", path], check=True)
            os.chown(path, owner, owner)
            os.chmod(path, mode)
        os.makedirs("/run/perflog/users/0")
        os.chown("/run/perflog/users/0", 0, RECORDER)
        os.chmod("/run/perflog/users/0", 0o2770)
        os.makedirs("/run/user/%d" % HONEST, 0o700)  # which the recorder cannot enter
        os.chown("/run/user/%d" % HONEST, HONEST, HONEST)
        mine = self.path("mine")
        os.mkdir(mine)
        os.chown(mine, RECORDER, RECORDER)
        self.log = os.path.join(mine, "a.plog")
        r = Recording(self, self.log, "-q", "-i", attack.INTERVAL, "--processes", "proc", user=RECORDER)
        r.wait_for(2)
        for uid, full in ((HONEST, [FOLDER]), (0, ["/dev/shm"])):
            for path in full:
                fill_with_bytes(path)
            with subprocess.Popen([self.worker, "100000000"], user=uid, group=uid, extra_groups=[], cwd="/",
                                  env={"XDG_RUNTIME_DIR": "/run/user/%d" % uid}, stdout=subprocess.DEVNULL) as p:
                r.wait_for_more(4)
                p.kill()
        r.wait_for_more(3)
        self.end(r)
        self.assertEqual(set(re.findall(r"counters of worker\S*, user (\d+): ", self.events())), {"0", "1000"})
        for path in ("/run/perflog/users/0", "/dev/shm/perflog-%d" % HONEST):
            self.assertEqual(os.listdir(path), [])
        self.assertEqual(os.stat("/dev/shm/perflog-%d" % HONEST).st_mode & 0o007, 0)

    def test_who_fills_the_folder_with_bytes_is_named(self):
        mount(FOLDER, "size=1M,nr_inodes=4096,mode=3773")
        self.addCleanup(subprocess.run, ["umount", "-l", FOLDER], check=True)
        for name, uid, size in (("little", HONEST, 100 << 10), ("large", NOBODY, 920 << 10)):
            with open(os.path.join(FOLDER, name), "wb") as f:
                f.write(bytes(size))
            os.chown(f.name, uid, uid)
        r = self.begin()
        self.end(r)
        self.names_the_culprit()
        self.assertNotIn("user %d:" % HONEST, self.events())


if __name__ == "__main__":
    attack.main()
