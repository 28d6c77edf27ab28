"""What the ends of a packed log states of its segment: taken apart, changed, and put together with good hashes; and logs
of which there is much to state.
"""
import random
import struct

import harness
from bombs import zipped
from read_payload import hash_of, unzip
from write_log import SECOND, SESSION, Log, counter_block, object_of, padded, text16

START = 1_795_262_400 * SECOND
RAWCOUNT, RATE = 0x00010100, 0x10410400
PROCESS, THREAD, DISK, SYSTEM, GADGET, VALUES = 230, 232, 234, 2, 40000, 40002
TITLES = {PROCESS: b"Process", THREAD: b"Thread", DISK: b"PhysicalDisk", SYSTEM: b"System", GADGET: b"Gadget", VALUES: b"Values",
          4: b"Count", 6: b"Other Count", 8: b"Bytes/sec"}

ENDS = 24  # bytes that every ends has
HEAD = 24  # of a part
NAMES, COUNTS = 0, 1


def read(path):
    with open(path, "rb") as f:
        return f.read()


def session_of_ends(log):
    at = harness.records(log)[-1][1]
    return struct.unpack_from("<Q", read(log), at + 8)[0]


def payload_of_ends(log):
    """Type, offset and bytes of the payload of the last record."""
    kind, at, _ = harness.records(log)[-1][:3]
    data = read(log)
    return kind, at + 72, data[at + 72:at + 72 + struct.unpack_from("<I", data, at + 40)[0]]


def parts_of(log):
    """The content of each part; none where nothing is stated."""
    kind, _, payload = payload_of_ends(log)
    if kind != "ends" or len(payload) <= ENDS:
        return []
    parts, at = [], ENDS
    while len(payload) - 8 - at >= HEAD:
        codec, raw_len, stored_len, _, proof = struct.unpack_from("<IIIIQ", payload, at)
        stored = payload[at + HEAD:at + HEAD + stored_len]
        content = unzip(stored, raw_len, raw_len) if codec else stored
        assert hash_of(session_of_ends(log), content) == proof and len(content) == raw_len
        parts.append(content)
        at += HEAD + len(padded(stored))
    assert payload[at:] == struct.pack("<Q", len(payload))
    return parts


def with_parts(log, parts):
    """The bytes of the log with others."""
    (_, at, payload), session = payload_of_ends(log), session_of_ends(log)
    new = payload[:ENDS]
    for content in parts:
        stored = zipped(content) if content else b""
        new += struct.pack("<IIIIQ", bool(content), len(content), len(stored), 0, hash_of(session, content)) + padded(stored)
    if parts:
        new += struct.pack("<Q", len(new) + 8)
    data = read(log)
    head = bytearray(data[at - 72:at])
    struct.pack_into("<II", head, 40, len(new), len(new))
    struct.pack_into("<QQ", head, 48, hash_of(session, new), hash_of(session, new))
    struct.pack_into("<Q", head, 64, hash_of(0, bytes(head[:64])))
    return data[:at - 72] + bytes(head) + new


def with_part(log, part, change):
    """The same with one changed: 'change' gets its content, which it changes, or returns another."""
    parts = parts_of(log)
    content = bytearray(parts[part])
    changed = change(content)
    parts[part] = bytes(content if changed is None else changed)
    return with_parts(log, parts)


# ---- logs of which there is much to state ---------------------------------------
def with_parents(index, counters, instances):
    """instances: (name, title of the parent's object or 0, its place there, values)."""
    whole = object_of(index, counters, [(name, values) for name, _, _, values in instances])
    body, (length,) = b"", struct.unpack_from("<I", whole, 4)
    for name, parent, place, values in instances:
        raw = padded(text16(name))
        body += struct.pack("<IIIiII", 24 + len(raw), parent, place, -1, 24, len(text16(name))) + raw
        body += counter_block(counters, values)
    return struct.pack("<I", length + len(body)) + whole[4:40] + struct.pack("<i", len(instances)) + \
        whole[44:length] + body


class Made:
    """A log of one segment.  Each sample has many values, beside which names take little room.  every: seconds between two
    of them; a pack spans half an hour at most.
    """

    def __init__(self, names=None, session=SESSION, seq=0, values=60, every=1):
        self.log = Log(TITLES if names is None else names, session=session, seq=seq)
        self.samples, self.random, self.values, self.every = 0, random.Random(session), values, every

    def now(self):
        return START + self.samples * self.every * SECOND

    def add(self, *objects):
        values = [self.random.getrandbits(64) for _ in range(self.values)]
        objects += object_of(VALUES, [(4, RAWCOUNT, 8)] * len(values), [(None, values)]),
        self.log.sample(self.now(), objects)
        self.samples += 1

    def save(self, path, ends=True):
        if ends:
            self.log.record(b"ends", struct.pack("<QIIII", 0, self.samples, 0, 1, 0), self.now())
        return self.log.save(path)


def random_log(seed, seq=0, **more):
    """Processes, which may be called alike, come and go, and so do their threads; disks change their counters."""
    r, made = random.Random(seed), Made(seq=seq, **more)
    alive, names = [], ["a", "b", "cat", "\u00e4rger", "_Total", ""]
    for step in range(r.randrange(20, 60)):
        if step % 3 == 0:
            alive = [p for p in alive if r.random() < 0.8]
            alive += [(r.choice(names), r.randrange(3)) for _ in range(r.randrange(4))]
        if r.random() < 0.1:
            r.shuffle(alive)
        threads = [("%d" % t, PROCESS, place, [step]) for place, (_, num) in enumerate(alive) for t in range(num)]
        processes = object_of(PROCESS, [(4, RAWCOUNT, 8), (8, RATE, 8)], [(name, [7, step]) for name, _ in alive])
        counters = [(4, RAWCOUNT, 8), (6, RAWCOUNT, 4)][:1 + (step > 10)]
        disks = object_of(DISK, counters, [("sda", [1, 2]), ("sdb", [3, 4])][:1 + r.randrange(2)])
        objects = [processes, with_parents(THREAD, [(4, RAWCOUNT, 8)], threads), disks,
                   object_of(SYSTEM, [(4, RAWCOUNT, 8)], [(None, [step])])]
        if seed % 3 == 1:
            objects[0:2] = objects[1::-1]  # a parent may come after its children
        made.add(*objects[:len(objects) - (step % 7 == 5)])
    return made
