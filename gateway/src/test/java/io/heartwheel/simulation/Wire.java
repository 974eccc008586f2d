package io.heartwheel.simulation;

import io.heartwheel.event.CloseReason;
import io.heartwheel.event.Evidence;
import io.heartwheel.liveness.ConnectionState;
import io.heartwheel.session.AuthStatus;
import io.heartwheel.session.GoAway;
import io.heartwheel.session.Session;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * A connection without a channel: a session, the socket buffers of both directions, and the device at the other end. Does with them what a
 * Netty connection does, and tells the oracle all that truly happens. Longer than other files, as the connections are that it stands for.
 */
final class Wire extends Session implements Oracle.Unread {
    private static final int HIGH_BYTES = 65_536;
    private static final int LOW_BYTES = 32_768;
    private static final int CONTROL_BYTES = 4;
    private static final long[] SEND_BUFFERS = {1, 300, 5_000, 60_000};
    /** Types of frames. */
    private static final int HELLO = 1;

    private static final int PING = 3;
    private static final long SECOND_NANOS = 1_000_000_000;
    private static final long HELD_NANOS = 4 * SECOND_NANOS;

    final World world;
    final EventLoop loop;
    final Device device;
    final TrueHistory history;
    private final boolean plain;
    /** What it came with, and then what it showed last. */
    private RandomTokens.Token token;

    /** The newer token that it shows now is one of too many, which nobody looks at. */
    private boolean tooMany;
    /** So many more newer tokens it shows without delay. */
    private int haste;

    /** It waits for its id: since when, and until when it is kept before it claims it once more. */
    private long armedNanos;

    private long claimsAtNanos = Long.MAX_VALUE;

    /** Another wants its id. */
    private boolean wanted;

    /** Whose place it takes. */
    private @Nullable Wire predecessor;

    private final boolean understandsAuth;
    private final long wantedMillis;
    /** Whether bytes of a frame come in records, of which nothing can be read before their end. */
    private final boolean records;
    /** Whether its socket tells that nothing lies unread in it. */
    private final boolean unreadTells;

    // ---- what came and was not read
    boolean isReady;
    private final Deque<Packet> inbound = new ArrayDeque<>();
    private final Deque<Packet> held = new ArrayDeque<>();
    private boolean dark;
    private long lastArrivalNanos;
    private long begunNanos = -1;
    private int takenBehind;

    // ---- what was written and not taken
    private final Deque<Integer> outbound = new ArrayDeque<>();
    private long pendingBytes;
    private long headTakenBytes;
    /** Of the kernel: what it holds for the peer at most, and now. */
    private final long sendBufferBytes;

    private long sentBytes;
    /** It took no more, and says when it takes again: when a third of its buffer is free. */
    private boolean full;

    private long acknowledgedBytes;
    /** Something was acknowledged when it was late for that; it saves the peer if it is seen. */
    private boolean lateNews;
    /** What the peer still takes; negative: everything. */
    private long windowBytes = -1;

    private long roomSinceNanos;
    private boolean roomNews;
    private boolean writable = true;
    /** When it drained again, if its socket has not been read since. Who is looked at, and then stands still with its loop, is asked as anybody is. */
    private long drainsUnreadNanos = -1;

    private boolean reading;
    private boolean unflushed;
    /** It is closed, and its last frame waits behind others. */
    private boolean owesLastFrame;
    /** It floods, and is not read for a while. */
    private boolean resting;
    /** Whether it reads once although reading is paused. */
    private boolean once;

    /** Of the device: bytes of a frame that it has begun. */
    int sentBehind;
    /** Of the device: which of its plans for this connection is the latest. */
    int plan;

    Wire(World world, EventLoop loop, Device device, boolean plain, long wantedMillis) {
        super(world.machine.sessionContext(loop));
        this.world = world;
        this.loop = loop;
        this.device = device;
        this.plain = plain;
        this.wantedMillis = wantedMillis;
        token = world.machine.tokens.next();
        understandsAuth = world.machine.tokens.understands() && !plain;
        records = world.coin();
        unreadTells = world.is.unreadTells();
        history = world.oracle.opened(device.name, loop.stalls, world.now());
        history.mayBeHeld = world.mayBeHeld(device);
        history.subnet = world.is.subnet(device.index);
        lastArrivalNanos = world.now();
        sendBufferBytes = SEND_BUFFERS[history.number % SEND_BUFFERS.length];
    }

    /** Accepted by its loop. */
    void accept() {
        world.note(history, "accepted on loop " + loop.index);
        open(history.number, world.clock());
    }

    // ------------------------------------------------------------------ the network

    /** Bytes reach the socket buffer. */
    void deliver(int frames, int bytesBehind, boolean hangsUp) {
        if (history.stage == TrueHistory.Stage.GONE) {
            return;
        }
        if (dark) {
            sentBehind = bytesBehind;
            held.add(new Packet(0, frames, bytesBehind, hangsUp));
            return;
        }
        if (world.isTracing()) {
            world.note(
                    history,
                    "arrives: " + frames + " frames, " + bytesBehind + " bytes behind" + (hangsUp ? ", FIN" : ""));
        }
        sentBehind = bytesBehind;
        lastArrivalNanos = world.now();
        inbound.add(new Packet(world.now(), frames, bytesBehind, hangsUp));
        loop.ready(this);
    }

    /** The network goes dark or is back; what was sent meanwhile comes then, in order. */
    void dark(boolean on) {
        dark = on;
        while (!on && !held.isEmpty()) {
            Packet packet = held.remove();
            deliver(packet.frames(), packet.bytesBehind(), packet.hangsUp());
        }
    }

    /** The peer takes so many bytes from now on; negative: everything, as it comes. */
    void window(long bytes) {
        world.note(history, "the peer's window is " + bytes);
        windowBytes = bytes;
        if (arrive() && pendingBytes > 0 && world.is.kernelTells()) {
            if (world.now() < history.earliest(Due.WRITE_PROGRESS)) {
                history.pending(world.now(), true, true);
            } else {
                lateNews = true;
            }
        }
        if (full && sendBufferBytes - sentBytes >= (sendBufferBytes + 2) / 3 && !roomNews) {
            roomNews = true;
            roomSinceNanos = world.now();
            loop.ready(this);
        }
    }

    /** What the kernel holds goes to the peer, as far as its window allows, and is acknowledged. */
    private boolean arrive() {
        long some = windowBytes < 0 ? sentBytes : Math.min(sentBytes, windowBytes);
        windowBytes -= windowBytes < 0 ? 0 : some;
        sentBytes -= some;
        acknowledgedBytes += some;
        return some > 0;
    }

    @Override
    public boolean savedBy(Due due, long deadlineNanos) {
        if (due == Due.WRITE_PROGRESS) {
            return roomNews && roomSinceNanos < deadlineNanos;
        }
        boolean silence = due == Due.HEARTBEAT || due == Due.READER_IDLE || due == Due.PROBE;
        boolean bytesCount = silence && world.is.rules().readProgressNanos() != 0;
        for (Packet packet : inbound) {
            boolean counts = packet.frames() > 0 || (bytesCount && packet.bytesBehind() > 0);
            if (counts && packet.atNanos() < deadlineNanos) {
                return due != Due.LEAVING;
            }
        }
        return false;
    }

    // ------------------------------------------------------------------ the loop reads

    void read() {
        reading = true;
        if (roomNews) {
            roomNews = false;
            full = false;
            world.oracle.look(history, world.now());
            take();
        }
        drainsUnreadNanos = -1;
        if (once && !writable && !resting && !inbound.isEmpty() && !isTooSoon()) {
            // one read, and no more of what waits
            once = false;
            take(inbound.remove());
            if (!inbound.isEmpty() && history.isOpen()) {
                history.moreWaits(world.now());
                moreWaits(world.clock());
            }
        }
        while (!inbound.isEmpty() && isReadable() && !isTooSoon()) {
            Packet packet = inbound.remove();
            Packet next = inbound.peek();
            while (next != null && !packet.hangsUp() && !next.hangsUp() && (world.coin() || packet.bytesBehind() > 0)) {
                inbound.remove();
                packet = new Packet(next.atNanos(), packet.frames() + next.frames(), next.bytesBehind(), false);
                next = inbound.peek();
            }
            take(packet);
        }
        if (isTooSoon()) {
            world.in(1, () -> loop.ready(this));
        }
        reading = false;
        if (unflushed) {
            flush();
        }
        sessionContext().expiryQueue().betweenReads();
    }

    /** A clock never shows the same nanosecond at two reads of one socket, so two frames are never begun at one time. */
    private boolean isTooSoon() {
        Packet first = inbound.peek();
        return begunNanos == world.now() && first != null && first.atNanos() == world.now();
    }

    @Override
    protected void readOnce() {
        once = true;
        loop.ready(this);
    }

    private boolean isReadable() {
        boolean heard = writable && held() == null && !resting;
        boolean paused = state() == ConnectionState.AUTHENTICATING
                || state() == ConnectionState.CLAIMING
                || (state() != ConnectionState.CLOSED && !heard);
        return history.stage != TrueHistory.Stage.GONE && !paused;
    }

    private void take(Packet packet) {
        world.oracle.look(history, world.now());
        if (packet.hangsUp()) {
            world.note(history, "reads FIN");
            history.hungUp = true;
            close(CloseReason.PEER_CLOSED, "the peer ended its stream");
            history.gone();
            gone();
        } else if (state() == ConnectionState.HANDSHAKE) {
            greet(packet);
        } else if (state() != ConnectionState.CLOSED) {
            taken(packet);
        } else {
            world.note(history, "reads what it sends behind the end");
            history.cameAfterTheEnd(world.now());
            cameAfterTheEnd(world.clock());
        }
    }

    private void greet(Packet packet) {
        if (packet.frames() == 0) {
            taken(packet);
            return;
        }
        world.note(history, "reads HELLO");
        history.read(world.now(), 1, 0);
        takenBehind = 0;
        activity(world.clock());
        frameIn(HELLO);
        history.asks(world.now());
        if (plain) {
            preferReaderIdle();
        }
        if (token.answer() == RandomTokens.Answer.REFUSED) {
            history.mayBeOrdered(CloseReason.UNAUTHORIZED);
        }
        hello(device.name.getBytes(StandardCharsets.UTF_8), token.shown(), wantedMillis, 0, "", understandsAuth);
        partial(0, world.clock());
        if (packet.frames() > 1 || packet.bytesBehind() > 0) {
            Packet rest = new Packet(packet.atNanos(), packet.frames() - 1, packet.bytesBehind(), false);
            if (isEstablished()) {
                taken(rest);
            } else {
                inbound.addFirst(rest);
            }
        }
    }

    /** It may come in, and its id is claimed. */
    void admitted() {
        world.note(history, "is admitted with " + token);
        world.oracle.look(history, world.now());
        history.claims(plain, wantedMillis);
        history.admitted(world.now(), token, warnBeforeNanos());
    }

    /** The id is not to be had now: it was taken over too often. */
    void hasToWait(Wire holder, long nanos) {
        holder.wanted = true;
        world.note(history, "has to wait for " + Oracle.seconds(nanos));
        violateIf(device.takeovers.hasToWait(holder, world.now(), nanos));
        history.mayBeOrdered(CloseReason.ID_CONFLICT);
        armedNanos = world.now();
        claimsAtNanos = armedNanos + Math.min(nanos, HELD_NANOS);
    }

    /** It answers no probe, so that its id is free. */
    void unanswered() {
        world.note(history, "gives its id away");
        violateIf(history.isUnanswering(world.now()) ? null : "answered, or had not had its time to answer");
        if (device.holder() == this) {
            device.takeovers.forget();
        }
    }

    /** It has waited, and claims its id once more. */
    void claimsAgain() {
        world.oracle.look(history, world.now());
        violateIf(world.now() < claimsAtNanos ? "claims its id again too early" : null);
        lookAtWait();
        claimsAtNanos = Long.MAX_VALUE;
    }

    private void lookAtWait() {
        boolean waits = claimsAtNanos != Long.MAX_VALUE && history.stage == TrueHistory.Stage.CLAIMING;
        violateIf(waits && history.acts(claimsAtNanos, armedNanos) < world.now() ? "waits for its id too long" : null);
    }

    /** Its place in the order of takeovers is judged. */
    void violateIf(@Nullable String wrong) {
        if (wrong != null) {
            world.oracle.violate(history, world.now(), wrong);
        }
    }

    /** The directory gave it the id. */
    void claimed(@Nullable Wire before) {
        predecessor = before;
    }

    private boolean hasRoom() {
        return world.oracle.groups.hasRoom(token.group(), predecessor == null ? null : predecessor.history);
    }

    private long warnBeforeNanos() {
        return understandsAuth ? world.machine.tokens.warnBeforeNanos() : -1;
    }

    private void planRenewal() {
        if (token.leftMillis() != 0 && understandsAuth) {
            world.in(world.machine.tokens.renewsInNanos(token.leftMillis()), () -> loop.execute(this::showNewerToken));
        }
    }

    private void showNewerToken() {
        world.oracle.look(history, world.now());
        if (!history.isEstablished() || history.isBeingChecked(world.now())) {
            return;
        }
        if (history.isLost(world.now())) {
            renew(token.shown());
            return;
        }
        tooMany = history.renewsTooOften(world.now());
        if (tooMany) {
            renew(token.shown());
            if (tooMany) {
                world.oracle.violate(history, world.now(), "a newer token of too many was looked at");
            }
            world.in(SECOND_NANOS, () -> loop.execute(this::showNewerToken));
            return;
        }
        token = world.machine.tokens.next();
        world.note(history, "shows " + token);
        history.checks(world.now());
        renew(token.shown());
    }

    @Override
    protected void sendAuth(AuthStatus status, long leftMillis) {
        world.note(history, "is told " + status + ", " + leftMillis + " ms left");
        if (tooMany && status == AuthStatus.UNAVAILABLE) {
            tooMany = false;
            send(CONTROL_BYTES);
            return;
        }
        switch (status) {
            case EXPIRING -> {
                acts(Due.WARNING);
                history.warned();
            }
            case ACCEPTED -> {
                world.oracle.look(history, world.now());
                history.admitted(world.now(), token, warnBeforeNanos());
                world.oracle.groups.enter(history, token.group());
                planRenewal();
            }
            case REFUSED, UNAVAILABLE -> {
                world.oracle.look(history, world.now());
                history.keepsItsToken(world.now());
                if (token.answer() == RandomTokens.Answer.REFUSED) {
                    loop.execute(this::showNewerToken); // it does not give up
                }
            }
        }
        if (status != AuthStatus.EXPIRING && haste-- > 0) {
            loop.execute(this::showNewerToken);
        }
        send(CONTROL_BYTES);
    }

    private void taken(Packet packet) {
        if (world.isTracing()) {
            world.note(history, "reads " + packet.frames() + " frames, " + packet.bytesBehind() + " bytes behind");
        }
        history.read(world.now(), packet.frames(), packet.bytesBehind());
        long beforeNanos = lastFrameInNanos();
        begunNanos = packet.bytesBehind() > 0 ? world.now() : begunNanos;
        for (int i = 0; i < packet.frames(); i++) {
            activity(world.clock());
            frameIn(PING);
            send(CONTROL_BYTES);
        }
        behind(packet);
        if (packet.frames() > 0 && isEstablished() && writable && world.sink.holds(this, plain)) {
            world.note(history, "is held for the sink");
            history.unheard(world.now(), true);
            hold(RandomFullSink.message(), RandomFullSink.REPLY, world.clock());
        }
        restIfTooFast(packet, beforeNanos);
    }

    /** The sink has room: what was held is settled. */
    void roomForMore() {
        if (state() != ConnectionState.CLOSED && held() != null) {
            world.note(history, "is held no more");
            history.unheard(world.now(), false);
            unhold(world.clock());
            world.sink.settled(this);
            loop.ready(this);
        }
    }

    @Override
    public void publishHeld() {
        if (held() != null) {
            unhold(world.clock());
            world.sink.settled(this);
        }
    }

    private void restIfTooFast(Packet packet, long beforeNanos) {
        boolean tooFast = sentTooFast(packet.frames(), packet.bytesBehind(), beforeNanos, world.clock());
        if (tooFast && isEstablished() && writable && held() == null) {
            world.note(history, "rests");
            resting = true;
            history.unheard(world.now(), true);
            rest(true, world.clock());
            awakeIn(restNanos(world.clock()));
        }
    }

    private void awakeIn(long nanos) {
        world.in(nanos, () -> loop.execute(this::awake));
    }

    private void awake() {
        long restNanos = restNanos(world.clock());
        if (state() == ConnectionState.CLOSED || !resting) {
            return;
        }
        if (restNanos > 0) {
            awakeIn(restNanos);
            return;
        }
        world.note(history, "is read again");
        world.oracle.look(history, world.now());
        resting = false;
        history.unheard(world.now(), false);
        rest(false, world.clock());
        loop.ready(this);
    }

    private void behind(Packet packet) {
        int more = packet.bytesBehind() - (packet.frames() > 0 ? 0 : takenBehind);
        takenBehind = packet.bytesBehind();
        if (records && isEstablished() && more > 0 && world.coin()) {
            if (packet.frames() > 0) {
                partial(0, world.clock());
            }
            partialUnread(more, world.clock());
        } else {
            partial(packet.bytesBehind(), world.clock());
        }
    }

    // ------------------------------------------------------------------ the loop writes

    /** A message for the device. Loop only. */
    void push(int bytes) {
        if (isEstablished() && writable && held() == null) {
            world.note(history, "pushes " + bytes + " bytes");
            send(bytes);
        }
    }

    private void send(int bytes) {
        outbound.add(bytes);
        pendingBytes += bytes;
        if (hasBacklog()) {
            enqueued(bytes);
        }
        if (writable && pendingBytes > HIGH_BYTES) {
            writable = false;
            world.note(history, "pauses reading");
            history.pending(world.now(), true, false);
            history.paused(world.now(), true);
            pauseReading(true, world.clock());
        }
        unflushed = true;
        if (!reading) {
            flush();
        }
    }

    private void flush() {
        unflushed = false;
        take();
        history.wrote(world.now());
        wrote(world.clock());
        flushed(world.clock());
    }

    /** The socket takes what its buffer has room for; once it took no more it is not asked again before it says so. */
    private void take() {
        boolean some = false;
        while (pendingBytes > 0 && !full) {
            some |= arrive() && world.is.kernelTells();
            long left = outbound.element() - headTakenBytes;
            long now = windowBytes < 0 ? left : Math.min(left, sendBufferBytes - sentBytes);
            full = now == 0;
            if (full) {
                break;
            }
            sentBytes += now;
            headTakenBytes += now;
            if (now == left) {
                pendingBytes -= outbound.remove();
                headTakenBytes = 0;
            }
            some = true;
        }
        arrive();
        history.pending(world.now(), pendingBytes > 0, some);
        if (owesLastFrame && pendingBytes == 0) {
            owesLastFrame = false;
            history.saidAll(world.now());
            saidAll(world.clock());
        }
        if (!writable && pendingBytes < LOW_BYTES) {
            world.note(history, "goes on reading");
            writable = true;
            drainsUnreadNanos = world.now();
            if (state() != ConnectionState.CLOSED) {
                history.paused(world.now(), false);
                pauseReading(false, world.clock());
            }
            loop.ready(this);
        }
    }

    @Override
    public long pendingBytes() {
        return pendingBytes;
    }

    @Override
    protected long currentProgressBytes() {
        return headTakenBytes;
    }

    @Override
    protected long acknowledgedBytes() {
        if (!world.is.kernelTells()) {
            return -1;
        }
        if (lateNews) {
            lateNews = false;
            history.pending(world.now(), pendingBytes > 0, true);
        }
        return acknowledgedBytes;
    }

    @Override
    protected long lastHeardMillisAgo() {
        return world.is.kernelTells() ? (world.now() - lastArrivalNanos) / 1_000_000 : -1;
    }

    @Override
    protected boolean nothingUnread() {
        return unreadTells && inbound.isEmpty();
    }

    // ------------------------------------------------------------------ what the session does

    @Override
    protected void welcome() {
        world.note(history, "established");
        world.oracle.look(history, world.now());
        if (!hasRoom()) {
            world.oracle.violate(history, world.now(), "established in a full group");
        }
        world.oracle.groups.enter(history, token.group());
        history.established(world.now());
        world.oracle.incidents.established();
        device.displaced(this);
        send(CONTROL_BYTES);
        loop.ready(this);
        device.welcomed(this);
        planRenewal();
        haste = world.machine.tokens.hasteOf(history);
    }

    @Override
    protected void sendProbe() {
        boolean mayWaitUnread = !writable || drainsUnreadNanos == world.now();
        if (mayWaitUnread && savedBy(Due.PROBE, history.earliest(Due.PROBE))) {
            world.oracle.violate(history, world.now(), "asked with what it said unread in its socket");
        }
        // a suspect that does not drain is not asked by the breaker
        boolean heldBack = isSuspect() && !history.isSuspect() && pendingBytes == 0;
        boolean isForItsSilence = history.earliest(Due.PROBE) <= world.now();
        if (wanted && !heldBack && (!isForItsSilence || world.oracle.isDeadInAnIncident(history, world.now()))) {
            wanted = false;
            world.note(history, "is probed because another wants its id");
            world.oracle.look(history, world.now());
            violateIf(history.runs(Due.PROBE) ? null : "probed although it is not to be");
            history.probed(world.now());
            send(CONTROL_BYTES);
            device.askedForItsId(this);
            return;
        }
        acts(Due.PROBE);
        history.probed(world.now());
        send(CONTROL_BYTES);
        device.asked(this);
    }

    @Override
    protected void sendKeepAlive() {
        acts(Due.KEEP_ALIVE);
        send(CONTROL_BYTES);
    }

    @Override
    protected void sendGoAway(CloseReason reason, GoAway goAway) {
        if (reason == CloseReason.MAX_AGE) {
            acts(Due.SEND_AWAY);
            history.sentAway(world.now() + world.is.rules().leadNanos());
        } else if (reason == CloseReason.ID_CONFLICT) {
            world.note(history, "is told to come back in " + goAway);
            send(CONTROL_BYTES);
            return;
        } else {
            world.note(history, "sent away");
            history.sentAway(device.drainedNanos);
        }
        send(CONTROL_BYTES);
        device.sentAway(this);
    }

    @Override
    protected boolean closeTransport(CloseReason reason, String text) {
        world.note(history, "closed: " + reason + ", " + text);
        if (reason == CloseReason.CONNECTION_LIMIT && !hasRoom()) {
            history.mayBeOrdered(reason);
        }
        world.oracle.groups.leave(history);
        lookAtWait();
        world.oracle.closed(history, this, reason, world.now());
        boolean lingers = reason.onWire() && reason != CloseReason.WRITE_STALLED && world.coin();
        owesLastFrame = lingers && pendingBytes > 0;
        history.closed(world.now(), reason, lingers, !owesLastFrame);
        world.checkHolder(device, this);
        device.closed(this);
        return lingers;
    }

    @Override
    protected void cut() {
        acts(Due.CUT);
        history.gone();
    }

    private void acts(Due due) {
        world.note(history, due.toString());
        world.oracle.acts(history, due, world.now());
        world.counts();
    }

    // ------------------------------------------------------------------ the rest

    @Override
    public String protocolName() {
        return plain ? "plain" : "heartwheel";
    }

    @Override
    public String remote() {
        return "192.0.2.1:" + history.number;
    }

    @Override
    public byte[] remoteAddress() {
        return new byte[] {10, 0, (byte) world.is.subnet(device.index), (byte) device.index};
    }

    @Override
    protected String frameName(int type) {
        return "";
    }

    @Override
    protected Evidence.@Nullable Path path() {
        return null;
    }

    @Override
    public void onLoop(Runnable task) {
        loop.onLoop(task);
    }

    @Override
    public void sendPing(long number) {
        throw new AssertionError("nobody sends");
    }

    @Override
    public boolean sendData(long messageId, boolean ackWanted, boolean text, byte[] payload) {
        throw new AssertionError("nobody sends");
    }
}
