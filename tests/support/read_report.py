"""A report taken apart, for tests: what a browser would find in it, by Python's own parser."""
import base64
import hashlib
import json
import re
from html.parser import HTMLParser

VOID = {"meta", "link", "br", "img", "input"}


class Table:
    def __init__(self):
        self.head, self.rows = [], []


class Chart:
    """title; unit; names, classes and rows (cells as text) of its lines; their values from the data; the hosts of its
    parts, and of the first one."""

    def __init__(self, attributes):
        self.number = int(attributes["data-chart"])
        self.parts = int(attributes.get("data-parts", 1))
        self.form = attributes.get("data-form", "lines")
        self.classes = []
        self.unit = attributes["data-unit"]
        self.title, self.names, self.rows = "", [], []


class Report(HTMLParser):
    def __init__(self, path):
        super().__init__(convert_charrefs=True)
        with open(path, encoding="utf-8") as f:
            self.text = f.read()
        self.open, self.tags, self.attributes = [], set(), []
        self.elements = {"script": [], "style": []}  # (attributes, content)
        self.policy, self.title, self.heading, self.facts = "", "", "", {}
        self.charts, self.marks, self.bands, self.paragraphs, self.hosts = [], [], [], [], []
        self.feed(self.text)
        self.close()
        assert not self.open, self.open
        self.data = json.loads(next(c for a, c in self.elements["script"] if a.get("id") == "data"))
        for chart in self.charts:
            self.add_values(chart)

    def add_values(self, chart):
        found = self.data["charts"][chart.number:chart.number + chart.parts]
        chart.hosts = [self.data["hosts"][part["axis"]] for part in found]
        chart.host = chart.hosts[0]
        values = [line for part in found for line in part["lines"]]
        assert len(values) == len(chart.names)
        chart.lines = dict(zip(chart.names, values))
        assert len(chart.lines) == len(chart.names), "names are not unique"

    def chart(self, title):
        return next(c for c in self.charts if c.title == title)

    # ---- what the parser finds
    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.tags.add(tag)
        self.attributes += attrs.items()
        if tag in self.elements:
            self.elements[tag].append((attrs, ""))
        elif tag == "meta" and attrs.get("http-equiv") == "Content-Security-Policy":
            self.policy = attrs["content"]
        elif tag == "section" and attrs.get("class") == "chart":
            self.charts.append(Chart(attrs))
        elif tag == "rect":
            self.bands.append((attrs["class"], float(attrs["x"]), float(attrs["width"])))
        elif tag in ("tr", "td", "th") and "table.hosts" in self.open and "tbody" in self.open:
            if tag == "tr":
                self.hosts.append([])
            else:
                self.hosts[-1].append("")
        elif tag == "tr" and "table.marks" in self.open and "tbody" in self.open:
            self.marks.append([])
        elif tag == "tr" and "table.lines" in self.open and "tbody" in self.open:
            self.charts[-1].rows.append([])
            self.charts[-1].names.append("")
            self.charts[-1].classes.append(attrs.get("class", "").split())
        elif tag in ("td", "th") and "tbody" in self.open:
            (self.marks if "table.marks" in self.open else self.charts[-1].rows)[-1].append("")
        elif tag == "dt":
            self.fact = ""
        elif tag == "p":
            self.paragraphs.append("")
        if tag not in VOID:
            self.open.append(tag + ("." + attrs["class"] if tag in ("table", "span") and "class" in attrs else ""))

    def handle_endtag(self, tag):
        last = self.open.pop()
        assert last.split(".")[0] == tag, "</%s> closes <%s>" % (tag, last)

    def handle_data(self, data):
        place = self.open[-1].split(".")[0] if self.open else ""
        if place in self.elements:
            attrs, content = self.elements[place][-1]
            self.elements[place][-1] = attrs, content + data
        elif place == "title":
            self.title += data
        elif place == "h1":
            self.heading += data
        elif place == "h3":
            self.charts[-1].title += data
        elif place == "dt":
            self.fact += data
        elif "dd" in self.open:
            self.facts[self.fact] = self.facts.get(self.fact, "") + data
        elif "p" in self.open:
            self.paragraphs[-1] += data
        elif not {"td", "th"} & set(self.open):
            return
        elif "tbody" in self.open and "table.hosts" in self.open:
            self.hosts[-1][-1] += data
        elif "tbody" in self.open and "table.marks" in self.open:
            self.marks[-1][-1] += data
        elif "tbody" in self.open:
            self.charts[-1].rows[-1][-1] += data
            if "span.label" in self.open:
                self.charts[-1].names[-1] += data

    # ---- the policy
    def hashes(self, directive):
        """What a directive allows, as base64 of SHA-256."""
        found = re.search(r"(?:^|; )%s ([^;]*)" % directive, self.policy).group(1).split()
        assert all(re.fullmatch(r"'sha256-[A-Za-z0-9+/]{43}='", h) for h in found), found
        return sorted(h[8:-1] for h in found)

    def hashes_there(self, tag):
        return sorted(base64.b64encode(hashlib.sha256(c.encode()).digest()).decode()
                      for a, c in self.elements[tag] if a.get("type") != "application/json")
