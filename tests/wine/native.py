"""What tests of perflog.exe share: the harness, and perflog of this system beside it."""
import os
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../support"))

import harness  # noqa: E402

NATIVE = os.environ.get("PERFLOG_NATIVE", os.path.join(HERE, "../../build/release/perflog"))
RUN = os.environ.get("WINE_RUN", os.path.join(HERE, "run.sh"))
EXE = os.environ.get("PERFLOG_EXE", os.path.abspath(os.path.join(HERE, "../../build/mingw/perflog.exe")))
DATA = os.environ.get("SHARED_DATA", os.path.join(HERE, "../../../shared/data"))


def need(*paths):
    """Skip the whole script unless Wine and these are there."""
    for path in (shutil.which("wine64", path="/usr/lib/wine") or "/usr/lib/wine/wine64",) + paths:
        if not os.path.exists(path):
            print("skipped: there is no %s" % path)
            sys.exit(harness.SKIP)


def windows(path):
    """The same file as Windows calls it."""
    return "Z:" + path.replace("/", "\\")


def native(*args, **how):
    return harness.run(*args, program=os.path.abspath(NATIVE), **how)
