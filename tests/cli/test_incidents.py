#!/usr/bin/env python3
"""perflog diagnose: seven incidents, provoked one after another on this machine, are found and name their process; a
page of perflog report that is zoomed to one shows that process first.

By hand: --keep FILE keeps the recording, and --recorded FILE asks for the incidents of one that was kept; --samples N
makes each incident last so many samples.  --day MAKE_LOG
records a sample a second, each incident for 60 of them (ten minutes in all), and then asks for each in a log of 24
hours that ends with it; MAKE_LOG is the program of tests/tools.
"""
import argparse
import datetime
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import browser
import harness
from harness import Case, Recording, sample_times

INCIDENTS = os.path.join(harness.ROOT, "tests/incidents")
SETTINGS = {"samples": 40, "keep": None, "recorded": None, "day": None, "interval": 0.05}
DAY = 86400
PEAK = os.environ.get("PEAK", os.path.join(os.path.dirname(harness.PROGRAM), "tests", "peak"))
RECORDINGS = 3  # at most
REST = 20  # samples before, between and after incidents
# The script, the process that is to blame, and topics that findings of it may have.
ALL = [("fsync_storm.py", "fsyncer", {"disk"}),
       ("leak.py", "leaker", {"memory"}),
       ("fork_storm", "forker", {"processes"}),
       ("udp_flood.py", "flooder", {"network"}),
       ("oom_kill.py", "glutton", {"memory"}),
       ("cpu_throttle.py", "spinner", {"limits"}),
       ("d_state", "hanger", {"hang"})]
# Where the page shows who did it: the beginning of a chart's title, and of a name.
CHARTS = {"fsync_storm.py": ("Processes that read and write most", "fsyncer:"),
          "leak.py": ("Largest processes", "leaker:"),
          "udp_flood.py": ("Busiest processes", "flooder:"),
          "cpu_throttle.py": ("Control groups at their limit", "/perflog-incident-")}
DONE = {"leak.py", "oom_kill.py"}  # when they say that the harm is under way, it is done


def iso_ns(text):
    return int(datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() * 10**3) * 10**6


class Incidents(Case):
    def command(self, script):
        if script.endswith(".py"):
            return [sys.executable, "-B", os.path.join(INCIDENTS, script), self.folder,
                    "%g" % max(3, SETTINGS["samples"] * SETTINGS["interval"])]
        return [os.environ[script.upper()]]

    def provoke(self, recording, script):
        """When it began and ended; None: this machine cannot."""
        begin = sample_times(recording.path)[-1]
        with subprocess.Popen(self.command(script), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:
            if process.stdout.readline() and script not in DONE:
                recording.wait_for_more(SETTINGS["samples"])
            _, said = process.communicate()
        recording.wait_for_more(2)  # the sample being taken when it ended, and one behind it
        end = sample_times(recording.path)[-1]
        if process.returncode == harness.SKIP:
            print("%s: skipped: %s" % (script, said.decode().strip()), file=sys.stderr)
            return None
        self.assertEqual(process.returncode, 0, said)
        return begin, end

    def record_all(self):
        if SETTINGS["recorded"]:
            with open(SETTINGS["recorded"] + ".spans", encoding="ascii") as f:
                return SETTINGS["recorded"], json.load(f)
        log = os.path.join(tempfile.mkdtemp(dir=self.folder), "incidents.plog")
        recording = Recording(self, log, "-i", "%gms" % (1000 * SETTINGS["interval"]))
        recording.wait_for(REST)
        spans = {}
        for script, _, _ in ALL:
            spans[script] = self.provoke(recording, script)
            recording.wait_for_more(REST)
        self.assertIn(recording.end().code, (0, 2))  # beside storms a busy disk may cost samples
        if SETTINGS["keep"]:
            shutil.copy(log, SETTINGS["keep"])
            with open(SETTINGS["keep"] + ".spans", "w", encoding="ascii") as f:
                json.dump(spans, f)
        return log, spans

    def findings(self, *args):
        return json.loads(self.good("diagnose", "-q", "--json", *args).out)["findings"]

    def names(self, finding):
        return {p["name"].partition(":")[0] for p in finding["processes"]}

    def mostly_outside(self, finding, span):
        begin, end = (iso_ns(finding[side]) for side in ("begin", "end"))
        return 2 * (min(end, span[1]) - max(begin, span[0])) < end - begin

    def is_anothers(self, finding, name, span):
        """Others use this machine, too: what is wrong because of them may well be worse.  So may the incidents before
        and after, whose slices, each of ten samples, reach into this one's time."""
        names = self.names(finding)
        if name in names:
            return False
        return names and (not names & {n for _, n, _ in ALL} or self.mostly_outside(finding, span))

    def finds(self, name, topics, span, *args):
        """What diagnose says instead; empty: the incident is found."""
        found = [f for f in self.findings(*args) if not self.is_anothers(f, name, span)]
        # Before it there may be one that did more of it at that time, on a machine at work.
        if any(f["topic"] in topics and name in self.names(f) for f in found[:2]):
            return ""
        return self.good("diagnose", "-q", *args).out

    # ---- the page
    def first_of(self, page, chart, span):
        """The first name of ours in a chart's table, if the page shows that time: others use this machine, too."""
        page.follow("#from=%f&to=%f" % tuple(ns / 10**9 for ns in span))
        names = page.run("Array.from(Array.from(document.querySelectorAll('.chart')).find(c => c.querySelector('h3')"
                         ".textContent.startsWith('%s')).querySelectorAll('tbody tr:not([hidden]) .label'), "
                         "l => l.textContent)" % chart)
        ours = tuple(name + ":" for _, name, _ in ALL) + ("/perflog-incident-",)
        return next((n for n in names if n.startswith(ours)), "none of ours in %s" % names)

    def page_of(self, log):
        out = self.path("page.html")
        self.good("report", "-q", "-o", out, log)
        page = browser.Browser()
        self.addCleanup(page.close)
        page.look()
        page.open(out)
        page.settle()
        return page

    def not_on_page(self, log, spans):
        """By script: who is first instead."""
        if not browser.find() or os.environ.get("PERFLOG_HAS_REPORT", "1") in ("0", "OFF", ""):
            return {}
        page = self.page_of(log)
        first = {script: self.first_of(page, chart, spans[script])
                 for script, (chart, _) in CHARTS.items() if spans[script]}
        return {"page of " + script: who for script, who in first.items() if not who.startswith(CHARTS[script][1])}

    def not_found(self, log, spans):
        """By script: what is found instead."""
        wrong = {}
        for script, name, topics in ALL:
            if spans[script]:
                begin, end = ("@%d.%09d" % divmod(ns, 10**9) for ns in spans[script])
                wrong[script] = self.finds(name, topics, spans[script], "--from", begin, "--to", end, log)
        return {script: found for script, found in wrong.items() if found}

    def test_each_is_first_or_second_and_names_the_process(self):
        """Others use this machine, too, and may force more to its disks than we do: what they hide is provoked again."""
        if SETTINGS["day"]:
            self.skipTest("--day is given")
        wrong = None
        for _ in range(1 if SETTINGS["recorded"] else RECORDINGS):
            log, spans = self.record_all()
            found = {**self.not_on_page(log, spans), **self.not_found(log, spans)}
            wrong = {script: found[script] for script in found if wrong is None or script in wrong}
            if not wrong:
                break
        self.assertFalse(wrong, "\n\n".join("%s: %s" % pair for pair in wrong.items()))

    def cost(self, *args):
        """Microseconds of processor time, and the most memory in bytes."""
        used = self.path("used")
        subprocess.run([PEAK, used, harness.PROGRAM, *args], stdout=subprocess.DEVNULL, check=True)
        with open(used, encoding="ascii") as f:
            memory, us = map(int, f.read().split())
        return us, memory

    def test_each_in_a_log_of_24_hours(self):
        if not SETTINGS["day"]:
            self.skipTest("it records for ten minutes: see --day")
        log, spans = self.record_all()
        day = self.path("day.plog")
        subprocess.run([SETTINGS["day"], day, "samples=%d" % DAY, "like=" + log], check=True)
        self.assertEqual(self.findings(day), [])  # a day without an incident
        for script, name, topics in ALL:
            if not spans[script]:
                continue
            part = self.path(script + ".plog")
            begin, end = (span + side * REST * 10**9 // 2 for span, side in zip(spans[script], (-1, 1)))
            self.good("cut", "--from", "@%d" % (begin // 10**9), "--to", "@%d" % (end // 10**9), log, "-o", part)
            with self.subTest(script):
                self.assertEqual(self.finds(name, topics, spans[script], day, part), "")
            us, memory = min(self.cost("diagnose", "-q", day, part) for _ in range(3))
            print("%s: %.2f s CPU, %.1f MB" % (script, us / 1e6, memory / 1e6), file=sys.stderr)
            self.assertLess(us, 2 * 10**6, script)
            self.assertLess(memory, 32 << 20, script)


if __name__ == "__main__":
    if os.getuid():
        print("only root may make control groups and read what ended processes did")
        sys.exit(harness.SKIP)
    options = argparse.ArgumentParser(add_help=False)
    options.add_argument("--samples", type=int, default=SETTINGS["samples"])
    options.add_argument("--keep")
    options.add_argument("--recorded")
    options.add_argument("--day")
    given, rest = options.parse_known_args()
    SETTINGS.update(vars(given))
    if given.day:
        SETTINGS.update(interval=1, samples=60)
    unittest.main(argv=sys.argv[:1] + rest, testRunner=harness.Runner)
