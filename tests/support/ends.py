"""What a log's processes did, from raw values, for test_ends.py and test_own_io.py: every pair of samples added up.

An instance that the sample before lacks begins at 0 if it was born since (FORMAT.md, section 6, kind 3)."""
import collections
import os
import shutil
import subprocess
import sys
import tempfile

import harness
from harness import Case, Recording
from read_block import read_block
from read_payload import Cursor, decode
from read_log import Record, stretches

PROCESS, BIRTH = 230, 3
PID, STARTED = 784, 684
RUN_TIME, USER, PRIVILEGED, READ, WRITTEN = 6, 142, 144, 23102, 23104
STATE, STATUS = 23122, 23146
EXITS, FAILED, KILLED, OOM = 23138, 23140, 23142, 23144
CANCELLED = 23106
REAPED_READ, REAPED_WRITTEN = 23148, 23150
MORE = 4  # samples after all is there, which may add nothing


def blocks(log):
    """The blocks of a log in order, and its last titles' entries by (index, kind)."""
    with tempfile.TemporaryDirectory(dir=os.path.dirname(log)) as raw:
        subprocess.run([sys.executable, "-S", os.path.join(os.path.dirname(__file__), "read_log.py"), "--raw", raw, log],
                       check=True, stdout=subprocess.DEVNULL)
        for name in sorted(os.listdir(raw)):
            with open(os.path.join(raw, name), "rb") as f:
                yield read_block(f.read())


def births(log):
    """By object: (title of the counter with the time, slack, titles of those that begin at 0)."""
    with open(log, "rb") as f:
        data = f.read()
    found = {}
    for kind, begin, _, r in stretches(data, lambda: None):
        if kind != "record" or not isinstance(r, Record) or r.type != "TITL":
            continue
        c = Cursor(decode(r, data[begin + 72:begin + 72 + r.stored_len]))
        while c.left():
            index, (kind, _) = c.varint(), c.unpack("BH")
            value = Cursor(c.take(c.varint()))
            if kind == BIRTH:
                counter, slack = value.unpack("2I")
                found[index] = counter, slack, set(value.unpack("%dI" % (value.left() // 4)))
    return found


def processes(block):
    """By identity: name and raw values by title index; and the object's clock."""
    for o in block["objects"]:
        if o["ObjectNameTitleIndex"] == PROCESS:
            titles = [c["CounterNameTitleIndex"] for c in o["counters"]]
            rows = {}
            for i in o["instances"]:
                values = dict(zip(titles, i["values"]))
                key = values[PID], values[STARTED]
                assert key not in rows, "%s is there twice" % i["Name"]
                rows[key] = i["Name"], values
            return rows, o["PerfTime"]
    return {}, None


class Work:
    """Sums over all pairs: by_name[name without number][title], by_process[identity][title]."""

    def __init__(self, log):
        self.by_name = collections.defaultdict(collections.Counter)
        self.by_process = collections.defaultdict(collections.Counter)
        self.last, self.seen, self.unpaired, self.negative = {}, collections.Counter(), [], []
        self.names = {}
        _, slack, zeros = births(log)[PROCESS]
        older, clock = None, None
        for block in blocks(log):
            rows, now = processes(block)
            if older is not None:
                self.add(older, clock, rows, slack, zeros)
            older, clock = rows, now

    def add(self, older, clock, rows, slack, zeros):
        for key, (name, values) in rows.items():
            self.seen[key] += 1
            self.names[key] = name
            self.last[key] = values
            was = older[key][1] if key in older else {t: 0 for t in zeros}
            if key not in older and key[1] + slack < clock:
                self.unpaired.append((name, key))
                continue
            for title in zeros:
                d = values[title] - was[title]
                if d < 0:
                    self.negative.append((name, title, was[title], values[title]))
                self.by_name[name.rsplit(":", 1)[0]][title] += d
                self.by_process[key][title] += d

    def by_last_name(self):
        """Like by_name, where all that a process did is its last name's: a sample may come before it takes that."""
        sums = collections.defaultdict(collections.Counter)
        for key, did in self.by_process.items():
            sums[self.names[key].rsplit(":", 1)[0]].update(did)
        return sums


# ---- recording them ----------------------------------------------------------
def whole(log, copy):
    """Copy what is complete of a log that is being written."""
    found = harness.records(log)
    with open(log, "rb") as f, open(copy, "wb") as out:
        out.write(f.read(found[-1][1] + found[-1][2] if found else 0))
    return bool(found)


class Recorded(Case):
    """A recording of all processes.  The log is in memory, where writing it is not what a process wrote to a disk."""
    way = "bpf"

    def setUp(self):
        super().setUp()
        self.memory = tempfile.mkdtemp(prefix="perflog-test-", dir=harness.MEMORY)
        self.addCleanup(shutil.rmtree, self.memory, ignore_errors=True)
        self.log = os.path.join(self.memory, "a.plog")

    def start(self, interval="100ms", only=()):
        """'only': no others than processes called so, which makes a log that is quickly written and read."""
        chosen = sum((["-c", r"\Process(%s)\*" % name] for name in only), ["-c", "Performance Logger"] if only else [])
        self.recorder = Recording(self, self.log, "-q", "-i", interval, "--processes=" + self.way, *chosen)
        self.recorder.wait_for(2)

    def so_far_in(self, name):
        """A copy of what is there; None before there is a sample."""
        copy = os.path.join(self.memory, name)
        return copy if whole(self.log, copy) else None

    def so_far(self):
        copy = self.so_far_in("so_far.plog")
        return Work(copy) if copy else None

    def end(self, lacks=lambda work: []):
        """What was done, once 'lacks' says that nothing is missing from the log: the kernel gives a process' final
        values when its last reference is dropped, on a busy machine long after its end."""
        self.recorder.wait_for_more(MORE)
        harness.wait_until(lambda: self.recorder.process.poll() is not None or not self.lacks_now(lacks),
                           lambda: "the log has all: %s\n%s" % (self.lacks_now(lacks), self.info()))
        self.recorder.wait_for_more(MORE)
        r = self.recorder.end()
        self.assertEqual(r.code, 0, "%s\n%s" % (r, self.info()))
        work = Work(self.log)
        self.assertFalse(work.negative, "nothing counts backwards\n" + self.info())
        self.assertFalse(lacks(work), self.info())
        return work

    def lacks_now(self, lacks):
        self.recorder.wait_for_more(1)
        work = self.so_far()
        return lacks(work) if work else ["a sample"]

    def info(self):
        return harness.run("info", self.log).out

    def ended(self, *pids):
        """For end(): those of which the log does not say that they have ended."""
        return lambda work: [pid for pid in pids if not any(
            did[EXITS] for key, did in work.by_process.items() if key[0] == pid)]

    def of(self, work, pid):
        """What the process with that number did, and its last row."""
        (key,) = [key for key in work.seen if key[0] == pid]
        return work.by_process[key], work.last[key]
