#!/usr/bin/env python3
"""fsync_storm.py FOLDER: a process writes a block and forces it to the disk, again and again."""
import os
import sys

import common

common.begin("fsyncer")
f = os.open(os.path.join(sys.argv[1], "incident"), os.O_CREAT | os.O_WRONLY, 0o600)
common.under_way()
while not common.is_over():
    os.pwrite(f, bytes(16384), 0)
    os.fsync(f)
