#!/usr/bin/env python3
"""A process sends datagrams, over the loopback interface only, to a socket that nobody reads."""
import socket

import common

common.begin("flooder")
to = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
to.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
to.bind(("127.0.0.1", 0))
source = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
common.under_way()
while not common.is_over():
    for _ in range(100):
        source.sendto(bytes(512), to.getsockname())
