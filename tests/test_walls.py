#!/usr/bin/env python3
"""The walls between the parts: recorder and analyzer stand on format/, never on each other.

PERFLOG_LIBS names the three libraries, separated by ':', format, logger, analyze.
"""
import os
import re
import subprocess
import unittest

import harness

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PARTS = "format", "logger", "analyze"
# Headers that ISO C and C++ do not have but every supported system does, or may be asked for.
POSIX_ONLY = re.compile(r"(sys|netinet|arpa|net|linux)/|"
                        r"(unistd|fcntl|dirent|poll|pthread|sched|getopt|strings|dlfcn|pwd|grp|termios|"
                        r"spawn|langinfo|semaphore|ftw|glob|regex|utime|mntent|syslog)\.h\Z")
ALLOWED = {("format/cli/message.c", "unistd.h"), ("format/cli/options.c", "getopt.h")}
PLATFORM_TEST = re.compile(r"^\s*#.*\b(_WIN32|_WIN64|_MSC_VER|__MINGW\w*|__linux__|linux|__unix__|"
                           r"__APPLE__|__FreeBSD__|__CYGWIN__)\b")


def is_platform_file(path):
    return path.startswith(("logger/linux/", "logger/windows/", "logger/provider/sample/")) or \
        re.search(r"_(posix|windows)\.(c|h)\Z", path)


def sources(*folders):
    """(path, line number, line) of every line of C and C++ in folders, or in the program's door."""
    for folder in folders:
        found = [os.path.join(ROOT, folder)]
        if os.path.isdir(found[0]):
            found = [os.path.join(parent, name) for parent, _, names in os.walk(found[0])
                     for name in names if name.endswith((".c", ".h", ".cc"))]
        for path in sorted(found):
            with open(path, encoding="utf-8") as f:
                for number, line in enumerate(f, 1):
                    yield os.path.relpath(path, ROOT), number, line


def includes(*folders):
    for path, number, line in sources(*folders):
        m = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
        if m:
            yield path, number, m.group(2)


class Sources(unittest.TestCase):
    def check_none(self, found, what):
        self.assertFalse(list(found), what)

    def test_parts_do_not_see_each_other(self):
        for part, others in (("format", ("logger/", "analyze/")), ("logger", ("analyze/",)),
                             ("analyze", ("logger/",))):
            seen = list(includes(part))
            self.assertGreater(len(seen), 20, "%s has no sources?" % part)
            self.check_none((s for s in seen if s[2].startswith(others) or ".." in s[2]),
                            "an #include across a wall")

    def test_program_sees_format_alone(self):
        self.check_none((s for s in includes("perflog.c") if s[2].startswith(("logger/", "analyze/"))),
                        "commands are declared, not included")

    def test_platforms_stay_in_their_files(self):
        self.check_none(((p, n, line) for p, n, line in sources(*PARTS, "perflog.c")
                         if PLATFORM_TEST.match(line) and not is_platform_file(p)), "platform test")

    def test_portable_parts_include_portable_headers(self):
        self.check_none(((p, n, h) for p, n, h in includes("format", "analyze", "perflog.c")
                         if POSIX_ONLY.match(h) and not is_platform_file(p) and (p, h) not in ALLOWED),
                        "POSIX-only header")

    def test_nothing_above_includes_a_platform(self):
        self.check_none(((p, n, h) for p, n, h in includes(*PARTS)
                         if h.startswith(("logger/linux/", "logger/windows/", "logger/none/"))
                         and not p.startswith("/".join(h.split("/")[:2]) + "/")), "a platform's own header")


class Libraries(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        libraries = os.environ.get("PERFLOG_LIBS", "").split(":")
        if len(libraries) != 3:
            raise unittest.SkipTest("PERFLOG_LIBS does not name three libraries")
        cls.defined, cls.wanted = {}, {}
        for part, path in zip(PARTS, libraries):
            symbols = [line.split() for line in subprocess.run(
                ["nm", "--extern-only", "--no-sort", path], check=True, stdout=subprocess.PIPE,
                universal_newlines=True).stdout.splitlines()]
            # Weak and unique ones are what C++ headers leave; names with '.' or '__' are the tools'.
            cls.defined[part] = {s[2] for s in symbols if len(s) == 3 and s[1] not in "WwVvu"
                                 and not re.match(r"__(odr_asan|gcov|llvm|asan|tsan|start|stop)", s[2])}
            cls.wanted[part] = {s[1] for s in symbols if len(s) == 2 and s[0] == "U"}

    def test_no_library_needs_another_across_the_wall(self):
        for part, other in (("analyze", "logger"), ("logger", "analyze"), ("format", "logger"),
                            ("format", "analyze")):
            only_there = self.defined[other] - self.defined[part] - self.defined["format"]
            self.assertFalse(self.wanted[part] & only_there, "%s needs %s" % (part, other))

    def test_every_name_has_our_prefix(self):
        for part in PARTS:
            self.assertGreater(len(self.defined[part]), 3)
            self.assertFalse([s for s in self.defined[part] if not s.startswith("pl_")], part)

    def test_names_are_defined_once(self):
        for a, b in (("format", "logger"), ("format", "analyze"), ("logger", "analyze")):
            self.assertFalse(self.defined[a] & self.defined[b], "in %s and %s" % (a, b))


if __name__ == "__main__":
    harness.main()
