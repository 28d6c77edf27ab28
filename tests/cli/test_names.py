#!/usr/bin/env python3
"""Hostile names in every place a log has for a name, through every output.

A terminal gets no control character, a sheet gives back the same name when it is parsed, JSON is
JSON, and a message is one line.
"""
import csv
import io
import json
import os
import pty
import re
import struct
import subprocess
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import PROGRAM, Case, run
from write_log import SECOND, Log, block_of, hash_of, object_of, padded

RAWCOUNT = 0x00010100
START = 1_795_262_400 * SECOND
NAMES = (
    "plain", "\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "\x1b]8;;http://x\x1b\\link", "\x9b31m\x9d0;x\x9c",
    "\x90q\x9c\x85next", "a\nb", "a\r\nb", "\rback", "tab\tbed", "\x08\x08bs", "\x7fdel", "\x0e\x0fshift",
    "\u202egnp.exe", "\u2066\u2069\u200e\u200f\u061c", "a\u2028b\u2029c", "\ufeffbom", "=1+1", "+1", "-1",
    "@SUM(A1)", "\t=1", "\r=1", "\n=1", "=cmd|' /C calc'!A0", 'quo"te', '"', '""', "'", "com,ma", "semi;colon",
    " lead", "trail ", "<script>alert(1)</script>", "&amp;", "%s%n%1000000d", "back\\slash", "par(en)the)sis",
    "sla/sh", "sha#rp", "sta*r", "que?stion", "[*]", "../../etc/passwd", "_Total", "_total", "é", "日本語", "🎉",
    "a\u0300\u0301\u0302", "x" * 5000, "\x1b[" * 2000, "NaN", "1e5", "2026-11-21", "0x10", "PERF", "\x89PL1",
    "null\x00hidden", "\x00", "\ud800lone", "\udfff",
)
RAW = tuple(n.encode("utf-8", "surrogatepass") for n in NAMES) + (
    b"\xff\xfe", b"\xc0\x80", b"\xed\xa0\x80", b"\xf5\x90\x80\x80", b"cut\xe2\x82", b"\x80\x9b31m", b"")
HOSTS = RAW[:20] + RAW[-7:]
FORMULA = tuple("=+-@\t\r\n")


def hostile_log(path, names=NAMES, raw=RAW):
    """Each name is an instance, an object, a counter, a host, a note and a zone in turn."""
    titles, objects = {}, []
    for k, name in enumerate(raw):
        titles[1000 + 2 * k] = name  # object
        titles[1001 + 2 * k] = name  # counter
        objects.append(object_of(1000 + 2 * k, [(1001 + 2 * k, RAWCOUNT, 8)], [(None, [k])]))
    titles.update({2: b"Many", 4: b"Count"})
    objects.append(many(names))
    data = b""
    for k, host in enumerate(HOSTS):
        log = Log(titles, host=host, zone=(60, host), source=host if k % 2 else None)
        for i in range(3):
            log.record(b"note", struct.pack("<HH", 1 + i, 0) + host, START + i * SECOND)
            ticks = START // 100 + i * 10_000_000
            log.record(b"SMPL", padded(block_of(objects, ticks, 10_000_000, ticks + 116444736000000000)),
                       START + i * SECOND)
        data += renamed(log.data, 1 + k)
    with open(path, "wb") as f:
        f.write(data)
    return path


def many(names):
    """An object whose instances bear the names, lone surrogates included."""
    def text(name):
        return (name + "\0").encode("utf-16-le", "surrogatepass")
    body = b""
    for k, name in enumerate(names):
        raw = text(name)
        named = padded(raw)
        body += struct.pack("<IIIiII", 24 + len(named), 0, 0, -1, 24, len(raw)) + named
        body += struct.pack("<IIQ", 16, 0, k)
    definition = struct.pack("<10I", 40, 4, 0, 0, 0, 0, 100, RAWCOUNT, 8, 8)
    head = 64 + len(definition)
    return struct.pack("<9IiiIqq", head + len(body), head, 64, 2, 0, 0, 0, 100, 1, 0, len(names), 0,
                       0, 0) + definition + body


def renamed(data, session):
    """The same records as those of another session."""
    out, at = b"", 0
    while at < len(data):
        head = bytearray(data[at:at + 64])
        stored, = struct.unpack_from("<I", head, 40)
        payload = data[at + 72:at + 72 + (stored + 7) // 8 * 8]
        struct.pack_into("<Q", head, 8, session)
        struct.pack_into("<QQ", head, 48, hash_of(session, payload[:stored]), hash_of(session, payload))
        out += bytes(head) + struct.pack("<Q", hash_of(0, bytes(head))) + payload
        at += 72 + len(payload)
    return out


def shown(name):
    """What a sheet holds of a name that a block has in UTF-16: nothing behind a NUL, no broken pairs."""
    return "".join("\ufffd" if 0xD800 <= ord(c) < 0xE000 else c for c in name.split("\0")[0])


class Names(Case):
    def setUp(self):
        super().setUp()
        self.log = hostile_log(self.path("\x1b[1m\u202ehost\nile=.plog"))
        self.outputs = (("info",), ("verify",), ("list",), ("list", "--overview"), ("list", "--types"), ("list", "--help-text"),
                        ("dump",), ("dump", "--json"), ("info", "--json"), ("list", "--json"),
                        ("verify", "--json"), ("export", "--layout", "long"),
                        ("export", "--wide-anyway", "--no-guard"), ("export", "--layout", "pdh"),
                        ("export", "--wide-anyway", "--every", "1s"), ("stats",), ("stats", "--json"),
                        ("export", "--top", "3", "-c", r"\*(*)\*"),
                        ("export", "-c", "\\no\x1b[1m(\x9b)\\such\n"), ("repair", "-o", self.log),
                        ("cut", "-c", "\\no\x1b[1m\\such\n", "-o", self.path("x.plog")),
                        ("import", "-o", self.path("y\x1b.plog")), ("\x1b[31m",), ("info", "--\x1b[31m"))

    def test_no_output_moves_a_terminal(self):
        """Both outputs are a terminal, as they are for the person who tries a strange log."""
        for command in self.outputs:
            with self.subTest(command=command):
                shown_ = self.on_terminal(*command, self.log)
                self.assertNotRegex(re.sub("\r+\n", "\n", shown_), "[\0-\x08\x0b-\x1f\x7f-\x9f]")
                self.assertNotRegex(shown_, "[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")

    def on_terminal(self, *command):
        master, terminal = pty.openpty()
        # A pager would wait for keys, and replace what it does not like.
        with subprocess.Popen([PROGRAM, *command], stdin=subprocess.DEVNULL, stdout=terminal, stderr=terminal,
                              env=dict(os.environ, PAGER="")) as p:
            os.close(terminal)
            got = b""
            while True:
                try:
                    part = os.read(master, 65536)
                except OSError:
                    break
                if not part:
                    break
                got += part
            os.close(master)
            self.assertIn(p.wait(harness.TIMEOUT), (0, 1, 2, 4))
        self.assertTrue(got)
        # On a slow machine there is progress, which begins its line anew and clears the rest.
        return re.sub(r"\r[^\r\n\x1b]*\x1b\[K", "", got.decode("utf-8", "replace"))

    def test_long_sheet_gives_back_every_instance(self):
        r = self.good("export", "--layout", "long", "--no-guard", "-c", r"\Many(*)\Count", self.log)
        rows = list(csv.reader(io.StringIO(r.out, newline=""), strict=True))
        names = [row[3] for row in rows[1:1 + len(NAMES)]]
        wanted, seen = [], set()
        for name in map(shown, NAMES):
            n, free = 0, name
            while free in seen:
                n += 1
                free = "%s#%d" % (name, n)
            seen.add(free)
            wanted.append(free)
        self.assertEqual(names, wanted)
        for row in rows:
            self.assertEqual(len(row), 7, row)

    def test_guarded_sheets_have_no_formula(self):
        for layout in "long", "wide", "pdh":
            out = self.path("out.csv")
            self.good("export", "-q", "--layout", layout, "-o", out, *(("--wide-anyway",) * (layout == "wide")),
                      self.log)
            with open(out, encoding="utf-8", newline="") as f:
                rows = list(csv.reader(f, strict=True))
            width = len(rows[0])
            for row in rows:
                self.assertEqual(len(row), width)
                for cell in row:
                    self.assertFalse(cell.startswith(FORMULA), cell[:50])
                    self.assertNotIn("\0", cell)

    def test_json_is_json(self):
        listed = json.loads(self.good("list", "--json", self.log).out)
        found = {s["instance"] for s in listed if s["object"] == "Many" and s.get("instance")}
        for name in NAMES:
            self.assertIn(shown(name), found | {""})
        for command in ("info", "--json"), ("verify", "--json"), ("dump", "--json"):
            self.assertTrue(json.loads(self.good(*command, self.log).out))

    def test_every_listed_path_is_one_line_and_chooses_itself(self):
        lines = self.good("list", "-c", r"\Many(*)\Count", self.log).out.split("\n")[:-1]
        for line in lines:
            self.check_printable(line)
        self.assertEqual(len(lines), len(HOSTS) * len(NAMES))

    def test_repaired_and_cut_logs_show_the_same(self):
        wanted = self.good("export", "--layout", "long", self.log).raw_out
        for command in ("repair",), ("cut", "--from", "1970-01-02"):
            out = self.path("new.plog")
            self.good(*command, "-q", "-o", out, self.log)
            self.assertEqual(self.good("export", "--layout", "long", out).raw_out, wanted)
            os.unlink(out)

    def test_a_name_with_a_nul_stays_one_name(self):
        """From session to session and sample to sample, whatever stands behind the NUL."""
        data = b""
        for k in range(3):
            log = Log({2: b"Ob\0ject%d" % k, 4: b"Co\0unt%d" % k}, host=b"ho\0st%d" % k)
            for i in range(2):
                log.sample(START + (2 * k + i) * SECOND, [object_of(2, [(4, RAWCOUNT, 8)], [(None, [i])])])
            data += renamed(log.data, 1 + k)
        log = self.write("nul.plog", data)
        self.assertEqual(self.good("list", log).out, "\\\\ho\\Ob\\Co\n")
        self.assertEqual(len(self.wide(log, "--time", "unix").rows), 6)

    def test_arguments_are_told_in_one_line(self):
        for name in NAMES:
            if name in ("+1", "-1") or "\0" in name or "\ud800" <= name[:1] <= "\udfff" or len(name) > 200 or not name.strip():
                continue
            for args in (("info", self.path("none", name)), ("export", "-c", "\\" + name + "(x)\\y", self.log),
                         ("export", "--tz", name, self.log), ("record", "-i", name, self.path("n.plog"))):
                with self.subTest(args=args):
                    r = run(*args)
                    self.assertEqual(r.err.count("\n"), 1, r)
                    self.check_printable(r.err[:-1])


if __name__ == "__main__":
    harness.main()
