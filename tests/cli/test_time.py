#!/usr/bin/env python3
"""Whatever clocks, recorders and machines do: a rate that is shown is the true one.

Random histories of a counter that grows at a known rate; every cell must be that rate, or blank
for the reason that history gives.  PERFLOG_SEED and PERFLOG_HISTORIES try others, and more.
"""
import csv
import datetime
import io
import json
import os
import random
import shutil
import struct
import sys
import zoneinfo

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import Case, long_rows, run
from write_log import FILETIME_OF_1970, SECOND, Log, block_of, hash_of, object_of, padded

BULK, TIMER_100NS, COUNTER, GAUGE = 0x10410500, 0x20510500, 0x10410400, 0x00010100
TITLES = {2: b"Object", 4: b"Count/sec", 6: b"% Busy", 8: b"Small/sec", 10: b"Gauge"}
COUNTERS = [(4, BULK, 8), (6, TIMER_100NS, 8), (8, COUNTER, 4), (10, GAUGE, 8)]
RATE, BUSY, SMALL = 1000, 0.25, 8
START = 1_795_262_400 * SECOND  # 2026-11-21 12:00:00 UTC
LATE, SUSPEND, FULL, ERROR, TOO_LARGE, GUARD, SYNC, RING = range(1, 9)
CLOCK_STEPPED, SAMPLES_MISSING = 1, 2
FAR = {"1970": 0, "2106": 4_291_747_200 * SECOND, "2038": 2_147_483_640 * SECOND,
       "2250": 8_835_955_200 * SECOND}


class Machine(Log):
    """Clocks in ns; what is counted follows the time since boot, and nothing else."""

    def __init__(self, random_, provider):
        self.random, self.provider = random_, provider
        self.utc, self.boot, self.boot_id, self.session = START, 100 * SECOND, 1, 0
        self.flags, self.data, self.steps, self.filetime_offset = 0, b"", 0, None
        self.expect, self.restarts, self.reboots = [], -1, 0
        self.begin()

    def begin(self):
        self.session += 1
        self.restarts += 1
        self.seq = 0
        tags = {1: b"web", 3: struct.pack("<QQ", self.boot_id, 7), 9: struct.pack("<Q", SECOND),
                12: self.provider}
        self.put(b"SESS", b"".join(struct.pack("<HHI", t, 0, len(v)) + v for t, v in sorted(tags.items())))
        self.put(b"TITL", b"".join(bytes([i, 0, 9, 0, len(v)]) + v for i, v in sorted(TITLES.items())))
        self.because("first")
        if self.filetime_offset is None or self.provider.endswith(b"linux"):
            self.filetime_offset = self.utc - self.boot  # anchored when a session begins

    def put(self, kind, payload, flags=0):
        head = struct.pack("<4s4sQIHBBqqIIQQ", b"\x89PL1", kind, self.session, self.seq, 0, 0, flags,
                           self.utc, self.boot, len(payload), len(payload),
                           hash_of(self.session, payload), hash_of(self.session, padded(payload)))
        self.data += head + struct.pack("<Q", hash_of(0, head)) + padded(payload)
        self.seq += 1

    def pass_(self, ns):
        self.utc += ns
        self.boot += ns

    def gaps(self, cause, count):
        self.put(b"gaps", struct.pack("<qqQQIIi4x", self.utc - count * SECOND, self.utc - SECOND,
                                      max(self.boot - count * SECOND, 0), max(self.boot - SECOND, 0),
                                      count, cause, 0))

    def sample(self, flags=0):
        ticks = self.boot // 100
        values = [ticks * RATE // 10**7, int(ticks * BUSY), ticks * SMALL // 10**7 % 2**32, 42]
        wall = self.utc if flags & 128 else self.boot + self.filetime_offset
        block = block_of([object_of(2, COUNTERS, [(None, values)])], ticks, 10**7,
                         FILETIME_OF_1970 + wall // 100)
        self.put(b"SMPL", padded(block), flags & 15)
        self.expect.append((self.why, self.why or self.stepped))
        self.why = self.stepped = ""

    def because(self, why):
        """Of several reasons the strongest is reported."""
        order = ("", "first", "gap", "damaged")
        self.why = max(self.why, why, key=order.index)

    why = stepped = ""  # stepped: why counters on the 100 ns clock have no value, if others do

    # ---- what can happen between two samples ---------------------------------------
    def nothing(self):
        pass

    def late(self):
        self.pass_(self.random.randrange(SECOND // 10))

    def missed(self):
        n = self.random.randrange(1, 30)
        self.pass_(n * SECOND)
        self.gaps(LATE, n)

    def stopped(self):
        """SIGSTOP, a paused machine: no gap is reported, the pair is merely long."""
        self.pass_(self.random.randrange(3600) * SECOND)

    def suspended(self):
        n = self.random.randrange(10, 100_000)
        self.pass_(n * SECOND)
        self.gaps(SUSPEND, n)

    def sync_failed(self):
        self.gaps(SYNC, 1)

    def lost(self):
        n = self.random.randrange(1, 9)
        self.pass_(n * SECOND)
        self.gaps(self.random.choice((FULL, ERROR, TOO_LARGE, GUARD, RING)), n)
        self.because("gap")

    def hole(self):
        self.seq += self.random.randrange(1, 9)
        self.put(b"note", struct.pack("<HH", 4, 0) + b"behind the hole")
        self.because("gap")

    def damage(self):
        self.data += bytes(self.random.randrange(1, 256) for _ in range(96))
        self.because("damaged")

    def restart(self):
        self.pass_(self.random.randrange(100) * SECOND)
        self.begin()

    def reboot(self):
        self.utc += self.random.randrange(10, 1000) * SECOND
        self.boot = self.random.randrange(1, 200) * SECOND
        self.boot_id += 1
        self.reboots += 1
        self.restart()

    def step(self):
        how = self.random.choice(("second", "hour", "year", *FAR))
        to = {"second": self.utc + self.random.choice((-1, 1)) * SECOND,
              "hour": self.utc + self.random.choice((-1, 1)) * 3600 * SECOND,
              "year": self.utc - 366 * 86400 * SECOND}.get(how, FAR.get(how))
        self.utc = max(to, 0)
        self.put(b"note", struct.pack("<HH", 1, 0) + b"clock stepped")
        self.steps += 1
        self.flags |= CLOCK_STEPPED
        if self.provider.endswith(b"windows"):
            self.filetime_offset = self.utc - self.boot
            self.stepped = "clock_step"

    EVENTS = ("nothing",) * 6 + ("late", "missed", "stopped", "suspended", "sync_failed", "lost", "hole",
                                 "damage", "restart", "reboot", "step")

    def live(self, samples):
        for _ in range(samples):
            self.flags = 0
            for event in self.random.sample(self.EVENTS, self.random.choice((1, 1, 1, 2, 3))):
                getattr(self, event)()
            self.pass_(SECOND)
            self.sample(self.flags)


class Histories(Case):
    def check(self, machine):
        log = self.write("a.plog", machine.data)
        r = harness.run("export", "--layout", "long", "-q", log)
        self.assertIn(r.code, (0, 2), r)
        rows = long_rows(r.out)
        self.assertEqual(len(rows), 4 * len(machine.expect))
        for k, (why, why_100ns) in enumerate(machine.expect):
            found = {row["Counter"]: row for row in rows[4 * k:4 * k + 4]}
            for name, true, blank in (("Count/sec", RATE, why), ("% Busy", 100 * BUSY, why_100ns),
                                      ("Small/sec", SMALL, why), ("Gauge", 42, "")):
                row = found[name]
                self.assertEqual(row["Status"], blank, (k, row, machine.expect[max(k - 2, 0):k + 1]))
                if blank:
                    self.assertEqual(row["Value"], "")
                else:  # counts are whole, so a short pair is off by one at most
                    self.assertAlmostEqual(float(row["Value"]), true, delta=2, msg=(k, row))
        self.check_wide(log, machine)
        return log

    def check_wide(self, log, machine):
        r = harness.run("export", "-q", "--time", "unix", log)
        table = list(csv.reader(io.StringIO(r.out)))
        self.assertEqual(len(table), 1 + len(machine.expect))
        for row in table[1:]:
            for value in row[1:]:
                self.assertTrue(not value or 0 <= float(value) <= 2 * RATE, row)

    def test_random_histories(self):
        seed = int(os.environ.get("PERFLOG_SEED", "20261121"))
        for k in range(int(os.environ.get("PERFLOG_HISTORIES", "60"))):
            provider = (b"little linux", b"little windows")[k % 2]
            machine = Machine(random.Random(seed + k), provider)
            machine.live(40)
            with self.subTest(seed=seed + k):
                self.check(machine)

    def test_info_tells_of_every_event(self):
        machine = Machine(random.Random(1), b"little linux")
        machine.flags = 0
        for event in ("nothing", "step", "suspended", "missed", "lost", "restart", "reboot", "step", "nothing"):
            getattr(machine, event)()
            machine.pass_(SECOND)
            machine.sample(machine.flags)
            machine.flags = 0
        log = self.check(machine)
        text = self.good("info", log).out
        (info,) = json.loads(self.good("info", "--json", log).out)
        self.assertEqual(info["sessions"], 3)
        self.assertEqual(info["reboots"], 1, info)
        self.assertEqual(info["clock_steps"], 2, info)
        for word in ("reboot", "suspend", "clock", "late", "full|error|large|free|slow"):
            self.assertRegex(text, word)

    def test_a_hole_between_sessions_and_many_reboots(self):
        machine = Machine(random.Random(2), b"little linux")
        machine.flags = 0
        for _ in range(20):
            machine.reboot()
            machine.pass_(SECOND)
            machine.sample()
            machine.pass_(SECOND)
            machine.sample()
        self.check(machine)


class Identities(Case):
    def test_many_that_are_renamed_keep_their_own_rates(self):
        """Pairs go by identity; very many make sure that some share a place in any table."""
        num, shuffle = 400, random.Random(3)
        log = Log({2: b"Process", 4: b"ID", 6: b"Rate"}, facts={2: struct.pack("<BII", 1, 4, 0)})
        for k in range(3):
            order = list(range(num))
            shuffle.shuffle(order)
            log.sample(START + k * SECOND, [object_of(2, [(4, GAUGE, 8), (6, BULK, 8)],
                                                      [("%d in %d" % (i, k), [i, 10**6 + i * k]) for i in order])])
        rows = long_rows(self.good("export", "--layout", "long", "-c", r"\Process(*)\Rate",
                                   log.save(self.path("a.plog"))).out)
        found = [row for row in rows if row["Value"]]
        self.assertEqual(len(found), 2 * num)
        for row in found:
            self.assertEqual(row["Value"], row["Instance"].split()[0])


class Windows(Case):
    def test_a_clock_that_steps_back_over_the_windows_begin(self):
        """Samples within and before the window take turns, and each is large enough to be given up once it was read."""
        log = Log(TITLES)
        for k, second in enumerate((5, 6, 7, 8, 9, 10, 14, 13, 18, 17, 22, 21, 26)):
            rows = [("r%d" % i, (1000 * k, k)) for i in range(20_000)]
            log.sample(START + second * SECOND, [object_of(2, [COUNTERS[0], COUNTERS[3]], rows)])
        path = log.save(self.path("a.plog"))

        def gauges(*window):
            rows = self.good("export", "-q", "--layout", "long", *window, path).out.splitlines()
            return [row for row in rows if ",r7,Gauge," in row]
        whole = gauges()
        self.assertGreater(len(whole), 8)
        for second in 13, 17, 21:
            self.assertEqual(gauges("--from", "@%d" % (START // SECOND + second)),
                             [row for row in whole if row[11:19] > "12:00:%02d" % second])


    def test_what_only_the_sample_before_the_window_has(self):
        """It is the older one of the first pair, and makes no row: a path matches nothing there."""
        log = Log({2: b"Gone", 4: b"Stays", 6: b"Rate", 8: b"Level"})
        for second in range(5):
            there = ["early"] * (second < 2) + ["later"] * (second != 2) + ["always"]
            log.sample(START + second * SECOND,
                       [object_of(2, [(6, BULK, 8)], [("a", (second,))])] * (second < 2) +
                       [object_of(4, [(6, BULK, 8), (8, GAUGE, 8)], [(name, (10 * second, second)) for name in there])])
        path, window = log.save(self.path("a.plog")), ("--from", "@%d" % (START // SECOND + 1))
        for layout in "long", "wide", "table":
            options = ["--layout", layout, *(["-o", self.path("t")] if layout == "table" else []), *window, path]
            for gone in r"\Stays(early)\*", r"\Stays(early)\Rate", r"\Gone(*)\*", r"\Gone(a)\Rate":
                with self.subTest((layout, gone)):
                    r = run("export", "-q", "-c", gone, *options)
                    self.assertEqual((r.code, "match" in r.err), (1, True), r)
                    # beside one that is there
                    r = run("export", "-q", "-c", gone, "-c", r"\Stays(always)\*", *options)
                    self.assertEqual(r.code, 1, r)
                    shutil.rmtree(self.path("t"), ignore_errors=True)
            for there in r"\Stays(always)\Rate", r"\Stays(later)\*", r"\Stays(*)\Level", r"\Stays(*)\*", r"\*\*":
                with self.subTest((layout, there)):
                    self.good("export", "-q", "-c", there, *options)
                    shutil.rmtree(self.path("t"), ignore_errors=True)


class Zones(Case):
    """Local times and offsets, compared with Python's own reading of the zone files."""

    ZONES = {
        "Europe/Berlin": ("2026-03-29T01:00", "2026-10-25T01:00"),
        "America/New_York": ("2026-03-08T07:00", "2026-11-01T06:00"),
        "America/Santiago": ("2026-04-05T03:00", "2026-09-06T04:00"),
        "Australia/Lord_Howe": ("2026-04-04T15:00", "2026-10-03T15:30"),
        "Pacific/Auckland": ("2026-04-04T14:00", "2026-09-26T14:00"),
        "Asia/Kathmandu": ("1985-12-31T18:30", "2026-01-01T00:00"),
        "Pacific/Apia": ("2011-12-30T10:00", "2026-01-01T00:00"),
        "Africa/Casablanca": ("2026-02-15T02:00", "2026-03-22T02:00"),
        "UTC": ("2028-02-29T00:00", "2100-03-01T00:00"),
    }
    EVERYWHERE = ("1970-01-01T00:01", "2000-02-29T12:00", "2038-01-19T03:14", "2100-02-28T23:59",
                  "2106-02-07T06:28", "2200-07-01T00:00", "2250-12-31T23:59")

    def instants(self, changes):
        for text in sorted(changes + self.EVERYWHERE):
            at = datetime.datetime.fromisoformat(text).replace(tzinfo=datetime.timezone.utc)
            for minutes in -61, -31, -30, -1, 0, 1, 29, 30, 31, 59, 60, 61:
                moment = at + datetime.timedelta(minutes=minutes)
                if moment.year >= 1970:
                    yield moment

    def test_both_changes(self):
        for zone, changes in self.ZONES.items():
            moments = sorted(set(self.instants(changes)))
            log = Log(TITLES, interval_ns=SECOND)
            for moment in moments:
                log.sample(int(moment.timestamp()) * SECOND, [object_of(2, COUNTERS[3:], [(None, [1])])])
            path = log.save(self.path("a.plog"))
            table = list(csv.reader(io.StringIO(self.good("export", "-q", "--tz", zone, path).out)))
            self.assertEqual(len(table), 1 + len(moments))
            for moment, row in zip(moments, table[1:]):
                local = moment.astimezone(zoneinfo.ZoneInfo(zone))
                with self.subTest(zone=zone, utc=str(moment)):
                    self.assertEqual(row[0][:19], local.strftime("%Y-%m-%d %H:%M:%S"))
                    if table[0][1] == "UTC Offset":
                        offset = local.strftime("%z")
                        self.assertEqual(row[1], offset[:3] + ":" + offset[3:5])


if __name__ == "__main__":
    harness.main()
