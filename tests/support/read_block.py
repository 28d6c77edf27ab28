#!/usr/bin/env python3
"""A second reader of performance data blocks (PERF_DATA_BLOCK), both revisions and byte orders.

    read_block.py BLOCK...

prints each block as one line of JSON.  As a module: read_block(bytes) gives the
same as dictionaries, whose keys are winperf.h's names of the fields.  What can
be walked is kept; "error" says what ended the walk, or is None.  Written from
the structures' descriptions alone: shares no code with perflog, so that each
proves the other.
"""
import json
import struct
import sys

NO_INSTANCES = -1


class Bad(Exception):
    """Bytes that do not add up: (offset in the block, reason)."""


class Bytes:
    """The block's bytes, read at any offset in the block's own byte order."""

    def __init__(self, data, order):
        self.data, self.order = data, order

    def get(self, layout, at):
        n = struct.calcsize("=" + layout)
        if at < 0 or at + n > len(self.data):
            raise Bad(at, "beyond the end")
        return struct.unpack_from(self.order + layout, self.data, at)

    def fields(self, at, layout, names):
        return dict(zip(names.split(), self.get(layout, at)))

    def text(self, at, n, code_page=0):
        raw = self.data[at:at + n]
        if not code_page:
            codec = "utf-16-le" if self.order == "<" else "utf-16-be"
            return raw[:n // 2 * 2].decode(codec, "replace").split("\0")[0]
        try:
            return raw.split(b"\0")[0].decode("cp%d" % code_page, "replace")
        except LookupError:
            return raw.split(b"\0")[0].decode("ascii", "replace")


def check(good, at, reason):
    if not good:
        raise Bad(at, reason)


def read_header(data):
    if data[:8] not in ("PERF".encode("utf-16-le"), "PERF".encode("utf-16-be")):
        raise Bad(0, "no PERF signature")
    big = data[8:12] == bytes(4) or data[:2] == b"\0P"
    b = Bytes(data, ">" if big else "<")
    h = b.fields(8, "6Ii", "LittleEndian Version Revision TotalByteLength HeaderLength "
                 "NumObjectTypes DefaultObject")
    h["SystemTime"] = list(b.get("8H", 36))
    # A header packed without the 4 bytes before PerfTime has its name at 84.
    packed = b.get("I", 80)[0] == 84 and \
        (len(data) < 88 or b.get("I", 84)[0] != 88)
    h.update(b.fields(52 if packed else 56, "3q2I",
                      "PerfTime PerfFreq PerfTime100nSec SystemNameLength SystemNameOffset"))
    check(h["HeaderLength"] <= len(data), 24, "header longer than the block")
    at, n = h["SystemNameOffset"], h["SystemNameLength"]
    check(not n or at + n <= h["HeaderLength"], 80, "name outside the header")
    h["SystemName"] = b.text(at, n)
    return b, h


COUNTER = "ByteLength CounterNameTitleIndex CounterNameTitle CounterHelpTitleIndex " \
          "CounterHelpTitle DefaultScale DetailLevel CounterType CounterSize CounterOffset"
OBJECT = "TotalByteLength DefinitionLength HeaderLength ObjectNameTitleIndex ObjectNameTitle " \
         "ObjectHelpTitleIndex ObjectHelpTitle DetailLevel NumCounters DefaultCounter " \
         "NumInstances CodePage"
INSTANCE = "ByteLength ParentObjectTitleIndex ParentObjectInstance UniqueID NameOffset NameLength"


def read_values(b, o, at):
    """The raw values of one counter block: numbers, bytes as hex, None if outside."""
    n, = b.get("I", at)
    check(4 <= n and at + n <= o["offset"] + o["TotalByteLength"], at, "counter block's length")
    values = []
    for c in o["counters"]:
        size, start = c["CounterSize"], c["CounterOffset"]
        if start < 4 or start + size > n:
            values.append(None)
        elif size in (4, 8):
            values.append(b.get("I" if size == 4 else "Q", at + start)[0])
        else:
            values.append(b.data[at + start:at + start + size].hex())
    return n, values


def read_instances(b, o):
    at, end = o["offset"] + o["DefinitionLength"], o["offset"] + o["TotalByteLength"]
    count = o["NumInstances"]
    if o["HeaderLength"] < 64 and count == 0 and at < end:
        count = NO_INSTANCES
    if count == NO_INSTANCES:
        n, values = read_values(b, o, at)
        o["instances"].append({"offset": at, "Name": None, "values": values})
        return
    for _ in range(count):
        check(at + 24 <= end, at, "instances end early")
        i = b.fields(at, "3Ii2I", INSTANCE)
        i["offset"] = at
        length, name, n = i["ByteLength"], i["NameOffset"], i["NameLength"]
        check(length >= 24 and at + length <= end, at, "instance's length")
        check(not n or name + n <= length, at, "instance's name")
        i["Name"] = b.text(at + name, n, o["CodePage"])
        at += length
        n, i["values"] = read_values(b, o, at)
        o["instances"].append(i)
        at += n


def read_object(b, at):
    o = b.fields(at, "8IIiiI", OBJECT)
    o["offset"] = at
    total, defs, header = o["TotalByteLength"], o["DefinitionLength"], o["HeaderLength"]
    check(48 <= header <= defs <= total, at, "object's lengths")
    check(at + total <= len(b.data), at, "object longer than the block")
    o["PerfTime"], o["PerfFreq"] = b.get("2q", at + 48) if header >= 64 else (0, 0)
    o["counters"], o["instances"] = [], []
    return o


def read_counters(b, o):
    at, end = o["offset"] + o["HeaderLength"], o["offset"] + o["DefinitionLength"]
    for _ in range(o["NumCounters"]):
        check(at + 40 <= end, at, "definitions end early")
        c = b.fields(at, "5Ii4I", COUNTER)
        c["offset"] = at
        check(c["ByteLength"] >= 40 and at + c["ByteLength"] <= end, at, "definition's length")
        o["counters"].append(c)
        at += c["ByteLength"]


def read_block(data):
    b, block = read_header(data)
    block["objects"], block["error"] = [], None
    at = block["HeaderLength"]
    try:
        while at < len(data) and len(block["objects"]) < block["NumObjectTypes"]:
            o = read_object(b, at)
            block["objects"].append(o)
            read_counters(b, o)
            read_instances(b, o)
            at += o["TotalByteLength"]
    except Bad as e:
        block["error"] = list(e.args)
    return block


def main():
    for path in sys.argv[1:]:
        with open(path, "rb") as f:
            print(json.dumps(read_block(f.read())))


if __name__ == "__main__":
    main()
