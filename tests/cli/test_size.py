#!/usr/bin/env python3
"""A log is as small as its format makes it: the writer is held to a second one (prototype.py)."""
import os
import subprocess
import sys
import unittest

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import prototype
import harness
from harness import Case, Recording
from read_log import Reader

MAKE_LOG = os.environ["MAKE_LOG"]
SAMPLES = 130  # three keys and more


class Samples(Reader):
    """The records of a log's samples: the bytes each takes, and its block."""

    def __init__(self, path):
        super().__init__(None, False)
        self.sizes, self.blocks = [], []
        self.read_file(path)

    def report(self, kind, at, length, /, **more):
        if kind in ("damaged", "unreachable", "too_new"):
            raise AssertionError((kind, at, length, more))

    def sample(self, r, payload):
        self.sizes.append(r.total)
        self.blocks.append(self.decode_sample(r, payload))
        return {}


class Size(Case):
    def compare(self, what, path, samples, least=0.15):
        log = Samples(path)
        self.assertEqual(len(log.sizes), samples)
        ours, theirs = sum(log.sizes), sum(prototype.sizes(log.blocks))
        print("%s: %d bytes a sample of %d, a second writer %d: %+.1f %%" % (
            what, ours / samples, sum(map(len, log.blocks)) / samples, theirs / samples,
            100 * (ours / theirs - 1)))
        self.assertLessEqual(ours / theirs - 1, 0.15)
        self.assertGreaterEqual(ours / theirs - 1, -least)

    def made(self, name, *what):
        path = self.path(name + ".plog")
        subprocess.run([MAKE_LOG, path, "samples=%d" % SAMPLES, *what], check=True)
        self.compare(name, path, SAMPLES)

    def test_this_machine_at_work(self):
        for kind in "cpu", "network", "memory", "forks":
            load = subprocess.Popen([*harness.PYTHON, os.path.join(harness.SUPPORT, "load.py"), kind],
                                    stdin=subprocess.PIPE)
            self.addCleanup(load.wait)
            self.addCleanup(load.stdin.close)
        path = self.path("here.plog")
        self.assertEqual(Recording(self, path, "-q", "-i", "100ms", "-n", str(SAMPLES)).end(0).code, 0)
        # Where processes come and go the writer takes one of the same name for a model, which the second one does not.
        self.compare("this machine", path, SAMPLES, least=0.35)

    def test_a_machine_with_64_processors(self):
        self.made("64 processors", "processors=64", "disks=5", "processes=0")

    def test_300_processes_of_which_one_is_new(self):
        self.made("300 processes", "processes=300", "churn=1")


if __name__ == "__main__":
    unittest.main(testRunner=harness.Runner)
