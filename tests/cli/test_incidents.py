#!/usr/bin/env python3
"""perflog diagnose: seven incidents, provoked one after another on this machine, are found and name their process; a
page of perflog report that is zoomed to one shows that process first.

By hand: --keep FILE keeps the recording, --samples N makes each incident last so many samples.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import unittest

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import browser
import harness
from harness import Case, Recording, sample_times

INCIDENTS = os.path.join(harness.ROOT, "tests/incidents")
INTERVAL = "50ms"
SETTINGS = {"samples": 40, "keep": None}
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


class Incidents(Case):
    def command(self, script):
        if script.endswith(".py"):
            return [sys.executable, "-B", os.path.join(INCIDENTS, script), self.folder]
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
        log = self.path("incidents.plog")
        recording = Recording(self, log, "-i", INTERVAL)
        recording.wait_for(REST)
        spans = {}
        for script, _, _ in ALL:
            spans[script] = self.provoke(recording, script)
            recording.wait_for_more(REST)
        self.assertIn(recording.end().code, (0, 2))  # beside storms a busy disk may cost samples
        if SETTINGS["keep"]:
            shutil.copy(log, SETTINGS["keep"])
        return log, spans

    def findings(self, log, *args):
        return json.loads(self.good("diagnose", "-q", "--json", *args, log).out)["findings"]

    def names(self, finding):
        return {p["name"].partition(":")[0] for p in finding["processes"]}

    def is_anothers(self, finding):
        """Others use this machine, too: what is wrong because of them may well be worse."""
        names = self.names(finding)
        return names and not names & {name for _, name, _ in ALL}

    # ---- the page
    def first_of(self, page, chart, span):
        """The first name of ours in a chart's table, if the page shows that time: others use this machine, too."""
        page.run("location.hash = '#from=%f&to=%f'; new Promise(done => setTimeout(done, 0))"
                 % tuple(ns / 10**9 for ns in span))
        page.settle()
        names = page.run("Array.from(Array.from(document.querySelectorAll('.chart')).find(c => c.querySelector('h3')"
                         ".textContent.startsWith('%s')).querySelectorAll('tbody tr:not([hidden]) .label'), "
                         "l => l.textContent)" % chart)
        ours = tuple(name + ":" for _, name, _ in ALL) + ("/perflog-incident-",)
        return next((n for n in names if n.startswith(ours)), "none of ours in %s" % names)

    def check_page(self, log, spans):
        out = self.path("page.html")
        self.good("report", "-q", "--top", "50", "-o", out, log)
        page = browser.Browser()
        self.addCleanup(page.close)
        page.look()
        page.open(out)
        page.settle()
        for script, (chart, name) in CHARTS.items():
            if spans[script]:
                with self.subTest("page of " + script):
                    self.assertTrue(self.first_of(page, chart, spans[script]).startswith(name),
                                    self.first_of(page, chart, spans[script]))

    def test_each_is_first_or_second_and_names_the_process(self):
        log, spans = self.record_all()
        if browser.find() and os.environ.get("PERFLOG_HAS_REPORT", "1") not in ("0", "OFF", ""):
            self.check_page(log, spans)
        for script, name, topics in ALL:
            if not spans[script]:
                continue
            begin, end = ("@%d.%09d" % divmod(ns, 10**9) for ns in spans[script])
            found = [f for f in self.findings(log, "--from", begin, "--to", end) if not self.is_anothers(f)]
            # Before it there may be one that did more of it at that time, on a machine at work.
            with self.subTest(script):
                self.assertTrue(any(f["topic"] in topics and name in self.names(f) for f in found[:2]),
                                self.good("diagnose", "-q", "--from", begin, "--to", end, log).out)


if __name__ == "__main__":
    if os.getuid():
        print("only root may make control groups and read what ended processes did")
        sys.exit(harness.SKIP)
    options = argparse.ArgumentParser(add_help=False)
    options.add_argument("--samples", type=int, default=SETTINGS["samples"])
    options.add_argument("--keep")
    given, rest = options.parse_known_args()
    SETTINGS.update(vars(given))
    unittest.main(argv=sys.argv[:1] + rest, testRunner=harness.Runner)
