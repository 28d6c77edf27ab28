"""What stands behind a record's header: codecs, metadata, blocks (read_log.py)."""
import ctypes
import struct
from ctypes import c_size_t, c_uint64

CAP, MAX_COPIES, MAX_TITLES = 67_108_864, 262_144, 262_144
MAX_OBJECTS, MAX_COUNTERS, MAX_INSTANCES = 16_384, 4_096, 1_048_576
XXH3 = ctypes.CDLL("libxxhash.so.0").XXH3_64bits_withSeed
XXH3.restype, XXH3.argtypes = c_uint64, (ctypes.c_char_p, c_size_t, c_uint64)
ZSTD = ctypes.CDLL("libzstd.so.1")
ZSTD.ZSTD_getFrameContentSize.restype = c_uint64
ZSTD.ZSTD_findFrameCompressedSize.restype = ZSTD.ZSTD_decompress.restype = c_size_t


class Damaged(Exception):
    """Bytes that do not add up."""


class TooNew(Exception):
    """Something that only a newer program understands."""


class SessionTooNew(TooNew):
    """The same, and the rest of its session must not be read."""


def is_critical(kind):
    return not ord(kind[0]) & 0x20


def hash_of(seed, data):
    return XXH3(data, len(data), seed)


# ---- section 7: from payloads to blocks ------------------------------------
def unzip(p, least, most):
    n = c_size_t(len(p))
    size = ZSTD.ZSTD_getFrameContentSize(p, n)
    if p[:4] != b"\x28\xb5\x2f\xfd" or not least <= size <= most or \
            ZSTD.ZSTD_findFrameCompressedSize(p, n) != len(p):
        raise Damaged("not exactly one frame of the right size")
    out = ctypes.create_string_buffer(size + 1)
    if ZSTD.ZSTD_decompress(out, c_size_t(size), p, n) != size:
        raise Damaged("frame cannot be decoded")
    return out.raw[:size]


class Cursor:
    def __init__(self, data):
        self.data, self.at = data, 0

    def left(self):
        return len(self.data) - self.at

    def take(self, n):
        if n > self.left():
            raise Damaged("stops inside a structure")
        self.at += n
        return self.data[self.at - n:self.at]

    def unpack(self, layout):
        return struct.unpack("<" + layout, self.take(struct.calcsize("<" + layout)))

    def varint(self):
        value = 0
        for shift in range(0, 70, 7):
            byte = self.take(1)[0]
            value |= (byte & 0x7F) << shift
            if byte < 0x80 and not value >> 64:
                return value
        raise Damaged("number of more than 64 bits")


def rebuild(tokens, ref, raw_len):
    c, out, size = Cursor(tokens), [], raw_len // 8
    words = struct.unpack("<%dQ" % (len(ref) // 8), ref[:len(ref) // 8 * 8])
    num = c.varint()
    if raw_len % 8 or num > MAX_COPIES:
        raise Damaged("length or number of copies")
    for src, count in [(c.varint(), c.varint()) for _ in range(num)]:
        stop = len(out) + count
        if not count or stop > size or (src and src - 1 + count > len(words)):
            raise Damaged("copy reaches outside")
        if not src:
            out += struct.unpack("<%dQ" % count, c.take(8 * count))
        shift = src - 1 - len(out)  # from a new word to its prediction
        while len(out) < stop:
            equal, differ = c.varint(), c.varint()
            if not 0 < equal + differ <= stop - len(out):
                raise Damaged("run reaches outside")
            out += words[len(out) + shift:len(out) + shift + equal]
            for _ in range(differ):
                d = c.varint()
                d = -(d + 1) // 2 if d & 1 else d // 2
                out.append((words[len(out) + shift] + d) % 2**64)
    if len(out) != size or c.left():
        raise Damaged("stream does not add up")
    return struct.pack("<%dQ" % size, *out)


def decode(r, payload, ref=None):
    if r.codec > 3:
        raise TooNew("codec %d" % r.codec)
    if r.codec & 1:
        most = r.raw_len if r.codec == 1 else 2 * r.raw_len + 65536
        payload = unzip(payload, most if r.codec == 1 else 0, most)
    if r.codec >= 2:
        payload = rebuild(payload, ref, r.raw_len)
    if len(payload) != r.raw_len or hash_of(r.session, payload) != r.raw_hash:
        raise Damaged("decoded bytes have another hash")
    return payload


# ---- sections 5, 6 and 8: the other payloads -------------------------------
FIXED = {2: "Q", 3: "16s", 6: "I", 7: "I", 8: "I", 9: "Q", 11: "I", 13: "i", 16: "Q", 20: "32s",
         25: "QQ"}
SHORT = {"gaps": ("qqQQIIi4x", "utc_first utc_last boot_first boot_last count cause errno"),
         "ends": ("QIIII", "last_index samples missed reason errno"),
         "note": ("H2x", "kind"), "indx": ("QQI4x", "self prev count")}


def parse_sess(c):
    """Tag: value, its fixed part first where there is one."""
    out = {}
    while c.left():
        tag, flags, length = c.unpack("HHI")
        v, fixed = Cursor(c.take(length)), FIXED.get(tag, "")
        if flags & 0x8000 and (tag > 25 or tag in (0, 17, 23, 24)):
            raise SessionTooNew("critical tag %d" % tag)
        if v.left() >= struct.calcsize("<" + fixed):
            value = [x.hex() if isinstance(x, bytes) else x for x in v.unpack(fixed)]
            if not fixed or tag in (13, 16, 20):
                value.append(v.take(v.left()).decode("utf-8", "replace"))
            out[tag] = value if len(value) > 1 else value[0]
    return {"tags": out}


def counts(kind, value):
    """False: an entry that is skipped."""
    c = Cursor(value)
    try:
        if kind == 2:
            n, = c.unpack("B")
            c.take(4 * n + 4)
            return n <= 4 and c.left() % 6 == 0
        if kind == 3:
            c.take(8)
            return c.left() % 4 == 0
    except Damaged:
        return False
    return kind <= 1 or kind == 4 and len(value) == 1


def parse_titl(c, names):
    """Fill 'names'; what stands before an error counts."""
    names.clear()
    num, last = 0, None
    while c.left():
        index, (kind, language) = c.varint(), c.unpack("BH")
        value = c.take(c.varint())
        if index >> 32 or num == MAX_TITLES or last and (index, kind, language) <= last:
            raise Damaged("title index, order or number")
        if not counts(kind, value):
            continue
        num, last = num + 1, (index, kind, language)
        if kind == 0 and (index not in names or language == 9):
            names[index] = value.decode("utf-8", "replace")
    return names


IDEN = {1: "command_line", 4: "executable", 5: "user", 6: "user_name", 7: "control_group", 8: "parent",
        9: "parent_name"}


def parse_iden(c):
    """Processes in the order of the payload; texts as latin-1, so that any byte is one character."""
    out = []
    while c.left():
        entry = Cursor(c.take(c.unpack("I")[0]))
        pid, start = entry.unpack("QQ")
        one = {"pid": pid, "start": start}
        while entry.left():
            tag, = entry.unpack("B")
            value = Cursor(entry.take(entry.varint()))
            if tag in (2, 3):
                one["cut" if tag == 2 else "left_out"] = True
            elif tag == 5 and value.left() >= 4:
                one["user"], = value.unpack("I")
            elif tag == 8 and value.left() >= 16:
                one["parent"] = value.unpack("QQ")
            elif tag in IDEN and tag not in (5, 8):
                one[IDEN[tag]] = value.take(value.left()).decode("latin-1")
        out.append(one)
    return {"processes": out}


def parse_short(kind, c):
    layout, names = SHORT[kind]
    out = dict(zip(names.split(), c.unpack(layout)))
    if kind == "note":
        out["text"] = c.take(c.left()).decode("utf-8", "replace")
    if kind == "indx":
        out["chunks"] = [c.unpack("QqqQII") for _ in range(out["count"])]
        if c.left():
            raise Damaged("number of chunks")
    return out
