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
from test_push import Push

FETCHED = os.path.join(harness.ROOT, "build/engines/usr/bin")
STARTS = 5  # a port that was free may be another's a moment later
COUNTERS = "-c", r"\Process(*)\Working Set", "-c", r"\System\*", "-c", r"\Memory\*"


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Engine:
    """name: of the program; ready: the path that answers when it is; said: the file of what it says."""

    said = "said_by_engine"

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

    def ask(self, query, at=None):
        """{(metric, host, instance, ms): value} of an instant query, or of a range in it."""
        query = {"query": query, "time": repr(at or time.time() + 1), "nocache": "1"}
        url = "http://127.0.0.1:%d/api/v1/query?%s" % (self.port, urllib.parse.urlencode(query))
        with urllib.request.urlopen(url) as answer:
            results = json.load(answer)["data"]["result"]
        values = [((m.get("__name__"), m.get("host"), m.get("instance", ""), round(float(t) * 1000)), float(v))
                  for m, values in ((r["metric"], r.get("values") or [r["value"]]) for r in results)
                  for t, v in values if float(v) == float(v)]  # VictoriaMetrics shows ends as NaN
        found = dict(values)
        self.assertEqual(len(found), len(values), "samples come twice")
        return found

    def all_samples(self):
        return self.ask('{__name__=~"perflog_.+"}[1h]')

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


if __name__ == "__main__":
    harness.search_no_leaks()
    harness.main()
