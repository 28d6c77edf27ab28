"""Raw items of a Windows binary log (.blg), as far as tests need them: no damage, no whole blocks.

Yields what PDH stored, nothing calculated: names, type words, raw values and their clocks.
"""
import collections
import struct

Entry = collections.namedtuple("Entry", "machine object instance counter type time_base")
# One counter of one instance in one sample.  status 0 and 1 are good.
Item = collections.namedtuple("Item", "entry instance status first second")


def text_at(data, at):
    end = at
    while data[end:end + 2] != b"\0\0":
        end += 2
    return data[at:end].decode("utf-16-le")


def messages(data):
    """(kind, local FILETIME, bytes) of every message, its parts joined."""
    size, = struct.unpack_from("<I", data)
    parts = b""
    for buffer in range(0, len(data), size):
        filled, = struct.unpack_from("<I", data, buffer + 0x30)
        at = 0x48
        while at + 8 <= filled:
            p = buffer + at
            system = data[p + 2] in (1, 2)
            length, = struct.unpack_from("<H", data, p + (4 if system else 0))
            if not system:
                time, = struct.unpack_from("<Q", data, p + 0x10)
                part, of = struct.unpack_from("<II", data, p + 0x40)
                parts = (b"" if part == 1 else parts) + data[p + 0x48:p + length]
                if part == of:
                    yield struct.unpack_from("<I", data, p + 4)[0] & 0xFF, time, parts
            at += (length + 7) // 8 * 8


def entries(data):
    at = 8
    while at + 0x34 <= len(data):
        length, _, _, kind, base = struct.unpack_from("<IIIIQ", data, at)
        names = [None if offset == 0xFFFFFFFF else text_at(data, at + 0x34 + offset)
                 for offset in struct.unpack_from("<5I", data, at + 0x1C)[:3]
                 + struct.unpack_from("<I", data, at + 0x30)]
        yield Entry(*names, kind, base)
        at += length


def items(record, entry):
    """Of kind 01 one, of kind 02 one per instance."""
    if record[3] == 1:
        status, first, second = struct.unpack_from("<I12xqq", record, 8)
        yield Item(entry, entry.instance, status, first, second)
    elif record[3] == 2:
        num, status = struct.unpack_from("<II", record, 0xC)
        for i in range(num):
            name, _, first, second = struct.unpack_from("<IIqq", record, 0x20 + 24 * i)
            yield Item(entry, text_at(record, 8 + name), status, first, second)


def samples(path):
    """(local FILETIME, items) of every sample."""
    with open(path, "rb") as f:
        data = f.read()
    known = []
    for kind, time, message in messages(data):
        if kind == 0x20:
            known = list(entries(message))
        elif kind == 0x22:
            at, found = 8, []
            for entry in known:
                length, = struct.unpack_from("<I", message, at + 4)
                found += items(message[at:at + length], entry)
                at += length
            yield time, found
