"""Records of a log as a writer of any version could have made them, for tests."""
import struct

from read_payload import hash_of


def record(kind, session, seq, payload, utc_ns, boot_ns=0):
    """One record, stored as it is."""
    padded = payload + bytes(-len(payload) % 8)
    header = struct.pack("<4s4sQIHBBqqIIQQ", b"\x89PL1", kind, session, seq, 0, 0, 0, utc_ns, boot_ns,
                         len(payload), len(payload), hash_of(session, payload),
                         hash_of(session, padded))
    return header + struct.pack("<Q", hash_of(0, header)) + padded


def edited(data, at, change):
    """The log with one record changed; 'change' gets its header and payload."""
    header = bytearray(data[at:at + 72])
    stored, = struct.unpack_from("<I", header, 40)
    padded = (stored + 7) // 8 * 8
    payload = bytearray(data[at + 72:at + 72 + stored])
    change(header, payload)
    session, = struct.unpack_from("<Q", header, 8)
    body = bytes(payload) + bytes(padded - stored)
    if header[22] == 0:
        struct.pack_into("<Q", header, 48, hash_of(session, bytes(payload)))
    struct.pack_into("<Q", header, 56, hash_of(session, body))
    struct.pack_into("<Q", header, 64, hash_of(0, bytes(header[:64])))
    return data[:at] + bytes(header) + body + data[at + 72 + padded:]


def gaps(first_ns, last_ns, count, cause, error=0):
    return struct.pack("<qqQQIIiI", first_ns, last_ns, 0, 0, count, cause, error, 0)


def note(kind, text):
    return struct.pack("<HH", kind, 0) + text.encode()
