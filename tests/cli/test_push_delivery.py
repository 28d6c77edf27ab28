#!/usr/bin/env python3
"""push: what reaches whom, for how long it is tried, and what is known of a request without an answer."""
import os
import subprocess
import sys

sys.path.insert(1, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness
from harness import PROGRAM, run, wait_until
from receiver import Receiver
from pushed import START, InOrder, Push


class Proxies(Push):
    def test_none_to_this_machine(self):
        """A proxy of the environment never gets what goes to this machine, with the token that says who we are."""
        self.write("token", b"secret\n")
        proxy, receiver = self.receiver(), self.receiver()
        environment = dict(os.environ, **{name: proxy.url.rpartition("/api")[0]
                                          for name in ("http_proxy", "ALL_PROXY", "all_proxy")}, no_proxy="")
        log = self.made(range(2))
        for host in "127.0.0.1", "localhost":
            url = receiver.url.replace("127.0.0.1", host)
            r = run("push", "--url", url, "--bearer", self.path("token"), log, env=environment)
            self.assertEqual(r.code, 0, r)
        self.assertEqual([h.get("Authorization") for _, h in receiver.headers], ["Bearer secret"] * 2)
        self.assertFalse(proxy.requests)

    def test_to_others(self):
        proxy = self.receiver()
        r = run("push", "--url", "http://receiver.invalid/api/v1/write", self.made(range(2)),
                env=dict(os.environ, http_proxy=proxy.url.rpartition("/api")[0]))
        self.assertEqual(r.code, 0, r)
        self.assertEqual(proxy.headers[0][1].get("Host"), "receiver.invalid")


class Pipes(Push):
    def test_a_log_from_a_pipe(self):
        """Its host is not known before it is read; all comes as from the file, with and without a position."""
        log, files = self.made(range(20)), {}
        for args in (), ("--every", "5s"), ("--state", self.path("s")), ("--follow", "--state", self.path("f")):
            receiver = self.receiver()
            with open(log, "rb") as f:
                r = self.push(receiver, "-", *args, data=f.read())
            whole = args[:2] if args[:1] == ("--every",) else ()
            if whole not in files:
                files[whole] = self.receiver()
                self.push(files[whole], log, *whole)
            self.assertTrue(receiver.samples())
            self.assertEqual(receiver.samples(), files[whole].samples(), r)
        for args in (), ("--every", "5s"):
            with open(log, "rb") as f:
                self.assertEqual(self.good("push", "--forecast", *args, "-", data=f.read()).out,
                                 self.good("push", "--forecast", *args, log).out)

    def test_further_from_a_pipe(self):
        """Each run goes on behind what the one before has sent, whatever the pipe has."""
        receiver = self.receiver()
        for n in 10, 20:
            with open(self.made(range(n)), "rb") as f:
                self.push(receiver, "-", "--state", self.path("state"), data=f.read())
        self.assertEqual({k[3] // 1000 - START for k in self.sent(receiver)[0]}, set(range(20)))
        self.assertEqual(receiver.num_samples(), len(receiver.samples()))


class Outages(Push):
    def test_status_of_a_damaged_log(self):
        """A receiver that takes nothing is a failure, whatever was left out of the log; the damage is reported still."""
        log = self.made(range(20))
        with open(log, "r+b") as f:
            f.seek(os.path.getsize(log) // 2)
            f.write(b"x" * 9)
        self.push(self.receiver(), log, code=2)
        gone = Receiver()
        gone.close()
        for receiver in self.receiver((401, {}, b"no")), gone:
            r = self.push(receiver, log, "--retry-for", "1ms", code=1)
            self.assertIn(": damaged: 1 range", r.err)

    def test_status_of_what_was_refused_before(self):
        """It failed in the end, whatever was refused, which is reported still."""
        r = self.push(self.receiver(*[(400, {}, b"no")] * 2, (204, {}, b""), (401, {}, b"who are you?")), self.made(range(9)), code=1)
        self.assertIn("refused and left out; HTTP 400: no", r.err)

    def test_retry_for_is_kept(self):
        """A receiver that asks for an hour is asked once more when the time is over."""
        receiver = self.receiver(*[(503, {"Retry-After": "3600"}, b"busy")] * 9)
        r = self.push(receiver, self.made(range(2)), "--retry-for", "500ms", code=1)
        self.assertIn("HTTP 503: busy; given up, as --retry-for says", r.err)
        self.assertEqual(len(receiver.requests), 2)

    def test_to_retry_for_no_time(self):
        """It is tried once, with --follow as well."""
        for more in (), ("--follow",):
            receiver = self.receiver(*[(503, {}, b"busy")] * 9)
            r = self.push(receiver, self.made(range(2)), "--retry-for", "0", *more, code=1)
            self.assertIn("given up", r.err)
            self.assertEqual(len(receiver.requests), 1)

    def test_refused_after_no_connection(self):
        """What no connection has taken cannot be there: 'out of order' is a refusal."""
        first = Receiver()
        first.close()
        log = self.made(range(3))
        with subprocess.Popen([PROGRAM, "push", "--url", first.url, log], stderr=subprocess.PIPE, text=True) as p:
            self.assertIn("trying again", p.stderr.readline())
            self.receiver(*[(400, {}, b"out of order sample")] * 99, port=first.port)
            err = p.stderr.read()
            self.assertEqual(p.wait(), 2, err)
        self.assertIn("samples refused and left out; HTTP 400: out of order sample", err)

    def test_taken_by_a_connection_that_broke(self):
        """It may be there, though no other connection could be made then."""
        in_order, calls = InOrder(), self.path("calls")
        log = self.made(range(6))

        def refused():
            with open(calls) as f:
                return "REFUSED" in f.read()

        def close(number, message):
            if number == 2:
                in_order(message)
                first.server.shutdown()
                first.server.server_close()
                raise OSError("no answer")
        first = Receiver([(429, {}, b"later")], on_request=close)
        try:
            p = subprocess.Popen(["strace", "-f", "-o", calls, "-e", "trace=connect,getsockopt", PROGRAM, "push", "-q",
                                  "--url", first.url, log], stderr=subprocess.PIPE, text=True,
                                 env=harness.without_leaks(os.environ))
        except FileNotFoundError:
            self.skipTest("strace is not here")
        with p:
            wait_until(lambda: os.path.exists(calls) and refused() or p.poll() is not None, "no connection can be made")
            again = self.receiver(*[in_order] * 99, port=first.port)
            err = p.stderr.read()
            self.assertEqual(p.wait(), 0, err)
        self.assertTrue(again.requests)


if __name__ == "__main__":
    harness.main()
