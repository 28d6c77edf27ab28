"""What the tests of push share: made logs, what is expected of them, and a receiver that keeps order as Prometheus does."""
import os
import re
import signal
import struct

from harness import Case, long_rows, run, wait_until
from receiver import STALE, Receiver
import write_log

START = 1_795_246_500
S = 10**9
RATE, GAUGE, HEX = 0x10410500, 0x00010100, 0x00000000
NAMES = {2: "PhysicalDisk", 4: "Disk Write Bytes/sec", 6: "% Idle Time", 8: "Avg. Disk sec/Read", 10: "Working Set",
         12: "TCPv4", 14: "Load Average 15 Minutes", 16: "disk write bytes/sec", 18: "% I/O Wait Time", 20: "I/Os/sec"}


def bits_of(text):
    return struct.unpack("<Q", struct.pack("<d", float(text)))[0]


class Push(Case):
    def setUp(self):
        super().setUp()
        if os.environ.get("PERFLOG_HAS_PUSH", "1") == "0":
            self.skipTest("this perflog was built without libcurl and libsnappy")
        self.maker = write_log

    def receiver(self, *answers, **how):
        r = Receiver(answers, **how)
        self.addCleanup(r.close)
        return r

    def made(self, samples, name="a.plog", before=None, **how):
        """A disk of every sample, and one that is there in some; before(log, s) is called before sample s."""
        log = self.maker.Log({i: n.encode() for i, n in NAMES.items()}, **how)
        for s in samples:
            if before:
                before(log, s)
            disks = [("sda", (10 * s, s))] + ([("sdb", (5 * s, 2 * s))] if s % 5 in (1, 2) else [])
            log.sample((START + s) * S, [self.maker.object_of(2, [(4, RATE, 8), (10, GAUGE, 8)], disks)])
        return log.save(self.path(name))

    def push(self, receiver, log, *args, code=0, **how):
        r = run("push", "--url", receiver.url, *args, log, **how)
        self.assertEqual(r.code, code, r)
        return r

    def expected(self, log, *args):
        """{(object, counter, host, instance, ms): bits} of all values."""
        found = {}
        out = self.good("export", "-q", "--layout", "long", "--time", "unix", "--no-guard", *args, log).out
        for r in long_rows(out):
            if r["Value"] and re.fullmatch(r"[-+0-9.e]+", r["Value"]):
                key = r["Object"], r["Counter"], r["Host"], r["Instance"], round(float(r["Time"]) * 1000)
                found[key] = bits_of(r["Value"])
        self.assertTrue(found)
        return found

    def sent(self, receiver):
        """Values and ends, by (metric, host, instance, ms)."""
        values, ends, known = {}, set(), {}
        for (labels, ms), bits in receiver.samples().items():
            if labels not in known:
                known[labels] = dict(labels)
                self.assertEqual(list(labels), sorted(labels))
            has = known[labels]
            key = has["__name__"], has["host"], has.get("instance", ""), ms
            if bits == STALE:
                ends.add(key)
            else:
                values[key] = bits
        return values, ends

    def agree(self, receiver, want):
        """Metrics and counters belong together one to one; then all values are the same."""
        values, _ = self.sent(receiver)
        places = {}
        for (obj, counter, *rest), bits in want.items():
            places.setdefault(tuple(rest), {})[obj, counter] = bits
        self.assertEqual(len(values), len(want))
        metric_of = {}
        by_place = {}
        for (metric, *rest), bits in values.items():
            by_place.setdefault(tuple(rest), {})[metric] = bits
        for obj, counter in {k[:2] for k in want}:
            metric_of[obj, counter] = self.metric(obj, counter)
        self.assertEqual(len(set(metric_of.values())), len(metric_of))
        for place, cells in places.items():
            self.assertEqual({metric_of[k]: v for k, v in cells.items()}, by_place.get(place), place)

    def wait_for_looks(self, pid, looks=3, or_else=lambda: False):
        """
        It has looked at the logs that it follows so often: it pauses after each look.  It does while it starts, too, so
        that only those count which come once it catches SIGTERM: from then on it follows.
        """
        def state():
            with open("/proc/%d/status" % pid) as f:
                return dict(line.split(":", 1) for line in f)

        def pauses():
            return int(state()["voluntary_ctxt_switches"])
        wait_until(lambda: or_else() or int(state()["SigCgt"], 16) >> signal.SIGTERM - 1 & 1, "it follows the logs")
        first = pauses()
        wait_until(lambda: or_else() or pauses() >= first + looks, "it has looked at the logs")

    UNITS = {"Working Set": "bytes", "Working Set Peak": "bytes", "Working Set - Private": "bytes",
             "Commit Limit": "bytes", "MTU": "bytes", "Elapsed Time": "seconds", "System Up Time": "seconds",
             "Current Bandwidth": "bits_per_second", "Current Frequency": "megahertz", "Processor Limit": "percent"}

    def metric(self, obj, counter):
        """As perflog-push(1) describes it."""
        unit = "percent" if counter.startswith("%") else self.UNITS.get(counter)
        text = ("%s %s" % (obj, counter)).replace("I/O", "IO")
        text = re.sub(r"([a-z])([A-Z])", r"\1 \2", text).replace("/", " per ").lower()
        words = re.findall("[a-z0-9]+", text)
        words = [("second" if i and words[i - 1] == "per" else "seconds") if w == "sec" else w
                 for i, w in enumerate(words)]
        return "_".join(["perflog", *words] + ([unit] if unit else []))


class InOrder:
    """Answers as Prometheus does: a request in which a sample is before the last of its series is refused as a whole.

    late: a second that is refused, too.
    """

    def __init__(self, late=None):
        self.late, self.last = late, {}

    def __call__(self, message):
        last = dict(self.last)
        for labels, samples in message:
            for _, ms in samples:
                if ms < last.get(labels, ms) or ms == (self.late or -1) * 1000:
                    return 400, {}, b"out of order sample\n"
                last[labels] = ms
        self.last = last
        return 204, {}, b""
