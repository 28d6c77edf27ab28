#!/usr/bin/env python3
"""The address sanitizer finds what is lost and nothing else, for all that support/quick_start.c spares it.

LEAKS is the program tools/leaks.
"""
import os
import sys
import unittest

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness

LEAKS = os.environ["LEAKS"]


class Leaks(unittest.TestCase):
    def test_what_variables_hold_is_not_lost(self):
        r = harness.run("kept", program=LEAKS)
        self.assertEqual((r.code, r.err), (0, ""))

    def test_what_is_lost_is_found_with_all_calls(self):
        r = harness.run("lost", program=LEAKS)
        self.assertNotEqual(r.code, 0)
        self.assertRegex(r.err, r"LeakSanitizer: detected memory leaks")
        self.assertRegex(r.err, r"#1 .* in lose\b(.*\n)+ +#2 .* in main\b")


if __name__ == "__main__":
    harness.main()
