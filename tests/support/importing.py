"""What tests of perflog import share: import blocks, look at the log that they became."""
import json
import os
import subprocess
import sys

import harness
from harness import Case, long_rows, run

TITLES = b"2\tSystem\n44\tQueue\n146\tSwitches/sec\n"


def blocks_in(log, folder):
    """The samples of a log, rebuilt by the other reader."""
    done = subprocess.run([*harness.PYTHON, os.path.join(harness.SUPPORT, "read_log.py"), "--raw", folder, log],
                          stdout=subprocess.PIPE, timeout=harness.TIMEOUT, check=True)
    samples = []
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as f:
            samples.append(f.read())
    return samples, [json.loads(line) for line in done.stdout.splitlines()]


class Importing(Case):
    def load(self, *files, code=0, name="out.plog", data=None, args=()):
        """Import files; their log and what was said."""
        r = run("import", *args, *files, "-o", self.path(name), data=data)
        self.assertEqual(r.code, code, r)
        return self.path(name), r.err

    def load_blocks(self, *blocks, **how):
        args = ("--titles", self.write("titles.tsv", TITLES))
        return self.load(self.write("blocks.bin", b"".join(blocks)), args=args, **how)

    def rows(self, log, *args, code=0):
        r = run("export", "-q", "--layout", "long", "--time", "unix", *args, log)
        self.assertEqual(r.code, code, r)
        return long_rows(r.out)

    def values(self, log, counter, *args, **how):
        """(seconds since 2026, value or status) of one counter."""
        return [(round(float(row["Time"]) - 1767225600, 3), row["Value"] or row["Status"])
                for row in self.rows(log, *args, **how) if row["Counter"] == counter]

    def info(self, log):
        return json.loads(run("info", "--json", log).out)[0]
