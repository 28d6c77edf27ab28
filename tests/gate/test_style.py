#!/usr/bin/env python3
"""C and C++ are as clang-format writes them, and clang-tidy has nothing to say of the product.

PERFLOG_BUILD is a build tree with compile_commands.json: clang-tidy looks at what is compiled there.
"""
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness

ROOT = harness.ROOT
BUILD = os.environ.get("PERFLOG_BUILD", os.path.join(ROOT, "build", "asan"))
PRODUCT = "format", "logger", "analyze", "perflog.c"
AT_ONCE = 8  # files a process: beginning one takes as long as looking at a file
BAD_FORMAT = "int  f( void ){return 0;}\n"
BAD_CODE = "int f(long n);\nint f(long n)\n{\n    for (short i = 0; i < n; i++)\n        ;\n    return 0;\n}\n"


def sources(*folders):
    for folder in folders:
        path = os.path.join(ROOT, folder)
        if os.path.isfile(path):
            yield path
        for parent, _, names in os.walk(path):
            yield from (os.path.join(parent, name) for name in sorted(names) if name.endswith((".c", ".h", ".cc")))


def compiled():
    """What compiles the product in its own targets, which need nothing that only tests generate: {path: (entry, files)}.

    A room that is compiled at once has a source that includes all of its files.
    """
    product, found = set(sources(*PRODUCT)), {}
    with open(os.path.join(BUILD, "compile_commands.json"), encoding="utf-8") as f:
        for entry in json.load(f):
            path = os.path.join(entry["directory"], entry["file"])
            files = {path}
            if "/Unity/" in path:
                files = set(re.findall(r'^#include "(.*)"', harness.read(path).decode(), re.M))
            if files & product and " -o tests/" not in entry["command"]:
                found[path] = entry, files & product
    return found


def complaints(command, files):
    """What a tool says of files, looked at by all processors."""
    def look(some):
        done = subprocess.run([*command, *some], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, universal_newlines=True)
        if not done.returncode:
            return ""
        return done.stdout + "".join(re.findall(r"^.*error.*\n", done.stderr, re.M))
    parts = [files[i:i + AT_ONCE] for i in range(0, len(files), AT_ONCE)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return "".join(pool.map(look, parts))


class Style(unittest.TestCase):
    def needs(self, tool):
        if not shutil.which(tool):
            self.skipTest("%s is not installed" % tool)

    def with_file(self, text, *command):
        """What a tool says of a file in this tree's style."""
        with tempfile.TemporaryDirectory() as folder:
            for rules in ".clang-format", ".clang-tidy":
                shutil.copy(os.path.join(ROOT, rules), folder)
            path = os.path.join(folder, "a.c")
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
            return complaints(command, [path])


class Format(Style):
    COMMAND = "clang-format", "--dry-run", "--Werror"

    def setUp(self):
        self.needs("clang-format")

    def test_all_files_are_formatted(self):
        files = list(sources(*PRODUCT, "tests"))
        self.assertGreater(len(files), 500)
        said = complaints(self.COMMAND, files)
        self.assertFalse(said, "clang-format -i FILE mends these:\n" + said)

    def test_a_file_that_is_not_is_found(self):
        self.assertIn("a.c:1:", self.with_file(BAD_FORMAT, *self.COMMAND))


class Tidy(Style):
    def setUp(self):
        self.needs("clang-tidy")

    def test_the_product_is_clean(self):
        found = compiled()
        self.assertGreater(len(set().union(*(files for _, files in found.values()))), 400)
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "compile_commands.json"), "w", encoding="utf-8") as f:
                json.dump([entry for entry, _ in found.values()], f)
            said = complaints(("clang-tidy", "--quiet", "--checks=-bugprone-suspicious-include", "-p", folder),
                              sorted(found))
        self.assertFalse(said, said)

    def test_a_file_that_is_not_is_found(self):
        self.assertIn("[bugprone-too-small-loop-variable", self.with_file(BAD_CODE, "clang-tidy", "--quiet"))

    def test_reserved_names_are_found(self):
        """By warnings of the compiler, which .clang-tidy switches on."""
        said = self.with_file("#define __A 1\nint _B(int a);\nint _B(int a)\n{\n    return a + __A;\n}\n", "clang-tidy",
                              "--quiet")
        self.assertIn("[clang-diagnostic-reserved-macro-identifier", said)
        self.assertIn("[clang-diagnostic-reserved-identifier", said)


if __name__ == "__main__":
    unittest.main(testRunner=harness.Runner)
