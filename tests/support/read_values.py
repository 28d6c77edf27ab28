"""Blocks, read by section 9 of format/FORMAT.md (read_log.py)."""
import struct

from read_payload import MAX_COUNTERS, MAX_INSTANCES, MAX_OBJECTS, Damaged

VARIABLE, TEXT, ASCII = 3, 2, 1  # of a type: bits 8-9, 10-11, 16-19


def is_padding(data):
    return len(data) <= 7 or not any(data)


def check(good, what):
    if not good:
        raise Damaged(what)


class Block:
    """What can be read, in self.objects: title index, counters, instances; self.malformed says what ended it."""

    def __init__(self, block):
        self.block, self.objects, self.malformed = block, [], None
        signature = block[:8]
        check(signature in ("PERF".encode("utf-16-le"), "PERF".encode("utf-16-be")), "signature")
        big = signature[0] == 0 or block[8:12] == bytes(4)
        self.order, self.utf16 = (">", "utf-16-be") if big else ("<", "utf-16-le")
        self.clocks = 52 if self.get("I", 80) == 84 and (len(block) < 88 or self.get("I", 84) != 88) else 56
        self.header = self.get("I", 24)
        name_len, name = self.get("2I", self.clocks + 24)
        check(self.clocks + 32 <= self.header <= len(block), "length of the header")
        check(not name_len or name + name_len <= self.header, "name of the machine")
        try:
            self.read_objects()
        except Damaged as e:
            self.malformed = self.malformed or str(e)

    def get(self, layout, at):
        try:
            found = struct.unpack_from(self.order + layout, self.block, at)
        except struct.error:
            raise Damaged("block stops inside a structure") from None
        return found if len(found) > 1 else found[0]

    def wide(self, raw):
        return raw[:len(raw) // 2 * 2].decode(self.utf16, "replace").split("\0")[0]

    @staticmethod
    def narrow(raw, page):
        try:
            return raw.split(b"\0")[0].decode("cp%d" % page, "replace")
        except LookupError:
            return raw.split(b"\0")[0].decode("ascii", "replace")

    def read_objects(self):
        at, size = self.header, len(self.block)
        length, number, seen = self.get("I", 20), self.get("I", 28), 0
        while at < size and seen < number:
            check(seen < MAX_OBJECTS, "number of objects")
            at, seen = self.read_object(at), seen + 1
        if seen < number:
            check(length <= size, "block ends before its objects")
        elif length >= size:
            check(is_padding(self.block[at:]), "bytes behind the last object")

    def read_object(self, at):
        """Returns where it ends, which is known even if its parts do not add up."""
        block, left = self.block, len(self.block) - at
        check(left >= 48, "object's header")
        total, data, head, title = self.get("4I", at)
        num, _, count, page = self.get("IiiI", at + 32)
        check(48 <= head <= data <= total <= left, "lengths of object %d" % title)
        if head < 64 and count == 0 and data < total:
            count = -1
        room = total - data
        check(num <= MAX_COUNTERS and num <= (data - head) // 40, "counters of object %d" % title)
        check(-1 <= count <= MAX_INSTANCES and count <= room // 28, "instances of object %d" % title)
        check((1 if count < 0 else count) * num <= room + MAX_COUNTERS, "values of object %d" % title)
        counters, instances = [], []
        self.objects.append((title, counters, instances, page))
        try:
            p, end = at + head, at + data
            for _ in range(num):
                check(p + 40 <= end and 40 <= self.get("I", p) <= end - p, "definitions of object %d" % title)
                counters.append((self.get("I", p + 4), self.get("I", p + 28), self.get("2I", p + 32)))
                p += self.get("I", p)
            check(is_padding(block[p:end]), "definitions of object %d" % title)
            self.read_instances(at + data, at + total, count, page, counters, instances)
        except Damaged as e:
            self.malformed = self.malformed or str(e)
        return at + total

    def read_instances(self, at, end, count, page, counters, instances):
        varies, usual = any(kind >> 8 & 3 == VARIABLE for _, kind, _ in counters), None
        for _ in range(1 if count < 0 else count):
            name, parent = None, (0, 0)
            if count >= 0:
                check(at + 24 <= end, "number of instances")
                length, (start, n) = self.get("I", at), self.get("2I", at + 16)
                check(24 <= length <= end - at, "length of an instance")
                check((start, n) == (0, 0) or 24 <= start <= length and n <= length - start, "name of an instance")
                parent, number, name = self.get("2I", at + 4), self.get("i", at + 12), self.block[at + start:at + start + n]
                name = self.narrow(name, page) if page else self.wide(name)
                name = name or (str(number) if number != -1 else "")
                at += length
            check(at + 4 <= end, "counter block")
            length = self.get("I", at)
            check(4 <= length <= end - at, "length of a counter block")
            check(usual in (None, length) or varies, "counter blocks of several lengths")
            usual = length
            instances.append((name, parent, at, length))
            at += length
        check(is_padding(self.block[at:end]), "number of instances")

    def value(self, instance, counter, page):
        """None: it is missing."""
        (_, _, p, length), (_, kind, (size, offset)) = instance, counter
        if offset < 4 or offset + size > length:
            return None
        if kind >> 10 & 3 == TEXT:
            raw = self.block[p + offset:p + offset + size]
            return self.narrow(raw, page) if kind >> 16 & 15 == ASCII else self.wide(raw)
        return self.get("I" if size == 4 else "Q", p + offset) if size in (4, 8) else None


def values_of(block, titles):
    b, rows, of_title = Block(block), [], {}
    for title, _, instances, _ in b.objects:
        of_title.setdefault(title, instances)
    for title, counters, instances, page in b.objects:
        for one in instances:
            up = of_title.get(one[1][0], ())[one[1][1]:one[1][1] + 1]
            for counter in counters:
                value = b.value(one, counter, page)
                if value is not None:
                    rows.append((titles.get(title, str(title)), up[0][0] if up else None, one[0],
                                 titles.get(counter[0], str(counter[0])), counter[1], value))
    out = dict(zip(("perf_time", "perf_freq", "perf_time_100ns"), b.get("3q", b.clocks)), values=rows)
    return dict(out, malformed=b.malformed) if b.malformed else out
