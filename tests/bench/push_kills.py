#!/usr/bin/env python3
"""Kill the recorder, push and Prometheus at random while a log is followed, cut the network between them, and fill
the disk of each; then the engine has what the log has.

    push_kills.py [KILLS [LEFT_OUT]]  PERFLOG names the program; prometheus must be installed; full disks need root

LEFT_OUT is a regular expression of other harm that is not to be done, such as "disk of the engine": Prometheus 2.42,
killed after its disk was full, may delete what it has confirmed ("Deleting all segments newer than corrupted
segment"), which is missing then, although push has sent it.

Each is started again at once: the recorder appends to the log.  At the end every value, its time and its number of
samples is compared, and at each time of the log how many processes live.  SEED chooses another run.
"""
import os
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
for folder in "../cli", "../support":
    sys.path.insert(1, os.path.join(HERE, folder))
import harness
import test_push_engines as engines
from harness import PROGRAM, count_samples, wait_until

KILLS = int(sys.argv[1]) if len(sys.argv) > 1 else 60
LEFT_OUT = sys.argv[2] if len(sys.argv) > 2 else "nothing"
OTHER_HARM = 0.2  # of all
DISKS = {"log": 64 << 20, "state": 64 << 10, "engine": 1 << 30}  # bytes; the log's grows with KILLS


class Network:
    """A way to a port of this machine that can be cut."""

    WAYS = "refused", "reset", "stalled", "answers lost"

    def __init__(self, port):
        self.to, self.cut, self.connections = port, None, set()
        self.lock = threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            try:
                if self.cut in ("refused", "reset"):
                    raise OSError("cut")
                server = socket.create_connection(("127.0.0.1", self.to))
            except OSError:
                client.close()
                continue
            with self.lock:
                self.connections.add((client, server))
            for pair in (client, server), (server, client):
                threading.Thread(target=self.pump, args=(*pair, pair[0] is server), daemon=True).start()

    def pump(self, source, sink, answers):
        try:
            while data := source.recv(1 << 16):
                while self.cut == "stalled":
                    time.sleep(0.01)
                if self.cut == "answers lost" and answers:
                    break
                sink.sendall(data)
        except OSError:
            pass
        self.end(source, sink)
        source.close()

    @staticmethod
    def end(*sockets):
        for s in sockets:
            try:
                s.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # by the other thread

    def harm(self, way, seconds):
        self.cut = way
        if way == "reset":
            with self.lock:
                for pair in self.connections:
                    self.end(*pair)
                self.connections.clear()
        time.sleep(seconds)
        self.cut = None


class Kills(engines.Prometheus):
    test_recording = test_both_killed = None

    def setUp(self):
        self.disks = {}
        super().setUp()
        self.network = Network(self.port)

    def disk(self, name):
        """A folder that is a small disk of its own, if this user may mount one."""
        if name not in self.disks:
            folder = self.path("disk_" + name)
            os.mkdir(folder)
            size = "size=%d" % (DISKS[name] + (KILLS << 18 if name == "log" else 0))
            r = subprocess.run(["mount", "-t", "tmpfs", "-o", size, "none", folder], stderr=subprocess.DEVNULL)
            self.disks[name] = folder, not r.returncode
            if not r.returncode:
                self.addCleanup(subprocess.run, ["umount", "-l", folder])
        return self.disks[name][0]

    def arguments(self):
        return [a if a != self.path("tsdb") else os.path.join(self.disk("engine"), "tsdb") for a in super().arguments()]

    def all_samples(self):
        """By the minute: of a long run they are many."""
        found = {}
        for end in self.slices:
            found.update(self.ask('{__name__=~"perflog_.+"}[1m]', end))
        return found

    def fill(self, name, seconds):
        ballast = os.path.join(self.disk(name), "ballast")
        with open(ballast, "wb", buffering=0) as f:
            try:
                while True:
                    f.write(bytes(1 << 12))
            except OSError:
                pass
            end = time.monotonic() + seconds
            while time.monotonic() < end:  # what is deleted meanwhile is filled, too
                try:
                    f.write(bytes(1 << 12))
                except OSError:
                    time.sleep(0.01)
        os.unlink(ballast)

    def test_kills(self):
        chance = random.Random(int(os.environ.get("SEED", "1")))
        log, state = os.path.join(self.disk("log"), "live.plog"), os.path.join(self.disk("state"), "state")
        url = self.url.replace(str(self.port), str(self.network.port))
        commands = {"record": ("record", "-q", "-i", "100ms", "--sync", "never", *engines.COUNTERS, log),
                    "push": ("push", "-q", "--follow", "--each-process", "--url", url, "--state", state, log)}
        began = time.time()
        running, killed, other = {}, dict.fromkeys((*commands, "engine"), 0), {}
        harms = [("network " + way, lambda s, way=way: self.network.harm(way, s)) for way in Network.WAYS]
        harms += [("disk of the %s full" % name, lambda s, name=name: self.fill(name, s))
                  for name, (_, mounted) in self.disks.items() if mounted]
        harms = [h for h in harms if not re.search(LEFT_OUT, h[0])]

        def start(name):
            with open(self.path("said_by_" + name), "ab") as said:
                running[name] = subprocess.Popen([PROGRAM, *commands[name]], stderr=said)

        def start_again():
            for name, p in running.items():
                if p.poll() is not None:  # push, as the recording had ended; either, as its disk was full
                    start(name)

        def end_all():
            for p in running.values():
                p.kill()
                p.wait()
        self.addCleanup(end_all)
        start("record")
        wait_until(lambda: count_samples(log) >= 3, "three samples")
        start("push")
        while sum(killed.values()) < KILLS:
            time.sleep(chance.uniform(0.05, 0.6))
            if chance.random() < OTHER_HARM:
                name, harm = chance.choice(harms)
                other[name] = other.get(name, 0) + 1
                worker = threading.Thread(target=harm, args=(chance.uniform(0.1, 1.5),))
                worker.start()
                while worker.is_alive():  # what ends by it is started again while it lasts
                    start_again()
                    worker.join(0.2)
                if self.process.poll() is not None:
                    self.start()
            name = chance.choice(list(killed))
            killed[name] += 1
            if name == "engine":
                self.process.kill()
                self.process.wait()
                self.start()
            else:
                running[name].kill()
                running[name].wait()
            start_again()
        samples = count_samples(log)
        wait_until(lambda: start_again() or count_samples(log) >= samples + 3, "three more samples")
        running["record"].send_signal(signal.SIGINT)
        running["record"].wait()
        running["push"].wait()
        last = harness.run(*commands["push"])
        self.assertEqual((last.code, last.err), (0, ""))
        with open(self.path("said_by_push"), encoding="utf-8") as f:
            lines = [" ".join(line.split(": ")[1:]) for line in f]
        print("push said:")
        for line in sorted(set(lines)):
            print("%7d times %s" % (lines.count(line), line.strip()))
        self.assertFalse([line for line in lines if "refused and left out" in line or "lost here" in line])
        self.slices = [began + s for s in range(0, int(time.time() - began) + 120, 60)]
        missing = self.wanted(log).keys() - self.all_samples().keys()
        self.assertFalse(missing, "%d missing, of the times %s" % (len(missing), sorted({k[3] for k in missing})[:9]))
        self.compare(log)
        print("%s killed; %s; %d samples, none lost, none twice, no ghost" % (
            ", ".join("%s %d times" % pair for pair in killed.items()),
            ", ".join("%s %d times" % pair for pair in sorted(other.items())) or "no other harm",
            len(self.all_samples())))


if __name__ == "__main__":
    del sys.argv[1:]
    harness.main()
