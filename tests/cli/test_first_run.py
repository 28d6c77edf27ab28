#!/usr/bin/env python3
"""README's first command, and its way of building by hand, in a copy of the tree.

What building needs is there already, so nothing is installed by it.  What the copy's build gives has the bytes of the
build under test: no name of a folder is in it, nor anything else that tells one build from the next.  Where a
compilers' cache is in use, the copy's files come from it; that a file compiled again would be the same is held by
-Wdate-time, and by what is looked for in the program here: the name of the folder it was compiled in.
"""
import csv
import filecmp
import glob
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import Case

ROOT = harness.ROOT
BUILD = os.path.dirname(harness.PROGRAM)
INSTALLED = "perflog", "libperflog.so", "libperflog_provider.so", "libperflog_provider.a", "hwinput"
# Of what is in CMakeCache.txt, this decides about bytes.
DECIDES = re.compile(r"^(?:PERFLOG_(?!HAS|FUZZ|NATIVE|SHARED_DATA)\w+|CMAKE_(?:C|CXX)_(?:COMPILER|FLAGS\w*)|CMAKE_BUILD_TYPE|"
                     r"CMAKE_\w+_LINKER_FLAGS|CMAKE_INSTALL_PREFIX):[A-Z]+=.*$", re.M)
COUNTERS = (r"\Processor(_Total)\% Processor Time", r"\Memory\Available MBytes",
            r"\PhysicalDisk(_Total)\Disk Bytes/sec")


class FirstRun(Case):
    def readme(self):
        with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as f:
            return f.read()

    def sh(self, command):
        done = subprocess.run(["sh", "-c", command], cwd=self.tree, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, universal_newlines=True, timeout=4 * harness.TIMEOUT,
                              env=dict(os.environ, DESTDIR=self.path("installed"), CCACHE_BASEDIR=self.tree))
        self.assertEqual(done.returncode, 0, done.stdout[-3000:])
        return done.stdout

    def test_readme_names_what_is_installed(self):
        with open(os.path.join(ROOT, "tests", "gate", "packages.sh"), encoding="utf-8") as f:
            [build] = re.findall(r'^build="([^"]*)"', f.read(), re.M)
        [reported] = re.findall(r"^    apt-get install (.*)$", self.readme(), re.M)
        self.assertEqual(sorted(reported.split()), sorted(build.split()))

    def decisions(self, build):
        with open(os.path.join(build, "CMakeCache.txt"), encoding="utf-8") as f:
            return set(DECIDES.findall(f.read()))

    def check_same_bytes(self):
        there = os.path.join(self.tree, "build/release")
        self.assertEqual(self.decisions(there), self.decisions(BUILD), "one is built with other options")
        for name in INSTALLED:
            with open(os.path.join(BUILD, name), "rb") as f:
                self.assertNotIn(ROOT.encode(), f.read(), name)
            self.assertTrue(filecmp.cmp(os.path.join(BUILD, name), os.path.join(there, name), shallow=False),
                            name + " differs")

    def test_two_ways_of_a_newcomer(self):
        self.tree = self.path("a folder/of another/depth")
        shutil.copytree(ROOT, self.tree, ignore=shutil.ignore_patterns("build", "out", ".git"))
        readme = self.readme()
        self.assertIn("\n    sh tests/first-run.sh\n", readme)
        shown = self.sh("sh tests/first-run.sh")
        start = shown.index("Time (UTC),")
        sheet = list(csv.reader(shown[start:].split("\n\n")[0].splitlines()))
        self.assertEqual([re.sub(r"^\\\\[^\\]*", "", path) for path in sheet[0][1:]], list(COUNTERS))
        self.assertNotIn("", sheet[-1])
        [(samples, missed)] = re.findall(r"Samples +(\d+), (\d+) missed", shown)
        self.assertEqual(int(samples) + int(missed), 6, "five seconds have six samples, or the machine was too busy")
        self.assertEqual(len(sheet), 1 + int(samples))
        for path in re.findall(r"\bout/[\w.]+", shown):
            self.assertTrue(os.path.getsize(os.path.join(self.tree, path)), path)

        self.check_same_bytes()

        [by_hand] = re.findall(r"^    (cmake --preset release .*(?:\n    .*)+)", readme, re.M)
        self.sh(re.sub(r"^ +", "", by_hand, flags=re.M))
        [program] = glob.glob(self.path("installed") + "/**/bin/perflog", recursive=True)
        r = harness.run("info", os.path.join(self.tree, "out/first.plog"), program=program)
        self.assertEqual(r.code, 0, r)
        self.assertTrue(glob.glob(self.path("installed") + "/**/man1/perflog-record.1*", recursive=True))


if __name__ == "__main__":
    harness.main()
