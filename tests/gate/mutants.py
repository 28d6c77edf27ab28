#!/usr/bin/env python3
"""Seeded bugs: each is built into a copy of the tree, and the tests named must notice.

    mutants.py --apply-only       every expression is there exactly once, in its room (a test of its own)
    mutants.py FOLDER [WHICH...]  build and run all, or those of rooms and functions named; FOLDER is made and kept

The rows are in mutants_*.py, one table of each top folder.  A row is (function, expression, replacement, tests);
"bombs/Search" is class Search of test_bombs.py alone; a Check program runs as a whole.  The function, or object,
enumerator or macro, is found in whatever file defines it, the expression in it whatever its layout (definitions.py).
Where several files define a function of that name, the expression must tell them apart.
All take a few hours; nothing in FOLDER is read but what this script wrote.
"""
import filecmp
import os
import shutil
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import mutants_analyze
import mutants_format
import mutants_logger
from definitions import NotOnce, Tree

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SOURCES = ("format", "logger", "analyze", "perflog.c")
PARTS = ("CMakeLists.txt", "CMakePresets.json", "LICENSE", "cmake", "format", "logger", "analyze", "perflog.c", "tests")
TIMEOUT = 600
# Tests of one subject in several files, which the first one's name stands for.
TESTS_OF = {"calc": ("calc", "calc_odd"), "cli": ("cli", "outputs"),
            "pack": ("pack", "pack_forged"),
            "process_ended": ("process_ended", "process_ended_proc"),
            "reader": ("reader", "reader_joined", "reader_newer", "reader_roots", "reader_torn"),
            "replay": ("replay", "replay_names", "replay_pairs"), "winperf": ("winperf", "winperf_damage"),
            "xlsx": ("xlsx", "xlsx_charts", "xlsx_summary")}

TABLES = (mutants_format, mutants_logger, mutants_analyze)
MUTANTS = [(room, *row) for table in TABLES for room, rows in table.MUTANTS.items() for row in rows]


def check_texts():
    tree, bad = Tree(ROOT, SOURCES), 0
    for room, name, expression, replacement, _ in MUTANTS:
        try:
            path = tree.find(name, expression)[0]
            if not path.startswith(room + "/"):
                raise NotOnce("%s: is in %s, not in %s" % (name, path, room))
            if expression == replacement:
                raise NotOnce("%s: no change: %r" % (name, expression))
        except NotOnce as e:
            print(e)
            bad += 1
    return bad


def chosen(which):
    """The rows of the rooms and functions named, all if none is."""
    unknown = set(which) - {m[0] for m in MUTANTS} - {m[1] for m in MUTANTS}
    if unknown:
        sys.exit("no row is of %s: a room as in cmake/rooms.txt, or a function" % ", ".join(sorted(unknown)))
    return [m for m in MUTANTS if not which or m[0] in which or m[1] in which]


def build(folder, targets):
    done = subprocess.run(["cmake", "--build", "build", "--target", *targets], cwd=folder, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode == 0, done.stdout


def names_of(tests):
    return [name for test in tests.split() for name in TESTS_OF.get(test, (test,))]


def targets_of(tests):
    """What to build for tests: their programs, or all that a script runs; 'ways_in_namespace' is a way to run 'ways'."""
    files = {f for room, _, names in os.walk(os.path.join(ROOT, "tests")) if os.path.basename(room) != "wine" for f in names}
    tools = {name[:-2] for name in os.listdir(os.path.join(ROOT, "tests/tools")) if name.endswith(".c")}
    found = set()
    for test in (t.partition("/")[0] for t in names_of(tests)):
        if test == "library":  # installs what is built
            found.add("all")
        elif "test_%s.py" % test in files:
            found |= {"perflog", "worker", "hwinput"} | tools
        else:
            words = test.split("_")
            programs = ["test_" + "_".join(words[:n]) for n in range(len(words), 0, -1)]
            found.add(next(p for p in programs if p + ".c" in files))
    return sorted(found)


def noticed(folder, tests):
    """The first test that fails or does not end, None if all pass."""
    for test in names_of(tests):
        name, _, part = test.partition("/")
        try:
            code = subprocess.run(["ctest", "--test-dir", "build", "-R", "^%s$" % name, "--no-tests=error",
                                   "--timeout", str(TIMEOUT)],
                                  cwd=folder, env=dict(os.environ, PERFLOG_TEST_ONLY=part),
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                  timeout=TIMEOUT + 60).returncode
        except subprocess.TimeoutExpired:
            code = 1
        if code:
            return test
    return None


def copy_changed(source, copy):
    """What was put back after a mutant keeps its time, and so is built again."""
    if not os.path.exists(copy) or not filecmp.cmp(source, copy, shallow=False):
        shutil.copy(source, copy)


def prepare(folder):
    os.makedirs(folder, exist_ok=True)
    for part in PARTS:
        source, copy = os.path.join(ROOT, part), os.path.join(folder, part)
        if os.path.isdir(source):
            shutil.copytree(source, copy, copy_function=copy_changed, dirs_exist_ok=True)
        else:
            copy_changed(source, copy)
    data = os.path.join(ROOT, "..", "shared", "data")
    # Release has all tests; assertions are left in, and it compiles quickly.
    subprocess.run(["cmake", "-S", ".", "-B", "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                    "-DCMAKE_C_FLAGS_RELEASE=-Og", "-DCMAKE_CXX_FLAGS_RELEASE=-Og",
                    "-DPERFLOG_MAN=OFF", "-DPERFLOG_UPLOT=npm", "-DPERFLOG_SHARED_DATA=" + os.path.abspath(data)],
                   cwd=folder, check=True, stdout=subprocess.DEVNULL)


def try_one(folder, place, replacement, tests):
    """What became of the tests with that mutant: (whether it was noticed, in words)."""
    path, begin, end = place
    target = os.path.join(folder, path)
    with open(target, encoding="utf-8") as f:
        source = f.read()
    try:
        with open(target, "w", encoding="utf-8") as f:
            f.write(source[:begin] + replacement + source[end:])
        good, _ = build(folder, targets_of(tests))
        by = noticed(folder, tests) if good else None
    finally:
        with open(target, "w", encoding="utf-8") as f:
            f.write(source)
    return bool(by), "killed by " + by if by else "SURVIVED" if good else "DOES NOT BUILD"


def main(folder, rows):
    prepare(folder)
    tests = " ".join(row[-1] for row in rows)
    good, output = build(folder, targets_of(tests))
    if not good:
        sys.exit("the tree as it is does not build:\n" + output)
    failing = noticed(folder, " ".join(sorted(set(tests.split()))))
    if failing:
        sys.exit("the tree as it is fails '%s'" % failing)
    killed, tree = 0, Tree(folder, SOURCES)
    for room, name, expression, replacement, tests in rows:
        started = time.monotonic()
        is_killed, result = try_one(folder, tree.find(name, expression), replacement, tests)
        killed += is_killed
        print("%-20s %-24s %-20s %4d s  %s" % (room, name, result, time.monotonic() - started, expression), flush=True)
    print("%d of %d killed" % (killed, len(rows)))
    return 0 if killed == len(rows) else 1


if __name__ == "__main__":
    if sys.argv[1:] == ["--apply-only"]:
        sys.exit(1 if check_texts() else 0)
    if len(sys.argv) < 2 or sys.argv[1].startswith("-") or check_texts():
        sys.exit("usage: mutants.py --apply-only | FOLDER [ROOM|FUNCTION...]; every expression must be found once")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # what was changed is put back
    sys.exit(main(os.path.abspath(sys.argv[1]), chosen(sys.argv[2:])))
