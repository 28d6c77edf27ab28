#!/usr/bin/env python3
"""Completion: what perflog says may stand somewhere, and what shells make of it at a terminal."""
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import time
import unittest

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import PROGRAM, Case, run
from write_log import Log, object_of

BESIDE = os.path.dirname(PROGRAM)


class Words(Case):
    def setUp(self):
        super().setUp()
        self.log = self.path("a.plog")
        self.record(self.log, "-c", "System", "-c", r"Memory\Available*", "-c", "Processor(*)", "-i", "10ms", "-n", "2")

    def words(self, *words, at=None):
        r = self.good("completion", "words", str(len(words) if at is None else at), "--", "perflog", *words)
        return [line.split("\t")[0] for line in r.out.splitlines()]

    def test_commands(self):
        reported = re.findall(r"^  (\w+) ", self.good("--help").out, re.M)
        self.assertEqual(self.words(""), reported)
        self.assertEqual(self.words("ex"), ["export"])
        self.assertEqual(self.words("nothing", ""), [])
        self.assertEqual(self.words("help", "ex"), ["export"])
        self.assertEqual(self.words("help", ""), reported)
        self.assertEqual(self.words("export", "ex"), [":logs"])

    def test_every_option_of_every_command(self):
        for command in self.words(""):
            text = self.good(command, "--help").out
            self.assertEqual(self.words(command, "--"), re.findall(r"^ +(?:-., )?(--[a-z0-9-]+)", text, re.M), command)
            self.assertEqual(self.words(command, "-"), self.words(command, "--"))

    def test_a_counter_without_a_name(self):
        """Its path is that of the object and a backslash, whatever is added."""
        log = Log({2: b"Tank", 4: b"\0x"})
        log.sample(0, [object_of(2, [(4, 0x00010100, 8)], [(None, (1,))])])
        path = log.save(self.path("nameless.plog"))
        self.assertEqual(self.words("export", path, "-c", r"\Ta"), [":paths", "Tank\\"])

    def test_what_is_piped_to_the_command_is_not_read(self):
        with subprocess.Popen(["sleep", "600"], stdout=subprocess.PIPE) as writer:
            for log in "-", "/dev/stdin":
                r = run("completion", "words", "4", "--", "perflog", "export", log, "-c", r"\Ta", stdin=writer.stdout)
                self.assertEqual((r.code, r.out, r.err), (0, "", ""))
            writer.kill()

    def test_help_comes_along(self):
        r = self.good("completion", "words", "2", "--", "perflog", "record", "--int")
        self.assertEqual(r.out, "--interval\ttime between samples: 10ms to 7d (default: 1s)\n")

    def test_words_that_options_take(self):
        layouts = ["wide", "long", "pdh", "table"]
        self.assertEqual(self.words("export", "--layout", ""), layouts)
        self.assertEqual(self.words("export", "--layout", "=", ""), layouts)
        self.assertEqual(self.words("export", "--layout", "="), layouts)
        self.assertEqual(self.words("export", "--layout=l"), ["--layout=long"])
        self.assertEqual(self.words("record", "--processes", "b"), ["bpf"])
        self.assertEqual(self.words("completion", ""), ["bash", "zsh", "fish"])

    def test_zones(self):
        self.assertEqual(self.words("export", "--tz", "l"), ["log", "local"])
        self.assertEqual(self.words("info", "--tz", "Europe/Berl"), ["Europe/Berlin"])
        self.assertEqual(self.words("info", "--tz=Europe/Berl"), ["--tz=Europe/Berlin"])
        zones = self.words("stats", "--tz", "")
        self.assertGreater(len(zones), 300)
        self.assertEqual([zone for zone in zones if "/" not in zone], ["log", "local"])
        for zone in zones[::50]:
            self.good("info", "--tz", zone, self.log)

    def test_words_offered_are_taken(self):
        count = 0
        for command in self.words(""):
            for option, choice in re.findall(r"(--[a-z-]+) (\w+(?:\|\w+)+)", self.good(command, "--help").out):
                offered = [word for word in choice.split("|") if not word.isupper()]
                self.assertEqual(self.words(command, option, ""), offered)
                for word in offered:
                    self.assertNotIn("%s '%s'" % (option, word), run(command, option, word, "/none/a.plog").err)
                    count += 1
        self.assertGreaterEqual(count, 15)

    def test_files_and_folders(self):
        self.assertEqual(self.words("export", ""), [":logs"])
        self.assertEqual(self.words("record", ""), [":logs"])
        self.assertEqual(self.words("import", ""), [":files"])
        self.assertEqual(self.words("export", "-o", ""), [":files"])
        self.assertEqual(self.words("export", "-qo", ""), [":files"])
        for command in "cut", "repair", "import":
            self.assertEqual(self.words(command, "-o", ""), [":files"])
        self.assertEqual(self.words("record", "--proc", ""), [":folders"])
        self.assertEqual(self.words("export", "--every", ""), [])
        self.assertEqual(self.words("export", "--", "-"), [":logs"])

    def test_counters_of_the_log_on_the_line(self):
        memory = [r"\Memory\Available Bytes", r"\Memory\Available KBytes", r"\Memory\Available MBytes"]
        for words, at in ((("export", "-c", r"'\mem", self.log), 3), (("export", self.log, "-c", r"'\Memory\AV"), 4),
                          (("stats", "-q", self.log, "-c", r'"\\Memo'), 5), (("list", self.log, "-c", r"\\Mem"), 4),
                          (("export", "-o", "x.csv", "--counters", r"'\Memory\'", self.log), 5)):
            self.assertEqual(self.words(*words, at=at), [":paths", *memory], words)
        self.assertEqual(self.words("export", "-c", "Mem", self.log, at=3), [":paths"] + [p[1:] for p in memory])
        self.assertEqual(self.words("export", "-c", "@x", self.log, at=3), [])

    def test_counters_to_rank_by(self):
        """Bash makes words of colons, others do not."""
        self.assertEqual(self.words("export", self.log, "--top", "5:% us"), [":paths", "5:% User Time"])
        self.assertEqual(self.words("export", self.log, "--top", "5", ":", "% Us"), [":paths", "% User Time"])
        self.assertIn("Available Bytes", self.words("export", self.log, "--top", "5", ":"))
        for words in (("--top", ""), ("--top", "5"), ("--top=",), ("--top", "=", "5"), ("--layout", "wide", ":", "A")):
            self.assertIn(self.words("export", self.log, *words), ([], [":logs"]), words)
        self.assertEqual(self.words("report", self.log, "--top", "5:"), [])

    def test_counters_of_this_machine(self):
        self.assertIn(r"+\Process(perflog:", "".join(self.words("record", "-c", r"'+\Process(perflog")))
        self.assertEqual(self.words("record", self.log, "-c", r"'\Logical")[0], ":paths")

    def test_a_path_goes_on_part_by_part(self):
        def ways(text):
            return self.good("list", self.log, "--complete", text).out.splitlines()

        self.assertIn("\\Processor(", ways("\\"))
        cpus = ways("\\processor(")
        self.assertEqual(cpus[0], "\\processor(0)\\")
        self.assertEqual(cpus[-2:], ["\\processor(_Total)\\", "\\processor(*)\\"])
        self.assertEqual(ways("\\Processor(0)\\% User"), ["\\Processor(0)\\% User Time"])
        self.assertEqual(ways("\\Processor(?)\\% u"), ["\\Processor(?)\\% User Time"])
        self.assertEqual(ways("Memory\\Available B"), ["Memory\\Available Bytes"])
        self.assertEqual(ways("Nothing"), [])
        self.assertEqual(ways("Memory(x"), [])
        for line in ways("\\Processor(*)\\"):
            self.good("export", "-q", self.log, "-c", line)

    def test_names_with_special_characters(self):
        """As list prints them; what a terminal may not see is a wildcard."""
        with harness.process_named("=1(+)* #b\x1b"):
            log = self.path("b.plog")
            self.record(log, "-i", "10ms", "-n", "2", "-c", r"Process(=1*)\Thread Count")
        lines = self.good("list", log, "--complete", r"\Process(=1(+)[*] [#]b").out.splitlines()
        [line] = [line for line in lines if line.endswith("Thread Count")]
        self.assertRegex(line, r"\A\\Process\(=1\(\+\)\[\*\] \[#\]b\?:\d+\)\\Thread Count\Z")
        self.assertEqual(len(self.wide(log, "-c", line).paths), 1)

    def test_what_is_asked_wrongly(self):
        for args in ((), ("csh",), ("bash", "zsh"), ("words",), ("words", "x", "--", "perflog")):
            self.refused(1, "completion", *args)
        for at in "0", "3", "99":
            self.assertEqual(self.good("completion", "words", at, "--", "perflog", "export", "x").out, "")
        self.refused(1, "list", "--json", "--complete", "x", self.log)


class Shells(Case):
    def setUp(self):
        super().setUp()
        self.record(self.path("a.plog"), "-c", r"Memory\Available*", "-c", "System", "-i", "10ms", "-n", "2")
        self.env = dict(os.environ, PATH=BESIDE + ":" + os.environ["PATH"], TERM="dumb", COLUMNS="500", HOME=self.folder)

    def type(self, shell, setup, *keys):
        """What stands in 'seen' after the line has run: a shell function in perflog's place notes its words."""
        seen = self.path("seen")
        pid, terminal = pty.fork()
        if not pid:
            os.chdir(self.folder)
            os.execvpe(shell[0], shell, self.env)
        self.addCleanup(os.close, terminal)
        out = b""

        def wait_for(what):
            nonlocal out
            end = time.monotonic() + harness.TIMEOUT
            while what not in out:
                if time.monotonic() > end:
                    self.fail("%s: no %r in %r" % (shell[0], what, out))
                if select.select([terminal], [], [], 0.2)[0]:
                    out += os.read(terminal, 65536)

        os.write(terminal, (setup + "; printf 're%s\\n' ady\n").encode())
        wait_for(b"ready\r\n")
        for key, shows in keys:
            os.write(terminal, key.encode())
            if shows:
                wait_for(shows.encode())
        os.write(terminal, (" > %s 2>&1; printf 'do%%s\\n' ne\n" % seen).encode())
        wait_for(b"done\r\n")
        os.write(terminal, b"exit\n")
        os.waitpid(pid, 0)
        with open(seen, encoding="utf-8") as f:
            return f.read()

    SHELLS = {"bash": (["bash", "--norc", "--noprofile", "-i"], "PS1='$ '; source <(perflog completion bash)"),
              "zsh": (["zsh", "-f", "-i"], "PS1='$ '; autoload -Uz compinit && compinit -u -D; "
                                           "source <(perflog completion zsh)")}

    def shell(self, name):
        if not shutil.which(name):
            self.skipTest("%s is not installed" % name)
        return self.SHELLS[name]

    def check_shell(self, name):
        shell, setup = self.shell(name)
        quoted = self.type(shell, setup, ("perflog exp\t", "export"), ("--layo\t", "--layout"), ("lo\t", "long"),
                           ("a.pl\t", "a.plog"), ("-c '\\Memo\t", "Available"), ("B\t", "Bytes"))
        self.assertIn("Available Bytes", quoted)
        self.assertEqual(len(quoted.splitlines()), 3, quoted)
        plain = self.type(shell, setup, ("perflog export a.plog -c Mem\t", "Available"), ("B\t", "Bytes"))
        self.assertIn(r"\Memory\Available Bytes", plain)
        self.assertEqual(len(plain.splitlines()), 3, plain)
        live = self.type(shell, setup, ("perflog list -c '\\Memo\t", "ry\\"), ("Available B\t", "ytes"))
        self.assertRegex(live, r"\A\\\\[^\\]+\\Memory\\Available Bytes\n\Z")
        os.rename(self.path("a.plog"), self.path("b.plog"))
        self.write("b.txt", b"no log")
        only = self.type(shell, setup, ("perflog info b\t", ".plog"))  # one file of the right kind
        self.assertIn("b.plog\n", only)
        ranked = self.type(shell, setup, ("perflog export -q b.plog --top 1:Available\\ B\t", "ytes"))
        self.assertIn("Time", ranked)

    def test_bash(self):
        self.check_shell("bash")

    def test_zsh(self):
        self.check_shell("zsh")

    @unittest.skipUnless(shutil.which("fish"), "fish is not installed")
    def test_fish(self):
        for line, words in (("perflog exp", ["export"]), ("perflog export --layo", ["--layout"]),
                            ("perflog export --layout=p", ["--layout=pdh"]), ("perflog info a", ["a.plog"]),
                            ("perflog export a.plog -c '\\Memory\\Available B", [r"\Memory\Available Bytes"]),
                            ("perflog export a.plog -c Memory\\\\Available\\ B", [r"Memory\Available Bytes"]),
                            ("perflog list -c '\\Memory\\Available B", [r"\Memory\Available Bytes"])):
            done = subprocess.run(["fish", "--no-config", "-c", "perflog completion fish | source; complete -C $argv[1]",
                                   line], env=self.env, cwd=self.folder, stdout=subprocess.PIPE, timeout=harness.TIMEOUT,
                                  universal_newlines=True)
            self.assertEqual([word.split("\t")[0] for word in done.stdout.splitlines()], words, line)


if __name__ == "__main__":
    harness.main()
