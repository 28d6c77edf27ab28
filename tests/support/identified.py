"""Logs made by hand whose processes have identities: entries of iden records, from format/FORMAT.md alone."""
import struct

from write_log import SECOND, Log, object_of, varint

FILETIME = 116444736000000000
PROCESS, PID, STARTED, COUNT, BYTES = 230, 784, 684, 680, 1420
BEGIN = 1_800_000_000
NAMES = {PROCESS: b"Process", PID: b"ID Process", STARTED: b"Elapsed Time", COUNT: b"Thread Count",
         BYTES: b"IO Read Bytes/sec"}
COUNTERS = ((PID, 0x00010000, 4), (STARTED, 0x30240500, 8), (COUNT, 0x00010000, 4), (BYTES, 0x10410500, 8))
TAGS = {"command_line": 1, "executable": 4, "user_name": 6, "control_group": 7, "parent_name": 9}
# Births are in the identity; no counter is known to have been 0 then.
BIRTHS = {PROCESS: struct.pack("<II", STARTED, 0)}
# _Total: a sum, for the counters that have one; identified by the other two.
FACTS = {PROCESS: struct.pack("<B3I", 2, PID, STARTED, 0) +
         b"".join(struct.pack("<IBB", title, 255, 1) for title in (COUNT, BYTES))}


def entry(pid, start=1000, user=None, **texts):
    out = struct.pack("<QQ", pid, start)
    for name, text in texts.items():
        raw = text.encode("utf-8", "surrogateescape")
        out += bytes([TAGS[name]]) + varint(len(raw)) + raw
    if user is not None:
        out += b"\x05\x04" + struct.pack("<I", user)
    return struct.pack("<I", len(out)) + out


def make(path, *payloads, samples=None, births=None):
    """A sample a second, each with the payload of an iden record before it; by default a:7 and b:8, thrice.

    samples: each a list of (name, pid, number of threads, bytes read so far)."""
    log = Log(NAMES, facts=FACTS, births=births)
    for i, found in enumerate(samples or [[("a:7", 7, 1, 0), ("b:8", 8, 2, 0)]] * 3):
        utc = (BEGIN + i) * SECOND
        if i < len(payloads) and payloads[i] is not None:
            log.record(b"iden", payloads[i], utc)
        rows = [(name, (pid, 1000, threads, read)) for name, pid, threads, read in found]
        log.sample(utc, [object_of(PROCESS, COUNTERS, rows, (utc // 100 + FILETIME, 10_000_000))])
    return log.save(path)
