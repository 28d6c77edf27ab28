"""A headless Chromium, driven through pipes by its DevTools protocol; nothing but Python's library.

Chromium is told to resolve no host, so a page that asks for something is seen and gets nothing.
"""
import base64
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time

SECONDS = 90
# Chromium reads descriptor 3 and writes descriptor 4, whatever numbers its pipes have here.
PIPES = """import fcntl, os, sys
pipes = [fcntl.fcntl(int(n), fcntl.F_DUPFD, 10) for n in sys.argv[1:3]]
os.dup2(pipes[0], 3)
os.dup2(pipes[1], 4)
os.closerange(5, 256)
os.execv(sys.argv[3], sys.argv[3:])"""


def find():
    """The program; None: there is none."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


class Failed(AssertionError):
    pass


class Browser:
    """One page in one browser.  'complaints' are console errors, 'requests' what it asked for."""

    def __init__(self):
        self.profile = tempfile.mkdtemp(prefix="perflog-browser-")
        to_read, self.out = os.pipe()
        self.inp, to_write = os.pipe()
        arguments = [find(), "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu",
                     "--no-first-run", "--disable-background-networking", "--disable-component-update",
                     "--disable-dev-shm-usage", "--disable-extensions", "--mute-audio", "--hide-scrollbars",
                     "--host-resolver-rules=MAP * ~NOTFOUND", "--user-data-dir=" + self.profile]
        self.process = subprocess.Popen(
            [sys.executable, "-S", "-c", PIPES, str(to_read), str(to_write), *arguments],
            pass_fds=(to_read, to_write), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True)
        os.close(to_read)
        os.close(to_write)
        self.number, self.session, self.buffer, self.events = 0, None, b"", []
        self.complaints, self.requests = [], []
        page = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in "Page", "Runtime", "Log", "Network":
            self.call(domain + ".enable")

    def close(self):
        try:
            self.session = None
            self.send("Browser.close")
            self.process.wait(20)
        except (subprocess.TimeoutExpired, OSError):
            self.process.kill()
            self.process.wait()
        os.close(self.out)
        os.close(self.inp)
        shutil.rmtree(self.profile, ignore_errors=True)

    # ---- the protocol
    def send(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.out, data):]
        return self.number

    def receive(self, deadline):
        while b"\0" not in self.buffer:
            if not select.select([self.inp], [], [], max(0, deadline - time.monotonic()))[0]:
                raise Failed("the browser did not answer in time")
            more = os.read(self.inp, 1 << 20)
            if not more:
                raise Failed("the browser went away")
            self.buffer += more
        message, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(message)
        if "method" in message:
            self.note(message["method"], message.get("params", {}))
        return message

    def note(self, method, params):
        self.events.append(method)
        if method == "Runtime.exceptionThrown":
            self.complaints.append(str(params["exceptionDetails"]))
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.complaints.append(str(params["args"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.complaints.append(params["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])

    def call(self, method, **params):
        wanted, deadline = self.send(method, **params), time.monotonic() + SECONDS
        while True:
            message = self.receive(deadline)
            if message.get("id") == wanted:
                if "error" in message:
                    raise Failed("%s: %s" % (method, message["error"]))
                return message["result"]

    # ---- the page
    def look(self, width=1280, height=900, dark=False, phone=False):
        """The window that pages are laid out in."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=2 if phone else 1,
                  mobile=phone)
        self.call("Emulation.setEmulatedMedia", media="screen",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def open(self, path, scripts=True):
        self.complaints, self.requests, self.events = [], [], []
        self.call("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.call("Page.navigate", url="file://" + path)
        deadline = time.monotonic() + SECONDS
        while "Page.loadEventFired" not in self.events:
            self.receive(deadline)

    def run(self, script):
        """What a JavaScript expression comes to."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise Failed("%s: %s" % (script, answer["exceptionDetails"]))
        return answer["result"].get("value")

    def settle(self):
        """Until all that was begun has been drawn."""
        self.run("new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => r(1))))")

    def follow(self, address):
        """To a place of the page, which begins with '#', until the page has gone there."""
        self.run("new Promise(done => { const was = location.hash; addEventListener('hashchange', () => done(), {once: true});"
                 " location.hash = %s; if (location.hash === was) done(); })" % json.dumps(address))
        self.settle()

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def drag(self, x0, x1, y):
        self.mouse("mouseMoved", x0, y)
        self.mouse("mousePressed", x0, y, button="left", clickCount=1, buttons=1)
        for i in range(1, 6):
            self.mouse("mouseMoved", x0 + (x1 - x0) * i / 5, y, button="left", buttons=1)
        self.mouse("mouseReleased", x1, y, button="left", clickCount=1)
        self.settle()

    def key(self, key, shift=False):
        text = {"text": "\r", "windowsVirtualKeyCode": 13} if key == "Enter" else {"text": key} if len(key) == 1 else {}
        for kind in "keyDown", "keyUp":
            self.call("Input.dispatchKeyEvent", type=kind, key=key, modifiers=8 if shift else 0,
                      **(text if kind == "keyDown" else {}))
        self.settle()

    def screenshot(self, path, whole=True):
        self.settle()
        data = self.call("Page.captureScreenshot", captureBeyondViewport=whole)["data"]
        with open(path, "wb") as f:
            f.write(base64.b64decode(data))

    def pdf(self):
        """The page on paper as people get it: without backgrounds, but for what the page insists on."""
        self.call("Emulation.setEmulatedMedia", media="")
        return base64.b64decode(self.call("Page.printToPDF", printBackground=False)["data"])
