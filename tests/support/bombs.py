"""Hostile logs, made from format/FORMAT.md: small files that ask for much.

BOMBS maps a name to a function that returns the log's bytes and the work it may cost: the bytes
that all its payloads come to when they are decoded (each counted as often as it must be decoded).
"""
import ctypes
import itertools
import random
import struct

from read_payload import ZSTD, hash_of
from write_log import SECOND, SESSION, Log, block_of, object_of, padded, text16, title, varint

MIB = 1 << 20
MORE_THAN_KEPT = 5  # large payloads: all of them would be more than any command may have at once
CAP = 64 * MIB  # of a payload, and of a block
RAWCOUNT = 0x00010100
START = 1_795_262_400 * SECOND  # 2026-11-21 12:00:00 UTC

ZSTD.ZSTD_compress.restype = ZSTD.ZSTD_compressBound.restype = ctypes.c_size_t


def zipped(data, level=1):
    room = ctypes.create_string_buffer(ZSTD.ZSTD_compressBound(ctypes.c_size_t(len(data))))
    n = ZSTD.ZSTD_compress(room, ctypes.c_size_t(len(room)), data, ctypes.c_size_t(len(data)), level)
    return room.raw[:n]


class Bomb(Log):
    """A log whose records may be anything, with good hashes all the same."""

    def __init__(self, names=None, **more):
        self.parts, self.work = [], 0
        super().__init__(names or {2: b"System", 4: b"Count"}, **more)
        self.collect()

    def collect(self):
        self.parts.append(self.data)
        self.data = b""

    def put(self, kind, stored, raw_len=None, raw_hash=None, codec=0, ref=0, utc=START,
            session=SESSION, seq=None):
        raw_len = len(stored) if raw_len is None else raw_len
        raw_hash = hash_of(session, stored) if raw_hash is None else raw_hash
        head = struct.pack("<4s4sQIHBBqqIIQQ", b"\x89PL1", kind, session,
                           self.seq if seq is None else seq, ref, codec, 0, utc, utc, len(stored),
                           raw_len, raw_hash, hash_of(session, padded(stored)))
        self.parts.append(head + struct.pack("<Q", hash_of(0, head)) + padded(stored))
        self.seq += seq is None
        self.work += raw_len

    def key(self, block, **more):
        self.put(b"SMPL", zipped(block), len(block), hash_of(SESSION, block), codec=1, **more)

    def delta(self, tokens, block, codec=2, ref=1, **more):
        stored = zipped(tokens) if codec == 3 else tokens
        self.put(b"SMPL", stored, len(block), hash_of(SESSION, block), codec=codec, ref=ref, **more)

    def pack(self, samples, parts):
        content = b"".join(varint(len(p)) for p in parts) + b"".join(parts)
        self.put(b"PACK", struct.pack("<IIqq", samples, samples, START, START) + zipped(content), len(content),
                 hash_of(SESSION, content), codec=4, ref=samples)
        self.seq += samples - 1

    def titles(self, names, facts=None):
        entries = {(i, 0, 9): name for i, name in names.items()}
        entries.update({(i, 2, 0): fact for i, fact in (facts or {}).items()})
        self.put_titles(b"".join(title(*key, value) for key, value in sorted(entries.items())))

    def put_titles(self, raw):
        self.put(b"TITL", zipped(raw), len(raw), hash_of(SESSION, raw), codec=1)

    def done(self, more_work=0):
        self.collect()
        return b"".join(self.parts), self.work + more_work


def block(objects, tick):
    return padded(block_of(objects, tick * 10_000_000, 10_000_000,
                           116444736000000000 + START // 100 + tick * 10_000_000))


def fast_object(index, counters, names, spread=False):
    """Like object_of, for very many: counters share their bytes unless they are spread."""
    size = 8 + 8 * (len(counters) if spread else 1)
    definitions = b"".join(
        struct.pack("<10I", 40, title_, 0, 0, 0, 0, 100, RAWCOUNT, 8, 8 + 8 * k if spread else 8)
        for k, title_ in enumerate(counters))
    data = struct.pack("<II", size, 0) + bytes(size - 8)
    body = []
    for name in names:
        raw = text16(name)
        named = padded(raw)
        body.append(struct.pack("<IIIiII", 24 + len(named), 0, 0, -1, 24, len(raw)) + named + data)
    body = b"".join(body)
    head = 64 + len(definitions)
    return struct.pack("<9IiiIqq", head + len(body), head, 64, index, 0, 0, 0, 100, len(counters), 0,
                       len(names), 0, 0, 0) + definitions + body


def plain(tick, value=7):
    return block([object_of(2, [(4, RAWCOUNT, 8)], [(None, [value])])], tick)


# ---- bytes out of nothing ------------------------------------------------------
def zstd_zeros():
    """A few KiB that come to 64 MiB, again and again, and are no block."""
    b = Bomb()
    zeros = bytes(CAP)
    stored, proof = zipped(zeros), hash_of(SESSION, zeros)
    for _ in range(MORE_THAN_KEPT):
        b.put(b"SMPL", stored, CAP, proof, codec=1)
    return b.done()


def zstd_lies():
    """Frames that declare windows, sizes and dictionaries they do not have."""
    b = Bomb()
    for head in (b"\x00\xff", b"\xe0" + struct.pack("<Q", 2**63), b"\xa0" + struct.pack("<I", CAP),
                 b"\xa3" + struct.pack("<II", 1, CAP), b"\x20\x01", b"\x80\xff" + struct.pack("<I", CAP)):
        for raw_len in 1, 4096, CAP:
            b.put(b"SMPL", b"\x28\xb5\x2f\xfd" + head + b"\x01\x00\x00", raw_len, 1, codec=1)
            b.put(b"TITL", b"\x28\xb5\x2f\xfd" + head + b"\x01\x00\x00", raw_len, 1, codec=1)
    for _ in range(50):
        b.key(plain(b.seq))
    return b.done()


def zstd_skippable():
    """64 KiB of empty skippable frames before anything else."""
    b = Bomb()
    for _ in range(8):
        b.put(b"SMPL", b"\x50\x2a\x4d\x18\x00\x00\x00\x00" * 8192, CAP, 1, codec=1)
    return b.done()


def zstd_titles():
    """Titles up to the cap, others in each record."""
    b = Bomb()
    for k in range(4):
        b.put_titles(b"".join([title(i, 0, 9, b"%d" % k) for i in range(1, 262_144)]))
        b.key(plain(k))
    return b.done()


def noise_titles():
    """Long ones that cannot be compressed, others in each record."""
    b, random_ = Bomb(), random.Random(3)
    for k in range(4):
        b.titles({i: random_.randbytes(400) for i in range(1, 10_000)})
        b.key(plain(k))
    return b.done()


def facts_many():
    """Facts about as many objects as count, and about all counters of some."""
    b = Bomb()
    for k in range(3):
        facts = {i: b"\0" + struct.pack("<I", 0) for i in range(2, 16_000)}
        facts.update({i: b"\0" + struct.pack("<I", k) + b"".join(struct.pack("<IBB", n, 255, 1) for n in range(4096))
                      for i in range(16_000, 16_200)})
        b.titles({2: b"System", 4: b"Count"}, facts)
        b.key(plain(k))
    return b.done()


def huge_name():
    """One instance, one host and one title of many MiB."""
    b = Bomb({2: b"System", 4: b"C" * 4 * MIB}, host=b"h" * 4 * MIB)
    for k in range(2):
        b.key(block([fast_object(2, [4], ["n" * 8 * MIB])], k))
    return b.done(40 * MIB)


def tokens_copy():
    """Forty bytes of tokens that say: 16 MiB as before.  As much as is allowed: key_of_many."""
    b = Bomb()
    size = CAP // 4
    head = block_of([object_of(2, [(4, RAWCOUNT, 8)], [(None, [1])])], 0, 10_000_000, 0)
    big = head + bytes(size - len(head))
    b.key(big)
    n = varint(size // 8)
    for _ in range(MORE_THAN_KEPT):
        b.delta(varint(1) + varint(1) + n + n + varint(0), big)
    return b.done()


def tokens_many():
    """As many copies as are allowed, and more, each of one word; and runs of nothing."""
    b = Bomb()
    base = padded(plain(0)) + bytes(2 * MIB)
    base += bytes(-len(base) % 8)
    b.key(base)
    words = len(base) // 8
    copies = [varint(i % words + 1) + varint(1) for i in range(words)]
    for num, codec in ((262_144, 2), (words, 3), (2**32, 2), (2**64 - 1, 3)):
        b.delta(varint(num) + b"".join(copies) + varint(1) + varint(0), base, codec)
    b.delta(varint(1) + varint(1) + varint(words) + bytes(4 * len(base)), base, 3)
    b.delta(varint(1) + varint(2**64 - 1) + varint(2**64 - 1) + bytes(99), base)
    return b.done(10 * len(base))


def noise(to_key=False):
    """Blocks that no coding makes smaller, as differences that are as long."""
    b, tick = Bomb(), itertools.count()
    noise, size, head = random.Random(4), 4 * MIB, 64 + 40

    def fresh():
        """An object that does not add up is kept whole, whatever is chosen of it."""
        return block([struct.pack("<9IiiIqq", head + size, head, 64, 2, 0, 0, 0, 100, 1, 0, 1, 0, 0, 0) +
                      struct.pack("<10I", 40, 4, 0, 0, 0, 0, 100, RAWCOUNT, 8, 8) + bytes(8) +
                      noise.randbytes(size - 8)], next(tick))
    b.key(fresh())
    for k in range(1, 7):
        big = fresh()
        b.delta(varint(1) + varint(0) + varint(len(big) // 8) + big, big, codec=3, ref=k if to_key else 1)
    return b.done(7 * size)


def noise_to_key():
    return noise(True)


def tokens_long():
    """A difference as long as is allowed for its block, of numbers that are no shorter than is allowed."""
    b = Bomb()
    head, size = plain(0), 4 * MIB
    long_one, long_two = b"\x81" + b"\x80" * 8 + b"\0", b"\x82" + b"\x80" * 8 + b"\0"
    pairs = (size - len(head)) // 16
    rest = (size - len(head)) // 8
    tokens = varint(2) + varint(1) + varint(len(head) // 8) + varint(len(head) // 8 + 1) + varint(rest) + \
        varint(len(head) // 8) + varint(0) + (long_one + long_one + long_two) * pairs + \
        (varint(rest % 2) + varint(0)) * (rest % 2)
    b.key(head + bytes(8 * rest))
    for k in range(1, 5):
        b.delta(tokens, head + (bytes(8) + struct.pack("<Q", k)) * pairs + bytes(8) * (rest % 2), codec=3)
    return b.done(8 * len(tokens))


def key_of_many():
    """One large key, which thousands of tiny differences are to, after one that is as large."""
    b = Bomb()
    head = plain(0)
    big = head + bytes(CAP - len(head))
    b.key(big)
    b.delta(varint(1) + varint(1) + 2 * varint(CAP // 8) + varint(0), big)
    words = len(head) // 8
    for k in range(2, 1502):
        b.delta(varint(1) + varint(1) + 2 * varint(words) + varint(0), head, ref=k)
    return b.done(CAP)


# ---- lies about places and lengths ------------------------------------------------
def pack_rows():
    """A pack of few bytes whose layouts have 24 million rows of new words, none of which is stored."""
    b = Bomb()
    words = CAP // 8
    layout = varint(CAP) + varint(words << 1 | 1) + b"\1\0" * words
    b.pack(1, [b"\x30", varint(2 * START) + b"\0", bytes(4), b"", layout * 3, b"", b"", b"", b""])
    return b.done()


def pack_runs():
    """Packs of 80 bytes, each with one column whose runs say that it changes 16 million times."""
    b = Bomb()
    most = 4096
    layout = varint(8) + varint(1 << 1 | 1) + b"\1\0"
    for _ in range(200):
        b.pack(most, [b"\x30" * most, varint(2 * START) + bytes(2 * most - 1), bytes(4 * most), b"", layout, bytes(8),
                      b"\0" + varint(most << 1) + b"\1", (b"\0" + varint(most)) * most, b""])
    return b.done()


def pack_columns():
    """A pack of few bytes that has 400,000 columns, 100 of them in each of its samples, as every third word changes."""
    b = Bomb()
    words, samples = 300, 4096
    num, zeros = words * samples // 3, bytes(8 * words)
    layout = varint(8 * words) + varint(words << 1 | 1) + varint(words) + b"\0"
    b.pack(samples, [b"\x30" * samples, varint(2 * START) + bytes(2 * samples - 1),
                     struct.pack("<I", hash_of(SESSION, zeros) & 0xFFFFFFFF) * samples, b"", layout * samples,
                     bytes(24 * num), b"\2\2\1" * num, b"\0\1" * num, bytes(num)])
    return b.done()


def nested_headers():
    """Proven headers, each inside the payload of the one before, none with a good payload."""
    b = Bomb()
    size = 4 * MIB
    for at in range(0, size - 72, 72):
        claim = size - at - 72
        head = struct.pack("<4s4sQIHBBqqIIQQ", b"\x89PL1", b"SMPL", SESSION, b.seq, 0, 0, 0, START,
                           0, claim, claim, 1, 2)
        b.parts.append(head + struct.pack("<Q", hash_of(0, head)))
        b.seq += 1
    return b.done(20 * size)


def magic_everywhere():
    """Nothing but the first four bytes of a header, and half headers."""
    b = Bomb()
    b.key(plain(0))
    b.parts.append(b"\x89PL1" * MIB + b"\x89PL1SMPL" * (MIB // 2))
    b.key(plain(1))
    return b.done()


def huge_lengths():
    """Every record claims as much as there may be, and is not there."""
    b = Bomb()
    for k in range(2000):
        head = struct.pack("<4s4sQIHBBqqIIQQ", b"\x89PL1", b"SMPL", SESSION, b.seq, 0, k & 3, 0,
                           START, 0, CAP - 8 * k, CAP - 8 * k, 1, 2)
        b.parts.append(head + struct.pack("<Q", hash_of(0, head)) + bytes(104))
        b.seq += 1
        b.key(plain(k))
    return b.done()


def index_loops():
    """Indexes that lead to themselves, to each other, beyond the end, to places before 0."""
    b = Bomb()
    start = sum(map(len, b.parts))
    for k in range(300):
        b.key(plain(k), utc=START + k * SECOND)
        at = sum(map(len, b.parts))
        back = (at, at - 200, start, 2**64 - 8, 0, at + 400)[k % 6]
        b.put(b"indx", struct.pack("<QQI4x", at, back, 4) + b"".join(
            struct.pack("<QqqQII", place, -2**63, 2**63 - 1, 0, 0, 2**32 - 1)
            for place in (at, start, 2**63, 2**64 - 1)))
    for back in (0, 8, at, 2**64 - 1):
        b.put(b"ends", struct.pack("<QIIII", back, 1, 2**32 - 1, 9, 99))
    b.put(b"indx", struct.pack("<QQI4x", at, at, 10**6))
    b.put(b"indx", struct.pack("<QQI4x", at, at, 10**5) + bytes(40 * 10**5))
    return b.done()


# ---- very many of a kind ---------------------------------------------------------
def tiny_records():
    b = Bomb()
    for k in range(40_000):
        b.put((b"note", b"gaps", b"what", b"ends", b"indx")[k % 5], struct.pack("<HH", k % 7, 0))
    b.key(plain(1))
    return b.done()


def many_gaps():
    """Gaps and notes that are good, each with another cause and the widest times."""
    b = Bomb()
    for k in range(20_000):
        b.put(b"gaps", struct.pack("<qqQQIIi4x", -2**63, 2**63 - 1, 0, 2**64 - 1, 2**32 - 1, k, -k))
        b.put(b"note", struct.pack("<HH", 1 + k % 4, 0) + b"\x1b]0;x\x07 note\r\n")
    b.key(plain(1))
    return b.done()


def many_holes():
    """Every second number is missing."""
    b = Bomb()
    for k in range(20_000):
        b.seq += 1
        b.put(b"SMPL", plain(k))
    return b.done()


def sessions(host, num=4000, number=lambda k: SESSION + 1 + k):
    b = Bomb()
    for k in range(num):
        session = number(k)
        name, machine = host(k)
        facts = struct.pack("<HHI", 1, 0, len(name)) + name + \
            struct.pack("<HHIQ", 2, 0, 8, machine) + struct.pack("<HHI", 12, 0, 12) + b"little linux"
        b.put(b"SESS", facts, session=session, seq=0)
        b.put(b"SMPL", plain(k), session=session, seq=1, utc=START + k * SECOND)
    return b.done()


def bad_sessions():
    """Their records make no sense, or are coded in a way that no record of theirs is."""
    b = Bomb()
    b.parts.clear()
    for k in range(200):
        b.put(b"SESS", b"nonsense", session=SESSION + 1 + k, seq=0, codec=k % 2)
        for seq in 1, 2:
            b.put(b"SMPL", plain(k), session=SESSION + 1 + k, seq=seq, utc=START + (3 * k + seq) * SECOND)
    return b.done()


def many_sessions():
    return sessions(lambda k: (b"web", 1))


def many_hosts():
    return sessions(lambda k: (b"host%d" % k, 1))


def equal_hosts():
    """Other machines that call themselves alike: web, web#1, web#2 ..."""
    return sessions(lambda k: (b"web", k))


def going_sessions():
    """Two sessions that take turns at every record."""
    b = Bomb()
    for k in range(10_000):
        b.put(b"SMPL", plain(k), session=SESSION + k % 2 + 1, seq=k // 2)
    return b.done()


# ---- blocks at their caps -----------------------------------------------------------
def instances(num=30_000):
    """Very many instances, the same twice, then all others."""
    b = Bomb()
    for k, names in enumerate((range(num), range(num), range(num, 2 * num))):
        b.key(block([fast_object(2, [4], ["i%d" % i for i in names])], k))
    return b.done()


def stated(ends_at, titles_at, title_, names):
    """The payload of an ends that states an object beside one sample, and the length of its content unpacked."""
    named = block([fast_object(title_, [4], names)], 0)
    content = struct.pack("<QQQIIQI", ends_at, titles_at, 1, 1, title_, 1, 4 + len(named)) + named
    stored = zipped(content)
    whole = padded(struct.pack("<QIIII", 0, 1, 0, 1, 0) + struct.pack(
        "<IIIIQ", 1, len(content), len(stored), 0, hash_of(SESSION, content)) + stored)
    return whole + struct.pack("<Q", len(whole) + 8), len(content)


def stated_names(num=100_000):
    """An ends that states very many names beside one sample, which has another."""
    b = Bomb()
    titles_at = b"".join(b.parts).index(b"\x89PL1TITL")
    b.key(plain(0))
    payload, content = stated(sum(map(len, b.parts)), titles_at, 2, [str(i % 7) for i in range(num)])
    b.put(b"ends", payload)
    return b.done(content)


def pack_of_one(block_):
    """The payload of a PACK of one sample, and its content."""
    words = [block_[i:i + 8] for i in range(0, len(block_), 8)]
    parts = [b"\x30", varint(2 * START) + varint(0), struct.pack("<I", hash_of(SESSION, block_) & 0xFFFFFFFF), b"",
             b"".join(varint(n) for n in (len(block_), 2 * len(words) + 1, len(words), 0)),
             b"".join(b"\0" + word for word in reversed(words)), b"", b"", b"", b"", b""]
    content = b"".join(varint(len(p)) for p in parts) + b"".join(parts)
    return struct.pack("<IIqq", 1, 1, START, START) + zipped(content), content


def stated_counts(num=43_000):
    """An ends that states very many notes of packs that are not read, as they are neither the first ones nor the last."""
    b = Bomb()
    head, junk = struct.pack("<IIqq", 4096, 1, START, START), bytes(64)
    payload, content = pack_of_one(plain(0))
    for k in range(5):
        if k in (2, 3):
            b.put(b"PACK", head + zipped(junk), 64, hash_of(SESSION, junk), codec=5, ref=1)
            b.seq += 4095
        else:
            b.put(b"PACK", payload, len(content), hash_of(SESSION, content), codec=5, ref=1)
    at = sum(map(len, b.parts))
    content = struct.pack("<QQQqqIIIIIQ", at, 5, 5 * len(plain(0)), START, START, 1, 2, 1, 0, 7, 5)
    content += b"".join(struct.pack("<4sIqIHH", b"note", 4 + i // 6, START + i, 4, 1 + i % 5, 0) for i in range(num))
    stored = zipped(content)
    whole = struct.pack("<QIIII", 0, 5, 0, 1, 0) + struct.pack("<IIIIQ", 0, 0, 0, 0, hash_of(SESSION, b""))
    whole += struct.pack("<IIIIQ", 1, len(content), len(stored), 0, hash_of(SESSION, content)) + padded(stored)
    b.put(b"ends", whole + struct.pack("<Q", len(whole) + 8))
    return b.done(len(content))


def equal_names(num=10_000):
    """Instances of one name, which get numbers; some bear such numbers already."""
    b = Bomb()
    for k in range(3):
        names = ["x#%d" % i for i in range(0, num, 2)] + ["x"] * 3 * num + ["x#1"] * num
        b.key(block([fast_object(2, [4], names)], k))
    return b.done()


def equal_identities():
    """Every instance is the same process by its numbers, under another name in each sample."""
    fact = struct.pack("<B2II", 2, 4, 5, 0)
    b = Bomb()
    b.titles({2: b"Process", 4: b"ID", 5: b"Start"}, {2: fact})
    for k in range(3):
        b.key(block([fast_object(2, [4, 5], ["%d-%d" % (k, i) for i in range(30_000)])], k))
    return b.done()


def identities_many(num=2000):
    """Very many objects whose instances have identities, called by numbers that fall."""
    b = Bomb()
    titles = range(20 * num, 0, -20)
    b.titles({}, {t: struct.pack("<B2II", 2, t + 1, t + 2, 0) for t in titles})
    for k in range(3):
        b.key(block([fast_object(t, range(t + 16, t, -1), ["a", "b"], spread=True) for t in titles], k))
    return b.done()


def identities_unswept():
    """Very many processes with identities, then malformed blocks, which do not show the processes that ended."""
    b = Bomb()
    texts = bytes([4, 127]) + bytes(127) + bytes([7, 127]) + bytes(127)
    raw = b"".join(struct.pack("<IQQ", 16 + len(texts), pid, 1) + texts for pid in range(30_000))
    b.put(b"iden", zipped(raw), len(raw), hash_of(SESSION, raw), codec=1)
    torn = padded(plain(0)[:-16])
    for _ in range(20_000):
        b.key(torn)
    return b.done()


def objects():
    """As many objects as a block may have and more, others in each sample."""
    b = Bomb()
    for k in range(4):
        b.key(block([object_of(1 + k * 20_000 + i, [(4, RAWCOUNT, 8)], [(None, [i])])
                     for i in range(20_000)], k))
    return b.done()


def counters():
    """As many counters as an object may have, others in each sample."""
    b = Bomb()
    for k in range(40):
        b.key(block([fast_object(2, range(10 + k * 4000, 4010 + k * 4000), ["a", "b", "c"],
                                 spread=True)], k))
    return b.done()


def counters_by_instances():
    """Counters that all lie on the same bytes of very many instances."""
    b = Bomb()
    for k in range(3):
        b.key(block([fast_object(2, range(10 + k, 4010 + k), ["i%d" % i for i in range(5000)])],
                    k))
        b.key(block([fast_object(2, range(10 + k, 50 + k), ["i%d" % i for i in range(5000)])], k))
    return b.done()


def counters_known():
    """Very many counters of one instance, then very many instances of one counter."""
    b = Bomb()
    for k in range(16):
        b.key(block([fast_object(2, range(10 + k * 4000, 4010 + k * 4000), ["a"], spread=True)], k))
    for k in range(4):
        b.key(block([fast_object(2, [10], ["%d.%d" % (k, i) for i in range(20_000)])], 16 + k))
    return b.done()


def changing_counters():
    """Definitions change from sample to sample for many instances."""
    b = Bomb()
    for k in range(4):
        b.key(block([fast_object(2, range(10 + k % 2, 1010 + k % 2),
                                 ["i%d" % i for i in range(200)], spread=True)], k))
    return b.done()


def objects_by_parents():
    """Every object's instances have parents in another object."""
    b = Bomb()
    body = []
    for i in range(8000):
        o = bytearray(fast_object(10 + i, [4], ["p", "q"]))
        struct.pack_into("<II", o, 64 + 40 + 4, 10 + (i + 1) % 8000, 0)
        body.append(bytes(o))
    for k in range(3):
        b.key(block(body, k))
    return b.done()


def parents():
    """Instances whose parents are each other and themselves."""
    b = Bomb()
    body = bytearray(fast_object(2, [4], ["p%d" % i for i in range(25_000)]))
    at = 64 + 40
    for i in range(25_000):
        struct.pack_into("<II", body, at + 4, 2, (i + 1) % 25_000)
        at += struct.unpack_from("<I", body, at)[0] + 16
    for k in range(2):
        b.key(block([bytes(body)], k))
    return b.done()


def churn():
    """Every sample has other instances."""
    b = Bomb()
    for k in range(200):
        b.key(block([fast_object(2, [4], ["%d.%d" % (k, i) for i in range(500)])], k),
              utc=START + k * SECOND)
    return b.done()


BOMBS = {f.__name__: f for f in (
    zstd_zeros, zstd_lies, zstd_skippable, zstd_titles, noise_titles, facts_many, huge_name, tokens_copy, tokens_many,
    noise, noise_to_key, tokens_long, key_of_many, pack_rows, pack_runs, pack_columns, nested_headers, magic_everywhere,
    huge_lengths, index_loops, tiny_records, many_gaps, many_holes, bad_sessions, many_sessions, many_hosts, equal_hosts, going_sessions, instances, stated_names, stated_counts,
    equal_names,
    equal_identities, identities_many, identities_unswept, objects, counters, counters_by_instances, counters_known, changing_counters, parents,
    objects_by_parents, churn)}
# Bombs that cost little, whose making costs more than all else where only they are tried.
SMALL = {"huge_lengths", "bad_sessions", "many_sessions", "many_hosts", "equal_hosts", "counters_by_instances", "stated_counts"}
# Bombs whose payloads cost before a block is looked into: a sample has no more than one counter.
PLAIN = {"zstd_zeros", "zstd_lies", "zstd_skippable", "tokens_copy", "tokens_many", "tokens_long", "key_of_many",
         "pack_rows", "pack_runs", "pack_columns", "nested_headers", "magic_everywhere", "huge_lengths",
         "index_loops", "tiny_records", "many_gaps", "many_holes", "bad_sessions", "going_sessions"}
