#!/usr/bin/env python3
"""push: every value of --layout long reaches the receiver once, and every end of a series; nothing is lost by kills.

The receiver is support/receiver.py; test_push_engines.py asks real ones.
"""
import fcntl
import os
import re
import signal
import struct
import subprocess
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import PROGRAM, Recording, run, wait_until
from pushed import GAUGE, InOrder, NAMES, Push, RATE, S, START
from receiver import Receiver
import write_log


class Names(Push):
    def test_table(self):
        log = self.maker.Log({i: n.encode() for i, n in NAMES.items()})
        for s in range(2):
            log.sample((START + s) * S, [
                self.maker.object_of(2, [(4, RATE, 8), (6, GAUGE, 8), (8, GAUGE, 8), (10, GAUGE, 8), (16, RATE, 8)],
                                     [("sda \N{GREEK SMALL LETTER ALPHA}", (s, 1, 2, 3, s))]),
                self.maker.object_of(12, [(14, GAUGE, 8), (18, GAUGE, 8), (20, GAUGE, 8)], [(None, (s, s, s))])])
        receiver = self.receiver()
        self.push(receiver, log.save(self.path("n.plog")))
        found = {labels for labels, _ in receiver.samples()}
        names = sorted(dict(labels)["__name__"] for labels in found)
        twin = [n for n in names if re.fullmatch("perflog_physical_disk_disk_write_bytes_per_second_[0-9a-f]{16}", n)]
        self.assertEqual(len(twin), 1, names)
        self.assertEqual(set(names) - set(twin), {
            "perflog_physical_disk_avg_disk_seconds_per_read", "perflog_physical_disk_disk_write_bytes_per_second",
            "perflog_physical_disk_idle_time_percent", "perflog_physical_disk_working_set_bytes",
            "perflog_tcpv4_load_average_15_minutes", "perflog_tcpv4_io_wait_time_percent",
            "perflog_tcpv4_ios_per_second"})
        self.assertIn((("__name__", "perflog_tcpv4_load_average_15_minutes"), ("host", "web")), found)
        self.assertIn((("__name__", "perflog_physical_disk_working_set_bytes"), ("host", "web"),
                       ("instance", "sda \N{GREEK SMALL LETTER ALPHA}")), found)

    def test_request(self):
        receiver = self.receiver()
        self.push(receiver, self.made(range(3)))
        path, headers = receiver.headers[0]
        self.assertEqual(path, "/api/v1/write")
        for name, value in (("Content-Type", "application/x-protobuf"), ("Content-Encoding", "snappy"),
                            ("X-Prometheus-Remote-Write-Version", "0.1.0"), ("User-Agent", "perflog/0.2.0")):
            self.assertEqual(headers.get(name), value)
        self.assertEqual(len(receiver.requests), 1)  # all rows of so small a log together


class Cells(Push):
    def test_made_log(self):
        log = self.made(range(8))
        receiver = self.receiver()
        self.push(receiver, log)
        self.agree(receiver, self.expected(log))

    def test_recording(self):
        log = self.record(self.path("real.plog"), "-i", "100ms", "-n", "3")
        for args in ("--group", "name"), ():
            receiver = self.receiver()
            self.push(receiver, log, *([] if args else ["--each-process"]))
            self.agree(receiver, self.expected(log, *args))

    def test_windows(self):
        """--every and a time range; of a window that a growing log cuts nothing is sent."""
        log = self.made(range(23))
        args = "--every", "5s"
        for more in (), ("--from", "@%d" % (START + 5), "--to", "@%d" % (START + 15)):
            receiver = self.receiver()
            self.push(receiver, log, *args, *more)
            self.agree(receiver, self.expected(log, *args, *more))
        with open(log, "rb") as f:
            fcntl.flock(f, fcntl.LOCK_EX)  # as its recorder does
            receiver = self.receiver()
            self.push(receiver, log, *args)
            self.agree(receiver, self.expected(log, *args, "--to", "@%d" % (START + 20)))


class Ends(Push):
    def ends(self, *args, **how):
        receiver = self.receiver()
        self.push(receiver, self.made(*args, **how))
        values, ends = self.sent(receiver)
        return values, {(m.rpartition("_")[2], i, ms - START * 1000) for m, _, i, ms in ends}

    def test_vanished(self):
        """In the first row without it, each time; and all of them right after the last row."""
        values, ends = self.ends(range(8))
        self.assertEqual(ends, {("second", "sdb", 3000), ("bytes", "sdb", 3000)} |
                         {(u, i, 7001) for u in ("second", "bytes") for i in ("sda", "sdb")})
        self.assertFalse({k for k in values if k[2] == "sdb" and k[3] == (START + 3) * 1000})

    def test_gap(self):
        """Where samples are missing; a rate that has no value after it is not there."""
        values, ends = self.ends([0, 3, 4, 8, 9, 10])
        self.assertEqual({e for e in ends if e[1] == "sda"},
                         {("bytes", "sda", 1), ("second", "sda", 4001), ("bytes", "sda", 4001),
                          ("second", "sda", 10001), ("bytes", "sda", 10001)})

    def test_again(self):
        """What ends and begins again in one request is in the order of time: receivers drop what comes late."""
        receiver = self.receiver()
        self.push(receiver, self.made(range(9000)))
        last, batches = {}, 0
        for message in receiver.requests:
            batches += 1
            for labels, samples in message:
                for _, ms in samples:
                    self.assertLess(last.get(labels, 0), ms, (batches, labels))
                    last[labels] = ms
        self.assertGreater(batches, 1)

    def test_living(self):
        """At any time as many series live by the ends as --layout long has values."""
        log, receiver = self.path("real.plog"), self.receiver()
        with subprocess.Popen(["sleep", "1000"]) as child:
            recording = Recording(self, log, "-q", "-i", "100ms", "-c", r"\Process(*)\Working Set")
            recording.wait_for(2)
            child.kill()
        recording.wait_for_more(3)
        self.assertEqual(recording.end().code, 0)
        self.push(receiver, log, "--each-process")
        want, (values, ends) = self.expected(log), self.sent(receiver)
        self.assertIn("sleep:%d" % child.pid, {instance for _, _, instance, _ in ends})
        last = {}
        times = sorted({k[-1] for k in want})
        events = sorted([(k[3], 1, k) for k in values] + [(k[3], 0, k) for k in ends])
        for t in times:
            while events and events[0][0] <= t:
                _, alive, (metric, host, instance, _) = events.pop(0)
                last[metric, host, instance] = alive
            self.assertEqual(sum(last.values()), sum(k[-1] == t for k in want))


class Top(Push):
    """A process is sent while it is among the first, and ten minutes more."""

    TITLES = {2: b"Process", 4: b"Working Set", 6: b"% Processor Time", 8: b"Thread Count"}

    def log(self, rows):
        """rows: {second: {name: (working set, percent)}}"""
        log = self.maker.Log(self.TITLES)
        for at, processes in rows.items():
            log.sample((START + at) * S, [self.maker.object_of(
                2, [(4, GAUGE, 8), (6, GAUGE, 8), (8, GAUGE, 8)],
                [(name, (*values, 1)) for name, values in processes.items()])])
        return log.save(self.path("top.plog"))

    def seconds(self, receiver):
        """{name: seconds in which it has values}, of one that sent whole processes."""
        found = {}
        for metric, _, name, ms in self.sent(receiver)[0]:
            found.setdefault(name, {}).setdefault(ms // 1000 - START, set()).add(metric)
        for rows in found.values():
            for metrics in rows.values():
                self.assertEqual(len(metrics), 3)
        return {name: sorted(rows) for name, rows in found.items()}

    ROWS = {0: {"a": (9, 1), "b": (1, 9), "c": (8, 8), "_Total": (18, 18)},
            1: {"a": (9, 1), "b": (1, 9), "c": (8, 8), "_Total": (18, 18)},
            2: {"a": (1, 1), "b": (1, 9), "c": (8, 8), "_Total": (10, 18)},
            601: {"a": (1, 1), "b": (1, 9), "c": (8, 8), "_Total": (10, 18)},
            602: {"a": (1, 1), "b": (1, 9), "c": (8, 8), "_Total": (10, 18)},
            1202: {"a": (1, 1), "b": (1, 0), "c": (0, 0), "_Total": (10, 18)}}

    def test_first(self):
        """a is first by size until second 1, b by time until 602, c by size from 2 on."""
        receiver = self.receiver()
        self.push(receiver, self.log(self.ROWS), "--top", "1", "--each-process")
        self.assertEqual(self.seconds(receiver), {
            "a": [0, 1, 2, 601, 1202], "b": [0, 1, 2, 601, 602, 1202], "c": [2, 601, 602, 1202],
            "_Total": sorted(self.ROWS)})

    def test_again(self):
        """A later run sends the same of a row: what was first before its position is still known."""
        times = sorted(self.ROWS)
        whole, parts = self.receiver(), self.receiver()
        self.push(whole, self.log(self.ROWS), "--top", "1", "--each-process")
        for n in range(2, len(times) + 1):
            log = self.log({t: self.ROWS[t] for t in times[:n]})
            self.push(parts, log, "--top", "1", "--each-process", "--state", self.path("state"))
        self.assertEqual(self.seconds(parts), self.seconds(whole))

    def test_all_and_none(self):
        log = self.log(self.ROWS)
        counts = []
        for args in ((), ("--top", "3"), ("--top", "1")):
            receiver = self.receiver()
            self.push(receiver, log, "--each-process", *args)
            counts.append(len(self.sent(receiver)[0]))
        self.assertEqual(counts[0], 3 * 4 * len(self.ROWS))
        self.assertEqual(counts[1], counts[0])
        self.assertLess(counts[2], counts[0])
        r = run("push", "--forecast", "--top", "0", log)
        self.assertEqual(r.code, 1)
        self.assertIn("--top", r.err)


class Answers(Push):
    def test_later(self):
        """What cannot be taken now comes again, the same; as late as the receiver asks for."""
        log = self.made(range(4))
        receiver = self.receiver((500, {}, b"no\nmore"), (429, {"Retry-After": "2"}, b""), (503, {}, b""))
        r = self.push(receiver, log)
        self.assertEqual(len(receiver.requests), 4)
        self.assertEqual(receiver.requests[0], receiver.requests[3])
        self.assertGreaterEqual(receiver.times[2] - receiver.times[1], 2)
        self.assertIn("HTTP 500: no; trying again", r.err)
        self.assertIn("taken at try 4", r.err)
        self.agree(receiver, self.expected(log))

    def test_heard_nothing(self):
        """What was taken, though the answer was an error, is there; a try that asked to wait says that it was not."""
        in_order = InOrder()

        def fail(code):
            def answer(message):
                in_order(message)
                return code, {}, b""
            return answer
        log = self.made(range(4))
        for code, want in (503, 0), (429, 2):
            in_order.last = {}
            receiver = self.receiver(fail(code), *[in_order] * 99)
            r = self.push(receiver, log, "-q", code=want)
            self.assertEqual("refused" in r.err, bool(want))

    def test_refused(self):
        """Only the time that is refused is left out, and reported; the exit status is 2."""
        log = self.made(range(6))
        bad = (START + 3) * 1000

        def answer(message):
            refuses = any(ms == bad for _, samples in message for _, ms in samples)
            return (400, {}, b"out of order") if refuses else (204, {}, b"")
        receiver = self.receiver((429, {}, b""), *[answer] * 50)
        r = self.push(receiver, log, code=2)
        self.assertIn("answered at try 2", r.err)  # not taken
        num = sum(k[-1] == bad for k in self.expected(log)) + 2
        self.assertIn("%d samples refused and left out; HTTP 400: out of order" % num, r.err)
        values, _ = self.sent(receiver)
        self.assertEqual(sorted({k[3] for k in values}), [(START + s) * 1000 for s in (0, 1, 2, 4, 5)])

    def test_hopeless(self):
        """Nothing is skipped where nothing will ever be taken."""
        state = self.path("state")
        for code in 401, 403, 404, 301:
            receiver = self.receiver((code, {}, b""))
            self.push(receiver, self.made(range(3)), "--state", state, code=1)
            self.assertEqual(len(receiver.requests), 1)
            self.assertFalse(os.path.exists(state))

    def test_unreachable(self):
        """It waits for a receiver that is not there; or gives up when it is to."""
        first = Receiver()
        port = first.port
        first.close()
        log = self.made(range(3))
        r = run("push", "--url", first.url, "--retry-for", "100ms", log)
        self.assertEqual(r.code, 1, r)
        self.assertIn("; trying again for 100ms\n", r.err)
        self.assertIn("given up", r.err)
        with subprocess.Popen([PROGRAM, "push", "--url", first.url, log], stderr=subprocess.PIPE, text=True) as p:
            self.assertIn("trying again", p.stderr.readline())
            receiver = self.receiver(port=port)
            self.assertEqual(p.wait(), 0)
        self.agree(receiver, self.expected(log))

    def test_who_we_are(self):
        self.write("token", b"abc123\n")
        self.write("user", b"me:secret\n")
        log = self.made(range(2))
        for option, want in ("--bearer", "Bearer abc123"), ("--user", "Basic bWU6c2VjcmV0"):
            receiver = self.receiver()
            self.push(receiver, log, option, self.path("token" if option == "--bearer" else "user"))
            self.assertEqual(receiver.headers[0][1].get("Authorization"), want)
        self.refused(1, "push", "--url", "http://10.0.0.1/", "--retry-for", "1ms", "--bearer", self.path("token"), log, says="take https")
        self.refused(1, "push", "--url", "http://localhost.evil/", "--retry-for", "1ms", "--user", self.path("user"), log, says="take https")
        self.refused(1, "push", "--url", "http://me:secret@localhost/", log, says="--user")
        self.refused(1, "push", "--url", "ftp://localhost/", log, says="no URL")
        for url in "http://[::1", "http://a b/", "http://localhost:99999/":
            self.refused(1, "push", "--url", url, "--retry-for", "1ms", log, says="nothing more was sent")
        for option in "--bearer", "--user", "--ca", "--cert":
            self.refused(1, "push", "--url", receiver.url, option, self.path("none"), log,
                         says=self.path("none") + ": No such file")
        self.refused(1, "push", "--url", receiver.url, "--cert", log, "--key", self.path("none"), log,
                     says=self.path("none") + ": No such file")
        self.refused(1, "push", log, says="--url")

    def test_certificate(self):
        """One that nobody known has signed is not trusted; with --ca it is."""
        import ssl
        try:
            subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                            "-nodes", "-keyout", self.path("key"), "-out", self.path("cert"), "-subj", "/CN=localhost",
                            "-addext", "subjectAltName=IP:127.0.0.1"], check=True, stderr=subprocess.DEVNULL)
        except FileNotFoundError:
            self.skipTest("openssl is not installed")
        receiver = self.receiver()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.path("cert"), self.path("key"))
        receiver.server.socket = context.wrap_socket(receiver.server.socket, server_side=True)
        receiver.url = receiver.url.replace("http:", "https:")
        log = self.made(range(2))
        r = self.push(receiver, log, "--retry-for", "10ms", code=1)
        self.assertIn("certificate", r.err)
        self.assertFalse(receiver.requests)
        self.push(receiver, log, "--ca", self.path("cert"))
        self.agree(receiver, self.expected(log))


class Follows(Push):
    def test_to_the_end(self):
        receiver = self.receiver()
        path = self.path("live.plog")
        recording = Recording(self, path, "-q", "-i", "100ms", "-c", r"\Process(*)\Working Set", "-c", r"\System\*")
        recording.wait_for(2)
        with subprocess.Popen([PROGRAM, "push", "-q", "--follow", "--url", receiver.url, "--state",
                               self.path("state"), path]) as p:
            wait_until(lambda: len(receiver.taken) >= 3, "three requests came")
            recording.end()
            self.assertEqual(p.wait(), 0)
        self.agree(receiver, self.expected(path, "--group", "name"))
        self.assertEqual(receiver.num_samples(), len(receiver.samples()))

    def test_a_log_that_ends_while_the_receiver_takes_its_time(self):
        """Samples are sent when no more are there; what was recorded after the last look at them is sent, too."""
        path = self.path("live.plog")
        recording = Recording(self, path, "-q", "-i", "100ms", *harness.SYSTEM)
        recording.wait_for(2)

        def more_comes(number, message):
            if number == 1:
                recording.wait_for(harness.count_samples(path) + 3)
                recording.end()
        receiver = self.receiver(on_request=more_comes)
        with recording.paused():
            p = subprocess.Popen([PROGRAM, "push", "-q", "--follow", "--url", receiver.url, path])
            self.addCleanup(p.kill)
            wait_until(lambda: receiver.requests, "a request came")
        with p:
            self.assertEqual(p.wait(harness.TIMEOUT), 0)
        self.agree(receiver, self.expected(path))

    def test_a_segment_that_ends_while_the_receiver_takes_its_time(self):
        """The next one has no sample yet: the recording goes on, though not into the one that was read."""
        os.mkdir(self.path("f"))
        paths = [self.path("f", "live-20261121T12000%dZ-00%d.plog" % (k, k)) for k in range(2)]
        first = write_log.Log({2: b"System", 4: b"Count"})

        def written(log, samples=(), reason=None):
            """What has not been asked for before."""
            before = len(log.data)
            for k in samples:
                log.sample((START + k) * S, [write_log.object_of(2, [(4, GAUGE, 8)], [(None, [k])])])
            if reason:
                log.record(b"ends", struct.pack("<QIIII", 0, 2, 0, reason, 0), START * S)
            return log.data[before:]

        def has_open(pid, path):
            fds = "/proc/%d/fd" % pid
            return any(os.path.realpath(os.path.join(fds, fd)) == path for fd in os.listdir(fds))
        with open(paths[0], "wb", buffering=0) as one, open(paths[1], "wb", buffering=0) as other:
            one.write(first.data + written(first, range(2)))
            second = write_log.Log({2: b"System", 4: b"Count"}, seq=first.seq + 1)
            fcntl.flock(one, fcntl.LOCK_EX)

            def it_ends(number, message):
                if number == 1:
                    fcntl.flock(other, fcntl.LOCK_EX)
                    other.write(second.data)
                    one.write(written(first, reason=3))
                    one.close()
            receiver = self.receiver(on_request=it_ends)
            p = subprocess.Popen([PROGRAM, "push", "-q", "--follow", "--url", receiver.url, self.path("f")])
            self.addCleanup(p.kill)
            wait_until(lambda: p.poll() is not None or has_open(p.pid, paths[1]), "the next one is read")
            other.write(written(second, range(2, 4), reason=1))
        self.assertEqual(p.wait(harness.TIMEOUT), 0)
        self.agree(receiver, self.expected(self.path("f")))

    def rotating(self, *args):
        os.mkdir(self.path("f"))
        recording = Recording(self, self.path("f", "live.plog"), "-q", "-i", "100ms", "--max-time", "1s", *args,
                              *harness.SYSTEM)
        recording.wait(lambda: any(harness.count_samples(self.path("f", name)) for name in self.segments()), "begun")
        return recording

    def segments(self):
        return sorted(n for n in os.listdir(self.path("f")) if n.endswith(".plog"))

    def test_a_folder_that_rotates(self):
        receiver = self.receiver()
        recording = self.rotating()
        with subprocess.Popen([PROGRAM, "push", "-q", "--follow", "--url", receiver.url, "--state",
                               self.path("state"), self.path("f")]) as p:
            wait_until(lambda: len(self.segments()) >= 3, "a third segment")
            recording.end()
            self.assertEqual(p.wait(), 0)
        self.agree(receiver, self.expected(self.path("f")))

    def test_overtaken_by_rotation(self):
        """Segments are deleted while the receiver takes its time: what comes after them is sent, and it is reported."""
        seen = set()

        def one_is_deleted_unread():
            seen.update(self.segments())
            return len(seen - set(self.segments())) >= 3

        def wait(number, message):
            if number == 1:
                wait_until(one_is_deleted_unread, "three segments are deleted")
        receiver = self.receiver(on_request=wait)
        recording = self.rotating("--keep", "2")
        with subprocess.Popen([PROGRAM, "push", "-q", "--follow", "--url", receiver.url, self.path("f")],
                              stderr=subprocess.PIPE, text=True) as p:
            wait_until(lambda: len(receiver.taken) >= 3, "three requests are taken")
            recording.end()
            err = p.stderr.read()
            self.assertEqual(p.wait(), 2, err)
        self.assertIn("lost samples of the log", err)
        self.assertIn("the segments were deleted before they were read", err)
        values, ends = self.sent(receiver)
        want = {(self.metric(*k[:2]), *k[2:]): v for k, v in self.expected(self.path("f")).items()}
        times = sorted({k[3] for k in values})
        gap, after = next(pair for pair in zip(times, times[1:]) if pair[1] - pair[0] >= 1000)
        up = next(k for k in values if k[0].endswith("up_time_seconds") and k[3] == gap)
        self.assertIn((*up[:3], gap + 1), ends)
        late = {k for k in want if k[3] >= after}
        self.assertTrue(late)
        self.assertEqual(late - set(values), set())

    def test_stopped(self):
        """By a signal: while it waits for the log, and while it waits for the receiver."""
        receiver = self.receiver()
        path = self.path("live.plog")
        Recording(self, path, "-q", "-i", "100ms", *harness.SYSTEM).wait_for(2)
        with subprocess.Popen([PROGRAM, "push", "-q", "--follow", "--url", receiver.url, path]) as p:
            wait_until(lambda: receiver.taken, "a request came")
            p.send_signal(signal.SIGTERM)
            self.assertEqual(p.wait(), 0)
        busy = self.receiver(*[(503, {"Retry-After": "3000"}, b"")] * 9)
        with subprocess.Popen([PROGRAM, "push", "-q", "--follow", "--url", busy.url, path],
                              stderr=subprocess.DEVNULL) as p:
            wait_until(lambda: busy.requests, "a request came")
            p.send_signal(signal.SIGTERM)
            self.assertEqual(p.wait(), 0)


class Forecast(Push):
    def test_counts(self):
        out = self.good("push", "--forecast", self.made(range(10))).out
        line = next(l for l in out.splitlines() if l.startswith("PhysicalDisk")).split()
        num = len(self.expected(self.made(range(10))))
        self.assertEqual(line[1:], ["4", "4", str(num * 8640)])
        self.assertEqual(out.splitlines()[-1].split()[1:], line[1:])


if __name__ == "__main__":
    harness.main()
