#!/usr/bin/env python3
"""push into real engines: what VictoriaMetrics and Prometheus answer is what --layout long has.

Each is skipped where it is neither installed nor fetched (tests/gate/engines.sh).
"""
import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time
import urllib.parse
import urllib.request

sys.path.insert(1, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import PROGRAM, Recording, wait_until
from pushed import Push

FETCHED = os.path.join(harness.ROOT, "build/engines/usr/bin")
STARTS = 5  # a port that was free may be another's a moment later
MAKE_LOG = os.environ.get("MAKE_LOG", os.path.join(os.path.dirname(PROGRAM), "tests", "make_log"))
DAY = 86_400
COUNTERS = "-c", r"\Process(*)\Working Set", "-c", r"\System\*", "-c", r"\Memory\*"


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Engine:
    """name: of the program; ready: the path that answers when it is; said: the file of what it says."""

    said = "said_by_engine"
    asked = "1h", None  # the range of all samples, and its end

    def setUp(self):
        super().setUp()
        self.program = shutil.which(self.name, path=os.environ["PATH"] + ":" + FETCHED)
        if not self.program:
            self.skipTest("%s is not here: sh tests/gate/engines.sh fetches it" % self.name)
        for _ in range(STARTS):
            self.port = free_port()
            if self.start():
                break
        self.assertIsNone(self.process.poll(), "%s does not start" % self.name)
        self.url = "http://127.0.0.1:%d%s" % (self.port, "/api/v1/write")

    def start(self):
        """Is it ready?  Else it has ended."""
        with open(self.path(self.said), "ab") as said:
            self.process = subprocess.Popen([self.program, *self.arguments()], stdout=said, stderr=said)
        self.addCleanup(self.process.wait)
        self.addCleanup(self.process.kill)
        wait_until(lambda: self.process.poll() is not None or self.is_ready(), "%s is ready" % self.name)
        return self.process.poll() is None

    def is_ready(self):
        try:
            with urllib.request.urlopen("http://127.0.0.1:%d%s" % (self.port, self.ready)):
                return True
        except OSError:
            return False

    def ask(self, query, at=None, once=False):
        """{(metric, host, instance, ms): value} of an instant query, or of a range in it; once: no key comes twice."""
        query = {"query": query, "time": repr(at or time.time() + 1), "nocache": "1"}
        url = "http://127.0.0.1:%d/api/v1/query?%s" % (self.port, urllib.parse.urlencode(query))
        with urllib.request.urlopen(url) as answer:
            results = json.load(answer)["data"]["result"]
        values = [((m.get("__name__"), m.get("host"), m.get("instance", ""), round(float(t) * 1000)), float(v))
                  for m, values in ((r["metric"], r.get("values") or [r["value"]]) for r in results)
                  for t, v in values if float(v) == float(v)]  # VictoriaMetrics shows ends as NaN
        found = dict(values)
        self.assertTrue(not once or len(found) == len(values), "samples come twice")
        return found

    def all_samples(self):
        return self.ask('{__name__=~"perflog_.+"}[%s]' % self.asked[0], self.asked[1], once=True)

    def wanted(self, log, *args):
        want = {}
        for (obj, counter, *rest), bits in self.expected(log, *args).items():
            want[(self.metric(obj, counter), *rest)] = bits
        return want

    def compare(self, log, *args):
        want = self.wanted(log, *args)
        wait_until(lambda: self.all_samples().keys() >= want.keys(), "all samples can be asked for")
        found = self.all_samples()
        self.assertEqual(want.keys(), found.keys())
        for key, value in found.items():
            self.same(value, want[key], key)
        # ends: at each time the engine knows of as many living processes as the log
        metric = "perflog_process_working_set_bytes"
        for t in sorted({k[3] for k in want}):
            living = self.ask("count(%s)" % metric, t / 1000)
            self.assertEqual([sum(k[0] == metric and k[3] == t for k in want)], list(living.values()), t)
        self.assertFalse(self.ask("count(%s)" % metric, max(k[3] for k in want) / 1000 + 1))

    def same(self, value, bits, key):
        self.assertEqual(struct.pack("<d", value), struct.pack("<Q", bits), key)

    def test_recording(self):
        log = self.record(self.path("real.plog"), "-i", "100ms", "-n", "6", *COUNTERS)
        self.good("push", "-q", "--url", self.url, "--each-process", log)
        self.compare(log)


class VictoriaMetrics(Engine, Push):
    name, ready = "victoria-metrics", "/health"

    def arguments(self):
        return ("-storageDataPath", self.path("vm"), "-httpListenAddr", "127.0.0.1:%d" % self.port,
                "-dedup.minScrapeInterval=1ms", "-search.latencyOffset=0s", "-retentionPeriod=100y",
                "-memory.allowedBytes=64MB")

    def same(self, value, bits, key):
        """It rounds to decimal numbers of 15 or so digits."""
        exact = struct.unpack("<d", struct.pack("<Q", bits))[0]
        self.assertLessEqual(abs(value - exact), 1e-10 * abs(exact), key)


class Prometheus(Engine, Push):
    name, ready = "prometheus", "/-/ready"

    def arguments(self):
        self.write("prometheus.yml", b"")
        return ("--config.file", self.path("prometheus.yml"), "--storage.tsdb.path", self.path("tsdb"),
                "--web.listen-address", "127.0.0.1:%d" % self.port, "--web.enable-remote-write-receiver")

    def test_both_killed(self):
        """The engine and the sender are killed while a log is followed: it has every sample, once."""
        path, state = self.path("live.plog"), self.path("state")
        recording = Recording(self, path, "-q", "-i", "100ms", *COUNTERS)
        recording.wait_for(3)
        follow = [PROGRAM, "push", "--follow", "--each-process", "--url", self.url, "--state", state, path]

        def has(more):
            return lambda: len({k[3] for k in self.all_samples()}) >= more

        with subprocess.Popen(follow, stderr=subprocess.DEVNULL) as p:
            wait_until(has(3), "three rows are there")
            p.kill()
        with subprocess.Popen(follow, stderr=subprocess.PIPE, text=True) as p:
            wait_until(has(6), "six rows are there")
            self.process.kill()
            self.process.wait()
            self.assertIn("trying again", p.stderr.readline())
            self.assertTrue(self.start())
            wait_until(has(9), "nine rows are there")
            recording.end(signal.SIGINT)
            _, said = p.communicate()
            self.assertIn(p.returncode, (0, 2), said)  # what it has already Prometheus may refuse
        self.compare(path)


class Outage:
    """Of a test of an engine: it, or the network, is away for a day."""

    test_recording = test_both_killed = None

    def day(self):
        """
        A folder with a day of a sample in five minutes, in segments of two hours, the first of which is sent.  It does not
        begin at midnight, where VictoriaMetrics (1.79) does not find the first sample of a day.
        """
        folder = self.path("day")
        os.mkdir(folder)
        subprocess.run([MAKE_LOG, os.path.join(folder, "a.plog"), "interval=300000", "samples=%d" % (DAY // 300), "processes=4",
                        "segment=7200", "start=1795226400"], check=True, timeout=harness.TIMEOUT)
        segments = sorted((os.path.join(folder, name) for name in os.listdir(folder)), key=harness.sample_times)
        self.assertEqual(len(segments), 12)
        self.asked = "2d", harness.sample_times(segments[-1])[-1] / 1e9 + 1
        os.mkdir(self.path("sent"))
        shutil.copy(segments[0], self.path("sent"))
        self.sending = ("push", "--url", self.url, "--each-process", "--state", self.path("state"), *COUNTERS)
        self.good(*self.sending, "-q", self.path("sent"))
        return folder, segments

    def catch_up(self, folder, code):
        """A sender that finds the engine gone gives up, another waits for it; what that says."""
        self.process.terminate()
        self.process.wait()
        r = harness.run(*self.sending, "--retry-for", "1s", folder)
        self.assertEqual(r.code, 1, r)
        self.assertIn("given up", r.err)
        with subprocess.Popen([PROGRAM, *self.sending, folder], stderr=subprocess.PIPE, text=True) as p:
            self.addCleanup(p.kill)
            said = ""
            while "trying again" not in said:
                line = p.stderr.readline()
                self.assertTrue(line, said)
                said += line
            self.assertTrue(self.start())
            said += p.communicate()[1]
        self.assertEqual(p.returncode, code, said)
        return said

    def test_outage(self):
        """A day without the engine: then it has every sample of it, once."""
        folder, _ = self.day()
        self.assertNotIn("lost", self.catch_up(folder, 0))
        self.compare(folder, *COUNTERS)

    def test_outage_longer_than_the_log(self):
        """--keep has deleted what was to be sent: it is reported, and there is nothing of it; the rest is there."""
        folder, segments = self.day()
        for path in segments[:6]:
            os.unlink(path)
        said = self.catch_up(folder, 2)
        self.assertRegex(said, "made0?: the last sample that was sent, of .* 03:55:00.* UTC, is no longer in the log; what was "
                               "recorded between it and .* 14:00:00.* UTC is lost here")
        want = self.wanted
        self.wanted = lambda log, *args: {**want(self.path("sent"), *args), **want(folder, *args)}
        self.compare(folder, *COUNTERS)


class OutageOfVictoriaMetrics(Outage, VictoriaMetrics):
    pass


class OutageOfPrometheus(Outage, Prometheus):
    pass


if __name__ == "__main__":
    harness.main()
