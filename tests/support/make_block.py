"""Performance data blocks for tests: made from descriptions, or from a block that was read.

A block is a dictionary as read_block() gives it; what a description leaves out
has a plain default.  Every block can be written in both byte orders and both
revisions of the structures.
"""
import struct

NO_INSTANCES = -1
NO_CLOCK = 48  # length of an object's header without a clock, Revision 0
FILETIME_OF_1970 = 116444736000000000


def filetime(seconds):
    return FILETIME_OF_1970 + round(seconds * 10_000_000)


def system_time(seconds):
    """SYSTEMTIME's fields of a time since 1970."""
    import datetime
    t = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=seconds)
    return [t.year, t.month, t.isoweekday() % 7, t.day, t.hour, t.minute, t.second,
            t.microsecond // 1000]


class Writer:
    def __init__(self, big):
        self.order, self.utf16 = (">", "utf-16-be") if big else ("<", "utf-16-le")

    def pack(self, layout, *values):
        return struct.pack(self.order + layout, *values)

    def value(self, size, value):
        if size in (4, 8):
            return self.pack("I" if size == 4 else "Q", value & ((1 << 8 * size) - 1))
        return bytes.fromhex(value or "")

    def counter_block(self, o, values):
        ends = [c["CounterOffset"] + c["CounterSize"] for c in o["counters"]]
        data = bytearray((max(ends, default=4) + 7) // 8 * 8)
        struct.pack_into(self.order + "I", data, 0, len(data))
        for c, value in zip(o["counters"], values):
            start = c["CounterOffset"]
            if value is not None and c["CounterSize"]:
                data[start:start + c["CounterSize"]] = self.value(c["CounterSize"], value)
        return bytes(data)

    def instance(self, o, i):
        name = (i["Name"] + "\0").encode(self.utf16)
        length = (24 + len(name) + 7) // 8 * 8
        head = self.pack("3Ii2I", length, i.get("ParentObjectTitleIndex", 0),
                         i.get("ParentObjectInstance", 0), i.get("UniqueID", -1), 24, len(name))
        return (head + name).ljust(length, b"\0") + self.counter_block(o, i["values"])

    def counter(self, c):
        return self.pack("5Ii4I", 40, c["CounterNameTitleIndex"], 0,
                         c.get("CounterHelpTitleIndex", 0), 0, c.get("DefaultScale", 0),
                         c.get("DetailLevel", 100), c["CounterType"], c["CounterSize"],
                         c["CounterOffset"])

    def object(self, o, revision):
        header = 64 if revision else NO_CLOCK
        alone = o["NumInstances"] == NO_INSTANCES
        definitions = b"".join(self.counter(c) for c in o["counters"])
        data = b"".join(self.counter_block(o, i["values"]) if alone else self.instance(o, i)
                        for i in o["instances"])
        number = o["NumInstances"] if revision or not alone else 0  # 1992 had no -1
        head = self.pack("8IIiiI", header + len(definitions) + len(data),
                         header + len(definitions), header, o["ObjectNameTitleIndex"], 0,
                         o.get("ObjectHelpTitleIndex", 0), 0, o.get("DetailLevel", 100),
                         len(o["counters"]), o.get("DefaultCounter", 0), number, 0)
        if revision:
            head += self.pack("2q", o.get("PerfTime", 0), o.get("PerfFreq", 0))
        return head + definitions + data


def write_block(block, big=False, revision=1):
    w = Writer(big)
    objects = b"".join(w.object(o, revision) for o in block["objects"])
    name = (block["SystemName"] + "\0").encode(w.utf16)
    length = (88 + len(name) + 7) // 8 * 8
    head = "PERF".encode(w.utf16) + w.pack(
        "6Ii8H4x3q2I", 0 if big else 1, 1, revision, length + len(objects), length,
        len(block["objects"]), block.get("DefaultObject", 0), *block["SystemTime"],
        block["PerfTime"], block["PerfFreq"], block["PerfTime100nSec"], len(name), 88)
    return (head + name).ljust(length, b"\0") + objects


# ---- descriptions ------------------------------------------------------------
RAWCOUNT, COUNTER, BULK_COUNT = 0x00010000, 0x10410400, 0x10410500
TIMER_100NS, AVERAGE_TIMER, AVERAGE_BASE = 0x20510500, 0x30020400, 0x40030402
LARGE = {BULK_COUNT, TIMER_100NS, AVERAGE_TIMER}


def make_object(index, counters, instances):
    """counters: (index, type); instances: name -> values, the name None for one without."""
    definitions, at = [], 8
    for title, kind in counters:
        size = 8 if kind in LARGE else 4
        definitions.append({"CounterNameTitleIndex": title, "CounterHelpTitleIndex": title + 1,
                            "CounterType": kind, "CounterSize": size, "CounterOffset": at})
        at += 8
    return {"ObjectNameTitleIndex": index, "ObjectHelpTitleIndex": index + 1,
            "counters": definitions,
            "NumInstances": NO_INSTANCES if list(instances) == [None] else len(instances),
            "instances": [{"Name": n, "values": v} for n, v in instances.items()]}


def make_block(seconds, objects, host="HOST", east=0, boot=100, **more):
    """A block of a machine that started 'boot' seconds before 2026-01-01, at 'seconds' after it."""
    utc = 1767225600 + seconds
    block = {"SystemName": host, "SystemTime": system_time(utc + east * 60),
             "PerfTime": round((seconds + boot) * 1_000_000), "PerfFreq": 1_000_000,
             "PerfTime100nSec": filetime(utc), "objects": objects}
    block.update(more)
    return block


def simple(seconds, **more):
    """One object, System (2), with a gauge (44) and a rate (146) of ten a second."""
    return make_block(seconds, [make_object(2, [(44, RAWCOUNT), (146, COUNTER)],
                                            {None: [round(seconds), round(10 * seconds)]})], **more)
