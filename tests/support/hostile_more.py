#!/usr/bin/env python3
"""More actors, as those of hostile.py: hostile_more.py USER ACTOR FOLDER [ARGUMENT...]."""
import ctypes
import fcntl
import itertools
import os
import random
import signal
import socket
import sys

import hostile
from hostile import Published, one, until_input_ends  # 'one' is an actor here, too

F_SETLEASE, PR_SET_NAME = 1024, 15


def touch(path):
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o644))


def end_all(regions):
    for p in regions:
        p.end()


def folders(shm, num):
    """As many folders where users have theirs, and ever more."""
    for k in range(int(num)):
        os.mkdir("%s/perflog-%d.%06d" % (shm, os.getuid(), k))
    names = ("%s/%s%d" % (shm, kind, n) for n in itertools.count() for kind in ("x", "perflog-%d.x" % os.getuid()))

    def make():
        for name in itertools.islice(names, 20):
            os.mkdir(name)
            os.rmdir(name)
    until_input_ends(make, 0.01)


def junk(folder):
    """All inodes of the folder, but a few, and files that come and go."""
    stat = os.statvfs(folder)
    for k in range(stat.f_ffree - 50):
        touch("%s/junk%d" % (folder, k))
    names = ("%s/passing%d" % (folder, n) for n in itertools.count())

    def make():
        for name in itertools.islice(names, 100):
            touch(name)
            os.unlink(name)
    until_input_ends(make, 0.01)


def passing(folder):
    """Files with names of regions that are gone when they are looked for: more events than can be read."""
    names = ("%s/passing.%d.%016x.plr" % (folder, os.getpid(), n) for n in itertools.count())

    def make():
        for name in itertools.islice(names, 1000):
            touch(name)
            os.unlink(name)
    until_input_ends(make, 0)


def renewed(folder, num):
    """Good regions, in each sample others, with long names: each is a row of Perflog Provider."""
    regions = []

    def renew():
        end_all(regions)
        regions[:] = [Published(folder, "%030d" % random.getrandbits(90), [("Renewed", -1, ["C"], [])])
                      for _ in range(int(num))]
    renew()
    until_input_ends(renew, 0.1)
    end_all(regions)


def named(folder, *names):
    """An object of each of these names, as if it were a counter or an instance of another object."""
    regions = [Published(folder, "named%d" % i, [(name, -1, ["C", "% Processor Time"], [])], value=666)
               for i, name in enumerate(names)]
    until_input_ends()
    end_all(regions)


def called(folder, name):
    """A process of that name which computes."""
    ctypes.CDLL(None).prctl(PR_SET_NAME, name.encode())
    until_input_ends(lambda: sum(range(300000)), 0.01)


def users(folder, first, num, regions):
    """Many users, each with as many regions as it may have; root begins it."""
    pipe = os.pipe()
    children = []
    for uid in range(int(first), int(first) + int(num)):
        ready = os.pipe()
        children.append(os.fork())
        if not children[-1]:
            os.close(pipe[1])
            hostile.become(uid)
            _kept = [Published(folder, "app%d" % i, [("App %d" % uid, -1, ["C"], [])]) for i in range(int(regions))]
            os.write(ready[1], b".")
            os.read(pipe[0], 1)
            os._exit(0)
        os.close(ready[1])
        os.read(ready[0], 1)
        os.close(ready[0])
    until_input_ends()
    os.close(pipe[1])
    for pid in children:
        os.waitpid(pid, 0)


def oddities(folder):
    """Whatever else a folder may hold, under names of regions: what waits when it is opened, leads elsewhere, is held."""
    at = iter(range(1, 1000))

    def name(hidden=False):
        return "%s/%sodd.%d.%016x.plr" % (folder, ".tmp-" if hidden else "", os.getpid(), next(at))
    held, made = [], []
    signal.signal(signal.SIGIO, signal.SIG_IGN)
    for hidden in (False, True):
        pipe, listening, folder_name, leased = name(hidden), name(hidden), name(hidden), name(hidden)
        os.mkfifo(pipe)
        s = socket.socket(socket.AF_UNIX)
        s.bind(listening)
        os.mkdir(folder_name)
        for target in ("/dev/zero", "/proc/self/mem", "..", "/nonexistent"):
            link = name(hidden)
            os.symlink(target, link)
            made.append(link)
        fd = os.open(leased, os.O_CREAT | os.O_RDWR, 0o600)
        os.posix_fallocate(fd, 0, 4096)
        fcntl.fcntl(fd, F_SETLEASE, fcntl.F_WRLCK)  # an opening without O_NONBLOCK waits for 45 s
        held += [s, fd]
        made += [pipe, listening, leased]
    until_input_ends()
    for path in made:
        os.unlink(path)


def locks(folder):
    """Regions whose names change places, and whose locks are let go and taken while they are looked at; a child keeps
    one that the parent has given up."""
    regions = [Published(folder, "locks%d" % i, [("Locks %d" % (i % 3), -1, ["C"], [])]) for i in range(12)]
    kept = Published(folder, "kept", [("Kept", -1, ["C"], [])])
    child = os.fork()
    if not child:
        signal.pause()
    kept.end()

    def play():
        a, b = random.sample(regions, 2)
        hidden = folder + "/.tmp-swap"
        try:
            os.rename(a.path, hidden)
            os.rename(b.path, a.path)
            os.rename(hidden, b.path)
        except OSError:  # it was found without its lock, and removed
            pass
        for kind in (fcntl.F_UNLCK, fcntl.F_WRLCK):
            try:
                fcntl.fcntl(a.fd, hostile.F_OFD_SETLK, hostile.struct.pack("hhqqi4x", kind, 0, 0, 1, 0))
            except OSError:
                pass
    until_input_ends(play, 0.001)
    end_all(regions)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def layouts(folder):
    """Always another layout, of which nothing is recorded, so that it takes no titles."""
    regions = []

    def renew():
        end_all(regions)
        regions[:] = [Published(folder, "layouts", [("%08x" % random.getrandbits(32), -1, ["D"], [])]) for _ in range(32)]
    renew()
    until_input_ends(renew, 0.05)
    end_all(regions)


def instances(folder):
    """Instances with one name, with names of sums, and many more than there is room for."""
    names = ["_Total", "_Other", "_Total", "a", "a", "a", "a#1", "", "..", "b)\\C", "=1+1"]
    regions = [Published(folder, "instances%d" % i, [("Root" if i else "Crowd", 2000, ["C"], names)], value=666)
               for i in range(2)]
    until_input_ends(lambda: [p.set_values(os.urandom(8)) for p in regions])
    end_all(regions)


if __name__ == "__main__":
    hostile.become(int(sys.argv[1]))
    globals()[sys.argv[2]](*sys.argv[3:])
