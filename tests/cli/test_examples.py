#!/usr/bin/env python3
"""Every command in README.md and the manual pages is run, and what they show is what comes."""
import glob
import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
import write_blg
from harness import PROGRAM, Case
from make_block import COUNTER, make_block, make_object, write_block
from receiver import Receiver

ROOT = harness.ROOT
# Not all of the tree: a build may hold links to anywhere.
PAGES = sorted(page for part in (".", "analyze/**", "format/**", "logger/**")
               for page in glob.glob(os.path.join(ROOT, part, "*.scd"), recursive=True))
RECEIVER = "http://localhost:8428/api/v1/write"  # stands for one of the tests'
# Words of synopses in README's tables, and what they stand for in the test.
STANDS_FOR = (("[LOG]", "out.plog"), ("LOG", "out.plog"), ("OUT.plog", "new.plog"), ("BLOCK...", "capture/1.bin"),
              ("NEW", "new.plog"), ("--url URL", "--url " + RECEIVER), ("COMMAND", "list"),
              ("FILE...", "server.blg"), ("--from T --to T", "--from -1h --to -0s"), ("A B", "out.plog log.plog"))
# What runs until somebody ends it, or long, is ended so.
SOON = "-n 2 -i 200ms"
# The documents' own times, and such as the logs here have.
HOUR = (("--shift 1d --from 09:00 --to 12:00", "--shift 700ms"),
        ("--at 03:12+-5m --against 02:00..03:00", "--from -600ms --to -0s --against -1400ms..-600ms"),
        ("2026-11-21T07:00", "-1h"), ("2026-11-21T08:00", "-0s"), ("03:12 +-2m", "-0s +-1h"),
        ("03:12 +-10m", "-0s +-1h"), ("--at 03:12", "--at -0s"))
# What a build may go without, as this one does.
UNBUILT = [words for words, name in ((" report ", "PERFLOG_HAS_REPORT"), ("--xlsx", "PERFLOG_HAS_XLSX"),
                                     (" replay ", "PERFLOG_HAS_REPLAY"), (" push ", "PERFLOG_HAS_PUSH"))
           if os.environ.get(name, "1") in ("", "0", "OFF", "FALSE")]


def unescape(text):
    return re.sub(r"\\(.)", r"\1", text)


def blocks_of(path):
    """Literal blocks of a page of the manual, or of README.md."""
    with open(path, encoding="utf-8") as f:
        text = f.read()
    if path.endswith(".scd"):
        return [unescape(b) for b in re.findall(r"^\t*```\n(.*?)^\t*```", text, re.S | re.M)]
    return [re.sub(r"^    ", "", b, flags=re.M) for b in re.findall(r"(?:^    .*\n)+", text, re.M)]


def commands_of(path):
    lines = [line for block in blocks_of(path) for line in re.sub(r" *\\\n *", " ", block).splitlines()]
    found = [re.sub(r"^\$ ", "", line) for line in lines
             if re.match(r"(\$ |sudo )?perflog ", line)]
    if path.endswith(".md"):
        with open(path, encoding="utf-8") as f:
            found += re.findall(r"`(perflog [^`]+)`", re.sub(r"\s+", " ", f.read()))
    return found


def shape(line):
    """A line without its numbers, the host, and the times and sizes that differ each time."""
    line = re.sub(r"\\\\\w[\w.-]*\\", r"\\\\HOST\\", line)
    line = re.sub(r"\d+(\.\d+)?(e[+-]\d+)?( [kM]?B\b)?", "9", line)
    line = re.sub(r"(?<=9,)[A-Za-z][\w.-]*(?=,)", "HOST", line)
    return re.sub(r"9m\b|9s\b", "T", line.replace("9 sample,", "9 samples,"))


def log_of_windows(path, first):
    """One counter, a percentage, for four seconds from the 'first' on."""
    log = write_blg.Log(zone=write_blg.zone_information(60, "Somewhere Standard Time"))
    log.message(write_blg.LIST, write_blg.START, write_blg.counter_list(
        write_blg.entry(r"\\server", "Processor", "_Total", "% Processor Time", 0x20510500)))
    for i in range(first, first + 4):
        now = write_blg.START + i * write_blg.SECOND
        log.message(write_blg.SAMPLE, now, write_blg.sample(write_blg.item(write_blg.SECOND // 4 * i, now)))
    log.save(path)


class Examples(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.logs = tempfile.mkdtemp(prefix="perflog-test-")
        cls.addClassCleanup(shutil.rmtree, cls.logs, ignore_errors=True)
        published = tempfile.mkdtemp(prefix="perflog-test-", dir="/dev/shm")
        cls.addClassCleanup(shutil.rmtree, published, ignore_errors=True)
        os.environ["PERFLOG_PROVIDER_DIR"] = published
        worker = subprocess.Popen([os.environ["WORKER"], "1000000"])  # until it is killed
        harness.wait_until(lambda: glob.glob(os.path.join(published, "*.plr")), "it publishes")
        cls.addClassCleanup(worker.wait)
        cls.addClassCleanup(worker.kill)
        log = os.path.join(cls.logs, "this.plog")
        done = harness.run("record", "-q", "-i", "200ms", "-n", "8", "--min-free", "0", log)
        assert done.code == 0, done

    def setUp(self):
        super().setUp()
        os.makedirs(self.path("bin"))
        os.makedirs(self.path("var"))
        os.makedirs(self.path("capture"))
        for folder in ".local/share/bash-completion/completions", ".zfunc", ".config/fish/completions":
            os.makedirs(self.path(folder))
        self.write("bin/perflog", ("#!/bin/sh\ncase \"$*\" in\n*--forecast*|*--help*) ;;\n"
                                   "record*) exec \"%s\" \"$@\" ${ENDS:-%s} --min-free 0 ;;\nesac\n"
                                   "exec \"%s\" \"$@\"\n" % (PROGRAM, SOON, PROGRAM)).encode())
        os.chmod(self.path("bin/perflog"), 0o755)
        for name in "out", "log", "all", "test", "first", "before", "after":
            shutil.copy(os.path.join(self.logs, "this.plog"), self.path(name + ".plog"))
        shutil.copy(os.path.join(self.logs, "this.plog"), self.path("var/this.plog"))
        with open(self.path("out.plog"), "rb") as f:
            damaged = bytearray(f.read())
        at = [r for r in harness.records(self.path("out.plog")) if r[0] == "SMPL"][3][1]
        damaged[at + 90] ^= 1
        self.write("damaged.plog", bytes(damaged))
        self.write("counter009.bin", "6\0% Processor Time\0" "238\0Processor\0\0".encode("utf-16-le"))
        for i, name in enumerate(("server.blg", "server_000001.blg", "server_000002.blg")):
            log_of_windows(self.path(name), 4 * i)
        shutil.copy(os.path.join(self.logs, "this.plog"), self.path("a.plog"))
        for i in 1, 2:
            self.write("capture/%d.bin" % i, write_block(make_block(i, [
                make_object(238, [(6, COUNTER)], {"0": [100 * i], "1": [200 * i]})])))
        self.receiver = Receiver()
        self.addCleanup(self.receiver.close)
        self.env = dict(os.environ, PATH=self.path("bin") + ":" + os.environ["PATH"], HOME=self.folder, TZ="UTC")

    def adapt(self, command):
        command = command.replace("sudo ", "").replace("/var/log/perflog", self.path("var"))
        command = command.replace("/etc/perflog", os.path.join(ROOT, "logger", "service"))
        command = command.replace(RECEIVER, self.receiver.url)
        for there, here in HOUR:
            command = command.replace(there, here)
        return command

    def sh(self, command):
        return subprocess.run(["bash", "-c", self.adapt(command)], cwd=self.folder, env=self.env,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=harness.TIMEOUT, universal_newlines=True)

    def on_terminal(self, command):
        """What a command shows that takes a terminal, until q is pressed."""
        pid, terminal = pty.fork()
        if not pid:
            os.chdir(self.folder)
            os.execvpe("bash", ["bash", "-c", self.adapt(command)], {**self.env, "TERM": "xterm"})
        shown = bytearray()
        asked = False
        while True:
            try:
                shown += os.read(terminal, 4096)
            except OSError:  # it has ended
                break
            if not asked and b"q quit" in shown:
                asked = os.write(terminal, b"q")
        os.close(terminal)
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        return subprocess.CompletedProcess(command, status, shown.decode(errors="replace"), "")

    def check_command(self, command):
        for words in UNBUILT:
            if words in command:
                with self.subTest(command):
                    self.skipTest("this build is without")
                return None
        done = self.on_terminal(command) if " replay " in command else self.sh(command)
        with self.subTest(command):
            expected = 2 if "damaged.plog" in command else 0
            self.assertEqual(done.returncode, expected, "%s\n%s" % (self.adapt(command), done.stderr))
            made = re.search(r"(?:-o|>) (\S+)", command)
            if made:
                self.assertTrue(os.path.exists(self.path(made.group(1).replace("~", self.folder))), command)
            elif not re.search(r"\brecord\b|\bpush\b|\bpack\b|verify -q|completion", command) or "--forecast" in command:
                self.assertTrue(done.stdout.strip(), "%s shows nothing: %s" % (command, done.stderr))
        return done

    def check_session(self, block):
        shapes = []
        for line in block.splitlines():
            if line.startswith("$ "):
                done = self.sh(line[2:])
                shapes = [shape(got) for got in (done.stdout + done.stderr).splitlines()]
            else:
                self.assertIn(shape(line), shapes, line)


class Manual(Examples):
    def test_there_are_pages_of_every_command(self):
        names = {os.path.basename(p)[:-len(".scd")] for p in PAGES}
        reported = re.findall(r"^  (\w+) ", harness.run("--help").out, re.M)
        self.assertGreater(len(reported), 15)
        self.assertEqual({"perflog-%s.1" % t for t in reported} - names, set())
        self.assertLessEqual({"perflog.1", "perflog.7"}, names)

    def test_every_page_explains_every_option(self):
        for command in re.findall(r"^  (\w+) ", harness.run("--help").out, re.M):
            [page] = [p for p in PAGES if os.path.basename(p) == "perflog-%s.1.scd" % command]
            with open(page, encoding="utf-8") as f:
                explained = re.findall(r"^\*.*", f.read().partition("\n# OPTIONS\n")[2], re.M)
            options = re.findall(r"^ +(?:-., )?(--[a-z0-9-]+)", harness.run(command, "--help").out, re.M)
            self.assertIn("--help", options)
            for option in options:
                if command != "completion":  # which a shell calls, not a person
                    self.assertIn("*%s*" % option, "\n".join(explained), page)

    def test_commands(self):
        count = 0
        for page in PAGES:
            for command in commands_of(page):
                if "'" in command and command.count("'") % 2:
                    continue  # shown as it stands before Tab is pressed
                for made in re.findall(r"import .*-o (server.plog)", command) + ["new.plog"]:
                    if made in os.listdir(self.folder):
                        os.remove(self.path(made))
                self.check_command(command)
                count += 1
        self.assertGreater(count, 45)

    def test_code_is_that_of_the_examples(self):
        """Each line of C in the manual of the provider, but for the type of what it declares."""
        def lines_of(path):
            with open(os.path.join(ROOT, path), encoding="utf-8") as f:
                return {re.sub(r" */\*.*", "", line.strip()) for line in f}

        source = lines_of("logger/provider/sample/worker.c") | lines_of("logger/provider/sample/hwinput_windows.c")
        page = [line.strip() for block in blocks_of(os.path.join(ROOT, "logger/provider/perflog-provider.7.scd"))
                if "perflog " not in block and "/run/perflog" not in block
                for line in block.splitlines() if line.strip() not in ("", "...")]
        self.assertGreater(len(page), 15)
        self.assertEqual([line for line in page if line not in source and "uint64_t " + line not in source], [])

    # The beginning of a block that shows output, and the command that makes such.
    OUTPUTS = {
        "Time (UTC),\\\\": r"perflog export -c '\Processor(0)\% Processor Time' -c '\Processor(1)\% Processor Time' out.plog",
        '"(PDH-CSV': r"perflog export --layout pdh -c '\Processor(0)\% Processor Time' out.plog",
        "Time (UTC),Host,Object": r"perflog export --layout long -c '\System\Context Switches/sec' "
                                  r"-c '\System\System Up Time' out.plog",
        "Time (UTC),Host,Instance": r"perflog export --layout table -c '\Processor(*)\% Processor Time' "
                                    r"-c '\Processor(*)\% User Time' -c '\Processor(*)\% Privileged Time' -o t out.plog "
                                    r"&& cat t/Processor.csv",
        "out.plog: bytes": "perflog verify damaged.plog 2>&1 | sed s/damaged.plog/out.plog/",
        "out.plog: 16 samples": "rm out.plog; perflog record out.plog 2>&1",
    }

    def test_outputs(self):
        seen = set()
        for page in PAGES:
            for block in blocks_of(page):
                for start, command in self.OUTPUTS.items():
                    if block.startswith(start):
                        seen.add(start)
                        self.check_output(block.splitlines(), command)
        self.assertEqual(seen, set(self.OUTPUTS))

    def test_sessions(self):
        """What stands below a command is of the shape of what it prints."""
        count = 0
        for page in PAGES:
            for block in blocks_of(page):
                if block.startswith("$ ") and not all(line.startswith("$ ") for line in block.splitlines()):
                    self.check_session(block)
                    count += 1
        self.assertGreater(count, 0)

    def check_output(self, lines, command):
        got = self.sh(command).stdout
        shapes = [shape(re.sub(r"^perflog: ", "", line)) for line in got.splitlines()]
        if "verify" in command:  # another damage, the same words
            words = set(re.findall(r"[a-z]{3,}", got))
            self.assertGreater(len(words & set(re.findall(r"[a-z]{3,}", "\n".join(lines)))), 8, got)
            return
        for line in lines:
            if shape(line) not in shapes and "," in line:  # a machine with fewer processors has no second column
                self.assertIn(re.sub(r",[^,]*$", "", shape(line)), [re.sub(r",[^,]*$", "", s) for s in shapes], command)
            else:
                self.assertIn(shape(line), shapes, command)


class Readme(Examples):
    PAGE = os.path.join(ROOT, "README.md")

    def test_commands(self):
        count = 0
        for command in commands_of(self.PAGE):
            for word, stands_for in STANDS_FOR:
                command = command.replace(word, stands_for)
            for made in "new.plog", "first.plog":
                if os.path.exists(self.path(made)) and command.startswith(("perflog record", "perflog import")):
                    os.remove(self.path(made))
            if len(command.split()) == 2 and "completion" not in command:  # only named
                self.assertEqual(harness.run(command.split()[1], "--help").code, 0, command)
                continue
            if os.path.exists(self.path("new.plog")):
                os.remove(self.path("new.plog"))
            self.check_command(command)
            count += 1
        self.assertGreater(count, 15)

    def test_code_calls_what_there_is(self):
        [code] = [b for b in blocks_of(self.PAGE) if "pl_prov_open(" in b]
        with open(os.path.join(ROOT, "logger", "provider", "pl_provider.h"), encoding="utf-8") as f:
            self.assertLessEqual(set(re.findall(r"\bpl_\w+", code)), set(re.findall(r"\bpl_\w+", f.read())))

    def test_what_it_looks_like(self):
        """A session with its output: each line that is shown has one of its shape."""
        [block] = [b for b in blocks_of(self.PAGE) if b.startswith("$ perflog record")]
        os.remove(self.path("first.plog"))
        self.env["ENDS"] = "-n 4"
        self.check_session(block)


if __name__ == "__main__":
    harness.main()
