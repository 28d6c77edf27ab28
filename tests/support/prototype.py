"""What a log's samples should take: codec 3 of format/FORMAT.md, written a second time.

Shares no code with perflog's writer, and looks for the parts of a block in the block before by
other means: instances by name and identity over the whole object, words one by one.
"""
import ctypes
import struct
from ctypes import c_size_t

from read_payload import ZSTD

HEADER, CHUNK = 72, 60
IDENTITY = {684, 784, 804}  # Elapsed Time, ID Process, ID Thread
KEY_LEVEL, DELTA_LEVEL = 3, 1
ZSTD.ZSTD_compress.restype = ZSTD.ZSTD_compressBound.restype = c_size_t
ZSTD.ZSTD_compressBound.argtypes = [c_size_t]


def zipped(data, level):
    room = ZSTD.ZSTD_compressBound(len(data))
    out = ctypes.create_string_buffer(room)
    return ZSTD.ZSTD_compress(out, c_size_t(room), data, c_size_t(len(data)), level)


def record(payload):
    return HEADER + (payload + 7) // 8 * 8


def words_of(block):
    return struct.unpack("<%dQ" % (len(block) // 8), block)


# ---- what predicts what ----------------------------------------------------
def identity_offsets(block, at):
    """Where in a counter block of the object at 'at' stands what tells two of one name apart."""
    header, = struct.unpack_from("<I", block, at + 8)
    counters, = struct.unpack_from("<I", block, at + 32)
    for d in range(at + header, at + header + 40 * counters, 40):
        if struct.unpack_from("<I", block, d + 4)[0] in IDENTITY:
            yield struct.unpack_from("<I", block, d + 36)[0]


def parts(block):
    """(name of the part, offset, length) for the header, each object's definition and instance."""
    at, = struct.unpack_from("<I", block, 24)
    yield "header", 0, at
    while at < len(block):
        total, define, _, title = struct.unpack_from("<4I", block, at)
        instances, = struct.unpack_from("<i", block, at + 40)
        yield (title,), at, define
        identity = list(identity_offsets(block, at))
        p, seen = at + define, {}
        while p < at + total:
            size = 0
            name = None
            if instances >= 0:
                size, _, _, unique, start, length = struct.unpack_from("<6I", block, p)
                name = unique, block[p + start:p + start + length]
            values, = struct.unpack_from("<I", block, p + size)
            name = name, *(block[p + size + i:p + size + i + 8] for i in identity)
            nth = seen[name] = seen.get(name, 0) + 1
            yield (title, name, nth), p, size + values
            p += size + values
        at += total


def places(block):
    return {name: (at, length) for name, at, length in parts(block)}


def copies(block, known):
    """[source word + 1 or 0 for none, first word, end] in order, as few as follow on each other."""
    found = []
    for name, at, length in parts(block):
        source, same = known.get(name, (0, -1))
        source = source // 8 + 1 if same == length else 0
        at, end = at // 8, (at + length) // 8
        last = found[-1] if found else None
        if last and bool(last[0]) == bool(source) and (not source or last[0] - last[1] == source - at):
            last[2] = end
        else:
            found.append([source, at, end])
    return found


# ---- tokens ----------------------------------------------------------------
def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return out


def zigzag(difference):
    d = (difference + 2**63) % 2**64 - 2**63
    return d * 2 if d >= 0 else -d * 2 - 1


def tokens_of(block, ref, known):
    new, old = words_of(block), words_of(ref)
    ops = copies(block, known)
    out = varint(len(ops))
    for source, at, end in ops:
        out += varint(source) + varint(end - at)
    for source, at, end in ops:
        if not source:
            out += block[at * 8:end * 8]
            continue
        shift = source - 1 - at
        while at < end:
            equal = at
            while equal < end and new[equal] == old[equal + shift]:
                equal += 1
            differ = equal
            while differ < end and new[differ] != old[differ + shift]:
                differ += 1
            out += varint(equal - at) + varint(differ - equal)
            for i in range(equal, differ):
                out += varint(zigzag(new[i] - old[i + shift]))
            at = differ
    return bytes(out)


def sizes(blocks):
    """Bytes of each block's record."""
    ref, known = None, {}
    for n, block in enumerate(blocks):
        if n % CHUNK == 0 or len(block) % 8:
            yield record(zipped(block, KEY_LEVEL))
        else:
            yield record(zipped(tokens_of(block, ref, known), DELTA_LEVEL))
        ref, known = block, places(block)
