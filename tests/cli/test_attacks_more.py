#!/usr/bin/env python3
"""Attacks found by playing the user for an hour with the provider library's source at hand (support/attack.py)."""
import os
import resource
import subprocess
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import attack
import harness
from attack import FOLDER, NOBODY, Attack, mount
from harness import run

ROOMS = "size=64M,nr_inodes=4096,mode=0755"  # as the packages' file system for the folder
SAMPLES = 8


class More(Attack):
    actors = "hostile_more.py"

    def own_file_system(self):
        mount(FOLDER, ROOMS)
        self.addCleanup(subprocess.run, ["umount", "-l", FOLDER], check=True)
        os.chmod(FOLDER, 0o3773)

    def headers(self, *paths):
        r = run("export", "-q", "--layout", "wide", *(a for path in paths for a in ("-c", path)), self.log)
        self.assertEqual(r.code, 0, r)
        return harness.Wide(r.out).paths

    def test_folders_without_end(self):
        """In /dev/shm, where anybody may make one that is called like a folder of regions."""
        self.attack("folders", "/dev/shm", 8000, samples=SAMPLES)
        self.assertGreater(self.refusals("Folders"), 0)
        self.names_the_culprit()

    def test_a_folder_full_of_other_files(self):
        """What comes late is found when the list of all has been read, a part in each sample."""
        self.own_file_system()
        self.attack("junk", FOLDER, samples=4, after=12)

    def test_more_events_than_can_be_read(self):
        self.own_file_system()
        self.attack("passing", FOLDER, samples=SAMPLES)

    def test_rows_of_regions_that_come_and_go(self):
        """A row of Perflog Provider takes room in the log, too."""
        self.check_size(self.attack("renewed", FOLDER, 64, samples=SAMPLES))

    def test_names_that_look_like_another_path(self):
        names = ("Processor(_Total)", "Root\\C", "\\Root", "Root ", " Root", "Memory", "perflog provider", "../../Root",
                 "\u202eRoot", "Root\u0007", "Root(a)")
        self.check_size(self.attack("named", FOLDER, *names, samples=SAMPLES))
        paths = self.headers(r"\*\*", r"\*(*)\*")
        self.assertEqual(len(paths), len(set(paths)), "each column has a name of its own")
        theirs = [p for p in paths if p.endswith("\\C") and p not in (r"\Root\C", r"\User\C", r"\Late\C", r"\../../Root\C")]
        self.assertEqual([p for p in theirs if " of user 65534" not in p], [])
        self.assertEqual(len(theirs), 6)
        self.assertTrue(all(v != 666 for v in self.values(r"\Processor(_Total)\% Processor Time")))

    def test_a_process_that_is_called_total(self):
        """The sum of all processes is still there, and is no smaller than before."""
        self.attack("called", FOLDER, "_Total", samples=SAMPLES)
        counts = self.values(r"\Process(_Total)\Thread Count")
        self.assertNotIn(None, counts)
        self.assertGreater(min(counts), 3)

    def test_descriptors_of_the_recorder(self):
        """Thirteen users take all places there are for users, under the usual limit of descriptors; meanwhile root's
        new application is found."""
        before = resource.getrlimit(resource.RLIMIT_NOFILE)
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, before)
        resource.setrlimit(resource.RLIMIT_NOFILE, (1024, before[1]))
        facts = self.attack("users", FOLDER, 100000, 13, 64, samples=SAMPLES, user=0, after=10)
        self.assertFalse(any("descriptor" in line or "open files" in line for line in self.events().splitlines()), facts)
        self.names_the_culprit(r"1000[01]\d")

    def test_files_that_are_no_files(self):
        self.attack("oddities", FOLDER, samples=SAMPLES)

    def test_locks_that_come_and_go(self):
        self.check_size(self.attack("locks", FOLDER, samples=SAMPLES))

    def test_layouts_of_which_nothing_is_recorded(self):
        self.check_size(self.attack("layouts", FOLDER, samples=SAMPLES, after=7, options=("-c", r"\*\C", "-c", r"\Process(*)\*", "-c", r"\Thread(*)\*", "-c", r"\Memory\*")))

    def test_instances_called_like_sums(self):
        self.check_size(self.attack("instances", FOLDER, samples=SAMPLES))
        self.names_the_culprit()


if __name__ == "__main__":
    attack.main()
