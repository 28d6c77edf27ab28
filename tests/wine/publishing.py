"""What tests of counters that applications publish share: programs, a recording beside them, both readers."""
import os
import signal
import subprocess

from native import RUN, native, windows
from harness import TIMEOUT, Case, Recording, long_rows, run, wait_until

VALVE = "Größe „χ“"
BUTTONS = "_Total", "Left", "Middle", "Right"
FOR_EVER = ":1000000000000"


def wine(*args, code=0):
    r = subprocess.run([RUN, *args], timeout=TIMEOUT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE)
    assert r.returncode == code, (args, r)
    return (r.stdout + r.stderr).decode(errors="replace")


class Publishing(Case):
    language = ()  # of the names that Windows was told

    def setUp(self):
        super().setUp()
        self.dir = self.path("regions")
        os.mkdir(self.dir)
        os.environ["PERFLOG_PROVIDER_DIR"] = windows(self.dir)
        self.addCleanup(os.environ.pop, "PERFLOG_PROVIDER_DIR")
        self.log = self.path("a.plog")

    def regions(self, program=""):
        return [name for name in os.listdir(self.dir) if name.startswith(program)]

    def start(self, *command):
        """A program that publishes; comes back when it does."""
        before = set(self.regions())
        p = subprocess.Popen([RUN, *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")
        self.addCleanup(self.abandon, p)
        wait_until(lambda: set(self.regions()) - before or p.poll() is not None, "it publishes")
        self.assertNotEqual(set(self.regions()), before, "%s published nothing, and ended with %s" % (command, p.poll()))
        p.region, = set(self.regions()) - before
        p.label = ":".join(p.region.split(".")[:2])
        return p

    def abandon(self, p):
        p.kill()
        p.wait()
        p.stdin.close()
        p.stdout.close()

    def recording(self, *args):
        r = Recording(self, self.log, "-i", "100ms", "-q", *self.language, *args)
        r.wait_for(2)
        return r

    def wait_for_last_values(self, *others):
        """Of all but some regions: whoever has recorded them removes the file."""
        left = sorted(p.region for p in others)
        wait_until(lambda: sorted(self.regions()) == left, "the last values are recorded")

    def stop(self, r, more=4):
        """The recording goes on for some samples, and ends."""
        r.wait_for_more(more)
        ended = r.end()
        self.assertEqual(ended.code, 0, ended)

    def sample(self, *args):
        """What two samples hold, both the same on both systems: {(object, instance, counter): value} of the last."""
        self.good("record", "-q", "-i", "100ms", "-n", "2", *self.language, *args, self.log)
        rows = self.rows()
        os.unlink(self.log)
        last = max(row["Time"] for row in rows)
        return {(row["Object"], row["Instance"], row["Counter"]): row["Value"] for row in rows
                if row["Time"] == last and row["Status"] != "absent"}

    def rows(self):
        here, there = (program("export", "-q", "--layout", "long", self.log) for program in (native, run))
        self.assertEqual((here.code, there.code), (0, 0), (here, there))
        self.assertTrue(here.raw_out == there.raw_out, "other bytes")
        return long_rows(here.out)

    def interrupt(self, p):
        p.send_signal(signal.SIGINT)
        return self.totals(p)

    def totals(self, p):
        out, _ = p.communicate(timeout=TIMEOUT)
        self.assertEqual(p.returncode, 0)
        return {name: int(n) for name, n in (line.rsplit(" ", 1) for line in out.splitlines())}


class Counting:
    """hwinput --simulate is recorded: of a Publishing that says what is run, and what the list of processes is called."""
    hwinput = own = None

    def clicks(self, rows, label):
        """The counts of the buttons in each sample."""
        by_time = {}
        for row in rows:
            if row["Object"] == "Mouse Clicks" and row["Counter"] == "Clicks" and row["Status"] != "absent":
                process, button = row["Instance"].split("/")
                if process == label:
                    by_time.setdefault(row["Time"], {})[button] = int(row["Value"])
        return [by_time[time] for time in sorted(by_time)]

    def counts(self, rows, counter):
        return [int(row["Value"]) for row in rows if row["Counter"] == counter and row["Status"] != "absent"]

    def check_clicks(self, rows, p, totals):
        samples = self.clicks(rows, p.label)
        self.assertGreater(len({sample["_Total"] for sample in samples}), 3, "the counts stood still")
        for sample in samples:
            self.assertEqual(sorted(sample), sorted(BUTTONS))
            self.assertEqual(sample["_Total"], sample["Left"] + sample["Middle"] + sample["Right"])
        self.assertEqual(samples[-1], {b: totals[b] for b in BUTTONS})

    def test_last_values_are_the_printed_totals_and_total_is_the_sum_in_every_sample(self):
        r = self.recording()
        p = self.start(self.hwinput, "--simulate", "7:500" + FOR_EVER)
        r.wait_for_more(8)
        totals = self.interrupt(p)
        self.wait_for_last_values()
        self.stop(r)
        rows = self.rows()
        self.check_clicks(rows, p, totals)
        for name in "Keystrokes", "Mouse moves":
            counts = self.counts(rows, name)
            self.assertEqual(counts, sorted(counts))
            self.assertEqual(counts[-1], totals[name])
        states = [row["Value"] for row in rows if row["Object"] == self.own
                  and row["Counter"] == "State" and row["Status"] != "absent"]
        self.assertEqual(states, ["0"] * (len(states) - 1) + ["1"])
        self.assertEqual(native("verify", self.log).code, 0)

    def test_wide_sheets_are_the_same_and_help_is_there(self):
        r = self.recording()
        p = self.start(self.hwinput, "--simulate", "1:500:500")
        self.totals(p)
        self.wait_for_last_values()
        self.stop(r)
        here, there = (program("export", "-q", self.log) for program in (native, run))
        self.assertTrue(here.raw_out == there.raw_out, "other bytes")
        self.assertIn(r"\Mouse Clicks(%s/Left)\Clicks/sec" % p.label, here.out)
        self.assertIn("The number of down clicks.", native("list", "--help-text", self.log).out)

    def test_two_processes_at_once(self):
        r = self.recording()
        program = self.hwinput
        old = self.start(program, "--simulate", "3:300" + FOR_EVER)
        young = self.start(program, "--simulate", "4:300" + FOR_EVER)
        r.wait_for_more(8)
        totals = [self.interrupt(old)]
        self.wait_for_last_values(young)
        totals.append(self.interrupt(young))
        self.wait_for_last_values()
        self.stop(r)
        rows = self.rows()
        for p, total in zip((old, young), totals):
            self.check_clicks(rows, p, total)
        by_time = {}
        for row in rows:
            if row["Object"] == self.own and row["Counter"] == "State" and row["Status"] != "absent":
                by_time.setdefault(row["Time"], {})[row["Instance"]] = row["Value"]
        both = [states for states in by_time.values() if len(states) == 2]
        self.assertIn({old.label: "0", young.label: "4"}, both, "the older one is shown")
        counts = self.counts(rows, "Keystrokes")
        self.assertEqual(counts[-1], totals[1]["Keystrokes"], "the younger one takes its place")

    def test_a_killed_application_leaves_its_last_counts_and_no_file(self):
        r = self.recording()
        p = self.start(self.hwinput, "--simulate", "5:500" + FOR_EVER)
        r.wait_for_more(5)
        self.abandon(p)
        self.wait_for_last_values()
        self.stop(r)
        samples = self.clicks(self.rows(), p.label)
        self.assertGreater(len(samples), 3)
        counts = [sample["_Total"] for sample in samples]
        self.assertEqual(counts, sorted(counts))


class Valves:
    """What the program tests/wine/publisher.c counts, recorded: of a Publishing, as Counting."""
    publisher = own = None

    def setUp(self):
        super().setUp()
        self.p = self.start(self.publisher)
        self.path_told = self.p.stdout.readline().rstrip("\n")

    def tell(self, *words):
        for word in words:
            self.p.stdin.write(word + "\n")
            self.p.stdin.flush()
            self.assertEqual(self.p.stdout.readline(), "done\n")

    def of(self, sample, object, counter):
        """{instance without its process: value} of a counter."""
        return {instance.removeprefix(self.p.label + "/"): value for (o, instance, c), value in sample.items()
                if (o, c) == (object, counter)}

    def test_names_and_values_are_those_of_the_application(self):
        self.assertTrue(self.path_told.endswith(self.p.region), self.path_told)
        self.tell("count", "count", "count")
        sample = self.sample()
        self.assertEqual(self.of(sample, VALVE, "Länge"),
                         {"plain": "30", 'a "quoted", name': "60", "日本 Größe": "90", "日本 Größe#1": "120"})
        self.assertEqual(self.of(sample, "Test Pipe", "Flow"), {"日本 Größe/in": "4294967295"},
                         "what its width cannot hold stops there")
        self.assertEqual(sample["Test Lines", self.p.label, "Lines"], "3")
        age, = self.of(sample, "Test Pipe", "Alter").values()
        self.assertTrue(0 <= float(age) < 600, age)

    def test_averages_and_instances_that_go(self):
        r = self.recording()
        for word in "count", "count", "remove", "count", "renew", "count":
            self.tell(word)
            r.wait_for_more(3)
        self.stop(r)
        cells = {}
        for row in self.rows():
            if row["Object"] == VALVE:
                cells.setdefault((row["Instance"].partition("/")[2], row["Counter"]), []).append(row)
        averages = {name: {row["Value"] for row in rows if row["Value"]} - {"0"}
                    for (name, counter), rows in cells.items() if counter.startswith("Bytes")}
        self.assertEqual(averages["日本 Größe"], {"90"})
        self.assertEqual(averages["日本 Größe#1"], {"120"})
        gone = cells['a "quoted", name', "Länge"]
        self.assertEqual((gone[-1]["Status"], gone[-2]["Value"]), ("absent", "40"))
        lengths = [int(row["Value"]) for row in cells["plain", "Länge"]]
        self.assertEqual(sorted(set(lengths)), [0, 10, 20, 30])
        self.assertEqual(lengths[-1], 10, "it began anew")

    def test_objects_are_asked_for_by_name(self):
        sample = self.sample("-c", "Test Lines")
        self.assertEqual({o for o, _, _ in sample}, {"Test Lines", "Performance Logger"})
        sample = self.sample("-c", r"\%s(*)\*" % VALVE)
        self.assertEqual({o for o, _, _ in sample}, {VALVE, self.own, "Performance Logger"},
                         "with what its instances belong to")

    def test_hostile_files_disturb_nobody(self):
        with open(os.path.join(self.dir, self.p.region), "rb") as f:
            good = f.read()
        name = "publisher.%d.%016x.plr"
        for i, content in enumerate((b"", good[:100], good[:-8], good + b"more", bytes(len(good)), b"\xff" * len(good),
                                     good[:160] + bytes(8) + good[168:], good[:600] + b"\xff" * 64 + good[664:], good)):
            with open(os.path.join(self.dir, name % (i + 1, i + 1)), "wb") as f:
                f.write(content)
        os.mkdir(os.path.join(self.dir, name % (90, 90)))
        os.symlink("/dev/zero", os.path.join(self.dir, name % (91, 91)))
        os.symlink(os.path.join(self.dir, self.p.region), os.path.join(self.dir, name % (92, 92)))
        os.link(os.path.join(self.dir, name % (9, 9)), os.path.join(self.dir, name % (93, 93)))
        with open(os.path.join(self.dir, name % (94, 94)), "wb") as f:
            f.truncate(1 << 40)
        with open(os.path.join(self.dir, "publisher..plr"), "wb") as f:
            f.write(good)
        self.tell("count")
        sample = self.sample("-i", "1s")  # there is time to look at all of them
        self.assertEqual({key for key in sample if key[0] == "Test Lines"}, {("Test Lines", self.p.label, "Lines")})
        self.assertEqual(self.of(sample, VALVE, "Länge")["plain"], "10")
