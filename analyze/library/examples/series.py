#!/usr/bin/env python3
"""Read a log into lists, by libperflog.so.0.

    python3 series.py this.plog '\\Processor(_Total)\\% Processor Time'
"""
import ctypes
import sys

PL_OK, PL_END = 0, 1
lib = ctypes.CDLL("libperflog.so.0")
lib.pl_status_text.restype = lib.pl_log_series.restype = ctypes.c_char_p
lib.pl_log_value.restype = ctypes.c_double
lib.pl_log_series.argtypes = ctypes.c_void_p, ctypes.c_size_t
lib.pl_log_value.argtypes = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p


def check(status):
    if status != PL_OK:
        raise OSError(lib.pl_status_text(status).decode())


def read(path, *counters):
    """Times in seconds, and a dictionary of lists: series -> values, NaN for a blank."""
    log, num, time_ns = ctypes.c_void_p(), ctypes.c_size_t(), ctypes.c_int64()
    check(lib.pl_log_open(ctypes.byref(log), (ctypes.c_char_p * 1)(path.encode()), ctypes.c_size_t(1)))
    try:
        for counter in counters:
            check(lib.pl_log_choose(log, counter.encode()))
        check(lib.pl_log_count(log, ctypes.byref(num)))
        names = [lib.pl_log_series(log, i).decode() for i in range(num.value)]
        times, values = [], {name: [] for name in names}
        while (status := lib.pl_log_next(log, ctypes.byref(time_ns))) == PL_OK:
            times.append(time_ns.value / 1e9)
            for i, name in enumerate(names):
                values[name].append(lib.pl_log_value(log, i, None))
        if status != PL_END:
            check(status)
        return times, values
    finally:
        lib.pl_log_close(log)


if __name__ == "__main__":
    times, values = read(sys.argv[1], *sys.argv[2:])
    for name, column in values.items():
        for time, value in zip(times, column):
            print(name, time, value, sep="\t")
