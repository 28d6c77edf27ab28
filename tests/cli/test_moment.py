#!/usr/bin/env python3
"""perflog top: a page of what a made machine did, figure by figure, and of this machine."""
import os
import re
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import Case, columns_of, run
from identified import entry, make
from write_log import SECOND, Log, object_of

GAUGE, PER_SEC, TIMER, TEXT = 0x00010100, 0x10410500, 0x20510500, 0x00000B00
AVERAGE, AVERAGE_BASE = 0x30020400, 0x40030402
START = 1_795_262_400  # 2026-11-21 12:00:00 UTC
TICK = 10**7  # of the clocks, in a second
NAMES = {2: b"System", 4: b"Load Average 1 Minute", 6: b"Threads Blocked",
         10: b"Processor", 12: b"% Processor Time", 14: b"% User Time", 16: b"% Steal Time",
         20: b"Pressure Stall", 22: b"% Some Stalled", 24: b"% Full Stalled",
         30: b"Memory", 32: b"Available Bytes", 34: b"Committed Bytes", 36: b"Commit Limit",
         40: b"PhysicalDisk", 42: b"% Busy Time", 44: b"Disk Writes/sec", 46: b"Disk Write Bytes/sec",
         48: b"Avg. Disk sec/Write", 50: b"Avg. Disk sec/Write Base",
         60: b"Network Interface", 62: b"Bytes Received/sec", 64: b"Receive Drops/sec", 66: b"Transmit Drops/sec",
         70: b"Process", 72: b"Working Set", 74: b"Storage Write Bytes/sec", 76: b"State", 78: b"User ID",
         80: b"IO Data Bytes/sec", 82: b"Storage Read Bytes/sec"}
PROCESS = [(12, TIMER, 8), (72, GAUGE, 8), (82, PER_SEC, 8), (74, PER_SEC, 8), (80, PER_SEC, 8), (78, GAUGE, 8),
           (76, TEXT, 4)]
# name: CPU share, memory, bytes written a second, user, states by second (last one stays); None: it is not there
WORK = {"hammer:7": (0.10, 2 * 10**6, 40 * 10**6, 1000, "DDDS"), "spin:8": (0.95, 10**6, 0, 0, "R"),
        "large:9": (0.01, 3 * 10**9, 1000, 0, "S"), "dead:10": (0, 0, 0, 5, "SSZZ"),
        "brief:11": (0.5, 4 * 10**9, 0, 0, [None, None, "R", None])}


def state(name, second):
    states = WORK[name][4]
    return states[min(second, len(states) - 1)]


class Page(Case):
    def log(self, seconds=4, name="a.plog", host=b"web", begin=0, **how):
        log = Log(NAMES, host=host, zone=(60, b"Europe/Berlin"), **how)
        for s in range(begin, begin + seconds):
            log.sample((START + s) * SECOND, self.objects(s))
        return log.save(self.path(name))

    def objects(self, s):
        busy = (int(0.75 * s * TICK), int(0.5 * s * TICK), 0)
        least = (int(0.5 * s * TICK), 0, 0)
        return [
            object_of(2, [(4, GAUGE, 8), (6, GAUGE, 8)], [(None, (2, 1))]),
            object_of(10, [(12, TIMER, 8), (14, TIMER, 8), (16, TIMER, 8)],
                      [("0", (s * TICK, s * TICK, 0)), ("1", least), ("_Total", busy)]),
            object_of(20, [(22, TIMER, 8), (24, TIMER, 8)],
                      [("cpu", (int(0.125 * s * TICK), 0)), ("io", (s * TICK, int(0.25 * s * TICK)))]),
            object_of(30, [(32, GAUGE, 8), (34, GAUGE, 8), (36, GAUGE, 8)],
                      [(None, (4_700_000_000, 5 * 10**9, 10**10))]),
            object_of(40, [(42, TIMER, 8), (44, PER_SEC, 8), (46, PER_SEC, 8), (48, AVERAGE, 8), (50, AVERAGE_BASE, 8)],
                      [("sda", (0, 0, 0, 0, 0)), ("vda", (int(0.9 * s * TICK), 5021 * s, 40_000_000 * s, 25 * TICK // 10 * s,
                                                        5000 * s))]),
            object_of(60, [(62, PER_SEC, 8), (64, PER_SEC, 8), (66, PER_SEC, 8)], [("lo", (0, 0, 0)),
                                                                                 ("eth0", (125_000 * s, 2 * s, s))]),
            object_of(70, PROCESS, [
                (name, (int(cpu * s * TICK), size, 0, written * s, 2 * written * s, user, ord(state(name, s))))
                for name, (cpu, size, written, user, _) in WORK.items() if state(name, s)])]

    def page(self, *args, **how):
        return self.good("top", *args, **how).out


class Names(Page):
    """Of processors, disks, processes and their kind, which anything may have written."""

    def page_of(self, *names):
        figures = [(int(0.5 * TICK), 0, 0), (0, 0, 0)]
        log = Log(NAMES)
        for s in range(3):
            named = [(name, (s * TICK // 2, s * TICK // 4, 0)) for name in names]
            log.sample((START + s) * SECOND, [
                object_of(10, [(12, TIMER, 8), (14, TIMER, 8), (16, TIMER, 8)], [*named, ("_Total", figures[0])]),
                object_of(20, [(22, TIMER, 8), (24, TIMER, 8), (16, TIMER, 8)], named),
                object_of(40, [(42, TIMER, 8), (44, PER_SEC, 8), (46, PER_SEC, 8)], named),
                object_of(70, [(12, TIMER, 8), (72, GAUGE, 8), (82, PER_SEC, 8)], named)])
        return self.page(log.save(self.path("names.plog")))

    def test_nothing_reaches_the_terminal_but_text(self):
        page = self.page_of("\x1b[31mred", "two\nlines", "服" * 40)
        self.assertEqual([c for c in page if ord(c) < 32 and c != "\n"], [])
        self.assertEqual(page.count(r"\x1B[31mred"), 5)  # with both lines of pressure
        self.assertEqual(page.count(r"two\x0Alines"), 5)
        self.assertNotIn("\ufffd", page)

    def test_columns_are_those_of_the_terminal(self):
        rows = self.page_of("服务器", "plain", "e\u0301").splitlines()
        for title in "Disk ", "Process ":
            first = next(i for i, row in enumerate(rows) if row.startswith(title))
            self.assertEqual(len({columns_of(row) for row in rows[first + 1:first + 4]}), 1, rows)


class Text(Page):
    maxDiff = None

    def test_page_of_a_sample(self):
        self.assertEqual(self.page(self.log()), """\
web  2026-11-21 13:00:03 Europe/Berlin, one sample of the 1s before

Processors  busy 75.0 %  user 50.0 %
            #0 100.0 %  #1 50.0 %
System      load 2  blocked 1
Pressure    some:  cpu 12.5 %  io 100.0 %
            full:  cpu 0.0 %  io 25.0 %
Memory      available 4.70 GB  committed 5.00 GB of 10.0 GB
Zombies Z   dead:10

Disk    busy    writes    written  write in
vda   90.0 %  5.02 k/s  40.0 MB/s    500 us
and 1 idle
Network  received  drops
eth0     125 kB/s    3/s
and 1 idle

Process      CPU   memory   read    written  user  S
spin:8    95.0 %  1.00 MB  0 B/s      0 B/s     0  R
hammer:7  10.0 %  2.00 MB  0 B/s  40.0 MB/s  1000  S
large:9    1.0 %  3.00 GB  0 B/s  1.00 kB/s     0  S
dead:10    0.0 %      0 B  0 B/s      0 B/s     5  Z
""")

    def test_page_of_a_window(self):
        page = self.page("--from", "2026-11-21T13:00:00", self.log())
        self.assertTrue(page.startswith("web  2026-11-21 13:00:01 to 2026-11-21 13:00:03 Europe/Berlin, means of 3 samples\n"))
        self.assertIn("Waiting D   hammer:7 (2 of 3)\n", page)
        self.assertIn("Zombies Z   dead:10 (2 of 3)\n", page)
        # brief:11 has no pair of samples; of the others it is the same in each second
        self.assertEqual(re.findall(r"^(\w+:\d+)", page, re.M), ["spin:8", "hammer:7", "large:9", "brief:11", "dead:10"])

    def test_sorted(self):
        log = self.log()
        for key, first in (("cpu", "spin:8"), ("memory", "large:9"), ("disk", "hammer:7"), ("io", "hammer:7"),
                           ("user id", "hammer:7"), ("Storage Write*", "hammer:7")):
            self.assertEqual(re.search(r"^(\w+:\d+)", self.page("--sort", key, log), re.M)[1], first, key)
        page = self.page("--sort", "io", "-n", "1", log)
        self.assertEqual(page.splitlines()[-2:], ["Process     all I/O     CPU   memory   read    written  user  S",
                                                  "hammer:7  80.0 MB/s  10.0 %  2.00 MB  0 B/s  40.0 MB/s  1000  S"])

    def test_memory_of_a_window_counts_the_time(self):
        """4 GB for one second of three are less than 3 GB all the time."""
        page = self.page("--from", "2026-11-21T13:00:00", "--sort", "memory", self.log())
        self.assertEqual(re.findall(r"^(\w+:\d+)", page, re.M)[:2], ["large:9", "brief:11"])

    def test_groups(self):
        """Of processes, the others of the page stay as they are."""
        log = Log(NAMES)
        done = {"cc1:1": (0.2, 10), "cc1:2": (0.25, 20), "dd:3": (0.4, 1000), "cc1:4": (0.5, 0)}
        for s in range(3):
            log.sample((START + s) * SECOND, [
                object_of(10, [(12, TIMER, 8)], [("0", (s * TICK // 2,)), ("_Total", (s * TICK // 2,))]),
                object_of(70, PROCESS, [(name, (int(cpu * s * TICK), 1, 0, written * s, 0, 0, ord("R")))
                                        for name, (cpu, written) in done.items()])])
        log = log.save(self.path("g.plog"))
        self.assertEqual(self.page("--group", "name", log).splitlines()[2:], [
            "Processors  busy 50.0 %", "",
            "Program     CPU   read    written", "cc1      95.0 %  0 B/s     30 B/s", "dd       40.0 %  0 B/s  1.00 kB/s"])
        self.assertEqual(self.page("--group", "name", "--sort", "disk", log).splitlines()[-2].split()[0], "dd")
        r = run("top", "--group", "name", "--sort", "user id", log)
        self.assertEqual((r.code, r.out, r.err), (1, "", "perflog: top: --sort 'user id': has no sum, which --group needs\n"))
        log = Log(NAMES)  # without what is sorted by where nothing is asked for
        for s in range(2):
            log.sample((START + s) * SECOND, [object_of(70, [(74, PER_SEC, 8)], [("cc1:1", (10 * s,)), ("cc1:2", (20 * s,))])])
        self.assertEqual(self.page("--group", "name", log.save(self.path("few.plog"))).splitlines()[-1].split()[:2], ["cc1", "30"])
        r = run("top", "--group", "names", log.save(self.path("g.plog")))
        self.assertEqual(r.code, 1)
        self.assertIn("give name, user, unit, command or parent", r.err)

    def test_rows(self):
        log = self.log()
        for n in 1, 3:
            self.assertEqual(len(re.findall(r"^\w+:\d+ ", self.page("-n", str(n), log), re.M)), n)

    def test_a_page_for_each_host(self):
        one, two = self.log(), self.log(name="b.plog", host=b"db", session=5)
        page = self.page("--tz", "UTC", "-n", "1", one, two)
        self.assertEqual(re.findall(r"^(\w+)  2026-11-21 12:00:03 UTC", page, re.M), ["db", "web"])
        self.assertEqual(page.count("spin:8   95.0 %"), 2)

    def test_file(self):
        log = self.log()
        self.good("top", "-o", self.path("page.txt"), log)
        with open(self.path("page.txt"), encoding="utf-8") as f:
            self.assertEqual(f.read(), self.page(log))

    def test_hostile_names_are_harmless(self):
        log = Log(dict(NAMES), host=b"w\x1b[2J")
        for s in range(2):
            log.sample((START + s) * SECOND, [object_of(70, PROCESS, [
                ("a\x1b]0;b\u202e:1", (s * TICK, 1, 0, 0, 0, 0, 0x1b)), ("b:2", (0, 1, 0, 0, 0, 0, 0xe9))])])
        page = self.page(log.save(self.path("h.plog")))
        for line in page.splitlines():
            self.check_printable(line)
        self.assertEqual(len(re.findall(r"(?m)  \?$", page)), 2, page)

    def test_long_names_do_not_widen_rows(self):
        """Of a name of a thousand characters the beginning is shown, wherever it is on the page."""
        long = "\u00e9" * 1000
        log = Log(NAMES)
        for s in range(2):
            log.sample((START + s) * SECOND, [
                object_of(40, [(42, TIMER, 8), (44, PER_SEC, 8)], [(long, (s * TICK, 5 * s)), ("sda", (s * TICK // 2, s))]),
                object_of(70, PROCESS, [(long, (s * TICK, 1, 0, 0, 0, 0, 68)), ("short:2", (0, 1, 0, 0, 0, 0, 83))])])
        page = self.page(log.save(self.path("l.plog")))
        cut = long[:29] + "..."
        self.assertEqual(len(re.findall("(?m)" + re.escape(cut), page)), 3, page)  # as a disk, a process, one that waits
        self.assertLess(max(map(len, page.splitlines())), 100, page)
        lines = [line for line in page.splitlines() if line.startswith((cut, "sda", "Disk"))]
        self.assertEqual(len({len(line) for line in lines if "Disk" not in line and "%" in line and "/s" in line}), 2, page)
        self.assertRegex(page, r"(?m)^sda {29}  +50\.0 %")

    def test_whole_machine_is_total_wherever_it_is(self):
        """A processor that came later is behind it in a window, and sheets may have it first."""
        for names, later in (("0", "1", "_Total"), ("0", "1", "2", "_Total")), (("_Total", "0", "1"), ("_Total", "0", "1")):
            log, work = Log(NAMES), dict.fromkeys(later, 0)
            for s in range(10):
                now = names if s < 5 else later
                for name in now:
                    work[name] += TICK // 4 if name == "_Total" else TICK * 3 // 4
                log.sample((START + s) * SECOND, [object_of(10, [(12, TIMER, 8)], [(name, (work[name],)) for name in now])])
            page = self.page("--from", "12:00:01", log.save(self.path("w.plog")))
            self.assertIn("\nProcessors  busy 25.0 %\n            #0 75.0 %  #1 75.0 %", page)

    def test_object_of_two_names_is_shown_once(self):
        path = self.write("w.csv", br'''"(PDH-CSV 4.0) (UTC)(0)","\\h\Processor(_Total)\% Processor Time","\\h\Processor(0)\% Processor Time","\\h\Processor(1)\% Processor Time","\\h\Processor Information(_Total)\% Processor Time","\\h\Processor Information(0,0)\% Processor Time","\\h\Process(a)\% Processor Time","\\h\Process V2(a:12)\% Processor Time"
"11/21/2026 08:00:00.000","10","11","12","13","14","15","16"
"11/21/2026 08:00:01.000","20","21","22","23","24","25","26"
''')
        page = self.page(path)
        self.assertIn("\nProcessors  busy 20.0 %\n            #0 21.0 %  #1 22.0 %\n", page)
        self.assertEqual(re.findall(r"(?m)^a\S*", page), ["a"])

    def test_pair_of_a_stalled_machine(self):
        for second, length in (9, "8s"), (2, "1s"), (2.4, "1s"):
            log = Log(NAMES)
            for t in 0, 1, second:
                log.sample(int((START + t) * SECOND), [object_of(10, [(12, TIMER, 8)], [("0", (int(t * TICK) // 2,))])])
            self.assertIn(" UTC, one sample of the %s before\n" % length, self.page(log.save(self.path("s.plog"))))

    def test_nothing_known(self):
        """Only what the log holds is shown."""
        log = Log({2: b"Tank", 4: b"Level"}).save(self.path("t.plog"))
        self.refused(4, "top", log)
        log = Log({2: b"Tank", 4: b"Level"})
        log.sample(START * SECOND, [object_of(2, [(4, GAUGE, 8)], [(None, (1,))])])
        self.refused(1, "top", log.save(self.path("u.plog")), says="holds nothing that a page shows")


class Storm(Page):
    """More processes end in a window than are kept."""
    EACH, SAMPLES = 500, 30
    HEAVY = 499  # every so manieth does much

    def test_the_busiest_are_shown_whenever_they_ended(self):
        log = Log(NAMES)
        for s in range(self.SAMPLES):
            begun = 1000 + s * self.EACH  # these have no second sample yet
            rows = [("forker:7", (s * TICK, 1, 0, 0, 0, 0, 82))]
            for pid in range(max(1000, begun - self.EACH), begun + self.EACH):
                used = 0 if pid >= begun else TICK // 2 if pid % self.HEAVY == 0 else TICK // 1000
                rows.append(("brief:%d" % pid, (used, 1, 0, 0, 0, 0, 83)))
            log.sample((START + s) * SECOND, [object_of(70, PROCESS, rows)])
        heavy = ["brief:%d" % pid for pid in range(1000, begun) if pid % self.HEAVY == 0]
        page = self.page("--every", "1m", "-n", str(len(heavy) + 2), log.save(self.path("storm.plog")))
        rows = [line.split()[:2] for line in page[page.index("\nProcess "):].splitlines()[2:]]
        self.assertEqual([r[0] for r in rows[:-1]], ["forker:7"] + heavy)
        self.assertEqual({r[1] for r in rows[1:-1]}, {"1.7"})  # half a second of the 29 that are covered


    def test_a_program_that_comes_back_keeps_what_it_did(self):
        """In the first second it does less than each of the others, of which there are more than are kept."""
        log = Log(NAMES)
        for s in range(12):
            rows = [("p%dx:%d" % (p, p), (TICK // 5 * (s - p // 1000), 1, 0, 0, 0, 0, 83))
                    for p in range(max(0, s - 1) * 1000, (s + 1) * 1000)]
            if s < 2 or s >= 10:
                rows.append(("back:%d" % (10**6 + s // 10), (TICK // 10 * s if s < 2 else TICK * (s - 10), 1, 0, 0, 0, 0, 83)))
            log.sample((START + s) * SECOND, [object_of(70, PROCESS, rows)])
        page = self.page("--every", "1m", "-n", "1", "--group", "name", log.save(self.path("back.plog")))
        self.assertEqual(page.splitlines()[-1].split()[:3], ["back", "10.0", "%"])  # 1.1 of 11 seconds


class Identified(Page):
    """User, unit and command line, as far as the log has them."""
    HOSTILE = "c\x1b]0;x\x07 \u202e" + 300 * "\u00e9"

    def lines(self, *args, columns=None):
        make(self.path("a.plog"), entry(7, command_line="a\0-b\0c d", user_name="ann", executable="/bin/a",
                                        control_group="/user.slice/x.service/y"),
             entry(8, command_line=self.HOSTILE, user=10))
        args = ("top", "--sort", "ID Process", *args, self.path("a.plog"))
        if columns:
            return self.on_terminal(columns, *args).partition("Process ")[2].splitlines()
        return self.good(*args).out.partition("Process ")[2].splitlines()

    def test_columns(self):
        header, b, a = self.lines()
        self.assertRegex(header, r" user  unit       command$")
        self.assertNotRegex(header, "user.*user")
        self.assertRegex(a, r"^a:7 .*  ann   x\.service  a -b c d$")
        self.assertRegex(b, r"^b:8 .*  10               c\\x1B\]0;x\\x07 \\u\{202E\}")
        self.assertEqual(len(b.partition("  c\\x1B")[2]), 200 - len("c\\x1B"))
        self.check_printable(b)

    def test_screens(self):
        for columns in 200, 120:
            header, b, a = self.lines(columns=columns)
            self.assertIn("  x.service  a -b c d", a)
            self.assertLessEqual(len(b), columns)
        header, b, a = self.lines(columns=80)
        self.assertNotIn("x.service", a)
        self.assertIn("  ann   a -b c d", a)
        self.assertEqual(len(b), 80)
        header, b, a = self.lines(columns=40)
        self.assertEqual(("Process " + header)[:40], "Process " + header)
        self.assertLessEqual(max(len(a), len(b)), 40)


class Times(Page):
    def at(self, *args):
        """First and last time on the page, by the clocks of Berlin."""
        line = self.page(*args).splitlines()[0]
        return tuple(re.findall(r"13:(\d\d:\d\d)", line))

    def test_moments(self):
        log = self.log(130)
        for args, wanted in (((), ("02:09",)), (("--at", "13:00:07"), ("00:07",)), (("--at", "13:01"), ("01:00", "01:59")),
                             (("--at", "13:01 +-5s"), ("00:56", "01:05")), (("--every", "1m"), ("01:10", "02:09")),
                             (("--at", "13:01:10", "--every", "30s"), ("00:41", "01:10")),
                             (("--from", "13:01:10", "--to", "+5s"), ("01:11", "01:15"))):
            self.assertEqual(self.at(*args, log), wanted, args)

    def test_only_the_file_of_the_moment_is_read(self):
        """Of a folder, whatever is in the others: here two are damaged."""
        os.mkdir(self.path("f"))
        for i in range(4):
            self.log(60, name="f/%d.plog" % i, begin=60 * i, session=i + 1)
        for name in "1.plog", "3.plog":
            with open(self.path("f", name), "r+b") as f:  # after its first sample
                f.seek(2 * os.path.getsize(f.name) // 3)
                f.write(bytes(range(1, 200)))
        self.write("f/2a.plog", bytes(4096))  # as a power cut may leave it
        self.assertEqual(self.at("--at", "13:02:30", self.path("f")), ("02:30",))
        self.assertEqual(run("top", "--at", "13:03:50", self.path("f")).code, 2)

    def test_same_as_export(self):
        """Of a window's means: what --every calculates."""
        log = self.log(60)
        page = self.page("--at", "13:00:30", "--every", "10s", "--sort", "disk", log)
        sheet = self.wide(log, "--every", "10s", "-c", r"\Process(hammer:7)\Storage Write Bytes/sec")
        self.assertEqual(sheet.rows[3], ["2026-11-21 12:00:30", "40000000"])
        self.assertIn("40.0 MB/s", page)


class Refusals(Page):
    def test_wrong_input(self):
        log = self.log()
        for args, says in (((), "name a log"), (("--sort", "net", log), "no counter of processes is about the network"),
                           (("--sort", "dsk", log), "--sort 'dsk': did you mean disk?"),
                           (("--sort", "CPU", log), "--sort 'CPU': did you mean cpu?"),
                           (("--sort", "Wroking Set", log), r"did you mean '\Process\Working Set'"),
                           (("--sort", "", log), "name a counter"), (("-n", "0", log), "give a number of processes"),
                           (("--every", "x", log), "give a length of time"), (("--every", "1m:max", log), "give a length"),
                           (("--every", "1m", "--at", "13:00 +-1m", log), "--every is for one moment"),
                           (("--every", "1m", "--from", "13:00", log), "--every is for one moment"),
                           (("--at", "2026-11-22", log), "no samples from 2026-11-22 00:00:00 to"), (("-",), "a device has no end")):
            self.refused(1, "top", *args, says=says)

    def test_no_sample_that_can_be_read(self):
        """No time was given, so none is named."""
        r = run("top", "--max-block", "100", self.log())
        self.assertEqual((r.code, r.out), (4, ""), r)
        self.assertIn("holds no readable samples\n", r.err)
        self.assertNotIn("no samples from", r.err)


class LostNames(Page):
    def test_damage_that_took_the_names_is_the_reason(self):
        """One bit of the titles: the samples are good, but nothing in them has a name."""
        log = self.log()
        with open(log, "r+b") as f:
            at = next(r[1] for r in harness.records(log) if r[0] == "TITL") + 80
            f.seek(at)
            byte = f.read(1)[0]
            f.seek(at)
            f.write(bytes([byte ^ 1]))
        for command in ("top",), ("stats", "-c", r"\Memory\Available Bytes"), ("export", "-c", r"\Memory\Available Bytes"), ("diagnose",):
            r = run(*command, log)
            self.assertEqual((r.code, r.out), (2, ""), r)
            self.assertIn("damaged: 1 range (", r.err)


class Live(Case):
    def test_this_machine(self):
        log = self.record(self.path("a.plog"), "-i", "200ms", "-n", "4")
        out = self.good("top", "-n", "5", log).out
        for label in "Processors  busy ", "System      load ", "Memory      total ", "Process  ":
            self.assertRegex(out, "(?m)^" + label)
        head, _, processes = out.partition("\nProcess ")
        self.assertEqual(len(processes.splitlines()), 1 + 5, out)
        self.assertEqual(processes.split("\n")[0].split().count("user"), 1)
        self.assertRegex(processes, r"(?m):\d+ .*  [A-Z](  |$)")
        self.assertLessEqual(max(map(len, head.partition("\nDisk ")[0].splitlines()[1:])), 80, out)


if __name__ == "__main__":
    harness.main()
