#!/usr/bin/env python3
"""Every reading command over every log of bombs.py: within memory, within time, with plain words.

With sanitizers, which change both, only the small ones are tried, without a limit of memory.
"""
import json
import os
import resource
import subprocess
import sys

import harness
from bombs import BOMBS, MIB, RAWCOUNT, Bomb, block, plain
from harness import PROGRAM, Case, run
from write_log import object_of

MEMORY = 512 * MIB
SMALL_WORK = 3 * MIB
SEARCH_STEP = MIB // 4  # of format/scan.c
# What decodes nothing but blocks keeps to what the cap of a block allows.
LEAN = ("info", "verify", "dump")
READERS = (
    ("info",), ("info", "--json"), ("verify",), ("list",), ("list", "--json"),
    ("export", "-q"), ("export", "-q", "--layout", "long"),
    ("export", "-q", "--layout", "long", "-c", r"\System\*", "--from", "2026-11-21T12:00:01Z"),
    ("dump",), ("dump", "--json", "--sample", "-1"), ("stats",),
)
WRITERS = (
    ("repair", "-q"), ("cut", "-q", "--from", "1970-01-02"), ("cut", "-q", "-c", r"\*(*)\*"),
    ("cut", "-q", "-c", r"\*(*z)\*"),
)


def limited(memory, seconds):
    def limit():
        if memory:
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    return limit


def is_sanitized():
    return run("--version", preexec_fn=limited(MEMORY, 60)).code != 0


def is_known(command):
    return "is not a command" not in run(command, "--help").err and run(command, "--help").code == 0


class Bombs(Case):
    def measured(self, command, log, seconds, memory):
        """Exit status, standard error, CPU seconds, bytes of memory."""
        with open(self.path("err"), "w+b") as err:
            p = subprocess.Popen([PROGRAM, *command, log], stdin=subprocess.DEVNULL,
                                 stdout=subprocess.DEVNULL, stderr=err,
                                 preexec_fn=limited(memory, seconds))
            _, status, used = os.wait4(p.pid, 0)
            p.returncode = os.waitstatus_to_exitcode(status)
            err.seek(0)
            return (p.returncode, err.read().decode("utf-8", "surrogateescape"),
                    used.ru_utime + used.ru_stime, used.ru_maxrss * 1024)

    def check(self, command, log, work, sanitized):
        """'work' is bytes; time may be linear in them and in the file, and nothing else."""
        size = os.path.getsize(log)
        seconds = int(8 + (work + size) / (4 * MIB)) * (8 if sanitized else 1)
        writes = command in WRITERS
        if writes:
            out = self.path("out.plog")
            if os.path.exists(out):
                os.unlink(out)
            command = (*command, "-o", out)
        code, err, cpu, memory = self.measured(command, log, seconds, None if sanitized else MEMORY)
        self.assertIn(code, (0, 1, 2, 3, 4), "status %d after %.1f s of CPU time, %r" % (code, cpu, err))
        lines = err.splitlines()
        self.assertLessEqual(len(lines), 4, err[:2000])
        for line in lines:
            self.assertTrue(line.startswith("perflog: "), line[:300])
            self.check_printable(line)
        if code == 1:
            self.assertTrue(lines, "fails without a word")
        if not writes:  # who writes needs an encoder's memory besides, and says so
            self.assertNotIn("out of memory", err)
        if command[0] in LEAN and not sanitized:
            self.assertLess(memory, 4 * 64 * MIB + MIB)
        return cpu, memory

    def test_every_command_survives_every_bomb(self):
        sanitized, tried, worst = is_sanitized(), 0, {"CPU": (0, None), "memory": (0, None)}
        commands = [c for c in READERS + WRITERS if is_known(c[0])]
        for name, make in BOMBS.items():
            data, work = make()
            if sanitized and work + len(data) > SMALL_WORK:
                continue
            log = self.write("bomb.plog", data)
            for command in commands:
                with self.subTest(bomb=name, command=command):
                    cpu, memory = self.check(command, log, work, sanitized)
                    tried += 1
                    worst["CPU"] = max(worst["CPU"], (round(cpu, 2), (name, command[0])), key=lambda x: x[0])
                    worst["memory"] = max(worst["memory"], (memory // MIB, (name, command[0])),
                                          key=lambda x: x[0])
        print("%d runs; most CPU time %s s, most memory %s MiB" % (tried, *worst.values()), file=sys.stderr)
        self.assertGreater(tried, 50)


class Search(Case):
    """What stands behind damage, or inside it, is found."""

    def good_samples(self, bomb):
        r = run("verify", "--json", self.write("a.plog", bomb.done()[0]))
        self.assertEqual(r.code, 2, r)
        return json.loads(r.out)["samples"]

    def test_headers_are_found_wherever_a_search_pauses(self):
        for k in range(0, 240, 8):
            b = Bomb()
            b.put(b"SMPL", plain(0))
            b.parts.append(b"x" * (SEARCH_STEP - k))
            b.put(b"SMPL", plain(1))
            with self.subTest(bytes_less=k):
                self.assertEqual(self.good_samples(b), 2)

    def test_an_impossible_length_hides_no_records(self):
        """The header is proven, but no payload of its codec could be so long."""
        b = Bomb()
        b.put(b"SMPL", plain(0))
        seq, at = b.seq, len(b.parts)
        b.seq += 1
        b.put(b"SMPL", plain(1))
        b.put(b"SMPL", plain(2))
        inside = b"".join(b.parts[at:])
        del b.parts[at:]
        b.put(b"SMPL", inside, raw_len=8, seq=seq)
        self.assertEqual(self.good_samples(b), 3)


    def test_the_first_of_equal_objects_counts(self):
        b = Bomb()
        for k in range(2):
            b.put(b"SMPL", block([object_of(2, [(4, RAWCOUNT, 8)], [(None, [value])])
                                  for value in (7, 8, 9)], k))
        rows = harness.long_rows(self.good("export", "--layout", "long",
                                           self.write("a.plog", b.done()[0])).out)
        self.assertEqual([row["Value"] for row in rows], ["7", "7"])


class Caps(Case):
    def test_a_block_over_the_cap_is_named_and_can_be_let_in(self):
        data, _ = BOMBS["churn"]()
        log = self.write("a.plog", data)
        r = run("export", "-q", "--layout", "long", "--max-block", "4k", log)
        self.assertEqual(r.code, 4, r)
        self.assertIn("200 samples are larger than --max-block allows; raise it", r.err)
        self.assertEqual(run("export", "-q", "--layout", "long", "--max-block", "1m", log).code, 0)

    def test_many_paths_are_looked_up(self):
        """As many paths as series: their product would take minutes."""
        log = self.write("a.plog", BOMBS["churn"]()[0])
        lines = self.good("list", "-c", r"\System(*)\Count", log).out.splitlines()[:20_000]
        paths = self.write("paths", "\n".join(lines).encode())
        started = os.times().children_user
        r = self.good("list", "-c", "@" + paths, log, preexec_fn=limited(None, 60))
        self.assertEqual(r.out.splitlines(), lines)
        self.assertLess(os.times().children_user - started, 15)

    def test_time_grows_with_the_log_and_no_faster(self):
        """Twice as many hosts of one name, twice the time: not four or eight times."""
        from bombs import sessions
        used = []
        for num in 4000, 16_000:
            log = self.write("%d.plog" % num, sessions(lambda k: (b"web", k), num)[0])
            best = 1e9
            for _ in range(3):
                before = os.times().children_user
                self.good("list", log)
                best = min(best, os.times().children_user - before)
            used.append(best)
        self.assertLess(used[1], 10 * max(used[0], 0.1))


if __name__ == "__main__":
    harness.main()
