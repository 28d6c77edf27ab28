#!/usr/bin/env python3
"""Make a known kind of load until standard input ends: load.py KIND [FILE]."""
import mmap
import os
import select
import socket
import sys
import time


def cpu():
    """A processor for two seconds of every twenty, so that whole intervals have no rest; a twentieth of it else."""
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    while not stopped(0 if time.monotonic() % 20 < 2 else 0.38):
        until = time.process_time() + 0.02
        while time.process_time() < until:
            pass


def disk(path):
    fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    while not stopped(0.05):
        os.pwrite(fd, os.urandom(256 << 10), 0)
        os.fsync(fd)


def network():
    a = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    b = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    b.bind(("127.0.0.1", 0))
    while not stopped(0.01):
        for _ in range(10):
            a.sendto(bytes(8000), b.getsockname())
            b.recv(8000)


def memory():
    while not stopped(0.3):
        block = mmap.mmap(-1, 48 << 20)
        for at in range(0, len(block), mmap.PAGESIZE):
            block[at] = 1
        time.sleep(0.3)
        block.close()


def forks():
    while not stopped(0.05):
        pid = os.fork()
        if not pid:
            os._exit(0)
        os.waitpid(pid, 0)


def stopped(seconds):
    return select.select([0], [], [], seconds)[0]


if __name__ == "__main__":
    {"cpu": cpu, "disk": disk, "network": network, "memory": memory,
     "forks": forks}[sys.argv[1]](*sys.argv[2:])
