#!/usr/bin/env python3
"""What is installed is hardened, whichever way it is built.

cmake/Hardening.cmake is the one place that says how.  That the same bytes come of it in every folder: test_first_run.py.
"""
import glob
import json
import os
import platform
import re
import subprocess
import sys
import unittest

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import Case

ROOT = harness.ROOT
BUILD = os.path.dirname(harness.PROGRAM)
# Beside the preset release, which is BUILD.
WAYS = {"deb": ["--preset", "deb"], "rpm": ["--preset", "rpm"], "plain": []} if harness.FULL else {"plain": []}
# Small ones of each kind: a program, a shared library, a static one.
SMALL = ("hwinput", "perflog_provider_shared", "perflog_provider_static")
X86 = platform.machine() == "x86_64"
COMPILED = ["-fstack-protector-strong", "-fstack-clash-protection"] + ["-fcf-protection=full"] * X86


def do(*args, **how):
    done = subprocess.run(args, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          universal_newlines=True, timeout=4 * harness.TIMEOUT, **how)
    if done.returncode:
        raise AssertionError("%s: %d\n%s" % (" ".join(args), done.returncode, done.stdout[-3000:]))
    return done.stdout


class Hardened(Case):
    def check(self, path):
        """A linked file, by its notes, its segments and what it asks of the C library."""
        dynamic, segments, symbols = (do("readelf", "-W", how, path) for how in ("-d", "-l", "--dyn-syms"))
        self.assertIn("BIND_NOW", dynamic, path)
        self.assertIn("GNU_RELRO", segments, path)
        [stack] = re.findall(r"GNU_STACK .* (\w+) +0x", segments)
        self.assertNotIn("E", stack, path)
        self.assertIn("Elf file type is DYN", segments, path)
        if "INTERP" in segments:
            self.assertRegex(dynamic, r"FLAGS_1.*\bPIE\b", path)
        self.assertIn("__stack_chk_fail", symbols, path)
        self.assertRegex(symbols, r"__\w+_chk@", path + ": the C library checks no lengths")
        self.assertNotIn("RUNPATH", dynamic, path)

    def check_objects(self, path):
        """Linked files lose this note where the C library's own objects lack it, as Debian's do."""
        objects = do("ar", "t", path).split()
        notes = do("readelf", "-n", path)
        self.assertEqual(len(re.findall(r"x86 feature: IBT, SHSTK", notes)), len(objects), path)

    def check_commands(self, build):
        with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as f:
            commands = [c["command"].split() for c in json.load(f)]
        self.assertTrue(commands)
        for words in commands:
            for flag in COMPILED:
                self.assertIn(flag, words)
            self.assertTrue({"-fPIC", "-fPIE"} & set(words), words)
            self.assertRegex(" ".join(words), r"-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=[23]\b")

    def test_every_way_to_build_what_is_installed(self):
        for name, preset in WAYS.items():
            with self.subTest(way=name):
                build = self.path(name)
                do("cmake", *preset, "-S", ROOT, "-B", build, "-G", "Ninja", "-DBUILD_TESTING=OFF",
                   "-DPERFLOG_MAN=OFF", "-DPERFLOG_BPF=OFF", "-DPERFLOG_UPLOT=", cwd=ROOT)
                do("cmake", "--build", build, "--target", *SMALL)
                self.check(os.path.join(build, "hwinput"))
                self.check(os.path.join(build, "libperflog_provider.so"))
                if X86:
                    self.check_objects(os.path.join(build, "libperflog_provider.a"))
                self.check_commands(build)

    def test_all_that_was_built(self):
        for name in "perflog", "libperflog.so", "libperflog_provider.so", "hwinput":
            self.check(os.path.join(BUILD, name))
        rooms = glob.glob(os.path.join(BUILD, "libpl_*.a"))
        self.assertGreater(len(rooms), 20)
        for path in rooms + [os.path.join(BUILD, "libperflog_provider.a")] if X86 else ():
            self.check_objects(path)
        self.check_commands(BUILD)


if __name__ == "__main__":
    harness.main()
