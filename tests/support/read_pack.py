"""Packs, read by section 7.1 of format/FORMAT.md (read_log.py)."""
import struct

from read_payload import CAP, Cursor, Damaged, TooNew, hash_of, is_critical, unzip

PARTS = "kinds times hashes others layouts words series runs changes forms scales".split()
OLD, NEW = 4, 5  # codecs
SAMPLE, LAYOUT, KNOWN = 0x10, 0x20, 0x3F  # bits of kinds
MAX_RECORDS, MAX_BLOCKS = 4096, 256 << 20
MASK = 2**64 - 1


def unzigzag(v):
    return v >> 1 ^ -(v & 1)


def signed(v):
    return (v + 2**63 & MASK) - 2**63


class Row:
    def __init__(self, first, words, group):
        self.first, self.words, self.group = first, words, group


class Pack:
    """Yields (type, seq, flags, utc, boot, payload or block) of each record."""

    def __init__(self, r, payload):
        if r.codec not in (OLD, NEW):
            raise TooNew("codec %d" % r.codec)
        head = Cursor(payload)
        self.num, self.num_samples, self.first_utc, self.last_utc = head.unpack("IIqq")
        if not 0 < self.num_samples <= self.num <= MAX_RECORDS or self.num - 1 > 2**32 - 1 - r.seq or \
                self.first_utc > self.last_utc:
            raise Damaged("head")
        content = unzip(payload[24:], r.raw_len, r.raw_len)
        if hash_of(r.session, content) != r.raw_hash:
            raise Damaged("content has another hash")
        c = Cursor(content)
        parts = PARTS[:9] if r.codec == OLD else PARTS
        lengths = [c.varint() for _ in parts]
        for name, length in zip(parts, lengths):
            setattr(self, name, Cursor(c.take(length)))
        if c.left() or self.kinds.left() != self.num or self.hashes.left() // 4 != self.num_samples:
            raise Damaged("parts do not add up")
        if r.codec == OLD:
            self.forms = self.scales = self.series
        self.r = r
        self.read_layouts()
        self.read_words()
        self.read_columns()

    # ---- layouts: per sample that has one, its length, runs and new rows
    def read_layouts(self):
        c, self.plans, self.rows, groups = self.layouts, [], [], 0
        self.num_series = 0
        while c.left():
            length = c.varint()
            if length > CAP:
                raise Damaged("length of a block")
            left, expected, runs = length // 8, 0, []
            while left:
                n = c.varint()
                n, new = n >> 1, n & 1
                if not 0 < n <= left:
                    raise Damaged("run")
                left -= n
                if new:
                    runs.append((None, n))
                    while n:
                        words, group = c.varint(), c.varint()
                        if not 0 < words <= n or group > groups:
                            raise Damaged("row")
                        groups += group == groups
                        self.rows.append(Row(self.num_series, words, group))
                        self.num_series += words
                        n -= words
                else:
                    src = expected + unzigzag(c.varint())
                    runs.append((src, n))
                    expected = src + n
            self.plans.append((length, runs))

    # ---- fields: the words of one distance from the end of their row, in a group
    def fields(self):
        places = sorted((row.group, i, row.first + row.words - 1 - i)
                        for row in self.rows for i in range(row.words))
        found = {}
        for group, distance, series in places:
            found.setdefault((group, distance), []).append(series)
        return [(distance, series) for (_, distance), series in found.items()]

    # ---- words: of each field, how they are predicted, and the differences
    def read_words(self):
        if self.r.codec == OLD:
            return
        self.first = [0] * self.num_series
        for distance, series in self.fields():
            how, before = self.words.varint(), 0
            if how > 2 + distance:
                raise Damaged("predicted by nothing")
            for s in series:
                if how == 0:
                    self.first[s] = self.words.unpack("Q")[0]
                    continue
                predicted = 0 if how == 1 else before if how == 2 else self.first[s + how - 2]
                before = self.first[s] = (predicted + unzigzag(self.words.varint())) & MASK

    def new_words(self, n):
        if self.r.codec == OLD:
            return self.words.unpack("%dQ" % n)
        return self.first[self.next_series:self.next_series + n]

    # ---- columns: of each series that changes, its steps
    def read_columns(self):
        self.columns, order, at = {}, [s for _, series in self.fields() for s in series], 0
        while self.series.left():
            at += self.series.varint()
            n, scale = self.forms.varint(), self.scales.varint()
            if at >= len(order) or not 0 < n >> 1 <= self.num:
                raise Damaged("series, or number of its runs")
            steps = []
            for _ in range(n >> 1):
                still, moving = self.runs.varint(), self.runs.varint()
                if not moving or len(steps) + still + moving > self.num:
                    raise Damaged("run of steps")
                steps += [0] * still
                steps += [unzigzag(self.changes.varint() + 1) for _ in range(moving)]
            self.columns[order[at]] = iter(self.values(steps, n & 1, scale))
            at += 1

    @staticmethod
    def values(steps, bent, scale):
        step = 0
        for change in steps:
            step = step + change if bent else change
            yield step * scale
        while True:
            yield step * scale if bent else 0

    # ---- blocks
    def block(self, has_layout):
        if not self.plans if has_layout else self.length is None:
            raise Damaged("no layout")
        length, runs = self.plans.pop(0) if has_layout else (self.length, [(0, len(self.block_words))] * (self.length > 7))
        self.bytes += length
        if self.bytes > MAX_BLOCKS:
            raise Damaged("blocks of more than %d bytes" % MAX_BLOCKS)
        words, ids, taken = [], [], set()
        for src, n in runs:
            if src is None:
                words += self.new_words(n)
                ids += range(self.next_series, self.next_series + n)
                self.next_series += n
                continue
            if not 0 <= src <= len(self.block_words) - n:
                raise Damaged("predicted by nothing")
            if taken & set(range(src, src + n)):
                raise Damaged("a word predicts two")
            taken |= set(range(src, src + n))
            for word, series in zip(self.block_words[src:src + n], self.ids[src:src + n]):
                step = next(self.columns[series]) if series in self.columns else 0
                words.append((word + step) & MASK)
                ids.append(series)
        self.length, self.block_words, self.ids = length, words, ids
        block = struct.pack("<%dQ" % len(words), *words) + self.words.take(length % 8)
        if hash_of(self.r.session, block) & 0xFFFFFFFF != self.hashes.unpack("I")[0]:
            raise Damaged("block has another hash")
        return block

    def __iter__(self):
        utc = step = ahead = samples = self.next_series = self.bytes = 0
        self.block_words, self.ids, self.length = [], [], None
        for i in range(self.num):
            kind = self.kinds.unpack("B")[0]
            was, utc = utc, utc + step + unzigzag(self.times.varint())
            ahead += unzigzag(self.times.varint())
            if kind & ~KNOWN:
                raise Damaged("kind %d" % kind)
            if kind & SAMPLE:
                if not self.first_utc <= signed(utc) <= self.last_utc:
                    raise Damaged("sample outside the times of the head")
                step = utc - was if samples else 0
                samples += 1
                what = "SMPL", self.block(kind & LAYOUT)
            else:
                name = self.others.take(4).decode("latin-1")
                if is_critical(name) or name in ("indx", "ends"):
                    raise Damaged("%s in a pack" % name)
                what = name, self.others.take(self.others.varint())
            yield what[0], self.r.seq + i, kind & 15, signed(utc), signed(utc + ahead), what[1]
