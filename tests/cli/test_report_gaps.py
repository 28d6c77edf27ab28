#!/usr/bin/env python3
"""perflog report: where samples are missing, damaged or were not recorded, against hand-made logs."""
import os
import re
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from crafted import gaps, note
from test_report import RATE, RAW, START, Reports, tank
from write_log import SECOND, object_of

KINDS = "damaged", "missing", "off", "step", "note"


class Gaps(Reports):
    def marks(self, page, host=0):
        """Kind, from and to in seconds since START."""
        return [(KINDS[kind], round(a - START / 10**9, 3), round(b - START / 10**9, 3))
                for a, b, kind in page.data["hosts"][host]["marks"]]

    def check_bands(self, page):
        """What is drawn on the time axis is what the numbers say."""
        first, last = page.data["from"], page.data["to"]
        for kind, name in enumerate(KINDS):
            wanted = sorted((1000 * max(0, min(1, (a - first) / (last - first)))) for a, _, k
                            in page.data["hosts"][0]["marks"] if k == kind)
            found = sorted(x for c, x, _ in page.bands if c == name)
            self.assertEqual(len(found), len(wanted))
            for a, b in zip(found, wanted):
                self.assertAlmostEqual(a, b, delta=3.1)
        for _, x, width in page.bands:
            self.assertTrue(x >= 0 and width >= 2.99 and x + width <= 1000.01)

    def test_what_the_recorder_tells(self):
        log = tank([(i, [(i, i)]) for i in range(10)])
        log.record(b"gaps", gaps(START + 10 * SECOND, START + 29 * SECOND, 20, 3), START + 30 * SECOND)
        log.record(b"note", note(1, "clock set forward by 1.5 s"), START + 30 * SECOND)
        for i in range(30, 40):
            log.sample(START + i * SECOND, [object_of(2, [(4, RAW, 8), (6, RATE, 8)], [(None, (i, i))])])
        page = self.report("-c", "Tank", log.save(self.path("a.plog")))
        self.assertEqual(self.marks(page), [("missing", 10, 29), ("step", 30, 30)])
        self.assertEqual(page.marks, [
            ["2026-11-21 07:35:12", "2026-11-21 07:35:31", "samples missing: the disk was full", "20"],
            ["2026-11-21 07:35:32", "", "clock set: clock set forward by 1.5 s", ""]])
        self.assertTrue(page.facts["Samples"].startswith("20, 20 missed"))
        self.check_bands(page)

    def test_nothing_is_missing(self):
        page = self.report("-c", "Tank", tank([(i, [(i, i)]) for i in range(5)]).save(self.path("a.plog")))
        self.assertEqual((self.marks(page), page.marks), ([], []))
        self.assertIn("Nothing is missing.", page.paragraphs)

    def test_events_stand_apart(self):
        """What is missing comes first, whenever it was; more than five events are folded away."""
        for events in 5, 6:
            log = tank([(i, [(i, i)]) for i in range(10)])
            for i in range(events):
                log.record(b"note", note(4, "event %d" % i), START + (10 + i) * SECOND)
            log.record(b"gaps", gaps(START + 20 * SECOND, START + 29 * SECOND, 10, 3), START + 30 * SECOND)
            page = self.report("-c", "Tank", log.save(self.path("a.plog")))
            self.assertEqual([m[2] for m in page.marks],
                             ["samples missing: the disk was full"] + ["note: event %d" % i for i in range(events)])
            self.assertEqual(re.findall("<caption>(.*?)</caption>", page.text), ["Gaps and damage", "Events"])
            self.assertEqual("<summary>6 events</summary>" in page.text, events > 5)

    def test_silence(self):
        """Nobody says why there are no samples: up to 3 intervals are no gap."""
        log = tank([(i, [(i, i)]) for i in (0, 1, 4, 9, 10)]).save(self.path("a.plog"))
        page = self.report("-c", "Tank", log)
        self.assertEqual(self.marks(page), [("missing", 4, 9)])
        self.assertEqual(page.marks[0][2:], ["samples missing: for a cause this perflog does not know", "4"])

    def test_neighbours_become_one(self):
        log = tank([(0, [(0, 0)])])
        for i in range(1, 3000):
            log.record(b"gaps", gaps(START + i * 10 * SECOND, START + i * 10 * SECOND, 1, 1), START + i * 10 * SECOND)
            log.sample(START + (i * 10 + 1) * SECOND, [object_of(2, [(4, RAW, 8), (6, RATE, 8)], [(None, (i, i))])])
        page = self.report("-c", "Tank", log.save(self.path("a.plog")))
        self.assertEqual(self.marks(page), [("missing", 10, 29990)])
        self.assertEqual(page.marks[0][2:], ["samples missing: the recorder was late (2999 times)", "2999"])

    def test_damage(self):
        samples = [(i, [(i, i)]) for i in range(60)]
        log = tank(samples)
        good = log.data
        at = [a for kind, a, _, _ in harness.records(self.write("a", good)) if kind == "SMPL"]
        log.data = good[:at[20] + 100] + b"\xff" * 9 + good[at[20] + 109:]
        page = self.report("-c", "Tank", log.save(self.path("a.plog")), code=2)
        self.assertEqual(self.marks(page), [("damaged", 19, 21)])
        self.assertEqual(page.marks, [["2026-11-21 07:35:21", "2026-11-21 07:35:23", "damaged: bytes of the log", "1"]])
        self.assertIn("1 damaged range (", page.facts["Log"])
        self.check_bands(page)
        x = page.charts[1].host["x"]
        self.assertIsNone(page.charts[1].lines["Drops/sec"][0][x.index(START // 10**9 + 21)], "no value across damage")

    def test_recorder_killed_and_begun_again(self):
        log = self.record(self.path("a.plog"), "-i", "20ms", "-n", "5", "-c", "System")
        harness.time.sleep(0.5)
        self.record(log, "-i", "20ms", "-n", "5", "-c", "System")
        page = self.report("-c", r"\System\Processes", log)
        (a, b), = [(a, b) for kind, a, b in self.marks(page) if kind == "off"]  # it may have been late, too
        self.assertGreater(b - a, 0.4)
        self.assertIn("not recorded: the recorder was not running", [m[2] for m in page.marks])
        line, = page.charts[0].lines["Processes"]
        x = [t - START / 10**9 for t in page.charts[0].host["x"]]
        self.assertEqual([v for t, v in zip(x, line) if a + 0.005 < t < b - 0.005], [None], "a break in between")
        self.assertEqual(len([v for v in line if v is not None]), 10)

    def test_outside_of_the_window(self):
        log = tank([(i, [(i, i)]) for i in (0, 1, 2, 12, 13, 14, 24, 25, 26)]).save(self.path("a.plog"))
        for window, wanted in (((), [("missing", 2, 12), ("missing", 14, 24)]),
                               (("--from", "07:35:13", "--to", "07:35:16"), [("missing", 2, 12)]),
                               (("--from", "07:35:14", "--to", "07:35:17"), [("missing", 14, 24)])):
            self.assertEqual(self.marks(self.report("-c", "Tank", *window, log)), wanted, window)

    def test_damage_at_the_beginning(self):
        """When it began is not known: the time before the first good sample, from no time on."""
        log = tank([(i, [(i, i)]) for i in range(60)])
        good = log.data
        at = [a for kind, a, _, _ in harness.records(self.write("a", good)) if kind == "SMPL"]
        log.data = good[:at[0] + 100] + b"\xff" * 9 + good[at[0] + 109:]
        page = self.report("-c", "Tank", log.save(self.path("a.plog")), code=2)
        kept = int(min(x for x in page.charts[0].host["x"])) - START // 10**9
        self.assertEqual(self.marks(page), [("damaged", kept, kept)])
        self.assertEqual(page.marks, [["", "2026-11-21 07:35:%02d" % (2 + kept), "damaged: bytes of the log", str(kept)]])
        self.check_bands(page)


if __name__ == "__main__":
    if os.environ.get("PERFLOG_HAS_REPORT", "1") in ("0", "OFF", ""):
        print("this perflog makes no reports; build with -DPERFLOG_UPLOT=npm to test them", file=sys.stderr)
        sys.exit(harness.SKIP)
    del Reports
    harness.main()
