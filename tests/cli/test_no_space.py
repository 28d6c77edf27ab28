#!/usr/bin/env python3
"""A disk that is full, or becomes so: what was written stays whole, what is lost is reported."""
import json
import os
import re
import resource
import shlex
import subprocess
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import PROGRAM, SYSTEM, Case, count_samples, run


class FullDisk(Case):
    """Sampling goes on, what was written stays whole, the status says that samples are lost."""
    # What a sample takes must not depend on what lives on the machine: the first ones have room, 400 have not.
    SOME = "-i", "10ms", "-d", "4s", *(word for o in ("Memory", "Virtual Memory", "TCP Extensions") for word in ("-c", o))

    def check_log(self, log, r):
        self.assertEqual(r.code, 2, r)
        for line in r.err.splitlines():
            self.assertTrue(line.startswith("perflog: "), r)
            self.check_printable(line)
        self.assertRegex(r.err, r"samples? could not be written|samples, [1-9]\d* missed")
        v = run("verify", log)
        self.assertEqual((v.code, v.err), (0, ""), v)
        self.assertGreater(count_samples(log), 0)

    def test_limit_of_file_size(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (60000, 60000))
        log = self.path("a.plog")
        r = run("record", *self.SOME, log, preexec_fn=limit)
        self.check_log(log, r)
        self.assertLessEqual(os.path.getsize(log), 60000)
        # With room again the same log goes on.
        self.record(log, *SYSTEM, "-n", "2", "-i", "100ms")
        self.good("verify", log)

    def test_a_file_that_cannot_be_begun_is_not_left(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
        for options in (), ("--max-time", "1d"):
            with self.subTest(options=options):
                self.assertEqual(run("record", *SYSTEM, "-n", "1", *options, self.path("a.plog"), preexec_fn=limit).code, 1)
                self.assertEqual(os.listdir(self.folder), [])

    def in_small_tmpfs(self, size, script):
        """Run a shell script in a tmpfs that ends with it; $PERFLOG and $KEEP are set."""
        enter = ["unshare", "--mount"] + ([] if os.geteuid() == 0 else ["--map-root-user"])
        mount = "mkdir -p mnt && mount -t tmpfs -o size=%s tmpfs mnt && cd mnt && " % size
        try:
            can = subprocess.run([*enter, "sh", "-c", mount + "true"], cwd=self.folder,
                                 stderr=subprocess.DEVNULL).returncode == 0
        except FileNotFoundError:
            can = False
        if not can:
            self.skipTest("no right to mount a small tmpfs here")
        script = mount.replace("mkdir -p mnt && ", "") + script
        return run(*enter[1:], "sh", "-c", script, program=enter[0], cwd=self.folder,
                   env=dict(os.environ, PERFLOG=PROGRAM, KEEP=self.folder))

    def test_disk_that_fills(self):
        r = self.in_small_tmpfs("48k", '"$PERFLOG" record --min-free 0 %s a.plog; s=$?; '
                                       'cp a.plog "$KEEP"; exit $s' % shlex.join(self.SOME))
        self.check_log(self.path("a.plog"), r)

    def test_disk_that_stays_full(self):
        """It ends though what it was asked for cannot be had, and what was lost is in the log."""
        # The first sample has room, 300 have not.
        r = self.in_small_tmpfs("32k", 'cat /dev/zero >others 2>/dev/null; "$PERFLOG" record -n 1 --min-free 0 a.plog; '
                                r'echo $?; rm others; "$PERFLOG" record --min-free 0 -i 10ms -c "\System\*" -n 300 a.plog; '
                                's=$?; cp a.plog "$KEEP"; exit $s')
        self.assertEqual(r.code, 2, r)
        self.assertEqual(r.out, "1\n", "there was no room to begin")
        self.assertRegex(r.err, r"a.plog: the last 3\d\d samples are lost; giving up")
        lost = int(re.search(r"a.plog: (\d+) samples? could not be written", r.err)[1])
        self.assertGreaterEqual(lost, 300)
        info = json.loads(run("info", "--json", self.path("a.plog")).out)[0]
        self.assertTrue(info["ended"])
        self.assertRegex(run("info", self.path("a.plog")).out, r"%d .*disk was full|disk was full.* %d\b" % (lost, lost))

    def test_space_that_is_to_stay_free(self):
        r = self.in_small_tmpfs("1m", '"$PERFLOG" record --min-free 98% -i 50ms -d 3s a.plog; s=$?; '
                                      'cp a.plog "$KEEP"; exit $s')
        self.check_log(self.path("a.plog"), r)

    def test_no_room_to_pack(self):
        """Beside a recording there must be room for two, even where none is to stay free."""
        log = self.record(self.path("a.plog"), "-n", "40", "-i", "20ms")
        size = os.path.getsize(log)
        for times, said, code in (1.6, "a.plog: not packed: its file system has no room for two of it", 1), (3, "", 0):
            r = self.in_small_tmpfs(int(size * times) + 8192, 'cp "$KEEP"/a.plog .; '
                                    '"$PERFLOG" pack -q --idle --min-free 0 a.plog')
            self.assertEqual((r.code, said in r.err), (code, True), r)

    def test_no_space_from_the_beginning(self):
        r = self.in_small_tmpfs("1m", 'head -c 1040000 /dev/zero > fill; '
                                      '"$PERFLOG" record -n 1 a.plog; s=$?; '
                                      'cp a.plog "$KEEP" 2>/dev/null; exit $s')
        self.check_one_line(r, 1, "free space")

    def test_new_log_on_a_full_disk(self):
        log = self.record(self.path("a.plog"), "-n", "20", "-i", "20ms")
        for command in "repair", "cut --to 2100-01-01":
            r = self.in_small_tmpfs("8k", '"$PERFLOG" %s -q "$KEEP"/a.plog -o new.plog; s=$?; '
                                    'ls -A > "$KEEP"/files; exit $s' % command)
            self.check_one_line(r, 1, "No space left")
            with open(self.path("files")) as names:
                self.assertEqual(names.read(), "")
        self.good("verify", log)

    def test_sheet_on_a_full_disk(self):
        log = self.record(self.path("a.plog"), "-n", "3", "-i", "100ms")
        r = self.in_small_tmpfs("64k", 'echo old > out.csv; '
                                '"$PERFLOG" export -q --layout long -o out.csv "$KEEP"/a.plog; s=$?; '
                                'cp out.csv "$KEEP"; ls > "$KEEP"/files; exit $s')
        self.check_one_line(r, 1, "No space left")
        with open(self.path("out.csv")) as f, open(self.path("files")) as names:
            self.assertEqual((f.read(), names.read()), ("old\n", "out.csv\n"))
        self.good("verify", log)


if __name__ == "__main__":
    harness.main()
