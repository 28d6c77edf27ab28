"""A reader of Parquet files, written from the format's specification alone.

rows(path) gives the names of the columns and the rows, None for null.  It reads
what perflog writes: optional columns without nesting, data pages of version 1,
PLAIN, RLE_DICTIONARY and DELTA_BINARY_PACKED, zstd.  Shares no code with perflog.
"""
import ctypes
import struct

ZSTD = ctypes.CDLL("libzstd.so.1")
ZSTD.ZSTD_decompress.restype = ctypes.c_size_t
INT64, DOUBLE, TEXT = 2, 5, 6
UINT_64 = 14


class Thrift:
    """The compact protocol: a structure as a dictionary by field number."""

    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def varint(self):
        value = shift = 0
        while True:
            b = self.byte()
            value |= (b & 127) << shift
            shift += 7
            if b < 128:
                return value

    def zigzag(self):
        v = self.varint()
        return v >> 1 ^ -(v & 1)

    def value(self, kind):
        if kind in (1, 2):
            return kind == 1
        if kind == 3:
            return self.byte()
        if kind in (4, 5, 6):
            return self.zigzag()
        if kind == 8:
            n = self.varint()
            self.at += n
            return self.data[self.at - n:self.at]
        if kind == 9:
            head = self.byte()
            return [self.value(head & 15) for _ in range(head >> 4 if head >> 4 < 15 else self.varint())]
        assert kind == 12, kind
        return self.struct()

    def struct(self):
        fields, last = {}, 0
        while head := self.byte():
            last = last + (head >> 4) if head >> 4 else self.zigzag()
            fields[last] = self.value(head & 15)
        return fields


def unpacked(data, size):
    out = ctypes.create_string_buffer(size)
    assert ZSTD.ZSTD_decompress(out, size, data, len(data)) == size
    return out.raw


def hybrid(data, width, num):
    t, out = Thrift(data), []
    while len(out) < num:
        head = t.varint()
        if head & 1:
            n = (head >> 1) * width
            bits = int.from_bytes(data[t.at:t.at + n], "little")
            out += [bits >> i * width & (1 << width) - 1 for i in range((head >> 1) * 8)]
        else:
            n = (width + 7) // 8
            out += [int.from_bytes(data[t.at:t.at + n], "little")] * (head >> 1)
        t.at += n
    return out[:num]


def delta(data, num):
    t = Thrift(data)
    block, parts, total, value = t.varint(), t.varint(), t.varint(), t.zigzag()
    assert total == num
    out = [value] if num else []
    while len(out) < num:
        least = t.zigzag()
        widths = [t.byte() for _ in range(parts)]
        for width in widths:
            if len(out) == num:
                break
            n = block // parts * width // 8
            bits = int.from_bytes(data[t.at:t.at + n], "little")
            t.at += n
            for i in range(min(block // parts, num - len(out))):
                value = (value + least + (bits >> i * width & (1 << width) - 1) + (1 << 63)) % (1 << 64) - (1 << 63)
                out.append(value)
    assert t.at == len(data)
    return out


def plain(data, kind, converted, num):
    if kind != TEXT:
        return list(struct.unpack_from("<%d%s" % (num, "d" if kind == DOUBLE else "Q" if converted == UINT_64 else "q"),
                                       data))
    out, at = [], 0
    for _ in range(num):
        n, = struct.unpack_from("<I", data, at)
        out.append(data[at + 4:at + 4 + n].decode())
        at += 4 + n
    return out


def page(data, at):
    t = Thrift(data, at)
    head = t.struct()
    return head, unpacked(data[t.at:t.at + head[3]], head[2]), t.at + head[3]


def column(data, chunk, converted):
    meta = chunk[3]
    kind, at = meta[1], meta.get(11, meta[9])
    entries = None
    if 11 in meta:
        head, raw, at = page(data, at)
        entries = plain(raw, kind, converted, head[7][1])
    assert at == meta[9]
    head, raw, at = page(data, at)
    assert at - meta.get(11, meta[9]) == meta[7]
    num = head[5][1]
    assert {head[5][2], head[5][3]} <= set(meta[2]), meta[2]
    n, = struct.unpack_from("<I", raw)
    levels, raw = hybrid(raw[4:4 + n], 1, num), raw[4 + n:]
    if head[5][2] == 8:
        values = [entries[i] for i in hybrid(raw[1:], raw[0], sum(levels))]
    elif head[5][2] == 5:
        values = delta(raw, sum(levels))
    else:
        values = plain(raw, kind, converted, sum(levels))
    check_statistics(meta, kind, converted, values, num)
    values = iter(values)
    return [next(values) if level else None for level in levels]


def check_statistics(meta, kind, converted, values, num):
    """Nulls and the range are as stated."""
    stated = meta[12]
    assert stated[3] == num - len(values)
    if 5 in stated:
        least, greatest = (stated[i].decode() if kind == TEXT else plain(stated[i], kind, converted, 1)[0]
                           for i in (6, 5))
        assert (least, greatest) == (min(values), max(values)), (least, greatest)


def rows(path):
    with open(path, "rb") as f:
        data = f.read()
    assert data[:4] == data[-4:] == b"PAR1"
    n, = struct.unpack_from("<I", data, len(data) - 8)
    meta = Thrift(data[-8 - n:-8]).struct()
    schema = meta[2][1:]
    out = []
    for group in meta[4]:
        columns = [column(data, c, s.get(6)) for c, s in zip(group[1], schema)]
        assert all(len(c) == group[3] for c in columns)
        out += zip(*columns)
    assert len(out) == meta[3]
    return [s[4].decode() for s in schema], out
