"""The values of Windows' counters by a second calculator, of blocks as read_block.py reads them.

Written from the formulas of winperf.h's types alone; shares no code with perflog.  Every type that the blocks of a
real machine have is here, in the order of operations that gives Windows' own digits.
"""
BASES = 0x30400  # type and subtype of a denominator
BY_IDENTITY = {230: (784, 684)}  # Process: ID Process and Elapsed Time


class Blank(Exception):
    """There is no value; the reason is its status."""


def delta(older, newer):
    if newer < older:
        raise Blank("negative")
    return newer - older


def clock(older, newer):
    if newer <= older:
        raise Blank("zero_time" if newer == older else "negative_denominator")
    return newer - older


def rate(a, b):
    return delta(a.n, b.n) / (clock(a.ticks, b.ticks) / b.freq)


def elapsed(_, b):
    return (b.own_time - b.n) / b.own_freq if 0 < b.n < b.own_time else 0


def raw_fraction(_, b):
    if not b.base:
        raise Blank("zero_base")
    return b.n / b.base * 100


def average(a, b, unit=1):
    n, base = delta(a.n, b.n), delta(a.base, b.base)
    return n / unit / base if base else 0


FORMULAS = {
    0x10410400: rate,
    0x10410500: rate,
    0x20510500: lambda a, b: 100 * (delta(a.n, b.n) / clock(a.time, b.time)),
    0x21510500: lambda a, b: 100 * (1 - delta(a.n, b.n) / clock(a.time, b.time)),
    0x20570500: lambda a, b: delta(a.n, b.n) / clock(a.base, b.base) * 100,
    0x00550500: lambda a, b: delta(a.n, b.n) / clock(a.time, b.time),
    0x30020400: lambda a, b: average(a, b, b.freq),
    0x40020500: average,
}
OF_ONE_SAMPLE = {
    0x00010000: lambda _, b: b.n,
    0x00010100: lambda _, b: b.n,
    0x20020400: raw_fraction,
    0x30240500: elapsed,
}
INVERSE = 0x01000000


class Reading:
    """One counter of one instance in one sample, and the clocks beside it."""

    def __init__(self, n, base, block, o):
        self.n, self.base = n, base
        self.ticks, self.freq, self.time = block["PerfTime"], block["PerfFreq"], block["PerfTime100nSec"]
        self.own_time, self.own_freq = o.get("PerfTime", 0), o.get("PerfFreq", 0)


class Instance:
    def __init__(self, block, o, name, values, titles):
        self.key = titles[o["ObjectNameTitleIndex"]], name
        self.identity = (o["ObjectNameTitleIndex"], name)
        self.readings = {}  # counter -> type, reading
        by_index = dict(zip((c["CounterNameTitleIndex"] for c in o["counters"]), values))
        identity = BY_IDENTITY.get(o["ObjectNameTitleIndex"])
        if identity and name != "_Total":
            self.identity = (o["ObjectNameTitleIndex"],) + tuple(by_index[i] for i in identity)
        for i, c in enumerate(o["counters"]):
            if c["CounterType"] & 0xF0C00 == BASES:
                continue
            base = None
            if i + 1 < len(values) and o["counters"][i + 1]["CounterType"] & 0xF0C00 == BASES:
                base = values[i + 1]
            self.readings[titles[c["CounterNameTitleIndex"]]] = \
                c["CounterType"], Reading(values[i], base, block, o)


class Sample:
    def __init__(self, blocks, titles):
        self.instances = []
        for block in blocks:
            for o in block["objects"]:
                seen = {}
                for i in o["instances"]:
                    name = i["Name"] or ""
                    n = seen[name] = seen.get(name, -1) + 1
                    self.instances.append(Instance(block, o, name + ("#%d" % n if n else ""), i["values"], titles))
        self.by_identity = {i.identity: i for i in self.instances}
        self.keys = {i.key for i in self.instances}


def value(kind, older, newer):
    if kind in OF_ONE_SAMPLE:
        return OF_ONE_SAMPLE[kind](None, newer), ""
    if older is None:
        raise Blank("first")
    v = FORMULAS[kind](older, newer)
    return (0, "clamped") if kind & INVERSE and v < 0 else (v, "")


def cells(older, newer):
    """{(object, instance, counter): (value or None, status)} of a sample, 'older' being the one before it or None."""
    found = {}
    for i in newer.instances:
        was = older and older.by_identity.get(i.identity)
        for counter, (kind, reading) in i.readings.items():
            try:
                found[*i.key, counter] = value(kind, was and was.readings[counter][1], reading)
            except Blank as e:
                found[*i.key, counter] = None, str(e)
    for i in older.instances if older else []:
        if i.identity not in newer.by_identity and i.key not in newer.keys:
            found.update({(*i.key, counter): (None, "absent") for counter in i.readings})
    return found
