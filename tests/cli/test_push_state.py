#!/usr/bin/env python3
"""push --state: where a run goes on, whatever hosts, clocks and options were before."""
import os
import struct
import sys
import time

sys.path.insert(1, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import run
from pushed import START, InOrder, Push, S

HOUR = 3600
YEARS_AGO = 1_600_000_000


class State(Push):
    def setUp(self):
        super().setUp()
        self.state = self.path("state")
        self.to = self.receiver()

    def push_on(self, *logs, code=0, **how):
        return self.push(self.to, logs[0], *logs[1:], "--state", self.state, code=code, **how)

    def seconds(self, host="web"):
        return sorted({k[3] // 1000 - START for k in self.sent(self.to)[0] if k[1] == host})

    def sheet(self, name, seconds):
        rows = ['"%s","%d"' % (time.strftime("%m/%d/%Y %H:%M:%S.000", time.gmtime(YEARS_AGO + s)), s) for s in seconds]
        return self.write(name, "\r\n".join(['"(PDH-CSV 4.0) (UTC)(0)","\\\\web\\Memory\\Free"', *rows, ""]).encode())

    def imported(self, name, at):
        """A log with an index."""
        log = self.path(name + ".plog")
        self.good("import", "-q", self.sheet(name + ".csv", range(at, at + 3)), "-o", log)
        return log


class Hosts(State):
    def test_a_new_one(self):
        """Its log is sent from the beginning, though others' positions are far behind that."""
        old = self.made(range(3 * HOUR, 3 * HOUR + 5), "old.plog")
        self.push_on(old)
        new = self.made(range(0, 3 * HOUR, 600), "new.plog", host=b"new")
        self.push_on(old, new)
        self.assertEqual(self.seconds("new"), list(range(0, 3 * HOUR, 600)))
        self.assertEqual(self.to.num_samples(), len(self.to.samples()))

    def test_two_of_one_name(self):
        """Machines that share a name have positions of their own: 'web' and 'web#1'."""
        late = self.made(range(3 * HOUR, 3 * HOUR + 3), "1.plog", machine=1)
        self.push_on(late, self.made(range(3), "2.plog", machine=2))
        self.push_on(late, self.made(range(5), "2.plog", machine=2))
        self.assertEqual(self.seconds("web#1"), [*range(5)])

    def test_two_of_one_name_one_by_one(self):
        """Each goes on where it was, under the name that it had, whichever logs a run is given."""
        def log(machine, n):
            return self.made(range(10 * machine, 10 * machine + n), "%d.plog" % machine, machine=machine)
        self.push_on(log(1, 3), log(2, 3))
        for machine, n in (2, 5), (1, 5), (3, 4), (2, 7), (1, 7):
            self.push_on(log(machine, n))
        self.push_on(log(3, 9), log(2, 9), log(1, 9))
        for machine, host in enumerate(("web", "web#1", "web#2"), 1):
            self.assertEqual(self.seconds(host), [*range(10 * machine, 10 * machine + 9)])
        self.assertEqual(self.to.num_samples(), len(self.to.samples()))

    def test_names_that_look_like_numbered_ones(self):
        """Whatever a machine is called, no two are one, and files of before, which have no machines, are read."""
        logs = [self.made(range(10 * i, 10 * i + 3), "%d.plog" % i, host=host, machine=i, session=i)
                for i, host in enumerate((b"web", b"web#1", b"web", b"web %", b""), 1)]
        self.push_on(*logs)
        names = {k[1] for k in self.sent(self.to)[0]}
        self.assertEqual(len(names), 5)
        for again in logs[::-1], logs[:1], logs[2:3], logs[2:], logs[1:]:
            self.assertIn(" 0 samples sent", self.push_on(*again).err)
        with open(self.state) as f:
            lines = f.read().splitlines()
        self.write("state", "\n".join(["perflog push 1", lines[1], *(" ".join(line.split(" ")[:5]) for line in lines[2:]), ""]).encode())
        self.assertIn(" 0 samples sent", self.push_on(*logs).err)
        for bad in "x web", "0000000000000001", "0000000000000001 %zz", "0000000000000001 web web":
            self.write("state", ("%s %s\n" % ("\n".join([*lines[:2], " ".join(lines[2].split(" ")[:5])]), bad)).encode())
            self.assertIn("no file of positions", self.push_on(*logs, code=1).err)

    def test_one_that_is_gone(self):
        """Its position is kept, but the others' logs are not read from there on."""
        gone = self.made(range(3), "gone.plog", host=b"gone")
        early, *later = (self.imported("%d" % at, at) for at in (0, HOUR, 2 * HOUR))
        self.push_on(gone, early, *later)
        with open(early, "r+b") as f:  # it would be reported if it were read
            f.seek(os.path.getsize(early) // 2)
            f.write(b"x" * 50)
        r = self.push_on(early, *later)
        self.assertIn(" 0 samples sent", r.err)
        with open(self.state) as f:
            self.assertEqual(sorted(line.split()[-1] for line in f.read().splitlines()[2:]), ["gone", "web"])

    def test_one_without_samples(self):
        """Other hosts' positions make nothing of it readable; one that was sent before may have no more."""
        self.push_on(self.made(range(3)))
        self.push_on(self.made([], "none.plog", host=b"none"), code=4)
        self.push_on(self.made([], session=2))


class Files(State):
    def test_no_name_of_a_file(self):
        """It is refused before anything is sent or left behind."""
        log, folder = self.made(range(3)), self.path("folder")
        os.mkdir(folder)
        for state in "", folder, folder + "/", self.path("none/"):
            r = run("push", "--url", self.to.url, "--state", state, log, cwd=folder)
            self.assertEqual((r.code, r.err), (1, "perflog: push: --state '%s': give the name of a file\n" % state))
        self.assertEqual((self.to.requests, os.listdir(folder), sorted(os.listdir(self.folder))), ([], [], ["a.plog", "folder"]))


class Copies(State):
    def test_repaired_and_cut(self):
        """They have sessions of their own; nothing of them is sent twice, and nothing is reported to be lost."""
        log, new = self.made(range(20)), self.path("new.plog")
        self.push_on(log, "--to", "@%d" % (START + 9))
        for command in ("repair", "-q", log, "-o", new), ("cut", "-q", log, "--from", "@%d" % (START + 5), "-o", new):
            self.good(*command)
            with open(self.state, "rb") as f:
                before = f.read()
            self.to.taken.clear()
            self.push_on(new)
            self.assertEqual(self.seconds(), [*range(10, 20)])
            self.write("state", before)
            os.unlink(new)

    def push_piped(self, data, code=0):
        """Of a pipe is not known beforehand that the log has the position, or what follows it."""
        return self.push_on("-", code=code, data=data)

    def test_repaired_and_piped(self):
        log, new = self.made(range(20)), self.path("new.plog")
        self.good("repair", "-q", log, "-o", new)
        self.push_on(log, "--to", "@%d" % (START + 9))
        with open(new, "rb") as f:
            self.push_piped(f.read())
        self.assertEqual(self.seconds(), [*range(20)])
        self.assertEqual(self.to.num_samples(), len(self.to.samples()))

    def test_position_behind_another_session_in_a_pipe(self):
        """It is found once all is read."""
        one, two = (harness.read(self.made(rows, session=session)) for rows, session in ((range(5), 1), (range(10, 15), 2)))
        self.push_piped(one)
        self.push_piped(two + one)
        self.assertEqual(self.seconds(), [*range(5), *range(10, 15)])


class Notes(State):
    def test_very_many(self):
        """Of what many runs began to send and did not hear of, the last is in doubt."""
        last = (START + 4) * 1000 + 1
        self.write("state.lock", b"".join(b"\n%d\n" % ms for ms in range(last - 400, last + 1)))
        self.to = self.receiver(*[(400, {}, b"out of order sample")] * 99)
        self.assertNotIn("refused", self.push_on(self.made(range(5))).err)


class Clocks(State):
    """A clock that was far in the future, as one without a battery, and then was set."""

    FUTURE = 10 * 365 * 86_400
    LEFT = "perflog: 3 rows are more than 15 minutes ahead of this machine's clock: not sent by this run"

    def setUp(self):
        super().setUp()
        self.wrong = [self.FUTURE + s for s in range(3)]

    def stands_at(self, second, seq, session, ended=1):
        """The position of a run of which we make no log, as when this machine's clock was wrong, too."""
        self.write("state", ("perflog push 1\n%s\n%016x %d %d %d web\n" %
                             (self.to.url, session, seq, (START + second) * S, ended)).encode())

    def test_set_within_a_log(self):
        """Times in the future are left out; rows go on at once, and later runs go on behind them."""
        for n in 0, 3, 6, 9:
            r = self.push_on(self.made([*self.wrong, *range(n)]))
            self.assertEqual(self.seconds(), [*range(n)])
            self.assertEqual(self.LEFT in r.err, n <= 3, r)  # then they are before the position
        self.assertEqual(self.to.num_samples(), len(self.to.samples()))

    def test_left_to_a_later_run(self):
        """What was in the future as this machine's clock was slow."""
        now = int(time.time()) - START
        log = self.made([now, now + 2 * HOUR])
        self.push_on(log)
        self.assertEqual(self.seconds(), [now])
        with open(self.state) as f:
            self.assertEqual(f.read().splitlines()[2].split()[1:3], ["2", str((START + now) * S)])

    def test_ends_of_the_future(self):
        """All series end before it, and are there again in the next row."""
        for interval_ns in S, 0:
            receiver = self.receiver()
            self.push(receiver, self.made([*range(2), *self.wrong, *range(12, 15)], interval_ns=interval_ns))
            ends = {ms // 1000 - START for *_, ms in self.sent(receiver)[1] if ms % 1000}
            self.assertEqual(ends, {1, 14} if interval_ns else {14})

    def test_any_time(self):
        """Logs may state any time: the first and the last there are, in either order."""
        first, last = (s // S - START for s in (-2**63 + S, 2**63 - 1))
        for n, seconds in enumerate(((first, last), (last, first))):
            receiver = self.receiver()
            self.push(receiver, self.made(seconds, "%d.plog" % n))
            self.assertEqual(sorted({k[3] // 1000 - START for k in self.sent(receiver)[0]}), [first])

    def test_set_after_a_run(self):
        """The position is in the future, and found by its number."""
        self.stands_at(self.wrong[-1], 4, self.maker.SESSION)
        for n in 3, 6:
            r = self.push_on(self.made([*self.wrong, *range(n)]))
            self.assertEqual(self.seconds(), [*range(n)])
            self.assertNotIn("ahead", r.err)

    def test_set_and_rotated(self):
        """The position is in the future, and of a session that is gone: all is sent, which is reported."""
        self.stands_at(self.wrong[-1], 4, 1)
        r = self.push_on(self.made(range(5), session=2), code=2)
        self.assertIn("in the future and no longer in the log, which is sent from 2026-11-21 07:35:00.000 UTC on", r.err)
        self.push_on(self.made(range(7), session=2))
        self.assertEqual(self.seconds(), [*range(7)])

    def test_sessions_in_the_order_of_their_times(self):
        """That of the future is read last, and what is recorded later is before it."""
        for right, interval_ns in ((), S), ((-5, -4), S), ((-5, -4), 0):
            wrong = self.made([*self.wrong, *right], "wrong.plog", session=1, interval_ns=interval_ns)
            for n in 3, 6, 9:
                self.to.taken.clear()
                self.push_on(wrong, self.made(range(n), session=2, interval_ns=interval_ns))
                self.assertEqual(self.seconds(), [*(right if n == 3 else ()), *range(n - 3, n)])
                ends = {ms // 1000 - START for *_, ms in self.sent(self.to)[1] if ms % 1000}
                self.assertEqual(ends, {n - 1, *(right[-1:] if n == 3 else ())})
            os.unlink(self.state)

    def test_session_after_one_that_began_in_the_future(self):
        """It is read before that, where the position is: each row is sent once, in order, and so is each end."""
        in_order = InOrder()
        self.to = self.receiver(*[in_order] * 99)
        one = self.made(range(10), "1.plog", session=1)
        two = self.made([*self.wrong, *range(600, 610)], "2.plog", session=2)
        self.push_on(one, two)
        three = self.made(range(1600, 1605), "3.plog", session=3)
        for logs in (one, two, three), (one, two, three):
            self.push_on(*logs)
        self.assertEqual(self.seconds(), [*range(10), *range(600, 610), *range(1600, 1605)])
        self.push_on(one, two, three, self.made(range(2600, 2605), "4.plog", session=4))
        self.assertEqual(self.seconds()[-5:], [*range(2600, 2605)])
        self.assertEqual({ms // 1000 - START for *_, ms in self.sent(self.to)[1] if ms % 1000}, {9, 609, 1604, 2604})
        self.assertEqual(self.to.num_samples(), len(self.to.samples()))

    def test_a_little_ahead(self):
        """Once the times that were left are near, they are neither sent nor in the way of what followed them."""
        now = int(time.time()) // 5 * 5 - START
        a, c, new, more = (range(now + i, now + k) for i, k in ((-59, -49), (-49, -19), (-19, -9), (-9, 1)))
        for n, args in enumerate(((), ("--every", "5s"))):
            def one(ahead, *rows, begins=a):
                return self.made([*begins, *range(now + ahead, now + ahead + 8), *(s for r in rows for s in r)], "1.plog", session=1)
            to, state = self.receiver(*[InOrder()] * 99), ("--state", self.path("state%d" % n), *args)
            self.assertIn("more than 15 minutes ahead", self.push(to, one(1000, c), *state).err)
            for ahead, rows, others in (800, (c, new), ()), (750, (c, new), more[:5]), (700, (c, new), more):
                logs = one(ahead, *rows), *((self.made(others, "2.plog", session=2),) if others else ())
                self.assertNotIn("ahead", self.push(to, logs[0], *logs[1:], *state).err)
            wanted = {*a, *c, *new, *more}
            seconds = {k[3] // 1000 - START for k in self.sent(to)[0]}
            self.assertEqual(seconds, {s for s in wanted if s % 5 == 0} if args else wanted, args)
            self.assertEqual(to.num_samples(), len(to.samples()), args)

    def test_set_back_by_hours(self):
        """Rows that are not after the ones before them are counted in each run."""
        first = range(HOUR, HOUR + 3)
        self.push_on(self.made(first))
        for n in 3, 6:
            r = self.push_on(self.made([*first, *range(n)]), code=2)
            self.assertIn("%d rows, whose time is not after the one before, cannot be sent" % n, r.err)
        self.push_on(self.made([*first, *range(6), HOUR + 5]), code=2)
        self.assertEqual(self.seconds(), [*first, HOUR + 5])


class Stops(State):
    """Sessions that are read after others are earlier than these, as their clock had been in the future when they began."""

    WRONG = [Clocks.FUTURE + s for s in range(3)]
    EVERY = (), ("--every", "5s")

    def wide(self, name, seconds, **how):
        """So many series that each row is a request."""
        log = self.maker.Log({2: b"Tank", 4: b"Level"}, **how)
        for s in seconds:
            log.sample((START + s) * S, [self.maker.object_of(2, [(4, 0x00010100, 8)], [("d%d" % i, (s,)) for i in range(20500)])])
        return log.save(self.path(name))

    def early(self, n):
        return self.made([*self.WRONG, *range(-99, n - 99)], "early.plog", session=1)

    def stop_after(self, requests, *logs, args=()):
        """A run whose receiver takes so many requests; then it takes all."""
        self.to = self.receiver(*[(204, {}, b"")] * requests, (401, {}, b"who are you?"))
        self.state = self.path("state" + "".join(args))
        self.push(self.to, *logs, "--state", self.state, *args, code=1)

    def go_on(self, *logs, args=()):
        """The seconds of what one more run sends."""
        self.to.taken.clear()
        r = self.push(self.to, *logs, "--state", self.state, *args)
        self.assertEqual(self.to.num_samples(), len(self.to.samples()), r)
        return self.seconds()

    def test_before_a_session_that_is_earlier(self):
        """Each of its rows is sent by the next run, and no more; and so is each of what it has later."""
        late = self.wide("late.plog", [0], session=2)
        for args in self.EVERY:
            step = 5 if args else 1
            self.stop_after(1, late, self.early(10), args=args)
            self.assertEqual(self.seconds(), [0])
            self.assertEqual(self.go_on(late, self.early(10), args=args), [*range(-95 if args else -99, -89, step)])
            self.assertEqual(self.go_on(late, self.early(10), args=args), [])
            self.assertEqual(self.go_on(late, self.early(15), args=args), [*range(-85 if args else -89, -84, step)])

    def test_within_it(self):
        late, early = self.wide("late.plog", [0], session=2), self.wide("early.plog", [*self.WRONG, *range(-99, -95)], session=1)
        self.stop_after(3, late, early)
        self.assertEqual(self.seconds(), [-99, -98, 0])
        self.assertEqual(self.go_on(late, early), [-97, -96])
        self.assertEqual(self.go_on(late, early), [])

    def test_behind_one_that_came_later(self):
        """How far each has come is known wherever the position is."""
        late, early = self.made([0], "late.plog", session=2), self.early(10)
        for args in self.EVERY:
            self.stop_after(0, late, early, args=args)
            self.go_on(late, early, args=args)
            later = self.wide("later.plog", [55, 60], session=3)
            self.to.answers[:] = (204, {}, b""), (401, {}, b"who are you?")
            self.push(self.to, late, early, later, "--state", self.state, *args, code=1)
            self.assertEqual(self.go_on(late, early, later, args=args), [60])
            self.assertEqual(self.go_on(late, early, later, args=args), [])

    def test_one_that_turns_up_later(self):
        late = self.made([0], "late.plog", session=2)
        for args in self.EVERY:
            self.stop_after(0, late, args=args)
            self.assertEqual(self.go_on(late, args=args), [0])
            self.assertEqual(self.go_on(late, self.early(10), args=args), [*range(-95 if args else -99, -89, 5 if args else 1)])

    def test_its_beginning_is_deleted(self):
        """The times in the future are gone, and it goes on."""
        first = self.made([*self.WRONG, -99], "first.plog", session=1)

        def second(n):
            return self.made(range(-90, n - 90), "second.plog", session=1, seq=100)
        self.stop_after(0, first, second(3))
        self.assertEqual(self.go_on(first, second(3)), [-99, *range(-90, -87)])
        for n in 6, 9:
            self.assertEqual(self.go_on(second(n)), [*range(n - 93, n - 90)])

    def test_files_of_before(self):
        """They have no marks: what may not have been sent is sent again."""
        late, early = self.made([0], "late.plog", session=2), self.early(10)
        self.stop_after(0, late, early)
        self.go_on(late, early)
        with open(self.state) as f:
            lines = f.read().splitlines()
        self.assertEqual([line.split()[3] for line in lines[2:]], ["2", "1"])
        self.write("state", "\n".join([*lines[:2], lines[3], ""]).encode())
        self.assertEqual(self.go_on(late, early), [*range(-99, -89)])
        self.assertEqual(self.go_on(late, early), [])

    def test_very_many(self):
        """The file stays small, and what it cannot hold is sent again."""
        logs = [self.made([*self.WRONG, s], "%d.plog" % s, session=1000 + s) for s in range(70)]
        self.stop_after(0, *logs)
        self.assertEqual(self.go_on(*logs), [*range(70)])
        with open(self.state) as f:
            self.assertEqual(len(f.read().splitlines()), 2 + 64 + 1)
        self.assertLess(len(self.go_on(*logs)), 70)


class Windows(State):
    def test_that_of_now(self):
        """A window's time is its end, which may be to come; it is in the future if its beginning is."""
        now = int(time.time()) // 5 * 5 - START
        rows, left = range(now - 2 * HOUR, now, 60), "1 row is more than 15 minutes ahead of this machine's clock"
        log, three_days = self.made(rows), ("--every", "3d")
        self.assertRegex(self.good("push", "--forecast", *three_days, log).out, r"(?m)^PhysicalDisk +2 ")
        r = self.push(self.to, log, *three_days)
        self.assertNotIn("ahead", r.err)
        self.assertGreaterEqual(max(self.seconds()), now - 1)
        r = self.push(self.to, self.made([*rows, now + 6 * 24 * HOUR]), *three_days, "--state", self.state)
        self.assertIn(left, r.err)
        self.assertGreaterEqual(max(self.seconds()), now - 1)

    def windows(self, *logs, args=("--every", "5s")):
        """What one more run sends, and what it should be: the windows of the logs."""
        before = self.sent(self.to)[0]
        self.push(self.to, *logs, *args, "--state", self.state)
        self.assertEqual(self.to.num_samples(), len(self.to.samples()))
        return ({k: v for k, v in self.sent(self.to)[0].items() if k not in before},
                {(self.metric(*k[:2]), *k[2:]): v for k, v in self.expected(logs[0], *args, *logs[1:]).items()})

    def check_later(self, first, second, is_sent):
        """Logs of two runs, as rows and how they are made: the first sends some windows, the second one the others."""
        sent, wanted = self.windows(*(self.made(rows, **how) for rows, how in first))
        self.assertEqual(sent, {k: v for k, v in wanted.items() if is_sent(*k[1::2])})
        self.assertFalse({k for k in self.sent(self.to)[1] if k[1] == "web" and k[3] % 1000})
        more, wanted = self.windows(*(self.made(rows, **how) for rows, how in second))
        self.assertEqual({**sent, **more}, {k: v for k, v in wanted.items() if k[3] <= (START + self.now - 10) * 1000})

    def test_cut_by_the_end_of_a_log_that_goes_on_later(self):
        """It is sent once, when it is whole: whether another recording is in it, or the log was a copy, also beside others."""
        self.now = now = int(time.time()) // 5 * 5 - START
        some, all_rows = range(now - 60, now - 53), range(now - 60, now - 9)
        one, two = {"name": "1.plog", "session": 1}, {"name": "2.plog", "session": 2}
        other = all_rows, {"name": "other.plog", "session": 9, "host": b"other"}
        self.check_later([(some, one)], [(all_rows, one)], lambda host, ms: ms <= (START + now - 55) * 1000)
        self.to, self.state = self.receiver(), self.path("of_two")
        self.check_later([(some, one)], [(some, one), (range(now - 51, now - 9), two)],
                         lambda host, ms: ms <= (START + now - 55) * 1000)
        self.to, self.state = self.receiver(), self.path("beside_another")
        self.check_later([other, (some, one)], [other, (all_rows, one)],
                         lambda host, ms: ms <= (START + now - (55 if host == "web" else 10)) * 1000)

    def test_cut_by_the_range(self):
        log, to = self.made(range(23)), ("--to", "@%d" % (START + 12))
        self.push(self.to, log, "--every", "5s", *to, "--state", self.state)
        self.assertEqual(self.seconds(), [0, 5, 10])
        self.push(self.to, log, "--every", "5s", "--state", self.state)
        self.agree(self.to, self.expected(log, "--every", "5s"))

    def ended(self, seconds):
        """A log whose recorder wrote that it has ended."""
        logs = []
        path = self.made(seconds, before=lambda log, s: logs.append(log))
        logs[0].record(b"ends", struct.pack("<QIIII", 0, len(seconds), 0, 1, 0), (START + seconds[-1]) * S)
        return logs[0].save(path)

    def test_cut_by_the_end_of_a_recording(self):
        """It is sent once its time is over; and where nothing is kept of what was sent, always."""
        now = int(time.time()) // 5 * 5 - START
        sent, wanted = self.windows(self.ended(range(now - 60, now - 53)))
        self.assertEqual(sent, wanted)
        self.assertEqual({k[3] for k in self.sent(self.to)[1] if k[3] % 1000}, {(START + now - 50) * 1000 + 1})
        longest = max((7 * HOUR, 11 * HOUR), key=lambda s: -(now + START) % s)
        self.to, self.state, args = self.receiver(), self.path("of_now"), ("--every", "%ds" % longest)
        log = self.ended(range(now - 9, now - 3))
        self.assertEqual(self.windows(log, args=args)[0].keys() & {k for k in self.sent(self.to)[0] if k[3] > (START + now) * 1000}, set())
        self.push(self.to, log, *args)
        self.assertGreater(max(self.seconds()), now)

    def test_every_is_longer_later(self):
        """The first of the longer windows is whole, though a part of it was sent before, in rows or other windows."""
        for args, n in ((), 600), ((), 3000), (("--every", "5s"), 3000):
            self.to, whole, self.state = self.receiver(), self.receiver(), self.path("state%d%d" % (len(args), n))
            self.push(self.to, self.made(range(0, n, 5)), *args, "--state", self.state)
            self.to.taken.clear()
            log = self.made(range(0, 9000, 5))
            self.push(self.to, log, "--every", "1h", "--state", self.state)
            self.push(whole, log, "--every", "1h")
            sent, wanted = self.sent(self.to)[0], self.sent(whole)[0]
            self.assertTrue(sent)
            self.assertEqual(sent, {k: v for k, v in wanted.items() if k[3] >= min(k[3] for k in sent)})

    def test_position_without_a_row(self):
        """It was the end of a window; the log had a row before it, and has the next one hours later."""
        some = range(2, 600, 5)
        for args, more, seconds in (("--every", "1h"), range(9002, 9100, 5), {1500, 12300}), ((), range(9002, 9007), {*range(9002, 9007)}):
            self.to, self.state = self.receiver(), self.path("state%d" % len(args))
            self.push(self.to, self.made(some), "--every", "5s", "--state", self.state)
            self.assertEqual(max(self.seconds()), 600)
            self.to.taken.clear()
            self.push(self.to, self.made([*some, *more]), *args, "--state", self.state)
            self.assertEqual({*self.seconds()}, seconds)

    def test_deleted_while_push_was_away(self):
        """It is reported as that of rows is.  A recording that went on later has lost nothing."""
        every = "--every", "5s"
        for follow in (), ("--follow",):
            self.to, self.state = self.receiver(), self.path("state%d" % len(follow))
            self.push(self.to, self.made(range(12)), *every, *follow, "--state", self.state)
            self.push(self.to, self.made([*range(12), *range(5000, 5012)]), *every, *follow, "--state", self.state)
            r = self.push(self.to, self.made(range(9000, 9012), seq=9999), *every, *follow, "--state", self.state, code=2)
            self.assertIn("no longer in the log; what was recorded between it and 2026-11-21 10:05:00.000 UTC is lost", r.err)
            self.push(self.to, self.made(range(9000, 9022), seq=9999), *every, *follow, "--state", self.state)

    def test_every_is_left_out_later(self):
        """Nothing of what the windows had is lost, or sent again."""
        self.push(self.to, self.made(range(12)), "--every", "5s", "--state", self.state)
        windows = self.seconds()
        self.push_on(self.made(range(20)))
        self.assertEqual(self.seconds(), sorted({*windows, *range(windows[-1] + 1, 20)}))


if __name__ == "__main__":
    harness.main()
