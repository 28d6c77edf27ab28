#!/usr/bin/env python3
"""Writes Performance Monitor's binary logs (.blg), whole ones and odd ones.

As a program: write_blg.py LIKE MEGABYTES OUT makes a long log of the samples of a short one.
"""
import struct
import sys

import read_blg

GUID = bytes.fromhex("b33b3f933e940d499ced3cbb14c14479")
TITLES, LIST, SAMPLE, CATALOGUE = 0x24, 0x20, 0x22, 0x23
NONE = 0xFFFFFFFF
SECOND = 10**7
FILETIME_OF_1970 = 116444736000000000
START = FILETIME_OF_1970 + 1_600_000_000 * SECOND  # local: 2020-09-13 12:26:40
PART = 8000
WINDOWS_10 = (10, 0, 14393)


def wide(text):
    return text.encode("utf-16-le") + b"\0\0"


def pad8(data):
    return data + b"\0" * (-len(data) % 8)


# ---- messages ------------------------------------------------------------------
def entry(machine, obj, instance, counter, kind, base=SECOND, scale=0, flags=0, parent=None, index=0):
    """One entry of a list; kind 0x10 is left to the caller."""
    names, places = b"\0" * 4, []
    for name in (machine, obj, instance, parent, counter):
        places.append(NONE if name is None else len(names))
        names += b"" if name is None else wide(name)
    body = struct.pack("<IIQiIIIIII", 0, kind, base, scale, *places[:4], index, places[4]) + names
    body = pad8(struct.pack("<II", 0, flags) + body)
    return struct.pack("<I", len(body)) + body[4:]


def counter_list(*entries):
    return struct.pack("<II", 0x6FF, 0x20008) + b"".join(entries)


def record(kind, body):
    body = pad8(body)
    return struct.pack("<2sBBI", b"BL", 3, kind, 8 + len(body)) + body


def item(first, second=0, status=0, time=START, components=1):
    return record(1, struct.pack("<IIQqqII", status, 0, time, first, second, components, 0))


def item_at(time, first, second=0, status=0, components=1):
    return record(1, struct.pack("<IQIqqII", status, time, 0, first, second, components, 0))


def array(items, time=START, status=0):
    """items: (name, first, second)."""
    place = 0x18 + 24 * len(items)
    rows, names = b"", b""
    for name, first, second in items:
        rows += struct.pack("<IIqq", place + len(names), 1, first, second)
        names += wide(name)
    return record(2, struct.pack("<IIIIQ", 0x18 + len(rows) + len(names), len(items), status, 0, time) + rows + names)


def block(data):
    return record(5, data)


def sample(*records):
    return record(0, b"".join(records))


def titles(machine, pairs):
    return wide(machine) + b"".join(wide(str(i)) + wide(name) for i, name in pairs)


# ---- the file --------------------------------------------------------------------
def event(kind, time, payload, part=1, parts=1):
    head = struct.pack("<HBBBBHIIQ16s8x16sII", 0x48 + len(payload), 0x14, 0xC0, kind, 0, 0x3C, 1, 1, time, GUID,
                       b"\x11" * 16, part, parts)
    return head + payload


def parts_of(kind, time, message):
    pieces = [message[i:i + PART] for i in range(0, len(message), PART)] or [b""]
    return [event(kind, time, p, i + 1, len(pieces)) for i, p in enumerate(pieces)]


def zone_information(bias=0, standard="UTC", daylight="", daylight_bias=0, standard_date=(0,) * 8,
                     daylight_date=(0,) * 8):
    return (struct.pack("<i64s8Hi", bias, standard.encode("utf-16-le"), *standard_date, 0)
            + struct.pack("<64s8Hi", daylight.encode("utf-16-le"), *daylight_date, daylight_bias))


def log_header(size, version, mode, zone, lost, boot):
    major, minor, build = version
    body = struct.pack("<IBBHIIQIIIIIIII", size, major, minor, 0, build, 1, 0, 156250, 0, mode, 1, 1, 8, lost[0], 2400)
    body = body + b"\0" * 16 + zone
    body += b"\0" * (-len(body) % 8) + struct.pack("<QQQII", boot, SECOND, 0, 2, lost[1])
    body += wide("00000000-0000-0000-0000-000000000000") + wide("C:\\PerfLogs\\a.blg")
    return struct.pack("<HBBHHIIQQ", 0, 2, 0xC0, 0x20 + len(body), 0, 1, 1, 0, 0) + body


class Log:
    """Messages in the order in which they are added; save() makes the file."""

    def __init__(self, version=WINDOWS_10, mode=1, zone=None, lost=(0, 0), boot=0, size=0x10000):
        self.version, self.mode, self.lost, self.boot, self.size = version, mode, lost, boot, size
        self.zone = zone_information() if zone is None else zone
        self.buffers = [[log_header(size, version, mode, self.zone, lost, boot)]]
        self.used = size  # the first buffer holds nothing else

    def event(self, data):
        length = len(data) + -len(data) % 8
        if self.used + length > self.size:
            self.buffers.append([])
            self.used = 0x48
        self.buffers[-1].append(data)
        self.used += length
        return self

    def message(self, kind, time, message):
        for data in parts_of(kind, time, message):
            self.event(data)
        return self

    def buffer(self, number, events):
        body = b"".join(pad8(e) for e in events[:-1]) + events[-1]
        last = number in (0, len(self.buffers) - 1)
        head = struct.pack("<IIIIQQQQIHH", self.size, 0, 0, 0, START + number, number, 0, 0, 0x48 + len(body), int(last),
                           4 if not number else 0)
        head += b"\0" * (0x48 - len(head))
        return head + body + b"\xff" * (self.size - 0x48 - len(body))

    def data(self):
        return b"".join(self.buffer(i, events) for i, events in enumerate(self.buffers))

    def save(self, path):
        with open(path, "wb") as f:
            for i, events in enumerate(self.buffers):
                f.write(self.buffer(i, events))
        return path


# ---- long ones ---------------------------------------------------------------------
def lengthen(like, size):
    """A log of at least 'size' bytes: the samples of 'like' again and again, times and counters going on."""
    with open(like, "rb") as f:
        messages = list(read_blg.messages(f.read()))
    samples = [(time, message) for kind, time, message in messages if kind == SAMPLE]
    span = samples[-1][0] - samples[0][0] + samples[1][0] - samples[0][0]
    log = Log(zone=zone_information(480, "Pacific Standard Time"))
    for kind, time, message in messages:
        if kind in (TITLES, LIST):
            log.message(kind, time, message)
    clock_at, turn = [], 0
    for _, message in samples:
        clock_at.append(clocks_in(message))
    while len(log.buffers) * log.size < size:
        for (time, message), places in zip(samples, clock_at):
            later = bytearray(message)
            for at in places:
                struct.pack_into("<Q", later, at, struct.unpack_from("<Q", later, at)[0] + turn * span)
            log.message(SAMPLE, time + turn * span, bytes(later))
        turn += 1
    return log


def clocks_in(message):
    """Where a sample has times, or clocks of 100 ns: all 8 bytes that can be one."""
    places, at = [], 0
    while at + 8 <= len(message):
        value, = struct.unpack_from("<Q", message, at)
        if 125911584000000000 < value < 140000000000000000:  # 2000 to 2044
            places.append(at)
        at += 4
    return places


if __name__ == "__main__":
    lengthen(sys.argv[1], int(sys.argv[2]) * 10**6).save(sys.argv[3])
