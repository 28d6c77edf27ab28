#!/usr/bin/env python3
"""What is asked of engines: every query of the dashboard, of perflog-fleet(7) and of the rules is run by real ones.

An engine that is not here (tests/gate/engines.sh) is skipped; DuckDB's queries are run where DUCKDB names a folder in
which @duckdb/node-api was installed by npm, ClickHouse's where CHDB names one with chdb (566 MB).
"""
import json
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.parse
import urllib.request

sys.path.insert(1, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import PROGRAM, ROOT, Case, Recording, wait_until
import test_push_engines as engines  # its classes are not tests of this file

PUSH = os.path.join(ROOT, "analyze", "push")
DASHBOARD = os.path.join(PUSH, "grafana-dashboard.json")
RULES = os.path.join(PUSH, "node-exporter.rules.yml")
PAGE = os.path.join(PUSH, "perflog-fleet.7.scd")
METRIC = r"\bperflog_[a-z0-9_]+"
# What a machine may be without, such as the one that tests run on.
OPTIONAL = "pressure_stall", "physical_disk", "logical_disk", "network_interface", "tcpv4"


def dashboard():
    with open(DASHBOARD, encoding="utf-8") as f:
        return json.load(f)


def queries():
    """Of the dashboard, its variables set as Grafana does; and of the manual."""
    found = [(p["title"], t["expr"].replace("$host", ".+").replace("$__interval", "15s"))
             for p in dashboard()["panels"] for t in p.get("targets", ())]
    return found + [("the manual", q) for q in page_queries("PromQL")]


def page_queries(section):
    """Blocks of a section of perflog-fleet(7)."""
    with open(PAGE, encoding="utf-8") as f:
        text = re.search(r"(?ms)^## %s\n(.*?)(?=^#|\Z)" % section, f.read()).group(1)
    blocks = [re.sub(r"\\(.)", r"\1", b) for b in re.findall(r"^```\n(.*?)^```", text, re.S | re.M)]
    assert blocks, section
    return [b.strip() for b in blocks if not b.startswith("perflog ")]


def rules():
    with open(RULES, encoding="utf-8") as f:
        return re.findall(r"(?m)^ +- record: (\S+)\n +expr: (.+)$", f.read())


class Form(Case):
    def test_dashboard(self):
        panels = dashboard()["panels"]
        self.assertEqual(len({p["id"] for p in panels}), len(panels))
        places = set()
        for p in panels:
            g = p["gridPos"]
            mine = {(x, y) for x in range(g["x"], g["x"] + g["w"]) for y in range(g["y"], g["y"] + g["h"])}
            self.assertFalse(mine & places, p["title"])
            self.assertLessEqual(g["x"] + g["w"], 24)
            places |= mine
            self.assertTrue(p["type"] == "row" or p["targets"], p["title"])

    def test_rules_are_named_once(self):
        names = [name for name, _ in rules()]
        self.assertEqual(len(set(names)), len(names))
        self.assertGreater(len(names), 50)


class Asked:
    """Of an engine that has a real recording."""

    def record_all(self):
        log = self.record(self.path("real.plog"), "-i", "200ms", "-n", "8")
        self.good("push", "-q", "--url", self.url, log)
        self.last = max(k[-1] for k in self.expected(log, "-c", r"\System\Threads")) / 1000
        wait_until(lambda: self.ask("perflog_system_threads", self.last), "the last row can be asked for")

    def names(self):
        url = "http://127.0.0.1:%d/api/v1/label/__name__/values" % self.port
        with urllib.request.urlopen(url) as answer:
            return {n for n in json.load(answer)["data"] if n.startswith("perflog_")}

    def is_optional(self, metric, names):
        return any(metric.startswith("perflog_" + o) and not any(n.startswith("perflog_" + o) for n in names)
                   for o in OPTIONAL)

    def test_queries(self):
        """Each metric is one that push sends, and each query has an answer."""
        self.record_all()
        names = self.names()
        for title, query in queries():
            metrics = re.findall(METRIC, query)
            self.assertTrue(metrics, (title, query))
            if any(self.is_optional(m, names) for m in metrics):
                continue
            wait_until(lambda: not set(metrics) - self.names(),  # engines list the names of a row one after the other
                       lambda: "%s: %s is sent" % (title, set(metrics) - self.names()))
            with self.subTest(title, query=query):
                found = self.ask(query, self.last)
                if not re.search("disk_seconds_per_transfer|[<>]", query):  # no value without transfers
                    self.assertTrue(found)

    def test_hosts(self):
        """The variable of the dashboard lists hosts."""
        self.record_all()
        [metric] = re.findall(METRIC, json.dumps(dashboard()["templating"]))
        self.assertEqual(len({k[1] for k in self.ask(metric, self.last)}), 1)


class QueriesInVictoriaMetrics(Asked, engines.VictoriaMetrics):
    test_recording = None


class QueriesInPrometheus(Asked, engines.Prometheus):
    test_recording = test_both_killed = None


class Rules(engines.Prometheus):
    """Names of node_exporter, evaluated by Prometheus while a machine is recorded."""

    test_recording = test_both_killed = None

    def arguments(self):
        shutil.copy(RULES, self.path("rules.yml"))
        self.write("rules.conf", b"global:\n  evaluation_interval: 1s\nrule_files: [rules.yml]\n")
        return "--config.file", self.path("rules.conf"), *super().arguments()[2:]

    def node_metrics(self):
        """{name: [(labels, value)]}, the newest of each."""
        query = urllib.parse.urlencode({"query": '{__name__=~"node_.+|instance.*:node_.+"}'})
        with urllib.request.urlopen("http://127.0.0.1:%d/api/v1/query?%s" % (self.port, query)) as answer:
            found = {}
            for r in json.load(answer)["data"]["result"]:
                labels = r["metric"]
                found.setdefault(labels.pop("__name__"), []).append((labels, float(r["value"][1])))
        return found

    def test_rules(self):
        checker = shutil.which("promtool", path=os.environ["PATH"] + os.pathsep + engines.FETCHED)
        self.assertTrue(checker, "it comes with Prometheus")
        subprocess.run([checker, "check", "rules", RULES], check=True, stdout=subprocess.DEVNULL)
        log = self.path("live.plog")
        recording = Recording(self, log, "-q", "-i", "200ms")
        recording.wait_for(3)
        with subprocess.Popen([PROGRAM, "push", "-q", "--follow", "--url", self.url, log]) as p:
            self.addCleanup(p.kill)
            wait_until(lambda: self.ask("perflog_system_threads", time.time()), "a row is there")
            names = {k[0] for k in self.ask('{__name__=~"perflog_.+"}', time.time())}
            wanted = {name for name, expr in rules() if set(re.findall(METRIC, expr)) <= names}
            self.assertGreater(len(wanted), 40, {n for n, _ in rules()} - wanted)
            wait_until(lambda: wanted <= self.node_metrics().keys(),
                       lambda: "rules have values: %s" % (wanted - self.node_metrics().keys()))
            found = self.node_metrics()
            p.terminate()
        self.check_truth(found)

    def check_truth(self, found):
        """What does not change is what the kernel says, where node_exporter reads it."""
        with open("/proc/meminfo", encoding="ascii") as f:
            memory = {line.split(":")[0]: int(line.split()[1]) * 1024 for line in f}
        with open("/proc/stat", encoding="ascii") as f:
            [boot] = (int(line.split()[1]) for line in f if line.startswith("btime "))
        for field in "MemTotal", "CommitLimit", "SwapTotal":
            self.assertEqual([v for _, v in found["node_memory_%s_bytes" % field]], [memory[field]], field)
        [(labels, value)] = found["node_boot_time_seconds"]
        self.assertAlmostEqual(value, boot, delta=2)
        self.assertEqual(labels["instance"], labels["host"])
        for labels, value in found.get("node_network_mtu_bytes", ()):
            path = "/sys/class/net/%s/mtu" % labels["device"]
            if os.path.exists(path):
                with open(path, encoding="ascii") as f:
                    self.assertEqual(value, int(f.read()), labels)
        for labels, value in found.get("node_filesystem_size_bytes", ()):
            if labels["mountpoint"] == "/":
                s = os.statvfs("/")
                self.assertEqual(value, s.f_blocks * s.f_frsize)


class OnFiles(Case):
    """SQL of a section of perflog-fleet(7), on the files of this machine's recording.

    variable: of the environment, a folder; package: of npm, in it; program: reads a query, prints JSON.
    """

    def ask_all(self, variable, package, program, section):
        folder = os.environ.get(variable)
        if not folder or not os.path.isdir(os.path.join(folder, "node_modules", package)):
            self.skipTest("%s names no folder with %s" % (variable, package))
        log, logs = self.record(self.path("real.plog"), "-i", "200ms", "-n", "6"), self.path("logs")
        self.good("export", "-q", "--parquet", "-o", logs, log)
        day = max(os.listdir(logs))
        for query in page_queries(section):
            times = iter(("2000-01-01 00:00:00", "2100-01-01 00:00:00") * 9)
            sql = query.replace("date=2026-11-21", day).replace("'logs/", "'%s/" % logs)
            sql = re.sub(r"2026-11-21 \d\d:\d\d:00", lambda m, times=times: next(times), sql)
            r = subprocess.run(["node", "-e", program], input=sql, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True, cwd=folder, timeout=harness.TIMEOUT)
            with self.subTest(query=query):
                self.assertEqual(r.returncode, 0, r.stderr)
                self.assertTrue(json.loads(r.stdout), sql)

    def test_duckdb(self):
        self.ask_all("DUCKDB", "@duckdb/node-api", """const { DuckDBInstance } = require('@duckdb/node-api');
(async () => {
  const c = await (await DuckDBInstance.create(':memory:')).connect();
  const rows = (await c.runAndReadAll(require('fs').readFileSync(0, 'utf8'))).getRowObjectsJson();
  console.log(JSON.stringify(rows));
})().catch(e => { console.error(e.message); process.exit(1); });
""", "DuckDB")

    def test_clickhouse(self):
        self.ask_all("CHDB", "chdb", """const rows = require('chdb').query(require('fs').readFileSync(0, 'utf8'),
  'JSONEachRow').trim().split('\\n').filter(Boolean);
console.log('[' + rows.join(',') + ']');
""", "ClickHouse")


if __name__ == "__main__":
    harness.main()
