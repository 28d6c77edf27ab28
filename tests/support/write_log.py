"""Logs made by hand, from format/FORMAT.md alone: any counter type, any value, any session.

Shares no code with perflog's writer (needs libxxhash, as read_log.py does).
"""
import functools
import struct

from read_payload import hash_of

SECOND = 10**9
FILETIME_OF_1970 = 116444736000000000
SESSION = 0x1122334455667788


def padded(data, to=8):
    return data + bytes(-len(data) % to)


def text16(text):
    return (text + "\0").encode("utf-16-le")


# ---- section 9: blocks -----------------------------------------------------
def counter_block(counters, values):
    """Each value as a word of 8 bytes, of which its counter has the first; a counter without size has none."""
    words = [value & (1 << 8 * size) - 1 for (_, _, size), value in zip(counters, values) if size]
    return struct.pack("<II%dQ" % len(words), 8 + 8 * len(words), 0, *words)


@functools.lru_cache(maxsize=1 << 16)  # a log of many samples has the same names in each
def instance_of(name):
    raw = text16(name)
    named = padded(raw)
    return struct.pack("<IIIiII", 24 + len(named), 0, 0, -1, 24, len(raw)) + named


def object_of(index, counters, instances, clock=(0, 0)):
    """counters: (title index, type, size); instances: (name or None for none at all, values)."""
    definitions, at = b"", 8
    for title, kind, size in counters:
        definitions += struct.pack("<10I", 40, title, 0, 0, 0, 0, 100, kind, size, at)
        at += (size + 7) // 8 * 8
    single = len(instances) == 1 and instances[0][0] is None
    parts = []  # joined once: adding to bytes copies all of them each time
    made = {}  # many instances may have the same values
    for name, values in instances:
        if not single:
            parts.append(instance_of(name))
        key = tuple(values)
        if key not in made:
            made[key] = counter_block(counters, values)
        parts.append(made[key])
    body = b"".join(parts)
    head = 64 + len(definitions)
    return struct.pack("<9IiiIqq", head + len(body), head, 64, index, 0, 0, 0, 100, len(counters), 0,
                       -1 if single else len(instances), 0, *clock) + definitions + body


def block_of(objects, perf_time, perf_freq, time_100ns):
    body = b"".join(objects)
    return "PERF".encode("utf-16-le") + struct.pack("<7I", 1, 1, 1, 88 + len(body), 88, len(objects), 0) + \
        bytes(16) + struct.pack("<4xqqqII", perf_time, perf_freq, time_100ns, 0, 88) + body


# ---- sections 3 to 6: records ----------------------------------------------
def varint(n):
    out = bytearray()
    while n >= 0x80:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    return bytes(out) + bytes([n])


def title(index, kind, language, value):
    return varint(index) + struct.pack("<BH", kind, language) + varint(len(value)) + value


class Log:
    """A log of one session.  zone: (minutes east, name); source: file name of an import; seq: of the first record;
    machine: hash of the machine's id.
    """

    def __init__(self, names, host=b"web", interval_ns=SECOND, zone=None, source=None, facts=None, session=SESSION,
                 seq=0, machine=0, births=None):
        self.written, self.seq, self.session = [], seq, session
        tags = {1: host, 12: b"little windows"}
        if interval_ns:
            tags[9] = struct.pack("<Q", interval_ns)
        if machine:
            tags[2] = struct.pack("<Q", machine)
        if zone:
            tags[13] = struct.pack("<i", zone[0]) + zone[1]
        if source:
            tags[20] = bytes(32) + source
        self.record(b"SESS", b"".join(struct.pack("<HHI", tag, 0, len(value)) + value
                                      for tag, value in sorted(tags.items())), 0)
        entries = {(i, 0, 9): name for i, name in names.items()}
        entries.update({(i, 2, 0): fact for i, fact in (facts or {}).items()})
        entries.update({(i, 3, 0): birth for i, birth in (births or {}).items()})
        self.record(b"TITL", b"".join(title(*key, value) for key, value in sorted(entries.items())), 0)

    @property
    def data(self):
        """All bytes so far; joined when asked for, as a long log would be copied with each record."""
        self.written = [b"".join(self.written)]
        return self.written[0]

    @data.setter
    def data(self, data):
        self.written = [data]

    def record(self, kind, payload, utc_ns, flags=0, boot_ns=None):
        head = struct.pack("<4s4sQIHBBqqIIQQ", b"\x89PL1", kind, self.session, self.seq, 0, 0, flags, utc_ns,
                           utc_ns if boot_ns is None else boot_ns,
                           len(payload), len(payload), hash_of(self.session, payload),
                           hash_of(self.session, padded(payload)))
        self.written += head, struct.pack("<Q", hash_of(0, head)), padded(payload)
        self.seq += 1

    def sample(self, utc_ns, objects, perf_time=None, perf_freq=10_000_000, time_100ns=None, flags=0, boot_ns=None):
        """Clocks not given are utc_ns in 100 ns, as Windows and Linux have them."""
        ticks = utc_ns // 100
        self.record(b"SMPL", block_of(objects, ticks if perf_time is None else perf_time, perf_freq,
                                      ticks + FILETIME_OF_1970 if time_100ns is None else time_100ns),
                    utc_ns, flags, boot_ns)

    def save(self, path):
        with open(path, "wb") as f:
            f.write(self.data)
        return path
