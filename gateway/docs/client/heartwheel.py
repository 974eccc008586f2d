"""Device client of the Heartwheel protocol (../protocol.md) over TCP and TLS: one file, Python 3.9, no packages needed.

    client = Client("tls://gateway.example:7070", "sensor-42", on_message=print, token="s3cret", interval_ms=30000)
    threading.Thread(target=client.run).start()
    client.send("21.5")                # any thread; returns a Future that is done when the gateway has acknowledged
    client.stop()                      # delivers what is left, says CLOSE, and run() returns

A Client outlives its Connections. Both live on the event loop of run(); other threads touch the outbox alone.
"""
import asyncio
import collections
import contextlib
import itertools
import random
import ssl
import struct
import threading
import time
import urllib.parse
from concurrent.futures import Future
from types import SimpleNamespace

HELLO, WELCOME, PING, PONG, DATA, ACK, GOAWAY, CLOSE, AUTH = range(1, 10)
ACK_WANTED, TEXT, EXTENDED = 0x01, 0x02, 0x80
NORMAL, UNKNOWN_TYPE, TOO_LARGE, MALFORMED, BAD_UTF8 = 4000, 4404, 4405, 4406, 4410
BROKEN = 0              # no code at all: refused, reset, silent, ended without a CLOSE
NEVER = float("inf")    # a time that never comes
MESSAGE_BYTES = 1 << 20     # longest message we take or send
# What the gateway may send: (shortest, longest payload). A wrong header ends the connection before a payload is stored.
LENGTHS = {WELCOME: (28, 4096), PING: (0, 125), PONG: (0, 125), DATA: (8, MESSAGE_BYTES + 8), ACK: (9, 64),
           GOAWAY: (11, 512), CLOSE: (2, 125), AUTH: (5, 4096)}
OPEN_SECONDS = 15           # connect, TLS and WELCOME together: longer than the gateway's handshake deadline
WINDOW = 16                 # messages under way at once; below 64, within which the gateway knows repeats
HIGH_WATER_BYTES = 1 << 16  # with more to be written, no message is added; with four times that, nothing is read
RESEND_SECONDS = 300        # a message without an ACK on a living connection is sent again after this
FINISH_SECONDS = 5          # how long a GOAWAY waits for the ACKs of what is under way
CLOSE_SECONDS = 2           # how long we listen after our CLOSE
REMEMBERED = 256            # ids of messages handed on, to know repeats


class ProtocolError(Exception):
    """The gateway broke the protocol: close code for it, and what was wrong."""

class OutboxFull(Exception):
    """The outbox has no room: wait, or drop the message."""

class ComeNoMore(Exception):
    """The gateway said 4400..4599: something must be changed before this device connects again."""


def take_frames(buffer):
    """Takes whole frames out of what has arrived, however TCP has cut it. Each byte is judged as soon as it is here."""
    while buffer:
        kind = buffer[0]
        if kind not in LENGTHS:
            raise ProtocolError(UNKNOWN_TYPE, "frame of type 0x%02x" % kind)
        if len(buffer) < 4:
            return
        flags, length = struct.unpack_from(">BH", buffer, 1)
        head, (shortest, longest) = 8 if flags & EXTENDED else 4, LENGTHS[kind]
        if flags & ~(EXTENDED | (ACK_WANTED | TEXT if kind == DATA else 0)) or (head == 8 and length != 0):
            raise ProtocolError(MALFORMED, "flags 0x%02x, length %d of type 0x%02x" % (flags, length, kind))
        if len(buffer) < head:
            return
        if head == 8:
            (length,), shortest = struct.unpack_from(">I", buffer, 4), 1 << 16      # the long form must be needed
        if not shortest <= length <= longest:
            raise ProtocolError(MALFORMED if length < shortest else TOO_LARGE, "length %d of type %d" % (length, kind))
        if len(buffer) < head + length:
            return
        payload = bytes(buffer[head:head + length])
        del buffer[:head + length]
        yield kind, flags, payload


class Connection(asyncio.Protocol):
    """One connection, from connect to its end. The event loop fills `input`; run() does everything else, in turns."""

    def __init__(self, client, address):
        self.client, self.address, self.clock, self.uniform = client, address, client.clock, client.uniform
        self.input, self.transport, self.token, self.lost = bytearray(), None, None, None
        self.interval = self.welcomed_at = self.payload_limit = None    # from WELCOME
        self.closed_at, self.end_by = None, self.clock() + OPEN_SECONDS     # our CLOSE; latest WELCOME, then latest end
        self.asked_at = NEVER           # since when the gateway owes us any answer
        self.under_way = set()          # ids sent on this connection, neither acknowledged nor refused
        self.due = {}                   # id -> when a message that was sent here, and has no ACK, is sent again
        self.retry_at, self.leave_by, self.alternate = NEVER, NEVER, ""     # from GOAWAY
        self.renew_at, self.offered = NEVER, None   # when to look for a newer token; one that has no answer yet

    async def run(self):
        """Returns how it ended: close code or BROKEN, and the reason."""
        opening = asyncio.ensure_future(self._open())
        try:
            while True:
                for kind, flags, payload in take_frames(self.input):
                    if kind == CLOSE:
                        return struct.unpack_from(">H", payload)[0], payload[2:].decode()
                    self._handle(kind, flags, payload)
                if self.lost:
                    raise ConnectionError(self.lost)
                await self.client.sleep(self._advance(self.clock()))
        except (ProtocolError, UnicodeDecodeError) as error:
            code, text = error.args if isinstance(error, ProtocolError) else (BAD_UTF8, str(error))
            if self.closed_at is None:
                self._close(code, text)     # what fits at once: such a gateway is not worth waiting for
            return BROKEN, "the gateway broke the protocol: " + text
        except OSError as error:
            return BROKEN if self.closed_at is None else NORMAL, str(error)
        finally:
            opening.cancel()
            if self.transport:
                self.transport.abort()

    async def _open(self):
        try:
            self.token = self.client.token()
            await self.client.loop.create_connection(lambda: self, *self.address, ssl=self.client.tls)
        except Exception as error:      # no token, no such name, refused, a wrong certificate: all the same to us
            self.connection_lost(error)

    def connection_made(self, transport):
        self.transport = transport
        transport.set_write_buffer_limits(HIGH_WATER_BYTES)
        token, (device, name, interval_ms) = self.token.encode(), self.client.hello
        self._send(HELLO, struct.pack(
            ">2sBBIQB%dsH%dsB%ds" % (len(device), len(token), len(name)), b"HW", 1, self.client.renews, interval_ms,
            self.client.epoch, len(device), device, len(token), token, len(name), name))

    def data_received(self, chunk):
        self.asked_at = NEVER
        self.input += chunk
        if self.transport.get_write_buffer_size() > 4 * HIGH_WATER_BYTES:
            self.transport.pause_reading()
        self.client.happened.set()

    def resume_writing(self):
        self.transport.resume_reading()
        self.client.happened.set()

    def connection_lost(self, error):
        self.lost = repr(error or "the gateway ended the stream")
        self.client.happened.set()

    def _advance(self, now):
        """Does what is due; returns when to look again."""
        leaving = self.retry_at < NEVER
        done = self.client.finished() or leaving and not self.under_way
        if self.closed_at is None and (done or now >= self.leave_by):
            self._close(NORMAL, "")
        if self.closed_at is not None or self.interval is None:
            if now >= self.end_by:
                raise ConnectionError("no WELCOME" if self.closed_at is None else "closed")
            return self.end_by
        if now >= self.renew_at:
            self._renew(now)
        messages_at = NEVER if leaving else self._send_messages(now)
        if now >= self.sent_at + self.interval * self.share:
            self._send(PING)
        # Half-open looks like quiet until we ask. Behind a message it has twice the time: its sink may be full.
        silent_at = self.asked_at + min(max(3 * self.interval, 2), 60) * (2 if self.under_way else 1)
        if now >= silent_at:
            raise ConnectionError("the gateway is silent")
        return min(messages_at, silent_at, self.sent_at + self.interval * self.share, self.leave_by, self.renew_at)

    def _send(self, kind, payload=b"", flags=0):
        size = len(payload)
        longer = struct.pack(">BBHI", kind, flags | EXTENDED, 0, size)
        self.transport.write((longer if size > 0xFFFF else struct.pack(">BBH", kind, flags, size)) + payload)
        self.sent_at, self.share = self.clock(), self.uniform(0.5, 0.8)     # early, and devices do not beat together
        if kind in (PING, DATA):
            self.asked_at = min(self.asked_at, self.sent_at)

    def _send_messages(self, now):
        """Sends what is due within the window; returns when to look again."""
        again = NEVER
        with self.client.changed:
            window = list(itertools.islice(self.client.outbox.values(), WINDOW))
        for message in window:
            ident, size = message.ident, len(message.payload)
            if size > self.payload_limit:
                reason = "%d bytes: need at most %d" % (size, self.payload_limit)
                self.client.log("message %d not sent: %s" % (ident, reason))
                self.client.remove(message, ValueError(reason))
                again = now                     # one more has its place in the window
                continue
            if self.due.get(ident, now) <= now:
                if self.transport.get_write_buffer_size() > HIGH_WATER_BYTES:
                    break                       # resume_writing() will wake us
                self._send(DATA, struct.pack(">Q", ident) + message.payload, message.flags | ACK_WANTED)
                self.under_way.add(ident)
                self.due[ident] = now + RESEND_SECONDS
            again = min(again, self.due[ident])
            if ident not in self.under_way:
                break                           # refused: none that was not sent yet overtakes it
        return again

    def _renew(self, now):
        """Sends a newer token, or asks for one again in a while."""
        self.renew_at = now + self.uniform(5, 10)
        try:
            newer = self.client.token()
        except Exception as error:
            return self.client.log("no newer token: %r" % error)
        if newer and newer != self.token and not self.offered:      # one at a time
            self.offered, self.renew_at = newer, NEVER
            self._send(AUTH, newer.encode())

    def _close(self, code, text):
        """CLOSE is our last frame. We read on: ACKs may come, and a reset because of unread bytes could overtake it."""
        if self.transport is None:
            raise ConnectionError("stopped")
        self._send(CLOSE, struct.pack(">H", code) + text.encode()[:100])
        self.closed_at = self.clock()
        self.end_by = min(self.closed_at + CLOSE_SECONDS, max(self.retry_at, self.closed_at))
        if self.transport.can_write_eof():      # TLS has no half-close
            self.transport.write_eof()

    def _handle(self, kind, flags, payload):
        if kind != GOAWAY and (kind == WELCOME) != (self.interval is None):     # GOAWAY: our id is contended
            raise ProtocolError(MALFORMED, "frame of type 0x%02x before or after WELCOME" % kind)
        if kind == WELCOME:
            self._on_welcome(payload)
        elif kind == ACK:
            self._on_ack(*struct.unpack_from(">QB", payload))
        elif self.closed_at is not None:
            return              # nothing may follow our CLOSE, so what would need an answer comes again
        elif kind == PING:
            self._send(PONG, payload)
        elif kind == DATA:
            self._on_data(flags, struct.unpack_from(">Q", payload)[0], payload[8:])
        elif kind == GOAWAY:
            self._on_goaway(payload)
        elif kind == AUTH and self.client.renews:
            # 1: expires soon. Others answer ours: 0 accepted, 3 nobody could check it now, else refused for good
            if payload[0] != 1:
                self.token, self.offered = payload[0] != 3 and self.offered or self.token, None
            self.renew_at = {0: NEVER, 1: 0}.get(payload[0], self.clock() + self.uniform(5, 10))

    def _on_welcome(self, payload):
        version, _, millis, _, session, epoch, self.payload_limit = struct.unpack_from(">BBIHQQI", payload)
        if version != 1:
            raise ProtocolError(MALFORMED, "WELCOME of version %d" % version)
        self.interval, self.welcomed_at, self.client.epoch = (millis or 60000) / 1000, self.clock(), epoch
        self.client.log("connected as session %d, interval %d ms" % (session, millis))

    def _on_ack(self, ident, status):
        if ident not in self.under_way:
            return                      # of a message that we did not send here, or a repeated ACK
        self.under_way.remove(ident)
        message = self.client.outbox[ident]
        if status == 0:
            del self.due[ident]
            return self.client.remove(message)
        self.due[ident] = self.clock() + self.uniform(1, 2) * min(2 ** message.refusals, 30)
        message.refusals += 1

    def _on_data(self, flags, ident, body):
        """Handed on, then acknowledged: our ACK says that we have it. A repeat is acknowledged and not handed on."""
        status, once, message = 0, flags & ACK_WANTED and ident != 0, body.decode() if flags & TEXT else body
        if not once or ident not in self.client.seen:
            try:
                self.client.on_message(message)
                if once:
                    self.client.seen.append(ident)
            except Exception as error:      # refused: it comes again
                status = 1
                self.client.log("message %d not taken: %r" % (ident, error))
        if flags & ACK_WANTED:
            self._send(ACK, struct.pack(">QB", ident, status))

    def _on_goaway(self, payload):
        code, least, most, length = struct.unpack_from(">HIIB", payload)
        if len(payload) < 11 + length:
            raise ProtocolError(MALFORMED, "GOAWAY ends inside its host")
        now, self.alternate = self.clock(), payload[11:11 + length].decode()
        self.retry_at = now + self.uniform(least, max(least, most)) / 1000
        self.leave_by = min(self.retry_at, now + FINISH_SECONDS)
        self.client.log("GOAWAY %d: back in %.1f s %s" % (code, self.retry_at - now, self.alternate))


def pause_seconds(code, welcomed, failures, uniform):
    """How long to stay away after a connection that ended so; failures: how many before it ended soon after WELCOME."""
    if 4000 <= code < 4200:
        return uniform(0, min(2 ** max(failures - 3, 0), 30))       # soon; slower if that happens again and again
    growth = 2 ** min(failures, 10)
    if code == BROKEN and not welcomed:
        return uniform(1, min(1 + 2 * growth, 120))         # not even let in: short at first, full jitter, doubled
    return uniform(min(growth, 60), min(30 * growth, 300))      # 4200..4399, broken; jittered at the limit too


class Client:
    """A device. send() and stop() may be called by any thread; on_message is called by the thread of run().

    url: tcp://host:port or tls://host:port. on_message gets str or bytes; when it returns, the message is acknowledged;
    when it raises, it comes again. token: text, or a function that gives the present one, also for AUTH on a living
    connection. last_epoch: `epoch` of an earlier run. clock(): monotonic seconds. uniform(a, b): a random number."""

    def __init__(self, url, device, on_message, *, token="", interval_ms=0, name="heartwheel.py/1", last_epoch=0,
                 tls=None, most_messages=1000, most_bytes=8 << 20, clock=time.monotonic, uniform=random.uniform,
                 log=lambda line: None):
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("tcp", "tls") or not parts.hostname or not parts.port:
            raise ValueError("url = %s: need tcp://host:port or tls://host:port" % url)
        if not 1 <= len(device.encode()) <= 128:
            raise ValueError("device = %s: need 1..128 bytes" % device)
        self._address = parts.hostname, parts.port
        self.tls = (tls or ssl.create_default_context()) if parts.scheme == "tls" else None
        self.hello = device.encode(), name.encode()[:64], interval_ms
        self.renews, self.token = callable(token), token if callable(token) else lambda: token
        self.on_message, self.log, self.uniform, self.clock, self.epoch = on_message, log, uniform, clock, last_epoch
        self.seen, self.outbox = collections.deque(maxlen=REMEMBERED), {}   # ids; id -> message in order, until its ACK
        self._bytes, self._most_messages, self._most_bytes = 0, most_messages, most_bytes
        self._ids = itertools.count(int(uniform(1, 1 << 62)))       # after a restart, no id is one of the last 64
        self.changed = threading.Condition()        # guards the outbox and the next two
        self._stop = self._refusal = None           # None, "drain" or "now"; why send() takes nothing any more
        self.loop = self.happened = None            # event loop of run(); set when it has something to look at

    def send(self, message, wait=False):
        """str or bytes; the Future is done when the gateway has it. Full outbox: OutboxFull, or waits (wait=True)."""
        payload, flags = (message.encode(), TEXT) if isinstance(message, str) else (bytes(message), 0)
        if len(payload) > MESSAGE_BYTES:
            raise ValueError("message = %d bytes: need at most %d" % (len(payload), MESSAGE_BYTES))
        with self.changed:
            while not self._refusal and self.outbox and (
                    len(self.outbox) >= self._most_messages or self._bytes + len(payload) > self._most_bytes):
                if not wait:
                    raise OutboxFull("outbox = %d messages, %d bytes" % (len(self.outbox), self._bytes))
                self.changed.wait()
            if self._refusal:
                raise self._refusal
            entry = SimpleNamespace(ident=next(self._ids), payload=payload, flags=flags, refusals=0, delivered=Future())
            self.outbox[entry.ident] = entry
            self._bytes += len(payload)
        self._wake()
        return entry.delivered

    def stop(self, drain=True):
        """run() returns when all is delivered (drain) or at once, both after a CLOSE. Further messages are refused."""
        with self.changed:
            self._stop = "drain" if drain and self._stop != "now" else "now"
            self._refusal = self._refusal or RuntimeError("the client was stopped")
            self.changed.notify_all()
        self._wake()

    def run(self):
        """Stays connected until stop(). Raises ComeNoMore if the gateway wants that."""
        try:
            asyncio.run(self._run())
        finally:
            self.stop(drain=False)      # tells who waits in send()
            for message in list(self.outbox.values()):
                self.remove(message, self._refusal)

    async def _run(self):
        self.happened, self.loop = asyncio.Event(), asyncio.get_running_loop()
        address, failures = self._address, 0
        while not self.finished():
            last = Connection(self, address)
            code, reason = await last.run()
            now, address = self.clock(), self._address
            if self.finished():
                return
            if 4400 <= code < 4600:
                self._refusal = ComeNoMore("%d %s" % (code, reason))
                raise self._refusal
            if (now if last.closed_at is None else last.closed_at) <= last.retry_at < NEVER:
                until = last.retry_at           # in the window, whatever ended the connection
                host, _, port = last.alternate.rpartition(":")
                address = (host.strip("[]"), port) if host and port.isdigit() else self._address
            else:
                welcomed = last.welcomed_at is not None
                if welcomed and now - last.welcomed_at >= min(last.interval, 10):
                    failures = 0                # it worked; one that ends at once counts like one that fails
                until = now + pause_seconds(code, welcomed, failures, self.uniform)
                failures += 1
            self.log("connection ended: %s %s; again in %.1f s" % (code or "broken", reason, max(until - now, 0)))
            while self.clock() < until and not self.finished():
                await self.sleep(until)

    async def sleep(self, until):
        """Until that time, or until something has happened: bytes came, the connection ended, send(), stop()."""
        timer = self.loop.call_later(max(0, min(until - self.clock(), 86400)), self.happened.set)
        await self.happened.wait()
        timer.cancel()
        self.happened.clear()

    def _wake(self):
        with contextlib.suppress(RuntimeError, AttributeError):     # run() has returned, or not begun
            self.loop.call_soon_threadsafe(self.happened.set)

    def finished(self):
        return self._stop == "now" or self._stop == "drain" and not self.outbox

    def remove(self, message, error=None):      # acknowledged; or given up, with the reason
        with self.changed:
            del self.outbox[message.ident]
            self._bytes -= len(message.payload)
            self.changed.notify_all()
        if message.delivered.set_running_or_notify_cancel():
            message.delivered.set_exception(error) if error else message.delivered.set_result(None)
