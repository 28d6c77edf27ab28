"""What the incidents share: each does harm until its standard input ends, but not for longer than two minutes.

It prints a line when the harm is under way, or done."""
import contextlib
import os
import select
import signal
import sys

LONGEST = 120  # seconds


def begin(name):
    """Bear a name by which a finding can be told from others; end after two minutes at the latest."""
    with open("/proc/self/comm", "w") as f:
        f.write(name)
    signal.alarm(LONGEST)


def under_way():
    print("under way", flush=True)


def is_over(seconds=0.0):
    """True when the standard input has ended; waits so long for that."""
    return bool(select.select([sys.stdin], [], [], seconds)[0])


def memory(key):
    with open("/proc/meminfo") as f:
        return next(int(line.split()[1]) << 10 for line in f if line.startswith(key + ":"))


def put(path, value):
    with open(path, "w") as f:
        f.write(str(value))


@contextlib.contextmanager
def control_group(controller, limits):
    """A group with the first of the limits' files there is, {file: value}, that this process is in; exits with 77 if
    there can be none.  In version 1 it is also made in the trees by which processes are identified."""
    roots = {"": None}
    with open("/proc/self/mounts") as f:
        for line in f:
            _, where, kind, options = line.split()[:4]
            if kind == "cgroup2":
                roots[""] = where
            elif kind == "cgroup":
                roots.update({word: where for word in options.split(",")})
    old = roots.get(controller)
    trees = [t for t in (old, roots.get("name=systemd"), roots[""]) if t]
    name = "perflog-incident-%d" % os.getpid()
    home, made, limited = {}, [], False
    try:
        for tree in trees if old else trees[-1:]:
            os.mkdir(os.path.join(tree, name))
            made.append(os.path.join(tree, name))
            home[made[-1]] = tree
        if not old:
            with contextlib.suppress(OSError):
                put(os.path.join(roots[""], "cgroup.subtree_control"), "+" + controller)
        for file, value in limits.items():
            path = os.path.join(made[0], file)
            if not limited and os.path.exists(path):
                put(path, value)
                limited = True
        if not limited:
            raise OSError("no file %s" % ", ".join(limits))
        for folder in made:
            put(os.path.join(folder, "cgroup.procs"), os.getpid())
        yield made
    except OSError as e:
        print("no control group with a limit of %s: %s" % (controller, e), file=sys.stderr)
        sys.exit(77)
    finally:
        for folder in made:
            with contextlib.suppress(OSError):
                put(os.path.join(home[folder], "cgroup.procs"), os.getpid())
                os.rmdir(folder)
