#!/usr/bin/env python3
"""Definitions in C sources are found by name, and expressions in them, or it is said which is not."""
import os
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from definitions import NotOnce, Tree
from harness import Case

ONE = rb"""
#define MOST (2 + \
              3)
enum { FEW = 1, MANY = FEW << 4 };
static const struct row { int a; } rows[] = { { 7 }, { 8 } };
extern "C" {
enum kind kind_of(const char *p, /* a { brace */
                  int n)
{
    if (*p == '{' && n > 1) // and }
        return n +
               1;
    return rows[n].a;
}
}
static int both(int n) { return n + 1; }
"""
TWO = b"static int both(int n) { return n + 2; }\nint same(int n) { return n; }\n"
THREE = b"int same(int n) { return n; }\n"


class Finds(Case):
    def setUp(self):
        super().setUp()
        for name, text in ("a.c", ONE), ("b.h", TWO), ("c.cc", THREE), ("d.txt", THREE):
            self.write(name, text)
        self.tree = Tree(self.folder, ["."])

    def found(self, name, expression):
        path, begin, end = self.tree.find(name, expression)
        with open(self.path(path), encoding="utf-8") as f:
            return path, " ".join(f.read()[begin:end].split())

    def test_whatever_the_layout(self):
        self.assertEqual(self.found("kind_of", "return n+1;"), ("a.c", "return n + 1;"))
        self.assertEqual(self.found("kind_of", "*p=='{' &&\nn>1"), ("a.c", "*p == '{' && n > 1"))
        self.assertEqual(self.found("kind_of", "p, int n"), ("a.c", "p, /* a { brace */ int n"))

    def test_what_is_no_function(self):
        self.assertEqual(self.found("rows", "{8}"), ("a.c", "{ 8 }"))
        self.assertEqual(self.found("MANY", "4"), ("a.c", "4"))
        self.assertEqual(self.found("MOST", "+ 3"), ("a.c", "+ \\ 3"))

    def test_names_that_several_files_have(self):
        self.assertEqual(self.found("both", "n + 2")[0], "b.h")
        for name, expression, why in (("both", "return n", "found 2 times in a.c in b.h"),
                                      ("same", "return n", "found 2 times in b.h in c.cc"),
                                      ("both", "n + 3", "found 0 times"),
                                      ("FEW", "4", "found 0 times"),
                                      ("gone", "n", "nothing of that name")):
            with self.subTest(name=name), self.assertRaisesRegex(NotOnce, why):
                self.tree.find(name, expression)


if __name__ == "__main__":
    harness.main()
