"""What the end-to-end tests share: running perflog, waiting, reading its output.

The program under test is named by the environment variable PERFLOG.
"""
import collections
import contextlib
import csv
import errno
import fcntl
import glob
import io
import os
import pty
import re
import shutil
import signal
import stat
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unicodedata
import unittest

sys.dont_write_bytecode = True
SUPPORT = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(SUPPORT))
PROGRAM = os.path.abspath(os.environ.get("PERFLOG", "build/release/perflog"))
QUICK = os.environ.get("PERFLOG_QUICK")  # the same program without sanitizers, for many of the runs of one kind
TIMEOUT = 300
PYTHON = [sys.executable, "-S"]  # needs no packages, and starts sooner when it does not look for them
SKIP = 77
# run-all.sh full wants all of what takes long; else, as in the gate, the part that tests/README.md names is enough.
FULL = bool(os.environ.get("PERFLOG_TEST_FULL"))
in_full = unittest.skipUnless(FULL, "run-all.sh full runs it")
NOBODY = 65534  # a user and group that owns nothing
# A name that must not reach a terminal or a sheet as it is: escapes, a new line, marks that turn or end lines.
HOSTILE = "a\x1b[31mred\x1b]0;title\x07\nb\x7f\u202e\u2028\x85c"
# Whatever applications of this machine publish is none of the tests' business.
os.environ.setdefault("PERFLOG_PROVIDER_DIR", "/nonexistent")
# A shell that runs the tests in the background has them ignore these; the program is to end of them.
for sig in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
    if signal.getsignal(sig) == signal.SIG_IGN:
        signal.signal(sig, signal.SIG_DFL)
# All counters of one small object: quick to record under any load.
SYSTEM = ("-c", r"\System\*")
# A folder for recordings so quick that a slow disk would lose samples of them.
MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


class Result:
    """Exit status and both outputs of one run; err is what a terminal would get."""

    def __init__(self, code, out, err):
        self.code, self.raw_out, self.raw_err = code, out, err
        self.out = out.decode("utf-8", "surrogateescape")
        self.err = err.decode("utf-8", "surrogateescape")

    def __repr__(self):
        return "exit %d, stdout %r, stderr %r" % (self.code, self.out[:300], self.err[:2000])


# With sanitizers a short run takes five times as long, a third of it to look for leaks.
SANITIZED, LEAKS = 4, 8  # of that many runs of one kind, after the first two, one is sanitized, looks for leaks
RUNS = collections.Counter()


def count_run(args):
    """How many of its kind have been run: of that command with these options."""
    kind = (args[0] if args else "", *(arg for arg in args if str(arg).startswith("-")))
    RUNS[kind] += 1
    return RUNS[kind]


def is_one_in(several, count):
    return FULL or count <= 2 or count % several == 0


def without_leaks(env):
    """Also for a program that is traced, of which leaks cannot be looked for."""
    return {**env, "ASAN_OPTIONS": ":".join(filter(None, (env.get("ASAN_OPTIONS"), "detect_leaks=0")))}


def run(*args, program=PROGRAM, **how):
    count = count_run(args)
    if program == PROGRAM and QUICK and not is_one_in(SANITIZED, count):
        program = QUICK
    if not is_one_in(LEAKS, count):
        how["env"] = without_leaks(os.environ if how.get("env") is None else how["env"])
    how.setdefault("stdin", subprocess.DEVNULL)
    how.setdefault("stdout", subprocess.PIPE)
    data = how.pop("data", None)
    if data is not None:
        how.pop("stdin")
    done = subprocess.run([program, *args], input=data, stderr=subprocess.PIPE,
                          timeout=TIMEOUT, **how)
    return Result(done.returncode, done.stdout or b"", done.stderr)


def wait_until(is_so, what, seconds=TIMEOUT):
    """'what' it waits for, or what says it when it is needed."""
    end = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > end:
            raise AssertionError("waited %d s in vain until %s" % (seconds, what() if callable(what) else what))
        time.sleep(0.02)


def read(path):
    with open(path, "rb") as f:
        return f.read()


def state_of(pid, task=None):
    """What the kernel says a process or a thread of it does: R, S, D, T..."""
    with open("/proc/%d/task/%s/stat" % (pid, task or pid)) as f:
        return f.read().rpartition(") ")[2][0]


def is_stopped(pid):
    """By a signal, each of its threads."""
    return {state_of(pid, task) for task in os.listdir("/proc/%d/task" % pid)} == {"T"}


def is_instrumented():
    """With sanitizers neither memory nor time says anything."""
    with open(PROGRAM, "rb") as f:
        return b"__asan_init" in f.read()


def looks_for_races():
    """With the sanitizer of threads, which makes a program ten times slower."""
    with open(PROGRAM, "rb") as f:
        return b"__tsan_init" in f.read()


def columns_of(line):
    """How wide a terminal shows it."""
    return sum((unicodedata.east_asian_width(c) in "WF") + 1 - (unicodedata.combining(c) > 0) for c in line)


def status_kb(pid, key):
    """A number of /proc/PID/status, such as VmRSS."""
    with open("/proc/%d/status" % pid) as f:
        return int(re.search(key + r":\s+(\d+) kB", f.read()).group(1))


def several(n, word):
    return "%d %s%s" % (n, word, "" if n == 1 else "s")


def content_of(path):
    """The bytes of a file; of one with holes only what is between them: its length, [(offset, bytes)]."""
    found, at = [], 0
    with open(path, "rb") as f:
        st = os.fstat(f.fileno())
        if st.st_blocks * 512 >= st.st_size:
            return f.read()
        while at < st.st_size:
            try:
                at = os.lseek(f.fileno(), at, os.SEEK_DATA)
            except OSError as e:
                if e.errno != errno.ENXIO:  # a hole up to the end
                    raise
                break
            end = os.lseek(f.fileno(), at, os.SEEK_HOLE)
            f.seek(at)
            found.append((at, f.read(end - at)))
            at = end
    return st.st_size, found


def snapshot(folder):
    """Every file in a folder: its kind, rights, owner, links and bytes, if we may read them."""
    found = {}
    for parent, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(parent, name)
            st = os.lstat(path)
            content = None
            if stat.S_ISREG(st.st_mode) and os.access(path, os.R_OK):
                content = content_of(path)
            elif stat.S_ISLNK(st.st_mode):
                content = os.readlink(path)
            found[path] = (stat.filemode(st.st_mode), st.st_uid, st.st_nlink, content)
    return found


# ---- logs ------------------------------------------------------------------
def records(path):
    """(type, offset, length, utc_ns) of every whole record of an undamaged log."""
    with open(path, "rb") as f:
        data = f.read()
    found, at = [], 0
    while at + 72 <= len(data):
        if data[at:at + 4] != b"\x89PL1":  # the fence before an appended session
            at += 8 - at % 8
            continue
        stored, = struct.unpack_from("<I", data, at + 40)
        utc, = struct.unpack_from("<q", data, at + 24)
        length = 72 + (stored + 7) // 8 * 8
        if at + length > len(data):
            break
        found.append((data[at + 4:at + 8].decode("ascii"), at, length, utc))
        at += length
    return found


def sample_times(path):
    """utc_ns of every sample so far; none before the recorder has made the log."""
    try:
        return [utc for kind, _, _, utc in records(path) if kind == "SMPL"]
    except FileNotFoundError:
        return []


def count_samples(path):
    return len(sample_times(path))


class Recording:
    """A recorder that runs beside the test, and ends with it at the latest."""

    def __init__(self, test, path, *args, user=None, start=None):
        """'start' is called in the new process before the program begins."""
        self.path = path
        identity = {} if user is None else {"user": user, "group": user, "extra_groups": []}
        self.process = subprocess.Popen([PROGRAM, "record", *args, path],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, preexec_fn=start, **identity)
        test.addCleanup(self.abandon)

    def abandon(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()

    def wait_for(self, samples):
        self.wait(lambda: count_samples(self.path) >= samples, several(samples, "sample"))

    def wait_for_more(self, samples):
        """That many that are taken from now on: where the disk is slow, older ones are written later."""
        now = time.time_ns()
        self.wait(lambda: sum(utc >= now for utc in sample_times(self.path)) >= samples,
                  several(samples, "sample") + " more")

    def wait(self, is_so, what):
        """A recorder that ended before has failed: its exit status and message are the reason."""
        wait_until(lambda: is_so() or self.process.poll() is not None, "%s has %s" % (self.path, what))
        if not is_so():
            raise AssertionError("%s has not %s: %r" % (self.path, what, self.end(None)))

    @contextlib.contextmanager
    def paused(self):
        """It takes no sample while the block runs."""
        self.process.send_signal(signal.SIGSTOP)
        wait_until(lambda: is_stopped(self.process.pid), "it is stopped")
        yield
        self.process.send_signal(signal.SIGCONT)

    def end(self, sig=signal.SIGINT):
        if sig:
            self.process.send_signal(sig)
        out, err = self.process.communicate(timeout=TIMEOUT)
        return Result(self.process.returncode, out, err)


# ---- sheets ----------------------------------------------------------------
@contextlib.contextmanager
def process_named(name):
    """A process that bears a name of our choice while the block runs; yields its pid."""
    child = subprocess.Popen([*PYTHON, "-c", "import sys; open('/proc/self/comm', 'w').write(sys.argv[1]); "
                              "sys.stdin.read()", name], stdin=subprocess.PIPE)
    with child, open("/proc/%d/comm" % child.pid) as comm:
        wait_until(lambda: comm.seek(0) == 0 and comm.read() == name + "\n", "the process is called " + name)
        yield child.pid


class Wide:
    """A wide sheet: times, and columns by path without the host."""

    def __init__(self, text):
        rows = list(csv.reader(io.StringIO(text)))
        self.header, self.rows = rows[0], rows[1:]
        self.times = [row[0] for row in self.rows]
        self.paths = ["\\" + name.split("\\", 3)[3] for name in self.header[1:]
                      if name.startswith("\\\\")]

    def column(self, path):
        """The cells of one column; None for a blank."""
        at = [i for i, name in enumerate(self.header) if name.endswith(path)]
        if len(at) != 1:
            raise AssertionError("%d columns end with %s" % (len(at), path))
        return [float(row[at[0]]) if row[at[0]] else None for row in self.rows]


def long_rows(text):
    """Lines of a long sheet as dictionaries; the time is "Time" whatever its zone and style."""
    lines = csv.reader(io.StringIO(text))
    names = ["Time"] + next(lines)[1:]
    return [dict(zip(names, line)) for line in lines]


# ---- test cases ------------------------------------------------------------
class Case(unittest.TestCase):
    """A test with an empty folder of its own, which is gone afterwards."""
    where = None  # else than where temporary files are

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="perflog-test-", dir=self.where)
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write(self, name, content=b""):
        with open(self.path(name), "wb") as f:
            f.write(content)
        return self.path(name)

    def good(self, *args, **how):
        r = run(*args, **how)
        self.assertEqual(r.code, 0, r)
        return r

    def on_terminal(self, columns, *args):
        """What a command that succeeds without a message writes to a terminal of so many columns."""
        screen, terminal = pty.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        with subprocess.Popen([PROGRAM, *args], stdin=subprocess.DEVNULL, stdout=terminal, stderr=subprocess.PIPE) as process:
            os.close(terminal)
            text = b""
            with contextlib.suppress(OSError):  # it has no writer left
                while chunk := os.read(screen, 4096):
                    text += chunk
            said = process.stderr.read()
        os.close(screen)
        self.assertEqual((process.returncode, said), (0, b""))
        return text.decode().replace("\r\n", "\n")

    def record(self, path, *args):
        """Again where the machine was too busy to write the samples of a short interval, of which only some can wait.

        What was in the log before is there again then.
        """
        def there():  # the file, or the segments of a rotated log
            names = [path] if os.path.isfile(path) else glob.glob(glob.escape(path[:-len(".plog")]) + "-*.plog")
            return {name: read(name) for name in names}
        before = there()
        for _ in range(5):
            r = run("record", "-q", *args, path)
            made = there()
            if r.code != 2 or "could not be written" not in r.err or not made:
                break
            for name in made:
                os.remove(name)
            for name, data in before.items():
                with open(name, "wb") as f:
                    f.write(data)
        self.assertEqual(r.code, 0, r)
        return path

    def wrote(self, r):
        """What a recorder said that has ended well, but for samples that a busy machine did not write in time."""
        said = [line for line in r.err.splitlines() if "could not be written" not in line]
        self.assertEqual(r.code, 2 if len(said) < len(r.err.splitlines()) else 0, r)
        return said

    def wide(self, log, *args):
        return Wide(self.good("export", "-q", *args, log).out)

    def check_one_line(self, r, code, says=""):
        self.assertEqual(r.code, code, r)
        self.assertTrue(r.err.endswith("\n") and r.err.count("\n") == 1, "one line, please: %r" % r)
        self.assertTrue(r.err.startswith("perflog: "), r)
        self.check_printable(r.err[:-1])
        self.assertIn(says, r.err)

    def check_printable(self, line):
        strange = [c for c in line if not c.isprintable()]
        self.assertFalse(strange, "control characters or broken UTF-8 in %r" % line)

    def check_unchanged(self, before):
        after = snapshot(self.folder)
        self.assertEqual(sorted(before), sorted(after), "files came or went")
        for path in before:
            self.assertTrue(before[path] == after[path], "%r was changed" % path)

    def refused(self, code, *args, says="", **how):
        """perflog ARGS says why not in one line and leaves everything as it was."""
        before = snapshot(self.folder)
        r = run(*args, **how)
        with self.subTest(command=args):
            self.check_one_line(r, code, says)
        with self.subTest(command=args, files="as before"):
            self.check_unchanged(before)


def exit_with(test):
    """Run one test, print what failed, and end with a status that says so."""
    result = unittest.TestResult()
    test.run(result)
    for _, text in result.errors + result.failures:
        print(text)
    sys.exit(not result.wasSuccessful())


class NamingSkips(unittest.TextTestResult):
    """Says which cases were left out, and why: gate/summary.py repeats it at the end of a run."""

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.stream.writeln("\nskipped: %s: %s" % (test.id().replace("__main__.", ""), reason))


class Runner(unittest.TextTestRunner):
    resultclass = NamingSkips


def main():
    if not os.access(PROGRAM, os.X_OK):
        sys.exit("%s: set PERFLOG to the program to test" % PROGRAM)
    unittest.main(argv=sys.argv + os.environ.get("PERFLOG_TEST_ONLY", "").split(), testRunner=Runner)
