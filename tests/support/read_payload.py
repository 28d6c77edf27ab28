"""What stands behind a record's header: codecs, metadata, blocks (read_log.py)."""
import ctypes
import struct
from ctypes import c_size_t, c_uint64

MAX_COPIES = 262_144
XXH3 = ctypes.CDLL("libxxhash.so.0").XXH3_64bits_withSeed
XXH3.restype, XXH3.argtypes = c_uint64, (ctypes.c_char_p, c_size_t, c_uint64)
ZSTD = ctypes.CDLL("libzstd.so.1")
ZSTD.ZSTD_getFrameContentSize.restype = c_uint64
ZSTD.ZSTD_findFrameCompressedSize.restype = ZSTD.ZSTD_decompress.restype = c_size_t


class Damaged(Exception):
    """Bytes that do not add up."""


class TooNew(Exception):
    """Something that only a newer program understands."""


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
            raise TooNew("critical tag %d" % tag)
        if v.left() >= struct.calcsize("<" + fixed):
            value = [x.hex() if isinstance(x, bytes) else x for x in v.unpack(fixed)]
            if not fixed or tag in (13, 16, 20):
                value.append(v.take(v.left()).decode("utf-8", "replace"))
            out[tag] = value if len(value) > 1 else value[0]
    return {"tags": out}


def parse_titl(c):
    names = {}
    while c.left():
        index, (kind, language) = c.varint(), c.unpack("BH")
        value = c.take(c.varint())
        if index >> 32:
            raise Damaged("title index of more than 32 bits")
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


# ---- section 9: from blocks to values --------------------------------------
def values_of(block, titles):
    big = block[:8] == "PERF".encode("utf-16-be") or block[8:12] == bytes(4)
    order, utf16 = (">", "utf-16-be") if big else ("<", "utf-16-le")

    def get(layout, at):
        try:
            found = struct.unpack_from(order + layout, block, at)
        except struct.error:
            raise Damaged("block stops inside a structure") from None
        return found if len(found) > 1 else found[0]

    clocks = 52 if get("I", 80) == 84 and get("I", 84) != 88 else 56
    at, objects, rows = get("I", 24), [], []
    for _ in range(get("I", 28)):
        if at >= len(block):
            break
        length, data, head, title = get("4I", at)
        count, counters, instances = get("i", at + 40), [], []
        if not 48 <= head <= data <= length <= len(block) - at or count < -1:
            raise Damaged("lengths of object %d" % title)
        if head == 48 and count == 0 and data < length:
            count = -1
        p, data, end = at + head, at + data, at + length
        for _ in range(get("I", at + 32)):
            counters.append((get("I", p + 4), get("I", p + 28), get("2I", p + 32)))
            p += max(get("I", p), 40)
        for _ in range(1 if count == -1 else count):
            name, parent = None, (0, 0)
            if count >= 0:
                parent, (start, n) = get("2I", data + 4), get("2I", data + 16)
                name = block[data + start:data + start + n].decode(utf16, "replace").split("\0")[0]
                data += max(get("I", data), 24)
            instances.append((name, parent, data, get("I", data)))
            data += max(get("I", data), 4)
        if p > at + get("I", at + 4) or data > end:
            raise Damaged("parts of object %d" % title)
        objects.append((title, counters, instances))
        at = end
    of_title = {title: instances for title, _, instances in objects}
    for title, counters, instances in objects:
        for name, (parent, number), p, length in instances:
            up = of_title.get(parent, ())[number:number + 1]
            for index, kind, (size, offset) in counters:
                if size in (4, 8) and offset + size <= length:
                    rows.append((titles.get(title, str(title)), up[0][0] if up else None, name,
                                 titles.get(index, str(index)), kind,
                                 get("I" if size == 4 else "Q", p + offset)))
    names = ("perf_time", "perf_freq", "perf_time_100ns")
    return dict(zip(names, get("3q", clocks)), values=rows)
