/* Device client over WebSocket, subprotocol heartwheel.json.v1 (../protocol.md): one file for pages and Node, no dependencies.
 *
 *   const device = new HeartwheelClient('wss://gateway.example/ws', 'browser-42', text => show(text), {token});
 *   const done = device.run();                       // settles after stop(); rejects if the gateway says never to come back
 *   await device.send('21.5');                       // settles when the gateway has acknowledged it
 *   device.stop();                                   // delivers what is left and closes
 *
 * Same rules and figures as heartwheel.py, which explains more of the why. Everything runs on one event loop, with one timer.
 */
(() => {
  const BROKEN = 0, OPEN_MS = 15000, CLOSE_MS = 2000, FINISH_MS = 5000, RESEND_MS = 300000;
  const WINDOW = 16, HIGH_WATER_BYTES = 65536, REMEMBERED = 256, MESSAGE_BYTES = 1 << 20;
  const SUBPROTOCOL = 'heartwheel.json.v1', BEARER = 'heartwheel.bearer.';
  // The native codes belong to the ranges of the protocol's own.
  const NATIVE = {1000: 4000, 1001: 4200, 1011: 4203, 1002: 4406, 1003: 4404, 1007: 4410, 1009: 4405};
  const encoder = new TextEncoder(), decoder = new TextDecoder('utf-8', {ignoreBOM: true});
  const need = (good, text) => { if (!good) throw new Error(text); };
  const isId = text => typeof text === 'string' && /^\d{1,20}$/.test(text);
  const isMs = number => Number.isInteger(number) && number >= 0 && number < 2 ** 32;
  const toBase64 = bytes => btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(''));
  const fromBase64 = text => Uint8Array.from(atob(text), char => char.charCodeAt(0));

  /** How long to stay away after a connection that ended so; failures: how many before it ended soon after their start. */
  function pauseMs(code, welcomed, failures, uniform) {
    if (code >= 4000 && code < 4200) return uniform(0, 1000 * Math.min(2 ** Math.max(failures - 3, 0), 30));
    const growth = 2 ** Math.min(failures, 10);
    if (code === BROKEN && !welcomed) return uniform(1000, 1000 * Math.min(1 + 2 * growth, 120));
    return uniform(1000 * Math.min(growth, 60), 1000 * Math.min(30 * growth, 300));
  }

  class HeartwheelClient {
    /** onMessage gets a string or Uint8Array; when it returns (or its promise settles well) the message is acknowledged.
     *  token: a string, or a function that gives the present one, also for a renewal on a living connection. */
    constructor(url, device, onMessage, options = {}) {
      const o = {token: '', intervalMs: 0, mostMessages: 1000, mostBytes: 8 << 20,
        now: () => performance.now(), uniform: (a, b) => a + (b - a) * Math.random(), log: () => {},
        setTimeout: (f, ms) => setTimeout(f, ms), clearTimeout: t => clearTimeout(t), ...options};
      Object.assign(this, {url, device, onMessage, o});
      this.outbox = new Map();          // id -> message, in the order of send(), until its ACK
      this.bytes = 0;
      this.nextId = BigInt(Math.floor(o.uniform(1, 2 ** 52)));   // after a restart, no id is one of the last 64
      this.seen = new Set();
      this.failures = 0;
      this.handing = Promise.resolve(); // one after the other, over connections
      this.waiting = [];                // who waits for room
    }

    /** Stays connected until stop(). */
    run() {
      return new Promise((resolve, reject) => {
        Object.assign(this, {resolve, reject});
        this.connect(this.url);
      });
    }

    /** A promise that settles with the acknowledgement. Throws if the outbox is full: await room() before. */
    send(message) {
      const bytes = typeof message === 'string' ? encoder.encode(message) : new Uint8Array(message);
      if (this.stopping || this.over) throw new Error('the client was stopped');
      if (bytes.length > MESSAGE_BYTES) throw new RangeError(`message = ${bytes.length} bytes: need at most ${MESSAGE_BYTES}`);
      if (!this.hasRoom(bytes.length)) throw new Error(`outbox = ${this.outbox.size} messages: need at most ${this.o.mostMessages}`);
      // decoded again, because the gateway refuses half a character
      const body = typeof message === 'string' ? {text: decoder.decode(bytes)} : {base64: toBase64(bytes)};
      const entry = {id: String(this.nextId++), body, length: bytes.length, due: 0, refusals: 0};
      entry.promise = new Promise((resolve, reject) => Object.assign(entry, {resolve, reject}));
      entry.promise.catch(() => {});    // who does not look must not end the process
      this.outbox.set(entry.id, entry);
      this.bytes += entry.length;
      this.advance();
      return entry.promise;
    }

    hasRoom(more) {
      return !this.outbox.size || (this.outbox.size < this.o.mostMessages && this.bytes + more <= this.o.mostBytes);
    }

    /** Settles when there is room for one message. */
    room(bytes = MESSAGE_BYTES) {
      return this.over || this.hasRoom(bytes) ? Promise.resolve() : new Promise(done => this.waiting.push(done)).then(() => this.room(bytes));
    }

    stop(drain = true) {
      this.stopping = drain && this.stopping !== 'now' ? 'drain' : 'now';
      this.advance();
    }

    finished() { return this.stopping === 'now' || (this.stopping === 'drain' && !this.outbox.size); }

    remove(entry, error) {
      this.outbox.delete(entry.id);
      this.bytes -= entry.length;
      if (error) entry.reject(error); else entry.resolve();
      this.waiting.splice(0).forEach(done => done());
    }

    token() { return typeof this.o.token === 'function' ? this.o.token() : this.o.token; }

    // ---------------------------------------------------------------- one connection: `c`; a later one is another object

    connect(url) {
      if (this.finished()) return this.finish();
      const c = {openBy: this.o.now() + OPEN_MS, underWay: new Set()};
      this.c = c;
      try {
        c.token = this.token();
        // A token in the path ends up in logs; one that fits is a subprotocol.
        const fits = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(c.token), query = c.token && !fits ? '&token=' + encodeURIComponent(c.token) : '';
        const path = `${url}/${encodeURIComponent(this.device)}?heartbeat_ms=${this.o.intervalMs}${query}`;
        c.socket = new WebSocket(path, fits ? [SUBPROTOCOL, BEARER + c.token] : [SUBPROTOCOL]);
      } catch (error) {
        return this.ended(c, BROKEN, String(error));
      }
      c.socket.onmessage = event => { if (this.c === c) this.received(c, event.data); };
      c.socket.onerror = () => {};      // onclose follows
      c.socket.onclose = event => this.ended(c, NATIVE[event.code] ?? (event.code >= 4000 && event.code < 5000 ? event.code : BROKEN), event.reason);
      this.schedule();
    }

    write(c, message) {
      if (this.c !== c || c.closedAt !== undefined || c.socket.readyState !== 1) return;
      c.socket.send(typeof message === 'string' ? message : JSON.stringify(message));
      // Early and at random: the gateway counts from when it read the last message, and devices shall not beat together.
      if (c.interval) c.beatAt = this.o.now() + c.interval * this.o.uniform(0.5, 0.8);
    }

    ask(c, message) {
      this.write(c, message);
      c.askedAt ??= this.o.now();
    }

    /** A half-open connection looks like a quiet one until we ask; behind a message a gateway may not read, so it has twice the time. */
    silentAt(c) {
      return c.askedAt === undefined ? Infinity
        : c.askedAt + Math.min(Math.max(3 * c.interval, 2000), 60000) * (c.underWay.size ? 2 : 1);
    }

    /** Does what is due and sets the timer for what is due next. */
    advance() {
      const c = this.c, now = this.o.now();
      if (this.over || !this.resolve) return;
      if (!c) return this.finished() ? this.finish() : undefined;
      if (c.closedAt !== undefined) {
        if (now >= this.listenUntil(c)) return this.ended(c, 4000, 'closed');
      } else if (this.finished() || (c.retryAt !== undefined && (!c.underWay.size || now >= c.leaveBy))) {
        this.close(c, 4000, '');
      } else if (!c.interval) {
        if (now >= c.openBy) return this.ended(c, BROKEN, 'no welcome');
      } else if (now >= this.silentAt(c)) {
        return this.ended(c, BROKEN, 'the gateway is silent');
      } else {
        if (now >= c.renewAt) this.renew(c, now);
        if (c.retryAt === undefined) this.sendMessages(c, now);
        if (now >= c.beatAt) this.ask(c, {type: 'ping'});
      }
      this.schedule();
    }

    listenUntil(c) { return Math.min(c.closedAt + CLOSE_MS, Math.max(c.retryAt ?? Infinity, c.closedAt)); }

    schedule() {
      const c = this.c;
      const at = c.closedAt !== undefined ? this.listenUntil(c) : !c.interval ? c.openBy
        : Math.min(this.silentAt(c), c.beatAt, c.messageAt ?? Infinity, c.leaveBy ?? Infinity, c.renewAt ?? Infinity);
      this.sleep(at, () => this.advance());
    }

    /** One timer. One that comes late (a page was frozen, a laptop slept) is our own pause: the gateway gets that time on top. */
    sleep(at, then) {
      this.o.clearTimeout(this.timer);
      this.timer = this.o.setTimeout(() => {
        const late = this.o.now() - at, c = this.c;
        if (c && c.askedAt !== undefined && late > 1000) c.askedAt += late;
        then();
      }, Math.min(Math.max(at - this.o.now(), 0) + 1, 2 ** 31 - 1));
    }

    sendMessages(c, now) {
      c.messageAt = Infinity;
      let place = 0;
      for (const entry of this.outbox.values()) {
        if (++place > WINDOW) return;
        if (entry.due > now) {
          c.messageAt = Math.min(c.messageAt, entry.due);
          if (entry.refusals && !c.underWay.has(entry.id)) return;      // refused: none behind it overtakes it
          continue;
        }
        let text = JSON.stringify({type: 'data', id: entry.id, ack: true, ...entry.body});
        if (entry.length <= c.limit && text.length > c.limit && encoder.encode(text).length > 2 * c.limit + 1024) {
          // a text that is mostly control characters: escaped it is too long a message
          text = JSON.stringify({type: 'data', id: entry.id, ack: true, base64: toBase64(encoder.encode(entry.body.text))});
        }
        if (entry.length > c.limit) {
          this.o.log(`message ${entry.id} not sent: ${entry.length} bytes: need at most ${c.limit}`);
          this.remove(entry, new RangeError(`longer than ${c.limit} bytes`));
          place--;
        } else if (c.socket.bufferedAmount < HIGH_WATER_BYTES) {
          this.ask(c, text);
          c.underWay.add(entry.id);
          entry.due = now + RESEND_MS;
        } else {
          c.messageAt = now + 100;      // a WebSocket does not tell when it has room again
          return;
        }
      }
    }

    /** Sends a newer token, or asks for one again in a while. */
    renew(c, now) {
      c.renewAt = now + this.o.uniform(5000, 10000);
      let newer;
      try { newer = this.token(); } catch (error) { this.o.log(`no newer token: ${error}`); }
      if (!newer || newer === c.token || c.offered) return;
      c.offered = newer;
      c.renewAt = Infinity;
      this.write(c, {type: 'auth', token: newer});
    }

    close(c, code, reason) {
      c.closedAt = this.o.now();
      c.socket.close(code, reason);
    }

    // ---------------------------------------------------------------- what arrives

    received(c, data) {
      c.askedAt = undefined;
      try {
        need(typeof data === 'string', 'a binary message');
        const message = JSON.parse(data);
        need(message && typeof message === 'object', 'no object');
        this.handle(c, message);
      } catch (error) {
        try { this.close(c, 4406, encoder.encode(error.message).length < 100 ? error.message : ''); } catch { /* it is over anyway */ }
        return this.ended(c, BROKEN, 'the gateway broke the protocol: ' + error.message);
      }
      this.advance();
    }

    handle(c, message) {
      const {type} = message;
      if (type === 'goaway') return this.onGoaway(c, message);  // also instead of welcome
      need((type === 'welcome') !== Boolean(c.interval), `${type} before or after welcome`);
      if (type === 'welcome') this.onWelcome(c, message);
      else if (type === 'ack') this.onAck(c, message);
      else if (type === 'data') this.onData(c, message);
      else if (type === 'auth') this.onAuth(c, message);
    }                                   // pong has done its work; types that we do not know are ignored

    onWelcome(c, message) {
      need(isMs(message.interval_ms) && isMs(message.max_payload), 'a wrong welcome');
      c.welcomedAt = this.o.now();
      c.interval = message.interval_ms || 60000;                // 0: nothing is promised
      c.limit = message.max_payload;
      c.beatAt = c.welcomedAt + c.interval * this.o.uniform(0.5, 0.8);
      for (const entry of this.outbox.values()) entry.due = 0;  // sent again, in order, under their ids
      this.o.log(`connected as session ${message.session}, interval ${c.interval} ms`);
    }

    onAck(c, {id, status = 0}) {
      need(isId(id), 'an ack without id');
      const entry = this.outbox.get(id);
      if (!c.underWay.delete(id) || !entry) return;     // not of a message that we sent here
      if (status === 0) return this.remove(entry);
      entry.due = this.o.now() + 1000 * this.o.uniform(1, 2) * Math.min(2 ** entry.refusals++, 30);
    }

    /** Handed on one after the other, then acknowledged; a repeat is acknowledged again and not handed on. */
    onData(c, {id = '0', ack, text, base64}) {
      need(isId(id) && (typeof text === 'string') !== (typeof base64 === 'string'), 'wrong data');
      const message = text ?? fromBase64(base64), once = ack && id !== '0';
      this.handing = this.handing.then(async () => {
        let status = 0;
        if (!once || !this.seen.has(id)) {
          try {
            await this.onMessage(message);
            if (once && this.seen.add(id).size > REMEMBERED) this.seen.delete(this.seen.values().next().value);
          } catch (error) {
            status = 1;                 // refused: it comes again
            this.o.log(`message ${id} not taken: ${error}`);
          }
        }
        if (ack) this.write(c, {type: 'ack', id, status});
      });
    }

    /** 1: the token expires soon. Others answer ours: 0 accepted, 3 nobody could check it now, else refused: not offered again. */
    onAuth(c, {status}) {
      if (status !== 1) {
        if (status !== 3 && c.offered) c.token = c.offered;
        c.offered = undefined;
      }
      c.renewAt = typeof this.o.token !== 'function' || status === 0 ? Infinity
        : status === 1 ? 0 : this.o.now() + this.o.uniform(5000, 10000);
    }

    onGoaway(c, {code, retry_min_ms: least, retry_max_ms: most, host = ''}) {
      need(isMs(least) && isMs(most) && typeof host === 'string', 'a wrong goaway');
      const now = this.o.now();
      c.alternate = host;
      c.retryAt = now + this.o.uniform(least, Math.max(least, most));
      c.leaveBy = Math.min(c.retryAt, now + FINISH_MS);
      this.o.log(`goaway ${code}: back in ${Math.round(c.retryAt - now)} ms ${host}`);
    }

    // ---------------------------------------------------------------- the end of one, and of all

    ended(c, code, reason) {
      if (this.c !== c) return;
      this.c = undefined;
      if (c.socket) {
        c.socket.onclose = c.socket.onmessage = null;
        try { c.socket.close(); } catch { /* it is closed */ }     // a dead peer's close may take minutes: we do not wait
      }
      if (this.finished()) return this.finish();
      if (code >= 4400 && code < 4600) return this.finish(Object.assign(new Error(`${code} ${reason}`), {code}));
      const now = this.o.now(), welcomed = c.welcomedAt !== undefined;
      let until = c.retryAt, url = this.url;
      if ((c.closedAt ?? now) <= until) {
        if (c.alternate) url = url.replace(/^(wss?:\/\/)[^/?]+/, (all, scheme) => scheme + c.alternate);
      } else {
        if (welcomed && now - c.welcomedAt >= Math.min(c.interval, 10000)) this.failures = 0;
        until = now + pauseMs(code, welcomed, this.failures++, this.o.uniform);
      }
      this.o.log(`connection ended: ${code || 'broken'} ${reason}; again in ${Math.round(Math.max(until - now, 0))} ms`);
      const wake = () => this.o.now() < until ? this.sleep(until, wake) : this.connect(url);
      this.sleep(until, wake);
    }

    finish(error) {
      if (this.over) return;
      this.over = true;
      this.o.clearTimeout(this.timer);
      for (const entry of [...this.outbox.values()]) this.remove(entry, error || new Error('the client was stopped'));
      this.waiting.splice(0).forEach(done => done());
      if (error) this.reject(error); else this.resolve();
    }
  }

  globalThis.HeartwheelClient = HeartwheelClient;
  if (typeof module !== 'undefined') module.exports = {HeartwheelClient, pauseMs};
})();
