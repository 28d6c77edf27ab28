#!/usr/bin/env python3
"""perflog report in a real browser: what is drawn, and what keys, mouse and paper do with it."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import axe
import browser
import harness
from harness import Case
from read_report import Report
from test_names import NAMES, hostile_log
from test_report import RAW, START, tank
from write_log import SECOND, Log, object_of

SPIKE = 3210
ATTACK = "</script><script>window.attacked = 1</script><img src=x onerror='window.attacked = 1'>"


def spiky(path):
    """5000 samples of two instances; one has a spike of one sample, and there is a stretch without any."""
    return tank([(i, [(30 + (970 if i == SPIKE else 0), i), (20 + i % 10, 2 * i)])
                 for i in range(5000) if not 1000 < i < 1500], ["a", "b"]).save(path)


BROWSERS = []  # one for all, as it takes longer to start than most tests with it


def setUpModule():
    BROWSERS.append(browser.Browser())
    unittest.addModuleCleanup(BROWSERS[0].close)


class Page(Case):
    """A report in the browser, at a width of 1280."""

    def setUp(self):
        super().setUp()
        self.browser, = BROWSERS
        self.browser.look()

    def show(self, log, *args, scripts=True):
        out = self.path("report.html")
        self.good("report", "-q", *args, "-o", out, log)
        self.browser.open(out, scripts=scripts)
        if scripts:
            self.browser.settle()
        return Report(out)

    def check_quiet(self):
        """No error on the console, and nothing asked for but the page."""
        self.browser.settle()
        self.assertEqual([c for c in self.browser.complaints if "willReadFrequently" not in c], [],
                         "but for what our own look at pixels gives")
        self.assertEqual(self.browser.requests, ["file://" + self.path("report.html")])

    # ---- what is seen
    def shown(self):
        return self.browser.run("document.getElementById('shown').textContent")

    def under_cursor(self, chart=0):
        return self.browser.run("Array.from(document.querySelectorAll('.chart')[%d].querySelectorAll('tbody .cursor'), "
                                "c => c.textContent)" % chart)

    def plot(self, chart=0):
        """Left, top, width and height of where curves are drawn."""
        box = self.browser.run("(() => { const o = document.querySelectorAll('.u-over')[%d]; o.scrollIntoView("
                               "{block: 'center'}); const b = o.getBoundingClientRect(); "
                               "return [b.x, b.y, b.width, b.height]; })()" % chart)
        self.browser.settle()
        return box

    def drawn(self, name, chart=0):
        """[(x, height)] of pixels in the hue of a colour of the style sheet, from 0 to 1 in the plot."""
        return self.browser.run("""(() => {
            const c = document.querySelectorAll('canvas')[%d], o = document.querySelectorAll('.u-over')[%d];
            const d = c.getContext('2d').getImageData(o.offsetLeft, o.offsetTop, o.offsetWidth, o.offsetHeight).data;
            const hex = getComputedStyle(document.documentElement).getPropertyValue('--%s').trim().slice(1);
            const wanted = [0, 2, 4].map(i => parseInt(hex.slice(i, i + 2), 16));
            const w = o.offsetWidth, h = o.offsetHeight, found = [];
            for (let y = 0; y < h; y++) for (let x = 0; x < w; x++) {
                const i = (y * w + x) * 4;
                if (d[i + 3] > 90 && wanted.every((v, k) => Math.abs(v - d[i + k]) < 30)) found.push([x / w, 1 - y / h]);
            }
            return found; })()""" % (chart, chart, name))

    def key(self, *keys, chart=0):
        self.browser.run("document.querySelectorAll('.plot')[%d].focus()" % chart)
        for key in keys:
            self.browser.key(key.replace("Shift+", ""), shift=key.startswith("Shift+"))


class Sight(Page):
    def test_quiet(self):
        page = self.show(self.record(self.path("a.plog"), "-i", "20ms", "-n", "20"))
        self.check_quiet()
        self.assertGreaterEqual(len(page.charts), 4)
        self.assertEqual(self.browser.run("document.querySelectorAll('.u-over').length"), len(page.charts))

    def test_spike_is_drawn(self):
        """A spike of one sample among 5000, as high as it was and where it was."""
        self.show(spiky(self.path("a.plog")), "-c", r"\Tank(*)\Level")
        blue = self.drawn("c0")
        high = [x for x, y in blue if y > 0.5]
        self.assertTrue(high, "no spike")
        for x in high:
            self.assertAlmostEqual(x, SPIKE / 5000, delta=0.01)
        self.assertAlmostEqual(max(y for _, y in blue), 1000 / 1060, delta=0.02)
        # A line at its height everywhere, but where nothing was recorded.
        columns = {int(x * 100) for x, y in blue if y < 0.1}
        self.assertTrue({5, 15, 35, 60, 90} <= columns)
        self.assertFalse({22, 25, 28} & columns)

    def test_gaps_are_drawn(self):
        """Behind the curves, where samples are missing."""
        self.show(spiky(self.path("a.plog")), "-c", "Tank")
        for chart in 0, 1:
            places = self.browser.run("""(() => {
                const c = document.querySelectorAll('canvas')[%d], o = document.querySelectorAll('.u-over')[%d];
                const y = o.offsetTop + 3, d = c.getContext('2d').getImageData(o.offsetLeft, y, o.offsetWidth, 1).data;
                const found = [];
                for (let x = 0; x < o.offsetWidth; x++)
                    if (d[x * 4 + 3] > 50 && d[x * 4] > 200 && d[x * 4 + 2] < 100) found.push(x / o.offsetWidth);
                return found; })()""" % (chart, chart))
            self.assertAlmostEqual(min(places), 1000 / 4999, delta=0.003)
            self.assertAlmostEqual(max(places), 1500 / 4999, delta=0.003)

    def test_dark_and_light(self):
        log = spiky(self.path("a.plog"))
        for dark in False, True:
            self.browser.look(dark=dark)
            self.show(log, "-c", "Tank")
            paper = self.browser.run("getComputedStyle(document.documentElement).backgroundColor")
            self.assertEqual(sum(map(int, re.findall(r"\d+", paper)[:3])) < 384, dark)
        self.browser.look()  # while the page is open
        self.browser.settle()
        self.assertTrue(self.drawn("c0") and self.drawn("c1"), "curves follow")
        self.check_quiet()

    def test_nothing_sticks_out(self):
        """At the width of a phone, even with endless names."""
        log = hostile_log(self.path("a.plog"), ["x" * 300, "y" * 300 + " z"])
        for width in 320, 390, 1280:
            self.browser.look(width=width, phone=width < 500)
            self.show(log, "-c", "Many")
            self.assertLessEqual(self.browser.run("document.documentElement.scrollWidth"), width)
            self.assertLessEqual(self.browser.run("Math.max(...Array.from(document.querySelectorAll('.u-over'), "
                                                  "o => o.getBoundingClientRect().right))"), width)

    def test_without_scripts(self):
        self.show(spiky(self.path("a.plog")), "-c", "Tank", scripts=False)
        text = self.browser.call("DOMSnapshot.captureSnapshot", computedStyles=[])["strings"]
        for wanted in "Without scripts there are no curves; the tables have the figures.", "1\u00a0k":
            self.assertTrue(wanted in text, wanted)

    def test_names_and_roles(self):
        """What a screen reader says."""
        self.show(spiky(self.path("a.plog")), "-c", "Tank")
        self.browser.call("Accessibility.enable")
        nodes = [(n["role"]["value"], n["name"]["value"]) for n in
                 self.browser.call("Accessibility.getFullAXTree")["nodes"] if "name" in n and not n["ignored"]]
        for wanted in (("application", "Tank: Level"), ("application", "Tank: Drops/sec"), ("button", "Zoom in"),
                       ("button", "Show all"), ("checkbox", "a"), ("rowheader", "b"), ("heading", "Tank: Level")):
            self.assertIn(wanted, nodes)
        self.assertFalse([n for n in nodes if n[0] in ("button", "checkbox", "application", "image") and not n[1]])


class Hands(Page):
    def setUp(self):
        super().setUp()
        self.page = self.show(spiky(self.path("a.plog")), "-c", "Tank")
        self.everything = self.shown()

    def test_hover(self):
        left, top, width, height = self.plot()
        self.assertEqual(self.under_cursor(), ["", ""])
        # 5 s a bucket; the axis goes from the first row to the last one.
        self.browser.mouse("mouseMoved", left + width * SPIKE / 4999, top + height / 2)
        self.browser.settle()
        x, lines = self.page.charts[0].host["x"], self.page.charts[0].lines
        at = [i for i in range(len(x)) if lines["a"][2][i] == 1000][0]
        near = {self.text_of(lines["a"], i) for i in range(at - 1, at + 2)}
        self.assertIn(self.under_cursor()[0], near)
        self.assertTrue(self.under_cursor(1)[0].endswith("/s"), "the cursor is in all charts")
        self.browser.mouse("mouseMoved", left + width * 1250 / 4999, top + height / 2)
        self.browser.settle()
        self.assertEqual(set(self.under_cursor()) - {"no value", self.text_of(lines["a"], 200)}, set())
        self.check_quiet()

    @staticmethod
    def text_of(line, i):
        least, mean, greatest = (v and "%.3g" % v if v is None or v < 1000 else "1\u00a0k" for v in
                                 (line[0][i], line[1][i], line[2][i]))
        return mean if least == greatest else "%s (%s to %s)" % (mean, least, greatest)

    def test_drag_zooms_all_charts(self):
        left, top, width, height = self.plot()
        self.browser.drag(left + width * 0.6, left + width * 0.7, top + height / 2)
        first, last = self.seconds()
        self.assertAlmostEqual(first, 0.6 * 4999, delta=15)
        self.assertAlmostEqual(last, 0.7 * 4999, delta=15)
        for chart in 0, 1:  # both now show this part: the spike at 3210 is 42 % from the left
            box = self.plot(chart)
            self.browser.mouse("mouseMoved", box[0] + box[2] * 0.001, box[1] + 30)
            self.browser.settle()
            when = self.browser.run("document.querySelectorAll('thead .cursor')[%d].textContent" % chart)
            self.assertIn(when, {"At " + self.clock(first, k) for k in range(-6, 16)})
        box = self.plot()
        for kind, count in (("mousePressed", 1), ("mouseReleased", 1), ("mousePressed", 2), ("mouseReleased", 2)):
            self.browser.mouse(kind, box[0] + 50, box[1] + 50, button="left", clickCount=count)
        self.browser.settle()
        self.assertEqual(self.shown(), self.everything, "a double click shows all")
        self.check_quiet()

    def seconds(self):
        """Since START, what is shown."""
        found = [h * 3600 + m * 60 + float(s) - (7 * 3600 + 35 * 60 + 2) for h, m, s in
                 ((int(h), int(m), s) for h, m, s in re.findall(r"(\d\d):(\d\d):([\d.]+)", self.shown()))]
        self.assertEqual(len(found), 2)
        return found

    @staticmethod
    def clock(seconds, more):
        at = int(seconds) + more + 7 * 3600 + 35 * 60 + 2
        return "%02d:%02d:%02d" % (at // 3600, at // 60 % 60, at % 60)

    def address(self):
        return self.browser.run("new Promise(done => setTimeout(() => done(location.hash), 400))")

    def test_the_zoom_is_in_the_address(self):
        """As a link to it: what is shown is noted, and a link shows it again; nonsense shows everything."""
        self.show(spiky(self.path("a.plog")), "-c", "Tank")
        everything = self.shown()
        self.assertEqual(self.address(), "")
        self.key("+", "+")
        part, address = self.shown(), self.address()
        self.assertNotEqual(part, everything)
        self.assertRegex(address, r"^#from=\d{4}-\d\d-\d\dT[\d:.]+Z&to=\d{4}-\d\d-\d\dT[\d:.]+Z$")
        self.key("0")
        self.assertEqual((self.shown(), self.address()), (everything, ""))
        for wanted, shows in ((address, part), ("#from=x&to=y", everything), ("#from=1970-01-01T00:00:00Z", everything),
                              ("#from=1&to=2", everything), ("#<b>&from=", everything), (address, part)):
            self.browser.follow(wanted)
            self.assertEqual(self.shown(), shows, wanted)
        self.browser.open(self.write("blank.html", b"<!doctype html>"))
        self.browser.open(self.path("report.html") + address)
        self.browser.settle()
        self.assertEqual(self.shown(), part)

    def test_an_address_asked_for_is_not_noted_over(self):
        """A reader may ask for another part when the page is about to note in its address what it shows."""
        self.show(spiky(self.path("a.plog")), "-c", "Tank")
        self.key("+", "+")
        part, address = self.shown(), self.address()
        self.browser.run("{ window.later = setTimeout; window.setTimeout = (note) => { window.note = note; }; }")
        self.browser.follow("#")
        self.assertNotEqual(self.shown(), part)
        self.browser.run("{ window.setTimeout = later; location.hash = %r; note(); }" % address)
        self.assertEqual((self.address(), self.shown()), (address, part))

    def test_keys(self):
        status = "document.getElementById('status').textContent"
        self.key("ArrowRight")
        self.assertTrue(self.browser.run(status).startswith("2026-11-21 07:35:0"), self.browser.run(status))
        self.assertRegex(self.browser.run(status), r": a 30, b 2[\d.]+ \(2\d to 2\d\)$")
        first = self.browser.run(status)
        self.key("ArrowRight")
        self.assertNotEqual(self.browser.run(status), first)
        self.key("ArrowLeft")
        self.assertEqual(self.browser.run(status), first)
        self.key("End")
        self.assertIn("08:58:", self.browser.run(status))
        self.key("Home", "Shift+ArrowRight")
        self.assertIn("07:35:5", self.browser.run(status), "ten buckets of 5 s")
        self.key("+")
        zoomed = self.seconds()
        self.assertAlmostEqual(zoomed[1] - zoomed[0], 4999 / 2, delta=2)
        self.assertLess(zoomed[0], 51)
        self.key("PageDown")
        self.assertAlmostEqual(self.seconds()[0] - zoomed[0], 4999 / 4, delta=2)
        self.key("-")
        self.assertEqual(self.shown(), self.everything)
        self.key("+", "+", "0")
        self.assertEqual(self.shown(), self.everything)
        self.key("+", "Escape")
        self.assertEqual(self.shown(), self.everything)
        self.check_quiet()

    def test_cursor_takes_the_view_along(self):
        self.key("Home", "+", "+", "+", "+", "+", "+", "End")
        before, _ = self.seconds()
        self.key("ArrowRight")
        first, last = self.seconds()
        self.assertAlmostEqual(last - first, 4999 / 64, delta=1)
        self.assertGreater(first, before + 1)
        self.key("Home", "ArrowLeft")
        self.assertLess(self.seconds()[0], first - 1)

    def test_buttons(self):
        def press(name):
            self.browser.run("document.getElementById('%s').click()" % name)
            self.browser.settle()

        def disabled():
            return [self.browser.run("document.getElementById('%s').disabled" % n)
                    for n in ("earlier", "later", "wider", "all")]
        self.assertEqual(disabled(), [True] * 4)
        press("closer")
        first, last = self.seconds()
        self.assertAlmostEqual(first, 4999 / 4, delta=1)
        self.assertEqual(disabled(), [False] * 4)
        press("later")
        press("later")
        self.assertEqual(disabled(), [False, True, False, False])
        press("earlier")
        self.assertAlmostEqual(self.seconds()[0], 4999 / 4, delta=1)
        press("all")
        self.assertEqual(self.shown(), self.everything)

    def test_reached_by_tab(self):
        """Each control gets the focus in turn, and shows it."""
        self.browser.run("document.getElementById('closer').click()")
        met = []
        for _ in range(40):
            self.browser.call("Input.dispatchKeyEvent", type="rawKeyDown", key="Tab", windowsVirtualKeyCode=9)
            self.browser.settle()
            met.append(self.browser.run("document.activeElement.id || document.activeElement.className || "
                                        "document.activeElement.type || document.activeElement.tagName"))
            self.assertNotEqual(self.browser.run("getComputedStyle(document.activeElement).outlineStyle"), "none", met)
            if met[-1] == "SUMMARY":
                break
        self.assertEqual([m for m in met if m != "scroll"],
                         ["earlier", "later", "closer", "wider", "all", "search"] +
                         2 * ["plot", "button", "button", *5 * ["sort"], *2 * ["checkbox", "only"]] + ["SUMMARY"])

    def test_lines_are_switched_off(self):
        box = "document.querySelectorAll('.chart input')[1]"
        for there in False, True:
            self.browser.run(box + ".click()")
            self.browser.settle()
            self.assertEqual(bool(self.drawn("c1")), there)

    def test_printing(self):
        """In the dark, too: while it is printed, curves are as wide and as light as paper."""
        self.browser.look(dark=True)
        for event, dark, width in ("beforeprint", False, 680), ("afterprint", True, None):
            self.browser.run("dispatchEvent(new Event('%s'))" % event)
            self.browser.settle()
            grey = sum(map(int, re.findall(r"\d+", self.browser.run(
                "getComputedStyle(document.documentElement).backgroundColor"))[:3]))
            self.assertEqual(grey < 384, dark)
            self.assertTrue(self.drawn("c0"))
            self.assertEqual(self.browser.run("document.querySelector('.uplot').offsetWidth <= 680"), width == 680)

    def test_narrow_paper(self):
        """Charts are drawn as wide as on A4, and what is narrower gets them whole."""
        self.browser.run("dispatchEvent(new Event('beforeprint'))")
        self.browser.look(width=450)
        self.browser.call("Emulation.setEmulatedMedia", media="print")
        self.browser.settle()
        for wanted, found in self.browser.run("""Array.from(document.querySelectorAll('canvas'), c => {
                const place = c.getBoundingClientRect();
                return [[c.width / c.height, innerWidth], [place.width / place.height, place.right]]})"""):
            self.assertAlmostEqual(wanted[0], found[0], delta=0.05)
            self.assertLessEqual(found[1], wanted[1])
        self.assertLessEqual(self.browser.run(
            "Math.max(...Array.from(document.querySelectorAll('.plot *'), e => e.getBoundingClientRect().right))"), 450)

    def test_paper(self):
        """In the dark, too, paper is light, and there is no toolbar on it."""
        self.browser.look(dark=True)
        pdf = self.browser.pdf()
        self.assertTrue(pdf.startswith(b"%PDF-"))
        self.assertIn(b"%%EOF", pdf[-10:])
        self.assertGreater(len(pdf), 10_000)
        out = self.path("page.pdf")
        with open(out, "wb") as f:
            f.write(pdf)
        self.assertFalse(self.browser.run("document.documentElement.classList.contains('printing')"), "and back again")
        text = subprocess.run(["pdftotext", "-layout", out, "-"], stdout=subprocess.PIPE, check=True).stdout.decode()
        for wanted in "Tank: Level", "Tank: Drops/sec", "samples missing", "2026-11-21 07:35:02":
            self.assertIn(wanted, text)
        for unwanted in "Show all", "At cursor", "Licence":
            self.assertNotIn(unwanted, text)
        subprocess.run(["pdftoppm", "-r", "60", "-f", "1", "-l", "1", out, self.path("page")], check=True)
        with open([self.path(n) for n in os.listdir(self.folder) if n.startswith("page") and n.endswith(".ppm")][0],
                  "rb") as f:
            pixels = f.read()[-300 * 300 * 3:]
        self.assertGreater(sum(pixels) / len(pixels), 200, "a light page")


# Instance: the seconds of its incident, and what it reaches then; the first two are the largest of all time.
INCIDENTS = {"drill": (700, 760, 900), "lamp": (1900, 1960, 700), "mill": (3300, 3360, 600), "pump": (4200, 4215, 800)}


def incidents(path):
    """5000 samples of 16 instances: two steady ones, ten that idle, and four with an incident each."""
    steady = {"boiler": 400, "chiller": 300, **{"idle %d" % i: 1 + i % 2 for i in range(10)}}
    return tank([(i, [(level, i) for level in steady.values()] +
                 [((high if first <= i < last else 1), i) for first, last, high in INCIDENTS.values()])
                 for i in range(5000)], [*steady, *INCIDENTS]).save(path)


class Zoomed(Page):
    """Tables and curves of a part of the time."""

    def setUp(self):
        super().setUp()
        self.show(incidents(self.path("a.plog")), "-c", r"\Tank(*)\Level", "--top", "2")

    def rows(self):
        return self.browser.run("Array.from(document.querySelectorAll('.lines tbody tr'), r => [r.querySelector('.label')"
                                ".textContent, ...Array.from(r.cells).slice(2).map(c => c.textContent)])")

    def zoom(self, first, last):
        start = START // 10**9
        self.browser.follow("#from=%d&to=%d" % (start + first, start + last))

    def test_the_culprit_is_first(self):
        """Of each incident, though none of them is among the largest of all the time."""
        full = self.rows()
        self.assertEqual([r[0] for r in full], ["boiler", "chiller"])
        for name, (first, last, high) in INCIDENTS.items():
            self.zoom(first, last)
            rows = self.rows()
            self.assertEqual([r[0] for r in rows], [name, "boiler", "chiller"])
            self.assertTrue(rows[0][1].startswith("\u2265\u00a0"), rows[0])
            self.assertAlmostEqual(float(rows[0][1][2:]), high, delta=0.4 * high)
            self.assertLessEqual(float(rows[0][3][2:]), high)
            self.assertTrue(self.drawn("c2"), "it has a curve")
            self.assertIn("Ranked again", self.browser.run("document.querySelector('.chart').textContent"))
        self.key("0")
        self.assertEqual(self.rows(), full)
        self.assertFalse(self.drawn("c2"))
        self.check_quiet()

    def test_figures_are_of_the_time_shown(self):
        self.show(spiky(self.path("b.plog")), "-c", r"\Tank(*)\Level")
        self.zoom(100, 900)
        self.assertEqual([r[0] for r in self.rows()], ["a", "b"])
        self.assertEqual(self.rows()[0][1:4], ["30", "30", "30"], "not the spike")
        self.assertEqual(self.rows()[1][2:4], ["20", "29"])
        self.zoom(3200, 3220)
        self.assertEqual(self.rows()[0][2:4], ["30", "1\u00a0k"])
        self.assertGreater(float(self.rows()[0][1]), 60)
        self.assertRegex(self.rows()[0][4], r"2026-11-21 08:28:3\d")

    def test_the_cursor_reads_new_curves(self):
        self.zoom(1880, 1980)
        self.key("Home", *["ArrowRight"] * 10)
        self.assertEqual(self.under_cursor()[0], "700")
        box = "document.querySelectorAll('.chart input')[0]"
        for there in False, True:
            self.browser.run(box + ".click()")
            self.browser.settle()
            self.assertEqual(bool(self.drawn("c2")), there)


def machine(path):
    """Processors that do several things, a row of colours for each, and a process that ends; threads wait for a while."""
    parts = ["% Processor Time", "% User Time", "% System Time", "% I/O Wait Time"]
    titles = {2: b"Processor", 20: b"System", 22: b"Processor Queue Length", 30: b"Process", 32: b"% Processor Time"}
    titles.update({4 + 2 * k: name.encode() for k, name in enumerate(parts)})
    log = Log(titles)
    for i in range(300):
        values = 60, 40, 20, 10
        log.sample(START + i * SECOND, [
            object_of(2, [(4 + 2 * k, RAW, 8) for k in range(4)],
                      [("0", (100, 0, 0, 0)), ("1", (0, 0, 0, 0)), ("_Total", values)]),
            object_of(20, [(22, RAW, 8)], [(None, (50 if 100 <= i < 160 else 1,))]),
            object_of(30, [(32, RAW, 8)], [(n, (v,)) for n, v in (("gone:1", 90), ("here:2", 30))
                                           if n != "gone:1" or i < 150])])
    return log.save(path)


class Forms(Page):
    """What is drawn otherwise than as lines."""

    def setUp(self):
        super().setUp()
        self.show(machine(self.path("a.plog")))

    def blend(self, name, alpha):
        """A colour of the style sheet over the page's, as the script mixes them."""
        return self.browser.run("""(() => { const of = n => { const hex = getComputedStyle(document.documentElement)
            .getPropertyValue('--' + n).trim().slice(1); return [0, 2, 4].map(i => parseInt(hex.slice(i, i + 2), 16)); };
            const [a, b] = [of('%s'), of('paper')]; return a.map((v, i) => Math.round(v * %f + b[i] * (1 - %f))); })()"""
                                % (name, alpha, alpha))

    def pixel(self, chart, x, y):
        """In the plot of a chart, from its left and lower edge."""
        return self.browser.run("""(() => { const c = document.querySelectorAll('.chart')[%d];
            const o = c.querySelector('.u-over'), k = c.querySelector('canvas').getContext('2d');
            return Array.from(k.getImageData(o.offsetLeft + o.offsetWidth * %f, o.offsetTop + o.offsetHeight * (1 - %f),
                1, 1).data).slice(0, 3); })()""" % (chart, x, y))

    def test_areas_lie_on_each_other(self):
        top = 70 * 1.06
        for value, name in ((20, "c1"), (50, "c2"), (65, "c3")):
            self.assertEqual(self.pixel(0, 0.55, value / top), self.blend(name, 0.72), value)
        self.browser.run("document.querySelectorAll('.chart input')[1].click()")  # without user time
        self.browser.settle()
        self.assertEqual(self.pixel(0, 0.55, 10 / (60 * 1.06)), self.blend("c2", 0.72))
        self.check_quiet()

    def test_a_row_of_colours_for_each(self):
        busy, idle = self.pixel(1, 0.55, 0.75), self.pixel(1, 0.55, 0.25)
        self.assertEqual((busy, idle), (self.blend("c1", 1), self.blend("c1", 0.05)))
        self.assertEqual(self.browser.run("Array.from(document.querySelectorAll('.chart')[1].querySelectorAll('.label'), "
                                          "l => l.textContent)"), ["0", "1"])

    def test_a_cross_where_a_process_ended(self):
        chart = next(c for c in range(8) if self.browser.run(
            "document.querySelectorAll('.chart')[%d].querySelector('h3').textContent" % c).startswith("Busiest"))
        end = [(x, y) for x, y in self.drawn("c0", chart) if x > 0.494]
        self.assertTrue(any(abs(x - 149 / 299) < 0.008 and y > 90 / (90 * 1.06) + 0.005 for x, y in end),
                        "above the line that ends there")
        self.assertLess(max(x for x, _ in end), 0.51)

    def test_a_finding_shows_its_time(self):
        self.browser.run("new Promise(done => { addEventListener('hashchange', () => done(), {once: true});"
                         " document.querySelector('.findings a').click(); })")
        self.browser.settle()
        first, last = re.findall(r"07:\d\d:\d\d", self.shown())
        self.assertTrue("07:35:50" < first < "07:36:45" and "07:37:40" < last < "07:39:00", (first, last))
        self.check_quiet()


class Accessible(Page):
    """By axe-core, and by the contrast of what is drawn, which axe does not see."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = tempfile.mkdtemp(prefix="perflog-axe-")
        cls.addClassCleanup(shutil.rmtree, folder, ignore_errors=True)
        cls.axe, cls.lacks = axe.script(folder)

    def check(self, *logs):
        out = self.path("report.html")
        self.good("report", "-q", "-o", out, *logs)
        for dark in False, True:
            for width in 1280, 390:
                self.browser.look(width=width, dark=dark, phone=width < 500)
                self.browser.open(out)
                self.browser.settle()
                self.browser.run(self.axe + ";1")
                found = self.browser.run(axe.RUN)
                self.assertEqual(found["violations"], [], (dark, width))
                self.assertGreater(found["rules"], 30)

    def test_no_violations(self):
        if not self.axe:
            self.skipTest(self.lacks)
        self.check(machine(self.path("a.plog")))
        self.check(spiky(self.path("b.plog")))
        logs = [tank([(i, [(k, i)]) for i in range(20) if not 5 < i < 12], host=b"h%d" % k).save(self.path("%d.plog" % k))
                for k in range(8)]
        self.check(*logs)

    def test_contrast_of_what_is_drawn(self):
        """Curves and marks 3 to 1 (WCAG 1.4.11), text on axes 4.5 to 1 (1.4.3)."""
        self.show(machine(self.path("a.plog")))
        for dark in False, True:
            self.browser.look(dark=dark)
            for name, least in (*(("c%d" % k, 3) for k in range(10)), ("damaged", 3), ("quiet", 4.5), ("ink", 4.5)):
                self.assertGreaterEqual(self.contrast(name), least, (name, dark))

    def contrast(self, name):
        def luminance(of):
            parts = [int(of[i:i + 2], 16) / 255 for i in (1, 3, 5)]
            linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
            return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
        a, b = sorted(luminance(self.browser.run("getComputedStyle(document.documentElement).getPropertyValue('--%s').trim()"
                                                 % n)) for n in (name, "paper"))
        return (b + 0.05) / (a + 0.05)


class Hosts(Page):
    """Several hosts in one chart."""

    def setUp(self):
        super().setUp()
        for k in range(12):
            tank([(i, [(10 * k + (120 if k == 2 and 100 <= i < 120 else 0), i)]) for i in range(300)],
                 host=b"h%02d" % k).save(self.path("%02d.plog" % k))
        os.mkdir(self.path("logs"))
        for k in range(12):
            os.rename(self.path("%02d.plog" % k), self.path("logs/%02d.plog" % k))
        self.show(self.path("logs"), "-c", r"\Tank\Level")

    def names(self):
        return self.browser.run("Array.from(document.querySelectorAll('.lines tbody tr:not([hidden])')).map("
                                "r => (r.querySelector('input').checked ? '' : '-') + r.querySelector('.label').textContent)")

    def choose(self, name):
        self.browser.run("(() => { const h = document.getElementById('host'); h.selectedIndex = "
                         "Array.from(h.options).findIndex(o => o.text === %r); "
                         "h.dispatchEvent(new Event('change')); })()" % name)
        self.browser.settle()

    def test_overlaid(self):
        """The ten that do most are drawn, the others are folded away; a zoom ranks them again."""
        self.assertEqual(self.browser.run("document.querySelectorAll('.chart').length"), 1)
        order = ["h%02d: Level" % k for k in range(11, -1, -1)]
        self.assertEqual(self.names(), order[:10])
        self.assertEqual(self.browser.run("Array.from(document.querySelectorAll('.pick button'), b => b.textContent)"),
                         ["All", "None", "2 more lines"])
        self.browser.run("document.querySelectorAll('.pick button')[2].click()")
        self.assertEqual(self.names(), order[:10] + ["-" + n for n in order[10:]])
        colours = self.browser.run("Array.from(document.querySelectorAll('.lines tbody .swatch'), s => s.className)")
        self.assertEqual(len(set(colours[:10])), 10)
        start = START // 10**9
        self.browser.follow("#from=%d&to=%d" % (start + 100, start + 119))
        self.assertEqual(self.names()[0], "h02: Level")
        self.check_quiet()

    def test_hosts_whose_names_look_alike(self):
        """A link names a host as it is called, not as a browser shows it, and which one of several."""
        logs = []
        for n, (name, machine) in enumerate(((b"a b", b"1"), (b"a  b", b"2"))):
            log = Log({2: b"Tank", 4: b"Level"}, host=name)
            for t in range(5):
                log.sample(START + t * SECOND, [object_of(2, [(4, RAW, 8)], [(None, (n + 1,))])])
            logs.append(log.save(self.path("%d.plog" % n)))
        self.show(logs[0], logs[1], "-c", "Tank")
        for name in "a b", "a  b":
            self.browser.follow("#host=" + name.replace(" ", "%20"))
            self.assertEqual(self.browser.run("document.getElementById('host').selectedOptions[0].textContent"), name)
            self.assertEqual(self.browser.run("new Promise(done => setTimeout(() => done(location.hash), 400))"),
                             "#host=" + name.replace(" ", "%20"))
        self.check_quiet()

    def test_one_of_them(self):
        self.choose("h03")
        self.assertEqual(self.names(), ["h03: Level"])
        self.assertTrue(self.drawn("c0"))
        self.assertEqual(self.browser.run("new Promise(done => setTimeout(() => done(location.hash), 400))"), "#host=h03")
        self.key("ArrowRight")
        self.assertIn("h03: Level 30", self.browser.run("document.getElementById('status').textContent"))
        self.choose("all, overlaid")
        self.assertEqual(len(self.names()), 10)
        self.browser.follow("#host=h05")
        self.assertEqual(self.names(), ["h05: Level"])
        self.check_quiet()

    def test_cursor_reads_each_host_at_its_own_time(self):
        logs = [tank([(i * k, [(k, i)]) for i in range(40)], host=b"h%d" % k, interval_ns=k * SECOND)
                .save(self.path("%d.plog" % k)) for k in (1, 3)]
        out = self.path("report.html")
        self.good("report", "-q", "-c", r"\Tank\Level", "-o", out, *logs)
        self.browser.open(out)
        self.browser.settle()
        self.key("Home", "ArrowRight", "ArrowRight")
        self.assertEqual(self.under_cursor(), ["3", "1"], "the one with most first; the other's nearest sample")
        self.key("End")
        self.assertEqual(self.under_cursor(), ["3", "no value"])


class Picking(Page):
    """Lines are sorted, found, and switched on and off, by mouse and by keys."""

    def setUp(self):
        super().setUp()
        self.show(incidents(self.path("a.plog")), "-c", r"\Tank(*)\Level", "--top", "5")
        self.order = self.names()

    def names(self):
        return self.browser.run("Array.from(document.querySelectorAll('.lines tbody tr:not([hidden]) .label'), "
                                "l => l.textContent)")

    def on(self):
        return self.browser.run("Array.from(document.querySelectorAll('.lines tbody tr')).filter(r => r.querySelector("
                                "'input').checked).map(r => r.querySelector('.label').textContent)")

    def press(self, selector, number=0):
        """With the keyboard."""
        self.browser.run("document.querySelectorAll(%r)[%d].focus()" % (selector, number))
        self.browser.key("Enter")
        self.browser.settle()

    def test_sort(self):
        maxima = {"boiler": 400, "chiller": 300, "drill": 900, "lamp": 700, "mill": 600}
        self.assertEqual(sorted(self.order), sorted(maxima))
        self.press(".sort", 3)
        self.assertEqual(self.names(), sorted(maxima, key=maxima.get, reverse=True))
        self.assertEqual(self.browser.run("document.querySelectorAll('.lines th')[4].getAttribute('aria-sort')"),
                         "descending")
        self.press(".sort", 3)
        self.assertEqual(self.names(), sorted(maxima, key=maxima.get))
        self.press(".sort", 0)
        self.assertEqual(self.names(), sorted(maxima))
        self.key("+")
        self.assertEqual([n for n in self.names() if n in maxima], sorted(maxima), "a zoom keeps it")
        self.key("0")
        for _ in range(2):
            self.press(".sort", 0)
        self.assertEqual(self.names(), self.order)

    def test_search(self):
        def search(text):
            self.browser.run("(() => { const s = document.getElementById('search'); s.value = %r; "
                             "s.dispatchEvent(new Event('input')); })()" % text)
            return self.names()
        self.assertEqual(search("ILL"), [n for n in self.order if "ill" in n])
        self.assertEqual(search("ill dr"), ["drill"])
        self.press(".pick button", 1)
        self.assertEqual(self.on(), [n for n in self.order if n != "drill"], "None is of what was found")
        self.assertEqual(search("<b>"), [])
        self.assertEqual(search(""), self.order)

    def test_isolate(self):
        for click in (lambda: self.press(".only", 1),
                      lambda: self.browser.run("document.querySelectorAll('.only')[1].click()")):
            click()
            self.browser.settle()
            self.assertEqual(self.on(), [self.order[1]])
            self.assertTrue(self.drawn("c1"))
            self.assertFalse(self.drawn("c0"))
            click()
            self.browser.settle()
            self.assertEqual(self.on(), self.order, "once more shows all")
            self.assertTrue(self.drawn("c0"))

    def test_zeros_are_folded_away(self):
        log = tank([(i, [(7 * k, i) for k in range(4)] + [(0, i)]) for i in range(9)], ["a", "b", "c", "d", "e"])
        self.show(log.save(self.path("b.plog")), "-c", r"\Tank(*)\Level")
        self.assertEqual(self.names(), ["d", "c", "b"])
        self.assertEqual(self.browser.run("document.querySelectorAll('.pick button')[2].textContent"), "2 lines of zeros")
        self.press(".pick button", 2)
        self.assertEqual(self.names(), ["d", "c", "b", "a", "e"])
        self.press(".pick button", 2)
        self.assertEqual(self.names(), ["d", "c", "b"])
        self.key("+")
        self.assertEqual(self.names(), ["d", "c", "b"])

    def test_all_and_none(self):
        self.press(".pick button", 1)
        self.assertEqual((self.on(), self.drawn("c0")), ([], []))
        self.press(".pick button", 0)
        self.assertEqual(self.on(), self.order)
        self.assertTrue(self.drawn("c0"))
        self.check_quiet()


class Policy(Page):
    def test_hostile_names_do_nothing(self):
        self.show(hostile_log(self.path("a.plog"), [*NAMES, "'\" onload=x", ATTACK]), "-c", "Many", "--top", "50")
        self.check_quiet()
        self.assertIsNone(self.browser.run("window.attacked"))
        self.assertIn("plain: " + ATTACK,
                      self.browser.run("Array.from(document.querySelectorAll('.label'), l => l.textContent)")[:9])
        self.key("ArrowRight")  # the script handles names, too
        self.assertIsNone(self.browser.run("window.attacked"))
        self.assertEqual(self.browser.run("document.images.length"), 0)
        self.check_quiet()

    def test_policy_is_in_force(self):
        """Were there a hole, what came through it could neither run nor tell anybody."""
        self.show(spiky(self.path("a.plog")), "-c", "Tank")
        self.browser.run("""(() => {
            const s = document.createElement('script'); s.textContent = 'window.attacked = 1'; document.body.append(s);
            const d = document.createElement('div'); d.innerHTML = '<img src=x onerror="window.attacked = 1">';
            document.body.append(d);
            const y = document.createElement('style'); y.textContent = 'h1 { color: rgb(1, 2, 3) }';
            document.head.append(y); })()""")
        self.browser.settle()
        self.assertIsNone(self.browser.run("window.attacked"))
        self.assertNotEqual(self.browser.run("getComputedStyle(document.querySelector('h1')).color"), "rgb(1, 2, 3)")
        self.assertEqual(self.browser.run("fetch('https://example.org/').then(() => 'sent', () => 'refused')"), "refused")
        for what in "inline script", "inline event handler", "inline style", "https://example.org/":
            self.assertTrue([c for c in self.browser.complaints if what in c and "Content Security Policy" in c], what)


if __name__ == "__main__":
    if os.environ.get("PERFLOG_HAS_REPORT", "1") in ("0", "OFF", ""):
        print("this perflog makes no reports; build with -DPERFLOG_UPLOT=npm to test them", file=sys.stderr)
        sys.exit(harness.SKIP)
    if not browser.find():
        print("no Chromium here; install the package chromium to test pages in it", file=sys.stderr)
        sys.exit(harness.SKIP)
    del Page
    harness.main()
