"""What a log's processes did, from raw values, for test_ends.py: every pair of samples added up.

An instance that the sample before lacks begins at 0 if it was born since (FORMAT.md, section 6, kind 3)."""
import collections
import os
import subprocess
import sys
import tempfile

from read_block import read_block
from read_payload import Cursor, decode
from read_log import Record, stretches

PROCESS, BIRTH = 230, 3
PID, STARTED = 784, 684


def blocks(log):
    """The blocks of a log in order, and its last titles' entries by (index, kind)."""
    with tempfile.TemporaryDirectory(dir=os.path.dirname(log)) as raw:
        subprocess.run([sys.executable, os.path.join(os.path.dirname(__file__), "read_log.py"), "--raw", raw, log],
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
