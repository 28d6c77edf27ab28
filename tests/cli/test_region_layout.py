#!/usr/bin/env python3
"""A region looks the same to every compiler: its header is compiled for other machines, whose programs may write one.

Only the parts of C that need no library are needed for that, and the one type that sys/types.h gives it.
"""
import os
import shutil
import subprocess
import sys
import unittest

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import Case

ROOT = harness.ROOT
CLANG = shutil.which("clang")
MACHINES = ("x86_64-linux-gnu", "i686-linux-gnu", "aarch64-linux-gnu", "arm-linux-gnueabihf", "s390x-linux-gnu",
            "powerpc64le-linux-gnu", "powerpc64-linux-gnu", "riscv64-linux-gnu", "mips-linux-gnu",
            "x86_64-w64-mingw32", "i686-w64-mingw32", "aarch64-w64-mingw32")
# Beyond what the header itself asserts: the parts of an object and of an instance that others read.
ASSERTED = (("pl_region_slot", "unique_id", 8), ("pl_region_slot", "parent_object", 16),
            ("pl_region_slot", "parent_serial", 24), ("pl_region_slot", "name", 32),
            ("pl_region_header", "pid", 80))


@unittest.skipUnless(CLANG, "clang is not here; install clang")
class Layout(Case):
    def compiled(self, machine, asserted):
        folder = self.path("sys")
        os.makedirs(folder, exist_ok=True)
        self.write("sys/types.h", b"typedef unsigned mode_t;\n")
        source = '#include "logger/provider/region.h"\n' + "".join(
            'static_assert(offsetof(struct %s, %s) == %d, "");\n' % a for a in asserted)
        return subprocess.run([CLANG, "--target=" + machine, "-std=c11", "-ffreestanding", "-fsyntax-only", "-nostdlibinc",
                               "-Dstatic_assert=_Static_assert", "-I", self.path("."), "-I", ROOT, "-xc", "-"],
                              input=source, capture_output=True, text=True, timeout=harness.TIMEOUT)

    def test_it_is_the_same_on_all_machines(self):
        self.write("assert.h", b"")
        for machine in MACHINES:
            with self.subTest(machine=machine):
                r = self.compiled(machine, ASSERTED)
                self.assertEqual((r.returncode, r.stderr), (0, ""))

    def test_a_difference_is_noticed(self):
        self.write("assert.h", b"")
        for machine in MACHINES:
            r = self.compiled(machine, (("pl_region_slot", "name", 31),))
            self.assertIn("static_assert failed", r.stderr)


if __name__ == "__main__":
    harness.main()
