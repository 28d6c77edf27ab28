"""A real terminal (tmux) in which a test presses keys and looks at the screen."""
import os
import re
import shlex
import shutil
import subprocess
import time

import harness

TMUX = shutil.which("tmux")


class Terminal:
    """A program in a terminal of its own; it ends with the test."""

    def __init__(self, test, *args, lines=24, columns=80, program=harness.PROGRAM, **env):
        if not TMUX:
            test.skipTest("tmux is not here")
        self.socket = test.path("tmux-%d" % time.monotonic_ns())
        self.err = self.socket + ".err"
        env = {"LC_ALL": "C.UTF-8", "TZ": "UTC", **env}
        # The shell says how it ended, and keeps the screen as it was left.
        command = "env %s %s 2>%s; echo EXIT $?; exec sleep 1000" % (
            " ".join("%s=%s" % (k, shlex.quote(v)) for k, v in env.items()),
            " ".join(map(shlex.quote, (program, *args))), shlex.quote(self.err))
        outer = {**os.environ, "LC_ALL": "C.UTF-8"}
        outer.pop("TMUX", None)
        test.addCleanup(self.end)
        subprocess.run([TMUX, "-S", self.socket, "-f", "/dev/null", "new-session", "-d", "-x", str(columns),
                        "-y", str(lines), command, ";", "set", "-g", "status", "off"],
                       check=True, env=outer, timeout=harness.TIMEOUT)
        self.resize(lines, columns)

    def tmux(self, *args):
        return subprocess.run([TMUX, "-S", self.socket, *args], check=True, stdout=subprocess.PIPE,
                              timeout=harness.TIMEOUT).stdout.decode("utf-8", "surrogateescape")

    def end(self):
        subprocess.run([TMUX, "-S", self.socket, "kill-server"], stderr=subprocess.DEVNULL, check=False,
                       timeout=harness.TIMEOUT)

    def resize(self, lines, columns):
        self.tmux("resize-window", "-x", str(columns), "-y", str(lines))

    def keys(self, *names):
        """Names as tmux has them: Left, PageUp, Enter, x."""
        self.tmux("send-keys", *names)

    def type(self, text):
        self.tmux("send-keys", "-l", "--", text)

    def screen(self):
        """Its lines, without the blanks at their ends."""
        return [line.rstrip() for line in self.tmux("capture-pane", "-p").split("\n")[:-1]]

    def wait(self, pattern, gone=False):
        """Wait until some line has the pattern (or none has it); returns the screen, which is seen twice, as the
        first time it may be drawn in part."""
        seen = []

        def is_so():
            before, seen[:] = seen[:], [self.screen()]
            return before == seen and any(re.search(pattern, line) for line in seen[0]) != gone

        harness.wait_until(is_so, lambda: "the screen has%s %r: %s" % (" no longer" if gone else "", pattern,
                                                                     "\n".join(seen[0])))
        return seen[0]

    def press(self, key, pattern):
        """Press a key and wait for what it brings."""
        self.keys(key)
        return self.wait(pattern)

    def quit(self):
        """Its exit status, after 'q'."""
        screen = self.press("q", r"^EXIT \d+$")
        return int(re.search(r"^EXIT (\d+)$", "\n".join(screen), re.M)[1])

    def messages(self):
        with open(self.err, encoding="utf-8") as f:
            return f.read()
