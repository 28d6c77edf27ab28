"""A receiver of Prometheus remote write 1.0: takes requests apart by their formats' specifications alone."""
import http.server
import struct
import threading
import time

STALE = 0x7FF0000000000002


# ---- Snappy's block format ---------------------------------------------------
def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def unpacked(data):
    size, at = varint(data, 0)
    out = bytearray()
    while at < len(data):
        tag = data[at]
        at += 1
        if tag & 3 == 0:
            length = tag >> 2
            if length >= 60:
                more = length - 59
                length = int.from_bytes(data[at:at + more], "little")
                at += more
            out += data[at:at + length + 1]
            at += length + 1
            continue
        if tag & 3 == 1:
            length, offset = (tag >> 2 & 7) + 4, tag >> 5 << 8 | data[at]
            at += 1
        else:
            more = 2 if tag & 3 == 2 else 4
            length, offset = (tag >> 2) + 1, int.from_bytes(data[at:at + more], "little")
            at += more
        assert 0 < offset <= len(out)
        start = len(out) - offset
        if offset >= length:
            out += out[start:start + length]
        else:
            out += (bytes(out[start:]) * (length // offset + 1))[:length]
    assert len(out) == size, (len(out), size)
    return bytes(out)


# ---- protocol buffers ----------------------------------------------------------
def fields(data):
    at = 0
    while at < len(data):
        key, size, at = data[at], data[at + 1] if at + 1 < len(data) else 128, at + 1
        if key & 0x87 == 2 and size < 128:  # most of them: a short text, and neither number has a second byte
            value, at = data[at + 1:at + 1 + size], at + 1 + size
            assert len(value) == size
            yield key >> 3, value
            continue
        key, at = varint(data, at - 1)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 1:
            value, at = struct.unpack_from("<Q", data, at)[0], at + 8
        else:
            assert key & 7 == 2, key
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            assert len(value) == size
        yield key >> 3, value


def series(message):
    """(labels, samples) of each series; labels and samples are pairs, of samples bits and milliseconds."""
    known = {}  # bytes of a label or of a sample, most of which come very often
    for number, one in fields(message):
        assert number == 1, number
        labels, samples = [], []
        for kind, part in fields(one):
            if (kind, part) not in known:
                inner = dict(fields(part))
                assert set(inner) == {1, 2}, inner
                assert kind in (1, 2), kind
                known[kind, part] = (inner[1].decode(), inner[2].decode()) if kind == 1 else \
                    (inner[1], inner[2] - (1 << 64) * (inner[2] >> 63))
            (labels if kind == 1 else samples).append(known[kind, part])
        yield tuple(labels), samples


class Receiver:
    """Listens on a port of this machine until it is closed.

    answers: what to answer first, (code, headers, text) each; then each is accepted.  on_request(number, message) is
    called before a request is answered.
    """

    def __init__(self, answers=(), port=0, on_request=None):
        self.answers, self.on_request = list(answers), on_request
        self.requests, self.taken, self.headers, self.times = [], [], [], []
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.take(self, body)

            def log_message(self, *args):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            allow_reuse_address = True

            def handle_error(self, *args):
                pass  # a sender was killed, or trusts nobody

        self.server = Server(("127.0.0.1", port), Handler)
        self.port = self.server.server_address[1]
        self.url = "http://127.0.0.1:%d/api/v1/write" % self.port
        self.lock = threading.Lock()
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self.thread.start()

    def take(self, handler, body):
        with self.lock:
            message = list(series(unpacked(body)))
            self.requests.append(message)
            self.times.append(time.monotonic())
            self.headers.append((handler.path, dict(handler.headers)))
            if self.on_request:
                self.on_request(len(self.requests), message)
            code, headers, text = 204, {}, b""
            if self.answers:
                answer = self.answers.pop(0)
                code, headers, text = answer(message) if callable(answer) else answer
            if 200 <= code < 300:
                self.taken.append(message)
        try:
            handler.send_response(code)
            for name, value in headers.items():
                handler.send_header(name, value)
            handler.send_header("Content-Length", str(len(text)))
            handler.end_headers()
            handler.wfile.write(text)
        except OSError:
            pass  # the sender was killed

    def samples(self):
        """{(labels, ms): bits} of all that was accepted; a sample that came twice must be the same."""
        found = {}
        with self.lock:
            for message in self.taken:
                for labels, samples in message:
                    for bits, ms in samples:
                        assert found.setdefault((labels, ms), bits) == bits, (labels, ms)
        return found

    def num_samples(self):
        with self.lock:
            return sum(len(samples) for message in self.taken for _, samples in message)

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()
