#!/usr/bin/env python3
"""Regions of published counters built byte by byte (logger/provider/region.h), so that they may lie,
and the people who publish them: hostile.py USER ACTOR FOLDER [ARGUMENT...].

An actor becomes that user, prints "ready" when all of it is there, and works until its input ends."""
import ctypes
import fcntl
import mmap
import os
import random
import struct
import sys
import threading
import time

XXH3 = ctypes.CDLL("libxxhash.so.0").XXH3_64bits
XXH3.restype = ctypes.c_uint64
XXH3.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
LARGE_RAWCOUNT = 0x00010100
F_OFD_SETLK = 37
HEADER = 256


def align(n, to):
    return (n + to - 1) // to * to


class Texts:
    def __init__(self, pad):
        self.bytes, self.at, self.pad = bytearray(b"\0"), {b"": 0}, pad

    def place(self, text):
        raw = text.encode()
        if raw not in self.at:
            self.at[raw] = len(self.bytes)
            self.bytes += raw + b"\0"
        return self.at[raw]

    def all(self):
        return bytes(self.bytes) + os.urandom(self.pad // 2).hex().encode() + b"\0"


def region(number, objects, value=7, pad=0, created=None, busy=False):
    """Bytes of a region.  objects: (name, slots or -1, [counter...], [instance...]); 'pad' more bytes of texts."""
    texts = Texts(pad)
    plan = [(name, slots, counters, instances, 1 if slots < 0 else slots, 64 if slots < 0 else 320,
             align(8 * len(counters), 64)) for name, slots, counters, instances in objects]
    for name, _, counters, _, _, _, _ in plan:
        texts.place(name)
        for counter in counters:
            texts.place(counter)
    num_counters = sum(len(p[2]) for p in plan)
    tables = 64 * len(plan) + 32 * num_counters
    strings = texts.all()
    def_len = align(tables + len(strings), 8)
    set_at, num_sets = HEADER + def_len, sum(p[4] for p in plan)
    inst_at = align(set_at + 16 * num_sets, 64)
    val_at = align(inst_at + sum(p[4] * p[5] for p in plan), 64)
    size = val_at + sum(p[4] * p[6] for p in plan)
    out = bytearray(size)
    object_rows, counter_rows = b"", b""
    first_set = first_counter = 0
    inst, val = inst_at, val_at
    for k, (name, slots, counters, instances, count, inst_stride, val_stride) in enumerate(plan):
        object_rows += struct.pack("<6IiI8I", k + 1, texts.place(name), 0, 100, first_counter, len(counters), slots,
                                   0 if slots < 0 else 255, first_set, val, val_stride, inst, inst_stride,
                                   first_counter + 1, 0, 0)
        for i, counter in enumerate(counters):
            counter_rows += struct.pack("<5IiII", first_counter + i + 1, texts.place(counter), 0, 100,
                                        LARGE_RAWCOUNT, 0, i, 0)
        for s in range(count):
            called = b"" if slots < 0 else (instances[s] if s < len(instances) else "i%d" % s).encode()
            struct.pack_into("<QqIHHQ", out, inst + s * inst_stride, s + 1, -1, 0, len(called), 0, 0)
            out[inst + s * inst_stride + 32:inst + s * inst_stride + 32 + len(called)] = called
            struct.pack_into("<%dQ" % len(counters), out, val + s * val_stride, *[value] * len(counters))
        inst, val = inst + count * inst_stride, val + count * val_stride
        first_set, first_counter = first_set + count, first_counter + len(counters)
    definitions = (object_rows + counter_rows + strings).ljust(def_len, b"\0")
    struct.pack_into("<8sIIIIQIIQIIIIIIQII", out, 0, b"\x89PLR1\r\x1a\n", HEADER, 0x01020304, 0, 0, size, HEADER, def_len,
                     XXH3(definitions, def_len), set_at, 16 * num_sets, inst_at, val_at - inst_at, val_at,
                     size - val_at, number, os.getpid(), os.getuid())
    struct.pack_into("<q", out, 104, time.time_ns() if created is None else created)
    struct.pack_into("<6I", out, 112, len(plan), num_counters, num_sets, 1, HEADER + tables, def_len - tables)
    struct.pack_into("<IIQQQ", out, 160, 1, 0, 0, 1 if busy else 0, 0)
    out[HEADER:HEADER + def_len] = definitions
    if busy:
        out[set_at:set_at + 16 * num_sets] = struct.pack("<QQ", 1, 0) * num_sets
    return bytes(out), val_at


class Published:
    """A region as the library shows one: whole, locked and mapped before it has its name."""

    def __init__(self, folder, program, objects, pid=None, **how):
        number = random.getrandbits(63) | 1
        data, self.val_at = region(number, objects, **how)
        name = "%s.%d.%016x.plr" % (program, pid or os.getpid(), number)
        self.path, hidden = os.path.join(folder, name), os.path.join(folder, ".tmp-" + name)
        self.fd = os.open(hidden, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        fcntl.fcntl(self.fd, F_OFD_SETLK, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 1, 0))
        os.posix_fallocate(self.fd, 0, len(data))
        os.pwrite(self.fd, data, 0)
        os.fchmod(self.fd, 0o640)
        self.map = mmap.mmap(self.fd, len(data))
        os.rename(hidden, self.path)

    def set_values(self, data):
        self.map[self.val_at:self.val_at + len(data)] = data

    def values_len(self):
        return len(self.map) - self.val_at

    def end(self):
        self.map.close()
        os.close(self.fd)
        try:
            os.unlink(self.path)
        except OSError:
            pass


# ---- actors --------------------------------------------------------------------
def until_input_ends(work=None, pause=0.05):
    """Says that it is ready; then does 'work' again and again."""
    ended = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
    print("ready", flush=True)
    while not ended.wait(pause):
        if work:
            work()


def one(folder, program, name, value, created="", pid="", *instances):
    """An object with a counter C; with instances if they are named."""
    p = Published(folder, program, [(name, len(instances) or -1, ["C"], instances)], value=int(value),
                  created=int(created) if created else None, pid=int(pid) if pid else None)
    until_input_ends()
    p.end()


def flood(folder, slots, counters):
    """Two large regions of random values that never rest."""
    names = ["C%02d" % i for i in range(int(counters))]
    regions = [Published(folder, "flood%d" % k, [("Flood%d" % k, int(slots), names, [])]) for k in range(2)]

    def churn():
        for p in regions:
            p.set_values(os.urandom(p.values_len()))
    churn()
    until_input_ends(churn)
    for p in regions:
        p.end()


def tables(folder):
    """Regions that live for a moment, with more text than all of the recorder's memory."""
    sizes = iter([15_900_000] * 4 + [3_400_000, 100_000, 50_000, 4000, 2000, 1000, 500, 200, 64, 16])

    def next_table():
        pad = next(sizes, 8)
        p = Published(folder, "big", [("Big%d" % random.getrandbits(30), -1, ["C"], [])], pad=pad)
        time.sleep(0.1)
        p.end()
    next_table()
    until_input_ends(next_table)


def busy(folder, num, sets):
    """Regions in which a group is always under way."""
    regions = [Published(folder, "busy%d" % k, [("Busy", int(sets), ["C"], [])], created=1 + k, busy=True)
               for k in range(int(num))]
    until_input_ends()
    for p in regions:
        p.end()


def crowd(folder, num):
    """Empty files that are called like regions."""
    names = [os.path.join(folder, "crowd%d.%d.%016x.plr" % (os.getuid(), i + 1, i)) for i in range(int(num))]
    for name in names:
        open(name, "w").close()
    until_input_ends()
    for name in names:
        os.unlink(name)


def news(folder):
    """Files that come and go, with long names."""
    made = [0]

    def come_and_go():
        names = []
        for k in range(60):
            names.append("%s/%s%d.%d.%016x.plr" % (folder, "E" * 30, k % 10, k + 1, made[0]))
            made[0] += 1
            open(names[-1], "w").close()
        time.sleep(0.2)
        for name in names:
            os.unlink(name)
    come_and_go()
    until_input_ends(come_and_go, 0)


def titles(folder):
    """New tables without end, each with as many new titles as can be."""
    def next_table():
        p = Published(folder, "titles", [("T%08x" % random.getrandbits(32), -1, ["%0120d" % random.getrandbits(60)
                                                                                  for _ in range(100)], [])])
        time.sleep(0.05)
        p.end()
    next_table()
    until_input_ends(next_table, 0)


def shrink(folder):
    """Regions that are cut, grown, punched, and changed while they are read."""
    libc = ctypes.CDLL(None)

    def race():
        try:
            p = Published(folder, "race%d" % random.randint(0, 3),
                          [("Race%d" % random.randint(0, 5), random.choice([-1, 1, 3, 40]), ["C", "D"], [])])
        except OSError:
            return
        for _ in range(20):
            what = random.randint(0, 5)
            if what == 0:
                at = random.randrange(HEADER, len(p.map) - 8)
                p.map[at:at + 8] = os.urandom(8)
            elif what == 1:
                struct.pack_into("<QQ", p.map, 176, random.getrandbits(8), random.getrandbits(8))
            elif what == 2:
                struct.pack_into("<I", p.map, random.randrange(2, 64) * 4, random.choice([0, 1, 63, 65536, 0xFFFFFFFF]))
            elif what == 3:
                libc.fallocate(p.fd, 3, ctypes.c_long(0), ctypes.c_long(4096))
        if random.randint(0, 1):  # never looked at by us again, as that would be our death
            os.ftruncate(p.fd, random.choice([0, 100, HEADER, 1 << 20]))
        time.sleep(random.random() * 0.05)
        try:
            os.unlink(p.path)
            os.symlink("/etc/shadow", p.path)
            os.unlink(p.path)
        except OSError:
            pass
        os.close(p.fd)
    race()
    until_input_ends(race, 0)


def become(uid):
    """Here rather than by whoever calls, since the interpreter may lie where that user cannot read."""
    if uid:
        os.setgroups([])
        os.setgid(uid)
        os.setuid(uid)


if __name__ == "__main__":
    become(int(sys.argv[1]))
    globals()[sys.argv[2]](*sys.argv[3:])
