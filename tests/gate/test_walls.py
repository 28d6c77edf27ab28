#!/usr/bin/env python3
"""The walls between rooms: each folder includes and calls only what cmake/rooms.txt lets it see.

PERFLOG_LIBS names the rooms' libraries, separated by ':'; each file is called libpl_ROOM.a, the
room's slashes made underscores.
"""
import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness

ROOT = harness.ROOT
PARTS = "format", "logger", "analyze"
# Folders whose files are programs, not parts of a room's library.
EXAMPLES = "logger/provider/sample", "analyze/library/examples"
INSIDE = {"logger/linux/processes/bpf": "logger/linux/processes"}
# Headers that ISO C and C++ do not have but every supported system does, or may be asked for.
POSIX_ONLY = re.compile(r"(sys|netinet|arpa|net|linux)/|"
                        r"(unistd|fcntl|dirent|poll|pthread|sched|getopt|strings|dlfcn|pwd|grp|termios|"
                        r"spawn|langinfo|semaphore|ftw|glob|regex|utime|mntent|syslog)\.h\Z")
ALLOWED = {("format/cli/message.c", "unistd.h"), ("format/cli/options.c", "getopt.h")}
PLATFORM_TEST = re.compile(r"^\s*#(?!define \w+ \").*\b(_WIN32|_WIN64|_MSC_VER|__MINGW\w*|__linux__|linux|__unix__|"
                           r"__APPLE__|__FreeBSD__|__CYGWIN__)\b")
# Names of the blocks' sources, such as "little linux".
PROVIDER_NAME = re.compile(r'"(little|big) \w+"')
# The platform that is built implements logger/sampler.h: these are called across.
INTERFACE = re.compile(r"pl_sampler_|pl_object_performance_logger\Z")


def platforms():
    """Folders that implement logger/sampler.h: they see it, and logger/record calls it."""
    return tuple(room for room, sees in read_rooms(ROOT).items()
                 if re.match(r"logger/(?!record\Z)\w+\Z", room) and "logger" in sees)


def is_platform_file(path):
    return path.startswith(tuple(p + "/" for p in platforms() + EXAMPLES[:1])) or \
        re.search(r"_(posix|windows)\.(c|h)\Z", path)


def read_rooms(root):
    """{room: rooms it sees}, in the table's order."""
    rooms = {}
    with open(os.path.join(root, "cmake", "rooms.txt"), encoding="utf-8") as f:
        for line in f:
            if line[:1].isalpha():
                room, *sees = line.split()
                rooms[room] = sees
    return rooms


def room_of(path):
    folder = os.path.dirname(path)
    return INSIDE.get(folder, folder)


def sources(root, *folders):
    """(path, line number, line) of every line of C and C++ in folders, or in the program's door."""
    for folder in folders:
        found = [os.path.join(root, folder)]
        if os.path.isdir(found[0]):
            found = [os.path.join(parent, name) for parent, _, names in os.walk(found[0])
                     for name in names if name.endswith((".c", ".h", ".cc"))]
        for path in sorted(found):
            name = os.path.relpath(path, root)
            with open(path, encoding="utf-8") as f:
                for number, line in enumerate(f, 1):
                    yield name, number, line


def includes(root, *folders):
    for path, number, line in sources(root, *folders):
        m = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
        if m:
            yield path, number, m.group(2)


def includes_across(root):
    """Every #include of a room that the including file's room does not see."""
    rooms = read_rooms(root)
    for path, number, header in includes(root, *PARTS):
        room, other = room_of(path), room_of(header)
        if room.startswith(EXAMPLES) or not header.startswith(tuple(p + "/" for p in PARTS)):
            if ".." in header:
                yield path, number, header
        elif other != room and other not in rooms.get(room, ()):
            yield path, number, header


def reached(rooms, room):
    """What a room sees, and what that sees: it is linked with all of them."""
    found = set()
    for other in rooms[room]:
        found |= {other} | reached(rooms, other)
    return found


def symbols(library):
    """(names defined, names wanted) of a library that others could define or want."""
    lines = [line.split() for line in subprocess.run(
        ["nm", "--extern-only", "--no-sort", library], check=True, stdout=subprocess.PIPE,
        universal_newlines=True).stdout.splitlines()]
    # Weak and unique ones are what C++ headers leave; names with '.' or '__' are the tools'.
    return ({s[2] for s in lines if len(s) == 3 and s[1] not in "WwVvu"
             and not re.match(r"__(odr_asan|gcov|llvm|asan|tsan|start|stop)", s[2])},
            {s[1] for s in lines if len(s) == 2 and s[0] == "U"})


def calls_across(rooms, defined, wanted):
    """(room, name, room that has it) of every name wanted of a room that is not reached."""
    owner = {name: room for room, names in defined.items() for name in names}
    for room in wanted:
        allowed = reached(rooms, room) | {room}
        for name in sorted(wanted[room]):
            if owner.get(name, room) not in allowed and not (
                    room == "logger/record" and INTERFACE.match(name)):
                yield room, name, owner[name]


class Rooms(unittest.TestCase):
    def test_a_room_sees_only_rooms_before_it(self):
        rooms = read_rooms(ROOT)
        before = []
        for room, sees in rooms.items():
            self.assertFalse(set(sees) - set(before), room)
            self.assertEqual(len(sees), len(set(sees)), room)
            before.append(room)
        for room in rooms:
            others = {r.split("/")[0] for r in reached(rooms, room)}
            self.assertLessEqual(others, {"format", room.split("/")[0]}, room)

    def test_every_folder_is_a_room(self):
        folders = {room_of(path) for path, _, _ in sources(ROOT, *PARTS)}
        self.assertEqual({f for f in folders if not f.startswith(EXAMPLES)}, set(read_rooms(ROOT)))

    def test_no_include_across_a_wall(self):
        self.assertGreater(len(list(includes(ROOT, *PARTS))), 1000, "no sources?")
        self.assertEqual(list(includes_across(ROOT)), [])

    def test_a_file_that_breaks_a_wall_is_found(self):
        with tempfile.TemporaryDirectory() as root:
            for folder in "cmake", "format/base", "format/log", "logger", "analyze":
                os.makedirs(os.path.join(root, folder))
            with open(os.path.join(root, "cmake/rooms.txt"), "w", encoding="utf-8") as f:
                f.write("# none\nformat/base\nformat/log  format/base\n")
            for path, header in (("format/log/good.c", "format/base/a.h"), ("format/log/own.c", "format/log/b.h"),
                                 ("format/base/bad.c", "format/log/b.h"), ("format/base/up.c", "../log/b.h")):
                with open(os.path.join(root, path), "w", encoding="utf-8") as f:
                    f.write('#include "%s"\n' % header)
            self.assertEqual([found[0] for found in includes_across(root)],
                             ["format/base/bad.c", "format/base/up.c"])
        rooms = {"format/base": [], "format/log": ["format/base"], "logger/record": ["format/log"], "logger/none": []}
        defined = {"format/base": {"pl_a"}, "format/log": {"pl_b"}, "logger/none": {"pl_sampler_x", "pl_y"}}
        wanted = {"format/base": {"pl_b", "malloc"}, "format/log": {"pl_a"},
                  "logger/record": {"pl_a", "pl_b", "pl_sampler_x", "pl_y"}}
        self.assertEqual(list(calls_across(rooms, defined, wanted)),
                         [("format/base", "pl_b", "format/log"), ("logger/record", "pl_y", "logger/none")])


class Sources(unittest.TestCase):
    def check_none(self, found, what):
        self.assertEqual(list(found), [], what)

    def test_program_sees_format_alone(self):
        self.check_none((s for s in includes(ROOT, "perflog.c") if s[2].startswith(("logger/", "analyze/"))),
                        "commands are declared, not included")

    def test_platforms_stay_in_their_files(self):
        self.check_none(((p, n, line) for p, n, line in sources(ROOT, *PARTS, "perflog.c")
                         if PLATFORM_TEST.match(line) and not is_platform_file(p)), "platform test")

    def test_the_platforms_are_found(self):
        self.assertEqual(sorted(platforms()), ["logger/linux", "logger/none", "logger/windows"])

    def test_names_of_providers_stay_in_their_list(self):
        found = {p for p, n, line in sources(ROOT, *PARTS, "perflog.c") if PROVIDER_NAME.search(line)}
        self.assertEqual(found, {"format/payload/payloads.h"})

    def test_arrays_grow_in_one_place(self):
        """Where sizes are checked for overflow: format/base (array.h; of bytes, buf.h)."""
        found = {p for p, n, line in sources(ROOT, *PARTS, "perflog.c") if re.search(r"\brealloc\([^)]", line)}
        self.assertEqual({p for p in found if not room_of(p).startswith(EXAMPLES)},
                         {"format/base/array.c", "format/base/buf.c"})

    def test_rights_are_those_of_open_files(self):
        """By a name, another user who owns the folder could have the rights of any file changed."""
        self.check_none(((p, n, line) for p, n, line in sources(ROOT, *PARTS, "perflog.c")
                         if re.search(r"\b(chmod|l?chown|fchmodat|fchownat|l?(set|remove)xattr)\([^)]", line)),
                        "rights by name")

    def test_a_tag_has_one_meaning(self):
        """A struct, enum or union of our prefix is defined once, or once a platform."""
        places = {}
        for path, _, line in sources(ROOT, *PARTS):
            m = re.match(r"\s*(?:static |const |typedef )*(?:struct|enum|union) (pl_\w+) \{", line)
            if m and path != "analyze/library/perflog_types.h":  # the library's copy, held equal by a test
                places.setdefault(m.group(1), set()).add(path)
        self.assertGreater(len(places), 200, "no tags?")
        self.check_none(((tag, sorted(paths)) for tag, paths in places.items()
                         if len({re.sub(r"_(posix|windows)\.", ".", re.sub("^logger/(linux|windows)/.*", "platform", p))
                                 for p in paths}) > 1), "tag of several meanings")

    def test_portable_parts_include_portable_headers(self):
        self.check_none(((p, n, h) for p, n, h in includes(ROOT, "format", "analyze", "perflog.c")
                         if POSIX_ONLY.match(h) and not is_platform_file(p) and (p, h) not in ALLOWED),
                        "POSIX-only header")


class Libraries(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        files = [f for f in os.environ.get("PERFLOG_LIBS", "").split(":") if f]
        if not files:
            raise unittest.SkipTest("PERFLOG_LIBS does not name the rooms' libraries")
        cls.rooms = read_rooms(ROOT)
        names = {"libpl_%s.a" % room.replace("/", "_"): room for room in cls.rooms}
        cls.defined, cls.wanted = {}, {}
        for path in files:
            room = names[os.path.basename(path)]
            cls.defined[room], cls.wanted[room] = symbols(path)

    def test_every_room_has_a_library(self):
        """But those of other platforms, and those of headers alone."""
        self.assertLessEqual({r for r in self.rooms if not r.startswith("logger")}, set(self.defined))

    def test_no_call_across_a_wall(self):
        self.assertEqual(list(calls_across(self.rooms, self.defined, self.wanted)), [])

    def test_nothing_is_seen_in_vain(self):
        """A row says what is used: what the room neither includes nor calls is struck out."""
        owner = {name: room for room, names in self.defined.items() for name in names}
        used = {room: {owner.get(name) for name in names} for room, names in self.wanted.items()}
        for path, _, header in includes(ROOT, *PARTS):
            used.setdefault(room_of(path), set()).add(room_of(header))
        for room in self.defined:
            self.assertEqual(set(self.rooms[room]) - used[room], set(), room)

    def test_every_name_has_our_prefix(self):
        for room, names in self.defined.items():
            self.assertTrue(names, room)
            self.assertEqual([s for s in names if not s.startswith("pl_")], [], room)

    def test_names_are_defined_once(self):
        owner = {}
        for room, names in self.defined.items():
            for name in names:
                self.assertEqual(owner.setdefault(name, room), room, name)


if __name__ == "__main__":
    harness.main()
