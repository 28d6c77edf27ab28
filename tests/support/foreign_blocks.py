"""Blocks as other makers write them, of any revision and byte order, and logs of them."""
import json
import os
import struct
import subprocess

import harness

PUT_BLOCKS = os.environ.get("PUT_BLOCKS", "build/release/tests/put_blocks")

COUNTER_COUNTER, RAWCOUNT, HEX, NODATA = 0x10410400, 0x00010000, 0, 0x40000200
TEXT, TEXT_ASCII, HISTOGRAM = 0x00000B00, 0x00010B00, 0x80000000
LARGE_RAWCOUNT, AVERAGE_BULK, AVERAGE_BASE = 0x00010100, 0x40020500, 0x40030402
RAW_FRACTION, RAW_BASE = 0x20020400, 0x40030403

TITLES = {900: ("Disk", "What turns."), 902: ("Reads/sec", "How often it is read."),
          904: ("Label", None), 906: ("State", None), 908: ("Heading", None),
          910: ("Bucket", None), 912: ("Short", None), 914: ("% Full", None),
          930: ("Process", None), 932: ("ID", None), 940: ("Thread", None)}


# ---- blocks made by hand ---------------------------------------------------
class Maker:
    """One block of any revision and byte order; lengths are those of winperf.h."""

    def __init__(self, order="<", revision=1, packed=False, code_page=0):
        self.order, self.revision, self.packed = order, revision, packed
        self.code_page, self.objects = code_page, []

    def pack(self, layout, *values):
        return struct.pack(self.order + layout, *values)

    def name(self, text):
        if text is None:
            return b""
        if isinstance(text, bytes):
            return text
        return (text + "\0").encode("utf-16-le" if self.order == "<" else "utf-16-be")

    def instance(self, name, values, parent=(0, 0), unique=-1):
        raw = self.name(name)
        pad = -len(raw) % 8
        return self.pack("3Ii2I", 24 + len(raw) + pad, *parent, unique, 24, len(raw)) + \
            raw + bytes(pad) + self.values(values)

    def values(self, data):
        return self.pack("I", 4 + len(data)) + data

    def object(self, index, counters, data, instances=-1, slack=b""):
        """counters: (index, type, size, offset); data: instances or the one counter block."""
        defs = b"".join(self.pack("5Ii4I", 40, c[0], 0, c[0] + 1, 0, -1, 100, *c[1:])
                        for c in counters)
        head = 64 if self.revision else 48
        if not self.revision and instances == -1:
            instances = 0
        data = b"".join(data) + slack
        clock = self.pack("2q", 5, 1000) if self.revision else b""
        self.objects.append(
            self.pack("8IIiiI", head + len(defs) + len(data), head + len(defs), head, index, 0,
                      index + 1, 0, 200, len(counters), 0, instances, self.code_page) +
            clock + defs + data)
        return self

    def block(self, seconds=0):
        name = self.name("PC")
        at = 84 if self.packed else 88
        body = b"".join(self.objects)
        header = at + len(name) + -(at + len(name)) % 8
        ticks = 1000 * (1 + seconds)
        # 2007-08-14 15:40:38.659, and the same instant in 100 ns since 1601
        clocks = self.pack("3q2I", ticks, 1000, 128315796386590000 + seconds * 10000000,
                           len(name), at)
        start = "PERF".encode("utf-16-le" if self.order == "<" else "utf-16-be") + \
            self.pack("6Ii8H", self.order == "<", 1, self.revision, header + len(body), header,
                      len(self.objects), 900, 2007, 8, 2, 14, 15, 40, 38, 659)
        start += (b"" if self.packed else bytes(4)) + clocks + name
        return start + bytes(header - len(start)) + body


DISK = ((902, COUNTER_COUNTER, 4, 4), (904, TEXT, 12, 8), (906, HEX, 4, 20),
        (908, NODATA, 0, 0), (910, HISTOGRAM | RAWCOUNT, 4, 24), (912, TEXT_ASCII, 4, 28))


def disk(m, reads, label, short=b"f\xfcr\0"):
    text = label.encode("utf-16-le" if m.order == "<" else "utf-16-be")
    return m.pack("I", reads) + text + bytes(12 - len(text)) + m.pack("2I", 0xBEEF, 9) + short


def golden_block(order, revision, packed=False):
    m = Maker(order, revision, packed, code_page=1252)
    m.object(900, DISK, [m.instance(b"B\xfcro\0", disk(m, 7, "=1+1,x")),
                         m.instance(None, disk(m, 8, "plain"), (930, 1), 4711)], 2)
    return m.block()


# ---- logs of them ------------------------------------------------------------
class Foreign(harness.Case):
    def titles(self):
        return self.write("titles.tsv", "".join(
            "%d\t%s%s\n" % (i, name, "\t" + text if text else "")
            for i, (name, text) in TITLES.items()).encode())

    def log(self, *blocks, name="x.plog"):
        files = [self.write("%d.bin" % i, b) for i, b in enumerate(blocks)]
        subprocess.run([PUT_BLOCKS, self.path(name), self.titles(), *files], check=True,
                       timeout=harness.TIMEOUT)
        return self.path(name)

    def dump(self, log, *args):
        return json.loads(self.good("dump", "--json", *args, log).out)

    def long(self, log, *args):
        return harness.long_rows(self.good("export", "--layout", "long", *args, log).out)
