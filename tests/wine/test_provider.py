#!/usr/bin/env python3
"""Counters of applications on Windows: published, handed to Windows, recorded, read on both systems."""
import filecmp
import os
import shutil
import subprocess
import tempfile

from native import NATIVE, RUN, need, windows
from publishing import FOR_EVER, Counting, Publishing, Valves, wine
from harness import main

PUBLISHER, HWINPUT, WORKER, BETWEEN, LIBRARY, PRESS = (
    os.environ.get(name, "") for name in ("PUBLISHER", "HWINPUT", "WORKER", "BETWEEN", "LIBRARY", "PRESS"))
SERVICES = r"HKLM\SYSTEM\CurrentControlSet\Services"
PERFLIB = r"HKLM\SOFTWARE\Microsoft\Windows NT\CurrentVersion\Perflib\00A"
LANGUAGE = ("--language", "00A")
FIRST = {"hwinput": 50000, "publisher": 51000}

installed = None  # the folder of the programs
keys = {}  # of the registry, by which what stands between is asked


def registry(*args):
    return wine("reg", *args, "/f")


def value_of(value):
    """As a file of the registry has it: a number, a text, or a list of texts."""
    if isinstance(value, int):
        return "dword:%08x" % value
    if isinstance(value, str):
        return '"%s"' % value.replace("\\", r"\\")
    return "hex(7):" + ",".join("%02x" % b for b in ("\0".join(value) + "\0\0").encode("utf-16-le"))


def registry_import(keys):
    """{key: {name: value}} into the registry, at once."""
    lines = ["Windows Registry Editor Version 5.00"]
    for key, values in keys.items():
        lines += ["", "[%s]" % key.replace("HKLM", "HKEY_LOCAL_MACHINE")]
        lines += ['"%s"=%s' % (name, value_of(value)) for name, value in values.items()]
    path = os.path.join(installed, "import.reg")
    with open(path, "w", encoding="utf-16", newline="\r\n") as f:
        f.write("\n".join(lines) + "\n")
    wine("reg", "import", windows(path))
    os.unlink(path)


def names_of(service):
    """What lodctr reads: {number: (name, help)}."""
    with open(os.path.join(installed, service + ".ini"), encoding="utf-16") as f:
        head, texts = f.read().replace("\r\n", "\n").split("[text]\n")
    assert "drivername=%s\nsymbolfile=%s.h\n" % (service, service) in head, head
    assert "[languages]\n009=English\n" in head, head
    with open(os.path.join(installed, service + ".h"), encoding="ascii", newline="\r\n") as f:
        symbols = dict(line.split()[1:] for line in f)
    texts = dict(line.split("=", 1) for line in texts.splitlines())
    assert len(texts) == 2 * len(symbols)
    return {int(n): (texts[symbol + "_009_NAME"], texts[symbol + "_009_HELP"]) for symbol, n in symbols.items()}


def lodctr(program):
    """What Windows' own does; that of Wine does nothing."""
    service, first, key = "perflog-" + program, FIRST[program], SERVICES + r"\perflog-%s\Performance" % program
    names = names_of(service)
    assert sorted(names) == list(range(0, 2 * len(names), 2)), names
    registry_import({key: {"First Counter": first, "First Help": first + 1, "Last Counter": first + max(names),
                           "Last Help": first + max(names) + 1}})
    return {first + n: texts for n, texts in names.items()}


def register(program):
    """As an administrator does; the numbers of its names."""
    path = os.path.join(installed, program + ".exe")
    assert "lodctr has not taken the names" in wine(path, "--install", code=1)
    titles = lodctr(program)
    wine(path, "--install")
    return titles


def setUpModule():
    global installed
    installed = os.path.join(tempfile.mkdtemp(prefix="perflog-test-"), "Größe 日本")
    os.mkdir(installed)
    for program in PUBLISHER, HWINPUT, LIBRARY:
        shutil.copy(program, installed)
    titles = {}
    for name in FIRST:
        program = os.path.join(installed, name + ".exe")
        wine(program, "--uninstall")  # what an earlier run may have left
        titles.update(register(name))
        key = SERVICES + r"\perflog-%s\Performance" % name
        assert "perflog_collect" in wine("reg", "query", key)
        between = os.path.join(installed, "between-%s.dll" % name)
        shutil.copy(BETWEEN, between)
        keys[key] = {"Library": windows(between), "Open": "between_open", "Collect": "between_collect",
                     "Close": "between_close"}
    keys[PERFLIB] = {kind: [text for n in sorted(titles) for text in (str(n + place), titles[n][place])
                            if titles[n][place]] for kind, place in (("Counter", 0), ("Help", 1))}
    registry_import(keys)


def tearDownModule():
    for name in FIRST:
        wine(os.path.join(installed, name + ".exe"), "--uninstall")
        wine("reg", "query", SERVICES + r"\perflog-" + name, code=1)
    left = sorted(os.listdir(installed))
    registry("delete", PERFLIB)
    shutil.rmtree(os.path.dirname(installed))
    assert left == ["between-hwinput.dll", "between-publisher.dll", "hwinput.exe", "perflog_provider.dll",
                    "publisher.exe"], left


class Simulated(Counting, Publishing):
    language, own = LANGUAGE, "Perflog Provider hwinput"

    def setUp(self):
        super().setUp()
        self.hwinput = os.path.join(installed, "hwinput.exe")

    def test_ctrl_c_ends_it_with_its_totals(self):
        p = self.start(self.hwinput, "--simulate", "5:500" + FOR_EVER)
        self.assertIn("_Total", self.interrupt(p))

    def test_hooks_see_what_a_person_does(self):
        """A key that is held repeats, which is no keystroke."""
        p = subprocess.Popen([RUN, HWINPUT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             encoding="utf-8")
        self.addCleanup(p.stderr.close)
        self.addCleanup(self.abandon, p)
        self.assertIn("counting", p.stderr.readline())
        wine(PRESS)
        self.assertEqual(self.interrupt(p), {"Keystrokes": 2, "Mouse moves": 1, "_Total": 3, "Left": 1, "Middle": 1,
                                             "Right": 1})

    def test_a_wrong_command_line(self):
        self.assertIn("usage: hwinput", wine(HWINPUT, "--simulated", code=1))
        self.assertIn("SEED:RATE:COUNT", wine(HWINPUT, "--simulate", "1:2", code=1))


class Published(Valves, Publishing):
    language, own = LANGUAGE, "Perflog Provider publisher"

    def setUp(self):
        self.publisher = os.path.join(installed, "publisher.exe")
        super().setUp()

    def test_it_is_recorded_once(self):
        """By what Windows tells of it; its region is not asked, too."""
        self.assertEqual({o for o, _, _ in self.sample() if o.startswith("Perflog")}, {self.own})

    def test_it_is_registered_again_and_no_more_while_its_library_is_loaded(self):
        """Those who have it keep it, under another name, until they end."""
        self.addCleanup(registry_import, keys)
        self.tell("hold")
        wine(self.publisher, "--install")
        self.assertEqual(self.libraries(), ["", ".1"])
        self.assertTrue(filecmp.cmp(LIBRARY, os.path.join(installed, "perflog-publisher.dll"), shallow=False))
        self.tell("hold")
        wine(self.publisher, "--uninstall")
        self.assertEqual(self.libraries(), [".1", ".2"])
        self.p.stdin.close()
        self.p.wait()
        register("publisher")
        self.assertEqual(self.libraries(), [""])

    def test_a_library_that_cannot_be_copied_leaves_the_old_one_in_its_place(self):
        """As on a full disk: Windows loads what is there."""
        library = os.path.join(installed, "perflog_provider.dll")
        os.unlink(library)
        os.mkdir(library)  # which no CopyFile copies
        self.addCleanup(shutil.copy, LIBRARY, installed)
        self.addCleanup(os.rmdir, library)
        self.assertIn("cannot be replaced", wine(self.publisher, "--install", code=1))
        self.assertEqual(self.libraries(), [""])
        self.assertTrue(filecmp.cmp(LIBRARY, os.path.join(installed, "perflog-publisher.dll"), shallow=False))

    def libraries(self):
        """How the names of what is installed, and was, go on."""
        name = "perflog-publisher.dll"
        return sorted(f.removeprefix(name) for f in os.listdir(installed) if f.startswith(name))

    def test_a_table_that_windows_knows_otherwise_is_read_from_its_region(self):
        key = SERVICES + r"\perflog-publisher\Performance"
        self.addCleanup(registry, "add", key, "/v", "Last Counter", "/t", "REG_DWORD", "/d",
                        str(FIRST["publisher"] + 26))
        registry("add", key, "/v", "Last Counter", "/t", "REG_DWORD", "/d", str(FIRST["publisher"] + 20))
        self.tell("count")
        sample = self.sample()
        self.assertEqual({o for o, _, _ in sample if o.startswith("Perflog")}, {"Perflog Provider"})
        self.assertEqual(sample["Test Lines", self.p.label, "Lines"], "1")


if __name__ == "__main__":
    need(NATIVE, PUBLISHER, HWINPUT, WORKER, BETWEEN, LIBRARY, PRESS, RUN)
    main()
