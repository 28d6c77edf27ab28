#!/usr/bin/env python3
"""push: which series there are, under which names, and when they end."""
import fcntl
import os
import subprocess
import sys

sys.path.insert(1, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import PROGRAM, columns_of, run, wait_until
from pushed import START, Push, S


class Sheets(Push):
    def sheet(self, name, columns, rows):
        lines = [["(PDH-CSV 4.0) (UTC)(0)", *columns]]
        lines += [["11/20/2020 12:%02d:00.000" % i, *row] for i, row in enumerate(rows)]
        text = "".join(",".join('"%s"' % cell for cell in line) + "\r\n" for line in lines)
        return self.write(name, text.encode())

    def test_names_in_any_alphabet(self):
        """Letters that a metric's name cannot have never make two counters one, in whatever order they come."""
        values = {r"\\m\Память\Доступно байт": "1", r"\\m\Система\Процессы": "2", r"\\m\Система\% нагрузки": "3",
                  r"\\m\Prozessor\Verfügbare Zeit": "4", r"\\m\Memory\Free": "5", r"\\m\Сеть\Free": "6"}
        found = []
        for columns in list(values), list(values)[::-1], list(values)[1:2]:
            receiver = self.receiver()
            self.push(receiver, self.sheet("s.csv", columns, [[values[c] for c in columns]]))
            names = {v: k[0] for k, v in self.sent(receiver)[0].items()}
            self.assertEqual(len(names), len(columns))
            found.append(names)
        self.assertEqual(found[0], found[1])
        self.assertLessEqual(found[2].items(), found[0].items())
        self.assertEqual(sorted(name.rpartition("_")[0] for name in found[0].values()),
                         ["perflog", "perflog", "perflog_free", "perflog_memory", "perflog_percent", "perflog_prozessor_verf_gbare_zeit"])
        self.assertIn("perflog_memory_free", found[0].values())

    def test_forecast_of_what_comes_and_goes(self):
        """A series that ends when another begins is not there with it."""
        names = [r"\\m\Thing(a%d)\Size Bytes" % i for i in range(9)]
        log = self.sheet("s.csv", names, [["7" if i == k else " " for k in range(9)] for i in range(9)])
        other = self.sheet("o.csv", [n.replace(r"\\m", r"\\other") for n in names],
                           [["7" if i == k else " " for k in range(9)] for i in range(9)])
        fewer = self.sheet("f.csv", names[:3], [["7", "7", "7"], ["7", " ", " "]])
        for logs, most in ((log,), "1"), ((log, other), "2"), ((fewer,), "3"):
            out = self.good("push", "--forecast", *logs).out
            line = next(l for l in out.splitlines() if l.startswith("Thing"))
            self.assertEqual(line.split()[1], most)

    def test_forecast_in_any_alphabet(self):
        """A title is above its figures, as a terminal shows them."""
        names = "Memory", "\u041f\u0430\u043c\u044f\u0442\u044c", "\u30d7\u30ed\u30bb\u30c3\u30b5", "e\u0301"
        log = self.sheet("s.csv", [r"\\m\%s\Free" % name for name in names], [["7"] * len(names)])
        lines = self.good("push", "--forecast", log).out.splitlines()[2:]
        self.assertEqual(len(lines), 2 + len(names))
        self.assertEqual(len({columns_of(line) for line in lines}), 1, lines)

    def test_forecast_of_any_time(self):
        """The first that there is, one in the future, and a clock that was set back: rows that are left out take no time."""
        first, last = (s // S - START for s in (-2**63 + S, 2**63 - 1))
        late = "row%s, whose time is not after"
        for seconds, length, said in (((first, 0), "127530d7h", ""), ((600, last), "1s", ""), ((600, 0), "1s", "1 " + late % ""),
                                      ((3600, *range(60), *range(3601, 3604)), "4s", "60 " + late % "s")):
            r = run("push", "--forecast", self.made(seconds))
            self.assertEqual(r.code, 2 if said else 0, r)
            self.assertIn(said, r.err)
            self.assertEqual(r.out.splitlines()[0], "A day that goes on as these " + length)


class Ends(Push):
    """A log that is not being recorded has ended, whatever others do."""

    def setUp(self):
        super().setUp()
        self.live = self.made(range(8), "live.plog")
        self.ended = self.made(range(5), "ended.plog", host=b"ended")
        self.lock = open(self.live, "rb")
        self.addCleanup(self.lock.close)
        fcntl.flock(self.lock, fcntl.LOCK_EX)

    def ends(self, receiver):
        """{host: second after which all of its series end}"""
        return {host: ms // 1000 - START for _, host, _, ms in self.sent(receiver)[1] if ms % 1000}

    def test_beside_a_live_one(self):
        receiver = self.receiver()
        self.push(receiver, self.live, self.ended)
        self.assertEqual(self.ends(receiver), {"ended": 4})

    def test_beside_a_live_one_of_its_name(self):
        """Which of two machines of one name has ended is known by the machine."""
        receiver = self.receiver()
        self.push(receiver, self.live, self.made(range(5), "twin.plog", machine=7, session=7))
        self.assertEqual(self.ends(receiver), {"web#1": 4})

    def test_the_last_window(self):
        """It is complete, though the log's end cuts it; that of the live log is not."""
        receiver = self.receiver()
        self.push(receiver, self.live, self.ended, "--every", "10s")
        windows = {(host, ms // 1000 - START) for _, host, _, ms in self.sent(receiver)[0]}
        self.assertEqual(windows, {("web", 0), ("ended", 0), ("ended", 10)})

    def test_while_the_other_is_followed(self):
        receiver = self.receiver()
        p = subprocess.Popen([PROGRAM, "push", "--follow", "-q", "--url", receiver.url, self.live, self.ended])
        self.addCleanup(p.wait)
        self.addCleanup(p.kill)
        wait_until(lambda: self.ends(receiver), "a host ends")
        self.assertIsNone(p.poll())
        self.assertEqual(self.ends(receiver), {"ended": 4})
        fcntl.flock(self.lock, fcntl.LOCK_UN)
        self.assertEqual(p.wait(harness.TIMEOUT), 0)
        self.assertEqual(self.ends(receiver), {"ended": 4, "web": 7})
        self.assertEqual(receiver.num_samples(), len(receiver.samples()))


if __name__ == "__main__":
    harness.main()
