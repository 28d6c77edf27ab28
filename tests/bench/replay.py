#!/usr/bin/env python3
"""The screen of perflog replay beside that of atop -r: time to the first screen, and to a jump.

    replay.py PERFLOG LOG [ATOP-LOG]

LOG is a log of perflog, for example of tests/tools/make_log; ATOP-LOG one of `atop -w ATOP-LOG 1 600`.  Each figure
is the least and the greatest of several tries: seconds until the screen has been written, and processor time that the
program took for it.
"""
import fcntl
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time

TRIES = 7
TICK = os.sysconf("SC_CLK_TCK")


class Screen:
    def __init__(self, *args):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.begun = time.monotonic()
        self.process = subprocess.Popen(args, stdin=slave, stdout=slave, stderr=subprocess.DEVNULL,
                                        start_new_session=True,
                                        env={**os.environ, "TERM": "xterm", "LC_ALL": "C.UTF-8", "TZ": "UTC"})
        os.close(slave)

    def cpu(self):
        with open("/proc/%d/stat" % self.process.pid, encoding="ascii", errors="replace") as f:
            fields = f.read().rpartition(") ")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICK

    def rss(self):
        with open("/proc/%d/status" % self.process.pid, encoding="ascii", errors="replace") as f:
            return int(re.search(r"VmHWM:\s+(\d+)", f.read())[1])

    def wait(self, least, quiet=0.3):
        """Seconds since the last act until 'least' bytes came; then it waits until no more come."""
        got, at = 0, None
        while select.select([self.master], [], [], 120 if at is None else quiet)[0]:
            got += len(os.read(self.master, 65536))
            if at is None and got >= least:
                at = time.monotonic() - self.begun
                self.cpu_then = self.cpu()
        if at is None:
            sys.exit("no screen came")
        return at

    def press(self, text, least):
        before = self.cpu()
        self.begun = time.monotonic()
        os.write(self.master, text)
        return self.wait(least), self.cpu_then - before

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()
        os.close(self.master)


def report(what, tries):
    walls, cpus = [t[0] for t in tries], [t[1] for t in tries]
    print("%-34s %6.0f to %6.0f ms  CPU %4.0f to %4.0f ms" % (
        what, 1000 * min(walls), 1000 * max(walls), 1000 * min(cpus), 1000 * max(cpus)), flush=True)


def perflog(program, log):
    first = []
    for _ in range(TRIES):
        s = Screen(program, "replay", "--tz", "UTC", log)
        first.append((s.wait(400), s.cpu_then))
        s.end()
    report("perflog replay: first screen", first)
    s = Screen(program, "replay", "--tz", "UTC", log)
    s.wait(400)
    jumps = []
    for i in range(TRIES):
        # Minutes, hours and days before the end, as far as the log goes back.
        s.press(b"t-%dm" % (1 + 47 * i * i * i), 20)
        jumps.append(s.press(b"\n", 20))
    report("perflog replay: t, a time", jumps)
    for name, key in ("Home", b"\x1bOH"), ("End", b"\x1bOF"), ("Left", b"\x1bOD"), ("PgUp", b"\x1b[5~"):
        report("perflog replay: " + name, [s.press(key, 8) for _ in range(1 if name in ("Home", "End") else TRIES)])
    print("memory %d kB" % s.rss())
    before = s.cpu()
    s.begun = time.monotonic()
    os.write(s.master, b"\x1bOF")
    s.wait(1)
    os.write(s.master, b"N")
    s.begun = time.monotonic()
    s.wait(1, quiet=3)
    print("perflog replay: N, which reads the whole log: %.1f s, CPU %.1f s, memory %d kB" % (
        time.monotonic() - s.begun - 3, s.cpu() - before, s.rss()))
    s.end()


def atop(log):
    if not shutil.which("atop"):
        sys.exit("atop is not here: apt-get install atop")
    first = []
    for _ in range(TRIES):
        s = Screen("atop", "-r", log)
        first.append((s.wait(400), s.cpu_then))
        s.end()
    report("atop -r: first screen", first)
    s = Screen("atop", "-r", log)
    s.wait(400)
    report("atop -r: t, the next sample", [s.press(b"t", 20) for _ in range(TRIES)])
    when = time.strftime("%H:%M", time.gmtime(os.path.getmtime(log) - 1)).encode()
    s.press(b"b" + when, 4)
    report("atop -r: b, the log's last minute", [s.press(b"\n", 20)])
    print("memory %d kB" % s.rss())
    s.end()


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    perflog(*sys.argv[1:3])
    if len(sys.argv) > 3:
        atop(sys.argv[3])
