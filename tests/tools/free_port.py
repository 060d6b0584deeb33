#!/usr/bin/python3
"""free_port.py: prints a TCP port of 127.0.0.1 that is free.

The port is below those that the system gives to connections and to listeners on port 0. A test beside this one
therefore cannot take it between this choice and the start of the server, as a port from bind(0) can be taken.
"""

import random
import socket
from pathlib import Path


def free_port():
    """The number of a port, as an int. Raises RuntimeError when a hundred ports are taken."""
    below = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text(encoding="ascii").split()[0])
    for port in random.sample(range(min(10000, below - 1000), below), 100):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise RuntimeError("of a hundred ports tried, none is free")


if __name__ == "__main__":
    print(free_port())
