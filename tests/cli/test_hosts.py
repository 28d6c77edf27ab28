#!/usr/bin/env python3
"""Many hosts: the one that is unlike the others is found, by the figures of 'stats --csv' and the rule of the manual."""
import csv
import io
import json
import math
import os
import re
import statistics
import subprocess
import sys

sys.path.insert(1, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import PROGRAM, Case, columns_of, run
from test_stats import gauge_log
from write_log import Log, object_of

MAKE_LOG = os.environ.get("MAKE_LOG", os.path.join(os.path.dirname(PROGRAM), "tests", "make_log"))
PEAK = os.environ.get("PEAK", os.path.join(os.path.dirname(PROGRAM), "tests", "peak"))
REPORTS = os.environ.get("PERFLOG_HAS_REPORT", "1") not in ("0", "OFF", "")
IS_RELEASE = os.environ.get("PERFLOG_IS_RELEASE") == "1"
SLOW = 7
READS = "PhysicalDisk", "_Total", "Avg. Disk sec/Read"
# What is added before the logarithm is taken; without one: compared as it is.
LEAST = {"% ": None, "Bytes/sec": 1e5, "/sec": 10, "sec/": 1e-3, "Bytes": 1e6}


def least_of(counter):
    return next((least for part, least in LEAST.items() if part in counter), 1)


def on_scale(value, least):
    return value if least is None else math.log1p(value / least)


def distances(values, least):
    """{host: spreads from the median}, as perflog-stats(1) describes it."""
    at = {host: on_scale(v, least) for host, v in values.items()}
    median = statistics.median(at.values())
    off = {host: v - median for host, v in at.items()}
    spread = 1.4826 * statistics.median(map(abs, off.values())) or 1.2533 * statistics.mean(map(abs, off.values()))
    spread = max(spread, 1 if least is None else 0.2)
    return {host: v / spread for host, v in off.items()}


class Hosts(Case):
    def fleet(self, hosts, slow=SLOW, **numbers):
        folder = self.path("fleet%d" % hosts)
        os.mkdir(folder)
        numbers = {"samples": 40, "interval": 10000, "processes": 4, **numbers}
        for host in range(1, hosts + 1):
            all_numbers = {"host": host, "seed": host, "slow": int(host == slow), **numbers}
            subprocess.run([MAKE_LOG, os.path.join(folder, "made%d.plog" % host),
                            *("%s=%d" % n for n in all_numbers.items())], check=True, timeout=harness.TIMEOUT)
        return folder

    def hosts(self, *args, code=0):
        """{host: its object} of the JSON, in its order."""
        r = run("stats", "--hosts", "--json", *args)
        self.assertEqual(r.code, code, r)
        return {h["host"]: h for h in json.loads(r.out)}

    def expected(self, logs, *args):
        """{(host, object, instance, counter): (distance, statistic)}, the greater of both statistics."""
        rows = list(csv.DictReader(io.StringIO(self.good("stats", "--csv", "-q", *args, logs).out)))
        most = {}
        for series in {tuple(r[k] for k in ("Object", "Instance", "Counter")) for r in rows}:
            for column, statistic in ("Mean", "mean"), ("P95", "P95"):
                values = {r["Host"]: float(r[column]) for r in rows
                          if (r["Object"], r["Instance"], r["Counter"]) == series and r[column]}
                for host, d in distances(values, least_of(series[2])).items():
                    if abs(d) > abs(most.get((host, *series), (0,))[0]):
                        most[host, *series] = d, statistic
        return most


class Found(Hosts):
    def test_figures(self):
        """Order, reasons and distances are those of a second computation."""
        paths = "-c", r"\PhysicalDisk(_Total)\*", "-c", r"\Memory\*", "-c", r"\Processor(_Total)\*"
        fleet = self.fleet(21)
        found = self.hosts(*paths, fleet)
        want = self.expected(fleet, *paths)
        self.assertEqual(list(found)[0], "made%d" % SLOW)
        self.assertEqual(len(found), 21)
        for name, host in found.items():
            mine = sorted((abs(d) for (h, *_), (d, _) in want.items() if h == name), reverse=True)
            self.assertAlmostEqual(host["unlike"], mine[0], delta=1e-9 * mine[0])
            for reason, distance in zip(host["reasons"], mine):
                key = name, reason["object"], reason["instance"] or "", reason["counter"]
                self.assertAlmostEqual(abs(reason["distance"]), distance, delta=1e-9 * distance)
                self.assertAlmostEqual(reason["distance"], want[key][0], delta=1e-9 * distance)
        unlike = [h["unlike"] for h in found.values()]
        self.assertEqual(unlike, sorted(unlike, reverse=True))

    def test_reasons(self):
        bad = self.hosts(self.fleet(30))["made%d" % SLOW]
        self.assertGreater(bad["unlike"], 5)
        reason = bad["reasons"][0]
        self.assertEqual((reason["object"], reason["instance"]), READS[:2])
        self.assertIn("Avg. Disk sec/", reason["counter"])
        self.assertGreater(reason["value"], 5 * reason["median"])
        self.assertEqual(len({r["counter"] for r in bad["reasons"]}), len(bad["reasons"]))

    def test_all_commands(self):
        """stats, top and diagnose name it first; top has pages of the three most unlike."""
        fleet = self.fleet(12)
        name = "made%d" % SLOW
        for args in ("stats", "--hosts"), ("top", "--every", "5m"), ("diagnose",):
            out = self.good(*args, fleet).out
            lines = out[out.index("Most unusual"):].splitlines()
            self.assertIn(name, lines[1], out)
        out = self.good("top", "--every", "5m", fleet).out
        order = re.findall(r"(?m)^ +[0-9.]+  (made\d+) ", out)
        self.assertEqual(len(order), 10)
        self.assertEqual(out.count("\nProcessors"), 3)
        for host in order[:3]:
            self.assertRegex(out, r"(?m)^%s  2026-" % host)

    def test_forms(self):
        """CSV has what JSON has."""
        fleet = self.fleet(9)
        rows = list(csv.DictReader(io.StringIO(self.good("stats", "--hosts", "--csv", fleet).out)))
        want = [(h["host"], h["unlike"], r["object"], r["instance"] or "", r["counter"], r["statistic"], r["value"],
                 r["median"], r["distance"]) for h in self.hosts(fleet).values() for r in h["reasons"]]
        self.assertEqual([(r["Host"], float(r["Unlike"]), r["Object"], r["Instance"], r["Counter"], r["Statistic"],
                           *(float(r[k]) for k in ("Value", "Median", "Distance"))) for r in rows], want)
        self.assertEqual(len(self.hosts("--top", "2", fleet)), 2)

    def test_findings_as_json_have_it(self):
        """The ten that diagnose shows as text, as stats has them; with fewer than three hosts there is no table."""
        fleet = self.fleet(12)
        found = json.loads(self.good("diagnose", "-q", "--json", fleet).out)
        self.assertEqual(found["hosts"], list(self.hosts(fleet).values())[:10])
        self.assertNotIn("hosts", json.loads(self.good("diagnose", "-q", "--json", self.fleet(2)).out))

    def test_head(self):
        """It counts hosts that have none of the series, and spans all rows of the first one, too."""
        logs = [gauge_log([(at + i, 7, 0) for at in range(5)], host=b"h%d" % i, counter=b"Other" if i < 1 else b"Level")
                .save(self.path("%d.plog" % i)) for i in range(5)]
        out = self.good("stats", "--hosts", "--tz", "UTC", "-c", r"\Tank\Level", *logs).out
        self.assertTrue(out.startswith("5 hosts, 2026-11-21 07:35:02 to 2026-11-21 07:35:10 UTC, compared by 1 series\n"), out)
        self.assertEqual(len(re.findall("(?m)^ .*h[0-9]", out)), 5)

    def test_nothing_to_compare(self):
        """A host that has nothing that others have is in all forms, as one that is like them."""
        logs = [gauge_log([(at, 7, 0) for at in range(5)], host=b"h%d" % i, counter=b"Other" if i < 1 else b"Level")
                .save(self.path("%d.plog" % i)) for i in range(5)]
        paths = "-c", r"\Tank\Level", "-c", r"\Tank\Other"
        rows = list(csv.DictReader(io.StringIO(self.good("stats", "--hosts", "--csv", *paths, *logs).out)))
        self.assertEqual(list(dict.fromkeys(r["Host"] for r in rows)), list(self.hosts(*paths, *logs)))
        host, = (r for r in rows if r["Host"] == "h0")
        self.assertEqual(list(host.values()), ["h0", "0"] + [""] * 7)

    def test_only_those_that_differ(self):
        """Of more hosts than there are lines, those at 0.0 are left out."""
        logs = [gauge_log([(0, level, 0), (1, level, 0)], host=b"h%02d" % i).save(self.path("%d.plog" % i))
                for i, level in enumerate([10] * 11 + [1000])]
        args = "stats", "--hosts", "--top", "10", "-c", r"\Tank\Level"
        out = self.good(*args, *logs).out
        self.assertIn("The one that is most unlike the others:\n", out)
        self.assertEqual(re.findall("h[0-9]+", out), ["h11"])
        out = self.good(*args, *logs[:-1]).out
        self.assertEqual(re.findall("h[0-9][0-9]", out), [])
        self.assertIn("compared by 1 series\n\nNo host is unlike the others", out)

    def test_identifiers_are_no_figures(self):
        """A process number that is far from those of other hosts is not what makes a host unlike them."""
        names = {2: b"Performance Logger", 4: b"ID Process", 6: b"Working Set"}
        logs = [Log(names, host=b"h%d" % i) for i in range(5)]
        for i, log in enumerate(logs):
            for s in range(3):
                log.sample((1_795_246_502 + s) * 10**9, [object_of(2, [(t, 0x00010100, 8) for t in (4, 6)],
                                                                   [(None, (30_000 if i else 100, 7))])])
        found = self.hosts("-c", r"\Performance Logger\*", *(log.save(self.path("%d.plog" % i)) for i, log in enumerate(logs)))
        self.assertEqual({r["counter"] for h in found.values() for r in h["reasons"]}, {"Working Set"})

    def test_nothing_in_common(self):
        """Of hosts that have nothing to be compared by, none is called like the others."""
        logs = [gauge_log([(0, 1, 0)], host=b"h%d" % i).save(self.path("%d.plog" % i)) for i in range(3)]
        out = self.good("stats", "--hosts", *logs).out  # a tank is not what shows how a machine is
        self.assertRegex(out, r"\A3 hosts, .*, compared by 0 series\n\nNothing can be compared: of no series half of the hosts,"
                              r" and three, have a value\.\n\Z")

    def table(self, *names):
        """The lines of the table of hosts of these names, its titles first."""
        logs = [gauge_log([(0, i, 0)], host=name.encode()).save(self.path("%d.plog" % i))
                for i, name in enumerate(names)]
        return self.good("stats", "--hosts", "-c", r"\Tank\Level", *logs).out.splitlines()[2:3 + len(names)]

    def test_columns_are_aligned_as_a_terminal_shows_them(self):
        for width, names in ((4, ("\u00e9\u00e9\u00e9\u00e9", "abcd", "abce")),
                             (6, ("\u670d\u52a1\u5668", "e\u0301", "abcd"))):
            places = {columns_of(re.split(r"Most|\\", line)[0]) for line in self.table(*names)}
            self.assertEqual(places, {24 + width})

    def test_long_names(self):
        """Of more than 40 columns the beginning is shown, and that it is no more."""
        self.assertEqual({line.split()[1] for line in self.table(*("a" * 36 + "\u670d%d%d%d" % (i, i, i) for i in range(3)))[1:]},
                         {"a" * 36 + "..."})
        names = ["\u670d" * 19 + "ab%d" % i for i in range(3)]
        self.assertEqual({line.split()[1] for line in self.table(*names)[1:]}, {"\u670d" * 18 + "..."})
        names = ["\u670d" * 19 + "a" * i for i in range(3)]
        self.assertEqual({line.split()[1] for line in self.table(*names)[1:]}, set(names))

    def test_of_half(self):
        """What less than half of the hosts have is not compared."""
        fleet, others = self.fleet(7), self.fleet(10, disks=6)
        for name in ("made%d.plog" % i for i in (8, 9, 10)):
            os.rename(os.path.join(others, name), os.path.join(fleet, name))
        out = self.good("stats", "--hosts", "-c", r"\PhysicalDisk(sd*)\% Disk Time", fleet).out
        self.assertIn("10 hosts", out)
        self.assertIn("compared by 4 series", out)

    def test_most_the_same(self):
        """By hand: ln(1001) - ln(11) = 4.511, of a mean deviation of 0.902, 1.131 as a spread."""
        logs = [gauge_log([(0, level, 0), (1, level, 0)], host=b"h%d" % i).save(self.path("%d.plog" % i))
                for i, level in enumerate((10, 10, 10, 10, 1000))]
        found = self.hosts("-c", r"\Tank\Level", *logs)
        self.assertAlmostEqual(found["h4"]["unlike"], 5 / 1.2533, places=6)
        self.assertEqual(found["h0"]["unlike"], 0)

    def test_alike(self):
        out = self.good("stats", "--hosts", "-c", r"\Memory\Commit Limit", self.fleet(8)).out
        self.assertIn("No host is unlike the others", out)

    def test_window(self):
        """Figures are of the rows asked for."""
        fleet = self.fleet(9)
        args = "--from", "2026-11-21 00:01:00", "--to", "2026-11-21 00:03:00"
        some = self.hosts("-c", "\\%s(%s)\\%s" % READS, *args, fleet)
        want = self.expected(fleet, "-c", "\\%s(%s)\\%s" % READS, *args)
        for host, found in some.items():
            self.assertAlmostEqual(found["reasons"][0]["distance"], want[host, *READS][0], places=9)


class Page(Hosts):
    def test_report(self):
        """Its table begins with the one that is unlike the others."""
        if not REPORTS:
            self.skipTest("this perflog was built without reports")
        fleet, page = self.fleet(14), self.path("page.html")
        self.good("report", "-q", fleet, "-o", page)
        with open(page, encoding="utf-8") as f:
            text = f.read()
        table = re.findall(r'<tr><td>(made\d+)</td><td class="n">([0-9.]+)</td><td class="n">([^<]+)</td>'
                           r'<td class="n">([^<]+)</td><td>([^<]+)</td></tr>', text)
        want = list(self.hosts(fleet).values())[:10]
        self.assertEqual([(n, float(u)) for n, u, *_ in table], [(h["host"], round(h["unlike"], 1)) for h in want])
        self.assertEqual(table[0][0], "made%d" % SLOW)
        self.assertIn("Avg. Disk sec/", table[0][4])
        self.good("report", "-q", self.fleet(2), "-o", page)
        with open(page, encoding="utf-8") as f:
            self.assertNotIn("Most unusual", f.read())


class Others(Hosts):
    def test_few(self):
        r = run("stats", "--hosts", self.fleet(2))
        self.assertEqual(r.code, 1)
        self.assertIn("compares 3 hosts or more; these logs are of 2", r.err)
        self.assertNotIn("Most unusual", self.good("top", os.path.join(self.folder, "fleet2")).out)

    def test_options(self):
        fleet = self.fleet(3)
        for option in ("--sort", "max"), ("--every", "1m"), ("--identity",):
            r = run("stats", "--hosts", *option, fleet)
            self.assertEqual(r.code, 1)
            self.assertIn("leave out", r.err)
        r = run("stats", "--hosts", "-c", r"\Nothing\Here", fleet)
        self.assertEqual(r.code, 1)
        self.assertIn("Nothing", r.err)

    def test_a_path_that_nothing_matches(self):
        """The reason is that of stats without --hosts, and reported once."""
        fleet = self.fleet(3)
        wrong = "-c", r"\Memory\Available Byte"
        for paths in wrong, (*wrong, "-c", r"\Memory\Available Bytes"):
            said = run("stats", *paths, fleet).err
            self.assertIn("did you mean", said)
            for args in ("stats", "--hosts"), ("report", "-o", self.path("a.html")):
                if args[0] != "report" or REPORTS:
                    r = run(*args, *paths, fleet)
                    self.assertEqual((r.code, r.err), (1, said))

    def test_of_windows(self):
        """Sheets of a fleet of Windows machines, as they are and imported into one log."""
        fleet = self.fleet(6, slow=3, processes=0)
        sheets = []
        for name in sorted(os.listdir(fleet)):
            sheets.append(self.path(name.replace(".plog", ".csv")))
            self.good("export", "-q", "--layout", "pdh", "-o", sheets[-1], os.path.join(fleet, name))
        found = self.hosts(*sheets)
        self.assertEqual(list(found)[0].lower(), "made3")
        imported = self.path("fleet.plog")
        self.good("import", "-q", *sheets, "-o", imported)
        again = self.hosts(imported)
        self.assertEqual([(n, h["unlike"]) for n, h in again.items()], [(n, h["unlike"]) for n, h in found.items()])

    def test_a_file_without_a_host(self):
        """A recorder that was killed as it began leaves one."""
        fleet = self.fleet(6)
        with open(os.path.join(fleet, "made1.plog"), "rb") as f:
            head = f.read(40)
        with open(os.path.join(fleet, "a.plog"), "wb") as f:
            f.write(head)
        for args in ("stats", "--hosts"), ("top", "--every", "5m"), ("diagnose",):
            self.assertIn("6 hosts", self.good(*args, fleet).out)

    def test_damage(self):
        """Damage of a host that has no page is reported."""
        fleet = self.fleet(6)
        order = list(self.hosts("--from", "2026-11-21 00:06:20", fleet))
        log = os.path.join(fleet, order[-1] + ".plog")
        with open(log, "r+b") as f:
            f.seek(os.path.getsize(log) * 9 // 10)
            f.write(bytes(30))
        for args in ("stats", "--hosts"), ("top", "--at", "00:00:10 +-1h"), ("diagnose",):
            r = run(*args, fleet)
            self.assertEqual(r.code, 2, r)
            self.assertIn("damaged", r.err)
            self.assertNotRegex(r.out, "(?m)^%s  2026" % order[-1])


class Overlap(Hosts):
    """Machines that share a name and have no machine id: their logs are one host's, which is reported."""

    CAN_BE_QUIET = (("export", "-o", "OUT"), ("export", "--parquet", "-o", "OUT"), ("report", "-o", "OUT"), ("stats",),
                    ("top",), ("diagnose",), ("push", "--forecast"), ("verify",), ("repair", "-o", "OUT"),
                    ("cut", "-o", "OUT", "--from", "2000-01-01"))
    COMMANDS = *CAN_BE_QUIET, ("info",), ("list",), ("dump",)

    def logs(self, *starts, host=b"web", folder="f", **how):
        os.makedirs(self.path(folder), exist_ok=True)
        paths = []
        for session, (name, start) in enumerate(starts, 1):
            log = gauge_log([(start + s, s, s) for s in range(300)], host=host, session=session, **how)
            paths.append(log.save(self.path(folder, name)))
        return paths

    def warnings(self, *args):
        r = run(*(self.path("out") if a == "OUT" else a for a in args))
        self.assertIn(r.code, (0, 1, 2), r)  # a page has nothing to show of it
        if os.path.isdir(self.path("out")):
            harness.shutil.rmtree(self.path("out"))
        elif os.path.exists(self.path("out")):
            os.unlink(self.path("out"))
        return [line for line in r.err.splitlines() if "overlap" in line]

    def test_every_command(self):
        a, b = self.logs(("a.plog", 0), ("b.plog", 100))
        for command in self.COMMANDS:
            for operands in (a, b), (self.path("f"),):
                self.assertEqual(self.warnings(*command, *operands), [
                    "perflog: web: %s and %s overlap in time, and are read as one machine's, one after the other; if "
                    "they are of several machines, read them apart" % (a, b)], command)
            self.assertEqual(self.warnings(*command, a), [])

    def test_quiet(self):
        self.logs(("a.plog", 0), ("b.plog", 100))
        for command in self.CAN_BE_QUIET:
            self.assertEqual(self.warnings(command[0], "-q", *command[1:], self.path("f")), [], command)

    def test_one_machine(self):
        """Two recorders on it; another host of the same machine id, as of a cloned system, is another host."""
        a, b = self.logs(("a.plog", 0), ("b.plog", 100), machine=77)
        self.assertEqual(self.warnings("info", self.path("f")), [
            "perflog: web: %s and %s overlap in time, as two recorders ran there, and are read one after the other; "
            "read them apart" % (a, b)])
        self.logs(("c.plog", 0), host=b"web", folder="g", machine=77)
        self.logs(("d.plog", 0), host=b"db", folder="g", machine=77)
        self.assertEqual(self.warnings("info", self.path("g")), [])

    def test_which(self):
        """Not only neighbours; not where one follows the other, or a clock was corrected by seconds."""
        self.logs(("a.plog", 0), ("b.plog", 300), ("c.plog", 570))
        self.assertEqual(self.warnings("info", self.path("f")), [])
        self.logs(("b.plog", 10), ("c.plog", 20), ("d.plog", 30), host=b"db", folder="g")
        self.assertEqual(self.warnings("info", self.path("f"), self.path("g")), self.warnings("info", self.path("g")))
        for other in b"x", b"y":
            self.logs(("%s1.plog" % other.decode(), 0), ("%s2.plog" % other.decode(), 50), host=other, folder="g")
        [line] = self.warnings("info", self.path("g"))
        self.assertIn("b.plog and %s overlap in time (so do files of 2 other hosts), and" % self.path("g", "c.plog"), line)

    def sheet(self, name, start, minutes, counter="Free"):
        rows = ['"07/01/2020 12:%02d:00.000","%d"\r\n' % (m, m) for m in range(start, start + minutes)]
        head = '"(PDH-CSV 4.0) (UTC)(0)","\\\\web\\Memory\\%s"\r\n' % counter
        return self.write(name, "".join([head, *rows]).encode())

    def test_windows(self):
        """Two data collector sets of one server; in an import they would be one recording that begins again."""
        a, b = self.sheet("a.csv", 0, 30), self.sheet("b.csv", 10, 10, "Used")
        said = ["perflog: web: %s and %s overlap in time, and are read one after the other; read them apart "
                "('export --parquet' takes them together)" % (a, b)]
        self.assertEqual(self.warnings("export", "--parquet", "-o", self.path("tables"), a, b), [])
        noon = 1593604800 - 1795246502  # of the sheets, from the beginning of made logs
        recorded = gauge_log([(noon + 25 * 60 + s, s, s) for s in range(300)]).save(self.path("d.plog"))
        self.assertEqual(len(self.warnings("export", "--parquet", "-o", self.path("tables"), a, recorded)), 1)
        for command in ("export", "-o", "OUT"), ("info",), ("verify",), ("import", "-o", "OUT"):
            self.assertEqual(self.warnings(*command, a, b), said, command)
            self.assertEqual(len(self.warnings(*command, a, a)), 1, command)
            self.assertEqual(self.warnings(*command, a), [])
            self.assertEqual(self.warnings(*command, a, self.sheet("c.csv", 30, 10)), [])
        for command in "export", "import":
            self.assertEqual(self.warnings(command, "-q", "-o", "OUT", a, b), [])

    def test_segments(self):
        """Files of one session follow each other, whatever the clock did."""
        os.mkdir(self.path("f"))
        for seq, start in (0, 1000), (300, 0):
            log = gauge_log([(start + s, s, s) for s in range(300)], seq=seq)
            log.save(self.path("f", "%d.plog" % seq))
        self.assertEqual(self.warnings("info", self.path("f")), [])


class OfOneLog(Hosts):
    """An import may hold any number of hosts; those that are not read are reported."""

    def of(self, hosts):
        path = self.path("of%d.plog" % hosts)
        with open(path, "wb") as f:
            for host in range(hosts):
                f.write(gauge_log([(0, host, 0), (1, host, 1)], host=b"h%04d" % host, source=b"fleet.csv",
                                  session=host + 1).data)
        return path

    def test_the_most(self):
        r = run("info", "--json", self.of(1024))
        self.assertEqual((r.code, r.err), (0, ""))
        self.assertEqual(len(json.loads(r.out)), 1024)

    def test_more(self):
        log = self.of(1025)
        r = run("info", "--json", log)
        self.assertIn("%s: holds more than 1024 hosts; only the first 1024 are read\n" % log, r.err)
        self.assertNotIn("h1024", r.out)


class Thousand(Hosts):
    def test_thousand(self):
        """One bad host of 1,000, in seconds and little memory."""
        if not IS_RELEASE:
            self.skipTest("time and memory are measured without sanitizers")
        fleet, figures = self.fleet(1000, slow=417, samples=60), self.path("figures")
        for args in ("stats", "--hosts"), ("top", "--every", "5m"), ("diagnose",):
            out = subprocess.run([PEAK, figures, PROGRAM, *args, fleet], stdout=subprocess.PIPE, text=True, check=True,
                                 timeout=harness.TIMEOUT).stdout
            self.assertIn("1000 hosts", out)
            self.assertIn("made417", out[out.index("Most unusual"):].splitlines()[1])
            with open(figures, encoding="ascii") as f:
                memory, us = map(int, f.read().split())
            self.assertLess(us, 10_000_000, args)
            self.assertLess(memory, 64_000_000, args)


if __name__ == "__main__":
    harness.main()
