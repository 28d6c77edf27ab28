#!/usr/bin/env python3
"""A second reader of perflog's logs, written from format/FORMAT.md alone.

Prints one JSON object a line for every record, and for every stretch of bytes
that is none.  Several logs are read as if joined.  --raw DIR writes the rebuilt
blocks to DIR/000000.bin, 000001.bin ...; --values adds the clocks of each block
and rows of object, parent, instance, counter, counter type, raw value.
Exit status as in FORMAT.md.  Shares no code with perflog: each proves the other.
"""
import argparse
import json
import os
import struct
import sys

sys.dont_write_bytecode = True
from read_pack import Pack
from read_payload import (CAP, SHORT, Cursor, Damaged, SessionTooNew, TooNew, decode, hash_of, is_critical, parse_iden,
                          parse_sess, parse_short, parse_titl)
from read_values import values_of

HEADER, DISK_BLOCK = 72, 4096


# ---- section 3: headers ----------------------------------------------------
class Record:
    FIELDS = ("type", "session", "seq", "ref", "codec", "flags", "utc_ns", "boot_ns",
              "stored_len", "raw_len", "raw_hash", "payload_hash")

    def __init__(self, head):
        self.__dict__.update(zip(self.FIELDS, struct.unpack("<4x4sQIHBBqqIIQQ8x", head)))
        self.type = self.type.decode("latin-1")
        self.total = HEADER + (self.stored_len + 7) // 8 * 8

    def is_plausible(self):
        def bound(n):
            return n + n // 256 + max(131072 - n, 0) // 2048
        tokens = 2 * self.raw_len + 65536
        if self.codec == 0:
            return self.stored_len == self.raw_len
        return self.stored_len <= {1: bound(self.raw_len), 2: tokens,
                                   3: bound(tokens), 4: 24 + bound(self.raw_len), 5: 24 + bound(self.raw_len)}.get(self.codec, CAP) \
            and (self.codec not in (4, 5) or self.stored_len >= 24) or self.codec in (4, 5) and self.type != "PACK"


def header_at(data, p):
    """A proven Record, None, or "major" for one of another major version."""
    head = data[p:p + HEADER]
    if len(head) < HEADER or head[:3] != b"\x89PL" or head[3] not in b"0123456789" or \
            head[64:] != struct.pack("<Q", hash_of(0, head[:64])):
        return None
    if head[3] != ord("1"):
        return "major"
    r = Record(head)
    return r if r.session and max(r.stored_len, r.raw_len) <= CAP else None


def search(data, p):
    while (p := data.find(b"\x89PL", p)) >= 0:
        if header_at(data, p):
            return p
        p += 1
    return len(data)


# ---- sections 11.1 and 11.2: from bytes to records -------------------------
def stretches(data, session):
    """Yield (kind, begin, end, record); session() is the one being read."""
    p, end, vain, probed = 0, len(data), 0, [0]
    while p < end:
        r, claim, filled, kind = header_at(data, p), 0, False, None
        if r == "major":
            q, kind = search(data, p + HEADER), "too_new"
        elif r is None:
            q = search(data, p + 1) if end - p >= HEADER else end
        elif not r.is_plausible():
            q = search(data, p + HEADER)
        elif p + r.total > end:
            q, claim = search(data, p + HEADER), r.total
        elif hash_of(r.session, data[p + HEADER:p + r.total]) == r.payload_hash:
            q, kind = p + r.total, "record"
        else:
            claim, vain = r.total, vain + r.total
            filled = is_filled(data, p, r, probed)
            if vain > 4 * end + (1 << 20):
                q, kind = p + claim, "damaged"
            elif header_at(data, p + claim):
                q = first_inside(data, p, claim, r.session)
            else:
                q = search(data, p + HEADER)
        known = isinstance(r, Record)
        yield kind or skipped(data, p, q, claim, filled, r.session if known else session()), p, q, r
        p = q


def is_fresh(data, p, session):
    r = header_at(data, p)
    return isinstance(r, Record) and r.type == "SESS" and r.session != session


def first_inside(data, p, claim, session):
    q = p + HEADER
    while (q := search(data, q)) < p + claim:
        r = header_at(data, q)
        if is_fresh(data, q, session) or isinstance(r, Record) and r.session == session:
            return q
        q += 1
    return p + claim


def one_bit_explains(payload, zeros, r):
    for at in range(len(payload) - zeros, len(payload)):
        for bit in range(8):
            flipped = payload[:at] + bytes([1 << bit]) + payload[at + 1:]
            if hash_of(r.session, flipped) == r.payload_hash:
                return True
    return False


def zeros_at_end(data):
    return len(data) - len(data.rstrip(b"\0"))


def is_filled(data, p, r, probed):
    """Were the last bytes of this record lost, and have zeros taken their place?  probed: sum of the bytes tested."""
    end = p + r.total
    zeros, behind = min(zeros_at_end(data[p + HEADER:end]), 15), 0
    if zeros <= r.total - HEADER - r.stored_len:
        return False
    while behind < 8 and end + behind < len(data) and not data[end + behind]:
        behind += 1
    if behind == 8 or end + behind < len(data) and not is_fresh(data, end + behind, r.session):
        return True  # if zeros are all that follows
    if zeros + behind < 9 or probed[0] > p:
        return False
    probed[0] += r.total
    return not one_bit_explains(data[p + HEADER:end], zeros, r)


def is_torn_twice(stretch, claim, filled):
    """Does the beginning of a SESS end it, behind a fence or long enough to be known?"""
    begin, used = b"\x89PL1SESS", len(stretch.rstrip(b"\0"))
    at = stretch.rfind(begin, max(0, used - HEADER + 1), used)
    if at < 0:
        at = next((used - n for n in range(7, 0, -1) if stretch[:used].endswith(begin[:n])), used)
    before = len(stretch[:at].rstrip(b"\0"))
    fenced = at - before >= 8
    if at == used or not fenced and stretch[at:at + 8] != begin:
        return False
    if not claim:
        return (before if fenced else at) < HEADER
    return at < claim < len(stretch) or filled and before < claim <= at - 8


def skipped(data, p, q, claim, filled, session):
    if q < len(data) and not is_fresh(data, q, session):
        return "damaged"
    if data[p:p + 8] == b"\x89PL1PACK":
        return "damaged"
    used = len(data[p:q].rstrip(b"\0"))
    if used < HEADER or claim > q - p or filled and used < claim or is_torn_twice(data[p:q], claim, filled):
        return "interrupted"
    return "damaged"


def decode_text(r, payload, most=1):
    """Of records that are no samples: section 4 says which codecs they may have."""
    if r.codec > most:
        raise TooNew("codec %d" % r.codec)
    return decode(r, payload)


# ---- sections 11.3 and 11.4: sessions and samples --------------------------
def descends(session, root):
    high = session & ~0xFFFFFF
    return session in (root, high | hash_of(root, struct.pack("<Q", high)) & 0xFFFFFF)


class Reader:
    def __init__(self, raw_dir, with_values):
        self.raw_dir, self.with_values = raw_dir, with_values
        self.seen, self.next_seq = {}, {}  # by session
        self.session, self.num_samples = None, 0
        self.status, self.good = {0}, False

    # A record belongs to the file in which it was written.
    def is_stray(self, r, at, payload):
        if r.type != "SESS":
            return r.session == self.stray or \
                r.session == self.segment[0] and r.seq < self.segment[1] or \
                bool(self.roots) and r.session not in self.seen and \
                not (r.seq <= 1 and self.good_end and (self.good_end - 1) // 4096 == at // 4096) and \
                not any(descends(r.session, root) for root in self.roots)
        try:
            tags = parse_sess(Cursor(payload))["tags"] if r.codec == 0 else {}
        except (Damaged, TooNew):
            return False
        if not tags.get(25) or not tags[25][0]:
            return False
        root, offset = tags[25]
        if self.roots and root not in self.roots and root not in self.seen and \
                (at - offset < self.good_end or self.is_older_file(at - offset, r)):
            self.stray = r.session
            return True
        self.roots.append(root)
        if self.stray == r.session:
            self.stray = None
        if 19 not in tags:
            self.segment = r.session, r.seq
        return False

    def is_older_file(self, begin, r):
        return begin > self.good_end and begin % DISK_BLOCK == 0 and r.utc_ns < self.good_utc

    def report(self, kind, at, length, /, **more):
        self.status.add({"damaged": 2, "too_new": 3}.get(kind, 0))
        print(json.dumps(dict(type=kind, at=at, len=length, **more)))

    def read_file(self, path):
        with open(path, "rb") as f:
            data = f.read()
        seam = True
        self.roots, self.good_end, self.good_utc, self.segment, self.stray = [], 0, 0, (None, 0), None
        for kind, at, end, r in stretches(data, lambda: self.session):
            if kind != "record":
                self.report(kind, at, end - at)
                continue
            payload = data[at + HEADER:at + HEADER + r.stored_len]
            if self.is_stray(r, at, payload):
                self.report("damaged", at, end - at, why="another file")
                continue
            self.good_end, self.good_utc = end, r.utc_ns
            if r.type == "PACK" and not r.flags & 0xF0:
                self.read_pack(r, at, payload, seam)
            elif self.place(r, at, seam):
                self.read_record(r, at, payload)
            elif not self.closed:
                self.read_again(r, payload)
            seam = False

    def read_pack(self, r, at, payload, seam):
        """Each of its records, as if it stood in the file."""
        try:
            for kind, seq, flags, utc, boot, inside in Pack(r, payload):
                one = Record(bytes(HEADER))
                one.type, one.session, one.seq, one.flags = kind, r.session, seq, flags
                one.utc_ns, one.boot_ns, one.total = utc, boot, 0
                one.stored_len = one.raw_len = len(inside)
                one.raw_hash = hash_of(r.session, inside)
                if self.place(one, at, seam):
                    self.read_record(one, at, inside)
                seam = False
        except (Damaged, struct.error) as e:
            self.report("damaged", at, r.total, why=str(e))
        except TooNew as e:
            self.report("too_new", at, r.total, why=str(e))

    def place(self, r, at, seam):
        if r.session != self.session:
            self.session, self.titles, self.closed = r.session, {}, False
            self.key, self.last = (None, None), (None, None)  # seq, block
            self.follower = None
        seen = self.seen.setdefault(r.session, set())
        if r.seq in seen:
            self.report("duplicate", at, r.total, seq=r.seq)
            return False
        expected = self.next_seq.get(r.session, r.seq)
        if r.seq > expected:
            self.report("hole" if seam else "damaged", at, 0, missing=r.seq - expected)
        elif r.seq != (self.follower or expected):
            self.report("damaged", at, 0, why="order")
        seen.add(r.seq)
        self.follower = r.seq + 1
        self.next_seq[r.session] = max(expected, self.follower)
        return not self.closed

    def read_again(self, r, payload):
        """Others may refer to it, and a session that goes on needs its names."""
        try:
            if r.type == "SMPL":
                self.decode_sample(r, payload)
            elif r.type == "TITL":
                self.titles = self.titles or parse_titl(Cursor(decode_text(r, payload)), {})
        except (Damaged, TooNew):
            pass

    def read_record(self, r, at, payload):
        more = {name: getattr(r, name) for name in Record.FIELDS[2:10]}
        kind, self.good = r.type, True
        try:
            if r.flags & 0xF0:
                raise TooNew("flags")
            found = self.sample(r, payload) if r.type == "SMPL" else self.other(r, payload)
            if found is None:
                kind = "unreachable"
                self.seen[r.session].discard(r.seq)
            more.update(found or {})
        except Damaged as e:
            kind, more["why"] = "damaged", str(e)
        except TooNew as e:
            kind, more["why"] = "too_new", str(e)
            self.closed |= isinstance(e, SessionTooNew)
        if "malformed" in more:
            self.status.add(2)
        self.report(kind, at, r.total, session="%016x" % r.session, **more)

    def other(self, r, payload):
        if r.type == "TITL":
            parse_titl(Cursor(decode_text(r, payload)), self.titles)
            return {"titles": len(self.titles)}
        if r.type == "iden":
            return parse_iden(Cursor(decode_text(r, payload)))
        if r.type in SHORT:
            return parse_short(r.type, Cursor(decode_text(r, payload, 0)))
        if r.codec == 0 and r.type == "SESS":
            return parse_sess(Cursor(decode(r, payload)))
        if is_critical(r.type):
            raise SessionTooNew("type or codec")
        return {}

    def decode_sample(self, r, payload):
        if r.codec <= 3 and (r.codec >= 2) != (r.ref != 0):
            raise Damaged("codec and ref contradict each other")
        ref = dict((self.key, self.last)).get(r.seq - r.ref) if r.ref else None
        if r.ref and ref is None:
            return None
        block = decode(r, payload, ref)
        self.last = r.seq, block
        self.key = self.key if r.ref else self.last
        return block

    def sample(self, r, payload):
        block = self.decode_sample(r, payload)
        if block is None:
            return None
        name = "%06d.bin" % self.num_samples
        self.num_samples += 1
        if self.raw_dir:
            with open(os.path.join(self.raw_dir, name), "wb") as f:
                f.write(block)
        return dict(raw=name, **values_of(block, self.titles) if self.with_values else {})


def main():
    p = argparse.ArgumentParser(description="Reads a log by its specification.")
    p.add_argument("--raw", metavar="DIR")
    p.add_argument("--values", action="store_true")
    p.add_argument("logs", nargs="+")
    args = p.parse_args()
    reader = Reader(args.raw, args.values)
    for path in args.logs:
        reader.read_file(path)
    return max(reader.status) if reader.good else 4


if __name__ == "__main__":
    sys.exit(main())
