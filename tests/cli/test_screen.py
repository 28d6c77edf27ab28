#!/usr/bin/env python3
"""perflog replay in a real terminal: keys are pressed, and the screen is looked at."""
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import Case, Recording, run
from identified import entry, make
from terminal import TMUX, Terminal
import test_moment
import test_times
from test_moment import START
from write_log import SECOND

HAS = os.environ.get("PERFLOG_HAS_REPLAY", "ON").upper() not in ("", "OFF", "FALSE", "0")
PAGE = os.path.join(harness.ROOT, "analyze/commands/perflog-replay.1.scd")


def clock(second):
    """The title's time of a second of the made log, whose zone is an hour east."""
    second += 3600 * 13
    return r"^web  2026-11-21 %02d:%02d:%02d " % (second // 3600, second // 60 % 60, second % 60)


class Screen(test_moment.Page):
    def setUp(self):
        super().setUp()
        if not HAS or not TMUX:
            self.skipTest("built without ncurses" if TMUX else "tmux is not here")

    def replay(self, *args, **how):
        return Terminal(self, "replay", *args, **how)


class Moves(Screen):
    def test_samples_and_edges(self):
        t = self.replay(self.log(6))
        t.wait(clock(5))
        t.press("Left", clock(4))
        t.press("Left", clock(3))
        t.press("Right", clock(4))
        t.press("Home", clock(0))
        t.press("Left", "this is the first sample")
        t.press("Right", clock(1))
        t.press("End", clock(5))
        t.press("Right", "this is the last sample")
        self.assertEqual(t.quit(), 0)

    def test_minutes_and_times(self):
        """A minute without samples is left out to what is there."""
        log = test_moment.Log(test_moment.NAMES, host=b"web", zone=(60, b"Europe/Berlin"))
        for s in [*range(0, 200, 5), *range(1000, 1200, 5)]:
            log.sample((START + s) * SECOND, self.objects(s))
        t = self.replay("--at", "13:00:00", log.save(self.path("a.plog")))
        t.wait(clock(0))
        t.press("PageDown", clock(60))
        t.press("PageDown", clock(120))
        t.press("PageDown", clock(180))
        t.press("PageDown", clock(1000))
        t.press("Right", clock(1005))
        t.press("PageUp", clock(195))
        for text, at in (("13:16:40", 1000), ("+1m", 1060), ("-10s", 1185), ("13:01", 60), ("@%d" % (START + 20), 20)):
            t.press("t", "^Go to")
            t.type(text)
            t.press("Enter", clock(at))
        t.keys("t")
        t.type("14:00")
        t.press("Enter", "nothing was recorded at 2026-11-20 14:00:00; the log spans")
        t.keys("t")
        t.type("noon")
        t.press("Enter", "'noon': ")
        t.press("t", "^Go to")
        t.keys("x", "BSpace", "BSpace")
        t.wait("^Go to", gone=True)
        t.wait(clock(20))

    def test_gaps_sessions_and_segments(self):
        """A folder of two recordings with an hour between them."""
        os.mkdir(self.path("logs"))
        self.log(3, os.path.join("logs", "a.plog"))
        self.log(3, os.path.join("logs", "b.plog"), begin=3600, session=2)
        t = self.replay(self.path("logs"))
        t.wait(clock(3602))
        t.press("Left", clock(3601))
        t.press("Left", clock(3600))
        t.press("Left", clock(2))
        t.press("Right", clock(3600))
        t.press("Home", clock(0))

    def test_a_segment_begun_meanwhile(self):
        """It is there for the keys that lead to the end, and for times."""
        logs = self.path("logs")
        os.mkdir(logs)
        self.log(3, "logs/a.plog")
        t = self.replay("--at", "13:00:00", logs)
        t.wait(clock(0))
        self.log(3, "logs/b.plog", begin=3600, session=2)
        t.press("End", clock(3602))
        self.log(3, "logs/c.plog", begin=7200, session=3)
        t.press("Right", clock(7200))
        t.press("End", clock(7202))
        self.log(3, "logs/d.plog", begin=10800, session=4)
        t.press("t", "^Go to")
        t.type("16:00:01")
        t.press("Enter", clock(10801))
        self.assertEqual(t.quit(), 0)

    def test_a_clock_that_was_set_back(self):
        """Left and Right lead through samples as they were recorded."""
        log = test_times.runs((36000, 400), (36300, 50)).save(self.path("a.plog"))
        t = self.replay(log)
        t.wait("^Memory .*449 MB")
        t.press("Right", "this is the last sample")
        for key, at in ("Left", 448), ("Left", 447), ("Right", 448), ("Right", 449):
            t.press(key, "^Memory .*%d MB" % at)
        t.press("m", "by memory")
        t.wait("^Memory .*449 MB")
        t.press("Home", "^Memory .* 0 ")
        t.press("End", "^Memory .*449 MB")
        t.press("t", "^Go to")
        t.type("2026-11-21 10:06:38")
        t.press("Enter", "^Memory .*398 MB")
        for key, at in ("Right", 399), ("Right", 400), ("Left", 399):
            t.press(key, "^Memory .*%d MB" % at)
        self.assertEqual(t.quit(), 0)

    def test_a_clock_that_was_set_back_before_the_beginning(self):
        log = test_times.runs((36000, 60), (32400, 60)).save(self.path("a.plog"))
        t = self.replay(log)
        t.wait("^Memory .*119 MB")
        t.press("Left", "^Memory .*118 MB")
        t.press("Home", "^Memory .* 0 ")
        t.press("Left", "this is the first sample")
        t.press("t", "^Go to")
        t.type("2026-11-21 09:00:30")
        t.press("Enter", "^Memory .* 90.0 MB")
        t.press("Right", "^Memory .* 91.0 MB")
        t.press("t", "^Go to")
        t.type("2026-11-22")
        t.press("Enter", "nothing was recorded at 2026-11-22 00:00:00; the log begins at 2026-11-21 10:00:")
        self.assertEqual(t.quit(), 0)
        t = self.replay("--at", "2026-11-21 09:00:30", log)
        t.wait("^Memory .* 90.0 MB")
        t.press("Right", "^Memory .* 91.0 MB")

    def recording_of(self, *runs_of):
        """Of a recording in several files; what the nth holds begins with n times 500 MB."""
        os.mkdir(self.path("logs"))
        for n, those in enumerate(runs_of):
            test_times.runs(*those, first=n * 500, seq=n * 1000).save(self.path("logs", "%d.plog" % n))
        return self.path("logs")

    def test_a_clock_that_was_set_back_in_another_file(self):
        """Left and Right lead from file to file as they were recorded; a time is of the last file that has it."""
        t = self.replay("--at", "2026-11-21 10:01:40", self.recording_of(((36000, 121),), ((36030, 31),)))
        t.wait("^Memory .* 100 MB")
        t.press("m", "by memory")
        for key, at in (("Left", "99.0"), ("Right", "100"), ("10:01:59", "119"), ("Right", "120"), ("Right", "500"),
                        ("Left", "120"), ("Right", "500"), ("10:00:31", "501"), ("Left", "500"), ("Left", "120"), ("End", "530"),
                        ("PageUp", "0"), ("10:01:01", "61.0"), ("PageDown", "530")):
            if ":" in key:
                t.press("t", "^Go to")
                t.type("2026-11-21 " + key)
                key = "Enter"
            t.press(key, "^Memory .* %s" % at)
        t.press("Right", "this is the last sample")
        self.assertEqual(t.quit(), 0)

    def test_an_end_whose_time_another_file_has(self):
        t = self.replay(self.recording_of(((36000, 121),), ((36130, 2), (36060, 31))))
        t.wait("^Memory .* 532 MB")
        t.press("m", "by memory")
        t.wait("^Memory .* 532 MB")
        t.press("Right", "this is the last sample")
        t.press("Left", "^Memory .* 531 MB")
        self.assertEqual(t.quit(), 0)

    def test_a_log_that_is_written(self):
        path = self.path("live.plog")
        r = Recording(self, path, "-i", "200ms")
        r.wait_for(2)
        t = self.replay(path)
        first = t.wait("following$")[0]
        harness.wait_until(lambda: t.screen()[0] != first, "the screen follows")
        held = t.press("Left", "(?<!following)$")
        t.wait("following$", gone=True)
        r.wait_for_more(3)
        t.press("End", "following$")
        harness.wait_until(lambda: t.screen()[0] not in (first, held[0]), "it follows again")
        r.end()
        self.assertEqual(t.quit(), 0)

    def test_several_hosts(self):
        t = self.replay(self.log(3), self.log(3, name="b.plog", host=b"db"))
        first = t.wait("^(web|db)  2026-11-21 13:00:02")[0][:2]
        other = "db" if first == "we" else "web"
        t.press("Tab", "^%s  2026-11-21 13:00:02" % other)

    def test_several_hosts_of_an_import(self):
        """Each has an end of its own."""
        path = self.path("both.plog")
        with open(path, "wb") as both:
            for number, (host, samples) in enumerate(((b"adm", 120), (b"db", 60))):
                one = test_times.runs((36000, samples), host=host, session=number + 1, source=b"x.blg")
                with open(one.save(self.path("one.plog")), "rb") as f:
                    both.write(f.read())
        t = self.replay(path)
        t.wait("^db  2026-11-21 10:00:59 ")
        t.press("Tab", "^adm  2026-11-21 10:00:59 ")
        t.press("End", "^adm  2026-11-21 10:01:59 ")
        t.press("Tab", "^db  2026-11-21 10:00:59 ")

    def test_a_sheet_that_is_written(self):
        sheet = self.write("a.csv", b'"(PDH-CSV 4.0) (UTC)(0)","\\\\web\\System\\Threads"\r\n'
                           b'"07/01/2020 12:00:00.000","1"\r\n"07/01/2020 12:00:01.000","2"\r\n')
        t = self.replay(sheet)
        t.wait("^web  2020-07-01 12:00:01 ")
        t.press("Right", "this is the last sample")
        with open(sheet, "ab") as f:
            f.write(b'"07/01/2020 12:00:02.000","3"\r\n')
        t.press("Right", "^web  2020-07-01 12:00:02 ")

    def test_hosts_that_have_nothing(self):
        """The host that began first, of which there is no sample, or none at that time."""
        empty = test_moment.Log(test_moment.NAMES, host=b"empty", zone=(60, b"Europe/Berlin")).save(self.path("empty.plog"))
        early, late = self.log(3, name="early.plog", host=b"early"), self.log(3, begin=3600)
        for args in [empty, late], [late, empty], ["--at", "2026-11-21 14:00:02", early, late]:
            t = self.replay(*args)
            t.wait(clock(3602))
            self.assertEqual(t.quit(), 0)
            t.end()
        t = self.replay("--at", "2027-01-01", early, late)
        t.wait("^EXIT 1$")
        self.assertIn("no samples", t.messages())

    def test_extreme_instants(self):
        """Sanitizers see what overflows."""
        first, last = -2**63, 2**63 - 1 - 50 * SECOND
        for times in [first + s * SECOND for s in range(40)], [last + s * SECOND for s in range(40)], \
                     [first, *(last + s * SECOND for s in range(40))]:
            log = test_moment.Log(test_moment.NAMES)
            for s, time in enumerate(times):
                log.sample(time, [test_moment.object_of(10, [(12, test_moment.TIMER, 8)], [("0", (s * test_moment.TICK // 2,))])],
                           perf_time=s * 10**7 + 1, time_100ns=s * 10**7 + 1)
            t = self.replay(log.save(self.path("x.plog")))
            t.wait("^Processors ")
            for key in "Home", "n", "NPage", "PPage", "End", "p", "PPage", "Left", "Home":
                t.keys(key)
            t.wait("^web  (1677|2262)-")
            self.assertEqual(t.quit(), 0, t.messages())
            t.end()


class Shows(Screen):
    maxDiff = None

    def test_the_cursor_is_behind_wide_characters(self):
        t = self.replay(self.log(2))
        t.wait(clock(1))
        t.press("/", "^Only processes with:")
        t.type("\u65e5\u672c\u8a9e")
        t.wait("\u65e5\u672c\u8a9e")
        harness.wait_until(lambda: t.tmux("display-message", "-p", "#{cursor_x}").strip() ==
                           str(len("Only processes with: ") + 2 * 3), "the cursor is there")

    def test_it_is_the_page_of_top(self):
        """On a screen 80 wide it is that page, but for spark lines, and a last line."""
        log = self.log(4)
        page = self.page("--at", "13:00:02", log).splitlines()
        t = self.replay("--at", "13:00:02", log, lines=50)
        screen = t.wait("^hammer:7")
        sparks = re.compile("[\u2581-\u2588]+")
        words = " ".join(sparks.sub("", line) for line in screen[:-1]).split()
        self.assertEqual(words, " ".join(page).split())
        head = next(line for line in page if line.startswith("Process "))
        self.assertEqual([line for line in screen[screen.index(head):-1] if line], page[page.index(head):])
        self.assertRegex(screen[-1], r"^\? help  q quit ")

    def test_sizes(self):
        t = self.replay(self.log(4))
        low = t.wait("^hammer:7")
        self.assertEqual(len(low), 24)
        self.assertLess([line.split()[0] if line else "" for line in low].index("Zombies"), 8)
        for lines, columns in (50, 200), (5, 20), (1, 1), (24, 80):
            t.resize(lines, columns)
            harness.wait_until(lambda n=lines: len(t.screen()) == n, "the terminal has another size")
            t.keys("Left", "Right")
        self.assertEqual(t.wait("^hammer:7")[3:], t.press("End", clock(3))[3:])
        self.assertEqual(t.quit(), 0)

    def test_sorted_and_filtered(self):
        t = self.replay(self.log(4), lines=40)
        for key, first in ("m", "large:9"), ("d", "hammer:7"), ("i", "hammer:7"), ("c", "spin:8"):
            screen = t.press(key, "processes by %s" % {"m": "memory", "d": "disk", "i": "io", "c": "cpu"}[key])
            self.assertTrue(next(line for line in screen if re.match(r"\w+:\d", line)).startswith(first), key)
        t.keys("s")
        t.type("user id")
        screen = t.press("Enter", "processes by user id")
        self.assertTrue(next(line for line in screen if re.match(r"\w+:\d", line)).startswith("hammer:7"))
        t.keys("s")
        t.type("a\\b\\c")
        t.press("Enter", "no process has such a counter")
        t.keys("c", "/")
        t.type("AMM")
        screen = t.press("Enter", "with AMM$")
        self.assertEqual([line.split()[0] for line in screen if re.match(r"\w+:\d", line)], ["hammer:7"])
        t.keys("/")
        t.type("nobody")
        t.press("Enter", "with nobody: none$")
        t.keys("/")
        t.press("Enter", "^spin:8")
        screen = t.press("Down", "from 2 of 4")
        self.assertEqual([line.split()[0] for line in screen if re.match(r"\w+:\d", line)][0], "hammer:7")
        t.press("Up", "^spin:8")

    def test_help_table_and_manual_agree(self):
        with open(PAGE, encoding="utf-8") as f:
            keys = f.read().split("# KEYS\n")[1].split("\n\nA time")[0]
        wanted = re.findall(r"^\*(.+)\*\n\t(.+)$", keys, re.M)
        t = self.replay(self.log(2), lines=50)
        screen = t.press("?", "^Any key goes back")
        found = [tuple(re.split(r"  +", line.strip(), maxsplit=1)) for line in screen if re.match("  [^ ]", line)]
        self.assertEqual(found, wanted)
        self.assertGreater(len(wanted), 10)
        t.press("x", clock(1))
        # The whole of it fits the smallest usual screen.
        t.resize(24, 80)
        t.press("?", "^Any key goes back")


class Events(Screen):
    """A busy second in the middle, a gap, a second recording."""

    def busy_log(self):
        def log(name, session, seconds):
            log = test_moment.Log(test_moment.NAMES, host=b"web", zone=(60, b"Europe/Berlin"), session=session)
            busy = 0
            for s in seconds:
                busy += 0.9 if s in (100, 101, 102) else 0.95 if s == 103 else 0.1
                log.sample((START + s) * SECOND, [test_moment.object_of(10, [(12, test_moment.TIMER, 8)], [
                    ("_Total", (int(busy * test_moment.TICK),)), ("0", (0,))])])
            return log.save(self.path("logs", name))
        os.mkdir(self.path("logs"))
        log("a.plog", 1, [*range(200), *range(260, 300)])
        log("b.plog", 2, range(600, 640))
        return self.path("logs")

    def test_next_and_previous(self):
        t = self.replay("--at", "13:00:00", self.busy_log())
        t.wait(clock(0))
        t.press("n", r"^peak: processors busy 95\.0 %, usually 10\.0 %$")
        t.wait(clock(103))
        t.press("n", "^gap: nothing was recorded for 1m1s$")
        t.wait(clock(260))
        t.press("n", "^here a recording begins$")
        t.wait(clock(600))
        t.press("n", "^no peak, gap or event follows$")
        t.press("N", "^gap: ")
        t.press("N", "^peak: ")
        t.wait(clock(103))
        t.press("N", "^no peak, gap or event")

    def test_spark_lines(self):
        """The peak, 47 s ago, is in the last character but one of ten."""
        log = self.busy_log()
        t = self.replay("--at", "13:02:30", log)
        t.wait("^Processors       \u2581\u2581\u2581\u2588\u2581  busy 10.0 %")
        t.resize(24, 130)
        t.wait("^Processors                 \u2581\u2581\u2581\u2588\u2581  busy 10.0 %")
        t.end()
        t = self.replay("--at", "13:02:30", log, LC_ALL="C")
        t.wait("^Processors       ___#_  busy 10.0 %")

    def test_a_recording_that_begins_in_times_of_the_one_before(self):
        os.mkdir(self.path("logs"))
        for n, (first, samples) in enumerate(((36000, 121), (36030, 31))):
            test_times.runs((first, samples), first=n * 500, session=n + 1).save(self.path("logs", "%d.plog" % n))
        t = self.replay("--at", "2026-11-21 10:00:10", self.path("logs"))
        t.wait("^Memory .* 10.0 MB")
        t.press("n", "here a recording begins")
        t.wait("^Memory .* 500 MB")
        t.press("Left", "^Memory .* 120 MB")
        self.assertEqual(t.quit(), 0)

    def test_damage_is_an_event(self):
        log = self.log(40)
        with open(log, "r+b") as f:
            f.seek(harness.records(log)[-12][1] + 80)
            f.write(b"\xff\xff\xff")
        t = self.replay("--at", "13:00:05", log)
        t.wait(clock(5))
        t.press("n", "^damage before this sample$")
        self.assertEqual(t.quit(), 2)

    def test_damage_at_the_end(self):
        """The last sample that is there does not show it; the search does, and so does the exit status."""
        log = self.log(8)
        with open(log, "r+b") as f:
            for record in harness.records(log)[-3:]:
                f.seek(record[1] + 80)
                f.write(b"\xff\xff\xff")
        t = self.replay("--at", "13:00:02", log)
        t.wait(clock(2))
        t.press("N", "^no peak, gap or event comes before$")
        t.press("n", "^damage after this sample: it is the last one that can be read$")
        t.wait(clock(4))
        t.press("n", "^no peak, gap or event follows$")
        self.assertEqual(t.quit(), 2)
        t.end()
        t = self.replay("--at", "13:00:02", log)
        t.wait(clock(2))
        t.press("N", "^no peak, gap or event comes before$")
        self.assertEqual(t.quit(), 2)


class Orders(Screen):
    """The tree of parents, and control groups with their sums."""

    def log_of(self, *found):
        """found: (name, threads, parent, control group) of each process."""
        path = self.path("a.plog")
        make(path, b"".join(entry(int(name.split(":")[1]), parent_name=parent, control_group=group, user_name="ann",
                                  executable="/bin/" + name.split(":")[0])
                            for name, _, parent, group in found),
             samples=[[(name, int(name.split(":")[1]), threads, 0) for name, threads, _, _ in found]] * 2)
        return path

    def rows(self, *keys, log):
        t = self.replay("--sort", "Thread Count", log, columns=140)
        screen = t.wait(r"^Process ")
        for key in keys:
            t.keys(key)
        if keys:
            screen = t.wait(r"processes by .*%s" % {"p": "parent", "g": "group", "b": "program"}[keys[0]])
        at = next(i for i, line in enumerate(screen) if line.startswith("Process "))
        return [line for line in screen[at + 1:-1] if line], t

    def test_tree(self):
        """What a tree did counts, below that what one did; orphans and rings are listed."""
        log = self.log_of(("init:1", 1, "", "/"), ("sh:2", 1, "init:1", "/"), ("make:3", 2, "sh:2", "/"),
                          ("cc:4", 9, "make:3", "/"), ("big:5", 7, "init:1", "/"), ("orphan:6", 8, "gone:99", "/"),
                          ("one:7", 3, "two:8", "/"), ("two:8", 4, "one:7", "/"))
        rows, t = self.rows("p", log=log)
        self.assertEqual([re.match(r" *\S+", line)[0] for line in rows],
                         ["init:1", "  sh:2", "    make:3", "      cc:4", "  big:5", "orphan:6", "two:8", "one:7"])
        t.keys("/")
        t.type("CC")
        screen = t.press("Enter", "with CC$")
        self.assertEqual([re.match(r" *\S+", line)[0] for line in screen if re.match(r" *\w+:\d", line)],
                         ["init:1", "  sh:2", "    make:3", "      cc:4"])
        t.press("p", "processes by Thread Count, with CC$")
        t.keys("/")
        t.type("make:3")  # the name of a parent is none of what its children are found by
        screen = t.press("Enter", "with make:3")
        self.assertEqual([line.split()[0] for line in screen if re.match(r" *\w+:\d", line)], ["make:3"])

    def test_control_groups(self):
        log = self.log_of(("a:1", 5, "", "/x.service"), ("b:2", 7, "", "/y.service"), ("c:3", 4, "", "/x.service"),
                          ("d:4", 1, "", ""))
        rows, t = self.rows("g", log=log)
        self.assertEqual([line.split()[:2] for line in rows],
                         [["/x.service", "9"], ["a:1", "5"], ["c:3", "4"], ["/y.service", "7"], ["b:2", "7"],
                          ["(none)", "1"], ["d:4", "1"]])
        t.keys("/")
        t.type("Y.SERV")
        screen = t.press("Enter", "with Y.SERV")
        self.assertEqual([line.split()[0] for line in screen if re.match(r" *(/|\(none|\w+:\d)", line)], ["/y.service", "b:2"])

    def test_programs(self):
        """Those of several processes have a sum, and stand where it puts them."""
        log = self.log_of(("cc:1", 5, "", "/"), ("big:2", 8, "", "/"), ("cc:3", 4, "", "/"), ("dd:4", 1, "", "/"))
        rows, t = self.rows("b", log=log)
        self.assertEqual([line.split()[:2] for line in rows],
                         [["cc", "9"], ["cc:1", "5"], ["cc:3", "4"], ["big:2", "8"], ["dd:4", "1"]])
        self.assertTrue(rows[1].startswith("  cc:1") and rows[3].startswith("big:2"), rows)
        t.keys("/")
        t.type("cc:3")
        screen = t.press("Enter", "with cc:3")
        self.assertEqual([line.split()[:2] for line in screen if re.match(r" *(cc|big|dd)", line)], [["cc:3", "4"]])

    def test_users_have_no_sum(self):
        t = self.replay(self.log(4))
        rows = [line for line in t.press("g", "by control group$") if line.startswith("(none)")]
        self.assertEqual(rows, ["(none)      106.0 %  3.00 GB  0 B/s  40.0 MB/s     -"])


class Kinds(Screen):
    def test_characters(self):
        """Names that would act on a terminal, and wide ones."""
        names = {b"esc:1": "e\x1b[2J\x07:1", b"wide": "\u6f22\u5b57:2", b"rtl": "a\u202eb:3"}
        log = test_moment.Log(test_moment.NAMES, host=b"we\x1b[31mb", zone=(60, b"Europe/Berlin"))
        for s in range(3):
            log.sample((START + s) * SECOND, [test_moment.object_of(70, test_moment.PROCESS, [
                (name, (s * 10**6, 1000, 0, 0, 0, 0, ord("R"))) for name in names.values()])])
        path = log.save(self.path("a.plog"))
        for env in {"LC_ALL": "C.UTF-8"}, {"LC_ALL": "C"}, {"TERM": "vt100"}, {"LC_ALL": "C", "TERM": "vt100"}:
            t = self.replay(path, **env)
            for last in ":1", ":2", ":3":
                text = "\n".join(t.wait(last + " "))
            self.assertIn(r"we\x1B[31mb  2026-11-21 13:00:02 ", text)
            self.assertIn(r"e\x1B[2J\x07:1  ", text)
            self.assertIn(r"a\u{202E}b:3  ", text)
            self.assertIn("??:2  " if env.get("LC_ALL") == "C" else "\u6f22\u5b57:2  ", text)
            self.assertEqual(t.quit(), 0, t.messages())
            t.end()

    def test_damage(self):
        log = self.log(40)
        with open(log, "r+b") as f:
            f.seek(harness.records(log)[-5][1] + 80)
            f.write(b"\xff\xff\xff")
        t = self.replay(log)
        t.wait(clock(39))
        for _ in range(8):
            t.keys("Left")
        t.wait(clock(30))
        self.assertEqual(t.quit(), 2, t.messages())

    def test_logs_of_windows(self):
        path = os.path.join(os.environ.get("PERFLOG_DATA", ""), "BasicPerfCounters.blg")
        found = [os.path.join(d, f) for d, _, files in os.walk(os.environ.get("PERFLOG_DATA", "/nonexistent"))
                 for f in files if f.lower().endswith(".blg")] if not os.path.exists(path) else [path]
        if not found:
            self.skipTest("there are no logs of Windows here")
        t = self.replay(sorted(found)[0])
        last = t.wait(r"^.+  20\d\d-\d\d-\d\d ")[0]
        t.keys("Left")
        harness.wait_until(lambda: t.screen()[0] not in ("", last), "another sample")
        self.assertIn(t.quit(), (0, 2))


class Refusals(Screen):
    def test_no_terminal(self):
        self.refused(1, "replay", self.log(2), says="perflog top")
        self.refused(1, "replay", says="name a log")

    def test_terminals_that_cannot(self):
        for term in "dumb", "", "no-such-terminal":
            t = self.replay(self.log(2), TERM=term)
            t.wait("^EXIT 1$")
            self.assertIn("TERM is '%s'" % term, t.messages())
            self.assertIn("perflog top", t.messages())
            t.end()

    def test_wrong_logs_and_times(self):
        for args, says in ((["/nonexistent.plog"], "nonexistent"), (["--at", "2027-01-01", self.log(2)], "no samples"),
                           (["--sort", "a\\b", self.log(2)], "no process has such a counter"),
                           (["--sort", "cup", self.log(2)], "--sort 'cup': did you mean cpu?")):
            t = self.replay(*args)
            t.wait("^EXIT 1$")
            self.assertIn(says, t.messages())
            t.end()


class Bytes(Screen):
    """What the terminal gets, byte by byte."""

    def start(self, *args, **env):
        master, slave = pty.openpty()
        self.addCleanup(os.close, master)
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        p = subprocess.Popen([harness.PROGRAM, "replay", *args], stdin=slave, stdout=slave,
                             env={**os.environ, "LC_ALL": "C.UTF-8", "TERM": "xterm-256color", **env})
        self.addCleanup(p.wait)
        self.addCleanup(p.kill)
        os.close(slave)
        return p, master

    @staticmethod
    def read(master, until, seconds=harness.TIMEOUT):
        got = b""
        while until not in got and select.select([master], [], [], seconds)[0]:
            got += os.read(master, 65536)
        return got

    def test_nothing_is_drawn_in_vain(self):
        p, master = self.start("--at", "13:00:02", self.log(4))
        first = self.read(master, b"? help")
        self.assertGreater(len(first), 400)
        self.assertFalse(re.search(rb"\x1b\[[0-9;]*[34][0-8][;m]", first), "colours")
        # Nothing comes by itself, nor by a key that does nothing but beep.
        self.assertLess(len(self.read(master, b"\0", 1)), 60)
        os.write(master, b"Z")
        self.assertEqual(self.read(master, b"\x07", 5), b"\x07")
        # A step writes what changed: a second, and few figures.
        os.write(master, b"\x1bOC")
        step = self.read(master, b"\0", 1)
        self.assertNotIn(b"\x07", step)
        self.assertGreater(len(step), 8)
        self.assertLess(len(step), len(first) // 2)
        os.write(master, b"q")
        self.assertEqual(p.wait(harness.TIMEOUT), 0)

    def test_a_terminal_that_goes_ends_it(self):
        p, master = self.start(self.log(2))
        self.read(master, b"? help")
        os.dup2(os.open("/dev/null", os.O_RDONLY), master)
        self.assertIsNotNone(p.wait(harness.TIMEOUT))


class Without(Case):
    def test_a_build_without_ncurses_says_so(self):
        if HAS:
            self.skipTest("built with ncurses")
        r = run("replay", "x.plog")
        self.check_one_line(r, 1, "built without ncurses")
        self.assertIn("perflog top", r.err)
        self.assertIn("PERFLOG_REPLAY=ON", r.err)


if __name__ == "__main__":
    harness.main()
