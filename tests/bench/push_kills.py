#!/usr/bin/env python3
"""Kill the recorder, push and Prometheus at random while a log is followed; then the engine has what the log has.

    push_kills.py [KILLS]            PERFLOG names the program; prometheus must be installed

Each is started again at once: the recorder appends to the log.  At the end every value, its time and its number of
samples is compared, and at each time of the log how many processes live.
"""
import os
import random
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
for folder in "../cli", "../support":
    sys.path.insert(1, os.path.join(HERE, folder))
import harness
import test_push_engines as engines
from harness import PROGRAM, count_samples, wait_until

KILLS = int(sys.argv[1]) if len(sys.argv) > 1 else 60


class Kills(engines.Prometheus):
    test_recording = test_both_killed = None

    def test_kills(self):
        chance = random.Random(int(os.environ.get("SEED", "1")))
        log, state = self.path("live.plog"), self.path("state")
        commands = {"record": ("record", "-q", "-i", "100ms", "--sync", "never", *engines.COUNTERS, log),
                    "push": ("push", "-q", "--follow", "--each-process", "--url", self.url, "--state", state, log)}
        running, killed = {}, dict.fromkeys((*commands, "engine"), 0)

        def start(name):
            running[name] = subprocess.Popen([PROGRAM, *commands[name]], stderr=subprocess.DEVNULL)
            self.addCleanup(running[name].wait)
            self.addCleanup(running[name].kill)

        start("record")
        wait_until(lambda: count_samples(log) >= 3, "three samples")
        start("push")
        while sum(killed.values()) < KILLS:
            time.sleep(chance.uniform(0.05, 0.6))
            name = chance.choice(list(killed))
            killed[name] += 1
            if name == "engine":
                self.process.kill()
                self.process.wait()
                self.start()
            else:
                running[name].kill()
                running[name].wait()
                start(name)
            if running["push"].poll() is not None:  # the recording had ended when the recorder was killed
                start("push")
        wait_until(lambda: count_samples(log) >= 3, "three samples")
        running["record"].send_signal(signal.SIGINT)
        running["record"].wait()
        running["push"].wait()
        last = harness.run(*commands["push"])
        self.assertIn(last.code, (0, 2), last)
        self.compare(log)
        print("%s killed; %d samples, none lost, none twice, no ghost" % (
            ", ".join("%s %d times" % pair for pair in killed.items()), len(self.all_samples())))


if __name__ == "__main__":
    del sys.argv[1:]
    harness.main()
