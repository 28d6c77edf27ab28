"""Where the definitions of C and C++ sources are, and expressions in them, whatever their layout is.

A definition is a function, an initialized object, an enumerator or a macro; it is found by its name alone, in
whatever file it stands.  White space, line breaks and comments do not matter.
"""
import os
import re

TOKEN = re.compile(r"""
    (?P<skip>\s+|//[^\n]*|/\*.*?\*/)
  | (?P<directive>(?<![^\n])[ \t]*\#(?:[^\n\\]|\\.)*)
  | (?P<token>(?:L|u8|u|U)?"(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*' | \w(?:[\w.]|(?<=[eE])[-+])*
      | \.\.\. | <<= | >>= | -> | \+\+ | -- | << | >> | [-+*/%&|^!=<>]= | && | \|\| | :: | .)
""", re.X | re.S)
DEFINE = re.compile(r"[ \t]*#\s*define\s+(\w+)(?:\([^)]*\))?")
SUFFIXES = (".c", ".h", ".cc")


class NotOnce(Exception):
    pass


def tokens_of(text, start=0, directives=None):
    """[(token, where it begins, where it ends)]; directives get the matches of lines for the preprocessor."""
    found = []
    for m in TOKEN.finditer(text, start):
        if m.lastgroup == "token":
            found.append((m.group(), m.start(), m.end()))
        elif m.lastgroup == "directive" and directives is not None:
            directives.append(m)
    return found


def name_of(head):
    """The name that the tokens before a brace or a semicolon define, or None."""
    depth = 0
    for i, word in enumerate(head):
        after = head[i + 1] if i + 1 < len(head) else ""
        if word in ("struct", "union", "enum", "typedef", "using", "static_assert") and "=" not in head and "(" not in head:
            return None
        if not depth and re.match(r"[A-Za-z_]", word) and (after in ("=", "[", "(")):
            if word not in ("__attribute__", "alignas", "decltype"):
                return word
        depth += (word in "([") - (word in ")]")
    return None


def enumerators(tokens):
    """(name, its tokens) of what stands between the braces of an enum."""
    one = []
    for t in tokens + [(",", 0, 0)]:
        if t[0] == "," and one:
            yield one[0][0], one
            one = []
        elif t[0] != ",":
            one.append(t)


def definitions_in(text):
    """(name, tokens) of all definitions at the outermost level."""
    directives, head, i = [], [], 0
    tokens = tokens_of(text, directives=directives)
    for m in directives:
        macro = DEFINE.match(m.group())
        if macro:
            yield macro.group(1), [(t, a + m.start() + macro.end(), b + m.start() + macro.end())
                                   for t, a, b in tokens_of(m.group()[macro.end():].replace("\\\n", "  "))]
    while i < len(tokens):
        word = tokens[i][0]
        if word == "{" and head and (head[0][0] == "namespace" or [t[0] for t in head] == ["extern", '"C"']):
            head = []
        elif word == "{":
            begin, depth = i, 0
            while i < len(tokens):
                depth += (tokens[i][0] == "{") - (tokens[i][0] == "}")
                if not depth:
                    break
                i += 1
            words = [t[0] for t in head]
            if words[:1] == ["enum"] and "(" not in words:
                yield from enumerators(tokens[begin + 1:i])
            elif name_of(words):
                yield name_of(words), head + tokens[begin:i + 1]
            head = []
        elif word in (";", "}"):
            words = [t[0] for t in head]
            if "=" in words and name_of(words):
                yield name_of(words), head + [tokens[i]]
            head = []
        else:
            head.append(tokens[i])
        i += 1


class Tree:
    """All definitions in the sources below some folders."""

    def __init__(self, root, parts):
        self.root, self.found = root, {}
        for part in parts:
            top = os.path.join(root, part)
            paths = [top] if os.path.isfile(top) else [os.path.join(parent, name)
                                                       for parent, _, names in os.walk(top) for name in names]
            for path in sorted(p for p in paths if p.endswith(SUFFIXES)):
                with open(path, encoding="utf-8") as f:
                    for name, tokens in definitions_in(f.read()):
                        self.found.setdefault(name, []).append((path, tokens))

    def find(self, name, expression):
        """(path below the root, begin, end) of the one place where 'expression' stands in what 'name' defines."""
        if name not in self.found:
            raise NotOnce("%s: nothing of that name is defined" % name)
        wanted = [t[0] for t in tokens_of(expression)]
        places = []
        for path, tokens in self.found[name]:
            words = [t[0] for t in tokens]
            places += [(os.path.relpath(path, self.root), tokens[i][1], tokens[i + len(wanted) - 1][2])
                       for i in range(len(words) - len(wanted) + 1) if words[i:i + len(wanted)] == wanted]
        if len(places) != 1:
            raise NotOnce("%s: found %d times%s: %r" % (
                name, len(places), "".join(sorted({" in " + p[0] for p in places})), expression))
        return places[0]
