#!/usr/bin/env python3
"""Kill the recorder, push and an engine at random while a log is followed, cut the network between them, and fill
the disk of each; then the engine has what the log has.

    push_kills.py [KILLS [LEFT_OUT]]  PERFLOG names the program; the engine must be installed; full disks need root

LEFT_OUT is a regular expression of other harm that is not to be done, such as "disk of the engine".  ENGINE is
prometheus or victoria-metrics, SEED chooses another run.

Each is started again at once: the recorder appends to the log.  At the end every value, its time and its number of
samples is compared, and at each time of the log how many processes live.  Of a run that fails, what the programs
said and the file of positions stay in a folder, which is printed with the state of each.

Prometheus is killed while its disk is full: the record that the full disk has torn is the last one then.  If it goes
on behind it and is killed later, it deletes what it has confirmed in between ("Deleting all segments newer than
corrupted segment"; 2.42), which push cannot know.  VictoriaMetrics is ended, not killed, and its disk is not filled:
it confirms what it has in memory alone for some seconds, which it loses when it is killed or cannot write.
"""
import array
import bisect
import collections
import csv
import itertools
import json
import os
import random
import re
import signal
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
for folder in "../cli", "../support":
    sys.path.insert(1, os.path.join(HERE, folder))
import harness
import test_push_engines as engines
from harness import PROGRAM, wait_until

KILLS = int(sys.argv[1]) if len(sys.argv) > 1 else 60
LEFT_OUT = sys.argv[2] if len(sys.argv) > 2 else "nothing"
ENGINES = {"prometheus": engines.Prometheus, "victoria-metrics": engines.VictoriaMetrics}
OTHER_HARM = 0.2  # of all
INTERVAL, SLICE = 200, 300_000  # ms
LIVING = "perflog_process_working_set_bytes"
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


def samples_after(log, offset):
    """How many samples begin there, whatever a full disk has torn before."""
    try:
        with open(log, "rb") as f:
            f.seek(offset)
            return f.read().count(b"\x89PL1SMPL")
    except FileNotFoundError:
        return 0


class Kills(ENGINES[os.environ.get("ENGINE", "prometheus")]):
    test_recording = test_both_killed = None

    def setUp(self):
        self.keeps_what_it_confirms = self.name == "prometheus"
        self.disks, self.running = {}, {}
        super().setUp()
        self.network = Network(self.port)
        self.log = os.path.join(self.disk("log"), "live.plog")
        self.state = os.path.join(self.disk("state"), "state")
        url = self.url.replace(str(self.port), str(self.network.port))
        self.commands = {
            "record": ("record", "-q", "-i", "%dms" % INTERVAL, "--sync", "never", *engines.COUNTERS, self.log),
            "push": ("push", "-q", "--follow", "--each-process", "--url", url, "--state", self.state, self.log)}
        self.addCleanup(self.end_all)

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
        """Its data are on a disk of its own."""
        own = {self.path(name): os.path.join(self.disk("engine"), name) for name in ("tsdb", "vm")}
        return [own.get(a, a) for a in super().arguments()]

    # ---- programs ----

    def start_one(self, name):
        with open(self.path("said_by_" + name), "ab") as said:
            self.running[name] = subprocess.Popen([PROGRAM, *self.commands[name]], stderr=said)

    def start_again(self):
        """Push ends as the recording had ended; either, as its disk was full."""
        for name, p in self.running.items():
            if p.poll() is not None:
                self.start_one(name)

    def end_all(self):
        for p in self.running.values():
            p.kill()
            p.wait()

    def kill(self, name):
        if name == "engine":
            self.kill_engine()
            self.start()
        else:
            self.running[name].kill()
            self.running[name].wait()

    def kill_engine(self):
        self.process.send_signal(signal.SIGKILL if self.keeps_what_it_confirms else signal.SIGTERM)
        self.process.wait()

    # ---- harm ----

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
        if name == "engine":
            self.kill_engine()
        os.unlink(ballast)

    def harms(self):
        """[(name, what does it for so many seconds)]"""
        found = [("network " + way, lambda s, way=way: self.network.harm(way, s)) for way in Network.WAYS]
        found += [("disk of the %s full" % name, lambda s, name=name: self.fill(name, s))
                  for name, (_, mounted) in self.disks.items()
                  if mounted and (name != "engine" or self.keeps_what_it_confirms)]
        return [h for h in found if not re.search(LEFT_OUT, h[0])]

    def do_harm(self, harm, seconds):
        worker = threading.Thread(target=harm, args=(seconds,))
        worker.start()
        while worker.is_alive():  # what ends by it is started again while it lasts
            self.start_again()
            worker.join(0.2)
        if self.process.poll() is not None:
            self.start()

    def kill_all_at_random(self, chance):
        """(how often each was killed, how often other harm was done)"""
        killed, other = dict.fromkeys(("record", "push", "engine"), 0), collections.Counter()
        harms = self.harms()
        while sum(killed.values()) < KILLS:
            time.sleep(chance.uniform(0.05, 0.6))
            if chance.random() < OTHER_HARM:
                name, harm = chance.choice(harms)
                other[name] += 1
                self.do_harm(harm, chance.uniform(0.1, 1.5))
            name = chance.choice(list(killed))
            killed[name] += 1
            self.kill(name)
            self.start_again()
        return killed, other

    def end_in_peace(self):
        size = os.path.getsize(self.log)
        wait_until(lambda: self.start_again() or samples_after(self.log, size) >= 3, "three more samples")
        self.running["record"].send_signal(signal.SIGINT)
        self.running["record"].wait(harness.TIMEOUT)
        self.running["push"].wait(harness.TIMEOUT)
        last = harness.run(*self.commands["push"])
        self.assertEqual((last.code, last.err), (0, ""))

    # ---- what is there in the end ----

    def slices(self):
        """Their first and last millisecond."""
        return [(begin, begin + SLICE - 1) for begin in range(self.began, self.ended, SLICE)]

    def found(self):
        """Hashes of all samples' names and times, and their values; by slices, as they are tens of millions."""
        hashes, values = array.array("q"), array.array("d")
        if self.name == "victoria-metrics":
            urllib.request.urlopen("http://127.0.0.1:%d/internal/force_flush" % self.port).close()
        for begin, end in self.slices():
            length = end - begin + (self.name == "victoria-metrics")  # whose ranges are open on the left
            found = self.ask('{__name__=~"perflog_.+"}[%dms]' % length, end / 1000, once=True)
            hashes.extend(map(hash, found))
            values.extend(found.values())
        return hashes, values

    def logged(self, log):
        """The same of the log, and [(ms, processes)] of its rows."""
        export = [PROGRAM, "export", "-q", "--layout", "long", "--time", "unix", "--no-guard", log]
        metrics, hashes, values, living = {}, array.array("q"), array.array("d"), collections.Counter()
        with subprocess.Popen(export, stdout=subprocess.PIPE, text=True) as p:
            for time_s, host, obj, instance, counter, value, _ in itertools.islice(csv.reader(p.stdout), 1, None):
                if not value or not re.fullmatch(r"[-+0-9.e]+", value):
                    continue
                if (obj, counter) not in metrics:
                    metrics[obj, counter] = self.metric(obj, counter)
                metric, ms = metrics[obj, counter], round(float(time_s) * 1000)
                hashes.append(hash((metric, host, instance, ms)))
                values.append(float(value))
                living[ms] += metric == LIVING
        self.assertEqual(p.returncode, 0)
        return hashes, values, sorted(living.items())

    def begun(self):
        """When each recording began, in ms."""
        with open(self.log, "rb") as f:
            data = f.read()
        return sorted(struct.unpack_from("<q", data, m.start() + 24)[0] // 10 ** 6
                      for m in re.finditer(b"\x89PL1SESS", data) if m.start() + 32 <= len(data))

    def check_living(self, rows):
        """At every second as many processes as in the row before it; none where rows are missing after that.

        Where a recording ends, so do its series, 1 ms after its last row, however soon the next one begins.
        """
        times, begun = [ms for ms, _ in rows], self.begun()
        for begin, end in self.slices():
            query = {"query": "count(%s)" % LIVING, "start": begin / 1000, "end": end / 1000, "step": 1, "nocache": 1}
            url = "http://127.0.0.1:%d/api/v1/query_range?%s" % (self.port, urllib.parse.urlencode(query))
            with urllib.request.urlopen(url) as answer:
                [series] = [r["values"] for r in json.load(answer)["data"]["result"]] or [[]]
            counted = {round(float(t) * 1000): int(v) for t, v in series}
            for ms in range(begin, end, 1000):
                i = bisect.bisect(times, ms) - 1
                gone = i < 0 or (ms > times[i] and (i + 1 == len(times) or times[i + 1] - times[i] >= 2 * INTERVAL))
                again = not gone and ms > times[i] and bisect.bisect(begun, times[i]) < bisect.bisect(begun, times[i + 1])
                self.assertIn(counted.get(ms, 0), (0,) if gone else (0, rows[i][1]) if again else (rows[i][1],), ms)

    def compare(self, log):
        self.ended = int(time.time() * 1000)
        want, logged, rows = self.logged(log)
        found, values = self.found()
        orders = [sorted(range(len(hashes)), key=hashes.__getitem__) for hashes in (want, found)]
        if [want[i] for i in orders[0]] != [found[i] for i in orders[1]]:
            missing, extra = (sum((collections.Counter(a) - collections.Counter(b)).values())
                              for a, b in ((want, found), (found, want)))
            self.fail("%d of %d missing, %d not in the log" % (missing, len(want), extra))
        for i, k in zip(*orders):
            self.same(values[k], struct.unpack("<Q", struct.pack("<d", logged[i]))[0], "a value")
        self.check_living(rows)
        return len(found)

    def explain(self):
        kept = tempfile.mkdtemp(prefix="push-kills-")
        for folder in self.folder, self.disks["state"][0]:
            for name in os.listdir(folder):
                if os.path.isfile(os.path.join(folder, name)):
                    shutil.copy(os.path.join(folder, name), kept)
        shutil.copy(self.log, kept)
        print("it failed; what each said, the positions and the log are in " + kept)
        for name, p in *self.running.items(), ("engine", self.process):
            print("%s: %s" % (name, "ended with %d" % p.poll() if p.poll() is not None else
                              "runs, " + harness.state_of(p.pid)))
        for name, (folder, _) in self.disks.items():
            disk = os.statvfs(folder)
            print("disk of the %s: %d of %d bytes free; %s" % (name, disk.f_bavail * disk.f_bsize,
                                                               disk.f_blocks * disk.f_bsize, os.listdir(folder)))
        for name in "said_by_record", "said_by_push", self.said:
            with open(self.path(name), encoding="utf-8", errors="replace") as f:
                print("%s:\n%s" % (name, "".join(f.readlines()[-20:])))

    def count_lines_of_push(self):
        with open(self.path("said_by_push"), encoding="utf-8") as f:
            lines = [re.sub(r"wal/\d+", "wal/N", " ".join(line.split(": ")[1:])) for line in f]
        print("push said:")
        for line in sorted(set(lines)):
            print("%7d times %s" % (lines.count(line), line.strip()))
        self.assertFalse([line for line in lines if "refused and left out" in line or "lost here" in line])

    def test_kills(self):
        self.began = int(time.time() * 1000)
        try:
            self.start_one("record")
            wait_until(lambda: samples_after(self.log, 0) >= 3, "three samples")
            self.start_one("push")
            killed, other = self.kill_all_at_random(random.Random(int(os.environ.get("SEED", "1"))))
            print("%d s for the kills" % (time.time() - self.began / 1000), flush=True)
            self.end_in_peace()
            self.count_lines_of_push()
            samples = self.compare(self.log)
        except BaseException:
            self.explain()
            raise
        print("%s killed; %s; %d samples of %s, none lost, none twice, no ghost" % (
            ", ".join("%s %d times" % pair for pair in killed.items()),
            ", ".join("%s %d times" % pair for pair in sorted(other.items())) or "no other harm", samples, self.name))


if __name__ == "__main__":
    del sys.argv[1:]
    harness.main()
