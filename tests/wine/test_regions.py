#!/usr/bin/env python3
"""Counters of applications that Windows was not told of: perflog.exe reads their regions itself."""
import json
import os

from native import NATIVE, native, need
from publishing import FOR_EVER, VALVE, Counting, Publishing, Valves
from harness import main, run, wait_until

import hostile  # noqa: E402

PUBLISHER, HWINPUT, WORKER = (os.environ.get(name, "") for name in ("PUBLISHER", "HWINPUT", "WORKER"))
FIRST = 40000


class Counted(Counting, Publishing):
    hwinput, own = HWINPUT, "Perflog Provider"

    def test_programs_of_different_tables(self):
        """Beside each other; the list of processes has all of them, and the dead have their last values."""
        hwinput = self.start(HWINPUT, "--simulate", "5:500" + FOR_EVER)
        worker = self.start(WORKER, "100")
        r = self.recording()
        self.totals(worker)
        self.wait_for_last_values(hwinput)
        self.abandon(hwinput)  # before the recording ends: of Wine's own programs one may hold its output
        self.wait_for_last_values()
        self.stop(r)
        rows = self.rows()
        states = [(row["Instance"], row["Value"]) for row in rows
                  if row["Object"] == self.own and row["Counter"] == "State" and row["Status"] != "absent"]
        for p in hwinput, worker:
            of_it = [state for label, state in states if label == p.label]
            self.assertEqual(of_it, ["0"] * (len(of_it) - 1) + ["1"])

    def test_no_folder_and_an_empty_one(self):
        self.assertEqual({key[0] for key in self.sample()}, {"Performance Logger"})
        os.rmdir(self.dir)
        self.assertEqual({key[0] for key in self.sample()}, {"Performance Logger"})
        os.mkdir(self.dir)


class Tables(Publishing):
    """Of processes that ended: each is recorded once, and its file removed."""

    def end_many(self, number, counters):
        for n in range(1, number + 1):
            data, _ = hostile.region(n, [("Table %d" % n, -1, ["C%d" % i for i in range(counters)], [])])
            name = "many.%d.%016x.plr" % (n, n)
            self.write(name, data)
            os.rename(self.path(name), os.path.join(self.dir, name))

    def test_tables_that_ended_make_room_for_others(self):
        r = self.recording()
        self.end_many(300, 1)
        self.wait_for_last_values()
        self.stop(r)
        objects = {row["Object"] for row in self.rows()}
        self.assertLessEqual({"Table %d" % n for n in range(1, 301)}, objects)

    def test_what_is_left_out_is_reported(self):
        """Titles are not used again."""
        r = self.recording()
        self.end_many(9, 1000)
        wait_until(lambda: len(self.regions()) == 1, "eight are recorded")
        r.wait_for_more(4)
        ended = r.end()
        self.assertIn("applications publish more tables or titles than a recording has room for", ended.err)


class Published(Valves, Publishing):
    publisher, own = PUBLISHER, "Perflog Provider"

    def test_titles_have_numbers_of_their_own(self):
        self.good("record", "-q", "-i", "100ms", "-n", "2", self.log)
        dump = json.loads(native("dump", "--json", "--sample", "1", self.log).out)
        block = dump["block"]
        self.assertEqual({o["ObjectName"]: o["ObjectNameTitleIndex"] for o in block["objects"]},
                         {self.own: 21950, VALVE: FIRST, "Test Pipe": FIRST + 6, "Test Lines": FIRST + 12,
                          "Performance Logger": 21700})
        self.assertEqual(block["NumObjectTypes"], 5)
        self.assertEqual(block["TotalByteLength"], dump["record"]["raw_len"])

    def test_list_shows_what_is_published_now(self):
        listed = run("list").out
        self.assertIn(r"\Test Lines(%s)\Lines" % self.p.label, listed)
        self.assertIn(r"\Perflog Provider(%s)\State" % self.p.label, listed)

    def test_what_nobody_publishes_is_refused(self):
        r = run("record", "-n", "1", "-c", "Test Linen", self.log)
        self.check_one_line(r, 1, "nothing here matches 'Test Linen'")

    def test_a_crowd_of_files_may_delay_it_but_hides_nothing(self):
        """They take what time there is; what was found is looked at first from then on."""
        for i in range(1, 1200):
            self.write("regions/a.%d.%016x.plr" % (i, i), bytes(4096))
        r = self.recording()
        wait_until(lambda: "Test Lines" in native("export", "-q", "--layout", "long", self.log).out, "it is found")
        self.stop(r, 10)
        rows = [row for row in self.rows() if row["Status"] != "absent"]
        times = sorted({row["Time"] for row in rows})
        found = sorted({row["Time"] for row in rows if row["Object"] == "Test Lines"})
        self.assertGreater(len(found), 10)
        self.assertEqual(found, times[-len(found):])

    def test_where_nothing_of_it_is_chosen_its_files_are_left_alone(self):
        self.p.kill()
        self.p.wait()
        sample = self.sample("-c", "Performance Logger")
        self.assertEqual({o for o, _, _ in sample}, {"Performance Logger"})
        self.assertEqual(self.regions(), [self.p.region])
        self.sample()
        self.assertEqual(self.regions(), [])


if __name__ == "__main__":
    need(NATIVE, PUBLISHER, HWINPUT, WORKER)
    main()
