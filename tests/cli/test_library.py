#!/usr/bin/env python3
"""libperflog as other programs have it: installed into a folder, found by pkg-config or CMake.

PERFLOG_BUILD is the build tree, PERFLOG_CFLAGS what it was compiled with (sanitizers).
"""
import csv
import io
import math
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import PROGRAM, Case
from write_log import SECOND, Log, object_of

BUILD = os.environ.get("PERFLOG_BUILD", os.path.dirname(PROGRAM))
CFLAGS = shlex.split(os.environ.get("PERFLOG_CFLAGS", ""))
START = 1_795_262_400 * SECOND
RATE, GAUGE = 0x10410400, 0x00010000
NAMES = {2: b"Engine", 4: b"Turns/sec", 6: b"Oil * level"}

# The library's interface: taking a line away, or changing a number, breaks programs.
SYMBOLS = """
    pl_cell_name pl_formula_adds_up pl_formula_of pl_formula_value pl_log_choose pl_log_close pl_log_count
    pl_log_losses pl_log_next pl_log_open pl_log_series pl_log_value pl_status_text pl_step_add pl_step_make
    pl_type_name pl_type_resolve
""".split()
LAYOUT = {
    "sizeof(struct pl_text)": 16,
    "sizeof(struct pl_reading)": 72, "offsetof(struct pl_reading, perf_time)": 32,
    "sizeof(struct pl_step)": 40, "offsetof(struct pl_step, cell)": 32,
    "sizeof(struct pl_formula)": 40, "offsetof(struct pl_formula, eval)": 32,
    "sizeof(struct pl_value)": 24, "offsetof(struct pl_value, text)": 8,
    "sizeof(struct pl_calc_options)": 3,
    "PL_END": 1, "PL_NOT_A_LOG": 6, "PL_USAGE": 10, "PL_NOMEM": 12,
    "PL_CELL_FIRST": 3, "PL_CELL_ABSENT": 4, "PL_CELL_NEGATIVE": 11, "PL_CELL_PARTIAL": 17,
    "PL_VALUE_TEXT": 4, "PL_CLOCK_OBJECT": 3,
}


class Installed(Case):
    @classmethod
    def setUpClass(cls):
        cls.stage = tempfile.mkdtemp(prefix="perflog-test-")
        cls.addClassCleanup(shutil.rmtree, cls.stage, ignore_errors=True)
        for component in "lib", "dev":
            subprocess.run(["cmake", "--install", BUILD, "--component", component], check=True,
                           env=dict(os.environ, DESTDIR=cls.stage), stdout=subprocess.DEVNULL)
        cls.files = [os.path.join(parent, name) for parent, _, names in os.walk(cls.stage) for name in names]
        cls.lib = os.path.dirname(cls.found("libperflog.so.0"))
        cls.env = dict(os.environ, LD_LIBRARY_PATH=cls.lib, PKG_CONFIG_SYSROOT_DIR=cls.stage,
                       PKG_CONFIG_LIBDIR=os.path.dirname(cls.found("perflog.pc")))
        cls.flags = shlex.split(cls.tool("pkg-config", "--cflags", "--libs", "perflog"))

    @classmethod
    def found(cls, name):
        [path] = [f for f in cls.files if os.path.basename(f) == name]
        return path

    @classmethod
    def tool(cls, *args, env=None, **how):
        done = subprocess.run(args, env=env or cls.env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=harness.TIMEOUT, universal_newlines=True, **how)
        if done.returncode:
            raise AssertionError("%s: %d\n%s" % (" ".join(args), done.returncode, done.stdout))
        return done.stdout

    def compile(self, source):
        program = self.path("program")
        self.tool("cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic", *CFLAGS, source, "-o", program,
                  *self.flags)
        return program

    def python(self, *args, env=()):
        """Python with the library; a sanitizer's runtime has to be there first."""
        env = dict(self.env, **dict(env), PYTHONDONTWRITEBYTECODE="1", PYTHONPATH=os.path.dirname(self.found("series.py")))
        if any("address" in f for f in CFLAGS):
            env["LD_PRELOAD"] = self.tool("cc", "-print-file-name=libasan.so").strip()
            env["ASAN_OPTIONS"] = "detect_leaks=0"
        return self.tool(sys.executable, *args, env=env)

    def log(self, name="a.plog", host=b"web", turns=(100, 350, 250, 900), start=START):
        log = Log(NAMES, host=host)
        for i, n in enumerate(turns):
            log.sample(start + i * SECOND, [object_of(2, [(4, RATE, 4), (6, GAUGE, 4)],
                                                      [("left", (n, i)), ("right", (2 * n, 7))])])
        return log.save(self.path(name))

    def values(self, *paths, choose=()):
        """What the Python module's functions give: rows of (time, {series: (value, status)})."""
        code = "\n".join((
            "import ctypes, sys, series",
            "lib, log, n, t, c = series.lib, ctypes.c_void_p(), ctypes.c_size_t(), ctypes.c_int64(), ctypes.c_int()",
            "lib.pl_cell_name.restype, lib.pl_log_losses.restype = ctypes.c_char_p, ctypes.c_uint64",
            "paths = [p.encode() for p in %r]" % (paths,),
            "s = lib.pl_log_open(ctypes.byref(log), (ctypes.c_char_p * len(paths))(*paths), ctypes.c_size_t(len(paths)))",
            "if s: sys.exit(print(['open', s, lib.pl_status_text(s)]))",
            "chosen = [lib.pl_log_choose(log, p.encode()) for p in %r]" % (tuple(choose),),
            "before = lib.pl_log_series(log, 0)",
            "s, rows = lib.pl_log_count(log, ctypes.byref(n)), []",
            "names = [lib.pl_log_series(log, i) for i in range(n.value + 1)]",
            "late = lib.pl_log_choose(log, b'Memory')",
            "while not (s := lib.pl_log_next(log, ctypes.byref(t))):",
            "    rows.append((t.value, {names[i].decode(): (repr(lib.pl_log_value(log, i, ctypes.byref(c))),",
            "                 lib.pl_cell_name(c).decode()) for i in range(n.value)}))",
            "beyond = repr(lib.pl_log_value(log, n.value, ctypes.byref(c)))",
            "print([rows, s, chosen, before, names[-1], late, beyond, lib.pl_log_losses(log)])",
            "lib.pl_log_close(log); lib.pl_log_close(None)"))
        return eval(self.python("-c", code))


class Locale(Installed):
    def test_numbers_of_a_sheet_where_decimals_have_a_comma(self):
        """perflog itself never leaves the C locale; a program with the library may."""
        if subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", self.path("de_DE.UTF-8")], check=False,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
            self.skipTest("no sources of locales; install the package locales")
        sheet = self.write("a.csv", b'"(PDH-CSV 4.0) (UTC)(0)","\\\\web\\Tank\\Level"\r\n'
                                    b'"11/21/2026 07:35:02.000","12.5"\r\n')
        self.assertEqual(self.python("-c", "\n".join((
            "import ctypes, locale, series",
            "locale.setlocale(locale.LC_ALL, 'de_DE.UTF-8')",
            "print(locale.localeconv()['decimal_point'], series.read(%r, 'Tank')[1])" % sheet)),
            env={"LOCPATH": self.folder}), ", {'\\\\\\\\web\\\\Tank\\\\Level': [12.5]}\n")


class Examples(Installed):
    def test_c_example_prints_what_export_does(self):
        source = self.found("series.c")
        with open(source, encoding="utf-8") as f:
            self.assertLessEqual(len(f.readlines()), 40)
        program, log = self.compile(source), self.log()
        for counter in "Turns/sec", "Oil [*] level":
            path = "\\Engine(left)\\" + counter
            got = [line.split("\t") for line in self.tool(program, log, path).splitlines()]
            sheet = harness.long_rows(self.good("export", "--layout", "long", "--time", "unix", log, "-c", path).out)
            self.assertEqual([(int(t), "" if v == "nan" else float(v), s) for t, v, s in got],
                             [(int(float(r["Time"])), float(r["Value"]) if r["Value"] else "", r["Status"])
                              for r in sheet])
            self.assertEqual(len(got), 4)

    def test_c_example_says_what_is_wrong(self):
        program, log = self.compile(self.found("series.c")), self.log()
        junk = self.write("junk", b"x" * 100)
        for args, says in ((("none", "x"), "none: No such file or directory\n"), ((junk, "x"), "not a perflog log\n"),
                           ((log, "Engine("), "Engine(: not understood\n"), ((log, "Nothing"), "Nothing: names no series, or several\n"),
                           ((log, r"\Engine(*)\Turns/sec"), "names no series, or several\n"),
                           ((), "usage: series LOG PATH\n"), ((log,), "usage: series LOG PATH\n")):
            done = subprocess.run([program, *args], env=self.env, cwd=self.folder, stderr=subprocess.PIPE,
                                  stdout=subprocess.DEVNULL, timeout=harness.TIMEOUT, universal_newlines=True)
            self.assertEqual(done.returncode, 1)
            self.assertIn(says, done.stderr)

    def test_python_example_reads_into_lists(self):
        times, values = eval(self.python("-c", "import series; print(series.read(%r, 'Engine(*)\\\\Turns/sec'))"
                                         % self.log()), {"nan": math.nan})
        self.assertEqual(times, [START / 1e9 + i for i in range(4)])
        self.assertEqual(sorted(values), [r"\\web\Engine(left)\Turns/sec", r"\\web\Engine(right)\Turns/sec"])
        self.assertEqual(repr(values[r"\\web\Engine(right)\Turns/sec"]), "[nan, 500.0, nan, 1300.0]")
        lines = self.python(self.found("series.py"), self.path("a.plog"), r"\Engine(left)\*").splitlines()
        self.assertEqual(len(lines), 8)


class Behaviour(Installed):
    def test_all_series_of_all_hosts_row_by_row(self):
        logs = self.log(), self.log("b.plog", b"db", (5, 6), START + 3 * SECOND)
        rows, end, chosen, before, last, late, beyond, losses = self.values(*logs)
        self.assertEqual((end, chosen, before, last, late, beyond, losses), (1, [], None, None, 10, "nan", 0))
        self.assertEqual([t for t, _ in rows], [START + i * SECOND for i in range(5)])
        sheet = list(csv.reader(io.StringIO(self.good("export", "-q", *logs).out)))
        self.assertEqual([n.replace("[*]", "*") for n in rows[0][1]], sheet[0][1:])
        for (_, row), line in zip(rows, sheet[1:], strict=True):
            self.assertEqual([("" if v == "nan" else float(v)) for v, _ in row.values()],
                             [float(x) if x else "" for x in line[1:]])
        left = r"\\web\Engine(left)\Turns/sec"
        self.assertEqual([row[left][1] for _, row in rows], ["first", "", "negative", "", "absent"])

    def test_choice(self):
        rows, _, chosen, *_ = self.values(self.log(), choose=("Engine(left)", r"\Engine(r*)\Oil*", "@x", "+Engine", "a("))
        self.assertEqual(chosen, [0, 0, 10, 10, 10])
        self.assertEqual(list(rows[0][1]), [r"\\web\Engine(left)\Turns/sec", r"\\web\Engine(left)\Oil [*] level",
                                            r"\\web\Engine(right)\Oil [*] level"])

    def test_what_is_lost_is_counted(self):
        log = self.log()
        _, at, n, _ = [r for r in harness.records(log) if r[0] == "SMPL"][2]
        with open(log, "rb") as f:
            data = f.read()
        for hurt in data[:at + 80] + b"\xff" * 4 + data[at + 84:], data[:at] + data[at + n:]:
            rows, end, *_, losses = self.values(self.write("hurt.plog", hurt))
            self.assertEqual((len(rows), end, losses), (3, 1, 1))

    def test_what_cannot_be_opened(self):
        os.mkdir(self.path("folder"))
        os.mkdir(self.path("of_nothing"))
        self.write("of_nothing/empty.plog")
        for path, status in ((self.path("none"), 11), (self.write("junk", b"x" * 100), 6),
                             (self.write("empty.plog"), 2), (self.write("zeros", bytes(4096)), 13),
                             (self.path("folder"), 1), (self.path("of_nothing"), 1), ("-", 11)):
            self.assertEqual(self.values(path)[:2], ["open", status], path)
        self.assertEqual(self.values()[:2], ["open", 10])

    def test_pipe(self):
        """A log is read for its series, then for its rows: of a pipe there would be the series alone."""
        end, begin = os.pipe()
        self.addCleanup(os.close, end)
        with open(self.log(), "rb") as f, open(begin, "wb") as pipe:
            pipe.write(f.read())
        self.assertEqual(self.values("/proc/%d/fd/%d" % (os.getpid(), end))[:2], ["open", 10])


class Interface(Installed):
    def test_symbols(self):
        """Exactly these, all of one version, and soname 0."""
        lines = self.tool("nm", "-D", "--defined-only", self.found("libperflog.so.0")).splitlines()
        names = sorted(line.split()[-1] for line in lines if " A " not in line)
        self.assertEqual([n for n in names if n.startswith("pl_")], [s + "@@PERFLOG_0" for s in SYMBOLS])
        self.assertFalse([n for n in names if not n.startswith(("pl_", "__", "_ZT"))])
        dynamic = self.tool("readelf", "-dW", self.found("libperflog.so.0"))
        self.assertIn("soname: [libperflog.so.0]", dynamic)
        if not any("sanitize" in f or "coverage" in f for f in CFLAGS):
            self.assertEqual(sorted(re.findall(r"NEEDED.*\[(lib[^.]+)\.so", dynamic)),
                             ["libc", "libcsv", "libm", "libmd", "libxxhash", "libzstd"])

    def test_layout(self):
        source = self.write("layout.c", ("#include <perflog.h>\n#include <stdio.h>\nint main(void)\n{\n" + "".join(
            '    printf("%%s=%%d\\n", "%s", (int)(%s));\n' % (what, what) for what in LAYOUT) +
            "    return 0;\n}\n").encode())
        got = dict(line.split("=") for line in self.tool(self.compile(source)).splitlines())
        self.assertEqual({what: int(n) for what, n in got.items()}, LAYOUT)

    def test_headers_stand_alone(self):
        headers = [f for f in self.files if "/include/" in f]
        self.assertEqual({os.path.basename(h) for h in headers} - {"pl_provider.h"},
                         {"perflog.h", "perflog_types.h"})
        include = [f for f in self.flags if f.startswith("-I")]
        compilers = [["cc", "-std=c11", "-x", "c"], ["c++", "-std=c++11", "-x", "c++"], ["c++", "-std=c++20", "-x", "c++"]]
        if shutil.which("clang"):
            compilers += [["clang", "-std=c11", "-x", "c"], ["clang", "-std=c++11", "-x", "c++"]]
        for header in headers:
            source = self.write("source.c", b'#include "%s"\n' % header.encode())
            for compiler in compilers:
                self.tool(*compiler, "-Wall", "-Wextra", "-pedantic-errors", "-Werror", "-fsyntax-only", *include, source)

    def test_calculator(self):
        """250 turns in half a second are 500 a second."""
        source = self.write("calc.c", b"""
            #include <perflog.h>
            #include <stdio.h>
            int main(void)
            {
                struct pl_formula scratch;
                const struct pl_formula *f = pl_formula_of(0x10410400, 4, &scratch);
                struct pl_calc_options o = { .unwrap32 = false };
                struct pl_reading a = { .value = 100, .size = 4, .perf_time = 1000, .perf_freq = 1000 }, b = a;
                struct pl_step step;
                b.value = 350;
                b.perf_time = 1500;
                pl_step_make(f, &a, &b, &o, &step);
                printf("%s %g\\n", f->name, pl_formula_value(f, &step, &o).number);
                return 0;
            }""")
        self.assertEqual(self.tool(self.compile(source)), "PERF_COUNTER_COUNTER 500\n")

    def test_folders_of_pkg_config(self):
        """Both libraries' follow the prefix, unless they are absolute, as those of some distributions are."""
        cmake = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../cmake")
        for name in "perflog", "perflog_provider":
            for libdir, includedir, lines in (
                    ("lib/x86_64-linux-gnu", "include", ["${prefix}/lib/x86_64-linux-gnu", "${prefix}/include"]),
                    ("/store/lib/lib64", "/store/dev/include", ["/store/lib/lib64", "/store/dev/include"])):
                script = self.write("pc.cmake", ('include("%s/PkgConfig.cmake")\npl_pkg_config(%s "%s")\n'
                                                 % (cmake, name, self.path("made.pc"))).encode())
                self.tool("cmake", "-DCMAKE_INSTALL_PREFIX=/opt/perflog", "-DCMAKE_INSTALL_LIBDIR=" + libdir,
                          "-DCMAKE_INSTALL_INCLUDEDIR=" + includedir, "-P", script)
                with open(self.path("made.pc"), encoding="utf-8") as f:
                    made = f.read().splitlines()
                self.assertEqual(made[:3], ["prefix=/opt/perflog", "libdir=" + lines[0], "includedir=" + lines[1]])

    def test_cmake_package(self):
        self.write("CMakeLists.txt", b"cmake_minimum_required(VERSION 3.16)\nproject(user C)\n"
                   b"find_package(perflog 0.1 REQUIRED)\nadd_executable(series series.c)\n"
                   b"target_link_libraries(series PRIVATE perflog::perflog)\n")
        shutil.copy(self.found("series.c"), self.folder)
        config = os.path.dirname(self.found("perflog-config.cmake"))
        self.tool("cmake", "-G", "Ninja", "-S", self.folder, "-B", self.path("build"), "-Dperflog_DIR=" + config,
                  "-DCMAKE_C_FLAGS=" + " ".join(CFLAGS))
        self.tool("cmake", "--build", self.path("build"))
        self.assertEqual(len(self.tool(self.path("build", "series"), self.log(), r"\Engine(left)\Turns/sec")
                             .splitlines()), 4)


if __name__ == "__main__":
    harness.main()
